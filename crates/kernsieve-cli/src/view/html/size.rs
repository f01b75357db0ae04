//! The error against what was tuned: the size of the model if sizes were tried, else the penalty or
//! the bandwidth.

use super::Analysis;
use super::data::{Curve, Data, rounded};
use super::frame::{Section, figure};
use crate::view::summary::{Trial, Tuning};
use kernsieve::model::CurvePoint;
use kernsieve::params::{Rule, Validation};

pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let cv = a.summary.tuning.as_ref()?;
    let curve = sizes(a, cv)
        .or_else(|| along(cv, "penalty", |t| t.penalty.filter(|_| t.is_on_path)))
        .or_else(|| along(cv, "bandwidth", |t| t.bandwidth))
        .or_else(|| along(cv, "ridge", |t| t.ridge))?;
    let rule = match cv.rule {
        Rule::Min => "the one of least error, on a tie the sparser or smoother one",
        Rule::OneStandardError => {
            "the simplest within one standard error of the least (the broken line)"
        }
    };
    let how = match cv.validation {
        Validation::LeaveOneOut if !curve.percent => {
            "of training rows left out one at a time".into()
        }
        Validation::Split => "on one tuning split of the training rows".into(),
        _ => format!("in {}-fold cross-validation of the training rows", cv.folds),
    };
    let what = if curve.percent {
        "Error"
    } else {
        "PRESS, the mean squared residual,"
    };
    let body = format!(
        "<p>{what} {how}, against the {}. The choice is {rule}.</p>\n{}",
        curve.name,
        figure(
            "curve",
            &format!("Line chart: {} against the {}", curve.measure, curve.name),
            "The band is one standard error to either side; the broken line is the least error \
             plus one standard error; the large mark is the choice. Where other settings \
             were tried with it, the best of them is drawn."
        )
    );
    let mut title = format!(
        "{} against {}",
        if curve.percent { "Error" } else { "PRESS" },
        curve.name
    );
    data.curve = Some(curve);
    data.feature_curve = features(cv);
    let mut body = body;
    if data.feature_curve.is_some() {
        title = "Error against size".into();
        body.push_str(&figure(
            "feature-curve",
            "Line chart: error against the number of features",
            "The same for the number of features, each with the number of rows that suits it \
             best.",
        ));
    }
    Some(Section {
        id: "tuning",
        title,
        body,
    })
}

/// Error against retained rows or imported features.
fn sizes(a: &Analysis<'_>, cv: &Tuning<'_>) -> Option<Curve> {
    if cv.curve.len() < 2 {
        return None;
    }
    let name = if a.summary.features.is_imported() {
        "number of features"
    } else {
        "number of rows kept"
    };
    Some(drawn(name, cv.curve, cv.chosen_step))
}

/// Error against the number of features, where it was tried beside that of rows.
fn features(cv: &Tuning<'_>) -> Option<Curve> {
    let curve = cv.feature_curve;
    (curve.len() > 1).then(|| drawn("number of features", curve, cv.chosen_features))
}

fn drawn(name: &str, curve: &[CurvePoint], chosen: Option<usize>) -> Curve {
    let by_press = curve.iter().all(|p| p.press.is_some());
    let largest = curve.last().map_or(0, |p| p.size);
    Curve {
        name: name.into(),
        measure: if by_press { "PRESS" } else { "error" },
        percent: !by_press,
        log: largest > 60,
        points: curve
            .iter()
            .map(|p| match p.press.filter(|_| by_press) {
                Some(press) => (p.size as f64, press, None),
                None => (p.size as f64, p.error, Some(p.standard_error)),
            })
            .collect(),
        chosen: curve.iter().position(|p| Some(p.size) == chosen),
    }
}

/// Least error for each value of a setting.
fn along(
    cv: &Tuning<'_>,
    name: &str,
    setting: impl Fn(&Trial<'_>) -> Option<f64>,
) -> Option<Curve> {
    let chosen = setting(cv.best());
    let mut points: Vec<(f64, f64, Option<f64>)> = vec![];
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
    for e in &cv.trials {
        let (Some(value), Some(error)) = (setting(e).filter(|v| *v > 0.0), e.error) else {
            continue;
        };
        let this = (value, error, Some(e.standard_error));
        match points.iter_mut().find(|p| same(p.0, value)) {
            // The chosen setting is drawn as it is.
            Some(p) if error < p.1 && !chosen.is_some_and(|c| same(c, value)) => *p = this,
            Some(_) => {}
            None => points.push(this),
        }
    }
    if let (Some(value), Some(error)) = (chosen, cv.best().error)
        && let Some(p) = points.iter_mut().find(|p| same(p.0, value))
    {
        *p = (value, error, Some(cv.best().standard_error));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let position = points
        .iter()
        .position(|p| chosen.is_some_and(|c| same(c, p.0)));
    let round = |v: f64| rounded(v, 5).unwrap_or(v);
    let points: Vec<_> = points
        .into_iter()
        .map(|(x, y, s)| (round(x), round(y), s.map(round)))
        .collect();
    (points.len() >= 3).then(|| Curve {
        name: name.into(),
        measure: "error",
        percent: true,
        log: true,
        points,
        chosen: position,
    })
}
