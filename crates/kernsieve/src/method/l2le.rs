//! L2 kernel classification without constraints: a linear system (Kim & Scott, section 5.3).
//!
//! Without `a >= 0` and the constraints on the sums, the criterion of [`super::l2qp`] is least
//! where `Q a = c` (eq. 10). With `b_i = a_i Y_i` and a ridge, this is
//! ```text
//! (K + ridge I) b = h,    K_ij = k_rho(x_i, x_j) / k_rho(0),    d(x) = sum_i b_i k_sigma(x, x_i)
//! ```
//! Here `h` is the leave-one-out estimate of the difference of the densities (section 2.1) and `d`
//! the estimate of `f_+ - gamma f_-`. A row is assigned by the sign of `d`. Every sample is
//! retained.
//!
//! Departures from the paper: there is a ridge, relative to the diagonal of `K`. The paper has
//! none (`ridge = 0`), but `K` is singular in floating point at the bandwidths of interest. Beyond a
//! condition number of about 1e12 no digit of the solution is reliable. With a ridge it is refused;
//! without one the pseudo-inverse takes its place, which leaves out the directions whose eigenvalues
//! are beyond that, and a notice says how many are left. With several
//! classes there is one `d_c` per class, against all others. As `prior_c d_c = 2 prior_c f_c - f`,
//! with `f` the density of all rows, the class of the largest `prior_c d_c` has the largest
//! posterior. Scores are scaled to a common size on training rows and become probabilities at the
//! temperature of least cross-validated log loss, since a difference that may be negative on both
//! sides is not a pair of densities. Complexity: `n^2 p` for the distances, `2 n^2` exponentials
//! per bandwidth, `2 n^2` flops per class and step of [`crate::solver::shifted_cg`], which serves
//! all ridges at once.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

mod systems;
#[cfg(test)]
mod tests;

use super::l2_criterion::{
    Distances, Terms, against_rest, odds, require_gaussian_smoothing, require_two,
    require_two_in_fold, without_ratio,
};
use super::parzen::require_density;
use super::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, Problem, Ridged,
    density_kernels, descending, some,
};
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram_from_base, symmetric_base};
use crate::linalg::{Matrix, dot, matmul};
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, CLASS_RATIO, DENSITY_KERNEL, KernelChoice, Kind, Param, Protocol, RIDGES, Range,
    SMOOTHING,
};
use crate::solver::row_cache::RowCache;
use crate::solver::shifted_cg;
use serde::{Deserialize, Serialize};
use systems::Systems;

/// Relative residual that ends the iteration in folds, and most steps there: the unconverged part
/// would be smoothed away by the ridge.
const FOLD: f64 = 1e-3;
const FOLD_STEPS: usize = 300;
/// Ridges to try, smooth solutions first.
const TRIED: [f64; 5] = [1e2, 1e1, 1.0, 1e-1, 1e-2];
/// Training rows from which the scale of the scores is found, and the root mean square they are
/// scaled to: log odds of that size suit most temperatures.
const SCALE_ROWS: usize = 256;
const SCALE: f64 = 4.0;
/// A score is zero if a row is so far from all training rows that kernel values vanish. Such a row
/// goes to the class of the largest prior.
const TIE: f64 = 1e-300;

/// L2 kernel classification by a linear system.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths` | Gaussian, tuned | | the kernel, a density |
/// | `ridges` | tuned | 0 or more | added to the diagonal of `K`, which is 1 |
/// | `smoothing` | 0 | 0 or more | `k` of section 5.1 |
/// | `class_ratio` | ratio of the priors | above 0 | `gamma`, two classes |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct L2le {
    #[serde(flatten)]
    kernel: KernelChoice,
    ridges: Vec<f64>,
    smoothing: f64,
    class_ratio: Option<f64>,
}

impl L2le {
    /// A Gaussian kernel; bandwidth and ridge tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With these ridges to choose among; a single one is used as given. 0 is the paper's system,
    /// solved by a factorisation, or by the pseudo-inverse where it is singular.
    pub fn ridges(mut self, ridges: impl Into<Vec<f64>>) -> Self {
        self.ridges = ridges.into();
        self
    }

