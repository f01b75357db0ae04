//! Validation by leaving out each row in turn, by formula: one fit per setting instead of one per
//! row.
//!
//! Settings are compared by the PRESS statistic, the sum of squared leave-one-out residuals of the
//! scored responses; errors are counted as well. Features are standardised, and samples selected,
//! on all rows: only the row's part in the regression is left out of its prediction. That makes the
//! errors too small; cross-validation by folds leaves the row out of every step.

use super::control::Control;
use super::memory::{for_people, rows_that_fit};
use super::table::{Judging, count, entries, search, table};
use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::method::{Grid, Method, Press, Problem, Ranking};
use crate::model::CvTable;
use crate::params::Protocol;

/// Scores every setting of the arms on the rows of the problem, each left out of its own
/// prediction.
pub(super) fn leave_one_out<M: Method>(
    method: &M,
    problem: &Problem,
    arms: Grid<M::Setting>,
    protocol: &Protocol,
    control: &Control,
) -> Result<CvTable<M::Setting>> {
    check_memory::<M>(problem, control)?;
    let classes = problem.classes();
    let own: Vec<Option<usize>> = classes.codes().iter().map(|&c| Some(c)).collect();
    let (grid, chosen) = search(
        method,
        arms,
        classes.n_classes(),
        protocol.picking_rule(),
        |arms| {
            let total = arms.len();
            control.report(0, total);
            let (mut scores, mut presses) = (Vec::with_capacity(total), Vec::new());
            // One arm after the other: each is a few large matrix products, which use all threads
            // themselves.
            for arm in &arms {
                control.checkpoint()?;
                let own_scores = method.leave_one_out(problem, arm)?;
                let (mut counts, mut means) = (Vec::new(), Vec::new());
                for rows in own_scores {
                    means.push(rows.as_ref().map(|r| press(&r.squared_residuals, &classes)));
                    counts.push(rows.map(|r| count(r.scores, &own, |i| classes.weight(i))));
                }
                scores.push(counts);
                presses.extend(means);
                control.report(scores.len(), total);
            }
            let all_stay: Vec<_> = arms.iter().map(|a| vec![None; a.len()]).collect();
            // PRESS is the criterion, whatever the ranking.
            let judging = Judging {
                folds: &[],
                weights: &[classes.total()],
                rows: classes.n_rows() as f64,
                ranking: Ranking::Error,
                measure: None,
            };
            let mut entries = entries(arms, &vec![scores], &all_stay, &judging);
            for (e, press) in entries.iter_mut().zip(presses) {
                e.press = press;
            }
            Ok(entries)
        },
    )?;
    Ok(table(
        grid,
        chosen,
        classes.n_rows(),
        protocol.picking_rule(),
    ))
}

/// Weighted mean of the squared residuals, and its standard error.
fn press(squared: &[f64], classes: &Classes) -> Press {
    let n = classes.total();
    let weighed = |f: &dyn Fn(f64) -> f64| {
        let terms = squared
            .iter()
            .enumerate()
            .map(|(i, &s)| classes.weight(i) * f(s));
        terms.sum::<f64>() / n
    };
    let mean = weighed(&|s| s);
    let variance = weighed(&|s| (s - mean) * (s - mean));
    Press {
        mean,
        standard_error: (variance / squared.len().max(1) as f64).sqrt(),
    }
}

/// The Gram matrix, its products and the coordinates of the rows.
fn check_memory<M: Method>(problem: &Problem, control: &Control) -> Result<()> {
    const MATRICES: f64 = 4.0;
    let (n, limit) = (problem.n() as f64, control.memory_bytes());
    let needed = 8.0 * MATRICES * n * n;
    if needed <= limit as f64 {
        return Ok(());
    }
    let fits = rows_that_fit(limit, 8.0 * MATRICES, 0.0);
    Err(Error::Memory {
        what: format!("leave-one-out of {} on {} rows", M::ABOUT.name, problem.n()),
        needed: for_people(needed as u64),
        limit: for_people(limit),
        remedy: format!(
            "about {fits} rows would fit; take a sample of the rows, or raise `memory`"
        ),
    })
}
