//! The row-major matrix and a borrowed, possibly transposed view of it.

use crate::buffer;
use std::ops::{Index, IndexMut, Range};

/// A dense `rows x cols` matrix of `f64`, stored row by row.
#[derive(Debug, Default, PartialEq)]
pub struct Matrix {
    data: Vec<f64>,
    rows: usize,
    cols: usize,
}

impl Clone for Matrix {
    fn clone(&self) -> Self {
        Self {
            data: buffer::copy(&self.data),
            rows: self.rows,
            cols: self.cols,
        }
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self {
            data: buffer::zeros(rows * cols),
            rows,
            cols,
        }
    }

    /// The identity of order `n`.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// Wraps a row-major buffer.
    ///
    /// # Panics
    /// When the buffer does not hold `rows * cols` numbers.
    pub fn from_vec(data: Vec<f64>, rows: usize, cols: usize) -> Self {
        assert_eq!(
            data.len(),
            rows * cols,
            "buffer of a {rows} x {cols} matrix"
        );
        Self { data, rows, cols }
    }

    /// Entry `(i, j)` is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                data.push(f(i, j));
            }
        }
        Self { data, rows, cols }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, writable.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// The rows, from the first to the last (none when there are no columns).
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.data.chunks_exact(self.cols.max(1))
    }

    /// Column `j`, copied.
    pub fn column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// The buffer, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// The buffer, writable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Returns the buffer.
    pub fn into_vec(self) -> Vec<f64> {
        self.data
    }

    /// A view of the whole.
    pub fn view(&self) -> View<'_> {
        View {
            data: &self.data,
            rows: self.rows,
            cols: self.cols,
            stride: self.cols,
            transposed: false,
        }
    }

    /// A view of some consecutive rows.
    pub fn rows_view(&self, range: Range<usize>) -> View<'_> {
        View {
            data: &self.data[range.start * self.cols..range.end * self.cols],
            rows: range.len(),
            cols: self.cols,
            stride: self.cols,
            transposed: false,
        }
    }

    /// A transposed copy.
    pub fn transpose(&self) -> Self {
        let mut out = Self::zeros(self.cols, self.rows);
        const B: usize = 32; // a block of both matrices stays in the first-level cache
        for i0 in (0..self.rows).step_by(B) {
            for j0 in (0..self.cols).step_by(B) {
                for i in i0..(i0 + B).min(self.rows) {
                    for j in j0..(j0 + B).min(self.cols) {
                        out.data[j * self.rows + i] = self.data[i * self.cols + j];
                    }
                }
            }
        }
        out
    }

    /// The rows named in `index`, in that order.
    pub fn select_rows(&self, index: &[usize]) -> Self {
        let mut data = Vec::with_capacity(index.len() * self.cols);
        for &i in index {
            data.extend_from_slice(self.row(i));
        }
        Self::from_vec(data, index.len(), self.cols)
    }

    /// The columns named in `index`, in that order.
    pub fn select_columns(&self, index: &[usize]) -> Self {
        let mut data = Vec::with_capacity(index.len() * self.rows);
        for i in 0..self.rows {
            let row = self.row(i);
            data.extend(index.iter().map(|&j| row[j]));
        }
        Self::from_vec(data, self.rows, index.len())
    }

    /// Largest absolute entry, 0 for an empty matrix.
    pub fn max_abs(&self) -> f64 {
        self.data.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(j < self.cols);
        &self.data[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(j < self.cols);
        &mut self.data[i * self.cols + j]
    }
}

/// A borrowed matrix: rows of a row-major buffer, possibly transposed, possibly with gaps between
/// the rows.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    data: &'a [f64],
    // Shape and stride of the stored rows; `transposed` swaps the shape for the caller.
    rows: usize,
    cols: usize,
    stride: usize,
    transposed: bool,
}

impl<'a> View<'a> {
    /// A view of a row-major buffer whose rows start `stride` apart.
    ///
    /// # Panics
    /// When the buffer is too short.
    pub fn new(data: &'a [f64], rows: usize, cols: usize, stride: usize) -> Self {
        assert!(
            rows == 0 || (stride >= cols && data.len() >= (rows - 1) * stride + cols),
            "buffer of a {rows} x {cols} view with row stride {stride}"
        );
        Self {
            data,
            rows,
            cols,
            stride,
            transposed: false,
        }
    }

    /// The transpose. Nothing is copied.
    pub fn t(self) -> Self {
        Self {
            transposed: !self.transposed,
            ..self
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        if self.transposed {
            self.cols
        } else {
            self.rows
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        if self.transposed {
            self.rows
        } else {
            self.cols
        }
    }

    /// Some consecutive rows of the view.
    pub(crate) fn row_range(self, range: Range<usize>) -> Self {
        if self.transposed {
            Self {
                data: &self.data[range.start.min(self.data.len())..],
                cols: range.len(),
                ..self
            }
        } else {
            Self {
                data: &self.data[(range.start * self.stride).min(self.data.len())..],
                rows: range.len(),
                ..self
            }
        }
    }

    /// The backend's view of the same numbers.
    pub(crate) fn backend(self) -> faer::MatRef<'a, f64> {
        // The backend needs a slice that ends with the last entry of the last row.
        let needed = if self.rows == 0 || self.cols == 0 {
            0
        } else {
            (self.rows - 1) * self.stride + self.cols
        };
        let m = if needed == 0 {
            faer::MatRef::from_row_major_slice(&[], self.rows, self.cols)
        } else {
            faer::MatRef::from_row_major_slice_with_stride(
                &self.data[..needed],
                self.rows,
                self.cols,
                self.stride,
            )
        };
        if self.transposed { m.transpose() } else { m }
    }
}
