//! Policies side by side on the judged steps: what each pays, and how surely that differs.

use super::{Contestant, Ground, IN_USE, OURS, Outset};
use crate::complaint::Complaint;
use crate::fitting::short;
use remapping::estimate::Estimate;
use remapping::parallel;
use remapping::replay::{
    Course, NameError, Player, cheapest, difference, difference_of_last, hindsight, play, recorded,
};
use remapping::simulate::Base;
use remapping::{Halt, Observer};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// The name of the adaptive rule.
pub const ADAPTIVE: &str = "advised";

/// The name of the row of the run itself.
pub const RECORDED: &str = "recorded";

/// A share of wall time with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percent {
    /// The share.
    pub percent: f64,
    /// The ends of the interval.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl Percent {
    /// What `found` is of the `time` of a run that costs less by this: no policy saves more than
    /// all of it.
    fn of(found: Estimate, time: f64) -> Percent {
        // Nothing is 0, be it that rounding has left something.
        let share = |value: f64| match 100.0 * value / time {
            share if share.is_nan() || share.abs() < 1e-9 => 0.0,
            share => share,
        };
        Percent {
            percent: share(found.value),
            lower: share(found.lower),
            upper: share(found.upper).min(100.0),
        }
    }

    /// What `course` costs less than `run`, of the time of `run`.
    pub fn saved_of(run: &Course, course: &Course, seed: u64) -> Percent {
        Percent::of(difference(run, course, seed), run.tally.time)
    }

    /// The same on the last steps of longer courses.
    pub(super) fn saved_of_last(of: [&Course; 2], whole: [&Course; 2], seed: u64) -> Percent {
        let [run, course] = of;
        Percent::of(difference_of_last(run, course, whole, seed), run.tally.time)
    }

    /// The same seen from the other side.
    pub fn negated(self) -> Percent {
        Percent { percent: 0.0 - self.percent, lower: 0.0 - self.upper, upper: 0.0 - self.lower }
    }

    /// `1.2 (.8 to 1.6)`.
    fn shown(self) -> String {
        format!("{:.2} ({:.2} to {:.2})", self.percent, self.lower, self.upper)
    }
}

/// Fewer remaps than this say little of how far costs vary between stretches without remaps.
const FEW: u64 = 4;

/// Whether these remaps are too few for an interval of 95 %.
pub fn is_few(remaps: u64) -> bool {
    remaps < FEW
}

/// What a policy came to on the judged steps.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// Its name.
    pub policy: String,
    /// Sum of max - mean over the judged steps, and the remaps.
    pub cost: f64,
    /// The excess over the perfect-information optimum from the same start; `None` where that is
    /// unknown.
    pub regret: Option<f64>,
    /// Number of remaps.
    pub remaps: u64,
    /// Whether its intervals are of so few stretches between remaps that they may be too narrow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub few_remaps: bool,
    /// Sum of the steps' maxima, and the remaps.
    pub time: f64,
    /// Work over time.
    pub utilization: f64,
    /// The cost in percent of the wall time.
    pub percent_of_time: f64,
    /// What it costs more than the cheapest of these policies, in percent of that one's wall time.
    pub against_best: Percent,
    /// What it costs more than the run as it was, in percent of the run's wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_recorded: Option<Percent>,
    /// Whether codes use it today.
    pub in_use: bool,
    /// What came out of its training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What `solved` was chosen from, the best first: costs on the later training steps as
    /// multiples of the perfect-information optimum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub training: Vec<(String, f64)>,
}

/// All of them.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The policies in the order asked for, then the run as it was, where the log has its remaps.
    pub lines: Vec<Line>,
    /// Their courses, in the same order.
    pub courses: Vec<Course>,
    /// The least cost of any sequence of remaps from the common start; `None` where the log is too
    /// long for it.
    pub clairvoyant: Option<f64>,
    /// The same from where the run stood, where that is another start.
    pub clairvoyant_actual: Option<f64>,
    /// The best of all published rules, whether shown or not.
    pub best_in_use: (String, f64),
}

