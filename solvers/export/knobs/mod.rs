//! What a rule comes to in codes that know an interval, or a level of their own statistic.

mod costs;
mod fitted;

use super::heading_of_settings;
use crate::complaint::Complaint;
use crate::document::dynamics::Kind;
use crate::document::priced::{BestFixed, Priced};
use crate::document::rule::{Level, Measure, Rule, StatedRule, Threshold};
use costs::shown;
use fitted::Fitted;
use remapping::policy::codes::{Code, Statistic, Trigger};
use remapping::simulate::Trials;

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
    /// Remap when its statistic exceeds a level, with so many steps of the program between two
    /// looks.
    Above {
        /// The level.
        level: f64,
        /// Steps between looks.
        look: u64,
    },
}

impl Setting {
    /// Steps between looks, and the level; `always` is the level at which every look remaps.
    /// `None` if it never remaps.
    pub fn looks(self, always: f64) -> Option<(u64, f64)> {
        match self {
            Setting::Never => None,
            Setting::Every(every) => Some((every, always)),
            Setting::Above { level, look } => Some((look, level)),
        }
    }
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
    fn look(&self) -> u64 {
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

    /// The setting of a code, of which people say `name`: the interval or level of a log; an
    /// interval where the rule is one; otherwise the level that costs least there, or the interval
    /// where the code has no level.
    ///
    /// # Errors
    /// Where never remapping costs no more, or nothing is known of such settings.
    pub fn setting(&mut self, code: Code, name: &str) -> Result<Setting, Complaint> {
        if let Some((_, every, level)) = self.export.of_code.filter(|stated| stated.0 == code) {
            // Looks are as far apart as its interval.
            let above = |level| Setting::Above { level, look: every.max(1) };
            return Ok(level.map_or(Setting::Every(every), above));
        }
        let stated = match &self.export.rule {
            // No other setting can be priced.
            Rule::Interval(interval) if self.trials.is_none() => Some(interval.every),
            Rule::Imbalance(thresholds) if thresholds.is_never() => Some(None),
            Rule::Level(Level { measure: Measure::Excess, value: Threshold::NEVER, .. }) => {
                Some(None)
            }
            _ => None,
        };
        match (stated, code.level()) {
            (Some(Some(every)), _) => Ok(Setting::Every(every)),
            (Some(None), _) => {
                self.say("The rule never remaps.");
                Ok(Setting::Never)
            }
            (None, Some(watched)) => self.level(code, name, watched),
            (None, None) => self.interval(code, name),
        }
    }

    /// The level that costs least.
    fn level(
        &mut self,
        code: Code,
        name: &str,
        (statistic, limit): (Statistic, f64),
    ) -> Result<Setting, Complaint> {
        let look = self.look();
        if self.export.before_step {
            let message = format!(
                "{name} knows the times of the last step, this rule is asked with those of the step about to be made"
            );
            let help = "solve the model with decide: AfterStep";
            return Err(Complaint::elsewhere(message, help));
        }
        if let Some(trials) = &self.trials {
            let at = |level| code.trigger(1, Some(level)).unwrap_or(Trigger::NEVER);
            let fitted = fitted::level(trials, statistic, at, limit, self.processes());
            let Some(fitted) = fitted.filter(|fitted| fitted.cost < fitted.never) else {
                let costs = fitted.map_or(String::new(), |fitted| {
                    format!(": {} against {}", shown(fitted.cost), shown(fitted.never))
                });
                let statistic = named(statistic);
                let message = match fitted {
                    Some(fitted) if fitted.never == 0.0 => format!(
                        "on {} simulated paths nothing is paid: what remaps are for is too rare to price settings of {name}",
                        fitted.runs
                    ),
                    _ => format!(
                        "no level of {statistic}, as {name} tests it, costs less than never{costs}"
                    ),
                };
                let help = "leave its load balancing off, or export to c, fortran or python";
                return Err(Complaint::elsewhere(message, help));
            };
            let level = fitted.value;
            self.say(&format!("Of all levels of {}, {level:.6} costs least.", named(statistic)));
            self.say_cost("It", fitted);
            self.say_fixed();
            return Ok(Setting::Above { level, look });
        }
        if matches!(&self.export.rule, Rule::Imbalance(thresholds) if thresholds.level == Threshold::NEVER)
        {
            self.say("The rule remaps near the end of the job only, which takes more than one level: never.");
            return Ok(Setting::Never);
        }
        let level = self.of_one_statistic(name, statistic, limit)?;
        Ok(Setting::Above { level, look })
    }

    /// A level where no other can be priced: by the share of load vectors, or as the rule is
    /// stated.
    fn of_one_statistic(
        &mut self,
        code: &str,
        statistic: Statistic,
        limit: f64,
    ) -> Result<f64, Complaint> {
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
                    let name = named(statistic);
                    return refuse(format!("no level of {name} is closer to the map than never"));
                };
                let (level, wrong) = (found.level, 100.0 * found.wrong);
                let (name, never) = (named(statistic), 100.0 * found.never);
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
            return refuse(format!("{code} compares {}, this rule max and mean", named(statistic)));
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

    /// The interval of least cost for a code that knows nothing else.
    fn interval(&mut self, rule: Code, code: &str) -> Result<Setting, Complaint> {
        let once = self.export.priced.as_ref().is_some_and(|p| p.dynamics.course == Kind::Once);
        let message = match once {
            true => format!("{code} knows an interval only, this program remaps once"),
            false => format!("{code} knows an interval only, this rule is a tolerance"),
        };
        let known = self.export.priced.as_ref().zip(self.trials.as_ref());
        let Some((priced, trials)) = known.filter(|_| !once) else {
            let help = "solve the model as Periodic with remap_cost and export the interval";
            return Err(Complaint::elsewhere(message, help));
        };
        let shape = |every| rule.trigger(every, None).unwrap_or(Trigger::NEVER);
        let plain = (1..=4).all(|every| shape(every) == Trigger::periodic(every));
        let processes = priced.processes;
        let found = match priced.fixed.filter(|_| plain) {
            Some(BestFixed { interval, cost, never, .. }) => {
                Fitted { value: interval, cost, never, runs: 0, error: 0.0 }
            }
            None => fitted::interval(trials, shape, processes),
        };
        let only = format!("{code} knows an interval only");
        let Some(every) = found.value.map(|every| every.saturating_mul(priced.stride)) else {
            self.say(&format!("{only}, and none costs less than never remapping."));
            self.say_cost("That", found);
            return Ok(Setting::Never);
        };
        self.say_cost(&format!("{only}: of all, {every} steps"), found);
        Ok(Setting::Every(every))
    }

    /// Whether the program continues during a remap.
    pub fn overlapped(&self) -> bool {
        self.export.overlapped
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

    fn processes(&self) -> usize {
        self.export.priced.as_ref().map_or(0, |priced| priced.processes)
    }
}

fn named(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::MaxOverMean => "max/mean",
        Statistic::MaxOverMin => "max/min",
        Statistic::RangeOverMean => "(max - min)/mean",
    }
}
