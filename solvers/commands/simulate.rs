//! `remap simulate`: synthetic traces of models, written while they are computed.

use super::{Exit, idle};
use crate::cli::Simulate;
use crate::complaint::Complaint;
use crate::output::{check_free, is_closed, print, quit_between_outputs, say, write_with};
use crate::problems::periodic::model::Periodic;
use crate::problems::registry::{Loaded, Problem};
use crate::problems::sampling::Contestant;
use crate::run::is_interrupted;
use crate::text::digits::plain;
use rand::RngExt;
use remapping::load_drift;
use remapping::overlap::Overlap;
use remapping::periodic::sample_path;
use remapping::phase_change::Hazard;
use remapping::policy::Rule;
use remapping::simulate::{Simulated, Stream, stream};
use remapping::two_phase::trace::{HEADER, write_step};
use std::io::{Error, ErrorKind, Write};
use std::ops::ControlFlow;

pub(super) fn run(arguments: &Simulate) -> Result<Exit, Vec<Complaint>> {
    if let Some(path) = &arguments.trace {
        check_free(path, arguments.force)?;
    }
    let loaded = Loaded::read(&arguments.model)?;
    playable(&loaded, arguments)?;
    let drifts = matches!(loaded.problem, Problem::LoadDrift(_) | Problem::ContinuousDrift(_));
    let policy = [("--policy", arguments.policy.is_some() && !drifts)];
    idle::tell(&policy, "it is for drifting loads; this trace has no remaps");
    let mut table = Table::of(&loaded);
    let Some(path) = &arguments.trace else {
        // A reader that has enough is no fault.
        let _ = table.fill(&loaded, arguments, &mut |text| {
            print(text);
            let ended = is_closed() || is_interrupted();
            if ended { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
        });
        tell_cost(&loaded, &table);
        return Ok(if is_interrupted() { Exit::Interrupted } else { Exit::Done });
    };
    let written = write_with(path, arguments.force, |mut file| {
        table.fill(&loaded, arguments, &mut |text| {
            file.write_all(text.as_bytes())?;
            if is_interrupted() { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
        })
    });
    if written.is_err() && is_interrupted() {
        quit_between_outputs("interrupted: no trace is written", 130, || false);
    }
    written?;
    tell_cost(&loaded, &table);
    let Table { ranks, steps, remaps, .. } = table;
    print(&format!(
        "{}: {ranks} ranks x {steps} steps, {remaps} remaps, seed {}\n",
        path.display(),
        arguments.seed
    ));
    Ok(Exit::Done)
}

/// Prints the cost of a remap where the trace does not contain it.
fn tell_cost(loaded: &Loaded, table: &Table) {
    let cost = match &loaded.problem {
        Problem::LoadDrift(model) => {
            Some(load_drift::Loads::new(model.problem()).typical_remap_cost())
        }
        Problem::ContinuousDrift(model) => Some(model.problem().typical_remap_cost()),
        Problem::Periodic(model) => model.remap_cost(),
        Problem::PhaseChange(model) => {
            let problem = model.problem();
            Some((&problem.test + &problem.install).to_f64().value())
        }
        _ => None,
    };
    if let Some(cost) = cost.filter(|_| table.remaps == 0) {
        say(&format!(
            "note: the trace has no remap, and so no cost of one: give --remap-cost {} to fit, advise and replay",
            plain(cost * table.unit)
        ));
    }
}

/// The trace as text, passed on in pieces.
struct Table {
    /// The seconds in a unit of load, and the number of the program's steps in a step of the model.
    unit: f64,
    stride: u64,
    text: String,
    row: Vec<f64>,
    ranks: usize,
    steps: u64,
    remaps: u64,
}

/// The bytes of a piece.
const PIECE: usize = 1 << 18;

/// Receives pieces of text, until it fails.
type Out<'a> = dyn FnMut(&str) -> Result<(), Error> + 'a;

/// Receives steps, each with the cost of a remap just before it.
type Steps<'a> = dyn FnMut(&[f64], Option<f64>) -> ControlFlow<()> + 'a;

impl Table {
    /// For a model that was fitted to a log, in the units and steps of the log.
    fn of(loaded: &Loaded) -> Table {
        let log = loaded.log.clone();
        let (unit, stride) = log.map_or((1.0, 1), |log| (log.unit_seconds, log.stride));
        Table { unit, stride, text: String::new(), row: Vec::new(), ranks: 0, steps: 0, remaps: 0 }
    }

    /// Simulates a model and passes its trace on, until `out` fails.
    fn fill(
        &mut self,
        loaded: &Loaded,
        arguments: &Simulate,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        let mut passed = Ok(());
        play(loaded, arguments, &mut |row, remap| {
            passed = self.step(row, remap, out);
            if passed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        passed.and_then(|()| self.end(out))
    }

    fn step(&mut self, row: &[f64], remap: Option<f64>, out: &mut Out<'_>) -> Result<(), Error> {
        if self.steps == 0 {
            self.text.push_str(HEADER);
        }
        let (step, unit) = (self.steps, self.unit);
        (self.ranks, self.steps) = (row.len(), step + 1);
        self.remaps += u64::from(remap.is_some());
        self.row.clear();
        // Times are not negative.
        self.row.extend(row.iter().map(|load| load.max(0.0) * unit));
        let at = step.saturating_mul(self.stride);
        write_step(&mut self.text, at, &self.row, remap.map(|cost| cost * unit));
        if self.text.len() < PIECE { Ok(()) } else { self.end(out) }
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Error> {
        let given = out(&self.text);
        self.text.clear();
        given
    }
}

/// The most loads of a trace without levels: the whole past is needed for a mapping.
const MOST_LOADS: u64 = 50_000_000;

/// The number of steps in the trace of a model without an end.
const STEPS: u64 = 1000;

/// Refuses problems without a trace.
fn playable(loaded: &Loaded, arguments: &Simulate) -> Result<(), Vec<Complaint>> {
    match &loaded.problem {
        Problem::LoadDrift(_) | Problem::PhaseChange(_) => Ok(()),
        Problem::ContinuousDrift(model) => {
            let steps = arguments.steps.unwrap_or(model.problem().steps);
            if steps.saturating_mul(model.problem().ranks() as u64) <= MOST_LOADS {
                return Ok(());
            }
            let label = format!("{steps} steps of so many processors");
            let help = format!("take fewer: processors x steps may be {MOST_LOADS}");
            let place = "problem.processors";
            Err(vec![loaded.complain(place, "the trace is too long", &label, &help)])
        }
        Problem::Periodic(model) => refuse_periodic(loaded, model),
        _ => {
            let label = "drifting loads, Periodic and PhaseChange models are played";
            let help = "play a LoadDrift, ContinuousDrift, Periodic or PhaseChange model";
            Err(refuse(loaded, "problem", label, help))
        }
    }
}

/// Refuses periodic models without independent changes of known distributions.
fn refuse_periodic(loaded: &Loaded, model: &Periodic) -> Result<(), Vec<Complaint>> {
    if model.chain_loads().is_some() {
        let label =
            "a chain of loads: Periodic models are played whose changes have one law at all loads";
        let help = "write the chain as a LoadDrift model, which is played";
        return Err(refuse(loaded, "problem.changes", label, help));
    }
    if model.has_covariance() {
        let label = "changes that depend on each other are not drawn";
        let help = "leave the covariance out: independent changes are played";
        return Err(refuse(loaded, "problem.covariance", label, help));
    }
    let drawn = sample_path(&model.processors(), 0, 0, |_| ControlFlow::Break(()));
    let help = "state laws in place of moments, as Normal(mean: 0.1, deviation: 1)";
    drawn.ok_or_else(|| {
        refuse(loaded, "problem.changes", "its changes have moments, but no law", help)
    })
}

fn refuse(loaded: &Loaded, place: &str, label: &str, help: &str) -> Vec<Complaint> {
    vec![loaded.complain(place, "no trace can be made of this problem", label, help)]
}

/// Simulates a model step by step.
fn play(loaded: &Loaded, arguments: &Simulate, each: &mut Steps<'_>) {
    match &loaded.problem {
        Problem::LoadDrift(model) => {
            let mut problem = model.problem();
            problem.steps = arguments.steps.unwrap_or(problem.steps);
            let loads = load_drift::Loads::new(problem).overlapping(model.overlap());
            ruled(&loads, model.overlap(), arguments, each);
        }
        Problem::ContinuousDrift(model) => {
            let mut problem = model.problem();
            problem.steps = arguments.steps.unwrap_or(problem.steps);
            let (mean, overlap) = (problem.mean_load, problem.overlap);
            let loads = remapping::continuous_drift::Loads::new(problem);
            let mean = if mean > 0.0 { mean } else { loads.depth() };
            ruled(&loads.about(mean), overlap, arguments, each);
        }
        Problem::Periodic(model) => {
            let steps = arguments.steps.unwrap_or(STEPS);
            sample_path(&model.processors(), arguments.seed, steps, |row| each(row, None));
        }
        Problem::PhaseChange(model) => {
            let problem = model.problem();
            let steps = arguments.steps.unwrap_or(problem.last_step().min(STEPS * 100) + 1);
            two_phases(&problem, steps, arguments.seed, each);
        }
        _ => {}
    }
}

/// One run of a workload under the given rule, as in `remap compare`.
fn ruled(workload: &dyn Simulated, overlap: Overlap, arguments: &Simulate, each: &mut Steps<'_>) {
    let rule = arguments.policy.unwrap_or(Rule::Never);
    let contestant = Contestant::overlapping(rule, overlap, None);
    let policy = contestant.start(workload.typical_remap_cost());
    workload.trace(policy, arguments.seed, &mut |row, remap| each(row, remap));
}

/// The number of ranks of a two-phase trace, and the relative spread of their times.
const RANKS: usize = 8;
const SPREAD: f64 = 0.01;

/// Cycle times before and after a change of phase. The model states the slowest rank's time before,
/// after, and after a remap. After the change one rank has the time of the slowest; the others keep
/// the mean at the remapped time.
fn two_phases(
    problem: &remapping::phase_change::PhaseChange,
    steps: u64,
    seed: u64,
    each: &mut Steps<'_>,
) {
    let number = |value: &remapping::Rational| value.to_f64().value();
    let (before, after) = (number(&problem.before), number(&problem.after));
    let remapped = number(&problem.remapped);
    let mut draws: Stream = stream(seed, 0);
    let mut changed = false;
    let rest = ((RANKS as f64 * remapped - after) / (RANKS - 1) as f64).max(0.0);
    for step in 0..steps {
        let chance: f64 = draws.random();
        let hazard = match &problem.hazard {
            Hazard::Constant(hazard) => number(hazard),
            Hazard::PerStep(list) => {
                list.get(step as usize - 1.min(step as usize)).map_or(0.0, number)
            }
        };
        changed |= step > 0 && chance < hazard;
        let mean = |rank: usize| match (changed, rank) {
            (false, _) => before,
            (true, 0) => after,
            (true, _) => rest,
        };
        let time = |rank: usize| {
            let noise: f64 = draws.random();
            mean(rank) * (1.0 - SPREAD * noise)
        };
        let row: [f64; RANKS] = std::array::from_fn(time);
        if each(&row, None).is_break() {
            return;
        }
    }
}
