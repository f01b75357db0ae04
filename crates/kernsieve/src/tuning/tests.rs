//! Every method on every kind of data, from rows to a model.

use super::*;
use crate::catalogue::{CATALOGUE, Entry, find, out_of_fold};
use crate::data::{Dataset, Labels, Schema, simulate};
use crate::decision::argmax;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::method::density::Density;
use crate::metrics::error_rate;
use crate::model_file::{read, to_bytes};
use crate::notice::Notice;
use crate::params::{Params, Preparation, Protocol, Score, ThresholdRule};

fn trained(entry: &Entry, given: &Params, data: &Dataset, estimate: bool) -> Result<Trained> {
    let schema = Schema::numeric(data.feature_names());
    let protocol = Protocol::default().estimate(estimate);
    let made = entry.make(given)?;
    made.train(data, &schema, &protocol, &Control::new())
}

fn error_on(trained: &Trained, test: &Dataset) -> f64 {
    let p = trained.model.predict(test.x()).posterior;
    let predicted: Vec<usize> = p.iter_rows().map(argmax).collect();
    error_rate(&predicted, test.labels().codes())
}

#[test]
fn every_method_learns_the_rings_or_says_why_not() {
    let (data, test) = (simulate::rings(1), simulate::rings(2));
    for entry in CATALOGUE {
        let name = entry.about.name;
        let t = trained(entry, &Params::new(), &data, true).expect("trains");
        let error = error_on(&t, &test);
        // A ring around a disc: a linear rule cannot, kernels must (paper: KOS about 5 %).
        let is_linear = t.model.reader().kernel == Kernel::Linear;
        let bound = if is_linear { 0.3 } else { 0.12 };
        assert!(error < bound, "{name}: {error}");
        assert!(t.model.record.cv.is_some());
    }
    // Nonlinear posteriors make it nonlinear.
    for posterior in ["klr", "parzen"] {
        let given = Params::from_iter([("posterior".to_string(), posterior.into())]);
        let entry = find("l1-dkf").expect("there");
        let error = error_on(&trained(entry, &given, &data, true).expect("trains"), &test);
        assert!(error < 0.12, "{posterior}: {error}");
    }
}

#[test]
fn out_of_fold_errors_are_those_of_the_table() {
    let data = simulate::rings(3);
    for entry in CATALOGUE {
        let name = entry.about.name;
        // A vote on the features reports the errors of the setting it replaced.
        let mut given = Params::new();
        if entry.about.param("vote").is_some() {
            given.insert("vote".into(), false.into());
        }
        let t = trained(entry, &given, &data, true).expect("trains");
        let rows = out_of_fold(&t, &data, &Control::new()).expect("runs");
        let rows = rows.expect("there were folds");
        let wrong = rows
            .iter()
            .zip(data.labels().codes())
            .filter(|(row, truth)| {
                let p = row.as_ref().expect("fitted");
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                argmax(p) != **truth
            });
        let error = wrong.count() as f64 / data.n_samples() as f64;
        let table = t.model.record.cv.as_ref();
        let claimed = table.and_then(|cv| cv.best().error).expect("fitted");
        assert!((error - claimed).abs() < 1e-12, "{name}: {error} {claimed}");
    }
}

#[test]
fn without_folds_there_is_nothing_to_say() {
    let data = simulate::rings(0);
    let entry = find("lda").expect("there");
    let t = trained(entry, &Params::new(), &data, false).expect("trains");
    assert!(
        out_of_fold(&t, &data, &Control::new())
            .expect("runs")
            .is_none()
    );
}

#[test]
fn models_of_raw_features_of_any_size_can_be_read_again() {
    let data = simulate::mixture(0, 1, 12, 1);
    for scale in [1e-160, 1e-9, 1e9, 1e100, 1e200] {
        let x = Matrix::from_fn(data.n_samples(), data.n_features(), |i, j| {
            scale * data.x()[(i, j)]
        });
        let names = data.feature_names().to_vec();
        let data = Dataset::new(x, data.labels().clone(), names).expect("valid");
        for entry in CATALOGUE {
            let name = entry.about.name;
            let schema = Schema::numeric(data.feature_names());
            let protocol = Protocol::default().standardize(false);
            let made = entry.make(&Params::new()).expect("no parameters");
            match made.train(&data, &schema, &protocol, &Control::new()) {
                Ok(t) => {
                    to_bytes(&t.model).unwrap_or_else(|e| panic!("{scale} {name}: {e}"));
                }
                Err(e) => assert!(!e.to_string().is_empty(), "{scale} {name}"),
            }
        }
    }
    // Without a penalty there is no duality gap, and the record says so.
    let entry = find("l1-dkf").expect("there");
    let given = [("sparsity".to_string(), 0.0.into())].into_iter().collect();
    let t = trained(entry, &given, &data, true).expect("trains");
    let gaps = &t.model.record.report.regressions;
    assert!(!gaps.is_empty() && gaps.iter().all(|(_, gap)| gap.is_none()));
    assert_eq!(t.model.record.report.residual, None);
    assert!(to_bytes(&t.model).is_ok());
}

