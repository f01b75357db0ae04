//! Coefficients of the features, where something in a model is linear in them.

use super::settings;
use kernsieve::expansion::Output;
use kernsieve::method::posterior::PosteriorKind;
use kernsieve::model::{LinearScores, Model};

/// What coefficients are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoefficientKind {
    /// Linear posteriors behind a discriminant kernel.
    Posteriors,
    /// The log scores of the classes.
    Scores,
    /// The linear part of the log scores, with a kernel beside it.
    Part,
}

/// Coefficients of one class.
pub struct ClassCoefficients {
    /// The class.
    pub class: String,
    /// The constant term.
    pub offset: f64,
    /// Features with a nonzero coefficient, largest first, in the units that the model reads.
    pub coef: Vec<(usize, f64)>,
    /// The constant term and the coefficients in the units of the data, where these are linear.
    pub raw: Option<(f64, Vec<(usize, f64)>)>,
    /// Objective of the regression and its duality gap, where they are known.
    pub solved: Option<(f64, Option<f64>)>,
}

/// The coefficients of a model. Two classes have one entry, for the second, where the coefficients
/// are those of log odds.
pub fn coefficients(model: &Model) -> Option<(CoefficientKind, Vec<ClassCoefficients>)> {
    if let Some(rows) = posteriors(model) {
        return Some((CoefficientKind::Posteriors, rows));
    }
    if let Some(scores) = model.standardized_scores() {
        let rows = by_class(model, &scores, model.linear_scores().as_ref());
        return Some((CoefficientKind::Scores, rows));
    }
    let part = model.linear_part()?;
    Some((CoefficientKind::Part, by_class(model, &part, None)))
}

fn by_class(
    model: &Model,
    scores: &LinearScores,
    raw: Option<&LinearScores>,
) -> Vec<ClassCoefficients> {
    let rows = scores.offset.len();
    let classes = &model.classes[model.classes.len() - rows..];
    let class = |(c, class): (usize, &String)| ClassCoefficients {
        class: class.clone(),
        offset: scores.offset[c],
        coef: largest_first(scores.coef.row(c)),
        raw: raw.map(|raw| (raw.offset[c], largest_first(raw.coef.row(c)))),
        solved: None,
    };
    classes.iter().enumerate().map(class).collect()
}

fn largest_first(row: &[f64]) -> Vec<(usize, f64)> {
    let mut coef: Vec<(usize, f64)> = row.iter().copied().enumerate().collect();
    coef.retain(|(_, w)| *w != 0.0);
    coef.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    coef
}

/// Coefficients of the linear posteriors behind a discriminant kernel. Logistic regression of two
/// classes has one output, the log odds of the second.
fn posteriors(model: &Model) -> Option<Vec<ClassCoefficients>> {
    let posterior = settings::posterior(model)?;
    matches!(posterior, PosteriorKind::L1 | PosteriorKind::Logistic).then_some(())?;
    let reader = model.reader();
    let Output::Linear { offset, .. } = &reader.output else {
        return None;
    };
    let used: Vec<usize> = (0..reader.n_features())
        .filter(|&j| reader.feature_weights[j] != 0.0)
        .collect();
    let skipped = model.classes.len() - offset.len().min(model.classes.len());
    // By position: a matrix without columns has no rows to go through.
    let rows = offset.iter().enumerate().zip(&model.classes[skipped..]);
    let class = |((k, offset), class): ((usize, &f64), &String)| {
        let row = reader.support.row(k).iter().copied();
        let mut coef: Vec<(usize, f64)> = used.iter().copied().zip(row).collect();
        coef.retain(|(_, w)| *w != 0.0);
        coef.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        ClassCoefficients {
            class: class.clone(),
            offset: *offset,
            coef,
            raw: None,
            solved: model.record.report.regressions.get(k).copied(),
        }
    };
    Some(rows.map(class).collect())
}
