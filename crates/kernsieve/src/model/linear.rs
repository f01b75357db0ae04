//! Models whose log scores are linear in the features, and their coefficients.

use super::Model;
use crate::decision::Decision;
use crate::linalg::{Matrix, matmul};

/// Log scores that are linear in the features, up to a term that is the same for all classes:
/// ```text
/// s_c(x) = offset_c + sum_j coef_cj x_j
/// ```
/// Two classes have one row, the log odds of the second. The probabilities of the model are the
/// softmax of these scores, so the temperature and the costs are in them.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearScores {
    /// Coefficients, classes x features, zero for features that are dropped.
    pub coef: Matrix,
    /// One per row.
    pub offset: Vec<f64>,
}

impl Model {
    /// The log scores as linear functions of the features in the units of the data; `None` if they
    /// are not linear, or read normal scores of the features.
    pub fn linear_scores(&self) -> Option<LinearScores> {
        let mut scores = self.standardized_scores()?;
        if self.scaling.scores.is_some() {
            return None;
        }
        let scaling = &self.scaling;
        for (c, offset) in scores.offset.iter_mut().enumerate() {
            let row = scores.coef.row_mut(c);
            for (j, v) in row.iter_mut().enumerate() {
                *v = if scaling.active[j] {
                    *v / scaling.scale[j]
                } else {
                    0.0
                };
                *offset -= *v * scaling.mean[j];
            }
        }
        Some(scores)
    }

    /// The same in the units in which the model reads the features: standardised ones or normal
    /// scores, as its scaling makes them.
    pub fn standardized_scores(&self) -> Option<LinearScores> {
        if self.discriminant.is_some() {
            return None;
        }
        let (slopes, offset) = self.expansion.linear_outputs()?;
        self.scores_of(&slopes, offset)
    }

    /// The part of the log scores that is linear in the features as the model reads them, where a
    /// kernel stands beside it.
    pub fn linear_part(&self) -> Option<LinearScores> {
        let (slopes, offset) = self.expansion.linear_part()?;
        // With the squared distance of other rules, kernel and linear part do not come apart.
        matches!(self.decision, Decision::Logits { .. }).then_some(())?;
        self.scores_of(&slopes, offset)
    }

    /// Linear scores from outputs `z = offset + slopes' x`.
    fn scores_of(&self, slopes: &Matrix, mut offset: Vec<f64>) -> Option<LinearScores> {
        let classes = self.classes.len();
        // Class means for rules of the nearest mean: -|z - m|^2 / (2 v) is m z / v - |m|^2 / (2 v)
        // and a term without the class.
        let (means, variance, constants) = match &self.decision {
            Decision::Mahalanobis { means, log_priors } => (means, 1.0, log_priors),
            Decision::NearestCentroid {
                means,
                variance,
                log_priors,
            } => (means, *variance, log_priors),
            Decision::Logits { shifts } if classes == 2 => {
                offset[0] += shifts[1] - shifts[0];
                return Some(self.finished(slopes.transpose(), offset));
            }
            Decision::Logits { shifts } => {
                offset.iter_mut().zip(shifts).for_each(|(o, s)| *o += s);
                return Some(self.finished(slopes.transpose(), offset));
            }
            _ => return None,
        };
        if constants.iter().any(|c| !c.is_finite()) {
            return None; // a class that is never predicted has no score
        }
        let centre = prior_mean(means, constants);
        let mut centred = means.clone();
        let mut constant = constants.clone();
        for (c, constant) in constant.iter_mut().enumerate() {
            for (k, m) in centred.row_mut(c).iter_mut().enumerate() {
                *constant += (-0.5 * *m * *m + (*m - centre[k]) * offset[k]) / variance;
                *m = (*m - centre[k]) / variance;
            }
        }
        let coef = matmul(centred.view(), slopes.transpose().view());
        if classes > 2 {
            return Some(self.finished(coef, constant));
        }
        let odds = Matrix::from_fn(1, coef.cols(), |_, j| coef[(1, j)] - coef[(0, j)]);
        Some(self.finished(odds, vec![constant[1] - constant[0]]))
    }

    /// With the calibration and the costs of the model.
    fn finished(&self, mut coef: Matrix, mut offset: Vec<f64>) -> LinearScores {
        let t = self.temperature;
        coef.as_mut_slice().iter_mut().for_each(|v| *v /= t);
        offset.iter_mut().for_each(|v| *v /= t);
        let costs: Vec<f64> = self.costs.iter().map(|c| c.ln()).collect();
        for added in [&self.shifts, &costs] {
            if let [first, second] = added[..] {
                offset[0] += second - first;
            } else {
                offset.iter_mut().zip(added).for_each(|(o, v)| *o += v);
            }
        }
        LinearScores { coef, offset }
    }
}

