//! Concave functions on [0, 1] as lower envelopes of lines, in exact rationals.

use crate::Rational;

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
    pub fn envelope(mut lines: Vec<Line>) -> Lines {
        assert!(!lines.is_empty(), "an envelope needs a line");
        lines.sort_by(|a, b| a.at_zero.cmp(&b.at_zero).then(a.at_one.cmp(&b.at_one)));
        let mut kept: Vec<Line> = Vec::new();
        for line in lines {
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
        Lines { lines: kept }
    }

    /// The value at `p`. O(k).
    pub fn value(&self, p: &Rational) -> Rational {
        self.lines.iter().map(|line| line.value(p)).min().expect("an envelope has a line")
    }

    /// The lines of the envelope from left to right.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Where the slope falls, ascending.
    pub fn breakpoints(&self) -> Vec<Rational> {
        self.lines.windows(2).filter_map(|pair| pair[0].crossing(&pair[1])).collect()
    }

    /// The sum of two such functions: along both envelopes at once. O(k + l).
    pub fn plus(&self, other: &Lines) -> Lines {
        let mut sums = Vec::with_capacity(self.lines.len() + other.lines.len());
        let (mut i, mut j) = (0, 0);
        loop {
            let (a, b) = (&self.lines[i], &other.lines[j]);
            sums.push(Line { at_zero: &a.at_zero + &b.at_zero, at_one: &a.at_one + &b.at_one });
            let next_a = self.lines.get(i + 1).and_then(|next| a.crossing(next));
            let next_b = other.lines.get(j + 1).and_then(|next| b.crossing(next));
            match (next_a, next_b) {
                (None, None) => break,
                (Some(x), Some(y)) => {
                    i += usize::from(x <= y);
                    j += usize::from(y <= x);
                }
                (Some(_), None) => i += 1,
                (None, Some(_)) => j += 1,
            }
        }
        Lines { lines: sums }
    }

    /// p -> the function after a linear map of the weights (1-p, p): the weight at 0 becomes
    /// `stay` (1-p), the weight at 1 becomes `arrive_from_zero` (1-p) + `arrive_from_one` p; all >= 0.
    /// This is q V(p') for a Bayes update that reports with probability q and moves p to p'.
    pub fn after_report(
        &self,
        stay: &Rational,
        from_zero: &Rational,
        from_one: &Rational,
    ) -> Lines {
        let zero = Rational::ZERO;
        self.mapped([[stay.clone(), from_zero.clone()], [zero, from_one.clone()]])
    }

    /// The same for any linear map: the weight at 0 becomes `map[0][0]` (1-p) + `map[1][0]` p, the weight at
    /// 1 `map[0][1]` (1-p) + `map[1][1]` p; all >= 0.
    pub fn mapped(&self, map: [[Rational; 2]; 2]) -> Lines {
        let image = |line: &Line| {
            let at = |[zero, one]: &[Rational; 2]| zero * &line.at_zero + one * &line.at_one;
            Line { at_zero: at(&map[0]), at_one: at(&map[1]) }
        };
        Lines::envelope(self.lines.iter().map(image).collect())
    }

    /// The function times `factor` >= 0 plus `line`.
    pub fn scaled_plus(&self, factor: &Rational, line: &Line) -> Lines {
        let map = |own: &Line| Line {
            at_zero: factor * &own.at_zero + &line.at_zero,
            at_one: factor * &own.at_one + &line.at_one,
        };
        Lines::envelope(self.lines.iter().map(map).collect())
    }

    /// The minimum with one more line.
    pub fn min_with(&self, line: Line) -> Lines {
        let mut lines = self.lines.clone();
        lines.push(line);
        Lines::envelope(lines)
    }
}
