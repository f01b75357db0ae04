//! Quadratic functions on a box, by coordinate descent.

use crate::linalg::{Matrix, dot};

/// A symmetric matrix `H`, whole or as `G'G`, with corrections of rank one:
/// `H + sum_k r_k r_k' / d_k`.
#[derive(Clone, Debug)]
pub enum Curvature {
    /// `H`, `p x p`.
    Whole(Matrix),
    /// `G'`, `p x m`: row `j` is column `j` of `G`. This is the smaller form when there are more
    /// variables than rows.
    Root(Matrix),
}

impl Curvature {
    /// `H d`.
    pub fn apply(&self, d: &[f64]) -> Vec<f64> {
        match self {
            Self::Whole(h) => h.iter_rows().map(|row| dot(row, d)).collect(),
            Self::Root(g) => {
                let z = combination(g, d);
                g.iter_rows().map(|row| dot(row, &z)).collect()
            }
        }
    }

    /// The same of `all` variables, of which this has `places`; the others are flat.
    pub fn spread(self, places: &[usize], all: usize) -> Self {
        if places.len() == all {
            return self;
        }
        match self {
            Self::Whole(h) => {
                let mut out = Matrix::zeros(all, all);
                for (row, &i) in h.iter_rows().zip(places) {
                    let own = row.iter().zip(places);
                    own.for_each(|(v, &j)| out[(i, j)] = *v);
                }
                Self::Whole(out)
            }
            Self::Root(g) => {
                let mut out = Matrix::zeros(all, g.cols());
                for (row, &i) in g.iter_rows().zip(places) {
                    out.row_mut(i).copy_from_slice(row);
                }
                Self::Root(out)
            }
        }
    }

    /// `H_jj`.
    pub fn diagonal(&self, j: usize) -> f64 {
        match self {
            Self::Whole(h) => h[(j, j)],
            Self::Root(g) => dot(g.row(j), g.row(j)),
        }
    }
}

/// `G d`, from the rows of `G'`.
fn combination(g: &Matrix, d: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; g.cols()];
    for (row, &d) in g.iter_rows().zip(d).filter(|(_, d)| **d != 0.0) {
        z.iter_mut().zip(row).for_each(|(z, g)| *z += d * g);
    }
    z
}

/// A correction `r r' / d` of a curvature.
#[derive(Clone, Debug)]
pub struct Correction {
    /// `r`.
    pub vector: Vec<f64>,
    /// `d`, of either sign.
    pub divisor: f64,
}

/// Most sweeps over the coordinates.
const SWEEPS: usize = 50;
/// Least curvature of a coordinate.
const FLOOR: f64 = 1e-9;

/// A local minimum of `c'd + d'(H + corrections + 1e-9 I) d / 2` on `lower <= d <= upper`, from
/// `d = 0`, and its value. The matrix may be indefinite: a coordinate with negative curvature goes
/// to the better end of its interval.
pub fn minimise(
    c: &[f64],
    curvature: &Curvature,
    corrections: &[Correction],
    lower: &[f64],
    upper: &[f64],
) -> (Vec<f64>, f64) {
    let p = c.len();
    let mut d = vec![0.0; p];
    let mut along: Vec<f64> = vec![0.0; corrections.len()];
    // The whole form keeps H d up to date, the root form keeps G d.
    let mut state = match curvature {
        Curvature::Whole(_) => vec![0.0; p],
        Curvature::Root(g) => vec![0.0; g.cols()],
    };
    let free: Vec<usize> = (0..p).filter(|&j| lower[j] < upper[j]).collect();
    let diagonal: Vec<f64> = free
        .iter()
        .map(|&j| {
            let rank_one = corrections
                .iter()
                .map(|k| k.vector[j] * k.vector[j] / k.divisor);
            FLOOR + curvature.diagonal(j) + rank_one.sum::<f64>()
        })
        .collect();
    let slope = |j: usize, d: &[f64], state: &[f64], along: &[f64]| {
        let own = match curvature {
            Curvature::Whole(_) => state[j],
            Curvature::Root(g) => dot(g.row(j), state),
        };
        let rank_one = corrections
            .iter()
            .zip(along)
            .map(|(k, a)| k.vector[j] * a / k.divisor);
        c[j] + own + rank_one.sum::<f64>() + FLOOR * d[j]
    };
    for _ in 0..SWEEPS {
        let mut largest = 0.0f64;
        for (&j, &h) in free.iter().zip(&diagonal) {
            let r = slope(j, &d, &state, &along) - h * d[j];
            let to = if h > 1e-12 {
                (-r / h).clamp(lower[j], upper[j])
            } else {
                let at = |v: f64| r * v + 0.5 * h * v * v;
                if at(lower[j]) <= at(upper[j]) {
                    lower[j]
                } else {
                    upper[j]
                }
            };
            let step = to - d[j];
            if step == 0.0 {
                continue;
            }
            d[j] = to;
            largest = largest.max(step.abs());
            let row = match curvature {
                Curvature::Whole(m) | Curvature::Root(m) => m.row(j),
            };
            state.iter_mut().zip(row).for_each(|(s, v)| *s += step * v);
            along
                .iter_mut()
                .zip(corrections)
                .for_each(|(a, k)| *a += step * k.vector[j]);
        }
        if largest < 1e-8 {
            break;
        }
    }
    // c'd + d'Hd / 2 = (c + slope)'d / 2.
    let value = free
        .iter()
        .map(|&j| 0.5 * d[j] * (c[j] + slope(j, &d, &state, &along)))
        .sum();
    (d, value)
}

