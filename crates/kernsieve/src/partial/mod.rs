//! What a fit needs to know of the rows, as sums that add up.
//!
//! Every type here has `update` with a block of rows and `merge` with the same sums of other rows,
//! and travels as bytes (`to_bytes`, `from_bytes`): blocks may come from a file that does not fit
//! into memory, or from many machines. Merging in a fixed order gives the same bits every time;
//! another order, or another division of the rows into blocks, changes no more than rounding.
//!
//! | sums | of | give |
//! |---|---|---|
//! | [`Moments`] | features and classes | scaling, class totals |
//! | [`Draw`] | numbers of rows | a sample that does not depend on how rows are divided |
//! | [`Sums`] | columns `phi(x)` | `Phi'W Phi`, `Phi'W Y`: selection of samples, ridge regression |
//! | [`ExactSums`] | kernel values, rounded | the same as integers: the same bits however rows are divided |
//! | [`TallQr`] | columns and class indicators | their triangular factor: least squares to full precision |
//! | [`Newton`] | columns, at coefficients | gradient and Hessian of the log likelihood |
//!
//! A [`Task`] names the columns and the sums, a [`Frame`] how the cells of a table become features in
//! the units of a kernel; a [`Passes`] carries tasks out over all rows, wherever these are. A
//! method that can be fitted so asks for one pass after the other.

mod bytes;
mod draw;
mod exact;
mod frame;
mod moments;
mod newton;
mod qr;
mod sums;
mod task;

use crate::error::{Error, Result};

pub use draw::Draw;
pub use exact::ExactSums;
pub(crate) use exact::LEAST_LEFT;
pub use frame::Frame;
pub use moments::Moments;
pub use newton::Newton;
pub use qr::{Reduced, TallQr};
pub use sums::Sums;
pub(crate) use task::weighted;
pub use task::{Block, Collect, Columns, InMemory, Part, Passes, Task};

use bytes::Kind;

/// Two parts of the same kind, as bytes, as one. The order matters for rounding alone.
pub fn merge_bytes(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    macro_rules! merged {
        ($kind:ty) => {{
            let mut sum = <$kind>::from_bytes(a)?;
            sum.merge(&<$kind>::from_bytes(b)?)?;
            Ok(sum.to_bytes())
        }};
    }
    match Kind::of(a) {
        Some(Kind::Moments) => merged!(Moments),
        Some(Kind::Draw) => merged!(Draw),
        Some(Kind::Sums) => merged!(Sums),
        Some(Kind::Exact) => merged!(ExactSums),
        Some(Kind::Qr) => merged!(TallQr),
        Some(Kind::Newton) => merged!(Newton),
        _ => Err(Error::Part("these bytes are no sums".into())),
    }
}
