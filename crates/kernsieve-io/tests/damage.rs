//! Damaged files never make the readers panic or hang: 10,000 damaged copies of each kind of file.
#![allow(clippy::unwrap_used)]

mod common;
#[cfg(feature = "parquet")]
mod write_parquet;
use common::gzip;
use kernsieve::data::Rng;
use kernsieve_io::{Missing, ReadOptions, ScoringOptions, ScoringReader, TargetColumn};

const COPIES: usize = 10_000;

fn damage(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(out.len().max(1)).min(out.len());
        match rng.below(6) {
            0 if at < out.len() => out[at] ^= 1 << rng.below(8),
            1 if at < out.len() => out[at] = rng.next_u64() as u8,
            2 => out.truncate(at),
            3 => {
                let end = (at + 1 + rng.below(16)).min(out.len());
                out.drain(at..end);
            }
            4 => {
                let special = b"\"',;\t|\n\r{}:#%?@ \0\xff-+.e9";
                out.insert(at, special[rng.below(special.len())]);
            }
            _ => {
                let end = (at + 1 + rng.below(16)).min(out.len());
                let copy = out[at..end].to_vec();
                let to = rng.below(out.len() + 1);
                out.splice(to..to, copy);
            }
        }
    }
    out
}

/// Reads damaged copies both ways; the results must be finite and consistent.
fn survive(name: &str, bytes: &[u8]) {
    let whole = ReadOptions {
        missing: Missing::Mean,
        memory_limit: Some(1 << 24),
        ..ReadOptions::default()
    };
    let schema = kernsieve_io::read_training(&common::source(name, bytes), &whole)
        .unwrap()
        .schema;
    let scoring = ScoringOptions {
        missing: Some(Missing::Mean),
        target: TargetColumn::IfPresent,
        block_rows: 7,
        ..ScoringOptions::default()
    };
    let mut rng = Rng::new(20);
    let mut readable = 0;
    for _ in 0..COPIES {
        let source = common::source(name, damage(bytes, &mut rng));
        if let Ok(d) = kernsieve_io::read_training(&source, &whole) {
            readable += 1;
            assert_eq!(d.dataset.n_samples(), d.rows.len());
            assert_eq!(d.dataset.n_features(), d.schema.n_features());
        }
        if let Ok(reader) = ScoringReader::open(&source, &schema, &scoring) {
            for block in reader.map_while(Result::ok) {
                assert!(block.x.as_slice().iter().all(|v| v.is_finite()));
            }
        }
    }
    assert!(readable < COPIES, "the damage must show");
}

const CSV: &str = "a,b,\"the, colour\",class\n1,2.5,red,x\n2,-1e3,\"light \"\"blue\"\"\",y\n\
    3,NA,red,x\n4,0.125,green,y\n5,7,red,x\n6,8,red,y\n";

#[test]
fn damaged_csv() {
    survive("t.csv", CSV.as_bytes());
}

#[test]
fn damaged_text_of_unknown_format() {
    survive("t", CSV.as_bytes());
}

#[test]
fn damaged_gzip() {
    survive("t.csv.gz", &gzip(CSV.as_bytes()));
}

#[test]
fn damaged_libsvm() {
    survive(
        "t.svm",
        b"+1 1:0.5 3:2 7:1e-3 # c\n-1 qid:3 2:4 3:-1\n+1 1:1\n-1 4:5 6:1\n",
    );
}

#[test]
fn damaged_arff() {
    survive(
        "t.arff",
        b"% c\n@relation r\n@attribute 'a b' real\n@attribute c {u,'v w'}\n@attribute s string\n\
        @attribute class {x,y}\n@data\n1,u,p,x\n2,'v w','q\\'r',y\n{0 5, 3 y}\n?,u,p,x\n",
    );
}

#[cfg(feature = "parquet")]
mod damaged_parquet {
    use super::survive;
    use super::write_parquet::{Values, file_version_2, file_with};
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};

    const SCHEMA: &str =
        "message m { optional double d; optional binary s (UTF8); required int64 c; }";

    fn columns() -> Vec<Values> {
        vec![
            Values::F64(vec![1.0, 2.0, 4.0], Some(vec![1, 1, 0, 1])),
            Values::Text(vec!["u", "v", "u", "w"], Some(vec![1, 1, 1, 1])),
            Values::I64(vec![0, 1, 0, 1], None),
        ]
    }

    #[test]
    fn by_codec() {
        for codec in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
        ] {
            survive(
                "t.parquet",
                &file_with(SCHEMA, &[columns(), columns()], codec),
            );
        }
    }

    #[test]
    fn with_delta_encodings() {
        survive(
            "t.parquet",
            &file_version_2(SCHEMA, &[columns(), columns()]),
        );
    }
}
