//! Results as a terminal shows them.

mod auto;
mod coefficients;
mod comparison;
mod data;
mod demo;
mod density;
mod errors;
mod evaluation;
#[cfg(feature = "onnx")]
mod exported;
mod features;
mod files;
mod fit;
mod imports;
mod inspect;
mod keeps;
mod layout;
mod learning_curve;
mod linear;
mod sieved;
mod tuning;

pub use comparison::comparison;
pub use demo::demo;
pub use density::density;
pub use evaluation::evaluation;
#[cfg(feature = "onnx")]
pub use exported::exported;
pub use files::{reported, updated};
pub use fit::fit;
pub use inspect::inspect;
