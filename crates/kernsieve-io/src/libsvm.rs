//! LIBSVM and svmlight: `label index:value index:value ... # comment`.

use crate::cell;
use crate::columns::{Cells, Sparse, Text};
use crate::error::{ReadError, bytes, count, show};
use crate::names::{Plan, Role};
use crate::options::ReadOptions;
use crate::records::{Declared, DefaultTarget};
use crate::source::Source;
use crate::table::{Holds, RawColumn, RawTable, Spots};
use crate::text::TextInput;

/// Name of the labels, since the file does not name them.
pub(crate) const TARGET: &str = "label";

const LARGEST_INDEX: usize = u32::MAX as usize;

/// A LIBSVM file as a stream of rows.
pub(crate) struct LibsvmRows<'a> {
    input: TextInput<'a>,
    label: Option<Vec<u8>>,
    pairs: Vec<(usize, f64)>,
}

/// One row: its line, its label if it has one, and its features by ascending index.
pub(crate) struct SparseRow<'r> {
    pub(crate) line: usize,
    pub(crate) label: Option<&'r [u8]>,
    pub(crate) pairs: &'r [(usize, f64)],
}

impl<'a> LibsvmRows<'a> {
    pub(crate) fn open(mut input: TextInput<'a>) -> Result<Self, ReadError> {
        input.check_text()?;
        Ok(Self {
            input,
            label: None,
            pairs: Vec::new(),
        })
    }

    pub(crate) fn file(&self) -> &str {
        self.input.name()
    }

    /// The next line that is not blank or a comment.
    pub(crate) fn next_row(&mut self) -> Result<Option<SparseRow<'_>>, ReadError> {
        let Self {
            input,
            label,
            pairs,
        } = self;
        let file = input.name().to_string();
        loop {
            let Some((number, text)) = input.next_line()? else {
                return Ok(None);
            };
            let text = content(text);
            if text.is_empty() {
                continue;
            }
            parse_line(text, label, pairs).map_err(|(message, hint)| {
                ReadError::new(&file, message).line(number).hint(hint)
            })?;
            return Ok(Some(SparseRow {
                line: number,
                label: label.as_deref(),
                pairs,
            }));
        }
    }
}

type Refusal = (String, &'static str);

fn parse_line(
    text: &[u8],
    label: &mut Option<Vec<u8>>,
    pairs: &mut Vec<(usize, f64)>,
) -> Result<(), Refusal> {
    *label = None;
    pairs.clear();
    let mut sorted = true;
    for (i, token) in text
        .split(u8::is_ascii_whitespace)
        .filter(|t| !t.is_empty())
        .enumerate()
    {
        let malformed = || {
            (
                format!("{} is not index:value", show(&cell::decode(token))),
                "A line is: label index:value index:value ...",
            )
        };
        let Some(colon) = token.iter().position(|&b| b == b':') else {
            if i > 0 {
                return Err(malformed());
            }
            if token.contains(&b',') {
                return Err((
                    format!("the line has several labels ({})", cell::decode(token)),
                    "Give every row one label; rows that belong to several classes cannot be used.",
                ));
            }
            *label = Some(token.to_vec());
            continue;
        };
        let (index, value) = (&token[..colon], &token[colon + 1..]);
        if index == b"qid" {
            continue;
        }
        let digits = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
        let index = std::str::from_utf8(index)
            .ok()
            .filter(|_| digits)
            .ok_or_else(malformed)?;
        let index = index
            .parse::<usize>()
            .ok()
            .filter(|&i| i <= LARGEST_INDEX)
            .ok_or_else(|| {
                (
                    format!("index {index} is larger than {LARGEST_INDEX}"),
                    "Number the features from 1.",
                )
            })?;
        let value = cell::parse_number(value).ok_or_else(malformed)?;
        if value.is_infinite() {
            return Err((
                format!(
                    "the value of feature {index} is not finite ({})",
                    cell::decode(&token[colon + 1..])
                ),
                "Correct the value, or leave it out.",
            ));
        }
        sorted &= pairs.last().is_none_or(|&(last, _)| last < index);
        pairs.push((index, value));
    }
    if !sorted {
        pairs.sort_by_key(|&(index, _)| index);
        if let Some(twice) = pairs.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err((
                format!("feature {} stands twice on the line", twice[0].0),
                "Give every feature one value.",
            ));
        }
    }
    Ok(())
}

/// The feature that a column name stands for, if it is `x<index>`.
pub(crate) fn index_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('x')?;
    let index = digits.parse().ok()?;
    (format!("{index}") == digits).then_some(index)
}

