//! kernsieve.
pub mod data;
pub mod decision;
pub mod error;
pub mod expansion;
pub mod kernel;
pub mod linalg;
pub mod method;
pub mod metrics;
pub mod solver;
pub use error::{Error, Result};
