//! Load balancing data of DARMA/vt: a JSON file for each node, with the times of its tasks by
//! phase.
//!
//! A step is a phase, and a rank is a node. An object that is on another node than in the phase
//! before was moved in between, so the run was remapped. The files do not contain the cost of a
//! remap.

use super::Raw;
use super::opened::{self, PEEK};
use super::{Cell, MOST_SECONDS, RawRemap};
use crate::complaint::Complaint;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::hash_map::{DefaultHasher, HashMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::marker::PhantomData;
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
    phases: Phases,
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
    tasks: Tasks,
}

#[derive(Deserialize)]
struct Task {
    entity: Entity,
    node: u32,
    resource: String,
    time: Time,
}

#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Time(f64);

impl TryFrom<f64> for Time {
    type Error = String;

    fn try_from(time: f64) -> Result<Time, String> {
        // JSON has no infinite numbers.
        match (0.0..=MOST_SECONDS).contains(&time) {
            true => Ok(Time(time)),
            false => Err(format!("{time} is no time")),
        }
    }
}

#[derive(Deserialize)]
struct Numbers {
    id: Option<serde_json::Number>,
    seq_id: Option<serde_json::Number>,
    collection_id: Option<serde_json::Number>,
    home: u32,
    migratable: bool,
}

/// An object, by a number that identifies it.
#[derive(Deserialize)]
#[serde(try_from = "Numbers")]
struct Entity {
    key: u64,
    home: u32,
    migratable: bool,
}

impl TryFrom<Numbers> for Entity {
    type Error = &'static str;

    fn try_from(numbers: Numbers) -> Result<Entity, &'static str> {
        let Numbers { id, seq_id, collection_id, home, migratable } = numbers;
        let mut hasher = DefaultHasher::new();
        let text = |number: &Option<serde_json::Number>| number.as_ref().map(ToString::to_string);
        match (text(&id), text(&seq_id)) {
            (Some(id), _) => id.hash(&mut hasher),
            (None, None) => return Err("neither `id` nor `seq_id`"),
            (None, seq_id) => (seq_id, text(&collection_id), home).hash(&mut hasher),
        }
        Ok(Entity { key: hasher.finish(), home, migratable })
    }
}

/// What is held of tasks: they are added up while they are read.
#[derive(Default)]
struct Tasks {
    seconds: f64,
    movable: Vec<u64>,
    /// How many name a node, and the first node that is named.
    of_nodes: BTreeMap<u32, usize>,
    first: Option<u32>,
    /// The highest number of a node.
    highest: u32,
    /// Those of another resource than processors.
    other_resources: usize,
}

impl Tasks {
    fn take(&mut self, task: Task) {
        self.highest = self.highest.max(task.node).max(task.entity.home);
        self.first = self.first.or(Some(task.node));
        *self.of_nodes.entry(task.node).or_default() += 1;
        if task.resource != "cpu" {
            self.other_resources += 1;
            return;
        }
        self.seconds += task.time.0;
        self.movable.extend(task.entity.migratable.then_some(task.entity.key));
    }
}

impl<'de> Deserialize<'de> for Tasks {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Tasks, D::Error> {
        let mut tasks = Tasks::default();
        json.deserialize_seq(Each(
            |task| {
                tasks.take(task);
                Ok(())
            },
            PhantomData,
        ))?;
        Ok(tasks)
    }
}

/// What is held of phases.
#[derive(Default)]
struct Phases {
    by_id: BTreeMap<u32, Phase>,
    /// Of the tasks of all of them: everything but seconds and objects.
    all: Tasks,
    /// Objects that are held.
    objects: usize,
}

/// The most phases, and objects in all phases where they change, that are held of a node: 128 MiB.
const MOST_PHASES: usize = 1 << 20;
const MOST_OBJECTS: usize = 1 << 23;

/// The most nodes.
const MOST_NODES: usize = 1 << 16;

