//! Columns that number the rows. As features they reveal the order of the file, not the classes.

use kernsieve::linalg::Matrix;

/// A notice about numeric features that look like row numbers: by their names, and because they are
/// whole numbers that grow from row to row.
pub(crate) fn remark(x: &Matrix, names: &[String]) -> Option<String> {
    let numbers_rows = |j: &usize| {
        let value = |i: usize| x[(i, *j)];
        is_name(&names[*j])
            && x.rows() >= 3
            && (0..x.rows()).all(|i| value(i).fract() == 0.0 && (i == 0 || value(i - 1) < value(i)))
    };
    let found: Vec<&str> = (0..names.len())
        .filter(numbers_rows)
        .map(|j| names[j].as_str())
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "'{}' looks like the number of the row and is used as a feature; \
             --drop {} leaves it out",
            found.join("', '"),
            found.join(",")
        )
    })
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
        let names = ["id", "a", "row"].map(String::from);
        let found = |values: &[f64]| {
            remark(
                &Matrix::from_vec(values.to_vec(), values.len() / 3, 3),
                &names,
            )
        };
        // `row` does not grow, and `a` does not have such a name.
        let text = found(&[4.0, 1.0, 1.0, 7.0, 2.0, 3.0, 9.0, 3.0, 2.0]).expect("one");
        assert!(
            text.contains("'id'") && text.contains("--drop id leaves"),
            "{text}"
        );
        assert_eq!(found(&[1.0, 1.0, 1.0, 2.5, 2.0, 1.0, 3.0, 3.0, 1.0]), None);
        let both = found(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]).expect("two");
        assert!(both.contains("--drop id,row"), "{both}");
    }
}
