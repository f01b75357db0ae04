//! Model files of earlier versions still load and predict what they did.

use kernsieve::data::simulate;
use kernsieve::{Control, catalogue, model_file};
use std::path::Path;

#[test]
fn every_frozen_model_predicts_what_it_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
    let test = simulate::mixture(0, 2, 5, 1);
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("fixtures") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "ks") {
            continue;
        }
        let model = model_file::load(&path).expect("an old model loads");
        let expected =
            std::fs::read_to_string(path.with_extension("csv")).expect("its probabilities");
        let prediction = model.predict(test.x());
        // A density has log densities, and no classes to tell apart.
        let rows = match model.is_density() {
            true => prediction.outputs,
            false => prediction.posterior,
        };
        for (row, line) in rows.iter_rows().zip(expected.lines()) {
            for (p, text) in row.iter().zip(line.split(',')) {
                let was: f64 = text.parse().expect("a number");
                assert!((p - was).abs() < 1e-9, "{}: {p} was {was}", path.display());
            }
        }
        assert_eq!(expected.lines().count(), test.n_samples());
        seen += 1;
    }
    assert!(seen >= 17, "{seen} frozen models");
}

/// The record of an older file still gives its method, which can be fitted again.
#[test]
fn every_frozen_classifier_still_has_its_method() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
    for entry in std::fs::read_dir(&folder).expect("fixtures") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "ks") {
            continue;
        }
        let model = model_file::load(&path).expect("an old model loads");
        if model.is_density() {
            continue;
        }
        let made = catalogue::method_of(&model).expect("a method");
        assert_eq!(made.method.about().name, model.record.method);
        // The rows that it was trained on, predicted by fits without their folds.
        let data = simulate::mixture(0, 1, 15, 1);
        let rows = made
            .method
            .out_of_fold(&model, None, &data, &Control::new());
        let rows = rows.expect("runs").expect("there were folds");
        assert!(rows.iter().flatten().count() > 20, "{}", path.display());
    }
}
