//! Arbitrary problems, for tests that count work or memory.

use kernsieve::data::Labels;
use kernsieve::linalg::Matrix;
use kernsieve::method::Problem;

/// Arbitrary numbers between -1 and 1, by a separate generator, because the library's own may
/// change.
pub fn numbers(rows: usize, cols: usize) -> Matrix {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    Matrix::from_vec((0..rows * cols).map(|_| next()).collect(), rows, cols)
}

/// Rows of five features, one class inside the other.
pub fn problem(n: usize) -> Problem {
    let x = numbers(n, 5);
    let codes = x
        .iter_rows()
        .map(|r| usize::from(r[0] * r[0] + r[1] * r[1] > 0.6))
        .collect();
    let labels = Labels::from_codes(codes, vec!["in".into(), "out".into()]).expect("labels");
    Problem::new(x, labels).expect("a problem")
}
