//! `kernsieve export`.
#![cfg(feature = "onnx")]

mod common;

use common::{Folder, disc, has};
use serde_json::json;

fn fitted(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("disc.csv", disc(80, 1));
    folder
        .line(&format!(
            "fit disc.csv --method {method} --model m.ks --quiet"
        ))
        .ok();
    folder
}

#[test]
fn a_model_becomes_a_file_and_a_line() {
    let folder = fitted("mkda");
    let run = folder.line("export m.ks m.onnx").ok();
    assert_eq!(run.err, "");
    has(
        &run.out,
        &[
            "m.onnx (",
            "double precision",
            "X with 3 features -> label, probabilities,\noutputs\n",
        ],
    );
    assert_eq!(folder.names(), ["disc.csv", "m.ks", "m.onnx"]);
    let again = folder.line("export m.ks n.onnx").ok();
    assert_eq!(again.code, 0);
    assert_eq!(folder.read("m.onnx"), folder.read("n.onnx"));
}

#[test]
fn scripts_get_an_object() {
    let folder = fitted("kos");
    for (precision, words) in [("double", ""), ("single", " --precision single")] {
        let object = folder
            .line(&format!("export m.ks m.onnx --json{words}"))
            .ok()
            .json();
        assert_eq!(object["output"], "m.onnx");
        assert_eq!(object["bytes"], folder.read("m.onnx").len());
        assert_eq!(object["precision"], precision);
        assert_eq!(object["inputs"], json!(["X"]));
        assert_eq!(
            object["outputs"],
            json!(["label", "probabilities", "outputs"])
        );
        assert_eq!(object["feature_names"], json!(["u", "v", "noise"]));
    }
}

#[test]
fn a_density_has_one_output() {
    let folder = Folder::new();
    folder.write("disc.csv", disc(60, 1));
    folder
        .line("density disc.csv --drop class --model d.ks --quiet")
        .ok();
    let object = folder.line("export d.ks d.onnx --json").ok().json();
    assert_eq!(object["outputs"], json!(["log_density"]));
}

#[test]
fn what_cannot_be_done_is_told_and_leaves_nothing() {
    let folder = fitted("lda");
    let before = folder.read("m.ks");
    for (line, code, words) in [
        ("export m.ks m.ks", 2, "would overwrite m.ks"),
        ("export none.ks m.onnx", 1, "none.ks"),
        ("export disc.csv m.onnx", 1, "not a usable model file"),
        ("export m.ks no/such/folder/m.onnx", 1, "m.onnx"),
        ("export m.ks -", 2, "this wants the name of a file"),
        ("export m.ks", 2, "OUT.onnx"),
        ("export m.ks m.onnx --precision half", 2, "half"),
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, code, "{line}: {}", run.err);
        has(&run.err, &[words]);
        assert_eq!(run.out, "", "{line}");
    }
    assert_eq!(folder.names(), ["disc.csv", "m.ks"]);
    assert_eq!(folder.read("m.ks"), before);
}
