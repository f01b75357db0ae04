//! The class that is predicted, and the figures that belong to it: shares, costs, thresholds.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, Numbers, disc, groups, has};
use serde_json::Value;

/// Features that say nothing about three classes, of which one has most rows.
fn noise(n: usize) -> String {
    let mut numbers = Numbers::new(1);
    let mut text = String::from("p,q,r,s,class\n");
    for i in 0..n {
        let class = match i % 8 {
            0 => "c",
            1 => "b",
            _ => "a",
        };
        let x: Vec<String> = (0..4).map(|_| numbers.value().to_string()).collect();
        text.push_str(&format!("{},{class}\n", x.join(",")));
    }
    text
}

/// Rows with a column that tells which of them belong together.
fn with_blocks(text: &str, block: impl Fn(&str) -> String) -> String {
    let line = |(i, line): (usize, &str)| match i {
        0 => format!("block,{line}\n"),
        _ => format!("{},{line}\n", block(line.rsplit(',').next().unwrap())),
    };
    text.lines().enumerate().map(line).collect()
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn probabilities_that_lean_on_shares_decide_and_are_what_is_measured() {
    let folder = Folder::new();
    folder.write("data.csv", noise(80));
    let line = "fit data.csv --target class --method kos --learning-curve";
    let fit = folder.line(&format!("{line} --model m.ks --json")).ok();
    let fit = fit.json();
    assert!(fit["notices"].to_string().contains("lean on these shares"));
    let held_out = &fit["out_of_fold"];
    assert_eq!(fit["cv"]["error"], held_out["error"]);
    let optimism = number(&fit["cv"]["optimism"]);
    let expected = number(&held_out["error"]) + optimism;
    assert!((number(&fit["expected_error"]["error"]) - expected).abs() < 1e-12);
    // The table counts the scores, and they did worse.
    let grid = fit["cv"]["grid"].as_array().unwrap();
    assert!(
        grid.iter()
            .all(|e| number(&e["error"]) > number(&held_out["error"]))
    );
    let curve = fit["learning_curve"].as_array().unwrap();
    let last = number(&curve.last().unwrap()["error"]);
    assert!((last - number(&held_out["error"])).abs() < 1e-12);
    let (header, rows) = folder.line("predict m.ks data.csv --proba").ok().csv();
    let at = header.iter().position(|h| h == "p_a").unwrap();
    for row in &rows {
        let p: Vec<f64> = row[at..at + 3].iter().map(|v| v.parse().unwrap()).collect();
        let largest = (0..3).max_by(|&i, &j| p[i].total_cmp(&p[j])).unwrap();
        assert!(
            row.contains(&["a", "b", "c"][largest].to_string()),
            "{row:?}"
        );
    }
    let text = folder.line(line).ok().out;
    has(&text, &["errors and log loss: before the calibration"]);
}

#[test]
fn what_is_compared_is_what_fit_makes() {
    let folder = Folder::new();
    folder.write("noise.csv", noise(80));
    folder.write("disc.csv", disc(100, 3));
    for (file, method, options) in [
        ("noise.csv", "kos", ""),
        ("disc.csv", "lda", "--threshold best:f1"),
        (
            "disc.csv",
            "kos",
            "--threshold 0.7 --bandwidth 0.5 --ridge 1e-3",
        ),
    ] {
        let line = format!("{file} --target class {options} --json --quiet");
        let fit = format!("fit {line} --method {method} --holdout 0.25");
        let compare = format!("compare {line} --methods {method} --repeats 1 --test-fraction 0.25");
        let (fit, compare) = (
            folder.line(&fit).ok().json(),
            folder.line(&compare).ok().json(),
        );
        let own = number(&compare["methods"][0]["error_splits"][0]);
        assert!((own - number(&fit["test_error"])).abs() < 1e-12, "{method}");
    }
}

#[test]
fn what_no_fit_knows_has_no_log_loss() {
    let folder = Folder::new();
    let data = with_blocks(&groups(3, 15, 4), str::to_string);
    folder.write("data.csv", data);
    let line = "fit data.csv --target class --blocks block --folds 3";
    let fit = folder
        .line(&format!("{line} --method lda --json"))
        .ok()
        .json();
    for field in [
        &fit["log_loss"],
        &fit["auc"],
        &fit["out_of_fold"]["log_loss"],
    ] {
        assert_eq!(*field, Value::Null);
    }
    assert_eq!(fit["out_of_fold"]["log_loss_rows"], 0);
    let auto = folder
        .line(&format!("{line} --methods lda,kos --json"))
        .ok();
    for entry in auto.json()["auto"]["entries"].as_array().unwrap() {
        assert!(entry["log_loss"].is_null(), "{entry}");
    }
    let text = folder
        .line(&format!("{line} --method lda --report r.html"))
        .ok();
    let page = String::from_utf8(folder.read("r.html")).unwrap();
    for words in [&text.out, &page] {
        assert!(!words.contains("by class shares"), "{words}");
    }
    // One class is in one block, the others in many: its rows alone have no log loss.
    let count = std::cell::Cell::new(0);
    let data = with_blocks(&groups(3, 15, 4), |class| {
        count.set(count.get() + 1);
        match class {
            "c0" => "one".into(),
            _ => format!("b{}", count.get()),
        }
    });
    folder.write("some.csv", data);
    let line = "fit some.csv --target class --blocks block --method lda --quiet";
    let fit = folder.line(&format!("{line} --json")).ok().json();
    assert_eq!(fit["out_of_fold"]["log_loss_rows"], 30);
    has(
        &folder.line(line).ok().out.replace("\n         ", " "),
        &["of 30 rows whose class the fits knew"],
    );
}

#[test]
fn a_bad_test_file_does_not_cost_the_model() {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 2));
    folder.write("test.csv", "u,v,noise,class\n0,0,0,inner\n0,oops,0,inner\n");
    let run = folder.line("fit data.csv --target class --method lda --model m.ks --test test.csv");
    assert_eq!(run.code, 1);
    has(&run.err, &["oops", "m.ks"]);
    folder.line("inspect m.ks").ok();
}

