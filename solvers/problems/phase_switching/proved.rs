//! Compares both threshold curves of recurring phases with what their certificate proves of each
//! step.

use super::super::proved::{
    Agreed, Entry, Fault, Open, Promise, ROUNDING, above, bounds, fact, farthest, fraction, length,
    needed, same, within,
};
use super::answer::{Answer, Exact, Thresholds};
use crate::document::Bounds;
use crate::document::rule::Filter;
use remap_checker::facts::OfPhaseSwitching;
use remap_checker::{Interval, Switches};

/// The fields that agree with the proof.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfPhaseSwitching,
    [value, average]: [Option<Interval>; 2],
    steps: &[Switches],
    promise: Promise,
) -> Result<Agreed, Fault> {
    if answer.last_step != facts.last_step {
        return Err("`last_step` is not that of the model".to_owned());
    }
    if let Some(first) = answer.first_step.filter(|first| promise.kept && *first > 0) {
        return Err(format!("`first_step` is {first}, but `status` says that no step is missing"));
    }
    let mut agreed = Agreed { proved: vec!["last_step"], ..Agreed::default() };
    let first = answer.first_step.unwrap_or(0);
    let mut widest = 0.0f64;
    for (name, list, right) in [
        (
            "to_second",
            &answer.to_second,
            (|own: &Switches| own.to_second) as fn(&Switches) -> Interval,
        ),
        ("to_first", &answer.to_first, |own: &Switches| own.to_first),
    ] {
        let own = Curve { name, list, right, steps, promise };
        let (farthest, open) = own.compare(first, facts.last_step)?;
        widest = widest.max(farthest);
        agreed.admit(name, open.number);
    }
    for (name, given, proved) in
        [("value", answer.value, value), ("average", answer.average, average)]
    {
        match (given, proved) {
            (None, None) => {}
            (None, Some(_)) if answer.first_step.is_some() => {}
            (given, proved) => {
                let proved =
                    proved.ok_or_else(|| format!("`{name}` is given, but there is none"))?;
                let given = needed(name, given)?;
                let reason = bounds(name, given, proved, promise, given.lower.abs().max(1.0))?;
                agreed.admit(name, reason);
            }
        }
    }
    if let Some(least) = value.or(average)
        && let Some(never) = answer.never
        && never + ROUNDING * never.abs().max(1.0) < least.lower
    {
        let least = least.lower;
        return Err(format!("`never` is {never}, but no policy costs less than {least}"));
    }
    if let Some(given) = &answer.belief {
        belief(given, facts)?;
        agreed.proved.push("belief");
    }
    if let Some(given) = &answer.exact {
        agreed.admit("exact", exact(given, value, steps)?);
    }
    agreed
        .sentences
        .push(format!("every threshold given is within {} of the optimal one", above(widest)));
    Ok(agreed)
}

/// One of the two curves, and what is proved of it.
struct Curve<'a> {
    name: &'static str,
    list: &'a Thresholds,
    right: fn(&Switches) -> Interval,
    steps: &'a [Switches],
    promise: Promise,
}

