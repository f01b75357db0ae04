//! Assembles the matrix of features where every column is one feature, column by column.

use super::{RawTable, check_memory, place};
use crate::columns::{Cells, Numbers};
use crate::error::ReadError;
use crate::options::ReadOptions;
use kernsieve::data::{Column, ColumnKind, Schema};
use kernsieve::linalg::Matrix;

impl RawTable {
    pub(super) fn features(
        &self,
        rows: &[usize],
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Matrix, ReadError> {
        let width = schema.n_features();
        check_memory(&self.file, rows.len(), width, options.limit())?;
        let mut x = vec![0.0; rows.len() * width];
        // Blocks of rows stay in the cache while the columns are written one after the other.
        let block = (32_768 / width.max(1)).clamp(1, 1024);
        let writers = self.writers();
        for (b, chunk) in rows.chunks(block).enumerate() {
            let out = &mut x[b * block * width..][..chunk.len() * width];
            for writer in &writers {
                writer.write(chunk, &schema.columns[writer.offset], out, width);
            }
        }
        self.write_sparse(rows, schema, &mut x, width);
        Ok(Matrix::from_vec(x, rows.len(), width))
    }

    fn writers(&self) -> Vec<Writer<'_>> {
        let columns = self.columns.iter().enumerate();
        let numbers = columns.filter_map(|(offset, raw)| match &raw.cells {
            Cells::Numbers(numbers) => Some((numbers, offset)),
            _ => None,
        });
        numbers
            .map(|(numbers, offset)| Writer { numbers, offset })
            .collect()
    }

    fn write_sparse(&self, rows: &[usize], schema: &Schema, x: &mut [f64], width: usize) {
        for (offset, (raw, column)) in self.columns.iter().zip(&schema.columns).enumerate() {
            if let Cells::Sparse(sparse) = &raw.cells {
                for (&row, &value) in sparse.rows.iter().zip(&sparse.values) {
                    if let Some(i) = place(rows, row) {
                        x[i * width + offset] = or_fill(value, column);
                    }
                }
            }
        }
    }
}

/// A column of numbers.
struct Writer<'a> {
    numbers: &'a Numbers,
    offset: usize,
}

impl Writer<'_> {
    fn write(&self, rows: &[usize], column: &Column, out: &mut [f64], width: usize) {
        for (&row, out) in rows.iter().zip(out.chunks_exact_mut(width)) {
            out[self.offset] = or_fill(self.numbers.values[row], column);
        }
    }
}

/// A number, or what fills its gap.
fn or_fill(value: f64, column: &Column) -> f64 {
    match &column.kind {
        ColumnKind::Numeric { fill } | ColumnKind::Boolean { fill } if value.is_nan() => *fill,
        _ => value,
    }
}
