use super::*;
use crate::data::{Dataset, Rng};

fn labels(codes: &[usize]) -> Labels {
    let classes = codes.iter().max().map_or(1, |c| c + 1);
    let names = (0..classes).map(|c| format!("c{c}")).collect();
    Labels::from_codes(codes.to_vec(), names).expect("codes fit")
}

fn column(name: &str, cells: Cells) -> TableColumn {
    TableColumn {
        name: name.into(),
        cells,
    }
}

fn levels(words: &[&str]) -> Cells {
    let text = Labels::from_text(words);
    let code = |(c, w): (&usize, &&str)| if w.is_empty() { GAP } else { *c as u32 };
    let codes: Vec<u32> = text.codes().iter().zip(words).map(code).collect();
    Cells::categories(&codes, text.classes())
}

fn one(name: &str, cells: Cells) -> Table {
    let n = cells.len();
    Table::new(vec![column(name, cells)], n).expect("valid")
}

fn features(table: &Table, recipe: &Recipe, codes: &[usize], rows: &[usize]) -> Learnt {
    let labels = labels(codes);
    let source = Source::new(table.clone(), &labels, recipe, "y");
    source.training(rows, &labels.select(rows), None)
}

fn rows_of(x: &Matrix) -> Vec<Vec<f64>> {
    x.iter_rows().map(<[f64]>::to_vec).collect()
}

#[test]
fn gaps_are_filled_by_the_training_rows_alone() {
    let table = one("a", Cells::Numbers(vec![1.0, f64::NAN, 2.0, 6.0, 1000.0]));
    for (missing, fill) in [(Missing::Mean, 3.0), (Missing::Median, 2.0)] {
        let recipe = Recipe {
            missing,
            ..Recipe::default()
        };
        let learnt = features(&table, &recipe, &[0, 1, 0, 1, 0], &[0, 1, 2, 3]);
        assert_eq!(rows_of(&learnt.x), [[1.0], [fill], [2.0], [6.0]]);
    }
    let recipe = Recipe {
        missing: Missing::Indicator,
        ..Recipe::default()
    };
    let learnt = features(&table, &recipe, &[0, 1, 0, 1, 0], &[0, 1]);
    assert_eq!(learnt.schema.feature_names(), ["a", "a=missing"]);
    assert_eq!(rows_of(&learnt.x), [[1.0, 0.0], [1.0, 1.0]]);
}

#[test]
fn a_weighted_fill_is_that_of_repeated_rows() {
    let values = Cells::Numbers(vec![1.0, 2.0, 7.0, f64::NAN]);
    let twice = Cells::Numbers(vec![1.0, 2.0, 2.0, 2.0, 7.0, f64::NAN]);
    for missing in [Missing::Mean, Missing::Median] {
        let recipe = Recipe {
            missing,
            ..Recipe::default()
        };
        let of = |cells: &Cells, weights: Option<&[f64]>| {
            let y = labels(&vec![0; cells.len()]);
            let rows: Vec<usize> = (0..cells.len()).collect();
            let source = Source::new(one("a", cells.clone()), &y, &recipe, "y");
            source.learn(&rows, &y, weights)
        };
        assert_eq!(of(&values, Some(&[1.0, 3.0, 1.0, 1.0])), of(&twice, None));
    }
    assert_eq!(median(&mut []), 0.0);
    assert_eq!(median(&mut [(3.0, 1.0), (1.0, 1.0)]), 2.0);
    assert_eq!(mean(&[(f64::MAX, 1.0), (f64::MAX, 1.0)]), f64::MAX);
}

