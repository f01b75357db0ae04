//! The journal of a comparison: one JSON line per result, so that an interrupted run continues
//! where it stopped.

use crate::failure::Failure;
use kernsieve::catalogue;
use kernsieve::checksum::Checksum;
use kernsieve::data::Dataset;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
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

/// The longest journal: a line has some 300 bytes.
const MOST_BYTES: u64 = 256 << 20;

/// More bytes than any model has.
const MOST_MODEL_BYTES: u64 = 1 << 50;

/// Whether there is a method of this name, or it is the choice of one.
fn is_method(name: &str) -> bool {
    name == "auto" || catalogue::find(name).is_ok()
}

impl Outcome {
    /// The field that cannot be, if there is one.
    fn odd(&self) -> Option<&'static str> {
        let time = |s: f64| (0.0..1e12).contains(&s);
        let positive = |v: Option<f64>| v.is_none_or(|v| v >= 0.0 && v.is_finite());
        let checks = [
            // Shares are sums of weights: rounding may add a little.
            ("error", (0.0..=1.0 + 1e-9).contains(&self.error)),
            (
                "retained_percent",
                (0.0..=100.0 + 1e-6).contains(&self.retained_percent),
            ),
            ("seconds", time(self.seconds)),
            ("predict_seconds", time(self.predict_seconds)),
            ("bandwidth", positive(self.bandwidth)),
            ("ridge", positive(self.ridge)),
            ("sparsity", positive(self.sparsity)),
            (
                "model_bytes",
                self.model_bytes.is_none_or(|b| b < MOST_MODEL_BYTES),
            ),
            ("method", is_method(&self.method)),
            ("chosen", self.chosen.as_deref().is_none_or(is_method)),
        ];
        checks
            .iter()
            .find(|(_, sound)| !sound)
            .map(|(field, _)| *field)
    }
}

/// An open journal. Nobody else writes to it: it is locked until it is dropped, however that comes
/// about.
pub struct Journal {
    file: File,
    path: String,
    /// Bytes of whole lines.
    length: u64,
}

