//! Rows of a symmetric matrix that is too large to keep: computed when asked for, the most recently used ones kept.

use super::smo::KernelRows;

/// Computes a row.
type Fill<'a> = Box<dyn Fn(usize, &mut [f64]) + Send + Sync + 'a>;

/// A bounded cache of rows, least recently used ones replaced first.
pub struct RowCache<'a> {
    fill: Fill<'a>,
    diagonal: Vec<f64>,
    capacity: usize,
    kept: Vec<Kept>,
    /// Position in `kept` of every row, `usize::MAX` where it is not there.
    places: Vec<usize>,
    clock: u64,
}

struct Kept {
    row: usize,
    used: u64,
    values: Vec<f64>,
}

impl<'a> RowCache<'a> {
    /// A matrix with this diagonal whose rows `fill` computes; at most `bytes` of them are kept, and never fewer than two rows, which a step of
    /// [`super::smo`] needs.
    pub fn new(diagonal: Vec<f64>, bytes: u64, fill: impl Fn(usize, &mut [f64]) + Send + Sync + 'a) -> Self {
        let n = diagonal.len();
        let fits = bytes / (8 * n.max(1) as u64);
        Self {
            fill: Box::new(fill),
            capacity: usize::try_from(fits).unwrap_or(usize::MAX).clamp(2, n.max(2)),
            kept: Vec::new(),
            places: vec![usize::MAX; n],
            diagonal,
            clock: 0,
        }
    }

    /// Where the values of a row that is not there can go.
    fn room(&mut self) -> usize {
        if self.kept.len() < self.capacity {
            self.kept.push(Kept {
                row: usize::MAX,
                used: 0,
                values: vec![0.0; self.diagonal.len()],
            });
            return self.kept.len() - 1;
        }
        let oldest = (0..self.kept.len()).min_by_key(|&k| self.kept[k].used).unwrap_or(0);
        self.places[self.kept[oldest].row] = usize::MAX;
        oldest
    }
}

impl KernelRows for RowCache<'_> {
    fn len(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    fn row(&mut self, i: usize) -> &[f64] {
        if self.places[i] == usize::MAX {
            let place = self.room();
            (self.fill)(i, &mut self.kept[place].values);
            self.kept[place].row = i;
            self.places[i] = place;
        }
        self.clock += 1;
        let kept = &mut self.kept[self.places[i]];
        kept.used = self.clock;
        &kept.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn rows_are_right_and_recent_ones_are_not_computed_again() {
        let computed = AtomicUsize::new(0);
        let n = 10;
        let value = |i: usize, j: usize| (i * j) as f64;
        let diagonal = (0..n).map(|i| value(i, i)).collect();
        let mut cache = RowCache::new(diagonal, 8 * 3 * n as u64, |i, row| {
            computed.fetch_add(1, Ordering::Relaxed);
            row.iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j));
        });
        for i in [0, 1, 2, 0, 1, 2, 3, 2, 0, 9, 9, 1] {
            let row = cache.row(i).to_vec();
            assert!((0..n).all(|j| row[j] == value(i, j)), "{i}");
            assert_eq!(cache.diagonal(i), value(i, i));
        }
        // 0, 1, 2 and 3 (in place of 0), 0 (of 1), 9 (of 3), 1 (of 2).
        assert_eq!(computed.load(Ordering::Relaxed), 7);
        assert_eq!(cache.kept.len(), 3);
    }

    #[test]
    fn two_rows_fit_into_nothing() {
        let mut cache = RowCache::new(vec![1.0; 5], 0, |i, row| row.fill(i as f64));
        for i in [4, 2, 4, 0] {
            assert_eq!(cache.row(i), [i as f64; 5]);
        }
        assert_eq!(cache.kept.len(), 2);
    }
}
