//! Tables with text, gaps, dates and ids, from a file to predictions.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Folder, has};

/// Rows of a table with a bit of everything.
fn table() -> String {
    let mut text = String::from("\u{feff}id;größe;ort;since;kept;class\r\n");
    for i in 0..120u32 {
        let height = match i % 11 {
            0 => "NA".into(),
            1 => "-999".into(),
            _ => format!("{},{}", 150 + i * 7 % 40, i % 10),
        };
        let town = ["Köln", "Ulm", "Aachen", "?"][(i * 5 % 13 % 4) as usize];
        let class = if i * 7 % 40 > 18 { "tall" } else { "small" };
        text += &format!(
            "K{:04};{height};{town};2024-{:02}-{:02};{};{class}\r\n",
            9000 - i,
            1 + i % 12,
            1 + i % 28,
            i % 3 == 0
        );
    }
    text
}

#[test]
fn predict_does_what_fit_did_and_carries_ids_through() {
    let folder = Folder::new();
    folder.write("t.csv", table());
    let fit = folder
        .line(
            "fit t.csv --target class --method lda --decimal , --na -999 --missing indicator \
             --model m.ks --json",
        )
        .ok();
    has(
        &fit.err,
        &[
            "'id' is left out",
            "'since' holds dates",
            "missing cells",
            "in 2 columns filled",
        ],
    );
    let names = fit.json()["feature_names"].to_string();
    has(
        &names,
        &[
            "größe\"",
            "größe=missing",
            "ort=Aachen",
            "ort=missing",
            "since.weekday",
            "kept\"",
        ],
    );
    let predicted = folder
        .line("predict m.ks t.csv --keep id,ort --proba --quiet")
        .ok();
    let mut lines = predicted.out.lines();
    assert_eq!(lines.next(), Some("id,ort,predicted,p_small,p_tall"));
    assert!(lines.next().unwrap().starts_with("K9000,Köln,"));
    assert_eq!(lines.count(), 119);
    let all = folder
        .line("predict m.ks t.csv --keep all --json --quiet")
        .ok();
    assert_eq!(all.json()["kept"]["id"][0], "K9000");
    folder.line("evaluate m.ks t.csv").ok();
    // A held-out part and another file are treated alike.
    for more in ["--holdout 0.3", "--test t.csv"] {
        let options = "--method lda --decimal , --na -999 --missing median --no-model";
        let run = folder
            .line(&format!("fit t.csv {options} {more} --json"))
            .ok();
        assert!(run.json()["test_error"].as_f64().unwrap() < 0.3);
    }
    let e = folder.line("predict m.ks t.csv --keep nr");
    assert_eq!(e.code, 1);
    has(&e.err, &["--keep nr: there is no such column"]);
}

#[test]
fn categories_by_shares_and_rare_levels() {
    let folder = Folder::new();
    let rows: String = (0..300)
        .map(|i| {
            format!(
                "{},p{},{}\n",
                i % 7,
                i * 31 % 40,
                "xyz".as_bytes()[i % 3] as char
            )
        })
        .collect();
    folder.write("t.csv", format!("a,post,class\n{rows}"));
    let run = folder
        .line("fit t.csv --method lda --encode target --model m.ks --json")
        .ok();
    assert_eq!(
        run.json()["feature_names"].to_string(),
        r#"["a","post:x","post:y","post:z"]"#
    );
    folder.line("predict m.ks t.csv").ok();
    let pooled = folder
        .line("fit t.csv --method lda --rare 8 --no-model --json")
        .ok();
    has(&pooled.err, &["column 'post'", "rare value"]);
    assert!(pooled.json()["n_features"].as_u64().unwrap() < 41);
    let e = folder.line("fit t.csv --rare 0");
    assert_eq!(e.code, 2);
    let e = folder.line("fit t.csv --encode hash");
    assert_eq!(e.code, 2);
    has(&e.err, &["one-hot or target"]);
    // Comparisons encode every training part anew.
    folder
        .line("compare t.csv --methods lda,parzen --repeats 2 --encode target")
        .ok();
}

#[test]
fn kept_columns_and_those_of_the_answer_have_different_names() {
    let folder = Folder::new();
    let rows: String = (0..40)
        .map(|i| format!("{},{},u{i},{}\n", i % 7, i * 3 % 11, ["a", "b"][i % 2]))
        .collect();
    folder.write("t.csv", format!("x,p_a,name,c\n{rows}"));
    folder
        .line("fit t.csv --method lda --model m.ks --quiet")
        .ok();
    let e = folder.line("predict m.ks t.csv --keep all --proba");
    assert_eq!(e.code, 2);
    has(&e.err, &["--keep", "'p_a'"]);
    assert!(e.out.is_empty());
    let kept = folder.line("predict m.ks t.csv --keep all --quiet").ok();
    assert!(
        kept.out.starts_with("x,p_a,name,c,predicted\n"),
        "{}",
        kept.out
    );
    // Each once.
    let twice = folder
        .line("predict m.ks t.csv --keep name,x,2 --quiet")
        .ok();
    assert!(twice.out.starts_with("name,x,predicted\n"), "{}", twice.out);
}
