//! The output and the picture of a sweep, run by run.

use super::axes::{Axis, as_json};
use crate::complaint::Complaint;
use crate::output::{check_free, print, write_file};
use crate::plot::{self, Format};
use crate::problems::registry::sweep::{Part, Run};
use crate::problems::stopping::map::Groups;
use crate::render;
use crate::render::curves::Curves;
use crate::render::regions::Regions;
use crate::text::Row;
use remapping::Status;
use std::path::{Path, PathBuf};

/// Larger tolerances leave digits of the table open.
const COARSE: f64 = 1e-6;

/// The table or the document of a sweep, and its picture.
pub(super) struct Output<'a> {
    title: &'a str,
    /// Whether it is a sweep of stopping sets.
    stops: bool,
    axes: &'a [Axis],
    json: bool,
    shown: usize,
    rows: Vec<Row>,
    groups: Groups,
    /// Whether a run ended early, and the coarsest tolerance of the others.
    early: bool,
    tolerance: f64,
    picture: Option<Picture>,
}

/// A picture and its file.
struct Picture {
    path: PathBuf,
    force: bool,
    format: Format,
    drawn: Drawn,
}

/// The picture of a sweep.
enum Drawn {
    /// The regions of the decision maps, over one parameter.
    Regions(Regions),
    /// The numbers of the table, over the first parameter.
    Curves(Curves),
}

impl<'a> Output<'a> {
    /// The output for the sweep of a model with this title.
    pub fn new(title: &'a str, stops: bool, axes: &'a [Axis], json: bool) -> Output<'a> {
        let (rows, groups) = (Vec::new(), Groups::default());
        let (early, tolerance) = (false, 0.0);
        Output { title, stops, axes, json, shown: 0, rows, groups, early, tolerance, picture: None }
    }

    /// The same with a picture, if one is asked for.
    ///
    /// # Errors
    /// The file exists, or the values are not numbers.
    pub fn drawn(self, path: Option<&Path>, force: bool) -> Result<Output<'a>, Complaint> {
        let Some(path) = path else { return Ok(self) };
        let format = Format::of(path)?;
        check_free(path, force)?;
        let drawn = match self.axes {
            [axis] if self.stops => Drawn::Regions(Regions::new(self.title, &axis.path)),
            [axis, ..] if axis.values.iter().all(|value| as_json(value).is_number()) => {
                Drawn::Curves(Curves::new(self.title, &axis.path))
            }
            _ => {
                let message =
                    "--plot draws over the first parameter, which has values that are no numbers";
                return Err(Complaint::elsewhere(message, "name a parameter with numbers first"));
            }
        };
        let picture = Picture { path: path.to_owned(), force, format, drawn };
        Ok(Output { picture: Some(picture), ..self })
    }

    /// Prints the part before the runs.
    pub fn begin(&self, part: Option<&Part>) {
        if self.json {
            let part = part.map_or_else(String::new, |part| {
                let text = serde_json::to_string(part).expect("parts have string keys only");
                format!("\"part\": {text}, ")
            });
            print(&format!("{{{part}\"runs\": ["));
        }
    }

    /// Adds a run.
    pub fn add(&mut self, run: Run) {
        self.groups.add(&run);
        match run.solution.status {
            Status::Converged if run.solution.body.answer().accuracy().is_statistical() => {}
            Status::Converged => self.tolerance = self.tolerance.max(run.solution.tolerance),
            _ => self.early = true,
        }
        match self.picture.as_mut().map(|picture| &mut picture.drawn) {
            None => {}
            Some(Drawn::Regions(regions)) => regions.add(&run),
            Some(Drawn::Curves(curves)) => curves.add(&run),
        }
        if self.json {
            // Printed as soon as it is solved: a long sweep need not fit into memory.
            let text = serde_json::to_string(&run).expect("solutions have string keys only");
            print(&format!("{}\n{text}", if self.shown == 0 { "" } else { "," }));
        } else {
            self.rows.push(render::row(&run));
        }
        self.shown += 1;
    }

    /// Prints the part after the runs.
    ///
    /// # Errors
    /// Those of the picture.
    pub fn end(self) -> Result<(), Complaint> {
        if self.json {
            print("\n]}\n");
        } else if !self.rows.is_empty() {
            print(&render::sweep_table(&self.rows));
            if self.early {
                print(
                    "rows that ended early have what was known by then: remap solve says within which bounds\n",
                );
            }
            if self.tolerance > COARSE {
                let which = if self.early { "the other numbers" } else { "numbers" };
                print(&format!(
                    "{which} are known to {:e} or better, and not always to all the digits shown\n",
                    self.tolerance
                ));
            }
            if let Some(line) = self.groups.line() {
                print(&format!("values with the same map: {line}\n"));
            }
        }
        let Some(Picture { path, force, format, drawn }) = self.picture else { return Ok(()) };
        let bytes = match &drawn {
            Drawn::Regions(regions) => plot::picture(format, regions),
            Drawn::Curves(curves) => plot::picture(format, curves),
        };
        write_file(&path, &bytes?, force)
    }
}
