//! The review of a model: its faults, and warnings of legal but suspicious parts.

use super::number::Decimal;
use super::syntax_tree::explain::quoted;
use super::syntax_tree::syntax::Node;
use crate::complaint::{Complaint, Source, Span};
use remapping::Rational;
use std::path::Path;

/// The most faults that are listed.
const MOST_FAULTS: usize = 10;

/// The help for probabilities whose sum is not 1.
const KEPT: &str =
    "correct the numbers; they are never renormalised, and may miss 1 by 1e-9 at most";
const DIVIDED: &str =
    "correct the numbers: they may miss 1 by 1e-9 at most, and are then divided by their sum";

/// Collects the faults and the warnings of one model.
pub struct Review<'a> {
    source: &'a Source,
    tree: &'a Node,
    /// The folder of the model.
    pub folder: &'a Path,
    /// The faults found so far; beyond `MOST_FAULTS` they are only counted.
    pub faults: Vec<Complaint>,
    unlisted: usize,
    /// Warnings so far, in plain words.
    pub warnings: Vec<String>,
}

/// The help for a probability; a number above 1 may be meant as a percentage.
fn a_share(value: f64) -> String {
    match value > 1.0 && value <= 100.0 {
        true => format!("give a number from 0 to 1: {value} % is {}", value / 100.0),
        false => "give a number from 0 to 1".to_owned(),
    }
}

impl<'a> Review<'a> {
    /// Starts a review of the model read from `source`.
    pub fn new(source: &'a Source, tree: &'a Node, folder: &'a Path) -> Review<'a> {
        Review { source, tree, folder, faults: Vec::new(), unlisted: 0, warnings: Vec::new() }
    }

    /// Records a fault of the value at `path` (`problem.detector.missed`).
    pub fn fault(&mut self, path: &str, message: &str, label: &str, help: &str) {
        let span = self.tree.locate(path);
        self.fault_at(span, message, label, help);
    }

    /// Records a fault of the text at `span`.
    pub fn fault_at(&mut self, span: Span, message: &str, label: &str, help: &str) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Complaint::at(self.source, span, message, label, help));
        } else {
            self.unlisted += 1;
        }
    }

    /// The faults and the warnings. A model is valid if there are no faults.
    pub fn finish(mut self) -> (Vec<Complaint>, Vec<String>) {
        if self.unlisted > 0 {
            let message = format!("{} more faults of this model are not listed", self.unlisted);
            self.faults.push(Complaint::elsewhere(message, "correct these first"));
        }
        (self.faults, self.warnings)
    }

    /// Records a legal part that is probably a mistake.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    /// Records a fault at `path` unless `value` is a probability.
    pub fn probability(&mut self, path: &str, value: f64) {
        if !(0.0..=1.0).contains(&value) {
            let label = format!("{value} is not in [0, 1]");
            self.fault(path, "a probability is out of range", &label, &a_share(value));
        }
    }

    /// The same for the exact value of a decimal number.
    pub fn exact_probability(&mut self, path: &str, number: &Decimal) {
        if !number.is_probability() {
            let label = format!("{} is not in [0, 1]", self.written(path));
            let help = a_share(number.value);
            self.fault_of_literal(path, "a probability is out of range", &label, &help);
        }
    }

    /// Warns of a share above 1, which may be meant as a percentage; `what` says what it means.
    pub fn share(&mut self, path: &str, value: f64, what: &str) {
        if value > 1.0 {
            let (all, meant) = (100.0 * value, value / 100.0);
            self.warn(format!(
                "`{path}` is {value}: {what} {all} %; if {value} % is meant, write {meant}"
            ));
        }
    }

    /// Records a fault at `path` if a number is too large or too small for products and squares:
    /// beyond 10^`power`, or below 10^-`power` and not 0.
    pub fn moderate(&mut self, path: &str, value: f64, power: i32) {
        self.at_most(path, value, power);
        let least = 10_f64.powi(-power);
        if value != 0.0 && value.abs() < least {
            self.size(path, value, "small", &format!("nothing but 0 below 1e-{power} will do"));
        }
    }

    /// Records a fault at `path` if a count is not between 1 and `most`.
    pub fn count(&mut self, path: &str, value: u64, most: u64) {
        if value == 0 || value > most {
            let label = format!("{value} is not between 1 and {most}");
            self.fault(path, "a number is out of range", &label, "");
        }
    }

    /// Records a fault at `path` if a number that is summed and squared is beyond 10^`power`.
    pub fn at_most(&mut self, path: &str, value: f64, power: i32) {
        if value.abs() > 10_f64.powi(power) {
            self.size(path, value, "large", &format!("up to 1e{power} will do"));
        }
    }

    fn size(&mut self, path: &str, value: f64, kind: &str, range: &str) {
        let message = format!("this number is too {kind} to be calculated with");
        let help = format!("take another unit: {range}");
        self.fault(path, &message, &format!("{value:e}"), &help);
    }

    /// Records a fault at `path` if `value` is below zero.
    pub fn nonnegative(&mut self, path: &str, value: f64, what: &str) {
        if value < 0.0 {
            let message = format!("{what} cannot be negative");
            let label = format!("{value} is below zero");
            self.fault(path, &message, &label, "give a value of 0 or more");
        }
    }

    /// The same for the exact value of a decimal number.
    pub fn exact_nonnegative(&mut self, path: &str, number: &Decimal, what: &str) {
        if number.exact < Rational::ZERO {
            let message = format!("{what} cannot be negative");
            let label = format!("{} is below zero", self.written(path));
            self.fault_of_literal(path, &message, &label, "give a value of 0 or more");
        }
    }

    /// Records a fault at `path` unless `sum` is 1 within 1e-9.
    pub fn exact_sum_to_one(&mut self, path: &str, sum: &Rational, what: &str) {
        self.misses_one(path, sum, what, KEPT);
    }

    /// The same for numbers that are divided by their sum.
    pub fn nearly_sums_to_one(&mut self, path: &str, sum: &Rational, what: &str) {
        self.misses_one(path, sum, what, DIVIDED);
    }

    fn misses_one(&mut self, path: &str, sum: &Rational, what: &str, help: &str) {
        let (miss, sum) = ((sum - Rational::ONE).to_f64().value(), sum.to_f64().value());
        if miss.abs() > 1e-9 || miss.is_nan() {
            let side = if miss > 0.0 { "above" } else { "below" };
            let message = format!("{what} must sum to 1");
            let label = format!("the sum is {sum}, {} {side} 1", short(miss.abs()));
            self.fault(path, &message, &label, help);
        }
    }

    /// The name of the variant at `path`; empty for brackets without one.
    pub(super) fn written_name(&self, path: &str) -> String {
        let text = &self.source.text()[self.tree.locate(path)];
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    }

    /// The literal at `path`.
    fn written(&self, path: &str) -> String {
        let span = self.tree.find(path).map_or(0..0, |node| node.unwrapped().span.clone());
        quoted(&self.source.text()[span])
    }

    /// Records a fault of the literal alone, without the variant around it.
    pub(crate) fn fault_of_literal(&mut self, path: &str, message: &str, label: &str, help: &str) {
        match self.tree.find(path) {
            Some(node) => self.fault_at(node.unwrapped().span.clone(), message, label, help),
            None => self.fault(path, message, label, help),
        }
    }
}

/// Seven digits, with an exponent only for very small or large numbers.
fn short(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        format!("{value:.7}").trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.6e}")
    }
}
