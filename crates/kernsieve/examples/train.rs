//! Trains a method, says what it kept, and saves the model: `cargo run --release --example train`.
#![allow(clippy::print_stdout)]

use kernsieve::data::simulate;
use kernsieve::{Control, Protocol, Smkda, Train};

fn main() -> kernsieve::Result<()> {
    // A disc inside a ring; two of the four features are noise.
    let data = simulate::rings(0);
    let control = Control::new().on_progress(|p| println!("{} of {}", p.done, p.total));
    let trained = Smkda::new().train(&data, &Protocol::default().folds(10), &control)?;
    for notice in &trained.notices {
        println!("note: {notice}");
    }
    let model = trained.model;
    let rows = model.support_rows();
    println!("{} of {} rows kept: {rows:?}", rows.len(), data.n_samples());
    if let Some(cv) = &model.record.cv {
        let best = cv.best();
        let error = best.error.unwrap_or(1.0);
        println!(
            "cross-validated error {error:.3} +- {:.3}",
            best.standard_error
        );
    }
    let file = std::env::temp_dir().join("rings.ks");
    model.save(&file)?;
    println!("saved to {}", file.display());
    Ok(())
}
