//! Both threshold curves of recurring phases held against what is proved of each step.

use super::super::proved::{
    Agreed, Fault, NEAR, Promise, above, bounds, farthest, length, needed, outside, same, within,
};
use crate::solution::Bounds;
use crate::solution::phase_switching::{Answer, Exact, Thresholds};
use remap_checker::{Interval, Switches};
use remapping::Rational;

/// What agrees.
pub(in crate::problems) fn compare(
    answer: &Answer,
    last_step: Option<u64>,
    [value, average]: [Option<Interval>; 2],
    steps: &[Switches],
    promise: Promise,
) -> Result<Agreed, Fault> {
    if answer.last_step != last_step {
        return Err("`last_step` is not that of the model".to_owned());
    }
    if let Some(first) = answer.first_step.filter(|first| promise.kept && *first > 0) {
        return Err(format!("`first_step` is {first}, but `status` says that no step is missing"));
    }
    let mut agreed = Agreed { proved: vec!["last_step"], sentences: Vec::new() };
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
        let distance = own.compare(first, last_step)?;
        widest = widest.max(distance[0]);
        if distance[1] <= NEAR {
            agreed.proved.push(name);
        }
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
                bounds(name, given, proved, promise, given.lower.abs().max(1.0))?;
                agreed.proved.push(name);
            }
        }
    }
    if let Some(given) = &answer.exact {
        exact(given, value, steps)?;
        agreed.proved.push("exact");
    }
    agreed
        .sentences
        .push(format!("every threshold given is within {} of the optimal one", above(widest)));
    Ok(agreed)
}

/// One of the two curves and what is proved of it.
struct Curve<'a> {
    name: &'static str,
    list: &'a Thresholds,
    right: fn(&Switches) -> Interval,
    steps: &'a [Switches],
    promise: Promise,
}

impl Curve<'_> {
    /// How far a threshold may be from the truth at most, and how far one lies outside what is proved.
    fn compare(&self, first: u64, last: Option<u64>) -> Result<[f64; 2], Fault> {
        let Thresholds { threshold, lower, upper, .. } = self.list;
        let mut next = first;
        let mut all = [0.0f64; 2];
        let mut one = |name: String, threshold: f64, given: Bounds, proved: Interval| {
            bounds(&name, given, proved, self.promise, 1.0)?;
            all = [all[0].max(farthest(threshold, proved)), all[1].max(outside(threshold, proved))];
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
        Ok(all)
    }

    /// What is proved of a step.
    fn at(&self, name: &str, n: u64) -> Result<Interval, Fault> {
        let found = self.steps.get(self.steps.partition_point(|own| own.last < n));
        found
            .map(self.right)
            .ok_or_else(|| format!("`{name}` speaks of step {n}, which there is not"))
    }
}

fn exact(given: &Exact, value: Option<Interval>, steps: &[Switches]) -> Result<(), Fault> {
    let inside = |name: String, text: &str, proved: Interval| {
        let wrong = || format!("`{name}` is {text}, no fraction");
        let fraction: Rational = text.parse().map_err(|_| wrong())?;
        let end = |end: f64| Rational::try_from(end).map_err(|_| wrong());
        let outside = fraction < end(proved.lower)? || end(proved.upper)? < fraction;
        let Interval { lower, upper } = proved;
        let fault = || format!("`{name}` is {text}, but [{lower}, {upper}] is proved");
        if outside { Err(fault()) } else { Ok(()) }
    };
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
            inside(format!("{name}[{i}]"), text, right(own))?;
        }
    }
    inside("exact.value".to_owned(), &given.value, needed("value", value)?)
}
