//! How good a model is expected to be, and where it divides two classes.

use kernsieve::model::{Assessment, Expected, Model};
use kernsieve::params::Score;

/// What held-out rows said.
pub struct Quality<'m> {
    /// The error to expect on new rows.
    pub expected: Option<Expected>,
    /// Everything that was measured on held-out rows.
    pub assessment: Option<&'m Assessment>,
    /// The largest class, with error and log loss of always saying so.
    pub baseline: Option<(&'m str, f64, f64)>,
    /// What settings were chosen for, where the user said, and its value.
    pub score: Option<(Score, f64)>,
    /// Where two classes are divided, if not at equal probabilities.
    pub threshold: Option<ThresholdFacts<'m>>,
    /// Of two classes without a threshold, the rare one, and what is found of it.
    pub rare: Option<(&'m str, Found)>,
}

/// What is found of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Share of its rows that are called so.
    pub recall: f64,
    /// Share of the calls that are right, if there are calls.
    pub precision: Option<f64>,
}

/// Up to this share of the rows, an error hides what is found of a class.
const RARE: f64 = 0.2;

impl Found {
    /// Of the rarer of two classes, with this share of the rows: the mean of the shares found of
    /// both, and the share of all rows that is right, are two equations for the two shares.
    fn of_rare(error: f64, balanced: f64, share: f64) -> Self {
        let right = 1.0 - error;
        let recall = (2.0 * balanced * (1.0 - share) - right) / (1.0 - 2.0 * share);
        let recall = recall.clamp(0.0, 1.0);
        let hits = share * recall;
        let calls = hits + (1.0 - share) - (right - hits);
        Self {
            recall,
            // What rounding leaves of no calls.
            precision: (calls > 1e-9).then(|| (hits / calls).min(1.0)),
        }
    }
}

/// A threshold between two classes.
pub struct ThresholdFacts<'m> {
    /// The class that is called at or above it.
    pub positive: &'m str,
    /// The least probability.
    pub value: f64,
    /// How it was found.
    pub rule: Option<String>,
}

/// A measure of held-out rows as the model decides them.
fn measured(a: &Assessment, score: Score) -> Option<f64> {
    match score {
        Score::Error => Some(a.error),
        Score::LogLoss => a.log_loss,
        Score::Balanced => Some(a.balanced_accuracy),
        Score::Auc => a.auc,
        Score::F1 => Some(a.f1),
        Score::Mcc => Some(a.mcc),
    }
}

impl<'m> Quality<'m> {
    /// Reads it from a model.
    pub fn new(model: &'m Model) -> Self {
        let record = &model.record;
        let assessment = record.assessment.as_ref();
        let protocol = &record.options.protocol;
        let criterion = record.cv.as_ref().and_then(|cv| cv.best().score);
        // The table counts scores, which decide otherwise where probabilities lean on shares.
        let decides = protocol.costs.is_empty() && model.threshold.is_none();
        let leaning = record.cv.as_ref().and_then(|cv| cv.calibrated);
        let own = assessment.filter(|_| decides && leaning.is_some());
        Self {
            expected: record.expected(),
            assessment,
            baseline: assessment.map(|a| {
                let b = a.baseline;
                (model.classes[b.class].as_str(), b.error, b.log_loss)
            }),
            score: protocol.score.zip(criterion).map(|(s, loss)| {
                let own = own.and_then(|a| measured(a, s));
                (s, own.unwrap_or_else(|| s.as_loss(loss)))
            }),
            threshold: model.threshold.map(|t| ThresholdFacts {
                positive: &model.classes[t.positive],
                value: t.value,
                rule: protocol.threshold.map(|r| r.to_string()),
            }),
            rare: assessment.and_then(|a| {
                let share = a.baseline.error;
                let plain = model.classes.len() == 2 && model.threshold.is_none();
                let found = || Found::of_rare(a.error, a.balanced_accuracy, share);
                let rare = &model.classes[1 - a.baseline.class.min(1)];
                (plain && 0.0 < share && share <= RARE).then(|| (rare.as_str(), found()))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_follows_from_the_error_and_the_mean_of_both_shares() {
        // 1000 rows, 50 of them rare: 20 found, 30 missed, 10 called wrongly.
        let balanced = (20.0 / 50.0 + 940.0 / 950.0) / 2.0;
        let found = Found::of_rare(40.0 / 1000.0, balanced, 0.05);
        assert!((found.recall - 0.4).abs() < 1e-12);
        assert!((found.precision.expect("calls") - 20.0 / 30.0).abs() < 1e-12);
        // Never called.
        let none = Found::of_rare(0.05, 0.5, 0.05);
        assert!(none.recall < 1e-12 && none.precision.is_none());
        // All right.
        let all = Found::of_rare(0.0, 1.0, 0.05);
        assert!(all.recall > 1.0 - 1e-12 && all.precision.is_some_and(|p| p > 1.0 - 1e-12));
    }
}
