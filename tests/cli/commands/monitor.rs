//! `remap monitor` and `remap calibrate`: measurements in, decisions out.

use crate::support::prelude::*;

/// Cycle times with noise, longer from `change` on.
fn times(count: u32, change: u32) -> Vec<f64> {
    let noise = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 16) / 65536.0;
    (0..count).map(|k| 1.0 + 0.1 * noise(k) + if k >= change { 0.5 } else { 0.0 }).collect()
}

fn lines(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time}\n")).collect()
}

const MONITOR: &str = "monitor model.ron --batch 1 --cluster 5";
const SMALL: &str = "monitor model.ron --batch 1 --cluster 2";

/// The document of each line.
fn rows(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_decision_a_line_and_a_remap_soon_after_the_change() {
    let workplace = Workplace::with_model();
    let out = workplace.fed(MONITOR, lines(&times(100, 50))).exits(0).out;
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "line,measurement,step,report,belief,threshold,decision");
    assert_eq!(rows.len(), 101);
    let decisions: Vec<&str> = rows[1..].iter().map(|row| row[6]).collect();
    assert!(decisions[..4].iter().all(|decision| *decision == "base"));
    assert_eq!(decisions[9], "continue");
    let remap = decisions.iter().position(|decision| *decision == "remap").unwrap();
    assert!((50..70).contains(&remap), "{remap}");
    // A new base cluster follows, and nothing else changes.
    assert_eq!(decisions[remap + 1], "base");
    assert_eq!(decisions.iter().filter(|decision| **decision == "remap").count(), 1);
}

#[test]
fn any_column_and_json() {
    let workplace = Workplace::with_model();
    let times = times(60, 30);
    let plain = workplace.fed(MONITOR, lines(&times)).exits(0).out;
    let table: String = std::iter::once("rank,seconds,note\n".to_owned())
        .chain(times.iter().map(|time| format!("0,{time},x\n")))
        .collect();
    let belief = |out: &str| -> Vec<String> {
        out.lines().skip(1).map(|line| line.split(',').skip(1).collect()).collect()
    };
    for column in ["seconds", "2"] {
        let out = workplace.fed(format!("{MONITOR} --column {column}"), &*table).exits(0).out;
        assert_eq!(belief(&out), belief(&plain));
    }
    let rows = rows(&workplace.fed(format!("{MONITOR} --json"), lines(&times)).exits(0).out);
    assert_eq!(rows.len(), 60);
    assert_eq!(rows[9]["step"], 1);
    let refused = workplace.fed(format!("{MONITOR} --column time"), table).exits(1);
    refused.says("no column time").says("rank, seconds, note");
}

#[test]
fn bad_measurements_are_named_or_left_out() {
    let workplace = Workplace::with_model();
    let with_nan = lines(&times(60, 30)) + "NaN\nbad,inf\n";
    workplace.fed(MONITOR, &*with_nan).exits(1).says("line 61").says("--skip-invalid");
    let outcome = workplace.fed(format!("{MONITOR} --skip-invalid"), with_nan).exits(0);
    let outcome = outcome.says("line 61").says("line 62");
    assert_eq!(outcome.out.lines().count(), 61);
    // Nothing to tell a change from.
    let equal = workplace.fed(MONITOR, "1.5\n".repeat(20)).exits(1);
    equal.says("line 5").says("a change cannot be told");
    workplace.fed(MONITOR, lines(&times(7, 9))).exits(1).says("before the first decision");
    workplace.fed(MONITOR, "").exits(1).says("after 0 measurements");
}

#[test]
fn calibration_is_reproducible_and_bounded() {
    let workplace = Workplace::new();
    let calibrate = "calibrate --noise ar1:0.5 --runs 2000";
    let first = workplace.answer(calibrate);
    assert_eq!(first, workplace.answer(calibrate));
    for rate in ["false_alarm", "missed"] {
        assert!((0.0..=1.0).contains(&first[rate]["mean"].f64()));
        assert!(first[rate]["half_width"].f64() < 0.05);
    }
    for noise in ["ar1:1", "student:2", "cauchy"] {
        workplace.remap(format!("calibrate --noise {noise}")).exits(2);
    }
}

#[test]
fn error_rates_of_a_recorded_trace() {
    let workplace = Workplace::new();
    let calibrate = "calibrate --batch 1 --cluster 5 --change-at 200 --json";
    let trace = lines(&times(400, 200));
    let rates = workplace.fed(calibrate, &*trace).exits(0).json();
    assert_eq!(rates["missed"]["mean"], 0.0);
    // Pairs of clusters are independent.
    let pairs = [&rates["false_alarm"]["pairs"], &rates["missed"]["pairs"]];
    assert_eq!(pairs, [20, 40]);
    assert!(rates["false_alarm"]["mean"].f64() < 0.5);
    let refused = workplace.fed("calibrate --change-at 3", trace).exits(1);
    refused.says("no whole test cluster lies before");
}

#[test]
fn what_is_repeated_of_a_measurement_does_not_steer_the_terminal() {
    let workplace = Workplace::with_model();
    let asked = format!("{MONITOR} --column seconds");
    let outcome = workplace.fed(asked, "rank\u{1b}[31m,\0\u{7}time\n0,1\n").exits(1);
    has(&outcome.err, &["has no column seconds"]);
    assert!(!outcome.err.contains(['\u{1b}', '\0', '\u{7}']), "{:?}", outcome.err);
}

