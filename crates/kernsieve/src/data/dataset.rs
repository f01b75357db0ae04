//! Rows of numbers and their class labels.

use super::columns::{Learnt, Recipe, Schema, Source, Table};
use super::folds::{Split, block_folds, block_split, stratified_folds, stratified_split};
use super::labels::Labels;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Features and labels that have been checked: every value is finite, and there are at least two
/// classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    x: Matrix,
    labels: Labels,
    feature_names: Vec<String>,
    weights: Option<Vec<f64>>,
    blocks: Option<Vec<usize>>,
    splits: Option<Vec<Split>>,
    columns: Option<Columns>,
}

/// The columns that the features are made of, where that depends on the training rows.
#[derive(Clone, Debug, PartialEq)]
struct Columns {
    source: Arc<Source>,
    /// The row of the table that each row is.
    rows: Vec<usize>,
}

impl Columns {
    fn rows(&self, of: &[usize]) -> Vec<usize> {
        of.iter().map(|&i| self.rows[i]).collect()
    }
}

impl Dataset {
    /// Checks and stores features (`n x p`) and labels.
    pub fn new(x: Matrix, labels: Labels, feature_names: Vec<String>) -> Result<Self> {
        if x.rows() != labels.len() {
            return Err(Error::Data(format!(
                "{} rows but {} labels",
                x.rows(),
                labels.len()
            )));
        }
        if feature_names.len() != x.cols() {
            return Err(Error::Data(format!(
                "{} features but {} feature names",
                x.cols(),
                feature_names.len()
            )));
        }
        let mut seen = HashSet::with_capacity(feature_names.len());
        if let Some(twice) = feature_names.iter().find(|name| !seen.insert(*name)) {
            return Err(Error::Data(format!(
                "two features are called '{twice}'; give every feature a name of its own"
            )));
        }
        if x.rows() == 0 {
            return Err(Error::Data("there are no rows".into()));
        }
        if x.cols() == 0 {
            return Err(Error::Data("there are no feature columns".into()));
        }
        for (row, values) in x.iter_rows().enumerate() {
            if let Some(feature) = values.iter().position(|v| !v.is_finite()) {
                return Err(Error::NotFinite { row, feature });
            }
        }
        let present = labels.counts().iter().filter(|&&c| c > 0).count();
        if present < 2 {
            let only = labels.codes().first().map(|&c| labels.classes()[c].clone());
            return Err(Error::Data(format!(
                "a classifier needs at least two classes; every row is of class '{}'",
                only.unwrap_or_default()
            )));
        }
        Ok(Self {
            x,
            labels,
            feature_names,
            weights: None,
            blocks: None,
            splits: None,
            columns: None,
        })
    }

    /// Columns as they come from a file, turned into features by what all rows tell, and the schema
    /// that does it. Every fit learns a schema of its own from its training rows.
    pub fn from_table(
        table: Table,
        labels: Labels,
        recipe: &Recipe,
        target: &str,
    ) -> Result<(Self, Schema)> {
        if table.n_rows() != labels.len() {
            return Err(Error::Data(format!(
                "{} rows but {} labels",
                table.n_rows(),
                labels.len()
            )));
        }
        let rows: Vec<usize> = (0..table.n_rows()).collect();
        let source = Source::new(table, &labels, recipe, target);
        let schema = source.learn(&rows, &labels, None);
        let x = source.encode(&schema, &rows);
        let data = Self::new(x, labels, schema.feature_names())?;
        let columns = source.depends_on_rows().then(|| Columns {
            source: Arc::new(source),
            rows,
        });
        Ok((Self { columns, ..data }, schema))
    }

    /// The schema that some rows teach, and their features; `None` if features do not depend on the
    /// rows that are trained on.
    pub(crate) fn learn_columns(&self, rows: &[usize]) -> Option<Learnt> {
        let columns = self.columns.as_ref()?;
        let weights: Option<Vec<f64>> = self
            .weights
            .as_ref()
            .map(|w| rows.iter().map(|&i| w[i]).collect());
        let labels = self.labels.select(rows);
        let own = columns.rows(rows);
        Some(columns.source.training(&own, &labels, weights.as_deref()))
    }

    /// Some rows as a model of these columns sees them.
    pub fn features_by(&self, schema: &Schema, rows: &[usize]) -> Matrix {
        match &self.columns {
            None => self.x.select_rows(rows),
            Some(columns) => columns.source.encode(schema, &columns.rows(rows)),
        }
    }

