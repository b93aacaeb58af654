//! Any number of phases: what is proved encloses what following every sequence of reports gives.

use crate::shared::{self, Random};
use crate::thorough::few_or_all;
use remap_checker::{Evidence, Grid, Interval, Proof, Refusal};

/// A law in 64ths, with some zeros.
fn law(numbers: &mut Random, count: usize) -> Vec<f64> {
    let mut left = 64;
    let mut law = vec![0.0; count];
    for (k, p) in law.iter_mut().enumerate() {
        let part = if k + 1 == count { left } else { numbers.below(left + 1) };
        (*p, left) = (part as f64 / 64.0, left - part);
    }
    law
}

fn laws(numbers: &mut Random, rows: usize, columns: usize) -> Vec<Vec<f64>> {
    (0..rows).map(|_| law(numbers, columns)).collect()
}

fn costs(numbers: &mut Random, count: usize, most: u64) -> Vec<Vec<f64>> {
    let mut row = |_| (0..count).map(|_| numbers.below(most) as f64 / 8.0).collect();
    (0..count).map(&mut row).collect()
}

struct Game {
    cycle: Vec<Vec<f64>>,
    switch: Vec<Vec<f64>>,
    transition: Vec<Vec<f64>>,
    detector: Vec<Vec<f64>>,
    initial: Vec<f64>,
    fitted: bool,
}

impl Game {
    fn random(numbers: &mut Random, count: usize, reports: usize) -> Game {
        Game {
            cycle: costs(numbers, count, 40),
            switch: costs(numbers, count, 12),
            transition: laws(numbers, count, count),
            detector: laws(numbers, count, reports),
            initial: law(numbers, count),
            fitted: numbers.below(2) == 0,
        }
    }

    fn written(&self, horizon: &str) -> String {
        let Game { cycle, switch, transition, detector, initial, fitted } = self;
        let remap = if *fitted { "Fitted" } else { "Chosen" };
        format!(
            "ManyPhases({horizon}, cycle: {cycle:?}, switch: {switch:?}, remap: {remap}, transition: {transition:?}, \
             detector: {detector:?}, initial: {initial:?})"
        )
    }

    /// What keeping each mapping costs from these masses of phases on, going on with these chances.
    fn keep(&self, masses: &[f64], survivals: &[f64], known: &[Vec<f64>]) -> Vec<f64> {
        let now = |m: usize| masses.iter().zip(&self.cycle).map(|(p, row)| p * row[m]).sum::<f64>();
        let mut keep: Vec<f64> = (0..masses.len()).map(now).collect();
        if survivals[0] > 0.0 && masses.iter().sum::<f64>() > 0.0 {
            for report in 0..self.detector[0].len() {
                let mass = |to: usize| {
                    let from = masses.iter().zip(&self.transition);
                    from.map(|(p, row)| p * row[to]).sum::<f64>() * self.detector[to][report]
                };
                let next: Vec<f64> = (0..masses.len()).map(mass).collect();
                let ahead = self.value(&next, &survivals[1..], known);
                keep.iter_mut().zip(ahead).for_each(|(keep, ahead)| *keep += survivals[0] * ahead);
            }
        }
        keep
    }

    /// What is paid from there on, by the mapping that is on; `known` has what each phase costs
    /// that is known to be on, under its own mapping, by how many steps are left.
    fn value(&self, masses: &[f64], survivals: &[f64], known: &[Vec<f64>]) -> Vec<f64> {
        let count = masses.len();
        if survivals.is_empty() {
            return vec![0.0; count];
        }
        let keep = self.keep(masses, survivals, known);
        let best = |m: usize| {
            let own = &known[survivals.len() - 1];
            let mass: f64 = masses.iter().sum();
            let fitted = masses.iter().enumerate().map(|(z, p)| p * (self.switch[m][z] + own[z]));
            let others = (0..count).filter(|j| *j != m).map(|j| keep[j] + mass * self.switch[m][j]);
            let other =
                if self.fitted { fitted.sum() } else { others.fold(f64::INFINITY, f64::min) };
            keep[m].min(other)
        };
        (0..count).map(best).collect()
    }

