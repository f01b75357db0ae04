//! What every method promises.

use super::discriminant::DiscriminantSetting;
use super::fivm::{FivmSetting, Stopping};
use super::kos::{KosSetting, RidgeRule};
use super::l1_dkf::Mapping;
use super::l2qp::{ClassBandwidths, L2qpSetting, Multiclass};
use super::lda::{LdaSetting, Metric};
use super::mkda::Penalty;
use super::posterior::{Penalised, PosteriorKind, PosteriorSetting};
use super::smkda::SmkdaSetting;
use super::sparse_kos::Landmarks;
use super::*;
use crate::data::Rng;
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::params::KernelChoice;
use crate::testing::{problem, random};

#[test]
fn a_weight_is_as_good_as_a_repeated_row() {
    let plain = problem(50, 3, 3, 11);
    let mut rng = Rng::new(5);
    let times: Vec<usize> = (0..50)
        .map(|_| 1 + (3.0 * rng.uniform()) as usize)
        .collect();
    let rows: Vec<usize> = (0..50).flat_map(|i| vec![i; times[i]]).collect();
    let repeated =
        Problem::new(plain.x.select_rows(&rows), plain.labels.select(&rows)).expect("valid");
    let weighted = Problem {
        weights: Some(times.iter().map(|&t| t as f64).collect()),
        priors: repeated.priors.clone(),
        ..plain
    };
    let new = random(40, 3, 12);
    let kernel = Kernel::Gaussian { bandwidth: 1.3 };
    let ridged = |ridge: f64| Ridged { kernel, ridge };
    let penalised = |sparsity: f64| PosteriorSetting::Penalised(Penalised { sparsity });
    let with = |posterior: PosteriorSetting| DiscriminantSetting {
        outer: NoSetting,
        posterior,
    };
    let same = Same {
        weighted: &weighted,
        repeated: &repeated,
        new: &new,
    };
    same.check(Lda::new(), LdaSetting::default());
    same.check(Lda::new().forward_features(2), LdaSetting::of(2));
    same.check(Mkda::new(), ridged(0.2));
    same.check(Mkda::new().penalty(Penalty::Identity), ridged(0.2));
    same.check(Smkda::new(), SmkdaSetting::of(kernel, 9));
    let by_rule = KosSetting {
        kernel,
        ridge: None,
    };
    same.check(
        Kos::new().ridge_rule(RidgeRule::StabilizationLiteral),
        by_rule,
    );
    same.check(Kos::new().ridge_rule(RidgeRule::Gcv), by_rule);
    let fixed = KosSetting {
        kernel,
        ridge: Some(1e-3),
    };
    same.check(Kos::new().mahalanobis(true), fixed);
    same.check(Parzen::new(), OnlyKernel { kernel });
    same.check(Klr::new(), ridged(0.01));
    let two = FivmSetting {
        kernel,
        ridge: 0.01,
        n_features: None,
    };
    same.check(Fivm::new().max_features(2), two);
    let balanced = |balance: f64, class_bandwidths: Option<Vec<f64>>| L2qpSetting {
        kernel,
        balance,
        class_bandwidths,
    };
    same.check(L2qp::new(), balanced(2.0, None));
    same.check(
        L2qp::new().multiclass(Multiclass::Joint),
        balanced(1.0, Some(vec![0.8, 1.0, 1.3])),
    );
    same.check(L2le::new(), ridged(0.5));
    same.check(L1Dkf::new(), with(penalised(2.0)));
    let logistic = PosteriorKind::Logistic.estimate();
    same.check(
        L1Dkf::new().posterior(logistic).mapping(Mapping::onda()),
        with(penalised(2.0)),
    );
    let parzen = PosteriorKind::Parzen.estimate();
    same.check(
        L1Dkf::new()
            .posterior(parzen)
            .mapping(Mapping::lda(Metric::Total)),
        with(PosteriorSetting::Kernel(OnlyKernel { kernel })),
    );
    let setting = DiscriminantSetting {
        outer: Ridged {
            kernel: Kernel::Linear,
            ridge: 0.2,
        },
        posterior: PosteriorSetting::Ridged(ridged(0.01)),
    };
    same.check(
        Mkda::new().with_posterior(PosteriorKind::Klr.estimate()),
        setting,
    );
}

/// A problem with weights, and the same with repeated rows.
struct Same<'a> {
    weighted: &'a Problem,
    repeated: &'a Problem,
    new: &'a Matrix,
}

impl Same<'_> {
    fn check<M: Method + std::fmt::Debug>(&self, method: M, setting: M::Setting) {
        let answer = |p: &Problem| {
            let fit = method.fit(p, &setting).expect("fits");
            (
                fit.decision.posterior(&fit.outputs(self.new)),
                fit.report.objective.unwrap_or(0.0),
                fit.report.residual.unwrap_or(0.0),
            )
        };
        let ((a, u, r), (b, v, _)) = (answer(self.weighted), answer(self.repeated));
        for (p, q) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((p - q).abs() < 1e-6, "{method:?}: {p} {q}");
        }
        assert!(
            (u - v).abs() < 1e-8 * v.abs().max(1.0),
            "{method:?}: {u} {v}"
        );
        // l2qp stops as soon as its gap is small enough.
        let bound = if M::ABOUT.name == "l2qp" { 1e-8 } else { 1e-9 };
        assert!(r <= bound, "{method:?}: {r}");
    }
}

#[test]
fn a_method_survives_the_loss_of_its_type() {
    fn check<M: Method + PartialEq + std::fmt::Debug>(method: M) {
        let params = params_of(&method);
        assert_eq!(M::from_given(&params).expect("known"), method);
        for id in params.keys() {
            assert!(
                M::ABOUT.param(id).is_some(),
                "{} does not describe {id}",
                M::ABOUT.name
            );
        }
    }
    let laplacian = KernelChoice::of(Family::Laplacian).with_bandwidths([1.0, 2.0]);
    check(Lda::new().components(1).metric(Metric::Total));
    check(
        Mkda::new()
            .kernel(KernelChoice::of(Family::Sigmoid))
            .ridge(0.5),
    );
    check(Smkda::new().max_support(7).candidates(100));
    check(Kos::new().kernel(laplacian.clone()).mahalanobis(true));
    check(Kos::new().ridge(0.5));
    check(Klr::new().ridges([0.1, 0.2]).max_support(9));
    check(Fivm::new().stop(Stopping::Accuracy {
        tol: 0.1,
        lag: 2,
        patience: None,
    }));
    check(Fivm::new().stop(Stopping::None).max_features(3));
    check(Parzen::new().kernel(laplacian.clone()));
    check(L2le::new().smoothing(0.5).class_ratio(2.0));
    check(L2qp::new().class_bandwidths(ClassBandwidths::Given(vec![1.0, 2.0])));
    check(
        SparseKos::new()
            .sparsity(0.1)
            .vote(false)
            .candidates(50, Landmarks::Ols),
    );
    check(L1Dkf::new());
    for kind in PosteriorKind::ALL {
        check(
            L1Dkf::new()
                .posterior(kind.estimate())
                .mapping(Mapping::onda()),
        );
        check(Mkda::new().ridge(0.3).with_posterior(kind.estimate()));
        check(Klr::new().ridges([0.3]).with_posterior(kind.estimate()));
    }
}
