//! The rule a solution states, as its document says it.

use crate::model::complaint::Complaint;
use serde_json::Value;

/// A rule and where it comes from.
#[derive(Debug, Clone)]
pub struct Export {
    /// The model's title.
    pub title: String,
    /// What the rule promises and assumes, a sentence each.
    pub notes: Vec<String>,
    /// The rule.
    pub rule: Rule,
}

/// When to remap.
#[derive(Debug, Clone)]
pub enum Rule {
    /// When the belief that the phase has changed exceeds the threshold of the step.
    Belief(Belief),
    /// In the load vectors of a map.
    Map(Map),
    /// When max - mean exceeds the threshold of the step.
    Imbalance(Imbalance),
    /// Every so many steps.
    Interval(Interval),
}

/// Thresholds on the belief, and Bayes' rule that updates it.
#[derive(Debug, Clone)]
pub struct Belief {
    /// M.
    pub last: u64,
    /// Thresholds of the steps 0, 1, ...
    pub head: Vec<f64>,
    /// The threshold of the steps between head and tail.
    pub stationary: f64,
    /// Thresholds of the last steps, up to M.
    pub tail: Vec<f64>,
    /// alpha, beta.
    pub detector: (f64, f64),
    /// h_1, h_2, ..., or one number for every step.
    pub hazard: Vec<f64>,
}

/// The shortest run of equal thresholds that is not written out.
const SHORTEST_RUN: usize = 16;

impl Belief {
    /// The first step of the tail.
    pub fn tail_from(&self) -> u64 {
        self.last + 1 - self.tail.len() as u64
    }

    /// The threshold of a step; 1, never, beyond the last.
    pub fn threshold(&self, n: u64) -> f64 {
        match n {
            _ if n > self.last => 1.0,
            _ if (n as usize) < self.head.len() => self.head[n as usize],
            _ if n < self.tail_from() => self.stationary,
            _ => self.tail[(n - self.tail_from()) as usize],
        }
    }

    /// Takes the longest run of equal thresholds out of a full list.
    fn of_list(last: u64, list: &[f64], detector: (f64, f64), hazard: Vec<f64>) -> Belief {
        let (mut longest, mut start) = (0..0, 0);
        for n in 1..=list.len() {
            if n == list.len() || list[n] != list[start] {
                if n - start > longest.len() {
                    longest = start..n;
                }
                start = n;
            }
        }
        if longest.len() < SHORTEST_RUN {
            longest = 0..0;
        }
        Belief {
            last,
            head: list[..longest.start].to_vec(),
            stationary: list[longest.start],
            tail: list[longest.end..].to_vec(),
            detector,
            hazard,
        }
    }
}

/// A decision for every load vector.
#[derive(Debug, Clone)]
pub struct Map {
    /// The lowest load of each process.
    pub lowest: Vec<i64>,
    /// The number of levels of each process.
    pub levels: Vec<usize>,
    /// How a load vector is found.
    pub index: Index,
    /// `B`, `R` or `C` for each entry.
    pub letters: Vec<u8>,
}

/// How a load vector finds its entry in a map.
#[derive(Debug, Clone)]
pub enum Index {
    /// Row-major, the last process fastest.
    RowMajor,
    /// Sorted, by the rank of the multiset of levels.
    Multiset,
    /// By search in the list, which is in ascending order.
    Listed(Vec<Vec<i64>>),
}

