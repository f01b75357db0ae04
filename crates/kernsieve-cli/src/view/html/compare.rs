//! Methods side by side as a page: the error of each with its interval and every split, and what it
//! costs, in a table.

use super::frame::{Page, Section, escape, figure, file_name, name, plain, table};
use super::origin::CLASSES;
use crate::view::summary::{ComparisonSummary, Standing};
use crate::view::words::{P_VALUES, advice, how, percent, seconds_short, size, taken};
use serde::Serialize;
use std::fmt::Write;

/// The page about a comparison.
pub fn comparison_page(c: &ComparisonSummary<'_>, command: &str) -> String {
    let classes = c.data.classes.iter().map(|(class, n)| (class.as_str(), *n));
    let mut remarks = taken(&c.ranking);
    if c.ranking.is_tested() {
        remarks.push(P_VALUES.into());
    }
    let methods = c.ranking.standings.iter().map(Contestant::from);
    page(&Comparison {
        source: &c.data.source,
        n_rows: c.data.n_rows,
        n_features: c.data.n_features,
        target: c.target,
        classes: classes.collect(),
        how: &how(c),
        advice: &advice(&c.ranking),
        pick: c.ranking.picked().map(|s| s.method.as_str()),
        remarks: &remarks,
        notices: c.notices,
        seed: c.seed,
        command,
        methods: &methods.collect::<Vec<_>>(),
    })
}

/// A method and how it did.
#[derive(Clone, Debug, Default)]
struct Contestant {
    /// Its name.
    name: String,
    /// Error on each split.
    errors: Vec<f64>,
    /// Their mean.
    mean: f64,
    /// Standard error of the mean.
    standard_error: f64,
    /// Training rows that the models keep, in percent.
    retained_percent: Option<f64>,
    /// Features that they keep.
    features: Option<f64>,
    /// Seconds to tune and fit.
    fit_seconds: Option<f64>,
    /// Seconds to predict.
    predict_seconds: Option<f64>,
    /// Bytes of a model.
    model_bytes: Option<u64>,
    /// p-value of a test against the first.
    p_value: Option<f64>,
}

impl From<&Standing> for Contestant {
    fn from(s: &Standing) -> Self {
        Self {
            name: s.method.clone(),
            errors: s.errors.iter().map(|e| e.1).collect(),
            mean: s.error.0,
            standard_error: s.error.1,
            retained_percent: Some(s.retained_percent),
            features: Some(s.features),
            fit_seconds: Some(s.seconds),
            predict_seconds: Some(s.predict_seconds),
            model_bytes: s.model_bytes.map(|b| b as u64),
            p_value: s.p_value_holm,
        }
    }
}

/// What is compared.
#[derive(Default)]
struct Comparison<'a> {
    /// The data.
    source: &'a str,
    /// Their rows.
    n_rows: usize,
    /// Their features.
    n_features: usize,
    /// Column with the classes.
    target: &'a str,
    /// Classes with their rows.
    classes: Vec<(&'a str, usize)>,
    /// How, in a sentence.
    how: &'a str,
    /// What to pick, in sentences.
    advice: &'a str,
    /// The method to pick.
    pick: Option<&'a str>,
    /// Remarks under the table.
    remarks: &'a [String],
    /// Things the user should know.
    notices: &'a [String],
    /// Seed of the splits.
    seed: u64,
    /// The command that makes the page.
    command: &'a str,
    /// The methods, best first.
    methods: &'a [Contestant],
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
    pick: bool,
}

/// The page.
fn page(c: &Comparison<'_>) -> String {
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
                pick: c.pick == Some(&m.name),
            })
            .collect(),
    };
    let mut sections = vec![];
    if let Some(best) = c.methods.first().filter(|m| m.mean.is_finite()) {
        sections.push(Section {
            id: "answer",
            title: "The answer".into(),
            body: answer(c, best),
        });
        let on = match best.errors.len() {
            1 => "Large marks are errors on the one split",
            _ => {
                "Large marks are means, bars two standard errors to either side, small marks the \
                 splits"
            }
        };
        let picked = if c.pick.is_some() {
            "; the method to pick is a diamond"
        } else {
            ""
        };
        sections.push(Section {
            id: "errors",
            title: "Errors".into(),
            body: figure(
                "compare",
                "Dot plot: the mean error of each method with its interval, and the error on each \
                 split",
                &format!("{on}{picked}. All on rows held out of the training."),
            ),
        });
        sections.push(Section {
            id: "table",
            title: "Table".into(),
            body: costs(c),
        });
    }
    sections.push(Section {
        id: "origin",
        title: "Data, and how to repeat this".into(),
        body: origin(c),
    });
    Page {
        title: &format!("Methods on {}", file_name(c.source)),
        lead: &format!("<p class=\"lead\">{}.</p>", escape(&plain(c.how))),
        sections: &sections,
        data: &drawn,
        script: include_str!("compare.js"),
    }
    .html()
}

/// The least error, what to pick, and what was not done as asked.
fn answer(c: &Comparison<'_>, best: &Contestant) -> String {
    let spread = match best.errors.len() {
        1 => String::new(),
        _ => format!(" (standard error {})", percent(best.standard_error)),
    };
    let mut out = format!(
        "<div class=\"answer\"><p>{}</p><p>{} has the least error, \
         <strong>{}</strong>{spread}.</p></div>",
        escape(&plain(c.advice)).replace("+-", "±"),
        name(&best.name),
        percent(best.mean)
    );
    if !c.notices.is_empty() {
        out.push_str("\n<ul class=\"note\">");
        for notice in c.notices {
            let _ = write!(out, "<li dir=\"auto\">{}</li>", escape(&plain(notice)));
        }
        out.push_str("</ul>");
    }
    out
}

