//! Encloses a difference of many pieces by one function F with many pieces and a lower residual Y
//! with few.
//!
//! Let D be the difference and F >= D an increasing function. Let Y <= 0 with F + Y <= D, and let
//! F' exceed T F by at most `lost`, the reduction and rounding. T is monotone and P takes means, so
//! the difference one step earlier lies below F' and above
//!
//! ```text
//! F' + Y',   Y' = s P (cut(F + Y) - cut(F)) - lost
//! ```
//!
//! The bounds move apart by as much as two functions would with the same reduction, but only one
//! has many pieces.

use super::enclosure::{Alone, Pair};
use super::recursion::Recursion;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::residual::cut_beside;
use crate::rounding::outward;

/// Pieces of both functions from which one suffices; with half as many two cost the same.
pub(in crate::phase_switching) const MANY: usize = 2048;

/// Total pieces of such steps from which the method pays. Earlier the sweep may converge or move to
/// a mesh.
pub(in crate::phase_switching) const LONG: usize = 300_000;

/// Most rounding relative to the reduction: in later steps, and at the start.
const ROUNDING: [f64; 2] = [0.05, 0.02];

/// Reduction of the residual, as a fraction of what a step adds to it, and of its size at the
/// start.
const CLOSELY: f64 = 0.05;
const AT_FIRST: f64 = 0.25;

impl Alone {
    /// From an enclosure of the difference; `None` if rounding is not small relative to the
    /// reduction.
    pub(in crate::phase_switching) fn of(
        recursion: &Recursion,
        raw: &Pair,
        merge: f64,
    ) -> Option<Alone> {
        let upper = raw.upper.reduced::<true>(merge).rising::<true>();
        let cut = upper.cut::<true>(recursion.low, recursion.high);
        (rounding(recursion, &upper, &cut) <= ROUNDING[1] * merge).then(|| {
            let beside = raw.lower.less::<false>(&upper);
            let beside = beside.reduced::<false>(AT_FIRST * beside.size());
            Alone { upper, beside }
        })
    }

    /// The two bounds on the difference, clipped to [-d, c].
    pub(in crate::phase_switching) fn cut(&self, recursion: &Recursion) -> Pair {
        let Recursion { low, high, .. } = *recursion;
        Pair {
            upper: self.upper.cut::<true>(low, high),
            lower: self.lower().cut::<false>(low, high),
        }
    }

    /// One step back, reduced by `merge`; `None` if rounding is not small relative to that.
    pub(in crate::phase_switching) fn step(
        &self,
        recursion: &Recursion,
        survival: f64,
        merge: f64,
    ) -> Option<Alone> {
        let Recursion { filter, difference: line, low, high, most_nodes, .. } = recursion;
        let cut = self.upper.cut::<true>(*low, *high);
        let rounding = rounding(recursion, &self.upper, &cut);
        if rounding > ROUNDING[0] * merge {
            return None;
        }
        let limits = (merge, *most_nodes);
        let (upper, moved) = filter.back_in_halves::<true>(&cut, survival, *line, limits);
        let upper = upper.rising::<true>();
        let lost = outward::<true>(moved + rounding, moved + rounding);
        let gap = cut_beside::<false>(&self.upper, &self.beside, *low, *high);
        let beside = filter.back::<false>(&gap, survival, [-lost; 2], None);
        let beside = beside.reduced::<false>(CLOSELY * lost);
        Some(Alone { upper, beside })
    }
}

