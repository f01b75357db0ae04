//! Files as rows that are summed over: one thread reads while the others compute.

use super::{RowBlock, RowFiles};
use crate::error::ReadError;
use kernsieve::data::Schema;
use kernsieve::partial::{Frame, Moments, Part, Task};
use kernsieve::tuning::{AllRows, Control};
use kernsieve::{Error, Result};
use std::sync::mpsc::sync_channel;

/// Blocks that wait to be summed over.
const AHEAD: usize = 2;

impl RowFiles {
    /// Reads all rows by a schema, a few blocks ahead of what is made of them.
    fn each(
        &self,
        schema: &Schema,
        control: &Control,
        mut make: impl FnMut(RowBlock) -> Result<()>,
    ) -> Result<()> {
        let (send, receive) = sync_channel(AHEAD);
        std::thread::scope(|scope| {
            let reading = scope.spawn(move || {
                // Nobody listens any more: the other side has failed, and says why.
                let gone = || ReadError::new("", "the pass has ended");
                self.visit(schema, |block| send.send(block).map_err(|_| gone()))
            });
            let mut done = 0;
            let made = receive.iter().try_for_each(|block| {
                control.checkpoint()?;
                done += block.codes.len();
                make(block)?;
                control.report(done, self.rows as usize);
                Ok(())
            });
            drop(receive);
            let read = reading.join();
            made?;
            match read {
                Ok(read) => read.map_err(|e| Error::Data(e.to_string())),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

impl AllRows for RowFiles {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn totals(&self) -> Vec<f64> {
        self.totals.clone()
    }

    fn moments(&mut self, schema: &Schema, control: &Control) -> Result<Moments> {
        let mut sums = Moments::new(schema.n_features(), self.totals.len());
        self.each(schema, control, |rows| {
            sums.update(&rows.x, &rows.codes, rows.weights.as_deref());
            Ok(())
        })?;
        Ok(sums)
    }

    fn run(&mut self, task: &Task, frame: &Frame, control: &Control) -> Result<Part> {
        let mut part = frame.part(task)?;
        self.each(&frame.schema, control, |rows| {
            frame.update(
                task,
                &mut part,
                &rows.x,
                &rows.codes,
                rows.weights.as_deref(),
            )
        })?;
        Ok(part)
    }
}
