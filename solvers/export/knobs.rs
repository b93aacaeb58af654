//! What a rule comes to in codes that know an interval, or a level of their own statistic.

use super::fitted::{self, Fitted};
use super::heading_of_settings;
use crate::complaint::Complaint;
use crate::document::dynamics::Kind;
use crate::document::priced::{BestFixed, Priced};
use crate::document::rule::Threshold;
use crate::document::rule::{Measure, Rule, StatedRule};
use remapping::simulate::{Statistic, Trials, Trigger};

/// A rule to be expressed, and what the file says of it.
pub struct Knobs<'a> {
    export: &'a StatedRule,
    /// What other settings cost.
    trials: Option<Trials>,
    /// What the file says of itself, what is assumed and what is lost, a line each.
    notes: Vec<String>,
}

/// What a code is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// Nothing.
    Never,
    /// Remap every so many steps, whatever the imbalance.
    Every(u64),
    /// Remap when its statistic exceeds this.
    Above(f64),
}

/// A code that compares a statistic with a level.
#[derive(Debug, Clone, Copy)]
pub struct Watcher {
    /// Its name.
    pub code: &'static str,
    /// How it looks, in looks of the model.
    pub looks: Trigger,
    /// Levels from here on are refused.
    pub limit: f64,
}

const WIDTH: usize = 96;

/// Means of paths that are off by so much of what is known exactly say little.
const RARE: f64 = 0.2;

impl<'a> Knobs<'a> {
    /// The knobs of a rule.
    ///
    /// # Errors
    /// A rule on a probability, which no such code has.
    pub fn of(export: &'a StatedRule) -> Result<Knobs<'a>, Complaint> {
        if let Rule::Belief(_) | Rule::Switching(_) = export.rule {
            let message = "thresholds on the probability of a change are not an interval";
            let help = "export to c, fortran, python or rust, or watch the run with remap monitor";
            return Err(Complaint::elsewhere(message, help));
        }
        let mut notes = heading_of_settings(export);
        // A rule of a log says above what it takes for granted of remaps.
        let is_said = notes.iter().any(|note| note.starts_with("Assumed:"));
        let balance = if is_said { "" } else { ", and a remap restores balance" };
        notes.push(format!("Assumed: loads are times of a step{balance}."));
        if let Rule::Interval(interval) = &export.rule
            && let Some(tolerance) = interval.tolerance.filter(|tolerance| tolerance.is_finite())
        {
            let ratio = 1.0 + tolerance;
            notes.push(format!("At the end of the interval max/mean is {ratio:.6} on average."));
        }
        let trials = export.priced.as_ref().and_then(Priced::trials);
        Ok(Knobs { export, trials, notes })
    }

    /// Says something more of the setting.
    pub fn say(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    /// Steps of the program between two looks at a level.
    pub fn look(&self) -> u64 {
        self.export.priced.as_ref().map_or(1, |priced| priced.stride).max(match self.export.rule {
            Rule::Level(level) => level.stride,
            _ => 1,
        })
    }

    /// What the file says, as comment lines.
    pub fn comments(&self, mark: &str) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let mut line = mark.to_owned();
            for word in note.split_whitespace() {
                if line.len() > mark.len() && line.len() + word.len() >= WIDTH {
                    text += &format!("{line}\n");
                    line = mark.to_owned();
                }
                line += &format!(" {word}");
            }
            text += &format!("{line}\n");
        }
        text
    }

