//! Sparse kernel classification for tabular data: nonlinear classifiers that tune themselves and
//! show which features and which samples matter.
//!
//! ```
//! use kernsieve::{Control, Model, Protocol, Smkda, Train, data::simulate};
//!
//! let (data, new) = (simulate::rings(0), simulate::rings(1));
//! let smkda = Smkda::new().max_support(10);
//! let model = smkda.train(&data, &Protocol::default(), &Control::new())?.model;
//! let classes: Vec<&str> = model.predict_classes(new.x());
//! assert_eq!((classes.len(), model.support_rows().len()), (new.n_samples(), 10));
//! let file = std::env::temp_dir().join("rings.ks");
//! model.save(&file)?;
//! assert_eq!(Model::load(&file)?.predict_classes(new.x()), classes);
//! # Ok::<(), kernsieve::Error>(())
//! ```
//!
//! Every model fitted here is the same object, `z(x) = b + sum_{i in support} A_i k(w*x, w*x_i)`
//! with a decision rule on `z`: feature weights `w` of zero drop features, `support` holds the
//! retained samples. A [`Method`] is a solver that finds `(w, support, A)` and a rule, written as a
//! small struct of parameters; scaling, tuning, saving and predicting are shared. [`Protocol`]
//! holds the settings that all methods share, [`Control`] stops a computation and reports its
//! progress, and [`catalogue`] lists the methods for those who pick one by name.
//!
//! The modules follow that order: [`data`] -> [`kernel`] -> [`solver`] -> [`expansion`] ->
//! [`decision`] -> [`method`] -> [`model`] and [`model_file`] -> [`tuning`] -> [`catalogue`].

pub mod catalogue;
pub mod checksum;
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
pub mod notice;
pub mod params;
pub mod partial;
pub mod solver;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod tuning;

pub use data::Dataset;
pub use error::{Error, Result};
pub use method::{
    Fivm, Klr, Kos, L1Dkf, L2le, L2qp, Lda, Method, Mkda, Parzen, Sieve, Smkda, SparseKos,
    WithPosterior,
};
pub use model::Model;
pub use notice::Notice;
pub use params::{KernelChoice, Protocol};
pub use tuning::{Control, Train, Trained};
