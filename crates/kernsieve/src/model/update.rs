//! Further rows for a trained model.

use super::Model;
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{Output, nonzero};
use crate::kernel::gram;
use crate::linalg::Matrix;
use crate::method::smkda::recursive::solve_factor;
use crate::params::Priors;
use crate::partial::Columns;

impl Model {
    /// Takes in further rows of raw features, with the positions of their classes and, where rows
    /// differ, weights. Coefficients, class means, eigenvalues and empirical priors are then those
    /// of a fit on all rows with the same samples. What the first fit chose stays: scaling, kernel,
    /// ridge, samples, calibration, costs, threshold, and its cross-validation.
    ///
    /// The model must have been fitted with `updatable`. If there is an error, it is unchanged.
    pub fn update(&mut self, x: &Matrix, codes: &[usize], weights: Option<&[f64]>) -> Result<()> {
        let Some(mut factor) = self.factor.clone() else {
            return Err(Error::Data(
                "the model keeps nothing of its training rows that others could be added to; fit \
                 `smkda` with `updatable`"
                    .into(),
            ));
        };
        self.check_rows(x, codes, weights)?;
        let mut rows = x.clone();
        self.scaling.apply_in_place(&mut rows);
        if let Some(kernel) = &self.discriminant {
            rows = kernel.features(&rows);
        }
        let e = &self.expansion;
        let used = nonzero(&e.feature_weights);
        let centres = Matrix::from_fn(e.support.rows(), used.len(), |i, k| {
            e.support[(i, k)] * e.feature_weights[used[k]]
        });
        let columns = Columns::Kernel {
            kernel: e.kernel,
            scores: None,
            weights: e.feature_weights.clone(),
            centres: centres.clone(),
            linear: false,
        };
        factor.update(&columns.of(&rows), codes, weights);
        let options = &self.record.options;
        let components = options.params.get("components").and_then(|v| v.as_u64());
        let solved = solve_factor(
            &factor,
            self.record.report.ridge,
            || gram(&e.kernel, &centres),
            components.and_then(|v| v.try_into().ok()),
        )?;

        let mut updated = self.clone();
        let variates = solved.variates;
        updated.expansion.output = Output::Linear {
            coef: variates.coef,
            offset: variates.offset,
        };
        let Decision::Mahalanobis { log_priors, .. } = &self.decision else {
            return Err(Error::ModelFile(
                "its rule is none that can be updated".into(),
            ));
        };
        let totals = factor.reduced().totals;
        let all: f64 = totals.iter().sum();
        let empirical = options.protocol.priors == Priors::Empirical;
        updated.decision = Decision::Mahalanobis {
            means: variates.means,
            log_priors: match empirical {
                true => totals.iter().map(|t| (t / all).ln()).collect(),
                false => log_priors.clone(),
            },
        };
        let record = &mut updated.record;
        record.report.objective = Some(solved.objective);
        record.report.eigenvalues = variates.eigenvalues;
        record.report.residual = None;
        record.n_rows += codes.len();
        codes.iter().for_each(|&c| record.class_counts[c] += 1);
        record.added.push(codes.len());
        updated.factor = Some(factor);
        updated.check()?;
        *self = updated;
        Ok(())
    }

