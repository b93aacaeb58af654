//! Independent birth–death chains restricted to some of their joint states, for functions that are
//! 0 elsewhere, applied mode by mode.
//!
//! The image of such a function is 0 outside the *hull*, the given states and all adjacent ones in
//! every direction. This also holds for the intermediate result of every mode. The modes are
//! therefore applied one after another on the hull, with lists of neighbors. Time: three terms for
//! each mode and state of the hull, where a row of the joint chain has 3^modes entries.

use super::{BirthDeath, Operator, usable};
use crate::parallel;
use std::sync::Mutex;

/// States that a thread handles at a time.
const PART: usize = 1 << 12;

/// The independent chains.
#[derive(Debug, Clone)]
pub(crate) struct Modes {
    chains: Vec<BirthDeath>,
    strides: Vec<usize>,
}

impl Modes {
    /// States are numbered row by row, the last chain fastest.
    pub fn new(chains: Vec<BirthDeath>) -> Self {
        let mut strides = vec![1; chains.len()];
        for mode in (1..chains.len()).rev() {
            strides[mode - 1] = strides[mode] * chains[mode].levels();
        }
        Self { chains, strides }
    }

    pub fn count(&self) -> usize {
        self.chains.len()
    }

    fn level(&self, mode: usize, state: usize) -> usize {
        state / self.strides[mode] % self.chains[mode].levels()
    }

    /// These states in ascending order, with all adjacent ones in every direction.
    pub fn hull(&self, states: &[usize]) -> Vec<usize> {
        let mut hull = states.to_vec();
        for (mode, stride) in self.strides.iter().enumerate() {
            let last = self.chains[mode].levels() - 1;
            let lower = hull.iter().filter(|s| self.level(mode, **s) > 0).map(|s| s - stride);
            let upper = hull.iter().filter(|s| self.level(mode, **s) < last).map(|s| s + stride);
            // Three ascending lists, which a stable sort merges.
            let mut wider: Vec<usize> = lower.chain(hull.iter().copied()).chain(upper).collect();
            wider.sort();
            wider.dedup();
            hull = wider;
        }
        hull
    }
}

/// One chain on the hull.
struct Mode {
    /// Up, stay and down of each level.
    moves: Vec<[f64; 3]>,
    levels: Vec<u16>,
    /// Positions in the hull; one past the end where there is none.
    above: Vec<u32>,
    below: Vec<u32>,
}

impl Mode {
    fn new(modes: &Modes, mode: usize, hull: &[usize]) -> Self {
        let (chain, stride) = (&modes.chains[mode], modes.strides[mode]);
        let last = chain.levels() - 1;
        let levels: Vec<u16> = hull.iter().map(|&s| modes.level(mode, s) as u16).collect();
        let (mut above, mut below) =
            (vec![hull.len() as u32; hull.len()], vec![hull.len() as u32; hull.len()]);
        let mut ahead = 0;
        for (place, &state) in hull.iter().enumerate() {
            while ahead < hull.len() && hull[ahead] < state + stride {
                ahead += 1;
            }
            if usize::from(levels[place]) < last && hull.get(ahead) == Some(&(state + stride)) {
                (above[place], below[ahead]) = (ahead as u32, place as u32);
            }
        }
        let moves = (0..=last).map(|level| [chain.up(level), chain.stay(level), chain.down(level)]);
        Self { moves: moves.collect(), levels, above, below }
    }

    #[inline(always)]
    fn at(&self, place: usize, from: &[f64]) -> f64 {
        let [up, stay, down] = self.moves[usize::from(self.levels[place])];
        let (above, below) = (self.above[place] as usize, self.below[place] as usize);
        stay * from[place] + (up * from[above] + down * from[below])
    }
}

/// The chains on the given states.
pub(crate) struct Tube {
    hull: Vec<usize>,
    /// Positions of the given states in the hull.
    places: Vec<u32>,
    modes: Vec<Mode>,
    rounding: f64,
    weights: Option<Vec<f64>>,
    room: Mutex<[Vec<f64>; 2]>,
}

