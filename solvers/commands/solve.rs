//! `remap solve`.

use super::{Exit, print_documents, report};
use crate::cli::Solve;
use crate::complaint::Complaint;
use crate::model::Loaded;
use crate::output::{
    check_folder, check_free, is_closed, make_folder, print, say, write_file, write_with,
};
use crate::plot::Format;
use crate::problems::{self, Files, Solved, certificate, stopping::table};
use crate::render;
use crate::run::is_interrupted;
use crate::solution::{Body, Certified, to_json};

pub(super) fn run(arguments: &Solve) -> Exit {
    let mut exit = Exit::Done;
    let mut documents = Vec::new();
    if let Err(complaint) = check_request(arguments) {
        report(&[complaint]);
        return Exit::Usage;
    }
    if let Err(complaint) = check_outputs(arguments) {
        return report(&[complaint]);
    }
    let writes_files =
        arguments.out.is_some() || arguments.plot.is_some() || arguments.certificate.is_some();
    for path in &arguments.models {
        if is_closed() && !writes_files {
            break;
        }
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let solved = Loaded::read(path).and_then(|loaded| {
            let files = Files { folder: arguments.out.as_deref(), force: arguments.force };
            let solved = problems::solve(&loaded, &(&arguments.settings).into(), files)?;
            Ok((loaded, solved))
        });
        let (loaded, mut solved) = match solved {
            Ok(solved) => solved,
            Err(complaints) => {
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        let proof = arguments.certificate.is_some().then(|| certificate::of(&loaded, &solved));
        if let (Some(file), Some(Ok(_))) = (&arguments.certificate, &proof) {
            let (file, model) = (file.clone(), path.clone());
            solved.solution.certificate = Some(Certified { file, model });
        }
        let solution = &solved.solution;
        exit = exit.worst(solution.status.into());
        if let Some(contradiction) = certificate::self_check(&loaded, &solved) {
            say(&format!("error: {}: {contradiction}", path.display()));
            exit = exit.worst(Exit::Bug);
        }
        for warning in &solution.warnings {
            say(&format!("warning: {}: {warning}", path.display()));
        }
        // Shown first: a file that cannot be written must not lose the result.
        if arguments.settings.json {
            documents.push(solution.clone());
        } else {
            print(&render::summary(solution));
        }
        let written = write_outputs(arguments, &loaded, &solved);
        let proved = proof.transpose().and_then(|proof| match (&arguments.certificate, proof) {
            (Some(file), Some(bytes)) => write_file(file, &bytes, arguments.force),
            _ => Ok(()),
        });
        for complaint in [written, proved].into_iter().filter_map(Result::err) {
            exit = exit.worst(report(&[complaint]));
        }
    }
    if arguments.settings.json {
        print_documents(arguments.models.len(), &documents);
    }
    exit
}

/// What the arguments ask for together must be possible.
fn check_request(arguments: &Solve) -> Result<(), Complaint> {
    if let Some(plot) = &arguments.plot {
        if arguments.models.len() > 1 {
            let message = "--plot draws one model, several are given";
            return Err(Complaint::elsewhere(message, "solve them one by one"));
        }
        Format::of(plot)?;
    }
    if arguments.certificate.is_some() && arguments.models.len() > 1 {
        let message = "--certificate proves the answer to one model, several are given";
        return Err(Complaint::elsewhere(message, "solve them one by one"));
    }
    if let Some(folder) = &arguments.out {
        let mut names: Vec<_> =
            arguments.models.iter().map(|model| Files::document(folder, model)).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two models would both be written to {}", pair[0].display());
            return Err(Complaint::elsewhere(message, "solve them into different folders"));
        }
    }
    Ok(())
}

/// Whether all files can be written, before any work is done.
fn check_outputs(arguments: &Solve) -> Result<(), Complaint> {
    for path in arguments.plot.iter().chain(&arguments.certificate) {
        check_free(path, arguments.force)?;
    }
    let Some(folder) = &arguments.out else { return Ok(()) };
    check_folder(folder)?;
    let names = arguments.models.iter().map(|model| Files::document(folder, model));
    names
        .filter(|name| name.symlink_metadata().is_ok())
        .try_for_each(|name| check_free(&name, arguments.force))
}

fn write_outputs(arguments: &Solve, loaded: &Loaded, solved: &Solved) -> Result<(), Complaint> {
    let (model, solution) = (&loaded.path, &solved.solution);
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
        let path = Files::document(folder, model);
        let archived = match &solution.body {
            Body::Stopping(answer) if answer.decision.is_none() => solved.table.as_ref(),
            _ => None,
        };
        if let Some(table) = archived {
            let file = path.with_extension("npz");
            write_with(&file, arguments.force, |file| table::write(table, file))?;
        }
        write_file(&path, to_json(solution).as_bytes(), arguments.force)?;
    }
    if let Some(plot) = &arguments.plot {
        let bytes = render::draw(solution, Format::of(plot)?)?;
        write_file(plot, &bytes, arguments.force)?;
    }
    Ok(())
}
