//! Any method with a discriminant kernel: posteriors first, then the method on the features that
//! stand for their kernel.

use super::l1_logistic::L1Logistic;
use super::l1_regression::L1Regression;
use super::onda::Onda;
use super::{
    Arm, Candidate, Fit, Fold, Footprint, HeldOut, Method, MethodKind, Options, PosteriorKind,
    Problem, Ranking, klr::Klr, lda::Lda, options::MappingKind, parzen::Parzen,
};
use crate::decision::Simplex;
use crate::discriminant_kernel::{DiscriminantKernel, posteriors, psi};
use crate::error::{Error, Result};
use crate::kernel::{Family, Pairs, symmetric_base};
use crate::linalg::Matrix;

/// Features of the kernel that vary less than this are constant but for rounding.
const SMALLEST_DEVIATION: f64 = 1e-9;

/// Of the penalties of linear posteriors every third is tried inside another method.
const OUTER_STEP: usize = 3;

/// A method whose kernel is the discriminant kernel of estimated posteriors.
pub struct Discriminant {
    name: &'static str,
    /// Estimates the posteriors.
    posterior: Box<dyn Method>,
    /// What is done with the kernel, as a method with a linear kernel.
    outer: Box<dyn Method>,
    /// Whether outputs are taken as they are.
    raw: bool,
}

/// The method `kind` with the discriminant kernel that its options ask for.
pub(super) fn build(kind: MethodKind, options: &Options) -> Result<Box<dyn Method>> {
    let own = kind == MethodKind::L1Dkf;
    let mut inner = Options {
        posterior: None,
        ..options.clone()
    };
    let outer = Options {
        kernel: Family::Linear,
        bandwidths: vec![],
        posterior: None,
        sparsity: None,
        ..options.clone()
    };
    if !own {
        // Two methods, and one set of options: these are the outer one's.
        (inner.ridge, inner.ridges, inner.max_support) = (None, vec![], None);
    }
    let posterior: Box<dyn Method> = match options.posterior_of(kind).unwrap_or(PosteriorKind::L1) {
        PosteriorKind::L1 => Box::new(L1Regression::new(&inner)),
        PosteriorKind::Logistic => Box::new(L1Logistic::new(&inner)),
        PosteriorKind::Klr => Box::new(Klr::new(&inner)),
        PosteriorKind::Parzen => Box::new(Parzen::new(&inner)),
    };
    let raw =
        options.posterior_of(kind) == Some(PosteriorKind::L1) && options.simplex == Simplex::None;
    let outer: Box<dyn Method> = match (kind, options.mapping) {
        (MethodKind::L1Dkf, MappingKind::Lda) => Box::new(Lda::new(&outer)),
        (MethodKind::L1Dkf, MappingKind::Onda) => Box::new(Onda::new(&outer)),
        _ => kind.build(&outer)?,
    };
    Ok(Box::new(Discriminant {
        name: kind.name(),
        posterior,
        outer,
        raw,
    }))
}

impl Discriminant {
    /// The problem that the outer method sees: `psi` of every row in place of the row. Features
    /// that are constant but for rounding take no part.
    fn outer_problem(&self, problem: &Problem, mut psi: Matrix, priors: &[f64]) -> Problem {
        let classes = problem.classes();
        let means = classes.column_means(&psi);
        let mut squares = vec![0.0; means.len()];
        let total = classes.total();
        for (i, row) in psi.iter_rows().enumerate() {
            let w = classes.weight(i) / total;
            for (s, (v, m)) in squares.iter_mut().zip(row.iter().zip(&means)) {
                *s += w * (v - m) * (v - m);
            }
        }
        let varies = |(s, p): (&f64, &f64)| f64::from(s.sqrt() > SMALLEST_DEVIATION / p.sqrt());
        let feature_weights: Vec<f64> = squares.iter().zip(priors).map(varies).collect();
        for row in psi.as_mut_slice().chunks_exact_mut(means.len()) {
            row.iter_mut()
                .zip(&feature_weights)
                .for_each(|(v, w)| *v *= w);
        }
        Problem {
            x: psi,
            labels: problem.labels.clone(),
            weights: problem.weights.clone(),
            priors: problem.priors.clone(),
            feature_weights,
        }
    }

