//! What a person reads: the essential lines, none of them too long, and no control characters for
//! the terminal.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, Run, disc, groups, has};
use std::io::Read;
use std::process::Stdio;

/// No line longer than a terminal is wide, nothing but text in them.
#[track_caller]
fn readable(run: &Run) {
    for line in run.out.lines() {
        assert!(
            line.chars().count() <= 80,
            "{} columns: {line}",
            line.chars().count()
        );
    }
    for line in run.out.lines().chain(run.err.lines()) {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(!line.contains(['\u{202e}', '\u{2066}']), "{line:?}");
        assert_eq!(line, line.trim_end(), "blanks at the end");
    }
}

#[test]
fn demos() {
    let folder = Folder::new();
    for (name, rows) in [
        ("rings", "rows, 4 features"),
        ("iris", "150 rows, 4 features"),
        ("wine", "178 rows, 13 features"),
    ] {
        let run = folder.line(&format!("demo {name}")).ok();
        readable(&run);
        has(
            &run.out,
            &[
                &format!("Demo     {name}"),
                rows,
                "1. Which method?",
                "2. Fit ",
                "Chosen",
                "Keeps",
            ],
        );
        has(
            &run.out,
            &[
                "observed \\ predicted",
                "3. Saved, loaded again",
                "the same to the bit",
                "kernsieve predict",
            ],
        );
        // The method that is fitted is the one that was just picked.
        let after = |start: &str| {
            let line = run.out.lines().find_map(|l| l.strip_prefix(start));
            let word = line.and_then(|l| l.split([':', ' ']).next());
            word.unwrap_or_else(|| panic!("no {start:?} in {}", run.out))
        };
        assert_eq!(after("2. Fit "), after("Pick "));
        assert_eq!(after("Method   "), after("Pick "));
    }
    assert!(folder.names().is_empty());
    assert_eq!(
        folder.line("demo").ok().out.lines().next(),
        Some("Demo     rings")
    );
    for name in ["sine", "mixture"] {
        readable(&folder.line(&format!("demo {name} --quiet")).ok());
    }
}

#[test]
fn what_a_demo_advises_works() {
    let folder = Folder::new();
    let run = folder.line("demo iris --save here").ok();
    let advice: Vec<String> = run
        .out
        .lines()
        .filter_map(|l| l.trim().strip_prefix("kernsieve "))
        .map(String::from)
        .collect();
    assert_eq!(advice.len(), 3, "{}", run.out);
    for line in advice {
        folder.line(&line).ok();
    }
}

#[test]
fn fit_and_inspect() {
    let folder = Folder::new();
    folder.write("data.csv", disc(90, 1));
    let run = folder
        .line("fit data.csv --method mkda --holdout 0.3 --model m.ks")
        .ok();
    readable(&run);
    has(
        &run.out,
        &[
            "Data     data.csv: 63 rows to train on, 3 features, 2 classes (inner ",
            "Method   mkda",
            "Tuning",
            "  *",
        ],
    );
    has(
        &run.out,
        &[
            "Chosen   Gaussian kernel, bandwidth ",
            "Keeps    63 of 63 rows, 3 of 3 features",
            "Error    ",
        ],
    );
    has(
        &run.out,
        &[
            "in 5-fold cross-validation",
            "on the held-out rows (",
            " of 27 wrong)",
            "Model    m.ks (",
        ],
    );
    has(&run.err, &["target: 'class' (the last column)"]);
    assert_eq!(folder.line("fit data.csv --quiet").ok().err, "");
    has(
        &folder.line("fit data.csv --no-cv --method lda").ok().out,
        &["not estimated", "Model    data-2.ks ("],
    );
    // The fit before it had the name of the data. Programs name their files themselves.
    assert!(folder.path("data.ks").exists());
    for words in [
        "fit data.csv --method lda --no-model",
        "fit data.csv --method lda --json",
    ] {
        folder.line(words).ok();
    }
    assert!(!folder.path("data-3.ks").exists());

    let run = folder.line("inspect m.ks").ok();
    readable(&run);
    has(
        &run.out,
        &[
            "Model    m.ks (",
            "Method   mkda",
            "Classes  2 (inner ",
            "target 'class'",
            "Columns  3 (3 numeric, 0 ",
        ],
    );
    has(
        &run.out,
        &[
            "Chosen",
            "Keeps",
            "Output   1 per row",
            "Error",
            "Solver   objective",
            "Seed     0, 5 folds, standardised",
        ],
    );
    assert_eq!(run.err, "");
}

