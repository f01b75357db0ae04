//! `sieve` from the command line: what it shows, and smaller models without a search.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, has};
use serde_json::Value;

const FIT: &str = "fit data.csv --target class --method sieve --model m.ks --quiet";

fn fitted() -> (Folder, Value) {
    let folder = Folder::new();
    folder.write("data.csv", disc(90, 1));
    let fit = folder.line(&format!("{FIT} --json")).ok().json();
    (folder, fit)
}

fn sizes(curve: &Value) -> Vec<u64> {
    let points = curve.as_array().unwrap().iter();
    points.map(|p| p["size"].as_u64().unwrap()).collect()
}

#[test]
fn the_record_of_a_fit_is_shown() {
    let (folder, fit) = fitted();
    let (rows, features) = (
        fit["params"]["max_support"].as_u64().unwrap(),
        fit["params"]["max_features"].as_u64().unwrap(),
    );
    assert!(sizes(&fit["cv"]["curve"]).contains(&rows));
    assert!(sizes(&fit["cv"]["feature_curve"]).contains(&features));
    assert_eq!(fit["retained_samples"]["count"], rows);
    assert_eq!(
        fit["selected_features"].as_array().unwrap().len() as u64,
        features
    );
    let importances = fit["importances"].as_array().unwrap();
    assert_eq!(importances.len() as u64, features);
    for i in importances {
        assert!(i["feature"].is_string());
        for key in ["error", "error_se", "log_loss", "log_loss_se"] {
            assert!(i[key].is_f64(), "{key}");
        }
    }
    let linear = fit["params"]["linear"] == "in";
    assert_eq!(fit["linear"].is_object(), linear);
    if linear {
        assert_eq!(fit["linear"].as_object().unwrap().len() as u64, features);
    }
    let inspect = folder.line("inspect m.ks --json").ok().json();
    for key in ["importances", "linear", "path", "params"] {
        assert_eq!(inspect[key], fit[key], "{key}");
    }
    assert_eq!(inspect["cv"]["feature_curve"], fit["cv"]["feature_curve"]);
}

#[test]
fn both_curves_mark_the_choice() {
    let (folder, fit) = fitted();
    for run in [folder.line(FIT).ok(), folder.line("inspect m.ks").ok()] {
        let text = &run.out;
        has(
            text,
            &[
                "rows kept",
                "features kept",
                "shuffled",
                "% error +- ",
                "explains",
                "so far",
                "linear part",
                " on the rows kept",
            ],
        );
        for (title, size) in [
            ("rows kept", &fit["params"]["max_support"]),
            ("features kept", &fit["params"]["max_features"]),
        ] {
            let is_head = |l: &&str| l.trim_start().starts_with(title);
            let lines = text.lines().skip_while(|l| !is_head(l)).skip(1);
            let table = lines.take_while(|l| !l.trim().is_empty());
            let marked: Vec<&str> = table.filter(|l| l.trim_start().starts_with('*')).collect();
            assert_eq!(marked.len(), 1, "{title}\n{text}");
            let own = marked[0].split_whitespace().nth(1).unwrap();
            assert_eq!(own, size.to_string(), "{title}\n{text}");
        }
    }
    let all = folder.line("inspect m.ks --all").ok().out;
    let rows = fit["retained_samples"]["rows"].as_array().unwrap();
    has(&all, &[&format!(" {} ", rows[rows.len() - 1])]);
}

#[test]
fn a_page_draws_both_curves_and_ranks_the_features() {
    let (folder, _) = fitted();
    folder.line(&format!("{FIT} --report page.html")).ok();
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    has(
        &page,
        &[
            "data-plot=\"curve\"",
            "data-plot=\"feature-curve\"",
            "growth of the log loss",
            "Rows in order of selection",
            "\"feature_curve\":{",
        ],
    );
    assert_eq!(
        page.matches("<span").count(),
        page.matches("</span>").count()
    );
}

#[test]
fn a_model_is_made_smaller_without_a_search() {
    let (folder, fit) = fitted();
    let like = "fit data.csv --target class --like m.ks --quiet --json";
    let same = folder.line(like).ok().json();
    assert_eq!(same["retained_samples"], fit["retained_samples"]);
    assert_eq!(same["feature_weights"], fit["feature_weights"]);
    assert_eq!(same["cv"]["grid"].as_array().unwrap().len(), 1);
    let line = format!("{like} --max-support 3 --max-features 1 --model small.ks");
    let small = folder.line(&line).ok().json();
    assert_eq!(small["method"], "sieve");
    assert_eq!(small["retained_samples"]["count"], 3);
    assert_eq!(small["selected_features"].as_array().unwrap().len(), 1);
    let evaluation = folder.line("evaluate small.ks data.csv --json").ok().json();
    assert_eq!(evaluation["error"], small["train_error"]);
    has(&folder.line("inspect small.ks").ok().out, &["3 of 90 rows"]);
    // Again, from the smaller one.
    let line = "fit data.csv --target class --like small.ks --max-support 2 --quiet --json";
    let smaller = folder.line(line).ok().json();
    assert_eq!(smaller["retained_samples"]["count"], 2);
    assert_eq!(smaller["selected_features"].as_array().unwrap().len(), 1);
}

#[test]
fn a_smaller_model_prepares_features_as_the_model_does() {
    let (folder, _) = fitted();
    for how in ["--prepare scores", "--no-standardize"] {
        let first = format!("fit data.csv --target class --method sieve {how} --model own.ks");
        let fit = folder.line(&format!("{first} --quiet --json")).ok().json();
        let like = "fit data.csv --target class --like own.ks --quiet --json";
        let same = folder.line(like).ok().json();
        for key in ["retained_samples", "feature_weights", "train_error"] {
            assert_eq!(same[key], fit[key], "{how} {key}");
        }
    }
}

#[test]
fn what_cannot_be_like_a_model_is_refused() {
    let (folder, _) = fitted();
    folder
        .line("fit data.csv --target class --method lda --model lda.ks")
        .ok();
    let run = |line: &str| folder.line(&format!("fit data.csv --target class {line}"));
    let other = run("--like lda.ks");
    assert_eq!(other.code, 1);
    has(&other.err, &["lda.ks", "sieve", "lda"]);
    for (line, words) in [
        ("--like m.ks --method sieve", "--method"),
        ("--like m.ks --budget 3s", "--budget"),
        ("--like m.ks --rounds 0", "--rounds is part of the setting"),
        ("--like m.ks --ridge 1", "--ridge is part of the setting"),
        ("--like m.ks --prepare scores", "--prepare is part of"),
        ("--like m.ks --no-standardize", "--no-standardize is part"),
        ("--like m.ks --score auc", "--score chooses the setting"),
        ("--like m.ks --prefer small", "--prefer chooses the"),
        ("--like m.ks --rule 1se", "--rule chooses the setting"),
        ("--like m.ks --model m.ks", "m.ks"),
    ] {
        let run = run(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        has(&run.err, &[words]);
    }
    assert_eq!(run("--like absent.ks").code, 1);
    let text = String::from_utf8(folder.read("data.csv")).unwrap();
    let (head, rest) = text.split_once('\n').unwrap();
    let names: Vec<&str> = head.split(',').collect();
    folder.write(
        "other.csv",
        format!("{}\n{rest}", head.replace(names[0], "stranger")),
    );
    let run = folder.line("fit other.csv --target class --like m.ks");
    assert_eq!(run.code, 1);
    has(
        &run.err,
        &[
            "other.csv",
            &format!("lacks '{}'", names[0]),
            "has 'stranger'",
        ],
    );
}
