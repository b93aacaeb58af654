//! Activity mesh: work that moves over a domain divided into rectangles [NRS86, section 4].
//!
//! A rectangular grid of activity points carries work units. In every step each unit independently
//! moves to a neighboring point or stays. Processors own rectangles of points, found by binary
//! dissection. The load of a processor is the work on its points. A remap repeats the dissection.
//! The demand of a unit, and its moves, may depend on its point.
//!
//! Units are not tracked individually: the units of a point are split among its neighbors by
//! binomial draws. Time per step: O(points), for any number of units.
//!
//! ```
//! use remapping::activity_mesh::{ActivityMesh, Boundary, Moves};
//! use remapping::simulate::Workload;
//!
//! let moves = Moves { east: 0.2, west: 0.1, north: 0.1, south: 0.1 };
//! let mesh =
//!     ActivityMesh::new((4, 4), vec![5; 16], 4, moves, Boundary::Torus, 100, 20.0)?;
//! assert_eq!(mesh.steps(), 100);
//! # Ok::<(), remapping::activity_mesh::MeshError>(())
//! ```

mod binomial;
mod dissection;

pub use dissection::{Rectangle, dissect};

use crate::simulate::{Stream, Workload, simulated};
use binomial::Splitter;

/// Transition probabilities of a unit in a step, with sum at most 1; the unit stays with the
/// remaining probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moves {
    /// To x + 1.
    pub east: f64,
    /// To x - 1.
    pub west: f64,
    /// To y + 1.
    pub north: f64,
    /// To y - 1.
    pub south: f64,
}

impl Moves {
    fn splitter(&self) -> Result<Splitter, MeshError> {
        let all = [self.east, self.west, self.north, self.south];
        let sum: f64 = all.iter().sum();
        if all.iter().any(|p| !(0.0..=1.0).contains(p)) || sum > 1.0 + 1e-12 {
            return Err(MeshError::Moves(sum));
        }
        Ok(Splitter::new(all))
    }
}

/// What happens to a unit that would leave the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub enum Boundary {
    /// It stays in place.
    Reject,
    /// It moves in the opposite direction.
    Reflect,
    /// It is removed.
    Exit,
    /// It enters at the opposite side.
    Torus,
}

/// A program whose work moves over a mesh.
#[derive(Debug, Clone)]
pub struct ActivityMesh {
    width: usize,
    height: usize,
    units: Vec<u32>,
    /// Demand of a unit at each point; 1 everywhere if empty.
    weights: Vec<u32>,
    processors: usize,
    /// Distributions of moves, and the index of that of each point.
    splitters: Vec<Splitter>,
    laws: Vec<usize>,
    boundary: Boundary,
    steps: u64,
    remap_cost: f64,
}

/// Why a mesh cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The domain has no points.
    #[error("the mesh has no points")]
    Empty,
    /// The list of units differs in length from the domain.
    #[error("{found} numbers of units for {expected} points")]
    Shape {
        /// Points.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// No processors, or more than points.
    #[error("{processors} processors for {points} points")]
    Processors {
        /// Processors.
        processors: usize,
        /// Points.
        points: usize,
    },
    /// The moves are not probabilities.
    #[error("the probabilities of moving sum to {0}, or one is outside [0, 1]")]
    Moves(f64),
    /// More work than 32 bits can count.
    #[error("more than 2^32 units, or units of that weight")]
    Units,
    /// A rectangle that is empty or reaches beyond the mesh.
    #[error("the rectangle {0:?} is empty or reaches beyond the mesh")]
    Place(Rectangle),
}