impl Curve<'_> {
    /// The largest distance of a threshold from the optimal one, and what is not proved.
    fn compare(&self, first: u64, last: Option<u64>) -> Result<(f64, Open), Fault> {
        let Thresholds { threshold, lower, upper, .. } = self.list;
        let mut next = first;
        let (mut most, mut open) = (0.0f64, Open::default());
        let mut one = |name: String, threshold: f64, given: Bounds, proved: Interval| {
            let reason = bounds(&name, given, proved, self.promise, 1.0)?;
            most = most.max(farthest(threshold, proved));
            open.see(&name, threshold, proved, reason);
            let own = Interval { lower: given.lower, upper: given.upper };
            within(&name, threshold, own, 0.0)
                .map_err(|_| format!("`{name}` is {threshold}, not between its bounds"))
        };
        let Curve { name, list, .. } = self;
        let ends = [list.stationary, list.stationary_lower, list.stationary_upper];
        if let Some(through) = list.stationary_through {
            for (i, given) in list.head.iter().enumerate() {
                let (name, given) = (format!("{name}.head[{i}]"), Bounds::from(*given));
                let proved = self.at(&name, next)?;
                one(name, given.middle(), given, proved)?;
                next += 1;
            }
            let [middle, lower, upper] = ends.map(|end| needed(format!("{name}.stationary"), end));
            let (middle, given) = (middle?, Bounds::from((lower?, upper?)));
            self.at(&format!("{name}.stationary_through"), through)?;
            if through < next {
                return Err(format!(
                    "`{name}.stationary_through` is {through}, before step {next}"
                ));
            }
            for own in self.steps.iter().filter(|own| own.last >= next && own.first <= through) {
                one(format!("{name}.stationary"), middle, given, (self.right)(own))?;
            }
            next = through + 1;
        } else if ends.iter().any(Option::is_some) || !list.head.is_empty() {
            return Err(format!("`{name}.stationary_through` is missing or null"));
        }
        let count = match last {
            Some(last) => (last + 1).checked_sub(next).unwrap_or(u64::MAX),
            None => 1,
        };
        for (part, list) in [("threshold", threshold), ("lower", lower), ("upper", upper)] {
            same(format!("{name}.{part}"), list.len() as u64, count)
                .map_err(|_| format!("`{name}.{part}` has {} entries, not {count}", list.len()))?;
        }
        for (i, threshold) in threshold.iter().enumerate() {
            let entry = format!("{name}.threshold[{i}]");
            let proved = self.at(&entry, next + i as u64)?;
            one(entry, *threshold, Bounds::from((lower[i], upper[i])), proved)?;
        }
        Ok((most, open))
    }

    /// The proved bounds of a step.
    fn at(&self, name: &str, n: u64) -> Result<Interval, Fault> {
        let found = self.steps.get(self.steps.partition_point(|own| own.last < n));
        found
            .map(self.right)
            .ok_or_else(|| format!("`{name}` speaks of step {n}, which there is not"))
    }
}

/// Checks that the parameters of Bayes' rule are those of the model.
fn belief(given: &Filter, facts: &OfPhaseSwitching) -> Result<(), Fault> {
    fact("belief.initial", given.initial, facts.initial)?;
    let [to_second, to_first] = facts.rates;
    fact("belief.to_second", given.to_second, to_second)?;
    fact("belief.to_first", given.to_first, to_first)?;
    for (name, list, phase) in
        [("belief.first", &given.first, 0), ("belief.second", &given.second, 1)]
    {
        length(name, list.len(), facts.reports.len())?;
        let mut both = list.iter().zip(&facts.reports).enumerate();
        both.try_for_each(|(i, (given, right))| fact(Entry(name, i), *given, right[phase]))?;
    }
    Ok(())
}

/// Why the fractions are not proved, if so.
fn exact(
    given: &Exact,
    value: Option<Interval>,
    steps: &[Switches],
) -> Result<Option<String>, Fault> {
    let mut open = None;
    let all = steps.last().map_or(0, |own| own.last.saturating_add(1));
    for (name, list, right) in [
        (
            "exact.to_second",
            &given.to_second,
            (|own: &Switches| own.to_second) as fn(&Switches) -> Interval,
        ),
        ("exact.to_first", &given.to_first, |own: &Switches| own.to_first),
    ] {
        length(name, list.len(), all as usize)?;
        for (i, text) in list.iter().enumerate() {
            let own = &steps[steps.partition_point(|own| own.last < i as u64)];
            open = open.or(fraction(Entry(name, i), text, right(own), 1.0)?.1);
        }
    }
    let value = needed("value", value)?;
    let unit = value.upper.abs().max(1.0);
    Ok(open.or(fraction("exact.value", &given.value, value, unit)?.1))
}
