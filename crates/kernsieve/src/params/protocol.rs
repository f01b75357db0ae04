//! The settings that all methods share: priors, costs, folds, the choice of a setting, seed,
//! scaling, calibration.

use super::{Fallback, Kind, Param, Range, Score, ThresholdRule};
use crate::classes::Classes;
use crate::error::{Error, Result, require};
use serde::{Deserialize, Serialize};

/// How any method is trained.
///
/// ```
/// use kernsieve::Protocol;
///
/// let protocol = Protocol::default().folds(10).seed(7);
/// assert_eq!(protocol.folds, 10);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Protocol {
    /// Class priors of the decision rules.
    pub priors: Priors,
    /// Cost of an error on a row of each class, in the order of the classes; empty means equal
    /// costs. The class of least expected cost is predicted.
    pub costs: Vec<f64>,
    /// Number of folds, 2 or more.
    pub folds: usize,
    /// How a setting is picked from the table of the cross-validation.
    pub rule: Rule,
    /// Whether the least error counts, or a small model that costs little.
    pub prefer: Prefer,
    /// What settings are chosen for. `None` is the error, or what the method ranks by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Two classes: how the threshold on the probability of the positive one is found. `None` calls
    /// the more probable class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<ThresholdRule>,
    /// Two classes: the positive one, which threshold, F1, precision and recall are about. `None` is
    /// the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// How settings are validated.
    pub validation: Validation,
    /// Whether cross-validation runs even when there is nothing to choose, for its estimate of the
    /// error.
    pub estimate: bool,
    /// Whether probabilities get the temperature of least cross-validated log loss, if the method
    /// needs it.
    pub calibrate: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether features are scaled to zero mean and unit variance on the training rows.
    pub standardize: bool,
    /// How features are prepared. `None` is standardised, unless the method chooses by the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare: Option<Preparation>,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            priors: Priors::Empirical,
            costs: vec![],
            folds: 5,
            rule: Rule::Min,
            prefer: Prefer::Accuracy,
            score: None,
            threshold: None,
            positive: None,
            validation: Validation::Folds,
            estimate: true,
            calibrate: true,
            seed: 0,
            standardize: true,
            prepare: None,
        }
    }
}

impl Protocol {
    /// With these priors.
    pub fn priors(mut self, priors: Priors) -> Self {
        self.priors = priors;
        self
    }

    /// With these costs of an error on a row of each class.
    pub fn costs(mut self, costs: impl Into<Vec<f64>>) -> Self {
        self.costs = costs.into();
        self
    }

    /// With this many folds.
    pub fn folds(mut self, folds: usize) -> Self {
        self.folds = folds;
        self
    }

    /// With this rule for the choice of a setting.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// For the least error, or for a small model that costs little.
    pub fn prefer(mut self, prefer: Prefer) -> Self {
        self.prefer = prefer;
        self
    }

    /// With settings chosen for this measure.
    pub fn score(mut self, score: Score) -> Self {
        self.score = Some(score);
        self
    }

    /// With a threshold between two classes that is found like this.
    pub fn threshold(mut self, threshold: ThresholdRule) -> Self {
        self.threshold = Some(threshold);
        self
    }

    /// With this positive class.
    pub fn positive(mut self, class: impl Into<String>) -> Self {
        self.positive = Some(class.into());
        self
    }

    /// The rule by which a setting is picked: a small model is the simplest within one standard
    /// error.
    pub fn picking_rule(&self) -> Rule {
        match self.prefer {
            Prefer::Small => Rule::OneStandardError,
            Prefer::Accuracy => self.rule,
        }
    }

    /// Position of the positive class among those of some data: the second one of two unless
    /// another is named. `None` if there are not two.
    pub fn positive_of(&self, classes: &[String]) -> Result<Option<usize>> {
        let two = classes.len() == 2;
        let Some(name) = &self.positive else {
            return Ok(two.then_some(1));
        };
        let Some(found) = classes.iter().position(|c| c == name) else {
            return Err(Error::Data(format!(
                "`positive={name}` is none of the classes, which are {}",
                classes.join(", ")
            )));
        };
        Ok(two.then_some(found))
    }

    /// With this validation.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// With or without an estimate of the error when there is nothing to choose.
    pub fn estimate(mut self, estimate: bool) -> Self {
        self.estimate = estimate;
        self
    }

    /// With or without calibrated probabilities.
    pub fn calibrate(mut self, calibrate: bool) -> Self {
        self.calibrate = calibrate;
        self
    }

    /// With this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With or without standardised features.
    pub fn standardize(mut self, standardize: bool) -> Self {
        self.standardize = standardize;
        self
    }

    /// With this preparation of the features.
    pub fn prepare(mut self, prepare: Preparation) -> Self {
        self.prepare = Some(prepare);
        self
    }

