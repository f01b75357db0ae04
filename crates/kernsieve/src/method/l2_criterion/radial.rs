//! The radial Laplacian convolved with itself, by a table of one dimension (Kim & Scott, section
//! 5.4).
//!
//! The density `k(x) = C exp(-|x| / b)` in `d` dimensions has the Fourier transform
//! `(1 + b^2 |w|^2)^(-(d + 1) / 2)`. That of the convolution is its square, which belongs to a
//! Matern function of order `nu = d / 2 + 1`: with `s = |x| / b`,
//! ```text
//! (k * k)(x) = C 2^-d M_nu(s),    M_nu(s) = 2^(1 - nu) / Gamma(nu) s^nu K_nu(s),    M_nu(0) = 1
//! ```
//! because `integral k^2 = C 2^-d`. `K_nu` is the modified Bessel function of the second kind. Its
//! recurrence gives `M_(nu+1) = M_nu + s^2 / (4 nu (nu - 1)) M_(nu-1)`, a sum of positive terms. It
//! starts from `M_(1/2) = exp(-s)` and `M_(3/2) = (1 + s) exp(-s)` in odd dimensions, and from
//! `K_0` and `K_1` in even ones; these are integrals that the trapezoidal rule gives to rounding.
//! All of it is done in ratios, since hundreds of dimensions overflow otherwise.

/// Nodes per unit of `log(1 + s)`. Cubic pieces then err by less than 1e-9 in the logarithm.
const DENSITY: f64 = 256.0;

/// `log M_nu` at nodes, for one dimension and bandwidth.
pub(super) struct SelfConvolution {
    bandwidth: f64,
    /// `log M_nu(s) + s` at the nodes, and its slope with respect to `log(1 + s)` per step.
    nodes: Vec<(f64, f64)>,
}

impl SelfConvolution {
    pub(super) fn new(bandwidth: f64, d: usize) -> Self {
        // Beyond the last node values are below the smallest number, whatever the dimension.
        let last = 1500.0 + 4.0 * (0.5 * d as f64 + 1.0);
        let count = (last.ln_1p() * DENSITY).ceil() as usize + 2;
        let nodes = (0..count).map(|i| {
            let s = (i as f64 / DENSITY).exp_m1();
            let (log, slope) = log_matern(s, d);
            (log + s, (slope + 1.0) * (1.0 + s) / DENSITY)
        });
        Self {
            bandwidth,
            nodes: nodes.collect(),
        }
    }

    /// `M_nu` at a squared distance.
    pub(super) fn value(&self, square: f64) -> f64 {
        // Rounding may leave a distance below 0; NaN stays.
        let s = square.clamp(0.0, f64::INFINITY).sqrt() / self.bandwidth;
        let place = s.ln_1p() * DENSITY;
        let left = place as usize;
        let (Some(a), Some(b)) = (self.nodes.get(left), self.nodes.get(left + 1)) else {
            return 0.0;
        };
        let (t, rise) = (place - left as f64, b.0 - a.0);
        let bend = (a.1 - rise) * (1.0 - t) + (rise - b.1) * t;
        (a.0 + t * rise + t * (1.0 - t) * bend - s).exp()
    }
}

/// `log M_nu(s)` and its derivative, `nu = d / 2 + 1`.
fn log_matern(s: f64, d: usize) -> (f64, f64) {
    let target = 0.5 * d as f64 + 1.0;
    if s == 0.0 {
        return (0.0, 0.0);
    }
    // log M_nu and M_nu / M_(nu - 1).
    let (mut nu, mut log, mut ratio) = if d % 2 == 1 {
        (1.5, s.ln_1p() - s, 1.0 + s)
    } else {
        let (k0, k1) = (scaled_bessel(s, 0.0), scaled_bessel(s, 1.0));
        let ratio = 1.0 + 0.5 * s * k0 / k1;
        (2.0, (s * k1 * ratio).ln() - s, ratio)
    };
    while nu < target {
        ratio = 1.0 + s * s / (4.0 * nu * (nu - 1.0) * ratio);
        log += ratio.ln();
        nu += 1.0;
    }
    (log, -s / (2.0 * (nu - 1.0) * ratio))
}

