//! Columns by name, and the role of each.

use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::records::DefaultTarget;
use std::collections::HashMap;

/// The role of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// None: the column is left out.
    Dropped,
    /// Holds the labels.
    Target,
    /// Holds the weights of the rows.
    Weights,
    /// Holds the blocks: tells which rows belong together.
    Blocks,
    /// Holds categories, even if they look like numbers.
    Categorical,
    /// A feature whose type depends on its cells.
    Feature,
}

impl Role {
    /// Whether its cells are read as text, whatever they look like.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Target | Self::Blocks | Self::Categorical)
    }
}

/// The role of every column, as requested by the user.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) roles: Vec<Role>,
    /// Whether the user wants each column, whatever it looks like.
    pub(crate) taken: Vec<bool>,
    /// Position of the labels, if there are any.
    pub(crate) target: Option<usize>,
    /// Name of the column with the weights.
    pub(crate) weights: Option<String>,
    /// Name of the column with the blocks.
    pub(crate) blocks: Option<String>,
    pub(crate) notices: Vec<String>,
}

impl Plan {
    pub(crate) fn new(
        file: &str,
        names: &[String],
        options: &ReadOptions,
        default: &DefaultTarget,
    ) -> Result<Self, ReadError> {
        let mut roles = vec![Role::Feature; names.len()];
        let mut notices = Vec::new();
        let mut taken = vec![false; names.len()];
        for name in &options.take {
            taken[resolve(file, names, name, "--use")?] = true;
        }
        for name in &options.categorical {
            roles[resolve(file, names, name, "--categorical")?] = Role::Categorical;
        }
        for name in &options.drop {
            roles[resolve(file, names, name, "--drop")?] = Role::Dropped;
        }
        let target = match &options.target {
            _ if options.no_target => None,
            Some(name) => Some(resolve(file, names, name, "--target")?),
            None => {
                notices.push(format!(
                    "target: '{}' ({})",
                    names[default.index], default.reason
                ));
                Some(default.index)
            }
        };
        if let Some(target) = target.filter(|&t| roles[t] == Role::Dropped) {
            return Err(ReadError::new(
                file,
                format!(
                    "column '{}' is the target and is to be dropped",
                    names[target]
                ),
            )
            .hint("Name the column that holds the labels with --target."));
        }
        if let Some(target) = target {
            roles[target] = Role::Target;
        }
        // Resolves the name of a column that is not a feature.
        let mut beside = |option: &str, name: &Option<String>, role: Role, hint: &str| {
            let Some(name) = name else { return Ok(None) };
            let index = resolve(file, names, name, option)?;
            if roles[index] != Role::Feature {
                let part = match roles[index] {
                    Role::Target => "is the target",
                    Role::Categorical => "is named by --categorical",
                    Role::Dropped => "is to be dropped",
                    _ => "holds the weights",
                };
                let message = format!("{option} {name}: the column '{}' {part}", names[index]);
                return Err(ReadError::new(file, message).hint(hint));
            }
            roles[index] = role;
            Ok(Some(names[index].clone()))
        };
        let hint = "Weights are numbers in a column of their own.";
        let weights = beside("--weights", &options.weights, Role::Weights, hint)?;
        let hint = "Blocks are named in a column of their own.";
        let blocks = beside("--blocks", &options.blocks, Role::Blocks, hint)?;
        if !roles
            .iter()
            .any(|r| matches!(r, Role::Categorical | Role::Feature))
        {
            let hint = if names.len() == 1 {
                "Fields are divided by commas, semicolons, tabs or bars; blanks do not divide them."
            } else {
                "Drop fewer columns."
            };
            return Err(ReadError::new(file, "there is no feature column").hint(hint));
        }
        Ok(Self {
            roles,
            taken,
            target,
            weights,
            blocks,
            notices,
        })
    }
}

