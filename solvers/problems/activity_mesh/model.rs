//! The `ActivityMesh` problem of a model file [NRS86, section 4].

use crate::model::explain::Shape;
use crate::model::number::Decimal;
use crate::model::review::Review;
use remapping::activity_mesh;
use serde::Deserialize;

/// The fields of `ActivityMesh(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivityMesh {
    width: usize,
    height: usize,
    #[serde(default)]
    units: Units,
    weights: Option<Vec<Vec<u32>>>,
    processors: usize,
    moves: Moves,
    #[serde(default)]
    places: Vec<Place>,
    boundary: activity_mesh::Boundary,
    steps: u64,
    remap_cost: Decimal,
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    (
        "problem",
        "ActivityMesh(width: 64, height: 64, units: Each(1), processors: 16, moves: (east: 0.2, west: 0.1, \
         north: 0.2, south: 0.1), boundary: Reject, steps: 200, remap_cost: 50.0)",
    ),
    ("problem.width", "64"),
    ("problem.height", "64"),
    ("problem.units", "Each(1) or Rows([[1, 2], [0, 1]])"),
    ("problem.weights", "[[1, 3], [1, 1]]"),
    ("problem.processors", "16"),
    ("problem.moves", "(east: 0.2, west: 0.1, north: 0.2, south: 0.1)"),
    ("problem.places", "[(left: 0, right: 3, bottom: 0, top: 3, moves: ...)]"),
    ("problem.boundary", "Reject, Reflect, Exit or Torus"),
    ("problem.steps", "200"),
    ("problem.remap_cost", "50.0"),
];

/// Work units at the start.
#[derive(Debug, Clone, Deserialize)]
enum Units {
    /// This many at every point.
    Each(u32),
    /// One list for each row of points, the southernmost first.
    Rows(Vec<Vec<u32>>),
}

impl Default for Units {
    fn default() -> Self {
        Units::Each(1)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    east: Decimal,
    west: Decimal,
    north: Decimal,
    south: Decimal,
}

/// Points `left <= x < right`, `bottom <= y < top`, from which units move with other probabilities.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    left: u32,
    right: u32,
    bottom: u32,
    top: u32,
    moves: Moves,
}

impl Moves {
    fn review(&self, path: &str, review: &mut Review<'_>) {
        let Moves { east, west, north, south } = self;
        for (name, p) in [("east", east), ("west", west), ("north", north), ("south", south)] {
            review.probability(&format!("{path}.{name}"), p.value);
        }
    }

    fn of(&self) -> activity_mesh::Moves {
        let Moves { east, west, north, south } = self;
        activity_mesh::Moves {
            east: east.value,
            west: west.value,
            north: north.value,
            south: south.value,
        }
    }
}

/// The most points of a mesh.
const MAX_POINTS: usize = 1 << 26;
/// The longest run, in steps.
const MAX_STEPS: u64 = 1_000_000_000;

impl ActivityMesh {
    /// Records the faults of the model.
    pub fn review(&self, review: &mut Review<'_>) {
        review.count("problem.width", self.width as u64, MAX_POINTS as u64);
        review.count("problem.height", self.height as u64, MAX_POINTS as u64);
        review.count("problem.steps", self.steps, MAX_STEPS);
        review.nonnegative("problem.remap_cost", self.remap_cost.value, "the cost of a remap");
        self.moves.review("problem.moves", review);
        for (i, place) in self.places.iter().enumerate() {
            place.moves.review(&format!("problem.places[{i}].moves"), review);
        }
        if !review.faults.is_empty() {
            return;
        }
        if self.width.saturating_mul(self.height) > MAX_POINTS {
            let label = format!("{} x {} points, more than {MAX_POINTS}", self.width, self.height);
            review.fault("problem.width", "the mesh is too large", &label, "take a coarser mesh");
            return;
        }
        let rows = match &self.units {
            Units::Rows(rows) => Some(rows),
            Units::Each(_) => None,
        };
        for (name, rows) in [("units", rows), ("weights", self.weights.as_ref())] {
            let Some(rows) = rows else { continue };
            if rows.len() != self.height || rows.iter().any(|row| row.len() != self.width) {
                let help = format!("give {} rows of {} numbers", self.height, self.width);
                let message = format!("the {name} do not fit the mesh");
                review.fault(&format!("problem.{name}"), &message, "another shape", &help);
                return;
            }
        }
        if let Err(error) = self.build() {
            use remapping::activity_mesh::MeshError;
            let place = match error {
                MeshError::Processors { .. } => "problem.processors",
                MeshError::Moves(_) => "problem.moves",
                MeshError::Units => "problem.units",
                MeshError::Place(_) => "problem.places",
                _ => "problem",
            };
            review.fault(place, "this is not an activity mesh", &error.to_string(), "");
        }
    }

    fn build(&self) -> Result<activity_mesh::ActivityMesh, activity_mesh::MeshError> {
        let units = match &self.units {
            Units::Each(count) => vec![*count; self.width * self.height],
            Units::Rows(rows) => rows.concat(),
        };
        let size = (self.width, self.height);
        let (steps, cost) = (self.steps, self.remap_cost.value);
        let moves = self.moves.of();
        let mut built = activity_mesh::ActivityMesh::new(
            size,
            units,
            self.processors,
            moves,
            self.boundary,
            steps,
            cost,
        )?;
        if let Some(rows) = &self.weights {
            built = built.with_weights(rows.concat())?;
        }
        self.places.iter().try_fold(built, |built, place| {
            let &Place { left, right, bottom, top, .. } = place;
            built
                .with_moves(activity_mesh::Rectangle { left, right, bottom, top }, place.moves.of())
        })
    }

    /// The engine's workload. The model must have passed review.
    pub fn workload(&self) -> activity_mesh::ActivityMesh {
        self.build().expect("reviewed")
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let units: u64 = match &self.units {
            Units::Each(count) => u64::from(*count) * (self.width * self.height) as u64,
            Units::Rows(rows) => rows.iter().flatten().map(|&units| u64::from(units)).sum(),
        };
        vec![
            ("points", (self.width * self.height).into()),
            ("units", units.into()),
            ("processors", self.processors.into()),
            ("steps", self.steps.into()),
        ]
    }
}
