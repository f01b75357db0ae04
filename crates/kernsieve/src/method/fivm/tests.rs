//! Tests of the feature import vector machine.

use super::*;
use crate::data::{Dataset, simulate};
use crate::method::{Klr, Ridged};
use crate::params::KernelChoice;
use crate::testing::{problem, random};
use crate::tuning::{Control, Train, Trained};

fn import(train_error: f64) -> Import {
    Import {
        feature: 0,
        objective: 0.0,
        train_error,
        runner_up: None,
        associated: vec![],
    }
}

fn trained(data: &Dataset, fivm: &Fivm) -> Trained {
    fivm.train(data, &Protocol::default(), &Control::new())
        .expect("trains")
}

#[test]
fn the_rule_of_the_paper_takes_the_last_import_back() {
    let rule = |tol: f64, lag: usize, patience: Option<usize>, errors: &[f64]| {
        let fivm = Fivm::new().stop(Stopping::Accuracy { tol, lag, patience });
        let mut path = vec![];
        for e in errors {
            path.push(import(*e));
            if let Some(kept) = fivm.stopped(&path) {
                return Some(kept);
            }
        }
        None
    };
    // Accuracies .7 .8 .8 .9 .9 .9: the first standstill is at the third import.
    let errors = [0.3, 0.2, 0.2, 0.1, 0.1, 0.1];
    assert_eq!(rule(1e-3, 1, None, &errors), Some(2));
    assert_eq!(rule(1e-3, 1, Some(2), &errors), Some(4));
    // Over two imports: .8 -> .9 is a change, .9 -> .9 is none.
    assert_eq!(rule(1e-3, 2, None, &errors), Some(5));
    // A large epsilon leaves one feature, as section 5.1 says.
    assert_eq!(rule(0.5, 1, None, &errors), Some(1));
    assert_eq!(rule(0.0, 1, None, &errors), None);
    // A fall of the accuracy by more than epsilon is a change too.
    assert_eq!(rule(1e-3, 1, None, &[0.2, 0.3, 0.2]), None);
}

#[test]
fn all_features_are_kernel_logistic_regression() {
    for classes in [2, 4] {
        let p = problem(40, 4, classes, 3);
        let (kernel, ridge) = (Kernel::Gaussian { bandwidth: 1.7 }, 0.02);
        let setting = FivmSetting {
            kernel,
            ridge,
            n_features: None,
        };
        let all = Fivm::new().stop(Stopping::None);
        let all = all.fit(&p, &setting).expect("fits");
        let klr = Klr::new().fit(&p, &Ridged { kernel, ridge }).expect("fits");
        assert_eq!(all.report.imported.len(), 4);
        let new = random(30, 4, 9);
        let (a, b) = (all.expansion.evaluate(&new), klr.expansion.evaluate(&new));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-9, "{u} {v}");
        }
        let (a, b) = (
            all.report.objective.expect("one"),
            klr.report.objective.expect("one"),
        );
        assert!((a - b).abs() < 1e-12);
        assert!((a - all.report.path[3].objective).abs() < 1e-12);
    }
}

#[test]
fn two_informative_features_are_found_among_ten() {
    let mut exact = 0;
    for draw in 0..8 {
        let t = trained(&simulate::mixture(draw, 1, 100, 8), &Fivm::new());
        let report = &t.model.record.report;
        let mut kept = report.imported.clone();
        kept.sort_unstable();
        exact += usize::from(kept == [0, 1]);
        assert!(kept.starts_with(&[0, 1]), "{draw}: {kept:?}");
        assert!(
            report.path.len() > kept.len(),
            "the path goes on after the choice"
        );
    }
    assert!(exact >= 7, "{exact} of 8");
}

#[test]
fn a_path_is_cut_by_max_features() {
    let data = simulate::mixture(1, 1, 40, 6);
    let kernel = KernelChoice::default().with_bandwidths([1.0]);
    let fivm = Fivm::new()
        .kernel(kernel)
        .ridges([0.05])
        .stop(Stopping::None);
    let whole = trained(&data, &fivm).model.record.report;
    assert_eq!(whole.imported.len(), 8);
    for k in [1, 3] {
        let cut = trained(&data, &fivm.clone().max_features(k));
        assert_eq!(cut.model.record.report.imported, whole.imported[..k]);
        assert_eq!(cut.model.record.report.path, whole.path[..k]);
    }
}

