//! The likelihood of kernel logistic regression: losses, probabilities and curvature of outputs,
//! row by row (Ghosh & Wang, eq. 9 and 20).
//!
//! Two classes have one column of outputs, the log odds of the second class. More classes have one
//! column per class.

use crate::classes::Classes;

/// Classes of the rows and their shares in the total weight. Vectors over rows and columns are
/// stored column by column.
#[derive(Clone, Debug)]
pub struct Likelihood {
    pub(super) codes: Vec<usize>,
    /// `w_i / sum w`
    pub(super) shares: Vec<f64>,
    pub(super) classes: usize,
}

impl Likelihood {
    /// The likelihood of these classes. Rows count by their weight.
    pub fn new(classes: &Classes) -> Self {
        let total = classes.total();
        Self {
            codes: classes.codes().to_vec(),
            shares: (0..classes.n_rows())
                .map(|i| classes.weight(i) / total)
                .collect(),
            classes: classes.n_classes(),
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.codes.len()
    }

    /// Columns of `A`: one for two classes, otherwise one per class.
    pub fn columns(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// Mean loss and mean entropy at the outputs `f`. Writes the probabilities (for two classes,
    /// those of the second) to `p` and `y - p` to `gap`, with full relative accuracy even where a
    /// probability is almost 1.
    pub fn evaluate(&self, f: &[f64], p: &mut [f64], gap: &mut [f64]) -> (f64, f64) {
        let n = self.n_rows();
        let (mut loss, mut entropy) = (0.0, 0.0);
        if self.classes == 2 {
            for i in 0..n {
                let (f, s) = (f[i], self.shares[i]);
                // ln(1 + e^f) without overflow, and the probability from the same exponential.
                let e = (-f.abs()).exp();
                let softplus = f.max(0.0) + e.ln_1p();
                let (likely, unlikely) = (1.0 / (1.0 + e), e / (1.0 + e));
                let rest;
                (p[i], rest) = if f >= 0.0 {
                    (likely, unlikely)
                } else {
                    (unlikely, likely)
                };
                if self.codes[i] == 1 {
                    gap[i] = rest;
                    loss += s * if f >= 0.0 { e.ln_1p() } else { e.ln_1p() - f };
                } else {
                    gap[i] = -p[i];
                    loss += s * softplus;
                }
                entropy += s * (softplus - p[i] * f);
            }
            return (loss, entropy);
        }
        for i in 0..n {
            let at = |c: usize| c * n + i;
            let top = (0..self.classes).fold(f64::NEG_INFINITY, |m, c| m.max(f[at(c)]));
            let mut total = 0.0;
            for c in 0..self.classes {
                p[at(c)] = (f[at(c)] - top).exp();
                total += p[at(c)];
            }
            let mut mean = 0.0;
            for c in 0..self.classes {
                p[at(c)] /= total;
                mean += p[at(c)] * f[at(c)];
            }
            let own = self.codes[i];
            let mut others = 0.0;
            for c in (0..self.classes).filter(|&c| c != own) {
                gap[at(c)] = -p[at(c)];
                others += p[at(c)];
            }
            gap[at(own)] = others;
            let log_sum = top + total.ln();
            // -log p of a class that is almost certain, from the probability of the others.
            loss += self.shares[i]
                * if others < 0.5 {
                    -(-others).ln_1p()
                } else {
                    log_sum - f[at(own)]
                };
            entropy += self.shares[i] * (log_sum - mean);
        }
        (loss, entropy)
    }

    /// `r = 2 lambda A - s (y - p)`
    pub(super) fn residual(&self, ridge: f64, a: &[f64], gap: &[f64], r: &mut [f64]) {
        let n = self.n_rows();
        for ((a, gap), r) in a
            .chunks_exact(n)
            .zip(gap.chunks_exact(n))
            .zip(r.chunks_exact_mut(n))
        {
            for i in 0..n {
                r[i] = 2.0 * ridge * a[i] - self.shares[i] * gap[i];
            }
        }
    }

    /// `W v`: `s p (1 - p) v` for two classes, `s (p_c v_c - p_c sum_k p_k v_k)` for more.
    pub(super) fn curvature_times(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let n = self.n_rows();
        if self.classes == 2 {
            for i in 0..n {
                out[i] = self.shares[i] * p[i] * (1.0 - p[i]) * v[i];
            }
            return;
        }
        for i in 0..n {
            let mean: f64 = (0..self.classes).map(|c| p[c * n + i] * v[c * n + i]).sum();
            for c in 0..self.classes {
                out[c * n + i] = self.shares[i] * p[c * n + i] * (v[c * n + i] - mean);
            }
        }
    }

    /// Mean entropy of the probabilities `(1 - share) q + share p`, where `q` are the probabilities
    /// with dual coefficients `a`: `s (y - q) = 2 lambda a`. `None` where the result is not a
    /// probability.
    pub(super) fn mixed_entropy(
        &self,
        ridge: f64,
        a: &[f64],
        p: &[f64],
        share: f64,
    ) -> Option<f64> {
        let n = self.n_rows();
        let term = |v: f64| if v > 0.0 { -v * v.ln() } else { 0.0 };
        let mut total = 0.0;
        for i in 0..n {
            let scale = 2.0 * ridge / self.shares[i];
            let mut entropy = 0.0;
            for c in 0..self.columns() {
                let class = if self.classes == 2 { 1 } else { c };
                let y = f64::from(u8::from(self.codes[i] == class));
                let q = y - scale * a[c * n + i];
                let v = q + share * (p[c * n + i] - q);
                if !(0.0..=1.0).contains(&v) {
                    return None;
                }
                entropy += term(v);
                if self.classes == 2 {
                    entropy += term(1.0 - v);
                }
            }
            total += self.shares[i] * entropy;
        }
        Some(total)
    }

    /// Largest `|v_i| / s_i`.
    pub(super) fn relative_size(&self, v: &[f64]) -> f64 {
        v.chunks_exact(self.n_rows()).fold(0.0, |m, v| {
            v.iter()
                .zip(&self.shares)
                .fold(m, |m, (v, s)| f64::max(m, v.abs() / s))
        })
    }

    /// Share of the rows whose most probable class is not their own. `p` has the layout of
    /// [`Self::evaluate`].
    pub fn training_error(&self, p: &[f64]) -> f64 {
        let n = self.n_rows();
        (0..n)
            .filter(|&i| {
                let predicted = if self.classes == 2 {
                    usize::from(p[i] > 0.5)
                } else {
                    (1..self.classes)
                        .fold(0, |b, c| if p[c * n + i] > p[b * n + i] { c } else { b })
                };
                predicted != self.codes[i]
            })
            // Starts from +0, because an empty `sum` is -0.
            .fold(0.0, |sum, i| sum + self.shares[i])
    }
}
