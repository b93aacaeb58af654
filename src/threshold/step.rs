//! One backward step of the belief recursion on one side of the bracket.
//!
//! In odds o = p/(1-p), with e_F per cycle before and e_R per cycle after the change subtracted and
//! everything divided by 1-p, the value function is concave and piecewise linear on [0, inf). Both
//! Bayes maps are affine, so a step maps every slope drop to two, adds the gain G to the slope, and
//! cuts the function where remapping is cheaper. With `UPPER` every rounding goes up, otherwise down,
//! and the step operator is monotone: the two sides always enclose the true value function.

use super::problem::{Cycle, Nearest};
use crate::concave::bracket::{Merge, Reduce, Spans, Split};
use crate::concave::{Atom, Kinked};
use crate::rounding::{SLACK, UNIT, outward, scaled};

/// Retaining at this step, before it is compared with remapping: everything but the atoms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retain {
    pub constant: crate::rounding::DoubleDouble,
    pub slope: f64,
    /// Total slope drop of the new atoms.
    drop: f64,
}

/// The affine images of the atoms under one report.
struct Images<'a> {
    atoms: &'a [Atom],
    next: usize,
    stretch: f64,
    shift: f64,
    weight: f64,
}

impl<'a> Images<'a> {
    fn new<const UPPER: bool>(atoms: &'a [Atom], cycle: &Cycle, no: f64, yes: f64) -> Images<'a> {
        // `no` and `yes`: probability of the report before and after the change.
        let weight = scaled::<UPPER>(cycle.survival * yes);
        let stretch = if weight > 0.0 { scaled::<UPPER>(cycle.quiet * (no / yes)) } else { 0.0 };
        let shift = if UPPER { cycle.hazard * (1.0 - SLACK) } else { cycle.hazard * (1.0 + SLACK) };
        let next = if stretch > 0.0 {
            atoms.partition_point(|atom| atom.at * stretch - shift <= 0.0)
        } else {
            atoms.len()
        };
        Images { atoms, next, stretch, shift, weight }
    }

    /// Where the next image stands; infinity after the last.
    fn peek(&self) -> f64 {
        match self.atoms.get(self.next) {
            Some(atom) => atom.at * self.stretch - self.shift,
            None => f64::INFINITY,
        }
    }
}

fn images<'a, const UPPER: bool>(
    atoms: &'a [Atom],
    parameters: &Nearest,
    cycle: &Cycle,
) -> [Images<'a>; 2] {
    [
        Images::new::<UPPER>(atoms, cycle, parameters.alarm, parameters.hit),
        Images::new::<UPPER>(atoms, cycle, parameters.no_alarm, parameters.miss),
    ]
}

/// The line and the constant of retaining; the atoms follow in [`cut`]. O(atoms).
pub(crate) fn retain<const UPPER: bool>(
    next: &Kinked,
    parameters: &Nearest,
    cycle: &Cycle,
) -> Retain {
    let (s, h) = (cycle.survival, cycle.hazard);
    let mut inflow = next.slope * h;
    let mut drop = 0.0;
    let reports = [(parameters.alarm, parameters.hit), (parameters.no_alarm, parameters.miss)];
    for (branch, (no, yes)) in images::<UPPER>(&next.atoms, parameters, cycle).iter().zip(reports) {
        // An atom whose image falls below zero is a constant from now on.
        let (fallen, kept) = next.atoms.split_at(branch.next);
        let moment: f64 = fallen.iter().map(|atom| atom.drop * atom.at).sum();
        let weight: f64 = kept.iter().map(|atom| atom.drop).sum();
        inflow += cycle.quiet * no * moment + yes * h * weight;
        drop += branch.weight * weight;
    }
    let sums = UNIT * next.atoms.len() as f64;
    let inflow = s * inflow * if UPPER { 1.0 + sums } else { 1.0 - sums };
    let lost = cycle.killed() * next.constant.value();
    // Three times, because rounding may also put an atom on the wrong side of zero.
    let change = outward::<UPPER>(inflow - lost, 3.0 * inflow.abs() + lost.abs());
    let slope = parameters.gain + s * next.slope;
    let slope = outward::<UPPER>(slope, parameters.gain.abs() + s * next.slope.abs());
    Retain { constant: next.constant.plus(change), slope, drop }
}

