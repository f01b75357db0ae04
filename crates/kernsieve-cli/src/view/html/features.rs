//! Which features matter: weights, coefficients or order of import with the folds that agree, what
//! was dropped, and the path along which features were dropped.

use super::data::{Data, WeightPath, rounded};
use super::frame::{Section, bar, escape, figure, name, plain, table};
use super::strength::Measure;
use super::{Analysis, sieved};
use crate::view::summary::{ClassCoefficients, CoefficientKind};
use crate::view::words::{coefficient, percent};
use std::fmt::Write;

/// Features in a table.
pub const SHOWN: usize = 40;
/// Dropped features that are named.
const DROPPED: usize = 300;
/// Classes with a column of coefficients.
const CLASSES: usize = 12;
/// Lines of the path.
const LINES: usize = 8;

pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    if a.strength.features.is_empty() && a.summary.features.weights.is_empty() {
        return None;
    }
    let mut body = String::new();
    if !a.strength.features.is_empty() {
        let features = &a.summary.features;
        let measured = a.strength.measure == Measure::OutOfFold;
        if measured {
            sieved::importances(a, &mut body);
        }
        match (a.strength.measure, &features.coefficients) {
            _ if features.is_imported() => imports(a, &mut body),
            (_, Some((kind, rows))) => class_coefficients(a, *kind, rows, &mut body),
            (Measure::OutOfFold, _) => {}
            (Measure::Shuffling { .. }, _) => shuffled(a, &mut body),
            _ => weights(a, &mut body),
        }
    }
    dropped(a, &mut body);
    if let Some(path) = path(a) {
        let _ = writeln!(
            body,
            "<h3>Weights along the penalty</h3>\n{}",
            figure(
                "path",
                "Line chart: weights of the features against the penalty",
                "The larger the penalty, the fewer features keep a weight. The upright line is \
                 the penalty that was chosen. On the training rows."
            )
        );
        data.path = Some(path);
    }
    Some(Section {
        id: "features",
        title: "Features".into(),
        body,
    })
}

/// Folds in which a feature was kept.
pub fn folds<'a>(a: &'a Analysis<'_>) -> Option<(&'a [usize], usize)> {
    let cv = a.summary.tuning.as_ref()?;
    let folds = a.summary.features.folds;
    (!folds.is_empty()).then_some((folds, cv.folds))
}

pub fn more(total: usize, body: &mut String) {
    if total > SHOWN {
        let _ = writeln!(
            body,
            "<p class=\"note\">{} more features; <code>kernsieve inspect --json</code> lists \
             all.</p>",
            total - SHOWN
        );
    }
}

fn weights(a: &Analysis<'_>, body: &mut String) {
    let (names, weights) = (&a.summary.features.names, a.summary.features.weights);
    let largest = weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
    let folds = folds(a);
    let mut head = vec![("feature", false), ("weight", true)];
    if folds.is_some() {
        head.push(("kept in folds", true));
    }
    head.push(("", false));
    let rows: Vec<Vec<String>> = a
        .strength
        .features
        .iter()
        .take(SHOWN)
        .map(|&(j, _)| {
            let mut row = vec![name(&names[j]), coefficient(weights[j])];
            if let Some((folds, of)) = folds {
                row.push(format!("{} of {of}", folds.get(j).copied().unwrap_or(0)));
            }
            row.push(bar(weights[j] / largest));
            row
        })
        .collect();
    let _ = writeln!(
        body,
        "<p>Weights of the features inside the kernel, on the training rows: 0 drops a \
         feature{}.{}</p>\n{}",
        match a.summary.is_sieved() {
            true => "",
            false => ", 1 is the most it can have",
        },
        folds.map_or(String::new(), |_| {
            " A feature that every fold keeps is there for a reason; one that few folds keep may \
             be chance."
                .into()
        }),
        table(&head, &rows, "bars")
    );
    more(a.strength.features.len(), body);
}

