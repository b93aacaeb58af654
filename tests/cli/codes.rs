//! Logs as other codes write them: vt, WarpX, SWIFT, and lines by an expression. All are made from the same
//! tasks, and are read as the table of their sums.

use crate::workplace::Workplace;
use remap::trace::{self, Trace};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

const STEPS: usize = 60;
const TASKS: usize = 8;
const RANKS: usize = 4;

/// Steps before which tasks are moved.
const MOVES: [usize; 2] = [20, 50];

/// Seconds of a task in a step: some grow.
fn seconds(step: usize, task: usize) -> f64 {
    let scramble = ((step * 31 + task * 17) % 101) as f64 / 101.0;
    1.0 + 0.01 * scramble + if task == 5 { 0.03 * step as f64 } else { 0.0 }
}

/// The rank of a task.
fn place(step: usize, task: usize) -> usize {
    let moved = MOVES.iter().filter(|at| **at <= step).count();
    match moved {
        0 => task / 2,
        1 => task % RANKS,
        _ => (task + 1) / 2 % RANKS,
    }
}

fn load(step: usize, rank: usize) -> f64 {
    (0..TASKS).filter(|task| place(step, *task) == rank).map(|task| seconds(step, task)).sum()
}

/// A trace is the table of these steps: loads, and where it was remapped.
fn assert_is(trace: &Trace, steps: usize, remaps: &[usize], what: &str) {
    let record = &trace.record;
    assert_eq!((record.ranks(), record.steps()), (RANKS, steps), "{what}");
    for step in 0..steps {
        for (rank, found) in record.row(step).iter().enumerate() {
            let truth = load(step, rank);
            assert!((found - truth).abs() < 1e-6 * truth, "{what}: {step} {rank}: {found} {truth}");
        }
    }
    let found: Vec<usize> = record.remaps().iter().map(|remap| remap.before).collect();
    assert_eq!(found, remaps, "{what}");
}