impl Phases {
    fn take(
        &mut self,
        place: usize,
        WrittenPhase { id, tasks }: WrittenPhase,
    ) -> Result<(), String> {
        let last = self.by_id.last_key_value().map(|(_, phase)| &phase.movable);
        let movable = match last.filter(|last| ***last == tasks.movable) {
            Some(last) => last.clone(),
            None => {
                self.objects += tasks.movable.len();
                Rc::new(tasks.movable)
            }
        };
        self.all.first = self.all.first.or(tasks.first);
        self.all.highest = self.all.highest.max(tasks.highest);
        self.all.other_resources += tasks.other_resources;
        for (node, many) in tasks.of_nodes {
            *self.all.of_nodes.entry(node).or_default() += many;
        }
        let phase = Phase { seconds: tasks.seconds, movable };
        if self.by_id.insert(id, phase).is_some() {
            return Err(format!("phases[{place}].id: phase {id} is there twice"));
        }
        let held = [self.by_id.len(), self.objects, self.all.of_nodes.len()];
        match held.into_iter().zip([MOST_PHASES, MOST_OBJECTS, MOST_NODES]).any(|(a, b)| a > b) {
            true => Err("more phases, objects or nodes than can be held".to_owned()),
            false => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for Phases {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Phases, D::Error> {
        let (mut phases, mut place) = (Phases::default(), 0..);
        json.deserialize_seq(Each(
            |phase| phases.take(place.next().unwrap_or_default(), phase),
            PhantomData,
        ))?;
        Ok(phases)
    }
}

/// Takes the items of a list one by one.
struct Each<T, F: FnMut(T) -> Result<(), String>>(F, PhantomData<T>);

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for Each<T, F> {
    type Value = ();

    fn expecting(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        text.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.0)(item).map_err(serde::de::Error::custom)?;
        }
        Ok(())
    }
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
        let input = opened::text(input, &name)?;
        nodes.push(node(input, &name, number(file).map(|(_, number, _)| number))?);
    }
    together(nodes, &path.display().to_string(), raw)
}

/// Reads a single file, without those of other nodes.
pub(in crate::logs) fn read_alone(
    input: impl Read,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    together(vec![node(input, name, None)?], name, raw)
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
fn node(input: impl Read, name: &str, numbered: Option<u32>) -> Result<Node, Complaint> {
    // The reader of JSON asks for single bytes.
    let mut input = BufReader::with_capacity(PEEK, input);
    let mut json = serde_json::Deserializer::from_reader(&mut input);
    let wrong = |message: String| Complaint::elsewhere(message, HELP);
    let written: Result<Written, _> = serde_path_to_error::deserialize(&mut json);
    let at_end = json.end();
    let written = written.map_err(|error| {
        let (path, error) = (error.path().to_string(), error.inner());
        if error.is_io() {
            return wrong(format!("cannot read {name}: {error}"));
        }
        let place = format!("{name}, line {}, column {}", error.line(), error.column());
        let is_at_end = input.fill_buf().is_ok_and(|rest| rest.trim_ascii().is_empty());
        let cut = if error.is_eof() || is_at_end { ": the file is cut short" } else { "" };
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        wrong(format!("{place}, {path}: {message}{cut}"))
    })?;
    at_end.map_err(|error| wrong(format!("{name}: after the data: {error}")))?;
    let Written { kind, metadata, phases } = written;
    let kind = kind.or_else(|| metadata.as_ref()?.kind.clone());
    if let Some(kind) = kind.filter(|kind| kind != "LBDatafile") {
        let message = format!("{name} is of type {kind:?}, not \"LBDatafile\"");
        return Err(wrong(message));
    }
    let named = metadata.as_ref().and_then(|metadata| metadata.rank);
    let Some(rank) = named.or(numbered).or(phases.all.first) else {
        return Err(wrong(format!("{name}: metadata.rank is missing, and there are no tasks")));
    };
    let (host, omitted) = metadata.map_or((None, None), |found| (found.shared_node, found.phases));
    let tasks = phases.all;
    let mut node = Node {
        name: name.to_owned(),
        rank,
        host,
        phases: phases.by_id,
        highest: tasks.highest.max(rank),
        elsewhere: tasks.of_nodes.iter().filter(|(node, _)| **node != rank).map(|one| one.1).sum(),
        other_resources: tasks.other_resources,
    };
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
