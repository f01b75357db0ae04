//! The columns that a model was trained on, and how each becomes one or more numbers.

use super::recipe::Missing;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The columns of the training file that became features, and the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Columns, in the order of their features.
    pub columns: Vec<Column>,
    /// Name of the column that held the labels.
    pub target: String,
    /// How cells are read where that is not as usual.
    #[serde(default, skip_serializing_if = "Reading::is_usual")]
    pub reading: Reading,
}

/// How the cells of a file are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// What was done with gaps in training, and is done again.
    #[serde(default)]
    pub missing: Missing,
    /// Spellings of missing cells besides the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// Whether numbers have a decimal comma.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decimal_comma: bool,
}

impl Reading {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// One input column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the file.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// Whether a further 0/1 feature, named `column=missing`, says where cells were missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub indicator: bool,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ColumnKind {
    /// One feature: the number itself.
    Numeric {
        /// Mean or median of the training rows, for missing values.
        fill: f64,
    },
    /// One feature: 0 for false, 1 for true.
    Boolean {
        /// Mean or median of the training rows, for missing values.
        fill: f64,
    },
    /// Year, month, weekday (0 is Monday), days since the first training row, and hour of the day
    /// if any training row has a time.
    Date {
        /// The first day of the training rows, in days since 1970-01-01.
        first: f64,
        /// What a missing date is taken for.
        fill: f64,
        /// Whether the hour is a feature.
        hour: bool,
    },
    /// One feature, named `column=level` after the second level: 0 for the first level, 1 for the
    /// second.
    Binary {
        /// The two levels.
        levels: [String; 2],
        /// The share of the second level, for other levels and missing cells.
        fill: f64,
    },
    /// One 0/1 feature per level, named `column=level`. Rare levels, unknown ones and missing cells
    /// have none of them.
    Categorical {
        /// The levels that have a feature, sorted.
        levels: Vec<String>,
        /// Levels that are known, but too rare to have one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rare: Vec<String>,
    },
    /// Shares of classes among the training rows of a level, one feature per class (of two classes:
    /// one, for the second).
    Target {
        /// The levels, sorted.
        levels: Vec<String>,
        /// Values of every level.
        values: Vec<Vec<f64>>,
        /// Values of unknown levels and missing cells: the shares of all rows.
        fill: Vec<f64>,
        /// The classes that the features are about.
        classes: Vec<String>,
    },
}

impl ColumnKind {
    /// The number of features.
    pub fn width(&self) -> usize {
        match self {
            Self::Numeric { .. } | Self::Boolean { .. } | Self::Binary { .. } => 1,
            Self::Date { hour, .. } => 4 + usize::from(*hour),
            Self::Categorical { levels, .. } => levels.len(),
            Self::Target { fill, .. } => fill.len(),
        }
    }

    /// Whether it holds categories.
    pub fn is_categorical(&self) -> bool {
        matches!(
            self,
            Self::Binary { .. } | Self::Categorical { .. } | Self::Target { .. }
        )
    }

    /// Whether it is one number, taken as it is.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Numeric { .. } | Self::Boolean { .. })
    }

    fn names(&self, column: &str) -> Vec<String> {
        match self {
            Self::Numeric { .. } | Self::Boolean { .. } => vec![column.into()],
            Self::Binary { levels, .. } => vec![format!("{column}={}", levels[1])],
            Self::Categorical { levels, .. } => {
                levels.iter().map(|l| format!("{column}={l}")).collect()
            }
            Self::Target { classes, .. } if classes.len() == 1 => vec![column.into()],
            Self::Target { classes, .. } => {
                classes.iter().map(|c| format!("{column}:{c}")).collect()
            }
            Self::Date { hour, .. } => {
                let parts = ["year", "month", "weekday", "days", "hour"];
                let parts = parts.iter().take(4 + usize::from(*hour));
                parts.map(|p| format!("{column}.{p}")).collect()
            }
        }
    }
}

impl Column {
    /// A column of numbers.
    pub fn numeric(name: &str, fill: f64) -> Self {
        Self {
            name: name.into(),
            kind: ColumnKind::Numeric { fill },
            indicator: false,
        }
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.kind.width() + usize::from(self.indicator)
    }
}

impl Schema {
    /// A schema of numeric columns, for data that do not come from a file. The target is called
    /// `class`, with underscores behind it where a column has that name.
    pub fn numeric(names: &[String]) -> Self {
        let mut target = String::from("class");
        while names.contains(&target) {
            target.push('_');
        }
        Self {
            columns: names
                .iter()
                .map(|name| Column::numeric(name, 0.0))
                .collect(),
            target,
            reading: Reading::default(),
        }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.columns.iter().map(Column::width).sum()
    }

