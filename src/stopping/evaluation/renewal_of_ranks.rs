//! Policy evaluation as in `renewal`, by the solver that ranks share: without classes of totals and
//! coarser grids.

use super::renewal::Rule;
use crate::communicator::Equations;
use crate::stopping::operator::substochastic::Killed;
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{Problem, operator::vector};
use crate::{Halt, Observer};

/// Most applications of one evaluation; the next one continues from there.
const APPLICATIONS: u64 = 600;

/// The norm of all residuals must fall by as much as the largest residual, times this factor.
const STRICTNESS: f64 = 0.5;

/// The operator y - P y' + mean of y on the states that continue and on all targets, with y' =
/// y(b(t)) at states t that remap.
pub(in crate::stopping) struct Renewed<'a> {
    problem: &'a Problem,
    targets: &'a Targets,
    rule: &'a Rule<'a>,
    killed: Killed<'a>,
    /// Number of states in this set, over all ranks.
    count: f64,
    function: Vec<f64>,
    image: Vec<f64>,
}

impl<'a> Renewed<'a> {
    pub fn new(problem: &'a Problem, targets: &'a Targets, rule: &'a Rule<'a>) -> Self {
        let mut held: Vec<bool> = rule.remaps.iter().map(|remaps| !remaps).collect();
        targets.own().iter().for_each(|target| held[*target] = true);
        let killed = Killed::new(problem, &held);
        let count = problem.gather(vec![killed.count() as f64]).into_iter().sum();
        let n = problem.states();
        Self { problem, targets, rule, killed, count, function: vec![0.0; n], image: vec![0.0; n] }
    }

    /// Extends y to all own states, without the costs of remaps.
    fn extend(&mut self, y: &[f64]) {
        self.killed.unpack(y, &mut self.function);
        let back = self.targets.read(&self.problem.shared, &self.function);
        let (remaps, targets) = (self.rule.remaps, self.targets);
        vector::update(&mut self.function, |s, y| if remaps[s] { back[targets.of(s)] } else { y });
    }

    fn apply(&mut self, y: &[f64], out: &mut [f64]) {
        self.extend(y);
        self.problem.operator.apply_into(&self.function, &mut self.image);
        let own = vector::sum_of([y], |[y]| y);
        let mean = self.problem.gather(vec![own]).into_iter().sum::<f64>() / self.count;
        let image = self.killed.pack(&self.image);
        vector::update_from(out, [y, &image], move |_, [y, image]| y - image + mean);
    }

    /// Improves relative costs `h` of the own states until no residual exceeds `accuracy`, if
    /// possible. Returns the number of applications of the operator.
    ///
    /// # Errors
    /// The halt; `h` is then unchanged.
    pub fn evaluate(
        mut self,
        h: &mut [f64],
        accuracy: f64,
        limit: u64,
        observer: &dyn Observer,
    ) -> Result<u64, Halt> {
        let (problem, rule) = (self.problem, self.rule);
        let paid = |s: usize| if rule.remaps[s] { rule.costs[s] } else { 0.0 };
        vector::update(&mut self.function, |s, _| paid(s));
        problem.operator.apply_into(&self.function, &mut self.image);
        vector::update_from(&mut self.image, [&problem.running], |image, [psi]| psi + image);
        let right = self.killed.pack(&self.image);
        let mut y = self.killed.pack(h);
        let before = y.clone();
        let [norm, largest] = self.residual(&right, &y);
        let mut applications = 2;
        if largest > accuracy {
            let goal = norm * (accuracy / largest) * STRICTNESS;
            let limit = APPLICATIONS.min(limit);
            // The diagonal of I - P, which approximates that of this operator.
            let diagonal = self.killed.diagonal();
            let (mut steps, mut halted) = (applications, None);
            let mut halts = || {
                steps += 1;
                halted = halted.or(observer.progress(steps, limit).break_value());
                halted.is_some()
            };
            let equations = Equations {
                apply: &mut |y, out| self.apply(y, out),
                diagonal: &mut |out| diagonal.write(out),
                halts: &mut halts,
                symmetric: false,
                right: &right,
                goal,
                limit,
            };
            if let Some((communicator, _)) = &problem.shared {
                applications += communicator.solve(equations, &mut y);
            }
            if let Some(halt) = halted {
                return Err(halt);
            }
            let [_, left] = self.residual(&right, &y);
            applications += 1;
            // The result is arbitrary if the solver broke down.
            if left >= largest {
                y = before;
            }
        }
        self.extend(&y);
        h.copy_from_slice(&self.function);
        vector::update(h, |s, h| h + paid(s));
        Ok(applications)
    }

    /// The Euclidean norm and the maximum norm of the residual.
    fn residual(&mut self, right: &[f64], y: &[f64]) -> [f64; 2] {
        let mut r = vec![0.0; y.len()];
        self.apply(y, &mut r);
        vector::update_from(&mut r, [right], |image, [right]| right - image);
        let own = vector::sum_of([&r], |[r]| r * r);
        let norm = self.problem.gather(vec![own]).into_iter().sum::<f64>().sqrt();
        let [largest] = self.problem.largest([vector::maximum_of([&r], |[r]| r.abs())]);
        // Maxima ignore NaN.
        [norm, if norm.is_finite() { largest } else { f64::INFINITY }]
    }
}
