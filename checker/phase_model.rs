//! The phase-change problem of a model file, and its horizon step by step, in exact fractions.

use crate::Refusal;
use crate::fixed::Span;
use crate::syntax::Tree;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// A model with one change of phase.
pub struct PhaseChange {
    lifetime: Lifetime,
    hazard: Hazard,
    pub(crate) before: BigRational,
    pub(crate) after: BigRational,
    pub(crate) remapped: BigRational,
    /// e_B - e_R.
    pub(crate) gain: BigRational,
    pub(crate) test: BigRational,
    pub(crate) install: BigRational,
    pub(crate) false_alarm: BigRational,
    pub(crate) missed: BigRational,
    /// e_P - e_F where a premature remapping is kept.
    pub(crate) regret: Option<BigRational>,
}

enum Lifetime {
    Fixed,
    Uniform {
        first: u64,
    },
    Geometric {
        stay: BigRational,
        first: u64,
    },
    /// P(N >= m) for every m.
    Tails(Vec<BigRational>),
}

enum Hazard {
    Constant(BigRational),
    PerStep(Vec<BigRational>),
}

/// A horizon beyond which steps are not listed.
const MOST_LISTED: u64 = 1 << 24;

fn wrong<T>(what: &str) -> Result<T, Refusal> {
    Err(Refusal::Model(format!("{what} is out of range or unknown")))
}

fn probability(tree: &Tree) -> Result<BigRational, Refusal> {
    let p = tree.number()?;
    if p.is_negative() || p > BigRational::one() { wrong("a probability") } else { Ok(p) }
}

fn time(tree: &Tree) -> Result<BigRational, Refusal> {
    let t = tree.number()?;
    if t.is_negative() { wrong("a time") } else { Ok(t) }
}

impl PhaseChange {
    pub(crate) fn read(tree: &Tree) -> Result<(PhaseChange, u64), Refusal> {
        let fields = tree.fields(
            "PhaseChange",
            &["lifetime", "cycle", "remap", "detector", "hazard", "premature"],
        )?;
        let (lifetime, last) = Lifetime::read(fields.get("lifetime")?)?;
        let cycle = fields.get("cycle")?.fields("", &["before", "after", "remapped"])?;
        let remap = fields.get("remap")?.fields("", &["test", "install"])?;
        let detector = fields.get("detector")?;
        if !detector.name().is_empty() {
            let message = "there are certificates for detectors that say yes or no only";
            return Err(Refusal::Model(message.to_owned()));
        }
        let detector = detector.fields("", &["false_alarm", "missed"])?;
        let hazard = fields.get("hazard")?;
        let hazard = match hazard.name() {
            "Constant" => Hazard::Constant(probability(hazard.only()?)?),
            "PerStep" => {
                let list: Vec<_> =
                    hazard.only()?.list()?.iter().map(probability).collect::<Result<_, _>>()?;
                if list.len() as u64 != last {
                    return wrong("the number of hazards");
                }
                Hazard::PerStep(list)
            }
            _ => return wrong("hazard"),
        };
        let before = time(cycle.get("before")?)?;
        let premature = fields.find("premature");
        let regret = match premature.map_or("Revert", Tree::name) {
            "Revert" => None,
            "Keep" => {
                let kept =
                    premature.map(|tree| tree.fields("Keep", &["before_remapped"])).transpose()?;
                let kept = kept.map_or_else(
                    || wrong("premature"),
                    |fields| time(fields.get("before_remapped")?),
                )?;
                if kept < before {
                    return wrong("before_remapped");
                }
                Some(kept - &before)
            }
            _ => return wrong("premature"),
        };
        let (after, remapped) = (time(cycle.get("after")?)?, time(cycle.get("remapped")?)?);
        let model = PhaseChange {
            lifetime,
            hazard,
            gain: &after - &remapped,
            before,
            after,
            remapped,
            test: time(remap.get("test")?)?,
            install: time(remap.get("install")?)?,
            false_alarm: probability(detector.get("false_alarm")?)?,
            missed: probability(detector.get("missed")?)?,
            regret,
        };
        Ok((model, last))
    }

    /// Fraction bits with which every value fits 61 bits.
    pub(crate) fn bits(&self, last: u64) -> Result<u32, Refusal> {
        let kept = self.regret.clone().unwrap_or_else(BigRational::zero)
            * BigRational::from(BigInt::from(last + 1));
        let bound = (&self.test + &self.install + self.gain.abs())
            * BigRational::from(BigInt::from(4))
            + kept;
        let whole = bound.ceil().to_integer().bits() as u32;
        61u32.checked_sub(whole).filter(|bits| *bits >= 16).ok_or(Refusal::TooLarge)
    }
}

