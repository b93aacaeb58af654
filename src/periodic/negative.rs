//! Probability that a load falls below zero, where the model is no longer meaningful.

use super::Processors;
use crate::distribution::{Lattice, LatticeLaw, Law};
use crate::observer::Observer;

/// Steps up to which the probability is computed exactly.
const EXACT_STEPS: u64 = 5_000;

/// Probability that some load is negative at some time up to `steps`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NegativeLoad {
    /// The probability, or a bound of it from above.
    pub probability: f64,
    /// Whether it is the probability itself, not a bound.
    pub exact: bool,
}

/// The probability that a load becomes negative within `steps` steps. It is exact, up to rounding
/// and 1e-20, for independent processors where all steps are on lattices and `steps` is at most
/// 5000. For dependent ones it is then bounded by the sum over the processors. Otherwise it is
/// bounded by Kolmogorov's inequality: `N` times `steps * variance / (least mean load)^2`.
///
/// After a halt that bound is returned.
pub fn negative_load(processors: &Processors, steps: u64, observer: &dyn Observer) -> NegativeLoad {
    let Some(chances) = of_each(processors, steps, observer) else {
        return bounded(processors, steps);
    };
    let counts = processors.classes().iter().map(|class| class.count as f64);
    let each = counts.zip(&chances);
    if processors.are_dependent() {
        let sum: f64 = each.map(|(count, p)| count * p).sum();
        return NegativeLoad { probability: sum.min(1.0), exact: false };
    }
    let none: f64 = each.map(|(count, p)| count * (-p).ln_1p()).sum();
    NegativeLoad { probability: -none.exp_m1(), exact: true }
}

/// The probability for one processor of each class, where it can be computed.
fn of_each(processors: &Processors, steps: u64, observer: &dyn Observer) -> Option<Vec<f64>> {
    if steps > EXACT_STEPS {
        return None;
    }
    let classes = processors.classes().iter();
    classes.map(|class| below_zero(processors.load(), &class.law, steps, observer)).collect()
}

/// Sum of the bounds of all processors.
fn bounded(processors: &Processors, steps: u64) -> NegativeLoad {
    let chance = |law: &Law| {
        let least = processors.load() + (law.mean() * steps as f64).min(0.0);
        let ratio = steps as f64 * law.variance() / (least * least);
        if law.least() >= 0.0 {
            0.0
        } else if least <= 0.0 {
            1.0
        } else {
            ratio.min(1.0)
        }
    };
    let chances = processors.classes().iter().map(|class| class.count as f64 * chance(&class.law));
    NegativeLoad { probability: chances.sum::<f64>().min(1.0), exact: false }
}

/// Probability that a load that starts at `load` and follows `law` is negative at some time up to
/// `steps`; `None` for distributions that are not on a lattice, and after a halt.
fn below_zero(load: f64, law: &Law, steps: u64, observer: &dyn Observer) -> Option<f64> {
    if law.least() >= 0.0 {
        return Some(0.0);
    }
    let Law::Steps(law) = law else { return None };
    let (lattice, laws) = Lattice::common(&[law])?;
    let step = &laws[0];
    let mut place = LatticeLaw::certain(0);
    let (mut alive, mut gone) = (1.0, 0.0);
    for time in 1..=steps {
        if observer.check().is_break() {
            return None;
        }
        place = place.plus(step);
        // Positions below zero by more than rounding are absorbed.
        let floor = (-load * (1.0 + 1e-12) - lattice.origin * time as f64) / lattice.span;
        let cut =
            (floor.ceil() - place.first() as f64).clamp(0.0, place.weights().len() as f64) as usize;
        let lost: f64 = place.weights()[..cut].iter().sum();
        if cut == place.weights().len() {
            return Some(1.0);
        }
        if lost > 0.0 {
            let left = place.weights()[cut..].iter().map(|p| p / (1.0 - lost)).collect();
            place = LatticeLaw::new(place.first() + cut as i64, left);
            gone += alive * lost;
            alive *= 1.0 - lost;
        }
    }
    Some(gone)
}
