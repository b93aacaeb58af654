//! The battle: movement and combat of its units.

use super::board::{Axial, Board, Hex, Turn};
use super::problem::{Combat, Heading, LandBattle, Movement};
use rand::{Rng, RngExt};

/// One unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// 0 started on the left, 1 on the right.
    pub side: u8,
    /// Its position.
    pub hex: Hex,
    /// Hexes per step.
    pub speed: f64,
    /// Share of the way to the next hex.
    pub progress: f64,
    /// Its remaining strength; it starts at 1.
    pub strength: f64,
}

/// What the units see, one entry for each.
#[derive(Debug, Clone, Default)]
struct Views {
    /// Enemies within range.
    engaged: Vec<u32>,
    /// Enemies on its own hex and the adjacent ones.
    adjacent: Vec<u32>,
    /// The distance and direction of the nearest enemy.
    nearest: Vec<Way>,
}

/// The distance to an enemy (upper half), and the columns to the right of it (lower half, from
/// [`Way::AHEAD`]). As one number it orders by distance first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way(i32);

impl Way {
    const AHEAD: i32 = 1 << 15;
    const NOWHERE: Way = Way(i32::MAX);

    fn new(distance: i32, columns: i32) -> Way {
        Way((distance << 16) + Way::AHEAD + columns)
    }

    /// Right (1), left (-1), or straight above or below (0).
    fn side(self) -> i32 {
        ((self.0 & 0xffff) - Way::AHEAD).signum()
    }
}

impl Views {
    fn reset(&mut self, units: usize) {
        for counts in [&mut self.engaged, &mut self.adjacent] {
            counts.clear();
            counts.resize(units, 0);
        }
        self.nearest.clear();
        self.nearest.resize(units, Way::NOWHERE);
    }
}

/// The state of the battle.
#[derive(Debug, Clone)]
pub struct Battle {
    board: Board,
    movement: Movement,
    combat: Combat,
    units: Vec<Unit>,
    views: Views,
    pairs: Vec<(usize, usize)>,
    distances: Vec<i32>,
}

impl Battle {
    /// A battle between these units, by the rules of a model.
    pub fn new(model: &LandBattle, mut units: Vec<Unit>) -> Self {
        units.sort_by_key(|unit| unit.side);
        let (board, movement, combat) = (model.board(), model.movement, model.combat);
        let (views, pairs, distances) = (Views::default(), Vec::new(), Vec::new());
        let mut battle = Battle { board, movement, combat, units, views, pairs, distances };
        battle.look();
        battle
    }

    /// The units still in the battle, those of the left side first.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The number of enemies within range of each unit.
    pub fn engaged(&self) -> impl ExactSizeIterator<Item = u32> {
        self.views.engaged.iter().copied()
    }

    /// Pairs of enemies within range of each other.
    pub fn engagements(&self) -> usize {
        self.pairs.len()
    }

    /// Every unit compares itself with every enemy, in plain loops over arrays that the compiler
    /// vectorizes.
    fn look(&mut self) {
        let Battle { combat, units, views, pairs, distances, .. } = self;
        let range = combat.range as i32;
        pairs.clear();
        views.reset(units.len());
        let middle = units.partition_point(|unit| unit.side == 0);
        let (left, right) = units.split_at(middle);
        let there: Vec<Axial> = right.iter().map(|unit| unit.hex.axial()).collect();
        let columns: Vec<i32> = right.iter().map(|unit| unit.hex.column).collect();
        let (engaged, engaged_right) = views.engaged.split_at_mut(middle);
        let (adjacent, adjacent_right) = views.adjacent.split_at_mut(middle);
        let (nearest, nearest_right) = views.nearest.split_at_mut(middle);
        for (i, unit) in left.iter().enumerate() {
            let (here, column) = (unit.hex.axial(), unit.hex.column);
            distances.clear();
            distances.extend(there.iter().map(|&there| here.distance(there)));
            for (distance, count) in distances.iter().zip(&mut *engaged_right) {
                *count += u32::from(*distance <= range);
            }
            for (distance, count) in distances.iter().zip(&mut *adjacent_right) {
                *count += u32::from(*distance <= 1);
            }
            for ((distance, across), way) in distances.iter().zip(&columns).zip(&mut *nearest_right)
            {
                *way = (*way).min(Way::new(*distance, column - across));
            }
            engaged[i] = distances.iter().map(|d| u32::from(*d <= range)).sum();
            adjacent[i] = distances.iter().map(|d| u32::from(*d <= 1)).sum();
            let ways =
                distances.iter().zip(&columns).map(|(d, across)| Way::new(*d, across - column));
            nearest[i] = ways.fold(Way::NOWHERE, Way::min);
            if engaged[i] > 0 {
                let near = distances.iter().enumerate().filter(|(_, d)| **d <= range);
                pairs.extend(near.map(|(j, _)| (i, middle + j)));
            }
        }
    }

    /// One step: all units fire, then all move, according to what they saw at its beginning.
    pub fn step(&mut self, rng: &mut impl Rng) {
        let Battle { board, movement, combat, .. } = *self;
        let fire: Vec<f64> = (self.units.iter().zip(self.engaged()))
            .map(|(unit, engaged)| combat.attrition * unit.strength / f64::from(engaged.max(1)))
            .collect();
        for &(one, other) in &self.pairs {
            self.units[one].strength -= fire[other];
            self.units[other].strength -= fire[one];
        }
        for (index, unit) in self.units.iter_mut().enumerate() {
            // Drawn whether or not the unit moves: the random numbers of a unit do not depend on
            // its fate.
            let draw = rng.random::<f64>();
            if self.views.adjacent[index] > movement.tolerated {
                continue;
            }
            unit.progress += unit.speed;
            if unit.progress < 1.0 {
                continue;
            }
            unit.progress -= 1.0;
            let onward = if unit.side == 0 { 1 } else { -1 };
            let way = self.views.nearest[index];
            let heading = match movement.heading {
                Heading::Enemy if way != Way::NOWHERE && way.side() != 0 => way.side(),
                _ => onward,
            };
            let turn = if draw < movement.straight {
                Turn::Straight
            } else if draw < 0.5 * (1.0 + movement.straight) {
                Turn::Up
            } else {
                Turn::Down
            };
            let next = unit.hex.ahead(heading, turn);
            if board.has(next) {
                unit.hex = next;
            }
        }
        self.units.retain(|unit| unit.strength >= combat.broken_below);
        self.look();
    }
}
