//! The one error type of the library.

/// The result of every operation that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong: the place, the value and, if there is one, the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("`{name}`{} must be {requirement}, got {value}", owned(*of))]
    Parameter {
        /// Id of the parameter.
        name: String,
        /// The method that asks for it, where methods differ.
        of: Option<&'static str>,
        /// What was given.
        value: String,
        /// What is allowed.
        requirement: String,
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
        "the kernel matrix plus ridge is not positive definite \
         (pivot {pivot}, shift {shift:e}); use a larger `ridge`"
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
    /// An operation needs more memory than is allowed.
    #[error("{what} needs {needed} of memory, the limit is {limit}; {remedy}")]
    Memory {
        /// What would have been allocated.
        what: String,
        /// Required size, in readable units.
        needed: String,
        /// The limit, in readable units.
        limit: String,
        /// What to do.
        remedy: String,
    },
    /// The caller asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// A model file cannot be used.
    #[error("not a usable model file: {0}")]
    ModelFile(String),
    /// Partial sums cannot be used.
    #[error("these partial sums cannot be used: {0}")]
    Part(String),
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl Error {
    /// An error about a parameter that says whose it is, where it does not say so already: not all
    /// methods would say the same.
    pub(crate) fn of(self, method: &'static str) -> Self {
        match self {
            Self::Parameter {
                name,
                of: None,
                value,
                requirement,
            } => Self::Parameter {
                of: Some(method),
                name,
                value,
                requirement,
            },
            other => other,
        }
    }
}

/// ` of klr`, after the name of a parameter.
fn owned(of: Option<&str>) -> String {
    of.map_or(String::new(), |method| format!(" of {method}"))
}

/// Checks one parameter. The condition states what must hold, so that NaN fails it.
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
            name: name.into(),
            of: None,
            value: value.to_string(),
            requirement: requirement.into(),
        })
    }
}
