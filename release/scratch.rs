//! A program that somebody else might write: it depends on the packaged crates, reads a file,
//! trains a model, saves it and predicts with it.

use kernsieve::{Control, Model, Protocol, Smkda, Train};
use kernsieve_io::{ReadOptions, Source, read_training};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = String::from("a,b,class\n");
    for i in 0..60 {
        let angle = f64::from(i) * 0.7;
        let (radius, class) = if i % 2 == 0 { (1.0, "in") } else { (3.0, "out") };
        rows += &format!("{},{},{class}\n", radius * angle.cos(), radius * angle.sin());
    }
    let folder = std::env::temp_dir().join(format!("kernsieve-scratch-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (file, saved) = (folder.join("rows.csv"), folder.join("model.ks"));
    std::fs::write(&file, rows)?;
    let data = read_training(&Source::from_arg(&file), &ReadOptions::default())?.dataset;
    let smkda = Smkda::new().max_support(10);
    let model = smkda.train(&data, &Protocol::default(), &Control::new())?.model;
    model.save(&saved)?;
    let classes = Model::load(&saved)?;
    let classes = classes.predict_classes(data.x());
    let right = (0..60).filter(|i| classes[*i] == ["in", "out"][i % 2]).count();
    #[cfg(feature = "all")]
    {
        let graph = kernsieve_onnx::to_onnx(&model, kernsieve_onnx::Precision::F64)?;
        assert!(graph.len() > 1000);
        let words = ["kernsieve", "inspect", "--json", &saved.display().to_string()];
        let words = words.iter().map(Into::into).collect();
        assert_eq!(kernsieve_cli::run_command(words, true), 0);
    }
    std::fs::remove_dir_all(&folder)?;
    println!("{right} of 60 rows are right, {} rows are kept", model.support_rows().len());
    assert!(right == 60, "circles of different radius are told apart");
    Ok(())
}
