//! Exact expected largest absolute deviation from the average, for walks on a lattice.
//!
//! Let `S_i` be the independent places, `Q` their sum and `R = max_i |S_i - Q/N|`. Given `Q = s`,
//! `R <= x` says that every place lies in the window of the integers within `x` of `s/N`. As `x`
//! grows from 0 that window grows by one point at a time, alternately left and right, so
//!
//! ```text
//! E R = sum_L sum_c sum_s tent_c(s) [P(Q = s) - P(Q = s, all S_i in W(c, L))]
//! ```
//!
//! over the windows `W(c, L)` of `L` integers about `c` (an integer for odd `L`, a half-integer for
//! even `L`), where `tent_c(s) = max(0, 1 - 2 |s/N - c|)` is the length of the `x` for which `W` is
//! the window of `s`; the empty windows `L = 0` count by half. The probability on the right is the
//! `N`-fold convolution of the law cut to the window. It is not formed: with `phi_W` the
//! characteristic function of the cut law,
//! `sum_s tent_c(s) P(Q = s, W) = 1/M sum_k tau_c(2 pi k/M) prod phi_W(2 pi k/M)^n` for any period
//! `M` longer than the range of `Q`. Prefix sums over the places give `phi_W` of every window in
//! constant time, windows that hold all processors with probability below `1e-17` or above
//! `1 - 1e-17` need no work, and neither do frequencies at which no window can matter.

use num_complex::Complex64;
use rayon::prelude::*;

use super::Estimate;
use crate::law::LatticeLaw;

/// Probability of the events left out of account.
const SMALL: f64 = 1e-17;

/// One centre with the range of its windows that need work.
struct Centre {
    /// Twice the centre.
    double: i64,
    /// `tent_c` is taken over this many windows narrower than those, all of them empty.
    narrow: f64,
    /// First and last width.
    widths: std::ops::RangeInclusive<i64>,
}

/// A class of processors: how many, the law of the place, and its sums from either end.
struct Part<'a> {
    count: u32,
    law: &'a LatticeLaw,
    below: Vec<f64>,
    above: Vec<f64>,
}

impl<'a> Part<'a> {
    fn new(count: usize, law: &'a LatticeLaw) -> Self {
        let sums = |weights: &mut dyn Iterator<Item = &f64>| {
            let mut sum = 0.0;
            let mut sums = vec![0.0];
            sums.extend(weights.map(|p| {
                sum += p;
                sum
            }));
            sums
        };
        let below = sums(&mut law.weights().iter());
        let above = sums(&mut law.weights().iter().rev());
        Self { count: count as u32, law, below, above }
    }

    /// Index range of the window from `a` to `b` among the weights.
    fn cut(&self, a: i64, b: i64) -> (usize, usize) {
        let length = self.law.weights().len() as i64;
        let first = (a - self.law.first()).clamp(0, length);
        let end = (b + 1 - self.law.first()).clamp(first, length);
        (first as usize, end as usize)
    }

    /// Probability outside the window.
    fn outside(&self, a: i64, b: i64) -> f64 {
        let (first, end) = self.cut(a, b);
        self.below[first] + self.above[self.law.weights().len() - end]
    }

    /// Logarithm of the probability that all the processors of the class are in the window.
    fn log_inside(&self, a: i64, b: i64) -> f64 {
        f64::from(self.count) * (-self.outside(a, b).min(1.0)).ln_1p()
    }
}

/// Chernoff's bound: the distance that `direction * (Q - E Q)` exceeds with probability `SMALL`.
fn reach(parts: &[Part<'_>], direction: f64, variance: f64) -> f64 {
    let goal = -SMALL.ln();
    let first = (2.0 * goal / variance.max(1e-3)).sqrt();
    let cumulants = |rate: f64| -> f64 {
        let cumulant = |part: &Part<'_>| {
            let (mean, law) = (part.law.mean(), part.law);
            let place = |j: usize| direction * ((law.first() + j as i64) as f64 - mean);
            let terms = law.weights().iter().enumerate();
            let moment: f64 = terms.map(|(j, p)| p * (rate * place(j)).exp()).sum();
            f64::from(part.count) * moment.ln()
        };
        parts.iter().map(cumulant).sum()
    };
    (-3..6)
        .map(|power| first * 0.7_f64.powi(power))
        .map(|rate| (cumulants(rate) + goal) / rate)
        .filter(|reach| reach.is_finite())
        .fold(f64::INFINITY, f64::min)
}

