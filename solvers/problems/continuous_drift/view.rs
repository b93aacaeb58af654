//! Loads with continuous increments: the summary, the row of a sweep, and the picture of the
//! thresholds.

use super::answer::{Answer, Class};
use crate::complaint::Complaint;
use crate::plot::{self, Format};
use crate::problems::kind::{self, Accuracy, Headline};
use crate::problems::load_drift::answer::Curve;
use crate::problems::load_drift::few_thresholds::{
    POLICY, cost_of_rule, sampled_headline, thresholds, within_percent,
};
use crate::problems::load_drift::view::{between, late, moved, sampled_cells};
use crate::problems::settings::Choice;
use crate::problems::shared::recommended::{Recommended, is_dearer};
use crate::text::Row;
use crate::text::digits::{every, plain};
use crate::text::numbers::Numbers;
use remapping::continuous_drift::KeptSlopes;
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        if self.mean_load.is_some_and(|mean| !(mean > 0.0 && mean.is_finite())) {
            return Some("`mean_load` is not a positive number".to_owned());
        }
        self.threshold_curve.as_ref().and_then(Curve::fault)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::sampled(self.gap_percent, self.gap_interval)
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Step => Some("loads without levels have no map of states"),
            Choice::Values => Some("loads without levels have no list of states"),
            other => Some(other.is_for()),
        }
    }

    fn headline(&self) -> Headline {
        let known = self.best_fixed.map_or(f64::INFINITY, |fixed| fixed.value);
        sampled_headline(self.threshold_curve.as_ref(), self.recommended(), known)
    }

    fn recommended(&self) -> Option<Recommended> {
        Answer::recommended(self)
    }

    fn numbers(&self, numbers: &mut Numbers) {
        numbers.bounds("expected cost", self.value_bounds);
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        match (self.bounds, self.gap_percent) {
            (Some(bounds), Some(gap)) => sampled_cells(bounds, gap, self.gap_interval, self.remaps),
            _ => Vec::new(),
        }
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        let thresholds = thresholds(title, self.threshold_curve.as_ref(), self.recommended());
        plot::picture(format, &thresholds)
    }
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    if let Some(curve) = &answer.threshold_curve {
        let dearer = answer.best_fixed.is_some_and(|fixed| is_dearer(curve, fixed.value));
        cost_of_rule(text, curve, dearer);
    }
    if let Some(each) = answer.per_unit_moved {
        moved(text, answer.remap_cost, each);
    }
    if let Some(overlap) = answer.overlap {
        late(text, overlap);
    }
    if !answer.classes.is_empty() {
        classes(text, &answer.classes);
    }
    if let Some(KeptSlopes { change, .. }) = answer.kept_slopes {
        let new = match change {
            0.0 => String::new(),
            _ => format!(", and draw new ones in a share {change} of the steps"),
        };
        let _ = writeln!(
            text,
            "the ranks keep their slopes over remaps{new}; the policy is the rule, and the lower bound that of remaps \
             chosen in hindsight"
        );
    }
    let _ = writeln!(
        text,
        "{} processors, {} sample paths",
        answer.processors,
        answer.paths.unwrap_or(0)
    );
    if let Some(bounds) = answer.bounds {
        between(text, bounds, answer.remaps);
    }
    if let Some(fixed) = answer.best_fixed {
        let name = fixed.interval.map_or("never".to_owned(), every);
        let _ = writeln!(text, "  {name:<18}{:>14.3}   exactly, the best interval", fixed.value);
    }
    let never_is_best = answer.best_fixed.is_some_and(|fixed| fixed.interval.is_none());
    if let Some(never) = answer.never.filter(|_| !never_is_best) {
        let _ = writeln!(text, "  {:<18}{never:>14.3}   exactly", "never");
    }
    if let Some(gap) = answer.gap_percent {
        let policy = match answer.kept_slopes {
            Some(_) => "the policy is",
            None => POLICY,
        };
        within_percent(text, policy, gap, answer.gap_interval);
    }
}

fn classes(text: &mut String, classes: &[Class]) {
    let class = |Class { count, mean, deviation }: &Class| {
        format!("{count} gain {} a step (deviation {})", plain(*mean), plain(*deviation))
    };
    let all: Vec<String> = classes.iter().map(class).collect();
    let _ = writeln!(text, "classes of processors: {}", all.join(", "));
}
