//! When a program whose log this is should remap, and what that is worth.
//!
//! The log is cut in two. On the first half the adaptive rule and rules of one number are trained;
//! on the second half, which nothing was fitted to, they are valued, from where the run stood, or
//! from balance where the log does not say when it was remapped. The adaptive rule is the one that
//! is handed over: on 800 traces of 20 families it cost 1.154 times the best possible, at most 1.95
//! times; with a rule of one number in its place wherever that was as cheap in training, 1.208 and
//! 26.

use super::check::{Obstacle, places};
use super::contest::{ADAPTIVE, Judged, Part, Percent, RECORDED, contestants, is_few, judge};
use super::long::MOST_TRAINED;
use super::one_number::of_one_number;
use super::saving::Saving;
use super::verdict::Found;
use super::{Ground, IN_USE, Outset, Stopped};
use crate::fitting::{short, three};
use remapping::Observer;
use remapping::fit::apart::apart;
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::record::Record;
use remapping::replay::{Course, play, recorded};
use std::ops::Range;

/// What to do.
#[derive(Debug, Clone, Default)]
pub struct Advice {
    /// What to do and what it is worth, in one sentence.
    pub sentence: String,
    /// What else is worth knowing, each in a clause of its own.
    pub more: Vec<String>,
    /// The policy to follow: of the table, or `recorded`; none where the log cannot tell.
    pub policy: Option<String>,
    /// The policy that is safe where the log cannot tell, `advised` or `recorded`.
    pub safe: Option<&'static str>,
    /// What it saves against the run as it was, in percent of that run's wall time.
    pub saves: Option<Percent>,
    /// All simple rules, trained.
    pub rules: Vec<Rule>,
    /// All policies on the second half.
    pub judged: Option<Judged>,
    /// The steps it is judged on.
    pub steps: Range<usize>,
    /// What the rule is worth if remaps even out noise as if it were load, where the log has noise.
    pub beside_noise: Option<String>,
    /// The log with its loads told apart from noise, on which all of this was valued, where it has
    /// noise.
    pub valued: Option<Record>,
}

impl Advice {
    /// The sentence with all that follows.
    pub fn whole(&self) -> String {
        let clauses: Vec<&str> =
            std::iter::once(&self.sentence).chain(&self.more).map(String::as_str).collect();
        clauses.join("; ")
    }

    /// The same question of the log that the advice was valued on.
    pub fn of_what_was_valued<'a>(&'a self, question: Question<'a>) -> Question<'a> {
        Question { record: self.valued.as_ref().unwrap_or(question.record), ..question }
    }
}

/// The policies on the second half; what the adaptive rule saves there, against the run as it was
/// or else against never remapping; and what it saves on all steps, learning on the way.
struct Valued {
    judged: Judged,
    saved: Saving,
    whole: Saving,
}

/// Longest run that is judged: the work for the perfect-information optimum grows with its square.
pub(super) const MOST_STEPS: usize = 10_000;

/// Asks for the advice.
pub struct Question<'a> {
    /// The log.
    pub record: &'a Record,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// How remaps overlap the steps.
    pub overlap: Overlap,
    /// Whether the log says when the run was remapped.
    pub known: bool,
    /// Steps of the program in a step of the log.
    pub stride: u64,
    /// The job's length in steps of the program, where it was stated.
    pub steps: Option<u64>,
    /// Seed of the intervals.
    pub seed: u64,
}

