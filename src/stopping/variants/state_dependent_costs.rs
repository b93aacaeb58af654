//! Stopping with a state-dependent remap cost, over an infinite or a finite horizon: rho(w) of
//! \[YXW03, (9) and (11)\], J over \[0, N\] of (10) and (12).
//!
//! ```text
//! Stop:     J(s) = min(rho(s), psi(s) + (P J)(s)) where unbalanced, 0 where balanced;
//!           J_0 = 0, J_k = T J_(k-1)
//! Restart:  V_k(s) = min(g(s), rho(s) + g(b(s))),  g = psi + P V_(k-1),  V_0 = 0
//! ```
//!
//! with b(s) the state that a remap leads to. Value iteration from both sides: T is monotone, so
//! iterates from a lower (upper) bound stay lower (upper) bounds. Each sweep is rounded outward,
//! and the reported values lie between. Over a finite horizon both start at 0. J_k increases with
//! k, so a state that remaps with k steps remaining also remaps with more. A sweep takes one
//! application of P plus O(states).

use super::state_dependent_policy;
use crate::chain::Operator;
use crate::communicator::Standing;
use crate::imbalance::Imbalance;
use crate::stopping::state_space::exchange::unmoved;
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{
    AfterRemap, Decision, Problem, States, operator::vector, state_space::sharing,
};
use crate::{Communicator, Observer, Status};
use std::ops::ControlFlow;

/// A stopping problem with its own remap cost in each state.
pub struct Varying {
    /// The problem with the highest remap cost in all states.
    pub(in crate::stopping) problem: Problem,
    pub(in crate::stopping) costs: Vec<f64>,
    /// If the computation continues after a remap: whether a remap moves nothing, and the targets
    /// of remaps.
    back: Option<(Vec<bool>, Targets)>,
}

/// Accuracy and limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Greatest distance between the bounds on J, relative to max(1, the highest remap cost), for
    /// an infinite horizon.
    pub tolerance: f64,
    /// Most sweeps.
    pub sweeps: u64,
}

/// Bounds on J, and decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// Lower bounds on J, by state.
    pub lower: Vec<f64>,
    /// Upper bounds on J, by state.
    pub upper: Vec<f64>,
    /// The decision in each state; for a finite horizon, at the first step. Ties remap.
    pub decision: Vec<Decision>,
    /// Whether the bounds leave the decision, or the number in `remaps_from`, open.
    pub ties: Vec<bool>,
    /// For a finite horizon with `Stop`: the least number of remaining steps from which on the
    /// state remaps; `None` if it never does.
    pub remaps_from: Vec<Option<u64>>,
    /// For a finite horizon ended by a limit: the number of remaining steps to which the decisions
    /// and `remaps_from` refer. The bounds hold for all steps.
    pub known: Option<u64>,
    /// Applications of the transition operator.
    pub applications: u64,
    /// How the computation ended.
    pub status: Status,
}

impl Varied {
    /// Greatest distance between the bounds.
    pub fn width(&self) -> f64 {
        vector::maximum_of([&self.upper, &self.lower], |[upper, lower]| upper - lower)
    }

    /// The results of all ranks, on rank 0; `None` on others.
    pub fn collected(&self, communicator: &dyn Communicator) -> Option<Varied> {
        let all = |own: Vec<f64>| communicator.collect(&own).into_iter();
        let [lower, upper] = [&self.lower, &self.upper].map(|own| all(own.clone()).collect());
        let decisions = [Decision::Balanced, Decision::Remap, Decision::Continue];
        let places = self.decision.iter().map(|own| {
            let place = decisions.iter().position(|decision| decision == own);
            place.unwrap_or(0) as f64
        });
        let decision = all(places.collect()).map(|place| decisions[place as usize]).collect();
        let ties = self.ties.iter().map(|tie| f64::from(u8::from(*tie))).collect();
        let ties = all(ties).map(|tie| tie == 1.0).collect();
        // Step numbers begin with 1, so 0 can mean `None`.
        let from = self.remaps_from.iter().map(|from| from.unwrap_or(0) as f64).collect();
        let from = all(from).map(|from| (from > 0.0).then_some(from as u64)).collect();
        let Varied { known, applications, status, .. } = *self;
        let varied =
            Varied { lower, upper, decision, ties, remaps_from: from, known, applications, status };
        (communicator.rank() == 0).then_some(varied)
    }
}

