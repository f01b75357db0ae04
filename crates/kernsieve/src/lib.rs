//! kernsieve.
pub mod data;
pub mod error;
pub mod kernel;
pub mod linalg;
pub use error::{Error, Result};