    /// Checks everything that does not depend on the data.
    pub fn check(&self) -> Result<()> {
        require("folds", self.folds, self.folds >= 2, "2 or more")?;
        COSTS.numbers(&self.costs)?;
        if let Priors::Given(priors) = &self.priors {
            PRIORS.numbers(priors)?;
        }
        if self.threshold == Some(ThresholdRule::Cost) && self.costs.is_empty() {
            return Err(Error::Data(
                "`threshold=cost` is the threshold of least cost: give the `costs` of errors, one \
                 per class"
                    .into(),
            ));
        }
        if !self.standardize && self.prepare.is_some() {
            return Err(Error::Data(
                "`prepare` is a preparation of standardised features; leave the standardisation on"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// What is preferred where both cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// The least error.
    #[default]
    Accuracy,
    /// A small model that costs little.
    Small,
}

/// How a feature is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preparation {
    /// Zero mean and unit variance.
    Standardize,
    /// Normal scores ([`crate::data::NormalScores`]).
    Scores,
}

/// Class priors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenPriors", into = "WrittenPriors")]
pub enum Priors {
    /// Proportions in the training rows.
    Empirical,
    /// The same for all classes.
    Uniform,
    /// Given, in the order of the classes; scaled to sum to 1.
    Given(Vec<f64>),
}

/// Priors as options and files spell them: a word, `[0.2, 0.8]`, or (in older files) `{"given":
/// [0.2, 0.8]}`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenPriors {
    List(Vec<f64>),
    Word(PriorsWord),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PriorsWord {
    Empirical,
    Uniform,
    Given(Vec<f64>),
}

impl From<WrittenPriors> for Priors {
    fn from(written: WrittenPriors) -> Self {
        match written {
            WrittenPriors::Word(PriorsWord::Empirical) => Self::Empirical,
            WrittenPriors::Word(PriorsWord::Uniform) => Self::Uniform,
            WrittenPriors::List(p) | WrittenPriors::Word(PriorsWord::Given(p)) => Self::Given(p),
        }
    }
}

impl From<Priors> for WrittenPriors {
    fn from(priors: Priors) -> Self {
        Self::Word(match priors {
            Priors::Empirical => PriorsWord::Empirical,
            Priors::Uniform => PriorsWord::Uniform,
            Priors::Given(p) => PriorsWord::Given(p),
        })
    }
}

impl Priors {
    /// The probabilities of these classes, whose names are `names`.
    pub fn resolve(&self, names: &[String], classes: &Classes) -> Result<Vec<f64>> {
        let c = names.len();
        match self {
            Self::Empirical => Ok(classes.shares()),
            Self::Uniform => Ok(vec![1.0 / c as f64; c]),
            Self::Given(p) => {
                if p.len() != c {
                    return Err(Error::Data(format!(
                        "{} priors for {c} classes; give one per class, in the order {}",
                        p.len(),
                        names.join(", ")
                    )));
                }
                let total: f64 = p.iter().sum();
                let valid = p.iter().all(|v| v.is_finite() && *v > 0.0) && total.is_finite();
                require("priors", format!("{p:?}"), valid, "finite and above 0")?;
                Ok(p.iter().map(|v| v / total).collect())
            }
        }
    }

    /// The priors of the classes at `kept` among `all` (the classes with rows in a fold).
    pub fn resolve_subset(
        &self,
        names: &[String],
        classes: &Classes,
        kept: &[usize],
        all: usize,
    ) -> Result<Vec<f64>> {
        match self {
            Self::Given(p) if p.len() == all && kept.len() < all => {
                Self::Given(kept.iter().map(|&c| p[c]).collect()).resolve(names, classes)
            }
            _ => self.resolve(names, classes),
        }
    }
}

/// How a setting is picked from the table of a cross-validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// Least error; ties go to the sparser, then the smoother setting.
    #[serde(rename = "min")]
    Min,
    /// The sparsest, then smoothest setting within one standard error of the least.
    #[serde(rename = "1se")]
    OneStandardError,
}

/// How settings are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Validation {
    /// k-fold cross-validation.
    #[serde(rename = "cv")]
    Folds,
    /// Leave-one-out by formula, from one fit on all rows (sMKDA: the PRESS residuals).
    #[serde(rename = "loo")]
    LeaveOneOut,
    /// One split into training and tuning rows: the first of the folds.
    #[serde(rename = "split")]
    Split,
}

const PRIORS: Param = Param::new(
    "priors",
    Kind::WordOrList(&["empirical", "uniform"], Range::Positive, "P"),
    Fallback::Word("empirical"),
    "Class priors of the decision rule: the shares in the training rows, equal ones, or one per \
     class in the order of the classes",
)
.usual();

const COSTS: Param = Param {
    // Both set the cost of an error on a class.
    excludes: &["class_ratio"],
    ..COSTS_ALONE
};

const COSTS_ALONE: Param = Param::new(
    "costs",
    Kind::List {
        range: Range::Positive,
        letter: "C",
    },
    Fallback::Absent("all equal"),
    "Cost of an error on a row of each class, in the order of the classes (sorted): the class of \
     least expected cost is predicted, and probabilities are weighed by the costs",
)
.usual();

/// The parameters of a [`Protocol`] that users set by name.
pub const PROTOCOL: &[Param] = &[
    PRIORS,
    COSTS,
    Param::new(
        "standardize",
        Kind::On("no-standardize"),
        Fallback::Kind,
        "Scale features to zero mean and unit variance on the training rows",
    ),
    Param {
        excludes: &["standardize"],
        ..Param::new(
            "prepare",
            Kind::Word(&["standardize", "scores"], ""),
            Fallback::Absent("standardize; sieve: chosen by the data"),
            "Prepare features by zero mean and unit variance, or by normal scores, which depend \
             on the order of the values alone: for skewed features and outliers",
        )
    },
    Param::new(
        "calibrate",
        Kind::On("no-calibration"),
        Fallback::Kind,
        "Give the probabilities the temperature of least cross-validated log loss, where the \
         method does not fit probabilities itself",
    ),
    Param::new(
        "prefer",
        Kind::Word(&["accuracy", "small"], ""),
        Fallback::Word("accuracy"),
        "The least error, or a small model that costs little: sieve keeps few features and samples \
         that cost at most about a point of error, other methods take the simplest setting within \
         one standard error, and auto the smallest model within one",
    )
    .usual(),
    Param::new(
        "score",
        Kind::Word(Score::NAMES, ""),
        Fallback::Absent("error; klr, fivm: error plus log loss; sieve: its own"),
        "What settings and methods are chosen for, measured on held-out rows: error, log loss, \
         balanced accuracy, area below the ROC curve, F1 or Matthews' correlation",
    )
    .usual(),
    Param::new(
        "threshold",
        Kind::Text {
            check: |text| ThresholdRule::parse(text).map(drop),
            letter: "T",
        },
        Fallback::Absent("none: the more probable class"),
        "Two classes: call a row positive if that probability is at least T, or at least a value \
         found on held-out rows: best:f1 (or balanced, mcc, error), precision:P, recall:R, or cost \
         (with `costs`, which then leave the probabilities as they are)",
    )
    .usual(),
    Param::new(
        "positive",
        Kind::Text {
            check: |_| Ok(()),
            letter: "CLASS",
        },
        Fallback::Absent("the second of two classes"),
        "Two classes: the class that `threshold`, precision, recall and F1 are about",
    ),
    Param::new(
        "rule",
        Kind::Word(&["min", "1se"], ""),
        Fallback::Word("min"),
        "Pick the setting of least cross-validated error (klr, fivm: error plus log loss), or the \
         sparsest (then smoothest) within one standard error of it",
    ),
    Param::new(
        "validation",
        Kind::Word(&["cv", "split", "loo"], ""),
        Fallback::Word("cv"),
        "Validate settings on all folds, on the first fold only (split), or (smkda) by leaving out \
         each row in turn, from one fit",
    ),
    Param::new(
        "folds",
        Kind::Count {
            least: 2,
            most: u64::MAX,
            letter: "K",
        },
        Fallback::Count(5),
        "Folds of the cross-validation",
    )
    .usual(),
    Param::new(
        "seed",
        Kind::Count {
            least: 0,
            most: u64::MAX,
            letter: "S",
        },
        Fallback::Count(0),
        "Seed of everything random",
    )
    .usual(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn priors_are_read_in_every_form_that_was_ever_written() {
        for (text, priors) in [
            (json!("empirical"), Priors::Empirical),
            (json!("uniform"), Priors::Uniform),
            (json!([0.2, 0.8]), Priors::Given(vec![0.2, 0.8])),
            (json!({"given": [0.2, 0.8]}), Priors::Given(vec![0.2, 0.8])),
        ] {
            let read: Priors = serde_json::from_value(text).expect("known");
            assert_eq!(read, priors);
            let again = serde_json::to_value(&read).expect("plain");
            assert_eq!(
                serde_json::from_value::<Priors>(again).expect("known"),
                priors
            );
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Protocol::default().check().is_ok());
        assert!(Protocol::default().folds(1).check().is_err());
        assert!(Protocol::default().costs([1.0, f64::NAN]).check().is_err());
        let priors = Priors::Given(vec![0.5, 0.0]);
        assert!(Protocol::default().priors(priors).check().is_err());
    }
}