impl Question<'_> {
    /// The ground on which policies are trained on the steps before `cut`, the last of them in a
    /// long log.
    pub fn ground(&self, cut: usize) -> Ground<'_> {
        Ground {
            record: self.record,
            remap_cost: self.remap_cost,
            overlap: self.overlap,
            training: cut.saturating_sub(MOST_TRAINED)..cut,
            seed: self.seed,
            // Where nobody knows when it was remapped, nobody knows where it stood.
            from: if self.known { Outset::Actual } else { Outset::Balance },
            end_known: false,
        }
    }

    /// The first step of the second half.
    pub fn cut(&self) -> usize {
        self.record.steps() / 2
    }

    /// Advice where something stands against it.
    pub fn refuse(&self, obstacle: &Obstacle) -> Advice {
        let sentence = format!("This log cannot tell when to remap: {}", obstacle.why);
        Advice { sentence, more: vec![obstacle.help.clone()], ..self.nothing() }
    }

    /// No rule was tried.
    fn nothing(&self) -> Advice {
        Advice { steps: self.cut()..self.record.steps(), ..Advice::default() }
    }

    /// The advice. Where times have noise, the estimated loads without it decide.
    pub fn answer(&self, observer: &dyn Observer) -> Result<Advice, Stopped> {
        let cut = self.cut();
        let (noise, records) =
            apart(self.record).map_or((None, Vec::new()), |found| (found.noise, found.records));
        let mut records = records.into_iter();
        let valued = records.next();
        let question = Question { record: valued.as_ref().unwrap_or(self.record), ..*self };
        let rules = of_one_number(&question.ground(cut))?;
        let steps = cut..self.record.steps().min(cut + MOST_STEPS);
        let mut names = vec![ADAPTIVE.to_owned()];
        let others = rules.iter().map(Rule::to_string);
        for name in others.chain(IN_USE.iter().map(|name| (*name).to_owned())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut found = question.valued(&names, &steps, observer)?;
        // What is load and what noise is not always told: the saving lies between all of these.
        for record in records {
            let most = Question { record: &record, ..*self }.valued(&names, &steps, observer)?;
            found.saved = found.saved.or(most.saved);
            found.whole = found.whole.or(most.whole);
        }
        let mut beside_noise = None;
        if let Some(noise) = noise {
            let as_load = self.valued(&names, &steps, observer)?.saved;
            found.saved.never &= as_load.never;
            beside_noise = Some(format!(
                "times have noise of {} seconds a step, which is not taken for load: of a balancer that goes by the \
                 times of one step, noise and all, the adaptive rule would {as_load}",
                short(three(noise))
            ));
        }
        let Valued { mut judged, saved, whole } = found;
        let line = judged.lines.iter_mut().find(|line| line.policy == ADAPTIVE);
        if let Some(known) = line.and_then(|line| line.against_recorded.as_mut()) {
            *known = saved.of.negated();
        }
        let found = Found { judged: &judged, rules: &rules, saved, whole, steps: &steps };
        let verdict = question.verdict(&found);
        let (saves, judged) = (self.known.then_some(saved.of), Some(judged));
        Ok(Advice { saves, rules, judged, steps, beside_noise, valued, ..verdict })
    }

    /// These policies on these steps, trained on those before, and what the adaptive rule saves.
    fn valued(
        &self,
        names: &[String],
        steps: &Range<usize>,
        observer: &dyn Observer,
    ) -> Result<Valued, Stopped> {
        let ground = self.ground(self.cut());
        let contestants = contestants(&ground, names, None, &mut Vec::new())?;
        let part = Part { ground, contestants, steps: steps.clone() };
        let judged = judge(&[part], self.known, observer)?;
        let (mut saved, mut whole) = (Saving::NOTHING, Saving::NOTHING);
        let run = judged.line(RECORDED).or(judged.line("never"));
        if let Some(((rule, run), all)) =
            judged.line(ADAPTIVE).zip(run).zip(self.learning_on_all_steps())
        {
            let [all_of_run, all_of_rule] = [&all[0], &all[1]];
            let of_last = [judged.course(run), judged.course(rule)];
            let of = Percent::saved_of_last(of_last, [all_of_run, all_of_rule], self.seed);
            let [remaps, fewest] = [rule.remaps, rule.remaps.min(run.remaps)];
            saved = Saving { of, few: is_few(fewest), never: remaps == 0 };
            let of = Percent::saved_of(all_of_run, all_of_rule, self.seed);
            let [remaps, fewest] = [all_of_rule, all_of_run].map(|course| course.tally.remaps);
            whole = Saving { of, few: is_few(remaps.min(fewest)), never: remaps == 0 };
        }
        Ok(Valued { judged, saved, whole })
    }

    /// The run on all steps, or else never remapping, and the adaptive rule if it knows nothing at
    /// the first of them.
    fn learning_on_all_steps(&self) -> Option<[Course; 2]> {
        // Where nobody knows when it was remapped, it is balanced at the first step.
        let first = usize::from(!self.known);
        let steps = first..self.record.steps().min(2 * MOST_STEPS);
        let ground = self.ground(first);
        let price = ground.price();
        let played = |name: &str| {
            let contestant = ground.contestant(name, None, &mut Vec::new()).ok()?;
            let mut run = ground.run(&contestant, steps.len() as u64);
            Some(play(self.record, steps.clone(), ground.base(), price, &mut run))
        };
        let run = match self.known {
            true => Some(recorded(self.record, steps.clone(), self.remap_cost)),
            false => played("never"),
        };
        Some([run?, played("advised_cold")?])
    }

    /// The advice where recorded remaps change nothing: what leaving them out saves is what they
    /// cost.
    pub fn leave_out(&self) -> Advice {
        let steps = self.cut()..self.record.steps();
        let run = recorded(self.record, steps.clone(), self.remap_cost);
        let without = recorded(self.record, steps.clone(), 0.0);
        let saves = Percent::saved_of(&run, &without, self.seed);
        let sentence = match run.tally.remaps {
            0 => "Do not remap: the recorded remaps change nothing".to_owned(),
            many => format!(
                "Do not remap: the recorded remaps change nothing, and leaving out the {many} of steps {} to {} saves {:.2} % of \
                 their time",
                steps.start,
                steps.end - 1,
                saves.percent
            ),
        };
        let policy = Some("never".to_owned());
        Advice { sentence, policy, saves: Some(saves), ..self.nothing() }
    }
}

/// What stands against advice where remaps seem to be missing from the log.
pub fn unmarked(suspected: &[usize]) -> Obstacle {
    let times = match suspected.len() {
        1 => String::new(),
        many => format!(" {many} times,"),
    };
    Obstacle {
        why: format!(
            "the imbalance falls at once{times} before step {}, where no remap is recorded",
            places(suspected)
        ),
        help: "record the remaps, or take these for remaps: --suspected".to_owned(),
    }
}
