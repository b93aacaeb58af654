//! A threshold curve drawn in text.

use remapping::threshold::Curve;

const WIDTH: usize = 72;
const HEIGHT: usize = 12;

/// Points (step, threshold) that show the whole curve: the ends of its runs, thinned to `most`.
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

/// The steps worth drawing: where all but the last tenth of a long curve is flat, its end.
pub fn window(curve: &Curve) -> Option<(u64, u64)> {
    let first = curve.first_step()?;
    let last = curve.runs().next_back()?.last;
    let flat = curve.runs().max_by_key(|run| run.last - run.first)?;
    let distinct = last - flat.last;
    let mostly_flat = flat.first == first && distinct > 0 && distinct < (last - first) / 10;
    let from = if mostly_flat { flat.last.saturating_sub(distinct / 4).max(first) } else { first };
    Some((from, last))
}

/// The curve over its interesting steps, thresholds from 0 to 1.
pub fn draw(curve: &Curve) -> String {
    let Some((first, last)) = window(curve) else { return String::new() };
    let columns = WIDTH.min((last - first + 1) as usize);
    let mut rows = vec![vec![' '; columns]; HEIGHT];
    for column in 0..columns {
        let share = (column as f64 + 0.5) / columns as f64;
        let step = first + ((last - first + 1) as f64 * share) as u64;
        if let Some(bounds) = curve.at(step.min(last)) {
            let level = (bounds.middle() * HEIGHT as f64).floor().min(HEIGHT as f64 - 1.0) as usize;
            for (row, line) in rows.iter_mut().enumerate() {
                let height = HEIGHT - 1 - row;
                line[column] = match height.cmp(&level) {
                    std::cmp::Ordering::Greater => '.',
                    std::cmp::Ordering::Equal => '#',
                    std::cmp::Ordering::Less => ' ',
                };
            }
        }
    }
    let mut text = String::from("  threshold of p   (. remap   # threshold   below: retain)\n");
    for (row, line) in rows.iter().enumerate() {
        let label = match row {
            0 => "1.0 ",
            row if row == HEIGHT / 2 => "0.5 ",
            row if row == HEIGHT - 1 => "0.0 ",
            _ => "    ",
        };
        text.push_str(label);
        text.push('|');
        text.extend(line);
        text.push('\n');
    }
    text.push_str(&format!("    +{}\n", "-".repeat(columns)));
    let right = last.to_string();
    let gap = columns.saturating_sub(first.to_string().len() + right.len()).max(1);
    text.push_str(&format!("     {first}{}{right}   step n\n", " ".repeat(gap)));
    text
}
