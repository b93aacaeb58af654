//! Solves the `LoadDrift` problem: from the model to the optimal policy.

use super::super::{Asked, Found, Settings};
use super::answer::{Answer, Fixed, Representation};
use super::bounds::at_most;
use super::induction::course::Course;
use super::induction::kept::{Kept, collected};
use super::induction::moment::Moment;
use super::induction::recursion::{Noted, Pause, run};
use super::model::LoadDrift;
use crate::checkpoint::{Checkpoint, Identity, Iteration, Saved};
use crate::complaint::Complaint;
use crate::document::dynamics::{Dynamics, Kind, MOST_LEVELS, Moves};
use crate::memory;
use crate::model::file::ModelFile;
use crate::output::say;
use crate::problems::registry::Body;
use crate::problems::shared::sampled::stopped;
use crate::problems::stopping::answer::CostByState;
use crate::problems::together::{Together, on_any};
use crate::run::Watch;
use remapping::imbalance::RunningCost;
use remapping::load_drift::{
    self, Backward, Carry, Control, Intervals, Outcome, Ranks, States, Transition, Unremapped,
};
use remapping::overlap::Overlap;
use remapping::phase_change::Bounds;
use remapping::{Communicator, Observer, Status};

/// The longest interval evaluated; longer ones are represented by never.
pub const LONGEST_INTERVAL: u64 = 1000;

/// The most states times steps for finding the best threshold along with the solution: at most a
/// second.
const QUICK: u64 = 2_000_000;

/// Solves the model, from its checkpoint if there is one.
pub fn solve(asked: &Asked<'_, Settings>, model: &LoadDrift) -> Result<Found, Vec<Complaint>> {
    let found = solve_on(asked, model, asked.watch, (&Ranks::alone(), None))?;
    Ok(found.expect("there is no other rank"))
}

/// The same on several ranks, the first of which has the answer. The clock `together` stops the
/// recursion and is the same on all ranks. `course` decides when blocks of states move.
pub(super) fn solve_on(
    asked: &Asked<'_, Settings>,
    model: &LoadDrift,
    together: &dyn Observer,
    (ranks, mut course): (&Ranks, Option<&mut Course>),
) -> Result<Option<Found>, Vec<Complaint>> {
    let Asked { loaded, settings, files, watch } = *asked;
    let problem = model.problem();
    if ranks.others().is_none()
        && let Some(shortage) = shortage(model)
    {
        return Err(refused(loaded, &shortage, Some(Status::IterationLimit)));
    }
    let unremapped = without_remaps(loaded, &problem, watch, ranks.others().map(|all| all.0))?;
    let transition = joint(loaded, &problem)?;
    let wanted = settings.step.or(settings.values.then_some(1));
    let is_first = ranks.others().is_none_or(|(others, _)| others.rank() == 0);
    let identity = Identity::new(loaded.stated(), None, Iteration::Recursion { step: wanted });
    let overlap = model.overlap();
    // Value, work and number of remaps.
    let bytes = 3 * 8 * transition.states() as u64;
    let checkpoint = Checkpoint::new(files.folder, &loaded.path, identity).of_size(bytes);
    let mut noted = Noted { wanted, ..Noted::default() };
    let saved = match ranks.others() {
        _ if files.force => Ok(None),
        Some(others) => checkpoint.load_shared(others),
        None => checkpoint.load(),
    };
    let place = checkpoint.path().to_owned();
    let refuse = |reason: &str| {
        let message = format!("{}: {reason}", place.display());
        vec![Complaint::elsewhere(message, "delete it, or start anew with --force")]
    };
    let (mut begin, mut left) = (None, None);
    if let Some(Saved { snapshot, notes }) = saved? {
        let recalled = noted.recall(&notes, transition.states());
        recalled.ok_or_else(|| refuse("the notes do not add up"))?;
        left = Some(snapshot.remaining);
        begin = Some(snapshot);
    }
    let mut kept = Kept::new(checkpoint, ranks.clone(), left);
    let mut warnings = Vec::new();
    let last = problem.steps.saturating_sub(1 + overlap.steps);
    if let Some(step) = settings.step.filter(|step| *step > last) {
        warnings.push(match last {
            0 => format!("no map of step {step}: this program has no decisions"),
            _ => format!("no map of step {step}: the last decision is that of step {last}"),
        });
    }
    loop {
        let states = part(loaded, &problem, kept.ranks())?;
        let (all, carry) = ((&states, &transition), Carry::Outcome);
        let control = Control::Optimal;
        let backward = Backward::overlapping(&problem, overlap, all, control, carry);
        let mut backward = backward.shared(kept.ranks().clone());
        if let Some(snapshot) = begin.take() {
            backward.resume(snapshot).map_err(|error| refuse(&error.to_string()))?;
        }
        if let (Some(left), true) = (left.take(), is_first) {
            say(&format!("resuming with {left} steps to go from {}", place.display()));
        }
        if let Some(course) = course.as_mut().filter(|course| course.is_moving()) {
            course.moved();
        }
        let way = (&mut kept, &mut course);
        let seen = (&mut noted, &mut warnings);
        let late = overlap.steps;
        match run((&mut backward, &transition), (&problem, late), way, together, seen) {
            Pause::Moved(shares) => {
                let snapshot = backward.into_snapshot();
                begin = Some(snapshot.moved(kept.ranks(), &shares));
                kept.share(shares);
            }
            Pause::Ended(status) => {
                let ended = Ended { asked, model, backward: &backward, problem: &problem, status };
                let ranks = (kept.ranks(), together);
                let answer = ended.answer((&states, &transition), ranks, unremapped, noted)?;
                return Ok(answer.map(|answer| {
                    if let Some(known) = answer.intervals_evaluated {
                        warnings.push(format!(
                            "stopped while fixed intervals were evaluated: best_fixed is the best of 1 to {known} steps"
                        ));
                    }
                    Found::new(Body::LoadDrift(Box::new(answer)), status, warnings)
                }));
            }
        }
    }
}

