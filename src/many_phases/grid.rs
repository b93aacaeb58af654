//! Regular grids of beliefs and interpolation weights, by Freudenthal's triangulation (Lovejoy
//! 1991).
//!
//! A grid has C(resolution + phases - 1, phases - 1) points. Weights take O(phases log phases)
//! time.

use std::collections::HashMap;

/// All distributions on `phases` phases in multiples of 1 / resolution.
pub(super) struct Grid {
    resolution: u32,
    places: HashMap<Vec<u32>, usize>,
    pub(super) points: Vec<Vec<f64>>,
}

/// The number of points; `None` if it overflows.
pub(super) fn size(phases: usize, resolution: u32) -> Option<usize> {
    let mut count = 1usize;
    for k in 1..phases {
        count = count.checked_mul(resolution as usize + k)? / k;
    }
    Some(count)
}

impl Grid {
    pub(super) fn new(phases: usize, resolution: u32) -> Grid {
        let mut all = Vec::new();
        compositions(phases, resolution, &mut Vec::new(), &mut all);
        let even = |parts: &Vec<u32>| {
            parts.iter().map(|part| f64::from(*part) / f64::from(resolution)).collect()
        };
        let points = all.iter().map(even).collect();
        let places = all.into_iter().enumerate().map(|(place, parts)| (parts, place)).collect();
        Grid { resolution, places, points }
    }

    /// Index of the point at which phase z is certain.
    pub(super) fn corner(&self, phases: usize, z: usize) -> usize {
        let parts: Vec<u32> =
            (0..phases).map(|k| if k == z { self.resolution } else { 0 }).collect();
        self.places[&parts]
    }

    /// The vertices of the simplex that contains `belief`, with weights that sum to 1 and have
    /// `belief` as their mean.
    pub(super) fn around(&self, belief: &[f64]) -> Vec<(usize, f64)> {
        let (count, most) = (belief.len(), f64::from(self.resolution));
        // Tail sums in units of the grid; they are nonincreasing.
        let mut sums = vec![0.0; count];
        let mut sum = 0.0;
        for k in (1..count).rev() {
            sum = (sum + belief[k] * most).min(most);
            sums[k] = sum;
        }
        sums[0] = most;
        let floors: Vec<u32> = sums.iter().map(|x| x.floor() as u32).collect();
        let rest = |k: usize| sums[k] - f64::from(floors[k]);
        let mut order: Vec<usize> = (1..count).collect();
        order.sort_by(|a, b| rest(*b).total_cmp(&rest(*a)));
        let mut corner = floors.clone();
        let mut found = Vec::with_capacity(count);
        let mut before = 1.0;
        for k in order.iter().map(|k| Some(*k)).chain([None]) {
            let after = k.map_or(0.0, rest);
            let weight = before - after;
            if weight > 0.0 {
                let part = |k: usize| corner[k] - corner.get(k + 1).copied().unwrap_or(0);
                let parts: Vec<u32> = (0..count).map(part).collect();
                found.push((self.places[&parts], weight));
            }
            before = after;
            if let Some(k) = k {
                corner[k] += 1;
            }
        }
        found
    }
}

fn compositions(phases: usize, left: u32, parts: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
    if phases == 1 {
        parts.push(left);
        all.push(parts.clone());
        parts.pop();
        return;
    }
    for part in (0..=left).rev() {
        parts.push(part);
        compositions(phases - 1, left - part, parts, all);
        parts.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_around_have_the_belief_as_mean() {
        for (phases, resolution) in [(1, 4), (2, 7), (3, 5), (4, 3)] {
            let grid = Grid::new(phases, resolution);
            assert_eq!(Some(grid.points.len()), size(phases, resolution));
            for seed in 0..200u32 {
                let raw =
                    |k: usize| f64::from((seed * 7919 + k as u32 * 104_729 + seed * seed) % 97);
                let total: f64 = (0..phases).map(raw).sum::<f64>() + 1e-9;
                let belief: Vec<f64> =
                    (0..phases).map(|k| (raw(k) + 1e-9 / phases as f64) / total).collect();
                let around = grid.around(&belief);
                assert!((around.iter().map(|one| one.1).sum::<f64>() - 1.0).abs() < 1e-12);
                for (k, p) in belief.iter().enumerate() {
                    let mean: f64 = around.iter().map(|(at, w)| w * grid.points[*at][k]).sum();
                    assert!((mean - p).abs() < 1e-12, "{belief:?} {around:?}");
                    assert!(around.iter().all(|(at, _)| {
                        (grid.points[*at][k] - p).abs() <= 1.0 / f64::from(resolution) + 1e-12
                    }));
                }
            }
        }
    }
}
