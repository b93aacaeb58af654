//! `remap compare` for a long computation that continues after every remap.

use super::super::sampling::{Contestant, Report, Start, named, play, rule};
use super::super::{Asked, Contest, Outcome};
use super::compare_once::{self, Ended};
use super::model::Stopping;
use super::solve::{astray, unplayed};
use crate::run::Watch;
use remapping::chain::Operator;
use remapping::policy::Rule;
use remapping::stopping::{
    AfterRemap, Course, MapRule, Problem, Settings, States, long_run, rebalanced,
};
use remapping::{Halt, Observer, Status};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The number of simulated steps where there is no end.
const STEPS: u64 = 1000;

/// The most states for which the transition matrix is built.
const MOST_STATES: usize = 3000;

/// All intervals up to this one are tried for the best fixed interval.
const SHORT: u64 = 60;

/// Longer ones are all tried, too, if that visits at most this many states in all steps. Beyond,
/// each interval tried is a tenth longer than the one before.
const MOST_VISITED: u64 = 400_000_000;

/// Evaluates policies on sample paths. If it is stopped, returns the runs that are finished.
pub(super) fn compare(asked: &Asked<'_, Contest>, model: &Stopping) -> Outcome<(Report, Status)> {
    let Asked { loaded, settings: contest, watch, .. } = *asked;
    let refuse = |message: &str, help: &str| unplayed(loaded, message, help);
    if model.unbounded().is_some() {
        let message = "rules are played on finitely many states";
        return Err(refuse(message, "take Identical(...) with a highest level"));
    }
    if model.is_partial() {
        let message = "rules say when to remap, and not how many units to move";
        return Err(refuse(message, "leave `partial_remaps` out"));
    }
    let once = !model.restarts();
    let (Some(rho), false) = (model.remap_cost(), once && model.steps().is_some()) else {
        let message =
            "rules are played at one cost of a remap, and with an end where computations go on";
        return Err(refuse(
            message,
            "take one remap_cost, and `steps` with after_remap: Restart only",
        ));
    };
    if !model.is_plain() {
        let message = "rules see max - mean of the loads: no capacities, and no other running cost";
        return Err(refuse(message, "leave `capacities` and `running_cost` out"));
    }
    let (states, operator) =
        model.states(loaded.folder()).map_err(|error| refuse(&error, "correct the chain"))?;
    if states.count() > MOST_STATES {
        let message = format!("{} states are more than {MOST_STATES}", states.count());
        return Err(refuse(&message, "take fewer levels or processes"));
    }
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    if once {
        let problem = Problem::new(&states, operator, &imbalance, rho, model.after())
            .map_err(|error| refuse(&error.to_string(), "correct the model"))?;
        return compare_once::compare(asked, &states, &problem);
    }
    if states.share_loads() {
        let message = "states share loads, and rules see the loads alone";
        return Err(refuse(message, "take after_remap: Stop, or loads that differ"));
    }
    let back = rebalanced(&states, &imbalance).map_err(|loads| astray(loaded, &states, &loads))?;
    let (_, again) = model.states(loaded.folder()).map_err(|error| refuse(&error, ""))?;
    let problem = Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop)
        .map_err(|error| refuse(&error.to_string(), "correct the model"))?;
    // Starts from balanced loads whose total is the median.
    let mut even: Vec<usize> = (0..states.count()).filter(|&s| back[s] == s).collect();
    even.sort_by_key(|&s| states.loads(s).iter().sum::<i64>());
    let start = even[even.len() / 2];
    let steps = model.steps().unwrap_or(STEPS);
    let course =
        Course::new(&states, &problem.transition_rows(), back.clone(), (rho, start, steps));
    let remaps = match model.steps() {
        Some(_) => course.optimal(&*again),
        None => {
            let best = long_run(&problem, &back, None, &Settings::default(), watch);
            let pays = |s: usize| best.advantage[s] >= 0.0 && back[s] != s;
            vec![Arc::new((0..states.count()).map(pays).collect())]
        }
    };
    let field = Field {
        states: &states,
        psi: problem.running(),
        operator: &*again,
        course: &course,
        steps,
        watch,
    };
    match field.contestants(&contest.policies, &remaps) {
        Ok(contestants) => {
            let (report, status) = play(&course, &contestants, contest, watch);
            Ok((Report { without_end: model.steps().is_none(), ..report }, status))
        }
        Err(ended) => ended.outcome(loaded, contest),
    }
}

