//! Raw columns become a data set and the schema that describes it.

use crate::columns::{Cells, MISSING, Numbers, Sparse, Text};
use crate::error::{ReadError, Spot, bytes, count, show};
use crate::options::{FeatureData, Missing, ReadOptions, TrainingData};
use crate::records::Declared;
use crate::typing::{check_column, check_target};
use kernsieve::data::{Column, ColumnKind, Dataset, Labels, Schema};
use kernsieve::linalg::Matrix;

/// Everything that was read from a file, before types and missing values are settled.
#[derive(Debug)]
pub(crate) struct RawTable {
    pub(crate) file: String,
    pub(crate) columns: Vec<RawColumn>,
    pub(crate) target_name: String,
    pub(crate) target: Text,
    pub(crate) weights_name: Option<String>,
    pub(crate) blocks_name: Option<String>,
    pub(crate) spots: Spots,
    pub(crate) n_rows: usize,
    pub(crate) notices: Vec<String>,
}

/// What a first column without a name is called.
const UNNAMED_FIRST: &str = "column_0";

/// One column besides the target.
#[derive(Debug)]
pub(crate) struct RawColumn {
    pub(crate) name: String,
    pub(crate) cells: Cells,
    pub(crate) declared: Declared,
    /// The user said that it holds categories.
    pub(crate) forced: bool,
}

/// Where each row is in the file.
#[derive(Debug)]
pub(crate) enum Spots {
    /// Line of every row.
    Lines(Vec<usize>),
    /// Rows are not on lines.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Rows,
}

impl Spots {
    pub(crate) fn of(&self, row: usize) -> Spot {
        match self {
            Self::Lines(lines) => Spot::Line(lines[row]),
            Self::Rows => Spot::Row(row),
        }
    }
}

