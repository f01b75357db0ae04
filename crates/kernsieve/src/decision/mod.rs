//! From outputs `z` to class probabilities. The predicted class is always the one with the largest
//! probability.

mod posterior;
mod simplex;

pub use posterior::{argmax, softmax_in_place};
pub use simplex::Simplex;

use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use rayon::prelude::*;

/// A decision rule: log scores `s_c(z)`, probabilities `exp(s_c) / sum exp(s)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// `s_c = -|z - mean_c|^2 / 2 + log prior_c`: the Mahalanobis distance with priors, for outputs
    /// whose pooled within-class covariance is the identity, as it is for canonical variates
    /// (Harrison & Pasupa, eq. 12).
    Mahalanobis {
        /// Class means, classes x outputs.
        means: Matrix,
        /// One per class.
        log_priors: Vec<f64>,
    },
    /// `s_c = -|z - mean_c|^2 / (2 variance) + log prior_c`: the nearest centroid (Lapanowski &
    /// Gaynanova, section 2.4) in the pooled within-class variance of `z`, shifted by the priors.
    /// With equal priors this is the paper's rule, and the variance only affects the probabilities.
    NearestCentroid {
        /// Class means, classes x outputs.
        means: Matrix,
        /// Pooled within-class variance, above 0.
        variance: f64,
        /// One per class.
        log_priors: Vec<f64>,
    },
    /// `s_c = z_c + log prior_c`, `z_c` a log density (plug-in rule, Kim & Scott, eq. 1).
    LogDensity {
        /// One per class.
        log_priors: Vec<f64>,
    },
    /// `s_c = z_c + shift_c`, `z` logits (Ghosh & Wang, eq. 19); two classes have one output, the
    /// log odds of the second class, and `s = (shift_0, z + shift_1)`. Shifts are 0 unless the
    /// priors differ from the proportions in training.
    Logits {
        /// `log(prior / proportion in training)`, one per class.
        shifts: Vec<f64>,
    },
    /// `s_c = log p_c`, `p_c = 1 / (1 + exp(-(z_2c - z_2c+1 + log_odds_c)))`: outputs come in
    /// pairs: the log density of a class, and that of all other classes.
    OneAgainstRest {
        /// `log(prior / (1 - prior))`, one per class.
        log_odds: Vec<f64>,
    },
    /// `s_c = log p_c`, where `p` are the outputs of a regression on class indicators, mapped to
    /// the simplex (Hidaka & Kurita, section 4.1).
    Simplex {
        /// How outputs are mapped to the simplex.
        kind: Simplex,
        /// One per class, for rows whose outputs carry no information.
        log_priors: Vec<f64>,
    },
}

