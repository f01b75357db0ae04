//! The rows that a page is about: where they come from, what the model predicts for them, and how
//! far that can be trusted.

use crate::view::summary::Summary;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::wilson_interval;
use kernsieve::model::Model;

/// How the rows relate to the training of the model, which determines what an error on them means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A second file.
    Test,
    /// Rows kept from training.
    HeldOut,
    /// Training rows, each judged by a fit without its fold.
    CrossValidated,
    /// Training rows, judged by the model that has seen them.
    Training,
    /// A file given to a saved model.
    Given,
    /// The same, if some rows of it are rows that the model holds.
    GivenAndSeen,
}

impl Basis {
    /// Whether an error on these rows estimates that on new rows.
    pub fn is_honest(self) -> bool {
        !matches!(self, Self::Training | Self::GivenAndSeen)
    }

    /// `5 test rows`.
    pub fn rows(self, n: usize) -> String {
        let rows = if n == 1 { "row" } else { "rows" };
        match self {
            Self::Test => format!("{n} test {rows}"),
            Self::HeldOut => format!("{n} held-out {rows}"),
            Self::CrossValidated | Self::Training => format!("{n} training {rows}"),
            Self::Given | Self::GivenAndSeen => format!("{n} {rows}"),
        }
    }

    /// A remark about figures that come from such rows.
    pub fn remark(self) -> &'static str {
        match self {
            Self::Test | Self::HeldOut => "The model was fitted without them.",
            Self::CrossValidated => {
                "Each row is judged by a fit without the fold it is in (cross-validation, with \
                 the settings of the model)."
            }
            Self::Training => {
                "The model was fitted on these very rows, so this is flattering; --holdout or \
                 --test would show what it does on new ones."
            }
            Self::Given => "If the model was trained on these rows, this is flattering.",
            Self::GivenAndSeen => {
                "Rows of this file are among those that the model was trained on, so this is \
                 flattering."
            }
        }
    }
}

/// Rows of raw features with their classes, as a command has them.
pub struct Rows<'a> {
    /// How they relate to the training.
    pub basis: Basis,
    /// Where they come from.
    pub source: String,
    /// Raw features.
    pub x: &'a Matrix,
    /// Class names.
    pub labels: Vec<String>,
    /// Their places in the file, from 0.
    pub numbers: Vec<usize>,
    /// Probabilities by fits without each row's fold, in place of those by the model.
    pub cross_validated: Option<Vec<Option<Vec<f64>>>>,
}

/// Rows with the predictions of the model.
pub struct Judged<'a> {
    /// How they relate to the training.
    pub basis: Basis,
    /// Where they come from.
    pub source: String,
    /// Raw features.
    pub x: &'a Matrix,
    /// Places in the file.
    pub numbers: Vec<usize>,
    /// Class of each row, among the classes of the page.
    pub truth: Vec<usize>,
    /// Outputs of the model.
    pub outputs: Matrix,
    /// Probabilities by the model itself, rows x classes of the model.
    pub fitted: Matrix,
    /// The classes that it decides for.
    pub fitted_classes: Vec<usize>,
    /// Probabilities that are judged, by the model or by a fit without the row, without the costs
    /// of errors.
    pub probabilities: Matrix,
    /// The class that they decide for, with the costs.
    pub predicted: Vec<usize>,
}

impl Judged<'_> {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.truth.len()
    }

    /// Whether the model gets a row wrong.
    pub fn is_wrong(&self, i: usize) -> bool {
        self.predicted[i] != self.truth[i]
    }

    /// Rows it gets wrong.
    pub fn wrong(&self) -> usize {
        (0..self.n()).filter(|&i| self.is_wrong(i)).count()
    }

    /// The class that the model itself predicts for a row, whether or not it has seen the row.
    pub fn by_model(&self, i: usize) -> usize {
        self.fitted_classes[i]
    }

    /// Share of rows it gets wrong, with its interval.
    pub fn error(&self) -> (f64, (f64, f64)) {
        let (wrong, n) = (self.wrong(), self.n());
        (wrong as f64 / n.max(1) as f64, wilson_interval(wrong, n))
    }

    /// `On 45 held-out rows of x.csv. The model was fitted without them.` as a line above a figure.
    pub fn line(&self) -> String {
        let class = if self.basis.is_honest() {
            "basis"
        } else {
            "basis flattering"
        };
        format!(
            "<p class=\"{class}\">On {} of {}. {}</p>\n",
            self.basis.rows(self.n()),
            super::frame::file(&self.source),
            self.basis.remark()
        )
    }
}

