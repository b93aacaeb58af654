//! Worlds of independent walks, in which a rule of a code is simulated by itself.

use crate::support::prelude::*;

/// A walk on levels with these probabilities up and down.
#[derive(Clone, Copy)]
pub struct Walk {
    pub lowest: i64,
    pub levels: i64,
    pub up: f64,
    pub down: f64,
    pub reflect: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Course {
    /// So many steps from this load, decided after each.
    Job(u64, i64),
    /// Until balance or the first remap, from any loads.
    Once,
    /// Without end, decided before each step is paid.
    Endless,
}

pub struct World {
    pub name: &'static str,
    pub text: String,
    pub walk: Walk,
    pub capacities: &'static [f64],
    pub remap_cost: f64,
    pub course: Course,
    pub runs: u64,
}

/// What a code sees when it may remap.
pub struct Seen {
    pub step: u64,
    pub last: u64,
    pub max: f64,
    pub min: f64,
    pub mean: f64,
}

pub type Rule = Box<dyn Fn(&Seen) -> bool>;

pub fn random(run: u64, step: u64, process: u64) -> f64 {
    let mut z =
        run.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (step << 20) ^ (process << 4) ^ 0x5DEECE66D;
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    (z >> 11) as f64 / (1u64 << 53) as f64
}

impl Walk {
    fn moved(&self, load: i64, draw: f64) -> i64 {
        let (bottom, top) = (self.lowest, self.lowest + self.levels - 1);
        let (mut up, mut down) = (self.up, self.down);
        if load == top {
            (up, down) = (0.0, down + if self.reflect { up } else { 0.0 });
        }
        if load == bottom {
            (up, down) = (up + if self.reflect { down } else { 0.0 }, 0.0);
        }
        match draw {
            low if low < down => load - 1,
            high if high >= 1.0 - up => load + 1,
            _ => load,
        }
    }
}

impl World {
    fn steps(&self) -> u64 {
        match self.course {
            Course::Job(steps, _) => steps,
            Course::Once => 300,
            Course::Endless => 1500,
        }
    }

    /// Mean cost of a path under each rule, on the same paths.
    pub fn costs(&self, rules: &[Rule]) -> Vec<f64> {
        let mut totals = vec![0.0; rules.len()];
        let r = self.capacities.len() as u64;
        for run in 0..self.runs {
            let draw = |place: u64| random(run, place / r, place % r);
            let draws: Vec<f64> = (0..(self.steps() + 1) * r).map(draw).collect();
            for (total, rule) in totals.iter_mut().zip(rules) {
                *total += self.paid(rule, &draws);
            }
        }
        totals.iter().map(|total| total / self.runs as f64).collect()
    }

    pub fn cost(&self, rule: Rule) -> f64 {
        self.costs(&[rule])[0]
    }

    /// What a path costs that is drawn so.
    fn paid(&self, rule: &Rule, draws: &[f64]) -> f64 {
        let (r, steps) = (self.capacities.len(), self.steps());
        let all: f64 = self.capacities.iter().sum();
        let is_job = matches!(self.course, Course::Job(..));
        let mut loads: Vec<i64> = match self.course {
            Course::Job(_, initial) => vec![initial; r],
            Course::Once => draws[..r]
                .iter()
                .map(|draw| self.walk.lowest + (draw * self.walk.levels as f64) as i64)
                .collect(),
            Course::Endless => vec![self.walk.lowest + self.walk.levels / 2; r],
        };
        // Largest, least and mean time, and what waiting costs.
        let look = |loads: &[i64]| {
            let (mut max, mut min, mut sum) = (0.0_f64, f64::INFINITY, 0.0);
            for (load, capacity) in loads.iter().zip(self.capacities) {
                let time = *load as f64 / capacity;
                (max, min, sum) = (max.max(time), min.min(time), sum + time);
            }
            let balanced = loads.iter().sum::<i64>() as f64 / all;
            (max, min, sum / r as f64, max - balanced)
        };
        let (mut last, mut paid) = (0, 0.0);
        for step in 1..=steps {
            if self.course != Course::Once || step > 1 {
                let drawn = &draws[step as usize * r..];
                for (load, draw) in loads.iter_mut().zip(drawn) {
                    *load = self.walk.moved(*load, *draw);
                }
            }
            let (max, min, mean, waiting) = look(&loads);
            if self.course == Course::Once && waiting < 1e-9 {
                break;
            }
            if is_job {
                paid += waiting;
            }
            let ends = is_job && step == steps;
            if !ends && rule(&Seen { step, last, max, min, mean }) {
                paid += self.remap_cost;
                last = step;
                let sum: i64 = loads.iter().sum();
                for (i, load) in loads.iter_mut().enumerate() {
                    *load =
                        sum.div_euclid(r as i64) + i64::from((i as i64) < sum.rem_euclid(r as i64));
                }
                if self.course == Course::Once {
                    break;
                }
            }
            if !is_job {
                paid += look(&loads).3;
            }
        }
        if self.course == Course::Endless { paid / steps as f64 } else { paid }
    }
}

pub fn models() -> Vec<World> {
    let hold = |lowest, levels| Walk { lowest, levels, up: 0.25, down: 0.25, reflect: false };
    let downward = "Model(title: \"Two that sink\", problem: LoadDrift(processors: 2, chain: Walk(lowest: 2,
        levels: 12, up: 0.2, down: 0.25, edge: Reflect), initial_load: 8, steps: 80, remap_cost: 3))";
    let four = "Model(title: \"Four\", problem: LoadDrift(processors: 4, chain: Walk(lowest: 4, levels: 13,
        up: 0.3, down: 0.3, edge: Hold), initial_load: 10, steps: 60, remap_cost: 4))";
    vec![
        World {
            name: "four",
            text: four.to_owned(),
            walk: Walk { up: 0.3, down: 0.3, ..hold(4, 13) },
            capacities: &[1.0; 4],
            remap_cost: 4.0,
            course: Course::Job(60, 10),
            runs: 400,
        },
        World {
            name: "three_chains",
            text: deck_text("load_drift/three_chains.ron"),
            walk: hold(1, 19),
            capacities: &[1.0; 3],
            remap_cost: 8.0,
            course: Course::Job(100, 10),
            runs: 400,
        },
        World {
            name: "downward",
            text: downward.to_owned(),
            walk: Walk { lowest: 2, levels: 12, up: 0.2, down: 0.25, reflect: true },
            capacities: &[1.0; 2],
            remap_cost: 3.0,
            course: Course::Job(80, 8),
            runs: 400,
        },
        World {
            name: "restart",
            text: deck_text("stopping/restart.ron"),
            walk: Walk { reflect: true, ..hold(0, 6) },
            capacities: &[1.0; 2],
            remap_cost: 5.0,
            course: Course::Endless,
            runs: 24,
        },
        World {
            name: "capacities",
            text: deck_text("stopping/capacities.ron"),
            walk: hold(0, 11),
            capacities: &[1.0, 1.0, 2.0],
            remap_cost: 12.0,
            course: Course::Once,
            runs: 300,
        },
    ]
}
