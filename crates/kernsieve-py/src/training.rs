//! Training from Python.

use crate::errors::{exception, guarded, in_python_words, internal, name_in_python};
use crate::model::Model;
use crate::partial::Elsewhere;
use crate::table::Rows;
use crate::{options, pool};
use kernsieve::Notice;
use kernsieve::catalogue::{self, Among};
use kernsieve::data::{Column, Dataset, Labels, Recipe, Schema, Split};
use kernsieve::linalg::Matrix;
use kernsieve::tuning::{Control, DensityData, Trained};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are checked and progress is reported.
const POLL: Duration = Duration::from_millis(100);
/// How long a fit may take to stop before the caller goes on without it.
const GRACE: Duration = Duration::from_millis(300);

type Outcome = std::thread::Result<kernsieve::Result<Trained>>;

/// Tunes and fits a method, or fits the setting of a model without a search. Returns the model,
/// the notices about it, and the options without effect.
///
/// An interrupt is answered within half a second. The library looks for it between two settings of
/// the cross-validation; if that takes longer, the call returns anyway and the computation ends by
/// itself in the background.
#[pyfunction]
#[pyo3(signature = (x, y, classes, feature_names, method, options, *, weights=None, rows=None, splits=None, target="class", estimate=true, importances=false, budget=None, methods=None, like=None, missing="error", encode="one-hot", rare=None, n_jobs=1, memory=None, progress=None, elsewhere=None))]
#[allow(clippy::too_many_arguments)] // Python names them
pub fn train(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: PyReadonlyArray1<'_, i64>,
    classes: Vec<String>,
    feature_names: Vec<String>,
    method: &str,
    options: &Bound<'_, PyDict>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    rows: Option<Vec<usize>>,
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
    target: &str,
    estimate: bool,
    importances: bool,
    budget: Option<f64>,
    methods: Option<Vec<String>>,
    like: Option<PyRef<'_, Model>>,
    missing: &str,
    encode: &str,
    rare: Option<usize>,
    n_jobs: usize,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
    elsewhere: Option<(u64, Vec<f64>, Py<PyAny>)>,
) -> PyResult<(Model, Vec<String>, Vec<String>)> {
    let budget = match budget {
        Some(seconds) if !(0.0..1e9).contains(&seconds) => {
            return Err(PyValueError::new_err(format!(
                "budget must be seconds, 0 or more, got {seconds}"
            )));
        }
        other => other.map(Duration::from_secs_f64),
    };
    let (given, protocol) = options::parse(options)?;
    let protocol = protocol.estimate(estimate);
    let chosen = match (like, method) {
        (Some(model), _) => Some(model.like(&given)?),
        (None, "auto") => None,
        (None, name) => {
            let made = catalogue::find(name).and_then(|entry| entry.make(&given));
            Some(made.map_err(exception)?)
        }
    };
    let among = match methods {
        None => Among::First,
        Some(names) if names == ["thorough"] => Among::Thorough,
        Some(names) => Among::Named(names),
    };
    let ignored = chosen.as_ref().map_or(vec![], |made| made.unused.clone());
    let codes: Vec<usize> = y
        .as_slice()?
        .iter()
        .map(|&c| {
            usize::try_from(c)
                .map_err(|_| PyValueError::new_err(format!("class code {c} is below 0")))
        })
        .collect::<PyResult<_>>()?;
    let recipe = recipe(missing, encode, rare)?;
    let given_rows = Rows::new(x)?;
    let weights = weights
        .map(|w| w.as_slice().map(<[f64]>::to_vec))
        .transpose()?;
    let (data, schema) = guarded(|| {
        let labels = Labels::from_codes(codes, classes)?;
        let (data, schema) = match given_rows {
            Rows::Matrix(x) => {
                let schema = schema(&x, &feature_names, target);
                (Dataset::new(x, labels, feature_names)?, schema)
            }
            Rows::Table(table) => Dataset::from_table(table, labels, &recipe, target)?,
        };
        let data = match weights {
            Some(weights) => data.with_weights(weights)?,
            None => data,
        };
        let data = match splits {
            Some(splits) => {
                let split = |(train, test)| Split { train, test };
                data.with_splits(splits.into_iter().map(split).collect())?
            }
            None => data,
        };
        Ok((data, schema))
    })?;

    let supervision = Supervision {
        n_jobs,
        memory,
        progress,
    };
    let mut trained = supervision.run(py, move |control| {
        let mut trained = match (chosen, elsewhere) {
            (Some(made), Some((rows, totals, ask))) => {
                let mut all = Elsewhere { rows, totals, ask };
                let method = made.method;
                method.train_streamed(&data, &schema, &mut all, &protocol, control)?
            }
            // Unused parameters are reported separately from the notices.
            (Some(made), None) => made.method.train(&data, &schema, &protocol, control)?,
            (None, _) => {
                let (data, schema) = (&data, &schema);
                catalogue::train_auto(&given, &among, data, schema, &protocol, budget, control)?
            }
        };
        if importances {
            let found = catalogue::importances(&trained.model, &data, control)?;
            trained.model.record.importances = found;
        }
        Ok(trained)
    })?;
    if let Some(rows) = &rows {
        trained.model.record.report.rename_rows(rows);
    }
    let notices = told(&trained.notices);
    let ignored = ignored.iter().map(|id| name_in_python(id)).collect();
    Ok((Model::new(trained.model), notices, ignored))
}

