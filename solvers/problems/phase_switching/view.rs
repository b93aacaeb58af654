//! Recurring phases: the summary, the row of a sweep, and the picture of both thresholds.

use super::answer::Answer;
use crate::complaint::Complaint;
use crate::document::{Bounds, Curve};
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, Format};
use crate::plot::{AGAINST, BAND, SIZE, THRESHOLD};
use crate::problems::claims::Claim;
use crate::problems::kind::{self, Headline};
use crate::problems::settings::Choice;
use crate::problems::shared::thresholds::Thresholds;
use crate::text::curve::{over_probability, points, window};
use crate::text::digits::{brief, compared_within, settled};
use crate::text::numbers::Numbers;
use crate::text::{Row, within};
use plotters::prelude::RGBColor;
use remapping::phase_switching::{exceeded, undercut};
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        Answer::fault(self)
    }

    fn headline(&self) -> Headline {
        Headline::Sentence(headline(self))
    }

    fn claims(&self) -> Vec<Claim> {
        Answer::claims(self)
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Exact => None,
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        if let Some([to_second, to_first]) = start(self) {
            let first = self.first_step.unwrap_or(0);
            let every = || "at every step".to_owned();
            let at = self.last_step.map_or_else(every, |_| format!("at step {first}"));
            match to_second {
                Bounds::NEVER => numbers.put(&format!("to the second mapping, {at}"), "never"),
                bounds => numbers.bounds(&format!("to the second mapping above p, {at}"), bounds),
            }
            match to_first {
                Bounds { upper: 0.0, .. } => {
                    numbers.put(&format!("back to the first, {at}"), "never");
                }
                bounds => numbers.bounds(&format!("back to the first below p, {at}"), bounds),
            }
        }
        if let Some(value) = self.value {
            numbers.bounds("expected time", value);
        }
        if let Some(average) = self.average {
            numbers.bounds("average time of a cycle, switches included", average);
        }
        if let Some(exact) = &self.exact {
            numbers.put("expected time, exactly", &exact.value);
        }
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        cells(self)
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self))
    }
}

const WIDTH: usize = 72;
const HEIGHT: usize = 16;

/// The thresholds of the first known step: to the second mapping, and back.
fn start(answer: &Answer) -> Option<[Bounds; 2]> {
    let at = |curve: &Curve, list: &Thresholds| match curve.first_step() {
        Some(first) => curve.at(first),
        None => Some(Bounds { lower: *list.lower.first()?, upper: *list.upper.first()? }),
    };
    let [up, down] = &answer.curves();
    Some([at(up, &answer.to_second)?, at(down, &answer.to_first)?])
}

/// The action at belief `p`: `2` switch to the second mapping, `1` to the first, `.` stay.
fn act(p: f64, [up, down]: [Bounds; 2]) -> char {
    match () {
        () if p > up.middle() => '2',
        () if p < down.middle() => '1',
        () => '.',
    }
}

/// The relative width from which on bounds are shown separately.
const WIDE: f64 = 1e-6;

/// The recommendation and its value.
fn headline(answer: &Answer) -> String {
    let Some([up, down]) = start(answer) else {
        return "Not solved: the thresholds of no step are known".to_owned();
    };
    let first = answer.first_step.unwrap_or(0);
    let when = answer.last_step.map_or(String::new(), |_| format!(" at step {first}"));
    let second = match up {
        Bounds::NEVER => "Never go to the second mapping".to_owned(),
        _ if exceeded(up) < 0.0 => {
            "Go to the second mapping whatever p, the probability of the second phase, is"
                .to_owned()
        }
        _ => {
            let threshold = settled(up);
            format!(
                "Go to the second mapping when p, the probability of the second phase, exceeds {threshold}"
            )
        }
    };
    let back = match down.upper {
        0.0 => "never go back".to_owned(),
        _ if undercut(down) > 1.0 => match up {
            Bounds::NEVER => "go back whatever the belief is".to_owned(),
            _ => "go back whatever it is".to_owned(),
        },
        _ => format!("go back when it is below {}", settled(down)),
    };
    let mut text = match (up, down.upper) {
        (Bounds::NEVER, 0.0) => format!("Never switch{when}"),
        _ => format!("{second}, {back}{when}"),
    };
    let (name, cost) = match answer.average {
        Some(average) => ("average time of a cycle", Some(average)),
        None => ("expected completion time", answer.value),
    };
    let never = answer.never.filter(|never| never.is_finite());
    match cost.filter(|cost| cost.middle().is_finite()) {
        // The bounds are so wide that switches may be worth nothing.
        Some(Bounds { lower, upper })
            if upper - lower > WIDE * upper.abs() && never.is_some_and(|never| upper >= never) =>
        {
            text += &format!(": the {name} is between {} and {}", brief(lower), brief(upper));
            text += ", so that it is not known whether switches pay";
        }
        Some(cost) => {
            text += &format!(": the {name} is {}", settled(cost));
            if let Some(how) = never.and_then(|never| compared_within(cost, never)) {
                text += &format!(", {how} without switches");
            }
        }
        None => {}
    }
    text
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    let legend = "2 go to the second mapping   1 go to the first   . stay";
    match answer.last_step {
        Some(_) => {
            let _ = writeln!(text, "  belief p in the second phase   ({legend})");
            text.push_str(&draw(&answer.curves()));
        }
        None => {
            if let Some(bounds) = start(answer) {
                let cell = |k: usize| act((k as f64 + 0.5) / WIDTH as f64, bounds);
                let line: String = (0..WIDTH).map(cell).collect();
                let _ =
                    writeln!(text, "  belief p in the second phase, at every step\n  ({legend})");
                let _ = writeln!(text, "0 |{line}| 1");
            }
        }
    }
    if let Some([up, down]) = start(answer) {
        let first = answer.first_step.unwrap_or(0);
        let when = answer.last_step.map_or(String::new(), |_| format!("at step {first}, "));
        let _ = match up {
            Bounds::NEVER => writeln!(text, "{when}never go to the second mapping"),
            _ if exceeded(up) < 0.0 => {
                writeln!(text, "{when}go to the second mapping, whatever p is")
            }
            _ => writeln!(text, "{when}go to the second mapping when p exceeds {}", within(up)),
        };
        let _ = match down.upper {
            0.0 => writeln!(text, "{when}never go back to the first"),
            _ if undercut(down) > 1.0 => {
                writeln!(text, "{when}go back to the first, whatever p is")
            }
            _ => writeln!(text, "{when}go back to the first when p is below {}", within(down)),
        };
    }
    if answer.last_step.is_some() && answer.value.is_none() {
        let before = answer.first_step.map(|first| format!("steps before {first}, "));
        let _ = writeln!(text, "not computed: {}the expected time", before.unwrap_or_default());
    }
    if let Some(value) = answer.value {
        let _ = writeln!(text, "expected completion time = {}", within(value));
    }
    if let Some(average) = answer.average {
        let shown = within(average);
        let _ = writeln!(text, "average time of a cycle, switches included = {shown}");
    }
    let _ = writeln!(text, "{} linear pieces at most", answer.segments);
    if let Some(exact) = &answer.exact {
        let _ = writeln!(text, "exactly: V = {}", crate::text::shorten(&exact.value));
        for (n, (up, down)) in exact.to_second.iter().zip(&exact.to_first).enumerate() {
            let up = match up.as_str() {
                "0" => "always to the second".to_owned(),
                "1" => "never to the second".to_owned(),
                above => format!("to the second above {}", crate::text::shorten(above)),
            };
            let down = match down.as_str() {
                "0" => "never to the first".to_owned(),
                "1" => "always to the first".to_owned(),
                below => format!("to the first below {}", crate::text::shorten(below)),
            };
            let _ = writeln!(text, "  step {n}: {up}, {down}");
        }
    }
}

