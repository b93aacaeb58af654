//! The observations that a detector can make, as model files state them.

use crate::core::decimal::{Number, is_one};
use crate::core::written;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

written! {
    struct Binary { false_alarm: Number, missed: Number }
    struct Level { before: Number, after: Number }
    enum Lists { Levels(Vec<Level>), Several(Vec<Detector>) }
}

/// The probability of each observation before the change and after it. Both lists sum to 1.
#[derive(Clone, PartialEq)]
pub struct Detector {
    pub reports: Vec<[BigRational; 2]>,
    /// The two error probabilities of a detector that only says yes or no.
    pub binary: Option<[Number; 2]>,
}

/// The most observations of a detector.
const MOST_REPORTS: usize = 1000;

impl<'de> Deserialize<'de> for Detector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Detector, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let raw = raw.trim();
        // The variant that holds a list is recognized by its name.
        let name = raw.get_ron().split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let detector = match name {
            Some("Levels" | "Several") => raw.into_rust().map(Detector::listed),
            _ => raw.into_rust().map(Detector::binary),
        };
        let detector = detector.map_err(|error| D::Error::custom(error.to_string()))?;
        detector.ok_or_else(|| D::Error::custom("the reports of a detector have no law"))
    }
}

impl Detector {
    fn binary(
        Binary { false_alarm: Number(alarm), missed: Number(missed) }: Binary,
    ) -> Option<Self> {
        let one = BigRational::from(BigInt::from(1));
        let reports = vec![[alarm.clone(), &one - &missed], [&one - &alarm, missed.clone()]];
        let fits = alarm <= one && missed <= one;
        let binary = Some([Number(alarm), Number(missed)]);
        Some(Detector { reports, binary }).filter(|_| fits)
    }

    fn listed(lists: Lists) -> Option<Detector> {
        let reports = match lists {
            Lists::Levels(levels) => {
                let one = BigRational::from(BigInt::from(1));
                let levels = levels.into_iter().map(|level| [level.before.0, level.after.0]);
                let levels: Vec<[BigRational; 2]> = levels.collect();
                let sum = |phase: usize| levels.iter().map(|p| &p[phase]).sum::<BigRational>();
                let sums = [sum(0), sum(1)];
                if !sums.iter().all(is_one) || levels.iter().flatten().any(|p| *p > one) {
                    return None;
                }
                // Dividing by the sum shares the missing probability among all observations.
                levels.iter().map(|[before, after]| [before / &sums[0], after / &sums[1]]).collect()
            }
            Lists::Several(detectors) => {
                let all = |all: Vec<[BigRational; 2]>, one: &Detector| {
                    let one = &one.reports;
                    let fits = all.len().checked_mul(one.len())? <= MOST_REPORTS;
                    let both =
                        |a: &[BigRational; 2], b: &[BigRational; 2]| [&a[0] * &b[0], &a[1] * &b[1]];
                    let pairs = all.iter().flat_map(|a| one.iter().map(move |b| both(a, b)));
                    fits.then(|| pairs.collect())
                };
                let (first, others) = detectors.split_first()?;
                others.iter().try_fold(first.reports.clone(), all)?
            }
        };
        let fits = reports.len() <= MOST_REPORTS;
        Some(Detector { reports, binary: None }).filter(|_| fits)
    }
}
