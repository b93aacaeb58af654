//! Every solved deck has a certificate that its solution agrees with.

use super::{Case, Proves, models};
use crate::support::prelude::*;
use remap::problems::Settings;
use remap::problems::certificate::CERTIFIED;
use remap::problems::registry::Loaded;

/// Decks that take more than some seconds to solve, to certify or to check.
const SLOW: &str = "load_drift/eight_chains.ron periodic/capacities.ron phase_change/table_iii_n1000_g5.ron \
    phase_switching/four_levels.ron stopping/sixteen_chains.ron";

/// Decks of which confidence intervals are computed, or whose remaps come into force later: nothing
/// is proved of them.
const NOT_PROVED: &str = "load_drift/1024_ranks.ron load_drift/64_ranks.ron load_drift/65536_ranks.ron \
    load_drift/late_ranks.ron load_drift/late_remaps.ron load_drift/million_ranks.ron";

/// Whether problems of the kind have certificates. Studies have no kind.
fn has_certificates(deck: &str) -> bool {
    let loaded = Loaded::read(&models().join(deck));
    loaded.is_ok_and(|loaded| CERTIFIED.contains(&loaded.problem.kind().name()))
}

/// Its certificate verifies, is as narrow as was asked for, and the solution agrees with it.
fn certified(name: &str) {
    let case = Case::deck(name, Settings::default());
    let found = case.verify(&case.document);
    assert!(found.is_ok(), "{name}: {found:?}");
    let main = match case.document["problem"].text() {
        "phase_change" => "threshold",
        "phase_switching" => "to_second",
        "periodic" => "interval",
        "load_drift" | "many_phases" => "value",
        "stopping" if case.document.get("average").is_some() => "average",
        "stopping" => "remap_value",
        other => panic!("{name}: {other}"),
    };
    assert!(found.unwrap().proves(main), "{name}: {main}");
    assert!(case.warning.is_none(), "{name}: {:?}", case.warning);
}

#[test]
fn every_solved_deck_has_a_certificate() {
    let mut all = decks();
    let others: Vec<&str> = SLOW.split(' ').chain(NOT_PROVED.split(' ')).collect();
    assert!(others.iter().all(|name| all.contains(&(*name).to_owned())));
    all.retain(|name| !others.contains(&name.as_str()) && has_certificates(name));
    let is_there = |kind: &str| all.iter().any(|name| name.split('/').next() == Some(kind));
    assert!(CERTIFIED.iter().all(|kind| is_there(kind)));
    some_of_each_folder(all).iter().for_each(|name| certified(name));
}

/// `cargo test --test cli slow_decks_have_certificates -- --ignored`
#[test]
#[ignore = "some minutes; run with: cargo test --test cli slow_decks_have_certificates -- --ignored"]
fn slow_decks_have_certificates() {
    SLOW.split(' ').for_each(certified);
}
