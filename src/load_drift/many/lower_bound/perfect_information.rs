//! One sample path of the information-relaxation lower bound.
//!
//! All branches of the perfect-information problem are simulated. Each is charged the cost of its
//! steps minus a penalty of expectation zero. The lower bound of the path is the cheapest sequence
//! of remaps through the branches.

use super::candidates::{Join, Met, NOWHERE, Node, Path, through};
use super::coupling::Meeting;
use super::latin_hypercube::Samples;
use super::moves::Moves;
use crate::load_drift::Curve;
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::policy::approximate::Approximate;
use crate::load_drift::many::policy::lookahead::Known;
use crate::load_drift::many::policy::plan::{ALL, DENSE, Plan};
use crate::observer::{Halt, Observer};
use crate::random::{Stream, stream};
use rand::RngExt;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// How sample paths are simulated.
pub struct Hindsight<'a> {
    /// Value function from which penalties are computed.
    pub approximate: Approximate<'a>,
    /// The transition of the ranks.
    pub moves: &'a Moves,
    /// The curve policy.
    pub curve: &'a Curve,
    /// Inner samples of a penalty.
    pub inner: usize,
    /// A branch that has lost this much by not remapping is ended with a remap at a lower bound of
    /// its cost.
    pub patience: f64,
    /// Whether the immediate saving of that remap is charged; otherwise the remap is free.
    pub saves: bool,
    /// Amount by which that remap is cheaper.
    pub margin: f64,
}

/// A branch that is behind by this many remap costs uses few samples.
const NEAR: f64 = 0.125;
/// For long look-aheads: a branch that is behind by `FAR` remap costs uses no samples. It looks
/// ahead only `SHORT` steps, except at every `LOOKS`-th step.
const FAR: f64 = 0.75;
const SHORT: usize = 12;
const LOOKS: usize = 8;
/// After this many steps, stored profiles of earlier steps are dropped.
const FORGETTING: u64 = 64;

impl Hindsight<'_> {
    /// Simulates path number `run`.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn path(&self, seed: u64, run: u64, observer: &dyn Observer) -> Result<Path, Halt> {
        let setting = self.approximate.outlook.setting;
        let steps = setting.steps as usize;
        let mut draws = stream(seed, 4 * run);
        let allotments = (0..steps).map(|_| draws.random()).collect();
        let mut common = stream(seed, 4 * run + 1);
        let events = (0..steps).map(|_| self.moves.events(setting.ranks, &mut common)).collect();
        let last = steps + usize::from(setting.before_step);
        let chances = (0..last).map(|_| common.random()).collect();
        let meetings = (0..steps).map(|_| self.moves.meeting(setting.ranks, common.random()));
        let total = setting.first_total;
        let first = Node { total, visited: [true; 2], ..Node::default() };
        let mut branches = Branches {
            hindsight: self,
            events,
            chances,
            meetings: meetings.collect(),
            samples: Samples::new(self.inner, setting.steps, stream(seed, 4 * run + 2)),
            nodes: vec![first],
            places: vec![HashMap::new(); steps + 1],
            due: vec![Vec::new(); steps + 1],
            least: vec![f64::INFINITY; steps + 1],
            draws,
            allotments,
            met: vec![HashMap::new(); steps + 1],
            known: Known::new(),
        };
        // In order of time: when a node is visited, all branches that lead to it are complete.
        branches.due[0].push(0);
        for step in 0..=steps {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            let now = step as u64;
            branches.samples.forget_before(now);
            if now.is_multiple_of(FORGETTING) {
                branches.known.retain(|(after, ..), _| *after >= now);
            }
            branches.met[step] = HashMap::new();
            for at in std::mem::take(&mut branches.due[step]) {
                branches.run(at);
            }
        }
        Ok(through(&branches.nodes, setting.remap_cost, steps))
    }
}

/// The branches of one path.
struct Branches<'a> {
    hindsight: &'a Hindsight<'a>,
    events: Vec<u64>,
    chances: Vec<f64>,
    meetings: Vec<Meeting>,
    samples: Samples,
    nodes: Vec<Node>,
    places: Vec<HashMap<u64, u32>>,
    due: Vec<Vec<u32>>,
    /// By step: the least charge so far plus look-ahead value, among the simulated branches.
    least: Vec<f64>,
    draws: Stream,
    /// By step: the seed that allots moves to levels.
    allotments: Vec<u64>,
    /// By step: the states that branches have reached after it.
    met: Vec<HashMap<u128, Met>>,
    known: Known,
}