impl Map {
    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.lowest.len()
    }

    /// The loads of an entry (of one of its orderings), and how many load vectors it stands for.
    pub fn entry(&self, place: usize) -> (Vec<i64>, f64) {
        match &self.index {
            Index::Listed(loads) => (loads[place].clone(), 1.0),
            Index::RowMajor => {
                let mut rest = place;
                let mut loads = self.lowest.clone();
                for (load, levels) in loads.iter_mut().zip(&self.levels).rev() {
                    *load += (rest % levels) as i64;
                    rest /= levels;
                }
                (loads, 1.0)
            }
            Index::Multiset => {
                let sets = self.sets();
                let sorted = sets.unrank(place);
                let loads = sorted.iter().map(|&level| self.lowest[0] + level as i64).collect();
                (loads, sets.orderings(&sorted))
            }
        }
    }

    /// The decision for these loads, the nearest levels for loads beyond; `None` for another number of
    /// processes than the map's, or loads that are not listed.
    pub fn decision(&self, loads: &[i64]) -> Option<u8> {
        if loads.len() != self.processes() {
            return None;
        }
        let level = |(i, load): (usize, &i64)| {
            (load - self.lowest[i]).clamp(0, self.levels[i] as i64 - 1) as usize
        };
        let mut levels: Vec<usize> = loads.iter().enumerate().map(level).collect();
        let place = match &self.index {
            Index::RowMajor => {
                levels.iter().zip(&self.levels).fold(0, |place, (level, all)| place * all + level)
            }
            Index::Multiset => {
                levels.sort_unstable();
                self.sets().rank(&levels)
            }
            Index::Listed(listed) => {
                listed.binary_search_by(|entry| entry.as_slice().cmp(loads)).ok()?
            }
        };
        self.letters.get(place).copied()
    }

    /// The ranking of sorted levels.
    pub fn sets(&self) -> remapping::chain::Multisets {
        remapping::chain::Multisets::new(self.processes(), self.levels[0])
            .expect("as many sets as entries were counted")
    }
}

/// Thresholds on max - mean.
#[derive(Debug, Clone)]
pub struct Imbalance {
    /// Number of steps; none is followed by a remap from the last on.
    pub steps: u64,
    /// From which step on which threshold holds.
    pub thresholds: Vec<(u64, f64)>,
    /// Load of every processor at the start.
    pub mean: f64,
    /// The interval of least average cost.
    pub interval: Option<u64>,
}

/// A fixed interval.
#[derive(Debug, Clone)]
pub struct Interval {
    /// Steps between remaps; never if none.
    pub every: Option<u64>,
    /// The max / mean - 1 expected at its end, where it is known.
    pub tolerance: Option<f64>,
    /// Load of every processor at the start.
    pub mean: f64,
}

/// Fields of a document, with complaints that name them.
pub struct Document<'a> {
    /// What is read.
    pub value: &'a Value,
    /// How it is called.
    pub name: &'a str,
}

impl Document<'_> {
    /// A complaint about the document.
    pub fn wrong(&self, what: &str) -> Complaint {
        let help = "give the document that `remap solve MODEL.ron --json` prints or --out writes";
        Complaint::elsewhere(format!("{}: {what}", self.name), help)
    }

    fn need<T>(&self, field: &str, kind: &str, found: Option<T>) -> Result<T, Complaint> {
        let what = match self.value.get(field) {
            None | Some(Value::Null) => format!("there is no field `{field}`"),
            Some(_) => format!("the field `{field}` is not {kind}"),
        };
        found.ok_or_else(|| self.wrong(&what))
    }

    /// A text.
    pub fn text(&self, field: &str) -> Result<&str, Complaint> {
        self.need(field, "a text", self.value.get(field).and_then(Value::as_str))
    }

    /// A whole number of at least 0.
    pub fn whole(&self, field: &str) -> Result<u64, Complaint> {
        self.need(field, "a whole number", self.value.get(field).and_then(Value::as_u64))
    }

    /// A number.
    pub fn number(&self, field: &str) -> Result<f64, Complaint> {
        self.need(field, "a number", self.value.get(field).and_then(Value::as_f64))
    }

    /// A list, read entry by entry.
    pub fn list<T>(
        &self,
        field: &str,
        kind: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, Complaint> {
        let entries = self.value.get(field).and_then(Value::as_array);
        self.need(field, kind, entries.and_then(|list| list.iter().map(read).collect()))
    }

    fn numbers(&self, field: &str) -> Result<Vec<f64>, Complaint> {
        self.list(field, "a list of numbers", Value::as_f64)
    }

    fn part(&self, field: &str) -> Result<Document<'_>, Complaint> {
        let value = self.need(field, "an object", self.value.get(field))?;
        Ok(Document { value, name: self.name })
    }
}

