//! Otsu's optimum nonlinear discriminant mapping on the features of a discriminant kernel, with the
//! nearest mean.

use crate::decision::nearest_centroid;
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel};
use crate::linalg::Matrix;
use crate::method::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, NoSetting, Problem,
};
use crate::params::Protocol;
use crate::solver::onda::mapping;
use crate::solver::optimal_scoring::response_means;
use serde::{Deserialize, Serialize};

/// `y = U~' phi(x)` (Hidaka & Kurita, eq. 11) for rows `psi(x) = phi(x) + sqrt(P)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Onda {
    pub(super) components: Option<usize>,
}

impl Method for Onda {
    type Setting = NoSetting;

    const ABOUT: About = About::part("onda");

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, _: &Problem, _: &Protocol) -> Result<Grid<NoSetting>> {
        Ok(vec![vec![NoSetting]])
    }

    fn held_out(&self, fold: &Fold, arm: &[NoSetting]) -> Result<Vec<Option<HeldOut>>> {
        Ok(self.fit(&fold.train, &NoSetting)?.held_out(fold, arm))
    }

    fn fit(&self, problem: &Problem, _: &NoSetting) -> Result<Fit> {
        let classes = problem.classes();
        let roots = response_means(&classes);
        // A feature that is not used holds zeros and stays out of phi as well.
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
        Ok(Fit::new(
            expansion,
            nearest_centroid(&z, &classes, problem.log_priors()),
            FitReport {
                iterations: 1,
                converged: true,
                eigenvalues: m.eigenvalues,
                ..FitReport::default()
            },
        ))
    }
}
