//! One table written as CSV, with decimal commas, as JSON lines and, with the feature, as Parquet:
//! it is read alike.

#[cfg(feature = "parquet")]
use crate::logs::columnar::{Named, written};
use crate::logs::streams::{Kept, LITTLE};
use crate::support::made_logs::Numbers;
use crate::support::prelude::*;
#[cfg(feature = "parquet")]
use parquet::basic::Compression;
use remap::logs::{self, Beginning, How, Trace};
use std::path::Path;

/// Columns by name; a number that is missing is none.
struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<Option<f64>>>,
}

/// What the columns of a random table are.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// One row a step, or a row for each rank and step.
    wide: bool,
    /// Nothing, or the times include waiting, or not.
    waits: Option<bool>,
    flags: bool,
    costs: bool,
    gaps: bool,
}

const RANKS: [&str; 3] = ["rank_0", "rank_1", "rank_2"];

fn table(kind: Kind, steps: usize, numbers: &mut Numbers) -> Table {
    let mut names = match kind.wide {
        true => vec!["step", RANKS[0], RANKS[1], RANKS[2]],
        false => vec!["step", "rank", "seconds"],
    };
    names.extend((kind.waits.is_some() && !kind.wide).then_some("wait"));
    names.extend(kind.flags.then_some("remapped"));
    names.extend(kind.costs.then_some("remap_seconds"));
    let mut rows = Vec::new();
    for step in 0..steps {
        let remapped = step % 40 == 39;
        // Decimals of four digits, which all formats hold alike.
        let mut work: Vec<f64> =
            (0..3).map(|_| (1000 + numbers.below(9000)) as f64 / 1e4).collect();
        let slowest = work.iter().copied().fold(0.0, f64::max);
        let round = |time: f64| (time * 1e4).round() / 1e4;
        let waits: Vec<f64> = work.iter().map(|time| round(slowest - time)).collect();
        if kind.waits == Some(true) && !kind.wide {
            work.fill(slowest);
        }
        let mut there = |time: f64| (!kind.gaps || numbers.below(30) > 0).then_some(time);
        let times: Vec<Option<f64>> = work.iter().map(|time| there(*time)).collect();
        let mut row = |mut cells: Vec<Option<f64>>, numbers: &mut Numbers| {
            cells.extend(kind.flags.then_some(Some(f64::from(u8::from(remapped)))));
            let cost = (remapped && numbers.below(4) > 0).then(|| numbers.below(99) as f64 / 100.0);
            cells.extend(kind.costs.then_some(cost));
            rows.push(cells);
        };
        if kind.wide {
            row([vec![Some(step as f64)], times].concat(), numbers);
            continue;
        }
        for (rank, (time, wait)) in times.into_iter().zip(waits).enumerate() {
            let mut cells = vec![Some(step as f64), Some(rank as f64), time];
            cells.extend(kind.waits.map(|_| Some(wait)));
            row(cells, numbers);
        }
    }
    Table { names, rows }
}

impl Table {
    fn text(&self, delimiter: &str, number: impl Fn(f64) -> String) -> String {
        let lines = self.rows.iter().map(|row| {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.map_or_else(String::new, &number)).collect();
            cells.join(delimiter) + "\n"
        });
        self.names.join(delimiter) + "\n" + &lines.collect::<String>()
    }

    /// An object a line; of a wide table with a list of the ranks, or a field for each.
    fn json(&self, list: bool) -> String {
        let number = |cell: Option<f64>| cell.map_or_else(|| "null".to_owned(), |n| n.to_string());
        let line = |row: &Vec<Option<f64>>| {
            let mut fields: Vec<String> = Vec::new();
            let mut times: Vec<String> = Vec::new();
            for (name, cell) in self.names.iter().zip(row) {
                match list && RANKS.contains(name) {
                    true => times.push(number(*cell)),
                    false => fields.push(format!("\"{name}\": {}", number(*cell))),
                }
            }
            if list {
                fields.push(format!("\"seconds\": [{}]", times.join(", ")));
            }
            format!("{{{}}}\n", fields.join(", "))
        };
        self.rows.iter().map(line).collect()
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Vec<u8> {
        let line = |name: &&str| match *name {
            "step" | "rank" => format!("required int64 {name}"),
            "remapped" => format!("required boolean {name}"),
            _ => format!("optional double {name}"),
        };
        let lines: Vec<String> = self.names.iter().map(line).collect();
        let column = |at: usize| self.rows.iter().map(|row| row[at]).collect();
        let columns: Vec<Named<'_>> =
            lines.iter().enumerate().map(|(at, line)| Named(line, column(at))).collect();
        written(&columns, 500, Compression::SNAPPY)
    }
}

/// What is read as a whole, and as a log that is long.
fn read(path: &Path, how: &How) -> Result<(Trace, Trace), String> {
    let all = Beginning { cells: usize::MAX, steps: usize::MAX };
    let read = |beginning| {
        let paths = [path.to_path_buf()];
        logs::follow(&paths, how, beginning, &mut Kept::default())
            .map_err(|error| error.to_string())
    };
    Ok((read(all)?, read(LITTLE)?))
}

#[test]
fn a_table_is_read_alike_in_every_format() {
    let place = Workplace::new();
    let mut numbers = Numbers::new(58);
    for case in some(16, 0..96_usize) {
        let bit = |at: usize| case >> at & 1 == 1;
        let waits = [None, Some(true), Some(false)][case / 32];
        let kind = Kind { wide: bit(0), waits, flags: bit(1), costs: bit(2), gaps: bit(3) };
        let made = table(kind, 700, &mut numbers);
        let plain = |number: f64| number.to_string();
        place.write("run.csv", made.text(",", plain));
        place.write("run.tsv", made.text("\t", plain));
        place.write("run.txt", made.text(";", |number| number.to_string().replace('.', ",")));
        place.write("run.jsonl", made.json(false));
        place.write("list.jsonl", made.json(kind.wide));
        #[cfg(feature = "parquet")]
        place.write("run.parquet", made.parquet());
        let columns = match kind.waits == Some(true) && !kind.wide && bit(4) {
            true => "wait=wait".parse().unwrap(),
            false => Default::default(),
        };
        let how = How { columns, ..How::default() };
        let (whole, long) = read(&place.path("run.csv"), &how).unwrap();
        let worked = |step: usize, rank: usize| {
            let row = match kind.wide {
                true => &made.rows[step],
                false => &made.rows[3 * step + rank],
            };
            let time = row[if kind.wide { 1 + rank } else { 2 }]?;
            let wait = if kind.waits == Some(true) && !kind.wide { row[3]? } else { 0.0 };
            Some((time - wait).max(0.0))
        };
        for (step, rank) in [(0, 0), (17, 1), (350, 2), (699, 0)] {
            if let Some(time) = worked(step, rank) {
                assert_eq!(whole.record.row(step)[rank], time, "{kind:?}, {step}, {rank}");
            }
        }
        for file in [
            "run.tsv",
            "run.txt",
            "run.jsonl",
            "list.jsonl",
            #[cfg(feature = "parquet")]
            "run.parquet",
        ] {
            let (other, of_long) = read(&place.path(file), &how).unwrap();
            assert!(other.record == whole.record, "{file}, {kind:?}");
            assert!(
                of_long.record == long.record && of_long.after == long.after,
                "{file}, {kind:?}"
            );
            let facts = |trace: &Trace| {
                (trace.repairs.clone(), trace.knows_remaps, trace.stride, trace.account.row.clone())
            };
            assert_eq!(facts(&other), facts(&whole), "{file}, {kind:?}");
        }
    }
}
