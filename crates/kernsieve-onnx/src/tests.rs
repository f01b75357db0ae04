//! Tests of the structure of graphs. Their results are compared with the library, by an ONNX
//! runtime, in `tests/python/test_onnx.py`.

use super::*;
use kernsieve::data::{Dataset, Schema, simulate};
use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::linalg::Matrix;
use kernsieve::params::{Params, Preparation};
use kernsieve::{Control, Protocol, catalogue};
use std::collections::HashSet;

fn model(name: &str, data: &Dataset) -> Model {
    trained(name, data, &Protocol::default())
}

fn scored(name: &str, data: &Dataset) -> Model {
    let protocol = Protocol::default().prepare(Preparation::Scores);
    trained(name, data, &protocol)
}

fn trained(name: &str, data: &Dataset, protocol: &Protocol) -> Model {
    let schema = Schema::numeric(data.feature_names());
    let entry = catalogue::find(name).expect("there");
    let made = entry.make(&Params::new()).expect("nothing given");
    let trained = made.train(data, &schema, protocol, &Control::new());
    trained.expect("trains").model
}

fn operators(model: &Model, precision: Precision) -> Vec<String> {
    let graph = read(&to_onnx(model, precision).expect("exports")).graph;
    let nodes = graph.expect("there").node.into_iter();
    nodes.map(|n| n.op_type.expect("named")).collect()
}

fn count(model: &Model, precision: Precision, kind: &str) -> usize {
    let all = operators(model, precision);
    all.iter().filter(|k| *k == kind).count()
}

fn read(bytes: &[u8]) -> ModelProto {
    ModelProto::decode(bytes).expect("a message")
}

#[test]
fn every_value_is_made_once_and_before_it_is_used() {
    let data = simulate::mixture(0, 1, 40, 3);
    let linear = |mut model: Model| {
        let e = &mut model.expansion;
        e.linear = Some(Matrix::zeros(e.support.cols(), e.n_outputs()));
        model
    };
    let plain = catalogue::names()
        .into_iter()
        .map(|kind| (kind, model(kind, &data)));
    let others = [
        ("scores", scored("mkda", &data)),
        ("scored posteriors", scored("l1-dkf", &data)),
        ("a linear part", linear(model("klr", &data))),
    ];
    for (kind, model) in plain.chain(others) {
        let bytes = to_onnx(&model, Precision::F64).expect("exports");
        let graph = read(&bytes).graph.expect("there");
        let mut known: HashSet<String> = graph
            .initializer
            .iter()
            .filter_map(|t| t.name.clone())
            .collect();
        known.insert(INPUT.into());
        for node in &graph.node {
            assert!(
                node.input.iter().all(|name| known.contains(name)),
                "{kind} {node:?}"
            );
            for name in &node.output {
                assert!(known.insert(name.clone()), "{kind}: {name} twice");
            }
        }
        assert!(
            graph
                .output
                .iter()
                .all(|v| known.contains(v.name.as_ref().expect("named")))
        );
    }
}

#[test]
fn the_file_says_what_it_is() {
    let model = model("lda", &simulate::rings(0));
    let file = read(&to_onnx(&model, Precision::F32).expect("exports"));
    assert_eq!(file.producer_name.as_deref(), Some("kernsieve"));
    let entry = |key: &str| {
        let found = file
            .metadata_props
            .iter()
            .find(|e| e.key.as_deref() == Some(key));
        found.and_then(|e| e.value.clone()).expect("there")
    };
    assert_eq!(entry("kernsieve.method"), "lda");
    assert_eq!(entry("kernsieve.precision"), "single");
    let features: Vec<String> = serde_json::from_str(&entry("kernsieve.features")).expect("a list");
    assert_eq!(features, model.feature_names());
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let model = model("kos", &simulate::rings(0));
    let bytes = |p| to_onnx(&model, p).expect("exports");
    assert_eq!(bytes(Precision::F64), bytes(Precision::F64));
    assert!(bytes(Precision::F32).len() < bytes(Precision::F64).len());
}

#[test]
fn classes_are_numbers_only_if_all_are() {
    let names = |texts: [&str; 2]| texts.map(String::from);
    assert_eq!(whole_numbers(&names(["-1", "12"])), Some(vec![-1, 12]));
    for texts in [
        ["01", "1"],
        ["1.0", "2"],
        ["a", "1"],
        ["1", "99999999999999999999"],
    ] {
        assert_eq!(whole_numbers(&names(texts)), None, "{texts:?}");
    }
}

#[test]
fn what_single_precision_cannot_hold_is_refused_by_name() {
    let mut model = model("mkda", &simulate::rings(0));
    model.scaling.scale[0] = 1e-60;
    let error = to_onnx(&model, Precision::F32)
        .expect_err("too small")
        .to_string();
    assert!(
        error.contains("feature") && error.contains("double"),
        "{error}"
    );
    assert!(to_onnx(&model, Precision::F64).is_ok());
}

#[test]
fn sums_that_cancel_are_taken_in_double_precision() {
    let casts = |model: &Model, precision| count(model, precision, "Cast");
    let mut model = model("klr", &simulate::mixture(0, 1, 40, 3));
    let mut with_coefficients = |f: &dyn Fn(usize) -> f64| {
        let (s, q) = (model.expansion.support.rows(), model.expansion.n_outputs());
        model.expansion.output = Output::Linear {
            coef: Matrix::from_fn(s, q, |i, _| f(i)),
            offset: vec![0.0; q],
        };
        model.clone()
    };
    let alike = with_coefficients(&|_| 1.0);
    assert_eq!(casts(&alike, Precision::F32), 0);
    // Smooth values times coefficients of alternating sign: sums of small differences.
    let wild = with_coefficients(&|i| if i % 2 == 0 { 1e4 } else { -1e4 + 1.0 });
    let wild = Model {
        expansion: KernelExpansion {
            kernel: Kernel::Gaussian { bandwidth: 1e3 },
            ..wild.expansion
        },
        ..wild
    };
    assert_eq!(casts(&wild, Precision::F32), 2);
    assert_eq!(casts(&wild, Precision::F64), 0);
}

#[test]
fn scores_and_radial_kernels_are_computed_in_double_precision() {
    let data = simulate::mixture(0, 1, 40, 3);
    let scored = scored("lda", &data);
    assert_eq!(count(&scored, Precision::F32, "Cast"), 2);
    assert_eq!(count(&scored, Precision::F64, "Cast"), 0);
    let mut radial = model("klr", &data);
    radial.expansion.kernel = Kernel::RadialLaplacian { bandwidth: 1.0 };
    assert_eq!(count(&radial, Precision::F32, "Cast"), 2);
    assert_eq!(count(&radial, Precision::F64, "Cast"), 0);
}

#[test]
fn the_search_for_a_knot_takes_the_logarithm_of_their_number() {
    let data = simulate::mixture(0, 1, 40, 3);
    let model = scored("lda", &data);
    let curves = &model.scaling.scores.as_ref().expect("there").curves;
    let most = curves.iter().map(|c| c.knots.len()).max().expect("some");
    let steps = most.next_power_of_two().ilog2() as usize;
    let found = count(&model, Precision::F64, "GreaterOrEqual");
    assert_eq!(found, steps);
}

#[test]
fn a_damaged_model_is_refused() {
    let mut model = model("lda", &simulate::rings(0));
    model.classes.pop();
    assert!(to_onnx(&model, Precision::F64).is_err());
}
