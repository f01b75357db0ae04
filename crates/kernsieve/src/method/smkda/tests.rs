//! Tests of sparse kernel discriminant analysis.

use super::*;
use crate::kernel::{Pairs, symmetric_base};
use crate::testing::{problem, random};

#[test]
fn sizes_are_all_small_ones_and_then_sparser() {
    let s = sizes(1000, 3);
    assert_eq!(s[..200], (1..=200).collect::<Vec<_>>());
    assert!(s.len() < 500 && *s.last().expect("some") > 980);
    assert!(s.windows(2).all(|w| w[1] > w[0]));
    assert!(sizes(1000, 300).len() < 60);
}

#[test]
fn riders_see_what_a_fit_of_that_size_says() {
    let train = problem(70, 3, 3, 1);
    let held_out = random(25, 3, 2);
    let kernel = Kernel::Gaussian { bandwidth: 1.2 };
    let base = Pairs::new(Family::Gaussian.base(), train.x.clone()).all(&held_out, |_| ());
    let fold = Fold {
        train_base: Some(symmetric_base(Family::Gaussian, &train.x)),
        held_out_base: Some(base),
        held_out_classes: vec![None; held_out.rows()],
        held_out_weights: vec![1.0; held_out.rows()],
        train,
        held_out,
    };
    let smkda = Smkda::new();
    let arm: Vec<SmkdaSetting> = [1, 2, 3, 10, 30]
        .into_iter()
        .map(|size| SmkdaSetting { kernel, size })
        .collect();
    let along = smkda.held_out(&fold, &arm).expect("works");
    for (setting, scores) in arm.iter().zip(along) {
        let posterior = crate::testing::probabilities(&scores.expect("fitted").scores);
        let fit = smkda.fit(&fold.train, setting).expect("fits");
        assert_eq!(fit.report.retained_rows.len(), setting.size);
        let direct = fit
            .decision
            .posterior(&fit.expansion.evaluate(&fold.held_out));
        for (a, b) in posterior.as_slice().iter().zip(direct.as_slice()) {
            assert!((a - b).abs() < 1e-6, "{setting:?}: {a} {b}");
        }
    }
}

#[test]
fn within_class_covariance_is_the_identity_and_the_path_is_a_prefix() {
    let problem = problem(90, 4, 4, 3);
    let smkda = Smkda::new();
    let kernel = Kernel::Gaussian { bandwidth: 1.5 };
    let fit = |s: usize| {
        smkda
            .fit(&problem, &SmkdaSetting { kernel, size: s })
            .expect("fits")
    };
    let (small, large) = (fit(8), fit(20));
    assert_eq!(small.report.retained_rows, large.report.retained_rows[..8]);
    let z = large.expansion.evaluate(&problem.x);
    let codes = problem.labels.codes();
    let means = problem.classes().means(&z);
    let r = Matrix::from_fn(90, 3, |i, j| z[(i, j)] - means[(codes[i], j)]);
    let w = matmul(r.view().t(), r.view());
    for i in 0..3 {
        for j in 0..3 {
            assert!((w[(i, j)] / 90.0 - f64::from(i == j)).abs() < 1e-7);
        }
    }
    // The residual sum of squares falls, and the last one belongs to the coefficients.
    let path = &large.report.path;
    assert!(path.windows(2).all(|w| w[1].objective <= w[0].objective));
    let last = path.last().expect("steps").objective;
    assert!((last - large.report.objective.expect("known")).abs() < 1e-7 * last);
}

#[test]
fn leaving_a_row_out_equals_a_regression_without_it() {
    let mut problem = problem(40, 3, 3, 8);
    problem.weights = Some((0..40).map(|i| 1.0 + (i % 3) as f64).collect());
    let classes = problem.classes();
    let y = scored_responses(&classes);
    let k = gram(&Kernel::Gaussian { bandwidth: 1.4 }, &problem.x);
    let p = prepare(k.clone(), &y, &classes);
    let followers = Followers::new(&k, &p.means, &problem, 10, None);
    let mut left_out = LeftOut::new(followers, y.clone(), &classes);
    let mut chosen = Vec::new();
    crate::solver::ols::forward_selection(p.gram, p.products, 10, |step| {
        left_out.follow(step);
        chosen.push(step.candidate);
        true
    });
    let fast = left_out.fitted();
    let y_mean = response_means(&classes);
    for i in 0..40 {
        // [K_S 1] without row i, with weights, by a dense solver.
        let others: Vec<usize> = (0..40).filter(|&j| j != i).collect();
        let design = Matrix::from_fn(39, 11, |r, s| {
            let j = others[r];
            classes.weight(j).sqrt() * if s < 10 { k[(j, chosen[s])] } else { 1.0 }
        });
        let right = Matrix::from_fn(39, 3, |r, c| {
            classes.weight(others[r]).sqrt() * y[(others[r], c)]
        });
        let coef = crate::linalg::least_squares(&design, &right, 0.0)
            .expect("finite")
            .coef;
        for c in 0..3 {
            let direct: f64 = (0..10)
                .map(|s| k[(i, chosen[s])] * coef[(s, c)])
                .sum::<f64>()
                + coef[(10, c)];
            let own = fast[(i, c)] + y_mean[c];
            assert!(
                (own - direct).abs() < 1e-6 * direct.abs().max(1.0),
                "{own} {direct}"
            );
        }
    }
}

#[test]
fn permuting_classes_permutes_the_answer() {
    let a = problem(60, 3, 3, 5);
    let recode = [2, 0, 1];
    let mut b = a.clone();
    let codes: Vec<usize> = a.labels.codes().iter().map(|&c| recode[c]).collect();
    b.labels =
        crate::data::Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
    let smkda = Smkda::new();
    let setting = SmkdaSetting {
        kernel: Kernel::Gaussian { bandwidth: 1.0 },
        size: 12,
    };
    let (fa, fb) = (
        smkda.fit(&a, &setting).expect("fits"),
        smkda.fit(&b, &setting).expect("fits"),
    );
    assert_eq!(fa.report.retained_rows, fb.report.retained_rows);
    let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
    let pb = fb.decision.posterior(&fb.expansion.evaluate(&a.x));
    for i in 0..60 {
        for c in 0..3 {
            assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-7);
        }
    }
}
