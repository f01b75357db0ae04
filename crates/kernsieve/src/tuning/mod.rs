//! Tuning: grids, cross-validation, and the way from a data set to a model.

mod control;
mod cross_validation;
mod memory;
mod train;

pub use control::{Control, Progress};
pub use cross_validation::{calibrate, cross_validate};
pub use memory::{available_memory, for_people};
pub use train::{Trained, prepare, train};
