//! How far the law of a chain's level can still move.

use super::LoadChain;

/// Probability of staying on a level that counts as none.
const ROUNDING: f64 = 1e-15;

/// Levels that the chain, once on one of them, does not leave, and that are all reached again: at the same
/// parity of time where no level is ever stayed on.
struct Group {
    /// The laws after some steps from all of its levels.
    laws: Vec<Vec<f64>>,
    /// Index of the start's own law, if it is one of them.
    own: Option<usize>,
}

/// A chain on its way to where it stays.
///
/// The law after `s + n` steps is the mixture of those after `n` steps from the levels that the start may
/// be on after `s`. From the levels of a group they differ by `D(n)` at most in total variation. The
/// probability to be in a group at times of one parity only grows, by what is not in any yet, `tau(s)`, at
/// most. So no law at `s + n` or later, at the same parity of time, differs from that at `s + n` by more than
/// `tau(s) + D(n)`: with `s = 0` if the start is in a group, otherwise with `n` half of all steps. There is a group at
/// either end of the levels within reach at most.
pub(super) struct Settling<'a> {
    chain: &'a LoadChain,
    groups: Vec<Group>,
    /// The law of the start, and the levels that are in no group, while that matters.
    passing: Option<(Vec<f64>, Vec<usize>)>,
    /// `tau(s)` and `D(n)` so far.
    history: Vec<(f64, f64)>,
    /// 1, or 2 if levels are even and odd by turns.
    pub(super) period: u64,
}

impl<'a> Settling<'a> {
    pub(super) fn new(chain: &'a LoadChain, start: usize) -> Self {
        let (up, down) = (&chain.up, &chain.down);
        let lowest = (1..=start).rev().find(|&level| down[level] == 0.0);
        let lowest = lowest.unwrap_or(0);
        let highest = (start..up.len()).find(|&level| up[level] == 0.0).unwrap_or(up.len() - 1);
        let both = |level: usize| up[level] > 0.0 && down[level + 1] > 0.0;
        let end = (lowest..highest).find(|&level| !both(level)).unwrap_or(highest);
        let first = (lowest..highest).rev().find(|&level| !both(level)).map_or(lowest, |l| l + 1);
        // What can be left upward from its end, or downward from its first level, is.
        let mut closed = Vec::new();
        if end == highest || up[end] == 0.0 {
            closed.push(lowest..=end);
        }
        if first > lowest && down[first] == 0.0 {
            closed.push(first..=highest);
        }
        let point = |level: usize| {
            let mut law = vec![0.0; up.len()];
            law[level] = 1.0;
            law
        };
        let stays = |level: usize| 1.0 - up[level] - down[level] > ROUNDING;
        let (mut groups, mut period) = (Vec::new(), 1);
        for levels in &closed {
            let by_turns = !levels.clone().any(stays);
            let parities = if by_turns { 2 } else { 1 };
            period = period.max(parities as u64);
            let inside = levels.contains(&start);
            for parity in 0..parities {
                let of_group = |level: &usize| level.abs_diff(start) % parities == parity;
                let own = levels.clone().filter(of_group).position(|level| level == start);
                if inside && own.is_none() {
                    // The start is never there at even times.
                    continue;
                }
                let laws: Vec<_> = levels.clone().filter(of_group).map(point).collect();
                if !laws.is_empty() {
                    groups.push(Group { laws, own });
                }
            }
        }
        let outside: Vec<usize> = (lowest..=highest)
            .filter(|level| !closed.iter().any(|levels| levels.contains(level)))
            .collect();
        let passing = outside.contains(&start).then(|| (point(start), outside));
        Self { chain, groups, passing, history: vec![(1.0, 1.0)], period }
    }

    /// One step on, and the largest total variation between the law of the start and any later one at
    /// the same parity of time.
    pub(super) fn step(&mut self) -> f64 {
        let mut farthest = 0.0_f64;
        for Group { laws, own } in &mut self.groups {
            for law in laws.iter_mut() {
                *law = self.chain.step(law);
            }
            // By way of one of them, any two differ by twice as much.
            let centre = &laws[own.unwrap_or(0)];
            let factor = if own.is_some() { 1.0 } else { 2.0 };
            farthest =
                laws.iter().map(|law| factor * distance(law, centre)).fold(farthest, f64::max);
        }
        let Some((law, outside)) = &mut self.passing else { return farthest };
        *law = self.chain.step(law);
        let left: f64 = outside.iter().map(|&level| law[level]).sum();
        self.history.push((left, farthest));
        let steps = self.history.len() - 1;
        let half = steps / 2;
        self.history[steps - half].0 + self.history[half].1
    }
}

/// Total variation.
pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law never moves farther than was said: on chains with one end or two, with and without
    /// periods.
    #[test]
    fn later_laws_stay_within_what_is_said() {
        let chains = [
            (vec![1.0, 0.5, 0.5, 0.0], vec![0.0, 0.5, 0.5, 1.0]),
            (vec![0.0, 0.5, 0.5, 0.5, 0.0], vec![0.0, 0.5, 0.5, 0.5, 0.0]),
            (vec![1.0, 0.0, 0.3, 0.4, 0.0], vec![0.0, 1.0, 0.4, 0.3, 0.5]),
            (vec![0.2, 0.4, 0.3, 0.0], vec![0.0, 0.0, 0.0, 0.0]),
            (vec![1.0, 0.0, 0.5, 0.5, 1.0, 0.0], vec![0.0, 1.0, 0.5, 0.5, 0.0, 1.0]),
        ];
        for (up, down) in chains {
            let chain = LoadChain { up, down };
            for start in 0..chain.up.len() {
                let mut law = vec![0.0; chain.up.len()];
                law[start] = 1.0;
                let mut settling = Settling::new(&chain, start);
                let laws: Vec<Vec<f64>> =
                    std::iter::successors(Some(law), |law| Some(chain.step(law)))
                        .take(400)
                        .collect();
                let mut said = 1.0;
                for time in 1..200 {
                    said = settling.step();
                    let later = laws[time..].iter().step_by(settling.period as usize);
                    let moved = later.map(|law| distance(law, &laws[time])).fold(0.0, f64::max);
                    assert!(
                        moved <= said + 1e-14,
                        "{chain:?} from {start}, {time}: {moved} {said}"
                    );
                }
                assert!(said < 1e-3, "{chain:?} from {start}: {said}");
            }
        }
    }
}
