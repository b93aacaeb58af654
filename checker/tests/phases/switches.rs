//! Recurring phases against the recursion itself, every report followed; and what a proof of them
//! needs.

use crate::shared::{Random, is_model_error, model, prove, read};
use remap_checker::phase_change::Steps as Others;
use remap_checker::phase_switching::{Rest, Steps};
use remap_checker::{Budget, Evidence, Interval, Proof, Refusal, Switches};

const BITS: u32 = 48;

#[derive(Clone)]
struct Problem {
    lifetime: String,
    /// Of each phase the time under each mapping.
    cycle: [[f64; 2]; 2],
    switch: [f64; 2],
    rates: [f64; 2],
    alarm: f64,
    missed: f64,
    initial: f64,
}

impl Problem {
    fn text(&self) -> String {
        let Problem {
            lifetime,
            cycle: [[own, other], [more, less]],
            switch,
            rates,
            alarm,
            missed,
            initial,
        } = self;
        format!(
            "PhaseSwitching({lifetime}cycle: (first: (own: {own}, other: {other}), second: (own: {less}, other: {more})), \
             switch: (to_second: {}, to_first: {}), rates: (to_second: {}, to_first: {}), detector: (false_alarm: {alarm}, \
             missed: {missed}), initial: {initial})",
            switch[0], switch[1], rates[0], rates[1]
        )
    }

    fn lasting(lifetime: &str) -> Problem {
        Problem { lifetime: format!("lifetime: {lifetime}, "), ..usual() }
    }

    fn endless() -> Problem {
        Problem { lifetime: String::new(), ..usual() }
    }

    fn prove(&self, steps: &[Steps]) -> Result<Proof, Refusal> {
        prove(&self.text(), &Evidence::PhaseSwitching(BITS, steps.to_vec()))
    }

    /// Q_1 and Q_2 where so many steps follow this one.
    fn keep(&self, left: u32, p: f64) -> [f64; 2] {
        let mut keep = [0, 1].map(|m: usize| (1.0 - p) * self.cycle[0][m] + p * self.cycle[1][m]);
        if left > 0 {
            let [a, b] = self.rates;
            let now = p * (1.0 - b) + (1.0 - p) * a;
            for [before, after] in
                [[self.alarm, 1.0 - self.missed], [1.0 - self.alarm, self.missed]]
            {
                let weight = (1.0 - now) * before + now * after;
                let [one, two] = self.keep(left - 1, now * after / weight);
                keep[0] += weight * one.min(self.switch[0] + two);
                keep[1] += weight * two.min(self.switch[1] + one);
            }
        }
        keep
    }

    /// Where the difference of the two rises above a level.
    fn crossing(&self, left: u32, level: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        let above = |p: f64| {
            let [one, two] = self.keep(left, p);
            one - two > level
        };
        if above(0.0) {
            return 0.0;
        }
        if !above(1.0) {
            return 1.0;
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            *(if above(middle) { &mut high } else { &mut low }) = middle;
        }
        0.5 * (low + high)
    }
}

fn usual() -> Problem {
    Problem {
        lifetime: "lifetime: Fixed(4), ".to_owned(),
        cycle: [[1.0, 1.75], [2.0, 1.0]],
        switch: [1.5, 0.75],
        rates: [0.1, 0.2],
        alarm: 0.1,
        missed: 0.25,
        initial: 0.25,
    }
}

fn on(points: u64) -> Steps {
    Steps::On(vec![(1 << 44) / points; points as usize - 1])
}

#[track_caller]
fn within(value: f64, own: Interval, what: &str) {
    assert!(own.lower - 1e-9 <= value && value <= own.upper + 1e-9, "{what}: {value} {own:?}");
}

#[track_caller]
fn meet(one: Interval, other: Interval) {
    assert!(one.lower <= other.upper && other.lower <= one.upper, "{one:?} {other:?}");
}

#[test]
fn both_thresholds_and_the_value_are_those_of_all_reports() {
    let mut random = Random(11);
    let mut part = |least: u64, most: u64| (least + random.below(most - least)) as f64 / 100.0;
    for case in 0..60 {
        let problem = Problem {
            cycle: [[1.0, 1.0 + part(0, 200)], [1.0 + part(0, 300), 1.0]],
            switch: [part(0, 200), part(0, 200)],
            rates: [part(0, 50), part(0, 50)],
            alarm: part(1, 99),
            missed: part(1, 99),
            initial: part(0, 101),
            ..usual()
        };
        // Coarse functions, too, enclose.
        let points = [2, 3, 17, 400][case % 4];
        let proof = problem.prove(&vec![on(points); 5]).unwrap();
        let Proof::Recurring { value: Some(value), average: None, steps } = &proof else {
            panic!("{proof:?}")
        };
        for n in 0..=4u64 {
            let own: &Switches = steps.iter().find(|own| own.first <= n && n <= own.last).unwrap();
            let left = 4 - n as u32;
            let what = format!("{} step {n} of {points}", problem.text());
            within(problem.crossing(left, problem.switch[0]), own.to_second, &what);
            within(problem.crossing(left, -problem.switch[1]), own.to_first, &what);
            if points == 400 {
                assert!(own.to_second.upper - own.to_second.lower < 0.05, "{what}: {own:?}");
            }
        }
        let [one, two] = problem.keep(4, problem.initial);
        within(one.min(problem.switch[0] + two), *value, &problem.text());
        if points == 400 {
            assert!(value.upper - value.lower < 0.01, "{}: {value:?}", problem.text());
        }
    }
}

/// A stationary function that saves nothing. `means` is the number of steps for which it says so.
fn rest(means: usize) -> Steps {
    Steps::Rest(Rest { beliefs: Vec::new(), saved: vec![0, 0], means: vec![vec![1 << 43]; means] })
}