fn shuffled(a: &Analysis<'_>, body: &mut String) {
    let names = &a.summary.features.names;
    let largest = a
        .strength
        .features
        .iter()
        .fold(0.0, |m: f64, f| m.max(f.1.abs()));
    let rows: Vec<Vec<String>> = a
        .strength
        .features
        .iter()
        .take(SHOWN)
        .map(|&(j, v)| {
            let share = if largest > 0.0 { v / largest } else { 0.0 };
            vec![name(&names[j]), coefficient(v), bar(share)]
        })
        .collect();
    let on = a
        .sets
        .first()
        .map_or(String::new(), |s| s.basis.rows(s.n()));
    let _ = writeln!(
        body,
        "<p>This method gives features no weights of their own, so they are ranked by {} (one \
         shuffle, seed {}; out of {on}). Features that say the same thing share their strength, \
         and each of them then looks weak.</p>\n{}",
        a.strength.words(&a.summary.plan),
        a.summary.plan.seed,
        table(
            &[
                ("feature", false),
                ("growth of the log loss", true),
                ("", false)
            ],
            &rows,
            "bars"
        )
    );
    more(a.strength.features.len(), body);
}

fn imports(a: &Analysis<'_>, body: &mut String) {
    let (features, cv) = (&a.summary.features, a.summary.tuning.as_ref());
    let names = &features.names;
    let with_curve = cv.is_some_and(|cv| !cv.curve.is_empty());
    let folds = folds(a);
    let mut head = vec![
        ("import", true),
        ("feature", false),
        ("H", true),
        ("next best", false),
        ("training error", true),
    ];
    if with_curve {
        head.push(("CV error", true));
    }
    if folds.is_some() {
        head.push(("in folds", true));
    }
    let steps = features.path.iter().filter_map(|s| Some((s, s.feature?)));
    let rows: Vec<Vec<String>> = steps
        .take(SHOWN)
        .map(|(step, j)| {
            let kept = step.size <= features.imported.len();
            let number = if kept {
                step.size.to_string()
            } else {
                format!("<span class=\"out\">{}</span>", step.size)
            };
            let mut row = vec![
                number,
                name(&names[j])
                    + if kept {
                        ""
                    } else {
                        " <span class=\"out\">left out</span>"
                    }
                    + &stands_for(step.associated, names),
                format!("{:.5}", step.objective),
                step.runner_up
                    .map_or(String::new(), |(next, _)| name(&names[next])),
                step.train_error.map(percent).unwrap_or_default(),
            ];
            if with_curve {
                row.push(step.point.map_or(String::new(), |p| {
                    format!("{} ± {}", percent(p.error), percent(p.standard_error))
                }));
            }
            if let Some((folds, of)) = folds {
                // Counted among as many features as were chosen: the count means nothing for the
                // others.
                row.push(if kept {
                    format!("{} of {of}", folds.get(j).copied().unwrap_or(0))
                } else {
                    String::new()
                });
            }
            row
        })
        .collect();
    let _ = writeln!(
        body,
        "<p>In order of import: at each step the feature enters that lowers the objective H (the \
         penalised loss of the training rows) most. H ranks the candidates of one step; across \
         steps, compare the errors.</p>\n{}",
        table(&head, &rows, "")
    );
}

/// The features that an import stands for.
fn stands_for(others: &[usize], names: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let mut told: Vec<String> = others
        .iter()
        .take(SHOWN)
        .map(|&j| name(&names[j]))
        .collect();
    if others.len() > SHOWN {
        told.push(format!("and {} more", others.len() - SHOWN));
    }
    format!(", also for {}", told.join(", "))
}

