//! Measures the working time of each rank in each step of a recursion, and decides when to move
//! their blocks of states.

use crate::complaint::Complaint;
use crate::replaying::solution;
use remapping::communicator::{Communicator, Shares};
use remapping::load_drift::{Backward, Ranks, Transition};
use remapping::policy::{Policy, Rule, Step};
use remapping::replay::Player;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Options of a recursion on ranks, in addition to its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Record the seconds that each rank works in each step.
    pub trace: bool,
    /// Move blocks when a rule says so.
    pub remap: bool,
}

/// The rule that decides when blocks move.
pub struct Moving {
    /// A named rule, which is told the mean cost of the moves so far.
    rule: Option<Rule>,
    player: Player,
}

impl Moving {
    /// The rule with this name, or the rule in the file of a solution or an advice.
    ///
    /// # Errors
    /// It is neither, or a rule for another number of ranks.
    pub fn read(text: &str, ranks: usize) -> Result<Moving, Complaint> {
        if let Ok(rule) = text.parse::<Rule>() {
            // The cost of a move is unknown before the first one.
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

    /// Records that blocks have moved; `mean` is the mean seconds of all moves so far.
    fn moved(&mut self, mean: f64) {
        match self.rule {
            Some(rule) => self.player = Player::Rule(rule.run(mean)),
            None => self.player.remapped(),
        }
    }
}

/// The record of a recursion on ranks.
pub struct Course {
    others: Arc<dyn Communicator>,
    wanted: Wanted,
    /// On the first rank only.
    moving: Option<Moving>,
    /// On the first rank, one row per step: its number, the seconds of the move before it, and the
    /// seconds of each rank.
    rows: Vec<(u64, f64, Vec<f64>)>,
    /// The working time of the own rank at the beginning of the present step or move.
    since: f64,
    /// Whether a move has begun.
    is_moving: bool,
    /// The number of moves, the seconds of all, and those of the latest.
    moves: u64,
    spent: f64,
    latest: f64,
}

impl Course {
    /// On these ranks; the first one decides when blocks move.
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
    pub(in crate::problems::load_drift) fn begins(&mut self) {
        self.since = self.others.busy();
    }

    /// Ends step `step` of the recursion. Returns the new owners of the states if blocks are to
    /// move: the same on all ranks, which call it together.
    pub(in crate::problems::load_drift) fn ends(
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
        // The shapes of a region are shared by terms, whoever owns the states.
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

    /// Whether a move is in progress.
    pub(in crate::problems::load_drift) fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Records that blocks have moved since the step ended.
    pub(in crate::problems::load_drift) fn moved(&mut self) {
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

    /// The number of moves.
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
