//! A symmetric matrix times a few vectors: the main cost of conjugate gradients.

use rayon::prelude::*;

/// Columns that one task computes.
const CHUNK: usize = 256;
/// Matrices below this order are multiplied on the calling thread.
const SMALL: usize = 512;

/// `out = a v` for a symmetric `a` of order `n` (row-major, both triangles filled) and vectors of
/// length `n` stored one after the other. `a` is read once, whatever the number of vectors; each
/// entry of the result is summed by one thread in a fixed order.
///
/// # Panics
/// When the lengths do not fit.
pub fn symmetric_times(a: &[f64], n: usize, v: &[f64], out: &mut [f64]) {
    assert!(
        a.len() == n * n && v.len() == out.len(),
        "shapes of a symmetric product"
    );
    if n == 0 {
        return;
    }
    assert!(v.len().is_multiple_of(n), "vectors of a symmetric product");
    if n <= SMALL {
        columns(a, n, 0, v, out, n);
        return;
    }
    let q = v.len() / n;
    // Each task writes its columns of all results next to each other. They are then copied to their
    // places.
    let chunks: Vec<Vec<f64>> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|t| {
            let width = CHUNK.min(n - t * CHUNK);
            let mut part = vec![0.0; width * q];
            columns(a, n, t * CHUNK, v, &mut part, width);
            part
        })
        .collect();
    for (t, part) in chunks.iter().enumerate() {
        let width = part.len() / q;
        for (c, piece) in part.chunks_exact(width).enumerate() {
            let start = c * n + t * CHUNK;
            out[start..start + width].copy_from_slice(piece);
        }
    }
}

/// Entries `from..from + width` of every product; `out` holds `width` of each vector.
fn columns(a: &[f64], n: usize, from: usize, v: &[f64], out: &mut [f64], width: usize) {
    let task = Columns {
        a,
        n,
        from,
        v,
        out,
        width,
    };
    match pulp::Arch::new() {
        // Without a fused multiply-add instruction `mul_add` would be a slow call.
        pulp::Arch::Scalar => task.accumulate(|a, b, c| a * b + c),
        #[allow(unreachable_patterns)]
        arch => arch.dispatch(task),
    }
}

struct Columns<'a> {
    a: &'a [f64],
    n: usize,
    from: usize,
    v: &'a [f64],
    out: &'a mut [f64],
    width: usize,
}

// A named type, because a closure of this size is no longer inlined into the code for wide vectors.
impl pulp::NullaryFnOnce for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.accumulate(f64::mul_add);
    }
}

impl Columns<'_> {
    #[inline(always)]
    fn accumulate(self, fma: impl Fn(f64, f64, f64) -> f64) {
        let Self {
            a,
            n,
            from,
            v,
            out,
            width,
        } = self;
        out.fill(0.0);
        let whole = n / 4 * 4;
        for i in (0..whole).step_by(4) {
            let r0 = &a[i * n + from..i * n + from + width];
            let r1 = &a[(i + 1) * n + from..(i + 1) * n + from + width];
            let r2 = &a[(i + 2) * n + from..(i + 2) * n + from + width];
            let r3 = &a[(i + 3) * n + from..(i + 3) * n + from + width];
            for (v, out) in v.chunks_exact(n).zip(out.chunks_exact_mut(width)) {
                let (v0, v1, v2, v3) = (v[i], v[i + 1], v[i + 2], v[i + 3]);
                // Zipped, not indexed: without bounds checks the compiler can vectorise the loop.
                let rows = r0.iter().zip(r1).zip(r2.iter().zip(r3));
                for (o, ((a0, a1), (a2, a3))) in out.iter_mut().zip(rows) {
                    *o = fma(*a3, v3, fma(*a2, v2, fma(*a1, v1, fma(*a0, v0, *o))));
                }
            }
        }
        for i in whole..n {
            let r = &a[i * n + from..i * n + from + width];
            for (v, out) in v.chunks_exact(n).zip(out.chunks_exact_mut(width)) {
                for (o, a) in out.iter_mut().zip(r) {
                    *o = fma(*a, v[i], *o);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_match_the_definition_on_any_number_of_threads() {
        for &(n, q) in &[(1, 1), (3, 2), (62, 1), (130, 3), (700, 2)] {
            let value = |i: usize, j: usize| ((i * j + 3 * (i + j)) % 17) as f64 / 7.0 - 1.0;
            let a: Vec<f64> = (0..n * n).map(|k| value(k / n, k % n)).collect();
            let v: Vec<f64> = (0..n * q).map(|k| (k % 13) as f64 - 6.0).collect();
            let mut out = vec![f64::NAN; n * q];
            symmetric_times(&a, n, &v, &mut out);
            for c in 0..q {
                for i in 0..n {
                    let plain: f64 = (0..n).map(|j| a[i * n + j] * v[c * n + j]).sum();
                    assert!((out[c * n + i] - plain).abs() < 1e-11, "{n} {q}");
                }
            }
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .expect("pool");
            let mut again = vec![0.0; n * q];
            pool.install(|| symmetric_times(&a, n, &v, &mut again));
            assert_eq!(out, again);
        }
    }
}
