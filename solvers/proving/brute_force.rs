//! Slow and simple evaluations: they enumerate every observation, every load vector and every
//! position.

use remapping::Rational;
use remapping::load_drift::{LoadDrift, Rebalance, Timing};
use remapping::phase_change::{PhaseChange, Premature};

/// The phase-change recursion from one belief, over every branch.
pub(crate) struct Direct<'a> {
    problem: &'a PhaseChange,
    /// E_n(0) for the steps that are needed.
    from_certainty: Vec<Rational>,
}

impl<'a> Direct<'a> {
    /// For the steps from `first` on.
    pub fn new(problem: &'a PhaseChange, first: u64) -> Direct<'a> {
        let last = problem.last_step();
        let mut direct =
            Direct { problem, from_certainty: vec![Rational::ZERO; last as usize + 1] };
        for n in (first..=last).rev() {
            direct.from_certainty[n as usize] = direct.expected(n, &Rational::ZERO);
        }
        direct
    }

    fn survival(&self, n: u64) -> Rational {
        self.problem.lifetime.continuation_exact(n)
    }

    /// E_n(p), the mean of V_{n+1} over the next observation.
    fn expected(&self, n: u64, p: &Rational) -> Rational {
        if n == self.problem.last_step() {
            return Rational::ZERO;
        }
        let prior = p + (Rational::ONE - p) * self.problem.hazard_exact(n + 1);
        let other = Rational::ONE - &prior;
        let mut mean = Rational::ZERO;
        for level in self.problem.detector.levels() {
            let (yes, no) = (&prior * &level.after, &other * &level.before);
            let chance = &yes + &no;
            if chance > Rational::ZERO {
                mean += &chance * self.value(n + 1, &(&yes / &chance));
            }
        }
        mean
    }

    /// C_t.
    pub fn retain(&self, n: u64, p: &Rational) -> Rational {
        let running = p * &self.problem.after + (Rational::ONE - p) * &self.problem.before;
        running + self.survival(n) * self.expected(n, p)
    }

    /// C_m.
    pub fn remap(&self, n: u64, p: &Rational) -> Rational {
        let problem = self.problem;
        // L_n and A_n.
        let (mut cycles, mut quiet) = (Rational::ZERO, Rational::ZERO);
        for m in (n..=problem.last_step()).rev() {
            let survival = self.survival(m);
            cycles = Rational::ONE + &survival * cycles;
            quiet =
                Rational::ONE + survival * (Rational::ONE - problem.hazard_exact(m + 1)) * quiet;
        }
        let other = Rational::ONE - p;
        match &problem.premature {
            Premature::Revert => {
                let ahead = self.survival(n) * &self.from_certainty[n as usize];
                let changed = &problem.install + cycles * &problem.remapped;
                &problem.test + p * changed + other * (&problem.before + ahead)
            }
            Premature::Keep { before_remapped } => {
                let quiet = other * quiet;
                let running = (cycles - &quiet) * &problem.remapped + quiet * before_remapped;
                &problem.test + &problem.install + running
            }
        }
    }

    /// V_n(p).
    pub fn value(&self, n: u64, p: &Rational) -> Rational {
        self.retain(n, p).min(self.remap(n, p))
    }
}

/// J and R of a stopping problem, by policy iteration and elimination in fractions.
pub(crate) fn exact_stopping(
    rows: &[Vec<Rational>],
    running: &[f64],
    rho: &Rational,
    uniform: bool,
) -> (Vec<Rational>, Rational) {
    let n = running.len();
    let costs: Vec<Rational> =
        running.iter().map(|psi| Rational::try_from(*psi).expect("finite")).collect();
    let mut remaps: Vec<bool> = running.iter().map(|psi| *psi > 0.0).collect();
    let share = Rational::ONE / Rational::from(n as u64);
    loop {
        // Unknowns J and, last, R.
        let mut system = vec![vec![Rational::ZERO; n + 2]; n + 1];
        for s in 0..n {
            system[s][s] = Rational::ONE;
            if remaps[s] {
                system[s][n] = -Rational::ONE;
            } else if running[s] > 0.0 {
                system[s].iter_mut().zip(&rows[s]).for_each(|(entry, p)| *entry -= p);
                system[s][n + 1] = costs[s].clone();
            }
        }
        system[n][n] = Rational::ONE;
        system[n][n + 1] = rho.clone();
        if uniform {
            system[n][..n].iter_mut().for_each(|entry| *entry = -share.clone());
        }
        let mut j = eliminate(system);
        let remap = j.pop().expect("an unknown for R");
        let better = |s: usize| {
            let image = rows[s].iter().zip(&j).fold(Rational::ZERO, |sum, (p, j)| sum + p * j);
            let go = &costs[s] + image;
            if go == remap { remaps[s] } else { go > remap }
        };
        let next: Vec<bool> = (0..n).map(|s| running[s] > 0.0 && better(s)).collect();
        if next == remaps {
            return (j, remap);
        }
        remaps = next;
    }
}

/// The solution of a regular system, its right side the last column.
fn eliminate(mut system: Vec<Vec<Rational>>) -> Vec<Rational> {
    let n = system.len();
    for k in 0..n {
        let pivot = (k..n).find(|&i| system[i][k] != Rational::ZERO).expect("a regular system");
        system.swap(k, pivot);
        let scale = system[k][k].clone();
        system[k].iter_mut().for_each(|x| *x = &*x / &scale);
        let row = system[k].clone();
        for (i, other) in system.iter_mut().enumerate() {
            if i != k && other[k] != Rational::ZERO {
                let factor = other[k].clone();
                other.iter_mut().zip(&row).for_each(|(x, y)| *x = &*x - &factor * y);
            }
        }
    }
    system.into_iter().map(|row| row[n].clone()).collect()
}

/// The expected objective, work and number of remaps from here on.
pub(crate) type Triple = [f64; 3];

/// Whether to remap after a step (before the next) at these levels, given the expected objectives
/// of continuing and of remapping.
pub(crate) type Rule<'a> = &'a dyn Fn(u64, &[usize], f64, f64) -> bool;

/// Drifting loads over all ordered load vectors.
pub(crate) struct Ordered<'a> {
    problem: &'a LoadDrift,
    rows: Vec<Vec<f64>>,
    vectors: Vec<Vec<usize>>,
}

