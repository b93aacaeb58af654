//! What `advise` says of logs, and what comes of it: the tables of docs/advised.md.

use crate::advice::programs::{Blocks, Kind, Program, Runs, is_remapped, log};
use crate::families::Family;
use crate::support::made_logs::{ground, times, wide};
use crate::support::prelude::*;
use rayon::prelude::*;
use remapping::policy::advised::Advised;
use remapping::policy::{Policy, Rule, Step};
use remapping::record::{Record, Remap};
use remapping::replay::{
    Ground, Indicator, Outset, hindsight, intervals, play, recorded, thresholds,
};
use std::ops::Range;

/// Fresh runs of a program from the middle of its log on. Their mean is the truth.
const AGAIN: u64 = 30;

/// What could be saved, in percent, if "cannot tell" or "keep what you do" is a loss.
const MUCH: f64 = 3.0;

/// An advice, and the rule that it hands over.
struct Advice {
    found: Value,
    rule: Option<Advised>,
}

impl Advice {
    /// Of `log.csv`.
    fn of(place: &Workplace, remap_cost: Option<f64>) -> Advice {
        let cost = remap_cost.map(|cost| cost.to_string());
        let mut asked = vec!["advise", "log.csv", "--json", "-o", "out", "--force"];
        if let Some(cost) = &cost {
            asked.extend(["--remap-cost", cost]);
        }
        let found = place.run(&asked).exits(0).json();
        let has_rule = found["files"].to_string().contains("advised.json");
        let rule = has_rule.then(|| {
            let document = place.document("out/advised.json");
            serde_json::from_value(document["rule"].clone()).unwrap()
        });
        Advice { found, rule }
    }

    fn policy(&self) -> Option<&str> {
        self.found["policy"].as_str()
    }

    /// What is done by who follows it.
    fn followed(&self) -> &str {
        self.policy().or(self.found["safe"].as_str()).unwrap_or("recorded")
    }
}

/// What a run costs, imbalance and remaps, and all of its time.
#[derive(Clone, Copy, Default)]
struct Paid {
    cost: f64,
    time: f64,
}

/// Runs a program for these steps. `wants` says after which it is remapped.
fn run(
    mut program: impl Runs,
    steps: Range<usize>,
    mut wants: impl FnMut(usize, &[f64]) -> bool,
) -> Paid {
    let mut paid = Paid::default();
    for step in steps.clone() {
        let times = program.next();
        let most = times.iter().copied().fold(0.0, f64::max);
        paid.cost += most - times.iter().sum::<f64>() / times.len() as f64;
        paid.time += most;
        if step + 1 < steps.end && wants(step, &times) {
            let cost = program.pay();
            program.remap();
            paid.cost += cost;
            paid.time += cost;
        }
    }
    paid
}

/// The same by a policy.
fn run_by(program: impl Runs, steps: Range<usize>, policy: &mut dyn Policy) -> Paid {
    let mut number = 0;
    run(program, steps, |_, times| {
        number += 1;
        policy.observe(&Step::new(number, times.to_vec()));
        let wants = policy.wants_remap();
        if wants {
            policy.remapped();
        }
        wants
    })
}

/// What is told of a log, and what is true, in percent of the time of the run as it was.
struct Told {
    advice: Advice,
    /// What the adaptive rule saves: the estimate and its interval.
    interval: Option<[f64; 3]>,
    /// What the rule, and never remapping, save in fresh runs, and the standard errors.
    rule: [f64; 2],
    never: [f64; 2],
}

