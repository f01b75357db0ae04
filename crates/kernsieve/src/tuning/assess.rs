//! What held-out rows say about a model, and the threshold that they choose.

use super::out_of_fold::{JudgedRow, OutOfFold};
use crate::data::Dataset;
use crate::decision::argmax;
use crate::error::{Error, Result};
use crate::metrics::{
    Cut, Cuts, Tally, auc as area, log_loss_of, mean_auc, standard_error_of_folds,
};
use crate::model::{Assessment, Baseline, Calibrated, CutPoint, Cutting, Model, Threshold};
use crate::notice::Notice;
use crate::params::{Protocol, Score, ThresholdRule};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Thresholds that a record keeps.
const POINTS: usize = 60;

/// The always available answer to rows of these classes.
pub(super) fn baseline(shares: &[f64]) -> Baseline {
    let class = argmax(shares);
    let entropy = shares.iter().map(|&s| s * log_loss_of(s.max(1e-15)));
    Baseline {
        class,
        error: 1.0 - shares[class],
        log_loss: entropy.sum(),
    }
}

/// A held-out row of a class that its fold knew, and its probabilities before costs.
struct Known<'a> {
    row: &'a JudgedRow,
    p: Cow<'a, [f64]>,
}

/// Assesses a model by its out-of-fold predictions; `None` without any.
pub(super) fn assess(
    pass: &OutOfFold,
    model: &Model,
    data: &Dataset,
    protocol: &Protocol,
    shares: &[f64],
) -> Result<Option<Assessment>> {
    let rows = pass.judged(model, data);
    if rows.is_empty() {
        return Ok(None);
    }
    let c = model.classes.len();
    let positive = protocol.positive_of(&model.classes)?;
    let mut tally = Tally::new(c);
    for r in &rows {
        tally.add(r.truth, model.class_of(&r.probabilities), r.weight);
    }
    // What a fit says of classes that it does not know is no matter of its probabilities.
    let known = rows.iter().filter(|r| r.is_known());
    let known: Vec<Known<'_>> = known
        .map(|row| Known {
            row,
            p: model.without_costs(&row.probabilities),
        })
        .collect();
    let weight: f64 = known.iter().map(|k| k.row.weight).sum();
    let mean = |loss: &dyn Fn(&Known<'_>) -> f64| {
        let sum: f64 = known.iter().map(|k| k.row.weight * loss(k)).sum();
        (weight > 0.0).then(|| sum / weight)
    };
    let always = baseline(shares);
    let never_predicted = (0..c).filter(|&k| !tally.is_predicted(k));
    Ok(Some(Assessment {
        rows: rows.len(),
        error: tally.error(),
        log_loss: mean(&|k| log_loss_of(k.p[k.row.truth])),
        log_loss_rows: (known.len() < rows.len()).then_some(known.len()),
        auc: auc(&known, c),
        balanced_accuracy: tally.balanced_accuracy(),
        f1: positive.map_or_else(|| tally.macro_f1(), |p| tally.f1(p)),
        mcc: tally.mcc(),
        baseline: Baseline {
            log_loss: mean(&|k| log_loss_of(shares[k.row.truth])).unwrap_or(always.log_loss),
            ..always
        },
        never_predicted: never_predicted.collect(),
        cutting: positive.and_then(|p| cutting(&rows, p, divided_at(model))),
    }))
}

