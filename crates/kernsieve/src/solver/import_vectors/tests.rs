use super::*;
use crate::classes::Classes;
use crate::kernel::{Kernel, gram};
use crate::testing::problem;

fn example(classes: usize) -> (Matrix, Classes) {
    let p = problem(45, 2, classes, 21);
    (
        gram(&Kernel::Gaussian { bandwidth: 1.2 }, &p.x),
        p.classes(),
    )
}

#[test]
fn all_samples_give_the_whole_regression() {
    for c in [2, 3] {
        let (k, classes) = example(c);
        let likelihood = Likelihood::new(&classes);
        let few = import_vectors(&k, &likelihood, 0.01, 45, 0.0).expect("imports");
        let start = vec![0.0; 45 * likelihood.columns()];
        let mut work = Workspace::default();
        let Outcome::Solved(all) = solve(
            k.as_slice(),
            &likelihood,
            0.01,
            &start,
            Stop::EXACT,
            &mut work,
        ) else {
            panic!("solves")
        };
        let last = few.objectives.last().expect("some");
        assert!(
            (last - all.objective).abs() < 1e-9,
            "{c}: {last} {}",
            all.objective
        );
        assert!(few.objectives.windows(2).all(|h| h[1] < h[0]));
        assert!(few.gradient < 1e-10, "{}", few.gradient);
    }
}

#[test]
fn a_few_samples_come_close_and_the_first_is_the_best_of_all() {
    for c in [2, 3] {
        let (k, classes) = example(c);
        let likelihood = Likelihood::new(&classes);
        let one = import_vectors(&k, &likelihood, 0.01, 1, 0.0).expect("imports");
        // The order is by one Newton step: the sample chosen is among the best by the objective
        // itself.
        let mut alone: Vec<f64> = (0..45)
            .map(|row| {
                let mut state = State::new(&k, &likelihood, 0.01);
                state.import(row).expect("imports");
                state.objective
            })
            .collect();
        alone.sort_by(f64::total_cmp);
        assert!(
            one.objectives[0] <= alone[4],
            "{} {:?}",
            one.objectives[0],
            &alone[..6]
        );
        let ten = import_vectors(&k, &likelihood, 0.01, 10, 0.001).expect("imports");
        let all = import_vectors(&k, &likelihood, 0.01, 45, 0.0).expect("imports");
        let (ten, all) = (ten.objectives.last(), all.objectives.last());
        assert!(
            ten.expect("some") < &(1.02 * all.expect("some")),
            "{ten:?} {all:?}"
        );
    }
}

#[test]
fn a_wide_kernel_does_not_end_at_the_first_sample() {
    let p = problem(60, 6, 2, 4);
    let k = gram(&Kernel::Gaussian { bandwidth: 30.0 }, &p.x);
    let likelihood = Likelihood::new(&p.classes());
    let few = import_vectors(&k, &likelihood, 1e-5, 40, 1e-3).expect("imports");
    assert!(
        few.rows.len() > 2 && *few.train_errors.last().expect("some") < 0.4,
        "{few:?}"
    );
}

#[test]
fn repeated_rows_do_no_harm() {
    let (k, classes) = example(2);
    let rows: Vec<usize> = (0..45).chain(0..45).collect();
    let twice = Matrix::from_fn(90, 90, |i, j| k[(rows[i], rows[j])]);
    let codes: Vec<usize> = rows.iter().map(|&i| classes.codes()[i]).collect();
    let likelihood = Likelihood::new(&Classes::new(&codes, None, 2));
    let few = import_vectors(&twice, &likelihood, 0.01, 90, 0.0).expect("imports");
    let once = import_vectors(&k, &Likelihood::new(&classes), 0.01, 45, 0.0).expect("imports");
    let (a, b) = (
        few.objectives.last().expect("some"),
        once.objectives.last().expect("some"),
    );
    assert!((a - b).abs() < 1e-9, "{a} {b}");
    let mut distinct: Vec<usize> = few.rows.iter().map(|r| r % 45).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), few.rows.len());
}