/// The column that a word refers to: the one with that name or, if it is a number, the one at that
/// 0-based index.
pub(crate) fn resolve(
    file: &str,
    names: &[String],
    word: &str,
    option: &str,
) -> Result<usize, ReadError> {
    let word = word.trim();
    if let Some(i) = names.iter().position(|n| n == word) {
        return Ok(i);
    }
    if let Ok(i) = word.parse::<usize>() {
        if i < names.len() {
            return Ok(i);
        }
        let message = format!(
            "{option} {word}: there is no column of this name, and the last index is {}",
            names.len() - 1
        );
        return Err(ReadError::new(file, message).hint(listing(names)));
    }
    let close = similar(names, word);
    let hint = if close.is_empty() {
        listing(names)
    } else {
        let shown: Vec<String> = close.iter().take(3).map(|n| format!("'{n}'")).collect();
        format!("Did you mean {}?", shown.join(" or "))
    };
    Err(ReadError::new(file, format!("{option} {word}: there is no such column")).hint(hint))
}

/// Names that a mistyped word may stand for, the closest first.
pub fn similar<'a, S: AsRef<str>>(names: &'a [S], word: &str) -> Vec<&'a str> {
    let names = names.iter().map(AsRef::as_ref);
    let mut close: Vec<(usize, &str)> = names.map(|n| (distance(n, word), n)).collect();
    close.retain(|(d, n)| *d <= (word.chars().count().max(n.chars().count()) / 3).clamp(1, 3));
    close.sort_unstable();
    close.into_iter().map(|(_, n)| n).collect()
}

/// The first columns, for a message.
pub(crate) fn listing(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(10).map(|n| format!("'{n}'")).collect();
    let more = if names.len() > 10 {
        format!(", ... ({} in all)", names.len())
    } else {
        String::new()
    };
    format!("The columns are {}{more}.", shown.join(", "))
}

/// Fails, naming both places, when two columns have the same name.
pub(crate) fn check_unique(names: &[String]) -> Result<(), String> {
    let mut seen = HashMap::new();
    for (i, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name, i) {
            return Err(format!(
                "two columns are called '{name}': column {} and column {}, counted from 1",
                first + 1,
                i + 1
            ));
        }
    }
    Ok(())
}

/// Edit distance that ignores case. Swapping two adjacent letters counts as one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.to_lowercase().chars().collect(),
        b.to_lowercase().chars().collect(),
    );
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in [
            ("", "", 0),
            ("abc", "ABC", 0),
            ("abc", "acb", 1),
            ("abc", "ab", 1),
            ("abc", "xabc", 1),
            ("kitten", "sitting", 3),
            ("auot", "auto", 1),
            ("a", "abcde", usize::MAX),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
        assert_eq!(similar(&["smkda", "mkda", "lda"], "smkad"), ["smkda"]);
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn a_name_goes_before_an_index() {
        let n = names(&["2", "a", "b"]);
        assert_eq!(resolve("f", &n, "2", "--drop"), Ok(0));
        assert_eq!(resolve("f", &n, "1", "--drop"), Ok(1));
        assert!(
            resolve("f", &n, "3", "--drop")
                .unwrap_err()
                .to_string()
                .contains("last index is 2")
        );
    }

    #[test]
    fn close_names_are_offered() {
        let n = names(&["width", "length", "Class"]);
        let e = resolve("f", &n, "class", "--target")
            .unwrap_err()
            .to_string();
        assert!(e.ends_with("Did you mean 'Class'?"), "{e}");
        let e = resolve("f", &n, "widht", "--target")
            .unwrap_err()
            .to_string();
        assert!(e.contains("'width'"), "{e}");
        let e = resolve("f", &n, "zzz", "--target").unwrap_err().to_string();
        assert!(
            e.contains("The columns are 'width', 'length', 'Class'."),
            "{e}"
        );
    }

    #[test]
    fn edit_distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("Ab", "aB"), 0);
    }
}
