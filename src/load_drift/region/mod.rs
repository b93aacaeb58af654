//! A region of states outside which a remap is certain, and the recursion restricted to it.
//!
//! With h steps left let V_h(x) be the cost-to-go and W_h(t) the cost of a remap with total t. Let
//! D = max(0, W - V) be the saving of continuing. Since min(V, W) = W - D,
//!
//! ```text
//! V_{h+1}(x) = paid(x) + E W_h(t') - E D_h(y)
//! ```
//!
//! and only states with a positive saving matter. They have few shapes (multisets up to
//! translation). The moves of a shape are the same at all levels away from the edges. A region is a
//! set of shapes at all their positions. Expectations are computed one level of processors at a
//! time, jointly for all positions (`fold`, `parts`).
//!
//! Proof that the other states may be omitted: a step over all states gives the slack V - W by
//! which a remap was better there. Let dW and dD be the changes of W and D in the previous step,
//! and dW+ that of W in this step. The next step changes the slack by
//!
//! ```text
//! E[dW(t') | x] - dW+(t) - E[dD(y) | x]
//! ```
//!
//! The first two terms are known for each total and number of processors at the edges. The last
//! term is at most the largest rise of D in the neighborhood. While the accumulated change is below
//! the slack, a remap remains better in all omitted states. Otherwise the step is computed over all
//! states.

mod advance;
mod fold;
mod movement;
mod parts;
mod places;
mod saved;
mod shapes;
mod sums;

use super::{LoadDrift, Objective, ProcessChain, Ranks, States, Timing};
use crate::chain::BirthDeath;
use crate::parallel;
use fold::{Graph, PADDING};
use places::{Places, folds};
use shapes::Packing;
use std::collections::HashMap;
use sums::SumLaws;

pub(super) use advance::{Search, is_left_out};

/// States whose cost is computed, and the data for it. With several ranks, each rank computes some
/// of the shapes, independently of the partition of the states.
#[derive(Debug)]
pub(super) struct Region {
    processors: usize,
    shapes: Vec<u128>,
    /// Number of members on all ranks, and index of the first own member.
    count: usize,
    first: usize,
    members: Vec<Member>,
    /// Members whose state belongs to this rank, whichever rank computes them, and these states.
    placed: Vec<u32>,
    places: Vec<usize>,
    /// One bit for each own state: whether it is in the region.
    inside: Vec<u64>,
    laws: SumLaws,
    /// Indices of the distributions of the sum by the processors at the lowest and at the highest
    /// level.
    ends: Vec<usize>,
    /// Distinct pairs of distribution and total among the members.
    sums: Vec<(usize, usize)>,
    /// Moves of the own members.
    graphs: Vec<Graph>,
    /// First member of each shape on all ranks; slots beyond the edges, with the members they stand
    /// for.
    begins: Vec<usize>,
    folded: Vec<(u32, u32)>,
    /// Largest number of terms summed for a member, and largest cost of a step, over all ranks.
    most: [f64; 2],
    /// Value, and if carried work and number of remaps, of each member.
    values: Vec<f64>,
    /// Whether each member continues at the next decision.
    goes_on: Vec<bool>,
    /// Members that remaps lead to, on all ranks, and the ranks of their states.
    balanced: Vec<(usize, usize)>,
    /// By total and processors at the edges: least advantage of a remap in all omitted states, when
    /// last computed.
    slack: Vec<f64>,
    /// Upper bound on the slack lost since.
    moved: Vec<f64>,
    /// By total: change of the remap cost in the latest step, and upper bound on the rise of the
    /// savings.
    changed: Vec<f64>,
    risen: Vec<f64>,
    /// Bound on the rounding error of the costs.
    pub rounding: f64,
}

/// A state of the region.
#[derive(Debug, Clone, Copy)]
struct Member {
    total: u32,
    /// r (max - mean).
    excess: u32,
    /// Index of its pair in `sums`.
    sum: u32,
    /// Cost of the step, and its work.
    paid: [f64; 2],
}

/// With at most this many processors, moves from one level are indexed by 16 bits.
const MOST_PROCESSORS: usize = 360;

/// Bound on the work of constructing a region of a problem with this many states. It keeps the
/// memory below that of the functions of all states, except for small problems.
fn most_looked_at(states: usize) -> usize {
    (states / 4).max(states.min(4_000_000))
}

