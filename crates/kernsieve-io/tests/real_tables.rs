//! Tables as people have them: gaps in several spellings, decimal commas, dates, truth values, ids.
#![allow(clippy::unwrap_used)]

mod common;
use common::{has, labels, refused, rows, score_with, train, train_with};
use kernsieve::data::ColumnKind;
use kernsieve_io::{Encode, Missing, ReadOptions};

fn names(text: &str, options: impl FnOnce(&mut ReadOptions)) -> Vec<String> {
    let d = train_with("t.csv", text, options).unwrap();
    d.dataset.feature_names().to_vec()
}

#[test]
fn gaps_are_spelt_as_the_user_says_also_when_predicting() {
    let text = "a,b,c\n1,u,x\n-999,v,y\n3,none,x\n5,w,y\n";
    let options = |o: &mut ReadOptions| {
        o.na = vec!["-999".into(), "none".into()];
        o.missing = Missing::Median;
    };
    let d = train_with("t.csv", text, options).unwrap();
    assert_eq!(rows(&d)[1], [3.0, 0.0, 1.0, 0.0]);
    assert_eq!(rows(&d)[2], [3.0, 0.0, 0.0, 0.0]);
    has(
        &d.notices.join("\n"),
        &["2 missing cells in 2 columns filled"],
    );
    let s = score_with(&d.schema, "s.csv", "a,b\n-999,none\n,v\n", |_| ()).unwrap();
    assert_eq!(s.rows(), [[3.0, 0.0, 0.0, 0.0], [3.0, 0.0, 1.0, 0.0]]);
    has(&s.notices[0], &["3 missing cells filled"]);
    has(
        &refused("t.csv", text, |o| o.na = vec!["none".into()]),
        &["line 4, column 'b'"],
    );
}

