//! `remap advise`.

use super::advice_files::{self, Parts};
use super::{Opened, TRIED, assumed, beginning, priced, remaps_recorded, unpriced};
use crate::cli::{Advise, Log, Reading};
use crate::commands::Exit;
use crate::complaint::Complaint;
use crate::document::log::Fits;
use crate::document::to_json;
use crate::fitting::{self, Facts, Kind};
use crate::logs::{Account, Trace};
use crate::output::print;
use crate::replaying::advice::{Advice, Question, unmarked};
use crate::replaying::check::{Findings, examine};
use crate::replaying::contest::{self, ADAPTIVE, Line, Percent};
use crate::replaying::later::{self, Later};
use crate::replaying::long::{Asked, MOST_TRAINED};
use crate::replaying::what_if::{self, WhatIf};
use crate::replaying::{Stopped, whole_cost};
use crate::run::Watch;
use remapping::fit::whole::Whole;
use remapping::overlap::Overlap;
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Serialize)]
struct Document {
    trace: String,
    /// What was understood of the log.
    log: Account,
    ranks: usize,
    steps: usize,
    recorded_remaps: usize,
    remap_cost: f64,
    #[serde(skip_serializing_if = "Overlap::is_none")]
    overlap: Overlap,
    /// Steps of the program in a step of the log.
    stride: u64,
    /// What to do, what it is worth, and what else the printed advice says.
    advice: String,
    /// The policy to follow: one of `policies`; null where the log cannot tell.
    policy: Option<String>,
    /// Where the log cannot tell: the policy that is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe: Option<&'static str>,
    /// Of the wall time of the run as it was, on the steps that are judged; null where nothing was
    /// recorded of when it was remapped.
    saves: Option<Percent>,
    /// The first step that is judged, from 0, and their number.
    judged_from: usize,
    judged: usize,
    assumption: &'static str,
    clairvoyant: Option<f64>,
    policies: Vec<Line>,
    best_in_use: Option<String>,
    /// The same policies on the steps after the beginning of a long log.
    #[serde(skip_serializing_if = "Option::is_none")]
    later: Option<later::Document>,
    models: Vec<Model>,
    notes: Vec<String>,
    files: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Model {
    problem: &'static str,
    unit_seconds: f64,
    stride: u64,
    fits: Fits,
}

/// Sudden falls of the imbalance from which on a log that marks remaps seems to lack some.
const FALLS: usize = 3;

pub(in crate::commands) fn run(arguments: &Advise) -> Result<Exit, Stopped> {
    if let Some(folder) = &arguments.out {
        advice_files::check(folder, arguments.force)?;
    }
    let opened = beginning(&arguments.log.traces, &arguments.log.reading)?;
    let opened = opened.leaving(arguments.overlap);
    let Opened { name, trace, remap_cost, .. } = &opened;
    let record = &trace.record;
    let overlap = arguments.overlap;
    let question =
        Question { overlap, steps: arguments.steps, ..question(&opened, arguments.seed) };
    if !opened.is_priced {
        return super::unpriced::run(&opened, &question, arguments.json);
    }
    let fits = arguments.json || arguments.out.is_some();
    let mut work = work(&opened, &question, fits)?;
    let Log { traces, reading } = &arguments.log;
    let later = work.play_later(traces, reading, &opened, &question)?;
    let question = work.advice.of_what_was_valued(question);
    let files = match &arguments.out {
        None => Vec::new(),
        Some(folder) => {
            let what_if = what_if(&opened, &question, &work.advice)?;
            let parts = work.parts(&what_if, arguments.steps);
            advice_files::write(folder, &opened, &question, &work.advice, &parts, arguments.force)?
        }
    };
    let Work { advice, notes, models, .. } = work;
    let judged = advice.judged.as_ref();
    let document = Document {
        trace: name.clone(),
        log: trace.account.clone(),
        ranks: record.ranks(),
        steps: record.steps(),
        recorded_remaps: record.remaps().len(),
        remap_cost: *remap_cost,
        overlap,
        stride: trace.stride,
        advice: advice.whole(),
        policy: advice.policy.clone(),
        safe: advice.safe,
        saves: advice.saves,
        judged_from: advice.steps.start,
        judged: advice.steps.len(),
        assumption: assumed(record),
        clairvoyant: judged.and_then(|judged| judged.clairvoyant),
        policies: judged.map_or_else(Vec::new, |judged| judged.lines.clone()),
        best_in_use: judged.map(|judged| judged.best_in_use.0.clone()),
        later: later.as_ref().map(|(later, policy)| later.document(policy)),
        models,
        notes,
        files,
    };
    if arguments.json {
        print(&to_json(&document));
    } else {
        print(&text(&document, &advice, trace, later.as_ref()));
    }
    Ok(Exit::Done)
}

/// What is asked of a log.
fn question(opened: &Opened, seed: u64) -> Question<'_> {
    Question {
        record: &opened.trace.record,
        remap_cost: opened.remap_cost,
        overlap: Overlap::default(),
        known: opened.trace.knows_remaps,
        stride: opened.trace.stride,
        steps: None,
        seed,
    }
}

