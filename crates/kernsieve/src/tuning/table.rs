//! The table of a validation: one entry per setting, and the chosen one.

use super::measure::{Measure, Measured};
use super::out_of_fold::FoldRows;
use super::temperature::{Scored, tempered_log_loss};
use crate::decision::{argmax, softmax_in_place};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::{CvEntry, Grid, Method, Ranking, Setting, Size};
use crate::metrics::{log_loss_of, standard_error_of_folds};
use crate::model::{CurvePoint, CvTable, optimism};
use crate::params::Rule;
use std::collections::BTreeMap;

/// Counts of one setting in one fold.
#[derive(Clone, Debug)]
pub(super) struct Score {
    pub(super) wrong: f64,
    pub(super) log_loss: f64,
    /// Whether each feature has a nonzero weight, if weights are learned.
    pub(super) kept: Option<Vec<bool>>,
    /// What settings are chosen for, if the user said.
    pub(super) measured: Option<Measured>,
    /// The log scores themselves, rows x classes of the fold, where they are kept.
    pub(super) scores: Option<Matrix>,
}

/// Counts of every setting in every fold: `[fold][arm][setting]`.
pub(super) type Scores = Vec<Vec<Vec<Option<Score>>>>;

/// How often a grid may be widened because the best setting lies at its edge.
const WIDENINGS: usize = 4;

/// Scores arms, and more of them while the best setting lies at the edge of what was tried. Returns
/// all entries in order of preference, and the chosen one.
pub(super) fn search<M: Method>(
    method: &M,
    mut arms: Grid<M::Setting>,
    n_classes: usize,
    rule: Rule,
    mut score: impl FnMut(Grid<M::Setting>) -> Result<Vec<CvEntry<M::Setting>>>,
) -> Result<(Vec<CvEntry<M::Setting>>, usize)> {
    let mut tried: Vec<M::Setting> = Vec::new();
    let mut grid: Vec<CvEntry<M::Setting>> = Vec::new();
    let mut chosen = 0;
    for _ in 0..=WIDENINGS {
        tried.extend(arms.iter().flatten().cloned());
        grid.extend(score(arms)?);
        // Stable: where the method has no preference, settings stay in the order in which they
        // were listed.
        grid.sort_by(|a, b| a.setting.preferred(&b.setting));
        chosen = choose(&grid, rule);
        arms = method.widen(&tried, &grid[chosen].setting, n_classes);
        if arms.is_empty() {
            break;
        }
    }
    Ok((grid, chosen))
}

/// Counts log scores against the class of every row, as a position among those of the scores;
/// `None` for a class that is not there.
pub(super) fn count(
    mut scores: Matrix,
    own: &[Option<usize>],
    weight: impl Fn(usize) -> f64,
) -> Score {
    let mut score = Score {
        wrong: 0.0,
        log_loss: 0.0,
        kept: None,
        measured: None,
        scores: None,
    };
    let c = scores.cols();
    for (i, (row, &own)) in scores
        .as_mut_slice()
        .chunks_exact_mut(c)
        .zip(own)
        .enumerate()
    {
        softmax_in_place(row);
        let w = weight(i);
        score.wrong += if Some(argmax(row)) == own { 0.0 } else { w };
        score.log_loss += w * log_loss_of(own.map_or(0.0, |c| row[c]));
    }
    score
}

/// What the folds have in common for all settings.
pub(super) struct Judging<'a> {
    /// The held-out rows of each fold.
    pub(super) folds: &'a [FoldRows],
    /// The sum of their weights.
    pub(super) weights: &'a [f64],
    /// Number of held-out rows.
    pub(super) rows: f64,
    /// What the method ranks by.
    pub(super) ranking: Ranking,
    /// What the user chooses for.
    pub(super) measure: Option<Measure>,
}

