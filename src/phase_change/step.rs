//! One backward step of the belief recursion, for the upper or the lower function.
//!
//! Odds o = p/(1-p). Subtract e_F per cycle before and e_R per cycle after the change and divide by
//! 1-p: the value function becomes concave and piecewise linear on [0, inf). The Bayes map of each
//! observation is affine in the odds. So a step
//!
//! 1. maps every slope drop (atom) to one image per observation,
//! 2. adds the gain G to the slope,
//! 3. takes the minimum with the remapping line, and reduces the number of atoms.
//!
//! With `UPPER` every rounding goes up, otherwise down. The step operator is monotone, so the two
//! functions always enclose the true value function. O(atoms x observations^2).

use super::images::{AT_A_TIME, Block, Images, exhausted, images, lost_in_blocks};
use super::problem::{Cycle, InDoubles, Report};
use crate::concave::bracket::{Merge, Reduce, Split};
use crate::concave::held::{Cells, Gather, Spread};
use crate::concave::{Atom, PiecewiseLinear};
use crate::rounding::{DoubleDouble, Grain, SLACK, UNIT, outward, scaled};

/// The function of retaining at this step, apart from its atoms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retain {
    pub constant: DoubleDouble,
    pub slope: f64,
    /// Total slope drop of the new atoms.
    pub(super) drop: f64,
}

/// The line and the constant of retaining; the atoms follow in [`cut`]. O(atoms).
pub(crate) fn retain<const UPPER: bool>(
    next: &PiecewiseLinear,
    parameters: &InDoubles,
    cycle: &Cycle,
) -> Retain {
    let (s, h) = (cycle.survival, cycle.hazard);
    let mut inflow = next.slope * h;
    let mut drop = 0.0;
    for report in &parameters.reports {
        let Report { before: no, after: yes, .. } = *report;
        // An observation with probability 0 after the change contributes no slope, so no atom.
        if yes <= 0.0 {
            continue;
        }
        let branch = Images::new::<UPPER>(&next.atoms, cycle, report);
        // An atom whose image is below zero contributes to the constant.
        let (fallen, kept) = next.atoms.split_at(branch.next);
        let moment = blocked_sum(fallen, |atom| atom.drop * atom.at);
        let weight = blocked_sum(kept, |atom| atom.drop);
        inflow += cycle.quiet * no * moment + yes * h * weight;
        drop += branch.weight * weight;
    }
    let sums = blocked_loss(next.atoms.len(), parameters.reports.len());
    let inflow = s * inflow * if UPPER { 1.0 + sums } else { 1.0 - sums };
    let lost = cycle.killed() * next.constant.value();
    let underflow = if UPPER { parameters.underflow } else { -parameters.underflow };
    // A factor of 3, because rounding may also move an atom across zero.
    let blur = 3.0 * inflow.abs() + lost.abs();
    let change = outward::<UPPER>(inflow - lost, blur) + underflow;
    let slope = parameters.gain + s * next.slope;
    let slope = outward::<UPPER>(slope, parameters.gain.abs() + s * next.slope.abs()) + underflow;
    Retain { constant: next.constant.plus(change), slope, drop }
}

const BLOCK: usize = 256;

/// Independent partial sums within a block.
const LANES: usize = 8;

/// A sum of positive terms: in doubles within blocks, in double-double arithmetic over blocks. Its
/// relative error is at most [`blocked_loss`].
fn blocked_sum(atoms: &[Atom], term: impl Fn(&Atom) -> f64) -> f64 {
    let block = |block: &[Atom]| {
        let mut lanes = [0.0; LANES];
        let (whole, rest) = block.as_chunks::<LANES>();
        for atoms in whole {
            lanes.iter_mut().zip(atoms).for_each(|(lane, atom)| *lane += term(atom));
        }
        lanes.iter().sum::<f64>() + rest.iter().map(&term).sum::<f64>()
    };
    let sum =
        atoms.chunks(BLOCK).fold(DoubleDouble::default(), |sum, atoms| sum.plus(block(atoms)));
    sum.value()
}

fn blocked_loss(terms: usize, sums: usize) -> f64 {
    UNIT * (terms.min(BLOCK) / LANES + 2 * LANES + 4 + sums) as f64
}

/// The remapping line o -> offset + delay * o above the constant of retaining.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RemapLine {
    /// Bounds on its value at o = 0 minus the constant of retaining of this function.
    pub offset: (f64, f64),
    /// The offset for the certified threshold: widened by the gap between the two functions.
    pub certified_offset: f64,
    /// D_d + D_r.
    pub delay: f64,
    /// Whether remapping pays at p = 1; if not, the line is never below.
    pub pays: bool,
}

