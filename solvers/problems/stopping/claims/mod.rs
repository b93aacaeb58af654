//! The claims of \[YXW03\] about optimal stopping, and their consequences.

mod iteration;

use self::iteration::{a_power_contracts, iterates_enclose, one_sweep_contracts};
use super::lemmas::{Case, Solved};
use crate::proving::Truth::{Fails, Theorem};
use crate::proving::brute_force::exact_stopping;
use crate::proving::{Claim, Verdict};
use remapping::chain::{BirthDeath, Edge};
use remapping::stopping::{AfterRemap, Method, ProcessChain};
use remapping::{Bounds, Rational};

pub(crate) const CLAIMS: &[Claim<Case>] = &[
    Claim {
        statement: "the certified bounds contain the solution of policy iteration in fractions",
        source: "[YXW03, (14)], remap solve",
        truth: Theorem,
        check: encloses_exact,
    },
    Claim {
        statement: "value iteration, policy iteration and their mixture give one J",
        source: "[YXW03, Propositions 4.5 and 4.6]",
        truth: Theorem,
        check: methods_agree,
    },
    Claim {
        statement: "value iteration rises from 0, falls from above, and encloses J",
        source: "[YXW03, Proposition 4.6]",
        truth: Theorem,
        check: iterates_enclose,
    },
    Claim {
        statement: "where every state can reach balance, some power of P off balance contracts",
        source: "[YXW03, Lemma 4.1]",
        truth: Theorem,
        check: a_power_contracts,
    },
    Claim {
        statement: "J is at most what remapping costs in all, and 0 exactly where balanced",
        source: "[YXW03, section 4]",
        truth: Theorem,
        check: at_most_a_remap,
    },
    Claim {
        statement: "a dearer remap is used in fewer states; J rises with its cost, concavely, by at \
                    most as much",
        source: "minimum over policies",
        truth: Theorem,
        check: nested_and_concave,
    },
    Claim {
        statement: "one remaps only where psi >= R P(balanced next)",
        source: "one step ahead",
        truth: Theorem,
        check: no_hasty_remap,
    },
    Claim {
        statement: "Uniform at rho is Stop at rho + sum(J)/|M|",
        source: "[YXW03, section 5]",
        truth: Theorem,
        check: uniform_is_stop,
    },
    Claim {
        statement: "equal processes may be exchanged: J on multisets is J on load vectors",
        source: "exchangeability",
        truth: Theorem,
        check: lumping_is_exact,
    },
    Claim {
        statement: "the operator applied mode by mode is the Kronecker product of the chains",
        source: "[YXW03, section 3]",
        truth: Theorem,
        check: kronecker,
    },
    Claim {
        statement: "one sweep of value iteration contracts in the maximum norm",
        source: "a natural guess from [YXW03, Proposition 4.6]",
        truth: Fails(PAPER_5),
        check: one_sweep_contracts,
    },
    Claim {
        statement: "J of two equal processes depends on the difference of their loads alone",
        source: "a natural guess from [YXW03, Fig. 4]",
        truth: Fails(PAPER_5),
        check: difference_decides,
    },
    Claim {
        statement: "moving a unit from a fuller to an emptier process never raises J (three or more)",
        source: "a natural guess: Schur convexity",
        truth: Fails(THREE),
        check: schur_convex,
    },
    Claim {
        statement: "remap cost 4 has the decision map of costs 2 and 3",
        source: "[YXW03, section 5, Fig. 4]",
        truth: Fails(PAPER_5),
        check: cost_four,
    },
];

const PAPER_5: &str = include_str!("../../../models/stopping/yin_xu_wang.ron");
const THREE: &str = include_str!("../../../models/counterexamples/three_processes.ron");

/// The most states for computations with fractions.
const MOST_EXACT: usize = 36;

fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap_or(Rational::ZERO)
}

fn at(solved: &Solved, state: usize) -> String {
    format!("at loads {:?}", solved.states.loads(state))
}

