//! A report: one page, without anything from elsewhere.
//!
//! Every picture is drawn here, one for each position of the sliders; the page's script shows one of
//! them at a time, and without the script the first is there.

mod page;
mod picture;
mod variants;

use crate::cli::Settings;
use crate::commands::compare::{Row, rows};
use crate::commands::{solve_model, to_json};
use crate::export::rule::Document;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::output::say;
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
const PATIENCE: f64 = 20.0;

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
    let bytes = std::fs::read(path).map_err(|error| {
        let help = "give a model file, or what `remap solve --json` prints";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    })?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        Document { value: &Value::Null, name: &name }.wrong(&format!("not JSON: {error}"))
    })?;
    if let Some(runs) = value.get("runs").and_then(Value::as_array) {
        return of_sweep(runs, &name);
    }
    let document = Document { value: &value, name: &name };
    if value.get("problem").is_none() {
        return Err(document.wrong("not a solution: it has no field `problem`"));
    }
    Ok(Section {
        title: document.text("title")?.to_owned(),
        problem: document.text("problem")?.to_owned(),
        sliders: Vec::new(),
        frames: vec![frame(&document)?],
        first: Vec::new(),
        policies: Vec::new(),
        deck: None,
        warnings: warnings(&value),
    })
}

/// The runs of a sweep: a slider for each path that was set.
fn of_sweep(runs: &[Value], name: &str) -> Result<Section, Complaint> {
    let empty = Document { value: &Value::Null, name };
    let first = runs.first().ok_or_else(|| empty.wrong("a sweep without runs"))?;
    let solution = |run: &Value| run.get("solution").cloned().unwrap_or(Value::Null);
    let label = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let paths = first.get("set").and_then(Value::as_object);
    let paths = paths.ok_or_else(|| empty.wrong("a sweep without values"))?;
    let mut sliders = Vec::new();
    for path in paths.keys() {
        let mut positions: Vec<String> = Vec::new();
        for run in runs {
            let value = label(&run["set"][path]);
            if !positions.contains(&value) {
                positions.push(value);
            }
        }
        sliders.push(Slider { name: path.clone(), positions });
    }
    let combinations: usize = sliders.iter().map(|slider| slider.positions.len()).product();
    if combinations != runs.len() {
        return Err(empty.wrong("the sweep is not complete"));
    }
    let mut frames: Vec<Option<Frame>> = (0..combinations).map(|_| None).collect();
    for run in runs {
        let place = sliders.iter().fold(0, |place, slider| {
            let value = label(&run["set"][&slider.name]);
            let at = slider.positions.iter().position(|position| *position == value);
            place * slider.positions.len() + at.unwrap_or(0)
        });
        frames[place] = Some(frame(&Document { value: &solution(run), name })?);
    }
    let frames: Option<Vec<Frame>> = frames.into_iter().collect();
    let shown = solution(first);
    let document = Document { value: &shown, name };
    Ok(Section {
        title: document.text("title")?.to_owned(),
        problem: document.text("problem")?.to_owned(),
        first: vec![0; sliders.len()],
        sliders,
        frames: frames.ok_or_else(|| empty.wrong("the sweep is not complete"))?,
        policies: Vec::new(),
        deck: None,
        warnings: warnings(&shown),
    })
}

fn of_model(path: &Path, settings: &Settings) -> Result<Section, Vec<Complaint>> {
    let loaded = Loaded::read(path)?;
    let name = path.display().to_string();
    let started = std::time::Instant::now();
    let solved = solve_model(&loaded, settings, None, false)?;
    let once = started.elapsed().as_secs_f64();
    let value: Value = serde_json::from_str(&to_json(&solved)).unwrap_or(Value::Null);
    let document = Document { value: &value, name: &name };
    let base = frame(&document).map_err(|complaint| vec![complaint])?;
    let found = variants::of(&loaded, &value, once, settings);
    let (sliders, frames, first) = match found {
        Some(found) => found,
        None => {
            say(&format!("note: {name}: too long to solve for other values: no sliders"));
            (Vec::new(), vec![base], Vec::new())
        }
    };
    Ok(Section {
        title: solved.title.clone(),
        problem: value["problem"].as_str().unwrap_or("").to_owned(),
        sliders,
        frames,
        first,
        policies: rows(&loaded, PATIENCE),
        deck: std::fs::read_to_string(path).ok(),
        warnings: warnings(&value),
    })
}

