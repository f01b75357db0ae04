//! Tests of kernel discriminant analysis.

use super::*;
use crate::kernel::Kernel;
use crate::method::lda::Lda;
use crate::testing::problem;

/// Eq. 10 by plain normal equations and Gaussian elimination: slow and obvious.
fn regress(k: &Matrix, y: &Matrix, r: f64, penalty: Penalty) -> (Matrix, Vec<f64>) {
    let (n, c) = (k.rows(), y.cols());
    let aug = Matrix::from_fn(n, n + 1, |i, j| if j < n { k[(i, j)] } else { 1.0 });
    let mut m = matmul(aug.view().t(), aug.view());
    for i in 0..n {
        for j in 0..n {
            m[(i, j)] += match penalty {
                Penalty::Kernel => r * k[(i, j)],
                Penalty::Identity => r * f64::from(i == j),
            };
        }
    }
    let mut b = matmul(aug.view().t(), y.view());
    for col in 0..=n {
        let pivot = (col..=n)
            .max_by(|&a, &b| m[(a, col)].abs().total_cmp(&m[(b, col)].abs()))
            .expect("rows");
        for j in 0..=n {
            let t = m[(col, j)];
            m[(col, j)] = m[(pivot, j)];
            m[(pivot, j)] = t;
        }
        for j in 0..c {
            let t = b[(col, j)];
            b[(col, j)] = b[(pivot, j)];
            b[(pivot, j)] = t;
        }
        for i in 0..=n {
            if i != col {
                let f = m[(i, col)] / m[(col, col)];
                for j in 0..=n {
                    m[(i, j)] -= f * m[(col, j)];
                }
                for j in 0..c {
                    b[(i, j)] -= f * b[(col, j)];
                }
            }
        }
    }
    let x = Matrix::from_fn(n + 1, c, |i, j| b[(i, j)] / m[(i, i)]);
    (Matrix::from_fn(n, c, |i, j| x[(i, j)]), x.row(n).to_vec())
}

#[test]
fn equals_canonical_variates_of_the_brute_force_regression() {
    let problem = problem(30, 3, 3, 2);
    let k = gram(&Kernel::Gaussian { bandwidth: 1.2 }, &problem.x);
    let classes = problem.classes();
    let y = scored_responses(&classes);
    for penalty in [Penalty::Kernel, Penalty::Identity] {
        let (a, o) = regress(&k, &y, 0.3, penalty);
        let mut fitted = matmul(k.view(), a.view());
        add_to_rows(&mut fitted, &o);
        let expected = canonical(&a, &o, &fitted, &classes, None).expect("finite");
        let solved = solve_gram(&k, true, &classes, &[0.3], penalty, None).expect("solves");
        let s = solved
            .into_iter()
            .next()
            .expect("one")
            .expect("solved")
            .variates;
        for (u, v) in s.means.as_slice().iter().zip(expected.means.as_slice()) {
            assert!((u.abs() - v.abs()).abs() < 1e-7, "{u} {v}");
        }
        for (u, v) in s.eigenvalues.iter().zip(&expected.eigenvalues) {
            assert!((u - v).abs() < 1e-9);
        }
    }
}

#[test]
fn an_indefinite_kernel_keeps_its_promises() {
    // Class means and eigenvalues must be those of the model's own outputs, at any ridge.
    let problem = problem(60, 4, 3, 6);
    let kernel = Kernel::Sigmoid {
        slope: 0.5,
        shift: 0.1,
    };
    let mkda = Mkda::new().kernel(KernelChoice::of(Family::Sigmoid));
    for r in [1e-3, 0.1, 1.0, 10.0] {
        let fit = mkda
            .fit(&problem, &Ridged { kernel, ridge: r })
            .expect("fits");
        let z = fit.expansion.evaluate(&problem.x);
        let means = problem.classes().means(&z);
        let Decision::Mahalanobis { means: claimed, .. } = &fit.decision else {
            panic!("wrong rule")
        };
        for (a, b) in means.as_slice().iter().zip(claimed.as_slice()) {
            assert!((a - b).abs() < 1e-6 * claimed.max_abs(), "r = {r}: {a} {b}");
        }
        // No worse than the offset alone, which leaves n (c - 1).
        assert!(fit.report.objective.expect("known") <= 120.0);
        assert!(fit.report.residual.expect("known") < 1e-9);
    }
}

#[test]
fn linear_kernel_and_vanishing_ridge_are_lda() {
    let problem = problem(90, 4, 3, 3);
    let mkda = Mkda::new().kernel(KernelChoice::Linear);
    let setting = Ridged {
        kernel: Kernel::Linear,
        ridge: 1e-7,
    };
    let fit = mkda.fit(&problem, &setting).expect("fits");
    let lda = Lda::new().solve(&problem).expect("fits");
    let (za, zb) = (
        fit.expansion.evaluate(&problem.x),
        lda.expansion.evaluate(&problem.x),
    );
    let (pa, pb) = (fit.decision.posterior(&za), lda.decision.posterior(&zb));
    for (u, v) in pa.as_slice().iter().zip(pb.as_slice()) {
        assert!((u - v).abs() < 1e-6, "{u} {v}");
    }
}

