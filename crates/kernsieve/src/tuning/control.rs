//! How a caller controls a long computation and hears of its progress.

use super::memory::available_memory;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

/// How far a computation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pieces of work done.
    pub done: usize,
    /// Pieces of work in all.
    pub total: usize,
    /// The current method, if several are tried.
    pub stage: Option<&'static str>,
}

type Listener = Box<dyn Fn(Progress) + Send + Sync>;

/// Cancellation, progress and the memory limit.
#[derive(Default)]
pub struct Control {
    cancelled: AtomicBool,
    deadline: RwLock<Option<Instant>>,
    stage: RwLock<Option<&'static str>>,
    listener: Option<Listener>,
    memory: Option<u64>,
}

impl Control {
    /// No listener, no cancellation, and most of the machine's free memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `listener` whenever a piece of work is done.
    pub fn on_progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Memory that matrices of the size of a Gram matrix may take, in bytes.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Asks the computation to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// From this moment on, checkpoints fail as if the caller had asked to stop.
    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        *self
            .deadline
            .write()
            .unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Names the current method.
    pub(crate) fn set_stage(&self, stage: Option<&'static str>) {
        *self.stage.write().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    fn is_late(&self) -> bool {
        let deadline = *self.deadline.read().unwrap_or_else(PoisonError::into_inner);
        deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Fails when the caller asked to stop, or the time is up.
    pub fn checkpoint(&self) -> Result<()> {
        if self.is_cancelled() || self.is_late() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Tells the listener how far the work is.
    pub fn report(&self, done: usize, total: usize) {
        if let Some(listener) = &self.listener {
            let stage = *self.stage.read().unwrap_or_else(PoisonError::into_inner);
            listener(Progress { done, total, stage });
        }
    }

    /// The limit that was set, or four fifths of what the machine has free; `u64::MAX` where that
    /// is unknown.
    pub fn memory_bytes(&self) -> u64 {
        self.memory
            .unwrap_or_else(|| available_memory().map_or(u64::MAX, |b| b / 5 * 4))
    }
}
