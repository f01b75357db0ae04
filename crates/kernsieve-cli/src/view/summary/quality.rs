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
        }
    }
}
