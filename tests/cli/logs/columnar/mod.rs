//! Logs in Parquet, beside the same logs in CSV.

use crate::logs::streams::{assert_same, followed, in_units};
use crate::support::made_logs::{DRIFTING, Numbers};
use crate::support::prelude::*;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use remap::logs;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// A column by its line in the schema, with the number of each row; none is null.
pub struct Named<'a>(pub &'a str, pub Vec<Option<f64>>);

/// A file of these columns, with so many rows in a group.
pub fn written(columns: &[Named<'_>], rows: usize, packed: Compression) -> Vec<u8> {
    let lines: String = columns.iter().map(|Named(line, _)| format!("{line};\n")).collect();
    let schema = parse_message_type(&format!("message log {{\n{lines}}}")).unwrap();
    let properties = WriterProperties::builder().set_compression(packed);
    // Several pages in a group.
    let page = (rows / 8).max(50);
    let properties = properties.set_data_page_row_count_limit(page).set_write_batch_size(page);
    let properties = Arc::new(properties.build());
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties).unwrap();
    let all = columns.first().map_or(0, |Named(_, values)| values.len());
    for first in (0..all).step_by(rows) {
        let mut group = writer.next_row_group().unwrap();
        for Named(_, values) in columns {
            let values = &values[first..all.min(first + rows)];
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let levels = Some(&levels[..]);
            let there = values.iter().flatten();
            let mut column = group.next_column().unwrap().unwrap();
            macro_rules! batch {
                ($out:expr, $of:expr) => {
                    $out.write_batch(&there.map($of).collect::<Vec<_>>(), levels, None)
                };
            }
            let done = match column.untyped() {
                ColumnWriter::BoolColumnWriter(out) => batch!(out, |value| *value > 0.0),
                ColumnWriter::Int32ColumnWriter(out) => batch!(out, |value| *value as i64 as i32),
                ColumnWriter::Int64ColumnWriter(out) => batch!(out, |value| *value as i64),
                ColumnWriter::FloatColumnWriter(out) => batch!(out, |value| *value as f32),
                ColumnWriter::DoubleColumnWriter(out) => batch!(out, |value| *value),
                ColumnWriter::ByteArrayColumnWriter(out) => {
                    batch!(out, |value| value.to_string().as_str().into())
                }
                _ => panic!("no such column is written"),
            };
            done.unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn all(values: impl IntoIterator<Item = f64>) -> Vec<Option<f64>> {
    values.into_iter().map(Some).collect()
}

/// The lines of a long table, after the one with names, in Parquet.
pub fn in_columns(lines: &[String]) -> Vec<u8> {
    let mut columns: [Vec<Option<f64>>; 5] = Default::default();
    for line in &lines[1..] {
        let cells = line.split(',').map(|cell| cell.parse().ok());
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
    }
    let names = [
        "required int64 step",
        "required int64 rank",
        "required double seconds",
        "required boolean remapped",
        "optional double remap_seconds",
    ];
    let named = names.into_iter().zip(columns).map(|(name, values)| Named(name, values));
    written(&named.collect::<Vec<_>>(), 1 << 16, Compression::SNAPPY)
}

/// The same rows in both forms; the times are decimals of four digits.
struct Both {
    text: String,
    rows: [Vec<Option<f64>>; 5],
}

fn both(seed: u64, steps: usize) -> Both {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("step,rank,seconds,remapped,remap_seconds\n");
    let mut rows: [Vec<Option<f64>>; 5] = Default::default();
    for step in (0..steps).filter(|step| step % 97 != 96) {
        let remapped = step % 50 == 49;
        for rank in [0, 3, 7] {
            let time = (numbers.below(25) > 0).then(|| 1.0 + numbers.below(9999) as f64 / 1e4);
            let cost = (remapped && numbers.below(3) > 0).then(|| numbers.below(99) as f64 / 1e2);
            let shown = |number: Option<f64>| number.map_or_else(String::new, |n| n.to_string());
            let mark = f64::from(u8::from(remapped));
            let _ = writeln!(text, "{step},{rank},{},{mark},{}", shown(time), shown(cost));
            let row = [Some(step as f64), Some(f64::from(rank)), time, Some(mark), cost];
            rows.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    Both { text, rows }
}

#[test]
fn parquet_is_read_as_csv_is() {
    let place = Workplace::new();
    let packs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ];
    for (seed, packed) in (0..).zip(packs) {
        let Both { text, rows: [steps, ranks, times, marks, costs] } = both(seed, 1300);
        place.write("run.csv", &text);
        let whole = logs::read(&place.path("run.csv"), None).unwrap();
        let types = [
            ["optional int64 step", "optional int32 rank", "optional boolean remapped"],
            ["optional int32 iteration (UINT_32)", "optional int64 PE", "optional int32 lb"],
            ["optional double step", "optional int32 rank (UINT_8)", "optional float remap"],
        ][seed as usize % 3];
        let part = |rows: std::ops::Range<usize>, most: usize| {
            let cut = |column: &Vec<Option<f64>>| column[rows.clone()].to_vec();
            // Among others, and in another order.
            let columns = [
                Named("optional binary host (UTF8)", cut(&ranks)),
                Named("optional double remap_seconds", cut(&costs)),
                Named("optional double seconds", cut(&times)),
                Named(types[1], cut(&ranks)),
                Named("optional int64 moment_7 (TIMESTAMP_MILLIS)", cut(&ranks)),
                Named(types[0], cut(&steps)),
                Named(types[2], cut(&marks)),
            ];
            written(&columns, most, packed)
        };
        let many = steps.len();
        place.write("run.parquet", part(0..many, 777));
        let read = logs::read(&place.path("run.parquet"), None).unwrap();
        assert_eq!(read.record, whole.record, "{packed:?}");
        assert_eq!((&read.repairs, read.account.format), (&whole.repairs, whole.account.format));
        assert_same(&[place.path("run.parquet")], &whole, None);
        // Through a pipe, and packed once more.
        let file = std::fs::read(place.path("run.parquet")).unwrap();
        let read = logs::read_from(std::io::Cursor::new(file.clone()), "-", None).unwrap();
        assert!(read.record == whole.record);
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(&file).unwrap();
        place.write("run.parquet.gz", gz.finish().unwrap());
        assert_same(&[place.path("run.parquet.gz")], &whole, None);
        // In parts, beside CSV.
        let (a, b) = (many / 3, 2 * many / 3);
        place.write("a.parquet", part(0..a, 100_000));
        place.write("c.parquet", part(b..many, 64));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        place.write("b.csv", lines[0].to_owned() + &lines[1 + a..=b].concat());
        let parts = ["a.parquet", "b.csv", "c.parquet"].map(|name| place.path(name));
        assert_same(&parts, &whole, None);
    }
}

#[test]
fn wide_tables_and_units_are_read() {
    let place = Workplace::new();
    let mut numbers = Numbers::new(3);
    let times: Vec<[f64; 2]> =
        (0..1500).map(|_| [1, 2].map(|_| 1.0 + numbers.below(999) as f64)).collect();
    let mut text = String::from("rank_0_us,rank_1_us,remapped\n");
    for (step, [a, b]) in times.iter().enumerate() {
        let _ = writeln!(text, "{a},{b},{}", u8::from(step % 100 == 99));
    }
    place.write("run.csv", text);
    let whole = logs::read(&place.path("run.csv"), None).unwrap();
    let marks = || all((0..1500).map(|step| f64::from(step % 100 == 99)));
    let file = |types: [&str; 2]| {
        let columns = [
            Named(types[0], all(times.iter().map(|row| row[0]))),
            Named(types[1], all(times.iter().map(|row| row[1]))),
            Named("required boolean remapped", marks()),
        ];
        written(&columns, 400, Compression::SNAPPY)
    };
    place.write("run.parquet", file(["required double rank_0_us", "optional int64 rank_1_us"]));
    assert_same(&[place.path("run.parquet")], &whole, None);
    let other = in_units(&place.path("run.csv"), 1.0);
    assert_same(&[place.path("run.parquet")], &other, Some(1.0));
    // The same unit by the type.
    let typed =
        ["required int64 rank_0 (TIME_MICROS)", "required int64 rank_1 (TIME(MICROS,true))"];
    place.write("run.parquet", file(typed));
    let read = logs::read(&place.path("run.parquet"), None).unwrap();
    assert!(read.record == whole.record && read.unit_seconds == 1e-6);
    assert!(read.repairs.iter().any(|said| said.contains("1e-6") || said.contains("0.000001")));
}

#[test]
fn files_of_pyarrow_pandas_and_polars_are_read() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cli/logs/columnar"));
    for (name, unit) in [("pyarrow", 1e-3), ("pandas", 1e-9), ("polars", 1e-6)] {
        let path = folder.join(format!("{name}.parquet"));
        let read = logs::read(&path, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((read.record.ranks(), read.steps(), read.remaps()), (3, 60, 2), "{name}");
        assert_eq!((read.mean_remap_cost(), read.unit_seconds), (Some(0.5), unit), "{name}");
        for step in 0..60 {
            for (rank, time) in read.record.row(step).iter().enumerate() {
                let made = 1e-3 * (1.0 + ((7 * step + 5 * rank) % 11) as f64 / 8.0);
                assert!((time - made).abs() < 1e-15, "{name}, {step}, {rank}: {time}");
            }
        }
    }
    let place = Workplace::new();
    let path = folder.join("pyarrow.parquet");
    let path = path.to_str().unwrap();
    for verb in ["fit", "replay", "advise", "report"] {
        place.run(&[verb, path]).exits(0).says("`load` is in units of 0.001 seconds");
    }
}

#[test]
fn what_is_wrong_in_parquet_is_said() {
    let place = Workplace::new();
    let refused = |columns: &[Named<'_>], words: &str| {
        place.write("run.parquet", written(columns, 3, Compression::SNAPPY));
        let error = followed(&[place.path("run.parquet")], None).err().unwrap();
        assert!(error.contains("run.parquet") && error.contains(words), "{words:?}: {error}");
    };
    let (steps, ranks) = ([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]);
    let step = || Named("required int64 step", all(steps));
    let rank = || Named("required int64 rank", all(ranks));
    let of = |line, fourth: Option<f64>| {
        let mut values = all([1.0; 4]);
        values[3] = fourth;
        Named(line, values)
    };
    let time = || of("required double time", Some(1.0));
    let long = |other, words| refused(&[step(), rank(), other], words);
    long(of("optional double seconds", Some(f64::INFINITY)), "row 4: \"inf\" is not finite");
    long(of("optional double seconds", Some(-1.5)), "row 4: -1.5 is negative: times are not");
    long(of("optional double seconds", Some(1e101)), "is too large");
    long(of("optional binary seconds (UTF8)", None), "`seconds` is text: save it as DOUBLE");
    long(of("optional int64 seconds (DECIMAL(9,3))", None), "`seconds` is a DECIMAL");
    long(of("optional int64 time (TIMESTAMP_MILLIS)", None), "`time` is a moment");
    long(of("optional double hours", None), "there is no column `seconds` among step, rank, hours");
    long(
        of("required int32 time_us (TIME_MILLIS)", Some(1.0)),
        "`time_us` is in units of 0.000001 seconds by its name, and of 0.001 by its type",
    );
    let marked = |mark| refused(&[step(), rank(), time(), mark], "row 4: 2 is neither 0 nor 1");
    marked(of("required int32 remapped", Some(2.0)));
    let stepped = |step, words| refused(&[step, rank(), time()], words);
    stepped(of("optional int64 step", None), "row 4: there is no step");
    stepped(of("optional int64 step", Some(-1.0)), "row 4: -1 is not the number of a step");
    stepped(of("optional double step", Some(0.5)), "row 4: 0.5 is not the number of a step");
    refused(&[rank(), time()], "there is no column `step` among rank, time");
    refused(&[step(), time()], "there are neither `rank` and `seconds` nor columns of ranks");
    refused(&[step(), step(), time()], "two columns are called `step`");
    refused(&[step(), rank(), time(), time()], "two columns are called `time`");
    place.write("run.parquet", "PAR1");
    place.remap("fit run.parquet").exits(1).says("cannot read run.parquet as Parquet");
    // A name like its mark is none.
    place.write("run.csv", "PAR1,rank_0,rank_2\n1,2,3\n1,2,4\n");
    assert_eq!(logs::read(&place.path("run.csv"), None).unwrap().record.ranks(), 2);
}

/// Nothing that stands in a file makes the reader panic, or take memory that the file does not
/// have.
#[test]
fn damaged_parquet_is_refused_or_read() {
    let place = Workplace::new();
    let Both { rows: [steps, ranks, times, ..], .. } = both(7, 60);
    let columns = [
        Named("required int64 step", steps),
        Named("required int32 rank", ranks),
        Named("optional double seconds", times),
    ];
    let mut numbers = Numbers::new(11);
    for packed in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW] {
        let right = written(&columns, 64, packed);
        for _ in 0..400 {
            let mut file = right.clone();
            match numbers.below(3) {
                0 => file.truncate(numbers.below(right.len())),
                _ => {
                    for _ in 0..=numbers.below(3) {
                        let at = 5 + numbers.below(right.len() - 5);
                        file[at] = numbers.next() as u8;
                    }
                }
            }
            place.write("run.parquet", file);
            let _ = logs::read(&place.path("run.parquet"), None);
        }
    }
}

#[test]
fn replay_and_advise_say_the_same_of_parquet() {
    let place = Workplace::new();
    let csv = DRIFTING.csv();
    place.write("run.csv", &csv);
    let lines: Vec<String> = csv.lines().map(str::to_owned).collect();
    place.write("run.parquet", in_columns(&lines));
    for asked in [&["replay"][..], &["advise"], &["fit", "--json"]] {
        let said = |name| {
            let outcome = place.run(&[asked, &[name]].concat()).exits(0);
            // A table in columns has no first line to be known by.
            let told = outcome.out.replace(name, "LOG");
            let lines = told.lines().filter(|line| !line.contains("recognized"));
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(said("run.parquet"), said("run.csv"), "{asked:?}");
    }
}
