//! Where to divide two classes: what each threshold finds, and what it costs in false alarms.

use super::Analysis;
use super::data::{Cuts, Data, rounded};
use super::frame::{Section, escape, figure, name, plain, table};
use crate::view::words::{percent, short};
use kernsieve::model::{CutPoint, Cutting};
use std::fmt::Write;

/// Thresholds in the table.
const LISTED: usize = 8;

/// The trade-off between rows found and false alarms, for two classes.
pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let assessment = a.summary.quality.assessment?;
    let cutting = assessment.cutting.as_ref()?;
    if cutting.points.len() < 2 {
        return None;
    }
    let used = cutting.chosen;
    let positive = &a.summary.classes[cutting.positive];
    let auc = assessment.auc.map_or(String::new(), |v| {
        format!(" The area below it (AUC) is {v:.3}; 1 is perfect.")
    });
    let body = format!(
        "<p class=\"basis\">On {} training rows, each judged by a fit without it.</p>\n<p>{}</p>\n\
         <div class=\"pair\">{}{}</div>\n{}<p class=\"note\">Found: share of the rows of {} that \
         are called so (recall). Right when called: share of these calls that are right \
         (precision). False alarms: share of the other rows that are called so.</p>",
        assessment.rows,
        rule(a, cutting, &used),
        figure(
            "roc",
            "Receiver operating characteristic: share found against false alarms",
            &format!(
                "Share found against false alarms (ROC). The broken line is chance, the large mark \
                 the threshold of the model.{auc}"
            ),
        ),
        figure(
            "precision",
            "Precision against recall",
            &format!(
                "Share of right calls against share found. The broken line is the share of the \
                 class, {}, which calling all rows so would have. Average precision: {:.3}.",
                percent(cutting.share),
                cutting.average_precision
            ),
        ),
        trade_off(&listed(cutting, &used)),
        name(positive)
    );
    data.cuts = Some(Cuts {
        positive: plain(positive),
        share: rounded(cutting.share, 4).unwrap_or(0.0),
        points: cutting.points.iter().map(drawn).collect(),
        chosen: drawn(&used),
    });
    Some(Section {
        id: "threshold",
        title: "Where to cut".into(),
        body,
    })
}

/// Which threshold the model has, and how to get another one.
fn rule(a: &Analysis<'_>, cutting: &Cutting, used: &CutPoint) -> String {
    let mut words = format!(
        "The model says {} from a probability of <strong>{}</strong>",
        name(&a.summary.classes[cutting.positive]),
        short(used.threshold)
    );
    let rule = a.summary.quality.threshold.as_ref();
    let asked = rule
        .and_then(|t| t.rule.as_ref())
        .filter(|r| r.parse::<f64>().is_err());
    if let Some(asked) = asked {
        let _ = write!(words, " (<code>{}</code>)", escape(asked));
    }
    if !a.summary.costs.is_empty() {
        words.push_str(", costs of errors included");
    } else if rule.is_none() {
        words.push_str(", that is, where it is the more probable class");
    }
    let _ = write!(
        words,
        ". It finds {} of the rows of that class, and {} of its calls are right. To change it, fit \
         again with <code>--threshold best:f1</code>, <code>--threshold precision:0.9</code>, \
         <code>--threshold recall:0.8</code> or a probability.",
        percent(used.recall),
        percent(used.precision)
    );
    words
}

