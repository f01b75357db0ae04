//! What to do with gaps and categories.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What to do with missing cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Stop with an error that tells how many there are and where the first one is.
    #[default]
    Error,
    /// Leave out the training rows that have one. Rows to be predicted must have none.
    Drop,
    /// A missing number becomes the mean of the training rows, a missing category none of the
    /// levels.
    Mean,
    /// A missing number becomes the median of the training rows, a missing category none of the
    /// levels.
    Median,
    /// As the median, and a 0/1 feature beside every column with gaps says where they were.
    Indicator,
}

impl Missing {
    /// Whether gaps are filled.
    pub fn fills(self) -> bool {
        matches!(self, Self::Mean | Self::Median | Self::Indicator)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Drop => "drop",
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Indicator => "indicator",
        }
    }
}

impl FromStr for Missing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [
            Self::Error,
            Self::Drop,
            Self::Mean,
            Self::Median,
            Self::Indicator,
        ];
        all.into_iter().find(|m| m.word() == text).ok_or(format!(
            "'{text}' is not a way to treat missing values; use error, drop, mean, median or \
             indicator"
        ))
    }
}

/// How categories of more than two levels become numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encode {
    /// One 0/1 feature per level that is not rare.
    #[default]
    OneHot,
    /// The share of each class among the training rows of the level (of two classes: of the
    /// second), drawn towards that of all rows. Training rows get the shares of other rows.
    Target,
}

impl FromStr for Encode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "one-hot" => Ok(Self::OneHot),
            "target" => Ok(Self::Target),
            _ => Err(format!(
                "'{text}' is not a way to encode categories; use one-hot or target"
            )),
        }
    }
}

/// What to do with gaps and categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// Gaps.
    pub missing: Missing,
    /// Categories.
    pub encode: Encode,
    /// Levels of fewer training rows than this share the state of unknown levels. The default is a
    /// two-hundredth of the rows, from 1 (no level is rare) to 10.
    pub rare: Option<usize>,
}

impl Recipe {
    /// The least number of rows of a level that is not rare.
    pub fn rows_of_a_level(&self, n_rows: usize) -> usize {
        self.rare.unwrap_or((n_rows / 200).clamp(1, 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_defaults() {
        assert_eq!("median".parse(), Ok(Missing::Median));
        assert!("zero".parse::<Missing>().unwrap_err().contains("drop"));
        assert_eq!("target".parse(), Ok(Encode::Target));
        assert!("hash".parse::<Encode>().unwrap_err().contains("one-hot"));
        let rows = |n| Recipe::default().rows_of_a_level(n);
        assert_eq!(
            [rows(100), rows(399), rows(1000), rows(100_000)],
            [1, 1, 5, 10]
        );
    }
}