/// The steps where either curve is worth drawing.
fn steps(curves: &[Curve; 2]) -> Option<(u64, u64)> {
    let (a, b) = (window(&curves[0])?, window(&curves[1])?);
    Some((a.0.min(b.0), a.1))
}

fn draw(curves: &[Curve; 2]) -> String {
    let Some(window) = steps(curves) else { return String::new() };
    over_probability(window, HEIGHT, |step, level| {
        let at = |curve: &Curve| curve.at(step).unwrap_or(Bounds::NEVER);
        act((level as f64 + 0.5) / HEIGHT as f64, [at(&curves[0]), at(&curves[1])])
    })
}

/// The row of a sweep's table.
fn cells(answer: &Answer) -> Row {
    let shown = |bounds: Option<Bounds>| {
        bounds.map_or(String::new(), |bounds| format!("{:.12}", bounds.middle()))
    };
    // The thresholds of a later step would look like those of step 0.
    let known = start(answer).filter(|_| answer.first_step.is_none());
    let [up, down] = known.map_or([None, None], |[up, down]| [Some(up), Some(down)]);
    let (name, cost) = match answer.average {
        Some(average) => ("average time", Some(average)),
        None => ("expected time", answer.value),
    };
    let cost = cost.map(|cost| format!("{:.9}", cost.middle()));
    vec![
        ("to second above".to_owned(), shown(up)),
        ("to first below".to_owned(), shown(down)),
        (name.to_owned(), cost.unwrap_or_default()),
    ]
}

/// Both curves, and the action on either side of them.
fn picture<'a>(title: &'a str, answer: &Answer) -> Chart<'a> {
    let curves = answer.curves();
    let endless = answer.last_step.is_none();
    let (first, last) = steps(&curves).filter(|_| !endless).unwrap_or((0, 1));
    let last = last.max(first + 1);
    let kinds = [
        (THRESHOLD, 1.0, "above: go to the second mapping"),
        (AGAINST, 0.0, "below: go back to the first"),
    ];
    let mut series = Vec::new();
    for (k, (colour, edge, name)) in kinds.into_iter().enumerate() {
        let line: Vec<(f64, f64)> = match start(answer) {
            Some(start) if endless => [first, last].map(|n| (n as f64, start[k].middle())).into(),
            _ => {
                let curve = &curves[k];
                let mut line = points(curve, SIZE.0 as usize);
                line.extend(curve.at(first).map(|bounds| (first, bounds.middle())));
                line.retain(|(n, _)| (first..=last).contains(n));
                line.sort_by_key(|(n, _)| *n);
                line.into_iter().map(|(n, p)| (n as f64, p)).collect()
            }
        };
        let (Some(left), Some(right)) = (line.first(), line.last()) else { continue };
        let corners = [(right.0, edge), (left.0, edge)];
        let fill = if k == 0 { BAND } else { RGBColor(240, 205, 180) };
        series.push(Series::area(fill, 0.5, line.iter().copied().chain(corners)));
        series.push(Series::line(colour, line).named(name));
    }
    let name = if endless { "at every step" } else { "decision step n" };
    let mut x = Axis::new(name, first as f64..last as f64, 0);
    x.digits = x.digits.filter(|_| !endless);
    let y = Axis::new("belief p in the second phase", 0.0..1.0, 1);
    Chart { title, x, y, series }
}
