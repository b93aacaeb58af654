//! `remap study`: a table or figure of a paper, recomputed.

use super::{Exit, ended, report};
use crate::cli::Study as Arguments;
use crate::complaint::Complaint;
use crate::model::phase_change::MAX_PER_STEP;
use crate::model::study::{Series, Study};
use crate::model::{Loaded, Problem};
use crate::output::{check_free, print, write_file};
use crate::plot::chart::Chart;
use crate::plot::{Format, picture};
use crate::problems::phase_change::evaluation::{Rule, expected};
use crate::render::digits::proved;
use crate::run::Watch;
use crate::solution::to_json;
use remapping::threshold::evaluation::EvaluationError;
use remapping::threshold::{self, Accuracy, Bounds, Hazard, PhaseChange, Premature, Solution};
use remapping::{Rational, Status};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is printed.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    source: Option<&'a str>,
    /// How far a printed number may be off, by the paper's account.
    printed_within: f64,
    series: Vec<Computed>,
    /// How many numbers the paper prints, and how many of them agree.
    printed: usize,
    agree: usize,
    status: Status,
    version: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Computed {
    name: String,
    quantity: &'static str,
    points: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    at: f64,
    lower: f64,
    upper: f64,
    printed: Option<f64>,
    agrees: Option<bool>,
}

/// Accuracy of thresholds.
const TOLERANCE: f64 = 1e-9;

/// How exactly costs are wanted, as a share of the possible gain; reports, in reports; and probabilities.
const KEPT: f64 = 2e-4;
const REPORTS: f64 = 1e-4;
const PROBABILITY: f64 = 2e-5;

pub(super) fn run(arguments: &Arguments) -> Exit {
    if let Some(Err(complaint)) = arguments.plot.as_deref().map(Format::of) {
        report(&[complaint]);
        return Exit::Usage;
    }
    ended(study(arguments))
}

fn study(arguments: &Arguments) -> Result<Exit, Vec<Complaint>> {
    let one = |complaint| vec![complaint];
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force).map_err(one)?;
    }
    let study = Study::read(&arguments.study)?;
    let watch = Watch::start(&study.title, arguments.time_limit);
    let mut desk = Desk { watch: &watch, solved: HashMap::new() };
    let mut status = Status::Converged;
    let mut series = Vec::new();
    for asked in &study.series {
        let mut points = Vec::new();
        let ended = desk.compute(asked, |at, bounds, printed: Option<f64>| {
            let within = study.printed_within;
            let agrees = printed
                .map(|value| bounds.lower - within <= value && value <= bounds.upper + within);
            points.push(Found { at, lower: bounds.lower, upper: bounds.upper, printed, agrees });
        });
        series.push(Computed { name: asked.name().to_owned(), quantity: quantity(asked), points });
        match ended {
            Ok(()) => {}
            Err(Stop::Evaluation(EvaluationError::Stopped(halt))) => {
                status = halt.into();
                break;
            }
            Err(Stop::Evaluation(error)) => {
                let help = "the models of a study are changes of phase with constant hazards";
                return Err(vec![Complaint::elsewhere(error.to_string(), help)]);
            }
            Err(Stop::Model(complaints)) => return Err(complaints),
        }
    }
    let all = || series.iter().flat_map(|series: &Computed| &series.points);
    let document = Document {
        title: &study.title,
        source: study.source.as_deref(),
        printed_within: study.printed_within,
        printed: all().filter(|point| point.printed.is_some()).count(),
        agree: all().filter(|point| point.agrees == Some(true)).count(),
        series,
        status,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
    };
    print(&if arguments.json { to_json(&document) } else { table(&study, &document) });
    if let Some(plot) = &arguments.plot {
        let bytes = Format::of(plot).and_then(|format| picture(format, &drawn(&study, &document)));
        bytes.and_then(|bytes| write_file(plot, &bytes, arguments.force)).map_err(one)?;
    }
    Ok(status.into())
}

fn quantity(series: &Series) -> &'static str {
    match series {
        Series::Kept { .. } => "gain kept by the heuristic, %",
        Series::Misjudged { .. } => "gain kept by the heuristic that misjudges it, %",
        Series::Saved { .. } => "time saved by the optimal policy, %",
        Series::Thresholds { .. } => "optimal threshold",
        Series::Response { .. } => "reports after a change",
        Series::Premature { .. } => "probability of a premature remapping",
    }
}

