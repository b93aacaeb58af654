//! A report: one page, without anything from elsewhere.
//!
//! There is a picture for each position of the sliders; the page's script shows one of
//! them at a time, and without the script the first is there.

pub mod log;
mod page;
mod variants;

use crate::complaint::Complaint;
use crate::fitting::short;
use crate::model::Loaded;
use crate::output::say;
use crate::plot::Format;
use crate::problems::comparison::{Row, usual};
use crate::problems::{self, Files, Settings};
use crate::render;
use crate::solution::sweep::Run;
use crate::solution::{Body, Document, Solution};
use remapping::Status;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One solution with what belongs to it.
struct Section {
    title: String,
    problem: String,
    /// Sliders: what each is called, and its positions.
    sliders: Vec<Slider>,
    /// For each combination, the last slider varying fastest.
    frames: Vec<Frame>,
    /// The combination shown first.
    first: Vec<usize>,
    policies: Vec<Row>,
    deck: Option<String>,
    warnings: Vec<String>,
}

struct Slider {
    name: String,
    positions: Vec<String>,
}

/// What is shown at one position.
struct Frame {
    svg: String,
    facts: Vec<(String, String)>,
}

/// Seconds that sweeps and comparisons may take for one model.
const SECONDS_PER_MODEL: f64 = 20.0;

/// The page of these solutions, sweeps and models.
pub fn write(paths: &[PathBuf], settings: &Settings) -> Result<String, Vec<Complaint>> {
    let mut sections = Vec::new();
    for path in paths {
        let is_document = path.extension().is_some_and(|extension| extension == "json");
        sections.push(match is_document {
            true => of_document(path).map_err(|complaint| vec![complaint])?,
            false => of_model(path, settings)?,
        });
    }
    Ok(page::write(&sections))
}

fn of_document(path: &Path) -> Result<Section, Complaint> {
    let name = path.display().to_string();
    match Document::read(path)? {
        Document::Solution(solution) => Ok(Section::of(&solution, vec![frame(&solution)?])),
        Document::Sweep(runs) => of_sweep(&runs, &name),
        Document::Advised(_) => {
            let message = format!("{name}: the rule of a log, not the solution of a model");
            Err(Complaint::elsewhere(message, "export it, or play it with replay --solution"))
        }
    }
}

impl Section {
    /// Of a solution, with frames in place of its own.
    fn of(solution: &Solution, frames: Vec<Frame>) -> Section {
        Section {
            title: solution.title.clone(),
            problem: solution.body.problem().to_owned(),
            sliders: Vec::new(),
            frames,
            first: Vec::new(),
            policies: Vec::new(),
            deck: None,
            warnings: solution.warnings.clone(),
        }
    }
}

/// The runs of a sweep: a slider for each path that was set.
fn of_sweep(runs: &[Run], name: &str) -> Result<Section, Complaint> {
    let incomplete = || {
        let message = format!("{name}: the sweep is not complete");
        Complaint::elsewhere(message, "sweep again, to the end")
    };
    let label = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let value = |run: &Run, path: &str| {
        run.set.iter().find(|(known, _)| known == path).map(|(_, value)| label(value))
    };
    let mut sliders = Vec::new();
    for (path, _) in &runs[0].set {
        let mut positions: Vec<String> = Vec::new();
        for value in runs.iter().filter_map(|run| value(run, path)) {
            if !positions.contains(&value) {
                positions.push(value);
            }
        }
        sliders.push(Slider { name: path.clone(), positions });
    }
    let combinations: usize = sliders.iter().map(|slider| slider.positions.len()).product();
    if combinations != runs.len() {
        return Err(incomplete());
    }
    let mut frames: Vec<Option<Frame>> = (0..combinations).map(|_| None).collect();
    for run in runs {
        let place = sliders.iter().fold(0, |place, slider| {
            let value = value(run, &slider.name);
            let at = slider.positions.iter().position(|position| Some(position) == value.as_ref());
            place * slider.positions.len() + at.unwrap_or(0)
        });
        frames[place] = Some(frame(&run.solution)?);
    }
    let frames: Option<Vec<Frame>> = frames.into_iter().collect();
    let section = Section::of(&runs[0].solution, frames.ok_or_else(incomplete)?);
    Ok(Section { first: vec![0; sliders.len()], sliders, ..section })
}

