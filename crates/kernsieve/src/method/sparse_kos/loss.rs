//! The loss of kernel optimal scoring as a function of the feature weights, with the coefficients
//! eliminated, on all rows.

use super::bound;
use crate::classes::Classes;
use crate::error::Result;
use crate::kernel::{GramMeans, Kernel, WeightSlopes, center_gram_weighted, gram};
use crate::linalg::{
    Cholesky, Matrix, center_columns_weighted, cholesky_shifted, dot, matmul, matmul_sequential,
    symmetric_times,
};
use crate::method::kos::JITTER;
use crate::solver::box_quadratic::Curvature;
use crate::solver::ridge::{Shifted, center_coefficients, scale_gram};
use crate::solver::sparse_weights::{Slopes, WeightedLoss};
use std::sync::OnceLock;

/// What both forms of the loss share.
pub(super) struct LossSetting<'a> {
    pub kernel: Kernel,
    pub x: &'a Matrix,
    pub classes: Classes,
    /// Scored responses, rows scaled by the roots of their weights: `n x (c - 1)`.
    pub y: Matrix,
    /// `n gamma`.
    pub g: f64,
    /// Whether eq. 15 is wanted as well.
    pub linearised: bool,
}

impl LossSetting<'_> {
    pub(super) fn n(&self) -> f64 {
        self.classes.total()
    }

    /// `H` from its root if there are more weights than rows of it.
    fn curvature(root: &Matrix) -> Curvature {
        if root.cols() > root.rows() {
            Curvature::Root(root.transpose())
        } else {
            Curvature::Whole(matmul_sequential(root.view().t(), root.view()))
        }
    }
}

/// Columns with a nonzero weight, weighted; one column of zeros if there are none.
pub(super) fn weighted(m: &Matrix, w: &[f64]) -> Matrix {
    let used: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
    if used.is_empty() {
        return Matrix::zeros(m.rows(), 1);
    }
    Matrix::from_fn(m.rows(), used.len(), |i, k| m[(i, used[k])] * w[used[k]])
}

/// Multiplies column `j` by `f(j)`.
pub(super) fn scale_columns(m: &mut Matrix, f: &[f64]) {
    let p = m.cols().max(1);
    for row in m.as_mut_slice().chunks_exact_mut(p) {
        row.iter_mut().zip(f).for_each(|(v, f)| *v *= f);
    }
}

/// `m' u` for one column `u`, added to `to`.
pub(super) fn add_products(to: &mut [f64], m: &Matrix, u: impl Fn(usize) -> f64) {
    for (i, row) in m.iter_rows().enumerate() {
        let u = u(i);
        to.iter_mut().zip(row).for_each(|(t, v)| *t += u * v);
    }
}

/// The regression of a state on new rows, `k(w x, w support) coef + offset`, and its fitted values
/// on its own rows.
pub(super) struct Regression {
    /// `s x (c - 1)`.
    pub coef: Matrix,
    pub offset: Vec<f64>,
    /// Fitted values of the training rows.
    pub fitted: Matrix,
}

/// Eq. 13 on all rows: `F(w) = min_alpha (1/n) |Y - M alpha|^2 + gamma alpha'(M + jitter I) alpha`,
/// `M = C K_w C`.
pub(super) struct ExactLoss<'a> {
    pub setting: LossSetting<'a>,
    pub definite: bool,
}

pub(super) struct ExactState {
    k: Matrix,
    means: GramMeans,
    alpha: Matrix,
    /// `C alpha` in units of the rows.
    coef: Matrix,
    /// `M alpha`, scaled like the responses.
    fitted: Matrix,
    /// Factor of `M + a I`; `None` for an indefinite kernel.
    factor: Option<Cholesky>,
    shift: f64,
    /// `(M + a I)^-1 Y`, once it was asked for.
    dual: OnceLock<Matrix>,
}