#[test]
fn indicators_say_where_cells_were_missing() {
    let text = "a,b,c\n1,u,x\n,v,y\n3,,x\n5,w,y\n";
    let d = train_with("t.csv", text, |o| o.missing = Missing::Indicator).unwrap();
    let all = ["a", "a=missing", "b=u", "b=v", "b=w", "b=missing"];
    assert_eq!(d.dataset.feature_names(), all);
    assert_eq!(rows(&d)[1], [3.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(rows(&d)[2], [3.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn decimal_commas_are_read_where_that_is_said() {
    let text = "a;b;c\n1,5;2;x\n-0,25;3;y\n1e3;4;x\n";
    let comma = |o: &mut ReadOptions| o.decimal_comma = true;
    let d = train_with("t.csv", text, comma).unwrap();
    assert_eq!(rows(&d), [[1.5, 2.0], [-0.25, 3.0], [1000.0, 4.0]]);
    let s = score_with(&d.schema, "s.csv", "a;b\n2,5;1\n", |_| ()).unwrap();
    assert_eq!(s.rows(), [[2.5, 1.0]]);
    // A point would divide thousands.
    let thousands = "a;c\n1.234,5;x\n2,5;y\n3,5;x\n";
    let e = refused("t.csv", thousands, comma);
    has(&e, &["line 2, column 'a'", "separators between thousands"]);
    has(
        &refused("t.csv", text, |_| ()),
        &["column 'a'", "--decimal ,"],
    );
}

#[test]
fn truth_values_are_one_feature_however_they_are_written() {
    for text in [
        "f,c\ntrue,x\nFALSE,y\nTrue,x\n",
        "f,c\nTRUE,x\nfalse,y\ntrue,x\n",
    ] {
        let d = train("t.csv", text).unwrap();
        assert_eq!(d.dataset.feature_names(), ["f"]);
        assert_eq!(rows(&d), [[1.0], [0.0], [1.0]]);
        assert!(matches!(
            d.schema.columns[0].kind,
            ColumnKind::Boolean { .. }
        ));
        let s = score_with(&d.schema, "s.csv", "f\nFalse\n1\n", |_| ()).unwrap();
        assert_eq!(s.rows(), [[0.0], [1.0]]);
        let e = score_with(&d.schema, "s.csv", "f\nmaybe\n", |_| ());
        has(&e.err().unwrap().to_string(), &["'maybe' is not a number"]);
    }
}

#[test]
fn dates_are_read_and_ambiguous_ones_refused() {
    let text = "d,c\n2024-05-31,x\n01.06.2024,y\n2024-06-02 12:00,x\n";
    let d = train("t.csv", text).unwrap();
    let all = ["d.year", "d.month", "d.weekday", "d.days", "d.hour"];
    assert_eq!(d.dataset.feature_names(), all);
    assert_eq!(rows(&d)[2], [2024.0, 6.0, 6.0, 2.5, 12.0]);
    has(&d.notices.join("\n"), &["column 'd' holds dates"]);
    let e = score_with(&d.schema, "s.csv", "d\n2024-13-01\n", |_| ());
    has(
        &e.err().unwrap().to_string(),
        &["line 2, column 'd': '2024-13-01' is not a date"],
    );
    let e = refused("t.csv", "d,c\n03/04/2024,x\n05/04/2024,y\n", |_| ());
    has(
        &e,
        &[
            "line 2, column 'd'",
            "which part is the day",
            "--categorical d",
        ],
    );
    let other = names("d,c\n03/04/2024,x\n05/04/2024,y\n", |o| {
        o.categorical = vec!["d".into()]
    });
    assert_eq!(other, ["d=05/04/2024"]);
}

#[test]
fn few_values_with_text_among_them_are_categories() {
    let text: String = (0..40)
        .map(|i| format!("{},{}\n", ["2", "3", "4", "5more"][i % 4], i % 2))
        .collect();
    let d = train("t.csv", format!("doors,c\n{text}")).unwrap();
    assert_eq!(
        d.dataset.feature_names(),
        ["doors=2", "doors=3", "doors=4", "doors=5more"]
    );
    has(
        &d.notices.join("\n"),
        &["column 'doors' holds numbers and '5more': its 4 values"],
    );
}

#[test]
fn numbers_written_for_people_are_refused_with_the_place() {
    for (cell, other) in [
        ("12%", "7%"),
        ("1_000", "2_000"),
        ("0xFF", "0x10"),
        ("$5", "$6"),
    ] {
        let e = refused(
            "t.csv",
            format!("a,c\n{cell},x\n{other},y\n{cell},x\n"),
            |_| (),
        );
        has(
            &e,
            &[
                "line 2, column 'a'",
                cell,
                "not written as one",
                "--categorical a",
            ],
        );
    }
}

#[test]
fn all_problems_of_a_file_are_told_at_once() {
    let e = refused("t.csv", "a,b,d,c\n1,,12%,x\ninf,,7%,y\n", |_| ());
    let (a, b) = (
        "column 'a': the number is not finite",
        "column 'b': every cell is missing",
    );
    has(&e, &[a, b, "column 'd': '12%' is a number", "--drop b"]);
}

#[test]
fn shares_of_classes_take_one_feature_of_two_classes_and_one_each_of_more() {
    let text = |classes: usize| -> String {
        let row = |i: usize| format!("l{},{}\n", i % 7, i % classes);
        (0..70).map(row).collect()
    };
    let target = |o: &mut ReadOptions| o.encode = Encode::Target;
    assert_eq!(names(&format!("b,c\n{}", text(2)), target), ["b"]);
    assert_eq!(
        names(&format!("b,c\n{}", text(3)), target),
        ["b:0", "b:1", "b:2"]
    );
}

#[test]
fn columns_are_carried_through_as_they_are_written() {
    let d = train("t.csv", "a,b,c\n1,u,x\n2,v,y\n3,u,x\n").unwrap();
    let text = "name,b,a,note\n\"Ann, B.\",u,1.50,\n Bob ,v,2,?\n";
    let s = score_with(&d.schema, "s.csv", text, |o| {
        o.keep = vec!["note".into(), "name".into(), "a".into()]
    })
    .unwrap();
    assert_eq!(
        s.blocks[0].kept,
        [["", "Ann, B.", "1.50"], ["?", "Bob", "2"]]
    );
    assert!(
        s.notices.is_empty(),
        "kept columns are used: {:?}",
        s.notices
    );
    let s = score_with(&d.schema, "s.csv", text, |o| o.keep = vec!["all".into()]).unwrap();
    assert_eq!(s.blocks[0].kept[1], ["Bob", "v", "2", "?"]);
    let e = score_with(&d.schema, "s.csv", text, |o| o.keep = vec!["nam".into()]);
    has(
        &e.err().unwrap().to_string(),
        &["--keep nam", "Did you mean 'name'?"],
    );
}

#[test]
fn labels_lose_the_blanks_around_them() {
    let d = train("t.csv", "a,c\n1, yes\n2,\"no \"\n3,yes \n").unwrap();
    assert_eq!(labels(&d), ["yes", "no", "yes"]);
}

#[test]
fn a_column_may_be_called_as_the_level_of_another() {
    let d = train("t.csv", "c,c=v,y\nu,1,p\nv,2,q\nw,3,p\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["c=u", "c=v", "c=w", "c=v#2"]);
}

#[test]
fn ids_are_found_by_content_and_by_names_of_all_spellings() {
    let column = |name: &str, cell: &dyn Fn(usize) -> String| {
        let rows: String = (0..60)
            .map(|i| format!("{},{},{}\n", cell(i), i % 7, i % 2))
            .collect();
        names(&format!("{name},b,c\n{rows}"), |o| {
            o.missing = Missing::Median
        })
    };
    let shuffled = |i: usize| (i * 37 % 101).to_string();
    for name in ["PassengerId", "customerID", "patient_id", "lfd Nr"] {
        assert_eq!(column(name, &shuffled), ["b"], "{name}");
    }
    let gaps = |i: usize| {
        if i % 9 == 3 {
            String::new()
        } else {
            shuffled(i)
        }
    };
    assert_eq!(column("id", &gaps), ["b"]);
    assert_eq!(column("Name", &|i| format!("Mr. {i}")), ["b"]);
    // Numbers and text that may mean something.
    for name in ["paid", "width"] {
        assert_eq!(column(name, &shuffled), [name, "b"]);
    }
    assert_eq!(column("year", &|i| (1950 + i).to_string()), ["year", "b"]);
    assert_eq!(column("u", &|i| format!("u{}", i % 2)), ["u=u1", "b"]);
    // Numbers that count the rows under another name are noted.
    let rows: String = (1..=60)
        .map(|i| format!("{i},{},{}\n", i % 7, i % 2))
        .collect();
    let d = train("t.csv", format!("Nummer,b,c\n{rows}")).unwrap();
    assert_eq!(d.dataset.feature_names(), ["Nummer", "b"]);
    has(
        &d.notices.join("\n"),
        &["'Nummer' counts the rows", "--drop Nummer"],
    );
}

#[test]
fn copies_of_columns_are_noted() {
    let rows: String = (0..12)
        .map(|i| {
            let (a, t) = (i * 5 % 7, ["u", "v", "w"][i % 3]);
            format!("{a},{t},{a}.0,{t},7,7,{}\n", i % 2)
        })
        .collect();
    let d = train("t.csv", format!("a,t,again,t2,k,l,c\n{rows}")).unwrap();
    let notes: Vec<&String> = d
        .notices
        .iter()
        .filter(|n| n.contains("same value"))
        .collect();
    assert_eq!(notes.len(), 1);
    has(notes[0], &["'again' that of 'a', 't2' that of 't';"]);
    let others = "a,b,c\n1,2,x\n2,1,y\n3,3,x\n";
    assert!(
        !train("t.csv", others)
            .unwrap()
            .notices
            .join("")
            .contains("same value")
    );
}

#[test]
fn all_problems_of_a_file_are_told_in_one_run() {
    let text = "w,a,b,p,d,c\n\
        1,1,,5%,03/04/2024,x\n-1,none,2,6%,05/04/2024,y\n1,3,2,7%,05/06/2024,\n1,4,-,8%,05/06/2024,x\n\
        1,5,3,9%,05/06/2024,y\n1,6,4,9%,05/06/2024,y\n";
    let e = refused("t.csv", text, |o| o.weights = Some("w".into()));
    has(
        &e,
        &[
            "column 'w': the weight is -1",
            "line 3, column 'a': 'none' is not a number",
            "--na \"none\"",
            "line 5, column 'b': '-' is not a number",
            "column 'p': '5%' is a number, but not written as one",
            "column 'd': '03/04/2024' may be a date",
            "line 2, column 'b': the cell is missing",
            "line 4, column 'c': the label is missing",
        ],
    );
    // Several spellings in a column are named together, ready to be copied.
    let gaps = "a,c\n1,x\nnone,y\n3,x\n-,y\n5,x\n6,y\n";
    let e = refused("t.csv", gaps, |_| ());
    has(
        &e,
        &[
            "'none' is not a number",
            "neither is '-'",
            "--na \"none,-\"",
        ],
    );
    // What was said already is not said again.
    let thousands = "a;c\n1.234,5;x\n2,5;y\n3,5;x\n";
    let e = refused("t.csv", thousands, |o| o.decimal_comma = true);
    assert!(!e.contains("--decimal"), "{e}");
}

#[test]
fn all_problems_of_new_rows_are_told_in_one_run() {
    let train_text =
        "n,f,d,j,c\n1,true,2024-05-31,u,x\n2,false,2024-06-01,v,y\n4,true,2024-06-02,w,x\n";
    let d = train("t.csv", train_text).unwrap();
    let new = "n,f,d,j\nabc,true,2024-05-31,u\n1,maybe,2024-05-31,u\n1,true,2024-13-01,u\n\
        zzz,true,2024-05-31,\n";
    let e = score_with(&d.schema, "s.csv", new, |_| ())
        .err()
        .unwrap()
        .to_string();
    has(
        &e,
        &[
            "line 2, column 'n': 'abc' is not a number",
            "line 3, column 'f': 'maybe' is not a number",
            "line 4, column 'd': '2024-13-01' is not a date",
            "line 5, column 'j': the cell is missing",
        ],
    );
    assert!(!e.contains("zzz"), "one problem of a column is enough: {e}");
    // What ends the reading is told with what came before it.
    let cut = "n,f,d,j\nabc,true,2024-05-31,u\n1,true\n";
    let e = score_with(&d.schema, "s.csv", cut, |_| ())
        .err()
        .unwrap()
        .to_string();
    has(
        &e,
        &[
            "'abc' is not a number",
            "line 3: 4 fields expected, 2 found",
        ],
    );
}