/// Minimises `w'Qw / 2 - beta'w + penalty |w|_1` on `|w_j| <= 1` by coordinate descent from `w`
/// (Lapanowski & Gaynanova, eq. 14 and 16, with `penalty = lambda / 2`), until no coordinate moves
/// by more than `tolerance`.
pub fn box_lasso(q: &Curvature, beta: &[f64], penalty: f64, w: &mut [f64], tolerance: f64) {
    const MOST: usize = 10_000;
    let mut state = match q {
        Curvature::Whole(_) => q.apply(w),
        Curvature::Root(g) => combination(g, w),
    };
    for _ in 0..MOST {
        let mut largest = 0.0f64;
        for j in 0..beta.len() {
            let (row, own) = match q {
                Curvature::Whole(m) => (m.row(j), state[j]),
                Curvature::Root(g) => (g.row(j), dot(g.row(j), &state)),
            };
            let h = q.diagonal(j);
            let partial = beta[j] - own + h * w[j];
            let to = if h > 0.0 {
                let soft = partial.abs() - penalty;
                (partial.signum() * soft.max(0.0) / h).clamp(-1.0, 1.0)
            } else {
                // A feature that has no effect.
                0.0
            };
            let step = to - w[j];
            if step != 0.0 {
                w[j] = to;
                largest = largest.max(step.abs());
                state.iter_mut().zip(row).for_each(|(s, v)| *s += step * v);
            }
        }
        if largest <= tolerance {
            return;
        }
    }
}

/// Distance of `w` from the optimality conditions of [`box_lasso`]: the largest change of a `w_j`
/// by one proximal gradient step of unit length, projected to the box.
pub fn box_lasso_residual(q: &Curvature, beta: &[f64], penalty: f64, w: &[f64]) -> f64 {
    let qw = q.apply(w);
    let moved = |j: usize| {
        let at = w[j] - (qw[j] - beta[j]);
        (at.signum() * (at.abs() - penalty).max(0.0)).clamp(-1.0, 1.0)
    };
    (0..w.len()).fold(0.0, |m, j| f64::max(m, (w[j] - moved(j)).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{matmul, symmetric_product};
    use crate::testing::random;

    fn forms(m: usize, p: usize, seed: u64) -> (Curvature, Curvature) {
        let gt = random(p, m, seed);
        (
            Curvature::Whole(symmetric_product(gt.view())),
            Curvature::Root(gt),
        )
    }

    #[test]
    fn the_lasso_on_a_box_meets_its_conditions_in_both_forms() {
        for (m, p, seed) in [(30, 6, 1), (8, 20, 2), (50, 50, 3)] {
            let (whole, root) = forms(m, p, seed);
            let beta: Vec<f64> = random(p, 1, seed + 10)
                .column(0)
                .iter()
                .map(|v| 9.0 * v)
                .collect();
            let top = beta.iter().fold(0.0, |m, b| f64::max(m, b.abs()));
            for penalty in [0.0, 0.05 * top, 0.5 * top, 1.000_000_001 * top] {
                let mut ws = Vec::new();
                for q in [&whole, &root] {
                    let mut w = vec![1.0; p];
                    box_lasso(q, &beta, penalty, &mut w, 1e-13);
                    assert!(
                        box_lasso_residual(q, &beta, penalty, &w) < 1e-8,
                        "{m} {p} {penalty}"
                    );
                    assert!(w.iter().all(|v| v.abs() <= 1.0));
                    ws.push(w);
                }
                if m > p {
                    assert!(ws[0].iter().zip(&ws[1]).all(|(a, b)| (a - b).abs() < 1e-8));
                }
                // Above the largest product the solution is zero, and below it is not.
                assert_eq!(ws[0].iter().all(|v| *v == 0.0), penalty > top, "{ws:?}");
            }
        }
    }

    #[test]
    fn a_convex_quadratic_on_a_box_meets_its_conditions() {
        for (m, p) in [(40, 7), (9, 15)] {
            let (whole, root) = forms(m, p, 7);
            let c: Vec<f64> = random(p, 1, 8).column(0);
            let extra = vec![Correction {
                vector: random(p, 1, 9).column(0),
                divisor: 2.0,
            }];
            let (lower, upper) = (vec![-0.1; p], vec![0.05; p]);
            let run = |q: &Curvature| {
                let (d, value) = minimise(&c, q, &extra, &lower, &upper);
                let hd = q.apply(&d);
                let along = dot(&extra[0].vector, &d) / 2.0;
                let direct: f64 = (0..p)
                    .map(|j| d[j] * (c[j] + 0.5 * (hd[j] + extra[0].vector[j] * along)))
                    .sum();
                assert!(
                    (value - direct).abs() < 1e-7 * direct.abs().max(1.0),
                    "{value} {direct}"
                );
                for j in 0..p {
                    let slope = c[j] + hd[j] + extra[0].vector[j] * along;
                    let moved = (d[j] - slope).clamp(-0.1, 0.05);
                    // 50 sweeps on a singular matrix leave little.
                    assert!((moved - d[j]).abs() < 1e-3, "{j}: {slope} {}", d[j]);
                }
                value
            };
            assert!((run(&whole) - run(&root)).abs() < 1e-6);
        }
    }

    #[test]
    fn a_coordinate_that_curves_down_goes_to_the_better_end() {
        let h = Curvature::Whole(matmul(
            Matrix::identity(1).view(),
            Matrix::from_vec(vec![-2.0], 1, 1).view(),
        ));
        let (d, value) = minimise(&[0.1], &h, &[], &[-1.0], &[0.5]);
        assert_eq!(d, [-1.0]);
        assert!((value + 1.1).abs() < 1e-8);
    }
}