impl ExactState {
    /// `(M + a I)^-1 Y`, if there is a factor.
    fn dual(&self, y: &Matrix) -> Option<&Matrix> {
        let factor = self.factor.as_ref()?;
        Some(self.dual.get_or_init(|| {
            let mut u = y.clone();
            factor.solve_in_place(&mut u);
            u
        }))
    }
}

impl ExactLoss<'_> {
    /// `a` and `b` with `l^2 + g l + g e = (l + a)(l + b)`, as in `optimal_scoring_coefficients`.
    fn roots(&self) -> Option<(f64, f64)> {
        let g = self.setting.g;
        (self.definite && g > 100.0 * JITTER).then(|| {
            let a = 0.5 * (g + (g * g - 4.0 * g * JITTER).sqrt());
            (a, g * JITTER / a)
        })
    }

    /// Whether the loss with these kernel values exceeds `bound` for certain, as a state nearby
    /// tells without a factorisation.
    fn exceeds(&self, k: &Matrix, bound: f64, near: &ExactState) -> bool {
        let s = &self.setting;
        let (Some((a, _)), Some(factor), Some(dual)) =
            (self.roots(), &near.factor, near.dual(&s.y))
        else {
            return false;
        };
        let rows = k.rows();
        let times = |v: &[f64]| {
            let mut t = Matrix::from_vec(v.to_vec(), rows, 1);
            s.classes.scale_rows(&mut t);
            center_coefficients(&mut t, &s.classes);
            let mut out = vec![0.0; rows];
            symmetric_times(k.as_slice(), rows, t.as_slice(), &mut out);
            let mut out = Matrix::from_vec(out, rows, 1);
            center_columns_weighted(&mut out, s.classes.weights());
            s.classes.scale_rows(&mut out);
            let mut out = out.into_vec();
            out.iter_mut().zip(v).for_each(|(o, v)| *o += a * v);
            out
        };
        bound::exceeds(bound * s.n() / a, &s.y, dual, factor, times)
    }

    fn gram(&self, w: &[f64]) -> Matrix {
        gram(&self.setting.kernel, &weighted(self.setting.x, w))
    }

    /// The value and state, or `None` once it is clear that the value exceeds `bound`.
    fn evaluate_gram(&self, k: Matrix, bound: f64) -> Result<Option<(f64, ExactState)>> {
        let s = &self.setting;
        let (n, g, y) = (s.n(), s.g, &s.y);
        let mut m = k.clone();
        let means = center_gram_weighted(&mut m, s.classes.weights());
        scale_gram(&mut m, &s.classes);
        let roots = self.roots();
        let shift = roots.map_or(g, |(a, _)| a);
        let factor = if self.definite {
            cholesky_shifted(m.clone(), shift).ok()
        } else {
            None
        };
        let mut solved = None;
        let mut m = Some(m);
        if let (Some((a, b)), Some(first)) = (roots, &factor) {
            if bound.is_finite() {
                // F is at least (a/n) Y'(M + a I)^-1 Y: without jitter it is g/n Y'(M + g I)^-1 Y,
                // and (l + a) / (l + g) >= a / g.
                let mut u = y.clone();
                first.solve_lower_in_place(&mut u);
                if a / n * dot(u.as_slice(), u.as_slice()) > bound {
                    return Ok(None);
                }
            }
            // (M + a)^-1 (Y - b (M + b)^-1 Y), without the cancellation of a difference of two
            // solutions.
            if let Some(Ok(second)) = m.take().map(|m| cholesky_shifted(m, b)) {
                let mut inner = y.clone();
                second.solve_in_place(&mut inner);
                let right =
                    Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - b * inner[(i, j)]);
                let mut alpha = right.clone();
                first.solve_in_place(&mut alpha);
                // By the system, M alpha = right - a alpha.
                let fitted =
                    Matrix::from_fn(y.rows(), y.cols(), |i, j| right[(i, j)] - a * alpha[(i, j)]);
                solved = alpha
                    .as_slice()
                    .iter()
                    .all(|v| v.is_finite())
                    .then_some((alpha, fitted));
            }
        }
        let (alpha, fitted) = match solved {
            Some(solved) => solved,
            None => {
                let m = m.unwrap_or_else(|| {
                    // The matrix was consumed by the factorisation that failed.
                    let mut m = k.clone();
                    center_gram_weighted(&mut m, s.classes.weights());
                    scale_gram(&mut m, &s.classes);
                    m
                });
                let shifted = if self.definite {
                    Shifted::new(m)
                } else {
                    Shifted::indefinite(m)
                };
                let alpha = shifted.filter(|l| l / (l * l + g * (l + JITTER)), y)?;
                let fitted = matmul(shifted.matrix().view(), alpha.view());
                (alpha, fitted)
            }
        };
        let mut value = 0.0;
        for ((y, f), a) in y
            .as_slice()
            .iter()
            .zip(fitted.as_slice())
            .zip(alpha.as_slice())
        {
            value += (y - f) * (y - f) / n + g / n * a * (f + JITTER * a);
        }
        let mut coef = alpha.clone();
        s.classes.scale_rows(&mut coef);
        center_coefficients(&mut coef, &s.classes);
        let state = ExactState {
            k,
            means,
            alpha,
            coef,
            fitted,
            factor,
            shift,
            dual: OnceLock::new(),
        };
        Ok(Some((value, state)))
    }

    pub fn regression(&self, state: &ExactState) -> Regression {
        let mut fitted = state.fitted.clone();
        self.setting.classes.unscale_rows(&mut fitted);
        let offset = (0..state.coef.cols())
            .map(|l| -dot(&state.means.columns, &state.coef.column(l)))
            .collect();
        Regression {
            coef: state.coef.clone(),
            offset,
            fitted,
        }
    }
}

