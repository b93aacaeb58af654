//! `remap compare`: policies side by side on the same sample paths.

mod phase_change;
mod policies;
mod two_phase;

use super::{Exit, report};
use crate::cli::Compare;
use crate::land_battle::Assigned;
use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::output::{check_free, make_folder, print, write_file};
use crate::render;
use crate::run::is_interrupted;
use std::cell::RefCell;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// What was asked for, for one of the models.
struct Asked<'a> {
    arguments: &'a Compare,
    model: &'a Path,
    /// The documents of all models so far, with `--json`.
    documents: &'a RefCell<Vec<String>>,
}

impl Deref for Asked<'_> {
    type Target = Compare;
    fn deref(&self) -> &Compare {
        self.arguments
    }
}

impl Asked<'_> {
    /// Prints a comparison: the document with `--json`, otherwise what people read.
    fn show(&self, document: &str, readable: impl FnOnce() -> String) {
        if self.json {
            self.documents.borrow_mut().push(document.to_owned());
        } else {
            print(&readable());
        }
    }

    /// Writes the document into the folder of `--out`.
    fn write_document(&self, document: &str) -> Result<(), Complaint> {
        let Some(folder) = &self.out else { return Ok(()) };
        make_folder(folder)?;
        write_file(&out_path(folder, self.model), document.as_bytes(), self.force)
    }
}

fn out_path(folder: &Path, model: &Path) -> PathBuf {
    folder.join(model.file_stem().unwrap_or_default()).with_extension("json")
}

/// What a policy costs, for a report.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub policy: String,
    /// Its expected cost, or the mean of sample paths.
    pub cost: f64,
    /// Half the width of the bounds on it, or of the 95 % confidence interval.
    pub half_width: f64,
    /// Whether they are proved bounds, not a confidence interval.
    pub proved: bool,
    /// Expected number of remaps.
    pub remaps: Option<f64>,
}

/// The usual policies on a model, within `time_limit` seconds; none where policies cannot be played.
pub fn rows(loaded: &Loaded, time_limit: f64) -> Vec<Row> {
    match &loaded.model.problem {
        Problem::PhaseChange(model) => phase_change::rows(loaded, model, time_limit),
        Problem::LoadDrift(model) => {
            let arguments = Compare {
                models: vec![loaded.path.clone()],
                policies: Vec::new(),
                runs: 100,
                seed: 1,
                json: false,
                out: None,
                plot: None,
                force: false,
                threads: None,
                time_limit: Some(time_limit),
            };
            let documents = RefCell::new(Vec::new());
            let asked = Asked { arguments: &arguments, model: &loaded.path, documents: &documents };
            policies::rows(&asked, loaded, model)
        }
        _ => Vec::new(),
    }
}

pub(super) fn run(arguments: &Compare) -> Exit {
    if let Err(complaint) = check_request(arguments) {
        report(&[complaint]);
        return Exit::Usage;
    }
    if let Err(complaint) = check_outputs(arguments) {
        return report(&[complaint]);
    }
    let documents = RefCell::new(Vec::new());
    let mut exit = Exit::Done;
    for model in &arguments.models {
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        exit = exit.worst(compare(&Asked { arguments, model, documents: &documents }));
    }
    if arguments.json {
        let documents = documents.into_inner();
        match (arguments.models.len(), documents.as_slice()) {
            (1, []) => {}
            (1, [only]) => print(only),
            _ => print(&format!("[\n{}]\n", documents.join(","))),
        }
    }
    exit
}

fn compare(arguments: &Asked<'_>) -> Exit {
    let loaded = match Loaded::read(arguments.model) {
        Ok(loaded) => loaded,
        Err(complaints) => return report(&complaints),
    };
    match &loaded.model.problem {
        Problem::PhaseChange(model) => phase_change::run(arguments, &loaded, model),
        Problem::LoadDrift(model) => policies::load_drift(arguments, &loaded, model),
        Problem::ActivityMesh(model) => policies::activity_mesh(arguments, &loaded, model),
        Problem::Fluids(model) => two_phase::run(arguments, &loaded, "fluids", model),
        Problem::LandBattle(model) => {
            two_phase::run(arguments, &loaded, "land_battle", &Assigned::new(model))
        }
        _ => {
            let message = "policies cannot be played on this problem";
            let help =
                "compare takes PhaseChange, LoadDrift, ActivityMesh, Fluids and LandBattle models";
            report(&[loaded.complain("problem", message, "a problem without sample paths", help)])
        }
    }
}

/// What the arguments ask for together must be possible.
fn check_request(arguments: &Compare) -> Result<(), Complaint> {
    let Some(plot) = &arguments.plot else { return Ok(()) };
    if arguments.models.len() > 1 {
        let message = "--plot draws one model, several are given";
        return Err(Complaint::elsewhere(message, "compare on them one by one"));
    }
    render::plot::Format::of(plot).map(drop)
}

/// Says at once what could not be written at the end.
fn check_outputs(arguments: &Compare) -> Result<(), Complaint> {
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force)?;
    }
    if let Some(folder) = &arguments.out {
        let mut names: Vec<_> =
            arguments.models.iter().map(|model| out_path(folder, model)).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two comparisons would both be written to {}", pair[0].display());
            return Err(Complaint::elsewhere(message, "compare into different folders"));
        }
    }
    match &arguments.out {
        Some(folder) if folder.exists() && !folder.is_dir() => {
            let message = format!("{} is not a directory", folder.display());
            Err(Complaint::elsewhere(message, "give the path of a directory"))
        }
        _ => Ok(()),
    }
}
