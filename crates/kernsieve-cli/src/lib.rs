//! The kernsieve command line: as a program of its own, and inside the Python package.

mod args;
mod colour;
mod commands;
mod comparison;
mod examples;
mod failure;
mod progress;
#[doc(hidden)]
pub mod untrusted;
mod view;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use view::terminal::Terminal;

/// The words of the command, without the name of the program.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Standard output that was closed before the program began. The standard library would take what
/// is written to it without a word.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("standard output is closed"))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where results go.
fn standard_output(is_open: bool) -> Box<dyn Write> {
    #[cfg(unix)]
    let is_open = is_open && {
        use std::os::fd::AsFd;
        std::io::stdout().as_fd().try_clone_to_owned().is_ok()
    };
    match is_open {
        true => Box::new(std::io::stdout()),
        false => Box::new(Closed),
    }
}

/// Runs the command that the arguments name (the first one is the name of the program), and returns
/// the exit status. It prints to the standard streams, and handles Ctrl-C from now on. `has_output`
/// is whether there was a standard output when the process began.
pub fn run_command(arguments: Vec<OsString>, has_output: bool) -> u8 {
    let _ = WORDS.set(arguments.iter().skip(1).cloned().collect());
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(refusal) => {
            // Help and version are answers, everything else is misuse.
            let _ = refusal.print();
            return u8::try_from(refusal.exit_code()).unwrap_or(2);
        }
    };
    colour::decide();
    // Ctrl-C works at once: half-written files are removed, the old ones stay.
    let handler = || {
        kernsieve::model_file::remove_unfinished();
        let _ = writeln!(std::io::stderr(), "\ninterrupted; nothing was half written");
        std::process::exit(130);
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        let _ = writeln!(std::io::stderr(), "note: Ctrl-C is not handled here ({e})");
    }
    let mut out = std::io::BufWriter::new(standard_output(has_output));
    let result = run(&cli, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => 0,
        Err(failure) => {
            let status = failure.status();
            if status != 0 {
                let _ = out.flush();
                let _ = writeln!(
                    std::io::stderr(),
                    "{} {}",
                    colour::error("error:"),
                    view::words::clean_lines(&failure.to_string())
                );
            }
            status
        }
    }
}

fn run(cli: &Cli, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(threads) = cli.global.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|e| Failure::CouldNot(format!("cannot start {threads} threads: {e}")))?;
    }
    let mut terminal = Terminal {
        out,
        is_seen: std::io::stdout().is_terminal(),
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    match &cli.command {
        Command::Fit(a) => commands::fit::run(a, &mut terminal),
        Command::Predict(a) => commands::predict::run(a, &mut terminal),
        Command::Evaluate(a) => commands::evaluate::run(a, &mut terminal),
        Command::Compare(a) => commands::compare::run(a, &mut terminal),
        Command::Density(a) => commands::density::run(a, &mut terminal),
        Command::Update(a) => commands::update::run(a, &mut terminal),
        Command::Inspect(a) => commands::inspect::run(a, &mut terminal),
        Command::Report(a) => commands::report::run(a, &mut terminal),
        Command::Export(a) => commands::export::run(a, &mut terminal),
        Command::Demo(a) => commands::demo::run(a, &mut terminal),
        Command::Completions(a) => commands::shell::completions(a, &mut terminal),
        Command::Man(a) => commands::shell::man(a, &mut terminal),
    }
}
