//! The document of the rule `advised`: trained on the first steps of a log, and evaluated on the
//! others together with rules that codes know.

use super::advice::{Advice, Question};
use super::contest::{ADAPTIVE, Line};
use super::one_number::of_codes;
use super::{Ground, IN_USE, Outset, whole_cost};
use crate::complaint::Complaint;
use crate::document::advised::{Advised as Document, Cost, Name};
use remapping::overlap::{Overlap, Price};
use remapping::policy::advised::{Advised, Parameters, Stored};
use remapping::policy::{Policy, Rule};
use remapping::record::Record;
use remapping::replay::{Indicator, intervals, play, replay, thresholds};
use remapping::simulate::{Recorded, Simulated, Tally};
use std::ops::Range;

/// The data of the document in addition to the record.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the log.
    pub title: String,
    /// Cost of a remap, in the unit of the record's times.
    pub remap_cost: f64,
    /// How remaps overlap the steps.
    pub overlap: Overlap,
    /// The steps that are judged; the rule is trained on those before, at least two.
    pub judged: Range<usize>,
    /// Length of the job in steps of the record, where it was stated.
    pub steps: Option<u64>,
    /// Seconds in the unit of the record's times.
    pub unit_seconds: f64,
    /// Steps of the program in a step of the record.
    pub stride: u64,
    /// The assumption behind the costs.
    pub assumption: String,
    /// The cost of the perfect-information optimum on the judged steps, where it is known already.
    pub clairvoyant: Option<f64>,
}

/// The rule after the steps before the judged ones, with its cost and that of simple rules on the
/// judged ones. It takes as long as a replay.
pub fn advised_document(record: &Record, settings: &Settings) -> Result<Document, Complaint> {
    let Settings { title, remap_cost, judged, steps, unit_seconds, stride, .. } = settings.clone();
    let overlap = settings.overlap;
    let rows = (0..judged.start).map(|step| record.path(step));
    let told = whole_cost(record, 0..judged.start, remap_cost, overlap);
    let rule = Advised::new(told).overlapping(overlap).after(rows);
    let stored = Stored::from(rule.clone());
    if serde_json::from_value::<Advised>(serde_json::json!(stored)).is_err() {
        let message = format!("{title}: the times are too large or too small to compute with");
        return Err(Complaint::elsewhere(message, "give times in another unit, such as seconds"));
    }
    let ground = Ground {
        record,
        remap_cost,
        overlap,
        training: 0..judged.start,
        seed: 0,
        from: Outset::Balance,
        end_known: true,
    };
    let (tuned, of_codes) = (tuned(&ground), of_codes(&ground));
    let names: Vec<String> = ["advised".to_owned(), "advised_endless".to_owned()]
        .into_iter()
        .chain(IN_USE.iter().map(|name| (*name).to_owned()))
        .chain(tuned.iter().chain(&of_codes).map(Rule::to_string))
        .collect();
    let start = || -> Vec<Box<dyn Policy>> {
        let ours = [rule.clone().for_steps(judged.len() as u64), rule.clone()];
        let ours = ours.into_iter().map(|rule| Box::new(rule) as Box<dyn Policy>);
        let others = names[2..].iter().filter_map(|name| name.parse::<Rule>().ok());
        ours.chain(others.map(|rule| rule.start(told))).collect()
    };
    let halted = |_| Complaint::elsewhere(format!("{title}: interrupted"), "start again");
    let (tallies, clairvoyant) = if overlap.is_none() {
        let run = Recorded::new(record, judged.clone(), remap_cost);
        let hindsight = settings.clairvoyant.is_none();
        let found = run.compare(&start, 0..1, 0, hindsight, &()).map_err(halted)?;
        let tallies = found.tallies.iter().map(|tally| tally[0]).collect();
        (tallies, found.clairvoyant.map(|values| values[0]).or(settings.clairvoyant))
    } else {
        let price = Price { stops: remap_cost, overlap };
        let found = replay(record, judged.clone(), price, &start, &()).map_err(halted)?;
        (found.tallies, Some(found.clairvoyant))
    };
    let costs = names.into_iter().zip(tallies).map(|(policy, tally): (String, Tally)| Cost {
        policy,
        cost: tally.value,
        remaps: tally.remaps,
    });
    let mut costs: Vec<Cost> = costs.collect();
    let mut simple = costs.split_off(2 + IN_USE.len());
    let mut of_codes = simple.split_off(tuned.len());
    of_codes.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    simple.extend(costs.iter().find(|cost| cost.policy == "never").cloned());
    simple.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mean: f64 = judged.clone().map(|step| record.mean(step)).sum();
    Ok(Document {
        policy: Name::Advised,
        title,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ranks: record.ranks(),
        remap_cost: told,
        overlap,
        unit_seconds,
        stride,
        steps,
        trained_on: [0, judged.start as u64 - 1],
        judged_on: [judged.start as u64, judged.end as u64 - 1],
        assumption: settings.assumption.clone(),
        mean_step: mean / judged.len() as f64,
        clairvoyant: clairvoyant.unwrap_or(f64::NAN),
        costs,
        simple,
        of_codes,
        chosen: None,
        parameters: Parameters::of_the_rule(),
        rule,
    })
}

