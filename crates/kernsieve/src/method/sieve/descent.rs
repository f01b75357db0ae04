//! Weights learnt with all features, then with fewer and fewer.

use super::judge::Verdict;
use super::learn::{AROUND, Learner, Learnt};
use super::sample::Sample;
use super::{Sieve, SieveSetting};
use crate::error::{Error, Result};

/// So many features are dropped one at a time.
const FEW_FEATURES: usize = 5;

/// Numbers of features to try: all, then half as many each time; few are dropped one at a time.
pub(super) fn levels(active: usize, max: Option<usize>) -> Vec<usize> {
    let mut levels = vec![active];
    while let Some(&last) = levels.last().filter(|l| **l > 1) {
        levels.push(if last > FEW_FEATURES {
            last / 2
        } else {
            last - 1
        });
    }
    if let Some(max) = max.filter(|m| *m < active)
        && let Err(at) = levels.binary_search_by(|l| max.cmp(l))
    {
        levels.insert(at, max);
    }
    levels
}

/// What is learnt at each number of features.
pub(super) struct Descent {
    /// With one form from all features down.
    plain: Vec<(usize, Learnt)>,
    /// With another form from some number of features down.
    turned: Vec<(usize, Learnt)>,
}

impl Descent {
    /// As far down as the settings ask for, which share their first form. The votes say which
    /// features stay.
    pub fn new(
        method: &Sieve,
        sample: &Sample,
        settings: &[SieveSetting],
        votes: &[(usize, usize)],
    ) -> Result<Self> {
        let turned = settings.iter().find(|s| s.before.is_some());
        let plan = turned.or(settings.first()).map(SieveSetting::plan);
        let plan = plan.ok_or(Error::NoConvergence("the sieve"))?;
        let weigh = plan.rounds > 0 || plan.guided;
        let fewest = |turned: bool| {
            let own = settings.iter().filter(|s| s.before.is_some() == turned);
            own.map(|s| s.n_features).min()
        };
        let mut learner = Learner {
            sample,
            family: plan.form.kernel.family(),
            ridge: method.ridge,
            votes,
        };
        let start = Verdict::start(&plan.form);
        let mut now = learner.judge_around(&learner.start(plan.guided)?, &start, &AROUND)?;
        for _ in 0..plan.rounds {
            now = learner.round(&now, usize::MAX, true, &AROUND)?;
        }
        let levels = levels(sample.n_active(), method.max_features);
        let above = plan.later.map_or(0, |(until, _)| until + 1);
        let to = fewest(false).unwrap_or(above);
        let mut plain = vec![(levels[0], now)];
        for &level in levels[1..].iter().filter(|l| **l >= to) {
            let (_, last) = &plain[plain.len() - 1];
            let next = learner.round(last, level, weigh, &[1.0])?;
            plain.push((level, next));
        }
        let mut turned: Vec<(usize, Learnt)> = vec![];
        if let (Some((until, form)), Some(to)) = (plan.later, fewest(true)) {
            let from = plain.iter().rfind(|(l, _)| *l > until).unwrap_or(&plain[0]);
            let slopes = learner.slopes(&from.1);
            learner.family = form.kernel.family();
            for &level in levels.iter().filter(|l| **l <= until && **l >= to) {
                let next = match turned.last() {
                    Some((_, last)) => learner.round(last, level, weigh, &[1.0])?,
                    None => {
                        let weights = learner.weights_of(&slopes, level, weigh);
                        learner.judge_around(&weights, &Verdict::start(&form), &AROUND)?
                    }
                };
                turned.push((level, next));
            }
        }
        Ok(Self { plain, turned })
    }

    /// What a setting begins with. Rows of a fold may have fewer features that vary.
    pub fn at(&self, setting: &SieveSetting) -> Result<&Learnt> {
        let own = match setting.before {
            None => &self.plain,
            Some(_) => &self.turned,
        };
        let found = own.iter().rfind(|(l, _)| *l >= setting.n_features);
        let found = found.or(own.first()).map(|(_, learnt)| learnt);
        found.ok_or(Error::NoConvergence("the sieve"))
    }
}
