//! The methods. Each is one file that tells its paper's story in order; all of them give the same
//! [`Fit`].

pub mod density;
mod discriminant;
mod feature_import;
pub mod fivm;
pub mod klr;
pub mod kos;
pub mod l1_dkf;
mod l1_logistic;
mod l1_regression;
pub(crate) mod l2_criterion;
pub mod l2le;
pub mod l2qp;
mod landmarks;
pub mod lda;
pub mod mkda;
mod onda;
mod options;
pub mod parzen;
pub mod smkda;
pub mod sparse_kos;
mod validated;

pub use crate::solver::sparse_weights::Steps;
pub use options::{
    ClassBandwidths, Landmarks, MappingKind, Metric, MulticlassKind, Options, Penalty,
    PosteriorKind, Priors, RidgeRule, Rule, Spacing, StopRule, Validation,
};
pub use validated::{CvEntry, Press};

use crate::classes::Classes;
use crate::data::Labels;
use crate::decision::Decision;
use crate::discriminant_kernel::{DiscriminantKernel, outputs};
use crate::error::{Error, Result, require};
use crate::expansion::KernelExpansion;
use crate::kernel::{Family, Kernel, gram_from_base, log_grid, median_bandwidth};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// What a method trains on: rows in the units the kernel sees, labels in which every class occurs,
/// priors.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Standardised features, `n x p`; features that are constant on the training rows hold zeros.
    pub x: Matrix,
    /// Labels; every class has at least one row.
    pub labels: Labels,
    /// Weights of the rows, where they differ.
    pub weights: Option<Vec<f64>>,
    /// Prior probability of each class.
    pub priors: Vec<f64>,
    /// 1 for a feature that takes part, 0 for a constant one.
    pub feature_weights: Vec<f64>,
}

impl Problem {
    /// A problem in which all features take part, with empirical priors.
    pub fn new(x: Matrix, labels: Labels) -> Result<Self> {
        if x.rows() != labels.len() {
            return Err(Error::Data(format!(
                "{} rows but {} labels",
                x.rows(),
                labels.len()
            )));
        }
        if labels.n_classes() < 2 || labels.counts().contains(&0) {
            return Err(Error::Data(
                "a classifier needs at least two classes, each with a row".into(),
            ));
        }
        let classes = Classes::new(labels.codes(), None, labels.n_classes());
        let priors = Priors::Empirical.resolve(&labels, &classes)?;
        let feature_weights = vec![1.0; x.cols()];
        Ok(Self {
            x,
            labels,
            weights: None,
            priors,
            feature_weights,
        })
    }

    /// Classes and weights of the rows.
    pub fn classes(&self) -> Classes {
        Classes::new(
            self.labels.codes(),
            self.weights.as_deref(),
            self.labels.n_classes(),
        )
    }

    /// Some of the rows, of which every class must have one; the priors stay.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.select_rows(rows),
            labels: self.labels.select(rows),
            weights: self
                .weights
                .as_ref()
                .map(|w| rows.iter().map(|&i| w[i]).collect()),
            priors: self.priors.clone(),
            feature_weights: self.feature_weights.clone(),
        }
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.x.rows()
    }

    /// Number of features that take part.
    pub fn n_active(&self) -> usize {
        self.feature_weights.iter().filter(|w| **w != 0.0).count()
    }

    /// Logarithms of the priors.
    pub fn log_priors(&self) -> Vec<f64> {
        self.priors.iter().map(|p| p.ln()).collect()
    }
}

/// Settings that cross-validation chooses among.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The kernel.
    pub kernel: Kernel,
    /// The squared-norm penalty; `None` where a rule computes it from the data, or the method has
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
    /// Number of retained samples; `None` where the method does not select them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Penalty on the weights of the features; `None` where the method has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity: Option<f64>,
    /// The same as a share of the penalty from which on all weights are zero at the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity_share: Option<f64>,
    /// Number of imported features; `None` where the method does not import them, or stops by a
    /// rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_features: Option<usize>,
    /// Bandwidth of each class, where they have their own; `kernel` then has the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_bandwidths: Option<Vec<f64>>,
    /// Balance of the quadratic and the linear term, `eta`; `None` where the method has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<f64>,
    /// The only features that may have a weight; `None` is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<usize>>,
    /// Settings of the posteriors, where a discriminant kernel is made of them; `kernel` is then
    /// the linear one of its features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior: Option<Box<Candidate>>,
}

