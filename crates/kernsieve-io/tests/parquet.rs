//! Parquet files, written by the writer of the parquet crate.
#![allow(clippy::unwrap_used)]
#![cfg(feature = "parquet")]

mod common;
mod write_parquet;
use common::{gzip, has, labels, refused, rows, score_with, train, train_with};
use kernsieve::data::ColumnKind;
use kernsieve_io::{Missing, TargetColumn};
use write_parquet::{Values, file, file_with};

fn sample() -> Vec<u8> {
    file(
        "message m {
            optional boolean b; required int32 i; optional int64 l; required float f;
            optional double d; optional binary s (UTF8); required int64 class;
        }",
        &[vec![
            Values::Bool(vec![true, false, true], Some(vec![1, 1, 1])),
            Values::I32(vec![1, -2, 3]),
            Values::I64(vec![1 << 40, 5, 6], Some(vec![1, 1, 1])),
            Values::F32(vec![0.5, 0.1, 2.0]),
            Values::F64(vec![1e300, -0.0, 3.25], Some(vec![1, 1, 1])),
            Values::Text(vec!["u", "v", "u"], Some(vec![1, 1, 1])),
            Values::I64(vec![10, 9, 10], None),
        ]],
    )
}

#[test]
fn every_supported_type() {
    let d = train("t.parquet", sample()).unwrap();
    assert_eq!(d.dataset.feature_names(), ["b", "i", "l", "f", "d", "s=v"]);
    assert_eq!(
        rows(&d)[0],
        [1.0, 1.0, (1u64 << 40) as f64, 0.5, 1e300, 0.0]
    );
    assert_eq!(rows(&d)[1][3], f64::from(0.1f32));
    assert_eq!(labels(&d), ["10", "9", "10"]);
    assert_eq!(d.dataset.labels().classes(), ["9", "10"]);
    // Known by its content, under any name, and packed.
    for name in ["t.csv", "t.bin", "<stdin>"] {
        assert_eq!(train(name, sample()).unwrap().dataset, d.dataset);
    }
    assert_eq!(train("t.pq", gzip(&sample())).unwrap().dataset, d.dataset);
}

#[test]
fn labels_and_codes_of_every_type() {
    for (target, want) in [
        ("b", ["1", "0", "1"]),
        ("f", ["0.5", "0.1", "2"]),
        ("s", ["u", "v", "u"]),
    ] {
        let d = train_with("t.parquet", sample(), |o| o.target = Some(target.into())).unwrap();
        assert_eq!(labels(&d), want);
    }
    let d = train_with("t.parquet", sample(), |o| o.categorical = vec!["l".into()]).unwrap();
    assert_eq!(
        d.dataset.feature_names()[2..5],
        ["l=5", "l=6", "l=1099511627776"]
    );
}

#[test]
fn nulls_are_missing() {
    let text =
        "message m { optional double d; optional binary s (UTF8); required binary c (UTF8); }";
    let bytes = file(
        text,
        &[
            vec![
                Values::F64(vec![1.0, f64::NAN], Some(vec![1, 0, 1])),
                Values::Text(vec!["p", "q"], Some(vec![1, 1, 0])),
                Values::Text(vec!["x", "y", "x"], None),
            ],
            vec![
                Values::F64(vec![3.0], Some(vec![1])),
                Values::Text(vec!["q"], Some(vec![1])),
                Values::Text(vec!["y"], None),
            ],
        ],
    );
    has(
        &refused("t.parquet", &bytes, |_| ()),
        &["row 1, column 'd'", "3 missing cells in 2 columns"],
    );
    let d = train_with("t.parquet", &bytes, |o| o.missing = Missing::Mean).unwrap();
    assert_eq!(
        rows(&d),
        [[1.0, 0.0], [2.0, 1.0], [2.0, 2.0 / 3.0], [3.0, 1.0]]
    );
    assert_eq!(d.schema.columns[0].kind, ColumnKind::Numeric { fill: 2.0 });
    let s = score_with(&d.schema, "s.parquet", &bytes, |o| {
        o.missing = Some(Missing::Mean);
        o.target = TargetColumn::Required;
        o.block_rows = 3;
    })
    .unwrap();
    assert_eq!(s.rows(), rows(&d));
    assert_eq!(s.labels().unwrap(), ["x", "y", "x", "y"]);
    assert_eq!(s.blocks.len(), 2, "blocks cross row groups");
    let e = score_with(&d.schema, "s.parquet", &bytes, |o| {
        o.missing = Some(Missing::Error)
    });
    let e = e.err().unwrap().to_string();
    has(&e, &["s.parquet, row 1, column 'd'", "missing"]);
    let s = score_with(&d.schema, "s.parquet", &bytes, |_| ()).unwrap();
    assert_eq!(s.rows(), rows(&d), "what training did is done again");
}

