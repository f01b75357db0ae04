//! Tuning on some of the rows, where all of them would take too long.

use super::control::Control;
use super::cross_validation::cross_validate;
use super::train::prepare;
use crate::data::{Dataset, stratified_sample};
use crate::error::Result;
use crate::method::l2_criterion::in_memory;
use crate::method::{MethodKind, Options};

/// Rows that L2 programs of many more are tuned on.
pub(super) const L2_ROWS: usize = 5000;

/// Rows to tune every setting on, if that is not all of them. With `candidates` far fewer than
/// rows: twice as many rows as candidates, at least 4000. FIVM, whose tuning walks hundreds of
/// paths, takes 1500; L2QP 5000 of what is too many for distances to be kept, since hundreds of
/// programs with rows computed again and again take hours.
pub(super) fn tuning_sample(
    kind: MethodKind,
    options: &Options,
    data: &Dataset,
) -> Result<Option<Dataset>> {
    let Some(size) = tuning_sample_size(kind, options, data) else {
        return Ok(None);
    };
    Ok(drawn(data, size, options.seed)?.map(|(_, sample)| sample))
}

/// Whether the settings of a method are found on a sample of the rows.
pub(super) fn is_tuned_on_a_sample(kind: MethodKind, options: &Options, data: &Dataset) -> bool {
    tuning_sample_size(kind, options, data).is_some()
}

fn tuning_sample_size(kind: MethodKind, options: &Options, data: &Dataset) -> Option<usize> {
    const LEAST: usize = 4000;
    const PATHS: usize = 1500;
    let candidates = options
        .candidates
        .filter(|_| matches!(kind, MethodKind::Smkda | MethodKind::SparseKos));
    let size = match candidates {
        Some(m) => (2 * m).max(LEAST),
        None if kind == MethodKind::L2qp && !in_memory(data.n_samples()) => L2_ROWS,
        None if kind == MethodKind::Fivm
            && (options.ridge.is_none() || options.bandwidths.len() != 1) =>
        {
            PATHS
        }
        None => return None,
    };
    (data.n_samples() > size).then_some(size)
}

/// A bandwidth chosen on 2000 rows, for methods that take `n^3` operations a bandwidth and fold, on
/// more than 4000 rows; its rows and itself. The other settings, which cost little once the kernel
/// is there, and the estimate of the error are then found on all rows.
///
/// The bandwidth that serves best follows the distances of the rows, which a sample shows as well
/// as the whole; it narrows slowly as rows grow in number.
pub(super) fn bandwidth_of_a_sample(
    kind: MethodKind,
    options: &Options,
    data: &Dataset,
    control: &Control,
) -> Result<Option<FromSample>> {
    const MANY: usize = 4000;
    const ROWS: usize = 2000;
    let cubic = matches!(
        kind,
        MethodKind::Mkda | MethodKind::Smkda | MethodKind::Kos | MethodKind::Klr
    );
    if !cubic
        || data.n_samples() <= MANY
        || options.candidates.is_some()
        || options.posterior.is_some()
    {
        return Ok(None);
    }
    let method = kind.build(options)?;
    let Some((_, sample)) = drawn(data, ROWS, options.seed)? else {
        return Ok(None);
    };
    let (_, problem, _) = prepare(
        &sample,
        &(0..sample.n_samples()).collect::<Vec<_>>(),
        options,
    )?;
    let arms = method.arms(&problem)?;
    let widths = || arms.iter().flatten().map(|c| c.kernel.bandwidth());
    if widths().all(|w| Some(w) == widths().next()) {
        return Ok(None);
    }
    let table = cross_validate(method.as_ref(), &sample, &problem, arms, options, control)?;
    let bandwidth = table.best().candidate.kernel.bandwidth();
    Ok(bandwidth.map(|bandwidth| FromSample {
        rows: sample.n_samples(),
        bandwidth,
        optimism: table.optimism,
    }))
}

/// A bandwidth that a sample chose.
pub(super) struct FromSample {
    pub(super) rows: usize,
    pub(super) bandwidth: f64,
    /// Of the choice, which the table of the other settings does not know.
    pub(super) optimism: f64,
}

/// A sample of so many rows by class, and which they are. `None` where there are no more, and where
/// one of the splits that were given would be left without rows to train on or to hold out, or a
/// single group of rows.
pub(super) fn drawn(
    data: &Dataset,
    size: usize,
    seed: u64,
) -> Result<Option<(Vec<usize>, Dataset)>> {
    if data.n_samples() <= size {
        return Ok(None);
    }
    let rows = stratified_sample(data.labels(), size, seed);
    let sample = data.select(&rows)?;
    let whole = sample.n_splits() == data.n_splits() && sample.n_blocks().is_none_or(|g| g > 1);
    Ok(whole.then_some((rows, sample)))
}

pub(super) fn tuned_on_words(what: &str, some: usize, all: usize) -> String {
    format!("{what} tuned on {some} of the {all} rows")
}
