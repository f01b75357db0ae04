//! What others wrote and this program reads, besides data and models: for the program that damages
//! it (`cargo xtask fuzz`). No part of the interface.

use crate::args::{Cli, Command, MethodChoice};
use crate::comparison::journal::told;
use crate::view::summary::Summary;
use crate::view::{json, text};
use clap::{CommandFactory, Parser};
use kernsieve::catalogue;
use kernsieve::model::Model;
use std::ffi::OsString;

/// Reads a journal; the number of its results.
pub fn journal(bytes: &[u8], fingerprint: &str) -> Result<usize, String> {
    let told = told(bytes, fingerprint, "journal").map_err(|e| e.to_string())?;
    Ok(told.outcomes.len())
}

/// Reads the words of a command line as far as methods and protocols are made of them.
pub fn options(words: &[OsString]) -> Result<(), String> {
    let cli = Cli::try_parse_from(words).map_err(|e| e.to_string())?;
    let (given, protocol, names) = match &cli.command {
        Command::Fit(a) => {
            let names = match a.method {
                MethodChoice::One(name) => vec![name],
                MethodChoice::Auto => catalogue::names(),
            };
            (&a.options.given, &a.options.protocol, names)
        }
        Command::Compare(a) => (&a.options.given, &a.options.protocol, catalogue::names()),
        _ => return Ok(()),
    };
    protocol.check().map_err(|e| e.to_string())?;
    for name in names {
        let entry = catalogue::find(name).map_err(|e| e.to_string())?;
        entry.make(given).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The flags of every command, as they are typed.
pub fn flags() -> Vec<String> {
    let command = Cli::command();
    let of = |c: &clap::Command| -> Vec<String> {
        let long = c.get_arguments().filter_map(|a| a.get_long());
        long.map(|name| format!("--{name}")).collect()
    };
    let commands = command.get_subcommands().flat_map(of);
    let mut flags: Vec<String> = of(&command).into_iter().chain(commands).collect();
    flags.sort();
    flags.dedup();
    flags
}

/// What `inspect` prints about a model, as text and as JSON.
pub fn inspected(model: &Model) -> Vec<u8> {
    let summary = Summary::new(model);
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = text::inspect(&summary, "model", 0, true, &mut out);
    out.extend(json::inspect(&summary, "model", 0).to_string().into_bytes());
    out
}
