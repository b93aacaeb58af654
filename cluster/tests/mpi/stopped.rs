//! A job that is stopped as a queue stops it: SIGINT to all ranks. The same command again goes on
//! to the same bits.

use super::killed::children;
use super::{Workplace, joint};
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The processor time of a process; 0 if there is none.
fn spent(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in brackets, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// Sends SIGINT to all ranks of a job once one has used so much processor time, whatever else the
/// machine does, and waits for its end. `None`: the job ended by itself before that.
fn interrupted(
    place: &Workplace,
    ranks: usize,
    arguments: &[&str],
    after: Duration,
) -> Option<Output> {
    let mut command = place.command(ranks, arguments);
    let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    // What one rank computes alone leaves the others idle.
    let are_at_work =
        |all: &[u32]| all.len() >= ranks && all.iter().any(|rank| spent(*rank) >= after);
    while !are_at_work(&children(job.id())) && started.elapsed() < Duration::from_secs(60) {
        if job.try_wait().unwrap().is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let all: Vec<String> = children(job.id()).iter().map(u32::to_string).collect();
    // A rank may end between the two lines above and this one.
    let sent = Command::new("kill").arg("-INT").args(all).stderr(Stdio::null()).status();
    let output = job.wait_with_output().unwrap();
    (sent.unwrap().success() && output.status.code() != Some(0)).then_some(output)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Interrupts this command again and again until it comes to its end; the last document, without
/// its time.
fn in_pieces(place: &Workplace, arguments: &[&str], after: Duration) -> Value {
    // A machine may be done before that: then sooner, but a job that no interrupt stops fails.
    let mut sooner = (0..5).map(|halved| after / (1 << halved));
    let first = sooner.find_map(|after| {
        let _ = std::fs::remove_dir_all(place.path().join("out"));
        interrupted(place, 2, arguments, after)
    });
    let first = first.unwrap_or_else(|| panic!("{arguments:?}: nothing interrupts it"));
    assert_eq!(first.status.code(), Some(130), "{arguments:?}: {}", said(&first));
    let partial: Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(partial["status"], "interrupted", "{arguments:?}");
    assert!(said(&first).contains("run again to resume"), "{arguments:?}: {}", said(&first));
    let last = place.run(2, arguments);
    assert!(last.status.success(), "{arguments:?}: {}", said(&last));
    assert!(said(&last).contains("resuming "), "{arguments:?}: {}", said(&last));
    let mut document: Value = serde_json::from_slice(&last.stdout).unwrap();
    document["seconds"] = Value::Null;
    let left = std::fs::read_dir(place.path().join("out")).unwrap().flatten();
    let mut left = left.map(|entry| entry.file_name().into_string().unwrap());
    assert!(!left.any(|name| name.contains("checkpoint")), "{arguments:?}");
    document
}

const WALKS: &str = "Distinct([Walk(levels: 45, up: 0.25, down: 0.25, edge: Reflect), \
    Walk(levels: 45, up: 0.2, down: 0.2, edge: Hold), Walk(levels: 45, up: 0.24, down: 0.25, edge: Reflect)])";

/// Takes a second or two wherever it runs; more with fewer digits less.
fn check(name: &str, problem: &str, options: &[&str], after: u64) {
    let place = Workplace::new();
    place.model(name, problem);
    let whole = [&["solve", name, "--json"], options].concat();
    let expected = place.json(2, &whole);
    let asked = [&whole[..], &["--out", "out"]].concat();
    let found = in_pieces(&place, &asked, Duration::from_millis(after));
    assert_eq!(found, expected, "{name} {options:?}");
}

#[test]
fn value_iteration_goes_on_by_the_same_command() {
    let problem = format!("Stopping(processes: {WALKS}, remap_cost: 16000.0, after_remap: Stop)");
    check("values.ron", &problem, &["--method", "value"], 700);
}

#[test]
fn policy_iteration_goes_on_by_the_same_command() {
    let walks = WALKS.replace("45", "90");
    let problem = format!("Stopping(processes: {walks}, remap_cost: 16000.0, after_remap: Stop)");
    check("policies.ron", &problem, &["--tolerance", "1e-11"], 900);
}

#[test]
fn programs_of_some_steps_go_on_by_the_same_command() {
    let walks = WALKS.replace("45", "100");
    let problem = format!(
        "Stopping(processes: {walks}, remap_cost: (fixed: 50.0, per_unit_moved: 1.0), after_remap: Stop, steps: 2000)"
    );
    check("steps.ron", &problem, &[], 700);
}

#[test]
#[ignore = "a minute or two: cargo test --workspace --test mpi stopped -- --ignored"]
fn all_else_goes_on_by_the_same_command() {
    let uniform = "Stopping(processes: Identical(count: 4, chain: Walk(levels: 40, up: 0.25, down: 0.25, \
         edge: Hold)), remap_cost: 60.0, after_remap: Uniform)";
    check("uniform.ron", uniform, &["--tolerance", "1e-11"], 600);
    let few = uniform.replace("levels: 40", "levels: 16").replace("60.0", "20.0");
    check("uniform_values.ron", &few, &["--method", "value", "--tolerance", "1e-2"], 1500);
    let costs = format!(
        "Stopping(processes: {WALKS}, remap_cost: (fixed: 5000.0, per_unit_moved: 1.0), after_remap: Stop)"
    );
    check("costs.ron", &costs, &[], 1500);
    let restart = format!("Stopping(processes: {WALKS}, remap_cost: 9000.0, after_remap: Restart)");
    for after in [500, 1000, 1500] {
        check("restart.ron", &restart, &["--tolerance", "1e-10"], after);
    }
    check("restart_values.ron", &restart, &["--method", "value", "--tolerance", "1e-3"], 4000);
    let drift = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, \
         edge: Hold), initial_load: 7, steps: 2000, remap_cost: (fixed: 3.0, per_unit_moved: 0.1))";
    check("drift.ron", drift, &["--method", "exact"], 1500);
}

/// Maps too long for the document lie beside it, and are replaced as it is.
#[test]
fn long_maps_of_a_stopped_run_are_replaced() {
    let place = Workplace::new();
    let walks = WALKS.replace("45", "101");
    let problem = format!("Stopping(processes: {walks}, remap_cost: 600.0, after_remap: Stop)");
    place.model("long.ron", &problem);
    let asked =
        ["solve", "long.ron", "--method", "value", "--tolerance", "1e-2", "--json", "--out", "out"];
    let stopped = place.run(2, &[&asked[..], &["--time-limit", "1"]].concat());
    assert_eq!(stopped.status.code(), Some(3), "{}", said(&stopped));
    let map = place.path().join("out/long.decision.npy");
    assert!(map.exists() && place.path().join("out/long.checkpoint").exists());
    let again = place.run(2, &asked);
    assert!(again.status.success() && said(&again).contains("resuming "), "{}", said(&again));
    let third = place.run(2, &asked);
    assert_eq!(third.status.code(), Some(1));
    assert!(said(&third).contains("exists already"), "{}", said(&third));
}

/// Neither another model nor other options go on from a checkpoint or write over it.
#[test]
fn a_checkpoint_of_another_computation_is_refused() {
    let place = Workplace::new();
    let problem = format!("Stopping(processes: {WALKS}, remap_cost: 16000.0, after_remap: Stop)");
    place.model("values.ron", &problem);
    let asked = ["solve", "values.ron", "--method", "value", "--out", "out"];
    let stopped = place.run(2, &[&asked[..], &["--time-limit", "0.5"]].concat());
    assert_eq!(stopped.status.code(), Some(3), "{}", said(&stopped));
    let file = place.path().join("out/values.checkpoint");
    let bytes = std::fs::read(&file).unwrap();
    let refused = |asked: &[&str]| {
        let output = place.run(2, asked);
        assert_eq!(output.status.code(), Some(1), "{asked:?}: {}", said(&output));
        let told = said(&output);
        assert_eq!(told.matches("belongs to another model").count(), 1, "{told}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{asked:?}");
    };
    refused(&["solve", "values.ron", "--out", "out"]);
    refused(&[&asked[..], &["--tolerance", "1e-3"]].concat());
    place.model("values.ron", &problem.replace("16000.0", "16001.0"));
    refused(&asked);
    // Comments and layout do not count.
    let spaced = problem.replace("remap_cost:", "/* dear */  remap_cost :  ").replace(" :  ", ": ");
    place.model("values.ron", &spaced);
    let again = place.run(2, &[&asked[..], &["--time-limit", "0.2"]].concat());
    assert!(said(&again).contains("resuming "), "{}", said(&again));
}

#[test]
fn options_that_petsc_cannot_take_are_a_matter_of_usage() {
    let place = Workplace::new();
    joint::model(&place, "joint.ron", 20, "remap_cost: 400.0, after_remap: Stop");
    let walks = WALKS.replace("45", "9");
    place.model(
        "walks.ron",
        &format!("Stopping(processes: {walks}, remap_cost: 90.0, after_remap: Stop)"),
    );
    let run = |name: &str, options: &str| {
        let mut command = place.command(2, &["solve", name, "--json"]);
        command.env("PETSC_OPTIONS", options).output().unwrap()
    };
    for name in ["walks.ron", "joint.ron"] {
        for options in ["-pc_type jacobi", "-pc_type none", "-ksp_type gmres -pc_type jacobi"] {
            let output = run(name, options);
            assert!(output.status.success(), "{name} {options}: {}", said(&output));
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(document["status"], "converged", "{name} {options}");
        }
        for options in ["-pc_type ilu", "-ksp_type nonsense"] {
            let output = run(name, options);
            assert_eq!(output.status.code(), Some(2), "{name} {options}: {}", said(&output));
            assert_eq!(said(&output).matches("cannot solve with these options").count(), 1);
        }
    }
}
