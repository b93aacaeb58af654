//! Logs with noise, few ranks, or remaps that do nothing: what is said of them is so.

use crate::support::made_logs::{Numbers, times, wide};
use crate::support::prelude::*;

/// A log of times around 1000 seconds: walks of this size a step, seen through noise, remapped
/// every so many steps, of which those that do nothing leave the loads as they were.
fn log(
    [ranks, steps, every]: [usize; 3],
    [walk, noise]: [f64; 2],
    evens: bool,
    seed: u64,
) -> String {
    let mut random = Numbers::new(seed);
    let mut loads = vec![1000.0; ranks];
    wide((0..steps).map(|step| {
        let remapped = step > 0 && step % every == 0;
        if remapped && evens {
            let mean = loads.iter().sum::<f64>() / ranks as f64;
            loads.fill(mean);
        }
        let mut time = |load: &mut f64| {
            *load += walk * random.normal();
            *load + noise * random.normal()
        };
        (loads.iter_mut().map(&mut time).collect(), remapped.then_some(10.0))
    }))
}

/// Noise alone, remapped for nothing: it is not taken for load, remapping less saves something, and
/// no walk is told.
#[test]
fn noise_is_no_reason_to_remap() {
    let place = Workplace::new();
    for seed in 0..5 {
        place.write("log.csv", log([8, 400, 10], [0.0, 3.0], true, seed));
        let found = place.answer("advise log.csv");
        let sentence = found["advice"].text();
        // Nineteen remaps of 10 seconds in 200 steps of some 1000 are 0.1 %.
        let saved = found["saves"]["percent"].f64();
        assert!((0.02..0.15).contains(&saved), "{sentence} {}", found["saves"]);
        // The rule that is handed over waits by itself. What so little may save is not always sure.
        let kept =
            found["policy"] == "recorded" && sentence.contains("no rule can save more than 0");
        assert!(found["policy"] == "never" || found["policy"] == "advised" || kept, "{sentence}");
        has(&found["notes"].to_string(), &["times have noise of"]);
        let found = place.answer("fit log.csv --model periodic");
        let parameters = found["models"][0]["parameters"].list();
        let deviation = parameters.iter().find(|one| one["name"] == "deviation per step").unwrap();
        assert_eq!(deviation["low"], 0.0, "{deviation}");
    }
}

/// Walks that noise hides from one step to the next are told by how far the ranks part between
/// remaps: never remapping is not said to save what it does not.
#[test]
fn walks_under_noise_are_no_noise() {
    let place = Workplace::new();
    for seed in 0..few_or_all(2, 5) {
        place.write("log.csv", log([8, 2000, 100], [0.4, 6.0], true, seed));
        let found = place.answer("advise log.csv");
        has(&found["notes"].to_string(), &["not taken for load"]);
        let line = |name: &str| found.policy(name)["cost"].f64();
        assert!(line("never") > line("recorded"), "{found}");
    }
}

#[test]
fn remaps_that_do_nothing_are_no_remaps() {
    let place = Workplace::new();
    place.write("log.csv", log([8, 400, 40], [0.1, 0.0], false, 1));
    let found = place.answer("advise log.csv");
    let sentence = found["advice"].text();
    assert!(sentence.contains("the recorded remaps change nothing"), "{sentence}");
    assert_eq!(found["policy"], "never");
    place.write("log.csv", log([8, 400, 40], [0.1, 0.0], true, 1));
    let found = place.answer("advise log.csv");
    let (sentence, notes) = (found["advice"].text(), found["notes"].to_string());
    assert!(!sentence.contains("restore") && !notes.contains("left"), "{sentence} {notes}");
}

/// Ranks that always take the same are not remapped because of rounding.
#[test]
fn equal_ranks_are_left_alone() {
    let place = Workplace::new();
    let row = |step: i32| (vec![10.1; 3], (step > 0 && step % 20 == 0).then_some(0.5));
    place.write("log.csv", wide((0..200).map(row)));
    let found = place.answer("advise log.csv");
    assert_eq!(found["policy"], "never", "{found}");
}

/// Walks of few ranks without noise: their models have noise or slopes no more often than tests of
/// 5 % allow for, and are rarely refuted.
#[test]
fn walks_of_few_ranks_are_walks() {
    let place = Workplace::new();
    let (mut noisy, mut sloped, mut refuted) = (0, 0, 0);
    let (logs, most) = few_or_all((12, 2), (60, 8));
    for seed in 0..logs {
        place.write(
            "log.csv",
            log([2 + 2 * (seed % 2) as usize, 150, 1000], [1.0, 0.0], true, seed),
        );
        let found = place.answer("fit log.csv --model continuous-drift --remap-cost 10");
        let models = found["models"].list();
        let model = models.iter().find(|model| model["problem"] == "continuous_drift").unwrap();
        let model = model["file"].text();
        noisy += usize::from(model.contains("noise:"));
        sloped += usize::from(model.contains("slopes:"));
        refuted += usize::from(model.contains("verdict: no"));
    }
    // Eight of sixty are more than 5 % in one of a hundred such tests.
    assert!(noisy <= most && sloped <= most && refuted <= most, "{noisy} {sloped} {refuted}");
}

