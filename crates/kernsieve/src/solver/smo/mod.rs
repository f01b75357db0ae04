//! Convex quadratic programs on simplexes by sequential minimal optimisation (Kim & Scott, section
//! 2.2 and eq. 7).
//!
//! ```text
//! min_a  a'Qa / 2 - c'a,   Q_ij = y_i y_j K_ij,   a >= 0,   the entries of each group sum to 1
//! ```
//!
//! A step moves weight between two entries of the same group: to the entry `i` of least slope
//! `(Qa - c)_i`, from the entry `j` that lowers the objective most. The change of the objective is
//! a quadratic function of the step, so the best step and its gain are known in advance
//! (second-order choice, Fan, Chen & Lin 2005). All slopes are kept up to date, which takes two
//! rows of `K` per step.
//!
//! At the minimum, all nonzero entries have the least slope of their group. Their distance from it
//! is the *gap* that ends the iteration. Entries that are zero and far from the least slope are
//! skipped for a while (shrinking); their slopes stay exact.
//!
//! The relaxed form (section 5.2) is for two groups and lets both sums `s_0` and `s_1` be less than
//! 1: `1 - s_0 = g (1 - s_1) >= 0`, where `g` is the ratio of their `|y|`. It has one more kind of
//! step, which grows or shrinks one entry of each group.

/// Rows of a symmetric kernel matrix.
pub trait KernelRows {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An entry of the diagonal.
    fn diagonal(&self, i: usize) -> f64;

    /// Row `i`.
    fn row(&mut self, i: usize) -> &[f64];
}

/// A matrix in memory.
pub struct Whole<'a> {
    /// Row-major entries.
    pub gram: &'a [f64],
    /// Order of the matrix.
    pub size: usize,
}

impl KernelRows for Whole<'_> {
    fn len(&self) -> usize {
        self.size
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.gram[i * self.size + i]
    }

    fn row(&mut self, i: usize) -> &[f64] {
        &self.gram[i * self.size..][..self.size]
    }
}

/// Entries whose weights sum to 1.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their positions.
    pub members: Vec<usize>,
    /// Their common `y`, not zero.
    pub sign: f64,
}

/// A solution.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The weights.
    pub weights: Vec<f64>,
    /// `a'Qa / 2 - c'a`.
    pub objective: f64,
    /// Largest excess of the slope of a nonzero entry over the least slope of its group. It is
    /// relative to the largest entry of the group in `c` or in the diagonal of `Q`.
    pub gap: f64,
    /// Number of steps.
    pub iterations: usize,
    /// Whether the gap is at most the tolerance.
    pub converged: bool,
}

/// Most steps, per entry.
const STEPS_PER_ENTRY: usize = 2000;
/// Steps between two searches for entries that can be skipped.
const SHRINK_EVERY: usize = 200;
/// Least curvature of a step, as a share of the diagonal, because rows may be copies of each other.
const LEAST_CURVATURE: f64 = 1e-12;

/// The state of an iteration.
struct State<'a> {
    rows: &'a mut dyn KernelRows,
    groups: &'a [Group],
    /// `y` of every entry.
    signs: Vec<f64>,
    /// The diagonal of `K`.
    diagonal: Vec<f64>,
    weights: Vec<f64>,
    /// `Qa - c`.
    slopes: Vec<f64>,
    /// Members of each group that are not skipped.
    active: Vec<Vec<usize>>,
    /// Size of the terms of each group. Its gap is relative to this, because the kernel values of
    /// one class may be a million times those of another.
    scales: Vec<f64>,
}

/// Position and value of the least slope of a group, and of the largest slope among its nonzero
/// entries.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    least: (usize, f64),
    largest: (usize, f64),
}

impl Extremes {
    fn gap(&self) -> f64 {
        self.largest.1 - self.least.1
    }
}

