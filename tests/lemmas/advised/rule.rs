//! The rule `advised`: what it is, what it must not depend on, what it guarantees, what it costs.

use super::by_definition;
use crate::families::{Family, Run};
use crate::thorough::{few_or_all, some};
use approx::abs_diff_eq;
use proptest::prelude::*;
use rand::RngExt;
use remapping::overlap::{Overlap, Price};
use remapping::policy::advised::Advised;
use remapping::policy::{Policy, Step};
use remapping::record::Record;
use remapping::replay::replay;
use remapping::simulate::{Base, stream};

/// Deviations of the ranks from the mean.
fn deviations(record: &Record) -> Vec<Vec<f64>> {
    let of = |step: usize| {
        let path = record.path(step);
        let mean = path.iter().sum::<f64>() / path.len() as f64;
        path.iter().map(|time| time - mean).collect()
    };
    (0..record.steps()).map(of).collect()
}

fn endless(record: &Record, first: usize, warm: bool, cost: f64) -> Advised {
    match warm {
        true => Advised::trained((0..first).map(|step| record.path(step)), cost),
        false => Advised::new(cost),
    }
}

fn policy(record: &Record, first: usize, warm: bool, cost: f64) -> Advised {
    endless(record, first, warm, cost).for_steps((record.steps() - first) as u64)
}

/// Cost of the steps from `first` on under a policy, and the steps after which it remaps.
fn play(record: &Record, first: usize, cost: f64, policy: &mut Advised) -> (f64, Vec<usize>) {
    let (mut base, mut paid, mut remaps) = (first - 1, 0.0, Vec::new());
    for step in first..record.steps() {
        let then = record.path(base);
        let mean = then.iter().sum::<f64>() / then.len() as f64;
        let times = record.path(step).iter().zip(then).map(|(now, then)| mean + now - then);
        let seen = Step::new((step + 1 - first) as u64, times.collect());
        paid += seen.imbalance();
        policy.observe(&seen);
        if step + 1 < record.steps() && policy.wants_remap() {
            policy.remapped();
            base = step;
            paid += cost;
            remaps.push(step);
        }
    }
    (paid, remaps)
}

fn decisions(record: &Record, first: usize, warm: bool, cost: f64) -> Vec<usize> {
    play(record, first, cost, &mut policy(record, first, warm, cost)).1
}

/// A record with every time mapped by rank.
fn mapped(record: &Record, map: impl Fn(&[f64]) -> Vec<f64>) -> Record {
    let rows = (0..record.steps()).flat_map(|step| map(record.row(step)));
    Record::new(record.ranks(), rows.collect(), Vec::new()).unwrap()
}

