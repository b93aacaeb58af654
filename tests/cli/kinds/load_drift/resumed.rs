//! Solves that are stopped, saved and taken up again.
#![cfg(unix)]

use super::model;
use crate::support::prelude::*;
use crate::support::workplace::{ended, signal, start};
use std::time::Duration;

/// Stopped by its time limit again and again, with everything it had written killed in between, a
/// solve ends with the same bits as in one go.
#[test]
fn interrupted_solves_resume_bit_for_bit() {
    let place = Workplace::of(model(6, few_or_all(1000, 2000), ""));
    let whole = place.answer("solve model.ron --step 990");
    let solve = "solve model.ron --json --step 990 --out out";
    let partial = place.remap(format!("{solve} --time-limit 0.15")).exits(3).json();
    assert_eq!(partial["status"], "time_limit");
    let [lower, upper] = partial["value_bounds"].ends();
    assert!((lower..=upper).contains(&whole["value"].f64()));
    assert!(partial["value"].is_null());
    std::fs::remove_file(place.path("out/model.json")).unwrap();
    let checkpoint = place.path("out/model.checkpoint");
    assert!(checkpoint.exists());
    // A kill in the middle leaves the checkpoint as it was, or a newer one.
    let mut child = start(&place, solve);
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = place.remap(solve).exits(0).json();
    assert_eq!(timeless(resumed), timeless(whole));
    assert!(!checkpoint.exists());
}

/// What says that the same command goes on from where it was stopped is true, also where results
/// and a picture are written; but a result that is whole is not replaced.
#[test]
fn the_same_command_goes_on() {
    let place = Workplace::of(model(6, few_or_all(1000, 2000), ""));
    let solve = "solve model.ron --out out --plot p.svg";
    let stopped = place.remap(format!("{solve} --time-limit 0.15")).exits(3);
    stopped.says("saved; run again to resume");
    has(&place.read("out/model.json"), &["time_limit"]);
    place.remap(solve).exits(0).says("resuming with ");
    has(&place.read("out/model.json"), &["converged"]);
    place.remap(solve).exits(1).says("exists already");
}

#[test]
fn an_interrupt_saves_and_tells() {
    let place = Workplace::of(model(6, 100_000, ""));
    let child = start(&place, "solve model.ron --json --out out");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "-INT");
    assert_eq!(ended(child).exits(130).json()["status"], "interrupted");
    assert!(place.path("out/model.checkpoint").exists());
}

#[test]
fn foreign_and_damaged_checkpoints_are_refused() {
    let place = Workplace::of(model(6, 4000, ""));
    let solve = "solve model.ron --out out";
    place.remap(format!("{solve} --time-limit 0.2")).exits(3);
    std::fs::remove_file(place.path("out/model.json")).unwrap();
    let bytes = std::fs::read(place.path("out/model.checkpoint")).unwrap();
    place.write("model.ron", model(6, 4001, ""));
    place.remap(solve).exits(1).says("another model");
    let kept = std::fs::read(place.path("out/model.checkpoint")).unwrap();
    assert_eq!(kept, bytes, "a refused checkpoint is not touched");
    place.write("model.ron", model(6, 4000, ""));
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for wrong in [&damaged[..], &bytes[..middle]] {
        place.write("out/model.checkpoint", wrong);
        place.remap(solve).exits(1).says("damaged");
    }
}

/// Steps without end leave off when they are told to.
#[test]
fn very_many_steps_hear_a_limit() {
    let place = Workplace::stating(
        "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 3, up: 1e-12, down: 1e-12, edge: Hold), \
         initial_load: 2, steps: 1000000000, remap_cost: 10)",
    );
    let started = std::time::Instant::now();
    for command in ["solve model.ron", "compare model.ron --policies never"] {
        place.remap(format!("{command} --time-limit 0.2")).exits(3);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    // Where it takes no time, what is stopped at once has its bounds, and never remapping among
    // them.
    let place = Workplace::of(model(6, 4000, ""));
    let found = place.remap("solve model.ron --json --time-limit 1e-6").exits(3).json();
    assert_eq!(found["status"], "time_limit");
    assert!(found["never"]["value"].f64() >= found["value_bounds"]["lower"].f64());
}