#[test]
fn few_features_and_few_samples_at_once() {
    let (data, test) = (
        simulate::mixture(4, 1, 100, 8),
        simulate::mixture(4, 2, 500, 8),
    );
    let kernel = KernelChoice::default().with_bandwidths([0.5]);
    let fivm = Fivm::new()
        .kernel(kernel)
        .ridges([2f64.powi(-9)])
        .max_features(3);
    let sparse = trained(&data, &fivm.clone().max_support(25));
    let dense = trained(&data, &fivm);
    assert!(sparse.model.record.report.retained_rows.len() <= 25);
    assert_eq!(
        sparse.model.expansion.support.rows(),
        sparse.model.record.report.retained_rows.len()
    );
    let error = |t: &Trained| {
        let p = t.model.predict(test.x()).posterior;
        let wrong = p.iter_rows().zip(test.labels().codes());
        wrong
            .filter(|(p, c)| crate::decision::argmax(p) != **c)
            .count() as f64
            / 1000.0
    };
    assert!(
        error(&sparse) < error(&dense) + 0.03,
        "{} {}",
        error(&sparse),
        error(&dense)
    );
}

/// Ten features of which two matter, each with two noisy copies behind all of them, the second with
/// its sign turned.
fn in_blocks(draw: u64, noise: f64) -> Dataset {
    let data = simulate::mixture(draw, 1, 100, 8);
    let mut rng = crate::data::Rng::new(draw + 100);
    let (x, p) = (data.x(), 10);
    let blocks = Matrix::from_fn(x.rows(), 3 * p, |i, j| match j / p {
        0 => x[(i, j)],
        1 => x[(i, j % p)] + noise * rng.normal(),
        _ => noise * rng.normal() - x[(i, j % p)],
    });
    let names = (0..3 * p)
        .map(|j| format!("x{}.{}", j % p, j / p))
        .collect();
    Dataset::new(blocks, data.labels().clone(), names).expect("valid")
}

#[test]
fn one_member_of_a_group_enters_and_names_the_others() {
    let kernel = KernelChoice::default().with_bandwidths([1.0]);
    let fivm = Fivm::new().kernel(kernel).ridges([0.01]);
    for draw in 0..4 {
        let data = in_blocks(draw, 0.15);
        let t = trained(&data, &fivm.clone().associated(0.9));
        let report = &t.model.record.report;
        let mut seen: Vec<usize> = vec![];
        for step in &report.path {
            let feature = step.feature.expect("an import");
            let mut group = step.associated.clone();
            group.push(feature);
            group.sort_unstable();
            // The block, in full.
            let block = feature % 10;
            assert_eq!(group, [block, block + 10, block + 20], "draw {draw}");
            assert!(!seen.contains(&block), "a block enters once");
            seen.push(block);
        }
        let mut kept: Vec<usize> = report.imported.iter().map(|j| j % 10).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 1], "draw {draw}");
        // Every fold confirms the groups, whichever member it imported.
        let folds = &t
            .model
            .record
            .cv
            .as_ref()
            .expect("tuned")
            .best()
            .feature_folds;
        assert!(report.imported.iter().all(|&j| folds[j] >= 3));
        // Prediction needs the members that entered and no others.
        let used = t.model.expansion.feature_weights.iter();
        assert_eq!(used.filter(|w| **w != 0.0).count(), 2);
    }
}

#[test]
fn a_group_ends_where_the_correlation_does() {
    let data = in_blocks(2, 0.15);
    let base = Fivm::new()
        .kernel(KernelChoice::default().with_bandwidths([1.0]))
        .ridges([0.01])
        .stop(Stopping::None);
    // A path of all features: without a limit all 30 enter, with one a member of each block.
    let protocol = Protocol {
        estimate: false,
        ..Protocol::default()
    };
    let report = |fivm: &Fivm| {
        let trained = fivm.train(&data, &protocol, &Control::new());
        trained.expect("trains").model.record.report
    };
    let all = report(&base);
    assert_eq!(all.imported.len(), 30);
    assert!(all.path.iter().all(|s| s.associated.is_empty()));
    let few = trained(&data, &base.clone().associated(0.9))
        .model
        .record
        .report;
    assert_eq!(few.imported.len(), 10);
    assert_eq!(few.path[0].feature, all.path[0].feature);
    // Nothing correlates by 1 but copies.
    let none = report(&base.associated(1.0));
    assert_eq!(none.path, all.path);
}
