//! A grid of beliefs, and the grid points that surround any belief.
//!
//! A point is a list of nonnegative integers, one for each phase, whose sum is the resolution; it
//! stands for the belief with these shares. Freudenthal's triangulation of the sums from the last
//! phase on gives the surrounding points of any belief: all sums are rounded down, then one after
//! the other up.

use crate::core::budget::Refusal;
use std::collections::HashMap;

/// All points of the grid.
pub(crate) struct Points {
    resolution: u32,
    pub(crate) list: Vec<Vec<u32>>,
    places: HashMap<Vec<u32>, usize>,
}

impl Points {
    /// The grid for `phases` phases in steps of one over the resolution; refused if it has more
    /// than `most` points.
    pub(crate) fn new(phases: usize, resolution: u32, most: usize) -> Result<Points, Refusal> {
        // C(resolution + phases - 1, phases - 1)
        let count = (1..phases)
            .try_fold(1usize, |all, k| Some(all.checked_mul(resolution as usize + k)? / k));
        count.filter(|count| *count <= most).ok_or(Refusal::TooLarge)?;
        let mut points = vec![Vec::new()];
        for phase in 0..phases {
            let grown = |point: &Vec<u32>| {
                let left = resolution - point.iter().sum::<u32>();
                let least = if phase + 1 == phases { left } else { 0 };
                let point = point.clone();
                (least..=left).map(move |share| [&point[..], &[share]].concat())
            };
            points = points.iter().flat_map(grown).collect();
        }
        let places = points.iter().cloned().enumerate().map(|(place, point)| (point, place));
        Ok(Points { resolution, places: places.collect(), list: points })
    }

    /// The index of the point at which phase z is certain.
    pub(crate) fn corner(&self, phases: usize, z: usize) -> Option<usize> {
        let point: Vec<u32> =
            (0..phases).map(|phase| if phase == z { self.resolution } else { 0 }).collect();
        self.places.get(&point).copied()
    }

    /// Points with integer weights. The weighted sum of their beliefs is exactly `masses`, and the
    /// weights have the same sum.
    pub(crate) fn around(&self, masses: &[u64]) -> Result<Vec<(usize, u64)>, Refusal> {
        let (all, most) = (masses.iter().sum::<u64>(), u128::from(self.resolution));
        if all == 0 {
            return Ok(Vec::new());
        }
        // Sums from the end in units of the grid: the integer parts, and the remainders in parts of
        // `all`.
        let sums = (0..masses.len()).map(|k| masses[k..].iter().sum::<u64>());
        let (mut whole, rest): (Vec<u32>, Vec<u64>) = sums
            .map(|sum| {
                let scaled = u128::from(sum) * most;
                ((scaled / u128::from(all)) as u32, (scaled % u128::from(all)) as u64)
            })
            .unzip();
        let mut order = Vec::from_iter(1..masses.len());
        order.sort_by_key(|k| std::cmp::Reverse(rest[*k]));
        let (mut found, mut before) = (Vec::with_capacity(masses.len()), all);
        for next in order.iter().map(Some).chain([None]) {
            let after = next.map_or(0, |k| rest[*k]);
            if before > after {
                let share = |k: usize| whole[k].checked_sub(*whole.get(k + 1).unwrap_or(&0));
                let point = (0..whole.len()).map(share).collect::<Option<Vec<u32>>>();
                let place = point.and_then(|point| self.places.get(&point).copied());
                found.push((place.ok_or(Refusal::Malformed)?, before - after));
            }
            before = after;
            next.into_iter().for_each(|k| whole[*k] += 1);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_around_sum_to_what_they_stand_for() {
        for (phases, resolution) in [(1, 4), (2, 7), (3, 5), (4, 3), (6, 4)] {
            let all = Points::new(phases, resolution, 1 << 20).unwrap();
            assert!(all.list.iter().all(|point| point.iter().sum::<u32>() == resolution));
            for seed in 0..500u64 {
                let raw = |k: usize| (seed * 7919 + k as u64 * 104_729 + seed * seed) % 97;
                let few = |k: usize| if seed % 3 == 0 { raw(k) % 4 } else { raw(k) << (seed % 50) };
                let masses: Vec<u64> = (0..phases).map(few).collect();
                let around = all.around(&masses).unwrap();
                assert!(around.len() <= phases);
                for (z, mass) in masses.iter().enumerate() {
                    let sum = around
                        .iter()
                        .map(|(at, weight)| u128::from(*weight) * u128::from(all.list[*at][z]));
                    assert_eq!(sum.sum::<u128>(), u128::from(*mass) * u128::from(resolution));
                }
            }
        }
        assert_eq!(Points::new(6, 1 << 12, 1 << 20).err(), Some(Refusal::TooLarge));
    }
}
