//! The claims about recurring phases, and what checks them.

use super::lemmas::{BRANCHES, Case};
use crate::problems::phase_change::lemmas::{inside, mixed, ratio, show, tail_law};
use crate::proving::Truth::{Fails, Theorem};
use crate::proving::{Claim, Verdict};
use remapping::Rational;
use remapping::phase_change::exact as one_change;
use remapping::phase_change::{Hazard, PhaseChange, Premature};
use remapping::phase_switching::evaluation::{Beliefs, Fineness, TwoThresholds, evaluate};
use remapping::phase_switching::exact;
use remapping::phase_switching::{self, PhaseSwitching};

pub(super) const CLAIMS: &[Claim<Case>] = &[
    Claim {
        statement: "under either mapping the switch is cheaper on one side of one threshold (phases last, each \
                    mapping suits its phase)",
        source: "ours, for [NR86, section X]",
        truth: Theorem,
        check: one_threshold_each,
    },
    Claim {
        statement: "going back takes no more belief than going: there is room between the thresholds",
        source: "ours",
        truth: Theorem,
        check: hysteresis,
    },
    Claim {
        statement: "the costs of either mapping and the optimum are concave in p",
        source: "as [NR90, Lemma 1]",
        truth: Theorem,
        check: concave,
    },
    Claim {
        statement: "the optimum is that of following every report",
        source: "the recursion",
        truth: Theorem,
        check: every_branch,
    },
    Claim {
        statement: "phases and mappings may trade names: thresholds become 1 less the other's",
        source: "symmetry",
        truth: Theorem,
        check: mirrored,
    },
    Claim {
        statement: "without a way back and a return of the phase it is the change of phase with lasting remaps",
        source: "[NR90, footnote 2]",
        truth: Theorem,
        check: one_change_in_the_limit,
    },
    Claim {
        statement: "thresholds depend on gains and costs of switches up to a common factor alone",
        source: "normal form",
        truth: Theorem,
        check: normal_form,
    },
    Claim {
        statement: "a detector whose reports are mixed with coin tosses is worth no more",
        source: "Blackwell",
        truth: Theorem,
        check: noise_never_helps,
    },
    Claim {
        statement: "no policy with re-based beliefs costs less than the optimum",
        source: "[NR86, section X]",
        truth: Theorem,
        check: rebasing_costs_no_less,
    },
    Claim {
        statement: "the certified bounds of all thresholds and of the value contain the exact ones",
        source: "remap solve",
        truth: Theorem,
        check: certified_bounds,
    },
    Claim {
        statement: "the second mapping is taken only where its phase is the likelier",
        source: "a natural guess",
        truth: Fails(EAGER),
        check: likelier_only,
    },
];

/// A cheap switch that gains much in one phase and loses little in the other.
const EAGER: &str = "Model(title: \"Eager\", problem: PhaseSwitching(lifetime: Fixed(4),
    cycle: (first: (own: 1.0, other: 1.1), second: (own: 1.0, other: 3.0)),
    switch: (to_second: 0.1, to_first: 0.1), rates: (to_second: 0.1, to_first: 0.1),
    detector: (false_alarm: 0.2, missed: 0.2)))";

fn one_threshold_each(case: &Case) -> Verdict {
    let holds = |n: u64, p: &Rational| {
        let [first, second] = case.keep(n, p);
        let gains = first - second;
        let (up, down) = (&case.exact.to_second[n as usize], &case.exact.to_first[n as usize]);
        let goes = case.problem.switch[0].as_ref().is_some_and(|cost| gains > *cost);
        let returns = case.problem.switch[1].as_ref().is_some_and(|cost| gains < -cost.clone());
        // At the edge itself, a threshold there does not decide.
        let at_edge = |threshold: &Rational, edge: &Rational| p == threshold && p == edge;
        (goes == (p > up) || at_edge(up, &Rational::ZERO))
            && (returns == (p < down) || at_edge(down, &Rational::ONE))
    };
    case.at_probes(holds, "the cheaper mapping is not that of the thresholds")
}

fn hysteresis(case: &Case) -> Verdict {
    let pairs = case.exact.to_second.iter().zip(&case.exact.to_first).enumerate();
    Verdict::all(pairs.map(|(n, (up, down))| {
        Verdict::holds_if(down <= up, || {
            format!("step {n}: back below {}, to above {}", show(down), show(up))
        })
    }))
}

fn concave(case: &Case) -> Verdict {
    let triples = [(0, 12, 1), (0, 12, 2), (1, 11, 1), (4, 9, 2)];
    Verdict::all(case.steps().flat_map(|n| triples.map(|t| (n, t))).map(|(n, (a, b, third))| {
        let share = ratio(third, 3);
        let (p, q) = (ratio(a, 12), ratio(b, 12));
        let blend = |x: &Rational, y: &Rational| (Rational::ONE - &share) * x + &share * y;
        let middle = blend(&p, &q);
        let above = |f: &dyn Fn(&Rational) -> [Rational; 2]| {
            let [left, right, between] = [&p, &q, &middle].map(f);
            (0..2).all(|m| between[m] >= blend(&left[m], &right[m]))
        };
        let holds = above(&|p| case.keep(n, p)) && above(&|p| case.value(n, p));
        Verdict::holds_if(holds, || format!("step {n}, between p = {} and {}", show(&p), show(&q)))
    }))
}

fn every_branch(case: &Case) -> Verdict {
    // From step 0 there are too many branches in long programs: the last steps are a program of
    // their own.
    let length = case.last().min(BRANCHES);
    let lifetime = tail_law(&case.lifetime, case.last() - length);
    let Ok(exact) = exact::solve(&case.problem, &lifetime, 400, &()) else {
        return Verdict::Silent;
    };
    let own = Case { problem: case.problem.clone(), lifetime, exact };
    let value = own.value(0, &own.problem.initial)[0].clone();
    Verdict::holds_if(value == own.exact.value, || {
        format!("{} instead of {}", show(&own.exact.value), show(&value))
    })
}