impl Lifetime {
    fn read(tree: &Tree) -> Result<(Lifetime, u64), Refusal> {
        let natural = |tree: &Tree| Ok::<u64, Refusal>(tree.count()? as u64);
        let range = |known: &[&str]| {
            let fields = tree.fields(tree.name(), known)?;
            let (first, last) = (natural(fields.get("first")?)?, natural(fields.get("last")?)?);
            if first > last { wrong("the range of N") } else { Ok((fields, first, last)) }
        };
        Ok(match tree.name() {
            "Fixed" => (Lifetime::Fixed, natural(tree.only()?)?),
            "Uniform" => {
                let (_, first, last) = range(&["first", "last"])?;
                (Lifetime::Uniform { first }, last)
            }
            "Geometric" => {
                let (fields, first, last) = range(&["rate", "first", "last"])?;
                let rate = probability(fields.get("rate")?)?;
                match BigRational::one() - rate {
                    stay if stay.is_zero() => (Lifetime::Fixed, first),
                    stay if stay.is_one() => (Lifetime::Uniform { first }, last),
                    stay => (Lifetime::Geometric { stay, first }, last),
                }
            }
            "Pmf" => {
                let Tree::Map(entries) = tree.only()? else { return wrong("lifetime") };
                let mut weights = std::collections::BTreeMap::new();
                for (value, p) in entries {
                    if weights.insert(natural(value)?, probability(p)?).is_some() {
                        return wrong("a repeated value of N");
                    }
                }
                weights.retain(|_, p| !p.is_zero());
                let Some((&last, _)) =
                    weights.last_key_value().filter(|(last, _)| **last < MOST_LISTED)
                else {
                    return wrong("N");
                };
                let mut tails = vec![BigRational::zero(); last as usize + 2];
                for m in (0..=last as usize).rev() {
                    tails[m] =
                        &tails[m + 1] + weights.get(&(m as u64)).unwrap_or(&BigRational::zero());
                }
                (Lifetime::Tails(tails), last)
            }
            _ => return wrong("lifetime"),
        })
    }
}

/// The step of the horizon that has been reached, backwards.
#[derive(Clone)]
pub(crate) struct Horizon<'a> {
    model: &'a PhaseChange,
    last: u64,
    pub next: Option<u64>,
    /// s_n and h_{n+1} of the last step done.
    pub survival: Span,
    pub hazard: BigRational,
    /// Mean number of cycles left, and of those before the change.
    pub cycles: Span,
    pub quiet: Span,
    /// V(1) beyond e_R a cycle.
    certain: Span,
    /// Whether remapping pays at the last step done; `None` if that could not be decided.
    pub pays: Option<bool>,
    /// The least n from which on remapping never pays.
    pub never_from: u64,
    /// For a geometric N, 1 - P(N < m) / P(all): the power of `stay` that the last step reached.
    power: Span,
}

