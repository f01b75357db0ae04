//! What settings are chosen for, and where two classes are divided.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The measure by which settings and methods are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// Share of rows that are predicted wrongly.
    Error,
    /// Mean of `-log p` of the true class.
    LogLoss,
    /// Mean over classes of the share that is found (balanced accuracy).
    Balanced,
    /// Area below the receiver operating characteristic; for many classes the mean over each against
    /// the rest.
    Auc,
    /// F1 of the positive class; for many classes the mean over classes.
    F1,
    /// Matthews' correlation coefficient.
    Mcc,
}

impl Score {
    /// All of them, by name.
    pub const NAMES: &'static [&'static str] =
        &["error", "log-loss", "balanced", "auc", "f1", "mcc"];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::LogLoss => "log-loss",
            Self::Balanced => "balanced",
            Self::Auc => "auc",
            Self::F1 => "f1",
            Self::Mcc => "mcc",
        }
    }

    /// In a table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::LogLoss => "log loss",
            Self::Balanced => "balanced",
            Self::Auc => "AUC",
            Self::F1 => "F1",
            Self::Mcc => "MCC",
        }
    }

    /// Whether more is better.
    pub fn is_gain(self) -> bool {
        !matches!(self, Self::Error | Self::LogLoss)
    }

    /// A value of the measure as something to make small, or the other way round.
    pub fn as_loss(self, value: f64) -> f64 {
        if self.is_gain() { 1.0 - value } else { value }
    }
}

/// How the threshold on the probability of the positive class is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "String")]
pub enum ThresholdRule {
    /// It is given.
    Value(f64),
    /// Largest value of a measure of held-out rows.
    Best(Score),
    /// The most positive rows found with at least this share of the calls right.
    Precision(f64),
    /// The fewest false alarms with at least this share of the positive rows found.
    Recall(f64),
    /// Least cost of held-out rows.
    Cost,
}

/// Threshold rules as options and files spell them: `0.3`, `"0.3"`, `"best:f1"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Text(String),
}

impl TryFrom<Written> for ThresholdRule {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        match written {
            Written::Number(v) => Self::parse(&v.to_string()),
            Written::Text(text) => Self::parse(&text),
        }
    }
}

impl From<ThresholdRule> for String {
    fn from(rule: ThresholdRule) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for ThresholdRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(v) => write!(f, "{v}"),
            Self::Best(score) => write!(f, "best:{}", score.name()),
            Self::Precision(v) => write!(f, "precision:{v}"),
            Self::Recall(v) => write!(f, "recall:{v}"),
            Self::Cost => f.write_str("cost"),
        }
    }
}

impl ThresholdRule {
    /// What it may be, in words.
    pub const WANTED: &'static str = "a probability above 0 and below 1, best:f1, best:balanced, \
                                      best:mcc, best:error, precision:P, recall:R, or cost";

    /// Reads `0.3`, `best:f1`, `precision:0.9`, `recall:0.8` or `cost`.
    pub fn parse(text: &str) -> Result<Self> {
        let share = |text: &str, most: f64| {
            let value = text.trim().parse::<f64>().ok();
            value.filter(|v| *v > 0.0 && *v <= most)
        };
        let found = match text.split_once(':') {
            None if text == "cost" => Some(Self::Cost),
            None => share(text, 1.0).filter(|v| *v < 1.0).map(Self::Value),
            Some(("precision", value)) => share(value, 1.0).map(Self::Precision),
            Some(("recall", value)) => share(value, 1.0).map(Self::Recall),
            Some(("best", "f1")) => Some(Self::Best(Score::F1)),
            Some(("best", "balanced")) => Some(Self::Best(Score::Balanced)),
            Some(("best", "mcc")) => Some(Self::Best(Score::Mcc)),
            Some(("best", "error")) => Some(Self::Best(Score::Error)),
            Some(_) => None,
        };
        found.ok_or_else(|| Error::Parameter {
            name: "threshold".into(),
            of: None,
            value: text.into(),
            requirement: Self::WANTED.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in [
            "0.3",
            "best:f1",
            "best:mcc",
            "precision:0.9",
            "recall:1",
            "cost",
        ] {
            let rule = ThresholdRule::parse(text).expect("known");
            assert_eq!(rule.to_string(), text);
            let read: ThresholdRule = serde_json::from_value(json!(text)).expect("known");
            assert_eq!(read, rule);
        }
        let number: ThresholdRule = serde_json::from_value(json!(0.25)).expect("a number");
        assert_eq!(number, ThresholdRule::Value(0.25));
        for text in [
            "",
            "0",
            "1",
            "nan",
            "best:auc",
            "best",
            "precision:0",
            "recall:1.1",
            "f1",
        ] {
            let error = ThresholdRule::parse(text).expect_err("wrong").to_string();
            assert!(error.contains("best:f1"), "{error}");
        }
    }

    #[test]
    fn losses_turn_gains_round() {
        assert_eq!(Score::Auc.as_loss(0.75), 0.25);
        assert_eq!(Score::LogLoss.as_loss(0.75), 0.75);
        for name in Score::NAMES {
            let score: Score = serde_json::from_value(json!(name)).expect("known");
            assert_eq!(score.name(), *name);
        }
    }
}
