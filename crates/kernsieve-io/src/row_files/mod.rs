//! Tables that are read in passes: one or several files of the same columns, of any length.

mod all_rows;
mod chosen;

use crate::error::{ReadError, count};
use crate::libsvm;
use crate::names::Plan;
use crate::options::{Format, ReadOptions, ScoringOptions, TargetColumn, TrainingData};
use crate::parquet;
use crate::scoring::{ScoringBlock, ScoringReader};
use crate::source::{self, Source};
use crate::text::TextInput;
use crate::training::{choose_format, open_records, read_records};
use chosen::ChosenRecords;
use kernsieve::data::{Missing, Schema};
use kernsieve::linalg::Matrix;
use kernsieve::partial::Draw;
use std::collections::HashMap;

/// Rows of a sample at least, however little memory there is.
const LEAST: usize = 1000;
/// Columns that a file of numbered features is taken to have.
const NUMBERED: usize = 1000;
/// Rows of every class that a sample has at least, if there are so many.
const PER_CLASS: usize = 200;

/// One or several files of the same columns whose rows are read again and again.
///
/// The first pass sees labels and weights only, and draws a sample that does not depend on how the
/// rows are divided into files. What columns hold is learnt from the sample
/// ([`sample`](Self::sample)); [`visit`](Self::visit) then reads all rows by the schema that came of
/// it, a block at a time.
#[derive(Debug)]
pub struct RowFiles {
    sources: Vec<Source>,
    options: ReadOptions,
    format: Format,
    target: String,
    /// Rows in the files before and in each file.
    ends: Vec<u64>,
    /// Class by its name, in the order of the sample's labels.
    code_of: HashMap<String, usize>,
    /// Rows with a label, and with a weight above 0.
    rows: u64,
    unlabelled: u64,
    totals: Vec<f64>,
    draw: Draw,
    notices: Vec<String>,
}

/// Consecutive rows that count.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBlock {
    /// Features by the schema.
    pub x: Matrix,
    /// Classes, in the order of the sample's labels.
    pub codes: Vec<usize>,
    /// Weights, if a column holds them.
    pub weights: Option<Vec<f64>>,
}

/// What the first pass knows of a row.
struct Seen {
    number: u64,
    class: usize,
    weight: f64,
}

