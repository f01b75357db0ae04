//! Tests of sparse kernel discriminant analysis.

use super::grid::sizes;
use super::*;
use crate::kernel::{Kernel, Pairs, symmetric_base};
use crate::linalg::Matrix;
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
        .map(|size| SmkdaSetting::of(kernel, size))
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
            .fit(&problem, &SmkdaSetting::of(kernel, s))
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
    let smkda = Smkda::new();
    let mut ground = Ground::new(&smkda, k.clone(), &problem, None);
    let means = ground.means.clone();
    let followers = Followers::new(&k, &means, &problem, 10, None);
    let mut left_out = LeftOut::new(followers, y.clone(), &classes);
    let mut chosen = Vec::new();
    ground.walk(&smkda, None, true, 10, |step, _| {
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
    let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 1.0 }, 12);
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

/// `E = min |C (Y_0 - K_S A)|^2 + r tr(A' K_SS A)` by normal equations.
fn penalised_error(problem: &Problem, k: &Matrix, chosen: &[usize], r: f64) -> (f64, Matrix) {
    let classes = problem.classes();
    let y = scored_responses(&classes);
    let columns = k.select_columns(chosen);
    let (means, y_means) = (classes.column_means(&columns), classes.column_means(&y));
    let mut p = Matrix::from_fn(columns.rows(), chosen.len(), |i, j| {
        columns[(i, j)] - means[j]
    });
    let mut right = Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - y_means[j]);
    classes.scale_rows(&mut p);
    classes.scale_rows(&mut right);
    let own = columns.select_rows(chosen);
    let mut g = matmul(p.view().t(), p.view());
    crate::linalg::add_scaled(&mut g, &own, r);
    let b = matmul(p.view().t(), right.view());
    let mut a = b.clone();
    crate::linalg::cholesky_shifted(g, 0.0)
        .expect("definite")
        .solve_in_place(&mut a);
    let whole: f64 = right.as_slice().iter().map(|v| v * v).sum();
    (whole - crate::linalg::dot(a.as_slice(), b.as_slice()), a)
}

#[test]
fn every_step_with_a_ridge_is_the_best_for_the_penalised_error() {
    let mut problem = problem(40, 3, 3, 4);
    problem.weights = Some((0..40).map(|i| 1.0 + (i % 2) as f64).collect());
    let kernel = Kernel::Gaussian { bandwidth: 1.2 };
    let k = gram(&kernel, &problem.x);
    for r in [0.01, 1.0, 20.0] {
        let smkda = Smkda::new().ridge(r);
        let setting = SmkdaSetting {
            kernel,
            size: 6,
            ridge: Some(r),
        };
        let fit = smkda.fit(&problem, &setting).expect("fits");
        let path = &fit.report.path;
        let rows = &fit.report.retained_rows;
        for (t, step) in path.iter().enumerate() {
            let error = |last: usize| {
                let mut chosen = rows[..t].to_vec();
                chosen.push(last);
                penalised_error(&problem, &k, &chosen, r).0
            };
            let best = (0..40)
                .filter(|j| !rows[..t].contains(j))
                .map(error)
                .fold(f64::INFINITY, f64::min);
            assert!(
                (step.objective - best).abs() < 1e-8 * best,
                "{t}: {step:?} {best}"
            );
        }
        assert_eq!(fit.report.ridge, Some(r));
        assert!(fit.report.residual.expect("known") < 1e-12);
        let last = path.last().expect("steps").objective;
        assert!((fit.report.objective.expect("known") - last).abs() < 1e-8 * last);
        // Held-out rows see the same function, and so does a fit by sums.
        let streamed = streaming::fit(&smkda.candidates(40), &problem, &setting).expect("fits");
        let new = random(30, 3, 9);
        let (a, b) = (fit.outputs(&new), streamed.outputs(&new));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-8 * a.max_abs(), "{u} {v}");
        }
    }
}

#[test]
fn all_samples_with_a_ridge_are_mkda() {
    let problem = problem(35, 3, 3, 6);
    let kernel = Kernel::Gaussian { bandwidth: 0.8 };
    let ridge = 0.3;
    let setting = SmkdaSetting {
        kernel,
        size: 35,
        ridge: Some(ridge),
    };
    let few = Smkda::new()
        .ridge(ridge)
        .fit(&problem, &setting)
        .expect("fits");
    let all = crate::method::Mkda::new();
    let all = all.fit(&problem, &crate::method::Ridged { kernel, ridge });
    let all = all.expect("fits");
    assert_eq!(few.report.retained_rows.len(), 35);
    let new = random(40, 3, 7);
    let (a, b) = (few.outputs(&new), all.outputs(&new));
    for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
        assert!((u - v).abs() < 1e-6 * a.max_abs(), "{u} {v}");
    }
}

