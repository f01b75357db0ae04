//! The input: rows of numbers with class labels, the columns they came from, scaling, folds and
//! random numbers.

mod columns;
mod dataset;
mod folds;
mod labels;
mod rng;
mod sampling;
mod scaling;
mod scores;
pub mod simulate;

pub use columns::{
    Cells, Column, ColumnKind, Encode, Encoded, Encoder, GAP, Missing, Moment, Reading, Recipe,
    Schema, Table, TableColumn, Told, Unfit, date_of, is_ambiguous_date, layout, truth_of,
};
pub use dataset::Dataset;
pub use folds::{Split, block_folds, block_split, stratified_folds, stratified_split};
pub use labels::{Labels, are_measurements};
pub use rng::Rng;
pub use sampling::{class_factors, sample_with_rare, spread_rows, stratified_sample};
pub use scaling::Scaling;
pub use scores::{Curve, NormalScores};