fn of_model(path: &Path, settings: &Settings) -> Result<Section, Vec<Complaint>> {
    let loaded = Loaded::read(path)?;
    let started = std::time::Instant::now();
    let solution = problems::solve(&loaded, settings, Files::default())?.solution;
    let once = started.elapsed().as_secs_f64();
    let found = variants::of(&loaded, &solution, once, settings);
    let (sliders, frames, first) = match found {
        Some(found) => found,
        None => {
            say(&format!(
                "note: {}: too long to solve for other values: no sliders",
                path.display()
            ));
            let base = frame(&solution).map_err(|complaint| vec![complaint])?;
            (Vec::new(), vec![base], Vec::new())
        }
    };
    Ok(Section {
        sliders,
        first,
        policies: usual(&loaded, SECONDS_PER_MODEL),
        deck: std::fs::read_to_string(path).ok(),
        ..Section::of(&solution, frames)
    })
}

/// The picture of a solution, and its numbers.
fn frame(solution: &Solution) -> Result<Frame, Complaint> {
    let svg = String::from_utf8_lossy(&render::draw(solution, Format::Svg)?).into_owned();
    let label = format!("<svg role=\"img\" aria-label=\"{}\"", page::escaped(&solution.title));
    // Inside a page the namespace goes without saying.
    let svg = svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "").replacen("<svg", &label, 1);
    Ok(Frame { svg, facts: facts(solution) })
}

/// A number for people.
fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 { format!("{value:.1e}") } else { short(value) }
}

/// A number of steps that may never come.
fn steps(interval: Option<u64>) -> String {
    interval.map_or("never".to_owned(), |steps| steps.to_string())
}

/// The numbers worth reading, with their bounds.
fn facts(solution: &Solution) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
    let mut expected = None;
    match &solution.body {
        Body::PhaseChange(answer) => {
            add("last step M", answer.last_step.to_string());
            let n0 = match (answer.n0, answer.n0_between) {
                (Some(n0), _) => n0.to_string(),
                (None, Some([least, most])) => format!("between {least} and {most}"),
                (None, None) => "not known".to_owned(),
            };
            add("no remap from step n0", n0);
            expected = answer.value;
            let widest = answer.curve().width();
            add("widest certified bounds of a threshold", format!("{widest:.1e}"));
        }
        Body::PhaseSwitching(answer) => expected = answer.value,
        Body::Stopping(answer) => {
            match answer.cost_by_state {
                None => add("cost of a remap", number(answer.remap_cost)),
                Some(_) => add("cost of a remap, at most", number(answer.remap_cost)),
            }
            add("cost of a remap in all", number(answer.remap_value));
            add("load vectors", answer.states.to_string());
            add("certified gap of the values", number(answer.value_gap));
        }
        Body::LoadDrift(answer) => {
            let known = |value: Option<f64>| value.map_or("not known".to_owned(), number);
            add("cost of a remap", number(answer.remap_cost));
            add("expected cost", known(answer.value));
            add("expected remaps", known(answer.remaps));
            add("utilization", known(answer.utilization));
            add("interval of least average cost", answer.least_average_cost.to_string());
            let fixed = answer.best_fixed;
            let cost = number(fixed.value);
            add("best fixed interval", format!("{}: cost {cost}", steps(fixed.interval)));
            add("never remapping", format!("cost {}", number(answer.never.value)));
        }
        Body::Periodic(answer) => {
            if let Some(bound) = answer.bound {
                add("bound", number(bound));
            }
            let what = match answer.at_least {
                None if answer.bound.is_none() => "interval",
                Some(_) => "interval within the bound, at least",
                None if answer.interval_by == "rms_bound" => "safe interval within the bound",
                None => "longest interval within the bound",
            };
            add(what, steps(answer.interval));
            if let Some(cost) = &answer.cost_aware {
                add("cost of a remap", number(cost.remap_cost));
                add("interval of least cost", cost.interval.to_string());
                if let Some(per_step) = cost.cost_per_step {
                    add("cost per step", number(per_step));
                }
            }
        }
        _ => {}
    }
    if let Some(value) = expected {
        let text = format!("{:.9} ± {:.1e}", value.middle(), value.half_width());
        add("expected time, certified", text);
    }
    let status = match solution.status {
        Status::Converged => "converged",
        Status::IterationLimit => "iteration_limit",
        Status::TimeLimit => "time_limit",
        Status::Interrupted => "interrupted",
    };
    add("status", status.to_owned());
    add("tolerance", number(solution.tolerance));
    facts
}
