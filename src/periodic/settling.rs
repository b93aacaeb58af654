//! Convergence bounds for the distribution of a chain's level, by coupling.

use super::LoadChain;

/// Probability of staying on a level that counts as zero.
const ROUNDING: f64 = 1e-15;

/// Relative rounding of a million steps.
const STEPS_ROUNDED: f64 = 1e-8;

/// The bound contracts if a row sum is below this somewhere, and nowhere above one.
const SHRINKS: f64 = 0.999;

/// Largest number of unit differences that are propagated separately.
const MOST_ALONE: usize = 1000;

/// A closed communicating class of levels: the chain does not leave it, and reaches all of its
/// levels again. If no level has a probability of staying, the class has period two.
///
/// Let `D(x)` be the difference of two distribution functions at level `x`. A step transforms it to
///
/// ```text
/// (1 - up[x] - down[x+1]) D(x) + up[x] D(x-1) + down[x+1] D(x+1),
/// ```
///
/// or, for period two and `x` of the parity taken after the step, `up[x+1] D(x-1) + down[x+1]
/// D(x+1)`. Initially no `|D(x)|` exceeds one. Where no factor is negative, propagating ones bounds
/// every `D`. The first factor above may be negative. Then its absolute value is used, if
/// propagated ones still contract. Otherwise each unit difference is propagated separately, and
/// absolute values are added. The sum of `|D|` is the Wasserstein distance of the two
/// distributions: the mean distance of levels under the best coupling.
struct Group {
    /// The factors of `D(x-1)`, `D(x)` and `D(x+1)`.
    factors: [Vec<f64>; 3],
    /// Propagated ones.
    apart: Vec<Vec<f64>>,
    /// Distance between consecutive levels in use.
    unit: f64,
}

impl Group {
    /// On these levels; for period two only those of one parity.
    fn new(
        chain: &LoadChain,
        levels: std::ops::RangeInclusive<usize>,
        parity: Option<usize>,
    ) -> Self {
        let (first, last) = (*levels.start(), *levels.end());
        let (up, down) = (&chain.up, &chain.down);
        if let Some(parity) = parity {
            let places = first..(last - 1).max(first);
            let factors = [
                places.clone().map(|x| up[x + 1]).collect(),
                vec![0.0; places.len()],
                places.clone().map(|x| down[x + 1]).collect(),
            ];
            let ones = places.map(|x| if x % 2 == parity { 1.0 } else { 0.0 }).collect();
            return Self { factors, apart: vec![ones], unit: 2.0 };
        }
        let same = |x: usize| 1.0 - up[x] - down[x + 1];
        // Row sum at `x`, with the absolute value of a negative factor.
        let of_ones = |x: usize| {
            let below = if x > first { up[x] } else { 0.0 };
            let above = if x + 1 < last { down[x + 1] } else { 0.0 };
            same(x).abs() + below + above
        };
        let monotone = (first..last).all(|x| same(x) >= -ROUNDING);
        let shrinks = (first..last).all(|x| of_ones(x) <= 1.0 + ROUNDING)
            && (first..last).any(|x| of_ones(x) < SHRINKS);
        let together = monotone || shrinks || last - first > MOST_ALONE;
        let factor = |x: usize| if together { same(x).abs() } else { same(x) };
        let factors = [
            up[first..last].to_vec(),
            (first..last).map(factor).collect(),
            down[first + 1..=last].to_vec(),
        ];
        let length = last - first;
        let one = |x: usize| {
            let mut ones = vec![0.0; length];
            ones[x] = 1.0;
            ones
        };
        let apart = match together {
            true => vec![vec![1.0; length]],
            false => (0..length).map(one).collect(),
        };
        Self { factors, apart, unit: 1.0 }
    }

    /// Advances one step and returns a bound on the distance of any two distributions.
    fn step(&mut self) -> f64 {
        let mut sum = 0.0;
        let [below, same, above] = &self.factors;
        for apart in &mut self.apart {
            let mut next: Vec<f64> = same.iter().zip(&*apart).map(|(p, d)| p * d).collect();
            for ((next, p), d) in next.iter_mut().zip(below).skip(1).zip(&*apart) {
                *next += p * d;
            }
            for ((next, p), d) in next.iter_mut().zip(above).zip(apart.iter().skip(1)) {
                *next += p * d;
            }
            // No difference exceeds one.
            *apart = next.into_iter().map(|d| d.clamp(-1.0, 1.0)).collect();
            sum += apart.iter().map(|d| d.abs()).sum::<f64>();
        }
        (1.0 + STEPS_ROUNDED) * self.unit * sum
    }
}