    /// A fold whose held-out rows are its training rows, then its held-out rows: the estimate of
    /// the posteriors is asked about both.
    fn with_training_rows(&self, fold: &Fold) -> Fold {
        let n = fold.train.n();
        let classes = fold.train.classes();
        let codes = classes.codes().iter().map(|&c| Some(c));
        Fold {
            train: with_own_priors(&fold.train),
            held_out: stacked(&fold.train.x, &fold.held_out),
            held_out_classes: codes.chain(fold.held_out_classes.iter().copied()).collect(),
            held_out_weights: (0..n)
                .map(|i| classes.weight(i))
                .chain(fold.held_out_weights.iter().copied())
                .collect(),
            train_base: fold.train_base.clone(),
            held_out_base: match (&fold.train_base, &fold.held_out_base) {
                (Some(a), Some(b)) => Some(stacked(a, b)),
                _ => None,
            },
        }
    }
}

/// The problem with the shares of its rows for priors: posteriors are those of the training rows,
/// and other priors come in at the end.
fn with_own_priors(problem: &Problem) -> Problem {
    Problem {
        priors: problem.classes().shares(),
        ..problem.clone()
    }
}

fn stacked(a: &Matrix, b: &Matrix) -> Matrix {
    let values = a.as_slice().iter().chain(b.as_slice()).copied().collect();
    Matrix::from_vec(values, a.rows() + b.rows(), a.cols())
}

/// The settings of the posteriors.
fn of_posterior(candidate: &Candidate) -> Result<&Candidate> {
    candidate.posterior.as_deref().ok_or_else(|| {
        Error::Data("a discriminant kernel needs the settings of its posteriors".into())
    })
}

