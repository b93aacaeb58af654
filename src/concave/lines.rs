//! Concave functions on [0, 1] as lower envelopes of lines, in exact rationals.

use crate::{Observer, Rational};
use std::cmp::Ordering;

/// Lines between two checks of the observer: exact numbers are long.
const AT_A_TIME: usize = 64;

/// p -> (1-p) * `at_zero` + p * `at_one`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Value at p = 0.
    pub at_zero: Rational,
    /// Value at p = 1.
    pub at_one: Rational,
}

impl Line {
    /// By the values at 0, ties by those at 1.
    fn by_start(&self, other: &Line) -> Ordering {
        self.at_zero.cmp(&other.at_zero).then_with(|| self.at_one.cmp(&other.at_one))
    }

    /// By the values at 1, ties by those at 0.
    fn by_end(&self, other: &Line) -> Ordering {
        self.at_one.cmp(&other.at_one).then_with(|| self.at_zero.cmp(&other.at_zero))
    }

    /// The value at `p`.
    pub fn value(&self, p: &Rational) -> Rational {
        (Rational::ONE - p) * &self.at_zero + p * &self.at_one
    }

    /// Where two lines cross inside (0, 1), if they do.
    pub fn crossing(&self, other: &Line) -> Option<Rational> {
        let start = &self.at_zero - &other.at_zero;
        let end = &self.at_one - &other.at_one;
        let crosses = (start < Rational::ZERO && end > Rational::ZERO)
            || (start > Rational::ZERO && end < Rational::ZERO);
        crosses.then(|| &start / (&start - &end))
    }
}

/// The minimum of finitely many lines: continuous, concave, piecewise linear. Operations with an
/// observer return `None` after its halt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// From left to right along the envelope: `at_zero` ascends, `at_one` descends.
    lines: Vec<Line>,
}

impl Lines {
    /// The lower envelope of `lines`. O(k log k).
    ///
    /// # Panics
    /// If there is no line.
    pub fn envelope(mut lines: Vec<Line>) -> Lines {
        assert!(!lines.is_empty(), "an envelope needs a line");
        lines.sort_by(Line::by_start);
        Lines::of_sorted(lines, &()).expect("nobody calls a halt")
    }

    /// The lower envelope of lines in ascending order of their values at 0, ties by those at 1.
    /// O(k).
    fn of_sorted(lines: impl IntoIterator<Item = Line>, observer: &dyn Observer) -> Option<Lines> {
        let mut kept: Vec<Line> = Vec::new();
        for (count, line) in lines.into_iter().enumerate() {
            if count % AT_A_TIME == 0 && observer.check().is_break() {
                return None;
            }
            // Only a line that ends lower can still appear, further right.
            if kept.last().is_some_and(|last| line.at_one >= last.at_one) {
                continue;
            }
            while let [.., before, last] = kept.as_slice() {
                match (before.crossing(last), last.crossing(&line)) {
                    (Some(enters), Some(leaves)) if enters >= leaves => kept.pop(),
                    _ => break,
                };
            }
            // A line that starts where the last one does and ends lower hides it.
            if kept.last().is_some_and(|last| last.at_zero == line.at_zero) {
                kept.pop();
            }
            kept.push(line);
        }
        Some(Lines { lines: kept })
    }

    /// The value at `p`. O(k).
    pub fn value(&self, p: &Rational) -> Rational {
        self.lines.iter().map(|line| line.value(p)).min().expect("an envelope has a line")
    }

    /// The lines of the envelope from left to right.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Abscissas where the slope decreases, ascending.
    pub fn breakpoints(&self) -> Vec<Rational> {
        self.lines.windows(2).filter_map(|pair| pair[0].crossing(&pair[1])).collect()
    }

