//! The chain under a policy that remaps and continues.

use crate::stopping::operator::substochastic::Killed;
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{Problem, operator::vector};

/// A policy.
pub(in crate::stopping) struct Rule<'a> {
    pub remaps: &'a [bool],
    /// Cost of a remap in each state.
    pub costs: &'a [f64],
}

/// The operator y - P y' + mean of y on a set that contains all states that continue and all
/// targets of remaps, with y' = y(b(t)) at states t that remap.
pub(super) struct Remapped<'a> {
    problem: &'a Problem,
    targets: &'a Targets,
    rule: &'a Rule<'a>,
    pub killed: Killed<'a>,
    /// Number of states in the set, over all ranks.
    count: f64,
    pub function: Vec<f64>,
    pub image: Vec<f64>,
    /// Number of applications of the chain.
    pub applications: u64,
}

impl<'a> Remapped<'a> {
    /// On the own states that are `held`.
    pub fn new(
        problem: &'a Problem,
        targets: &'a Targets,
        rule: &'a Rule<'a>,
        held: &[bool],
    ) -> Self {
        let killed = Killed::new(problem, held);
        let count = problem.gather(vec![killed.count() as f64]).into_iter().sum();
        let [function, image] = [(); 2].map(|()| vec![0.0; problem.states()]);
        Self { problem, targets, rule, killed, count, function, image, applications: 0 }
    }

    /// Cost of the remap that a state begins with, if it does.
    pub fn paid(&self, state: usize) -> f64 {
        if self.rule.remaps[state] { self.rule.costs[state] } else { 0.0 }
    }

    /// Cost of a step from the states of the set: psi, and the remap that may follow.
    pub fn costs(&mut self) -> Vec<f64> {
        let mut paid = vec![0.0; self.function.len()];
        vector::update(&mut paid, |s, _| self.paid(s));
        self.problem.operator.apply_into(&paid, &mut self.image);
        vector::update_from(&mut self.image, [&self.problem.running], |image, [psi]| psi + image);
        self.applications += 1;
        self.killed.pack(&self.image)
    }

    /// Extends y to all own states, without the costs of remaps.
    fn extend(&mut self, y: &[f64]) {
        self.killed.unpack(y, &mut self.function);
        let back = self.targets.read(&self.problem.shared, &self.function);
        let (remaps, targets) = (self.rule.remaps, self.targets);
        vector::update(&mut self.function, |s, y| if remaps[s] { back[targets.of(s)] } else { y });
    }

    /// Sets `h` to the relative costs of all own states that follow from y.
    pub fn relative_costs(&mut self, y: &[f64], h: &mut [f64]) {
        self.extend(y);
        h.copy_from_slice(&self.function);
        vector::update(h, |s, h| h + self.paid(s));
    }

    /// `out = y - P y'`.
    pub fn apply_chain(&mut self, y: &[f64], out: &mut [f64]) {
        self.extend(y);
        self.problem.operator.apply_into(&self.function, &mut self.image);
        let image = self.killed.pack(&self.image);
        vector::update_from(out, [y, &image], |_, [y, image]| y - image);
        self.applications += 1;
    }

    /// The same plus the mean of y.
    pub fn apply(&mut self, y: &[f64], out: &mut [f64]) {
        self.apply_chain(y, out);
        let own = vector::sum_of([y], |[y]| y);
        let mean = self.problem.gather(vec![own]).into_iter().sum::<f64>() / self.count;
        vector::update_from(out, [], |x, []| x + mean);
    }

    /// The residual of `right`.
    pub fn residual(&mut self, right: &[f64], y: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; y.len()];
        self.apply(y, &mut r);
        vector::update_from(&mut r, [right], |image, [right]| right - image);
        r
    }
}
