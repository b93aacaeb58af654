//! Load vectors and their states, in the row-major list of all load vectors.

use super::states::{Kind, each_level, from_levels};
use crate::parallel;
use crate::stopping::States;

/// Vectors processed by a thread at a time.
const CHUNK: usize = 1 << 12;

impl States {
    /// The row-major index of these loads among all load vectors; `None` if it overflows.
    pub fn place(&self, loads: &[i64]) -> Option<u128> {
        match &self.0 {
            Kind::Active { all, .. } => all.place(loads),
            Kind::Listed(_) => self.find(loads).map(|state| state as u128),
            Kind::Groups { lowest, shape, .. } => {
                let levels = each_level(loads, lowest, shape)?;
                levels.iter().zip(shape).try_fold(0u128, |place, (&level, &n)| {
                    place.checked_mul(n as u128)?.checked_add(level as u128)
                })
            }
        }
    }

    /// The load vector with this row-major index.
    pub fn vector(&self, place: usize) -> Vec<i64> {
        match &self.0 {
            Kind::Active { all, .. } => all.vector(place),
            Kind::Listed(listed) => listed.loads(place).to_vec(),
            Kind::Groups { lowest, shape, .. } => {
                let (mut loads, mut rest) = (lowest.clone(), place);
                for (load, levels) in loads.iter_mut().zip(shape).rev() {
                    *load += (rest % levels) as i64;
                    rest /= levels;
                }
                loads
            }
        }
    }

    /// The state of each load vector of the row-major list; `None` for those outside an
    /// [active](Self::is_active) region. O(r log r) time per vector of r processes, and memory for
    /// all [`vectors`](Self::vectors).
    pub fn by_place(&self) -> Vec<Option<usize>> {
        match &self.0 {
            Kind::Listed(listed) => (0..listed.count()).map(Some).collect(),
            Kind::Active { all, members } => {
                let mut states = vec![None; all.count()];
                members.iter().zip(0..).for_each(|(member, state)| states[*member] = Some(state));
                all.by_place().into_iter().map(|state| states[state?]).collect()
            }
            Kind::Groups { groups, shape, .. } => {
                let mut states = vec![None; self.vectors().unwrap_or(0)];
                parallel::pieces(&mut states, CHUNK, &|chunk, states| {
                    let mut levels = vec![0; shape.len()];
                    let mut rest = chunk * CHUNK;
                    for (level, &all) in levels.iter_mut().zip(shape).rev() {
                        (*level, rest) = (rest % all, rest / all);
                    }
                    let mut sorted = Vec::with_capacity(shape.len());
                    for state in states {
                        *state = Some(from_levels(groups, &levels, &mut sorted));
                        for (level, &all) in levels.iter_mut().zip(shape).rev() {
                            *level += 1;
                            if *level < all {
                                break;
                            }
                            *level = 0;
                        }
                    }
                });
                states
            }
        }
    }
}
