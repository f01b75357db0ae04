//! Lists in the text for people: all of them where they fit, and all that `inspect --all` promises.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};

/// The lines of a field: the one with the label, and those under it.
fn field(text: &str, label: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|l| !l.starts_with(label));
    let own = lines
        .enumerate()
        .take_while(|(i, l)| *i == 0 || l.starts_with("         "));
    own.map(|(_, l)| l.to_string()).collect()
}

#[test]
fn classes_are_named_while_they_fit_two_lines() {
    let folder = Folder::new();
    for (k, all) in [(4, true), (9, true), (60, false)] {
        folder.write("data.csv", groups(k, 6, 1));
        let run = folder
            .line("fit data.csv --method lda --model m.ks --quiet")
            .ok();
        for (text, label) in [
            (&run.out, "Data "),
            (&folder.line("inspect m.ks").ok().out, "Classes "),
        ] {
            let lines = field(text, label);
            assert!(lines.len() <= 3, "{text}");
            assert!(lines.iter().all(|l| l.chars().count() <= 80), "{text}");
            let joined = lines.join(" ");
            assert_eq!(joined.contains(&format!("c{} 6", k - 1)), all, "{text}");
            assert_eq!(joined.contains(" more"), !all, "{text}");
            // Not only the first few are named where there are more.
            assert!(joined.matches(" 6").count() >= k.min(8), "{text}");
        }
    }
}

#[test]
fn all_retained_rows_are_listed() {
    let folder = Folder::new();
    folder.write("data.csv", disc(150, 1));
    let options = "--method smkda --bandwidth 0.5 --max-support 40 --rule min --model m.ks --quiet";
    folder.line(&format!("fit data.csv {options}")).ok();
    let rows = folder.line("inspect m.ks --json").ok().json();
    let rows = rows["retained_samples"]["rows"].as_array().unwrap().clone();
    assert!(rows.len() > 15, "{rows:?}");
    let run = folder.line("inspect m.ks --all").ok();
    let listed: Vec<String> = rows.iter().map(ToString::to_string).collect();
    has(&run.out, &[&format!("rows {} (from 0", listed.join(", "))]);
    assert!(
        run.out.lines().all(|l| l.chars().count() <= 80),
        "{}",
        run.out
    );
    // One screen has no room for them.
    let screen = folder.line("inspect m.ks").ok().out;
    assert!(!screen.contains(&listed[..12].join(", ")), "{screen}");
}

#[test]
fn costs_and_what_they_change_stand_side_by_side() {
    let folder = Folder::new();
    folder.write("data.csv", disc(200, 3));
    folder.write("test.csv", disc(300, 4));
    let fit = "fit data.csv --test test.csv --method lda --quiet";
    let plain = folder.line(&format!("{fit} --json")).ok().json();
    let error = plain["test"]["error"].as_f64().unwrap();
    let run = folder.line(&format!("{fit} --costs 1,6 --model m.ks")).ok();
    let words = format!("with an error of {:.1} %", 100.0 * error);
    has(
        &run.out,
        &["mean cost of a row ", "without the costs", &words],
    );
    let run = folder.line("evaluate m.ks test.csv").ok();
    let joined = run.out.replace('\n', " ");
    has(
        &joined,
        &["mean cost of a row ", "without the costs", &words],
    );
    // The costs lower the mean cost and raise the error.
    let numbers = |start: &str| -> f64 {
        let rest = joined.split(start).nth(1).unwrap();
        let end = rest.find([';', ',']).unwrap();
        rest[..end].trim().parse().unwrap()
    };
    assert!(
        numbers("mean cost of a row") < numbers("it would be"),
        "{joined}"
    );
    // Without costs there is nothing to say about them.
    let plain = folder.line(fit).ok().out;
    assert!(!plain.contains("cost of a row"), "{plain}");
}
