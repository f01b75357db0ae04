//! Class labels and their codes.

use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The class of every row as a code in `0..classes.len()`, and the labels as the user wrote them.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    codes: Vec<usize>,
    classes: Vec<String>,
}

/// Integers that are classes of their own, however few rows each of them has.
const FEW_INTEGERS: usize = 50;
/// Numbers with fractions that are.
const FEW_FRACTIONS: usize = 20;
/// The most classes whose names are numbers.
const MOST_NUMBERS: usize = 1000;

/// Whether the different values of a target are measurements rather than classes: numbers, many of
/// them, and most of them in one row only. A thousand classes of a few rows each are classes.
pub fn are_measurements<S: AsRef<str>>(values: &[S], n_rows: usize) -> bool {
    let is = |test: fn(&str) -> bool| values.iter().all(|v| test(v.as_ref()));
    if !is(|v| v.parse::<f64>().is_ok()) {
        return false;
    }
    let few = match is(|v| v.parse::<i64>().is_ok()) {
        true => FEW_INTEGERS,
        false => FEW_FRACTIONS,
    };
    values.len() > MOST_NUMBERS || (values.len() > few && 2 * values.len() > n_rows)
}

impl Labels {
    /// Assigns codes to labels. Classes are sorted: as numbers when all of them are integers,
    /// otherwise as text.
    pub fn from_text<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut first_seen: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let raw: Vec<usize> = labels
            .iter()
            .map(|l| {
                *first_seen.entry(l.as_ref()).or_insert_with(|| {
                    names.push(l.as_ref());
                    names.len() - 1
                })
            })
            .collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| compare_labels(names[a], names[b]));
        // A mix of numbers and text has no consistent order: sort by number only if all labels are
        // numbers.
        if names.iter().any(|n| n.parse::<i64>().is_err()) {
            order.sort_by(|&a, &b| names[a].cmp(names[b]));
        }
        let mut code_of = vec![0; names.len()];
        for (code, &index) in order.iter().enumerate() {
            code_of[index] = code;
        }
        Self {
            codes: raw.into_iter().map(|r| code_of[r]).collect(),
            classes: order.into_iter().map(|i| names[i].to_string()).collect(),
        }
    }

    /// Uses the given codes and class names.
    pub fn from_codes(codes: Vec<usize>, classes: Vec<String>) -> Result<Self> {
        if let Some(bad) = codes.iter().find(|&&c| c >= classes.len()) {
            return Err(Error::Data(format!(
                "class code {bad} where there are {} classes",
                classes.len()
            )));
        }
        Ok(Self { codes, classes })
    }

    /// Class code of every row.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Class names, in the order of the codes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// Number of rows in each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for &c in &self.codes {
            counts[c] += 1;
        }
        counts
    }

    /// The labels of some rows. All classes are kept, even those without rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            codes: rows.iter().map(|&i| self.codes[i]).collect(),
            classes: self.classes.clone(),
        }
    }

    /// Drops classes without rows. Returns the labels and the former code of each remaining class.
    pub fn compact(&self) -> (Self, Vec<usize>) {
        let kept: Vec<usize> = (0..self.n_classes())
            .filter(|&c| self.counts()[c] > 0)
            .collect();
        let mut code_of = vec![usize::MAX; self.n_classes()];
        for (new, &old) in kept.iter().enumerate() {
            code_of[old] = new;
        }
        let labels = Self {
            codes: self.codes.iter().map(|&c| code_of[c]).collect(),
            classes: kept.iter().map(|&c| self.classes[c].clone()).collect(),
        };
        (labels, kept)
    }
}

fn compare_labels(a: &str, b: &str) -> Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        // "1" and "01" are different labels with the same value, so the text decides.
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_hardly_repeat_are_measurements() {
        let integers = |n: usize| (0..n).map(|i| (7 * i).to_string()).collect::<Vec<_>>();
        assert!(are_measurements(&integers(950), 1000));
        assert!(are_measurements(&integers(51), 60));
        // Few numbers, or many of a few rows each, are classes; so are names with digits in them.
        assert!(!are_measurements(&integers(50), 60));
        assert!(!are_measurements(&integers(1000), 2000));
        assert!(are_measurements(&integers(1001), 1_000_000));
        let ids: Vec<String> = integers(950).iter().map(|i| format!("id{i}")).collect();
        assert!(!are_measurements(&ids, 1000));
        let fractions = |n: usize| (0..n).map(|i| format!("{i}.5")).collect::<Vec<_>>();
        assert!(are_measurements(&fractions(21), 41) && !are_measurements(&fractions(20), 20));
        assert!(!are_measurements(&fractions(21), 42));
    }

    #[test]
    fn integer_labels_sort_as_numbers_and_text_as_text() {
        let l = Labels::from_text(&["10", "9", "-1", "10"]);
        assert_eq!(l.classes(), ["-1", "9", "10"]);
        assert_eq!(l.codes(), [2, 1, 0, 2]);
        let l = Labels::from_text(&["b", "10", "a", "9"]);
        assert_eq!(l.classes(), ["10", "9", "a", "b"]);
        let l = Labels::from_text(&["1", "01", "1.0"]);
        assert_eq!(l.n_classes(), 3);
    }

    #[test]
    fn compact_drops_empty_classes_and_says_which_stay() {
        let l = Labels::from_text(&["a", "b", "c"]).select(&[2, 0]);
        let (c, kept) = l.compact();
        assert_eq!(kept, [0, 2]);
        assert_eq!(c.codes(), [1, 0]);
        assert_eq!(c.classes(), ["a", "c"]);
    }
}
