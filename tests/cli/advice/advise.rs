//! `remap advise`: one sentence that is true, the table under it, the files.

use crate::fits::truth::WALK;
use crate::support::made_logs::{DRIFTING, Made, ground, question, rounded, times, wide};
use crate::support::prelude::*;
use remap::logs;
use remap::replaying::contest::{Part, Percent, contestants, judge};
use remapping::record::Record;

#[test]
fn the_first_line_is_the_advice_and_agrees_with_the_table() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let text = place.shown("advise run.csv");
    let found = place.answer("advise run.csv");
    let advice = found["advice"].text();
    // The sentence, and a line for each clause that follows.
    let lines = text.lines().take_while(|line| !line.starts_with("run.csv: "));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.join("; "), advice);
    // The second half has few remaps; those of the first half make its saving sure.
    let second = "less than now on steps 200 to 399";
    assert!(lines[0].starts_with("Remap ") && lines[0].ends_with(second), "{advice}");
    assert!(lines[1].starts_with("on all steps up to 399, learning on the way"), "{advice}");
    assert!(advice.contains("the best published rule, "), "{advice}");
    let policy = found["policy"].text();
    let (rule, run) = (found.policy(policy), found.policy("recorded"));
    let saved = 100.0 * (run["cost"].f64() - rule["cost"].f64()) / run["time"].f64();
    let ([lower, upper], percent) = (found["saves"].ends(), found["saves"]["percent"].f64());
    assert!(abs_diff_eq!(saved, percent, epsilon = 1e-9), "{saved} is not {percent}");
    assert!(lower <= percent && percent <= upper && percent > 5.0, "{found}");
    // Three recorded remaps are few.
    has(advice, &[&format!("{percent:.2} % (from few remaps: {lower:.2} to {upper:.2})")]);
    assert_eq!(run["few_remaps"], true);
    // What the run paid: by hand.
    let first = found["judged_from"].u64() as usize;
    let rows = logs::read(&place.path("run.csv"), None).unwrap().record;
    let paid: f64 = (first..DRIFTING.steps).map(|step| rows.imbalance(step)).sum();
    let remaps = (first + 1..DRIFTING.steps).filter(|step| step % DRIFTING.every == 0).count();
    assert_abs_diff_eq!(run["cost"].f64() - paid, 0.8 * remaps as f64, epsilon = 1e-9);
    // The best rule in use is the best of all of them.
    let in_use = found["policies"].list().iter().filter(|line| line["in_use"] == true);
    let least = in_use.map(|line| line["cost"].f64()).fold(f64::INFINITY, f64::min);
    let best = found["best_in_use"].text();
    assert_eq!(found.policy(best)["cost"].f64(), least);
    let again = place.shown("advise run.csv --json");
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), found);
}

/// On logs of one law, the mean saving lies in about 95 of 100 intervals, and rules that save
/// something are seldom said to save nothing.
#[test]
fn intervals_of_what_is_saved_contain_it() {
    let made = Made { slope: 0.0, walk: 0.02, every: 50, steps: 600, ..DRIFTING };
    let saved = |seed: u64| {
        let text = Made { seed, ..made }.csv();
        let log = logs::read_from(std::io::Cursor::new(text.into_bytes()), "log", None).unwrap();
        question(&log, 0.8).answer(&()).unwrap().saves.unwrap()
    };
    let (seeds, least, most) = few_or_all((10, 9, 0), (40, 35, 2));
    let all: Vec<_> = (1..=seeds).map(saved).collect();
    let mean = all.iter().map(|saves| saves.percent).sum::<f64>() / all.len() as f64;
    let inside = all.iter().filter(|saves| saves.lower <= mean && mean <= saves.upper).count();
    assert!(mean > 0.0 && inside >= least, "{inside} of {}, {mean}", all.len());
    let wrong = all.iter().filter(|saves| saves.upper < 0.0).count();
    assert!(wrong <= most, "{wrong}");
}

#[test]
fn what_cannot_be_beaten_is_kept() {
    let place = Workplace::new();
    // Nothing drifts: never remapping is best, and it was done.
    let calm = Made { slope: 0.0, noise: 0.02, every: 10_000, ..DRIFTING };
    let text = calm.csv();
    place.write("calm.csv", &text);
    let found = place.answer("advise calm.csv --remap-cost 0.8");
    let advice = found["advice"].text();
    assert!(advice.starts_with("Go on without remapping"), "{advice}");
    assert_eq!(found["policy"], "recorded");
    assert!(found["saves"]["lower"].f64() <= 0.0);
    // Nobody knows what was done.
    place.write("silent.csv", Made { every: 10_000, ..DRIFTING }.unmarked());
    let found = place.answer("advise silent.csv --remap-cost 0.8");
    assert!(found["saves"].is_null());
    has(found["advice"].text(), &["what was done is not recorded"]);
    assert!(found["policies"].list().iter().all(|line| line["policy"] != "recorded"));
}

