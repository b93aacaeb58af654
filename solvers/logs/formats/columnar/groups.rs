//! The row groups of a file, one after another, each in pieces: memory grows with the columns, not
//! with the rows.

use super::super::super::row::{self, Row};
use super::super::Raw;
use super::super::table::columns::columns;
use super::super::table::layout::{layout, left_out};
use super::super::table::names::{Column, measured, seconds_in};
use super::super::{checked, counted};
use super::arrow::{Stated, stated};
use super::field::{Field, Meant, Wanted, meant};
use crate::complaint::Complaint;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io::{BufRead, Seek, SeekFrom};
use std::path::Path;

/// Numbers that are read at once, of all columns.
const PIECE: usize = 1 << 16;

/// Reads a file, which `input` may have unpacked.
pub(in crate::logs) fn read_path(
    path: &Path,
    input: &mut dyn BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let plain = |path: &Path| {
        let mut start = [0; 5];
        let mut file = File::open(path)
            .ok()
            .filter(|file| file.metadata().is_ok_and(|facts| facts.is_file()))?;
        std::io::Read::read_exact(&mut file, &mut start).ok()?;
        super::is_parquet(&start).then_some(file)
    };
    match plain(path) {
        Some(file) => read_file(file, name, raw),
        None => read(input, name, raw),
    }
}

/// Reads what comes through a pipe: its list of contents stands at the end, so that it goes to a
/// file first.
pub(in crate::logs) fn read(
    input: &mut dyn BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let kept = tempfile::tempfile().and_then(|mut file| {
        std::io::copy(input, &mut file)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    });
    let file = kept.map_err(|error| {
        let message = format!("cannot keep {name} in a temporary file: {error}");
        Complaint::elsewhere(message, "give Parquet as a file rather than through a pipe")
    })?;
    read_file(file, name, raw)
}

fn read_file(file: File, name: &str, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    let damaged = |error: ParquetError| {
        let message = format!("cannot read {name} as Parquet: {error}");
        Complaint::elsewhere(message, "was it written to its end, and without encryption?")
    };
    let wrong = |what: String| {
        let help = "a trace has step, rank and seconds, or one row a step and one column a rank";
        Complaint::elsewhere(format!("{name}: {what}"), help)
    };
    let length = file.metadata().map_or(0, |facts| facts.len());
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let wanted = wanted(reader.metadata().file_metadata(), raw).map_err(wrong)?;
    packed(reader.metadata(), &wanted).map_err(|what| {
        let help = "write it with snappy, zstd, lz4 or gzip, or unpacked";
        Complaint::elsewhere(format!("{name}: {what}"), help)
    })?;
    ranges(reader.metadata(), length).map_err(damaged)?;
    let (mut before, mut row) = (0, Row::default());
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(damaged)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut fields = Vec::with_capacity(wanted.len());
        for wanted in &wanted {
            let reader = group.get_column_reader(wanted.place).map_err(damaged)?;
            fields.push(Field::new(wanted, reader));
        }
        let most = (PIECE / fields.len()).max(1);
        let mut done = 0;
        while done < rows {
            let piece = most.min(rows - done);
            for field in &mut fields {
                unpanicked(|| field.fill(piece)).map_err(damaged)?;
                if field.numbers.len() != piece {
                    let error =
                        format!("a column of row group {number} has fewer than {rows} rows");
                    return Err(damaged(ParquetError::General(error)));
                }
            }
            for at in 0..piece {
                take(&fields, at, &mut row, raw)
                    .map_err(|what| wrong(format!("row {}: {what}", before + done + at + 1)))?;
            }
            done += piece;
        }
        before += rows;
    }
    Ok(())
}

/// Refuses columns that lie beyond the file.
fn ranges(file: &ParquetMetaData, length: u64) -> Result<(), ParquetError> {
    for column in file.row_groups().iter().flat_map(|group| group.columns()) {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let end = end.and_then(|end| u64::try_from(end).ok()).filter(|end| *end <= length);
        if start < 0 || column.compressed_size() < 0 || end.is_none() {
            let name = column.column_path().string();
            return Err(ParquetError::General(format!("`{name}` lies beyond the end of the file")));
        }
    }
    Ok(())
}

/// What the reader of Parquet makes of damaged pages: of one file in thousands a panic.
fn unpanicked(read: impl FnOnce() -> Result<(), ParquetError>) -> Result<(), ParquetError> {
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    read.unwrap_or_else(|_| Err(ParquetError::General("its pages are damaged".to_owned())))
}

