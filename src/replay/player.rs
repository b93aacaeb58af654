//! Any policy of a replay as one serializable value that can be stored and resumed at any step.

use crate::learning::Learnt;
use crate::policy::advised::Advised;
use crate::policy::predictive::Predictive;
use crate::policy::stated::{Following, Stated};
use crate::policy::{Policy, Running, Step};
use serde::{Deserialize, Serialize};

/// The state of a running policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Player {
    /// A rule chosen by name.
    Rule(Running),
    /// The adaptive rule.
    Advised(Box<Advised>),
    /// A plan.
    Predictive(Box<Predictive>),
    /// A policy trained by Q-learning.
    Learnt(Learnt),
    /// The rule of a solution.
    Stated(Box<Following>),
}

/// What a policy must observe of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The largest and the mean rank time.
    MaxMean,
    /// The least rank time too.
    MaxMeanMin,
    /// The time of every rank.
    Times,
}

impl Player {
    fn policy(&mut self) -> &mut dyn Policy {
        match self {
            Player::Rule(rule) => rule,
            Player::Advised(advised) => advised.as_mut(),
            Player::Predictive(predictive) => predictive.as_mut(),
            Player::Learnt(learnt) => learnt,
            Player::Stated(following) => following.as_mut(),
        }
    }

    /// Gives it the number of remaining steps, if it can use that.
    pub fn for_steps(self, steps: u64) -> Player {
        match self {
            Player::Advised(advised) => Player::Advised(Box::new(advised.for_steps(steps))),
            Player::Predictive(plan) => Player::Predictive(Box::new(plan.for_steps(steps))),
            other => other,
        }
    }

    /// What it must observe.
    pub fn needs(&self) -> Needs {
        match self {
            Player::Rule(Running::Tolerance(_)) => Needs::MaxMeanMin,
            Player::Rule(Running::Watching(watching)) if watching.takes_least() => {
                Needs::MaxMeanMin
            }
            Player::Rule(_) | Player::Learnt(_) => Needs::MaxMean,
            Player::Stated(following) => match following.rule() {
                Stated::Map { .. } => Needs::Times,
                _ => Needs::MaxMean,
            },
            Player::Advised(_) | Player::Predictive(_) => Needs::Times,
        }
    }

    /// The number of ranks it is made for, if it is fixed.
    pub fn ranks(&self) -> Option<usize> {
        match self {
            Player::Advised(advised) => advised.ranks(),
            Player::Predictive(predictive) => predictive.ranks(),
            Player::Stated(following) => following.ranks(),
            Player::Rule(_) | Player::Learnt(_) => None,
        }
    }

    /// An inconsistency in a deserialized policy, if there is one.
    pub fn fault(&self) -> Option<&'static str> {
        match self {
            // These are checked during deserialization.
            Player::Advised(_) | Player::Rule(_) => None,
            Player::Predictive(predictive) => predictive.fault(),
            Player::Learnt(learnt) => learnt.fault(),
            Player::Stated(following) => following.fault(),
        }
    }
}

impl Policy for Player {
    fn observe(&mut self, step: &Step) {
        self.policy().observe(step);
    }

    fn wants_remap(&self) -> bool {
        match self {
            Player::Rule(rule) => rule.wants_remap(),
            Player::Advised(advised) => advised.wants_remap(),
            Player::Predictive(predictive) => predictive.wants_remap(),
            Player::Learnt(learnt) => learnt.wants_remap(),
            Player::Stated(following) => following.wants_remap(),
        }
    }

    fn begun(&mut self) {
        self.policy().begun();
    }

    fn remapped(&mut self) {
        self.policy().remapped();
    }
}
