//! Some thousand damaged inputs for every reader.
#![allow(clippy::unwrap_used)]

use kernsieve_fuzz::campaign::{Until, run};
use kernsieve_fuzz::targets::all;

/// One test, so that memory is counted for one target at a time.
#[test]
fn damaged_inputs_neither_panic_nor_hang_nor_take_memory() {
    for target in all().unwrap() {
        // Every input by itself is the same whenever it is made.
        assert_eq!(target.input(1, 5).0, target.input(1, 5).0);
        assert_ne!(target.input(1, 5).0, target.input(2, 5).0);
        let tally = run(&target, 1, 0, Until::Inputs(5000));
        for found in &tally.found {
            println!("{} {}: {}", target.name, found.number, found.what);
        }
        assert!(tally.found.is_empty(), "{}", target.name);
        // Damage shows, and not all of it is refused at the door.
        let share = tally.accepted as f64 / tally.inputs as f64;
        assert!((0.01..0.95).contains(&share), "{} {share}", target.name);
    }
}
