//! Concave functions on [0, 1] as lower envelopes of lines, in exact rationals.

use crate::{Observer, Rational};

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

/// The minimum of finitely many lines: continuous, concave, piecewise linear.
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
    pub fn envelope(lines: Vec<Line>) -> Lines {
        Lines::envelope_unless(lines, &()).expect("nobody calls a halt")
    }

    /// The same; `None` after a halt.
    fn envelope_unless(lines: Vec<Line>, observer: &dyn Observer) -> Option<Lines> {
        assert!(!lines.is_empty(), "an envelope needs a line");
        let mut kept: Vec<Line> = Vec::new();
        for (count, line) in sorted(lines, observer)?.into_iter().enumerate() {
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

    /// Operations on the function under an observer; they return `None` after a halt.
    pub fn watched<'a>(&'a self, observer: &'a dyn Observer) -> Watched<'a> {
        Watched { lines: self, observer }
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
}

/// In ascending order of the values at 0, ties by those at 1; `None` after a halt. Merge sort.
fn sorted(lines: Vec<Line>, observer: &dyn Observer) -> Option<Vec<Line>> {
    let before = |a: &Line, b: &Line| {
        a.at_zero.cmp(&b.at_zero).then_with(|| a.at_one.cmp(&b.at_one)).is_le()
    };
    let mut runs: Vec<Vec<Line>> = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while lines.peek().is_some() {
        let mut run: Vec<Line> = lines.by_ref().take(AT_A_TIME).collect();
        run.sort_by(|a, b| a.at_zero.cmp(&b.at_zero).then_with(|| a.at_one.cmp(&b.at_one)));
        runs.push(run);
        observer.check().is_continue().then_some(())?;
    }
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(first) = pairs.next() {
            let Some(second) = pairs.next() else {
                merged.push(first);
                break;
            };
            let mut both = Vec::with_capacity(first.len() + second.len());
            let (mut a, mut b) = (first.into_iter().peekable(), second.into_iter().peekable());
            loop {
                if both.len() % AT_A_TIME == 0 {
                    observer.check().is_continue().then_some(())?;
                }
                let next = match (a.peek(), b.peek()) {
                    (Some(one), Some(other)) if before(one, other) => a.next(),
                    (_, Some(_)) => b.next(),
                    _ => a.next(),
                };
                let Some(next) = next else { break };
                both.push(next);
            }
            merged.push(both);
        }
        runs = merged;
    }
    Some(runs.pop().unwrap_or_default())
}

/// Operations on a function that an observer can halt.
pub struct Watched<'a> {
    lines: &'a Lines,
    observer: &'a dyn Observer,
}

impl Watched<'_> {
    /// The sum of two such functions, by traversing both envelopes. O(k + l).
    pub fn plus(&self, other: &Lines) -> Option<Lines> {
        let (own, other) = (&self.lines.lines, &other.lines);
        let crossing = |lines: &[Line], i: usize| lines[i].crossing(lines.get(i + 1)?);
        let mut sums = Vec::with_capacity(own.len() + other.len());
        let (mut i, mut j) = (0, 0);
        let (mut next_a, mut next_b) = (crossing(own, 0), crossing(other, 0));
        loop {
            if sums.len() % AT_A_TIME == 0 && self.observer.check().is_break() {
                return None;
            }
            let (a, b) = (&own[i], &other[j]);
            sums.push(Line { at_zero: &a.at_zero + &b.at_zero, at_one: &a.at_one + &b.at_one });
            let (left, right) = match (&next_a, &next_b) {
                (None, None) => break,
                (Some(x), Some(y)) => (x <= y, y <= x),
                (Some(_), None) => (true, false),
                (None, Some(_)) => (false, true),
            };
            if left {
                i += 1;
                next_a = crossing(own, i);
            }
            if right {
                j += 1;
                next_b = crossing(other, j);
            }
        }
        Some(Lines { lines: sums })
    }

    /// The function after a linear map of the weights (1-p, p). The weight at 0 becomes `stay`
    /// (1-p), the weight at 1 becomes `from_zero` (1-p) + `from_one` p; all >= 0. This is q V(p')
    /// for a Bayes update with observation probability q from p to p'.
    pub fn after_report(
        &self,
        stay: &Rational,
        from_zero: &Rational,
        from_one: &Rational,
    ) -> Option<Lines> {
        let zero = Rational::ZERO;
        self.mapped([[stay.clone(), from_zero.clone()], [zero, from_one.clone()]])
    }

    /// The same for any linear map: the weight at 0 becomes `map[0][0]` (1-p) + `map[1][0]` p, the
    /// weight at 1 `map[0][1]` (1-p) + `map[1][1]` p; all >= 0.
    pub fn mapped(&self, map: [[Rational; 2]; 2]) -> Option<Lines> {
        self.each(|line: &Line| {
            let at = |[zero, one]: &[Rational; 2]| zero * &line.at_zero + one * &line.at_one;
            Line { at_zero: at(&map[0]), at_one: at(&map[1]) }
        })
    }

    /// The function times `factor` >= 0 plus `line`.
    pub fn scaled_plus(&self, factor: &Rational, line: &Line) -> Option<Lines> {
        self.each(|own: &Line| Line {
            at_zero: factor * &own.at_zero + &line.at_zero,
            at_one: factor * &own.at_one + &line.at_one,
        })
    }

    /// The minimum with more lines.
    pub fn min_with(&self, others: impl IntoIterator<Item = Line>) -> Option<Lines> {
        let mut lines = self.lines.lines.clone();
        lines.extend(others);
        Lines::envelope_unless(lines, self.observer)
    }

    /// The differences to another function at 0, at 1, and where the slope of either changes; the
    /// difference is linear between these points. O(k + l).
    pub fn minus(&self, other: &Lines) -> Option<Vec<(Rational, Rational)>> {
        let (own, other) = (&self.lines.lines, &other.lines);
        let crossing = |lines: &[Line], i: usize| lines[i].crossing(lines.get(i + 1)?);
        let (mut i, mut j) = (0, 0);
        let (mut next_a, mut next_b) = (crossing(own, 0), crossing(other, 0));
        let mut p = Rational::ZERO;
        let mut differences = Vec::with_capacity(own.len() + other.len());
        loop {
            if differences.len() % AT_A_TIME == 0 && self.observer.check().is_break() {
                return None;
            }
            let difference = own[i].value(&p) - other[j].value(&p);
            if p == Rational::ONE {
                differences.push((p, difference));
                return Some(differences);
            }
            let next =
                [&next_a, &next_b].into_iter().flatten().min().unwrap_or(&Rational::ONE).clone();
            differences.push((std::mem::replace(&mut p, next), difference));
            if next_a.as_ref() == Some(&p) {
                i += 1;
                next_a = crossing(own, i);
            }
            if next_b.as_ref() == Some(&p) {
                j += 1;
                next_b = crossing(other, j);
            }
        }
    }

    /// The envelope of the image of every line.
    fn each(&self, image: impl Fn(&Line) -> Line) -> Option<Lines> {
        let mut images = Vec::with_capacity(self.lines.lines.len());
        for chunk in self.lines.lines.chunks(AT_A_TIME) {
            if self.observer.check().is_break() {
                return None;
            }
            images.extend(chunk.iter().map(&image));
        }
        Lines::envelope_unless(images, self.observer)
    }
}
