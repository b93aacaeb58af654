//! One change of phase: the cases on which the claims of [NR86, NR90] are checked.

use super::claims::CLAIMS;
use crate::problems::registry::{Loaded, Problem};
use crate::proving::decks::{deck, field, hundredth, hundredths, law, text, weights};
use crate::proving::{Effort, Field, Finding, Verdict};
use proptest::prelude::*;
use remapping::belief::{Level, Levels};
use remapping::lifetime::Lifetime;
use remapping::phase_change::exact::{self, ExactSolution, ExactStep};
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange, Solution};
use remapping::{Bounds, Rational};
use std::cell::OnceCell;

/// The last steps of a program, solved exactly, and the whole program.
///
/// The recursion goes backward and is conditional on N >= n. So the last steps of a program are a
/// program of their own, whose distribution of N is the conditional one.
pub(crate) struct Case {
    /// The last steps.
    pub problem: PhaseChange,
    /// Their exact solution.
    pub exact: ExactSolution,
    /// The whole program, or as many of its last steps as can be solved quickly.
    pub whole: PhaseChange,
    /// The step of the whole program that is step 0 of the last ones.
    pub first: u64,
    bounds: OnceCell<Solution>,
}

/// The most linear segments of exact functions.
const MOST_LINES: usize = 40;

/// The most steps of exact solutions.
const MOST_STEPS: u64 = 90;

/// The most steps of the whole program, where it is long. All are solved if its end is known; fewer
/// where the distribution of N must be listed as fractions.
const MOST_WHOLE: u64 = 5000;
const MOST_WEIGHTS: u64 = 200;

impl Case {
    fn new(mut whole: PhaseChange) -> Option<Case> {
        let last = whole.last_step();
        if last > MOST_WHOLE {
            let certain = goes_on_for_certain(&whole.lifetime, last - MOST_WHOLE);
            whole = tail(&whole, last - if certain { MOST_WHOLE } else { MOST_WEIGHTS });
        }
        let last = whole.last_step();
        let mut length = last.min(7);
        let solved = |length: u64| {
            let problem = tail(&whole, last - length);
            let exact = exact::solve(&problem, MOST_LINES, &()).ok()?;
            Some((problem, exact, last - length))
        };
        let mut found = solved(length)?;
        while length < last.min(MOST_STEPS) {
            length = (length + length / 2).min(last);
            let Some(longer) = solved(length) else { break };
            found = longer;
        }
        let (problem, exact, first) = found;
        Some(Case { problem, exact, whole, first, bounds: OnceCell::new() })
    }

    /// The exact steps.
    pub fn steps(&self) -> &[ExactStep] {
        &self.exact.steps
    }

    /// s_n of the last steps.
    pub fn survival(&self, n: usize) -> Rational {
        self.problem.lifetime.continuation_exact(n as u64)
    }

    /// C_m - C_t.
    pub fn excess(&self, n: usize, p: &Rational) -> Rational {
        let step = &self.steps()[n];
        step.remap.value(p) - step.retain.value(p)
    }

    /// The certified thresholds of the whole program.
    pub fn bounds(&self) -> &Solution {
        let accuracy = Accuracy { tolerance: 1e-9, segments: None };
        let solve = || phase_change::solve(&self.whole, accuracy, &());
        self.bounds.get_or_init(|| solve().expect("a reviewed problem"))
    }
}

/// The program from `start` on.
fn tail(whole: &PhaseChange, start: u64) -> PhaseChange {
    if start == 0 {
        return whole.clone();
    }
    let lifetime = tail_law(&whole.lifetime, start);
    let hazard = match &whole.hazard {
        Hazard::Constant(h) => Hazard::Constant(h.clone()),
        Hazard::PerStep(list) => Hazard::PerStep(list[start as usize..].to_vec()),
    };
    PhaseChange { lifetime, hazard, ..whole.clone() }
}

/// Whether N = M is certain once N >= `start`.
fn goes_on_for_certain(law: &Lifetime, start: u64) -> bool {
    (start..law.last()).all(|n| law.continuation_exact(n) == Rational::ONE)
}

/// The distribution of N - `start`, given N >= `start`.
pub(crate) fn tail_law(law: &Lifetime, start: u64) -> Lifetime {
    let last = law.last();
    if start == 0 {
        return law.clone();
    }
    if goes_on_for_certain(law, start) {
        return Lifetime::fixed(last - start);
    }
    let mut reached = Rational::ONE;
    let mut weights = Vec::new();
    for n in start..=last {
        let survival = law.continuation_exact(n);
        weights.push((n - start, &reached * (Rational::ONE - &survival)));
        reached *= survival;
    }
    Lifetime::pmf(weights).expect("a conditional law")
}

pub(crate) fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    let read = |deck: &str| case(&loaded.another(deck)?);
    let field = Field { own: case(loaded), near: near(loaded), read: &read };
    field.examine(CLAIMS, effort)
}

fn case(loaded: &Loaded) -> Option<Case> {
    match &loaded.problem {
        Problem::PhaseChange(model) => Case::new(model.problem()),
        _ => None,
    }
}

