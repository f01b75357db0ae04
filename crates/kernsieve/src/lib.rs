//! Sparse kernel classification for tabular data.
//!
//! Every model fitted here is the same object, `z(x) = b + sum_{i in support} A_i k(w*x, w*x_i)`
//! with a decision rule on `z`: feature weights `w` of zero drop features, `support` holds the
//! retained samples. A method is a solver that finds `(w, support, A)` and a rule; scaling, tuning,
//! saving and predicting are shared.
//!
//! The modules follow that sentence: [`data`] -> [`kernel`] -> [`solver`] -> [`expansion`] ->
//! [`decision`] -> [`method`] -> [`tuning`] -> [`model`] and [`model_file`].
//!
//! ```
//! use kernsieve::data::{Schema, simulate};
//! use kernsieve::method::{MethodKind, Options};
//! use kernsieve::tuning::{Control, train};
//!
//! let data = simulate::rings(0);
//! let schema = Schema::numeric(data.feature_names());
//! let trained = train(MethodKind::Kos, &Options::default(), &data, &schema, true, &Control::new())?;
//! let prediction = trained.model.predict(simulate::rings(1).x());
//! assert_eq!(prediction.posterior.cols(), 2);
//! # Ok::<(), kernsieve::Error>(())
//! ```

pub mod classes;
pub mod data;
pub mod decision;
pub mod discriminant_kernel;
pub mod error;
pub mod expansion;
pub mod kernel;
pub mod linalg;
pub mod method;
pub mod metrics;
pub mod model;
pub mod model_file;
pub mod solver;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod tuning;

pub use error::{Error, Result};
