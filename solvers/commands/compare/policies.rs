//! `remap compare` for drifting loads and activity meshes: rules side by side.

use super::super::solve::to_json;
use super::{Asked, Exit, Row, report};
use crate::load_drift::{LONGEST_INTERVAL, prepare};
use crate::model::Loaded;
use crate::model::activity_mesh::ActivityMesh;
use crate::model::complaint::Complaint;
use crate::model::load_drift::LoadDrift;
use crate::output::{say, write_file};
use crate::render::plot::{Format, picture};
use crate::render::policies::{Picture, table};
use crate::run::Watch;
use crate::sampling::{Contestant, Report, Start, growth, play};
use remapping::Observer;
use remapping::Status;
use remapping::drift::{
    self, Backward, Carry, Control, Intervals, Loads, MapPolicy, States, Transition,
};
use remapping::policy::{Rule, practice::growth_slope};
use serde::Serialize;
use std::ops::ControlFlow;

/// What is printed and written.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    problem: &'a str,
    #[serde(flatten)]
    report: &'a Report,
    status: Status,
    tolerance: f64,
    version: &'static str,
    seconds: f64,
    warnings: &'a [String],
}

/// Compares policies on drifting loads.
pub(super) fn load_drift(arguments: &Asked<'_>, loaded: &Loaded, model: &LoadDrift) -> Exit {
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let problem = model.problem();
    let played = prepare(loaded, model, &problem).and_then(|(states, transition)| {
        let field =
            Drift { problem: &problem, states: &states, transition: &transition, watch: &watch };
        let contestants = field.contestants(&arguments.policies).map_err(|c| vec![c])?;
        let Some(contestants) = contestants else { return Ok(None) };
        Ok(Some(play(&Loads::new(problem.clone()), &contestants, arguments, &watch)))
    });
    match played {
        Ok(Some((report, status))) => {
            show(arguments, loaded, "load_drift", &report, status, &watch)
        }
        Ok(None) => {
            let status = match watch.progress(0, 1) {
                ControlFlow::Break(halt) => halt.into(),
                ControlFlow::Continue(()) => Status::Interrupted,
            };
            let report = Report::none(arguments);
            show(arguments, loaded, "load_drift", &report, status, &watch)
        }
        Err(complaints) => report(&complaints),
    }
}

/// The usual policies for a report, on the runs asked for.
pub(super) fn rows(arguments: &Asked<'_>, loaded: &Loaded, model: &LoadDrift) -> Vec<Row> {
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let problem = model.problem();
    let Ok((states, transition)) = prepare(loaded, model, &problem) else { return Vec::new() };
    let field =
        Drift { problem: &problem, states: &states, transition: &transition, watch: &watch };
    let Ok(Some(contestants)) = field.contestants(&arguments.policies) else { return Vec::new() };
    let (report, _) = play(&Loads::new(problem.clone()), &contestants, arguments, &watch);
    let row = |line: crate::sampling::Line| Row {
        policy: line.policy,
        cost: line.cost.value,
        half_width: line.cost.half_width(),
        proved: false,
        remaps: Some(line.per_metric.remaps.value),
    };
    report.policies.into_iter().map(row).collect()
}

/// Compares policies on an activity mesh.
pub(super) fn activity_mesh(arguments: &Asked<'_>, loaded: &Loaded, model: &ActivityMesh) -> Exit {
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let workload = model.workload();
    let steps = remapping::simulate::Workload::steps(&workload);
    let cost = remapping::simulate::Workload::remap_cost(&workload);
    let names: Vec<String> = if arguments.policies.is_empty() {
        let intervals = (0..).map(|k| (2.0 * 1.5f64.powi(k)).round() as u64);
        let intervals = intervals.take_while(|&interval| interval <= steps / 2);
        let rules = [
            "never",
            "stop_at_rise",
            "menon",
            "menon_offline",
            "metabalancer",
            "zhai",
            "procassini",
            "marquez:0.1",
        ];
        let rules = rules.into_iter().map(str::to_owned);
        rules.chain(intervals.map(|interval| format!("fixed:{interval}"))).collect()
    } else {
        arguments.policies.clone()
    };
    let contestant = |name: &String| match name.as_str() {
        "menon_offline" => {
            let slope = growth_slope(cost, &growth(&workload, arguments.seed));
            Ok(Contestant::rule(name, Rule::SlopeInterval(slope), None))
        }
        "optimal" | "fixed" | "threshold" => {
            let message = format!("--policies: `{name}` needs a parameter on a mesh");
            Err(Complaint::elsewhere(message, "as in fixed:9 or threshold:20"))
        }
        _ => rule(name).map(|rule| Contestant::rule(name, rule, None)),
    };
    match names.iter().map(contestant).collect::<Result<Vec<_>, _>>() {
        Ok(contestants) => {
            let (report, status) = play(&workload, &contestants, arguments, &watch);
            show(arguments, loaded, "activity_mesh", &report, status, &watch)
        }
        Err(complaint) => report(&[complaint]),
    }
}

