//! Dense `f64` linear algebra for kernsieve: a row-major matrix and the factorisations that the
//! solvers need.
//!
//! This is the only crate that names the backend ([faer](https://crates.io/crates/faer)). Every
//! function is concrete, so the backend's generic code is compiled once, here, and not in every
//! crate that calls it.
//!
//! **The number of threads never changes a result.** Work is cut into tiles of a fixed size, each
//! tile is computed by one thread, and no sum is split between threads. Therefore a model has the
//! same bytes on one core as on sixty-four.

mod buffer;
mod cholesky;
mod decompose;
mod matrix;
mod product;
mod symmetric;

pub use cholesky::{Cholesky, NotPositiveDefinite, solve_lower, solve_lower_transposed};
pub use decompose::{Qr, Svd, SymmetricEigen, symmetric_eigen, tall_qr, thin_svd};
pub use matrix::{Matrix, View};
pub use product::{dot, gemm_into, matmul, matmul_sequential, symmetric_product};
pub use symmetric::symmetric_times;
