//! Samples of lines that programs print: LAMMPS, Charm++, vLLM, OpenFOAM and others.

use super::{Sample, read, refused, steps, time};

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
    let form = "LAMMPS thermo output";
    let yaml = |s: usize| {
        format!("  - [{}, {}, 260, 1, {}]\n", 100 * s, 0.5 * s as f64, 1.1 + (s / 10) as f64 / 1e3)
    };
    vec![
        read(lammps(fix, columns, 1.0), "", form, (4, 49, 4)),
        read(lammps(weights, columns, 2.5), "", form, (4, 49, 4)),
        read(
            format!(
                "{fix}\n---\nkeywords: ['Step', 'CPU', 'f_b[1]', 'f_b', 'f_b[3]', ]\ndata:\n{}...\n",
                steps(yaml)
            ) + "Loop time of 25 on 4 procs for 5000 steps with 1000 atoms\n",
            "",
            form,
            (4, 49, 4),
        ),
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
    let charm_form = "load balancing output of Charm++";
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
    let foam_form = "log of OpenFOAM";
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
    let eplb_form = "EPLB lines of vLLM";
    let pass = |prefix: &'static str, first: usize| {
        move |step: usize| {
            format!(
                "{prefix}[Expert Balancedness] forward_pass_id={} current_pass_balancedness=0.{} gpu_physical_count_sum=9\n",
                first + step,
                50 + step % 40
            )
        }
    };
    let sglang_form = "balancedness lines of SGLang";
    let trace = |prefix: &'static str| {
        move |step: usize| {
            format!("{prefix} rank_load step={step} rank_tokens=[{}, 9, 8]\n", 9 + step % 7)
        }
    };
    let tokens_form = "tokens of each rank";
    vec![
        read(charm("", |step| usize::from(step % 10 == 9)), "", charm_form, (4, 50, 4)),
        read(charm("Charm++> cpu topology\n", |_| 0), "", charm_form, (4, 50, 0)),
        read(charm("", |_| 3), "", charm_form, (4, 50, 49)),
        refused(charm("", |_| 0).replace("proc loads", "loads"), "neither `rank`"),
        refused("LB step 3 was skipped\nnothing else\n", "neither `rank`"),
        refused("proc loads: min=1\nproc loads: min=2\n", "give --regex"),
        read(steps(foam(1, "ExecutionTime")), "", foam_form, (2, 48, 0)),
        read(steps(foam(5, "ExecutionTime")), "", foam_form, (2, 9, 0)),
        read(
            "Build  : dev\n".to_owned() + &steps(foam(1, "ExecutionTime")),
            "",
            foam_form,
            (2, 48, 0),
        ),
        refused(steps(foam(100, "ExecutionTime")), "no whole rows"),
        refused(steps(foam(1, "Elapsed")), "both seem to be"),
        refused(
            steps(foam(1, "ExecutionTime"))
                .replace("Total imbalance", "Redistributing mesh with imbalance"),
            "both seem to be",
        ),
        read(steps(eplb(1, 1)), "unit=1e-6", eplb_form, (2, 50, 1)),
        read(steps(eplb(10, 2)), "unit=1e-6", eplb_form, (2, 50, 1)),
        read(
            "INFO Rearranged experts  (profile)  in 2.81 s.\n".to_owned() + &steps(eplb(1, 1)),
            "unit=1e-6",
            eplb_form,
            (2, 50, 1),
        ),
        refused(steps(eplb(1, 1)), "its loads are tokens"),
        refused(steps(eplb(1, 1)).replace("max_tokens", "tokens"), "give --regex"),
        refused("INFO Rearranged experts  in 1.23 s.\nINFO done\n", "give --regex"),
        read(steps(pass("", 0)), "unit=0.02", sglang_form, (2, 50, 0)),
        read(
            steps(pass("2025-06-06 13:41:30,281 - INFO - ", 1350)),
            "unit=0.02",
            sglang_form,
            (2, 50, 0),
        ),
        read("starting\n".to_owned() + &steps(pass("", 7)), "unit=0.02", sglang_form, (2, 50, 0)),
        refused(steps(pass("", 0)), "its loads are forward passes"),
        refused(steps(pass("", 0)).replace("current_pass", "last_10_average"), "give --regex"),
        refused(
            steps(pass("", 0)).replace("balancedness=0.", "balancedness=1."),
            "not within 0 and 1",
        ),
        read(steps(trace("INFO")), "unit=1e-6", tokens_form, (3, 50, 0)),
        read(steps(trace("[0:01]")), "unit=1e-6", tokens_form, (3, 50, 0)),
        read("warm up\n".to_owned() + &steps(trace("")), "unit=1e-6", tokens_form, (3, 50, 0)),
        refused(steps(trace("INFO")), "its loads are tokens"),
        refused(steps(trace("INFO")).replace("rank_load", "load"), "give --regex"),
        refused(steps(trace("INFO")).replace("9, 8]", "many]"), "is not a number"),
    ]
}
