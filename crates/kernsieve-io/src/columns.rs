//! Raw columns, collected while a file is read.

use crate::cell;
use crate::options::Style;
use std::collections::HashMap;

/// A code that stands for a missing cell.
pub(crate) const MISSING: u32 = u32::MAX;

/// The cells of a column.
#[derive(Debug)]
pub(crate) enum Cells {
    /// Numbers; NaN is missing.
    Numbers(Numbers),
    /// Numbers, most of them zero.
    Sparse(Sparse),
    /// Text.
    Text(Text),
}

/// Numbers, one per row; NaN is missing.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) values: Vec<f64>,
    /// The first row whose value is infinite.
    pub(crate) not_finite: Option<usize>,
}

/// The numbers of a column that are not zero, and the rows they are in, ascending.
#[derive(Debug, Default)]
pub(crate) struct Sparse {
    pub(crate) rows: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// Text cells: the code of the level of every row.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) codes: Vec<u32>,
    pub(crate) levels: Vec<String>,
    /// Whether each level is a number.
    pub(crate) numeric: Vec<bool>,
    index: HashMap<Vec<u8>, u32>,
    /// The first row whose cell is not UTF-8.
    pub(crate) not_utf8: Option<usize>,
}

impl Numbers {
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        if value.is_infinite() && self.not_finite.is_none() {
            self.not_finite = Some(self.values.len());
        }
        self.values.push(value);
    }
}

impl Text {
    /// A column whose first rows are missing.
    pub(crate) fn after_missing(rows: usize) -> Self {
        Self {
            codes: vec![MISSING; rows],
            ..Self::default()
        }
    }

    pub(crate) fn push_missing(&mut self) {
        self.codes.push(MISSING);
    }

    pub(crate) fn push(&mut self, cell: &[u8]) {
        let code = match self.index.get(cell) {
            Some(&code) => code,
            None => self.new_level(cell),
        };
        self.codes.push(code);
    }

    fn new_level(&mut self, cell: &[u8]) -> u32 {
        let code = self.levels.len() as u32;
        let text = cell::decode(cell);
        if self.not_utf8.is_none() && matches!(text, std::borrow::Cow::Owned(_)) {
            self.not_utf8 = Some(self.codes.len());
        }
        self.levels.push(text.into_owned());
        self.numeric.push(cell::parse_number(cell).is_some());
        self.index.insert(cell.to_vec(), code);
        code
    }

    /// The level of a row, if it is not missing.
    #[cfg(feature = "parquet")]
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        match self.codes[row] {
            MISSING => None,
            code => Some(&self.levels[code as usize]),
        }
    }

    /// The cells as numbers, by what every level stands for.
    pub(crate) fn numbers(&self, of: impl Fn(&str) -> Option<f64>) -> Numbers {
        let values: Vec<f64> = self
            .levels
            .iter()
            .map(|l| of(l).unwrap_or(f64::NAN))
            .collect();
        let value = |c: &u32| {
            if *c == MISSING {
                f64::NAN
            } else {
                values[*c as usize]
            }
        };
        Numbers {
            values: self.codes.iter().map(value).collect(),
            not_finite: None,
        }
    }

    /// Number of rows at each level.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.levels.len()];
        for &code in self.codes.iter().filter(|&&c| c != MISSING) {
            counts[code as usize] += 1;
        }
        counts
    }
}

impl Cells {
    /// The rows whose cells are missing.
    pub(crate) fn missing_rows(&self) -> Vec<usize> {
        match self {
            Self::Numbers(n) => rows_where(&n.values, |v| v.is_nan()),
            Self::Text(t) => rows_where(&t.codes, |&c| c == MISSING),
            Self::Sparse(s) => rows_where(&s.values, |v| v.is_nan())
                .into_iter()
                .map(|i| s.rows[i])
                .collect(),
        }
    }
}

fn rows_where<T>(items: &[T], holds: impl Fn(&T) -> bool) -> Vec<usize> {
    let hit = |(i, item): (usize, &T)| holds(item).then_some(i);
    items.iter().enumerate().filter_map(hit).collect()
}

/// Collects the cells of one column of records.
pub(crate) enum Builder {
    /// The column is not wanted.
    Skip,
    /// Only numbers so far. `seen` tells whether any cell was not missing.
    Numbers { numbers: Numbers, seen: bool },
    /// Text.
    Text(Text),
    /// Text appeared after numbers: the column must be read again, as text.
    Again,
}

impl Builder {
    #[inline]
    pub(crate) fn push(&mut self, cell: &[u8], is_missing: fn(&[u8]) -> bool, style: &Style) {
        match self {
            Self::Skip | Self::Again => {}
            Self::Numbers { numbers, .. } if style.is_gap(cell) => numbers.push(f64::NAN),
            Self::Numbers { numbers, seen } => match style.number(cell) {
                Some(value) => {
                    *seen |= !value.is_nan();
                    numbers.push(value);
                }
                None if is_missing(cell) => numbers.push(f64::NAN),
                None if *seen => *self = Self::Again,
                None => {
                    let mut text = Text::after_missing(numbers.values.len());
                    text.push(cell);
                    *self = Self::Text(text);
                }
            },
            Self::Text(text) => {
                if is_missing(cell) || style.is_gap(cell) {
                    text.push_missing();
                } else {
                    text.push(cell);
                }
            }
        }
    }
}
