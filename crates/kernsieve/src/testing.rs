//! Data that the tests of several modules share.

use crate::data::{Labels, Rng};
use crate::linalg::Matrix;
use crate::method::Problem;

/// Standard normal entries.
pub fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut rng = Rng::new(seed);
    Matrix::from_fn(rows, cols, |_, _| rng.normal())
}

/// Rows whose classes alternate. Each class is shifted by 1.5 along some of the features.
pub fn problem(n: usize, p: usize, c: usize, seed: u64) -> Problem {
    let codes: Vec<usize> = (0..n).map(|i| i % c).collect();
    let noise = random(n, p, seed);
    let x = Matrix::from_fn(n, p, |i, j| {
        noise[(i, j)] + if j % c == codes[i] { 1.5 } else { 0.0 }
    });
    let labels =
        Labels::from_codes(codes, (0..c).map(|k| k.to_string()).collect()).expect("codes fit");
    Problem::new(x, labels).expect("valid")
}

/// Probabilities of log scores.
pub fn probabilities(scores: &Matrix) -> Matrix {
    let mut p = scores.clone();
    let c = p.cols();
    p.as_mut_slice()
        .chunks_exact_mut(c)
        .for_each(crate::decision::softmax_in_place);
    p
}