fn told(place: &Workplace, kind: Kind, seed: u64) -> Told {
    let ranks = [4, 8, 16, 32][seed as usize % 4];
    let steps = [400, 600, 1000, 2000][(seed as usize / 2) % 4];
    let every = [10, 0, 25, 100, 50, 200, 5][seed as usize % 7];
    let cut = steps / 2;
    let program = Program::new(kind, ranks, steps, seed);
    let (text, there) = log(program.clone(), steps, every, cut);
    place.write("log.csv", text);
    let advice = Advice::of(place, (every == 0).then(|| program.remap_cost()));
    let saves = &advice.found["saves"];
    let [percent, lower, upper] = ["percent", "lower", "upper"].map(|end| saves[end].as_f64());
    let interval = percent.zip(lower).zip(upper).map(|((a, b), c)| [a, b, c]);
    let mut all = Vec::new();
    for again in 0..AGAIN {
        let there = there.again(1_000_000 + 1000 * seed + again);
        let now = run(there.clone(), cut..steps, |step, _| is_remapped(step + 1, every));
        let never = run(there.clone(), cut..steps, |_, _| false);
        let rule = advice.rule.clone();
        let by_rule = rule.map_or(now, |mut rule| run_by(there, cut..steps, &mut rule));
        all.push([now, by_rule, never]);
    }
    let time: f64 = all.iter().map(|[now, ..]| now.time).sum();
    let saved = |by: usize| {
        let saved = |paid: &[Paid; 3]| 100.0 * (paid[0].cost - paid[by].cost);
        let mean = all.iter().map(saved).sum::<f64>() / AGAIN as f64;
        let squares: f64 = all.iter().map(|paid| (saved(paid) - mean).powi(2)).sum();
        [mean * AGAIN as f64, (squares * AGAIN as f64 / (AGAIN - 1) as f64).sqrt()]
            .map(|value| value / time)
    };
    Told { advice, interval, rule: saved(1), never: saved(2) }
}

/// What came of the advice on some logs.
#[derive(Default)]
struct Counts {
    logs: usize,
    inside: usize,
    below: usize,
    promises: usize,
    /// Beyond the standard error.
    losses: usize,
    much: usize,
    silent: usize,
}

impl Counts {
    fn add(&mut self, told: &Told) {
        let [rule, _] = told.rule;
        if let Some([_, lower, upper]) = told.interval {
            self.logs += 1;
            self.inside += usize::from(lower <= rule && rule <= upper);
            self.below += usize::from(rule < lower);
        }
        let promised = match told.advice.policy() {
            Some("advised") => Some(told.rule),
            Some("never") => Some(told.never),
            _ => None,
        };
        self.promises += usize::from(promised.is_some());
        self.losses += usize::from(promised.is_some_and(|[saved, error]| saved < -error));
        self.much += usize::from(rule > MUCH);
        self.silent += usize::from(rule > MUCH && promised.is_none());
    }

    fn row(&self) -> String {
        let Counts { logs, inside, below, promises, losses, much, silent } = self;
        let share = 100.0 * *inside as f64 / (*logs).max(1) as f64;
        format!(
            "{logs:>5} {inside:>7} {share:>6.1} {below:>6} {promises:>9} {losses:>7} {much:>5} {silent:>7}"
        )
    }
}

/// Logs of each kind of programs, and of all: how often the interval of the saving contains the
/// truth, how often a saving that is told is a loss, and how often nothing is told where much could
/// be saved.
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn told_savings(seeds: Range<u64>) -> Vec<Counts> {
    println!("{:<12}  logs  inside      %  below  promises  losses  much  silent", "logs with");
    let of_kind = |(number, kind): (usize, &Kind)| {
        let place = Workplace::new();
        seeds.clone().map(|seed| told(&place, *kind, seed + 1001 * number as u64)).collect()
    };
    let told: Vec<Vec<Told>> = Kind::ALL.par_iter().enumerate().map(of_kind).collect();
    let (mut all, mut rows) = (Counts::default(), Vec::new());
    for (kind, told) in Kind::ALL.iter().zip(&told) {
        let mut counts = Counts::default();
        told.iter().for_each(|told| {
            counts.add(told);
            all.add(told);
        });
        println!("{:<12} {}", format!("{kind:?}"), counts.row());
        rows.push(counts);
    }
    println!("{:<12} {}", "all", all.row());
    rows.push(all);
    rows
}

/// Costs of rules in units of the least possible, or of the best simple rule.
#[derive(Default)]
struct Ratios([Vec<f64>; 4]);