impl Candidate {
    /// A kernel with nothing else to choose.
    pub fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            ridge: None,
            size: None,
            sparsity: None,
            sparsity_share: None,
            n_features: None,
            class_bandwidths: None,
            balance: None,
            features: None,
            posterior: None,
        }
    }

    /// The settings of what reads the features themselves: of the posteriors, where there are any.
    pub fn reader(&self) -> &Self {
        self.posterior.as_deref().unwrap_or(self)
    }

    /// With this ridge.
    pub fn ridge(self, ridge: f64) -> Self {
        Self {
            ridge: Some(ridge),
            ..self
        }
    }

    /// Samples or features, where the method selects them step by step.
    pub fn step(&self) -> Option<usize> {
        self.size.or(self.n_features)
    }

    /// With this number of retained samples.
    pub fn size(self, size: usize) -> Self {
        Self {
            size: Some(size),
            ..self
        }
    }
}

/// One step of a selection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathStep {
    /// Samples or features retained.
    pub size: usize,
    /// The training row that entered, where samples are selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The feature that entered, where features are imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<usize>,
    /// The feature that would have entered in its place, and the objective with it, where features
    /// are imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<(usize, f64)>,
    /// The penalty, where features are weighted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity: Option<f64>,
    /// Features with a weight that is not zero, and their weights; of many features those that stay
    /// longest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(usize, f64)>,
    /// The paper's objective after the step.
    pub objective: f64,
    /// Error on the training rows after the step, where it was computed.
    pub train_error: Option<f64>,
}

impl PathStep {
    /// A step with nothing else to say.
    pub fn new(size: usize, objective: f64) -> Self {
        Self {
            size,
            row: None,
            feature: None,
            runner_up: None,
            sparsity: None,
            weights: vec![],
            objective,
            train_error: None,
        }
    }
}

/// Candidates that are fitted together because they share work (one Gram matrix, say).
pub type Arm = Vec<Candidate>;

/// A fitted classifier before it is wrapped into a model.
#[derive(Clone, Debug)]
pub struct Fit {
    /// What the expansion sees of a row, where that is not the row itself but what a discriminant
    /// kernel makes of it.
    pub discriminant: Option<DiscriminantKernel>,
    /// Outputs as a function of a row.
    pub expansion: KernelExpansion,
    /// Classes as a function of the outputs.
    pub decision: Decision,
    /// How the fit went.
    pub report: FitReport,
}

impl Fit {
    /// Outputs of every row.
    pub fn outputs(&self, x: &Matrix) -> Matrix {
        outputs(self.discriminant.as_ref(), &self.expansion, x)
    }

    /// What it says of the held-out rows of a fold, for every candidate of an arm that leaves
    /// nothing to choose.
    fn held_out(&self, fold: &Fold, arm: &Arm) -> Vec<Option<HeldOut>> {
        let scores = self.decision.scores(&self.outputs(&fold.held_out));
        vec![Some(scores.into()); arm.len()]
    }
}

/// How a fit went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// The paper's objective at the solution, where there is one.
    pub objective: Option<f64>,
    /// Iterations of the solver; 1 for a closed form.
    pub iterations: usize,
    /// Whether the solver reached its tolerance.
    pub converged: bool,
    /// How far the solution is from satisfying its own equations, relative to the size of their
    /// terms.
    pub residual: Option<f64>,
    /// Training rows that the expansion holds, in order of selection where there is one.
    pub retained_rows: Vec<usize>,
    /// The squared-norm penalty used.
    pub ridge: Option<f64>,
    /// Eigenvalues of the discriminant, largest first, where the method has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eigenvalues: Vec<f64>,
    /// The steps of a selection, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathStep>,
    /// Features in order of import, where they are imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<usize>,
    /// Objective and duality gap of each regression, in the order of the classes, where posteriors
    /// come from regressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regressions: Vec<(f64, f64)>,
    /// Objective after each step of the solver, where it takes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<f64>,
    /// Which of several starts gave the least objective (0 the path, 1 all ones, then random ones),
    /// and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<(usize, usize)>,
}

