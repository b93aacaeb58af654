//! The faults of a `Periodic` problem.

use super::{Changes, Periodic, Tolerance, numbers};
use crate::model::chain::Chain;
use crate::model::law::{Law, SIZES, positive};
use crate::model::review::Review;
use remapping::Rational;
use remapping::periodic::Covariance;

/// The most processors of a model.
const MAX_PROCESSORS: usize = 1_000_000;

/// The most periods.
const MAX_PERIODS: u32 = 1000;

/// The most levels of a chain.
const MAX_LEVELS: usize = 10_000;

/// The most processors of a model with a covariance matrix.
const MAX_CORRELATED: usize = 4_000;

impl Periodic {
    /// Checks what the types do not.
    pub fn review(&self, review: &mut Review<'_>) {
        positive(review, "problem.initial_load", &self.initial_load, "the initial load");
        for (index, (path, count, law)) in self.laws().into_iter().enumerate() {
            if index < 64 || review.faults.is_empty() {
                law.review(review, &path);
            }
            if count == 0 {
                review.fault(
                    &path,
                    "a class has no processors",
                    "the count is 0",
                    "leave the class out",
                );
            }
        }
        let count = self.count();
        if count < 2 {
            let label = format!("{count} processor{}", if count == 1 { "" } else { "s" });
            let help = "one processor cannot be out of balance: give two or more";
            review.fault("problem.changes", "balance needs at least two processors", &label, help);
        }
        if count > MAX_PROCESSORS {
            let help = format!("at most {MAX_PROCESSORS}");
            review.fault(
                "problem.changes",
                "too many processors",
                &format!("{count} processors"),
                &help,
            );
        }
        self.review_chain(review);
        self.review_capacities(review, count);
        self.review_covariance(review, count);
        if let Some(periods) = self.periods {
            let help = "leave it out for the first period alone";
            if !(1..=MAX_PERIODS).contains(&periods) {
                let label = format!("not between 1 and {MAX_PERIODS}");
                review.fault("problem.periods", "a number is out of range", &label, help);
            }
            if self.bound.is_none() || matches!(self.changes, Changes::Chain { .. }) {
                let label = "periods need a bound, and changes with laws or moments";
                review.fault("problem.periods", "this does not go together", label, help);
            }
        }
        if let Some(Tolerance::MaxDeviation(bound) | Tolerance::RmsDeviation(bound)) = &self.bound {
            review.exact_nonnegative("problem.bound", bound, "the bound of the imbalance");
            review.moderate("problem.bound", bound.value, SIZES);
            let what = "it lets loads differ from the mean by";
            review.share("problem.bound", bound.value, what);
        } else if self.remap_cost.is_none() || matches!(self.changes, Changes::Chain { .. }) {
            review.fault(
                "problem",
                "nothing says how long an interval may be",
                "neither a bound on the imbalance nor a cost of a remap",
                "give bound: MaxDeviation(0.05), or remap_cost: 5 where the changes have laws",
            );
        } else if let Some((path, ..)) =
            self.laws().iter().find(|(_, _, law)| matches!(law, Law::Moments { .. }))
        {
            review.fault(
                path,
                "an interval of least cost needs laws",
                "only moments are given",
                "give a law such as Normal(...) or Steps([...]), or a bound on the imbalance",
            );
        }
        review.moderate("problem.initial_load", self.initial_load.value, SIZES);
        if let Some(cost) = &self.remap_cost {
            cost.review("problem.remap_cost", review);
            review.moderate("problem.remap_cost", cost.number().value, SIZES);
        }
    }

    fn review_chain(&self, review: &mut Review<'_>) {
        let Changes::Chain { chain, .. } = &self.changes else { return };
        chain.review("problem.changes.chain", review);
        let message = "capacities and covariances do not go with a chain of levels";
        for (path, given) in [
            ("problem.capacities", self.capacities.is_some()),
            ("problem.covariance", self.covariance.is_some()),
        ] {
            if given {
                review.fault(path, message, "not with a chain", "leave it out");
            }
        }
        if matches!(chain, Chain::Matrix { .. } | Chain::Affine { .. }) {
            let help = "give Walk(...) or BirthDeath(...)";
            review.fault(
                "problem.changes.chain",
                "a birth–death chain is needed",
                "a matrix",
                help,
            );
        }
        if chain.levels() > MAX_LEVELS {
            let (label, help) =
                (format!("{} levels", chain.levels()), format!("at most {MAX_LEVELS}"));
            review.fault("problem.changes.chain", "too many levels", &label, &help);
            return;
        }
        let (lowest, load) = (chain.lowest(), self.initial_load.value);
        if lowest < 0 {
            let label = format!("the lowest load is {lowest}");
            let help = "take lowest >= 0";
            review.fault("problem.changes.chain", "loads cannot be negative", &label, help);
        }
        let highest = lowest.saturating_add(chain.levels() as i64 - 1);
        let whole = self.initial_load.exact == Rational::from(load as i64);
        if !whole || load < lowest as f64 || load > highest as f64 {
            let label = format!("{load} is not a load of the chain");
            let help = format!("loads are the whole numbers from {lowest} to {highest}");
            review.fault("problem.initial_load", "the initial load is out of range", &label, &help);
        }
    }

    fn review_capacities(&self, review: &mut Review<'_>, count: usize) {
        let Some(capacities) = &self.capacities else { return };
        if capacities.len() != count {
            let label = format!("{} capacities for {count} processors", capacities.len());
            review.fault("problem.capacities", "one capacity per processor is needed", &label, "");
        }
        for (index, capacity) in capacities.iter().enumerate() {
            positive(review, &format!("problem.capacities[{index}]"), capacity, "a capacity");
        }
        if self.covariance.is_some() {
            let help = "give the covariance of the loads divided by the capacities instead";
            let message = "capacities and a covariance matrix do not go together";
            review.fault("problem.capacities", message, "capacities here", help);
        }
    }

    fn review_covariance(&self, review: &mut Review<'_>, count: usize) {
        let Some(rows) = &self.covariance else { return };
        let path = "problem.covariance";
        if !matches!(self.bound, Some(Tolerance::RmsDeviation(_))) {
            let help = "use bound: RmsDeviation(...), whose interval is safe for MaxDeviation of the same number";
            let label = "the expected largest deviation of correlated changes is not computed";
            review.fault(path, "a covariance matrix goes with RmsDeviation only", label, help);
        }
        if rows.len() != count || count > MAX_CORRELATED {
            let label = format!("{} rows for {count} processors", rows.len());
            let help = format!("give one row per processor, at most {MAX_CORRELATED}");
            review.fault(path, "the covariance matrix has the wrong size", &label, &help);
            return;
        }
        let covariance = match Covariance::new(&numbers(rows)) {
            Ok(covariance) => covariance,
            Err(error) => {
                let help = "a covariance matrix is symmetric with no negative eigenvalue";
                review.fault(path, "this is not a covariance matrix", &error.to_string(), help);
                return;
            }
        };
        if let Some((processor, variance)) = self.another_variance() {
            review.warn(format!(
                "the covariance matrix gives processor {processor} the variance {}, its law {variance}: \
                 the matrix is used",
                covariance.variance(processor)
            ));
        }
    }
}
