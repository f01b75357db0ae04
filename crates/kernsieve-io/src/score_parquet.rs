//! Parquet files to be scored: one row group at a time.

use crate::columns::Cells;
use crate::encode::Encoder;
use crate::error::{ReadError, Spot};
use crate::matching::Matching;
use crate::options::ScoringOptions;
use crate::parquet::{ParquetFile, empty_cells};
use crate::scoring::{Place, RowSource};
use crate::text::TextInput;
use kernsieve::data::Schema;

/// Rows of a Parquet file.
pub(crate) struct GroupSource {
    file: ParquetFile,
    matching: Matching,
    /// For every column of the schema, whether it is read as text.
    as_text: Vec<bool>,
    group: Group,
    next_group: usize,
    rows_before: usize,
}

/// The columns of the current row group.
#[derive(Default)]
struct Group {
    /// None for a column that is absent.
    columns: Vec<Option<Cells>>,
    labels: Option<Cells>,
    kept: Vec<Cells>,
    rows: usize,
    next: usize,
}

impl GroupSource {
    pub(crate) fn open(
        input: TextInput<'static>,
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        let name = input.name().to_string();
        let file = ParquetFile::open(&name, input.into_bytes()?)?;
        let matching = Matching::by_name(&name, file.names(), schema, options)?;
        let as_text = schema.columns.iter().zip(&matching.columns);
        let as_text =
            as_text.map(|(c, j)| c.kind.is_categorical() || j.is_some_and(|j| file.is_text(j)));
        Ok(Self {
            as_text: as_text.collect(),
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

    fn read_group(&self, group: usize) -> Result<Group, ReadError> {
        let column = |(&place, &text): (&usize, &bool)| {
            let mut cells = empty_cells(text);
            self.file.read(group, place, &mut cells).map(|()| cells)
        };
        let columns = self.matching.columns.iter().zip(&self.as_text);
        let columns =
            columns.map(|(place, text)| place.as_ref().map(|p| column((p, text))).transpose());
        Ok(Group {
            columns: columns.collect::<Result<_, _>>()?,
            labels: self
                .matching
                .target
                .map(|place| column((&place, &true)))
                .transpose()?,
            kept: self
                .matching
                .keep
                .iter()
                .map(|place| column((place, &true)))
                .collect::<Result<_, _>>()?,
            rows: self.file.group_rows(group),
            next: 0,
        })
    }
}

impl RowSource for GroupSource {
    fn next(&mut self, encoder: &mut Encoder, out: &mut [f64]) -> Result<Option<Place>, ReadError> {
        while self.group.next == self.group.rows {
            if self.next_group == self.file.n_row_groups() {
                return Ok(None);
            }
            self.rows_before += self.group.rows;
            self.group = self.read_group(self.next_group)?;
            self.next_group += 1;
        }
        let row = self.group.next;
        self.group.next += 1;
        let spot = Spot::Row(self.rows_before + row);
        for (j, cells) in self.group.columns.iter().enumerate() {
            match cells {
                None => {}
                Some(Cells::Text(text)) => match text.get(row) {
                    Some(level) => encoder.text(j, level.as_bytes(), out, spot)?,
                    None => encoder.missing(j, out, spot)?,
                },
                Some(Cells::Numbers(numbers)) => {
                    encoder.number(j, numbers.values[row], out, spot)?
                }
                Some(Cells::Sparse(_)) => {}
            }
        }
        let label = match &self.group.labels {
            Some(Cells::Text(text)) => text.get(row).map(str::to_string),
            _ => None,
        };
        let kept = self.group.kept.iter().map(|cells| match cells {
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
