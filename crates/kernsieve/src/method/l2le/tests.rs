//! Tests of the linear system.

use super::systems::Exact;
use super::*;
use crate::testing::problem;

fn systems(problem: &Problem, bandwidth: f64) -> Systems {
    let kernel = Kernel::Gaussian { bandwidth };
    let base = symmetric_base(Family::Gaussian, &problem.x);
    let l2le = L2le::new();
    l2le.systems(problem, &kernel, &base).expect("a density")
}

#[test]
fn without_a_ridge_it_is_the_limit_of_small_ridges() {
    for classes in [2, 3] {
        let problem = problem(60, 3, classes, 4);
        let own = systems(&problem, 0.3);
        let Exact { x, singular } = own.solve_exactly().expect("solves");
        assert_eq!(singular, None);
        // Eq. 10 itself.
        assert!(own.relative(&own.residual(&x, 0.0).0) < 1e-12);
        let gap = |ridge: f64| {
            let (other, _) = own.solve(ridge).expect("solves");
            let most = x.iter().zip(&other).map(|(u, v)| (u - v).abs());
            most.fold(0.0, f64::max) / x.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
        };
        let (far, near) = (gap(1e-4), gap(1e-6));
        assert!(
            far < 0.1 && (near / far / 0.01 - 1.0).abs() < 0.1,
            "{far} {near}"
        );
    }
}

#[test]
fn a_singular_system_has_the_solution_of_least_norm() {
    let mut problem = problem(50, 2, 2, 9);
    // Three rows of one class that are the same.
    let codes = problem.labels.codes();
    let alike: Vec<usize> = (0..50).filter(|&i| codes[i] == codes[0]).take(3).collect();
    let row = problem.x.row(alike[0]).to_vec();
    for &i in &alike[1..] {
        problem.x.row_mut(i).copy_from_slice(&row);
    }
    let own = systems(&problem, 0.1);
    let Exact { x, singular } = own.solve_exactly().expect("solves");
    let (singular, seen) = singular.expect("singular");
    assert_eq!(singular.rank, 48);
    assert!(
        singular.condition > 1e14 && seen < 1e-12,
        "{singular:?} {seen}"
    );
    // The equations of equal rows are the same: they can be met, with equal shares.
    assert!(own.relative(&own.residual(&x, 0.0).0) < 1e-9);
    let each: Vec<f64> = alike.iter().map(|&i| x[i]).collect();
    assert!((each[0] - each[1]).abs() + (each[0] - each[2]).abs() < 1e-9 * each[0].abs());
    // With a wide kernel next to nothing is resolved, and that is said.
    let Exact { x, singular } = systems(&problem, 30.0).solve_exactly().expect("solves");
    assert!(x.iter().all(|v| v.is_finite()));
    assert!(singular.expect("singular").0.rank < 20);
}