fn read(path: &Path) -> Trace {
    trace::read(path, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn refused(path: &Path) -> String {
    trace::read(path, None).expect_err(&path.display().to_string()).to_string()
}

/// The file of a node of vt.
fn vt(rank: usize) -> Value {
    let task = |step: usize, task: usize| {
        let seconds = seconds(step, task);
        json!({
            "entity": {"collection_id": 7, "home": task / 2, "id": 262_147 + task, "index": [task],
                "migratable": true, "type": "object"},
            "node": rank, "resource": "cpu", "subphases": [{"id": 0, "time": seconds}], "time": seconds,
        })
    };
    let handler = json!({
        "entity": {"home": rank, "id": 1, "migratable": false, "type": "object"},
        "node": rank, "resource": "cpu", "time": 0.0,
    });
    let phase = |step: usize| {
        let here = (0..TASKS).filter(|task| place(step, *task) == rank);
        let tasks: Vec<Value> = here.map(|t| task(step, t)).chain([handler.clone()]).collect();
        let end = |id: usize| json!({"type": "object", "id": id, "home": 0, "migratable": true});
        let sent =
            json!({"type": "SendRecv", "bytes": 8.0, "messages": 1, "from": end(1), "to": end(2)});
        json!({"id": step, "tasks": tasks, "communications": [sent]})
    };
    let none = json!({"list": [], "range": []});
    json!({
        "metadata": {"type": "LBDatafile", "rank": rank,
            "phases": {"skipped": none, "identical_to_previous": none},
            "shared_node": {"id": rank / 2, "size": 2, "rank": rank % 2, "num_nodes": 2}},
        "phases": (0..STEPS).map(phase).collect::<Vec<Value>>(),
    })
}

/// Writes the data of vt, changed, into a folder of its own.
fn write_vt(place: &Workplace, change: impl Fn(usize, &mut Value)) {
    std::fs::create_dir_all(place.path("vt")).unwrap();
    for rank in 0..RANKS {
        let mut file = vt(rank);
        change(rank, &mut file);
        place.write(&format!("vt/data.{rank}.json"), file.to_string());
    }
}

#[test]
fn lb_data_of_vt_is_read() {
    let place = Workplace::new();
    write_vt(&place, |_, _| {});
    for name in ["vt", "vt/data.0.json", "vt/data.3.json"] {
        let trace = read(&place.path(name));
        assert!(trace.knows_remaps && trace.repairs[0].contains("4 files of vt"));
        assert_is(&trace, STEPS, &MOVES, name);
    }
    // As vt packs it by default; packed by another program.
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/corpus/vt_lb_data");
    assert_is(&read(&samples), STEPS, &MOVES, "packed");
    let bytes = std::fs::read(samples.join("data.0.json.br")).unwrap();
    std::fs::create_dir(place.path("bare")).unwrap();
    for rank in 0..RANKS {
        let bytes = std::fs::read(samples.join(format!("data.{rank}.json.br"))).unwrap();
        place.write(&format!("bare/data.{rank}.json"), bytes);
    }
    assert_is(&read(&place.path("bare")), STEPS, &MOVES, "packed, and not said so");
    place.write("bare/data.0.json", &bytes[..bytes.len() / 2]);
    assert!(refused(&place.path("bare")).contains("data.0.json"));
    // Phases that are as the one before are not written; only one is, here, for all that follow.
    write_vt(&place, |_, file| {
        file["phases"].as_array_mut().unwrap().truncate(30);
        file["metadata"]["phases"]["identical_to_previous"] =
            json!({"list": [30], "range": [[31, 39]]});
    });
    let trace = read(&place.path("vt"));
    assert_eq!(trace.record.steps(), 40);
    assert_eq!(trace.record.row(39), trace.record.row(29));
    // Without objects that can move, nothing is known of remaps.
    write_vt(&place, |_, file| {
        for phase in file["phases"].as_array_mut().unwrap() {
            for task in phase["tasks"].as_array_mut().unwrap() {
                task["entity"]["migratable"] = json!(false);
            }
        }
    });
    assert!(!read(&place.path("vt")).knows_remaps);
}

/// Each damage of the data of node 2 is said, with its file and field.
#[test]
fn damaged_lb_data_is_explained() {
    let place = Workplace::new();
    let said = |change: &dyn Fn(&mut Value)| {
        write_vt(&place, |rank, file| {
            if rank == 2 {
                change(file);
            }
        });
        refused(&place.path("vt"))
    };
    type Damage = (fn(&mut Value), &'static str);
    let damages: [Damage; 11] = [
        (
            |file| file["phases"][3]["tasks"][0]["time"] = json!("1.0"),
            "phases[3].tasks[0].time: invalid type",
        ),
        (
            |file| file["phases"][3]["tasks"][0]["time"] = json!(null),
            "phases[3].tasks[0].time: invalid type",
        ),
        (
            |file| file["phases"][3]["tasks"][0]["time"] = json!(-1.0),
            "phases[3].tasks[0].time: -1 is no time",
        ),
        (|file| file["phases"][3]["id"] = json!(2), "phases[3].id: phase 2 is there twice"),
        (|file| file["phases"][3]["id"] = json!(-3), "phases[3].id: invalid value"),
        (|file| file["phases"] = json!({}), "phases: invalid type"),
        (
            |file| drop(file["phases"][1]["tasks"][0].as_object_mut().unwrap().remove("time")),
            "phases[1].tasks[0]: missing field `time`",
        ),
        (
            |file| {
                drop(file["phases"][1]["tasks"][0]["entity"].as_object_mut().unwrap().remove("id"))
            },
            "phases[1].tasks[0].entity: neither `id` nor `seq_id`",
        ),
        (|file| file["metadata"]["type"] = json!("LBStatsfile"), "not \"LBDatafile\""),
        (|file| file["metadata"]["rank"] = json!(1), "are both of node 1"),
        (
            |file| file["metadata"]["phases"]["identical_to_previous"]["range"] = json!([[9, 2]]),
            "identical_to_previous: 9 to 2",
        ),
    ];
    for (change, words) in damages {
        let said = said(&|file| change(file));
        assert!(said.contains(words) && said.contains("data.2.json"), "{words}: {said}");
    }
    // Nodes that are missing, whoever knows of them.
    write_vt(&place, |_, _| {});
    std::fs::remove_file(place.path("vt/data.1.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("the file of node 1 is missing"));
    std::fs::remove_file(place.path("vt/data.3.json")).unwrap();
    assert!(refused(&place.path("vt/data.0.json")).contains("the file of node 1, 3 is missing"));
    write_vt(&place, |_, file| {
        file["phases"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|phase| phase["tasks"] = json!([]));
    });
    std::fs::remove_file(place.path("vt/data.3.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("metadata.shared_node.size of computer 1 is 2"));
    std::fs::remove_file(place.path("vt/data.2.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("metadata.shared_node.num_nodes is 2"));
    // A node whose last phases are lost, a second run in the folder, and no run.
    let shorter = said(&|file| file["phases"].as_array_mut().unwrap().truncate(40));
    assert!(shorter.contains("rank 2 is there in 40 of 60 steps only"), "{shorter}");
    place.write("vt/stats.0.json", "{}");
    assert!(refused(&place.path("vt")).contains("several runs: data.%p.json, stats.%p.json"));
    std::fs::remove_file(place.path("vt/stats.0.json")).unwrap();
    std::fs::create_dir(place.path("empty")).unwrap();
    assert!(refused(&place.path("empty")).contains("without files such as data.0.json"));
    // Cut short anywhere.
    write_vt(&place, |_, _| {});
    let whole = place.read("vt/data.2.json");
    for end in (1..whole.len()).step_by(397) {
        place.write("vt/data.2.json", &whole[..end]);
        let said = refused(&place.path("vt"));
        assert!(said.contains("data.2.json") && said.contains("cut short"), "{end}: {said}");
    }
    // One file alone, through a pipe.
    let output = place.command().args(["fit", "-"]).write_stdin(whole).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("is missing"));
}

/// Rows of WarpX: steps count from 1, costs are as given, `fields` numbers and a host for each box.
fn warpx(
    steps: usize,
    fields: usize,
    separator: &str,
    cost: &dyn Fn(usize, usize) -> f64,
) -> Vec<String> {
    let row = |step: usize| {
        let mut row = format!("{}{separator}{:.14e}", step + 1, 1e-12 * (step + 1) as f64);
        for task in 0..TASKS {
            let numbers =
                [cost(step, task), place(step, task) as f64, 0.0, 32.0 * task as f64, -8.0, 0.0];
            let rest = (numbers.len()..fields).map(|field| field as f64);
            for number in numbers.into_iter().chain(rest) {
                let _ = write!(row, "{separator}{number:.14e}");
            }
            let _ = write!(row, "{separator}nid{:05}", place(step, task));
        }
        row + "\n"
    };
    (0..steps).map(row).collect()
}

fn header(fields: usize, separator: &str) -> String {
    let mut names = vec!["step()".to_owned(), "time(s)".to_owned()];
    let known = ["cost", "proc", "lev", "i_low", "j_low", "k_low"];
    for task in 0..TASKS {
        let rest = (known.len()..fields).map(|_| "num_cells");
        names.extend(known.into_iter().chain(rest).map(|name| format!("{name}_box_{task}()")));
        names.push(format!("hostname_box_{task}()"));
    }
    let names = names.iter().enumerate().map(|(number, name)| format!("[{number}]{name}"));
    format!("#{}\n", names.collect::<Vec<String>>().join(separator))
}

#[test]
fn costs_of_warpx_are_read() {
    let place = Workplace::new();
    for (fields, separator) in [(9, " "), (10, " "), (9, ",")] {
        let rows = warpx(STEPS, fields, separator, &seconds).concat();
        for head in [header(fields, separator), String::new()] {
            place.write("LBC.txt", head + &rows);
            let trace = read(&place.path("LBC.txt"));
            assert_is(&trace, STEPS, &MOVES, &format!("{fields} fields by {separator:?}"));
        }
    }
    // Steps that are multiples of ten only: a row stands for ten.
    let tenth: Vec<String> =
        warpx(STEPS, 9, " ", &seconds).into_iter().skip(9).step_by(10).collect();
    place.write("LBC.txt", tenth.concat());
    let trace = read(&place.path("LBC.txt"));
    assert_eq!((trace.stride, trace.record.steps()), (10, 6));
    assert!((trace.record.row(1)[0] - 10.0 * load(19, 0)).abs() < 1e-6);
    // A box that is split gives longer rows; the shorter are filled up when the run ends.
    let rows = warpx(STEPS, 9, " ", &seconds);
    let whole = |row: &String| row.trim_end().to_owned();
    let half = |row: &String| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let cost: f64 = fields[2].parse().unwrap();
        let mut first: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        first[2] = format!("{:.14e}", cost / 2.0);
        let mut second = first[2..12].to_vec();
        second[3] = "1.60000000000000e+01".to_owned();
        format!("{} {}", first.join(" "), second.join(" "))
    };
    let jagged: Vec<String> =
        rows[..30].iter().map(whole).chain(rows[30..].iter().map(half)).collect();
    place.write("LBC.txt", jagged.join("\n") + "\n");
    assert_is(&read(&place.path("LBC.txt")), STEPS, &[20, 30, 50], "jagged");
    let filled = rows[..30].iter().map(|row| whole(row) + &" NaN".repeat(10));
    let filled: Vec<String> = filled.chain(rows[30..].iter().map(half)).collect();
    place.write("LBC.txt", header(9, " ") + &filled.join("\n") + "\n");
    assert_is(&read(&place.path("LBC.txt")), STEPS, &[20, 30, 50], "filled up");
}

/// Measured costs are running sums, set to 0 before steps that are multiples of the period.
#[test]
fn running_sums_of_warpx_are_taken_apart() {
    let place = Workplace::new();
    for period in [5, 10, 20] {
        let sum = |step: usize, task: usize| {
            let last = (step + 1) / period * period;
            let first = last.saturating_sub(1);
            let kept = 1.0 - 2.0 / period as f64;
            (first..=step).fold(0.0, |sum, step| seconds(step, task) + kept * sum)
        };
        let rows = warpx(STEPS, 9, " ", &sum);
        place.write("LBC.txt", rows.concat());
        let trace = read(&place.path("LBC.txt"));
        let said = format!("costs fall every {period} steps");
        assert!(trace.repairs.iter().any(|repair| repair.contains(&said)), "{:?}", trace.repairs);
        assert_is(&trace, STEPS, &MOVES, &said);
        if period > 5 {
            let some: Vec<String> = rows.iter().skip(1).step_by(2).cloned().collect();
            place.write("LBC.txt", some.concat());
            let said = refused(&place.path("LBC.txt"));
            assert!(said.contains("not all steps are there"), "{said}");
            place.write("LBC.txt", rows[3..].concat());
            let said = refused(&place.path("LBC.txt"));
            assert!(said.contains("begin with step 1"), "{said}");
        }
        // Outputs at the looks hold one step each.
        let looks = rows.iter().skip(period - 1).step_by(period).cloned();
        place.write("LBC.txt", looks.collect::<Vec<String>>().concat());
        let trace = read(&place.path("LBC.txt"));
        let truth = period as f64 * load(2 * period - 1, 1);
        assert!((trace.record.row(1)[1] - truth).abs() < 1e-6 * truth);
    }
}

#[test]
fn damaged_costs_of_warpx_are_explained() {
    let place = Workplace::new();
    let rows = warpx(STEPS, 9, " ", &seconds);
    let change = |line: usize, field: usize, to: &str| {
        let mut rows = rows.clone();
        let mut fields: Vec<&str> = rows[line - 1].split_whitespace().collect();
        if to.is_empty() {
            fields.remove(field);
        } else {
            fields[field] = to;
        }
        rows[line - 1] = fields.join(" ") + "\n";
        place.write("LBC.txt", header(9, " ") + &rows.concat());
        refused(&place.path("LBC.txt"))
    };
    for (line, field, to, words) in [
        (7, 2, "", "line 8: 81 fields: after step and time there should be 10"),
        (7, 12, "-3.0", "line 8: cost_box_1: -3.0 is negative"),
        (7, 12, "NaN", "line 8: cost_box_1: NaN"),
        (7, 12, "1e999", "line 8: cost_box_1:"),
        (7, 13, "1.5", "line 8: proc_box_1: \"1.5\" is not the number of a proc"),
        (7, 13, "1e9", "line 8: proc_box_1: 1000000000 is no rank"),
        (7, 15, "x", "line 8: i_low_box_1: \"x\" is no cell"),
        (7, 0, "x", "line 8: step: \"x\" is not the number of a step"),
        (7, 0, "3", "line 8: step 3 after step 6"),
    ] {
        let said = change(line, field, to);
        assert!(said.contains(words) && said.contains("LBC.txt"), "{words}: {said}");
    }
    // Cut short anywhere: complete rows, and it is said; or refused.
    let whole = rows.concat();
    for end in (0..whole.len()).step_by(173) {
        place.write("LBC.txt", &whole[..end]);
        let Ok(trace) = trace::read(&place.path("LBC.txt"), Some(trace::Form::Warpx)) else {
            continue;
        };
        let steps = trace.record.steps();
        let remaps: Vec<usize> = MOVES.into_iter().filter(|at| *at < steps).collect();
        assert_is(&trace, steps, &remaps, &format!("cut at {end}"));
        let said = trace.repairs.iter().any(|repair| repair.contains("cut short"));
        assert_eq!(said, !whole[..end].ends_with('\n'));
    }
    // A step that is missing is filled in, and said.
    let gap: Vec<String> = rows[..30].iter().chain(&rows[31..]).cloned().collect();
    place.write("LBC.txt", gap.concat());
    assert!(
        read(&place.path("LBC.txt")).repairs.iter().any(|repair| repair.contains("missing steps"))
    );
}

/// The log of SWIFT: user and system times in ticks, only for some steps.
fn swift(newer: bool) -> String {
    let mut log = format!("# step rank user sys sum{}\n", if newer { " deadfrac" } else { "" });
    for step in 0..STEPS {
        let logged = if step < 2 { step } else { 3 * step + step % 2 };
        for rank in 0..RANKS {
            let (user, system) = (100.0 * load(step, rank), 0.5);
            let _ = write!(log, "{logged} {rank} {user:.6} {system:.6} {:.6}", user + system);
            log += if newer { " 0.031000\n" } else { "\n" };
        }
        let _ = writeln!(log, "# {logged} mean times: 1.000000 0.500000 1.500000");
        let _ = writeln!(log, "# {logged} balance: 0.1, expected: 0.050000 (sys: 0.1, total: 0.1)");
    }
    log
}

#[test]
fn cpu_times_of_swift_are_read_and_called_so() {
    let place = Workplace::new();
    for newer in [true, false] {
        place.write("rank_cpu_balance.log", swift(newer));
        let trace = read(&place.path("rank_cpu_balance.log"));
        assert!(!trace.knows_remaps && trace.stride == 1);
        assert!(
            trace.repairs[0].contains("CPU times") && trace.repairs[1].contains("60 of the steps")
        );
        assert_is(&trace, STEPS, &[], "swift");
    }
    let log = swift(true);
    let change = |from: &str, to: &str| {
        assert!(log.contains(from));
        place.write("rank_cpu_balance.log", log.replacen(from, to, 1));
        refused(&place.path("rank_cpu_balance.log"))
    };
    let line = |step: usize, rank: usize| {
        let user = 100.0 * load(step, rank);
        format!("{step} {rank} {user:.6} 0.500000 {:.6}", user + 0.5)
    };
    let first = line(1, 2);
    for (to, words) in [
        (first.replace("1 2 ", "1 x "), "line 10: rank: \"x\""),
        (first.replace("1 2 ", "1 2 -"), "line 10: user: -"),
        (first.replace("0.500000", "0.6"), "line 10: sum: "),
        (first.replace("0.500000", "NaN"), "line 10: user, sys, sum: one of them"),
        (first.replace("0.500000", ""), "line 10: 5 fields where"),
    ] {
        let said = change(&first, &to);
        assert!(said.contains(words), "{words}: {said}");
    }
    // A second run behind the first.
    place.write("rank_cpu_balance.log", log.clone() + &log);
    assert!(refused(&place.path("rank_cpu_balance.log")).contains("step 0 after step 178"));
    for end in (0..log.len()).step_by(211) {
        place.write("rank_cpu_balance.log", &log[..end]);
        let Ok(trace) = trace::read(&place.path("rank_cpu_balance.log"), None) else { continue };
        let steps = trace.record.steps();
        let filled = trace.repairs.iter().any(|repair| repair.contains("filled in"));
        assert_is_prefix(&trace, steps - usize::from(filled));
    }
}

fn assert_is_prefix(trace: &Trace, steps: usize) {
    for step in 0..steps {
        for (rank, found) in trace.record.row(step).iter().enumerate() {
            assert!((found - load(step, rank)).abs() < 1e-6, "{step} {rank}");
        }
    }
}

/// A line for the loads, and one for what a remap took.
const LISTS: &str =
    r#""step": (?<step>\d+).*"loads": \[(?<loads>[^\]]*)\]|LB_time: (?<remap_seconds>\S+)"#;

fn lists() -> String {
    let mut log = String::from("starting\n");
    for step in 0..STEPS {
        let loads: Vec<String> =
            (0..RANKS).map(|rank| format!("{:.9}", load(step, rank))).collect();
        if MOVES.contains(&step) {
            log += "[balancer] LB_time: 0.25 s\n";
        }
        let _ = writeln!(
            log,
            "[0:01] {{\"step\": {step}, \"loads\": [{}], \"x\": 1}}",
            loads.join(", ")
        );
    }
    log
}

#[test]
fn plain_logs_are_read_by_an_expression() {
    let place = Workplace::new();
    let with = |expression: &str, log: &str| {
        place.write("run.log", log);
        trace::read(&place.path("run.log"), Some(trace::Form::Lines(expression.parse().unwrap())))
    };
    let trace = with(LISTS, &lists()).unwrap();
    assert_is(&trace, STEPS, &MOVES, "lists");
    assert_eq!(trace.record.mean_remap_cost(), Some(0.25));
    // A step in a line of its own, and a line for each rank.
    let mut log = String::new();
    for step in 0..STEPS {
        let cost = if MOVES.contains(&step) { 0.25 } else { 0.0 };
        let _ = writeln!(log, "Time step {step}, balanced in {cost}");
        for rank in 0..RANKS {
            let _ = writeln!(log, "  PE {rank} worked {:.9}", load(step, rank));
        }
    }
    let lines = r"step (?<step>\d+), balanced in (?<remap_seconds>\S+)|PE (?<rank>\d+) worked (?<seconds>\S+)";
    assert_is(&with(lines, &log).unwrap(), STEPS, &MOVES, "lines");
    // Nothing but lists.
    assert_is(&with(r"\[(?<loads>[-+.\d, ]*)\]", &lists()).unwrap(), STEPS, &[], "counted");
    for (from, to, words) in [
        ("\"step\": 7", "\"step\": 99999999999", "line 9: step: \"99999999999\""),
        ("LB_time: 0.25", "LB_time: soon", "line 22: remap_seconds: \"soon\" is not a number"),
        ("LB_time: 0.25", "LB_time: -1", "line 22: remap_seconds: -1 is negative"),
        (
            "\"loads\": [",
            "\"loads\": [1.0, ",
            "line 3: loads: 4 numbers where the first list has 5",
        ),
        ("\"loads\": [", "\"loads\": [x", "line 2: loads: \"x"),
    ] {
        let said = with(LISTS, &lists().replacen(from, to, 1)).unwrap_err().to_string();
        assert!(said.contains(words), "{words}: {said}");
    }
    let said = with(LISTS, "nothing\nhere\n").unwrap_err().to_string();
    assert!(said.contains("none of 2 lines"), "{said}");
    for (expression, words) in [
        ("(", "unclosed group"),
        ("(?<stpe>.)", "there is no group `stpe`"),
        ("(?<step>.)", "give `loads`, or `rank` and `seconds`"),
        ("(?<rank>.)(?<seconds>.)", "`rank` needs `step`"),
        ("(?<rank>.)(?<loads>.)", "without `rank`"),
    ] {
        place.run(&["fit", "run.log", "--regex", expression]).exits(2).says(words);
    }
}

/// Every verb takes every log, and a form can be forced.
#[test]
fn all_verbs_take_logs_of_codes() {
    let place = Workplace::new();
    write_vt(&place, |_, _| {});
    place.write("LBC.txt", warpx(STEPS, 9, " ", &seconds).concat());
    place.write("rank_cpu_balance.log", swift(true));
    place.write("run.log", lists());
    for (log, form) in [
        ("vt", &["--format", "vt"][..]),
        ("LBC.txt", &["--format", "warpx"]),
        ("rank_cpu_balance.log", &["--format", "swift"]),
        ("run.log", &["--regex", LISTS]),
    ] {
        let by_content = if log == "run.log" { form } else { &[] };
        for forced in [by_content, form] {
            let end = [&[log, "--remap-cost", "1"], forced].concat();
            let fitted = place.run(&[&["fit"], &end[..]].concat()).exits(0);
            assert!(
                fitted.out.contains("4 ranks") || fitted.out.contains("processors: 4"),
                "{}",
                fitted.out
            );
            let short = ["replay", "--policies", "fixed,never", "--json"];
            let found = place.run(&[&short[..], &end].concat()).exits(0).json();
            assert_eq!((&found["ranks"], &found["steps"]), (&json!(RANKS), &json!(STEPS)));
        }
        let end = [&[log, "--remap-cost", "1"], by_content].concat();
        let advice = place.run(&[&["advise"], &end[..]].concat()).exits(0).out;
        let page = place.run(&[&["report"], &end[..]].concat()).exits(0).out;
        let sentence = advice.lines().next().unwrap().replace('&', "&amp;");
        assert!(page.contains(&format!("<h1>{sentence}</h1>")), "{sentence}");
        if log == "rank_cpu_balance.log" {
            assert!(page.contains("user CPU times of all threads"));
        }
    }
    place.run(&["fit", "LBC.txt", "--format", "swift"]).exits(1).says("LBC.txt, line 1: 82 fields");
    place.run(&["fit", "run.log", "--format", "vt"]).exits(1).says("run.log");
    place.run(&["fit", "run.log", "--format", "vt", "--regex", LISTS]).exits(2);
    place.run(&["report", "run.log", "LBC.txt"]).exits(1).says("one log alone");
    place.write("model.ron", crate::workplace::MODEL);
    place.run(&["report", "model.ron", "--remap-cost", "3"]).exits(1).says("there is none");
}

/// Writes what other programs pack into `tests/cli/corpus/vt_lb_data`.
#[test]
#[ignore = "writes the sample that `lb_data_of_vt_is_read` reads: unpacked, to the folder SAMPLE names"]
fn sample_of_vt() {
    let folder = std::env::var("SAMPLE").unwrap();
    for rank in 0..RANKS {
        std::fs::write(format!("{folder}/data.{rank}.json"), vt(rank).to_string()).unwrap();
    }
}
