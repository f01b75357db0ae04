//! The model file: one safetensors container. Arrays are tensors, everything else is one JSON
//! document under the metadata key `kernsieve`. Loading runs no code, allocates no more than the
//! file's size justifies, and checks that all parts fit. The document ends with a checksum of all
//! arrays and of itself; files of earlier versions have none.

mod atomic;
mod read;
mod seal;
mod target;
mod write;

pub use atomic::{AtomicFile, check_writable, remove_unfinished, write_atomic};
pub use read::{load, read};
pub use write::{save, to_bytes};

use crate::data::Schema;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{Model, Threshold, TrainingRecord};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the layout; a reader refuses larger ones. Files say 6 if further rows can be added to
/// the model, which readers of format 5 would overlook, 5 if their columns hold more than
/// numbers and plain categories, or if gaps were filled, 4 if they hold something that readers of
/// format 3 would overlook (a threshold, or probabilities that lean on the shares of the classes),
/// 3 if they hold something that readers of format 2 do not know (normal scores or a linear part,
/// which they would overlook, a radial Laplacian), 2 if they hold something that readers of format 1 do not know (a discriminant
/// kernel, bandwidths of support rows, classes against the rest, a density, costs), else 1.
const FORMAT: u32 = 6;
/// Prefix of the names of the arrays of a discriminant kernel.
const POSTERIOR: &str = "posterior.";
/// The metadata key of the JSON document.
const KEY: &str = "kernsieve";

/// The JSON document. Numbers that prediction needs are in tensors; this holds the rest.
#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    classes: Vec<String>,
    schema: Schema,
    kernel: Kernel,
    output: OutputKind,
    decision: DecisionKind,
    /// Whether the expansion has a linear part.
    #[serde(default, skip_serializing_if = "is_false")]
    linear: bool,
    /// Whether features go through normal scores.
    #[serde(default, skip_serializing_if = "is_false")]
    scores: bool,
    /// The estimate of the posteriors behind a discriminant kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    posterior: Option<PosteriorKind>,
    temperature: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    costs: Vec<f64>,
    /// Added to the log scores of the classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shifts: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threshold: Option<Threshold>,
    /// Whether there is a triangular factor to add rows to.
    #[serde(default, skip_serializing_if = "is_false")]
    factor: bool,
    record: TrainingRecord,
}

#[derive(Serialize, Deserialize)]
struct PosteriorKind {
    kernel: Kernel,
    output: OutputKind,
    decision: DecisionKind,
    #[serde(default, skip_serializing_if = "is_false")]
    linear: bool,
}