/// The states of the own rank.
fn part(
    loaded: &ModelFile,
    problem: &load_drift::LoadDrift,
    ranks: &Ranks,
) -> Result<States, Vec<Complaint>> {
    let (processors, levels) = (problem.processors, problem.chain.levels());
    let states = match ranks.others() {
        None => States::new(processors, levels),
        Some((others, shares)) => States::part(processors, levels, shares.own(others.rank())),
    };
    states.map_err(|error| refused(loaded, &error.to_string(), None))
}

/// A recursion that has ended.
struct Ended<'e> {
    asked: &'e Asked<'e, Settings>,
    model: &'e LoadDrift,
    backward: &'e Backward<'e>,
    problem: &'e load_drift::LoadDrift,
    status: Status,
}

impl Ended<'_> {
    /// The answer, on the first rank.
    fn answer(
        &self,
        (states, transition): (&States, &Transition),
        (ranks, together): (&Ranks, &dyn Observer),
        unremapped: Unremapped,
        noted: Noted,
    ) -> Result<Option<Answer>, Vec<Complaint>> {
        let &Ended { asked, model, backward, problem, status } = self;
        let Asked { loaded, settings, watch, .. } = *asked;
        let is_first = ranks.others().is_none_or(|(others, _)| others.rank() == 0);
        let overlap = model.overlap();
        let moment = Moment::now(None);
        // Where moved units cost something, fixed intervals need the operator, and their evaluation
        // may be stopped.
        let observer: &dyn Observer = match status {
            Status::Converged if problem.per_unit_moved > 0.0 => together,
            Status::Converged => &(),
            _ => &moment,
        };
        let fixed = |observer| {
            let all = (states, ranks);
            Intervals::overlapping(problem, overlap, all, transition, LONGEST_INTERVAL, observer)
        };
        let fixed = match ranks.others() {
            Some((others, _)) if problem.per_unit_moved > 0.0 => {
                Some(fixed(&Together::new(observer, others)))
            }
            _ => is_first.then(|| fixed(observer)),
        };
        let (outcome, bounds) = (backward.outcome(), backward.value_bounds());
        let cost_to_go = (settings.values && status == Status::Converged)
            .then(|| collected(backward.cost_to_go(), ranks));
        let Some(fixed) = fixed.filter(|_| is_first) else { return Ok(None) };
        let mut answer = self.lay_out((outcome, bounds), states, (&fixed, unremapped), noted);
        answer.cost_to_go = cost_to_go;
        let each = problem.steps.saturating_mul(1 + overlap.steps);
        let quick = (states.all() as u64).saturating_mul(each) <= QUICK;
        if quick && status == Status::Converged && !answer.closest_threshold.is_empty() {
            let (states, transition) = prepare(loaded, model, problem)?;
            let all = (&states, &transition);
            let closest = answer.closest_threshold.iter().map(|at| (at.step, at.threshold));
            let closest: Vec<(u64, f64)> = closest.collect();
            let best = problem.best_threshold(overlap, all, closest[0].1, watch);
            answer.best_threshold = best.ok();
            let by_step = problem.value_of_thresholds(overlap, all, &closest, watch);
            answer.closest_value = by_step.ok();
        }
        Ok(Some(answer))
    }

    fn lay_out(
        &self,
        (outcome, bounds): (Option<Outcome>, Bounds),
        states: &States,
        (fixed, unremapped): (&Intervals, Unremapped),
        found: Noted,
    ) -> Answer {
        let (backward, problem, overlap) = (self.backward, self.problem, self.model.overlap());
        let done = backward.remaining() == 0;
        let outcome = outcome.filter(|_| done);
        let Bounds { lower, upper } = bounds;
        let never = unremapped.never;
        let best = fixed.best();
        let best_fixed = if best.outcome.value < never.value
            && best.interval < problem.steps
            && best.outcome.remaps > 0.0
        {
            of_outcome(Some(best.interval), &best.outcome)
        } else {
            of_outcome(None, &never)
        };
        // Remaps cost the same everywhere and take effect at once.
        let simple = problem.per_unit_moved == 0.0 && overlap.is_none();
        let upper = match best_fixed.interval.unwrap_or(problem.steps) {
            _ if done => upper,
            _ if !simple => at_most(problem, problem.steps, never.value),
            interval => at_most(problem, interval, best_fixed.value),
        };
        let mut closest_threshold = found.closest;
        closest_threshold.reverse();
        let letter = |state| {
            if found.decisions.as_ref().is_some_and(|d| d.remaps(state)) { 'R' } else { 'C' }
        };
        Answer {
            remap_cost: match overlap.is_none() {
                true => backward.dearest_remap(),
                false => problem.dearest_remap(states),
            },
            states: Some(states.all() as u64),
            representation: match backward.largest_region() {
                Some(_) => Representation::Active,
                None => Representation::Full,
            },
            active_states: backward.largest_region(),
            value: outcome.map(|outcome| outcome.value),
            time: outcome.map(|outcome| outcome.time),
            work: outcome.map(|outcome| outcome.work),
            remaps: outcome.map(|outcome| outcome.remaps),
            utilization: outcome.map(|outcome| outcome.utilization()),
            value_bounds: Bounds { lower, upper },
            best_fixed,
            intervals_evaluated: fixed.halted().map(|_| fixed.all().len() as u64),
            never: of_outcome(None, &never),
            least_average_cost: match simple {
                false => fixed.least_average(),
                true => unremapped.least_average_cost,
            },
            closest_threshold,
            decision_step: found.wanted.filter(|_| found.decisions.is_some()),
            decision: found.decisions.as_ref().map(|_| (0..states.all()).map(letter).collect()),
            fixed_utilization: fixed
                .all()
                .iter()
                .take((6 * best_fixed.interval.unwrap_or(50) as usize).max(20))
                .map(|fixed| fixed.outcome.utilization())
                .collect(),
            dynamics: dynamics(problem, overlap),
            ..posed(problem, overlap)
        }
    }
}

