//! Areas below receiver operating characteristics, of any number of rows.

use kernsieve::metrics::{auc, macro_auc, mean_auc};

/// Numbers that are kept: 32 MiB of them.
const EXACT: usize = 1 << 22;
/// Bins of all classes together beyond that.
const BINS: usize = 1 << 22;
/// Bins cover log odds up to this size; those beyond are ties.
const WIDEST: f64 = 40.0;

/// Probabilities of rows. Up to some million of them are kept; more are counted in bins of their
/// log odds, and ties within a bin count as halves: the area is then right to some 1e-4.
pub struct Areas {
    n_classes: usize,
    /// Row by row.
    probabilities: Vec<f64>,
    truth: Vec<usize>,
    /// For every class, in every bin: rows of other classes, and its own.
    bins: Vec<[u64; 2]>,
}

impl Areas {
    /// Of no rows.
    pub fn new(n_classes: usize) -> Self {
        Self {
            n_classes,
            probabilities: vec![],
            truth: vec![],
            bins: vec![],
        }
    }

    /// Adds a row; its class need not be one of the model.
    pub fn add(&mut self, probabilities: &[f64], class: usize) {
        if !self.bins.is_empty() {
            return self.count(probabilities, class);
        }
        self.probabilities.extend_from_slice(probabilities);
        self.truth.push(class);
        if self.probabilities.len() > EXACT {
            self.bins = vec![[0; 2]; self.n_classes * self.per_class()];
            let rows = std::mem::take(&mut self.probabilities);
            let truth = std::mem::take(&mut self.truth);
            for (row, class) in rows.chunks_exact(self.n_classes).zip(truth) {
                self.count(row, class);
            }
        }
    }

    /// Bins of a class.
    fn per_class(&self) -> usize {
        (BINS / self.n_classes).clamp(1 << 10, 1 << 16)
    }

    fn count(&mut self, probabilities: &[f64], class: usize) {
        let bins = self.per_class();
        for (k, p) in probabilities.iter().enumerate() {
            let odds = (p / (1.0 - p)).ln().clamp(-WIDEST, WIDEST);
            let place = (odds + WIDEST) / (2.0 * WIDEST) * (bins - 1) as f64;
            self.bins[k * bins + place as usize][usize::from(k == class)] += 1;
        }
    }

    /// The area of two classes, or the mean over classes of each against the rest.
    pub fn mean(&self) -> Option<f64> {
        if self.bins.is_empty() {
            let rows = self.probabilities.chunks_exact(self.n_classes);
            return macro_auc(rows, &self.truth, None, self.n_classes);
        }
        let bins = self.per_class();
        mean_auc(self.n_classes, |class| {
            let own = self.bins[class * bins..(class + 1) * bins]
                .iter()
                .enumerate();
            auc(own.flat_map(|(place, counts)| {
                let side = |k: usize| (place as f64, k == 1, counts[k] as f64);
                [side(0), side(1)].into_iter().filter(|(_, _, n)| *n > 0.0)
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_give_the_area_of_the_rows() {
        for c in [2usize, 3] {
            let (mut areas, mut rows, mut truth) = (Areas::new(c), vec![], vec![]);
            let mut state = 1u64;
            let mut uniform = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            for i in 0..20_000 {
                let class = i % c;
                let raw: Vec<f64> = (0..c)
                    .map(|k| (8.0 * uniform() + 2.0 * f64::from(k == class)).exp())
                    .collect();
                let sum: f64 = raw.iter().sum();
                rows.extend(raw.iter().map(|v| v / sum));
                truth.push(class);
            }
            areas.bins = vec![[0; 2]; c * areas.per_class()];
            for (row, &class) in rows.chunks_exact(c).zip(&truth) {
                areas.add(row, class);
            }
            let exact = macro_auc(rows.chunks_exact(c), &truth, None, c).expect("areas");
            let binned = areas.mean().expect("areas");
            assert!((exact - binned).abs() < 1e-4, "{exact} {binned}");
            assert!(areas.probabilities.is_empty());
        }
        // Certain probabilities have a place, and a class of no rows has no area.
        let mut certain = Areas::new(2);
        certain.bins = vec![[0; 2]; 2 * certain.per_class()];
        certain.add(&[1.0, 0.0], 0);
        assert_eq!(certain.mean(), None);
        certain.add(&[0.0, 1.0], 1);
        assert_eq!(certain.mean(), Some(1.0));
    }

    #[test]
    fn many_rows_are_counted() {
        let mut areas = Areas::new(2);
        for i in 0..EXACT / 2 + 10 {
            let p = if i % 2 == 0 { 0.3 } else { 0.6 };
            areas.add(&[1.0 - p, p], i % 2);
        }
        assert!(areas.probabilities.is_empty() && !areas.bins.is_empty());
        assert_eq!(areas.mean(), Some(1.0));
    }
}
