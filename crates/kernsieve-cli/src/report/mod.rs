//! A model as one HTML page that needs nothing else: what was chosen, which features were imported in which order, and how the rows lie in
//! the first of them.

mod scatter;

use crate::commands::{ClassCoefficients, coefficients};
use crate::commands::{cv_words, keeps_words, method_words, settings_words};
use crate::output::{clean, coefficient, percent};
use kernsieve::decision::argmax;
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use scatter::{CELLS, Scatter, marker, range};
use std::fmt::Write;

/// Rows drawn in a picture.
const MOST_POINTS: usize = 2000;
/// Classes named beside a picture.
const MOST_CLASSES: usize = 28;

/// Rows of raw features with their classes.
pub struct Rows<'a> {
    /// Where they come from.
    pub source: &'a str,
    /// Raw features.
    pub x: &'a Matrix,
    /// Class names.
    pub labels: &'a [String],
    /// What other rows, held out, say of the error.
    pub held_out: Option<String>,
}

/// Text that means nothing to HTML.
fn escape(text: &str) -> String {
    clean(text, 200)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The page.
pub fn page(model: &Model, rows: &Rows<'_>) -> String {
    let posterior = model.predict(rows.x).posterior;
    let predicted: Vec<usize> = posterior.iter_rows().map(argmax).collect();
    let truth: Vec<Option<usize>> = rows
        .labels
        .iter()
        .map(|l| model.classes.iter().position(|c| c == l))
        .collect();
    let wrong: Vec<bool> = predicted.iter().zip(&truth).map(|(p, t)| Some(*p) != *t).collect();
    let mut body = String::new();
    let title = format!("{}: {}", model.record.method, method_words(&model.record.method));
    let _ = writeln!(body, "<h1>{}</h1>", escape(&title));
    summary(model, rows, &wrong, &mut body);
    features(model, &mut body);
    pictures(model, rows.x, &posterior, &truth, &wrong, &mut body);
    left_out(&truth, &mut body);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
        escape(&title)
    )
}

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:right}\
td:first-child,th:first-child,td.name,th.name{text-align:left}tr.out{color:#888}dt{font-weight:600;float:left;width:9rem;clear:left}dd{margin-left:9.5rem}\
svg text{font:11px system-ui,sans-serif;fill:#444}svg text.axis{font-size:13px;fill:#222}.pictures{display:flex;flex-wrap:wrap;gap:1rem}\
.key span{margin-right:1.2rem;white-space:nowrap}.key svg{vertical-align:-2px}";

fn summary(model: &Model, rows: &Rows<'_>, wrong: &[bool], body: &mut String) {
    let errors = wrong.iter().filter(|w| **w).count();
    let mut items = vec![
        ("Chosen", settings_words(model)),
        ("Keeps", keeps_words(model)),
        (
            "Training",
            format!(
                "{} rows, {} wrong",
                model.record.n_rows,
                percent(model.record.train_error)
            ),
        ),
        (
            "Shown",
            format!(
                "{}: {} rows, {errors} wrong ({})",
                rows.source,
                wrong.len(),
                percent(errors as f64 / wrong.len().max(1) as f64)
            ),
        ),
    ];
    if let Some(words) = cv_words(model) {
        items.push(("Validation", words));
    }
    if let Some(words) = &rows.held_out {
        items.push(("Held out", words.clone()));
    }
    let _ = writeln!(body, "<dl>");
    for (name, words) in items {
        let _ = writeln!(body, "<dt>{name}</dt><dd>{}</dd>", escape(&words));
    }
    let _ = writeln!(body, "</dl>");
}

/// Imports in order, or the features of largest weight.
fn features(model: &Model, body: &mut String) {
    const SHOWN: usize = 40;
    let (names, report) = (model.feature_names(), &model.record.report);
    if let Some(rows) = coefficients(model) {
        coefficient_table(model, &rows, body);
        return;
    }
    if report.imported.is_empty() {
        let selected = model.selected_features();
        let shown: Vec<String> = selected.iter().take(SHOWN).map(|n| escape(n)).collect();
        let more = selected.len().saturating_sub(SHOWN);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let _ = writeln!(body, "<h2>Features</h2>\n<p>{}{rest}</p>", shown.join(", "));
        return;
    }
    let curve = model
        .record
        .cv
        .as_ref()
        .map(|cv| cv.curve.as_slice())
        .unwrap_or_default();
    let _ = writeln!(
        body,
        "<h2>Features in order of import</h2>\n<p>Of all features the one that lowers the penalised likelihood H most enters. H ranks the candidates of one step; \
         across steps the errors tell. Grey ones came next and were left out.</p>\n<table><tr><th></th><th class=\"name\">feature</th><th>H</th><th>training error</th><th>CV error</th></tr>"
    );
    for step in &report.path {
        let Some(j) = step.feature else { continue };
        let point = curve.iter().find(|p| p.size == step.size);
        let _ = writeln!(
            body,
            "<tr{}><td>{}</td><td class=\"name\">{}</td><td>{:.5}</td><td>{}</td><td>{}</td></tr>",
            if step.size > report.imported.len() {
                " class=\"out\""
            } else {
                ""
            },
            step.size,
            escape(&names[j]),
            step.objective,
            step.train_error.map(percent).unwrap_or_default(),
            point.map(|p| percent(p.error)).unwrap_or_default()
        );
    }
    let _ = writeln!(body, "</table>");
}

/// Coefficients of linear posteriors, features by classes.
fn coefficient_table(model: &Model, rows: &[ClassCoefficients], body: &mut String) {
    const FEATURES: usize = 60;
    const CLASSES: usize = 20;
    let selected = model.selected_features();
    let names = model.feature_names();
    let zeros: usize = rows.iter().map(|r| names.len() - r.coef.len()).sum();
    let _ = writeln!(
        body,
        "<h2>What speaks for which class</h2>\n<p>Coefficients of the posteriors in standardised units, features with the largest ones first; {zeros} of {} are zero.</p>\n         <table><tr><th class=\"name\">feature</th>",
        rows.len() * names.len()
    );
    for row in rows.iter().take(CLASSES) {
        let _ = write!(body, "<th>{}</th>", escape(&row.class));
    }
    let _ = writeln!(body, "</tr>");
    for name in selected.iter().take(FEATURES) {
        let _ = write!(body, "<tr><td class=\"name\">{}</td>", escape(name));
        for row in rows.iter().take(CLASSES) {
            let own = row.coef.iter().find(|(j, _)| &names[*j] == name);
            let _ = write!(body, "<td>{}</td>", own.map_or(String::new(), |(_, w)| coefficient(*w)));
        }
        let _ = writeln!(body, "</tr>");
    }
    let _ = writeln!(body, "</table>");
    if selected.len() > FEATURES || rows.len() > CLASSES {
        let _ = writeln!(
            body,
            "<p>{} more features, {} more classes.</p>",
            selected.len().saturating_sub(FEATURES),
            rows.len().saturating_sub(CLASSES)
        );
    }
}

/// Pairs of the first three selected features.
fn pictures(model: &Model, x: &Matrix, posterior: &Matrix, truth: &[Option<usize>], wrong: &[bool], body: &mut String) {
    let names = model.feature_names();
    let first: Vec<usize> = model
        .selected_features()
        .iter()
        .filter_map(|n| names.iter().position(|m| m == n))
        .take(3)
        .collect();
    let used = model.feature_weights().iter().filter(|w| **w != 0.0).count();
    // Only where the picture shows all that the model sees.
    let with_background = used == 2 && first.len() == 2;
    // Evenly spread where there are too many rows to draw.
    let known: Vec<usize> = (0..x.rows())
        .step_by(step(x.rows()))
        .filter(|&i| truth[i].is_some())
        .collect();
    let pairs: Vec<(usize, usize)> = match first.as_slice() {
        [a, b, c, ..] => vec![(*a, *b), (*a, *c), (*b, *c)],
        [a, b] => vec![(*a, *b)],
        [a] => {
            let shown: Vec<[f64; 2]> = known
                .iter()
                .map(|&i| [x[(i, *a)], posterior[(i, posterior.cols() - 1)]])
                .collect();
            one_feature(model, *a, &shown, &known, truth, wrong, body);
            return;
        }
        _ => vec![],
    };
    if pairs.is_empty() || known.is_empty() {
        return;
    }
    let _ = writeln!(body, "<h2>Rows in the first features</h2>");
    key(model, body);
    if with_background {
        let _ = writeln!(body, "<span>background: predicted class, the stronger the surer</span>");
    }
    let _ = writeln!(body, "</p>\n<div class=\"pictures\">");
    for (a, b) in pairs {
        let points: Vec<[f64; 2]> = known.iter().map(|&i| [x[(i, a)], x[(i, b)]]).collect();
        let classes: Vec<usize> = known.iter().filter_map(|&i| truth[i]).collect();
        let errors: Vec<bool> = known.iter().map(|&i| wrong[i]).collect();
        let background = if with_background {
            field(model, a, b, &points)
        } else {
            vec![]
        };
        let picture = Scatter {
            names: [&names[a], &names[b]],
            points: &points,
            classes: &classes,
            wrong: &errors,
            background: &background,
        };
        body.push_str(&picture.svg());
    }
    let _ = writeln!(body, "</div>");
}

/// Rows that the pictures leave out.
fn left_out(truth: &[Option<usize>], body: &mut String) {
    let step = step(truth.len());
    if step > 1 {
        let _ = writeln!(body, "<p>Every {step}th row is drawn.</p>");
    }
    let unknown = truth.iter().filter(|t| t.is_none()).count();
    if unknown > 0 {
        let _ = writeln!(
            body,
            "<p>{unknown} rows have a class that the model does not know; they count as wrong and are not drawn.</p>"
        );
    }
}

/// Every so many rows are drawn.
fn step(rows: usize) -> usize {
    rows.div_ceil(MOST_POINTS).max(1)
}

/// What the marks mean; the paragraph is left open.
fn key(model: &Model, body: &mut String) {
    let _ = writeln!(body, "<p class=\"key\">");
    for (c, name) in model.classes.iter().enumerate().take(MOST_CLASSES) {
        let _ = writeln!(
            body,
            "<span><svg width=\"14\" height=\"14\">{}</svg> {}</span>",
            marker(7.0, 7.0, c),
            escape(name)
        );
    }
    if model.classes.len() > MOST_CLASSES {
        let _ = writeln!(
            body,
            "<span>and {} more classes</span>",
            model.classes.len() - MOST_CLASSES
        );
    }
    let _ = writeln!(body, "<span>ringed: predicted wrongly</span>");
}

/// One feature against the probability of the last class.
fn one_feature(
    model: &Model,
    feature: usize,
    points: &[[f64; 2]],
    rows: &[usize],
    truth: &[Option<usize>],
    wrong: &[bool],
    body: &mut String,
) {
    let (Some(last), false) = (model.classes.last(), rows.is_empty()) else {
        return;
    };
    let classes: Vec<usize> = rows.iter().filter_map(|&i| truth[i]).collect();
    let errors: Vec<bool> = rows.iter().map(|&i| wrong[i]).collect();
    let name = format!("probability of {}", clean(last, 40));
    let names = model.feature_names();
    let picture = Scatter {
        names: [&names[feature], &name],
        points,
        classes: &classes,
        wrong: &errors,
        background: &[],
    };
    let _ = writeln!(body, "<h2>Rows by the one feature</h2>");
    key(model, body);
    let _ = writeln!(body, "</p>\n{}", picture.svg());
}

/// Class and probability at the middle of each cell of the picture of two features.
fn field(model: &Model, a: usize, b: usize, points: &[[f64; 2]]) -> Vec<(usize, f64)> {
    let (x0, x1) = range(points.iter().map(|p| p[0]));
    let (y0, y1) = range(points.iter().map(|p| p[1]));
    let at = |low: f64, high: f64, i: usize| low + (high - low) * (i as f64 + 0.5) / CELLS as f64;
    let x = Matrix::from_fn(CELLS * CELLS, model.reader().n_features(), |i, j| {
        if j == a {
            at(x0, x1, i % CELLS)
        } else if j == b {
            at(y0, y1, i / CELLS)
        } else {
            0.0
        }
    });
    let p = model.predict(&x).posterior;
    p.iter_rows().map(|r| (argmax(r), r[argmax(r)])).collect()
}
