//! The verbs of the command line: each returns the document that it prints with `--json`.

use crate::fails::{complaints, fault, interruptible};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use remap::complaint::Complaint;
use remap::document::to_json;
use remap::fitting::{self, Deck, Facts};
use remap::plot::Format;
use remap::problems::comparison::{self, Contest};
use remap::problems::registry::{Loaded, Solution, of_text};
use remap::problems::{self, Files, Method, Settings};
use remap::proving::Effort;
use remap::render;
use remap::replaying::contest::{Part, contestants, judge};
use remap::replaying::{Ground, IN_USE, OURS, Outset};
use remap::verify::Verification;
use remapping::fit::growth::Point;
use remapping::overlap::Overlap;
use remapping::record::{MOST_SECONDS, Record, Remap};
use remapping::{Halt, Observer};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A model from its text or its file, with other values in some places.
pub fn loaded(
    path: Option<PathBuf>,
    text: Option<String>,
    set: &[(String, String)],
) -> Result<Loaded, Vec<Complaint>> {
    let base = match text {
        Some(text) => {
            let path = path.unwrap_or_else(|| "model".into());
            Loaded::from_text(&path, text)?
        }
        None => Loaded::read(path.as_deref().unwrap_or(Path::new("")))?,
    };
    if set.is_empty() {
        return Ok(base);
    }
    let set: Vec<(&str, &str)> = set.iter().map(|(p, v)| (p.as_str(), v.as_str())).collect();
    base.with(&set)
}

fn method(name: &str) -> PyResult<Method> {
    let all = [Method::Auto, Method::Value, Method::Policy, Method::Exact, Method::Bounds];
    all.into_iter().find(|method| method.name() == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|method| method.name()).collect();
        fault(format!("`{name}` is not a method: take {}", names.join(", ")))
    })
}

/// The document of `remap solve`, and whether Ctrl-C came before its end.
#[pyfunction]
#[pyo3(signature = (path, text, set, tolerance, time_limit, values, method_name))]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python's solve")]
pub fn solve(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<String>,
    set: Vec<(String, String)>,
    tolerance: Option<f64>,
    time_limit: Option<f64>,
    values: bool,
    method_name: &str,
) -> PyResult<(String, bool)> {
    if let Some(wrong) = tolerance.filter(|tolerance| !(*tolerance > 0.0 && *tolerance < 1.0)) {
        return Err(fault(format!("tolerance = {wrong}: it lies between 0 and 1")));
    }
    if let Some(seconds) = time_limit {
        above_0("time_limit", seconds)?;
    }
    let usual = Settings::default();
    let settings = Settings {
        tolerance: tolerance.unwrap_or(usual.tolerance),
        gap: tolerance,
        time_limit,
        values,
        method: method(method_name)?,
        ..usual
    };
    let (found, stopped) = interruptible(py, || {
        let model = loaded(path, text, &set)?;
        problems::check_method(&model, settings.method).map_err(|complaint| vec![complaint])?;
        let solved = problems::solve(&model, &settings, Files::default())?;
        Ok::<_, Vec<Complaint>>(to_json(&solved.solution))
    })?;
    Ok((found.map_err(|all| complaints(&all))?, stopped))
}

/// A solution from its document.
fn solved(text: String) -> PyResult<Solution> {
    of_text("the solution".to_owned(), text).map_err(|complaint| complaints(&[complaint]))
}

/// The summary that `remap solve` prints of a solution: its title, the answer in a sentence, numbers.
#[pyfunction]
pub fn summary(text: String) -> PyResult<String> {
    Ok(render::summary(&solved(text)?))
}

/// The picture of a solution, as the text of an SVG file.
#[pyfunction]
pub fn picture(text: String) -> PyResult<String> {
    let drawn = render::draw(&solved(text)?, Format::Svg);
    let drawn = drawn.map_err(|complaint| complaints(&[complaint]))?;
    String::from_utf8(drawn).map_err(fault)
}

/// The document of `remap compare`.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<String>,
    policies: Vec<String>,
    runs: u32,
    seed: u64,
) -> PyResult<(String, bool)> {
    within("runs", u64::from(runs), 1, 10_000_000)?;
    let contest = Contest { policies, runs, seed, time_limit: None };
    let (found, stopped) = interruptible(py, || {
        let model = loaded(path, text, &[])?;
        comparison::compare(&model, &contest).map(|comparison| to_json(&comparison))
    })?;
    Ok((found.map_err(|all| complaints(&all))?, stopped))
}

/// The document of `remap verify`.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<String>,
    cases: u32,
    seed: u64,
) -> PyResult<(String, bool)> {
    within("cases", u64::from(cases), 0, 1_000_000)?;
    let (found, stopped) = interruptible(py, || {
        let model = loaded(path, text, &[])?;
        Ok::<_, Vec<Complaint>>(to_json(&Verification::of(&model, Effort { cases, seed })))
    })?;
    Ok((found.map_err(|all| complaints(&all))?, stopped))
}

/// A record of an array with a row for each step, without a copy beyond the record's own.
pub fn record(
    times: &PyReadonlyArray2<'_, f64>,
    remaps: Vec<(usize, Option<f64>)>,
) -> PyResult<Record> {
    let ranks = times.shape()[1];
    let seconds = match times.as_slice() {
        Ok(rows) => rows.to_vec(),
        Err(_) => times.as_array().iter().copied().collect(),
    };
    let remaps = remaps.into_iter().map(|(before, seconds)| Remap { before, seconds }).collect();
    let record = Record::new(ranks, seconds, remaps).map_err(fault)?;
    match record.largest() <= MOST_SECONDS {
        true => Ok(record),
        false => Err(fault(format!("{:e} is too large for a time", record.largest()))),
    }
}

