//! Rows that are read in passes: several files, and files larger than the memory that may be used.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, csv, has};
use std::fmt::Write;

/// Rows of a curved border, with a level and a gap now and then.
fn rows(range: std::ops::Range<usize>) -> String {
    let mut text = "a,b,c,colour,class\n".to_string();
    for i in range {
        let at = |k: usize| ((i * (k + 7) * 2_654_435_761) % 10_007) as f64 / 2501.75 - 2.0;
        let (a, b, c) = (at(0), at(1), at(3));
        let colour = ["red", "blue", "green"][i % 3];
        let shift = if colour == "red" { 0.7 } else { 0.2 };
        let class = ["no", "yes"][usize::from((2.0 * a).sin() + b * b - shift > 0.5)];
        let gap = if i % 17 == 2 {
            String::new()
        } else {
            format!("{c:.4}")
        };
        let _ = writeln!(text, "{a:.4},{b:.4},{gap},{colour},{class}");
    }
    text
}

/// Three files, one of them without rows, and all rows in one.
fn parts() -> Folder {
    let folder = Folder::new();
    folder.write("part-0.csv", rows(0..250));
    folder.write("part-1.csv", rows(0..0));
    folder.write("part-2.csv", rows(250..900));
    folder.write("all.csv", rows(0..900));
    folder
}

/// Probabilities of all rows by a model.
fn probabilities(folder: &Folder, model: &str) -> Vec<f64> {
    let predicted = folder.line(&format!("predict {model} all.csv --proba --quiet"));
    let (_, rows) = csv(&predicted.ok().out);
    rows.iter().map(|r| r[1].parse().unwrap()).collect()
}

#[test]
fn passes_over_files_give_the_model_of_memory() {
    let folder = parts();
    for method in [
        "lda",
        "l1-dkf",
        "smkda --candidates 60 --bandwidth 1",
        "klr --candidates 60 --bandwidth 1",
        "sieve --max-support 30",
    ] {
        let fit = |files: &str, model: &str| {
            let line = format!("fit {files} -t class -m {method} -o {model} --missing median");
            folder.line(&format!("{line} --quiet --json")).ok().json()
        };
        let whole = fit("all.csv", "all.ks");
        let files = fit("part-*.csv --stream", "parts.ks");
        assert_eq!(files["n_rows"], 900, "{method}");
        assert_eq!(files["retained_samples"], whole["retained_samples"]);
        let gap = probabilities(&folder, "all.ks")
            .iter()
            .zip(probabilities(&folder, "parts.ks"))
            .fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()));
        assert!(gap < 1e-6, "{method}: {gap:e}");
    }
}

#[test]
fn files_are_named_one_by_one_by_pattern_or_by_folder() {
    let folder = parts();
    let fit = |files: &str| {
        folder.line(&format!(
            "fit {files} -t class -m lda --missing mean --no-model"
        ))
    };
    for files in ["part-0.csv part-1.csv part-2.csv", "part-?.csv", "part-*"] {
        has(&fit(files).ok().out, &["part-0.csv and 2 more: 900 rows"]);
    }
    std::fs::create_dir(folder.path("rows")).unwrap();
    for name in ["part-0.csv", "part-2.csv"] {
        std::fs::copy(folder.path(name), folder.path(&format!("rows/{name}"))).unwrap();
    }
    folder.write("rows/_SUCCESS", "");
    folder.write("rows/notes.md", "not rows");
    has(&fit("rows").ok().out, &["part-0.csv and 1 more: 900 rows"]);
    let none = fit("none-*.csv");
    assert_eq!(none.code, 1);
    has(
        &none.err,
        &["none-*.csv", "no file of rows fits", "parquet"],
    );
}

#[test]
fn little_memory_means_few_rows_at_hand() {
    let folder = Folder::new();
    folder.write("long.csv", rows(0..30_000));
    let line = "fit long.csv -t class -m lda --missing mean --memory 2M --no-model";
    let run = folder.line(line).ok();
    has(
        &run.err,
        &["may need more than the 2.0 MiB", "read in passes"],
    );
    has(&run.err, &["of the 30000 rows, drawn at random"]);
    has(&run.out, &["30000 rows"]);
    // A method that needs all rows at once is told how many there are, and what to use.
    let run = folder.line("fit long.csv -t class -m mkda --missing mean --memory 2M --stream");
    assert_eq!(run.code, 1);
    has(
        &run.err,
        &["mkda needs all rows at once", "30000 rows", "--candidates"],
    );
    let run = folder.line("fit long.csv -t class -m lda --missing mean --stream --holdout 0.2");
    assert_eq!(run.code, 2);
    has(&run.err, &["--holdout", "--test"]);
}

#[test]
fn auto_chooses_among_methods_that_can_read_in_passes() {
    let folder = parts();
    let line = "fit part-*.csv -t class --stream --missing mean --max-support 40 --no-model --json";
    let fit = folder.line(&format!("{line} --quiet")).ok().json();
    assert_eq!(fit["method"], "sieve");
    let fit = folder.line("fit part-*.csv -t class --stream --missing mean --no-model");
    has(&fit.ok().out, &["klr", "needs all rows at once"]);
}

#[test]
fn a_row_that_does_not_fit_the_columns_is_named() {
    let folder = parts();
    // Beyond the rows at hand there is a word in a column of numbers.
    let mut text = rows(0..30_000);
    text.push_str("x,0.1,0.2,red,yes\n");
    folder.write("odd.csv", text);
    let run = folder.line("fit odd.csv -t class -m lda --missing mean --memory 1M --no-model");
    assert_eq!(run.code, 1);
    has(&run.err, &["odd.csv", "column 'a'", "'x'"]);
}
