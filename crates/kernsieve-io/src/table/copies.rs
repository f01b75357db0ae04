//! Columns that say what another one says already.

use super::RawColumn;
use crate::columns::Cells;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most columns that the note names.
const MOST_NAMED: usize = 5;

/// A note about columns that have the same cell as an earlier one in every row.
pub(super) fn note(columns: &[RawColumn]) -> Option<String> {
    let mut first: HashMap<u64, usize> = HashMap::new();
    let mut copies: Vec<String> = vec![];
    for (j, column) in columns.iter().enumerate() {
        let Some(digest) = digest(&column.cells) else {
            continue;
        };
        let of = &columns[*first.entry(digest).or_insert(j)];
        if of.name != column.name && of.holds == column.holds && is_same(&of.cells, &column.cells) {
            copies.push(format!("'{}' that of '{}'", column.name, of.name));
        }
    }
    let more = match copies.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    copies.truncate(MOST_NAMED);
    (!copies.is_empty()).then(|| {
        format!(
            "columns with the same value as another in every row: {}{more}; they share their \
             importance, and --drop leaves them out",
            copies.join(", ")
        )
    })
}

/// A number for the cells of a column. Those of a constant column, of which another note tells, and
/// of a column of mostly zeros have none.
fn digest(cells: &Cells) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match cells {
        Cells::Numbers(n) => {
            let mut bits = n.values.iter().map(|v| v.to_bits());
            let one = bits.next()?;
            if bits.all(|b| b == one) {
                return None;
            }
            n.values.iter().for_each(|v| v.to_bits().hash(&mut hasher));
        }
        Cells::Text(t) if t.levels.len() > 1 => {
            t.codes.hash(&mut hasher);
            t.levels.hash(&mut hasher);
        }
        Cells::Text(_) | Cells::Sparse(_) => return None,
    }
    Some(hasher.finish())
}

fn is_same(a: &Cells, b: &Cells) -> bool {
    match (a, b) {
        (Cells::Numbers(a), Cells::Numbers(b)) => {
            let bits = |v: &f64| v.to_bits();
            a.values.iter().map(bits).eq(b.values.iter().map(bits))
        }
        (Cells::Text(a), Cells::Text(b)) => a.codes == b.codes && a.levels == b.levels,
        _ => false,
    }
}