/// The memory that is missing for a solution over all states.
pub(super) fn shortage(model: &LoadDrift) -> Option<String> {
    let needed = model.memory();
    let there = memory::available().filter(|there| needed > *there)?;
    let (needed, there) = (memory::show(needed), memory::show(there));
    Some(format!("all states need {needed} of memory, {there} are free"))
}

/// The state space and the operator, if they fit.
pub fn prepare(
    loaded: &ModelFile,
    model: &LoadDrift,
    problem: &load_drift::LoadDrift,
) -> Result<(States, Transition), Vec<Complaint>> {
    if let Some(shortage) = shortage(model) {
        return Err(refused(loaded, &shortage, Some(Status::IterationLimit)));
    }
    let states = States::new(problem.processors, problem.chain.levels());
    let states = states.map_err(|error| refused(loaded, &error.to_string(), None))?;
    Ok((states, joint(loaded, problem)?))
}

/// The cost without remaps. It is computed first: it takes far less time, and all answers show it.
/// On several ranks all continue, or none.
pub(super) fn without_remaps(
    loaded: &ModelFile,
    problem: &load_drift::LoadDrift,
    watch: &Watch,
    others: Option<&dyn Communicator>,
) -> Result<Unremapped, Vec<Complaint>> {
    let found = Unremapped::of(problem, &Moment::now(Some(watch)));
    match (on_any(others, found.is_err()), found) {
        (false, Ok(found)) => Ok(found),
        (_, found) => {
            let message = "stopped before it was known what the program costs without remaps";
            let label = format!("{} steps", problem.steps);
            let help = "allow more time, or take fewer steps";
            let mut complaint = loaded.complain("problem.steps", message, &label, help);
            complaint.limit = Some(found.err().map_or_else(|| stopped(watch), Status::from));
            Err(vec![complaint])
        }
    }
}

