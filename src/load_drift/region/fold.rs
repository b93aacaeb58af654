//! Expectations over joint moves for the members of a region, one level of processors at a time.
//!
//! Consider the moment when the processors above some level have moved and the others have not. The
//! conditional expectation depends on the new positions of the former and on the positions of the
//! latter; such a pair is a node. Adding one level at a time, from the lowest, an expectation takes
//! a few products for each node. Members share most nodes.

use super::parts::Part;
use crate::machine::widest;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Padding after the last entry, for vector loads.
pub(super) const PADDING: usize = 48;
/// Graphs with fewer products than this are not split among threads.
const ALONE: usize = 200_000;

/// Parts in sequence; each uses the results of an earlier one.
#[derive(Debug, Default)]
struct Program {
    steps: Vec<Step>,
    /// For each node the beginning of its moves, and the end of the last; one additional entry for
    /// each part.
    begins: Vec<u32>,
    /// Targets of moves, as positions, and the index of each move within its part.
    targets: Vec<u32>,
    which: Vec<u16>,
    chances: Vec<f64>,
    /// Number of result positions, and of intermediate positions.
    made: usize,
    room: usize,
}

#[derive(Debug)]
struct Step {
    nodes: usize,
    /// Its first entries in the lists of beginnings and of probabilities.
    begin: usize,
    chance: usize,
    /// Positions for each node.
    places: usize,
    /// Position of its input; `None` for the given input.
    from: Option<usize>,
    to: To,
}

#[derive(Debug, Clone, Copy)]
enum To {
    Between(usize),
    Made(usize),
}

impl Program {
    /// The program of these parts and all that follow them.
    fn of(parts: Vec<Part>) -> Program {
        let mut program = Program::default();
        parts.into_iter().for_each(|part| program.append(part, None));
        program.begins.shrink_to_fit();
        program.targets.shrink_to_fit();
        program.which.shrink_to_fit();
        program
    }

    /// The program of one part alone.
    fn alone(part: &mut Part) -> Program {
        let mut program = Program::default();
        let higher = std::mem::take(&mut part.higher);
        let nodes = part.nodes();
        let own = Part { members: nodes * part.places, higher: Vec::new(), ..std::mem::take(part) };
        program.append(own, None);
        part.higher = higher;
        program
    }

    /// Appends the part and those that follow it. `from` gives the position of its input and the
    /// next free position.
    fn append(&mut self, part: Part, from: Option<(usize, usize)>) {
        let nodes = part.nodes();
        if nodes == 0 {
            // Its members lead nowhere.
            self.made += part.members;
            return;
        }
        let (begin, chance) = (self.begins.len(), self.chances.len());
        let before = self.targets.len() as u32;
        self.begins.extend(part.begins.iter().map(|begin| before + begin));
        self.targets.extend(part.targets);
        self.which.extend(part.which);
        self.chances.extend(part.chances);
        let free = from.map_or(0, |(_, free)| free);
        let places = part.places;
        let step = |to| Step { nodes, begin, chance, places, from: from.map(|(from, _)| from), to };
        if part.higher.is_empty() {
            self.steps.push(step(To::Made(self.made)));
            self.made += nodes * places;
            return;
        }
        self.steps.push(step(To::Between(free)));
        let end = free + nodes * places + PADDING;
        self.room = self.room.max(end);
        for higher in part.higher {
            self.append(higher, Some((free, end)));
        }
    }

    fn run(&self, given: &[f64], width: usize, made: &mut [f64]) {
        let mut between = vec![0.0; self.room * width + PADDING];
        widest(Run { program: self, given, width, made, between: &mut between });
    }
}

struct Run<'a> {
    program: &'a Program,
    given: &'a [f64],
    width: usize,
    made: &'a mut [f64],
    between: &'a mut [f64],
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Run { program, given, width, made, between } = self;
        for step in &program.steps {
            let (from, to) = match (step.from, step.to) {
                (None, To::Made(at)) => (given, &mut made[at * width..]),
                (None, To::Between(at)) => (given, &mut between[at * width..]),
                (Some(from), To::Made(at)) => (&between[from * width..], &mut made[at * width..]),
                (Some(from), To::Between(at)) => {
                    let (before, to) = between.split_at_mut(at * width);
                    (&before[from * width..], to)
                }
            };
            let length = step.places * width;
            let begins = &program.begins[step.begin..][..=step.nodes];
            for (ends, to) in begins.windows(2).zip(to.chunks_exact_mut(length)) {
                let range = ends[0] as usize..ends[1] as usize;
                let (targets, which) = (&program.targets[range.clone()], &program.which[range]);
                let moves = (targets, which, &program.chances[step.chance..]);
                let mut begin = 0;
                while begin < length {
                    let to = &mut to[begin..];
                    let node = Node { simd, moves, from: &from[begin..], width, to };
                    begin += match node.to.len().div_ceil(S::F64_LANES) {
                        1 => node.fold::<1>(),
                        2 => node.fold::<2>(),
                        3..=4 => node.fold::<4>(),
                        5..=6 => node.fold::<6>(),
                        7..=8 => node.fold::<8>(),
                        9..=10 => node.fold::<10>(),
                        _ => node.fold::<12>(),
                    };
                }
            }
        }
    }
}

