//! Turns raw columns into a data set and the schema that describes it.

mod copies;
mod features;
mod settle;

use crate::columns::{Cells, MISSING, Sparse, Text};
use crate::error::{ReadError, Spot, bytes, count, show};
use crate::options::{FeatureData, ReadOptions, TrainingData};
use crate::records::Declared;
use kernsieve::data::{
    Cells as Known, Column, ColumnKind, Dataset, Labels, Missing, Reading, Schema, Table,
    TableColumn, layout,
};

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

/// One column besides the target.
#[derive(Debug)]
pub(crate) struct RawColumn {
    pub(crate) name: String,
    pub(crate) cells: Cells,
    pub(crate) declared: Declared,
    /// Whether the user declared it categorical.
    pub(crate) forced: bool,
    /// Whether the user wants it, whatever it looks like.
    pub(crate) taken: bool,
    /// What its numbers stand for.
    pub(crate) holds: Holds,
}

/// What numbers stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Themselves.
    Number,
    /// 0 for false, 1 for true.
    Boolean,
    /// Days since 1970-01-01.
    Date,
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
        let refusal = |e: kernsieve::Error| {
            ReadError::new(&self.file, e.to_string())
                .column(&self.target_name)
                .hint("Name the column that holds the classes with --target.")
        };
        let reading = Reading {
            missing: options.missing,
            na: options.na.clone(),
            decimal_comma: options.decimal_comma,
        };
        let (mut dataset, schema) = if self.is_plain() {
            let schema = Schema {
                reading,
                ..self.schema(&rows, options.missing)
            };
            let x = self.features(&rows, &schema, options)?;
            let names = schema.feature_names();
            (Dataset::new(x, labels, names).map_err(refusal)?, schema)
        } else {
            let recipe = options.recipe();
            let table = self.table(&rows, options)?;
            let width = layout(&table, &labels, &recipe, "").n_features();
            check_memory(&self.file, rows.len(), width, options.limit())?;
            if width == 0 {
                let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
                return Err(self
                    .error(format!(
                        "no feature is left: all values of '{}' are rare",
                        names.join("', '")
                    ))
                    .hint(
                        "--rare 1 takes values of single rows, --encode target makes numbers of \
                         all of them.",
                    ));
            }
            let (dataset, schema) =
                Dataset::from_table(table, labels, &recipe, &self.target_name).map_err(refusal)?;
            (dataset, Schema { reading, ..schema })
        };
        self.notices.extend(about_columns(&schema));
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
                    "the column holds text ({}), but every column must hold numbers here",
                    show(value)
                ))
                .column(&column.name)
                .hint(format!("Leave it out with --drop {}.", column.name)));
        }
        let dates = |c: &&RawColumn| c.holds == Holds::Date;
        if let Some(column) = self.columns.iter().find(dates) {
            return Err(self
                .error("the column holds dates, but every column must hold numbers here")
                .column(&column.name)
                .hint(format!("Leave it out with --drop {}.", column.name)));
        }
        let (rows, weights) = self.settle(options)?;
        let schema = Schema {
            target: String::new(),
            ..self.schema(&rows, options.missing)
        };
        Ok(FeatureData {
            x: self.features(&rows, &schema, options)?,
            weights,
            schema,
            rows,
            notices: self.notices,
        })
    }

    /// Whether every feature is a column of numbers without gaps.
    fn is_plain(&self) -> bool {
        self.columns.iter().all(|c| match &c.cells {
            Cells::Numbers(_) | Cells::Sparse(_) => {
                c.holds != Holds::Date && c.cells.missing_rows().is_empty()
            }
            Cells::Text(_) => false,
        })
    }

    /// The columns of some rows.
    fn table(&self, rows: &[usize], options: &ReadOptions) -> Result<Table, ReadError> {
        check_memory(
            &self.file,
            rows.len(),
            2 * self.columns.len(),
            options.limit(),
        )?;
        let column = |c: &RawColumn| {
            let numbers = |values: Vec<f64>| match c.holds {
                Holds::Number => Known::Numbers(values),
                Holds::Boolean => Known::Booleans(values),
                Holds::Date => Known::Dates(values),
            };
            let cells = match &c.cells {
                Cells::Numbers(n) => numbers(rows.iter().map(|&r| n.values[r]).collect()),
                Cells::Sparse(s) => {
                    let mut dense = vec![0.0; rows.len()];
                    for (&row, &value) in s.rows.iter().zip(&s.values) {
                        if let Some(i) = place(rows, row) {
                            dense[i] = value;
                        }
                    }
                    numbers(dense)
                }
                Cells::Text(text) => {
                    let own: Vec<u32> = rows.iter().map(|&r| text.codes[r]).collect();
                    Known::categories(&own, &text.levels)
                }
            };
            TableColumn {
                name: c.name.clone(),
                cells,
            }
        };
        Table::new(self.columns.iter().map(column).collect(), rows.len())
            .map_err(|e| self.error(e.to_string()))
    }

    fn labels(&self, rows: &[usize]) -> Result<Labels, ReadError> {
        let (classes, new_code) = sorted_levels(&self.target, rows);
        let codes = rows
            .iter()
            .map(|&r| new_code[self.target.codes[r] as usize])
            .collect();
        Labels::from_codes(codes, classes).map_err(|e| self.error(e.to_string()))
    }

    /// The schema of columns of numbers.
    fn schema(&self, rows: &[usize], missing: Missing) -> Schema {
        let column = |c: &RawColumn| {
            let fill = match &c.cells {
                Cells::Numbers(n) => {
                    let values = rows.iter().map(|&r| n.values[r]);
                    match missing {
                        Missing::Median | Missing::Indicator => median(values),
                        _ => mean(values),
                    }
                }
                Cells::Sparse(s) => sparse_mean(s, rows),
                Cells::Text(_) => 0.0,
            };
            Column {
                kind: match c.holds {
                    Holds::Boolean => ColumnKind::Boolean { fill },
                    _ => ColumnKind::Numeric { fill },
                },
                ..Column::numeric(&c.name, fill)
            }
        };
        Schema {
            columns: self.columns.iter().map(column).collect(),
            target: self.target_name.clone(),
            reading: Reading::default(),
        }
    }
}