#[test]
fn hard_data_sets_train_or_fail_with_words() {
    let labels = |n: usize, c: usize| {
        Labels::from_codes(
            (0..n).map(|i| i % c).collect(),
            (0..c).map(|k| format!("c{k}")).collect(),
        )
        .expect("fit")
    };
    let names = |p: usize| (0..p).map(|j| format!("f{j}")).collect::<Vec<_>>();
    let value = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 7) % 29) as f64 / 7.0;
    let cases: Vec<(&str, Matrix, Labels)> = vec![
        ("one feature", Matrix::from_fn(30, 1, value), labels(30, 2)),
        (
            "more features than rows",
            Matrix::from_fn(8, 40, value),
            labels(8, 2),
        ),
        (
            "duplicated rows",
            Matrix::from_fn(30, 2, |i, j| value(i % 3, j)),
            labels(30, 2),
        ),
        (
            "tiny scale",
            Matrix::from_fn(30, 2, |i, j| 1e-300 * value(i, j)),
            labels(30, 3),
        ),
        (
            "huge scale",
            Matrix::from_fn(30, 2, |i, j| 1e300 * value(i, j)),
            labels(30, 3),
        ),
        (
            "constant column",
            Matrix::from_fn(30, 3, |i, j| if j == 1 { 4.0 } else { value(i, j) }),
            labels(30, 2),
        ),
        (
            "every row its own class but one",
            Matrix::from_fn(9, 2, value),
            labels(9, 8),
        ),
        ("two rows", Matrix::from_fn(2, 2, value), labels(2, 2)),
    ];
    for (what, x, l) in cases {
        let p = x.cols();
        let data = Dataset::new(x, l, names(p)).expect("valid");
        for entry in CATALOGUE {
            let name = entry.about.name;
            match trained(entry, &Params::new(), &data, true) {
                Ok(t) => {
                    let p = t.model.predict(data.x()).posterior;
                    assert!(p.as_slice().iter().all(|v| v.is_finite()), "{what} {name}");
                    let bytes = to_bytes(&t.model).unwrap_or_else(|e| panic!("{what} {name}: {e}"));
                    assert_eq!(read(&bytes).expect("loads"), t.model);
                }
                Err(e) => assert!(!e.to_string().is_empty(), "{what} {name}"),
            }
        }
    }
    let constant = Dataset::new(Matrix::zeros(6, 2), labels(6, 2), names(2)).expect("valid");
    for entry in CATALOGUE {
        let result = trained(entry, &Params::new(), &constant, true);
        assert!(result.is_err_and(|e| e.to_string().contains("constant")));
    }
}

#[test]
fn a_thousand_classes() {
    let n = 3000;
    let x = Matrix::from_fn(n, 3, |i, j| {
        (i % 1000) as f64 * (j + 1) as f64 + ((i * 13 + j * 7) % 10) as f64 / 50.0
    });
    let labels = Labels::from_codes(
        (0..n).map(|i| i % 1000).collect(),
        (0..1000).map(|k| k.to_string()).collect(),
    );
    let data = Dataset::new(
        x,
        labels.expect("fit"),
        vec!["a".into(), "b".into(), "c".into()],
    )
    .expect("valid");
    for name in ["lda", "parzen"] {
        let given = Params::from_iter([("bandwidth".to_string(), 0.01.into())]);
        let entry = find(name).expect("there");
        let t = trained(entry, &given, &data, false).expect("trains");
        let error = t.model.record.train_error;
        assert!(error < 0.2, "{name} {error}");
    }
}

#[test]
fn normal_scores_bear_outliers_in_every_method() {
    let (data, test) = (simulate::rings(0), simulate::rings(1));
    let schema = Schema::numeric(data.feature_names());
    let mut x = data.x().clone();
    x[(0, 0)] = 1e12;
    let wild = Dataset::new(x, data.labels().clone(), data.feature_names().to_vec());
    let protocol = Protocol::default().prepare(Preparation::Scores);
    for entry in CATALOGUE {
        let made = entry.make(&Params::new()).expect("nothing given");
        let t = made.train(
            wild.as_ref().expect("valid"),
            &schema,
            &protocol,
            &Control::new(),
        );
        let t = t.expect("trains");
        assert!(t.model.scaling.scores.is_some(), "{}", entry.about.name);
        let is_linear = t.model.reader().kernel == Kernel::Linear;
        let error = error_on(&t, &test);
        assert!(is_linear || error < 0.2, "{} {error}", entry.about.name);
    }
}