fn nearest(points: &[CutPoint], threshold: f64) -> Option<usize> {
    let away = |k: &usize| (points[*k].threshold - threshold).abs();
    (0..points.len()).min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// Points spread evenly along the curve, and whether each is that of the model, which takes the
/// place of its nearest.
fn listed(cutting: &Cutting, used: &CutPoint) -> Vec<(CutPoint, bool)> {
    let points = &cutting.points;
    // How far along the curve each point is.
    let mut gone = vec![0.0];
    for pair in points.windows(2) {
        let step = (pair[1].recall - pair[0].recall).abs()
            + (pair[1].false_alarms - pair[0].false_alarms).abs();
        gone.push(gone[gone.len() - 1] + step);
    }
    let whole = gone[gone.len() - 1];
    let mut places: Vec<usize> = (0..LISTED)
        .map(|k| whole * k as f64 / (LISTED - 1) as f64)
        .map(|at| {
            let after = gone.partition_point(|g| *g < at).min(points.len() - 1);
            let before = after.saturating_sub(1);
            if at - gone[before] < gone[after] - at {
                before
            } else {
                after
            }
        })
        .collect();
    places.dedup();
    let mut rows: Vec<CutPoint> = places.into_iter().map(|k| points[k]).collect();
    let own = nearest(&rows, used.threshold);
    if let Some(k) = own {
        rows[k] = *used;
    }
    let mark = |(k, row)| (row, Some(k) == own);
    rows.into_iter().enumerate().map(mark).collect()
}

fn trade_off(rows: &[(CutPoint, bool)]) -> String {
    let head = [
        ("threshold", true),
        ("found", true),
        ("right when called", true),
        ("false alarms", true),
        ("", false),
    ];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|(p, own)| {
            let mut row = vec![
                threshold(p.threshold),
                percent(p.recall),
                percent(p.precision),
                percent(p.false_alarms),
            ];
            if *own {
                row.iter_mut()
                    .for_each(|cell| *cell = format!("<strong>{cell}</strong>"));
            }
            row.push(if *own { "this model" } else { "" }.into());
            row
        })
        .collect();
    table(&head, &cells, "cuts")
}

/// A threshold to three decimals, or in digits that can be given to `--threshold`.
fn threshold(value: f64) -> String {
    match (0.01..0.9995).contains(&value) {
        true => format!("{value:.3}"),
        false => short(value),
    }
}

/// Threshold, share found, share right, false alarms, as they are drawn.
fn drawn(p: &CutPoint) -> [f64; 4] {
    [p.threshold, p.recall, p.precision, p.false_alarms].map(|v| rounded(v, 4).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_can_be_given_as_they_are_shown() {
        let shown = [0.5, 0.0123, 0.00042, 0.9999].map(threshold);
        assert_eq!(shown, ["0.500", "0.012", "0.00042", "0.9999"]);
    }

    fn point(threshold: f64) -> CutPoint {
        CutPoint {
            threshold,
            recall: 1.0 - threshold,
            precision: threshold,
            false_alarms: (1.0 - threshold).powi(2),
        }
    }

    fn cutting(points: usize, chosen: f64) -> Cutting {
        let at = |k: usize| point(1.0 - k as f64 / points as f64);
        Cutting {
            positive: 1,
            average_precision: 0.5,
            share: 0.5,
            points: (1..=points).map(at).collect(),
            chosen: point(chosen),
        }
    }

    #[test]
    fn thresholds_are_spread_along_the_curve_with_that_of_the_model_among_them() {
        for chosen in [0.999, 0.503, 0.31, 0.001] {
            let cutting = cutting(90, chosen);
            let rows = listed(&cutting, &cutting.chosen);
            assert_eq!(rows.len(), LISTED);
            assert!(
                rows.windows(2).all(|w| w[0].0.threshold > w[1].0.threshold),
                "{rows:?}"
            );
            let own: Vec<f64> = rows.iter().filter(|r| r.1).map(|r| r.0.threshold).collect();
            assert_eq!(own, [chosen]);
            // Nowhere is there a large gap.
            let gaps = rows.windows(2).map(|w| w[1].0.recall - w[0].0.recall);
            assert!(gaps.fold(0.0, f64::max) < 0.45, "{rows:?}");
        }
    }

    #[test]
    fn few_thresholds_are_listed_once_each() {
        for points in [2, 3, 5] {
            let cutting = cutting(points, 0.5);
            let rows = listed(&cutting, &cutting.chosen);
            assert_eq!(rows.len(), points);
            assert_eq!(rows.iter().filter(|r| r.1).count(), 1);
        }
    }

    #[test]
    fn the_row_of_the_model_is_marked() {
        let html = trade_off(&[(point(0.75), false), (point(0.5), true)]);
        assert!(
            html.contains("<th scope=\"row\" class=\"num\">0.750</th>"),
            "{html}"
        );
        assert!(html.contains("<strong>0.500</strong>"), "{html}");
        assert_eq!(html.matches("this model").count(), 1);
        assert!(
            html.contains("<td class=\"num\"><strong>25.0 %</strong></td>"),
            "{html}"
        );
    }
}