fn runs() -> impl Strategy<Value = Run> {
    (0..Family::ALL.len(), 2_usize..9, 60_usize..few_or_all(100, 160), 0.5..100.0_f64, any::<u64>())
        .prop_map(|(family, ranks, steps, dear, seed)| {
            Family::ALL[family].run(ranks, steps, dear, seed)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(3, 32)))]

    /// The streaming rule is the rule of the definition, warm and cold.
    #[test]
    fn decisions_are_those_of_the_definition(run in runs(), warm in any::<bool>()) {
        let first = run.record.steps() / 2;
        let (cost, remaps) = by_definition::play(&deviations(&run.record), first, warm, run.remap_cost, 0);
        let mut policy = policy(&run.record, first, warm, run.remap_cost);
        let (paid, made) = play(&run.record, first, run.remap_cost, &mut policy);
        prop_assert_eq!(made, remaps);
        prop_assert!(abs_diff_eq!(paid, cost, epsilon = 1e-9 * cost));
    }

    /// The same where remaps come into force some steps after they are decided, and slow these.
    #[test]
    fn late_decisions_are_those_of_the_definition(
        run in runs(),
        warm in any::<bool>(),
        steps in 1_u64..12,
        slow in any::<bool>(),
    ) {
        let (record, cost) = (&run.record, run.remap_cost);
        let first = record.steps() / 2;
        let (_, remaps) = by_definition::play(&deviations(record), first, warm, cost, steps as usize);
        let overlap = Overlap { steps, slowdown: if slow { 0.5 } else { 0.0 } };
        let rows = (0..if warm { first } else { 0 }).map(|step| record.path(step));
        let mut policy = Advised::new(cost).overlapping(overlap).after(rows);
        policy = policy.for_steps((record.steps() - first) as u64);
        let price = Price { stops: cost, overlap };
        let found = remapping::replay::play(
            record,
            first..record.steps(),
            Base::Balanced(first - 1),
            price,
            &mut policy,
        );
        prop_assert_eq!(found.remaps, remaps);
    }

    /// Units, a time common to all ranks and the order of the ranks do not matter.
    #[test]
    fn decisions_do_not_depend_on_units_or_order(run in runs(), power in -30_i32..30) {
        let (record, cost) = (&run.record, run.remap_cost);
        let first = record.steps() / 2;
        let found = decisions(record, first, true, cost);
        let unit = 2.0_f64.powi(power);
        let scaled = mapped(record, |row| row.iter().map(|time| unit * time).collect());
        prop_assert_eq!(&decisions(&scaled, first, true, unit * cost), &found);
        let slower = mapped(record, |row| row.iter().map(|time| time + row[0] + cost).collect());
        prop_assert_eq!(&decisions(&slower, first, true, cost), &found);
        let reversed = mapped(record, |row| row.iter().rev().copied().collect());
        prop_assert_eq!(&decisions(&reversed, first, true, cost), &found);
    }

    /// What is to come does not matter, nor does a copy on the way.
    #[test]
    fn decisions_are_causal(run in runs(), share in 0.5..1.0_f64) {
        let (record, cost) = (&run.record, run.remap_cost);
        let (first, end) = (record.steps() / 2, (share * record.steps() as f64) as usize);
        let mut policies = [Advised::new(cost), Advised::new(cost)];
        let all = play(record, first, cost, &mut policies[0]).1;
        if end <= first + 1 {
            return Ok(());
        }
        let early = play(&record.part(0..end), first, cost, &mut policies[1]).1;
        let before: Vec<usize> = all.iter().copied().filter(|step| step + 1 < end).collect();
        prop_assert_eq!(early, before);
    }

    /// Where a fresher base is never worse, the cost is bounded by that of hindsight.
    #[test]
    fn the_guarantee_holds_where_loads_grow(
        ranks in 2_usize..7,
        dear in 0.05..40.0_f64,
        seed in any::<u64>(),
        warm in any::<bool>(),
        bursty in any::<bool>(),
    ) {
        let (mut draws, mut levels, mut seconds) = (stream(seed, 0), vec![0.0; ranks], Vec::new());
        for _ in 0..100 {
            // Each deviation moves to one side only: the last rank falls behind the others.
            let quiet = bursty && draws.random::<f64>() < 0.9;
            for level in levels.iter_mut().skip(1) {
                *level += if quiet { 0.0 } else { draws.random::<f64>().powi(3) };
            }
            let mean = levels.iter().skip(1).sum::<f64>() / (ranks - 1) as f64;
            seconds.push(1000.0 - mean * (ranks - 1) as f64);
            seconds.extend(levels.iter().skip(1).map(|level| 1000.0 + level));
        }
        let record = Record::new(ranks, seconds, Vec::new()).unwrap();
        // Fewer than 64 steps are judged.
        let first = 40;
        let start = || -> Vec<Box<dyn Policy>> {
            let told = policy(&record, first, warm, dear);
            vec![Box::new(endless(&record, first, warm, dear)), Box::new(told)]
        };
        let found = replay(&record, first..100, dear, &start, &()).unwrap();
        let rows = deviations(&record);
        let largest = (0..ranks).map(|rank| rows[99][rank] - rows[first - 1][rank]).fold(0.0, f64::max);
        // Told the end, it waits for twice as much regret at most.
        for (tally, regret) in found.tallies.iter().zip([1.5, 3.0]) {
            let factor = 2.0 * (regret + largest / dear).max(1.0);
            let bound = factor * found.clairvoyant + dear;
            prop_assert!(tally.value <= bound * (1.0 + 1e-9), "{tally:?}, {}", found.clairvoyant);
        }
    }
}