#[test]
fn what_a_log_cannot_tell_is_said() {
    let place = Workplace::new();
    let (log, unmarked) = (DRIFTING.csv(), DRIFTING.unmarked());
    for (text, asked, why) in [
        (&Made { steps: 30, every: 10, ..DRIFTING }.csv(), "", "30 steps are too few"),
        (&log, "--remap-cost 0.000001", "cannot be the same unit"),
        (&log, "--remap-cost 0", "costs nothing"),
        (&log, "--remap-cost 1e6", "longer than the whole log"),
        (&unmarked, "--remap-cost 0.8", "where no remap is recorded"),
    ] {
        place.write("log.csv", text);
        let found = place.answer(format!("advise log.csv {asked}"));
        let advice = found["advice"].text();
        assert!(advice.starts_with("This log cannot tell"), "{advice}");
        has(advice, &[why]);
        assert!(found["policy"].is_null() && found["saves"].is_null(), "{found}");
    }
    place.write("log.csv", &unmarked);
    let found = place.answer("advise log.csv --remap-cost 0.8 --suspected");
    assert_eq!(found["recorded_remaps"], 3);
    assert!(found["saves"].is_object());
    // Clock readings in place of times.
    place.write("log.csv", times((1..=200).map(|step| vec![0.5 * f64::from(step); 3])));
    for verb in ["advise", "fit", "replay"] {
        let outcome = place.remap(format!("{verb} log.csv --remap-cost 1")).exits(1);
        outcome.says("readings of a clock").says("diff()");
    }
}

/// Where no cost of a remap is recorded, the answer is what to do at each.
#[test]
fn a_log_without_costs_gets_a_table_of_costs() {
    let place = Workplace::new();
    let dear = |line: &str| line.rsplit_once(',').map_or(line, |(rest, _)| rest).to_owned() + "\n";
    let made = Made { steps: 400, every: 100, ..DRIFTING }.csv();
    place.write("log.csv", made.lines().map(dear).collect::<String>());
    let found = place.answer("advise log.csv -o out");
    assert!(!place.path("out").exists(), "no settings from no advice");
    assert!(found["policy"].is_null() && found["remap_cost"].is_null(), "{found}");
    let advice = found["advice"].text();
    assert!(advice.starts_with("What a remap costs is not in the log: "), "{advice}");
    let costs = found["costs"].list();
    assert_eq!(costs.len(), 10);
    let [first, last] = [&costs[0], &costs[9]];
    assert!(first["best"] != "never" && last["best"] == "never", "{first}\n{last}");
    // What is said at a cost is what is best where it is given.
    for row in [first, last] {
        let cost = row["remap_cost"].to_string();
        let given = "--policies never,stop_at_rise --from actual";
        let other = place.answer(format!("replay log.csv --remap-cost {cost} {given}"));
        for policy in ["never", "stop_at_rise"] {
            let told = row["policies"].list().iter().find(|told| told[0] == policy);
            let told = told.unwrap()[1].f64();
            let right = other.policy(policy)["cost"].f64();
            assert!((told - right).abs() < 1e-9 * right, "{policy} at {cost}: {told}, {right}");
        }
    }
    // Never remapping is told where it is given, too.
    let cost = &last["remap_cost"];
    let sure = place.answer(format!("advise log.csv --remap-cost {cost}"));
    assert!(sure["policies"].is_array());
    place.remap("fit log.csv").exits(1).says("no cost of a remap is recorded");
    let text = place.shown("advise log.csv");
    has(&text, &["nothing is written"]);
}

#[test]
fn replay_says_what_the_run_paid() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let replay = "replay run.csv --policies never,fixed:10,solved";
    let found = place.answer(replay);
    let run = found.policy("recorded");
    assert_eq!(run["remaps"], 1);
    assert_eq!(found["from"], "balance");
    // From balance, and from where the run stood.
    let actual = place.answer(format!("{replay} --from actual"));
    assert_eq!(actual.policy("recorded")["cost"], run["cost"]);
    assert!(actual.policy("never")["cost"].f64() >= found.policy("never")["cost"].f64());
    for document in [&found, &actual] {
        for line in document["policies"].list() {
            let more = &line["against_recorded"];
            let percent = 100.0 * (line["cost"].f64() - run["cost"].f64()) / run["time"].f64();
            assert!(abs_diff_eq!(more["percent"].f64(), percent, epsilon = 1e-9), "{line}");
            let [lower, upper] = more.ends();
            assert!(lower <= percent + 1e-9 && percent <= upper + 1e-9);
            let lost = 100.0 * (1.0 - line["utilization"].f64());
            assert_abs_diff_eq!(line["percent_of_time"].f64(), lost, epsilon = 1e-9);
        }
    }
    assert!(actual["clairvoyant"].f64() <= run["cost"].f64() + 1e-9);
    // The verdict is of all rules in use, shown or not.
    let all = place.answer("replay run.csv");
    assert_eq!(found["best_in_use"], all["best_in_use"]);
}