/// Rows held out of a fold's training, and what its candidates share.
pub struct Fold {
    /// Training part.
    pub train: Problem,
    /// Held-out rows, scaled by the training part.
    pub held_out: Matrix,
    /// Their classes among those of the training part, which may lack one.
    pub held_out_classes: Vec<Option<usize>>,
    /// Their weights.
    pub held_out_weights: Vec<f64>,
    /// Base values (distances or inner products) of the training rows with themselves; empty when
    /// the method needs none.
    pub train_base: Option<Matrix>,
    /// Base values of the held-out rows with the training rows.
    pub held_out_base: Option<Matrix>,
}

impl FitReport {
    /// Names rows as a caller knows them who has left some out: row `i` of the fit is `rows[i]` of
    /// the caller's.
    pub fn rename_rows(&mut self, rows: &[usize]) {
        let own = |row: &mut usize| *row = rows[*row];
        self.retained_rows.iter_mut().for_each(own);
        self.path
            .iter_mut()
            .filter_map(|s| s.row.as_mut())
            .for_each(own);
    }
}

impl Fold {
    /// Gram matrix of the training rows, and kernel values of the held-out rows with them.
    pub fn grams(&self, kernel: &Kernel) -> Result<(Matrix, Matrix)> {
        match (&self.train_base, &self.held_out_base) {
            (Some(tt), Some(vt)) => Ok((gram_from_base(kernel, tt), gram_from_base(kernel, vt))),
            _ => Err(Error::Data(
                "the distances of this fold were not computed".into(),
            )),
        }
    }
}

/// Rows as all others see them.
pub struct LeftOutRows {
    /// Log scores, rows x classes.
    pub scores: Matrix,
    /// Squared residual of the scored responses of each row.
    pub squared_residuals: Vec<f64>,
}

/// What a candidate says of held-out rows.
#[derive(Clone)]
pub struct HeldOut {
    /// Log scores (log probabilities up to a constant a row), rows x classes.
    pub scores: Matrix,
    /// Weights of the features, where the method learns them.
    pub weights: Option<Vec<f64>>,
}

impl From<Matrix> for HeldOut {
    fn from(scores: Matrix) -> Self {
        Self {
            scores,
            weights: None,
        }
    }
}

/// How much an `n x n` matrix weighs in a method, for the memory check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Whether the training Gram matrix is formed.
    pub train_base: bool,
    /// Whether held-out base values are formed.
    pub held_out_base: bool,
    /// Matrices of the size of the Gram matrix that one fit holds at once.
    pub copies: usize,
    /// Bytes that one fit may take besides.
    pub cache: u64,
}

impl Footprint {
    /// Nothing of the size of the square of the rows.
    pub const NONE: Self = Self {
        train_base: false,
        held_out_base: false,
        copies: 0,
        cache: 0,
    };

    /// Base values of all pairs, and so many matrices made of them.
    pub const fn gram(copies: usize) -> Self {
        Self {
            train_base: true,
            held_out_base: true,
            copies,
            cache: 0,
        }
    }
}

/// Second thoughts about a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum Refinement {
    /// None.
    Keep,
    /// This entry of the table instead.
    Entry(usize),
    /// This candidate, which is not in the table, provided that its error is at most the bound.
    Candidate(Box<Candidate>, f64),
}

/// What cross-validation ranks candidates by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Share of held-out rows that are classified wrongly.
    Error,
    /// That share plus the mean log loss.
    LogLoss,
    /// That share plus the mean log loss at the temperature of least loss, found for each candidate
    /// on all folds together: unlike the log loss itself it does not mind that a large ridge
    /// shrinks all log odds alike.
    TemperedLogLoss,
}

