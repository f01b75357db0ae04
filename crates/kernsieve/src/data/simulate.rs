//! Generators of the simulated data in the papers.

use super::dataset::Dataset;
use super::labels::Labels;
use super::rng::Rng;
use crate::linalg::Matrix;

/// Simulated model 1 of Lapanowski & Gaynanova (section 6.1): 300 points uniform on `[-1, 1]^2`;
/// class 1 where the radius is at least 2/3, class 2 where it is at most 2/3 - 1/10, points in
/// between are left out (about 270 remain). Two noise features have variance 1/2.
pub fn rings(seed: u64) -> Dataset {
    let mut rng = Rng::stream(seed, 1);
    let mut rows = Vec::new();
    let mut codes = Vec::new();
    // A draw without both classes is practically impossible, but it must not cause a failure.
    while codes.is_empty() || !codes.contains(&0) || !codes.contains(&1) {
        for _ in 0..300 {
            let (a, b) = (2.0 * rng.uniform() - 1.0, 2.0 * rng.uniform() - 1.0);
            let noise = [rng.normal() * 0.5f64.sqrt(), rng.normal() * 0.5f64.sqrt()];
            let radius = a.hypot(b);
            let code = if radius >= 2.0 / 3.0 {
                0
            } else if radius <= 2.0 / 3.0 - 0.1 {
                1
            } else {
                continue;
            };
            rows.extend([a, b, noise[0], noise[1]]);
            codes.push(code);
        }
    }
    assemble(rows, 4, codes, &["1", "2"])
}

/// Simulated model 2 of Lapanowski & Gaynanova (section 6.2): 400 points uniform on `[-1, 1]^10`;
/// class 1 where `x3 + sin(x4 + x1) < x2^2`, class 2 elsewhere; the last six features are noise.
pub fn sine(seed: u64) -> Dataset {
    let mut rng = Rng::stream(seed, 2);
    let mut rows = Vec::with_capacity(4000);
    let mut codes = Vec::with_capacity(400);
    for _ in 0..400 {
        let x: Vec<f64> = (0..10).map(|_| 2.0 * rng.uniform() - 1.0).collect();
        codes.push(usize::from(x[2] + (x[3] + x[0]).sin() >= x[1] * x[1]));
        rows.extend(x);
    }
    assemble(rows, 10, codes, &["1", "2"])
}

/// The mixture of Ghosh & Wang (section 5.1): ten centres of class `+1` from `N((1.5, 0), 2 I)`,
/// ten of class `-1` from `N((0, 1.5), 2 I)`. Each row picks a centre of its class and adds
/// `N(0, I / 5)`. `noise` features of white noise follow. `centres` seeds the centres and `seed`
/// the rows, so that a test set can share the centres of its training set.
pub fn mixture(centres: u64, seed: u64, per_class: usize, noise: usize) -> Dataset {
    let mut rng = Rng::stream(centres, 3);
    let draw_centres = |rng: &mut Rng, at: [f64; 2]| -> Vec<[f64; 2]> {
        let sd = 2f64.sqrt();
        (0..10)
            .map(|_| [at[0] + sd * rng.normal(), at[1] + sd * rng.normal()])
            .collect()
    };
    let minus = draw_centres(&mut rng, [0.0, 1.5]);
    let plus = draw_centres(&mut rng, [1.5, 0.0]);
    let mut rng = Rng::stream(seed, 4);
    let sd = 0.2f64.sqrt();
    let mut rows = Vec::with_capacity(2 * per_class * (2 + noise));
    let mut codes = Vec::with_capacity(2 * per_class);
    for (code, centres) in [(0, &minus), (1, &plus)] {
        for _ in 0..per_class {
            let c = centres[rng.below(10)];
            rows.extend([c[0] + sd * rng.normal(), c[1] + sd * rng.normal()]);
            rows.extend((0..noise).map(|_| rng.normal()));
            codes.push(code);
        }
    }
    assemble(rows, 2 + noise, codes, &["-1", "1"])
}

fn assemble(rows: Vec<f64>, p: usize, codes: Vec<usize>, classes: &[&str]) -> Dataset {
    let n = codes.len();
    let labels = Labels::from_codes(codes, classes.iter().map(|c| c.to_string()).collect());
    let names = (1..=p).map(|j| format!("x{j}")).collect();
    labels
        .and_then(|l| Dataset::new(Matrix::from_vec(rows, n, p), l, names))
        .unwrap_or_else(|e| unreachable!("simulated data are valid by construction: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_keep_the_gap_between_the_classes() {
        let d = rings(0);
        assert!((230..=300).contains(&d.n_samples()));
        for (row, &c) in d.x().iter_rows().zip(d.labels().codes()) {
            let r = row[0].hypot(row[1]);
            assert!(if c == 0 {
                r >= 2.0 / 3.0
            } else {
                r <= 2.0 / 3.0 - 0.1
            });
        }
        assert_eq!(rings(0), rings(0));
        assert_ne!(rings(0), rings(1));
    }

    #[test]
    fn sine_follows_its_inequality() {
        let d = sine(3);
        for (x, &c) in d.x().iter_rows().zip(d.labels().codes()) {
            assert_eq!(c == 0, x[2] + (x[3] + x[0]).sin() < x[1] * x[1]);
        }
    }

    #[test]
    fn mixture_rows_lie_near_the_shared_centres() {
        let (a, b) = (mixture(5, 0, 500, 8), mixture(5, 1, 500, 8));
        assert_eq!((a.n_samples(), a.n_features()), (1000, 10));
        // Means of the two draws agree within the spread of 500 draws from the same ten centres.
        let mean = |d: &Dataset, j: usize| d.x().column(j)[..500].iter().sum::<f64>() / 500.0;
        for j in 0..2 {
            assert!((mean(&a, j) - mean(&b, j)).abs() < 0.5);
        }
    }
}