/// Convergence of a chain to its closed classes.
///
/// The distribution after `s + n` steps is a mixture of those after `n` steps from the levels
/// possible after `s`. From the levels of a class they are at most `D(n)` apart ([`Group`]). The
/// probability of a class at times of one parity only grows, by at most `tau(s)`, the probability
/// outside all classes. So no distribution at `s + n` or later, at the same parity of time, is
/// farther from that at `s + n` than `tau(s)` times the number of levels, plus `D(n)`. Here `s = 0`
/// if the start is in a class; otherwise `n` is half of all steps. There is at most one class at
/// either end of the reachable levels.
pub(super) struct Settling<'a> {
    chain: &'a LoadChain,
    groups: Vec<Group>,
    /// The distribution from the start, and the levels in no class, while that matters.
    passing: Option<(Vec<f64>, Vec<usize>)>,
    /// `tau(s)` and `D(n)` so far.
    history: Vec<(f64, f64)>,
    /// 1, or 2 if levels alternate in parity.
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
        // A class is closed if it cannot be left upward from its end, or downward from its first
        // level.
        let mut closed = Vec::new();
        if end == highest || up[end] == 0.0 {
            closed.push(lowest..=end);
        }
        if first > lowest && down[first] == 0.0 {
            closed.push(first..=highest);
        }
        if let Some(own) = closed.iter().find(|levels| levels.contains(&start)) {
            closed = vec![own.clone()];
        }
        let stays = |level: usize| 1.0 - up[level] - down[level] > ROUNDING;
        let (mut groups, mut period) = (Vec::new(), 1);
        for levels in closed.iter().cloned() {
            if levels.clone().any(stays) {
                groups.push(Group::new(chain, levels, None));
                continue;
            }
            period = 2;
            // From a start inside, even times have only levels of its own parity.
            let parities = if levels.contains(&start) { vec![start % 2] } else { vec![0, 1] };
            groups.extend(parities.iter().map(|p| Group::new(chain, levels.clone(), Some(*p))));
        }
        let inside = |level: &usize| closed.iter().any(|levels| levels.contains(level));
        let passing = (!inside(&start)).then(|| {
            (chain.point(start), (lowest..=highest).filter(|level| !inside(level)).collect())
        });
        Self { chain, groups, passing, history: vec![(1.0, up.len() as f64)], period }
    }

    /// Advances one step and returns a bound on the distance ([`apart`]) between the present
    /// distribution and any later one at the same parity of time.
    pub(super) fn step(&mut self) -> f64 {
        let farthest = self.groups.iter_mut().map(Group::step).fold(0.0, f64::max);
        let Some((law, outside)) = &mut self.passing else { return farthest };
        *law = self.chain.step(law);
        let left: f64 = outside.iter().map(|&level| law[level]).sum();
        self.history.push((left, farthest));
        let steps = self.history.len() - 1;
        let half = steps / 2;
        self.history[steps - half].0 * law.len() as f64 + self.history[half].1
    }
}

/// Wasserstein distance of two distributions of the level.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let (mut ahead, mut sum) = (0.0_f64, 0.0);
    for (p, q) in a.iter().zip(b) {
        ahead += p - q;
        sum += ahead.abs();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(levels: usize, up: f64, down: f64, inward: bool) -> LoadChain {
        let mut chain = LoadChain { up: vec![up; levels], down: vec![down; levels] };
        let last = levels - 1;
        (chain.up[last], chain.down[0]) = (0.0, 0.0);
        if inward {
            chain.up[0] += down;
            chain.down[last] += up;
        }
        chain
    }

    /// Chains of period two, swaps of neighbors, chains with two closed classes, and walks.
    fn chains() -> Vec<LoadChain> {
        let lists = [
            (vec![1.0, 0.5, 0.5, 0.0], vec![0.0, 0.5, 0.5, 1.0]),
            (vec![1.0, 0.0], vec![0.0, 1.0]),
            (vec![0.0, 0.5, 0.5, 0.5, 0.0], vec![0.0, 0.5, 0.5, 0.5, 0.0]),
            (vec![1.0, 0.0, 0.3, 0.4, 0.0], vec![0.0, 1.0, 0.4, 0.3, 0.5]),
            (vec![0.2, 0.4, 0.3, 0.0], vec![0.0, 0.0, 0.0, 0.0]),
            (vec![1.0, 0.0, 0.5, 0.5, 1.0, 0.0], vec![0.0, 1.0, 0.5, 0.5, 0.0, 1.0]),
            (vec![0.9, 0.1, 0.8, 0.1, 0.9, 0.0], vec![0.0, 0.85, 0.1, 0.9, 0.1, 0.9]),
        ];
        let lists = lists.into_iter().map(|(up, down)| LoadChain { up, down });
        lists.chain([walk(7, 0.4, 0.5, true), walk(9, 0.3, 0.2, false)]).collect()
    }

    /// Later distributions stay within the bound.
    #[test]
    fn later_laws_stay_within_what_is_said() {
        for chain in chains() {
            for start in 0..chain.up.len() {
                let mut settling = Settling::new(&chain, start);
                let step = |law: &Vec<f64>| Some(chain.step(law));
                let laws = std::iter::successors(Some(chain.point(start)), step).take(600);
                let laws: Vec<Vec<f64>> = laws.collect();
                let mut said = 1.0;
                for time in 1..300 {
                    said = settling.step();
                    let later = laws[time..].iter().step_by(settling.period as usize);
                    let moved = later.map(|law| apart(law, &laws[time])).fold(0.0, f64::max);
                    assert!(
                        moved <= said + 1e-14,
                        "{chain:?} from {start}, {time}: {moved} {said}"
                    );
                }
                assert!(said < 1e-3, "{chain:?} from {start}: {said}");
            }
        }
    }

    /// One difference suffices unless neighbors nearly always swap.
    #[test]
    fn one_difference_is_enough_for_walks() {
        for (up, down, inward) in
            [(0.25, 0.25, false), (0.4, 0.5, true), (0.5, 0.5, true), (0.01, 0.001, true)]
        {
            let chain = walk(30, up, down, inward);
            let settling = Settling::new(&chain, 3);
            let differences: usize = settling.groups.iter().map(|group| group.apart.len()).sum();
            assert_eq!(differences, 1, "{up} {down}");
        }
    }

    /// The bound of a chain that has almost converged falls below the rounding of its distribution.
    #[test]
    fn what_is_said_falls_below_rounding() {
        let chain = walk(20, 0.25, 0.2, false);
        let mut settling = Settling::new(&chain, 3);
        let said = (0..10_000).map(|_| settling.step()).last().unwrap();
        assert!(said < 1e-30, "{said}");
    }
}
