//! Columns: what a table holds before it is numbers, how columns become features, and what that
//! takes from the training rows.
//!
//! A [`Table`] holds raw columns, a [`Recipe`] says what to do with gaps and categories, and a
//! [`Schema`] holds what some rows taught: which number fills a gap, which levels are rare, what a
//! level says of the classes. Folds learn schemas of their own ([`Dataset`](super::Dataset)), so
//! that held-out rows have no part in them. The schema that all training rows taught is saved with
//! the model and turns new rows into features.

mod dates;
mod encode;
mod learn;
mod recipe;
mod schema;
mod table;

pub use dates::{Moment, date_of, is_ambiguous_date};
pub use encode::{Encoded, Encoder, Told, Unfit, truth_of};
pub use learn::layout;
pub(crate) use learn::{Learnt, Source};
pub use recipe::{Encode, Missing, Recipe};
pub use schema::{Column, ColumnKind, Reading, Schema};
pub use table::{Cells, GAP, Table, TableColumn};
