//! Cost of the remap branch, and a test for states in which a remap is certain to be optimal.
//!
//! A remap leads to a state that depends on the total t alone: its cost-to-go is C + B(t). Suppose
//! the program remaps at the decision after the next move wherever r (max - mean) > e. Let x have r
//! (max - mean) > a, with `a` so large that no joint move leads back to e. Continuing from x then
//! costs exactly E u + C + E B_next(t'), which is at least
//!
//! ```text
//! (least expected cost of a step beyond a) + C + B_next(t)
//!     - (steepest decrease of B_next from t) E |t' - t|
//! ```
//!
//! Where that exceeds C + B(t) for every t, a remap is optimal in all states beyond `a`, and their
//! cost need not be computed. Near the end of the horizon remaps no longer pay; then the test fails
//! and every state is computed.

use crate::load_drift::state_space::transition::Reach;
use crate::load_drift::{LoadDrift, Objective, States, Timing};

/// The remap branch, as a function of the total load.
#[derive(Debug, Clone)]
pub struct Remapping {
    processors: usize,
    levels: usize,
    lowest: f64,
    objective: Objective,
    timing: Timing,
    reach: Reach,
    /// Ranks of the states that a remap leads to, and of the initial state, in ascending order.
    places: Vec<usize>,
    /// By total: indices into `places` that a remap leads to, with probabilities.
    targets: Vec<Vec<(f64, usize)>>,
    /// Index of the initial state in `places`.
    start: usize,
    /// Expected value, work and number of remaps after a remap, including its own cost.
    costs: Vec<Vec<f64>>,
    remap_cost: f64,
}

/// Relative margin by which continuing must be worse for a remap to be certain. It exceeds the
/// rounding of the recursion unless there are very many steps.
const MARGIN: f64 = 1e-9;

impl Remapping {
    pub(in crate::load_drift) fn new(problem: &LoadDrift, states: &States) -> Remapping {
        let rank = |sorted: &[usize]| states.multisets().rank(sorted);
        let target = |total| problem.balanced(total).into_iter();
        let totals = 0..states.distinct_totals();
        let start = rank(&vec![problem.initial; problem.processors]);
        let mut places = vec![start];
        places.extend(totals.clone().flat_map(target).map(|(_, sorted)| rank(&sorted)));
        places.sort_unstable();
        places.dedup();
        let place = |rank: usize| places.partition_point(|other| *other < rank);
        let target = |total| target(total).map(|(p, sorted)| (p, place(rank(&sorted)))).collect();
        Remapping {
            processors: problem.processors,
            levels: problem.chain.levels(),
            lowest: problem.lowest,
            objective: problem.objective,
            timing: problem.timing,
            reach: Reach::of(&problem.chain),
            targets: totals.map(target).collect(),
            start: place(start),
            places,
            costs: Vec::new(),
            remap_cost: problem.remap_cost,
        }
    }

    /// Ranks of the states whose cost-to-go is needed, in ascending order.
    pub(in crate::load_drift) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Index of the initial state among them.
    pub(in crate::load_drift) fn start(&self) -> usize {
        self.start
    }

    /// Expected cost of a remap from each total, including its own cost, for the cost-to-go `value`
    /// at the places.
    pub(in crate::load_drift) fn leads_to(&self, value: &[f64]) -> Vec<f64> {
        self.targets.iter().map(|to| self.remap_cost + expected(to, value)).collect()
    }

    /// Records the remap branch from value, work and number of remaps at the places.
    pub(in crate::load_drift) fn observe(&mut self, vectors: &[Vec<f64>], remap_cost: f64) {
        let own = [remap_cost, 0.0, 1.0];
        let table = |(vector, own): (&Vec<f64>, f64)| {
            self.targets.iter().map(|to| own + expected(to, vector)).collect()
        };
        self.costs = vectors.iter().zip(own).map(table).collect();
    }

    /// For each vector, the remap branch by total.
    pub(in crate::load_drift) fn costs(&self) -> &[Vec<f64>] {
        &self.costs
    }

