//! Columns that number the rows. As features they reveal the order of the file, not the classes.

/// Why numbers look like numbers or names of rows, if they do: by the name of their column, and
/// because they are whole numbers that grow from row to row or hardly repeat. Missing cells say
/// nothing.
pub(crate) fn numbers(name: &str, values: &[f64]) -> Option<String> {
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    if !is_name(name) || known.len() < 3 || known.iter().any(|v| v.fract() != 0.0) {
        return None;
    }
    if known.windows(2).all(|w| w[0] < w[1]) {
        return Some("it looks like the number of the row".into());
    }
    let mut sorted = known.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    (known.len() > ROWS_COUNTED && 2 * sorted.len() > known.len())
        .then(|| "its numbers look like names of rows".into())
}

/// A word about numbers that count the rows from 0 or 1, whatever their column is called.
pub(crate) fn counter(name: &str, values: &[f64]) -> Option<String> {
    let from = |first: f64| {
        (0u32..)
            .zip(values)
            .all(|(i, v)| *v == f64::from(i) + first)
    };
    (values.len() > ROWS_COUNTED && (from(0.0) || from(1.0))).then(|| {
        format!(
            "column '{name}' counts the rows; if it says nothing else, leave it out: --drop {name}"
        )
    })
}

/// The most rows whose numbers may look like names, or count the rows, by chance.
const ROWS_COUNTED: usize = 20;

/// `id`, `Patient_ID`, `PassengerId`, `index`, `row` and their like.
fn is_name(name: &str) -> bool {
    let name = name.trim();
    const NAMES: [&str; 11] = [
        "id", "idx", "index", "row", "rowid", "rownum", "rowname", "rownames", "nr", "uid", "uuid",
    ];
    let is_one = |word: &str| NAMES.contains(&word.to_lowercase().as_str());
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next();
    let last = last.unwrap_or_default();
    // `customerId`, `CustomerID`: a word begins at the capital behind a small letter.
    let humps = last.char_indices().zip(last.chars().skip(1));
    let hump = humps.filter(|((_, a), b)| a.is_lowercase() && b.is_uppercase());
    let tail = hump.last().map(|((i, a), _)| &last[i + a.len_utf8()..]);
    let whole = name.to_lowercase();
    is_one(last) || tail.is_some_and(is_one) || whole == "row_number" || whole == "unnamed: 0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rows_are_found_by_name_and_content() {
        for name in [
            "id",
            "ID",
            "patient_id",
            "Index",
            "row",
            "sample.id",
            "Unnamed: 0",
            "PassengerId",
            "customerID",
            "lfd_Nr",
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "acid",
            "width",
            "idea",
            "rows_seen",
            "x0",
            "",
            "AcId2",
            "CoviD",
        ] {
            assert!(!is_name(name), "{name}");
        }
        let grows = [4.0, 7.0, 9.0];
        assert!(numbers("id", &grows).is_some_and(|w| w.contains("number of the row")));
        assert_eq!(numbers("width", &grows), None);
        let gaps = [4.0, f64::NAN, 7.0, 9.0];
        assert!(numbers("id", &gaps).is_some_and(|w| w.contains("number of the row")));
        // A year or a temperature begins elsewhere.
        for (first, counts) in [(0.0, true), (1.0, true), (1990.0, false)] {
            let column: Vec<f64> = (0..30).map(|i| f64::from(i) + first).collect();
            assert_eq!(counter("width", &column).is_some(), counts, "{first}");
            assert_eq!(counter("width", &column[..15]), None);
        }
        assert_eq!(numbers("id", &[1.0, 1.0, 2.0]), None);
        assert_eq!(numbers("id", &[1.0, 2.5, 3.0]), None);
        let names: Vec<f64> = (0..50).map(|i| f64::from(i * 37 % 101)).collect();
        assert!(numbers("patient_id", &names).is_some());
        let blocks: Vec<f64> = (0..50).map(|i| f64::from(i % 7)).collect();
        assert_eq!(numbers("patient_id", &blocks), None);
    }
}
