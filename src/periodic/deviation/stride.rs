//! Number of centers that the exact deviation may skip, with a proof of the error.
//!
//! [`exact`](super::exact) writes `E R`, with `R = max_i |S_i - Q/N|`, as a sum over pairs of
//! neighboring centers `c`, an integer and the half-integer after it: `E R = sum_c E f(c, S)` with
//! `f >= 0`, `sum_c f(c, S) = R(S)` and `f(c + 1, S + 1) = f(c, S)`, where `S + 1` is all places
//! moved by one. The sum over every `m`-th pair, `m` times, differs from it by at most the sum over
//! `j = 1..m-1` of `|F(2 pi j/m)|`, where `F(w) = sum_c e^{iwc} E f(c, S)`. By the shift, `sum_c
//! e^{iwc} f(c, S) = e^{iw S_1} g(d)` with a function `g` of the differences `d_i = S_i - S_1`
//! alone and `|g| <= R`, so that, with `p_i` the distribution of `S_i`,
//!
//! ```text
//! |F(w)| <= sum_d R(d) |sum_x e^{iwx} prod_i p_i(x + d_i)|
//! ```
//!
//! *Lemma.* Let `phi_i` be the characteristic function of `p_i`, `chi` the trapezoid that is 1 on
//! `[-c/2, c/2]` and falls linearly to 0 at `-c` and `c <= pi`, and `q_i(z) = 1/(2 pi) \int chi
//! phi_i e^{-iwz} dw`, an entire function. Let `H` bound `R`, and for some `h > 0` let `A_i` bound
//! `sum_y |q_i(x + y + ih)|` and `sum_y |q_i(x + y - ih)|` over the integers `y`, for all real `x`,
//! and `r_i` bound `sum_y |p_i(y) - q_i(y)|`. Then
//!
//! ```text
//! sum_{j=1..m-1} |F(2 pi j/m)| <= H [ 2 e/(1-e) prod A_i + m ((sum r_i) prod (1 + r_i)) ],
//!                            e = exp(-2 pi h/m).
//! ```
//!
//! *Proof.* Replacing the factors `p_i` by `q_i` one after another costs the second term. The
//! product of the `q_i(x + d_i)` is an entire function of `x` of exponential type, and decays like
//! `x^{-2N}` on horizontal lines, because `chi phi_i` is continuous with bounded derivatives of its
//! pieces. Poisson's formula turns the sum over `x` into the transforms at `w + 2 pi k`; in each
//! the path moves by `h` up or down, which gains `exp(-h |w + 2 pi k|)` and leaves `\int dx sum_d
//! prod |q_i(x + d_i +- ih)| <= prod A_i`, as the `d_i`, `i >= 2`, run over the integers
//! independently. The frequencies `2 pi j/m + 2 pi k` are the `2 pi l/m` with `l` no multiple of
//! `m`. []
//!
//! `A_i` and `r_i` follow from the Cauchy–Schwarz inequality and Parseval's formula: for any `s >
//! 0` and `mu`, `(sum_y |q(x + y + ih)|)^2` is at most
//!
//! ```text
//! pi s coth(pi s) * 1/(2 pi) \int |psi|^2 + |psi' - i mu psi|^2 / s^2 dw,   psi = chi phi e^{hw},
//! ```
//!
//! because `sum_y 1/(1 + ((x + y - mu)/s)^2) <= pi s coth(pi s)`. With `s = sigma/sqrt(2)` and `mu`
//! the mean this is 1.12 `exp(h^2 / (2 sigma^2))` for a nearly normal distribution: little is lost,
//! and the best `h` is `2 pi v/m`, where `1/v = sum 1/sigma_i^2`. The same with `h = 0` and `1 -
//! chi` in place of `chi` gives `r_i`; there `psi` is periodic, which is all that is needed for
//! integers `y`. The integrals are sums over a dozen nodes per `1/sigma`, the scale of all that
//! matters in them, and are raised by a millionth. For sums of steps `c = pi`; the characteristic
//! function of a distribution that is given as it is is known up to rounding only, which `e^{hw}`
//! must not magnify: there `c` is twice the frequency from which on there is nothing but rounding.

use num_complex::Complex64;
use std::f64::consts::PI;

use crate::distribution::LatticeLaw;
use crate::observer::Observer;

/// Nodes of the integrals per standard deviation.
const NODES: f64 = 12.0;

/// Size of a characteristic function that may be rounding.
const NOISE: f64 = 1e-14;

/// Positions after which powers of a phase are recomputed.
const AFRESH: usize = 32;