impl Ratios {
    /// Geometric means.
    fn means(&self) -> [f64; 4] {
        let mean = |ratios: &Vec<f64>| {
            (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
        };
        self.0.each_ref().map(mean)
    }

    fn add(&mut self, ratios: [f64; 4]) {
        self.0.iter_mut().zip(ratios).for_each(|(all, ratio)| all.push(ratio));
    }

    fn row(&self) -> String {
        let worst = |ratios: &Vec<f64>| ratios.iter().copied().fold(0.0, f64::max);
        let shown = self.means().into_iter().zip(&self.0);
        shown.map(|(mean, all)| format!("{mean:>8.3} {:>5.2}", worst(all))).collect()
    }
}

/// Costs on the second half of a log in units of the least possible there: of who follows the
/// advice, of the rule that is handed over, of the adaptive rule trained on the times as they are,
/// and of the best threshold or interval, known afterwards.
fn ratios(place: &Workplace, record: &Record, cost: f64, known: bool) -> Option<[f64; 4]> {
    let times_of = |step: usize| record.row(step).to_vec();
    let paid =
        |step: usize| record.remaps().iter().any(|remap| remap.before == step).then_some(cost);
    let steps = 0..record.steps();
    let text = match known {
        true => wide(steps.map(|step| (times_of(step), paid(step)))),
        false => times(steps.map(times_of)),
    };
    place.write("log.csv", text);
    let advice = Advice::of(place, Some(cost));
    let mut rule = advice.rule.clone()?;
    let cut = advice.found["judged_from"].as_u64().unwrap() as usize;
    let steps = cut..record.steps();
    let from = if known { Outset::Actual } else { Outset::Balance };
    let ground = Ground { from, ..ground(record, cost, 0..cut) };
    let base = ground.base();
    let least = hindsight(record, steps.clone(), base, cost, &()).unwrap();
    let paid =
        |policy: &mut dyn Policy| play(record, steps.clone(), base, cost, policy).tally.value;
    let named = |rule: &Rule| {
        let contestant = ground.contestant(&rule.to_string(), None, &mut Vec::new()).unwrap();
        paid(&mut ground.run(&contestant, steps.len() as u64))
    };
    let rules = [
        intervals(steps.len()),
        thresholds(record, steps.clone(), Indicator::Excess),
        thresholds(record, steps.clone(), Indicator::Utilization),
    ];
    let simple = rules.iter().flatten().map(named).fold(f64::INFINITY, f64::min);
    let exported = paid(&mut rule);
    let followed = match advice.followed() {
        "never" => named(&Rule::Never),
        "recorded" => recorded(record, steps.clone(), cost).tally.value,
        _ => exported,
    };
    Some([followed, exported, paid(&mut ground.advised()), simple].map(|paid| paid / least))
}

/// A run of a family, remapped every `every` steps, never if that is 0.
fn remapped(path: &Record, every: usize) -> Record {
    let ranks = path.ranks();
    let (mut base, mut seconds, mut remaps) = (vec![0.0; ranks], Vec::new(), Vec::new());
    for step in 0..path.steps() {
        if is_remapped(step, every) {
            let mean = path.mean(step - 1);
            base = path.row(step - 1).iter().map(|time| time - mean).collect();
            remaps.push(Remap { before: step, seconds: None });
        }
        seconds.extend(path.row(step).iter().zip(&base).map(|(time, base)| time - base));
    }
    // Times are positive.
    let least = seconds.iter().copied().fold(0.0, f64::min);
    seconds.iter_mut().for_each(|time| *time -= 1.5 * least);
    Record::new(ranks, seconds, remaps).unwrap()
}

/// Runs of all families, with seeds that nothing was designed on.
fn of_families(seeds: Range<u64>, known: bool) -> Ratios {
    let place = Workplace::new();
    let mut all = Ratios::default();
    for (number, family) in Family::ALL.iter().enumerate() {
        for seed in seeds.clone() {
            let at = number + seed as usize;
            let (ranks, dear) =
                [(4, 30.0), (8, 5.0), (32, 100.0), (16, 12.0), (8, 300.0), (4, 2.0)][at % 6];
            let run = family.run(ranks, [240, 400, 600][at % 3], dear, 900 + seed);
            let every = if known { [60, 25, 100, 10][at % 4] } else { 0 };
            let record = remapped(&run.record, every);
            if let Some(ratios) = ratios(&place, &record, run.remap_cost, known) {
                all.add(ratios);
            }
        }
    }
    all
}

/// Programs whose blocks are not split, in fresh runs that go on from their logs. Costs are in
/// units of the best interval or threshold of a grid in the same runs, and the adaptive rule is
/// untrained.
fn of_blocks(seeds: Range<u64>) -> Ratios {
    const STEPS: usize = 600;
    let place = Workplace::new();
    let mut all = Ratios::default();
    for seed in seeds {
        let at = seed as usize;
        let blocks = 8 * [2, 5, 20, 1, 10][at % 5];
        let cost = [1.0, 5.0, 0.5, 15.0][at % 4];
        let every = [50, 0, 20, 100][(at / 2) % 4];
        let program = Blocks::new(8, blocks, cost, 5000 + seed);
        let (text, there) = log(program, STEPS, every, STEPS / 2);
        place.write("log.csv", text);
        let advice = Advice::of(&place, (every == 0).then_some(cost));
        let steps = STEPS / 2..STEPS;
        let programs = || (0..AGAIN).map(|again| there.again(1000 * seed + again));
        let by = |policy: &dyn Fn() -> Box<dyn Policy>| -> f64 {
            let one = |program| run_by(program, steps.clone(), policy().as_mut()).cost;
            programs().map(one).sum()
        };
        let intervals = [2, 5, 10, 15, 20, 30, 40, 60, 80, 120, 200].map(Rule::Fixed);
        let levels = [80.0, 40.0, 20.0, 10.0, 5.0, 2.0, 1.0].map(|part| cost / part);
        let rules = intervals.into_iter().chain(levels.map(Rule::Threshold)).chain([Rule::Never]);
        let simple = rules.map(|rule| by(&|| rule.start(cost))).fold(f64::INFINITY, f64::min);
        let cold = by(&|| Box::new(Advised::new(cost)));
        // Where there is no rule the advice is to leave out remaps that change nothing, or the log
        // is refused.
        let exported = advice.rule.clone().map(|rule| by(&|| Box::new(rule.clone())));
        let now =
            |program| run(program, steps.clone(), |step, _| is_remapped(step + 1, every)).cost;
        let followed = match advice.followed() {
            "never" => by(&|| Rule::Never.start(cost)),
            "recorded" => programs().map(now).sum(),
            _ => exported.unwrap_or(cold),
        };
        let ratios = [followed, exported.unwrap_or(followed), cold, simple];
        all.add(ratios.map(|paid| paid / simple));
    }
    all
}

/// What is handed over, in three situations.
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn rules(seeds: Range<u64>) -> [Ratios; 3] {
    println!(
        "{:<34}{:>14}{:>14}{:>14}{:>14}",
        "costs: mean, worst", "advice", "exported rule", "adaptive rule", "best simple"
    );
    let blocks = 20 * seeds.start..20 * seeds.end;
    let all = [of_families(seeds.clone(), false), of_families(seeds, true), of_blocks(blocks)];
    let names = ["no column of remaps", "remaps recorded", "blocks, in fresh runs"];
    for (name, ratios) in names.into_iter().zip(&all) {
        println!("{name:<34}{}", ratios.row());
    }
    all
}

/// The tables in docs/advised.md.
#[test]
#[ignore = "takes minutes; run with: cargo test --test cli tables_of_advice -- --ignored --nocapture"]
fn tables_of_advice() {
    let [without, with, _] = rules(0..2);
    for [_, exported, adaptive, _] in [without.means(), with.means()] {
        assert!(exported <= 1.02 * adaptive, "{exported} against {adaptive}");
    }
    let rows = told_savings(0..84);
    for counts in &rows {
        assert!(10 * counts.inside >= 9 * counts.logs, "{}", counts.row());
        assert_eq!(counts.losses, 0, "{}", counts.row());
    }
    let all = &rows[rows.len() - 1];
    assert!(10 * all.inside >= 9 * all.logs, "{} of {}", all.inside, all.logs);
    assert!(10 * all.silent <= all.much, "{} of {}", all.silent, all.much);
}
