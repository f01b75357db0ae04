//! Kernels in words and as JSON.

use super::settings;
use crate::view::words::short;
use kernsieve::kernel::Kernel;
use kernsieve::method::posterior::PosteriorKind;
use kernsieve::model::Model;
use serde_json::{Value, json};

/// The kernel of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelFacts {
    /// In a few words.
    pub words: String,
    /// As JSON; for a discriminant kernel what its posteriors come from.
    pub json: Value,
    /// The bandwidth of the kernel that reads the features.
    pub bandwidth: Option<f64>,
}

impl KernelFacts {
    /// Reads it from a model.
    pub fn new(model: &Model) -> Self {
        let posterior = settings::posterior(model);
        Self {
            words: match posterior {
                None => words(&model.expansion.kernel),
                Some(p) => posterior_words(p, model),
            },
            json: match posterior {
                None => json!(model.expansion.kernel),
                Some(p) => json!({
                    "family": "discriminant",
                    "posterior": p,
                    "posterior_kernel": model.reader().kernel,
                }),
            },
            bandwidth: model.reader().kernel.bandwidth(),
        }
    }
}

/// A kernel in a few words.
fn words(kernel: &Kernel) -> String {
    match *kernel {
        Kernel::Linear => "linear kernel".into(),
        Kernel::Gaussian { bandwidth } => {
            format!("Gaussian kernel, bandwidth {}", short(bandwidth))
        }
        Kernel::Polynomial { degree } => format!("polynomial kernel, degree {degree}"),
        Kernel::Sigmoid { slope, shift } => format!(
            "sigmoid kernel, slope {}, shift {}",
            short(slope),
            short(shift)
        ),
        Kernel::Laplacian { bandwidth } => {
            format!("Laplacian kernel, bandwidth {}", short(bandwidth))
        }
        Kernel::RadialLaplacian { bandwidth } => {
            format!("radial Laplacian kernel, bandwidth {}", short(bandwidth))
        }
        Kernel::Cauchy { bandwidth, .. } => {
            format!("Cauchy kernel, bandwidth {}", short(bandwidth))
        }
    }
}

fn posterior_words(posterior: PosteriorKind, model: &Model) -> String {
    let own = match posterior {
        PosteriorKind::L1 => "L1 regression".into(),
        PosteriorKind::Logistic => "L1 logistic regression".into(),
        PosteriorKind::Klr | PosteriorKind::Parzen => {
            let bandwidth = model.reader().kernel.bandwidth();
            let width = bandwidth.map(|b| format!(", bandwidth {}", short(b)));
            format!("{}{}", posterior.name(), width.unwrap_or_default())
        }
    };
    format!("discriminant kernel, posteriors by {own}")
}

/// A kernel in a cell of a table whose rows have kernels of several families, each with a bandwidth
/// around which every fit finds its own.
pub fn cell_with_family(kernel: &Kernel) -> String {
    let family = match kernel {
        Kernel::Gaussian { .. } => "Gauss",
        Kernel::Laplacian { .. } => "Lapl.",
        Kernel::RadialLaplacian { .. } => "radial",
        _ => return cell(kernel, false),
    };
    format!("{family} ~{}", short(kernel.bandwidth().unwrap_or(1.0)))
}

/// A kernel in a cell of a table, without its family, which is obvious there.
pub fn cell(kernel: &Kernel, is_discriminant: bool) -> String {
    match kernel.bandwidth() {
        Some(b) => format!("width {}", short(b)),
        None if is_discriminant => "discriminant".into(),
        None => words(kernel).replace(" kernel", ""),
    }
}
