//! CSV and TSV files: how they are taken apart.
#![allow(clippy::unwrap_used)]

mod common;
use common::{gzip, has, labels, refused, rows, score_with, train, train_with};
use kernsieve_io::{Format, ScoringOptions};
use proptest::prelude::*;

#[test]
fn delimiters_and_line_ends_give_the_same_data() {
    let want = vec![vec![1.0, -2.5], vec![3.0, 4e3], vec![0.5, 0.0]];
    let text = "a,b,class\n1,-2.5,x\n3,4e3,y\n.5,+0,x\n";
    for delimiter in [",", ";", "\t", "|"] {
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace(',', delimiter).replace('\n', end);
            for text in [
                text.clone(),
                text.trim_end().to_string(),
                format!("\u{feff}{end}{text}{end}{end}"),
            ] {
                let d = train("t.csv", &text).unwrap();
                assert_eq!(
                    (rows(&d), labels(&d)),
                    (want.clone(), vec!["x", "y", "x"]),
                    "{text:?}"
                );
                assert_eq!(d.rows, [0, 1, 2]);
                assert_eq!(d.schema.target, "class");
            }
        }
    }
}

#[test]
fn quoted_fields_may_hold_anything() {
    let text =
        "a,\"the, class\"\n1,\"x, y\"\n2,\"say \"\"hi\"\"\"\n3,\"two\nlines\"\n\"4\", \"x, y\" \n";
    let d = train("t.csv", text).unwrap();
    assert_eq!(labels(&d), ["x, y", "say \"hi\"", "two\nlines", "x, y"]);
    assert_eq!(d.schema.target, "the, class");
    assert_eq!(rows(&d)[3], [4.0]);
}

#[test]
fn lines_are_counted_through_quotes_blank_lines_and_all_line_ends() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "a,b,c\n\n1,\"x\ny\",p\n\n2,z,q,extra\n".replace('\n', end);
        has(
            &refused("t.csv", text, |_| ()),
            &["t.csv, line 6: 3 fields expected, 4 found", "commas"],
        );
    }
}

#[test]
fn broken_files_are_refused_with_the_place() {
    has(&refused("t.csv", "", |_| ()), &["t.csv: the file is empty"]);
    has(&refused("t.csv", "\n \n", |_| ()), &["the file is empty"]);
    has(
        &refused("t.csv", "a,b\n", |_| ()),
        &["there are no data rows"],
    );
    has(
        &refused("t.csv", "a,b\n1,x\n2\n", |_| ()),
        &["line 3: 2 fields expected, 1 found"],
    );
    has(
        &refused("t.csv", "a,b\n1,x\n2,\"y\n3,z\n", |_| ()),
        &["line 3", "never closed"],
    );
    has(&refused("t.csv", b"\xff\xfea\0,\0", |_| ()), &["UTF-16"]);
    has(
        &refused("t.csv", "a,b,a\n1,2,x\n", |_| ()),
        &["line 1", "'a'", "column 1 and column 3"],
    );
    has(
        &refused("t.csv", "1.5,2,1.5\n1,2,x\n", |_| ()),
        &["--no-header"],
    );
    has(
        &refused("t.csv", "a b c\n1 2 x\n", |_| ()),
        &["no feature column", "blanks do not divide"],
    );
}

