//! Turns raw columns into a data set and the schema that describes it.

mod features;
mod settle;

use crate::columns::{Cells, MISSING, Sparse, Text};
use crate::error::{ReadError, Spot, bytes, count, show};
use crate::options::{FeatureData, ReadOptions, TrainingData};
use crate::records::Declared;
use kernsieve::data::{Column, ColumnKind, Dataset, Labels, Schema};

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
                    "the column holds text ({}), but every column must hold numbers here",
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
