//! `remap check`.

use super::{Exit, report};
use crate::cli::Check;
use crate::model::Loaded;
use crate::output::{print, say};
use crate::problems;
use crate::solution::to_json;
use serde_json::Value;

/// What can be said about a model without solving it.
struct Checked {
    title: String,
    problem: &'static str,
    facts: Vec<(&'static str, Value)>,
    warnings: Vec<String>,
}

pub(super) fn run(arguments: &Check) -> Exit {
    let mut exit = Exit::Done;
    let mut documents = Vec::new();
    for path in &arguments.models {
        let loaded = match Loaded::read(path) {
            Ok(loaded) => loaded,
            Err(complaints) => {
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        let known = problems::of(&loaded.model.problem);
        let (problem, facts) = (known.name(), known.facts(&loaded));
        for warning in &loaded.warnings {
            say(&format!("warning: {}: {warning}", path.display()));
        }
        if !arguments.json {
            print(&format!("{}\n  problem: {problem}\n", loaded.model.title));
            for (name, value) in &facts {
                print(&format!("  {name}: {value}\n"));
            }
        }
        let (title, warnings) = (loaded.model.title.clone(), loaded.warnings.clone());
        documents.push(Checked { title, problem, facts, warnings });
    }
    if arguments.json {
        let flat: Vec<Value> = documents.iter().map(flatten).collect();
        match (arguments.models.len(), flat.as_slice()) {
            (1, []) => {}
            (1, [only]) => print(&to_json(only)),
            _ => print(&to_json(&flat)),
        }
    }
    exit
}

/// The facts become fields of the document.
fn flatten(checked: &Checked) -> Value {
    let mut fields = serde_json::Map::new();
    fields.insert("title".to_owned(), checked.title.clone().into());
    fields.insert("problem".to_owned(), checked.problem.into());
    for (name, value) in &checked.facts {
        fields.insert(name.replace(' ', "_"), value.clone());
    }
    fields.insert("warnings".to_owned(), checked.warnings.clone().into());
    Value::Object(fields)
}
