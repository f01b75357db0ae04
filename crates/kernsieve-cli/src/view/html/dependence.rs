//! How predictions depend on the strongest features.

use super::Analysis;
use super::data::{Along, Data, rounded};
use super::frame::{Section, figure, name, plain};
use kernsieve::model::Model;
use kernsieve::tuning::{Dependence, partial_dependence};

/// Classes whose lines are drawn: as many as there are colours.
const CLASSES: usize = 7;

/// Mean probabilities along each of the first features, over the training rows, or over those that
/// a saved model is shown with.
pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let rows = a.sets.last()?;
    let strongest = a.strength.features.iter().map(|f| f.0);
    let features: Vec<usize> = strongest.take(Dependence::FEATURES).collect();
    let found = partial_dependence(a.model, rows.x, None, &features);
    let found: Vec<Dependence> = found.into_iter().filter(|d| d.values.len() > 1).collect();
    if found.is_empty() {
        return None;
    }
    let classes = drawn_classes(a.model, &found);
    let names = &a.summary.features.names;
    data.dependence = found
        .iter()
        .map(|d| Along {
            name: plain(&names[d.feature]),
            x: d.values
                .iter()
                .map(|v| rounded(*v, 7).unwrap_or(*v))
                .collect(),
            lines: classes
                .iter()
                .map(|&c| {
                    let line = d.probabilities.column(c).into_iter();
                    (c, line.map(|p| rounded(p, 4).unwrap_or(p)).collect())
                })
                .collect(),
        })
        .collect();
    let whose = match (a.model.positive(), a.model.classes.len()) {
        (Some(positive), _) => format!("of {}", name(&a.model.classes[positive])),
        (None, n) if n > CLASSES => "of the classes that change most".into(),
        _ => "of each class".into(),
    };
    let body = format!(
        "<p>The mean predicted probability {whose} when one feature is set to one value after the \
         other and the others stay as they are, over {} (500 of them at most). Where features \
         hang together, some of the rows thus made are unlike any that occur.</p>\n{}",
        rows.basis.rows(rows.n()),
        figure(
            "dependence",
            "Line charts: mean probability against a feature",
            "The values are quantiles of the feature, so that the marks lie where the rows do."
        )
    );
    Some(Section {
        id: "dependence",
        title: "Probability along the features".into(),
        body,
    })
}

/// Of two classes the positive one; of many those whose probability changes most.
fn drawn_classes(model: &Model, found: &[Dependence]) -> Vec<usize> {
    if let Some(positive) = model.positive() {
        return vec![positive];
    }
    let change = |c: usize| {
        let range = |d: &Dependence| {
            let line = d.probabilities.column(c);
            let high = line.iter().copied().fold(f64::MIN, f64::max);
            high - line.iter().copied().fold(f64::MAX, f64::min)
        };
        found.iter().map(range).fold(0.0, f64::max)
    };
    let mut classes: Vec<usize> = (0..model.classes.len()).collect();
    classes.sort_by(|&a, &b| change(b).total_cmp(&change(a)));
    classes.truncate(CLASSES);
    classes.sort_unstable();
    classes
}
