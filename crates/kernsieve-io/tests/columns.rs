//! Types of columns, the target, and missing cells.
#![allow(clippy::unwrap_used)]

mod common;
use common::{has, labels, refused, rows, train, train_with};
use kernsieve::data::ColumnKind;
use kernsieve_io::{Encode, Missing, ReadOptions};

const MIXED: &str = "w,colour,code,class\n1,red,10,a\n2,blue,9,b\n3,red,10,a\n";

#[test]
fn text_becomes_indicators_with_sorted_levels() {
    let d = train("t.csv", MIXED).unwrap();
    assert_eq!(
        d.dataset.feature_names(),
        ["w", "colour=red", "code"],
        "two levels are one feature"
    );
    assert_eq!(rows(&d)[0], [1.0, 1.0, 10.0]);
    assert_eq!(rows(&d)[1], [2.0, 0.0, 9.0]);
    assert_eq!(d.schema.columns[0].kind, ColumnKind::Numeric { fill: 2.0 });
    assert_eq!(d.notices, ["target: 'class' (the last column)"]);
}

#[test]
fn codes_become_indicators_when_asked() {
    let d = train_with("t.csv", MIXED, |o| o.categorical = vec!["code".into()]).unwrap();
    assert_eq!(d.dataset.feature_names()[2..], ["code=10"]);
    let text = "z,c\n1.0,a\n01,b\n1,a\n";
    let d = train_with("t.csv", text, |o| o.categorical = vec!["z".into()]).unwrap();
    assert_eq!(d.dataset.feature_names(), ["z=01", "z=1", "z=1.0"]);
}

#[test]
fn target_and_dropped_columns_by_name_or_index() {
    for target in ["colour", "1"] {
        let d = train_with("t.csv", MIXED, |o| {
            o.target = Some(target.into());
            o.drop = vec!["class".into(), "2".into()];
        })
        .unwrap();
        assert_eq!(labels(&d), ["red", "blue", "red"]);
        assert_eq!(d.dataset.feature_names(), ["w"]);
        assert!(d.notices.is_empty());
    }
    has(
        &refused("t.csv", MIXED, |o| o.target = Some("clas".into())),
        &["--target clas", "Did you mean 'class'?"],
    );
    has(
        &refused("t.csv", MIXED, |o| o.drop = vec!["zzzz".into()]),
        &["--drop zzzz", "'w', 'colour', 'code', 'class'"],
    );
    has(
        &refused("t.csv", MIXED, |o| o.categorical = vec!["9".into()]),
        &["--categorical 9", "last index is 3"],
    );
    has(
        &refused("t.csv", MIXED, |o| o.drop = vec!["class".into()]),
        &["'class'", "to be dropped"],
    );
}

#[test]
fn numbers_with_text_among_them_are_refused() {
    let text = "a,c\n1,x\n2,y\noops,x\n4,y\n";
    let e = refused("t.csv", text, |_| ());
    has(
        &e,
        &[
            "line 4, column 'a': 'oops' is not a number, as 3 of the 4 cells",
            "--categorical a",
            "--drop a",
        ],
    );
    let d = train_with("t.csv", text, |o| o.categorical = vec!["a".into()]).unwrap();
    assert_eq!(d.dataset.n_features(), 4);
    // Mostly text: categories, wherever the number stands.
    for text in ["a,c\n1,x\nu,y\nv,x\n", "a,c\nu,x\n1,y\nv,x\n"] {
        assert_eq!(
            train("t.csv", text).unwrap().dataset.feature_names(),
            ["a=1", "a=u", "a=v"]
        );
    }
}

