//! What is proved of single states, against value iteration over all load vectors.

use remap_checker::{
    Budget, Checked, Decision, Evidence, Interval, Model, Proof, Refusal, certificate, check_within,
};
use std::path::Path;

const SCALE: f64 = (1u64 << 50) as f64;
const RHO: f64 = 2.3;

/// Up and down at each level, from 0.
type Chain = (Vec<f64>, Vec<f64>);

struct Problem {
    chains: Vec<Chain>,
    after: &'static str,
    states: Vec<Vec<i64>>,
    psi: Vec<f64>,
    value: Vec<f64>,
    /// Costs of going on, and of remapping.
    go: Vec<f64>,
    remap: f64,
}

fn walk(levels: usize, up: f64, down: f64) -> Chain {
    let (mut ups, mut downs) = (vec![up; levels], vec![down; levels]);
    (ups[levels - 1], downs[0]) = (0.0, 0.0);
    (ups, downs)
}

impl Problem {
    fn new(chains: Vec<Chain>, after: &'static str) -> Problem {
        let mut states = vec![vec![]];
        for (up, _) in &chains {
            let more = |loads: &Vec<i64>, level: i64| [&loads[..], &[level]].concat();
            states =
                states.iter().flat_map(|l| (0..up.len() as i64).map(move |z| more(l, z))).collect();
        }
        let cost = |loads: &Vec<i64>| {
            let mean = loads.iter().sum::<i64>() as f64 / loads.len() as f64;
            loads.iter().map(|load| *load as f64 - mean).fold(0.0, f64::max)
        };
        let psi: Vec<f64> = states.iter().map(cost).collect();
        let (value, go, remap) = (vec![0.0; states.len()], Vec::new(), RHO);
        let mut problem = Problem { chains, after, states, psi, value, go, remap };
        for _ in 0..4000 {
            let ahead = problem.expect();
            let mean = problem.value.iter().sum::<f64>() / ahead.len() as f64;
            problem.remap = if after == "Stop" { RHO } else { RHO + mean };
            problem.go = ahead.iter().zip(&problem.psi).map(|(a, psi)| a + psi).collect();
            let best = |s: usize| {
                if problem.is_balanced(s) { 0.0 } else { problem.go[s].min(problem.remap) }
            };
            problem.value = (0..ahead.len()).map(best).collect();
        }
        problem
    }

    fn is_balanced(&self, s: usize) -> bool {
        self.psi[s] < 1e-9
    }

    fn expect(&self) -> Vec<f64> {
        let (mut value, mut stride) = (self.value.clone(), self.value.len());
        for (up, down) in &self.chains {
            stride /= up.len();
            let mean = |s: usize| {
                let z = s / stride % up.len();
                let above = if up[z] > 0.0 { up[z] * value[s + stride] } else { 0.0 };
                let below = if down[z] > 0.0 { down[z] * value[s - stride] } else { 0.0 };
                above + below + (1.0 - up[z] - down[z]) * value[s]
            };
            value = (0..value.len()).map(mean).collect();
        }
        value
    }

    fn of(&self, loads: &[i64]) -> f64 {
        self.value[self.states.iter().position(|state| state == loads).unwrap()]
    }

    fn check(&self, evidence: impl Fn(&Model) -> Evidence) -> Result<Checked, Refusal> {
        let chain = |(up, down): &Chain| format!("BirthDeath(up: {up:?}, down: {down:?})");
        let chains: Vec<String> = self.chains.iter().map(chain).collect();
        let text = format!(
            "Model(title: \"a title\", problem: Stopping(processes: Distinct([{}]), remap_cost: {RHO}, after_remap: {}))",
            chains.join(", "),
            self.after
        );
        let model = Model::read(&text, Path::new(""))?;
        let evidence = evidence(&model);
        let bytes = certificate(&text, &evidence, &model.prove(&evidence)?);
        check_within(&text, Path::new(""), &bytes, &Budget::default())
    }

    /// Both values of all states, so far from the truth.
    fn whole(&self, model: &Model, away: f64) -> Evidence {
        let Model::Stopping(model) = model else { panic!() };
        let mut last = 0;
        let run = |_, loads: &[i64]| {
            let value = self.of(loads);
            let low = (value * (1.0 - away) * SCALE) as i64;
            let step = low - std::mem::replace(&mut last, low);
            Ok((1, step, (value * (1.0 + away) * SCALE) as u64 - low as u64))
        };
        Evidence::Stopping(50, model.space().unwrap().each(run).unwrap())
    }