impl<'a> Ordered<'a> {
    /// Takes O(levels^(2 processors)) time per step.
    pub fn new(problem: &'a LoadDrift) -> Self {
        let levels = problem.chain.levels();
        let mut vectors = vec![vec![]];
        for _ in 0..problem.processors {
            let longer = |v: Vec<usize>| (0..levels).map(move |l| [v.clone(), vec![l]].concat());
            vectors = vectors.into_iter().flat_map(longer).collect();
        }
        Ordered { problem, rows: problem.chain.rows(), vectors }
    }

    fn paid(&self, levels: &[usize], ahead: &Triple) -> Triple {
        let load = |&level: &usize| self.problem.lowest + level as f64;
        let max = levels.iter().map(load).fold(0.0, f64::max);
        let mean = levels.iter().map(load).sum::<f64>() / levels.len() as f64;
        [ahead[0] + self.problem.step_cost(max, mean), ahead[1] + mean, ahead[2]]
    }

    fn at(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        ahead[levels.iter().fold(0, |index, level| index * self.rows.len() + level)]
    }

    /// The expectation after a remap, as the rule of the model defines it.
    fn remapped(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        let r = levels.len();
        let total: usize = levels.iter().sum();
        let average = total as f64 / r as f64;
        let all = |level: usize| self.at(ahead, &vec![level; r]);
        let mut to = match self.problem.rebalance {
            Rebalance::Split => {
                let levels: Vec<usize> = (0..r).map(|i| (total + i) / r).collect();
                self.at(ahead, &levels)
            }
            Rebalance::Nearest => all((average + 0.5).floor() as usize),
            Rebalance::Stochastic => {
                let share = average - average.floor();
                let (low, high) = (all(average.floor() as usize), all(average.ceil() as usize));
                [0, 1, 2].map(|k| (1.0 - share) * low[k] + share * high[k])
            }
        };
        to[0] += self.problem.remap_cost;
        to[2] += 1.0;
        to
    }

    fn decide(&self, step: u64, ahead: &[Triple], rule: Rule<'_>) -> Vec<Triple> {
        let branch = |levels: &Vec<usize>| {
            let (on, remapped) = (self.at(ahead, levels), self.remapped(ahead, levels));
            if rule(step, levels, on[0], remapped[0]) { remapped } else { on }
        };
        self.vectors.iter().map(branch).collect()
    }

    fn transit(&self, ahead: &[Triple]) -> Vec<Triple> {
        let expectation = |from: &Vec<usize>| {
            let mut sum = [0.0; 3];
            for (to, ahead) in self.vectors.iter().zip(ahead) {
                let p: f64 = from.iter().zip(to).map(|(&i, &j)| self.rows[i][j]).product();
                (0..3).for_each(|k| sum[k] += p * ahead[k]);
            }
            sum
        };
        self.vectors.iter().map(expectation).collect()
    }

    fn pay(&self, ahead: &[Triple]) -> Vec<Triple> {
        self.vectors.iter().zip(ahead).map(|(levels, ahead)| self.paid(levels, ahead)).collect()
    }

    /// The expectation from the initial state, when `rule` decides.
    pub fn solve(&self, rule: Rule<'_>) -> Triple {
        let mut ahead = vec![[0.0; 3]; self.vectors.len()];
        for step in (1..=self.problem.steps).rev() {
            match self.problem.timing {
                Timing::AfterStep => {
                    if step < self.problem.steps {
                        ahead = self.decide(step, &ahead, rule);
                    }
                    ahead = self.transit(&self.pay(&ahead));
                }
                Timing::BeforeStep => {
                    ahead = self.pay(&ahead);
                    if step > 1 {
                        ahead = self.transit(&self.decide(step - 1, &ahead, rule));
                    }
                }
            }
        }
        self.at(&ahead, &vec![self.problem.initial; self.problem.processors])
    }
}
