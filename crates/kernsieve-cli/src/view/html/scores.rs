//! Where the rows lie among the outputs of the model: canonical variates and discriminant scores as
//! they are, log scores of other rules along the directions in which they differ most.

use super::Analysis;
use super::data::{Data, Scores};
use super::frame::{Section, escape, figure, plain};
use kernsieve::decision::Decision;
use kernsieve::linalg::{Matrix, symmetric_eigen};
use kernsieve::model::Model;

/// Axes that are drawn, each against each.
const MOST_AXES: usize = 4;
/// Log scores this far below the best of a row all count as equally impossible.
const FLOOR: f64 = 30.0;

/// Coordinates of every row of every set, and the axes they belong to.
pub struct Coordinates {
    pub axes: Scores,
    /// Rows x axes, a matrix for each set.
    pub sets: Vec<Matrix>,
    /// Axes that there are.
    pub total: usize,
    kind: Kind,
}

enum Kind {
    /// Canonical variates or discriminant scores.
    Variates,
    /// Log odds of the second of two classes.
    LogOdds,
    /// Directions of largest variance of the log scores.
    Directions,
}

/// Coordinates of the rows.
pub fn coordinates(model: &Model, sets: &[super::rows::Judged<'_>]) -> Coordinates {
    if let Decision::Mahalanobis { means, .. } | Decision::NearestCentroid { means, .. } =
        &model.decision
    {
        let total = means.cols();
        let shown = total.min(MOST_AXES);
        let word = if matches!(model.decision, Decision::Mahalanobis { .. }) {
            "canonical variate"
        } else {
            "discriminant score"
        };
        let axes = if total == 1 {
            vec![word.into()]
        } else {
            (1..=shown).map(|k| format!("{word} {k}")).collect()
        };
        let first: Vec<usize> = (0..shown).collect();
        return Coordinates {
            axes: Scores {
                axes,
                centroids: means.iter_rows().map(|r| r[..shown].to_vec()).collect(),
                cut: (total == 1).then(|| cut(model)).flatten(),
            },
            sets: sets
                .iter()
                .map(|s| s.outputs.select_columns(&first))
                .collect(),
            total,
            kind: Kind::Variates,
        };
    }
    let scores: Vec<Matrix> = sets.iter().map(|s| log_scores(model, &s.outputs)).collect();
    if let [_, second] = model.classes.as_slice() {
        return Coordinates {
            axes: Scores {
                axes: vec![format!("log odds of {}", plain(second))],
                centroids: vec![],
                cut: Some(0.0),
            },
            sets: scores
                .iter()
                .map(|s| Matrix::from_fn(s.rows(), 1, |i, _| s[(i, 1)] - s[(i, 0)]))
                .collect(),
            total: 1,
            kind: Kind::LogOdds,
        };
    }
    directions(&scores)
}

/// Where the two classes of a single score are equally probable: log scores of centroid rules
/// differ by a linear function of it.
fn cut(model: &Model) -> Option<f64> {
    if model.classes.len() != 2 {
        return None;
    }
    let at = model.log_scores(&Matrix::from_vec(vec![0.0, 1.0], 2, 1));
    let (zero, one) = (at[(0, 1)] - at[(0, 0)], at[(1, 1)] - at[(1, 0)]);
    let cut = -zero / (one - zero);
    cut.is_finite().then_some(cut)
}

/// Log scores of rows, centred in each row, with all impossible classes set equal.
fn log_scores(model: &Model, outputs: &Matrix) -> Matrix {
    let mut scores = model.log_scores(outputs);
    for row in scores.as_mut_slice().chunks_exact_mut(model.classes.len()) {
        let top = row
            .iter()
            .copied()
            .filter(|v| !v.is_nan())
            .fold(f64::NEG_INFINITY, f64::max);
        let top = if top.is_finite() { top } else { 0.0 };
        row.iter_mut().for_each(|v| {
            *v = if v.is_nan() {
                -FLOOR
            } else {
                (*v - top).clamp(-FLOOR, 0.0)
            }
        });
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter_mut().for_each(|v| *v -= mean);
    }
    scores
}

/// The principal directions of the log scores of all rows.
fn directions(scores: &[Matrix]) -> Coordinates {
    let c = scores.first().map_or(0, Matrix::cols);
    let n: usize = scores.iter().map(Matrix::rows).sum();
    let mut mean = vec![0.0; c];
    let each = || scores.iter().flat_map(Matrix::iter_rows);
    each().for_each(|row| {
        mean.iter_mut()
            .zip(row)
            .for_each(|(m, v)| *m += v / n.max(1) as f64)
    });
    let mut covariance = Matrix::zeros(c, c);
    for row in each() {
        for a in 0..c {
            for b in 0..c {
                covariance[(a, b)] += (row[a] - mean[a]) * (row[b] - mean[b]);
            }
        }
    }
    let total = c.saturating_sub(1);
    let shown = total.min(MOST_AXES);
    // Clamped scores are finite, so this does not fail; if it did, the scores of the first classes
    // would be drawn.
    let basis = symmetric_eigen(&covariance).map_or_else(|_| Matrix::identity(c), |e| e.vectors);
    let project = |s: &Matrix| {
        Matrix::from_fn(s.rows(), shown, |i, k| {
            let row = s.row(i).iter().zip(&mean).enumerate();
            row.map(|(j, (v, m))| (v - m) * basis[(j, k)]).sum()
        })
    };
    Coordinates {
        axes: Scores {
            axes: (1..=shown)
                .map(|k| format!("log scores, direction {k}"))
                .collect(),
            centroids: vec![],
            cut: None,
        },
        sets: scores.iter().map(project).collect(),
        total,
        kind: Kind::Directions,
    }
}

pub fn section(a: &Analysis<'_>, c: Coordinates, data: &mut Data) -> Option<Section> {
    let shown = c.axes.axes.len();
    if shown == 0 || a.sets.iter().all(|s| s.n() == 0) {
        return None;
    }
    let what = match c.kind {
        Kind::Variates if shown == 1 => {
            "The model maps a row to one number and predicts the class of the nearest centre, \
             allowing for the priors."
        }
        Kind::Variates => {
            "The model maps a row to these numbers and predicts the class of the nearest centre, \
             allowing for the priors. Centres are the large marks with a rim."
        }
        Kind::LogOdds => {
            "The model maps a row to one number: the logarithm of the odds. Above zero the second \
             class is the likelier one."
        }
        Kind::Directions => {
            "The model gives every class a log score. Drawn are the directions in which the \
             scores of these rows differ most (principal components)."
        }
    };
    let more = if c.total > shown {
        format!(" The first {shown} of {} are drawn.", c.total)
    } else {
        String::new()
    };
    let retained = a.summary.retained.rows.len();
    let kept = if data.sets.iter().any(|s| !s.kept.is_empty()) {
        format!(
            " Training rows that the model retains ({retained}) are drawn full with a rim, the \
             others pale."
        )
    } else {
        String::new()
    };
    let axes = c.axes.axes.join(", ");
    let plot = if shown == 1 { "histogram" } else { "scores" };
    let title = match c.kind {
        Kind::Variates if shown > 1 => format!("Rows among the {}", a.summary.method.outputs),
        Kind::Variates => "Rows by their score".into(),
        Kind::LogOdds => "Rows by their log odds".into(),
        Kind::Directions => "Rows by their scores".into(),
    };
    let body = format!(
        "<p>{what}{}</p>\n{}",
        escape(&more),
        figure(
            plot,
            &format!(
                "{}: the rows by {axes}, marked by class",
                if shown == 1 {
                    "Histogram"
                } else {
                    "Scatter plot"
                }
            ),
            &format!(
                "{}{kept} {} Point at a row to see what it is.",
                super::drawn_words(a),
                super::ring_words(a)
            )
        )
    );
    data.scores = Some(c.axes);
    Some(Section {
        id: "rows",
        title,
        body,
    })
}
