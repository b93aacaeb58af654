//! Pictures of solutions, as SVG in the colours of the page.

use crate::complaint::Complaint;
use crate::solution::map::Map;
use crate::solution::rule::{self, Rule};
use crate::solution::stopping::Spread;
use crate::solution::{Body, Solution, periodic};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Size of a picture, and the room for its axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 44.0;
const MARGIN: f64 = 14.0;

/// Points of a curve that are drawn.
const POINTS: usize = 600;

/// The picture of a solution.
pub(super) fn draw(solution: &Solution) -> Result<String, Complaint> {
    let own = "this problem has a picture of its own";
    let n0 = match &solution.body {
        Body::Periodic(answer) => return Ok(deviation(answer)),
        Body::Stopping(answer) if answer.decision.is_none() => {
            return Ok(spreads(&answer.spreads()));
        }
        Body::Fluids(_) | Body::LandBattle(_) => {
            return Ok(nothing(&format!("{own}: remap compare --plot")));
        }
        Body::PhaseSwitching(_) => return Ok(nothing(&format!("{own}: remap solve --plot"))),
        Body::PhaseChange(answer) => answer.n0,
        _ => 0,
    };
    let stated = rule::of(solution, &solution.title, Path::new("absent"))?;
    Ok(match (stated.rule, &solution.body) {
        (Rule::Belief(belief), _) => thresholds(&belief, n0),
        (Rule::Map(map), _) if map.processes() == 2 => cells(&map),
        (Rule::Map(_), Body::Stopping(answer)) => spreads(&answer.spreads()),
        (Rule::Map(_), _) => nothing("a map of drifting loads has no picture"),
        (Rule::Imbalance(imbalance), _) => steps(&imbalance),
        (Rule::Interval(_), _) => nothing("an interval"),
    })
}

/// Scales of a chart.
struct Chart {
    text: String,
    x: (f64, f64),
    y: (f64, f64),
}

impl Chart {
    fn new(label: &str, x: (f64, f64), y: (f64, f64), names: (&str, &str)) -> Chart {
        let label = super::page::escaped(label);
        let text = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">\n\
             <title>{label}</title>\n"
        );
        let wide = |(a, b): (f64, f64)| if b > a { (a, b) } else { (a, a + 1.0) };
        let mut chart = Chart { text, x: wide(x), y: wide(y) };
        chart.axes(names);
        chart
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |value: f64, (a, b): (f64, f64)| (value - a) / (b - a);
        (
            LEFT + share(x, self.x) * (WIDTH - LEFT - MARGIN),
            HEIGHT - BOTTOM - share(y, self.y) * (HEIGHT - BOTTOM - MARGIN),
        )
    }

    fn axes(&mut self, (x_name, y_name): (&str, &str)) {
        let (right, top, low) = (WIDTH - MARGIN, MARGIN, HEIGHT - BOTTOM);
        let mut text = format!("<path class=\"axis\" d=\"M{LEFT} {top}V{low}H{right}\"/>\n");
        for tick in ticks(self.x) {
            let (x, _) = self.at(tick, self.y.0);
            let _ = writeln!(
                text,
                "<path class=\"tick\" d=\"M{x:.1} {low}v5\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                low + 18.0,
                number(tick)
            );
        }
        for tick in ticks(self.y) {
            let (_, y) = self.at(self.x.0, tick);
            let _ = writeln!(
                text,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                LEFT - 7.0,
                y + 4.0,
                number(tick)
            );
        }
        let middle = (LEFT + right) / 2.0;
        let centre = (top + low) / 2.0;
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{x_name}</text>\n\
             <text transform=\"translate(14 {centre}) rotate(-90)\" text-anchor=\"middle\">{y_name}</text>",
            HEIGHT - 7.0
        );
        self.text += &text;
    }

    fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut path = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let (x, y) = self.at(*x, *y);
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
        let _ = writeln!(self.text, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    fn word(&mut self, x: f64, y: f64, text: &str) {
        let (x, y) = self.at(x, y);
        let _ = writeln!(self.text, "<text x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    fn end(self) -> String {
        self.text + "</svg>\n"
    }
}

/// About five round numbers of a range.
fn ticks((a, b): (f64, f64)) -> Vec<f64> {
    let raw = (b - a) / 5.0;
    let power = 10_f64.powf(raw.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= raw * 0.999);
    let step = step.unwrap_or(power);
    let first = (a / step).ceil() as i64;
    (first..).map(|k| k as f64 * step).take_while(|tick| *tick <= b + step * 1e-9).collect()
}

fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        format!("{value:e}")
    } else {
        crate::fitting::short(value)
    }
}

fn nothing(why: &str) -> String {
    format!("<p>{why}</p>\n")
}

fn thresholds(belief: &rule::Belief, n0: u64) -> String {
    let last = belief.last;
    let stride = (last / POINTS as u64).max(1);
    let points: Vec<(f64, f64)> = (0..=last)
        .step_by(stride as usize)
        .chain([last])
        .map(|n| (n as f64, belief.threshold(n)))
        .collect();
    let label = format!("Threshold on the probability of a change, steps 0 to {last}");
    let mut chart = Chart::new(&label, (0.0, last as f64), (0.0, 1.0), ("step n", "threshold"));
    let mut area = vec![(0.0, 1.0)];
    area.extend(&points);
    area.push((last as f64, 1.0));
    chart.line("remaps", &area);
    chart.line("curve", &points);
    chart.word(0.02 * last as f64, 0.93, "above the curve: remap");
    if n0 <= last {
        chart.line("mark", &[(n0 as f64, 0.0), (n0 as f64, 1.0)]);
    }
    chart.end()
}

