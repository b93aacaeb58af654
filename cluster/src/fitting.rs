//! A log of which each rank reads a part.

use crate::ranks::Ranks;
use remap::cli::Log;
use remap::commands::fit;
use remap::logs::Trace;
use remap::output::say;
use remapping::Communicator;
use remapping::fit::whole::Whole;
use serde_json::json;

/// The log and what is known of all its steps, on rank 0; `None` where that is to read it alone.
pub fn lead(ranks: &Ranks, log: &Log) -> Option<(Trace, Whole)> {
    if ranks.ranks() == 1 {
        return None;
    }
    ranks.tell(&json!({ "fit": true }).to_string());
    let found = share(ranks, log);
    if found.is_none() {
        say(
            "note: the log is read on one rank: only plain tables of many steps with nothing missing are shared",
        );
    }
    found
}

/// Reads the own part; rank 0 gets to know what all have found.
pub fn share(ranks: &Ranks, log: &Log) -> Option<(Trace, Whole)> {
    let part = fit::part(log, (ranks.rank(), ranks.ranks()));
    if !ranks.all(part.is_some()) {
        return None;
    }
    let mut part = part?;
    if ranks.rank() == 0 {
        let (numbers, costs) = (ranks.collect(&[]), ranks.collect(&[]));
        return part.join(&numbers, &costs);
    }
    ranks.collect(&part.numbers());
    ranks.collect(&part.costs);
    None
}
