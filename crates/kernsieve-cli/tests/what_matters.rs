//! Importances, coefficients, partial dependence and learning curves from the command line.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, disc, groups, has};
use serde_json::Value;

/// Quick settings for methods whose tuning takes long.
fn options(method: &str) -> &'static str {
    match method {
        "sparse-kos" => "--bandwidth 2 --restarts 0 --folds 2",
        "fivm" | "l2qp" => "--bandwidth 2 --folds 2",
        _ => "--folds 2",
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn every_method_says_what_its_features_are_worth() {
    let folder = Folder::new();
    folder.write("data.csv", disc(80, 2));
    for method in METHODS.iter() {
        let line = format!(
            "fit data.csv --target class --method {method} {}",
            options(method)
        );
        let text = folder
            .line(&format!("{line} --model m.ks --quiet"))
            .ok()
            .out;
        has(&text, &["shuffled", "% error +- "]);
        let fit = folder.line(&format!("{line} --json --quiet")).ok().json();
        let importances = list(&fit["importances"]);
        assert!(!importances.is_empty(), "{method}");
        for pair in importances.windows(2) {
            assert!(pair[0]["log_loss"].as_f64() >= pair[1]["log_loss"].as_f64());
        }
        let inspect = folder.line("inspect m.ks --json").ok().json();
        assert_eq!(inspect["importances"], fit["importances"], "{method}");
        let along = list(&fit["partial_dependence"]);
        assert!(!along.is_empty() && along.len() <= 4, "{method}");
        assert_eq!(along[0]["feature"], importances[0]["feature"], "{method}");
        for d in along {
            let classes = d["probabilities"].as_object().unwrap();
            assert_eq!(classes.len(), 1, "the second of two classes");
            let (_, values) = classes.iter().next().unwrap();
            assert_eq!(list(values).len(), list(&d["values"]).len());
            let is_share = |p: &Value| (0.0..=1.0).contains(&p.as_f64().unwrap());
            assert!(list(values).iter().all(is_share), "{method}: {values}");
        }
        assert_eq!(fit["learning_curve"], Value::Null);
        assert!(fit["seconds"]["explain"].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn without_cross_validation_nothing_is_measured() {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 2));
    let fit = folder.line("fit data.csv --method lda --no-cv --json --quiet");
    assert!(list(&fit.ok().json()["importances"]).is_empty());
}

#[test]
fn linear_scores_have_coefficients_in_both_units() {
    let folder = Folder::new();
    folder.write("three.csv", groups(3, 30, 4));
    folder.write("two.csv", disc(60, 3));
    for (file, method, rows) in [
        ("three.csv", "lda", 3),
        ("two.csv", "lda", 1),
        ("three.csv", "klr --kernel linear", 3),
    ] {
        let line = format!("fit {file} --target class --method {method} --quiet");
        let fit = folder.line(&format!("{line} --json")).ok().json();
        let coefficients = list(&fit["coefficients"]);
        assert_eq!(coefficients.len(), rows, "{method}");
        for row in coefficients {
            for (name, w) in row["coef"].as_object().unwrap() {
                let (w, raw) = (w.as_f64().unwrap(), row["raw_coef"][name].as_f64().unwrap());
                // Both differ by the deviation of the feature, which is above 0.
                assert!(w * raw > 0.0, "{name}: {w} {raw}");
            }
            assert!(row["raw_offset"].is_f64() && row["offset"].is_f64());
        }
        let text = folder.line(&line).ok().out;
        let words = if rows == 1 {
            "of the log odds"
        } else {
            "of the log scores"
        };
        has(
            &text.replace("\n  ", " "),
            &[words, "in standardised units"],
        );
    }
    let curved = folder.line("fit two.csv --method kos --json --quiet").ok();
    assert_eq!(curved.json()["coefficients"], Value::Null);
}

#[test]
fn a_learning_curve_is_shown_everywhere() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 5));
    let line = "fit data.csv --method kos --bandwidth 1 --learning-curve --quiet";
    let fit = folder.line(&format!("{line} --json")).ok().json();
    let curve = list(&fit["learning_curve"]);
    let rows: Vec<u64> = curve.iter().map(|p| p["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [12, 24, 48, 96]);
    let last = &curve[3];
    assert_eq!(last["error"], fit["cv"]["error"]);
    assert_eq!(last["standard_error"], fit["cv"]["standard_error"]);
    let text = folder.line(&format!("{line} --report r.html")).ok().out;
    has(&text, &["Learning", "rows", "96"]);
    let page = String::from_utf8(folder.read("r.html")).unwrap();
    for id in ["features", "dependence", "learning"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
}

#[test]
fn a_page_about_a_saved_model_has_the_dependence_on_given_rows() {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 20, 4));
    folder
        .line("fit data.csv --target class --method lda --model m.ks --quiet")
        .ok();
    folder
        .line("report m.ks data.csv --output r.html --quiet")
        .ok();
    let page = String::from_utf8(folder.read("r.html")).unwrap();
    assert!(page.contains("<section id=\"dependence\""));
    assert!(!page.contains("<section id=\"learning\""));
}
