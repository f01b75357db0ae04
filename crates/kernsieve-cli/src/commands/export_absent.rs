//! The stand-in for `kernsieve export` in a build without it.

use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::view::terminal::Terminal;

/// Says that this build cannot, and which one can.
pub fn run(args: &ExportArgs, _: &mut Terminal<'_>) -> Result<(), Failure> {
    Err(Failure::CouldNot(format!(
        "{}: this build writes no ONNX files; build kernsieve with the feature 'onnx' (cargo \
         install kernsieve-cli has it)",
        args.output.display()
    )))
}
