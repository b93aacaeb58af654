//! The important numbers of an answer, each with its error.

use super::digits::{proved, sampled};
use remapping::Bounds;
use remapping::estimate::Estimate;

/// A number with its name.
pub struct Number {
    /// Its name.
    pub name: String,
    /// As many digits as the error allows, and the error.
    pub value: String,
    /// The kind of error.
    pub is: &'static str,
}

const PROVED: &str = "proved";
const SAMPLED: &str = "99 % confidence, sampled";

/// A list of them.
#[derive(Default)]
pub struct Numbers(pub Vec<Number>);

impl Numbers {
    /// Adds a number with this kind of error.
    pub fn push(&mut self, name: &str, value: String, is: &'static str) {
        self.0.push(Number { name: name.to_owned(), value, is });
    }

    /// Adds a number without an error.
    pub fn put(&mut self, name: &str, value: impl ToString) {
        self.push(name, value.to_string(), "");
    }

    /// Adds proved bounds.
    pub fn bounds(&mut self, name: &str, bounds: Bounds) {
        self.push(name, proved(bounds).joined("±"), PROVED);
    }

    /// Adds the mean of samples.
    pub fn mean(&mut self, name: &str, mean: Estimate) {
        self.push(name, sampled(mean).joined("±"), SAMPLED);
    }
}