    /// With this smoothing of the target.
    pub fn smoothing(mut self, smoothing: f64) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// With this weight of the first density against the second.
    pub fn class_ratio(mut self, ratio: f64) -> Self {
        self.class_ratio = Some(ratio);
        self
    }

    fn systems(&self, problem: &Problem, kernel: &Kernel, base: &Matrix) -> Result<Systems> {
        let classes = problem.classes();
        let kernels = vec![*kernel; classes.n_classes()];
        let (smoothing, d) = (self.smoothing, problem.n_active());
        let terms = Terms::new(
            &kernels,
            smoothing,
            d,
            &problem.x,
            &classes,
            Distances::Held(base),
            RowCache::new(problem.n(), 0),
        )?;
        let contrasts = against_rest(problem, self.class_ratio);
        Ok(Systems::new(&terms, &contrasts, &classes))
    }

    /// Factors that make the differences comparable: the priors of the classes, or none for two
    /// classes.
    fn shares(&self, problem: &Problem) -> Vec<f64> {
        if problem.labels.n_classes() == 2 {
            vec![1.0]
        } else {
            problem.priors.clone()
        }
    }

    fn decision(&self, problem: &Problem) -> Decision {
        let mut priors = problem.priors.clone();
        if let [first, second] = &mut priors[..] {
            let gamma = odds(problem, self.class_ratio);
            (*first, *second) = (gamma / (1.0 + gamma), 1.0 / (1.0 + gamma));
        }
        Decision::Logits {
            shifts: priors.iter().map(|p| TIE * p.ln()).collect(),
        }
    }

    /// Differences times the shares of their classes, scaled to a root mean square of [`SCALE`] on
    /// training rows, whose distances are in `base`.
    fn scaled(&self, problem: &Problem, kernel: &Kernel, base: &Matrix, mut b: Matrix) -> Matrix {
        let shares = self.shares(problem);
        for row in b.as_mut_slice().chunks_exact_mut(shares.len()) {
            row.iter_mut()
                .zip(&shares)
                .for_each(|(v, share)| *v *= share);
        }
        let some: Vec<usize> = (0..problem.n())
            .step_by(problem.n().div_ceil(SCALE_ROWS).max(1))
            .collect();
        let values = gram_from_base(kernel, &base.select_rows(&some));
        let z = matmul(values.view(), b.view());
        let classes = problem.classes();
        let weighted = some
            .iter()
            .zip(z.iter_rows())
            .map(|(&i, z)| classes.weight(i) * dot(z, z));
        let total: f64 = some.iter().map(|&i| classes.weight(i)).sum();
        let mean = weighted.sum::<f64>() / (total * z.cols() as f64);
        let scale = if mean > 0.0 && mean.is_finite() {
            mean.sqrt() / SCALE
        } else {
            1.0
        };
        b.as_mut_slice().iter_mut().for_each(|v| *v /= scale);
        b
    }
}

impl Method for L2le {
    type Setting = Ridged;

