//! The change in one step of one deviation minus that of another, and its cumulants.

use crate::distribution::Law;
use crate::periodic::Processors;

/// Rounding of cumulants, relative to the sum of the sizes of their terms.
const ROUNDED: f64 = 1e-12;

/// Change in one step of another deviation minus the leading one: independent changes, each with
/// multiplicity and factor.
pub(super) struct Difference<'a> {
    parts: Vec<(f64, f64, &'a Law)>,
}

impl<'a> Difference<'a> {
    /// For a processor of class `other` and the leader of another class, whose deviation has sign
    /// `sign`; the other's sign is the same or opposite. They are the same processor where both are
    /// of the leader's class and the signs differ: for others of its class the means of the two
    /// sides are equal.
    pub(super) fn new(
        processors: &'a Processors,
        [other, leader]: [usize; 2],
        sign: f64,
        same_side: bool,
    ) -> Self {
        let classes = processors.classes();
        let law = |index: usize| &classes[index].law;
        if same_side {
            return Self { parts: vec![(1.0, sign, law(other)), (1.0, -sign, law(leader))] };
        }
        // -sign (S_other - Q/N) - sign (S_leader - Q/N)
        let n = processors.count() as f64;
        let mut parts = Vec::new();
        for (index, class) in classes.iter().enumerate() {
            let left_out = usize::from(index == leader)
                + usize::from(index == other && !(other == leader && class.count == 1));
            parts.push(((class.count - left_out) as f64, 2.0 * sign / n, &class.law));
        }
        match other == leader && classes[leader].count == 1 {
            true => parts.push((1.0, -2.0 * sign * (n - 1.0) / n, law(leader))),
            false => {
                for index in [other, leader] {
                    parts.push((1.0, -sign * (n - 2.0) / n, law(index)));
                }
            }
        }
        parts.retain(|(count, factor, _)| *count > 0.0 && *factor != 0.0);
        Self { parts }
    }

    fn sum(&self, of: impl Fn(f64, &Law) -> f64) -> f64 {
        self.parts.iter().map(|(count, factor, law)| count * of(*factor, law)).sum()
    }

    /// Whether it can be positive: its sum can be where one step can, and never where no step can.
    pub(super) fn is_ever_ahead(&self) -> Option<bool> {
        let most = self.sum(|factor, law| {
            let [least, most] = law.ends();
            (factor * least).max(factor * most)
        });
        let sizes =
            self.sum(|factor, law| factor.abs() * (law.mean().abs() + law.variance().sqrt()));
        match most {
            most if most > ROUNDED * sizes => Some(true),
            most if most < -ROUNDED * sizes => Some(false),
            _ => None,
        }
    }

    /// Whether it is constant.
    pub(super) fn is_zero(&self) -> bool {
        let mean = self.sum(|factor, law| factor * law.mean());
        let variance = self.sum(|factor, law| factor * factor * law.variance());
        variance == 0.0 && mean <= 0.0
    }

    /// An approximate minimizer of the cumulant generating function, and a negative bound of its
    /// value.
    pub(super) fn least(&self) -> Option<(f64, f64)> {
        let mean = self.sum(|factor, law| factor * law.mean());
        let variance = self.sum(|factor, law| factor * factor * law.variance());
        // The minimizer for a normal distribution; without variance there is none, but this is low
        // enough.
        let normal = if variance > 0.0 { -mean / variance } else { 64.0 / -mean };
        let bounded = |theta: f64| {
            let value = self.sum(|factor, law| law.cumulant(factor * theta));
            let sizes = self.sum(|factor, law| law.cumulant(factor * theta).abs() + 1.0);
            (theta, value + ROUNDED * sizes)
        };
        let tried = (-16..=16).map(|power| bounded(normal * 2f64.powf(0.5 * f64::from(power))));
        let known = tried.filter(|(theta, value)| *theta > 0.0 && *value < 0.0);
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
