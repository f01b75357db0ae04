//! The answer in three sentences: how wrong, which features, how many rows.

use super::Analysis;
use super::frame::{Section, escape, file, name};
use super::rows::{Basis, Judged};
use crate::view::words::{log_loss_words, percent};
use kernsieve::metrics::macro_auc;
use kernsieve::params::Validation;
use std::fmt::Write;

/// Features named in a sentence.
const NAMED: usize = 6;

pub fn section(a: &Analysis<'_>) -> Section {
    let mut body = String::from("<div class=\"answer\">\n");
    for sentence in [error(a), features(a), samples(a)] {
        let _ = writeln!(body, "<p>{sentence}</p>");
    }
    body.push_str("</div>\n");
    if let (true, Some(words)) = (measured(a).is_some(), cross_validation(a)) {
        let _ = writeln!(body, "<p class=\"note\">{words}</p>");
    }
    if !a.notices.is_empty() {
        let _ = writeln!(body, "<ul class=\"note\">");
        for notice in a.notices {
            let _ = writeln!(
                body,
                "<li dir=\"auto\">{}</li>",
                escape(&super::frame::plain(notice))
            );
        }
        let _ = writeln!(body, "</ul>");
    }
    Section {
        id: "answer",
        title: "The answer".into(),
        body,
    }
}

/// Rows outside the training, or the rows that a saved model was applied to.
fn measured<'a>(a: &'a Analysis<'_>) -> Option<&'a Judged<'a>> {
    a.sets
        .first()
        .filter(|s| !matches!(s.basis, Basis::CrossValidated | Basis::Training) && s.n() > 0)
}

fn error(a: &Analysis<'_>) -> String {
    if let Some(rows) = measured(a) {
        let (error, (low, high)) = rows.error();
        let but = if rows.basis.is_honest() {
            ""
        } else {
            " Since the model has seen rows of this file, new rows will do worse."
        };
        return format!(
            "On {} of {} it is wrong on {}: <strong>an error of {}</strong> (95 % interval {} to \
             {}, Wilson).{but}{}",
            rows.basis.rows(rows.n()),
            file(&rows.source),
            rows.wrong(),
            percent(error),
            percent(low),
            percent(high),
            beside_baseline(a, rows, high).unwrap_or_default()
        );
    }
    if let Some(words) = cross_validation(a) {
        return words;
    }
    format!(
        "On its own {} training rows the error is <strong>{}</strong>, which says little about new \
         rows; --holdout or --test measures what does.",
        a.summary.n_rows,
        percent(a.summary.train_error)
    )
}

/// The error to expect on new rows, and what always saying the same would have.
fn cross_validation(a: &Analysis<'_>) -> Option<String> {
    let (n_rows, cv) = (a.summary.n_rows, a.summary.tuning.as_ref()?);
    let quality = &a.summary.quality;
    let expected = quality.expected?;
    let how = match cv.validation {
        Validation::Split => "on one tuning split".into(),
        _ => format!(
            "in {}-fold cross-validation of the {n_rows} training rows",
            cv.folds
        ),
    };
    let interval = format!(
        "(95 % interval {} to {})",
        percent(expected.low),
        percent(expected.high)
    );
    let mut words = if cv.optimism > 0.0 {
        format!(
            "On new rows <strong>an error of {}</strong> is to be expected {interval}: {} {how}, \
             and {} for having chosen the best of many settings.",
            percent(expected.error),
            percent(expected.error - cv.optimism),
            percent(cv.optimism)
        )
    } else {
        format!(
            "The error is <strong>{}</strong> {how} {interval}.",
            percent(expected.error)
        )
    };
    let Some(((class, error, log_loss), own)) = quality.baseline.zip(quality.assessment) else {
        return Some(words);
    };
    let auc = own.auc.map(|v| format!("AUC {v:.3}"));
    let losses = log_loss_words(own, log_loss).into_iter().chain(auc);
    let losses = losses.collect::<Vec<_>>().join(", ");
    let losses = match losses.strip_prefix('l') {
        Some(rest) => format!(" L{rest}."),
        None if losses.is_empty() => losses,
        None => format!(" {losses}."),
    };
    let _ = write!(
        words,
        " Always saying {} would be wrong on {}{}.{losses}",
        name(class),
        percent(error),
        beside(a, expected.high, error)
    );
    Some(words)
}

/// What to say if the upper end of an error is not below that of always saying the same.
fn beside(a: &Analysis<'_>, high: f64, baseline: f64) -> &'static str {
    if high < baseline {
        ""
    } else if a.summary.costs.is_empty() && a.summary.quality.threshold.is_none() {
        ": <strong>the model is not clearly better than that</strong>"
    } else {
        ": <strong>the model has not clearly fewer errors than that</strong>, which costs of \
         errors or a threshold can bring about"
    }
}

/// What always saying the largest class of the training would have on these rows, and how well
/// probabilities rank them.
fn beside_baseline(a: &Analysis<'_>, rows: &Judged<'_>, high: f64) -> Option<String> {
    let (counts, classes) = (a.summary.class_counts, a.summary.classes);
    let largest = (0..counts.len()).rev().max_by_key(|&c| counts[c])?;
    let others = rows.truth.iter().filter(|t| **t != largest).count();
    let error = others as f64 / rows.n().max(1) as f64;
    // Rows of a class that the model does not know have no place in a ranking.
    let known = rows.truth.iter().all(|t| *t < classes.len());
    let each = (0..rows.n()).map(|i| rows.probabilities.row(i));
    let auc = macro_auc(each, &rows.truth, None, classes.len()).filter(|_| known);
    let auc = auc.map_or(String::new(), |v| format!(" AUC {v:.3}."));
    Some(format!(
        " Always saying {}, the largest class in training, would be wrong on {}{}.{auc}",
        name(&classes[largest]),
        percent(error),
        beside(a, high, error)
    ))
}

fn features(a: &Analysis<'_>) -> String {
    let features = &a.summary.features;
    let (used, total) = (features.used().len(), features.total());
    let selected = &a.summary.selected_features;
    let named: Vec<String> = selected.iter().take(NAMED).map(|n| name(n)).collect();
    let rest = if used > NAMED {
        format!(" and {} more", used - NAMED)
    } else {
        String::new()
    };
    match used {
        0 => "It keeps <strong>no feature</strong>: nothing beats the class priors.".into(),
        _ if used == total && total == 1 => {
            format!("It has <strong>one feature</strong>, {}.", named.join(", "))
        }
        _ if used == total => format!("It uses <strong>all {total} features</strong>."),
        1 => format!(
            "It keeps <strong>1 of {total} features</strong>: {}.",
            named.join(", ")
        ),
        _ => format!(
            "It keeps <strong>{used} of {total} features</strong>: {}{rest}.",
            named.join(", ")
        ),
    }
}

fn samples(a: &Analysis<'_>) -> String {
    let (retained, rows) = (a.summary.retained.rows.len(), a.summary.n_rows);
    match retained {
        0 => {
            format!(
                "It keeps <strong>none of the {rows} training rows</strong>: a few coefficients \
                 are all it needs."
            )
        }
        _ if retained == rows => format!("It keeps <strong>all {rows} training rows</strong>."),
        _ => format!(
            "It keeps <strong>{retained} of {rows} training rows</strong> ({}).",
            percent(retained as f64 / rows.max(1) as f64)
        ),
    }
}