/// The computation, and what exact evaluation needs.
struct Field<'a> {
    states: &'a States,
    psi: &'a [f64],
    operator: &'a dyn Operator,
    course: &'a Course,
    steps: u64,
    watch: &'a Watch,
}

impl Field<'_> {
    /// The policies asked for, with their exact costs where known.
    fn contestants(
        &self,
        names: &[String],
        optimal: &[Arc<Vec<bool>>],
    ) -> Result<Vec<Contestant>, Ended> {
        let all =
            ["optimal", "threshold", "fixed", "stop_at_rise", "menon", "metabalancer", "never"];
        let names = named(names, &all);
        let mut contestants = Vec::new();
        for name in &names {
            contestants.push(match name.as_str() {
                "optimal" => {
                    let map = self.of_maps(optimal);
                    let at = |step: u64| optimal.len().min(step as usize) - 1;
                    let exact = self.course.cost(self.operator, &|step, s| optimal[at(step)][s]);
                    Contestant { name: name.clone(), start: Start::Listed(map), exact: Some(exact) }
                }
                "threshold" => {
                    let mut levels = self.psi.to_vec();
                    levels.sort_by(f64::total_cmp);
                    levels.dedup();
                    self.contestant(self.best(levels.into_iter().map(Rule::Threshold))?)
                }
                "fixed" => self.contestant(self.best(self.intervals().map(Rule::Fixed))?),
                _ => self.contestant(rule(name)?),
            });
            if let ControlFlow::Break(halt) = self.watch.check() {
                return Err(halt.into());
            }
        }
        Ok(contestants)
    }

    /// Maps as a rule; each list of load vectors is made once.
    fn of_maps(&self, maps: &[Arc<Vec<bool>>]) -> MapRule {
        let mut lists = Vec::new();
        for (i, map) in maps.iter().enumerate() {
            if i > 0 && Arc::ptr_eq(map, &maps[i - 1]) {
                lists.push(Arc::clone(&lists[i - 1]));
                continue;
            }
            let listed = (0..map.len()).filter(|&s| map[s]);
            lists.push(Arc::new(listed.map(|s| self.states.loads(s)).collect()));
        }
        MapRule::by_step(lists)
    }

    /// The intervals that are tried for the best one. One as long as all steps is the same as
    /// never.
    fn intervals(&self) -> impl Iterator<Item = u64> {
        let visited = (self.states.count() as u64).saturating_mul(self.steps);
        let all = (MOST_VISITED / visited.max(1)).max(SHORT).min(self.steps);
        let next = |every: &u64| Some(every + (every / 10).max(1));
        let more = std::iter::successors(Some(all + 1), next);
        let steps = self.steps;
        let last = Some(steps).filter(|steps| *steps > all);
        (1..=all).chain(more.take_while(move |every| *every < steps)).chain(last)
    }

    /// The cheapest of the rules that can be evaluated.
    fn best(&self, rules: impl Iterator<Item = Rule>) -> Result<Rule, Halt> {
        let mut best = (f64::INFINITY, Rule::Never);
        for rule in rules {
            if let ControlFlow::Break(halt) = self.watch.check() {
                return Err(halt);
            }
            let cost = self.exact(&rule).unwrap_or(f64::INFINITY);
            if cost < best.0 {
                best = (cost, rule);
            }
        }
        Ok(best.1)
    }

    fn contestant(&self, rule: Rule) -> Contestant {
        let exact = self.exact(&rule);
        Contestant::rule(&rule.to_string(), rule, exact)
    }

    /// The exact cost of a rule that depends only on the loads or the step.
    fn exact(&self, rule: &Rule) -> Option<f64> {
        let cost = |remaps: &dyn Fn(u64, usize) -> bool| self.course.cost(self.operator, remaps);
        match *rule {
            Rule::Never => Some(cost(&|_, _| false)),
            // Before the step after this many.
            Rule::Fixed(every) => Some(cost(&|step, _| (step - 1).is_multiple_of(every))),
            Rule::Threshold(level) => Some(cost(&|_, s| self.psi[s] > level)),
            _ => None,
        }
    }
}
