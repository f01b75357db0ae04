//! What a fit reads: one file at once, or one or several in passes.

use crate::args::FitArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::view::terminal::Terminal;
use kernsieve::tuning::{Control, for_people};
use kernsieve_io::{RowFiles, Source, TrainingData, read_training};
use std::path::{Path, PathBuf};

/// Rows at hand, from which columns and settings are learnt, at most.
const AT_HAND: usize = 100_000;
/// Share of the memory that the features of the rows at hand may take, once: they are copied several
/// times while settings are tuned.
const SHARE_AT_HAND: u64 = 32;
/// Memory that a fit of a file takes, in sizes of the file: its text, cells, features and a scaled
/// copy. Parquet and packed files hold several times their size.
const TIMES_ITS_SIZE: (u64, u64) = (4, 12);
/// Endings of files of rows.
const ENDINGS: [&str; 7] = ["csv", "tsv", "txt", "parquet", "libsvm", "svmlight", "arff"];

/// Rows at hand, and all of them where these are more.
pub struct Input {
    /// The file, or the first of several.
    pub source: Source,
    /// How the files are called.
    pub name: String,
    /// The rows at hand.
    pub data: TrainingData,
    /// Where the rows are read in passes.
    pub files: Option<RowFiles>,
}

/// Reads the rows of a fit.
pub fn read(args: &FitArgs, streams: bool, terminal: &Terminal<'_>) -> Result<Input, Failure> {
    let sources = sources(args)?;
    let name = match sources.as_slice() {
        [one] => one.to_string(),
        [first, ..] => format!("{first} and {} more", sources.len() - 1),
        [] => String::new(),
    };
    let source = sources[0].clone();
    let many = sources.len() > 1;
    let long = !many && !args.stream && streams && is_long(&sources[0], args);
    if !(many || args.stream || long) {
        return Ok(Input {
            data: read_training(&source, &args.data.read_options())?,
            source,
            name,
            files: None,
        });
    }
    if args.holdout.is_some() {
        return Err(Failure::Usage(
            "--holdout needs the rows in memory, and these are read in passes; name rows to measure \
             the error on with --test"
                .into(),
        ));
    }
    if long {
        terminal.notices(&[format!(
            "{name} may need more than the {} of memory that may be used, so it is read in passes",
            for_people(memory(args))
        )]);
    }
    let progress = terminal.progress(&format!("reading {name}"));
    let read = survey(args, &sources, &progress);
    progress.finish();
    let (files, data) = read?;
    let (held, all) = (data.dataset.n_samples(), files.rows());
    let whole = held as u64 == all;
    if !streams && !whole {
        return Err(Failure::CouldNot(format!(
            "{} needs all rows at once, and {name} has {all} rows, of which {held} may be held; \
             lda, l1-dkf, sieve, and smkda and klr with --candidates read them in passes",
            args.method.name(),
        )));
    }
    let passes = streams && (args.stream || !whole);
    Ok(Input {
        source,
        name,
        data,
        files: passes.then_some(files),
    })
}

/// The first passes: labels of all rows, and the rows at hand.
fn survey(
    args: &FitArgs,
    sources: &[Source],
    progress: &Progress,
) -> Result<(RowFiles, TrainingData), Failure> {
    let options = args.data.read_options();
    let seed = args.options.protocol.seed;
    let bytes = memory(args) / SHARE_AT_HAND;
    let seen = |rows: u64| progress.steps(rows, 0);
    let mut files = RowFiles::survey(sources, &options, AT_HAND, bytes, seed, seen)?;
    let mut data = files.sample()?;
    data.notices.splice(0..0, files.notices().iter().cloned());
    Ok((files, data))
}

/// Memory that may be used, in bytes.
fn memory(args: &FitArgs) -> u64 {
    let control = match args.data.file.memory {
        Some(bytes) => Control::new().memory_limit(bytes),
        None => Control::new(),
    };
    control.memory_bytes()
}

/// Whether a file may take more memory than there is when it is read at once.
fn is_long(source: &Source, args: &FitArgs) -> bool {
    let Source::Path(path) = source else {
        return false;
    };
    let regular = std::fs::metadata(path).ok().filter(|m| m.is_file());
    let Some(bytes) = regular.map(|m| m.len()) else {
        return false;
    };
    let packed = ["gz", "parquet"].map(|e| path.extension().is_some_and(|own| own == e));
    let times = match packed.contains(&true) {
        true => TIMES_ITS_SIZE.1,
        false => TIMES_ITS_SIZE.0,
    };
    bytes.saturating_mul(times) > memory(args)
}

/// The files that are named: as they are, those of a folder, or those that fit a pattern, which a
/// shell may have left as it is.
fn sources(args: &FitArgs) -> Result<Vec<Source>, Failure> {
    let mut sources = vec![];
    for named in std::iter::once(&args.data.file.data).chain(&args.more) {
        let files = match named {
            path if path.is_dir() => of_folder(path, is_rows)?,
            path if !path.exists() && has_wildcard(path) => {
                let pattern = name_of(path);
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
                let files = of_folder(folder.unwrap_or(Path::new(".")), |n| fits(&pattern, n))?;
                let beside = |file: PathBuf| path.with_file_name(name_of(&file));
                files.into_iter().map(beside).collect()
            }
            path => vec![path.clone()],
        };
        if files.is_empty() {
            let missing = match named.is_dir() {
                true => "the directory has no file of rows",
                false => "no file of rows fits the pattern",
            };
            return Err(Failure::CouldNot(format!(
                "{}: {missing} ({})",
                named.display(),
                ENDINGS.join(", ")
            )));
        }
        sources.extend(files.iter().map(Source::from_arg));
    }
    Ok(sources)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into()
}

fn has_wildcard(path: &Path) -> bool {
    name_of(path).contains(['*', '?'])
}

/// Files of a folder by name.
fn of_folder(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let could_not = |e: std::io::Error| Failure::CouldNot(format!("{}: {e}", folder.display()));
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).map_err(could_not)? {
        let path = entry.map_err(could_not)?.path();
        let name = name_of(&path);
        if path.is_file() && !name.starts_with(['.', '_']) && wanted(&name) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file of this name holds rows.
fn is_rows(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Whether a name fits a pattern, in which `*` is any text and `?` one character.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Whether the rest of the pattern fits the name from here on, for every place in the name.
    let mut rest = vec![false; name.len() + 1];
    rest[name.len()] = true;
    for p in pattern.iter().rev() {
        let mut next = vec![false; name.len() + 1];
        for i in (0..=name.len()).rev() {
            next[i] = match p {
                '*' => rest[i] || (i < name.len() && next[i + 1]),
                '?' => i < name.len() && rest[i + 1],
                c => i < name.len() && name[i] == *c && rest[i + 1],
            };
        }
        rest = next;
    }
    rest[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_endings() {
        for (pattern, name, expected) in [
            ("part-*.csv", "part-01.csv", true),
            ("part-*.csv", "part-.csv", true),
            ("part-*.csv", "part-1.csv.gz", false),
            ("p?rt*", "part", true),
            ("p?rt", "prt", false),
            ("*", "", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert!(is_rows("a.CSV") && is_rows("a.csv.gz") && is_rows("b.parquet"));
        assert!(!is_rows("README.md") && !is_rows("csv"));
    }
}
