//! The options that methods share, under one name each.

use super::MethodKind;
use crate::classes::Classes;
use crate::data::Labels;
use crate::decision::Simplex;
use crate::error::{Error, Result, require};
use crate::kernel::{Family, Kernel};
use crate::solver::sparse_weights::Steps;
use serde::{Deserialize, Serialize};

/// What the user fixed; everything left `None` is tuned.
///
/// | name | default | range | meaning |
/// |---|---|---|---|
/// | `kernel` | Gaussian | | kernel family |
/// | `bandwidths` | tuned | above 0 | widths to choose among; one value fixes it |
/// | `degree` | 3 | 1 to 64 | of the polynomial kernel |
/// | `slope`, `shift` | `1 / p`, 0 | finite | of the sigmoid kernel |
/// | `ridge` | tuned | above 0 | squared-norm penalty: `gamma` of KOS, `r` of MKDA, `lambda` of KLR and FIVM; L2LE: added to the diagonal of its matrix, which is 1 |
/// | `ridge_rule` | stabilization | | how KOS finds its ridge when it is not given |
/// | `penalty` | kernel | | MKDA: `R = r K` or `R = r I` |
/// | `priors` | empirical | | class priors of the decision rules |
/// | `costs` | all alike | above 0 | cost of an error on a row of each class; the class of least expected cost is predicted |
/// | `mahalanobis` | no | | KOS: Mahalanobis distance to the centroids in place of Euclidean |
/// | `components` | all | 1 or more | canonical variates that are kept |
/// | `max_support` | tuned; all | 1 or more | sMKDA: retained samples, `n_s`; KLR, FIVM: at most so many samples carry the model |
/// | `sparsity` | tuned | 0 or more | sparse KOS: penalty on the feature weights; L1 DKF: on the regression coefficients; `lambda` of both |
/// | `l1_ratio` | 1 | above 0, at most 1 | L1 DKF: share of the L1 norm in that penalty, the rest is half the squared norm (elastic net) |
/// | `posterior` | none; L1 DKF: l1 | | the kernel becomes the discriminant kernel of these posteriors (MKDA, sMKDA, KOS, KLR, L1 DKF) |
/// | `smoothing` | 0 | 0 or more | L2QP, L2LE: `k` of L2QP-k |
/// | `balances` | 1; tuned from 16 features on | above 0 | L2QP: `eta` |
/// | `class_bandwidths` | common | above 0 | L2QP: one bandwidth, one a class in proportion to its spread, or given ones |
/// | `relaxed` | no | | L2QP: weights of a class may sum to less than 1 |
/// | `class_ratio` | ratio of the priors | above 0 | L2QP, L2LE, two classes: `gamma` |
/// | `multiclass` | rest | | L2QP: each class against the rest, or every density by itself |
/// | `simplex` | clip | | how regression outputs become posteriors |
/// | `mapping` | lda | | L1 DKF: discriminant analysis with the kernel, or Otsu's mapping itself |
/// | `metric` | within | | LDA, L1 DKF: in which covariance the nearest mean is found |
/// | `spacing` | log | | sparse KOS: how the penalties that are tried are spaced |
/// | `weight_steps` | projected | | sparse KOS: how the weights are moved |
/// | `restarts` | 0 | at most 1000 | sparse KOS: starts besides the path, from all ones and from random weights |
/// | `vote` | yes | | sparse KOS: features are those that most folds keep within one standard error; FIVM: imports that fewer than half of the folds confirm are left out |
/// | `landmarks` | sample | | sparse KOS: how `candidates` landmarks are found |
/// | `path_limit` | 1000 | 1 or more | sMKDA: longest path when `n_s` is tuned |
/// | `ridges` | the method's own | finite and above 0 | KLR, FIVM, L2LE: squared-norm penalties to choose among |
/// | `max_features` | 30 | 1 or more | FIVM: imports at most |
/// | `stop` | cv | | FIVM: when imports end |
/// | `tol` | 0.001 | 0 or more | FIVM: epsilon of the training-accuracy rule |
/// | `lag` | 1 | 1 or more | FIVM: delta k of the training-accuracy rule |
/// | `patience` | 5 (cv), 1 (accuracy) | 1 or more | FIVM: imports without progress before the end |
/// | `candidates` | all | 2 or more | sMKDA: samples to choose among; sparse KOS: landmarks |
/// | `rule` | min | | candidate of least CV error, or the simplest within one standard error |
/// | `validation` | folds | | cross-validation by folds, one split, or leave-one-out by formula (sMKDA) |
/// | `folds` | 5 | 2 or more | cross-validation |
/// | `calibrate` | yes | | probabilities get the temperature of least cross-validated log loss (MKDA, sMKDA, KOS, sparse KOS, L1 DKF, L2LE) |
/// | `seed` | 0 | | of everything random |
/// | `standardize` | yes | | zero mean and unit variance on the training rows |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Kernel family.
    pub kernel: Family,
    /// Bandwidths to choose among; empty means tuned on the method's own grid.
    pub bandwidths: Vec<f64>,
    /// Degree of the polynomial kernel.
    pub degree: u32,
    /// Slope of the sigmoid kernel; `None` is one over the number of features.
    pub slope: Option<f64>,
    /// Shift of the sigmoid kernel.
    pub shift: f64,
    /// Fixed squared-norm penalty.
    pub ridge: Option<f64>,
    /// How KOS finds its ridge.
    pub ridge_rule: RidgeRule,
    /// Penalty of MKDA.
    pub penalty: Penalty,
    /// Class priors.
    pub priors: Priors,
    /// Cost of an error on a row of each class, in the order of the classes; empty is all alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<f64>,
    /// Whether KOS decides by Mahalanobis distance.
    pub mahalanobis: bool,
    /// Canonical variates that are kept.
    pub components: Option<usize>,
    /// Retained samples of sMKDA; `None` is tuned.
    pub max_support: Option<usize>,
    /// sMKDA: the longest path that is followed when the number of samples is tuned; `None` is
    /// 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_limit: Option<usize>,
    /// Fixed L1 penalty: sparse KOS on the feature weights, L1 DKF on the coefficients of the
    /// posteriors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity: Option<f64>,
    /// Posteriors by regression: share of the L1 norm in the penalty.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub l1_ratio: f64,
    /// Estimate of the posteriors whose discriminant kernel takes the place of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior: Option<PosteriorKind>,
    /// L2QP: smoothing of the target, `k` of L2QP-k.
    #[serde(default, skip_serializing_if = "is_default")]
    pub smoothing: f64,
    /// L2QP: balances of the quadratic and the linear term to choose among, `eta`; empty is 1, or
    /// tuned in many dimensions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub balances: Vec<f64>,
    /// L2QP: bandwidths of the classes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub class_bandwidths: ClassBandwidths,
    /// L2QP: whether the weights of a class may sum to less than 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub relaxed: bool,
    /// L2QP, two classes: weight of the first density against the second, `gamma`; `None` is the
    /// ratio of the priors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_ratio: Option<f64>,
    /// L2QP: how several classes are told apart.
    #[serde(default, skip_serializing_if = "is_default")]
    pub multiclass: MulticlassKind,
    /// How regression outputs become posteriors.
    #[serde(default, skip_serializing_if = "is_default")]
    pub simplex: Simplex,
    /// L1 DKF: from posteriors to variates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mapping: MappingKind,
    /// LDA, L1 DKF: covariance in which the nearest mean is found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub metric: Metric,
    /// Sparse KOS: spacing of the penalties.
    #[serde(default)]
    pub spacing: Spacing,
    /// Sparse KOS: how weights are moved.
    #[serde(default)]
    pub weight_steps: Steps,
    /// Sparse KOS: starts at the penalty itself besides the path.
    #[serde(default)]
    pub restarts: usize,
    /// Sparse KOS, FIVM: whether folds vote on the features.
    #[serde(default = "yes")]
    pub vote: bool,
    /// Sparse KOS: how landmarks are found.
    #[serde(default)]
    pub landmarks: Landmarks,
    /// KLR, FIVM: squared-norm penalties to choose among; empty means the method's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ridges: Vec<f64>,
    /// FIVM: imports at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_features: Option<usize>,
    /// FIVM: when imports end.
    #[serde(default)]
    pub stop: StopRule,
    /// FIVM: epsilon of the training-accuracy rule.
    #[serde(default = "tol")]
    pub tol: f64,
    /// FIVM: delta k of the training-accuracy rule.
    #[serde(default = "lag")]
    pub lag: usize,
    /// FIVM: imports without progress before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<usize>,
    /// sMKDA: samples to choose among, drawn by class; sparse KOS: landmarks; `None` is all rows.
    pub candidates: Option<usize>,
    /// How the candidate is picked from the cross-validation table.
    pub rule: Rule,
    /// How candidates are validated.
    #[serde(default)]
    pub validation: Validation,
    /// Number of folds.
    pub folds: usize,
    /// Whether probabilities are calibrated by cross-validation (`mkda`, `smkda`, `kos`).
    pub calibrate: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether features are standardised.
    pub standardize: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kernel: Family::Gaussian,
            bandwidths: vec![],
            degree: 3,
            slope: None,
            shift: 0.0,
            ridge: None,
            ridge_rule: RidgeRule::Stabilization,
            penalty: Penalty::Kernel,
            priors: Priors::Empirical,
            costs: vec![],
            mahalanobis: false,
            components: None,
            max_support: None,
            path_limit: None,
            sparsity: None,
            l1_ratio: 1.0,
            posterior: None,
            smoothing: 0.0,
            balances: vec![],
            class_bandwidths: ClassBandwidths::Common,
            relaxed: false,
            class_ratio: None,
            multiclass: MulticlassKind::Rest,
            simplex: Simplex::Clip,
            mapping: MappingKind::Lda,
            metric: Metric::Within,
            spacing: Spacing::Log,
            weight_steps: Steps::Projected,
            restarts: 0,
            vote: true,
            landmarks: Landmarks::Sample,
            ridges: vec![],
            max_features: None,
            stop: StopRule::Cv,
            tol: tol(),
            lag: lag(),
            patience: None,
            candidates: None,
            rule: Rule::Min,
            validation: Validation::Folds,
            folds: 5,
            calibrate: true,
            seed: 0,
            standardize: true,
        }
    }
}

