//! kernsieve.
pub mod data;
pub mod error;
pub mod linalg;
pub use error::{Error, Result};