/// A fold of the first rows against the others.
fn fold_of(problem: &Problem, train: usize) -> Fold {
    let all: Vec<usize> = (0..problem.n()).collect();
    let (a, b) = all.split_at(train);
    let x = problem.x.select_rows(a);
    let held_out = problem.x.select_rows(b);
    let base = Pairs::new(Family::Gaussian.base(), x.clone()).all(&held_out, |_| ());
    Fold {
        train_base: Some(symmetric_base(Family::Gaussian, &x)),
        held_out_base: Some(base),
        held_out_classes: vec![None; b.len()],
        held_out_weights: vec![1.0; b.len()],
        train: Problem::new(x, problem.labels.select(a)).expect("valid"),
        held_out,
    }
}

#[test]
fn folds_settle_ridge_and_size_as_a_fit_does() {
    let fold = fold_of(&problem(90, 3, 3, 12), 70);
    let kernel = Kernel::Gaussian { bandwidth: 1.2 };
    for smkda in [
        Smkda::new().ridge_rule(RidgeRule::Evidence),
        Smkda::new().ridge_rule(RidgeRule::Evidence).max_support(4),
        Smkda::new().stop_error(0.3),
        Smkda::new().stop_error(0.5).ridge(0.1),
    ] {
        let setting = SmkdaSetting {
            kernel,
            size: smkda.max_support.unwrap_or(60),
            ridge: smkda.ridges.first().copied(),
        };
        let mut along = smkda.held_out(&fold, &[setting]).expect("works");
        let along = along.pop().flatten().expect("fitted").scores;
        let fit = smkda.fit(&fold.train, &setting).expect("fits");
        let kept = fit.report.retained_rows.len();
        assert!(kept <= setting.size && (kept < 60), "{kept}");
        let a = crate::testing::probabilities(&along);
        let b = fit.decision.posterior(&fit.outputs(&fold.held_out));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-6, "{smkda:?}: {u} {v}");
        }
        if let Some(share) = smkda.stop_error {
            // The path ends with the first sample that brings the error down to the share.
            let whole = 70.0 * 2.0;
            let (last, before) = fit.report.path.split_last().expect("steps");
            assert!(last.objective <= share * whole);
            assert!(before.iter().all(|s| s.objective > share * whole));
        }
    }
}

#[test]
fn the_most_evident_is_found_among_all_sizes_and_ridges() {
    let problem = problem(60, 3, 3, 14);
    let kernel = Kernel::Gaussian { bandwidth: 1.0 };
    let smkda = Smkda::new()
        .ridges([10.0, 1.0, 0.1])
        .ridge_rule(RidgeRule::Evidence);
    let fit = smkda
        .fit(&problem, &SmkdaSetting::of(kernel, 60))
        .expect("fits");
    // The definition, with determinants of matrices that are formed.
    let k = gram(&kernel, &problem.x);
    let mut best = (f64::NEG_INFINITY, 0.0, 0);
    for r in [10.0, 1.0, 0.1] {
        let whole = smkda.clone().fit(
            &problem,
            &SmkdaSetting {
                kernel,
                size: 40,
                ridge: Some(r),
            },
        );
        let rows = whole.expect("fits").report.retained_rows;
        for s in 1..=rows.len() {
            let chosen = &rows[..s];
            let (error, _) = penalised_error(&problem, &k, chosen, r);
            let own = k.select_columns(chosen).select_rows(chosen);
            let mut p = k.select_columns(chosen);
            crate::linalg::center_columns(&mut p);
            let mut g = matmul(p.view().t(), p.view());
            crate::linalg::add_scaled(&mut g, &own, r);
            let log = |m: Matrix| {
                crate::linalg::cholesky_shifted(m, 0.0)
                    .expect("definite")
                    .log_determinant()
            };
            let determinants = log(g) - log(own) - s as f64 * r.ln();
            let evidence = -determinants - 59.0 * error.ln();
            if evidence > best.0 {
                best = (evidence, r, s);
            }
        }
    }
    assert_eq!(fit.report.ridge, Some(best.1));
    assert_eq!(fit.report.retained_rows.len(), best.2);
}

/// PRESS of chosen samples, every row predicted by a regression without it: dense systems, one per
/// row.
fn press_by_brute_force(problem: &Problem, k: &Matrix, chosen: &[usize], ridge: f64) -> f64 {
    let classes = problem.classes();
    let y = scored_responses(&classes);
    let (n, s) = (problem.n(), chosen.len());
    let column = |i: usize, j: usize| if j < s { k[(i, chosen[j])] } else { 1.0 };
    let left_out = |i: usize| {
        let mut g = Matrix::zeros(s + 1, s + 1);
        let mut b = Matrix::zeros(s + 1, y.cols());
        for row in (0..n).filter(|&row| row != i) {
            for a in 0..=s {
                let v = classes.weight(row) * column(row, a);
                (0..=s).for_each(|c| g[(a, c)] += v * column(row, c));
                (0..y.cols()).for_each(|c| b[(a, c)] += v * y[(row, c)]);
            }
        }
        for a in 0..s {
            (0..s).for_each(|c| g[(a, c)] += ridge * k[(chosen[a], chosen[c])]);
        }
        crate::linalg::cholesky_shifted(g, 0.0)
            .expect("definite")
            .solve_in_place(&mut b);
        let gap = |c: usize| y[(i, c)] - (0..=s).map(|a| column(i, a) * b[(a, c)]).sum::<f64>();
        classes.weight(i) * (0..y.cols()).map(|c| gap(c) * gap(c)).sum::<f64>()
    };
    (0..n).map(left_out).sum()
}

