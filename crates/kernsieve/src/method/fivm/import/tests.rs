//! Tests of imports.

use super::*;
use crate::kernel::{Family, gram};
use crate::testing::problem;
use proptest::prelude::*;

type Walked = (Vec<usize>, Vec<u64>, usize);

fn walk(problem: &Problem, kernel: Kernel, ridge: f64, prune: bool, steps: usize) -> Walked {
    walk_with(problem, kernel, ridge, prune, steps, false)
}

fn walk_with(
    problem: &Problem,
    kernel: Kernel,
    ridge: f64,
    prune: bool,
    steps: usize,
    next: bool,
) -> Walked {
    let likelihood = Likelihood::new(&problem.classes());
    let mut ground = Ground::new(problem, kernel, &likelihood);
    ground.prune = prune;
    let mut walk = Walk::new(&ground, ridge).expect("starts");
    let mut objectives = vec![];
    while walk.chosen.len() < steps {
        let Some(import) = walk.import(next).expect("imports") else {
            break;
        };
        objectives.push(import.objective.to_bits());
        if let Some((feature, value)) = import.runner_up {
            assert!(value >= import.objective - TIE && feature != import.feature);
            objectives.push(value.to_bits());
        }
    }
    (walk.features(), objectives, walk.solved)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn ruling_out_never_changes_the_choice(
        seed in 0u64..10_000, classes in 2usize..4, width in -1.0f64..2.0, ridge in -9.0f64..2.0, p in 1usize..25
    ) {
        let mut problem = problem(30, p, classes, seed);
        if p > 3 {
            // One column is repeated and one is negated: exact ties, which the first must win.
            for i in 0..30 {
                let v = problem.x[(i, 1)];
                (problem.x[(i, 2)], problem.x[(i, 3)]) = (v, -v);
            }
        }
        let kernel = Kernel::Gaussian { bandwidth: 2f64.powf(width) };
        let with = walk(&problem, kernel, 2f64.powf(ridge), true, 4);
        let without = walk(&problem, kernel, 2f64.powf(ridge), false, 4);
        prop_assert_eq!(&with.0, &without.0);
        prop_assert_eq!(&with.1, &without.1);
        prop_assert!(with.2 <= without.2);
        // The same with the runner-up of each step.
        let with = walk_with(&problem, kernel, 2f64.powf(ridge), true, 4, true);
        let without = walk_with(&problem, kernel, 2f64.powf(ridge), false, 4, true);
        prop_assert_eq!(&with.0, &without.0);
        prop_assert_eq!(&with.1, &without.1);
        let twins = p > 3;
        if let (true, Some(a), Some(b)) = (twins, with.0.iter().position(|&j| j == 1), with.0.iter().position(|&j| j == 2)) {
            prop_assert!(a < b);
        }
    }
}

#[test]
fn the_choice_is_the_least_objective_of_all_and_threads_do_not_matter() {
    for family in [
        Family::Gaussian,
        Family::Laplacian,
        Family::Cauchy,
        Family::Linear,
        Family::Polynomial,
    ] {
        let kernel = match family {
            Family::Gaussian => Kernel::Gaussian { bandwidth: 1.5 },
            Family::Laplacian => Kernel::Laplacian { bandwidth: 2.0 },
            Family::Cauchy => Kernel::Cauchy {
                bandwidth: 1.5,
                dimension: 1,
            },
            Family::Linear => Kernel::Linear,
            _ => Kernel::Polynomial { degree: 2 },
        };
        let problem = problem(40, 9, 3, 77);
        let (features, objectives, _) = walk(&problem, kernel, 0.03, true, 3);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("pool");
        assert_eq!(
            pool.install(|| walk(&problem, kernel, 0.03, true, 3).1),
            objectives
        );
        // Each step by brute force, from Gram matrices of the columns themselves.
        let likelihood = Likelihood::new(&problem.classes());
        for k in 0..3 {
            let value = |j: usize| {
                let mut set = features[..k].to_vec();
                set.push(j);
                let g = gram(&kernel, &problem.x.select_columns(&set));
                let start = vec![0.0; 40 * 3];
                let mut work = Workspace::default();
                solution(solve(
                    g.as_slice(),
                    &likelihood,
                    0.03,
                    &start,
                    Stop::EXACT,
                    &mut work,
                ))
                .expect("solves")
                .objective
            };
            let least = (0..9)
                .filter(|j| !features[..k].contains(j))
                .map(value)
                .fold(f64::INFINITY, f64::min);
            assert!((value(features[k]) - least).abs() < 1e-12, "{family:?} {k}");
            assert!(
                (f64::from_bits(objectives[k]) - least).abs() < 1e-11,
                "{family:?} {k}"
            );
        }
    }
}

#[test]
fn a_small_ridge_does_not_start_from_worse_than_nothing() {
    // Coefficients of one feature, about 1 / (2 lambda n), give outputs of that size with one
    // more feature, where the loss is flat.
    for (classes, ridge) in [(2, 1e-5), (2, 1e-7), (3, 1e-6), (4, 1e-7)] {
        for seed in 0..6 {
            let problem = problem(13, 4, classes, seed);
            let kernel = Kernel::Cauchy {
                bandwidth: 1.2,
                dimension: 1,
            };
            let likelihood = Likelihood::new(&problem.classes());
            let (features, objectives, _) = walk(&problem, kernel, ridge, true, 3);
            for k in 0..3 {
                let value = |j: usize| {
                    let mut set = features[..k].to_vec();
                    set.push(j);
                    let g = gram(&kernel, &problem.x.select_columns(&set));
                    let start = vec![0.0; 13 * likelihood.columns()];
                    let mut work = Workspace::default();
                    let solved = solve(
                        g.as_slice(),
                        &likelihood,
                        ridge,
                        &start,
                        Stop::EXACT,
                        &mut work,
                    );
                    solution(solved).expect("solves").objective
                };
                let left = (0..4).filter(|j| !features[..k].contains(j));
                let least = left.map(value).fold(f64::INFINITY, f64::min);
                let found = f64::from_bits(objectives[k]);
                assert!(
                    (found - least).abs() < 1e-6 * least,
                    "{classes} {ridge} {seed} {k}: {found} {least}"
                );
            }
        }
    }
}

#[test]
fn most_candidates_are_ruled_out() {
    let problem = problem(60, 300, 2, 5);
    let (_, _, solved) = walk(&problem, Kernel::Gaussian { bandwidth: 2.0 }, 0.35, true, 3);
    assert!(solved < 300, "{solved} of 900");
}