/// The lines of some rows, counted through all files, as the text of one file.
pub(crate) fn chosen_lines(sources: &[Source], rows: &[u64]) -> Result<Vec<u8>, ReadError> {
    let (mut text, mut at, mut wanted) = (Vec::new(), 0, rows.iter().peekable());
    for source in sources {
        let mut input = TextInput::new(&source.to_string(), crate::source::open(source)?)?;
        input.check_text()?;
        while let Some((_, line)) = input.next_line()? {
            if content(line).is_empty() {
                continue;
            }
            if wanted.next_if(|row| **row == at).is_some() {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            at += 1;
        }
    }
    Ok(text)
}

/// A line without comment and blanks.
fn content(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
    line[..end].trim_ascii()
}

/// Reads training data. Features are called `x<index>`, from `x0` if the index 0 occurs, from `x1`
/// otherwise.
pub(crate) fn read_table(
    input: TextInput<'_>,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let mut reader = LibsvmRows::open(input)?;
    let file = reader.file().to_string();
    if let Some(target) = options.target.as_deref().filter(|t| *t != TARGET) {
        return Err(ReadError::new(
            &file,
            format!("--target {target}: a LIBSVM file has its labels in front of each line"),
        )
        .hint("Leave --target out."));
    }
    let (mut target, mut lines) = (Text::default(), Vec::new());
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    while let Some(row) = reader.next_row()? {
        let Some(label) = row.label.or(options.no_target.then_some(b"")) else {
            return Err(ReadError::new(&file, "the line has no label")
                .line(row.line)
                .hint("Put the class in front of the features."));
        };
        if cell::is_missing(label) {
            target.push_missing();
        } else {
            target.push(label);
        }
        entries.extend(
            row.pairs
                .iter()
                .map(|&(index, value)| (index, lines.len(), value)),
        );
        lines.push(row.line);
    }
    let n_rows = lines.len();
    if n_rows == 0 {
        return Err(ReadError::new(&file, "there are no data rows"));
    }
    let Some(last) = entries.iter().map(|e| e.0).max() else {
        return Err(
            ReadError::new(&file, "no line has a feature").hint("A line is: label index:value ...")
        );
    };
    let first = usize::from(!entries.iter().any(|e| e.0 == 0));
    let width = last + 1 - first;
    // The matrix, and some room for the name of every feature.
    let needed = width as u64 * (8 * n_rows as u64 + 128);
    if needed > options.limit() {
        let message = format!(
            "{} with features up to index {last} need {} of memory, the limit is {}",
            count(n_rows, "row"),
            bytes(needed),
            bytes(options.limit())
        );
        return Err(ReadError::new(&file, message).hint(
            "Number the features without gaps, leave some out, use fewer rows, \
             or raise the limit with --memory.",
        ));
    }
    let mut columns: Vec<Sparse> = (0..width).map(|_| Sparse::default()).collect();
    for (index, row, value) in entries {
        columns[index - first].rows.push(row);
        columns[index - first].values.push(value);
    }
    let mut names: Vec<String> = (first..=last).map(|i| format!("x{i}")).collect();
    names.push(TARGET.into());
    let default = DefaultTarget {
        index: width,
        reason: "in front of each line",
    };
    let plan = Plan::new(&file, &names, options, &default)?;
    let columns = columns
        .into_iter()
        .enumerate()
        .filter(|(j, _)| plan.roles[*j] != Role::Dropped)
        .map(|(j, sparse)| {
            let forced = plan.roles[j] == Role::Categorical;
            RawColumn {
                name: names[j].clone(),
                cells: if plan.roles[j].is_text() {
                    as_text(&sparse, n_rows)
                } else {
                    Cells::Sparse(sparse)
                },
                declared: Declared::Number,
                forced,
                taken: plan.taken[j],
                holds: Holds::Number,
            }
        })
        .collect();
    Ok(RawTable {
        file,
        columns,
        target_name: TARGET.into(),
        target,
        weights_name: plan.weights,
        blocks_name: plan.blocks,
        spots: Spots::Lines(lines),
        n_rows,
        notices: Vec::new(),
    })
}

/// A column of codes, as text.
fn as_text(sparse: &Sparse, n_rows: usize) -> Cells {
    let mut text = Text::default();
    let mut next = 0;
    for row in 0..n_rows {
        let value = if sparse.rows.get(next) == Some(&row) {
            next += 1;
            sparse.values[next - 1]
        } else {
            0.0
        };
        if value.is_nan() {
            text.push_missing();
        } else {
            text.push(value.to_string().as_bytes());
        }
    }
    Cells::Text(text)
}
