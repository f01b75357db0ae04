//! The compiled module `kernsieve._core`: converts arrays and words, releases the interpreter while
//! the library works, turns errors into exceptions. What users see is written in Python, in
//! `python/kernsieve`.

mod errors;
mod model;
mod options;
mod partial;
mod pool;
mod table;
mod training;

use pyo3::prelude::*;

/// Runs the command line; the first argument is the name of the program. Returns the exit status.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| kernsieve_cli::run_command(arguments, true))
}

/// Available memory in bytes, or None if the system does not say.
#[pyfunction]
fn available_memory() -> Option<u64> {
    kernsieve::tuning::available_memory()
}

/// A number of bytes as people write it.
#[pyfunction]
fn bytes_for_people(bytes: u64) -> String {
    kernsieve::tuning::for_people(bytes)
}

/// Whether the different values of a target are measurements rather than classes.
#[pyfunction]
fn are_measurements(values: Vec<String>, n_rows: usize) -> bool {
    kernsieve::data::are_measurements(&values, n_rows)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_density, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partial_draw, module)?)?;
    module.add_function(wrap_pyfunction!(partial::drawn_rows, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partial_moments, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partial_sums, module)?)?;
    module.add_function(wrap_pyfunction!(partial::merge_partial, module)?)?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(are_measurements, module)?)?;
    module.add_function(wrap_pyfunction!(available_memory, module)?)?;
    module.add_function(wrap_pyfunction!(bytes_for_people, module)?)
}
