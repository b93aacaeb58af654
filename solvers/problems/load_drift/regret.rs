//! The cost of deciding by a wrong model of drifting loads.

use super::super::regret::{Failure, Judged, Known, Truth, factor, off};
use super::solve::prepare;
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use remapping::load_drift::{Backward, Carry, Control, LoadDrift, MapPolicy, States, Transition};
use remapping::overlap::Overlap;
use remapping::{Halt, Observer, Rational, Status};
use std::ops::ControlFlow;

/// The true model.
struct True<'a> {
    loaded: &'a Loaded,
    problem: LoadDrift,
    overlap: Overlap,
    states: States,
    transition: Transition,
    known: Known,
}

/// Solves the true model; the inner `Err` has the status where that is stopped.
pub(in crate::problems) fn of<'a>(
    loaded: &'a Loaded,
    watch: &Watch,
) -> Result<Result<Box<dyn Truth + 'a>, Status>, Vec<Complaint>> {
    let Problem::LoadDrift(model) = &loaded.problem else {
        return Err(vec![another(loaded)]);
    };
    let (problem, overlap) = (model.problem(), model.overlap());
    let (states, transition) = prepare(loaded, model, &problem)?;
    let cost = |control| {
        let all = (&states, &transition);
        let backward = Backward::overlapping(&problem, overlap, all, control, Carry::Value);
        finish(backward, &problem, watch)
    };
    let both = cost(Control::Optimal)
        .and_then(|optimum| Ok((optimum, cost(Control::Threshold(f64::INFINITY))?)));
    let (optimum, never) = match both {
        Ok(both) => both,
        Err(halt) => return Ok(Err(halt.into())),
    };
    let known = Known { optimum, never, status: Status::Converged };
    Ok(Ok(Box::new(True { loaded, problem, overlap, states, transition, known })))
}

fn another(loaded: &Loaded) -> Complaint {
    let message = "a model with other processors or levels than the true one";
    loaded.complain("problem", message, "", "change costs, probabilities or steps")
}

/// Bounds on the cost, once the recursion is finished.
fn finish(mut backward: Backward<'_>, problem: &LoadDrift, watch: &Watch) -> Result<Bounds, Halt> {
    while backward.remaining() > 0 {
        let done = problem.steps - backward.remaining();
        if let ControlFlow::Break(halt) = watch.progress(done, problem.steps) {
            return Err(halt);
        }
        backward.look_ahead(watch)?;
        backward.advance();
    }
    let Bounds { lower, upper } = backward.value_bounds();
    Ok(Bounds { lower, upper })
}

impl Truth for True<'_> {
    fn known(&self) -> Known {
        self.known
    }

    fn judge(
        &self,
        assumed: &Loaded,
        place: (&str, &str),
        watch: &Watch,
    ) -> Result<Judged, Failure> {
        let Problem::LoadDrift(model) = &assumed.problem else {
            return Err(vec![another(assumed)].into());
        };
        let believed = model.problem();
        let shape = |problem: &LoadDrift| {
            (problem.processors, problem.chain.levels(), problem.lowest.to_bits())
        };
        if shape(&believed) != shape(&self.problem) {
            return Err(vec![another(assumed)].into());
        }
        let (_, moves) = prepare(assumed, model, &believed)?;
        let maps = (&self.states, &moves);
        let maps = MapPolicy::solve(&believed, model.overlap(), maps, watch);
        let maps = maps.map_err(Failure::Halted)?;
        let first = maps.at(1).map(|map| map.closest_threshold(&self.states).threshold);
        let (all, never) = ((&self.states, &self.transition), Control::Threshold(f64::INFINITY));
        let backward = Backward::overlapping(&self.problem, self.overlap, all, never, Carry::Value);
        let cost = finish(backward.playing(maps), &self.problem, watch).map_err(Failure::Halted)?;
        let factor = factor(self.loaded, place);
        Ok(Judged { cost, threshold: first.unwrap_or(f64::INFINITY), factor })
    }

    fn usual(&self) -> Vec<(String, Vec<String>)> {
        let paths = [
            "problem.remap_cost",
            "problem.remap_cost.fixed",
            "problem.remap_cost.per_unit_moved",
            "problem.overlap.slowdown",
            "problem.chain.up",
            "problem.chain.down",
        ];
        let axis = |path: &str| {
            let base = self.loaded.number(path)?.exact;
            off(self.loaded, path, [&base, &Rational::ZERO], |_| true)
        };
        paths.into_iter().filter_map(axis).collect()
    }
}
