//! Drifting loads: the claims of \[NRS86\], and their consequences.

use crate::problems::registry::{Loaded, Problem};
use crate::proving::Truth::{Fails, Theorem};
use crate::proving::brute_force::{Ordered, Triple};
use crate::proving::decks::{deck, field, hundredth};
use crate::proving::{Claim, Effort, Field, Finding, Verdict};
use proptest::prelude::*;
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, Outcome, Rebalance, States,
    Transition,
};

const CLAIMS: &[Claim<LoadDrift>] = &[
    Claim {
        statement: "the optimum over multisets is that of following every load vector",
        source: "[NRS86, section 3]",
        truth: Theorem,
        check: optimum_by_brute_force,
    },
    Claim {
        statement: "fixed intervals and never remapping cost what following every load vector says",
        source: "[NRS86, section 3]",
        truth: Theorem,
        check: intervals_by_brute_force,
    },
    Claim {
        statement: "no fixed interval, no threshold on max - mean and no utilization threshold beats \
                    the optimum",
        source: "[NRS86, section 3]",
        truth: Theorem,
        check: nothing_beats_the_optimum,
    },
    Claim {
        statement: "the optimal cost rises with the remap cost, concavely, by at most one remap a \
                    decision",
        source: "minimum over policies",
        truth: Theorem,
        check: concave_in_cost,
    },
    Claim {
        statement: "a dearer remap is used in fewer states at every step (total load kept)",
        source: "minimum over policies, V(y) - V(Ry) subadditive in C",
        truth: Theorem,
        check: nested_in_cost,
    },
    Claim {
        statement: "a longer program costs no less",
        source: "costs are not negative",
        truth: Theorem,
        check: longer_costs_more,
    },
    Claim {
        statement: "if E[max - mean] grows with n, E[W(n)] has at most one local minimum",
        source: "[NRS86, section 3]",
        truth: Theorem,
        check: one_minimum,
    },
    Claim {
        statement: "E[max - mean] grows with n",
        source: "[NRS86, section 3], of chains that are not extremely active",
        truth: Fails(INTO_THE_WALL),
        check: imbalance_grows,
    },
    Claim {
        statement: "the best fixed interval is the n* that minimises E[W(n)]",
        source: "[NRS86, section 3], on a finite horizon",
        truth: Fails(SHORT),
        check: least_average_is_best,
    },
    Claim {
        statement: "remapping leaves the expected work as it is",
        source: "a natural guess from [NRS86, section 3]: remapping \"resets\"",
        truth: Fails(ROUNDED),
        check: work_is_kept,
    },
    Claim {
        statement: "the optimal decision is a threshold on max - mean",
        source: "a natural guess",
        truth: Fails(NO_THRESHOLD),
        check: threshold_is_optimal,
    },
];

const INTO_THE_WALL: &str = include_str!("../../models/counterexamples/into_the_wall.ron");
const SHORT: &str = include_str!("../../models/counterexamples/short_program.ron");
const ROUNDED: &str = include_str!("../../models/counterexamples/rounding_sheds_load.ron");
const NO_THRESHOLD: &str = include_str!("../../models/counterexamples/no_threshold.ron");

/// The last steps of the model itself that are checked.
const MOST_STEPS: u64 = 60;

/// The most multisets of a model that is checked, and the most load vectors for a check by
/// enumeration.
const MOST_STATES: usize = 3000;
const MOST_VECTORS: usize = 130;

pub(crate) fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    let read = |deck: &str| case(&loaded.another(deck)?);
    let field = Field { own: case(loaded), near: near(loaded), read: &read };
    field.examine(CLAIMS, effort)
}

fn case(loaded: &Loaded) -> Option<LoadDrift> {
    let Problem::LoadDrift(model) = &loaded.problem else { return None };
    let mut problem = model.problem();
    problem.steps = problem.steps.min(MOST_STEPS);
    let small = model.states().is_some_and(|states| states <= MOST_STATES as u64);
    // The papers' claims assume that remaps cost the same everywhere.
    (small && problem.per_unit_moved == 0.0 && model.stops()).then_some(problem)
}

