//! Settings of which some were tried. With `settings`, the only reader of candidates.

use super::kernel;
use kernsieve::method::{Candidate, CvEntry};
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
    entry.candidate.reader().sparsity
}

/// The bandwidth of what reads the features.
pub fn bandwidth(entry: &CvEntry) -> Option<f64> {
    entry.candidate.reader().kernel.bandwidth()
}

/// The squared-norm penalty, or that of the posteriors.
pub fn ridge(entry: &CvEntry) -> Option<f64> {
    let own = &entry.candidate;
    own.ridge.or(own.reader().ridge)
}

/// Rows to retain, where their number was tried.
pub fn rows(entry: &CvEntry) -> Option<usize> {
    entry.candidate.size
}

/// Whether two differ in nothing but the penalty.
pub fn is_same_but_for_penalty(entry: &CvEntry, other: &CvEntry) -> bool {
    let (own, chosen) = (&entry.candidate, &other.candidate);
    own.kernel == chosen.kernel
        && own.ridge == chosen.ridge
        && own.reader().kernel == chosen.reader().kernel
        && own.step() == chosen.step()
}

/// The cross-validated error at a penalty of the path that was walked.
pub fn error_at(model: &Model, penalty: f64) -> Option<f64> {
    let chosen = &model.record.candidate;
    let is_there = |e: &&CvEntry| {
        let own = &e.candidate;
        own.kernel == chosen.kernel
            && own.ridge == chosen.ridge
            && own.step() == chosen.step()
            && own
                .reader()
                .sparsity
                .is_some_and(|s| (s - penalty).abs() <= 1e-9 * penalty)
    };
    model.record.cv.as_ref()?.grid.iter().find(is_there)?.error
}

/// A setting as a column of the table.
pub struct Column {
    /// What stands above it.
    pub title: &'static str,
    /// Whether it says anything in this table.
    is_shown: fn(&CvTable) -> bool,
    cell: fn(&Candidate) -> Option<Cell>,
}

impl Column {
    /// The value in a row of the table.
    pub fn cell(&self, entry: &CvEntry) -> Option<Cell> {
        (self.cell)(&entry.candidate)
    }
}

/// The columns of a table: settings that play a part in any of its rows.
pub fn columns(cv: &CvTable) -> Vec<&'static Column> {
    COLUMNS.iter().filter(|c| (c.is_shown)(cv)).collect()
}

/// Whether a setting plays a part in any trial.
fn any(cv: &CvTable, setting: fn(&Candidate) -> Option<Cell>) -> bool {
    cv.grid.iter().any(|e| setting(&e.candidate).is_some())
}

static COLUMNS: [Column; 7] = [
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
        title: "ridge",
        is_shown: |cv| any(cv, ridge_cell),
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
            let mut balances = cv.grid.iter().filter_map(|e| e.candidate.balance);
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

fn kernel_cell(c: &Candidate) -> Option<Cell> {
    let words = kernel::cell(&c.reader().kernel, c.posterior.is_some());
    Some(Cell::Words(words))
}

fn rows_cell(c: &Candidate) -> Option<Cell> {
    c.size.map(Cell::Count)
}

fn features_cell(c: &Candidate) -> Option<Cell> {
    c.n_features.map(Cell::Count)
}

fn ridge_cell(c: &Candidate) -> Option<Cell> {
    c.ridge.map(Cell::Number)
}

fn posterior_ridge_cell(c: &Candidate) -> Option<Cell> {
    c.posterior.as_ref()?.ridge.map(Cell::Number)
}

fn balance_cell(c: &Candidate) -> Option<Cell> {
    c.balance.map(Cell::Number)
}

fn penalty_cell(c: &Candidate) -> Option<Cell> {
    let penalty = c.reader().sparsity?;
    Some(match c.features {
        Some(_) => Cell::Voted(penalty),
        None => Cell::Number(penalty),
    })
}