impl Journal {
    /// Opens or starts a journal and returns the results it holds, each once. A last line that was
    /// cut off by an interruption is removed.
    pub fn open(path: &Path, fingerprint: &str) -> Result<(Self, Vec<Outcome>), Failure> {
        let name = path.display().to_string();
        let io = |e: std::io::Error| Failure::CouldNot(format!("{name}: {e}"));
        let failed = |what: &str| Failure::CouldNot(format!("{name} {what}"));
        // A pipe would wait for somebody at its other end.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(failed(
                "is not a regular file; a journal is read and written",
            ));
        }
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(io)?;
        // Some file systems have no locks; then the user is trusted.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(failed(
                "is the journal of another kernsieve compare that is running; wait for it, or \
                 name another file",
            ));
        }
        let mut bytes = Vec::new();
        (&file)
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(failed("is too long for a journal; name another file"));
        }
        let Told {
            outcomes,
            whole,
            is_new,
        } = told(&bytes, fingerprint, &name)?;
        let mut journal = Self {
            file,
            path: name.clone(),
            length: whole as u64,
        };
        if (whole as u64) < bytes.len() as u64 {
            journal.file.set_len(journal.length).map_err(io)?;
        }
        if is_new {
            journal.write_line(&header(fingerprint))?;
        }
        Ok((journal, outcomes))
    }

    /// Adds a result; it is handed to the system when this returns.
    pub fn add(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        match outcome.odd() {
            Some(field) => Err(Failure::CouldNot(format!(
                "{} on split {} has no usable {field}: do all its test rows have weight 0?",
                outcome.method, outcome.split
            ))),
            None => self.write_line(outcome),
        }
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(value).map_err(std::io::Error::from)?;
        line.push(b'\n');
        // One call for the whole line: an interruption leaves it out or cuts it, and a cut line is
        // recognised.
        if let Err(e) = self.file.write_all(&line) {
            // A disk that is full may have taken a part.
            let _ = self.file.set_len(self.length);
            return Err(Failure::CouldNot(format!("{}: {e}", self.path)));
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// What the bytes of a journal say.
pub struct Told {
    /// The results, each once.
    pub outcomes: Vec<Outcome>,
    /// Bytes of whole lines; what follows was cut off.
    whole: usize,
    /// Whether not even the first line is there.
    is_new: bool,
}

/// Reads a journal that has the name `name` in messages.
pub fn told(bytes: &[u8], fingerprint: &str, name: &str) -> Result<Told, Failure> {
    let failed = |what: &str| Failure::CouldNot(format!("{name} {what}"));
    let foreign = || failed("is not a journal of kernsieve compare; name another file");
    let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    // A file without a whole line may only be overwritten if it is a first line that was cut off.
    let start = serde_json::to_vec(&header(fingerprint)).unwrap_or_default();
    if whole == 0 && !start.starts_with(bytes) {
        return Err(foreign());
    }
    let text = String::from_utf8_lossy(&bytes[..whole]);
    let mut lines = text.lines();
    let first = lines.next();
    if let Some(first) = first {
        let header: Header = serde_json::from_str(first).map_err(|_| foreign())?;
        if header.fingerprint != fingerprint {
            return Err(failed(
                "is the journal of other data or options; name another file, or remove it",
            ));
        }
    }
    let mut seen = HashSet::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (i, line) in lines.enumerate() {
        let wrong = |what: &dyn Display| {
            let line = i + 2;
            Failure::CouldNot(format!(
                "{name}, line {line}: {what}; remove the line to go on"
            ))
        };
        let outcome: Outcome = serde_json::from_str(line).map_err(|e| wrong(&e))?;
        if let Some(field) = outcome.odd() {
            return Err(wrong(&format!("the value of {field} cannot be")));
        }
        if seen.insert((outcome.split, outcome.method.clone())) {
            outcomes.push(outcome);
        }
    }
    Ok(Told {
        outcomes,
        whole,
        is_new: first.is_none(),
    })
}

/// A fingerprint of the data and of everything else that results depend on.
pub fn fingerprint(data: &Dataset, settings: &str) -> String {
    let mut sum = Checksum::default();
    sum.add(settings.as_bytes());
    data.x()
        .as_slice()
        .iter()
        .for_each(|v| sum.add(&v.to_bits().to_le_bytes()));
    data.labels()
        .codes()
        .iter()
        .for_each(|&c| sum.add(&(c as u64).to_le_bytes()));
    let weights = data.weights().into_iter().flatten().map(|w| w.to_bits());
    let blocks = data.blocks().into_iter().flatten().map(|&g| g as u64);
    let numbers = weights.chain(blocks);
    numbers.for_each(|v| sum.add(&v.to_le_bytes()));
    let names = data.labels().classes().iter().chain(data.feature_names());
    names.for_each(|s| {
        sum.add(s.as_bytes());
        sum.add(&[0]);
    });
    format!("{:016x}", sum.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(split: u32) -> Outcome {
        Outcome {
            split,
            method: "lda".into(),
            error: 0.1 + f64::from(split) / 4.0,
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
    fn what_cannot_be_is_refused_with_its_line_and_what_stands_twice_counts_once() {
        let dir = tempfile::tempdir().expect("writable");
        let path = dir.path().join("journal");
        let Ok((mut j, _)) = Journal::open(&path, "abc") else {
            panic!("opens")
        };
        // Locked as long as it is open.
        let Err(e) = Journal::open(&path, "abc") else {
            panic!("two writers")
        };
        assert!(e.to_string().contains("running"), "{e}");
        assert!(j.add(&outcome(0)).is_ok());
        let odd = Outcome {
            error: f64::NAN,
            ..outcome(1)
        };
        assert!(j.add(&odd).is_err());
        drop(j);
        let text = std::fs::read_to_string(&path).expect("readable");
        let line = text.lines().nth(1).expect("a result");
        std::fs::write(&path, format!("{text}{line}\n")).expect("writable");
        assert!(Journal::open(&path, "abc").is_ok_and(|(_, seen)| seen == [outcome(0)]));
        for (field, value) in [
            ("error", "1.5"),
            ("error", "-1"),
            ("retained_percent", "101"),
            ("seconds", "-3"),
            ("ridge", "-1"),
            ("method", "\"ldaa\""),
            ("model_bytes", "18446744073709551615"),
        ] {
            let (start, rest) = line.split_once(&format!("\"{field}\":")).expect("there");
            let rest = &rest[rest.find([',', '}']).expect("more")..];
            let odd = format!("{text}{start}\"{field}\":{value}{rest}\n");
            std::fs::write(&path, &odd).expect("writable");
            let Err(e) = Journal::open(&path, "abc") else {
                panic!("{field} {value}")
            };
            let e = e.to_string();
            assert!(e.contains("line 3") && e.contains(field), "{e}");
            assert_eq!(std::fs::read_to_string(&path).expect("readable"), odd);
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