#[test]
fn costs_stay_known_beside_a_threshold_and_leave_log_losses_alone() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 2));
    let fit = |options: &str| {
        let line = "fit data.csv --target class --method lda --quiet --test data.csv --json";
        folder
            .line(&format!("{line} {options} --model m.ks"))
            .ok()
            .json()
    };
    let plain = fit("");
    for options in ["--costs 5,1", "--costs 5,1 --threshold cost"] {
        let own = fit(options);
        for (a, b) in [
            (&own["log_loss"], &plain["log_loss"]),
            (&own["test"]["log_loss"], &plain["test"]["log_loss"]),
            (&own["auc"], &plain["auc"]),
        ] {
            assert!((number(a) - number(b)).abs() < 1e-9, "{options}: {a} {b}");
        }
        let test = &own["test"];
        let confusion = |i: usize, j: usize| number(&test["confusion"][i][j]);
        let cost = (5.0 * confusion(0, 1) + confusion(1, 0)) / 120.0;
        assert!(
            (number(&test["mean_cost"]) - cost).abs() < 1e-12,
            "{options}"
        );
        let told = folder.line("evaluate m.ks data.csv --json").ok().json();
        assert_eq!(told["mean_cost"], test["mean_cost"], "{options}");
        has(
            &folder.line("inspect m.ks").ok().out,
            &["costs inner 5, outer 1"],
        );
    }
}

#[test]
fn what_has_no_effect_is_refused_or_told() {
    let folder = Folder::new();
    folder.write("two.csv", disc(60, 2));
    folder.write("three.csv", groups(3, 15, 4));
    for (line, words) in [
        ("--positive c1", "--positive names one of two classes"),
        ("--threshold 0.3", "--threshold divides two classes"),
        ("--costs 1,2", "2 costs for 3 classes"),
        ("--costs 1,2 --threshold cost", "2 costs for 3 classes"),
    ] {
        for method in ["lda", "auto"] {
            let run = folder.line(&format!(
                "fit three.csv --target class --method {method} {line}"
            ));
            assert_eq!(run.code, 1, "{line}: {}", run.err);
            has(&run.err, &[words]);
        }
    }
    let line = "fit two.csv --target class --method lda --no-cv --score auc";
    has(
        &folder.line(line).ok().err,
        &["--score auc changes nothing"],
    );
}