fn is_false(b: &bool) -> bool {
    !b
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OutputKind {
    Linear,
    LogDensity,
    OwnWidths,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DecisionKind {
    Mahalanobis,
    NearestCentroid,
    LogDensity,
    Logits,
    Clip,
    Project,
    Softmax,
    Raw,
    OneAgainstRest,
}

impl Model {
    /// Saves the model to a file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        save(self, path.as_ref())
    }

    /// Loads a model from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        load(path.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{CATALOGUE, Entry, find};
    use crate::data::{Dataset, Rng, simulate};
    use crate::error::Error;
    use crate::linalg::Matrix;
    use crate::method::density::Density;
    use crate::model::Model;
    use crate::params::{Params, Preparation, Protocol, ThresholdRule};
    use crate::tuning::{Control, DensityData, train_density};

    fn model(entry: &Entry, data: &Dataset) -> Model {
        trained(entry, data, &[], &Protocol::default())
    }

    fn trained(
        entry: &Entry,
        data: &Dataset,
        given: &[(&str, serde_json::Value)],
        protocol: &Protocol,
    ) -> Model {
        let schema = Schema::numeric(data.feature_names());
        let given: Params = given
            .iter()
            .map(|(id, v)| (id.to_string(), v.clone()))
            .collect();
        let made = entry.make(&given).expect("known parameters");
        made.train(data, &schema, protocol, &Control::new())
            .expect("trains")
            .model
    }

    fn of(name: &str, data: &Dataset) -> Model {
        model(find(name).expect("there"), data)
    }

    /// Models that hold what readers of format 2 do not know: normal scores, the radial Laplacian,
    /// a linear part, a linear part of posteriors; and all of it.
    fn of_format_3(data: &Dataset) -> Vec<Model> {
        let scores = Protocol::default().prepare(Preparation::Scores);
        let radial = [("kernel", "radial-laplacian".into())];
        let with = |name: &str, given: &[(&str, serde_json::Value)], protocol: &Protocol| {
            trained(find(name).expect("there"), data, given, protocol)
        };
        let linear = |e: &mut crate::expansion::KernelExpansion| {
            let (p, q) = (e.support.cols(), e.n_outputs());
            e.linear = Some(Matrix::from_fn(p, q, |i, c| {
                0.1 * (1.0 + i as f64) - 0.3 * c as f64
            }));
        };
        let mut models = vec![
            with("mkda", &[], &scores),
            with("parzen", &[], &scores),
            with("l1-dkf", &[], &scores),
            with("kos", &radial, &Protocol::default()),
            with("klr", &[], &Protocol::default()),
            with("l1-dkf", &[], &Protocol::default()),
            with("smkda", &radial, &scores),
        ];
        linear(&mut models[4].expansion);
        if let Some(posterior) = &mut models[5].discriminant {
            linear(&mut posterior.expansion);
        }
        linear(&mut models[6].expansion);
        models
    }

    fn bits(m: &Matrix) -> Vec<u64> {
        m.as_slice().iter().map(|v| v.to_bits()).collect()
    }

    fn assert_comes_back(model: &Model, test: &Dataset) {
        let bytes = to_bytes(model).expect("serialises");
        let again = read(&bytes).expect("loads");
        let (a, b) = (model.predict(test.x()), again.predict(test.x()));
        assert_eq!(bits(&a.outputs), bits(&b.outputs));
        assert_eq!(bits(&a.posterior), bits(&b.posterior));
        assert_eq!(*model, again);
        assert_eq!(bytes, to_bytes(&again).expect("serialises"));
    }

    fn says_format(model: &Model, format: u32) -> bool {
        let bytes = to_bytes(model).expect("serialises");
        let needle = format!("\\\"format\\\":{format},");
        bytes.windows(needle.len()).any(|w| w == needle.as_bytes())
    }

    #[test]
    fn a_reloaded_model_predicts_the_same_bits() {
        let (data, test) = (
            simulate::mixture(0, 1, 40, 3),
            simulate::mixture(0, 2, 300, 3),
        );
        let schema = Schema::numeric(data.feature_names());
        let rows = DensityData {
            x: data.x(),
            weights: None,
            schema: &schema,
        };
        let density = train_density(
            &Density::new(),
            &rows,
            &Protocol::default(),
            &Control::new(),
        )
        .expect("trains");
        let classifiers = CATALOGUE.iter().map(|entry| model(entry, &data));
        for model in classifiers.chain([density.model]) {
            assert_comes_back(&model, &test);
        }
        for model in of_format_3(&data) {
            assert!(says_format(&model, 3));
            assert_comes_back(&model, &test);
        }
    }

    #[test]
    fn files_say_no_more_than_a_reader_must_know() {
        let data = simulate::mixture(0, 1, 20, 2);
        assert!(says_format(&of("lda", &data), 1));
        assert!(says_format(&of("l1-dkf", &data), 2));
        // Asked for, but nothing that an old reader would miss.
        // These data are so hard that probabilities would lean on the shares of the classes.
        let plain = Protocol::default()
            .prepare(Preparation::Standardize)
            .calibrate(false);
        let entry = find("mkda").expect("there");
        assert!(says_format(&trained(entry, &data, &[], &plain), 1));
        // An old reader would overlook a threshold.
        let cut = Protocol::default().threshold(ThresholdRule::Value(0.3));
        assert!(says_format(&trained(entry, &data, &[], &cut), 4));
    }

    #[test]
    fn damaged_scores_and_linear_parts_are_refused() {
        let data = simulate::mixture(0, 1, 20, 2);
        let scores = Protocol::default().prepare(Preparation::Scores);
        let good = trained(find("lda").expect("there"), &data, &[], &scores);
        let refused = |change: &dyn Fn(&mut Model)| {
            let mut bad = good.clone();
            change(&mut bad);
            let e = read(&write::written(&bad).expect("serialises")).unwrap_err();
            assert!(e.to_string().contains("damaged"), "{e}");
        };
        let curve = |m: &mut Model, change: &dyn Fn(&mut crate::data::Curve)| {
            change(&mut m.scaling.scores.as_mut().expect("there").curves[0]);
        };
        refused(&|m| curve(m, &|c| c.knots[1] = c.knots[0]));
        refused(&|m| curve(m, &|c| c.scores.reverse()));
        refused(&|m| curve(m, &|c| c.knots[0] = f64::NEG_INFINITY));
        refused(&|m| curve(m, &|c| c.scores.truncate(3)));
        refused(&|m| {
            m.scaling.scores.as_mut().expect("there").curves.pop();
        });
        refused(&|m| m.expansion.linear = Some(Matrix::zeros(1, 17)));
    }

    #[test]
    fn a_number_that_is_not_finite_is_not_written() {
        let good = of("lda", &simulate::mixture(0, 1, 20, 2));
        let changes: &[&dyn Fn(&mut Model)] = &[
            &|m| m.record.report.objective = Some(f64::NAN),
            &|m| m.record.report.regressions = vec![(f64::NAN, None)],
            &|m| m.record.report.trace = vec![f64::INFINITY],
            &|m| m.record.train_error = f64::NAN,
            &|m| m.temperature = f64::NAN,
        ];
        for change in changes {
            let mut bad = good.clone();
            change(&mut bad);
            assert!(to_bytes(&bad).is_err());
        }
        let dir = tempfile::tempdir().expect("writable");
        let path = dir.path().join("m.ks");
        good.save(&path).expect("saves");
        let before = std::fs::read(&path).expect("readable");
        let mut bad = good.clone();
        changes[0](&mut bad);
        assert!(bad.save(&path).is_err());
        assert_eq!(std::fs::read(&path).expect("readable"), before);
    }

    #[test]
    fn every_changed_bit_is_found() {
        let good = of("l1-dkf", &simulate::mixture(0, 1, 20, 2));
        let bytes = to_bytes(&good).expect("serialises");
        assert_eq!(read(&bytes).expect("loads"), good);
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (at % 8);
            // White space in the head of the container means nothing.
            if let Ok(again) = read(&bad) {
                assert_eq!(again, good, "byte {at}");
            }
            assert!(read(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn format_0_is_refused() {
        let good = of("lda", &simulate::mixture(0, 1, 20, 2));
        let mut bytes = to_bytes(&good).expect("serialises");
        let needle = b"\\\"format\\\":1,";
        let at = bytes.windows(needle.len()).position(|w| w == needle);
        bytes[at.expect("there") + needle.len() - 2] = b'0';
        let e = read(&bytes).unwrap_err().to_string();
        assert!(e.contains("format is 0"), "{e}");
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
        let data = simulate::rings(0);
        for entry in CATALOGUE {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("pool");
                pool.install(|| to_bytes(&model(entry, &data)).expect("serialises"))
            };
            assert_eq!(run(1), run(2), "{}", entry.about.name);
        }
    }

    #[test]
    fn no_corruption_of_a_model_file_panics() {
        let data = simulate::mixture(0, 1, 15, 1);
        let mut rng = Rng::new(5);
        let test = simulate::mixture(0, 2, 5, 1);
        let mut accepted = 0;
        let newest = of_format_3(&data).pop().expect("some");
        for model in [of("kos", &data), of("parzen", &data), newest] {
            let bytes = to_bytes(&model).expect("serialises");
            for _ in 0..5000 {
                let mut bad = bytes.clone();
                match rng.below(4) {
                    0 => bad.truncate(rng.below(bad.len())),
                    1 => {
                        // Most damage in the header, where it matters.
                        let within = if rng.below(2) == 0 { 4000 } else { usize::MAX };
                        let at = rng.below(bad.len().min(within));
                        bad[at] ^= 1 << rng.below(8);
                    }
                    2 => {
                        let at = rng.below(bad.len());
                        bad.insert(at, rng.next_u64() as u8);
                    }
                    _ => {
                        let at = rng.below(bad.len());
                        let end = (at + 1 + rng.below(40)).min(bad.len());
                        bad.drain(at..end);
                    }
                }
                match read(&bad) {
                    // A changed digit or coefficient can still be a valid model: it must then
                    // predict.
                    Ok(m) => {
                        accepted += 1;
                        if m.reader().n_features() == test.n_features() {
                            let p = m.predict(test.x()).posterior;
                            assert!(p.as_slice().iter().all(|v| v.is_finite()));
                        }
                    }
                    Err(Error::ModelFile(message)) => assert!(!message.is_empty()),
                    Err(e) => assert!(!e.to_string().is_empty()),
                }
            }
        }
        assert!(
            accepted < 7500,
            "{accepted} of 15000 damaged files were accepted"
        );
    }

    #[test]
    fn a_newer_format_is_refused_by_name() {
        let data = simulate::mixture(0, 1, 10, 1);
        let text =
            String::from_utf8_lossy(&to_bytes(&of("lda", &data)).expect("serialises")).into_owned();
        assert!(text.contains("\\\"format\\\":1"));
        let bytes = to_bytes(&of("lda", &data)).expect("serialises");
        let needle = b"\\\"format\\\":1";
        let at = bytes
            .windows(needle.len())
            .position(|w| w == needle)
            .expect("there");
        let mut newer = bytes.clone();
        newer[at + needle.len() - 1] = b'9';
        assert!(read(&newer).unwrap_err().to_string().contains("newer"));
    }

    #[test]
    fn other_files_are_named_for_what_they_are_not() {
        for bytes in [&b""[..], b"x,y,class\n1,2,a\n", &[0xff; 64], &[0; 8]] {
            let e = read(bytes).unwrap_err().to_string();
            assert!(e.starts_with("not a usable model file"), "{e}");
        }
    }

    #[test]
    fn saving_replaces_the_file_whole() {
        let dir = std::env::temp_dir().join(format!("kernsieve-save-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("writable");
        let path = dir.join("m.ks");
        std::fs::write(&path, b"old").expect("writable");
        let data = simulate::mixture(0, 1, 10, 1);
        let m = of("lda", &data);
        save(&m, &path).expect("saves");
        assert_eq!(load(&path).expect("loads"), m);
        let left: Vec<_> = std::fs::read_dir(&dir).expect("readable").collect();
        assert_eq!(left.len(), 1);
        assert!(save(&m, &dir.join("no/such/folder/m.ks")).is_err());
        std::fs::remove_dir_all(&dir).expect("removable");
    }
}
