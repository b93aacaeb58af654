//! Per-step increments of the value once the filter has mixed.
//!
//! The value is V_0 = sum over n of s_0 ... s_{n-1} E[e_1 - (D_n - c)^+] at the belief p_n. After
//! as many steps as `kinks.rs` needs, these means follow from the stationary distribution without
//! iterating V. Before that step, V is iterated as if the horizon ended there.
//!
//! Cost: O(nodes log nodes) for each distinct gain, O(1) for each step.

use crate::lifetime::Lifetime;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::operator::{Filter, Line};
use crate::phase_switching::polylines::kinks::Means;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::rounding::{DoubleDouble, SLACK, outward};
use crate::{Halt, Observer};
use std::ops::{ControlFlow, Range};

/// Fractions of a step's allowance: the width of its means, and the width of its gains.
const MEANS: f64 = 0.35;
const GAINS: f64 = 0.75;

/// Fraction of the total width that all these steps may use, if they are few.
const LATER: f64 = 0.25;

/// Most factor by which an improbable step may exceed its allowance.
const MOST: f64 = 1e9;

/// A step that can widen the value by at most this fraction of its allowance needs no means.
const NOTHING: f64 = 1e-4;

/// Horizons for which the method pays.
pub(crate) const STEPS: std::ops::RangeInclusive<u64> = 256..=200_000;

pub(crate) struct Mixed {
    means: Means,
    running: Line,
    /// Probability that the program reaches each step.
    chances: Vec<f64>,
    /// Allowed widening per step, and its factor for a step of probability 1.
    allowance: f64,
    times: f64,
    above: DoubleDouble,
    below: DoubleDouble,
}

