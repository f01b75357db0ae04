//! Models as ONNX graphs. They use only standard operators of the default domain, and one of the
//! domain for machine learning where columns hold text, so that any ONNX runtime can predict with
//! them.
//!
//! The graph does what [`Model::predict`] does, from raw features to classes:
//!
//! ```text
//! X -> (x - origin) * factor -> kernel values -> outputs -> log scores -> probabilities -> label
//! ```
//! With normal scores, these are computed first, in double precision, and `x` is a score.
//! For a discriminant kernel, the steps up to the outputs occur twice. Input `X` is rows x
//! features; with columns of text or indicators of gaps, every column is an input. Outputs are `label` (text, or whole numbers where all classes are), `probabilities`
//! (rows x classes) and `outputs` (rows x variates, scores or log densities); a density has a
//! single output, `log_density`.
//!
//! ```
//! use kernsieve::{Control, Kos, Protocol, Train, data::simulate};
//! use kernsieve_onnx::{Precision, to_onnx};
//!
//! let data = simulate::rings(0);
//! let model = Kos::new().train(&data, &Protocol::default(), &Control::new())?.model;
//! let bytes = to_onnx(&model, Precision::F64)?;
//! assert!(bytes.len() > 1000);
//! # Ok::<(), kernsieve::Error>(())
//! ```

mod columns;
mod decision;
mod expansion;
mod graph;
mod kernel;
mod precision;
mod proto;
mod rows;
mod scores;
mod single;

pub use precision::Precision;

use graph::{Graph, Size, value};
use kernsieve::data::{ColumnKind, Scaling};
use kernsieve::decision::{Decision, Simplex};
use kernsieve::discriminant_kernel::DiscriminantKernel;
use kernsieve::kernel::Kernel;
use kernsieve::model::Model;
use kernsieve::{Error, Result};
use prost::Message;
use proto::{GraphProto, ModelProto, OperatorSetIdProto, StringStringEntryProto, data};
use rows::Source;

/// The version of the operators. Version 18 is the first in which all reductions take their axes in
/// the same way.
const OPERATORS: i64 = 18;
/// The version of the operators for machine learning: the first whose label encoder has defaults.
const LEARNING_OPERATORS: i64 = 2;
/// The version of the file layout. Every runtime that has these operators can read it.
const LAYOUT: i64 = 8;
/// Largest size of a protocol buffer.
const LARGEST_FILE: usize = i32::MAX as usize;

pub use columns::INPUT;

/// Names of the inputs: [`INPUT`] where every feature is a column of numbers, else the columns'.
pub fn input_names(model: &Model) -> Vec<String> {
    columns::input_names(&model.schema)
}

/// Names of the outputs.
pub fn output_names(model: &Model) -> &'static [&'static str] {
    if model.is_density() {
        &["log_density"]
    } else {
        &["label", "probabilities", "outputs"]
    }
}

/// The bytes of an ONNX file that predicts as the model does.
pub fn to_onnx(model: &Model, precision: Precision) -> Result<Vec<u8>> {
    model.check()?;
    let record = &model.record;
    let list = |names: &[String]| serde_json::Value::from(names.to_vec()).to_string();
    let mut metadata = vec![
        ("kernsieve.method", record.method.clone()),
        ("kernsieve.trained_by", record.version.clone()),
        ("kernsieve.precision", precision.to_string()),
        ("kernsieve.features", list(&model.feature_names())),
        ("kernsieve.inputs", list(&input_names(model))),
        ("kernsieve.target", model.schema.target.clone()),
    ];
    if !model.is_density() {
        metadata.push(("kernsieve.classes", list(&model.classes)));
    }
    let file = ModelProto {
        ir_version: Some(LAYOUT),
        producer_name: Some("kernsieve".into()),
        producer_version: Some(env!("CARGO_PKG_VERSION").into()),
        doc_string: Some(description(model)),
        graph: Some(graph_of(model, precision)?),
        opset_import: domains(model),
        metadata_props: metadata
            .into_iter()
            .map(|(key, value)| StringStringEntryProto {
                key: Some(key.into()),
                value: Some(value),
            })
            .collect(),
    };
    let size = file.encoded_len();
    if size > LARGEST_FILE {
        return Err(Error::Data(format!(
            "the ONNX file would have {size} bytes, but the format allows at most {LARGEST_FILE}; \
             retain fewer samples (smkda, sparse-kos or klr with --max-support) \
             or export in single precision"
        )));
    }
    Ok(file.encode_to_vec())
}

/// The sets of operators: that for machine learning looks up levels of text.
fn domains(model: &Model) -> Vec<OperatorSetIdProto> {
    let set = |domain: &str, version| OperatorSetIdProto {
        domain: Some(domain.into()),
        version: Some(version),
    };
    let mut sets = vec![set("", OPERATORS)];
    if model.schema.columns.iter().any(|c| c.kind.is_categorical()) {
        sets.push(set(graph::LEARNING, LEARNING_OPERATORS));
    }
    sets
}

fn description(model: &Model) -> String {
    let (used, all) = (
        model
            .feature_weights()
            .iter()
            .filter(|w| **w != 0.0)
            .count(),
        model.feature_weights().len(),
    );
    let what = if model.is_density() {
        "log density".to_string()
    } else {
        format!("classifier, {} classes", model.classes.len())
    };
    format!(
        "{what}, fitted by {} on {} rows; reads {used} of {all} features",
        model.record.method, model.record.n_rows
    )
}