/// A solver with its decision rule. Tuning, saving and predicting are the same for all.
pub trait Method: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// Kernel family, which says what base values the candidates share.
    fn family(&self) -> Family;

    /// Memory that scales with the square of the number `n` of rows.
    fn footprint(&self, n: usize) -> Footprint;

    /// What cross-validation ranks candidates by.
    fn ranking(&self) -> Ranking {
        Ranking::Error
    }

    /// Whether arms that are clearly behind after some folds may be left out of the others.
    fn races(&self) -> bool {
        false
    }

    /// What cross-validation chooses among, grouped into arms. Candidates are listed in order of
    /// preference: on a tie the earlier one wins.
    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>>;

    /// Preference between candidates of equal error beyond the order in which they are listed:
    /// `Less` prefers `a`.
    fn compare(&self, _a: &Candidate, _b: &Candidate) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }

    /// More arms to try when the chosen candidate lies at an edge of the grid; none when it does
    /// not, or when the user fixed the grid.
    fn widen(&self, _tried: &[Candidate], _chosen: &Candidate, _n_classes: usize) -> Vec<Arm> {
        vec![]
    }

    /// Second thoughts about the chosen candidate.
    fn refine(&self, _problem: &Problem, _grid: &[CvEntry], _chosen: usize) -> Result<Refinement> {
        Ok(Refinement::Keep)
    }

    /// What every candidate of an arm says of the held-out rows of a fold; `None` where a candidate
    /// could not be fitted.
    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>>;

    /// Every row as the other rows see it, for every candidate of an arm and without refitting;
    /// `None` where the method has no formula for that.
    fn leave_one_out(
        &self,
        _problem: &Problem,
        _arm: &Arm,
    ) -> Result<Option<Vec<Option<LeftOutRows>>>> {
        Ok(None)
    }

    /// Fits one candidate.
    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit>;
}

/// The methods by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodKind {
    /// Linear discriminant analysis, [`lda`].
    Lda,
    /// Multinomial kernel discriminant analysis, [`mkda`].
    Mkda,
    /// Sparse multinomial kernel discriminant analysis, [`smkda`].
    Smkda,
    /// Kernel optimal scoring, [`kos`].
    Kos,
    /// Sparse kernel optimal scoring, [`sparse_kos`].
    SparseKos,
    /// Kernel logistic regression, [`klr`].
    Klr,
    /// Feature import vector machine, [`fivm`].
    Fivm,
    /// Discriminant analysis with the kernel of sparse posteriors, [`l1_dkf`].
    L1Dkf,
    /// L2 kernel classification without constraints, [`l2le`].
    L2le,
    /// L2 kernel classification, [`l2qp`].
    L2qp,
    /// Plug-in kernel densities, [`parzen`].
    Parzen,
}

impl MethodKind {
    /// All methods.
    pub const ALL: [Self; 11] = [
        Self::Fivm,
        Self::Klr,
        Self::Kos,
        Self::L1Dkf,
        Self::L2le,
        Self::L2qp,
        Self::Lda,
        Self::Mkda,
        Self::Parzen,
        Self::Smkda,
        Self::SparseKos,
    ];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lda => "lda",
            Self::Mkda => "mkda",
            Self::Smkda => "smkda",
            Self::Kos => "kos",
            Self::SparseKos => "sparse-kos",
            Self::Klr => "klr",
            Self::Fivm => "fivm",
            Self::L1Dkf => "l1-dkf",
            Self::L2le => "l2le",
            Self::L2qp => "l2qp",
            Self::Parzen => "parzen",
        }
    }

    /// Whether its probabilities are calibrated by cross-validation: those of the kernel
    /// discriminants, and of a difference that is none of densities, are.
    pub fn calibrates(self) -> bool {
        matches!(
            self,
            Self::Mkda | Self::Smkda | Self::Kos | Self::SparseKos | Self::L1Dkf | Self::L2le
        )
    }

    /// Whether the discriminant kernel of some posteriors can take the place of its kernel. Methods
    /// that weigh features, and densities, need the features themselves.
    pub fn takes_discriminant_kernel(self) -> bool {
        matches!(
            self,
            Self::L1Dkf | Self::Mkda | Self::Smkda | Self::Kos | Self::Klr
        )
    }

    /// The method with its options.
    pub fn build(self, options: &Options) -> Result<Box<dyn Method>> {
        options.check(self)?;
        if options.posterior_of(self).is_some() {
            return discriminant::build(self, options);
        }
        Ok(match self {
            Self::Lda => Box::new(lda::Lda::new(options)),
            Self::Mkda => Box::new(mkda::Mkda::new(options)),
            Self::Smkda => Box::new(smkda::Smkda::new(options)),
            Self::Kos => Box::new(kos::Kos::new(options)),
            Self::SparseKos => Box::new(sparse_kos::SparseKos::new(options)),
            Self::Klr => Box::new(klr::Klr::new(options)),
            Self::Fivm => Box::new(fivm::Fivm::new(options)),
            Self::L1Dkf => return discriminant::build(self, options),
            Self::L2le => Box::new(l2le::L2le::new(options)),
            Self::L2qp => Box::new(l2qp::L2qp::new(options)),
            Self::Parzen => Box::new(parzen::Parzen::new(options)),
        })
    }
}

