//! What a written setting says of its cost.

use super::fitted::{self, Fitted};
use super::{Knobs, RARE};
use crate::document::dynamics::Kind;
use crate::document::priced::BestFixed;
use crate::document::rule::Rule;

impl Knobs<'_> {
    /// Writes the cost of a setting relative to the optimum and to never remapping.
    pub(super) fn say_cost<T>(&mut self, what: &str, fitted: Fitted<T>) {
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

    pub(super) fn say_fixed(&mut self) {
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

/// Four digits are more than a simulation knows.
pub(super) fn shown(cost: f64) -> String {
    match cost.abs() {
        big if big >= 1000.0 => format!("{cost:.0}"),
        some if some >= 100.0 => format!("{cost:.1}"),
        some if some >= 10.0 => format!("{cost:.2}"),
        _ => format!("{cost:.3}"),
    }
}
