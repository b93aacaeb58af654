//! Numbers with as many digits as their errors allow, and errors rounded up.

use crate::document::Bounds;
use remapping::estimate::Estimate;

/// A number for output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The number.
    pub value: String,
    /// The largest distance of the bounds from the shown value; absent where they coincide, or
    /// there are none.
    pub error: Option<String>,
}

impl Shown {
    /// Both, with `sign` between them.
    pub fn joined(&self, sign: &str) -> String {
        match &self.error {
            None => self.value.clone(),
            Some(error) => format!("{} {sign} {error}", self.value),
        }
    }
}

/// Proved bounds, shown by their midpoint.
pub fn proved(bounds: Bounds) -> Shown {
    let Bounds { lower, upper } = bounds;
    if !(lower.is_finite() && upper.is_finite()) {
        let value = "no bounds: beyond the range of doubles, or made of times too far apart";
        return Shown { value: value.to_owned(), error: None };
    }
    around(0.5 * lower + 0.5 * upper, lower, upper)
}

/// A sample mean with its interval.
pub fn sampled(found: Estimate) -> Shown {
    match found.is_bounded() {
        true => around(found.value, found.lower, found.upper),
        false => Shown { value: plain(found.value), error: None },
    }
}

/// A number whose error is that of doubles: ten digits.
pub fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || value.fract() == 0.0 && value.abs() < 1e10 {
        return format!("{value}");
    }
    significant(value, 10)
}

/// Six digits, for sentences; tables have more.
pub fn brief(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    significant(value, 6)
}

/// The number between these bounds: with six digits where they agree to a unit of the last,
/// otherwise with its error.
pub fn settled(bounds: Bounds) -> String {
    let middle = bounds.middle();
    let unit = if middle == 0.0 { 0.0 } else { 10f64.powi(exponent(middle) - 5) };
    match bounds.half_width() <= unit {
        true => brief(middle),
        false => proved(bounds).joined("+-"),
    }
}

