//! How the predictions compare with the observations: confusion, calibration, and the most
//! confident errors.

use super::Analysis;
use super::data::{Calibration, Data, rounded};
use super::frame::{Section, escape, figure, file, name, plain, table};
use super::rows::{Basis, Judged};
use crate::view::words::{percent, short};
use kernsieve::metrics::{
    CalibrationBin, brier_of, calibration_bins, confusion, log_loss_of, wilson_interval,
};
use std::fmt::Write;

/// Classes that a matrix has room for.
const MATRIX: usize = 30;
/// Classes from which on its headings stand upright.
const UPRIGHT: usize = 9;
/// Confusions listed where there are more classes.
const PAIRS: usize = 30;
/// Rows in the table of the most confident errors.
const WRONG: usize = 15;
const BINS: usize = 10;

/// Counts of observed against predicted classes, and rates by class.
pub fn confusion_section(a: &Analysis<'_>) -> Option<Section> {
    let rows = a.sets.first().filter(|s| s.n() > 0)?;
    let counts = confusion(&rows.predicted, &rows.truth, a.classes.len());
    let mut body = rows.line();
    if a.classes.len() <= MATRIX {
        matrix(a, &counts, &mut body);
    } else {
        pairs(a, &counts, &mut body);
    }
    rates(a, &counts, &mut body);
    if rows.basis == Basis::CrossValidated && a.summary.features.is_voted {
        let _ = writeln!(
            body,
            "<p class=\"note\">All folds had a vote on the features, so these counts are a little \
             too good; the error above is that of the features before the vote.</p>"
        );
    }
    if a.classes.len() > a.summary.classes.len() {
        let unknown = rows
            .truth
            .iter()
            .filter(|t| **t >= a.summary.classes.len())
            .count();
        let _ = writeln!(
            body,
            "<p class=\"note\">{unknown} rows have a class that the model does not know; they \
             count as wrong.</p>"
        );
    }
    Some(Section {
        id: "confusion",
        title: "Confusion".into(),
        body,
    })
}

