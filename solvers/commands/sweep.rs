//! `remap sweep`: one model, many values.

use super::solve::{solve_model, to_json};
use super::{Exit, report};
use crate::cli::Sweep;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::number::Decimal;
use crate::output::{print, say};
use crate::render;
use crate::run::is_interrupted;
use crate::solution::Solution;
use remapping::Rational;
use serde::Serialize;
use serde_json::Value;

/// One value of a sweep with its solution.
#[derive(Debug, Serialize)]
pub struct Run {
    /// The values set, by path.
    pub set: serde_json::Map<String, Value>,
    /// The solution.
    pub solution: Solution,
}

/// Most models one sweep solves.
const MAX_RUNS: usize = 100_000;

pub(super) fn run(arguments: &Sweep) -> Exit {
    let axes: Result<Vec<Axis>, _> = arguments.set.iter().map(|text| Axis::parse(text)).collect();
    let (axes, base) = match (axes, Loaded::read(&arguments.model)) {
        (Ok(axes), Ok(base)) => (axes, base),
        (Err(complaint), _) => return report(&[complaint]),
        (_, Err(complaints)) => return report(&complaints),
    };
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MAX_RUNS) {
        let message = format!("the sweep asks for more than {MAX_RUNS} models");
        return report(&[Complaint::elsewhere(message, "take larger steps")]);
    }
    let mut exit = Exit::Done;
    let mut runs = Vec::new();
    for combination in 0..count.unwrap_or(0) {
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let chosen = choose(&axes, combination);
        let mut loaded = Ok(base.clone());
        for (path, value) in &chosen {
            loaded = loaded.and_then(|loaded| loaded.with(path, value));
        }
        let solved =
            loaded.and_then(|loaded| solve_model(&loaded, &arguments.settings, None, false));
        match solved {
            Ok(solution) => {
                exit = exit.worst(solution.status.into());
                let number =
                    |value: &&str| value.parse::<f64>().map_or(Value::from(*value), Value::from);
                let set = chosen.iter().map(|(path, v)| (path.to_string(), number(v))).collect();
                runs.push(Run { set, solution });
            }
            Err(complaints) => {
                let set: Vec<_> =
                    chosen.iter().map(|(path, value)| format!("{path}={value}")).collect();
                say(&format!("at {}:", set.join(", ")));
                exit = exit.worst(report(&complaints));
            }
        }
    }
    if arguments.settings.json {
        print(&to_json(&serde_json::json!({ "runs": runs })));
    } else {
        print(&render::sweep_table(&base, &runs));
    }
    exit
}

/// The values of combination number `combination`, the last axis fastest.
fn choose(axes: &[Axis], mut combination: usize) -> Vec<(&str, &str)> {
    let mut chosen = Vec::new();
    for axis in axes.iter().rev() {
        let values = axis.values.len();
        chosen.push((axis.path.as_str(), axis.values[combination % values].as_str()));
        combination /= values;
    }
    chosen.reverse();
    chosen
}

/// A path and the values it takes, as decimal text.
#[derive(Debug, PartialEq)]
struct Axis {
    path: String,
    values: Vec<String>,
}

impl Axis {
    fn parse(text: &str) -> Result<Axis, Complaint> {
        let wrong = |reason: String| {
            Complaint::elsewhere(
                format!("--set {text}: {reason}"),
                "write PATH=first:last:step or PATH=v1,v2,..., such as problem.remap.test=1:20:1",
            )
        };
        let (path, range) =
            text.split_once('=').ok_or_else(|| wrong("there is no `=`".to_owned()))?;
        let parts: Vec<&str> = range.split(':').map(str::trim).collect();
        let values = match parts.as_slice() {
            [list] => list.split(',').map(|value| value.trim().to_owned()).collect(),
            [first, last, step] => {
                let number = |text: &&str| Decimal::parse(text).map(|d| d.exact).map_err(&wrong);
                let (first, last, step) = (number(first)?, number(last)?, number(step)?);
                if step == Rational::ZERO
                    || (last > first) != (step > Rational::ZERO) && last != first
                {
                    return Err(wrong("the step does not lead from first to last".to_owned()));
                }
                let steps = ((&last - &first) / &step).floor();
                let steps = usize::try_from(steps).ok().filter(|steps| *steps < MAX_RUNS);
                let steps = steps.ok_or_else(|| wrong("too many values".to_owned()))?;
                (0..=steps).map(|k| decimal(&(&first + &step * Rational::from(k)))).collect()
            }
            _ => return Err(wrong("a range has three parts".to_owned())),
        };
        Ok(Axis { path: path.trim().to_owned(), values })
    }
}

/// A rational with a power of ten below, written out.
fn decimal(value: &Rational) -> String {
    let mut places = 0;
    let mut scaled = value.clone();
    while !scaled.is_int() && places < 400 {
        scaled *= Rational::from(10);
        places += 1;
    }
    let digits = scaled.trunc().to_string();
    if places == 0 {
        return digits;
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_exact_in_decimals() {
        let axis = Axis::parse("problem.bound=0.05:-0.05:-0.025").unwrap();
        assert_eq!(axis.path, "problem.bound");
        assert_eq!(axis.values, ["0.05", "0.025", "0", "-0.025", "-0.05"]);
    }

    #[test]
    fn a_step_in_the_wrong_direction_is_refused() {
        assert!(Axis::parse("a=1:2:-1").is_err());
        assert!(Axis::parse("a=1:2:0").is_err());
        assert!(Axis::parse("a").is_err());
    }
}
