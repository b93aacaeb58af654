//! The document of the rule `advised`: trained on the first steps of a log, and evaluated on the
//! others together with rules that codes know.

use super::advice::{Advice, Question};
use super::contest::{ADAPTIVE, Line};
use super::one_number::of_codes;
use super::{Ground, IN_USE};
use crate::complaint::Complaint;
use crate::document::advised::{Advised as Document, Cost, Name};
use remapping::policy::advised::{Advised, Parameters, Stored};
use remapping::policy::{Policy, Rule};
use remapping::record::Record;
use remapping::replay::{Indicator, intervals, play, replay, thresholds};
use std::ops::Range;

/// The rule after the training steps of `ground`, which starts balanced, with its cost and that of
/// simple rules on the `judged` steps after them. The perfect-information optimum may be known
/// already. It takes as long as a replay.
pub fn advised_document(
    title: &str,
    ground: &Ground<'_>,
    judged: Range<usize>,
    clairvoyant: Option<f64>,
) -> Result<Document, Complaint> {
    let record = ground.record;
    let rule = ground.advised();
    let document = of_rule(title, &rule, record, &judged)?;
    let cost = |policy: String, run: &mut dyn Policy| cost(ground, &judged, policy, run);
    let of_rule = |rule: &Rule| cost(rule.to_string(), &mut rule.run(document.remap_cost));
    let mut costs = vec![
        cost("advised".to_owned(), &mut rule.clone().for_steps(judged.len() as u64)),
        cost("advised_endless".to_owned(), &mut rule.clone()),
    ];
    let in_use = IN_USE.iter().filter_map(|name| name.parse::<Rule>().ok());
    costs.extend(in_use.map(|rule| of_rule(&rule)));
    let never = costs.iter().find(|cost| cost.policy == "never").cloned();
    let simple = cheapest_first(tuned(ground).iter().map(of_rule).chain(never));
    let of_codes = cheapest_first(of_codes(ground).iter().map(of_rule));
    let clairvoyant = match clairvoyant {
        Some(known) => known,
        None => {
            let halted = |_| Complaint::elsewhere(format!("{title}: interrupted"), "start again");
            let found = replay(record, judged.clone(), ground.price(), &Vec::new, &());
            found.map_err(halted)?.clairvoyant
        }
    };
    Ok(Document { overlap: ground.overlap, clairvoyant, costs, simple, of_codes, ..document })
}

/// What a policy costs on these steps.
fn cost(ground: &Ground<'_>, steps: &Range<usize>, policy: String, run: &mut dyn Policy) -> Cost {
    let tally = play(ground.record, steps.clone(), ground.base(), ground.price(), run).tally;
    Cost { policy, cost: tally.value, remaps: tally.remaps }
}

fn cheapest_first(costs: impl Iterator<Item = Cost>) -> Vec<Cost> {
    let mut costs: Vec<Cost> = costs.collect();
    costs.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    costs
}

/// The document of a rule without costs.
fn of_rule(
    title: &str,
    rule: &Advised,
    record: &Record,
    judged: &Range<usize>,
) -> Result<Document, Complaint> {
    let stored = Stored::from(rule.clone());
    if serde_json::from_value::<Advised>(serde_json::json!(stored)).is_err() {
        let message = format!("{title}: the times are too large or too small to compute with");
        return Err(Complaint::elsewhere(message, "give times in another unit, such as seconds"));
    }
    let mean: f64 = judged.clone().map(|step| record.mean(step)).sum();
    Ok(Document {
        policy: Name::Advised,
        title: title.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ranks: record.ranks(),
        remap_cost: stored.remap_cost,
        overlap: stored.overlap,
        unit_seconds: 1.0,
        stride: 1,
        steps: None,
        trained_on: [0, judged.start as u64 - 1],
        judged_on: [judged.start as u64, judged.end as u64 - 1],
        assumption: String::new(),
        mean_step: mean / judged.len() as f64,
        clairvoyant: f64::NAN,
        costs: Vec::new(),
        simple: Vec::new(),
        of_codes: Vec::new(),
        chosen: None,
        parameters: Parameters::of_the_rule(),
        rule: rule.clone(),
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
    let document = of_rule(title, &ground.advised(), question.record, &advice.steps)?;
    let of_line =
        |line: &Line| Cost { policy: line.policy.clone(), cost: line.cost, remaps: line.remaps };
    let simple = |line: &&Line| advice.rules.iter().any(|rule| rule.to_string() == line.policy);
    let lines = || judged.lines.iter();
    let other = |line: &&Line| !simple(line) && line.policy != "never";
    let costs = lines().filter(other).map(of_line).collect();
    let simple = lines().filter(|line| simple(line) || line.policy == "never").map(of_line);
    let simple = cheapest_first(simple);
    let of_code = |rule: Rule| {
        let policy = rule.to_string();
        let contestant = ground.contestant(&policy, None, &mut Vec::new()).ok()?;
        let mut run = ground.run(&contestant, advice.steps.len() as u64);
        Some(cost(&ground, &advice.steps, policy, &mut run))
    };
    let of_codes = cheapest_first(of_codes(&ground).into_iter().filter_map(of_code));
    let start = match question.known {
        true => {
            "; the rule stands where the run stood: where a run starts balanced, tell it of a remap first"
        }
        false => "",
    };
    Ok(Document {
        title: format!("{title}: {}", advice.sentence),
        overlap: question.overlap,
        stride: question.stride,
        steps,
        trained_on: [ground.training.start as u64, advice.steps.start as u64 - 1],
        assumption: format!("{assumption}{start}"),
        clairvoyant: judged.clairvoyant.unwrap_or(f64::NAN),
        costs,
        simple,
        of_codes,
        chosen: Some(ADAPTIVE.to_owned()),
        ..document
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
