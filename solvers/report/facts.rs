//! The important numbers of a solution, each with its error.

use crate::document::Bounds;
use crate::problems::load_drift::answer as load_drift;
use crate::problems::load_drift::answer::Mean;
use crate::problems::periodic::answer as periodic;
use crate::problems::phase_change::answer as phase_change;
use crate::problems::phase_switching::answer as phase_switching;
use crate::problems::phase_switching::view::start as two_thresholds;
use crate::problems::registry::{Body, Solution};
use crate::problems::stopping::answer as stopping;
use crate::render::headline;
use crate::text::digits::{Shown, plain, proved, up};
use remapping::estimate::Estimate;

/// A number with its name.
pub(super) struct Fact {
    pub name: String,
    /// As many digits as the error allows, and the error.
    pub value: String,
    /// The kind of error.
    pub is: &'static str,
}

const PROVED: &str = "proved";
const SAMPLED: &str = "99 % confidence, sampled";

#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    fn put(&mut self, name: &str, value: impl ToString) {
        self.0.push(Fact { name: name.to_owned(), value: value.to_string(), is: "" });
    }

    fn bounds(&mut self, name: &str, bounds: Bounds) {
        let shown = proved(bounds);
        self.0.push(Fact { name: name.to_owned(), value: shown.joined("±"), is: PROVED });
    }

    fn mean(&mut self, name: &str, Mean { mean, low, high }: Mean) {
        let shown: Shown =
            crate::text::digits::sampled(Estimate { value: mean, lower: low, upper: high });
        self.0.push(Fact { name: name.to_owned(), value: shown.joined("±"), is: SAMPLED });
    }
}

/// The numbers of a solution.
pub(super) fn of(solution: &Solution) -> Vec<Fact> {
    let mut facts = Facts::default();
    if let Some(sentence) = headline(solution) {
        facts.put("answer", sentence);
    }
    match &solution.body {
        Body::PhaseChange(answer) => of_change(&mut facts, answer),
        Body::PhaseSwitching(answer) => of_switching(&mut facts, answer),
        Body::Stopping(answer) => of_stopping(&mut facts, answer),
        Body::LoadDrift(answer) => of_drift(&mut facts, answer),
        Body::Periodic(answer) => of_periodic(&mut facts, answer),
        Body::ManyPhases(answer) => {
            if let Some(value) = answer.value {
                facts.bounds("expected time", value);
            }
            facts.put("beliefs looked at", answer.beliefs.len());
        }
        Body::ContinuousDrift(answer) => {
            facts.bounds("expected cost", answer.value_bounds);
        }
        Body::Fluids(_) | Body::LandBattle(_) => {}
    }
    facts.put("status", solution.status.name());
    facts.put("tolerance", format!("{:e}", solution.tolerance));
    facts.0
}

fn of_change(facts: &mut Facts, answer: &phase_change::Answer) {
    facts.put("last step M", answer.last_step);
    let n0 = match (answer.n0, answer.n0_between) {
        (Some(n0), _) => n0.to_string(),
        (None, Some([least, most])) => format!("between {least} and {most}"),
        (None, None) => "not known".to_owned(),
    };
    facts.put("no remap from step n0", n0);
    let curve = answer.curve();
    if let Some(run) = curve.runs().next() {
        match run.bounds {
            Bounds::NEVER => facts.put(&format!("threshold at step {}", run.first), "never remap"),
            bounds => facts.bounds(&format!("threshold at step {}", run.first), bounds),
        }
    }
    facts.put("widest bounds of a threshold", up(curve.width()));
    if let Some(value) = answer.value {
        facts.bounds("expected time", value);
    }
    if let Some(exact) = &answer.exact {
        facts.put("expected time, exactly", &exact.value);
    }
}

fn of_switching(facts: &mut Facts, answer: &phase_switching::Answer) {
    if let Some([to_second, to_first]) = two_thresholds(answer) {
        let first = answer.first_step.unwrap_or(0);
        let every = || "at every step".to_owned();
        let at = answer.last_step.map_or_else(every, |_| format!("at step {first}"));
        match to_second {
            Bounds::NEVER => facts.put(&format!("to the second mapping, {at}"), "never"),
            bounds => facts.bounds(&format!("to the second mapping above p, {at}"), bounds),
        }
        match to_first {
            Bounds { upper: 0.0, .. } => {
                facts.put(&format!("back to the first, {at}"), "never");
            }
            bounds => facts.bounds(&format!("back to the first below p, {at}"), bounds),
        }
    }
    if let Some(value) = answer.value {
        facts.bounds("expected time", value);
    }
    if let Some(average) = answer.average {
        facts.bounds("average time of a cycle, switches included", average);
    }
    if let Some(exact) = &answer.exact {
        facts.put("expected time, exactly", &exact.value);
    }
}

