//! `--set PATH=VALUES`: parameters of a model and their values.

use crate::complaint::Complaint;
use crate::model::number::{Decimal, written_out};
use remapping::Rational;
use serde_json::Value;

/// The most models of one command.
pub(super) const MAX_RUNS: usize = 100_000;

/// A path and its values, as text.
#[derive(Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) path: String,
    pub(super) values: Vec<String>,
}

/// Parses every `--set`.
pub(super) fn axes(arguments: &[String]) -> Result<Vec<Axis>, Complaint> {
    let axes: Vec<Axis> =
        arguments.iter().map(|text| Axis::parse(text)).collect::<Result<_, _>>()?;
    for (at, axis) in axes.iter().enumerate() {
        if axes[..at].iter().any(|other| other.path == axis.path) {
            let message = format!("`{}` is set twice", axis.path);
            return Err(Complaint::elsewhere(message, "give all its values in one --set"));
        }
    }
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MAX_RUNS) {
        let message = format!("the sweep asks for more than {MAX_RUNS} models");
        return Err(Complaint::elsewhere(message, "take larger steps"));
    }
    Ok(axes)
}

/// The values of combination number `combination`, the last axis fastest.
pub(super) fn choose(axes: &[Axis], mut combination: usize) -> Vec<(&str, &str)> {
    let mut chosen = Vec::new();
    for axis in axes.iter().rev() {
        let values = axis.values.len();
        chosen.push((axis.path.as_str(), axis.values[combination % values].as_str()));
        combination /= values;
    }
    chosen.reverse();
    chosen
}

/// The text `PATH=VALUE, ...`.
pub(super) fn written(chosen: &[(&str, &str)]) -> String {
    let set: Vec<_> = chosen.iter().map(|(path, value)| format!("{path}={value}")).collect();
    set.join(", ")
}

/// The first of many names, and how many more there are.
pub(super) fn some_of(names: impl ExactSizeIterator<Item = String>) -> String {
    const SHOWN: usize = 10;
    let more = names.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> = names.take(SHOWN).collect();
    shown.extend((more > 0).then(|| format!("and {more} more")));
    shown.join("; ")
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
        if path.trim().is_empty() {
            return Err(wrong("there is no path before the `=`".to_owned()));
        }
        let parts = split(range, ':');
        let values: Vec<String> = match parts.as_slice() {
            [list] => split(list, ',').into_iter().map(str::to_owned).collect(),
            [first, last, step] => {
                let number = |text: &&str| Decimal::parse(text).map(|d| d.exact).map_err(&wrong);
                range_values(&number(first)?, &number(last)?, &number(step)?).map_err(wrong)?
            }
            _ => return Err(wrong("a range has three parts".to_owned())),
        };
        if values.iter().any(String::is_empty) {
            return Err(wrong("a value is missing".to_owned()));
        }
        Ok(Axis { path: path.trim().to_owned(), values })
    }
}

/// The parts of `text` between separators outside of brackets and strings.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quoted) = (Vec::new(), 0, 0usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// first, first + step, ... up to and including last, exact.
fn range_values(first: &Rational, last: &Rational, step: &Rational) -> Result<Vec<String>, String> {
    let wrong_way = last != first && (last > first) != (*step > Rational::ZERO);
    if *step == Rational::ZERO || wrong_way {
        return Err("the step does not lead from first to last".to_owned());
    }
    let steps = usize::try_from(((last - first) / step).floor()).ok();
    let steps = steps.filter(|steps| *steps < MAX_RUNS);
    let steps = steps.ok_or_else(|| format!("a range may have {MAX_RUNS} values at most"))?;
    Ok((0..=steps).map(|k| written_out(&(first + step * Rational::from(k)))).collect())
}

/// A JSON number where the value is a number in a model.
pub(super) fn as_json(value: &str) -> Value {
    let Ok(number) = Decimal::parse(value) else { return value.into() };
    value.replace('_', "").parse::<i64>().map_or(number.value.into(), Value::from)
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
    fn numbers_are_read_as_models_do() {
        for (text, number) in [("1_000", 1000.0), ("2.5e-3", 0.0025), ("-1_0.5", -10.5)] {
            assert_eq!(as_json(text).as_f64(), Some(number), "{text}");
        }
        assert!(as_json("Fixed(3)").is_string() && as_json("NaN").is_string());
    }

    #[test]
    fn a_step_in_the_wrong_direction_is_refused() {
        assert!(Axis::parse("a=1:2:-1").is_err());
        assert!(Axis::parse("a=1:2:0").is_err());
        assert!(Axis::parse("a").is_err());
    }

    #[test]
    fn values_may_be_variants_with_fields() {
        let text = r#"problem.lifetime=Fixed(3), Uniform(first: 1, last: 9),Pmf({1: 0.5, 2: 0.5})"#;
        let axis = Axis::parse(text).unwrap();
        let values = ["Fixed(3)", "Uniform(first: 1, last: 9)", "Pmf({1: 0.5, 2: 0.5})"];
        assert_eq!(axis.values, values);
        assert!(Axis::parse("a=1,,2").is_err());
        assert!(Axis::parse("a=").is_err());
    }
}
