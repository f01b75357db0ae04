//! What the tests share: a folder for each, the program run in it, and small data made from a seed.
#![allow(dead_code, clippy::unwrap_used)]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

pub static METHODS: LazyLock<Vec<&'static str>> = LazyLock::new(kernsieve::catalogue::names);

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    #[track_caller]
    fn of(args: &[&str], output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        for word in ["panicked", "RUST_BACKTRACE"] {
            assert!(!err.contains(word), "{args:?} panicked:\n{err}");
        }
        let code = output.status.code();
        Self {
            code: code.unwrap_or_else(|| panic!("{args:?} was ended by a signal:\n{err}")),
            out,
            err,
        }
    }

    /// The run did what was asked.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.err);
        self
    }

    /// Standard output is one JSON object, one line break, and nothing else.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.out.matches('\n').count(), 1, "{}", self.out);
        assert!(self.out.ends_with("}\n"), "{}", self.out);
        let value: Value = serde_json::from_str(&self.out).expect("JSON");
        assert!(value.is_object());
        value
    }

    /// Standard output as CSV without quotes: its header and its rows.
    #[track_caller]
    pub fn csv(&self) -> (Vec<String>, Vec<Vec<String>>) {
        csv(&self.out)
    }
}

/// A folder in which files are written and the program is run.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("writable"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    #[track_caller]
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("writable");
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The names of all files, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("readable");
        let name =
            |e: std::io::Result<std::fs::DirEntry>| e.expect("readable").file_name().into_string();
        let mut names: Vec<String> = entries.map(|e| name(e).expect("UTF-8")).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernsieve"));
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(args, self.command(args).output().expect("starts"))
    }

    /// Runs a line of arguments without blanks in them.
    #[track_caller]
    pub fn line(&self, line: &str) -> Run {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[track_caller]
    pub fn with_input(&self, line: &str, input: &[u8]) -> Run {
        let args: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.command(&args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        let mut pipe = child.stdin.take().expect("piped");
        pipe.write_all(input).expect("read to the end");
        drop(pipe);
        Run::of(&args, child.wait_with_output().expect("ends"))
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

/// Numbers between -1 and 1 (Knuth's linear congruential generator).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn value(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A CSV of two classes: `inner`, a disc, and `outer`, the square around it; the third feature is
/// noise.
pub fn disc(n: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("u,v,noise,class\n");
    for i in 0..n {
        let (u, v, noise) = (numbers.value(), numbers.value(), numbers.value());
        // The first rows contain both classes, however few rows there are.
        let shrink = if i % 2 == 0 { 0.4 } else { 1.0 };
        let (u, v) = (shrink * u, shrink * v);
        let class = if u.hypot(v) < 0.45 { "inner" } else { "outer" };
        text.push_str(&format!("{u},{v},{noise},{class}\n"));
    }
    text
}

/// `k` classes `c0`, `c1`, ... of `each` rows around different centres, with the features `a` and
/// `b`.
pub fn groups(k: usize, each: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("a,b,class\n");
    for i in 0..k * each {
        let c = i % k;
        let centre = (
            2.0 * (c % 37) as f64,
            2.0 * (c / 37) as f64 + (c % 3) as f64,
        );
        text.push_str(&format!(
            "{},{},c{c}\n",
            centre.0 + 0.5 * numbers.value(),
            centre.1 + 0.5 * numbers.value()
        ));
    }
    text
}

/// Columns of a CSV without quotes, in another order or fewer of them.
pub fn columns(text: &str, order: &[usize]) -> String {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        order
            .iter()
            .map(|&j| cells[j])
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    text.lines().map(row).collect()
}

#[track_caller]
pub fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let mut lines = text.lines().map(cells);
    let header = lines.next().expect("a header");
    (header, lines.collect())
}

/// The text has these parts; a part may be wrapped onto the next line.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    let joined = text.replace("\n         ", " ");
    for part in parts {
        assert!(
            text.contains(part) || joined.contains(part),
            "no {part:?} in:\n{text}"
        );
    }
}

/// A gzip file of one stored block (RFC 1951, 3.2.4; RFC 1952).
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("one block");
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    let crc = bytes.iter().fold(!0u32, |crc, &b| {
        (0..8).fold(crc ^ u32::from(b), |c, _| {
            if c & 1 == 1 {
                (c >> 1) ^ 0xedb8_8320
            } else {
                c >> 1
            }
        })
    });
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}