impl WeightedLoss for ExactLoss<'_> {
    type State = ExactState;

    fn n_weights(&self) -> usize {
        self.setting.x.cols()
    }

    fn empty(&self) -> f64 {
        dot(self.setting.y.as_slice(), self.setting.y.as_slice()) / self.setting.n()
    }

    fn evaluate(&self, w: &[f64]) -> Result<(f64, ExactState)> {
        // No bound: never `None`.
        self.evaluate_gram(self.gram(w), f64::INFINITY)?
            .ok_or(crate::error::Error::NoConvergence(
                "the weighted regression",
            ))
    }

    fn evaluate_below(&self, w: &[f64], bound: f64) -> Result<Option<(f64, ExactState)>> {
        self.evaluate_gram(self.gram(w), bound)
    }

    fn evaluate_near(
        &self,
        w: &[f64],
        bound: f64,
        near: &ExactState,
    ) -> Result<Option<(f64, ExactState)>> {
        let k = self.gram(w);
        match self.exceeds(&k, bound, near) {
            true => Ok(None),
            false => self.evaluate_gram(k, bound),
        }
    }

    fn returning(&self, w: &[f64], state: &ExactState) -> Result<Option<Vec<f64>>> {
        Ok(self.jitter_free(w, state))
    }

    fn slopes(&self, w: &[f64], state: &ExactState) -> Result<Slopes> {
        let s = &self.setting;
        // A weight of zero has no slope and no curvature; `returning` says what it would gain.
        let used: Vec<usize> = match state.factor {
            Some(_) => (0..w.len()).filter(|&j| w[j] != 0.0).collect(),
            None => (0..w.len()).collect(),
        };
        let x = s.x.select_columns(&used);
        let own: Vec<f64> = used.iter().map(|&j| w[j]).collect();
        let (n, p, q) = (s.n(), used.len(), s.y.cols());
        let slopes = WeightSlopes::new(&s.kernel, &x, &x, &own, &state.k);
        let factors: Vec<f64> = own.iter().map(|&w| slopes.factor(w)).collect();
        let mut at_zero = vec![0.0; p];
        let rows = s.y.rows();
        let mut root = Matrix::zeros(0, p);
        let mut plain = Matrix::zeros(0, p);
        for l in 0..q {
            let mut t = slopes.directions(&state.coef.column(l));
            center_columns_weighted(&mut t, s.classes.weights());
            s.classes.scale_rows(&mut t);
            add_products(&mut at_zero, &t, |i| {
                (s.g * state.alpha[(i, l)] - 2.0 * (s.y[(i, l)] - state.fitted[(i, l)])) / n
            });
            scale_columns(&mut t, &factors);
            if s.linearised {
                plain = stacked(plain, &t);
            }
            // H = (2 g / n) T'(M + a I)^-1 T: the part of (2 / n) T'T that remains once the
            // coefficients adapt.
            if let Some(factor) = &state.factor {
                factor.solve_lower_in_place(&mut t);
                let scale = (2.0 * state.shift / n).sqrt();
                t.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
            } else {
                let scale = (2.0 / n).sqrt();
                t.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
            }
            root = stacked(root, &t);
        }
        debug_assert_eq!(root.rows(), rows * q);
        let gradient: Vec<f64> = at_zero.iter().zip(&factors).map(|(v, f)| v * f).collect();
        let linearised = s.linearised.then(|| {
            let scale = (2.0 / n).sqrt();
            plain.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
            LossSetting::curvature(&plain).spread(&used, w.len())
        });
        let spread = |v: &[f64]| {
            let mut all = vec![0.0; w.len()];
            used.iter().zip(v).for_each(|(&j, v)| all[j] = *v);
            all
        };
        Ok(Slopes {
            gradient: spread(&gradient),
            at_zero: spread(&at_zero),
            curvature: LossSetting::curvature(&root).spread(&used, w.len()),
            linearised,
        })
    }
}

