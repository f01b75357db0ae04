//! The error when fits see fewer rows.

use super::Analysis;
use super::data::{Curve, Data, rounded};
use super::frame::{Section, figure};

/// The learning curve, where it was asked for.
pub fn section(a: &Analysis<'_>, data: &mut Data) -> Option<Section> {
    let curve = a.summary.run.as_ref()?.learning_curve?;
    if curve.len() < 2 {
        return None;
    }
    let round = |v: f64| rounded(v, 5).unwrap_or(v);
    data.learning_curve = Some(Curve {
        name: "rows that a fit sees".into(),
        measure: "error",
        percent: true,
        log: true,
        points: curve
            .iter()
            .map(|p| (p.rows as f64, round(p.error), Some(round(p.standard_error))))
            .collect(),
        chosen: None,
    });
    let body = format!(
        "<p>The error on the held-out part of each fold when the chosen setting is fitted on an \
         eighth, a quarter, a half and all of the training part. A line that still falls at its \
         right end says that more rows would help. The setting was chosen with all rows; one \
         tuned for few rows might do better on few.</p>\n{}",
        figure(
            "learning-curve",
            "Line chart: error against the number of rows",
            "The band is one standard error to either side; the broken line is the least error \
             plus one standard error."
        )
    );
    Some(Section {
        id: "learning",
        title: "Error against rows".into(),
        body,
    })
}
