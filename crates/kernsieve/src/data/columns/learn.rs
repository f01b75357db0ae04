//! What a schema takes from training rows.
//!
//! Which columns there are and which levels have a feature is laid out once, by all rows of a data
//! set (`layout`): features then are the same in every fold, and one that says nothing in a fold
//! is constant there. What fills a gap, which levels are rare and what they say of the classes is
//! learnt from the training rows alone (`Source::learn`). A level that is rare among all rows is
//! rare in every fold, so the layout has a feature wherever a fold needs one.

use super::encode::Encoded;
use super::recipe::{Encode, Missing, Recipe};
use super::schema::{Column, ColumnKind, Reading, Schema};
use super::table::{Cells, GAP, Table, TableColumn};
use crate::data::folds::stratified_folds;
use crate::data::labels::Labels;
use crate::linalg::Matrix;

/// Rows that the shares of all rows count for beside those of a level.
const PRIOR_ROWS: f64 = 10.0;
/// Parts of the training rows of which each is encoded by the others.
const PARTS: usize = 5;

/// Features of training rows, and how new rows become features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Learnt {
    /// The schema.
    pub schema: Schema,
    /// Features of the training rows, in their order.
    pub x: Matrix,
}

/// A table with what is to be done with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    table: Table,
    missing: Missing,
    /// The least number of rows of a level that is not rare.
    rare: usize,
    layout: Schema,
}

/// The columns and features of a table, without what is learnt.
pub fn layout(table: &Table, labels: &Labels, recipe: &Recipe, target: &str) -> Schema {
    let rare = recipe.rows_of_a_level(table.n_rows());
    let column = |c: &TableColumn| Column {
        name: c.name.clone(),
        kind: kind(&c.cells, labels, recipe.encode, rare),
        indicator: recipe.missing == Missing::Indicator && c.cells.has_gaps(),
    };
    Schema {
        columns: table.columns().iter().map(column).collect(),
        target: target.into(),
        reading: Reading {
            missing: recipe.missing,
            ..Reading::default()
        },
    }
}

/// The kind of a column, without what is learnt.
fn kind(cells: &Cells, labels: &Labels, encode: Encode, rare: usize) -> ColumnKind {
    let (codes, levels) = match cells {
        Cells::Numbers(_) => return ColumnKind::Numeric { fill: 0.0 },
        Cells::Booleans(_) => return ColumnKind::Boolean { fill: 0.0 },
        Cells::Dates(days) => {
            return ColumnKind::Date {
                first: 0.0,
                fill: 0.0,
                hour: days.iter().any(|d| d.fract() != 0.0 && !d.is_nan()),
            };
        }
        Cells::Levels { codes, levels } => (codes, levels),
    };
    let counts = counts(codes.iter().copied(), levels.len());
    let frequent = |l: &usize| counts[*l] >= rare;
    if let [a, b] = levels.as_slice()
        && (0..2).all(|l| frequent(&l))
    {
        return ColumnKind::Binary {
            levels: [a.clone(), b.clone()],
            fill: 0.0,
        };
    }
    if encode == Encode::Target && levels.len() > 1 {
        let classes = labels.classes();
        let classes = if classes.len() == 2 {
            &classes[1..]
        } else {
            classes
        };
        return ColumnKind::Target {
            levels: vec![],
            values: vec![],
            fill: vec![0.0; classes.len()],
            classes: classes.to_vec(),
        };
    }
    let own = (0..levels.len()).filter(frequent);
    ColumnKind::Categorical {
        levels: own.map(|l| levels[l].clone()).collect(),
        rare: vec![],
    }
}

fn counts(codes: impl Iterator<Item = u32>, n_levels: usize) -> Vec<usize> {
    let mut counts = vec![0; n_levels];
    codes
        .filter(|c| *c != GAP)
        .for_each(|c| counts[c as usize] += 1);
    counts
}

impl Source {
    pub(crate) fn new(table: Table, labels: &Labels, recipe: &Recipe, target: &str) -> Self {
        Self {
            layout: layout(&table, labels, recipe, target),
            rare: recipe.rows_of_a_level(table.n_rows()),
            missing: recipe.missing,
            table,
        }
    }

