//! Tests of sparse kernel optimal scoring.

use super::*;
use crate::data::{Labels, simulate};
use crate::kernel::{Kernel, gram};
use crate::method::kos::Ridge;
use crate::params::KernelChoice;
use crate::solver::box_quadratic::box_lasso;
use crate::solver::sparse_weights::{Steps, WeightedLoss};
use crate::testing::{problem, random};

fn setting(bandwidth: f64, ridge: f64, sparsity: f64) -> SparseKosSetting {
    SparseKosSetting {
        kernel: Kernel::Gaussian { bandwidth },
        ridge: Some(ridge),
        sparsity,
        sparsity_share: None,
        features: None,
    }
}

/// A problem whose classes differ in the first features only.
fn with_noise(n: usize, p: usize, c: usize, seed: u64) -> Problem {
    let mut problem = problem(n, c, c, seed);
    let noise = random(n, p - c, seed + 100);
    problem.x = Matrix::from_fn(n, p, |i, j| {
        if j < c {
            problem.x[(i, j)]
        } else {
            noise[(i, j - c)]
        }
    });
    problem.feature_weights = vec![1.0; p];
    problem
}

#[test]
fn slopes_match_central_differences() {
    let mut weighed = with_noise(40, 4, 3, 1);
    weighed.weights = Some((0..40).map(|i| 1.0 + (i % 3) as f64).collect());
    let w = [0.9, 0.3, 0.6, 0.1];
    for family in [
        Family::Gaussian,
        Family::Polynomial,
        Family::Cauchy,
        Family::Laplacian,
        Family::Linear,
    ] {
        for candidates in [None, Some(12)] {
            let choice = match family {
                Family::Polynomial => KernelChoice::Polynomial { degree: 2 },
                other => KernelChoice::of(other),
            };
            let kernel = choice.with(1.5, 4).expect("valid");
            let mut method = SparseKos::new().kernel(choice);
            if let Some(m) = candidates {
                method = method.candidates(m, Landmarks::Sample);
            }
            let ground = method
                .ground(&weighed, kernel, Some(2e-2), None)
                .expect("valid");
            let loss = ground.loss(Steps::Linearised);
            let (_, state) = loss.evaluate(&w).expect("solves");
            let slopes = loss.slopes(&w, &state).expect("known");
            for j in 0..4 {
                let h = 1e-5;
                let value = |d: f64| {
                    let mut w = w;
                    w[j] += d;
                    loss.evaluate(&w).expect("solves").0
                };
                let numeric = (value(h) - value(-h)) / (2.0 * h);
                assert!(
                    (slopes.gradient[j] - numeric).abs() < 1e-6 * (1.0 + numeric.abs()),
                    "{family:?} {candidates:?} {j}: {} {numeric}",
                    slopes.gradient[j]
                );
                let even = if family == Family::Laplacian {
                    1.0
                } else {
                    2.0 * w[j]
                };
                assert!((slopes.at_zero[j] * even - slopes.gradient[j]).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_objective_is_equation_13_at_the_coefficients_of_equation_5() {
    let problem = with_noise(35, 4, 2, 2);
    let (ridge, sparsity) = (1e-2, 0.02);
    let fit = SparseKos::new()
        .fit(&problem, &setting(1.2, ridge, sparsity))
        .expect("fits");
    let w = &fit.expansion.feature_weights;
    let x = Matrix::from_fn(35, 4, |i, j| problem.x[(i, j)] * w[j]);
    let k = gram(&fit.expansion.kernel, &x);
    let kos = crate::method::kos::solve_gram(&k, true, &problem.classes(), &[Ridge::Fixed(ridge)])
        .expect("solves");
    let s = kos.into_iter().next().expect("one").expect("solved");
    let expected = s.objective + sparsity * w.iter().sum::<f64>();
    let objective = fit.report.objective.expect("known");
    assert!(
        (objective - expected).abs() < 1e-10,
        "{objective} {expected}"
    );
    // The scores as well: the coefficients belong to the final weights.
    let z = fit.expansion.evaluate(&problem.x);
    for i in 0..35 {
        assert!((z[(i, 0)] - s.scores[(i, 0)]).abs() < 1e-8);
    }
    assert!(fit.report.residual.expect("known") < 1e-6);
    assert!(fit.report.trace.windows(2).all(|t| t[1] <= t[0] + 1e-12));
}

#[test]
fn a_weight_of_zero_equals_deleting_the_column() {
    let problem = with_noise(50, 5, 2, 3);
    let method = SparseKos::new();
    let whole = method
        .fit(&problem, &setting(1.3, 1e-2, 0.15))
        .expect("fits");
    let w = whole.expansion.feature_weights.clone();
    let kept: Vec<usize> = (0..5).filter(|&j| w[j] != 0.0).collect();
    assert!(!kept.is_empty() && kept.len() < 5, "{w:?}");
    let ground = method
        .ground_of(&problem, &setting(1.3, 1e-2, 0.15))
        .expect("valid");
    let few = Problem {
        x: problem.x.select_columns(&kept),
        feature_weights: vec![1.0; kept.len()],
        ..problem.clone()
    };
    let small = method
        .ground_of(&few, &setting(1.3, 1e-2, 0.15))
        .expect("valid");
    let own: Vec<f64> = kept.iter().map(|&j| w[j]).collect();
    let (a, _) = ground.loss(Steps::Projected).evaluate(&w).expect("solves");
    let (b, _) = small.loss(Steps::Projected).evaluate(&own).expect("solves");
    assert!((a - b).abs() < 1e-12);
}

#[test]
fn all_rows_as_landmarks_give_the_exact_loss() {
    let mut problem = with_noise(40, 3, 3, 4);
    problem.weights = Some((0..40).map(|i| 1.0 + (i % 2) as f64).collect());
    let method = SparseKos::new();
    let ground = method
        .ground_of(&problem, &setting(1.5, 1e-2, 0.1))
        .expect("valid");
    let mut on_landmarks = method
        .ground_of(&problem, &setting(1.5, 1e-2, 0.1))
        .expect("valid");
    on_landmarks.landmarks = Some((0..40).collect());
    on_landmarks.z = on_landmarks.x.clone();
    for w in [[1.0, 1.0, 1.0], [0.3, 0.0, 0.8], [0.0, 0.0, 0.0]] {
        let (a, sa) = ground.loss(Steps::Projected).evaluate(&w).expect("solves");
        let (b, sb) = on_landmarks
            .loss(Steps::Projected)
            .evaluate(&w)
            .expect("solves");
        assert!((a - b).abs() < 1e-4 * a, "{w:?}: {a} {b}");
        let (ra, rb) = (
            ground
                .loss(Steps::Projected)
                .slopes(&w, &sa)
                .expect("known"),
            on_landmarks
                .loss(Steps::Projected)
                .slopes(&w, &sb)
                .expect("known"),
        );
        for (u, v) in ra.gradient.iter().zip(&rb.gradient) {
            assert!((u - v).abs() < 1e-3 * (1.0 + u.abs()), "{w:?}: {u} {v}");
        }
    }
}

#[test]
fn the_largest_penalty_is_exact_for_the_first_step() {
    let problem = with_noise(45, 4, 2, 5);
    let method = SparseKos::new();
    let ground = method
        .ground_of(&problem, &setting(1.4, 1e-2, 0.1))
        .expect("valid");
    let most = ground.largest_penalty().expect("known");
    let loss = ground.loss(Steps::Linearised);
    let ones = vec![1.0; 4];
    let (_, state) = loss.evaluate(&ones).expect("solves");
    let slopes = loss.slopes(&ones, &state).expect("known");
    let q2 = slopes.linearised.expect("asked for");
    let beta2: Vec<f64> = q2
        .apply(&ones)
        .iter()
        .zip(&slopes.gradient)
        .map(|(q, g)| q - g)
        .collect();
    for (share, empty) in [(1.0 + 1e-12, true), (1.0 - 1e-6, false)] {
        let mut w = ones.clone();
        box_lasso(&q2, &beta2, share * most, &mut w, 1e-14);
        assert_eq!(w.iter().all(|v| *v == 0.0), empty, "{w:?}");
    }
}

#[test]
fn published_steps_descend_and_ours_end_no_higher() {
    for seed in 0..4 {
        let data = simulate::sine(seed);
        let problem = Problem::new(data.x().clone(), data.labels().clone()).expect("valid");
        let rows: Vec<usize> = (0..120).collect();
        let problem = problem.select(&rows);
        let run = |weight_steps: Steps| {
            SparseKos::new()
                .weight_steps(weight_steps)
                .fit(&problem, &setting(1.0, 1e-3, 0.03))
                .expect("fits")
                .report
        };
        let (published, ours) = (run(Steps::Linearised), run(Steps::Projected));
        assert!(published.trace.windows(2).all(|t| t[1] <= t[0]));
        let (a, b) = (
            published.objective.expect("known"),
            ours.objective.expect("known"),
        );
        assert!(b <= a + 1e-6, "{b} {a}");
    }
}

#[test]
fn restarts_do_no_harm_and_classes_may_be_permuted() {
    let problem = with_noise(60, 6, 3, 7);
    let fit = |problem: &Problem, restarts: usize| {
        SparseKos::new()
            .restarts(restarts)
            .fit(problem, &setting(1.5, 3e-3, 0.05))
            .expect("fits")
    };
    let (one, more) = (fit(&problem, 0), fit(&problem, 3));
    assert!(more.report.objective <= one.report.objective);
    assert_eq!(more.report.start.expect("several").1, 4);
    let recode = [1, 2, 0];
    let codes: Vec<usize> = problem.labels.codes().iter().map(|&c| recode[c]).collect();
    let permuted = Problem {
        labels: Labels::from_codes(codes, problem.labels.classes().to_vec()).expect("codes fit"),
        ..problem.clone()
    };
    let other = fit(&permuted, 0);
    for (a, b) in one
        .expansion
        .feature_weights
        .iter()
        .zip(&other.expansion.feature_weights)
    {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
    let pa = one.decision.posterior(&one.expansion.evaluate(&problem.x));
    let pb = other
        .decision
        .posterior(&other.expansion.evaluate(&problem.x));
    for i in 0..60 {
        for c in 0..3 {
            assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-2);
        }
    }
}

#[test]
fn an_enormous_penalty_leaves_the_priors() {
    let problem = with_noise(30, 3, 2, 9);
    let fit = SparseKos::new()
        .fit(&problem, &setting(1.0, 1e-2, 100.0))
        .expect("fits");
    assert!(fit.expansion.feature_weights.iter().all(|w| *w == 0.0));
    assert!((fit.report.objective.expect("known") - 1.0).abs() < 1e-12);
    let p = fit.decision.posterior(&fit.expansion.evaluate(&problem.x));
    for row in p.iter_rows() {
        assert!((row[0] - problem.priors[0]).abs() < 1e-9);
    }
    // Also classes of different size, where rounding could decide.
    for seed in 0..20 {
        let mut uneven = with_noise(41, 3, 2, 20 + seed);
        let codes: Vec<usize> = (0..41).map(|i| usize::from(i % 3 == 0)).collect();
        uneven.labels =
            Labels::from_codes(codes, uneven.labels.classes().to_vec()).expect("codes fit");
        uneven.priors = vec![27.0 / 41.0, 14.0 / 41.0];
        let fit = SparseKos::new()
            .fit(&uneven, &setting(1.0, 1e-2, 100.0))
            .expect("fits");
        let p = fit.decision.posterior(&fit.expansion.evaluate(&uneven.x));
        assert!(
            p.iter_rows()
                .all(|r| (r[0] - uneven.priors[0]).abs() < 1e-9)
        );
    }
}

#[test]
fn more_features_than_rows() {
    let problem = with_noise(30, 60, 2, 11);
    let fit = SparseKos::new()
        .fit(&problem, &setting(6.0, 1e-2, 0.05))
        .expect("fits");
    let kept = fit
        .expansion
        .feature_weights
        .iter()
        .filter(|w| **w != 0.0)
        .count();
    assert!(kept > 0 && kept < 30, "{kept}");
    assert!(fit.report.residual.expect("known") < 1e-4);
}

#[test]
fn a_move_is_refused_only_if_its_loss_exceeds_the_bound() {
    let mut weighed = with_noise(60, 5, 3, 13);
    weighed.weights = Some((0..60).map(|i| 1.0 + (i % 3) as f64).collect());
    let kernel = Kernel::Gaussian { bandwidth: 1.5 };
    let ground = SparseKos::new()
        .ground(&weighed, kernel, Some(2e-2), None)
        .expect("valid");
    let loss = ground.loss(Steps::Projected);
    let w = [0.9, 0.4, 0.7, 0.0, 0.2];
    let (_, state) = loss.evaluate(&w).expect("solves");
    for j in 0..5 {
        for to in [0.0, 0.1, 1.0] {
            let mut w = w;
            w[j] = to;
            let (value, _) = loss.evaluate(&w).expect("solves");
            let near = |bound: f64| loss.evaluate_near(&w, bound, &state).expect("solves");
            let same = near(value * (1.0 + 1e-9)).expect("not refused");
            assert!((same.0 - value).abs() < 1e-12 * value);
            assert!(near(0.9 * value).is_none(), "{j} {to}");
        }
    }
}

#[test]
fn slopes_of_weights_at_zero_are_those_of_the_squares() {
    let problem = with_noise(50, 5, 2, 15);
    let w = [0.8, 0.0, 0.5, 0.0, 0.3];
    for family in [Family::Gaussian, Family::Cauchy] {
        let choice = KernelChoice::of(family);
        let kernel = choice.with(1.5, 5).expect("valid");
        let method = SparseKos::new().kernel(choice);
        let ground = method
            .ground(&problem, kernel, Some(2e-2), None)
            .expect("valid");
        let loss = ground.loss(Steps::Projected);
        let (value, state) = loss.evaluate(&w).expect("solves");
        let slopes = loss.slopes(&w, &state).expect("known");
        let returning = loss
            .returning(&w, &state)
            .expect("known")
            .expect("asked for");
        for j in [1, 3] {
            assert_eq!(
                (slopes.gradient[j], slopes.curvature.diagonal(j)),
                (0.0, 0.0)
            );
            let mut moved = w;
            moved[j] = 0.03;
            let there = loss.evaluate(&moved).expect("solves").0;
            let numeric = (there - value) / (0.03 * 0.03);
            // One-sided, and without the jitter: right to a few percent of the largest.
            let size = returning.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(
                (returning[j] - numeric).abs() < 0.1 * size,
                "{kernel:?} {j}"
            );
        }
    }
}