impl std::str::FromStr for MethodKind {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|m| m.name() == s)
            .ok_or_else(|| {
                let known = Self::ALL.map(Self::name).join(", ");
                Error::Data(format!("unknown method '{s}'; the methods are {known}"))
            })
    }
}

/// The kernels of densities that are tried when the user fixes no bandwidth, smooth ones first:
/// from 1e-2 to 1e1 on standardised data (Kim & Scott, section 6), to wider ones with more than 100
/// features, since distances grow with the square root of their number.
pub(crate) fn density_kernels(options: &Options, d: usize, count: usize) -> Result<Vec<Kernel>> {
    if let Some(fixed) = options.fixed_kernels(d)? {
        return Ok(fixed);
    }
    let top = 10.0 * (d as f64 / 100.0).sqrt().max(1.0);
    let grid = log_grid(1e-2, top, count).into_iter().rev();
    grid.map(|b| options.kernel_with(b, d)).collect()
}

/// The kernels of a family that are tried when the user fixes no bandwidth: multiples of the median
/// distance, smooth ones first. Families without a bandwidth give one kernel.
pub(crate) fn kernels_around_median(
    options: &Options,
    problem: &Problem,
    multiples: &[f64],
) -> Result<Vec<Kernel>> {
    if let Some(fixed) = options.fixed_kernels(problem.n_active())? {
        return Ok(fixed);
    }
    let Some(median) = median_bandwidth(
        &problem.x,
        &problem.labels,
        problem.weights.as_deref(),
        options.seed,
    ) else {
        return Err(Error::Data(
            "all rows are equal: there is nothing to tell the classes apart by".into(),
        ));
    };
    let scale = match options.kernel {
        // |x - x'|_1 is about sqrt(p) times the Euclidean distance.
        Family::Laplacian => (problem.n_active() as f64).sqrt(),
        _ => 1.0,
    };
    multiples
        .iter()
        .map(|m| options.kernel_with(median * scale * m, problem.n_active()))
        .collect()
}

/// Factors for the bandwidth of the chosen kernel when it is the narrowest or the widest that was
/// tried; none when it is neither, has no bandwidth, or the user gave the bandwidths.
pub(crate) fn beyond_the_edge<'a>(
    options: &Options,
    tried: &[Candidate],
    chosen: &Kernel,
    narrower: &'a [f64],
    wider: &'a [f64],
) -> &'a [f64] {
    let (Some(width), true) = (chosen.bandwidth(), options.bandwidths.is_empty()) else {
        return &[];
    };
    let widths = || tried.iter().filter_map(|c| c.kernel.bandwidth());
    if width <= widths().fold(f64::INFINITY, f64::min) {
        narrower
    } else if width >= widths().fold(0.0, f64::max) {
        wider
    } else {
        &[]
    }
}

/// A kernel with its bandwidth, if it has one, times a factor.
pub(crate) fn stretched(kernel: &Kernel, factor: f64) -> Kernel {
    kernel.with_bandwidth(kernel.bandwidth().unwrap_or(1.0) * factor)
}

