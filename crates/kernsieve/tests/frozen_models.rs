//! Model files of earlier versions still load and predict what they did.

use kernsieve::data::simulate;
use kernsieve::model_file;
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
        let posterior = model.predict(test.x()).posterior;
        for (row, line) in posterior.iter_rows().zip(expected.lines()) {
            for (p, text) in row.iter().zip(line.split(',')) {
                let was: f64 = text.parse().expect("a number");
                assert!((p - was).abs() < 1e-9, "{}: {p} was {was}", path.display());
            }
        }
        assert_eq!(expected.lines().count(), test.n_samples());
        seen += 1;
    }
    assert!(seen >= 5, "{seen} frozen models");
}