/// The area of held-out rows together; they were scored on one scale, that of probabilities. A class
/// counts on rows of folds that knew it: the others gave it a probability of 0, which says nothing.
fn auc(rows: &[Known<'_>], n_classes: usize) -> Option<f64> {
    mean_auc(n_classes, |class| {
        let knowing = rows.iter().filter(|k| k.row.knows[class]);
        area(knowing.map(|k| (k.p[class], k.row.truth == class, k.row.weight)))
    })
}

/// The error of the most probable class, before costs and a threshold, where that need not be the one
/// of the largest score; and whether it is the same for all rows.
pub(super) fn calibrated(
    pass: &OutOfFold,
    model: &Model,
    data: &Dataset,
) -> Option<(Calibrated, bool)> {
    let rows = pass.judged(model, data);
    let mut folds: BTreeMap<usize, (f64, f64, usize)> = BTreeMap::new();
    let mut predicted = BTreeSet::new();
    for r in &rows {
        let class = argmax(&model.without_costs(&r.probabilities));
        predicted.insert(class);
        let (wrong, weight, n) = folds.entry(r.fold).or_default();
        *wrong += r.weight * f64::from(class != r.truth);
        *weight += r.weight;
        *n += 1;
    }
    let (wrong, weight) = folds
        .values()
        .fold((0.0, 0.0), |(a, b), (wrong, weight, _)| {
            (a + wrong, b + weight)
        });
    let errors: Vec<f64> = folds
        .values()
        .map(|(wrong, weight, _)| wrong / weight.max(f64::MIN_POSITIVE))
        .collect();
    let standard_error = standard_error_of_folds(&errors, rows.len() as f64);
    let error = wrong / weight;
    (weight > 0.0).then_some((
        Calibrated {
            error,
            standard_error,
        },
        predicted.len() < 2,
    ))
}

fn cuts(rows: &[JudgedRow], positive: usize) -> Cuts {
    let row = |r: &JudgedRow| (r.probabilities[positive], r.truth == positive, r.weight);
    Cuts::new(rows.iter().map(row))
}

/// The probability of the positive class from which on a model says so.
fn divided_at(model: &Model) -> f64 {
    model.threshold.map_or(0.5, |t| t.value)
}

fn cutting(rows: &[JudgedRow], positive: usize, threshold: f64) -> Option<Cutting> {
    let all = cuts(rows, positive);
    let point = |cut: &Cut| CutPoint {
        threshold: cut.threshold,
        recall: all.recall(cut),
        precision: all.precision(cut),
        false_alarms: all.false_alarms(cut),
    };
    // Curves are for drawing: four digits are enough, and make a small file.
    let drawn = |cut: &Cut| {
        let p = point(cut);
        let short = |v: f64| (1e4 * v).round() / 1e4;
        CutPoint {
            threshold: short(p.threshold),
            recall: short(p.recall),
            precision: short(p.precision),
            false_alarms: short(p.false_alarms),
        }
    };
    let chosen = point(&all.at(threshold));
    Some(Cutting {
        positive,
        average_precision: all.average_precision()?,
        share: all.positives / (all.positives + all.negatives),
        points: thinned(&all).iter().map(drawn).collect(),
        chosen,
    })
}

/// Some of the cuts: the corners of the curves, spread evenly along them, the first and the last
/// among them.
fn thinned(all: &Cuts) -> Vec<Cut> {
    let length = |a: &Cut, b: &Cut| {
        let recall = (all.recall(a) - all.recall(b)).abs();
        let alarms = (all.false_alarms(a) - all.false_alarms(b)).abs();
        recall + alarms + 0.5 * (all.precision(a) - all.precision(b)).abs()
    };
    let total: f64 = all.cuts.windows(2).map(|w| length(&w[0], &w[1])).sum();
    let step = total / POINTS as f64;
    let (mut kept, mut gone): (Vec<Cut>, f64) = (vec![], f64::INFINITY);
    for (i, cut) in all.cuts.iter().enumerate() {
        if i > 0 {
            gone += length(&all.cuts[i - 1], cut);
        }
        if gone >= step || i + 1 == all.cuts.len() {
            kept.push(*cut);
            gone = 0.0;
        }
    }
    kept
}

/// The threshold that was asked for, and what the user should know about it. `None` for the rule of
/// equal probabilities.
pub(super) fn threshold(
    pass: Option<&OutOfFold>,
    model: &Model,
    data: &Dataset,
    protocol: &Protocol,
) -> Result<(Option<Threshold>, Option<Notice>)> {
    let Some(rule) = protocol.threshold else {
        return Ok((None, None));
    };
    // Other numbers of classes were refused before anything was tuned.
    let Some(positive) = protocol.positive_of(&model.classes)? else {
        return Ok((None, None));
    };
    let at = |value: f64| Some(Threshold { positive, value });
    if let ThresholdRule::Value(value) = rule {
        return Ok((at(value), None));
    }
    let Some(pass) = pass else {
        return Err(Error::Data(
            "this `threshold` is found on held-out rows, and there are none without \
             cross-validation; give a probability, or leave cross-validation on"
                .into(),
        ));
    };
    let judged = pass.judged(model, data);
    let all = cuts(&judged, positive);
    let (n_pos, n_neg) = (all.positives, all.negatives);
    // A standard error of a share of all rows, or of those of the rarer class.
    let rows = judged.len();
    let own = judged.iter().filter(|r| r.truth == positive).count();
    let spread = |rows: usize| {
        move |share: f64| (share * (1.0 - share)).max(0.0).sqrt() / (rows.max(1) as f64).sqrt()
    };
    let (of_all, of_rarer) = (spread(rows), spread(own.min(rows - own)));
    let cost = |class: usize| model.costs_of_errors().get(class).copied();
    let costs = (
        cost(positive).unwrap_or(1.0),
        cost(1 - positive).unwrap_or(1.0),
    );
    let right = |c: &Cut| (c.hits + n_neg - c.alarms) / (n_pos + n_neg);
    let matthews = |c: &Cut| {
        let (called, total) = (c.hits + c.alarms, n_pos + n_neg);
        let scale = (called * (total - called) * n_pos * n_neg).sqrt();
        (c.hits * n_neg - c.alarms * n_pos) / scale.max(f64::MIN_POSITIVE)
    };
    let (cut, missed) = match rule {
        ThresholdRule::Value(_) => (None, None),
        ThresholdRule::Best(Score::Balanced) => {
            let balanced = |c: &Cut| 0.5 * (1.0 + all.recall(c) - all.false_alarms(c));
            (all.about_best(balanced, of_rarer), None)
        }
        ThresholdRule::Best(Score::Mcc) => (all.about_best(matthews, of_rarer), None),
        ThresholdRule::Best(Score::Error) => (all.about_best(right, of_all), None),
        ThresholdRule::Best(_) => (all.about_best(|c| all.f1(c), of_rarer), None),
        ThresholdRule::Cost => {
            let cost = |c: &Cut| costs.0 * (n_pos - c.hits) + costs.1 * c.alarms;
            (all.best(|c| -cost(c)), None)
        }
        ThresholdRule::Precision(wanted) => {
            let enough = |c: &&Cut| all.precision(c) >= wanted - 1e-12 && c.hits > 0.0;
            let found = all.cuts.iter().rfind(enough).copied();
            let best = || all.best(|c| if c.hits > 0.0 { all.precision(c) } else { 0.0 });
            let missed = found.is_none().then_some(("precision", wanted));
            (found.or_else(best), missed)
        }
        ThresholdRule::Recall(wanted) => {
            let enough = |c: &&Cut| all.recall(c) >= wanted - 1e-12;
            (all.cuts.iter().find(enough).copied(), None)
        }
    };
    let Some(cut) = cut else {
        return Ok((None, None));
    };
    let reached = all.precision(&cut);
    let notice = missed.map(|(what, wanted)| Notice::ThresholdMisses {
        what,
        wanted,
        reached,
    });
    // Neither all rows nor none: the ends are no probabilities to ask for.
    Ok((at(cut.threshold.clamp(1e-12, 1.0 - 1e-12)), notice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<JudgedRow> {
        let p = [
            0.95, 0.9, 0.7, 0.6, 0.4, 0.35, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02,
        ];
        let y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0];
        let pairs = p.iter().zip(y).enumerate();
        pairs
            .map(|(row, (&p, truth))| JudgedRow {
                row,
                truth,
                fold: 0,
                knows: [true, true].into(),
                weight: 1.0,
                probabilities: vec![1.0 - p, p],
            })
            .collect()
    }

    #[test]
    fn the_baseline_is_the_entropy_of_the_shares() {
        let b = baseline(&[0.2, 0.5, 0.3]);
        let entropy = -(0.2f64 * 0.2f64.ln() + 0.5 * 0.5f64.ln() + 0.3 * 0.3f64.ln());
        assert_eq!((b.class, b.error), (1, 0.5));
        assert!((b.log_loss - entropy).abs() < 1e-15);
        assert_eq!(baseline(&[1.0, 0.0]).log_loss, 0.0);
    }

    #[test]
    fn thinned_curves_keep_their_ends() {
        let mut rng = crate::data::Rng::new(1);
        let many: Vec<(f64, bool, f64)> = (0..5000)
            .map(|_| {
                let p = rng.uniform();
                (p, rng.uniform() < p, 1.0)
            })
            .collect();
        let all = Cuts::new(many.into_iter());
        let some = thinned(&all);
        assert!(some.len() <= POINTS + 2, "{}", some.len());
        assert_eq!(some.first(), all.cuts.first());
        assert_eq!(some.last(), all.cuts.last());
        let area = Cuts {
            cuts: some,
            ..all.clone()
        };
        let gap = area.auc().expect("both") - all.auc().expect("both");
        assert!(gap.abs() < 5e-3, "{gap}");
    }

    #[test]
    fn a_chosen_point_is_that_of_the_threshold() {
        let found = cutting(&rows(), 1, 0.33).expect("both classes");
        assert!((found.chosen.recall - 4.0 / 5.0).abs() < 1e-15);
        assert!((found.chosen.precision - 4.0 / 6.0).abs() < 1e-15);
        assert!((found.share - 5.0 / 12.0).abs() < 1e-15);
        // The other class seen from its own side: rows with at least that probability of it.
        let other = cutting(&rows(), 0, 0.5).expect("both classes");
        assert!((other.chosen.recall - 6.0 / 7.0).abs() < 1e-15);
    }
}
