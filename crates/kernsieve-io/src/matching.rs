//! Matches the columns of a file to be scored to the columns of the schema.

use crate::error::{ReadError, count};
use crate::names::{listing, resolve};
use crate::options::{ScoringOptions, TargetColumn};
use kernsieve::data::Schema;

/// The position in the file of every column of the schema (none for an absent column that the model
/// does not need), and the position of the labels if they are wanted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Matching {
    pub(crate) columns: Vec<Option<usize>>,
    pub(crate) target: Option<usize>,
    /// Columns to pass on as they are.
    pub(crate) keep: Vec<usize>,
    pub(crate) notices: Vec<String>,
}

/// The columns of a file that are passed on as they are, each once.
fn kept(file: &str, names: &[String], words: &[String]) -> Result<Vec<usize>, ReadError> {
    if let [word] = words
        && word.trim() == "all"
        && !names.iter().any(|n| n == "all")
    {
        return Ok((0..names.len()).collect());
    }
    let mut places = vec![];
    for word in words {
        let place = resolve(file, names, word, "--keep")?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

impl Matching {
    /// Matches by name, in any order.
    pub(crate) fn by_name(
        file: &str,
        names: &[String],
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        let place: std::collections::HashMap<&str, usize> = names
            .iter()
            .enumerate()
            .map(|(i, n)| (n.as_str(), i))
            .collect();
        let (mut columns, mut absent) = (Vec::new(), Vec::new());
        for (j, c) in schema.columns.iter().enumerate() {
            match place.get(c.name.as_str()) {
                Some(&i) => columns.push(Some(i)),
                None if options.unused.get(j) == Some(&true) => columns.push(None),
                None => absent.push(c.name.clone()),
            }
        }
        if !absent.is_empty() {
            return Err(absent_columns(file, names, schema, &absent));
        }
        let labels = target_place(file, names, schema, options)?;
        let mut used = vec![false; names.len()];
        columns
            .iter()
            .flatten()
            .chain(&labels)
            .for_each(|&i| used[i] = true);
        if let Some(&i) = place.get(schema.target.as_str()) {
            used[i] = true;
        }
        let keep = kept(file, names, &options.keep)?;
        keep.iter().for_each(|&i| used[i] = true);
        let extra: Vec<String> = (0..names.len())
            .filter(|&i| !used[i])
            .map(|i| names[i].clone())
            .collect();
        let mut notices = Vec::new();
        if !extra.is_empty() {
            notices.push(format!(
                "not used, as the model does not know {}",
                quoted_list("column", &extra)
            ));
        }
        Ok(Self {
            columns,
            target: labels.filter(|_| options.target != TargetColumn::Ignore),
            keep,
            notices,
        })
    }

    /// Matches a file without a header, whose columns are called `x0`, `x1`, ...: by these names if
    /// the model was trained on such a file, otherwise by position. The target, if present, is
    /// last.
    pub(crate) fn by_position(
        file: &str,
        names: &[String],
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        let (width, wanted) = (names.len(), schema.columns.len());
        if schema.columns.iter().all(|c| names.contains(&c.name)) {
            return Self::by_name(file, names, schema, options);
        }
        let mut notices = Vec::new();
        let target = match &options.target_name {
            Some(name) if width == wanted + 1 => Some(resolve(file, names, name, "--target")?),
            None if width == wanted + 1 && !schema.target.is_empty() => {
                notices.push(format!(
                    "the last column is taken for the target '{}'",
                    schema.target
                ));
                Some(wanted)
            }
            _ => None,
        };
        if width != wanted && target.is_none() {
            return Err(ReadError::new(
                file,
                format!(
                    "{} expected without a header, {width} found",
                    count(wanted, "column")
                ),
            )
            .hint(
                "Give the file the columns of the training data in the same order, or a header.",
            ));
        }
        if target.is_none() && options.target == TargetColumn::Required {
            return Err(no_target(file, names, &schema.target));
        }
        Ok(Self {
            columns: (0..width)
                .filter(|&i| Some(i) != target)
                .map(Some)
                .collect(),
            target: target.filter(|_| options.target != TargetColumn::Ignore),
            keep: kept(file, names, &options.keep)?,
            notices,
        })
    }
}

/// The position of the labels, if the file has them.
fn target_place(
    file: &str,
    names: &[String],
    schema: &Schema,
    options: &ScoringOptions,
) -> Result<Option<usize>, ReadError> {
    match (&options.target_name, options.target) {
        (Some(name), TargetColumn::Required) => resolve(file, names, name, "--target").map(Some),
        (Some(name), _) => Ok(resolve(file, names, name, "--target").ok()),
        (None, wanted) => match names.iter().position(|n| *n == schema.target) {
            None if wanted == TargetColumn::Required => Err(no_target(file, names, &schema.target)),
            place => Ok(place),
        },
    }
}

fn no_target(file: &str, names: &[String], target: &str) -> ReadError {
    ReadError::new(
        file,
        format!("there is no column '{target}', which holds the labels"),
    )
    .hint(format!(
        "Name the column that holds them with --target. {}",
        listing(names)
    ))
}

fn absent_columns(file: &str, names: &[String], schema: &Schema, absent: &[String]) -> ReadError {
    let message = format!(
        "the model needs {} that the file does not have",
        quoted_list("column", absent)
    );
    let mut hint = listing(names);
    let right_width =
        names.len() == schema.columns.len() || names.len() == schema.columns.len() + 1;
    if absent.len() == schema.columns.len() && right_width {
        hint.push_str(" If the first line is data, use --no-header.");
    }
    ReadError::new(file, message).hint(hint)
}

/// `column 'a'`, or `3 columns: 'a', 'b', 'c'`.
pub(crate) fn quoted_list(noun: &str, names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(10).map(|n| format!("'{n}'")).collect();
    let more = if names.len() > 10 { ", ..." } else { "" };
    match names {
        [one] => format!("{noun} '{one}'"),
        _ => format!("{} ({}{more})", count(names.len(), noun), shown.join(", ")),
    }
}