/// Remapped for nothing, where no load ever changes: no moves were seen, which is not that there
/// are none, and the model written can be solved.
#[test]
fn loads_that_never_change() {
    let place = Workplace::new();
    for (name, first, every) in [("same", 1.0, 20), ("apart", 2.0, 1000)] {
        let row = |step: i32| {
            (vec![first, 1.0, 1.0, 1.0], (step > 0 && step % every == 0).then_some(0.5))
        };
        place.write("log.csv", wide((0..120).map(row)));
        let fit = "fit log.csv --remap-cost 0.5";
        let found = place.answer(fit);
        let model = &found["models"][0];
        assert_eq!(model["problem"], "load_drift", "{found}");
        for parameter in model["parameters"].list() {
            let [value, low, high] = ["value", "low", "high"].map(|key| parameter[key].f64());
            // Not one in some 460 moves.
            let none = low == 0.0 && value == 0.0 && high > 0.005 && high < 0.01;
            assert!(none, "{name}: {parameter}");
        }
        has(model["fits"]["why"].text(), &["nothing to remap for"]);
        place.remap(format!("{fit} --out {name}.ron")).exits(0);
        place.remap(format!("solve {name}.ron")).exits(0);
    }
}

/// Ranks that move as one agree on their drift, which says nothing of how surely it is known.
#[test]
fn an_interval_has_its_estimate_in_it() {
    let place = Workplace::new();
    let load = |step: i32| vec![1.0 + 0.1 * f64::from(step).sqrt(); 3];
    place.write("log.csv", times((0..60).map(load)));
    let found = place.answer("fit log.csv --remap-cost 1 --model load-drift");
    for parameter in found["models"][0]["parameters"].list() {
        assert!(parameter["low"].is_null() && parameter["high"].is_null(), "{parameter}");
    }
}

/// One rank keeps gaining, over remaps too: its slope is known, and a model that draws slopes anew
/// is refuted by the growth of the imbalance, however much logs of slopes that are drawn differ.
#[test]
fn a_slope_that_is_known_is_not_drawn() {
    let place = Workplace::new();
    for seed in 0..3 {
        let mut random = Numbers::new(seed);
        let mut loads = [5.0; 4];
        let rows = (0..400).map(|step| {
            let remapped = step > 0 && step % 20 == 0;
            if remapped {
                loads = [loads.iter().sum::<f64>() / 4.0; 4];
            }
            loads[0] += 0.03;
            let times = loads.map(|load| load + 0.01 * random.normal());
            (times.to_vec(), remapped.then_some(1.0))
        });
        place.write("log.csv", wide(rows));
        let found = place.answer("fit log.csv");
        let model = &found["models"][0];
        assert!(model["problem"] == "periodic" && model["fits"]["verdict"] == "yes", "{found}");
        for growth in model["growth"].list() {
            let [recorded, model] = ["recorded", "model"].map(|key| growth[key].f64());
            assert!((recorded / model - 1.0).abs() < 0.1, "{growth}");
        }
        let drawn = found["models"].list();
        let drawn = drawn.iter().find(|model| model["problem"] == "continuous_drift").unwrap();
        assert_eq!(drawn["fits"]["verdict"], "no", "{drawn}");
    }
}

/// Where every step or two is remapped, nobody can tell what loads gain from noise.
#[test]
fn remaps_too_close_to_each_other_tell_nothing() {
    let place = Workplace::new();
    for every in [1, 2] {
        place.write("log.csv", log([8, 400, every], [0.1, 3.0], true, 1));
        let found = place.answer("advise log.csv");
        has(found["advice"].text(), &["remaps so close to each other"]);
        assert!(found["policy"].is_null(), "{found}");
    }
    place.write("log.csv", log([8, 400, 10], [1.0, 0.0], true, 1));
    let found = place.answer("advise log.csv");
    assert!(!found["advice"].text().contains("close to each other"), "{found}");
    // Never remapping was done, and is not said to save nothing twice.
    place.write("log.csv", log([8, 400, 1000], [0.0, 3.0], true, 1));
    let found = place.answer("advise log.csv --remap-cost 9");
    assert!(!found["notes"].to_string().contains("save 0.00 % (0.00 to 0.00)"), "{found}");
}
