//! Samples of tables as spreadsheets, notebooks and profilers write them, and of names and values.

use super::tables::wide;
use super::{Sample, read, refused, steps, time};

/// Tables as spreadsheets, notebooks and profilers write them.
pub(super) fn dialects() -> Vec<Sample> {
    let long = |header: &str, row: &dyn Fn(usize, usize) -> String| {
        let of = |step: usize| (0..3).map(|rank| row(step, rank) + "\n").collect::<String>();
        format!("{header}\n{}", steps(of))
    };
    let of_ranks = |names: &str, first: &str| {
        let header = if names.is_empty() { String::new() } else { format!("{names}\n") };
        let row = |rank: usize| {
            let times: Vec<String> = (0..50).map(|step| time(step, rank).to_string()).collect();
            let first = first.replace('R', &rank.to_string());
            format!("{first}{}\n", times.join(","))
        };
        header + &(0..3).map(row).collect::<String>()
    };
    let steps_of = |first: &str, name: &str| {
        let names: Vec<String> = (0..50).map(|step| format!("{name}{step}")).collect();
        first.to_owned() + &names.join(",")
    };
    let begun = |step: usize| 1.7e9 + 2.0 * step as f64;
    let three = |header: &str, row: &dyn Fn(usize, usize) -> String| {
        read(long(header, row), "long table", (3, 50, 0))
    };
    let by_rank = |first: &str, name: &str, row: &str| {
        let text = of_ranks(&steps_of(first, name), row);
        read(text, "table with a row for each rank", (3, 50, 0))
    };
    let two = |text: String| read(text, "wide table", (2, 50, 0));
    let no = |header: &str, row: &dyn Fn(usize, usize) -> String, says: &'static str| {
        refused(long(header, row), says)
    };
    let ruler = "+----+----+----+----+";
    let grid = wide(&format!("{ruler}\n| it | rank 0 | rank 1 | lb |\n{ruler}"), |s| {
        format!("| {s} | {} | {} | {} |", time(s, 0), time(s, 1), u8::from(s % 10 == 9))
    });
    vec![
        three("sep=;\r\nstep;rank;seconds\r", &|s, r| {
            format!("{s};{r};{}\r", time(s, r)).replace('.', ",")
        }),
        three("\"sep=|\"\nstep|rank|seconds", &|s, r| format!("{s}|{r}|{}", time(s, r))),
        three("| step | rank | time |\n|:--|--:|:-:|", &|s, r| {
            format!("| {s} | {r} | {} |", time(s, r))
        }),
        read(grid + ruler, "wide table", (2, 50, 5)),
        by_rank("rank,", "step_", "R,"),
        by_rank("pe,total,", "", "R,9,"),
        by_rank("rank,", "t", "n0R,"),
        three("step,rank,t_start,t_end", &|s, r| {
            format!("{s},{r},{},{}", begun(s), begun(s) + time(s, r))
        }),
        three("step,rank,begin_ns,end_ns,wait_ns", &|s, r| {
            let end = 1e9 * (begun(s) + 2.0);
            format!("{s},{r},{},{end},{}", 1e9 * begun(s), 1e9 * (2.0 - time(s, r)))
        }),
        three("step,rank,seconds", &|s, r| {
            format!("{s},nid00123{}:{},{}", r / 2, r % 2, time(s, r))
        }),
        three("step,hostname,seconds", &|s, r| format!("{s},gpu-a{r},{}", time(s, r))),
        three("step,host,rank,seconds", &|s, r| format!("{s},n{},{r},{}", r / 2, time(s, r))),
        read(
            wide("step,nid001234:0,nid001234:1,nid001235:0", |s| {
                format!("{s},{},{},{}", time(s, 0), time(s, 1), time(s, 2))
            }),
            "wide table",
            (3, 50, 0),
        ),
        three("step rank seconds", &|s, r| format!("\"{}\" {s} {r} {}", 3 * s + r, time(s, r))),
        two(wide("# step t_rank0 t_rank1", |s| format!("{s} {} {}", time(s, 0), time(s, 1)))),
        two(wide("% run 7\n% step rank0 rank1\n% - [s] [s]", |s| format!("{s} {} 2", time(s, 0)))),
        no(
            "2026-11-28T10:00:00,0,0,1.5",
            &|s, r| format!("2026-11-28T10:00:01,{s},{r},1.5"),
            "the first line is a row, not a header",
        ),
        refused(of_ranks("", ""), "are its columns ranks, or steps?"),
        refused(of_ranks(&steps_of("rank,", "atoms_"), "R,"), "no column `seconds`"),
        no(
            "step,rank,begin,end",
            &|s, r| format!("{s},{r},{},{}", time(s, r), 0.5),
            "line 2: it ends 0.5 seconds before it begins",
        ),
        no(
            "step,rank,begin,end",
            &|s, r| format!("{s},{r},2026-11-28T10:00:0{r},2026"),
            "but a date or a time of day: give seconds",
        ),
        no(
            "step,rank,seconds",
            &|s, r| match s {
                3 => format!("3,x,{}", time(s, r)),
                _ => format!("{s},{r},{}", time(s, r)),
            },
            "\"x\" is not the number of a rank",
        ),
        no(
            "step,rank,seconds",
            &|s, r| format!("{s},{}{r},{}", if s < 3 { "n" } else { "" }, time(s, r)),
            "a number, and the ranks before it have names",
        ),
        no(
            "step,rank,seconds",
            &|s, r| format!("{s},{r},{} ms", time(s, r)),
            "write its unit into the name of the column, as in time_ms",
        ),
        refused(steps(|s| format!("iter {s}: max {} avg 1.0\n", time(s, 1))), "give --regex"),
        refused(steps(|s| format!("step {s}: [{}, 2.5]\n", time(s, 1))), "give --regex"),
        two(steps(|s| format!("[{}, 2.5]\n", time(s, 1)))),
        read(steps(|s| format!("[{} 2.5 1.5]\n", time(s, 1))), "wide table", (3, 50, 0)),
    ]
}

