//! Tests of kernel optimal scoring.

use super::*;
use crate::data::{Labels, Rng, simulate};
use crate::kernel::cross_gram;
use crate::method::lda::Lda;
use crate::model::Model;
use crate::params::{KernelChoice, Protocol};
use crate::solver::optimal_scoring::contrast_scores;
use crate::testing::problem;
use crate::tuning::{Control, Train};

#[test]
fn folded_expansion_equals_equation_6_and_scores_have_mean_zero() {
    let problem = problem(41, 3, 2, 1);
    let kernel = Kernel::Gaussian { bandwidth: 1.1 };
    let kos = Kos::new();
    let fit = kos
        .fit(
            &problem,
            &KosSetting {
                kernel,
                ridge: Some(1e-2),
            },
        )
        .expect("fits");
    assert!(fit.report.residual.expect("known") < 1e-13);
    let k = gram(&kernel, &problem.x);
    let n = 41;
    // alpha by eq. 5 literally, M^2 included, solved with the eigendecomposition of the whole
    // left-hand side.
    let c = Matrix::from_fn(n, n, |i, j| f64::from(i == j) - 1.0 / n as f64);
    let m = matmul(matmul(c.view(), k.view()).view(), c.view());
    let mm = matmul(m.view(), m.view());
    let g = n as f64 * 1e-2;
    let left = Matrix::from_fn(n, n, |i, j| {
        mm[(i, j)] + g * (m[(i, j)] + JITTER * f64::from(i == j))
    });
    let theta = contrast_scores(problem.classes().totals());
    let y = Matrix::from_fn(n, 1, |i, _| theta[(problem.labels.codes()[i], 0)]);
    let right = matmul(m.view(), y.view());
    let e = symmetric_eigen(&left).expect("finite");
    let alpha = Shifted::new(left)
        .filter(|l| 1.0 / l, &right)
        .expect("solves");
    assert!(e.values.iter().all(|v| *v > 0.0));
    let calpha = matmul(c.view(), alpha.view());
    let mut rng = Rng::new(9);
    let test = Matrix::from_fn(5, 3, |_, _| rng.normal());
    let kx = cross_gram(&kernel, &test, &problem.x);
    let z = fit.expansion.evaluate(&test);
    for t in 0..5 {
        let p: f64 = (0..n)
            .map(|i| (kx[(t, i)] - k.row(i).iter().sum::<f64>() / n as f64) * calpha[(i, 0)])
            .sum();
        assert!((z[(t, 0)] - p).abs() < 1e-8, "{} {p}", z[(t, 0)]);
    }
    let own = fit.expansion.evaluate(&problem.x);
    assert!(own.column(0).iter().sum::<f64>().abs() < 1e-9);
}

#[test]
fn linear_kernel_and_vanishing_ridge_give_the_direction_of_lda() {
    let problem = problem(70, 4, 2, 2);
    let fit = Kos::new()
        .kernel(KernelChoice::Linear)
        .fit(
            &problem,
            &KosSetting {
                kernel: Kernel::Linear,
                ridge: Some(1e-12),
            },
        )
        .expect("fits");
    let Output::Linear { coef, .. } = &fit.expansion.output else {
        panic!("linear output")
    };
    let direction = matmul(problem.x.view().t(), coef.view()).column(0);
    let lda = Lda::new().solve(&problem).expect("fits");
    let reference = lda.expansion.support.row(0);
    let ratio = direction[0] / reference[0];
    for j in 1..4 {
        assert!((direction[j] / reference[j] / ratio - 1.0).abs() < 1e-6);
    }
}

#[test]
fn objective_is_least_at_the_solution() {
    let problem = problem(30, 2, 2, 3);
    let k = gram(&Kernel::Gaussian { bandwidth: 1.0 }, &problem.x);
    let classes = problem.classes();
    let gamma = 3e-3;
    let solved = solve_gram(&k, true, &classes, &[Ridge::Fixed(gamma)]).expect("solves");
    let s = solved.into_iter().next().expect("one").expect("solved");
    let mut m = k.clone();
    center_gram_weighted(&mut m, None);
    let theta = contrast_scores(classes.totals());
    let value = |a: &[f64]| {
        let n = 30;
        let mut total = 0.0;
        for i in 0..n {
            let ma: f64 = (0..n).map(|j| m[(i, j)] * a[j]).sum();
            let y = theta[(problem.labels.codes()[i], 0)];
            total += (y - ma).powi(2) / n as f64 + gamma * a[i] * (ma + JITTER * a[i]);
        }
        total
    };
    let a = s.coef.column(0);
    let at = value(&a);
    assert!((at - s.objective).abs() < 1e-10);
    let mut rng = Rng::new(4);
    for _ in 0..20 {
        let moved: Vec<f64> = a.iter().map(|v| v + 1e-3 * rng.normal()).collect();
        assert!(value(&moved) > at);
    }
}