/// What to do with gaps and categories.
fn recipe(missing: &str, encode: &str, rare: Option<usize>) -> PyResult<Recipe> {
    let wrong = |name: &str| {
        let name = name.to_string();
        move |e: String| PyValueError::new_err(format!("{name}: {e}"))
    };
    if rare == Some(0) {
        return Err(PyValueError::new_err("rare must be 1 or more, got 0"));
    }
    Ok(Recipe {
        missing: missing.parse().map_err(wrong("missing"))?,
        encode: encode.parse().map_err(wrong("encode"))?,
        rare,
    })
}

/// Estimates a density of the rows. Returns the model and what the user should know about it.
#[pyfunction]
#[pyo3(signature = (x, feature_names, options, *, weights=None, rows=None, n_jobs=1, memory=None, progress=None))]
#[allow(clippy::too_many_arguments)] // Python names them
pub fn train_density(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    feature_names: Vec<String>,
    options: &Bound<'_, PyDict>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    rows: Option<Vec<usize>>,
    n_jobs: usize,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, Vec<String>)> {
    let (density, protocol) = options::parse_density(options)?;
    let shape = x.shape();
    let matrix = Matrix::from_vec(x.as_slice()?.to_vec(), shape[0], shape[1]);
    let weights = weights
        .map(|w| w.as_slice().map(<[f64]>::to_vec))
        .transpose()?;
    let schema = Schema {
        target: String::new(),
        ..schema(&matrix, &feature_names, "")
    };
    let supervision = Supervision {
        n_jobs,
        memory,
        progress,
    };
    let mut trained = supervision.run(py, move |control| {
        let data = DensityData {
            x: &matrix,
            weights: weights.as_deref(),
            schema: &schema,
        };
        kernsieve::tuning::train_density(&density, &data, &protocol, control)
    })?;
    if let Some(rows) = &rows {
        trained.model.record.report.rename_rows(rows);
    }
    let notices = told(&trained.notices);
    Ok((Model::new(trained.model), notices))
}

/// Notices in the words of Python.
fn told(notices: &[Notice]) -> Vec<String> {
    let words = notices.iter().map(ToString::to_string);
    words.map(|text| in_python_words(&text)).collect()
}

/// What a computation may use, and who is told of its progress.
struct Supervision {
    n_jobs: usize,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
}

impl Supervision {
    /// Runs a computation on threads of its own while this thread checks for signals and reports
    /// progress.
    fn run(
        self,
        py: Python<'_>,
        work: impl FnOnce(&Control) -> kernsieve::Result<Trained> + Send + 'static,
    ) -> PyResult<Trained> {
        let told = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let teller = told.clone();
        let mut control = Control::new().on_progress(move |p| {
            teller.0.store(p.done, Ordering::Relaxed);
            teller.1.store(p.total, Ordering::Relaxed);
        });
        if let Some(bytes) = self.memory {
            control = control.memory_limit(bytes);
        }
        let control = Arc::new(control);
        let (sender, receiver) = mpsc::channel();
        let work_control = control.clone();
        // The pool lives until its work is done, even when nobody waits for it any more.
        pool::own(self.n_jobs)?.spawn(move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&work_control))));
        });
        let receiver = Mutex::new(receiver);
        let outcome = loop {
            match py.detach(|| wait(&receiver, POLL)) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the fit ended without a result"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(stop) = py
                .check_signals()
                .and_then(|()| tell(py, self.progress.as_ref(), &told))
            {
                control.cancel();
                let _ = py.detach(|| wait(&receiver, GRACE));
                return Err(stop);
            }
        };
        match outcome {
            Ok(result) => result.map_err(exception),
            Err(panic) => Err(internal(panic.as_ref())),
        }
    }
}

fn wait(receiver: &Mutex<Receiver<Outcome>>, time: Duration) -> Result<Outcome, RecvTimeoutError> {
    receiver
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv_timeout(time)
}

fn tell(
    py: Python<'_>,
    listener: Option<&Py<PyAny>>,
    told: &(AtomicUsize, AtomicUsize),
) -> PyResult<()> {
    let (done, total) = (
        told.0.load(Ordering::Relaxed),
        told.1.load(Ordering::Relaxed),
    );
    match listener {
        Some(listener) if total > 0 => listener.call1(py, (done, total)).map(|_| ()),
        _ => Ok(()),
    }
}

/// Numeric columns, with the means that replace missing values when the command line predicts.
fn schema(x: &Matrix, names: &[String], target: &str) -> Schema {
    let n = x.rows().max(1) as f64;
    let (mut sums, mut shares) = (vec![0.0; x.cols()], vec![0.0; x.cols()]);
    for row in x.iter_rows() {
        for (j, v) in row.iter().enumerate() {
            sums[j] += v;
            shares[j] += v / n; // where the sum overflows
        }
    }
    let means = sums
        .iter()
        .zip(&shares)
        .map(|(sum, share)| if sum.is_finite() { sum / n } else { *share });
    let columns = names.iter().zip(means);
    Schema {
        columns: columns
            .map(|(name, fill)| Column::numeric(name, fill))
            .collect(),
        target: target.into(),
        ..Schema::default()
    }
}
