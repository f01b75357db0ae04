//! Parquet files as training data: all rows of one file, or some of several.

use super::{ColumnStream, ParquetFile, empty_cells};
use crate::columns::{Cells, Text};
use crate::error::ReadError;
use crate::names::{Plan, Role};
use crate::options::ReadOptions;
use crate::records::{Declared, DefaultTarget};
use crate::sniff;
use crate::source::{self, Source};
use crate::table::{RawColumn, RawTable, Spots, check_memory};

/// The index that pandas writes beside the columns.
const PANDAS_INDEX: &str = "__index_level_0__";
/// Rows that are decoded at a time where some of them are chosen.
const STEP: usize = 1 << 14;

/// Reads training data. Only columns that are used are decoded.
pub(crate) fn read_table(
    file: &str,
    content: Vec<u8>,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let files = [ParquetFile::open(file, content)?];
    let n_rows = n_rows(&files[0]);
    table(&files, n_rows, options, |files, column, cells| {
        (0..files[0].n_row_groups()).try_for_each(|g| files[0].read(g, column, cells))
    })
}

/// Reads the rows with these numbers, counted through all files, which end at `ends`.
pub(crate) fn read_chosen(
    sources: &[Source],
    ends: &[u64],
    rows: &[u64],
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let open = |s: &Source| open(s, options);
    let files: Vec<ParquetFile> = sources.iter().map(open).collect::<Result<_, _>>()?;
    for (file, source) in files.iter().zip(sources) {
        let same = file.names() == files[0].names()
            && (0..file.names().len()).all(|j| file.is_text(j) == files[0].is_text(j));
        if !same {
            let what = format!("its columns are not those of {}", sources[0]);
            return Err(ReadError::new(&source.to_string(), what)
                .hint("Files that are read as one table have the same columns."));
        }
    }
    table(&files, rows.len(), options, |files, column, cells| {
        let mut before = 0;
        for (file, &end) in files.iter().zip(ends) {
            let place = |row: u64| rows.partition_point(|r| *r < row);
            let own = &rows[place(before)..place(end)];
            let own: Vec<usize> = own.iter().map(|r| (r - before) as usize).collect();
            read_rows(file, column, &own, cells)?;
            before = end;
        }
        Ok(())
    })
}

/// Names of the columns, and which one is the target unless another is named.
pub(crate) fn names_of(
    source: &Source,
    options: &ReadOptions,
) -> Result<(Vec<String>, DefaultTarget), ReadError> {
    let file = open(source, options)?;
    Ok((file.names().to_vec(), default_target(file.names())))
}

/// Opens a file, of which only what is needed is read; what is packed has to be held.
fn open(source: &Source, options: &ReadOptions) -> Result<ParquetFile, ReadError> {
    let name = source.to_string();
    match source::plain_file(source, sniff::is_parquet)? {
        Some(file) => ParquetFile::stream(&name, file),
        None => {
            let bytes = source::read_all(&name, source::open(source)?, options.limit())?;
            ParquetFile::open(&name, bytes)
        }
    }
}

fn default_target(names: &[String]) -> DefaultTarget {
    DefaultTarget {
        index: names.iter().rposition(|n| n != PANDAS_INDEX).unwrap_or(0),
        reason: "the last column",
    }
}

fn n_rows(file: &ParquetFile) -> usize {
    (0..file.n_row_groups()).map(|g| file.group_rows(g)).sum()
}

/// Rows of a column of a file, by ascending number.
fn read_rows(
    file: &ParquetFile,
    column: usize,
    rows: &[usize],
    into: &mut Cells,
) -> Result<(), ReadError> {
    let (mut before, mut rows) = (0, rows.iter().peekable());
    for group in 0..file.n_row_groups() {
        let size = file.group_rows(group);
        if rows.peek().is_some_and(|row| **row < before + size) {
            let mut stream: ColumnStream = file.begin(group, column)?;
            let mut done = 0;
            while done < size && rows.peek().is_some_and(|row| **row < before + size) {
                let mut cells = empty_cells(matches!(into, Cells::Text(_)));
                let step = STEP.min(size - done);
                stream.read(step, &mut cells)?;
                while let Some(&row) = rows.next_if(|row| **row < before + done + step) {
                    append(into, &cells, row - before - done);
                }
                done += step;
            }
        }
        before += size;
    }
    Ok(())
}

/// Appends a cell of other cells of the same kind.
fn append(into: &mut Cells, from: &Cells, row: usize) {
    match (into, from) {
        (Cells::Numbers(into), Cells::Numbers(from)) => into.push(from.values[row]),
        (Cells::Text(into), Cells::Text(from)) => match from.get(row) {
            Some(level) => into.push(level.as_bytes()),
            None => into.push_missing(),
        },
        _ => {}
    }
}

/// The table of some rows of files with the same columns.
fn table(
    files: &[ParquetFile],
    n_rows: usize,
    options: &ReadOptions,
    read: impl Fn(&[ParquetFile], usize, &mut Cells) -> Result<(), ReadError>,
) -> Result<RawTable, ReadError> {
    let parquet = &files[0];
    let (file, names) = (parquet.name(), parquet.names());
    let mut plan = Plan::new(file, names, options, &default_target(names))?;
    if let Some(index) = names.iter().position(|n| n == PANDAS_INDEX)
        && plan.roles[index] == Role::Feature
    {
        plan.roles[index] = Role::Dropped;
        plan.notices.push(format!(
            "left out column '{PANDAS_INDEX}', the index of a pandas table"
        ));
    }
    let used = plan.roles.iter().filter(|r| **r != Role::Dropped).count();
    check_memory(file, n_rows, used - 1, options.limit())?;
    let mut columns = Vec::new();
    let mut target = Text::default();
    for (j, name) in names.iter().enumerate() {
        let role = plan.roles[j];
        if role == Role::Dropped {
            continue;
        }
        let text = role.is_text() || parquet.is_text(j);
        let mut cells = empty_cells(text);
        read(files, j, &mut cells)?;
        match cells {
            Cells::Text(text) if role == Role::Target => target = text,
            cells => columns.push(RawColumn {
                name: name.clone(),
                cells,
                declared: if text {
                    Declared::Text
                } else {
                    Declared::Number
                },
                forced: role == Role::Categorical,
                taken: plan.taken[j],
                holds: parquet.meaning(j),
            }),
        }
    }
    Ok(RawTable {
        file: file.to_string(),
        columns,
        target_name: plan.target.map(|t| names[t].clone()).unwrap_or_default(),
        target,
        weights_name: plan.weights,
        blocks_name: plan.blocks,
        spots: Spots::Rows,
        n_rows,
        notices: plan.notices,
    })
}