/// A zero-based check that candidates were given at all.
pub(crate) fn require_candidates(arms: &[Arm]) -> Result<()> {
    require("candidates", arms.len(), !arms.is_empty(), "at least one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;
    use crate::testing::{problem, random};

    #[test]
    fn a_weight_is_as_good_as_a_repeated_row() {
        let plain = problem(50, 3, 3, 11);
        let mut rng = Rng::new(5);
        let times: Vec<usize> = (0..50)
            .map(|_| 1 + (3.0 * rng.uniform()) as usize)
            .collect();
        let rows: Vec<usize> = (0..50).flat_map(|i| vec![i; times[i]]).collect();
        let repeated =
            Problem::new(plain.x.select_rows(&rows), plain.labels.select(&rows)).expect("valid");
        let weighted = Problem {
            weights: Some(times.iter().map(|&t| t as f64).collect()),
            priors: repeated.priors.clone(),
            ..plain
        };
        let new = random(40, 3, 12);
        let kernel = Kernel::Gaussian { bandwidth: 1.3 };
        let with = |f: fn(&mut Options)| {
            let mut options = Options::default();
            f(&mut options);
            options
        };
        let penalised = |sparsity: f64| Candidate {
            sparsity: Some(sparsity),
            ..Candidate::new(Kernel::Linear)
        };
        let with_posterior = |posterior: Candidate| Candidate {
            posterior: Some(Box::new(posterior)),
            ..Candidate::new(Kernel::Linear)
        };
        let cases: Vec<(MethodKind, Options, Candidate)> = vec![
            (
                MethodKind::Lda,
                Options::default(),
                Candidate::new(Kernel::Linear),
            ),
            (
                MethodKind::Mkda,
                Options::default(),
                Candidate::new(kernel).ridge(0.2),
            ),
            (
                MethodKind::Mkda,
                with(|o| o.penalty = Penalty::Identity),
                Candidate::new(kernel).ridge(0.2),
            ),
            (
                MethodKind::Smkda,
                Options::default(),
                Candidate::new(kernel).size(9),
            ),
            (
                MethodKind::Kos,
                with(|o| o.ridge_rule = RidgeRule::StabilizationLiteral),
                Candidate::new(kernel),
            ),
            (
                MethodKind::Kos,
                with(|o| o.ridge_rule = RidgeRule::Gcv),
                Candidate::new(kernel),
            ),
            (
                MethodKind::Kos,
                with(|o| o.mahalanobis = true),
                Candidate::new(kernel).ridge(1e-3),
            ),
            (
                MethodKind::Parzen,
                Options::default(),
                Candidate::new(kernel),
            ),
            (
                MethodKind::Klr,
                Options::default(),
                Candidate::new(kernel).ridge(0.01),
            ),
            (
                MethodKind::Fivm,
                with(|o| o.max_features = Some(2)),
                Candidate::new(kernel).ridge(0.01),
            ),
            (
                MethodKind::L2qp,
                Options::default(),
                Candidate {
                    balance: Some(2.0),
                    ..Candidate::new(kernel)
                },
            ),
            (
                MethodKind::L2qp,
                with(|o| o.multiclass = MulticlassKind::Joint),
                Candidate {
                    class_bandwidths: Some(vec![0.8, 1.0, 1.3]),
                    ..Candidate::new(kernel)
                },
            ),
            (
                MethodKind::L2le,
                Options::default(),
                Candidate::new(kernel).ridge(0.5),
            ),
            (
                MethodKind::L1Dkf,
                Options::default(),
                with_posterior(penalised(2.0)),
            ),
            (
                MethodKind::L1Dkf,
                with(|o| {
                    o.mapping = MappingKind::Onda;
                    o.posterior = Some(PosteriorKind::Logistic);
                }),
                with_posterior(penalised(2.0)),
            ),
            (
                MethodKind::L1Dkf,
                with(|o| {
                    o.metric = Metric::Total;
                    o.posterior = Some(PosteriorKind::Parzen);
                }),
                with_posterior(Candidate::new(kernel)),
            ),
            (
                MethodKind::Mkda,
                with(|o| o.posterior = Some(PosteriorKind::Klr)),
                Candidate {
                    ridge: Some(0.2),
                    ..with_posterior(Candidate::new(kernel).ridge(0.01))
                },
            ),
        ];
        for (kind, options, candidate) in cases {
            let method = kind.build(&options).expect("valid");
            let answer = |p: &Problem| {
                let fit = method.fit(p, &candidate).expect("fits");
                (
                    fit.decision.posterior(&fit.outputs(&new)),
                    fit.report.objective.unwrap_or(0.0),
                    fit.report.residual.unwrap_or(0.0),
                )
            };
            let ((a, u, r), (b, v, _)) = (answer(&weighted), answer(&repeated));
            for (p, q) in a.as_slice().iter().zip(b.as_slice()) {
                assert!((p - q).abs() < 1e-6, "{kind:?} {options:?}: {p} {q}");
            }
            assert!((u - v).abs() < 1e-8 * v.abs().max(1.0), "{kind:?}: {u} {v}");
            // The gap of l2qp is what ends it.
            let bound = if kind == MethodKind::L2qp { 1e-8 } else { 1e-9 };
            assert!(r <= bound, "{kind:?}: {r}");
        }
    }
}