/// The entries of some arms.
pub(super) fn entries<S>(
    arms: Grid<S>,
    scores: &Scores,
    left_after: &[Vec<Option<usize>>],
    judging: &Judging<'_>,
) -> Vec<CvEntry<S>> {
    let n: f64 = judging.weights.iter().sum();
    let ranking = judging.ranking;
    let mut entries = Vec::new();
    for (a, arm) in arms.into_iter().enumerate() {
        for (c, setting) in arm.into_iter().enumerate() {
            let own: Option<Vec<&Score>> = scores.iter().map(|fold| fold[a][c].as_ref()).collect();
            let Some(own) = own else {
                entries.push(CvEntry {
                    left_after: left_after[a][c],
                    ..CvEntry::failed(setting)
                });
                continue;
            };
            let fold_errors: Vec<f64> = own
                .iter()
                .zip(judging.weights)
                .map(|(s, w)| s.wrong / w.max(f64::MIN_POSITIVE))
                .collect();
            let tempered =
                (ranking == Ranking::TemperedLogLoss).then(|| tempered(&own, judging.folds, n));
            let measured: Option<Vec<&Measured>> =
                own.iter().map(|s| s.measured.as_ref()).collect();
            let asked = judging.measure.zip(measured);
            let asked = asked.and_then(|(m, folds)| m.of_folds(&folds, judging.weights));
            let ranked = tempered.as_ref().map(|t| t.0);
            let (asked, fold_scores) = asked.map_or((None, vec![]), |(v, f)| (Some(v), f));
            entries.push(CvEntry {
                setting,
                left_after: None,
                score: asked.or(ranked).or_else(|| score(&own, ranking, n)),
                fold_scores,
                temperature: tempered.as_ref().map(|t| t.1),
                row_scores: tempered.map_or(vec![], |t| t.2),
                error: Some(own.iter().map(|s| s.wrong).sum::<f64>() / n),
                standard_error: standard_error_of_folds(&fold_errors, judging.rows),
                log_loss: Some(own.iter().map(|s| s.log_loss).sum::<f64>() / n),
                press: None,
                feature_folds: feature_folds(&own),
                fold_errors,
            });
        }
    }
    entries
}

/// The criterion, if it is not the error alone.
fn score(folds: &[&Score], ranking: Ranking, n: f64) -> Option<f64> {
    let wrong: f64 = folds.iter().map(|s| s.wrong).sum();
    let loss = match ranking {
        Ranking::Error | Ranking::TemperedLogLoss => return None,
        Ranking::LogLoss => folds.iter().map(|s| s.log_loss).sum::<f64>(),
    };
    Some((wrong + loss) / n)
}

/// The criterion at the temperature of least loss, that temperature, and the criterion of each row,
/// relative to the mean weight.
fn tempered(folds: &[&Score], judged: &[FoldRows], n: f64) -> (f64, f64, Vec<f64>) {
    let wrong: f64 = folds.iter().map(|s| s.wrong).sum();
    let both = folds.iter().zip(judged);
    let rows: Vec<Scored> = both
        .flat_map(|(s, rows)| s.scores.iter().flat_map(|m| rows.scored(m)))
        .collect();
    let (temperature, loss) = tempered_log_loss(&rows);
    let unit = rows.len() as f64 / n;
    let by_row = rows
        .iter()
        .map(|r| unit * (r.wrong() + r.loss(temperature)));
    ((wrong + loss) / n, temperature, by_row.collect())
}

/// In how many folds each feature has a nonzero weight.
fn feature_folds(folds: &[&Score]) -> Vec<usize> {
    let mut counts: Vec<usize> = Vec::new();
    for kept in folds.iter().filter_map(|s| s.kept.as_ref()) {
        counts.resize(kept.len(), 0);
        counts
            .iter_mut()
            .zip(kept)
            .for_each(|(c, k)| *c += usize::from(*k));
    }
    counts
}