fn of_stopping(facts: &mut Facts, answer: &stopping::Answer) {
    match answer.cost_by_state {
        None => facts.put("cost of a remap", answer.remap_cost),
        Some(_) => facts.put("cost of a remap, at most", answer.remap_cost),
    }
    match (answer.average, answer.average_of_stop) {
        (Some(average), stop) => {
            facts.bounds("long-run average cost per step", average);
            if let Some(stop) = stop {
                facts.bounds("the same under the map that is optimal for Stop", stop);
            }
        }
        (None, _) => facts.bounds("cost of a remap in all", answer.remap_bounds.into()),
    }
    facts.put("load vectors", answer.states);
    facts.put("load vectors that remap", plain(answer.counts.remap));
    facts.put("proved bounds of the values are apart", up(answer.value_gap));
}

fn of_drift(facts: &mut Facts, answer: &load_drift::Answer) {
    match answer.cost_by_state {
        None => facts.put("cost of a remap", answer.remap_cost),
        Some(_) => facts.put("cost of a remap, at most", answer.remap_cost),
    }
    match (answer.bounds, answer.value) {
        (Some(bounds), _) => {
            facts.mean("expected cost of the policy", bounds.upper);
            facts.mean("no policy costs less than", bounds.lower);
        }
        (None, Some(_)) => facts.bounds("expected cost", answer.value_bounds),
        (None, None) => facts.bounds("expected cost between", answer.value_bounds),
    }
    if let Some(percent) = answer.gap_percent {
        let (value, is) = match answer.gap_interval {
            Some([lower, upper]) => {
                let gap = Estimate { value: percent, lower, upper };
                let value = crate::text::digits::sampled(gap).joined("±");
                (value, "95 % confidence, sampled")
            }
            None => (plain(percent), "the same on each sample path, which gives no interval"),
        };
        let name = "the policy costs more than that, %".to_owned();
        facts.0.push(Fact { name, value, is });
    }
    if let Some(paths) = answer.paths {
        facts.put("sample paths", paths);
    }
    if let Some(remaps) = answer.remaps {
        facts.put("expected remaps", plain(remaps));
    }
    if let Some(utilization) = answer.utilization {
        facts.put("utilization", plain(utilization));
    }
    // With sampled bounds it leaves out the cost of moved units.
    if !answer.statistical || answer.cost_by_state.is_none() {
        facts.put("interval of least average cost", answer.least_average_cost);
    }
    let fixed = answer.best_fixed;
    match fixed.interval {
        None if answer.intervals_evaluated == Some(0) => {}
        None => facts.put("best fixed interval", "never"),
        Some(interval) => {
            facts.put("best fixed interval", interval);
            facts.put("expected cost of the best fixed interval", plain(fixed.value));
        }
    }
    facts.put("expected cost of never remapping", plain(answer.never.value));
    for closest in &answer.closest_threshold {
        let name = format!("closest threshold on max - mean after step {}", closest.step);
        let percent = 100.0 * closest.disagreement;
        let value = match answer.is_above_all(closest.threshold) {
            true => "never".to_owned(),
            false => plain(closest.threshold),
        };
        facts.put(&name, format!("{value}, other than optimal in {percent:.2} % of load vectors"));
    }
}

fn of_periodic(facts: &mut Facts, answer: &periodic::Answer) {
    if let Some(bound) = answer.bound {
        facts.put("bound", bound);
    }
    let what = match answer.at_least {
        None if answer.bound.is_none() => "interval",
        Some(_) => "interval within the bound, at least: the search was stopped",
        None if answer.interval_by == "rms_bound" => "safe interval within the bound",
        None => "longest interval within the bound",
    };
    match (answer.interval, answer.at_least) {
        (Some(steps), _) => facts.put(what, steps),
        (None, None) => facts.put(what, "never ends"),
        // It was not computed.
        (None, Some(_)) => {}
    }
    if answer.bound.is_some() {
        facts.put("proved by", &answer.interval_by);
    }
    if let Some(cost) = &answer.cost_aware {
        facts.put("cost of a remap", cost.remap_cost);
        facts.put("interval of least cost", cost.interval);
        if let Some(per_step) = cost.cost_per_step {
            facts.put("cost per step", plain(per_step));
        }
    }
    facts.put("numerical error of the imbalance", up(answer.deviation_error));
}
