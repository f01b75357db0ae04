//! A sample of rows by a hash of their numbers.

use super::bytes::{Kind, Reader, Writer, require_fit};
use crate::error::Result;
use std::collections::BinaryHeap;

/// The rows with the smallest hashes of seed and row number: so many of all, and so many of every
/// class at least. Which rows these are does not depend on how the rows are divided, and a merge of
/// two draws is the draw of both.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    most: usize,
    per_class: usize,
    rows: u64,
    all: BinaryHeap<(u64, u64)>,
    classes: Vec<BinaryHeap<(u64, u64)>>,
}

impl Draw {
    /// At most `most` rows, and `per_class` of every class more where these have fewer.
    pub fn new(seed: u64, most: usize, per_class: usize) -> Self {
        Self {
            seed,
            most,
            per_class,
            rows: 0,
            all: BinaryHeap::new(),
            classes: vec![],
        }
    }

    /// Sees a row by its number and class. Classes are numbered as they come.
    pub fn see(&mut self, row: u64, class: usize) {
        let key = (hash(self.seed, row), row);
        self.rows += 1;
        keep(&mut self.all, key, self.most);
        if class >= self.classes.len() {
            self.classes.resize_with(class + 1, BinaryHeap::new);
        }
        keep(&mut self.classes[class], key, self.per_class);
    }

    /// Sees what another draw has seen.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        require_fit(
            (self.seed, self.most, self.per_class) == (other.seed, other.most, other.per_class),
        )?;
        self.rows += other.rows;
        other
            .all
            .iter()
            .for_each(|k| keep(&mut self.all, *k, self.most));
        if other.classes.len() > self.classes.len() {
            self.classes
                .resize_with(other.classes.len(), BinaryHeap::new);
        }
        for (own, theirs) in self.classes.iter_mut().zip(&other.classes) {
            theirs.iter().for_each(|k| keep(own, *k, self.per_class));
        }
        Ok(())
    }

    /// Rows seen.
    pub fn seen(&self) -> u64 {
        self.rows
    }

    /// The rows of the sample, ascending.
    pub fn rows(&self) -> Vec<u64> {
        let all = self.all.iter().chain(self.classes.iter().flatten());
        let mut rows: Vec<u64> = all.map(|(_, row)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Draw);
        out.count(self.seed);
        out.count(self.most as u64);
        out.count(self.per_class as u64);
        out.count(self.rows);
        out.count(self.classes.len() as u64);
        for heap in std::iter::once(&self.all).chain(&self.classes) {
            let mut keys: Vec<&(u64, u64)> = heap.iter().collect();
            keys.sort_unstable();
            out.count(keys.len() as u64);
            for (hash, row) in keys {
                out.count(*hash);
                out.count(*row);
            }
        }
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Draw)?;
        let (seed, most, per_class) = (input.count()?, input.count()?, input.count()?);
        let rows = input.count()?;
        let n_classes = input.length(8)?;
        let mut heap = || -> Result<BinaryHeap<(u64, u64)>> {
            let n = input.length(16)?;
            (0..n)
                .map(|_| Ok((input.count()?, input.count()?)))
                .collect()
        };
        let all = heap()?;
        let classes = (0..n_classes).map(|_| heap()).collect::<Result<_>>()?;
        input.end()?;
        Ok(Self {
            seed,
            most: most as usize,
            per_class: per_class as usize,
            rows,
            all,
            classes,
        })
    }
}

/// Keeps the smallest keys.
fn keep(heap: &mut BinaryHeap<(u64, u64)>, key: (u64, u64), most: usize) {
    if heap.len() < most {
        heap.push(key);
    } else if heap.peek().is_some_and(|largest| key < *largest) {
        heap.pop();
        heap.push(key);
    }
}

/// SplitMix64 of the row number, begun at the seed.
fn hash(seed: u64, row: u64) -> u64 {
    let mut z =
        (seed ^ 0x5851_f42d_4c95_7f2d).wrapping_add((row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every hundredth row is of a rare class.
    fn class(row: u64) -> usize {
        usize::from(row % 500 == 7)
    }

    fn draw(rows: impl Iterator<Item = u64>) -> Draw {
        let mut draw = Draw::new(3, 100, 5);
        rows.for_each(|r| draw.see(r, class(r)));
        draw
    }

    #[test]
    fn the_sample_does_not_depend_on_the_division_of_the_rows() {
        let whole = draw(0..10_000);
        let rows = whole.rows();
        assert!((100..=110).contains(&rows.len()));
        assert!(rows.iter().filter(|r| class(**r) == 1).count() >= 5);
        let mut parts = draw(4000..10_000);
        let other = Draw::from_bytes(&draw((0..4000).rev()).to_bytes()).expect("whole");
        parts.merge(&other).expect("fits");
        assert_eq!((parts.rows(), parts.seen()), (rows.clone(), 10_000));
        let other = Draw::new(4, 100, 5);
        assert!(parts.merge(&other).is_err());
        // Few rows are all kept.
        assert_eq!(draw(0..60).rows(), (0..60).collect::<Vec<_>>());
        // Evenly: the mean of 0..10000 within five standard errors.
        let mean = rows.iter().sum::<u64>() as f64 / rows.len() as f64;
        assert!((mean - 5000.0).abs() < 5.0 * 2887.0 / 10.0, "{mean}");
    }
}