/// The result of [`cut`].
pub(crate) struct Cut {
    pub function: PiecewiseLinear,
    /// A certified bound on the odds of the threshold: a lower bound for the upper function, an
    /// upper bound for the lower function. Infinite if there is none.
    pub odds: f64,
    /// Ends of the spans, to fix them in later steps.
    pub spans: Vec<f64>,
}

/// How [`cut`] reduces the number of atoms.
pub(crate) enum Reduction<'a> {
    /// New spans, each moving the function by at most this tolerance times (1 + o).
    Search(f64),
    /// For the upper function: fixed cells.
    Cells(&'a mut Cells, Grain),
    /// For the lower function: fixed nodes.
    Nodes(&'a [f64], Grain),
}

/// The minimum of retaining and remapping, with its atoms reduced. O(atoms).
pub(crate) fn cut<const UPPER: bool>(
    next: &PiecewiseLinear,
    parameters: &InDoubles,
    cycle: &Cycle,
    retain: &Retain,
    line: &RemapLine,
    reduction: Reduction<'_>,
    recycled: Vec<Atom>,
) -> Cut {
    let mut atoms = recycled;
    atoms.clear();
    let mut ends = Vec::new();
    if matches!(reduction, Reduction::Search(_)) {
        ends.reserve(next.atoms.len());
    }
    let branches = images::<UPPER>(&next.atoms, parameters, cycle);
    let (parents, underflow) = (next.atoms.len(), parameters.underflow);
    let crossing = Crossing { branches, retain, line, parents, underflow };
    let found = match reduction {
        Reduction::Search(tolerance) if UPPER => {
            crossing.find::<UPPER>(&mut Merge::new(tolerance, &mut atoms, &mut ends))
        }
        Reduction::Search(tolerance) => {
            crossing.find::<UPPER>(&mut Split::new(tolerance, &mut atoms, &mut ends))
        }
        Reduction::Cells(cells, grain) => {
            let branches = &crossing.branches;
            let image = |report: usize, parent: usize| branches[report].at(&next.atoms[parent]);
            cells.assign(branches.len(), next.atoms.len(), image);
            crossing.find::<UPPER>(&mut Gather::new(cells, grain, &mut atoms))
        }
        Reduction::Nodes(nodes, grain) => {
            crossing.find::<UPPER>(&mut Spread::new(nodes, grain, &mut atoms))
        }
    };
    // Atoms beyond the limit of `images.rs`: the upper function keeps their slope, the lower one
    // drops it.
    let mut slope = if UPPER { scaled::<true>(retain.slope + found.beyond) } else { retain.slope };
    if let Some(kink) = found.kink {
        slope = line.delay;
        if kink.at > 0.0 && kink.drop > 0.0 {
            atoms.push(kink);
        }
    }
    // If remapping is cheaper even at p = 0 (a free or lasting remap), the line is the minimum.
    let offset = if UPPER { line.offset.1 } else { line.offset.0 };
    let everywhere = found.kink.is_some_and(|kink| kink.at <= 0.0);
    let constant = if everywhere { retain.constant.plus(offset.min(0.0)) } else { retain.constant };
    let function = PiecewiseLinear { constant, slope, atoms };
    Cut { function, odds: found.odds, spans: ends }
}

/// The crossing of retaining and the remapping line.
struct Crossings {
    odds: f64,
    /// The atom that replaces everything beyond the crossing.
    kink: Option<Atom>,
    /// Sum of slope drops beyond the limit of the odds.
    beyond: f64,
}

impl Crossings {
    const NONE: Crossings = Crossings { odds: f64::INFINITY, kink: None, beyond: 0.0 };
}

/// The search for the crossing of retaining and remapping.
struct Crossing<'a> {
    branches: Vec<Images<'a>>,
    retain: &'a Retain,
    line: &'a RemapLine,
    /// Number of atoms of the next function.
    parents: usize,
    /// See [`InDoubles::underflow`].
    underflow: f64,
}

