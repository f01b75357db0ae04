//! Assembles the matrix of features, column by column.

use super::{RawTable, check_memory, place, sorted_levels};
use crate::columns::{Cells, MISSING, Numbers, Text};
use crate::error::ReadError;
use crate::options::ReadOptions;
use kernsieve::data::{ColumnKind, Schema};
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

/// Writes a column to rows of features.
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