/// Names and values, as loggers print them.
pub(super) fn pairs() -> Vec<Sample> {
    let ranks = |line: &dyn Fn(usize, usize) -> String| {
        steps(|step| (0..3).map(|rank| line(step, rank) + "\n").collect())
    };
    let pairs =
        |text: String, ranks, remaps| read(text, "lines of names and values", (ranks, 50, remaps));
    let dated =
        ranks(&|s, r| format!("2026-11-28 10:00:01,5 INFO step={s} rank={r} time={}", time(s, r)));
    let marked = ranks(&|s, r| {
        format!("iter: {s}, rank: n{r}, time: {} ms, lb: {}", time(s, r), u8::from(s % 10 == 9))
    });
    let plain = ranks(&|s, r| format!("step={s} rank={r} seconds={} remapped=0", time(s, r)));
    let fast = ranks(&|s, r| format!("step={s} rank={r} time=fast"));
    let list =
        |s: usize| format!("step={s} rank_times=[{}, {}] loss=0.5\n", time(s, 0), time(s, 1));
    vec![
        pairs("2026-11-28 10:00:00,123 INFO 3 ranks\n".to_owned() + &dated, 3, 0),
        pairs(marked, 3, 5),
        pairs(
            steps(|s| format!("- {{step: {s}, rank_times: [{}, 1], lb: 0}}\n", time(s, 0))),
            2,
            0,
        ),
        pairs(steps(list), 2, 0),
        pairs(steps(|s| format!("cycle = {s} max = {}s avg = 1s\n", time(s, 1))), 2, 0),
        pairs(plain, 3, 0),
        refused(steps(|s| format!("step={s} loss=0.5 time=0.2\n")), "neither `rank`"),
        refused(steps(|s| format!("epoch={s} rank=0 time=0.2\n")), "give --regex"),
        refused(fast, "time: \"fast\" is not a number"),
    ]
}
