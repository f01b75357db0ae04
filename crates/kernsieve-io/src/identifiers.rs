//! Columns that number the rows. As features they reveal the order of the file, not the classes.

/// Why numbers look like numbers or names of rows, if they do: by the name of their column, and
/// because they are whole numbers that grow from row to row or hardly repeat.
pub(crate) fn numbers(name: &str, values: &[f64]) -> Option<String> {
    if !is_name(name) || values.len() < 3 || values.iter().any(|v| v.fract() != 0.0) {
        return None;
    }
    if values.windows(2).all(|w| w[0] < w[1]) {
        return Some("it looks like the number of the row".into());
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    (values.len() > 20 && 2 * sorted.len() > values.len())
        .then(|| "its numbers look like names of rows".into())
}

/// `id`, `Patient_ID`, `index`, `row` and their like.
fn is_name(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let last = name
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    const NAMES: [&str; 8] = [
        "id", "idx", "index", "row", "rowid", "rownum", "rowname", "rownames",
    ];
    NAMES.contains(&last) || name == "row_number" || name == "unnamed: 0"
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
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in ["acid", "width", "idea", "rows_seen", "x0", ""] {
            assert!(!is_name(name), "{name}");
        }
        let grows = [4.0, 7.0, 9.0];
        assert!(numbers("id", &grows).is_some_and(|w| w.contains("number of the row")));
        assert_eq!(numbers("width", &grows), None);
        assert_eq!(numbers("id", &[1.0, 1.0, 2.0]), None);
        assert_eq!(numbers("id", &[1.0, 2.5, 3.0]), None);
        let names: Vec<f64> = (0..50).map(|i| f64::from(i * 37 % 101)).collect();
        assert!(numbers("patient_id", &names).is_some());
        let blocks: Vec<f64> = (0..50).map(|i| f64::from(i % 7)).collect();
        assert_eq!(numbers("patient_id", &blocks), None);
    }
}
