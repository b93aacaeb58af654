//! Samples of tables and of JSON lines.

use super::{Sample, read, refused, steps, time};
use std::fmt::Write as _;

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

pub(super) fn wide(header: &str, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", steps(|step| format!("{}\n", row(step))))
}

pub(super) fn tables() -> Vec<Sample> {
    let three = |step: usize| format!("{},{},{}", time(step, 0), time(step, 1), time(step, 2));
    let rows = |text, remaps| read(text, "long table", (3, 50, remaps));
    let columns = |text, ranks| read(text, "wide table", (ranks, 50, 0));
    let largest = |text| read(text, "table of largest and mean times", (3, 50, 0));
    let fortran = |step: usize| {
        let of = |rank| format!("{:E}", time(step, rank)).replace('E', "D+0");
        format!("{step} {} {}", of(0), of(1))
    };
    vec![
        rows(long("step,rank,seconds,remapped", ",", false), 4),
        rows(long("Iteration,mpi_rank,elapsed,rebalance", ";", true), 4),
        columns(wide("# made by a solver\nrank_0,rank_1,rank_2", three), 3),
        largest(wide("step,max,mean", |step| format!("{step},{},1.1", 1.2 + time(step, 1)))),
        columns(wide("# it t_0 t_1", fortran), 2),
        columns(wide("rank 0 [ms];rank 1 [ms]", |_| "7,5;8".to_owned()), 2),
        largest(wide("it,avg_ms,max_ms,lb", |s| format!("{s},1,{},0", 1.0 + time(s, 1)))),
        refused(wide("iter,t_comp,t_wait", three), "make one table, with a column `rank`"),
        refused(wide("step,max,min", three), "neither `rank` and `seconds`"),
        refused(steps(|s| format!("[1,{}]<stdout>: step {s} busy 1.5\n", s % 4)), "give --regex"),
        refused(wide("cpu0,cpu1,cpu2", three), "may be counts or per cent"),
        refused(wide("time,temperature,pressure", three), "neither `rank` and `seconds`"),
        refused(long("step,rank,bytes,remapped", ",", false), "no column `seconds`"),
        refused(wide("host,a,b", |_| "n1,2,3".to_owned()), "neither `rank` and `seconds`"),
    ]
}

pub(super) fn json_lines() -> Vec<Sample> {
    let list = |step: usize| format!("[{}, {}]", time(step, 0), time(step, 1));
    let lines =
        |line: &dyn Fn(usize) -> String, remaps| read(steps(line), "JSON lines", (2, 50, remaps));
    let nested = "{\"rank_0\": 1, \"rank_1\": 2}";
    vec![
        lines(&|s| format!("{{\"step\": {s}, \"seconds\": {}}}\n", list(s)), 0),
        lines(
            &|s| {
                let [own, other] = [0, 1].map(|rank| time(s, rank));
                format!("{{\"rank_0\": {own}, \"rank_1\": {other}, \"lb\": {}}}\n", s % 10 == 9)
            },
            5,
        ),
        lines(
            &|s| {
                let of = |r| format!("{{\"iter\": {s}, \"pe\": {r}, \"ms\": {}}}\n", time(s, r));
                of(0) + &of(1)
            },
            0,
        ),
        refused(
            steps(|s| format!("{{\"step\": {s}, \"times_of\": {nested}}}\n")),
            "put the fields of `times_of` in the line itself",
        ),
        refused("[1, 2]\n", "one object a line"),
        refused("{\"step\": [0, 1], \"rank_0\": [1, 2]}\n", "orient=\"records\""),
        refused("{\"steps\": [{\"step\": 0, \"times\": [1, 2]}]}\n", "jq -c '.[\"steps\"][]'"),
        lines(&|s| format!("{{\"iter\": {s}, \"compute_times\": {}}}\n", list(s)), 0),
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
