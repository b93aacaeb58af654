//! The report: one page that loads nothing from elsewhere.
//!
//! It contains a picture for each position of the sliders. Its script shows one at a time; without
//! scripts the first is visible.

pub mod log;
mod page;
mod variants;

use crate::complaint::Complaint;
use crate::output::say;
use crate::plot::Format;
use crate::problems::comparison::{Usual, usual};
use crate::problems::registry::sweep::Run;
use crate::problems::registry::{Document, Loaded, Solution};
use crate::problems::{self, Files, Settings};
use crate::render;
use crate::text::numbers::{Number, Numbers};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One solution with its variants.
struct Section {
    title: String,
    problem: String,
    /// The sliders, each with its name and positions.
    sliders: Vec<Slider>,
    /// For each combination of positions; the last slider varies fastest.
    frames: Vec<Frame>,
    /// The combination shown first.
    first: Vec<usize>,
    policies: Usual,
    deck: Option<String>,
    warnings: Vec<String>,
}

struct Slider {
    name: String,
    positions: Vec<String>,
}

/// The content at one combination.
struct Frame {
    /// The values set in the model, in the form of `sweep --set`.
    set: String,
    svg: String,
    numbers: Vec<Number>,
}

/// The seconds for evaluating the policies of a model.
const SECONDS_FOR_POLICIES: f64 = 6.0;

/// The page of these solutions, sweeps and models.
pub fn write(paths: &[PathBuf], settings: &Settings) -> Result<String, Vec<Complaint>> {
    let mut sections = Vec::new();
    for path in paths {
        let is_document = path.extension().is_some_and(|extension| extension == "json");
        sections.push(match is_document {
            true => of_document(path)?,
            false => of_model(path, settings)?,
        });
    }
    Ok(page::write(&sections))
}

fn of_document(path: &Path) -> Result<Section, Complaint> {
    let name = path.display().to_string();
    match Document::read(path)? {
        Document::Sweep(sweep) => of_sweep(&sweep.runs, &name),
        document => {
            let solution = document.one(&name)?;
            Ok(Section::of(&solution, vec![frame(&solution, String::new())?]))
        }
    }
}

impl Section {
    /// The section of a solution, with these frames in place of its own.
    fn of(solution: &Solution, frames: Vec<Frame>) -> Section {
        Section {
            title: solution.title.clone(),
            problem: solution.body.problem().to_owned(),
            sliders: Vec::new(),
            frames,
            first: Vec::new(),
            policies: Usual::default(),
            deck: None,
            warnings: solution.warnings.clone(),
        }
    }
}

/// The section of a sweep, with a slider for each path that was set.
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
        let set = run.set.iter().map(|(path, value)| format!("{path}={}", label(value)));
        let set = set.collect::<Vec<String>>().join(";");
        frames[place] = Some(frame(&run.solution, set)?);
    }
    let frames: Option<Vec<Frame>> = frames.into_iter().collect();
    let section = Section::of(&runs[0].solution, frames.ok_or_else(incomplete)?);
    Ok(Section { first: vec![0; sliders.len()], sliders, ..section })
}

fn of_model(path: &Path, settings: &Settings) -> Result<Section, Vec<Complaint>> {
    let loaded = Loaded::read(path)?;
    let solution = problems::solve(&loaded, settings, Files::default())?.solution;
    let found = variants::of(&loaded, &solution, settings)?;
    if let Some(note) = found.note {
        say(&format!("note: {}: {note}", path.display()));
    }
    Ok(Section {
        sliders: found.sliders,
        first: found.first,
        policies: usual(&loaded, SECONDS_FOR_POLICIES),
        deck: std::fs::read_to_string(path).ok(),
        ..Section::of(&solution, found.frames)
    })
}

/// The picture of a solution, and its numbers.
fn frame(solution: &Solution, set: String) -> Result<Frame, Complaint> {
    let svg =
        page::embedded(&render::draw(solution, Format::Svg)?, &page::escaped(&solution.title));
    Ok(Frame { set, svg, numbers: numbers(solution) })
}

/// The important numbers of a solution.
fn numbers(solution: &Solution) -> Vec<Number> {
    let mut numbers = Numbers::default();
    if let Some(sentence) = render::headline(solution) {
        numbers.put("answer", sentence);
    }
    solution.body.answer().numbers(&mut numbers);
    numbers.put("status", solution.status.name());
    numbers.put("tolerance", format!("{:e}", solution.tolerance));
    numbers.0
}
