//! What a method trains on, and the folds that validate it.

use crate::classes::Classes;
use crate::data::{Labels, class_factors, sample_with_rare};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, gram_from_base};
use crate::linalg::Matrix;
use crate::params::Priors;

/// What a method trains on: rows in the units of the kernel, labels in which every class occurs,
/// and priors.
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
    /// 1 for a feature that is used, 0 for a constant one.
    pub feature_weights: Vec<f64>,
    /// The block of each row, where rows belong together and are left out together.
    pub blocks: Option<Vec<usize>>,
    /// Whether the method may replace features by their normal scores: the user left that open.
    pub may_score: bool,
    /// Seed of all random draws of the method.
    pub seed: u64,
}

impl Problem {
    /// A problem that uses all features, with empirical priors.
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
        let priors = Priors::Empirical.resolve(labels.classes(), &classes)?;
        let feature_weights = vec![1.0; x.cols()];
        Ok(Self {
            x,
            labels,
            weights: None,
            priors,
            feature_weights,
            blocks: None,
            may_score: true,
            seed: 0,
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

    /// Some of the rows, at least one of every class; the priors stay.
    pub fn select(&self, rows: &[usize]) -> Self {
        let weights = self.weights.as_ref();
        let blocks = self.blocks.as_ref();
        Self {
            x: self.x.select_rows(rows),
            labels: self.labels.select(rows),
            weights: weights.map(|w| rows.iter().map(|&i| w[i]).collect()),
            priors: self.priors.clone(),
            feature_weights: self.feature_weights.clone(),
            blocks: blocks.map(|b| rows.iter().map(|&i| b[i]).collect()),
            may_score: self.may_score,
            seed: self.seed,
        }
    }

    /// At most so many of the rows, and which they are: more rows of rare classes than their share,
    /// which weigh less for that.
    pub fn sample(&self, most: usize, seed: u64) -> (Vec<usize>, Self) {
        let rows = sample_with_rare(&self.labels, most, seed);
        let mut part = self.select(&rows);
        if let Some(factors) = class_factors(&self.labels, self.weights.as_deref(), &rows) {
            let weights = part.weights.unwrap_or_else(|| vec![1.0; rows.len()]);
            let codes = part.labels.codes().iter();
            part.weights = Some(codes.zip(weights).map(|(&c, w)| w * factors[c]).collect());
        }
        (rows, part)
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.x.rows()
    }

    /// Number of features that are used.
    pub fn n_active(&self) -> usize {
        self.feature_weights.iter().filter(|w| **w != 0.0).count()
    }

    /// Logarithms of the priors.
    pub fn log_priors(&self) -> Vec<f64> {
        self.priors.iter().map(|p| p.ln()).collect()
    }
}

/// The training and held-out rows of a fold, and what the settings of a method share there.
pub struct Fold {
    /// Training part.
    pub train: Problem,
    /// Held-out rows, scaled by the training part.
    pub held_out: Matrix,
    /// Their classes among those of the training part, which may lack one.
    pub held_out_classes: Vec<Option<usize>>,
    /// Their weights.
    pub held_out_weights: Vec<f64>,
    /// Base values (distances or inner products) of the training rows with themselves; `None` when
    /// the method needs none.
    pub train_base: Option<Matrix>,
    /// Base values of the held-out rows with the training rows.
    pub held_out_base: Option<Matrix>,
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

/// The result of a setting on held-out rows.
#[derive(Clone)]
pub struct HeldOut {
    /// Log scores (log probabilities up to a constant per row), rows x classes.
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

/// Every row as predicted from all others.
pub struct LeftOutRows {
    /// Log scores, rows x classes.
    pub scores: Matrix,
    /// Squared residual of the scored responses of each row.
    pub squared_residuals: Vec<f64>,
}
