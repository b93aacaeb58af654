//! Samples of lines that programs print: LAMMPS, Charm++, vLLM, OpenFOAM and others.

use super::{Sample, in_units, read, refused, steps, time};

/// A log of LAMMPS: rebalanced every ten rows.
fn lammps(fix: &str, columns: &str, weight: f64) -> String {
    let row = |row: usize| {
        let most = 250.0 * (1.0 + 0.02 * (row % 10) as f64) * weight;
        let after = if row < 10 { 0.0 } else { 1.0 };
        let before = if row < 10 { 0.0 } else { 1.18 + row.div_euclid(10) as f64 / 1e3 };
        format!("  {}  {:.3}  {most}  {after}  {before}\n", 100 * row, 0.5 * row as f64)
    };
    format!(
        "LAMMPS (2 Aug 2023)\n  2 by 2 by 1 MPI processor grid\n{fix}\n   {columns}\n{}Loop time of 25 on 4 procs for 5000 steps \
         with 1000 atoms\n",
        steps(row)
    )
}

pub(super) fn lammps_logs() -> Vec<Sample> {
    let columns = "Step CPU f_b[1] f_b f_b[3]";
    let (fix, weights) = (
        "fix b all balance 100 1.1 shift xy 10 1.05",
        "fix b all balance 100 1.1 rcb weight group 1 a 2.0",
    );
    let thermo = |text: String| read(text, "LAMMPS thermo output", (4, 49, 4));
    let yaml = |s: usize| {
        format!("  - [{}, {}, 260, 1, {}]\n", 100 * s, 0.5 * s as f64, 1.1 + (s / 10) as f64 / 1e3)
    };
    let names = "keywords: ['Step', 'CPU', 'f_b[1]', 'f_b', 'f_b[3]', ]";
    let end = "...\nLoop time of 25 on 4 procs for 5000 steps with 1000 atoms\n";
    vec![
        thermo(lammps(fix, columns, 1.0)),
        thermo(lammps(weights, columns, 2.5)),
        thermo(format!("{fix}\n---\n{names}\ndata:\n{}{end}", steps(yaml))),
        refused(
            lammps(fix, "Step CPU Temp Press Volume", 1.0),
            "no thermo output with an imbalance",
        ),
        refused(lammps(fix, "Step Temp f_b[1] f_b f_b[3]", 1.0), "the thermo output has no times"),
        refused(lammps(fix, "Step CPU Temp f_b f_b[3]", 1.0), "stand still between rebalances"),
    ]
}

fn charm(prefix: &str, moved: impl Fn(usize) -> usize) -> String {
    let step = |step: usize| {
        format!(
            "{prefix}--------- Started LB step {step} ---------\n[0] num_procs=4 num_objs=64\n[0] obj loads: min=0.1 mean=0.2 \
             max=0.3\n[0] proc loads: min=0.9 mean=1.000000 max={:.6}\n[0] strategy GreedyRefine time=0.000012 secs, maxLoad \
             after strategy=1, num_migrations={}\n[0] lb time = 0.044477\n",
            time(step, 1),
            moved(step)
        )
    };
    steps(step)
}

pub(super) fn printed() -> Vec<Sample> {
    let foam = |every: usize, clock: &'static str| {
        move |step: usize| {
            let imbalance = match step % every {
                0 => format!("\nloadBalancer\n    Total imbalance 0.{}\n", 1 + step % 9),
                _ => String::new(),
            };
            format!(
                "Time = {step}e-05 s\n{imbalance}{clock} = {} s  ClockTime = 1 s\n\n",
                1.2 * (step + 1) as f64
            )
        }
    };
    let eplb = |every: usize, models: usize| {
        move |step: usize| {
            let line = |model: usize| {
                format!(
                    "INFO [eplb_state.py:546] EPLB step: {} for model m{model}: avg_tokens=100.00, max_tokens={}, \
                     balancedness=0.9\n",
                    (step % 25) * every,
                    100 + step % 25
                )
            };
            let moved = if step == 25 { "INFO Rearranged experts  in 1.23 s.\n" } else { "" };
            moved.to_owned() + &(0..models).map(line).collect::<String>()
        }
    };
    let pass = |prefix: &'static str, first: usize| {
        move |step: usize| {
            format!(
                "{prefix}[Expert Balancedness] forward_pass_id={} current_pass_balancedness=0.{} gpu_physical_count_sum=9\n",
                first + step,
                50 + step % 40
            )
        }
    };
    let trace = |prefix: &'static str| {
        move |step: usize| {
            format!("{prefix} rank_load step={step} rank_tokens=[{}, 9, 8]\n", 9 + step % 7)
        }
    };
    let lb = |text, remaps| read(text, "load balancing output of Charm++", (4, 50, remaps));
    let cfd = |text, rows| read(text, "log of OpenFOAM", (2, rows, 0));
    let experts = |text| in_units(1e-6, read(text, "EPLB lines of vLLM", (2, 50, 1)));
    let passes = |text| in_units(0.02, read(text, "balancedness lines of SGLang", (2, 50, 0)));
    let tokens = |text| in_units(1e-6, read(text, "tokens of each rank", (3, 50, 0)));
    let clock = || steps(foam(1, "ExecutionTime"));
    let moved = "Redistributing mesh with imbalance";
    let profile = "INFO Rearranged experts  (profile)  in 2.81 s.\n";
    let all = || steps(pass("", 0));
    vec![
        lb(charm("", |step| usize::from(step % 10 == 9)), 4),
        lb(charm("Charm++> cpu topology\n", |_| 0), 0),
        lb(charm("", |_| 3), 49),
        refused(charm("", |_| 0).replace("proc loads", "loads"), "neither `rank`"),
        refused("LB step 3 was skipped\nnothing else\n", "neither `rank`"),
        refused("proc loads: min=1\nproc loads: min=2\n", "give --regex"),
        cfd(clock(), 48),
        cfd(steps(foam(5, "ExecutionTime")), 9),
        cfd("Build  : dev\n".to_owned() + &clock(), 48),
        refused(steps(foam(100, "ExecutionTime")), "no whole rows"),
        refused(steps(foam(1, "Elapsed")), "both seem to be"),
        refused(clock().replace("Total imbalance", moved), "both seem to be"),
        experts(steps(eplb(1, 1))),
        experts(steps(eplb(10, 2))),
        experts(profile.to_owned() + &steps(eplb(1, 1))),
        refused(steps(eplb(1, 1)), "its loads are tokens"),
        refused(steps(eplb(1, 1)).replace("max_tokens", "tokens"), "give --regex"),
        refused("INFO Rearranged experts  in 1.23 s.\nINFO done\n", "give --regex"),
        passes(all()),
        passes(steps(pass("2025-06-06 13:41:30,281 - INFO - ", 1350))),
        passes("starting\n".to_owned() + &steps(pass("", 7))),
        refused(all(), "its loads are forward passes"),
        refused(all().replace("current_pass", "last_10_average"), "give --regex"),
        refused(all().replace("balancedness=0.", "balancedness=1."), "not within 0 and 1"),
        tokens(steps(trace("INFO"))),
        tokens(steps(trace("[0:01]"))),
        tokens("warm up\n".to_owned() + &steps(trace(""))),
        refused(steps(trace("INFO")), "its loads are tokens"),
        refused(steps(trace("INFO")).replace("rank_load", "load"), "give --regex"),
        refused(steps(trace("INFO")).replace("9, 8]", "many]"), "is not a number"),
    ]
}