/// Largest number of nodes; wider distributions are summed in full.
const MOST_NODES: f64 = 2e5;

/// Distance of the pairs of centers that are used, and a bound of the error of skipping the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    pub pairs: i64,
    pub error: f64,
}

impl Stride {
    pub const ALL: Self = Self { pairs: 1, error: 0.0 };

    /// The longest stride whose error is proved to be below `goal` for sums of `time` steps,
    /// `(count, step)` for each class.
    pub fn longest(
        classes: &[(u32, &LatticeLaw)],
        time: u64,
        goal: f64,
        observer: &dyn Observer,
    ) -> Self {
        let t = time as f64;
        let precision =
            |(count, step): &(u32, &LatticeLaw)| f64::from(*count) / (t * step.variance());
        let common = 1.0 / classes.iter().map(precision).sum::<f64>();
        let widest = classes.iter().map(|class| class.1.variance()).fold(0.0, f64::max);
        let longest = classes.iter().map(|class| class.1.weights().len()).max().unwrap_or(0);
        let first = classes.iter().map(|class| class.1.first()).min().unwrap_or(0);
        let last = classes.iter().map(|class| class.1.last()).max().unwrap_or(0);
        let range = t * (last - first) as f64;
        // Sums of many steps are nearly normal; a single distribution may have long tails.
        let reach = if time == 1 { 2.0 * longest as f64 } else { 0.0 };
        let nodes = (2.0 * PI * NODES * (t * widest).sqrt()).ceil().max(reach);
        let count: f64 = classes.iter().map(|class| f64::from(class.0)).sum();
        // Least exponent that compensates the loss.
        let loss = (range / goal).ln() + 0.11 * count;
        let most = (2.0 * PI * PI * common / loss).sqrt();
        if most.is_nan() || most < 2.0 || nodes > MOST_NODES {
            return Self::ALL;
        }
        let wave = |class: &(u32, &LatticeLaw)| Wave::new(class.0, class.1, t, nodes as i64);
        let heard = || observer.check().is_continue();
        let waves: Vec<Wave> = classes.iter().take_while(|_| heard()).map(wave).collect();
        let rests = waves.iter().map(|wave| (wave.count, wave.sum(Cut::Rest)));
        let rests = rests.fold((0.0, 0.0), |(sum, product), (count, rest)| {
            (sum + count * rest, product + count * rest.ln_1p())
        });
        let mut pairs = most as i64;
        while pairs > 1 && heard() {
            let m = pairs as f64;
            let height = 2.0 * PI * common / m;
            let factor = waves.iter().map(|wave| wave.count * wave.sum(Cut::Kept(height)).ln());
            let decay = -2.0 * PI * height / m;
            let aliases = 2.0 * (decay + factor.sum::<f64>()).exp() / -decay.exp_m1();
            let error = range * (aliases + m * rests.0 * rests.1.exp());
            if error <= goal {
                return Self { pairs, error };
            }
            pairs -= (pairs / 16).max(1);
        }
        Self::ALL
    }
}

/// A part of a characteristic function.
#[derive(Clone, Copy)]
enum Cut {
    /// `chi phi e^{hw}`.
    Kept(f64),
    /// `(1 - chi) phi`.
    Rest,
}

/// The characteristic function of a sum of steps on a grid of frequencies.
struct Wave {
    count: f64,
    deviation: f64,
    /// Frequency, logarithm of the size, and logarithmic derivative less `i` times the mean.
    nodes: Vec<(f64, f64, Complex64)>,
    /// Distance of the frequencies.
    step: f64,
    /// End of the trapezoid.
    cut: f64,
}

impl Wave {
    fn new(count: u32, law: &LatticeLaw, time: f64, nodes: i64) -> Self {
        let mean = law.mean() - law.first() as f64;
        let step = 2.0 * PI / nodes as f64;
        let node = |j: i64| {
            let frequency = -PI + (j as f64 + 0.5) * step;
            let turn = Complex64::from_polar(1.0, frequency);
            let (mut phi, mut slope) = (Complex64::ZERO, Complex64::ZERO);
            for (block, weights) in law.weights().chunks(AFRESH).enumerate() {
                let mut place = (AFRESH * block) as f64;
                let mut phase = Complex64::from_polar(1.0, frequency * place);
                for p in weights {
                    let term = p * phase;
                    phi += term;
                    slope += Complex64::I * (place - mean) * term;
                    place += 1.0;
                    phase *= turn;
                }
            }
            let size = phi.norm();
            // Where it vanishes, its power vanishes with all derivatives.
            (size > 0.0).then(|| (frequency, time * size.ln(), time * slope / phi))
        };
        let nodes: Vec<_> = (0..nodes).filter_map(node).collect();
        let heard = |node: &&(f64, f64, Complex64)| node.1 > NOISE.ln();
        let end = nodes.iter().filter(heard).map(|node| node.0.abs()).fold(0.0, f64::max);
        let cut = if time == 1.0 { (2.0 * end).clamp(1e-3, PI) } else { PI };
        let deviation = (time * law.variance()).sqrt();
        Self { count: f64::from(count), deviation, nodes, step, cut }
    }