/// The document of an advice on a log called `title`, for a job of `steps` steps of the log if that
/// is stated. It has the rule after its training steps, at the state of the run, and the costs of
/// the advice's table.
pub fn of_advice(
    title: &str,
    question: &Question<'_>,
    advice: &Advice,
    steps: Option<u64>,
    assumption: &str,
) -> Result<Document, Complaint> {
    let missing = || Complaint::elsewhere(format!("{title}: no rule was chosen"), "record more");
    let judged = advice.judged.as_ref().ok_or_else(missing)?;
    let ground = question.ground(advice.steps.start);
    let rule = ground.advised();
    let stored = Stored::from(rule.clone());
    if serde_json::from_value::<Advised>(serde_json::json!(stored)).is_err() {
        let message = format!("{title}: the times are too large or too small to compute with");
        return Err(Complaint::elsewhere(message, "give times in another unit, such as seconds"));
    }
    let cost =
        |line: &Line| Cost { policy: line.policy.clone(), cost: line.cost, remaps: line.remaps };
    let simple = |line: &&Line| advice.rules.iter().any(|rule| rule.to_string() == line.policy);
    let lines = || judged.lines.iter();
    let other = |line: &&Line| !simple(line) && line.policy != "never";
    let costs = lines().filter(other).map(cost).collect();
    let mut simple: Vec<Cost> =
        lines().filter(|line| simple(line) || line.policy == "never").map(cost).collect();
    simple.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let record = question.record;
    let of_code = |rule: Rule| {
        let policy = rule.to_string();
        let contestant = ground.contestant(&policy, None, &mut Vec::new()).ok()?;
        let mut run = ground.run(&contestant, advice.steps.len() as u64);
        let course = play(record, advice.steps.clone(), ground.base(), ground.price(), &mut run);
        Some(Cost { policy, cost: course.tally.value, remaps: course.tally.remaps })
    };
    let mut of_codes: Vec<Cost> = of_codes(&ground).into_iter().filter_map(of_code).collect();
    of_codes.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mean: f64 = advice.steps.clone().map(|step| record.mean(step)).sum();
    let start = match question.known {
        true => {
            "; the rule stands where the run stood: where a run starts balanced, tell it of a remap first"
        }
        false => "",
    };
    Ok(Document {
        policy: Name::Advised,
        title: format!("{title}: {}", advice.sentence),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ranks: record.ranks(),
        remap_cost: stored.remap_cost,
        overlap: question.overlap,
        unit_seconds: 1.0,
        stride: question.stride,
        steps,
        trained_on: [ground.training.start as u64, advice.steps.start as u64 - 1],
        judged_on: [advice.steps.start as u64, advice.steps.end as u64 - 1],
        assumption: format!("{assumption}{start}"),
        mean_step: mean / advice.steps.len() as f64,
        clairvoyant: judged.clairvoyant.unwrap_or(f64::NAN),
        costs,
        simple,
        of_codes,
        chosen: Some(ADAPTIVE.to_owned()),
        parameters: Parameters::of_the_rule(),
        rule,
    })
}

/// The interval and the thresholds of least cost in training.
fn tuned(ground: &Ground<'_>) -> Vec<Rule> {
    let (record, steps, price) = (ground.record, ground.training.clone(), ground.price());
    let candidates = [
        intervals(steps.len()),
        thresholds(record, steps.clone(), Indicator::Excess),
        thresholds(record, steps.clone(), Indicator::Utilization),
    ];
    candidates
        .iter()
        .filter_map(|rules| remapping::replay::tuned(record, steps.clone(), price, rules))
        .filter(|rule| *rule != Rule::Never)
        .collect()
}