    /// The setting of a code with a level: an interval where the rule is one, otherwise the level that costs least
    /// there.
    ///
    /// # Errors
    /// Where never remapping costs no more, or nothing is known of such levels.
    pub fn setting(&mut self, watcher: Watcher) -> Result<Setting, Complaint> {
        if let Some((statistic, level)) = self.export.level_of
            && statistic == watcher.looks.statistic
            && level < watcher.limit
        {
            return Ok(Setting::Above(level));
        }
        if let Some(every) = self.stated_interval() {
            return Ok(self.periodic(every));
        }
        if self.never_remaps() {
            return Ok(self.periodic(None));
        }
        let (code, statistic) = (watcher.code, watcher.looks.statistic);
        if self.export.before_step {
            let message = format!(
                "{code} knows the times of the last step, this rule is asked with those of the step about to be made"
            );
            let help = "solve the model with decide: AfterStep";
            return Err(Complaint::elsewhere(message, help));
        }
        if let Some(trials) = &self.trials {
            let Watcher { looks, limit, .. } = watcher;
            let processes = self.processes();
            let fitted = fitted::level(trials, looks, limit, processes);
            let Some(fitted) = fitted.filter(|fitted| fitted.cost < fitted.never) else {
                let costs = fitted.map_or(String::new(), |fitted| {
                    format!(": {} against {}", shown(fitted.cost), shown(fitted.never))
                });
                let statistic = name(statistic);
                let message = match fitted {
                    Some(fitted) if fitted.never == 0.0 => format!(
                        "on {} simulated paths nothing is paid: what remaps are for is too rare to price settings of {code}",
                        fitted.runs
                    ),
                    _ => format!(
                        "no level of {statistic}, as {code} tests it, costs less than never{costs}"
                    ),
                };
                let help = "leave its load balancing off, or export to c, fortran or python";
                return Err(Complaint::elsewhere(message, help));
            };
            let level = fitted.value;
            self.say(&format!("Of all levels of {}, {level:.6} costs least.", name(statistic)));
            self.say_cost("It", fitted);
            self.say_fixed();
            return Ok(Setting::Above(level));
        }
        if matches!(&self.export.rule, Rule::Imbalance(thresholds) if thresholds.level == Threshold::NEVER)
        {
            self.say("The rule remaps near the end of the job only, which takes more than one level: never.");
            return Ok(Setting::Never);
        }
        self.of_one_statistic(watcher).map(Setting::Above)
    }

    /// A level where no other can be priced: by the share of load vectors, or as the rule is stated.
    fn of_one_statistic(&mut self, watcher: Watcher) -> Result<f64, Complaint> {
        let Watcher { code, looks: Trigger { statistic, .. }, limit } = watcher;
        let help = "export to c, fortran or python; other levels are priced of loads that move independently, at one cost of \
                    a remap, and not from documents of older versions";
        let refuse = |message: String| Err(Complaint::elsewhere(message, help));
        let (excess, mean) = match &self.export.rule {
            Rule::Map(map) => {
                let priced = self.export.priced.as_ref();
                let r = map.processes();
                let capacities = priced.map_or(vec![1.0; r], |p| p.dynamics.capacities(r));
                let found = fitted::closest(map, &capacities, statistic, limit);
                let found = found.filter(|found| found.wrong < found.never);
                let Some(found) = found else {
                    let name = name(statistic);
                    return refuse(format!("no level of {name} is closer to the map than never"));
                };
                let (level, wrong) = (found.level, 100.0 * found.wrong);
                let (name, never) = (name(statistic), 100.0 * found.never);
                self.say(&format!(
                    "The level {level:.6} of {name} is closest to the decision map: it differs from it in {wrong:.2} % \
                     of the load vectors, never remapping in {never:.2} %. What either costs is not known."
                ));
                return Ok(level);
            }
            Rule::Imbalance(imbalance) => (imbalance.level, imbalance.mean),
            Rule::Level(level) => match level.measure {
                Measure::Excess => (level.value, level.mean),
                Measure::Utilization => (1.0 / level.value - 1.0, 1.0),
            },
            Rule::Belief(_) | Rule::Switching(_) | Rule::Interval(_) => {
                return refuse("not a level".to_owned());
            }
        };
        if statistic != Statistic::MaxOverMean {
            return refuse(format!("{code} compares {}, this rule max and mean", name(statistic)));
        }
        if mean <= 0.0 {
            let message = "the mean load is 0, or not stated: no ratio to it";
            let help = "give the model loads above 0, or a ContinuousDrift model its mean_load, and solve it again";
            return Err(Complaint::elsewhere(message, help));
        }
        let level = 1.0 + (excess / mean).max(0.0);
        if level.is_nan() || level >= limit {
            return refuse(format!("{code} knows levels below {limit} only, the rule is {level}"));
        }
        let fixed = matches!(&self.export.rule, Rule::Level(level) if level.measure == Measure::Utilization);
        if !fixed {
            self.say(&format!(
                "Threshold {excess} on max - mean at mean load {mean}: as a ratio it is another rule when the mean \
                 changes."
            ));
        }
        Ok(level)
    }