/// Fitted functions of two fits agree on these rows.
fn same_posteriors(a: &Fit, b: &Fit, rows: &Matrix, within: f64) {
    let posterior = |f: &Fit| f.decision.posterior(&f.expansion.evaluate(rows));
    let (pa, pb) = (posterior(a), posterior(b));
    for (u, v) in pa.as_slice().iter().zip(pb.as_slice()) {
        assert!((u - v).abs() < within, "{u} {v}");
    }
}

#[test]
fn without_a_ridge_a_linear_kernel_is_lda() {
    // Also with more features than rows, where both take the solution of least norm.
    for (n, p, c) in [(90, 4, 3), (40, 7, 2), (12, 20, 3)] {
        let problem = problem(n, p, c, 3);
        let mkda = Mkda::new().kernel(KernelChoice::Linear);
        let setting = Ridged {
            kernel: Kernel::Linear,
            ridge: 0.0,
        };
        let fit = mkda.fit(&problem, &setting).expect("fits");
        assert!(fit.report.residual.expect("known") < 1e-10);
        // `lda` scales its columns, and with more features than rows the least norm depends on
        // the scales: only the training rows are the same then.
        let lda = Lda::new().solve(&problem).expect("fits");
        same_posteriors(&fit, &lda, &problem.x, 1e-6);
        if p < n {
            same_posteriors(&fit, &lda, &crate::testing::random(20, p, 5), 1e-8);
        }
    }
}

#[test]
fn without_a_ridge_the_solution_has_the_least_norm() {
    // A polynomial kernel of degree 2 on 3 features has rank 9 when centred, far below 30.
    let problem = problem(30, 3, 3, 4);
    let kernel = Kernel::Polynomial { degree: 2 };
    let k = gram(&kernel, &problem.x);
    let classes = problem.classes();
    let y = scored_responses(&classes);
    let y_mean = response_means(&classes);
    for penalty in [Penalty::Kernel, Penalty::Identity] {
        let at = |r: f64| {
            let mut solved = solve_gram(&k, true, &classes, &[r], penalty, None).expect("solves");
            solved.pop().expect("one").expect("solved")
        };
        let none = at(0.0);
        // The residual sum of squares is that of the 10 monomials and a constant, by a solver that
        // knows nothing of kernels.
        let x = &problem.x;
        let mut monomials = Matrix::from_fn(30, 9, |i, j| match j {
            0..3 => x[(i, j)],
            3..6 => x[(i, j - 3)] * x[(i, j - 3)],
            _ => x[(i, (j - 6) % 3)] * x[(i, (j - 5) % 3)],
        });
        crate::linalg::center_columns(&mut monomials);
        let right = Matrix::from_fn(30, 3, |i, j| y[(i, j)] - y_mean[j]);
        let b = crate::linalg::least_squares(&monomials, &right, 0.0)
            .expect("finite")
            .coef;
        let fitted = matmul(monomials.view(), b.view());
        let gaps = right.as_slice().iter().zip(fitted.as_slice());
        let rss: f64 = gaps.map(|(u, v)| (u - v) * (u - v)).sum();
        assert!((none.rss - rss).abs() < 1e-9 * rss, "{} {rss}", none.rss);
        // It is the limit of small ridges.
        let small = at(1e-7);
        let (a, b) = (&none.variates.eigenvalues, &small.variates.eigenvalues);
        assert!(a.iter().zip(b).all(|(u, v)| (u - v).abs() < 1e-6));
        // No part of the coefficients lies where the matrix gives nothing: they are what the
        // matrix makes of other coefficients. For `R = r I` that is the range of `K C`, for `R =
        // r K` that of `C K C`; both have rank 9.
        let mut range = k.clone();
        match penalty {
            Penalty::Kernel => drop(center_gram_weighted(&mut range, None)),
            Penalty::Identity => {
                let means = crate::linalg::column_means(&range.transpose());
                range = Matrix::from_fn(30, 30, |i, j| k[(i, j)] - means[i]);
            }
        }
        let coef = &none.variates.coef;
        let inside = crate::linalg::least_squares(&range, coef, 1e-6)
            .expect("finite")
            .coef;
        let again = matmul(range.view(), inside.view());
        for (u, v) in coef.as_slice().iter().zip(again.as_slice()) {
            assert!(
                (u - v).abs() < 1e-7 * coef.max_abs(),
                "{penalty:?}: {u} {v}"
            );
        }
    }
}
