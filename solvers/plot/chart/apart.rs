//! Makes overlapping lines distinguishable by dashes.

use super::{Chart, Mark};

/// Lines closer to each other than this share of the picture overlap.
const NEAR: f64 = 4e-3;

/// Overlaps shorter than this share of the picture do not count: lines may cross.
const SHORT: f64 = 1e-2;

/// Lines with more points than this are not compared.
const MOST_POINTS: usize = 2000;

type Point = (f64, f64);

impl Chart<'_> {
    /// The same chart, where each line that covers part of an earlier one is dashed, so that both
    /// are visible.
    pub fn told_apart(mut self) -> Self {
        let scaled = |value: f64, axis: &super::Axis<'_>| {
            let (from, to) = (axis.range.start, axis.range.end);
            match axis.logarithmic {
                true => (value / from).ln() / (to / from).ln(),
                false => (value - from) / (to - from),
            }
        };
        let in_picture = |(x, y): &Point| (scaled(*x, &self.x), scaled(*y, &self.y));
        let lines: Vec<(usize, Vec<Point>)> = (0..)
            .zip(&self.series)
            .filter(|(_, series)| matches!(series.mark, Mark::Line))
            .filter(|(_, series)| (2..=MOST_POINTS).contains(&series.points.len()))
            .map(|(at, series)| (at, series.points.iter().map(in_picture).collect()))
            .collect();
        for (k, (at, line)) in lines.iter().enumerate() {
            let covered = lines[..k].iter().filter(|(_, earlier)| lie_on(line, earlier));
            let dashes = covered.map(|(earlier, _)| self.series[*earlier].dashes + 1).max();
            self.series[*at].dashes = dashes.unwrap_or(0);
        }
        self
    }
}

/// Whether a segment of one of two lines lies on the other.
fn lie_on(a: &[Point], b: &[Point]) -> bool {
    let along = |line: &[Point], other: &[Point]| {
        line.windows(2).any(|piece| {
            let (from, to) = (piece[0], piece[1]);
            let middle = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
            let long = (from.0 - to.0).hypot(from.1 - to.1) >= SHORT;
            long && [from, middle, to].into_iter().all(|point| distance(point, other) <= NEAR)
        })
    };
    along(a, b) || along(b, a)
}

/// The distance of a point from a line.
fn distance(point: Point, line: &[Point]) -> f64 {
    let of_piece = |piece: &[Point]| {
        let (from, to) = (piece[0], piece[1]);
        let (across, up) = (to.0 - from.0, to.1 - from.1);
        let length = across * across + up * up;
        let part = (point.0 - from.0) * across + (point.1 - from.1) * up;
        let share = if length > 0.0 { (part / length).clamp(0.0, 1.0) } else { 0.0 };
        (from.0 + share * across - point.0).hypot(from.1 + share * up - point.1)
    };
    line.windows(2).map(of_piece).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Series};
    use super::*;
    use plotters::prelude::BLACK;

    #[test]
    fn lines_that_cover_others_are_dashed() {
        let dashes = |lines: &[&[Point]]| -> Vec<usize> {
            let series =
                lines.iter().map(|line| Series::line(BLACK, line.iter().copied())).collect();
            let axis = || Axis::new("", 0.0..10.0, 0);
            let chart = Chart { title: "", x: axis(), y: axis(), series }.told_apart();
            chart.series.iter().map(|series| series.dashes).collect()
        };
        let across: &[Point] = &[(0.0, 5.0), (10.0, 5.0)];
        let near: &[Point] = &[(2.0, 5.001), (4.0, 5.001), (6.0, 9.0)];
        let up: &[Point] = &[(5.0, 0.0), (5.0, 10.0)];
        let low: &[Point] = &[(5.0, 0.0), (5.0, 3.0)];
        assert_eq!(dashes(&[across, up]), [0, 0]);
        assert_eq!(dashes(&[across, near, across]), [0, 1, 2]);
        // In either order of the longer one.
        assert_eq!(dashes(&[low, up]), [0, 1]);
        assert_eq!(dashes(&[up, low]), [0, 1]);
        assert_eq!(dashes(&[across, &[]]), [0, 0]);
    }
}