/// The operator alone.
pub(super) fn joint(
    loaded: &ModelFile,
    problem: &load_drift::LoadDrift,
) -> Result<Transition, Vec<Complaint>> {
    Transition::new(&problem.chain, problem.processors)
        .map_err(|error| refused(loaded, &error.to_string(), None))
}

/// The error if there is nothing to show. `limit` is the status if a limit is the cause.
pub(super) fn refused(loaded: &ModelFile, label: &str, limit: Option<Status>) -> Vec<Complaint> {
    let help = "take fewer processors or levels, or --method bounds";
    let mut complaint = loaded.complain("problem", "this model cannot be solved", label, help);
    complaint.limit = limit;
    vec![complaint]
}

/// An answer that repeats the problem, and says nothing yet.
pub(super) fn posed(problem: &load_drift::LoadDrift, overlap: Overlap) -> Answer {
    Answer {
        processors: problem.processors,
        lowest: problem.lowest,
        levels: problem.chain.levels(),
        initial_load: problem.lowest + problem.initial as f64,
        steps: problem.steps,
        cost_by_state: (problem.per_unit_moved > 0.0).then_some(CostByState::Moved {
            fixed: problem.remap_cost,
            per_unit_moved: problem.per_unit_moved,
        }),
        before_step: problem.timing == load_drift::Timing::BeforeStep,
        overlap: Some(overlap).filter(|overlap| !overlap.is_none()),
        ..Answer::default()
    }
}

/// The data for evaluating other rules, where a remap splits loads evenly and at once.
pub fn dynamics(problem: &load_drift::LoadDrift, overlap: Overlap) -> Option<Dynamics> {
    use load_drift::{Objective, Timing};
    let fits =
        problem.rebalance == load_drift::Rebalance::Split && problem.chain.levels() <= MOST_LEVELS;
    let fits = fits && problem.per_unit_moved == 0.0 && overlap.is_none();
    fits.then(|| Dynamics {
        chains: vec![Moves::of(problem.lowest as i64, &problem.chain.rows())],
        capacities: Vec::new(),
        running_cost: RunningCost::MaxMinusMean,
        course: match (problem.timing, problem.objective) {
            (Timing::AfterStep, Objective::Imbalance) => Kind::AfterStep,
            (Timing::BeforeStep, Objective::Imbalance) => Kind::BeforeStep,
            (Timing::AfterStep, Objective::Makespan) => Kind::AfterStepMakespan,
            (Timing::BeforeStep, Objective::Makespan) => Kind::BeforeStepMakespan,
        },
    })
}

pub(super) fn of_outcome(interval: Option<u64>, outcome: &Outcome) -> Fixed {
    Fixed { interval, value: outcome.value, utilization: outcome.utilization() }
}
