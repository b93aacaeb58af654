//! `remap simulate`: synthetic traces of our own workloads.

use super::Exit;
use crate::cli::Simulate;
use crate::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::output::{check_free, print, write_file};
use crate::problems::two_phase::trace::Loads;
use rand::RngExt;
use remapping::drift;
use remapping::interval::sample_path;
use remapping::policy::{Rule, Step};
use remapping::simulate::{Stream, Workload, stream};
use remapping::threshold::Hazard;

pub(super) fn run(arguments: &Simulate) -> Result<Exit, Vec<Complaint>> {
    if let Some(path) = &arguments.trace {
        check_free(path, arguments.force).map_err(|complaint| vec![complaint])?;
    }
    let loaded = Loaded::read(&arguments.model)?;
    let (loads, remaps) = match &loaded.model.problem {
        Problem::LoadDrift(model) => {
            let mut problem = model.problem();
            problem.steps = arguments.steps.unwrap_or(problem.steps);
            play(&drift::Loads::new(problem), arguments)
        }
        Problem::Periodic(model) if model.chain_loads().is_none() => {
            let steps = arguments.steps.unwrap_or(STEPS);
            let path = sample_path(&model.processors(), arguments.seed, steps);
            let path =
                path.ok_or_else(|| refuse(&loaded, "its changes have moments, but no law"))?;
            (path, Vec::new())
        }
        Problem::PhaseChange(model) => {
            let problem = model.problem();
            let steps = arguments.steps.unwrap_or(problem.last_step().min(STEPS * 100) + 1);
            (two_phases(&problem, steps, arguments.seed), Vec::new())
        }
        _ => return Err(refuse(&loaded, "LoadDrift, Periodic and PhaseChange models are played")),
    };
    let ranks = loads.first().map_or(1, Vec::len);
    let mut trace = Loads::new(ranks);
    for row in &loads {
        // Times are not negative.
        let out = trace.push_step().iter_mut().zip(row);
        out.for_each(|(out, load)| *out = load.max(0.0));
    }
    let text = trace.to_csv(&remaps);
    match &arguments.trace {
        None => print(&text),
        Some(path) => {
            write_file(path, text.as_bytes(), arguments.force)
                .map_err(|complaint| vec![complaint])?;
            let (steps, remaps) = (loads.len(), remaps.len());
            print(&format!(
                "{}: {ranks} ranks x {steps} steps, {remaps} remaps, seed {}\n",
                path.display(),
                arguments.seed
            ));
        }
    }
    Ok(Exit::Done)
}

/// Steps of a trace of a model without an end.
const STEPS: u64 = 1000;

fn refuse(loaded: &Loaded, label: &str) -> Vec<Complaint> {
    let help = "play a LoadDrift, Periodic or PhaseChange model";
    vec![loaded.complain("problem", "no trace can be made of this problem", label, help)]
}

/// One run of a workload under the rule asked for, and before which steps it was remapped.
fn play<W: Workload>(workload: &W, arguments: &Simulate) -> (Vec<Vec<f64>>, Vec<(usize, f64)>) {
    let mut policy = arguments.policy.as_ref().unwrap_or(&Rule::Never).start(workload.remap_cost());
    let mut world = workload.start(stream(arguments.seed, 0));
    let mut mapping = workload.initial(&mut world);
    let (mut rows, mut remaps) = (Vec::new(), Vec::new());
    let mut step = Step::default();
    for number in 1..=workload.steps() {
        workload.advance(&mut world);
        workload.follow(&world, &mut mapping);
        step.refill(number, |loads| workload.loads(&world, &mapping, loads));
        policy.observe(&step);
        rows.push(step.times().to_vec());
        if number < workload.steps() && policy.wants_remap() {
            policy.remapped();
            workload.remap(&world, &mut mapping);
            remaps.push((rows.len(), workload.remap_cost()));
        }
    }
    (rows, remaps)
}

/// Ranks of a two-phase trace, and the relative spread of their times.
const RANKS: usize = 8;
const SPREAD: f64 = 0.01;

/// Cycle times before and after a change of phase. The model knows the slowest rank before, the
/// slowest after and what a remap makes of the latter: after the change one rank has the former, the
/// others what keeps the mean at the latter.
fn two_phases(problem: &remapping::threshold::PhaseChange, steps: u64, seed: u64) -> Vec<Vec<f64>> {
    let number = |value: &remapping::Rational| value.to_f64().value();
    let (before, after) = (number(&problem.before), number(&problem.after));
    let remapped = number(&problem.remapped);
    let mut draws: Stream = stream(seed, 0);
    let mut changed = false;
    let rest = ((RANKS as f64 * remapped - after) / (RANKS - 1) as f64).max(0.0);
    let mut row = |step: u64| {
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
        (0..RANKS).map(time).collect()
    };
    (0..steps).map(&mut row).collect()
}
