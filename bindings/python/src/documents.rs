//! `solve`, and what people see of a solution.

use crate::fails::{complaints, fault, interruptible};
use clap::{Args, Command, FromArgMatches};
use pyo3::prelude::*;
use remap::cli::Settings;
use remap::complaint::Complaint;
use remap::document::to_json;
use remap::plot::Format;
use remap::problems::registry::{Loaded, Solution, of_text};
use remap::problems::{self, Files};
use remap::render;
use std::path::{Path, PathBuf};

/// A model from its text or its file, with other values in some places.
pub fn loaded(
    path: Option<PathBuf>,
    text: Option<String>,
    set: &[(String, String)],
) -> Result<Loaded, Vec<Complaint>> {
    let base = match text {
        Some(text) => {
            let path = path.unwrap_or_else(|| "model.ron".into());
            Loaded::from_text(&path, text)?
        }
        None => Loaded::read(path.as_deref().unwrap_or(Path::new("")))?,
    };
    if set.is_empty() {
        return Ok(base);
    }
    let set: Vec<(&str, &str)> = set.iter().map(|(p, v)| (p.as_str(), v.as_str())).collect();
    base.with(&set)
}

/// The options of `remap solve`, as its command line reads them.
fn settings(options: &[String]) -> PyResult<problems::Settings> {
    let command = Settings::augment_args(Command::new("solve").no_binary_name(true));
    let found = command.try_get_matches_from(options).map_err(fault)?;
    let read = Settings::from_arg_matches(&found).map_err(fault)?;
    Ok(problems::Settings::from(&read))
}

/// The document of `remap solve` with these options, and whether Ctrl-C came before its end.
#[pyfunction]
pub fn solve(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<String>,
    set: Vec<(String, String)>,
    options: Vec<String>,
) -> PyResult<(String, bool)> {
    let settings = settings(&options)?;
    let (found, stopped) = interruptible(py, || {
        let model = loaded(path, text, &set)?;
        problems::check_method(&model, settings.method)?;
        let solved = problems::solve(&model, &settings, Files::default())?;
        Ok::<_, Vec<Complaint>>(to_json(&solved.solution))
    })?;
    Ok((found.map_err(|all| complaints(py, &all))?, stopped))
}

/// A solution from its document.
fn solved(py: Python<'_>, text: String) -> PyResult<Solution> {
    of_text("the solution".to_owned(), text).map_err(|complaint| complaints(py, &[complaint]))
}

/// The summary that `remap solve` prints of a solution: its title, the answer in a sentence, numbers.
#[pyfunction]
pub fn summary(py: Python<'_>, text: String) -> PyResult<String> {
    Ok(render::summary(&solved(py, text)?))
}

/// The picture of a solution, as the text of an SVG file.
#[pyfunction]
pub fn picture(py: Python<'_>, text: String) -> PyResult<String> {
    let drawn = render::draw(&solved(py, text)?, Format::Svg);
    let drawn = drawn.map_err(|complaint| complaints(py, &[complaint]))?;
    String::from_utf8(drawn).map_err(fault)
}