fn warnings(solution: &Value) -> Vec<String> {
    let list = solution.get("warnings").and_then(Value::as_array);
    let texts = list.map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    texts.unwrap_or_default()
}

/// The picture of a solution, and its numbers.
fn frame(document: &Document<'_>) -> Result<Frame, Complaint> {
    let svg = picture::draw(document)?;
    Ok(Frame { svg, facts: facts(document.value) })
}

/// The numbers worth reading, with their bounds.
fn facts(solution: &Value) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let number = |value: &Value| match value {
        Value::Null => "never".to_owned(),
        Value::String(text) => text.clone(),
        other => match other.as_f64() {
            Some(value) if value != 0.0 && value.abs() < 1e-4 => format!("{value:.1e}"),
            Some(value) if other.is_f64() => crate::fitting::short(value),
            _ => other.to_string(),
        },
    };
    let mut add = |name: &str, value: &Value| facts.push((name.to_owned(), number(value)));
    let names: &[(&str, &str)] = match solution["problem"].as_str().unwrap_or("") {
        "phase_change" => &[("last step M", "last_step"), ("no remap from step n0", "n0")],
        "stopping" => &[
            ("cost of a remap", "remap_cost"),
            ("cost of a remap in all", "remap_value"),
            ("load vectors", "states"),
            ("certified gap of the values", "value_gap"),
        ],
        "load_drift" => &[
            ("cost of a remap", "remap_cost"),
            ("expected cost", "value"),
            ("expected remaps", "remaps"),
            ("utilization", "utilization"),
            ("interval of least average cost", "least_average_cost"),
        ],
        "periodic" if solution.get("at_least").is_some() => {
            &[("bound", "bound"), ("interval within the bound, at least", "interval")]
        }
        "periodic" if solution["interval_by"] == "rms_bound" => {
            &[("bound", "bound"), ("safe interval within the bound", "interval")]
        }
        "periodic" => &[("bound", "bound"), ("longest interval within the bound", "interval")],
        _ => &[],
    };
    for (name, field) in names {
        if let Some(value) = solution.get(field) {
            add(name, value);
        }
    }
    if let Some(value) = solution.get("value").filter(|value| value.is_object()) {
        let (low, high) = (value["lower"].as_f64(), value["upper"].as_f64());
        if let (Some(low), Some(high)) = (low, high) {
            let text = format!("{:.9} ± {:.1e}", (low + high) / 2.0, (high - low) / 2.0);
            add("expected time, certified", &Value::from(text));
        }
    }
    let lists = (solution.get("threshold_lower"), solution.get("threshold_upper"));
    if let (Some(Value::Array(low)), Some(Value::Array(high))) = lists {
        let width = |(l, h): (&Value, &Value)| Some(h.as_f64()? - l.as_f64()?);
        let widest = low.iter().zip(high).filter_map(width).fold(0.0, f64::max);
        add("widest certified bounds of a threshold", &Value::from(format!("{widest:.1e}")));
    }
    if let Some(cost) = solution.get("cost_aware").filter(|cost| cost.is_object()) {
        add("cost of a remap", &cost["remap_cost"]);
        add("interval of least cost", &cost["interval"]);
        if let Some(per_step) = cost.get("cost_per_step") {
            add("cost per step", per_step);
        }
    }
    for (name, field) in [("best fixed interval", "best_fixed"), ("never remapping", "never")] {
        if let Some(fixed) = solution.get(field).filter(|fixed| fixed.is_object()) {
            let interval = if field == "best_fixed" {
                number(&fixed["interval"]) + ": "
            } else {
                String::new()
            };
            add(name, &Value::from(format!("{interval}cost {}", number(&fixed["value"]))));
        }
    }
    add("status", &solution["status"]);
    add("tolerance", &solution["tolerance"]);
    facts
}
