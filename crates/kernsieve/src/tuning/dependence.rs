//! Partial dependence: the mean predicted probability as one feature takes one value after the
//! other and the other features stay as they are (Friedman, "Greedy function approximation", Annals
//! of Statistics 29 (2001), section 8.2),
//! ```text
//! f_c(v) = sum_i u_i p_c(x_i with x_ij = v) / sum_i u_i,     u_i the weight of row i.
//! ```
//! Where features hang together, some of these rows are unlike any that occur.

use crate::data::spread_rows;
use crate::linalg::Matrix;
use crate::model::Model;

/// Rows over which probabilities are averaged at most.
const ROWS: usize = 500;
/// Rows over which they are averaged however long a prediction takes.
const LEAST_ROWS: usize = 50;
/// Values of a feature at most.
const VALUES: usize = 20;
/// Multiplications that one feature may take: a fraction of a second.
const WORK: f64 = 1e9;

/// How the predicted probabilities depend on a feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The feature.
    pub feature: usize,
    /// Its values, ascending, in the units of the data.
    pub values: Vec<f64>,
    /// Mean probabilities, values x classes.
    pub probabilities: Matrix,
}

impl Dependence {
    /// Features that are worth a picture each.
    pub const FEATURES: usize = 4;
}

/// The partial dependence of the predictions on some features, over at most 500 of the rows, spread
/// evenly. A feature takes all its values if there are at most twenty, else quantiles: those of
/// levels `(k + 1/2) / 20`.
pub fn partial_dependence(
    model: &Model,
    x: &Matrix,
    weights: Option<&[f64]>,
    features: &[usize],
) -> Vec<Dependence> {
    let support = model
        .reader()
        .support
        .rows()
        .max(model.expansion.support.rows());
    let each = VALUES * support.max(1) * model.reader().support.cols().max(1);
    let most = ((WORK / each as f64) as usize).clamp(LEAST_ROWS, ROWS);
    let rows = spread_rows(x.rows(), most);
    if rows.is_empty() {
        return vec![];
    }
    let some = x.select_rows(&rows);
    let weights: Vec<f64> = rows
        .iter()
        .map(|&i| weights.map_or(1.0, |w| w[i]))
        .collect();
    let one = |&feature: &usize| {
        let values = values(x.column(feature));
        let mut probabilities = Matrix::zeros(values.len(), model.classes.len());
        for (k, &v) in values.iter().enumerate() {
            let mut changed = some.clone();
            (0..changed.rows()).for_each(|i| changed[(i, feature)] = v);
            let mean = mean_row(&model.predict(&changed).posterior, &weights);
            probabilities.row_mut(k).copy_from_slice(&mean);
        }
        Dependence {
            feature,
            values,
            probabilities,
        }
    };
    features.iter().map(one).collect()
}

/// All values, or about twenty of them at equal steps of rank.
fn values(mut column: Vec<f64>) -> Vec<f64> {
    column.sort_by(f64::total_cmp);
    let n = column.len();
    let mut all = column.clone();
    all.dedup();
    if all.len() <= VALUES {
        return all;
    }
    let mut some: Vec<f64> = (0..VALUES)
        .map(|k| column[(2 * k + 1) * n / (2 * VALUES)])
        .collect();
    some.dedup();
    some
}

fn mean_row(p: &Matrix, weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mut mean = vec![0.0; p.cols()];
    for (row, w) in p.iter_rows().zip(weights) {
        mean.iter_mut()
            .zip(row)
            .for_each(|(m, v)| *m += w * v / total);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Labels, Rng};
    use crate::params::Protocol;
    use crate::tuning::{Control, Train};
    use crate::{Klr, Lda};

    /// Two classes whose log odds are `3 x_0 - 2 x_1`; the third feature is noise.
    fn additive(n: usize) -> Dataset {
        let mut rng = Rng::new(5);
        let x = Matrix::from_fn(n, 3, |_, _| rng.normal());
        let codes = x.iter_rows().map(|row| {
            let odds = 3.0 * row[0] - 2.0 * row[1];
            usize::from(rng.uniform() < 1.0 / (1.0 + (-odds).exp()))
        });
        let labels = Labels::from_codes(codes.collect(), vec!["a".into(), "b".into()]);
        let names = vec!["up".into(), "down".into(), "noise".into()];
        Dataset::new(x, labels.expect("codes fit"), names).expect("valid")
    }

    #[test]
    fn a_linear_rule_depends_monotonically_on_each_feature() {
        let data = additive(400);
        let protocol = Protocol::default();
        let model = Lda::new().train(&data, &protocol, &Control::new());
        let model = model.expect("trains").model;
        let found = partial_dependence(&model, data.x(), None, &[0, 1]);
        for (d, rises) in found.iter().zip([true, false]) {
            assert_eq!(d.values.len(), VALUES);
            for k in 1..VALUES {
                assert!(d.values[k] > d.values[k - 1]);
                let step = d.probabilities[(k, 1)] - d.probabilities[(k - 1, 1)];
                assert!(if rises { step > 0.0 } else { step < 0.0 }, "{step}");
            }
            for row in d.probabilities.iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_smooth_rule_follows_the_known_function() {
        let data = additive(500);
        let model = Klr::new().train(&data, &Protocol::default(), &Control::new());
        let model = model.expect("trains").model;
        let found = partial_dependence(&model, data.x(), None, &[0, 1, 2]);
        let rise =
            |d: &Dependence| d.probabilities[(d.values.len() - 1, 1)] - d.probabilities[(0, 1)];
        assert!(rise(&found[0]) > 0.5, "{}", rise(&found[0]));
        assert!(rise(&found[1]) < -0.3, "{}", rise(&found[1]));
        assert!(rise(&found[2]).abs() < 0.15, "{}", rise(&found[2]));
    }

    #[test]
    fn weights_of_rows_count_and_few_values_are_all_taken() {
        let data = additive(60);
        let model = Lda::new().train(&data, &Protocol::default(), &Control::new());
        let model = model.expect("trains").model;
        // All weight on one row: its own probability at its own value.
        let mut weights = vec![1e-300; 60];
        weights[7] = 1.0;
        let mut x = data.x().clone();
        (0..60).for_each(|i| x[(i, 2)] = (i % 3) as f64);
        let found = partial_dependence(&model, &x, Some(&weights), &[2]);
        assert_eq!(found[0].values, [0.0, 1.0, 2.0]);
        let own = model.predict(&x.select_rows(&[7])).posterior;
        for c in 0..2 {
            assert!((found[0].probabilities[(1, c)] - own[(0, c)]).abs() < 1e-12);
        }
    }
}