fn mirrored(case: &Case) -> Verdict {
    let turned = |list: &[Rational; 2]| [list[1].clone(), list[0].clone()];
    let problem = &case.problem;
    let other = PhaseSwitching {
        cycle: [turned(&problem.cycle[1]), turned(&problem.cycle[0])],
        switch: [problem.switch[1].clone(), problem.switch[0].clone()],
        rates: turned(&problem.rates),
        detector: problem.detector.exchanged(),
        initial: Rational::ONE - &problem.initial,
    };
    let Some(other) = case.thresholds_of(&other) else { return Verdict::Silent };
    let one = &case.exact;
    let same = |own: &[Rational], others: &[Rational]| {
        own.iter().zip(others).all(|(own, other)| *own == Rational::ONE - other)
    };
    let holds = same(&one.to_second, &other.to_first) && same(&one.to_first, &other.to_second);
    Verdict::holds_if(holds, || "the thresholds are not mirrored".to_owned())
}

fn one_change_in_the_limit(case: &Case) -> Verdict {
    let problem = &case.problem;
    let Some(cost) = problem.switch[0].clone() else { return Verdict::Silent };
    let one_way = PhaseSwitching {
        switch: [Some(cost.clone()), None],
        rates: [problem.rates[0].clone(), Rational::ZERO],
        initial: Rational::ZERO,
        ..problem.clone()
    };
    let [[before, before_remapped], [after, remapped]] = problem.cycle.clone();
    let change = PhaseChange {
        lifetime: case.lifetime.clone(),
        hazard: Hazard::Constant(problem.rates[0].clone()),
        before,
        after,
        remapped,
        test: cost,
        install: Rational::ZERO,
        detector: problem.detector.clone(),
        premature: Premature::Keep { before_remapped },
    };
    let (Some(two), Ok(one)) = (case.thresholds_of(&one_way), one_change::solve(&change, 400, &()))
    else {
        return Verdict::Silent;
    };
    let differs = one.steps.iter().zip(&two.to_second).position(|(one, two)| one.threshold != *two);
    let values = two.value == one.value();
    Verdict::holds_if(values && differs.is_none(), || format!("they differ at step {differs:?}"))
}

fn normal_form(case: &Case) -> Verdict {
    let mut other = case.problem.clone();
    let (factor, first, second) = (ratio(7, 3), ratio(5, 2), ratio(1, 3));
    for (times, more) in other.cycle.iter_mut().zip([first, second]) {
        times.iter_mut().for_each(|time| *time = (&*time + &more) * &factor);
    }
    other.switch.iter_mut().flatten().for_each(|cost| *cost *= &factor);
    let Some(found) = case.thresholds_of(&other) else { return Verdict::Silent };
    let same = found.to_second == case.exact.to_second && found.to_first == case.exact.to_first;
    Verdict::holds_if(same, || "other costs of the same normal form move the thresholds".to_owned())
}

fn noise_never_helps(case: &Case) -> Verdict {
    let detector = mixed(&case.problem.detector);
    let noisy = PhaseSwitching { detector, ..case.problem.clone() };
    let Some(noisy) = case.thresholds_of(&noisy) else { return Verdict::Silent };
    Verdict::holds_if(case.exact.value <= noisy.value, || {
        format!("V = {} is above {}", show(&case.exact.value), show(&noisy.value))
    })
}

fn rebasing_costs_no_less(case: &Case) -> Verdict {
    let never = case.problem.switch[1].is_none();
    let pairs = [[0.5, 0.5], [0.8, 0.2], [0.95, 0.05]]
        .map(|[up, down]| [up, if never { 0.0 } else { down }]);
    if case.problem.switch[0].is_none() {
        return Verdict::Silent;
    }
    let optimum = case.exact.value.to_f64().value();
    Verdict::all(pairs.map(|pair| {
        let policy = TwoThresholds { beliefs: Beliefs::Rebased, thresholds: &[pair] };
        let fineness = Fineness { merge: 0.0, pieces: 1_000_000 };
        let Ok(cost) = evaluate(&case.problem, &case.lifetime, policy, fineness, &()) else {
            return Verdict::Silent;
        };
        let margin = 1e-12 * (1.0 + optimum.abs());
        Verdict::holds_if(cost.upper >= optimum - margin, || {
            format!("p > {} costs {}, the optimum {optimum}", pair[0], cost.upper)
        })
    }))
}

fn certified_bounds(case: &Case) -> Verdict {
    let Ok(solution) = phase_switching::solve(&case.problem, &case.lifetime, 1e-9, &()) else {
        return Verdict::Silent;
    };
    let curves =
        [(&solution.to_second, &case.exact.to_second), (&solution.to_first, &case.exact.to_first)];
    let mut verdicts: Vec<Verdict> = Vec::new();
    for (curve, truth) in curves {
        for (n, truth) in (0..).zip(truth) {
            let Some(bounds) = curve.at(n) else { continue };
            verdicts.push(inside(&format!("the threshold of step {n}"), truth, bounds));
        }
    }
    verdicts.extend(solution.value.map(|bounds| inside("V", &case.exact.value, bounds)));
    Verdict::all(verdicts)
}

fn likelier_only(case: &Case) -> Verdict {
    let half = ratio(1, 2);
    let early = case.exact.to_second.iter().position(|up| *up < half);
    Verdict::holds_if(early.is_none(), || {
        let n = early.unwrap_or_default();
        format!("step {n}: above p = {} already", show(&case.exact.to_second[n]))
    })
}
