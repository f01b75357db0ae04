//! Files to be scored: matching of columns, encoding, blocks.
#![allow(clippy::unwrap_used)]

mod common;
use common::{gzip, has, score_with, train, train_with};
use kernsieve::data::Schema;
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, TargetColumn};

fn schema() -> Schema {
    train("t.csv", "a,colour,class\n1,red,x\n2,blue,y\n3,red,x\n")
        .unwrap()
        .schema
}

fn error(text: &str, options: impl FnOnce(&mut ScoringOptions)) -> String {
    score_with(&schema(), "s.csv", text, options)
        .err()
        .unwrap()
        .to_string()
}

#[test]
fn columns_match_by_name_in_any_order() {
    let s = score_with(
        &schema(),
        "s.csv",
        "id;colour;class;a\nn1;blue;x;5\nn2;green;y;6\nn3;pink;y;7\n",
        |o| {
            o.target = TargetColumn::IfPresent;
        },
    )
    .unwrap();
    assert_eq!(s.rows(), [[5.0, 0.0], [6.0, 2.0 / 3.0], [7.0, 2.0 / 3.0]]);
    assert_eq!(s.labels().unwrap(), ["x", "y", "y"]);
    assert_eq!(s.notices.len(), 2);
    has(&s.notices[0], &["column 'id'"]);
    has(
        &s.notices[1],
        &["column 'colour': 2 cells", "'green', line 3"],
    );
    let s = score_with(&schema(), "s.csv", "a,colour,class\n5,red,x\n", |_| ()).unwrap();
    assert_eq!(
        (s.labels(), s.notices.len()),
        (None, 0),
        "the target is known, though not wanted"
    );
}

#[test]
fn absent_columns_are_listed_together() {
    has(
        &error("x,y,z\n1,2,3\n", |_| ()),
        &["2 columns ('a', 'colour')", "'x', 'y', 'z'", "--no-header"],
    );
    has(
        &error("a,y\n1,2\n", |_| ()),
        &["column 'colour'", "'a', 'y'"],
    );
    assert!(!error("a,y\n1,2\n", |_| ()).contains("--no-header"));
    has(&error("a,colour\n", |_| ()), &["no data rows"]);
    has(&error("", |_| ()), &["empty"]);
}

#[test]
fn targets() {
    let need = |o: &mut ScoringOptions| o.target = TargetColumn::Required;
    has(
        &error("a,colour\n1,red\n", need),
        &["no column 'class'", "--target"],
    );
    has(
        &error("a,colour,class\n1,red,x\n2,red,\n", need),
        &["line 3, column 'class'", "label is missing"],
    );
    let s = score_with(&schema(), "s.csv", "a,colour\n1,red\n", |o| {
        o.target = TargetColumn::IfPresent
    })
    .unwrap();
    assert_eq!(s.labels(), None);
    let s = score_with(&schema(), "s.csv", "a,colour,truth\n1,red,q\n", |o| {
        o.target = TargetColumn::Required;
        o.target_name = Some("truth".into());
    })
    .unwrap();
    assert_eq!(
        (s.labels().unwrap(), s.notices.len()),
        (vec!["q".to_string()], 0)
    );
    let e = error("a,colour,truth\n1,red,q\n", |o| {
        o.target = TargetColumn::Required;
        o.target_name = Some("trut".into());
    });
    has(&e, &["Did you mean 'truth'?"]);
}

#[test]
fn cells_that_cannot_be_used() {
    has(
        &error("a,colour\n1,red\n,red\n", |_| ()),
        &["line 3, column 'a'", "missing", "--missing mean"],
    );
    has(
        &error("a,colour\n1,red\nx1,red\n", |_| ()),
        &["line 3, column 'a': 'x1' is not a number"],
    );
    has(
        &error("a,colour\n1,red\n1e999,red\n", |_| ()),
        &["line 3, column 'a'", "not finite"],
    );
    has(
        &error("a,colour\n1,red\n2\n", |_| ()),
        &["line 3: 2 fields expected, 1 found"],
    );
    has(
        &error("a,colour\n1,red\n", |o| o.missing = Some(Missing::Drop)),
        &["every row gets an answer"],
    );
    let s = score_with(&schema(), "s.csv", "a,colour\n,red\n4,?\n", |o| {
        o.missing = Some(Missing::Mean)
    })
    .unwrap();
    assert_eq!(s.rows(), [[2.0, 1.0], [4.0, 2.0 / 3.0]]);
    has(&s.notices[0], &["2 missing cells filled"]);
}

#[test]
fn files_without_a_header() {
    let trained = train_with("t.csv", "x,1,2\ny,3,4\n", |o| {
        o.no_header = true;
        o.target = Some("0".into());
    });
    let schema = trained.unwrap().schema;
    for (text, labels) in [("x,5,6\n", Some(vec!["x".to_string()])), ("5,6\n", None)] {
        let s = score_with(&schema, "s.csv", text, |o| {
            o.no_header = true;
            o.target = TargetColumn::IfPresent;
        })
        .unwrap();
        assert_eq!((s.rows(), s.labels()), (vec![vec![5.0, 6.0]], labels));
    }
    // A model trained with names: by position, the target last.
    let named = self::schema();
    for text in ["5,blue\n", "5,blue,y\n"] {
        let s = score_with(&named, "s.csv", text, |o| o.no_header = true).unwrap();
        assert_eq!(s.rows(), [[5.0, 0.0]]);
    }
    let e = score_with(&named, "s.csv", "5\n", |o| o.no_header = true)
        .err()
        .unwrap()
        .to_string();
    has(&e, &["2 columns expected without a header, 1 found"]);
}

#[test]
fn blocks_cover_the_rows_in_order() {
    let text: String = (0..10).map(|i| format!("{i},red\n")).collect();
    let s = score_with(&schema(), "s.csv", format!("a,colour\n{text}"), |o| {
        o.block_rows = 4
    })
    .unwrap();
    let shape: Vec<_> = s
        .blocks
        .iter()
        .map(|b| (b.first_row, b.x.rows(), b.x.cols()))
        .collect();
    assert_eq!(shape, [(0, 4, 2), (4, 4, 2), (8, 2, 2)]);
    assert!(s.rows().iter().enumerate().all(|(i, r)| r[0] == i as f64));
    let s = score_with(&schema(), "s.csv", format!("a,colour\n{text}"), |o| {
        o.block_rows = 5
    })
    .unwrap();
    assert_eq!(s.blocks.len(), 2);
}

#[test]
fn the_iterator_ends_after_an_error() {
    let source = common::source("s.csv", "a,colour\n1,red\nbad,red\n3,red\n");
    let options = ScoringOptions {
        block_rows: 1,
        ..ScoringOptions::default()
    };
    let mut reader = ScoringReader::open(&source, &schema(), &options).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn training_rows_score_as_they_were_trained() {
    let text = "b,a,t,y\n1,u,0.1,p\n2,v,0.2,q\n3,u,1e-300,p\n-4,w,7,q\n";
    let d = train("t.csv", text).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv.gz");
    std::fs::write(&path, gzip(text.as_bytes())).unwrap();
    let reader =
        ScoringReader::open(&Source::Path(path), &d.schema, &ScoringOptions::default()).unwrap();
    let blocks: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(&blocks[0].x, d.dataset.x());
}