    /// The interval for a code that knows nothing else and remaps as `shape` says for one, in looks of the model;
    /// `None` is never.
    ///
    /// # Errors
    /// Where no interval is known.
    pub fn interval(
        &mut self,
        code: &str,
        shape: impl Fn(u64) -> Trigger,
    ) -> Result<Option<u64>, Complaint> {
        if let Some(every) = self.stated_interval() {
            return Ok(match self.periodic(every) {
                Setting::Every(every) => Some(every),
                _ => None,
            });
        }
        if self.never_remaps() {
            self.periodic(None);
            return Ok(None);
        }
        let once = self.export.priced.as_ref().is_some_and(|p| p.dynamics.course == Kind::Once);
        let message = match once {
            true => format!("{code} knows an interval only, this program remaps once"),
            false => format!("{code} knows an interval only, this rule is a tolerance"),
        };
        let help = "solve the model as Periodic with remap_cost and export the interval";
        let unknown = || Complaint::elsewhere(message, help);
        let Some((priced, trials)) = self.export.priced.as_ref().zip(self.trials.as_ref()) else {
            return Err(unknown());
        };
        if once {
            return Err(unknown());
        }
        let plain = (1..=4).all(|every| shape(every) == Trigger::periodic(every));
        let processes = priced.processes;
        let found = match priced.fixed.filter(|_| plain) {
            Some(BestFixed { interval, cost, never, .. }) => {
                Fitted { value: interval, cost, never, runs: 0, error: 0.0 }
            }
            None => fitted::interval(trials, shape, processes),
        };
        let stride = priced.stride;
        match found.value {
            Some(every) => {
                let what =
                    format!("{code} knows an interval only: of all, {} steps", every * stride);
                self.say_cost(&what, found);
            }
            None => {
                self.say(&format!(
                    "{code} knows an interval only, and none costs less than never remapping."
                ));
                self.say_cost("That", found);
            }
        }
        Ok(found.value.map(|every| every.saturating_mul(stride)))
    }

    /// Seconds in a unit of load.
    pub fn unit_seconds(&self) -> f64 {
        self.export.unit_seconds
    }

    /// Seconds of so many steps, if a unit of load is one, and whether the waiting is known.
    pub fn seconds(&self, steps: u64) -> Option<(f64, bool)> {
        let (step, waiting) = match &self.export.rule {
            Rule::Interval(interval) if self.export.priced.is_none() => {
                (interval.mean + interval.waiting.unwrap_or(0.0), interval.waiting.is_some())
            }
            _ => {
                let priced = self.export.priced.as_ref()?;
                let unit = self.export.unit_seconds / priced.stride as f64;
                (priced.fixed?.step_time? * unit, true)
            }
        };
        Some((step * steps as f64, waiting)).filter(|(seconds, _)| *seconds > 0.0)
    }

    /// The interval that is the rule, where no other setting can be priced.
    fn stated_interval(&self) -> Option<Option<u64>> {
        match &self.export.rule {
            Rule::Interval(interval) if self.trials.is_none() => Some(interval.every),
            _ => None,
        }
    }

