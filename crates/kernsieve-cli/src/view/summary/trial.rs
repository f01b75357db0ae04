//! Settings that were tried. With `settings`, the only reader of settings.

use super::kernel;
use kernsieve::method::{Chosen, CvEntry};
use kernsieve::model::{CvTable, Model};

/// A value of a setting in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// In words.
    Words(String),
    /// A number of things.
    Count(usize),
    /// A quantity.
    Number(f64),
    /// The same, for features on which the folds had a vote.
    Voted(f64),
}

/// The penalty that drops features, or coefficients of linear posteriors.
pub fn penalty(entry: &CvEntry) -> Option<f64> {
    entry.setting.reader().number("sparsity")
}

/// The bandwidth of the kernel that reads the features.
pub fn bandwidth(entry: &CvEntry) -> Option<f64> {
    entry.setting.reader().kernel()?.bandwidth()
}

/// The squared-norm penalty, or that of the posteriors.
pub fn ridge(entry: &CvEntry) -> Option<f64> {
    let own = &entry.setting;
    own.number("ridge").or(own.reader().number("ridge"))
}

/// Rows to retain, where their number was tried.
pub fn rows(entry: &CvEntry) -> Option<usize> {
    entry.setting.size().samples
}

/// Features to keep, where their number was tried.
pub fn features(entry: &CvEntry) -> Option<usize> {
    entry.setting.size().features
}

/// Whether two differ only in the penalty.
pub fn is_same_but_for_penalty(entry: &CvEntry, other: &CvEntry) -> bool {
    let (own, chosen) = (&entry.setting, &other.setting);
    is_on_path(own, chosen) && own.reader().kernel() == chosen.reader().kernel()
}

/// Whether two have the same kernel, ridge and size.
fn is_on_path(own: &Chosen, chosen: &Chosen) -> bool {
    own.kernel() == chosen.kernel()
        && own.number("ridge") == chosen.number("ridge")
        && own.size().step() == chosen.size().step()
}

/// The cross-validated error at a penalty of the path.
pub fn error_at(model: &Model, penalty: f64) -> Option<f64> {
    let chosen = &model.record.setting;
    let is_there = |e: &&CvEntry| {
        let own = e.setting.reader().number("sparsity");
        is_on_path(&e.setting, chosen) && own.is_some_and(|s| (s - penalty).abs() <= 1e-9 * penalty)
    };
    model.record.cv.as_ref()?.grid.iter().find(is_there)?.error
}

/// A setting as a column of the table.
pub struct Column {
    /// What stands above it.
    pub title: &'static str,
    /// Whether it is informative in this table.
    is_shown: fn(&CvTable) -> bool,
    cell: fn(&Chosen) -> Option<Cell>,
}

impl Column {
    /// The value in a row of the table.
    pub fn cell(&self, entry: &CvEntry) -> Option<Cell> {
        (self.cell)(&entry.setting)
    }
}

/// The columns of a table: settings that occur in any of its rows.
pub fn columns(cv: &CvTable) -> Vec<&'static Column> {
    COLUMNS.iter().filter(|c| (c.is_shown)(cv)).collect()
}

/// Whether a setting occurs in any trial.
fn any(cv: &CvTable, cell: fn(&Chosen) -> Option<Cell>) -> bool {
    cv.grid.iter().any(|e| cell(&e.setting).is_some())
}

static COLUMNS: [Column; 8] = [
    Column {
        title: "kernel",
        is_shown: |_| true,
        cell: kernel_cell,
    },
    Column {
        title: "rows kept",
        is_shown: |cv| any(cv, rows_cell),
        cell: rows_cell,
    },
    Column {
        title: "features",
        is_shown: |cv| any(cv, features_cell),
        cell: features_cell,
    },
    Column {
        title: "fit",
        is_shown: |cv| any(cv, readout_cell),
        cell: readout_cell,
    },
    Column {
        title: "ridge",
        // A method that tries two ways to fit starts from one ridge in all rows.
        is_shown: |cv| any(cv, ridge_cell) && !any(cv, readout_cell),
        cell: ridge_cell,
    },
    Column {
        title: "posterior ridge",
        is_shown: |cv| any(cv, posterior_ridge_cell),
        cell: posterior_ridge_cell,
    },
    Column {
        title: "balance",
        // A balance of 1 everywhere is none.
        is_shown: |cv| {
            let mut balances = cv.grid.iter().filter_map(|e| e.setting.number("balance"));
            balances.any(|b| b != 1.0)
        },
        cell: balance_cell,
    },
    Column {
        title: "penalty",
        is_shown: |cv| any(cv, penalty_cell),
        cell: penalty_cell,
    },
];

fn kernel_cell(s: &Chosen) -> Option<Cell> {
    let own = s.reader().kernel()?;
    let words = match s.count("rounds") {
        Some(_) => kernel::cell_with_family(&own),
        None => kernel::cell(&own, s.posterior().is_some()),
    };
    Some(Cell::Words(words))
}

fn rows_cell(s: &Chosen) -> Option<Cell> {
    s.size().samples.map(Cell::Count)
}

fn features_cell(s: &Chosen) -> Option<Cell> {
    s.size().features.map(Cell::Count)
}

/// How samples are fitted, in a method that tries two ways.
fn readout_cell(s: &Chosen) -> Option<Cell> {
    s.count("rounds")?;
    let softmax = s.number("softmax").is_some();
    Some(Cell::Words(
        if softmax { "softmax" } else { "squares" }.to_string(),
    ))
}

fn ridge_cell(s: &Chosen) -> Option<Cell> {
    s.number("ridge").map(Cell::Number)
}

fn posterior_ridge_cell(s: &Chosen) -> Option<Cell> {
    s.posterior()?.number("ridge").map(Cell::Number)
}

fn balance_cell(s: &Chosen) -> Option<Cell> {
    s.number("balance").map(Cell::Number)
}

fn penalty_cell(s: &Chosen) -> Option<Cell> {
    let penalty = s.reader().number("sparsity")?;
    Some(match s.features() {
        Some(_) => Cell::Voted(penalty),
        None => Cell::Number(penalty),
    })
}
