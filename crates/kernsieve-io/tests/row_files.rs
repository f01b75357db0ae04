//! Tables that are read in passes.
#![allow(clippy::unwrap_used)]

mod common;
#[cfg(feature = "parquet")]
mod write_parquet;

use common::{has, source, train_with};
use kernsieve::data::{Dataset, Rng};
use kernsieve::partial::{Collect, Columns, Frame, Part, Task};
use kernsieve::tuning::{AllRows, Control};
use kernsieve_io::{Missing, ReadOptions, RowFiles, Source};

/// Rows with a number, a gap now and then, a level, a label, and a weight.
fn rows(n: usize) -> Vec<String> {
    let mut rng = Rng::new(4);
    let row = |i: usize| {
        let x = rng.normal();
        let gap = if i % 11 == 3 {
            String::new()
        } else {
            format!("{:.6}", rng.normal())
        };
        let level = ["red", "blue", "green"][rng.below(3)];
        let label = if i % 50 == 7 {
            "rare"
        } else if x > 0.2 {
            "b"
        } else {
            "a"
        };
        format!("{x:.6},{gap},{level},{},{label}", i % 4)
    };
    (0..n).map(row).collect()
}

/// More bytes than all rows take.
const ROOM: u64 = 1 << 30;
const HEADER: &str = "x,gap,colour,w,class";

fn file(name: &str, rows: &[String]) -> Source {
    source(name, format!("{HEADER}\n{}\n", rows.join("\n")))
}

fn options() -> ReadOptions {
    ReadOptions {
        missing: Missing::Median,
        weights: Some("w".into()),
        ..ReadOptions::default()
    }
}

fn survey(files: &[Source], most: usize) -> RowFiles {
    RowFiles::survey(files, &options(), most, ROOM, 0, |_| ()).unwrap()
}

/// Tables with gaps are not equal to themselves, but their features are.
fn same(a: &Dataset, b: &Dataset) {
    assert!(a.x() == b.x() && a.labels() == b.labels() && a.weights() == b.weights());
}

#[test]
fn several_files_are_one_table() {
    let all = rows(700);
    let text = format!("{HEADER}\n{}\n", all.join("\n"));
    let whole = train_with("all.csv", &text, |o| *o = options()).unwrap();
    // A part without rows is no error.
    let parts = [
        file("0.csv", &all[..10]),
        source("1.csv", format!("{HEADER}\n")),
        file("2.csv", &all[10..500]),
        file("3.csv", &all[500..]),
    ];
    let mut files = survey(&parts, 10_000);
    let sample = files.sample().unwrap();
    same(&sample.dataset, &whole.dataset);
    assert!(sample.rows == whole.rows && sample.schema == whole.schema);
    assert_eq!(files.rows(), whole.dataset.n_samples() as u64);
    let (mut x, mut codes, mut weights) = (vec![], vec![], vec![]);
    files
        .visit(&sample.schema, |block| {
            x.extend_from_slice(block.x.as_slice());
            codes.extend_from_slice(&block.codes);
            weights.extend(block.weights.unwrap());
            Ok(())
        })
        .unwrap();
    assert!(x == whole.dataset.x().as_slice());
    assert_eq!(codes, whole.dataset.labels().codes());
    assert_eq!(Some(weights.as_slice()), whole.dataset.weights());
}

