//! Tuning: from a data set to a model, cross-validation, the choice of a method.

mod any;
mod assess;
mod auto;
mod calibration;
mod control;
mod cross_validation;
mod density;
mod dependence;
mod fold;
mod importance;
mod learning_curve;
mod leave_one_out;
mod limits;
mod measure;
mod memory;
mod notices;
mod out_of_fold;
mod race;
mod refit;
mod sample;
mod streamed;
mod table;
mod temperature;
#[cfg(test)]
mod tests;
mod train;

pub use any::AnyMethod;
pub use auto::{Contest, model_size, run_contest};
pub use control::{Control, Progress};
pub use density::{DensityData, train_density};
pub use dependence::{Dependence, partial_dependence};
pub use learning_curve::LearningPoint;
pub use memory::{available_memory, for_people};
pub use out_of_fold::OutOfFold;
pub use streamed::AllRows;
pub use train::{Train, Trained};
