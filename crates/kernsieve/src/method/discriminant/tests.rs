//! Tests of discriminant kernels.

use super::*;
use crate::data::Labels;
use crate::decision::argmax;
use crate::kernel::Kernel;
use crate::linalg::{matmul, symmetric_eigen};
use crate::method::l1_dkf::Mapping;
use crate::method::lda::Metric;
use crate::method::posterior::{Penalised, PosteriorKind};
use crate::method::{L1Dkf, NoSetting, OnlyKernel, Ridged};
use crate::testing::{problem, random};

fn setting(kind: PosteriorKind) -> DiscriminantSetting<NoSetting> {
    let kernel = |bandwidth: f64| Kernel::Gaussian { bandwidth };
    let posterior = match kind {
        PosteriorKind::L1 | PosteriorKind::Logistic => {
            PosteriorSetting::Penalised(Penalised { sparsity: 3.0 })
        }
        PosteriorKind::Klr => PosteriorSetting::Ridged(Ridged {
            kernel: kernel(2.0),
            ridge: 0.01,
        }),
        PosteriorKind::Parzen => PosteriorSetting::Kernel(OnlyKernel {
            kernel: kernel(1.0),
        }),
    };
    DiscriminantSetting {
        outer: NoSetting,
        posterior,
    }
}

fn method(kind: PosteriorKind) -> L1Dkf {
    L1Dkf::new().posterior(kind.estimate())
}

#[test]
fn the_two_forms_of_the_kernel_agree_and_its_rank_is_the_number_of_classes() {
    for c in [2, 3, 5] {
        let problem = problem(60, 4, c, 3);
        for kind in PosteriorKind::ALL {
            let fit = method(kind).fit(&problem, &setting(kind)).expect("fits");
            let kernel = fit.discriminant.expect("there");
            let p = kernel.posteriors(&problem.x);
            for row in p.iter_rows() {
                assert!(
                    (row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|v| *v >= 0.0)
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
    let uniform = Problem {
        priors: vec![1.0 / c as f64; c],
        ..problem.clone()
    };
    let method = method(PosteriorKind::L1).mapping(Mapping::lda(Metric::Total));
    let fit = method
        .fit(&uniform, &setting(PosteriorKind::L1))
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
    // In the whitened range the total covariance is the identity, and it stays so under the
    // rotation that eq. 2 still requires.
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
        for mapping in [Mapping::default(), Mapping::onda()] {
            let method = method(kind).mapping(mapping.clone());
            let answer = |p: &Problem| {
                let fit = method.fit(p, &setting(kind)).expect("fits");
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
    for mapping in [Mapping::default(), Mapping::onda()] {
        let method = method(PosteriorKind::L1).mapping(mapping);
        let empty = DiscriminantSetting {
            outer: NoSetting,
            posterior: PosteriorSetting::Penalised(Penalised { sparsity: 1e6 }),
        };
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
