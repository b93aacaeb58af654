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
use crate::law::{LatticeLaw, Walk};

/// Probability of the events left out of account.
const SMALL: f64 = 1e-17;

/// One centre with the range of its windows that need work.
struct Centre {
    /// Twice the centre.
    double: i64,
    /// This many windows are narrower than those, all of them empty.
    narrow: f64,
    widths: Widths,
}

/// The widths `start`, `start + 2 stride`, .. up to `end`, each standing for `stride` of them.
#[derive(Clone, Copy)]
struct Widths {
    start: i64,
    end: i64,
    stride: i64,
}

impl Widths {
    fn iter(self) -> impl Iterator<Item = i64> {
        (self.start..=self.end).step_by(2 * self.stride as usize)
    }

    fn len(self) -> usize {
        ((self.end - self.start).div_euclid(2 * self.stride) + 1).max(0) as usize
    }
}

/// A class of processors: how many, the law of the place, and its sums from either end.
struct Part<'a> {
    count: u32,
    law: &'a LatticeLaw,
    step: &'a LatticeLaw,
    time: f64,
    variation: f64,
    below: Vec<f64>,
    above: Vec<f64>,
}

impl<'a> Part<'a> {
    fn new(count: usize, walk: &'a Walk) -> Self {
        let law = walk.place();
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
        let weights = law.weights();
        let inner: f64 = weights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        Self {
            count: count as u32,
            law,
            step: walk.step(),
            time: walk.time() as f64,
            variation: weights[0] + inner + weights[weights.len() - 1],
            below,
            above,
        }
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

/// `E max_i |S_i - Q/N|` for independent walks `(count, walk)`, in lattice units.
///
/// Time: (windows) x (frequencies that matter), and one multiplication per bit of `N` for each. The
/// sum over the windows is that of a smooth function once the laws are wide; then it is taken over
/// a part of them, see `Stride`. The error bound covers
/// * the rounding `delta` of the laws: to first order it moves `E R` by at most
///   `delta sum_i E|E[R | S_i] - E R| <= delta sqrt(N Var R) <= delta sqrt(N Var Q)`, by Hoeffding's
///   decomposition and the Efron–Stein inequality, `R` being 1-Lipschitz in every place;
/// * the rounding of the Fourier sums, and the events and frequencies left out;
/// * where windows are left out, the distance of the sums over two choices of them.
///
/// With the value comes the number of its terms, a measure of the work.
///
/// # Panics
/// If there are fewer than two processors.
pub fn max_deviation(walks: &[(usize, Walk)]) -> (Estimate, u64) {
    let total: usize = walks.iter().map(|part| part.0).sum();
    assert!(total >= 2, "deviations need two processors");
    let parts: Vec<Part<'_>> = walks.iter().map(|(count, walk)| Part::new(*count, walk)).collect();
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
    let narrowest = parts.iter().map(|part| part.law.variance()).fold(f64::INFINITY, f64::min);
    let mut stride = Stride::for_widths(total, variance.sqrt() / n, narrowest.sqrt());
    let spectrum = Spectrum::new(parts, total, mean - down, mean + up);
    let mut work = 0;
    loop {
        let (first, terms) = spectrum.sum(stride, false);
        work += terms;
        if stride == Stride::ALL {
            return (Estimate { value: first.value, error: first.error + inherited }, work);
        }
        let (second, terms) = spectrum.sum(stride.other(total), true);
        work += terms;
        let gap = (first.value - second.value).abs();
        if gap <= first.error + second.error + 1e-13 * first.value {
            let error = first.error.max(second.error) + gap + inherited;
            return (Estimate { value: second.value, error }, work);
        }
        stride = Stride::ALL;
    }
}

/// Which windows are summed. Over pairs of neighbouring centres, and over the widths where they
/// decide anything, the summand is a smooth function that vanishes at both ends, so that the sum
/// over every `m`-th term, `m` times, differs from the whole by the function's spectrum at
/// frequency `1/m`: nothing, once `m` is well below its width. With few processors windows of any
/// width count; then the widths are odd multiples of an odd stride, or even ones with width 0 by
/// half: the summand is even in the width for even `N`, and nearly so for odd `N >= 5`. What
/// remains shows in the distance of two different sums; where it shows, all windows are summed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stride {
    /// Of the pairs of centres.
    centres: i64,
    /// Of the widths of each parity.
    widths: i64,
}

/// So many processors leave narrow windows no part in the sum.
const MANY: usize = 12;

impl Stride {
    const ALL: Self = Self { centres: 1, widths: 1 };