impl Mixed {
    /// `typical` are the gains with the greatest total change of slope; `allowance` is the widening
    /// per step.
    pub(crate) fn of(
        filter: &Filter,
        lifetime: &Lifetime,
        (running, initial): (Line, f64),
        (typical, allowance): (&Polyline, f64),
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Mixed>> {
        let last = lifetime.last();
        let mut chances = vec![1.0];
        for n in 0..last {
            chances.push(chances[n as usize] * lifetime.continuation(n));
        }
        let all: f64 = chances.iter().sum();
        // Improbable steps may widen the value more.
        let more = |from: u64| {
            let later: f64 = chances[from as usize..].iter().sum();
            (LATER * all / later).clamp(1.0, MOST)
        };
        let error = |from: u64| 0.5 * MEANS * allowance * more(from);
        let means = Means::of(filter, initial, typical, (&error, last / 2), observer)?;
        let Some(means) = means else { return ControlFlow::Continue(None) };
        let later = &chances[means.from as usize..];
        let [sum, roots] =
            [later.iter().sum::<f64>(), later.iter().map(|chance| chance.cbrt()).sum::<f64>()];
        let times = more(means.from) * sum / roots;
        let [above, below] = [DoubleDouble::default(); 2];
        ControlFlow::Continue(Some(Mixed {
            means,
            running,
            chances,
            allowance,
            times,
            above,
            below,
        }))
    }

    /// The first step covered.
    pub(crate) fn from(&self) -> u64 {
        self.means.from
    }

    /// Adds `steps` with these gains. Returns the width due to the gains at the first step, as a
    /// multiple of the width allowed.
    pub(crate) fn take(&mut self, steps: Range<u64>, gains: &Pair) -> f64 {
        let first = steps.start;
        let most = gains.upper.most().max(0.0);
        if self.chances[first as usize] * most <= NOTHING * self.allowance {
            steps.for_each(|n| self.add(n, [0.0, most]));
            return 0.0;
        }
        let of = |gains| self.means.of_function(gains);
        let (upper, lower) = rayon::join(|| of(&gains.upper), || of(&gains.lower));
        for n in steps {
            let (more, over) = self.means.after(n, &upper);
            let (less, under) = self.means.after(n, &lower);
            self.add(n, [less - under, more + over]);
        }
        let open = self.means.after(first, &upper).0 - self.means.after(first, &lower).0;
        let times = self.times * self.chances[first as usize].powf(-2.0 / 3.0);
        open / (GAINS * self.allowance * times.min(MOST))
    }

    /// Adds step `n`, whose mean gain lies between bounds.
    fn add(&mut self, n: u64, [least, most]: [f64; 2]) {
        let chance = self.chances[n as usize];
        let [low, high] = self.means.of_line(n, self.running);
        let low = outward::<false>(low - most, low.abs() + most.abs());
        let high = outward::<true>(high - least, high.abs() + least.abs());
        // The probability is a product of n factors, each rounded.
        let blur = (2.0 + n as f64) * chance + f64::MIN_POSITIVE / SLACK;
        self.above = self.above.plus(outward::<true>(chance * high, blur * high));
        self.below = self.below.plus(outward::<false>(chance * low, blur * low));
    }

    /// Bounds on the whole value, given those of the earlier steps.
    pub(crate) fn with(&self, (low, high): (f64, f64)) -> (f64, f64) {
        let [below, above] = [self.below.value(), self.above.value()];
        (
            outward::<false>(low + below, low.abs() + below.abs()),
            outward::<true>(high + above, high.abs() + above.abs()),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::belief::Levels;
    use crate::phase_switching::PhaseSwitching;
    use crate::phase_switching::difference::operator::Filter;
    use crate::phase_switching::polylines::kinks::Means;
    use crate::phase_switching::polylines::polyline::Polyline;
    use crate::random::{Stream, stream};
    use crate::thorough::few_or_all;
    use crate::{Rational, Status};
    use rand::RngExt;
    use std::ops::ControlFlow;

    fn ratio(numerator: u64, denominator: u64) -> Rational {
        Rational::from(numerator) / Rational::from(denominator)
    }

    fn filter(random: &mut Stream) -> (Filter, f64) {
        let rates = [0, 1].map(|_| match random.random_range(0..3) {
            0 => ratio(random.random_range(1..40), 100),
            1 => ratio(random.random_range(1..100), 1000),
            _ => ratio(random.random_range(1..100), 10_000),
        });
        let [alarm, missed] = [0, 1].map(|_| ratio(random.random_range(0..=35), 100));
        let detector = match random.random_range(0..3) {
            0 => {
                let [a, b, c] = [ratio(1, 2), ratio(1, 3), ratio(1, 6)];
                Levels::new(vec![a.clone(), b.clone(), c.clone()], vec![c, a, b]).unwrap()
            }
            _ => Levels::binary(alarm, missed).unwrap(),
        };
        let initial = random.random_range(0..=100);
        let nothing = [0, 1].map(|_| [Rational::ZERO, Rational::ZERO]);
        let problem = PhaseSwitching {
            cycle: nothing,
            switch: [None, None],
            rates,
            detector,
            initial: ratio(initial, 100),
        };
        (Filter::new(&problem), initial as f64 / 100.0)
    }

    /// A function with some kinks; the first variant starts at 0.
    fn function(random: &mut Stream) -> Polyline {
        let mut at: Vec<f64> = (0..random.random_range(1..6)).map(|_| random.random()).collect();
        at.extend([0.0, 1.0]);
        at.sort_by(f64::total_cmp);
        let value = at.iter().map(|_| random.random::<f64>()).collect();
        Polyline { at, value }
    }

    /// The same means by applying the filter step by step.
    #[test]
    fn means_are_those_of_the_filter() {
        let mut found = 0;
        let seeds = few_or_all(12, 60);
        for seed in 0..seeds {
            let random = &mut stream(31, seed);
            let (filter, initial) = filter(random);
            let function = function(random);
            let error = 10f64.powi(-random.random_range(3..9));
            let means = Means::of(&filter, initial, &function, (&|_| error, 300), &());
            let ControlFlow::Continue(means) = means else { panic!("{:?}", Status::Interrupted) };
            let Some(means) = means else { continue };
            found += 1;
            let n = means.from + random.random_range(0..20);
            let [mut above, mut below] = [function.clone(), function.clone()];
            for _ in 0..n {
                let step = |line: &Polyline| (1e-3 * error, line.nodes().max(1 << 16));
                above = filter.back_reduced::<true>(&above, 1.0, [0.0; 2], None, step(&above));
                below = filter.back_reduced::<false>(&below, 1.0, [0.0; 2], None, step(&below));
            }
            let (mean, far) = means.after(n, &means.of_function(&function));
            let [low, high] = [below.at(initial), above.at(initial)];
            assert!(
                low <= mean + far && mean - far <= high,
                "seed {seed}: {low} {high} {mean} {far}"
            );
            assert!(far <= 1.1 * error && high - low <= error, "seed {seed}: {far} {error}");
        }
        assert!(3 * found >= 2 * seeds, "{found} of {seeds}");
    }
}