/// Why a series ends early.
enum Stop {
    Model(Vec<Complaint>),
    Evaluation(EvaluationError),
}

impl From<EvaluationError> for Stop {
    fn from(error: EvaluationError) -> Stop {
        Stop::Evaluation(error)
    }
}

/// A problem with its solution and what never remapping costs.
struct Solved {
    problem: PhaseChange,
    solution: Solution,
    optimum: Bounds,
    never: Bounds,
}

/// Computes, and remembers the models it has solved.
struct Desk<'a> {
    watch: &'a Watch,
    solved: HashMap<PathBuf, Solved>,
}

impl Desk<'_> {
    /// Computes a series point by point.
    fn compute(
        &mut self,
        series: &Series,
        mut found: impl FnMut(f64, Bounds, Option<f64>),
    ) -> Result<(), Stop> {
        let watch = self.watch;
        match series {
            Series::Kept { points, .. } => {
                for point in points {
                    found(point.at, kept(self.solved(&point.model)?, 1.0, watch)?, point.printed);
                }
            }
            Series::Saved { points, .. } => {
                for point in points {
                    let Solved { optimum, never, .. } = self.solved(&point.model)?;
                    let saved = Bounds {
                        lower: never.lower - optimum.upper,
                        upper: never.upper - optimum.lower,
                    };
                    found(point.at, saved.percent_of(*never), point.printed);
                }
            }
            Series::Misjudged { model, points, .. } => {
                for point in points {
                    found(point.at, kept(self.solved(model)?, point.at, watch)?, point.printed);
                }
            }
            Series::Thresholds { model, .. } => {
                let Solved { problem, solution, .. } = self.solved(model)?;
                for n in 0..=problem.last_step() {
                    let bounds = solution.curve.at(n).expect("finished");
                    found(n as f64, Bounds::from((bounds.lower, bounds.upper)), None);
                }
            }
            Series::Response { model, points, .. } => {
                let problem = problem(model)?;
                for point in points {
                    found(point.at, response(&problem, point.at, watch)?, point.printed);
                }
            }
            Series::Premature { model, points, .. } => {
                let problem = problem(model)?;
                for point in points {
                    found(point.at, premature(&problem, point.at, watch)?, point.printed);
                }
            }
        }
        Ok(())
    }

    fn solved(&mut self, path: &Path) -> Result<&Solved, Stop> {
        if !self.solved.contains_key(path) {
            let problem = problem(path)?;
            let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
            let solution = threshold::solve(&problem, accuracy, self.watch)
                .map_err(EvaluationError::Problem)?;
            let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) else {
                let halt = match solution.status {
                    Status::Interrupted => remapping::Halt::Interrupted,
                    _ => remapping::Halt::TimeLimit,
                };
                return Err(Stop::Evaluation(EvaluationError::Stopped(halt)));
            };
            let never = Rule::Never.cost(&problem, &solution, None, self.watch)?;
            let solved = Solved { problem, solution, optimum: optimum.into(), never };
            self.solved.insert(path.to_owned(), solved);
        }
        Ok(&self.solved[path])
    }
}

fn problem(path: &Path) -> Result<PhaseChange, Stop> {
    let loaded = Loaded::read(path).map_err(Stop::Model)?;
    let refuse = |message: &str, help: &str| {
        Err(Stop::Model(vec![loaded.complain("problem", message, "", help)]))
    };
    match &loaded.model.problem {
        Problem::PhaseChange(model) => {
            let problem = model.problem();
            match problem.last_step() {
                last if last <= MAX_PER_STEP => Ok(problem),
                _ => refuse("the horizon is too long to evaluate policies", "take a smaller M"),
            }
        }
        _ => refuse("studies are made of changes of phase", "give a PhaseChange model"),
    }
}

/// The share of the possible gain the heuristic keeps, if it misjudges the gain by `factor`.
fn kept(solved: &Solved, factor: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let Solved { problem, solution, optimum, never } = solved;
    let possible =
        Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
    let aim = (possible.lower > 0.0).then_some(KEPT * possible.lower);
    let cost = Rule::Heuristic1986(factor).cost(problem, solution, aim, watch)?;
    let gained = Bounds { lower: never.lower - cost.upper, upper: never.upper - cost.lower };
    Ok(gained.percent_of(possible))
}

