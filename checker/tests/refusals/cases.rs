//! For every refusal with a message of its own something that is refused for it.

use super::{
    COIN, Case, LAW, STOP, WALK, chain, drift, joint, many, no_model, no_proof, periodic, phases,
    recurring, refused, stopping, two,
};
use crate::shared::{prove, text};
use remap_checker::phase_change::Steps;
use remap_checker::phase_switching::{Rest, Steps as Back};
use remap_checker::{Evidence, certificate, check};
use std::path::Path;

pub fn cases() -> Vec<Case> {
    let values = |runs: &[(u64, i64, u64)]| Some(Evidence::Stopping(20, runs.to_vec()));
    let rest = || Some(Evidence::PhaseChange(50, vec![Steps::On(vec![1 << 43]), Steps::Rest(40)]));
    let idle = Rest { beliefs: Vec::new(), saved: vec![0, 0], means: vec![Vec::new()] };
    let settle = || {
        let steps = vec![Back::On(Vec::new()), Back::Rest(idle.clone())];
        Some(Evidence::PhaseSwitching(4, steps))
    };
    let proof = prove(&drift("0.7", "0.7"), &Evidence::LoadDrift).unwrap();
    let other = text(&drift("0.7", "0.5"));
    let claims = check(&other, Path::new(""), &certificate(&other, &Evidence::LoadDrift, &proof));
    let far = "Distinct([Walk(levels: 2, up: 0.25, down: 0.25, edge: Hold), Walk(lowest: 5, levels: 2, up: 0.25, down: \
               0.25, edge: Hold)])";
    let uniform = |cost: u32| stopping(far, &format!("remap_cost: {cost}, after_remap: Uniform"));
    let birth = |rates: &str| chain(&format!("BirthDeath({rates})"));
    let levels = |more: &str| periodic(LAW, &format!("Chain(count: 2, chain: {more})"));
    let detector = "(false_alarm: 0.2, missed: 0.1)";
    vec![
        ("lib", "what is claimed is not what follows", claims.unwrap_err()),
        no_model("core::decimal", "{} is not a decimal number from 0 up", drift("0.7", "-0.7")),
        no_model("load_drift", "the cost of a remap is too large", drift("0.7", "1e101")),
        no_model(
            "load_drift",
            "the cost of a remap does not go with the rest",
            drift("0.7", "(fixed: 1, per_unit_moved: 1), rebalance: Nearest"),
        ),
        no_model(
            "load_drift",
            "a load lies outside the levels or below 0, or there are no steps or processors",
            drift("initial_load: 2", "initial_load: 5"),
        ),
        no_model(
            "stopping::problem",
            "a capacity is missing",
            two("capacities: [1], remap_cost: 2, after_remap: Stop"),
        ),
        no_model(
            "stopping::problem",
            "the cost of a remap, or the number of steps, does not go with the rest",
            two("steps: 4, remap_cost: 2, after_remap: Uniform"),
        ),
        no_proof(
            "stopping::maps",
            "the values do not enclose the optimal cost",
            two(STOP),
            values(&[(6, 3 << 20, 0)]),
        ),
        no_proof(
            "stopping::uniform",
            "nothing ends what is said to cost something",
            uniform(0),
            values(&[(4, 1, 0)]),
        ),
        no_model(
            "stopping::uniform",
            "no state is balanced, and a remap leads to a random one",
            uniform(1),
        ),
        no_proof(
            "stopping::region",
            "the values do not enclose the optimal cost",
            two(STOP),
            Some(Evidence::Region(20, vec![(vec![0, 0], 1, 0)])),
        ),
        no_proof(
            "stopping::region",
            "a balanced state is missing",
            two("remap_cost: 0.01, after_remap: Stop"),
            Some(Evidence::Region(20, Vec::new())),
        ),
        no_model(
            "loads::chains::chain",
            "up and down differ in length",
            birth("up: [0.5, 0], down: [0]"),
        ),
        no_model(
            "loads::chains::chain",
            "a probability is more than 1",
            chain("Walk(levels: 3, up: 1.5, down: 0, edge: Reflect)"),
        ),
        no_model(
            "loads::chains::dense",
            "a transition matrix is not square",
            chain("Matrix(rows: [[1], [1]])"),
        ),
        no_model(
            "loads::chains::affine",
            "2 to 1000 levels, and changes with probabilities, are needed",
            chain("Affine(levels: 1, changes: [(factor: 2, probability: 1)])"),
        ),
        no_model(
            "loads::chains::rows",
            "a row is no distribution over the levels there are, of which there must be two",
            birth("up: [0.5, 0.5], down: [0, 0.5]"),
        ),
        no_model(
            "loads::imbalance",
            "a capacity is not positive",
            two("capacities: [0, 1], remap_cost: 2, after_remap: Stop"),
        ),
        no_model(
            "loads::states::joint",
            "joint states differ in size",
            joint("[[0, 1], [1]]", COIN, STOP),
        ),
        no_proof(
            "loads::states::joint",
            "a remap leads to loads that are shared by fewer states",
            joint(
                "[[1, 1], [0, 2], [0, 2]]",
                "Dense([[1, 0, 0], [0, 1, 0], [0, 0, 1]])",
                "remap_cost: 1, after_remap: Restart",
            ),
            values(&[(3, 0, 0)]),
        ),
        no_model(
            "stopping::unbounded",
            "walks without a highest load are too many, or of another form",
            stopping("Unbounded(count: 0, up: 0.25, down: 0.25, edge: Hold, shown: 4)", STOP),
        ),
        no_model(
            "many_phases",
            "a table has not a row for each phase, or there are too many",
            many("[[1, 0], [0, 1]]", "[[1, 0]]"),
        ),
        no_model(
            "many_phases",
            "the probabilities of a law do not sum to 1",
            many("detector: [[1, 0]", "detector: [[1, 1]"),
        ),
        no_model("many_phases", "a time or a cost is too large", many("[[1, 2]", "[[1e101, 2]")),
        no_model(
            "many_phases",
            "a lifetime of 100000 steps at most, or a discount below 1, is needed",
            many("discount: 0.5", "discount: 1"),
        ),
        no_model(
            "loads::states::joint",
            "joint states differ in number",
            joint("[[0, 1]]", COIN, STOP),
        ),
        no_model(
            "loads::states::joint",
            "{name}: {error}",
            joint("[[0, 1], [1, 0]]", "File(\"none.mtx\")", STOP),
        ),
        no_model(
            "loads::states::joint",
            "this is not a regular file",
            joint("[[0, 1], [1, 0]]", "File(\"/dev/zero\")", STOP),
        ),
        no_model(
            "loads::states::joint",
            "only real coordinate matrices are checked",
            joint("[[0, 1], [1, 0]]", "File(\"Cargo.toml\")", STOP),
        ),
        no_model("loads::states::space", "there are no processes", stopping("Distinct([])", STOP)),
        no_proof(
            "loads::states::space",
            "a load lies outside the levels",
            joint("[[0, 2], [2, 0]]", COIN, "remap_cost: 1, after_remap: Restart"),
            values(&[(2, 0, 0)]),
        ),
        no_model(
            "core::decimal",
            "a value has two probabilities",
            phases("Fixed(40)", "Pmf({4: 0.5, 4: 0.5})"),
        ),
        no_model(
            "detector",
            "the reports of a detector have no law",
            phases("missed: 0.1", "missed: 1.1"),
        ),
        no_model(
            "lifetime::remaining",
            "a probability or a number of steps is out of range",
            phases("Fixed(40)", "Uniform(first: 3, last: 2)"),
        ),
        no_model(
            "phase_change::horizon",
            "a probability or a number of steps is out of range",
            phases("Constant(0.05)", "PerStep([0.05])"),
        ),
        no_model(
            "phase_change::horizon",
            "before_remapped is less than before",
            phases("Revert", "Keep(before_remapped: 0.5)"),
        ),
        no_proof(
            "phase_change",
            "the steps are not alike",
            phases("Revert", "Keep(before_remapped: 1.5)"),
            rest(),
        ),
        ("phase_change", "the upper function changes its slope", {
            let on = Steps::On(vec![(1 << 44) / 512; 511]);
            refused(
                &phases(detector, detector),
                Some(Evidence::PhaseChange(50, vec![on, Steps::Rest(40)])),
            )
        }),
        (
            "phase_switching",
            "rates or beliefs are out of range, or the mappings are reversed",
            refused(&recurring("rates: (to_second: 0,", "rates: (to_second: 1.1,"), None),
        ),
        no_model(
            "phase_switching",
            "without an end there must be changes, and a way back",
            recurring("lifetime: Fixed(40), ", ""),
        ),
        no_proof(
            "phase_switching",
            "the steps are not alike",
            recurring("Fixed(40)", "Uniform(first: 2, last: 40)"),
            settle(),
        ),
        no_proof(
            "phase_switching::resting",
            "the difference of the mappings does not become stationary",
            recurring("40", "99"),
            settle(),
        ),
        no_model(
            "periodic",
            "the processors, their capacities or the bound are out of range",
            periodic("count: 4", "count: 1"),
        ),
        no_proof(
            "periodic",
            "there are proofs of least costs for steps only",
            periodic(LAW, "Identical(count: 4, law: Exponential(mean: 1))")
                .replace("bound: MaxDeviation(0.2)", "remap_cost: 5"),
            Some(Evidence::Periodic(8)),
        ),
        no_proof(
            "periodic::gammas",
            "there are proofs for steps, exponential laws, gamma laws of whole shapes and one normal law, not for other laws or \
             both kinds together",
            periodic(LAW, "Identical(count: 4, law: Gamma(shape: 1.5, mean: 1))"),
            Some(Evidence::Periodic(8)),
        ),
        no_model("loads::signed", "{} is not a decimal number", periodic("-1: 0.5", "x: 0.5")),
        no_model("core::decimal", "a value has two probabilities", periodic("-1: 0.5", "1: 0.5")),
        no_model(
            "periodic::laws",
            "a law of the changes is out of range",
            periodic("-1: 0.5", "-1: 0.4"),
        ),
        no_model(
            "periodic::levels",
            "loads must move on a birth-death chain of few levels",
            levels("Matrix(rows: [[0.5, 0.5], [0.5, 0.5]])"),
        ),
        no_model("periodic::levels", "the initial load is none of the chain", levels(WALK)),
        no_proof(
            "periodic::levels",
            "the rows of the chain do not sum to 1",
            levels("BirthDeath(lowest: 9, up: [0.5, 0.5000000001, 0], down: [0, 0.5, 0.5])"),
            Some(Evidence::Periodic(1)),
        ),
        no_model(
            "periodic::prices",
            "messages and bytes do not go together",
            periodic(
                "bound: MaxDeviation(0.2)",
                "remap_cost: LogGP(latency: 1, overhead: 1, gap: 1, gap_per_byte: 1, messages: 0, bytes: 1)",
            ),
        ),
    ]
}
