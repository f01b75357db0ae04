use super::guide::quadratic_slopes;
use super::judge::{Ground, Verdict, best, linear_variance, of_family};
use super::learn::{Learner, Learnt};
use super::path::{Path, sharpened};
use super::sample::Sample;
use super::search::{Form, Plan, Scale};
use super::weights::slopes;
use super::*;
use crate::data::{Labels, Rng};
use crate::kernel::{Kernel, cross_gram};
use crate::linalg::{cholesky_shifted, matmul};
use crate::method::Setting;

const FAMILIES: [Family; 3] = [Family::Gaussian, Family::Laplacian, Family::RadialLaplacian];

/// Three classes that differ in the first two of `p` features.
fn problem(n: usize, p: usize, seed: u64, weights: bool) -> Problem {
    let mut rng = Rng::new(seed);
    let x = Matrix::from_fn(n, p, |_, _| rng.normal());
    let names: Vec<String> = (0..n)
        .map(|i| {
            let (a, b) = (x[(i, 0)] + 0.3 * rng.normal(), x[(i, 1)]);
            let class = if a * a + b * b < 1.0 {
                0
            } else {
                1 + usize::from(a > 0.0)
            };
            class.to_string()
        })
        .collect();
    let mut problem = Problem::new(x, Labels::from_text(&names)).expect("valid");
    if weights {
        problem.weights = Some((0..n).map(|i| 1.0 + (i % 3) as f64).collect());
    }
    problem
}

fn form(kernel: Kernel, ridge: f64) -> Form {
    Form {
        kernel,
        ridge,
        linear: false,
    }
}

fn learnt(sample: &Sample, family: Family, linear: bool) -> Learnt {
    let p = sample.x.cols();
    let weights: Vec<f64> = (0..p).map(|j| 0.3 + 0.1 * j as f64).collect();
    let ground = Ground::new(sample, family, &weights);
    let (verdict, solution) = ground.judge(0.9, linear, &[0.2]).expect("solves").remove(0);
    Learnt {
        weights,
        verdict,
        solution,
    }
}

/// Penalised least squares by its normal equations: fitted responses of rows `new`.
fn direct(problem: &Problem, rows: &[usize], learnt: &Learnt, new: &Matrix) -> Matrix {
    let kept = problem.select(rows);
    let sample = Sample::new(&kept, None, (usize::MAX, usize::MAX));
    let u = weighted(&kept.x, &learnt.weights);
    let v = weighted(new, &learnt.weights);
    let tau = linear_variance(&learnt.weights);
    let kernel = |a: &Matrix, b: &Matrix| {
        let mut k = cross_gram(&learnt.verdict.kernel, a, b);
        if learnt.verdict.linear {
            let products = matmul(a.view(), b.view().t());
            let data = k.as_mut_slice().iter_mut();
            data.zip(products.as_slice())
                .for_each(|(k, v)| *k += tau * v);
        }
        k
    };
    // (K + lambda W^-1) A + b 1 = Y, 1'A = 0.
    let n = rows.len();
    let k = kernel(&u, &u);
    let system = Matrix::from_fn(n, n, |i, j| {
        let own = learnt.verdict.ridge / sample.classes.weight(i);
        k[(i, j)] + if i == j { own } else { 0.0 }
    });
    let factor = cholesky_shifted(system, 0.0).expect("definite");
    let mut ones = Matrix::from_fn(n, 1, |_, _| 1.0);
    let mut a = sample.y.clone();
    factor.solve_in_place(&mut ones);
    factor.solve_in_place(&mut a);
    let total: f64 = ones.as_slice().iter().sum();
    let offset: Vec<f64> = (0..a.cols())
        .map(|j| a.column(j).iter().sum::<f64>() / total)
        .collect();
    for i in 0..n {
        for (j, b) in offset.iter().enumerate() {
            a[(i, j)] -= b * ones[(i, 0)];
        }
    }
    let mut f = matmul(kernel(&v, &u).view(), a.view());
    crate::linalg::add_to_rows(&mut f, &offset);
    f
}