/// Remaps that cost nothing are made whenever there is imbalance; no load, no remap; two steps.
#[test]
fn extremes() {
    let run = Family::Walk.run(4, 40, 1.0, 3);
    assert_eq!(decisions(&run.record, 20, true, 0.0), (20..39).collect::<Vec<_>>());
    let flat = mapped(&run.record, |row| vec![1.0; row.len()]);
    assert_eq!(decisions(&flat, 20, true, 1.0), [0; 0]);
    assert_eq!(decisions(&flat, 20, true, 0.0), [0; 0]);
    for scale in [1e-300, 1e150, 1e300] {
        let large = mapped(&run.record, |row| row.iter().map(|time| time * scale).collect());
        let found = decisions(&large, 20, true, run.remap_cost);
        assert!(found.len() < 20, "{scale}: {found:?}");
    }
    let two = run.record.part(0..22);
    assert!(decisions(&two, 20, true, 1e-3).len() <= 1);
}

/// Costs as multiples of hindsight's.
#[derive(Default)]
struct Ratios(Vec<f64>);

impl Ratios {
    fn mean(&self) -> f64 {
        (self.0.iter().map(|ratio| ratio.ln()).sum::<f64>() / self.0.len() as f64).exp()
    }

    fn worst(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// Decisions on the second half, trained on the first and from a cold start, beside the best rules
/// in use.
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn judge(families: &[Family], variants: &[(usize, f64)]) -> [Ratios; 5] {
    let mut all = <[Ratios; 5]>::default();
    let named = ["advised", "cold", "metabalancer", "stop_at_rise", "menon"];
    println!("{:<16} {}", "family", named.map(|name| format!("{name:>20}")).concat());
    for (place, family) in families.iter().enumerate() {
        let mut ratios = <[Ratios; 5]>::default();
        for (number, &(ranks, _)) in variants.iter().enumerate() {
            let steps = if ranks > 500 { 400 } else { [600, 400, 800, 500][(number + place) % 4] };
            let dear = variants[(number * 3 + place) % variants.len()].1;
            let run = family.run(ranks, steps, dear, number as u64);
            let (record, cost, first) = (&run.record, run.remap_cost, steps / 2);
            let start = || -> Vec<Box<dyn Policy>> {
                let rule =
                    |name: &str| name.parse::<remapping::policy::Rule>().unwrap().start(cost);
                let ours = [true, false].map(|warm| policy(record, first, warm, cost));
                let ours = ours.into_iter().map(|policy| Box::new(policy) as Box<dyn Policy>);
                ours.chain(named[2..].iter().map(|name| rule(name))).collect()
            };
            let found = replay(record, first..steps, cost, &start, &()).unwrap();
            for (ratios, tally) in ratios.iter_mut().zip(&found.tallies) {
                ratios.0.push(tally.value / found.clairvoyant);
            }
        }
        let shown = ratios.each_ref().map(|of| format!("{:>13.3} {:6.2}", of.mean(), of.worst()));
        println!("{:<16} {}", format!("{family:?}"), shown.concat());
        all.iter_mut().zip(ratios).for_each(|(all, of)| all.0.extend(of.0));
    }
    let shown = all.each_ref().map(|of| format!("{:>13.3} {:6.2}", of.mean(), of.worst()));
    println!("{:<16} {}\n", "all", shown.concat());
    all
}

#[test]
fn close_to_hindsight_on_every_family() {
    let variants = some(2, [(8, 2.0), (32, 30.0), (4, 100.0), (16, 10.0)]);
    let [warm, cold, others @ ..] = judge(&Family::ALL, &variants);
    assert!(warm.mean() <= 1.15, "{}", warm.mean());
    assert!(cold.mean() <= 1.16, "{}", cold.mean());
    assert!(others.iter().all(|other| other.mean() > warm.mean().max(cold.mean())));
}

/// The table in docs/advised.md: families the rule was designed on, then those it was not.
#[test]
#[ignore = "takes a minute; run with: cargo test --test lemmas families_of_runs -- --ignored --nocapture"]
fn families_of_runs() {
    let variants = [
        (8, 2.0),
        (32, 30.0),
        (4, 0.7),
        (128, 100.0),
        (16, 10.0),
        (64, 300.0),
        (1024, 5.0),
        (256, 60.0),
    ];
    let (designed, others) = Family::ALL.split_at(20);
    for families in [designed, others] {
        let [warm, cold, ..] = judge(families, &variants);
        assert!(warm.mean() <= 1.15, "{}", warm.mean());
        assert!(cold.mean() <= 1.16, "{}", cold.mean());
    }
}