#[test]
fn messages_say_what_would_be_right() {
    let place = Workplace::with_model();
    let refused = |text: &str, says: &str| {
        place.write("bad.csv", text);
        for verb in ["fit", "replay", "advise"] {
            place.remap(format!("{verb} bad.csv --remap-cost 1")).exits(1).says(says);
        }
    };
    refused("time,proc,secs\n0,0,1\n0,1,1\n", "`time` and `secs` both seem to be");
    refused("0,0,1.5\n0,1,1.25\n1,0,1.5\n1,1,1.25\n", "there is no header line");
    refused("step,rank,seconds\n0,0,0\n0,1,0\n1,0,0\n1,1,0\n", "all times are 0");
    place.remap("replay bad.csv --remap-cost -1").exits(2).says("at least 0");
    place.remap("report bad.csv").exits(1).says("all times are 0");
    let set = ["solve", "model.ron", "--set", "problem.hazard=0.1"];
    place.run(&set).exits(2).says("remap sweep model.ron --set 'problem.hazard=0.1'");
}

#[test]
fn units_and_strides_reach_what_is_exported() {
    let place = Workplace::new();
    place.state(WALK);
    place.remap("simulate model.ron --seed 3 --policy fixed:40 --trace run.csv").exits(0);
    // In quarters of a second, and one step of the log for a hundred of the program.
    let scaled: String = place
        .read("run.csv")
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
            if at > 0 {
                fields[0] = (100 * fields[0].parse::<u64>().unwrap()).to_string();
                fields[2] = (0.25 * fields[2].parse::<f64>().unwrap()).to_string();
                if let Ok(cost) = fields[4].parse::<f64>() {
                    fields[4] = (0.25 * cost).to_string();
                }
            }
            fields.join(",") + "\n"
        })
        .collect();
    place.write("scaled.csv", scaled);
    for (log, unit, stride) in [("run.csv", 1.0, 1), ("scaled.csv", 0.25, 100)] {
        place.remap(format!("fit {log} -o fitted.ron --force")).exits(0);
        let solved = place.answer("solve fitted.ron --out . --force");
        assert_eq!((solved["unit_seconds"].f64(), &solved["stride"]), (unit, &Value::from(stride)));
        assert_eq!(solved["fits"]["verdict"], "yes", "{}", solved["fits"]);
        let header = place.shown("export fitted.json --to c");
        // No length of the job was stated: the rule does not end with the log.
        lacks(&header, &["REMAP_STEPS"]);
        let threshold = solved["closest_threshold"][0]["threshold"].f64();
        has(&header, &[&format!("level = {:?}", unit * threshold)]);
        let replay = format!("replay {log} --solution fitted.json --policies solution");
        let cost = place.answer(replay).policy("solution")["cost"].f64();
        let policy = format!("threshold:{threshold}");
        let plain = place.answer(format!("replay run.csv --policies {policy}"));
        let same = unit * plain.policy(&policy)["cost"].f64();
        assert!(abs_diff_eq!(cost, same, epsilon = 1e-6 * cost), "{cost} is not {same}");
        // A stated length is kept.
        place.remap(format!("fit {log} --steps 200000 -o job.ron --force")).exits(0);
        let steps = format!("steps: {},", 200_000 / stride);
        has(&place.read("job.ron"), &["job_steps: 200000", &steps]);
    }
}

#[test]
fn nobody_is_given_a_bound_that_nobody_gave() {
    let place = Workplace::new();
    place.write("run.csv", Made { ranks: 4, noise: 0.0, walk: 0.02, ..DRIFTING }.csv());
    place.remap("fit run.csv --model periodic -o fitted.ron").exits(0);
    assert!(!place.read("fitted.ron").contains("bound"));
    let text = place.shown("solve fitted.ron --out . --plot curve.svg");
    let solved = place.document("fitted.json");
    assert_eq!(solved["interval"], solved["cost_aware"]["interval"]);
    assert!(solved.get("bound").is_none());
    assert!(text.contains("the least cost per step"), "{text}");
    let changes = "Identical(count: 4, law: Normal(mean: 0, deviation: 1))";
    place.state(format!("Periodic(initial_load: 5, changes: {changes})"));
    place.remap("check model.ron").exits(1).says("how long an interval may be");
}

