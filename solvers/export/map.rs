//! Decision maps, read from a solution and from the archive beside a long one.

use super::rule::{Document, Index, Map};
use crate::model::complaint::Complaint;
use npyz::NpyFile;
use remapping::chain::Multisets;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// Classes of load vectors that are not too many for a table.
const MOST_CLASSES: usize = 1 << 26;

/// Reads the map of a `stopping` solution; that of more than 10^6 load vectors is in `archive`.
pub fn stopping(document: &Document<'_>, archive: &Path) -> Result<Map, Complaint> {
    let shape = document.list("shape", "a list of numbers of levels", |entry| {
        entry.as_u64().filter(|levels| *levels > 0).map(|levels| levels as usize)
    })?;
    if document.value.get("loads").is_some() {
        return listed(document);
    }
    let lowest = document.list("lowest", "a list of whole numbers", Value::as_i64)?;
    if lowest.len() != shape.len() || shape.is_empty() {
        return Err(document.wrong("`lowest` and `shape` differ in length"));
    }
    if document.value.get("decision").is_none() {
        return archived(document, lowest, shape, archive);
    }
    let letters = letters(document)?;
    let vectors = shape.iter().try_fold(1_usize, |all, levels| all.checked_mul(*levels));
    if vectors != Some(letters.len()) {
        return Err(document.wrong("`decision` has not one letter for each load vector"));
    }
    let full = Map { lowest, levels: shape, index: Index::RowMajor, letters };
    Ok(by_multisets(&full).unwrap_or(full))
}

/// Reads the map of one step of a `load_drift` solution, where it has one.
pub fn load_drift(document: &Document<'_>) -> Result<Map, Complaint> {
    let letters = letters(document)?;
    let (processors, levels) = (document.whole("processors")?, document.whole("levels")?);
    let lowest = document.number("lowest")?;
    let (r, l) = (processors as usize, levels as usize);
    let count = Multisets::new(r, l).map(|sets| sets.states());
    if count != Ok(letters.len()) {
        return Err(document.wrong("`decision` has not one letter for each multiset of levels"));
    }
    let (lowest, levels) = (vec![lowest as i64; r], vec![l; r]);
    Ok(Map { lowest, levels, index: Index::Multiset, letters })
}

fn letters(document: &Document<'_>) -> Result<Vec<u8>, Complaint> {
    let letters = document.text("decision")?.as_bytes().to_vec();
    match letters.iter().find(|letter| !b"BRC".contains(letter)) {
        Some(_) => Err(document.wrong("`decision` has letters other than B, R and C")),
        None => Ok(letters),
    }
}

fn listed(document: &Document<'_>) -> Result<Map, Complaint> {
    let vector = |entry: &Value| entry.as_array()?.iter().map(Value::as_i64).collect();
    let loads: Vec<Vec<i64>> = document.list("loads", "a list of load vectors", vector)?;
    let letters = letters(document)?;
    let r = loads.first().map_or(0, Vec::len);
    if r == 0 || loads.len() != letters.len() || loads.iter().any(|vector| vector.len() != r) {
        return Err(document.wrong("`loads` and `decision` do not fit"));
    }
    let mut entries: Vec<(Vec<i64>, u8)> = loads.into_iter().zip(letters).collect();
    entries.sort();
    let (loads, letters): (Vec<Vec<i64>>, Vec<u8>) = entries.into_iter().unzip();
    let least = |i: usize| loads.iter().map(|vector| vector[i]).min().unwrap_or(0);
    let most = |i: usize| loads.iter().map(|vector| vector[i]).max().unwrap_or(0);
    let lowest: Vec<i64> = (0..r).map(least).collect();
    let levels = (0..r).map(|i| (most(i) - lowest[i] + 1) as usize).collect();
    Ok(Map { lowest, levels, index: Index::Listed(loads), letters })
}

