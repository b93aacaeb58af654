//! LAMMPS: a gas that sloshes, with a hand-set `fix balance` and with the advised one.

use super::{Saved, draw, hoped, saved, written};
use crate::support::languages::{is_there, skipped};
use crate::support::prelude::*;
use std::process::Command;

/// Rebalanced by hand at 1.5 times the mean.
const BY_HAND: &str = "comm_style tiled\nfix remap all balance 100 1.5 rcb\n";

/// Seconds of a remap: 1,800 more of them lengthened a run on four ranks by 4.8 s, on two busy
/// cores.
const REMAP_COST: f64 = 0.0025;

const ATOMS: f64 = 2952.0;

/// Seconds of a balanced row, four ranks on two idle cores.
const ROW: f64 = 0.05;

/// One run: rows of the thermo output, atoms on the fullest rank by the row, and what timers say is
/// lost.
struct Run {
    /// step, cpu, imbalance after the last rebalance, before it, largest load at the last look.
    rows: Vec<[f64; 5]>,
    /// Largest number of atoms over their mean.
    ratios: Vec<f64>,
    /// Of Pair and Neigh: the largest time less the mean, over the mean, added up over the parts of
    /// the run.
    timers: f64,
}

fn run(place: &Workplace, ranks: usize, balance: &str, log: &str) -> Run {
    let count = ranks.to_string();
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]);
    command.args(["-n", &count, "lmp"]);
    command.args(["-in", "in.slosh.lammps", "-var", "BALANCE", balance, "-log", log]);
    command.args(["-var", "FULLEST", "fullest.txt"]).current_dir(place.root());
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMP_NUM_THREADS"] {
        command.env(name, "1");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let text = place.read(log);
    let mut rows: Vec<[f64; 5]> = text.lines().filter_map(numbers).collect();
    rows.dedup_by(|next, last| next[0] == last[0]);
    let atoms = place.read("fullest.txt");
    let ratios = atoms.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let ratios = ratios.map(|atoms| atoms * ranks as f64 / ATOMS).collect();
    let (mut lost, mut mean) = (0.0, 0.0);
    for line in text.lines().filter(|line| line.starts_with("Pair ") || line.starts_with("Neigh "))
    {
        let cells: Vec<f64> = line.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        lost += cells[2] - cells[1];
        mean += cells[1];
    }
    Run { rows, ratios, timers: lost / mean }
}

/// The numbers of a row of the thermo output.
fn numbers(line: &str) -> Option<[f64; 5]> {
    let words: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    words.ok()?.try_into().ok()
}

/// A log with the clock of an idle machine, on which a row takes as long as its fullest rank. On
/// one that others use, ranks wait for each other up to twenty times as long as they work.
fn idle(log: &str, ranks: usize) -> String {
    let mut clock = 0.0;
    let line = |line: &str| match numbers(line) {
        Some([step, cpu, after, before, atoms]) => {
            let row = ROW * atoms * ranks as f64 / ATOMS;
            clock = if cpu == 0.0 { 0.0 } else { clock + row };
            format!("{step} {clock:.6} {after} {before} {atoms}\n")
        }
        None => format!("{line}\n"),
    };
    log.lines().map(line).collect()
}

/// The rows at which it was rebalanced, with the imbalance before.
fn rebalanced(run: &Run) -> Vec<f64> {
    let pairs = run.rows.windows(2).filter(|pair| pair[0][2..4] != pair[1][2..4]);
    pairs.map(|pair| pair[1][3]).collect()
}

#[expect(clippy::print_stdout, reason = "what was measured is worth seeing")]
fn slosh(ranks: usize) {
    if !is_there("mpirun") || Command::new("lmp").arg("-h").output().is_err() {
        skipped("LAMMPS (lmp) with mpirun");
        return;
    }
    let place = Workplace::new();
    place.write("in.slosh.lammps", include_str!("in.slosh.lammps"));
    place.write("hand.txt", BY_HAND);
    let before = run(&place, ranks, "hand.txt", "hand.log");
    let cost = REMAP_COST.to_string();
    let advise = |log: &str, folder: &str| {
        place.remap(format!("advise {log} --remap-cost {cost} -o {folder}")).exits(0)
    };
    // With its own clock, and with one that other programs on the machine do not stop.
    let busy = advise("hand.log", "busy");
    place.write("idle.log", idle(&place.read("hand.log"), ranks));
    let advised = advise("idle.log", "advice");
    let setting = place.read("advice/lammps.txt");
    let after = run(&place, ranks, "advice/lammps.txt", "after.log");

    // It rebalances when the rule says: above the level, and at most a tenth of the rows stay above
    // it. Weights are wall times, which other programs on the machine lengthen.
    let fix = setting.lines().last().unwrap();
    let words: Vec<&str> = fix.split(' ').collect();
    assert_eq!(words[..4], ["fix", "remap", "all", "balance"], "{fix}");
    let level: f64 = words[5].parse().unwrap();
    let remaps = rebalanced(&after);
    assert!(remaps.len() > 2 * rebalanced(&before).len(), "{fix}: {}", remaps.len());
    assert!(remaps.iter().all(|imbalance| *imbalance > level - 1e-6), "{fix}: {remaps:?}");
    let above = |ratio: &&f64| **ratio > level.max(1.05) + 0.05;
    let late = after.ratios.iter().filter(above).count();
    assert!(late * 10 <= after.ratios.len(), "{fix}: {late} rows above");

    // What is lost falls by as much as was promised, by atoms.
    let half = |run: &Run| rebalanced(run).len() as f64 / 2.0 * REMAP_COST / ROW;
    let runs = [(&before.ratios[..], half(&before)), (&after.ratios[..], half(&after))];
    let saving = saved(&place, ("idle.log", REMAP_COST), &written(&setting), runs);
    let Saved { promised, least, most, measured } = saving;
    println!("{}", advised.out.lines().next().unwrap());
    println!("  by its own clock: {}", busy.out.lines().next().unwrap());
    println!(
        "LAMMPS, {ranks} ranks: {fix}\n  promised {promised:.1} % ({least:.1} to {most:.1}), measured by atoms {measured:.1} %; \
         lost by timers: {:.1} % before, {:.1} % after; {} rebalances before, {} after",
        100.0 * before.timers,
        100.0 * after.timers,
        rebalanced(&before).len(),
        remaps.len()
    );
    assert!(measured >= least && measured > 0.0, "{saving:?}");
    let by_atoms = |run: &Run| run.ratios.iter().sum::<f64>() / run.ratios.len() as f64;
    assert!(by_atoms(&after) < by_atoms(&before), "{} and {}", by_atoms(&before), by_atoms(&after));
    if ranks == 2 {
        hoped(after.timers < before.timers, "less is lost by the timers of two ranks");
        return;
    }
    let points = |run: &Run| {
        let steps = (0..).map(|row| f64::from(row) * 10_000.0 / run.ratios.len() as f64);
        steps.zip(run.ratios.iter().copied()).collect()
    };
    let runs = [("set by hand: 1.5", points(&before)), ("as advised", points(&after))];
    draw(&format!("lammps_{ranks}.svg"), &format!("LAMMPS, {ranks} ranks: atoms"), "step", runs);
}

#[test]
#[ignore = "needs LAMMPS; .ci/run installs it and runs this"]
fn lammps_on_four_ranks_saves_what_was_promised() {
    slosh(4);
}

#[test]
#[ignore = "needs LAMMPS; .ci/run installs it and runs this"]
fn lammps_on_two_ranks_saves_what_was_promised() {
    slosh(2);
}
