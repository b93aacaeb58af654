//! The formats of logs, one a file.

pub(super) mod columnar;
pub(super) mod form;
pub(super) mod jsonl;
pub(super) mod lammps;
pub(super) mod pairs;
pub(super) mod pattern;
pub(super) mod summary;
pub(super) mod swift;
pub(super) mod table;
pub(super) mod talp;
pub(super) mod vt;
pub(super) mod warpx;

#[cfg(feature = "parquet")]
use super::fields::counted;
use super::gather::Raw;
use super::{
    Cell, MOST_SECONDS, RawRemap, at, checked, decimal, fault, flag, name, opened, seconds, whole,
};