fn graph_of(model: &Model, precision: Precision) -> Result<GraphProto> {
    let mut graph = Graph::new(precision);
    let names = model.feature_names();
    if names.is_empty() {
        return Err(Error::Data(
            "the model has no features, and ONNX no input without columns".into(),
        ));
    }
    let typical = typical_values(model);
    let (x, inputs) = columns::features(&mut graph, model)?;
    let z = match &model.discriminant {
        None => expansion::outputs(
            &mut graph,
            &source(&x, model, &names, &typical),
            &model.expansion,
        )?,
        Some(kernel) => {
            let build = |graph: &mut Graph, x: String| {
                let rows = source(&x, model, &names, &typical);
                discriminant_outputs(graph, &rows, kernel, model)
            };
            // A function of posteriors can be steep, so posteriors that are sums over samples are
            // computed in double precision.
            if precision == Precision::F32 && kernel.expansion.kernel != Kernel::Linear {
                graph.in_double(&x, build)?
            } else {
                build(&mut graph, x)?
            }
        }
    };
    let number = precision.data_type();
    let shape = |columns: usize| [Size::Rows, Size::Fixed(columns)];
    let q = model.expansion.n_outputs();
    if model.is_density() {
        graph.publish(&z, "log_density");
        let outputs = vec![value(
            "log_density",
            number,
            &shape(q),
            "log density of every row",
        )];
        return Ok(graph.finish("kernsieve", inputs, outputs));
    }
    let scores = decision::scores(&mut graph, &model.decision, &z)?;
    let (temperature, shifts, costs) = (model.temperature, &model.shifts, &model.costs);
    let p = decision::probabilities(&mut graph, &scores, temperature, shifts, costs)?;
    let best = decision::classes(&mut graph, &p, model)?;
    let (classes, kind) = match whole_numbers(&model.classes) {
        Some(numbers) => (graph.integers(&numbers), data::INT64),
        None => (graph.texts(&model.classes), data::STRING),
    };
    let label = graph.op("Gather", &[&classes, &best]);
    graph.publish(&label, "label");
    graph.publish(&p, "probabilities");
    graph.publish(&z, "outputs");
    let outputs = vec![
        value("label", kind, &[Size::Rows], "predicted class of every row"),
        value(
            "probabilities",
            number,
            &shape(model.classes.len()),
            "probabilities of the classes",
        ),
        value(
            "outputs",
            number,
            &shape(q),
            "variates, scores or log densities",
        ),
    ];
    Ok(graph.finish("kernsieve", inputs, outputs))
}

/// The raw features of a model, as the source of an expansion.
fn source<'a>(
    rows: &'a str,
    model: &'a Model,
    names: &'a [String],
    typical: &'a [f64],
) -> Source<'a> {
    Source {
        rows,
        scaling: &model.scaling,
        names,
        typical,
    }
}

/// Outputs of an expansion with a discriminant kernel, whose features are
/// `P(C_k | x) / sqrt(P(C_k))`.
fn discriminant_outputs(
    graph: &mut Graph,
    rows: &Source<'_>,
    kernel: &DiscriminantKernel,
    model: &Model,
) -> Result<String> {
    let features = discriminant_features(graph, rows, kernel)?;
    let c = kernel.priors.len();
    let source = Source {
        rows: &features,
        scaling: &unscaled(c),
        names: &model.classes,
        typical: &vec![0.0; c],
    };
    expansion::outputs(graph, &source, &model.expansion)
}

/// `P(C_k | x) / sqrt(P(C_k))`, rows x classes.
fn discriminant_features(
    graph: &mut Graph,
    rows: &Source<'_>,
    kernel: &DiscriminantKernel,
) -> Result<String> {
    let z = expansion::outputs(graph, rows, &kernel.expansion)?;
    let mut p = decision::scores(graph, &kernel.decision, &z)?;
    let raw = matches!(
        kernel.decision,
        Decision::Simplex {
            kind: Simplex::None,
            ..
        }
    );
    if !raw {
        p = decision::probabilities(graph, &p, 1.0, &[], &[])?;
    }
    let roots: Vec<f64> = kernel.priors.iter().map(|p| p.sqrt()).collect();
    let roots = graph.numbers("the priors", &roots, &[roots.len()])?;
    Ok(graph.op("Div", &[&p, &roots]))
}

/// Means of the training rows. The schema knows them where features are not standardised; otherwise
/// they are zero.
fn typical_values(model: &Model) -> Vec<f64> {
    let mut typical = model.scaling.mean.clone();
    let mut j = 0;
    for column in &model.schema.columns {
        match &column.kind {
            ColumnKind::Numeric { fill } | ColumnKind::Boolean { fill }
                if typical[j] == 0.0 && fill.is_finite() =>
            {
                typical[j] = *fill;
            }
            _ => {}
        }
        j += column.width();
    }
    typical
}

fn unscaled(n: usize) -> Scaling {
    Scaling {
        mean: vec![0.0; n],
        scale: vec![1.0; n],
        active: vec![true; n],
        scores: None,
    }
}

/// The classes as numbers, if all of them are whole numbers in plain notation. "01" is a name.
fn whole_numbers(classes: &[String]) -> Option<Vec<i64>> {
    let number = |text: &String| text.parse::<i64>().ok().filter(|n| n.to_string() == *text);
    classes.iter().map(number).collect()
}

#[cfg(test)]
mod tests;
