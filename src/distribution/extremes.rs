//! Expected maximum and minimum of independent sums: order statistics [FXW03, sections 4.2 and 6].

use super::gamma::{Tails, gamma_prefactor, gamma_tails, normal_tails};
use super::lattice::LatticeLaw;
use super::quadrature::integrate_unless;
use crate::observer::Observer;

/// Tail probability at which a distribution is truncated.
const END: f64 = 1e-21;

/// Distribution of the position of one processor's walk at one time.
#[derive(Debug, Clone)]
pub enum Marginal {
    /// On the points `origin + span * k`.
    Lattice {
        /// Value at `k = 0`.
        origin: f64,
        /// Distance of neighboring points.
        span: f64,
        /// Distribution of `k`.
        law: LatticeLaw,
        /// `above[j]` is the probability of more than the `j`-th value.
        above: Vec<f64>,
        /// `below[j]` is the probability of at most the `j`-th value.
        below: Vec<f64>,
    },
    /// Gamma distribution.
    Gamma {
        /// Shape, positive.
        shape: f64,
        /// Scale, positive: the mean divided by the shape.
        scale: f64,
    },
    /// Normal distribution.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, positive.
        deviation: f64,
    },
}

impl Marginal {
    /// A distribution on the points `origin + span * k`.
    pub fn lattice(origin: f64, span: f64, law: LatticeLaw) -> Self {
        let weights = law.weights();
        let mut above = vec![0.0; weights.len()];
        for j in (1..weights.len()).rev() {
            above[j - 1] = above[j] + weights[j];
        }
        let mut sum = 0.0;
        let below = weights.iter().map(|p| {
            sum += p;
            sum
        });
        let below = below.collect();
        Self::Lattice { origin, span, law, above, below }
    }

    /// Mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Lattice { origin, span, law, .. } => origin + span * law.mean(),
            Self::Gamma { shape, scale } => shape * scale,
            Self::Normal { mean, .. } => *mean,
        }
    }

    /// Standard deviation.
    pub fn deviation(&self) -> f64 {
        match self {
            Self::Lattice { span, law, .. } => span * law.variance().sqrt(),
            Self::Gamma { shape, scale } => shape.sqrt() * scale,
            Self::Normal { deviation, .. } => *deviation,
        }
    }

    /// The scale of variation: the deviation, or for nonnegative positions the mean if that is
    /// less.
    fn size(&self) -> f64 {
        match self {
            Self::Gamma { .. } => self.deviation().min(self.mean()),
            _ => self.deviation(),
        }
    }

    /// Logarithm of the probability of at most `x`.
    pub(crate) fn log_below(&self, x: f64) -> f64 {
        let Tails { below, above } = self.tails(x);
        if above < 0.5 { (-above).ln_1p() } else { below.ln() }
    }

    pub(super) fn tails(&self, x: f64) -> Tails {
        match self {
            Self::Lattice { origin, span, law, above, below } => {
                let j = ((x - origin) / span).floor() - law.first() as f64;
                if j < 0.0 {
                    return Tails { below: 0.0, above: 1.0 };
                }
                let j = (j as usize).min(above.len() - 1);
                Tails { below: below[j], above: above[j] }
            }
            Self::Gamma { shape, scale } => gamma_tails(*shape, x / scale),
            Self::Normal { mean, deviation } => normal_tails((x - mean) / deviation),
        }
    }

    /// `E[S - E S; S > x]` of a continuous distribution, not negative.
    ///
    /// # Panics
    /// If the distribution is on a lattice.
    pub(super) fn excess(&self, x: f64) -> f64 {
        match self {
            Self::Lattice { .. } => unreachable!("laws on lattices have sums"),
            Self::Gamma { scale, .. } if x <= 0.0 || *scale == 0.0 => 0.0,
            Self::Gamma { shape, scale } => scale * shape * gamma_prefactor(*shape, x / scale),
            Self::Normal { mean, deviation } => {
                let z = (x - mean) / deviation;
                deviation * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
            }
        }
    }

    /// Bound of the relative error of [`tails`](Self::tails), the smaller one, and of
    /// [`excess`](Self::excess), wherever they are not below 1e-25.
    pub(super) fn accuracy(&self) -> f64 {
        match self {
            Self::Lattice { law, .. } => law.rounding(),
            Self::Gamma { shape, .. } => 1e-12 + 1e-14 * shape.sqrt(),
            Self::Normal { .. } => 1e-12,
        }
    }

    /// Smallest and largest value, up to probability [`END`].
    pub(crate) fn ends(&self, count: f64) -> (f64, f64) {
        match self {
            Self::Lattice { origin, span, law, .. } => {
                (origin + span * law.first() as f64, origin + span * law.last() as f64)
            }
            _ => {
                let (mean, deviation) = (self.mean(), self.deviation());
                // A gamma distribution of small shape has little probability far away, but all of
                // its mean.
                let end = match self {
                    Self::Gamma { shape, .. } => END * shape.min(1.0),
                    _ => END,
                };
                let mut reach = 2.0;
                while count * self.tails(mean + reach * deviation).above > end {
                    reach *= 1.25;
                }
                let high = mean + reach * deviation;
                reach = 2.0;
                while count * self.tails(mean - reach * deviation).below > end {
                    reach *= 1.25;
                }
                (mean - reach * deviation, high)
            }
        }
    }
}

