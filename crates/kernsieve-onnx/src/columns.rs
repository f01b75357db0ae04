//! Raw columns as inputs: what the library's encoder does, from cells to features.
//!
//! Where every feature is a column of numbers, the input is one matrix `X`, in which NaN is filled
//! if the training filled gaps. Otherwise every column is an input of its own, rows x 1: numbers
//! with NaN for gaps, texts with the empty text for gaps. A text's level is looked up by the label
//! encoder of the operators for machine learning (`ai.onnx.ml`), and its features are a row of a
//! table that also has one for unknown levels and one for gaps.

use crate::graph::{Graph, Size, int, strings, value};
use crate::proto::{ValueInfoProto, data};
use kernsieve::data::{ColumnKind, Encoder, Schema};
use kernsieve::model::Model;
use kernsieve::{Error, Result};

/// Name of the input where there is one.
pub const INPUT: &str = "X";
/// Names that inputs cannot have.
const TAKEN: [&str; 4] = ["label", "probabilities", "outputs", "log_density"];

/// The value with all features, and the inputs that it comes from.
pub fn features(graph: &mut Graph, model: &Model) -> Result<(String, Vec<ValueInfoProto>)> {
    let schema = &model.schema;
    if schema.is_plain() {
        return matrix(graph, schema);
    }
    let number = graph.precision().data_type();
    let encoder = Encoder::new(schema);
    let names = input_names(schema);
    let (mut parts, mut inputs) = (vec![], vec![]);
    let mut offset = 0;
    for (j, (column, name)) in schema.columns.iter().zip(&names).enumerate() {
        let place = offset..offset + column.width();
        offset = place.end;
        let shape = [Size::Rows, Size::Fixed(1)];
        match &column.kind {
            ColumnKind::Numeric { fill } | ColumnKind::Boolean { fill } => {
                inputs.push(value(name, number, &shape, "numbers; NaN where missing"));
                parts.push(filled(graph, name, &[*fill], schema)?);
                if column.indicator {
                    let gap = graph.op("IsNaN", &[name]);
                    parts.push(graph.op_with("Cast", &[&gap], vec![int("to", number.into())]));
                }
            }
            ColumnKind::Date { .. } => {
                return Err(Error::Data(format!(
                    "column '{}' holds dates, which an ONNX graph cannot read; train without it \
                     to export the model",
                    column.name
                )));
            }
            kind => {
                inputs.push(value(
                    name,
                    data::STRING,
                    &shape,
                    "text; empty where missing",
                ));
                let levels = levels_of(kind);
                if place.is_empty() {
                    continue;
                }
                let width = encoder.width();
                let mut rows = Vec::with_capacity((levels.len() + 2) * place.len());
                let mut add = |write: &dyn Fn(&mut [f64])| {
                    let mut row = vec![0.0; width];
                    write(&mut row);
                    rows.extend_from_slice(&row[place.clone()]);
                };
                for level in &levels {
                    add(&|row| {
                        let _ = encoder.text(j, level, row);
                    });
                }
                // No training data have a level of this name: it holds a character that text cannot.
                add(&|row| {
                    let _ = encoder.text(j, "\u{0}", row);
                });
                add(&|row| {
                    encoder.gap(j, row);
                });
                let unknown = levels.len();
                let mut keys = levels;
                let mut codes: Vec<i64> = (0..unknown as i64).collect();
                if !keys.iter().any(String::is_empty) {
                    keys.push(String::new());
                    codes.push(unknown as i64 + 1);
                }
                let code = graph.learning(
                    "LabelEncoder",
                    name,
                    vec![
                        strings("keys_strings", &keys),
                        crate::graph::ints("values_int64s", &codes),
                        int("default_int64", unknown as i64),
                    ],
                );
                let column = graph.integers(&[-1]);
                let code = graph.op("Reshape", &[&code, &column]);
                let table =
                    graph.numbers("the values of levels", &rows, &[unknown + 2, place.len()])?;
                parts.push(graph.op("Gather", &[&table, &code]));
            }
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let all = graph.op_with("Concat", &parts, vec![int("axis", 1)]);
    Ok((all, inputs))
}

/// One input with all features.
fn matrix(graph: &mut Graph, schema: &Schema) -> Result<(String, Vec<ValueInfoProto>)> {
    let p = schema.columns.len();
    let number = graph.precision().data_type();
    let shape = [Size::Rows, Size::Fixed(p)];
    let inputs = vec![value(INPUT, number, &shape, "rows of raw features")];
    let fills: Vec<f64> = schema.columns.iter().map(|c| fill_of(&c.kind)).collect();
    Ok((filled(graph, INPUT, &fills, schema)?, inputs))
}

/// Numbers with their gaps filled, if the training filled gaps.
fn filled(graph: &mut Graph, name: &str, fills: &[f64], schema: &Schema) -> Result<String> {
    if !schema.reading.missing.fills() {
        return Ok(name.to_string());
    }
    let gap = graph.op("IsNaN", &[name]);
    let fill = graph.numbers("the means of the features", fills, &[fills.len()])?;
    Ok(graph.op("Where", &[&gap, &fill, name]))
}

fn fill_of(kind: &ColumnKind) -> f64 {
    match kind {
        ColumnKind::Numeric { fill } | ColumnKind::Boolean { fill } => *fill,
        _ => 0.0,
    }
}

/// The levels that a column knows. Rare ones are as unknown ones.
fn levels_of(kind: &ColumnKind) -> Vec<String> {
    match kind {
        ColumnKind::Binary { levels, .. } => levels.to_vec(),
        ColumnKind::Categorical { levels, .. } | ColumnKind::Target { levels, .. } => {
            levels.clone()
        }
        _ => vec![],
    }
}

/// Names of the inputs: those of the columns, unless an output has the same.
pub fn input_names(schema: &Schema) -> Vec<String> {
    if schema.is_plain() {
        return vec![INPUT.into()];
    }
    let internal = |name: &str| {
        let end = name.rsplit('_').next().unwrap_or_default();
        !end.is_empty() && end.len() < name.len() && end.bytes().all(|b| b.is_ascii_digit())
    };
    let name = |c: &kernsieve::data::Column| match TAKEN.contains(&c.name.as_str())
        || c.name.is_empty()
        || internal(&c.name)
    {
        true => format!("{}#input", c.name),
        false => c.name.clone(),
    };
    schema.columns.iter().map(name).collect()
}