fn model(deck: &Deck, title: &str, facts: &Facts<'_>) -> Value {
    let parameters = deck.parameters.iter().map(|(name, found)| {
        json!({"name": name, "value": found.value, "low": found.lower, "high": found.upper})
    });
    let growth = facts.recorded.iter().zip(&deck.predicted).map(|(seen, model): (&Point, &Point)| {
        json!({"steps": seen.lag, "recorded": seen.mean, "model": model.mean})
    });
    json!({
        "problem": deck.problem,
        "unit_seconds": deck.unit,
        "fits": deck.misfits.is_empty(),
        "why": deck.why(),
        "parameters": parameters.collect::<Vec<_>>(),
        "growth": growth.collect::<Vec<_>>(),
        "misfits": deck.misfits,
        "file": deck.file(title, facts),
    })
}

/// The models of `remap fit`.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    times: PyReadonlyArray2<'_, f64>,
    remap_cost: f64,
    remaps: Vec<(usize, Option<f64>)>,
    steps: Option<u64>,
) -> PyResult<(String, bool)> {
    let record = record(&times, remaps)?;
    let cost = cost(remap_cost)?;
    if let Some(steps) = steps {
        within("job_steps", steps, 1, 1_000_000_000)?;
    }
    let (found, stopped) = interruptible(py, || {
        let origin = match record.mean_remap_cost() {
            Some(_) => "as recorded",
            None => "as given",
        };
        let mut facts = Facts::of(&record, cost, origin)?;
        facts.job_steps = steps;
        let decks = fitting::decks(&facts, fitting::Kind::Auto, None);
        let models: Vec<Value> =
            decks.iter().map(|deck| model(deck, "Fitted to an array", &facts)).collect();
        Some(to_json(&json!({
            "ranks": record.ranks(),
            "steps": record.steps(),
            "remap_cost": cost,
            "models": models,
        })))
    })?;
    let few = || fault(format!("{} steps are too few to fit a model", record.steps()));
    Ok((found.ok_or_else(few)?, stopped))
}

fn cost(remap_cost: f64) -> PyResult<f64> {
    above_0("remap_cost", remap_cost)?;
    match remap_cost <= MOST_SECONDS {
        true => Ok(remap_cost),
        false => Err(fault(format!("remap_cost = {remap_cost:e}: it is too large"))),
    }
}

fn above_0(name: &str, value: f64) -> PyResult<()> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(fault(format!("{name} = {value}: it is a number above 0"))),
    }
}

/// Whether a whole number is one that the command line takes.
fn within(name: &str, value: u64, least: u64, most: u64) -> PyResult<()> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(fault(format!("{name} = {value}: it lies between {least} and {most}"))),
    }
}

/// Stops when Python has been interrupted.
struct Interruptible;

impl Observer for Interruptible {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        match remap::run::is_interrupted() {
            true => ControlFlow::Break(Halt::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }
}

/// What policies came to, as `remap replay` does.
#[pyfunction]
pub fn replay(
    py: Python<'_>,
    times: PyReadonlyArray2<'_, f64>,
    remap_cost: f64,
    policies: Vec<String>,
    remaps: Option<Vec<(usize, Option<f64>)>>,
    split: f64,
    seed: u64,
) -> PyResult<(Option<String>, bool)> {
    let known = remaps.is_some();
    let record = record(&times, remaps.unwrap_or_default())?;
    let remap_cost = cost(remap_cost)?;
    let steps = record.steps();
    if !(split > 0.0 && split < 1.0) {
        return Err(fault(format!("split = {split}: it lies between 0 and 1")));
    }
    let cut = (steps as f64 * split).round() as usize;
    if cut < 3 || steps < cut + 2 {
        return Err(fault(format!(
            "{cut} steps to train on and {} to judge: record more",
            steps - cut
        )));
    }
    let names = match policies.is_empty() {
        true => OURS.iter().chain(&IN_USE).map(|name| (*name).to_owned()).collect(),
        false => policies,
    };
    let (found, stopped) = interruptible(py, || {
        let (training, from) = (0..cut, Outset::Balance);
        let ground = Ground {
            record: &record,
            remap_cost,
            overlap: Overlap::NONE,
            training,
            seed,
            from,
            end_known: true,
        };
        let mut all = Vec::new();
        // Ctrl-C is heard between two trainings.
        for name in names.chunks(1) {
            if Interruptible.check().is_break() {
                return Ok(None);
            }
            let trained = contestants(&ground, name, None, &mut Vec::new());
            all.extend(trained.map_err(|one| vec![one])?);
        }
        let parts = [Part { ground, contestants: all, steps: cut..steps }];
        let judged = judge(&parts, known, &Interruptible).ok();
        Ok::<_, Vec<Complaint>>(judged.map(|judged| {
            let remaps = judged.courses.iter().map(|course| &course.remaps);
            to_json(&json!({
                "ranks": record.ranks(),
                "steps": steps,
                "remap_cost": remap_cost,
                "judged_from": cut,
                "clairvoyant": judged.clairvoyant,
                "best_in_use": judged.best_in_use.0,
                "policies": judged.lines,
                "remaps": remaps.collect::<Vec<_>>(),
            }))
        }))
    })?;
    Ok((found.map_err(|all| complaints(&all))?, stopped))
}
