//! Logs as real codes write them: remaps that slow the steps after them, that cannot split work
//! evenly, or that were never made.

use crate::support::made_logs::{Numbers, rounded, wide};
use crate::support::prelude::*;
use remapping::fit::left_over::left_over;

/// Four ranks, the first of which gains on the others; `slow` is what the first step after a remap
/// takes longer on all of them, `odd` what it takes longer on the second alone.
fn log(every: usize, slow: f64, odd: f64) -> String {
    let mut numbers = Numbers::new(3);
    let mut ahead = 0.0;
    wide((0..1000).map(|step| {
        let remapped = step > 0 && step % every == 0;
        if remapped {
            ahead = 0.0;
        }
        ahead += if numbers.uniform() < 0.5 { 0.004 } else { 0.0 };
        let mut time = |rank: usize| {
            let own = if rank == 0 { ahead } else { 0.0 };
            let after = if rank == 1 { slow + odd } else { slow };
            let after = if remapped { after } else { 0.0 };
            rounded(1.0 + own + 0.004 * (numbers.uniform() - 0.5) + after, 4)
        };
        ((0..4).map(&mut time).collect(), remapped.then_some(0.3))
    }))
}

fn advice(place: &Workplace, text: String, more: &str) -> Value {
    place.write("run.csv", text);
    place.answer(format!("advise run.csv {more}"))
}

/// What all ranks wait after a remap is paid as often as one remaps.
#[test]
fn steps_that_are_slow_after_a_remap_are_part_of_its_cost() {
    let place = Workplace::new();
    let quick = advice(&place, log(100, 0.0, 0.0), "");
    let slow = advice(&place, log(100, 3.0, 0.0), "");
    assert_eq!(quick["remap_cost"], 0.3);
    let cost = slow["remap_cost"].f64();
    assert!((3.1..3.4).contains(&cost), "{cost}");
    has(&slow["notes"].to_string(), &["the first step after a remap is slower, by"]);
    // A remap every 24 steps, as without the slow steps, would cost a tenth of the job.
    let line = |document: &Value, policy: &str| document.policy(policy)["cost"].f64();
    assert!(line(&slow, "fixed:10") > 49.0 * 3.0);
    assert!((line(&slow, "recorded") - line(&quick, "recorded") - 4.0 * 3.0).abs() < 1.0);
    // A cost that is given is that of the remap alone.
    let given = advice(&place, log(100, 3.0, 0.0), "--remap-cost 0.5");
    assert!((given["remap_cost"].f64() - cost - 0.2).abs() < 1e-9);
}

/// One step that is odd after a remap is not what the remap left; loads that stay as they were are.
#[test]
fn an_odd_step_after_a_remap_is_not_what_it_left() {
    let place = Workplace::new();
    let sentence = |text| advice(&place, text, "")["advice"].text().to_owned();
    let odd = sentence(log(100, 0.0, 0.15));
    assert!(!odd.contains("did not restore balance"), "{odd}");
    // Marks one step too early: the step after them has the loads of the one before.
    let text = log(100, 0.0, 0.0);
    let mark = |line: &str| match line.split(',').next().and_then(|step| step.parse::<u32>().ok()) {
        Some(step) if step % 100 == 99 => line.replacen(",0,,", ",1,0.3,", 1),
        Some(step) if step > 0 && step % 100 == 0 => line.replacen(",1,0.3,", ",0,,", 1),
        _ => line.to_owned(),
    };
    let early: Vec<String> = text.lines().map(mark).collect();
    // That step is then part of what a remap costs, and the advice is what it is with the right
    // marks.
    let early = advice(&place, early.join("\n") + "\n", "");
    let right = advice(&place, log(100, 0.0, 0.0), "");
    let saved = |found: &Value, field: &str| found["saves"][field].f64();
    let percent = saved(&right, "percent");
    let contains = saved(&early, "lower") <= percent && percent <= saved(&early, "upper");
    assert!(contains, "{percent}: {}", early["advice"]);
}

/// Ranks that share blocks of .02 s, which grow at random, so that a remap leaves up to a block;
/// remapped every `every` steps.
fn blocks(seed: u64, every: usize) -> String {
    let mut numbers = Numbers::new(seed);
    let mut off = [0.0; 4];
    wide((0..800).map(|step| {
        let remapped = step > 0 && step % every == 0;
        if remapped {
            off = [0; 4].map(|_| 0.02 * (numbers.uniform() - 0.5));
        }
        let mut time = |(rank, off): (usize, &mut f64)| {
            *off += 0.0004 * rank as f64 * numbers.uniform();
            rounded(1.0 + *off + 0.0004 * numbers.uniform(), 5)
        };
        (off.iter_mut().enumerate().map(&mut time).collect(), remapped.then_some(0.05))
    }))
}