/// Expected extremes of independent places about their average mean, in units of load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// Expected maximum less the average of the means, not negative.
    pub above: f64,
    /// The average of the means less the expected minimum, not negative.
    pub below: f64,
    /// Bound of the numerical error of both.
    pub error: f64,
}

/// Expected maximum and minimum of independent positions, `(count, law)` each.
///
/// `E max = c + \int_c^\infty (1 - \prod F_i) - \int_{-\infty}^c \prod F_i` about the average `c`
/// of the means, and likewise for the minimum. This holds for distributions of any sign; the
/// paper's `\int_0^\infty` [FXW03, (17), (31)] needs positive ones. If all distributions live on
/// lattices, the sum between the jumps is exact; otherwise adaptive quadrature. Meaningless after a
/// halt.
///
/// # Panics
/// If there is no distribution.
pub fn extremes(marginals: &[(usize, Marginal)], observer: &dyn Observer) -> Extremes {
    let count: f64 = marginals.iter().map(|part| part.0 as f64).sum();
    assert!(count > 0.0, "extremes of nothing");
    let total: f64 = marginals.iter().map(|(n, law)| *n as f64 * law.mean()).sum();
    let centre = total / count;
    let mut breaks = vec![centre];
    let mut scale = 0.0_f64;
    for (n, law) in marginals {
        let (low, high) = law.ends(*n as f64);
        breaks.extend([low, high]);
        scale = scale.max(law.size()).max((law.mean() - centre).abs());
        if let Marginal::Lattice { origin, span, law, .. } = law {
            breaks.extend((law.first()..=law.last()).map(|k| origin + span * k as f64));
        } else {
            let at = |z: f64| law.mean() + z * law.deviation();
            breaks
                .extend([-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0].map(at).map(|x| x.clamp(low, high)));
        }
        if let Marginal::Gamma { shape, scale } = law {
            // Panels must resolve what lies between 0 and a mean far below the deviation.
            breaks.extend([0.0, law.mean()]);
            if *shape < 1.0 {
                breaks.extend((-12..=2).map(|power| (scale * 4.0_f64.powi(power)).min(high)));
            }
        }
    }
    if scale == 0.0 {
        // All positions are deterministic and equal.
        return Extremes { above: 0.0, below: 0.0, error: 0.0 };
    }
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    let smooth = marginals.iter().any(|part| !matches!(part.1, Marginal::Lattice { .. }));
    // Logarithms of the probabilities that all positions are at most x, and that all are above.
    let logs = |x: f64| {
        let (mut all_below, mut all_above) = (0.0, 0.0);
        for (n, law) in marginals {
            let Tails { below, above } = law.tails(x);
            let ln = |p: f64, q: f64| if q < 0.5 { (-q).ln_1p() } else { p.ln() };
            all_below += *n as f64 * ln(below, above);
            all_above += *n as f64 * ln(above, below);
        }
        (all_below, all_above)
    };
    let highest = |x: f64| if x > centre { -logs(x).0.exp_m1() } else { -logs(x).0.exp() };
    let lowest = |x: f64| if x > centre { -logs(x).1.exp() } else { -logs(x).1.exp_m1() };
    let mut found = Extremes { above: 0.0, below: 0.0, error: 0.0 };
    for ends in breaks.windows(2) {
        let (a, b) = (ends[0], ends[1]);
        if observer.check().is_break() {
            break;
        }
        if smooth {
            let halted = || observer.check().is_break();
            let tolerance = 1e-14 * scale;
            let up = integrate_unless(highest, a, b, tolerance, halted);
            let down = integrate_unless(lowest, a, b, tolerance, halted);
            found.above += up.value;
            found.below += down.value;
            found.error += up.error.max(down.error);
        } else {
            let middle = 0.5 * (a + b);
            found.above += (b - a) * highest(middle);
            found.below += (b - a) * lowest(middle);
        }
    }
    // Each tail probability carries a few roundings, each product `count` times as many.
    let rounding = f64::EPSILON * (8.0 + breaks.len() as f64 + centre.abs() / scale);
    found.error += rounding * (found.above + found.below);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_extremes_have_their_tabulated_means() {
        let normal = |n| extremes(&[(n, Marginal::Normal { mean: 3.0, deviation: 2.0 })], &());
        // Two: 1/sqrt(pi); three: 3/(2 sqrt(pi)); standard tables for ten.
        let root = std::f64::consts::PI.sqrt();
        for (n, mean) in [(2, 1.0 / root), (3, 1.5 / root), (10, 1.538_752_730_835_169)] {
            let found = normal(n);
            assert!((found.above - 2.0 * mean).abs() < 1e-12, "n = {n}: {found:?}");
            assert!((found.above - found.below).abs() < 1e-12);
        }
    }

    #[test]
    fn certain_places_have_no_extremes_and_no_error() {
        let law = LatticeLaw::certain(5);
        let found = extremes(&[(2, Marginal::lattice(0.0, 1.0, law))], &());
        assert_eq!(found, Extremes { above: 0.0, below: 0.0, error: 0.0 });
    }

    #[test]
    fn exponential_maximum_is_the_harmonic_number() {
        let found = extremes(&[(20, Marginal::Gamma { shape: 1.0, scale: 1.5 })], &());
        let harmonic: f64 = (1..=20).map(|k| 1.0 / f64::from(k)).sum();
        assert!((found.above - 1.5 * (harmonic - 1.0)).abs() < 1e-12, "{found:?}");
        assert!((found.below - 1.5 * (1.0 - 1.0 / 20.0)).abs() < 1e-12);
    }
}