/// A nonzero number with this many digits, without trailing zeros.
fn significant(value: f64, digits: i32) -> String {
    let places = |exponent: i32| (digits - 1 - exponent).max(0) as usize;
    if !is_decimal(value) {
        return format!("{value:.*e}", places(0));
    }
    let text = format!("{value:.*}", places(exponent(value)));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A threshold that loads must exceed, in six digits: rounded up, so that equal loads do not exceed
/// it.
pub fn exceeded(threshold: f64) -> String {
    let text = brief(threshold);
    match text.parse::<f64>() {
        Ok(shown) if shown < threshold => {
            brief(shown + 10f64.powi((exponent(threshold) - 5).min(0)))
        }
        _ => text,
    }
}

/// An interval in words: `every 7 steps`.
pub fn every(interval: u64) -> String {
    match interval {
        1 => "every step".to_owned(),
        _ => format!("every {interval} steps"),
    }
}

/// The difference of equal costs in percent: rounding and tolerances allow it.
const SAME: f64 = 1e-6;

/// A cost relative to another one: `2.5 % less than`; if the other is 0, `3.5 more than`. Both are
/// finite.
pub fn compared(cost: f64, other: f64) -> String {
    let percent = 100.0 * (cost / other - 1.0);
    match percent {
        _ if cost == other => "as much as".to_owned(),
        _ if !percent.is_finite() && cost > other => format!("{} more than", brief(cost - other)),
        _ if !percent.is_finite() => format!("{} less than", brief(other - cost)),
        _ if percent.abs() < SAME => "as much as".to_owned(),
        _ if percent.abs() < 5e-3 && percent < 0.0 => "less than .01 % below".to_owned(),
        _ if percent.abs() < 5e-3 => "less than .01 % above".to_owned(),
        _ if percent < 0.0 => format!("{:.2} % less than", -percent),
        _ => format!("{percent:.2} % more than"),
    }
}

/// A cost relative to another one, both between close bounds. Where the bounds overlap, neither is
/// less.
pub fn compared_between(cost: Bounds, other: Bounds) -> String {
    let apart = cost.upper <= other.lower || other.upper <= cost.lower;
    match compared(cost.middle(), other.middle()) {
        words if apart || words == "as much as" => words,
        _ => "as much, as far as the bounds tell, as".to_owned(),
    }
}

/// A cost between bounds relative to another one, as far as the bounds decide it.
pub fn compared_within(cost: Bounds, other: f64) -> Option<String> {
    let is_close = cost.width() <= 1e-4 * other.abs();
    match () {
        () if is_close => Some(compared_between(cost, Bounds { lower: other, upper: other })),
        () if cost.upper < other => Some(format!("at least {}", compared(cost.upper, other))),
        () => None,
    }
}

fn exponent(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

fn is_decimal(value: f64) -> bool {
    value == 0.0 || (1e-4..1e12).contains(&value.abs())
}

fn around(value: f64, lower: f64, upper: f64) -> Shown {
    let half = (upper - value).max(value - lower);
    if half <= 0.0 {
        return Shown { value: format!("{value}"), error: None };
    }
    // Two digits of the error; doubles have seventeen.
    let finest = if value == 0.0 { 300 } else { 16 - exponent(value) };
    let places = (1 - exponent(half)).min(finest);
    let text = match is_decimal(value) {
        // More zeros have no meaning for a 0 whose error is written with a power of ten.
        true if value == 0.0 && places > 16 => "0".to_owned(),
        true => format!("{value:.*}", places.max(0) as usize),
        false => format!("{value:.*e}", (places + exponent(value)).max(0) as usize),
    };
    let shown: f64 = text.parse().unwrap_or(value);
    let reach = (upper - shown).max(shown - lower);
    // The difference of two doubles is rounded, and so is the shown text.
    let reach = reach * (1.0 + 4.0 * f64::EPSILON) + f64::EPSILON * shown.abs();
    Shown { value: text, error: Some(up(reach)) }
}

/// Two digits of a positive number, rounded up.
pub fn up(error: f64) -> String {
    if !(error.is_finite() && error > 0.0) {
        return format!("{error}");
    }
    let text = |units: i64, power: i32| match (-3..=5).contains(&power) {
        true => format!("{:.*}", (-power).max(0) as usize, units as f64 * 10f64.powi(power)),
        false => {
            // 100 units are 10 of the next power.
            let (units, power) =
                if units >= 100 { (units / 10, power + 1) } else { (units, power) };
            format!("{}.{}e{}", units / 10, units % 10, power + 1)
        }
    };
    // Powers of ten below 1e-307 are not doubles.
    let shift = if error < 1e-280 { 60 } else { 0 };
    let scaled = error * 10f64.powi(shift);
    let power = exponent(scaled) - 1;
    let first = (scaled / 10f64.powi(power)).floor() as i64;
    // For the smallest doubles, reading the text may give a larger number.
    (first..)
        .filter(|units| *units as f64 * 10f64.powi(power) >= scaled)
        .map(|units| text(units, power - shift))
        .find(|text| text.parse().is_ok_and(|up: f64| up >= error))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_compared_in_words() {
        let cases = [
            (97.0, 100.0, "3.00 % less than"),
            (1.25, 1.0, "25.00 % more than"),
            (1.0, 1.000_000_001, "as much as"),
            (1.0, 1.000_01, "less than .01 % below"),
            (1.000_01, 1.0, "less than .01 % above"),
            (0.0, 0.0, "as much as"),
            (3.5, 0.0, "3.5 more than"),
            (0.0, 3.5, "100.00 % less than"),
        ];
        for (cost, other, words) in cases {
            assert_eq!(compared(cost, other), words);
        }
    }

    #[test]
    fn sentences_say_what_bounds_tell() {
        let close = Bounds { lower: 80.960_150_83, upper: 80.960_150_84 };
        assert_eq!(settled(close), "80.9602");
        assert_eq!(compared_within(close, 83.7).unwrap(), "3.27 % less than");
        let wide = Bounds { lower: 80.9, upper: 81.7 };
        assert_eq!(settled(wide), "81.30 +- 0.41");
        assert_eq!(compared_within(wide, 83.7).unwrap(), "at least 2.39 % less than");
        assert_eq!(compared_within(wide, 81.5), None);
        let around = Bounds { lower: 80.960, upper: 80.966 };
        let words = "as much, as far as the bounds tell, as";
        assert_eq!(compared_within(around, 80.964).unwrap(), words);
        assert_eq!(compared_within(around, 80.970).unwrap(), "0.01 % less than");
        assert_eq!(compared_within(close, 80.960_150_835).unwrap(), "as much as");
        assert_eq!(settled(Bounds { lower: 0.0, upper: 0.0 }), "0");
    }

    #[test]
    fn equal_loads_do_not_exceed_what_is_shown() {
        let cases = [
            (7.0 / 3.0, "2.33334"),
            (5.0 / 3.0, "1.66667"),
            (1.75, "1.75"),
            (100.0 / 3.0, "33.3334"),
            (2.300_001, "2.30001"),
            (1_234_567.25, "1234568"),
        ];
        for (threshold, text) in cases {
            assert_eq!(exceeded(threshold), text);
        }
        for k in 1..2000 {
            let threshold = f64::from(k) / 7.0;
            let shown: f64 = exceeded(threshold).parse().unwrap();
            assert!(shown >= threshold && shown < threshold + 1.0 / 14.0, "{threshold}");
        }
    }

    #[test]
    fn sentences_have_six_digits() {
        let cases = [
            (0.269_725_405, "0.269725"),
            (80.960_16, "80.9602"),
            (1_234_567.8, "1234568"),
            (2.0, "2"),
            (3.25e-9, "3.25000e-9"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(brief(value), text);
        }
    }

    #[test]
    fn errors_are_rounded_up_to_two_digits() {
        let cases = [
            (2.81e-12, "2.9e-12"),
            (2.8e-12, "2.8e-12"),
            (9.91e-7, "1.0e-6"),
            (4.456, "4.5"),
            (0.01234, "0.013"),
            (0.0999, "0.100"),
            (99.5, "100"),
            (123.4, "130"),
            (123.4e9, "1.3e11"),
            (5e-324, "5.0e-324"),
        ];
        for (error, text) in cases {
            assert_eq!(up(error), text, "{error}");
        }
    }

    /// The shown value with its error contains the bounds, and is only a little wider.
    #[test]
    fn shown_numbers_contain_their_bounds() {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let value = (next() - 0.5) * 10f64.powf(30.0 * next() - 15.0);
            let width = value.abs() * 10f64.powf(-16.0 * next());
            let bounds = Bounds { lower: value - width, upper: value + width * next() };
            let shown = proved(bounds);
            let Some(error) = &shown.error else { continue };
            let (middle, error): (f64, f64) =
                (shown.value.parse().unwrap(), error.parse().unwrap());
            assert!(
                middle - error <= bounds.lower && bounds.upper <= middle + error,
                "{bounds:?} {shown:?}"
            );
            let half = bounds.half_width();
            assert!(error <= 1.25 * half + 1e-15 * value.abs(), "{bounds:?} {shown:?}");
        }
    }

    #[test]
    fn numbers_have_the_digits_their_errors_allow() {
        let shown = |lower: f64, upper: f64| proved(Bounds { lower, upper }).joined("+-");
        assert_eq!(shown(80.960_150_839_258, 80.960_150_839_263), "80.9601508392605 +- 2.6e-12");
        assert_eq!(shown(100.0, 300.0), "200 +- 110");
        assert_eq!(shown(5.0, 5.0), "5");
        assert_eq!(shown(0.0, 1e-7), "5.0e-8 +- 5.1e-8");
        assert_eq!(shown(-1e-3, 1e-3), "0.0000 +- 1.1e-3");
        assert_eq!(shown(-4.4e-305, 4.4e-305), "0 +- 4.5e-305");
        assert_eq!(plain(207.637_210_457_3), "207.6372105");
        assert_eq!(plain(12.0), "12");
    }
}
