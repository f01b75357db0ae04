//! Sound inputs, which are damaged: small, and with everything that a format knows.

use flate2::Compression as Level;
use flate2::write::GzEncoder;
use kernsieve::catalogue;
use kernsieve::data::{Schema, simulate};
use kernsieve::method::density::Density;
use kernsieve::model_file;
use kernsieve::params::Params;
use kernsieve::tuning::{DensityData, train_density};
use kernsieve::{Control, Protocol};
use kernsieve_io::{Missing, ReadOptions, Source, read_training};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Comma-separated values: quotes, gaps, dates, truth values, text, comments of other programs.
pub const CSV: &[&str] = &[
    "a,b,\"the, colour\",class\n1,2.5,red,x\n2,-1e3,\"light \"\"blue\"\"\",y\n\
     3,NA,red,x\n4,0.125,green,y\n5,7,red,x\n6,8,red,y\n",
    "day;open;size;class\r\n2024-05-31;true;1,5;u\r\n2024-06-01 12:30;false;2,25;v\r\n\
     2023-01-02;true;;u\r\n2022-12-31;false;4;v\r\n",
    "id\tx0\tx1\tlabel\n1\t0.5\t-0.25\t0\n2\t1.5\t?\t1\n3\t2.5\t1e-3\t0\n4\t3.5\t12\t1\n",
];

/// Weka's format.
pub const ARFF: &[&str] = &[
    "% c\n@relation r\n@attribute 'a b' real\n@attribute c {u,'v w'}\n@attribute s string\n\
     @attribute class {x,y}\n@data\n1,u,p,x\n2,'v w','q\\'r',y\n{0 5, 3 y}\n?,u,p,x\n",
    "@RELATION \"r s\"\n@ATTRIBUTE n NUMERIC\n@ATTRIBUTE d date 'yyyy-MM-dd'\n@ATTRIBUTE c {1,2}\n\
     @DATA\n1.5,'2024-01-02',1\n-3,?,2\n2,'2024-01-03',1\n0,'2023-01-03',2\n",
];

/// Labels and pairs.
pub const LIBSVM: &[&str] = &[
    "+1 1:0.5 3:2 7:1e-3 # c\n-1 qid:3 2:4 3:-1\n+1 1:1\n-1 4:5 6:1\n",
    "a 1:1 2:2\nb 1:2 2:nan\na 2:3\nb 1:-1\n",
];

/// A journal, of the fingerprint [`FINGERPRINT`].
pub const JOURNAL: &[&str] = &[
    "{\"kernsieve_journal\":1,\"fingerprint\":\"0123456789abcdef\"}\n\
     {\"split\":0,\"method\":\"lda\",\"error\":0.25,\"retained_percent\":0.0,\"features\":4,\
     \"seconds\":0.5,\"predict_seconds\":0.125,\"bandwidth\":null,\"ridge\":0.001,\
     \"sparsity\":null,\"model_bytes\":1000}\n\
     {\"split\":1,\"method\":\"auto\",\"error\":0.125,\"retained_percent\":12.5,\"features\":2,\
     \"seconds\":1.5,\"predict_seconds\":0.25,\"bandwidth\":1.5,\"ridge\":null,\"sparsity\":0.1,\
     \"model_bytes\":2000,\"chosen\":\"klr\"}\n",
];

/// See [`JOURNAL`].
pub const FINGERPRINT: &str = "0123456789abcdef";

/// Command lines, of which options are changed.
pub const OPTIONS: &[&str] = &[
    "fit data.csv --method klr --bandwidth 1.5 --ridges 0.1,0.01 --folds 5 --seed 7",
    "fit data.csv --method smkda --max-support 10 --kernel laplacian --priors 0.5,0.5",
    "fit data.csv --target y --threshold best:f1 --positive a --costs 1,5 --missing median",
    "fit data.csv --method l2qp --smoothing 0.5 --balance 2 --class-bandwidths 1,2",
    "compare data.csv --methods lda,kos --repeats 3 --test-fraction 1/3 --journal j",
    "density data.csv --bandwidth 0.5 --folds 3",
    "predict m.ks data.csv --proba --variates --keep id,name --memory 500M",
];