impl Judged {
    /// The line of a policy.
    pub fn line(&self, policy: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.policy == policy)
    }

    /// The course of a line.
    pub fn course(&self, line: &Line) -> &Course {
        let same = |known: &Line| known.policy == line.policy;
        &self.courses[self.lines.iter().position(same).unwrap_or(0)]
    }

    /// Whether the run as it was has few remaps: all are compared with it.
    fn is_beside_few(&self) -> bool {
        self.line(RECORDED).is_some_and(|line| is_few(line.remaps))
    }

    /// Whether the interval of a line is of few stretches between remaps, its own or those of the
    /// run as it was.
    pub fn is_marked(&self, line: &Line) -> bool {
        line.policy != RECORDED && (is_few(line.remaps) || self.is_beside_few())
    }

    /// What is said of the lines that are marked, if there are any.
    pub fn footnote(&self) -> Option<String> {
        let narrow = "may be too narrow, and hold less often than 95 times in 100";
        if !self.lines.iter().any(|line| self.is_marked(line)) {
            return None;
        }
        Some(match self.is_beside_few() {
            true => format!(
                "the recorded run, with which they are compared, has fewer than {FEW} remaps here: intervals {narrow}"
            ),
            false => format!("with fewer than {FEW} remaps: such intervals {narrow}"),
        })
    }
}

/// A part of the judged steps, and the policies as trained before it.
pub struct Part<'a> {
    /// What they were trained on.
    pub ground: Ground<'a>,
    /// The policies, in the same order in all parts.
    pub contestants: Vec<Contestant>,
    /// The steps.
    pub steps: Range<usize>,
}

/// What policies have paid on the same steps.
pub struct Standing {
    /// The courses of the policies, in their order.
    pub courses: Vec<Course>,
    /// The run as it was.
    pub run: Option<Course>,
    /// The perfect-information optimum, where it is known.
    pub clairvoyant: Option<f64>,
    /// The same from where the run stood, where that is another start.
    pub clairvoyant_actual: Option<f64>,
    /// Costs of the published rules.
    pub in_use: Vec<f64>,
}

impl Part<'_> {
    fn play(&self, contestant: &Contestant) -> Course {
        let ground = &self.ground;
        let mut run = ground.run(contestant, self.steps.len() as u64);
        play(ground.record, self.steps.clone(), ground.base(), ground.price(), &mut run)
    }

    fn standing(&self, known: bool, observer: &dyn Observer) -> Result<Standing, Halt> {
        let ground = &self.ground;
        let one = |contestant: &Contestant| match observer.check() {
            std::ops::ControlFlow::Break(halt) => Err(halt),
            std::ops::ControlFlow::Continue(()) => Ok(self.play(contestant)),
        };
        let courses = parallel::map_all(&self.contestants, &one);
        let courses: Vec<Course> = courses.into_iter().collect::<Result<_, _>>()?;
        let base = ground.base();
        let actual = Ground { from: Outset::Actual, ..ground.clone() }.base();
        let steps = || self.steps.clone();
        let least = |base: Base| hindsight(ground.record, steps(), base, ground.price(), observer);
        let clairvoyant = Some(least(base)?);
        let clairvoyant_actual = if known && actual != base { Some(least(actual)?) } else { None };
        let run = known.then(|| recorded(ground.record, steps(), ground.remap_cost));
        let cost = |name: &&str| match self.contestants.iter().position(|one| one.name == **name) {
            Some(place) => courses[place].tally.value,
            None => match ground.contestant(name, None, &mut Vec::new()) {
                Ok(contestant) => self.play(&contestant).tally.value,
                Err(_) => f64::INFINITY,
            },
        };
        let in_use = parallel::map_all(&IN_USE, &cost);
        Ok(Standing { courses, run, clairvoyant, clairvoyant_actual, in_use })
    }
}

impl Standing {
    /// Takes in the part that follows.
    fn extend(&mut self, next: Standing) {
        for (course, more) in self.courses.iter_mut().zip(next.courses) {
            course.extend(more);
        }
        if let (Some(run), Some(more)) = (&mut self.run, next.run) {
            run.extend(more);
        }
        let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        self.clairvoyant_actual = match (self.clairvoyant_actual, next.clairvoyant_actual) {
            (None, None) => None,
            (here, there) => sum(here.or(self.clairvoyant), there.or(next.clairvoyant)),
        };
        self.clairvoyant = sum(self.clairvoyant, next.clairvoyant);
        for (cost, more) in self.in_use.iter_mut().zip(next.in_use) {
            *cost += more;
        }
    }
}