/// Random models similar to this one: few processors, levels and steps.
fn near(loaded: &Loaded) -> BoxedStrategy<String> {
    let own = |path: &str| loaded.literal(path).filter(|literal| literal.len() < 20);
    let sixteenth = |k: u32| (f64::from(k) / 16.0).to_string();
    let probability = |name: &str| {
        field(own(&format!("problem.chain.{name}")), (0u32..=8).prop_map(sixteenth).boxed())
    };
    let choice = |name: &str, values: &[&str]| {
        let values: Vec<_> = values.iter().map(|value| value.to_string()).collect();
        let random = prop::sample::select(values).boxed();
        field(own(&format!("problem.{name}")), random)
    };
    let sizes = prop_oneof![(Just(2usize), 2usize..6), (Just(3usize), 2usize..6)];
    let chain = (
        sizes,
        0usize..6,
        0i64..3,
        probability("up"),
        probability("down"),
        choice("chain.edge", &["Hold", "Reflect"]),
    );
    let number = own("problem.remap_cost").filter(|cost| !cost.starts_with('('));
    let cost = field(number, (1u32..40).prop_map(|k| hundredth(10 * k)).boxed());
    let rules = (
        choice("rebalance", &["Split", "Nearest", "Stochastic"]),
        choice("decide", &["AfterStep", "BeforeStep"]),
        choice("objective", &["Imbalance", "Makespan"]),
    );
    (chain, 1u64..12, cost, rules)
        .prop_map(|(chain, steps, cost, (rebalance, decide, objective))| {
            let ((processors, levels), place, lowest, up, down, edge) = chain;
            let initial = lowest + (place % levels) as i64;
            let walk = format!(
                "Walk(lowest: {lowest}, levels: {levels}, up: {up}, down: {down}, edge: {edge})"
            );
            let fields = [
                ("processors", processors.to_string()),
                ("chain", walk),
                ("initial_load", initial.to_string()),
                ("steps", steps.to_string()),
                ("remap_cost", cost),
                ("rebalance", rebalance),
                ("decide", decide),
                ("objective", objective),
            ];
            deck("LoadDrift", &fields)
        })
        .boxed()
}

