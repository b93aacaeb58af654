//! The distribution of a program's length, as model files state it.

pub mod remaining;

use crate::core::decimal::{Listed, Number};
use crate::core::written;

written! {
    pub enum Lifetime {
        Fixed(u64),
        Uniform { first: u64, last: u64 },
        Geometric { rate: Number, first: u64, last: u64 },
        Pmf(Listed<u64, Number>)
    }
}