fn encloses_exact(case: &Case) -> Verdict {
    let Some((states, problem)) = case.problem(false, case.rho, case.after) else {
        return Verdict::Silent;
    };
    let rows = problem.transition_rows();
    // Entries that doubles round have denominators that make the fractions grow too large.
    let short = |p: &f64| (p * f64::from(1 << 16)).fract() == 0.0;
    if problem.states() > MOST_EXACT || case.rho == 0.0 || !rows.iter().flatten().all(short) {
        return Verdict::Silent;
    }
    let rows: Vec<Vec<Rational>> =
        rows.iter().map(|row| row.iter().map(|p| rational(*p)).collect()).collect();
    let uniform = case.after == AfterRemap::Uniform;
    let (j, remap) = exact_stopping(&rows, problem.running(), &rational(case.rho), uniform);
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let Bounds { lower: low, upper: high } = solved.solution.remap_bounds();
    let inside = rational(low) <= remap && remap <= rational(high);
    let mut verdicts =
        vec![Verdict::holds_if(inside, || format!("R = {remap} is not in [{low}, {high}]"))];
    verdicts.extend(j.iter().enumerate().map(|(place, exact)| {
        let loads = states.loads(place);
        let Some(state) = solved.states.find(&loads) else { return Verdict::Silent };
        let Bounds { lower: low, upper: high } = solved.solution.bounds(state);
        let value = exact.to_f64().value();
        let inside = rational(low) <= *exact && *exact <= rational(high);
        Verdict::holds_if(inside, || format!("J = {value} is not in [{low}, {high}] at {loads:?}"))
    }));
    Verdict::all(verdicts)
}

fn methods_agree(case: &Case) -> Verdict {
    let solve = |method| case.solve(true, case.rho, case.after, method);
    let [Some(auto), Some(value), Some(policy)] =
        [Method::Auto, Method::Value, Method::Policy].map(solve)
    else {
        return Verdict::Silent;
    };
    let slack = auto.slack();
    Verdict::all((0..auto.problem.states()).map(|s| {
        let all = [&auto, &value, &policy].map(|solved| solved.solution.value(s));
        let same = all.iter().all(|j| (j - all[0]).abs() <= slack);
        Verdict::holds_if(same, || format!("J is {all:?} {}", at(&auto, s)))
    }))
}

fn at_most_a_remap(case: &Case) -> Verdict {
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let remap = solved.solution.remap_value;
    Verdict::all((0..solved.problem.states()).map(|s| {
        let (j, psi) = (solved.solution.value(s), solved.problem.running()[s]);
        let right = (0.0..=remap + solved.slack()).contains(&j)
            && ((j == 0.0) == (psi == 0.0) || case.rho == 0.0);
        Verdict::holds_if(right, || format!("J = {j}, R = {remap} {}", at(&solved, s)))
    }))
}

fn nested_and_concave(case: &Case) -> Verdict {
    let step = 0.25 * case.rho.max(1.0);
    let solve = |k: f64| case.solve(true, case.rho + k * step, AfterRemap::Stop, Method::Auto);
    let [Some(low), Some(middle), Some(high)] = [0.0, 1.0, 2.0].map(solve) else {
        return Verdict::Silent;
    };
    let slack = high.slack();
    Verdict::all((0..low.problem.states()).map(|s| {
        let [a, b, c] = [&low, &middle, &high].map(|solved| solved.solution.value(s));
        let rises = a <= b + slack && b <= c + slack;
        let lipschitz = b - a <= step + slack && c - b <= step + slack;
        let concave = b - a >= c - b - slack;
        let nested = middle.letter(s) != 'R' || low.letter(s) != 'C';
        let shown = || format!("J is {a}, {b}, {c} at costs {step} apart {}", at(&low, s));
        Verdict::holds_if(rises && lipschitz && concave && nested, shown)
    }))
}

fn no_hasty_remap(case: &Case) -> Verdict {
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let (_, operator) = case.states(true);
    let running = solved.problem.running();
    let balanced: Vec<f64> =
        running.iter().map(|psi| if *psi == 0.0 { 1.0 } else { 0.0 }).collect();
    let mut absorbed = balanced.clone();
    operator.apply_into(&balanced, &mut absorbed);
    let remap = solved.solution.remap_value;
    Verdict::all((0..running.len()).map(|s| match solved.letter(s) {
        'R' => Verdict::holds_if(running[s] >= remap * absorbed[s] - solved.slack(), || {
            format!("psi = {}, R P = {} {}", running[s], remap * absorbed[s], at(&solved, s))
        }),
        _ => Verdict::Holds,
    }))
}

fn uniform_is_stop(case: &Case) -> Verdict {
    let Some(uniform) = case.solve(true, case.rho, AfterRemap::Uniform, Method::Auto) else {
        return Verdict::Silent;
    };
    let total = uniform.solution.remap_value;
    let Some(stop) = case.solve(true, total, AfterRemap::Stop, Method::Auto) else {
        return Verdict::Silent;
    };
    Verdict::all((0..stop.problem.states()).map(|s| {
        let (a, b) = (stop.solution.value(s), uniform.solution.value(s));
        let same = (a - b).abs() <= 1e-7 * total.max(1.0);
        Verdict::holds_if(same, || format!("J is {b} and {a} {}", at(&stop, s)))
    }))
}

