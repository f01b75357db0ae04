//! Solvers: matrices in, vectors out. A solver knows neither data sets nor kernels, so the Gram
//! matrix may be the caller's own.

pub mod box_quadratic;
pub mod coordinate_descent;
pub mod group_lasso;
pub mod import_vectors;
pub mod lasso;
mod likelihood;
pub mod logistic;
pub mod ols;
pub mod onda;
pub mod optimal_scoring;
pub mod ridge;
pub mod row_cache;
pub mod shifted_cg;
pub mod smo;
pub mod softmax;
pub mod sparse_logistic;
pub mod sparse_weights;
