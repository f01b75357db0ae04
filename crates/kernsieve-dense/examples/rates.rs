//! Prints the rates of the products and factorisations, in GFLOP/s: `cargo run --release -p
//! kernsieve-dense --example rates`.
#![allow(clippy::print_stdout)]

use kernsieve_dense::{
    Cholesky, Matrix, matmul, matmul_sequential, symmetric_eigen, symmetric_product,
};
use std::time::Instant;

fn best(repeats: usize, mut f: impl FnMut()) -> f64 {
    (0..repeats)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    for n in [256usize, 500, 1000, 2000] {
        let a = Matrix::from_fn(n, n, |i, j| {
            ((i * 31 + j * 17 + i * j) % 101) as f64 / 101.0 - 0.5
        });
        let mut spd = symmetric_product(a.view());
        for i in 0..n {
            spd[(i, i)] += 1.0;
        }
        let cube = (n as f64).powi(3) * 1e-9;
        let gemm1 = 2.0 * cube / best(3, || drop(matmul_sequential(a.view(), a.view().t())));
        let gemm = 2.0 * cube / best(3, || drop(matmul(a.view(), a.view().t())));
        let syrk = cube / best(3, || drop(symmetric_product(a.view())));
        let chol = cube / 3.0 / best(3, || drop(Cholesky::new(spd.clone())));
        let eigen = if n <= 1000 {
            9.0 * cube / best(1, || drop(symmetric_eigen(&spd)))
        } else {
            f64::NAN
        };
        println!(
            "n {n:5}: gemm {gemm1:6.1} (1 thread) {gemm:6.1}  syrk {syrk:6.1}  cholesky {chol:6.1}  eigen {eigen:6.1}"
        );
    }
}
