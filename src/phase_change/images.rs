//! Images of the atoms (slope drops) of a function under all observations, merged in ascending
//! order and processed in blocks.
//!
//! Each observation maps odds affinely, so its images are sorted already. The merge compares the
//! observations for each image: O(atoms x observations^2). Sums over blocks use independent lanes,
//! to avoid a serial dependency.

use super::problem::{Cycle, InDoubles, Report};
use crate::concave::Atom;
use crate::concave::bracket::Origin;
use crate::rounding::{SLACK, TINY, UNIT, eased, scaled};

/// The affine images of the atoms under one observation.
pub(super) struct Images<'a> {
    atoms: &'a [Atom],
    /// Index of the next atom.
    pub(super) next: usize,
    stretch: f64,
    shift: f64,
    pub(super) weight: f64,
}

impl<'a> Images<'a> {
    pub(super) fn new<const UPPER: bool>(
        atoms: &'a [Atom],
        cycle: &Cycle,
        report: &Report,
    ) -> Images<'a> {
        let weight = scaled::<UPPER>(eased::<UPPER>(cycle.survival) * eased::<UPPER>(report.after));
        let stretch = if cycle.survival > 0.0 && report.after > 0.0 {
            let (quiet, ratio) = (eased::<UPPER>(cycle.quiet), eased::<UPPER>(report.ratio));
            scaled::<UPPER>(quiet * ratio).min(f64::MAX)
        } else {
            0.0
        };
        let shift = if UPPER {
            cycle.hazard * (1.0 - SLACK) - TINY
        } else {
            cycle.hazard * (1.0 + SLACK) + TINY
        };
        let next = if stretch > 0.0 {
            atoms.partition_point(|atom| atom.at * stretch - shift <= 0.0)
        } else {
            atoms.len()
        };
        Images { atoms, next, stretch, shift, weight }
    }

    /// Position of the next image; infinity after the last.
    fn peek(&self) -> f64 {
        self.atoms.get(self.next).map_or(f64::INFINITY, |atom| self.at(atom))
    }

    /// Position of the image of `atom`.
    pub(super) fn at(&self, atom: &Atom) -> f64 {
        atom.at * self.stretch - self.shift
    }
}

pub(super) fn images<'a, const UPPER: bool>(
    atoms: &'a [Atom],
    parameters: &InDoubles,
    cycle: &Cycle,
) -> Vec<Images<'a>> {
    let reports = parameters.reports.iter();
    reports.map(|report| Images::new::<UPPER>(atoms, cycle, report)).collect()
}

/// Odds beyond which atoms are dropped: p = 1 - 1e-150. Products of two such odds are finite.
const FAR: f64 = 1e150;

pub(super) fn exhausted(branches: &[Images<'_>]) -> bool {
    branches.iter().all(|branch| branch.next >= branch.atoms.len())
}

/// Images in ascending order, a block at a time.
pub(super) struct Block {
    pub(super) count: usize,
    pub(super) at: [f64; AT_A_TIME],
    drop: [f64; AT_A_TIME],
    origin: [Origin; AT_A_TIME],
}

/// Images in a block.
pub(super) const AT_A_TIME: usize = 32;

/// Independent partial sums of a block.
const LANES: usize = 4;

/// Relative rounding error of sums over blocks; the block sums are added in double-double
/// arithmetic.
pub(super) fn lost_in_blocks(images: usize) -> f64 {
    UNIT * (images.min(AT_A_TIME) / LANES + LANES + 2) as f64
}

impl Block {
    pub(super) fn new() -> Block {
        let origin = [Origin { report: 0, parent: 0 }; AT_A_TIME];
        Block { count: 0, at: [0.0; AT_A_TIME], drop: [0.0; AT_A_TIME], origin }
    }

    /// Fills the block with the next images in ascending order, none beyond [`FAR`]. Only the last
    /// block is shorter.
    pub(super) fn fill(&mut self, branches: &mut [Images<'_>]) {
        self.count = 0;
        match branches {
            [one, other] => self.fill_from_two(one, other),
            _ => self.fill_from_all(branches),
        }
    }

    /// Written without branches on the order of the images, which are unpredictable.
    fn fill_from_two(&mut self, one: &mut Images<'_>, other: &mut Images<'_>) {
        let image = |images: &Images<'_>, at: usize| match images.atoms.get(at) {
            Some(atom) => (images.at(atom), atom.drop * images.weight),
            None => (f64::INFINITY, 0.0),
        };
        let (mut first, mut second) = (one.next, other.next);
        let slots = self.at.iter_mut().zip(&mut self.drop).zip(&mut self.origin);
        for ((at, drop), origin) in slots {
            let (here, there) = (image(one, first), image(other, second));
            let later = there.0 < here.0;
            let least = if later { there } else { here };
            if least.0 >= FAR {
                break;
            }
            (*at, *drop) = least;
            let parent = if later { second } else { first };
            *origin = Origin { report: usize::from(later), parent };
            second += usize::from(later);
            first += usize::from(!later);
        }
        self.count = first + second - one.next - other.next;
        (one.next, other.next) = (first, second);
    }

    fn fill_from_all(&mut self, branches: &mut [Images<'_>]) {
        let slots = self.at.iter_mut().zip(&mut self.drop).zip(&mut self.origin);
        for ((slot, drop), origin) in slots {
            let (mut report, mut at) = (0, FAR);
            for (k, branch) in branches.iter().enumerate() {
                let here = branch.peek();
                if here < at {
                    (report, at) = (k, here);
                }
            }
            if at >= FAR {
                break;
            }
            let branch = &mut branches[report];
            *slot = at;
            *drop = branch.atoms[branch.next].drop * branch.weight;
            *origin = Origin { report, parent: branch.next };
            branch.next += 1;
            self.count += 1;
        }
    }

    /// Sum of drop times position, and sum of the drops.
    pub(super) fn sums(&self) -> (f64, f64) {
        let (mut moments, mut drops) = ([0.0; LANES], [0.0; LANES]);
        let (at, drop) = (&self.at[..self.count], &self.drop[..self.count]);
        for (at, drop) in at.chunks(LANES).zip(drop.chunks(LANES)) {
            for (lane, (at, drop)) in at.iter().zip(drop).enumerate() {
                moments[lane] += drop * at;
                drops[lane] += drop;
            }
        }
        (moments.iter().sum(), drops.iter().sum())
    }

    /// The images, in ascending order.
    pub(super) fn images(&self) -> impl Iterator<Item = (f64, f64, Origin)> {
        let images = self.at.iter().zip(&self.drop).zip(&self.origin).take(self.count);
        images.map(|((at, drop), origin)| (*at, *drop, *origin))
    }
}
