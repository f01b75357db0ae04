//! Settles types, weights, blocks and missing cells, and with them the rows that are kept.

use super::{RawColumn, RawTable, copies};
use crate::columns::{Cells, MISSING};
use crate::error::{ReadError, count};
use crate::options::ReadOptions;
use crate::typing::{Settled, check_target, settle_column};
use kernsieve::data::Missing;

/// Name of a first column that has none.
const UNNAMED_FIRST: &str = "column_0";

impl RawTable {
    /// Settles types and missing values. Returns the rows that are kept, and their weights.
    pub(super) fn settle(
        &mut self,
        options: &ReadOptions,
    ) -> Result<(Vec<usize>, Option<Vec<f64>>), ReadError> {
        if self.n_rows == 0 {
            return Err(self.error("there are no data rows"));
        }
        self.leave_out_row_numbers();
        // Everything that is wrong with the file is told in one go.
        let mut problems = vec![];
        let weights = self.take_weights();
        let weights = weights.unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        problems.extend(self.settle_columns(options));
        let rows = self.settle_missing(options);
        let mut rows = rows.unwrap_or_else(|problem| {
            // Where rows with gaps go, none may be left because of another problem.
            if problems.is_empty() || options.missing == Missing::Error {
                problems.push(problem);
            }
            vec![]
        });
        if let Some(problem) = ReadError::all(problems) {
            return Err(problem);
        }
        self.notices.extend(copies::note(&self.columns));
        if let Some(w) = &weights {
            rows.retain(|&r| w[r] > 0.0);
            let zero = w.iter().filter(|w| **w == 0.0).count();
            if rows.is_empty() {
                return Err(self
                    .error("every row has weight 0")
                    .hint("Name another column with --weights."));
            }
            if zero > 0 {
                self.notices
                    .push(format!("{} of weight 0 left out", count(zero, "row")));
            }
        }
        let own = weights.map(|w| rows.iter().map(|&r| w[r]).collect());
        Ok((rows, own))
    }

    /// Settles what every column is. Returns all problems.
    fn settle_columns(&mut self, options: &ReadOptions) -> Vec<ReadError> {
        let found: Vec<Result<Settled, ReadError>> = self
            .columns
            .iter()
            .map(|c| settle_column(self, c, options))
            .collect();
        let mut problems = vec![];
        if !options.no_target {
            problems.extend(check_target(self, options.missing).err());
        }
        let mut left_out = vec![];
        let columns = std::mem::take(&mut self.columns);
        for (column, found) in columns.into_iter().zip(found) {
            match found {
                Ok(Settled::AsItIs) => self.columns.push(column),
                Ok(Settled::Becomes(cells, holds, note)) => {
                    self.notices.extend(note);
                    self.columns.push(RawColumn {
                        cells,
                        holds,
                        ..column
                    });
                }
                Ok(Settled::Noted(note)) => {
                    self.notices.push(note);
                    self.columns.push(column);
                }
                Ok(Settled::LeftOut(why)) => left_out.push((column, why)),
                Err(problem) => {
                    problems.push(problem);
                    // Its gaps are a problem, too.
                    if column.cells.missing_rows().len() < self.n_rows {
                        self.columns.push(column);
                    }
                }
            }
        }
        if self.columns.is_empty() && problems.is_empty() {
            let names: Vec<String> = left_out.iter().map(|(c, _)| c.name.clone()).collect();
            return vec![
                self.error(format!(
                    "no feature is left: {} like names or numbers of rows",
                    match names.as_slice() {
                        [one] => format!("column '{one}' looks"),
                        _ => format!("columns '{}' look", names.join("', '")),
                    }
                ))
                .hint(format!("--use {} takes them as they are.", names.join(","))),
            ];
        }
        for (column, why) in left_out {
            self.notices.push(format!(
                "column '{0}' is left out: {why} (--use {0} takes it)",
                column.name
            ));
        }
        problems
    }

    /// Drops a first column without a name that counts 0, 1, 2, ...: it is the index of a data
    /// frame. In a file that is sorted by class, it would reveal the classes.
    fn leave_out_row_numbers(&mut self) {
        let counts = |column: &RawColumn| match &column.cells {
            Cells::Numbers(n) => n.values.iter().enumerate().all(|(i, v)| *v == i as f64),
            _ => false,
        };
        let first = self.columns.first();
        if self.columns.len() > 1
            && first.is_some_and(|c| c.name == UNNAMED_FIRST && !c.forced && counts(c))
        {
            self.columns.remove(0);
            self.notices
                .push("the first column has no name and counts the rows: left out".into());
        }
    }

