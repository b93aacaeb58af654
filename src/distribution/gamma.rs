//! The incomplete gamma functions, both tails to nearly full relative accuracy.

/// Both tails of a continuous distribution at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tails {
    /// Probability of a value at most the point.
    pub below: f64,
    /// Probability of a value above the point.
    pub above: f64,
}

/// `x^a e^-x / Gamma(a + 1)`, without the cancellation of the textbook form at large `a`.
pub fn gamma_prefactor(a: f64, x: f64) -> f64 {
    if a < 8.0 {
        return (a * x.ln() - x - libm::lgamma(a + 1.0)).exp();
    }
    // Gamma(a+1) = sqrt(2 pi a) (a/e)^a e^{stirling}.
    let b = 1.0 / (a * a);
    let stirling = (1.0 / 12.0
        + b * (-1.0 / 360.0
            + b * (1.0 / 1260.0
                + b * (-1.0 / 1680.0 + b * (1.0 / 1188.0 - b * 691.0 / 360_360.0)))))
        / a;
    (-a * above_its_log((x - a) / a) - stirling).exp() / (std::f64::consts::TAU * a).sqrt()
}

/// `y - ln(1 + y)` without cancellation.
fn above_its_log(y: f64) -> f64 {
    if y.abs() > 0.05 {
        return y - y.ln_1p();
    }
    // y^2/2 - y^3/3 + y^4/4 - ..
    let mut sum = 0.0;
    for k in (2..16).rev() {
        sum = 1.0 / f64::from(k) - y * sum;
    }
    y * y * sum
}

/// Shapes from which on the uniform expansion is as good as a sum over `sqrt(a)` terms.
const LARGE: f64 = 1e6;

