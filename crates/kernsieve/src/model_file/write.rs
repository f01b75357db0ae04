//! Model to bytes.

use super::read::read;
use super::seal::{Seen, kind, seal};
use super::{
    DecisionKind, Document, FORMAT, KEY, OutputKind, POSTERIOR, PosteriorKind, atomic::write_atomic,
};
use crate::data::NormalScores;
use crate::decision::{Decision, Simplex};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::model::Model;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;
use std::path::Path;

/// Saves a model, atomically.
pub fn save(model: &Model, path: &Path) -> Result<()> {
    write_atomic(path, &to_bytes(model)?)
}

/// A named array on its way into the file.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn floats(name: &str, values: &[f64], shape: Vec<usize>) -> Self {
        Self {
            name: name.into(),
            dtype: Dtype::F64,
            shape,
            bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    fn vector(name: &str, values: &[f64]) -> Self {
        Self::floats(name, values, vec![values.len()])
    }

    fn matrix(name: &str, m: &Matrix) -> Self {
        Self::floats(name, m.as_slice(), vec![m.rows(), m.cols()])
    }

    fn indices(name: &str, values: &[usize]) -> Self {
        let bytes = values
            .iter()
            .flat_map(|&v| (v as u64).to_le_bytes())
            .collect();
        Self {
            name: name.into(),
            dtype: Dtype::U64,
            shape: vec![values.len()],
            bytes,
        }
    }
}

/// The arrays of an expansion.
fn expansion_tensors(prefix: &str, e: &KernelExpansion, tensors: &mut Vec<Tensor>) -> OutputKind {
    let name = |s: &str| format!("{prefix}{s}");
    tensors.push(Tensor::vector(&name("feature_weights"), &e.feature_weights));
    tensors.push(Tensor::matrix(&name("support"), &e.support));
    if let Some(linear) = &e.linear {
        tensors.push(Tensor::matrix(&name("linear"), linear));
    }
    match &e.output {
        Output::Linear { coef, offset } => {
            tensors.push(Tensor::matrix(&name("coef"), coef));
            tensors.push(Tensor::vector(&name("offset"), offset));
            OutputKind::Linear
        }
        Output::LogDensity {
            weights,
            starts,
            offset,
            own,
        } => {
            tensors.push(Tensor::vector(&name("weights"), weights));
            tensors.push(Tensor::indices(&name("starts"), starts));
            tensors.push(Tensor::vector(&name("offset"), offset));
            match own {
                None => OutputKind::LogDensity,
                Some(own) => {
                    tensors.push(Tensor::vector(&name("scales"), &own.scales));
                    tensors.push(Tensor::vector(&name("shifts"), &own.shifts));
                    OutputKind::OwnWidths
                }
            }
        }
    }
}

/// The arrays of a decision rule.
fn decision_tensors(prefix: &str, decision: &Decision, tensors: &mut Vec<Tensor>) -> DecisionKind {
    let name = |s: &str| format!("{prefix}decision.{s}");
    match decision {
        Decision::Mahalanobis { means, log_priors } => {
            tensors.push(Tensor::matrix(&name("means"), means));
            tensors.push(Tensor::vector(&name("log_priors"), log_priors));
            DecisionKind::Mahalanobis
        }
        Decision::NearestCentroid {
            means,
            variance,
            log_priors,
        } => {
            tensors.push(Tensor::matrix(&name("means"), means));
            tensors.push(Tensor::vector(&name("log_priors"), log_priors));
            tensors.push(Tensor::vector(&name("variance"), &[*variance]));
            DecisionKind::NearestCentroid
        }
        Decision::LogDensity { log_priors } => {
            tensors.push(Tensor::vector(&name("log_priors"), log_priors));
            DecisionKind::LogDensity
        }
        Decision::Logits { shifts } => {
            tensors.push(Tensor::vector(&name("shifts"), shifts));
            DecisionKind::Logits
        }
        Decision::OneAgainstRest { log_odds } => {
            tensors.push(Tensor::vector(&name("log_odds"), log_odds));
            DecisionKind::OneAgainstRest
        }
        Decision::Simplex { kind, log_priors } => {
            tensors.push(Tensor::vector(&name("log_priors"), log_priors));
            match kind {
                Simplex::Clip => DecisionKind::Clip,
                Simplex::Project => DecisionKind::Project,
                Simplex::Softmax => DecisionKind::Softmax,
                Simplex::None => DecisionKind::Raw,
            }
        }
    }
}