fn matrix(a: &Analysis<'_>, counts: &[Vec<usize>], body: &mut String) {
    let known = a.summary.classes.len();
    let dense = if known >= UPRIGHT { " dense" } else { "" };
    let _ = write!(
        body,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table \
         class=\"confusion{dense}\" style=\"--classes:{known}\">\n<thead><tr><th scope=\"col\">observed \\ predicted</th>"
    );
    for class in &a.classes[..known] {
        let _ = write!(body, "<th scope=\"col\" class=\"num\">{}</th>", name(class));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for (t, row) in counts.iter().enumerate() {
        let total: usize = row.iter().sum();
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", name(&a.classes[t]));
        for (p, &count) in row[..known].iter().enumerate() {
            let share = count as f64 / total.max(1) as f64;
            let kind = match (count, p == t) {
                (0, _) => "none",
                (_, true) => "right",
                (_, false) => "wrong",
            };
            // Zeros everywhere would hide the counts.
            let count = match count {
                0 if !dense.is_empty() => "·".into(),
                n => n.to_string(),
            };
            let _ = write!(
                body,
                "<td class=\"num {kind}\" style=\"--share:{share:.3}\">{count}</td>"
            );
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
}

/// The most frequent confusions, if there are too many classes for a matrix.
fn pairs(a: &Analysis<'_>, counts: &[Vec<usize>], body: &mut String) {
    let cells = counts
        .iter()
        .enumerate()
        .flat_map(|(t, row)| row.iter().enumerate().map(move |(p, n)| (t, p, *n)));
    let mut wrong: Vec<_> = cells.filter(|(t, p, n)| t != p && *n > 0).collect();
    wrong.sort_by_key(|(t, p, n)| (std::cmp::Reverse(*n), *t, *p));
    let total = wrong.len();
    let rows: Vec<Vec<String>> = wrong
        .into_iter()
        .take(PAIRS)
        .map(|(t, p, n)| vec![name(&a.classes[t]), name(&a.classes[p]), n.to_string()])
        .collect();
    let _ = writeln!(
        body,
        "<p>The {} most frequent of {total} confusions:</p>\n{}",
        rows.len(),
        table(
            &[("observed", false), ("predicted", false), ("rows", true)],
            &rows,
            ""
        )
    );
}

fn rates(a: &Analysis<'_>, counts: &[Vec<usize>], body: &mut String) {
    let share = |count: usize, of: usize| {
        if of == 0 {
            return "–".into();
        }
        let (low, high) = wilson_interval(count, of);
        format!(
            "{} <span class=\"out\">({:.0}–{:.0})</span>",
            percent(count as f64 / of as f64),
            100.0 * low,
            100.0 * high
        )
    };
    let rows: Vec<Vec<String>> = (0..a.classes.len())
        .map(|c| {
            let observed: usize = counts[c].iter().sum();
            let predicted: usize = counts.iter().map(|r| r[c]).sum();
            vec![
                name(&a.classes[c]),
                observed.to_string(),
                predicted.to_string(),
                share(counts[c][c], observed),
                share(counts[c][c], predicted),
            ]
        })
        .collect();
    let head = [
        ("class", false),
        ("observed", true),
        ("predicted", true),
        ("found", true),
        ("right when predicted", true),
    ];
    let _ = writeln!(
        body,
        "{}<p class=\"note\">Found: share of the rows of the class that are predicted as such \
         (recall). Right when predicted: share of the predictions that are right (precision). In \
         brackets 95 % intervals (Wilson), in percent.</p>",
        table(&head, &rows, "")
    );
}

/// Whether probabilities come true as often as they say.
pub fn calibration_section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let rows = a.sets.first().filter(|s| s.n() >= 10)?;
    let two = a.classes.len() == 2;
    let claims: Vec<(f64, bool)> = (0..rows.n())
        .map(|i| {
            let p = rows.probabilities.row(i);
            if two {
                (p[1], rows.truth[i] == 1)
            } else {
                let best = kernsieve::decision::argmax(p);
                (p[best], rows.truth[i] == best)
            }
        })
        .collect();
    let bins = calibration_bins(claims.into_iter(), BINS);
    let n = rows.n() as f64;
    let of_truth = |i: usize| rows.probabilities.row(i).get(rows.truth[i]).copied();
    let each = 0..rows.n();
    let brier = each
        .clone()
        .map(|i| brier_of(rows.probabilities.row(i), rows.truth[i]));
    let brier = brier.sum::<f64>() / n;
    let log_loss = each.map(|i| log_loss_of(of_truth(i).unwrap_or(0.0)));
    let log_loss = log_loss.sum::<f64>() / n;
    // The score of a prediction by the class shares alone.
    let counts =
        (0..a.classes.len()).map(|c| rows.truth.iter().filter(|t| **t == c).count() as f64 / n);
    let shares = 1.0 - counts.clone().map(|s| s * s).sum::<f64>();
    let by_shares: f64 = counts.map(|s| s * log_loss_of(s)).sum();
    let claim = if two {
        format!("probability of {}", plain(&a.classes[1]))
    } else {
        "probability of the predicted class".into()
    };
    let mut body = rows.line();
    let costs = if a.summary.costs.is_empty() {
        ""
    } else {
        " Costs of errors are left out of the probabilities here."
    };
    let _ = writeln!(
        body,
        "<p>Brier score <strong>{}</strong> (0 is perfect; the shares of the classes alone would \
         have {}), log loss <strong>{}</strong> ({} by these shares). Where the points lie on the \
         diagonal, a probability of 80 % comes true 80 times in 100. {}{costs}</p>\n{}",
        three(brier),
        three(shares),
        three(log_loss),
        three(by_shares),
        calibrated(a),
        figure(
            "calibration",
            &format!("Calibration curve: observed share against the {claim}"),
            "Rows in ten bins by the probability claimed: mean claim against observed share, with \
             its 95 % interval (Wilson). The larger the mark, the more rows. The Brier score is \
             the mean squared distance between probabilities and what happened, summed over the \
             classes (0 to 2)."
        )
    );
    let bins = bins.iter().map(drawn_bin).collect();
    data.calibration = Some(Calibration { claim, bins });
    Some(Section {
        id: "calibration",
        title: "Calibration".into(),
        body,
    })
}

/// How scores become the probabilities that are judged.
fn calibrated(a: &Analysis<'_>) -> String {
    let temperature = a.summary.temperature;
    let divided = match temperature {
        1.0 => String::new(),
        t => format!("scores are divided by a temperature of {}", short(t)),
    };
    let leaning = if a.model.shifts.is_empty() {
        ""
    } else {
        "they lean on the shares of the classes, since the scores predict held-out rows no better"
    };
    match (divided.is_empty(), leaning.is_empty()) {
        (true, true) => "No calibration changes the probabilities of the scores.".into(),
        (true, false) => format!("These are the probabilities after calibration: {leaning}."),
        (false, true) => format!("These are the probabilities after calibration: {divided}."),
        (false, false) => {
            format!("These are the probabilities after calibration: {leaning}; {divided}.")
        }
    }
}

/// A bin as it is drawn: claimed, observed, low end, high end, rows.
fn drawn_bin(b: &CalibrationBin) -> (f64, f64, f64, f64, usize) {
    let (low, high) = wilson_interval(b.happened, b.count);
    let round = |v: f64| rounded(v, 4).unwrap_or(0.0);
    (
        round(b.claimed),
        round(b.happened as f64 / b.count as f64),
        round(low),
        round(high),
        b.count,
    )
}

fn three(v: f64) -> String {
    format!("{v:.3}")
}

/// Wrong rows, the most confident first: errors of the model, or of the data.
pub fn wrong_section(a: &Analysis<'_>) -> Option<Section> {
    let rows = a.sets.first()?;
    let mut wrong: Vec<usize> = (0..rows.n()).filter(|&i| rows.is_wrong(i)).collect();
    if wrong.is_empty() {
        return None;
    }
    let sure = |i: usize| rows.probabilities[(i, rows.predicted[i])];
    wrong.sort_by(|&a, &b| sure(b).total_cmp(&sure(a)).then(a.cmp(&b)));
    let mut head = vec![
        ("row".to_string(), true),
        ("observed".into(), false),
        ("predicted".into(), false),
        ("its probability".into(), true),
        ("of the observed".into(), true),
    ];
    let names = &a.summary.features.names;
    let shown: Vec<usize> = a.shown.iter().copied().take(5).collect();
    head.extend(shown.iter().map(|&j| (name(&names[j]), true)));
    let cells: Vec<Vec<String>> = wrong
        .iter()
        .take(WRONG)
        .map(|&i| wrong_row(a, rows, i, &shown))
        .collect();
    let head: Vec<(&str, bool)> = head.iter().map(|(t, n)| (t.as_str(), *n)).collect();
    let mut body = rows.line();
    let _ = writeln!(
        body,
        "<p>{} of {} rows are predicted wrongly; here {}{}. A row here may be mislabelled, a rare \
         case, or beyond the model.</p>\n{}<p class=\"note\">Rows of {} are counted from 0. Next \
         to them are the values of the strongest features.</p>",
        wrong.len(),
        rows.n(),
        if wrong.len() > WRONG {
            format!("are the {WRONG} ")
        } else {
            "they are, ".into()
        },
        if wrong.len() > WRONG {
            "with the most confident predictions"
        } else {
            "the most confident predictions first"
        },
        table(&head, &cells, "wrong"),
        file(&rows.source)
    );
    Some(Section {
        id: "wrong",
        title: "Most surely wrong".into(),
        body,
    })
}

fn wrong_row(a: &Analysis<'_>, rows: &Judged<'_>, i: usize, shown: &[usize]) -> Vec<String> {
    let p = rows.probabilities.row(i);
    let mut row = vec![
        rows.numbers.get(i).copied().unwrap_or(i).to_string(),
        name(&a.classes[rows.truth[i]]),
        name(&a.classes[rows.predicted[i]]),
        three(p[rows.predicted[i]]),
        p.get(rows.truth[i]).map_or("–".into(), |v| three(*v)),
    ];
    row.extend(shown.iter().map(|&j| escape(&short(rows.x[(i, j)]))));
    row
}
