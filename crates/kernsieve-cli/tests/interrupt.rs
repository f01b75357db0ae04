//! Ctrl-C: the program ends at once and leaves nothing half done, and a journal can be continued.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, has};
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a program that reads standard input. When this returns, the program has begun to read:
/// there is more input than a pipe holds.
fn start(folder: &Folder, line: &str, input: &str) -> (Child, ChildStdin) {
    assert!(input.len() > 100_000);
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut command = folder.command(&args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut pipe = child.stdin.take().expect("piped");
    pipe.write_all(input.as_bytes()).expect("is read");
    (child, pipe)
}

/// Interrupts a running program and returns its status, output and messages; it must end within two
/// seconds.
#[track_caller]
fn interrupt(mut child: Child) -> (Option<i32>, String, String) {
    assert!(
        child.try_wait().unwrap().is_none(),
        "ended too soon to be interrupted"
    );
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .expect("there is kill")
            .success()
    );
    let asked = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if asked.elapsed() > Duration::from_secs(2) {
            child.kill().unwrap();
            panic!("still running two seconds after Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[track_caller]
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_comparison_stops_and_its_journal_goes_on() {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 5));
    let lines = || std::fs::read_to_string(folder.path("j")).map_or(0, |t| t.lines().count());
    let line = "compare data.csv --methods lda,kos --repeats 100000 --journal j --json";
    let mut command = folder.command(&line.split(' ').collect::<Vec<_>>());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("no results in the journal", || lines() > 10);
    let (code, out, err) = interrupt(child);
    assert_eq!((code, out.as_str()), (Some(130), ""), "{err}");
    has(&err, &["interrupted"]);
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(folder.names(), ["data.csv", "j"]);

    let resumed = folder
        .line("compare data.csv --methods lda,kos --repeats 4 --journal j --json")
        .ok();
    has(&resumed.err, &["8 results taken from the journal"]);
    let fresh = folder
        .line("compare data.csv --methods lda,kos --repeats 4 --json")
        .ok();
    for (a, b) in (0..2).map(|i| {
        (
            resumed.json()["methods"][i].clone(),
            fresh.json()["methods"][i].clone(),
        )
    }) {
        for field in [
            "method",
            "error_mean",
            "error_se",
            "features_mean",
            "params",
        ] {
            assert_eq!(a[field], b[field], "{field}");
        }
    }
}

#[test]
fn a_fit_stops_and_the_old_model_stays() {
    let folder = Folder::new();
    folder.write("small.csv", disc(40, 1));
    folder.line("fit small.csv --model m.ks").ok();
    let old = folder.read("m.ks");
    // While it reads, and in the middle of minutes of tuning.
    for tuning in [false, true] {
        let (child, pipe) = start(
            &folder,
            "fit - --method mkda --folds 20 --model m.ks",
            &disc(3000, 1),
        );
        let reading = (!tuning).then_some(pipe);
        std::thread::sleep(Duration::from_millis(500));
        let (code, out, err) = interrupt(child);
        drop(reading);
        assert_eq!((code, out.as_str()), (Some(130), ""), "{err}");
        assert!(!err.contains("panicked"), "{err}");
        assert_eq!(folder.names(), ["m.ks", "small.csv"]);
        assert_eq!(folder.read("m.ks"), old);
    }
}

#[test]
fn predictions_into_a_file_stop_without_a_part_of_it() {
    let folder = Folder::new();
    folder.write("data.csv", disc(40, 1));
    folder.line("fit data.csv --model m.ks").ok();
    // The input does not end: the output is being written when the signal comes.
    let (child, pipe) = start(&folder, "predict m.ks - --output out.csv", &disc(3000, 2));
    wait_until("no file is being written", || {
        folder.names().iter().any(|n| n.ends_with(".part"))
    });
    let (code, out, err) = interrupt(child);
    drop(pipe);
    assert_eq!((code, out.as_str()), (Some(130), ""), "{err}");
    assert_eq!(folder.names(), ["data.csv", "m.ks"]);
}
