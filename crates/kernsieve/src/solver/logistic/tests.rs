use super::*;
use crate::classes::Classes;
use crate::kernel::{Kernel, gram};
use crate::linalg::Matrix;
use crate::testing::{problem, random};
use proptest::prelude::*;

fn example(n: usize, classes: usize, seed: u64) -> (Matrix, Classes) {
    let p = problem(n, 3, classes, seed);
    (
        gram(&Kernel::Gaussian { bandwidth: 1.1 }, &p.x),
        p.classes(),
    )
}

fn solved(k: &Matrix, classes: &Classes, ridge: f64) -> Solution {
    let likelihood = Likelihood::new(classes);
    let start = vec![0.0; likelihood.columns() * classes.n_rows()];
    let mut work = Workspace::default();
    match solve(
        k.as_slice(),
        &likelihood,
        ridge,
        &start,
        Stop::EXACT,
        &mut work,
    ) {
        Outcome::Solved(s) => s,
        Outcome::Above(_) => panic!("nothing to give up for"),
    }
}

/// `H` as the paper writes it, from scratch.
fn objective(k: &Matrix, classes: &Classes, ridge: f64, a: &[f64]) -> f64 {
    let n = classes.n_rows();
    let column = |c: usize| &a[c * n..(c + 1) * n];
    let f = |c: usize, i: usize| -> f64 { (0..n).map(|j| k[(i, j)] * column(c)[j]).sum() };
    let q = a.len() / n;
    let mut h = 0.0;
    for i in 0..n {
        let y = classes.codes()[i];
        let loss = if q == 1 {
            let sign = if y == 1 { 1.0 } else { -1.0 };
            (1.0 + f64::exp(-sign * f(0, i))).ln()
        } else {
            (0..q).map(|c| f(c, i).exp()).sum::<f64>().ln() - f(y, i)
        };
        h += classes.weight(i) / classes.total() * loss;
    }
    let norm: f64 = (0..q)
        .map(|c| (0..n).map(|i| column(c)[i] * f(c, i)).sum::<f64>())
        .sum();
    h + ridge * norm
}

#[test]
fn the_gradient_of_the_stated_objective_vanishes() {
    for c in [2, 3, 5] {
        let (k, classes) = example(40, c, 3);
        for ridge in [1.0, 0.01, 1e-5] {
            let s = solved(&k, &classes, ridge);
            assert!(s.converged, "{c} {ridge}: {}", s.gradient);
            assert!(
                (objective(&k, &classes, ridge, &s.coef) - s.objective).abs()
                    < 1e-12 * (1.0 + s.objective)
            );
            // K r, with r from the definition of the probabilities; eq. 16 and 24.
            let n = classes.n_rows();
            let likelihood = Likelihood::new(&classes);
            let mut r = vec![0.0; s.coef.len()];
            let (mut f, mut p, mut gap) = (r.clone(), r.clone(), r.clone());
            symmetric_times(k.as_slice(), n, &s.coef, &mut f);
            likelihood.evaluate(&f, &mut p, &mut gap);
            assert_eq!(p, s.probabilities);
            likelihood.residual(ridge, &s.coef, &gap, &mut r);
            let mut gradient = vec![0.0; r.len()];
            symmetric_times(k.as_slice(), n, &r, &mut gradient);
            let worst = gradient.iter().fold(0.0, |m, g| f64::max(m, g.abs()));
            assert!(worst < 1e-10, "{c} {ridge}: {worst}");
            // And central differences agree that it is a minimum: the gradient is nowhere else
            // than where we say.
            for j in [0, 7, s.coef.len() - 1] {
                let scale = 1e-4 * s.coef.iter().fold(0.0, |m, a| f64::max(m, a.abs()));
                let at = |t: f64| {
                    let mut a = s.coef.clone();
                    a[j] += t;
                    objective(&k, &classes, ridge, &a)
                };
                assert!(
                    (at(scale) - at(-scale)).abs() <= 1e-7 * scale + 1e-14,
                    "{c} {ridge} {j}"
                );
                assert!(at(scale) >= s.objective - 1e-15 && at(-scale) >= s.objective - 1e-15);
            }
            assert!(
                s.trace.windows(2).all(|t| t[1] <= t[0] + 1e-12),
                "{:?}",
                s.trace
            );
        }
    }
}

#[test]
fn the_dual_value_bounds_from_below_and_meets_the_objective() {
    for classes in [2, 4] {
        let (k, classes) = example(36, classes, 5);
        let likelihood = Likelihood::new(&classes);
        let s = solved(&k, &classes, 0.02);
        let mut work = Workspace::default();
        for seed in 0..20 {
            let start = random(1, s.coef.len(), seed).into_vec();
            let b = bounds(k.as_slice(), &likelihood, 0.02, &start, &mut work);
            assert!(
                b.lower <= s.objective + 1e-13 && b.upper >= s.objective - 1e-13,
                "{b:?}"
            );
        }
        let b = bounds(k.as_slice(), &likelihood, 0.02, &s.coef, &mut work);
        assert!((b.upper - b.lower).abs() < 1e-13, "{b:?}");
        // Giving up happens exactly above the objective.
        let start = vec![0.0; s.coef.len()];
        let try_below = |limit: f64, work: &mut Workspace| {
            let stop = Stop {
                above: limit,
                ..Stop::EXACT
            };
            solve(k.as_slice(), &likelihood, 0.02, &start, stop, work)
        };
        let below = try_below(s.objective - 1e-6, &mut work);
        assert!(matches!(below, Outcome::Above(v) if v <= s.objective + 1e-13));
        assert!(matches!(
            try_below(s.objective + 1e-6, &mut work),
            Outcome::Solved(_)
        ));
    }
}

