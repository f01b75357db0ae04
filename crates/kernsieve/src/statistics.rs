//! Tests of differences between methods that were measured on the same splits.
//!
//! Repeated random splits share rows, so the differences `d_1, .., d_R` between the errors of two
//! methods are not independent, and the plain paired t-test finds differences that do not exist.
//! The corrected resampled t-test of Nadeau & Bengio increases the variance of their mean by the
//! ratio of held-out to training rows:
//! ```text
//! t = mean(d) / sqrt((1/R + n_test/n_train) s^2),   s^2 = sum_r (d_r - mean(d))^2 / (R - 1)
//! ```
//! which is compared with Student's distribution with `R - 1` degrees of freedom.
//!
//! Nadeau & Bengio (2003), "Inference for the generalization error", Machine Learning 52, 239-281,
//! section 4. Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian
//! Journal of Statistics 6, 65-70.

/// The result of the corrected resampled t-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResampledTest {
    /// Mean of the differences.
    pub mean: f64,
    /// Corrected standard error of that mean, `sqrt((1/R + n_test/n_train) s^2)`.
    pub standard_error: f64,
    /// Two-sided p-value. It is 1 if the mean is zero, and 0 if all differences are equal and not
    /// zero.
    pub p_value: f64,
}

/// The corrected resampled t-test of paired differences; `test_to_train` is `n_test/n_train`.
/// `None` for fewer than two differences.
pub fn corrected_resampled_t_test(
    differences: &[f64],
    test_to_train: f64,
) -> Option<ResampledTest> {
    let count = differences.len();
    if count < 2 {
        return None;
    }
    let r = count as f64;
    let mean = differences.iter().sum::<f64>() / r;
    // Equal differences have no variance, even if their mean is rounded.
    let variance = if differences.iter().all(|d| *d == differences[0]) {
        0.0
    } else {
        differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (r - 1.0)
    };
    let standard_error = ((1.0 / r + test_to_train) * variance).sqrt();
    let p_value = if mean == 0.0 {
        1.0
    } else {
        student_t_two_sided(mean / standard_error, r - 1.0)
    };
    Some(ResampledTest {
        mean,
        standard_error,
        p_value,
    })
}

/// Holm's adjustment: with the p-values sorted, `max_{j <= i} min(1, (m - j + 1) p_(j))`. Rejecting
/// where the adjusted value is below a level keeps the probability of any false rejection below
/// that level (Holm 1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let m = p_values.len();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; m];
    let mut largest = 0.0f64;
    for (place, i) in order.into_iter().enumerate() {
        largest = largest.max(((m - place) as f64 * p_values[i]).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}

/// `P(|T| >= |t|)` of Student's distribution, `I_x(df/2, 1/2)` with `x = df / (df + t^2)`.
pub fn student_t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    regularized_beta(df / 2.0, 0.5, df / (df + t * t), t * t / (df + t * t))
}

