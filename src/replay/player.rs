//! Any policy of a replay as one value, which can be stored at any step and go on.

use crate::learning::Learnt;
use crate::policy::advised::Advised;
use crate::policy::predictive::Predictive;
use crate::policy::stated::{Following, Stated};
use crate::policy::{Policy, Running, Step};
use serde::{Deserialize, Serialize};

/// A run of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Player {
    /// Of a rule chosen by name.
    Rule(Running),
    /// Of the adaptive rule.
    Advised(Box<Advised>),
    /// Of a plan.
    Predictive(Box<Predictive>),
    /// Of what Q-learning has learnt.
    Learnt(Learnt),
    /// Of the rule of a solution.
    Stated(Box<Following>),
}

/// What a policy must see of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The largest and the mean time.
    MaxMean,
    /// The least too.
    MaxMeanMin,
    /// The time of every processor.
    Times,
}

impl Player {
    /// With the knowledge that `steps` steps follow, if it is of use.
    pub fn for_steps(self, steps: u64) -> Player {
        match self {
            Player::Advised(advised) => Player::Advised(Box::new(advised.for_steps(steps))),
            Player::Predictive(plan) => Player::Predictive(Box::new(plan.for_steps(steps))),
            other => other,
        }
    }

    /// What it must see.
    pub fn needs(&self) -> Needs {
        match self {
            Player::Rule(Running::Tolerance(_) | Running::Range(_) | Running::Ratio(_)) => {
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

    /// How many processors it is for, if for a certain number.
    pub fn ranks(&self) -> Option<usize> {
        match self {
            Player::Advised(advised) => advised.ranks(),
            Player::Predictive(predictive) => predictive.ranks(),
            Player::Stated(following) => following.ranks(),
            Player::Rule(_) | Player::Learnt(_) => None,
        }
    }

    /// What does not fit together in it, after it was read.
    pub fn fault(&self) -> Option<&'static str> {
        match self {
            // It looks when it is read.
            Player::Advised(_) | Player::Rule(_) => None,
            Player::Predictive(predictive) => predictive.fault(),
            Player::Learnt(learnt) => learnt.fault(),
            Player::Stated(following) => following.fault(),
        }
    }
}

impl Policy for Player {
    fn observe(&mut self, step: &Step) {
        match self {
            Player::Rule(rule) => rule.observe(step),
            Player::Advised(advised) => advised.observe(step),
            Player::Predictive(predictive) => predictive.observe(step),
            Player::Learnt(learnt) => learnt.observe(step),
            Player::Stated(following) => following.observe(step),
        }
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
        match self {
            Player::Rule(rule) => rule.begun(),
            Player::Advised(advised) => advised.begun(),
            Player::Predictive(predictive) => predictive.begun(),
            Player::Learnt(learnt) => learnt.begun(),
            Player::Stated(following) => following.begun(),
        }
    }

    fn remapped(&mut self) {
        match self {
            Player::Rule(rule) => rule.remapped(),
            Player::Advised(advised) => advised.remapped(),
            Player::Predictive(predictive) => predictive.remapped(),
            Player::Learnt(learnt) => learnt.remapped(),
            Player::Stated(following) => following.remapped(),
        }
    }
}
