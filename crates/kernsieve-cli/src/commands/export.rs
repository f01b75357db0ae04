//! `kernsieve export`: a model as an ONNX file.

use super::{keep_input, load_model};
use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::view::terminal::Terminal;
use crate::view::{json, text};
use kernsieve::model_file;
use kernsieve_onnx::{Precision, to_onnx};

/// Runs the command.
pub fn run(args: &ExportArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    keep_input("OUT.onnx", &args.output, &[&args.model])?;
    let model = load_model(&args.model, None)?;
    let precision = Precision::from(args.precision);
    let bytes = to_onnx(&model, precision)?;
    model_file::write_atomic(&args.output, &bytes)?;
    let path = args.output.display().to_string();
    if terminal.json {
        return terminal.object(&json::exported(&path, bytes.len(), precision, &model));
    }
    text::exported(&path, bytes.len(), precision, &model, terminal.out)
}
