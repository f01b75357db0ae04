//! Which part of a comparison is done, and how long the rest will take.

use super::journal::Outcome;
use crate::args::MethodChoice;
use crate::progress::Progress;
use kernsieve::tuning::Control;
use std::time::Duration;

/// Jobs of a comparison: every method on every split.
pub struct Schedule {
    progress: Progress,
    methods: Vec<Job>,
    repeats: u32,
}

/// One method: how many splits are done and the seconds they took.
struct Job {
    name: &'static str,
    done: u32,
    seconds: f64,
    left: bool,
}

impl Schedule {
    /// Nothing is done yet.
    pub fn new(progress: Progress, methods: &[MethodChoice], repeats: u32) -> Self {
        let job = |m: &MethodChoice| Job {
            name: m.name(),
            done: 0,
            seconds: 0.0,
            left: false,
        };
        Self {
            progress,
            methods: methods.iter().map(job).collect(),
            repeats,
        }
    }

    /// A job begins; it runs under the control that is returned.
    pub fn begin(&mut self, method: MethodChoice) -> Control {
        let total: u32 = self
            .methods
            .iter()
            .map(|j| if j.left { j.done } else { self.repeats })
            .sum();
        let done: u32 = self.methods.iter().map(|j| j.done).sum();
        self.progress.say(&format!("comparing: {}", method.name()));
        self.progress.steps(u64::from(done), u64::from(total));
        self.progress.expect(self.time_left());
        Control::new()
    }

    /// A job is done, now or in an earlier run.
    pub fn done(&mut self, outcome: &Outcome) {
        if let Some(job) = self.methods.iter_mut().find(|j| j.name == outcome.method) {
            job.done += 1;
            job.seconds += outcome.seconds + outcome.predict_seconds;
        }
    }

    /// A method leaves the comparison.
    pub fn leave(&mut self, method: MethodChoice) {
        if let Some(job) = self.methods.iter_mut().find(|j| j.name == method.name()) {
            job.left = true;
        }
    }

    /// Everything is done.
    pub fn finish(self) {
        self.progress.finish();
    }

    /// The remaining splits of every method at its own mean time. `None` until every method has run
    /// once: times differ a thousandfold.
    fn time_left(&self) -> Option<Duration> {
        let mut seconds = 0.0;
        for job in self.methods.iter().filter(|j| !j.left) {
            if job.done == 0 {
                return None;
            }
            seconds += f64::from(self.repeats.saturating_sub(job.done)) * job.seconds
                / f64::from(job.done);
        }
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(method: &str, seconds: f64) -> Outcome {
        Outcome {
            split: 0,
            method: method.into(),
            error: 0.0,
            retained_percent: 0.0,
            features: 1,
            seconds,
            predict_seconds: 0.0,
            bandwidth: None,
            ridge: None,
            sparsity: None,
            model_bytes: None,
            chosen: None,
        }
    }

    #[test]
    fn every_method_counts_by_its_own_time() {
        let methods = ["lda", "kos"].map(MethodChoice::One);
        let mut schedule = Schedule::new(Progress::hidden(), &methods, 5);
        assert_eq!(schedule.time_left(), None);
        schedule.done(&outcome("lda", 1.0));
        assert_eq!(schedule.time_left(), None);
        schedule.done(&outcome("kos", 10.0));
        schedule.done(&outcome("lda", 3.0));
        // 3 more of 2 seconds, 4 more of 10.
        assert_eq!(schedule.time_left(), Some(Duration::from_secs(46)));
        schedule.leave(methods[1]);
        assert_eq!(schedule.time_left(), Some(Duration::from_secs(6)));
    }
}
