//! Compares the intervals of a periodic problem with what their certificate proves.

use super::super::proved::{Agreed, Fault, NEAR, ROUNDING, fact, needed, same, told, within};
use super::answer::{Answer, Steps};
use remap_checker::facts::OfPeriodic;
use remap_checker::{Interval, Proof};

/// The fields that agree with the proof. Nothing is proved of the curve, of the interval of least
/// cost, and of methods that find a part of the longest interval.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfPeriodic,
    proof: &Proof,
) -> Result<Agreed, Fault> {
    same("processors", answer.processors as u64, facts.processors)?;
    fact("initial_load", answer.initial_load, facts.initial_load)?;
    if let Proof::Cheapest { least, most, cost } = proof {
        return cheapest(answer, facts, [*least, *most], *cost);
    }
    let &Proof::Longest { kept, broken } = proof.first() else {
        return Err("`problem` is periodic, but the certificate is of another".to_owned());
    };
    let quantity = if facts.of_squares { "rms_deviation" } else { "max_deviation" };
    same("quantity", answer.quantity.as_str(), quantity)?;
    let bound = needed("bound", answer.bound)?;
    fact("bound", bound, needed("bound", facts.bound)?)?;
    let mut proved = vec!["processors", "initial_load", "quantity", "bound"];
    if let Proof::Periods(all) = proof {
        let closed = sequence(answer, facts, all)?;
        proved.extend(closed.then_some("sequence"));
    } else if !answer.sequence.is_empty() {
        return Err("`sequence` is given, but the model has one period".to_owned());
    }
    if let Some(fault) = contradiction(answer, broken) {
        return Err(fault);
    }
    methods(answer, [kept, broken])?;
    let steps = |steps: Option<u64>| steps.unwrap_or(u64::MAX);
    let is_longest = finds_longest(&answer.interval_by);
    if is_longest && answer.at_least.is_none() && steps(answer.interval) < steps(kept) {
        let kept = kept.map_or("for ever".to_owned(), |steps| format!("for {steps} steps"));
        let given = steps(answer.interval);
        return Err(format!("`interval` is {given}, but the bound is proved to be kept {kept}"));
    }
    let least = steps(answer.at_least.or(answer.interval));
    if least > steps(kept) {
        return Ok(Agreed { proved, ..Agreed::default() });
    }
    proved.extend(["interval", "at_least"]);
    let longest = match steps(answer.interval) == steps(kept)
        && steps(kept) == steps(broken) - u64::from(broken.is_some())
    {
        true => "the interval given is the longest",
        false => "the bound is kept during the interval given",
    };
    Ok(Agreed { proved, sentences: vec![longest.to_owned()], ..Agreed::default() })
}

/// Whether the method gives the longest interval, and not a part of it.
fn finds_longest(method: &str) -> bool {
    matches!(method, "exact" | "closed_form")
}

/// Checks that the interval is that of the method it names. Methods that find the longest one must
/// agree with the proof: the bound is `kept` for that long, and `broken` by then.
fn methods(answer: &Answer, [kept, broken]: [Option<u64>; 2]) -> Result<(), Fault> {
    let by = &answer.interval_by;
    let own = answer.methods.iter().find(|line| line.name == *by);
    let own = own.ok_or_else(|| format!("`interval_by` is {by}, which is none of `methods`"))?;
    let given = told(own.interval.number());
    if own.interval.number() != answer.interval {
        let interval = told(answer.interval);
        return Err(format!(
            "`methods.{by}.interval` is {given}, but `interval`, which is by it, is {interval}"
        ));
    }
    for line in answer.methods.iter().filter(|line| finds_longest(&line.name)) {
        let (name, last) = (&line.name, told(line.interval.number()));
        let [least, most] = match line.interval {
            Steps::Known(steps) => [steps, steps],
            Steps::AtLeast(steps) => [steps, u64::MAX],
            Steps::Never => [u64::MAX; 2],
            Steps::NotComputed => continue,
        };
        if most < kept.unwrap_or(u64::MAX) {
            let kept = kept.map_or("for ever".to_owned(), |steps| format!("for {steps} steps"));
            return Err(format!(
                "`methods.{name}.interval` is {last}, but the bound is proved to be kept {kept}"
            ));
        }
        if let Some(broken) = broken.filter(|broken| least >= *broken) {
            return Err(format!(
                "`methods.{name}.interval` is {last}, but the bound is proved not to be kept after {broken} steps"
            ));
        }
    }
    Ok(())
}