/// Temme's uniform expansion for large shapes. Few terms are needed near the mean, where almost all
/// probability lies. `None` elsewhere.
fn large_tails(a: f64, x: f64) -> Option<Tails> {
    /// Coefficients of powers of eta, and of 1/a.
    const SERIES: [[f64; 9]; 3] = [
        [
            -1.0 / 3.0,
            1.0 / 12.0,
            -2.0 / 135.0,
            1.0 / 864.0,
            1.0 / 2835.0,
            -139.0 / 777_600.0,
            1.0 / 25_515.0,
            -571.0 / 261_273_600.0,
            -281.0 / 151_559_100.0,
        ],
        [-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0, -77.0 / 77_760.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [25.0 / 6048.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ];
    let y = (x - a) / a;
    let eta = (2.0 * above_its_log(y)).sqrt().copysign(y);
    if eta.abs() > 0.06 {
        return None;
    }
    let series = |terms: &[f64; 9]| terms.iter().rev().fold(0.0, |sum, term| sum * eta + term);
    let rest = SERIES.iter().rev().fold(0.0, |sum, terms| sum / a + series(terms));
    let rest = rest * (-0.5 * a * eta * eta).exp() / (std::f64::consts::TAU * a).sqrt();
    let z = eta * (0.5 * a).sqrt();
    let (below, above) = (0.5 * libm::erfc(-z) - rest, 0.5 * libm::erfc(z) + rest);
    Some(Tails { below: below.clamp(0.0, 1.0), above: above.clamp(0.0, 1.0) })
}

/// Tails of the gamma distribution of shape `a > 0` and scale 1 at `x` [FXW03, (16), for any real
/// shape].
///
/// Power series below the mean, Lentz's continued fraction above; about `7 sqrt(a)` terms near it.
pub fn gamma_tails(a: f64, x: f64) -> Tails {
    if x <= 0.0 {
        return Tails { below: 0.0, above: 1.0 };
    }
    if a > LARGE
        && let Some(tails) = large_tails(a, x)
    {
        return tails;
    }
    let front = gamma_prefactor(a, x);
    if front == 0.0 {
        // Far from the mean of a large shape, where the fraction may take millions of terms.
        let below = if x < a { 0.0 } else { 1.0 };
        return Tails { below, above: 1.0 - below };
    }
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0, 1.0, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        let below = (front * sum).min(1.0);
        let above = if a < 1.0 && below > 0.5 { small_above(a, x) } else { 1.0 - below };
        Tails { below, above }
    } else {
        let tiny = 1e-300;
        let mut b = x + 1.0 - a;
        let mut c = 1.0 / tiny;
        let mut d = 1.0 / b;
        let mut h = d;
        for i in 1..100_000_000_u64 {
            let i = i as f64;
            let numerator = -i * (i - a);
            b += 2.0;
            d = numerator * d + b;
            d = 1.0 / if d.abs() < tiny { tiny } else { d };
            c = b + numerator / c;
            c = if c.abs() < tiny { tiny } else { c };
            let factor = c * d;
            h *= factor;
            if (factor - 1.0).abs() < 1e-16 {
                break;
            }
        }
        // front is over Gamma(a + 1): one factor a more.
        let above = (front * a * h).min(1.0);
        Tails { below: 1.0 - above, above }
    }
}

/// The upper tail where it is small because the shape is, for `x < a + 1`. The expansion `1 - x^a /
/// Gamma(a + 1) (1 + a sum (-x)^n / ((a + n) n!))` is evaluated without forming the 1.
fn small_above(a: f64, x: f64) -> f64 {
    let log = a * x.ln() - ln_gamma_next(a);
    let (mut term, mut sum, mut n) = (1.0, 0.0, 0.0);
    while n < 60.0 {
        n += 1.0;
        term *= -x / n;
        sum += term / (a + n);
    }
    (-log.exp_m1() - log.exp() * a * sum).clamp(0.0, 1.0)
}

/// `ln Gamma(1 + a)` to nearly full relative accuracy for small `a > 0`.
fn ln_gamma_next(a: f64) -> f64 {
    /// Values of the zeta function from 2 on.
    const ZETA: [f64; 11] = [
        1.644_934_066_848_226_4,
        1.202_056_903_159_594_2,
        1.082_323_233_711_138_2,
        1.036_927_755_143_37,
        1.017_343_061_984_449,
        1.008_349_277_381_922_8,
        1.004_077_356_197_944_3,
        1.002_008_392_826_082_2,
        1.000_994_575_127_818_1,
        1.000_494_188_604_119_5,
        1.000_246_086_553_308,
    ];
    const EULER: f64 = 0.577_215_664_901_532_9;
    if a > 0.05 {
        return libm::lgamma(a + 1.0);
    }
    let terms = ZETA.iter().zip(2..).map(|(zeta, k)| zeta * (-a).powi(k) / f64::from(k));
    terms.sum::<f64>() - EULER * a
}

/// Tails of the standard normal distribution.
pub fn normal_tails(z: f64) -> Tails {
    let z = z * std::f64::consts::FRAC_1_SQRT_2;
    Tails { below: 0.5 * libm::erfc(-z), above: 0.5 * libm::erfc(z) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [FXW03, (16)]: for a whole shape the upper tail is a finite sum of positive terms.
    #[test]
    fn whole_shapes_match_the_finite_sum() {
        for t in [1_u32, 2, 3, 7, 8, 20, 100, 150] {
            for place in [0.3, 0.7, 0.95, 1.0, 1.05, 1.3, 2.0] {
                let x = place * f64::from(t);
                let (mut term, mut above) = ((-x).exp(), (-x).exp());
                for j in 1..t {
                    term *= x / f64::from(j);
                    above += term;
                }
                let tails = gamma_tails(f64::from(t), x);
                assert!((tails.above / above - 1.0).abs() < 2e-13, "t = {t}, x = {x}");
                assert!((tails.below + tails.above - 1.0).abs() < 1e-15);
            }
        }
    }

    /// For small shapes the tail is the shape times the exponential integral, whose values are
    /// tabulated.
    #[test]
    fn small_shapes_keep_their_upper_tail() {
        let table = [
            (1e-3, 6.331_539_364_136_149),
            (0.5, 0.559_773_594_776_160_8),
            (1.0, 0.219_383_934_395_520_3),
        ];
        for a in [1e-8, 1e-12, 1e-100, 1e-300] {
            for (x, integral) in table {
                let above = gamma_tails(a, x).above / a;
                assert!(
                    (above / integral - 1.0).abs() < 1e-13 + 10.0 * a,
                    "a = {a}, x = {x}: {above}"
                );
            }
        }
        // Both branches at the seam.
        for a in [0.01, 0.05, 0.3, 0.7] {
            let (left, right) = (gamma_tails(a, a + 1.0 - 1e-12), gamma_tails(a, a + 1.0));
            assert!((left.above / right.above - 1.0).abs() < 1e-11, "{a}");
        }
        for a in [0.02, 0.049, 0.051] {
            assert!((ln_gamma_next(a) / libm::lgamma(a + 1.0) - 1.0).abs() < 1e-13, "{a}");
        }
    }

    /// The uniform expansion against the series and the fraction, where both serve.
    #[test]
    fn large_shapes_have_an_expansion() {
        for a in [1.01e6, 3e6, 2e7] {
            for z in [-9.0, -4.0, -1.0, -1e-3, 0.0, 0.3, 2.0, 5.0, 9.0] {
                let x = a + z * f64::sqrt(a);
                let found = large_tails(a, x).unwrap();
                let front = gamma_prefactor(a, x);
                let (mut term, mut sum, mut n) = (1.0, 1.0, a);
                while term > sum * 1e-17 {
                    n += 1.0;
                    term *= x / n;
                    sum += term;
                }
                let below = front * sum;
                let accuracy = 1e-12 + 1e-14 * a.sqrt();
                assert!(
                    (found.below - below).abs() < accuracy * below,
                    "{a} {z}: {found:?} {below}"
                );
                let above = found.above / normal_tails(z).above;
                assert!(z < 0.0 || (0.99..1.3).contains(&above), "{a} {z}: {found:?}");
            }
        }
        assert!((gamma_tails(1e15, 1e15).below - 0.5).abs() < 1e-8);
    }

    #[test]
    fn nothing_is_summed_where_nothing_is_left() {
        for (x, below) in [(0.5e12, 0.0), (1.07e12, 1.0), (1e18, 1.0)] {
            assert_eq!(gamma_tails(1e12, x), Tails { below, above: 1.0 - below });
        }
    }

    #[test]
    fn half_shape_is_the_normal_law() {
        for z in [0.1, 0.5, 1.0, 2.0, 5.0] {
            let chi = gamma_tails(0.5, z * z / 2.0);
            assert!((chi.above / (2.0 * normal_tails(z).above) - 1.0).abs() < 1e-13);
        }
    }
}