/// The iterate and the action values of a sweep, rounded to one side.
struct Side {
    value: Vec<f64>,
    go: Vec<f64>,
    /// Cost of continuing in the states that remaps lead to.
    at_targets: Vec<f64>,
    /// 1 - slack for lower bounds, 1 + slack for upper ones.
    scale: f64,
}

impl Varying {
    /// The problem on `states` with transition operator `operator` and remap costs `costs[s]`. With
    /// `back` the computation continues from the state `back[s]` after a remap; otherwise it ends.
    ///
    /// # Panics
    /// Unless there is a finite, nonnegative cost for each state, and `operator` and `back` have as
    /// many states.
    pub fn new(
        states: &States,
        operator: Box<dyn Operator>,
        imbalance: &Imbalance,
        costs: Vec<f64>,
        back: Option<Vec<usize>>,
    ) -> Varying {
        assert_eq!(operator.states(), states.count());
        let running = states.tabulate(|loads| imbalance.cost(loads));
        let dearest = costs.iter().copied().fold(0.0, f64::max);
        let problem = Problem::posed(states, operator, running, dearest, AfterRemap::Stop);
        Varying::of(problem, costs, (states, imbalance, back))
    }

    /// The same from a problem that a remap ends, with the highest cost as its remap cost. If
    /// several ranks solve it together, sweeps are bitwise equal. `costs` and `back` are those of
    /// the own states; `back` is numbered among all states.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn of(
        problem: Problem,
        costs: Vec<f64>,
        (states, imbalance, back): (&States, &Imbalance, Option<Vec<usize>>),
    ) -> Varying {
        let n = problem.states();
        assert!(costs.len() == n && costs.iter().all(|cost| cost.is_finite() && *cost >= 0.0));
        assert!(back.as_ref().is_none_or(|back| back.len() == n));
        let back = back.map(|back| {
            let still = unmoved(states, imbalance, (sharing::first(&problem.shared), &back));
            (still, Targets::new(&problem.shared, &back))
        });
        Varying { problem, costs, back }
    }

    /// Where `cut` is not 0, J is set to `value`, which is at most the remap cost there.
    pub(in crate::stopping) fn ends_at(&mut self, cut: &[f64], value: f64) {
        for s in (0..cut.len()).filter(|&s| cut[s] > 0.0) {
            (self.problem.running[s], self.costs[s]) = (value, value);
        }
    }

    /// The running cost of each state.
    pub fn running(&self) -> &[f64] {
        &self.problem.running
    }

    /// Solves the problem over an infinite horizon, as posed by [`new`](Self::new) without `back`.
    ///
    /// # Panics
    /// With `back`: the total cost is unbounded.
    pub fn solve(&self, limits: &Limits, observer: &dyn Observer) -> Varied {
        assert!(self.back.is_none(), "a computation that goes on without end has no cost in all");
        let [largest] = self.problem.largest([self.costs.iter().copied().fold(1.0, f64::max)]);
        let start = state_dependent_policy::bounds(self, limits, observer);
        let [mut below, mut above] = self.sides(start.lower, start.upper);
        let mut sweeps = 0;
        let earlier = sharing::resume(&self.problem.shared).unwrap_or_default();
        if let ([done], [low, high]) = (&earlier.words[..], &earlier.vectors[..]) {
            sweeps = *done;
            below.value.copy_from_slice(low);
            above.value.copy_from_slice(high);
        }
        let status = loop {
            let rises = self.sweep(&mut below, |old, new| if new > old { new } else { old });
            let falls = self.sweep(&mut above, |old, new| if new < old { new } else { old });
            let [changes] = self.problem.largest([if rises || falls { 1.0 } else { 0.0 }]);
            sweeps += 1;
            let width = vector::maximum_of([&above.value, &below.value], |[high, low]| high - low);
            let [width] = self.problem.largest([width]);
            if width <= limits.tolerance * largest {
                break Status::Converged;
            }
            // Without any change, the remaining distance is due to rounding.
            if sweeps >= limits.sweeps || changes == 0.0 {
                break Status::IterationLimit;
            }
            let halt = observer.progress(sweeps, limits.sweeps);
            let standing = || Standing {
                words: vec![sweeps],
                vectors: vec![below.value[..].into(), above.value[..].into()],
            };
            sharing::save(&self.problem.shared, &standing, halt.is_break());
            if let ControlFlow::Break(halt) = halt {
                break halt.into();
            }
        };
        // Action values at the reported bounds.
        self.sweep(&mut below, |old, _| old);
        self.sweep(&mut above, |old, _| old);
        let mut found = self.found(below, above, Vec::new(), sweeps + 1, status);
        found.applications += start.applications;
        found
    }

    /// Solves the problem over `steps` >= 1 steps. A limit that ends it leaves the decisions for
    /// fewer steps, and bounds for all: each step adds at most the greatest J of one step.
    pub fn solve_steps(&self, steps: u64, limits: &Limits, observer: &dyn Observer) -> Varied {
        let n = self.problem.running.len();
        let [mut below, mut above] = self.sides(vec![0.0; n], vec![0.0; n]);
        let mut from = vec![[None; 2]; if self.back.is_none() { n } else { 0 }];
        let (mut sweeps, mut one) = (0, 0.0);
        let earlier = sharing::resume(&self.problem.shared).unwrap_or_default();
        if let ([done, first], [low, high, found @ ..]) = (&earlier.words[..], &earlier.vectors[..])
        {
            (sweeps, one) = (*done, f64::from_bits(*first));
            below.value.copy_from_slice(low);
            above.value.copy_from_slice(high);
            for (bound, found) in found.iter().enumerate() {
                // Step numbers begin with 1, so 0 means `None`.
                let steps = |x: f64| (x > 0.0).then_some(x as u64);
                from.iter_mut().zip(&found[..]).for_each(|(from, x)| from[bound] = steps(*x));
            }
        }
        let status = loop {
            let old = [below.value.clone(), above.value.clone()];
            self.sweep(&mut below, |_, new| new);
            self.sweep(&mut above, |_, new| new);
            sweeps += 1;
            if sweeps == 1 {
                let largest = above.value.iter().copied().fold(0.0, f64::max);
                [one] = self.problem.largest([largest]);
            }
            for (s, first) in
                from.iter_mut().enumerate().filter(|(s, _)| self.problem.running[*s] > 0.0)
            {
                for (first, go) in first.iter_mut().zip([above.go[s], below.go[s]]) {
                    if first.is_none() && self.costs[s] <= go {
                        *first = Some(sweeps);
                    }
                }
            }
            // An iterate that does not change is the fixed point.
            let [old_below, old_above] = &old;
            let changes = *old_below != below.value || *old_above != above.value;
            let [changes] = self.problem.largest([if changes { 1.0 } else { 0.0 }]);
            if sweeps == steps || self.back.is_none() && changes == 0.0 {
                break Status::Converged;
            }
            if sweeps >= limits.sweeps {
                break Status::IterationLimit;
            }
            let halt = observer.progress(sweeps, steps);
            let standing = || {
                let mut vectors = vec![below.value[..].into(), above.value[..].into()];
                for bound in [0, 1] {
                    let first = from.iter().map(|from| from[bound].unwrap_or(0) as f64);
                    vectors.push(first.collect::<Vec<f64>>().into());
                }
                Standing { words: vec![sweeps, one.to_bits()], vectors }
            };
            sharing::save(&self.problem.shared, &standing, halt.is_break());
            if let ControlFlow::Break(halt) = halt {
                break halt.into();
            }
        };
        let mut found = self.found(below, above, from, sweeps, status);
        if status != Status::Converged {
            found.known = Some(sweeps);
            let more = (steps - sweeps) as f64 * one * (1.0 + f64::EPSILON);
            for (s, upper) in found.upper.iter_mut().enumerate() {
                if found.decision[s] == Decision::Balanced && self.back.is_none() {
                    continue;
                }
                *upper = (*upper + more) * (1.0 + f64::EPSILON);
                if self.back.is_none() {
                    // Remapping at once is possible. A remap that pays with fewer remaining steps
                    // pays with more.
                    *upper = upper.min(self.costs[s]);
                }
                found.ties[s] |= self.back.is_some() || found.decision[s] == Decision::Continue;
            }
        }
        found
    }

    fn sides(&self, below: Vec<f64>, above: Vec<f64>) -> [Side; 2] {
        // Rounding of the operator, of two sums and of this factor.
        let slack = (self.problem.operator.rounding() + 6.0) * f64::EPSILON;
        let side = |value: Vec<f64>, scale| {
            let value = value.iter().zip(&self.problem.running).map(|(v, psi)| match &self.back {
                None if *psi == 0.0 => 0.0,
                _ => *v,
            });
            let go = vec![0.0; self.problem.running.len()];
            Side { value: value.collect(), go, at_targets: Vec::new(), scale }
        };
        [side(below, 1.0 - slack), side(above, 1.0 + slack)]
    }

    /// One sweep; `keep` combines the old and the new value. Returns whether anything changed.
    fn sweep(&self, side: &mut Side, keep: impl Fn(f64, f64) -> f64) -> bool {
        self.problem.operator.apply_into(&side.value, &mut side.go);
        for (go, psi) in side.go.iter_mut().zip(&self.problem.running) {
            *go = (psi + *go) * side.scale;
        }
        if let Some((_, targets)) = &self.back {
            side.at_targets = targets.read(&self.problem.shared, &side.go);
        }
        let mut changes = false;
        for s in 0..self.problem.running.len() {
            let remap = self.remap(side, s);
            let least = if side.go[s] < remap { side.go[s] } else { remap };
            let balanced = self.back.is_none() && self.problem.running[s] == 0.0;
            let value = if balanced { 0.0 } else { keep(side.value[s], least) };
            changes |= value != side.value[s];
            side.value[s] = value;
        }
        changes
    }

    /// The cost of remapping.
    fn remap(&self, side: &Side, s: usize) -> f64 {
        match &self.back {
            None => self.costs[s],
            Some((_, targets)) => (self.costs[s] + side.at_targets[targets.of(s)]) * side.scale,
        }
    }

    fn found(
        &self,
        below: Side,
        above: Side,
        from: Vec<[Option<u64>; 2]>,
        sweeps: u64,
        status: Status,
    ) -> Varied {
        let n = self.problem.running.len();
        let (mut decision, mut ties) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for s in 0..n {
            let (go, remap) =
                ([below.go[s], above.go[s]], [self.remap(&below, s), self.remap(&above, s)]);
            let middle = |[low, high]: [f64; 2]| low + (high - low) / 2.0;
            let balanced = match &self.back {
                None => self.problem.running[s] == 0.0,
                Some((still, _)) => still[s],
            };
            let open = go[0] < remap[1] && remap[0] <= go[1];
            let sure = from.get(s).is_none_or(|[possible, sure]| possible == sure);
            ties.push(!balanced && (open && go[1] >= remap[0] && remap[1] > go[0] || !sure));
            decision.push(match (balanced, middle(remap) <= middle(go)) {
                (true, _) => Decision::Balanced,
                (false, true) => Decision::Remap,
                (false, false) => Decision::Continue,
            });
        }
        Varied {
            lower: below.value,
            upper: above.value,
            decision,
            ties,
            remaps_from: from.into_iter().map(|[_, sure]| sure).collect(),
            known: None,
            applications: 2 * sweeps,
            status,
        }
    }
}
