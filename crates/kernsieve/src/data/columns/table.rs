//! Raw columns.

use crate::data::labels::Labels;
use crate::error::{Error, Result};
use std::collections::HashSet;

/// The code of a missing category.
pub const GAP: u32 = u32::MAX;

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers; NaN is a gap.
    Numbers(Vec<f64>),
    /// Truth values as 0 and 1; NaN is a gap.
    Booleans(Vec<f64>),
    /// Days since 1970-01-01; NaN is a gap.
    Dates(Vec<f64>),
    /// Categories: the code of each row's level, or [`GAP`].
    Levels {
        /// Codes.
        codes: Vec<u32>,
        /// Levels.
        levels: Vec<String>,
    },
}

impl Cells {
    /// Categories with sorted levels, without those that no row has.
    pub fn categories(codes: &[u32], levels: &[String]) -> Self {
        let mut occurs = vec![false; levels.len()];
        for &c in codes.iter().filter(|c| **c != GAP) {
            occurs[c as usize] = true;
        }
        let used: Vec<usize> = (0..levels.len()).filter(|&l| occurs[l]).collect();
        let names: Vec<&str> = used.iter().map(|&l| levels[l].as_str()).collect();
        let sorted = Labels::from_text(&names);
        let mut new = vec![GAP; levels.len()];
        for (&level, &code) in used.iter().zip(sorted.codes()) {
            new[level] = code as u32;
        }
        let code = |c: &u32| if *c == GAP { GAP } else { new[*c as usize] };
        Self::Levels {
            codes: codes.iter().map(code).collect(),
            levels: sorted.classes().to_vec(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(v) | Self::Booleans(v) | Self::Dates(v) => v.len(),
            Self::Levels { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the cell of a row is missing.
    pub fn is_gap(&self, row: usize) -> bool {
        match self {
            Self::Numbers(v) | Self::Booleans(v) | Self::Dates(v) => v[row].is_nan(),
            Self::Levels { codes, .. } => codes[row] == GAP,
        }
    }

    /// Whether any cell is missing.
    pub fn has_gaps(&self) -> bool {
        (0..self.len()).any(|i| self.is_gap(i))
    }

    fn select(&self, rows: &[usize]) -> Self {
        let some = |v: &[f64]| rows.iter().map(|&i| v[i]).collect();
        match self {
            Self::Numbers(v) => Self::Numbers(some(v)),
            Self::Booleans(v) => Self::Booleans(some(v)),
            Self::Dates(v) => Self::Dates(some(v)),
            Self::Levels { codes, levels } => {
                let own: Vec<u32> = rows.iter().map(|&i| codes[i]).collect();
                Self::categories(&own, levels)
            }
        }
    }
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its cells.
    pub cells: Cells,
}

/// Columns of equal length with names of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<TableColumn>,
    n_rows: usize,
}

impl Table {
    /// Checks lengths, names and values.
    pub fn new(columns: Vec<TableColumn>, n_rows: usize) -> Result<Self> {
        let mut seen = HashSet::new();
        for c in &columns {
            let problem = |what: String| Err(Error::Data(format!("column '{}': {what}", c.name)));
            if !seen.insert(&c.name) {
                return problem("there are two columns of this name".into());
            }
            if c.cells.len() != n_rows {
                return problem(format!("{} rows where there are {n_rows}", c.cells.len()));
            }
            match &c.cells {
                Cells::Numbers(v) | Cells::Booleans(v) | Cells::Dates(v) => {
                    if let Some(row) = v.iter().position(|v| v.is_infinite()) {
                        return problem(format!("the number in row {row} is not finite"));
                    }
                }
                Cells::Levels { codes, levels } => {
                    let beyond = |c: &&u32| **c != GAP && **c as usize >= levels.len();
                    if let Some(code) = codes.iter().find(beyond) {
                        return problem(format!("code {code} of {} levels", levels.len()));
                    }
                }
            }
        }
        Ok(Self { columns, n_rows })
    }

    /// The columns.
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The rows without gaps.
    pub fn complete_rows(&self) -> Vec<usize> {
        let complete = |i: &usize| !self.columns.iter().any(|c| c.cells.is_gap(*i));
        (0..self.n_rows).filter(complete).collect()
    }

    /// The number of gaps, and the column and row of the first one, column by column.
    pub fn gaps(&self) -> (usize, Option<(usize, usize)>) {
        let (mut count, mut first) = (0, None);
        for (j, c) in self.columns.iter().enumerate() {
            for i in (0..self.n_rows).filter(|&i| c.cells.is_gap(i)) {
                count += 1;
                first.get_or_insert((j, i));
            }
        }
        (count, first)
    }

    /// Some rows. Levels that none of them has are forgotten.
    pub fn select(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|c| TableColumn {
            name: c.name.clone(),
            cells: c.cells.select(rows),
        });
        Self {
            columns: columns.collect(),
            n_rows: rows.len(),
        }
    }

    /// Whether features are the cells themselves: numbers without gaps.
    pub fn is_plain(&self) -> bool {
        self.columns.iter().all(|c| match &c.cells {
            Cells::Numbers(_) | Cells::Booleans(_) => !c.cells.has_gaps(),
            _ => false,
        })
    }
}
