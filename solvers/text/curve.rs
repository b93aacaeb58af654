//! Draws a threshold curve as text.

use crate::document::Curve;

const WIDTH: usize = 72;
const HEIGHT: usize = 12;

/// Points (step, threshold) that show the whole curve: the ends of its runs, at most `most` of
/// them.
pub fn points(curve: &Curve, most: usize) -> Vec<(u64, f64)> {
    let stride = curve.runs().len().div_ceil(most).max(1);
    let last = curve.runs().len().saturating_sub(1);
    let mut points = Vec::new();
    for (at, run) in curve.runs().enumerate() {
        if at % stride == 0 || at == last {
            points.push((run.first, run.bounds.middle()));
            if run.last > run.first {
                points.push((run.last, run.bounds.middle()));
            }
        }
    }
    points
}

/// The steps worth drawing: of a long curve that is flat except in its last tenth, the end.
pub fn window(curve: &Curve) -> Option<(u64, u64)> {
    let first = curve.first_step()?;
    let last = curve.runs().next_back()?.last;
    let flat = curve.runs().max_by_key(|run| run.last - run.first)?;
    let distinct = last - flat.last;
    let mostly_flat = flat.first == first && distinct > 0 && distinct < (last - first) / 10;
    let from = if mostly_flat { flat.last.saturating_sub(distinct / 4).max(first) } else { first };
    Some((from, last))
}

/// Rows of characters with a label each on the left, and an axis from `first` to `last` below.
pub fn framed(
    rows: impl IntoIterator<Item = (String, String)>,
    (first, last): (u64, u64),
    columns: usize,
    name: &str,
) -> String {
    let (mut text, mut left) = (String::new(), 0);
    for (label, row) in rows {
        left = label.len();
        text += format!("{label}|{row}").trim_end();
        text.push('\n');
    }
    let (first, last, left) = (first.to_string(), last.to_string(), " ".repeat(left));
    let gap = " ".repeat(columns.saturating_sub(first.len() + last.len()).max(1));
    text + &format!("{left}+{}\n{left} {first}{gap}{last}   {name}\n", "-".repeat(columns))
}

/// The character at each step and probability, in `height` rows.
pub fn over_probability(
    (first, last): (u64, u64),
    height: usize,
    cell: impl Fn(u64, usize) -> char,
) -> String {
    let columns = WIDTH.min((last - first + 1) as usize);
    let step = |column: usize| {
        let share = (column as f64 + 0.5) / columns as f64;
        (first + ((last - first + 1) as f64 * share) as u64).min(last)
    };
    let rows = (0..height).map(|row| {
        let label = match row {
            0 => "1.0 ",
            row if row == height / 2 => "0.5 ",
            row if row == height - 1 => "0.0 ",
            _ => "    ",
        };
        let level = height - 1 - row;
        (label.to_owned(), (0..columns).map(|column| cell(step(column), level)).collect())
    });
    framed(rows, (first, last), columns, "step n")
}

/// The curve over its interesting steps, thresholds from 0 to 1.
pub fn draw(curve: &Curve) -> String {
    let Some(window) = window(curve) else { return String::new() };
    let cell = |step: u64, level: usize| {
        let Some(bounds) = curve.at(step) else { return ' ' };
        let own = (bounds.middle() * HEIGHT as f64).floor().min(HEIGHT as f64 - 1.0) as usize;
        match level.cmp(&own) {
            std::cmp::Ordering::Greater => '.',
            std::cmp::Ordering::Equal => '#',
            std::cmp::Ordering::Less => ' ',
        }
    };
    let key = "  threshold of p   (. remap   # threshold   below: retain)\n";
    key.to_owned() + &over_probability(window, HEIGHT, cell)
}
