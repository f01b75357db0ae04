//! A build without readers and writers says what it lacks, and which build has it.
#![cfg(not(any(feature = "onnx", feature = "parquet")))]

mod common;

use common::{Folder, disc, has};

#[test]
fn export_names_the_feature_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("disc.csv", disc(60, 1));
    folder
        .line("fit disc.csv --method lda --model m.ks --quiet")
        .ok();
    let run = folder.line("export m.ks m.onnx");
    assert_eq!(run.code, 1);
    has(&run.err, &["m.onnx", "feature 'onnx'"]);
    assert_eq!(folder.names(), ["disc.csv", "m.ks"]);
}

#[test]
fn parquet_files_are_refused_with_the_feature() {
    let folder = Folder::new();
    folder.write("t.parquet", "PAR1");
    let run = folder.line("fit t.parquet --no-model");
    assert_eq!(run.code, 1);
    has(&run.err, &["t.parquet", "feature 'parquet'"]);
}
