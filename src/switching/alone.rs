//! The difference by one function, where it has many pieces: how far it may lie below that is a second one of few.
//!
//! Let D be the difference, F a function above it that rises, Y <= 0 with F + Y below D, and F' above T F by at most `lost`,
//! which is what reducing and rounding do. T is monotone and P a mean, so that the difference one step earlier lies below F', and above
//!
//! ```text
//! F' + Y',   Y' = s P (cut(F + Y) - cut(F)) - lost
//! ```
//!
//! Reducing moves both bounds apart by as much as two functions would that are reduced by as much, which takes two of many pieces.

use super::beside::cut_beside;
use super::polyline::{NEAR, Polyline};
use super::recursion::{Pair, Recursion, Step};
use crate::rounding::outward;

/// Pieces of both functions from which on one does; of half as many both are as cheap.
pub(super) const MANY: usize = 2048;

/// Pieces of all steps that have many, from which on it is worth it: how soon steps are at rest, or a mesh does, is luck.
pub(super) const LONG: usize = 300_000;

/// What rounding may add at most to what reducing does, and at first.
const ROUNDING: [f64; 2] = [0.05, 0.02];

/// How closely what lies beside is followed, as a part of what a step adds to it, and of itself at first.
const CLOSELY: f64 = 0.05;
const AT_FIRST: f64 = 0.25;

/// A function above the difference, not cut, and what the difference may have beside it below.
pub(super) struct Alone {
    upper: Polyline,
    beside: Polyline,
}

impl Alone {
    /// From functions around the difference; none if rounding does much beside reducing.
    pub(super) fn of(recursion: &Recursion, raw: &Pair, merge: f64) -> Option<Alone> {
        let upper = raw.upper.reduced::<true>(merge).rising::<true>();
        let cut = upper.cut::<true>(recursion.low, recursion.high);
        (rounding(recursion, &upper, &cut) <= ROUNDING[1] * merge).then(|| {
            let beside = raw.lower.less::<false>(&upper);
            let beside = beside.reduced::<false>(AT_FIRST * beside.size());
            Alone { upper, beside }
        })
    }

    /// Two functions around the difference, cut.
    pub(super) fn both(&self, recursion: &Recursion) -> Pair {
        let Recursion { low, high, .. } = *recursion;
        Pair {
            upper: self.upper.cut::<true>(low, high),
            lower: self.lower().cut::<false>(low, high),
        }
    }

    /// A function below the difference that rises. One step back of it is nowhere below that of the next step, since that rises, too.
    fn lower(&self) -> Polyline {
        let sum = |own: f64, its: f64, size: f64| outward::<false>(own + its, size);
        risen(&self.upper.with(&self.beside, sum))
    }

    pub(super) fn nodes(&self) -> usize {
        self.upper.nodes()
    }

    /// One step back, reduced by `merge`; none if rounding does much beside that.
    pub(super) fn step(
        &self,
        recursion: &Recursion,
        survival: f64,
        merge: f64,
    ) -> Option<(Alone, Step)> {
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
        let next = Alone { upper, beside };
        let raw = Pair { upper: next.upper.clone(), lower: next.lower() };
        Some((next, recursion.shown(raw)))
    }
}

/// What rounding does at most to a step back from `upper`, cut.
fn rounding(recursion: &Recursion, upper: &Polyline, cut: &Polyline) -> f64 {
    let [start, end] = recursion.difference;
    let size = upper.size() + start.abs() + end.abs();
    recursion.filter.rounding(size, upper.steepest().max(cut.steepest()))
}

