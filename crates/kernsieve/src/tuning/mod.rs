//! Tuning: grids, cross-validation, and the way from a data set to a model.

mod auto;
mod calibration;
mod control;
mod cross_validation;
mod density;
mod held_out;
mod leave_one_out;
mod memory;
mod race;
mod sample;
mod table;
mod temperature;
mod train;

pub use auto::{auto_methods, model_size, train_auto};
pub use calibration::calibrate;
pub use control::{Control, Progress};
pub use cross_validation::cross_validate;
pub use density::{DensityData, train_density};
pub use held_out::held_out_probabilities;
pub use leave_one_out::leave_one_out;
pub use memory::{available_memory, for_people};
pub use train::{Trained, prepare, train};
