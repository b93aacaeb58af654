//! Model files as they are written; decimals are read as exact fractions.

use crate::Refusal;
use crate::load_drift::LoadDrift;
use crate::many_phases::ManyPhases;
use crate::periodic::Periodic;
use crate::recursion::horizon::PhaseChange;
use crate::stopping::Written;
use crate::switching::PhaseSwitching;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Signed};
use ron::extensions::Extensions;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// What stands in a model file: every field must be known, and is given once.
macro_rules! written {
    ($($item:item)*) => { $(
        #[allow(dead_code, missing_docs)]
        #[derive(Clone, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $item
    )* };
}

pub(crate) use written;

written! {
    // What a model keeps of the log it was fitted to says nothing of its problem.
    struct Model {
        title: String, source: Option<String>, unit_seconds: Option<Number>, stride: Option<u64>,
        fits: Option<Fits>, job_steps: Option<u64>, problem: Problem
    }
    struct Fits { verdict: Verdict, why: String }
    enum Verdict { #[serde(rename = "yes")] Yes, #[serde(rename = "no")] No }
    pub enum Problem {
        PhaseChange(Box<PhaseChange>), PhaseSwitching(Box<PhaseSwitching>), Stopping(Written),
        LoadDrift(LoadDrift), Periodic(Box<Periodic>), ManyPhases(Box<ManyPhases>)
    }
}

/// Reads the title and the problem of a model file.
pub fn read(text: &str) -> Result<(String, Problem), Refusal> {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(extensions);
    let model: Result<Model, _> = options.from_str(text);
    model
        .map(|model| (model.title, model.problem))
        .map_err(|error| Refusal::Model(error.to_string()))
}

/// A decimal number, exactly, which may not be negative.
#[derive(Clone, PartialEq)]
pub struct Number(pub BigRational);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom(format!("{} is not a decimal number from 0 up", raw.get_ron()));
        let number = decimal(raw.trim().get_ron()).filter(|number| !number.is_negative());
        number.map(Number).ok_or_else(wrong)
    }
}

/// The number that a literal stands for, if doubles reach as far.
pub fn decimal(literal: &str) -> Option<BigRational> {
    let plain = literal.replace('_', "");
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let exponent = exponent.parse::<i32>().ok().filter(|e| e.unsigned_abs() <= 400)?;
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{part}");
    let plain = digits.len() <= 1000 && digits.bytes().all(|b| b.is_ascii_digit());
    let digits = digits.parse::<BigInt>().ok().filter(|_| plain)?;
    let ten = BigRational::from(BigInt::from(10));
    let number = BigRational::from(digits) * Pow::pow(ten, exponent - part.len() as i32);
    // What is nearer to 2^1024 than to the largest double is infinite.
    let finite = number < BigRational::from(((BigInt::from(1) << 54) - 1) << 970);
    let signed = if mantissa.starts_with('-') { -number } else { number };
    Some(signed).filter(|_| finite)
}

/// Whether probabilities with this sum miss 1 by no more than those of a model file may.
pub fn is_one(sum: &BigRational) -> bool {
    (sum - BigInt::from(1)).abs() <= BigRational::new(1.into(), 1_000_000_000.into())
}
