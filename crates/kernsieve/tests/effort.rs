//! Work of the solvers, counted: steps, sweeps and products against the size of the problem. Counts
//! do not depend on how busy the machine is. Where there is no count, one test compares our time
//! with that of a simple solver, with a wide margin.

mod common;

use common::{numbers, problem};
use kernsieve::kernel::{Kernel, gram};
use kernsieve::linalg::{Matrix, center_columns, matmul, symmetric_product};
use kernsieve::method::l2qp::L2qpSetting;
use kernsieve::method::sparse_kos::SparseKosSetting;
use kernsieve::method::{Klr, L2qp, Method, Ridged, SparseKos};
use kernsieve::solver::coordinate_descent::Penalty;
use kernsieve::solver::lasso::{Design, Stop, path};
use kernsieve::solver::ols::forward_selection;
use std::time::Instant;

fn iterations<M: Method>(method: &M, setting: &M::Setting, n: usize) -> usize {
    let fit = method.fit(&problem(n), setting).expect("a fit");
    assert!(fit.report.converged);
    fit.report.iterations
}

/// A step of L2QP costs `4 n`: with as many steps as rows, a fit costs of the order of `n^2`.
#[test]
fn steps_of_l2qp_grow_with_the_rows_and_no_faster() {
    let setting = L2qpSetting {
        kernel: Kernel::Gaussian { bandwidth: 0.5 },
        balance: 1.0,
        class_bandwidths: None,
    };
    let [few, many] = [400, 800].map(|n| iterations(&L2qp::new(), &setting, n));
    assert!(few < 3 * 400 && many < 3 * few, "{few} and {many} steps");
}

/// The number of Newton steps does not grow with the rows.
#[test]
fn kernel_logistic_regression_takes_few_newton_steps() {
    let setting = Ridged {
        kernel: Kernel::Gaussian { bandwidth: 1.0 },
        ridge: 1e-3,
    };
    let [few, many] = [200, 400].map(|n| iterations(&Klr::new(), &setting, n));
    assert!(few <= 12 && many <= 12, "{few} and {many} steps");
}

/// Every step of the weights takes two factorisations.
#[test]
fn sparse_kos_takes_few_steps_per_penalty() {
    let setting = SparseKosSetting {
        kernel: Kernel::Gaussian { bandwidth: 1.0 },
        ridge: Some(1e-3),
        sparsity: 0.01,
        sparsity_share: None,
        features: None,
    };
    let [few, many] = [100, 200].map(|n| iterations(&SparseKos::new(), &setting, n));
    assert!(few <= 12 && many <= 12, "{few} and {many} steps");
}

/// Sweeps per penalty along a lasso path of exact solutions. Neighbouring features are correlated,
/// which makes many sweeps necessary; the last `copies` features repeat the first ones.
fn sweeps_per_penalty(copies: usize) -> f64 {
    let (n, p) = (300, 120);
    let mut x = numbers(n, p + 1);
    for i in 0..n {
        for j in 1..p {
            let before = x[(i, j - 1)];
            x[(i, j)] = 0.95 * before + 0.31 * x[(i, j)];
        }
        for j in p - copies..p {
            x[(i, j)] = x[(i, j + copies - p)];
        }
    }
    center_columns(&mut x);
    let mut target = Matrix::from_vec(
        (0..n)
            .map(|i| x[(i, 3)] - x[(i, 40)] + 0.3 * x[(i, 20)] + 0.5 * x[(i, p)])
            .collect(),
        n,
        1,
    );
    center_columns(&mut target);
    let design = Design::new(&Matrix::from_fn(n, p, |i, j| x[(i, j)]));
    let top = design
        .correlations(target.as_slice())
        .iter()
        .fold(0.0f64, |m, v| m.max(v.abs()));
    let penalties: Vec<Penalty> = (1..100)
        .map(|k| Penalty::mixed(top * 0.9f64.powi(k), 1.0))
        .collect();
    let solutions = path(&design, &target, &penalties, Stop::EXACT);
    assert!(solutions[0].iter().all(|s| s.converged));
    solutions[0].iter().map(|s| s.sweeps).sum::<usize>() as f64 / penalties.len() as f64
}

/// Coordinate descent alone takes hundreds of sweeps at each of the small penalties; Newton steps
/// for the current signs avoid them, even if columns are copies of each other and a factor from
/// before a copy entered has to be used.
#[test]
fn a_path_of_the_lasso_takes_few_sweeps() {
    for copies in [0, 60] {
        let sweeps = sweeps_per_penalty(copies);
        assert!(
            sweeps <= 5.0,
            "{copies} copies: {sweeps} sweeps per penalty"
        );
    }
}

/// A full path costs less than five times what twenty steps of the simple algorithm do. When
/// measured it cost less than half of that; the simple full path is twenty times as long.
#[test]
fn a_full_path_of_orthogonal_least_squares_is_far_from_the_simple_algorithm() {
    let n = 400;
    let k = gram(&Kernel::Gaussian { bandwidth: 1.0 }, &numbers(n, 10));
    let mut y = numbers(n, 3);
    center_columns(&mut y);
    let ours = || {
        let mut p = k.clone();
        center_columns(&mut p);
        let products = matmul(p.view().t(), y.view());
        let mut order = Vec::new();
        forward_selection(symmetric_product(p.view().t()), products, n, |s| {
            order.push(s.candidate);
            true
        });
        order
    };
    let mut times = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let start = Instant::now();
        let order = ours();
        times.0 = times.0.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let simple = gram_schmidt(&k, &y, 20);
        times.1 = times.1.min(start.elapsed().as_secs_f64());
        assert_eq!(order[..20], simple[..]);
    }
    assert!(times.0 < 5.0 * times.1, "{times:?} seconds");
}

/// Modified Gram-Schmidt: every remaining column is made orthogonal at every step.
fn gram_schmidt(k: &Matrix, y: &Matrix, steps: usize) -> Vec<usize> {
    let mut p = k.clone();
    center_columns(&mut p);
    let mut columns = p.transpose();
    let responses = y.transpose();
    let n = k.rows();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut order: Vec<usize> = Vec::new();
    for _ in 0..steps {
        let gain = |j: usize| {
            let c = columns.row(j);
            responses
                .iter_rows()
                .map(|r| dot(r, c).powi(2))
                .sum::<f64>()
                / (dot(c, c) + 1e-9)
        };
        let left = (0..n).filter(|j| !order.contains(j));
        let best = left
            .map(|j| (j, gain(j)))
            .fold((0, -1.0), |m, v| if v.1 > m.1 { v } else { m })
            .0;
        order.push(best);
        let length = dot(columns.row(best), columns.row(best)).sqrt();
        let unit: Vec<f64> = columns.row(best).iter().map(|v| v / length).collect();
        for column in columns.as_mut_slice().chunks_exact_mut(n) {
            let share = dot(&unit, column);
            column
                .iter_mut()
                .zip(&unit)
                .for_each(|(v, u)| *v -= share * u);
        }
    }
    order
}
