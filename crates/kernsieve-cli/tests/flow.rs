//! From a file to a model to predictions: what scripts rely on.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, columns, csv, disc, groups, gzip, has};
use serde_json::Value;

/// A folder with `train.csv`, `test.csv` and the model `m.ks` of a method.
fn fitted(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("train.csv", groups(3, 20, 1));
    folder.write("test.csv", groups(3, 10, 2));
    folder
        .line(&format!(
            "fit train.csv --target class --method {method} --model m.ks"
        ))
        .ok();
    folder
}

fn numbers(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|c| c.parse().expect("a number")).collect()
}

#[test]
fn predictions_are_the_most_probable_classes() {
    for &method in METHODS.iter() {
        let folder = fitted(method);
        let (header, rows) = folder
            .line("predict m.ks test.csv --proba --variates")
            .ok()
            .csv();
        assert_eq!(
            header[..4],
            ["predicted", "p_c0", "p_c1", "p_c2"],
            "{method}"
        );
        let outputs = header.len() - 4;
        assert!(outputs >= 1);
        (1..=outputs).for_each(|k| assert_eq!(header[3 + k], format!("z{k}")));
        assert_eq!(rows.len(), 30);
        let (_, truth) = csv(&String::from_utf8(folder.read("test.csv")).unwrap());
        let mut right = 0;
        for (row, truth) in rows.iter().zip(&truth) {
            let values = numbers(&row[1..]);
            assert!(values.iter().all(|v| v.is_finite()), "{method}: {row:?}");
            let p = &values[..3];
            assert!(p.iter().all(|v| (0.0..=1.0).contains(v)));
            assert!(
                (p.iter().sum::<f64>() - 1.0).abs() < 1e-12,
                "{method}: {row:?}"
            );
            let best = (0..3).fold(0, |b, k| if p[k] > p[b] { k } else { b });
            assert_eq!(row[0], format!("c{best}"), "{method}");
            right += usize::from(row[0] == truth[2]);
        }
        // The groups do not overlap.
        assert!(right >= 28, "{method}: {right} of 30");
    }
}

