//! Files that are not models, data that do not fit a model, and results that would overwrite an
//! input.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, columns, disc, groups, has};

#[test]
fn models_that_are_none() {
    let folder = Folder::new();
    folder.write("data.csv", disc(40, 1));
    folder.line("fit data.csv --method mkda --model m.ks").ok();
    let model = folder.read("m.ks");
    let mut damaged: Vec<(String, Vec<u8>)> = vec![
        ("nothing".into(), vec![]),
        ("garbage".into(), b"this is no model\n".repeat(20)),
        ("data".into(), folder.read("data.csv")),
        ("longer".into(), [&model[..], b"more"].concat()),
        ("a header of 2^63 bytes".into(), vec![255; 64]),
    ];
    let other = br#"{"weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    damaged.push((
        "other tensors".into(),
        [&(other.len() as u64).to_le_bytes()[..], other, &[0; 4]].concat(),
    ));
    damaged.extend(
        [1, 7, 8, 9, 100, 500, model.len() / 2, model.len() - 1]
            .map(|n| (format!("{n} bytes"), model[..n].to_vec())),
    );
    for (what, bytes) in damaged {
        folder.write("bad.ks", bytes);
        for line in [
            "predict bad.ks data.csv",
            "evaluate bad.ks data.csv",
            "inspect bad.ks",
            "inspect bad.ks --json",
        ] {
            let run = folder.line(line);
            assert_eq!(
                (run.code, run.out.as_str()),
                (1, ""),
                "{line} of {what}: {}",
                run.err
            );
            has(&run.err, &["error: not a usable model file", "bad.ks"]);
        }
    }
}

#[test]
fn data_in_the_place_of_a_model() {
    let folder = Folder::new();
    let data = disc(40, 1);
    folder.write("data.csv", &data);
    folder.write("rows.txt", &data);
    folder.line("fit data.csv --method mkda --model m.ks").ok();
    for file in ["data.csv", "rows.txt"] {
        let what = format!("{file} is a data file, not a model");
        for (line, remedy) in [
            ("inspect FILE", "kernsieve fit FILE --model OUT"),
            ("export FILE out.onnx", "kernsieve fit FILE --model OUT"),
            (
                "predict FILE m.ks",
                "the model comes first, then the data: m.ks FILE",
            ),
            (
                "evaluate FILE m.ks",
                "the model comes first, then the data: m.ks FILE",
            ),
            (
                "predict FILE data.csv",
                "the model comes first, then the data; kernsieve fit",
            ),
            (
                "report FILE data.csv --output o.html",
                "the model comes first",
            ),
        ] {
            let run = folder.line(&line.replace("FILE", file));
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{line}");
            has(&run.err, &[&what, &remedy.replace("FILE", file)]);
        }
    }
    assert_eq!(folder.names(), ["data.csv", "m.ks", "rows.txt"]);
    // A model that is damaged, and text that is no table, are called what they are.
    folder.write("half.ks", &folder.read("m.ks")[..200]);
    folder.write("notes.md", "some words\nand, perhaps, more of them\n");
    for file in ["half.ks", "notes.md"] {
        let run = folder.line(&format!("inspect {file}"));
        assert!(!run.err.contains("data file"), "{}", run.err);
    }
}

#[test]
fn files_that_do_not_suit_the_model() {
    let folder = Folder::new();
    let good = disc(40, 1);
    folder.write("data.csv", &good);
    folder.line("fit data.csv --method mkda --model m.ks").ok();
    folder.write("fewer.csv", columns(&good, &[0, 2, 3]));
    folder.write("others.csv", groups(2, 5, 1));
    folder.write("header.csv", "u,v,noise,class\n");
    folder.write("empty.csv", "");
    folder.write("letters.csv", format!("{good}x,1,1,inner\n"));
    for command in ["predict", "evaluate"] {
        for (file, words) in [
            ("fewer.csv", &["needs column 'v'", "'noise'"][..]),
            ("others.csv", &["needs 3 columns", "'u', 'v', 'noise'"]),
            ("header.csv", &["no data rows"]),
            ("empty.csv", &["empty"]),
            ("letters.csv", &["line 42", "'u'", "'x'"]),
            ("none.csv", &["no such file"]),
        ] {
            let run = folder.line(&format!("{command} m.ks {file}"));
            assert_eq!(
                (run.code, run.out.as_str()),
                (1, ""),
                "{command} {file}: {}",
                run.err
            );
            has(&run.err, &[file]);
            has(&run.err, words);
        }
    }
    folder.write("no_labels.csv", columns(&good, &[0, 1, 2]));
    let run = folder.line("evaluate m.ks no_labels.csv");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["no column 'class'", "--target"]);

    folder.write("new.csv", good.replace("outer", "elsewhere"));
    let run = folder.line("evaluate m.ks new.csv --json").ok();
    has(&run.err, &["knows no class elsewhere", "count as wrong"]);
    let object = run.json();
    assert_eq!(
        object["classes"],
        serde_json::json!(["inner", "outer", "elsewhere"])
    );
    assert_eq!(object["confusion"][2][2], 0);
    assert!(object["log_loss"].is_number());
}