    /// What is saved where something is, those of equal processes ascending.
    fn region(&self, away: f64) -> Evidence {
        let ascending = |s: &&Vec<i64>| {
            let equal = |i: usize, j: usize| self.chains[i] == self.chains[j] && s[i] > s[j];
            !(0..s.len()).any(|j| (0..j).any(|i| equal(i, j)))
        };
        let saves = self.states.iter().filter(ascending).filter(|s| self.of(s) < RHO - 1e-12);
        let entry = |loads: &Vec<i64>| {
            let most = ((RHO - self.of(loads) * (1.0 - away)) * SCALE) as u64 + 1;
            let least = ((RHO - self.of(loads) * (1.0 + away)) * SCALE) as u64;
            (loads.clone(), most, most - least)
        };
        Evidence::Region(50, saves.map(entry).collect())
    }

    /// Each load vector, in whatever order its loads stand.
    fn agrees(&self, checked: &Checked) {
        let (mut counts, mut largest) = ([0.0; 4], 0.0f64);
        for (s, loads) in self.states.iter().enumerate() {
            let (decision, bounds) = checked.state(loads, s).unwrap();
            let right = match (self.is_balanced(s), self.go[s] < self.remap) {
                (true, _) => Decision::Balanced,
                (_, true) => Decision::Continue,
                _ => Decision::Remap,
            };
            assert_eq!(decision, right, "{loads:?}");
            counts[decision as usize] += 1.0;
            largest = largest.max(self.value[s]);
            let value = self.value[s];
            let Interval { lower, upper } = bounds;
            let inside = lower <= value + 1e-12 && value - 1e-12 <= upper;
            assert!(inside && upper - lower < 1e-9, "{loads:?}: [{lower}, {upper}] {value}");
        }
        let Proof::Map { vectors: Some(vectors), largest_value, .. } = &checked.proof else {
            panic!()
        };
        let given = [vectors.balanced, vectors.remap, vectors.continued, vectors.either];
        assert_eq!(given.map(|own| own.lower), counts);
        assert_eq!(given.map(|own| own.upper), counts);
        assert!(largest_value.lower <= largest + 1e-12 && largest - 1e-12 <= largest_value.upper);
        assert!(largest_value.upper - largest_value.lower < 1e-9);
        assert_eq!(checked.title, "a title");
        // What is no load vector has no decision.
        let first = &self.states[0];
        for none in [vec![], first[1..].to_vec(), [&first[..], &[0]].concat()] {
            assert!(checked.state(&none, 0).is_none());
        }
        for load in [-1, 40, i64::MIN, i64::MAX] {
            let mut other = first.clone();
            other[0] = load;
            assert!(checked.state(&other, 0).is_none(), "{load}");
        }
    }
}

#[test]
fn decisions_and_values_of_states_are_those_of_value_iteration() {
    let (a, b) = (walk(4, 0.3, 0.2), walk(3, 0.125, 0.5));
    for chains in [
        vec![a.clone(), a.clone(), a.clone()],
        vec![b.clone(), a.clone(), b.clone(), a.clone()],
        vec![a.clone(), b.clone()],
    ] {
        for after in ["Stop", "Uniform"] {
            let problem = Problem::new(chains.clone(), after);
            problem.agrees(&problem.check(|model| problem.whole(model, 1e-11)).unwrap());
            if after == "Stop" {
                problem.agrees(&problem.check(|_| problem.region(1e-11)).unwrap());
            }
        }
    }
}

/// Coarse bounds leave decisions open, and never give a wrong one.
#[test]
fn what_coarse_bounds_decide_is_right() {
    let problem = Problem::new(vec![walk(5, 0.3, 0.2); 3], "Stop");
    let mut open = 0;
    for away in [1e-4, 1e-2, 0.1, 0.3] {
        for checked in [
            problem.check(|model| problem.whole(model, away)).unwrap(),
            problem.check(|_| problem.region(away)).unwrap(),
        ] {
            for (s, loads) in problem.states.iter().enumerate() {
                let (decision, bounds) = checked.state(loads, s).unwrap();
                match decision {
                    Decision::Balanced => assert!(problem.is_balanced(s)),
                    Decision::Remap => assert!(problem.go[s] >= problem.remap - 1e-9),
                    Decision::Continue => assert!(problem.go[s] <= problem.remap + 1e-9),
                    Decision::Either => open += 1,
                }
                let value = problem.value[s];
                assert!(bounds.lower <= value + 1e-9 && value - 1e-9 <= bounds.upper);
            }
        }
    }
    assert!(open > 0);
}

#[test]
fn nothing_is_proved_of_states_where_costs_go_on_for_ever() {
    let mut problem = Problem::new(vec![walk(3, 0.3, 0.2); 2], "Stop");
    problem.after = "Restart";
    let checked = problem.check(|model| problem.whole(model, 0.0)).unwrap();
    assert!(matches!(checked.proof, Proof::Average(_)));
    assert!(checked.state(&[0, 0], 0).is_none());
}