/// The line of each measurement, whatever ends lines and stands between them.
#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let workplace = Workplace::with_model();
    for end in ["\n", "\r\n", "\r"] {
        let text = ["# times", "", "seconds", "1", "", "", "2", "# more", "3", "x", ""].join(end);
        workplace.fed(SMALL, &*text).exits(1).says("line 10:");
        // Two more make a cluster.
        let outcome = workplace.fed(format!("{SMALL} --skip-invalid"), text + "5" + end).exits(0);
        let outcome = outcome.says("line 10 left out");
        let lines: Vec<&str> =
            outcome.out.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
        assert_eq!(lines, ["4", "7", "9", "11"], "{end:?}");
        let recorded = "calibrate --change-at 3 --batch 1 --cluster 2";
        workplace.fed(recorded, ["1", "", "2", "x", ""].join(end)).exits(1).says("line 4:");
    }
    workplace.fed(SMALL, "\"1\"\n\n\"2\"\nx\n").exits(1).says("line 4:");
}

#[test]
fn lines_that_are_no_text_are_named_or_left_out() {
    let workplace = Workplace::with_model();
    let bytes = b"1\n2\n\xff\n3\n\xe4,4\n";
    workplace.fed(SMALL, bytes).exits(1).says("line 3: this is not text");
    let outcome = workplace.fed(format!("{SMALL} --skip-invalid"), bytes).exits(0);
    let outcome = outcome.says("line 3 left out");
    assert_eq!(outcome.out.lines().count(), 5);
}

/// What may be meant as a number is no header.
#[test]
fn first_lines_that_are_meant_as_numbers_are_measurements() {
    let workplace = Workplace::with_model();
    for first in ["nan", "inf", "-inf", "1e400", "1;9", "1.5s", "-1.0.0", "7,"] {
        let text = format!("{first}\n1\n2\n3\n4\n");
        workplace.fed(SMALL, &*text).exits(1).says("line 1:");
        let outcome = workplace.fed(format!("{SMALL} --skip-invalid"), text).exits(0);
        let outcome = outcome.says("line 1 left out");
        assert_eq!(outcome.out.lines().count(), 5, "{first}");
    }
    for first in ["seconds", "a,b", "time [s]", "\u{b5}s", "a,"] {
        let outcome = workplace.fed(SMALL, format!("{first}\n1\n2\n3\n4\n")).exits(0);
        assert!(outcome.err.is_empty() && outcome.out.lines().count() == 5, "{first}");
    }
}

/// After a remap the new base cluster is a step, too: none is decided after the last one.
#[test]
fn base_clusters_are_steps() {
    let workplace = Workplace::stating(
        "PhaseChange(lifetime: Fixed(6), cycle: (before: 1.0, after: 3.0, remapped: 1.0), remap: (test: 1.0, \
         install: 0.0), detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.3))",
    );
    // Each other cluster is higher than the one before.
    let level = |cluster: u32| f64::from(cluster.div_ceil(2)) * 50.0;
    let input: String =
        (0..50u32).map(|k| format!("{}\n", level(k / 5) + f64::from(k * k % 7))).collect();
    let rows = rows(&workplace.fed(format!("{MONITOR} --json"), input).exits(0).out);
    let decided = rows.iter().filter(|row| !row["step"].is_null());
    let steps = decided.map(|row| [row["line"].u64() / 5 - 1, row["step"].u64()]);
    let steps: Vec<[u64; 2]> = steps.collect();
    assert!(steps.iter().all(|[cluster, step]| cluster == step), "{steps:?}");
    let remaps = rows.iter().filter(|row| row["decision"] == "remap");
    let remaps: Vec<u64> = remaps.map(|row| row["step"].u64()).collect();
    assert!(remaps.len() >= 2 && remaps.iter().all(|step| *step <= 6), "{remaps:?}");
}

/// Nothing is known after the last step of a model, and nobody is left to think otherwise.
#[test]
fn steps_after_the_last_are_told_once() {
    let workplace = Workplace::of(MODEL.replace("Fixed(40)", "Fixed(6)"));
    let feed = |count: u32| workplace.fed(MONITOR, lines(&times(count, 1000))).exits(0);
    // Steps 0 to 6 are seven clusters.
    assert_eq!(feed(35).err, "");
    let outcome = feed(60);
    has(&outcome.err, &["line 40: step 7 comes after step 6, the model's last"]);
    assert_eq!(outcome.err.matches("nothing is known").count(), 1);
}

#[test]
fn calibration_takes_no_shift_that_is_no_number_and_ends() {
    let workplace = Workplace::new();
    for shift in ["nan", "inf", "x"] {
        workplace.remap(format!("calibrate --shift {shift}")).exits(2).says("--shift");
    }
    let many = workplace.remap("calibrate --batch 1000000 --cluster 100000").exits(2);
    many.says("would be 4000000000000000 measurements").says("smaller clusters");
    let fewer = workplace.remap("calibrate --batch 1000 --cluster 1000 --runs 1000000").exits(2);
    fewer.says("give --runs 25000 or fewer");
}
