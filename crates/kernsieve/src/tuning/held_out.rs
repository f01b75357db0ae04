//! What cross-validation with the settings of a model says of every row it was trained on.

use super::control::Control;
use super::cross_validation::PreparedFold;
use super::sample::is_tuned_on_a_sample;
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::{MethodKind, Validation};
use crate::model::Model;

/// Class probabilities of each row of the training data by a fit without the fold that it is in,
/// with the settings, the temperature and the costs of the model; `None` for rows of a fold that
/// could not be fitted. The folds are those of the tuning. `None` altogether where there was no
/// tuning by folds, or on a sample of the rows only.
///
/// The settings were chosen with all rows, so this is a little better than the truth, as any
/// cross-validated error of the best of many settings is.
pub fn held_out_probabilities(
    model: &Model,
    data: &Dataset,
    control: &Control,
) -> Result<Option<Vec<Option<Vec<f64>>>>> {
    let (record, options) = (&model.record, &model.record.options);
    let kind: MethodKind = record.method.parse()?;
    if record.cv.is_none()
        || options.validation == Validation::Split
        || is_tuned_on_a_sample(kind, options, data)
    {
        return Ok(None);
    }
    let method = kind.build(options)?;
    let arm = vec![record.candidate.clone()];
    let mut rows: Vec<Option<Vec<f64>>> = vec![None; data.n_samples()];
    // Position among the classes of the model, which are those of the data that have rows.
    let place: Vec<Option<usize>> = data
        .labels()
        .classes()
        .iter()
        .map(|c| model.classes.iter().position(|m| m == c))
        .collect();
    for split in data.folds(options.folds, options.seed)? {
        control.checkpoint()?;
        let prepared = PreparedFold::new(method.as_ref(), data, &split, options)?;
        let places: Vec<usize> = prepared.classes.iter().filter_map(|&c| place[c]).collect();
        let scores = match &prepared.fold {
            None => Some(Matrix::zeros(split.test.len(), places.len())),
            Some(fold) => method
                .held_out(fold, &arm)?
                .into_iter()
                .next()
                .flatten()
                .map(|h| h.scores),
        };
        let Some(scores) = scores else { continue };
        for (row, &i) in scores.iter_rows().zip(&split.test) {
            rows[i] = Some(model.probabilities_among(row, &places));
        }
    }
    Ok(Some(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, simulate};
    use crate::decision::argmax;
    use crate::method::Options;
    use crate::tuning::train;

    #[test]
    fn its_errors_are_those_of_the_table() {
        let data = simulate::rings(3);
        let schema = Schema::numeric(data.feature_names());
        for kind in MethodKind::ALL {
            let options = Options {
                // A vote on the features reports the errors of what it replaced.
                vote: false,
                ..Options::default()
            };
            let trained =
                train(kind, &options, &data, &schema, true, &Control::new()).expect("trains");
            let rows = held_out_probabilities(&trained.model, &data, &Control::new())
                .expect("runs")
                .expect("there were folds");
            let wrong = rows
                .iter()
                .zip(data.labels().codes())
                .filter(|(row, truth)| {
                    let p = row.as_ref().expect("fitted");
                    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    argmax(p) != **truth
                });
            let error = wrong.count() as f64 / data.n_samples() as f64;
            let claimed = trained
                .model
                .record
                .cv
                .as_ref()
                .and_then(|cv| cv.best().error)
                .expect("fitted");
            assert!(
                (error - claimed).abs() < 1e-12,
                "{kind:?}: {error} {claimed}"
            );
        }
    }

    #[test]
    fn without_folds_there_is_nothing_to_say() {
        let data = simulate::rings(0);
        let schema = Schema::numeric(data.feature_names());
        let trained = train(
            MethodKind::Lda,
            &Options::default(),
            &data,
            &schema,
            false,
            &Control::new(),
        )
        .expect("trains");
        assert!(
            held_out_probabilities(&trained.model, &data, &Control::new())
                .expect("runs")
                .is_none()
        );
    }
}
