//! Otsu's optimum nonlinear discriminant mapping on the features of a discriminant kernel, with the
//! nearest mean.

use super::{Arm, Candidate, Fit, FitReport, Fold, Footprint, HeldOut, Method, Options, Problem};
use crate::decision::nearest_centroid;
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel};
use crate::linalg::Matrix;
use crate::solver::onda::mapping;
use crate::solver::optimal_scoring::response_means;

/// `y = U~' phi(x)` (Hidaka & Kurita, eq. 11) for rows `psi(x) = phi(x) + sqrt(P)`.
#[derive(Clone, Debug)]
pub(super) struct Onda {
    components: Option<usize>,
}

impl Onda {
    /// Takes from the options what concerns it: the number of components.
    pub(super) fn new(options: &Options) -> Self {
        Self {
            components: options.components,
        }
    }
}

impl Method for Onda {
    fn name(&self) -> &'static str {
        "onda"
    }

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn arms(&self, _: &Problem) -> Result<Vec<Arm>> {
        Ok(vec![vec![Candidate::new(Kernel::Linear)]])
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        Ok(self
            .fit(&fold.train, &Candidate::new(Kernel::Linear))?
            .held_out(fold, arm))
    }

    fn fit(&self, problem: &Problem, _: &Candidate) -> Result<Fit> {
        let classes = problem.classes();
        let roots = response_means(&classes);
        // A feature that takes no part holds zeros and stays out of phi, too.
        let used = |k: usize| problem.feature_weights[k] != 0.0;
        let phi = Matrix::from_fn(problem.n(), roots.len(), |i, k| {
            if used(k) {
                problem.x[(i, k)] - roots[k]
            } else {
                0.0
            }
        });
        let m = mapping(&phi, |i| classes.weight(i), self.components)?;
        let q = m.directions.cols();
        let directions = m.directions.transpose();
        let offset: Vec<f64> = directions
            .iter_rows()
            .map(|u| -u.iter().zip(&roots).map(|(u, r)| u * r).sum::<f64>())
            .collect();
        let output = Output::Linear {
            coef: Matrix::identity(q),
            offset,
        };
        let expansion = KernelExpansion::new(
            Kernel::Linear,
            problem.feature_weights.clone(),
            &directions,
            output,
        );
        let z = expansion.evaluate(&problem.x);
        Ok(Fit {
            discriminant: None,
            decision: nearest_centroid(&z, &classes, problem.log_priors()),
            expansion,
            report: FitReport {
                iterations: 1,
                converged: true,
                eigenvalues: m.eigenvalues,
                ..FitReport::default()
            },
        })
    }
}