/// The classes of the model, then those that only rows have, in order of appearance.
pub fn all_classes(model: &Model, sets: &[Rows<'_>]) -> Vec<String> {
    let mut classes = model.classes.clone();
    let mut known: std::collections::HashSet<&str> =
        model.classes.iter().map(String::as_str).collect();
    for label in sets.iter().flat_map(|s| &s.labels) {
        if known.insert(label) {
            classes.push(label.clone());
        }
    }
    classes
}

/// Asks the model about the rows.
pub fn judge<'a>(
    model: &Model,
    summary: &Summary<'_>,
    rows: Rows<'a>,
    classes: &[String],
) -> Judged<'a> {
    let code: std::collections::HashMap<&str, usize> = classes
        .iter()
        .enumerate()
        .map(|(i, c)| (c.as_str(), i))
        .collect();
    let prediction = model.predict(rows.x);
    let fitted = prediction.posterior;
    let mut decided = fitted.clone();
    let mut basis = rows.basis;
    if let Some(others) = rows.cross_validated {
        for (i, own) in others.into_iter().enumerate() {
            // A fold that could not be fitted leaves its rows to the model.
            if let Some(own) = own {
                decided.row_mut(i).copy_from_slice(&own);
            }
        }
    }
    let predicted = decided.iter_rows().map(|p| model.class_of(p)).collect();
    let mut probabilities = decided;
    if !model.costs.is_empty() {
        for row in probabilities
            .as_mut_slice()
            .chunks_exact_mut(model.classes.len())
        {
            row.iter_mut()
                .zip(&model.costs)
                .for_each(|(p, cost)| *p /= cost);
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= total);
        }
    }
    if basis == Basis::Given && holds_rows_of(model, summary, rows.x, &rows.labels) {
        basis = Basis::GivenAndSeen;
    }
    Judged {
        basis,
        source: rows.source,
        x: rows.x,
        numbers: rows.numbers,
        truth: rows
            .labels
            .iter()
            .map(|l| code.get(l.as_str()).copied().unwrap_or(0))
            .collect(),
        predicted,
        outputs: prediction.outputs,
        fitted,
        fitted_classes: prediction.classes,
        probabilities,
    }
}

/// Whether a file looks like the one the model comes from, or its beginning: rows that the model
/// retained are there, at their places; or, if it retained none, the number of rows in each class
/// is that of the training. Rows that are merely equal to a retained one prove nothing: many tables
/// hold the same row twice.
fn holds_rows_of(model: &Model, summary: &Summary<'_>, x: &Matrix, labels: &[String]) -> bool {
    let retained = summary.retained.rows;
    let reader = model.reader();
    if !retained.is_empty() && retained.len() == reader.support.rows() {
        let used: Vec<usize> = (0..reader.n_features())
            .filter(|&j| reader.feature_weights[j] != 0.0)
            .collect();
        let places: Vec<usize> = (0..retained.len())
            .filter(|&k| retained[k] < x.rows())
            .collect();
        if used.is_empty() || used.len() != reader.support.cols() || places.is_empty() {
            return false;
        }
        let mut own = x.select_rows(&places.iter().map(|&k| retained[k]).collect::<Vec<_>>());
        model.scaling.apply_in_place(&mut own);
        let there = own.iter_rows().zip(&places).filter(|(row, k)| {
            // Allows for the rounding of the file's numbers, no more.
            let same = |(&j, s): (&usize, &f64)| (row[j] - s).abs() <= 1e-9 * (1.0 + s.abs());
            used.iter().zip(reader.support.row(**k)).all(same)
        });
        return 2 * there.count() > places.len();
    }
    let counts = model
        .classes
        .iter()
        .map(|c| labels.iter().filter(|l| *l == c).count());
    labels.len() == summary.n_rows && counts.eq(summary.class_counts.iter().copied())
}

/// At most `most` of `n` rows, evenly spread, with all of `always` among them.
pub fn spread(n: usize, most: usize, always: &[usize]) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut rows: Vec<usize> = (0..most)
        .map(|k| k * n / most)
        .chain(always.iter().copied())
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_spread_evenly_and_some_always_shown() {
        assert_eq!(spread(4, 10, &[]), [0, 1, 2, 3]);
        assert_eq!(spread(10, 3, &[7, 3]), [0, 3, 6, 7]);
    }

    #[test]
    fn only_rows_that_training_has_not_seen_are_honest() {
        assert!(Basis::Test.is_honest() && Basis::CrossValidated.is_honest());
        assert!(!Basis::Training.is_honest() && !Basis::GivenAndSeen.is_honest());
    }
}