/// The arrays of normal scores: the knots of all features one after another, their scores, and
/// where those of each feature start.
fn score_tensors(scores: &NormalScores, tensors: &mut Vec<Tensor>) {
    let curves = || scores.curves.iter();
    let knots: Vec<f64> = curves().flat_map(|c| &c.knots).copied().collect();
    let values: Vec<f64> = curves().flat_map(|c| &c.scores).copied().collect();
    let mut starts = vec![0];
    let mut end = 0;
    starts.extend(curves().map(|c| {
        end += c.knots.len();
        end
    }));
    tensors.push(Tensor::vector("scores.knots", &knots));
    tensors.push(Tensor::vector("scores.values", &values));
    tensors.push(Tensor::indices("scores.starts", &starts));
}

/// The smallest format that can hold a model.
fn format_of(model: &Model, output: OutputKind, decision: DecisionKind) -> u32 {
    let own = model.discriminant.as_ref().map(|k| &k.expansion);
    let is_new = |e: &KernelExpansion| {
        e.linear.is_some() || matches!(e.kernel, Kernel::RadialLaplacian { .. })
    };
    if model.factor.is_some() {
        FORMAT
    } else if !model.schema.is_known_to_format_4() {
        5
    } else if model.threshold.is_some() || !model.shifts.is_empty() {
        4
    } else if model.scaling.scores.is_some() || is_new(&model.expansion) || own.is_some_and(is_new)
    {
        3
    } else if own.is_some()
        || output == OutputKind::OwnWidths
        || decision == DecisionKind::OneAgainstRest
        || model.is_density()
        || !model.costs.is_empty()
    {
        2
    } else {
        1
    }
}

/// The bytes of a model file. The same model always gives the same bytes, and these have been read
/// back: they are the model again.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let bytes = written(model)?;
    let why = match read(&bytes) {
        Ok(again) if again == *model => return Ok(bytes),
        // A number that is not finite has no place in the document and does not equal itself.
        Ok(_) => "a number in its record is not finite".to_string(),
        Err(e) => e.to_string(),
    };
    Err(Error::ModelFile(format!(
        "the model cannot be written so that it can be read again ({why}); features of very \
         different or very large sizes can do this: standardise them, or write them in other units"
    )))
}

/// The bytes, not looked at again.
pub(super) fn written(model: &Model) -> Result<Vec<u8>> {
    let mut tensors = vec![
        Tensor::vector("scaling.mean", &model.scaling.mean),
        Tensor::vector("scaling.scale", &model.scaling.scale),
        Tensor {
            name: "scaling.active".into(),
            dtype: Dtype::U8,
            shape: vec![model.scaling.active.len()],
            bytes: model.scaling.active.iter().map(|&a| u8::from(a)).collect(),
        },
        Tensor::indices("retained_rows", &model.record.report.retained_rows),
    ];
    if let Some(scores) = &model.scaling.scores {
        score_tensors(scores, &mut tensors);
    }
    let output = expansion_tensors("", &model.expansion, &mut tensors);
    let decision = decision_tensors("", &model.decision, &mut tensors);
    if let Some(factor) = &model.factor {
        tensors.push(Tensor::matrix("factor", factor.triangle()));
    }
    let posterior = model.discriminant.as_ref().map(|k| {
        tensors.push(Tensor::vector(&format!("{POSTERIOR}priors"), &k.priors));
        PosteriorKind {
            kernel: k.expansion.kernel,
            output: expansion_tensors(POSTERIOR, &k.expansion, &mut tensors),
            decision: decision_tensors(POSTERIOR, &k.decision, &mut tensors),
            linear: k.expansion.linear.is_some(),
        }
    });
    let mut record = model.record.clone();
    record.report.retained_rows.clear(); // a tensor, above
    let document = Document {
        format: format_of(model, output, decision),
        classes: model.classes.clone(),
        schema: model.schema.clone(),
        kernel: model.expansion.kernel,
        output,
        decision,
        linear: model.expansion.linear.is_some(),
        scores: model.scaling.scores.is_some(),
        posterior,
        temperature: model.temperature,
        costs: model.costs.clone(),
        shifts: model.shifts.clone(),
        threshold: model.threshold,
        factor: model.factor.is_some(),
        record,
    };
    let failed = |e: &dyn std::fmt::Display| Error::ModelFile(format!("cannot be written: {e}"));
    let text = serde_json::to_string(&document).map_err(|e| failed(&e))?;
    let mut seen: Vec<Seen<'_>> = tensors
        .iter()
        .map(|t| (t.name.as_str(), kind(t.dtype), &t.shape[..], &t.bytes[..]))
        .collect();
    let text = seal(&text, &mut seen);
    let views: Vec<(&str, TensorView<'_>)> = tensors
        .iter()
        .map(|t| TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map(|v| (t.name.as_str(), v)))
        .collect::<Result<_, _>>()
        .map_err(|e| failed(&e))?;
    // A hash map with a single entry has only one order.
    let metadata = HashMap::from([(KEY.to_string(), text)]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| failed(&e))
}
