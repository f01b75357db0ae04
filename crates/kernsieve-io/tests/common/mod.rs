//! What the tests share.
#![allow(dead_code, clippy::unwrap_used)]

use kernsieve::data::Schema;
use kernsieve_io::{
    ReadError, ReadOptions, ScoringBlock, ScoringOptions, ScoringReader, Source, TrainingData,
};

pub fn source(name: &str, text: impl AsRef<[u8]>) -> Source {
    Source::Bytes {
        name: name.into(),
        bytes: text.as_ref().to_vec(),
    }
}

pub fn train_with(
    name: &str,
    text: impl AsRef<[u8]>,
    options: impl FnOnce(&mut ReadOptions),
) -> Result<TrainingData, ReadError> {
    let mut chosen = ReadOptions::default();
    options(&mut chosen);
    kernsieve_io::read_training(&source(name, text), &chosen)
}

pub fn train(name: &str, text: impl AsRef<[u8]>) -> Result<TrainingData, ReadError> {
    train_with(name, text, |_| ())
}

/// The message of a file that must be refused.
pub fn refused(
    name: &str,
    text: impl AsRef<[u8]>,
    options: impl FnOnce(&mut ReadOptions),
) -> String {
    train_with(name, text, options).unwrap_err().to_string()
}

pub struct Scored {
    pub blocks: Vec<ScoringBlock>,
    pub notices: Vec<String>,
}

impl Scored {
    pub fn rows(&self) -> Vec<Vec<f64>> {
        self.blocks
            .iter()
            .flat_map(|b| b.x.iter_rows().map(<[f64]>::to_vec))
            .collect()
    }

    pub fn labels(&self) -> Option<Vec<String>> {
        self.blocks
            .iter()
            .map(|b| b.labels.clone())
            .collect::<Option<Vec<_>>>()
            .map(|l| l.concat())
    }
}

pub fn score_with(
    schema: &Schema,
    name: &str,
    text: impl AsRef<[u8]>,
    options: impl FnOnce(&mut ScoringOptions),
) -> Result<Scored, ReadError> {
    let mut chosen = ScoringOptions::default();
    options(&mut chosen);
    let mut reader = ScoringReader::open(&source(name, text), schema, &chosen)?;
    let blocks = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok(Scored {
        blocks,
        notices: reader.notices().to_vec(),
    })
}

pub fn rows(data: &TrainingData) -> Vec<Vec<f64>> {
    data.dataset.x().iter_rows().map(<[f64]>::to_vec).collect()
}

pub fn labels(data: &TrainingData) -> Vec<&str> {
    let l = data.dataset.labels();
    l.codes().iter().map(|&c| l.classes()[c].as_str()).collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
