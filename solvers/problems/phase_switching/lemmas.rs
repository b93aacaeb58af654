//! Recurring phases: cases of the claims, solved exactly, and the costs of both mappings by
//! following every sequence of observations.

use super::claims::CLAIMS;
use crate::problems::phase_change::lemmas::{lifetime, ratio, show, tail_law};
use crate::problems::registry::{Loaded, Problem};
use crate::proving::decks::{deck, field, hundredth, hundredths, text};
use crate::proving::{Effort, Field, Finding, Verdict};
use proptest::prelude::*;
use remapping::Rational;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::PhaseSwitching;
use remapping::phase_switching::exact::{self, ExactSolution};

/// The last steps of a program, or the first ones of a program without an end, solved exactly.
pub(crate) struct Case {
    pub(super) problem: PhaseSwitching,
    pub(super) lifetime: Lifetime,
    pub(super) exact: ExactSolution,
}

/// The most linear segments of exact functions, the most steps, and the number of steps from the
/// end for an enumeration of all branches.
const MOST_LINES: usize = 60;
const MOST_STEPS: u64 = 12;
pub(super) const BRANCHES: u64 = 4;

pub(crate) fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    let read = |deck: &str| case(&loaded.another(deck)?);
    let field = Field { own: case(loaded), near: near(loaded), read: &read };
    field.examine(CLAIMS, effort)
}

fn case(loaded: &Loaded) -> Option<Case> {
    let Problem::PhaseSwitching(model) = &loaded.problem else { return None };
    let problem = model.problem();
    let of_end = |length: u64| match model.lifetime() {
        None => Lifetime::fixed(length),
        Some(law) => tail_law(&law, law.last() - length.min(law.last())),
    };
    let solved = |length: u64| {
        let lifetime = of_end(length);
        let exact = exact::solve(&problem, &lifetime, MOST_LINES, &()).ok()?;
        Some(Case { problem: problem.clone(), lifetime, exact })
    };
    let lengths = [2, 4, 6, 9, MOST_STEPS].into_iter();
    lengths.map_while(solved).last()
}

/// Random short programs that share some fields with the model.
fn near(loaded: &Loaded) -> BoxedStrategy<String> {
    let Problem::PhaseSwitching(model) = &loaded.problem else { return text("").boxed() };
    let own = |path: &str| loaded.literal(path).filter(|literal| literal.len() < 500);
    let short = model.lifetime().is_some_and(|law| law.last() <= 7);
    let lifetimes = field(own("problem.lifetime").filter(|_| short), lifetime());
    let times = |own: u32, gain: u32| {
        format!("(own: {}, other: {})", hundredth(10 * own), hundredth(10 * (own + gain)))
    };
    let cycle = (0u32..30, 0u32..20, 0u32..30, 0u32..20)
        .prop_map(move |(a, b, c, d)| format!("(first: {}, second: {})", times(a, b), times(c, d)));
    let switch = (0u32..30, prop::option::weighted(0.9, 0u32..30)).prop_map(|(to, back)| {
        let back =
            back.map_or(String::new(), |back| format!(", to_first: {}", hundredth(10 * back)));
        format!("(to_second: {}{back})", hundredth(10 * to))
    });
    let rates = (0u32..=50, 0u32..=50)
        .prop_map(|(a, b)| format!("(to_second: {}, to_first: {})", hundredth(a), hundredth(b)));
    let detector = (hundredths(0..=100), hundredths(0..=100))
        .prop_map(|(alarm, miss)| format!("(false_alarm: {alarm}, missed: {miss})"));
    let rates = field(own("problem.rates"), rates.boxed());
    let detector = field(own("problem.detector"), detector.boxed());
    let cycle = field(own("problem.cycle"), cycle.boxed());
    (lifetimes, cycle, switch, rates, detector, hundredths(0..=100))
        .prop_map(|(lifetime, cycle, switch, rates, detector, initial)| {
            let fields = [
                ("lifetime", lifetime),
                ("cycle", cycle),
                ("switch", switch),
                ("rates", rates),
                ("detector", detector),
                ("initial", initial),
            ];
            deck("PhaseSwitching", &fields)
        })
        .boxed()
}

impl Case {
    pub(super) fn last(&self) -> u64 {
        self.lifetime.last()
    }

    /// The costs of keeping either mapping at step n, over every observation.
    pub(super) fn keep(&self, n: u64, p: &Rational) -> [Rational; 2] {
        let problem = &self.problem;
        let [a, b] = &problem.rates;
        let second = p * (Rational::ONE - b) + (Rational::ONE - p) * a;
        let first = Rational::ONE - &second;
        let mut ahead = [Rational::ZERO, Rational::ZERO];
        let survival = self.lifetime.continuation_exact(n);
        for level in problem.detector.levels() {
            let (yes, no) = (&second * &level.after, &first * &level.before);
            let chance = &yes + no;
            if survival > Rational::ZERO && chance > Rational::ZERO {
                let next = self.value(n + 1, &(yes / &chance));
                for (sum, value) in ahead.iter_mut().zip(next) {
                    *sum += &chance * value;
                }
            }
        }
        [0, 1].map(|m: usize| {
            let [first, second] = [&problem.cycle[0][m], &problem.cycle[1][m]];
            (Rational::ONE - p) * first + p * second + &survival * &ahead[m]
        })
    }

    /// The optimum under either mapping.
    pub(super) fn value(&self, n: u64, p: &Rational) -> [Rational; 2] {
        let keep = self.keep(n, p);
        [0, 1].map(|m: usize| match &self.problem.switch[m] {
            Some(cost) => keep[m].clone().min(&keep[1 - m] + cost),
            None => keep[m].clone(),
        })
    }

    /// The steps from which every branch is enumerated.
    pub(super) fn steps(&self) -> std::ops::RangeInclusive<u64> {
        self.last().saturating_sub(BRANCHES)..=self.last()
    }

    pub(super) fn at_probes(
        &self,
        check: impl Fn(u64, &Rational) -> bool,
        otherwise: &str,
    ) -> Verdict {
        let points: Vec<Rational> = (0..=12).map(|k| ratio(k, 12)).collect();
        Verdict::all(self.steps().flat_map(|n| points.iter().map(move |p| (n, p))).map(|(n, p)| {
            Verdict::holds_if(check(n, p), || format!("step {n}, p = {}: {otherwise}", show(p)))
        }))
    }

    pub(super) fn thresholds_of(&self, problem: &PhaseSwitching) -> Option<ExactSolution> {
        exact::solve(problem, &self.lifetime, 400, &()).ok()
    }
}
