//! How good a model is, in words.

use super::{clean, percent, plural, short};
use crate::view::summary::Summary;
use kernsieve::model::Assessment;
use kernsieve::params::{Score, Validation};

/// The error to expect on new rows, and where it comes from.
pub fn expected_error(model: &Summary<'_>) -> Option<String> {
    let cv = model.tuning.as_ref()?;
    let expected = model.quality.expected?;
    let how = match cv.validation {
        Validation::Split => "on one tuning split".into(),
        _ => format!("in {}-fold cross-validation", cv.folds),
    };
    let interval = format!(
        "(95 % interval {} to {})",
        percent(expected.low),
        percent(expected.high)
    );
    let measured = expected.error - cv.optimism;
    if cv.optimism <= 0.0 {
        return Some(format!("{} {how} {interval}", percent(measured)));
    }
    Some(format!(
        "{} expected on new rows {interval}: {} {how}, {} for having chosen the best of many \
         settings",
        percent(expected.error),
        percent(measured),
        percent(cv.optimism)
    ))
}

/// What always saying the same would have, and what the probabilities are worth.
pub fn beside_baseline(model: &Summary<'_>) -> Option<String> {
    let quality = &model.quality;
    let (class, error, log_loss) = quality.baseline?;
    let a = quality.assessment?;
    let mut words = format!("{} always saying '{}'", percent(error), clean(class, 24));
    if let Some(own) = log_loss_words(a, log_loss) {
        words.push_str(&format!("; {own}"));
    }
    if let Some(auc) = a.auc {
        words.push_str(&format!(", AUC {}", three(auc)));
    }
    if let Some((score, value)) = quality.score
        && !matches!(score, Score::Error | Score::Auc)
    {
        words.push_str(&format!(", {} {}", score.title(), three(value)));
    }
    if let Some((rare, found)) = quality.rare {
        words.push_str(&format!(
            "; finds {} of '{}'",
            percent(found.recall),
            clean(rare, 24)
        ));
        if let Some(precision) = found.precision {
            words.push_str(&format!(", {} of its calls are right", percent(precision)));
        }
    }
    Some(words)
}

/// The log loss beside that of the shares, and of how many rows it is if not of all.
pub fn log_loss_words(a: &Assessment, by_shares: f64) -> Option<String> {
    let rows = a.log_loss_rows.map_or(String::new(), |rows| {
        format!(", of {} whose class the fits knew", plural(rows, "row"))
    });
    let own = three(a.log_loss?);
    Some(format!(
        "log loss {own} ({} by class shares{rows})",
        three(by_shares)
    ))
}

/// The error before costs or a threshold.
pub fn before_costs(model: &Summary<'_>) -> Option<String> {
    let before = model.tuning.as_ref()?.error?;
    let after = model.quality.assessment?.error;
    let what = match (&model.quality.threshold, model.costs.is_empty()) {
        (Some(_), _) => "the threshold",
        (None, false) => "the costs",
        (None, true) => return None,
    };
    Some(format!(
        "{} in cross-validation before {what}, {} after",
        percent(before),
        percent(after)
    ))
}

/// Where two classes are divided, and what that does.
pub fn threshold(model: &Summary<'_>) -> Option<String> {
    let t = model.quality.threshold.as_ref()?;
    let rule = t.rule.as_ref().filter(|r| r.parse::<f64>().is_err());
    let rule = rule.map_or(String::new(), |r| format!(" ({r})"));
    let class = clean(t.positive, 24);
    let mut words = format!("{class} from a probability of {}{rule}", short(t.value));
    if let Some(c) = model.quality.assessment.and_then(|a| a.cutting.as_ref()) {
        words.push_str(&format!(
            ": finds {} of them, and {} of its calls are right",
            percent(c.chosen.recall),
            percent(c.chosen.precision)
        ));
    }
    Some(words)
}

fn three(v: f64) -> String {
    format!("{v:.3}")
}