impl Crossing<'_> {
    /// Feeds the atoms below the crossing, or all if there is none, to `reduce`.
    fn find<const UPPER: bool>(mut self, reduce: &mut impl Reduce) -> Crossings {
        let mut found = if self.line.pays {
            self.scan::<UPPER>(reduce)
        } else {
            let mut block = Block::new();
            loop {
                block.fill(&mut self.branches);
                reduce.push_all(block.images());
                if block.count < AT_A_TIME {
                    break;
                }
            }
            let beyond = if exhausted(&self.branches) { 0.0 } else { self.retain.drop };
            Crossings { beyond, ..Crossings::NONE }
        };
        reduce.finish(found.kink.as_mut());
        found
    }

    /// Finds the crossing with both roundings.
    ///
    /// It is the root of offset + delay o = slope o + sum drop min(o, at). After the atoms below o
    /// this reads o (rest + slope - delay) = offset - prefix. `rest` starts with the error of a
    /// blocked sum; afterwards both sums lose only within blocks. Adding or subtracting those
    /// errors turns the root into a bound on it.
    ///
    /// If there is no crossing by the end of a block, there is none within it: the difference of
    /// the two sides decreases throughout, unless the excess is negative. In that case, and in the
    /// block of the crossing, images are examined one by one.
    fn scan<const UPPER: bool>(&mut self, reduce: &mut impl Reduce) -> Crossings {
        let (retain, line, branches) = (self.retain, self.line, &mut self.branches);
        let underflow = self.underflow;
        let in_blocks = lost_in_blocks(self.parents * branches.len());
        let loss = blocked_loss(self.parents, branches.len()) + in_blocks;
        let excess = retain.slope - line.delay;
        let tilt = loss * retain.drop + SLACK * (retain.slope.abs() + line.delay) + underflow;
        // The root, if it is at most `here`. `late`: rounded to at or beyond the true crossing of
        // this function, otherwise to at or before it.
        let root = |offset: f64, prefix: f64, rest: f64, late: bool, here: f64| {
            let blur = SLACK * (prefix + offset.abs()) + in_blocks * prefix + underflow;
            let (rise, climb) = if late {
                (offset + blur - prefix, rest + excess - tilt)
            } else {
                (offset - blur - prefix, rest + excess + tilt)
            };
            match () {
                () if rise <= 0.0 => Some(0.0),
                () if climb <= 0.0 => (here == f64::INFINITY).then_some(here),
                () => (rise <= here * climb).then(|| rise / climb),
            }
        };
        let own_offset = if UPPER { line.offset.1 } else { line.offset.0 };
        let mut found = Crossings::NONE;
        let mut certified = None;
        let (mut prefix, mut rest) = (DoubleDouble::default(), DoubleDouble::from(retain.drop));
        let mut previous = 0.0;
        let mut block = Block::new();
        'blocks: loop {
            block.fill(branches);
            let ended = block.count < AT_A_TIME;
            if !ended && excess >= 0.0 {
                let (moment, drop) = block.sums();
                let (ahead, left) = (prefix.plus(moment), rest.plus(-drop));
                let (below, above) = (ahead.value(), left.value());
                let here = block.at[AT_A_TIME - 1];
                let crossed = certified.is_some()
                    || found.kink.is_some()
                    || root(line.certified_offset, below, above, !UPPER, here).is_some()
                    || root(own_offset, below, above, UPPER, here).is_some();
                if !crossed {
                    reduce.push_all(block.images());
                    (prefix, rest, previous) = (ahead, left, here);
                    continue;
                }
            }
            let mut images = block.images();
            loop {
                let next = images.next();
                if next.is_none() && !ended {
                    break;
                }
                let here = next.map_or(f64::INFINITY, |(at, ..)| at);
                if next.is_none() && (!UPPER || exhausted(branches)) {
                    rest = DoubleDouble::default();
                }
                let (below, above) = (prefix.value(), rest.value());
                if certified.is_none() {
                    // The crossing of the upper function is a lower bound on the threshold, that of
                    // the lower function an upper bound.
                    certified = root(line.certified_offset, below, above, !UPPER, here);
                }
                if found.kink.is_none() {
                    found.kink = root(own_offset, below, above, UPPER, here).map(|at| {
                        let drop = above + excess + if UPPER { tilt } else { -tilt };
                        Atom { at: scaled::<UPPER>(at).max(previous), drop: drop.max(0.0) }
                    });
                }
                match (next, certified, found.kink) {
                    (None, _, _) => {
                        found.beyond = above.max(0.0);
                        break 'blocks;
                    }
                    (_, Some(_), Some(_)) => break 'blocks,
                    (Some((at, drop, origin)), _, kink) => {
                        if kink.is_none() {
                            reduce.push(at, drop, origin);
                            previous = at;
                        }
                        prefix = prefix.plus(drop * at);
                        rest = rest.plus(-drop);
                    }
                }
            }
        }
        let odds = certified.unwrap_or(f64::INFINITY);
        found.odds = if UPPER { scaled::<false>(odds) } else { scaled::<true>(odds) };
        // A kink at infinity means no crossing on [0, inf).
        if found.kink.is_some_and(|kink| !kink.at.is_finite()) {
            found.kink = None;
        }
        found
    }
}
