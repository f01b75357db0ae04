//! Rows counted by class, from which error, balanced accuracy, F1 and Matthews' correlation follow.

/// Sums of row weights by class: observed, predicted, and both.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    observed: Vec<f64>,
    predicted: Vec<f64>,
    right: Vec<f64>,
}

impl Tally {
    /// No rows yet.
    pub fn new(n_classes: usize) -> Self {
        Self {
            observed: vec![0.0; n_classes],
            predicted: vec![0.0; n_classes],
            right: vec![0.0; n_classes],
        }
    }

    /// Of these rows, each of weight 1.
    pub fn of(predicted: &[usize], observed: &[usize], n_classes: usize) -> Self {
        let mut tally = Self::new(n_classes);
        let pairs = observed.iter().zip(predicted);
        pairs.for_each(|(&o, &p)| tally.add(o, p, 1.0));
        tally
    }

    /// Adds a row.
    pub fn add(&mut self, observed: usize, predicted: usize, weight: f64) {
        self.observed[observed] += weight;
        self.predicted[predicted] += weight;
        if observed == predicted {
            self.right[observed] += weight;
        }
    }

    /// Adds the rows of another tally of the same classes.
    pub fn merge(&mut self, other: &Self) {
        let sum = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        sum(&mut self.observed, &other.observed);
        sum(&mut self.predicted, &other.predicted);
        sum(&mut self.right, &other.right);
    }

    /// The weight of all rows.
    pub fn total(&self) -> f64 {
        self.observed.iter().sum()
    }

    /// Whether a class is ever predicted.
    pub fn is_predicted(&self, class: usize) -> bool {
        self.predicted[class] > 0.0
    }

    /// Share of the rows of a class that are predicted as such; `None` if there are none.
    pub fn recall(&self, class: usize) -> Option<f64> {
        (self.observed[class] > 0.0).then(|| self.right[class] / self.observed[class])
    }

    /// Share of the predictions of a class that are right; `None` if there are none.
    pub fn precision(&self, class: usize) -> Option<f64> {
        (self.predicted[class] > 0.0).then(|| self.right[class] / self.predicted[class])
    }

    /// Share of rows that are predicted wrongly; 0 if there are no rows.
    pub fn error(&self) -> f64 {
        match self.total() {
            0.0 => 0.0,
            total => ((total - self.right.iter().sum::<f64>()) / total).max(0.0),
        }
    }

    /// Mean recall of the classes that occur.
    pub fn balanced_accuracy(&self) -> f64 {
        let classes = 0..self.observed.len();
        let recalls: Vec<f64> = classes.filter_map(|c| self.recall(c)).collect();
        recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
    }

    /// `2 right / (observed + predicted)` of a class, the harmonic mean of precision and recall; 0
    /// if it neither occurs nor is predicted.
    pub fn f1(&self, class: usize) -> f64 {
        let sum = self.observed[class] + self.predicted[class];
        if sum > 0.0 {
            2.0 * self.right[class] / sum
        } else {
            0.0
        }
    }

    /// Mean F1 of the classes that occur or are predicted.
    pub fn macro_f1(&self) -> f64 {
        let seen = |c: &usize| self.observed[*c] + self.predicted[*c] > 0.0;
        let each: Vec<f64> = (0..self.observed.len())
            .filter(seen)
            .map(|c| self.f1(c))
            .collect();
        each.iter().sum::<f64>() / each.len().max(1) as f64
    }

    /// Matthews' correlation coefficient of observed and predicted classes, for any number of them
    /// (Gorodkin 2004); 0 if all rows are observed or predicted as one class.
    pub fn mcc(&self) -> f64 {
        let total = self.total();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let right: f64 = self.right.iter().sum();
        let covariance = right * total - dot(&self.observed, &self.predicted);
        let spread = |v: &[f64]| (total * total - dot(v, v)).max(0.0);
        let scale = (spread(&self.observed) * spread(&self.predicted)).sqrt();
        // A single class leaves nothing but rounding.
        if scale > 1e-12 * total * total {
            covariance / scale
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{balanced_accuracy, error_rate};

    #[test]
    fn small_cases_by_hand() {
        let (predicted, observed) = ([0, 1, 1, 2, 0], [0, 1, 2, 2, 1]);
        let tally = Tally::of(&predicted, &observed, 4);
        assert!((tally.error() - error_rate(&predicted, &observed)).abs() < 1e-15);
        let balanced = balanced_accuracy(&predicted, &observed, 4);
        assert!((tally.balanced_accuracy() - balanced).abs() < 1e-15);
        // Class 0: one right of one observed and two predicted.
        assert_eq!(
            (tally.recall(0), tally.precision(0)),
            (Some(1.0), Some(0.5))
        );
        assert!((tally.f1(0) - 2.0 / 3.0).abs() < 1e-15);
        assert!((tally.macro_f1() - (2.0 / 3.0 + 0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
        assert!(!tally.is_predicted(3) && tally.recall(3).is_none());
    }

    #[test]
    fn mcc_of_two_classes_is_the_correlation() {
        // 3 of 5 positives found, 2 false alarms among 10 negatives: tp 3, fn 2, fp 2, tn 8.
        let observed: Vec<usize> = (0..15).map(|i| usize::from(i < 5)).collect();
        let predicted: Vec<usize> = (0..15)
            .map(|i| usize::from(!(3..=12).contains(&i)))
            .collect();
        let tally = Tally::of(&predicted, &observed, 2);
        let (tp, fne, fp, tn) = (3.0, 2.0, 2.0, 8.0f64);
        let by_hand =
            (tp * tn - fp * fne) / ((tp + fp) * (tp + fne) * (tn + fp) * (tn + fne)).sqrt();
        assert!((tally.mcc() - by_hand).abs() < 1e-14);
        assert_eq!(Tally::of(&[0; 15], &observed, 2).mcc(), 0.0);
        assert!((Tally::of(&observed, &observed, 2).mcc() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn weights_count_as_copies_and_parts_add_up() {
        let mut weighted = Tally::new(3);
        let mut copies = Tally::new(3);
        let mut parts = [Tally::new(3), Tally::new(3)];
        for i in 0..30usize {
            let (observed, predicted, weight) = (i % 3, (i * i) % 3, 1 + i % 2);
            weighted.add(observed, predicted, weight as f64);
            parts[i % 2].add(observed, predicted, weight as f64);
            (0..weight).for_each(|_| copies.add(observed, predicted, 1.0));
        }
        let [mut first, second] = parts;
        first.merge(&second);
        assert_eq!(weighted, copies);
        assert_eq!(first, copies);
    }
}