    /// Names of the features. Where a column is called as the feature of another one, such as `c=u`
    /// beside the level `u` of `c`, the later one is told apart by a number.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.n_features());
        for c in &self.columns {
            names.extend(c.kind.names(&c.name));
            if c.indicator {
                names.push(format!("{}=missing", c.name));
            }
        }
        let mut seen = HashSet::with_capacity(names.len());
        for name in &mut names {
            let mut number = 2;
            let base = name.clone();
            while !seen.insert(name.clone()) {
                *name = format!("{base}#{number}");
                number += 1;
            }
        }
        names
    }

    /// Whether model files of format 4 have all of it.
    pub(crate) fn is_known_to_format_4(&self) -> bool {
        let known = |c: &Column| match &c.kind {
            ColumnKind::Numeric { .. } => !c.indicator,
            ColumnKind::Categorical { rare, .. } => rare.is_empty() && !c.indicator,
            _ => false,
        };
        self.reading.is_usual() && self.columns.iter().all(known)
    }

    /// What is wrong with a schema that comes from a file, if anything is.
    pub fn problem(&self) -> Option<String> {
        let mut seen = HashSet::with_capacity(self.columns.len());
        if let Some(twice) = self.columns.iter().find(|c| !seen.insert(&c.name)) {
            return Some(format!("the column '{}' stands twice", twice.name));
        }
        self.columns.iter().find_map(|c| {
            let sound = match &c.kind {
                ColumnKind::Numeric { fill } | ColumnKind::Boolean { fill } => fill.is_finite(),
                ColumnKind::Date { first, fill, .. } => {
                    let possible = |d: &f64| d.abs() < 1e9;
                    possible(first) && possible(fill)
                }
                ColumnKind::Binary { levels, fill } => fill.is_finite() && levels[0] != levels[1],
                ColumnKind::Categorical { levels, rare } => all_differ(levels.iter().chain(rare)),
                ColumnKind::Target {
                    levels,
                    values,
                    fill,
                    classes,
                } => {
                    let fits =
                        |v: &Vec<f64>| v.len() == classes.len() && v.iter().all(|v| v.is_finite());
                    fits(fill)
                        && levels.len() == values.len()
                        && values.iter().all(fits)
                        && all_differ(levels)
                        && all_differ(classes)
                }
            };
            (!sound).then(|| format!("column '{}' is damaged", c.name))
        })
    }

    /// Whether every feature is a column of numbers.
    pub fn is_plain(&self) -> bool {
        self.columns
            .iter()
            .all(|c| c.kind.is_number() && !c.indicator)
    }
}

fn all_differ<'a>(names: impl IntoIterator<Item = &'a String>) -> bool {
    let mut seen = HashSet::new();
    names.into_iter().all(|name| seen.insert(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_names_of_their_own() {
        let kind = |kind: ColumnKind, name: &str, indicator| Column {
            name: name.into(),
            kind,
            indicator,
        };
        let levels = || vec!["missing".to_string(), "u".into()];
        let schema = Schema {
            columns: vec![
                kind(
                    ColumnKind::Categorical {
                        levels: levels(),
                        rare: vec![],
                    },
                    "c",
                    true,
                ),
                Column::numeric("c=u", 0.0),
                kind(
                    ColumnKind::Date {
                        first: 0.0,
                        fill: 0.0,
                        hour: false,
                    },
                    "d",
                    false,
                ),
            ],
            ..Schema::default()
        };
        assert_eq!(
            schema.feature_names(),
            [
                "c=missing",
                "c=u",
                "c=missing#2",
                "c=u#2",
                "d.year",
                "d.month",
                "d.weekday",
                "d.days"
            ]
        );
        assert_eq!(schema.n_features(), 8);
    }

    #[test]
    fn schemas_of_older_models_are_read() {
        let old = r#"{"columns":[{"name":"a","kind":"numeric","fill":1.5},
            {"name":"b","kind":"categorical","levels":["x","y"]}],"target":"t"}"#;
        let schema: Schema = serde_json::from_str(old).expect("is read");
        assert_eq!(schema.n_features(), 3);
        assert_eq!(schema.reading.missing, Missing::Error);
        assert_eq!(
            serde_json::to_string(&schema).expect("is written"),
            old.replace("\n            ", "")
        );
    }
}