/// Bound on the rounding of a step back from `upper`, clipped to `cut`.
fn rounding(recursion: &Recursion, upper: &Polyline, cut: &Polyline) -> f64 {
    let [start, end] = recursion.difference;
    let size = upper.size() + start.abs() + end.abs();
    recursion.filter.rounding(size, upper.steepest().max(cut.steepest()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;
    use crate::belief::Levels;
    use crate::phase_switching::PhaseSwitching;
    use crate::phase_switching::difference::enclosure::Around;
    use crate::phase_switching::difference::recursion::Step;
    use crate::random::{Stream, stream};
    use rand::RngExt;
    use std::sync::Arc;

    fn problem(random: &mut Stream) -> PhaseSwitching {
        let mut part =
            |most: u64, of: u64| Rational::from(random.random_range(1..=most)) / Rational::from(of);
        let [first, second, more, beside] = [100, 100, 400, 200].map(|most| part(most, 100));
        let switch = [part(1000, 100), part(1000, 100)];
        let rates = [part(100, 1000), part(100, 1000)];
        let [alarm, missed] = [part(45, 100), part(45, 100)];
        let switch = match random.random_range(0..6) {
            0 => [Some(switch[0].clone()), None],
            1 => [None, Some(switch[1].clone())],
            _ => switch.map(Some),
        };
        PhaseSwitching {
            cycle: [[first.clone(), &first + &more], [&second + &beside, second]],
            switch,
            rates,
            detector: Levels::binary(alarm, missed).unwrap(),
            initial: Rational::ZERO,
        }
    }

    fn surely_below(lower: &Polyline, upper: &Polyline) -> bool {
        upper.less::<true>(lower).least() >= 0.0
    }

    /// One function and its residual against two functions with tiny reductions, from the start.
    #[test]
    fn one_function_encloses_what_two_do() {
        for seed in 0..60 {
            let random = &mut stream(41, seed);
            let recursion = Recursion::new(&problem(random));
            let survival = [1.0, 0.9, 0.99][random.random_range(0..3)];
            let merge = 10f64.powi(-random.random_range(2..9)) * recursion.scale;
            let fine = 1e-3 * merge;
            let mut pair = Pair::constant(0.0);
            let step_back = |pair: &Pair| {
                let Step { raw, to_second, to_first } = recursion.step(pair, survival);
                (raw.both().into_owned(), [to_second, to_first])
            };
            let mut raw = step_back(&pair).0;
            for _ in 0..random.random_range(0..12) {
                pair = recursion.keep(&raw, fine);
                raw = step_back(&pair).0;
            }
            let of = Alone::of(&recursion, &raw, merge).expect("rounding is little");
            let mut alone = Arc::new(of);
            for step in 0..24 {
                let next = alone.step(&recursion, survival, merge).expect("rounding is little");
                let next = Arc::new(next);
                let found = recursion.shown(Around::Alone(next.clone()));
                let whole = recursion.shown(Around::Both(found.raw.both().into_owned()));
                let (both, _) = step_back(&alone.cut(&recursion));
                pair = recursion.keep(&raw, fine);
                let (known, thresholds) = step_back(&pair);
                let say = format!("seed {seed}, step {step}");
                for around in [&*found.raw.both(), &both] {
                    assert!(surely_below(&known.lower, &around.upper), "{say}");
                    assert!(surely_below(&around.lower, &known.upper), "{say}");
                }
                let shown = |step: &Step| [step.to_second, step.to_first];
                for ((own, its), all) in shown(&found).iter().zip(&thresholds).zip(shown(&whole)) {
                    assert!(own.lower <= its.upper && its.lower <= own.upper, "{say}");
                    // The sum near a level agrees with the whole sum there.
                    assert!(
                        own.lower == all.lower && (own.upper - all.upper).abs() < 1e-9,
                        "{say}"
                    );
                }
                let [own, all] = [&found, &whole].map(|step| recursion.gains(&step.raw).lower);
                let apart = own.less::<true>(&all);
                assert!(apart.most().max(-apart.least()) <= 1e-12 * all.size().max(1.0), "{say}");
                let around = found.raw.both();
                let gap = around.upper.less::<true>(&around.lower).most();
                assert!(gap <= 1.2 * (step + 3) as f64 * merge, "{say}: {gap} {merge}");
                (alone, raw) = (next, known);
            }
        }
    }

    /// A step back in halves against one that is whole and not reduced.
    #[test]
    fn halves_meet() {
        for seed in 0..60 {
            let random = &mut stream(43, seed);
            let recursion = Recursion::new(&problem(random));
            let mut line = Pair::constant(0.0).upper;
            for _ in 0..random.random_range(0..10) {
                let pair = Pair { upper: line.clone(), lower: line };
                line = recursion.step(&pair, 1.0).raw.upper().clone();
            }
            let merge = 10f64.powi(-random.random_range(1..12)) * recursion.scale;
            let (filter, own) = (&recursion.filter, recursion.difference);
            let whole = filter.back::<true>(&line, 1.0, own, None);
            let (halves, moved) = filter.back_in_halves::<true>(&line, 1.0, own, (merge, 1 << 20));
            assert_eq!((halves.at[0], *halves.at.last().unwrap(), moved), (0.0, 1.0, merge));
            assert!(halves.at.windows(2).all(|pair| pair[0] < pair[1]), "seed {seed}");
            let apart = halves.less::<true>(&whole);
            let blur = 1e-13 * whole.size();
            assert!(apart.least() >= 0.0 && apart.most() <= merge + blur, "seed {seed}");
        }
    }
}
