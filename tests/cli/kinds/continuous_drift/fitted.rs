//! Rules fitted to logs of continuous increments, against published rules.

use crate::advice::advised::csv_of;
use crate::families::{Family, Run};
use crate::support::prelude::*;
use remapping::estimate::Estimate;
use std::io::Write;

/// Costs on the second half of a log, of the rule fitted to the first half and solved, and of rules
/// in use.
fn costs(family: Family, seed: u64) -> Vec<f64> {
    let Run { record, remap_cost } = family.run(32, 600, 20.0, seed);
    let place = Workplace::new();
    place.write("first.csv", csv_of(&record, 0..300));
    place.write("second.csv", csv_of(&record, 300..600));
    let fit = "fit first.csv --model continuous-drift -o fitted.ron --remap-cost";
    place.remap(format!("{fit} {remap_cost}")).exits(0);
    place.solved("fitted.ron --tolerance 0.5");
    let policies = "solution,stop_at_rise,menon,metabalancer,zhai,procassini,never";
    let replay = format!("replay second.csv --solution solution.json --policies {policies}");
    let found = place.answer(format!("{replay} --remap-cost {remap_cost}"));
    let lines = found["policies"].list();
    lines.iter().map(|line| line.number("/cost")).collect()
}

/// Slopes that last are found in a log and kept by the model; its rule is about as good as the best
/// of the rules in use, chosen after the fact.
#[test]
fn fitted_rules_know_slopes_that_are_kept() {
    for family in some(1, [Family::Drift, Family::SlopesRedrawn]) {
        let costs = costs(family, 1);
        let best = costs[1..].iter().copied().fold(f64::INFINITY, f64::min);
        assert!(costs[0] <= 1.04 * best, "{family:?}: {costs:?}");
    }
    let Run { record, remap_cost } = Family::SlopesRedrawn.run(32, 300, 20.0, 1);
    let place = Workplace::new();
    place.write("log.csv", csv_of(&record, 0..300));
    let found = place.answer(format!("fit log.csv --remap-cost {remap_cost}"));
    assert_eq!(found["models"][0]["problem"], "continuous_drift", "{found}");
    let file = found["models"][0]["file"].text();
    assert!(file.contains("kept_slopes: (deviation: 0.09"), "made with 0.1: {file}");
}

/// On the second halves of logs, the rule that was fitted to the first and solved is no worse than
/// the best of the rules in use, chosen after the fact: not at 95 %, paired over logs.
#[test]
#[ignore = "four minutes; run with: cargo test --test cli fitted_rules_are_no_worse -- --ignored --nocapture"]
fn fitted_rules_are_no_worse() {
    const LOGS: u64 = 8;
    for family in [Family::Drift, Family::Walk, Family::Jumps, Family::SlopesRedrawn] {
        let all: Vec<Vec<f64>> = (1..=LOGS).map(|seed| costs(family, seed)).collect();
        let mean = |at: usize| all.iter().map(|costs| costs[at] / costs[0]).sum::<f64>();
        let best = (1..all[0].len()).min_by(|a, b| mean(*a).total_cmp(&mean(*b))).unwrap();
        // In units of each log.
        let less: Vec<f64> = all.iter().map(|costs| 1.0 - costs[best] / costs[0]).collect();
        let less = Estimate::of(&less);
        let shown = format!("{family:?}: the best rule in use costs less by a share of {less:?}");
        writeln!(std::io::stdout(), "{shown}").unwrap();
        assert!(less.lower <= 0.0, "{family:?}: rule {best} is better by {less:?}");
    }
}
