//! `remap fit`.

use super::{FITTED, Opened, looked_at, open};
use crate::cli::{Fit, Log, Reading};
use crate::commands::{Exit, idle};
use crate::complaint::Complaint;
use crate::document::log::Fits;
use crate::document::to_json;
use crate::fitting::{self, Deck, Facts, Kind};
use crate::logs::{Account, Follow, Trace, parts};
use crate::output::{check_free, print, say, write_file};
use crate::run::Watch;
use remapping::estimate::{self, Estimate};
use remapping::fit::growth::Point;
use remapping::fit::whole::{Taking, Whole};
use remapping::record::{Record, Remap};
use serde::Serialize;

/// Collects the steps of a long log; `None` until its beginning is known.
#[derive(Default)]
pub struct Steps(pub Option<Taking>);

impl Follow for Steps {
    fn begin(&mut self, beginning: &Record, _: u64) -> Result<(), Complaint> {
        self.0 = Some(Taking::after(beginning));
        Ok(())
    }

    fn filled(&mut self, ranks: &[bool]) {
        if let Some(taking) = &mut self.0 {
            taking.filled(ranks);
        }
    }

    fn step(&mut self, seconds: &[f64], remap: Option<Remap>) {
        if let Some(taking) = &mut self.0 {
            taking.step(seconds, remap.is_some());
        }
    }
}

pub(in crate::commands) fn run(arguments: &Fit) -> Result<Exit, Complaint> {
    run_on(arguments, &|| None)
}

/// The part of one of several readers of a log; `None` if a single reader must read it all.
pub fn part(log: &Log, place: (usize, usize)) -> Option<parts::Part> {
    // All of these options concern the log as a whole, or convert it.
    let Reading { log_unit, suspected, columns, every, .. } = &log.reading;
    let plain = log_unit.is_none() && !suspected && columns.is_none() && every.is_none();
    let form = log.reading.form();
    plain.then(|| parts::read(&log.traces, form.as_ref(), FITTED, place)).flatten()
}

/// Fits the log, whose parts others may have read.
///
/// # Errors
/// The fault of the log or of the arguments.
pub fn run_on(
    arguments: &Fit,
    read: &dyn Fn() -> Option<(Trace, Whole)>,
) -> Result<Exit, Complaint> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let mut steps = Steps::default();
    let (opened, whole) = match read() {
        Some((trace, whole)) => {
            let log = &arguments.log;
            (looked_at(&log.traces, &log.reading, trace)?, Some(whole))
        }
        None => (open(&arguments.log, FITTED, &mut steps)?, None),
    };
    let Opened { name, trace, remap_cost: cost, cost_origin, .. } = opened;
    let record = &trace.record;
    let watch = Watch::waiting(&name, None);
    let whole = whole.or(steps.0.map(Taking::whole)).unwrap_or_else(|| Whole::of(record));
    let facts = Facts::of(record, whole, cost, cost_origin);
    let mut facts = facts.ok_or_else(|| {
        let message = format!("{name}: {} steps are too few to fit a model", trace.steps());
        Complaint::elsewhere(message, "record a hundred steps or more")
    })?;
    (facts.stride, facts.job_steps) = (trace.stride, arguments.steps);
    let wanted = arguments.model;
    let decks = fitting::decks(&facts, arguments.chain, wanted);
    drop(watch);
    if facts.increments.outliers > 0 {
        let many = facts.increments.outliers;
        say(&format!(
            "note: {name}: {many} times far off their neighbours are left out of the fit"
        ));
    }
    let chosen = match wanted {
        None => &decks[0],
        Some(wanted) => decks.iter().find(|deck| deck.problem == wanted).ok_or_else(|| {
            let message = format!("{name}: no {wanted} model can be fitted");
            Complaint::elsewhere(message, why_not(wanted))
        })?,
    };
    let on_levels = matches!(chosen.problem, "load_drift" | "stopping");
    let chain = [("--chain", arguments.chain != Kind::Auto && !on_levels && !arguments.json)];
    idle::tell(&chain, "it is for loads on levels, and those of the model that is written are not");
    let others: Vec<&Deck> = decks.iter().filter(|deck| deck.problem != chosen.problem).collect();
    let too = if chosen.misfits.is_empty() { " too" } else { "" };
    for deck in &others {
        let verdict = match deck.misfits.is_empty() {
            true => format!("fits{too}"),
            false => "does not fit".to_owned(),
        };
        say(&format!("note: --model {} {verdict}: {}", option(deck), deck.why()));
    }
    if !chosen.misfits.is_empty() {
        say(&format!("warning: {name}: {}", misfit(chosen, &others, &name)));
    }
    let title = format!("Fitted to {name}");
    let file = chosen.file(&title, &facts);
    if arguments.json {
        if let Some(path) = &arguments.out {
            write_file(path, file.as_bytes(), arguments.force)?;
        }
        let models = std::iter::once(chosen).chain(others);
        let models = models.map(|deck| Model::new(deck, &title, &facts)).collect();
        let document = Document {
            trace: name.to_string(),
            log: &trace.account,
            ranks: record.ranks(),
            steps: trace.steps(),
            tested_steps: facts.beginning(),
            recorded_remaps: trace.remaps(),
            remap_cost: cost,
            ranks_alike: facts.alike,
            models,
            repairs: &trace.repairs,
        };
        print(&to_json(&document));
        return Ok(Exit::Done);
    }
    match &arguments.out {
        None => print(&file),
        Some(path) => {
            write_file(path, file.as_bytes(), arguments.force)?;
            print(&chosen.summary(&facts));
        }
    }
    Ok(Exit::Done)
}