/// Minimises to a relative gap of at most `tol`. It starts from `start` (weights that satisfy the
/// constraints) or else from one entry per group. `linear` is `c`. With `relaxed` (two groups),
/// sums may be less than 1.
pub fn minimise(
    rows: &mut dyn KernelRows,
    linear: &[f64],
    groups: &[Group],
    start: Option<&[f64]>,
    relaxed: bool,
    tol: f64,
) -> Solution {
    let n = rows.len();
    let mut signs = vec![0.0; n];
    for g in groups {
        g.members.iter().for_each(|&i| signs[i] = g.sign);
    }
    let weights = match start {
        Some(start) => start.to_vec(),
        None => {
            let mut weights = vec![0.0; n];
            for g in groups {
                let best = g
                    .members
                    .iter()
                    .copied()
                    .reduce(|a, b| if linear[b] > linear[a] { b } else { a });
                best.into_iter().for_each(|i| weights[i] = 1.0);
            }
            weights
        }
    };
    let diagonal: Vec<f64> = (0..n).map(|i| rows.diagonal(i)).collect();
    let size = |g: &Group| {
        let sizes = g
            .members
            .iter()
            .map(|&i| (g.sign * g.sign * diagonal[i]).max(linear[i].abs()));
        sizes.fold(f64::MIN_POSITIVE, f64::max)
    };
    let mut state = State {
        scales: groups.iter().map(size).collect(),
        diagonal,
        rows,
        groups,
        signs,
        weights,
        slopes: linear.iter().map(|c| -c).collect(),
        active: groups.iter().map(|g| g.members.clone()).collect(),
    };
    for i in 0..n {
        if state.weights[i] != 0.0 {
            state.add(i, state.weights[i]);
        }
    }
    let (iterations, gap) = state.run(relaxed && groups.len() == 2, tol);
    let products = state.weights.iter().zip(&state.slopes).zip(linear);
    // a'Qa / 2 - c'a = a'(slope - c) / 2
    let objective = products.map(|((a, s), c)| 0.5 * a * (s - c)).sum();
    Solution {
        objective,
        gap,
        iterations,
        // Comparisons with NaN find no gap, so the slopes are checked as well.
        converged: gap <= tol && state.slopes.iter().all(|s| s.is_finite()),
        weights: state.weights,
    }
}

