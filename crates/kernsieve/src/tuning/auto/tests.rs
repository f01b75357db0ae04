//! Tests of the choice of a method.

use super::*;
use crate::catalogue::{Among, CATALOGUE, contest};
use crate::data::{Labels, simulate};
use crate::linalg::Matrix;
use crate::method::{Candidacy, Method, SparseKos};
use crate::params::Params;
use serde_json::json;

fn given(params: serde_json::Value) -> Params {
    params.as_object().cloned().expect("an object")
}

fn race(params: &Params, data: &Dataset, budget: Option<Duration>, first_rows: usize) -> Trained {
    let (among, protocol) = (Among::Thorough, Protocol::default());
    race_among(params, &among, data, &protocol, budget, first_rows)
}

fn race_among(
    params: &Params,
    among: &Among,
    data: &Dataset,
    protocol: &Protocol,
    budget: Option<Duration>,
    first_rows: usize,
) -> Trained {
    let folds = if params.contains_key("sparsity") {
        2
    } else {
        5
    };
    let job = Job {
        contest: &contest(params, among).expect("some"),
        data,
        schema: &Schema::numeric(data.feature_names()),
        protocol: &protocol.clone().folds(folds),
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
    let methods = contest(params, &Among::Thorough).expect("some").methods;
    methods.iter().map(|m| m.about().name).collect()
}

#[test]
fn a_small_model_is_the_smallest_within_one_standard_error() {
    let data = simulate::rings(3);
    let small = Protocol::default().prefer(Prefer::Small);
    let params = Params::new();
    let trained = race_among(&params, &Among::Thorough, &data, &small, None, FIRST_ROWS);
    let auto = trained.model.record.auto.as_ref().expect("told");
    let last: Vec<&AutoEntry> = auto.entries.iter().filter(|e| e.error.is_some()).collect();
    let corrected = |e: &AutoEntry| e.error.expect("fitted") + e.optimism.expect("fitted");
    let best = last
        .iter()
        .min_by(|a, b| corrected(a).total_cmp(&corrected(b)))
        .expect("some");
    let one_row = 1.0 / data.n_samples() as f64;
    let mark = corrected(best) + best.standard_error.expect("fitted").max(one_row) + 1e-12;
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
    let (n, p) = (480, 30);
    assert!((SparseKos::ABOUT.seconds)(n as f64, p as f64, 2.0) > FEASIBLE);
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
    let words = contest(&params, &Among::First)
        .err()
        .expect("none")
        .to_string();
    assert!(
        words.contains("`balance`") && words.contains("`max_features`"),
        "{words}"
    );
    let all = CATALOGUE
        .iter()
        .map(|e| e.about)
        .filter(|a| a.auto != Candidacy::Never);
    assert_eq!(
        names(&Params::new()),
        all.map(|a| a.name).collect::<Vec<_>>()
    );
    assert!(contest(&given(json!({"ridge": -1.0})), &Among::First).is_err());
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
    let params = given(json!({"bandwidths": [1.0]}));
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

#[test]
fn the_first_candidates_are_few_and_others_come_when_asked() {
    let first = |params: &Params, among: &Among| -> Vec<&'static str> {
        let methods = contest(params, among).expect("some").methods;
        methods.iter().map(|m| m.about().name).collect()
    };
    let none = Params::new();
    assert_eq!(
        first(&none, &Among::First),
        ["lda", "l1-dkf", "klr", "sieve"]
    );
    // No first candidate has a balance of densities.
    let balance = given(json!({"balance": 2.0}));
    assert_eq!(first(&balance, &Among::First), ["l2qp"]);
    let named = Among::Named(vec!["kos".into(), "l2le".into()]);
    assert_eq!(first(&none, &named), ["kos", "l2le"]);
    let unknown = Among::Named(vec!["svm".into()]);
    let words = contest(&none, &unknown).err().expect("unknown").to_string();
    assert!(words.contains("'svm'"), "{words}");
}

#[test]
fn accuracy_takes_the_least_error_plus_half_the_log_loss() {
    let data = simulate::rings(2);
    let protocol = Protocol::default();
    let params = Params::new();
    let trained = race_among(&params, &Among::First, &data, &protocol, None, FIRST_ROWS);
    let record = &trained.model.record;
    let auto = record.auto.as_ref().expect("told");
    let value = |e: &AutoEntry| {
        let error = e.error.expect("fitted") + e.optimism.expect("fitted");
        error + 0.5 * e.log_loss.expect("fitted")
    };
    let tried = auto.entries.iter().filter(|e| e.error.is_some());
    let best = tried.clone().min_by(|a, b| value(a).total_cmp(&value(b)));
    assert_eq!(tried.count(), 4);
    assert_eq!(record.method, best.expect("some").method);
    assert!(auto.why.starts_with(&record.method), "{}", auto.why);
}

#[test]
fn methods_are_compared_by_what_the_user_asks_for() {
    let data = simulate::rings(6);
    let protocol = Protocol::default().score(Score::Auc);
    let params = Params::new();
    let trained = race_among(&params, &Among::First, &data, &protocol, None, FIRST_ROWS);
    let auto = trained.model.record.auto.as_ref().expect("told");
    let value = |e: &&AutoEntry| e.score.expect("scored") + e.optimism.expect("scored");
    let tried = auto.entries.iter().filter(|e| e.score.is_some());
    let least = tried
        .clone()
        .map(|e| value(&e))
        .fold(f64::INFINITY, f64::min);
    let mut tried = tried;
    let own = tried.find(|e| e.method == trained.model.record.method);
    assert!(value(&own.expect("tried")) <= least + 1e-12);
    assert!(auto.why.contains("AUC"), "{}", auto.why);
}

#[test]
fn what_would_take_long_beside_the_sieve_is_left_out() {
    let first = contest(&Params::new(), &Among::First).expect("some");
    let of = |n: usize| {
        let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let labels = Labels::from_codes(codes, vec!["a".into(), "b".into()]).expect("labels");
        let x = Matrix::from_fn(n, 2, |i, j| (i * (j + 1)) as f64);
        Dataset::new(x, labels, vec!["x".into(), "y".into()]).expect("data")
    };
    let stay = |data: &Dataset| -> Vec<&'static str> {
        let places = (0..first.methods.len()).filter(|&k| first.is_affordable(k, data));
        places.map(|k| first.methods[k].about().name).collect()
    };
    assert_eq!(stay(&of(500)), ["lda", "l1-dkf", "klr", "sieve"]);
    let many = of(30_000);
    assert_eq!(stay(&many), ["lda", "l1-dkf", "sieve"]);
    // The time to expect is that of what is tried.
    assert!(first.seconds(&many) < 100.0, "{}", first.seconds(&many));
}

#[test]
fn a_log_loss_that_nobody_measured_is_no_perfect_one() {
    let data = simulate::rings(3);
    let trained = run(&data, None);
    let about = &crate::method::Lda::ABOUT;
    let own = runner(0, about, trained).expect("validated");
    let (log_loss, by_shares) = (own.log_loss.expect("measured"), own.by_shares);
    assert!(log_loss < by_shares);
    let measured = own.accuracy();
    let mut record = own.trained;
    let assessment = record.model.record.assessment.as_mut().expect("there");
    assessment.log_loss = None;
    let other = runner(0, about, record).expect("validated");
    let more = other.accuracy() - measured;
    assert!((more - LOG_LOSS * (by_shares - log_loss)).abs() < 1e-12);
}
