//! Bytes to model, trusting nothing.

use super::seal::{self, Seen, kind};
use super::{DecisionKind, Document, FORMAT, KEY, OutputKind, POSTERIOR};
use crate::data::{Curve, NormalScores, Scaling};
use crate::decision::{Decision, Simplex};
use crate::discriminant_kernel::DiscriminantKernel;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output, OwnWidths};
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::model::Model;
use crate::partial::TallQr;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, Metadata};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest head of a container, as its format has it.
const MOST_HEAD: u64 = 100_000_000;

/// Loads a model file.
pub fn load(path: &Path) -> Result<Model> {
    let name = path.display().to_string();
    let bytes = File::open(path)
        .and_then(whole)
        .map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => {
                Error::ModelFile(format!("{name}: there is no such file"))
            }
            _ => Error::Io {
                path: name.clone(),
                source,
            },
        })?;
    read(&bytes).map_err(|e| match e {
        Error::ModelFile(what) => Error::ModelFile(format!("{name}: {what}")),
        other => other,
    })
}

/// The bytes of a file, no more of them than its head announces: what is not a model may be of any
/// size, and a device never ends.
fn whole(mut file: File) -> std::io::Result<Vec<u8>> {
    const SIZE: usize = 8;
    let mut bytes = Vec::new();
    file.by_ref().take(SIZE as u64).read_to_end(&mut bytes)?;
    let Ok(head) = <[u8; SIZE]>::try_from(bytes.as_slice()) else {
        return Ok(bytes);
    };
    let head = u64::from_le_bytes(head);
    if head > MOST_HEAD {
        return Ok(bytes);
    }
    file.by_ref().take(head).read_to_end(&mut bytes)?;
    if let Ok(metadata) = serde_json::from_slice::<Metadata>(&bytes[SIZE..]) {
        // One byte more shows that the file is longer than it says.
        let data = metadata.data_len() as u64;
        file.take(data.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Reads a model from the bytes of a file. Whatever the bytes are, the answer is a model whose
/// parts fit, or an error.
pub fn read(bytes: &[u8]) -> Result<Model> {
    let broken = |what: String| Error::ModelFile(what);
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| {
        broken(format!(
            "the container is damaged or this is another kind of file ({e})"
        ))
    })?;
    let tensors = SafeTensors::deserialize(bytes)
        .map_err(|e| broken(format!("the container is damaged ({e})")))?;
    let text = header
        .metadata()
        .as_ref()
        .and_then(|m| m.get(KEY))
        .ok_or_else(|| broken("a safetensors file, but not one of kernsieve".into()))?;
    // The version comes first: a newer document may not parse at all.
    let version: Version = serde_json::from_str(text)
        .map_err(|e| broken(format!("its description is damaged ({e})")))?;
    if version.format > FORMAT {
        return Err(broken(format!(
            "written by a newer version of kernsieve (format {}, this one reads up to {FORMAT})",
            version.format
        )));
    }
    if version.format == 0 {
        return Err(broken("its format is 0, and there is none before 1".into()));
    }
    let views = tensors.tensors();
    let mut seen: Vec<Seen<'_>> = views
        .iter()
        .map(|(name, view)| (name.as_str(), kind(view.dtype()), view.shape(), view.data()))
        .collect();
    seal::check(text, &mut seen)?;
    let document: Document = serde_json::from_str(text)
        .map_err(|e| broken(format!("its description is damaged ({e})")))?;
    assemble(document, &Arrays(&tensors))
}

#[derive(serde::Deserialize)]
struct Version {
    format: u32,
}

fn read_expansion(
    prefix: &str,
    kernel: Kernel,
    output: OutputKind,
    linear: bool,
    arrays: &Arrays<'_>,
) -> Result<KernelExpansion> {
    let name = |s: &str| format!("{prefix}{s}");
    let output = match output {
        OutputKind::Linear => Output::Linear {
            coef: arrays.matrix(&name("coef"))?,
            offset: arrays.vector(&name("offset"))?,
        },
        OutputKind::LogDensity => Output::LogDensity {
            weights: arrays.vector(&name("weights"))?,
            starts: arrays.indices(&name("starts"))?,
            offset: arrays.vector(&name("offset"))?,
            own: None,
        },
        OutputKind::OwnWidths => Output::LogDensity {
            weights: arrays.vector(&name("weights"))?,
            starts: arrays.indices(&name("starts"))?,
            offset: arrays.vector(&name("offset"))?,
            own: Some(OwnWidths {
                scales: arrays.vector(&name("scales"))?,
                shifts: arrays.vector(&name("shifts"))?,
            }),
        },
    };
    Ok(KernelExpansion {
        kernel,
        feature_weights: arrays.vector(&name("feature_weights"))?,
        support: arrays.matrix(&name("support"))?,
        output,
        linear: match arrays.expected(&name("linear"), linear)? {
            true => Some(arrays.matrix(&name("linear"))?),
            false => None,
        },
    })
}

/// Normal scores: knots of all features, of which those of feature `j` lie between `starts[j]` and
/// `starts[j + 1]`.
fn read_scores(arrays: &Arrays<'_>) -> Result<NormalScores> {
    let knots = arrays.vector("scores.knots")?;
    let values = arrays.vector("scores.values")?;
    let starts = arrays.indices("scores.starts")?;
    let ordered = starts.windows(2).all(|w| w[0] <= w[1]);
    if starts.first() != Some(&0)
        || starts.last() != Some(&knots.len())
        || values.len() != knots.len()
        || !ordered
    {
        return Err(Error::ModelFile("its normal scores are damaged".into()));
    }
    let curve = |w: &[usize]| Curve {
        knots: knots[w[0]..w[1]].to_vec(),
        scores: values[w[0]..w[1]].to_vec(),
    };
    Ok(NormalScores {
        curves: starts.windows(2).map(curve).collect(),
    })
}

fn read_decision(prefix: &str, kind: DecisionKind, arrays: &Arrays<'_>) -> Result<Decision> {
    let name = |s: &str| format!("{prefix}decision.{s}");
    let simplex = |kind: Simplex| -> Result<Decision> {
        Ok(Decision::Simplex {
            kind,
            log_priors: arrays.vector(&name("log_priors"))?,
        })
    };
    Ok(match kind {
        DecisionKind::Mahalanobis => Decision::Mahalanobis {
            means: arrays.matrix(&name("means"))?,
            log_priors: arrays.vector(&name("log_priors"))?,
        },
        DecisionKind::NearestCentroid => Decision::NearestCentroid {
            means: arrays.matrix(&name("means"))?,
            variance: arrays
                .vector(&name("variance"))?
                .first()
                .copied()
                .unwrap_or(f64::NAN),
            log_priors: arrays.vector(&name("log_priors"))?,
        },
        DecisionKind::LogDensity => Decision::LogDensity {
            log_priors: arrays.vector(&name("log_priors"))?,
        },
        DecisionKind::Logits => Decision::Logits {
            shifts: arrays.vector(&name("shifts"))?,
        },
        DecisionKind::OneAgainstRest => Decision::OneAgainstRest {
            log_odds: arrays.vector(&name("log_odds"))?,
        },
        DecisionKind::Clip => simplex(Simplex::Clip)?,
        DecisionKind::Project => simplex(Simplex::Project)?,
        DecisionKind::Softmax => simplex(Simplex::Softmax)?,
        DecisionKind::Raw => simplex(Simplex::None)?,
    })
}

fn assemble(document: Document, arrays: &Arrays<'_>) -> Result<Model> {
    let (kernel, output) = (document.kernel, document.output);
    let expansion = read_expansion("", kernel, output, document.linear, arrays)?;
    let decision = read_decision("", document.decision, arrays)?;
    let discriminant = match document.posterior {
        None => None,
        Some(p) => Some(DiscriminantKernel {
            expansion: read_expansion(POSTERIOR, p.kernel, p.output, p.linear, arrays)?,
            decision: read_decision(POSTERIOR, p.decision, arrays)?,
            priors: arrays.vector(&format!("{POSTERIOR}priors"))?,
        }),
    };
    let scaling = Scaling {
        mean: arrays.vector("scaling.mean")?,
        scale: arrays.vector("scaling.scale")?,
        active: arrays
            .raw("scaling.active", Dtype::U8, 1)?
            .0
            .iter()
            .map(|&b| b != 0)
            .collect(),
        scores: match arrays.expected("scores.knots", document.scores)? {
            true => Some(read_scores(arrays)?),
            false => None,
        },
    };
    let mut record = document.record;
    record.report.retained_rows = arrays.indices("retained_rows")?;
    if record
        .cv
        .as_ref()
        .is_some_and(|cv| cv.chosen >= cv.grid.len())
    {
        return Err(Error::ModelFile(
            "its cross-validation table is damaged".into(),
        ));
    }
    let factor = match arrays.expected("factor", document.factor)? {
        false => None,
        true => {
            let (columns, classes) = (expansion.support.rows(), document.classes.len());
            let factor = TallQr::of_triangle(arrays.matrix("factor")?, columns, classes);
            Some(factor.map_err(|_| Error::ModelFile("its factor is damaged".into()))?)
        }
    };
    let model = Model {
        classes: document.classes,
        schema: document.schema,
        scaling,
        discriminant,
        expansion,
        decision,
        temperature: document.temperature,
        costs: document.costs,
        shifts: document.shifts,
        threshold: document.threshold,
        factor,
        record,
    };
    model.check()?;
    Ok(model)
}

/// The arrays of the file, each checked for its kind and shape.
struct Arrays<'a>(&'a SafeTensors<'a>);

impl Arrays<'_> {
    fn raw(&self, name: &str, dtype: Dtype, dimensions: usize) -> Result<(&[u8], Vec<usize>)> {
        let broken = |what: &str| Error::ModelFile(format!("array '{name}' {what}"));
        let view = self.0.tensor(name).map_err(|_| broken("is missing"))?;
        if view.dtype() != dtype || view.shape().len() != dimensions {
            return Err(broken("has the wrong type or shape"));
        }
        Ok((view.data(), view.shape().to_vec()))
    }

    /// `is`, if that is whether the array is there. A part of a model must not get lost unnoticed.
    fn expected(&self, name: &str, is: bool) -> Result<bool> {
        if self.0.tensor(name).is_ok() == is {
            return Ok(is);
        }
        let problem = if is { "is missing" } else { "is unexpected" };
        Err(Error::ModelFile(format!("array '{name}' {problem}")))
    }

    fn vector(&self, name: &str) -> Result<Vec<f64>> {
        let (bytes, _) = self.raw(name, Dtype::F64, 1)?;
        Ok(floats(bytes))
    }

    fn matrix(&self, name: &str) -> Result<Matrix> {
        let (bytes, shape) = self.raw(name, Dtype::F64, 2)?;
        let values = floats(bytes);
        if shape[0].checked_mul(shape[1]) != Some(values.len()) {
            return Err(Error::ModelFile(format!(
                "array '{name}' has the wrong size"
            )));
        }
        Ok(Matrix::from_vec(values, shape[0], shape[1]))
    }

    fn indices(&self, name: &str) -> Result<Vec<usize>> {
        let (bytes, _) = self.raw(name, Dtype::U64, 1)?;
        Ok(words(bytes)
            .map(|w| usize::try_from(u64::from_le_bytes(w)).unwrap_or(usize::MAX))
            .collect())
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> + '_ {
    bytes.chunks_exact(8).map(|c| {
        let mut word = [0; 8];
        word.copy_from_slice(c);
        word
    })
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    words(bytes).map(f64::from_le_bytes).collect()
}
