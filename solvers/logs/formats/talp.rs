//! TALP of DLB: the useful time of each process in each region, in JSON or CSV
//! (`--talp-summary=process`).
//!
//! TALP adds up a region over the whole run. Its file is a log of steps where each step is a region
//! of its own, called alike but for a number: `step 0`, `step 1`. Useful time is that outside of
//! MPI, of all CPUs of a process together; it is divided by their number. Compared with
//! src/talp/talp_output.c of DLB, commit 6ff2cec, on 28 November 2026.

use super::opened::PEEK;
use super::table::names::listed;
use super::{Cell, Raw, fault, whole};
use crate::complaint::Complaint;
use crate::records::Records;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

const HELP: &str = "open a region of its own for each step (`step 0`, `step 1`, ...) and write processes: \
                    DLB_ARGS=\"--talp --talp-summary=process --talp-output-file=talp.csv\"";

const NANOSECOND: f64 = 1e-9;

/// Whether a file that starts like this was written by TALP.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    let start = start.trim_start();
    let first = start.lines().next().unwrap_or("");
    is_of_processes(first)
        || first.starts_with("name,numCpus,")
        || first.starts_with("NodeId,ProcessId,ProcessUsefulTime")
        || start.starts_with('{') && start.contains("\"dlbVersion\"")
}

fn is_of_processes(header: &str) -> bool {
    header.starts_with("Region,Rank,") && header.contains(",UsefulTime")
}

/// What a process did in a region.
#[derive(Deserialize)]
struct Process {
    rank: u32,
    #[serde(rename = "numCpus")]
    cpus: u32,
    #[serde(rename = "usefulTime")]
    useful: f64,
}

#[derive(Deserialize)]
struct Written {
    #[serde(rename = "Process")]
    processes: Option<Regions>,
}

/// The processes of each region.
#[derive(Default)]
struct Regions {
    by_name: BTreeMap<String, Vec<Process>>,
    /// About how many bytes they take.
    bytes: usize,
}

/// The most of these.
const MOST_BYTES: usize = 1 << 26;

/// The fields of a region other than its name.
const OF_A_REGION: usize = 96;

impl Regions {
    fn add(&mut self, region: String, processes: Vec<Process>) -> Result<(), &'static str> {
        self.bytes += processes.len() * size_of::<Process>();
        if !self.by_name.contains_key(&region) {
            self.bytes += OF_A_REGION + region.len();
        }
        self.by_name.entry(region).or_default().extend(processes);
        if self.bytes > MOST_BYTES { Err("more regions than can be held") } else { Ok(()) }
    }
}

impl<'de> Deserialize<'de> for Regions {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Regions, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Regions;

            fn expecting(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                text.write_str("the processes of each region")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Regions, A::Error> {
                let mut regions = Regions::default();
                while let Some((region, processes)) = map.next_entry()? {
                    regions.add(region, processes).map_err(serde::de::Error::custom)?;
                }
                Ok(regions)
            }
        }
        json.deserialize_map(Each)
    }
}