/// `E max_i |S_i - Q/N|` for independent places `(count, law)`, in lattice units.
///
/// Time: (windows) x (frequencies that matter), and one multiplication per bit of `N` for each.
/// The error bound covers
/// * the rounding `delta` of the laws: to first order it moves `E R` by at most
///   `delta sum_i E|E[R | S_i] - E R| <= delta sqrt(N Var R) <= delta sqrt(N Var Q)`, by Hoeffding's
///   decomposition and the Efron–Stein inequality, `R` being 1-Lipschitz in every place;
/// * the rounding of the Fourier sums, and the events and frequencies left out.
///
/// With the value comes the number of its terms, a measure of the work.
///
/// # Panics
/// If there are fewer than two processors.
pub fn max_deviation(parts: &[(usize, &LatticeLaw)]) -> (Estimate, u64) {
    let total: usize = parts.iter().map(|part| part.0).sum();
    assert!(total >= 2, "deviations need two processors");
    let parts: Vec<Part<'_>> = parts.iter().map(|(count, law)| Part::new(*count, law)).collect();
    let moment = |f: fn(&LatticeLaw) -> f64| -> f64 {
        parts.iter().map(|part| f64::from(part.count) * f(part.law)).sum()
    };
    let (mean, variance) = (moment(LatticeLaw::mean), moment(LatticeLaw::variance));
    let n = total as f64;
    let rounding = parts.iter().map(|part| part.law.rounding()).fold(0.0, f64::max);
    let range = parts.iter().map(|part| part.law.last()).max().unwrap_or(0)
        - parts.iter().map(|part| part.law.first()).min().unwrap_or(0);
    let left_out = (range + 2) as f64 * (8.0 * SMALL + (n * rounding).powi(2));
    let inherited = rounding * (n * variance).sqrt() + left_out;
    if total == 2 {
        let value = half_difference(&parts);
        let terms = parts.iter().map(|part| part.law.weights().len() as u64).product();
        return (Estimate { value, error: inherited + 8.0 * f64::EPSILON * value }, terms);
    }
    let (down, up) = (reach(&parts, -1.0, variance), reach(&parts, 1.0, variance));
    // The centres whose tents reach into [low, high], and a period that keeps copies of that range
    // out of those tents.
    let (low, high) = (mean - down, mean + up);
    let first = (2.0 * low / n - 1.0).floor() as i64 + 1;
    let last = (2.0 * high / n + 1.0).ceil() as i64 - 1;
    let reach_up = 0.5 * n * (last + 1) as f64 - low;
    let reach_down = high - 0.5 * n * (first - 1) as f64;
    let period = reach_up.max(reach_down).ceil() as i64 + 1;
    let centres: Vec<Centre> = (first..=last).map(|double| centre(&parts, double)).collect();
    let windows = centres.iter().map(|c| c.widths.clone().count() as u64 / 2 + 1).sum::<u64>();
    let angle = std::f64::consts::PI / period as f64;
    let root = |j| Complex64::from_polar(1.0, angle * j as f64);
    let spectrum = Spectrum {
        count: total as i64,
        period,
        roots: (0..2 * period).map(root).collect(),
        // The least probability, per processor, of a window that matters.
        floors: parts.iter().map(|part| (SMALL.ln() / f64::from(part.count)).exp()).collect(),
        parts,
        centres,
    };
    let terms: Vec<(f64, f64)> =
        (0..=period / 2).into_par_iter().map(|k| spectrum.frequency(k)).collect();
    let (mut value, mut size, mut work) = (0.0, 0.0, 0);
    for (k, term) in (0..).zip(terms) {
        let double = if k == 0 || 2 * k == period { 1.0 } else { 2.0 };
        value += double * term.0;
        size += double * term.1;
        work += if term.1 > 0.0 { windows } else { 0 };
    }
    let scale = 1.0 / period as f64;
    // Each factor carries about four roundings, a power as many times more.
    let error = inherited + 4.0 * f64::EPSILON * n * scale * size;
    (Estimate { value: value * scale, error }, work)
}