fn class_coefficients(
    a: &Analysis<'_>,
    kind: CoefficientKind,
    classes: &[ClassCoefficients],
    body: &mut String,
) {
    let names = &a.summary.features.names;
    let folds = folds(a);
    let titles: Vec<String> = classes
        .iter()
        .take(CLASSES)
        .map(|c| name(&c.class))
        .collect();
    let mut head: Vec<(&str, bool)> = vec![("feature", false)];
    head.extend(titles.iter().map(|t| (t.as_str(), true)));
    if folds.is_some() {
        head.push(("kept in folds", true));
    }
    let largest = classes
        .iter()
        .flat_map(|c| &c.coef)
        .fold(0.0, |m: f64, (_, w)| m.max(w.abs()));
    let rows: Vec<Vec<String>> = a
        .strength
        .features
        .iter()
        .take(SHOWN)
        .map(|&(j, _)| {
            let mut row = vec![name(&names[j])];
            row.extend(classes.iter().take(CLASSES).map(|c| {
                let own = c.coef.iter().find(|(k, _)| *k == j);
                own.map_or("<span class=\"out\">0</span>".into(), |(_, w)| {
                    format!("{}{}", coefficient(*w), bar(w / largest))
                })
            }));
            if let Some((folds, of)) = folds {
                row.push(format!("{} of {of}", folds.get(j).copied().unwrap_or(0)));
            }
            row
        })
        .collect();
    let zeros: usize = classes.iter().map(|c| names.len() - c.coef.len()).sum();
    let _ = writeln!(
        body,
        "<h3>Coefficients</h3>\n<p>What speaks for (above 0) and against (below 0) each class: \
         coefficients of the {} in {}, fitted on the training rows. {zeros} of {} are \
         zero.</p>\n{}",
        match (kind, classes.len()) {
            (CoefficientKind::Posteriors, _) => "posteriors",
            (CoefficientKind::Scores, 1) => "log odds",
            (CoefficientKind::Scores, _) => "log scores",
            (CoefficientKind::Part, _) => "linear part beside the kernel",
        },
        a.summary.plan.units(),
        classes.len() * names.len(),
        table(&head, &rows, "coefficients")
    );
    if classes.len() > CLASSES {
        let _ = writeln!(
            body,
            "<p class=\"note\">{} more classes.</p>",
            classes.len() - CLASSES
        );
    }
    more(a.strength.features.len(), body);
}

fn dropped(a: &Analysis<'_>, body: &mut String) {
    let names = &a.summary.features.names;
    let dropped = a.summary.features.dropped();
    if dropped.is_empty() {
        return;
    }
    let folds = folds(a);
    let shown: Vec<String> = dropped
        .iter()
        .take(DROPPED)
        .map(
            |&j| match folds.and_then(|(f, of)| f.get(j).filter(|k| **k > 0).map(|k| (k, of))) {
                Some((k, of)) => format!(
                    "{} <span class=\"out\">(kept in {k} of {of} folds)</span>",
                    name(&names[j])
                ),
                None => name(&names[j]),
            },
        )
        .collect();
    let rest = if dropped.len() > DROPPED {
        format!(" and {} more", dropped.len() - DROPPED)
    } else {
        String::new()
    };
    let _ = writeln!(
        body,
        "<details{}><summary>{} dropped {}</summary><p class=\"names\">{}{}</p></details>",
        if dropped.len() <= 20 { " open" } else { "" },
        dropped.len(),
        if dropped.len() == 1 {
            "feature"
        } else {
            "features"
        },
        shown.join(", "),
        escape(&rest)
    );
}

/// Weights of the features that stay longest, if a path of penalties was followed.
fn path(a: &Analysis<'_>) -> Option<WeightPath> {
    let (steps, names) = (&a.summary.features.path, &a.summary.features.names);
    let weighted: Vec<_> = steps
        .iter()
        .filter_map(|s| s.penalty.filter(|p| *p > 0.0).map(|p| (p, s.weights)))
        .collect();
    if weighted.len() < 3 || weighted.iter().all(|(_, w)| w.is_empty()) {
        return None;
    }
    let mut largest: Vec<(usize, f64)> = vec![];
    for &(j, w) in weighted.iter().flat_map(|(_, w)| w.iter()) {
        match largest.iter_mut().find(|(k, _)| *k == j) {
            Some((_, sum)) => *sum += w.abs(),
            None => largest.push((j, w.abs())),
        }
    }
    largest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let line = |j: usize| {
        let at = |w: &[(usize, f64)]| {
            w.iter()
                .find(|(k, _)| *k == j)
                .map_or(0.0, |(_, v)| rounded(*v, 4).unwrap_or(0.0))
        };
        (
            plain(&names[j]),
            weighted.iter().map(|(_, w)| at(w)).collect(),
        )
    };
    Some(WeightPath {
        x: weighted
            .iter()
            .filter_map(|(p, _)| rounded(*p, 5))
            .collect(),
        lines: largest.iter().take(LINES).map(|&(j, _)| line(j)).collect(),
        chosen: a.summary.penalty.and_then(|p| rounded(p, 5)),
    })
}
