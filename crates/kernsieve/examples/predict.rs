//! Predicts with a model from a file: `cargo run --release --example predict -- MODEL`. Without a
//! file it trains a small one first.
#![allow(clippy::print_stdout)]

use kernsieve::data::simulate;
use kernsieve::{Control, Kos, Model, Protocol, Train};

fn main() -> kernsieve::Result<()> {
    let model = match std::env::args().nth(1) {
        Some(file) => Model::load(file)?,
        None => {
            let data = simulate::rings(0);
            Kos::new()
                .train(&data, &Protocol::default(), &Control::new())?
                .model
        }
    };
    let new = simulate::rings(1);
    let classes = model.predict_classes(new.x());
    let probabilities = model.predict(new.x()).posterior;
    println!("classes: {}", model.classes.join(", "));
    for (class, p) in classes.iter().zip(probabilities.iter_rows()).take(5) {
        println!("{class}: {p:.3?}");
    }
    Ok(())
}
