//! Options of the readers, and their results.

use crate::cell;
use kernsieve::data::{Dataset, Encode, Missing, Recipe, Schema};
use kernsieve::linalg::Matrix;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fields between delimiters; the delimiter (`,` `;` tab `|`) is detected from the first lines.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Apache Parquet, flat columns.
    Parquet,
    /// `label index:value ...`, as LIBSVM and svmlight write it.
    Libsvm,
    /// Weka's format.
    Arff,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            "parquet" => Ok(Self::Parquet),
            "libsvm" | "svmlight" => Ok(Self::Libsvm),
            "arff" => Ok(Self::Arff),
            _ => Err(format!(
                "'{text}' is not a format; use csv, tsv, parquet, libsvm (or svmlight) or arff"
            )),
        }
    }
}

/// How to read training data. The default reads every column of a file with a header, the last one
/// as the target.
///
/// Columns are given by their name in the file or, if no column has that name, by their 0-based
/// index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; found out from the extension or the content when not given.
    pub format: Option<Format>,
    /// The column that holds the labels. The default is the last one (ARFF: the one named `class`,
    /// if there is one).
    pub target: Option<String>,
    /// Whether no column holds labels, so that every column is a feature
    /// ([`read_features`](crate::read_features) sets this itself).
    pub no_target: bool,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns of numbers that are codes of categories.
    pub categorical: Vec<String>,
    /// The column with the weights of the rows; rows of weight 0 are left out.
    pub weights: Option<String>,
    /// The column that holds the blocks: its values are equal in rows that belong together.
    pub blocks: Option<String>,
    /// Columns to take although they look like the names or numbers of rows.
    pub take: Vec<String>,
    /// What to do with missing cells.
    ///
    /// Empty cells and `NA`, `N/A`, `#N/A`, `<NA>`, `NaN`, `NULL`, `null`, `None`, `n/a` and `?`
    /// count as missing. In ARFF files only `?` does, and in Parquet files nulls and NaN do.
    pub missing: Missing,
    /// Further spellings of missing cells.
    pub na: Vec<String>,
    /// Numbers have a decimal comma.
    pub decimal_comma: bool,
    /// How categories become numbers.
    pub encode: Encode,
    /// Levels of fewer rows share one state; see [`Recipe`].
    pub rare: Option<usize>,
    /// The first line is data; columns are named `x0`, `x1`, ...
    pub no_header: bool,
    /// The most memory, in bytes, that the text of the file or the matrix of features may take (16
    /// GiB when not given).
    pub memory_limit: Option<u64>,
}

impl ReadOptions {
    pub(crate) fn limit(&self) -> u64 {
        self.memory_limit.unwrap_or(16 << 30)
    }

    pub(crate) fn recipe(&self) -> Recipe {
        Recipe {
            missing: self.missing,
            encode: self.encode,
            rare: self.rare,
        }
    }

    pub(crate) fn style(&self) -> Style {
        Style {
            na: self
                .na
                .iter()
                .map(|t| t.trim().as_bytes().to_vec())
                .collect(),
            decimal_comma: self.decimal_comma,
        }
    }
}

/// How cells are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Style {
    /// Spellings of missing cells besides those of the format.
    pub(crate) na: Vec<Vec<u8>>,
    /// Numbers have a decimal comma.
    pub(crate) decimal_comma: bool,
}

impl Style {
    /// Whether a cell is one of the further spellings of missing cells.
    #[inline]
    pub(crate) fn is_gap(&self, cell: &[u8]) -> bool {
        !self.na.is_empty() && self.na.iter().any(|t| t == cell)
    }

    /// The number in a cell.
    #[inline]
    pub(crate) fn number(&self, cell: &[u8]) -> Option<f64> {
        match self.decimal_comma {
            false => cell::parse_number(cell),
            true => cell::parse_decimal_comma(cell),
        }
    }
}

/// Training data, and how they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingData {
    /// Features and labels.
    pub dataset: Dataset,
    /// The columns the features were made from, for reading data to be scored.
    pub schema: Schema,
    /// For every row of the data set, the 0-based data row of the file it came from.
    pub rows: Vec<usize>,
    /// Notices for the user: the assumed target, rows that were left out, and the like.
    pub notices: Vec<String>,
}

/// Rows of numbers without labels, and how they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureData {
    /// The features.
    pub x: Matrix,
    /// Weights of the rows, if a column holds them.
    pub weights: Option<Vec<f64>>,
    /// The columns that the features were made from, without a target.
    pub schema: Schema,
    /// For every row, the 0-based data row of the file that it came from.
    pub rows: Vec<usize>,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// Whether the labels of data to be scored are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetColumn {
    /// Not wanted.
    #[default]
    Ignore,
    /// Wanted if the file has them. A missing label is given as an empty string.
    IfPresent,
    /// Wanted; a file without them, or a missing label, is an error.
    Required,
}

/// How to read data to be scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoringOptions {
    /// The format; found out from the extension or the content when not given.
    pub format: Option<Format>,
    /// What to do with missing cells: fill them, or stop with an error. The default is what was
    /// done in training. [`Missing::Drop`] is refused.
    pub missing: Option<Missing>,
    /// Columns of the file to pass on as they are, by name; `all` of them if it is the only word
    /// and no column has that name.
    pub keep: Vec<String>,
    /// The first line is data; columns are matched by position.
    pub no_header: bool,
    /// Whether labels are wanted.
    pub target: TargetColumn,
    /// The column with the labels, if its name differs from that in training.
    pub target_name: Option<String>,
    /// For every column of the schema, whether the model does not need it, so that it may be
    /// absent. Empty means that all columns are needed.
    pub unused: Vec<bool>,
    /// Whether a file without data rows is no error, as where it is one of several.
    pub may_be_empty: bool,
    /// The most rows in a block; there are fewer where rows are wide.
    pub block_rows: usize,
    /// The most memory, in bytes, for a file that has to be held (a Parquet file that is packed or
    /// comes from a pipe; 4 GiB when not given). A block takes an eighth of it at most, and never
    /// more than 64 MiB.
    pub memory_limit: Option<u64>,
}

/// The most bytes of a block, if a single row is not more.
const BLOCK_BYTES: u64 = 64 << 20;

impl ScoringOptions {
    pub(crate) fn limit(&self) -> u64 {
        self.memory_limit.unwrap_or(4 << 30)
    }

    /// Rows in a block of so many features.
    pub(crate) fn rows_of(&self, width: usize) -> usize {
        let bytes = BLOCK_BYTES.min(self.limit() / 8);
        let most = (bytes / (8 * width.max(1) as u64)).max(1);
        self.block_rows
            .clamp(1, usize::try_from(most).unwrap_or(usize::MAX))
    }
}

impl Default for ScoringOptions {
    fn default() -> Self {
        Self {
            format: None,
            missing: None,
            keep: vec![],
            no_header: false,
            target: TargetColumn::Ignore,
            target_name: None,
            unused: vec![],
            may_be_empty: false,
            block_rows: 16_384,
            memory_limit: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_command_line() {
        assert_eq!("svmlight".parse(), Ok(Format::Libsvm));
        assert_eq!("CSV".parse(), Ok(Format::Csv));
        assert!("xlsx".parse::<Format>().unwrap_err().contains("parquet"));
    }
}
