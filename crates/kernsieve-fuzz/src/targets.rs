//! What is given damaged inputs, and what must hold of what it accepts.

use crate::mutate;
use crate::seeds;
use kernsieve::data::{Rng, Schema};
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve_io::{
    Encode, Missing, ReadOptions, ScoringOptions, ScoringReader, Source, TargetColumn,
    read_training,
};
use kernsieve_onnx::{Precision, to_onnx};
use std::ffi::OsString;

/// Memory that readers of data may use: small, so that what ignores it shows.
const MEMORY: u64 = 1 << 24;

/// A reader, the sound inputs that are damaged for it, and how.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    seeds: Vec<Vec<u8>>,
    damage: fn(&[u8], &mut Rng) -> Vec<u8>,
    /// Gives it an input; the answer is whether it was accepted. Panics if what must hold does not.
    read: fn(&[u8], &mut Rng, &Target) -> bool,
    /// Columns of the sound inputs, for rows to be predicted.
    schemas: Vec<Schema>,
}

impl Target {
    /// The damaged input of this number, and the random numbers that go on from there.
    pub fn input(&self, seed: u64, number: u64) -> (Vec<u8>, Rng) {
        let own: u64 = self.name.bytes().map(u64::from).sum();
        let mut rng = Rng::stream(seed.wrapping_mul(1009).wrapping_add(own), number);
        let from = &self.seeds[rng.below(self.seeds.len())];
        let input = (self.damage)(from, &mut rng);
        (input, rng)
    }

    /// Gives the reader an input; the answer is whether it was accepted.
    pub fn read(&self, input: &[u8], rng: &mut Rng) -> bool {
        (self.read)(input, rng, self)
    }
}

/// All targets.
pub fn all() -> Result<Vec<Target>, Box<dyn std::error::Error>> {
    let owned = |texts: &[&str]| texts.iter().map(|t| t.as_bytes().to_vec()).collect();
    let tables = |name: &'static str, seeds: Vec<Vec<u8>>, damage| Target {
        name,
        schemas: seeds.iter().filter_map(|s| schema_of(name, s)).collect(),
        seeds,
        damage,
        read: table,
    };
    let plain = |name, seeds, damage, read| Target {
        name,
        seeds,
        damage,
        read,
        schemas: vec![],
    };
    let packed: Result<Vec<_>, _> = seeds::CSV
        .iter()
        .map(|t| seeds::gzip(t.as_bytes()))
        .collect();
    let models = seeds::models()?;
    let unsealed = models.iter().map(|m| mutate::unsealed(m));
    let models = models.iter().cloned().chain(unsealed).collect();
    Ok(vec![
        plain("model", models, mutate::model, model),
        tables("csv", owned(seeds::CSV), |b, r| {
            mutate::bytes(b, CSV_WORDS, r)
        }),
        tables("gzip", packed?, |b, r| mutate::bytes(b, &[], r)),
        tables("arff", owned(seeds::ARFF), |b, r| {
            mutate::bytes(b, ARFF_WORDS, r)
        }),
        tables("libsvm", owned(seeds::LIBSVM), |b, r| {
            mutate::bytes(b, &["qid:", "1:", "99999999:1", "#"], r)
        }),
        tables("parquet", seeds::parquet()?, |b, r| {
            mutate::bytes(b, &["PAR1"], r)
        }),
        plain(
            "journal",
            owned(seeds::JOURNAL),
            |b, r| mutate::bytes(b, &["null", "\"split\":", "{", "}\n"], r),
            journal,
        ),
        plain("options", owned(seeds::OPTIONS), words_of, options),
    ])
}

const CSV_WORDS: &[&str] = &[
    "NA",
    "\"\"",
    "\"",
    "\r\n",
    "\u{feff}",
    "true",
    "2024-02-30",
    "1,5",
    "é",
    "𝒳",
];
const ARFF_WORDS: &[&str] = &[
    "@attribute",
    "@data\n",
    "@relation",
    "{",
    "}",
    "'",
    "real",
    "date",
    "string",
    "?",
];

/// The name of a file for a target: its extension tells the format.
fn file_name(target: &str, rng: &mut Rng) -> &'static str {
    match target {
        "csv" if rng.below(4) == 0 => "t",
        "csv" if rng.below(8) == 0 => "t.tsv",
        "gzip" => "t.csv.gz",
        "arff" => "t.arff",
        "libsvm" => "t.svm",
        "parquet" => "t.parquet",
        _ => "t.csv",
    }
}

fn source(name: &str, bytes: &[u8]) -> Source {
    Source::Bytes {
        name: name.into(),
        bytes: bytes.to_vec(),
    }
}

fn schema_of(target: &str, bytes: &[u8]) -> Option<Schema> {
    let options = ReadOptions {
        missing: Missing::Mean,
        rare: Some(1),
        ..ReadOptions::default()
    };
    let source = source(file_name(target, &mut Rng::new(1)), bytes);
    Some(read_training(&source, &options).ok()?.schema)
}

