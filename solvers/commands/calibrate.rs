//! `remap calibrate`: measures how often the monitor's change test errs.

use super::{Exit, idle};
use crate::cli::Calibrate;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::fitting::short;
use crate::measurements::{Column, measurements, wrong_line};
use crate::output::{print, say};
use crate::run::Watch;
use remapping::estimate::Estimate;
use remapping::monitor::Clusters;
use remapping::monitor::calibrate::{
    Change, ErrorRates, Noise, Share, TraceError, recorded as recorded_rates, simulate,
};
use serde::Serialize;

/// The printed document.
#[derive(Serialize)]
struct Calibration {
    batch: u32,
    cluster: u32,
    cycles_per_decision: u64,
    false_alarm: Rate,
    missed: Rate,
    /// The detector for a model file.
    detector: Detector,
}

#[derive(Serialize)]
struct Rate {
    #[serde(flatten)]
    estimate: Estimate,
    /// The number of independent pairs of a base and a test cluster, and those with a wrong
    /// observation.
    pairs: u64,
    errors: u64,
}

#[derive(Serialize)]
struct Detector {
    false_alarm: f64,
    missed: f64,
}

impl From<Share> for Rate {
    fn from(share: Share) -> Rate {
        let Share { errors, pairs } = share;
        Rate { estimate: share.estimate(), pairs, errors }
    }
}

const CORRECT: &str = "correct the line";

/// The default number of simulated pairs of clusters.
const RUNS: u32 = 10_000;

/// The most measurements that are simulated: some minutes on one core.
const MOST: u64 = 100_000_000_000;

pub(super) fn run(arguments: &Calibrate) -> Result<Exit, Complaint> {
    let clusters = Clusters::new(arguments.batch, arguments.cluster).expect("the flags' ranges");
    // A base and a test cluster, with and without the change.
    let each = 4 * clusters.measurements();
    let runs = arguments.runs.unwrap_or(RUNS);
    let simulated = each.saturating_mul(u64::from(runs));
    if arguments.change_at.is_none() && simulated > MOST {
        let Calibrate { batch, cluster, .. } = arguments;
        let help = match MOST / each {
            runs @ 2.. => format!("give --runs {runs} or fewer, or smaller clusters"),
            _ => "give smaller clusters".to_owned(),
        };
        let message = format!(
            "{runs} pairs of clusters of {cluster} batches of {batch} would be {simulated} measurements with and \
             without the change: at most {MOST} are simulated"
        );
        return Err(Complaint::elsewhere(message, help).usage());
    }
    let rates = match arguments.change_at {
        Some(change_at) => {
            let Calibrate { noise, shift, scale, runs, seed, .. } = arguments;
            let idle = [
                ("--noise", noise.is_some()),
                ("--shift", shift.is_some()),
                ("--scale", scale.is_some()),
                ("--runs", runs.is_some()),
                ("--seed", seed.is_some()),
            ];
            idle::tell(&idle, "with --change-at measurements are read, not simulated");
            recorded(arguments, clusters, change_at)?
        }
        None => {
            let column = [("--column", arguments.column.is_some())];
            idle::tell(&column, "without --change-at no trace is read");
            let Calibrate { noise, shift, scale, seed, .. } = *arguments;
            let change = Change { shift: shift.unwrap_or(1.0), scale: scale.unwrap_or(1.0) };
            let noise = noise.unwrap_or(Noise::Normal);
            let _watch = Watch::waiting("clusters are simulated", None);
            let rates = simulate(clusters, noise, change, runs, seed.unwrap_or(1));
            rates.expect("the flags' ranges")
        }
    };
    let calibration = Calibration {
        batch: arguments.batch,
        cluster: arguments.cluster,
        cycles_per_decision: clusters.measurements(),
        false_alarm: rates.false_alarm.into(),
        missed: rates.missed.into(),
        detector: Detector {
            false_alarm: rates.false_alarm.believed(),
            missed: rates.missed.believed(),
        },
    };
    if arguments.json {
        print(&to_json(&calibration));
        return Ok(Exit::Done);
    }
    for (name, rate) in [("false_alarm", &calibration.false_alarm), ("missed", &calibration.missed)]
    {
        let Estimate { value, lower, upper } = rate.estimate;
        let (value, lower, upper) = (short(value), short(lower), short(upper));
        let Rate { errors, pairs, .. } = rate;
        print(&format!(
            "{name} = {value}, 95 % confidence {lower} to {upper} ({errors} errors in {pairs} pairs of clusters)\n"
        ));
    }
    let Detector { false_alarm, missed } = calibration.detector;
    if false_alarm + missed >= 1.0 {
        say(
            "warning: by these numbers a report says nothing of a change, or its opposite: longer runs, larger \
             clusters or more pairs of them are needed before a model can be made of them",
        );
    }
    print(&format!(
        "in a model: detector: (false_alarm: {}, missed: {}), one step = {} cycles\n",
        short(false_alarm),
        short(missed),
        calibration.cycles_per_decision
    ));
    let one_sided = [("false_alarm", rates.false_alarm), ("missed", rates.missed)];
    for (name, Share { errors, pairs }) in one_sided {
        if errors == 0 || errors == pairs {
            let (all, end) =
                if errors == 0 { ("no", "upper") } else { ("nothing but an", "lower") };
            print(&format!(
                "{name}: {all} error was seen: the {end} end of the interval is taken\n"
            ));
        }
    }
    Ok(Exit::Done)
}

/// Error rates on a trace from standard input whose change is known.
fn recorded(
    arguments: &Calibrate,
    clusters: Clusters,
    change_at: u64,
) -> Result<ErrorRates, Complaint> {
    let mut trace = Vec::new();
    let mut lines = Vec::new();
    let column = arguments.column.as_ref().unwrap_or(&Column::Last);
    for measurement in measurements(std::io::stdin().lock(), column) {
        let measurement = measurement?;
        let line = measurement.line;
        trace.push(measurement.value.map_err(|reason| wrong_line(line, &reason, CORRECT))?);
        lines.push(line);
    }
    let length = clusters.measurements();
    recorded_rates(clusters, &trace, change_at as usize).map_err(|error| {
        let side = match error {
            TraceError::Measurement(k, error) => {
                return wrong_line(lines[k], &error.to_string(), CORRECT);
            }
            TraceError::Before => "before",
            TraceError::After => "after",
        };
        let message = format!("no whole test cluster lies {side} measurement {change_at}");
        let help = format!(
            "clusters take {length} measurements: a base and a test cluster before the change, a test \
             cluster after it"
        );
        Complaint::elsewhere(message, help)
    })
}