impl Branches<'_> {
    fn run(&mut self, at: u32) {
        let Hindsight { approximate, moves, curve, patience, margin, .. } = self.hindsight;
        let outlook = &approximate.outlook;
        let setting = outlook.setting;
        let levels = outlook.laws.levels();
        let Node { step: first, total, arrival, visited, .. } = self.nodes[at as usize];
        // Steps after a remap that are paid together with that remap.
        let late = if first > 0 { setting.overlap.steps as usize } else { 0 };
        let mut x = Counts::none(levels);
        let (mut y, mut z, mut even) = (x.clone(), x.clone(), x.clone());
        x.split(setting.ranks, total);
        let (mut plan, mut next, mut scratch) = (Plan::default(), Plan::default(), Plan::default());
        let (mut charge, mut paid, mut work, mut lost) = (0.0, 0.0, 0.0, 0.0);
        if setting.replaces || setting.before_step && first == 0 {
            (charge, work) = (setting.cost(&x, total), total as f64 / setting.ranks as f64);
            paid = charge;
        }
        let mut ends = Vec::new();
        // Where the policy remaps: number of steps, cost without penalties, and work.
        let mut policy: Option<(usize, f64, f64)> = None;
        let mut ruled = None;
        let before = if first > 0 { outlook.before_force(&x) } else { Vec::new() };
        let earliest = |since: usize| (late + 1).saturating_sub(since).max(1);
        outlook.plan(&x, first, [earliest(0), ALL], &mut plan);
        outlook.prepare(&x, total, first, &mut self.known, &mut plan);
        let distant = outlook.laws.longest() > DENSE;
        let (mut behind, mut ended, mut joins) = (0.0, false, None);
        for k in first..setting.steps {
            let now = k as usize;
            let to = moves.step(
                &x,
                setting.ranks,
                self.events[now],
                &mut self.meetings[now],
                self.allotments[now],
                &mut y,
            );
            let cost = setting.cost(&y, to);
            let mean = to as f64 / setting.ranks as f64;
            let since = ends.len() + 1;
            match before.get(since - 1) {
                Some(expected) => charge += cost - expected,
                None => {
                    charge += cost;
                    paid += cost;
                }
            }
            work += mean;
            let remapping = setting.may_remap(k + 1) && since > late;
            let needed = visited[0] && policy.is_none() || visited[1] && ruled.is_none();
            let far = distant && behind > FAR * setting.typical && !needed;
            let looks = !far || since.is_multiple_of(LOOKS);
            let most = if looks { ALL } else { SHORT };
            let view = approximate.view(&y, to, k + 1, [earliest(since), most], &mut next);
            let followed = outlook.follow(&plan, &y, to, k);
            let mut penalty = followed - plan.value;
            // Branches that have lost or are behind others are rarely part of the cheapest path.
            let few = lost > 0.0 || behind > NEAR * setting.typical;
            let numbers = self.samples.of(k, few);
            let count = numbers.count();
            if count > 0 && !far {
                let mut sum = 0.0;
                for sample in 0..count {
                    numbers.step(moves, &x, sample, &mut self.draws, &mut z);
                    let total = z.total();
                    let span = [earliest(since), ALL];
                    let view = approximate.view(&z, total, k + 1, span, &mut scratch);
                    sum +=
                        setting.cost(&z, total) + view.value - outlook.follow(&plan, &z, total, k);
                }
                penalty += cost + view.value - followed - sum / count as f64;
            }
            charge -= penalty;
            let moved = match remapping {
                true => setting.price(&y, to) - setting.remap_cost + outlook.beside(&y),
                false => 0.0,
            };
            let imbalance = y.top as f64 - mean;
            let mut visits = [false; 2];
            if remapping && ruled.is_none() && curve.remaps(k + 1, since as u64, imbalance) {
                ruled = Some(since);
                visits[1] = visited[1];
            }
            if remapping && looks && view.excess >= 0.0 {
                if policy.is_none() {
                    let spared = if setting.replaces { mean } else { 0.0 };
                    policy = Some((since, paid + moved, work - spared));
                    visits[0] = visited[0];
                }
                lost += if far { LOOKS as f64 * view.excess } else { view.excess };
            }
            std::mem::swap(&mut plan, &mut next);
            if k + 1 < setting.steps {
                outlook.prepare(&y, to, k + 1, &mut self.known, &mut plan);
            }
            // The policies may not take an end with a cheaper remap.
            ended = remapping && lost > *patience && !needed;
            if ended {
                // A lower bound for a remap: the immediate saving is charged, minus a margin.
                even.split(setting.ranks, to);
                let saved = match self.hindsight.saves {
                    true => outlook.next_cost(&y) - outlook.next_cost(&even),
                    false => 0.0,
                };
                let before: f64 = outlook.before_force(&even).iter().sum();
                let saved = saved.clamp(0.0, setting.remap_cost) + before;
                let spared = if setting.replaces { setting.even_cost(to) } else { 0.0 };
                charge -= setting.remap_cost + margin - saved + spared;
            }
            let end = match () {
                () if ended => charge,
                () if remapping || k + 1 == setting.steps => charge + moved,
                () => f64::INFINITY,
            };
            let node = match remapping {
                true => self.node(k + 1, to, arrival + end + setting.remap_cost, visits),
                false => NOWHERE,
            };
            ends.push((end, node));
            if ended {
                break;
            }
            if looks {
                let whole = arrival + charge + view.value;
                let least = &mut self.least[now + 1];
                *least = least.min(whole);
                behind = whole - *least;
            }
            if since > late && k + 1 < setting.steps {
                let here = Met { branch: at, ends: ends.len() as u32, charge, lost };
                joins = self.meet(now + 1, &y, here, needed);
                if joins.is_some() {
                    break;
                }
            }
            std::mem::swap(&mut x, &mut y);
        }
        let goes_on = |end: &(f64, u32)| setting.replaces && end.1 != NOWHERE && !ended;
        if joins.is_none() && ends.last().is_none_or(goes_on) {
            ends.push((charge, NOWHERE));
        }
        // There may be a million nodes.
        ends.shrink_to_fit();
        let node = &mut self.nodes[at as usize];
        node.ends = ends;
        node.ruled = ruled;
        node.joins = joins;
        (node.policy, node.paid, node.work) = match policy {
            Some((since, paid, work)) => (Some(since), paid, work),
            None => (None, paid, work),
        };
    }

    /// Whether the branch may continue as another that reached this state earlier. It may not while
    /// its policy is still to be evaluated. Nor may it if the other is more expensive or has lost
    /// more, because that one has fewer samples or ends sooner. If it may not, later branches may
    /// continue as this one.
    fn meet(&mut self, step: usize, y: &Counts, here: Met, needed: bool) -> Option<Join> {
        let there = self.met[step].entry(y.fingerprint()).or_insert(here);
        if there.branch == here.branch {
            return None;
        }
        let slack = NEAR * self.hindsight.approximate.outlook.setting.typical;
        let whole = |met: &Met| self.nodes[met.branch as usize].arrival + met.charge;
        let as_good = whole(there) <= whole(&here) + slack && there.lost <= here.lost + slack;
        if needed || !as_good {
            *there = here;
            return None;
        }
        let (branch, ends) = (there.branch, there.ends);
        Some(Join { branch, ends, more: here.charge - there.charge })
    }

    /// The node that a remap of this total after this step leads to; `charge` is the charge on
    /// arrival.
    fn node(&mut self, step: u64, total: u64, charge: f64, visits: [bool; 2]) -> u32 {
        let setting = self.hindsight.approximate.outlook.setting;
        let total = setting.remaps_to(total, self.chances[step as usize]);
        let count = self.nodes.len() as u32;
        let place = *self.places[step as usize].entry(total).or_insert(count);
        if place == count {
            self.nodes.push(Node { step, total, arrival: f64::INFINITY, ..Node::default() });
            self.due[step as usize].push(place);
        }
        let node = &mut self.nodes[place as usize];
        node.arrival = node.arrival.min(charge);
        (0..2).for_each(|i| node.visited[i] |= visits[i]);
        place
    }
}