/// The document of `--json`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    trace: String,
    /// What was understood of the log.
    log: &'a Account,
    ranks: usize,
    steps: usize,
    /// The first steps, on which the tests are made, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    tested_steps: Option<usize>,
    recorded_remaps: usize,
    remap_cost: f64,
    /// The probability that equal ranks differ at least this much.
    ranks_alike: f64,
    models: Vec<Model<'a>>,
    repairs: &'a [String],
}

#[derive(Debug, Serialize)]
struct Model<'a> {
    problem: &'static str,
    /// Seconds in a unit of load.
    unit: f64,
    unit_seconds: f64,
    /// The number of the program's steps in a step of the model.
    stride: u64,
    fits: Fits,
    parameters: Vec<Parameter<'a>>,
    growth: Vec<Growth>,
    misfits: &'a [String],
    file: String,
}

/// An estimate with its 95 % confidence interval.
#[derive(Debug, Serialize)]
struct Parameter<'a> {
    name: &'a str,
    value: f64,
    low: f64,
    high: f64,
    level: f64,
}

/// E max - mean of the increments of ranks over some steps without a remap.
#[derive(Debug, Serialize)]
struct Growth {
    steps: usize,
    recorded: f64,
    model: f64,
}

impl<'a> Model<'a> {
    fn new(deck: &'a Deck, title: &str, facts: &Facts<'_>) -> Model<'a> {
        let parameter = |(name, found): &'a (String, Estimate)| {
            let Estimate { value, lower: low, upper: high } = *found;
            Parameter { name, value, low, high, level: estimate::LEVEL }
        };
        let growth = |(seen, model): (&Point, &Point)| Growth {
            steps: seen.lag,
            recorded: seen.mean,
            model: model.mean,
        };
        Model {
            problem: deck.problem,
            unit: deck.unit,
            unit_seconds: deck.unit,
            stride: facts.stride,
            fits: deck.fits(),
            parameters: deck.parameters.iter().map(parameter).collect(),
            growth: facts.recorded.iter().zip(&deck.predicted).map(growth).collect(),
            misfits: &deck.misfits,
            file: deck.file(title, facts),
        }
    }
}

/// The name of a model for `--model`.
fn option(deck: &Deck) -> String {
    deck.problem.replace('_', "-")
}

/// The warning for a model that does not fit, with a better one if there is one.
fn misfit(chosen: &Deck, others: &[&Deck], name: &str) -> String {
    let says = "what is solved or exported from this one will say so";
    match others.iter().find(|deck| deck.misfits.is_empty()) {
        Some(other) => {
            format!("--model {} does not fit, {says}: {} does", option(chosen), option(other))
        }
        None => format!("no model fits; {says}: try remap advise {name}"),
    }
}

fn why_not(problem: &str) -> &'static str {
    match problem {
        "phase_change" => "no step is clearly the first of slower ones",
        "stopping" => "chains for each rank need loads on a lattice, and few load vectors",
        "continuous_drift" => "it takes a job of 2,000 steps at most, and loads that move",
        _ => "so many ranks have too many states on six levels or more; fit a periodic model",
    }
}
