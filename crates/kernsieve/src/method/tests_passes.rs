//! Fits by sums over rows elsewhere are fits in memory.

use super::discriminant::DiscriminantSetting;
use super::lda::{LdaSetting, Metric};
use super::posterior::{Penalised, PosteriorSetting};
use super::smkda::SmkdaSetting;
use super::*;
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::params::Protocol;
use crate::partial::{InMemory, Part, Task};
use crate::testing::{problem, random};

/// Rows in parts that know nothing of each other; everything between them travels as bytes.
struct Elsewhere<'a> {
    problem: &'a Problem,
    passes: usize,
}

impl Passes for Elsewhere<'_> {
    fn rows(&self) -> u64 {
        self.problem.n() as u64
    }

    fn run(&mut self, task: &Task) -> Result<Part> {
        self.passes += 1;
        let (n, c) = (self.problem.n(), self.problem.labels.n_classes());
        let task = Task::from_bytes(&task.to_bytes())?;
        let mut whole = task.part(self.problem.x.cols(), c);
        // The third part is empty, and the last one large.
        for range in [0..3, 3..n / 4, n / 4..n / 4, n / 4..n] {
            let rows: Vec<usize> = range.collect();
            let weights = self.problem.weights.as_ref();
            let own: Option<Vec<f64>> = weights.map(|w| rows.iter().map(|&i| w[i]).collect());
            let codes = self.problem.labels.select(&rows);
            let classes = crate::classes::Classes::new(codes.codes(), own.as_deref(), c);
            let x = self.problem.x.select_rows(&rows);
            let mut part = InMemory {
                x: &x,
                classes: &classes,
            };
            let bytes = part.run(&task)?.to_bytes();
            whole.merge(&task.read_part(&bytes)?)?;
        }
        Ok(whole)
    }
}

/// Probabilities of new rows by both fits differ by less than this.
fn same<M: Method>(method: &M, problem: &Problem, setting: &M::Setting, most: f64) {
    assert!(method.streams());
    let mut rows = Elsewhere { problem, passes: 0 };
    let there = method
        .fit_by_passes(problem, setting, &mut rows)
        .expect("fits");
    let here = method.fit(problem, setting).expect("fits");
    assert!(rows.passes > 0);
    assert_eq!(here.report.retained_rows, there.report.retained_rows);
    let new = random(60, problem.x.cols(), 77);
    let p = |fit: &Fit| -> Matrix { fit.decision.posterior(&fit.outputs(&new)) };
    let (a, b) = (p(&here), p(&there));
    let gaps = a.as_slice().iter().zip(b.as_slice());
    let gap = gaps.fold(0.0, |m, (u, v)| f64::max(m, (u - v).abs()));
    assert!(gap < most, "{}: {gap:e}", M::ABOUT.name);
    if let (Some(a), Some(b)) = (here.report.objective, there.report.objective) {
        assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "{a} {b}");
    }
}

/// Two and three classes, with and without weights, and with a feature that does not vary.
fn problems() -> Vec<Problem> {
    let mut problems = vec![];
    for c in [2, 3] {
        let mut plain = problem(160, 4, c, 9);
        (0..160).for_each(|i| plain.x[(i, 3)] = 0.0);
        plain.feature_weights[3] = 0.0;
        let weights: Vec<f64> = (0..160).map(|i| 1.0 + (i % 3) as f64).collect();
        let mut weighted = Problem {
            weights: Some(weights),
            ..plain.clone()
        };
        weighted.priors = weighted.classes().shares();
        problems.extend([plain, weighted]);
    }
    problems
}

#[test]
fn linear_methods_are_the_same_from_sums() {
    for problem in problems() {
        same(&Lda::new(), &problem, &LdaSetting::default(), 1e-9);
        let total = Lda::new().metric(Metric::Total);
        same(&total, &problem, &LdaSetting::default(), 1e-9);
        for sparsity in [0.01, 4.0] {
            let setting = DiscriminantSetting {
                outer: NoSetting,
                posterior: PosteriorSetting::Penalised(Penalised { sparsity }),
            };
            same(&L1Dkf::new(), &problem, &setting, 1e-7);
        }
    }
}

#[test]
fn kernel_methods_are_the_same_from_sums() {
    let kernel = Kernel::Gaussian { bandwidth: 1.3 };
    for problem in problems() {
        let smkda = Smkda::new().candidates(40);
        same(&smkda, &problem, &SmkdaSetting::of(kernel, 9), 1e-8);
        let klr = Klr::new().candidates(30);
        let ridged = Ridged {
            kernel,
            ridge: 0.01,
        };
        same(&klr, &problem, &ridged, 1e-8);
        let sieve = Sieve::new();
        let grid = sieve.grid(&problem, &Protocol::default()).expect("grid");
        // Least squares and softmax, all features and fewer. At the end of a long path rows are
        // nearly alike, and rounding decides among them.
        let short = grid.iter().flatten().filter(|s| s.size <= 40);
        for setting in short.step_by(7) {
            same(&sieve, &problem, setting, 1e-6);
        }
    }
}

#[test]
fn a_penalty_found_on_some_rows_grows_with_the_rows() {
    // All rows four times are the same lasso with four times the penalty.
    let some = problem(100, 3, 3, 4);
    let rows: Vec<usize> = (0..400).map(|i| i % 100).collect();
    let all = some.select(&rows);
    let setting = |sparsity: f64| DiscriminantSetting {
        outer: NoSetting,
        posterior: PosteriorSetting::Penalised(Penalised { sparsity }),
    };
    let mut there = Elsewhere {
        problem: &all,
        passes: 0,
    };
    let found = L1Dkf::new()
        .fit_by_passes(&some, &setting(3.0), &mut there)
        .expect("fits");
    let whole = L1Dkf::new().fit(&all, &setting(12.0)).expect("fits");
    let p = |fit: &Fit| fit.decision.posterior(&fit.outputs(&some.x));
    for (u, v) in p(&found).as_slice().iter().zip(p(&whole).as_slice()) {
        assert!((u - v).abs() < 1e-7, "{u} {v}");
    }
}

#[test]
fn what_needs_all_rows_at_once_says_so() {
    let problem = problem(30, 2, 2, 1);
    let mut rows = Elsewhere {
        problem: &problem,
        passes: 0,
    };
    assert!(!Smkda::new().streams() && !Klr::new().streams() && !Mkda::new().streams());
    let setting = Ridged {
        kernel: Kernel::Linear,
        ridge: 0.1,
    };
    let refused = Mkda::new().fit_by_passes(&problem, &setting, &mut rows);
    let e = refused.expect_err("refused").to_string();
    assert!(e.contains("mkda") && e.contains("sums over rows"), "{e}");
}
