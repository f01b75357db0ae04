//! The one error type of the library.

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong, with the place, the value and, where there is one, the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("{name} must be {requirement}, got {value}")]
    Parameter {
        /// Name of the parameter, as the user writes it.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        requirement: &'static str,
    },
    /// A value of the data is NaN or infinite.
    #[error("row {row}, feature {feature}: the value is not finite")]
    NotFinite {
        /// 0-based row.
        row: usize,
        /// 0-based feature.
        feature: usize,
    },
    /// The data cannot be used for what was asked.
    #[error("{0}")]
    Data(String),
    /// A matrix that had to be positive definite is not.
    #[error(
        "the kernel matrix plus ridge is not positive definite (pivot {pivot}, shift {shift:e}); use a larger ridge"
    )]
    NotPositiveDefinite {
        /// 0-based row of the pivot.
        pivot: usize,
        /// What had been added to the diagonal.
        shift: f64,
    },
    /// A decomposition did not converge.
    #[error("{0} did not converge; are there extreme values in the data?")]
    NoConvergence(&'static str),
    /// More memory would be needed than is allowed.
    #[error("{what} needs {needed} of memory, the limit is {limit}; {remedy}")]
    Memory {
        /// What would have been allocated.
        what: String,
        /// Size, for people.
        needed: String,
        /// The limit, for people.
        limit: String,
        /// What to do.
        remedy: String,
    },
    /// The caller asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// A model file is not what it should be.
    #[error("not a usable model file: {0}")]
    ModelFile(String),
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Checks one parameter; the condition is written positively, so that NaN fails it.
pub(crate) fn require(
    name: &'static str,
    value: impl std::fmt::Display,
    holds: bool,
    requirement: &'static str,
) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Parameter {
            name,
            value: value.to_string(),
            requirement,
        })
    }
}
