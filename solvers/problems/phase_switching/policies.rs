//! The costs of policies for recurring phases, between bounds.

use crate::problems::phase_change::evaluation::{AIM, CERTAINTY, MERGES, finer, probability, unit};
use crate::run::Watch;
use remapping::lifetime::Lifetime;
use remapping::phase_change::evaluation::Estimating;
use remapping::phase_change::{self, Accuracy, Bounds, Curve, Hazard, PhaseChange, Premature};
use remapping::phase_switching::evaluation::{
    Beliefs, EvaluationError, Fineness, TwoThresholds, average, evaluate,
};
use remapping::phase_switching::{self, PhaseSwitching, exceeded, undercut};
use remapping::{Halt, Rational, Status};

/// The most pieces of an evaluation: a few seconds of work. The first evaluation has no such limit.
const MOST_PIECES: u64 = 60_000_000;

/// Accuracy of the thresholds of policies.
const TOLERANCE: f64 = 1e-9;

/// Thresholds of a program without an end that are this close are taken as optimal.
const CLOSE: f64 = 1e-6;

/// The horizon that stands for a program without an end: it decides as at the first step.
const ENDLESS: u64 = 1_000_000;

/// An observation indicates a phase if its probability, from equal prior ones, is more than this.
/// The margin is more than rounding, so that an uninformative observation changes nothing.
const LIKELIER: f64 = 0.5 + 1e-12;

/// The decision rule of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// The optimal thresholds.
    Optimal,
    /// The same belief in the other phase under either mapping, at every step.
    Fixed(f64),
    /// After a switch the new phase becomes the base, and the next change of phase is treated as
    /// the only one, with its optimal thresholds [NR86, sec. X].
    Rebasing,
    /// The same with a fixed threshold.
    RebasingAt(f64),
    /// The heuristic of 1986 on such changes.
    Heuristic1986,
    /// The mapping of the phase that the latest observation makes likelier.
    EveryReport,
    /// Never switch.
    Never,
}

impl std::str::FromStr for Rule {
    type Err = String;
    fn from_str(name: &str) -> Result<Rule, String> {
        match name.trim().split_once(':') {
            None => match name.trim() {
                "optimal" => Ok(Rule::Optimal),
                "never" => Ok(Rule::Never),
                "rebasing" => Ok(Rule::Rebasing),
                "heuristic_1986" => Ok(Rule::Heuristic1986),
                "every_report" => Ok(Rule::EveryReport),
                _ => Err("there is no such policy".to_owned()),
            },
            Some(("fixed", tau)) => probability(tau).map(Rule::Fixed),
            Some(("rebasing", tau)) => probability(tau).map(Rule::RebasingAt),
            _ => Err("there is no such policy".to_owned()),
        }
    }
}

/// Why the cost of a policy is unknown.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The policy does not apply to this model; what would be right.
    Unfit(String),
    /// It cannot be evaluated.
    Evaluation(EvaluationError),
}

impl From<EvaluationError> for Trouble {
    fn from(error: EvaluationError) -> Trouble {
        Trouble::Evaluation(error)
    }
}

/// A problem with the optimum of its policies.
pub struct Field<'a> {
    /// The problem.
    pub problem: PhaseSwitching,
    /// The distribution of the number of cycles; `None` for a program without an end.
    pub lifetime: Option<Lifetime>,
    /// The optimal thresholds: by step, or one pair.
    pub thresholds: Vec<[f64; 2]>,
    /// The least expected time, or the least average.
    pub optimum: Bounds,
    watch: &'a Watch,
}

/// The thresholds of both mappings step by step.
fn paired(to_second: &Curve, to_first: &Curve, last: u64) -> Vec<[f64; 2]> {
    let at = |curve: &Curve, n: u64, never: f64| curve.at(n).unwrap_or([never; 2].into());
    (0..=last).map(|n| pair(at(to_second, n, 1.0), at(to_first, n, 0.0))).collect()
}

