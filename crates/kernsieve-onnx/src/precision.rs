//! The numbers of a graph.

use crate::proto::data;
use std::fmt;

/// Whether a graph computes in single or in double precision, input and outputs included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Seven digits, and half the memory. Sums whose terms cancel are still computed in double
    /// precision.
    F32,
    /// Sixteen digits, as in the library.
    #[default]
    F64,
}

impl Precision {
    /// The nearest number of this precision.
    pub(crate) fn round(self, v: f64) -> f64 {
        match self {
            Self::F32 => f64::from(v as f32),
            Self::F64 => v,
        }
    }

    /// Whether this precision holds a number as a normal one, with all its digits.
    pub(crate) fn holds(self, v: f64) -> bool {
        match self {
            Self::F32 => (v as f32).is_normal(),
            Self::F64 => v.is_normal(),
        }
    }

    /// Coordinates farther from the origin than this are moved to this distance, so that their
    /// squares can be summed.
    pub(crate) fn farthest(self) -> f64 {
        match self {
            Self::F32 => 1e15,
            Self::F64 => 1e150,
        }
    }

    /// Larger kernel values are replaced by this one.
    pub(crate) fn largest_value(self) -> f64 {
        match self {
            Self::F32 => 1e30,
            Self::F64 => 1e290,
        }
    }

    /// Log densities below minus this are replaced by minus this, so that their differences are
    /// finite.
    pub(crate) fn largest_logarithm(self) -> f64 {
        match self {
            Self::F32 => 1e37,
            Self::F64 => 1e307,
        }
    }

    /// `TensorProto.DataType`
    pub(crate) fn data_type(self) -> i32 {
        match self {
            Self::F32 => data::FLOAT,
            Self::F64 => data::DOUBLE,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "single",
            Self::F64 => "double",
        })
    }
}
