//! Pages of a Parquet column, checked before the decoder sizes its buffers by their headers.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Passes pages on if the claims of their headers are possible.
pub(crate) struct CheckedPages {
    inner: Box<dyn PageReader>,
    rows: usize,
}

impl CheckedPages {
    /// Pages of a column chunk with this many rows.
    pub(crate) fn new(inner: Box<dyn PageReader>, rows: usize) -> Self {
        Self { inner, rows }
    }

    fn check(&self, page: &Page) -> Result<()> {
        let claimed = page.num_values() as usize;
        let most = match page {
            // A value takes at least a bit.
            Page::DictionaryPage { buf, .. } => 8 * buf.len(),
            _ => self.rows,
        };
        if claimed > most {
            return Err(ParquetError::General(format!(
                "a page claims {claimed} values where there can be {most}"
            )));
        }
        Ok(())
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        page.iter().try_for_each(|p| self.check(p))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}