#[test]
fn decimal_commas_are_named() {
    for text in [
        "a;c\n1,5;x\n2,5;y\n",
        "a;c\n1;x\n2,5;y\n",
        "a;c\n1,5;x\n1,5;y\n",
    ] {
        has(
            &refused("t.csv", text, |_| ()),
            &["column 'a'", "decimal point"],
        );
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for bad in ["inf", "-inf", "1e999", "Infinity"] {
        let e = refused("t.csv", format!("a,b,c\n1,1,x\n2,{bad},y\n"), |_| ());
        has(&e, &["line 3, column 'b'", "not finite"]);
    }
    // The word is a category among words.
    let d = train("t.csv", "a,c\ninf,x\nfoo,y\nbar,x\n").unwrap();
    assert_eq!(d.dataset.n_features(), 3);
}

#[test]
fn too_many_levels_are_refused() {
    let unique: String = (0..200).map(|i| format!("id{i},{}\n", i % 2)).collect();
    let text = format!("id,c\n{unique}");
    has(
        &refused("t.csv", &text, |_| ()),
        &["no feature is left", "column 'id'", "--use id"],
    );
    let with: String = (0..200).map(|i| format!("id{i},{i},{}\n", i % 2)).collect();
    let d = train("t.csv", format!("id,a,c\n{with}")).unwrap();
    assert_eq!(d.dataset.feature_names(), ["a"]);
    has(
        &d.notices.join("\n"),
        &[
            "'id' is left out",
            "200 different values in 200 rows",
            "--use id",
        ],
    );
    for how in ["use", "categorical"] {
        let d = train_with("t.csv", &text, |o| match how {
            "use" => o.take = vec!["id".into()],
            _ => o.categorical = vec!["id".into()],
        })
        .unwrap();
        assert_eq!(d.dataset.n_features(), 200);
    }
    let many: String = (0..2200)
        .map(|i| format!("id{},{}\n", i % 1001, i % 2))
        .collect();
    let text = format!("id,c\n{many}");
    let keep = |o: &mut ReadOptions| o.rare = Some(1);
    has(
        &refused("t.csv", &text, keep),
        &["1001 different values", "--encode target", "--rare N"],
    );
    has(
        &refused("t.csv", &text, |_| ()),
        &[
            "no feature is left",
            "all values of 'id' are rare",
            "--rare 1",
        ],
    );
    let d = train_with("t.csv", &text, |o| o.encode = Encode::Target).unwrap();
    assert_eq!(d.dataset.feature_names(), ["id"]);
    let forced: String = (0..10_001).map(|i| format!("{i},{}\n", i % 2)).collect();
    let e = refused("t.csv", format!("id,c\n{forced}"), |o| {
        o.categorical = vec!["id".into()];
        o.rare = Some(1);
    });
    has(&e, &["10001 different values", "--drop id"]);
}

const HOLES: &str = "a,b,c\n1,,x\nNA,u,y\n3,u,x\n5,v,y\n";

#[test]
fn missing_cells_are_an_error_unless_told_otherwise() {
    let e = refused("t.csv", HOLES, |_| ());
    has(
        &e,
        &[
            "line 2, column 'b'",
            "2 missing cells in 2 columns",
            "--missing drop",
            "--missing mean",
        ],
    );
    for token in [
        "", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", "n/a", "?", " ? ",
    ] {
        let e = refused("t.csv", format!("a,c\n1,x\n{token},y\n"), |_| ());
        has(&e, &["line 3, column 'a'", "1 missing cell in 1 column"]);
    }
}

#[test]
fn rows_with_missing_cells_can_be_dropped() {
    let d = train_with("t.csv", HOLES, |o| o.missing = Missing::Drop).unwrap();
    assert_eq!(d.rows, [2, 3]);
    assert_eq!(rows(&d), [[3.0, 0.0], [5.0, 1.0]]);
    assert_eq!(d.schema.columns[0].kind, ColumnKind::Numeric { fill: 4.0 });
    assert!(
        d.notices
            .contains(&"left out 2 of 4 rows because of missing cells".to_string()),
        "{:?}",
        d.notices
    );
    let e = refused("t.csv", "a,b,c\n1,,x\n,2,y\n", |o| {
        o.missing = Missing::Drop
    });
    has(&e, &["no row is without missing cells"]);
}

#[test]
fn missing_cells_can_be_filled() {
    let d = train_with("t.csv", HOLES, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(d.rows, [0, 1, 2, 3]);
    // Of two levels, neither: the share of the second.
    assert_eq!(rows(&d)[0], [1.0, 1.0 / 3.0]);
    assert_eq!(rows(&d)[1], [3.0, 0.0]);
    assert_eq!(d.schema.columns[0].kind, ColumnKind::Numeric { fill: 3.0 });
    assert!(
        d.notices
            .iter()
            .any(|n| n.starts_with("2 missing cells in 2 columns"))
    );
}

#[test]
fn columns_that_are_all_missing_are_refused() {
    for missing in [Missing::Error, Missing::Drop, Missing::Mean] {
        let e = refused("t.csv", "a,b,c\n1,,x\n2,NA,y\n", |o| o.missing = missing);
        has(&e, &["column 'b': every cell is missing", "--drop b"]);
    }
}

#[test]
fn missing_labels() {
    let text = "a,c\n1,x\n2,\n3,y\n";
    has(
        &refused("t.csv", text, |_| ()),
        &["line 3, column 'c'", "label is missing", "--missing drop"],
    );
    // Gaps among the features are filled, rows without a label cannot be.
    let gaps = "a,c\n1,x\n2,\n,y\n3,y\n";
    let d = train_with("t.csv", gaps, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(
        (d.rows.as_slice(), labels(&d)),
        (&[0, 2, 3][..], vec!["x", "y", "y"])
    );
    assert_eq!(d.dataset.x().row(1), [2.0]);
    has(
        &d.notices.join("\n"),
        &["left out 1 of 4 rows without a label in column 'c'"],
    );
    let d = train_with("t.csv", text, |o| o.missing = Missing::Drop).unwrap();
    assert_eq!(
        (d.rows.as_slice(), labels(&d)),
        (&[0, 2][..], vec!["x", "y"])
    );
}

#[test]
fn a_target_that_is_no_class_is_refused() {
    let text: String = (0..60).map(|i| format!("{i},{}.5\n", i % 31)).collect();
    has(
        &refused("t.csv", format!("a,y\n{text}"), |_| ()),
        &["column 'y'", "looks like a measurement, not a class"],
    );
    // Integers that hardly repeat are no classes, a thousand of them with two rows each are.
    let text: String = (0..1000)
        .map(|i| format!("{i},{}\n", 13 * (i % 950)))
        .collect();
    has(
        &refused("t.csv", format!("a,price\n{text}"), |_| ()),
        &[
            "column 'price'",
            "950 different values in 1000 rows",
            "predicts classes, not numbers",
        ],
    );
    let text: String = (0..2000).map(|i| format!("{i},{}\n", i % 1000)).collect();
    let many = train("t.csv", format!("a,y\n{text}")).unwrap();
    assert_eq!(many.dataset.labels().n_classes(), 1000);
    let text: String = (0..1000).map(|i| format!("{i},id{}\n", i % 950)).collect();
    let named = train("t.csv", format!("a,y\n{text}")).unwrap();
    assert_eq!(named.dataset.labels().n_classes(), 950);
    let text: String = (0..1001).map(|i| format!("{},{i}\n", i % 7)).collect();
    has(
        &refused("t.csv", format!("a,y\n{text}"), |_| ()),
        &["1001 different values"],
    );
    let text: String = (0..60).map(|i| format!("{i},{}.0\n", i % 3)).collect();
    assert_eq!(
        train("t.csv", format!("a,y\n{text}"))
            .unwrap()
            .dataset
            .labels()
            .classes(),
        ["0.0", "1.0", "2.0"]
    );
    has(
        &refused("t.csv", "a,y\n1,x\n2,x\n", |_| ()),
        &["two classes"],
    );
}

#[test]
fn integer_classes_sort_as_numbers() {
    let d = train("t.csv", "a,y\n1,10\n2,9\n3,-1\n").unwrap();
    assert_eq!(d.dataset.labels().classes(), ["-1", "9", "10"]);
}

#[test]
fn a_memory_limit_is_kept() {
    let text: String = (0..2000)
        .map(|i| format!("l{},{}\n", i % 900, i % 2))
        .collect();
    let e = refused("t.csv", format!("a,c\n{text}"), |o| {
        o.memory_limit = Some(1 << 20);
        o.rare = Some(1);
    });
    has(&e, &["2000 rows of 900 features need 13.7 MiB", "--memory"]);
    has(
        &refused("t.csv", MIXED, |o| o.memory_limit = Some(10)),
        &["larger than the memory limit of 10 bytes"],
    );
}
