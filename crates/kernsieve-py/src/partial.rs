//! Sums over rows that are elsewhere: what a worker computes of its rows, as bytes, and the fit that
//! asks for them.

use crate::errors::{exception, guarded};
use crate::table::{Rows, features};
use kernsieve::data::Schema;
use kernsieve::partial::{Draw, Frame, Moments, Part, Task, merge_bytes};
use kernsieve::tuning::{AllRows, Control};
use kernsieve::{Error, Result};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Rows of a worker: features by a schema, classes and weights.
struct Held {
    x: kernsieve::linalg::Matrix,
    codes: Vec<usize>,
    weights: Option<Vec<f64>>,
}

fn codes_of(y: &PyReadonlyArray1<'_, i64>, n_classes: usize) -> PyResult<Vec<usize>> {
    let code = |c: &i64| usize::try_from(*c).ok().filter(|c| *c < n_classes);
    let codes = y
        .as_slice()?
        .iter()
        .map(code)
        .collect::<Option<Vec<usize>>>();
    codes.ok_or_else(|| PyValueError::new_err("a class code is not that of a class"))
}

fn held(
    schema: &Schema,
    x: &Bound<'_, PyAny>,
    y: &PyReadonlyArray1<'_, i64>,
    weights: Option<&PyReadonlyArray1<'_, f64>>,
    n_classes: usize,
) -> PyResult<Held> {
    let rows = Rows::new(x)?;
    let x = guarded(|| features(schema, rows))?;
    let codes = codes_of(y, n_classes)?;
    let weights = weights.map(|w| w.as_slice().map(<[f64]>::to_vec));
    let weights = weights.transpose()?;
    let sized = x.rows() == codes.len()
        && x.cols() == schema.n_features()
        && weights.as_ref().is_none_or(|w| w.len() == codes.len());
    match sized {
        true => Ok(Held { x, codes, weights }),
        false => Err(PyValueError::new_err(format!(
            "{} rows of {} features, {} classes{}: the parts of X, y and sample_weight must have the \
             same rows, and every part of X the same columns",
            x.rows(),
            x.cols(),
            codes.len(),
            weights.map_or(String::new(), |w| format!(", {} weights", w.len())),
        ))),
    }
}

/// The numbers of rows that a part contributes to a sample, as bytes; the first row has the number
/// `start`.
#[pyfunction]
pub fn partial_draw<'py>(
    py: Python<'py>,
    y: PyReadonlyArray1<'_, i64>,
    start: u64,
    seed: u64,
    most: usize,
    per_class: usize,
    n_classes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut draw = Draw::new(seed, most, per_class);
    for (i, &c) in y.as_slice()?.iter().enumerate() {
        // A row without a class has no part in anything.
        if let Ok(c) = usize::try_from(c) {
            if c >= n_classes {
                return Err(PyValueError::new_err("a class code is not that of a class"));
            }
            draw.see(start + i as u64, c);
        }
    }
    Ok(PyBytes::new(py, &draw.to_bytes()))
}

/// The numbers of the rows of a sample.
#[pyfunction]
pub fn drawn_rows(draw: &[u8]) -> PyResult<Vec<u64>> {
    Ok(Draw::from_bytes(draw).map_err(exception)?.rows())
}

/// Moments of the rows of a part, as bytes.
#[pyfunction]
#[pyo3(signature = (x, y, schema, n_classes, weights=None))]
pub fn partial_moments<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    y: PyReadonlyArray1<'_, i64>,
    schema: &str,
    n_classes: usize,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let schema: Schema = serde_json::from_str(schema)
        .map_err(|e| PyValueError::new_err(format!("the schema cannot be read: {e}")))?;
    let rows = held(&schema, x, &y, weights.as_ref(), n_classes)?;
    let bytes = py.detach(|| {
        let mut sums = Moments::new(rows.x.cols(), n_classes);
        sums.update(&rows.x, &rows.codes, rows.weights.as_deref());
        sums.to_bytes()
    });
    Ok(PyBytes::new(py, &bytes))
}

/// The sums of a task over the rows of a part, as bytes.
#[pyfunction]
#[pyo3(signature = (x, y, frame, task, weights=None))]
pub fn partial_sums<'py>(
    py: Python<'py>,
    x: &Bound<'_, PyAny>,
    y: PyReadonlyArray1<'_, i64>,
    frame: &[u8],
    task: &[u8],
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (frame, task) = guarded(|| Ok((Frame::from_bytes(frame)?, Task::from_bytes(task)?)))?;
    let rows = held(&frame.schema, x, &y, weights.as_ref(), frame.n_classes)?;
    let bytes = py.detach(|| {
        guarded(|| {
            let mut part = frame.part(&task)?;
            let weights = rows.weights.as_deref();
            frame.update(&task, &mut part, &rows.x, &rows.codes, weights)?;
            Ok(part.to_bytes())
        })
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Two parts of the same kind as one.
#[pyfunction]
pub fn merge_partial<'py>(py: Python<'py>, a: &[u8], b: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| guarded(|| merge_bytes(a, b)))?;
    Ok(PyBytes::new(py, &merged))
}

/// Rows that a caller in Python sums over.
pub struct Elsewhere {
    /// Number of rows.
    pub rows: u64,
    /// Weight of each class.
    pub totals: Vec<f64>,
    /// Called with the words of a pass, returns bytes: `("moments", schema)` or
    /// `("sums", frame, task)`.
    pub ask: Py<PyAny>,
}

impl Elsewhere {
    fn asked(
        &self,
        words: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) -> Result<Vec<u8>> {
        Python::attach(|py| words(py)?.extract::<Vec<u8>>())
            .map_err(|e: PyErr| Error::Data(format!("a pass over the rows failed: {e}")))
    }
}

impl AllRows for Elsewhere {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn totals(&self) -> Vec<f64> {
        self.totals.clone()
    }

    fn moments(&mut self, schema: &Schema, control: &Control) -> Result<Moments> {
        control.checkpoint()?;
        let text = serde_json::to_string(schema).map_err(|e| Error::Data(e.to_string()))?;
        let ask = &self.ask;
        let bytes = self.asked(|py| ask.bind(py).call1(("moments", text)))?;
        Moments::from_bytes(&bytes)
    }

    fn run(&mut self, task: &Task, frame: &Frame, control: &Control) -> Result<Part> {
        control.checkpoint()?;
        let (frame, own) = (frame.to_bytes(), task.to_bytes());
        let ask = &self.ask;
        let bytes = self.asked(|py| {
            let words = (PyBytes::new(py, &frame), PyBytes::new(py, &own));
            ask.bind(py).call1(("sums", words.0, words.1))
        })?;
        task.read_part(&bytes)
    }
}
