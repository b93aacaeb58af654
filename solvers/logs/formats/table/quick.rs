//! Lines as nearly all are: plain numbers, no blanks, no quotes. Whatever is otherwise is left to
//! others.

use super::super::super::row::Row;
use super::super::MOST_SECONDS;
use super::names::Column;
use remapping::decimal::Plain;

/// Reads a line and its end; the number of its bytes.
pub(in crate::logs) fn row(
    text: &[u8],
    delimiter: u8,
    columns: &[Option<Column>],
    units: &[f64],
    row: &mut Row,
) -> Option<usize> {
    // Comments are not for here, nor blanks, of which several are one delimiter.
    if text[0] == b'#' || delimiter == b' ' {
        return None;
    }
    let mut line = Plain::new(text);
    let time = |line: &mut Plain<'_>| line.decimal().filter(|value| *value <= MOST_SECONDS);
    row.clear();
    for (place, (column, unit)) in columns.iter().zip(units).enumerate() {
        if place > 0 && line.byte()? != delimiter {
            return None;
        }
        match column {
            Some(Column::Step) => row.step = Some(line.whole()?),
            Some(Column::Rank) => row.rank = Some(line.whole()?),
            Some(Column::Seconds | Column::Work) => row.seconds = Some(unit * time(&mut line)?),
            Some(Column::Wait) => row.wait = Some(unit * time(&mut line)?),
            Some(Column::Begin) => row.begin = Some(unit * time(&mut line)?),
            Some(Column::End) => row.end = Some(unit * time(&mut line)?),
            Some(Column::Most) => row.most = Some(unit * time(&mut line)?),
            Some(Column::Mean) => row.mean = Some(unit * time(&mut line)?),
            Some(Column::Remapped) => {
                row.remapped = match line.peek()? {
                    b'0' | b'1' => line.byte()? == b'1',
                    _ => false,
                }
            }
            Some(Column::RemapSeconds) => {
                if line.peek()?.is_ascii_digit() {
                    row.cost = Some(unit * time(&mut line)?);
                }
            }
            Some(Column::OfRank(rank)) => row.times.push((*rank, unit * time(&mut line)?)),
            None => line.skip(delimiter)?,
        }
    }
    match line.byte()? {
        b'\n' => {}
        b'\r' if line.byte()? == b'\n' => {}
        _ => return None,
    }
    Some(line.read())
}
