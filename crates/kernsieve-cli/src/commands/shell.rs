//! `kernsieve completions` and `kernsieve man`: what a shell and `man` need to know about the
//! commands.

use crate::args::{Cli, CompletionsArgs, ManArgs, did_you_mean};
use crate::failure::Failure;
use crate::view::json;
use crate::view::terminal::Terminal;
use clap::CommandFactory;

const NAME: &str = "kernsieve";

/// Writes the completions of a shell.
pub fn completions(args: &CompletionsArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    // Into memory first, since the generator panics if the reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    if terminal.json {
        return terminal.object(&json::completions(&args.shell.to_string(), &script));
    }
    terminal.out.write_all(&script)?;
    Ok(())
}

/// Writes a manual page.
pub fn man(args: &ManArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<&str> = command
                    .get_subcommands()
                    .map(clap::Command::get_name)
                    .collect();
                return Err(Failure::Usage(format!(
                    "there is no command '{name}'; the commands are {}{}",
                    names.join(", "),
                    did_you_mean(&names, name)
                )));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    if terminal.json {
        return terminal.object(&json::manual(&text));
    }
    terminal.out.write_all(&text)?;
    Ok(())
}