impl Region {
    /// The region of these shapes, and of those that a remap leads to. `None` if it is too large to
    /// pay.
    pub fn new(
        problem: &LoadDrift,
        states: &States,
        wanted: impl IntoIterator<Item = u128>,
        most_members: usize,
        ranks: &Ranks,
    ) -> Option<Region> {
        let ProcessChain::BirthDeath(chain) = &problem.chain else { return None };
        let (r, levels) = (problem.processors, chain.levels());
        let packing = Packing::new(r, levels)?;
        let totals = states.distinct_totals();
        let mut shapes: Vec<u128> = wanted.into_iter().collect();
        for total in 0..totals {
            let to = problem.balanced(total);
            shapes.extend(to.iter().map(|(_, sorted)| packing.of(sorted).0));
        }
        shapes.sort_unstable();
        shapes.dedup();
        let places_of = |shape: &u128| levels + 1 - packing.width(*shape);
        let count = shapes.iter().map(places_of).sum::<usize>();
        // The work for a shape grows about with the square of the number of processors. Where moves
        // differ by position, positions are handled one by one, and less is stored for each.
        let folds = folds(chain);
        let looked_at = shapes.len() * r * r * if folds.is_some() { 1 } else { levels.div_ceil(4) };
        if count > most_members || looked_at > most_looked_at(states.all()) || r > MOST_PROCESSORS {
            return None;
        }
        let mut first = Vec::with_capacity(shapes.len() + 1);
        first.push(0);
        for shape in &shapes {
            first.push(first[first.len() - 1] + places_of(shape));
        }
        let mut laws = SumLaws::new(chain, r);
        let ends = laws.complete();
        let places =
            Places { chain, packing, processors: r, shapes: &shapes, first: &first, folds };
        let own = ranks.evenly(&first);
        let graphs = places.graphs(own.clone());
        let folded = places.folded();
        let own = first[own.start]..first[own.end];
        let mut sums = HashMap::new();
        let mut sum_of = |laws: &mut SumLaws, counts: &[(usize, u32)]| {
            let total = counts.iter().map(|(level, n)| level * *n as usize).sum();
            let next = sums.len();
            let sum = *sums.entry((laws.of(counts.iter().copied()), total)).or_insert(next);
            (total, sum)
        };
        let counts_of = |shape: u128, lowest: usize| -> Vec<(usize, u32)> {
            (lowest..).zip(packing.counts(shape)).filter(|(_, n)| *n > 0).collect()
        };
        let rank_of = |counts: &[(usize, u32)]| {
            states.multisets().rank_of_counts(counts.iter().map(|&(l, n)| (l, n as usize)))
        };
        let mut members = Vec::with_capacity(own.len());
        let (mut placed, mut places) = (Vec::new(), Vec::new());
        let mut inside = vec![0u64; states.count().div_ceil(64)];
        for (shape, &first) in shapes.iter().zip(&first) {
            for lowest in 0..places_of(shape) {
                let counts = counts_of(*shape, lowest);
                let member = first + lowest;
                if own.contains(&member) {
                    let (total, sum) = sum_of(&mut laws, &counts);
                    let top = counts.last().map_or(0, |(level, _)| *level);
                    let paid = problem.paid(chain, &counts);
                    let (total, excess) = (total as u32, (r * top - total) as u32);
                    members.push(Member { total, excess, sum: sum as u32, paid });
                }
                let place = rank_of(&counts).wrapping_sub(states.first());
                if place < states.count() {
                    placed.push(member as u32);
                    places.push(place);
                    inside[place / 64] |= 1 << (place % 64);
                }
            }
        }
        let mut balanced = Vec::new();
        let mut lead = |sorted: &[usize]| {
            let (shape, lowest) = packing.of(sorted);
            let counts = counts_of(shape, lowest);
            let member = first[shapes.partition_point(|other| *other < shape)] + lowest;
            balanced.push((member, rank_of(&counts)));
        };
        for total in 0..totals {
            problem.balanced(total).iter().for_each(|(_, sorted)| lead(sorted));
        }
        // The initial state is included, since all its processors are at one level.
        for level in 0..levels {
            lead(&vec![level; r]);
        }
        balanced.sort_unstable();
        balanced.dedup();
        let mut listed = vec![(0, 0); sums.len()];
        sums.into_iter().for_each(|(sum, at)| listed[at] = sum);
        let mut longest: Vec<f64> = graphs.iter().map(|graph| graph.longest as f64).collect();
        ranks.largest(&mut longest);
        let mut paid = [members.iter().map(|member| member.paid[0]).fold(0.0, f64::max)];
        ranks.largest(&mut paid);
        let most = [longest.iter().sum(), paid[0]];
        Some(Region {
            processors: r,
            shapes,
            count,
            first: own.start,
            members,
            placed,
            places,
            inside,
            laws,
            ends,
            sums: listed,
            begins: first,
            folded,
            graphs,
            most,
            values: Vec::new(),
            goes_on: Vec::new(),
            balanced,
            slack: Vec::new(),
            moved: Vec::new(),
            changed: Vec::new(),
            risen: Vec::new(),
            rounding: 0.0,
        })
    }

    /// Whether the region contains this own state.
    pub fn contains(&self, state: usize) -> bool {
        self.inside[state / 64] >> (state % 64) & 1 == 1
    }

    /// Number of states on all ranks.
    pub fn states(&self) -> usize {
        self.count
    }