/// Two processors: half the expected distance of the two, all terms positive.
fn half_difference(parts: &[Part<'_>]) -> f64 {
    let (x, y) = (parts[0].law, parts[parts.len() - 1].law);
    let mut sum = 0.0;
    for (i, p) in x.weights().iter().enumerate() {
        let distance = |j: usize| (x.first() + i as i64 - y.first() - j as i64).abs() as f64;
        let inner: f64 = y.weights().iter().enumerate().map(|(j, q)| q * distance(j)).sum();
        sum += p * inner;
    }
    0.5 * sum
}

/// Finds the windows about `double / 2` that need work.
fn centre(parts: &[Part<'_>], double: i64) -> Centre {
    let odd = double.rem_euclid(2) == 0;
    let window = |width: i64| ((double - width + 1) / 2, (double + width - 1) / 2);
    let log_inside = |width: i64| {
        let (a, b) = window(width);
        parts.iter().map(|part| part.log_inside(a, b)).sum::<f64>()
    };
    let outside = |width: i64| {
        let (a, b) = window(width);
        parts.iter().map(|part| f64::from(part.count) * part.outside(a, b)).sum::<f64>()
    };
    // Both are monotone in the width: double, then bisect, in steps of two.
    let least = |holds: &dyn Fn(i64) -> bool| {
        let at = |j: i64| if odd { 2 * j + 1 } else { 2 * j + 2 };
        let mut high = 0;
        while !holds(at(high)) {
            high = 2 * high + 1;
        }
        let mut low = -1;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(at(middle)) { high = middle } else { low = middle }
        }
        at(high)
    };
    let start = least(&|width| log_inside(width) > SMALL.ln());
    let end = least(&|width| outside(width) < SMALL);
    // Odd: widths 1, 3, .. below start; even: 2, 4, .. below start, and the empty one by half.
    let narrow =
        if odd { (start - 1) / 2 } else { (start - 2) / 2 } as f64 + if odd { 0.0 } else { 0.5 };
    Centre { double, narrow, widths: start..=end }
}

/// All that a frequency needs to know.
struct Spectrum<'a> {
    count: i64,
    period: i64,
    /// The `2 period`-th roots of unity.
    roots: Vec<Complex64>,
    floors: Vec<f64>,
    parts: Vec<Part<'a>>,
    centres: Vec<Centre>,
}

