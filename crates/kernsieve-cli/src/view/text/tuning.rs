//! What was tried to choose the settings.

use super::layout::{field, table};
use crate::failure::Failure;
use crate::view::summary::{Cell, Summary, Trial, Tuning};
use crate::view::words::{percent, percent_short, seconds, short};
use kernsieve::model::CurvePoint;
use kernsieve::params::{Score, Validation};
use std::io::Write;

/// The table of the settings and the curve of the sizes, if there was anything to choose.
pub fn print_tuning(
    model: &Summary<'_>,
    tune_seconds: f64,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(cv) = model.tuning.as_ref().filter(|cv| cv.trials.len() > 1) else {
        return Ok(());
    };
    // The time of a choice is that of all methods.
    let time = match model.auto {
        Some(_) => String::new(),
        None => format!(" in {}", seconds(tune_seconds)),
    };
    let how = match cv.validation {
        Validation::Folds => format!("{} folds", cv.folds),
        Validation::LeaveOneOut => "leave-one-out".into(),
        Validation::Split => "one split".into(),
    };
    let words = format!("{} settings x {how}{time}", cv.trials.len());
    field("Tuning", &words, out)?;
    writeln!(out)?;
    print_grid(cv, out)?;
    writeln!(out)?;
    print_curves(model, out)
}

/// Error against the number of rows kept, and of features kept, where these were tried.
pub fn print_curves(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(cv) = &model.tuning else {
        return Ok(());
    };
    if cv.curve.len() > 1 && !model.features.is_imported() {
        print_curve(cv, "rows kept", cv.curve, cv.chosen_rows, out)?;
        writeln!(out)?;
    }
    if cv.feature_curve.len() > 1 {
        let chosen = cv.chosen_features;
        print_curve(cv, "features kept", cv.feature_curve, chosen, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The best settings of the table, in order of preference.
fn print_grid(cv: &Tuning<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    const SHOWN: usize = 8;
    let mut order: Vec<usize> = (0..cv.trials.len()).collect();
    order.sort_by(|&a, &b| {
        let criterion = |i: usize| cv.trials[i].criterion;
        (a != cv.chosen)
            .cmp(&(b != cv.chosen))
            .then(criterion(a).total_cmp(&criterion(b)))
            .then(a.cmp(&b))
    });
    order.truncate(SHOWN);
    order.sort_unstable();
    let measure = Measure::of(cv);
    let mut header = vec![""];
    header.extend(&cv.columns);
    header.extend(measure.titles());
    let row = |&i: &usize| {
        let mark = if i == cv.chosen { "*" } else { "" };
        let trial = &cv.trials[i];
        let mut row = vec![mark.to_string()];
        row.extend(
            trial
                .cells
                .iter()
                .map(|c| c.as_ref().map(cell).unwrap_or_default()),
        );
        row.extend(measure.cells(trial));
        row
    };
    let rows: Vec<Vec<String>> = order.iter().map(row).collect();
    table(&header, &rows, out)?;
    print_rest(cv.trials.len(), SHOWN, out)?;
    if cv.uncalibrated && cv.best().press.is_none() {
        let what = match cv.undecided {
            true => "errors and log loss",
            false => "log loss",
        };
        writeln!(out, "  {what}: before the calibration of the probabilities")?;
    }
    Ok(())
}

/// How many there are beyond those shown, and where to find them.
pub fn print_rest(total: usize, shown: usize, out: &mut dyn Write) -> Result<(), Failure> {
    if total > shown {
        let more = total - shown;
        writeln!(
            out,
            "  ... {more} more in the model (kernsieve inspect --json)"
        )?;
    }
    Ok(())
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Words(words) => words.clone(),
        Cell::Count(n) => n.to_string(),
        Cell::Number(v) => short(*v),
        Cell::Voted(v) => format!("{}, voted", short(*v)),
    }
}

/// The measures of the trials.
enum Measure {
    Press,
    Error { score: Option<ScoreColumn> },
}

/// The column of the criterion.
#[derive(Clone, Copy)]
enum ScoreColumn {
    /// That of the method.
    Own,
    /// What the user chooses for.
    Asked(Score),
}

impl Measure {
    fn of(cv: &Tuning<'_>) -> Self {
        let best = cv.best();
        match best.press {
            Some(_) => Self::Press,
            None => Self::Error {
                score: match cv.score {
                    Some(Score::Error | Score::LogLoss) => None,
                    Some(score) => Some(ScoreColumn::Asked(score)),
                    None => best.score.map(|_| ScoreColumn::Own),
                },
            },
        }
    }

    fn titles(&self) -> Vec<&'static str> {
        match self {
            Self::Press => vec!["PRESS", "s.e."],
            Self::Error { score } => {
                let mut titles = vec!["CV error", "s.e.", "log loss"];
                titles.extend(score.map(|s| match s {
                    ScoreColumn::Own => "score",
                    ScoreColumn::Asked(score) => score.title(),
                }));
                titles
            }
        }
    }

    fn cells(&self, t: &Trial<'_>) -> Vec<String> {
        let score = match self {
            Self::Press => {
                let press = t.press;
                return vec![
                    press.map_or("failed".into(), |p| format!("{:.4}", p.mean)),
                    press.map_or(String::new(), |p| format!("{:.4}", p.standard_error)),
                ];
            }
            Self::Error { score } => *score,
        };
        let three = |v: Option<f64>| v.map_or(String::new(), |v| format!("{v:.3}"));
        let mut cells = vec![
            match (t.error, t.left_after) {
                (Some(error), _) => percent(error),
                (None, Some(folds)) => format!("behind at {folds}"),
                (None, None) => "failed".into(),
            },
            t.error
                .map_or(String::new(), |_| percent_short(t.standard_error)),
            three(t.log_loss),
        ];
        cells.extend(score.map(|s| match s {
            ScoreColumn::Own => three(t.score),
            ScoreColumn::Asked(score) => three(t.score.map(|v| score.as_loss(v))),
        }));
        cells
    }
}

/// Error against rows or features for the chosen kernel: about a dozen sizes, the chosen one among them.
fn print_curve(
    cv: &Tuning<'_>,
    title: &str,
    curve: &[CurvePoint],
    chosen: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    const SHOWN: usize = 12;
    let is_chosen = |p: &CurvePoint| Some(p.size) == chosen;
    let last = curve.len() - 1;
    // Evenly spaced in the logarithm of the position.
    let mut shown: Vec<usize> = (0..SHOWN)
        .map(|i| ((last as f64 + 1.0).powf(i as f64 / (SHOWN - 1) as f64) - 1.0).round() as usize)
        .collect();
    shown.extend(curve.iter().position(is_chosen));
    shown.sort_unstable();
    shown.dedup();
    let row = |i: usize| {
        let p = &curve[i.min(last)];
        let mark = if is_chosen(p) { "*" } else { "" };
        let mut row = vec![mark.into(), p.size.to_string()];
        match p.press {
            Some(press) => row.push(format!("{press:.4}")),
            None => row.extend([
                percent(p.error),
                percent_short(p.standard_error),
                format!("{:.3}", p.log_loss),
            ]),
        }
        row
    };
    let rows: Vec<Vec<String>> = shown.into_iter().map(row).collect();
    let header: &[&str] = match cv.best().press {
        Some(_) => &["", title, "PRESS"],
        None => &["", title, "CV error", "s.e.", "log loss"],
    };
    table(header, &rows, out)?;
    Ok(())
}