/// `exp(s) K_n(s) = integral_0^inf exp(-s (cosh t - 1)) cosh(n t) dt`, for a small order. The
/// integrand is even and analytic, so the trapezoidal rule converges faster than any power.
fn scaled_bessel(s: f64, n: f64) -> f64 {
    let step = f64::min(0.15, 0.6 / s.sqrt());
    let end = (1.0 + 50.0 / s).acosh();
    let term = |t: f64| (-s * (t.cosh() - 1.0)).exp() * (n * t).cosh();
    let count = (end / step).ceil() as usize;
    step * (0.5 + (1..=count).map(|i| term(i as f64 * step)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    const BANDWIDTH: f64 = 0.8;

    fn constant(d: usize) -> f64 {
        let kernel = Kernel::RadialLaplacian {
            bandwidth: BANDWIDTH,
        };
        kernel.log_normalizer(d).expect("a density").exp()
    }

    /// `(k * k)(r)`.
    fn convolution(d: usize, r: f64) -> f64 {
        let table = SelfConvolution::new(BANDWIDTH, d);
        constant(d) * 0.5f64.powi(d as i32) * table.value(r * r)
    }

    /// Surface of the unit sphere in `d` dimensions.
    fn sphere(d: usize) -> f64 {
        use std::f64::consts::PI;
        match d {
            1 => 2.0,
            2 => 2.0 * PI,
            _ => sphere(d - 2) * 2.0 * PI / (d as f64 - 2.0),
        }
    }

    #[test]
    fn the_constant_and_the_convolution_are_densities() {
        for d in [1, 2, 3, 4, 7, 10] {
            let (step, table) = (1e-3, SelfConvolution::new(BANDWIDTH, d));
            let radial = |f: &dyn Fn(f64) -> f64| {
                let shell = |i: usize| {
                    let r = step * (i as f64 + 0.5);
                    r.powi(d as i32 - 1) * f(r)
                };
                sphere(d) * step * (0..60_000).map(shell).sum::<f64>()
            };
            let own = constant(d) * radial(&|r| (-r / BANDWIDTH).exp());
            assert!((own - 1.0).abs() < 1e-6, "{d}: {own}");
            let twice = constant(d) * 0.5f64.powi(d as i32) * radial(&|r| table.value(r * r));
            assert!((twice - 1.0).abs() < 1e-6, "{d}: {twice}");
        }
    }

    #[test]
    fn odd_dimensions_are_elementary() {
        for s in [0.0, 1e-4, 0.3, 1.0, 2.7, 15.0, 200.0] {
            let exp = f64::exp(-s);
            for (d, value) in [
                (1, (1.0 + s) * exp),
                (3, (1.0 + s + s * s / 3.0) * exp),
                (5, (1.0 + s + 0.4 * s * s + s.powi(3) / 15.0) * exp),
            ] {
                let own = SelfConvolution::new(2.0, d).value(4.0 * s * s);
                assert!((own - value).abs() <= 1e-9 * value, "{d}, {s}: {own}");
            }
        }
    }

    /// In spheroidal coordinates whose foci are the two centres, the sum of the distances is
    /// `r cosh u`: two smooth integrals, in every dimension from 2 on.
    #[test]
    fn the_table_is_the_integral_of_two_kernels() {
        for d in [2, 3, 4, 6, 9] {
            for r in [0.05, 0.6, 2.0, 7.0] {
                let half = 0.5 * r;
                let (rows, columns) = (4000, 400);
                let end = (1.0 + 60.0 * BANDWIDTH / r).acosh();
                let mut sum = 0.0;
                for i in 0..rows {
                    let u = end * (i as f64 + 0.5) / rows as f64;
                    let value = (-r * u.cosh() / BANDWIDTH).exp();
                    for j in 0..columns {
                        let v = std::f64::consts::PI * (j as f64 + 0.5) / columns as f64;
                        let (sinh, sin) = (u.sinh(), v.sin());
                        let rho = half * sinh * sin;
                        let volume = half * half * (sinh * sinh + sin * sin);
                        sum += value * rho.powi(d as i32 - 2) * volume;
                    }
                }
                let cells = end / rows as f64 * std::f64::consts::PI / columns as f64;
                let by_hand = constant(d).powi(2) * sphere(d - 1) * cells * sum;
                let own = convolution(d, r);
                assert!(
                    (own - by_hand).abs() < 2e-5 * own,
                    "{d}, {r}: {own} {by_hand}"
                );
            }
        }
    }

    #[test]
    fn pieces_between_nodes_are_as_good_as_nodes() {
        for d in [1, 2, 8, 41, 300] {
            let table = SelfConvolution::new(1.0, d);
            for i in 0..400 {
                let s = 0.003 * 1.03f64.powi(i);
                let (log, _) = log_matern(s, d);
                let own = table.value(s * s);
                if log > -700.0 {
                    assert!(
                        (own.ln() - log).abs() < 1e-8,
                        "{d}, {s}: {}",
                        own.ln() - log
                    );
                } else {
                    assert!(own < 1e-300);
                }
            }
            assert_eq!((table.value(0.0), table.value(-1e-17)), (1.0, 1.0));
            assert_eq!(table.value(1e12), 0.0);
            assert!(table.value(f64::NAN).is_nan());
        }
    }
}
