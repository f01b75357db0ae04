//! Tuning on some of the rows, if all of them would take too long.

use super::control::Control;
use super::cross_validation::cross_validate;
use super::fold::prepare_all;
use crate::data::{Dataset, class_factors, sample_with_rare};
use crate::error::Result;
use crate::method::{Method, Problem, Setting};
use crate::params::{Protocol, Score, ThresholdRule, Validation};

/// Rows to tune every setting on, if the method asks for fewer than there are.
pub(super) fn tuning_sample<M: Method>(
    method: &M,
    data: &Dataset,
    protocol: &Protocol,
) -> Result<Option<Dataset>> {
    let Some(size) = tuning_sample_size(method, data) else {
        return Ok(None);
    };
    let sample = drawn(data, size, protocol.seed)?;
    Ok(sample.map(|(_, sample)| sample))
}

/// Rows to tune on with a single split, and what the method sees of them at first.
pub(super) struct HeldOutOnce {
    /// The rows, with the split.
    pub(super) data: Dataset,
    /// Those that are not held out.
    pub(super) problem: Problem,
    /// Number of those that are.
    pub(super) held_out: usize,
}

/// Fewer blocks than these are not held out once: the rows of a block say the same.
const MANY_BLOCKS: usize = 50;

/// One split of many rows, if the method asks for that and the user has given no splits. A measure
/// or threshold of the user's may need more rows of rare classes than a single split holds out.
pub(super) fn held_out_once<M: Method>(
    method: &M,
    data: &Dataset,
    protocol: &Protocol,
) -> Result<Option<HeldOutOnce>> {
    let free = data.n_splits().is_none()
        && data.n_blocks().is_none_or(|b| b >= MANY_BLOCKS)
        && matches!(protocol.score, None | Some(Score::Error))
        && matches!(protocol.threshold, None | Some(ThresholdRule::Value(_)))
        && protocol.validation != Validation::LeaveOneOut;
    let Some(once) = method.holds_out(data.n_samples()).filter(|_| free) else {
        return Ok(None);
    };
    let data = match drawn(data, once.rows, protocol.seed)? {
        Some((_, sample)) => sample,
        None => data.clone(),
    };
    let fraction = once.held_out as f64 / data.n_samples() as f64;
    let split = data.held_out(fraction, protocol.seed)?;
    let problem = prepare_all(&data.select(&split.train)?, protocol)?.problem;
    Ok(Some(HeldOutOnce {
        held_out: split.test.len(),
        problem,
        data: data.with_splits(vec![split])?,
    }))
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
    let table = cross_validate(method, &sample, &problem, arms, protocol, control)?.table;
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

/// A sample of this many rows by class, and which they are. Of a rare class there are more than its
/// share, which weigh less for that: a sample by shares would leave too few to learn it from. `None`
/// if there are no more rows than that, or if a given split would be left without rows to train on
/// or to hold out, or with a single block of rows.
pub(super) fn drawn(
    data: &Dataset,
    size: usize,
    seed: u64,
) -> Result<Option<(Vec<usize>, Dataset)>> {
    if data.n_samples() <= size {
        return Ok(None);
    }
    let rows = sample_with_rare(data.labels(), size, seed);
    let Some((rows, sample)) = whole_of(data, rows)? else {
        return Ok(None);
    };
    let Some(factors) = class_factors(data.labels(), data.weights(), &rows) else {
        return Ok(Some((rows, sample)));
    };
    let codes = sample.labels().codes().iter().enumerate();
    let weights = codes.map(|(i, &c)| sample.weight(i) * factors[c]);
    let weights = weights.collect();
    Ok(Some((rows, sample.with_weights(weights)?)))
}

/// Some rows of the data, unless they leave a split or all blocks but one without rows.
fn whole_of(data: &Dataset, rows: Vec<usize>) -> Result<Option<(Vec<usize>, Dataset)>> {
    let sample = data.select(&rows)?;
    let whole = sample.n_splits() == data.n_splits() && sample.n_blocks().is_none_or(|b| b > 1);
    Ok(whole.then_some((rows, sample)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::linalg::Matrix;

    #[test]
    fn a_sample_keeps_rare_rows_and_the_shares_of_the_classes() {
        let n = 20_000;
        let codes: Vec<usize> = (0..n).map(|i| usize::from(i % 400 == 0)).collect();
        let labels = Labels::from_codes(codes, vec!["no".into(), "yes".into()]).expect("labels");
        let x = Matrix::from_fn(n, 1, |i, _| i as f64);
        let data = Dataset::new(x, labels, vec!["x".into()]).expect("data");
        let found = drawn(&data, 2000, 0).expect("two classes");
        let (rows, sample) = found.expect("fewer");
        // By shares there would be five.
        assert_eq!((rows.len(), sample.labels().counts()[1]), (2000, 50));
        let weight = |class: usize| {
            let codes = sample.labels().codes().iter().enumerate();
            let own = codes.filter(|(_, c)| **c == class);
            own.map(|(i, _)| sample.weight(i)).sum::<f64>()
        };
        assert!((weight(1) / (weight(0) + weight(1)) - 1.0 / 400.0).abs() < 1e-12);
        // Classes of about the same size have no weights.
        let codes: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels = Labels::from_codes(codes, names).expect("labels");
        let x = Matrix::from_fn(n, 1, |i, _| i as f64);
        let even = Dataset::new(x, labels, vec!["x".into()]).expect("data");
        let found = drawn(&even, 2000, 0).expect("classes");
        let (_, sample) = found.expect("fewer");
        assert!(sample.weights().is_none());
    }

    #[test]
    fn many_rows_are_held_out_once_unless_the_user_says_how() {
        let (n, sieve) = (10_000, crate::method::Sieve::new());
        let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let labels = Labels::from_codes(codes, vec!["a".into(), "b".into()]).expect("labels");
        let x = Matrix::from_fn(n, 1, |i, _| i as f64);
        let data = Dataset::new(x, labels, vec!["x".into()]).expect("data");
        let protocol = Protocol::default();
        let once = |data: &Dataset, protocol: &Protocol| {
            held_out_once(&sieve, data, protocol).expect("two classes")
        };
        let found = once(&data, &protocol).expect("many rows");
        assert_eq!((found.held_out, found.problem.n()), (2000, 8000));
        let splits = found.data.folds(5, 0).expect("one");
        assert_eq!((splits.len(), splits[0].test.len()), (1, 2000));
        let scored = Protocol::default().score(Score::F1);
        let divided = Protocol::default().threshold(ThresholdRule::Best(Score::F1));
        assert!(once(&data, &scored).is_none() && once(&data, &divided).is_none());
        // Blocks are not divided, and few of them are left to folds.
        let blocked = |size: usize| {
            let blocks = (0..n).map(|i| i / size).collect();
            data.clone().with_blocks(blocks).expect("one each")
        };
        assert!(once(&blocked(1000), &protocol).is_none());
        let found = once(&blocked(20), &protocol).expect("many blocks");
        let split = found.data.folds(5, 0).expect("one").remove(0);
        assert!(split.test.len().abs_diff(2000) < 200);
        let train: std::collections::HashSet<usize> = split.train.iter().map(|i| i / 20).collect();
        assert!(split.test.iter().all(|i| !train.contains(&(i / 20))));
    }
}
