//! Samples of every format of logs: three that its reader takes, and three near misses that it must not take.

use remap::logs::{self, Beginning, Follow, How, Trace};
use remapping::record::{Record, Remap};
use std::fmt::Write as _;

/// A text, and what is right: how it is called with its ranks, steps and remaps, or what the refusal says.
pub struct Sample {
    pub text: String,
    /// What the user says.
    options: &'static str,
    right: Result<(&'static str, usize, usize, usize), &'static str>,
}

fn read(
    text: impl Into<String>,
    options: &'static str,
    form: &'static str,
    counts: (usize, usize, usize),
) -> Sample {
    let (ranks, steps, remaps) = counts;
    Sample { text: text.into(), options, right: Ok((form, ranks, steps, remaps)) }
}

fn refused(text: impl Into<String>, says: &'static str) -> Sample {
    Sample { text: text.into(), options: "", right: Err(says) }
}

/// Lines of the steps, 0 to 49.
fn steps(line: impl Fn(usize) -> String) -> String {
    (0..50).map(line).collect()
}

/// The time of a rank, which grows from every tenth step on.
fn time(step: usize, rank: usize) -> f64 {
    1.0 + 0.01 * ((step % 10) * rank) as f64
}

fn long(header: &str, delimiter: &str, comma: bool) -> String {
    let row = |step: usize| {
        (0..3).fold(String::new(), |mut text, rank| {
            let seconds = format!("{:.2}", time(step, rank));
            let seconds = if comma { seconds.replace('.', ",") } else { seconds };
            let mark = usize::from(step > 0 && step.is_multiple_of(10)).to_string();
            let cells = [step.to_string(), rank.to_string(), seconds, mark];
            let _ = writeln!(text, "{}", cells.join(delimiter));
            text
        })
    };
    format!("{}\n{}", header.replace(',', delimiter), steps(row))
}

fn wide(header: &str, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", steps(|step| format!("{}\n", row(step))))
}

fn tables() -> Vec<Sample> {
    let three = |step: usize| format!("{},{},{}", time(step, 0), time(step, 1), time(step, 2));
    vec![
        read(long("step,rank,seconds,remapped", ",", false), "", "long table", (3, 50, 4)),
        read(long("Iteration,mpi_rank,elapsed,rebalance", ";", true), "", "long table", (3, 50, 4)),
        read(wide("# made by a solver\nrank_0,rank_1,rank_2", three), "", "wide table", (3, 50, 0)),
        read(
            wide("step,max,mean", |step| format!("{step},{},1.1", 1.2 + time(step, 1))),
            "",
            "table of largest and mean times",
            (3, 50, 0),
        ),
        read(
            wide("# it t_0 t_1", |step| {
                let of = |rank| format!("{:E}", time(step, rank)).replace('E', "D+0");
                format!("{step} {} {}", of(0), of(1))
            }),
            "",
            "wide table",
            (2, 50, 0),
        ),
        read(wide("rank 0 [ms];rank 1 [ms]", |_| "7,5;8".to_owned()), "", "wide table", (2, 50, 0)),
        read(
            wide("it,avg_ms,max_ms,lb", |step| format!("{step},1,{},0", 1.0 + time(step, 1))),
            "",
            "table of largest and mean times",
            (3, 50, 0),
        ),
        refused(wide("iter,t_comp,t_wait", three), "make one table, with a column `rank`"),
        refused(wide("step,max,min", three), "neither `rank` and `seconds`"),
        refused(steps(|s| format!("[1,{}]<stdout>: step {s} busy 1.5\n", s % 4)), "give --regex"),
        refused(wide("cpu0,cpu1,cpu2", three), "may be counts or per cent"),
        refused(wide("time,temperature,pressure", three), "neither `rank` and `seconds`"),
        refused(long("step,rank,bytes,remapped", ",", false), "no column `seconds`"),
        refused(wide("host,a,b", |_| "n1,2,3".to_owned()), "neither `rank` and `seconds`"),
    ]
}

/// Tables as spreadsheets, notebooks and profilers write them.
fn dialects() -> Vec<Sample> {
    let long = |header: &str, row: &dyn Fn(usize, usize) -> String| {
        let of = |step: usize| (0..3).map(|rank| row(step, rank) + "\n").collect::<String>();
        format!("{header}\n{}", steps(of))
    };
    let of_ranks = |header: String, first: &str| {
        let row = |rank: usize| {
            let times: Vec<String> = (0..50).map(|step| time(step, rank).to_string()).collect();
            let first = first.replace('R', &rank.to_string());
            format!("{first}{}\n", times.join(","))
        };
        header + &(0..3).map(row).collect::<String>()
    };
    let steps_of = |name: &str| {
        let names: Vec<String> = (0..50).map(|step| format!("{name}{step}")).collect();
        names.join(",") + "\n"
    };
    let begun = |step: usize| 1.7e9 + 2.0 * step as f64;
    let by_rank = "table with a row for each rank";
    let ruler = "+----+----+----+----+";
    vec![
        read(
            long("sep=;\r\nstep;rank;seconds\r", &|s, r| {
                format!("{s};{r};{}\r", time(s, r)).replace('.', ",")
            }),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("\"sep=|\"\nstep|rank|seconds", &|s, r| format!("{s}|{r}|{}", time(s, r))),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("| step | rank | time |\n|:--|--:|:-:|", &|s, r| {
                format!("| {s} | {r} | {} |", time(s, r))
            }),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            wide(&format!("{ruler}\n| it | rank 0 | rank 1 | lb |\n{ruler}"), |s| {
                format!("| {s} | {} | {} | {} |", time(s, 0), time(s, 1), u8::from(s % 10 == 9))
            }) + ruler,
            "",
            "wide table",
            (2, 50, 5),
        ),
        read(of_ranks("rank,".to_owned() + &steps_of("step_"), "R,"), "", by_rank, (3, 50, 0)),
        read(of_ranks("pe,total,".to_owned() + &steps_of(""), "R,9,"), "", by_rank, (3, 50, 0)),
        read(of_ranks("rank,".to_owned() + &steps_of("t"), "n0R,"), "", by_rank, (3, 50, 0)),
        read(
            long("step,rank,t_start,t_end", &|s, r| {
                format!("{s},{r},{},{}", begun(s), begun(s) + time(s, r))
            }),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("step,rank,begin_ns,end_ns,wait_ns", &|s, r| {
                let end = 1e9 * (begun(s) + 2.0);
                format!("{s},{r},{},{end},{}", 1e9 * begun(s), 1e9 * (2.0 - time(s, r)))
            }),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("step,rank,seconds", &|s, r| {
                format!("{s},nid00123{}:{},{}", r / 2, r % 2, time(s, r))
            }),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("step,hostname,seconds", &|s, r| format!("{s},gpu-a{r},{}", time(s, r))),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            long("step,host,rank,seconds", &|s, r| format!("{s},n{},{r},{}", r / 2, time(s, r))),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            wide("step,nid001234:0,nid001234:1,nid001235:0", |s| {
                format!("{s},{},{},{}", time(s, 0), time(s, 1), time(s, 2))
            }),
            "",
            "wide table",
            (3, 50, 0),
        ),
        read(
            long("step rank seconds", &|s, r| format!("\"{}\" {s} {r} {}", 3 * s + r, time(s, r))),
            "",
            "long table",
            (3, 50, 0),
        ),
        read(
            wide("# step t_rank0 t_rank1", |s| format!("{s} {} {}", time(s, 0), time(s, 1))),
            "",
            "wide table",
            (2, 50, 0),
        ),
        read(
            wide("% run 7\n% step rank0 rank1\n% - [s] [s]", |s| format!("{s} {} 2", time(s, 0))),
            "",
            "wide table",
            (2, 50, 0),
        ),
        refused(
            long("2026-11-28T10:00:00,0,0,1.5", &|s, r| format!("2026-11-28T10:00:01,{s},{r},1.5")),
            "the first line is a row, not a header",
        ),
        refused(of_ranks(String::new(), ""), "are its columns ranks, or steps?"),
        refused(of_ranks("rank,".to_owned() + &steps_of("atoms_"), "R,"), "no column `seconds`"),
        refused(
            long("step,rank,begin,end", &|s, r| format!("{s},{r},{},{}", time(s, r), 0.5)),
            "line 2: it ends 0.5 seconds before it begins",
        ),
        refused(
            long("step,rank,begin,end", &|s, r| format!("{s},{r},2026-11-28T10:00:0{r},2026")),
            "but a date or a time of day: give seconds",
        ),
        refused(
            long("step,rank,seconds", &|s, r| {
                format!(
                    "{s},{},{}",
                    if s == 3 { "x".to_owned() } else { r.to_string() },
                    time(s, r)
                )
            }),
            "\"x\" is not the number of a rank",
        ),
        refused(
            long("step,rank,seconds", &|s, r| {
                format!(
                    "{s},{},{}",
                    if s < 3 { format!("n{r}") } else { r.to_string() },
                    time(s, r)
                )
            }),
            "a number, and the ranks before it have names",
        ),
        refused(
            long("step,rank,seconds", &|s, r| format!("{s},{r},{} ms", time(s, r))),
            "write its unit into the name of the column, as in time_ms",
        ),
        refused(steps(|s| format!("iter {s}: max {} avg 1.0\n", time(s, 1))), "give --regex"),
        refused(steps(|s| format!("step {s}: [{}, 2.5]\n", time(s, 1))), "give --regex"),
        read(steps(|s| format!("[{}, 2.5]\n", time(s, 1))), "", "wide table", (2, 50, 0)),
        read(steps(|s| format!("[{} 2.5 1.5]\n", time(s, 1))), "", "wide table", (3, 50, 0)),
    ]
}

/// Names and values, as loggers print them.
fn pairs() -> Vec<Sample> {
    let form = "lines of names and values";
    let ranks = |line: &dyn Fn(usize, usize) -> String| {
        steps(|step| (0..3).map(|rank| line(step, rank) + "\n").collect())
    };
    vec![
        read(
            "2026-11-28 10:00:00,123 INFO 3 ranks\n".to_owned()
                + &ranks(&|s, r| {
                    format!("2026-11-28 10:00:01,5 INFO step={s} rank={r} time={}", time(s, r))
                }),
            "",
            form,
            (3, 50, 0),
        ),
        read(
            ranks(&|s, r| {
                format!(
                    "iter: {s}, rank: n{r}, time: {} ms, lb: {}",
                    time(s, r),
                    u8::from(s % 10 == 9)
                )
            }),
            "",
            form,
            (3, 50, 5),
        ),
        read(
            steps(|s| format!("- {{step: {s}, rank_times: [{}, 1], lb: 0}}\n", time(s, 0))),
            "",
            form,
            (2, 50, 0),
        ),
        read(
            steps(|s| format!("step={s} rank_times=[{}, {}] loss=0.5\n", time(s, 0), time(s, 1))),
            "",
            form,
            (2, 50, 0),
        ),
        read(
            steps(|s| format!("cycle = {s} max = {}s avg = 1s\n", time(s, 1))),
            "",
            form,
            (2, 50, 0),
        ),
        read(
            ranks(&|s, r| format!("step={s} rank={r} seconds={} remapped=0", time(s, r))),
            "",
            form,
            (3, 50, 0),
        ),
        refused(steps(|s| format!("step={s} loss=0.5 time=0.2\n")), "neither `rank`"),
        refused(steps(|s| format!("epoch={s} rank=0 time=0.2\n")), "give --regex"),
        refused(
            ranks(&|s, r| format!("step={s} rank={r} time=fast")),
            "time: \"fast\" is not a number",
        ),
    ]
}

fn json_lines() -> Vec<Sample> {
    let list = |step: usize| format!("[{}, {}]", time(step, 0), time(step, 1));
    vec![
        read(
            steps(|s| format!("{{\"step\": {s}, \"seconds\": {}}}\n", list(s))),
            "",
            "JSON lines",
            (2, 50, 0),
        ),
        read(
            steps(|s| {
                format!(
                    "{{\"rank_0\": {}, \"rank_1\": {}, \"lb\": {}}}\n",
                    time(s, 0),
                    time(s, 1),
                    s % 10 == 9
                )
            }),
            "",
            "JSON lines",
            (2, 50, 5),
        ),
        read(
            steps(|s| {
                let of = |rank| {
                    format!("{{\"iter\": {s}, \"pe\": {rank}, \"ms\": {}}}\n", time(s, rank))
                };
                of(0) + &of(1)
            }),
            "",
            "JSON lines",
            (2, 50, 0),
        ),
        refused(
            steps(|s| {
                format!("{{\"step\": {s}, \"times_of\": {{\"rank_0\": 1, \"rank_1\": 2}}}}\n")
            }),
            "put the fields of `times_of` in the line itself",
        ),
        refused("[1, 2]\n", "one object a line"),
        refused("{\"step\": [0, 1], \"rank_0\": [1, 2]}\n", "orient=\"records\""),
        refused("{\"steps\": [{\"step\": 0, \"times\": [1, 2]}]}\n", "jq -c '.[\"steps\"][]'"),
        read(
            steps(|s| format!("{{\"iter\": {s}, \"compute_times\": {}}}\n", list(s))),
            "",
            "JSON lines",
            (2, 50, 0),
        ),
        refused(
            steps(|s| format!("{{\"step\": {s}, \"loss\": 0.5}}\n")),
            "neither `rank` and `seconds`",
        ),
        refused(
            steps(|s| format!("{{\"step\": {s}, \"rank\": 0, \"tokens\": 5}}\n")),
            "no field `seconds`",
        ),
    ]
}

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

fn lammps_logs() -> Vec<Sample> {
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

fn printed() -> Vec<Sample> {
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

const TALP: &str = "Region,Rank,PID,NodeId,Hostname,CpuSet,NumCpus,AvgCpus,Cycles,Instructions,NumMeasurements,NumResets,\
                    NumMpiCalls,NumOmpParallels,NumOmpTasks,ElapsedTime,UsefulTime,MPITime,OMPLoadImbalance,\
                    OMPSchedulingTime,OMPSerializationTime\n";

fn talp(region: &str) -> String {
    let row = |step: usize| {
        (0..2).fold(String::new(), |text, rank| {
            let region = region.replace('#', &step.to_string());
            let useful = 1e9 * time(step, rank);
            text + &format!("{region},{rank},{},0,n1,\"[0,1]\",2,2.0,0,0,1,0,9,0,0,5000000000,{useful:.0},0,0,0,0\n", 100 + rank)
        })
    };
    TALP.to_owned() + &steps(row)
}

fn talp_json(region: &str) -> String {
    let of = |step: usize| {
        let one = |rank: usize| {
            format!(
                "{{\"rank\": {rank}, \"numCpus\": 1, \"usefulTime\": {:.0}}}",
                1e9 * time(step, rank)
            )
        };
        format!("    \"{}\": [{}, {}],\n", region.replace('#', &step.to_string()), one(0), one(1))
    };
    format!(
        "{{\n  \"dlbVersion\": \"3.6\",\n  \"Process\": {{\n{}    \"Global\": []\n  }}\n}}\n",
        steps(of)
    )
}

fn tools() -> Vec<Sample> {
    let form = "process summary of TALP";
    let caliper = |attribute: &str| {
        let row = |step: usize| {
            let of =
                |rank: usize| format!("main loop,{step},{rank},{:.0}\n", 1e9 * time(step, rank));
            of(0) + &of(1)
        };
        format!("region,iteration#main loop,mpi.rank,{attribute}\n{}", steps(row))
    };
    let ranks = |step: usize| format!("{step},{:.0},{:.0}", 1e9 * (1.0 + time(step, 1)), 1e9);
    vec![
        read(talp("step #"), "", form, (2, 50, 0)),
        read(
            talp("it#") + "Global,0,100,0,n1,0,1,1.0,0,0,1,0,9,0,0,5,4,0,0,0,0\n",
            "",
            form,
            (2, 50, 0),
        ),
        read(talp_json("step #"), "", form, (2, 50, 0)),
        refused(talp("Global"), "adds up its regions over the whole run"),
        refused(
            "name,numCpus,numMpiRanks,elapsedTime\n\"Global\",2,2,50\n",
            "metrics of whole regions",
        ),
        refused("{\"dlbVersion\": \"3.6\", \"Application\": {}}\n", "metrics of whole regions"),
        read(caliper("sum#time.duration.ns"), "", "long table", (2, 50, 0)),
        read(caliper("time.inclusive.duration.ns"), "", "long table", (2, 50, 0)),
        read(
            wide("iteration#main,max#sum#time.duration.ns,avg#sum#time.duration.ns", ranks),
            "",
            "table of largest and mean times",
            (3, 50, 0),
        ),
        refused(caliper("sum#time.duration"), "no column `seconds`"),
        refused(caliper("min#time.duration.ns"), "no column `seconds`"),
        refused(caliper("region.count"), "no column `seconds`"),
    ]
}

fn swift(header: &str, sum: f64) -> String {
    let row = |step: usize| {
        (0..2).fold(String::new(), |text, rank| {
            let user = 100.0 * time(step, rank);
            text + &format!("{step} {rank} {user:.2} 1.00 {:.2} 0.1\n", user + sum)
        })
    };
    format!("{header}\n{}", steps(row))
}

fn warpx(group: &str, hosts: bool) -> String {
    let header = |box_: usize| {
        group.split(' ').enumerate().fold(String::new(), |text, (at, name)| {
            text + &format!(" [{}]{name}_box_{box_}()", 2 + at + 9 * box_)
        })
    };
    let row = |step: usize| {
        let host = if hosts { " n1" } else { " 7" };
        let of =
            |rank: usize| format!(" {:.6} {rank} 0 {} 0 0 64 2{host}", time(step, rank), 8 * rank);
        format!("{} {:.3}{}{}\n", step + 1, 0.1 * (step + 1) as f64, of(0), of(1))
    };
    format!("#[0]step() [1]time(s){}{}\n{}", header(0), header(1), steps(row))
}

fn codes() -> Vec<Sample> {
    let swift_form = "rank_cpu_balance.log of SWIFT";
    let names = "# step rank user sys sum deadfrac";
    let group = "cost proc lev i_low j_low k_low num_cells gpu_ID hostname";
    let warpx_form = "LoadBalanceCosts of WarpX";
    let without_header =
        |text: String| text.lines().skip(1).map(|line| line.to_owned() + "\n").collect::<String>();
    vec![
        read(swift(names, 1.0), "", swift_form, (2, 50, 0)),
        read("# CPU of ranks\n".to_owned() + &swift(names, 1.0), "", swift_form, (2, 50, 0)),
        read(swift("#   step rank user sys sum deadfrac", 1.0) + "\n", "", swift_form, (2, 50, 0)),
        refused(swift(names, 2.0), "is not user + sys"),
        refused(swift("# step rank user sys total", 1.0), "names another number of columns"),
        refused(swift("# rank step user sys sum deadfrac", 1.0), "no column `seconds`"),
        read(warpx(group, true), "", warpx_form, (2, 50, 0)),
        read(without_header(warpx(group, true)), "", warpx_form, (2, 50, 0)),
        read(without_header(warpx(group, false)), "", warpx_form, (2, 50, 0)),
        refused(warpx(group, true).replace("cost_box", "load_box"), "`n1` in it is no number"),
        refused(warpx(group, true).replace(" 2 n1\n", " n1\n"), "fields"),
        refused(warpx(group, true).replace("\n1 ", "\none "), "one"),
    ]
}

/// A node of vt, which is alone.
fn vt(kind: &str, key: &str, node: usize) -> String {
    let phase = |id: usize| {
        format!(
            "{{\"id\": {id}, \"{key}\": [{{\"entity\": {{\"id\": 1, \"home\": 0, \"migratable\": true}}, \"node\": {node}, \
             \"resource\": \"cpu\", \"time\": {}}}]}}{}",
            time(id, 1),
            if id < 49 { "," } else { "" }
        )
    };
    format!("{{\"type\": \"{kind}\", \"phases\": [{}]}}", steps(phase))
}

/// All of them; the corpus has true samples of vt, which are several files each.
pub fn samples() -> Vec<Sample> {
    let nodes = vec![
        refused(vt("LBDatafile", "tasks", 0), "50 steps of 1 rank"),
        refused(vt("LBDatafile", "tasks", 3), "the file of node 0, 1, 2 is missing"),
        refused(vt("LBStatsfile", "tasks", 0), "not \"LBDatafile\""),
    ];
    [tables(), dialects(), pairs(), json_lines(), lammps_logs(), printed(), tools(), codes(), nodes]
        .into_iter()
        .flatten()
        .collect()
}

struct Unheard;

impl Follow for Unheard {
    fn begin(&mut self, _: &Record, _: u64) -> Result<(), remap::complaint::Complaint> {
        Ok(())
    }

    fn step(&mut self, _: &[f64], _: Option<Remap>) {}
}

/// Reads a sample as a file, as users give it.
fn taken(sample: &Sample) -> Result<Trace, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sample.log");
    std::fs::write(&file, &sample.text).unwrap();
    let unit = sample.options.strip_prefix("unit=").map(|unit| unit.parse().unwrap());
    let how = How { unit, ..How::default() };
    let beginning = Beginning { cells: 1 << 20, steps: 1024 };
    logs::follow(&[file], &how, beginning, &mut Unheard).map_err(|complaint| complaint.to_string())
}

#[test]
fn formats_take_their_samples_and_no_near_misses() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let found = taken(&sample).map(|trace| {
            let record = &trace.record;
            (trace.form, record.ranks(), record.steps(), record.remaps().len())
        });
        let is_right = match (&found, &sample.right) {
            (Ok(found), Ok(right)) => found == right,
            (Err(message), Err(says)) => message.contains(says),
            _ => false,
        };
        if !is_right {
            let start: String = sample.text.chars().take(160).collect();
            wrong.push(format!("{found:?}\n  where {:?} is right, of\n{start}\n", sample.right));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A row of a step in several is told by the lines of vLLM and OpenFOAM themselves; weights of LAMMPS give max/mean.
#[test]
fn what_lines_say_of_rows_and_loads_is_read() {
    let find = |form: &str, row: &str| {
        let rows = |trace: &Trace| trace.form == form && trace.account.row.contains(row);
        samples().iter().filter_map(|sample| taken(sample).ok()).find(rows).unwrap()
    };
    let eplb = find("EPLB lines of vLLM", "one step in 10");
    // Two models of so many tokens each, ten steps of which stand for one row.
    assert!((eplb.record.row(3)[0] - 2.0 * 103e-6 * 10.0).abs() < 1e-12);
    assert_eq!((eplb.stride, eplb.mean_remap_cost()), (10, Some(1.23)));
    let foam = find("log of OpenFOAM", "one step in 5");
    assert_eq!((foam.stride, foam.record.steps()), (5, 9));
    assert!((foam.record.row(0)[0] - 5.0 * 1.2).abs() < 1e-9);
    for trace in lammps_logs()[..2].iter().map(|sample| taken(sample).unwrap()) {
        let row = trace.record.row(24);
        let ratio = row[0] / (row.iter().sum::<f64>() / row.len() as f64);
        // Row 25 of the log: 250 x 1.1 atoms, or as many weights times 2.5, where the mean is 250 of them.
        assert!((ratio - 1.1).abs() < 1e-9, "{ratio}");
    }
}
