//! Colours, if somebody looks and wants them. Every line reads the same without them.
//!
//! A `NO_COLOR` that is not empty turns them off; else a `CLICOLOR_FORCE` other than 0 turns them
//! on; else `CLICOLOR=0` and `TERM=dumb` turn them off; else they are on if the stream is a
//! terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

static OUT: AtomicBool = AtomicBool::new(false);
static ERR: AtomicBool = AtomicBool::new(false);

/// Decides for both streams, once.
pub fn decide() {
    let variable = |name: &str| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned());
    OUT.store(
        wanted(std::io::stdout().is_terminal(), variable),
        Ordering::Relaxed,
    );
    ERR.store(
        wanted(std::io::stderr().is_terminal(), variable),
        Ordering::Relaxed,
    );
}

fn wanted(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|v| v == value);
    if variable("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0") {
        return true;
    }
    is_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb")
}

fn paint(stream: &AtomicBool, code: &str, text: &str) -> String {
    if stream.load(Ordering::Relaxed) && !text.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.into()
    }
}

/// The header of a table: bold.
pub fn heading(text: &str) -> String {
    paint(&OUT, "1", text)
}

/// The row that was chosen: green.
pub fn chosen(text: &str) -> String {
    paint(&OUT, "32", text)
}

/// The label of a line: bold.
pub fn label(text: &str) -> String {
    paint(&OUT, "1", text)
}

/// Before a notice: yellow.
pub fn note(text: &str) -> String {
    paint(&ERR, "33", text)
}

/// Before an error: bold red.
pub fn error(text: &str) -> String {
    paint(&ERR, "1;31", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_in_order() {
        let with = |is_terminal: bool, set: &[(&str, &str)]| {
            let find = |name: &str| {
                set.iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, v)| v.to_string())
            };
            wanted(is_terminal, find)
        };
        assert!(with(true, &[]));
        assert!(!with(false, &[]));
        assert!(with(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!with(true, &[("NO_COLOR", "1")]));
        assert!(!with(true, &[("TERM", "dumb")]));
        assert!(!with(true, &[("CLICOLOR", "0")]));
        assert!(with(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(with(false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]));
        assert!(!with(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!with(true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    }
}
