//! What a selection runs on, and the walk along it.

use super::evidence::Evidence;
use super::{Select, Smkda};
use crate::linalg::{Matrix, add_scaled, center_columns_weighted, dot, matmul, symmetric_product};
use crate::method::Problem;
use crate::solver::group_lasso::order_of_entry;
use crate::solver::ols::{Criterion, Press, Step, selection};
use crate::solver::optimal_scoring::{response_means, scored_responses};
use std::cmp::Ordering;

/// Centred columns of the candidates as products, which is what the selection needs of them.
pub(super) struct Ground {
    /// `m x m`: products of the centred columns.
    pub gram: Matrix,
    /// `m x c`: products of the centred columns with the responses.
    pub products: Matrix,
    /// Means of the columns before centring.
    pub means: Vec<f64>,
    /// Kernel values among the candidates, where there is a ridge.
    pub own: Option<Matrix>,
    /// Ties go to the candidate of least rank.
    pub ranks: Vec<usize>,
    /// Weight of all rows.
    pub total: f64,
    pub n_classes: usize,
    /// The columns themselves, where PRESS chooses.
    pub press: Option<Press>,
}

/// What a walk knows after a step.
pub(super) struct Progress {
    /// The squared error of the scored responses that is left, with a ridge the penalised one.
    pub left: f64,
    /// The log evidence, where the method goes by it.
    pub evidence: Option<f64>,
}

impl Ground {
    /// On kernel values of all rows with the candidates, which are all rows or some.
    pub(super) fn new(
        smkda: &Smkda,
        mut k: Matrix,
        problem: &Problem,
        candidates: Option<&[usize]>,
    ) -> Self {
        let classes = problem.classes();
        let mut y = scored_responses(&classes);
        let own = smkda.has_ridge().then(|| match candidates {
            Some(rows) => k.select_rows(rows),
            None => k.clone(),
        });
        let ranks = match candidates {
            Some(rows) => row_ranks(&problem.x.select_rows(rows)),
            None => row_ranks(&problem.x),
        };
        let means = center_columns_weighted(&mut k, classes.weights());
        classes.scale_rows(&mut k);
        classes.scale_rows(&mut y);
        // The Gram matrix is symmetric but its centred columns are not: products of columns are
        // those of the transpose's rows.
        let products = matmul(k.view().t(), y.view());
        let gram = symmetric_product(k.view().t());
        let press = (smkda.by() == Select::Press).then(|| {
            let means = response_means(&classes);
            for (i, row) in y.as_mut_slice().chunks_exact_mut(means.len()).enumerate() {
                let root = classes.weight(i).sqrt();
                row.iter_mut().zip(&means).for_each(|(v, m)| *v -= root * m);
            }
            let shares = (0..classes.n_rows()).map(|i| classes.weight(i) / classes.total());
            Press::new(k.transpose(), y, shares.collect())
        });
        Self {
            gram,
            products,
            means,
            own,
            ranks,
            total: classes.total(),
            n_classes: classes.n_classes(),
            press,
        }
    }

    /// What the offset alone leaves of `|Y_0|^2`: `n c - n`.
    fn whole(&self) -> f64 {
        self.total * self.n_classes.saturating_sub(1) as f64
    }

    /// Runs the selection: up to `longest` samples, or until the error that is left falls to the
    /// share at which the method stops, or until the observer returns `false`. With a ridge `r` the
    /// normal equations are those of an ordinary regression whose products of columns are `K'C K +
    /// r K`. The products are used up by the `last` run.
    pub(super) fn walk(
        &mut self,
        smkda: &Smkda,
        ridge: Option<f64>,
        last: bool,
        longest: usize,
        mut observe: impl FnMut(&Step<'_>, &Progress) -> bool,
    ) -> usize {
        let (mut gram, products) = match last {
            true => {
                let none = || Matrix::zeros(0, 0);
                (
                    std::mem::replace(&mut self.gram, none()),
                    std::mem::replace(&mut self.products, none()),
                )
            }
            false => (self.gram.clone(), self.products.clone()),
        };
        let mut evidence = None;
        if let (Some(r), Some(own)) = (ridge, &self.own) {
            add_scaled(&mut gram, own, r);
            if smkda.by_evidence() {
                evidence = Some(Evidence::new(own, r, self.total, self.n_classes));
            }
        }
        let whole = self.whole();
        let enough = smkda
            .stop_error
            .map_or(f64::NEG_INFINITY, |share| share * whole);
        let mut left = whole;
        let criterion = match (smkda.by(), &self.press) {
            (Select::Press, Some(press)) => Criterion::Press(press.clone()),
            (Select::Lasso, _) => {
                Criterion::Order(order_of_entry(&gram, &products, &self.ranks, longest))
            }
            _ => Criterion::Error,
        };
        selection(gram, products, &self.ranks, criterion, longest, |step| {
            let (s, u2) = (step.shrinkage, dot(step.responses, step.responses));
            left -= u2 * if ridge.is_some() { s } else { s * (2.0 - s) };
            // With a ridge something is always left; rounding must not say otherwise.
            let some = left.max(if ridge.is_some() {
                f64::EPSILON * whole
            } else {
                0.0
            });
            let progress = Progress {
                left: some,
                evidence: evidence.as_mut().map(|e| e.follow(step, some)),
            };
            observe(step, &progress) && some > enough
        })
    }

    /// The ridge, of these, and the number of samples that have the most evidence.
    pub(super) fn most_evident(
        &mut self,
        smkda: &Smkda,
        ridges: &[f64],
        longest: usize,
    ) -> Option<(f64, usize)> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for &ridge in ridges {
            self.walk(smkda, Some(ridge), false, longest, |step, at| {
                if let Some(evidence) = at.evidence.filter(|e| *e > most) {
                    most = evidence;
                    best = Some((ridge, step.size));
                }
                true
            });
        }
        best
    }
}

/// The rank of every row in lexicographic order of the features; equal rows keep their order.
pub(in crate::method) fn row_ranks(x: &Matrix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.rows()).collect();
    order.sort_by(|&a, &b| {
        let mut pairs = x.row(a).iter().zip(x.row(b));
        pairs
            .find_map(|(u, v)| Some(u.total_cmp(v)).filter(|o| o.is_ne()))
            .unwrap_or(Ordering::Equal)
    });
    let mut ranks = vec![0; order.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(rank, &row)| ranks[row] = rank);
    ranks
}