    const ABOUT: About = About {
        name: "l2le",
        class: "L2LE",
        title: "difference of kernel densities, unconstrained",
        plain: "difference of class densities, by linear equations (L2LE)",
        summary: "The difference of class densities by a linear system: no constraints on the \
                  weights.",
        paper: "Kim & Scott 2010",
        tuned: "bandwidth, ridge",
        decides: "the sign of the difference",
        outputs: Outputs::Logits,
        calibrated: true,
        class_weight_is_cost: true,
        seconds: |n, _, c| 2.5e-7 * n * n * c,
        slow_for_many_classes: true,
        params: &[
            DENSITY_KERNEL,
            BANDWIDTHS,
            Param {
                kind: Kind::Grid {
                    range: Range::NotNegative,
                    letter: "G",
                },
                help: "Squared-norm penalty, relative to the diagonal of the matrix; 0 is the \
                       paper's system, by its pseudo-inverse where it is singular",
                ..RIDGES
            },
            SMOOTHING,
            CLASS_RATIO,
        ],
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        require_density(&self.kernel)?;
        require_gaussian_smoothing(&self.kernel, self.smoothing)
    }

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        without_ratio(&mut self.class_ratio, Self::ABOUT.name, n_classes)
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::gram(3)
    }

    /// 25 bandwidths from 1e-2 to 1e1, five ridges.
    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Ridged>> {
        require_two(problem, Self::ABOUT.name)?;
        let kernels = density_kernels(&self.kernel, problem.n_active(), 25)?;
        let ridges = descending(&self.ridges, || TRIED.to_vec());
        some(
            kernels
                .into_iter()
                .map(|k| Ridged::arm(k, &ridges))
                .collect(),
        )
    }

    fn held_out(&self, fold: &Fold, arm: &[Ridged]) -> Result<Vec<Option<HeldOut>>> {
        let (Some(base), Some(against), Some(first)) =
            (&fold.train_base, &fold.held_out_base, arm.first())
        else {
            return Err(Error::Data("l2le needs the distances of a fold".into()));
        };
        require_two_in_fold(&fold.train, Self::ABOUT.name)?;
        let systems = self.systems(&fold.train, &first.kernel, base)?;
        let ridges: Vec<f64> = arm.iter().map(|s| s.ridge).filter(|r| *r > 0.0).collect();
        let n = systems.n();
        let found = shifted_cg::solve(
            systems.matrix.as_slice(),
            n,
            &ridges,
            &systems.targets,
            FOLD,
            FOLD_STEPS,
        );
        let mut ridged = found.x.into_iter();
        let solutions = arm.iter().map(|s| match s.ridge {
            0.0 => systems.solve_exactly().map(|exact| Some(exact.x)),
            _ => Ok(ridged.next()),
        });
        let solutions: Vec<Option<Vec<f64>>> = solutions.collect::<Result<_>>()?;
        let values = gram_from_base(&first.kernel, against);
        let decision = self.decision(&fold.train);
        let score = |x: Option<Vec<f64>>| {
            let b = systems.coefficients(&x?);
            let b = self.scaled(&fold.train, &first.kernel, base, b);
            let z = matmul(values.view(), b.view());
            Some(decision.scores(&z).into())
        };
        Ok(solutions.into_iter().map(score).collect())
    }

    fn fit(&self, problem: &Problem, setting: &Ridged) -> Result<Fit> {
        require_two(problem, Self::ABOUT.name)?;
        let base = symmetric_base(self.family(), &problem.x);
        let systems = self.systems(problem, &setting.kernel, &base)?;
        let ridge = setting.ridge;
        let (x, steps, singular) = match ridge {
            0.0 => systems.solve_exactly().map(|s| (s.x, 1, s.singular))?,
            _ => systems.solve(ridge).map(|(x, steps)| (x, steps, None))?,
        };
        let (left, product) = systems.residual(&x, ridge);
        let residual = singular.map_or_else(|| systems.relative(&left), |(_, seen)| seen);
        // b'Kb / 2 - h'b with the constants: b is in units of the linear term's constant over the
        // quadratic term's.
        let objective = (0.5 * dot(&x, &product) - dot(&x, &systems.targets))
            * (systems.log_constant + 2.0 * systems.log_ratio).exp();
        let coef = self.scaled(problem, &setting.kernel, &base, systems.coefficients(&x));
        let output = Output::Linear {
            offset: vec![0.0; coef.cols()],
            coef,
        };
        let weights = problem.feature_weights.clone();
        Ok(Fit::new(
            KernelExpansion::new(setting.kernel, weights, &problem.x, output),
            self.decision(problem),
            FitReport {
                objective: Some(objective).filter(|v| v.is_finite()),
                iterations: steps,
                converged: residual <= 1e-6,
                residual: Some(residual),
                retained_rows: (0..problem.n()).collect(),
                ridge: Some(ridge),
                singular: singular.map(|(s, _)| s),
                ..FitReport::default()
            },
        ))
    }
}
