//! The input: rows of numbers with class labels, the columns they came from, scaling, folds and
//! random numbers.

mod columns;
mod dataset;
mod folds;
mod labels;
mod rng;
mod scaling;
mod scores;
pub mod simulate;

pub use columns::{
    Cells, Column, ColumnKind, Encode, Encoded, Encoder, GAP, Missing, Moment, Reading, Recipe,
    Schema, Table, TableColumn, Told, Unfit, date_of, is_ambiguous_date, layout, truth_of,
};
pub use dataset::Dataset;
pub use folds::{
    Split, block_folds, block_split, sample_with, spread_rows, stratified_folds, stratified_sample,
    stratified_split,
};
pub use labels::{Labels, are_measurements};
pub use rng::Rng;
pub use scaling::Scaling;
pub use scores::{Curve, NormalScores};