impl Tube {
    /// On these states, in ascending order, with detailed-balance weights if there are any.
    pub fn new(modes: &Modes, members: &[usize], weights: Option<Vec<f64>>) -> Self {
        let hull = modes.hull(members);
        let mut place = 0;
        let places = members.iter().map(|member| {
            while hull[place] < *member {
                place += 1;
            }
            place as u32
        });
        let places = places.collect();
        let room = Mutex::new([vec![0.0; hull.len() + 1], vec![0.0; hull.len() + 1]]);
        let rounding = modes.chains.iter().map(Operator::rounding).sum();
        let modes = (0..modes.count()).map(|mode| Mode::new(modes, mode, &hull)).collect();
        Self { hull, places, modes, rounding, weights: weights.and_then(usable), room }
    }

    /// The image on all of the hull, and its states.
    pub fn around(&self, v: &[f64]) -> (&[usize], Vec<f64>) {
        let mut image = vec![0.0; self.hull.len()];
        self.then(v, |last, from| fill(&mut image, |place| last.at(place, from)));
        (&self.hull, image)
    }

    /// Calls `finish` with the last mode and the result of the others.
    fn then(&self, v: &[f64], finish: impl FnOnce(&Mode, &[f64])) {
        let mut room = self.room.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let [from, to] = &mut *room;
        from.fill(0.0);
        self.places.iter().zip(v).for_each(|(place, v)| from[*place as usize] = *v);
        let Some((last, others)) = self.modes.split_last() else { return };
        let hull = self.hull.len();
        for mode in others {
            fill(&mut to[..hull], |place| mode.at(place, from));
            std::mem::swap(from, to);
        }
        finish(last, from);
    }
}

/// `out[i] = value(i)`.
fn fill(out: &mut [f64], value: impl Fn(usize) -> f64 + Sync) {
    parallel::fill(out, PART, &value);
}

impl Operator for Tube {
    fn states(&self) -> usize {
        self.places.len()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        let places = &self.places;
        self.then(v, |last, from| fill(out, |member| last.at(places[member] as usize, from)));
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The constant that is subtracted is also the value of the omitted states.
    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        self.weights.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Edge, Factor, Product};
    use proptest::prelude::*;

    proptest! {
        /// It equals the full product for functions that are 0 elsewhere.
        #[test]
        fn a_tube_is_the_product_on_its_members(
            levels in prop::collection::vec(2..6_usize, 1..5),
            marks in prop::collection::vec(0..6_u8, 700),
        ) {
            let chain = |(k, &n): (usize, &usize)| {
                BirthDeath::walk(n, 0.1 + 0.05 * k as f64, 0.3, Edge::Reflect).unwrap()
            };
            let chains: Vec<BirthDeath> = levels.iter().enumerate().map(chain).collect();
            let all: usize = levels.iter().product();
            let members: Vec<usize> = (0..all).filter(|&s| marks[s] == 0).collect();
            let modes = Modes::new(chains.clone());
            let tube = Tube::new(&modes, &members, None);
            let values: Vec<f64> = members.iter().map(|s| 1.0 + (*s as f64).sin()).collect();
            let (mut v, mut whole) = (vec![0.0; all], vec![0.0; all]);
            members.iter().zip(&values).for_each(|(s, x)| v[*s] = *x);
            let product = Product::new(chains.into_iter().map(Factor::BirthDeath).collect()).unwrap();
            product.apply_into(&v, &mut whole);
            let mut own = vec![0.0; members.len()];
            tube.apply_into(&values, &mut own);
            for (s, x) in members.iter().zip(&own) {
                prop_assert!((x - whole[*s]).abs() <= 1e-14);
            }
            let (hull, image) = tube.around(&values);
            let mut left = whole.clone();
            for (s, x) in hull.iter().zip(&image) {
                prop_assert!((x - whole[*s]).abs() <= 1e-14);
                left[*s] = 0.0;
            }
            prop_assert!(left.iter().all(|x| *x == 0.0));
            prop_assert!(hull.is_sorted_by(|a, b| a < b));
        }
    }
}
