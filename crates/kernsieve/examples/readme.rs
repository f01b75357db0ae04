//! The lines of README.md: a test compares them.
#![allow(clippy::print_stdout)]

use kernsieve::{Control, Protocol, Smkda, Train, data::simulate};

fn main() -> kernsieve::Result<()> {
    let data = simulate::rings(0);
    let smkda = Smkda::new().max_support(10);
    let model = smkda
        .train(&data, &Protocol::default(), &Control::new())?
        .model;
    let classes = model.predict_classes(data.x());
    println!(
        "rows {:?} are kept; the first row is {}",
        model.support_rows(),
        classes[0]
    );
    model.save("rings.ks")?;
    Ok(())
}