#[test]
fn two_levels_are_one_feature_and_more_are_one_each() {
    let table = one("b", levels(&["no", "yes", "", "yes"]));
    let recipe = Recipe {
        missing: Missing::Mean,
        ..Recipe::default()
    };
    let learnt = features(&table, &recipe, &[0, 1, 0, 1], &[0, 1, 2, 3]);
    assert_eq!(learnt.schema.feature_names(), ["b=yes"]);
    assert_eq!(rows_of(&learnt.x), [[0.0], [1.0], [2.0 / 3.0], [1.0]]);
    let table = one("b", levels(&["u", "v", "", "w"]));
    let learnt = features(&table, &recipe, &[0, 1, 0, 1], &[0, 1, 2, 3]);
    assert_eq!(learnt.schema.feature_names(), ["b=u", "b=v", "b=w"]);
    assert_eq!(rows_of(&learnt.x)[2], [0.0, 0.0, 0.0]);
    let other = one("b", levels(&["v", "x"]));
    let seen = learnt.schema.encode(&other, &[0, 1]).expect("encodes");
    assert_eq!(rows_of(&seen.x), [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
    assert_eq!(seen.unknown, [("b".to_string(), 1, "x".to_string())]);
}

#[test]
fn levels_are_pooled_by_the_training_rows_alone() {
    // `v` is frequent among all rows, but not among the first six.
    let table = one("b", levels(&["u", "u", "u", "v", "w", "w", "v", "v", "w"]));
    let recipe = Recipe {
        rare: Some(2),
        ..Recipe::default()
    };
    let codes = [0, 1, 0, 1, 0, 1, 0, 1, 0];
    let all: Vec<usize> = (0..9).collect();
    let whole = features(&table, &recipe, &codes, &all);
    assert_eq!(whole.schema.feature_names(), ["b=u", "b=v", "b=w"]);
    assert_eq!(rows_of(&whole.x)[3], [0.0, 1.0, 0.0]);
    let part = features(&table, &recipe, &codes, &all[..6]);
    assert_eq!(part.schema.feature_names(), whole.schema.feature_names());
    assert_eq!(rows_of(&part.x)[3], [0.0, 0.0, 0.0]);
    let ColumnKind::Categorical { rare, .. } = &part.schema.columns[0].kind else {
        panic!("not categories");
    };
    assert_eq!(rare, &["v"]);
    // A rare level is known, so nobody is told about it.
    assert!(
        part.schema
            .encode(&table, &all)
            .expect("encodes")
            .unknown
            .is_empty()
    );
}

#[test]
fn shares_of_classes_are_those_of_other_rows() {
    let mut rng = Rng::new(3);
    let words = ["p", "q", "r"];
    let cells: Vec<&str> = (0..300).map(|_| words[rng.below(3)]).collect();
    let codes: Vec<usize> = (0..300).map(|_| rng.below(2)).collect();
    let table = one("b", levels(&cells));
    let recipe = Recipe {
        encode: Encode::Target,
        ..Recipe::default()
    };
    let rows: Vec<usize> = (0..300).collect();
    let learnt = features(&table, &recipe, &codes, &rows);
    let ColumnKind::Target { values, fill, .. } = &learnt.schema.columns[0].kind else {
        panic!("not shares");
    };
    // The shares of the schema, by hand.
    let ones = codes.iter().sum::<usize>() as f64;
    assert!((fill[0] - ones / 300.0).abs() < 1e-15);
    for (l, word) in words.iter().enumerate() {
        let own = || (0..300).filter(|&i| cells[i] == *word);
        let (n, hits) = (
            own().count() as f64,
            own().filter(|&i| codes[i] == 1).count() as f64,
        );
        let by_hand = (hits + 10.0 * fill[0]) / (n + 10.0);
        assert!((values[l][0] - by_hand).abs() < 1e-14, "{word}");
    }
    // The class of a row has no part in its own feature.
    for i in [0, 17, 123] {
        let mut other = codes.clone();
        other[i] = 1 - other[i];
        let again = features(&table, &recipe, &other, &rows);
        let split = stratified_folds(&labels(&codes), PARTS, 0);
        let part = split
            .iter()
            .find(|s| s.test.contains(&i))
            .expect("in a part");
        let same = stratified_folds(&labels(&other), PARTS, 0);
        // Only where the parts stay the same is the comparison fair.
        if same.iter().any(|s| s.test == part.test) {
            assert_eq!(learnt.x[(i, 0)], again.x[(i, 0)]);
        }
    }
}

#[test]
fn dates_become_parts() {
    let days = Cells::Dates(vec![19_874.0, f64::NAN, 19_875.5]);
    let recipe = Recipe {
        missing: Missing::Median,
        ..Recipe::default()
    };
    let learnt = features(&one("d", days), &recipe, &[0, 1, 0], &[0, 1, 2]);
    let names = ["d.year", "d.month", "d.weekday", "d.days", "d.hour"];
    assert_eq!(learnt.schema.feature_names(), names);
    assert_eq!(rows_of(&learnt.x)[0], [2024.0, 5.0, 4.0, 0.0, 0.0]);
    assert_eq!(rows_of(&learnt.x)[1][3], 0.75);
    assert_eq!(rows_of(&learnt.x)[2][3..], [1.5, 12.0]);
}

/// Whatever is written into the cells and classes of held-out rows, the features of the training
/// rows and the schema stay the same.
#[test]
fn held_out_rows_have_no_part_in_features() {
    let mut rng = Rng::new(7);
    let n = 60;
    let words = ["u", "v", "w", "x", ""];
    let mut numbers: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
    (0..n).step_by(7).for_each(|i| numbers[i] = f64::NAN);
    let text: Vec<&str> = (0..n).map(|_| words[rng.below(5)]).collect();
    let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let training: Vec<usize> = (0..40).collect();
    for missing in [Missing::Mean, Missing::Median, Missing::Indicator] {
        for encode in [Encode::OneHot, Encode::Target] {
            let recipe = Recipe {
                missing,
                encode,
                rare: Some(4),
            };
            let learnt = |from: usize, shift: f64, swap: bool| {
                let mut values = numbers.clone();
                values[from..].iter_mut().for_each(|v| *v += shift);
                let mut own = text.clone();
                let mut codes = codes.clone();
                if swap {
                    own[40..].reverse();
                    codes[40..].iter_mut().for_each(|c| *c = 1 - *c);
                }
                let columns = vec![
                    column("a", Cells::Numbers(values)),
                    column("b", levels(&own)),
                ];
                let table = Table::new(columns, n).expect("valid");
                let (data, _) =
                    Dataset::from_table(table, labels(&codes), &recipe, "y").expect("valid");
                data.learn_columns(&training).expect("depends on rows")
            };
            let (one, other) = (learnt(40, 0.0, false), learnt(40, 1e3, true));
            assert_eq!(one.schema, other.schema, "{missing:?} {encode:?}");
            assert_eq!(one.x, other.x, "{missing:?} {encode:?}");
            // The training rows have one.
            assert_ne!(one.schema, learnt(0, 1e3, false).schema);
        }
    }
}

#[test]
fn a_table_without_gaps_and_rare_levels_is_the_same_in_every_fold() {
    let recipe = Recipe::default();
    let plain = vec![
        column("a", Cells::Numbers(vec![1.0, 2.0, 3.0, 4.0])),
        column("b", levels(&["u", "v", "u", "w"])),
    ];
    let table = Table::new(plain, 4).expect("valid");
    let (data, schema) =
        Dataset::from_table(table, labels(&[0, 1, 0, 1]), &recipe, "y").expect("valid");
    assert!(data.learn_columns(&[0, 1]).is_none());
    assert_eq!(data.features_by(&schema, &[3]), data.x().select_rows(&[3]));
}

#[test]
fn numbers_and_texts_of_a_level_are_the_same() {
    let table = one("b", levels(&["1", "2.0", "03", "1"]));
    let schema = features(&table, &Recipe::default(), &[0, 1, 0, 1], &[0, 1, 2, 3]).schema;
    let numbers = one("b", Cells::Numbers(vec![1.0, 2.0, 3.0, 4.0]));
    let seen = schema.encode(&numbers, &[0, 1, 2, 3]).expect("encodes");
    let ones: Vec<f64> = seen.x.iter_rows().map(|r| r.iter().sum()).collect();
    assert_eq!(ones, [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(seen.unknown.len(), 1);
}
