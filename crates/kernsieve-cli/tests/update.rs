//! `kernsieve update`: rows added to a saved model.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, has};

/// A file with its first rows, and one with the others.
fn halves(folder: &Folder, rows: usize) {
    let text = disc(2 * rows, 3);
    let (head, body) = text.split_once('\n').unwrap();
    let lines: Vec<&str> = body.lines().collect();
    folder.write(
        "first.csv",
        format!("{head}\n{}\n", lines[..rows].join("\n")),
    );
    folder.write(
        "rest.csv",
        format!("{head}\n{}\n", lines[rows..].join("\n")),
    );
}

#[test]
fn rows_are_added_and_counted() {
    let folder = Folder::new();
    halves(&folder, 90);
    let fit = "fit first.csv --method smkda --bandwidth 1 --max-support 8 --quiet --model";
    folder.line(&format!("{fit} m.ks --updatable")).ok();
    folder.line(&format!("{fit} plain.ks")).ok();
    // Until rows are added both predict the same.
    let plain = folder.line("predict plain.ks rest.csv --variates").ok().out;
    assert_eq!(
        folder.line("predict m.ks rest.csv --variates").ok().out,
        plain
    );

    let run = folder.line("update m.ks rest.csv --model new.ks").ok();
    has(&run.out, &["90 added, 180 in all", "8 samples", "new.ks"]);
    let shown = folder.line("inspect new.ks --json").ok().json();
    assert_eq!(shown["n_rows"], 180);
    assert_ne!(
        folder.line("predict new.ks rest.csv --variates").ok().out,
        plain
    );
    // In place, with JSON: the same model.
    let json = folder.line("update m.ks rest.csv --json").ok().json();
    assert_eq!((&json["added"], &json["n_rows"]), (&90.into(), &180.into()));
    assert_eq!(folder.read("m.ks"), folder.read("new.ks"));
}

#[test]
fn what_cannot_be_added_is_said() {
    let folder = Folder::new();
    halves(&folder, 60);
    let fit = "fit first.csv --method smkda --bandwidth 1 --max-support 5 --quiet --model";
    folder.line(&format!("{fit} m.ks --updatable")).ok();
    folder.line(&format!("{fit} plain.ks")).ok();
    let run = folder.line("update plain.ks rest.csv");
    assert_eq!(run.code, 1);
    has(&run.err, &["plain.ks", "--updatable"]);
    let text = std::fs::read_to_string(folder.path("rest.csv")).unwrap();
    let (first, _) = text.trim_end().rsplit_once(',').unwrap();
    folder.write("other.csv", format!("{first},elsewhere\n"));
    let before = folder.read("m.ks");
    let run = folder.line("update m.ks other.csv");
    assert_eq!(run.code, 1);
    has(&run.err, &["knows no class elsewhere"]);
    assert_eq!(folder.read("m.ks"), before);
}
