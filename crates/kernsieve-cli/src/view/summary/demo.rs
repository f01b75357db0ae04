//! A demonstration: a comparison, a fit, and a model that was saved and loaded again.

use super::{DataFacts, Evaluation, Ranking, Summary};
use kernsieve::linalg::Matrix;

/// A demonstration as shown to people and programs.
pub struct DemoSummary<'a> {
    /// Its name.
    pub name: &'a str,
    /// What the data are.
    pub about: &'a str,
    /// Facts about them.
    pub data: DataFacts,
    /// Splits of the comparison.
    pub splits: u32,
    /// The methods in order.
    pub ranking: Ranking,
    /// The one to pick, fitted.
    pub model: Summary<'a>,
    /// Seconds of its tuning.
    pub tune_seconds: f64,
    /// Its errors on rows held out.
    pub evaluation: &'a Evaluation,
    /// Size of the model file.
    pub bytes: usize,
    /// Whether the model predicts the same after it was loaded again.
    pub is_identical: bool,
    /// Places of the rows held out.
    pub rows: &'a [usize],
    /// Their classes.
    pub truth: &'a [String],
    /// Probabilities of their classes.
    pub posterior: &'a Matrix,
    /// Where the data were written to.
    pub saved: Option<String>,
}
