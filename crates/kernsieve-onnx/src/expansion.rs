//! Outputs of a kernel expansion.

use crate::graph::{Graph, int};
use crate::rows::{Seen, Source};
use crate::{Precision, kernel, single};
use kernsieve::Result;
use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::Kernel;
use kernsieve::linalg::{Matrix, matmul};

/// Outputs of every row, rows x outputs.
pub fn outputs(
    graph: &mut Graph,
    source: &Source<'_>,
    expansion: &KernelExpansion,
) -> Result<String> {
    let seen = Seen::new(graph, source, expansion)?;
    let s = seen.support.rows();
    match &expansion.output {
        Output::Linear { coef, offset } => {
            let q = offset.len();
            if s == 0 || expansion.kernel == Kernel::Linear {
                let map = matmul(seen.support.view().t(), coef.view());
                return linear_map(graph, &seen, with_linear(map, &seen, expansion), offset);
            }
            let sum = |graph: &mut Graph, seen: &Seen| {
                let values = kernel::values(graph, &expansion.kernel, seen)?;
                let coef = graph.numbers("the coefficients", coef.as_slice(), &[s, q])?;
                // A linear part brings the offset with it.
                let rest = if expansion.linear.is_some() {
                    let map = Matrix::zeros(seen.support.cols(), q);
                    linear_map(graph, seen, with_linear(map, seen, expansion), offset)?
                } else {
                    graph.numbers("the offsets", offset, &[q])?
                };
                Ok(graph.op("Gemm", &[&values, &coef, &rest]))
            };
            if graph.precision() == Precision::F32 && single::is_too_little(expansion) {
                graph.in_double(&seen.rows.clone(), |graph, rows| {
                    sum(graph, &Seen { rows, ..seen })
                })
            } else {
                sum(graph, &seen)
            }
        }
        Output::LogDensity {
            weights,
            starts,
            offset,
            own,
        } => {
            let scales = own.as_ref().map(|o| o.scales.as_slice());
            let logs = kernel::logarithms(graph, &expansion.kernel, &seen, scales)?;
            // log(weight_i k_i), with the normalising constants of support rows and of outputs.
            let mut constants: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
            if let Some(own) = own {
                constants
                    .iter_mut()
                    .zip(&own.shifts)
                    .for_each(|(c, s)| *c += s);
            }
            for (group, offset) in starts.windows(2).zip(offset) {
                constants[group[0]..group[1]]
                    .iter_mut()
                    .for_each(|c| *c += offset);
            }
            let constants = graph.numbers("the logarithms of the weights", &constants, &[s])?;
            let logs = graph.op("Add", &[&logs, &constants]);
            // The bound keeps logarithms finite where the kernel is zero, so that differences of
            // log densities are not NaN.
            let floor = graph.number("the bounds", -graph.precision().largest_logarithm())?;
            let logs = graph.op("Max", &[&logs, &floor]);
            log_sums(graph, &logs, starts)
        }
    }
}

/// A map of the features used, plus the linear part of the expansion. A feature that is not used is
/// zero in every row.
fn with_linear(mut map: Matrix, seen: &Seen, expansion: &KernelExpansion) -> Matrix {
    if let Some(linear) = &expansion.linear {
        for (k, &j) in seen.used.iter().enumerate() {
            for c in 0..map.cols() {
                map[(k, c)] += linear[(j, c)];
            }
        }
    }
    map
}

/// `z = offset + (u + shift) W`. With a linear kernel, the sum over the retained samples is such a
/// product, `W = sum_i (w x_i) A_i'`, which is computed in double precision when the graph is made.
fn linear_map(graph: &mut Graph, seen: &Seen, map: Matrix, offset: &[f64]) -> Result<String> {
    let (p, q) = (seen.support.cols(), offset.len());
    let constant: Vec<f64> = (0..q)
        .map(|c| offset[c] + (0..p).map(|k| seen.shift[k] * map[(k, c)]).sum::<f64>())
        .collect();
    let map = graph.numbers("the coefficients", map.as_slice(), &[p, q])?;
    let constant = graph.numbers("the offsets", &constant, &[q])?;
    Ok(graph.op("Gemm", &[&seen.rows, &map, &constant]))
}

/// `log sum exp` over the columns of every group. The largest entry is subtracted first.
fn log_sums(graph: &mut Graph, logs: &str, starts: &[usize]) -> Result<String> {
    let sizes: Vec<i64> = starts.windows(2).map(|g| (g[1] - g[0]) as i64).collect();
    let groups = if sizes.len() == 1 {
        vec![logs.to_string()]
    } else {
        let split = graph.integers(&sizes);
        graph.op_many("Split", &[logs, &split], vec![int("axis", 1)], sizes.len())
    };
    let axis = graph.integers(&[1]);
    let mut sums = Vec::with_capacity(groups.len());
    for group in groups {
        let top = graph.op("ReduceMax", &[&group, &axis]);
        let below = graph.op("Sub", &[&group, &top]);
        let terms = graph.op("Exp", &[&below]);
        let sum = graph.op("ReduceSum", &[&terms, &axis]);
        let log = graph.op("Log", &[&sum]);
        sums.push(graph.op("Add", &[&log, &top]));
    }
    let sums: Vec<&str> = sums.iter().map(String::as_str).collect();
    Ok(graph.op_with("Concat", &sums, vec![int("axis", 1)]))
}
