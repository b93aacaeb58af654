//! Load balancing data of DARMA/vt: a JSON file for each node, with the times of its tasks by
//! phase.
//!
//! A step is a phase, and a rank is a node. An object that is on another node than in the phase
//! before was moved in between, so the run was remapped. The files do not contain the cost of a
//! remap.

mod files;
mod node;
mod written;

use super::opened;
use super::{Cell, Raw, RawRemap};
use crate::complaint::Complaint;
use files::{HELP, files, number};
use node::{Node, node};
use std::collections::hash_map::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

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

/// Combines the nodes into one trace.
fn together(mut nodes: Vec<Node>, name: &str, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    nodes.sort_by_key(|node| node.rank);
    complete(&nodes, name)?;
    raw.account.format = "LB data of vt";
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
