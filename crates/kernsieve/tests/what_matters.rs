//! Importances, learning curves: what they must say where the truth is known.

use kernsieve::catalogue::{self, CATALOGUE};
use kernsieve::data::{Cells, Dataset, Labels, Recipe, Rng, Schema, Table, TableColumn, simulate};
use kernsieve::linalg::Matrix;
use kernsieve::params::Params;
use kernsieve::{Control, Kos, Lda, Protocol, Train};

/// Two classes that differ in the mean of the second of three features, and in nothing else.
fn one_true_feature(n: usize, seed: u64) -> Dataset {
    let mut rng = Rng::new(seed);
    let x = Matrix::from_fn(n, 3, |i, j| {
        let mean = if i % 2 == 0 { -1.5 } else { 1.5 };
        rng.normal() + if j == 1 { mean } else { 0.0 }
    });
    let labels = Labels::from_codes(
        (0..n).map(|i| i % 2).collect(),
        vec!["a".into(), "b".into()],
    );
    let names = ["noise", "true", "more noise"].map(String::from).to_vec();
    Dataset::new(x, labels.expect("codes fit"), names).expect("valid")
}

#[test]
fn every_method_finds_the_only_feature_that_matters() {
    let protocol = Protocol {
        folds: 10,
        ..Protocol::default()
    };
    let control = Control::new();
    let (mut near, mut noises) = (0, 0);
    for (entry, seed) in CATALOGUE.iter().flat_map(|e| [(e, 4), (e, 5)]) {
        let data = one_true_feature(160, seed);
        let schema = Schema::numeric(data.feature_names());
        let name = entry.about.name;
        let made = entry.make(&Params::new()).expect("defaults");
        let trained = made.train(&data, &schema, &protocol, &control).expect(name);
        // Training itself measures nothing: most fits are thrown away.
        assert!(trained.model.record.importances.is_empty(), "{name}");
        let all = catalogue::importances(&trained.model, &data, &control).expect(name);
        let truth = all[0];
        assert_eq!(truth.feature, 1, "{name}: {all:?}");
        assert!(truth.error > 0.25, "{name}: {truth:?}");
        assert!(truth.error > 5.0 * truth.error_se, "{name}: {truth:?}");
        assert!(
            truth.log_loss > 5.0 * truth.log_loss_se,
            "{name}: {truth:?}"
        );
        for i in &all[1..] {
            for (value, se) in [(i.error, i.error_se), (i.log_loss, i.log_loss_se)] {
                // Beyond four standard errors is about one case in three hundred.
                assert!(value.abs() <= 4.0 * se + 1e-12, "{name}: {i:?}");
                noises += 1;
                near += usize::from(value.abs() <= 2.0 * se + 1e-12);
            }
        }
    }
    // Two standard errors from ten folds hold 92 of 100 values whose mean is 0. Methods see the
    // same rows, so the count varies more than that of as many independent values.
    assert!(
        noises > 40 && 100 * near >= 85 * noises,
        "{near} of {noises}"
    );
}

#[test]
fn without_validation_nothing_is_measured() {
    let data = one_true_feature(60, 1);
    let control = Control::new();
    let protocol = Protocol::default().estimate(false);
    let trained = Lda::new()
        .train(&data, &protocol, &control)
        .expect("trains");
    let all = catalogue::importances(&trained.model, &data, &control).expect("measures");
    assert!(all.is_empty());
}

#[test]
fn of_many_features_those_that_separate_the_classes_are_measured() {
    let (n, p) = (120, 90);
    let mut rng = Rng::new(9);
    // The last feature shifts between the classes, the one before it spreads.
    let x = Matrix::from_fn(n, p, |i, j| match (j, i % 2) {
        (89, c) => rng.normal() + 3.0 * c as f64,
        (88, c) => rng.normal() * (1.0 + 3.0 * c as f64),
        _ => rng.normal(),
    });
    let labels = Labels::from_codes(
        (0..n).map(|i| i % 2).collect(),
        vec!["a".into(), "b".into()],
    );
    let names = (0..p).map(|j| format!("x{j}")).collect();
    let data = Dataset::new(x, labels.expect("codes fit"), names).expect("valid");
    let control = Control::new();
    let trained = Lda::new()
        .train(&data, &Protocol::default(), &control)
        .expect("trains");
    let all = catalogue::importances(&trained.model, &data, &control).expect("measures");
    let measured: Vec<usize> = all.iter().map(|i| i.feature).collect();
    assert_eq!(measured.len(), 64);
    assert_eq!(measured[0], 89);
    assert!(measured.contains(&88));
}

