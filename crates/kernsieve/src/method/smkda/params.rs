//! Parameters and settings.

use crate::kernel::Kernel;
use crate::method::{Setting, Size};
use crate::params::KernelChoice;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Sparse multinomial kernel discriminant analysis.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `max_support` | tuned | 1 or more | retained samples, `n_s` |
/// | `path_limit` | 1000 | 1 or more | longest path when `n_s` is tuned |
/// | `candidates` | all | 2 or more | landmarks: samples to choose among, drawn by class |
/// | `components` | classes - 1 | 1 or more | canonical variates to keep |
/// | `exact` | off | | with `candidates`: sums of integers, the same for any division of the rows |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Smkda {
    #[serde(flatten)]
    pub(super) kernel: KernelChoice,
    pub(super) max_support: Option<usize>,
    pub(super) path_limit: Option<usize>,
    pub(super) candidates: Option<usize>,
    pub(super) components: Option<usize>,
    pub(super) exact: bool,
}

/// A setting of sparse kernel discriminant analysis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmkdaSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// Retained samples, `n_s`.
    pub size: usize,
}

impl Setting for SmkdaSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn size(&self) -> Size {
        Size {
            samples: Some(self.size),
            features: None,
        }
    }

    /// Ties go to fewer samples, then to the smaller bandwidth.
    fn preferred(&self, other: &Self) -> Ordering {
        let width = |s: &Self| s.kernel.bandwidth().unwrap_or(0.0);
        let narrower = || width(self).total_cmp(&width(other));
        self.size.cmp(&other.size).then_with(narrower)
    }

    fn same_path(&self, other: &Self) -> bool {
        self.kernel == other.kernel
    }
}

impl Smkda {
    /// A Gaussian kernel; bandwidth and number of samples tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With this many retained samples.
    pub fn max_support(mut self, samples: usize) -> Self {
        self.max_support = Some(samples);
        self
    }

    /// With paths of at most this many samples when their number is tuned.
    pub fn path_limit(mut self, samples: usize) -> Self {
        self.path_limit = Some(samples);
        self
    }

    /// With this many landmarks, drawn by class, to choose the samples among.
    pub fn candidates(mut self, landmarks: usize) -> Self {
        self.candidates = Some(landmarks);
        self
    }

    /// With at most this many canonical variates.
    pub fn components(mut self, components: usize) -> Self {
        self.components = Some(components);
        self
    }

    /// With kernel values rounded to multiples of `2^-20` in the fit to all rows, and sums of
    /// integers: the model does not depend on how the rows are divided, to the last bit. Needs
    /// `candidates`.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }
}
