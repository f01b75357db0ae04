//! Writes small Parquet files.
#![allow(dead_code, clippy::unwrap_used)]

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The values of a column that are not null, and the definition levels (1: there is a value) of an
/// optional one.
pub enum Values {
    Bool(Vec<bool>, Option<Vec<i16>>),
    I32(Vec<i32>),
    I64(Vec<i64>, Option<Vec<i16>>),
    F32(Vec<f32>),
    F64(Vec<f64>, Option<Vec<i16>>),
    Text(Vec<&'static str>, Option<Vec<i16>>),
}

pub fn file(schema: &str, groups: &[Vec<Values>]) -> Vec<u8> {
    file_with(schema, groups, Compression::SNAPPY)
}

pub fn file_with(schema: &str, groups: &[Vec<Values>], codec: Compression) -> Vec<u8> {
    write(
        schema,
        groups,
        WriterProperties::builder().set_compression(codec).build(),
    )
}

/// With pages of version 2 and the delta encodings that go with them.
pub fn file_version_2(schema: &str, groups: &[Vec<Values>]) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .build();
    write(schema, groups, properties)
}

fn write(schema: &str, groups: &[Vec<Values>], properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(properties);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    for group in groups {
        let mut out = writer.next_row_group().unwrap();
        for values in group {
            let mut column = out.next_column().unwrap().unwrap();
            macro_rules! write {
                ($kind:ty, $values:expr, $levels:expr) => {
                    column
                        .typed::<$kind>()
                        .write_batch($values, $levels.as_deref(), None)
                        .unwrap()
                };
            }
            match values {
                Values::Bool(v, l) => write!(BoolType, v, l),
                Values::I32(v) => write!(Int32Type, v, None::<Vec<i16>>),
                Values::I64(v, l) => write!(Int64Type, v, l),
                Values::F32(v) => write!(FloatType, v, None::<Vec<i16>>),
                Values::F64(v, l) => write!(DoubleType, v, l),
                Values::Text(v, l) => {
                    let v: Vec<ByteArray> = v.iter().map(|s| ByteArray::from(*s)).collect();
                    write!(ByteArrayType, &v, l)
                }
            };
            column.close().unwrap();
        }
        out.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}