/// How the ridge of kernel optimal scoring is found (Lapanowski & Gaynanova, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RidgeRule {
    /// Shrinkage of the Gram matrix, `n gamma = gamma-hat`: the reading in which the two formulas
    /// agree.
    Stabilization,
    /// `gamma = gamma-hat` put into eq. 5 as printed, `n` times as large: what the authors ran.
    StabilizationLiteral,
    /// Generalised cross-validation.
    Gcv,
    /// Cross-validation, together with the bandwidth.
    Cv,
}

/// Penalty matrix `R` of multinomial kernel discriminant analysis (Harrison & Pasupa, eq. 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// `R = r K`: the squared norm of the function.
    Kernel,
    /// `R = r I`: the squared norm of the coefficients.
    Identity,
}

/// Class priors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priors {
    /// Proportions in the training rows.
    Empirical,
    /// All classes alike.
    Uniform,
    /// Given, in the order of the classes; scaled to sum to 1.
    Given(Vec<f64>),
}

impl Priors {
    /// Probabilities for these classes.
    pub fn resolve(&self, labels: &Labels, classes: &Classes) -> Result<Vec<f64>> {
        let c = labels.n_classes();
        match self {
            Self::Empirical => Ok(classes.shares()),
            Self::Uniform => Ok(vec![1.0 / c as f64; c]),
            Self::Given(p) => {
                if p.len() != c {
                    return Err(Error::Data(format!(
                        "{} priors for {c} classes; give one per class, in the order {}",
                        p.len(),
                        labels.classes().join(", ")
                    )));
                }
                let total: f64 = p.iter().sum();
                let valid = p.iter().all(|v| v.is_finite() && *v > 0.0) && total.is_finite();
                require("priors", format!("{p:?}"), valid, "finite and above 0")?;
                Ok(p.iter().map(|v| v / total).collect())
            }
        }
    }

