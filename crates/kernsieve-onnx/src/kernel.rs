//! Kernel values of rows and retained samples, rows x support.

use crate::graph::{Graph, Size, float, int, ints, node, subgraph, value};
use crate::rows::Seen;
use kernsieve::Result;
use kernsieve::kernel::{Base, Kernel};

/// Kernel values.
pub fn values(graph: &mut Graph, kernel: &Kernel, seen: &Seen) -> Result<String> {
    match *kernel {
        Kernel::Linear => products(graph, seen, 1.0, 0.0),
        Kernel::Polynomial { degree } => {
            let base = products(graph, seen, 1.0, 1.0)?;
            // The base is clipped so that its power is finite: a sum must not become infinity minus
            // infinity.
            let bound = graph
                .precision()
                .largest_value()
                .powf(1.0 / f64::from(degree));
            let low = graph.number("the bounds", -bound)?;
            let high = graph.number("the bounds", bound)?;
            let base = graph.op("Clip", &[&base, &low, &high]);
            let degree = graph.number("the degree", f64::from(degree))?;
            Ok(graph.op("Pow", &[&base, &degree]))
        }
        Kernel::Sigmoid { slope, shift } => {
            let base = products(graph, seen, slope, shift)?;
            Ok(graph.op("Tanh", &[&base]))
        }
        Kernel::Gaussian { .. }
        | Kernel::Laplacian { .. }
        | Kernel::RadialLaplacian { .. }
        | Kernel::Cauchy { .. } => {
            let logs = logarithms(graph, kernel, seen, None)?;
            Ok(graph.op("Exp", &[&logs]))
        }
    }
}

/// Logarithms of the values of a kernel of distances. `scales`, one per support row, are factors of
/// the distances.
pub fn logarithms(
    graph: &mut Graph,
    kernel: &Kernel,
    seen: &Seen,
    scales: Option<&[f64]>,
) -> Result<String> {
    let base = match kernel.family().base() {
        Base::AbsoluteDistance => absolute_distances(graph, seen)?,
        Base::SquaredDistance | Base::InnerProduct => squared_distances(graph, seen)?,
    };
    let base = match kernel {
        Kernel::RadialLaplacian { .. } => graph.op("Sqrt", &[&base]),
        _ => base,
    };
    let factor = match *kernel {
        Kernel::Gaussian { bandwidth } => -0.5 / (bandwidth * bandwidth),
        Kernel::Laplacian { bandwidth } | Kernel::RadialLaplacian { bandwidth } => -1.0 / bandwidth,
        Kernel::Cauchy { bandwidth, .. } => 1.0 / (bandwidth * bandwidth),
        Kernel::Linear | Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => {
            debug_assert!(false, "not a kernel of distances");
            0.0
        }
    };
    let factors: Vec<f64> = scales
        .unwrap_or(&[1.0])
        .iter()
        .map(|s| s * factor)
        .collect();
    let factors = graph.numbers("the bandwidths", &factors, &[factors.len()])?;
    let scaled = graph.op("Mul", &[&base, &factors]);
    let Kernel::Cauchy { dimension, .. } = *kernel else {
        return Ok(scaled);
    };
    // -(1 + d) / 2 * log(1 + |u - v|^2 / bandwidth^2)
    let one = graph.number("one", 1.0)?;
    let sum = graph.op("Add", &[&scaled, &one]);
    let log = graph.op("Log", &[&sum]);
    let exponent = graph.number("the exponent", -0.5 * (1.0 + dimension as f64))?;
    Ok(graph.op("Mul", &[&log, &exponent]))
}

/// `slope <w x, w x_i> + shift`: one product, with all constants in its last term.
fn products(graph: &mut Graph, seen: &Seen, slope: f64, shift: f64) -> Result<String> {
    let (s, p) = (seen.support.rows(), seen.support.cols());
    let support: Vec<f64> = seen.support.as_slice().iter().map(|v| slope * v).collect();
    let constant: Vec<f64> = seen
        .missing_products()
        .iter()
        .map(|m| slope * m + shift)
        .collect();
    let support = graph.numbers("the retained samples", &support, &[s, p])?;
    let constant = graph.numbers("the inner products", &constant, &[s])?;
    Ok(graph.op_with(
        "Gemm",
        &[&seen.rows, &support, &constant],
        vec![int("transB", 1)],
    ))
}

/// `|u|^2 + |v|^2 - 2 <u, v>`, at least 0. Both sides are centred, so that few digits cancel.
fn squared_distances(graph: &mut Graph, seen: &Seen) -> Result<String> {
    let (s, p) = (seen.support.rows(), seen.support.cols());
    let norms: Vec<f64> = seen
        .support
        .iter_rows()
        .map(|row| row.iter().map(|v| v * v).sum())
        .collect();
    let support = graph.numbers("the retained samples", seen.support.as_slice(), &[s, p])?;
    let norms = graph.numbers("the squares of the retained samples", &norms, &[s])?;
    let products = graph.op_with(
        "Gemm",
        &[&seen.rows, &support, &norms],
        vec![float("alpha", -2.0), int("transB", 1)],
    );
    let features = graph.integers(&[1]);
    let own = graph.op("ReduceSumSquare", &[&seen.rows, &features]);
    let sum = graph.op("Add", &[&products, &own]);
    let zero = graph.number("zero", 0.0)?;
    Ok(graph.op("Max", &[&sum, &zero]))
}

/// `|u - v|_1`, one feature at a time: `Scan` adds up matrices of rows x support. Subtracting all
/// features at once would need as many such matrices as there are features.
fn absolute_distances(graph: &mut Graph, seen: &Seen) -> Result<String> {
    let (s, p) = (seen.support.rows(), seen.support.cols());
    let kind = graph.precision().data_type();
    let support = graph.numbers(
        "the retained samples",
        seen.support.transpose().as_slice(),
        &[p, s],
    )?;
    let count = graph.op_with("Shape", &[&seen.rows], vec![int("start", 0), int("end", 1)]);
    let width = graph.integers(&[s as i64]);
    let shape = graph.op_with("Concat", &[&count, &width], vec![int("axis", 0)]);
    let zero = graph.number("zero", 0.0)?;
    let start = graph.op("Expand", &[&zero, &shape]);
    // rows x 1 x features: the slice for one feature is a column, from which the row of support
    // values is subtracted.
    let axis = graph.integers(&[1]);
    let columns = graph.op("Unsqueeze", &[&seen.rows, &axis]);
    let step = |kind: &str, inputs: &[&str], output: &str| {
        node(kind, output, inputs, &[output.to_string()], vec![])
    };
    let body = crate::proto::GraphProto {
        node: vec![
            step("Sub", &["column", "values"], "difference"),
            step("Abs", &["difference"], "distance"),
            step("Add", &["total", "distance"], "next_total"),
        ],
        name: Some("add_a_feature".into()),
        initializer: vec![],
        input: vec![
            value("total", kind, &[Size::Rows, Size::Fixed(s)], ""),
            value("column", kind, &[Size::Rows, Size::Fixed(1)], ""),
            value("values", kind, &[Size::Fixed(s)], ""),
        ],
        output: vec![value("next_total", kind, &[Size::Rows, Size::Fixed(s)], "")],
    };
    Ok(graph.op_with(
        "Scan",
        &[&start, &columns, &support],
        vec![
            subgraph("body", body),
            int("num_scan_inputs", 2),
            ints("scan_input_axes", &[2, 0]),
        ],
    ))
}
