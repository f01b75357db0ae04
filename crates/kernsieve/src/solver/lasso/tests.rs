use super::*;
use crate::linalg::{center_columns, cholesky_shifted, least_squares, matmul};
use crate::solver::coordinate_descent::violation;
use crate::testing::random;
use proptest::prelude::*;

/// Centred features, the last a copy of the first where there are three or more, and centred
/// targets.
fn problem(n: usize, p: usize, k: usize, seed: u64) -> (Matrix, Matrix) {
    let noise = random(n, p, seed);
    let shared = random(n, 1, seed + 1);
    let mut x = Matrix::from_fn(n, p, |i, j| match j {
        _ if p >= 3 && j == p - 1 => noise[(i, 0)] + shared[(i, 0)],
        _ => noise[(i, j)] + shared[(i, 0)],
    });
    let mut t = Matrix::from_fn(n, k, |i, l| {
        f64::from(x[(i, l % p)] + noise[(i, 0)] > 0.3 * l as f64)
    });
    center_columns(&mut x);
    center_columns(&mut t);
    (x, t)
}

/// Slopes, penalised objective and dual value of a solution, from the data alone.
fn by_hand(x: &Matrix, t: &[f64], s: &Solution, penalty: Penalty) -> (Vec<f64>, f64, f64) {
    let mut w = vec![0.0; x.cols()];
    s.support.iter().zip(&s.coef).for_each(|(&j, &v)| w[j] = v);
    let r: Vec<f64> = (0..x.rows()).map(|i| t[i] - dot(x.row(i), &w)).collect();
    let slopes: Vec<f64> = (0..x.cols()).map(|j| dot(&x.column(j), &r)).collect();
    let objective = 0.5 * dot(&r, &r) + penalty.of(&w);
    let steep = w
        .iter()
        .zip(&slopes)
        .map(|(w, q)| (q - penalty.l2 * w).abs());
    let largest = steep.fold(0.0, f64::max);
    let scale = (penalty.l1 / largest).min(1.0);
    // Lasso with the rows sqrt(l2) I added; dual max over theta = scale * residual of t'theta -
    // |theta|^2 / 2.
    let residual = dot(&r, &r) + penalty.l2 * dot(&w, &w);
    let dual = scale * dot(t, &r) - 0.5 * scale * scale * residual;
    let broken = violation(&w, &slopes, penalty);
    (slopes, objective, (objective - dual).max(broken))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn conditions_and_gap_hold_in_both_shapes(
        n in 4usize..40, p in 1usize..60, k in 1usize..4,
        seed in 0u64..1000, ratio in 0.2f64..1.0, pure in any::<bool>(),
    ) {
        let (x, t) = problem(n, p, k, seed);
        let ratio = if pure { 1.0 } else { ratio };
        let at = |e: i32| Penalty::mixed(2f64.powi(e), ratio);
        let penalties: Vec<Penalty> = (-12..6).rev().map(at).collect();
        let solved = |gram: bool| path(&Design::with_gram(&x, gram), &t, &penalties, Stop::EXACT);
        for (l, (covariance, residual)) in solved(true).iter().zip(&solved(false)).enumerate() {
            let target = t.column(l);
            let scale = dot(&target, &target).max(1e-3);
            for (q, &penalty) in penalties.iter().enumerate() {
                let (a, b) = (&covariance[q], &residual[q]);
                for s in [a, b] {
                    prop_assert!(s.converged, "{s:?}");
                    let (_, objective, gap) = by_hand(&x, &target, s, penalty);
                    prop_assert!((objective - s.objective).abs() < 1e-9 * scale);
                    prop_assert!(gap < 1e-8 * scale.max(1.0), "{gap:e} {penalty:?}");
                }
                prop_assert!((a.objective - b.objective).abs() < 1e-9 * scale);
            }
        }
    }
}

#[test]
fn orthogonal_features_are_thresholded() {
    // Columns of a Hadamard matrix without the constant one: centred, |x_j|^2 = 8.
    let x = Matrix::from_fn(8, 7, |i, j| {
        if (i & (j + 1)).count_ones() % 2 == 0 {
            1.0
        } else {
            -1.0
        }
    });
    let mut t = random(8, 1, 3);
    center_columns(&mut t);
    let t = t.column(0);
    let penalty = Penalty { l1: 1.5, l2: 0.5 };
    let s = &path(
        &Design::new(&x),
        &Matrix::from_vec(t.clone(), 8, 1),
        &[penalty],
        Stop::EXACT,
    )[0][0];
    for j in 0..7 {
        let c = dot(&x.column(j), &t);
        let expected = c.signum() * (c.abs() - 1.5).max(0.0) / 8.5;
        let own = s
            .support
            .iter()
            .position(|&k| k == j)
            .map_or(0.0, |k| s.coef[k]);
        assert!((own - expected).abs() < 1e-12);
    }
}