/// Times of four ranks by step, and columns of remaps, of which there are none, if asked for.
fn four_ranks(marked: bool, time: impl Fn(usize, usize) -> f64) -> String {
    let row = |step: usize| (0..4).map(|rank| rounded(time(step, rank), 5)).collect();
    match marked {
        true => wide((0..400).map(|step| (row(step), None))),
        false => times((0..400).map(row)),
    }
}

/// A program that is out of balance by the same at every step is remapped once, whether or not its
/// times vary; where the log does not say that it never was, that is asked.
#[test]
fn loads_that_never_were_balanced_are_seen() {
    let place = Workplace::new();
    for jitter in [0.0, 0.01] {
        let time = |step: usize, rank: usize| {
            let noise = ((step * 7 + rank * 3) % 11) as f64 / 5.0 - 1.0;
            1.0 + jitter * noise + f64::from(u8::from(rank == 0))
        };
        for marked in [true, false] {
            place.write("run.csv", four_ranks(marked, time));
            let found = place.answer("advise run.csv --remap-cost 3");
            let advice = found["advice"].text();
            if marked {
                // One remap: 3 seconds for .75 of 2 in each of 200 steps.
                let saved = found["saves"]["percent"].f64();
                assert!((saved - 36.5).abs() < 1.5 && advice.starts_with("Remap "), "{advice}");
            } else {
                assert!(advice.starts_with("Do not remap once the loads are balanced"), "{advice}");
                assert!(advice.contains("with 37.") && advice.contains("`remapped`"), "{advice}");
            }
        }
    }
    // Loads that drift from balance begin with nothing of the kind.
    let time = |step: usize, rank: usize| {
        1.0 + (step * 7 + rank * 3) as f64 % 11.0 * 1e-3 + 1e-6 * (step * rank) as f64
    };
    place.write("run.csv", four_ranks(false, time));
    let found = place.shown("advise run.csv --remap-cost 3");
    assert!(found.starts_with("Do not remap: "), "{found}");
    has(&found, &["no rule can save more than"]);
}

/// Steady on the first half and drifting on the second: that remapping costs more is not said of
/// savings.
#[test]
fn logs_that_begin_to_drift_late_are_not_told_to_stay() {
    let place = Workplace::new();
    for marked in [true, false] {
        let time = |step: usize, rank: usize| {
            let drift = 0.02 * step.saturating_sub(205) as f64;
            let noise = ((step * 7 + rank * 3) % 11) as f64 * 1e-3;
            10.0 + noise + [drift, -0.5 * drift, 0.0, 0.0][rank]
        };
        place.write("run.csv", four_ranks(marked, time));
        let found = place.answer("advise run.csv --remap-cost 2");
        let advice = found["advice"].text();
        let rule = found.policy("advised");
        assert!(rule["cost"].f64() < 0.5 * found.policy("never")["cost"].f64(), "{rule}");
        assert!(found["policy"] == "advised" || found["safe"] == "advised", "{advice}");
        assert!(advice.contains(" 1") && !advice.contains("adaptive rule would cost"), "{advice}");
    }
}

/// Shares of the time have their own value between their ends, and nothing saves more than all of
/// it, however dear remaps are.
#[test]
fn shares_lie_within_their_intervals() {
    let seconds = (0..80).flat_map(|step| [1.0, 1.0 + 0.01 * f64::from(step % 7)]).collect();
    let record = Record::new(2, seconds, Vec::new()).unwrap();
    for remap_cost in [0.01, 1.0, 30.0] {
        let ground = ground(&record, remap_cost, 0..40);
        let names = ["fixed:2", "fixed:10", "never"].map(str::to_owned);
        let contestants = contestants(&ground, &names, None, &mut Vec::new()).unwrap();
        let part = Part { ground, contestants, steps: 40..80 };
        let judged = judge(&[part], true, &()).unwrap();
        let mut all: Vec<Percent> = judged.lines.iter().map(|line| line.against_best).collect();
        all.extend(judged.lines.iter().filter_map(|line| line.against_recorded));
        assert!(all.iter().all(|more| more.lower >= -100.0), "{all:?}");
        for line in &judged.lines {
            let others = judged
                .lines
                .iter()
                .map(|other| Percent::saved_of(judged.course(line), judged.course(other), 1));
            let saved: Vec<Percent> = others.collect();
            assert!(saved.iter().all(|saved| saved.upper <= 100.0), "{saved:?}");
            all.extend(saved);
        }
        assert!(all.iter().all(|one| one.lower <= one.percent && one.percent <= one.upper));
        let least = all.iter().map(|one| one.percent).fold(0.0, f64::min);
        assert!(remap_cost < 30.0 || least < -100.0, "{least}");
    }
}
