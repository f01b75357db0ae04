//! Where a page comes from: the data, the settings, the seed, the version, and the command that
//! recreates it.

use super::Analysis;
use super::frame::{Section, escape, name, plain, table};
use crate::view::json::params;
use crate::view::words::{chosen, percent, plural};
use serde_json::Value;
use std::fmt::Write;

/// Classes that are counted one by one.
pub const CLASSES: usize = 60;

/// The methods that were tried, if the method was left open.
pub fn auto_section(a: &Analysis<'_>) -> Option<Section> {
    let auto = a.summary.auto.as_ref()?;
    let number = |v: Option<f64>| v.map(percent).unwrap_or_default();
    let rows: Vec<Vec<String>> = auto
        .entries
        .iter()
        .map(|e| {
            vec![
                if e.method == a.summary.method.name {
                    format!("<strong>{}</strong>", escape(&e.method))
                } else {
                    escape(&e.method)
                },
                e.rows.to_string(),
                number(e.error),
                number(e.optimism),
                number(e.standard_error),
                e.log_loss.map(|v| format!("{v:.3}")).unwrap_or_default(),
                e.size.map(|s| s.to_string()).unwrap_or_default(),
                e.note
                    .as_deref()
                    .map(|n| escape(&plain(n)))
                    .unwrap_or_default(),
            ]
        })
        .collect();
    let head = [
        ("method", false),
        ("rows", true),
        ("CV error", true),
        ("optimism", true),
        ("s.e.", true),
        ("log loss", true),
        ("numbers kept", true),
        ("", false),
    ];
    Some(Section {
        id: "methods",
        title: "Methods that were tried".into(),
        body: format!(
            "<p>{}.</p>\n{}<p class=\"note\">Cross-validated on the training rows. Optimism: how \
             much of it the search for the settings may have gained by chance; it is added before \
             methods are compared. Log loss: of the probabilities of held-out rows.</p>",
            escape(&plain(&auto.why)),
            table(&head, &rows, "")
        ),
    })
}

pub fn section(a: &Analysis<'_>) -> Section {
    let model = a.summary;
    let mut items: Vec<(&str, String)> = vec![];
    for set in &a.sets {
        items.push((
            if set.basis == super::Basis::CrossValidated || set.basis == super::Basis::Training {
                "Training rows"
            } else {
                "Rows shown"
            },
            format!(
                "{} of {}, {} of them predicted wrongly",
                set.basis.rows(set.n()),
                escape(&plain(&set.source)),
                set.wrong()
            ),
        ));
    }
    let columns = &model.columns;
    items.push((
        "Features",
        format!(
            "{} from {} ({} of numbers, {} of categories)",
            columns.schema.n_features(),
            plural(columns.schema.columns.len(), "column"),
            columns.numeric,
            columns.categorical
        ),
    ));
    items.push(("Target", name(&columns.schema.target)));
    items.push(("Classes", classes(a)));
    items.push((
        "Method",
        format!(
            "{}: {}",
            escape(model.method.name),
            escape(model.method.title)
        ),
    ));
    items.push(("Chosen", escape(&plain(&chosen(model)))));
    items.push((
        "Error",
        format!(
            "{} on the {} training rows (flattering)",
            percent(model.train_error),
            model.n_rows
        ),
    ));
    items.push(("Seed", model.plan.seed.to_string()));
    items.push(("Version", format!("kernsieve {}", escape(model.version))));
    let mut body = String::from("<dl>\n");
    for (term, words) in items {
        let _ = writeln!(body, "<dt>{term}</dt><dd>{words}</dd>");
    }
    let _ = writeln!(
        body,
        "</dl>\n<h3>The command that made this page</h3>\n<pre><code dir=\"ltr\">{}</code></pre>",
        escape(a.command)
    );
    let rows: Vec<Vec<String>> = parameters(a)
        .into_iter()
        .map(|(k, v)| vec![escape(&k), escape(&v)])
        .collect();
    let _ = writeln!(
        body,
        "<details><summary>All settings</summary>{}</details>",
        table(&[("setting", false), ("value", false)], &rows, "")
    );
    Section {
        id: "origin",
        title: "Data, settings, and how to repeat this".into(),
        body,
    }
}

fn classes(a: &Analysis<'_>) -> String {
    let (classes, counts) = (a.summary.classes, a.summary.class_counts);
    let counted = classes.iter().zip(counts).take(CLASSES);
    let words: Vec<String> = counted.map(|(c, n)| format!("{} {n}", name(c))).collect();
    let more = classes.len().saturating_sub(CLASSES);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest} (training rows of each)", words.join(", "))
}

/// Settings that have a value, by the names of the JSON output.
fn parameters(a: &Analysis<'_>) -> Vec<(String, String)> {
    let shown = params(a.summary)
        .into_iter()
        .filter(|(_, v)| !v.is_null() && v.as_array().is_none_or(|a| !a.is_empty()));
    shown
        .map(|(k, v)| {
            let text = match v {
                Value::String(s) => s,
                other => other.to_string(),
            };
            (k, plain(&text))
        })
        .collect()
}

/// A command quoted for a shell: words of letters, digits and a few harmless marks as they are, all
/// others in single quotes.
pub fn shell_command(words: impl Iterator<Item = std::ffi::OsString>) -> String {
    let quoted = words.map(|w| {
        let word = w.to_string_lossy();
        let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
        if !word.is_empty() && word.chars().all(harmless) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_through_a_shell_unharmed() {
        let words = [
            "kernsieve",
            "fit",
            "it's $(rm) here.csv",
            "",
            "--target",
            "=1+1",
            "a;b",
            "é",
        ];
        let line = shell_command(words.iter().map(Into::into));
        let out = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("printf '%s\\n' {line}"))
            .output();
        if let Ok(out) = out {
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            assert_eq!(text.lines().collect::<Vec<_>>(), words, "{line}");
        }
        assert!(line.starts_with("kernsieve fit 'it"));
    }
}
