//! Rows whose outputs are beyond the range of numbers.

use kernsieve::linalg::Matrix;

/// How many there are, and which is the first.
#[derive(Default)]
pub struct Overflow {
    seen: usize,
    rows: usize,
    first: usize,
}

impl Overflow {
    /// Looks at the outputs of the next rows.
    pub fn add(&mut self, outputs: &Matrix) {
        for row in outputs.iter_rows() {
            if row.iter().any(|v| !v.is_finite()) {
                if self.rows == 0 {
                    self.first = self.seen;
                }
                self.rows += 1;
            }
            self.seen += 1;
        }
    }

    /// What the user should know, if there are any.
    pub fn notice(&self) -> Option<String> {
        let rows = match self.rows {
            0 => return None,
            1 => format!("row {} (of 0, 1, ...) has", self.first),
            n => format!(
                "{n} rows, the first of them row {} (of 0, 1, ...), have",
                self.first
            ),
        };
        Some(format!(
            "{rows} values so large that the outputs overflow; their probabilities tell nothing, \
             and neither do their classes"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rows_over_blocks() {
        let mut overflow = Overflow::default();
        overflow.add(&Matrix::from_vec(vec![1.0, 2.0, 3.0, 4.0], 2, 2));
        assert_eq!(overflow.notice(), None);
        overflow.add(&Matrix::from_vec(vec![1.0, 2.0, f64::NAN, 4.0], 2, 2));
        let told = overflow.notice().unwrap_or_default();
        assert!(told.starts_with("row 3 "), "{told}");
        overflow.add(&Matrix::from_vec(vec![f64::INFINITY, 2.0], 1, 2));
        let told = overflow.notice().unwrap_or_default();
        assert!(
            told.starts_with("2 rows, the first of them row 3 "),
            "{told}"
        );
    }
}
