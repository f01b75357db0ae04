//! What a caller can say to, and hear from, a long computation.

use super::memory::available_memory;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a computation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pieces of work done.
    pub done: usize,
    /// Pieces of work in all.
    pub total: usize,
}

type Listener = Box<dyn Fn(Progress) + Send + Sync>;

/// Cancellation, progress and the memory limit.
#[derive(Default)]
pub struct Control {
    cancelled: AtomicBool,
    listener: Option<Listener>,
    memory: Option<u64>,
}

impl Control {
    /// Nothing to hear, nothing to stop, most of the machine's free memory.
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

    /// Fails when the caller asked to stop.
    pub fn checkpoint(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    pub(crate) fn report(&self, done: usize, total: usize) {
        if let Some(listener) = &self.listener {
            listener(Progress { done, total });
        }
    }

    /// The limit that was set, or four fifths of what the machine has free; `u64::MAX` where that is unknown.
    pub fn memory_bytes(&self) -> u64 {
        self.memory
            .unwrap_or_else(|| available_memory().map_or(u64::MAX, |b| b / 5 * 4))
    }
}