impl Method for Discriminant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn family(&self) -> Family {
        self.posterior.family()
    }

    fn footprint(&self, n: usize) -> Footprint {
        let (inner, outer) = (self.posterior.footprint(n), self.outer.footprint(n));
        // Base values of the training rows with themselves stand in both halves of the fold that is
        // asked about; the outer method has its own Gram matrix.
        let doubled = if inner.held_out_base { 2 } else { 0 };
        Footprint {
            train_base: inner.train_base || inner.held_out_base,
            held_out_base: inner.held_out_base,
            copies: inner.copies + doubled + outer.copies + usize::from(outer.train_base),
            cache: inner.cache + outer.cache,
        }
    }

    fn ranking(&self) -> Ranking {
        self.outer.ranking()
    }

    fn races(&self) -> bool {
        self.posterior.races() || self.outer.races()
    }

    /// Every setting of the posteriors with every setting of the outer method.
    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        // The grid of the outer method sees the best posteriors there could be: the classes
        // themselves.
        let priors = problem.classes().shares();
        let codes = problem.labels.codes();
        let certain = Matrix::from_fn(problem.n(), priors.len(), |i, k| f64::from(codes[i] == k));
        let outer =
            self.outer
                .arms(&self.outer_problem(problem, psi(certain, &priors), &priors))?;
        let mut inner = self.posterior.arms(problem)?;
        if self.name != MethodKind::L1Dkf.name() {
            // An outer method that works with n x n matrices cannot afford all penalties.
            for arm in inner
                .iter_mut()
                .filter(|arm| arm.iter().all(|c| c.sparsity.is_some()))
            {
                *arm = arm.iter().step_by(OUTER_STEP).cloned().collect();
            }
        }
        Ok(inner.iter().map(|arm| product(arm, &outer)).collect())
    }

    fn compare(&self, a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
        self.outer.compare(a, b)
    }

    fn widen(&self, tried: &[Candidate], chosen: &Candidate, n_classes: usize) -> Vec<Arm> {
        let Ok(best) = of_posterior(chosen) else {
            return vec![];
        };
        let inner: Vec<Candidate> = tried
            .iter()
            .filter_map(|c| c.posterior.as_deref().cloned())
            .collect();
        let mut outer: Arm = Vec::new();
        for c in tried.iter().filter(|c| c.posterior == tried[0].posterior) {
            outer.push(Candidate {
                posterior: None,
                ..c.clone()
            });
        }
        let more = self.posterior.widen(&inner, best, n_classes);
        let mut arms: Vec<Arm> = more
            .iter()
            .map(|arm| product(arm, &[outer.clone()]))
            .collect();
        // And the outer method's own grid, with the posteriors at hand.
        let own: Vec<Candidate> = tried
            .iter()
            .filter(|c| c.posterior == chosen.posterior)
            .cloned()
            .collect();
        let wider = self.outer.widen(&own, chosen, n_classes);
        arms.extend(
            wider
                .iter()
                .map(|arm| product(&vec![best.clone()], std::slice::from_ref(arm))),
        );
        arms
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        // Runs of candidates with the same posteriors, which are estimated once.
        let runs: Vec<&[Candidate]> = arm.chunk_by(|a, b| a.posterior == b.posterior).collect();
        let settings: Arm = runs
            .iter()
            .map(|r| of_posterior(&r[0]).cloned())
            .collect::<Result<_>>()?;
        let estimated = self
            .posterior
            .held_out(&self.with_training_rows(fold), &settings)?;
        let priors = fold.train.classes().shares();
        let n = fold.train.n();
        let all: Vec<usize> = (0..n + fold.held_out.rows()).collect();
        let mut results = Vec::with_capacity(arm.len());
        for (run, estimate) in runs.into_iter().zip(estimated) {
            let Some(estimate) = estimate else {
                results.extend(vec![None; run.len()]);
                continue;
            };
            let psi = psi(posteriors(estimate.scores, self.raw), &priors);
            let train = self.outer_problem(&fold.train, psi.select_rows(&all[..n]), &priors);
            let held_out = psi.select_rows(&all[n..]);
            let footprint = self.outer.footprint(train.n());
            let outer = Fold {
                train_base: footprint
                    .train_base
                    .then(|| symmetric_base(Family::Linear, &train.x)),
                held_out_base: footprint.held_out_base.then(|| {
                    Pairs::new(Family::Linear.base(), train.x.clone()).all(&held_out, |_| ())
                }),
                train,
                held_out,
                held_out_classes: fold.held_out_classes.clone(),
                held_out_weights: fold.held_out_weights.clone(),
            };
            let run: Arm = run.to_vec();
            for answer in self.outer.held_out(&outer, &run)? {
                results.push(answer.map(|h| HeldOut {
                    scores: h.scores,
                    weights: estimate.weights.clone(),
                }));
            }
        }
        Ok(results)
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let estimate = self
            .posterior
            .fit(&with_own_priors(problem), of_posterior(candidate)?)?;
        let kernel = DiscriminantKernel {
            expansion: estimate.expansion,
            decision: estimate.decision,
            priors: problem.classes().shares(),
        };
        let outer = self.outer_problem(problem, kernel.features(&problem.x), &kernel.priors);
        let fit = self.outer.fit(&outer, candidate)?;
        let mut report = fit.report;
        // The model carries the rows of both.
        let mut there = vec![false; problem.n()];
        report
            .retained_rows
            .iter()
            .for_each(|&row| there[row] = true);
        let others = estimate
            .report
            .retained_rows
            .into_iter()
            .filter(|&row| !there[row]);
        report.retained_rows.extend(others);
        if self.name == MethodKind::L1Dkf.name() {
            // The regressions are what is solved step by step; the rest is a closed form.
            report.objective = estimate.report.objective;
            report.residual = estimate.report.residual;
        }
        report.iterations += estimate.report.iterations;
        report.converged &= estimate.report.converged;
        report.regressions = estimate.report.regressions;
        if report.path.is_empty() {
            report.path = estimate.report.path;
        }
        Ok(Fit {
            discriminant: Some(kernel),
            report,
            ..fit
        })
    }
}

