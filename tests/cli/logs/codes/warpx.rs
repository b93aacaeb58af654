//! `LoadBalanceCosts` of WarpX.

use super::{MOVES, STEPS, TASKS, assert_is, load, place, read, refused, seconds};
use crate::support::prelude::*;
use remap::logs;
use std::fmt::Write as _;

/// Rows of WarpX: steps count from 1, costs are as given, `fields` numbers and a host for each box.
pub fn rows(
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
        let rows = rows(STEPS, fields, separator, &seconds).concat();
        for head in [header(fields, separator), String::new()] {
            place.write("LBC.txt", head + &rows);
            let trace = read(&place.path("LBC.txt"));
            assert_is(&trace, STEPS, &MOVES, &format!("{fields} fields by {separator:?}"));
        }
    }
    // Steps that are multiples of ten only: a row stands for ten.
    let tenth = rows(STEPS, 9, " ", &seconds).into_iter().skip(9).step_by(10);
    place.write("LBC.txt", tenth.collect::<String>());
    let trace = read(&place.path("LBC.txt"));
    assert_eq!((trace.stride, trace.record.steps()), (10, 6));
    assert_abs_diff_eq!(trace.record.row(1)[0], 10.0 * load(19, 0), epsilon = 1e-6);
    // A box that is split gives longer rows; the shorter are filled up when the run ends.
    let rows = rows(STEPS, 9, " ", &seconds);
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
        let rows = rows(STEPS, 9, " ", &sum);
        place.write("LBC.txt", rows.concat());
        let trace = read(&place.path("LBC.txt"));
        let said = format!("costs fall every {period} steps");
        assert!(trace.repairs.iter().any(|repair| repair.contains(&said)), "{:?}", trace.repairs);
        assert_is(&trace, STEPS, &MOVES, &said);
        if period > 5 {
            let some = rows.iter().skip(1).step_by(2).cloned();
            place.write("LBC.txt", some.collect::<String>());
            let said = refused(&place.path("LBC.txt"));
            assert!(said.contains("not all steps are there"), "{said}");
            place.write("LBC.txt", rows[3..].concat());
            let said = refused(&place.path("LBC.txt"));
            assert!(said.contains("begin with step 1"), "{said}");
        }
        // Outputs at the looks hold one step each.
        let looks = rows.iter().skip(period - 1).step_by(period).cloned();
        place.write("LBC.txt", looks.collect::<String>());
        let trace = read(&place.path("LBC.txt"));
        let truth = period as f64 * load(2 * period - 1, 1);
        assert_abs_diff_eq!(trace.record.row(1)[1], truth, epsilon = 1e-6 * truth);
    }
}

#[test]
fn damaged_costs_of_warpx_are_explained() {
    let place = Workplace::new();
    let rows = rows(STEPS, 9, " ", &seconds);
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
        (7, 13, "4e6", "rank 4000000 has boxes, of 5 that have any"),
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
        let Ok(trace) = logs::read(&place.path("LBC.txt"), Some(logs::Form::Warpx)) else {
            continue;
        };
        let steps = trace.record.steps();
        let remaps: Vec<usize> = MOVES.into_iter().filter(|at| *at < steps).collect();
        assert_is(&trace, steps, &remaps, &format!("cut at {end}"));
        let said = trace.repairs.iter().any(|repair| repair.contains("cut short"));
        assert_eq!(said, !whole[..end].ends_with('\n'));
    }
    // A step that is missing is filled in, and said.
    place.write("LBC.txt", rows[..30].concat() + &rows[31..].concat());
    let repairs = read(&place.path("LBC.txt")).repairs;
    assert!(repairs.iter().any(|repair| repair.contains("missing steps")), "{repairs:?}");
}