#[test]
fn a_density_of_scores_is_refused() {
    let data = simulate::rings(0);
    let schema = Schema::numeric(data.feature_names());
    let rows = DensityData {
        x: data.x(),
        weights: None,
        schema: &schema,
    };
    let protocol = Protocol::default().prepare(Preparation::Scores);
    let refused = train_density(&Density::new(), &rows, &protocol, &Control::new());
    assert!(refused.is_err_and(|e| e.to_string().contains("normal scores")));
}

#[test]
fn what_cannot_be_decided_is_refused_before_the_tuning() {
    // Tuning stops at its first checkpoint, so that anything else was found before it.
    let control = Control::new();
    control.cancel();
    let refused = |data: &Dataset, protocol: Protocol, words: &str| {
        let schema = Schema::numeric(data.feature_names());
        for name in ["lda", "kos", "sieve"] {
            let made = find(name).expect("there").make(&Params::new());
            let made = made.expect("makes");
            let result = made.train(data, &schema, &protocol, &control);
            let error = result.err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains(words), "{name}: {error}");
        }
    };
    let two = simulate::rings(0);
    let some = |k: usize| (0..two.n_samples()).map(|i| i % k).collect::<Vec<_>>();
    let names = |k: usize| (0..k).map(|c| c.to_string()).collect::<Vec<_>>();
    let three = Labels::from_codes(some(3), names(3)).expect("labels");
    let three = Dataset::new(two.x().clone(), three, two.feature_names().to_vec()).expect("data");
    let protocol = Protocol::default;
    let cost = ThresholdRule::Cost;
    refused(&two, protocol().costs([1.0; 3]), "3 costs for 2 classes");
    let costs = protocol().costs([1.0; 3]).threshold(cost);
    refused(&two, costs, "3 costs for 2 classes");
    refused(
        &three,
        protocol().threshold(ThresholdRule::Value(0.3)),
        "divides two classes",
    );
    refused(&three, protocol().positive("1"), "one of two classes");
    let block = two
        .clone()
        .with_blocks(vec![0; two.n_samples()])
        .expect("data");
    refused(&block, protocol(), "all rows are of one block");
}

#[test]
fn a_measure_of_the_common_class_is_pointed_out() {
    let data = simulate::rings(0);
    let rows: Vec<usize> = (0..data.n_samples()).collect();
    let of = |c: usize| {
        let codes = data.labels().codes();
        rows.iter().copied().filter(move |&i| codes[i] == c)
    };
    let schema = Schema::numeric(data.feature_names());
    let said = |rows: Vec<usize>, protocol: Protocol| {
        let made = find("lda").expect("there").make(&Params::new());
        let part = data.select(&rows).expect("rows");
        let trained = made
            .expect("makes")
            .train(&part, &schema, &protocol, &Control::new());
        let notices = trained.expect("trains").notices;
        let common = notices
            .iter()
            .find(|n| matches!(n, Notice::CommonPositive { .. }));
        common.map(Notice::to_string)
    };
    let protocol = Protocol::default;
    let rare_first: Vec<usize> = of(0).take(12).chain(of(1)).collect();
    let rare_last: Vec<usize> = of(0).chain(of(1).take(12)).collect();
    let (first, second) = (&data.labels().classes()[0], &data.labels().classes()[1]);
    let rules =
        ["best:f1", "precision:0.5", "recall:0.5"].map(|r| ThresholdRule::parse(r).expect("rule"));
    for protocol in rules
        .map(|r| protocol().threshold(r))
        .into_iter()
        .chain([protocol().score(Score::F1)])
    {
        let words = said(rare_first.clone(), protocol.clone()).expect("pointed out");
        assert!(
            words.contains(&format!("'{second}'"))
                && words.contains(&format!("`positive={first}`"))
        );
        assert_eq!(said(rare_last.clone(), protocol.clone()), None);
        assert_eq!(said(rare_first.clone(), protocol.positive(first)), None);
    }
    assert_eq!(said(rare_first.clone(), protocol()), None);
    assert_eq!(said(rare_first, protocol().score(Score::Auc)), None);
}
