//! Orthogonal least squares forward selection for many responses (Harrison & Pasupa, section 2.3).
//!
//! Candidate columns `p_j` and responses `y_c` are centred (the offset enters first and is never
//! penalised). Every step takes the candidate of largest `sum_c (p_j'y_c)^2 / (p_j'p_j + 1e-9)`,
//! `p_j` being what is left of the candidate once it is orthogonal to those already chosen: the
//! choice of textbook modified Gram-Schmidt.
//!
//! It is done as a Cholesky factorisation of `G = P'P` in which that criterion picks the pivot. All
//! the criterion needs is the squared norm and the products with the responses of each remaining
//! candidate, `O(m c)` a step; the Schur complement is updated a block of steps at a time by matrix
//! products. A full path costs `m^3 / 3` flops on top of `G`.
//!
//! `G` squares the condition number: a candidate with less than 1e-12 of its squared norm left
//! counts as dependent and is excluded, and the coefficients of the chosen columns come from an
//! orthogonal factorisation of those columns ([`coefficients`]), not from `G`.

use crate::error::Result;
use crate::linalg::{Matrix, View, dot, gemm_into, matmul};
use kernsieve_dense::tall_qr;
use rayon::prelude::*;

/// Diagonal penalty in orthogonal coordinates, on squared norms of orthogonal columns that are not
/// normalised.
pub const PENALTY: f64 = 1e-9;
/// A column with a smaller share of its squared norm left is dependent on those chosen.
const DEPENDENT: f64 = 1e-12;
/// When the best gain is a smaller share of the first one, the responses are explained and what is
/// left is rounding.
const NOTHING: f64 = 1e-14;
/// Gains that differ by a smaller share are tied.
const TIE: f64 = 1e-8;
/// Steps between two updates of the Schur complement.
const BLOCK: usize = 64;

/// A step of the selection, as an observer sees it.
pub struct Step<'a> {
    /// Number of columns chosen, this one included.
    pub size: usize,
    /// The candidate that was chosen.
    pub candidate: usize,
    /// Length of its orthogonal part, `|p|`.
    pub length: f64,
    /// Its products with the unit vectors chosen before, `q_k'p` for `k < size - 1`.
    pub projections: &'a [f64],
    /// Products of its unit vector with the responses, `q'y_c`.
    pub responses: &'a [f64],
    /// Part of those that enters the fit: `|p|^2 / (|p|^2 + 1e-9)`.
    pub shrinkage: f64,
}

