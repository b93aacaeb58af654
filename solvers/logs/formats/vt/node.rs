//! The file of a node: its phases, those that it leaves out among them.

use super::super::opened::PEEK;
use super::files::HELP;
use super::written::{Host, Listed, Omitted, Phase, Written};
use crate::complaint::Complaint;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::rc::Rc;

/// The file of a node.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) rank: u32,
    pub(super) host: Option<Host>,
    pub(super) phases: BTreeMap<u32, Phase>,
    /// The highest number of a node in the file.
    pub(super) highest: u32,
    /// The number of tasks that name another node, or another resource than processors.
    pub(super) elsewhere: usize,
    pub(super) other_resources: usize,
}

/// A reader that records whether its input has ended.
struct Ending<R> {
    input: R,
    ended: Rc<Cell<bool>>,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(bytes)?;
        self.ended.set(count == 0);
        Ok(count)
    }
}

/// The most phases of a file that are as the ones before them.
const MOST_SAME: u32 = 1 << 16;

/// Reads the file of a node.
pub(super) fn node(input: impl Read, name: &str, numbered: Option<u32>) -> Result<Node, Complaint> {
    let ended = Rc::new(Cell::new(false));
    let input = Ending { input, ended: Rc::clone(&ended) };
    // The reader of JSON asks for single bytes: it is fastest with a buffer of its own.
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(PEEK, input));
    let wrong = |message: String| Complaint::elsewhere(message, HELP);
    let written: Result<Written, _> = serde_path_to_error::deserialize(&mut json);
    let at_end = json.end();
    let written = written.map_err(|error| {
        let (path, error) = (error.path().to_string(), error.inner());
        if error.is_io() {
            return wrong(format!("cannot read {name}: {error}"));
        }
        let place = format!("{name}, line {}, column {}", error.line(), error.column());
        let cut = if error.is_eof() || ended.get() { ": the file is cut short" } else { "" };
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