    /// The priors of the classes named in `kept` (those that a fold has rows of).
    pub fn resolve_subset(
        &self,
        labels: &Labels,
        classes: &Classes,
        kept: &[usize],
        all: usize,
    ) -> Result<Vec<f64>> {
        match self {
            Self::Given(p) if p.len() == all && kept.len() < all => {
                Self::Given(kept.iter().map(|&c| p[c]).collect()).resolve(labels, classes)
            }
            _ => self.resolve(labels, classes),
        }
    }
}

/// How the candidate is picked from the cross-validation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// Least error; ties to the sparser, then the smoother candidate.
    #[serde(rename = "min")]
    Min,
    /// The sparsest, then smoothest candidate within one standard error of the least.
    #[serde(rename = "1se")]
    OneStandardError,
}

/// An estimate of class posteriors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PosteriorKind {
    /// One lasso a class on its indicator (Hidaka & Kurita, section 4.1).
    L1,
    /// Logistic regression with an L1 penalty.
    Logistic,
    /// Kernel logistic regression.
    Klr,
    /// Plug-in kernel densities.
    Parzen,
}

impl PosteriorKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::L1, Self::Logistic, Self::Klr, Self::Parzen];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Logistic => "logistic",
            Self::Klr => "klr",
            Self::Parzen => "parzen",
        }
    }
}

