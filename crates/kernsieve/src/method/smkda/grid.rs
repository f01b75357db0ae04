//! The settings to choose among: sizes, ridges, and what a fit settles by itself.

use super::ground::Ground;
use super::{Smkda, SmkdaSetting};
use crate::kernel::{Kernel, centred_scale};
use crate::method::Problem;
use crate::method::mkda::RIDGE_MULTIPLES;
use crate::params::{Protocol, Validation};

/// The path is not followed further than this unless asked to, since the model should be sparse.
const LONGEST_PATH: usize = 1000;
/// From this number of classes on, fewer sizes are scored.
const MANY_CLASSES: usize = 40;

/// Sizes that are scored along a path: every one up to 200, then ever fewer. Each score takes an
/// eigendecomposition of order `c`, so with many classes the sizes grow by a fifth at a time.
pub(super) fn sizes(longest: usize, n_classes: usize) -> Vec<usize> {
    let share = if n_classes <= MANY_CLASSES { 100 } else { 5 };
    let mut sizes = Vec::new();
    let mut size = 1;
    while size <= longest {
        sizes.push(size);
        size += (size / share).saturating_sub(1).max(1);
    }
    sizes
}

impl Smkda {
    /// Every size with every ridge, or the largest size where the path ends by itself.
    pub(super) fn arm(
        &self,
        kernel: Kernel,
        ridges: &[Option<f64>],
        longest: usize,
        n_classes: usize,
    ) -> Vec<SmkdaSetting> {
        let most = longest
            .min(self.longest_path())
            .min(self.candidates.unwrap_or(usize::MAX));
        let sizes = match self.max_support {
            Some(size) => vec![size],
            None if self.ends_itself() => vec![most],
            None => sizes(most, n_classes),
        };
        let setting = |&ridge: &Option<f64>| {
            let sizes = sizes.iter();
            sizes.map(move |&size| SmkdaSetting {
                kernel,
                size,
                ridge,
            })
        };
        ridges.iter().flat_map(setting).collect()
    }

    /// The ridges that are given, or multiples of the trace of the centred Gram matrix.
    pub(super) fn ridges_at(&self, kernel: &Kernel, problem: &Problem, total: f64) -> Vec<f64> {
        if !self.ridges.is_empty() {
            return self.ridges.clone();
        }
        let trace = total * centred_scale(kernel, &problem.x, problem.weights.as_deref());
        RIDGE_MULTIPLES.iter().map(|m| m * trace).collect()
    }

    /// The ridges of the settings with a kernel: `None` where there is none to choose.
    pub(super) fn tried(&self, kernel: &Kernel, problem: &Problem) -> Vec<Option<f64>> {
        if !self.has_ridge() || self.by_evidence() {
            return vec![None];
        }
        let all = self.ridges_at(kernel, problem, problem.classes().total());
        all.into_iter().map(Some).collect()
    }

    /// The ridge and the size of a fit: those of the setting, or those of most evidence.
    pub(super) fn settled(
        &self,
        ground: &mut Ground,
        setting: &SmkdaSetting,
        problem: &Problem,
        size: usize,
    ) -> (Option<f64>, usize) {
        if !self.by_evidence() || setting.ridge.is_some() {
            return (setting.ridge, size);
        }
        let ridges = self.ridges_at(&setting.kernel, problem, ground.total);
        match ground.most_evident(self, &ridges, size) {
            Some((ridge, size)) => (Some(ridge), size),
            None => (ridges.first().copied(), size),
        }
    }

    fn longest_path(&self) -> usize {
        self.path_limit.unwrap_or(LONGEST_PATH)
    }

    /// The largest number of samples that a fold's training part allows.
    pub(super) fn longest(&self, n: usize, protocol: &Protocol) -> usize {
        if protocol.validation == Validation::LeaveOneOut {
            // With more samples than that, a row mostly determines its own fit, and the formula
            // says little.
            return (n / 2).max(1);
        }
        (n - n.div_ceil(protocol.folds.clamp(2, n.max(2)))).max(1)
    }
}
