//! Advice on real codes: their own log is read, the setting is put in as written, and the program
//! runs again.
//!
//! `cargo test -p remapping-cli --test cli real:: -- --ignored --nocapture` needs LAMMPS (`lmp`,
//! Debian's `lammps`) and Charm++ (PyPI's `charm4py`, for the interpreter that `CHARM_PYTHON`
//! names, or `python3`). What is missing is said, and skipped. A setting that is refused or not
//! followed, and atoms or loads that do not fall as promised, fail; times that other programs on
//! the machine may lengthen are said only. With `REMAP_UPDATE_DOCUMENTS=1` the pictures of
//! docs/demonstration.md are drawn.

mod charm;
mod lammps;

use crate::support::prelude::*;
use remap::plot::chart::{Axis, Chart, Series};
use remap::plot::{COLOURS, Format, picture};
use std::path::Path;

/// What a setting was promised to save of the time of a run, and what it saved: percent.
#[derive(Debug)]
struct Saved {
    promised: f64,
    least: f64,
    most: f64,
    measured: f64,
}

/// Says that a claim about times did not hold.
#[expect(clippy::print_stderr, reason = "what other load may break is said, and fails nothing")]
fn hoped(holds: bool, claim: &str) {
    if !holds {
        eprintln!("  not so in this run, as other programs on the machine may cause: {claim}");
    }
}

/// The rule that a written setting says it is, as `replay` calls it.
fn written(setting: &str) -> String {
    let text = setting.replace("\n# ", " ");
    let (_, rest) = text.split_once("Written here: ").expect("the rule is named");
    rest.split(',').next().unwrap().to_owned()
}

/// What `replay` promises of a rule on a log, against the run as it was, and what came of it:
/// max/mean of rows before and after, and the remaps in the second half of each with their cost in
/// balanced rows.
fn saved(
    place: &Workplace,
    (log, cost): (&str, f64),
    rule: &str,
    runs: [(&[f64], f64); 2],
) -> Saved {
    let cost = cost.to_string();
    let asked = ["replay", log, "--remap-cost", &cost, "--from", "actual", "--json", "--policies"];
    let found = place.run(&[&asked[..], &[rule]].concat()).exits(0).json();
    let line = &found["policies"][0];
    assert_eq!(line["policy"], rule);
    let percent = |name: &str| -line["against_recorded"][name].f64();
    let [before, after] = runs.map(|(ratios, remaps)| {
        let half = &ratios[ratios.len() / 2..];
        half.iter().sum::<f64>() / half.len() as f64 + remaps / half.len() as f64
    });
    let measured = 100.0 * (1.0 - after / before);
    Saved {
        promised: percent("percent"),
        least: percent("upper"),
        most: percent("lower"),
        measured,
    }
}

/// Draws max/mean of two runs against the steps, where pages are to be written anew.
fn draw(name: &str, title: &str, x: &str, runs: [(&str, Vec<(f64, f64)>); 2]) {
    if std::env::var_os("REMAP_UPDATE_DOCUMENTS").is_none() {
        return;
    }
    let all = || runs.iter().flat_map(|(_, points)| points.iter());
    let last = all().map(|point| point.0).fold(0.0, f64::max);
    let most = all().map(|point| point.1).fold(1.0, f64::max);
    let series = runs
        .iter()
        .zip(COLOURS)
        .map(|((name, points), colour)| Series::line(colour, points.iter().copied()).named(*name));
    let chart = Chart {
        title,
        x: Axis::new(x, 0.0..last, 0),
        y: Axis::new("largest / mean of ranks", 1.0..most, 2),
        series: series.collect(),
    };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs").join(name);
    std::fs::write(page, picture(Format::Svg, &chart).unwrap()).unwrap();
}
