//! A mesh with fixed nodes, and the operator P on functions that are linear between them.
//!
//! The nodes are the Chebyshev points (1 - cos(pi k / n)) / 2, dense at 0 and 1. P becomes a sparse
//! matrix with two entries per node and observation. O(cells x observations) time and memory.

use crate::belief::Likelihood;
use crate::phase_switching::difference::operator::Filter;
use crate::rounding::SLACK;
use std::f64::consts::FRAC_PI_2;

/// Fraction of additional cells that may be spent to place nodes close to thresholds.
const CHOICE: usize = 32;

/// The nodes (1 - cos(pi k / n)) / 2 and the operator P of a filter at them.
pub(super) struct Mesh {
    pub(super) at: Vec<f64>,
    /// By cell (the interval between two nodes): the inverse of its length.
    pub(super) inverse: Vec<f64>,
    /// By node: its belief in units of the length of the cell before it.
    pub(super) reach: Vec<f64>,
    pub(super) ways: Vec<Way>,
}

/// The matrix entries of one observation.
pub(super) struct Way {
    /// By node: the cell that holds its updated belief, and the weights of the ends of that cell.
    pub(super) cell: Vec<u32>,
    pub(super) weights: Vec<[f64; 2]>,
    /// By node: the cell that holds its preimage, if there is one. `bend` bounds how far the image
    /// of a function whose slope falls by 1 at the node lies above its chord in that cell.
    pub(super) home: Vec<u32>,
    pub(super) bend: Vec<f32>,
}

impl Mesh {
    /// A mesh of `cells` > 1 cells. O(cells x observations).
    pub(super) fn new(filter: &Filter, cells: usize) -> Mesh {
        let node = |k: usize| match k {
            0 => 0.0,
            k if k == cells => 1.0,
            k => (FRAC_PI_2 * (k as f64 / cells as f64)).sin().powi(2),
        };
        let at: Vec<f64> = (0..=cells).map(node).collect();
        let inverse: Vec<f64> = at.windows(2).map(|ends| 1.0 / (ends[1] - ends[0])).collect();
        let reach =
            at.iter().enumerate().map(|(k, at)| at * inverse[k.saturating_sub(1)]).collect();
        let ways = filter.likelihoods().iter().map(|report| way(filter, *report, &at, &inverse));
        Mesh { ways: ways.collect(), at, inverse, reach }
    }

    /// At least `cells` cells, and at most a few more, such that two given beliefs are close to
    /// nodes.
    pub(super) fn cells_around(beliefs: [f64; 2], cells: usize) -> usize {
        let places = beliefs.map(place);
        let apart = |cells: usize| {
            let apart = |place: f64| (place * cells as f64 - (place * cells as f64).round()).abs();
            apart(places[0]).max(apart(places[1]))
        };
        let all = cells..=cells + cells / CHOICE;
        all.min_by(|one, other| apart(*one).total_cmp(&apart(*other))).unwrap_or(cells)
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.inverse.len()
    }

    /// The cell that holds `p`.
    pub(super) fn cell(&self, p: f64) -> usize {
        let last = self.cells() - 1;
        let near = place(p) * self.cells() as f64;
        let mut cell = (near as usize).min(last);
        while cell > 0 && self.at[cell] > p {
            cell -= 1;
        }
        while cell < last && self.at[cell + 1] <= p {
            cell += 1;
        }
        cell
    }
}

/// Position of `p` among the nodes, as a fraction of their number.
fn place(p: f64) -> f64 {
    p.max(0.0).sqrt().min(1.0).asin() / FRAC_PI_2
}

fn way(filter: &Filter, report: Likelihood, at: &[f64], inverse: &[f64]) -> Way {
    let (nodes, last) = (at.len(), inverse.len() - 1);
    let mut cells = Vec::with_capacity(nodes);
    let mut weights = Vec::with_capacity(nodes);
    let mut cell = 0;
    for here in at {
        let [first, second] = filter.chances(report, *here);
        let chance = first + second;
        // The image is irrelevant if the observation has probability 0.
        let image = if chance > 0.0 { second / chance } else { at[cell] };
        while cell < last && at[cell + 1] < image {
            cell += 1;
        }
        let share = ((image - at[cell]) * inverse[cell]).clamp(0.0, 1.0);
        cells.push(cell as u32);
        weights.push([chance * (1.0 - share), chance * share]);
    }
    let mut home = vec![0; nodes];
    let mut bend = vec![0.0; nodes];
    let Likelihood { before, after } = report;
    let memory = filter.memory();
    for (k, (ends, images)) in at.windows(2).zip(cells.windows(2)).enumerate() {
        for node in images[0] as usize + 1..=images[1] as usize {
            // Slopes of the observation's probability and of its joint probability with the second
            // phase, and the belief whose update is this node.
            let fall = after * (1.0 - at[node]) + before * at[node];
            let place = before * at[node] / fall;
            let preimage = filter.preimage(place).clamp(ends[0], ends[1]);
            let above = memory * (preimage - ends[0]) * (ends[1] - preimage) * inverse[k];
            // Bound on the rounding of the preimage.
            let blur = SLACK * place;
            home[node] = k as u32;
            bend[node] = ((fall * (above + blur)) as f32).next_up();
        }
    }
    Way { cell: cells, weights, home, bend }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    #[test]
    fn nodes_are_close_to_two_beliefs() {
        let random = &mut stream(59, 0);
        let mut close = 0;
        for _ in 0..300 {
            let beliefs = [random.random(), random.random::<f64>().powi(4)];
            let least = random.random_range(1 << 14..1 << 16);
            let cells = Mesh::cells_around(beliefs, least);
            assert!(least <= cells && cells <= least + least / CHOICE);
            let node = |k: f64| (FRAC_PI_2 * k / cells as f64).sin().powi(2);
            let near = |p: &f64| {
                let k = (place(*p) * cells as f64).round();
                node(k - 0.05) <= *p && *p <= node(k + 0.05)
            };
            close += usize::from(beliefs.iter().all(near));
        }
        assert!(close >= 280, "{close}");
        assert_eq!(Mesh::cells_around([0.0, 1.0], 1000), 1000);
    }
}