#[test]
fn permuting_three_classes_permutes_the_probabilities() {
    let a = problem(45, 3, 3, 5);
    let recode = [1, 2, 0];
    let mut b = a.clone();
    let codes: Vec<usize> = a.labels.codes().iter().map(|&c| recode[c]).collect();
    b.labels = Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
    let setting = KosSetting {
        kernel: Kernel::Gaussian { bandwidth: 1.0 },
        ridge: None,
    };
    for mahalanobis in [false, true] {
        let kos = Kos::new().mahalanobis(mahalanobis);
        let (fa, fb) = (
            kos.fit(&a, &setting).expect("fits"),
            kos.fit(&b, &setting).expect("fits"),
        );
        let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
        let pb = fb.decision.posterior(&fb.expansion.evaluate(&a.x));
        for i in 0..45 {
            for c in 0..3 {
                assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-7);
            }
        }
    }
}

#[test]
fn all_rows_as_landmarks_are_eq_5() {
    for (classes, weighted) in [(2, false), (3, false), (3, true)] {
        let mut problem = problem(60, 3, classes, 11);
        if weighted {
            problem.weights = Some((0..60).map(|i| 0.5 + (i % 4) as f64).collect());
        }
        let kernel = Kernel::Gaussian { bandwidth: 1.2 };
        let k = gram(&kernel, &problem.x);
        let all: Vec<usize> = (0..60).collect();
        for ridge in [
            Ridge::Fixed(1e-2),
            Ridge::Rule(RidgeRule::Stabilization),
            Ridge::Rule(RidgeRule::StabilizationLiteral),
            Ridge::Rule(RidgeRule::Gcv),
        ] {
            let exact = solve_gram(&k, true, &problem.classes(), &[ridge]).expect("solves");
            let exact = exact.into_iter().next().expect("one").expect("solved");
            let own = landmarks::solve(&problem, &kernel, &all, &[ridge]).expect("solves");
            let own = own.into_iter().next().expect("one").expect("solved");
            assert_eq!(own.gamma, exact.gamma);
            assert!(own.residual < 1e-10);
            assert!((own.objective - exact.objective).abs() < 1e-8);
            let outputs = |coef: &Matrix, offset: &[f64]| {
                let mut z = matmul(k.view(), coef.view());
                add_to_rows(&mut z, offset);
                z
            };
            let (a, b) = (
                outputs(&own.coef, &own.offset),
                outputs(&exact.coef, &exact.offset),
            );
            // The smaller the ridge, the more the rounding of P'P is enlarged.
            let tolerance = 1e-8 * (1e-5 / own.gamma).max(1.0);
            for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
                assert!((u - v).abs() < tolerance, "{ridge:?}: {u} {v}");
            }
        }
    }
}

#[test]
fn more_landmarks_come_closer_to_the_minimum() {
    let data = simulate::mixture(5, 1, 150, 2);
    let fit = |kos: Kos| {
        let kernel = KernelChoice::default().with_bandwidths([1.0]);
        let trained =
            kos.kernel(kernel)
                .ridge(1e-3)
                .train(&data, &Protocol::default(), &Control::new());
        trained.expect("trains").model
    };
    let exact = fit(Kos::new());
    let objective = |m: &Model| m.record.report.objective.expect("known");
    let far = objective(&fit(Kos::new().candidates(5)));
    let between = objective(&fit(Kos::new().candidates(40)));
    let near = fit(Kos::new().candidates(200));
    assert_eq!(near.record.report.retained_rows.len(), 200);
    // The span of some landmarks holds no better function, but for the jitter.
    let least = objective(&exact);
    assert!(objective(&near) > least - 1e-4);
    assert!(objective(&near) < between && between < far);
    let error = |m: &Model| {
        m.record
            .cv
            .as_ref()
            .and_then(|cv| cv.best().error)
            .expect("known")
    };
    assert!((error(&near) - error(&exact)).abs() < 0.03);
    // All rows and more are all rows.
    let all = fit(Kos::new().candidates(1000));
    assert_eq!(all.expansion, exact.expansion);
}

#[test]
fn an_indefinite_kernel_has_no_landmarks() {
    let kos = Kos::new().kernel(KernelChoice::of(Family::Sigmoid));
    assert!(kos.check().is_ok());
    let error = kos.candidates(10).check().expect_err("not definite");
    assert!(error.to_string().contains("sigmoid"), "{error}");
}