/// The advice, and what goes with it.
struct Work {
    advice: Advice,
    /// What was repaired and what is strange.
    notes: Vec<String>,
    models: Vec<Model>,
    model_file: Option<String>,
    assumption: &'static str,
}

impl Work {
    /// Evaluates the policies on the steps after those that were looked at, with the name of the
    /// adaptive rule; its saving there is a note. `None` if there are no such steps, or no rule, or
    /// they cannot be read once more.
    fn play_later(
        &mut self,
        paths: &[PathBuf],
        reading: &Reading,
        opened: &Opened,
        question: &Question<'_>,
    ) -> Result<Option<(Later, String)>, Complaint> {
        let Some(judged) = &self.advice.judged else { return Ok(None) };
        if opened.trace.after.steps == 0 || !later::is_readable_again(paths) {
            return Ok(None);
        }
        let names = judged.lines.iter().map(|line| line.policy.clone());
        let asked = Asked {
            name: opened.name.clone(),
            names: names.filter(|name| name != contest::RECORDED).collect(),
            remap_cost: Some(opened.remap_cost),
            overlap: question.overlap,
            from: question.ground(question.cut()).from,
            seed: question.seed,
            solution: Box::new(|_| Ok(None)),
            needs_all: None,
        };
        let how = reading.how();
        let Some(later) = later::later(paths, &how, TRIED, asked, question.known)? else {
            return Ok(None);
        };
        let policy = ADAPTIVE.to_owned();
        self.notes.push(later.sentence(&policy));
        Ok(Some((later, policy)))
    }

    fn parts<'a>(&'a self, what_if: &'a [WhatIf], steps: Option<u64>) -> Parts<'a> {
        let model = self.model_file.as_deref();
        let notes = &self.notes;
        Parts { notes, what_if, model, assumption: self.assumption, steps, has_header: true }
    }
}

/// The advice. Models are fitted where they are written somewhere.
fn work(opened: &Opened, question: &Question<'_>, fits: bool) -> Result<Work, Stopped> {
    let Opened { name, trace, remap_cost, suspected, cost_origin, .. } = opened;
    let record = &trace.record;
    let whole = whole_cost(record, 0..record.steps(), *remap_cost, question.overlap);
    let Findings { mut notes, obstacles, changes_nothing, .. } =
        examine(record, whole, question.overlap);
    let marked = record.remaps().len();
    // A log that says when it was remapped is believed unless loads fall at once again and again.
    let fewest = if trace.knows_remaps { FALLS } else { 1 };
    let missing =
        (suspected.len() > marked && suspected.len() >= fewest).then(|| unmarked(suspected));
    let watch = Watch::waiting(&format!("{name}: policies are trained and compared"), None);
    let advice = match obstacles.first().or(missing.as_ref()) {
        Some(obstacle) => question.refuse(obstacle),
        None if changes_nothing => question.leave_out(),
        None => question.answer(&watch)?,
    };
    notes.extend(advice.beside_noise.clone());
    let mut facts = match fits {
        true => Facts::of(record, Whole::of(record), whole, cost_origin),
        false => None,
    };
    if let Some(facts) = &mut facts {
        (facts.stride, facts.job_steps) = (trace.stride, question.steps);
    }
    let decks = facts.as_ref().map(|facts| fitting::decks(facts, Kind::Auto, None));
    let model = |deck: &fitting::Deck| Model {
        problem: deck.problem,
        unit_seconds: deck.unit,
        stride: trace.stride,
        fits: deck.fits(),
    };
    let models = decks.iter().flatten().map(model).collect();
    let model_file = facts
        .as_ref()
        .zip(decks.as_ref())
        .map(|(facts, decks)| decks[0].file(&format!("Fitted to {name}"), facts));
    let notes = trace.repairs.iter().cloned().chain(notes).collect();
    let assumption = assumed(record);
    Ok(Work { advice, notes, models, model_file, assumption })
}

