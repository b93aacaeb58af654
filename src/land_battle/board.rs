//! The hex board: rows of pointy-topped hexes; odd rows are shifted right by half a hex.
//!
//! A unit moving toward the other side has three moves [NR90, section V-B]: straight ahead along
//! its row, or ahead into the row above or below.

use super::problem::Mapping;

/// A hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hex {
    /// Column, from the left.
    pub column: i32,
    /// Row, from the top.
    pub row: i32,
}

/// Where a unit may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Along the row.
    Straight,
    /// Ahead into the row above.
    Up,
    /// Ahead into the row below.
    Down,
}

impl Hex {
    /// The neighbor in a direction, heading right (1) or left (-1).
    pub fn ahead(self, heading: i32, turn: Turn) -> Hex {
        let rows = match turn {
            Turn::Straight => return Hex { column: self.column + heading, ..self },
            Turn::Up => -1,
            Turn::Down => 1,
        };
        // An odd row is half a hex to the right of its neighbors.
        let shifted = self.row.rem_euclid(2) == 1;
        let columns = i32::from(shifted == (heading > 0)) * heading;
        Hex { column: self.column + columns, row: self.row + rows }
    }

    /// The six neighbors.
    pub fn neighbours(self) -> [Hex; 6] {
        let to = |heading, turn| self.ahead(heading, turn);
        [
            to(1, Turn::Straight),
            to(1, Turn::Up),
            to(1, Turn::Down),
            to(-1, Turn::Straight),
            to(-1, Turn::Up),
            to(-1, Turn::Down),
        ]
    }

    /// The number of moves from one hex to the other.
    pub fn distance(self, other: Hex) -> i32 {
        self.axial().distance(other.axial())
    }

    /// Its coordinates along the row and along a slanted column.
    pub fn axial(self) -> Axial {
        Axial { q: self.column - self.row.div_euclid(2), r: self.row }
    }
}

/// A hex in slanted coordinates, in which distances are simple to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axial {
    /// Along the row.
    pub q: i32,
    /// Along the slanted column.
    pub r: i32,
}

impl Axial {
    /// The number of moves from one hex to the other.
    pub fn distance(self, other: Axial) -> i32 {
        let (dq, dr) = (self.q - other.q, self.r - other.r);
        dq.abs().max(dr.abs()).max((dq + dr).abs())
    }
}

/// The size of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// Columns.
    pub columns: i32,
    /// Rows.
    pub rows: i32,
}

impl Board {
    /// Whether the board has that hex.
    pub fn has(&self, hex: Hex) -> bool {
        (0..self.columns).contains(&hex.column) && (0..self.rows).contains(&hex.row)
    }
}

impl Mapping {
    /// The processor that owns a hex of the board.
    pub fn owner(&self, board: &Board, processors: usize, hex: Hex) -> usize {
        let (column, row) = (hex.column as usize, hex.row as usize);
        match *self {
            Mapping::Blocks { columns, rows } => {
                let across = (board.columns as usize).div_ceil(columns as usize);
                (row / rows as usize * across + column / columns as usize) % processors
            }
            Mapping::Scatter { skew } => (column + skew as usize * row) % processors,
        }
    }

    /// The owners of all hexes of the board.
    pub fn assign(&self, board: Board, processors: usize) -> Assignment {
        let hexes = (0..board.rows)
            .flat_map(|row| (0..board.columns).map(move |column| Hex { column, row }));
        let (mut owners, mut watchers) = (Vec::new(), Vec::new());
        for hex in hexes {
            let owner = self.owner(&board, processors, hex);
            let mut others: Vec<usize> = (hex.neighbours().into_iter())
                .filter(|&next| board.has(next))
                .map(|next| self.owner(&board, processors, next))
                .filter(|&other| other != owner)
                .collect();
            others.sort_unstable();
            others.dedup();
            owners.push(owner);
            watchers.push(others.len());
        }
        Assignment { board, owners, watchers }
    }
}

/// The hexes of a board assigned to processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    board: Board,
    owners: Vec<usize>,
    watchers: Vec<usize>,
}

impl Assignment {
    fn index(&self, hex: Hex) -> usize {
        (hex.row * self.board.columns + hex.column) as usize
    }

    /// The processor that owns a hex.
    pub fn owner(&self, hex: Hex) -> usize {
        self.owners[self.index(hex)]
    }

    /// The number of other processors that own an adjacent hex.
    pub fn watchers(&self, hex: Hex) -> usize {
        self.watchers[self.index(hex)]
    }
}