#[test]
fn rows_left_out_by_formula_are_rows_left_out() {
    for (family, linear, weights) in [
        (Family::Gaussian, false, false),
        (Family::Laplacian, true, true),
        (Family::RadialLaplacian, true, false),
    ] {
        let problem = problem(40, 3, 5, weights);
        let sample = Sample::new(&problem, None, (usize::MAX, usize::MAX));
        let now = learnt(&sample, family, linear);
        let verdict = now.verdict;
        let (mut wrong, mut square) = (0.0, 0.0);
        for i in 0..40 {
            let others: Vec<usize> = (0..40).filter(|&k| k != i).collect();
            // Weights keep their scale when a row is left out.
            let mut part = problem.select(&others);
            let mut now = now.clone();
            if let (Some(w), Some(all)) = (&mut part.weights, &problem.weights) {
                let mean = all.iter().sum::<f64>() / 40.0;
                let own = w.iter().sum::<f64>() / 39.0;
                now.verdict.ridge *= mean / own;
            }
            let all: Vec<usize> = (0..39).collect();
            let f = direct(&part, &all, &now, &problem.x.select_rows(&[i]));
            let truth = problem.labels.codes()[i];
            let weight = sample.classes.weight(i);
            square += weight
                * (0..3)
                    .map(|c| (f64::from(c == truth) - f[(0, c)]).powi(2))
                    .sum::<f64>();
            let most = (1..3).fold(0, |b, c| if f[(0, c)] > f[(0, b)] { c } else { b });
            wrong += if most == truth { 0.0 } else { weight };
        }
        let total = sample.classes.total();
        // The landmarks' jitter of 1e-8 is felt at about its square root.
        assert!((verdict.brier - square / total).abs() < 1e-5, "{family:?}");
        assert!((verdict.error - wrong / total).abs() < 1e-12, "{family:?}");
    }
}

#[test]
fn blocks_of_one_row_are_rows() {
    let mut problem = problem(50, 3, 6, true);
    let judge = |problem: &Problem| {
        let sample = Sample::new(problem, None, (usize::MAX, 30));
        let now = learnt(&sample, Family::Gaussian, false);
        let ground = Ground::new(&sample, Family::Gaussian, &now.weights);
        ground.judge(0.9, false, &[0.2, 1.0]).expect("solves")
    };
    let rows = judge(&problem);
    problem.blocks = Some((0..50).collect());
    for ((a, _), (b, _)) in rows.iter().zip(judge(&problem)) {
        assert!((a.brier - b.brier).abs() < 1e-8 && a.error == b.error);
    }
}

#[test]
fn slopes_match_central_differences() {
    let problem = problem(30, 3, 7, false);
    for family in FAMILIES {
        let sample = Sample::new(&problem, None, (usize::MAX, 12));
        let now = learnt(&sample, family, true);
        let ground = Ground::new(&sample, family, &now.weights);
        let solution = now.solution.clone();
        let marks = ground.landmarks();
        let kernel = now.verdict.kernel;
        let mut rng = Rng::new(1);
        let u = Matrix::from_fn(5, 3, |_, _| rng.normal());
        let value = |u: &Matrix| {
            let mut f = matmul(cross_gram(&kernel, u, &marks).view(), solution.coef.view());
            let linear = solution.linear.as_ref().expect("asked for");
            let part = matmul(u.view(), linear.view());
            let data = f.as_mut_slice().iter_mut();
            data.zip(part.as_slice()).for_each(|(a, b)| *a += b);
            f
        };
        let all = slopes(
            &kernel,
            &u,
            &marks,
            cross_gram(&kernel, &u, &marks),
            &solution,
        );
        let h = 1e-6;
        for j in 0..3 {
            let moved =
                |h: f64| Matrix::from_fn(5, 3, |i, k| u[(i, k)] + if k == j { h } else { 0.0 });
            let (up, down) = (value(&moved(h)), value(&moved(-h)));
            for (c, slopes) in all.iter().enumerate() {
                for i in 0..5 {
                    let numeric = (up[(i, c)] - down[(i, c)]) / (2.0 * h);
                    let gap = (slopes[(i, j)] - numeric).abs();
                    assert!(gap < 1e-6 * (1.0 + numeric.abs()), "{family:?} {gap}");
                }
            }
        }
    }
}

