//! `kernsieve inspect`: a model in one screen, or all of it.

use super::load_model;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::view::summary::Summary;
use crate::view::terminal::Terminal;
use crate::view::{json, text};

/// Runs the command.
pub fn run(args: &InspectArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let model = load_model(&args.model, None)?;
    let bytes = std::fs::metadata(&args.model).map(|m| m.len()).unwrap_or(0);
    let path = args.model.display().to_string();
    let summary = Summary::new(&model);
    if terminal.json {
        return terminal.object(&json::inspect(&summary, &path, bytes));
    }
    text::inspect(&summary, &path, bytes, args.all, terminal.out)
}