fn lumping_is_exact(case: &Case) -> Verdict {
    let Some(lumped) = case.solved().filter(|solved| solved.states.is_lumped()) else {
        return Verdict::Silent;
    };
    let Some(full) = case.solve(false, case.rho, case.after, Method::Auto) else {
        return Verdict::Silent;
    };
    Verdict::all((0..full.problem.states()).map(|s| {
        let (a, b) = (full.solution.value(s), lumped.value(&full.states.loads(s)));
        let same = (a - b).abs() <= full.slack();
        Verdict::holds_if(same, || format!("J is {a} and {b} {}", at(&full, s)))
    }))
}

fn kronecker(case: &Case) -> Verdict {
    let (states, operator) = case.states(false);
    if case.processes.is_empty() || states.count() > 400 {
        return Verdict::Silent;
    }
    let product = case.processes.iter().fold(vec![vec![1.0]], |all, process| {
        let rows = process.chain.rows();
        let pairs = all.iter().flat_map(|a| rows.iter().map(move |b| (a, b)));
        let row = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect::<Vec<f64>>()
        };
        pairs.map(row).collect()
    });
    let v: Vec<f64> = (0..states.count()).map(|s| ((s * s + 1) as f64).sqrt()).collect();
    let mut image = v.clone();
    operator.apply_into(&v, &mut image);
    Verdict::all(product.iter().zip(&image).enumerate().map(|(s, (row, found))| {
        let expected: f64 = row.iter().zip(&v).map(|(p, v)| p * v).sum();
        let same = (found - expected).abs() <= 1e-12 * (1.0 + expected);
        Verdict::holds_if(same, || format!("{found} instead of {expected} in row {s}"))
    }))
}

fn difference_decides(case: &Case) -> Verdict {
    if case.processes.len() != 2 || !case.exchangeable(0, 1) {
        return Verdict::Silent;
    }
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let lowest = case.processes[0].lowest;
    let levels = solved.states.shape()[0] as i64;
    Verdict::all((1..levels).flat_map(|gap| (1..levels - gap).map(move |i| (gap, i))).map(
        |(gap, i)| {
            let [first, other] = [0, i].map(|i| [lowest + i + gap, lowest + i]);
            let (a, b) = (solved.value(&first), solved.value(&other));
            let shown = || format!("J is {a:.6} at {first:?} and {b:.6} at {other:?}");
            Verdict::holds_if((a - b).abs() <= 10.0 * solved.slack(), shown)
        },
    ))
}

fn schur_convex(case: &Case) -> Verdict {
    let count = case.processes.len();
    if count < 3 || !(1..count).all(|i| case.exchangeable(0, i)) {
        return Verdict::Silent;
    }
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let pairs: Vec<_> = (0..count).flat_map(|i| (0..count).map(move |j| (i, j))).collect();
    let states = (0..solved.states.count()).map(|s| solved.states.loads(s));
    Verdict::all(
        states.flat_map(|loads| pairs.iter().map(move |&(i, j)| (loads.clone(), i, j))).map(
            |(loads, i, j)| {
                if loads[i] < loads[j] + 2 {
                    return Verdict::Silent;
                }
                let mut evener = loads.clone();
                (evener[i], evener[j]) = (loads[i] - 1, loads[j] + 1);
                let (a, b) = (solved.value(&loads), solved.value(&evener));
                let shown = || format!("J is {a:.6} at {loads:?} and {b:.6} at {evener:?}");
                Verdict::holds_if(b <= a + 10.0 * solved.slack(), shown)
            },
        ),
    )
}

fn cost_four(case: &Case) -> Verdict {
    let paper = BirthDeath::walk(6, 0.25, 0.25, Edge::Reflect).ok().map(ProcessChain::BirthDeath);
    let is_paper = case.processes.len() == 2
        && case.processes.iter().all(|process| Some(&process.chain) == paper.as_ref())
        && case.exchangeable(0, 1)
        && case.after == AfterRemap::Uniform;
    if !is_paper {
        return Verdict::Silent;
    }
    let solve = |rho| case.solve(true, rho, AfterRemap::Uniform, Method::Auto);
    let [Some(three), Some(four)] = [3.0, 4.0].map(solve) else { return Verdict::Silent };
    Verdict::all((0..four.problem.states()).map(|s| {
        let (a, b) = (three.letter(s), four.letter(s));
        Verdict::holds_if(a == b, || format!("{a} at cost 3, {b} at cost 4 {}", at(&four, s)))
    }))
}
