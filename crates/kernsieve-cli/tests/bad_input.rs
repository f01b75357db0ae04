//! Data that are refused, and odd data that are accepted: status, message, nothing on standard
//! output and no model left behind.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, columns, disc, groups, has};

/// Runs `fit` on a file with the target `class`, and checks that it is refused.
#[track_caller]
fn refused(content: impl AsRef<[u8]>, options: &str, code: i32, words: &[&str]) {
    let folder = Folder::new();
    folder.write("data.csv", content);
    let run = folder.line(&format!("fit data.csv --model m.ks {options}"));
    assert_eq!(run.code, code, "{options}: {}", run.err);
    assert_eq!(run.out, "", "{options}");
    has(&run.err, &["error: "]);
    has(&run.err, words);
    assert_eq!(folder.names(), ["data.csv"], "{options}");
}

/// Fits every method on a file, predicts the same file, and returns what was said about it.
#[track_caller]
fn works(content: &str, options: &str) -> String {
    let folder = Folder::new();
    folder.write("data.csv", content);
    let mut said = String::new();
    for &method in METHODS.iter() {
        let run = folder.line(&format!(
            "fit data.csv --model m.ks --method {method} {options}"
        ));
        // Leave-one-out estimates need two rows of a class.
        if method.starts_with("l2") && run.err.contains(&format!("{method} needs two of each")) {
            continue;
        }
        said = run.ok().err;
        let run = folder
            .line("predict m.ks data.csv --proba --missing mean")
            .ok();
        let (_, rows) = run.csv();
        assert_eq!(rows.len(), content.lines().count() - 1);
        let finite = |cell: &String| cell.parse::<f64>().is_ok_and(f64::is_finite);
        assert!(
            rows.iter().all(|r| r[1..].iter().all(finite)),
            "{method}: {}",
            run.out
        );
    }
    said
}

/// `disc` with every cell of the features changed.
fn scaled(by: impl Fn(usize, f64) -> f64) -> String {
    let cell = |(j, c): (usize, &str)| c.parse().map_or(c.to_string(), |v| by(j, v).to_string());
    let row = |l: &str| {
        l.split(',')
            .enumerate()
            .map(cell)
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    disc(40, 1).lines().map(row).collect()
}

#[test]
fn data_that_cannot_be_classified() {
    let good = disc(40, 1);
    let first = |n: usize| {
        good.lines()
            .take(n)
            .map(|l| format!("{l}\n"))
            .collect::<String>()
    };
    refused("", "", 1, &["data.csv", "empty"]);
    refused("\n\n", "", 1, &["data.csv"]);
    refused(first(1), "", 1, &["data.csv", "no data rows"]);
    refused(first(2), "", 1, &["two classes"]);
    refused(
        good.replace("outer", "inner"),
        "",
        1,
        &["two classes", "'inner'", "--target"],
    );
    refused(scaled(|_, _| 1.0), "", 1, &["every feature is constant"]);
    refused("class\na\nb\n", "", 1, &["data.csv"]);
    refused(
        columns(&good, &[0, 1, 3, 2]),
        "",
        1,
        &["'noise'", "measurement", "--target"],
    );
    refused(&good, "--target u", 1, &["'u'", "measurement"]);
    refused(good.replacen("u,v", "u,u", 1), "", 1, &["line 1", "'u'"]);
    refused(b"\xff\xfe\x00\x01 \x00 \n\x00", "", 1, &["data.csv"]);
    refused(b"PAR1 not really PAR1", "", 1, &["data.csv"]);
}

#[test]
fn cells_that_are_no_numbers() {
    let good = disc(40, 1);
    for (cell, words) in [
        ("inf", "not finite"),
        ("-Infinity", "not finite"),
        ("1e999", "not finite"),
        ("NaN", "missing"),
        ("", "missing"),
        ("?", "missing"),
        ("1,5", "fields"),
        ("oops", "not a number"),
    ] {
        refused(
            format!("{good}{cell},1,1,inner\n"),
            "",
            1,
            &["data.csv", "line 42", words],
        );
    }
    refused(
        format!("{good}1,2,inner\n"),
        "",
        1,
        &["line 42", "4 fields expected, 3 found"],
    );
    refused(
        format!("{good}1,2,3,4,inner\n"),
        "",
        1,
        &["line 42", "4 fields expected, 5 found"],
    );
    refused(
        format!("{good}1,2,3,\n"),
        "",
        1,
        &["line 42", "'class'", "label", "--missing drop"],
    );
}

#[test]
fn missing_cells_as_one_likes() {
    let gaps = format!("{},1,1,inner\n1,,1,outer\n", disc(40, 1));
    refused(
        &gaps,
        "",
        1,
        &[
            "line 42",
            "'u'",
            "2 missing cells",
            "--missing drop",
            "--missing mean",
        ],
    );
    refused(&gaps, "--missing error", 1, &["2 missing cells"]);
    refused(
        &gaps,
        "--missing some",
        2,
        &["error, drop, mean, median or indicator"],
    );
    has(&works(&gaps, "--missing drop"), &["left out 2 of 42 rows"]);
    has(
        &works(&gaps, "--missing mean"),
        &["2 missing cells", "mean"],
    );

    let folder = Folder::new();
    folder.write("gaps.csv", gaps);
    folder.line("fit gaps.csv --missing drop --model m.ks").ok();
    for command in ["predict", "evaluate"] {
        let run = folder.line(&format!("{command} m.ks gaps.csv --missing drop"));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{command}");
        has(&run.err, &["every row", "error or mean"]);
        // Every row gets an answer, so that of `drop` is an error.
        let run = folder.line(&format!("{command} m.ks gaps.csv"));
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{command}");
        has(&run.err, &["line 42", "'u'", "--missing mean"]);
        folder
            .line(&format!("{command} m.ks gaps.csv --missing mean"))
            .ok();
    }
    let run = folder.line("predict m.ks gaps.csv --output out.csv");
    assert_eq!(
        (run.code, folder.names()),
        (1, vec!["gaps.csv".to_string(), "m.ks".to_string()])
    );
    // A test file has no rows to spare either, and is named.
    let run = folder.line("fit gaps.csv --missing drop --test gaps.csv");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["gaps.csv, line 42", "--missing mean"]);
}