/// How posteriors become variates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MappingKind {
    /// Discriminant analysis with the discriminant kernel, from the classes of the training rows
    /// (Hidaka & Kurita, section 4.2).
    #[default]
    Lda,
    /// The optimum nonlinear discriminant mapping, from the posteriors alone (section 2.3).
    Onda,
}

/// Covariance that the variates are scaled by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The pooled within-class covariance of the variates is the identity: the nearest mean is that
    /// of least Mahalanobis distance.
    #[default]
    Within,
    /// Their total covariance is (Hidaka & Kurita, eq. 2).
    Total,
}

/// Bandwidths of the classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassBandwidths {
    /// One for all.
    #[default]
    Common,
    /// In proportion to the median distance within each class.
    Spread,
    /// Given, in the order of the classes.
    Given(Vec<f64>),
}

/// How L2QP tells several classes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MulticlassKind {
    /// One difference of densities a class: it against all others.
    #[default]
    Rest,
    /// Every density by itself.
    Joint,
}

fn whole() -> f64 {
    1.0
}

fn is_whole(ratio: &f64) -> bool {
    *ratio == 1.0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn yes() -> bool {
    true
}

fn tol() -> f64 {
    1e-3
}

fn lag() -> usize {
    1
}

/// When the imports of FIVM end (Ghosh & Wang, section 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// At the number of features of least cross-validated error.
    #[default]
    Cv,
    /// When the training accuracy no longer changes by more than `tol`, relatively; the paper's.
    Accuracy,
    /// At `max_features`.
    None,
}

/// How the penalties of sparse KOS are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Evenly in the logarithm, from a thousandth of the largest.
    #[default]
    Log,
    /// Evenly, from 1e-10 of the largest (Lapanowski & Gaynanova, section 5.3).
    Linear,
}

/// How landmarks are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landmarks {
    /// Drawn by class.
    #[default]
    Sample,
    /// Orthogonal least squares among three times as many.
    Ols,
}

/// How candidates are validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Validation {
    /// k-fold cross-validation.
    #[default]
    #[serde(rename = "cv")]
    Folds,
    /// Leave-one-out by formula, from one fit on all rows (sMKDA: the PRESS residuals).
    #[serde(rename = "loo")]
    LeaveOneOut,
    /// One split into training and tuning rows: the first of the folds.
    #[serde(rename = "split")]
    Split,
}

