//! Which features are the strongest, by what fits lose without them if that was measured, by the
//! method's own measure, or else by what the model loses without them.

use super::rows::{Judged, spread};
use crate::view::summary::{CoefficientKind, Plan, Summary};
use kernsieve::data::Rng;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::log_loss_of;
use kernsieve::model::Model;

/// How strength is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Weights that the method learned.
    Weight,
    /// Growth of the log loss of rows that a fit has not seen, measured when the model was fitted.
    OutOfFold,
    /// Order of import.
    Import,
    /// Largest coefficient of linear scores or posteriors.
    Coefficient,
    /// Growth of the log loss when the feature is shuffled among this many rows. If there are many
    /// features, only those are tried that separate the classes best one by one.
    Shuffling { rows: usize, screened: bool },
}

/// Features that the model uses, strongest first.
pub struct Strength {
    /// How it is measured.
    pub measure: Measure,
    /// Feature and its strength.
    pub features: Vec<(usize, f64)>,
}

impl Strength {
    /// How it is measured, in words that follow "by".
    pub fn words(&self, plan: &Plan) -> String {
        match self.measure {
            Measure::Weight => "the weight that the method gave them".into(),
            Measure::OutOfFold => "how much the log loss of rows that a fit has not seen grows \
                                   when the values of a feature are shuffled"
                .into(),
            Measure::Import => "the order in which they were imported".into(),
            Measure::Coefficient => format!("their largest coefficient, in {}", plan.units()),
            Measure::Shuffling { rows, screened } => format!(
                "how much the log loss grows when the values of a feature are shuffled among \
                 {rows} of these rows{}",
                if screened {
                    format!(
                        " (tried for the {SCREENED} features whose means differ most between the \
                         classes)"
                    )
                } else {
                    String::new()
                }
            ),
        }
    }
}

/// Features that are shuffled at most.
const SCREENED: usize = 60;
/// Rows among which they are shuffled at most.
const MOST_ROWS: usize = 300;
/// Multiplications that shuffling may take, a second or two.
const WORK: f64 = 2e10;

/// Features by strength.
pub fn strength(model: &Model, summary: &Summary<'_>, rows: &Judged<'_>) -> Strength {
    let own = &summary.features;
    let (weights, used) = (own.weights, own.used());
    let (measure, mut features): (Measure, Vec<(usize, f64)>) = if !own.importances.is_empty() {
        let importances = own.importances.iter();
        let kept = importances.filter(|i| weights[i.feature] != 0.0);
        (
            Measure::OutOfFold,
            kept.map(|i| (i.feature, i.log_loss)).collect(),
        )
    } else if own.is_imported() {
        let n = own.imported.len() as f64;
        let by_order = own
            .imported
            .iter()
            .enumerate()
            .map(|(k, &j)| (j, 1.0 - k as f64 / n));
        (Measure::Import, by_order.collect())
    } else if let Some((kind, classes)) = &own.coefficients
        && *kind != CoefficientKind::Part
    {
        let largest = |j: usize| {
            let own = classes
                .iter()
                .flat_map(|c| &c.coef)
                .filter(|(k, _)| *k == j);
            own.fold(0.0, |m, (_, w)| f64::max(m, w.abs()))
        };
        (
            Measure::Coefficient,
            used.iter().map(|&j| (j, largest(j))).collect(),
        )
    } else if own.is_weighted {
        (
            Measure::Weight,
            used.iter().map(|&j| (j, weights[j].abs())).collect(),
        )
    } else {
        shuffled(model, summary.plan.seed, rows, &used)
    };
    features.sort_by(|a, b| b.1.total_cmp(&a.1));
    Strength { measure, features }
}

/// Growth of the mean log loss of some rows when one feature is shuffled among them.
fn shuffled(
    model: &Model,
    seed: u64,
    rows: &Judged<'_>,
    used: &[usize],
) -> (Measure, Vec<(usize, f64)>) {
    let screened = used.len() > SCREENED;
    let tried: Vec<usize> = if screened {
        screen(rows, used)
    } else {
        used.to_vec()
    };
    let support = model
        .expansion
        .support
        .rows()
        .max(model.reader().support.rows())
        .max(1);
    let cost = support as f64 * used.len().max(1) as f64 * tried.len().max(1) as f64;
    let most = ((WORK / cost) as usize).clamp(40, MOST_ROWS);
    let shown = spread(rows.n(), most, &[]);
    let x = rows.x.select_rows(&shown);
    let loss = |x: &Matrix| -> f64 {
        let p = model.predict(x).posterior;
        let own = p.iter_rows().zip(&shown);
        let total: f64 = own
            .map(|(p, &i)| log_loss_of(p.get(rows.truth[i]).copied().unwrap_or(0.0)))
            .sum();
        total / shown.len().max(1) as f64
    };
    let base = loss(&x);
    let growth = |j: usize| {
        let mut order: Vec<usize> = (0..shown.len()).collect();
        Rng::stream(seed, j as u64).shuffle(&mut order);
        let mut other = x.clone();
        order
            .iter()
            .enumerate()
            .for_each(|(i, &k)| other[(i, j)] = x[(k, j)]);
        loss(&other) - base
    };
    let features = tried.iter().map(|&j| (j, growth(j))).collect();
    let measure = Measure::Shuffling {
        rows: shown.len(),
        screened,
    };
    (measure, features)
}

/// The features whose class means differ most, against the spread within the classes.
fn screen(rows: &Judged<'_>, used: &[usize]) -> Vec<usize> {
    let n_classes = rows.truth.iter().max().map_or(0, |m| m + 1);
    let ratio = |j: usize| {
        let (mut count, mut sum, mut squares) = (vec![0.0; n_classes], vec![0.0; n_classes], 0.0);
        for (i, &c) in rows.truth.iter().enumerate() {
            let v = rows.x[(i, j)];
            count[c] += 1.0;
            sum[c] += v;
            squares += v * v;
        }
        let total: f64 = sum.iter().sum();
        let between_raw: f64 = sum
            .iter()
            .zip(&count)
            .filter(|(_, n)| **n > 0.0)
            .map(|(s, n)| s * s / n)
            .sum();
        let between = between_raw - total * total / rows.n().max(1) as f64;
        let ratio = between
            / (squares - between_raw)
                .max(1e-12 * squares)
                .max(f64::MIN_POSITIVE);
        if ratio.is_finite() { ratio } else { 0.0 }
    };
    let mut order: Vec<(usize, f64)> = used.iter().map(|&j| (j, ratio(j))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.into_iter().take(SCREENED).map(|(j, _)| j).collect()
}
