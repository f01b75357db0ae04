//! A trained model as Python holds it.

use crate::errors::{exception, guarded};
use crate::pool;
use crate::table::{Rows, features};
use kernsieve::catalogue::{self, Made};
use kernsieve::data::ColumnKind;
use kernsieve::decision::softmax_rows;
use kernsieve::expansion::{BLOCK_ROWS, Output};
use kernsieve::linalg::Matrix;
use kernsieve::params::Params;
use kernsieve::{Error, model_file};
use kernsieve_onnx::{Precision, to_onnx};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// A trained classifier. Its bytes are those of the model file.
#[pyclass(frozen, module = "kernsieve._core")]
pub struct Model(Arc<kernsieve::model::Model>);

impl Model {
    /// Wraps a model.
    pub fn new(model: kernsieve::model::Model) -> Self {
        Self(Arc::new(model))
    }

    /// The method and the setting of the model, smaller where that is given.
    pub fn like(&self, given: &Params) -> PyResult<Made> {
        catalogue::like(&self.0, given).map_err(exception)
    }
}

/// Probabilities, log scores and outputs of some rows, each rows x its own number of columns.
type Prediction<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
);

/// Coefficients and offsets.
type Linear<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Centres, widths and weights of a mixture of kernels.
type Mixture<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

#[pymethods]
impl Model {
    /// Probabilities, log scores and outputs of the rows of `x`. The probabilities are the softmax
    /// of the log scores, `exp(score) / sum(exp(score))`.
    #[pyo3(signature = (x, n_jobs=1))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        n_jobs: usize,
    ) -> PyResult<Prediction<'py>> {
        let model = &self.0;
        let rows = Rows::new(x)?;
        let x = guarded(|| features(&model.schema, rows))?;
        let (n, p) = (x.rows(), x.cols());
        if p != model.scaling.mean.len() {
            return Err(PyValueError::new_err(format!(
                "the rows have {p} features, the model has {}",
                model.scaling.mean.len()
            )));
        }
        let pool = pool::kept(n_jobs)?;
        let (c, q) = (model.classes.len(), model.expansion.n_outputs());
        let mut parts = [
            Vec::with_capacity(n * c),
            Vec::with_capacity(n * c),
            Vec::with_capacity(n * q),
        ];
        // A few hundred blocks of the library at a time, so that an interrupt is noticed between
        // them.
        let rows = BLOCK_ROWS * (16 * n_jobs).max(256);
        for chunk in x.as_slice().chunks((rows * p).max(1)) {
            let chunk = Matrix::from_vec(chunk.to_vec(), chunk.len() / p, p);
            let (posterior, scores, outputs) = py.detach(|| {
                guarded(|| {
                    Ok(pool.install(|| {
                        let outputs = model.outputs(&chunk);
                        let scores = model.log_scores(&outputs);
                        let mut posterior = scores.clone();
                        softmax_rows(&mut posterior);
                        (posterior, scores, outputs)
                    }))
                })
            })?;
            parts[0].extend_from_slice(posterior.as_slice());
            parts[1].extend_from_slice(scores.as_slice());
            parts[2].extend_from_slice(outputs.as_slice());
            py.check_signals()?;
        }
        let [posterior, scores, outputs] = parts;
        let array =
            |values: Vec<f64>, columns: usize| PyArray1::from_vec(py, values).reshape([n, columns]);
        Ok((array(posterior, c)?, array(scores, c)?, array(outputs, q)?))
    }

    /// The model with further rows of `x` taken in, whose classes are given by position.
    #[pyo3(signature = (x, codes, weights=None))]
    fn updated(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let mut model = (*self.0).clone();
        let rows = Rows::new(x)?;
        let x = guarded(|| features(&model.schema, rows))?;
        // A negative position is one that no model has.
        let position = |c: &i64| usize::try_from(*c).unwrap_or(usize::MAX);
        let codes: Vec<usize> = codes.as_slice()?.iter().map(position).collect();
        let weights = weights
            .map(|w| w.as_slice().map(<[f64]>::to_vec))
            .transpose()?;
        let model = py.detach(|| {
            guarded(|| {
                model.update(&x, &codes, weights.as_deref())?;
                Ok(model)
            })
        })?;
        Ok(Self::new(model))
    }

    /// The class of each row of probabilities, by position: the most probable one, or by the
    /// threshold of the model.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        probabilities: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let c = self.0.classes.len();
        if probabilities.shape()[1] != c {
            return Err(PyValueError::new_err(format!("the model has {c} classes")));
        }
        let rows = probabilities.as_slice()?.chunks_exact(c);
        let classes = rows.map(|p| self.0.class_of(p) as i64);
        Ok(PyArray1::from_iter(py, classes))
    }

    /// Position of the positive class and the least probability for it; `None` without a threshold.
    #[getter]
    fn threshold(&self) -> Option<(usize, f64)> {
        self.0.threshold.map(|t| (t.positive, t.value))
    }

    /// What is added to the log scores of each class so that the largest sum marks the predicted
    /// class: the threshold as log odds.
    #[getter]
    fn offsets(&self) -> Vec<f64> {
        let model = &self.0;
        let mut offsets = vec![0.0; model.classes.len()];
        if let Some(t) = model.threshold {
            offsets[t.positive] = -(t.value / (1.0 - t.value)).ln();
        }
        offsets
    }

    /// Names of the classes, in the order of the columns of the probabilities.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.classes.clone()
    }

    /// Names of the features.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names()
    }

    /// Weight of every feature; zero drops it.
    #[getter]
    fn feature_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.feature_weights())
    }

    /// Coefficients (rows x features) and offsets of log scores that are linear in the features, in
    /// the units of the data; two classes have one row, the log odds of the second. `None` if the
    /// scores are not linear.
    fn linear<'py>(&self, py: Python<'py>) -> PyResult<Option<Linear<'py>>> {
        let Some(scores) = self.0.linear_scores() else {
            return Ok(None);
        };
        let shape = [scores.offset.len(), scores.coef.cols()];
        let coef = PyArray1::from_slice(py, scores.coef.as_slice()).reshape(shape)?;
        Ok(Some((coef, PyArray1::from_vec(py, scores.offset))))
    }

    /// A density as a mixture of kernels: centres (kernels x features) and widths (features) in the
    /// units of the data, and the weights of the kernels. A constant feature has the width 0.
    fn mixture<'py>(&self, py: Python<'py>) -> PyResult<Mixture<'py>> {
        let (model, e) = (&self.0, &self.0.expansion);
        let Output::LogDensity { weights, .. } = &e.output else {
            return Err(PyValueError::new_err("this model is not a density"));
        };
        let fills = model.schema.columns.iter().map(|c| match c.kind {
            ColumnKind::Numeric { fill } => fill,
            _ => 0.0,
        });
        let mut centre: Vec<f64> = fills.collect();
        let p = centre.len();
        let (mut centres, mut widths) = (Vec::with_capacity(weights.len() * p), vec![0.0; p]);
        let used: Vec<usize> = (0..p).filter(|&j| e.feature_weights[j] != 0.0).collect();
        used.iter().for_each(|&j| {
            widths[j] = e.kernel.bandwidth().unwrap_or(0.0) * model.scaling.scale[j]
        });
        for row in e.support.iter_rows() {
            for (&j, v) in used.iter().zip(row) {
                centre[j] = v * model.scaling.scale[j] + model.scaling.mean[j];
            }
            centres.extend_from_slice(&centre);
        }
        Ok((
            PyArray1::from_vec(py, centres).reshape([weights.len(), p])?,
            PyArray1::from_vec(py, widths),
            PyArray1::from_slice(py, weights),
        ))
    }

    /// Names of the columns that features are made of, and how many each makes.
    #[getter]
    fn columns(&self) -> Vec<(String, usize)> {
        let columns = self.0.schema.columns.iter();
        columns.map(|c| (c.name.clone(), c.width())).collect()
    }

    /// Whether features are columns of numbers, taken as they are.
    #[getter]
    fn is_plain(&self) -> bool {
        self.0.schema.is_plain() && !self.0.schema.reading.missing.fills()
    }

    /// What was done with missing cells.
    #[getter]
    fn missing(&self) -> &'static str {
        self.0.schema.reading.missing.word()
    }

    /// Name of the method.
    #[getter]
    fn method(&self) -> String {
        self.0.record.method.clone()
    }

    /// Number of outputs.
    #[getter]
    fn n_outputs(&self) -> usize {
        self.0.expansion.n_outputs()
    }

    /// How the model was trained, as JSON: the training record of the model file, the error to
    /// expect, the features that it kept, its temperature and the position of the positive class.
    fn record(&self) -> PyResult<String> {
        let model = &self.0;
        guarded(|| {
            let mut record =
                serde_json::to_value(&model.record).map_err(|e| Error::Data(e.to_string()))?;
            record["selected_features"] = json!(model.selected_features());
            record["temperature"] = json!(model.temperature);
            record["expected_error"] = json!(model.record.expected());
            record["positive"] = json!(model.positive());
            record["target"] = json!(model.schema.target);
            Ok(record.to_string())
        })
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| guarded(|| model_file::to_bytes(&self.0)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of an ONNX file; `precision` is `single` or `double`.
    fn to_onnx<'py>(&self, py: Python<'py>, precision: &str) -> PyResult<Bound<'py, PyBytes>> {
        let precision = match precision {
            "single" => Precision::F32,
            "double" => Precision::F64,
            other => {
                return Err(PyValueError::new_err(format!(
                    "precision must be 'single' or 'double', got '{other}'"
                )));
            }
        };
        let bytes = py.detach(|| guarded(|| to_onnx(&self.0, precision)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A model from the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| guarded(|| model_file::read(bytes)))
            .map(Self::new)
    }

    /// Writes the model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| guarded(|| model_file::save(&self.0, &path)))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| guarded(|| model_file::load(&path)))
            .map(Self::new)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        let arguments = PyTuple::new(py, [self.to_bytes(py)?])?;
        Ok((class.getattr("from_bytes")?, arguments))
    }

    fn __repr__(&self) -> String {
        let model = &self.0;
        format!(
            "<kernsieve model: {}, {} classes, {} of {} features>",
            model.record.method,
            model.classes.len(),
            model
                .feature_weights()
                .iter()
                .filter(|w| **w != 0.0)
                .count(),
            model.feature_weights().len()
        )
    }
}
