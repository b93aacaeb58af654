//! Load balancing data of DARMA/vt: a JSON file for each node, with the times of its tasks by
//! phase.
//!
//! A step is a phase, and a rank is a node. An object that is on another node than in the phase
//! before was moved in between, so the run was remapped. The files do not contain the cost of a
//! remap.

use super::Raw;
use super::{Cell, RawRemap, opened};
use crate::complaint::Complaint;
use serde::Deserialize;
use std::collections::hash_map::{DefaultHasher, HashMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const HELP: &str =
    "give the folder or a file that --vt_lb_data wrote, the files of all nodes beside it";

/// The most phases of a file that are as the ones before them.
const MOST_SAME: u32 = 1 << 16;

/// The parts of a file that are read; communication is ignored.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "type")]
    kind: Option<String>,
    metadata: Option<Metadata>,
    phases: Vec<WrittenPhase>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "type")]
    kind: Option<String>,
    rank: Option<u32>,
    shared_node: Option<Host>,
    phases: Option<Omitted>,
}

/// The computer of a node.
#[derive(Deserialize)]
struct Host {
    id: u32,
    size: usize,
    num_nodes: usize,
}

/// Phases that are left out of the file.
#[derive(Deserialize)]
struct Omitted {
    #[serde(default)]
    identical_to_previous: Listed,
}

#[derive(Deserialize, Default)]
struct Listed {
    #[serde(default)]
    list: Vec<u32>,
    #[serde(default)]
    range: Vec<[u32; 2]>,
}

#[derive(Deserialize)]
struct WrittenPhase {
    id: u32,
    #[serde(default)]
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    entity: Entity,
    node: u32,
    resource: String,
    time: f64,
}

#[derive(Deserialize)]
struct Entity {
    id: Option<serde_json::Number>,
    seq_id: Option<serde_json::Number>,
    collection_id: Option<serde_json::Number>,
    home: u32,
    migratable: bool,
}

/// The work of a node in a phase.
#[derive(Default, Clone)]
struct Phase {
    seconds: f64,
    movable: Rc<Vec<u64>>,
}

/// The file of a node.
struct Node {
    name: String,
    rank: u32,
    host: Option<Host>,
    phases: BTreeMap<u32, Phase>,
    /// The highest number of a node in the file.
    highest: u32,
    /// The number of tasks that name another node, or another resource than processors.
    elsewhere: usize,
    other_resources: usize,
}

/// Whether a file with this beginning holds such data.
pub(in crate::logs) fn is_data(start: &str) -> bool {
    let body = start.trim_start();
    let Some(rest) = body.strip_prefix('{') else { return false };
    let rest = rest.trim_start();
    rest.starts_with("\"phases\"")
        || rest.starts_with("\"metadata\"")
        || body.contains("\"LBDatafile\"")
        || body.contains("\"LBStatsfile\"")
}

/// Reads the data from `path`, which is one of the files or their folder.
pub(in crate::logs) fn read(path: &Path, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    let files = files(path)?;
    let mut nodes = Vec::with_capacity(files.len());
    for file in &files {
        let name = file.display().to_string();
        let cannot = |error: &dyn std::fmt::Display| {
            Complaint::elsewhere(format!("cannot read {name}: {error}"), HELP)
        };
        let input = File::open(file).map_err(|error| cannot(&error))?;
        let mut text = String::new();
        let mut input = opened::text(input, &name)?;
        input.read_to_string(&mut text).map_err(|error| cannot(&error))?;
        nodes.push(node(&text, &name, number(file).map(|(_, number, _)| number))?);
    }
    together(nodes, &path.display().to_string(), raw)
}

/// Reads a single file, without those of other nodes.
pub(in crate::logs) fn read_alone(
    mut input: impl Read,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(|error| Complaint::elsewhere(format!("cannot read {name}: {error}"), HELP))?;
    together(vec![node(&text, name, None)?], name, raw)
}

/// The last number in the name of a file, and the text before and after it.
fn number(path: &Path) -> Option<(String, u32, String)> {
    let name = path.file_name()?.to_str()?;
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    Some((name[..start].to_owned(), name[start..end].parse().ok()?, name[end..].to_owned()))
}

