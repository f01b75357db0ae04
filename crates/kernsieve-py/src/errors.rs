//! Errors of the library as exceptions, with parameters spelled as in Python.

use kernsieve::Error;
use kernsieve::catalogue::{self, CATALOGUE};
use kernsieve::params::{Param, written};
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a piece of the library. Its errors, and a panic if there is one, become exceptions.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(exception),
        Err(panic) => Err(internal(panic.as_ref())),
    }
}

/// The exception for an error.
pub fn exception(error: Error) -> PyErr {
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err("stopped on request"),
        Error::Memory { .. } => PyMemoryError::new_err(in_python_words(&error.to_string())),
        Error::Io { path, source } => match source.raw_os_error() {
            // With the number Python picks the right class, such as FileNotFoundError.
            Some(number) => PyOSError::new_err((number, without_number(&source), path)),
            None => PyOSError::new_err(format!("{path}: {source}")),
        },
        Error::Parameter {
            name,
            value,
            requirement,
            ..
        } => PyValueError::new_err(format!(
            "{} must be {}, got {value}",
            name_in_python(&name),
            in_python_words(&requirement)
        )),
        other => PyValueError::new_err(in_python_words(&other.to_string())),
    }
}

/// The exception for a panic of the library, which is a bug and not the user's mistake.
pub fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause");
    PyRuntimeError::new_err(format!(
        "kernsieve failed inside ({what}); this is a bug, please report it"
    ))
}

/// What the system said, without the "(os error 2)" that Python writes itself.
fn without_number(source: &std::io::Error) -> String {
    let text = source.to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

/// The name of a parameter in Python.
pub fn name_in_python(name: &str) -> String {
    match name {
        "components" => "n_components".into(),
        "seed" => "random_state".into(),
        "score" => "scoring".into(),
        // There is one name for a value and for several to choose among.
        other => {
            let params = CATALOGUE.iter().flat_map(|e| e.about.params);
            let one = params.filter(|p| p.id == other).find_map(Param::singular);
            one.unwrap_or(other).into()
        }
    }
}

/// A sentence of the library, which names parameters in backticks, as Python writes them:
/// `` `max_support` `` becomes `max_support`, `` `candidates=1000` `` becomes `candidates=1000`.
pub fn in_python_words(text: &str) -> String {
    written(text, |id, value| match (id, value) {
        ("method", Some(name)) => match catalogue::find(name) {
            Ok(entry) => format!("kernsieve.{}", entry.about.class),
            Err(_) => name.into(),
        },
        (id, None) => name_in_python(id),
        (id, Some(value)) => {
            let is_word = value.starts_with(|c: char| c.is_ascii_lowercase());
            let quote = if is_word { "'" } else { "" };
            format!("{}={quote}{value}{quote}", name_in_python(id))
        }
    })
}
