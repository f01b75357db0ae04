//! The data that the script of a page about a model draws, as written into the page.

use serde::Serialize;

/// Everything the script knows. Names are plain text: the script only ever writes them as text.
#[derive(Default, Serialize)]
pub struct Data {
    /// Classes; those that only the rows have come last.
    pub classes: Vec<String>,
    /// Features whose values are shown with a row.
    pub features: Vec<String>,
    /// Rows that can be shown.
    pub sets: Vec<Points>,
    /// Where rows lie among the outputs.
    pub scores: Option<Scores>,
    /// Predictions of the model between the rows.
    pub regions: Option<Regions>,
    /// The same where there is one feature only.
    pub profile: Option<Profile>,
    /// Weights along the penalty.
    pub path: Option<WeightPath>,
    /// Error against what was tuned.
    pub curve: Option<Curve>,
    /// Error against the number of features, where that of rows is drawn too.
    pub feature_curve: Option<Curve>,
    /// Error against the number of rows that a fit sees.
    pub learning_curve: Option<Curve>,
    /// Mean probabilities along features.
    pub dependence: Vec<Along>,
    /// What thresholds between two classes do.
    pub cuts: Option<Cuts>,
    /// Claimed and observed probabilities.
    pub calibration: Option<Calibration>,
}

/// Rows, column by column.
#[derive(Serialize)]
pub struct Points {
    /// The name of the set, where one can choose between sets.
    pub name: String,
    /// Places in the file.
    pub row: Vec<usize>,
    /// Observed class.
    pub y: Vec<usize>,
    /// Class that the model predicts, which also gave the outputs.
    pub p: Vec<usize>,
    /// Its probability.
    pub s: Vec<f64>,
    /// Class predicted by a fit without the row's fold; empty where there are no such fits.
    pub without: Vec<usize>,
    /// Outputs, one list each.
    pub z: Vec<Vec<Option<f64>>>,
    /// Values of the features, one list each.
    pub f: Vec<Vec<Option<f64>>>,
    /// Positions in these lists of the rows that the model retained; empty if it retained all of
    /// them.
    pub kept: Vec<usize>,
}

/// The axes of the outputs.
#[derive(Serialize)]
pub struct Scores {
    /// Names of the axes.
    pub axes: Vec<String>,
    /// A point for each class of the model; empty where the rule has none.
    pub centroids: Vec<Vec<f64>>,
    /// Where two classes meet, on a single axis.
    pub cut: Option<f64>,
}

/// Predictions on a grid of two features, from the lower left, row by row.
#[derive(Serialize)]
pub struct Regions {
    /// Positions of the two features among those shown.
    pub axes: [usize; 2],
    /// Smallest and largest value of each.
    pub range: [[f64; 2]; 2],
    /// Cells in each direction.
    pub cells: usize,
    /// Class of each cell.
    pub class: Vec<usize>,
    /// Its probability in percent.
    pub sure: Vec<u8>,
}

/// Probabilities of the classes along one feature.
#[derive(Serialize)]
pub struct Profile {
    /// Its values.
    pub x: Vec<f64>,
    /// Probabilities, a list for each class.
    pub p: Vec<Vec<f64>>,
}

/// Mean probabilities along a feature.
#[derive(Serialize)]
pub struct Along {
    /// Its name.
    pub name: String,
    /// Its values.
    pub x: Vec<f64>,
    /// Classes with their probabilities.
    pub lines: Vec<(usize, Vec<f64>)>,
}

/// Weights of features against the penalty.
#[derive(Serialize)]
pub struct WeightPath {
    /// Penalties.
    pub x: Vec<f64>,
    /// Name and weights of each feature.
    pub lines: Vec<(String, Vec<f64>)>,
    /// The penalty that was chosen.
    pub chosen: Option<f64>,
}

/// Error against what was tuned.
#[derive(Serialize)]
pub struct Curve {
    /// What was tuned.
    pub name: String,
    /// What is measured.
    pub measure: &'static str,
    /// Whether the measure is a share, shown in percent.
    pub percent: bool,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Value, error, standard error.
    pub points: Vec<(f64, f64, Option<f64>)>,
    /// Position of the chosen one.
    pub chosen: Option<usize>,
}

/// What thresholds between two classes do: each with the share found, the share of right calls and
/// the false alarms.
#[derive(Serialize)]
pub struct Cuts {
    /// The class that is called from the threshold on.
    pub positive: String,
    /// Its share.
    pub share: f64,
    /// Some thresholds, the highest first.
    pub points: Vec<[f64; 4]>,
    /// That of the model.
    pub chosen: [f64; 4],
}

/// Claimed and observed probabilities.
#[derive(Serialize)]
pub struct Calibration {
    /// What is claimed.
    pub claim: String,
    /// Claimed, observed, low end, high end, rows.
    pub bins: Vec<(f64, f64, f64, f64, usize)>,
}

/// A value with this many significant digits; `None` if it is not finite.
pub fn rounded(value: f64, digits: usize) -> Option<f64> {
    // Through text, which rounds to the decimal that is then written.
    let text = format!("{value:.0$e}", digits.saturating_sub(1));
    text.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Values to about a two-thousandth of their range, which is less than a picture can show.
pub fn for_drawing(values: &[f64]) -> Vec<Option<f64>> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (
        finite().fold(f64::INFINITY, f64::min),
        finite().fold(f64::NEG_INFINITY, f64::max),
    );
    let range = high - low;
    if !(range.is_finite() && range > 0.0) {
        return values.iter().map(|v| rounded(*v, 6)).collect();
    }
    let decimals = (2000.0 / range).log10().ceil();
    let round = |v: &f64| {
        // Digits down to that decimal; below half of its unit there is nothing to draw.
        let digits = v.abs().log10().floor() + 1.0 + decimals;
        if digits < 1.0 {
            Some(0.0)
        } else {
            rounded(*v, digits.min(17.0) as usize)
        }
    };
    values
        .iter()
        .map(|v| if v.is_finite() { round(v) } else { None })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_a_picture_allows() {
        assert_eq!(rounded(0.000123456, 3), Some(0.000123));
        assert_eq!(rounded(-123456.0, 3), Some(-123000.0));
        assert_eq!(rounded(f64::NAN, 3), None);
        assert_eq!(rounded(1e300, 7), Some(1e300));
        // The spread matters, not the size.
        let drawn = for_drawing(&[1_700_000_000.123, 1_700_000_001.456, f64::INFINITY]);
        assert_eq!(
            drawn,
            [Some(1_700_000_000.123), Some(1_700_000_001.456), None]
        );
        assert_eq!(
            for_drawing(&[0.0, 1_000_000.0, 123_456.0, -3.0]),
            [Some(0.0), Some(1_000_000.0), Some(123_500.0), Some(0.0)]
        );
        assert_eq!(for_drawing(&[2.0, 2.0]), [Some(2.0), Some(2.0)]);
    }
}
