//! Recorded runs from outside: every form of a trace, what is wrong with one, units, judged and
//! trained steps.

use crate::support::made_logs::DRIFTING;
use crate::support::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;

/// Ranks of which one gains steadily, remapped once, as a long table.
fn long() -> String {
    let mut text = String::from("step,rank,seconds,remapped,remap_seconds\n");
    for row in rows() {
        for (rank, seconds) in row.times.iter().enumerate() {
            let (mark, cost) = if row.remapped { ("1", "0.5") } else { ("0", "") };
            let _ = writeln!(text, "{},{rank},{seconds:.6},{mark},{cost}", row.step);
        }
    }
    text
}

struct Row {
    step: usize,
    times: Vec<f64>,
    remapped: bool,
}

fn rows() -> Vec<Row> {
    let row = |step: usize| {
        let since = if step < 20 { step } else { step - 20 };
        let time = |rank: usize| {
            let scramble = ((step * 31 + rank * 17) % 101) as f64 / 50.0 - 1.0;
            let gained = if rank == 3 { 0.05 * since as f64 } else { 0.0 };
            2.0 + gained + 0.01 * scramble
        };
        Row { step, times: (0..8).map(time).collect(), remapped: step == 20 }
    };
    (0..80).map(row).collect()
}

/// Other formats are in `logs::tables`.
#[test]
fn every_form_of_a_trace_is_read_alike() {
    let place = Workplace::new();
    place.write("long.csv", long());
    let mut shuffled = String::from("# comment\nremap_seconds; seconds ;step;remapped;rank;host\n");
    for row in rows() {
        let (cost, mark) = (if row.remapped { "0.5" } else { "" }, u8::from(row.remapped));
        for (rank, seconds) in row.times.iter().enumerate().rev() {
            let _ = writeln!(shuffled, "{cost};{seconds:.6};{};{mark};{rank};n{rank}", row.step);
        }
    }
    place.write("shuffled.csv", shuffled);
    place.write("mark.csv", String::from("\u{feff}") + &long().replace('\n', "\r\n"));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(long().as_bytes()).unwrap();
    place.write("long.csv.gz", gz.finish().unwrap());
    let fitted = |name: &str| place.shown(format!("fit {name}")).replace(name, "TRACE");
    let expected = fitted("long.csv");
    has(&expected, &["a remap costs 0.5 seconds, as recorded"]);
    for name in ["mark.csv", "shuffled.csv", "long.csv.gz"] {
        assert_eq!(fitted(name), expected, "{name}");
    }
    let piped = place.fed("fit -", long()).exits(0).out;
    assert_eq!(piped.replace("Fitted to -", "Fitted to TRACE"), expected);
}

#[test]
fn a_lammps_log_is_read() {
    let place = Workplace::new();
    let mut log = String::from(
        "LAMMPS (2 Aug 2023)\nrun 4000\n   Step          CPU            Temp         f_lb          f_lb[3]\n",
    );
    for row in 0..40 {
        // Imbalance grows for 20 rows, then fix balance has remapped.
        let ratio = 1.0 + 0.02 * f64::from(row % 20);
        let after = if row % 20 == 19 { 1.001 } else { ratio };
        let _ = writeln!(
            log,
            "   {}   {:.4}   1.44   {after:.4}   {ratio:.4}",
            100 * row,
            0.5 * f64::from(row)
        );
    }
    log.push_str(
        "Loop time of 20 on 4 procs for 4000 steps with 32000 atoms\nTotal wall time: 0:00:20\n",
    );
    place.write("log.lammps", log);
    let outcome = place.remap("fit log.lammps --remap-cost 1").exits(0);
    has(&outcome.err, &["slowest rank and the mean only", "100 apart"]);
    let played = place.answer("replay log.lammps --remap-cost 1");
    assert_eq!(played["recorded_remaps"], 1);
    assert_eq!(played["ranks"], 4);
}

