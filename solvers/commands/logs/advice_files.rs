//! The files of an advice: the rule and its forms, settings of known codes, the model, the report.

use super::Opened;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::export::{C, FORTRAN, PYTHON, RUST, Target, advised as exported};
use crate::output::{check_folder, check_free, make_folder, say, write_file};
use crate::replaying::advice::{Advice, Question};
use crate::replaying::advised;
use crate::replaying::contest::{ADAPTIVE, RECORDED};
use crate::replaying::what_if::WhatIf;
use crate::report::log::{self, Page};
use remapping::policy::codes::Code;
use std::path::{Path, PathBuf};

/// The forms of the rule as code, and what their files are called.
const FORMS: [(Target, &str); 4] = [
    (Target::Source(&C), "remap_policy.h"),
    (Target::Source(&FORTRAN), "remap_policy.f90"),
    (Target::Source(&PYTHON), "remap_policy.py"),
    (Target::Source(&RUST), "remap_policy.rs"),
];

/// All forms of the rule: code, and a file for each production code.
fn forms() -> impl Iterator<Item = (Target, String)> {
    let settings = Code::ALL.into_iter();
    let settings = settings.map(|(code, name)| (Target::Setting(code), format!("{name}.txt")));
    FORMS.into_iter().map(|(target, name)| (target, name.to_owned())).chain(settings)
}

const RULE: &str = "advised.json";
const MODEL: &str = "model.ron";
const REPORT: &str = "report.html";

/// Whether all files can be written, before any work is done.
pub(super) fn check(folder: &Path, force: bool) -> Result<(), Complaint> {
    check_folder(folder)?;
    names()
        .map(|name| folder.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .try_for_each(|path| check_free(&path, force))
}

/// The content of the files in addition to the advice itself.
pub(super) struct Parts<'a> {
    pub notes: &'a [String],
    pub what_if: &'a [WhatIf],
    pub model: Option<&'a str>,
    pub assumption: &'a str,
    /// Length of the job in steps of the program.
    pub steps: Option<u64>,
    /// Whether the rule is written too, or a page of it alone.
    pub has_header: bool,
}

/// Writes them, and says what they are called. Where the log cannot tell, there is no rule, and of
/// the rest what there is.
pub(super) fn write(
    folder: &Path,
    opened: &Opened,
    question: &Question<'_>,
    advice: &Advice,
    parts: &Parts<'_>,
    force: bool,
) -> Result<Vec<String>, Complaint> {
    make_folder(folder)?;
    // Without that of a rule, other files of these names are somebody's own.
    let is_earlier = folder.join(RULE).symlink_metadata().is_ok();
    let mut files = Vec::new();
    let mut put = |name: &str, bytes: &[u8]| -> Result<(), Complaint> {
        let path: PathBuf = folder.join(name);
        write_file(&path, bytes, force)?;
        files.push(path.display().to_string());
        Ok(())
    };
    if advice.judged.is_some() {
        let steps = parts.steps.map(|steps| steps.div_ceil(question.stride).max(1));
        let document = advised::of_advice(&opened.name, question, advice, steps, parts.assumption)?;
        put(RULE, to_json(&document).as_bytes())?;
        // What would be pasted into a code is written where the advice is to change what it does.
        let changes =
            advice.policy.as_deref().or(advice.safe).is_some_and(|policy| policy != RECORDED);
        for (target, name) in forms().filter(|_| changes) {
            // Not every code has a setting for every rule.
            if let Ok(form) = exported::write(&document, target) {
                put(&name, &form)?;
            }
        }
    }
    if let Some(model) = parts.model {
        put(MODEL, model.as_bytes())?;
    }
    put(REPORT, page(opened, question, advice, parts)?.as_bytes())?;
    if force && is_earlier {
        remove_others(folder, &files)?;
    }
    Ok(files)
}

/// Removes the files of an earlier advice that this one does not write: they would look like rules
/// for this log.
fn remove_others(folder: &Path, written: &[String]) -> Result<(), Complaint> {
    let is_old = |path: &PathBuf| {
        let is_file = path.symlink_metadata().is_ok_and(|facts| facts.is_file());
        is_file && !written.contains(&path.display().to_string())
    };
    let old: Vec<PathBuf> = names().map(|name| folder.join(name)).filter(is_old).collect();
    for path in &old {
        std::fs::remove_file(path).map_err(|error| {
            let message = format!("cannot remove {} of another log: {error}", path.display());
            Complaint::elsewhere(message, "remove it, or choose another folder")
        })?;
    }
    if !old.is_empty() {
        let old: Vec<String> = old.iter().map(|path| path.display().to_string()).collect();
        say(&format!("note: removed, since they are of an earlier advice: {}", old.join(", ")));
    }
    Ok(())
}

/// What all files may be called.
fn names() -> impl Iterator<Item = String> {
    forms().map(|(_, name)| name).chain([RULE, MODEL, REPORT].map(str::to_owned))
}

/// The page of a log.
pub(super) fn page(
    opened: &Opened,
    question: &Question<'_>,
    advice: &Advice,
    parts: &Parts<'_>,
) -> Result<String, Complaint> {
    let overlaps = !question.overlap.is_none();
    let is_valued = advice.judged.is_some();
    let snippet = is_valued.then(|| snippet(parts.steps, overlaps));
    log::write(&Page {
        name: &opened.name,
        advice,
        snippet: snippet.as_deref(),
        has_header: parts.has_header,
        notes: parts.notes,
        what_if: parts.what_if,
        record: question.record,
        judged: advice.judged.as_ref(),
        steps: advice.steps.clone(),
        chosen: is_valued.then_some(ADAPTIVE),
        model: parts.model,
        assumption: parts.assumption,
    })
}

/// How the C header is used.
fn snippet(steps: Option<u64>, overlaps: bool) -> String {
    let end = steps.map_or("-1".to_owned(), |steps| format!("{steps} / REMAP_STRIDE"));
    let remaps = match overlaps {
        false => "remap();\n    remap_advised_remapped(&rule);\n}",
        true => {
            "begin_to_remap();\n    remap_advised_begun(&rule);\n}\n\
             /* after the last step on the old mapping: */\n\
             if (remap_is_over)\n    remap_advised_remapped(&rule);"
        }
    };
    format!(
        "#include \"remap_policy.h\"\n\nstatic remap_advised rule;\nremap_advised_init(&rule, {end});\n\
         remap_advised_remapped(&rule);              /* where the run starts balanced */\n\n\
         /* after every step, with the time of each rank: */\n\
         if (remap_advised_step(&rule, times)) {{\n    {remaps}"
    )
}