/// The same map by sorted loads, if all processes have the same levels and no order matters.
fn by_multisets(full: &Map) -> Option<Map> {
    let r = full.processes();
    let equal =
        (1..r).all(|i| full.lowest[i] == full.lowest[0] && full.levels[i] == full.levels[0]);
    if r < 2 || !equal {
        return None;
    }
    let sets = Multisets::new(r, full.levels[0]).ok()?;
    let mut letters = vec![0; sets.states()];
    for (place, letter) in full.letters.iter().enumerate() {
        let (loads, _) = full.entry(place);
        let mut sorted: Vec<usize> =
            loads.iter().map(|load| (load - full.lowest[0]) as usize).collect();
        sorted.sort_unstable();
        let held = &mut letters[sets.rank(&sorted)];
        if *held != 0 && held != letter {
            return None;
        }
        *held = *letter;
    }
    // Two processes make a picture worth keeping.
    (r > 2).then(|| Map { index: Index::Multiset, letters, ..full.clone() })
}

fn archived(
    document: &Document<'_>,
    lowest: Vec<i64>,
    levels: Vec<usize>,
    path: &Path,
) -> Result<Map, Complaint> {
    let shown = path.display();
    let broken = |error: &dyn std::fmt::Display| {
        let message = format!("{shown}: not an archive of decisions: {error}");
        Complaint::elsewhere(message, "solve the model with --out once more")
    };
    let file = File::open(path).map_err(|error| {
        let message = format!("{}: the map has more than 10^6 load vectors", document.name);
        let help = format!("its archive {shown} must lie beside it ({error}): solve with --out");
        Complaint::elsewhere(message, help)
    })?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    let r = levels.len();
    if levels.iter().any(|l| l != &levels[0]) || lowest.iter().any(|low| low != &lowest[0]) {
        let message = format!("{}: its processes are not equal", document.name);
        let help = "maps of more than 10^6 load vectors are exported for equal processes only";
        return Err(Complaint::elsewhere(message, help));
    }
    let sets = Multisets::new(r, levels[0]).map_err(|error| broken(&error))?;
    let mut bytes = |name: &str| {
        let mut bytes = Vec::new();
        let mut entry = zip.by_name(name).map_err(|error| broken(&error))?;
        entry.read_to_end(&mut bytes).map_err(|error| broken(&error))?;
        Ok(bytes)
    };
    let (loads, decision) = (bytes("loads.npy")?, bytes("decision.npy")?);
    let array = |bytes: &'_ [u8]| NpyFile::new(bytes).and_then(|file| file.into_vec::<i64>());
    let loads = array(&loads).map_err(|error| broken(&error))?;
    let decision = NpyFile::new(decision.as_slice()).and_then(|file| file.into_vec::<u8>());
    let decision = decision.map_err(|error| broken(&error))?;
    // Outside a region one remaps.
    let all = match document.text("representation")? {
        "active" if decision.len() <= sets.states() => sets.states(),
        _ => decision.len(),
    };
    if loads.len() != decision.len() * r || all != sets.states() {
        return Err(broken(&"its classes are not those of the model"));
    }
    if all > MOST_CLASSES {
        let message = format!("{}: {all} classes are too many to export", document.name);
        return Err(Complaint::elsewhere(message, "take fewer levels or processes"));
    }
    let mut letters = vec![b'R'; all];
    for (row, letter) in loads.chunks(r).zip(&decision) {
        let mut sorted = Vec::with_capacity(r);
        for load in row {
            let level = load.checked_sub(lowest[0]).and_then(|level| usize::try_from(level).ok());
            match level.filter(|level| *level < levels[0]) {
                Some(level) => sorted.push(level),
                None => return Err(broken(&format!("the load {load} is not one of the levels"))),
            }
        }
        sorted.sort_unstable();
        letters[sets.rank(&sorted)] = *letter;
    }
    Ok(Map { lowest, levels, index: Index::Multiset, letters })
}