/// Other costs of a remap, for the page.
fn what_if(
    opened: &Opened,
    question: &Question<'_>,
    advice: &Advice,
) -> Result<Vec<WhatIf>, Complaint> {
    if advice.judged.is_none() {
        return Ok(Vec::new());
    }
    let ground = question.ground(question.cut());
    let watch = Watch::waiting(&format!("{}: other costs of a remap", opened.name), None);
    what_if::quickly(&ground, advice.steps.clone(), opened.trace.knows_remaps, &watch)
}

/// The page of a log.
pub(in crate::commands) fn page(path: &Path, reading: &Reading) -> Result<String, Stopped> {
    let paths = [path.to_owned()];
    let opened = beginning(&paths, reading)?;
    if !opened.is_priced {
        return Err(unpriced(&opened.name).into());
    }
    let opened = opened.leaving(Overlap::default());
    let question = question(&opened, 1);
    let mut work = work(&opened, &question, true)?;
    work.play_later(&paths, reading, &opened, &question)?;
    let question = work.advice.of_what_was_valued(question);
    let what_if = what_if(&opened, &question, &work.advice)?;
    let parts = Parts { has_header: false, ..work.parts(&what_if, None) };
    Ok(advice_files::page(&opened, &question, &work.advice, &parts)?)
}

fn text(
    document: &Document,
    advice: &Advice,
    trace: &Trace,
    later: Option<&(Later, String)>,
) -> String {
    let Document { trace: name, ranks, steps, recorded_remaps, remap_cost, assumption, .. } =
        document;
    let lines = std::iter::once(&advice.sentence).chain(&advice.more);
    let mut text: String = lines.map(|line| format!("{line}\n")).collect();
    let known = remaps_recorded(trace.knows_remaps, *recorded_remaps);
    let _ = writeln!(text, "{name}: {ranks} ranks x {steps} steps, {known}");
    let unsaid = document.notes.iter().filter(|note| !trace.repairs.contains(note));
    let notes: String = unsaid.map(|note| format!("note: {note}\n")).collect();
    let Some(judged) = &advice.judged else {
        text += &notes;
        written(&mut text, document);
        return text;
    };
    let _ = writeln!(
        text,
        "{}; assumed: {assumption}\n\
         trained on steps {}..={}, valued from {} on steps {}..={}",
        priced(*remap_cost, document.overlap, document.stride),
        document.judged_from.saturating_sub(MOST_TRAINED),
        document.judged_from - 1,
        if trace.knows_remaps { "where the run stood" } else { "balance" },
        document.judged_from,
        document.judged_from + document.judged - 1
    );
    text.push_str(&contest::table(judged, Some(ADAPTIVE)));
    text += &notes;
    if let Some((later, policy)) = later {
        let Range { start, end } = &later.training;
        let _ = writeln!(
            text,
            "{}\nadvised trained anew on steps {start}..={}, the others as above",
            later.sentence(policy),
            end - 1
        );
        text.push_str(&contest::table(&later.judged, Some(policy)));
    }
    written(&mut text, document);
    text
}

fn written(text: &mut String, document: &Document) {
    if !document.files.is_empty() {
        let _ = writeln!(text, "written: {}", document.files.join(", "));
    } else if document.policy.as_deref().or(document.safe).is_some_and(|policy| policy == ADAPTIVE)
    {
        *text += "-o DIR writes the adaptive rule for C, Fortran, Python and Rust, and settings of codes\n";
    }
}