    /// Bound of the sum of the sizes of a part of the distribution at all places an integer apart.
    fn sum(&self, cut: Cut) -> f64 {
        let s = self.deviation * std::f64::consts::FRAC_1_SQRT_2;
        let mut sum = 0.0;
        for &(frequency, log, slope) in &self.nodes {
            let flat = frequency.abs() <= 0.5 * self.cut;
            let chi = if flat { 1.0 } else { 2.0 * (1.0 - frequency.abs() / self.cut).max(0.0) };
            let (height, part) = match cut {
                Cut::Kept(height) => (height, chi),
                Cut::Rest if flat => continue,
                Cut::Rest => (0.0, 1.0 - chi),
            };
            let log_size = log + height * frequency;
            if log_size < -60.0 {
                continue;
            }
            let size = log_size.exp();
            let corner = if flat || part == 0.0 { 0.0 } else { 2.0 / self.cut };
            let slope = (slope + height).norm() * part + corner;
            sum += size * size * (part * part + (slope / s).powi(2));
        }
        let integral = (1.0 + 1e-6) * sum * self.step / (2.0 * PI);
        (PI * s / (PI * s).tanh() * integral).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thorough::some;

    fn walk(weights: &[f64]) -> LatticeLaw {
        LatticeLaw::new(0, weights.to_vec())
    }

    #[test]
    fn nearly_normal_laws_lose_little() {
        let step = walk(&[0.25, 0.5, 0.25]);
        let wave = Wave::new(1, &step, 800.0, 2000);
        let variance = 400.0_f64;
        for height in [0.0, 20.0, 40.0] {
            let normal = 1.1195 * (height * height / (2.0 * variance)).exp();
            let found = wave.sum(Cut::Kept(height));
            assert!((found / normal - 1.0).abs() < 0.02, "{height}: {found} {normal}");
        }
        assert!(wave.sum(Cut::Rest) < 1e-40);
    }

    /// The sum of absolute values, by numerical Fourier inversion, is below the bound.
    #[test]
    fn the_bound_is_one() {
        let step = walk(&[0.35, 0.3, 0.35]);
        let time = 60;
        let law = (1..time).fold(step.clone(), |sum, _| sum.plus(&step));
        let wave = Wave::new(1, &step, time as f64, 4000);
        for (height, x) in some(1, [(3.0, 0.3), (0.0, 0.0), (5.0, 0.5)]) {
            let inverse = |z: f64| -> f64 {
                let terms = (-2000..2000).map(|j| {
                    let w = PI * (f64::from(j) + 0.5) / 2000.0;
                    let chi = if w.abs() <= 0.5 * PI { 1.0 } else { 2.0 * (1.0 - w.abs() / PI) };
                    let places = law.weights().iter().zip(law.first()..);
                    let phi: Complex64 =
                        places.map(|(p, place)| Complex64::from_polar(*p, w * place as f64)).sum();
                    chi * phi * Complex64::from_polar((w * height).exp(), -w * z)
                });
                terms.sum::<Complex64>().norm() / 4000.0
            };
            let sum: f64 = (-10..90).map(|y| inverse(f64::from(y) + x)).sum();
            let bound = wave.sum(Cut::Kept(height));
            assert!(sum <= bound && bound < 1.2 * sum, "{height}: {sum} {bound}");
        }
    }

    #[test]
    fn strides_are_long_for_wide_laws_only() {
        let step = walk(&[0.25, 0.5, 0.25]);
        let of = |count, time| Stride::longest(&[(count, &step)], time, 1e-15, &()).pairs;
        assert_eq!(of(64, 100), 1);
        assert!(of(64, 20_000) >= 5 && of(3, 20_000) > 20, "{} {}", of(64, 20_000), of(3, 20_000));
        // Steps of almost only 0 or 2: the distribution stays rough for long.
        let rough = walk(&[0.4999, 0.0002, 0.4999]);
        assert_eq!(Stride::longest(&[(3, &rough)], 10_000, 1e-15, &()).pairs, 1);
    }
}