impl ExactLoss<'_> {
    /// `dF / dv` without the jitter: `-(a/n) sum_l u_l'(C dK/dv_j C) u_l`, `u = (M + a I)^-1 Y`. In
    /// directions outside the range of `M` the jitter makes the loss flat for weights below 1e-5,
    /// so the slope with jitter at zero says nothing. Of weights at zero.
    fn jitter_free(&self, w: &[f64], state: &ExactState) -> Option<Vec<f64>> {
        let s = &self.setting;
        let u = state.dual(&s.y)?;
        let mut coef = u.clone();
        s.classes.scale_rows(&mut coef);
        center_coefficients(&mut coef, &s.classes);
        // Slopes of a power need the inner products of all features; others only their own.
        let all = matches!(s.kernel, Kernel::Polynomial { .. });
        let places: Vec<usize> = (0..w.len()).filter(|&j| all || w[j] == 0.0).collect();
        let x = s.x.select_columns(&places);
        let weights: Vec<f64> = places.iter().map(|&j| w[j]).collect();
        let slopes = WeightSlopes::new(&s.kernel, &x, &x, &weights, &state.k);
        let mut own = vec![0.0; places.len()];
        for l in 0..u.cols() {
            let mut t = slopes.directions(&coef.column(l));
            center_columns_weighted(&mut t, s.classes.weights());
            s.classes.scale_rows(&mut t);
            add_products(&mut own, &t, |i| -state.shift / s.n() * u[(i, l)]);
        }
        let mut out = vec![0.0; w.len()];
        places.iter().zip(own).for_each(|(&j, v)| out[j] = v);
        Some(out)
    }
}

/// The rows of `b` below those of `a`.
fn stacked(a: Matrix, b: &Matrix) -> Matrix {
    if a.rows() == 0 {
        return b.clone();
    }
    let (rows, cols) = (a.rows() + b.rows(), b.cols());
    let mut values = a.into_vec();
    values.extend_from_slice(b.as_slice());
    Matrix::from_vec(values, rows, cols)
}