/// The regularized incomplete beta function `I_x(a, b)`; `y = 1 - x` is passed as well because it
/// cannot be computed accurately from an `x` close to 1.
fn regularized_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * y.ln()).exp();
    // The continued fraction converges fast on this side of the mean. The other side follows by
    // symmetry.
    if x < (a + 1.0) / (a + b + 2.0) {
        (front * beta_fraction(a, b, x) / a).clamp(0.0, 1.0)
    } else {
        (1.0 - front * beta_fraction(b, a, y) / b).clamp(0.0, 1.0)
    }
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    // The number of terms grows as the square root of a or b.
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function for positive arguments: the recurrence up to 15, then
/// Stirling's series.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let i = 1.0 / (x * x);
    // Bernoulli numbers over 2k (2k - 1). The first omitted term is below 1e-16 from 15 on.
    let series = (1.0 / 12.0
        - i * (1.0 / 360.0 - i * (1.0 / 1260.0 - i * (1.0 / 1680.0 - i * (1.0 / 1188.0)))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// The quantile function of the standard normal distribution, to about 16 digits (Wichura 1988,
/// algorithm AS 241).
pub fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 8] = [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ];
    const B: [f64; 8] = [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ];
    const C: [f64; 8] = [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ];
    const D: [f64; 8] = [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ];
    const E: [f64; 8] = [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ];
    const F: [f64; 8] = [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ];
    let ratio = |top: &[f64; 8], bottom: &[f64; 8], r: f64| {
        let polynomial = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, v| sum * r + v);
        polynomial(top) / polynomial(bottom)
    };
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&A, &B, 0.180_625 - q * q);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-tail.max(f64::MIN_POSITIVE).ln()).sqrt();
    let size = if r <= 5.0 {
        ratio(&C, &D, r - 1.6)
    } else {
        ratio(&E, &F, r - 5.0)
    };
    if q < 0.0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn gamma_at_whole_and_half_numbers() {
        let mut factorial: f64 = 1.0;
        for n in 1..30 {
            // Gamma(n) = (n - 1)!, Gamma(1/2) = sqrt(pi).
            assert!(
                (ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-13 * factorial.ln().max(1.0),
                "{n}"
            );
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-14);
    }

    #[test]
    fn student_where_it_has_a_closed_form() {
        for t in [1e-9f64, 0.01, 0.3, 1.0, 2.0, 7.5, 40.0, 1e4] {
            // Cauchy; the arctangent of 1/t keeps its digits for large t.
            let one = 2.0 / PI * (1.0 / t).atan();
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            // 1 - t (t^2 + 6) / (t^2 + 4)^{3/2}
            let four = 1.0 - t * (t * t + 6.0) / (t * t + 4.0).powf(1.5);
            assert!(
                (student_t_two_sided(t, 1.0) - one).abs() < 1e-13 * one,
                "{t}"
            );
            // The closed forms subtract from 1.
            assert!((student_t_two_sided(t, 2.0) - two).abs() < 1e-14, "{t}");
            assert!((student_t_two_sided(-t, 4.0) - four).abs() < 1e-14, "{t}");
        }
        assert_eq!(student_t_two_sided(0.0, 5.0), 1.0);
        assert_eq!(student_t_two_sided(f64::NEG_INFINITY, 5.0), 0.0);
        // With many degrees of freedom the normal distribution: P(|Z| >= 1.959963984540054) = 0.05.
        assert!((student_t_two_sided(1.959_963_984_540_054, 1e8) - 0.05).abs() < 1e-8);
    }

    #[test]
    fn the_test_by_hand() {
        // mean 2, s^2 = 1, (1/3 + 1/2) s^2 = 5/6.
        let test = corrected_resampled_t_test(&[1.0, 2.0, 3.0], 0.5).expect("three splits");
        assert_eq!(test.mean, 2.0);
        assert!((test.standard_error - (5.0f64 / 6.0).sqrt()).abs() < 1e-15);
        let t = 2.0 / (5.0f64 / 6.0).sqrt();
        assert!((test.p_value - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-14);
        // No held-out rows to correct for: the plain paired t-test, which is surer.
        let plain = corrected_resampled_t_test(&[1.0, 2.0, 3.0], 0.0).expect("three splits");
        assert!(plain.p_value < test.p_value);
        assert!((plain.standard_error - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn splits_that_leave_nothing_to_test() {
        assert_eq!(corrected_resampled_t_test(&[], 0.5), None);
        assert_eq!(corrected_resampled_t_test(&[0.1], 0.5), None);
        let p = |d: &[f64]| corrected_resampled_t_test(d, 0.5).map(|t| t.p_value);
        assert_eq!(p(&[0.0; 4]), Some(1.0));
        assert_eq!(p(&[0.1, -0.1]), Some(1.0));
        // Tenths do not add up exactly, which must not look like noise.
        assert_eq!(p(&[0.1; 7]), Some(0.0));
    }

    #[test]
    fn holm_by_hand() {
        let adjusted = holm(&[0.04, 0.01, 0.03, 0.5]);
        for (a, b) in adjusted.iter().zip([0.09, 0.04, 0.09, 0.5]) {
            assert!((a - b).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn normal_quantiles() {
        // Values of R's qnorm.
        for (p, z) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.1, -1.281_551_565_544_600_4),
            (1e-10, -6.361_340_902_404_056),
            (1e-20, -9.262_340_089_798_408),
        ] {
            assert!(
                (normal_quantile(p) - z).abs() < 1e-14 * (1.0 + z.abs()),
                "{p}"
            );
        }
    }
}