    /// For `count` processors, a mean of deviation `mean` and places of deviation `place` at least.
    fn for_widths(count: usize, mean: f64, place: f64) -> Self {
        let widths = ((place / 6.0) as i64).max(1);
        // With few processors, the summand may have a corner at width 0.
        let widths = if count < MANY { 1 } else { widths - (widths + 1) % 2 };
        Self { centres: ((mean / 1.5) as i64).max(1), widths }
    }

    /// Another choice of about as many windows, to compare with.
    fn other(self, count: usize) -> Self {
        let few = count < MANY && self.widths > 1;
        Self { widths: if few { self.widths - 2 } else { self.widths }, ..self }
    }
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
fn centre(parts: &[Part<'_>], double: i64, stride: i64, shifted: bool) -> Centre {
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
    // Narrower windows are empty: all widths of this parity below `start`, the width 0 by half.
    let total: u32 = parts.iter().map(|part| part.count).sum();
    let start = match (total as usize >= MANY, shifted) {
        (true, false) => start,
        (true, true) => start - 2 * (stride / 2),
        (false, _) if odd => stride,
        (false, _) => 2 * stride,
    };
    let narrow = 0.5 * (start - stride) as f64;
    Centre { double, narrow, widths: Widths { start, end, stride } }
}

/// All that a frequency needs to know.
struct Spectrum<'a> {
    count: i64,
    period: i64,
    /// The `2 period`-th roots of unity.
    roots: Vec<Complex64>,
    /// The least probability, per processor of each class, of a window that matters.
    floors: Vec<f64>,
    parts: Vec<Part<'a>>,
    /// The first and the last centre, doubled, whose tent reaches into the range of the sum.
    doubles: (i64, i64),
}

impl<'a> Spectrum<'a> {
    /// For a sum `Q` that is in `[low, high]`.
    fn new(parts: Vec<Part<'a>>, count: usize, low: f64, high: f64) -> Self {
        let n = count as f64;
        let first = (2.0 * low / n - 1.0).floor() as i64 + 1;
        let last = (2.0 * high / n + 1.0).ceil() as i64 - 1;
        // Keeps copies of the range of the sum out of the tents.
        let reach_up = 0.5 * n * (last + 1) as f64 - low;
        let reach_down = high - 0.5 * n * (first - 1) as f64;
        let period = reach_up.max(reach_down).ceil() as i64 + 1;
        let angle = std::f64::consts::PI / period as f64;
        let root = |j| Complex64::from_polar(1.0, angle * j as f64);
        let floor = |part: &Part<'_>| (SMALL.ln() / f64::from(part.count)).exp();
        Self {
            count: count as i64,
            period,
            roots: (0..2 * period).map(root).collect(),
            floors: parts.iter().map(floor).collect(),
            parts,
            doubles: (first, last),
        }
    }

