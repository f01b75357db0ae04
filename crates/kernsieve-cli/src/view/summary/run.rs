//! What a run adds to a model: the data, the times, the files, and errors on other rows.

use super::Evaluation;
use kernsieve::data::Dataset;
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use kernsieve::tuning::{Dependence, LearningPoint};
use kernsieve_io::Source;
use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

/// A run that fitted a model.
pub struct Run<'a> {
    /// What it was fitted to.
    pub data: DataFacts,
    /// Things the user should know.
    pub notices: &'a [String],
    /// How long it took.
    pub seconds: Seconds,
    /// Errors on rows outside the training.
    pub measured: Option<Measured<'a>>,
    /// The log density of new rows.
    pub new_rows: Option<NewRows<'a>>,
    /// How the predictions depend on the first features, where that is shown.
    pub dependence: &'a [Dependence],
    /// The error against the number of rows, where that was asked for.
    pub learning_curve: Option<&'a [LearningPoint]>,
    /// Where the model is.
    pub model: Option<Saved>,
    /// Where the page is.
    pub report: Option<String>,
    /// Where the log densities of new rows are.
    pub output: Option<String>,
}

/// Facts about data.
pub struct DataFacts {
    /// Where they come from.
    pub source: String,
    /// Rows that are trained on.
    pub n_rows: usize,
    /// Features.
    pub n_features: usize,
    /// Classes with their rows.
    pub classes: Vec<(String, usize)>,
    /// Sum of the row weights, if there are any.
    pub weight: Option<f64>,
    /// Blocks of rows that belong together.
    pub blocks: Option<usize>,
    /// Whether some rows of the source were held out.
    pub is_part: bool,
}

impl DataFacts {
    /// Facts about data with classes.
    pub fn new(source: &impl Display, data: &Dataset) -> Self {
        let labels = data.labels();
        let classes = labels.classes().iter().cloned();
        Self {
            source: source.to_string(),
            n_rows: data.n_samples(),
            n_features: data.n_features(),
            classes: classes.zip(labels.counts()).collect(),
            weight: data.weights().map(|w| w.iter().sum()),
            blocks: data.n_blocks(),
            is_part: false,
        }
    }

    /// Counts all rows that a model was fitted to, of which the data have some.
    pub fn count_all(&mut self, model: &Model) {
        self.n_rows = model.record.n_rows;
        let counts = self.classes.iter_mut().zip(&model.record.class_counts);
        counts.for_each(|((_, n), all)| *n = *all);
    }

    /// Facts about rows of features and nothing else.
    pub fn unlabelled(source: &Source, x: &Matrix) -> Self {
        Self {
            source: source.to_string(),
            n_rows: x.rows(),
            n_features: x.cols(),
            classes: vec![],
            weight: None,
            blocks: None,
            is_part: false,
        }
    }

    /// Names of the classes.
    pub fn class_names(&self) -> Vec<&str> {
        self.classes.iter().map(|(c, _)| c.as_str()).collect()
    }
}

/// Seconds of the parts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds {
    /// Reading the data.
    pub read: f64,
    /// Tuning.
    pub tune: f64,
    /// The final fit.
    pub fit: f64,
    /// Importances, and a learning curve where one was asked for.
    pub explain: f64,
}

/// Errors on rows outside the training.
pub struct Measured<'a> {
    /// The file they come from; `None` if they were held out.
    pub file: Option<Cow<'a, str>>,
    /// The result.
    pub evaluation: &'a Evaluation,
}

/// The log density of new rows.
pub struct NewRows<'a> {
    /// The file they come from.
    pub file: Cow<'a, str>,
    /// How many there are.
    pub rows: usize,
    /// Mean log density.
    pub mean: f64,
}

/// A model file.
pub struct Saved {
    /// Where it is.
    pub path: String,
    /// Its size, if it can be read.
    pub bytes: Option<u64>,
}

impl Saved {
    /// Reads the size of the file.
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.display().to_string(),
            bytes: std::fs::metadata(path).map(|m| m.len()).ok(),
        }
    }
}