    /// Savings of continuing for each member of all ranks: value, work and number of remaps (0
    /// where the decision is to remap), member by member.
    fn savings(&self, remaps: &[Vec<f64>], ranks: &Ranks) -> Vec<f64> {
        let width = remaps.len();
        let mut savings = Vec::with_capacity(self.values.len());
        let members = self.members.iter().zip(&self.goes_on);
        for ((member, goes_on), values) in members.zip(self.values.chunks(width)) {
            for (i, (value, remapped)) in values.iter().zip(remaps).enumerate() {
                let saved = remapped[member.total as usize] - value;
                // Within the tie tolerance the program continues although that costs more; the
                // value ignores this.
                let counted = if i == 0 { saved.max(0.0) } else { saved };
                savings.push(if *goes_on { counted } else { 0.0 });
            }
        }
        ranks.gather(savings)
    }

    /// The savings of all members in their slots, with padding.
    fn in_slots(&self, savings: &[f64], width: usize) -> Vec<f64> {
        let count = self.count + 2 * self.shapes.len();
        let mut slots = Vec::with_capacity(count * width + PADDING);
        for places in self.begins.windows(2) {
            slots.resize(slots.len() + width, 0.0);
            slots.extend_from_slice(&savings[places[0] * width..places[1] * width]);
            slots.resize(slots.len() + width, 0.0);
        }
        for &(slot, of) in &self.folded {
            let of = of as usize * width;
            slots.copy_within(of..of + width, slot as usize * width);
        }
        // Nodes have positions that not all of their shapes need.
        let most = self.begins.windows(2).map(|places| places[1] - places[0]).max().unwrap_or(0);
        slots.resize(slots.len() + most * width + PADDING, 0.0);
        slots
    }

    /// One step back: value, work and number of remaps of each own member.
    fn step(&self, savings: &[f64], remaps: &[Vec<f64>]) -> Vec<f64> {
        let width = remaps.len();
        let sums: Vec<f64> = self
            .sums
            .iter()
            .flat_map(|&(law, total)| remaps.iter().map(move |table| (law, total, table)))
            .map(|(law, total, table)| self.laws.expect(law, total, table))
            .collect();
        let slots = self.in_slots(savings, width);
        let mut next = vec![0.0; self.members.len() * width];
        let made = parallel::map_all(&self.graphs, &|graph| graph.fold(&slots, width));
        for (graph, made) in self.graphs.iter().zip(made) {
            graph.add(&made, width, &mut next);
        }
        parallel::pieces(&mut next, width << 10, &|piece, own| {
            for (own, member) in own.chunks_mut(width).zip(&self.members[piece << 10..]) {
                for (i, own) in own.iter_mut().enumerate() {
                    let paid = member.paid.get(i).copied().unwrap_or(0.0);
                    *own = paid + sums[member.sum as usize * width + i] - *own;
                }
            }
        });
        next
    }

    /// Absolute bound on the rounding error of the costs in a step with these savings and remap
    /// costs.
    fn rounding_of_step(&self, savings: &[f64], width: usize, remaps: &[f64]) -> f64 {
        let r = self.processors as f64;
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let saved = largest(&mut savings.iter().step_by(width).copied());
        let remapped = largest(&mut remaps.iter().copied());
        let [moves, paid] = self.most;
        // A probability of a move is a sum of at most that many products of r factors, each of
        // which may be rounded where moves are reflected. The same holds for the distribution of
        // the sum.
        let terms = (moves + 24.0 * r) * saved + 8.0 * r * remapped + 16.0 * r * paid;
        f64::EPSILON * terms
    }
}

impl LoadDrift {
    /// Expected cost and work of the step that is paid with a decision to continue, from the
    /// numbers of processors at these ascending levels. The step has the next loads (T1) or these
    /// (T2).
    fn paid(&self, chain: &BirthDeath, counts: &[(usize, u32)]) -> [f64; 2] {
        let r = self.processors as f64;
        let mean = |each: &dyn Fn(usize) -> f64| {
            counts.iter().map(|&(level, n)| f64::from(n) * each(level)).sum::<f64>() / r
        };
        let Some(&(top, highest)) = counts.last() else { return [0.0; 2] };
        if self.timing == Timing::BeforeStep {
            let (max, mean) = (self.lowest + top as f64, self.lowest + mean(&|level| level as f64));
            return [self.step_cost(max, mean), mean];
        }
        let next = |level: usize| level as f64 + chain.up(level) - chain.down(level);
        let mean = self.lowest + mean(&next);
        let below = match counts {
            [.., (level, n), _] if level + 1 == top => (1.0 - chain.up(*level)).powi(*n as i32),
            _ => 1.0,
        };
        // The maximum falls by one if all of the highest go down and none rises to their level; it
        // rises by one if any of them rises.
        let falls = chain.down(top).powi(highest as i32) * below;
        let rises = 1.0 - (1.0 - chain.up(top)).powi(highest as i32);
        let max = self.lowest + top as f64 + rises - falls;
        let cost = match self.objective {
            Objective::Imbalance => max - mean,
            Objective::Makespan => max,
        };
        [cost, mean]
    }
}
