//! Methods side by side as a page: the error of each with its interval and every split, and what it costs, in a table.

use super::html::{Page, Section, escape, name, plain, table};
use crate::output::{percent, seconds};
use kernsieve::tuning::for_people;
use serde::Serialize;
use std::fmt::Write;

/// A method and how it did.
#[derive(Clone, Debug, Default)]
pub struct Contestant {
    /// Its name.
    pub name: String,
    /// Error on each split.
    pub errors: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Training rows that the models keep, in percent.
    pub retained_percent: Option<f64>,
    /// Features that they keep.
    pub features: Option<f64>,
    /// Seconds to tune and fit.
    pub fit_seconds: Option<f64>,
    /// Seconds to predict.
    pub predict_seconds: Option<f64>,
    /// Bytes of a model.
    pub model_bytes: Option<u64>,
    /// Of a paired test against the first.
    pub p_value: Option<f64>,
}

/// What is compared, best first.
pub struct Comparison<'a> {
    /// The data.
    pub source: &'a str,
    /// How, in a sentence.
    pub how: &'a str,
    /// The command that makes the page.
    pub command: &'a str,
    /// The methods.
    pub methods: &'a [Contestant],
}

/// What the script draws.
#[derive(Serialize)]
struct Drawn {
    methods: Vec<DrawnMethod>,
}

#[derive(Serialize)]
struct DrawnMethod {
    name: String,
    mean: f64,
    se: f64,
    errors: Vec<f64>,
}

/// The page.
#[expect(dead_code, reason = "the compare command gets its --report option next")]
pub fn page(c: &Comparison<'_>) -> String {
    html_of(c)
}

fn html_of(c: &Comparison<'_>) -> String {
    let drawn = Drawn {
        methods: c
            .methods
            .iter()
            .filter(|m| m.mean.is_finite())
            .map(|m| DrawnMethod {
                name: plain(&m.name),
                mean: m.mean,
                se: m.standard_error,
                errors: m.errors.clone(),
            })
            .collect(),
    };
    let mut sections = vec![];
    let best = c.methods.first().filter(|m| m.mean.is_finite());
    if let Some(best) = best {
        let mark = best.mean + best.standard_error;
        let close: Vec<String> = c.methods[1..]
            .iter()
            .filter(|m| m.mean <= mark)
            .map(|m| name(&m.name))
            .collect();
        let others = match close.len() {
            0 => "No other method is within one standard error of it.".into(),
            _ => format!("Within one standard error of it: {}.", close.join(", ")),
        };
        sections.push(Section {
            id: "answer",
            title: "The answer".into(),
            body: format!(
                "<div class=\"answer\"><p>{} has the least error, <strong>{}</strong> (standard error {}).</p><p>{others}</p></div>",
                name(&best.name),
                percent(best.mean),
                percent(best.standard_error)
            ),
        });
    }
    if !drawn.methods.is_empty() {
        sections.push(Section {
            id: "errors",
            title: "Errors".into(),
            body: super::html::figure(
                "compare",
                "Dot plot: the mean error of each method with its interval, and the error on each split",
                "Large marks are means, bars two standard errors to either side, small marks the splits. All on rows held out of the training.",
            ),
        });
    }
    sections.push(Section {
        id: "table",
        title: "Table".into(),
        body: costs(c.methods),
    });
    sections.push(Section {
        id: "origin",
        title: "How to repeat this".into(),
        body: format!(
            "<p dir=\"auto\">{}</p>\n<pre><code dir=\"ltr\">{}</code></pre>\n<p class=\"note\">kernsieve {}</p>",
            escape(&plain(c.how)),
            escape(c.command),
            env!("CARGO_PKG_VERSION")
        ),
    });
    Page {
        title: &format!("Methods on {}", c.source),
        lead: &format!("<p class=\"lead\">{} methods side by side.</p>", c.methods.len()),
        sections: &sections,
        data: &drawn,
        script: include_str!("compare.js"),
    }
    .html()
}

/// The table, without columns of which nothing is known.
fn costs(methods: &[Contestant]) -> String {
    type Cell = fn(&Contestant) -> Option<String>;
    let columns: [(&str, Cell); 8] = [
        ("error", |m| m.mean.is_finite().then(|| percent(m.mean))),
        ("s.e.", |m| m.mean.is_finite().then(|| percent(m.standard_error))),
        ("p, paired", |m| {
            m.p_value
                .map(|p| if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") })
        }),
        ("rows kept", |m| m.retained_percent.map(|v| format!("{v:.0} %"))),
        ("features", |m| {
            m.features.map(|v| format!("{v:.1}").trim_end_matches(".0").into())
        }),
        ("tune+fit", |m| m.fit_seconds.map(seconds)),
        ("predict", |m| m.predict_seconds.map(seconds)),
        ("model", |m| m.model_bytes.map(for_people)),
    ];
    let known: Vec<&(&str, Cell)> = columns
        .iter()
        .filter(|(_, cell)| methods.iter().any(|m| cell(m).is_some()))
        .collect();
    let mut head = vec![("method", false)];
    head.extend(known.iter().map(|(title, _)| (*title, true)));
    let row = |m: &Contestant| {
        let mut row = vec![name(&m.name)];
        row.extend(known.iter().map(|(_, cell)| escape(&cell(m).unwrap_or_default())));
        row
    };
    let rows: Vec<Vec<String>> = methods.iter().map(row).collect();
    let mut out = table(&head, &rows, "");
    if methods.iter().any(|m| m.p_value.is_some()) {
        let _ = writeln!(
            out,
            "<p class=\"note\">p: paired test over the splits against the first method.</p>"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_drawn_and_tabled() {
        let method = |name: &str, mean: f64, p_value| Contestant {
            name: name.into(),
            errors: vec![mean - 0.01, mean + 0.01],
            mean,
            standard_error: 0.01,
            retained_percent: Some(12.0),
            fit_seconds: Some(0.25),
            p_value,
            ..Contestant::default()
        };
        let methods = [
            method("smkda", 0.1, None),
            method("<b>", 0.105, Some(0.4)),
            method("lda", 0.3, Some(1e-6)),
        ];
        let html = html_of(&Comparison {
            source: "a.csv",
            how: "2 splits",
            command: "kernsieve compare a.csv",
            methods: &methods,
        });
        for text in [
            "<figure data-plot=\"compare\"",
            "10.0 %",
            "&lt; 0.001",
            "12 %",
            "kernsieve compare a.csv",
            "Within one standard error of it: <bdi",
        ] {
            assert!(html.contains(text), "{text}");
        }
        // Columns of which nothing is known are left out, and names are text.
        assert!(!html.contains(">predict<") && !html.contains("<b>"));
        // What may hold nothing at all still makes a page.
        let empty = html_of(&Comparison {
            source: "",
            how: "",
            command: "",
            methods: &[],
        });
        assert!(empty.contains("</html>") && !empty.contains("<figure"));
    }
}
