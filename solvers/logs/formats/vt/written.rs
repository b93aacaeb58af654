//! The JSON of a file, of which only sums and objects are held: tasks are added up while they are
//! read.

use super::super::MOST_SECONDS;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::rc::Rc;

/// The parts of a file that are read; communication is ignored.
#[derive(Deserialize)]
pub(super) struct Written {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) metadata: Option<Metadata>,
    pub(super) phases: Phases,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) rank: Option<u32>,
    pub(super) shared_node: Option<Host>,
    pub(super) phases: Option<Omitted>,
}

/// The computer of a node.
#[derive(Deserialize)]
pub(super) struct Host {
    pub(super) id: u32,
    pub(super) size: usize,
    pub(super) num_nodes: usize,
}

/// Phases that are left out of the file.
#[derive(Deserialize)]
pub(super) struct Omitted {
    #[serde(default)]
    pub(super) identical_to_previous: Listed,
}

#[derive(Deserialize, Default)]
pub(super) struct Listed {
    #[serde(default)]
    pub(super) list: Vec<u32>,
    #[serde(default)]
    pub(super) range: Vec<[u32; 2]>,
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
pub(super) struct Tasks {
    pub(super) seconds: f64,
    pub(super) movable: Vec<u64>,
    /// How many name a node, and the first node that is named.
    pub(super) of_nodes: BTreeMap<u32, usize>,
    pub(super) first: Option<u32>,
    /// The highest number of a node.
    pub(super) highest: u32,
    /// Those of another resource than processors.
    pub(super) other_resources: usize,
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
pub(super) struct Phases {
    pub(super) by_id: BTreeMap<u32, Phase>,
    /// Of the tasks of all of them: everything but seconds and objects.
    pub(super) all: Tasks,
    /// Objects that are held.
    pub(super) objects: usize,
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
pub(super) struct Phase {
    pub(super) seconds: f64,
    pub(super) movable: Rc<Vec<u64>>,
}