#[test]
fn two_classes_as_many_are_the_binary_problem_at_half_the_ridge() {
    let (k, classes) = example(50, 2, 8);
    let binary = solved(&k, &classes, 0.01);
    // The same rows with a third class that no row has would add a column; so the multinomial
    // form is made by hand.
    let mut likelihood = Likelihood::new(&classes);
    likelihood.classes = 3;
    let n = classes.n_rows();
    let mut work = Workspace::default();
    let Outcome::Solved(three) = solve(
        k.as_slice(),
        &likelihood,
        0.02,
        &vec![0.0; 3 * n],
        Stop::EXACT,
        &mut work,
    ) else {
        panic!("solves")
    };
    // Columns sum to zero, whatever the number of classes.
    for i in 0..n {
        let sum: f64 = (0..3).map(|c| three.coef[c * n + i]).sum();
        assert!(sum.abs() < 1e-11);
    }
    // (f, -f) / 2 has half the squared norm of f: (24) at lambda is (16) at lambda / 2.
    let half: Vec<f64> = binary.coef.iter().map(|a| 0.5 * a).collect();
    let both: Vec<f64> = half
        .iter()
        .map(|a| -a)
        .chain(half.iter().copied())
        .collect();
    let value = objective(&k, &classes, 0.02, &both);
    assert!(
        (value - binary.objective).abs() < 1e-12,
        "{value} {}",
        binary.objective
    );
    for (j, scale) in [(3, 1e-3), (60, 1e-3)] {
        let at = |t: f64| {
            let mut a = both.clone();
            a[j] += t;
            objective(&k, &classes, 0.02, &a)
        };
        assert!(at(scale) > value && at(-scale) > value);
    }
}

#[test]
fn separable_and_singular_problems_are_solved() {
    // Rows of one class are all alike, far apart: K is singular and the margins are huge.
    let n = 30;
    let codes: Vec<usize> = (0..n).map(|i| usize::from(i >= 10)).collect();
    let x = Matrix::from_fn(n, 1, |i, _| if i >= 10 { 1e3 } else { -1e3 });
    let k = gram(&Kernel::Gaussian { bandwidth: 1.0 }, &x);
    let classes = Classes::new(&codes, None, 2);
    for ridge in [1.0, 1e-4, 1e-9, 1e-14] {
        let s = solved(&k, &classes, ridge);
        assert!(s.converged, "{ridge}: {}", s.gradient);
        assert_eq!(
            Likelihood::new(&classes).training_error(&s.probabilities),
            0.0
        );
        // One equation for each class: 2 lambda f = (share of the class) (1 - p).
        let f: f64 = (10..n).map(|i| s.coef[i]).sum();
        let right = 2.0 / 3.0 / (1.0 + f.exp()) / (2.0 * ridge);
        assert!((f - right).abs() < 1e-7 * f, "{ridge}: {f} {right}");
    }
    let linear = gram(&Kernel::Linear, &random(60, 2, 4));
    let classes = Classes::new(&(0..60).map(|i| i % 3).collect::<Vec<_>>(), None, 3);
    let s = solved(&linear, &classes, 1e-3);
    // Labels that the rows say nothing about: the terms of the gradient all but cancel, and
    // rounding shows.
    assert!(s.gradient < 1e-10, "{} {:?}", s.gradient, s.trace);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn weights_are_repetitions_and_order_does_not_matter(
        seed in 0u64..1000, c in 2usize..5, ridge in -5.0f64..0.5,
    ) {
        let ridge = 10f64.powf(ridge);
        let (k, classes) = example(24, c, seed);
        let n = classes.n_rows();
        let times: Vec<f64> = (0..n).map(|i| 1.0 + ((i * 7 + seed as usize) % 3) as f64).collect();
        let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; times[i] as usize]).rev().collect();
        let repeated = Matrix::from_fn(rows.len(), rows.len(), |i, j| k[(rows[i], rows[j])]);
        let codes: Vec<usize> = rows.iter().map(|&i| classes.codes()[i]).collect();
        let a = solved(&k, &Classes::new(classes.codes(), Some(&times), c), ridge);
        let b = solved(&repeated, &Classes::new(&codes, None, c), ridge);
        prop_assert!((a.objective - b.objective).abs() < 1e-11);
        let m = rows.len();
        for c in 0..a.coef.len() / n {
            for (at, &i) in rows.iter().enumerate() {
                let (one, all) = (b.probabilities[c * m + at], a.probabilities[c * n + i]);
                prop_assert!((one - all).abs() < 1e-8, "{one} {all}");
            }
        }
    }
}