/// Evaluates the contestants, and all published rules, on the judged steps, part by part. `known`:
/// whether the log says when the run was remapped.
pub fn judge(parts: &[Part<'_>], known: bool, observer: &dyn Observer) -> Result<Judged, Halt> {
    let last = parts.last().expect("some steps are judged");
    let mut all = parts[0].standing(known, observer)?;
    for part in &parts[1..] {
        all.extend(part.standing(known, observer)?);
    }
    Ok(compared(&last.contestants, all, last.ground.seed))
}

/// The results of the policies, compared; `seed` is that of the intervals.
pub fn compared(contestants: &[Contestant], found: Standing, seed: u64) -> Judged {
    let Standing { mut courses, run, clairvoyant, clairvoyant_actual, in_use } = found;
    let best_in_use = cheapest(in_use.iter().copied()).map(|place| (IN_USE[place], in_use[place]));
    let best_in_use =
        best_in_use.map_or((String::new(), f64::NAN), |(name, cost)| (name.to_owned(), cost));
    let best = cheapest(courses.iter().map(|course| course.tally.value));
    let best = best.map(|place| courses[place].clone());
    courses.extend(run.clone());
    let line = |(place, course): (usize, &Course)| {
        let tally = course.tally;
        let least = match contestants.get(place) {
            Some(_) => clairvoyant,
            None => clairvoyant_actual.or(clairvoyant),
        };
        let against = |other: &Course| Percent::saved_of(other, course, seed).negated();
        let contestant = contestants.get(place);
        // Sums in another order differ in their last digits.
        let regret = |least: f64| match tally.value - least {
            regret if regret > 1e-12 * tally.value => regret,
            _ => 0.0,
        };
        Line {
            policy: contestant.map_or(RECORDED, |contestant| &contestant.name).to_owned(),
            cost: tally.value,
            regret: least.map(regret),
            remaps: tally.remaps,
            few_remaps: is_few(tally.remaps),
            time: tally.time,
            utilization: tally.utilization(),
            percent_of_time: 100.0 * (1.0 - tally.utilization()),
            against_best: against(best.as_ref().unwrap_or(course)),
            against_recorded: run.as_ref().map(against),
            in_use: contestant.is_some_and(|known| IN_USE.contains(&known.name.as_str())),
            note: contestant.and_then(|contestant| contestant.note.clone()),
            training: contestant.map_or_else(Vec::new, |contestant| contestant.trials.clone()),
        }
    };
    let lines = courses.iter().enumerate().map(line).collect();
    Judged { lines, courses, clairvoyant, clairvoyant_actual, best_in_use }
}

/// The contestants of these names.
pub fn contestants(
    ground: &Ground<'_>,
    names: &[String],
    solution: Option<&Player>,
    curve: &mut Vec<(u64, f64)>,
) -> Result<Vec<Contestant>, Complaint> {
    let known = || format!("known are {}, and {}", OURS.join(", "), IN_USE.join(", "));
    let explained = |error: NameError| {
        let help = match error {
            NameError::NoSolution => "add --solution SOLUTION.json".to_owned(),
            _ => known(),
        };
        Complaint::elsewhere(error.to_string(), help)
    };
    let one = |name: &String| ground.contestant(name, solution, curve).map_err(explained);
    names.iter().map(one).collect()
}

/// The table for people; the row of the rule that is advised is marked.
pub fn table(judged: &Judged, advised: Option<&str>) -> String {
    let lines = &judged.lines;
    let widest = lines.iter().map(|line| line.policy.len()).max().unwrap_or(0).max(13);
    let known = lines.iter().any(|line| line.against_recorded.is_some());
    let against =
        if known { "more than recorded, % of time" } else { "more than the best, % of time" };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<widest$} {:>12} {:>24}{:>8}{:>13}  {against} (95 %)",
        "policy", "seconds lost", "above the best possible", "remaps", "utilization"
    );
    for line in lines {
        let more = line.against_recorded.unwrap_or(line.against_best);
        let mark = if judged.is_marked(line) { " *" } else { "" };
        let more = match line.policy == RECORDED {
            true => String::new(),
            false => format!("{}{mark}", more.shown()),
        };
        let here = advised.filter(|name| *name == line.policy).map(|_| "this rule");
        let note =
            here.or(line.note.as_deref()).map_or_else(String::new, |note| format!("  {note}"));
        let row = format!(
            "{:<widest$} {:>12} {:>24}{:>8}{:>13.5}  {more:<24}{note}",
            line.policy,
            short(line.cost),
            line.regret.map_or_else(|| "-".to_owned(), short),
            line.remaps,
            line.utilization
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if let Some(footnote) = judged.footnote() {
        let _ = writeln!(text, "* {footnote}");
    }
    let (least, known) = match judged.clairvoyant {
        Some(least) => (short(least), "knowing the steps in advance"),
        None => ("-".to_owned(), "not known of a log this long"),
    };
    let _ = writeln!(text, "{:<widest$} {least:>12}  {known}", "best possible");
    if let Some(least) = judged.clairvoyant_actual.map(short) {
        let _ = writeln!(
            text,
            "{:<widest$} {least:>12}  the same from where the run stood, as `recorded`",
            ""
        );
    }
    text
}