/// What the user should know about the features of columns.
fn about_columns(schema: &Schema) -> Vec<String> {
    let mut notices = vec![];
    for c in &schema.columns {
        if let ColumnKind::Categorical { levels, rare } = &c.kind
            && !rare.is_empty()
        {
            notices.push(match levels.is_empty() {
                true => format!("column '{}' is not used: all its values are rare", c.name),
                false => format!(
                    "column '{}': {} of {} share one state, like values that are not known (--rare \
                     1 keeps them apart)",
                    c.name,
                    count(rare.len(), "rare value"),
                    levels.len() + rare.len(),
                ),
            });
        }
    }
    notices
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

/// The position of a row of the file among the rows that are kept.
fn place(rows: &[usize], row: usize) -> Option<usize> {
    // The common case, without a search: no row before it was left out.
    if rows.get(row) == Some(&row) {
        return Some(row);
    }
    rows.binary_search(&row).ok()
}

/// The levels that occur in some rows, sorted like classes, and the position of every level among
/// them.
pub(super) fn sorted_levels(text: &Text, rows: &[usize]) -> (Vec<String>, Vec<usize>) {
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

/// Median of the values that are not missing.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut known: Vec<f64> = values.filter(|v| !v.is_nan()).collect();
    known.sort_by(f64::total_cmp);
    match known.len() {
        0 => 0.0,
        n if n % 2 == 1 => known[n / 2],
        n => known[n / 2 - 1] / 2.0 + known[n / 2] / 2.0,
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
