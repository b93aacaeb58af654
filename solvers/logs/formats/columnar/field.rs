//! A column of Parquet as numbers.

use super::super::table::names::Column;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

/// The interpretation of a column's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::logs) struct Meant {
    unsigned: bool,
    /// The seconds in a unit, if the type states one.
    pub unit: Option<f64>,
}

/// The interpretation of a column's values if they are numbers; otherwise what they are.
pub(in crate::logs) fn meant(column: &ColumnDescriptor) -> Result<Meant, String> {
    if column.max_rep_level() > 0 {
        return Err(
            "a list: give a column for each rank, or a row for each rank and step".to_owned()
        );
    }
    let plain = Meant { unsigned: false, unit: None };
    let refused = |what: &str| Err(format!("{what}: save it as DOUBLE or INT64"));
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Time(time)), _) => {
            let unit = match time.unit {
                TimeUnit::MILLIS => 1e-3,
                TimeUnit::MICROS => 1e-6,
                TimeUnit::NANOS => 1e-9,
            };
            return Ok(Meant { unit: Some(unit), ..plain });
        }
        (Some(LogicalType::Integer(integer)), _) => {
            return Ok(Meant { unsigned: !integer.is_signed, ..plain });
        }
        (_, ConvertedType::TIME_MILLIS) => return Ok(Meant { unit: Some(1e-3), ..plain }),
        (_, ConvertedType::TIME_MICROS) => return Ok(Meant { unit: Some(1e-6), ..plain }),
        (_, ConvertedType::DECIMAL) => return refused("a DECIMAL"),
        (_, ConvertedType::DATE) => return refused("a date"),
        (Some(LogicalType::Timestamp(_)), _)
        | (_, ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS) => {
            return refused("a moment, not a duration");
        }
        (Some(LogicalType::Float16), _) => return refused("of 16 bits"),
        _ => {}
    }
    let unsigned = [
        ConvertedType::UINT_8,
        ConvertedType::UINT_16,
        ConvertedType::UINT_32,
        ConvertedType::UINT_64,
    ];
    match column.physical_type() {
        Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => {
            Ok(Meant { unsigned: unsigned.contains(&column.converted_type()), ..plain })
        }
        Type::INT96 => refused("a moment, not a duration"),
        Type::BYTE_ARRAY => refused("text"),
        Type::FIXED_LEN_BYTE_ARRAY => refused("bytes"),
    }
}

/// A column that is read.
pub(in crate::logs) struct Wanted {
    pub place: usize,
    pub what: Column,
    /// The seconds in a unit.
    pub unit: f64,
    pub meant: Meant,
    /// The definition level of a present value.
    pub there: i16,
}

/// A column of a row group, which is read in pieces.
pub(in crate::logs) struct Field<'w> {
    pub wanted: &'w Wanted,
    pub reader: ColumnReader,
    levels: Vec<i16>,
    /// The numbers read last; NaN where a value is missing.
    pub numbers: Vec<f64>,
}

impl Field<'_> {
    pub fn new(wanted: &Wanted, reader: ColumnReader) -> Field<'_> {
        Field { wanted, reader, levels: Vec::new(), numbers: Vec::new() }
    }

    /// Reads at most `rows` rows.
    pub fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        let Field { wanted, reader, levels, numbers } = self;
        numbers.clear();
        let unsigned = wanted.meant.unsigned;
        let into = &mut Into { there: wanted.there, levels, numbers };
        match reader {
            ColumnReader::BoolColumnReader(reader) => {
                into.take(reader, rows, |x| f64::from(u8::from(*x)))
            }
            ColumnReader::Int32ColumnReader(reader) if unsigned => {
                into.take(reader, rows, |x| f64::from(x.cast_unsigned()))
            }
            ColumnReader::Int32ColumnReader(reader) => into.take(reader, rows, |x| f64::from(*x)),
            ColumnReader::Int64ColumnReader(reader) if unsigned => {
                into.take(reader, rows, |x| x.cast_unsigned() as f64)
            }
            ColumnReader::Int64ColumnReader(reader) => into.take(reader, rows, |x| *x as f64),
            ColumnReader::FloatColumnReader(reader) => into.take(reader, rows, |x| f64::from(*x)),
            ColumnReader::DoubleColumnReader(reader) => into.take(reader, rows, |x| *x),
            _ => Err(ParquetError::General("a column is not of numbers".to_owned())),
        }
    }
}

struct Into<'a> {
    there: i16,
    levels: &'a mut Vec<i16>,
    numbers: &'a mut Vec<f64>,
}

impl Into<'_> {
    fn take<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        rows: usize,
        number: impl Fn(&T::T) -> f64,
    ) -> Result<(), ParquetError> {
        let Into { there, levels, numbers } = self;
        let mut values = Vec::with_capacity(rows);
        levels.clear();
        reader.read_records(rows, Some(levels), None, &mut values)?;
        if *there == 0 {
            numbers.extend(values.iter().map(number));
            return Ok(());
        }
        let mut values = values.iter().map(number);
        let one = |level: &i16| match level == there {
            true => values.next().unwrap_or(f64::NAN),
            false => f64::NAN,
        };
        numbers.extend(levels.iter().map(one));
        Ok(())
    }
}
