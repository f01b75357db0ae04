//! Solvers: matrices in, vectors out. They know neither data sets nor kernels; the Gram matrix may be the caller's own.

pub mod box_quadratic;
pub mod import_vectors;
mod likelihood;
pub mod logistic;
pub mod ols;
pub mod optimal_scoring;
pub mod ridge;
pub mod sparse_weights;