/// One node, from some entry on.
struct Node<'a, S: Simd> {
    simd: S,
    /// Targets of its moves, their indices, and the probabilities.
    moves: (&'a [u32], &'a [u16], &'a [f64]),
    from: &'a [f64],
    width: usize,
    to: &'a mut [f64],
}

impl<S: Simd> Node<'_, S> {
    /// Computes at most `VECTORS` vectors of entries; returns the number of entries.
    #[inline(always)]
    fn fold<const VECTORS: usize>(self) -> usize {
        let Node { simd, moves: (targets, which, chances), from, width, to } = self;
        let lanes = VECTORS * S::F64_LANES;
        let mut sums = [simd.splat_f64s(0.0); VECTORS];
        for (target, which) in targets.iter().zip(which) {
            let (values, _) = S::as_simd_f64s(&from[*target as usize * width..][..lanes]);
            let values: &[S::f64s; VECTORS] = values.first_chunk().expect("so many vectors");
            let p = simd.splat_f64s(chances[*which as usize]);
            for i in 0..VECTORS {
                sums[i] = simd.add_f64s(sums[i], simd.mul_f64s(p, values[i]));
            }
        }
        let count = to.len().min(lanes);
        let (whole, rest) = S::as_mut_simd_f64s(&mut to[..count]);
        whole.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
        if !rest.is_empty() {
            simd.partial_store_f64s(rest, sums[whole.len()]);
        }
        count
    }
}

/// Members with the same moves, and everything they lead to.
#[derive(Debug)]
pub(super) struct Graph {
    trunks: Vec<Trunk>,
    /// In the order of the parts: first member, and number of consecutive members.
    order: Vec<(usize, usize)>,
    /// Largest number of terms summed for a member.
    pub longest: usize,
}

/// A first program, and the programs that use its results; none if it is complete.
#[derive(Debug)]
struct Trunk {
    first: Program,
    then: Vec<Program>,
}

impl Graph {
    /// The graph of these parts; `order` gives first member and number of members, in the order of
    /// the parts.
    pub fn new(parts: Vec<Part>, order: Vec<(usize, usize)>) -> Graph {
        let longest = parts.iter().map(Part::longest).max().unwrap_or(0);
        let terms: usize = parts.iter().map(|part| part.terms).sum();
        let trunk = |mut part: Part| {
            if part.higher.is_empty() {
                return Trunk { first: Program::of(vec![part]), then: Vec::new() };
            }
            let first = Program::alone(&mut part);
            let then = part.higher.into_iter().map(|part| Program::of(vec![part])).collect();
            Trunk { first, then }
        };
        let trunks = match terms < ALONE {
            true => vec![Trunk { first: Program::of(parts), then: Vec::new() }],
            false => parts.into_iter().map(trunk).collect(),
        };
        Graph { trunks, order, longest }
    }

    /// Expectations over the moves of the members, given the values in the slots: `width` entries
    /// for each member, in their order.
    pub fn fold(&self, slots: &[f64], width: usize) -> Vec<f64> {
        let count: usize = self.order.iter().map(|(_, count)| count).sum();
        let mut all = vec![0.0; count * width];
        let mut rest = all.as_mut_slice();
        let mut own = |program: &Program| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(program.made * width);
            rest = others;
            own
        };
        let tasks = self.trunks.iter().map(|trunk| {
            let last = if trunk.then.is_empty() {
                std::slice::from_ref(&trunk.first)
            } else {
                &trunk.then
            };
            let made: Vec<&mut [f64]> = last.iter().map(&mut own).collect();
            (trunk, made)
        });
        let tasks: Vec<_> = tasks.collect();
        tasks.into_par_iter().for_each(|(trunk, mut made)| {
            if let (true, [made]) = (trunk.then.is_empty(), made.as_mut_slice()) {
                return trunk.first.run(slots, width, made);
            }
            let mut first = vec![0.0; trunk.first.made * width + PADDING];
            trunk.first.run(slots, width, &mut first);
            let then = trunk.then.par_iter().zip(made);
            then.for_each(|(program, made)| program.run(&first, width, made));
        });
        all
    }

    /// Adds the results to the entries of the own members.
    pub fn add(&self, made: &[f64], width: usize, own: &mut [f64]) {
        let mut rest = made;
        for &(first, count) in &self.order {
            let (made, others) = rest.split_at(count * width);
            let own = &mut own[first * width..][..count * width];
            own.iter_mut().zip(made).for_each(|(own, made)| *own += made);
            rest = others;
        }
    }
}