/// The columns that are read, by their names.
fn wanted(file: &FileMetaData, raw: &mut Raw<'_>) -> Result<Vec<Wanted>, String> {
    let schema = file.schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    if names.is_empty() {
        return Err("there are no columns".to_owned());
    }
    let found = columns(&names, &raw.how.columns)?;
    let pairs = file.key_value_metadata().into_iter().flatten();
    let arrow =
        pairs.filter(|pair| pair.key == "ARROW:schema").find_map(|pair| pair.value.as_ref());
    let arrow = arrow.map_or_else(Vec::new, |text| stated(text));
    let mut means = Vec::new();
    let mut units = vec![None; names.len()];
    for (place, name) in names.iter().enumerate() {
        let Some(what) = found[place] else { continue };
        let meant = meant(&schema.column(place)).map_err(|what| format!("`{name}` is {what}"))?;
        if !matches!(what, Column::Step | Column::Rank | Column::Remapped) {
            units[place] = unit(name, &meant, &arrow)?;
        }
        means.push((place, what, meant));
    }
    let units = layout(&names, &found, &units, raw)?;
    left_out(&names, &found, false, raw);
    let wanted = |(place, what, meant): (usize, Column, Meant)| Wanted {
        place,
        what,
        unit: units[place],
        meant,
        there: schema.column(place).max_def_level(),
    };
    Ok(means.into_iter().map(wanted).collect())
}

/// The seconds in a unit of a column: by its name, its type, or what Arrow says of it.
fn unit(name: &str, meant: &Meant, arrow: &[Stated]) -> Result<Option<f64>, String> {
    let stated = arrow.iter().find(|stated| stated.name == name);
    let mut said = vec![("its name", measured(name).1), ("its type", meant.unit)];
    if let Some(stated) = stated {
        said.push(("its type", stated.duration));
        if let Some(text) = &stated.unit {
            let seconds = seconds_in(text).ok_or_else(|| {
                format!("`{name}` has the unit {text:?} by its metadata, which is none of s, ms, us and ns")
            })?;
            said.push(("its metadata", Some(seconds)));
        }
    }
    let mut said = said.into_iter().filter_map(|(by, unit)| Some((by, unit?)));
    let Some((by, unit)) = said.next() else { return Ok(None) };
    match said.find(|(_, other)| *other != unit) {
        None => Ok(Some(unit)),
        Some((other, differs)) => Err(format!(
            "`{name}` is in units of {unit} seconds by {by}, and of {differs} by {other}"
        )),
    }
}

/// Refuses what is packed in a way that is not built in.
fn packed(file: &ParquetMetaData, wanted: &[Wanted]) -> Result<(), String> {
    for group in file.row_groups() {
        for wanted in wanted {
            let how = match group.column(wanted.place).compression() {
                Compression::BROTLI(_) => "brotli",
                Compression::LZO => "LZO",
                _ => continue,
            };
            return Err(format!("its columns are packed by {how}"));
        }
    }
    Ok(())
}

/// Takes in a row.
fn take(fields: &[Field<'_>], at: usize, row: &mut Row, raw: &mut Raw<'_>) -> Result<(), String> {
    row.clear();
    let put = |field: &Field<'_>| row.put(field.wanted.what, field.wanted.unit, &field.numbers[at]);
    fields.iter().try_for_each(put)?;
    raw.take(row)
}

impl row::Field for f64 {
    fn whole(&self, what: &str) -> Result<u32, String> {
        whole(*self, what)
    }

    fn time(&self) -> Result<f64, String> {
        time_of(*self)
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn flag(&self) -> Result<bool, String> {
        flag(*self)
    }
}

#[inline]
fn time_of(number: f64) -> Result<f64, String> {
    match (0.0..=super::super::MOST_SECONDS).contains(&number) {
        true => Ok(number),
        false => checked(number, &number.to_string()),
    }
}

#[inline]
fn whole(number: f64, what: &str) -> Result<u32, String> {
    counted(number).ok_or_else(|| match number.is_nan() {
        true => format!("there is no {what}"),
        false => format!("{number} is not the number of a {what}"),
    })
}

fn flag(number: f64) -> Result<bool, String> {
    match number {
        _ if number == 0.0 || number.is_nan() => Ok(false),
        _ if number == 1.0 => Ok(true),
        _ => Err(format!("{number} is neither 0 nor 1, as remapped is")),
    }
}