/// Selects up to `max` candidates. `gram` is `P'P` (`m x m`, centred columns; its lower triangle is
/// overwritten) and `products` is `P'Y` (`m x c`). `observe` is called after every step and may end
/// the selection by returning `false`. Returns the number of steps taken: fewer than `max` when
/// nothing independent, or nothing to explain, is left.
///
/// Ties go to the candidate that stands first.
pub fn forward_selection(
    gram: Matrix,
    products: Matrix,
    max: usize,
    observe: impl FnMut(&Step<'_>) -> bool,
) -> usize {
    let ranks: Vec<usize> = (0..gram.rows()).collect();
    ranked_selection(gram, products, &ranks, max, observe)
}

/// The same with ties going to the candidate of least rank. Ranks that come from the rows
/// themselves make the choice the same in whatever order they stand.
pub fn ranked_selection(
    gram: Matrix,
    products: Matrix,
    ranks: &[usize],
    max: usize,
    mut observe: impl FnMut(&Step<'_>) -> bool,
) -> usize {
    let mut state = State::new(gram, products, ranks.to_vec());
    let mut size = 0;
    while size < max.min(state.candidates()) {
        let block = BLOCK.min(max.min(state.candidates()) - size);
        let start = size;
        for k in 0..block {
            let Some(best) = state.best(start + k) else {
                return size;
            };
            state.swap(start + k, best, k);
            let (length, responses) = state.eliminate(start, k);
            size += 1;
            let projections = state.projections(start, k);
            let step = Step {
                size,
                candidate: state.order[start + k],
                length,
                projections: &projections,
                responses: &responses,
                shrinkage: length * length / (length * length + PENALTY),
            };
            if !observe(&step) {
                return size;
            }
        }
        state.update(start, block);
    }
    size
}

/// The factorisation under way. Positions `0..t` hold what was chosen, in order; everything is
/// permuted alike.
struct State {
    /// Lower triangle: columns before the current block hold the factor, the rest the Schur
    /// complement as of its start.
    a: Matrix,
    /// Factor columns of the current block, `m x BLOCK`, row by row.
    panel: Matrix,
    /// Remaining products with the responses, `m x c`.
    b: Matrix,
    /// Remaining squared norms.
    left: Vec<f64>,
    /// Squared norms at the start.
    whole: Vec<f64>,
    /// Candidate at each position.
    order: Vec<usize>,
    /// Rank of each candidate.
    ranks: Vec<usize>,
    /// Gain of each position, where there is one.
    gains: Vec<f64>,
    /// The best gain of the first step.
    first: Option<f64>,
}

impl State {
    fn new(a: Matrix, b: Matrix, ranks: Vec<usize>) -> Self {
        let m = a.rows();
        let whole: Vec<f64> = (0..m).map(|i| a[(i, i)]).collect();
        Self {
            panel: Matrix::zeros(m, BLOCK),
            left: whole.clone(),
            whole,
            order: (0..m).collect(),
            ranks,
            gains: vec![f64::NEG_INFINITY; m],
            first: None,
            a,
            b,
        }
    }

    fn candidates(&self) -> usize {
        self.a.rows()
    }

    /// Position of the best remaining candidate, the one of least rank on a tie; `None` when all
    /// are dependent or nothing is left to explain. Gains that differ by rounding are tied.
    fn best(&mut self, from: usize) -> Option<usize> {
        let mut most = f64::NEG_INFINITY;
        for i in from..self.candidates() {
            let dependent = self.left[i] <= DEPENDENT * self.whole[i] || self.left[i] <= 0.0;
            let row = self.b.row(i);
            let gain = dot(row, row) / (self.left[i] + PENALTY);
            let usable = !dependent && gain.is_finite();
            self.gains[i] = if usable { gain } else { f64::NEG_INFINITY };
            most = most.max(self.gains[i]);
        }
        let first = *self.first.get_or_insert(most);
        if !most.is_finite() || most < NOTHING * first {
            return None;
        }
        let tied = (from..self.candidates()).filter(|&i| self.gains[i] >= most * (1.0 - TIE));
        tied.min_by_key(|&i| self.ranks[self.order[i]])
    }

    /// Exchanges positions `t` and `s > t`; `k` columns of the panel are filled.
    fn swap(&mut self, t: usize, s: usize, k: usize) {
        if t == s {
            return;
        }
        let m = self.candidates();
        self.order.swap(t, s);
        self.left.swap(t, s);
        self.whole.swap(t, s);
        swap_row_parts(&mut self.b, t, s, usize::MAX);
        swap_row_parts(&mut self.panel, t, s, k);
        swap_row_parts(&mut self.a, t, s, t);
        let (tt, ss) = (self.a[(t, t)], self.a[(s, s)]);
        self.a[(t, t)] = ss;
        self.a[(s, s)] = tt;
        for i in t + 1..s {
            let (x, y) = (self.a[(i, t)], self.a[(s, i)]);
            self.a[(i, t)] = y;
            self.a[(s, i)] = x;
        }
        let data = self.a.as_mut_slice();
        for i in s + 1..m {
            data.swap(i * m + t, i * m + s);
        }
    }

    /// Makes position `start + k` the next column of the factor. Returns the pivot's length and its
    /// products with the responses.
    fn eliminate(&mut self, start: usize, k: usize) -> (f64, Vec<f64>) {
        let m = self.candidates();
        let t = start + k;
        let length = self.left[t].sqrt();
        let responses: Vec<f64> = self.b.row(t).iter().map(|v| v / length).collect();
        let pivot: Vec<f64> = self.panel.row(t)[..k].to_vec();
        self.panel[(t, k)] = length;
        let c = self.b.cols();
        let (a, left) = (&self.a, &mut self.left[t + 1..]);
        let panel = &mut self.panel.as_mut_slice()[(t + 1) * BLOCK..];
        let b = &mut self.b.as_mut_slice()[(t + 1) * c..];
        // One remaining candidate: its new entry of the factor, and what is left of it.
        let one = |i: usize, row: &mut [f64], left: &mut f64, b: &mut [f64]| {
            let l = (a[(t + 1 + i, t)] - dot(&row[..k], &pivot)) / length;
            row[k] = l;
            *left -= l * l;
            b.iter_mut().zip(&responses).for_each(|(v, u)| *v -= l * u);
        };
        if (m - t) * (k + c) > 1 << 16 {
            panel
                .par_chunks_mut(BLOCK * 256)
                .zip(left.par_chunks_mut(256))
                .zip(b.par_chunks_mut(c * 256))
                .enumerate()
                .for_each(|(chunk, ((panel, left), b))| {
                    for (i, ((row, left), b)) in panel
                        .chunks_exact_mut(BLOCK)
                        .zip(left.iter_mut())
                        .zip(b.chunks_exact_mut(c))
                        .enumerate()
                    {
                        one(chunk * 256 + i, row, left, b);
                    }
                });
        } else {
            for (i, ((row, left), b)) in panel
                .chunks_exact_mut(BLOCK)
                .zip(left.iter_mut())
                .zip(b.chunks_exact_mut(c))
                .enumerate()
            {
                one(i, row, left, b);
            }
        }
        (length, responses)
    }

    /// `q_k'p` of the pivot at `start + k`: factor columns of earlier blocks, then those of the
    /// panel.
    fn projections(&self, start: usize, k: usize) -> Vec<f64> {
        let t = start + k;
        let mut row = self.a.row(t)[..start].to_vec();
        row.extend_from_slice(&self.panel.row(t)[..k]);
        row
    }

    /// Stores the panel's columns in the factor and takes them out of the Schur complement: lower
    /// half, by products.
    fn update(&mut self, start: usize, width: usize) {
        const TILE: usize = 128;
        let m = self.candidates();
        let end = start + width;
        let panel = self.panel.as_slice();
        let rows = &mut self.a.as_mut_slice()[start * m..];
        rows.par_chunks_mut(m).enumerate().for_each(|(i, row)| {
            row[start..end]
                .copy_from_slice(&panel[(start + i) * BLOCK..(start + i) * BLOCK + width]);
        });
        if end >= m {
            return;
        }
        let below = &mut self.a.as_mut_slice()[end * m..];
        below
            .par_chunks_mut(TILE * m)
            .enumerate()
            .for_each(|(t, chunk)| {
                let count = chunk.len() / m;
                let first = end + t * TILE;
                let upto = first + count - end;
                gemm_into(
                    &mut chunk[end..],
                    m,
                    View::new(&panel[first * BLOCK..], count, width, BLOCK),
                    View::new(&panel[end * BLOCK..], upto, width, BLOCK).t(),
                    -1.0,
                    true,
                );
            });
    }
}

/// Exchanges the first `columns` entries of two rows.
fn swap_row_parts(m: &mut Matrix, a: usize, b: usize, columns: usize) {
    let width = m.cols();
    let columns = columns.min(width);
    let (low, high) = (a.min(b), a.max(b));
    let (head, tail) = m.as_mut_slice().split_at_mut(high * width);
    head[low * width..low * width + columns].swap_with_slice(&mut tail[..columns]);
}

/// Coefficients of chosen columns, from an orthogonal factorisation of the columns themselves.
///
/// `fill(i, row)` writes row `i` of `[P_S Y]`, centred, into `row`; rows may stream. With `P_S = Q
/// R` and `s_k = r_kk^2 / (r_kk^2 + 1e-9)` the coefficients are `R^-1 diag(s) Q'Y`.
pub fn coefficients(
    rows: usize,
    chosen: usize,
    responses: usize,
    fill: impl FnMut(usize, &mut [f64]),
) -> Result<Coefficients> {
    let qr = tall_qr(rows, chosen, responses, fill);
    let mut b = qr.z;
    let mut penalised = Matrix::zeros(chosen, responses);
    for k in 0..chosen {
        let r2 = qr.r[(k, k)] * qr.r[(k, k)];
        for (v, p) in b.row_mut(k).iter_mut().zip(penalised.row_mut(k)) {
            *p = *v * PENALTY / (r2 + PENALTY);
            *v *= r2 / (r2 + PENALTY);
        }
    }
    let gradient = matmul(qr.r.view().t(), penalised.view());
    // Back substitution, row by row from the bottom.
    for k in (0..chosen).rev() {
        let (head, tail) = b.as_mut_slice().split_at_mut((k + 1) * responses);
        let row = &mut head[k * responses..];
        for (j, below) in tail.chunks_exact(responses).enumerate() {
            let r = qr.r[(k, k + 1 + j)];
            row.iter_mut().zip(below).for_each(|(v, w)| *v -= r * w);
        }
        let pivot = qr.r[(k, k)];
        row.iter_mut()
            .for_each(|v| *v = if pivot == 0.0 { 0.0 } else { *v / pivot });
    }
    Ok(Coefficients { coef: b, gradient })
}

/// What [`coefficients`] finds.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// Chosen columns x responses.
    pub coef: Matrix,
    /// `P_S'(Y - P_S coef)` at the exact solution: zero but for the penalty, `R' diag(1 - s) Q'Y`.
    pub gradient: Matrix,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{center_columns, least_squares, matmul, symmetric_product};
    use crate::testing::random;

    struct Taken {
        order: Vec<usize>,
        length: Vec<f64>,
        responses: Vec<Vec<f64>>,
        projections: Vec<Vec<f64>>,
    }

    fn run(p: &Matrix, y: &Matrix, max: usize) -> Taken {
        let gram = symmetric_product(p.transpose().view());
        let products = matmul(p.view().t(), y.view());
        let mut t = Taken {
            order: vec![],
            length: vec![],
            responses: vec![],
            projections: vec![],
        };
        let steps = forward_selection(gram, products, max, |s| {
            t.order.push(s.candidate);
            t.length.push(s.length);
            t.responses.push(s.responses.to_vec());
            t.projections.push(s.projections.to_vec());
            true
        });
        assert_eq!(steps, t.order.len());
        t
    }

    /// Modified Gram-Schmidt as in the textbooks: every remaining column is made orthogonal at
    /// every step.
    fn reference(p: &Matrix, y: &Matrix, max: usize) -> Vec<usize> {
        let (n, m) = (p.rows(), p.cols());
        let mut columns: Vec<Vec<f64>> = (0..m).map(|j| p.column(j)).collect();
        let whole: Vec<f64> = columns.iter().map(|c| dot(c, c)).collect();
        let mut order = Vec::new();
        for _ in 0..max.min(m) {
            let gain = |j: usize| {
                let norm = dot(&columns[j], &columns[j]);
                if order.contains(&j) || norm <= DEPENDENT * whole[j] {
                    return f64::NEG_INFINITY;
                }
                (0..y.cols())
                    .map(|c| dot(&columns[j], &y.column(c)).powi(2))
                    .sum::<f64>()
                    / (norm + PENALTY)
            };
            let best = (0..m).fold(0, |b, j| if gain(j) > gain(b) { j } else { b });
            if gain(best) == f64::NEG_INFINITY {
                break;
            }
            order.push(best);
            let q = columns[best].clone();
            let qq = dot(&q, &q);
            for (j, column) in columns.iter_mut().enumerate() {
                if !order.contains(&j) {
                    let f = dot(&q, column) / qq;
                    (0..n).for_each(|i| column[i] -= f * q[i]);
                }
            }
        }
        order
    }

    fn centred(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut m = random(rows, cols, seed);
        center_columns(&mut m);
        m
    }

    #[test]
    fn chooses_as_modified_gram_schmidt_does() {
        for (n, m, c, seed) in [
            (40, 12, 1, 1),
            (60, 60, 3, 2),
            (300, 200, 4, 3),
            (30, 80, 2, 4),
        ] {
            let (p, y) = (centred(n, m, seed), centred(n, c, seed + 100));
            let max = m.min(n - 1);
            let t = run(&p, &y, max);
            // In the last dimension that is left all columns are the same: the one that stands
            // first is taken.
            let same = if max == n - 1 { max - 1 } else { max };
            assert_eq!(t.order[..same], reference(&p, &y, max)[..same], "{n} x {m}");
            // n_s is a prefix of n_s + 1, whatever the block boundaries.
            let shorter = run(&p, &y, max / 2);
            assert_eq!(shorter.order, t.order[..max / 2]);
        }
    }

    #[test]
    fn chooses_as_modified_gram_schmidt_does_on_a_gaussian_gram_matrix() {
        let x = random(150, 3, 7);
        let mut k = crate::kernel::gram(&crate::kernel::Kernel::Gaussian { bandwidth: 0.5 }, &x);
        center_columns(&mut k);
        let y = centred(150, 3, 8);
        assert_eq!(run(&k, &y, 100).order, reference(&k, &y, 100));
    }

    #[test]
    fn unit_vectors_reproduce_columns_and_responses() {
        let (p, y) = (centred(50, 20, 5), centred(50, 2, 6));
        let t = run(&p, &y, 20);
        // Rebuild q_k from the chosen columns and check them for orthonormality and for q'y.
        let mut q: Vec<Vec<f64>> = Vec::new();
        for k in 0..20 {
            let mut v = p.column(t.order[k]);
            for (l, w) in q.iter().enumerate() {
                (0..50).for_each(|i| v[i] -= t.projections[k][l] * w[i]);
            }
            v.iter_mut().for_each(|x| *x /= t.length[k]);
            for w in &q {
                assert!(dot(&v, w).abs() < 1e-10);
            }
            assert!((dot(&v, &v) - 1.0).abs() < 1e-10);
            for c in 0..2 {
                assert!((dot(&v, &y.column(c)) - t.responses[k][c]).abs() < 1e-10);
            }
            q.push(v);
        }
    }

    #[test]
    fn dependent_columns_end_the_selection() {
        let base = centred(40, 5, 9);
        // Ten columns of rank five.
        let p = Matrix::from_fn(40, 10, |i, j| {
            if j < 5 {
                base[(i, j)]
            } else {
                base[(i, j - 5)] - base[(i, (j + 1) % 5)]
            }
        });
        let t = run(&p, &centred(40, 2, 10), 10);
        assert_eq!(t.order.len(), 5);
        let zero = Matrix::zeros(20, 3);
        assert!(run(&zero, &centred(20, 1, 1), 3).order.is_empty());
    }

    #[test]
    fn a_full_basis_is_the_least_squares_solution() {
        let (p, y) = (centred(60, 8, 11), centred(60, 3, 12));
        let t = run(&p, &y, 8);
        let b = coefficients(60, 8, 3, |i, row| {
            t.order
                .iter()
                .enumerate()
                .for_each(|(k, &j)| row[k] = p[(i, j)]);
            row[8..].copy_from_slice(y.row(i));
        })
        .expect("solves");
        let full = least_squares(&p, &y, 0.0).expect("solves").coef;
        for (k, &j) in t.order.iter().enumerate() {
            for c in 0..3 {
                // The penalty of 1e-9 on squared norms of about 60 moves the tenth digit.
                assert!((b.coef[(k, c)] - full[(j, c)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let (p, y) = (centred(500, 400, 13), centred(500, 3, 14));
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("pool");
            pool.install(|| {
                let t = run(&p, &y, 300);
                (t.order, t.length)
            })
        };
        assert_eq!(with(1), with(3));
    }
}