/// Random short programs that share some fields with the model.
fn near(loaded: &Loaded) -> BoxedStrategy<String> {
    let Problem::PhaseChange(model) = &loaded.problem else { return text("").boxed() };
    let problem = model.problem();
    let own = |path: &str| loaded.literal(path).filter(|literal| literal.len() < 500);
    let short = problem.last_step() <= LONGEST;
    let lifetimes = field(own("problem.lifetime").filter(|_| short), lifetime());
    let constant = matches!(problem.hazard, Hazard::Constant(_));
    let hazard = own("problem.hazard").filter(|_| constant);
    let constant =
        (lifetimes, field(hazard, hundredths(0..=100).prop_map(constant_hazard).boxed()));
    let varying = prop::collection::vec(0u32..=100, 1..=LONGEST as usize).prop_map(|hazards| {
        let list: Vec<_> = hazards.iter().map(|h| hundredth(*h)).collect();
        (format!("Fixed({})", list.len()), format!("PerStep([{}])", list.join(", ")))
    });
    // Delays that pay back within the short program.
    let gain = problem.gain();
    let delay = &problem.test + &problem.install;
    let pays = gain > Rational::ZERO && delay <= &gain * Rational::from(LONGEST);
    let detector = (hundredths(0..=100), hundredths(0..=100))
        .prop_map(|(alarm, miss)| format!("(false_alarm: {alarm}, missed: {miss})"));
    let premature = prop_oneof![
        text("Revert"),
        (300u32..500).prop_map(|e| format!("Keep(before_remapped: {})", hundredth(e)))
    ];
    let costs = own("problem.cycle").zip(own("problem.remap")).filter(|_| pays);
    let costs = match costs {
        Some((cycle, remap)) => {
            prop_oneof![Just((cycle.to_owned(), remap.to_owned())), self::costs()].boxed()
        }
        None => self::costs(),
    };
    let premature = field(own("problem.premature"), premature.boxed());
    let law_and_hazard = prop_oneof![3 => constant, 1 => varying];
    (law_and_hazard, costs, field(own("problem.detector"), detector.boxed()), premature)
        .prop_map(|((lifetime, hazard), (cycle, remap), detector, premature)| {
            let fields = [
                ("lifetime", lifetime),
                ("cycle", cycle),
                ("remap", remap),
                ("detector", detector),
                ("hazard", hazard),
                ("premature", premature),
            ];
            deck("PhaseChange", &fields)
        })
        .boxed()
}

/// The most steps of a random program.
const LONGEST: u64 = 7;

fn constant_hazard(hazard: String) -> String {
    format!("Constant({hazard})")
}

pub(crate) fn lifetime() -> BoxedStrategy<String> {
    let range = (0..=LONGEST, 0..=LONGEST).prop_map(|(a, b)| (a.min(b), a.max(b)));
    prop_oneof![
        3 => (0..=LONGEST).prop_map(|last| format!("Fixed({last})")),
        1 => range.clone().prop_map(|(a, b)| format!("Uniform(first: {a}, last: {b})")),
        1 => (range, hundredths(1..=99))
            .prop_map(|((a, b), rate)| format!("Geometric(rate: {rate}, first: {a}, last: {b})")),
        3 => weights(0..LONGEST as i64 + 1, 4).prop_map(|w| format!("Pmf({})", law(&w))),
    ]
    .boxed()
}

/// Cycle times and delays. The times after the change differ by a gain; delays are a few gains.
fn costs() -> BoxedStrategy<(String, String)> {
    (0u32..30, 1u32..30, 0u32..30, 0u32..30, any::<bool>())
        .prop_map(|(before, gain, remapped, quarters, split)| {
            let (tenth, delay) = (|k: u32| hundredth(10 * k), 2 * gain * quarters);
            let (test, install) = if split { (delay - delay / 3, delay / 3) } else { (delay, 0) };
            let cycle = format!(
                "(before: {}, after: {}, remapped: {})",
                tenth(before),
                tenth(remapped + gain),
                tenth(remapped)
            );
            let remap = format!("(test: {}, install: {})", hundredth(test), hundredth(install));
            (cycle, remap)
        })
        .boxed()
}

/// The number of steps from the end for an enumeration of all branches.
pub(crate) const BRANCHES: usize = 5;

pub(crate) fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// A fraction where it is short, and otherwise a decimal.
pub(crate) fn show(value: &Rational) -> String {
    let text = value.to_string();
    if text.len() <= 12 { text } else { format!("{:.6}", value.to_f64().value()) }
}

/// Whether bounds contain an exact number.
pub(crate) fn inside(name: &str, exact: &Rational, bounds: Bounds) -> Verdict {
    let number = |x: f64| Rational::try_from(x).unwrap_or(Rational::ZERO);
    let holds = number(bounds.lower) <= *exact && *exact <= number(bounds.upper);
    Verdict::holds_if(holds, || format!("{name} = {} is not in {bounds:?}", show(exact)))
}

/// A detector half of whose observations are replaced by fair random ones.
pub(crate) fn mixed(detector: &Levels) -> Levels {
    let levels = detector.levels();
    let fair = Rational::ONE / Rational::from(levels.len());
    let mix = |read: fn(&Level) -> &Rational| {
        levels.iter().map(|level| (read(level) + &fair) / Rational::from(2)).collect()
    };
    let mixed = Levels::new(mix(|level| &level.before), mix(|level| &level.after));
    mixed.expect("means of laws are laws")
}
