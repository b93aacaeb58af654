//! A grid of beliefs, and the grid points that surround any belief.
//!
//! A point is a list of nonnegative integers, one for each phase, whose sum is the resolution; it
//! stands for the belief with these shares. Freudenthal's triangulation of the sums from the last
//! phase on gives the surrounding points of any belief: all sums are rounded down, then one after
//! the other up.

use crate::core::budget::Refusal;
use std::collections::HashMap;

/// All points of the grid.
pub struct Points {
    resolution: u32,
    /// The points.
    pub list: Vec<Vec<u32>>,
    places: HashMap<Vec<u32>, usize>,
}

impl Points {
    /// The grid for `phases` phases in steps of one over the resolution; refused if it has more
    /// than `most` points.
    pub fn new(phases: usize, resolution: u32, most: usize) -> Result<Points, Refusal> {
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
    pub fn around(&self, masses: &[u64]) -> Result<Vec<(usize, u64)>, Refusal> {
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
