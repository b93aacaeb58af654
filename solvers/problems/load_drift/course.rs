//! How long each rank works in each step of a recursion, and when their blocks of states are moved.

use crate::complaint::Complaint;
use crate::replaying::solution;
use remapping::communicator::{Communicator, Shares};
use remapping::load_drift::{Backward, Ranks, Transition};
use remapping::policy::{Policy, Rule, Step};
use remapping::replay::Player;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// What is asked of a recursion on ranks beside its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// The seconds that each rank works in each step.
    pub trace: bool,
    /// Blocks that are moved when a rule says so.
    pub remap: bool,
}

/// When blocks are moved.
pub struct Moving {
    /// A rule by name, which is told what the moves so far have taken.
    rule: Option<Rule>,
    player: Player,
}

impl Moving {
    /// The rule with this name, or that of the file of a solution or an advice.
    ///
    /// # Errors
    /// Neither, or a rule for another number of ranks.
    pub fn read(text: &str, ranks: usize) -> Result<Moving, Complaint> {
        if let Ok(rule) = text.parse::<Rule>() {
            // What a move takes is not known before the first.
            return Ok(Moving { rule: Some(rule), player: Player::Rule(rule.run(0.0)) });
        }
        let path = Path::new(text);
        if path.extension().is_none_or(|extension| extension != "json") {
            let message = format!("--remap {text} is neither a rule nor a file of one");
            let help = "give a rule, such as fixed:9, threshold:0.1, stop_at_rise or never, or FILE.json: what \
                        `remap advise -o` or `remap solve --json` writes";
            return Err(Complaint::elsewhere(message, help));
        }
        let player = solution(crate::problems::registry::stated::find(path, None)?, 1)?;
        match player.ranks() {
            Some(other) if other != ranks => {
                let message = format!("{text} is the rule of {other} ranks, and there are {ranks}");
                Err(Complaint::elsewhere(message, "give one of a log of as many ranks"))
            }
            _ => Ok(Moving { rule: None, player }),
        }
    }

    /// Blocks have been moved, which has taken so many seconds on the average so far.
    fn moved(&mut self, mean: f64) {
        match self.rule {
            Some(rule) => self.player = Player::Rule(rule.run(mean)),
            None => self.player.remapped(),
        }
    }
}

/// The course of a recursion on ranks.
pub struct Course {
    others: Arc<dyn Communicator>,
    wanted: Wanted,
    /// On the first rank.
    moving: Option<Moving>,
    /// On the first rank, a step after the other: its number, what the move of blocks before it took, and the seconds
    /// of each rank.
    rows: Vec<(u64, f64, Vec<f64>)>,
    /// How long the own rank had worked when the present step began, or the present move.
    since: f64,
    /// Whether a move has begun.
    is_moving: bool,
    /// Moves, what all of them have taken, and the latest.
    moves: u64,
    spent: f64,
    latest: f64,
}

impl Course {
    /// Of these ranks, of which the first knows when blocks are moved.
    pub fn new(others: Arc<dyn Communicator>, wanted: Wanted, moving: Option<Moving>) -> Course {
        let since = others.busy();
        let rows = Vec::new();
        Course {
            others,
            wanted,
            moving,
            rows,
            since,
            is_moving: false,
            moves: 0,
            spent: 0.0,
            latest: 0.0,
        }
    }

    /// A step begins.
    pub(super) fn begins(&mut self) {
        self.since = self.others.busy();
    }

    /// A step of the recursion is done, the one with this number. Who has which states from now on, if blocks are to be
    /// moved: the same on all ranks, which call it together.
    pub(super) fn ends(
        &mut self,
        step: u64,
        (backward, transition): (&Backward<'_>, &Transition),
        ranks: &Ranks,
    ) -> Option<Shares> {
        if self.wanted == Wanted::default() {
            return None;
        }
        let own = self.others.busy() - self.since;
        let seconds = self.others.collect(&[own]);
        // Shapes of a region are shared by terms whoever has the states.
        let over_all = backward.region().is_none();
        let mut moves = [0.0];
        if self.others.rank() == 0 {
            if let Some(Moving { player, .. }) = self.moving.as_mut().filter(|_| over_all) {
                player.observe(&Step::new(step, seconds.clone()));
                moves = [if player.wants_remap() { 1.0 } else { 0.0 }];
            }
            if self.wanted.trace {
                self.rows.push((step, std::mem::take(&mut self.latest), seconds));
            }
        }
        let (others, shares) = ranks.others().filter(|_| self.wanted.remap)?;
        others.largest(&mut moves);
        if moves == [0.0] || backward.remaining() == 0 {
            return None;
        }
        self.begins();
        let next = transition.shares_of(others.ranks(), &backward.work(own))?;
        self.is_moving = true;
        if next != *shares {
            return Some(next);
        }
        self.moved();
        None
    }

    /// Whether blocks are being moved.
    pub(super) fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Blocks have been moved since the step ended.
    pub(super) fn moved(&mut self) {
        let mut took = [self.others.busy() - self.since];
        self.others.largest(&mut took);
        self.is_moving = false;
        self.moves += 1;
        self.spent += took[0];
        self.latest += took[0];
        if let Some(moving) = &mut self.moving {
            moving.moved(self.spent / self.moves as f64);
        }
    }

    /// How often blocks were moved.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The log as a wide table, on the first rank.
    pub fn table(&self) -> String {
        let mut table = "step,remap_seconds".to_owned();
        let put = |table: &mut String, text: std::fmt::Arguments<'_>| {
            table.write_fmt(text).expect("a string takes all");
        };
        (0..self.others.ranks()).for_each(|rank| put(&mut table, format_args!(",rank{rank}")));
        for (step, moved, seconds) in &self.rows {
            put(&mut table, format_args!("\n{step},{moved:.9}"));
            seconds.iter().for_each(|seconds| put(&mut table, format_args!(",{seconds:.9}")));
        }
        table.push('\n');
        table
    }
}
