//! Writes the model files of `fixtures/models` anew: only for a new version of the format.

use kernsieve::catalogue::CATALOGUE;
use kernsieve::data::{Schema, simulate};
use kernsieve::params::Params;
use kernsieve::{Control, Protocol, model_file};
use std::path::Path;

fn main() -> kernsieve::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
    let (data, test) = (
        simulate::mixture(0, 1, 15, 1),
        simulate::mixture(0, 2, 5, 1),
    );
    let schema = Schema::numeric(data.feature_names());
    for entry in CATALOGUE {
        let made = entry.make(&Params::new())?;
        let trained = made.train(&data, &schema, &Protocol::default(), &Control::new())?;
        let model = trained.model;
        let name = format!("frozen_{}_{}", env!("CARGO_PKG_VERSION"), entry.about.name);
        model.save(folder.join(format!("{name}.ks")))?;
        let rows: Vec<String> = model
            .predict(test.x())
            .posterior
            .iter_rows()
            .map(|r| {
                r.iter()
                    .map(|v| format!("{v:e}"))
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect();
        model_file::write_atomic(
            &folder.join(format!("{name}.csv")),
            (rows.join("\n") + "\n").as_bytes(),
        )?;
    }
    Ok(())
}
