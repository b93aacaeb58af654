//! Parquet files: tables stored by columns, which are recognized by the same names as in CSV.

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod field;
#[cfg(feature = "parquet")]
mod groups;
#[cfg(not(feature = "parquet"))]
mod without;

#[cfg(feature = "parquet")]
pub(in crate::logs) use groups::{read, read_path};
#[cfg(not(feature = "parquet"))]
pub(in crate::logs) use without::{read, read_path};

/// Whether a file with this beginning is Parquet, encrypted or not.
pub(in crate::logs) fn is_parquet(start: &[u8]) -> bool {
    // Text has letters next.
    let binary = start.get(4).is_none_or(|next| *next < b'\t' || (0x0e..0x20).contains(next));
    binary && (start.starts_with(b"PAR1") || start.starts_with(b"PARE"))
}
