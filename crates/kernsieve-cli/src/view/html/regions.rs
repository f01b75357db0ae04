//! The predictions of the model between the rows: over the two strongest features, or over the only
//! one.

use super::Analysis;
use super::data::{Data, Profile, Regions, rounded};
use super::frame::{Section, figure, name};
use kernsieve::linalg::Matrix;

/// Cells in each direction.
const CELLS: usize = 72;
/// Points along one feature.
const STEPS: usize = 160;

pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let used = a.summary.features.used().len();
    let names = &a.summary.features.names;
    match a.strength.features.as_slice() {
        [(only, _)] => {
            data.profile = profile(a, *only);
            let drawn = data.profile.as_ref()?;
            let ends = [*drawn.x.first()?, *drawn.x.last()?];
            let outside = outside(a, &[(*only, ends)]);
            Some(Section {
                id: "regions",
                title: "Probabilities along the one feature".into(),
                body: format!(
                    "<p>The probability of each class as {} goes from its smallest to its largest \
                     value. It is the only feature that the model uses, so this is all there is \
                     to it.</p>\n{}",
                    name(&names[*only]),
                    figure(
                        "profile",
                        "Line chart: the probability of each class along the one feature",
                        &format!(
                            "{} Below the lines are the rows, class by class.{outside} {}",
                            super::drawn_words(a),
                            super::ring_words(a)
                        )
                    )
                ),
            })
        }
        [(first, _), (second, _), ..] => {
            let (first, second) = (*first, *second);
            data.regions = regions(a, first, second);
            let drawn = data.regions.as_ref()?;
            let outside = outside(a, &[(first, drawn.range[0]), (second, drawn.range[1])]);
            let others = match used {
                2 => "They are the only features that the model uses, so the picture shows all \
                    there is to it."
                    .into(),
                _ => format!(
                    "The other {} median over these rows. Rows are drawn where \
                     their own values are, with their other features as they are, so the \
                     prediction of a row may differ from the background at its place.",
                    match used - 2 {
                        1 => "feature that it uses is held at its".into(),
                        n => format!("{n} features that it uses are held at their"),
                    }
                ),
            };
            Some(Section {
                id: "regions",
                title: "Decision regions".into(),
                body: format!(
                    "<p>What the model predicts over its two strongest features, {} and {} \
                     (strongest by {}). {others}</p>\n{}",
                    name(&names[first]),
                    name(&names[second]),
                    a.strength.words(&a.summary.plan),
                    figure(
                        "regions",
                        "Map of the predicted class over the two strongest features, with the rows",
                        &format!(
                            "{} The background has the colour of the class that is predicted \
                             there, stronger where the model is more confident; point at it to \
                             see which.{outside} {}",
                            super::drawn_words(a),
                            super::ring_words(a)
                        )
                    )
                ),
            })
        }
        [] => None,
    }
}

/// Where an axis begins and ends: a little beyond the smallest and the largest value. If a few
/// values lie so far out that all others would be squeezed together, well beyond the first and the
/// last percentile instead. `None` if nothing varies.
fn range(a: &Analysis<'_>, feature: usize) -> Option<[f64; 2]> {
    const FAR: f64 = 3.0;
    let mut values: Vec<f64> = a
        .sets
        .iter()
        .flat_map(|s| (0..s.n()).map(|i| s.x[(i, feature)]))
        .filter(|v| v.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    let (first, last) = (*values.first()?, *values.last()?);
    let hundredth = values.len() / 100;
    let (low, high) = (values[hundredth], values[values.len() - 1 - hundredth]);
    // Halves, since the range itself may overflow.
    let (whole, bulk) = (0.5 * last - 0.5 * first, 0.5 * high - 0.5 * low);
    let (low, high) = if bulk > 0.0 && whole > FAR * bulk {
        ((low - 0.5 * bulk).max(first), (high + 0.5 * bulk).min(last))
    } else {
        (first, last)
    };
    let room = 0.08 * (0.5 * high - 0.5 * low);
    let (low, high) = (low - room, high + room);
    (low.is_finite() && high.is_finite() && high > low).then_some([low, high])
}

/// A remark about rows of the first set that lie outside.
fn outside(a: &Analysis<'_>, axes: &[(usize, [f64; 2])]) -> String {
    let Some(rows) = a.sets.first() else {
        return String::new();
    };
    let beyond = |i: &usize| {
        axes.iter()
            .any(|(j, r)| !(r[0]..=r[1]).contains(&rows.x[(*i, *j)]))
    };
    match (0..rows.n()).filter(beyond).count() {
        0 => String::new(),
        1 => " One row lies beyond the edges.".into(),
        n => format!(" {n} rows lie beyond the edges."),
    }
}

/// The median of every feature over the rows of the first set.
fn medians(a: &Analysis<'_>) -> Vec<f64> {
    let Some(rows) = a.sets.first() else {
        return vec![];
    };
    (0..rows.x.cols())
        .map(|j| {
            let mut values = rows.x.column(j);
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        })
        .collect()
}

fn between(range: [f64; 2], share: f64) -> f64 {
    range[0] * (1.0 - share) + range[1] * share
}

fn regions(a: &Analysis<'_>, first: usize, second: usize) -> Option<Regions> {
    let range = [range(a, first)?, range(a, second)?];
    let middle = medians(a);
    let (mut class, mut sure) = (
        Vec::with_capacity(CELLS * CELLS),
        Vec::with_capacity(CELLS * CELLS),
    );
    // One line of cells at a time: with thousands of features the whole grid would be large.
    for line in 0..CELLS {
        let at = |k: usize| (k as f64 + 0.5) / CELLS as f64;
        let x = Matrix::from_fn(CELLS, middle.len(), |i, j| {
            if j == first {
                between(range[0], at(i))
            } else if j == second {
                between(range[1], at(line))
            } else {
                middle[j]
            }
        });
        for p in a.model.predict(&x).posterior.iter_rows() {
            let best = a.model.class_of(p);
            class.push(best);
            sure.push((100.0 * p[best]).round().clamp(0.0, 100.0) as u8);
        }
    }
    Some(Regions {
        axes: [a.shown_at(first)?, a.shown_at(second)?],
        range,
        cells: CELLS,
        class,
        sure,
    })
}

fn profile(a: &Analysis<'_>, feature: usize) -> Option<Profile> {
    let range = range(a, feature)?;
    let middle = medians(a);
    let at: Vec<f64> = (0..STEPS)
        .map(|k| between(range, k as f64 / (STEPS - 1) as f64))
        .collect();
    let x = Matrix::from_fn(STEPS, middle.len(), |i, j| {
        if j == feature { at[i] } else { middle[j] }
    });
    let posterior = a.model.predict(&x).posterior;
    a.shown_at(feature)?;
    let digits = |v: f64| (v * 1000.0).round() / 1000.0;
    Some(Profile {
        x: at.iter().filter_map(|v| rounded(*v, 7)).collect(),
        p: (0..posterior.cols())
            .map(|c| posterior.column(c).into_iter().map(digits).collect())
            .collect(),
    })
}
