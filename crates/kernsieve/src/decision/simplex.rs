//! From regression outputs to the simplex: entries of at least 0 that sum to 1.

use serde::{Deserialize, Serialize};

/// How outputs of a regression become probabilities (Hidaka & Kurita, section 4.1, leave this
/// open).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Simplex {
    /// Negative outputs become 0, then all are divided by their sum. Where none is positive, the
    /// priors are used.
    #[default]
    Clip,
    /// The nearest point of the simplex.
    Project,
    /// `exp(z_k) / sum exp(z)`.
    Softmax,
    /// No mapping: the discriminant kernel takes the outputs as they are, although they are not
    /// probabilities.
    None,
}

impl Simplex {
    /// Logarithms of the probabilities; `-inf` for probabilities of 0.
    pub fn log_probabilities(self, z: &[f64], log_priors: &[f64], out: &mut [f64]) {
        let log = |v: f64| if v > 0.0 { v.ln() } else { f64::NEG_INFINITY };
        match self {
            Self::Softmax | Self::None => out.copy_from_slice(z),
            Self::Clip => {
                let total: f64 = z.iter().map(|v| v.max(0.0)).sum();
                if total == 0.0 {
                    out.copy_from_slice(log_priors);
                } else if total.is_finite() {
                    out.iter_mut().zip(z).for_each(|(o, v)| *o = log(v / total));
                } else {
                    out.copy_from_slice(z); // overflow: the largest takes all
                }
            }
            Self::Project => {
                let level = water_level(z);
                if level.is_finite() {
                    out.iter_mut().zip(z).for_each(|(o, v)| *o = log(v - level));
                } else {
                    out.copy_from_slice(z);
                }
            }
        }
    }
}

/// The `t` with `sum max(z - t, 0) = 1`: the projection of `z` on the simplex is `max(z - t, 0)`.
fn water_level(z: &[f64]) -> f64 {
    let mut sorted = z.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, f64::NAN);
    for (k, v) in sorted.iter().enumerate() {
        sum += v;
        let t = (sum - 1.0) / (k + 1) as f64;
        if *v <= t {
            break;
        }
        level = t;
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::softmax_in_place;

    fn probabilities(kind: Simplex, z: &[f64]) -> Vec<f64> {
        let prior = (1.0 / z.len() as f64).ln();
        let mut p = vec![0.0; z.len()];
        kind.log_probabilities(z, &vec![prior; z.len()], &mut p);
        softmax_in_place(&mut p);
        p
    }

    #[test]
    fn a_point_of_the_simplex_stays_where_it_is() {
        let p = [0.2, 0.0, 0.5, 0.3];
        for kind in [Simplex::Clip, Simplex::Project] {
            for (a, b) in probabilities(kind, &p).iter().zip(p) {
                assert!((a - b).abs() < 1e-15, "{kind:?}");
            }
        }
    }

    #[test]
    fn clipping_and_projecting_by_hand() {
        let close = |a: Vec<f64>, b: &[f64]| a.iter().zip(b).all(|(u, v)| (u - v).abs() < 1e-15);
        assert!(close(
            probabilities(Simplex::Project, &[0.6, -0.4, 0.2]),
            &[0.7, 0.0, 0.3]
        ));
        assert!(close(
            probabilities(Simplex::Clip, &[0.6, -0.4, 0.2]),
            &[0.75, 0.0, 0.25]
        ));
        assert!(close(
            probabilities(Simplex::Clip, &[-1.0, -2.0]),
            &[0.5, 0.5]
        ));
        assert!(close(
            probabilities(Simplex::Project, &[-1.0, -3.0]),
            &[1.0, 0.0]
        ));
        assert!(close(
            probabilities(Simplex::Softmax, &[3f64.ln(), 0.0]),
            &[0.75, 0.25]
        ));
    }

    #[test]
    fn whatever_comes_out_is_a_probability() {
        let inf = f64::INFINITY;
        for kind in [Simplex::Clip, Simplex::Project, Simplex::Softmax] {
            for z in [
                [1e308, 1e308, -1e308],
                [inf, 0.0, 1.0],
                [f64::NAN, 0.0, 1.0],
                [-inf, -inf, -inf],
                [0.0; 3],
            ] {
                let p = probabilities(kind, &z);
                assert!(
                    p.iter().all(|v| v.is_finite() && *v >= 0.0),
                    "{kind:?} {z:?} {p:?}"
                );
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