/// Class names and column names that are long, or contain control characters.
fn hostile() -> String {
    let bad = |i: usize| match i % 3 {
        0 => "\u{1b}[31mred\u{7}".to_string(),
        1 => "\u{202e}a long name that never seems to come to its end \u{9b}2J".to_string(),
        _ => "\"line\nbreak\rs\"".to_string(),
    };
    let rows = groups(12, 6, 3);
    let mut text =
        String::from("\u{1b}]0;title\u{7},\u{1b}[2Jb and so on and on and on and on,class\n");
    for (i, line) in rows.lines().skip(1).enumerate() {
        let (cells, class) = line.rsplit_once(',').unwrap();
        let name = bad(i % 12).replace("\"", "");
        text.push_str(&format!("{cells},\"{name} {class}\"\n"));
    }
    text.push_str("99,99,\u{1b}[5mlone\n");
    text
}

#[test]
fn names_from_files_do_not_steer_the_terminal() {
    let folder = Folder::new();
    folder.write("data.csv", hostile());
    folder.write("plain.csv", groups(2, 3, 1));
    for line in [
        "fit data.csv --target class --model m.ks",
        "fit data.csv --target class --holdout 0.4 --method lda",
        "inspect m.ks",
        "evaluate m.ks data.csv",
        "compare data.csv --repeats 2",
    ] {
        let run = folder.line(line).ok();
        readable(&run);
        has(&run.out, &["\u{fffd}[31mred"]);
    }
    for line in [
        "fit data.csv --target none",
        "predict m.ks plain.csv",
        "fit data.csv --target 0",
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, 1, "{line}");
        assert!(!run.err.contains('\u{1b}'), "{:?}", run.err);
    }
    // Data stay as they are: a class name of the file is unchanged in the answer.
    let object = folder.line("predict m.ks data.csv --json").ok().json();
    assert!(
        object["predicted"]
            .as_array()
            .unwrap()
            .iter()
            .any(|p| p.as_str().unwrap().starts_with("\u{1b}[31mred"))
    );
}

#[test]
fn many_classes_and_columns_stay_on_the_screen() {
    let folder = Folder::new();
    folder.write(
        "data.csv",
        groups(200, 3, 1).replace(",c", ",a_rather_long_class_"),
    );
    for line in [
        "fit data.csv --method lda --holdout 0.3 --model m.ks",
        "inspect m.ks",
        "evaluate m.ks data.csv",
    ] {
        let run = folder.line(line).ok();
        readable(&run);
        has(&run.out, &[" more"]);
    }
    let header: String = (0..300).map(|j| format!("measurement_{j},")).collect();
    let row = |i: usize| {
        (0..300)
            .map(|j| format!("{},", (i * 31 + j * j) % 17))
            .collect::<String>()
            + ["a\n", "b\n"][i % 2]
    };
    folder.write(
        "wide.csv",
        format!("{header}class\n{}", (0..20).map(row).collect::<String>()),
    );
    readable(&folder.line("fit wide.csv --model w.ks").ok());
    readable(&folder.line("inspect w.ks").ok());
    folder.write(
        "flat.csv",
        format!(
            "{header}class\n{}",
            (0..20)
                .map(|i| format!("{i}{}", ",0".repeat(299)) + [",a\n", ",b\n"][i % 2])
                .collect::<String>()
        ),
    );
    has(
        &folder.line("fit flat.csv --method lda").ok().err,
        &["299 features are constant and left out", "more"],
    );
}

