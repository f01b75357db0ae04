//! LIBSVM files to be scored: features are matched by index.

use crate::cell;
use crate::encode::Encoder;
use crate::error::{ReadError, Spot, count};
use crate::libsvm::{LibsvmRows, TARGET, index_of};
use crate::matching::quoted_list;
use crate::options::{ScoringOptions, TargetColumn};
use crate::scoring::{Place, RowSource};
use crate::text::TextInput;
use kernsieve::data::Schema;
use std::collections::{BTreeSet, HashMap};

/// Most distinct features to remember for the notice about features that the model does not know.
const MOST_REMEMBERED: usize = 1000;

/// Rows of a LIBSVM file.
pub(crate) struct SparseSource {
    rows: LibsvmRows<'static>,
    column_of: HashMap<usize, usize>,
    given: Vec<bool>,
    target: TargetColumn,
    with_labels: bool,
    unknown: BTreeSet<usize>,
}

impl SparseSource {
    pub(crate) fn open(
        input: TextInput<'static>,
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        // The first line shows whether there are labels.
        let with_labels =
            options.target != TargetColumn::Ignore && first_line_has_label(input.available());
        let rows = LibsvmRows::open(input)?;
        let mut column_of = HashMap::new();
        let mut unnumbered = Vec::new();
        for (j, c) in schema.columns.iter().enumerate() {
            match index_of(&c.name) {
                Some(index) => {
                    column_of.insert(index, j);
                }
                None => unnumbered.push(c.name.clone()),
            }
        }
        if !unnumbered.is_empty() {
            let message = format!(
                "the model needs {}, but a LIBSVM file has numbered features only (x1, x2, ...)",
                quoted_list("column", &unnumbered)
            );
            return Err(ReadError::new(rows.file(), message)
                .hint("Use a file with named columns, such as CSV."));
        }
        if !options.keep.is_empty() {
            return Err(ReadError::new(
                rows.file(),
                "--keep: a LIBSVM file has no named columns to carry through",
            )
            .hint("Leave --keep out, or use a file with named columns, such as CSV."));
        }
        if let Some(name) = options.target_name.as_deref().filter(|n| *n != TARGET) {
            let message =
                format!("--target {name}: a LIBSVM file has its labels in front of each line");
            return Err(ReadError::new(rows.file(), message).hint("Leave --target out."));
        }
        Ok(Self {
            rows,
            column_of,
            given: vec![false; schema.columns.len()],
            target: options.target,
            with_labels: with_labels || options.target == TargetColumn::Required,
            unknown: BTreeSet::new(),
        })
    }

    pub(crate) fn with_labels(&self) -> bool {
        self.with_labels
    }
}

fn first_line_has_label(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.split(|&b| b == b'\n' || b == b'\r')
        .filter_map(|line| line.split(|&b| b == b'#').next())
        .find_map(|line| line.split(u8::is_ascii_whitespace).find(|t| !t.is_empty()))
        .is_some_and(|token| !token.contains(&b':'))
}

impl RowSource for SparseSource {
    fn next(&mut self, encoder: &mut Encoder, out: &mut [f64]) -> Result<Option<Place>, ReadError> {
        let file = self.rows.file().to_string();
        let Some(row) = self.rows.next_row()? else {
            return Ok(None);
        };
        let spot = Spot::Line(row.line);
        if row.label.is_none() && self.target == TargetColumn::Required {
            return Err(ReadError::new(&file, "the line has no label")
                .at(spot)
                .hint("Put the class in front of the features."));
        }
        self.given.fill(false);
        for &(index, value) in row.pairs {
            match self.column_of.get(&index) {
                Some(&j) => {
                    self.given[j] = true;
                    encoder.number(j, value, out, spot);
                }
                None if index == 0 && self.column_of.contains_key(&1) => {
                    return Err(ReadError::new(
                        &file,
                        "the file counts its features from 0, the model's data from 1",
                    )
                    .at(spot)
                    .hint("Add 1 to the indices, or train on data that count from 0."));
                }
                None if self.unknown.len() < MOST_REMEMBERED => {
                    self.unknown.insert(index);
                }
                None => {}
            }
        }
        // A feature that a line leaves out is 0, which may be a category.
        for j in 0..encoder.n_columns() {
            if !self.given[j] && encoder.is_categorical(j) {
                encoder.text(j, b"0", out, spot);
            }
        }
        let label = row.label.filter(|l| !cell::is_missing(l));
        Ok(Some(Place {
            spot,
            label: label.map(|l| cell::decode(l).into_owned()),
            kept: vec![],
        }))
    }

    fn kept(&self) -> Vec<String> {
        vec![]
    }

    fn notices(&self) -> Vec<String> {
        let Some(first) = self.unknown.first() else {
            return Vec::new();
        };
        let some = if self.unknown.len() == MOST_REMEMBERED {
            "at least "
        } else {
            ""
        };
        vec![format!(
            "not used, as the model does not know them: {some}{} (the first is x{first})",
            count(self.unknown.len(), "feature")
        )]
    }
}
