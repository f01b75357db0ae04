//! The journal of `kernsieve compare`: what was done is not done again.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 5));
    folder
}

/// What a comparison found, without the times it took.
fn findings(object: &Value) -> Value {
    let mut object = object.clone();
    let fields = object.as_object_mut().unwrap();
    for list in ["methods", "outcomes"] {
        for entry in fields[list].as_array_mut().unwrap() {
            let entry = entry.as_object_mut().unwrap();
            entry.retain(|name, _| !name.contains("seconds"));
        }
    }
    object
}

#[test]
fn a_journal_of_an_older_version_goes_on() {
    let folder = folder();
    let run = |repeats: u32| {
        folder.line(&format!(
            "compare data.csv --repeats {repeats} --methods lda,kos --journal j --json"
        ))
    };
    run(2).ok();
    // Older versions did not measure models.
    let text = String::from_utf8(folder.read("j")).unwrap();
    let old: Vec<String> = text
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            value.as_object_mut().unwrap().remove("model_bytes");
            value.to_string() + "\n"
        })
        .collect();
    assert!(text.contains("model_bytes"));
    folder.write("j", old.concat());
    let same = run(2).ok();
    has(&same.err, &["4 results of the journal", "did not measure"]);
    let object = same.json();
    assert!(object["pick"].is_null());
    assert!(
        object["methods"]
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["model_bytes_mean"].is_null())
    );
    has(
        &folder
            .line("compare data.csv --repeats 2 --methods lda,kos --journal j")
            .ok()
            .out,
        &["?", "not in the journal"],
    );
    let more = run(3).ok().json();
    assert!(more["methods"][0]["model_bytes_mean"].as_f64().unwrap() > 100.0);
    assert!(!more["pick"].is_null());
}

#[test]
fn a_journal_goes_on_with_more_splits() {
    let folder = folder();
    let run = |options: &str| {
        folder
            .line(&format!("compare data.csv --json {options}"))
            .ok()
    };
    let whole = findings(&run("--repeats 4").json());
    run("--repeats 2 --methods lda,mkda --journal j");
    let part = folder.read("j");
    let resumed = run("--repeats 4 --journal j");
    has(&resumed.err, &["4 results taken from the journal"]);
    let sorted = |v: &Value| {
        let mut lines: Vec<String> = v["outcomes"]
            .as_array()
            .unwrap()
            .iter()
            .map(Value::to_string)
            .collect();
        lines.sort();
        lines
    };
    let found = findings(&resumed.json());
    assert_eq!(found["methods"], whole["methods"]);
    assert_eq!(sorted(&found), sorted(&whole));
    let journal = folder.read("j");
    assert!(journal.starts_with(&part));
    // A finished journal gives all results and stays as it is; fewer splits are a part of it.
    let again = run("--repeats 4 --journal j");
    assert_eq!(
        again.json()["methods"],
        resumed.json()["methods"],
        "times and all"
    );
    assert_eq!(
        findings(&run("--repeats 2 --journal j").json())["methods"],
        findings(&run("--repeats 2").json())["methods"]
    );
    assert_eq!(folder.read("j"), journal);
}

#[test]
fn a_line_that_was_cut_off_is_done_again() {
    let folder = folder();
    let line = "compare data.csv --repeats 2 --methods lda,kos --journal j --json";
    let whole = findings(&folder.line(line).ok().json());
    let journal = folder.read("j");
    let ends: Vec<usize> = (0..journal.len())
        .filter(|&i| journal[i] == b'\n')
        .map(|i| i + 1)
        .collect();
    assert_eq!(ends.len(), 5);
    for (cut, kept) in [
        (journal.len() - 1, 3),
        (ends[2] + 7, 2),
        (ends[1], 1),
        (ends[0] - 5, 0),
        (3, 0),
        (0, 0),
    ] {
        folder.write("j", &journal[..cut]);
        let run = folder.line(line).ok();
        assert_eq!(
            run.err.contains(&format!("{kept} result")),
            kept > 0,
            "{cut}: {}",
            run.err
        );
        assert_eq!(findings(&run.json())["methods"], whole["methods"], "{cut}");
        let repaired = String::from_utf8(folder.read("j")).unwrap();
        assert_eq!(repaired.lines().count(), 5);
        assert!(
            repaired
                .lines()
                .all(|l| serde_json::from_str::<Value>(l).is_ok())
        );
    }
}

#[test]
fn a_journal_of_something_else_is_refused_and_kept() {
    let folder = folder();
    folder.write("other.csv", groups(2, 20, 1));
    folder
        .line("compare data.csv --repeats 1 --methods lda --journal j")
        .ok();
    let journal = folder.read("j");
    for (options, words) in [
        ("other.csv --journal j", "other data or options"),
        ("data.csv --journal j --seed 1", "other data or options"),
        (
            "data.csv --journal j --test-fraction 0.5",
            "other data or options",
        ),
        ("data.csv --journal j --folds 3", "other data or options"),
        ("data.csv --journal data.csv", "not a journal"),
        ("data.csv --journal note", "not a journal"),
    ] {
        folder.write("note", "one line without an end");
        let run = folder.line(&format!("compare {options} --repeats 1 --methods lda"));
        assert_eq!(
            (run.code, run.out.as_str()),
            (1, ""),
            "{options}: {}",
            run.err
        );
        has(&run.err, &[words, "name another file"]);
        assert_eq!(folder.read("j"), journal);
        assert_eq!(folder.read("data.csv"), disc(60, 5).as_bytes());
        assert_eq!(folder.read("note"), b"one line without an end");
    }
    let mut lines = journal.clone();
    lines.extend(b"{\"split\":\n{}\n");
    folder.write("j", lines);
    let run = folder.line("compare data.csv --repeats 1 --methods lda --journal j");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["j, line 3"]);
}