#[test]
fn the_largest_penalty_is_where_the_first_feature_comes_in() {
    let (x, t) = problem(30, 10, 1, 7);
    let design = Design::new(&x);
    let largest = design
        .correlations(&t.column(0))
        .iter()
        .fold(0.0f64, |m, v| m.max(v.abs()));
    let at = |share: f64| Penalty {
        l1: largest * share,
        l2: 0.0,
    };
    let s = &path(&design, &t, &[at(1.000_001), at(0.999)], Stop::EXACT)[0];
    assert!(s[0].support.is_empty());
    assert_eq!(s[1].support.len(), 1);
    assert!((s[0].objective - 0.5 * dot(&t.column(0), &t.column(0))).abs() < 1e-12);
}

#[test]
fn without_a_penalty_it_is_least_squares() {
    let (x, t) = problem(40, 2, 2, 9);
    let expected = least_squares(&x, &t, 1e-12).expect("converges").coef;
    for (l, s) in path(
        &Design::new(&x),
        &t,
        &[Penalty { l1: 1e-12, l2: 0.0 }],
        Stop::EXACT,
    )
    .iter()
    .enumerate()
    {
        for (j, w) in s[0].support.iter().zip(&s[0].coef) {
            assert!((w - expected[(*j, l)]).abs() < 1e-9);
        }
    }
}

#[test]
fn a_penalty_of_zero_and_a_target_of_zeros_end() {
    let (x, mut t) = problem(20, 5, 2, 11);
    (0..20).for_each(|i| t[(i, 1)] = 0.0);
    for gram in [true, false] {
        let s = path(
            &Design::with_gram(&x, gram),
            &t,
            &[Penalty { l1: 0.0, l2: 0.0 }],
            Stop::EXACT,
        );
        let (slopes, ..) = by_hand(&x, &t.column(0), &s[0][0], Penalty { l1: 0.0, l2: 0.0 });
        assert!(slopes.iter().all(|q| q.abs() < 1e-9), "{slopes:?}");
        assert!(s[1][0].support.is_empty() && s[1][0].converged);
    }
}

#[test]
fn a_path_ends_where_a_cold_start_ends() {
    let (x, t) = problem(25, 80, 2, 13);
    let penalties: Vec<Penalty> = (0..12)
        .map(|e| Penalty::mixed(0.7f64.powi(e) * 4.0, 1.0))
        .collect();
    let design = Design::new(&x);
    let warm = path(&design, &t, &penalties, Stop::EXACT);
    let cold = path(&design, &t, &penalties[11..], Stop::EXACT);
    for (a, b) in warm.iter().zip(&cold) {
        // Copies of a feature may share its weight in any way, so the fits are compared.
        let fitted = |s: &Solution| -> Vec<f64> {
            let own = |i: usize| {
                s.support
                    .iter()
                    .zip(&s.coef)
                    .map(|(&j, w)| w * x[(i, j)])
                    .sum()
            };
            (0..25).map(own).collect()
        };
        let (u, v) = (fitted(&a[11]), fitted(&b[0]));
        assert!(u.iter().zip(&v).all(|(u, v)| (u - v).abs() < 1e-5));
    }
}

#[test]
fn without_absolute_values_it_is_ridge_regression() {
    for (n, p) in [(30, 8), (12, 40), (9, 9)] {
        let (x, t) = problem(n, p, 3, 5);
        let ladder = [50.0, 1.0, 1e-3];
        let solved = ridge_path(&x, &t, &ladder).expect("finite");
        for (q, &l2) in ladder.iter().enumerate() {
            // The normal equations, by a factorisation of their own.
            let mut w = matmul(x.view().t(), t.view());
            let gram = symmetric_product(x.transpose().view());
            cholesky_shifted(gram, l2)
                .expect("definite")
                .solve_in_place(&mut w);
            let penalty = Penalty::mixed(l2, 0.0);
            for (k, solutions) in solved.iter().enumerate() {
                let s = &solutions[q];
                let mut own = vec![0.0; p];
                s.support
                    .iter()
                    .zip(&s.coef)
                    .for_each(|(&j, &v)| own[j] = v);
                let gap = (0..p).map(|j| (own[j] - w[(j, k)]).abs());
                // Rounding is enlarged by the condition number, at most 1e3 / 1e-3 here.
                assert!(gap.fold(0.0, f64::max) < 1e-9, "{n} x {p}, {l2}");
                let (_, objective, _) = by_hand(&x, &t.column(k), s, penalty);
                assert!((objective - s.objective).abs() < 1e-12 * objective.max(1.0));
                assert!(s.gap.expect("l2 is above 0") < 1e-12);
                assert_eq!(s.support.len(), p);
            }
        }
        // The elastic net tends to it as the share of the L1 norm vanishes.
        let design = Design::new(&x);
        let near = path(&design, &t, &[Penalty::mixed(1.0, 1e-7)], Stop::EXACT);
        for (a, b) in near.iter().zip(&solved) {
            assert!((a[0].objective - b[1].objective).abs() < 1e-5);
        }
        let (none, least) = (
            ridge_path(&x, &t, &[0.0]).expect("finite"),
            least_squares(&x, &t, 0.0).expect("finite"),
        );
        for (k, s) in none.iter().enumerate() {
            for (&j, v) in s[0].support.iter().zip(&s[0].coef) {
                assert_eq!(*v, least.coef[(j, k)]);
            }
            assert_eq!(s[0].gap, None);
        }
    }
}
