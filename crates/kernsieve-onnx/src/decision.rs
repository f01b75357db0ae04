//! From outputs to log scores, and from these to probabilities.

use crate::graph::{Graph, int};
use kernsieve::Result;
use kernsieve::decision::{Decision, Simplex};
use kernsieve::linalg::Matrix;
use kernsieve::model::{Model, Threshold};

/// Log scores, rows x classes, up to a constant per row.
pub fn scores(graph: &mut Graph, decision: &Decision, z: &str) -> Result<String> {
    match decision {
        Decision::Mahalanobis { means, log_priors } => {
            nearest_mean(graph, z, means, 1.0, log_priors)
        }
        Decision::NearestCentroid {
            means,
            variance,
            log_priors,
        } => nearest_mean(graph, z, means, *variance, log_priors),
        Decision::LogDensity { log_priors } => {
            let priors = graph.numbers("the log priors", log_priors, &[log_priors.len()])?;
            Ok(graph.op("Add", &[z, &priors]))
        }
        Decision::Logits { shifts } => {
            let mut odds = z.to_string();
            if shifts.len() == 2 {
                // (0, z) up to a shared constant, symmetric for both signs.
                let halves = graph.numbers("the halves", &[-0.5, 0.5], &[2])?;
                odds = graph.op("Mul", &[z, &halves]);
            }
            let shifts = graph.numbers("the shifts", shifts, &[shifts.len()])?;
            Ok(graph.op("Add", &[&odds, &shifts]))
        }
        Decision::OneAgainstRest { log_odds } => one_against_rest(graph, z, log_odds),
        Decision::Simplex { kind, log_priors } => match kind {
            Simplex::Softmax | Simplex::None => Ok(z.to_string()),
            Simplex::Clip => clip(graph, z, log_priors),
            Simplex::Project => project(graph, z, log_priors.len()),
        },
    }
}

/// `cost_c exp(s_c / temperature + shift_c) / sum`, where missing `costs` mean costs of 1, and
/// missing `shifts` mean 0. The largest score is subtracted first. A score of minus infinity gives
/// a probability of zero. If all scores are minus infinity, the classes get equal probabilities.
pub fn probabilities(
    graph: &mut Graph,
    scores: &str,
    temperature: f64,
    shifts: &[f64],
    costs: &[f64],
) -> Result<String> {
    let mut scores = scores.to_string();
    if temperature != 1.0 {
        let temperature = graph.number("the temperature", temperature)?;
        scores = graph.op("Div", &[&scores, &temperature]);
    }
    if !shifts.is_empty() {
        let shifts = graph.numbers("the shares in the calibration", shifts, &[shifts.len()])?;
        scores = graph.op("Add", &[&scores, &shifts]);
    }
    if !costs.is_empty() {
        let logs: Vec<f64> = costs.iter().map(|c| c.ln()).collect();
        let logs = graph.numbers("the costs", &logs, &[costs.len()])?;
        scores = graph.op("Add", &[&scores, &logs]);
    }
    let axis = graph.integers(&[1]);
    let top = graph.op("ReduceMax", &[&scores, &axis]);
    // The largest score becomes 0, even if it is infinite.
    let is_top = graph.op("Equal", &[&scores, &top]);
    let zero = graph.number("zero", 0.0)?;
    let below = graph.op("Sub", &[&scores, &top]);
    let below = graph.op("Where", &[&is_top, &zero, &below]);
    let terms = graph.op("Exp", &[&below]);
    let sum = graph.op("ReduceSum", &[&terms, &axis]);
    Ok(graph.op("Div", &[&terms, &sum]))
}

/// The class of every row by position: the first one among those of largest probability, or the
/// positive one where its probability is at least the threshold.
pub fn classes(graph: &mut Graph, p: &str, model: &Model) -> Result<String> {
    let Some(Threshold { positive, value }) = model.threshold else {
        return Ok(graph.op_with("ArgMax", &[p], vec![int("axis", 1), int("keepdims", 0)]));
    };
    let positive = positive as i64;
    let column = graph.integers(&[positive]);
    let own = graph.op_with("Gather", &[p, &column], vec![int("axis", 1)]);
    let axis = graph.integers(&[1]);
    let own = graph.op("Squeeze", &[&own, &axis]);
    let value = graph.number("the threshold", value)?;
    let is_positive = graph.op("GreaterOrEqual", &[&own, &value]);
    let (yes, no) = (graph.integers(&[positive]), graph.integers(&[1 - positive]));
    Ok(graph.op("Where", &[&is_positive, &yes, &no]))
}

