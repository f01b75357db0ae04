//! Model to bytes.

use super::{DecisionKind, Document, FORMAT, KEY, OutputKind, atomic::write_atomic};
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::Output;
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
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn floats(name: &'static str, values: &[f64], shape: Vec<usize>) -> Self {
        Self {
            name,
            dtype: Dtype::F64,
            shape,
            bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    fn vector(name: &'static str, values: &[f64]) -> Self {
        Self::floats(name, values, vec![values.len()])
    }

    fn matrix(name: &'static str, m: &Matrix) -> Self {
        Self::floats(name, m.as_slice(), vec![m.rows(), m.cols()])
    }

    fn indices(name: &'static str, values: &[usize]) -> Self {
        let bytes = values.iter().flat_map(|&v| (v as u64).to_le_bytes()).collect();
        Self {
            name,
            dtype: Dtype::U64,
            shape: vec![values.len()],
            bytes,
        }
    }
}

/// The bytes of a model file. The same model always gives the same bytes.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let e = &model.expansion;
    let mut tensors = vec![
        Tensor::vector("scaling.mean", &model.scaling.mean),
        Tensor::vector("scaling.scale", &model.scaling.scale),
        Tensor {
            name: "scaling.active",
            dtype: Dtype::U8,
            shape: vec![model.scaling.active.len()],
            bytes: model.scaling.active.iter().map(|&a| u8::from(a)).collect(),
        },
        Tensor::vector("feature_weights", &e.feature_weights),
        Tensor::matrix("support", &e.support),
        Tensor::indices("retained_rows", &model.record.report.retained_rows),
    ];
    let output = match &e.output {
        Output::Linear { coef, offset } => {
            tensors.push(Tensor::matrix("coef", coef));
            tensors.push(Tensor::vector("offset", offset));
            OutputKind::Linear
        }
        Output::LogDensity {
            weights,
            starts,
            offset,
        } => {
            tensors.push(Tensor::vector("weights", weights));
            tensors.push(Tensor::indices("starts", starts));
            tensors.push(Tensor::vector("offset", offset));
            OutputKind::LogDensity
        }
    };
    let decision = match &model.decision {
        Decision::Mahalanobis { means, log_priors } => {
            tensors.push(Tensor::matrix("decision.means", means));
            tensors.push(Tensor::vector("decision.log_priors", log_priors));
            DecisionKind::Mahalanobis
        }
        Decision::NearestCentroid {
            means,
            variance,
            log_priors,
        } => {
            tensors.push(Tensor::matrix("decision.means", means));
            tensors.push(Tensor::vector("decision.log_priors", log_priors));
            tensors.push(Tensor::vector("decision.variance", &[*variance]));
            DecisionKind::NearestCentroid
        }
        Decision::LogDensity { log_priors } => {
            tensors.push(Tensor::vector("decision.log_priors", log_priors));
            DecisionKind::LogDensity
        }
        Decision::Logits { shifts } => {
            tensors.push(Tensor::vector("decision.shifts", shifts));
            DecisionKind::Logits
        }
    };
    let mut record = model.record.clone();
    record.report.retained_rows.clear(); // a tensor, above
    let document = Document {
        format: FORMAT,
        classes: model.classes.clone(),
        schema: model.schema.clone(),
        kernel: e.kernel,
        output,
        decision,
        temperature: model.temperature,
        record,
    };
    let failed = |e: &dyn std::fmt::Display| Error::ModelFile(format!("cannot be written: {e}"));
    let text = serde_json::to_string(&document).map_err(|e| failed(&e))?;
    let views: Vec<(&str, TensorView<'_>)> = tensors
        .iter()
        .map(|t| TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map(|v| (t.name, v)))
        .collect::<Result<_, _>>()
        .map_err(|e| failed(&e))?;
    // One key: a hash map of one entry has one order.
    let metadata = HashMap::from([(KEY.to_string(), text)]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| failed(&e))
}