    /// The pairs of a line of this envelope and one of another that hold together, from left to
    /// right, each with the abscissa where it ends. O(k + l).
    fn paired<'a>(
        &'a self,
        other: &'a Lines,
        observer: &dyn Observer,
    ) -> Option<Vec<(&'a Line, &'a Line, Rational)>> {
        let end = |lines: &[Line], i: usize| lines[i].crossing(lines.get(i + 1)?);
        let mut pairs = Vec::with_capacity(self.lines.len() + other.lines.len());
        let (mut i, mut j) = (0, 0);
        let (mut own, mut its) = (end(&self.lines, 0), end(&other.lines, 0));
        loop {
            if pairs.len() % AT_A_TIME == 0 && observer.check().is_break() {
                return None;
            }
            let pair = (&self.lines[i], &other.lines[j]);
            let Some(here) = [&own, &its].into_iter().flatten().min().cloned() else {
                pairs.push((pair.0, pair.1, Rational::ONE));
                return Some(pairs);
            };
            if own.as_ref() == Some(&here) {
                i += 1;
                own = end(&self.lines, i);
            }
            if its.as_ref() == Some(&here) {
                j += 1;
                its = end(&other.lines, j);
            }
            pairs.push((pair.0, pair.1, here));
        }
    }

    /// The sum of two such functions. O(k + l).
    pub fn plus(&self, other: &Lines, observer: &dyn Observer) -> Option<Lines> {
        let sum = |(a, b, _): (&Line, &Line, Rational)| Line {
            at_zero: &a.at_zero + &b.at_zero,
            at_one: &a.at_one + &b.at_one,
        };
        Some(Lines { lines: self.paired(other, observer)?.into_iter().map(sum).collect() })
    }

    /// The differences to another function at 0, at 1, and where the slope of either changes; the
    /// difference is linear between these points. O(k + l).
    pub fn minus(
        &self,
        other: &Lines,
        observer: &dyn Observer,
    ) -> Option<Vec<(Rational, Rational)>> {
        let start = &self.lines[0].at_zero - &other.lines[0].at_zero;
        let end = |(own, its, p): (&Line, &Line, Rational)| {
            let difference = own.value(&p) - its.value(&p);
            (p, difference)
        };
        let ends = self.paired(other, observer)?.into_iter().map(end);
        Some(std::iter::once((Rational::ZERO, start)).chain(ends).collect())
    }

    /// The function after a linear map of the weights (1-p, p): the weight at 0 becomes `map[0][0]`
    /// (1-p) + `map[1][0]` p, the weight at 1 `map[0][1]` (1-p) + `map[1][1]` p. All are >= 0, and
    /// so is the determinant. O(k).
    ///
    /// For a Bayes update from p to p' that increases with p, this is q V(p'); q is the probability
    /// of the observation.
    pub fn mapped(&self, map: &[[Rational; 2]; 2], observer: &dyn Observer) -> Option<Lines> {
        let images = self.each(observer, |line| {
            let at = |[zero, one]: &[Rational; 2]| zero * &line.at_zero + one * &line.at_one;
            Line { at_zero: at(&map[0]), at_one: at(&map[1]) }
        })?;
        // The images keep their order. Those of lines that hold beyond the range of p' are above
        // the others.
        let all = || images.iter().enumerate();
        let (first, _) = all().min_by(|(_, a), (_, b)| a.by_start(b))?;
        let (last, _) = all().min_by(|(_, a), (_, b)| a.by_end(b))?;
        Some(Lines { lines: images[first..=last].to_vec() })
    }

    /// The function times `factor` >= 0 plus `line`. O(k).
    pub fn scaled_plus(
        &self,
        factor: &Rational,
        line: &Line,
        observer: &dyn Observer,
    ) -> Option<Lines> {
        let images = self.each(observer, |own| Line {
            at_zero: factor * &own.at_zero + &line.at_zero,
            at_one: factor * &own.at_one + &line.at_one,
        });
        Lines::of_sorted(images?, observer)
    }

    /// The minimum with the lines of another envelope, which ascend by their values at 0, ties by
    /// those at 1. O(k + l).
    pub fn min_with(
        &self,
        other: impl IntoIterator<Item = Line>,
        observer: &dyn Observer,
    ) -> Option<Lines> {
        let mut own = self.lines.iter().cloned().peekable();
        let mut other = other.into_iter().peekable();
        let merged = std::iter::from_fn(|| match (own.peek(), other.peek()) {
            (Some(a), Some(b)) if a.by_start(b).is_gt() => other.next(),
            (None, _) => other.next(),
            _ => own.next(),
        });
        Lines::of_sorted(merged, observer)
    }

    /// The image of every line.
    fn each(&self, observer: &dyn Observer, image: impl Fn(&Line) -> Line) -> Option<Vec<Line>> {
        let mut images = Vec::with_capacity(self.lines.len());
        for chunk in self.lines.chunks(AT_A_TIME) {
            if observer.check().is_break() {
                return None;
            }
            images.extend(chunk.iter().map(&image));
        }
        Some(images)
    }
}
