//! `remap study`: recomputes a table or figure of a paper.

use super::{Exit, check_plot, warn};
use crate::cli::Study as Arguments;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{print, write_file};
use crate::plot::chart::{Chart, Series as Drawn};
use crate::plot::{Format, picture};
use crate::problems::comparison::ended_by;
use crate::run::Watch;
use crate::study::model::{Series, Study};
use crate::study::{Desk, Found, Stop};
use crate::text::digits::{plain, proved};
use plotters::style::BLACK;
use remapping::Status;
use remapping::phase_change::evaluation::EvaluationError;
use serde::Serialize;
use std::fmt::Write;

/// The printed document.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    source: Option<&'a str>,
    /// The largest error of a printed number, as the paper states it.
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
    /// Whether lower and upper are a confidence interval.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    statistical: bool,
    points: Vec<Found>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Vec<Complaint>> {
    if let Some(plot) = &arguments.plot {
        check_plot(plot, arguments.force)?;
    }
    let study = Study::read(&arguments.study)?;
    let watch = Watch::start(&study.title, arguments.time_limit);
    let mut desk = Desk::new(&watch);
    let mut status = Status::Converged;
    let mut series = Vec::new();
    for asked in &study.series {
        let mut points = Vec::new();
        let ended = desk.compute(asked, |found| points.push(found.judged(study.printed_within)));
        series.push(Computed {
            name: asked.name().to_owned(),
            quantity: asked.quantity(),
            statistical: asked.is_statistical(),
            points,
        });
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
    if status.is_halted() {
        let lacks = format!("{}: what the table lacks was not computed", ended_by(status));
        warn(&arguments.study, [&lacks]);
    }
    print(&if arguments.json { to_json(&document) } else { table(&study, &document) });
    if let Some(plot) = &arguments.plot {
        let bytes = Format::of(plot).and_then(|format| picture(format, &drawn(&study, &document)));
        bytes.and_then(|bytes| write_file(plot, &bytes, arguments.force))?;
    }
    Ok(status.into())
}

/// Longer series are shown only in part.
const SHOWN: usize = 40;

fn table(study: &Study, document: &Document<'_>) -> String {
    let mut text = format!("{}\n", study.title);
    if let Some(source) = &study.source {
        let _ = writeln!(text, "{source}");
    }
    for series in &document.series {
        let _ = writeln!(text, "{}: {}", series.name, series.quantity);
        let bounded = series.points.iter().any(|point| point.bounds.lower < point.bounds.upper);
        let how = match (series.statistical, bounded) {
            (true, _) => "computed (95 %)",
            (false, true) => "computed (proved)",
            (false, false) => "computed",
        };
        let _ = writeln!(text, "{:>10}{how:>30}{:>10}  agrees", "at", "printed");
        let count = series.points.len();
        let stride = count.div_ceil(SHOWN).max(1);
        let near_end = |k: usize| count > SHOWN && k + SHOWN / 2 >= count;
        for (k, point) in series.points.iter().enumerate() {
            if k % stride != 0 && !near_end(k) && point.remark.is_none() {
                continue;
            }
            // The error of sums of doubles is unknown: as many digits as are certainly right.
            let computed = match point.bounds.lower == point.bounds.upper {
                true => plain(point.bounds.lower),
                false => proved(point.bounds).joined("±"),
            };
            let printed = point.printed.map_or(String::new(), |printed| printed.to_string());
            let agrees = match point.agrees {
                None => "",
                Some(true) => "  yes",
                Some(false) => "  no",
            };
            let remark = point.remark.map_or(String::new(), |remark| format!("  {remark}"));
            let line = format!("{:>10}{computed:>30}{printed:>10}{agrees}{remark}", point.at);
            let _ = writeln!(text, "{}", line.trim_end());
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

fn middle(point: &Found) -> f64 {
    0.5 * (point.bounds.lower + point.bounds.upper)
}

fn drawn<'a>(study: &'a Study, document: &Document<'_>) -> Chart<'a> {
    let shown = |value: f64| study.shown_from.map_or(value, |least| value.max(least));
    let curve = |series: &Computed| {
        let points = series.points.iter();
        let middle = |point: &Found| (point.at, shown(middle(point)));
        let printed = |point: &Found| Some((point.at, shown(point.printed?)));
        let (middles, marks) = (points.clone().map(middle), points.filter_map(printed));
        (series.name.clone(), middles.collect(), marks.collect())
    };
    let curves = document.series.iter().map(curve).collect();
    let mut chart = Chart::of_curves(&study.title, (&study.x, study.logarithmic), &study.y, curves);
    let asked = study.series.iter().zip(&document.series);
    for (_, series) in asked.filter(|(asked, _)| matches!(asked, Series::AverageCost(_))) {
        let word = |point: &Found| Some((point.remark?.to_owned(), (point.at, middle(point))));
        let words = series.points.iter().filter_map(word);
        chart.series.push(Drawn::words(BLACK, words));
    }
    chart
}
