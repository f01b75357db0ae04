//! The same loss with the function in the span of a few landmarks.

use super::loss::{LossSetting, Regression, add_products, scale_columns, weighted};
use crate::error::Result;
use crate::kernel::{WeightSlopes, cross_gram, gram};
use crate::linalg::{
    Cholesky, Matrix, center_columns_weighted, cholesky_shifted, dot, matmul, symmetric_product,
};
use crate::method::kos::JITTER;
use crate::solver::box_quadratic::Curvature;
use crate::solver::sparse_weights::{Slopes, WeightedLoss};

/// The same loss with the function in the span of a few landmarks `z`: `F(w) = min_b (1/n) |Y - C
/// K_nm b|^2 + gamma b'(K_mm + jitter I) b`. With all rows as landmarks it is eq. 13.
pub(super) struct LandmarkLoss<'a> {
    pub setting: LossSetting<'a>,
    pub z: &'a Matrix,
}

pub(super) struct LandmarkState {
    k: Matrix,
    kz: Matrix,
    means: Vec<f64>,
    /// `C K_nm`, rows scaled like the responses.
    centred: Matrix,
    factor: Cholesky,
    coef: Matrix,
    fitted: Matrix,
}

impl LandmarkLoss<'_> {
    pub fn regression(&self, state: &LandmarkState) -> Regression {
        let mut fitted = state.fitted.clone();
        self.setting.classes.unscale_rows(&mut fitted);
        let offset = (0..state.coef.cols())
            .map(|l| -dot(&state.means, &state.coef.column(l)))
            .collect();
        Regression {
            coef: state.coef.clone(),
            offset,
            fitted,
        }
    }
}

impl WeightedLoss for LandmarkLoss<'_> {
    type State = LandmarkState;

    fn n_weights(&self) -> usize {
        self.setting.x.cols()
    }

    fn empty(&self) -> f64 {
        dot(self.setting.y.as_slice(), self.setting.y.as_slice()) / self.setting.n()
    }

    fn evaluate(&self, w: &[f64]) -> Result<(f64, LandmarkState)> {
        let s = &self.setting;
        let (n, g, y) = (s.n(), s.g, &s.y);
        let (wx, wz) = (weighted(s.x, w), weighted(self.z, w));
        let k = cross_gram(&s.kernel, &wx, &wz);
        let kz = gram(&s.kernel, &wz);
        let mut centred = k.clone();
        let means = center_columns_weighted(&mut centred, s.classes.weights());
        s.classes.scale_rows(&mut centred);
        let mut normal = symmetric_product(centred.view().t());
        normal
            .as_mut_slice()
            .iter_mut()
            .zip(kz.as_slice())
            .for_each(|(v, k)| *v += g * k);
        let right = matmul(centred.view().t(), y.view());
        // Coinciding landmarks leave only the jitter; if that is not enough, it is increased.
        let scale = (0..normal.rows())
            .map(|i| normal[(i, i)])
            .fold(0.0, f64::max);
        let mut shift = g * JITTER;
        let factor = loop {
            match cholesky_shifted(normal.clone(), shift) {
                Ok(factor) => break factor,
                Err(e) if shift > 1e-6 * scale => return Err(e),
                Err(_) => shift = (10.0 * shift).max(1e-14 * scale),
            }
        };
        let mut coef = right;
        factor.solve_in_place(&mut coef);
        let fitted = matmul(centred.view(), coef.view());
        let kb = matmul(kz.view(), coef.view());
        let loss: f64 = y
            .as_slice()
            .iter()
            .zip(fitted.as_slice())
            .map(|(y, f)| (y - f) * (y - f))
            .sum();
        let norm: f64 = coef
            .as_slice()
            .iter()
            .zip(kb.as_slice())
            .map(|(b, kb)| b * (kb + JITTER * b))
            .sum();
        let state = LandmarkState {
            k,
            kz,
            means,
            centred,
            factor,
            coef,
            fitted,
        };
        Ok((loss / n + g / n * norm, state))
    }

    fn slopes(&self, w: &[f64], state: &LandmarkState) -> Result<Slopes> {
        let s = &self.setting;
        let (n, p, q) = (s.n(), w.len(), s.y.cols());
        let rows = WeightSlopes::new(&s.kernel, s.x, self.z, w, &state.k);
        let own = WeightSlopes::new(&s.kernel, self.z, self.z, w, &state.kz);
        let factors: Vec<f64> = w.iter().map(|&w| rows.factor(w)).collect();
        let mut at_zero = vec![0.0; p];
        let (mut h, mut plain) = (Matrix::zeros(p, p), Matrix::zeros(p, p));
        for l in 0..q {
            let b = state.coef.column(l);
            let mut t = rows.directions(&b);
            center_columns_weighted(&mut t, s.classes.weights());
            s.classes.scale_rows(&mut t);
            add_products(&mut at_zero, &t, |i| {
                -2.0 / n * (s.y[(i, l)] - state.fitted[(i, l)])
            });
            add_products(&mut at_zero, &own.directions(&b), |i| s.g / n * b[i]);
            scale_columns(&mut t, &factors);
            // (2 / n) (T'T - (B'T)' N^-1 (B'T)), B the centred values and N their normal matrix.
            let tt = symmetric_product(t.view().t());
            let mut bt = matmul(state.centred.view().t(), t.view());
            state.factor.solve_lower_in_place(&mut bt);
            let followed = symmetric_product(bt.view().t());
            for ((h, plain), (t, f)) in h
                .as_mut_slice()
                .iter_mut()
                .zip(plain.as_mut_slice())
                .zip(tt.as_slice().iter().zip(followed.as_slice()))
            {
                *plain += 2.0 / n * t;
                *h += 2.0 / n * (t - f);
            }
        }
        let gradient = at_zero.iter().zip(&factors).map(|(v, f)| v * f).collect();
        Ok(Slopes {
            gradient,
            at_zero,
            curvature: Curvature::Whole(h),
            linearised: s.linearised.then_some(Curvature::Whole(plain)),
        })
    }
}