    fn never_remaps(&self) -> bool {
        match &self.export.rule {
            Rule::Imbalance(thresholds) => thresholds.is_never(),
            Rule::Level(level) => {
                level.measure == Measure::Excess && level.value == Threshold::NEVER
            }
            _ => false,
        }
    }

    fn periodic(&mut self, every: Option<u64>) -> Setting {
        match every {
            Some(every) => Setting::Every(every),
            None => {
                self.say("The rule never remaps.");
                Setting::Never
            }
        }
    }

    fn processes(&self) -> usize {
        self.export.priced.as_ref().map_or(0, |priced| priced.processes)
    }

    /// Writes the cost of a setting relative to the optimum and to never remapping.
    fn say_cost<T>(&mut self, what: &str, fitted: Fitted<T>) {
        let Some(priced) = &self.export.priced else { return };
        let (cost, never) = (shown(fitted.cost), shown(fitted.never));
        let unit = match priced.dynamics.course {
            Kind::Endless => "a step",
            Kind::Once if priced.goes_on => {
                "until balance, under the optimal policy from the first remap on"
            }
            Kind::Once => "until balance or a remap",
            _ => "for the job",
        };
        let optimum = match (&self.export.rule, &self.trials) {
            (_, _) if priced.optimum.is_some() => priced.optimum,
            (Rule::Map(map), Some(trials)) => Some(fitted::price_map(trials, map)),
            _ => None,
        };
        let best = match optimum.filter(|optimum| *optimum > 0.0) {
            Some(optimum) => {
                let more = 100.0 * (fitted.cost / optimum - 1.0);
                // The other sign can only be random error.
                let how =
                    match more > 0.0 && fitted.cost - fitted.error > optimum || fitted.runs == 0 {
                        true => format!("the setting costs {more:.1} % more"),
                        false => "paths do not tell them apart".to_owned(),
                    };
                format!(", the optimal policy {} ({how})", shown(optimum))
            }
            None => String::new(),
        };
        let how = match fitted.runs {
            0 => String::new(),
            runs => format!(
                " Means of {runs} simulated paths, the first off by {} at most, 95 times in 100.",
                shown(fitted.error)
            ),
        };
        let known = priced.fixed.map(|fixed| fixed.never).filter(|_| fitted.runs > 0);
        let rare = match known.filter(|known| (fitted.never - known).abs() > RARE * known) {
            Some(known) => format!(
                " Beware: never remapping costs {} exactly, so that what counts is too rare for so few paths.",
                shown(known)
            ),
            None => String::new(),
        };
        let note = format!(
            "{what} costs {cost} units of load {unit}{best}, never remapping {never}.{how}{rare}"
        );
        self.say(&note);
    }

    fn say_fixed(&mut self) {
        let Some(priced) = &self.export.priced else { return };
        let Some(BestFixed { interval: Some(every), cost, .. }) = priced.fixed else { return };
        let more = match priced.optimum.filter(|optimum| *optimum > 0.0) {
            Some(optimum) => {
                format!(", {:.1} % more than the optimum", 100.0 * (cost / optimum - 1.0))
            }
            None => String::new(),
        };
        let (every, cost) = (every * priced.stride, shown(cost));
        self.say(&format!(
            "The fixed interval of least cost would be {every} steps: it costs {cost}{more}."
        ));
    }
}

fn name(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::MaxOverMean => "max/mean",
        Statistic::MaxOverMin => "max/min",
        Statistic::RangeOverMean => "(max - min)/mean",
    }
}

/// Four digits are more than a simulation knows.
fn shown(cost: f64) -> String {
    match cost.abs() {
        big if big >= 1000.0 => format!("{cost:.0}"),
        some if some >= 100.0 => format!("{cost:.1}"),
        some if some >= 10.0 => format!("{cost:.2}"),
        _ => format!("{cost:.3}"),
    }
}
