//! What is proved of single states, against value iteration over all load vectors.

use crate::shared::{by_steps, text};
use remap_checker::{
    Budget, Checked, Decision, Entry, Evidence, Interval, Model, Proof, Refusal, certificate,
    check_within,
};
use std::path::Path;

const SCALE: f64 = (1u64 << 50) as f64;
const RHO: f64 = 2.3;

/// The lowest load of a process, and up and down at each level.
pub type Chain = (i64, Vec<f64>, Vec<f64>);

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

pub fn walk(lowest: i64, levels: usize, up: f64, down: f64) -> Chain {
    let (mut ups, mut downs) = (vec![up; levels], vec![down; levels]);
    (ups[levels - 1], downs[0]) = (0.0, 0.0);
    (lowest, ups, downs)
}

/// A problem of processes with these chains.
pub fn written(chains: &[Chain], rho: f64, after: &str) -> String {
    let chain = |(lowest, up, down): &Chain| {
        format!("BirthDeath(lowest: {lowest}, up: {up:?}, down: {down:?})")
    };
    let chains = Vec::from_iter(chains.iter().map(chain)).join(", ");
    format!("Stopping(processes: Distinct([{chains}]), remap_cost: {rho}, after_remap: {after})")
}

impl Problem {
    fn new(chains: Vec<Chain>, after: &'static str) -> Problem {
        let mut states = vec![vec![]];
        for (lowest, up, _) in &chains {
            let more = |loads: &Vec<i64>, level: i64| [&loads[..], &[lowest + level]].concat();
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
        for (_, up, down) in &self.chains {
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
        let text = text(&written(&self.chains, RHO, self.after));
        let model = Model::read(&text, Path::new(""))?;
        let evidence = evidence(&model);
        let bytes = certificate(&text, &evidence, &model.prove(&evidence)?);
        check_within(&text, Path::new(""), &bytes, &Budget::default())
    }

    /// Both values of all states, so far from the truth.
    fn whole(&self, model: &Model, away: f64) -> Evidence {
        let Model::Stopping(model) = model else { panic!() };
        let both = |_, loads: &[i64]| {
            let value = self.of(loads) * SCALE;
            Ok(((value * (1.0 - away)) as i64, (value * (1.0 + away)) as i64))
        };
        let values = model.space().unwrap().each(both).unwrap();
        Evidence::Stopping(50, by_steps(values).collect())
    }

    /// Whether the loads of equal processes ascend.
    fn is_class(&self, loads: &[i64]) -> bool {
        let falls = |i: usize, j: usize| self.chains[i] == self.chains[j] && loads[i] > loads[j];
        !(0..loads.len()).any(|j| (0..j).any(|i| falls(i, j)))
    }

    /// What is saved where something is, so far from the truth on either side.
    fn entries(&self, low: f64, high: f64) -> Vec<Entry> {
        let classes = self.states.iter().filter(|loads| self.is_class(loads));
        let saves = classes.filter(|loads| self.of(loads) < RHO - 1e-12);
        let entry = |loads: &Vec<i64>| {
            let most = ((RHO - self.of(loads) * (1.0 - low)) * SCALE) as u64 + 1;
            let least = ((RHO - self.of(loads) * (1.0 + high)) * SCALE) as u64;
            (loads.clone(), most, most - least)
        };
        saves.map(entry).collect()
    }

    fn region(&self, entries: Vec<Entry>) -> Result<Checked, Refusal> {
        self.check(|_| Evidence::Region(50, entries.clone()))
    }

    /// Regions that lack a state, or claim too much, prove nothing.
    fn refuses_other_regions(&self) {
        let entries = self.entries(1e-11, 1e-11);
        for skip in 0..entries.len() {
            let mut entries = entries.clone();
            entries.remove(skip);
            assert!(self.region(entries).is_err(), "{skip}");
        }
        if (0..self.states.len()).any(|s| !self.is_balanced(s) && self.go[s] < self.remap) {
            assert!(self.region(self.entries(-1e-11, 1e-11)).is_err());
            assert!(self.region(self.entries(1e-11, -1e-11)).is_err());
        }
    }

    /// Each load vector, in whatever order its loads stand.
    fn agrees(&self, checked: &Checked) {
        let (mut counts, mut of_classes, mut largest) = ([0.0; 4], [0.0; 4], 0.0f64);
        for (s, loads) in self.states.iter().enumerate() {
            let (decision, bounds) = checked.state(loads, s).unwrap();
            let right = match (self.is_balanced(s), self.go[s] < self.remap) {
                (true, _) => Decision::Balanced,
                (_, true) => Decision::Continue,
                _ => Decision::Remap,
            };
            assert_eq!(decision, right, "{loads:?}");
            counts[decision as usize] += 1.0;
            of_classes[decision as usize] += f64::from(u8::from(self.is_class(loads)));
            largest = largest.max(self.value[s]);
            let value = self.value[s];
            let Interval { lower, upper } = bounds;
            let inside = lower <= value + 1e-12 && value - 1e-12 <= upper;
            assert!(inside && upper - lower < 1e-9, "{loads:?}: [{lower}, {upper}] {value}");
        }
        let Proof::Map { classes, vectors: Some(vectors), largest_value, .. } = &checked.proof
        else {
            panic!()
        };
        for (found, counts) in [(vectors, counts), (classes, of_classes)] {
            let given = [found.balanced, found.remap, found.continued, found.either];
            assert_eq!(given.map(|own| own.lower), counts);
            assert_eq!(given.map(|own| own.upper), counts);
        }
        assert!(largest_value.lower <= largest + 1e-12 && largest - 1e-12 <= largest_value.upper);
        assert!(largest_value.upper - largest_value.lower < 1e-9);
        assert_eq!(checked.title, "t");
        // What is no load vector has no decision.
        let first = &self.states[0];
        for none in [vec![], first[1..].to_vec(), [&first[..], &[0]].concat()] {
            assert!(checked.state(&none, 0).is_none());
        }
        for load in [-9, 40, i64::MIN, i64::MAX] {
            let mut other = first.clone();
            other[0] = load;
            assert!(checked.state(&other, 0).is_none(), "{load}");
        }
    }
}

#[test]
fn decisions_and_values_of_states_are_those_of_value_iteration() {
    let (a, b, low) = (walk(0, 4, 0.3, 0.2), walk(0, 3, 0.125, 0.5), walk(-1, 4, 0.3, 0.2));
    // Those at level 1 stay there, and the others never do.
    let odd = (-2, vec![1.0, 0.0, 0.5, 0.0], vec![0.0, 0.0, 0.5, 1.0]);
    let all = [
        vec![a.clone(), a.clone(), a.clone()],
        vec![b.clone(), a.clone(), b.clone(), a.clone()],
        vec![a.clone(), b.clone()],
        vec![low.clone(), low.clone(), b.clone()],
        vec![b.clone(), low.clone(), b.clone(), low.clone()],
        vec![b.clone(), b.clone(), b.clone(), b.clone(), low.clone()],
        vec![low, odd.clone(), odd.clone()],
        vec![odd.clone(), odd.clone(), odd],
        // They cannot be balanced.
        vec![b, walk(5, 3, 0.1, 0.1)],
    ];
    for (k, chains) in all.into_iter().enumerate() {
        let problem = Problem::new(chains.clone(), "Stop");
        problem.agrees(&problem.check(|model| problem.whole(model, 1e-11)).unwrap());
        problem.agrees(&problem.region(problem.entries(1e-11, 1e-11)).unwrap());
        problem.refuses_other_regions();
        if k < 3 {
            let problem = Problem::new(chains, "Uniform");
            problem.agrees(&problem.check(|model| problem.whole(model, 1e-11)).unwrap());
        }
    }
}

/// Coarse bounds leave decisions open, and never give a wrong one.
#[test]
fn what_coarse_bounds_decide_is_right() {
    let problem = Problem::new(vec![walk(0, 5, 0.3, 0.2); 3], "Stop");
    let mut open = 0;
    for away in [1e-4, 1e-2, 0.1, 0.3] {
        for checked in [
            problem.check(|model| problem.whole(model, away)).unwrap(),
            problem.region(problem.entries(away, away)).unwrap(),
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
    let mut problem = Problem::new(vec![walk(0, 3, 0.3, 0.2); 2], "Stop");
    problem.after = "Restart";
    let checked = problem.check(|model| problem.whole(model, 0.0)).unwrap();
    assert!(matches!(checked.proof, Proof::Average(_)));
    assert!(checked.state(&[0, 0], 0).is_none());
}
