//! Partial sums as bytes: a header, the numbers, a checksum. Reading trusts nothing.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

const MAGIC: &[u8; 8] = b"kernsums";
/// Version of the layout.
const VERSION: u8 = 1;

/// The kind of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Moments = 1,
    Draw = 2,
    Sums = 3,
    Qr = 4,
    Newton = 5,
    Task = 6,
    Frame = 7,
    Exact = 8,
}

impl Kind {
    /// The kind of what these bytes say they are.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let kinds = [
            Self::Moments,
            Self::Draw,
            Self::Sums,
            Self::Qr,
            Self::Newton,
            Self::Task,
            Self::Frame,
            Self::Exact,
        ];
        let own = *bytes.get(MAGIC.len() + 1)?;
        kinds.into_iter().find(|k| *k as u8 == own)
    }
}

/// Collects bytes.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(kind: Kind) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, kind as u8]);
        Self(bytes)
    }

    pub(super) fn count(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    pub(super) fn whole(&mut self, v: i128) {
        self.0.extend(v.to_le_bytes());
    }

    pub(super) fn number(&mut self, v: f64) {
        self.0.extend(v.to_le_bytes());
    }

    pub(super) fn numbers(&mut self, values: &[f64]) {
        self.count(values.len() as u64);
        values.iter().for_each(|v| self.number(*v));
    }

    pub(super) fn matrix(&mut self, m: &Matrix) {
        self.count(m.rows() as u64);
        self.count(m.cols() as u64);
        m.as_slice().iter().for_each(|v| self.number(*v));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let sum = Checksum::of(&self.0);
        self.count(sum);
        self.0
    }
}

/// Takes bytes apart.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

fn damaged(what: &str) -> Error {
    Error::Part(what.into())
}

impl<'a> Reader<'a> {
    /// Checks header and checksum.
    pub(super) fn open(bytes: &'a [u8], kind: Kind) -> Result<Self> {
        let (body, sum) = bytes
            .split_last_chunk::<8>()
            .ok_or_else(|| damaged("they are cut off"))?;
        let Some(rest) = body.strip_prefix(MAGIC) else {
            return Err(damaged("these bytes are something else"));
        };
        let [version, own, rest @ ..] = rest else {
            return Err(damaged("they are cut off"));
        };
        if *version != VERSION {
            return Err(Error::Part(format!(
                "they are of version {version}, and this program knows version {VERSION}; use the \
                 same version of kernsieve everywhere"
            )));
        }
        if Checksum::of(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("the checksum does not fit"));
        }
        if *own != kind as u8 {
            return Err(damaged("they are sums of another kind"));
        }
        Ok(Self { bytes: rest })
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let cut = self.bytes.split_at_checked(n);
        let (taken, rest) = cut.ok_or_else(|| damaged("they are cut off"))?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn count(&mut self) -> Result<u64> {
        let mut eight = [0; 8];
        eight.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(eight))
    }

    /// A count of things that take so many bytes each and follow.
    pub(super) fn length(&mut self, bytes_each: usize) -> Result<usize> {
        let n = self.count()?;
        let possible = (self.bytes.len() / bytes_each.max(1)) as u64;
        if n > possible {
            return Err(damaged("a count is larger than what follows"));
        }
        Ok(n as usize)
    }

    pub(super) fn whole(&mut self) -> Result<i128> {
        let mut sixteen = [0; 16];
        sixteen.copy_from_slice(self.take(16)?);
        Ok(i128::from_le_bytes(sixteen))
    }

    pub(super) fn number(&mut self) -> Result<f64> {
        let mut eight = [0; 8];
        eight.copy_from_slice(self.take(8)?);
        Ok(f64::from_le_bytes(eight))
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<f64>> {
        let n = self.length(8)?;
        (0..n).map(|_| self.number()).collect()
    }

    pub(super) fn matrix(&mut self) -> Result<Matrix> {
        let (rows, cols) = (self.count()?, self.count()?);
        let possible = (self.bytes.len() / 8) as u64;
        let n = rows.checked_mul(cols).filter(|n| *n <= possible);
        let n = n.ok_or_else(|| damaged("a count is larger than what follows"))?;
        let values: Result<Vec<f64>> = (0..n).map(|_| self.number()).collect();
        Ok(Matrix::from_vec(values?, rows as usize, cols as usize))
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let n = self.length(1)?;
        std::str::from_utf8(self.take(n)?).map_err(|_| damaged("a word is not text"))
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Result<()> {
        match self.bytes {
            [] => Ok(()),
            _ => Err(damaged("there is more than expected")),
        }
    }
}

/// An error if parts do not fit together.
pub(super) fn require_fit(fits: bool) -> Result<()> {
    if fits {
        Ok(())
    } else {
        Err(damaged("their sizes do not fit each other"))
    }
}