/// The remapping line o -> offset + delay * o above the constant of retaining, and what is asked of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RemapLine {
    /// Its value at o = 0 less the constant of retaining on this side; the true offset lies within.
    pub offset: (f64, f64),
    /// The same, as seen by the certified threshold: widened by the gap between the two sides.
    pub certified_offset: f64,
    /// D_d + D_r.
    pub delay: f64,
    /// Whether remapping pays at p = 1; if not, the line is never below.
    pub pays: bool,
}

/// What [`cut`] finds.
pub(crate) struct Cut {
    pub function: Kinked,
    /// A certified bound on the odds of the threshold: from below on the upper side, from above on the
    /// lower side. Infinite if there is none.
    pub odds: f64,
    /// Where the spans ended, to hold them in later steps.
    pub spans: Vec<f64>,
}

/// The minimum of retaining and remapping, with its atoms reduced. O(atoms).
pub(crate) fn cut<const UPPER: bool>(
    next: &Kinked,
    parameters: &Nearest,
    cycle: &Cycle,
    retain: &Retain,
    line: &RemapLine,
    spans: Spans<'_>,
    recycled: Vec<Atom>,
) -> Cut {
    let mut atoms = recycled;
    atoms.clear();
    let mut ends = Vec::new();
    let mut found = Crossings { odds: f64::INFINITY, kink: None, beyond: 0.0 };
    let mut branches = images::<UPPER>(&next.atoms, parameters, cycle);
    if UPPER {
        let mut merge = Merge::new(spans, &mut atoms, &mut ends);
        if line.pays {
            found = scan::<UPPER>(&mut branches, next.atoms.len(), retain, line, &mut merge);
        } else {
            found.beyond = drain(&mut branches, retain.drop, &mut merge);
        }
        merge.finish();
    } else {
        let mut split = Split::new(spans, &mut atoms, &mut ends);
        if line.pays {
            found = scan::<UPPER>(&mut branches, next.atoms.len(), retain, line, &mut split);
        } else {
            drain(&mut branches, retain.drop, &mut split);
        }
        split.finish();
    }
    // Atoms too far out to matter: a slope that never drops above, nothing below.
    let mut slope = if UPPER { scaled::<true>(retain.slope + found.beyond) } else { retain.slope };
    if let Some(kink) = found.kink {
        slope = line.delay;
        if kink.at > 0.0 && kink.drop > 0.0 {
            atoms.push(kink);
        }
    }
    // Remapping is cheaper even at p = 0 (a free or lasting remapping): the line is the minimum.
    let offset = if UPPER { line.offset.1 } else { line.offset.0 };
    let everywhere = found.kink.is_some_and(|kink| kink.at <= 0.0);
    let constant = if everywhere { retain.constant.plus(offset.min(0.0)) } else { retain.constant };
    let function = Kinked { constant, slope, atoms };
    Cut { function, odds: found.odds, spans: ends }
}

/// Odds beyond which an atom no longer counts as one: p = 1 - 1e-250.
const FAR: f64 = 1e250;

