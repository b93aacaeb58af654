//! `remap monitor`: reads measurements and prints a decision for each.

use super::Exit;
use crate::cli::Monitor as Arguments;
use crate::complaint::Complaint;
use crate::measurements::{Measurement, measurements, wrong_line};
use crate::output::{is_closed, print, say};
use crate::problems::Outcome;
use crate::problems::phase_change::model::PhaseChange;
use crate::problems::phase_switching::model::PhaseSwitching;
use crate::problems::registry::{Loaded, Problem};
use crate::run::{Watch, is_interrupted};
use remapping::Status;
use remapping::belief::Report;
use remapping::monitor::{
    ChangeTest, Clusters, Decision, Monitor, MonitorError, Reported, SwitchingMonitor,
};
use remapping::phase_change::{self, Accuracy};
use remapping::phase_switching::{self, SwitchingError};
use serde::Serialize;

/// The printed row of a measurement.
#[derive(Default, Serialize)]
struct Row {
    line: u64,
    measurement: f64,
    step: Option<u64>,
    report: Option<&'static str>,
    belief: f64,
    threshold: Option<f64>,
    decision: &'static str,
    /// The present mapping before the decision, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping: Option<&'static str>,
}

const CORRECT: &str = "correct it, or leave such lines out with --skip-invalid";

const HEADER: &str = "line,measurement,step,report,belief,threshold,decision";

impl Row {
    /// The row of a measurement with which nothing is decided.
    fn new(line: u64, measurement: f64, belief: f64, has_base: bool) -> Row {
        let decision = if has_base { "wait" } else { "base" };
        Row { line, measurement, belief, decision, ..Row::default() }
    }

    /// The same with a decision.
    fn decided(self, decision: Decision) -> Row {
        let Decision { step, report, belief, threshold, remap } = decision;
        Row {
            step: Some(step),
            report: Some(said(report)),
            belief,
            threshold: Some(threshold.middle()),
            decision: if remap { "remap" } else { "continue" },
            ..self
        }
    }