#[test]
fn bad_traces_are_refused_with_their_line() {
    let place = Workplace::new();
    let refused = |text: &str, says: &str| {
        place.write("bad.csv", text);
        for verb in ["fit", "replay"] {
            let outcome = place.remap(format!("{verb} bad.csv --remap-cost 1")).exits(1);
            assert!(outcome.says(says).out.is_empty());
        }
    };
    let texts = [
        ("", "empty"),
        ("step,rank,seconds\n", "0 steps of 0 ranks"),
        ("step,rank\n0,0\n", "no column `seconds`"),
        ("rank,seconds\n0,1\n", "no column `step`"),
        ("step,rank,hours\n0,0,1\n", "no column `seconds` among step, rank, hours"),
        ("step;rank;seconds\n0;0;1,5\n", "a trace has two steps and two ranks at least"),
        ("[{\"step\": 0}]\n", "one object a line"),
        ("a,b\n1,2\n", "neither `rank` and `seconds` nor columns of ranks"),
        ("step,rank,seconds\n0,0,-1.5\n", "line 2: seconds: -1.5 is negative"),
        ("step,rank,seconds\n0,0,1\n0,1,inf\n", "line 3: seconds: \"inf\" is not finite"),
        ("step,rank,seconds\n0,0,fast\n", "line 2: seconds: \"fast\" is not a number"),
        ("step,rank,seconds\n0,0\n", "line 2: 2 fields"),
        (
            "step,rank,seconds\n0,0,1\n0,zero,1\n",
            "line 3: rank: \"zero\" is not the number of a rank",
        ),
        ("cycle,pe,ms\nx,0,1\n", "line 2: cycle: \"x\" is not the number of a step"),
        ("step,rank,seconds,lb\n0,0,1,maybe\n", "line 2: lb: \"maybe\" is neither 0 nor 1"),
        ("rank_0,rank_1,remap_ms\n1,2,dear\n", "line 2: remap_ms: \"dear\" is not a number"),
        ("step,rank,rank,seconds\n0,0,0,1\n", "two columns are called `rank`"),
        ("step,rank_1,rank_1\n0,1,2\n", "two columns are rank 1"),
        ("{\"step\": 0, \"rank\": 0}\n", "line 1: there is no field `seconds`"),
        ("\u{1f}\u{8b}\u{8}", ""),
        ("step,rank,seconds\n0,0,1\n0,1,1\n1,0,1\n1,1,2\n", ""),
        (
            "# twice\nstep,rank,seconds\n0,0,1\n0,0,1\n0,1,1\n1,0,1\n1,1,1\n",
            "bad.csv, line 4: two times of rank 0 at step 0",
        ),
        (
            "step,rank_0,rank_1\n0,1,1\n1,1,1\n\n2,1,1\n1,1,1\n",
            "bad.csv, line 6: two times of rank 0 at step 1",
        ),
        (
            "{\"step\": 0, \"rank\": 0, \"seconds\": 1}\n{oops\n",
            "line 2, column 2: not a JSON object",
        ),
        (
            "LAMMPS (1 Jan 2024)\nnothing here\n",
            "no thermo output with an imbalance of fix balance",
        ),
    ];
    texts.iter().for_each(|(text, says)| refused(text, says));
    // Lines are counted through quotes, blank lines and other ends of lines.
    let quoted = "step,rank_0,rank_1\n0,1,\"1\"\n1,\"1\",1\n\n2,1,x\n";
    let no_number = |line: u32| format!("line {line}: rank 1: \"x\" is not a number");
    refused(quoted, &no_number(5));
    refused(&quoted.replace('\n', "\r\n"), &no_number(5));
    refused(&quoted.replace("\n\n", "\r\n"), &no_number(4));
    let row = |step| format!("{{\"step\": {step}, \"seconds\": [1, 2]}}\n");
    let rows = [0, 1, 2, 1, 3].map(row).concat();
    refused(&rows, "bad.csv, line 4: two times of rank 0 at step 1");
    let rows = |kept: fn(usize, usize) -> bool| -> String {
        let all = (0..40).flat_map(|step| (0..3).map(move |rank| (step, rank)));
        let row = |(step, rank)| format!("{step},{rank},1.5\n");
        all.filter(|(step, rank)| kept(*step, *rank)).map(row).collect()
    };
    let coming = rows(|step, rank| rank != 2 || step < 10);
    refused(&format!("step,rank,seconds\n{coming}"), "rank 2 is there in 10 of 40 steps");
    let holes = rows(|step, _| step % 3 != 1);
    refused(&format!("step,rank,seconds\n{holes}"), "steps 0..=39 are missing");
    place.write("bad.csv", [0xff, 0xfe, b's', 0, b't', 0]);
    // UTF-16 is read as the text is.
    place.remap("fit bad.csv").exits(1).says("nor columns of ranks: st");
    // The gzip header alone.
    place.write("bad.csv.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    place.remap("fit bad.csv.gz").exits(1).says("cannot read");
    place.remap("fit absent.csv").exits(1).says("cannot read absent.csv");
    place.write("free.csv", long().replace(",1,0.5\n", ",1,\n"));
    place.remap("fit free.csv").exits(1).says("no cost of a remap is recorded");
    place.remap("replay free.csv").exits(1).says("--remap-cost C");
    place.remap("replay free.csv --remap-cost -1").exits(2);
    let refused = place.remap("replay free.csv --remap-cost 1 --policies clever").exits(1);
    refused.says("`clever` is not a policy");
}

#[test]
fn replay_judges_on_steps_it_has_not_trained_on() {
    let place = Workplace::new();
    place.write("long.csv", long());
    let outcome = place.remap("replay long.csv --json").exits(0);
    let found = outcome.json();
    assert_eq!((&found["judged_from"], &found["judged"]), (&Value::from(40), &Value::from(40)));
    assert_eq!(found["remap_cost"], 0.5);
    let least = found["clairvoyant"].f64();
    let policies = found["policies"].list();
    assert_eq!(policies.len(), 21);
    for line in policies {
        let (cost, regret) = (line["cost"].f64(), line["regret"].f64());
        // The run itself started elsewhere.
        let least = match line["policy"] == "recorded" {
            true => found["clairvoyant_from_actual"].as_f64().unwrap_or(least),
            false => least,
        };
        assert!(regret >= 0.0 && abs_diff_eq!(cost - regret, least, epsilon = 1e-9), "{line}");
    }
    let regret = |name: &str| found.policy(name)["regret"].f64();
    assert!(regret("solved") <= 0.03 * least, "{found}");
    assert!(regret("solved") < regret("never"));
    assert!(found["verdict"].text().contains("the best rule in use"));
    assert!(!found["q_learning_regret"].list().is_empty());
    let again = place.remap("replay long.csv --json").exits(0);
    assert_eq!(again.out, outcome.out, "the same seed, the same numbers");
    // The judged steps do not reach training: with other steps after the cut, what was trained is
    // the same.
    let text = place.shown("replay long.csv --policies fixed,threshold");
    let changed = |line: &str| {
        let step = line.split(',').next().and_then(|step| step.parse::<u32>().ok());
        let is_late = step.is_some_and(|step| step >= 40);
        (if is_late { line.replacen(",2.", ",7.", 1) } else { line.to_owned() }) + "\n"
    };
    let changed: String = long().lines().map(changed).collect();
    place.write("changed.csv", changed);
    let other = place.shown("replay changed.csv --policies fixed,threshold");
    let trained = |text: &str| -> Vec<String> {
        let rules = text.lines().filter_map(|line| line.split_once("trained: "));
        rules.map(|(_, rule)| rule.to_owned()).collect()
    };
    assert_eq!(trained(&text), trained(&other));
    assert_eq!(trained(&text).len(), 2);
}

/// Times that say that they are not seconds are converted, and so are those that are said not to
/// be.
#[test]
fn units_of_times_are_converted() {
    let place = Workplace::new();
    let text = DRIFTING.csv();
    place.write("run.csv", &text);
    let scaled = |header: &str, times: f64, costs: f64| {
        let mut lines = text.lines();
        lines.next();
        let mut scaled = format!("{header}\n");
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let of = |cell: &str, scale: f64| match cell.parse::<f64>() {
                Ok(value) => (scale * value).to_string(),
                Err(_) => String::new(),
            };
            let (time, cost) = (of(cells[2], times), of(cells[4], costs));
            scaled += &format!("{},{},{time},{},{cost}\n", cells[0], cells[1], cells[3]);
        }
        scaled
    };
    let plain = place.answer("advise run.csv");
    let same = |found: &Value| {
        for (line, other) in found["policies"].list().iter().zip(plain["policies"].list()) {
            let (cost, right) = (line["cost"].f64(), other["cost"].f64());
            assert!(abs_diff_eq!(cost, right, epsilon = 1e-6 * right), "{line} is not {other}");
        }
    };
    let cases = [
        ("step,rank,time_ms,remapped,remap_us", 1e3, 1e6),
        ("step,rank,ms,remapped,remap_seconds", 1e3, 1.0),
        ("step,rank,Time (us),remapped,\"LB time [ms]\"", 1e6, 1e3),
        ("step,rank,elapsed ns,remapped,remap_cost_s", 1e9, 1.0),
    ];
    for (header, times, costs) in some(2, cases) {
        place.write("scaled.csv", scaled(header, times, costs));
        let found = place.remap("advise scaled.csv --json");
        assert!(found.err.contains("converted to seconds"), "{}", found.err);
        same(&found.exits(0).json());
    }
    // Nothing in the file says so.
    place.write("scaled.csv", scaled("step,rank,time,remapped,remap_cost", 1e3, 1e3));
    same(&place.answer("advise scaled.csv --log-unit 0.001 -o advice"));
    assert!(place.read("advice/remap_policy.h").contains("seconds"));
    // One row a step.
    place.write("wide.csv", "step,rank_0_ms,rank_1_ms\n0,1000,2000\n1,1000,2500\n2,1000,3000\n");
    let record = remap::logs::read(&place.path("wide.csv"), None).unwrap().record;
    assert_eq!((record.row(0), record.row(2)), (&[1.0, 2.0][..], &[1.0, 3.0][..]));
    place.write("mixed.csv", "step,rank_0_ms,rank_1_us\n0,1000,2000\n1,1000,2500\n");
    place.remap("fit mixed.csv --remap-cost 1").exits(1).says("different units");
}
