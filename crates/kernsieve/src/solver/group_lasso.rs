//! The lasso for many responses that share their columns (group lasso over responses; Turlach,
//! Venables & Wright 2005, Yuan & Lin 2006):
//!
//! ```text
//! min_A  |Y - P A|_F^2 / 2 + lambda sum_j |A_j|_2
//! ```
//!
//! with `A_j` the coefficients of column `j` for all responses: a column is in for all of them or
//! for none. Only the products `P'P` and `P'Y` are needed. Columns count by their direction: they
//! are scaled to unit length.
//!
//! Block coordinate descent: with the slope `s_j = P_j'(Y - P A) + A_j` of a column alone, the
//! minimum over `A_j` is `(1 - lambda / |s_j|)_+ s_j`. Sweeps over the columns that are in alternate
//! with sweeps over all. A move costs `O(m c)`.

use crate::linalg::Matrix;

/// Each penalty of a path is this share of the one before.
const STEP: f64 = 0.93;
/// A path ends at this share of the first penalty.
const LAST: f64 = 1e-4;
/// Most sweeps at a penalty of a path.
const SWEEPS: usize = 1000;
/// Along a path a column has come to rest when it moves by less than this share of the first
/// penalty: which columns are in is all that counts.
const ALONG: f64 = 1e-5;

/// A descent in progress; the next penalty starts at the last solution.
pub struct GroupLasso {
    /// `P'P` with unit diagonal; rows of columns without length are zero.
    gram: Matrix,
    /// `P'(Y - P A)`, responses x columns.
    slopes: Matrix,
    /// `A`, columns x responses.
    coef: Matrix,
}

impl GroupLasso {
    /// From products of columns (`m x m`) and of columns with responses (`m x c`).
    pub fn new(gram: &Matrix, products: &Matrix) -> Self {
        let (m, c) = (gram.rows(), products.cols());
        let scale = |j: usize| match gram[(j, j)] > 0.0 {
            true => 1.0 / gram[(j, j)].sqrt(),
            false => 0.0,
        };
        let scales: Vec<f64> = (0..m).map(scale).collect();
        Self {
            gram: Matrix::from_fn(m, m, |i, j| scales[i] * scales[j] * gram[(i, j)]),
            slopes: Matrix::from_fn(c, m, |k, j| scales[j] * products[(j, k)]),
            coef: Matrix::zeros(m, c),
        }
    }

    /// The least penalty at which no column is in: `max_j |P_j'Y|`, before any descent.
    pub fn largest(&self) -> f64 {
        let size = |j: usize| (0..self.slopes.rows()).map(move |k| self.slopes[(k, j)].powi(2));
        let sizes = (0..self.coef.rows()).map(|j| size(j).sum::<f64>().sqrt());
        sizes.fold(0.0, f64::max)
    }

    /// The coefficients of the scaled columns.
    pub fn coef(&self) -> &Matrix {
        &self.coef
    }

    /// Goes to the minimum at a penalty: until no column moves by more than `rest` in a sweep over
    /// all, or for so many sweeps. Returns whether it got there.
    pub fn descend(&mut self, penalty: f64, rest: f64, most: usize) -> bool {
        let all: Vec<usize> = (0..self.coef.rows()).collect();
        let mut sweeps = 0;
        while sweeps < most {
            sweeps += 1;
            if self.sweep(&all, penalty) <= rest {
                return true;
            }
            let is_in = |&j: &usize| self.coef.row(j).iter().any(|v| *v != 0.0);
            let few: Vec<usize> = all.iter().copied().filter(is_in).collect();
            while sweeps < most {
                sweeps += 1;
                if self.sweep(&few, penalty) <= rest {
                    break;
                }
            }
        }
        false
    }

    /// One sweep; returns the longest move.
    fn sweep(&mut self, columns: &[usize], penalty: f64) -> f64 {
        let c = self.coef.cols();
        let mut longest: f64 = 0.0;
        let mut alone = vec![0.0; c];
        for &j in columns {
            if self.gram[(j, j)] == 0.0 {
                continue;
            }
            let own = self.coef.row_mut(j);
            for (k, (s, a)) in alone.iter_mut().zip(own.iter()).enumerate() {
                *s = self.slopes[(k, j)] + a;
            }
            let length = alone.iter().map(|s| s * s).sum::<f64>().sqrt();
            let share = (1.0 - penalty / length.max(f64::MIN_POSITIVE)).max(0.0);
            let mut moved = 0.0;
            for (k, (s, a)) in alone.iter().zip(own).enumerate() {
                let by = share * s - *a;
                if by == 0.0 {
                    continue;
                }
                *a += by;
                moved += by * by;
                let slopes = self.slopes.row_mut(k).iter_mut();
                slopes
                    .zip(self.gram.row(j))
                    .for_each(|(slope, g)| *slope -= by * g);
            }
            longest = longest.max(moved.sqrt());
        }
        longest
    }
}

