//! The rows on which kernels and weights are judged: some of a problem, with their landmarks.

use crate::classes::Classes;
use crate::data::{NormalScores, sample_with_rare};
use crate::linalg::Matrix;
use crate::method::Problem;

/// Rows of a problem, prepared.
pub(super) struct Sample {
    /// Rows x features, before weighting.
    pub x: Matrix,
    /// Classes and weights of the rows.
    pub classes: Classes,
    /// Class indicators, rows x responses.
    pub y: Matrix,
    /// Which of the rows are landmarks.
    pub marks: Vec<usize>,
    /// Rows that belong together, where rows do.
    pub blocks: Option<Vec<Vec<usize>>>,
    /// Features that vary, as 1 and 0.
    pub active: Vec<f64>,
}

/// Class indicators, one column per class; two classes need only the column of the second.
pub(super) fn responses(classes: &Classes) -> Matrix {
    let c = classes.n_classes();
    let codes = classes.codes();
    match c {
        2 => Matrix::from_fn(codes.len(), 1, |i, _| f64::from(codes[i] == 1)),
        _ => Matrix::from_fn(codes.len(), c, |i, j| f64::from(codes[i] == j)),
    }
}

/// Classes of a problem's rows, with weights of mean one, so that a ridge means the same whatever
/// the weights sum to.
pub(super) fn unit_classes(problem: &Problem) -> Classes {
    let weights = unit_weights(problem);
    let labels = &problem.labels;
    Classes::new(labels.codes(), weights.as_deref(), labels.n_classes())
}

fn unit_weights(problem: &Problem) -> Option<Vec<f64>> {
    let weights = problem.weights.as_ref()?;
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    Some(weights.iter().map(|w| w / mean).collect())
}

impl Sample {
    /// At most so many rows of a problem, as their scores if there are any, and so many landmarks.
    pub fn new(
        problem: &Problem,
        scores: Option<&NormalScores>,
        (rows, marks): (usize, usize),
    ) -> Self {
        let (_, part) = problem.sample(rows, problem.seed);
        let classes = unit_classes(&part);
        let mut x = part.x;
        if let Some(scores) = scores {
            scores.apply_in_place(&mut x);
        }
        let y = responses(&classes);
        let marks = sample_with_rare(&part.labels, marks, problem.seed ^ 1);
        let blocks = part.blocks.as_ref().map(|b| rows_of_blocks(b));
        Self {
            x,
            classes,
            y,
            marks,
            blocks,
            active: problem.feature_weights.clone(),
        }
    }

    /// Number of features that vary.
    pub fn n_active(&self) -> usize {
        self.active.iter().filter(|w| **w != 0.0).count()
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.x.rows()
    }
}

/// The rows of each block, in order of the block's first row.
fn rows_of_blocks(block: &[usize]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![vec![]; block.iter().max().map_or(0, |b| b + 1)];
    for (i, &b) in block.iter().enumerate() {
        rows[b].push(i);
    }
    rows.retain(|r| !r.is_empty());
    rows
}