/// Runs the recursion to its end and calls `look` at every step.
fn run(
    problem: &LoadDrift,
    control: Control,
    mut look: impl FnMut(&Backward<'_>),
) -> Option<Outcome> {
    let states = States::new(problem.processors, problem.chain.levels()).ok()?;
    let transition = Transition::new(&problem.chain, problem.processors).ok()?;
    let mut backward = Backward::new(problem, &states, &transition, control, Carry::Outcome);
    while backward.remaining() > 0 {
        backward.advance();
        look(&backward);
    }
    backward.outcome()
}

fn optimum(problem: &LoadDrift) -> Option<Outcome> {
    run(problem, Control::Optimal, |_| ())
}

fn small(problem: &LoadDrift) -> bool {
    let vectors = (problem.chain.levels() as f64).powi(problem.processors as i32);
    vectors <= MOST_VECTORS as f64 && problem.steps <= 12
}

/// Whether the engine's outcome is the one found. Near ties may be decided either way, which hardly
/// changes the value.
fn same(outcome: &Outcome, found: Triple, what: &str) -> Verdict {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
    let agree = close(outcome.value, found[0]) && close(outcome.work, found[1]);
    Verdict::holds_if(agree, || {
        format!(
            "{what}: {} and {}, by brute force {} and {}",
            outcome.value, outcome.work, found[0], found[1]
        )
    })
}

fn optimum_by_brute_force(problem: &LoadDrift) -> Verdict {
    if !small(problem) {
        return Verdict::Silent;
    }
    let rule = |_, _: &[usize], on: f64, remapped: f64| {
        on - remapped > 1e-12 * on.abs().max(remapped.abs())
    };
    let found = Ordered::new(problem).solve(&rule);
    optimum(problem).map_or(Verdict::Silent, |outcome| same(&outcome, found, "value and work"))
}

fn intervals_by_brute_force(problem: &LoadDrift) -> Verdict {
    if !small(problem) {
        return Verdict::Silent;
    }
    let ordered = Ordered::new(problem);
    let intervals = Intervals::new(problem, problem.steps.min(4), &());
    let mut verdicts = vec![same(
        &Intervals::never(problem),
        ordered.solve(&|_, _, _, _| false),
        "never remapping",
    )];
    verdicts.extend(intervals.all().iter().map(|fixed| {
        let found = ordered.solve(&|step, _, _, _| step.is_multiple_of(fixed.interval));
        same(&fixed.outcome, found, &format!("every {} steps", fixed.interval))
    }));
    Verdict::all(verdicts)
}

fn nothing_beats_the_optimum(problem: &LoadDrift) -> Verdict {
    let Some(best) = optimum(problem) else { return Verdict::Silent };
    let slack = 1e-9 * best.value.max(1.0);
    let beaten = |what: String, value: f64| {
        Verdict::holds_if(best.value <= value + slack, || {
            format!("{what} costs {value}, it {}", best.value)
        })
    };
    let intervals = Intervals::new(problem, problem.steps, &());
    let fixed = intervals.all().iter();
    let mut verdicts: Vec<Verdict> = fixed
        .map(|fixed| beaten(format!("every {} steps", fixed.interval), fixed.outcome.value))
        .collect();
    for level in 0..6 {
        let level = f64::from(level);
        for control in [Control::Threshold(level / 2.0), Control::Utilization(1.0 - level / 8.0)] {
            let Some(outcome) = run(problem, control, |_| ()) else { continue };
            verdicts.push(beaten(format!("{control:?}"), outcome.value));
        }
    }
    Verdict::all(verdicts)
}

fn concave_in_cost(problem: &LoadDrift) -> Verdict {
    let step = 0.5 * problem.remap_cost.max(0.5);
    let at = |k: f64| {
        let dearer = LoadDrift { remap_cost: problem.remap_cost + k * step, ..problem.clone() };
        optimum(&dearer).map(|outcome| outcome.value)
    };
    let [Some(a), Some(b), Some(c)] = [0.0, 1.0, 2.0].map(at) else { return Verdict::Silent };
    let slack = 1e-9 * c.max(1.0);
    let most = step * problem.steps as f64;
    let right = a <= b + slack && b - a >= c - b - slack && b - a <= most + slack;
    Verdict::holds_if(right, || format!("costs {a}, {b}, {c} at remap costs {step} apart"))
}

fn nested_in_cost(problem: &LoadDrift) -> Verdict {
    // A rule that changes the total load lets the optimum exchange remaps for load.
    if problem.rebalance != Rebalance::Split || problem.objective != Objective::Imbalance {
        return Verdict::Silent;
    }
    let dearer = LoadDrift { remap_cost: 1.5 * problem.remap_cost + 0.1, ..problem.clone() };
    let maps = |problem: &LoadDrift| {
        let mut maps = Vec::new();
        run(problem, Control::Optimal, |backward| maps.push(backward.decisions().clone()));
        maps
    };
    let (cheap, dear) = (maps(problem), maps(&dearer));
    Verdict::all(cheap.iter().zip(&dear).enumerate().map(|(back, (cheap, dear))| {
        let wrong = (0..cheap.count()).find(|&s| dear.remaps(s) && !cheap.remaps(s));
        Verdict::holds_if(wrong.is_none(), || format!("{back} steps from the end, state {wrong:?}"))
    }))
}

fn longer_costs_more(problem: &LoadDrift) -> Verdict {
    let longer = LoadDrift { steps: problem.steps + 1, ..problem.clone() };
    let (Some(a), Some(b)) = (optimum(problem), optimum(&longer)) else { return Verdict::Silent };
    let right = a.value <= b.value + 1e-9 * b.value.max(1.0);
    Verdict::holds_if(right, || {
        format!("{} with {} steps, {} with one more", a.value, problem.steps, b.value)
    })
}

/// The first step at which E[max - mean] decreases: (step, before, after).
fn falls(problem: &LoadDrift) -> Option<(usize, f64, f64)> {
    let problem = LoadDrift { objective: Objective::Imbalance, ..problem.clone() };
    let growth = Intervals::new(&problem, problem.steps, &()).growth();
    let at = growth.windows(2).position(|pair| pair[1] < pair[0] - 1e-12)?;
    Some((at + 2, growth[at], growth[at + 1]))
}

fn imbalance_grows(problem: &LoadDrift) -> Verdict {
    let fall = falls(problem);
    Verdict::holds_if(fall.is_none(), || {
        let (step, before, after) = fall.unwrap_or_default();
        format!("E[max - mean] falls from {before:.6} to {after:.6} at step {step}")
    })
}

fn one_minimum(problem: &LoadDrift) -> Verdict {
    if problem.objective != Objective::Imbalance || falls(problem).is_some() {
        return Verdict::Silent;
    }
    let intervals = Intervals::new(problem, problem.steps, &());
    let costs: Vec<f64> = (1..=problem.steps).map(|n| intervals.average_cost(n)).collect();
    let slack = 1e-12 * costs[0].max(1.0);
    let risen = costs.windows(2).position(|pair| pair[1] > pair[0] + slack);
    let fallen = risen.and_then(|at| {
        costs[at + 1..].windows(2).position(|pair| pair[1] < pair[0] - slack).map(|n| n + at + 3)
    });
    Verdict::holds_if(fallen.is_none(), || format!("E[W(n)] falls again at n = {fallen:?}"))
}

fn least_average_is_best(problem: &LoadDrift) -> Verdict {
    if problem.steps < 2 || problem.objective != Objective::Imbalance || falls(problem).is_some() {
        return Verdict::Silent;
    }
    let intervals = Intervals::new(problem, problem.steps, &());
    let (best, least) = (intervals.best(), Intervals::least_average_cost(problem));
    let value = intervals.all()[least as usize - 1].outcome.value;
    let right = value <= best.outcome.value + 1e-9 * value.max(1.0);
    Verdict::holds_if(right, || {
        let (interval, cost) = (best.interval, best.outcome.value);
        format!("n* = {least} costs {value:.6}, every {interval} steps costs {cost:.6}")
    })
}

fn work_is_kept(problem: &LoadDrift) -> Verdict {
    let Some(best) = optimum(problem) else { return Verdict::Silent };
    let never = Intervals::never(problem).work;
    let right = (best.work - never).abs() <= 1e-9 * never.max(1.0);
    Verdict::holds_if(right, || {
        format!(
            "expected work {:.6} under the optimal policy, {never:.6} without remaps",
            best.work
        )
    })
}

fn threshold_is_optimal(problem: &LoadDrift) -> Verdict {
    let mut worst = (0.0, 0);
    run(problem, Control::Optimal, |backward| {
        let disagreement = backward.closest_threshold().disagreement;
        if disagreement > worst.0 {
            worst = (disagreement, backward.remaining() + 1);
        }
    });
    Verdict::holds_if(worst.0 == 0.0, || {
        let (share, step) = (100.0 * worst.0, worst.1);
        format!("after step {step} the best threshold is wrong in {share:.1} % of the load vectors")
    })
}