fn rule(name: &str) -> Result<Rule, Complaint> {
    name.trim().parse::<Rule>().map_err(|error| {
        let help = "policies: optimal, never, fixed:m, stop_at_rise, threshold:x, utilization:u, \
                    menon, menon_offline, metabalancer, zhai, procassini, marquez:f";
        Complaint::elsewhere(format!("--policies {name}: {error}"), help)
    })
}

/// Drifting loads, and what exact evaluation needs.
struct Drift<'a> {
    problem: &'a drift::LoadDrift,
    states: &'a States,
    transition: &'a Transition,
    watch: &'a Watch,
}

impl Drift<'_> {
    /// The policies asked for, with their exact values where they have one; `None` if halted.
    fn contestants(&self, names: &[String]) -> Result<Option<Vec<Contestant>>, Complaint> {
        let all = [
            "optimal",
            "threshold",
            "fixed",
            "stop_at_rise",
            "menon",
            "menon_offline",
            "metabalancer",
            "zhai",
            "procassini",
            "marquez:0.2",
            "utilization:0.8",
            "never",
        ];
        let names: Vec<String> = match names {
            [] => all.map(str::to_owned).to_vec(),
            _ => names.iter().map(|name| name.trim().to_owned()).collect(),
        };
        // What is misspelt shows before the long computation.
        for name in &names {
            if !["optimal", "threshold", "fixed", "menon_offline"].contains(&name.as_str()) {
                rule(name)?;
            }
        }
        let intervals = Intervals::new(self.problem, LONGEST_INTERVAL, self.watch);
        let wants = |name: &str| names.iter().any(|other| other == name);
        let map = match wants("optimal") || wants("threshold") {
            true => {
                match MapPolicy::solve(self.problem, self.states, self.transition, self.watch) {
                    Ok(map) => Some(map),
                    Err(_) => return Ok(None),
                }
            }
            false => None,
        };
        let mut contestants = Vec::new();
        for name in &names {
            let contestant = match (name.as_str(), &map) {
                ("optimal", Some(map)) => Contestant {
                    name: name.clone(),
                    start: Start::Map(map.clone()),
                    exact: Some(map.value()),
                },
                ("threshold", Some(map)) => {
                    let threshold = match self.problem.steps {
                        0 | 1 => 0.0,
                        _ => map.decisions(1).closest_threshold(self.states).threshold,
                    };
                    self.contestant(Rule::Threshold(threshold), &intervals)
                }
                ("fixed", _) => self.contestant(Rule::Fixed(intervals.best().interval), &intervals),
                ("menon_offline", _) => {
                    let slope = growth_slope(self.problem.remap_cost, &intervals.growth());
                    self.contestant(Rule::SlopeInterval(slope), &intervals)
                }
                _ => self.contestant(rule(name)?, &intervals),
            };
            if let ControlFlow::Break(_) = self.watch.progress(0, 1) {
                return Ok(None);
            }
            contestants.push(contestant);
        }
        Ok(Some(contestants))
    }

    fn contestant(&self, rule: Rule, intervals: &Intervals) -> Contestant {
        let exact = match rule {
            Rule::Never => Some(Intervals::never(self.problem).value),
            Rule::Fixed(interval) if interval >= self.problem.steps => {
                Some(Intervals::never(self.problem).value)
            }
            Rule::Fixed(interval) => {
                let found = intervals.all().get(interval as usize - 1);
                found.map(|found| found.outcome.value)
            }
            Rule::Threshold(threshold) => Some(self.evaluate(Control::Threshold(threshold))),
            Rule::Utilization(minimum) => Some(self.evaluate(Control::Utilization(minimum))),
            _ => None,
        };
        Contestant::rule(&rule.to_string(), rule, exact)
    }

    fn evaluate(&self, control: Control) -> f64 {
        let mut backward =
            Backward::new(self.problem, self.states, self.transition, control, Carry::Value);
        while backward.remaining() > 0 {
            backward.advance();
        }
        backward.value()
    }
}

fn show(
    arguments: &Asked<'_>,
    loaded: &Loaded,
    problem: &str,
    comparison: &Report,
    status: Status,
    watch: &Watch,
) -> Exit {
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let document = Document {
        title: &loaded.model.title,
        problem,
        report: comparison,
        status,
        tolerance: 1e-9,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings: &loaded.warnings,
    };
    let text = to_json(&document);
    arguments.show(&text, || table(&loaded.model.title, comparison));
    match write(arguments, loaded, comparison, &text) {
        Ok(()) => status.into(),
        Err(complaint) => report(&[complaint]),
    }
}

fn write(
    arguments: &Asked<'_>,
    loaded: &Loaded,
    report: &Report,
    text: &str,
) -> Result<(), Complaint> {
    arguments.write_document(text)?;
    if let Some(plot) = &arguments.plot {
        let bytes = picture(Format::of(plot)?, &Picture { title: &loaded.model.title, report })?;
        write_file(plot, &bytes, arguments.force)?;
    }
    Ok(())
}