/// `-|z - m_c|^2 / (2 variance) + log prior_c` without `-|z - g|^2 / (2 variance)`, which all
/// classes share: `<z - g, m_c - g> / variance - |m_c - g|^2 / (2 variance) + log prior_c`, `g` the
/// mean of the `m_c`. Otherwise, the squares of outputs far from all means would leave no digits
/// for the differences between classes.
fn nearest_mean(
    graph: &mut Graph,
    z: &str,
    means: &Matrix,
    variance: f64,
    log_priors: &[f64],
) -> Result<String> {
    let (c, q) = (means.rows(), means.cols());
    let middle: Vec<f64> = (0..q)
        .map(|k| {
            graph
                .precision()
                .round(means.column(k).iter().sum::<f64>() / c as f64)
        })
        .collect();
    let centred = Matrix::from_fn(c, q, |i, k| means[(i, k)] - middle[k]);
    let slopes: Vec<f64> = centred.as_slice().iter().map(|m| m / variance).collect();
    let constants: Vec<f64> = (0..c)
        .map(|i| log_priors[i] - 0.5 * centred.row(i).iter().map(|m| m * m).sum::<f64>() / variance)
        .collect();
    let middle = graph.numbers("the class means", &middle, &[q])?;
    let slopes = graph.numbers("the class means", &slopes, &[c, q])?;
    let constants = graph.numbers("the class means", &constants, &[c])?;
    let z = graph.op("Sub", &[z, &middle]);
    Ok(graph.op_with("Gemm", &[&z, &slopes, &constants], vec![int("transB", 1)]))
}

/// `log(1 / (1 + exp(-o_c)))`, `o_c = z_2c - z_2c+1 + log_odds_c`, as
/// `min(o, 0) - log(1 + exp(-|o|))`.
fn one_against_rest(graph: &mut Graph, z: &str, log_odds: &[f64]) -> Result<String> {
    let c = log_odds.len() as i64;
    let mut every_second = |first: i64| {
        let index: Vec<i64> = (0..c).map(|k| 2 * k + first).collect();
        let index = graph.integers(&index);
        graph.op_with("Gather", &[z, &index], vec![int("axis", 1)])
    };
    let (class, rest) = (every_second(0), every_second(1));
    let log_odds = graph.numbers("the log odds", log_odds, &[log_odds.len()])?;
    let difference = graph.op("Sub", &[&class, &rest]);
    let odds = graph.op("Add", &[&difference, &log_odds]);
    let (zero, one) = (graph.number("zero", 0.0)?, graph.number("one", 1.0)?);
    let negative = graph.op("Min", &[&odds, &zero]);
    let size = graph.op("Abs", &[&odds]);
    let minus = graph.op("Neg", &[&size]);
    let small = graph.op("Exp", &[&minus]);
    let sum = graph.op("Add", &[&small, &one]);
    let log = graph.op("Log", &[&sum]);
    Ok(graph.op("Sub", &[&negative, &log]))
}

/// Negative outputs become 0, then all are divided by their sum. Where none is positive, the priors
/// are used.
fn clip(graph: &mut Graph, z: &str, log_priors: &[f64]) -> Result<String> {
    let zero = graph.number("zero", 0.0)?;
    let axis = graph.integers(&[1]);
    let positive = graph.op("Max", &[z, &zero]);
    let total = graph.op("ReduceSum", &[&positive, &axis]);
    let share = graph.op("Div", &[&positive, &total]);
    let logs = graph.op("Log", &[&share]);
    let none = graph.op("Equal", &[&total, &zero]);
    let priors = graph.numbers("the log priors", log_priors, &[log_priors.len()])?;
    Ok(graph.op("Where", &[&none, &priors, &logs]))
}

/// The nearest point of the simplex, `max(z - t, 0)` with `t = max_k (z_(1) + .. + z_(k) - 1) / k`
/// over the outputs in descending order: this quotient grows with `k` as long as outputs are above
/// it, and falls afterwards. Subtracting a number from all outputs shifts `t` by the same number,
/// so the largest output is first shifted to 0.
fn project(graph: &mut Graph, z: &str, classes: usize) -> Result<String> {
    let axis = graph.integers(&[1]);
    let top = graph.op("ReduceMax", &[z, &axis]);
    let z = graph.op("Sub", &[z, &top]);
    let all = graph.integers(&[classes as i64]);
    let sorted = graph
        .op_many("TopK", &[&z, &all], vec![int("axis", 1)], 2)
        .swap_remove(0);
    // Column k of the matrix averages the first k.
    let matrix = Matrix::from_fn(classes, classes, |i, k| {
        if i <= k { 1.0 / (k + 1) as f64 } else { 0.0 }
    });
    let less: Vec<f64> = (1..=classes).map(|k| -1.0 / k as f64).collect();
    let matrix = graph.numbers("the averages", matrix.as_slice(), &[classes, classes])?;
    let less = graph.numbers("the averages", &less, &[classes])?;
    let levels = graph.op("Gemm", &[&sorted, &matrix, &less]);
    let level = graph.op("ReduceMax", &[&levels, &axis]);
    let zero = graph.number("zero", 0.0)?;
    let above = graph.op("Sub", &[&z, &level]);
    let above = graph.op("Max", &[&above, &zero]);
    Ok(graph.op("Log", &[&above]))
}
