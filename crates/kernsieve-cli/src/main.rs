//! The program `kernsieve`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kernsieve_cli::run_command(std::env::args_os().collect()))
}
