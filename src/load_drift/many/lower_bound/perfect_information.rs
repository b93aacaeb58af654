//! One sample path of the information-relaxation lower bound.
//!
//! All branches of the perfect-information problem are simulated. Each is charged the cost of its
//! steps minus a penalty of expectation zero. The lower bound of the path is the cheapest sequence
//! of remaps through the branches.

use super::candidates::{Join, Met, NOWHERE, Node, cheapest, ruled};
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

/// Result of one sample path.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// The least charge with perfect information.
    pub lower: f64,
    /// The charge of the policy.
    pub upper: f64,
    /// The cost of the policy.
    pub cost: f64,
    /// Sum of the mean levels under the policy.
    pub work: f64,
    /// Number of remaps under the policy.
    pub remaps: u64,
    /// The charge of the curve policy, and its number of remaps.
    pub ruled: (f64, u64),
}

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
        let steps = setting.steps;
        let mut draws = stream(seed, 4 * run);
        let allotments: Vec<u64> = (0..steps).map(|_| draws.random()).collect();
        let mut met: Vec<HashMap<u128, Met>> = vec![HashMap::new(); steps as usize + 1];
        let mut common = stream(seed, 4 * run + 1);
        let events: Vec<u64> =
            (0..steps).map(|_| self.moves.events(setting.ranks, &mut common)).collect();
        let last = if setting.before_step { steps + 1 } else { steps };
        let chances: Vec<f64> = (0..last).map(|_| common.random()).collect();
        let mut meetings: Vec<Meeting> =
            (0..steps).map(|_| self.moves.meeting(setting.ranks, common.random())).collect();
        let apart = stream(seed, 4 * run + 2);
        let mut samples = Samples::new(self.inner, steps, apart);
        let mut nodes: Vec<Node> = Vec::new();
        let mut places: Vec<HashMap<u64, u32>> = vec![HashMap::new(); steps as usize + 1];
        nodes.push(Node::new(0, setting.first_total));
        (nodes[0].arrival, nodes[0].visited) = (0.0, [true; 2]);
        let mut least = vec![f64::INFINITY; steps as usize + 1];
        let mut known = Known::new();
        // In order of time: when a node is visited, all branches that lead to it are complete.
        let mut due: Vec<Vec<u32>> = vec![Vec::new(); steps as usize + 1];
        due[0].push(0);
        for step in 0..=steps {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            samples.forget_before(step);
            if step.is_multiple_of(FORGETTING) {
                known.retain(|(after, ..), _| *after >= step);
            }
            met[step as usize] = HashMap::new();
            for at in std::mem::take(&mut due[step as usize]) {
                let mut branch = Branch {
                    hindsight: self,
                    events: &events,
                    chances: &chances,
                    meetings: &mut meetings,
                    samples: &mut samples,
                    nodes: &mut nodes,
                    places: &mut places,
                    due: &mut due,
                    least: &mut least,
                    draws: &mut draws,
                    allotments: &allotments,
                    met: &mut met,
                    known: &mut known,
                };
                branch.run(at);
            }
        }
        let cost = setting.remap_cost;
        let best = cheapest(&nodes, cost, steps as usize);
        let ruled = ruled(&nodes, cost);
        let mut path = Path { lower: best[0], upper: 0.0, cost: 0.0, work: 0.0, remaps: 0, ruled };
        let mut at = 0;
        loop {
            let node = &nodes[at as usize];
            let Some((after, paid, work)) = node.policy else {
                let (charge, _) = node.ends[node.ends.len() - 1];
                path.upper += charge;
                path.cost += node.whole.0;
                path.work += node.whole.1;
                return Ok(path);
            };
            let (charge, to) = node.ends[after - 1];
            path.upper += charge + cost;
            path.cost += paid + cost;
            path.work += work;
            path.remaps += 1;
            at = to;
        }
    }
}

struct Branch<'a, 'b> {
    hindsight: &'a Hindsight<'b>,
    events: &'a [u64],
    chances: &'a [f64],
    meetings: &'a mut [Meeting],
    samples: &'a mut Samples,
    nodes: &'a mut Vec<Node>,
    places: &'a mut [HashMap<u64, u32>],
    due: &'a mut [Vec<u32>],
    /// By step: the least charge so far plus look-ahead value, among the simulated branches.
    least: &'a mut [f64],
    draws: &'a mut Stream,
    /// By step: the seed that allots moves to levels.
    allotments: &'a [u64],
    /// By step: the states that branches have reached after it.
    met: &'a mut [HashMap<u128, Met>],
    known: &'a mut Known,
}

impl Branch<'_, '_> {
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
        let mut policy = None;
        let mut ruled = None;
        let before = if first > 0 { outlook.before_force(&x) } else { Vec::new() };
        let earliest = |since: usize| (late + 1).saturating_sub(since).max(1);
        outlook.plan(&x, first, [earliest(0), ALL], &mut plan);
        outlook.prepare(&x, total, first, self.known, &mut plan);
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
                    numbers.step(moves, &x, sample, self.draws, &mut z);
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
                outlook.prepare(&y, to, k + 1, self.known, &mut plan);
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
        node.policy = policy;
        node.ruled = ruled;
        node.whole = (paid, work);
        node.joins = joins;
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
            self.nodes.push(Node::new(step, total));
            self.due[step as usize].push(place);
        }
        let node = &mut self.nodes[place as usize];
        node.arrival = node.arrival.min(charge);
        (0..2).for_each(|i| node.visited[i] |= visits[i]);
        place
    }
}
