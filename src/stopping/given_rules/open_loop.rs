//! Cost of open-loop policies, which ignore the loads: remap every n steps, or never. An upper
//! bound on the best average that needs only the distributions of single processes.
//!
//! Between remaps independent processes have independent loads. So the expected cost of a step
//! follows from the distribution of each process:
//!
//! ```text
//! E max x = x_0 + integral over t >= x_0 of 1 - product of P(x_i <= t),   x_0 the least load
//! ```
//!
//! After a remap the loads are an even split of some total; the most expensive total counts. Cost
//! per step: O(splits x loads x processes) plus one transition of each process from each level.

use crate::Observer;
use crate::chain::{Operator, ProcessChain, ROW_SUM_TOLERANCE};
use crate::imbalance::{Imbalance, RunningCost};
use crate::parallel;
use crate::stopping::Process;
use rayon::prelude::*;

/// Most numbers in the distributions of all processes from all levels.
const MOST_KEPT: usize = 10_000_000;

/// Limit on products of probabilities.
const WORK: usize = 1_000_000_000;

/// Intervals are doubled as long as the best of them improves the best so far by this factor.
const LITTLE: f64 = 0.98;

/// Independent processes.
pub struct Blind<'a> {
    processes: &'a [Process],
    imbalance: &'a Imbalance,
    /// Distinct scaled loads in ascending order, with the number of levels of each process at or
    /// below.
    reach: Vec<(f64, Vec<usize>)>,
    /// The greatest absolute scaled load.
    largest: f64,
}

/// The distributions of one process.
struct Laws {
    rows: Vec<Vec<(usize, f64)>>,
    /// `laws[l][x]`: probability of level x after some steps from level l.
    laws: Vec<Vec<f64>>,
}