    /// Largest change of r (max - mean) in one move.
    pub(in crate::load_drift) fn farthest(&self) -> u32 {
        (2 * (self.processors - 1) * self.reach.levels) as u32
    }

    /// For each total t, a limit `a` such that no move leads from r (max - mean) > `a` to a state
    /// that may continue. At total t' only states up to `certain[t']` may continue. The maximum
    /// falls by at most s levels; that moves one processor, while the others rise by s.
    pub(in crate::load_drift) fn reachable(&self, certain: &[u32]) -> Vec<u32> {
        let (r, s) = (self.processors, self.reach.levels);
        let fall = self.farthest();
        (0..certain.len())
            .map(|total| {
                let near = total.saturating_sub(r * s)..=(total + r * s).min(certain.len() - 1);
                let most = certain[near].iter().copied().max().unwrap_or(0);
                self.balanced_excess().max(most + fall)
            })
            .collect()
    }

    /// The largest r (max - mean) after a remap, or slightly more.
    pub(in crate::load_drift) fn balanced_excess(&self) -> u32 {
        self.processors as u32 - 1
    }

    /// For each total, a limit `a` such that a remap is optimal in every state where r (max - mean)
    /// exceeds `a`. This concerns the decision before the one last observed, provided that no move
    /// leads from there to a state that may continue. `value` is the cost-to-go at the places. It
    /// and the values last observed may have the error `rounding`, relative and absolute.
    pub(in crate::load_drift) fn certain_beyond(
        &self,
        value: &[f64],
        rounding: [f64; 2],
    ) -> Vec<u32> {
        let (r, s) = (self.processors, self.reach.levels);
        let next = &self.costs[0];
        let last = next.len() - 1;
        let full = ((r - 1) * (self.levels - 1)) as u32;
        let one = |total: usize| {
            let near = total.saturating_sub(r * s)..=(total + r * s).min(last);
            let fall = |to: usize| match total.abs_diff(to) {
                0 => 0.0,
                distance => (next[total] - next[to]) / distance as f64,
            };
            let steepest = near.map(fall).fold(0.0, f64::max);
            let least = next[total] - steepest * self.reach.total_distance(r);
            let remapped = self.remap_cost + expected(&self.targets[total], value);
            let size = least.abs().max(remapped.abs()).max(1.0);
            let lost = 2.0 * (rounding[0] * size.max(next[total]) + rounding[1]);
            let margin = (MARGIN * size).max(lost * (2.0 + self.reach.total_distance(r)));
            // The imbalance from which the next step alone compensates for the difference.
            let imbalance = remapped + margin - least - self.step_beyond_imbalance(total);
            let excess = (imbalance * r as f64).ceil().max(0.0);
            if excess < f64::from(full) { excess as u32 } else { full }
        };
        (0..=last).map(one).collect()
    }

    /// The largest r (max - mean) of any state with this total. Its maximum is at most L - 1, and
    /// at most the total.
    pub(in crate::load_drift) fn largest_excess(&self, total: usize) -> u32 {
        (self.processors * total.min(self.levels - 1) - total) as u32
    }

    /// Lower bound on the cost of the next step in a state with this total, minus its max - mean.
    /// For T2, also minus the cost of the step after a remap.
    fn step_beyond_imbalance(&self, total: usize) -> f64 {
        let relative = total as f64 / self.processors as f64;
        let mean = self.lowest + relative;
        match (self.objective, self.timing) {
            // E max' >= max + the drift of a processor that has the maximum.
            (Objective::Imbalance, Timing::AfterStep) => self.reach.drift.0 - self.reach.drift.1,
            (Objective::Makespan, Timing::AfterStep) => mean + self.reach.drift.0,
            // This step is paid after the remap. Rebalanced loads are all equal, or have the same
            // mean; they never exceed the mean rounded up.
            (_, Timing::BeforeStep) => relative - relative.ceil(),
        }
    }
}

fn expected(outcomes: &[(f64, usize)], values: &[f64]) -> f64 {
    outcomes.iter().map(|&(probability, place)| probability * values[place]).sum()
}
