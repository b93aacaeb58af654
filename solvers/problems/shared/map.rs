//! Decision maps of solutions, as rules.

use crate::archive;
use crate::complaint::Complaint;
use crate::problems::load_drift::answer as load_drift;
use crate::problems::stopping::answer as stopping;
use remapping::chain::Multisets;
pub use remapping::policy::{Index, Map};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use zip::ZipArchive;

/// The most classes of load vectors in a table.
const MOST_CLASSES: usize = 1 << 26;

/// The map of an answer; that of more than 10^6 load vectors is in `archive`.
pub fn of(answer: &stopping::Answer, name: &str, archive: &Path) -> Result<Map, Complaint> {
    let (map, source) = match &answer.decision {
        Some(decisions) => (listed(answer, decisions), name.to_owned()),
        None => (archived(answer, name, archive)?, archive.display().to_string()),
    };
    match are_counted(&map, answer) {
        true => Ok(map),
        false => {
            let message =
                format!("{source}: its decisions are not those that `counts` of {name} has");
            Err(Complaint::elsewhere(
                message,
                "solve the model once more, with --out where the map is long",
            ))
        }
    }
}

/// Whether the map has as many balanced, remapping and continuing load vectors as the answer says.
fn are_counted(map: &Map, answer: &stopping::Answer) -> bool {
    let mut found = [0.0; 3];
    for (place, letter) in map.decisions.iter().enumerate() {
        let (_, vectors) = map.entry(place);
        match letter {
            b'B' => found[0] += vectors,
            b'R' => found[1] += vectors,
            _ => found[2] += vectors,
        }
    }
    let stopping::Counts { balanced, remap, continued } = answer.counts;
    let all = balanced + remap + continued;
    found
        .iter()
        .zip([balanced, remap, continued])
        .all(|(found, told)| (found - told).abs() <= 1e-9 * all)
}

/// The map with these decisions for the load vectors of an answer.
pub(crate) fn listed(answer: &stopping::Answer, decisions: &str) -> Map {
    let decisions = decisions.as_bytes().to_vec();
    if !answer.loads.is_empty() {
        return searched(answer, decisions);
    }
    let (lowest, levels) = (answer.lowest.clone(), answer.shape.clone());
    let full = Map { lowest, levels, index: Index::RowMajor, decisions };
    by_multisets(&full).unwrap_or(full)
}

/// The map of one step of drifting loads.
pub(crate) fn of_multisets(
    answer: &load_drift::Answer,
    decisions: &str,
) -> Result<Map, &'static str> {
    let (r, levels) = (answer.processors, answer.levels);
    let count = Multisets::new(r, levels).map(|sets| sets.states());
    if count != Ok(decisions.len()) {
        return Err("`decision` has not one letter for each multiset of levels");
    }
    let (lowest, levels) = (vec![answer.lowest as i64; r], vec![levels; r]);
    Ok(Map { lowest, levels, index: Index::Multiset, decisions: decisions.as_bytes().to_vec() })
}

fn searched(answer: &stopping::Answer, decisions: Vec<u8>) -> Map {
    let mut entries: Vec<(Vec<i64>, u8)> = answer.loads.iter().cloned().zip(decisions).collect();
    entries.sort();
    let (loads, decisions): (Vec<Vec<i64>>, Vec<u8>) = entries.into_iter().unzip();
    let lowest = answer.lowest();
    let most = |i: usize| loads.iter().map(|vector| vector[i]).max().unwrap_or(0);
    let levels = (0..lowest.len()).map(|i| (most(i) - lowest[i] + 1) as usize).collect();
    Map { lowest, levels, index: Index::Listed(loads), decisions }
}

/// The same map by sorted loads, if all processes have the same levels and their order does not
/// matter.
fn by_multisets(full: &Map) -> Option<Map> {
    let r = full.processes();
    let equal =
        (1..r).all(|i| full.lowest[i] == full.lowest[0] && full.levels[i] == full.levels[0]);
    if r < 2 || !equal {
        return None;
    }
    let sets = Multisets::new(r, full.levels[0]).ok()?;
    let mut decisions = vec![0; sets.states()];
    for (place, letter) in full.decisions.iter().enumerate() {
        let (loads, _) = full.entry(place);
        let mut sorted: Vec<usize> =
            loads.iter().map(|load| (load - full.lowest[0]) as usize).collect();
        sorted.sort_unstable();
        let held = &mut decisions[sets.rank(&sorted)];
        if *held != 0 && held != letter {
            return None;
        }
        *held = *letter;
    }
    // With two processes the full map makes a useful picture.
    (r > 2).then(|| Map { index: Index::Multiset, decisions, ..full.clone() })
}

fn archived(answer: &stopping::Answer, name: &str, path: &Path) -> Result<Map, Complaint> {
    let (lowest, levels) = (answer.lowest.clone(), answer.shape.clone());
    let shown = path.display();
    let broken = |error: &dyn std::fmt::Display| {
        let message = format!("{shown}: not an archive of decisions: {error}");
        Complaint::elsewhere(message, "solve the model with --out once more")
    };
    let file = File::open(path).map_err(|error| {
        let message = format!("{}: the map has more than 10^6 load vectors", name);
        let help = format!("its archive {shown} must lie beside it ({error}): solve with --out");
        Complaint::elsewhere(message, help)
    })?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    let r = levels.len();
    if levels.iter().any(|l| l != &levels[0]) || lowest.iter().any(|low| low != &lowest[0]) {
        let message = format!("{}: its processes are not equal", name);
        let help = "maps of more than 10^6 load vectors are exported for equal processes only";
        return Err(Complaint::elsewhere(message, help));
    }
    let sets = Multisets::new(r, levels[0]).map_err(|error| broken(&error))?;
    let loads = archive::entries::<i64>(&mut zip, "loads").map_err(|error| broken(&error))?;
    let decision = archive::entries::<u8>(&mut zip, "decision").map_err(|error| broken(&error))?;
    // Outside a region one remaps.
    let all = match answer.representation {
        stopping::Representation::Active if decision.len() <= sets.states() => sets.states(),
        _ => decision.len(),
    };
    if loads.len() != decision.len() * r || all != sets.states() {
        return Err(broken(&"its classes are not those of the model"));
    }
    if all > MOST_CLASSES {
        let message = format!("{}: {all} classes are too many to export", name);
        return Err(Complaint::elsewhere(message, "take fewer levels or processes"));
    }
    let mut decisions = vec![b'R'; all];
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
        decisions[sets.rank(&sorted)] = *letter;
    }
    Ok(Map { lowest, levels, index: Index::Multiset, decisions })
}
