use super::factorisation::DEPENDENT;
use super::*;
use crate::linalg::{center_columns, dot, least_squares, matmul, symmetric_product};
use crate::testing::random;

struct Taken {
    order: Vec<usize>,
    length: Vec<f64>,
    responses: Vec<Vec<f64>>,
    projections: Vec<Vec<f64>>,
}

fn run(p: &Matrix, y: &Matrix, max: usize) -> Taken {
    let gram = symmetric_product(p.transpose().view());
    let products = matmul(p.view().t(), y.view());
    let mut t = Taken {
        order: vec![],
        length: vec![],
        responses: vec![],
        projections: vec![],
    };
    let steps = forward_selection(gram, products, max, |s| {
        t.order.push(s.candidate);
        t.length.push(s.length);
        t.responses.push(s.responses.to_vec());
        t.projections.push(s.projections.to_vec());
        true
    });
    assert_eq!(steps, t.order.len());
    t
}

/// Modified Gram-Schmidt as in the textbooks: every remaining column is made orthogonal at
/// every step.
fn reference(p: &Matrix, y: &Matrix, max: usize) -> Vec<usize> {
    let (n, m) = (p.rows(), p.cols());
    let mut columns: Vec<Vec<f64>> = (0..m).map(|j| p.column(j)).collect();
    let whole: Vec<f64> = columns.iter().map(|c| dot(c, c)).collect();
    let mut order = Vec::new();
    for _ in 0..max.min(m) {
        let gain = |j: usize| {
            let norm = dot(&columns[j], &columns[j]);
            if order.contains(&j) || norm <= DEPENDENT * whole[j] {
                return f64::NEG_INFINITY;
            }
            (0..y.cols())
                .map(|c| dot(&columns[j], &y.column(c)).powi(2))
                .sum::<f64>()
                / (norm + PENALTY)
        };
        let best = (0..m).fold(0, |b, j| if gain(j) > gain(b) { j } else { b });
        if gain(best) == f64::NEG_INFINITY {
            break;
        }
        order.push(best);
        let q = columns[best].clone();
        let qq = dot(&q, &q);
        for (j, column) in columns.iter_mut().enumerate() {
            if !order.contains(&j) {
                let f = dot(&q, column) / qq;
                (0..n).for_each(|i| column[i] -= f * q[i]);
            }
        }
    }
    order
}

fn centred(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut m = random(rows, cols, seed);
    center_columns(&mut m);
    m
}

#[test]
fn chooses_as_modified_gram_schmidt_does() {
    for (n, m, c, seed) in [
        (40, 12, 1, 1),
        (60, 60, 3, 2),
        (300, 200, 4, 3),
        (30, 80, 2, 4),
    ] {
        let (p, y) = (centred(n, m, seed), centred(n, c, seed + 100));
        let max = m.min(n - 1);
        let t = run(&p, &y, max);
        // In the last remaining dimension all columns are the same, and the first one is taken.
        let same = if max == n - 1 { max - 1 } else { max };
        assert_eq!(t.order[..same], reference(&p, &y, max)[..same], "{n} x {m}");
        // n_s is a prefix of n_s + 1, whatever the block boundaries.
        let shorter = run(&p, &y, max / 2);
        assert_eq!(shorter.order, t.order[..max / 2]);
    }
}

#[test]
fn chooses_as_modified_gram_schmidt_does_on_a_gaussian_gram_matrix() {
    let x = random(150, 3, 7);
    let mut k = crate::kernel::gram(&crate::kernel::Kernel::Gaussian { bandwidth: 0.5 }, &x);
    center_columns(&mut k);
    let y = centred(150, 3, 8);
    assert_eq!(run(&k, &y, 100).order, reference(&k, &y, 100));
}

#[test]
fn unit_vectors_reproduce_columns_and_responses() {
    let (p, y) = (centred(50, 20, 5), centred(50, 2, 6));
    let t = run(&p, &y, 20);
    // Rebuild q_k from the chosen columns and check them for orthonormality and for q'y.
    let mut q: Vec<Vec<f64>> = Vec::new();
    for k in 0..20 {
        let mut v = p.column(t.order[k]);
        for (l, w) in q.iter().enumerate() {
            (0..50).for_each(|i| v[i] -= t.projections[k][l] * w[i]);
        }
        v.iter_mut().for_each(|x| *x /= t.length[k]);
        for w in &q {
            assert!(dot(&v, w).abs() < 1e-10);
        }
        assert!((dot(&v, &v) - 1.0).abs() < 1e-10);
        for c in 0..2 {
            assert!((dot(&v, &y.column(c)) - t.responses[k][c]).abs() < 1e-10);
        }
        q.push(v);
    }
}

#[test]
fn dependent_columns_end_the_selection() {
    let base = centred(40, 5, 9);
    // Ten columns of rank five.
    let p = Matrix::from_fn(40, 10, |i, j| {
        if j < 5 {
            base[(i, j)]
        } else {
            base[(i, j - 5)] - base[(i, (j + 1) % 5)]
        }
    });
    let t = run(&p, &centred(40, 2, 10), 10);
    assert_eq!(t.order.len(), 5);
    let zero = Matrix::zeros(20, 3);
    assert!(run(&zero, &centred(20, 1, 1), 3).order.is_empty());
}

#[test]
fn a_full_basis_is_the_least_squares_solution() {
    let (p, y) = (centred(60, 8, 11), centred(60, 3, 12));
    let t = run(&p, &y, 8);
    let b = coefficients(60, 8, 3, |i, row| {
        t.order
            .iter()
            .enumerate()
            .for_each(|(k, &j)| row[k] = p[(i, j)]);
        row[8..].copy_from_slice(y.row(i));
    })
    .expect("solves");
    let full = least_squares(&p, &y, 0.0).expect("solves").coef;
    for (k, &j) in t.order.iter().enumerate() {
        for c in 0..3 {
            // The penalty of 1e-9 on squared norms of about 60 moves the tenth digit.
            assert!((b.coef[(k, c)] - full[(j, c)]).abs() < 1e-9);
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (p, y) = (centred(500, 400, 13), centred(500, 3, 14));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("pool");
        pool.install(|| {
            let t = run(&p, &y, 300);
            (t.order, t.length)
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn columns_themselves_are_chosen_as_by_their_products() {
    for (n, m, c, seed) in [(40, 12, 1, 1), (60, 30, 3, 2), (30, 80, 2, 4)] {
        let (p, y) = (centred(n, m, seed), centred(n, c, seed + 100));
        let max = m.min(n - 2);
        let t = run(&p, &y, max);
        let own = by_columns(p.transpose(), y.transpose(), max, DEPENDENT);
        let order: Vec<usize> = own.iter().map(|t| t.candidate).collect();
        assert_eq!(order, t.order);
        for (own, u) in own.iter().zip(&t.responses) {
            assert!((own.explained - dot(u, u)).abs() < 1e-8);
        }
    }
    let twice = Matrix::from_fn(20, 2, |i, _| (i as f64).sin());
    let mut twice = twice;
    center_columns(&mut twice);
    assert_eq!(
        by_columns(twice.transpose(), centred(20, 1, 3).transpose(), 2, 1e-8).len(),
        1
    );
}
