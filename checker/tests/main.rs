//! What the checker proves is true, and whatever else is refused.
//!
//! - `exact`, `regions`, `states`, `walks`, `units`: loads, against plain recursions on all of
//!   them.
//! - `phases`, `intervals`, `forms`: changes of phase; periodic remaps; costs of remaps of other
//!   forms.
//! - `hypotheses`, `refusals`, `files`: what is forged, wrong or damaged is refused.
//! - `reading`: what is to be read of the checker for each kind. `shared`, `sources`, `thorough`:
//!   what tests share.

mod exact;
mod files;
mod forms;
mod hypotheses;
mod intervals;
mod phases;
mod reading;
mod refusals;
mod regions;
mod shared;
mod sources;
mod states;
#[path = "../../tests/thorough.rs"]
mod thorough;
mod units;
mod walks;