#[test]
fn odd_data_that_work() {
    let good = disc(40, 1);
    has(
        &works(&format!("{good}9,9,9,lone\n"), ""),
        &["1 class has one row only", "lone"],
    );
    has(
        &works(&scaled(|j, v| if j == 1 { 7.0 } else { v }), ""),
        &["1 feature is constant", ": v"],
    );
    works(&columns(&good, &[0, 0, 1, 3]).replacen("u,u", "u,w", 1), "");
    works(&columns(&good, &[0, 3]), "");
    let rows = good.split_once('\n').unwrap().1;
    works(&format!("{good}{rows}{rows}"), "");
    for scale in [1e300, 1e-300, 1e-12, 1e12] {
        works(&scaled(|_, v| scale * v), "");
    }
    works(&scaled(|j, v| if j == 0 { 1e9 + v } else { v }), "");
    let wide: String = (0..8)
        .map(|i| {
            format!(
                "{}c{}\n",
                (0..40)
                    .map(|j| format!("{},", (i * 7 + j * j * 3) % 11))
                    .collect::<String>(),
                i % 2
            )
        })
        .collect();
    let header: String = (0..40).map(|j| format!("f{j},")).collect();
    works(&format!("{header}class\n{wide}"), "");
    works("x,class\n0,a\n1,b\n", "");
    works(&good.replace('\n', "\r\n"), "");
    works(&format!("\u{feff}{good}"), "");
}

#[test]
fn a_thousand_classes() {
    let folder = Folder::new();
    folder.write("data.csv", groups(1000, 2, 1));
    let fit = folder
        .line("fit data.csv --method lda --no-cv --model m.ks --json")
        .ok()
        .json();
    assert_eq!(fit["classes"].as_array().unwrap().len(), 1000);
    assert!(fit["train_error"].as_f64().unwrap() < 0.5);
    let run = folder.line("evaluate m.ks data.csv").ok();
    has(
        &run.out,
        &["2000 rows", "more; --json has all 1000 classes"],
    );
}

#[test]
fn text_columns_become_categories() {
    let folder = Folder::new();
    let text: String = disc(40, 1)
        .lines()
        .enumerate()
        .map(|(i, l)| {
            format!(
                "{},{l}\n",
                if i == 0 {
                    "colour"
                } else {
                    ["red", "blue", "7"][i % 3]
                }
            )
        })
        .collect();
    folder.write("data.csv", &text);
    let fit = folder.line("fit data.csv --model m.ks --json").ok().json();
    let names = ["colour=7", "colour=blue", "colour=red", "u", "v", "noise"];
    assert_eq!(fit["feature_names"], serde_json::json!(names));
    folder.write("green.csv", text.replace("red,", "green,"));
    let run = folder.line("predict m.ks green.csv").ok();
    assert_eq!(run.csv().1.len(), 40);
    has(
        &run.err,
        &["'colour'", "'green'", "not in the training data"],
    );

    let codes: String = disc(40, 1)
        .lines()
        .enumerate()
        .map(|(i, l)| {
            format!(
                "{},{l}\n",
                if i == 0 {
                    "code".into()
                } else {
                    (i % 3).to_string()
                }
            )
        })
        .collect();
    folder.write("codes.csv", codes);
    let fit = folder
        .line("fit codes.csv --categorical code --drop noise,v --json")
        .ok()
        .json();
    assert_eq!(
        fit["feature_names"],
        serde_json::json!(["code=0", "code=1", "code=2", "u"])
    );
}

#[test]
fn columns_and_files_that_are_not_there() {
    let good = disc(40, 1);
    for option in ["--target", "--drop", "--categorical"] {
        refused(
            &good,
            &format!("{option} zz"),
            1,
            &[option, "zz", "no such column", "'noise'"],
        );
    }
    refused(
        &good,
        "--target 9",
        1,
        &["--target 9", "the last index is 3"],
    );
    refused(&good, "--test none.csv", 1, &["none.csv", "no such file"]);
    refused(&good, "--drop u,v,noise", 1, &["data.csv"]);
    let folder = Folder::new();
    folder.write("data.csv", &good);
    std::fs::create_dir(folder.path("sub")).unwrap();
    for (line, words) in [
        ("fit none.csv", &["none.csv", "no such file"][..]),
        ("fit sub", &["sub", "directory"]),
        ("fit data.csv --model none/m.ks", &["none/m.ks"]),
        ("fit data.csv --model sub", &["sub", "directory"]),
        ("predict none.ks data.csv", &["none.ks"]),
        ("predict sub data.csv", &["sub"]),
        ("evaluate none.ks data.csv", &["none.ks"]),
        ("inspect none.ks", &["none.ks"]),
        ("compare none.csv", &["none.csv", "no such file"]),
        ("compare data.csv --journal none/j", &["none/j"]),
        ("compare data.csv --journal sub", &["sub"]),
    ] {
        let run = folder.line(line);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{line}: {}", run.err);
        has(&run.err, words);
        assert_eq!(folder.names(), ["data.csv", "sub"], "{line}");
    }
    folder.line("fit data.csv --model m.ks").ok();
    let run = folder.line("predict m.ks data.csv --output none/out.csv");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["none/out.csv"]);
}
