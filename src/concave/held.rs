//! Reducers with fixed spans. With them a converging sequence of functions converges to the last
//! bit, instead of alternating between choices of spans.

use super::Atom;
use super::bracket::{Origin, Reduce};
use crate::rounding::{Grain, SLACK, UNIT};

/// Assignment of images to cells, made once by position and afterward kept by parent.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    /// The abscissas between cells, ascending.
    ends: Vec<f64>,
    parents: usize,
    /// For each report, the cell of the image of each parent.
    table: Vec<Vec<u32>>,
}

impl Cells {
    /// Cells between the given ascending abscissas.
    pub fn new(ends: Vec<f64>) -> Cells {
        Cells { ends, parents: usize::MAX, table: Default::default() }
    }

    /// Assigns every image to a cell, unless that has been done for the same number of parents.
    /// `image` gives the abscissa of the image of a parent under an observation, ascending in the
    /// parent.
    pub fn assign(&mut self, reports: usize, parents: usize, image: impl Fn(usize, usize) -> f64) {
        if self.parents == parents {
            return;
        }
        self.parents = parents;
        self.table.resize(reports, Vec::new());
        for report in 0..reports {
            let mut cell = 0;
            self.table[report].clear();
            for parent in 0..parents {
                let at = image(report, parent);
                while self.ends.get(cell).is_some_and(|end| *end <= at) {
                    cell += 1;
                }
                self.table[report].push(cell as u32);
            }
        }
    }
}

/// Merges the atoms of each cell at their barycenter: an upper bound.
pub struct Gather<'a> {
    cells: &'a Cells,
    grain: Grain,
    kept: &'a mut Vec<Atom>,
    /// Per cell: number of atoms, total drop, total drop times abscissa.
    sums: Vec<(u32, f64, f64)>,
}

impl<'a> Gather<'a> {
    /// Appends to `kept`, everything rounded up to `grain`. `cells` must have been assigned.
    pub(crate) fn new(cells: &'a Cells, grain: Grain, kept: &'a mut Vec<Atom>) -> Self {
        Gather { cells, grain, kept, sums: vec![(0, 0.0, 0.0); cells.ends.len() + 1] }
    }
}

impl Reduce for Gather<'_> {
    fn push(&mut self, at: f64, drop: f64, origin: Origin) {
        let cell = self.cells.table[origin.report][origin.parent];
        let (count, total, moment) = &mut self.sums[cell as usize];
        *count += 1;
        *total += drop;
        *moment += drop * at;
    }

    fn finish(&mut self, end: Option<&mut Atom>) {
        let start = self.kept.len();
        // Empty cells remain, without weight, so that parents keep their indices.
        let mut before = 0.0;
        for &(count, total, moment) in &self.sums {
            let up = 1.0 + UNIT * (4.0 + 2.0 * f64::from(count));
            let at = if total > 0.0 { moment / total * up } else { before };
            let (at, drop) = (self.grain.round::<true>(at), self.grain.round::<true>(total * up));
            self.kept.push(Atom { at, drop });
            before = at;
        }
        // Cells overlap only where their atoms have moved since the assignment.
        let kept = &mut self.kept[start..];
        if !kept.is_sorted_by(|a, b| a.at <= b.at) {
            kept.sort_by(|a, b| a.at.total_cmp(&b.at));
        }
        if let Some(end) = end {
            end.at = self.grain.round::<true>(end.at);
            end.drop = self.grain.round::<true>(end.drop);
            if let Some(last) = kept.last() {
                end.at = end.at.max(last.at);
            }
        }
    }
}

/// Moves every atom onto the two fixed nodes around it: a lower bound.
pub struct Spread<'a> {
    nodes: &'a [f64],
    grain: Grain,
    kept: &'a mut Vec<Atom>,
    /// Index of the node that ends the current span.
    next: usize,
    start: Atom,
    /// Position of the latest atom.
    last: f64,
    /// Sums over the atoms inside the current span, of drop and drop * y, y the distance from the
    /// start.
    inside: [f64; 2],
    /// Number of atoms inside.
    count: u32,
}

impl<'a> Spread<'a> {
    /// Appends to `kept`, all drops rounded down to `grain`. `nodes` ascend.
    pub(crate) fn new(nodes: &'a [f64], grain: Grain, kept: &'a mut Vec<Atom>) -> Self {
        Spread {
            nodes,
            grain,
            kept,
            next: 0,
            start: Atom { at: 0.0, drop: 0.0 },
            last: 0.0,
            inside: [0.0; 2],
            count: 0,
        }
    }

    fn close(&mut self, end: f64) -> f64 {
        let [drop, moment] = std::mem::take(&mut self.inside);
        let width = end - self.start.at;
        let count = std::mem::take(&mut self.count);
        let share = if width > 0.0 { (moment / width).min(drop) } else { 0.0 };
        let loss = 4.0 * SLACK + 4.0 * UNIT * f64::from(count);
        self.start.drop += (drop - share - loss * drop).max(0.0);
        if self.start.at > 0.0 {
            let drop = self.grain.round::<false>(self.start.drop);
            self.kept.push(Atom { drop, ..self.start });
        }
        share * (1.0 - loss)
    }
}

impl Reduce for Spread<'_> {
    fn push(&mut self, at: f64, drop: f64, _: Origin) {
        while let Some(&node) = self.nodes.get(self.next).filter(|node| **node <= at) {
            let share = self.close(node);
            self.start = Atom { at: node, drop: share };
            self.next += 1;
        }
        self.last = at;
        let y = at - self.start.at;
        self.inside[0] += drop;
        self.inside[1] += drop * y;
        self.count += 1;
    }

    fn finish(&mut self, end: Option<&mut Atom>) {
        // The span of the last atoms ends at its node, or where the function ends.
        let limit = end.as_ref().map_or(f64::INFINITY, |end| self.grain.round::<false>(end.at));
        if let Some(&node) = self.nodes.get(self.next).filter(|node| **node < limit) {
            let share = self.close(node);
            self.start = Atom { at: node, drop: share };
            self.last = node;
        }
        match end {
            Some(end) => {
                // Rounded first, but not below existing atoms.
                end.at = self.grain.round::<false>(end.at).max(self.last);
                let sum = (end.drop + self.close(end.at)) * (1.0 - 2.0 * UNIT);
                end.drop = self.grain.round::<false>(sum);
            }
            // There is no node beyond: the drop inside the last span moves to its start, which
            // lowers the function further.
            None => {
                self.close(f64::INFINITY);
            }
        }
    }
}
