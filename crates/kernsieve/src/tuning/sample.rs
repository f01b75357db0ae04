//! Tuning on some of the rows, if all of them would take too long.

use super::control::Control;
use super::cross_validation::cross_validate;
use super::fold::prepare_all;
use crate::data::{Dataset, stratified_sample};
use crate::error::Result;
use crate::method::{Method, Setting};
use crate::params::Protocol;

/// Rows to tune every setting on, if the method asks for fewer than there are.
pub(super) fn tuning_sample<M: Method>(
    method: &M,
    data: &Dataset,
    protocol: &Protocol,
) -> Result<Option<Dataset>> {
    let Some(size) = tuning_sample_size(method, data) else {
        return Ok(None);
    };
    Ok(drawn(data, size, protocol.seed)?.map(|(_, sample)| sample))
}

/// The number of rows that settings are found on, if it is less than all.
pub(super) fn tuning_sample_size<M: Method>(method: &M, data: &Dataset) -> Option<usize> {
    let size = method.tuning_rows(data.n_samples())?;
    (data.n_samples() > size).then_some(size)
}

/// A bandwidth chosen on 2000 rows, for methods that take `n^3` operations per bandwidth and fold,
/// on more than 4000 rows. The other settings cost little once the kernel is computed; they and the
/// estimate of the error are then found on all rows.
///
/// The best bandwidth follows the distances between rows, which a sample shows as well as all rows
/// do; it narrows slowly as the number of rows grows.
pub(super) fn bandwidth_of_a_sample<M: Method>(
    method: &M,
    data: &Dataset,
    protocol: &Protocol,
    control: &Control,
) -> Result<Option<FromSample>> {
    const MANY: usize = 4000;
    const ROWS: usize = 2000;
    if data.n_samples() <= MANY || method.at_bandwidth(1.0).is_none() {
        return Ok(None);
    }
    let Some((_, sample)) = drawn(data, ROWS, protocol.seed)? else {
        return Ok(None);
    };
    let problem = prepare_all(&sample, protocol)?.problem;
    let arms = method.grid(&problem, protocol)?;
    let widths = || arms.iter().flatten().map(|s| s.kernel().bandwidth());
    if widths().all(|w| Some(w) == widths().next()) {
        return Ok(None);
    }
    let table = cross_validate(method, &sample, &problem, arms, protocol, control)?;
    let bandwidth = table.best().setting.kernel().bandwidth();
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
    /// The optimism of that choice, which the table of the other settings does not include.
    pub(super) optimism: f64,
}

/// A sample of this many rows by class, and which they are. `None` if there are no more rows than
/// that, or if a given split would be left without rows to train on or to hold out, or with a
/// single block of rows.
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
    let whole = sample.n_splits() == data.n_splits() && sample.n_blocks().is_none_or(|b| b > 1);
    Ok(whole.then_some((rows, sample)))
}