    /// All rows as a model of these columns sees them.
    pub fn all_features_by(&self, schema: &Schema) -> std::borrow::Cow<'_, Matrix> {
        match &self.columns {
            None => std::borrow::Cow::Borrowed(&self.x),
            Some(columns) => std::borrow::Cow::Owned(columns.source.encode(schema, &columns.rows)),
        }
    }

    /// Adds weights to the rows. A row of weight 2 counts as if it were there twice.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.n_samples() {
            return Err(Error::Data(format!(
                "{} weights for {} rows",
                weights.len(),
                self.n_samples()
            )));
        }
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w <= 0.0) {
            return Err(Error::Data(format!(
                "the weight of row {row} is {}; weights must be finite and above 0 \
                 (leave out rows of weight 0)",
                weights[row]
            )));
        }
        let total: f64 = weights.iter().sum();
        if !total.is_finite() {
            return Err(Error::Data(
                "the sum of the weights is not finite; scale them down".into(),
            ));
        }
        Ok(Self {
            weights: Some(weights),
            ..self
        })
    }

    /// Sets the folds of cross-validation. Every split must have rows to train on and rows to hold
    /// out, and no row may be in both parts.
    pub fn with_splits(self, splits: Vec<Split>) -> Result<Self> {
        let n = self.n_samples();
        if splits.is_empty() {
            return Err(Error::Data("there are no splits to validate on".into()));
        }
        for (k, split) in splits.iter().enumerate() {
            let problem = |what: String| Err(Error::Data(format!("split {k} {what}")));
            let mut trains = vec![false; n];
            if split.train.is_empty() || split.test.is_empty() {
                return problem("has no rows to train on or none to hold out".into());
            }
            if let Some(row) = split.train.iter().chain(&split.test).find(|&&i| i >= n) {
                return problem(format!(
                    "names row {row}, but there are only {n} rows (the first is row 0)"
                ));
            }
            split.train.iter().for_each(|&i| trains[i] = true);
            if let Some(row) = split.test.iter().find(|&&i| trains[i]) {
                return problem(format!("both trains on row {row} and holds it out"));
            }
        }
        Ok(Self {
            splits: Some(splits),
            ..self
        })
    }

    /// Assigns every row to a block. Rows with the same number belong together, such as the samples
    /// of one patient. Folds and held-out parts never divide a block.
    pub fn with_blocks(self, blocks: Vec<usize>) -> Result<Self> {
        if blocks.len() != self.n_samples() {
            return Err(Error::Data(format!(
                "{} block numbers for {} rows",
                blocks.len(),
                self.n_samples()
            )));
        }
        Ok(Self {
            blocks: Some(blocks),
            ..self
        })
    }

    /// The block number of every row, if blocks were given.
    pub fn blocks(&self) -> Option<&[usize]> {
        self.blocks.as_deref()
    }

    /// The number of blocks, if blocks were given.
    pub fn n_blocks(&self) -> Option<usize> {
        self.blocks
            .as_ref()
            .map(|g| g.iter().collect::<HashSet<_>>().len())
    }

    /// The folds of cross-validation: the given splits, or at most `k` folds that keep blocks
    /// together, or else `k` stratified folds.
    pub fn folds(&self, k: usize, seed: u64) -> Result<Vec<Split>> {
        Ok(match (&self.splits, &self.blocks) {
            (Some(splits), _) => splits.clone(),
            (None, Some(blocks)) => {
                self.need_two_blocks()?;
                block_folds(&self.labels, blocks, k, seed)
            }
            (None, None) => stratified_folds(&self.labels, k, seed),
        })
    }

    /// Holds out about this fraction of the rows of each class; whole blocks, if blocks were given.
    pub fn held_out(&self, fraction: f64, seed: u64) -> Result<Split> {
        let Some(blocks) = &self.blocks else {
            return Ok(stratified_split(&self.labels, fraction, seed));
        };
        self.need_two_blocks()?;
        Ok(block_split(&self.labels, blocks, fraction, seed))
    }

    fn need_two_blocks(&self) -> Result<()> {
        if self.n_blocks().is_some_and(|g| g < 2) {
            let message = "all rows are of one block: none can be held out without dividing it";
            return Err(Error::Data(message.into()));
        }
        Ok(())
    }

    /// The number of splits, if splits were given.
    pub fn n_splits(&self) -> Option<usize> {
        self.splits.as_ref().map(Vec::len)
    }

    /// Weights of the rows, if weights were given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Weight of a row; 1 without weights.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row])
    }

    /// Features, `n_samples x n_features`. Of columns whose features depend on the training rows:
    /// as all rows of the table say.
    pub fn x(&self) -> &Matrix {
        &self.x
    }

    /// Labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Names of the features.
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// Number of rows.
    pub fn n_samples(&self) -> usize {
        self.x.rows()
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.x.cols()
    }

    /// Some rows, in the given order. Fails when fewer than two classes are left.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        let part = Self::new(
            self.x.select_rows(rows),
            self.labels.select(rows),
            self.feature_names.clone(),
        )?;
        Ok(Self {
            weights: self
                .weights
                .as_ref()
                .map(|w| rows.iter().map(|&i| w[i]).collect()),
            blocks: self
                .blocks
                .as_ref()
                .map(|g| rows.iter().map(|&i| g[i]).collect()),
            splits: self.splits.as_ref().map(|splits| selected(splits, rows)),
            columns: self.columns.as_ref().map(|c| Columns {
                source: c.source.clone(),
                rows: c.rows(rows),
            }),
            ..part
        })
    }
}

