//! The stand-in for the Parquet reader in a build without it.

use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::records::DefaultTarget;
use crate::source::Source;
use crate::table::RawTable;

/// The error that this build cannot read Parquet.
pub(crate) fn refusal(file: &str) -> ReadError {
    ReadError::new(file, "this build cannot read Parquet files")
        .hint("Convert the file to CSV, or build kernsieve with the feature 'parquet'.")
}

pub(crate) fn read_table(file: &str, _: Vec<u8>, _: &ReadOptions) -> Result<RawTable, ReadError> {
    Err(refusal(file))
}

pub(crate) fn read_chosen(
    sources: &[Source],
    _: &[u64],
    _: &[u64],
    _: &ReadOptions,
) -> Result<RawTable, ReadError> {
    Err(refusal(&sources[0].to_string()))
}

pub(crate) fn names_of(
    source: &Source,
    _: &ReadOptions,
) -> Result<(Vec<String>, DefaultTarget), ReadError> {
    Err(refusal(&source.to_string()))
}