#[test]
fn results_do_not_replace_what_is_read() {
    let folder = Folder::new();
    let good = disc(40, 1);
    folder.write("data.csv", &good);
    folder.line("fit data.csv --method mkda --model m.ks").ok();
    let model = folder.read("m.ks");
    for (line, file) in [
        ("fit data.csv --model data.csv", "data.csv"),
        ("fit data.csv --test m.ks --model ./m.ks", "m.ks"),
        ("predict m.ks data.csv --output m.ks", "m.ks"),
        ("predict m.ks data.csv --output ./data.csv", "data.csv"),
    ] {
        let run = folder.line(line);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{line}: {}", run.err);
        has(&run.err, &["would overwrite", file]);
    }
    assert_eq!(
        (folder.read("data.csv"), folder.read("m.ks")),
        (good.into_bytes(), model)
    );
    // Earlier models and predictions may be replaced.
    folder.line("fit data.csv --method mkda --model m.ks").ok();
    (0..2).for_each(|_| drop(folder.line("predict m.ks data.csv --output out.csv").ok()));
}

#[test]
fn rows_beyond_the_numbers_are_told_and_others_decided() {
    let folder = Folder::new();
    folder.write("data.csv", groups(2, 30, 1));
    folder.line("fit data.csv --method lda --model m.ks").ok();
    // Distances overflow, outputs do not: the class is that of the side.
    folder.write("far.csv", "a,b,class\n1e200,0,c1\n-1e200,0,c0\n2,1,c1\n");
    let run = folder.line("predict m.ks far.csv --proba").ok();
    assert!(!run.err.contains("overflow"), "{}", run.err);
    let (_, rows) = run.csv();
    let far: Vec<&str> = rows.iter().map(|r| r[0].as_str()).collect();
    assert_eq!(far[..2], ["c1", "c0"]);
    assert_eq!((rows[0][2].as_str(), rows[1][1].as_str()), ("1", "1"));
    // Outputs overflow: nobody knows.
    folder.write(
        "beyond.csv",
        "a,b,class\n2,1,c1\n1e308,1e308,c1\n-1e308,1e308,c0\n",
    );
    for line in [
        "predict m.ks beyond.csv",
        "predict m.ks beyond.csv --json",
        "evaluate m.ks beyond.csv",
        "report m.ks beyond.csv -o page.html",
    ] {
        let run = folder.line(line).ok();
        has(&run.err, &["row 1", "overflow"]);
    }
    assert!(String::from_utf8_lossy(&folder.read("page.html")).contains("overflow"));
}

#[test]
fn a_report_wants_rows_of_the_models_classes() {
    let folder = Folder::new();
    let good = disc(40, 1);
    folder.write("data.csv", &good);
    folder.write(
        "others.csv",
        good.replace("inner", "up").replace("outer", "down"),
    );
    folder.write("some.csv", good.replace("outer", "elsewhere"));
    folder.line("fit data.csv --method lda --model m.ks").ok();
    let run = folder.line("report m.ks others.csv -o page.html");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(
        &run.err,
        &[
            "none of the classes in the data (down, up, ...)",
            "inner, outer",
        ],
    );
    assert!(!folder.path("page.html").exists());
    folder.line("report m.ks some.csv -o page.html").ok();
}