/// The limits that beliefs are compared with under either mapping.
fn pair(to_second: Bounds, to_first: Bounds) -> [f64; 2] {
    [exceeded(to_second), undercut(to_first)]
}

impl<'a> Field<'a> {
    /// Solves the problem. `Ok(None)` and a status if the watch stops it.
    pub fn new(
        problem: PhaseSwitching,
        lifetime: Option<Lifetime>,
        watch: &'a Watch,
    ) -> Result<(Option<Field<'a>>, Status), EvaluationError> {
        let solved = |status: Status| if status.is_halted() { status } else { Status::Converged };
        let (thresholds, optimum, status) = match &lifetime {
            Some(lifetime) => {
                let found = phase_switching::solve(&problem, lifetime, TOLERANCE, watch)?;
                let all = paired(&found.to_second, &found.to_first, lifetime.last());
                (all, found.value, solved(found.status))
            }
            None => {
                let found = phase_switching::long_run(&problem, TOLERANCE, watch)?;
                let close = found.to_second.width().max(found.to_first.width()) <= CLOSE;
                let status = if close { solved(found.status) } else { found.status };
                (vec![pair(found.to_second, found.to_first)], Some(found.average), status)
            }
        };
        let Some(optimum) = optimum.filter(|_| !status.is_halted()) else {
            return Ok((None, status));
        };
        // A status that is not a halt means that the thresholds of a program without an end are not
        // as close as asked. The policy called optimal is then the best known one.
        Ok((Some(Field { problem, lifetime, thresholds, optimum, watch }), status))
    }

    /// The cost of the rule: expected time, or average time of a cycle.
    pub fn cost(&self, rule: Rule) -> Result<Bounds, Trouble> {
        self.of(rule, &self.problem)
    }

    /// Its number of switches: in all, or per cycle.
    pub fn switches(&self, rule: Rule) -> Result<Bounds, Trouble> {
        let zero = || [Rational::ZERO, Rational::ZERO];
        let counting = PhaseSwitching {
            cycle: [zero(), zero()],
            switch: self.problem.switch.clone().map(|cost| cost.map(|_| Rational::ONE)),
            ..self.problem.clone()
        };
        self.of(rule, &counting)
    }

    fn of(&self, rule: Rule, paid: &PhaseSwitching) -> Result<Bounds, Trouble> {
        let (beliefs, thresholds) = self.policy(rule)?;
        let policy = TwoThresholds { beliefs, thresholds: &thresholds };
        let scale = unit(&[self.problem.gain(0), self.problem.gain(1)]);
        let most = MOST_PIECES / self.problem.detector.levels().len().max(1) as u64;
        let Some(lifetime) = &self.lifetime else {
            // The average is not known yet, so the least cycle time is the unit.
            let least = self.problem.cycle.iter().flatten().min().expect("four");
            let width = AIM * least.to_f64().value().max(1.0);
            let fineness = Fineness { merge: MERGES[0] * scale, pieces: most };
            return Ok(average(paid, policy, width, fineness, self.watch)?);
        };
        let cost = |fineness| evaluate(paid, lifetime, policy, fineness, self.watch);
        Ok(finer((scale, most), None, cost)?)
    }

    /// The source of its beliefs, and its thresholds.
    fn policy(&self, rule: Rule) -> Result<(Beliefs, Vec<[f64; 2]>), Trouble> {
        let alike = |tau: f64| vec![[tau, 1.0 - tau]];
        let (beliefs, mut thresholds) = match rule {
            Rule::Optimal => (Beliefs::Bayes, self.thresholds.clone()),
            Rule::Fixed(tau) => (Beliefs::Bayes, alike(tau)),
            Rule::Rebasing => (Beliefs::Rebased, self.one_change()?),
            Rule::RebasingAt(tau) => (Beliefs::Rebased, alike(tau)),
            Rule::Heuristic1986 => (Beliefs::Rebased, self.heuristic()?),
            Rule::EveryReport => (Beliefs::LastReport, alike(LIKELIER)),
            Rule::Never => (Beliefs::Bayes, vec![[1.0, 0.0]]),
        };
        // Where a switch is not possible, its threshold is never reached.
        for (m, never) in [1.0, 0.0].into_iter().enumerate() {
            if self.problem.switch[m].is_none() {
                thresholds.iter_mut().for_each(|pair| pair[m] = never);
            }
        }
        Ok((beliefs, thresholds))
    }

