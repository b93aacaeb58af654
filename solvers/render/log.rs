//! A log as a picture: its times and remaps, and the accumulated costs of policies.

use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::heat::Heat;
use crate::plot::{AGAINST, Area, BAND, COLOURS, Canvas, DrawError, Picture, THRESHOLD};
use crate::replaying::contest::{Judged, RECORDED};
use plotters::prelude::*;
use remapping::record::Record;
use std::ops::Range;

/// The most points of a curve.
const POINTS: usize = 500;

/// Three parts: the largest and the mean time of each step; the times of all ranks as colors; and
/// the accumulated costs of some policies.
pub struct Log<'a> {
    times: Chart<'a>,
    heat: Heat,
    costs: Chart<'a>,
}

/// The picture of a log whose steps `steps` have been judged, with the cost curves of these
/// policies.
pub fn picture<'a>(
    title: &'a str,
    record: &Record,
    judged: &Judged,
    steps: Range<usize>,
    policies: &[&str],
) -> Log<'a> {
    let all = 0..record.steps();
    let most = |step: usize| record.imbalance(step) + record.mean(step);
    let times = [
        Series::line(BAND, thinned(all.clone(), most, f64::max)).named("slowest rank"),
        Series::line(THRESHOLD, thinned(all.clone(), |step| record.mean(step), f64::max))
            .named("mean"),
    ];
    let highest = all.clone().map(most).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let lowest = all.clone().map(|step| record.mean(step)).fold(highest, f64::min);
    let room = 0.15 * (highest - lowest).max(0.05 * highest);
    let recorded = record.remaps().iter().map(|remap| (remap.before as f64, lowest - 0.3 * room));
    let mut above: Vec<Series> = times.into();
    if !record.remaps().is_empty() {
        above.push(Series::crosses(BLACK, recorded).named("remaps recorded"));
    }
    let courses = judged.lines.iter().zip(&judged.courses);
    let mut wanted: Vec<&str> = policies.to_vec();
    wanted.push(RECORDED);
    let shown: Vec<_> =
        courses.filter(|(line, _)| wanted.contains(&line.policy.as_str())).collect();
    let mut below = Vec::new();
    let most = |is_shown: fn(&str) -> bool| {
        let costs = shown.iter().filter(|(line, _)| is_shown(&line.policy));
        costs.map(|(line, _)| line.cost).fold(f64::MIN_POSITIVE, f64::max)
    };
    // A curve of never remapping goes beyond the picture where it would flatten all others.
    let (dearest, others) = (most(|_| true), most(|name| name != "never"));
    let top = if others > f64::MIN_POSITIVE { dearest.min(1.5 * others) } else { dearest };
    for ((line, course), colour) in shown.iter().zip(COLOURS.into_iter().cycle()) {
        let sums = course.costs.iter().scan(0.0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        });
        let sums: Vec<f64> = sums.collect();
        let at = |step: usize| sums[step - steps.start];
        let mut points = thinned(steps.clone(), at, |_, last| last);
        points.retain(|(_, cost)| *cost <= 1.05 * top);
        below.push(Series::line(colour, points).named(line.policy.clone()));
        if line.policy != RECORDED && policies.first() == Some(&line.policy.as_str()) {
            let remaps = course.remaps.iter().map(|step| (*step as f64, highest + 0.3 * room));
            above.push(Series::dots(AGAINST, remaps).named(format!("remaps of {}", line.policy)));
        }
    }
    let end = record.steps() as f64;
    Log {
        heat: Heat::of(record),
        times: Chart {
            title,
            x: Axis::new("step", 0.0..end, 0),
            y: Axis::new("seconds", lowest - room..highest + room, 3),
            series: above,
        },
        costs: Chart {
            title: "",
            x: Axis::new("judged step", steps.start as f64..steps.end as f64, 0),
            y: Axis::new("max - mean and remaps, summed", 0.0..1.05 * top, 2),
            series: below,
        },
    }
}

/// At most [`POINTS`] values; those of steps in between are joined.
fn thinned(
    steps: Range<usize>,
    value: impl Fn(usize) -> f64,
    join: fn(f64, f64) -> f64,
) -> Vec<(f64, f64)> {
    let stride = steps.len().div_ceil(POINTS).max(1);
    let end = steps.end;
    let point = |first: usize| {
        let joined = (first..(first + stride).min(end)).map(&value).reduce(join);
        (first as f64, joined.unwrap_or(0.0))
    };
    steps.step_by(stride).map(point).collect()
}

impl Picture for Log<'_> {
    fn size(&self) -> (u32, u32) {
        (960, 1060)
    }

    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let (above, rest) = area.split_vertically(420);
        let (middle, below) = rest.split_vertically(260);
        self.times.draw(&above)?;
        self.heat.draw(&middle)?;
        self.costs.draw(&below)
    }
}
