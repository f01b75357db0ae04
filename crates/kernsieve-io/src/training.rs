//! Reads training data: the whole file, once.

use crate::arff::ArffRecords;
use crate::columns::{Builder, Cells, Numbers, Text};
use crate::csv::CsvRecords;
use crate::error::ReadError;
use crate::libsvm;
use crate::names::{Plan, Role};
use crate::options::{FeatureData, Format, ReadOptions, Style, TrainingData};
use crate::parquet;
use crate::records::{Declared, Records};
use crate::sniff;
use crate::source::{self, Source};
use crate::table::{Holds, RawColumn, RawTable, Spots};
use crate::text::TextInput;

/// Reads training data.
///
/// Columns of numbers become one feature, those of text one 0/1 feature per level (of two levels:
/// one feature); see [`ColumnKind`](kernsieve::data::ColumnKind). The schema that comes with the
/// data makes [`ScoringReader`](crate::ScoringReader) read other files in the same way.
///
/// ```
/// use kernsieve_io::{ReadOptions, Source, read_training};
///
/// let text = "width,colour,class\n1.5,red,a\n2.5,blue,b\n3.5,red,a\n";
/// let source = Source::Bytes { name: "flowers.csv".into(), bytes: text.into() };
/// let data = read_training(&source, &ReadOptions::default())?;
/// assert_eq!(data.dataset.feature_names(), ["width", "colour=red"]);
/// assert_eq!(data.dataset.x().row(0), [1.5, 1.0]);
/// assert_eq!(data.notices, ["target: 'class' (the last column)"]);
/// # Ok::<(), kernsieve_io::ReadError>(())
/// ```
pub fn read_training(source: &Source, options: &ReadOptions) -> Result<TrainingData, ReadError> {
    read_table(source, options)?.into_training(options)
}

/// Reads rows of numbers that have no labels; text columns are refused.
///
/// ```
/// use kernsieve_io::{ReadOptions, Source, read_features};
///
/// let source = Source::Bytes { name: "points.csv".into(), bytes: "a,b\n1.5,2\n2.5,3\n".into() };
/// let data = read_features(&source, &ReadOptions::default())?;
/// assert_eq!(data.x.row(1), [2.5, 3.0]);
/// # Ok::<(), kernsieve_io::ReadError>(())
/// ```
pub fn read_features(source: &Source, options: &ReadOptions) -> Result<FeatureData, ReadError> {
    let options = ReadOptions {
        no_target: true,
        ..options.clone()
    };
    read_table(source, &options)?.into_features(&options)
}

fn read_table(source: &Source, options: &ReadOptions) -> Result<RawTable, ReadError> {
    let name = source.to_string();
    let bytes = source::read_all(&name, source::open(source)?, options.limit())?;
    let format = choose_format(options.format, &name, &bytes[..bytes.len().min(1 << 16)]);
    match format {
        Format::Parquet => parquet::read_table(&name, bytes, options),
        Format::Libsvm => {
            libsvm::read_table(TextInput::new(&name, Box::new(bytes.as_slice()))?, options)
        }
        Format::Csv | Format::Tsv | Format::Arff => read_records(
            || {
                open_records(
                    TextInput::new(&name, Box::new(bytes.as_slice()))?,
                    format,
                    options.no_header,
                )
            },
            options,
        ),
    }
}

/// The format: the requested one, or that of the extension, or that of the content.
pub(crate) fn choose_format(asked: Option<Format>, name: &str, head: &[u8]) -> Format {
    match asked.or_else(|| sniff::from_name(name)) {
        // A Parquet file with another extension is recognised, because no text starts like one.
        Some(_) if asked.is_none() && sniff::is_parquet(head) => Format::Parquet,
        Some(format) => format,
        None => sniff::from_content(head),
    }
}

/// Opens CSV, TSV or ARFF.
pub(crate) fn open_records<'a>(
    input: TextInput<'a>,
    format: Format,
    no_header: bool,
) -> Result<Box<dyn Records + 'a>, ReadError> {
    Ok(match format {
        Format::Arff => Box::new(ArffRecords::open(input)?),
        Format::Tsv => Box::new(CsvRecords::open(input, Some(b'\t'), no_header)?),
        _ => Box::new(CsvRecords::open(input, None, no_header)?),
    })
}

/// Collects the columns of records. A column in which text appears after numbers is read a second
/// time, as text.
pub(crate) fn read_records<'a>(
    open: impl Fn() -> Result<Box<dyn Records + 'a>, ReadError>,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let mut records = open()?;
    let names = records.names().to_vec();
    let file = records.file().to_string();
    let plan = Plan::new(&file, &names, options, &records.default_target())?;
    let mut builders: Vec<Builder> = (0..names.len())
        .map(|j| match (plan.roles[j], records.declared(j)) {
            (Role::Dropped, _) => Builder::Skip,
            (role, declared) if role.is_text() || declared == Declared::Text => {
                Builder::Text(Text::default())
            }
            _ => Builder::Numbers {
                numbers: Numbers::default(),
                seen: false,
            },
        })
        .collect();
    let mut lines = Vec::new();
    let style = options.style();
    collect(records.as_mut(), &mut builders, &style, |line| {
        lines.push(line)
    })?;

    let mut second: Vec<Builder> = builders
        .iter()
        .map(|b| match b {
            Builder::Again => Builder::Text(Text::default()),
            _ => Builder::Skip,
        })
        .collect();
    if second.iter().any(|b| matches!(b, Builder::Text(_))) {
        collect(open()?.as_mut(), &mut second, &style, |_| ())?;
    }

    let mut notices = records.notices().to_vec();
    notices.extend(plan.notices);
    let (mut columns, mut target) = (Vec::new(), Text::default());
    for (j, (first, second)) in builders.into_iter().zip(second).enumerate() {
        let cells = match (first, second) {
            (Builder::Numbers { numbers, .. }, _) => Cells::Numbers(numbers),
            (Builder::Text(text), _) | (_, Builder::Text(text)) => Cells::Text(text),
            _ => continue,
        };
        if let Cells::Text(Text {
            not_utf8: Some(row),
            ..
        }) = &cells
        {
            notices.push(format!(
                "column '{}' holds text that is not UTF-8 (first on line {}); \
                 its bytes are shown as \\xNN",
                names[j], lines[*row]
            ));
        }
        match cells {
            Cells::Text(text) if Some(j) == plan.target => target = text,
            cells => columns.push(RawColumn {
                name: names[j].clone(),
                cells,
                declared: records.declared(j),
                forced: plan.roles[j] == Role::Categorical,
                taken: plan.taken[j],
                holds: Holds::Number,
            }),
        }
    }
    Ok(RawTable {
        file,
        columns,
        target_name: plan.target.map(|t| names[t].clone()).unwrap_or_default(),
        target,
        weights_name: plan.weights,
        blocks_name: plan.blocks,
        n_rows: lines.len(),
        spots: Spots::Lines(lines),
        notices,
    })
}

fn collect(
    records: &mut dyn Records,
    builders: &mut [Builder],
    style: &Style,
    mut each: impl FnMut(usize),
) -> Result<(), ReadError> {
    let is_missing = records.missing_rule();
    while let Some(record) = records.next_record()? {
        each(record.line);
        for (j, builder) in builders.iter_mut().enumerate() {
            builder.push(record.get(j), is_missing, style);
        }
    }
    Ok(())
}