/// Packed by gzip.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Level::default());
    out.write_all(bytes)?;
    Ok(out.finish()?)
}

/// Parquet files of all codecs, and of both versions of pages.
pub fn parquet() -> Result<Vec<Vec<u8>>> {
    let version_1 = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ];
    let by_codec = version_1.map(|c| WriterProperties::builder().set_compression(c).build());
    let version_2 = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .build();
    by_codec
        .into_iter()
        .chain([version_2])
        .map(parquet_file)
        .collect()
}

fn parquet_file(properties: WriterProperties) -> Result<Vec<u8>> {
    let schema = parse_message_type(
        "message m { optional double d; optional binary s (UTF8); required boolean b; \
         required int64 c; }",
    )?;
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
    let missing = || Box::<dyn Error>::from("the schema has four columns");
    for _ in 0..2 {
        let mut group = writer.next_row_group()?;
        let mut column = group.next_column()?.ok_or_else(missing)?;
        let numbers = column.typed::<DoubleType>();
        numbers.write_batch(&[1.0, 2.0, 4.0], Some(&[1, 1, 0, 1]), None)?;
        column.close()?;
        let mut column = group.next_column()?.ok_or_else(missing)?;
        let text = ["u", "v", "u", "w"].map(ByteArray::from);
        column
            .typed::<ByteArrayType>()
            .write_batch(&text, Some(&[1; 4]), None)?;
        column.close()?;
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column
            .typed::<BoolType>()
            .write_batch(&[true, false, true, true], None, None)?;
        column.close()?;
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column
            .typed::<Int64Type>()
            .write_batch(&[0, 1, 0, 1], None, None)?;
        column.close()?;
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// A table with columns of every kind, in two or three classes.
fn mixed(classes: usize) -> String {
    let mut text = String::from("u,day,colour,open,group,class\n");
    for i in 0..24 {
        let u = (i * 7 % 24) as f64 / 8.0;
        let colour = ["red", "green", "blue"][i % 3];
        let class = ["x", "y", "z"][(u as usize).min(classes - 1)];
        let gap = if i == 5 { String::new() } else { u.to_string() };
        let (open, group) = (i % 2 == 0, ["p", "q"][i / 12]);
        let day = 1 + i;
        text += &format!("{gap},2024-05-{day:02},{colour},{open},{group},{class}\n");
    }
    text
}

/// Models of these methods on a table.
fn of_table(text: String, methods: &[&str]) -> Result<Vec<Vec<u8>>> {
    let source = Source::Bytes {
        name: "mixed.csv".into(),
        bytes: text.into_bytes(),
    };
    let options = ReadOptions {
        missing: Missing::Indicator,
        rare: Some(1),
        ..ReadOptions::default()
    };
    let table = read_training(&source, &options)?;
    let train = |name: &&str| {
        let made = catalogue::find(name)?.make(&Params::new())?;
        let protocol = Protocol::default().folds(2);
        let trained = made.train(&table.dataset, &table.schema, &protocol, &Control::new())?;
        Ok(model_file::to_bytes(&trained.model)?)
    };
    methods.iter().map(train).collect()
}

/// A model of every method, models of three classes and of columns of every kind, and a density.
pub fn models() -> Result<Vec<Vec<u8>>> {
    let (control, protocol) = (Control::new(), Protocol::default().folds(2));
    let data = simulate::mixture(0, 1, 12, 1);
    let schema = Schema::numeric(data.feature_names());
    let mut files = Vec::new();
    for entry in catalogue::CATALOGUE {
        let made = entry.make(&Params::new())?;
        let trained = made.train(&data, &schema, &protocol, &control)?;
        files.push(model_file::to_bytes(&trained.model)?);
    }
    files.extend(of_table(mixed(2), &["lda"])?);
    files.extend(of_table(mixed(3), &["l2qp", "klr"])?);
    let rows = DensityData {
        x: data.x(),
        weights: None,
        schema: &schema,
    };
    let density = train_density(&Density::new(), &rows, &protocol, &control)?;
    files.push(model_file::to_bytes(&density.model)?);
    Ok(files)
}