/// Feeds all atoms to `reduce`; returns the total drop of those beyond [`FAR`].
fn drain(branches: &mut [Images<'_>; 2], drop: f64, reduce: &mut impl Reduce) -> f64 {
    while let Some((at, drop)) = pop(branches) {
        reduce.push(at, drop);
    }
    if exhausted(branches) { 0.0 } else { drop }
}

fn exhausted(branches: &[Images<'_>; 2]) -> bool {
    branches.iter().all(|branch| branch.next >= branch.atoms.len())
}

/// The next image in ascending order, none beyond [`FAR`].
fn pop(branches: &mut [Images<'_>; 2]) -> Option<(f64, f64)> {
    let [first, second] = branches;
    let (a, b) = (first.peek(), second.peek());
    let (branch, at) = if a <= b { (first, a) } else { (second, b) };
    let atom = branch.atoms.get(branch.next).filter(|_| at < FAR)?;
    branch.next += 1;
    Some((at, atom.drop * branch.weight))
}

/// Where the remapping line crosses.
struct Crossings {
    odds: f64,
    /// The atom that stands for everything beyond the crossing.
    kink: Option<Atom>,
    /// Slope drops too far out to be kept as atoms.
    beyond: f64,
}

/// Feeds the atoms below the crossing to `reduce` and finds the crossing with both roundings.
///
/// The crossing is the root of offset + delay o = slope o + sum drop min(o, at). After the atoms below
/// o it reads o (rest + slope - delay) = offset - prefix; the sums carry errors of at most `loss` times
/// their magnitudes, so adding or subtracting those turns the root into a bound on it.
fn scan<const UPPER: bool>(
    branches: &mut [Images<'_>; 2],
    parents: usize,
    retain: &Retain,
    line: &RemapLine,
    reduce: &mut impl Reduce,
) -> Crossings {
    let loss = UNIT * (4.0 * parents as f64 + 32.0);
    let excess = retain.slope - line.delay;
    let tilt = loss * retain.drop + SLACK * (retain.slope.abs() + line.delay);
    // `late`: at or beyond the true crossing of this side; otherwise at or before it.
    let root = |offset: f64, prefix: f64, rest: f64, late: bool| {
        let blur = loss * prefix + SLACK * offset.abs();
        let (rise, climb) = if late {
            (offset + blur - prefix, rest + excess - tilt)
        } else {
            (offset - blur - prefix, rest + excess + tilt)
        };
        match () {
            () if rise <= 0.0 => 0.0,
            () if climb <= 0.0 => f64::INFINITY,
            () => rise / climb,
        }
    };
    let own_offset = if UPPER { line.offset.1 } else { line.offset.0 };
    let mut found = Crossings { odds: f64::INFINITY, kink: None, beyond: 0.0 };
    let mut certified = None;
    let (mut prefix, mut rest, mut previous) = (0.0, retain.drop, 0.0);
    loop {
        let next = pop(branches);
        let here = next.map_or(f64::INFINITY, |(at, _)| at);
        if next.is_none() && (!UPPER || exhausted(branches)) {
            rest = 0.0;
        }
        if certified.is_none() {
            // The upper function crosses early: a lower bound on the threshold, and conversely.
            let odds = root(line.certified_offset, prefix, rest, !UPPER);
            if odds <= here {
                certified = Some(odds);
            }
        }
        if found.kink.is_none() {
            let at = root(own_offset, prefix, rest, UPPER);
            if at <= here {
                let at = if UPPER { scaled::<true>(at) } else { scaled::<false>(at) }.max(previous);
                let drop = if UPPER { rest + excess + tilt } else { rest + excess - tilt };
                found.kink = Some(Atom { at, drop: drop.max(0.0) });
            }
        }
        match (next, certified, found.kink) {
            (None, _, _) => {
                found.beyond = rest.max(0.0);
                break;
            }
            (_, Some(_), Some(_)) => break,
            (Some((at, drop)), _, kink) => {
                if kink.is_none() {
                    reduce.push(at, drop);
                    previous = at;
                }
                prefix += drop * at;
                rest -= drop;
            }
        }
    }
    let odds = certified.unwrap_or(f64::INFINITY);
    found.odds = if UPPER { scaled::<false>(odds) } else { scaled::<true>(odds) };
    // A kink at infinity is none: the line stays above on all of [0, inf).
    if found.kink.is_some_and(|kink| !kink.at.is_finite()) {
        found.kink = None;
    }
    found
}