/// Translates splits to the positions of some rows. Splits without rows to train on or to hold out
/// are dropped.
fn selected(splits: &[Split], rows: &[usize]) -> Vec<Split> {
    let mut places: HashMap<usize, Vec<usize>> = HashMap::new();
    for (place, &row) in rows.iter().enumerate() {
        places.entry(row).or_default().push(place);
    }
    let part = |of: &[usize]| -> Vec<usize> {
        let mut part: Vec<usize> = of
            .iter()
            .filter_map(|i| places.get(i))
            .flatten()
            .copied()
            .collect();
        part.sort_unstable();
        part
    };
    let split = |s: &Split| Split {
        train: part(&s.train),
        test: part(&s.test),
    };
    splits
        .iter()
        .map(split)
        .filter(|s| !s.train.is_empty() && !s.test.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dataset_is_checked_on_the_way_in() {
        let labels = Labels::from_text(&["a", "b"]);
        let x = Matrix::from_vec(vec![1.0, 2.0, 3.0, f64::INFINITY], 2, 2);
        let names = vec!["u".to_string(), "v".to_string()];
        let err = Dataset::new(x, labels.clone(), names.clone()).unwrap_err();
        assert!(matches!(err, Error::NotFinite { row: 1, feature: 1 }));
        let one = Dataset::new(
            Matrix::zeros(2, 2),
            Labels::from_text(&["a", "a"]),
            names.clone(),
        );
        assert!(one.unwrap_err().to_string().contains("two classes"));
        assert!(Dataset::new(Matrix::zeros(3, 2), labels, names).is_err());
    }

    #[test]
    fn blocks_follow_the_rows_and_are_held_out_whole() {
        let labels = Labels::from_codes(
            (0..60).map(|i| i % 2).collect(),
            vec!["a".into(), "b".into()],
        )
        .expect("valid");
        let names = vec!["u".to_string()];
        let data =
            Dataset::new(Matrix::from_fn(60, 1, |i, _| i as f64), labels, names).expect("valid");
        assert!(data.clone().with_blocks(vec![0; 59]).is_err());
        let one = data.clone().with_blocks(vec![7; 60]).expect("valid");
        for error in [
            one.folds(5, 0).unwrap_err(),
            one.held_out(0.2, 0).unwrap_err(),
        ] {
            assert!(error.to_string().contains("one block"), "{error}");
        }
        let data = data
            .with_blocks((0..60).map(|i| i / 4).collect())
            .expect("valid");
        assert_eq!(data.n_blocks(), Some(15));
        let mut first = HashSet::new();
        for seed in 0..20 {
            for (fraction, held) in [(0.2, 12), (1.0 / 3.0, 20), (0.8, 48)] {
                let split = data.held_out(fraction, seed).expect("split");
                assert!(
                    split.test.len().abs_diff(held) <= 4,
                    "{fraction}: {}",
                    split.test.len()
                );
                assert!(
                    split
                        .test
                        .iter()
                        .all(|&i| split.train.iter().all(|&j| i / 4 != j / 4))
                );
                first.insert(split.test.contains(&0));
            }
        }
        assert_eq!(first.len(), 2, "the same rows are held out with every seed");
        let part = data
            .select(&(0..8).rev().collect::<Vec<_>>())
            .expect("two classes");
        assert_eq!(part.blocks(), Some(&[1, 1, 1, 1, 0, 0, 0, 0][..]));
    }

    #[test]
    fn splits_are_checked_and_follow_the_rows() {
        let data = || {
            let names = vec!["u".to_string()];
            Dataset::new(
                Matrix::from_fn(4, 1, |i, _| i as f64),
                Labels::from_text(&["a", "b", "a", "b"]),
                names,
            )
            .expect("valid")
        };
        let split = |train: &[usize], test: &[usize]| Split {
            train: train.to_vec(),
            test: test.to_vec(),
        };
        for (bad, words) in [
            (vec![], "no splits"),
            (vec![split(&[0, 1], &[])], "no rows"),
            (vec![split(&[0, 4], &[1])], "row 4"),
            (vec![split(&[0, 1], &[1])], "both trains on row 1"),
        ] {
            let error = data().with_splits(bad).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let given = vec![split(&[0, 1], &[2, 3]), split(&[2, 3], &[0, 1])];
        let data = data().with_splits(given.clone()).expect("valid");
        assert_eq!(data.folds(5, 0).expect("folds"), given);
        // Row 2 twice, row 0 not at all.
        let part = data.select(&[3, 2, 1, 2]).expect("two classes");
        assert_eq!(
            part.folds(5, 0).expect("folds"),
            [split(&[2], &[0, 1, 3]), split(&[0, 1, 3], &[2])]
        );
    }
}