#[test]
fn the_end_of_the_path_is_kernel_ridge_regression() {
    for (linear, weights) in [(false, false), (true, false), (true, true)] {
        for family in FAMILIES {
            let problem = problem(45, 3, 8, weights);
            let sample = Sample::new(&problem, None, (usize::MAX, usize::MAX));
            let now = learnt(&sample, family, linear);
            let all: Vec<usize> = (0..45).collect();
            let path = Path::new(&problem, &problem.x, &now, &all, 45).expect("selects");
            assert_eq!(path.len(), 45);
            let mut rng = Rng::new(2);
            let new = Matrix::from_fn(20, 3, |_, _| rng.normal());
            let expected = direct(&problem, &all, &now, &new);
            let u = weighted(&new, &now.weights);
            let followed = path.follow(&u, &[5, 45]);
            assert!(gap(&followed[1], &expected) < 1e-8, "{family:?} {linear}");
            // Coefficients say the same as the path, at the end and before.
            for (size, at) in [(5, 0), (45, 1)] {
                let mut parts = path.coefficients(size);
                let k = cross_gram(&now.verdict.kernel, &u, &path.centres(size));
                let f = parts.outputs(k.view(), &u);
                assert!(gap(&f, &followed[at]) < 1e-8, "{family:?} {size}");
                parts.sharpen();
                let logits = parts.outputs(k.view(), &u);
                assert!(gap(&logits, &sharpened(f)) < 1e-9, "{family:?} {size}");
            }
            assert!(path.residual(&problem, &problem.x, &path.coefficients(45)) < 1e-8);
            assert!(path.explained.windows(2).all(|w| w[0] <= w[1] + 1e-12));
            assert!(path.explained.iter().all(|v| (0.0..=1.0).contains(v)));
        }
    }
}

