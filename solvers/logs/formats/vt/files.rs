//! The files of a run, one for each node.

use crate::complaint::Complaint;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) const HELP: &str = "give the folder or a file that --vt_lb_data wrote, with the files of all nodes in the same folder";

/// The last number in the name of a file, and the text before and after it.
pub(super) fn number(path: &Path) -> Option<(String, u32, String)> {
    let name = path.file_name()?.to_str()?;
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    Some((name[..start].to_owned(), name[start..end].parse().ok()?, name[end..].to_owned()))
}

/// The files of a run: those in the folder, or those whose names differ only in the number of the
/// node.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Complaint> {
    let shown = path.display();
    let single = path.is_file();
    let folder = match single {
        true => {
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
        }
        false => path,
    };
    let cannot = |error: std::io::Error| {
        Complaint::elsewhere(format!("cannot read {}: {error}", folder.display()), HELP)
    };
    let mut runs: BTreeMap<(String, String), BTreeMap<u32, PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?.path();
        let kind = entry.to_string_lossy();
        if let Some((before, number, after)) = number(&entry)
            && (single || [".json", ".json.br", ".json.gz"].iter().any(|end| kind.ends_with(end)))
        {
            runs.entry((before, after)).or_default().insert(number, entry);
        }
    }
    if single {
        let Some((before, _, after)) = number(path) else { return Ok(vec![path.to_owned()]) };
        let run = runs.remove(&(before, after)).unwrap_or_default();
        // With the folder as the user named it.
        let named = |file: &PathBuf| file.file_name().map(|name| path.with_file_name(name));
        return Ok(run.values().filter_map(named).collect());
    }
    match runs.len() {
        1 => Ok(runs.into_values().flat_map(BTreeMap::into_values).collect()),
        0 => {
            let message = format!("{shown} is a folder without files such as data.0.json");
            Err(Complaint::elsewhere(message, HELP))
        }
        _ => {
            let names: Vec<String> =
                runs.keys().map(|(before, after)| format!("{before}%p{after}")).collect();
            let message = format!("{shown} has the files of several runs: {}", names.join(", "));
            Err(Complaint::elsewhere(message, "give one file of the run that is meant"))
        }
    }
}