/// Reads a table to train on and to predict. What is accepted is finite and of one size.
fn table(input: &[u8], rng: &mut Rng, target: &Target) -> bool {
    let source = source(file_name(target.name, rng), input);
    let missing = [
        Missing::Mean,
        Missing::Drop,
        Missing::Indicator,
        Missing::Error,
    ];
    let options = ReadOptions {
        missing: missing[rng.below(4)],
        encode: [Encode::OneHot, Encode::Target][rng.below(2)],
        rare: [None, Some(1), Some(2)][rng.below(3)],
        decimal_comma: rng.below(4) == 0,
        no_header: rng.below(8) == 0,
        target: (rng.below(8) == 0).then(|| "0".into()),
        memory_limit: Some(MEMORY),
        ..ReadOptions::default()
    };
    let read = read_training(&source, &options);
    if let Ok(data) = &read {
        assert_eq!(data.dataset.n_samples(), data.rows.len());
        assert_eq!(data.dataset.n_features(), data.schema.n_features());
        let values = data.dataset.x().as_slice();
        assert!(
            values.iter().all(|v| v.is_finite()),
            "a number is not finite"
        );
    }
    let Some(schema) = target.schemas.get(rng.below(target.schemas.len().max(1))) else {
        return read.is_ok();
    };
    let options = ScoringOptions {
        missing: Some(Missing::Mean),
        target: TargetColumn::IfPresent,
        block_rows: 7,
        memory_limit: Some(MEMORY),
        ..ScoringOptions::default()
    };
    if let Ok(reader) = ScoringReader::open(&source, schema, &options) {
        for block in reader.map_while(Result::ok) {
            assert_eq!(block.x.cols(), schema.n_features());
            let values = block.x.as_slice();
            assert!(
                values.iter().all(|v| v.is_finite()),
                "a number is not finite"
            );
        }
    }
    read.is_ok()
}

/// Reads a model. One that is accepted predicts, shows itself, and is written and read again.
fn model(input: &[u8], rng: &mut Rng, _: &Target) -> bool {
    let Ok(model) = model_file::read(input) else {
        return false;
    };
    let p = model.schema.n_features();
    // A file of a few kilobytes holds no more features than this, but it may name them.
    assert!(p <= input.len(), "more features than bytes");
    let x = Matrix::from_fn(3, p, |i, _| match i {
        0 => 0.0,
        1 => rng.normal(),
        _ => 1e12 * rng.normal(),
    });
    check_probabilities(&model, &x);
    let again = model_file::to_bytes(&model);
    let again = again.and_then(|bytes| model_file::read(&bytes));
    assert!(again.is_ok_and(|m| m == model), "is not read as written");
    assert!(!kernsieve_cli::untrusted::inspected(&model).is_empty());
    // What a graph cannot hold is refused.
    let _ = to_onnx(&model, Precision::F64);
    true
}

/// Probabilities are finite and add up to 1.
fn check_probabilities(model: &Model, x: &Matrix) {
    let found = model.predict(x);
    assert_eq!(found.classes.len(), x.rows());
    if model.is_density() {
        return;
    }
    for row in found.posterior.iter_rows() {
        let sum: f64 = row.iter().sum();
        let sound = row.iter().all(|p| (0.0..=1.0).contains(p)) && (sum - 1.0).abs() < 1e-9;
        assert!(sound, "probabilities {row:?}");
    }
    let classes = model.classes.len();
    assert!(found.classes.iter().all(|c| *c < classes));
}

fn journal(input: &[u8], _: &mut Rng, _: &Target) -> bool {
    kernsieve_cli::untrusted::journal(input, seeds::FINGERPRINT).is_ok()
}

/// A command line with other options: words are changed, lost, repeated, put in from the list of
/// all flags, and given other values.
fn words_of(line: &[u8], rng: &mut Rng) -> Vec<u8> {
    use std::sync::LazyLock;
    static FLAGS: LazyLock<Vec<String>> = LazyLock::new(kernsieve_cli::untrusted::flags);
    let line = String::from_utf8_lossy(line);
    let mut words: Vec<Vec<u8>> = line.split(' ').map(|w| w.as_bytes().to_vec()).collect();
    for _ in 0..mutate::changes(rng) {
        let at = 1 + rng.below(words.len());
        match rng.below(6) {
            0 if at < words.len() => drop(words.remove(at)),
            1 if at < words.len() => words[at] = mutate::bytes(&words[at], &[","], rng),
            2 if at < words.len() => words[at] = value(rng),
            3 if at < words.len() => words.insert(at, words[at].clone()),
            _ => {
                let flag = FLAGS[rng.below(FLAGS.len())].clone().into_bytes();
                words.splice(at..at, [flag, value(rng)]);
            }
        }
    }
    words.join(&b'\n')
}

/// A value of an option.
fn value(rng: &mut Rng) -> Vec<u8> {
    const WORDS: &[&str] = &[
        "gaussian",
        "cauchy",
        "lda",
        "auto",
        "spread",
        "common",
        "all",
        "uniform",
        "best:f1",
        "recall:0.5",
        "cost",
        "cv",
        "loo",
        "0.5,0.5",
        "1,2,3",
        ",",
        "1/0",
        "4G",
        "90s",
    ];
    let mut text = match rng.below(2) {
        0 => mutate::one_of(WORDS, rng).to_string(),
        _ => mutate::one_of(mutate::NUMBERS, rng).to_string(),
    };
    if rng.below(4) == 0 {
        text += ",";
        text += mutate::one_of(mutate::NUMBERS, rng);
    }
    text.into_bytes()
}

fn options(input: &[u8], _: &mut Rng, _: &Target) -> bool {
    let words = input.split(|b| *b == b'\n').map(|w| {
        let text = String::from_utf8_lossy(w);
        OsString::from(text.into_owned())
    });
    let words: Vec<OsString> = std::iter::once("kernsieve".into()).chain(words).collect();
    kernsieve_cli::untrusted::options(&words).is_ok()
}