impl<'a> Horizon<'a> {
    pub fn new(model: &'a PhaseChange, last: u64) -> Horizon<'a> {
        let zero = || Span::point(BigRational::zero());
        Horizon {
            model,
            last,
            next: Some(last),
            survival: zero(),
            hazard: BigRational::zero(),
            cycles: zero(),
            quiet: zero(),
            certain: zero(),
            pays: Some(false),
            never_from: last + 1,
            power: Span::point(BigRational::one()),
        }
    }

    fn survival_at(&mut self, n: u64) -> Span {
        let ratio = |a: u64, b: u64| Span::point(BigRational::new(a.into(), b.into()));
        match &self.model.lifetime {
            _ if n == self.last => ratio(0, 1),
            Lifetime::Fixed => ratio(1, 1),
            Lifetime::Uniform { first } | Lifetime::Geometric { first, .. } if n < *first => {
                ratio(1, 1)
            }
            Lifetime::Uniform { .. } => ratio(self.last - n, self.last - n + 1),
            Lifetime::Tails(tails) => Span::point(&tails[n as usize + 1] / &tails[n as usize]),
            Lifetime::Geometric { stay, .. } => {
                // s = stay g(j) / g(j+1) with g(j) = 1 - stay^j and j = last - n.
                let one = BigRational::one();
                let power =
                    Span { low: &self.power.low * stay, high: &self.power.high * stay }.shortened();
                let beyond = Span { low: &power.low * stay, high: &power.high * stay };
                self.power = power.clone();
                let low = stay * (&one - &power.high) / (&one - &beyond.low);
                let high = stay * (&one - &power.low) / (&one - &beyond.high);
                Span { low, high: high.min(one) }.shortened()
            }
        }
    }

    fn hazard_after(&self, n: u64) -> BigRational {
        match &self.model.hazard {
            _ if n == self.last => BigRational::zero(),
            Hazard::Constant(h) => h.clone(),
            Hazard::PerStep(list) => list[n as usize].clone(),
        }
    }

    /// Goes to the next step.
    pub fn step_back(&mut self) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        self.survival = self.survival_at(n);
        self.hazard = self.hazard_after(n);
        let one = BigRational::one();
        self.cycles = self.cycles.affine(&self.survival, &one);
        self.quiet = self.quiet.affine(&self.quiet_survival(), &one);
        let delay = &self.model.test + &self.model.install;
        // V(1) = min(delay, G + s V(1)).
        let retain = self.certain.affine(&self.survival, &self.model.gain);
        self.pays = match () {
            () if !self.model.gain.is_positive() => Some(false),
            () if retain.high <= delay => Some(false),
            () if retain.low > delay => Some(true),
            () => None,
        };
        self.certain = Span { low: retain.low.min(delay.clone()), high: retain.high.min(delay) };
        if self.pays == Some(false) && self.never_from == n + 1 {
            self.never_from = n;
        }
        self.next = n.checked_sub(1);
        Ok(())
    }

    /// s (1-h).
    pub fn quiet_survival(&self) -> Span {
        let quiet = BigRational::one() - &self.hazard;
        Span { low: &self.survival.low * &quiet, high: &self.survival.high * &quiet }
    }

    /// Whether the next `steps` steps are like the last one, and remapping pays in all of them.
    pub fn stays(&self, steps: u64) -> bool {
        let Some(n) = self.next else { return false };
        let Some(first) = (n + 1).checked_sub(steps).filter(|_| steps > 0) else { return false };
        let delay = &self.model.test + &self.model.install;
        let settled = self.pays == Some(true) && self.certain.low == delay;
        let survives = self.survival.low.is_one()
            && match &self.model.lifetime {
                Lifetime::Fixed => true,
                Lifetime::Uniform { first } | Lifetime::Geometric { first, .. } => n < *first,
                Lifetime::Tails(tails) => tails[n as usize + 1] == tails[0],
            };
        let same = match &self.model.hazard {
            Hazard::Constant(h) => *h == self.hazard,
            Hazard::PerStep(list) => {
                list[first as usize..=n as usize].iter().all(|h| *h == self.hazard)
            }
        };
        settled && survives && same
    }

    /// Does the next `steps` steps, which are like the last one.
    pub fn skip(&mut self, steps: u64) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        let on = |count: &Span, l: &BigRational| {
            let (sum, power) = (amplification(l, steps), power(l, steps));
            Span {
                low: sum.low + power.low * &count.low,
                high: sum.high + power.high * &count.high,
            }
        };
        let quiet = self.quiet_survival();
        self.cycles = on(&self.cycles, &self.survival.high).shortened();
        self.quiet = on(&self.quiet, &quiet.high).shortened();
        self.next = (n + 1).checked_sub(steps).ok_or(Refusal::Malformed)?.checked_sub(1);
        Ok(())
    }
}

/// l^steps.
fn power(l: &BigRational, mut steps: u64) -> Span {
    let (mut result, mut square) = (Span::point(BigRational::one()), Span::point(l.clone()));
    let times =
        |a: &Span, b: &Span| Span { low: &a.low * &b.low, high: &a.high * &b.high }.shortened();
    while steps > 0 {
        if steps & 1 == 1 {
            result = times(&result, &square);
        }
        square = times(&square, &square);
        steps >>= 1;
    }
    result
}

/// 1 + l + ... + l^(steps-1).
pub(crate) fn amplification(l: &BigRational, steps: u64) -> Span {
    if l.is_one() {
        return Span::point(BigRational::from(BigInt::from(steps)));
    }
    let (one, power) = (BigRational::one(), power(l, steps));
    let killed = &one - l;
    Span { low: (&one - power.high) / &killed, high: (&one - power.low) / killed }
}