#[test]
fn every_way_out_gives_the_same_predictions() {
    let folder = fitted("mkda");
    let wide = folder.line("predict m.ks test.csv --proba --variates").ok();
    let (header, rows) = wide.csv();
    let column = |name: &str| {
        let j = header.iter().position(|h| h == name).unwrap();
        rows.iter().map(|r| r[j].clone()).collect::<Vec<_>>()
    };

    for (options, names) in [
        ("", &["predicted"][..]),
        ("--proba", &["predicted", "p_c0", "p_c1", "p_c2"]),
        ("--variates", &["predicted", "z1", "z2"]),
    ] {
        let (narrow, cells) = folder
            .line(&format!("predict m.ks test.csv {options}"))
            .ok()
            .csv();
        assert_eq!(narrow, names);
        for (j, name) in narrow.iter().enumerate() {
            assert_eq!(
                cells.iter().map(|r| r[j].clone()).collect::<Vec<_>>(),
                column(name)
            );
        }
    }

    let quiet = folder
        .line("predict m.ks test.csv --proba --variates --output out.csv")
        .ok();
    assert_eq!(quiet.out, "");
    has(&quiet.err, &["30 predictions", "out.csv"]);
    assert_eq!(folder.read("out.csv"), wide.out.as_bytes());

    let object = folder
        .line("predict m.ks test.csv --proba --variates --json")
        .ok()
        .json();
    assert_eq!(object["n_rows"], 30);
    assert_eq!(object["classes"], serde_json::json!(["c0", "c1", "c2"]));
    let texts: Vec<&str> = object["predicted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    assert_eq!(texts, column("predicted"));
    for name in &header[1..] {
        let values: Vec<f64> = object[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect();
        assert_eq!(values, numbers(&column(name)), "{name}");
    }
    assert!(
        folder
            .line("predict m.ks test.csv --json")
            .ok()
            .json()
            .get("p_c0")
            .is_none()
    );

    let to_file = folder
        .line("predict m.ks test.csv --proba --variates --json --output out.json")
        .ok()
        .json();
    assert_eq!(to_file["output"], "out.json");
    assert_eq!(
        serde_json::from_slice::<Value>(&folder.read("out.json")).unwrap(),
        object
    );
}

#[test]
fn the_order_of_columns_and_the_way_in_do_not_matter() {
    let folder = fitted("kos");
    let test = String::from_utf8(folder.read("test.csv")).unwrap();
    let expected = folder.line("predict m.ks test.csv --proba").ok().out;

    folder.write("other.csv", columns(&test, &[1, 2, 0]));
    assert_eq!(
        folder.line("predict m.ks other.csv --proba").ok().out,
        expected
    );
    folder.write("no_labels.csv", columns(&test, &[1, 0]));
    assert_eq!(
        folder.line("predict m.ks no_labels.csv --proba").ok().out,
        expected
    );
    let extra: String = test
        .lines()
        .enumerate()
        .map(|(i, l)| format!("id{i},{l}\n"))
        .collect();
    folder.write("extra.csv", extra);
    let run = folder.line("predict m.ks extra.csv --proba").ok();
    assert_eq!(run.out, expected);
    has(&run.err, &["not used", "'id0'"]);
    assert_eq!(
        folder
            .line("predict m.ks extra.csv --proba --quiet")
            .ok()
            .err,
        ""
    );
    folder.write("test.tsv", test.replace(',', "\t"));
    assert_eq!(
        folder.line("predict m.ks test.tsv --proba").ok().out,
        expected
    );
    folder.write("test.csv.gz", gzip(test.as_bytes()));
    assert_eq!(
        folder.line("predict m.ks test.csv.gz --proba").ok().out,
        expected
    );
    let headless = columns(&test, &[0, 1])
        .split_once('\n')
        .unwrap()
        .1
        .to_string();
    folder.write("headless.csv", headless);
    assert_eq!(
        folder
            .line("predict m.ks headless.csv --no-header --proba")
            .ok()
            .out,
        expected
    );

    assert_eq!(
        folder
            .with_input("predict m.ks - --proba", test.as_bytes())
            .ok()
            .out,
        expected
    );
    let train = folder.read("train.csv");
    folder
        .with_input("fit - --target class --method kos --model piped.ks", &train)
        .ok();
    folder.write("train.csv.gz", gzip(&train));
    folder
        .line("fit train.csv.gz --target class --method kos --model packed.ks")
        .ok();
    for model in ["piped.ks", "packed.ks"] {
        assert_eq!(folder.read(model), folder.read("m.ks"), "{model}");
    }
}

#[test]
fn a_model_is_the_same_bytes_on_any_number_of_threads() {
    for &method in METHODS.iter() {
        let folder = fitted(method);
        folder.write("disc.csv", disc(120, 3));
        for (data, name) in [("train.csv", "g"), ("disc.csv", "d")] {
            for threads in [1, 2] {
                let model = format!("{name}{threads}.ks");
                folder
                    .line(&format!(
                        "fit {data} --target class --method {method} --threads {threads} --model \
                         {model}"
                    ))
                    .ok();
            }
            assert_eq!(
                folder.read(&format!("{name}1.ks")),
                folder.read(&format!("{name}2.ks")),
                "{method} {data}"
            );
        }
        assert_eq!(
            folder.read("m.ks"),
            folder.read("g1.ks"),
            "{method}: a second run"
        );
        let answers = |threads: &str| {
            folder
                .line(&format!(
                    "predict d1.ks disc.csv --proba --variates --threads {threads}"
                ))
                .ok()
                .out
        };
        // The features of the disc are not those of `train.csv`, the model is.
        assert_eq!(answers("1"), answers("2"));
    }
}

#[test]
fn a_reloaded_model_answers_as_the_fitted_one_did() {
    for &method in METHODS.iter() {
        let folder = fitted(method);
        let fit = folder
            .line(&format!(
                "fit train.csv --target class --method {method} --test test.csv --model again.ks \
                 --json"
            ))
            .ok()
            .json();
        // `test` is what the model in memory said, `evaluate` what the one from the file says.
        assert_eq!(
            folder.line("evaluate again.ks test.csv --json").ok().json(),
            fit["test"],
            "{method}"
        );
        assert_eq!(fit["test_error"], fit["test"]["error"]);
        assert_eq!(
            folder
                .line("evaluate again.ks train.csv --json")
                .ok()
                .json()["error"],
            fit["train_error"],
            "{method}"
        );
        let inspected = folder.line("inspect again.ks --json").ok().json();
        for field in [
            "method",
            "classes",
            "kernel",
            "params",
            "cv",
            "train_error",
            "retained_samples",
            "objective",
        ] {
            assert_eq!(inspected[field], fit[field], "{method}: {field}");
        }
    }
}

#[test]
fn held_out_rows_are_not_trained_on() {
    let folder = fitted("lda");
    let run = |options: &str| {
        folder
            .line(&format!(
                "fit train.csv --target class --method mkda --json --quiet {options}"
            ))
            .ok()
            .json()
    };
    let whole = run("");
    assert_eq!(
        (&whole["n_rows"], &whole["test_error"]),
        (&60.into(), &Value::Null)
    );
    let part = run("--holdout 0.25");
    assert_eq!(
        (&part["n_rows"], &part["test"]["n_rows"]),
        (&45.into(), &15.into())
    );
    assert!(part["test_error"].is_number());
    let rows: Vec<u64> = part["retained_samples"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r.as_u64().unwrap())
        .collect();
    assert_eq!(rows.len(), 45);
    // Rows are those of the file, not of the training part.
    assert!(rows.iter().any(|&r| r >= 45) && rows.iter().all(|&r| r < 60));
    assert_ne!(
        run("--holdout 0.25 --seed 1")["retained_samples"],
        part["retained_samples"]
    );
    let other = run("--test test.csv");
    assert_eq!(
        (&other["n_rows"], &other["test"]["n_rows"]),
        (&60.into(), &30.into())
    );
}

#[test]
fn rows_left_out_do_not_shift_the_numbers_of_the_others() {
    let folder = Folder::new();
    folder.write(
        "gaps.csv",
        groups(2, 10, 1).replacen("class\n", "class\n,1,c0\n", 1),
    );
    folder.write("test.csv", groups(2, 5, 2));
    let fit = folder
        .line("fit gaps.csv --method mkda --missing drop --test test.csv --json")
        .ok()
        .json();
    assert_eq!(fit["retained_samples"]["rows"], Value::from_iter(1..21));
    assert_eq!(fit["test"]["n_rows"], 10);
    has(&fit["notices"].to_string(), &["left out 1 of 21 rows"]);
}

#[test]
fn a_threshold_on_the_accuracy_sets_the_status() {
    let folder = fitted("lda");
    folder.write(
        "wrong.csv",
        String::from_utf8(folder.read("test.csv"))
            .unwrap()
            .replace(",c0", ",c1"),
    );
    assert_eq!(
        folder.line("evaluate m.ks test.csv --fail-under 0.5").code,
        0
    );
    let run = folder.line("evaluate m.ks wrong.csv --fail-under 0.9 --json");
    assert_eq!(run.code, 3);
    assert!(run.json()["accuracy"].as_f64().unwrap() < 0.9);
    has(&run.err, &["below", "90.0 %"]);
    let run = folder.line("evaluate m.ks wrong.csv --fail-under 0.9");
    assert_eq!(run.code, 3);
    has(&run.out, &["30 rows, accuracy", "observed"]);
}

#[test]
fn a_sparse_model_by_leave_one_out() {
    let folder = Folder::new();
    folder.write("d.csv", disc(120, 3));
    let run = folder
        .line("fit d.csv --method smkda --validation loo --json")
        .ok();
    let fit = run.json();
    assert_eq!(fit["cv"]["folds"], 5);
    let kept = fit["retained_samples"]["count"].as_u64().unwrap();
    assert!((1..60).contains(&kept), "{kept}");
    assert!(fit["cv"]["grid"][0]["press"]["mean"].as_f64().unwrap() > 0.0);
    assert!(fit["cv"]["error"].as_f64().unwrap() < 0.15);
    has(
        &folder
            .line("fit d.csv --method smkda --validation loo")
            .ok()
            .out,
        &[
            "leave-one-out",
            "PRESS",
            "in 5-fold cross-validation",
            "in order of selection",
        ],
    );
    // The path is no longer than asked for, and a notice says if there are fewer samples.
    let short = folder
        .line("fit d.csv --method smkda --path-limit 5 --json --bandwidth 1")
        .ok();
    let curve = short.json()["cv"]["curve"].as_array().unwrap().len();
    assert_eq!(curve, 5);
    let few = folder
        .line("fit d.csv --method smkda --bandwidth 50 --max-support 100")
        .ok();
    has(&few.err, &["of the 100 samples asked for are retained"]);
}