impl State<'_> {
    /// Updates the slopes after entry `i` has grown by `step`.
    fn add(&mut self, i: usize, step: f64) {
        let factor = step * self.signs[i];
        let row = self.rows.row(i);
        let slopes = self.slopes.iter_mut().zip(&self.signs).zip(row);
        slopes.for_each(|((s, y), k)| *s += factor * y * k);
    }

    /// Steps until the gap is small enough. Returns the number of steps and the gap.
    fn run(&mut self, relaxed: bool, tol: f64) -> (usize, f64) {
        let limit = STEPS_PER_ENTRY * self.weights.len().max(1);
        let mut steps = 0;
        loop {
            let extremes: Vec<Extremes> =
                (0..self.groups.len()).map(|g| self.extremes(g)).collect();
            let gaps: Vec<f64> = extremes
                .iter()
                .zip(&self.scales)
                .map(|(e, scale)| e.gap() / scale)
                .collect();
            let worst = (0..gaps.len())
                .reduce(|a, b| if gaps[b] > gaps[a] { b } else { a })
                .unwrap_or(0);
            let mut gap = gaps.get(worst).copied().unwrap_or(0.0);
            let joint = if relaxed {
                self.joint_step(&extremes)
            } else {
                None
            };
            let joint = joint.map(|(slope, first, second, grow)| {
                let scale = self.scales.iter().copied().fold(0.0, f64::max);
                (slope / scale, first, second, grow)
            });
            if let Some((slope, ..)) = joint {
                gap = gap.max(slope);
            }
            let shrunk = self
                .active
                .iter()
                .zip(self.groups)
                .any(|(a, g)| a.len() < g.members.len());
            if gap <= tol || steps >= limit {
                if shrunk {
                    // All entries are checked again before the end.
                    self.active = self.groups.iter().map(|g| g.members.clone()).collect();
                    continue;
                }
                return (steps, gap);
            }
            steps += 1;
            match joint {
                Some((slope, first, second, grow)) if slope > gaps[worst] => {
                    self.move_both(first, second, grow)
                }
                // There is no entry to take weight from: only rounding errors are left.
                _ if !self.move_pair(worst, extremes[worst].least.0) => return (steps, gap),
                _ => {}
            }
            if steps.is_multiple_of(SHRINK_EVERY) {
                self.shrink(&extremes);
            }
        }
    }

    fn extremes(&self, group: usize) -> Extremes {
        let mut found = Extremes {
            least: (usize::MAX, f64::INFINITY),
            largest: (usize::MAX, f64::NEG_INFINITY),
        };
        for &i in &self.active[group] {
            let s = self.slopes[i];
            if s < found.least.1 {
                found.least = (i, s);
            }
            if s > found.largest.1 && self.weights[i] > 0.0 {
                found.largest = (i, s);
            }
        }
        found
    }

    /// Moves weight to entry `i` from the entry of its group that lowers the objective most.
    /// Returns whether there is one.
    fn move_pair(&mut self, group: usize, i: usize) -> bool {
        let (own, y) = (self.slopes[i], self.groups[group].sign);
        let diagonal = self.diagonal[i];
        let mut best = (usize::MAX, 0.0, 0.0);
        let row = self.rows.row(i);
        for &j in &self.active[group] {
            let drop = self.slopes[j] - own;
            if self.weights[j] > 0.0 && drop > 0.0 {
                let curvature = y
                    * y
                    * (diagonal + self.diagonal[j] - 2.0 * row[j]).max(LEAST_CURVATURE * diagonal);
                // The whole weight may be less than the best step.
                let step = (drop / curvature).min(self.weights[j]);
                let gain = step * (drop - 0.5 * step * curvature);
                if gain > best.1 || best.0 == usize::MAX {
                    best = (j, gain, step);
                }
            }
        }
        let (j, _, step) = best;
        if j == usize::MAX {
            return false;
        }
        self.weights[i] += step;
        self.weights[j] -= step;
        if self.weights[j] < 1e-300 {
            self.weights[j] = 0.0;
        }
        self.add(i, step);
        self.add(j, -step);
        true
    }

    /// The steeper of the two steps that change both sums: its slope, its two entries, and whether
    /// they grow.
    fn joint_step(&self, extremes: &[Extremes]) -> Option<(f64, usize, usize, bool)> {
        let ratio = (self.groups[0].sign / self.groups[1].sign).abs();
        let (first, second) = (&extremes[0], &extremes[1]);
        let shrinking = first.largest.1 + ratio * second.largest.1;
        let sum: f64 = self.groups[0]
            .members
            .iter()
            .map(|&i| self.weights[i])
            .sum();
        let growing = -(first.least.1 + ratio * second.least.1);
        let room = 1.0 - sum > 1e-12;
        if shrinking > 0.0 && (!room || shrinking >= growing) {
            Some((shrinking, first.largest.0, second.largest.0, false))
        } else if room && growing > 0.0 {
            Some((growing, first.least.0, second.least.0, true))
        } else {
            None
        }
    }

    /// Grows or shrinks one entry of each of two groups as far as the objective falls.
    fn move_both(&mut self, first: usize, second: usize, grow: bool) {
        let ratio = (self.groups[0].sign / self.groups[1].sign).abs();
        let slope = self.slopes[first] + ratio * self.slopes[second];
        let cross = self.signs[first] * self.signs[second] * self.rows.row(first)[second];
        let square = |i: usize| self.signs[i] * self.signs[i] * self.diagonal[i];
        let (a, b) = (square(first), square(second));
        let curvature = (a + ratio * ratio * b + 2.0 * ratio * cross).max(LEAST_CURVATURE * a);
        let sum: f64 = self.groups[0]
            .members
            .iter()
            .map(|&i| self.weights[i])
            .sum();
        let most = if grow {
            1.0 - sum
        } else {
            self.weights[first].min(self.weights[second] / ratio)
        };
        let step = (slope.abs() / curvature).min(most) * if grow { 1.0 } else { -1.0 };
        self.weights[first] = (self.weights[first] + step).max(0.0);
        self.weights[second] = (self.weights[second] + ratio * step).max(0.0);
        self.add(first, step);
        self.add(second, ratio * step);
    }

    /// Skips entries that are zero and whose slope is well above the largest slope of a nonzero
    /// entry.
    fn shrink(&mut self, extremes: &[Extremes]) {
        for (active, e) in self.active.iter_mut().zip(extremes) {
            let bound = e.largest.1 + e.gap();
            active.retain(|&i| self.weights[i] > 0.0 || self.slopes[i] <= bound);
        }
    }
}

#[cfg(test)]
mod tests;