#[test]
fn every_step_by_press_is_the_best_for_rows_that_are_left_out() {
    // Three shells: no sample alone says much.
    let n = 36;
    let mut problem = problem(n, 3, 3, 21);
    problem.x = random(n, 3, 22);
    let shell = |i: usize| {
        let row = problem.x.row(i);
        let square = crate::linalg::dot(row, row);
        usize::from(square > 1.6) + usize::from(square > 3.4)
    };
    let codes = (0..n).map(shell).collect();
    let names = problem.labels.classes().to_vec();
    problem.labels = crate::data::Labels::from_codes(codes, names).expect("codes fit");
    problem.weights = Some((0..n).map(|i| 1.0 + (i % 3) as f64 / 2.0).collect());
    let kernel = Kernel::Gaussian { bandwidth: 1.5 };
    let k = gram(&kernel, &problem.x);
    for ridge in [None, Some(0.5)] {
        let mut smkda = Smkda::new().select(Select::Press);
        smkda.ridges.extend(ridge);
        let setting = SmkdaSetting {
            kernel,
            size: n,
            ridge,
        };
        let fit = smkda.fit(&problem, &setting).expect("fits");
        let rows = &fit.report.retained_rows;
        let r = ridge.unwrap_or(0.0);
        let mut before = press_by_brute_force(&problem, &k, &[], r);
        // Every choice is the best one, and after the last none is any better.
        for t in 0..=rows.len() {
            let with = |j: usize| {
                let mut chosen = rows[..t].to_vec();
                chosen.push(j);
                press_by_brute_force(&problem, &k, &chosen, r)
            };
            let others = (0..n).filter(|j| !rows[..t].contains(j));
            let best = others.map(with).fold(f64::INFINITY, f64::min);
            let Some(&row) = rows.get(t) else {
                assert!(best > before * (1.0 - 1e-7), "{best} {before}");
                continue;
            };
            let own = with(row);
            assert!(
                own < before && own <= best * (1.0 + 1e-6),
                "{t}: {own} {best}"
            );
            before = own;
        }
        assert!((3..20).contains(&rows.len()), "{rows:?}");
        // Another criterion than least squares: the choices differ.
        let mut plain = smkda.clone().select(Select::Ols);
        plain.max_support = Some(rows.len());
        let plain = plain.fit(&problem, &setting).expect("fits");
        assert_ne!(&plain.report.retained_rows[..rows.len()], &rows[..]);
    }
}

#[test]
fn sizes_beyond_the_least_press_are_the_last_model() {
    let fold = fold_of(&problem(90, 3, 3, 12), 70);
    let kernel = Kernel::Gaussian { bandwidth: 1.2 };
    let smkda = Smkda::new().select(Select::Press);
    let arm: Vec<SmkdaSetting> = [2, 30, 60].map(|s| SmkdaSetting::of(kernel, s)).to_vec();
    let along = smkda.held_out(&fold, &arm).expect("works");
    for (setting, scores) in arm.iter().zip(along) {
        let a = crate::testing::probabilities(&scores.expect("fitted").scores);
        let fit = smkda.fit(&fold.train, setting).expect("fits");
        assert!(fit.report.retained_rows.len() < 30);
        let b = fit.decision.posterior(&fit.outputs(&fold.held_out));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-6, "{setting:?}: {u} {v}");
        }
    }
}

#[test]
fn samples_by_the_lasso_are_refitted_by_least_squares() {
    let problem = problem(60, 3, 3, 30);
    let kernel = Kernel::Gaussian { bandwidth: 1.2 };
    let k = gram(&kernel, &problem.x);
    for ridge in [None, Some(0.3)] {
        let mut smkda = Smkda::new().select(Select::Lasso);
        smkda.ridges.extend(ridge);
        let setting = SmkdaSetting {
            kernel,
            size: 10,
            ridge,
        };
        let fit = smkda.fit(&problem, &setting).expect("fits");
        let rows = &fit.report.retained_rows;
        assert_eq!(rows.len(), 10);
        // The objective of every step is that of the samples so far.
        if let Some(r) = ridge {
            for (t, step) in fit.report.path.iter().enumerate() {
                let (error, _) = penalised_error(&problem, &k, &rows[..=t], r);
                assert!((step.objective - error).abs() < 1e-8 * error);
            }
        }
        // The first is the best alone, as by least squares of columns of unit length.
        let plain = smkda.clone().select(Select::Ols);
        let plain = plain.fit(&problem, &setting).expect("fits");
        assert_eq!(rows[0], plain.report.retained_rows[0]);
        assert_ne!(rows, &plain.report.retained_rows);
        // Streamed sums choose the same.
        let streamed = streaming::fit(&smkda.candidates(60), &problem, &setting).expect("fits");
        assert_eq!(&streamed.report.retained_rows, rows);
    }
}
