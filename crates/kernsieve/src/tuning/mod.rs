//! Tuning: from a data set to a model, cross-validation, the choice of a method.

mod any;
mod auto;
mod control;
mod cross_validation;
mod density;
mod fold;
mod importance;
mod leave_one_out;
mod memory;
mod notices;
mod out_of_fold;
mod race;
mod sample;
mod table;
mod temperature;
#[cfg(test)]
mod tests;
mod train;

pub use any::AnyMethod;
pub use auto::{Contest, model_size, run_contest};
pub use control::{Control, Progress};
pub use density::{DensityData, train_density};
pub use memory::{available_memory, for_people};
pub use out_of_fold::OutOfFold;
pub use train::{Train, Trained};
