//! Plug-in kernel densities (the Parzen classifier that Kim & Scott compare with).
//!
//! ```text
//! f_c(x) = (1 / n_c) sum_{i in class c} k(x, x_i),   assign x to argmax_c prior_c f_c(x)   (eq. 1)
//! ```
//! with a normalised kernel (sections 2 and 5.4: Gaussian, Laplacian, Cauchy) and one bandwidth for
//! all classes. Everything stays in the log domain, so that hundreds of dimensions neither
//! underflow nor overflow. The outputs are log densities. Complexity: nothing to fit; `O(s p)` per
//! prediction.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, OnlyKernel, Outputs,
    Problem, density_kernels, some,
};
use crate::decision::Decision;
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output, add_log_terms};
use crate::kernel::Family;
use crate::linalg::Matrix;
use crate::params::{BANDWIDTHS, DENSITY_KERNEL, KernelChoice, Protocol};
use serde::{Deserialize, Serialize};

/// Plug-in kernel densities.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths` | Gaussian, tuned | | the kernel, a density |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parzen {
    #[serde(flatten)]
    kernel: KernelChoice,
}

/// Rows of each class, class by class.
fn rows_by_class(problem: &Problem) -> (Vec<usize>, Vec<usize>) {
    let codes = problem.labels.codes();
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by_key(|&i| codes[i]);
    let mut starts = vec![0];
    for count in problem.labels.counts() {
        starts.push(starts[starts.len() - 1] + count);
    }
    (order, starts)
}

impl Parzen {
    /// Gaussian densities with a tuned bandwidth.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    pub(super) fn choice(&self) -> &KernelChoice {
        &self.kernel
    }
}

/// A density needs a kernel that is a density itself.
pub(super) fn require_density(kernel: &KernelChoice) -> Result<()> {
    let name = format!("{:?}", kernel.family().name());
    require(
        "kernel",
        name,
        kernel.family().is_density(),
        "a density: gaussian, laplacian, radial-laplacian or cauchy",
    )
}

impl Method for Parzen {
    type Setting = OnlyKernel;

