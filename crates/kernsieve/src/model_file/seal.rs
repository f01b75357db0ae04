//! The checksum of a file: the last field of the document, over all arrays and the rest of the
//! document. It finds damage that still reads as a model.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use safetensors::tensor::Dtype;

/// What stands before the sum.
const LABEL: &str = ",\"checksum\":\"";
/// What stands behind it.
const END: &str = "\"}";

/// The name of a type of numbers.
pub(super) fn kind(of: Dtype) -> &'static str {
    match of {
        Dtype::F64 => "f64",
        Dtype::U64 => "u64",
        Dtype::U8 => "u8",
        _ => "other",
    }
}

/// An array as the checksum sees it: its name, its type, its sizes, its bytes.
pub(super) type Seen<'a> = (&'a str, &'static str, &'a [usize], &'a [u8]);

/// Of arrays in any order.
fn sum_of(document: &str, arrays: &mut [Seen<'_>]) -> String {
    arrays.sort_by_key(|a| a.0);
    let mut sum = Checksum::default();
    for (name, kind, shape, bytes) in arrays.iter() {
        sum.add(name.as_bytes());
        sum.add(&[0]);
        sum.add(kind.as_bytes());
        let sizes = std::iter::once(shape.len()).chain(shape.iter().copied());
        sizes.for_each(|n| sum.add(&(n as u64).to_le_bytes()));
        sum.add(bytes);
    }
    sum.add(document.as_bytes());
    format!("{:016x}", sum.value())
}

/// The document with the checksum as its last field.
pub(super) fn seal(document: &str, arrays: &mut [Seen<'_>]) -> String {
    let sum = sum_of(document, arrays);
    let open = document.strip_suffix('}').unwrap_or(document);
    format!("{open}{LABEL}{sum}{END}")
}

/// An error if the document has a checksum that is not its own. Files of earlier versions have
/// none.
pub(super) fn check(document: &str, arrays: &mut [Seen<'_>]) -> Result<()> {
    let sealed = document.strip_suffix(END).and_then(|d| {
        let (rest, sum) = d.split_at_checked(d.len().checked_sub(16)?)?;
        Some((rest.strip_suffix(LABEL)?, sum))
    });
    match sealed {
        Some((open, sum)) if sum_of(&format!("{open}}}"), arrays) != sum => Err(Error::ModelFile(
            "the checksum does not fit: the file is damaged".into(),
        )),
        _ => Ok(()),
    }
}
