//! `kernsieve export`: a model as an ONNX file.

use super::keep_input;
use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean, wrapped};
use kernsieve::model_file;
use kernsieve::tuning::for_people;
use kernsieve_onnx::{INPUT, Precision, output_names, to_onnx};
use serde_json::json;

/// Runs the command.
pub fn run(args: &ExportArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    keep_input("OUT.onnx", &args.output, &[&args.model])?;
    let model = model_file::load(&args.model)?;
    let precision = Precision::from(args.precision);
    let bytes = to_onnx(&model, precision)?;
    model_file::write_atomic(&args.output, &bytes)?;
    let path = args.output.display().to_string();
    let outputs = output_names(&model);
    if terminal.json {
        return terminal.object(&json!({
            "output": path,
            "bytes": bytes.len(),
            "precision": precision.to_string(),
            "inputs": [INPUT],
            "outputs": outputs,
            "feature_names": model.feature_names(),
        }));
    }
    let words = format!(
        "{} ({}), {precision} precision: {INPUT} with {} features -> {}",
        clean(&path, usize::MAX),
        for_people(bytes.len() as u64),
        model.schema.n_features(),
        outputs.join(", ")
    );
    writeln!(terminal.out, "{}", wrapped(&words, ""))?;
    Ok(())
}