/// The mean of class means by the priors, as logarithms.
fn prior_mean(means: &Matrix, log_priors: &[f64]) -> Vec<f64> {
    let total: f64 = log_priors.iter().map(|l| l.exp()).sum();
    let mut centre = vec![0.0; means.cols()];
    for (row, l) in means.iter_rows().zip(log_priors) {
        let share = l.exp() / total;
        centre
            .iter_mut()
            .zip(row)
            .for_each(|(m, v)| *m += share * v);
    }
    centre
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, Rng, simulate};
    use crate::params::{KernelChoice, Protocol};
    use crate::tuning::{Control, Train};
    use crate::{Dataset, Klr, Kos, Lda};

    /// Three classes of 40 rows around three points of the plane, and a feature of noise.
    fn three() -> Dataset {
        let mut rng = Rng::new(3);
        let centres = [[0.0, 0.0], [2.0, 0.5], [-0.5, 1.5]];
        let x = Matrix::from_fn(120, 3, |i, j| {
            let centre = centres[i % 3].get(j).copied().unwrap_or(7.0);
            5.0 * (centre + rng.normal())
        });
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels = Labels::from_codes((0..120).map(|i| i % 3).collect(), names.clone());
        Dataset::new(x, labels.expect("codes fit"), names).expect("valid")
    }

    fn check(model: &Model, data: &Dataset) {
        let x = data.x();
        let scores = model.linear_scores().expect("linear");
        let p = model.predict(x).posterior;
        let rows = scores.offset.len();
        assert_eq!(rows, if p.cols() == 2 { 1 } else { p.cols() });
        for (i, row) in x.iter_rows().enumerate() {
            let s = |c: usize| -> f64 {
                let terms = scores.coef.row(c).iter().zip(row).map(|(w, v)| w * v);
                scores.offset[c] + terms.sum::<f64>()
            };
            for c in 1..p.cols() {
                let odds = if rows == 1 { s(0) } else { s(c) - s(0) };
                let own = (p[(i, c)] / p[(i, 0)]).ln();
                if own.abs() < 20.0 {
                    assert!(
                        (odds - own).abs() < 1e-8 * (1.0 + own.abs()),
                        "{odds} {own}"
                    );
                }
            }
        }
    }

    #[test]
    fn linear_scores_give_the_odds_of_the_predictions() {
        let control = Control::new();
        for data in [simulate::mixture(1, 2, 60, 2), three()] {
            let n = data.labels().n_classes();
            let costs: Vec<f64> = (0..n).map(|c| 1.0 + c as f64).collect();
            let protocol = Protocol {
                costs,
                ..Protocol::default()
            };
            let klr = Klr::new().kernel(KernelChoice::Linear);
            let kos = Kos::new().kernel(KernelChoice::Linear);
            let models = [
                Lda::new().train(&data, &protocol, &control),
                klr.train(&data, &protocol, &control),
                kos.train(&data, &protocol, &control),
            ];
            for trained in models {
                check(&trained.expect("trains").model, &data);
            }
            let curved = Klr::new()
                .train(&data, &protocol, &control)
                .expect("trains");
            assert!(curved.model.linear_scores().is_none());
        }
    }

    #[test]
    fn a_linear_part_without_support_rows_is_a_linear_model() {
        use crate::expansion::{KernelExpansion, Output};
        use crate::kernel::Kernel;
        let kernel = Kernel::Gaussian { bandwidth: 1.0 };
        let output = Output::Linear {
            coef: Matrix::zeros(0, 1),
            offset: vec![0.5],
        };
        let weights = vec![2.0, 0.0, 3.0];
        let rows = Matrix::zeros(0, 3);
        let expansion = KernelExpansion::new(kernel, weights, &rows, output);
        let expansion = expansion.with_linear(Matrix::from_vec(vec![1.0, -1.0], 2, 1));
        let (slopes, offset) = expansion.linear_outputs().expect("linear");
        assert_eq!(
            (slopes.as_slice(), &offset[..]),
            (&[2.0, 0.0, -3.0][..], &[0.5][..])
        );
        assert_eq!(expansion.linear_part(), Some((slopes, offset)));
    }
}
