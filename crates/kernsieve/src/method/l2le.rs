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
//! none, but `K` is singular in floating point at the bandwidths of interest. Beyond a condition
//! number of about 1e12 no digit of the solution is reliable, and it is refused. With several
//! classes there is one `d_c` per class, against all others. As `prior_c d_c = 2 prior_c f_c - f`,
//! with `f` the density of all rows, the class of the largest `prior_c d_c` has the largest
//! posterior. Scores are scaled to a common size on training rows and become probabilities at the
//! temperature of least cross-validated log loss, since a difference that may be negative on both
//! sides is not a pair of densities. Complexity: `n^2 p` for the distances, `2 n^2` exponentials
//! per bandwidth, `2 n^2` flops per class and step of [`crate::solver::shifted_cg`], which serves
//! all ridges at once.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

use super::l2_criterion::{
    Contrast, Distances, Terms, against_rest, odds, require_gaussian_smoothing, require_two,
    require_two_in_fold, without_ratio,
};
use super::parzen::require_density;
use super::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, Problem, Ridged,
    density_kernels, descending, some,
};
use crate::classes::Classes;
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram_from_base, symmetric_base};
use crate::linalg::{Matrix, cholesky_shifted, dot, matmul, symmetric_times};
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, CLASS_RATIO, DENSITY_KERNEL, KernelChoice, Param, Protocol, RIDGES, SMOOTHING,
};
use crate::solver::row_cache::RowCache;
use crate::solver::shifted_cg;
use serde::{Deserialize, Serialize};

/// Relative residuals that end the iteration: in final fits, and in folds.
const EXACT: f64 = 1e-12;
const FOLD: f64 = 1e-3;
/// Most steps: in a final fit, which then turns to a factorisation, and in folds, where the
/// unconverged part would be smoothed away by the ridge.
const EXACT_STEPS: usize = 1000;
const FOLD_STEPS: usize = 300;
/// A final fit with at most this relative residual needs no factorisation.
const TRUSTED: f64 = 1e-9;
/// Condition number beyond which the solution is refused.
const WORST_CONDITION: f64 = 1e12;
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
/// | `ridges` | tuned | above 0 | added to the diagonal of `K`, which is 1 |
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

/// The systems of a problem: one matrix, and one right-hand side per difference.
struct Systems {
    /// `K`, rows and columns multiplied by the roots of the rows' weights.
    matrix: Matrix,
    /// Right-hand sides one after the other, multiplied likewise.
    targets: Vec<f64>,
    /// Roots of the weights of the rows.
    roots: Vec<f64>,
    /// Logarithms of the constants of the quadratic and the linear term.
    log_constant: f64,
    log_ratio: f64,
}

impl Systems {
    /// A row of weight 2 counts as two rows that share one coefficient: the ridge of a row is
    /// divided by its weight. Scaling by the roots of the weights keeps the matrix symmetric.
    fn new(terms: &Terms<'_>, contrasts: &[Contrast], classes: &Classes) -> Self {
        let roots: Vec<f64> = (0..classes.n_rows())
            .map(|i| classes.weight(i).sqrt())
            .collect();
        let targets = contrasts
            .iter()
            .flat_map(|c| c.targets(terms))
            .zip(roots.iter().cycle());
        let targets = targets.map(|(t, root)| t * root).collect();
        let (log_constant, log_ratio) = (terms.log_constant, terms.log_ratio(0));
        let mut matrix = terms.matrix();
        if classes.weights().is_some() {
            for i in 0..matrix.rows() {
                let row = matrix.row_mut(i).iter_mut().zip(&roots);
                row.for_each(|(v, root)| *v *= roots[i] * root);
            }
        }
        Self {
            matrix,
            targets,
            roots,
            log_constant,
            log_ratio,
        }
    }

    fn n(&self) -> usize {
        self.matrix.rows()
    }

    /// Coefficients `b` of all differences in columns, from a solution.
    fn coefficients(&self, x: &[f64]) -> Matrix {
        let n = self.n();
        Matrix::from_fn(n, x.len() / n, |i, c| x[c * n + i] * self.roots[i])
    }

