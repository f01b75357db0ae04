//! Where results go: files, links, pipes, streams that are open or closed, names of any bytes.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, has};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A shell in the folder, where `$K` is the program; it may take half a minute.
fn shell(folder: &Folder, line: &str) -> Output {
    let mut child = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder.path(""))
        .env("K", env!("CARGO_BIN_EXE_kernsieve"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("hangs: {line}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[track_caller]
fn done(folder: &Folder, line: &str) {
    let output = shell(folder, line);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}\n{err}");
}

fn fitted() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 1));
    folder.line("fit data.csv --method lda --model m.ks").ok();
    folder.line("predict m.ks data.csv -o p.csv").ok();
    folder
}

#[test]
fn pipes_with_names_get_everything_and_end() {
    let folder = fitted();
    done(&folder, "mkfifo pipe");
    done(
        &folder,
        "cat pipe > got & $K predict m.ks data.csv -o pipe -q && wait",
    );
    assert_eq!(folder.read("got"), folder.read("p.csv"));
    done(
        &folder,
        "cat pipe > got.ks & $K fit data.csv --method lda --model pipe -q && wait",
    );
    assert_eq!(folder.read("got.ks"), folder.read("m.ks"));
    done(
        &folder,
        "cat pipe > got.html & $K report m.ks data.csv -o pipe -q && wait",
    );
    assert!(folder.read("got.html").starts_with(b"<!doctype html>"));
    // Still a pipe.
    done(&folder, "test -p pipe");
}

#[test]
fn process_substitution_works() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("skipped: there is no bash");
        return;
    }
    let folder = fitted();
    done(
        &folder,
        "bash -c '$K predict m.ks data.csv -q -o >(cat > got; mv got whole)'; \
         for i in 1 2 3 4 5 6 7 8 9; do test -e whole || sleep 0.2; done",
    );
    assert_eq!(folder.read("whole"), folder.read("p.csv"));
}

#[test]
fn open_streams_go_on_where_they_are() {
    let folder = fitted();
    let all = [b"before\n".to_vec(), folder.read("p.csv")].concat();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        folder.write("log", "before\n");
        done(
            &folder,
            &format!("$K predict m.ks data.csv -q -o {name} >> log"),
        );
        assert_eq!(folder.read("log"), all, "{name}");
    }
    folder.write("log", "before\n");
    done(&folder, "$K predict m.ks data.csv -q -o /dev/fd/7 7>> log");
    assert_eq!(folder.read("log"), all);
}

#[test]
fn links_lead_to_what_is_written() {
    let folder = fitted();
    symlink("there.csv", folder.path("ahead")).unwrap();
    folder.line("predict m.ks data.csv -o ahead").ok();
    assert_eq!(folder.read("there.csv"), folder.read("p.csv"));
    assert!(
        folder
            .path("ahead")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    symlink("ring", folder.path("ring")).unwrap();
    let run = folder.line("predict m.ks data.csv -o ring");
    assert_eq!(run.code, 1);
    has(&run.err, &["ring", "circle"]);
}

#[test]
fn names_of_any_length_and_bytes() {
    let folder = fitted();
    let long = "n".repeat(250);
    folder
        .line(&format!("predict m.ks data.csv -o {long}"))
        .ok();
    assert_eq!(folder.read(&long), folder.read("p.csv"));
    let odd = |end: &str| [b"caf\xe9".as_slice(), end.as_bytes()].concat();
    let file = |end: &str| folder.path("").join(OsStr::from_bytes(&odd(end)));
    if std::fs::write(file(".csv"), disc(60, 1)).is_err() {
        println!("skipped: names are text on this file system");
        return;
    }
    let run = |words: &[&[u8]]| {
        let words = words.iter().map(|w| OsStr::from_bytes(w));
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernsieve"));
        let output = command.args(words).current_dir(folder.path("")).output();
        let output = output.unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{err}");
    };
    let (data, model) = (odd(".csv"), odd(".ks"));
    let (out, page, journal) = (odd(".out"), odd(".html"), odd(".journal"));
    run(&[
        b"fit",
        &data,
        b"--method",
        b"lda",
        b"--model",
        &model,
        b"--report",
        &page,
    ]);
    run(&[
        b"fit",
        &data,
        b"--method",
        b"lda",
        b"--no-model",
        b"--test",
        &data,
    ]);
    run(&[b"predict", &model, &data, b"--output", &out]);
    run(&[b"evaluate", &model, &data]);
    run(&[b"report", &model, &data, b"--output", &page]);
    let compare: &[&[u8]] = &[
        b"compare",
        &data,
        b"--methods",
        b"lda",
        b"--journal",
        &journal,
    ];
    run(compare);
    assert_eq!(std::fs::read(file(".out")).unwrap(), folder.read("p.csv"));
    assert!(file(".journal").exists());
}

#[test]
fn what_a_killed_program_left_is_gone_after_the_next() {
    let folder = fitted();
    // The input does not end, so the output is being written when the program is killed.
    let mut child = folder
        .command(&["predict", "m.ks", "-", "--output", "out.csv"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let parts = || {
        folder
            .names()
            .iter()
            .filter(|n| n.ends_with(".part"))
            .count()
    };
    let started = Instant::now();
    use std::io::Write;
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(disc(3000, 2).as_bytes()).unwrap();
    while parts() == 0 && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Of one who still writes, nothing is taken.
    folder.line("predict m.ks data.csv -o other.csv").ok();
    assert_eq!(parts(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(parts(), 1);
    folder.line("predict m.ks data.csv -o other.csv").ok();
    assert_eq!(parts(), 0);
    assert!(!folder.path("out.csv").exists());
}

#[test]
fn a_name_that_waits_as_a_link_is_not_written_through() {
    // Somebody who knew the name of the unfinished file could have it overwrite another.
    let folder = fitted();
    folder.write("victim", "precious");
    for k in 0..3 {
        symlink("victim", folder.path(&format!(".out.csv.{k}.part"))).unwrap();
    }
    folder.line("predict m.ks data.csv -o out.csv").ok();
    assert_eq!(folder.read("victim"), b"precious");
    assert_eq!(folder.read("out.csv"), folder.read("p.csv"));
}

#[test]
fn a_closed_output_is_an_error() {
    let folder = fitted();
    for line in [
        "$K predict m.ks data.csv >&-",
        "$K evaluate m.ks data.csv >&-",
        "$K inspect m.ks --json >&-",
    ] {
        let output = shell(&folder, line);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {err}");
        has(&err, &["standard output is closed"]);
    }
    // What says nothing there is none the worse, nor is one whose output is nowhere.
    done(&folder, "$K predict m.ks data.csv -o again.csv >&-");
    assert_eq!(folder.read("again.csv"), folder.read("p.csv"));
    done(&folder, "$K predict m.ks data.csv > /dev/null");
    done(&folder, "$K predict m.ks data.csv 1<> /dev/null");
    // A full disk.
    if Path::new("/dev/full").exists() {
        let output = shell(&folder, "$K predict m.ks data.csv > /dev/full");
        assert_eq!(output.status.code(), Some(1));
    }
}
