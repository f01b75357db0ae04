//! The duality gap of the lasso: an upper bound on the distance of an objective from its minimum.

use crate::linalg::dot;
use crate::solver::coordinate_descent::Penalty;

/// The largest slope `|x_j'r - l2 w_j|`, the squared penalty included.
pub(super) fn steepest(w: &[f64], slopes: &[f64], penalty: Penalty) -> f64 {
    let slopes = w
        .iter()
        .zip(slopes)
        .map(|(w, q)| (q - penalty.l2 * w).abs());
    slopes.fold(0.0, f64::max)
}

/// Objective, duality gap, and the scale `s` of the dual point `s (r, -sqrt(l2) w)`, where
/// `r = t - X w`. The scale is the best one for which all slopes stay within `l1`. An elastic net
/// is treated as a lasso with the additional rows `sqrt(l2) I`.
pub(super) fn duality(
    w: &[f64],
    slopes: &[f64],
    correlations: &[f64],
    square: f64,
    largest: f64,
    penalty: Penalty,
) -> (f64, f64, f64) {
    let own = dot(w, w);
    let target_by_residual = square - dot(w, correlations);
    let residual = (target_by_residual - dot(w, slopes)).max(0.0) + penalty.l2 * own;
    values(residual, target_by_residual, penalty.l1, w, largest)
}

/// The same values, from the squared residual (including `l2 |w|^2`) and the product of residual
/// and target.
pub(super) fn values(
    residual: f64,
    target_by_residual: f64,
    l1: f64,
    w: &[f64],
    largest: f64,
) -> (f64, f64, f64) {
    let objective = 0.5 * residual + l1 * w.iter().map(|v| v.abs()).sum::<f64>();
    let best = if residual > 0.0 {
        target_by_residual / residual
    } else {
        0.0
    };
    let feasible = if largest > 0.0 {
        l1 / largest
    } else {
        f64::INFINITY
    };
    let scale = best.clamp(-feasible, feasible);
    let dual = scale * target_by_residual - 0.5 * scale * scale * residual;
    (objective, objective - dual, scale)
}