/// The problem with nothing to pay, and one remapping that stays: what is left is when its threshold is
/// passed.
fn watching(problem: &PhaseChange) -> PhaseChange {
    PhaseChange {
        before: Rational::ZERO,
        after: Rational::ZERO,
        remapped: Rational::ZERO,
        test: Rational::ZERO,
        install: Rational::ZERO,
        premature: Premature::Keep { before_remapped: Rational::ZERO },
        ..problem.clone()
    }
}

/// Fig. 4 of 1990: the change comes at once, and every cycle after it costs 1.
fn response(problem: &PhaseChange, tau: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let (last, watching) = (problem.last_step() as usize, watching(problem));
    let mut hazard = vec![Rational::ZERO; last];
    if let Some(first) = hazard.first_mut() {
        *first = Rational::ONE;
    }
    let truth =
        PhaseChange { hazard: Hazard::PerStep(hazard), after: Rational::ONE, ..watching.clone() };
    let Bounds { lower, upper } =
        expected(&truth, &watching, &vec![tau; last + 1], Some(REPORTS), watch)?;
    // The first report comes with the first cycle after the change.
    Ok(Bounds { lower: lower + 1.0, upper: upper + 1.0 })
}

/// Fig. 5 of 1990: no change comes; the one remapping costs 1.
fn premature(problem: &PhaseChange, tau: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let watching = watching(problem);
    let truth = PhaseChange {
        hazard: Hazard::Constant(Rational::ZERO),
        test: Rational::ONE,
        ..watching.clone()
    };
    let thresholds = vec![tau; problem.last_step() as usize + 1];
    let found = expected(&truth, &watching, &thresholds, Some(PROBABILITY), watch)?;
    Ok(Bounds { lower: found.lower.max(0.0), upper: found.upper.min(1.0) })
}

/// Longer series are shown in part.
const SHOWN: usize = 40;

fn table(study: &Study, document: &Document<'_>) -> String {
    let mut text = format!("{}\n", study.title);
    if let Some(source) = &study.source {
        let _ = writeln!(text, "{source}");
    }
    for series in &document.series {
        let _ = writeln!(text, "{}: {}", series.name, series.quantity);
        let _ = writeln!(text, "{:>10}{:>30}{:>10}  agrees", "at", "computed (proved)", "printed");
        let count = series.points.len();
        let stride = count.div_ceil(SHOWN).max(1);
        let near_end = |k: usize| count > SHOWN && k + SHOWN / 2 >= count;
        for (k, point) in series.points.iter().enumerate() {
            if k % stride != 0 && !near_end(k) {
                continue;
            }
            let bounds = Bounds { lower: point.lower, upper: point.upper };
            let computed = proved(bounds).joined("±");
            let printed = point.printed.map_or(String::new(), |printed| printed.to_string());
            let agrees = match point.agrees {
                None => "",
                Some(true) => "  yes",
                Some(false) => "  no",
            };
            let _ = writeln!(text, "{:>10}{computed:>30}{printed:>10}{agrees}", point.at);
        }
    }
    let _ = match document.printed {
        0 => writeln!(text, "the paper prints no numbers, only curves"),
        printed => writeln!(
            text,
            "{} of {printed} printed numbers agree within ± {}",
            document.agree, study.printed_within
        ),
    };
    text
}

fn drawn<'a>(study: &'a Study, document: &Document<'_>) -> Chart<'a> {
    let shown = |value: f64| study.shown_from.map_or(value, |least| value.max(least));
    let curve = |series: &Computed| {
        let points = series.points.iter();
        let middle = |point: &Found| (point.at, shown(0.5 * (point.lower + point.upper)));
        let printed = |point: &Found| Some((point.at, shown(point.printed?)));
        let (middles, marks) = (points.clone().map(middle), points.filter_map(printed));
        (series.name.clone(), middles.collect(), marks.collect())
    };
    let curves = document.series.iter().map(curve).collect();
    Chart::of_curves(&study.title, (&study.x, study.logarithmic), &study.y, curves)
}