    /// The solution for a ridge, and the number of steps. Conjugate gradients run a second time on
    /// the true residual, which their recurrence has drifted from; a factorisation follows if that
    /// is not enough.
    fn solve(&self, ridge: f64) -> Result<(Vec<f64>, usize)> {
        let (n, matrix) = (self.n(), self.matrix.as_slice());
        let (mut x, mut steps) = (vec![0.0; self.targets.len()], 0);
        for _ in 0..2 {
            let (left, _) = self.residual(&x, ridge);
            let found = shifted_cg::solve(matrix, n, &[ridge], &left, EXACT, EXACT_STEPS);
            x.iter_mut()
                .zip(&found.x[0])
                .for_each(|(x, more)| *x += more);
            steps += found.steps;
        }
        // The eigenvalues of K add up to the weight of all rows.
        let total: f64 = self.roots.iter().map(|r| r * r).sum();
        if self.relative(&self.residual(&x, ridge).0) <= TRUSTED && total / ridge <= WORST_CONDITION
        {
            return Ok((x, steps));
        }
        let refused = |condition: f64| {
            Error::Data(format!(
                "the equations of l2le have condition number {condition:.0e} at this bandwidth and \
                 ridge, more than the {WORST_CONDITION:.0e} that double precision allows; increase \
                 `ridge` or reduce `bandwidth`"
            ))
        };
        let factor =
            cholesky_shifted(self.matrix.clone(), ridge).map_err(|_| refused(total / ridge))?;
        let inverse = |v: &mut [f64]| {
            let mut column = Matrix::from_vec(v.to_vec(), n, 1);
            factor.solve_in_place(&mut column);
            v.copy_from_slice(column.as_slice());
        };
        let largest = ridge
            + largest_eigenvalue(n, |v| {
                let from = v.to_vec();
                symmetric_times(matrix, n, &from, v);
            });
        let condition = largest * largest_eigenvalue(n, inverse);
        if condition.is_nan() || condition > WORST_CONDITION {
            return Err(refused(condition));
        }
        for _ in 0..3 {
            let (mut left, _) = self.residual(&x, ridge);
            left.chunks_exact_mut(n).for_each(inverse);
            x.iter_mut().zip(&left).for_each(|(x, more)| *x += more);
        }
        Ok((x, steps))
    }

    /// The size of a residual relative to the targets.
    fn relative(&self, left: &[f64]) -> f64 {
        let size = |v: &[f64]| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        size(left) / size(&self.targets).max(f64::MIN_POSITIVE)
    }

    /// `targets - (matrix + ridge) x`, and `matrix x`.
    fn residual(&self, x: &[f64], ridge: f64) -> (Vec<f64>, Vec<f64>) {
        let mut product = vec![0.0; x.len()];
        symmetric_times(self.matrix.as_slice(), self.n(), x, &mut product);
        let residual =
            (self.targets.iter().zip(&product).zip(x)).map(|((t, p), x)| t - p - ridge * x);
        (residual.collect(), product)
    }
}

/// A lower bound on the largest eigenvalue of a symmetric semidefinite matrix, by power iteration;
/// `times` multiplies by the matrix in place.
fn largest_eigenvalue(n: usize, times: impl Fn(&mut [f64])) -> f64 {
    const STEPS: usize = 30;
    let mut v: Vec<f64> = (0..n)
        .map(|i| 1.0 + 0.5 * ((7 * i) % 11) as f64 - ((3 * i) % 5) as f64)
        .collect();
    let mut norm = 0.0;
    for _ in 0..STEPS {
        let size = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|x| *x /= size);
        times(&mut v);
        norm = dot(&v, &v).sqrt();
    }
    norm
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

    /// With these ridges to choose among; a single one is used as given.
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
                help: "Squared-norm penalty, relative to the diagonal of the matrix",
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
        let ridges: Vec<f64> = arm.iter().map(|s| s.ridge).collect();
        let n = systems.n();
        let found = shifted_cg::solve(
            systems.matrix.as_slice(),
            n,
            &ridges,
            &systems.targets,
            FOLD,
            FOLD_STEPS,
        );
        let values = gram_from_base(&first.kernel, against);
        let decision = self.decision(&fold.train);
        let score = |x: &Vec<f64>| {
            let b = self.scaled(&fold.train, &first.kernel, base, systems.coefficients(x));
            let z = matmul(values.view(), b.view());
            Some(decision.scores(&z).into())
        };
        Ok(found.x.iter().map(score).collect())
    }

    fn fit(&self, problem: &Problem, setting: &Ridged) -> Result<Fit> {
        require_two(problem, Self::ABOUT.name)?;
        let base = symmetric_base(self.family(), &problem.x);
        let systems = self.systems(problem, &setting.kernel, &base)?;
        let ridge = setting.ridge;
        let (x, steps) = systems.solve(ridge)?;
        let (left, product) = systems.residual(&x, ridge);
        let residual = systems.relative(&left);
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
                ..FitReport::default()
            },
        ))
    }
}
