//! `remap calibrate`: how often the monitor's change test errs.

use super::{Exit, report};
use crate::cli::Calibrate;
use crate::complaint::Complaint;
use crate::measurements::{measurements, wrong_line};
use crate::output::print;
use crate::solution::to_json;
use remapping::belief::Report;
use remapping::monitor::Clusters;
use remapping::monitor::calibrate::{Change, ErrorRates, replay, simulate};
use remapping::simulate::Estimate;
use serde::Serialize;

/// What is printed.
#[derive(Serialize)]
struct Calibration {
    batch: u32,
    cluster: u32,
    cycles_per_decision: u64,
    false_alarm: Rate,
    missed: Rate,
}

#[derive(Serialize)]
struct Rate {
    mean: f64,
    half_width: Option<f64>,
}

impl From<Estimate> for Rate {
    fn from(estimate: Estimate) -> Rate {
        let half_width = Some(estimate.half_width).filter(|width| width.is_finite());
        Rate { mean: estimate.mean, half_width }
    }
}

const CORRECT: &str = "correct the line";

pub(super) fn run(arguments: &Calibrate) -> Exit {
    let clusters = Clusters::new(arguments.batch, arguments.cluster).expect("the flags' ranges");
    let rates = match arguments.change_at {
        Some(change_at) => recorded(arguments, clusters, change_at),
        None => {
            let change = Change { shift: arguments.shift, scale: arguments.scale };
            simulate(clusters, arguments.noise.0, change, arguments.runs, arguments.seed)
                .ok_or_else(|| Complaint::elsewhere("--shift must be finite", "give a number"))
        }
    };
    let rates = match rates {
        Ok(rates) => rates,
        Err(complaint) => return report(&[complaint]),
    };
    let calibration = Calibration {
        batch: arguments.batch,
        cluster: arguments.cluster,
        cycles_per_decision: clusters.measurements(),
        false_alarm: rates.false_alarm.into(),
        missed: rates.missed.into(),
    };
    if arguments.json {
        print(&to_json(&calibration));
        return Exit::Done;
    }
    let told = |name: &str, rate: &Rate| match rate.half_width {
        Some(width) => format!("{name} = {:.4} +- {width:.4}\n", rate.mean),
        None => format!("{name} = {:.4}, from a single cluster\n", rate.mean),
    };
    print(&told("false_alarm", &calibration.false_alarm));
    print(&told("missed", &calibration.missed));
    print(&format!(
        "in a model: detector: (false_alarm: {:.4}, missed: {:.4}), one step = {} cycles\n",
        calibration.false_alarm.mean, calibration.missed.mean, calibration.cycles_per_decision
    ));
    Exit::Done
}

/// Error rates on a trace from standard input whose change is known.
fn recorded(
    arguments: &Calibrate,
    clusters: Clusters,
    change_at: u64,
) -> Result<ErrorRates, Complaint> {
    let mut trace = Vec::new();
    let mut lines = Vec::new();
    for measurement in measurements(std::io::stdin().lock(), &arguments.column) {
        let measurement = measurement?;
        let line = measurement.line;
        trace.push(measurement.value.map_err(|reason| wrong_line(line, &reason, CORRECT))?);
        lines.push(line);
    }
    let reports = replay(clusters, &trace)
        .map_err(|(k, error)| wrong_line(lines[k], &error.to_string(), CORRECT))?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let length = clusters.measurements();
    for (end, report) in reports {
        let end = end as u64;
        let changed = report == Report::Change;
        if end <= change_at {
            before.push(f64::from(u8::from(changed)));
        } else if end - length >= change_at {
            after.push(f64::from(u8::from(!changed)));
        }
    }
    if before.is_empty() || after.is_empty() {
        let side = if before.is_empty() { "before" } else { "after" };
        let message = format!("no whole test cluster lies {side} measurement {change_at}");
        let help = format!("clusters take {length} measurements, the first is the base");
        return Err(Complaint::elsewhere(message, help));
    }
    Ok(ErrorRates { false_alarm: Estimate::of(&before), missed: Estimate::of(&after) })
}