/// The data, the seed, the version and the command.
fn origin(c: &Comparison<'_>) -> String {
    let shown = c.classes.iter().take(CLASSES);
    let mut classes: Vec<String> = shown
        .map(|(class, n)| format!("{} {n}", name(class)))
        .collect();
    if c.classes.len() > CLASSES {
        classes.push(format!("{} more", c.classes.len() - CLASSES));
    }
    let items = [
        (
            "Data",
            format!("{} rows of {}", c.n_rows, escape(&plain(c.source))),
        ),
        ("Features", c.n_features.to_string()),
        ("Target", name(c.target)),
        ("Classes", format!("{} (rows of each)", classes.join(", "))),
        ("Splits", escape(&plain(c.how))),
        ("Seed", c.seed.to_string()),
        (
            "Version",
            format!("kernsieve {}", env!("CARGO_PKG_VERSION")),
        ),
    ];
    let mut out = String::from("<dl>\n");
    for (term, words) in items {
        let _ = writeln!(out, "<dt>{term}</dt><dd dir=\"auto\">{words}</dd>");
    }
    let _ = write!(
        out,
        "</dl>\n<h3>The command that made this page</h3>\n<pre><code dir=\"ltr\">{}</code></pre>",
        escape(c.command)
    );
    out
}

/// The table, without columns that are unknown for all methods.
fn costs(c: &Comparison<'_>) -> String {
    let methods = c.methods;
    type Cell = fn(&Contestant) -> Option<String>;
    let columns: [(&str, Cell); 8] = [
        ("error", |m| m.mean.is_finite().then(|| percent(m.mean))),
        ("s.e.", |m| {
            (m.errors.len() > 1).then(|| percent(m.standard_error))
        }),
        ("p", |m| {
            m.p_value.map(|p| {
                if p < 0.001 {
                    "< 0.001".into()
                } else {
                    format!("{p:.3}")
                }
            })
        }),
        ("rows kept", |m| {
            m.retained_percent.map(|v| format!("{v:.0} %"))
        }),
        ("features", |m| {
            m.features
                .map(|v| format!("{v:.1}").trim_end_matches(".0").into())
        }),
        ("tune and fit", |m| m.fit_seconds.map(seconds_short)),
        ("predict", |m| m.predict_seconds.map(seconds_short)),
        ("model", |m| m.model_bytes.map(size)),
    ];
    let known: Vec<&(&str, Cell)> = columns
        .iter()
        .filter(|(_, cell)| methods.iter().any(|m| cell(m).is_some()))
        .collect();
    let mut head = vec![("method", false)];
    head.extend(known.iter().map(|(title, _)| (*title, true)));
    let row = |m: &Contestant| {
        let picked = c.pick == Some(&m.name);
        let mut row = vec![if picked {
            format!("<strong>{}</strong>", name(&m.name))
        } else {
            name(&m.name)
        }];
        row.extend(
            known
                .iter()
                .map(|(_, cell)| escape(&cell(m).unwrap_or_default())),
        );
        row
    };
    let rows: Vec<Vec<String>> = methods.iter().map(row).collect();
    let mut out = table(&head, &rows, "");
    for remark in c.remarks {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&plain(remark)));
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
        let html = page(&Comparison {
            source: "data/a.csv",
            n_rows: 60,
            n_features: 3,
            target: "<i>",
            classes: vec![("<u>", 20), ("no", 40)],
            how: "2 splits",
            advice: "Pick <b>: 1 +- 2.",
            pick: Some("<b>"),
            remarks: &["auto took <b> 2.".into()],
            notices: &["column <s> is constant".into()],
            seed: 5,
            command: "kernsieve compare data/a.csv",
            methods: &methods,
        });
        for text in [
            "<h1 dir=\"auto\" title=\"Methods on a.csv\"",
            "<figure data-plot=\"compare\"",
            "10.0 %",
            "&lt; 0.001",
            "12 %",
            "<strong><bdi class=\"name short\" title=\"&lt;b&gt;\">",
            "<p>Pick &lt;b&gt;: 1 ± 2.</p>",
            "auto took &lt;b&gt; 2.",
            "column &lt;s&gt; is constant",
            "60 rows of data/a.csv",
            "&lt;u&gt;</bdi> 20, <bdi",
            "<dt>Seed</dt><dd dir=\"auto\">5</dd>",
            "kernsieve compare data/a.csv</code>",
        ] {
            assert!(html.contains(text), "{text}");
        }
        // Columns that are unknown for all methods are left out, and names are text.
        assert!(!html.contains(">predict<"));
        for tag in ["<b>", "<i>", "<u>", "<s>"] {
            assert!(!html.contains(tag), "{tag}");
        }
    }

    #[test]
    fn one_split_has_no_standard_error() {
        let methods = [Contestant {
            name: "lda".into(),
            errors: vec![0.1],
            mean: 0.1,
            ..Contestant::default()
        }];
        let html = page(&Comparison {
            methods: &methods,
            ..Comparison::default()
        });
        // Text that the script has for several splits is not part of the page's text.
        let html = &html[..html.find("<script").expect("drawn")];
        assert!(html.contains("<strong>10.0 %</strong>.") && html.contains("the one split"));
        assert!(
            !html.contains("standard error") && !html.contains("s.e.") && !html.contains("diamond")
        );
        // Even without any method there is a page.
        let empty = page(&Comparison::default());
        assert!(empty.contains("</html>") && !empty.contains("<figure"));
    }
}