#[test]
fn the_sample_does_not_depend_on_the_files() {
    let all = rows(3000);
    let one = [file("all.csv", &all)];
    let parts = [file("0.csv", &all[..1234]), file("1.csv", &all[1234..])];
    let (mut one, mut parts) = (survey(&one, 400), survey(&parts, 400));
    let (a, b) = (one.sample().unwrap(), parts.sample().unwrap());
    same(&a.dataset, &b.dataset);
    assert_eq!(a.rows, b.rows);
    assert!((400..=1000).contains(&a.rows.len()) && one.sampled() == a.rows.len());
    // All rows of the rare class are there.
    let rare = a.rows.iter().filter(|r| **r % 50 == 7).count();
    assert_eq!(rare, (0..3000).filter(|i| i % 50 == 7 && i % 4 > 0).count());
    // Sums over all rows by what the sample taught.
    let control = Control::new();
    let moments = one.moments(&a.schema, &control).unwrap();
    assert_eq!(moments.rows(), 2250);
    let frame = Frame {
        schema: a.schema.clone(),
        scaling: moments.scaling(true).unwrap(),
        n_classes: 3,
    };
    let task = Task {
        columns: Columns::Features,
        collect: Collect::Sums,
    };
    let (Part::Sums(u), Part::Sums(v)) = (
        one.run(&task, &frame, &control).unwrap(),
        parts.run(&task, &frame, &control).unwrap(),
    ) else {
        panic!("sums")
    };
    let total: f64 = AllRows::totals(&one).iter().sum();
    assert_eq!((u.rows, u.total(), v.total()), (2250, total, total));
    for (a, b) in u.gram.as_slice().iter().zip(v.gram.as_slice()) {
        assert!((a - b).abs() < 1e-9 * total);
    }
    // Scaled features have a variance of 1 over all rows.
    assert!((u.gram[(0, 0)] / total - 1.0).abs() < 1e-12);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_and_numbered_features_are_read_in_passes_too() {
    use write_parquet::{Values, file as parquet};
    let schema = "message m { required double a; optional double b; required int32 class; }";
    let group = |from: usize, n: usize| -> Vec<Values> {
        let numbers = from..from + n;
        let levels: Vec<i16> = numbers.clone().map(|i| i16::from(i % 5 > 0)).collect();
        let known = numbers.clone().filter(|i| i % 5 > 0);
        vec![
            Values::F64(numbers.clone().map(|i| (i as f64).sin()).collect(), None),
            Values::F64(known.map(|i| i as f64).collect(), Some(levels)),
            Values::I32(numbers.map(|i| (i % 3) as i32).collect()),
        ]
    };
    let whole = source(
        "all.parquet",
        parquet(schema, &[group(0, 300), group(300, 40)]),
    );
    let options = ReadOptions {
        missing: Missing::Mean,
        ..ReadOptions::default()
    };
    let expected = kernsieve_io::read_training(&whole, &options).unwrap();
    let parts = [
        source(
            "0.parquet",
            parquet(schema, &[group(0, 120), group(120, 7)]),
        ),
        source("1.parquet", parquet(schema, &[group(127, 213)])),
    ];
    let mut files = RowFiles::survey(&parts, &options, 1000, ROOM, 0, |_| ()).unwrap();
    same(&files.sample().unwrap().dataset, &expected.dataset);
    let mut some = RowFiles::survey(&parts, &options, 20, ROOM, 0, |_| ()).unwrap();
    let sample = some.sample().unwrap();
    for (k, &row) in sample.rows.iter().enumerate() {
        assert_eq!(sample.dataset.x()[(k, 0)], (row as f64).sin());
    }

    let line = |i: usize| format!("{} 1:{} 3:{}", i % 2, i as f64 / 7.0, (i * i) % 5 + 1);
    let text: Vec<String> = (0..90).map(line).collect();
    let both = source("all.libsvm", format!("# a comment\n{}\n", text.join("\n")));
    let expected = kernsieve_io::read_training(&both, &ReadOptions::default()).unwrap();
    let parts = [
        source(
            "0.libsvm",
            format!("# a comment\n{}\n", text[..33].join("\n")),
        ),
        source("1.libsvm", text[33..].join("\n")),
    ];
    let none = ReadOptions::default();
    let mut files = RowFiles::survey(&parts, &none, 1000, ROOM, 0, |_| ()).unwrap();
    let sample = files.sample().unwrap();
    same(&sample.dataset, &expected.dataset);
    let mut n = 0;
    files
        .visit(&sample.schema, |block| {
            n += block.codes.len();
            Ok(())
        })
        .unwrap();
    assert_eq!(n, 90);
}

#[test]
fn what_cannot_be_read_in_passes_is_refused_with_a_remedy() {
    let e = |files: &[Source], o: ReadOptions| {
        let found = RowFiles::survey(files, &o, 100, ROOM, 0, |_| ());
        found.and_then(|mut f| f.sample()).unwrap_err().to_string()
    };
    let all = rows(40);
    has(&e(&[Source::Stdin], options()), &["pipe", "to a file"]);
    let drop = ReadOptions {
        missing: Missing::Drop,
        ..options()
    };
    has(&e(&[file("a.csv", &all)], drop), &["--missing mean"]);
    let other = source("b.csv", "y,gap,colour,w,class\n1,2,red,1,a\n");
    let mixed = [file("a.csv", &all), other];
    has(&e(&mixed, options()), &["b.csv", "columns", "a.csv"]);
    let one = source("a.csv", "x,class\n1,a\n2,a\n");
    has(&e(&[one], ReadOptions::default()), &["'a'", "--target"]);
    let weights = source("a.csv", "x,w,class\n1,1,a\n2,-3,b\n");
    let weighted = ReadOptions {
        weights: Some("w".into()),
        ..ReadOptions::default()
    };
    has(&e(&[weights], weighted), &["row 1", "'-3'", "column 'w'"]);
}
