//! CSV, TSV, Parquet, LIBSVM and ARFF files as kernsieve data sets.
//!
//! [`read_training`] reads a file as a [`Dataset`](kernsieve::data::Dataset) and the
//! [`Schema`](kernsieve::data::Schema) that describes its columns; [`ScoringReader`] reads other
//! files by that schema, block by block. Both take a [`Source`] (a path, standard input or bytes,
//! with or without gzip compression) and detect the format from the extension or the content.
//! [`RowFiles`] reads tables that do not fit into memory in passes.
//!
//! Every failure is a [`ReadError`] that names the file, the line and the column, and suggests what
//! to do. No content of a file makes this crate panic.
//!
//! | format | missing | types | labels |
//! |---|---|---|---|
//! | CSV, TSV | empty, `NA`, `NaN`, `?`, ... | numbers, truth values or dates if all cells are, else text | as written, blanks at the ends cut off |
//! | ARFF | `?` | as declared | as written |
//! | LIBSVM | `nan` | numeric, omitted features are 0 | first word of the line |
//! | Parquet | null, NaN | as declared | numbers as Rust prints them, booleans as 0 and 1 |
//!
//! # Known limits
//!
//! * Training data and Parquet files are held in memory completely while they are read.
//! * Parquet columns of decimals, times of day, fixed-length byte arrays and nested types are
//!   refused (unless dropped), as are files that use compression other than snappy, gzip and zstd.
//! * The Parquet decoder panics on some damaged files. The panic is caught, and its message does
//!   not reach standard error. To this end, the first Parquet file installs a panic hook that
//!   passes every other panic on to the previous hook.
//! * ARFF values must be divided by commas, and instance weights are not read.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arff;
mod cell;
mod columns;
mod csv;
mod encode;
mod error;
mod identifiers;
mod libsvm;
mod matching;
mod names;
mod options;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
#[cfg(feature = "parquet")]
mod quiet;
mod records;
mod row_files;
mod score_libsvm;
#[cfg(feature = "parquet")]
mod score_parquet;
mod scoring;
mod sniff;
mod source;
mod table;
mod text;
mod training;
mod typing;

pub use error::ReadError;
pub use kernsieve::data::{Encode, Missing};
pub use names::similar;
pub use options::{FeatureData, Format, ReadOptions, ScoringOptions, TargetColumn, TrainingData};
pub use row_files::{RowBlock, RowFiles};
pub use scoring::{ScoringBlock, ScoringReader};
pub use sniff::is_table;
pub use source::Source;
pub use training::{read_features, read_training};
