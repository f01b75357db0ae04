//! The journal of a comparison: one JSON line per result, so that an interrupted run continues
//! where it stopped.

use crate::failure::Failure;
use kernsieve::data::Dataset;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// One method on one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// 0-based split.
    pub split: u32,
    /// Method name.
    pub method: String,
    /// Error on the held-out rows.
    pub error: f64,
    /// Retained rows, in percent of the training rows.
    pub retained_percent: f64,
    /// Features with a nonzero weight.
    pub features: usize,
    /// Seconds of tuning and fitting.
    pub seconds: f64,
    /// Seconds of predicting the held-out rows.
    pub predict_seconds: f64,
    /// Chosen bandwidth.
    pub bandwidth: Option<f64>,
    /// Chosen ridge.
    pub ridge: Option<f64>,
    /// Chosen L1 penalty.
    #[serde(default)]
    pub sparsity: Option<f64>,
    /// Bytes of the model file; journals of older versions do not have them.
    #[serde(default)]
    pub model_bytes: Option<u64>,
    /// The method that `auto` took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    kernsieve_journal: u32,
    fingerprint: String,
}

fn header(fingerprint: &str) -> Header {
    Header {
        kernsieve_journal: 1,
        fingerprint: fingerprint.into(),
    }
}

/// An open journal.
pub struct Journal {
    file: File,
    path: String,
}

impl Journal {
    /// Opens or starts a journal and returns the results it holds. A last line that was cut off by
    /// an interruption is removed.
    pub fn open(path: &Path, fingerprint: &str) -> Result<(Self, Vec<Outcome>), Failure> {
        let name = path.display().to_string();
        let io = |e: std::io::Error| Failure::CouldNot(format!("{name}: {e}"));
        let foreign = || {
            Failure::CouldNot(format!(
                "{name} is not a journal of kernsieve compare; name another file"
            ))
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        let bytes = std::fs::read(path).map_err(io)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        // A file without a whole line may only be overwritten if it is a first line that was cut
        // off.
        let start = serde_json::to_vec(&header(fingerprint)).unwrap_or_default();
        if whole == 0 && !start.starts_with(&bytes) {
            return Err(foreign());
        }
        let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
        let mut lines = text.lines();
        let mut outcomes = Vec::new();
        match lines.next() {
            None => {
                file.set_len(0).map_err(io)?;
                write_line(&mut file, &header(fingerprint)).map_err(io)?;
            }
            Some(first) => {
                let header: Header = serde_json::from_str(first).map_err(|_| foreign())?;
                if header.fingerprint != fingerprint {
                    return Err(Failure::CouldNot(format!(
                        "{name} is the journal of other data or options; name another file, or \
                         remove it"
                    )));
                }
                for (i, line) in lines.enumerate() {
                    let outcome = serde_json::from_str(line).map_err(|e| {
                        Failure::CouldNot(format!(
                            "{name}, line {}: {e}; remove the line to go on",
                            i + 2
                        ))
                    })?;
                    outcomes.push(outcome);
                }
                file.set_len(whole as u64).map_err(io)?;
            }
        }
        file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok((Self { file, path: name }, outcomes))
    }

    /// Adds a result; it is handed to the system when this returns.
    pub fn add(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        write_line(&mut self.file, outcome)
            .map_err(|e| Failure::CouldNot(format!("{}: {e}", self.path)))
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    // One call for the whole line: an interruption leaves it out or cuts it, and a cut line is
    // recognised.
    file.write_all(&line)?;
    file.flush()
}

/// A fingerprint of the data and of everything else that results depend on (FNV-1a, 64 bits).
pub fn fingerprint(data: &Dataset, settings: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for &b in bytes {
            hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(settings.as_bytes());
    data.x()
        .as_slice()
        .iter()
        .for_each(|v| add(&v.to_bits().to_le_bytes()));
    data.labels()
        .codes()
        .iter()
        .for_each(|&c| add(&(c as u64).to_le_bytes()));
    let weights = data.weights().into_iter().flatten().map(|w| w.to_bits());
    let blocks = data.blocks().into_iter().flatten().map(|&g| g as u64);
    weights.chain(blocks).for_each(|v| add(&v.to_le_bytes()));
    data.labels()
        .classes()
        .iter()
        .chain(data.feature_names())
        .for_each(|s| {
            add(s.as_bytes());
            add(&[0]);
        });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(split: u32) -> Outcome {
        Outcome {
            split,
            method: "lda".into(),
            error: 0.1 + f64::from(split) / 3.0,
            retained_percent: 0.0,
            features: 4,
            seconds: 0.5,
            predict_seconds: 0.1,
            bandwidth: None,
            ridge: Some(1e-3),
            sparsity: None,
            model_bytes: Some(1000 + u64::from(split)),
            chosen: None,
        }
    }

    #[test]
    fn goes_on_after_a_line_that_was_cut_off() {
        let dir = tempfile::tempdir().expect("writable");
        let path = dir.path().join("journal");
        let Ok((mut j, seen)) = Journal::open(&path, "abc") else {
            panic!("opens")
        };
        assert!(seen.is_empty());
        for i in 0..3 {
            assert!(j.add(&outcome(i)).is_ok());
        }
        drop(j);
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &bytes[..bytes.len() - 20]).expect("writable");
        let Ok((mut j, seen)) = Journal::open(&path, "abc") else {
            panic!("opens")
        };
        assert_eq!(seen, [outcome(0), outcome(1)]);
        assert!(j.add(&outcome(2)).is_ok());
        drop(j);
        assert_eq!(std::fs::read(&path).expect("readable"), bytes);
        assert!(Journal::open(&path, "other").is_err());
        for other in [
            "a,b\n1,2\n",
            "a note without a line break",
            "{\"kernsieve_journal\":2",
        ] {
            std::fs::write(&path, other).expect("writable");
            assert!(Journal::open(&path, "abc").is_err());
            assert_eq!(std::fs::read_to_string(&path).expect("readable"), other);
        }
        std::fs::write(&path, &bytes[..9]).expect("writable");
        assert!(Journal::open(&path, "abc").is_ok_and(|(_, seen)| seen.is_empty()));
    }
}