impl Decision {
    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        match self {
            Self::Mahalanobis { means, .. } | Self::NearestCentroid { means, .. } => means.rows(),
            Self::LogDensity { log_priors } | Self::Simplex { log_priors, .. } => log_priors.len(),
            Self::Logits { shifts } => shifts.len(),
            Self::OneAgainstRest { log_odds } => log_odds.len(),
        }
    }

    /// Number of outputs that the rule reads.
    pub fn n_outputs(&self) -> usize {
        match self {
            Self::Mahalanobis { means, .. } | Self::NearestCentroid { means, .. } => means.cols(),
            Self::LogDensity { log_priors } | Self::Simplex { log_priors, .. } => log_priors.len(),
            Self::Logits { shifts } if shifts.len() == 2 => 1,
            Self::Logits { shifts } => shifts.len(),
            Self::OneAgainstRest { log_odds } => 2 * log_odds.len(),
        }
    }

    /// Checks that the parts fit together.
    pub fn check(&self) -> Result<()> {
        let ok = match self {
            Self::Mahalanobis { means, log_priors } => {
                means.rows() == log_priors.len()
                    && means.as_slice().iter().all(|v| v.is_finite())
                    && valid(log_priors)
            }
            Self::NearestCentroid {
                means,
                variance,
                log_priors,
            } => {
                means.rows() == log_priors.len()
                    && means.as_slice().iter().all(|v| v.is_finite())
                    && variance.is_finite()
                    && *variance > 0.0
                    && valid(log_priors)
            }
            Self::LogDensity { log_priors } | Self::Simplex { log_priors, .. } => valid(log_priors),
            Self::OneAgainstRest { log_odds } => {
                log_odds.len() >= 2 && log_odds.iter().all(|v| v.is_finite())
            }
            Self::Logits { shifts } => shifts.len() >= 2 && shifts.iter().all(|v| v.is_finite()),
        };
        if ok {
            Ok(())
        } else {
            Err(Error::ModelFile("the decision rule is damaged".into()))
        }
    }

    /// Log scores of every row of outputs, rows x classes.
    pub fn scores(&self, z: &Matrix) -> Matrix {
        let (c, q) = (self.n_classes(), self.n_outputs());
        debug_assert_eq!(z.cols(), q);
        let mut out = Matrix::zeros(z.rows(), c);
        out.as_mut_slice()
            .par_chunks_mut(c * 1024)
            .zip(z.as_slice().par_chunks(q * 1024))
            .for_each(|(p, z)| {
                p.chunks_exact_mut(c)
                    .zip(z.chunks_exact(q))
                    .for_each(|(p, z)| self.log_scores(z, p));
            });
        out
    }

    /// Class probabilities of every row of outputs. They are finite, at least 0 and sum to 1,
    /// whatever the outputs are.
    pub fn posterior(&self, z: &Matrix) -> Matrix {
        let mut p = self.scores(z);
        softmax_rows(&mut p);
        p
    }

    fn log_scores(&self, z: &[f64], out: &mut [f64]) {
        let half_distance = |mean: &[f64]| {
            0.5 * z
                .iter()
                .zip(mean)
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>()
        };
        match self {
            Self::Mahalanobis { means, log_priors } => {
                for (c, s) in out.iter_mut().enumerate() {
                    *s = log_priors[c] - half_distance(means.row(c));
                }
                far_scores(z, means, 1.0, log_priors, out);
            }
            Self::NearestCentroid {
                means,
                variance,
                log_priors,
            } => {
                for (c, s) in out.iter_mut().enumerate() {
                    *s = log_priors[c] - half_distance(means.row(c)) / variance;
                }
                far_scores(z, means, *variance, log_priors, out);
            }
            Self::LogDensity { log_priors } => {
                for (s, (z, prior)) in out.iter_mut().zip(z.iter().zip(log_priors)) {
                    *s = z + prior;
                }
            }
            Self::Simplex { kind, log_priors } => kind.log_probabilities(z, log_priors, out),
            Self::OneAgainstRest { log_odds } => {
                for (c, s) in out.iter_mut().enumerate() {
                    let odds = z[2 * c] - z[2 * c + 1] + log_odds[c];
                    *s = odds.min(0.0) - (-odds.abs()).exp().ln_1p();
                }
            }
            Self::Logits { shifts } => match (z, &mut *out) {
                ([odds], [first, second]) => (*first, *second) = (shifts[0], odds + shifts[1]),
                _ => {
                    for (s, (z, shift)) in out.iter_mut().zip(z.iter().zip(shifts)) {
                        *s = z + shift;
                    }
                }
            },
        }
    }
}

/// Log scores of outputs so far away that no distance to a mean is finite. The square of the outputs
/// is the same for all classes; what remains is linear, and is compared before it is multiplied.
fn far_scores(z: &[f64], means: &Matrix, variance: f64, log_priors: &[f64], out: &mut [f64]) {
    let size = z.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let possible = || out.iter().zip(log_priors).filter(|(_, p)| p.is_finite());
    let overflows = possible().all(|(s, _)| !s.is_finite());
    if !(overflows && size.is_finite()) {
        return;
    }
    let along = |c: usize| {
        let pairs = z.iter().zip(means.row(c));
        pairs.map(|(z, m)| z / size * m).sum::<f64>()
    };
    let classes = 0..out.len();
    let known = classes.filter(|&c| log_priors[c].is_finite());
    let most = known.map(along).fold(f64::NEG_INFINITY, f64::max);
    for (c, s) in out.iter_mut().enumerate() {
        let own: f64 = means.row(c).iter().map(|m| m * m).sum();
        // Not 0 times infinity: a class that leads is not behind by anything.
        let behind = along(c) - most;
        let behind = if behind == 0.0 { 0.0 } else { size * behind };
        *s = (behind - 0.5 * own) / variance + log_priors[c];
    }
}

/// Turns log scores into probabilities, row by row and in parallel.
pub fn softmax_rows(scores: &mut Matrix) {
    let c = scores.cols();
    let rows = scores.as_mut_slice().par_chunks_mut(c * 1024);
    rows.for_each(|rows| rows.chunks_exact_mut(c).for_each(softmax_in_place));
}