impl<'a> Blind<'a> {
    /// The processes on the processors of the running cost.
    ///
    /// # Panics
    /// Unless there is one process for each processor.
    pub fn new(processes: &'a [Process], imbalance: &'a Imbalance) -> Blind<'a> {
        assert_eq!(processes.len(), imbalance.processes());
        let mut all: Vec<(f64, usize)> = Vec::new();
        for (i, process) in processes.iter().enumerate() {
            let [scale, _] = imbalance.scales(i);
            let scaled = |level| (process.lowest + level as i64) as f64 * scale;
            all.extend((0..process.chain.levels()).map(|level| (scaled(level), i)));
        }
        all.par_sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut known = vec![0; processes.len()];
        let mut reach = Vec::new();
        for equal in all.chunk_by(|a, b| a.0 == b.0) {
            equal.iter().for_each(|(_, process)| known[*process] += 1);
            reach.push((equal[0].0, known.clone()));
        }
        let ends = [reach.first(), reach.last()];
        let largest = ends.iter().flatten().map(|(x, _)| x.abs()).fold(0.0, f64::max);
        Blind { processes, imbalance, reach, largest }
    }

    /// An upper bound on the average cost per step without remaps; `None` unless it is known and
    /// the same from all loads.
    pub fn never(&self) -> Option<f64> {
        let (mut resting, mut laws) = (0, Vec::new());
        for process in self.processes {
            let ProcessChain::BirthDeath(chain) = &process.chain else { return None };
            let levels = chain.levels();
            let linked = (1..levels).all(|l| chain.up(l - 1) > 0.0 && chain.down(l) > 0.0);
            let weights = chain.reversing_weights().filter(|_| linked)?;
            let total: f64 = weights.iter().sum();
            laws.push(weights.iter().map(|w| w / total).collect::<Vec<f64>>());
            resting += usize::from((0..levels).any(|level| chain.stay(level) > 0.0));
        }
        // With two processes that move in every step, the average may depend on the initial loads
        // (parity).
        let laws: Vec<&[f64]> = laws.iter().map(Vec::as_slice).collect();
        let most = self.processes.iter().map(|p| p.chain.levels()).max()?;
        (resting + 1 >= laws.len()).then(|| self.expected(&laws, 5.0 * most as f64))
    }

    /// The best interval between remaps and an upper bound on its average cost per step, if a remap
    /// costs at most `remap_cost`.
    pub fn every(&self, remap_cost: f64, observer: &dyn Observer) -> (u64, f64) {
        let lowest: Vec<i64> = self.processes.iter().map(|p| p.lowest).collect();
        let highest: Vec<i64> = self.processes.iter().map(Process::highest).collect();
        let splits = self.imbalance.splits_within(&lowest, &highest);
        let slack = 1.0 + 64.0 * f64::EPSILON;
        let mut spent: Vec<f64> = splits.iter().map(|loads| self.imbalance.cost(loads)).collect();
        let average = |spent: &[f64], n: u64| {
            let dearest = spent.iter().copied().fold(0.0, f64::max);
            (remap_cost + dearest) / n as f64 * (1.0 + n as f64 * f64::EPSILON) * slack
        };
        let mut best = (1, average(&spent, 1));
        let kept: usize = self.processes.iter().map(|p| p.chain.levels().pow(2)).sum();
        if kept > MOST_KEPT {
            return best;
        }
        let (mut kinds, mut of): (Vec<&Process>, Vec<usize>) = (Vec::new(), Vec::new());
        for process in self.processes {
            let known = kinds.iter().position(|kind| kind.chain == process.chain);
            of.push(known.unwrap_or(kinds.len()));
            if known.is_none() {
                kinds.push(process);
            }
        }
        let mut laws: Vec<Laws> = kinds.iter().map(|kind| Laws::new(&kind.chain)).collect();
        let longest = laws.iter().flat_map(|own| &own.rows).map(Vec::len).max().unwrap_or(0);
        let levels = self.processes.iter().map(|p| p.chain.levels()).max().unwrap_or(0);
        let moves: usize = laws.iter().map(Laws::work).sum();
        let mut before = f64::INFINITY;
        let each = moves + splits.len() * self.reach.len() * self.processes.len();
        for n in 2..=(WORK / each.max(1)) as u64 {
            laws.iter_mut().for_each(Laws::advance);
            let terms = n as f64 * (longest + 2) as f64 + levels as f64;
            parallel::pieces(&mut spent, 1, &|index, spent| {
                let own = splits[index].iter().zip(&lowest).zip(&of);
                let own =
                    own.map(|((load, low), kind)| &laws[*kind].laws[(load - low) as usize][..]);
                spent[0] += self.expected(&own.collect::<Vec<_>>(), terms) + self.missing(n);
            });
            let now = average(&spent, n);
            if now < best.1 {
                best = (n, now);
            }
            // If remaps do not pay, longer intervals converge to never remapping.
            let hardly =
                n.is_power_of_two() && best.1 > LITTLE * std::mem::replace(&mut before, best.1);
            if n > 2 * best.0 || hardly || observer.check().is_break() {
                break;
            }
        }
        best
    }

    /// Bound on the effect of row sums that differ from 1 on the cost of the n-th step.
    fn missing(&self, n: u64) -> f64 {
        let dense = self.processes.iter().any(|p| matches!(p.chain, ProcessChain::Dense(_)));
        let each = if dense { 4.0 * ROW_SUM_TOLERANCE } else { 0.0 };
        each * n as f64 * self.processes.len() as f64 * 2.0 * self.largest
    }

    /// An upper bound on the expected cost of loads with these distributions, whose entries are
    /// sums of `terms` terms.
    fn expected(&self, laws: &[&[f64]], terms: f64) -> f64 {
        let r = laws.len() as f64;
        let slack = 8.0 * f64::EPSILON * r * (terms + self.reach.len() as f64 + r);
        let moments = laws.iter().zip(self.processes).map(|(law, process)| {
            let load = |level: usize| (process.lowest + level as i64) as f64;
            let each = law.iter().enumerate();
            let mean: f64 = each.clone().map(|(level, p)| p * load(level)).sum();
            (mean, each.map(|(level, p)| p * (load(level) - mean).powi(2)).sum::<f64>())
        });
        let moments: Vec<(f64, f64)> = moments.collect();
        let scales = |i: usize| self.imbalance.scales(i);
        let mean: f64 = moments.iter().enumerate().map(|(i, (m, _))| m * scales(i)[1]).sum();
        if self.imbalance.kind() == RunningCost::MaxMinusMean {
            return (self.largest_load(laws) - mean) + slack * self.largest;
        }
        // By Jensen's inequality at most the root of the mean sum of squared deviations.
        let share = |i: usize| scales(i)[1].powi(2) * moments[i].1;
        let others: f64 = (0..laws.len()).map(share).sum();
        let square = |(i, (own, variance)): (usize, &(f64, f64))| {
            let [scale, part] = scales(i);
            (own * scale - mean).powi(2) + (scale - part).powi(2) * variance + others - share(i)
        };
        let sum: f64 = moments.iter().enumerate().map(square).sum();
        (sum + slack * self.largest.powi(2) * slack).sqrt() * (1.0 + slack) + slack * self.largest
    }

    /// The expected largest scaled load.
    fn largest_load(&self, laws: &[&[f64]]) -> f64 {
        let mut below: Vec<f64> = vec![0.0; laws.len()];
        let mut counted = vec![0; laws.len()];
        let mut largest = self.reach[0].0;
        for pair in self.reach.windows(2) {
            let [(x, known), (next, _)] = pair else { unreachable!("two at a time") };
            for (i, law) in laws.iter().enumerate() {
                while counted[i] < known[i] {
                    below[i] += law[counted[i]];
                    counted[i] += 1;
                }
            }
            largest += (next - x) * (1.0 - below.iter().product::<f64>()).max(0.0);
        }
        largest
    }
}

impl Laws {
    fn new(chain: &ProcessChain) -> Laws {
        let sparse =
            |row: Vec<f64>| row.into_iter().enumerate().filter(|(_, p)| *p > 0.0).collect();
        let rows: Vec<Vec<(usize, f64)>> = chain.rows().into_iter().map(sparse).collect();
        let levels = rows.len();
        let one = |level: usize| (0..levels).map(|x| f64::from(u8::from(x == level))).collect();
        Laws { rows, laws: (0..levels).map(one).collect() }
    }

    /// Multiplications of a step.
    fn work(&self) -> usize {
        self.rows.iter().map(Vec::len).sum::<usize>() * self.laws.len()
    }

    fn advance(&mut self) {
        let Laws { rows, laws } = self;
        let next = parallel::map_all(rows, &|row| {
            let mut law = vec![0.0; laws.len()];
            for (level, p) in row {
                law.iter_mut().zip(&laws[*level]).for_each(|(sum, q)| *sum += p * q);
            }
            law
        });
        *laws = next;
    }
}