impl Spectrum<'_> {
    /// `exp(2 pi i k double / (2 period))`.
    fn root(&self, k: i64, double: i64) -> Complex64 {
        self.roots[(k * double).rem_euclid(2 * self.period) as usize]
    }

    /// Real part of the sum over all windows at the frequency `2 pi k / period`, and a bound of the
    /// sum of the sizes of its terms.
    fn frequency(&self, k: i64) -> (f64, f64) {
        let prefixes: Vec<Vec<Complex64>> =
            self.parts.iter().map(|part| self.prefix(part.law, k)).collect();
        // |phi_W| <= min(P_W, |phi| + 1 - P_W): no window matters if this is small for all.
        let mut bound = 0.0;
        for (g, part) in self.parts.iter().enumerate() {
            let size = prefixes[g][prefixes[g].len() - 1].norm();
            let (half, floor) = (0.5 * (1.0 + size), self.floors[g]);
            let most = if half >= floor { half } else { size + 1.0 - floor };
            bound += f64::from(part.count) * most.min(1.0).ln();
        }
        if bound < (SMALL / self.period as f64).ln() {
            return (0.0, 0.0);
        }
        let mut full = Complex64::ONE;
        for (part, prefix) in self.parts.iter().zip(&prefixes) {
            full *= prefix[prefix.len() - 1].powu(part.count);
        }
        let tents = [self.tent(k, 0), if self.count % 2 == 0 { 0.0 } else { self.tent(k, 1) }];
        let (mut total, mut size) = (0.0, 0.0);
        let mut products = Products::default();
        for centre in &self.centres {
            let shift = self.count * centre.double;
            let tent = tents[shift.rem_euclid(2) as usize];
            let weight = tent * self.root(k, shift).conj();
            products.reset((centre.widths.end() - centre.widths.start()) as usize / 2 + 1);
            for (part, prefix) in self.parts.iter().zip(&prefixes) {
                products.multiply(part, prefix, centre);
            }
            let windows = centre.narrow + products.re.len() as f64;
            let cut = Complex64::new(products.re.iter().sum(), products.im.iter().sum());
            total += (weight * (windows * full - cut)).re;
            size += tent.abs() * bound.exp() * windows;
        }
        (total, size)
    }

    /// Characteristic function of the law cut off above each place, by a compensated sum.
    fn prefix(&self, law: &LatticeLaw, k: i64) -> Vec<Complex64> {
        let (mut sum, mut lost) = (Complex64::ZERO, Complex64::ZERO);
        let mut prefix = Vec::with_capacity(law.weights().len() + 1);
        prefix.push(sum);
        for (&p, place) in law.weights().iter().zip(law.first()..) {
            let term = p * self.root(k, 2 * place) + lost;
            let next = sum + term;
            lost = term - (next - sum);
            sum = next;
            prefix.push(sum);
        }
        prefix
    }

    /// Transform of the tent about an integer (`parity` 0) or a half-integer (1).
    fn tent(&self, k: i64, parity: i64) -> f64 {
        let mut sum = if parity == 0 { 1.0 } else { 0.0 };
        let mut double = 2 - parity;
        while double < self.count {
            let height = 1.0 - double as f64 / self.count as f64;
            sum += 2.0 * height * self.root(k, double).re;
            double += 2;
        }
        sum
    }
}

/// The characteristic functions of all windows about a centre, real and imaginary parts apart so
/// that the loops over them vectorise.
#[derive(Default)]
struct Products {
    re: Vec<f64>,
    im: Vec<f64>,
    base: (Vec<f64>, Vec<f64>),
}

impl Products {
    fn reset(&mut self, windows: usize) {
        self.re.clear();
        self.re.resize(windows, 1.0);
        self.im.clear();
        self.im.resize(windows, 0.0);
    }

    /// Multiplies by the characteristic function of a class of processors.
    fn multiply(&mut self, part: &Part<'_>, prefix: &[Complex64], centre: &Centre) {
        let (re, im) = (&mut self.base.0, &mut self.base.1);
        re.clear();
        im.clear();
        for width in centre.widths.clone().step_by(2) {
            let (a, b) = ((centre.double - width + 1) / 2, (centre.double + width - 1) / 2);
            let (first, end) = part.cut(a, b);
            let phi = prefix[end] - prefix[first];
            re.push(phi.re);
            im.push(phi.im);
        }
        let mut exponent = part.count;
        loop {
            if exponent & 1 == 1 {
                times(&mut self.re, &mut self.im, re, im);
            }
            exponent >>= 1;
            if exponent == 0 {
                return;
            }
            square(re, im);
        }
    }
}

fn times(re: &mut [f64], im: &mut [f64], other_re: &[f64], other_im: &[f64]) {
    for ((x, y), (u, v)) in re.iter_mut().zip(im).zip(other_re.iter().zip(other_im)) {
        (*x, *y) = (*x * u - *y * v, *x * v + *y * u);
    }
}

fn square(re: &mut [f64], im: &mut [f64]) {
    for (x, y) in re.iter_mut().zip(im) {
        (*x, *y) = ((*x - *y) * (*x + *y), 2.0 * *x * *y);
    }
}
