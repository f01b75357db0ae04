//! The answer in three sentences: how wrong, which features, how many rows.

use super::Analysis;
use super::frame::{Section, escape, file, name};
use super::rows::Basis;
use crate::view::words::percent;
use kernsieve::metrics::{normal_interval, wilson_interval};
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
        let _ = writeln!(body, "<p class=\"note\">{words}.</p>");
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
fn measured<'a>(a: &'a Analysis<'_>) -> Option<&'a super::rows::Judged<'a>> {
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
             {}, Wilson).{but}",
            rows.basis.rows(rows.n()),
            file(&rows.source),
            rows.wrong(),
            percent(error),
            percent(low),
            percent(high)
        );
    }
    if let Some(words) = cross_validation(a) {
        return words + ".";
    }
    format!(
        "On its own {} training rows the error is <strong>{}</strong>, which says little about new \
         rows; --holdout or --test measures what does.",
        a.summary.n_rows,
        percent(a.summary.train_error)
    )
}

fn cross_validation(a: &Analysis<'_>) -> Option<String> {
    let (n_rows, cv) = (a.summary.n_rows, a.summary.tuning.as_ref()?);
    let (error, se) = (cv.best().error?, cv.best().standard_error);
    // Folds with exactly equal errors say nothing about the spread.
    let ((low, high), how) = if se > 0.0 {
        (
            normal_interval(error, se),
            format!("from the standard error over the folds, {}", percent(se)),
        )
    } else {
        let wrong = (error * n_rows as f64).round() as usize;
        (wilson_interval(wrong, n_rows), "Wilson".into())
    };
    let how_many = match cv.validation {
        Validation::Split => "On one tuning split".into(),
        _ => format!(
            "In {}-fold cross-validation of the {} training rows",
            cv.folds, n_rows
        ),
    };
    let mut words = format!(
        "{how_many} <strong>the error is {}</strong> (95 % interval {} to {}, {how})",
        percent(error),
        percent(low),
        percent(high)
    );
    if cv.optimism > 0.0 {
        let _ = write!(
            words,
            "; allowing for the choice of the settings about {}",
            percent(error + cv.optimism)
        );
    }
    if !a.summary.costs.is_empty() {
        words.push_str("; costs of errors are not counted in it");
    }
    Some(words)
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