/// A remap that is played leaves what recorded ones left, so that no rule remaps below that.
#[test]
fn remaps_that_are_played_leave_what_recorded_ones_did() {
    let place = Workplace::new();
    for seed in 1..few_or_all(2, 5) {
        let found = advice(&place, blocks(seed, 40), "");
        let assumed = found["assumption"].text();
        assert!(assumed.contains("leaves what recorded ones left"), "{seed}: {assumed}");
        let read = remap::logs::read(&place.path("run.csv"), None).unwrap().record;
        let left = left_over(&read).unwrap();
        let excess = |off: &[f64]| off.iter().copied().fold(f64::MIN, f64::max);
        let most = left.iter().filter(|left| left.before < 400).map(|left| excess(&left.off));
        let most = most.fold(0.0, f64::max);
        for line in found["policies"].list() {
            let policy = line["policy"].text();
            let Some(bound) = policy.strip_prefix("threshold:") else { continue };
            assert!(bound.parse::<f64>().unwrap() > 1.4 * most, "{seed}: {policy}, {most} left");
        }
        // What a run with remaps every step would have: what each leaves.
        let replayed = place.answer("replay run.csv --policies fixed:1");
        let line = &replayed["policies"][0];
        let paid = line["cost"].f64() - 0.05 * line["remaps"].f64();
        let each = left.iter().map(|left| excess(&left.off)).sum::<f64>() / left.len() as f64;
        assert!(paid > 0.5 * each * 400.0, "{seed}: {paid}, {each}");
    }
    // Loads that are split evenly leave nothing.
    let even = advice(&place, log(50, 0.0, 0.0), "");
    assert!(even["assumption"].text().contains("restores balance"));
}

/// Where no remap was ever seen, the rule waits after remaps that do not help, and the condition is
/// said.
#[test]
fn logs_without_remaps_are_advised_on_a_condition() {
    let place = Workplace::new();
    let text = log(1000, 0.0, 0.0);
    let found = advice(&place, text, "--remap-cost 0.3");
    let sentence = found["advice"].text();
    assert!(sentence.starts_with("Remap by the adaptive rule"), "{sentence}");
    assert!(sentence.contains("if a remap restores balance, which this log does not show"));
    assert!(!found["notes"].to_string().contains("save 0.00 %"), "{found}");
}

/// A folder has the files of one log.
#[test]
fn files_of_an_earlier_advice_go() {
    let place = Workplace::new();
    place.write("run.csv", log(50, 0.0, 0.0));
    place.write("short.csv", log(50, 0.0, 0.0).lines().take(30).collect::<Vec<_>>().join("\n"));
    place.remap("advise run.csv -o st").exits(0);
    place.write("st/mine.txt", "kept");
    std::fs::create_dir(place.path("own")).unwrap();
    place.write("own/lammps.txt", "somebody's own");
    assert!(place.path("st/advised.json").exists());
    let told = place.remap("advise short.csv --remap-cost 0.3 -o st --force").exits(0);
    told.says("removed, since they are of an earlier advice: ");
    for gone in ["advised.json", "remap_policy.h", "lammps.txt"] {
        assert!(!place.path(&format!("st/{gone}")).exists(), "{gone}");
    }
    assert!(place.path("st/report.html").exists() && place.path("st/mine.txt").exists());
    place.remap("advise short.csv --remap-cost 0.3 -o own --force").exits(0);
    assert!(place.path("own/lammps.txt").exists());
}

/// A change for good comes once; bursts that come again are none, however well one of them looks
/// like it.
#[test]
fn bursts_that_come_again_are_no_change_for_good() {
    let place = Workplace::new();
    for (bursts, fits) in [(1, true), (4, false)] {
        let mut numbers = Numbers::new(5);
        let rows = (0..600).map(|step| {
            // The first stretch is the longest.
            let (stretch, after) = if step < 120 { (0, step) } else { (step / 60 - 1, step % 60) };
            let is_burst = after >= 25 && stretch % 2 == 0 && stretch / 2 < bursts;
            let own = [if is_burst { 0.5 } else { 0.0 }, 0.0];
            let times = own.map(|own| rounded(1.0 + own + 0.01 * numbers.normal(), 4));
            (times.to_vec(), (after == 0 && step > 0).then_some(0.3))
        });
        place.write("run.csv", wide(rows));
        let said = place.shown("fit run.csv --model phase-change --json");
        assert_eq!(!said.contains("one for good comes once"), fits, "{bursts} bursts: {said}");
    }
}