fn valid(log_priors: &[f64]) -> bool {
    // A prior of zero (log = -inf) is allowed: its class is never predicted.
    !log_priors.is_empty()
        && log_priors.iter().all(|v| !v.is_nan() && *v <= 1e-9)
        && log_priors.iter().any(|v| v.is_finite())
}

/// Learns the nearest-centroid rule from the outputs of the training rows.
pub fn nearest_centroid(z: &Matrix, classes: &Classes, log_priors: Vec<f64>) -> Decision {
    let means = classes.means(z);
    let within = classes.squared_distance(z, &means.select_rows(classes.codes()));
    let count = classes.total() * z.cols().max(1) as f64;
    nearest_of_means(means, within / count, log_priors)
}

/// The same from the means of the classes and the variance of an output within them.
pub fn nearest_of_means(means: Matrix, variance: f64, log_priors: Vec<f64>) -> Decision {
    // A perfect fit leaves no variance. A floor far below any distance between means keeps the
    // scores finite.
    let spread = means.as_slice().iter().fold(0.0, |m, v| f64::max(m, v * v));
    let variance = variance.max(1e-12 * spread).max(1e-300);
    Decision::NearestCentroid {
        means,
        variance,
        log_priors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_so_far_away_that_distances_overflow_go_to_the_class_on_their_side() {
        let means = Matrix::from_vec(vec![-1.0, 0.5, 2.0, 0.5, 2.0, 1.5], 3, 2);
        let log_priors = vec![0.5f64.ln(), 0.25f64.ln(), 0.25f64.ln()];
        let rules = [
            Decision::Mahalanobis {
                means: means.clone(),
                log_priors: log_priors.clone(),
            },
            Decision::NearestCentroid {
                means,
                variance: 0.3,
                log_priors,
            },
        ];
        let far = Matrix::from_vec(vec![-1e300, 0.0, 1e160, 1e170, 1e308, -1e308], 3, 2);
        for rule in rules {
            let p = rule.posterior(&far);
            for (i, class) in [(0, 0), (1, 2), (2, 1)] {
                assert_eq!(p[(i, class)], 1.0, "{rule:?} {i}: {:?}", p.row(i));
            }
            let away = rule.posterior(&Matrix::from_vec(vec![1e200, 1.0], 1, 2));
            assert!(away.as_slice().iter().all(|v| v.is_finite()));
            assert!((away.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn mahalanobis_prefers_the_larger_prior_at_equal_distance() {
        let d = Decision::Mahalanobis {
            means: Matrix::from_vec(vec![-1.0, 1.0], 2, 1),
            log_priors: vec![0.2f64.ln(), 0.8f64.ln()],
        };
        d.check().expect("valid");
        let p = d.posterior(&Matrix::from_vec(vec![0.0, -0.7], 2, 1));
        assert!((p[(0, 0)] - 0.2).abs() < 1e-15);
        // log odds = 2 z + log 4
        let odds = (2.0 * -0.7 + 4f64.ln()).exp();
        assert!((p[(1, 1)] / p[(1, 0)] - odds).abs() < 1e-13);
    }

    #[test]
    fn with_equal_priors_the_nearest_centroid_wins() {
        let z = Matrix::from_vec(vec![0.0, 0.1, 1.0, 1.3, 5.0], 5, 1);
        let d = nearest_centroid(
            &z,
            &Classes::new(&[0, 0, 1, 1, 1], None, 2),
            vec![0.5f64.ln(); 2],
        );
        let Decision::NearestCentroid { ref means, .. } = d else {
            panic!("wrong rule")
        };
        let test = Matrix::from_fn(200, 1, |i, _| i as f64 / 20.0 - 3.0);
        let p = d.posterior(&test);
        for i in 0..200 {
            let nearer =
                (test[(i, 0)] - means[(0, 0)]).abs() <= (test[(i, 0)] - means[(1, 0)]).abs();
            assert_eq!(argmax(p.row(i)) == 0, nearer);
            assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn no_output_gives_anything_but_probabilities() {
        let d = Decision::LogDensity {
            log_priors: vec![0.25f64.ln(), 0.75f64.ln()],
        };
        let inf = f64::INFINITY;
        for z in [
            [-inf, -inf],
            [inf, inf],
            [f64::NAN, 0.0],
            [f64::NAN, f64::NAN],
            [inf, 0.0],
            [1e308, -1e308],
        ] {
            let p = d.posterior(&Matrix::from_vec(z.to_vec(), 1, 2));
            assert!(
                p.as_slice().iter().all(|v| v.is_finite() && *v >= 0.0),
                "{z:?} {p:?}"
            );
            assert!((p.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }
}
