//! A build without the feature `parquet` says so.
#![allow(clippy::unwrap_used)]
#![cfg(not(feature = "parquet"))]

mod common;
use common::{has, refused, score_with, train};

#[test]
fn parquet_files_are_refused_with_the_reason() {
    has(
        &refused("t.parquet", "PAR1", |_| ()),
        &["t.parquet", "cannot read Parquet", "CSV"],
    );
    let schema = train("t.csv", "a,c\n1,x\n2,y\n").unwrap().schema;
    let e = score_with(&schema, "t.parquet", "PAR1", |_| ())
        .err()
        .unwrap()
        .to_string();
    has(&e, &["t.parquet", "cannot read Parquet"]);
}
