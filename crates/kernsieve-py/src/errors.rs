//! Errors of the library as exceptions, and its words as Python writes them.

use kernsieve::Error;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a piece of the library: its errors, and a panic if there should be one, come back as
/// exceptions.
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
        } => PyValueError::new_err(format!(
            "{} must be {}, got {value}",
            name_in_python(&in_python_words(name)),
            in_python_words(requirement)
        )),
        other => PyValueError::new_err(in_python_words(&other.to_string())),
    }
}

/// The exception for a panic of the library, which is our mistake and not the user's.
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

/// The name of a parameter in Python: `max_features` for `max-features`. What is not a single name
/// stays.
pub fn name_in_python(name: &str) -> String {
    match name {
        "components" => "n_components".into(),
        "seed" => "random_state".into(),
        // There is one name for a value and for several to choose among.
        "bandwidths" | "ridges" | "balances" => name.trim_end_matches('s').into(),
        words if words.contains(' ') => words.into(),
        other => other.replace('-', "_"),
    }
}

/// A sentence of the library with its options as Python writes them: `--max-support` becomes
/// `max_support`, `--candidates 1000` becomes `candidates=1000`.
pub fn in_python_words(text: &str) -> String {
    let text = text.replace("--method lda", "kernsieve.LDA");
    let mut parts = text.split("--");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part
            .find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
            .unwrap_or(part.len());
        let (option, rest) = part.split_at(end);
        match option {
            "no-vote" => out.push_str("vote=False"),
            other => out.push_str(&name_in_python(other)),
        }
        match rest.strip_prefix(' ') {
            Some(value) if value.starts_with(|c: char| c.is_ascii_digit()) => {
                out.push('=');
                out.push_str(value);
            }
            _ => out.push_str(rest),
        }
    }
    out
}
