//! Rows of a matrix that are computed on demand; the most recently used ones are kept.

/// A bounded cache of rows. The least recently used row is replaced first.
pub struct RowCache {
    n: usize,
    capacity: usize,
    kept: Vec<Kept>,
    /// Position of every row in `kept`; `usize::MAX` for a row that is not cached.
    places: Vec<usize>,
    /// Positions in `kept` that are free for reuse.
    unused: Vec<usize>,
    clock: u64,
}

struct Kept {
    row: usize,
    used: u64,
    values: Vec<f64>,
}

impl RowCache {
    /// A cache for rows of a matrix of order `n` in at most `bytes`. It always holds at least two
    /// rows, because a step of [`super::smo`] needs two.
    pub fn new(n: usize, bytes: u64) -> Self {
        let fits = bytes / (8 * n.max(1) as u64);
        Self {
            n,
            capacity: usize::try_from(fits)
                .unwrap_or(usize::MAX)
                .clamp(2, n.max(2)),
            kept: Vec::new(),
            places: vec![usize::MAX; n],
            unused: Vec::new(),
            clock: 0,
        }
    }

    /// Empties the cache and keeps its memory, for another matrix of the same order.
    pub fn cleared(mut self) -> Self {
        self.places.fill(usize::MAX);
        self.unused = (0..self.kept.len()).rev().collect();
        self
    }

    /// Row `i`. `fill` computes it if it is not cached.
    pub fn get(&mut self, i: usize, fill: impl FnOnce(&mut [f64])) -> &[f64] {
        if self.places[i] == usize::MAX {
            let place = self.room();
            fill(&mut self.kept[place].values);
            self.kept[place].row = i;
            self.places[i] = place;
        }
        self.clock += 1;
        let kept = &mut self.kept[self.places[i]];
        kept.used = self.clock;
        &kept.values
    }

    /// A position for a new row: a free one, a new one, or that of the least recently used row.
    fn room(&mut self) -> usize {
        if let Some(place) = self.unused.pop() {
            return place;
        }
        if self.kept.len() < self.capacity {
            self.kept.push(Kept {
                row: usize::MAX,
                used: 0,
                values: vec![0.0; self.n],
            });
            return self.kept.len() - 1;
        }
        let oldest = (0..self.kept.len())
            .min_by_key(|&k| self.kept[k].used)
            .unwrap_or(0);
        self.places[self.kept[oldest].row] = usize::MAX;
        oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for rows of the matrix `factor i j`; how many had to be computed.
    fn computed(cache: &mut RowCache, order: &[usize], factor: f64) -> usize {
        let mut count = 0;
        for &i in order {
            let row = cache.get(i, |row| {
                count += 1;
                row.iter_mut()
                    .enumerate()
                    .for_each(|(j, v)| *v = factor * (i * j) as f64);
            });
            assert!(
                (0..row.len()).all(|j| row[j] == factor * (i * j) as f64),
                "{i}"
            );
        }
        count
    }

    #[test]
    fn rows_are_right_and_recent_ones_are_not_computed_again() {
        let mut cache = RowCache::new(10, 8 * 3 * 10);
        // 0, 1, 2 and 3 (in place of 0), 0 (of 1), 9 (of 3), 1 (of 2).
        assert_eq!(
            computed(&mut cache, &[0, 1, 2, 0, 1, 2, 3, 2, 0, 9, 9, 1], 1.0),
            7
        );
        assert_eq!(cache.kept.len(), 3);
        let mut cache = cache.cleared();
        assert_eq!(computed(&mut cache, &[9, 1, 1, 9, 0], 2.0), 3);
        assert_eq!(cache.kept.len(), 3);
    }

    #[test]
    fn two_rows_fit_into_nothing() {
        let mut cache = RowCache::new(5, 0);
        assert_eq!(computed(&mut cache, &[4, 2, 4, 0, 2], 1.0), 4);
        assert_eq!(cache.kept.len(), 2);
    }
}
