//! `remap monitor`: measurements in, a decision a line out.

use super::Exit;
use crate::cli::Monitor as Arguments;
use crate::complaint::Complaint;
use crate::measurements::{Measurement, measurements, wrong_line};
use crate::model::{Loaded, Problem};
use crate::output::{is_closed, print, say};
use crate::run::{Watch, is_interrupted};
use remapping::Status;
use remapping::belief::Report;
use remapping::monitor::{Clusters, Decision, Monitor};
use remapping::threshold::{self, Accuracy};
use serde::Serialize;

/// What is printed for a measurement.
#[derive(Serialize)]
struct Row {
    line: u64,
    measurement: f64,
    step: Option<u64>,
    report: Option<&'static str>,
    belief: f64,
    threshold: Option<f64>,
    decision: &'static str,
}

const CORRECT: &str = "correct it, or leave such lines out with --skip-invalid";

const HEADER: &str = "line,measurement,step,report,belief,threshold,decision\n";

impl Row {
    fn csv(&self) -> String {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        format!(
            "{},{},{},{},{},{},{}\n",
            self.line,
            self.measurement,
            self.step.map_or_else(String::new, |step| step.to_string()),
            self.report.unwrap_or_default(),
            self.belief,
            number(self.threshold),
            self.decision
        )
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Vec<Complaint>> {
    let loaded = Loaded::read(&arguments.model)?;
    let Problem::PhaseChange(model) = &loaded.model.problem else {
        let help = "give a model with problem: PhaseChange(...)";
        return Err(vec![loaded.complain(
            "problem",
            "only changes of phase are monitored",
            "",
            help,
        )]);
    };
    let problem = model.problem();
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = threshold::solve(&problem, accuracy, &Watch::start(&loaded.model.title, None))
        .map_err(|error| vec![loaded.complain("problem", &error.to_string(), "", "")])?;
    if solution.status == Status::Interrupted {
        return Ok(Exit::Interrupted);
    }
    if let Some(first) = solution.curve.first_step().filter(|first| *first > 0) {
        let label = format!("the steps below {first} are missing");
        let help = "take a smaller M, or a law whose failure rate is constant over most steps";
        let message = "not all thresholds of this model can be computed";
        return Err(vec![loaded.complain("problem.lifetime", message, &label, help)]);
    }
    let clusters = Clusters::new(arguments.batch, arguments.cluster).expect("the flags' ranges");
    let monitor = Monitor::new(&problem, &solution.curve, clusters);
    let Some(mut monitor) = monitor.filter(|_| model.says_yes_or_no()) else {
        let label = "the change test says yes or no";
        let help = "give (false_alarm: ..., missed: ...), as remap calibrate measures them";
        let message = "the monitor's detector has two levels";
        return Err(vec![loaded.complain("problem.detector", message, label, help)]);
    };
    if !arguments.json {
        print(HEADER);
    }
    let (mut taken, mut decisions) = (0u64, 0u64);
    for measurement in measurements(std::io::stdin().lock(), &arguments.column) {
        if is_closed() || is_interrupted() {
            break;
        }
        let Measurement { line, value } = measurement.map_err(|complaint| vec![complaint])?;
        let outcome = value.and_then(|value| match monitor.observe(value) {
            Ok(decision) => Ok((value, decision)),
            Err(error) => Err(error.to_string()),
        });
        let (value, decision) = match outcome {
            Ok(taken) => taken,
            Err(reason) if arguments.skip_invalid => {
                say(&format!("warning: standard input, line {line} left out: {reason}"));
                continue;
            }
            Err(reason) => return Err(vec![wrong_line(line, &reason, CORRECT)]),
        };
        taken += 1;
        decisions += u64::from(decision.is_some());
        let row = row(line, value, decision, &monitor);
        print(&if arguments.json { json_line(&row) } else { row.csv() });
        if decision.is_some_and(|decision| decision.remap) {
            monitor.remapped();
        }
    }
    let needed = 2 * clusters.measurements();
    if decisions == 0 && !is_closed() && !is_interrupted() {
        return Err(vec![Complaint::elsewhere(
            format!("standard input ends after {taken} measurements, before the first decision"),
            format!("a base cluster and a test cluster take {needed}: see --batch and --cluster"),
        )]);
    }
    Ok(if is_interrupted() { Exit::Interrupted } else { Exit::Done })
}

fn row(line: u64, measurement: f64, decision: Option<Decision>, monitor: &Monitor<'_>) -> Row {
    let empty = Row {
        line,
        measurement,
        step: None,
        report: None,
        belief: monitor.belief(),
        threshold: None,
        decision: if monitor.has_base() { "wait" } else { "base" },
    };
    let Some(Decision { step, report, belief, threshold, remap }) = decision else { return empty };
    Row {
        step: Some(step),
        report: Some(match report {
            Report::Change => "change",
            Report::NoChange => "none",
        }),
        belief,
        threshold: Some(threshold.middle()),
        decision: if remap { "remap" } else { "continue" },
        ..empty
    }
}

fn json_line(row: &Row) -> String {
    let mut text = serde_json::to_string(row).expect("string keys only");
    text.push('\n');
    text
}
