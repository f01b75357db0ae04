//! Notices about data and fits.

use crate::data::{Dataset, Scaling};
use crate::method::{Certificate, Chosen, Fit, Setting};
use crate::model::{Assessment, Model};
use crate::notice::Notice;
use crate::params::{Params, Protocol, Score, ThresholdRule};
use std::collections::HashSet;

/// An area below the receiver operating characteristic that is clearly above one half.
const CLEAR_AREA: f64 = 0.6;
/// From this share of the rows on, the positive class is hardly the one that is looked for.
const COMMON: f64 = 0.8;
/// A residual of a closed form beyond this is more than rounding.
const ROUNDING: f64 = 1e-6;

/// The notice about constant features.
pub(super) fn constant_features(names: &[String], scaling: &Scaling) -> Option<Notice> {
    let constant = names.iter().zip(&scaling.active).filter(|(_, on)| !**on);
    let constant: Vec<String> = constant.map(|(name, _)| name.clone()).collect();
    (!constant.is_empty()).then_some(Notice::ConstantFeatures(constant))
}

/// Notices about a data set before anything is fitted.
pub(super) fn about_data(data: &Dataset, scaling: &Scaling, protocol: &Protocol) -> Vec<Notice> {
    let mut notices = Vec::from_iter(constant_features(data.feature_names(), scaling));
    if let Some(weights) = data.weights() {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        if mean < 0.5 {
            notices.push(Notice::SmallWeights(mean));
        }
    }
    let counts = data.labels().counts();
    let named = |classes: Vec<usize>| -> Vec<String> {
        let names = data.labels().classes();
        classes.into_iter().map(|c| names[c].clone()).collect()
    };
    let single: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] == 1).collect();
    if !single.is_empty() {
        notices.push(Notice::SingleRowClasses(named(single)));
    }
    if let Some(blocks) = data.blocks() {
        let mut of_class = vec![HashSet::new(); counts.len()];
        for (&class, block) in data.labels().codes().iter().zip(blocks) {
            of_class[class].insert(block);
        }
        let alone = (0..counts.len()).filter(|&c| counts[c] > 1 && of_class[c].len() == 1);
        let alone: Vec<usize> = alone.collect();
        if !alone.is_empty() {
            notices.push(Notice::OneBlockClasses(named(alone)));
        }
    }
    notices.extend(common_positive(data, protocol));
    notices
}

/// The notice about F1, precision and recall of the class of most rows, which nobody asked for by
/// name.
fn common_positive(data: &Dataset, protocol: &Protocol) -> Option<Notice> {
    let counts = data.labels().counts();
    let of_positive = |rule: ThresholdRule| {
        let by_measure = rule == ThresholdRule::Best(Score::F1);
        by_measure || matches!(rule, ThresholdRule::Precision(_) | ThresholdRule::Recall(_))
    };
    let asked = protocol.score == Some(Score::F1) || protocol.threshold.is_some_and(of_positive);
    let (&[rare, positive], None) = (counts.as_slice(), &protocol.positive) else {
        return None;
    };
    let classes = data.labels().classes();
    let common = positive as f64 >= COMMON * (rare + positive) as f64;
    (asked && common).then(|| Notice::CommonPositive {
        positive: classes[1].clone(),
        rare: classes[0].clone(),
    })
}

/// Notices about how held-out rows fared.
pub(super) fn about_quality(a: &Assessment, model: &Model) -> Vec<Notice> {
    let mut notices = vec![];
    // Costs and thresholds buy one kind of error with another.
    let plain = model.costs.is_empty() && model.threshold.is_none();
    let expected = model.record.expected().map_or(a.error, |e| e.error);
    let spread = (a.error * (1.0 - a.error) / a.rows.max(1) as f64).sqrt();
    if plain && expected > a.baseline.error - spread {
        notices.push(Notice::NoBetterThanBaseline {
            error: expected,
            baseline: a.baseline.error,
            class: model.classes[a.baseline.class].clone(),
            orders: a.auc.filter(|v| *v > CLEAR_AREA),
        });
    }
    if !a.never_predicted.is_empty() {
        let names = a.never_predicted.iter().map(|&c| model.classes[c].clone());
        notices.push(Notice::NeverPredicted(names.collect()));
    }
    notices
}

/// Notices about a fit. A closed form always "converges"; if rounding has destroyed its solution,
/// its report says that it has not.
pub(super) fn about_fit<S: Setting>(fit: &mut Fit, setting: &S, params: &Params) -> Vec<Notice> {
    let mut notices = Vec::new();
    let report = &mut fit.report;
    // The ridge of the method itself, not that of the posteriors behind its kernel.
    report.ridge = report.ridge.or(Chosen::of(setting).number("ridge"));
    let has_ridge = report.ridge.is_some();
    match (fit.certificate, report.residual) {
        (Certificate::Regressions, _) if !report.converged => {
            notices.push(Notice::RegressionsNotConverged);
        }
        (Certificate::Equations, Some(residual)) if residual.is_nan() || residual > ROUNDING => {
            report.converged = false;
            notices.push(Notice::Inexact {
                residual,
                has_ridge,
            });
        }
        (Certificate::Weights, Some(residual)) if !report.converged => {
            notices.push(Notice::NotStationary(residual));
        }
        _ => {}
    }
    let kept = report.retained_rows.len();
    if let Some(singular) = report.singular {
        notices.push(Notice::PseudoInverse {
            condition: singular.condition,
            rank: singular.rank,
            of: kept,
        });
    }
    let given = params.get("max_support").is_some_and(|v| !v.is_null());
    if let Some(asked) = setting.size().samples.filter(|&s| s > kept && given) {
        notices.push(Notice::FewerSamples { kept, asked });
    }
    if let Some((start, of)) = report.start {
        notices.push(Notice::BestStart { start, of });
    }
    let reader = match &fit.discriminant {
        Some(kernel) => &kernel.expansion,
        None => &fit.expansion,
    };
    if reader.feature_weights.iter().all(|w| *w == 0.0) {
        let fixed = params.get("sparsity").is_some_and(|v| !v.is_null());
        notices.push(Notice::NoFeature { fixed });
    }
    if !reader.kernel.family().is_definite() {
        notices.push(Notice::IndefiniteKernel);
    }
    notices
}