fn gap(a: &Matrix, b: &Matrix) -> f64 {
    let pairs = a.as_slice().iter().zip(b.as_slice());
    pairs.fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

#[test]
fn noise_loses_weight_and_copies_share_it() {
    let base = problem(300, 6, 9, false);
    // The last feature is a copy of the first, the one before it is constant.
    let x = Matrix::from_fn(300, 8, |i, j| match j {
        6 => 0.0,
        7 => base.x[(i, 0)],
        j => base.x[(i, j)],
    });
    let mut problem = Problem::new(x, base.labels.clone()).expect("valid");
    problem.feature_weights[6] = 0.0;
    let sample = Sample::new(&problem, None, (usize::MAX, usize::MAX));
    for family in FAMILIES {
        let learner = Learner {
            sample: &sample,
            family,
            ridge: None,
            votes: &[],
        };
        let start = Verdict::start(&form(of_family(family, 1.0), 0.3));
        let mut now = learner
            .judge_around(&sample.active, &start, &[1.0])
            .expect("solves");
        for _ in 0..2 {
            now = learner
                .round(&now, usize::MAX, true, &[1.0])
                .expect("solves");
        }
        let w = &now.weights;
        assert_eq!(w[6], 0.0);
        assert!((w[0] - w[7]).abs() < 1e-6 * w[0], "{family:?} {w:?}");
        assert!(w[2..6].iter().all(|v| *v < 0.7 * w[1]), "{family:?} {w:?}");
    }
}

#[test]
fn levels_halve_and_sizes_grow() {
    assert_eq!(levels(10, None), [10, 5, 4, 3, 2, 1]);
    assert_eq!(levels(30, Some(10)), [30, 15, 10, 7, 3, 2, 1]);
    assert_eq!(levels(1, None), [1]);
    let sizes = sizes(100);
    assert_eq!(sizes.last(), Some(&100));
    assert!(sizes.windows(2).all(|w| w[0] < w[1]));
}

/// A plan whose form changes at three features.
fn turning() -> Plan {
    Plan {
        prepare: Preparation::Standardize,
        rounds: 1,
        form: form(Kernel::Laplacian { bandwidth: 1.0 }, 0.1),
        later: Some((3, form(Kernel::Gaussian { bandwidth: 0.7 }, 0.2))),
        fewer: None,
        guided: false,
    }
}

#[test]
fn a_setting_knows_the_plan_it_comes_from() {
    let plan = turning();
    assert_eq!(plan.settings(4).len(), 1);
    let few = plan.settings(3);
    assert_eq!(few.len(), 2);
    // The one with the first form alone leads to the plan without the turn.
    assert_eq!(
        few[0].plan(),
        Plan {
            later: None,
            ..plan
        }
    );
    assert_eq!(few[1].plan(), plan);
    assert!(few[0].same_search(&few[1]) && !few[0].same_path(&few[1]));
    let text = serde_json::to_string(&few[1]).expect("JSON");
    let back: SieveSetting = serde_json::from_str(&text).expect("JSON");
    assert_eq!(back, few[1]);
}

#[test]
fn features_are_dropped_with_one_kernel_and_kept_with_another() {
    let problem = problem(150, 6, 4, false);
    let sample = Sample::new(&problem, None, (usize::MAX, usize::MAX));
    let all: Vec<SieveSetting> = levels(6, None)
        .into_iter()
        .flat_map(|k| turning().settings(k))
        .collect();
    let method = Sieve::new();
    let together = Descent::new(&method, &sample, &all, &[]).expect("learns");
    for setting in &all {
        let alone = Descent::new(&method, &sample, std::slice::from_ref(setting), &[]);
        let alone = alone.expect("learns");
        let (a, b) = (together.at(setting), alone.at(setting));
        let (a, b) = (a.expect("there"), b.expect("there"));
        assert_eq!(a.weights, b.weights, "{setting:?}");
        assert_eq!(a.verdict, b.verdict, "{setting:?}");
        let kept = crate::expansion::nonzero(&a.weights).len();
        assert_eq!(kept, setting.n_features);
        assert_eq!(a.verdict.kernel.family(), setting.kernel.family());
    }
}

#[test]
fn what_most_folds_keep_stays() {
    let problem = problem(150, 6, 4, false);
    let sample = Sample::new(&problem, None, (usize::MAX, usize::MAX));
    let setting = turning().settings(2).remove(0);
    let kept = |votes: &[(usize, usize)]| {
        let one = std::slice::from_ref(&setting);
        let descent = Descent::new(&Sieve::new(), &sample, one, votes).expect("learns");
        crate::expansion::nonzero(&descent.at(&setting).expect("there").weights)
    };
    // The first two features make the classes.
    assert_eq!(kept(&[]), [0, 1]);
    assert_eq!(kept(&[(1, 5), (4, 3), (0, 2)]), [1, 4]);
    assert_eq!(kept(&[(1, 1)]), [0, 1]);
}

#[test]
fn the_best_verdict_weighs_error_and_residuals() {
    let at = |error: f64, brier: f64| Verdict {
        error,
        brier,
        rows: 100.0,
        ..Verdict::start(&form(Kernel::Gaussian { bandwidth: 1.0 }, 1.0))
    };
    assert_eq!(best(&[at(0.2, 0.3), at(0.1, 0.2), at(0.1, 0.25)]), Some(1));
    assert_eq!(best(&[at(f64::NAN, 0.1), at(0.5, 0.9)]), Some(1));
    assert_eq!(best(&[]), None);
}

/// Two features that matter only together, one by its square and one by itself, of `p`.
fn interaction(n: usize, p: usize) -> Problem {
    let mut rng = Rng::new(3);
    let x = Matrix::from_fn(n, p, |_, _| rng.normal());
    let class = |i: usize| {
        let f = x[(i, 0)] * x[(i, 1)] + 0.5 * (x[(i, 2)].powi(2) - 1.0) + 0.6 * x[(i, 3)];
        usize::from(f > 0.0).to_string()
    };
    let names: Vec<String> = (0..n).map(class).collect();
    Problem::new(x, Labels::from_text(&names)).expect("valid")
}

#[test]
fn quadratic_slopes_are_those_of_a_quadratic_function() {
    let problem = interaction(6000, 30);
    let mut sample = Sample::new(&problem, None, (usize::MAX, 10));
    // A response whose slopes are known.
    let f = |x: &[f64]| 2.0 * x[0] * x[1] + 0.5 * (x[2] * x[2]) - 3.0 * x[3];
    sample.y = Matrix::from_fn(6000, 1, |i, _| f(sample.x.row(i)));
    let slopes = quadratic_slopes(&sample).expect("solves").expect("in time");
    // The standard errors of these squares are 8, 8, 13 and 4 % by their fourth moments.
    for (j, expected) in [(0, 4.0), (1, 4.0), (2, 1.0), (3, 9.0)] {
        let off: f64 = slopes[j] / expected - 1.0;
        assert!(off.abs() < 0.4, "{j}: {}", slopes[j]);
    }
    // The bound is about the largest of all terms of noise: hardly anything is above it.
    assert!(slopes[4..].iter().all(|s| *s < 0.05), "{slopes:?}");
}

#[test]
fn weights_find_what_matters_only_together_on_many_rows() {
    let problem = interaction(6000, 30);
    let scale = Scale::of(6000);
    let sample = Sample::new(&problem, None, (2000, 200));
    assert!(scale.learn.0 == 6000 && scale.learn.1 > 447);
    let learner = Learner {
        sample: &sample,
        family: Family::Gaussian,
        ridge: None,
        votes: &[],
    };
    let alike = learner.start(false).expect("there");
    assert_eq!(alike, sample.active);
    let start = learner.start(true).expect("there");
    assert!(start.iter().all(|w| *w >= 0.1 && *w <= 1.0));
    let form = Verdict::start(&form(Kernel::Gaussian { bandwidth: 1.0 }, 0.3));
    let judged = |weights: &[f64]| {
        learner
            .judge_around(weights, &form, &[1.0])
            .expect("solves")
    };
    let now = judged(&start);
    // Rows left out agree, and a round of learning keeps the four.
    assert!(now.verdict.brier < 0.9 * judged(&alike).verdict.brier);
    let next = learner
        .round(&now, usize::MAX, true, &[1.0])
        .expect("solves");
    for weights in [&now.weights, &next.weights] {
        let most = weights[4..].iter().copied().fold(0.0, f64::max);
        assert!(weights[..4].iter().all(|w| *w > 1.5 * most), "{weights:?}");
    }
}

#[test]
fn few_rows_are_searched_as_ever_and_many_are_held_out_once() {
    let small = Scale::of(3000);
    assert_eq!(small.learn, (1500, 447));
    assert_eq!(Scale::of(600).learn, (600, 600));
    assert_eq!(Sieve::new().holds_out(7999), None);
    let once = |n| Sieve::new().holds_out(n).expect("many");
    assert_eq!((once(8000).rows, once(8000).held_out), (8000, 1600));
    assert_eq!(
        (once(1_000_000).rows, once(1_000_000).held_out),
        (110_000, 10_000)
    );
    // On many rows: all features, and those about the best number.
    let plan = Plan {
        fewer: Some(12),
        ..turning()
    };
    assert_eq!(Sieve::new().levels(&plan, 50, true), [50, 25, 12, 6]);
    assert_eq!(Sieve::new().levels(&plan, 50, false), levels(50, None));
}