impl Options {
    /// Checks everything that does not depend on the data.
    pub fn check(&self, method: MethodKind) -> Result<()> {
        for &b in &self.bandwidths {
            require(
                "bandwidth",
                b,
                b.is_finite() && b > 0.0,
                "finite and above 0",
            )?;
        }
        if let Some(r) = self.ridge {
            require("ridge", r, r.is_finite() && r > 0.0, "finite and above 0")?;
        }
        for &r in &self.ridges {
            require("ridges", r, r.is_finite() && r > 0.0, "finite and above 0")?;
        }
        if let Some(k) = self.max_features {
            require("max-features", k, k >= 1, "1 or more")?;
        }
        require(
            "tol",
            self.tol,
            self.tol.is_finite() && self.tol >= 0.0,
            "finite and 0 or more",
        )?;
        require("lag", self.lag, self.lag >= 1, "1 or more")?;
        if let Some(k) = self.patience {
            require("patience", k, k >= 1, "1 or more")?;
        }
        if let Some(k) = self.components {
            require("components", k, k >= 1, "1 or more")?;
        }
        if let Some(m) = self.candidates {
            require("candidates", m, m >= 2, "2 or more")?;
        }
        if let Some(k) = self.max_support {
            require("max-support", k, k >= 1, "1 or more")?;
        }
        if let Some(l) = self.sparsity {
            require(
                "sparsity",
                l,
                l.is_finite() && l >= 0.0,
                "finite and 0 or more",
            )?;
        }
        require(
            "l1-ratio",
            self.l1_ratio,
            self.l1_ratio > 0.0 && self.l1_ratio <= 1.0,
            "above 0 and at most 1",
        )?;
        require(
            "restarts",
            self.restarts,
            self.restarts <= 1000,
            "at most 1000",
        )?;
        if let Some(k) = self.path_limit {
            require("path-limit", k, k >= 1, "1 or more")?;
        }
        if self.validation == Validation::LeaveOneOut {
            require(
                "validation",
                "loo",
                method == MethodKind::Smkda
                    && self.candidates.is_none()
                    && self.posterior.is_none(),
                "cv or split, unless the method is smkda without --candidates and --posterior, which has a formula for leave-one-out",
            )?;
        }
        require("folds", self.folds, self.folds >= 2, "2 or more")?;
        require(
            "degree",
            self.degree,
            (1..=64).contains(&self.degree),
            "from 1 to 64",
        )?;
        if let Some(posterior) = self.posterior
            && !method.takes_discriminant_kernel()
        {
            return Err(Error::Data(format!(
                "{} needs the features themselves and cannot have a discriminant kernel (--posterior {}); l1-dkf, mkda, smkda, kos and klr can",
                method.name(),
                posterior.name()
            )));
        }
        for &b in &self.balances {
            require("balance", b, b.is_finite() && b > 0.0, "finite and above 0")?;
        }
        require(
            "smoothing",
            self.smoothing,
            self.smoothing.is_finite() && self.smoothing >= 0.0,
            "finite and 0 or more",
        )?;
        let valid = self.costs.iter().all(|c| c.is_finite() && *c > 0.0);
        require(
            "costs",
            format!("{:?}", self.costs),
            valid,
            "finite and above 0",
        )?;
        if let Some(g) = self.class_ratio {
            require(
                "class-ratio",
                g,
                g.is_finite() && g > 0.0,
                "finite and above 0",
            )?;
        }
        if let (MethodKind::L2qp, true) = (method, self.class_bandwidths != ClassBandwidths::Common)
        {
            let name = format!("{:?}", self.kernel).to_lowercase();
            let mixes = matches!(self.kernel, Family::Gaussian | Family::Cauchy);
            require(
                "the kernel of --class-bandwidths",
                name,
                mixes,
                "gaussian or cauchy",
            )?;
            require(
                "smoothing",
                self.smoothing,
                self.smoothing == 0.0,
                "0 with --class-bandwidths",
            )?;
            if let ClassBandwidths::Given(widths) = &self.class_bandwidths {
                let valid = widths.iter().all(|b| b.is_finite() && *b > 0.0);
                require(
                    "class-bandwidths",
                    format!("{widths:?}"),
                    valid,
                    "finite and above 0",
                )?;
            }
        }
        let l2 = matches!(method, MethodKind::L2qp | MethodKind::L2le);
        if l2 && self.smoothing > 0.0 {
            let name = format!("{:?}", self.kernel).to_lowercase();
            require(
                "the kernel of --smoothing",
                name,
                self.kernel == Family::Gaussian,
                "gaussian",
            )?;
        }
        let posterior = self.posterior_of(method);
        if matches!(method, MethodKind::Klr | MethodKind::Fivm) && posterior.is_none()
            || posterior == Some(PosteriorKind::Klr)
        {
            let name = format!("{:?}", self.kernel).to_lowercase();
            require(
                "the kernel of kernel logistic regression",
                name,
                self.kernel.is_definite(),
                "positive definite: any but sigmoid",
            )?;
        }
        if l2 || method == MethodKind::Parzen || posterior == Some(PosteriorKind::Parzen) {
            let name = format!("{:?}", self.kernel).to_lowercase();
            let what = match method {
                MethodKind::L2qp => "the kernel of l2qp",
                MethodKind::L2le => "the kernel of l2le",
                _ => "the kernel of parzen and of densities",
            };
            require(
                what,
                name,
                self.kernel.has_bandwidth(),
                "a density: gaussian, laplacian or cauchy",
            )?;
        }
        Ok(())
    }