#[test]
fn steps_at_rest_contain_what_each_of_them_proves() {
    let problem = Problem::lasting("Fixed(200)");
    let fine = problem.prove(&[on(500), Steps::Held(200)]).unwrap();
    let Proof::Recurring { value: Some(value), steps, .. } = &fine else { panic!() };
    let at = |steps: &[Switches], n: u64| {
        steps.iter().find(|own| own.first <= n && n <= own.last).cloned().unwrap()
    };
    for held in [1u64, 5, 30, 100] {
        for means in [1, 2, 30, 90] {
            let found = problem.prove(&[on(100), Steps::Held(held), rest(means)]).unwrap();
            let Proof::Recurring { value: Some(own), steps: found, .. } = found else { panic!() };
            meet(own, *value);
            for n in (0..=200).step_by(20) {
                let (a, b) = (at(&found, n), at(steps, n));
                meet(a.to_second, b.to_second);
                meet(a.to_first, b.to_first);
            }
        }
    }
    // A program without end comes to the same thresholds, and costs what a long one does from step
    // to step.
    let found = Problem::endless().prove(&[on(500), Steps::Held(200), rest(100)]).unwrap();
    let Proof::Recurring { value: None, average: Some(average), steps: found } = found else {
        panic!()
    };
    let (a, b) = (at(&found, 7), at(steps, 0));
    meet(a.to_second, b.to_second);
    meet(a.to_first, b.to_first);
    let longer = Problem::lasting("Fixed(300)").prove(&[on(500), Steps::Held(300)]).unwrap();
    let Proof::Recurring { value: Some(more), .. } = longer else { panic!() };
    let step = |low: f64, high: f64| (low - high) / 100.0;
    let difference = (step(more.lower, value.upper), step(more.upper, value.lower));
    meet(average, difference.into());
}

// Hypotheses, each broken alone.

#[test]
fn phases_must_last_and_mappings_suit_them() {
    assert!(read(&usual().text()).is_ok());
    for other in [
        Problem { rates: [0.6, 0.5], ..usual() },
        Problem { rates: [1.5, 0.0], ..usual() },
        Problem { cycle: [[2.0, 1.0], [1.0, 1.5]], ..usual() },
        Problem { initial: 1.5, ..usual() },
        Problem { switch: [-1.0, 1.0], ..usual() },
        Problem { alarm: 1.5, ..usual() },
        Problem { rates: [0.0, 0.0], ..Problem::endless() },
        Problem::lasting("Uniform(first: 3, last: 2)"),
    ] {
        is_model_error(&other.text());
    }
    is_model_error(&Problem::endless().text().replace("to_first: 0.75", "to_first: None"));
    is_model_error(&usual().text().replace("switch:", "switch: (to_second: 1), switch:"));
}

#[test]
fn steps_that_are_not_alike_are_not_taken_at_once() {
    let unproved = Err(Refusal::Unproved("the steps are not alike"));
    let early = Problem::lasting("Uniform(first: 2, last: 40)");
    assert_eq!(early.prove(&[on(50), Steps::Held(20), rest(1)]), unproved);
    // The last step is not like the others.
    assert_eq!(usual().prove(&[rest(1)]), unproved);
    assert!(early.prove(&[on(50), Steps::Held(38), rest(1)]).is_ok());
}

#[test]
fn evidence_that_fits_nothing_is_malformed() {
    let problem = Problem::lasting("Fixed(60)");
    let rested = |rest: Rest| problem.prove(&[on(50), Steps::Held(20), Steps::Rest(rest)]);
    let good = Rest { beliefs: vec![1 << 43], saved: vec![0, 0, 5], means: vec![Vec::new(); 3] };
    assert!(rested(good.clone()).is_ok());
    for bad in [
        Rest { saved: vec![0, 0], ..good.clone() },
        Rest { saved: vec![0, 5, 0], ..good.clone() },
        Rest { saved: Vec::new(), ..good.clone() },
        Rest { means: Vec::new(), ..good.clone() },
        Rest { means: vec![Vec::new(); 60], ..good.clone() },
        Rest { means: vec![vec![0]], ..good.clone() },
        Rest { beliefs: vec![0], ..good.clone() },
        Rest { beliefs: vec![1 << 44], ..good.clone() },
    ] {
        assert_eq!(rested(bad.clone()), Err(Refusal::Malformed), "{bad:?}");
    }
    assert_eq!(rested(Rest { saved: vec![0, 0, u64::MAX], ..good }), Err(Refusal::TooLarge));
    for steps in [
        vec![],
        vec![on(50), Steps::Held(61)],
        vec![on(50), Steps::Held(20)],
        vec![on(50), Steps::Held(60), Steps::Held(1)],
        vec![Steps::On(vec![1 << 44])],
        vec![Steps::On(vec![5, 0])],
        vec![on(50), Steps::Held(20), rest(1), Steps::Held(1)],
        vec![on(50), Steps::Held(20), rest(1), rest(1)],
    ] {
        assert_eq!(problem.prove(&steps), Err(Refusal::Malformed), "{}", steps.len());
    }
    let other = Evidence::PhaseChange(BITS, vec![Others::Held(61)]);
    assert_eq!(prove(&problem.text(), &other), Err(Refusal::Malformed));
    let endless = Evidence::PhaseSwitching(BITS, vec![Steps::Held(u64::MAX)]);
    let found = model(&Problem::endless().text()).prove_within(&endless, &Budget::new(1 << 24));
    assert_eq!(found, Err(Refusal::OverBudget));
    for bits in [61, u32::MAX] {
        let evidence = Evidence::PhaseSwitching(bits, vec![Steps::Held(61)]);
        assert_eq!(prove(&problem.text(), &evidence), Err(Refusal::TooLarge));
    }
}