#[test]
fn more_rows_teach_more_and_the_last_point_is_the_cross_validated_error() {
    let data = simulate::sine(3);
    let control = Control::new();
    let trained = Kos::new()
        .train(&data, &Protocol::default(), &control)
        .expect("trains");
    let curve = catalogue::learning_curve(&trained.model, &data, &control).expect("measures");
    let rows: Vec<usize> = curve.iter().map(|p| p.rows).collect();
    assert_eq!(rows, [40, 80, 160, 320]);
    let (first, last) = (&curve[0], &curve[3]);
    assert!(
        last.error + 2.0 * last.standard_error < first.error,
        "{curve:?}"
    );
    // The same folds and the same setting as in the table.
    let best = trained.model.record.cv.as_ref().expect("validated").best();
    assert!((last.error - best.error.expect("fitted")).abs() < 1e-12);
    assert!((last.standard_error - best.standard_error).abs() < 1e-12);
}

#[test]
fn a_learning_curve_stops_when_asked_to() {
    let data = simulate::rings(0);
    let control = Control::new();
    let trained = Lda::new()
        .train(&data, &Protocol::default(), &control)
        .expect("trains");
    control.cancel();
    assert!(catalogue::learning_curve(&trained.model, &data, &control).is_err());
    assert!(catalogue::importances(&trained.model, &data, &control).is_err());
}

#[test]
fn features_of_one_column_are_shuffled_together() {
    let n = 300;
    let mut rng = Rng::new(3);
    // Days of some years, which mean nothing, and four levels of which two are one class.
    let days = (0..n).map(|_| (9000.0 + 2000.0 * rng.uniform()).floor());
    let days = Cells::Dates(days.collect());
    let codes: Vec<u32> = (0..n).map(|i| (i * i + i / 7) as u32 % 4).collect();
    let class = |c: &u32| usize::from(*c > 1 && rng.uniform() < 0.9);
    let classes = codes.iter().map(class).collect();
    let levels = ["p", "q", "r", "s"].map(String::from).to_vec();
    let columns = [("day", days), ("kind", Cells::Levels { codes, levels })];
    let columns = columns.map(|(name, cells)| TableColumn {
        name: name.into(),
        cells,
    });
    let table = Table::new(columns.into(), n).expect("columns fit");
    let labels = Labels::from_codes(classes, vec!["a".into(), "b".into()]).expect("codes fit");
    let (data, schema) =
        Dataset::from_table(table, labels, &Recipe::default(), "class").expect("valid");
    let entry = CATALOGUE
        .iter()
        .find(|e| e.about.name == "lda")
        .expect("is there");
    let made = entry.make(&Params::new()).expect("defaults");
    let (protocol, control) = (Protocol::default(), Control::new());
    let trained = made
        .train(&data, &schema, &protocol, &control)
        .expect("trains");
    let all = catalogue::importances(&trained.model, &data, &control).expect("shuffles");
    let names = data.feature_names();
    let of = |column: &str| -> Vec<(f64, f64)> {
        let own = all.iter().filter(|i| names[i.feature].starts_with(column));
        own.map(|i| (i.error, i.error_se)).collect()
    };
    let (day, kind) = (of("day"), of("kind"));
    assert!(day.len() > 1 && kind.len() > 2, "{names:?}");
    for (figures, least, most) in [(day, -0.05, 0.05), (kind, 0.2, 0.6)] {
        assert!(figures.iter().all(|f| *f == figures[0]), "{figures:?}");
        assert!(least < figures[0].0 && figures[0].0 < most, "{figures:?}");
    }
}
