//! A comparison of methods.

use super::{DataFacts, Ranking};
use crate::comparison::journal::Outcome;

/// A comparison of methods as shown to people and programs.
pub struct ComparisonSummary<'a> {
    /// The data.
    pub data: DataFacts,
    /// Column with the classes.
    pub target: &'a str,
    /// Number of splits.
    pub splits: u32,
    /// Fraction to hold out.
    pub test_fraction: f64,
    /// Held-out rows over training rows.
    pub test_to_train: f64,
    /// The methods in order.
    pub ranking: Ranking,
    /// What they are ranked by.
    pub outcomes: &'a [Outcome],
    /// Things the user should know.
    pub notices: &'a [String],
    /// Seed of the splits.
    pub seed: u64,
    /// Where the page is.
    pub report: Option<String>,
}

impl ComparisonSummary<'_> {
    /// The fraction that is held out: blocks of rows may not allow exactly the one asked for.
    pub fn held_out(&self) -> f64 {
        match self.data.blocks {
            None => self.test_fraction,
            Some(_) => self.test_to_train / (1.0 + self.test_to_train),
        }
    }
}