/// Checks that consecutive periods are as long as is proved. Returns whether all of them are
/// proved.
fn sequence(answer: &Answer, facts: &OfPeriodic, all: &[Proof]) -> Result<bool, Fault> {
    if answer.sequence.len() as u64 > needed("periods", facts.periods)? {
        let (given, periods) = (answer.sequence.len(), facts.periods.unwrap_or(0));
        return Err(format!("`sequence` has {given} entries for {periods} periods"));
    }
    let mut from = 0;
    for (i, given) in answer.sequence.iter().enumerate() {
        same(format!("sequence[{i}].from"), given.from, from)?;
        let load = answer.initial_load + facts.change.lower * from as f64;
        let near = Interval { lower: load, upper: load };
        within(
            format!("sequence[{i}].initial_load"),
            given.initial_load,
            near,
            ROUNDING * load.abs().max(1.0),
        )?;
        let Some(&Proof::Longest { kept, broken }) = all.get(i) else {
            // No period follows one that never ends or cannot begin.
            return match all.last() {
                Some(
                    Proof::Longest { kept: None, .. } | Proof::Longest { broken: Some(1), .. },
                ) => Err(entries(answer, all)),
                _ => Ok(false),
            };
        };
        if kept.is_some_and(|kept| broken != Some(kept + 1)) {
            return Ok(false);
        }
        same(format!("sequence[{i}].interval"), told(given.interval), told(kept))?;
        from += kept.unwrap_or(0);
    }
    if answer.sequence.len() == all.len() { Ok(true) } else { Err(entries(answer, all)) }
}

fn entries(answer: &Answer, all: &[Proof]) -> Fault {
    format!("`sequence` has {} entries, not {}", answer.sequence.len(), all.len())
}

/// Checks that an interval may be the cheapest.
pub(in crate::problems) fn is_cheapest(
    given: Option<u64>,
    least: Option<u64>,
    most: Option<u64>,
) -> Result<(), Fault> {
    let [own, low, high] = [given, least, most].map(|steps| steps.unwrap_or(u64::MAX));
    match (low..=high).contains(&own) {
        true => Ok(()),
        false => Err(format!(
            "`interval` is {}, but that of least cost is proved to be between {} and {}",
            told(given),
            told(least),
            told(most)
        )),
    }
}

fn cheapest(
    answer: &Answer,
    facts: &OfPeriodic,
    [least, most]: [Option<u64>; 2],
    cost: Interval,
) -> Result<Agreed, Fault> {
    same("quantity", answer.quantity.as_str(), "cost_per_step")?;
    if answer.bound.is_some() || !answer.sequence.is_empty() {
        return Err("`bound` is given, but the model has none".to_owned());
    }
    is_cheapest(answer.interval, least, most)?;
    let line = needed("cost_aware", answer.cost_aware.as_ref())?;
    let price = needed("cost_aware.remap_cost", facts.remap_cost)?;
    fact("cost_aware.remap_cost", line.remap_cost, price)?;
    same("cost_aware.interval", told(line.interval.number()), told(answer.interval))?;
    let given = needed("cost_aware.cost_per_step", line.cost_per_step)?;
    within("cost_aware.cost_per_step", given, cost, NEAR * cost.upper.max(1.0))?;
    let mut proved = vec!["processors", "initial_load", "quantity"];
    let mut sentences = Vec::new();
    if least == most {
        proved.push("interval");
        sentences.push("the interval given is the cheapest".to_owned());
    }
    Ok(Agreed { proved, sentences, ..Agreed::default() })
}

/// An error if the interval is longer than the bound is kept.
pub(in crate::problems) fn contradiction(answer: &Answer, broken: Option<u64>) -> Option<String> {
    let broken = broken?;
    let given = answer.interval.map_or("never ends".to_owned(), |steps| format!("is {steps}"));
    (answer.interval.is_none_or(|steps| steps >= broken)).then(|| {
        format!("`interval` {given}, but the bound is proved not to be kept after {broken} steps")
    })
}
