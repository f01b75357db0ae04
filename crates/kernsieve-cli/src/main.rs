//! The program `kernsieve`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program was started without a standard output (`>&-`).
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks before Rust's own start, which puts `/dev/null` in the place of a closed output: results
/// would vanish and the exit status be 0.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // The linker is trusted to call it; it only looks at names.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        let there = |name: &str| std::fs::symlink_metadata(name).is_ok();
        let closed = there("/proc/self/fd") && !there("/proc/self/fd/1");
        CLOSED.store(closed, Ordering::Relaxed);
    }
    look
};

fn main() -> ExitCode {
    let open = !CLOSED.load(Ordering::Relaxed);
    ExitCode::from(kernsieve_cli::run_command(
        std::env::args_os().collect(),
        open,
    ))
}