pub(in crate::logs) fn read(
    mut input: &mut dyn BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let wrong = |what: &str| Complaint::elsewhere(format!("{name}: {what}"), HELP);
    let unread = |error: std::io::Error| wrong(&format!("cannot be read: {error}"));
    let no_processes =
        "TALP wrote metrics of whole regions or nodes, and not the times of processes";
    let start = input.fill_buf().map_err(unread)?;
    let regions = if start.trim_ascii_start().starts_with(b"{") {
        // The reader of JSON asks for single bytes.
        let written: Written = serde_json::from_reader(BufReader::with_capacity(PEEK, input))
            .map_err(|error| wrong(&format!("as JSON: {error}")))?;
        written.processes.ok_or_else(|| wrong(no_processes))?
    } else {
        if !is_of_processes(String::from_utf8_lossy(start).lines().next().unwrap_or("")) {
            return Err(wrong(no_processes));
        }
        table(&mut input, name)?
    };
    let regions = regions.by_name;
    let (steps, left) = steps(&regions);
    if steps.len() < 2 {
        let names = listed(regions.keys().take(3));
        return Err(wrong(&format!(
            "TALP adds up its regions over the whole run, and none of them is a step: {names}"
        )));
    }
    raw.account.format = "process summary of TALP";
    raw.account.recognized_by = "its columns of useful time by region and rank".to_owned();
    raw.account.column("step", "Region");
    raw.account.column("rank", "Rank");
    raw.account.column("seconds", "UsefulTime");
    raw.account.left_out.extend(left.iter().map(|region| format!("the region `{region}`")));
    let unit = raw.forced_unit.unwrap_or(NANOSECOND);
    // The times are converted here.
    (raw.unit_seconds, raw.scale) = (Some(unit), None);
    for (step, processes) in steps {
        for process in processes {
            let seconds = unit * process.useful / f64::from(process.cpus.max(1));
            if !(seconds.is_finite() && seconds >= 0.0) {
                return Err(wrong(&format!("a useful time of {} is none", process.useful)));
            }
            raw.push(Cell { step, rank: process.rank, seconds }).map_err(|what| wrong(&what))?;
        }
    }
    Ok(())
}

/// The regions that are steps, by number: those of the name that most share; and the names of the
/// others.
fn steps(regions: &BTreeMap<String, Vec<Process>>) -> (BTreeMap<u32, &Vec<Process>>, Vec<&String>) {
    let numbered = |region: &str| {
        let stem = region.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((stem.to_owned(), region[stem.len()..].parse::<u32>().ok()?))
    };
    let mut stems: BTreeMap<String, usize> = BTreeMap::new();
    for (stem, _) in regions.keys().filter_map(|region| numbered(region)) {
        *stems.entry(stem).or_default() += 1;
    }
    let most = stems.into_iter().max_by_key(|(_, many)| *many).map(|(stem, _)| stem);
    let (mut steps, mut left) = (BTreeMap::new(), Vec::new());
    for (region, processes) in regions {
        match numbered(region).filter(|(stem, _)| Some(stem) == most.as_ref()) {
            Some((_, number)) => drop(steps.insert(number, processes)),
            None => left.push(region),
        }
    }
    (steps, left)
}

fn table(input: &mut dyn BufRead, name: &str) -> Result<Regions, Complaint> {
    let mut records = Records::new(input, b',', 0);
    let mut header: Option<[usize; 4]> = None;
    let mut width = 0;
    let mut regions = Regions::default();
    loop {
        let line = records.line() + 1;
        let wrong = |what: &str| fault(name, line, what, HELP);
        let next = records.next().map_err(|error| wrong(&format!("cannot be read: {error}")))?;
        let Some((_, fields)) = next else { return Ok(regions) };
        let fields: Vec<String> =
            fields.iter().map(|field| String::from_utf8_lossy(field).trim().to_owned()).collect();
        // Files that are written to again may have their header again.
        let is_header = fields.first().is_some_and(|first| first == "Region");
        let Some([region, rank, cpus, useful]) = header.filter(|_| !is_header) else {
            let place = |wanted: &str| {
                let at = fields.iter().position(|field| field == wanted);
                at.ok_or_else(|| wrong(&format!("there is no column `{wanted}`")))
            };
            header =
                Some([place("Region")?, place("Rank")?, place("NumCpus")?, place("UsefulTime")?]);
            width = fields.len();
            continue;
        };
        if fields.iter().all(String::is_empty) {
            continue;
        }
        if fields.len() != width {
            return Err(wrong(&format!("{} fields where the header has {width}", fields.len())));
        }
        let number = |at: usize, what: &str| {
            whole(&fields[at], what).map_err(|said| wrong(&format!("{what}: {said}")))
        };
        let useful: f64 = fields[useful]
            .parse()
            .map_err(|_| wrong(&format!("UsefulTime: {:?} is not a number", fields[useful])))?;
        let process =
            Process { rank: number(rank, "rank")?, cpus: number(cpus, "NumCpus")?, useful };
        regions.add(fields[region].clone(), vec![process]).map_err(wrong)?;
    }
}
