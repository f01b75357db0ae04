//! The rows that a fit trains on, and those that it is measured on.

use super::evaluate::evaluate_rows;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::view::html::{Basis, Rows};
use crate::view::summary::Evaluation;
use crate::view::terminal::Terminal;
use kernsieve::data::Dataset;
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use kernsieve_io::{ScoringReader, Source, TrainingData};

/// The rows to train on, and those held out.
pub struct Parts {
    pub data: Dataset,
    /// Places of the training rows in the file.
    pub rows: Vec<usize>,
    /// All rows of the file, and those that are held out.
    pub held_out: Option<HeldOut>,
}

/// Rows of the file that take no part in the training.
pub struct HeldOut {
    all: Dataset,
    rows: Vec<usize>,
    numbers: Vec<usize>,
}

impl HeldOut {
    /// The rows as a model sees them.
    fn seen_by(&self, model: &Model) -> OtherRows {
        let labels = self.all.labels();
        let class_of = |&i: &usize| labels.classes()[labels.codes()[i]].clone();
        let mut seen = OtherRows::default();
        seen.add(
            &self.all.features_by(&model.schema, &self.rows),
            &self.rows.iter().map(class_of).collect::<Vec<_>>(),
        );
        seen.numbers = self.numbers.clone();
        seen
    }
}

impl Parts {
    pub fn new(input: TrainingData, args: &FitArgs) -> Result<Self, Failure> {
        let data = input.dataset;
        let Some(fraction) = args.holdout else {
            return Ok(Self {
                data,
                rows: input.rows,
                held_out: None,
            });
        };
        let split = data.held_out(fraction, args.options.protocol.seed)?;
        let places = |rows: &[usize]| rows.iter().map(|&i| input.rows[i]).collect();
        Ok(Self {
            rows: places(&split.train),
            data: data.select(&split.train)?,
            held_out: Some(HeldOut {
                numbers: places(&split.test),
                rows: split.test,
                all: data,
            }),
        })
    }
}

/// Rows outside the training, block after block.
#[derive(Default)]
pub struct OtherRows {
    values: Vec<f64>,
    columns: usize,
    labels: Vec<String>,
    /// Places in the file; empty if they are all of its rows.
    numbers: Vec<usize>,
}

impl OtherRows {
    pub fn add(&mut self, x: &Matrix, labels: &[String]) {
        self.columns = x.cols();
        self.values.extend_from_slice(x.as_slice());
        self.labels.extend_from_slice(labels);
    }

    pub fn matrix(&self) -> Matrix {
        Matrix::from_vec(self.values.clone(), self.labels.len(), self.columns)
    }
}

/// The error on rows outside the training, and these rows if a page shows them.
pub fn measure(
    args: &FitArgs,
    model: &Model,
    test: Option<ScoringReader>,
    held_out: Option<&HeldOut>,
    terminal: &Terminal<'_>,
) -> Result<(Option<Evaluation>, OtherRows), Failure> {
    if let Some(mut reader) = test {
        reader.encode_by(&model.schema);
        let mut seen = OtherRows::default();
        let see = |x: &Matrix, labels: &[String]| {
            if args.report.is_some() {
                seen.add(x, labels);
            }
        };
        let evaluation = evaluate_rows(model, &mut reader, terminal, see)?;
        return Ok((Some(evaluation), seen));
    }
    let Some(rows) = held_out.map(|h| h.seen_by(model)) else {
        return Ok((None, OtherRows::default()));
    };
    let mut evaluation = Evaluation::new(model);
    evaluation.add(model, &rows.matrix(), &rows.labels);
    Ok((Some(evaluation), rows))
}

/// Rows outside the training, as a page shows them.
pub fn other_rows<'a>(
    args: &FitArgs,
    source: &Source,
    x: &'a Matrix,
    rows: &OtherRows,
) -> Option<Rows<'a>> {
    let n = rows.labels.len();
    let test = args.test.as_deref();
    let test = test.map(|t| Source::from_arg(t).to_string());
    (n > 0).then(|| Rows {
        basis: match test {
            Some(_) => Basis::Test,
            None => Basis::HeldOut,
        },
        source: test.unwrap_or_else(|| source.to_string()),
        x,
        labels: rows.labels.clone(),
        numbers: if rows.numbers.is_empty() {
            (0..n).collect()
        } else {
            rows.numbers.clone()
        },
        cross_validated: None,
    })
}

/// The training rows, as a page shows them; with probabilities by cross-validation if these are
/// available.
pub fn training_rows<'a>(
    source: &Source,
    data: &Dataset,
    x: &'a Matrix,
    numbers: &[usize],
    cross_validated: Option<Vec<Option<Vec<f64>>>>,
) -> Rows<'a> {
    let labels = data.labels();
    let codes = labels.codes().iter();
    Rows {
        basis: match cross_validated {
            Some(_) => Basis::CrossValidated,
            None => Basis::Training,
        },
        source: source.to_string(),
        x,
        labels: codes.map(|&c| labels.classes()[c].clone()).collect(),
        numbers: numbers.to_vec(),
        cross_validated,
    }
}