/// Two processes: a square for each pair of loads.
fn cells(map: &Map) -> String {
    let (rows, columns) = (map.levels[0], map.levels[1]);
    let label = format!("Decision for each pair of loads, {rows} by {columns}");
    let low = (map.lowest[0] as f64, map.lowest[1] as f64);
    let mut chart = Chart::new(
        &label,
        (low.1 - 0.5, low.1 + columns as f64 - 0.5),
        (low.0 - 0.5, low.0 + rows as f64 - 0.5),
        ("load of process 2", "load of process 1"),
    );
    let mut squares = BTreeMap::<u8, String>::new();
    for (place, letter) in map.letters.iter().enumerate() {
        let (loads, _) = map.entry(place);
        let (x, y) = (loads[1] as f64, loads[0] as f64);
        let ((x0, y0), (x1, y1)) = (chart.at(x - 0.48, y + 0.48), chart.at(x + 0.48, y - 0.48));
        let _ = write!(
            squares.entry(*letter).or_default(),
            "M{x0:.1} {y0:.1}H{x1:.1}V{y1:.1}H{x0:.1}z"
        );
    }
    for (letter, path) in squares {
        let class = class(letter);
        let _ = writeln!(chart.text, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    chart.end()
}

fn class(letter: u8) -> &'static str {
    match letter {
        b'R' => "cell remap",
        b'B' => "cell balanced",
        _ => "cell continue",
    }
}

/// More processes: how many of the load vectors with a mean and a spread remap.
fn spreads(table: &[Spread]) -> String {
    let ends = |values: &mut dyn Iterator<Item = i64>| {
        values.fold((i64::MAX, i64::MIN), |(l, h), x| (l.min(x), h.max(x)))
    };
    let means = ends(&mut table.iter().map(|row| row.mean));
    let spreads = ends(&mut table.iter().map(|row| row.spread));
    let range = |(a, b): (i64, i64)| (a as f64 - 0.5, b as f64 + 0.5);
    let label = "Share of the load vectors that remap, by mean and spread";
    let names = ("mean load, rounded down", "largest less smallest load");
    let mut chart = Chart::new(label, range(means), range(spreads), names);
    for &Spread { mean, spread, remap: share, balanced } in table {
        let (x, y) = (mean as f64, spread as f64);
        let ((x0, y0), (x1, y1)) = (chart.at(x - 0.48, y + 0.48), chart.at(x + 0.48, y - 0.48));
        let below = class(if balanced { b'B' } else { b'C' });
        let _ = writeln!(
            chart.text,
            "<rect class=\"{below}\" x=\"{x0:.1}\" y=\"{y0:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <rect class=\"cell remap\" fill-opacity=\"{share:.3}\" x=\"{x0:.1}\" y=\"{y0:.1}\" \
             width=\"{:.1}\" height=\"{:.1}\"><title>mean {mean}, spread {spread}: {:.0} % remap</title></rect>",
            x1 - x0,
            y1 - y0,
            x1 - x0,
            y1 - y0,
            100.0 * share
        );
    }
    chart.end()
}

/// Thresholds that rise towards the end of the run.
fn steps(imbalance: &rule::Imbalance) -> String {
    let last = imbalance.steps as f64;
    let most = imbalance.thresholds.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut points = Vec::new();
    for (i, (from, value)) in imbalance.thresholds.iter().enumerate() {
        let until = imbalance.thresholds.get(i + 1).map_or(imbalance.steps, |next| next.0);
        points.extend([(*from as f64, *value), (until as f64, *value)]);
    }
    let names = ("step", "threshold on max - mean");
    let label = format!("Threshold on max - mean over {last} steps");
    let top = if most > 0.0 { 1.15 * most } else { 1.0 };
    let mut chart = Chart::new(&label, (1.0, last), (0.0, top), names);
    let mut area = vec![(1.0, top)];
    area.extend(&points);
    area.push((last, top));
    chart.line("remaps", &area);
    chart.line("curve", &points);
    chart.word(0.03 * last, 0.93 * top, "above the curve: remap");
    chart.end()
}

/// The imbalance that builds up, the bound, and the intervals.
fn deviation(answer: &periodic::Answer) -> String {
    let points: Vec<(f64, f64)> =
        answer.deviation.iter().enumerate().map(|(t, d)| (t as f64, *d)).collect();
    let bound = answer.bound;
    let last = points.last().map_or(1.0, |(t, _)| *t).max(1.0);
    let top = 1.1 * points.iter().map(|(_, d)| *d).fold(bound, f64::max);
    let names = ("steps since the last remap", "imbalance, relative to the mean");
    let mut chart = Chart::new("Expected imbalance after a remap", (0.0, last), (0.0, top), names);
    chart.line("curve", &points);
    chart.line("mark", &[(0.0, bound), (last, bound)]);
    chart.word(0.01 * last, bound + 0.015 * top, "bound");
    let cost = answer.cost_aware.as_ref().and_then(|cost| cost.interval);
    let ends = [(answer.interval, "within the bound"), (cost, "least cost")];
    for (height, (interval, what)) in (1..).zip(ends) {
        if let Some(interval) = interval.map(|n| n as f64).filter(|interval| *interval <= last) {
            chart.line("mark", &[(interval, 0.0), (interval, top)]);
            // On the side with more room, one above the other.
            let side = if interval > last / 2.0 { -0.17 * last } else { 0.01 * last };
            chart.word(interval + side, 0.06 * f64::from(height) * top, what);
        }
    }
    chart.end()
}
