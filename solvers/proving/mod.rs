//! Claims about models, and the search for models that refute them.
//!
//! A [`Claim`] is about one problem. Its check compares the engine with a slow and simple
//! evaluation: exact fractions, dense matrices, and an enumeration of every branch and load vector.
//!
//! Some claims are theorems, which must hold. Others are statements of the papers, or natural
//! conjectures, that are false. A false one must be refuted: on the model, on a similar one, or on
//! a known counterexample. Random models are texts that the model reader reads, so the minimal
//! counterexample of proptest is a model file.

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
    /// Whether the claim is true.
    pub truth: Truth,
    /// Checks it on one case.
    pub check: fn(&C) -> Verdict,
}

/// Whether a claim is true.
#[derive(Debug, Clone, Copy)]
pub enum Truth {
    /// It is proved.
    Theorem,
    /// It is false, for example on this model.
    Fails(&'static str),
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// The claim says nothing about the case.
    Silent,
    /// The claim fails; the details.
    Fails(String),
}

impl Verdict {
    /// Holds, or fails with these words.
    pub(crate) fn holds_if(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails(otherwise()) }
    }

    /// The first of many verdicts that fails, if any; silent if all are.
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

/// The result for one claim.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What is claimed.
    pub statement: &'static str,
    /// Who claims it.
    pub source: &'static str,
    /// `holds` for a theorem, `fails` for a claim that is known to be false.
    pub expected: &'static str,
    /// `holds`, `fails`, or `untested` where the claim applies to no model that was tried.
    pub found: &'static str,
    /// On the model itself: `holds`, `fails`, or `silent` where the claim does not apply.
    pub on_the_model: &'static str,
    /// The number of similar models on which the claim holds.
    pub cases: u32,
    /// A model on which it fails.
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

    /// Whether the claim is a theorem.
    pub fn is_theorem(&self) -> bool {
        self.expected == "holds"
    }
}

/// A model on which a claim fails.
#[derive(Debug, Clone, Serialize)]
pub struct Counterexample {
    /// `the model`, `near it` or `elsewhere`.
    pub place: &'static str,
    /// The details.
    pub reason: String,
    /// The model file, unless it is the model itself.
    pub model: Option<String>,
}

/// The effort of the search.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The number of similar models for each claim.
    pub cases: u32,
    /// The seed of the random models.
    pub seed: u64,
}

/// A model and similar ones, as cases for claims.
pub(crate) struct Field<'a, C> {
    /// The model itself, or the part of it that is small enough for a full check.
    pub(crate) own: Option<C>,
    /// Similar model files.
    pub(crate) near: BoxedStrategy<String>,
    /// The case that a model file gives; `None` if it is not a model, or too large.
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

    /// The number of similar models on which the claim holds, and a minimal one on which it fails.
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
                // Ends the search; shrinking has no effect.
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
            // The claim applies to few of the models.
            Err(TestError::Abort(_)) | Ok(()) => None,
        };
        (held.get(), found)
    }

    /// The known counterexample of a false claim.
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
