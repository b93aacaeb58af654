//! Backward induction over the horizon (equations T1 and T2 of the [module](super)). It can be
//! resumed at every step.

use super::step_back::larger;
use crate::Bounds;
use crate::chain::{ROW_SUM_TOLERANCE, Wanted};
use crate::load_drift::region::{Region, Search, is_left_out};
use crate::load_drift::sharing::ranks::Around;
use crate::load_drift::state_space::transition::Transition;
use crate::load_drift::variants::delayed::Late;
use crate::load_drift::{
    Closest, Control, Decisions, LoadDrift, MapPolicy, Outcome, ProcessChain, Ranks, Rebalance,
    Remapping, States, Timing,
};
use crate::rounding::TINY;
use rayon::prelude::*;

/// What the recursion carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// The value and the decisions: one vector.
    Value,
    /// The expected work and the expected number of remaps in addition: three vectors.
    Outcome,
}

/// Backward induction from the last step to the first. Memory: three vectors of the number of
/// states for the value, five for the outcome. A step costs one application of the transition
/// operator for each vector, in states in which continuing may be optimal. Where a remap is
/// certain, by the rule or a bound (see [`Remapping`]), the cost depends on the total load alone.
/// Where few of many states remain, most steps visit only these (a region). Each rank holds its own
/// states ([`shared`](Self::shared)); all ranks call the same methods in the same order.
pub struct Backward<'a> {
    pub(in crate::load_drift) problem: &'a LoadDrift,
    pub(in crate::load_drift) states: &'a States,
    pub(in crate::load_drift) transition: &'a Transition,
    pub(in crate::load_drift) control: Control,
    pub(in crate::load_drift) remapping: Remapping,
    /// Decisions that are evaluated, in place of those of `control`.
    pub(in crate::load_drift) given: Option<MapPolicy>,
    /// Thresholds in place of `control`, each valid from the decision after its step on. Empty
    /// where there are none.
    pub(in crate::load_drift) by_step: Vec<(u64, f64)>,
    /// Cost of a remap in each state beyond `remap_cost`, including the cost of the steps during a
    /// delayed remap. Empty where a remap costs the same in all states.
    pub(in crate::load_drift) surcharges: Vec<f64>,
    pub(in crate::load_drift) late: Option<Late>,
    pub(in crate::load_drift) remaining: u64,
    /// By total: states with r (max - mean) beyond this remap for certain at the next decision; the
    /// vectors hold no value for them.
    pub(in crate::load_drift) limits: Vec<u32>,
    /// Limits expected at the next step.
    pub(in crate::load_drift) expected: Vec<u32>,
    pub(in crate::load_drift) vectors: Vec<Vec<f64>>,
    /// Buffer for the value of the next step back, while the present value may still be needed.
    /// Empty for ranks that share the states.
    pub(in crate::load_drift) scratch: Vec<f64>,
    pub(in crate::load_drift) buffer: Around,
    pub(in crate::load_drift) decisions: Decisions,
    /// Decisions of the next step back, and by total the largest r (max - mean) that continues.
    pub(in crate::load_drift) upcoming: Decisions,
    pub(in crate::load_drift) goes_on: Option<Vec<u32>>,
    /// Probability that underflow removes from a joint move, at most.
    underflow: f64,
    pub(in crate::load_drift) region: Option<Region>,
    pub(in crate::load_drift) search: Search,
    /// Bound on the rounding error made on regions that have been abandoned.
    pub(in crate::load_drift) lost: f64,
    pub(in crate::load_drift) ranks: Ranks,
    /// Largest cost of a remap, including the steps during a delayed remap.
    pub(in crate::load_drift) dearest: f64,
}

/// Upper bound on the probability that underflow removes from all probabilities of a move. A
/// probability below the least double may be missing.
fn underflow(problem: &LoadDrift) -> f64 {
    let moves = (problem.processors * problem.chain.levels()) as f64;
    let rows = problem.chain.rows();
    let subnormal = rows.iter().flatten().any(|p| *p > 0.0 && *p < TINY);
    moves * if subnormal { TINY } else { f64::from_bits(1) }
}