/// Every candidate of the posteriors with every one of the outer arms.
fn product(inner: &Arm, outer: &[Arm]) -> Arm {
    let with = |posterior: &Candidate, c: &Candidate| Candidate {
        posterior: Some(Box::new(posterior.clone())),
        ..c.clone()
    };
    let pairs = inner
        .iter()
        .flat_map(|p| outer.iter().flatten().map(move |c| with(p, c)));
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::decision::argmax;
    use crate::kernel::Kernel;
    use crate::linalg::{matmul, symmetric_eigen};
    use crate::method::{Metric, Priors};
    use crate::testing::{problem, random};

    fn candidate(kind: PosteriorKind) -> Candidate {
        let posterior = match kind {
            PosteriorKind::L1 | PosteriorKind::Logistic => Candidate {
                sparsity: Some(3.0),
                ..Candidate::new(Kernel::Linear)
            },
            PosteriorKind::Klr => Candidate::new(Kernel::Gaussian { bandwidth: 2.0 }).ridge(0.01),
            PosteriorKind::Parzen => Candidate::new(Kernel::Gaussian { bandwidth: 1.0 }),
        };
        Candidate {
            posterior: Some(Box::new(posterior)),
            ..Candidate::new(Kernel::Linear)
        }
    }

    fn options(posterior: PosteriorKind) -> Options {
        Options {
            posterior: Some(posterior),
            ..Options::default()
        }
    }

    #[test]
    fn the_two_forms_of_the_kernel_agree_and_its_rank_is_the_number_of_classes() {
        for c in [2, 3, 5] {
            let problem = problem(60, 4, c, 3);
            for kind in PosteriorKind::ALL {
                let method = MethodKind::L1Dkf.build(&options(kind)).expect("valid");
                let fit = method.fit(&problem, &candidate(kind)).expect("fits");
                let kernel = fit.discriminant.expect("there");
                let p = kernel.posteriors(&problem.x);
                for row in p.iter_rows() {
                    assert!(
                        (row.iter().sum::<f64>() - 1.0).abs() < 1e-12
                            && row.iter().all(|v| *v >= 0.0)
                    );
                }
                let gram = kernel.gram(&problem.x, &problem.x);
                for (i, j) in [(0, 0), (3, 17), (40, 59)] {
                    // Eq. 15 and eq. 16.
                    let terms = || (0..c).map(|k| (p[(i, k)], p[(j, k)], kernel.priors[k]));
                    let centred: f64 = terms().map(|(a, b, q)| (a - q) * (b - q) / q).sum();
                    let plain: f64 = terms().map(|(a, b, q)| a * b / q).sum();
                    assert!((centred + 1.0 - plain).abs() < 1e-12);
                    assert!((gram[(i, j)] - plain).abs() < 1e-12);
                }
                let values = symmetric_eigen(&gram).expect("converges").values;
                assert!(values[c].abs() < 1e-10 * values[0], "{kind:?}: {values:?}");
            }
        }
    }

    #[test]
    fn the_analysis_is_the_one_in_kernel_space() {
        // Eq. 2 for the kernel vectors k(x), n of them, in the range of their total covariance,
        // against the features psi.
        let (n, c) = (45, 3);
        let problem = problem(n, 5, c, 9);
        let mut options = options(PosteriorKind::L1);
        options.metric = Metric::Total;
        options.priors = Priors::Uniform;
        let uniform = Problem {
            priors: vec![1.0 / c as f64; c],
            ..problem.clone()
        };
        let method = MethodKind::L1Dkf.build(&options).expect("valid");
        let fit = method
            .fit(&uniform, &candidate(PosteriorKind::L1))
            .expect("fits");
        let kernel = fit.discriminant.as_ref().expect("there");
        let new = random(40, 5, 10);
        let (train, test) = (
            kernel.gram(&problem.x, &problem.x),
            kernel.gram(&new, &problem.x),
        );
        let classes = problem.classes();
        let mean = classes.column_means(&train);
        let centred = |m: &Matrix| Matrix::from_fn(m.rows(), n, |i, j| m[(i, j)] - mean[j]);
        let rows = centred(&train);
        let mut total = matmul(rows.view().t(), rows.view());
        total.as_mut_slice().iter_mut().for_each(|v| *v /= n as f64);
        let eigen = symmetric_eigen(&total).expect("converges");
        let rank = eigen
            .values
            .iter()
            .take_while(|v| **v > 1e-9 * eigen.values[0])
            .count();
        assert!(rank < c);
        // In the whitened range the total covariance is the identity, and so it stays under the
        // rotation that eq. 2 still asks for.
        let whiten = Matrix::from_fn(n, rank, |j, k| {
            eigen.vectors[(j, k)] / eigen.values[k].sqrt()
        });
        let (y, z) = (
            matmul(rows.view(), whiten.view()),
            matmul(centred(&test).view(), whiten.view()),
        );
        let means = classes.means(&y);
        let own = fit.decision.posterior(&fit.outputs(&new));
        for i in 0..40 {
            let distance =
                |k: usize| -> f64 { (0..rank).map(|l| (z[(i, l)] - means[(k, l)]).powi(2)).sum() };
            let nearest = (0..c)
                .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
                .expect("some");
            assert_eq!(argmax(own.row(i)), nearest);
        }
    }

    #[test]
    fn permuting_rows_or_classes_permutes_the_answer() {
        let a = problem(48, 4, 3, 4);
        let order: Vec<usize> = (0..48).map(|i| (i * 7) % 48).collect();
        let recode = [2, 0, 1];
        let codes: Vec<usize> = order.iter().map(|&i| recode[a.labels.codes()[i]]).collect();
        let mut b = a.select(&order);
        b.labels = Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
        let new = random(30, 4, 5);
        for kind in PosteriorKind::ALL {
            for mapping in [MappingKind::Lda, MappingKind::Onda] {
                let options = Options {
                    mapping,
                    ..options(kind)
                };
                let method = MethodKind::L1Dkf.build(&options).expect("valid");
                let answer = |p: &Problem| {
                    let fit = method.fit(p, &candidate(kind)).expect("fits");
                    fit.decision.posterior(&fit.outputs(&new))
                };
                let (pa, pb) = (answer(&a), answer(&b));
                for i in 0..30 {
                    for c in 0..3 {
                        let gap = (pa[(i, c)] - pb[(i, recode[c])]).abs();
                        assert!(gap < 1e-6, "{kind:?} {mapping:?} {gap:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_penalty_that_leaves_nothing_leaves_the_priors() {
        let mut problem = problem(40, 3, 2, 6);
        problem.priors = vec![0.3, 0.7];
        for mapping in [MappingKind::Lda, MappingKind::Onda] {
            let options = Options {
                mapping,
                ..options(PosteriorKind::L1)
            };
            let method = MethodKind::L1Dkf.build(&options).expect("valid");
            let mut empty = candidate(PosteriorKind::L1);
            empty.posterior.as_mut().expect("there").sparsity = Some(1e6);
            let fit = method.fit(&problem, &empty).expect("fits");
            let p = fit.decision.posterior(&fit.outputs(&random(5, 3, 7)));
            for row in p.iter_rows() {
                assert!(
                    (row[0] - 0.3).abs() < 1e-12 && (row[1] - 0.7).abs() < 1e-12,
                    "{row:?}"
                );
            }
        }
    }

    #[test]
    fn methods_that_need_the_features_refuse_the_kernel() {
        for kind in MethodKind::ALL {
            let built = kind.build(&options(PosteriorKind::L1));
            assert_eq!(built.is_ok(), kind.takes_discriminant_kernel(), "{kind:?}");
        }
    }
}