    /// The change of phase that ends the phase of mapping `m`, treated as the only one. A premature
    /// switch is noticed and undone, as in the report of 1986; a switch costs D_d.
    fn change(&self, m: usize) -> PhaseChange {
        let problem = &self.problem;
        let detector = match m {
            0 => problem.detector.clone(),
            _ => problem.detector.exchanged(),
        };
        PhaseChange {
            lifetime: self.lifetime.clone().unwrap_or_else(|| Lifetime::fixed(ENDLESS)),
            hazard: Hazard::Constant(problem.rates[m].clone()),
            before: problem.cycle[m][m].clone(),
            after: problem.cycle[1 - m][m].clone(),
            remapped: problem.cycle[1 - m][1 - m].clone(),
            test: problem.switch[m].clone().unwrap_or(Rational::ZERO),
            install: Rational::ZERO,
            detector,
            premature: Premature::Revert,
        }
    }

    /// The optimal thresholds of such a change, step by step, and n0.
    fn solved(&self, m: usize) -> Result<(Curve, u64), Trouble> {
        let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
        let unfit = |error: phase_change::ProblemError| Trouble::Unfit(error.to_string());
        let found = phase_change::solve(&self.change(m), accuracy, self.watch).map_err(unfit)?;
        if found.curve.first_step() != Some(0) {
            let halt = found.status.halt().unwrap_or(Halt::TimeLimit);
            return Err(EvaluationError::Stopped(halt).into());
        }
        Ok((found.curve, found.onset))
    }

    fn one_change(&self) -> Result<Vec<[f64; 2]>, Trouble> {
        let curves = [self.solved(0)?.0, self.solved(1)?.0];
        let last = self.lifetime.as_ref().map_or(0, Lifetime::last);
        let at = |m: usize, n: u64| curves[m].at(n).map_or(1.0, |bounds| bounds.middle());
        Ok((0..=last).map(|n| [at(0, n), 1.0 - at(1, n)]).collect())
    }

    /// The heuristic remaps once the belief has exceeded p_e and rho_n, which is 0.8 when it
    /// exceeds p_e. If p_e is not less, that is at once. In a program without an end rho_n is
    /// constant.
    fn heuristic(&self) -> Result<Vec<[f64; 2]>, Trouble> {
        let certain = |m: usize| {
            let assumed = self.change(m);
            let rule = Estimating { assumed: &assumed, certainty: CERTAINTY, pays_until: 0 };
            let odds = rule.estimate_above().unwrap_or(f64::INFINITY);
            let estimate = if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
            if estimate < CERTAINTY && self.lifetime.is_some() {
                return Err(Trouble::Unfit(format!(
                    "it estimates at p = {estimate:.4} already and then waits for a belief that depends on when \
                     it did: take rebasing:0.8, or a program without an end"
                )));
            }
            Ok(estimate.max(CERTAINTY))
        };
        let above = [certain(0)?, certain(1)?];
        let Some(lifetime) = &self.lifetime else { return Ok(vec![[above[0], 1.0 - above[1]]]) };
        let until = [self.solved(0)?.1, self.solved(1)?.1];
        let at = |m: usize, n: u64| if n < until[m] { above[m] } else { 1.0 };
        Ok((0..=lifetime.last()).map(|n| [at(0, n), 1.0 - at(1, n)]).collect())
    }
}