/// The files of a run: those in the folder, or those whose names differ only in the number of the
/// node.
fn files(path: &Path) -> Result<Vec<PathBuf>, Complaint> {
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

/// Reads the file of a node.
fn node(text: &str, name: &str, numbered: Option<u32>) -> Result<Node, Complaint> {
    let mut json = serde_json::Deserializer::from_str(text);
    let wrong = |message: String| Complaint::elsewhere(message, HELP);
    let written: Written = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (path, error) = (error.path().to_string(), error.inner());
        let place = format!("{name}, line {}, column {}", error.line(), error.column());
        let last = text.lines().last().map_or(0, str::len);
        let at_end = error.line() >= text.lines().count() && error.column() >= last;
        let cut = if at_end { ": the file is cut short" } else { "" };
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        wrong(format!("{place}, {path}: {message}{cut}"))
    })?;
    json.end().map_err(|error| wrong(format!("{name}: after the data: {error}")))?;
    let Written { kind, metadata, phases } = written;
    let kind = kind.or_else(|| metadata.as_ref()?.kind.clone());
    if let Some(kind) = kind.filter(|kind| kind != "LBDatafile") {
        let message = format!("{name} is of type {kind:?}, not \"LBDatafile\"");
        return Err(wrong(message));
    }
    let named = metadata.as_ref().and_then(|metadata| metadata.rank);
    let by_tasks = phases.iter().flat_map(|phase| &phase.tasks).map(|task| task.node).next();
    let Some(rank) = named.or(numbered).or(by_tasks) else {
        return Err(wrong(format!("{name}: metadata.rank is missing, and there are no tasks")));
    };
    let (host, omitted) = metadata.map_or((None, None), |found| (found.shared_node, found.phases));
    let mut node = Node {
        name: name.to_owned(),
        rank,
        host,
        phases: BTreeMap::new(),
        highest: rank,
        elsewhere: 0,
        other_resources: 0,
    };
    for (p, written) in phases.into_iter().enumerate() {
        let (mut phase, mut movable) = (Phase::default(), Vec::new());
        for (t, task) in written.tasks.into_iter().enumerate() {
            // JSON has no infinite numbers.
            if task.time < 0.0 || task.time > 1e100 {
                let at = format!("{name}, phases[{p}].tasks[{t}].time");
                return Err(wrong(format!("{at}: {} is no time", task.time)));
            }
            if task.entity.id.is_none() && task.entity.seq_id.is_none() {
                let at = format!("{name}, phases[{p}].tasks[{t}].entity");
                return Err(wrong(format!("{at}: neither `id` nor `seq_id`")));
            }
            node.highest = node.highest.max(task.node).max(task.entity.home);
            node.elsewhere += usize::from(task.node != rank);
            if task.resource != "cpu" {
                node.other_resources += 1;
                continue;
            }
            phase.seconds += task.time;
            if task.entity.migratable {
                movable.push(task.entity.key());
            }
        }
        phase.movable = Rc::new(movable);
        if node.phases.insert(written.id, phase).is_some() {
            let message = format!("{name}, phases[{p}].id: phase {} is there twice", written.id);
            return Err(wrong(message));
        }
    }
    if let Some(Omitted { identical_to_previous: Listed { list, range } }) = omitted {
        let at = "metadata.phases.identical_to_previous";
        let mut most = MOST_SAME;
        for [first, last] in &range {
            let left = last.checked_sub(*first).and_then(|steps| most.checked_sub(steps));
            most = left.ok_or_else(|| {
                wrong(format!("{name}, {at}: {first} to {last} is no range of phases"))
            })?;
        }
        let listed = range.into_iter().flat_map(|[first, last]| first..=last);
        let mut same: Vec<u32> = list.into_iter().chain(listed).collect();
        same.sort_unstable();
        for id in same {
            let before = node.phases.range(..id).next_back().map(|(_, phase)| phase.clone());
            let Some(before) = before else {
                return Err(wrong(format!("{name}, {at}: there is no phase before {id}")));
            };
            node.phases.entry(id).or_insert(before);
        }
    }
    Ok(node)
}

impl Entity {
    /// A number that identifies the object.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let text = |number: &Option<serde_json::Number>| number.as_ref().map(ToString::to_string);
        match text(&self.id) {
            Some(id) => id.hash(&mut hasher),
            None => (text(&self.seq_id), text(&self.collection_id), self.home).hash(&mut hasher),
        }
        hasher.finish()
    }
}