/// The table that is kept. If sizes were tried there can be thousands of entries: the whole curve
/// is kept for the chosen kernel, and only the best size for every other kernel (and ridge).
pub(super) fn table<S: Setting>(
    mut grid: Vec<CvEntry<S>>,
    chosen: usize,
    folds: usize,
    rule: Rule,
) -> CvTable<S> {
    // Only the features of the chosen setting matter, and there may be thousands.
    for (_, e) in grid.iter_mut().enumerate().filter(|(i, _)| *i != chosen) {
        e.feature_folds.clear();
    }
    let score_optimism = match grid[chosen].is_scored() {
        true => optimism(&grid, chosen, |e| &e.fold_scores),
        false => 0.0,
    };
    let optimism = optimism(&grid, chosen, |e| &e.fold_errors);
    if grid[chosen].setting.size().step().is_none() {
        return CvTable {
            folds,
            grid,
            chosen,
            rule,
            calibrated: None,
            optimism,
            score_optimism,
            curve: vec![],
            feature_curve: vec![],
        };
    }
    let best = grid[chosen].clone();
    let on_path = grid.iter().filter(|e| e.setting.same_path(&best.setting));
    let curve = curve(on_path, &best, |s| s.step());
    let feature_curve = match best.setting.size() {
        Size {
            samples: Some(_),
            features: Some(_),
        } => {
            let searched = grid.iter().filter(|e| e.setting.same_search(&best.setting));
            self::curve(searched, &best, |s| s.features)
        }
        _ => vec![],
    };
    let mut kept: Vec<CvEntry<S>> = Vec::new();
    for e in grid {
        match kept.iter_mut().find(|k| k.setting.same_path(&e.setting)) {
            None => kept.push(e),
            Some(k) => {
                if e == best || (*k != best && e.criterion() < k.criterion()) {
                    *k = e;
                }
            }
        }
    }
    let chosen = kept.iter().position(|e| *e == best).unwrap_or(0);
    CvTable {
        folds,
        grid: kept,
        chosen,
        rule,
        calibrated: None,
        optimism,
        score_optimism,
        curve,
        feature_curve,
    }
}

/// The chosen entry at its size and the best one of every other, in ascending order.
fn curve<'a, S: Setting + 'a>(
    entries: impl Iterator<Item = &'a CvEntry<S>>,
    chosen: &CvEntry<S>,
    size: impl Fn(&Size) -> Option<usize>,
) -> Vec<CurvePoint> {
    let mut best: BTreeMap<usize, &CvEntry<S>> = BTreeMap::new();
    for e in entries {
        let Some(size) = size(&e.setting.size()) else {
            continue;
        };
        let kept = best.entry(size).or_insert(e);
        if e == chosen || (*kept != chosen && e.criterion() < kept.criterion()) {
            *kept = e;
        }
    }
    let points = best.into_iter().filter_map(|(size, e)| {
        Some(CurvePoint {
            size,
            error: e.error?,
            standard_error: e.standard_error,
            log_loss: e.log_loss?,
            press: e.press.map(|p| p.mean),
        })
    });
    points.collect()
}

/// The first setting of least error (or PRESS), or the simplest within one standard error of it.
fn choose<S: Setting>(grid: &[CvEntry<S>], rule: Rule) -> usize {
    let mut least = 0;
    for (i, e) in grid.iter().enumerate() {
        if e.criterion() < grid[least].criterion() {
            least = i;
        }
    }
    match rule {
        Rule::Min => least,
        Rule::OneStandardError => {
            let bound = grid[least].criterion() + grid[least].criterion_error();
            let within = (0..grid.len()).filter(|&i| grid[i].criterion() <= bound);
            within
                .min_by(|&a, &b| grid[a].setting.simpler(&grid[b].setting).then(a.cmp(&b)))
                .unwrap_or(least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::method::OnlyKernel;

    fn entry(error: f64, standard_error: f64) -> CvEntry<OnlyKernel> {
        CvEntry {
            error: Some(error),
            standard_error,
            fold_errors: vec![error, error],
            ..CvEntry::failed(OnlyKernel {
                kernel: Kernel::Linear,
            })
        }
    }

    #[test]
    fn ties_go_to_the_first_and_one_standard_error_to_the_simplest() {
        let grid = [
            entry(0.30, 0.01),
            entry(0.11, 0.01),
            entry(0.10, 0.02),
            entry(0.10, 0.02),
        ];
        assert_eq!(choose(&grid, Rule::Min), 2);
        assert_eq!(choose(&grid, Rule::OneStandardError), 1);
        // Within one standard error the smoothest wins, wherever it stands.
        let mut smooth = grid.to_vec();
        for (k, entry) in smooth.iter_mut().enumerate().skip(1) {
            entry.setting.kernel = Kernel::Gaussian {
                bandwidth: k as f64,
            };
        }
        assert_eq!(choose(&smooth, Rule::OneStandardError), 3);
        let mut failed = grid.to_vec();
        failed[2].error = None;
        assert_eq!(choose(&failed, Rule::Min), 3);
    }
}
