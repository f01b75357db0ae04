//! A kernel matrix of one's own: `cargo run --release --example kernel_matrix`.
//!
//! Methods take a kernel by name. Where the kernel is not among them, the solvers take its matrix:
//! here the intersection kernel of histograms, `k(x, y) = sum_j min(x_j, y_j)`, in multinomial
//! kernel discriminant analysis.
#![allow(clippy::print_stdout)]

use kernsieve::classes::Classes;
use kernsieve::data::Rng;
use kernsieve::decision::{Decision, argmax};
use kernsieve::linalg::{Matrix, add_to_rows, matmul};
use kernsieve::method::mkda::{Penalty, solve_gram};

/// Histograms of two kinds, mass on the left or on the right.
fn histograms(n: usize, rng: &mut Rng) -> (Matrix, Vec<usize>) {
    let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let x = Matrix::from_fn(n, 8, |i, j| {
        let tilt = if codes[i] == 0 { 8 - j } else { j + 1 };
        rng.uniform() * tilt as f64
    });
    (x, codes)
}

fn intersection(a: &Matrix, b: &Matrix) -> Matrix {
    let value = |i: usize, j: usize| a.row(i).iter().zip(b.row(j)).map(|(u, v)| u.min(*v)).sum();
    Matrix::from_fn(a.rows(), b.rows(), value)
}

fn main() -> kernsieve::Result<()> {
    let mut rng = Rng::new(0);
    let (train, codes) = histograms(120, &mut rng);
    let (new, truth) = histograms(200, &mut rng);
    let classes = Classes::new(&codes, None, 2);
    let gram = intersection(&train, &train);
    // The intersection kernel is positive definite; one ridge is tried.
    let solved = solve_gram(&gram, true, &classes, &[1.0], Penalty::Kernel, None)?;
    for solution in solved {
        let variates = solution?.variates;
        let mut z = matmul(intersection(&new, &train).view(), variates.coef.view());
        add_to_rows(&mut z, &variates.offset);
        let rule = Decision::Mahalanobis {
            means: variates.means,
            log_priors: classes.shares().iter().map(|p| p.ln()).collect(),
        };
        let posterior = rule.posterior(&z);
        let rows = posterior.iter_rows().zip(&truth);
        let wrong = rows.filter(|(p, t)| argmax(p) != **t).count();
        println!("{wrong} of {} new rows wrong", truth.len());
        assert!(wrong < 40);
    }
    Ok(())
}
