//! `remap compare` for drifting loads.

use super::super::regret::Failure;
use super::super::sampling::{Contestant, Report, Start, named, play, rule};
use super::super::{Asked, Contest};
use super::answer::BestThreshold;
use super::compare_many::{self, CURVE};
use super::model::LoadDrift;
use super::solve::{LONGEST_INTERVAL, prepare, shortage};
use crate::run::Watch;
use remapping::load_drift::{
    self, Backward, Carry, Control, Intervals, Loads, MapPolicy, Ranks, States, Transition,
    Unremapped,
};
use remapping::overlap::Overlap;
use remapping::policy::{Rule, practice::growth_slope};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// Evaluates policies on sample paths. If it is stopped, returns the runs that are finished.
pub(super) fn compare(
    asked: &Asked<'_, Contest>,
    model: &LoadDrift,
) -> Result<(Report, Status), Failure> {
    let Asked { loaded, settings: contest, watch, .. } = *asked;
    let problem = model.problem();
    if shortage(model).is_some() || model.states().is_none() {
        return compare_many::compare(&problem, model.overlap(), contest, watch);
    }
    let (states, transition) = prepare(loaded, model, &problem)?;
    let (states, transition) = (&states, &transition);
    let (overlap, seed) = (model.overlap(), contest.seed);
    let field = Drift { problem: &problem, overlap, states, transition, seed, watch };
    let (contestants, best, typical) = field.contestants(&contest.policies)?;
    let loads = Loads::new(problem.clone()).overlapping(overlap).typically(typical);
    let (report, status) = play(&loads, &contestants, contest, watch);
    Ok((Report { best_threshold: best, ..report }, status))
}

/// The contestants, the best threshold if it was asked for, and the remap cost for rules that need
/// one number.
type Entered = (Vec<Contestant>, Option<BestThreshold>, f64);

/// Drifting loads, with what exact evaluation needs.
struct Drift<'a> {
    problem: &'a load_drift::LoadDrift,
    overlap: Overlap,
    states: &'a States,
    transition: &'a Transition,
    seed: u64,
    watch: &'a Watch,
}

impl Drift<'_> {
    /// The policies asked for, with their exact costs where known.
    fn contestants(&self, names: &[String]) -> Result<Entered, Failure> {
        let all = [
            "optimal",
            "threshold",
            "best_threshold",
            "fixed",
            "stop_at_rise",
            "menon",
            "menon_offline",
            "metabalancer",
            "zhai",
            "procassini",
            "marquez:0.2",
            "utilization:0.8",
            "never",
        ];
        let everything = names.is_empty();
        let names = named(names, &all);
        // Misspelled names are refused before the long computation.
        for name in &names {
            let found = ["optimal", "threshold", "best_threshold", CURVE, "fixed", "menon_offline"];
            if !found.contains(&name.as_str()) {
                rule(name)?;
            }
        }
        let (problem, overlap) = (self.problem, self.overlap);
        let (states, transition) = (self.states, self.transition);
        let all = (states, &Ranks::alone());
        let longest = LONGEST_INTERVAL;
        let intervals =
            Intervals::overlapping(problem, overlap, all, transition, longest, self.watch);
        let unremapped = Unremapped::of(problem, self.watch)?;
        let exact = (&intervals, unremapped.never.value);
        let typical = intervals.remap_cost(intervals.best().interval);
        let wants = |name: &str| names.iter().any(|other| other == name);
        let all = (states, transition);
        let map = match wants("optimal") || wants("threshold") || wants("best_threshold") {
            true => Some(MapPolicy::solve(problem, overlap, all, self.watch)?),
            false => None,
        };
        let closest = |map: &MapPolicy| {
            map.at(1).map_or(0.0, |map| map.closest_threshold(self.states).threshold)
        };
        let best = match &map {
            Some(map) if wants("best_threshold") => {
                Some(problem.best_threshold(overlap, all, closest(map), self.watch)?)
            }
            _ => None,
        };
        let mut contestants = Vec::new();
        for name in &names {
            let contestant = match (name.as_str(), &map) {
                ("optimal", Some(map)) => Contestant {
                    name: name.clone(),
                    start: Start::Map(map.clone()),
                    exact: Some(map.value()),
                },
                ("threshold", Some(map)) => self.contestant(Rule::Threshold(closest(map)), exact),
                ("best_threshold", _) => {
                    let BestThreshold { threshold, value, .. } = best.unwrap_or_default();
                    let rule = Rule::Threshold(threshold);
                    Contestant::rule(&rule.to_string(), rule, Some(value))
                }
                (CURVE, _) => compare_many::curve(problem, overlap, self.seed, self.watch)?,
                ("fixed", _) => self.contestant(Rule::Fixed(intervals.best().interval), exact),
                ("menon_offline", _) => {
                    let slope = growth_slope(typical, &intervals.growth());
                    self.contestant(Rule::SlopeInterval(slope), exact)
                }
                _ => self.contestant(rule(name)?, exact),
            };
            if let ControlFlow::Break(halt) = self.watch.progress(0, 1) {
                return Err(halt.into());
            }
            contestants.push(contestant);
        }
        // The default list may contain the same rule twice; it is shown once.
        let twin = |(i, one): (usize, &Contestant)| {
            i > 0 && contestants[..i].iter().any(|other: &Contestant| other.name == one.name)
        };
        if let Some(at) = contestants.iter().enumerate().position(twin).filter(|_| everything) {
            contestants.remove(at);
        }
        Ok((contestants, best, typical))
    }

    /// The rule, with its exact cost where that is known: fixed intervals and never.
    fn contestant(&self, rule: Rule, (intervals, never): (&Intervals, f64)) -> Contestant {
        let exact = match rule {
            Rule::Never => Some(never),
            Rule::Fixed(interval) if interval >= self.problem.steps => Some(never),
            Rule::Fixed(interval) => {
                let found = intervals.all().get(interval as usize - 1);
                found.map(|found| found.outcome.value)
            }
            Rule::Threshold(threshold) => Some(self.evaluate(Control::Threshold(threshold))),
            Rule::Utilization(minimum) => Some(self.evaluate(Control::Utilization(minimum))),
            _ => None,
        };
        Contestant::overlapping(rule, self.overlap, exact)
    }

    fn evaluate(&self, control: Control) -> f64 {
        let all = (self.states, self.transition);
        let mut backward =
            Backward::overlapping(self.problem, self.overlap, all, control, Carry::Value);
        while backward.remaining() > 0 {
            backward.advance();
        }
        backward.value()
    }
}
