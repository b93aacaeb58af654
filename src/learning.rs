//! Q-learning (C. J. C. H. Watkins, P. Dayan, "Q-learning", Machine Learning 8, 1992): a policy
//! learned from costs alone, without a model. It is the extension that `[YXW03]` closes with.
//!
//! The state is the imbalance max - mean relative to the cost C of a remap, in logarithmic classes.
//! The actions are to continue and to remap. Q(state, action) estimates the discounted future cost:
//!
//! ```text
//! Q(s, a) += max(n^-0.7, 0.02) (cost + 0.97 min over b of Q(s', b) - Q(s, a))
//! ```
//!
//! with n the number of visits of (s, a). O(ranks) per step.
//!
//! ```
//! use remapping::learning::Learnt;
//! use remapping::policy::{Policy, Step};
//!
//! // Untrained, it fears that an imbalance lasts for ever.
//! let mut learner = Learnt::new(2.0);
//! learner.observe(&Step::new(1, vec![1.0, 5.0]));
//! assert!(learner.wants_remap());
//! ```

use crate::policy::{Policy, Step};
use crate::random::stream;
use crate::record::{Record, imbalance};
use crate::simulate::{Base, Recorded};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Number of classes of the imbalance: class k ends at C 2^((k - 12) / 2).
const CLASSES: usize = 24;

/// Discount per step, and the initial probability of exploring the other action.
const DISCOUNT: f64 = 0.97;
const CURIOSITY: f64 = 0.3;

/// A learned policy: it remaps where the estimated cost of that is lower.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learnt {
    remap_cost: f64,
    /// Q(class, continue), Q(class, remap).
    table: Vec<[f64; 2]>,
    visits: Vec<[u32; 2]>,
    class: usize,
}

impl Learnt {
    /// An untrained policy. Its initial estimates assume that an imbalance lasts forever, and that
    /// there is none after a remap.
    pub fn new(remap_cost: f64) -> Learnt {
        let stays = |class: usize| remap_cost * 2.0_f64.powf((class as f64 - 12.0) / 2.0);
        let fear = |class| [stays(class) / (1.0 - DISCOUNT), remap_cost];
        let (table, visits) = ((0..CLASSES).map(fear).collect(), vec![[0; 2]; CLASSES]);
        Learnt { remap_cost, table, visits, class: 0 }
    }

    /// An inconsistency in a deserialized policy, if there is one.
    pub fn fault(&self) -> Option<&'static str> {
        let sizes = self.table.len() == CLASSES && self.visits.len() == CLASSES;
        (!sizes || self.class >= CLASSES).then_some("it is not of as many classes as there are")
    }

    fn class_of(&self, imbalance: f64) -> usize {
        if imbalance <= 0.0 || self.remap_cost <= 0.0 {
            return if imbalance > 0.0 { CLASSES - 1 } else { 0 };
        }
        let place = 2.0 * (imbalance / self.remap_cost).log2() + 13.0;
        place.clamp(0.0, (CLASSES - 1) as f64) as usize
    }

    fn best(&self, class: usize) -> usize {
        usize::from(self.table[class][1] < self.table[class][0])
    }

    /// Learns from `episodes` simulated passes over the steps `steps` of a record, each from a
    /// random balanced step on. `seed` determines starts and explorations. After each episode
    /// `watch` receives its number, from 1, and the policy. O(episodes x steps x ranks).
    pub fn train(
        &mut self,
        record: &Record,
        steps: Range<usize>,
        episodes: u64,
        seed: u64,
        mut watch: impl FnMut(u64, &Learnt),
    ) {
        let mut times = Vec::new();
        for episode in 1..=episodes {
            let mut draws = stream(seed, episode);
            let curiosity = CURIOSITY / (1.0 + episode as f64 / 20.0);
            let first: f64 = draws.random();
            let length = (steps.len() - 1) as f64;
            let mut base = steps.start + (first * length * 0.5) as usize;
            let mut before: Option<(usize, usize, f64)> = None;
            for step in base + 1..steps.end {
                Recorded::times(record, Base::Balanced(base), step, &mut times);
                let cost = imbalance(&times).max(0.0);
                let class = self.class_of(cost);
                if let Some((class_before, action, paid)) = before {
                    let ahead = self.table[class][self.best(class)];
                    self.learn(class_before, action, paid + cost + DISCOUNT * ahead);
                }
                let other: f64 = draws.random();
                let action = self.best(class) ^ usize::from(other < curiosity);
                before = Some((class, action, action as f64 * self.remap_cost));
                if action == 1 {
                    base = step;
                }
            }
            watch(episode, self);
        }
    }

    fn learn(&mut self, class: usize, action: usize, target: f64) {
        let visits = &mut self.visits[class][action];
        *visits += 1;
        let share = f64::from(*visits).powf(-0.7).max(0.02);
        let held = &mut self.table[class][action];
        *held += share * (target - *held);
    }
}

impl Policy for Learnt {
    fn observe(&mut self, step: &Step) {
        self.class = self.class_of(step.imbalance());
    }

    fn wants_remap(&self) -> bool {
        self.best(self.class) == 1
    }

    fn remapped(&mut self) {
        self.class = 0;
    }
}