impl RawTable {
    pub(crate) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::new(&self.file, message)
    }

    /// Features and labels.
    pub(crate) fn into_training(
        mut self,
        options: &ReadOptions,
    ) -> Result<TrainingData, ReadError> {
        let blocks = self.take_blocks()?;
        let (rows, weights) = self.settle(options)?;
        let labels = self.labels(&rows)?;
        let schema = self.schema(&rows);
        let x = self.features(&rows, &schema, options)?;
        let names = schema.feature_names();
        let mut dataset = Dataset::new(x, labels, names).map_err(|e| {
            ReadError::new(&self.file, e.to_string())
                .column(&self.target_name)
                .hint("Name the column that holds the classes with --target.")
        })?;
        if let Some(own) = weights {
            dataset = dataset
                .with_weights(own)
                .map_err(|e| self.error(e.to_string()))?;
        }
        if let Some(blocks) = blocks {
            let own = rows.iter().map(|&r| blocks[r]).collect();
            dataset = dataset
                .with_blocks(own)
                .map_err(|e| self.error(e.to_string()))?;
        }
        Ok(TrainingData {
            dataset,
            schema,
            rows,
            notices: self.notices,
        })
    }

    /// Features alone, all of them numbers.
    pub(crate) fn into_features(mut self, options: &ReadOptions) -> Result<FeatureData, ReadError> {
        let holds = |c: &&RawColumn| matches!(&c.cells, Cells::Text(t) if !t.levels.is_empty());
        if let Some(column) = self.columns.iter().find(holds) {
            let value = match &column.cells {
                Cells::Text(text) => text.levels.first().map(String::as_str).unwrap_or_default(),
                _ => "",
            };
            return Err(self
                .error(format!(
                    "the column holds text ({}), and here every column has to be of numbers",
                    show(value)
                ))
                .column(&column.name)
                .hint(format!("Leave it out with --drop {}.", column.name)));
        }
        let (rows, weights) = self.settle(options)?;
        let schema = Schema {
            target: String::new(),
            ..self.schema(&rows)
        };
        Ok(FeatureData {
            x: self.features(&rows, &schema, options)?,
            weights,
            schema,
            rows,
            notices: self.notices,
        })
    }

    /// Settles types and missing values: the rows that stay, and their weights.
    fn settle(
        &mut self,
        options: &ReadOptions,
    ) -> Result<(Vec<usize>, Option<Vec<f64>>), ReadError> {
        if self.n_rows == 0 {
            return Err(self.error("there are no data rows"));
        }
        self.leave_out_row_numbers();
        let weights = self.take_weights()?;
        for column in &self.columns {
            check_column(self, column)?;
        }
        if !options.no_target {
            check_target(self, options.missing)?;
        }
        let mut rows = self.settle_missing(options)?;
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

    /// A first column without a name that counts 0, 1, 2, ... is the index that a data frame was
    /// written with. In a file that is sorted by class it would give the classes away.
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

    /// Takes the column of blocks out of the others: for every row the number of its block.
    fn take_blocks(&mut self) -> Result<Option<Vec<usize>>, ReadError> {
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

    /// Takes a column out of the others.
    fn take(&mut self, name: &str) -> Option<RawColumn> {
        let index = self.columns.iter().position(|c| c.name == name)?;
        Some(self.columns.remove(index))
    }

    /// Takes the column of weights out of the others and checks it.
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
        // Far beyond any use, and squares and products of them overflow.
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

    /// Finds missing cells and does what is to be done; gives the rows that stay.
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
                    .hint("Leave out such rows with --missing drop, or put column means with --missing mean."));
            }
            (Missing::Mean, Some(_)) => self.notices.push(format!(
                "{} in {} replaced by the column mean (none of the 0/1 features is set for a missing category)",
                count(cells, "missing cell"),
                count(columns, "column")
            )),
            _ => {}
        }
        if missing == Missing::Drop && !options.no_target {
            for (row, &code) in self.target.codes.iter().enumerate() {
                keep[row] &= code != MISSING;
            }
        }
        let rows: Vec<usize> = (0..self.n_rows).filter(|&i| keep[i]).collect();
        if rows.is_empty() {
            return Err(self.error("no row is without missing cells").hint(
                "Leave out columns that are mostly missing with --drop, or use --missing mean.",
            ));
        }
        if rows.len() < self.n_rows {
            self.notices.push(format!(
                "left out {} of {} because of missing cells",
                self.n_rows - rows.len(),
                count(self.n_rows, "row")
            ));
        }
        Ok(rows)
    }

    fn labels(&self, rows: &[usize]) -> Result<Labels, ReadError> {
        let (classes, new_code) = sorted_levels(&self.target, rows);
        let codes = rows
            .iter()
            .map(|&r| new_code[self.target.codes[r] as usize])
            .collect();
        Labels::from_codes(codes, classes).map_err(|e| self.error(e.to_string()))
    }

    fn schema(&self, rows: &[usize]) -> Schema {
        let kind = |cells: &Cells| match cells {
            Cells::Numbers(n) => ColumnKind::Numeric {
                fill: mean(rows.iter().map(|&r| n.values[r])),
            },
            Cells::Sparse(s) => ColumnKind::Numeric {
                fill: sparse_mean(s, rows),
            },
            Cells::Text(t) => ColumnKind::Categorical {
                levels: sorted_levels(t, rows).0,
            },
        };
        Schema {
            columns: self
                .columns
                .iter()
                .map(|c| Column {
                    name: c.name.clone(),
                    kind: kind(&c.cells),
                })
                .collect(),
            target: self.target_name.clone(),
        }
    }

    fn features(
        &self,
        rows: &[usize],
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Matrix, ReadError> {
        let width = schema.n_features();
        check_memory(&self.file, rows.len(), width, options.limit())?;
        let mut x = vec![0.0; rows.len() * width];
        // In blocks of rows that stay in the cache while one column after the other is put in.
        let block = (32_768 / width.max(1)).clamp(1, 1024);
        let writers = self.writers(rows, schema);
        for (b, chunk) in rows.chunks(block).enumerate() {
            let out = &mut x[b * block * width..][..chunk.len() * width];
            for writer in &writers {
                writer.write(chunk, out, width);
            }
        }
        self.write_sparse(rows, schema, &mut x, width);
        Ok(Matrix::from_vec(x, rows.len(), width))
    }

    fn writers(&self, rows: &[usize], schema: &Schema) -> Vec<Writer<'_>> {
        let mut writers = Vec::with_capacity(self.columns.len());
        let mut offset = 0;
        for (raw, column) in self.columns.iter().zip(&schema.columns) {
            match (&raw.cells, &column.kind) {
                (Cells::Numbers(numbers), ColumnKind::Numeric { fill }) => {
                    writers.push(Writer::Numbers {
                        numbers,
                        fill: *fill,
                        offset,
                    })
                }
                (Cells::Text(text), _) => writers.push(Writer::Text {
                    text,
                    new_code: sorted_levels(text, rows).1,
                    offset,
                }),
                _ => {}
            }
            offset += width_of(&column.kind);
        }
        writers
    }

    fn write_sparse(&self, rows: &[usize], schema: &Schema, x: &mut [f64], width: usize) {
        let mut offset = 0;
        for (raw, column) in self.columns.iter().zip(&schema.columns) {
            if let (Cells::Sparse(sparse), ColumnKind::Numeric { fill }) =
                (&raw.cells, &column.kind)
            {
                for (&row, &value) in sparse.rows.iter().zip(&sparse.values) {
                    if let Some(i) = place(rows, row) {
                        x[i * width + offset] = if value.is_nan() { *fill } else { value };
                    }
                }
            }
            offset += width_of(&column.kind);
        }
    }
}