    /// The sum over the windows of a stride, and the number of its terms.
    fn sum(&self, stride: Stride, shifted: bool) -> (Estimate, u64) {
        let (first, last) = self.doubles;
        let start = first.div_euclid(2) + if shifted { stride.centres / 2 } else { 0 };
        let centres: Vec<Centre> = (start..=last.div_euclid(2))
            .step_by(stride.centres as usize)
            .flat_map(|pair| [2 * pair, 2 * pair + 1])
            .filter(|double| (first..=last).contains(double))
            .map(|double| centre(&self.parts, double, stride.widths, shifted))
            .collect();
        let terms: Vec<(f64, f64)> =
            (0..=self.period / 2).into_par_iter().map(|k| self.frequency(k, &centres)).collect();
        let windows = centres.iter().map(|centre| centre.widths.len() as u64).sum::<u64>();
        let (mut value, mut size, mut work) = (0.0, 0.0, 0);
        for (k, term) in (0..).zip(terms) {
            let double = if k == 0 || 2 * k == self.period { 1.0 } else { 2.0 };
            value += double * term.0;
            size += double * term.1;
            work += if term.1 > 0.0 { windows } else { 0 };
        }
        let scale = stride.centres as f64 / self.period as f64;
        // Each factor carries about four roundings, a power as many times more.
        let error = 4.0 * f64::EPSILON * self.count as f64 * scale * size;
        (Estimate { value: value * scale, error }, work)
    }

    /// `exp(2 pi i k double / (2 period))`.
    fn root(&self, k: i64, double: i64) -> Complex64 {
        self.roots[(k * double).rem_euclid(2 * self.period) as usize]
    }

    /// Logarithm of a bound of `prod phi_W^n` for all windows that matter, from `|phi_W| <= min(P_W,
    /// |phi| + 1 - P_W)`, with `phi` a power of the characteristic function of one step, and from
    /// `|phi_W| <= V / |2 sin(theta/2)|`, by partial summation, with the total variation `V` of the
    /// law: cutting a law off does not increase it.
    fn bound(&self, k: i64) -> f64 {
        let mut bound = 0.0;
        for (part, floor) in self.parts.iter().zip(&self.floors) {
            let places = part.step.weights().iter().zip(part.step.first()..);
            let step: Complex64 = places.map(|(p, place)| p * self.root(k, 2 * place)).sum();
            let size = step.norm().powf(part.time);
            let half = 0.5 * (1.0 + size);
            let most = if half >= *floor { half } else { size + 1.0 - floor };
            let smooth = part.variation / (1.0 - self.root(k, 2)).norm();
            bound += f64::from(part.count) * most.min(smooth).min(1.0).ln();
        }
        bound
    }

    /// Real part of the sum over all windows at the frequency `2 pi k / period`, and a bound of the
    /// sum of the sizes of its terms.
    fn frequency(&self, k: i64, centres: &[Centre]) -> (f64, f64) {
        let bound = self.bound(k);
        if bound < (SMALL / self.period as f64).ln() {
            return (0.0, 0.0);
        }
        let prefixes: Vec<Vec<Complex64>> =
            self.parts.iter().map(|part| self.prefix(part.law, k)).collect();
        let mut full = Complex64::ONE;
        for (part, prefix) in self.parts.iter().zip(&prefixes) {
            full *= prefix[prefix.len() - 1].powu(part.count);
        }
        let tents = [self.tent(k, 0), if self.count % 2 == 0 { 0.0 } else { self.tent(k, 1) }];
        let (mut total, mut size) = (0.0, 0.0);
        let mut products = Products::default();
        for centre in centres {
            let shift = self.count * centre.double;
            let tent = tents[shift.rem_euclid(2) as usize];
            let weight = tent * self.root(k, shift).conj();
            products.reset(centre.widths.len());
            for (part, prefix) in self.parts.iter().zip(&prefixes) {
                products.multiply(part, prefix, centre);
            }
            let step = centre.widths.stride as f64;
            let windows = centre.narrow + step * products.re.len() as f64;
            let cut = Complex64::new(products.re.iter().sum(), products.im.iter().sum());
            total += (weight * (windows * full - step * cut)).re;
            size += tent.abs() * bound.exp() * windows.abs();
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
        for width in centre.widths.iter() {
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
