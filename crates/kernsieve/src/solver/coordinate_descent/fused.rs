//! The inner loops, on the widest vectors of the processor.

use super::Penalty;

/// `out -= sum_k by_k m_k` for some rows `m_k` of a matrix whose rows are `stride` apart.
pub(in crate::solver) fn subtract_rows(
    out: &mut [f64],
    matrix: &[f64],
    stride: usize,
    rows: &[usize],
    by: &[f64],
) {
    let task = Subtract {
        out,
        matrix,
        stride,
        rows,
        by,
    };
    fused(task);
}

/// `out_j = m_j'v` for some rows `m_j` of a matrix whose rows are as long as `v`.
pub(in crate::solver) fn row_products(out: &mut [f64], matrix: &[f64], rows: &[usize], v: &[f64]) {
    let task = Products {
        out,
        matrix,
        rows,
        v,
    };
    fused(task);
}

/// A loop over fused multiply-adds `a b + c`. It is a named type because a closure of this size is
/// no longer inlined into the code for wide vectors.
pub(super) trait Fused {
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy);
}

struct Wide<T>(T);

impl<T: Fused> pulp::NullaryFnOnce for Wide<T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.all(f64::mul_add);
    }
}

/// Runs a loop on the widest vectors of the processor.
pub(super) fn fused(task: impl Fused) {
    match pulp::Arch::new() {
        // Without a fused multiply-add instruction `mul_add` would be a slow call.
        pulp::Arch::Scalar => task.all(|a, b, c| a * b + c),
        #[allow(unreachable_patterns)]
        arch => arch.dispatch(Wide(task)),
    }
}

struct Subtract<'a> {
    out: &'a mut [f64],
    matrix: &'a [f64],
    stride: usize,
    rows: &'a [usize],
    by: &'a [f64],
}

impl Fused for Subtract<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        for (&j, &d) in self.rows.iter().zip(self.by) {
            let row = &self.matrix[j * self.stride..][..self.out.len()];
            for (o, m) in self.out.iter_mut().zip(row) {
                *o = fma(-d, *m, *o);
            }
        }
    }
}

struct Products<'a> {
    out: &'a mut [f64],
    matrix: &'a [f64],
    rows: &'a [usize],
    v: &'a [f64],
}

impl Fused for Products<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        const LANES: usize = 8;
        let n = self.v.len();
        let whole = n / LANES * LANES;
        for &j in self.rows {
            let row = &self.matrix[j * n..][..n];
            let mut sums = [0.0; LANES];
            for (a, b) in row[..whole]
                .chunks_exact(LANES)
                .zip(self.v[..whole].chunks_exact(LANES))
            {
                for l in 0..LANES {
                    sums[l] = fma(a[l], b[l], sums[l]);
                }
            }
            let rest = row[whole..].iter().zip(&self.v[whole..]);
            let rest = rest.fold(0.0, |s, (a, b)| fma(*a, *b, s));
            self.out[j] = sums.iter().sum::<f64>() + rest;
        }
    }
}

pub(super) struct Sweep<'a> {
    pub(super) gram: &'a [f64],
    pub(super) stride: usize,
    pub(super) w: &'a mut [f64],
    pub(super) slope: &'a mut [f64],
    pub(super) penalty: Penalty,
}

impl Fused for Sweep<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let Penalty { l1, l2 } = self.penalty;
        let size = self.w.len();
        for j in 0..size {
            let (old, q) = (self.w[j], self.slope[j]);
            if old == 0.0 && q.abs() <= l1 {
                continue;
            }
            let row = &self.gram[j * self.stride..][..size];
            let diagonal = row[j];
            let z = fma(diagonal, old, q);
            let to = if z > l1 {
                (z - l1) / (diagonal + l2)
            } else if z < -l1 {
                (z + l1) / (diagonal + l2)
            } else {
                0.0
            };
            let step = to - old;
            if step == 0.0 || !step.is_finite() {
                continue;
            }
            self.w[j] = to;
            for (q, g) in self.slope.iter_mut().zip(row) {
                *q = fma(-step, *g, *q);
            }
        }
    }
}