/// Reads the thresholds of a `phase_change` solution.
pub fn belief(document: &Document<'_>) -> Result<Belief, Complaint> {
    let last = document.whole("last_step")?;
    if document.value.get("belief").is_none() {
        let what = "it has no `belief`: only detectors that say yes or no are exported";
        return Err(document.wrong(what));
    }
    let belief = document.part("belief")?;
    let detector = (belief.number("false_alarm")?, belief.number("missed")?);
    let hazard = match belief.value.get("hazard").and_then(Value::as_f64) {
        Some(constant) => vec![constant],
        None => belief.numbers("hazard")?,
    };
    let list = document.numbers("threshold")?;
    let probability = |p: &f64| (0.0..=1.0).contains(p);
    let errors = [detector.0, detector.1];
    if !list.iter().chain(&hazard).chain(&errors).all(probability) {
        return Err(document.wrong("a threshold or a probability is not between 0 and 1"));
    }
    if hazard.len() != 1 && (hazard.len() as u64) < last {
        return Err(document.wrong("there are fewer hazards than steps"));
    }
    if document.value.get("first_step").is_some() {
        return Err(document.wrong("the computation was stopped before it came to step 0"));
    }
    if document.value.get("threshold_stationary").is_none() {
        if list.len() as u64 != last.saturating_add(1) {
            let found = list.len();
            return Err(document.wrong(&format!("{found} thresholds for the steps 0..={last}")));
        }
        return Ok(Belief::of_list(last, &list, detector, hazard));
    }
    let through = document.whole("stationary_through")?;
    let head = match document.value.get("threshold_head") {
        None => Vec::new(),
        Some(_) => document.list("threshold_head", "a list of bounds", |bounds| {
            Some((bounds.get(0)?.as_f64()? + bounds.get(1)?.as_f64()?) / 2.0)
        })?,
    };
    if through.checked_add(1 + list.len() as u64) != last.checked_add(1) {
        return Err(document.wrong("the thresholds do not end at the last step"));
    }
    let stationary = document.number("threshold_stationary")?;
    Ok(Belief { last, head, stationary, tail: list, detector, hazard })
}

/// Reads the thresholds of a `load_drift` solution.
pub fn imbalance(document: &Document<'_>) -> Result<Imbalance, Complaint> {
    let steps = document.whole("steps")?;
    let read =
        |entry: &Value| Some((entry.get("step")?.as_u64()?, entry.get("threshold")?.as_f64()?));
    let mut thresholds = document.list("closest_threshold", "a list of thresholds", read)?;
    thresholds.sort_by_key(|(step, _)| *step);
    if thresholds.is_empty() && steps > 1 {
        return Err(document.wrong("it has no thresholds: the computation was stopped"));
    }
    match thresholds.first_mut() {
        // The first threshold known holds from the start.
        Some(first) => first.0 = 1,
        None => thresholds.push((1, 0.0)),
    }
    let interval = Some(document.whole("least_average_cost")?).filter(|every| *every < steps);
    Ok(Imbalance { steps, thresholds, mean: document.number("initial_load")?, interval })
}

/// Reads the interval of a `periodic` solution: the one of least cost where a remap has a cost.
pub fn interval(document: &Document<'_>) -> Result<Interval, Complaint> {
    let cost_aware = document.part("cost_aware").ok();
    let source = cost_aware.as_ref().unwrap_or(document);
    let stopped = source.value.get("interval").is_some_and(Value::is_string);
    if stopped || source.value.get("at_least").and_then(Value::as_u64) == Some(0) {
        return Err(document.wrong("its interval is not known: the computation was stopped"));
    }
    let every = match source.value.get("interval") {
        Some(Value::Null) => None,
        _ => Some(source.whole("interval")?.max(1)),
    };
    let tolerance = source.number("tolerance_max_over_mean").ok();
    Ok(Interval { every, tolerance, mean: document.number("initial_load")? })
}