    fn check_rows(&self, x: &Matrix, codes: &[usize], weights: Option<&[f64]>) -> Result<()> {
        let (n, p) = (x.rows(), self.reader().n_features());
        if x.cols() != p || codes.len() != n || weights.is_some_and(|w| w.len() != n) || n == 0 {
            return Err(Error::Data(format!(
                "{n} rows of {} features with {} classes for a model of {p} features; give at \
                 least one row, and a class for each",
                x.cols(),
                codes.len()
            )));
        }
        for (row, values) in x.iter_rows().enumerate() {
            if let Some(feature) = values.iter().position(|v| !v.is_finite()) {
                return Err(Error::NotFinite { row, feature });
            }
        }
        if let Some(code) = codes.iter().find(|&&c| c >= self.classes.len()) {
            return Err(Error::Data(format!(
                "there is no class {code} in a model of {} classes; a class that is new needs a \
                 new fit",
                self.classes.len()
            )));
        }
        let sound = |w: &f64| w.is_finite() && *w > 0.0;
        match weights.is_none_or(|w| w.iter().all(sound)) {
            true => Ok(()),
            false => Err(Error::Data("weights must be finite and above 0".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Dataset, simulate};
    use crate::linalg::Matrix;
    use crate::method::Smkda;
    use crate::model::Model;
    use crate::params::Protocol;
    use crate::tuning::{Control, Train};

    fn first_and_rest(data: &Dataset, first: usize) -> (Dataset, Matrix, Vec<usize>) {
        let all: Vec<usize> = (0..data.n_samples()).collect();
        let (a, b) = all.split_at(first);
        let codes = b.iter().map(|&i| data.labels().codes()[i]).collect();
        (
            data.select(a).expect("rows"),
            data.x().select_rows(b),
            codes,
        )
    }

    fn trained(smkda: Smkda, data: &Dataset) -> Model {
        let trained = smkda.train(data, &Protocol::default(), &Control::new());
        trained.expect("trains").model
    }

    #[test]
    fn rows_added_later_are_as_if_there_from_the_start() {
        let data = simulate::rings(3);
        let (first, x, codes) = first_and_rest(&data, 120);
        for smkda in [
            Smkda::new().max_support(12),
            Smkda::new().max_support(9).ridge(0.5),
        ] {
            let mut model = trained(smkda.updatable(true), &first);
            let mut at_once = model.clone();
            at_once.update(&x, &codes, None).expect("takes them in");
            // One by one, and through a file.
            for (i, code) in codes.iter().enumerate() {
                let row = x.select_rows(&[i]);
                model.update(&row, &[*code], None).expect("takes it in");
            }
            let bytes = crate::model_file::to_bytes(&model).expect("written");
            assert_eq!(crate::model_file::read(&bytes).expect("read"), model);

            // A batch regression of all rows on the same samples: plain columns, plain responses.
            let batch = batch(&at_once, &data);
            let new = simulate::rings(8);
            let (a, b) = (model.outputs(new.x()), at_once.outputs(new.x()));
            for (i, row) in batch(new.x()).iter_rows().enumerate() {
                for (j, direct) in row.iter().enumerate() {
                    let size = b.max_abs();
                    assert!(
                        (b[(i, j)] - direct).abs() < 1e-10 * size,
                        "{} {direct}",
                        b[(i, j)]
                    );
                    assert!((a[(i, j)] - direct).abs() < 1e-10 * size);
                }
            }
            assert_eq!(model.record.n_rows, data.n_samples());
            assert_eq!(model.record.class_counts, data.labels().counts());
            assert_eq!(
                model.record.report.retained_rows,
                at_once.record.report.retained_rows
            );
        }
    }

    /// Variates of a dense regression of all rows at once on the samples of a model, which keeps its
    /// scaling.
    fn batch(model: &Model, data: &Dataset) -> impl Fn(&Matrix) -> Matrix {
        use crate::classes::Classes;
        use crate::linalg::{add_to_rows, matmul};
        use crate::solver::ols::coefficients;
        use crate::solver::optimal_scoring::{canonical, scored_responses};
        let e = model.expansion.clone();
        let scaling = model.scaling.clone();
        let columns = move |x: &Matrix| {
            let mut rows = x.clone();
            scaling.apply_in_place(&mut rows);
            crate::kernel::cross_gram(&e.kernel, &rows, &e.support)
        };
        let (k, s) = (columns(data.x()), model.expansion.support.rows());
        let n = k.rows();
        let classes = Classes::new(data.labels().codes(), None, data.labels().n_classes());
        let y = scored_responses(&classes);
        let (means, y_means) = (classes.column_means(&k), classes.column_means(&y));
        let ridge = model.record.report.ridge.unwrap_or(0.0);
        // Rows below that make the penalty a part of the squares, by Cholesky.
        let own = crate::kernel::gram(&model.expansion.kernel, &model.expansion.support);
        let mut lower = Matrix::zeros(s, s);
        for i in 0..s {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|l| lower[(i, l)] * lower[(j, l)]).sum();
                let left = own[(i, j)] - sum;
                lower[(i, j)] = if i == j {
                    left.sqrt()
                } else {
                    left / lower[(j, j)]
                };
            }
        }
        let coef = coefficients(n + s, s, y.cols(), |i, row| {
            for (j, v) in row[..s].iter_mut().enumerate() {
                *v = match i < n {
                    true => k[(i, j)] - means[j],
                    false => ridge.sqrt() * lower[(j, i - n)],
                };
            }
            for (j, v) in row[s..s + y.cols()].iter_mut().enumerate() {
                *v = if i < n { y[(i, j)] - y_means[j] } else { 0.0 };
            }
        });
        let coef = coef.expect("solves").coef;
        let along = |j: usize| (0..s).map(|l| means[l] * coef[(l, j)]).sum::<f64>();
        let offset: Vec<f64> = (0..y.cols()).map(|j| y_means[j] - along(j)).collect();
        let mut fitted = matmul(k.view(), coef.view());
        add_to_rows(&mut fitted, &offset);
        let cv = canonical(&coef, &offset, &fitted, &classes, None).expect("finite");
        move |x: &Matrix| {
            let mut z = matmul(columns(x).view(), cv.coef.view());
            add_to_rows(&mut z, &cv.offset);
            z
        }
    }

    #[test]
    fn what_cannot_be_taken_in_changes_nothing() {
        let data = simulate::rings(3);
        let (first, x, codes) = first_and_rest(&data, 120);
        let mut plain = trained(Smkda::new().max_support(5), &first);
        let error = plain.update(&x, &codes, None).expect_err("nothing kept");
        assert!(error.to_string().contains("`updatable`"), "{error}");
        let mut model = trained(Smkda::new().max_support(5).updatable(true), &first);
        let before = model.clone();
        let wrong = vec![9; codes.len()];
        assert!(model.update(&x, &wrong, None).is_err());
        assert!(model.update(&x, &codes[1..], None).is_err());
        let mut odd = x.clone();
        odd[(0, 0)] = f64::NAN;
        assert!(model.update(&odd, &codes, None).is_err());
        let none = vec![0.0; codes.len()];
        assert!(model.update(&x, &codes, Some(&none)).is_err());
        assert!(model.update(&x.select_columns(&[0]), &codes, None).is_err());
        assert_eq!(model, before);
    }
}