    /// Checks what a density is estimated with.
    pub fn check_density(&self) -> Result<()> {
        self.check(MethodKind::Parzen)
    }

    /// The posteriors that make the kernel of a method, if any do.
    pub fn posterior_of(&self, method: MethodKind) -> Option<PosteriorKind> {
        let own = (method == MethodKind::L1Dkf).then_some(PosteriorKind::L1);
        self.posterior.or(own)
    }

    /// What was given but means nothing to the method, in the words of the command line.
    pub fn ignored(&self, method: MethodKind) -> Vec<&'static str> {
        let default = Self::default();
        let (lda, parzen) = (method == MethodKind::Lda, method == MethodKind::Parzen);
        let kos = matches!(method, MethodKind::Kos | MethodKind::SparseKos);
        let (smkda, sparse) = (method == MethodKind::Smkda, method == MethodKind::SparseKos);
        let fivm = method == MethodKind::Fivm;
        let logistic = fivm || method == MethodKind::Klr;
        let by_accuracy = fivm && self.stop == StopRule::Accuracy;
        let dkf = method == MethodKind::L1Dkf;
        let (l2, linear) = (method == MethodKind::L2qp, method == MethodKind::L2le);
        let posterior = self.posterior_of(method);
        let regression = matches!(posterior, Some(PosteriorKind::L1 | PosteriorKind::Logistic));
        // Linear posteriors leave no kernel to choose; the others have one of their own.
        let lda = lda || regression;
        let klr_posterior = dkf && posterior == Some(PosteriorKind::Klr);
        let logistic = logistic || klr_posterior;
        let fixed_width = !self.kernel.has_bandwidth();
        [
            (
                lda && self.kernel != default.kernel && self.kernel != Family::Linear,
                "--kernel",
            ),
            (
                (lda || fixed_width
                    || l2 && matches!(self.class_bandwidths, ClassBandwidths::Given(_)))
                    && !self.bandwidths.is_empty(),
                "--bandwidth",
            ),
            (
                (method == MethodKind::Lda || parzen || smkda || l2 || dkf && !klr_posterior)
                    && self.ridge.is_some(),
                "--ridge",
            ),
            (
                !smkda && !logistic && self.max_support.is_some(),
                "--max-support",
            ),
            (!logistic && !linear && !self.ridges.is_empty(), "--ridges"),
            (!fivm && self.max_features.is_some(), "--max-features"),
            (!fivm && self.stop != default.stop, "--stop"),
            (!by_accuracy && self.tol != default.tol, "--tol"),
            (!by_accuracy && self.lag != default.lag, "--lag"),
            (
                !(fivm && self.stop != StopRule::None) && self.patience.is_some(),
                "--patience",
            ),
            (!smkda && self.path_limit.is_some(), "--path-limit"),
            (
                !smkda && !sparse && self.candidates.is_some(),
                "--candidates",
            ),
            (
                !sparse && !regression && self.sparsity.is_some(),
                "--sparsity",
            ),
            (
                !regression && self.l1_ratio != default.l1_ratio,
                "--l1-ratio",
            ),
            (
                posterior != Some(PosteriorKind::L1) && self.simplex != default.simplex,
                "--simplex",
            ),
            (!dkf && self.mapping != default.mapping, "--mapping"),
            (!l2 && !self.balances.is_empty(), "--balance"),
            (
                !l2 && !linear && self.smoothing != default.smoothing,
                "--smoothing",
            ),
            (
                !l2 && self.class_bandwidths != default.class_bandwidths,
                "--class-bandwidths",
            ),
            (!l2 && self.relaxed, "--relaxed"),
            (
                !l2 && !linear && self.class_ratio.is_some(),
                "--class-ratio",
            ),
            (!l2 && self.multiclass != default.multiclass, "--multiclass"),
            (
                !(method == MethodKind::Lda || dkf && self.mapping == MappingKind::Lda)
                    && self.metric != default.metric,
                "--metric",
            ),
            (!sparse && self.spacing != default.spacing, "--spacing"),
            (
                !sparse && self.weight_steps != default.weight_steps,
                "--weight-steps",
            ),
            (!sparse && self.restarts > 0, "--restarts"),
            (
                !(self.vote || sparse || fivm && self.stop == StopRule::Cv),
                "--no-vote",
            ),
            (
                !(sparse && self.candidates.is_some()) && self.landmarks != default.landmarks,
                "--landmarks",
            ),
            (
                (!kos || self.ridge.is_some()) && self.ridge_rule != default.ridge_rule,
                "--ridge-rule",
            ),
            (
                method != MethodKind::Mkda && self.penalty != default.penalty,
                "--penalty",
            ),
            (!kos && self.mahalanobis, "--mahalanobis"),
            (
                (parzen || kos || logistic || l2 || linear) && self.components.is_some(),
                "--components",
            ),
        ]
        .into_iter()
        .filter_map(|(given, name)| given.then_some(name))
        .collect()
    }

    /// A kernel of the family with this bandwidth.
    pub fn kernel_with(&self, bandwidth: f64, n_features: usize) -> Result<Kernel> {
        let kernel = match self.kernel {
            Family::Linear => Kernel::Linear,
            Family::Gaussian => Kernel::Gaussian { bandwidth },
            Family::Polynomial => Kernel::Polynomial {
                degree: self.degree,
            },
            Family::Sigmoid => Kernel::Sigmoid {
                slope: self.slope.unwrap_or(1.0 / n_features.max(1) as f64),
                shift: self.shift,
            },
            Family::Laplacian => Kernel::Laplacian { bandwidth },
            Family::Cauchy => Kernel::Cauchy {
                bandwidth,
                dimension: n_features,
            },
        };
        kernel.check()?;
        Ok(kernel)
    }

    /// The kernels that the user fixed, smoothest first; `None` when the bandwidth is to be tuned
    /// on a grid.
    pub fn fixed_kernels(&self, n_features: usize) -> Result<Option<Vec<Kernel>>> {
        if !self.kernel.has_bandwidth() {
            return Ok(Some(vec![self.kernel_with(1.0, n_features)?]));
        }
        if self.bandwidths.is_empty() {
            return Ok(None);
        }
        let mut widths = self.bandwidths.clone();
        widths.sort_by(|a, b| b.total_cmp(a));
        widths.dedup();
        widths
            .into_iter()
            .map(|b| self.kernel_with(b, n_features))
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_meaning_are_named() {
        let options = Options {
            ridge: Some(1.0),
            bandwidths: vec![1.0],
            mahalanobis: true,
            ..Options::default()
        };
        assert_eq!(
            options.ignored(MethodKind::Lda),
            ["--bandwidth", "--ridge", "--mahalanobis"]
        );
        assert_eq!(options.ignored(MethodKind::Mkda), ["--mahalanobis"]);
        assert!(options.ignored(MethodKind::Kos).is_empty());
        for m in MethodKind::ALL {
            assert!(Options::default().ignored(m).is_empty());
        }
    }

    #[test]
    fn parzen_wants_a_density() {
        let options = Options {
            kernel: Family::Linear,
            ..Options::default()
        };
        assert!(matches!(
            options.check(MethodKind::Parzen),
            Err(Error::Parameter { .. })
        ));
        assert!(options.check(MethodKind::Kos).is_ok());
    }
}
