//! Parquet files to be scored: some rows of every column at a time.

use crate::columns::Cells;
use crate::encode::Encoder;
use crate::error::{ReadError, Spot};
use crate::matching::Matching;
use crate::options::ScoringOptions;
use crate::parquet::{ColumnStream, ParquetFile, empty_cells};
use crate::scoring::{Place, RowSource};
use kernsieve::data::Schema;

/// Values that are decoded at a time, over all columns.
const DECODED: usize = 1 << 20;

/// Rows of a Parquet file.
pub(crate) struct GroupSource {
    file: ParquetFile,
    matching: Matching,
    /// For every column of the schema, whether it is read as text.
    as_text: Vec<bool>,
    /// Rows that are decoded at a time.
    step: usize,
    group: Group,
    next_group: usize,
    rows_before: usize,
}

/// The row group at hand.
#[derive(Default)]
struct Group {
    streams: Vec<(Role, ColumnStream)>,
    decoded: Decoded,
    /// Rows that are not decoded yet.
    left: usize,
}

/// What a column is for.
#[derive(Clone, Copy)]
enum Role {
    /// This column of the schema.
    Feature(usize),
    Label,
    /// This one of the columns that are passed on.
    Kept(usize),
}

/// Some rows of all columns.
#[derive(Default)]
struct Decoded {
    /// None for a column that is absent.
    columns: Vec<Option<Cells>>,
    labels: Option<Cells>,
    kept: Vec<Cells>,
    rows: usize,
    next: usize,
}

impl GroupSource {
    pub(crate) fn open(
        name: &str,
        file: ParquetFile,
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        let matching = Matching::by_name(name, file.names(), schema, options)?;
        let as_text = schema.columns.iter().zip(&matching.columns);
        let as_text =
            as_text.map(|(c, j)| c.kind.is_categorical() || j.is_some_and(|j| file.is_text(j)));
        let columns = matching.columns.len() + matching.keep.len() + 1;
        Ok(Self {
            as_text: as_text.collect(),
            step: (DECODED / columns).clamp(1, 1 << 14),
            file,
            matching,
            group: Group::default(),
            next_group: 0,
            rows_before: 0,
        })
    }

    pub(crate) fn with_labels(&self) -> bool {
        self.matching.target.is_some()
    }

    fn begin_group(&self, group: usize) -> Result<Group, ReadError> {
        let features = self.matching.columns.iter().enumerate();
        let features = features.filter_map(|(j, place)| Some((Role::Feature(j), (*place)?)));
        let label = self.matching.target.map(|place| (Role::Label, place));
        let kept = self.matching.keep.iter().enumerate();
        let kept = kept.map(|(k, place)| (Role::Kept(k), *place));
        let begin = |(role, place)| Ok((role, self.file.begin(group, place)?));
        Ok(Group {
            streams: features
                .chain(label)
                .chain(kept)
                .map(begin)
                .collect::<Result<_, _>>()?,
            decoded: Decoded::default(),
            left: self.file.group_rows(group),
        })
    }

    /// Decodes the next rows of the group.
    fn decode(&mut self) -> Result<(), ReadError> {
        self.rows_before += self.group.decoded.rows;
        let rows = self.step.min(self.group.left);
        let mut decoded = Decoded {
            rows,
            kept: self
                .matching
                .keep
                .iter()
                .map(|_| empty_cells(true))
                .collect(),
            ..Decoded::default()
        };
        decoded
            .columns
            .resize_with(self.matching.columns.len(), || None);
        for (role, stream) in &mut self.group.streams {
            let text = match role {
                Role::Feature(j) => self.as_text[*j],
                Role::Label | Role::Kept(_) => true,
            };
            let mut cells = empty_cells(text);
            stream.read(rows, &mut cells)?;
            match role {
                Role::Feature(j) => decoded.columns[*j] = Some(cells),
                Role::Label => decoded.labels = Some(cells),
                Role::Kept(k) => decoded.kept[*k] = cells,
            }
        }
        self.group.left -= rows;
        self.group.decoded = decoded;
        Ok(())
    }
}

impl RowSource for GroupSource {
    fn next(&mut self, encoder: &mut Encoder, out: &mut [f64]) -> Result<Option<Place>, ReadError> {
        while self.group.decoded.next == self.group.decoded.rows {
            if self.group.left > 0 {
                self.decode()?;
            } else if self.next_group < self.file.n_row_groups() {
                let rows = std::mem::take(&mut self.group).decoded.rows;
                self.rows_before += rows;
                self.group = self.begin_group(self.next_group)?;
                self.next_group += 1;
            } else {
                return Ok(None);
            }
        }
        let decoded = &mut self.group.decoded;
        let row = decoded.next;
        decoded.next += 1;
        let spot = Spot::Row(self.rows_before + row);
        for (j, cells) in decoded.columns.iter().enumerate() {
            match cells {
                None => {}
                Some(Cells::Text(text)) => match text.get(row) {
                    Some(level) => encoder.text(j, level.as_bytes(), out, spot),
                    None => encoder.missing(j, out, spot),
                },
                Some(Cells::Numbers(numbers)) => encoder.number(j, numbers.values[row], out, spot),
                Some(Cells::Sparse(_)) => {}
            }
        }
        let label = match &decoded.labels {
            Some(Cells::Text(text)) => text.get(row).map(str::to_string),
            _ => None,
        };
        let kept = decoded.kept.iter().map(|cells| match cells {
            Cells::Text(text) => text.get(row).unwrap_or_default().to_string(),
            _ => String::new(),
        });
        Ok(Some(Place {
            spot,
            label,
            kept: kept.collect(),
        }))
    }

    fn kept(&self) -> Vec<String> {
        let names = self.file.names();
        self.matching
            .keep
            .iter()
            .map(|&i| names[i].clone())
            .collect()
    }

    fn notices(&self) -> Vec<String> {
        self.matching.notices.clone()
    }
}