    fn csv(&self) -> String {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let mapping = self.mapping.map_or_else(String::new, |mapping| format!(",{mapping}"));
        format!(
            "{},{},{},{},{},{},{}{mapping}\n",
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

pub(super) fn run(arguments: &Arguments) -> Outcome<Exit> {
    let loaded = Loaded::read(&arguments.model)?;
    match &loaded.problem {
        Problem::PhaseChange(model) => of_change(arguments, &loaded, model),
        Problem::PhaseSwitching(model) => of_switching(arguments, &loaded, model),
        _ => {
            let help = "give a model with problem: PhaseChange(...) or PhaseSwitching(...)";
            let message = "only changes of phase are monitored";
            Err(vec![loaded.complain("problem", message, "", help)])
        }
    }
}

fn of_change(arguments: &Arguments, loaded: &Loaded, model: &PhaseChange) -> Outcome<Exit> {
    let problem = model.problem();
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = phase_change::solve(&problem, accuracy, &Watch::start(&loaded.title, None))
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
    let monitor = Monitor::new(&problem, solution.curve, clusters);
    let Some(mut monitor) = monitor.filter(|_| model.says_yes_or_no()) else {
        return Err(vec![not_binary(loaded)]);
    };
    watched(arguments, "", Some(problem.lifetime.last()), |line, value| {
        let decision = monitor.observe(value)?;
        let row = Row::new(line, value, monitor.belief(), monitor.has_base());
        if decision.is_some_and(|decision| decision.remap) {
            monitor.remapped();
        }
        Ok(match decision {
            Some(decision) => row.decided(decision),
            None => row,
        })
    })
}

fn not_binary(loaded: &Loaded) -> Complaint {
    let label = "the change test says yes or no";
    let help = "give (false_alarm: ..., missed: ...), as remap calibrate measures them";
    let message = "the monitor's detector has two levels";
    loaded.complain("problem.detector", message, label, help)
}

/// Recurring phases. The change test compares measurements with the base cluster, which is
/// collected anew after each switch [NR86, sec. X]. Under the first mapping a change indicates the
/// second phase, under the second mapping the first phase.
fn of_switching(arguments: &Arguments, loaded: &Loaded, model: &PhaseSwitching) -> Outcome<Exit> {
    if !model.says_yes_or_no() {
        return Err(vec![not_binary(loaded)]);
    }
    let problem = model.problem();
    let watch = Watch::start(&loaded.title, None);
    let refuse =
        |error: SwitchingError| vec![loaded.complain("problem", &error.to_string(), "", "")];
    let (monitor, status) = match model.lifetime() {
        None => {
            let found = phase_switching::long_run(&problem, 1e-9, &watch).map_err(refuse)?;
            let monitor = SwitchingMonitor::endless(&problem, found.to_second, found.to_first);
            (monitor, found.status)
        }
        Some(lifetime) => {
            let found =
                phase_switching::solve(&problem, &lifetime, 1e-9, &watch).map_err(refuse)?;
            let monitor = SwitchingMonitor::by_step(&problem, found.to_second, found.to_first);
            (monitor, found.status)
        }
    };
    if status == Status::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let mut monitor = monitor.expect("the model has passed review");
    let clusters = Clusters::new(arguments.batch, arguments.cluster).expect("the flags' ranges");
    let mut test = ChangeTest::new(clusters);
    // Clusters without an observation are steps, too. The first one is step 0, with the initial
    // belief.
    let mut begun = false;
    let last = model.lifetime().map(|lifetime| lifetime.last());
    watched(arguments, ",mapping", last, |line, value| {
        let had_base = test.has_base();
        let taken = test.observe(value);
        let unreported = match &taken {
            Ok(report) => report.is_none() && test.has_base() && !had_base,
            Err(error) => matches!(error, MonitorError::Constant(_)),
        };
        if unreported && std::mem::replace(&mut begun, true) {
            monitor.unreported();
        }
        let report = taken?;
        let second = monitor.is_second();
        let row = Row {
            mapping: Some(if second { "second" } else { "first" }),
            ..Row::new(line, value, monitor.belief(), test.has_base())
        };
        let Some(report) = report else { return Ok(row) };
        let level = usize::from((report == Report::Change) == second);
        let Reported { step, belief, threshold, remap } =
            monitor.observe(level).expect("a detector of two levels");
        if remap {
            monitor.remapped();
            test.restart();
        }
        Ok(row.decided(Decision { step, report, belief, threshold, remap }))
    })
}

fn said(report: Report) -> &'static str {
    match report {
        Report::Change => "change",
        Report::NoChange => "none",
    }
}

/// Reads the measurements and prints the result of `take` for each. Warns once of steps after the
/// `last` of the model.
fn watched(
    arguments: &Arguments,
    more_columns: &str,
    last: Option<u64>,
    mut take: impl FnMut(u64, f64) -> Result<Row, MonitorError>,
) -> Outcome<Exit> {
    if !arguments.json {
        print(&format!("{HEADER}{more_columns}\n"));
    }
    let (mut taken, mut decisions) = (0u64, 0u64);
    let mut known = true;
    for measurement in measurements(std::io::stdin().lock(), &arguments.column) {
        if is_closed() || is_interrupted() {
            break;
        }
        let Measurement { line, value } = measurement?;
        let outcome = value.and_then(|value| take(line, value).map_err(|error| error.to_string()));
        let row = match outcome {
            Ok(taken) => taken,
            Err(reason) if arguments.skip_invalid => {
                say(&format!("warning: standard input, line {line} left out: {reason}"));
                continue;
            }
            Err(reason) => return Err(vec![wrong_line(line, &reason, CORRECT)]),
        };
        taken += 1;
        decisions += u64::from(row.step.is_some());
        let beyond = row.step.zip(last).filter(|(step, last)| step > last);
        if let Some((step, last)) = beyond.filter(|_| std::mem::take(&mut known)) {
            say(&format!(
                "warning: standard input, line {line}: step {step} comes after step {last}, the model's last: nothing is \
                 known of steps after it, and none of them is told to remap"
            ));
        }
        print(&if arguments.json { json_line(&row) } else { row.csv() });
    }
    let clusters = Clusters::new(arguments.batch, arguments.cluster).expect("the flags' ranges");
    let needed = 2 * clusters.measurements();
    if decisions == 0 && !is_closed() && !is_interrupted() {
        return Err(vec![Complaint::elsewhere(
            format!("standard input ends after {taken} measurements, before the first decision"),
            format!("a base cluster and a test cluster take {needed}: see --batch and --cluster"),
        )]);
    }
    Ok(if is_interrupted() { Exit::Interrupted } else { Exit::Done })
}

fn json_line(row: &Row) -> String {
    let mut text = serde_json::to_string(row).expect("string keys only");
    text.push('\n');
    text
}