/// Refuses a matrix that does not fit the memory limit.
pub(crate) fn check_memory(
    file: &str,
    rows: usize,
    width: usize,
    limit: u64,
) -> Result<(), ReadError> {
    let needed = (rows as u64).saturating_mul(width as u64).saturating_mul(8);
    if needed <= limit {
        return Ok(());
    }
    let message = format!(
        "{} of {} need {} of memory, the limit is {}",
        count(rows, "row"),
        count(width, "feature"),
        bytes(needed),
        bytes(limit)
    );
    Err(ReadError::new(file, message)
        .hint("Leave out columns with --drop, use fewer rows, or raise the limit with --memory."))
}

/// The place of a row of the file among the rows that stay.
fn place(rows: &[usize], row: usize) -> Option<usize> {
    // Nothing left out before it: the common case, without a search.
    if rows.get(row) == Some(&row) {
        return Some(row);
    }
    rows.binary_search(&row).ok()
}

/// Puts a column into rows of features.
enum Writer<'a> {
    Numbers {
        numbers: &'a Numbers,
        fill: f64,
        offset: usize,
    },
    Text {
        text: &'a Text,
        new_code: Vec<usize>,
        offset: usize,
    },
}

impl Writer<'_> {
    fn write(&self, rows: &[usize], out: &mut [f64], width: usize) {
        let out = out.chunks_exact_mut(width);
        match self {
            Self::Numbers {
                numbers,
                fill,
                offset,
            } => {
                for (&row, out) in rows.iter().zip(out) {
                    let value = numbers.values[row];
                    out[*offset] = if value.is_nan() { *fill } else { value };
                }
            }
            Self::Text {
                text,
                new_code,
                offset,
            } => {
                for (&row, out) in rows.iter().zip(out) {
                    let code = text.codes[row];
                    if code != MISSING {
                        out[offset + new_code[code as usize]] = 1.0;
                    }
                }
            }
        }
    }
}

fn width_of(kind: &ColumnKind) -> usize {
    match kind {
        ColumnKind::Numeric { .. } => 1,
        ColumnKind::Categorical { levels } => levels.len(),
    }
}

/// The levels that occur in some rows, in the order in which classes are sorted, and the place of
/// every level among them.
fn sorted_levels(text: &Text, rows: &[usize]) -> (Vec<String>, Vec<usize>) {
    let mut occurs = vec![false; text.levels.len()];
    for &row in rows {
        if text.codes[row] != MISSING {
            occurs[text.codes[row] as usize] = true;
        }
    }
    let used: Vec<usize> = (0..occurs.len()).filter(|&l| occurs[l]).collect();
    let names: Vec<&str> = used.iter().map(|&l| text.levels[l].as_str()).collect();
    let sorted = Labels::from_text(&names);
    let mut new_code = vec![usize::MAX; occurs.len()];
    for (&level, &code) in used.iter().zip(sorted.codes()) {
        new_code[level] = code;
    }
    (sorted.classes().to_vec(), new_code)
}

/// Mean of the values that are not missing; finite whenever they are.
fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let known = values.filter(|v| !v.is_nan());
    let (mut sum, mut n) = (0.0, 0.0);
    for v in known.clone() {
        sum += v;
        n += 1.0;
    }
    if n == 0.0 {
        0.0
    } else if sum.is_finite() {
        sum / n
    } else {
        known.map(|v| v / n).sum()
    }
}

fn sparse_mean(sparse: &Sparse, rows: &[usize]) -> f64 {
    let kept = sparse
        .rows
        .iter()
        .zip(&sparse.values)
        .filter(|(r, _)| place(rows, **r).is_some());
    let stored: Vec<f64> = kept.map(|(_, &v)| v).collect();
    let missing = stored.iter().filter(|v| v.is_nan()).count();
    let known = rows.len() - missing;
    if known == 0 {
        return 0.0;
    }
    mean(stored.iter().copied()) * ((stored.len() - missing) as f64 / known as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_do_not_overflow_and_pass_over_missing_values() {
        assert_eq!(mean([1.0, f64::NAN, 3.0].into_iter()), 2.0);
        assert_eq!(mean([f64::NAN].into_iter()), 0.0);
        let huge = mean([f64::MAX, f64::MAX, -f64::MAX / 2.0].into_iter());
        assert!((huge / f64::MAX - 0.5).abs() < 1e-15);
        let sparse = Sparse {
            rows: vec![0, 2, 3],
            values: vec![2.0, 4.0, f64::NAN],
        };
        assert_eq!(sparse_mean(&sparse, &[0, 1, 2, 3]), 2.0);
        assert_eq!(sparse_mean(&sparse, &[1, 2]), 2.0);
    }
}