#[test]
fn unsigned_integers_and_codecs() {
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    let text =
        "message m { required int32 u (UINT_32); required int64 v (UINT_64); required boolean c; }";
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let columns = vec![
            Values::I32(vec![-1, 1]),
            Values::I64(vec![-1, 1], None),
            Values::Bool(vec![true, false], None),
        ];
        let bytes = file_with(text, &[columns], codec);
        let d = train("t.parquet", &bytes).unwrap();
        assert_eq!(rows(&d)[0], [4294967295.0, u64::MAX as f64]);
        let d = train_with("t.parquet", &bytes, |o| o.target = Some("v".into())).unwrap();
        assert_eq!(labels(&d), ["18446744073709551615", "1"]);
    }
}

#[test]
fn columns_that_cannot_be_features_are_named_and_can_be_dropped() {
    for (kind, values, word) in [
        (
            "required int32 q (TIME(MILLIS,true));",
            Values::I32(vec![1, 2]),
            "times of the day",
        ),
        (
            "required int32 q (DECIMAL(5,2));",
            Values::I32(vec![1, 2]),
            "decimals",
        ),
        (
            "required group q { required int32 inner; }",
            Values::I32(vec![1, 2]),
            "nested",
        ),
    ] {
        let text = format!("message m {{ required int32 a; {kind} required int32 c; }}");
        let bytes = file(
            &text,
            &[vec![
                Values::I32(vec![1, 2]),
                values,
                Values::I32(vec![0, 1]),
            ]],
        );
        has(
            &refused("t.parquet", &bytes, |_| ()),
            &["column 'q'", word, "--drop q"],
        );
        let d = train_with("t.parquet", &bytes, |o| o.drop = vec!["q".into()]).unwrap();
        assert_eq!(rows(&d), [[1.0], [2.0]]);
        let s = score_with(&d.schema, "s.parquet", &bytes, |_| ()).unwrap();
        assert_eq!(s.rows(), rows(&d));
    }
}

#[test]
fn dates_are_days_from_every_unit() {
    let day = 86_400_000i64;
    let file_of = |kind: &str, q: Values| {
        let text = format!("message m {{ {kind} required int32 c; }}");
        file(&text, &[vec![q, Values::I32(vec![0, 1])]])
    };
    let names = ["q.year", "q.month", "q.weekday", "q.days"];
    let whole = [[1970.0, 1.0, 3.0, 0.0], [1970.0, 2.0, 6.0, 31.0]];
    let days = file_of("required int32 q (DATE);", Values::I32(vec![0, 31]));
    let d = train("t.parquet", &days).unwrap();
    assert_eq!(d.dataset.feature_names(), names);
    assert_eq!(rows(&d), whole);
    for (unit, factor) in [("MILLIS", 1), ("MICROS", 1000), ("NANOS", 1_000_000)] {
        let kind = format!("required int64 q (TIMESTAMP({unit},true));");
        let values = Values::I64(vec![0, 31 * day * factor], None);
        let d = train("t.parquet", file_of(&kind, values)).unwrap();
        assert_eq!(rows(&d), whole);
    }
    let csv = train("t.csv", "q,c\n1970-01-01,0\n1970-02-01,1\n").unwrap();
    assert_eq!(csv.schema, d.schema);
    assert_eq!(rows(&csv), whole);
    let s = score_with(&csv.schema, "s.parquet", &days, |_| ()).unwrap();
    assert_eq!(s.rows(), whole);
}

#[test]
fn the_index_of_pandas_is_left_out() {
    let text =
        "message m { required int32 a; required int32 c; required int64 __index_level_0__; }";
    let bytes = file(
        text,
        &[vec![
            Values::I32(vec![1, 2]),
            Values::I32(vec![0, 1]),
            Values::I64(vec![7, 8], None),
        ]],
    );
    let d = train("t.parquet", bytes).unwrap();
    assert_eq!(
        (d.dataset.feature_names(), d.schema.target.as_str()),
        (&["a".to_string()][..], "c")
    );
    has(&d.notices.concat(), &["pandas"]);
}

#[test]
fn a_model_scores_csv_and_parquet_alike() {
    let d = train_with("t.parquet", sample(), |o| {
        o.drop = vec!["d".into(), "l".into()]
    })
    .unwrap();
    let csv = "s,f,i,b\nu,0.5,1,1\nw,0.25,2,0\n";
    let s = score_with(&d.schema, "s.csv", csv, |_| ()).unwrap();
    assert_eq!(
        s.rows(),
        [[1.0, 1.0, 0.5, 0.0], [0.0, 2.0, 0.25, 1.0 / 3.0]]
    );
    let named = train("t.csv", "i,s,class\n1,u,9\n2,v,10\n").unwrap();
    let s = score_with(&named.schema, "s.parquet", sample(), |o| {
        o.target = TargetColumn::IfPresent
    })
    .unwrap();
    assert_eq!(s.rows(), [[1.0, 0.0], [-2.0, 1.0], [3.0, 0.0]]);
    assert_eq!(s.labels().unwrap(), ["10", "9", "10"]);
}

#[test]
fn what_is_not_parquet_is_refused() {
    for bytes in [&b"PAR1"[..], b"PAR1abcdPAR1", b"", &sample()[..50]] {
        has(&refused("t.parquet", bytes, |_| ()), &["t.parquet"]);
    }
}