    /// Whether features of a row depend on the rows that a schema is learnt from.
    pub(crate) fn depends_on_rows(&self) -> bool {
        let columns = self.layout.columns.iter().zip(self.table.columns());
        columns.into_iter().any(|(column, raw)| match &column.kind {
            ColumnKind::Numeric { .. } | ColumnKind::Boolean { .. } => raw.cells.has_gaps(),
            ColumnKind::Binary { .. } => raw.cells.has_gaps(),
            ColumnKind::Categorical { .. } => self.rare > 1,
            ColumnKind::Date { .. } | ColumnKind::Target { .. } => true,
        })
    }

    /// The schema that some rows of the table teach. `labels` and `weights` have an entry for each
    /// of `rows`.
    pub(crate) fn learn(&self, rows: &[usize], labels: &Labels, weights: Option<&[f64]>) -> Schema {
        let weight = |k: usize| weights.map_or(1.0, |w| w[k]);
        let columns = self.layout.columns.iter().zip(self.table.columns());
        let columns = columns.map(|(column, raw)| Column {
            kind: match (&column.kind, &raw.cells) {
                (ColumnKind::Numeric { .. }, Cells::Numbers(v)) => ColumnKind::Numeric {
                    fill: self.fill(v, rows, weight),
                },
                (ColumnKind::Boolean { .. }, Cells::Booleans(v)) => ColumnKind::Boolean {
                    fill: self.fill(v, rows, weight),
                },
                (ColumnKind::Date { hour, .. }, Cells::Dates(v)) => {
                    let known = rows.iter().map(|&i| v[i]).filter(|d| !d.is_nan());
                    let first = known.fold(f64::INFINITY, f64::min).floor();
                    ColumnKind::Date {
                        first: if first.is_finite() { first } else { 0.0 },
                        fill: self.fill(v, rows, weight),
                        hour: *hour,
                    }
                }
                (kind, Cells::Levels { codes, levels }) => {
                    let own: Vec<u32> = rows.iter().map(|&i| codes[i]).collect();
                    self.learn_levels(kind, &own, levels, labels, weight)
                }
                (kind, _) => kind.clone(),
            },
            ..column.clone()
        });
        Schema {
            columns: columns.collect(),
            ..self.layout.clone()
        }
    }

    fn learn_levels(
        &self,
        kind: &ColumnKind,
        codes: &[u32],
        levels: &[String],
        labels: &Labels,
        weight: impl Fn(usize) -> f64,
    ) -> ColumnKind {
        let counts = counts(codes.iter().copied(), levels.len());
        match kind {
            ColumnKind::Binary { levels: two, .. } => {
                let (mut of, mut all) = (0.0, 0.0);
                for (k, &c) in codes.iter().enumerate().filter(|(_, c)| **c != GAP) {
                    of += weight(k) * f64::from(c);
                    all += weight(k);
                }
                ColumnKind::Binary {
                    levels: two.clone(),
                    fill: if all > 0.0 { of / all } else { 0.5 },
                }
            }
            ColumnKind::Categorical { levels: own, .. } => {
                let is_rare = |l: &usize| (1..self.rare).contains(&counts[*l]);
                let rare = (0..levels.len()).filter(is_rare);
                ColumnKind::Categorical {
                    levels: own.clone(),
                    rare: rare.map(|l| levels[l].clone()).collect(),
                }
            }
            ColumnKind::Target { classes, .. } => {
                let shift = labels.n_classes() - classes.len();
                let mut sums = vec![vec![0.0; classes.len() + 1]; levels.len() + 1];
                for (k, (&code, &class)) in codes.iter().zip(labels.codes()).enumerate() {
                    let all = levels.len();
                    let of = if code == GAP { all } else { code as usize };
                    for row in if of == all { vec![all] } else { vec![of, all] } {
                        sums[row][classes.len()] += weight(k);
                        if let Some(c) = class.checked_sub(shift) {
                            sums[row][c] += weight(k);
                        }
                    }
                }
                let total = &sums[levels.len()];
                let share = |c: usize| total[c] / total[classes.len()].max(f64::MIN_POSITIVE);
                let fill: Vec<f64> = (0..classes.len()).map(share).collect();
                let mean_weight = total[classes.len()] / codes.len().max(1) as f64;
                let prior = PRIOR_ROWS * mean_weight;
                let value = |l: usize| -> Vec<f64> {
                    let n = sums[l][classes.len()];
                    let own = fill.iter().zip(&sums[l]);
                    own.map(|(f, s)| (s + prior * f) / (n + prior)).collect()
                };
                let seen = || (0..levels.len()).filter(|l| counts[*l] > 0);
                ColumnKind::Target {
                    levels: seen().map(|l| levels[l].clone()).collect(),
                    values: seen().map(value).collect(),
                    fill,
                    classes: classes.clone(),
                }
            }
            other => other.clone(),
        }
    }