    /// What the whole program costs at least.
    fn whole(&self, survivals: &[f64]) -> f64 {
        let (count, mut known) = (self.cycle.len(), Vec::new());
        for first in (0..survivals.len()).rev() {
            let certain =
                |z: usize| Vec::from_iter((0..count).map(|y| f64::from(u8::from(y == z))));
            let own = |z: usize| self.keep(&certain(z), &survivals[first..], &known)[z];
            let own = Vec::from_iter((0..count).map(own));
            known.push(own);
        }
        self.value(&self.initial, survivals, &known)[0]
    }
}

fn prove(text: &str, (bits, level, sweeps): (u32, u32, u64)) -> Result<Interval, Refusal> {
    match shared::prove(text, &Evidence::ManyPhases(Grid { bits, level, sweeps }))? {
        Proof::Value(value) => Ok(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_that_end_cost_what_every_sequence_of_reports_says() {
    let mut numbers = Random(1);
    let mut close = 0;
    for case in 0..60 {
        let (count, reports) = (1 + case % 3, 1 + case / 3 % 3);
        let game = Game::random(&mut numbers, count, reports);
        let (law, survivals): (&str, Vec<f64>) = match case % 4 {
            0 => ("Fixed(0)", vec![0.0]),
            1 => ("Fixed(4)", vec![1.0, 1.0, 1.0, 1.0, 0.0]),
            2 => ("Uniform(first: 2, last: 4)", vec![1.0, 1.0, 2.0 / 3.0, 0.5, 0.0]),
            _ => ("Pmf({1: 0.25, 3: 0.75})", vec![1.0, 0.75, 1.0, 0.0]),
        };
        let right = game.whole(&survivals);
        let text = game.written(&format!("lifetime: {law}"));
        let mut last = f64::INFINITY;
        for level in [0, 2, 5, 7] {
            let Interval { lower, upper } = prove(&text, (44, level, 0)).unwrap();
            let inside = lower <= right + 1e-9 && right - 1e-9 <= upper;
            assert!(inside, "{text}: [{lower}, {upper}] {right}");
            last = upper - lower;
        }
        assert!(last < 0.03 * right.max(1.0), "{text}: {last}");
        close += usize::from(last < 1e-3 * right.max(1.0));
    }
    assert!(close > 40, "{close}");
}

#[test]
fn programs_without_an_end_cost_what_many_steps_say() {
    let mut numbers = Random(2);
    for case in 0..few_or_all(6, 20) {
        let (count, rate, steps) = (1 + case % 3, 0.25, 9);
        let game = Game::random(&mut numbers, count, 2);
        // What comes after these steps is little.
        let right = game.whole(&vec![rate; steps]);
        let most = game.cycle.iter().flatten().fold(0.0f64, |most, cost| most.max(*cost));
        let left = most * f64::powi(rate, steps as i32) / (1.0 - rate);
        let text = game.written(&format!("discount: {rate}"));
        let mut last = (0.0, f64::INFINITY);
        for sweeps in [1, 3, 40] {
            let Interval { lower, upper } = prove(&text, (44, 7, sweeps)).unwrap();
            let inside = lower <= right + left && right - 1e-9 <= upper;
            assert!(inside, "{text}: [{lower}, {upper}] {right}");
            // More steps never prove less.
            assert!(lower >= last.0 - 1e-9 && upper <= last.1 + 1e-9);
            last = (lower, upper);
        }
        assert!(last.1 - last.0 < 0.02 * right.max(1.0), "{text}: {last:?}");
    }
}

/// A third mapping, phase and report; what is written in other ways is the same.
#[test]
fn many_phases_are_read_as_they_are_written() {
    let mut numbers = Random(3);
    let game =
        Game { fitted: false, initial: vec![1.0, 0.0, 0.0], ..Game::random(&mut numbers, 3, 3) };
    let text = game.written("lifetime: Fixed(6)");
    let plain = text.replace(", initial: [1.0, 0.0, 0.0]", "").replace(" remap: Chosen,", "");
    assert_ne!(plain, text);
    assert_eq!(prove(&plain, (44, 4, 0)), prove(&text, (44, 4, 0)));
    assert!(prove(&plain, (44, 4, 0)).is_ok());
}

const MODEL: &str = "ManyPhases(lifetime: Fixed(9), cycle: [[1, 2], [2, 1]], switch: [[0, 3], [3, 0]], remap: Chosen, \
                     transition: [[0.75, 0.25], [0.25, 0.75]], detector: [[0.75, 0.25], [0.25, 0.75]], initial: [0.5, 0.5])";

#[test]
fn what_many_phases_need() {
    assert!(prove(MODEL, (44, 4, 0)).is_ok());
    for (from, to) in [
        // Laws are some, exactly, and costs are not negative: values rise with the masses of the
        // phases.
        ("[0.75, 0.25], [0.25, 0.75]], detector", "[0.75, 0.26], [0.25, 0.75]], detector"),
        ("[0.75, 0.25], [0.25, 0.75]], detector", "[0.75, 0.2499999999], [0.25, 0.75]], detector"),
        ("[0.75, 0.25], [0.25, 0.75]], detector", "[1.25, -0.25], [0.25, 0.75]], detector"),
        ("detector: [[0.75, 0.25]", "detector: [[0.75, 0.5]"),
        ("detector: [[0.75, 0.25]", "detector: [[0.75]"),
        ("initial: [0.5, 0.5]", "initial: [0.5, 0.25]"),
        ("initial: [0.5, 0.5]", "initial: [1]"),
        ("initial: [0.5, 0.5]", "initial: [1.5, -0.5]"),
        ("[[1, 2]", "[[-1, 2]"),
        ("[[0, 3]", "[[0, -3]"),
        ("[[0, 3]", "[[0, 3, 1]"),
        ("[[1, 2], [2, 1]]", "[[1, 2]]"),
        ("[[1, 2], [2, 1]]", "[]"),
        ("[[1, 2]", "[[1e101, 2]"),
        // Either an end or a discount below 1.
        ("Fixed(9)", "Fixed(100001)"),
        ("lifetime: Fixed(9)", "discount: 1"),
        ("lifetime: Fixed(9)", "lifetime: Fixed(9), discount: 0.5"),
        ("lifetime: Fixed(9), ", ""),
        ("Chosen", "Other"),
    ] {
        assert!(MODEL.contains(from), "{from}");
        let found = prove(&MODEL.replacen(from, to, 1), (44, 4, 0));
        assert!(matches!(found, Err(Refusal::Model(_))), "{to}: {found:?}");
    }
    // Steps of a program without an end, and of no other.
    assert_eq!(prove(MODEL, (44, 4, 1)), Err(Refusal::Malformed));
    let endless = MODEL.replace("lifetime: Fixed(9)", "discount: 0.5");
    assert!(prove(&endless, (44, 4, 1)).is_ok());
    assert_eq!(prove(&endless, (44, 4, 0)), Err(Refusal::Malformed));
    for (bits, level) in [(61, 4), (44, 13), (u32::MAX, 4), (44, u32::MAX)] {
        assert_eq!(prove(MODEL, (bits, level, 0)), Err(Refusal::Malformed));
    }
    // No room for ten cycles, nor for a grid of six phases, nor the time for so many steps.
    assert_eq!(prove(MODEL, (59, 4, 0)), Err(Refusal::TooLarge));
    assert_eq!(prove(&endless, (44, 4, u64::MAX)), Err(Refusal::OverBudget));
    let (ones, laws) = ([[1; 6]; 6], [[1, 0, 0, 0, 0, 0]; 6]);
    let large = format!(
        "ManyPhases(lifetime: Fixed(9), cycle: {ones:?}, switch: {ones:?}, transition: {laws:?}, detector: {laws:?})"
    );
    assert!(prove(&large, (44, 2, 0)).is_ok());
    assert_eq!(prove(&large, (44, 6, 0)), Err(Refusal::TooLarge));
}
