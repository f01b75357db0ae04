//! The stand-in for the Parquet reader in a build without it.

use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::table::RawTable;

/// The error that this build cannot read Parquet.
pub(crate) fn refusal(file: &str) -> ReadError {
    ReadError::new(file, "this build cannot read Parquet files")
        .hint("Convert the file to CSV, or build kernsieve with the feature 'parquet'.")
}

pub(crate) fn read_table(file: &str, _: Vec<u8>, _: &ReadOptions) -> Result<RawTable, ReadError> {
    Err(refusal(file))
}
