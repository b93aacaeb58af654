//! Drifting loads: the same bits on any number of ranks.

use super::{Workplace, settings};
use remap::problems::{Method, Settings};
use std::process::Stdio;

#[test]
fn drift_has_the_bits_of_one_process_on_any_number_of_ranks() {
    let place = Workplace::new();
    let walk = "chain: Walk(lowest: 1, levels: 12, up: 0.25, down: 0.25, edge: Hold)";
    let problems = [
        // Gone over as a whole, and soon by regions.
        format!("LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 30, remap_cost: 4.0)"),
        "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 10, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 5, steps: 90, remap_cost: 1.0)"
            .to_owned(),
        format!(
            "LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 30, remap_cost: 4.0, \
             decide: BeforeStep, objective: Makespan, rebalance: Nearest)"
        ),
        format!(
            "LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 40, \
             remap_cost: (fixed: 3.0, per_unit_moved: 0.2))"
        ),
    ];
    for (k, problem) in problems.iter().enumerate() {
        place.model("drift.ron", problem);
        let expected = place.serial("drift.ron", &settings(Method::Exact));
        if k == 1 {
            assert_eq!(expected["representation"], "active", "regions are shared too");
        }
        for ranks in [1, 2, 4] {
            let asked = ["solve", "drift.ron", "--method", "exact", "--values", "--json"];
            assert_eq!(place.json(ranks, &asked), expected, "{problem} on {ranks} ranks");
        }
    }
}

const SAVED: &str = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, edge: Hold), \
    initial_load: 7, steps: 1200, remap_cost: (fixed: 3.0, per_unit_moved: 0.1))";

/// What was saved is taken up by any number of ranks, and by `remap solve`.
#[test]
fn drift_that_ran_out_of_time_goes_on_on_any_number_of_ranks() {
    let place = Workplace::new();
    place.model("saved.ron", SAVED);
    let exact = Settings { method: Method::Exact, step: Some(500), ..Settings::default() };
    let expected = place.serial("saved.ron", &exact);
    let asked = ["solve", "saved.ron", "--method", "exact", "--step", "500"];
    let stopped = place.run(2, &[&asked[..], &["--time-limit", "0.3"]].concat());
    let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(3), "{said}");
    assert_eq!(said.matches("saved; run again").count(), 1, "{said}");
    let kept = std::fs::read_dir(place.path().join("cache/remap")).unwrap().flatten();
    let mut kept = kept.map(|entry| entry.path()).filter(|path| path.extension().is_some());
    let kept = kept.next().unwrap();
    let saved = std::fs::read(&kept).unwrap();
    for ranks in [1, 3] {
        std::fs::write(&kept, &saved).unwrap();
        let output = place.run(ranks, &[&asked[..], &["--json"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.matches("resuming with").count(), 1, "{said}");
        let mut found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        found["seconds"] = serde_json::Value::Null;
        assert_eq!(found, expected, "{ranks} ranks");
    }
    // One that is damaged is told of once.
    let mut broken = saved.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 4;
    for bytes in [&broken[..], &saved[..saved.len() - 9], &saved[..20]] {
        std::fs::write(&kept, bytes).unwrap();
        let output = place.run(3, &asked);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.matches("is damaged").count(), 1, "{said}");
    }
}

#[test]
fn too_large_a_drift_ends_with_the_code_of_limits() {
    let place = Workplace::new();
    place.model(
        "large.ron",
        "LoadDrift(processors: 10, chain: Walk(lowest: 1, levels: 60, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 7, steps: 10, remap_cost: 3.0)",
    );
    let output = place.run(2, &["solve", "large.ron", "--method", "exact"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(said.matches("of memory").count(), 1, "{said}");
}

/// The most memory that any child of `mpirun` had, in bytes.
fn most_of_a_rank(place: &Workplace, ranks: usize, more: &[&str]) -> f64 {
    let asked = [&["solve", "heavy.ron", "--method", "exact", "--json"], more].concat();
    let mut running = place.command(ranks, &asked).stdout(Stdio::null()).spawn().unwrap();
    let mut most = 0.0;
    while running.try_wait().unwrap().is_none() {
        for child in super::killed::children(running.id()) {
            let status = std::fs::read_to_string(format!("/proc/{child}/status"));
            let status = status.unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes =
                line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
            most = f64::max(most, 1024.0 * kilobytes.unwrap_or(0.0));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    most
}

#[test]
#[ignore = "half a gigabyte and a minute: cargo test --workspace --test mpi -- --ignored"]
fn two_ranks_have_half_of_the_memory_each() {
    let place = Workplace::new();
    place.model(
        "heavy.ron",
        "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 25, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 12, steps: 6, remap_cost: 3.0)",
    );
    let [one, two] = [1, 2].map(|ranks| most_of_a_rank(&place, ranks, &[]));
    assert!(two <= 0.55 * one, "{two} of {one}");
}

/// 4.3 million states: what a rank had before and what it has then are both there while blocks
/// move.
#[test]
#[ignore = "half a gigabyte and a minute: cargo test --workspace --test mpi -- --ignored"]
fn moves_need_twice_the_memory_at_most() {
    let place = Workplace::new();
    place.model(
        "heavy.ron",
        "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 22, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 12, steps: 5, remap_cost: 3.0)",
    );
    for ranks in [2, 4] {
        let still = most_of_a_rank(&place, ranks, &[]);
        let moving = most_of_a_rank(&place, ranks, &["--remap", "fixed:1"]);
        assert!(moving <= 2.2 * still, "{moving} {still} on {ranks} ranks");
    }
}