/// Combines the nodes into one trace.
fn together(mut nodes: Vec<Node>, name: &str, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    nodes.sort_by_key(|node| node.rank);
    complete(&nodes, name)?;
    raw.form = "LB data of vt";
    let refused = |what: String| Complaint::elsewhere(format!("{name}: {what}"), HELP);
    let phases: BTreeSet<u32> = nodes.iter().flat_map(|node| node.phases.keys().copied()).collect();
    let mut before: HashMap<u64, u32> = HashMap::new();
    for (number, phase) in phases.into_iter().enumerate() {
        let mut places: HashMap<u64, u32> = HashMap::new();
        for node in &nodes {
            let Some(done) = node.phases.get(&phase) else { continue };
            let cell = Cell { step: phase, rank: node.rank, seconds: done.seconds };
            raw.push(cell).map_err(refused)?;
            for object in done.movable.iter() {
                // An object on two nodes at once is no evidence of a move.
                places
                    .entry(*object)
                    .and_modify(|place| {
                        *place = if *place == node.rank { *place } else { u32::MAX }
                    })
                    .or_insert(node.rank);
            }
        }
        raw.knows_remaps |= !places.is_empty();
        let moved = places.iter().any(|(object, place)| {
            let was = before.get(object).copied().unwrap_or(*place);
            was != *place && was != u32::MAX && *place != u32::MAX
        });
        if moved && number > 0 {
            raw.remap(RawRemap { step: phase, seconds: None }).map_err(refused)?;
        }
        before = places;
    }
    let elsewhere: usize = nodes.iter().map(|node| node.elsewhere).sum();
    if elsewhere > 0 {
        raw.repairs.push(format!(
            "{elsewhere} tasks name another node than their file is of: they count where they are written"
        ));
    }
    let other: usize = nodes.iter().map(|node| node.other_resources).sum();
    if other > 0 {
        raw.repairs.push(format!("{other} times of other resources than \"cpu\" are left out"));
    }
    raw.repairs.push(format!(
        "{} files of vt: the seconds of a rank are the times of its tasks in a phase{}",
        nodes.len(),
        match raw.knows_remaps {
            true => "; where objects moved it was remapped",
            false => "; none of them can move, so that remaps are not known",
        }
    ));
    Ok(())
}

/// Checks that the file of every node is there exactly once.
fn complete(nodes: &[Node], name: &str) -> Result<(), Complaint> {
    let wrong = |message: String| Err(Complaint::elsewhere(message, HELP));
    if let Some(pair) = nodes.windows(2).find(|pair| pair[0].rank == pair[1].rank) {
        let (a, b) = (&pair[0].name, &pair[1].name);
        return wrong(format!("{a} and {b} are both of node {}", pair[0].rank));
    }
    let there: BTreeSet<u32> = nodes.iter().map(|node| node.rank).collect();
    let highest = nodes.iter().map(|node| node.highest).max().unwrap_or(0);
    let missing: Vec<String> = (0..=highest)
        .filter(|rank| !there.contains(rank))
        .take(8)
        .map(|rank| rank.to_string())
        .collect();
    if !missing.is_empty() {
        let more = if highest as usize + 1 - nodes.len() > missing.len() { ", ..." } else { "" };
        let list = missing.join(", ");
        return wrong(format!("{name}: the file of node {list}{more} is missing"));
    }
    let mut hosts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut number = 0;
    for host in nodes.iter().filter_map(|node| node.host.as_ref()) {
        let (seen, size) = hosts.entry(host.id).or_insert((0, host.size));
        (*seen, *size) = (*seen + 1, host.size.max(*size));
        number = number.max(host.num_nodes);
    }
    if let Some((id, (seen, size))) = hosts.iter().find(|(_, (seen, size))| seen < size) {
        let at = "metadata.shared_node.size";
        return wrong(format!(
            "{name}: {at} of computer {id} is {size}, and there are {seen} files"
        ));
    }
    if hosts.len() < number {
        let (seen, at) = (hosts.len(), "metadata.shared_node.num_nodes");
        return wrong(format!("{name}: {at} is {number}, and there are files of {seen} computers"));
    }
    Ok(())
}
