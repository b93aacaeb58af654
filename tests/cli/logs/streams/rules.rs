//! Rules on a long log cost what they cost in memory.

use super::LITTLE;
use crate::support::made_logs::{DRIFTING, Made, ground};
use crate::support::prelude::*;
use remap::logs::{self, Beginning, How};
use remap::replaying::contest::{contestants, table};
use remap::replaying::later;
use remap::replaying::long::{Asked, Long};
use remap::replaying::{Ground, Outset};
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::replay::{play, recorded};

#[test]
fn rules_pay_on_a_long_log_what_they_pay_in_memory() {
    let place = Workplace::new();
    let made = Made { ranks: 3, steps: 2500, every: 60, walk: 0.01, ..DRIFTING };
    place.write("run.csv", made.csv());
    let paths = [place.path("run.csv")];
    let whole = logs::read(&paths[0], None).unwrap();
    let (record, steps) = (&whole.record, whole.record.steps());
    let names = ["advised", "fixed", "threshold", "never", "menon", "fixed:9", "interval"];
    let names = names.map(str::to_owned);
    for overlap in [Overlap::NONE, Overlap { steps: 3, slowdown: 0.05 }] {
        for from in [Outset::Balance, Outset::Actual] {
            let mut long = Long::new(asked(&names, overlap, from, None));
            let trace = logs::follow(&paths, &How::default(), LITTLE, &mut long).unwrap();
            assert_eq!(trace.steps(), steps);
            let played = long.played(true).unwrap();
            let end = played.training.end;
            assert!(end < 1000 && played.training.start == 0);
            let ground = Ground { overlap, from, ..ground(record, 0.8, 0..end) };
            let known = contestants(&ground, &names, None, &mut Vec::new()).unwrap();
            let found = &played.judged;
            for ((contestant, course), line) in known.iter().zip(&found.courses).zip(&found.lines) {
                let mut run = ground.run(contestant, u64::MAX);
                let alone = play(record, end..steps, ground.base(), ground.price(), &mut run);
                assert_eq!(course.tally, alone.tally, "{} {overlap:?} {from:?}", contestant.name);
                let sum: f64 = course.costs.iter().sum();
                assert!(
                    abs_diff_eq!(sum, line.cost, epsilon = 1e-9 * sum) && line.regret.is_none()
                );
            }
            let run = recorded(record, end..steps, 0.8);
            assert_eq!(found.courses[names.len()].tally, run.tally);
            let best = found.best_in_use.clone();
            let rule: Rule = best.0.parse().unwrap();
            let mut rule = rule.start(ground.remap_cost);
            if overlap == Overlap::NONE && from == Outset::Balance {
                let alone = play(record, end..steps, ground.base(), 0.8, rule.as_mut());
                assert_eq!(best.1, alone.tally.value);
            }
            assert!(found.clairvoyant.is_none());
            assert!(table(found, None).contains("not known of a log this long"));
        }
    }
    let refused = |names: &[&str], option| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut long = Long::new(asked(&names, Overlap::NONE, Outset::Balance, option));
        let error = logs::follow(&paths, &How::default(), LITTLE, &mut long).unwrap_err();
        error.to_string()
    };
    for (error, words) in [
        (refused(&["adaptive"], None), "adaptive plans for the steps that are left"),
        (refused(&[], Some("--what-if")), "--what-if needs them all"),
        (refused(&["nonsense"], None), "nonsense"),
    ] {
        assert!(error.contains(words), "{error}");
    }
}

/// By hand: what the run as it was cost after the beginning, and what a rule would have.
#[test]
fn what_is_chosen_on_a_beginning_is_valued_on_the_steps_after_it() {
    let place = Workplace::new();
    let made = Made { ranks: 3, steps: 2500, every: 60, walk: 0.01, ..DRIFTING };
    place.write("run.csv", made.csv());
    let paths = [place.path("run.csv")];
    let names = ["threshold:0.08", "advised"].map(str::to_owned);
    let asked = || asked(&names, Overlap::NONE, Outset::Actual, None);
    let later = later::later(&paths, &How::default(), LITTLE, asked(), true).unwrap().unwrap();
    let whole = logs::read(&paths[0], None).unwrap().record;
    let first = later.steps.start;
    assert!(first < 1100 && later.steps.end == 2500 && later.training.end == first);
    let remaps = whole.remaps().iter().filter(|remap| remap.before >= first).count();
    let cost = (first..2500).map(|step| whole.imbalance(step)).sum::<f64>() + 0.8 * remaps as f64;
    let lines = &later.judged.lines;
    assert!((lines[2].cost - cost).abs() < 1e-9 * cost && lines[2].policy == "recorded");
    let time = |step: usize| whole.row(step).iter().copied().fold(0.0, f64::max);
    let time = (first..2500).map(time).sum::<f64>() + 0.8 * remaps as f64;
    let saved = 100.0 * (cost - lines[0].cost) / time;
    let document = serde_json::to_value(later.document(&names[0])).unwrap();
    let percent = document["saves"]["percent"].f64();
    assert!((percent - saved).abs() < 1e-9, "{percent} {saved}");
    assert_eq!(
        (&document["judged_from"], &document["judged"]),
        (&first.into(), &(2500 - first).into())
    );
    let said =
        format!("on all {} steps after these, {first}..=2499, threshold:0.08 saves", 2500 - first);
    assert!(later.sentence(&names[0]).starts_with(&said), "{}", later.sentence(&names[0]));
    // What is held as a whole has nothing after it, and a pipe is read once.
    let all = Beginning { cells: 1 << 18, steps: 1024 };
    assert!(later::later(&paths, &How::default(), all, asked(), true).unwrap().is_none());
    assert!(later::is_readable_again(&paths) && !later::is_readable_again(&["-".into()]));
}

fn asked(
    names: &[String],
    overlap: Overlap,
    from: Outset,
    needs_all: Option<&'static str>,
) -> Asked {
    Asked {
        name: "run.csv".to_owned(),
        names: names.to_vec(),
        remap_cost: Some(0.8),
        overlap,
        from,
        seed: 1,
        solution: Box::new(|_| Ok(None)),
        needs_all,
    }
}
