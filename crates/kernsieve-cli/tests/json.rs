//! The fields of `--json` that scripts rely on: fields may be added, but are never renamed.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, groups};
use serde_json::Value;

/// Checks fields such as `a.b` against types: `text`, `whole`, `number`, `flag`, `list`, `object`;
/// `?` allows null.
#[track_caller]
fn check(value: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        let (path, kind) = field.split_once(':').unwrap();
        let pointer = format!("/{}", path.replace('.', "/"));
        let found = value
            .pointer(&pointer)
            .unwrap_or_else(|| panic!("no field {path} in {value}"));
        let right = match kind.trim_end_matches('?') {
            _ if kind.ends_with('?') && found.is_null() => true,
            "text" => found.is_string(),
            "whole" => found.is_u64(),
            "number" => found.is_number(),
            "flag" => found.is_boolean(),
            "list" => found.is_array(),
            "object" => found.is_object(),
            other => panic!("no type {other}"),
        };
        assert!(right, "{path} is not {kind}: {found}");
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 15, 4));
    folder
}

#[test]
fn fields_of_fit_and_inspect() {
    let folder = folder();
    let shared = "method:text classes:list n_rows:whole n_features:whole feature_names:list \
        kernel:object \
        kernel.family:text params:object selected_features:list feature_weights:object \
        retained_samples.count:whole \
        retained_samples.rows:list path:list cv:object cv.folds:whole cv.error:number \
        cv.standard_error:number \
        cv.grid:list train_error:number objective:number? iterations:whole converged:flag \
        residual:number? model:text";
    for &method in METHODS.iter() {
        let fit = folder
            .line(&format!(
                "fit data.csv --method {method} --model m.ks --json"
            ))
            .ok()
            .json();
        check(&fit, shared);
        check(
            &fit,
            "test_error:number? seconds.read:number seconds.tune:number seconds.fit:number",
        );
        assert_eq!(fit["method"], method);
        assert_eq!(fit["model"], "m.ks");
        assert_eq!(fit["feature_names"], serde_json::json!(["a", "b"]));
        check(&fit["feature_weights"], "a:number b:number");
        if !["lda", "l1-dkf"].contains(&method) {
            check(&fit, "kernel.bandwidth:number");
        }
        if method != "parzen" {
            check(&fit, "objective:number residual:number");
        }
        let rows = fit["retained_samples"]["rows"].as_array().unwrap();
        assert_eq!(fit["retained_samples"]["count"], rows.len());
        check(
            &fit["cv"]["grid"][0],
            "kernel:object error:number standard_error:number",
        );
        check(&folder.line("inspect m.ks --json").ok().json(), shared);
    }
    let bare = folder
        .line("fit data.csv --method lda --no-cv --json")
        .ok()
        .json();
    check(&bare, "cv:object? model:text? test_error:number?");
    assert!(bare["cv"].is_null() && bare["model"].is_null());
    let tested = folder
        .line("fit data.csv --method lda --holdout 0.3 --json")
        .ok()
        .json();
    check(&tested, "test_error:number test.confusion:list");
}

#[test]
fn fields_of_evaluate() {
    let folder = folder();
    folder.line("fit data.csv --method lda --model m.ks").ok();
    let object = folder.line("evaluate m.ks data.csv --json").ok().json();
    check(
        &object,
        "n_rows:whole accuracy:number error:number balanced_accuracy:number log_loss:number? \
         classes:list confusion:list",
    );
    let confusion: Vec<Vec<u64>> = serde_json::from_value(object["confusion"].clone()).unwrap();
    assert_eq!(confusion.len(), 3);
    // Rows are observed classes, 15 each.
    assert!(
        confusion
            .iter()
            .all(|row| row.len() == 3 && row.iter().sum::<u64>() == 15)
    );
    let wrong: u64 = (0..3)
        .flat_map(|i| (0..3).filter(move |&j| j != i).map(move |j| (i, j)))
        .map(|(i, j)| confusion[i][j])
        .sum();
    assert_eq!(object["error"].as_f64().unwrap(), wrong as f64 / 45.0);
    assert_eq!(
        object["accuracy"].as_f64().unwrap(),
        1.0 - wrong as f64 / 45.0
    );
}

#[test]
fn fields_of_compare() {
    let folder = folder();
    let object = folder
        .line("compare data.csv --repeats 2 --json")
        .ok()
        .json();
    check(&object, "splits:whole methods:list");
    assert_eq!(object["splits"], 2);
    let methods = object["methods"].as_array().unwrap();
    assert_eq!(methods.len(), METHODS.len());
    let mut last = 0.0;
    for m in methods {
        check(
            m,
            "method:text error_mean:number error_se:number retained_percent_mean:number \
             features_mean:number \
             seconds_mean:number params:object",
        );
        let error = m["error_mean"].as_f64().unwrap();
        assert!(error >= last, "best first");
        last = error;
    }
}

#[test]
fn fields_of_predict_and_demo() {
    let folder = folder();
    folder.line("fit data.csv --method lda --model m.ks").ok();
    let object = folder
        .line("predict m.ks data.csv --proba --variates --json")
        .ok()
        .json();
    check(
        &object,
        "n_rows:whole predicted:list p_c0:list p_c1:list p_c2:list z1:list z2:list",
    );
    let demo = folder.line("demo iris --json").ok().json();
    check(
        &demo,
        "demo:text n_rows:whole methods:list method:text test_error:number \
         reload_is_identical:flag",
    );
    assert_eq!(demo["reload_is_identical"], true);
}

#[test]
fn failures_leave_standard_output_to_the_results() {
    let folder = folder();
    for line in [
        "fit none.csv --json",
        "compare none.csv --json",
        "predict none.ks data.csv --json",
        "inspect none.ks --json",
        "demo none --json",
    ] {
        let run = folder.line(line);
        assert!(run.code == 1 || run.code == 2, "{line}");
        assert_eq!(run.out, "", "{line}");
    }
}
