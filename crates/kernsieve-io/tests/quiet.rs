//! Damaged Parquet files do not write to standard error; other panics still do.
#![allow(clippy::unwrap_used)]
#![cfg(feature = "parquet")]

mod common;
mod write_parquet;
use std::sync::atomic::{AtomicUsize, Ordering};
use write_parquet::{Values, file};

static REPORTED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn only_panics_of_the_decoder_are_kept_quiet() {
    std::panic::set_hook(Box::new(|_| {
        REPORTED.fetch_add(1, Ordering::SeqCst);
    }));
    let bytes = file(
        "message m { required double d; required int64 c; }",
        &[vec![
            Values::F64(vec![1.0, 2.0], None),
            Values::I64(vec![0, 1], None),
        ]],
    );
    let mut contradictions = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let read = common::train("t.parquet", damaged);
            contradictions +=
                usize::from(read.is_err_and(|e| e.to_string().contains("contradicts itself")));
        }
    }
    assert!(
        contradictions > 0,
        "no flip of a bit made the decoder panic any more: is the guard still needed?"
    );
    assert_eq!(REPORTED.load(Ordering::SeqCst), 0);
    assert!(std::panic::catch_unwind(|| panic!("elsewhere")).is_err());
    assert_eq!(REPORTED.load(Ordering::SeqCst), 1);
}