#[test]
fn a_model_is_shown_on_one_screen() {
    let folder = Folder::new();
    // Sixty features with long names; the first two separate twelve classes, whose names are long
    // as well.
    let plain = groups(12, 5, 3);
    let names: String = (2..60)
        .map(|j| format!("an_uncommonly_long_measurement_{j},"))
        .collect();
    let mut numbers = common::Numbers::new(7);
    let mut data = format!("日本語の長い列の名前です日本語の長い列の名前です,b,{names}class\n");
    for line in plain.lines().skip(1) {
        let (cells, class) = line.rsplit_once(',').unwrap();
        let noise: String = (2..60)
            .map(|_| format!("{:.3},", numbers.value()))
            .collect();
        data.push_str(&format!("{cells},{noise}a_class_of_its_own_{class}\n"));
    }
    folder.write("data.csv", data);
    for options in [
        "--method lda",
        "--method smkda --bandwidth 5",
        "--method fivm --bandwidth 5 --ridge 0.01 --stop none --max-features 14",
        "--method l1-dkf",
        "--method sparse-kos --bandwidth 5 --folds 2 --restarts 0",
        "--method l2qp --bandwidth 5 --balance 1",
        "--method parzen --costs 1,2,3,4,5,6,7,8,9,10,11,12",
    ] {
        let fit = folder
            .line(&format!("fit data.csv {options} --model m.ks"))
            .ok();
        // Wide characters take two columns.
        let columns = |line: &str| {
            line.chars()
                .map(|c| {
                    if ('日'..='語').contains(&c) || c > '\u{3000}' {
                        2
                    } else {
                        1
                    }
                })
                .sum::<usize>()
        };
        let screen = folder.line("inspect m.ks").ok().out;
        // Features that are imported stand in two tables: their order, and what they are worth.
        let most = if options.contains("fivm") { 46 } else { 42 };
        assert!(screen.lines().count() <= most, "{options}:\n{screen}");
        let all = folder.line("inspect m.ks --all").ok().out;
        assert!(
            all.lines().count() > screen.lines().count(),
            "{options}:\n{all}"
        );
        has(
            &all.replace("\n         ", " "),
            &["a_class_of_its_own_c11", "an_uncommonly_long_measu…"],
        );
        for line in fit.out.lines().chain(screen.lines()).chain(all.lines()) {
            assert!(
                columns(line) <= 80,
                "{options}: {} columns\n{line}",
                columns(line)
            );
        }
    }
}

#[test]
fn help_names_every_option() {
    let folder = Folder::new();
    let method = "--kernel --bandwidth --bandwidths --degree --slope --shift --ridge --ridge-rule \
        --penalty --priors \
        --mahalanobis --components --folds --rule --seed --no-standardize";
    let data = "--target --format --drop --categorical --missing --no-header --memory";
    for (command, options) in [
        (
            "fit",
            format!("--method --model --test --holdout --no-cv {data} {method}"),
        ),
        (
            "predict",
            "--output --proba --variates --format --missing --no-header".into(),
        ),
        (
            "evaluate",
            "--target --fail-under --format --missing --no-header".into(),
        ),
        (
            "compare",
            format!("--methods --repeats --test-fraction --journal {data} {method}"),
        ),
        ("inspect", String::new()),
        ("demo", "--save --seed".into()),
    ] {
        for line in [format!("{command} --help"), format!("help {command}")] {
            let mut run = folder.line(&line).ok();
            // Lines of nothing but blanks divide the long descriptions.
            run.out = run
                .out
                .lines()
                .map(|l| l.trim_end().to_string() + "\n")
                .collect();
            readable(&run);
            for option in options
                .split_whitespace()
                .chain(["--json", "--threads", "--quiet"])
            {
                assert!(
                    run.out.split([' ', ',', '\n']).any(|w| w == option),
                    "{command}: no {option}"
                );
            }
        }
        has(&folder.line("--help").ok().out, &[command]);
    }
    has(
        &folder.line("--help").ok().out,
        &["Exit status: 0", "Examples:"],
    );
    has(
        &folder.line("--version").ok().out,
        &["kernsieve ", env!("CARGO_PKG_VERSION")],
    );
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = Folder::new();
    folder.write("data.csv", disc(4000, 1));
    folder.write("small.csv", disc(40, 1));
    folder.line("fit small.csv --model m.ks").ok();
    for line in [
        "predict m.ks data.csv --proba --variates",
        "predict m.ks data.csv --proba --json",
        "fit small.csv --json",
        "compare small.csv --repeats 1",
        "inspect m.ks",
        "demo iris",
        "--help",
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        let mut command = folder.command(&args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Read a little, or nothing, and close the pipe.
        let mut pipe = child.stdout.take().unwrap();
        if line.starts_with("predict") {
            pipe.read_exact(&mut [0; 16]).unwrap();
        }
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {err}");
        assert!(
            !err.contains("panicked") && !err.contains("error"),
            "{line}: {err}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one() {
    let folder = Folder::new();
    folder.write("data.csv", disc(40, 1));
    folder.line("fit data.csv --model m.ks").ok();
    for args in [
        &["predict", "m.ks", "data.csv"][..],
        &["predict", "m.ks", "data.csv", "--json"],
        &["evaluate", "m.ks", "data.csv"],
        &["fit", "data.csv", "--json"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = folder
            .command(args)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        has(
            &String::from_utf8(output.stderr).unwrap(),
            &["cannot write"],
        );
    }
}