    /// What fills a gap.
    fn fill(&self, values: &[f64], rows: &[usize], weight: impl Fn(usize) -> f64) -> f64 {
        let known = rows
            .iter()
            .enumerate()
            .map(|(k, &i)| (values[i], weight(k)));
        let mut known: Vec<(f64, f64)> = known.filter(|(v, _)| !v.is_nan()).collect();
        match self.missing {
            Missing::Median | Missing::Indicator => median(&mut known),
            _ => mean(&known),
        }
    }

    /// A schema and the features of the rows that taught it. Where classes have a part in features,
    /// rows are encoded by what other rows say: a row's own class would tell itself.
    pub(crate) fn training(
        &self,
        rows: &[usize],
        labels: &Labels,
        weights: Option<&[f64]>,
    ) -> Learnt {
        let schema = self.learn(rows, labels, weights);
        let mut x = self.encode(&schema, rows);
        let is_target = |c: &Column| matches!(c.kind, ColumnKind::Target { .. });
        if schema.columns.iter().any(is_target) && rows.len() >= 2 {
            for part in stratified_folds(labels, PARTS, 0) {
                let some = |of: &[usize]| of.iter().map(|&k| rows[k]).collect::<Vec<usize>>();
                let own: Option<Vec<f64>> =
                    weights.map(|w| part.train.iter().map(|&k| w[k]).collect());
                let labels = labels.select(&part.train);
                let others = self.learn(&some(&part.train), &labels, own.as_deref());
                let found = self.encode(&others, &some(&part.test));
                let mut offset = 0;
                for column in &schema.columns {
                    if is_target(column) {
                        for (row, &k) in found.iter_rows().zip(&part.test) {
                            let place = offset..offset + column.kind.width();
                            x.row_mut(k)[place.clone()].copy_from_slice(&row[place]);
                        }
                    }
                    offset += column.width();
                }
            }
        }
        Learnt { schema, x }
    }

    /// Features of some rows by a schema of these columns.
    pub(crate) fn encode(&self, schema: &Schema, rows: &[usize]) -> Matrix {
        match schema.encode(&self.table, rows) {
            Ok(Encoded { x, .. }) => x,
            // The schema was learnt from this table, whose cells all fit.
            Err(_) => Matrix::zeros(rows.len(), schema.n_features()),
        }
    }
}

/// The weighted mean; finite whenever the values are.
fn mean(known: &[(f64, f64)]) -> f64 {
    let total: f64 = known.iter().map(|k| k.1).sum();
    if total == 0.0 {
        return 0.0;
    }
    let sum: f64 = known.iter().map(|(v, w)| v * w).sum();
    if sum.is_finite() {
        sum / total
    } else {
        known.iter().map(|(v, w)| v * (w / total)).sum()
    }
}

/// The weighted median: between the two values in the middle, if there are two.
fn median(known: &mut [(f64, f64)]) -> f64 {
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = known.iter().map(|k| k.1).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (k, &(value, weight)) in known.iter().enumerate() {
        below += weight;
        if below > half {
            return value;
        }
        if below == half {
            let next = known.get(k + 1).map_or(value, |n| n.0);
            return value / 2.0 + next / 2.0;
        }
    }
    known.last().map_or(0.0, |k| k.0)
}

#[cfg(test)]
mod tests;
