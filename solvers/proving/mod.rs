//! Claims about models, and the search for a model that refutes one.
//!
//! A [`Claim`] speaks about one problem; its check compares what the engine says with a slow and
//! obvious evaluation: exact rationals, dense matrices, every branch and every load vector followed.
//! Claims come in two kinds: theorems, which must hold, and statements of the papers (or natural
//! guesses) that are false. A false one must be refuted, on the model, near it, or on the model that
//! is known to refute it. Random models are decks that the model reader reads, so that what proptest
//! shrinks a failure to is a model file.

pub(crate) mod brute_force;
pub(crate) mod decks;

use crate::run::is_interrupted;
use proptest::strategy::BoxedStrategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use serde::Serialize;
use std::cell::Cell;

/// A statement about models, and how to check it on one.
pub struct Claim<C> {
    /// What is claimed, in a line.
    pub statement: &'static str,
    /// Who claims it.
    pub source: &'static str,
    /// Whether it is true.
    pub truth: Truth,
    /// Checks it on one case.
    pub check: fn(&C) -> Verdict,
}

/// Whether a claim is true.
#[derive(Debug, Clone, Copy)]
pub enum Truth {
    /// It is proved.
    Theorem,
    /// It fails, on this model for one.
    Fails(&'static str),
}

/// What a check finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// The claim says nothing about the case.
    Silent,
    /// It fails; what was found.
    Fails(String),
}

impl Verdict {
    /// Fails, with these words, unless `holds`.
    pub(crate) fn holds_if(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails(otherwise()) }
    }

    /// The first of many checks that fails, if any; silent if all are.
    pub(crate) fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let mut found = Verdict::Silent;
        for verdict in verdicts {
            match verdict {
                Verdict::Holds => found = Verdict::Holds,
                Verdict::Silent => {}
                Verdict::Fails(_) => return verdict,
            }
        }
        found
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What is claimed.
    pub statement: &'static str,
    /// Who claims it.
    pub source: &'static str,
    /// `holds` for a theorem, `fails` for what is known to be false.
    pub expected: &'static str,
    /// `holds`, `fails`, or `untested` where it speaks of no case that was tried.
    pub found: &'static str,
    /// On the model itself: `holds`, `fails`, or `silent` where it says nothing about it.
    pub on_the_model: &'static str,
    /// On how many models near it the claim was seen to hold.
    pub cases: u32,
    /// Where it fails.
    pub counterexample: Option<Counterexample>,
}

impl Finding {
    /// Whether a theorem holds, or a false claim is refuted.
    pub fn is_as_expected(&self) -> bool {
        match self.expected {
            "holds" => self.found != "fails",
            _ => self.found == "fails",
        }
    }

    /// Whether this is a theorem.
    pub fn is_theorem(&self) -> bool {
        self.expected == "holds"
    }
}

/// A model on which a claim fails.
#[derive(Debug, Clone, Serialize)]
pub struct Counterexample {
    /// `the model`, `near it` or `elsewhere`.
    pub place: &'static str,
    /// What was found.
    pub reason: String,
    /// The deck, unless it is the model itself.
    pub model: Option<String>,
}

/// How hard to look.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Models near the one given, for each claim.
    pub cases: u32,
    /// Seed of their choice.
    pub seed: u64,
}

/// A model and the models near it, as cases for claims.
pub(crate) struct Field<'a, C> {
    /// The model itself, or what of it is small enough to be looked at in full.
    pub(crate) own: Option<C>,
    /// Decks near it.
    pub(crate) near: BoxedStrategy<String>,
    /// The case that a deck makes; none if it is no model, or too large.
    pub(crate) read: &'a dyn Fn(&str) -> Option<C>,
}

impl<C> Field<'_, C> {
    /// Examines the claims one by one, until interrupted.
    pub(crate) fn examine(&self, claims: &[Claim<C>], effort: Effort) -> Vec<Finding> {
        let claims = claims.iter().take_while(|_| !is_interrupted());
        claims.map(|claim| self.examine_one(claim, effort)).collect()
    }

    fn examine_one(&self, claim: &Claim<C>, effort: Effort) -> Finding {
        let own = self.own.as_ref().map_or(Verdict::Silent, |own| (claim.check)(own));
        let (cases, near) = self.search(claim, effort);
        let mut finding = Finding {
            statement: claim.statement,
            source: claim.source,
            expected: if matches!(claim.truth, Truth::Theorem) { "holds" } else { "fails" },
            found: if cases > 0 || own == Verdict::Holds { "holds" } else { "untested" },
            on_the_model: match own {
                Verdict::Holds => "holds",
                Verdict::Silent => "silent",
                Verdict::Fails(_) => "fails",
            },
            cases,
            counterexample: None,
        };
        let own = match own {
            Verdict::Fails(reason) => {
                Some(Counterexample { place: "the model", reason, model: None })
            }
            _ => None,
        };
        finding.counterexample = near.or(own).or_else(|| self.known(claim));
        if finding.counterexample.is_some() {
            finding.found = "fails";
        }
        finding
    }

    /// How many nearby models satisfy the claim, and a minimal one that does not.
    fn search(&self, claim: &Claim<C>, effort: Effort) -> (u32, Option<Counterexample>) {
        let config = Config {
            cases: effort.cases,
            max_global_rejects: effort.cases.saturating_mul(10),
            max_shrink_iters: 2000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(effort.seed),
            ..Config::default()
        };
        let (held, failed) = (Cell::new(0), Cell::new(false));
        let outcome = TestRunner::new(config).run(&self.near, |deck| {
            if is_interrupted() {
                // Ends the search; shrinking it goes nowhere.
                return if failed.get() { Ok(()) } else { Err(TestCaseError::fail("interrupted")) };
            }
            match self.judge(claim, &deck) {
                Verdict::Holds => {
                    held.set(held.get() + u32::from(!failed.get()));
                    Ok(())
                }
                Verdict::Silent => Err(TestCaseError::reject("silent")),
                Verdict::Fails(reason) => {
                    failed.set(true);
                    Err(TestCaseError::fail(reason))
                }
            }
        });
        let found = match outcome {
            Err(TestError::Fail(..)) if !failed.get() => None,
            Err(TestError::Fail(reason, deck)) => {
                let reason = reason.message().to_owned();
                Some(Counterexample { place: "near it", reason, model: Some(deck) })
            }
            // Few of the models are such that the claim speaks of them.
            Err(TestError::Abort(_)) | Ok(()) => None,
        };
        (held.get(), found)
    }

    /// The model that a false claim is known to fail on.
    fn known(&self, claim: &Claim<C>) -> Option<Counterexample> {
        let Truth::Fails(deck) = claim.truth else { return None };
        match self.judge(claim, deck) {
            Verdict::Fails(reason) => {
                Some(Counterexample { place: "elsewhere", reason, model: Some(deck.to_owned()) })
            }
            _ => None,
        }
    }

    fn judge(&self, claim: &Claim<C>, deck: &str) -> Verdict {
        (self.read)(deck).map_or(Verdict::Silent, |case| (claim.check)(&case))
    }
}