    /// Removes the column of blocks from the others and returns the block number of every row.
    pub(super) fn take_blocks(&mut self) -> Result<Option<Vec<usize>>, ReadError> {
        let Some(name) = self.blocks_name.clone() else {
            return Ok(None);
        };
        let Some(Cells::Text(text)) = self.take(&name).map(|column| column.cells) else {
            return Ok(None);
        };
        if let Some(row) = text.codes.iter().position(|&c| c == MISSING) {
            return Err(self
                .error("the block of this row is missing")
                .at(self.spots.of(row))
                .column(&name)
                .hint("Fill it in; a row that belongs with no other needs a name of its own."));
        }
        Ok(Some(text.codes.iter().map(|&c| c as usize).collect()))
    }

    /// Removes a column from the others.
    fn take(&mut self, name: &str) -> Option<RawColumn> {
        let index = self.columns.iter().position(|c| c.name == name)?;
        Some(self.columns.remove(index))
    }

    /// Removes the column of weights from the others and checks it.
    fn take_weights(&mut self) -> Result<Option<Vec<f64>>, ReadError> {
        let Some(name) = self.weights_name.clone() else {
            return Ok(None);
        };
        let Some(column) = self.take(&name) else {
            return Ok(None);
        };
        let weights = match column.cells {
            Cells::Numbers(n) => n.values,
            Cells::Sparse(s) => {
                let mut dense = vec![0.0; self.n_rows];
                s.rows
                    .iter()
                    .zip(&s.values)
                    .for_each(|(&r, &v)| dense[r] = v);
                dense
            }
            Cells::Text(_) => {
                return Err(self
                    .error("the weights are not numbers")
                    .column(&name)
                    .hint("--weights names a column of numbers, 0 or more."));
            }
        };
        // Other values are of no use, and their squares and products may overflow.
        let usable = |w: &f64| *w == 0.0 || (1e-12..=1e12).contains(w);
        if let Some(row) = weights.iter().position(|w| !usable(w)) {
            let what = if weights[row].is_nan() {
                "the weight is missing".into()
            } else {
                format!("the weight is {}", weights[row])
            };
            return Err(self
                .error(what)
                .at(self.spots.of(row))
                .column(&name)
                .hint("Weights are numbers from 1e-12 to 1e12, or 0, which leaves the row out."));
        }
        Ok(Some(weights))
    }

    /// Finds missing cells and treats them as requested. Returns the rows that are kept.
    fn settle_missing(&mut self, options: &ReadOptions) -> Result<Vec<usize>, ReadError> {
        let missing = options.missing;
        let mut first: Option<(usize, usize)> = None;
        let (mut cells, mut columns) = (0, 0);
        let mut keep = vec![true; self.n_rows];
        for (j, column) in self.columns.iter().enumerate() {
            let gone = column.cells.missing_rows();
            if let Some(&row) = gone.first() {
                columns += 1;
                if first.is_none_or(|(r, _)| row < r) {
                    first = Some((row, j));
                }
            }
            cells += gone.len();
            if missing == Missing::Drop {
                gone.iter().for_each(|&row| keep[row] = false);
            }
        }
        match (missing, first) {
            (Missing::Error, Some((row, j))) => {
                return Err(self
                    .error(format!(
                        "the cell is missing, the first of {} in {}",
                        count(cells, "missing cell"),
                        count(columns, "column")
                    ))
                    .at(self.spots.of(row))
                    .column(&self.columns[j].name)
                    .hint(
                        "Leave out such rows with --missing drop, or fill missing cells with \
                         --missing mean, median or indicator.",
                    ));
            }
            (Missing::Mean | Missing::Median | Missing::Indicator, Some(_)) => {
                self.notices.push(format!(
                    "{} in {} filled: numbers by the {} of the training rows of every fold, \
                     categories by none of the levels{}",
                    count(cells, "missing cell"),
                    count(columns, "column"),
                    if missing == Missing::Mean {
                        "mean"
                    } else {
                        "median"
                    },
                    match missing {
                        Missing::Indicator => "; a 0/1 feature says where",
                        _ => "",
                    }
                ));
            }
            _ => {}
        }
        if missing != Missing::Error && !options.no_target {
            for (row, &code) in self.target.codes.iter().enumerate() {
                keep[row] &= code != MISSING;
            }
        }
        let rows: Vec<usize> = (0..self.n_rows).filter(|&i| keep[i]).collect();
        if rows.is_empty() {
            return Err(self.error("no row is without missing cells").hint(
                "Leave out columns that are mostly missing with --drop, or use --missing median.",
            ));
        }
        if rows.len() < self.n_rows {
            let of_rows = format!(
                "left out {} of {}",
                self.n_rows - rows.len(),
                count(self.n_rows, "row")
            );
            self.notices.push(match missing {
                Missing::Drop => format!("{of_rows} because of missing cells"),
                _ => format!("{of_rows} without a label in column '{}'", self.target_name),
            });
        }
        Ok(rows)
    }
}
