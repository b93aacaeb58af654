//! The battle: who moves where, who fires at whom.

use super::board::{Board, Hex, Turn};
use rand::{Rng, RngExt};

/// The rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Size of the board.
    pub board: Board,
    /// Units fight when at most this many hexes apart.
    pub range: i32,
    /// A unit stands still when it perceives more than this many enemies on its own hex and the
    /// adjacent ones.
    pub tolerated: u32,
    /// Share of a unit's strength that it inflicts in a step, spread evenly over the enemies within
    /// range.
    pub attrition: f64,
    /// Strength below which a unit is out (it starts at 1).
    pub broken_below: f64,
    /// Probability of going straight ahead rather than ahead and up, or down (equally likely).
    pub straight: f64,
    /// What a unit does once it has passed the enemy.
    pub heading: Heading,
}

/// Which way a unit goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
pub enum Heading {
    /// The way it set out, to the end of the board.
    Onward,
    /// Towards the nearest enemy: it turns around when that is behind it.
    #[default]
    Enemy,
}

/// One unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// 0 set out on the left, 1 on the right.
    pub side: u8,
    /// Where it is.
    pub hex: Hex,
    /// Hexes per step.
    pub speed: f64,
    /// Share of the way to the next hex.
    pub progress: f64,
    /// What is left of it, of 1.
    pub strength: f64,
}

/// What a unit sees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct View {
    /// Enemies within range.
    engaged: u32,
    /// Enemies on its own hex and the adjacent ones.
    adjacent: u32,
    /// Distance to the nearest enemy, and how many columns to the right that one is.
    nearest: Option<(i32, i32)>,
}

impl View {
    fn add(&mut self, distance: i32, columns: i32, range: i32) {
        self.engaged += u32::from(distance <= range);
        self.adjacent += u32::from(distance <= 1);
        let way = (distance, columns);
        self.nearest = Some(self.nearest.map_or(way, |best| best.min(way)));
    }
}

/// The state of the battle.
#[derive(Debug, Clone)]
pub struct Battle {
    rules: Rules,
    units: Vec<Unit>,
    views: Vec<View>,
    pairs: Vec<(usize, usize)>,
}

impl Battle {
    /// A battle between these units.
    pub fn new(rules: Rules, mut units: Vec<Unit>) -> Self {
        units.sort_by_key(|unit| unit.side);
        let mut battle = Battle { rules, units, views: Vec::new(), pairs: Vec::new() };
        battle.look();
        battle
    }

    /// The units still in it, the left side's first.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// How many enemies each of them has within range.
    pub fn engaged(&self) -> impl ExactSizeIterator<Item = u32> {
        self.views.iter().map(|view| view.engaged)
    }

    /// Pairs of enemies within range of each other.
    pub fn engagements(&self) -> usize {
        self.pairs.len()
    }

    fn look(&mut self) {
        let Battle { rules, units, views, pairs } = self;
        pairs.clear();
        views.clear();
        views.resize(units.len(), View::default());
        let middle = units.partition_point(|unit| unit.side == 0);
        let (left, right) = units.split_at(middle);
        let (left_views, right_views) = views.split_at_mut(middle);
        let right: Vec<_> = right.iter().map(|unit| (unit.hex.axial(), unit.hex.column)).collect();
        for (i, (unit, view)) in left.iter().zip(left_views).enumerate() {
            let (here, column) = (unit.hex.axial(), unit.hex.column);
            for (j, (&(there, across), back)) in right.iter().zip(&mut *right_views).enumerate() {
                let distance = here.distance(there);
                view.add(distance, across - column, rules.range);
                back.add(distance, column - across, rules.range);
                if distance <= rules.range {
                    pairs.push((i, middle + j));
                }
            }
        }
    }

    /// One step: all fire, then all move, by what they saw at its beginning.
    pub fn step(&mut self, rng: &mut impl Rng) {
        let rules = self.rules;
        let fire: Vec<f64> = (self.units.iter().zip(&self.views))
            .map(|(unit, view)| rules.attrition * unit.strength / f64::from(view.engaged.max(1)))
            .collect();
        for &(one, other) in &self.pairs {
            self.units[one].strength -= fire[other];
            self.units[other].strength -= fire[one];
        }
        for (unit, view) in self.units.iter_mut().zip(&self.views) {
            // Drawn whether it moves or not: the draws of a unit do not depend on its fate.
            let draw = rng.random::<f64>();
            if view.adjacent > rules.tolerated {
                continue;
            }
            unit.progress += unit.speed;
            if unit.progress < 1.0 {
                continue;
            }
            unit.progress -= 1.0;
            let onward = if unit.side == 0 { 1 } else { -1 };
            let heading = match (rules.heading, view.nearest) {
                (Heading::Enemy, Some((_, columns))) if columns != 0 => columns.signum(),
                _ => onward,
            };
            let turn = if draw < rules.straight {
                Turn::Straight
            } else if draw < 0.5 * (1.0 + rules.straight) {
                Turn::Up
            } else {
                Turn::Down
            };
            let next = unit.hex.ahead(heading, turn);
            if rules.board.has(next) {
                unit.hex = next;
            }
        }
        self.units.retain(|unit| unit.strength >= rules.broken_below);
        self.look();
    }
}
