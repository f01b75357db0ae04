use super::*;
use crate::decision::softmax_in_place;
use crate::testing::{problem, random};

/// Slopes of the log likelihood by outputs x features, those of the offsets, and the objective,
/// from the data alone.
fn by_hand(
    x: &Matrix,
    classes: &Classes,
    s: &Solution,
    penalty: Penalty,
) -> (Matrix, Vec<f64>, f64) {
    let q = s.coef.rows();
    let mut slopes = Matrix::zeros(q, x.cols());
    let mut offsets = vec![0.0; q];
    let mut objective: f64 = s.coef.iter_rows().map(|w| penalty.of(w)).sum();
    for i in 0..x.rows() {
        let z: Vec<f64> = (0..q)
            .map(|k| s.offset[k] + dot(s.coef.row(k), x.row(i)))
            .collect();
        let mut p = if q == 1 { vec![0.0, z[0]] } else { z };
        softmax_in_place(&mut p);
        let w = classes.weight(i);
        objective -= w * p[classes.codes()[i]].ln();
        for k in 0..q {
            let class = if q == 1 { 1 } else { k };
            let r = w * (f64::from(classes.codes()[i] == class) - p[class]);
            offsets[k] += r;
            (0..x.cols()).for_each(|j| slopes[(k, j)] += r * x[(i, j)]);
        }
    }
    (slopes, offsets, objective)
}

#[test]
fn the_conditions_of_a_minimum_hold_along_the_path() {
    for (n, p, c, ratio) in [
        (60, 5, 2, 1.0),
        (60, 5, 3, 1.0),
        (40, 70, 2, 1.0),
        (45, 60, 4, 0.6),
    ] {
        let problem = problem(n, p, c, 3);
        let classes = problem.classes();
        let largest = largest_penalty(&problem.x, &classes) / ratio;
        let penalties: Vec<Penalty> = [1.01, 0.5, 0.1, 0.02]
            .iter()
            .map(|s| Penalty::mixed(s * largest, ratio))
            .collect();
        let solutions = path(&problem.x, &classes, &penalties, 1e-9);
        assert_eq!(solutions[0].coef.max_abs(), 0.0);
        let mut last = f64::INFINITY;
        for (s, &penalty) in solutions.iter().zip(&penalties) {
            assert!(s.converged, "{n} {p} {c}: {}", s.violation);
            let (slopes, offsets, objective) = by_hand(&problem.x, &classes, s, penalty);
            assert!((objective - s.objective).abs() < 1e-8 * objective);
            for (k, offset) in offsets.iter().enumerate() {
                let broken = violation(s.coef.row(k), slopes.row(k), penalty);
                assert!(
                    broken.max(offset.abs()) < 1e-8 * largest,
                    "{broken} {offset}"
                );
            }
            assert!(
                objective < last,
                "a smaller penalty has a smaller objective"
            );
            last = objective;
        }
    }
}

#[test]
fn weights_are_repeated_rows() {
    let plain = problem(30, 4, 3, 5);
    let times: Vec<usize> = (0..30).map(|i| 1 + i % 3).collect();
    let rows: Vec<usize> = (0..30).flat_map(|i| vec![i; times[i]]).collect();
    let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
    let weighted = Classes::new(plain.labels.codes(), Some(&weights), 3);
    let codes: Vec<usize> = rows.iter().map(|&i| plain.labels.codes()[i]).collect();
    let penalty = [Penalty { l1: 2.0, l2: 0.0 }];
    let a = path(&plain.x, &weighted, &penalty, 1e-10).remove(0);
    let b = path(
        &plain.x.select_rows(&rows),
        &Classes::new(&codes, None, 3),
        &penalty,
        1e-10,
    )
    .remove(0);
    for (u, v) in a.coef.as_slice().iter().zip(b.coef.as_slice()) {
        assert!((u - v).abs() < 1e-7);
    }
}

#[test]
fn classes_that_come_apart_end_all_the_same() {
    let x = Matrix::from_fn(20, 3, |i, j| {
        if j == 0 {
            i as f64 - 9.5
        } else {
            random(20, 3, 1)[(i, j)]
        }
    });
    let codes: Vec<usize> = (0..20).map(|i| usize::from(i >= 10)).collect();
    let s = path(
        &x,
        &Classes::new(&codes, None, 2),
        &[Penalty { l1: 1e-3, l2: 0.0 }],
        1e-6,
    )
    .remove(0);
    assert!(s.objective < 0.02 && s.coef[(0, 0)] > 1.0, "{s:?}");
}