/// The columns in the order in which they enter as the penalty falls, up to `most`. Those that enter
/// at the same penalty of the path are in the order of their coefficients; ties go to the least
/// rank.
pub fn order_of_entry(
    gram: &Matrix,
    products: &Matrix,
    ranks: &[usize],
    most: usize,
) -> Vec<usize> {
    let mut lasso = GroupLasso::new(gram, products);
    let first = lasso.largest();
    let mut order: Vec<usize> = Vec::new();
    let mut penalty = first * STEP;
    while order.len() < most && penalty > LAST * first {
        lasso.descend(penalty, ALONG * first, SWEEPS);
        let length = |j: usize| lasso.coef.row(j).iter().map(|v| v * v).sum::<f64>();
        let mut entered: Vec<(f64, usize)> = (0..ranks.len())
            .filter(|j| !order.contains(j))
            .map(|j| (length(j), j))
            .filter(|(length, _)| *length > 0.0)
            .collect();
        entered.sort_by(|a, b| b.0.total_cmp(&a.0).then(ranks[a.1].cmp(&ranks[b.1])));
        order.extend(entered.into_iter().map(|(_, j)| j));
        penalty *= STEP;
    }
    order.truncate(most);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{center_columns, matmul, symmetric_product};
    use crate::solver::coordinate_descent::Penalty;
    use crate::solver::lasso::{Design, Stop, path};
    use crate::testing::random;

    fn centred(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut m = random(rows, cols, seed);
        center_columns(&mut m);
        m
    }

    fn products(p: &Matrix, y: &Matrix) -> (Matrix, Matrix) {
        (
            symmetric_product(p.transpose().view()),
            matmul(p.view().t(), y.view()),
        )
    }

    /// Columns of length 1.
    fn scaled(p: &Matrix) -> Matrix {
        let length = |j: usize| p.column(j).iter().map(|v| v * v).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..p.cols()).map(length).collect();
        Matrix::from_fn(p.rows(), p.cols(), |i, j| p[(i, j)] / lengths[j])
    }

    #[test]
    fn solutions_satisfy_the_optimality_conditions() {
        for (n, m, c, seed) in [(40, 12, 3, 1), (30, 60, 2, 2), (50, 20, 1, 3)] {
            let (mut p, y) = (centred(n, m, seed), centred(n, c, seed + 50));
            // Columns of different lengths, two nearly alike.
            for i in 0..n {
                p[(i, 0)] *= 20.0;
                p[(i, 2)] = p[(i, 1)] + 0.05 * p[(i, 2)];
            }
            let (gram, right) = products(&p, &y);
            let mut lasso = GroupLasso::new(&gram, &right);
            let first = lasso.largest();
            let unit = scaled(&p);
            for share in [1.0001, 0.7, 0.3, 0.05] {
                let penalty = share * first;
                assert!(lasso.descend(penalty, 1e-12 * first, 1_000_000));
                // From the problem: slopes of the squares at the solution.
                let fitted = matmul(unit.view(), lasso.coef().view());
                let gap = Matrix::from_fn(n, c, |i, k| y[(i, k)] - fitted[(i, k)]);
                let slopes = matmul(unit.view().t(), gap.view());
                let mut inside = 0;
                for j in 0..m {
                    let size = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                    let (own, slope) = (lasso.coef().row(j), slopes.row(j));
                    if size(own) == 0.0 {
                        assert!(size(slope) <= penalty * (1.0 + 1e-8));
                        continue;
                    }
                    inside += 1;
                    for (a, s) in own.iter().zip(slope) {
                        assert!(
                            (s - penalty * a / size(own)).abs() < 1e-8 * first,
                            "{s} {a}"
                        );
                    }
                }
                assert_eq!(inside == 0, share > 1.0, "{inside} columns at {share}");
            }
        }
    }

    #[test]
    fn one_response_is_the_lasso() {
        let (p, y) = (centred(40, 15, 5), centred(40, 1, 6));
        let (gram, right) = products(&p, &y);
        let mut lasso = GroupLasso::new(&gram, &right);
        let penalties: Vec<f64> = [0.6, 0.2].iter().map(|s| s * lasso.largest()).collect();
        let each: Vec<Penalty> = penalties.iter().map(|v| Penalty::mixed(*v, 1.0)).collect();
        let plain = path(&Design::new(&scaled(&p)), &y, &each, Stop::EXACT);
        for (penalty, solution) in penalties.iter().zip(&plain[0]) {
            assert!(lasso.descend(*penalty, 1e-12, 100_000));
            for j in 0..15 {
                let at = solution.support.iter().position(|s| *s == j);
                let direct = at.map_or(0.0, |k| solution.coef[k]);
                assert!((lasso.coef()[(j, 0)] - direct).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn columns_enter_in_the_order_of_their_correlations_where_they_are_orthogonal() {
        // An orthogonal design: column j enters at the penalty |p_j'Y|.
        let p = Matrix::from_fn(12, 6, |i, j| match i == 2 * j {
            true => 1.0,
            false => -f64::from(i == 2 * j + 1),
        });
        let y = centred(12, 2, 9);
        let (gram, right) = products(&p, &y);
        let size = |j: usize| right.row(j).iter().map(|v| v * v).sum::<f64>();
        let mut expected: Vec<usize> = (0..6).collect();
        expected.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
        let ranks: Vec<usize> = (0..6).collect();
        assert_eq!(order_of_entry(&gram, &right, &ranks, 6), expected);
        assert_eq!(order_of_entry(&gram, &right, &ranks, 2), expected[..2]);
    }
}