    const ABOUT: About = About {
        name: "parzen",
        class: "Parzen",
        title: "plug-in kernel densities",
        plain: "kernel density of each class (Parzen windows)",
        summary: "Plug-in kernel densities: one density per class, and Bayes' rule.",
        paper: "Kim & Scott 2010",
        tuned: "bandwidth",
        decides: "Bayes' rule",
        outputs: Outputs::LogDensities,
        params: &[DENSITY_KERNEL, BANDWIDTHS],
        auto: Candidacy::Asked,
        seconds: |n, p, c| 4e-9 * n * n * (p + 5.0 * c),
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        require_density(&self.kernel)
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint {
            held_out_base: true,
            ..Footprint::NONE
        }
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<OnlyKernel>> {
        let kernels = density_kernels(&self.kernel, problem.n_active(), 50)?;
        some(
            kernels
                .into_iter()
                .map(|kernel| vec![OnlyKernel { kernel }])
                .collect(),
        )
    }

    fn held_out(&self, fold: &Fold, arm: &[OnlyKernel]) -> Result<Vec<Option<HeldOut>>> {
        let Some(base) = &fold.held_out_base else {
            return Err(Error::Data("parzen needs the distances of a fold".into()));
        };
        let (order, starts) = rows_by_class(&fold.train);
        let decision = Decision::LogDensity {
            log_priors: fold.train.log_priors(),
        };
        let classes = fold.train.classes();
        let weight: Vec<f64> = order.iter().map(|&i| classes.weight(i)).collect();
        Ok(arm
            .iter()
            .map(|setting| {
                // The normalising constant is the same for all classes and cancels.
                let c = starts.len() - 1;
                let mut z = Matrix::zeros(base.rows(), c);
                let mut logs = vec![0.0; order.len()];
                for i in 0..base.rows() {
                    let row = base.row(i);
                    logs.iter_mut().zip(&order).for_each(|(l, &j)| *l = row[j]);
                    setting.kernel.apply_log(&mut logs);
                    for (class, group) in starts.windows(2).enumerate() {
                        let (mut top, mut sum) = (f64::NEG_INFINITY, 0.0);
                        let range = group[0]..group[1];
                        add_log_terms(&mut logs[range.clone()], &weight[range], &mut top, &mut sum);
                        z[(i, class)] = top + (sum / classes.totals()[class]).ln();
                    }
                }
                Some(decision.scores(&z).into())
            })
            .collect())
    }

    fn fit(&self, problem: &Problem, setting: &OnlyKernel) -> Result<Fit> {
        let (order, starts) = rows_by_class(problem);
        let d = problem.n_active();
        let Some(constant) = setting.kernel.log_normalizer(d) else {
            return Err(Error::Data(
                "parzen needs a kernel that is a density: gaussian, laplacian, radial-laplacian or \
                 cauchy"
                    .into(),
            ));
        };
        let classes = problem.classes();
        let weights = order
            .iter()
            .map(|&i| classes.weight(i) / classes.totals()[classes.codes()[i]])
            .collect();
        let output = Output::LogDensity {
            weights,
            starts,
            offset: vec![constant; classes.n_classes()],
            own: None,
        };
        let support = problem.x.select_rows(&order);
        Ok(Fit::new(
            KernelExpansion::new(
                setting.kernel,
                problem.feature_weights.clone(),
                &support,
                output,
            ),
            Decision::LogDensity {
                log_priors: problem.log_priors(),
            },
            FitReport {
                iterations: 1,
                converged: true,
                retained_rows: order,
                ..FitReport::default()
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, Rng};
    use crate::kernel::Kernel;
    use crate::kernel::{Base, Pairs};

    fn problem(n: usize, p: usize, seed: u64) -> Problem {
        let mut rng = Rng::new(seed);
        let codes: Vec<usize> = (0..n).map(|i| (i * 7 + i / 5) % 3).collect();
        let x = Matrix::from_fn(n, p, |i, _| rng.normal() + codes[i] as f64);
        let labels =
            Labels::from_codes(codes, vec!["a".into(), "b".into(), "c".into()]).expect("codes fit");
        let (labels, _) = labels.compact();
        Problem::new(x, labels).expect("valid")
    }

    #[test]
    fn probabilities_are_bayes_rule_on_the_densities() {
        let problem = problem(50, 2, 1);
        let h = 0.8;
        let kernel = Kernel::Gaussian { bandwidth: h };
        let fit = Parzen::new()
            .fit(&problem, &OnlyKernel { kernel })
            .expect("fits");
        let mut rng = Rng::new(2);
        let test = Matrix::from_fn(10, 2, |_, _| rng.normal());
        let z = fit.expansion.evaluate(&test);
        let p = fit.decision.posterior(&z);
        let (codes, counts) = (problem.labels.codes(), problem.labels.counts());
        for t in 0..10 {
            let mut joint = vec![0.0; counts.len()];
            for (i, &c) in codes.iter().enumerate() {
                let d2: f64 = (0..2)
                    .map(|j| (test[(t, j)] - problem.x[(i, j)]).powi(2))
                    .sum();
                let density = (-d2 / (2.0 * h * h)).exp() / (2.0 * std::f64::consts::PI * h * h);
                joint[c] += density / counts[c] as f64;
            }
            for (c, f) in joint.iter().enumerate() {
                assert!((z[(t, c)] - f.ln()).abs() < 1e-10);
            }
            let total: f64 = (0..counts.len())
                .map(|c| joint[c] * problem.priors[c])
                .sum();
            for c in 0..counts.len() {
                assert!((p[(t, c)] - joint[c] * problem.priors[c] / total).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn cross_validation_sees_what_a_fit_would_say() {
        let train = problem(40, 3, 3);
        let mut rng = Rng::new(4);
        let held_out = Matrix::from_fn(15, 3, |_, _| rng.normal());
        let base = Pairs::new(Base::SquaredDistance, train.x.clone()).all(&held_out, |_| ());
        let fold = Fold {
            held_out_classes: vec![None; held_out.rows()],
            held_out_weights: vec![1.0; held_out.rows()],
            train,
            held_out,
            train_base: None,
            held_out_base: Some(base),
        };
        let setting = OnlyKernel {
            kernel: Kernel::Gaussian { bandwidth: 0.3 },
        };
        let parzen = Parzen::new();
        let cv = parzen.held_out(&fold, &[setting]).expect("works");
        let fit = parzen.fit(&fold.train, &setting).expect("fits");
        let direct = fit
            .decision
            .posterior(&fit.expansion.evaluate(&fold.held_out));
        let cv = crate::testing::probabilities(&cv[0].as_ref().expect("fitted").scores);
        for (u, v) in cv.as_slice().iter().zip(direct.as_slice()) {
            assert!((u - v).abs() < 1e-11);
        }
    }
}
