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
//! `N`-fold convolution of the distribution cut to the window. It is not formed: with `phi_W` the
//! characteristic function of the cut distribution,
//! `sum_s tent_c(s) P(Q = s, W) = 1/M sum_k tau_c(2 pi k/M) prod phi_W(2 pi k/M)^n` for any period
//! `M` longer than the range of `Q`. Prefix sums over the places give `phi_W` of every window in
//! constant time, windows that hold all processors with probability below `1e-17` or above
//! `1 - 1e-17` need no work, and neither do frequencies at which no window can matter.
//!
//! Two, three or four processors need no windows: see `few`.

use crate::parallel;
use num_complex::Complex64;
use std::ops::ControlFlow;

use super::few;
use super::stride::Stride;
use super::window::{Centre, Part, Places, SMALL, centre, first_that, reach, window};
use crate::distribution::LatticeLaw;
use crate::observer::Observer;
use crate::periodic::Approximation;

/// `E max_i |S_i - Q/N|` for independent places, in lattice units.
///
/// Time: (windows) x (frequencies that matter), and one multiplication per bit of `N` for each. For
/// wide distributions a part of the windows is enough, by the theorem of `stride`. The error bound
/// covers
/// * the rounding `delta` of the distributions. To first order it moves `E R` by at most `delta
///   sum_i E|E[R | S_i] - E R| <= delta sqrt(N Var R) <= delta sqrt(N Var Q)`, by Hoeffding's
///   decomposition and the Efron–Stein inequality, `R` being 1-Lipschitz in every place; and any
///   expectation of a positive number, such as the sum over a part of the windows, by at most `N
///   delta` of it;
/// * the rounding of the Fourier sums, and the events and frequencies left out;
/// * the omitted centers, which may change the value by `goal`.
///
/// The second result is the number of terms, a measure of the work. Both are meaningless after a
/// halt.
///
/// # Panics
/// If there are fewer than two processors.
pub fn max_deviation(
    places: &[Places<'_>],
    goal: f64,
    observer: &dyn Observer,
) -> (Approximation, u64) {
    let total: usize = places.iter().map(|places| places.count).sum();
    assert!(total >= 2, "deviations need two processors");
    let parts: Vec<Part<'_>> = places.iter().map(Part::new).collect();
    let moment = |f: fn(&LatticeLaw) -> f64| -> f64 {
        parts.iter().map(|part| f64::from(part.count) * f(part.law)).sum()
    };
    let (mean, variance) = (moment(LatticeLaw::mean), moment(LatticeLaw::variance));
    let n = total as f64;
    let rounding = parts.iter().map(|part| part.law.rounding()).fold(0.0, f64::max);
    let range = parts.iter().map(|part| part.law.last()).max().unwrap_or(0)
        - parts.iter().map(|part| part.law.first()).min().unwrap_or(0);
    let second_order = (range + 2) as f64 * (n * rounding).powi(2);
    let inherited = rounding * (n * variance).sqrt() + second_order;
    if total <= few::MOST_PROCESSORS {
        let laws = parts.iter().flat_map(|part| vec![part.law; part.count as usize]);
        let (found, work) = few::max_deviation(&laws.collect::<Vec<_>>(), observer);
        return (Approximation { error: found.error + inherited, ..found }, work);
    }
    let left_out = (range + 2) as f64 * 8.0 * SMALL;
    let (down, up) = (reach(&parts, -1.0, variance), reach(&parts, 1.0, variance));
    let steps: Option<Vec<_>> = parts.iter().map(|part| Some((part.count, part.steps?))).collect();
    let stride = steps.map_or(Stride::ALL, |steps| {
        let classes: Vec<_> = steps.iter().map(|(count, steps)| (*count, steps.0)).collect();
        Stride::longest(&classes, steps[0].1.1, goal, observer)
    });
    let spectrum = Spectrum::new(parts, total, mean - down, mean + up);
    let (found, work) = spectrum.sum(stride.pairs, observer);
    let part = if stride == Stride::ALL { 0.0 } else { n * rounding * found.value };
    (
        Approximation {
            value: found.value,
            error: found.error + stride.error + left_out + inherited + part,
        },
        work,
    )
}

/// Contribution of one frequency.
struct Term {
    /// Real part of the sum over all windows.
    value: f64,
    /// Bound of the sum of the sizes of its terms.
    size: f64,
    /// Number of its terms.
    work: u64,
}

/// Precomputed data for all frequencies.
struct Spectrum<'a> {
    count: i64,
    period: i64,
    /// The `2 period`-th roots of unity.
    roots: Vec<Complex64>,
    /// The least probability, per processor of each class, of a window that matters.
    floors: Vec<f64>,
    parts: Vec<Part<'a>>,
    /// The first and the last center, doubled, whose tent reaches into the range of the sum.
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

    /// The sum over the windows about every so many pairs of centers, and the number of its terms.
    fn sum(&self, stride: i64, observer: &dyn Observer) -> (Approximation, u64) {
        let (first, last) = self.doubles;
        let centres: Vec<Centre> = (first.div_euclid(2)..=last.div_euclid(2))
            .step_by(stride as usize)
            .flat_map(|pair| [2 * pair, 2 * pair + 1])
            .filter(|double| (first..=last).contains(double))
            .take_while(|_| observer.check().is_continue())
            .map(|double| centre(&self.parts, double))
            .collect();
        let term = |k: usize| match observer.check() {
            ControlFlow::Continue(()) => self.frequency(k as i64, &centres),
            ControlFlow::Break(_) => Term { value: 0.0, size: 0.0, work: 0 },
        };
        let terms = parallel::map((self.period / 2 + 1) as usize, &term);
        let (mut value, mut size, mut work) = (0.0, 0.0, 0);
        for (k, term) in (0..).zip(terms) {
            let double = if k == 0 || 2 * k == self.period { 1.0 } else { 2.0 };
            value += double * term.value;
            size += double * term.size;
            work += term.work;
        }
        let scale = stride as f64 / self.period as f64;
        // Each factor carries about four roundings, a power as many times more.
        let error = 4.0 * f64::EPSILON * self.count as f64 * scale * size;
        (Approximation { value: value * scale, error }, work)
    }

    /// `exp(2 pi i k double / (2 period))`.
    fn root(&self, k: i64, double: i64) -> Complex64 {
        self.roots[(k * double).rem_euclid(2 * self.period) as usize]
    }

    /// Bounds of `|phi|` for each class: a power of the characteristic function of one step, up to
    /// the rounding of the distribution.
    fn sizes(&self, k: i64) -> Vec<f64> {
        let size = |part: &Part<'_>| {
            let (law, time) = part.steps.unwrap_or((part.law, 1));
            let places = law.weights().iter().zip(law.first()..);
            let phi: Complex64 = places.map(|(p, place)| p * self.root(k, 2 * place)).sum();
            phi.norm().powf(time as f64) + part.law.rounding() + f64::EPSILON
        };
        self.parts.iter().map(size).collect()
    }

    /// Logarithm of a bound of `prod phi_W^n` for all relevant windows. It follows from `|phi_W| <=
    /// min(P_W, |phi| + 1 - P_W)`, and, by partial summation, from `|phi_W| <= V / |2
    /// sin(theta/2)|` with the total variation `V` of the distribution. Truncation does not
    /// increase `V`.
    fn bound(&self, sizes: &[f64], wave: f64) -> f64 {
        let mut bound = 0.0;
        for ((part, floor), size) in self.parts.iter().zip(&self.floors).zip(sizes) {
            let half = 0.5 * (1.0 + size);
            let most = if half >= *floor { half } else { size + 1.0 - floor };
            let smooth = part.variation / wave;
            bound += f64::from(part.count) * most.min(smooth).min(1.0).ln();
        }
        bound
    }

    /// How many of the windows about a center matter: `|phi_W| <= |phi| + V_W / |2 sin(theta/2)|`
    /// with the total variation `V_W` of the two parts of the distribution outside of the window.
    fn matter(&self, centre: &Centre, sizes: &[f64], wave: f64, small: f64) -> usize {
        let negligible = |j: i64| {
            let (a, b) = window(centre.double, centre.widths.start + 2 * j);
            let log = |(part, size): (&Part<'_>, &f64)| {
                f64::from(part.count) * (size + part.rough_outside(a, b) / wave).ln()
            };
            self.parts.iter().zip(sizes).map(log).sum::<f64>() < small
        };
        first_that(0, centre.widths.len() as i64, negligible) as usize
    }

    /// The sum over all windows at the frequency `2 pi k / period`.
    fn frequency(&self, k: i64, centres: &[Centre]) -> Term {
        let wave = (1.0 - self.root(k, 2)).norm();
        let small = (SMALL / self.period as f64).ln();
        let mut found = Term { value: 0.0, size: 0.0, work: 0 };
        let smooth =
            |part: &Part<'_>| f64::from(part.count) * (part.variation / wave).min(1.0).ln();
        if self.parts.iter().map(smooth).sum::<f64>() < small {
            return found;
        }
        let sizes = self.sizes(k);
        let bound = self.bound(&sizes, wave);
        if bound < small {
            return found;
        }
        let prefixes: Vec<Vec<Complex64>> =
            self.parts.iter().map(|part| self.prefix(part.law, k)).collect();
        let mut full = Complex64::ONE;
        for (part, prefix) in self.parts.iter().zip(&prefixes) {
            full *= prefix[prefix.len() - 1].powu(part.count);
        }
        let tents = [self.tent(k, 0), if self.count % 2 == 0 { 0.0 } else { self.tent(k, 1) }];
        let mut products = Products::default();
        for centre in centres {
            let shift = self.count * centre.double;
            let tent = tents[shift.rem_euclid(2) as usize];
            let weight = tent * self.root(k, shift).conj();
            let kept = self.matter(centre, &sizes, wave, small);
            products.reset(kept);
            for (part, prefix) in self.parts.iter().zip(&prefixes) {
                products.multiply(part, prefix, centre);
            }
            let windows = centre.narrow + centre.widths.len() as f64;
            let cut = Complex64::new(products.re.iter().sum(), products.im.iter().sum());
            found.value += (weight * (windows * full - cut)).re;
            found.size += tent.abs() * bound.exp() * windows.abs();
            found.work += (kept * self.parts.len()) as u64;
        }
        found
    }

    /// Characteristic function of the distribution cut off above each place, by a compensated sum.
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

/// The characteristic functions of all windows about a center, real and imaginary parts apart so
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
        for j in 0..self.re.len() as i64 {
            let (a, b) = window(centre.double, centre.widths.start + 2 * j);
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