/// Error bound of the values: a factor between e^-growth and e^growth, then an absolute error.
pub(in crate::load_drift) struct Rounding {
    pub growth: f64,
    pub absolute: f64,
}

impl<'a> Backward<'a> {
    /// The recursion at the end of the horizon.
    ///
    /// # Panics
    /// When `transition` or `states` belong to another problem, and where units moved have a cost
    /// but the rebalance is not an even split.
    pub fn new(
        problem: &'a LoadDrift,
        states: &'a States,
        transition: &'a Transition,
        control: Control,
        carry: Carry,
    ) -> Backward<'a> {
        let count = states.count();
        assert_eq!(transition.states(), states.all(), "transition and states must agree");
        assert!(
            problem.per_unit_moved == 0.0 || problem.rebalance == Rebalance::Split,
            "units moved are those of an even split"
        );
        let vectors = if carry == Carry::Outcome { 3 } else { 1 };
        let surcharges = problem.surcharges(states);
        let dearest = problem.remap_cost + surcharges.iter().copied().fold(0.0, f64::max);
        let mut backward = Backward {
            problem,
            states,
            transition,
            control,
            remapping: Remapping::new(problem, states),
            given: None,
            by_step: Vec::new(),
            surcharges,
            late: None,
            remaining: problem.steps,
            limits: vec![states.largest_excess(); states.distinct_totals()],
            expected: vec![0; states.distinct_totals()],
            vectors: vec![vec![0.0; count]; vectors],
            scratch: vec![0.0; count],
            buffer: Ranks::alone().room(count),
            decisions: Decisions::none(count),
            upcoming: Decisions::none(count),
            goes_on: None,
            underflow: underflow(problem),
            region: None,
            search: Search::new(),
            lost: 0.0,
            ranks: Ranks::alone(),
            dearest,
        };
        if problem.timing == Timing::BeforeStep {
            backward.pay(0);
            if carry == Carry::Outcome {
                backward.pay(1);
            }
            backward.remaining -= 1;
        }
        backward
    }

    /// The same recursion with these decisions in place of its control. Past their last step it
    /// never remaps.
    ///
    /// # Panics
    /// When the decisions belong to other states.
    #[must_use]
    pub fn playing(self, decisions: MapPolicy) -> Self {
        let fits = decisions.at(1).is_none_or(|map| map.count() == self.states.count());
        assert!(fits, "decisions and states must agree");
        let control = Control::Threshold(f64::INFINITY);
        Backward { given: Some(decisions), control, ..self }
    }

    /// The same recursion with thresholds on max - mean that depend on the step, in place of its
    /// control. The last listed threshold whose step has been reached holds; before the first, the
    /// first.
    pub(in crate::load_drift) fn by_step(self, thresholds: Vec<(u64, f64)>) -> Self {
        Backward { by_step: thresholds, ..self }
    }

    /// How remaps are decided between steps `moment` and `moment` + 1.
    pub(in crate::load_drift) fn control_at(&self, moment: u64) -> Control {
        let next = self.by_step.partition_point(|(from, _)| *from <= moment);
        let at = self.by_step.get(next.saturating_sub(1));
        at.map_or(self.control, |(_, threshold)| Control::Threshold(*threshold))
    }

    /// Shares the recursion among ranks. Each rank has the values and decisions of its own states
    /// only, with the same bits as on one rank.
    ///
    /// # Panics
    /// When the states are not those of this rank.
    #[must_use]
    pub fn shared(mut self, ranks: Ranks) -> Self {
        if let Some((others, shares)) = ranks.others() {
            let count = self.states.count();
            let own = self.states.first()..self.states.first() + count;
            assert_eq!(own, shares.own(others.rank()));
            self.scratch = Vec::new();
            self.buffer = ranks.room(count);
            let mut dearest = [self.dearest];
            others.largest(&mut dearest);
            [self.dearest] = dearest;
        }
        self.ranks = ranks;
        self
    }

    /// Steps still to be computed; 0 when the recursion is done.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The decisions between steps k and k + 1, k = `remaining() + 1`, after the latest
    /// [`advance`](Self::advance), in the own states. None remaps before the first and at the
    /// horizon.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// Number of states in which the latest step was computed.
    pub fn active_states(&self) -> usize {
        let own = (0..self.states.count()).into_par_iter().filter(|state| self.is_active(*state));
        let all = self.ranks.gather(vec![own.count() as f64]);
        all.into_iter().sum::<f64>() as usize
    }

    fn is_active(&self, state: usize) -> bool {
        self.states.excess(state) <= self.limits[self.states.totals()[state] as usize]
            && !is_left_out(self.vectors[0][state])
    }

    /// The cost-to-go of each own state, before the first move (T1) or the first step (T2) when
    /// done; `None` where a remap is certain and it was not computed.
    pub fn cost_to_go(&self) -> Vec<Option<f64>> {
        let vectors = self.written();
        let values = vectors[0].iter().enumerate();
        values.map(|(state, &value)| self.is_active(state).then_some(value)).collect()
    }

    /// The threshold on max - mean closest to the latest [`decisions`](Self::decisions).
    pub fn closest_threshold(&self) -> Closest {
        self.decisions.closest_of_all(self.states, &self.ranks)
    }

    /// Computes one step back. Does nothing when done.
    pub fn advance(&mut self) {
        if self.remaining == 0 || self.advance_in_region() {
            return;
        }
        self.look_ahead(&()).expect("nobody stops it");
        let decides = self.decides_after(self.remaining);
        let mut goes_on = None;
        if decides {
            self.observe();
            let decided = self.goes_on.take();
            goes_on = Some(decided.unwrap_or_else(|| self.decide(self.remaining)));
            std::mem::swap(&mut self.decisions, &mut self.upcoming);
        }
        self.limits = self.transit_value(goes_on.as_deref());
        if self.problem.timing == Timing::BeforeStep {
            self.pay(0);
        }
        let next = self.remaining - 1;
        self.goes_on = self.decides_after(next).then(|| self.decide(next));
        let risen = self.seeks().then(|| self.risen_everywhere());
        if self.vectors.len() > 1 {
            let least = self.farthest_in_force();
            let mut limits = vec![least; self.limits.len()];
            match &self.goes_on {
                Some(goes_on) => limits = larger(limits, goes_on.clone()),
                None if next > 0 => limits.fill(self.states.largest_excess().max(least)),
                None => {}
            }
            let wanted = Wanted::new(self.problem.processors, &limits);
            // Before any decision there is no remap to count.
            let counted = if decides { self.vectors.len() } else { 2 };
            for vector in 1..counted {
                self.fill(vector, decides, &limits);
                let mut out = std::mem::take(&mut self.vectors[vector]);
                self.expect(&wanted, &mut out);
                self.vectors[vector] = out;
            }
            if self.problem.timing == Timing::BeforeStep {
                self.pay(1);
            }
        }
        self.remaining -= 1;
        self.seek_region(risen);
    }

    /// Expected outcome of `steps - remaining()` steps from the initial state. When done this is
    /// the whole horizon; before, the same program with a shorter horizon. `None` if only the value
    /// is carried.
    pub fn outcome(&self) -> Option<Outcome> {
        let [value, work, remaps] = self.vectors.as_slice() else { return None };
        let at_start = |vector| self.at_places(vector)[self.remapping.start()];
        let [value, work, remaps] = [value, work, remaps].map(|vector| at_start(vector));
        Some(Outcome::new(self.problem.objective, value, work, remaps))
    }

    /// The value at the initial state; see [`outcome`](Self::outcome).
    pub fn value(&self) -> f64 {
        self.at_places(&self.vectors[0])[self.remapping.start()]
    }

    /// Proved bounds on [`value`](Self::value) in exact arithmetic.
    pub fn value_bounds(&self) -> Bounds {
        let (value, Rounding { growth, absolute }) = (self.value(), self.rounding());
        let lower = (value * (-growth).exp() - absolute) * (1.0 - 4.0 * f64::EPSILON);
        let upper = (value * growth.exp() + absolute) * (1.0 + 4.0 * f64::EPSILON);
        Bounds { lower: lower.max(0.0), upper }
    }

    /// Bound on the rounding error of the values so far. All terms are nonnegative: costs of steps
    /// and remaps, products with probabilities. Let `error` be the relative error of one step and
    /// `absolute` that of the cost it adds. After k steps V is at most e^(k error) (V + k absolute)
    /// and at least e^(-k error) (V - k absolute). For the recursion is monotone, and no
    /// expectation raises constants, except for rows that sum to a little more than 1.
    pub(in crate::load_drift) fn rounding(&self) -> Rounding {
        let problem = self.problem;
        let steps = (problem.steps - self.remaining) as f64;
        // Six operations: the cost of a remap and its two targets, the cost of the step, and their
        // sums. Two more for units moved, and four for the steps during a delayed remap.
        let own = match (self.is_constant(), &self.late) {
            (true, _) => 6.0,
            (false, None) => 8.0,
            (false, Some(_)) => 12.0,
        };
        let step = (self.transition.rounding() + own) * f64::EPSILON;
        let slower = self.late.as_ref().map_or(1.0, |late| 2.0 * (1.0 + late.overlap.slowdown));
        let load = slower * (problem.lowest + problem.chain.levels() as f64);
        let paid = 4.0 * f64::EPSILON * load;
        let underflow = TINY + self.underflow * steps * (load + self.dearest);
        let excess = match problem.chain {
            ProcessChain::BirthDeath(_) => 1.0,
            ProcessChain::Dense(_) => {
                (2.0 * ROW_SUM_TOLERANCE * steps * problem.processors as f64).exp()
            }
        };
        let on_regions = self.lost + self.region.as_ref().map_or(0.0, |region| region.rounding);
        let absolute = steps * (paid + underflow) * excess + on_regions;
        Rounding { growth: 1.1 * step * steps, absolute }
    }

    /// Largest cost of a remap over all states, including the steps during a delayed remap.
    pub fn dearest_remap(&self) -> f64 {
        self.dearest
    }

    /// Whether a remap costs the same in all states.
    pub(in crate::load_drift) fn is_constant(&self) -> bool {
        self.surcharges.is_empty()
    }

    /// Entries of a vector of the own states at the states that remaps lead to, and at the initial
    /// state; gathered from all ranks.
    pub(in crate::load_drift) fn at_places(&self, vector: &[f64]) -> Vec<f64> {
        let first = self.states.first();
        let own = first..first + vector.len();
        let places = self.remapping.places().iter().filter(|place| own.contains(place));
        self.ranks.gather(places.map(|place| vector[place - first]).collect())
    }

    pub(in crate::load_drift) fn observe(&mut self) {
        let remap_cost = self.problem.remap_cost;
        if let Some(late) = &self.late {
            self.remapping.observe(late.worth(self.remaining), remap_cost);
            return;
        }
        let vectors: Vec<Vec<f64>> =
            self.vectors.iter().map(|vector| self.at_places(vector)).collect();
        self.remapping.observe(&vectors, remap_cost);
    }

    /// Expected cost of a remap from each total with the present value.
    pub(in crate::load_drift) fn leads_to(&self) -> Vec<f64> {
        self.remapping.leads_to(&self.at_places(&self.vectors[0]))
    }

    /// The same for a remap that is decided after the step with this number.
    pub(in crate::load_drift) fn leads_to_after(&self, step: u64) -> Vec<f64> {
        match &self.late {
            None => self.leads_to(),
            Some(late) => self.remapping.leads_to(&late.worth(step)[0]),
        }
    }
}

impl LoadDrift {
    /// Largest and mean load of a state.
    pub(in crate::load_drift) fn loads(&self, states: &States, state: usize) -> (f64, f64) {
        let max = self.lowest + f64::from(states.largest()[state]);
        let mean = self.lowest + f64::from(states.totals()[state]) / self.processors as f64;
        (max, mean)
    }
}