#[test]
fn names_of_columns() {
    let d = train("t.csv", ",b,\n1,2,x\n3,4,y\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["column_0", "b"]);
    assert_eq!(d.schema.target, "column_2");
    let d = train_with("t.csv", "1,2,x\n3,4,y\n", |o| o.no_header = true).unwrap();
    assert_eq!(d.dataset.feature_names(), ["x0", "x1"]);
    assert_eq!((d.schema.target.as_str(), d.dataset.n_samples()), ("x2", 2));
    let d = train("t.csv", b"gr\xfcn,c\n1,x\n2,y\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["gr\\xFCn"]);
}

#[test]
fn a_header_of_numbers_is_pointed_out() {
    let noticed = |text: &str| {
        train("t.csv", text)
            .unwrap()
            .notices
            .iter()
            .any(|n| n.contains("--no-header"))
    };
    assert!(noticed("5,3,0\n4,2,1\n3,1,0\n"));
    assert!(noticed("5.1,3.5,setosa\n4,2,setosa\n3,1,virginica\n"));
    assert!(!noticed("0,1,2\n4,2,1\n3,1,0\n"));
    assert!(!noticed("2001,2002,class\n4,2,1\n3,1,0\n"));
    assert!(!noticed("a,b,class\n4,2,1\n3,1,0\n"));
}

#[test]
fn gzip_is_known_by_its_content_and_may_have_members() {
    let text = b"a,c\n1,x\n2,y\n";
    let mut packed = gzip(&text[..6]);
    packed.extend(gzip(&text[6..]));
    for name in ["t.csv.gz", "t.csv", "<stdin>"] {
        assert_eq!(rows(&train(name, &packed).unwrap()), [[1.0], [2.0]]);
    }
    let e = refused("t.csv.gz", &packed[..packed.len() - 12], |_| ());
    has(&e, &["t.csv.gz"]);
}

#[test]
fn a_format_that_is_asked_for_goes_before_the_extension() {
    let d = train_with("t.csv", "a\tb,c\td\n1\t2\tx\n3\t4\ty\n", |o| {
        o.format = Some(Format::Tsv)
    })
    .unwrap();
    assert_eq!(d.dataset.feature_names(), ["a", "b,c"]);
    let d = train_with("t.csv", "1 1:2\n2 1:3\n", |o| {
        o.format = Some(Format::Libsvm)
    })
    .unwrap();
    assert_eq!(rows(&d), [[2.0], [3.0]]);
}

#[test]
fn text_that_is_not_utf8_stays_distinct() {
    let d = train("t.csv", b"a,c\n1,\xe4\n2,\xf6\n3,\xe4\n").unwrap();
    assert_eq!(labels(&d), ["\\xE4", "\\xF6", "\\xE4"]);
    assert!(
        d.notices
            .iter()
            .any(|n| n.contains("not UTF-8") && n.contains("line 2"))
    );
}

#[test]
fn long_files_cross_the_buffer_unharmed() {
    let mut text = String::from("a,b,c\n");
    for i in 0..40_000 {
        text += &format!("{i},\"l{}\nq\"\"\",{}\n", i % 3, i % 2);
    }
    let d = train("t.csv", &text).unwrap();
    assert_eq!(d.dataset.n_samples(), 40_000);
    assert_eq!(d.dataset.feature_names()[1], "b=l0\nq\"");
    let s = score_with(&d.schema, "t.csv", &text, |o: &mut ScoringOptions| {
        o.block_rows = 999
    })
    .unwrap();
    assert_eq!(s.blocks.len(), 41);
    assert_eq!(s.blocks[40].first_row, 40 * 999);
    assert_eq!(s.rows(), rows(&d));
}

proptest! {
    /// Numbers that are written with all their digits are read back to the last bit.
    #[test]
    fn numbers_come_back_to_the_bit(values in prop::collection::vec(
        (any::<f64>(), any::<f64>())
            .prop_filter("finite", |(a, b)| a.is_finite() && b.is_finite()),
        2..40,
    )) {
        let mut text = String::from("a,b,class\n");
        for (i, (a, b)) in values.iter().enumerate() {
            text += &format!("{a},{b:e},{}\n", i % 2);
        }
        let d = train("t.csv", &text).unwrap();
        for (got, want) in d.dataset.x().iter_rows().zip(&values) {
            prop_assert_eq!(got[0].to_bits(), want.0.to_bits());
            prop_assert_eq!(got[1].to_bits(), want.1.to_bits());
        }
    }

    /// Records are those that the csv crate finds, apart from blanks around fields.
    #[test]
    fn records_agree_with_the_csv_crate(
        table in (1usize..5).prop_flat_map(|w| prop::collection::vec(
            prop::collection::vec("[a-c\",;\n\r]{0,6}", w + 1), 2..8)),
        end in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let terminator = match end {
            "\n" => csv::Terminator::Any(b'\n'),
            _ => csv::Terminator::CRLF,
        };
        let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
        let width = table[0].len();
        writer.write_record((0..width).map(|j| format!("n{j}"))).unwrap();
        for (i, row) in table.iter().enumerate() {
            // Never a blank line, a missing label or a number.
            let cells = row.iter().enumerate().map(|(j, c)| match j + 1 == width {
                true => format!("L{i}{c}"),
                false => format!("t{c}"),
            });
            writer.write_record(cells).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let columns: Vec<String> = (0..width - 1).map(|j| format!("n{j}")).collect();
        // Last lines that give every column three levels more: two alone would be one feature.
        let more = ["X", "Y", "Z"].map(|l| [vec![l; width].join(","), end.into()].concat());
        let text = [&text[..], more.concat().as_bytes()].concat();
        let d = train_with("t.csv", &text, |o| o.categorical = columns).unwrap();
        let want: Vec<Vec<String>> = csv::Reader::from_reader(&text[..]).records()
            .map(|r| r.unwrap().iter().map(|c| c.trim().to_string()).collect()).collect();
        prop_assert_eq!(labels(&d), want.iter().map(|r| r[width - 1].as_str()).collect::<Vec<_>>());
        for (x, want) in d.dataset.x().iter_rows().zip(&want) {
            let names = d.dataset.feature_names().iter().zip(x);
            let mut set: Vec<&str> =
                names.filter(|(_, v)| **v == 1.0).map(|(name, _)| name.as_str()).collect();
            let mut cells: Vec<String> =
                (0..width - 1).map(|j| format!("n{j}={}", want[j])).collect();
            set.sort_unstable();
            cells.sort_unstable();
            prop_assert_eq!(set, cells);
        }
    }
}

#[test]
fn the_index_of_a_data_frame_is_left_out() {
    let d = train("t.csv", ",a,class\n0,5,x\n1,6,x\n2,7,y\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["a"]);
    has(&d.notices.join("\n"), &["no name", "counts the rows"]);
    // A column that only looks like an index stays.
    let d = train("t.csv", ",a,class\n0,5,x\n1,6,x\n3,7,y\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["column_0", "a"]);
    let d = train("t.csv", "id,a,class\n0,5,x\n1,6,x\n2,7,y\n").unwrap();
    assert_eq!(d.dataset.feature_names(), ["a"]);
    has(&d.notices.join("\n"), &["'id' is left out", "--use id"]);
    let text = "id,a,class\n0,5,x\n1,6,x\n2,7,y\n";
    let d = train_with("t.csv", text, |o| o.take = vec!["id".into()]).unwrap();
    assert_eq!(d.dataset.feature_names(), ["id", "a"]);
}
