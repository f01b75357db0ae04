//! Bandwidths of the classes, if they have their own.

use super::L2qpSetting;
use crate::data::Rng;
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::method::Grid;
use std::f64::consts::SQRT_2;

/// Powers of the root of 2 by which one bandwidth is changed.
const STEPS: [i32; 8] = [1, -1, 2, -2, 3, -3, 4, -4];

/// Settings that differ from bandwidths of classes and a balance in one of them, without those that
/// were tried; one arm for each.
pub(super) fn neighbours(
    kernel: &Kernel,
    widths: &[f64],
    balance: f64,
    tried: &[L2qpSetting],
) -> Grid<L2qpSetting> {
    let setting = |widths: Vec<f64>, balance: f64| L2qpSetting {
        kernel: kernel.with_bandwidth(widths[0]),
        balance,
        class_bandwidths: Some(widths),
    };
    let is_new = |s: &L2qpSetting| !tried.iter().any(|other| is_same(s, other));
    let mut arms: Grid<L2qpSetting> = (0..widths.len())
        .map(|c| {
            let moved = STEPS.iter().map(|&e| {
                let mut widths = widths.to_vec();
                widths[c] *= SQRT_2.powi(e);
                setting(widths, balance)
            });
            moved.filter(is_new).collect()
        })
        .collect();
    let mut balances: Vec<f64> = tried.iter().map(|s| s.balance).collect();
    balances.sort_by(f64::total_cmp);
    balances.dedup();
    let balanced = balances.into_iter().map(|b| setting(widths.to_vec(), b));
    arms.push(balanced.filter(is_new).collect());
    arms.retain(|arm| !arm.is_empty());
    arms
}

/// Whether two settings are the same up to rounding.
fn is_same(a: &L2qpSetting, b: &L2qpSetting) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
    let widths = |s: &L2qpSetting, n: usize| match &s.class_bandwidths {
        Some(widths) => widths.clone(),
        None => vec![s.kernel.bandwidth().unwrap_or(1.0); n],
    };
    let n = [a, b].map(|s| s.class_bandwidths.as_ref().map_or(1, Vec::len));
    let (u, v) = (widths(a, n[1]), widths(b, n[0]));
    near(a.balance, b.balance) && u.len() == v.len() && u.iter().zip(&v).all(|(u, v)| near(*u, *v))
}

/// The effect of a bandwidth other than the kernel's on distances and on the logarithm of the
/// constant.
pub(super) fn own_width(kernel: &Kernel, width: f64, d: usize) -> (f64, f64) {
    let ratio = kernel.bandwidth().unwrap_or(1.0) / width;
    let log = |k: &Kernel| k.log_normalizer(d).unwrap_or(0.0);
    (
        ratio * ratio,
        log(&kernel.with_bandwidth(width)) - log(kernel),
    )
}

/// Median distance of pairs of rows, or of a sample if there are many; 1 if it is zero.
pub(super) fn median_distance(x: &Matrix, seed: u64) -> f64 {
    const PAIRS: usize = 4000;
    let mut rng = Rng::new(seed);
    let n = x.rows();
    let distance = |i: usize, j: usize| {
        let squares = x
            .row(i)
            .iter()
            .zip(x.row(j))
            .map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    let mut distances: Vec<f64> = if n * (n - 1) / 2 <= PAIRS {
        (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| distance(i, j))
            .collect()
    } else {
        (0..PAIRS)
            .map(|_| distance(rng.below(n), rng.below(n)))
            .collect()
    };
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 2)
        .copied()
        .filter(|m| *m > 0.0)
        .unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Labels};
    use crate::method::L2qp;
    use crate::method::l2qp::ClassBandwidths;
    use crate::params::{KernelChoice, Protocol};
    use crate::tuning::{Control, Train};

    #[test]
    fn neighbours_differ_in_one_coordinate_and_are_new() {
        let kernel = Kernel::Gaussian { bandwidth: 1.0 };
        let at = |widths: Option<[f64; 2]>, balance: f64| L2qpSetting {
            kernel: kernel.with_bandwidth(widths.map_or(1.0, |w| w[0])),
            balance,
            class_bandwidths: widths.map(Vec::from),
        };
        let tried = [at(None, 1.0), at(None, 2.0), at(Some([SQRT_2, 1.0]), 1.0)];
        let grid = neighbours(&kernel, &[1.0, 1.0], 1.0, &tried);
        // One of the first class was tried, and so were both balances.
        assert_eq!(grid.iter().map(Vec::len).collect::<Vec<_>>(), [7, 8]);
        for (arm, class) in grid.iter().zip(0..) {
            for s in arm {
                let widths = s.class_bandwidths.as_ref().expect("own widths");
                assert!(widths[class] != 1.0 && widths[1 - class] == 1.0);
                assert_eq!(s.kernel.bandwidth(), Some(widths[0]));
            }
        }
        let moved = neighbours(&kernel, &[2.0, 1.0], 1.0, &tried);
        assert_eq!(
            moved.last().map(Vec::len),
            Some(2),
            "balances at new widths"
        );
    }

    /// Rings around a point: the inner class is ten times as narrow as the outer one, and no common
    /// bandwidth suits both.
    #[test]
    fn classes_of_different_extent_get_bandwidths_of_their_own() {
        let mut rng = Rng::new(3);
        let n = 160;
        let x = Matrix::from_fn(n, 4, |i, _| {
            rng.normal() * if i % 2 == 0 { 0.15 } else { 1.0 }
        });
        let labels = Labels::from_codes(
            (0..n).map(|i| i % 2).collect(),
            vec!["in".into(), "out".into()],
        );
        let names = (0..4).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(x, labels.expect("codes fit"), names).expect("valid");
        let grid = KernelChoice::default().with_bandwidths([0.1, 0.3, 1.0]);
        let fit = |widths: ClassBandwidths| {
            let method = L2qp::new().kernel(grid.clone()).class_bandwidths(widths);
            let trained = method.train(&data, &Protocol::default(), &Control::new());
            trained.expect("trains").model.record
        };
        let (common, tuned) = (fit(ClassBandwidths::Common), fit(ClassBandwidths::Tuned));
        let error = |r: &crate::model::TrainingRecord| {
            r.cv.as_ref().and_then(|cv| cv.best().error).expect("known")
        };
        assert!(error(&tuned) <= error(&common));
        let widths = tuned.setting.numbers("class_bandwidths").expect("own ones");
        assert!(widths[1] > 1.9 * widths[0], "{widths:?}");
        let settings = &tuned.cv.as_ref().expect("tuned").grid;
        assert_eq!(settings[..3].len(), common.cv.expect("tuned").grid.len());
    }
}