impl RowFiles {
    /// Reads labels and weights of all rows, and draws at most `most` rows, fewer where their columns
    /// would take more than so many bytes as numbers. `progress` hears how many rows have been read.
    pub fn survey(
        sources: &[Source],
        options: &ReadOptions,
        most: usize,
        bytes: u64,
        seed: u64,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, ReadError> {
        let Some(first) = sources.first() else {
            return Err(ReadError::new("", "no file is named"));
        };
        if sources.contains(&Source::Stdin) {
            return Err(ReadError::new(
                "<stdin>",
                "rows that come from a pipe cannot be read twice",
            )
            .hint("Write them to a file."));
        }
        if options.missing == Missing::Drop {
            return Err(ReadError::new(
                &first.to_string(),
                "rows with missing cells cannot be left out of a table that is read in passes",
            )
            .hint("Use --missing mean, median or indicator, or leave them out beforehand."));
        }
        let (format, target, columns) = plan(first, options)?;
        let fitting = usize::try_from(bytes / (8 * columns as u64)).unwrap_or(usize::MAX);
        let most = most.min(fitting.max(LEAST));
        let mut files = Self {
            sources: sources.to_vec(),
            options: options.clone(),
            format,
            target,
            ends: vec![],
            code_of: HashMap::new(),
            rows: 0,
            unlabelled: 0,
            totals: vec![],
            draw: Draw::new(seed, most, PER_CLASS.min(most)),
            notices: vec![],
        };
        let nothing = Schema::default();
        let mut read = 0;
        for k in 0..files.sources.len() {
            for block in files.reader(k, &nothing)? {
                let block = block?;
                for row in files.seen(k, &block, read)? {
                    files.rows += 1;
                    files.totals[row.class] += row.weight;
                    files.draw.see(row.number, row.class);
                }
                read += block.x.rows() as u64;
                progress(read);
            }
            files.ends.push(read);
        }
        if files.code_of.len() < 2 {
            let only = files.code_of.into_keys().next();
            let what = match only {
                Some(class) => format!("every row is of class '{class}'"),
                None => "no row has a label".into(),
            };
            return Err(ReadError::new(&first.to_string(), what)
                .column(&files.target)
                .hint("Name the column that holds the classes with --target."));
        }
        if files.unlabelled > 0 {
            let rows = count(files.unlabelled as usize, "row");
            let notice = format!(
                "left out {rows} without a label in column '{}'",
                files.target
            );
            files.notices.push(notice);
        }
        Ok(files)
    }

    /// The rows of a block that count. New classes are numbered as they come.
    fn seen(
        &mut self,
        file: usize,
        block: &ScoringBlock,
        before: u64,
    ) -> Result<Vec<Seen>, ReadError> {
        let mut rows = Vec::with_capacity(block.x.rows());
        for i in 0..block.x.rows() {
            let number = before + i as u64;
            let label = block.labels.as_ref().map_or("", |l| l[i].as_str());
            let weight = self.weight(file, block, i)?;
            if label.is_empty() {
                self.unlabelled += 1;
                continue;
            }
            if weight == 0.0 {
                continue;
            }
            let class = match self.code_of.get(label) {
                Some(&class) => class,
                None => {
                    let class = self.code_of.len();
                    self.code_of.insert(label.to_string(), class);
                    self.totals.push(0.0);
                    class
                }
            };
            rows.push(Seen {
                number,
                class,
                weight,
            });
        }
        Ok(rows)
    }

    /// The weight of a row of a block.
    fn weight(&self, file: usize, block: &ScoringBlock, i: usize) -> Result<f64, ReadError> {
        let Some(name) = &self.options.weights else {
            return Ok(1.0);
        };
        let cell = block.kept[i].first().map_or("", String::as_str);
        let style = self.options.style();
        let weight = style.number(cell.as_bytes());
        weight
            .filter(|w| w.is_finite() && *w >= 0.0)
            .ok_or_else(|| {
                let row = block.first_row + i;
                ReadError::new(
                    &self.sources[file].to_string(),
                    format!("data row {row} (from 0): the weight is '{cell}'"),
                )
                .column(name)
                .hint("Weights must be numbers from 0 on; a row of weight 0 is left out.")
            })
    }

    /// Opens a file for a pass.
    fn reader(&self, file: usize, schema: &Schema) -> Result<ScoringReader, ReadError> {
        let schema = Schema {
            target: self.target.clone(),
            ..schema.clone()
        };
        let options = ScoringOptions {
            format: Some(self.format),
            keep: Vec::from_iter(self.options.weights.clone()),
            no_header: self.options.no_header,
            target: TargetColumn::IfPresent,
            target_name: (self.format != Format::Libsvm).then(|| self.target.clone()),
            may_be_empty: self.sources.len() > 1,
            block_rows: 8192,
            memory_limit: self.options.memory_limit,
            ..ScoringOptions::default()
        };
        ScoringReader::open(&self.sources[file], &schema, &options)
    }

    /// Number of rows that count.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of rows in the sample.
    pub fn sampled(&self) -> usize {
        self.draw.rows().len()
    }

    /// What the user should know of the first pass.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The sample as training data; rows are numbered through all files. Classes have the order of
    /// its labels from now on.
    pub fn sample(&mut self) -> Result<TrainingData, ReadError> {
        let rows = self.draw.rows();
        let raw = match self.format {
            Format::Parquet => {
                parquet::read_chosen(&self.sources, &self.ends, &rows, &self.options)?
            }
            Format::Libsvm => {
                let text = libsvm::chosen_lines(&self.sources, &rows)?;
                let name = self.sources[0].to_string();
                libsvm::read_table(
                    TextInput::new(&name, Box::new(text.as_slice()))?,
                    &self.options,
                )?
            }
            format => {
                let (sources, ends) = (&self.sources, &self.ends);
                let no_header = self.options.no_header;
                read_records(
                    || {
                        let chosen = ChosenRecords::open(sources, ends, &rows, format, no_header)?;
                        Ok(Box::new(chosen))
                    },
                    &self.options,
                )?
            }
        };
        let mut data = raw.into_training(&self.options)?;
        data.rows.iter_mut().for_each(|r| *r = rows[*r] as usize);
        let names = data.dataset.labels().classes();
        let mut totals = vec![0.0; self.totals.len()];
        for (code, name) in names.iter().enumerate() {
            if let Some(place) = self.code_of.insert(name.clone(), code) {
                totals[code] = self.totals[place];
            }
        }
        self.totals = totals;
        Ok(data)
    }

    /// Reads all rows by a schema, block by block in the order of the files.
    pub fn visit(
        &self,
        schema: &Schema,
        mut each: impl FnMut(RowBlock) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        for file in 0..self.sources.len() {
            for block in self.reader(file, schema)? {
                let block = self.counted(file, block?)?;
                if !block.codes.is_empty() {
                    each(block)?;
                }
            }
        }
        Ok(())
    }

    /// The rows of a block that count.
    fn counted(&self, file: usize, block: ScoringBlock) -> Result<RowBlock, ReadError> {
        let n = block.x.rows();
        let (mut rows, mut codes, mut weights) = (vec![], vec![], vec![]);
        for i in 0..n {
            let label = block.labels.as_ref().map_or("", |l| l[i].as_str());
            let weight = self.weight(file, &block, i)?;
            if label.is_empty() || weight == 0.0 {
                continue;
            }
            let Some(&code) = self.code_of.get(label) else {
                return Err(ReadError::new(
                    &self.sources[file].to_string(),
                    format!("the class '{label}' was not there in the first pass"),
                )
                .hint("The file has changed while it was read; begin again."));
            };
            rows.push(i);
            codes.push(code);
            weights.push(weight);
        }
        Ok(RowBlock {
            x: if rows.len() == n {
                block.x
            } else {
                block.x.select_rows(&rows)
            },
            codes,
            weights: self.options.weights.is_some().then_some(weights),
        })
    }
}

/// The format of the files, the column with the classes, and the number of columns.
fn plan(first: &Source, options: &ReadOptions) -> Result<(Format, String, usize), ReadError> {
    let name = first.to_string();
    let input = TextInput::new(&name, source::open_owned(first)?)?;
    let format = choose_format(options.format, &name, input.available());
    let (names, default) = match format {
        Format::Libsvm => return Ok((format, libsvm::TARGET.into(), NUMBERED)),
        Format::Parquet => parquet::names_of(first, options)?,
        _ => {
            let records = open_records(input, format, options.no_header)?;
            (records.names().to_vec(), records.default_target())
        }
    };
    let plan = Plan::new(&name, &names, options, &default)?;
    let target = plan.target.map(|t| names[t].clone()).unwrap_or_default();
    Ok((format, target, names.len()))
}
