//! The columns that a model was trained on, and how each becomes one or more numbers.

use serde::{Deserialize, Serialize};

/// The columns of the training file that became features, and the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Columns, in the order of their features.
    pub columns: Vec<Column>,
    /// Name of the column that held the labels.
    pub target: String,
}

/// One input column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the file.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: ColumnKind,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ColumnKind {
    /// One feature: the number itself.
    Numeric {
        /// Mean over the training rows. It replaces missing values on request.
        fill: f64,
    },
    /// One 0/1 feature per level, named `column=level`.
    Categorical {
        /// The levels seen in training, sorted.
        levels: Vec<String>,
    },
}

impl Schema {
    /// A schema of numeric columns, for data that do not come from a file.
    pub fn numeric(names: &[String]) -> Self {
        Self {
            columns: names
                .iter()
                .map(|name| Column {
                    name: name.clone(),
                    kind: ColumnKind::Numeric { fill: 0.0 },
                })
                .collect(),
            target: "class".into(),
        }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.columns
            .iter()
            .map(|c| match &c.kind {
                ColumnKind::Numeric { .. } => 1,
                ColumnKind::Categorical { levels } => levels.len(),
            })
            .sum()
    }

    /// Names of the features.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.n_features());
        for c in &self.columns {
            match &c.kind {
                ColumnKind::Numeric { .. } => names.push(c.name.clone()),
                ColumnKind::Categorical { levels } => {
                    names.extend(levels.iter().map(|l| format!("{}={l}", c.name)))
                }
            }
        }
        names
    }
}
