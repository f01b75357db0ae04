//! The kernsieve command line.

mod args;
mod colour;
mod commands;
mod comparison;
mod examples;
mod failure;
mod progress;
mod view;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use view::terminal::Terminal;

fn main() -> ExitCode {
    let cli = Cli::parse();
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
    let mut out = std::io::BufWriter::new(std::io::stdout());
    let result = run(&cli, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => ExitCode::SUCCESS,
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
            ExitCode::from(status)
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
        Command::Inspect(a) => commands::inspect::run(a, &mut terminal),
        Command::Report(a) => commands::report::run(a, &mut terminal),
        Command::Export(a) => commands::export::run(a, &mut terminal),
        Command::Demo(a) => commands::demo::run(a, &mut terminal),
        Command::Completions(a) => commands::shell::completions(a, &mut terminal),
        Command::Man(a) => commands::shell::man(a, &mut terminal),
    }
}