impl ActivityMesh {
    /// A mesh of `width` x `height` points with the given units at the start, row by row.
    ///
    /// # Errors
    /// What does not fit together.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        (width, height): (usize, usize),
        units: Vec<u32>,
        processors: usize,
        moves: Moves,
        boundary: Boundary,
        steps: u64,
        remap_cost: f64,
    ) -> Result<ActivityMesh, MeshError> {
        let points = width * height;
        if points == 0 {
            return Err(MeshError::Empty);
        }
        if units.len() != points {
            return Err(MeshError::Shape { expected: points, found: units.len() });
        }
        if processors == 0 || processors > points {
            return Err(MeshError::Processors { processors, points });
        }
        if units.iter().map(|&units| u64::from(units)).sum::<u64>() > u64::from(u32::MAX) {
            return Err(MeshError::Units);
        }
        let (splitters, laws) = (vec![moves.splitter()?], vec![0; points]);
        let weights = Vec::new();
        Ok(ActivityMesh {
            width,
            height,
            units,
            weights,
            processors,
            splitters,
            laws,
            boundary,
            steps,
            remap_cost,
        })
    }

    /// With a weight at each point, row by row: the demand of each unit there.
    pub fn with_weights(self, weights: Vec<u32>) -> Result<ActivityMesh, MeshError> {
        let (expected, found) = (self.units.len(), weights.len());
        if expected != found {
            return Err(MeshError::Shape { expected, found });
        }
        let units = self.units.iter().map(|&units| u64::from(units)).sum::<u64>();
        let heaviest = weights.iter().copied().max().unwrap_or(0);
        if units.saturating_mul(u64::from(heaviest)) > u64::from(u32::MAX) {
            return Err(MeshError::Units);
        }
        Ok(ActivityMesh { weights, ..self })
    }

    /// With other moves from the points of a rectangle.
    ///
    /// # Errors
    /// A rectangle outside the mesh, or moves that are not probabilities.
    pub fn with_moves(mut self, place: Rectangle, moves: Moves) -> Result<ActivityMesh, MeshError> {
        let Rectangle { left, right, bottom, top } = place;
        let within = left < right && right as usize <= self.width;
        if !within || bottom >= top || top as usize > self.height {
            return Err(MeshError::Place(place));
        }
        self.splitters.push(moves.splitter()?);
        for y in bottom as usize..top as usize {
            let row = y * self.width;
            self.laws[row + left as usize..row + right as usize].fill(self.splitters.len() - 1);
        }
        Ok(self)
    }

    /// The point a unit at (x, y) moves to in direction 0..4 (east, west, north, south); `None` if
    /// it leaves the domain.
    fn target(&self, x: usize, y: usize, direction: usize) -> Option<usize> {
        let along = |at: usize, size: usize, up: bool| match (up, at) {
            (true, _) if at + 1 < size => Some(at + 1),
            (false, 1..) => Some(at - 1),
            _ => match self.boundary {
                Boundary::Reject => Some(at),
                Boundary::Reflect if size == 1 => Some(at),
                Boundary::Reflect => Some(if up { at - 1 } else { at + 1 }),
                Boundary::Exit => None,
                Boundary::Torus => Some(if up { 0 } else { size - 1 }),
            },
        };
        let (x, y) = match direction {
            0 | 1 => (along(x, self.width, direction == 0)?, y),
            _ => (x, along(y, self.height, direction == 2)?),
        };
        Some(y * self.width + x)
    }
}

/// The units on the mesh at the present step of a path.
#[derive(Debug)]
pub struct Field {
    stream: Stream,
    width: usize,
    units: Vec<u32>,
    next: Vec<u32>,
    /// `sums[(y, x)]`: prefix sums of the demand at smaller coordinates, with one more row and
    /// column than there are points.
    sums: Vec<u64>,
}

impl Field {
    /// Units of each point, row by row.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// Total demand of the units in a rectangle.
    pub fn weight(&self, rectangle: &Rectangle) -> u64 {
        let at = |x: u32, y: u32| self.sums[y as usize * (self.width + 1) + x as usize];
        let &Rectangle { left, right, bottom, top } = rectangle;
        at(right, top) + at(left, bottom) - at(left, top) - at(right, bottom)
    }

    fn sum_up(&mut self, weights: &[u32]) {
        let width = self.width;
        for (y, row) in self.units.chunks_exact(width).enumerate() {
            let (below, above) = self.sums.split_at_mut((y + 1) * (width + 1));
            let below = &below[y * (width + 1)..];
            let mut sum = 0;
            for (x, &units) in row.iter().enumerate() {
                let weight = weights.get(y * width + x).map_or(1, |weight| u64::from(*weight));
                sum += weight * u64::from(units);
                above[x + 1] = below[x + 1] + sum;
            }
        }
    }
}

simulated!(ActivityMesh);

impl Workload for ActivityMesh {
    type World = Field;
    type Mapping = Vec<Rectangle>;

    fn steps(&self) -> u64 {
        self.steps
    }

    fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    fn start(&self, stream: Stream) -> Field {
        let (width, units) = (self.width, self.units.clone());
        let sums = vec![0; (width + 1) * (self.height + 1)];
        let mut field = Field { stream, width, next: vec![0; units.len()], units, sums };
        field.sum_up(&self.weights);
        field
    }

    fn initial(&self, world: &mut Field) -> Vec<Rectangle> {
        dissect((self.width as u32, self.height as u32), self.processors, |r| world.weight(r))
    }

    fn advance(&self, world: &mut Field) {
        world.next.fill(0);
        for y in 0..self.height {
            for x in 0..self.width {
                let here = y * self.width + x;
                let units = world.units[here];
                if units == 0 {
                    continue;
                }
                let splitter = &self.splitters[self.laws[here]];
                let moved = splitter.split(units, &mut world.stream);
                world.next[here] += units - moved.iter().sum::<u32>();
                for (direction, &count) in moved.iter().enumerate().filter(|(_, count)| **count > 0)
                {
                    if let Some(there) = self.target(x, y, direction) {
                        world.next[there] += count;
                    }
                }
            }
        }
        std::mem::swap(&mut world.units, &mut world.next);
        world.sum_up(&self.weights);
    }

    fn follow(&self, _world: &Field, _mapping: &mut Vec<Rectangle>) {}

    fn loads(&self, world: &Field, mapping: &Vec<Rectangle>, loads: &mut Vec<f64>) {
        loads.clear();
        loads.extend(mapping.iter().map(|rectangle| world.weight(rectangle) as f64));
    }

    fn remap(&self, world: &Field, mapping: &mut Vec<Rectangle>) {
        *mapping =
            dissect((self.width as u32, self.height as u32), self.processors, |r| world.weight(r));
    }
}

#[cfg(test)]
mod tests;
