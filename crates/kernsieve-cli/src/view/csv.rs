//! Predictions and data as CSV.

use kernsieve::data::Dataset;
use kernsieve::model::{Model, Prediction};
use std::fmt::Write;

/// Title of the column of log densities, as a line.
pub const LOG_DENSITY: &str = "log_density\n";

/// What is written about a row besides its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Probabilities of the classes.
    pub proba: bool,
    /// Outputs of the model.
    pub variates: bool,
}

impl Wanted {
    /// Names of the columns.
    pub fn names(self, model: &Model) -> Vec<String> {
        let mut names = vec!["predicted".to_string()];
        if self.proba {
            names.extend(model.classes.iter().map(|c| format!("p_{c}")));
        }
        if self.variates {
            names.extend((1..=model.expansion.n_outputs()).map(|k| format!("z{k}")));
        }
        names
    }

    /// The numbers of a row, in the order of the columns.
    pub fn numbers(self, prediction: &Prediction, row: usize) -> impl Iterator<Item = f64> + '_ {
        let probabilities = prediction.posterior.row(row).iter();
        let outputs = prediction.outputs.row(row).iter();
        probabilities
            .filter(move |_| self.proba)
            .chain(outputs.filter(move |_| self.variates))
            .copied()
    }
}

/// Adds a line for every row of a prediction; `classes` holds the names to write, `kept` the cells
/// in front of them, if there are any.
pub fn predictions(
    wanted: Wanted,
    p: &Prediction,
    classes: &[String],
    kept: &[Vec<String>],
    text: &mut String,
) {
    for i in 0..p.posterior.rows() {
        for cell in kept.get(i).into_iter().flatten() {
            text.push_str(cell);
            text.push(',');
        }
        text.push_str(&classes[p.classes[i]]);
        for v in wanted.numbers(p, i) {
            text.push(',');
            number(v, text);
        }
        text.push('\n');
    }
}

/// Adds a line for every number.
pub fn numbers(values: &[f64], text: &mut String) {
    for v in values {
        number(*v, text);
        text.push('\n');
    }
}

/// The shortest text that reads back as the same number; writing to a string cannot fail.
fn number(v: f64, text: &mut String) {
    let _ = if v != 0.0 && v.abs() < 1e-5 {
        write!(text, "{v:e}")
    } else {
        write!(text, "{v}")
    };
}

/// Data with their classes in the last column.
pub fn dataset(data: &Dataset) -> String {
    let names = data.feature_names().iter();
    let mut text: String = names.map(|n| field(n) + ",").collect();
    text.push_str("class\n");
    for (row, &c) in data.x().iter_rows().zip(data.labels().codes()) {
        row.iter().for_each(|v| text.push_str(&format!("{v},")));
        text.push_str(&field(&data.labels().classes()[c]));
        text.push('\n');
    }
    text
}

/// A field of a CSV file, quoted if necessary.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
