//! LIBSVM and ARFF files.
#![allow(clippy::unwrap_used)]

mod common;
use common::{has, labels, refused, rows, score_with, train, train_with};
use kernsieve::data::ColumnKind;
use kernsieve_io::{Missing, TargetColumn};

const SPARSE: &str = "# data\n+1 1:0.5 3:2 # first\n\n-1 qid:7 3:-1 2:4\n+1\n";

#[test]
fn libsvm_rows_are_dense_and_labels_as_written() {
    let d = train("t.libsvm", SPARSE).unwrap();
    assert_eq!(d.dataset.feature_names(), ["x1", "x2", "x3"]);
    assert_eq!(
        rows(&d),
        [[0.5, 0.0, 2.0], [0.0, 4.0, -1.0], [0.0, 0.0, 0.0]]
    );
    assert_eq!(labels(&d), ["+1", "-1", "+1"]);
    assert_eq!(d.schema.target, "label");
    assert_eq!(
        d.schema.columns[1].kind,
        ColumnKind::Numeric { fill: 4.0 / 3.0 }
    );
    // The content shows the format, too.
    assert_eq!(rows(&train("t.txt", SPARSE).unwrap()), rows(&d));
    let d = train("t.svm", "a 0:1\nb 2:1\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["x0", "x1", "x2"]);
}

#[test]
fn libsvm_options() {
    let d = train_with("t.svm", "a 1:1 2:5\nb 2:6\na 1:1 2:7\n", |o| {
        o.drop = vec!["x2".into()];
        o.categorical = vec!["x1".into()];
    })
    .unwrap();
    assert_eq!(d.dataset.feature_names(), ["x1=1"]);
    assert_eq!(rows(&d), [[1.0], [0.0], [1.0]]);
    has(
        &refused("t.svm", SPARSE, |o| o.target = Some("y".into())),
        &["labels in front", "Leave --target out"],
    );
    let holes = "a 1:nan 2:1\nb 1:4\na 1:2\n";
    has(
        &refused("t.svm", holes, |_| ()),
        &["line 1, column 'x1'", "--missing mean"],
    );
    let d = train_with("t.svm", holes, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(rows(&d)[0], [3.0, 1.0]);
    let d = train_with("t.svm", holes, |o| o.missing = Missing::Drop).unwrap();
    assert_eq!(d.rows, [1, 2]);
    assert_eq!(rows(&d), [[4.0, 0.0], [2.0, 0.0]]);
}

#[test]
fn broken_libsvm_lines_are_refused() {
    for (text, parts) in [
        ("1 1:2 1:3\n", &["line 1", "feature 1 stands twice"][..]),
        ("1 2:2 1:3 2:4\n", &["feature 2 stands twice"]),
        ("1,3 1:2\n", &["several labels (1,3)"]),
        ("a 1:2\n1:2\n", &["line 2", "no label"]),
        ("a 1:x\n", &["'1:x' is not index:value"]),
        ("a 1:\n", &["is not index:value"]),
        ("a -1:2\n", &["is not index:value"]),
        ("a 1:2 7\n", &["'7' is not index:value"]),
        ("a 1:inf\n", &["not finite"]),
        ("a 99999999999:1\n", &["larger than"]),
        ("a\nb\n", &["no line has a feature"]),
        ("# nothing\n", &["no data rows"]),
    ] {
        has(&refused("t.svm", text, |_| ()), parts);
    }
}

#[test]
fn libsvm_keeps_the_memory_limit() {
    let text = "a 1:1\nb 100000000:1\n";
    has(
        &refused("t.svm", text, |o| o.memory_limit = Some(1 << 30)),
        &["index 100000000", "GiB", "--memory"],
    );
    has(
        &refused("t.svm", "a 1:1\nb 4294967295:1\n", |_| ()),
        &["the limit is 16.0 GiB"],
    );
}

#[test]
fn libsvm_scoring() {
    let schema = train("t.svm", SPARSE).unwrap().schema;
    let s = score_with(&schema, "s.svm", "1 3:1 9:5\n1:2 12:1\n", |_| ()).unwrap();
    assert_eq!(s.rows(), [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]);
    assert_eq!(s.labels(), None);
    has(&s.notices[0], &["2 features", "x9"]);
    let s = score_with(&schema, "s.svm", "1 3:1\n1:2\n", |o| {
        o.target = TargetColumn::IfPresent
    })
    .unwrap();
    assert_eq!(s.labels().unwrap(), ["1", ""]);
    let s = score_with(&schema, "s.svm", "3:1\n1:2\n", |o| {
        o.target = TargetColumn::IfPresent
    })
    .unwrap();
    assert_eq!(s.labels(), None);
    let e = score_with(&schema, "s.svm", "1 3:1\n1:2\n", |o| {
        o.target = TargetColumn::Required
    });
    has(&e.err().unwrap().to_string(), &["line 2", "no label"]);
    let named = train("t.csv", "a,b,c\n1,2,x\n3,4,y\n").unwrap().schema;
    let e = score_with(&named, "s.svm", "1 1:1\n", |_| ())
        .err()
        .unwrap()
        .to_string();
    has(&e, &["2 columns ('a', 'b')", "numbered features only"]);
}

const ARFF: &str = "% about\n@RELATION 'a b'\n@attribute 'petal width' REAL\n\
    @attribute colour {red, 'light blue', NA}\n@Attribute Class {yes,no}\n\
    @attribute note string\n@attribute n integer\n\n@DATA\n% rows\n\
    1.5,red,yes,'it\\'s',1\n?,'light blue', no ,\"b, c\",2\n2.5,NA,yes,plain,3\n";

#[test]
fn arff_types_are_as_declared() {
    let d = train_with("t.arff", ARFF, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(
        d.dataset.feature_names(),
        [
            "petal width",
            "colour=NA",
            "colour=light blue",
            "colour=red",
            "note=b, c",
            "note=it's",
            "note=plain",
            "n"
        ]
    );
    assert_eq!(rows(&d)[1], [2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
    assert_eq!(
        rows(&d)[2][1],
        1.0,
        "NA is a declared value, not a missing one"
    );
    assert_eq!(labels(&d), ["yes", "no", "yes"]);
    assert_eq!(d.notices[0], "target: 'Class' (the attribute of this name)");
    has(
        &refused("t.arff", ARFF, |_| ()),
        &["line 12, column 'petal width'", "1 missing cell"],
    );
    // The content shows the format, too.
    let again = train_with("t.txt", ARFF, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(rows(&again), rows(&d));
    assert_eq!(again.schema, d.schema);
}

#[test]
fn arff_sparse_rows_leave_out_zeros_and_first_values() {
    let text = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute c {x,y}\n@data\n\
        {0 3.5, 1 v, 2 y}\n{}\n{ 2 'y' , 0 ? }\n";
    let d = train_with("t.arff", text, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(rows(&d), [[3.5, 1.0], [0.0, 0.0], [1.75, 0.0]]);
    assert_eq!(labels(&d), ["y", "x", "y"]);
    has(&d.notices[0], &["target: 'c' (the last attribute)"]);
}

#[test]
fn broken_arff_files_are_refused() {
    let head = "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n";
    for (text, parts) in [
        ("@relation r\n".to_string(), &["no @data line"][..]),
        ("@relation r\n@data\n1\n".into(), &["no @attribute line"]),
        ("@relation r\nfoo\n@data\n".into(), &["line 2", "'foo'"]),
        (
            "@relation r\n@attribute t date 'yyyy'\n@data\n".into(),
            &["line 2", "'t' is of type date"],
        ),
        (
            "@relation r\n@attribute t relational\n@data\n".into(),
            &["relational"],
        ),
        (
            "@relation r\n@attribute t complex\n@data\n".into(),
            &["unknown type 'complex'"],
        ),
        (
            "@relation r\n@attribute t\n@data\n".into(),
            &["no name or no type"],
        ),
        (
            "@relation r\n@attribute 't real\n@data\n".into(),
            &["not closed"],
        ),
        (
            "@relation r\n@attribute t {a,b\n@data\n".into(),
            &["not closed"],
        ),
        (
            "@relation r\n@attribute t real\n@attribute t real\n@data\n".into(),
            &["two columns are called 't'"],
        ),
        (
            format!("{head}1,x,2\n"),
            &["line 5", "2 values expected, 3 found"],
        ),
        (
            format!("{head}1,z\n"),
            &[
                "line 5, column 'c'",
                "'z' is not one of the declared values",
            ],
        ),
        (
            format!("{head}1,x\nabc,y\n"),
            &[
                "line 6, column 'a'",
                "'abc' is not a number",
                "declared numeric",
            ],
        ),
        (format!("{head}{{0 1, 5 x}}\n"), &["index from 0 to 1"]),
        (format!("{head}{{0 1, 0 2}}\n"), &["stands twice"]),
        (format!("{head}{{0 1\n"), &["not closed"]),
        (format!("{head}'1,x\n"), &["quote is not closed"]),
        (head.to_string(), &["no data rows"]),
    ] {
        has(&refused("t.arff", text, |_| ()), parts);
    }
}

#[test]
fn arff_scoring_streams_and_matches_by_name() {
    let schema = train_with("t.arff", ARFF, |o| {
        o.drop = vec!["petal width".into(), "note".into()]
    })
    .unwrap()
    .schema;
    let text = "@relation r\n@attribute n real\n@attribute colour {green,red}\n\
        @attribute Class {no,yes}\n@data\n4,green,?\n5,red,no\n";
    let s = score_with(&schema, "s.arff", text, |o| {
        o.target = TargetColumn::IfPresent
    })
    .unwrap();
    assert_eq!(s.rows(), [[0.0, 0.0, 0.0, 4.0], [0.0, 0.0, 1.0, 5.0]]);
    assert_eq!(s.labels().unwrap(), ["", "no"]);
    has(
        &s.notices[0],
        &["column 'colour': 1 cell", "'green', line 6"],
    );
}
