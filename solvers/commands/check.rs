//! `remap check`.

use super::{Exit, print_documents, report, warn};
use crate::cli::Check;
use crate::output::print;
use crate::problems;
use crate::problems::registry::Loaded;
use serde_json::{Map, Value};

/// Runs the command.
pub fn run(arguments: &Check) -> Exit {
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
        let known = loaded.problem.kind();
        if let Err(complaints) = known.check(&loaded) {
            exit = exit.worst(report(&complaints));
            continue;
        }
        let (problem, mut facts) = (known.name(), known.facts(&loaded));
        if let Some(ranks) = arguments.ranks {
            facts.extend(problems::facts_of_ranks(&loaded, ranks as usize));
        }
        warn(path, &loaded.warnings);
        if !arguments.json {
            print(&format!("{}\n  problem: {problem}\n", loaded.title));
            for (name, value) in &facts {
                print(&format!("  {name}: {value}\n"));
            }
        }
        let mut fields = Map::new();
        fields.insert("title".to_owned(), loaded.file.title.into());
        fields.insert("problem".to_owned(), problem.into());
        // The facts become fields of the document.
        fields.extend(facts.into_iter().map(|(name, value)| (name.replace(' ', "_"), value)));
        fields.insert("warnings".to_owned(), loaded.file.warnings.into());
        documents.push(Value::Object(fields));
    }
    if arguments.json {
        print_documents(arguments.models.len(), &documents);
    }
    exit
}
