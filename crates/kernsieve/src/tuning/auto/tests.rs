//! Tests of the choice of a method.

use super::*;
use crate::catalogue::{CATALOGUE, contest};
use crate::data::{Labels, simulate};
use crate::linalg::Matrix;
use crate::method::{Method, SparseKos};
use crate::params::Params;
use serde_json::json;

fn given(params: serde_json::Value) -> Params {
    params.as_object().cloned().expect("an object")
}

fn race(params: &Params, data: &Dataset, budget: Option<Duration>, first_rows: usize) -> Trained {
    let job = Job {
        contest: &contest(params).expect("some"),
        data,
        schema: &Schema::numeric(data.feature_names()),
        protocol: &Protocol::default().folds(if params.contains_key("sparsity") {
            2
        } else {
            5
        }),
        budget,
        control: &Control::new(),
        started: Instant::now(),
    };
    job.run(first_rows).expect("trains")
}

fn run(data: &Dataset, budget: Option<Duration>) -> Trained {
    race(&Params::new(), data, budget, FIRST_ROWS)
}

fn names(params: &Params) -> Vec<&'static str> {
    let methods = contest(params).expect("some").methods;
    methods.iter().map(|m| m.about().name).collect()
}

#[test]
fn the_smallest_model_within_one_standard_error_is_taken() {
    let data = simulate::rings(3);
    let trained = run(&data, None);
    let auto = trained.model.record.auto.as_ref().expect("told");
    let last: Vec<&AutoEntry> = auto.entries.iter().filter(|e| e.error.is_some()).collect();
    let corrected = |e: &AutoEntry| e.error.expect("fitted") + e.optimism.expect("fitted");
    let best = last
        .iter()
        .min_by(|a, b| corrected(a).total_cmp(&corrected(b)))
        .expect("some");
    let mark = corrected(best) + best.standard_error.expect("fitted") + 1e-12;
    let within = last.iter().filter(|e| corrected(e) <= mark);
    let smallest = within.min_by_key(|e| e.size).expect("some");
    assert_eq!(trained.model.record.method, smallest.method);
    assert!(auto.why.contains(&smallest.method), "{}", auto.why);
    // A linear rule cannot separate a ring from the disc inside it.
    assert!(!["lda", "l1-dkf"].contains(&trained.model.record.method.as_str()));
}

#[test]
fn many_rows_are_approached_in_rounds_and_the_hopeless_leave() {
    let data = simulate::rings(5);
    let trained = race(&Params::new(), &data, None, 60);
    let auto = trained.model.record.auto.as_ref().expect("told");
    let rounds: std::collections::BTreeSet<usize> = auto
        .entries
        .iter()
        .filter(|e| e.error.is_some())
        .map(|e| e.rows)
        .collect();
    assert!(
        rounds.len() > 1 && rounds.contains(&data.n_samples()),
        "{rounds:?}"
    );
    let of = |rows: usize| {
        auto.entries
            .iter()
            .filter(|e| e.rows == rows && e.error.is_some())
            .count()
    };
    let sizes: Vec<usize> = rounds.iter().copied().collect();
    assert!(of(sizes[0]) > of(data.n_samples()));
    assert_eq!(trained.model.record.n_rows, data.n_samples());
}

#[test]
fn a_method_without_rivals_runs_whatever_it_takes() {
    // Too many rows for this method among others: it would be left out of the race.
    let (n, p) = (330, 20);
    assert!(!(SparseKos::ABOUT.feasible)(n, p, 2));
    let value = |i: usize, j: usize| {
        (((i * 7919 + j * 104_729) % 1000) as f64 / 500.0 - 1.0) + (i % 2) as f64
    };
    let x = Matrix::from_fn(n, p, value);
    let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let labels = Labels::from_codes(codes, vec!["a".into(), "b".into()]).expect("labels");
    let columns = (0..p).map(|j| format!("x{j}")).collect();
    let data = Dataset::new(x, labels, columns).expect("data");
    let params =
        given(json!({"bandwidths": [2.0], "ridge": 0.1, "sparsity": 0.05, "spacing": "log"}));
    assert_eq!(names(&params), ["sparse-kos"]);
    let trained = race(&params, &data, None, FIRST_ROWS);
    assert_eq!(
        (
            trained.model.record.method.as_str(),
            trained.model.record.n_rows
        ),
        ("sparse-kos", n)
    );
    let auto = trained.model.record.auto.as_ref().expect("told");
    assert!(
        auto.why.ends_with("the others are left out"),
        "{}",
        auto.why
    );
}

#[test]
fn options_that_no_method_uses_together_are_refused() {
    let params = given(json!({"max_features": 2, "balance": 2.0}));
    let words = contest(&params).err().expect("none").to_string();
    assert!(
        words.contains("`balance`") && words.contains("`max_features`"),
        "{words}"
    );
    let all = CATALOGUE.iter().map(|e| e.about).filter(|a| a.auto);
    assert_eq!(
        names(&Params::new()),
        all.map(|a| a.name).collect::<Vec<_>>()
    );
    assert!(contest(&given(json!({"ridge": -1.0}))).is_err());
}

#[test]
fn when_the_time_is_up_the_answer_is_that_of_fewer_rows() {
    let data = simulate::rings(5);
    let late = Some(Duration::ZERO);
    // Nothing but the linear rule is finished on 60 rows, and that is quick on all of them.
    let linear = race(&Params::new(), &data, late, 60);
    let record = linear.model.record;
    assert_eq!(
        (record.method.as_str(), record.n_rows),
        ("lda", data.n_samples())
    );
    assert!(record.auto.is_some());
    // Rows are numbered as the caller knows them, also in a model of the sample.
    let params = given(json!({"bandwidths": [1.0], "ridge": 0.1}));
    let trained = race(&params, &data, late, 60);
    let (sample, _) = drawn(&data, 60, 0).expect("two classes").expect("fewer");
    let words = format!("fitted on 60 of {}", data.n_samples());
    assert!(
        trained
            .notices
            .iter()
            .any(|n| n.to_string().contains(&words)),
        "{:?}",
        trained.notices
    );
    assert_eq!(trained.model.record.n_rows, 60);
    let rows = &trained.model.record.report.retained_rows;
    assert!(
        !rows.is_empty() && rows.iter().all(|r| sample.contains(r)),
        "{rows:?}"
    );
    assert!(rows.iter().any(|&r| r >= 60));
}

#[test]
fn a_budget_leaves_at_least_one_method() {
    let data = simulate::rings(4);
    let trained = run(&data, Some(Duration::ZERO));
    assert_eq!(trained.model.record.method, "lda");
    let auto = trained.model.record.auto.as_ref().expect("told");
    assert!(
        auto.entries
            .iter()
            .any(|e| e.note.as_deref() == Some("no time left"))
    );
    assert!(auto.why.contains("no time"), "{}", auto.why);
}