/// The most that `line` has been so far, or a little less: what rises and is nowhere below `line` is nowhere below that.
/// Where it begins to be more is not next to a node, as what lies between would be as steep as rounding makes it.
fn risen(line: &Polyline) -> Polyline {
    let room = 2 * line.nodes();
    let mut risen = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
    let mut most = line.value[0];
    risen.push(0.0, most);
    for k in 1..line.nodes() {
        let (start, end) = (line.at[k - 1], line.at[k]);
        let (before, value) = (line.value[k - 1], line.value[k]);
        if value > most {
            let share = (most - before) / (value - before);
            let meets = outward::<true>(start + share * (end - start), end);
            if before >= most {
                most = value;
            } else if end - meets > NEAR * end {
                risen.push(meets, most);
                most = value;
            }
        }
        risen.push(end, most);
    }
    risen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;
    use crate::belief::Levels;
    use crate::random::{Stream, stream};
    use crate::switching::PhaseSwitching;
    use rand::RngExt;

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

    /// One function and what is beside it against two that are hardly reduced, from where it begins.
    #[test]
    fn one_function_encloses_what_two_do() {
        for seed in 0..60 {
            let random = &mut stream(41, seed);
            let recursion = Recursion::new(&problem(random));
            let survival = [1.0, 0.9, 0.99][random.random_range(0..3)];
            let merge = 10f64.powi(-random.random_range(2..9)) * recursion.scale;
            let fine = 1e-3 * merge;
            let mut pair = Pair::constant(0.0);
            let mut raw = recursion.step(&pair, survival).raw;
            for _ in 0..random.random_range(0..12) {
                pair = recursion.keep(&raw, fine);
                raw = recursion.step(&pair, survival).raw;
            }
            let mut alone = Alone::of(&recursion, &raw, merge).expect("rounding is little");
            for step in 0..24 {
                let (next, Step { raw: found, to_second, to_first }) =
                    alone.step(&recursion, survival, merge).expect("rounding is little");
                let both = recursion.step(&alone.both(&recursion), survival).raw;
                pair = recursion.keep(&raw, fine);
                let known = recursion.step(&pair, survival);
                let say = format!("seed {seed}, step {step}");
                for around in [&found, &both] {
                    assert!(surely_below(&known.raw.lower, &around.upper), "{say}");
                    assert!(surely_below(&around.lower, &known.raw.upper), "{say}");
                }
                for (own, its) in [(to_second, known.to_second), (to_first, known.to_first)] {
                    assert!(own.lower <= its.upper && its.lower <= own.upper, "{say}");
                }
                let gap = found.upper.less::<true>(&found.lower).most();
                assert!(gap <= 1.2 * (step + 3) as f64 * merge, "{say}: {gap} {merge}");
                (alone, raw) = (next, known.raw);
            }
        }
    }

    #[test]
    fn what_has_been_is_kept() {
        for seed in 0..200 {
            let random = &mut stream(53, seed);
            let mut at: Vec<f64> =
                (0..random.random_range(0..9)).map(|_| random.random()).collect();
            at.extend([0.0, 1.0]);
            at.sort_by(f64::total_cmp);
            let mut value: Vec<f64> = at.iter().map(|_| random.random()).collect();
            if seed < 40 {
                // More than it has been only just.
                let most = value[..value.len() - 1].iter().copied().fold(0.0, f64::max);
                *value.last_mut().unwrap() = most * (1.0 + 1e-13 * random.random::<f64>());
            }
            let line = Polyline { at, value };
            let risen = risen(&line);
            assert!(risen.value.windows(2).all(|pair| pair[0] <= pair[1]), "seed {seed}");
            let new = |pair: &[f64]| pair.iter().any(|at| !line.at.contains(at));
            let mut pairs = risen.at.windows(2).filter(|pair| new(pair));
            assert!(pairs.all(|pair| pair[1] - pair[0] > 0.5 * NEAR * pair[1]), "seed {seed}");
            let mut most = f64::NEG_INFINITY;
            for k in 0..=10_000 {
                let p = f64::from(k) / 10_000.0;
                let nodes = line.at.iter().zip(&line.value).filter(|(at, _)| **at <= p);
                most = nodes.fold(most.max(line.at(p)), |most, (_, value)| most.max(*value));
                let now = risen.at(p);
                assert!(now <= most + 1e-14 && most <= now + 1e-9, "seed {seed}: {now} {most}");
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
                line = recursion.step(&pair, 1.0).raw.upper;
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
