//! Seeded folds and splits, by class or by blocks of rows that belong together.

use super::labels::Labels;
use super::rng::Rng;
use std::collections::HashMap;

/// Rows to train on and rows held out, both in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows held out.
    pub test: Vec<usize>,
}

/// `k` folds that keep the class proportions. The rows of each class are shuffled and dealt to the
/// folds in turn. The next class continues where the last one stopped, so fold sizes differ by at
/// most one.
pub fn stratified_folds(labels: &Labels, k: usize, seed: u64) -> Vec<Split> {
    let k = k.clamp(2, labels.len().max(2));
    let mut fold_of = vec![0usize; labels.len()];
    let mut rng = Rng::stream(seed, 0x_f01d);
    let mut next = 0;
    for mut rows in rows_by_class(labels) {
        rng.shuffle(&mut rows);
        for row in rows {
            fold_of[row] = next % k;
            next += 1;
        }
    }
    splits_of(&fold_of, k)
}

/// At most `k` folds that never divide a block of rows, such as those of one patient. The blocks
/// are shuffled and then assigned, the largest first. Each goes to the fold that keeps the classes
/// spread most evenly (the least sum, over folds and classes, of the squared share of the class in
/// the fold). Ties go to the smallest fold. With no more blocks than folds, every block is a fold
/// of its own.
pub fn block_folds(labels: &Labels, blocks: &[usize], k: usize, seed: u64) -> Vec<Split> {
    let totals = labels.counts();
    let mut members = shuffled_blocks(blocks, seed);
    members.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let k = k.clamp(2, members.len().max(2));
    let mut fold_of = vec![0usize; blocks.len()];
    let mut shares = vec![vec![0.0; totals.len()]; k];
    let mut sizes = vec![0usize; k];
    for (m, rows) in members.iter().enumerate() {
        let own = shares_of(rows, labels, &totals);
        // Growth of the sum of squared shares.
        let growth = |f: usize| -> f64 {
            own.iter()
                .zip(&shares[f])
                .map(|(o, s)| o * (o + 2.0 * s))
                .sum()
        };
        // The first blocks go to folds of their own, so that none stays empty.
        let fold = if m < k {
            m
        } else {
            // Sums of the same shares in another order differ in the last digits; these are ties as
            // well.
            let rounded = |f: usize| (1e9 * growth(f)).round();
            let order = |&a: &usize, &b: &usize| {
                rounded(a)
                    .total_cmp(&rounded(b))
                    .then(sizes[a].cmp(&sizes[b]))
            };
            (0..k).min_by(order).unwrap_or(0)
        };
        rows.iter().for_each(|&row| fold_of[row] = fold);
        sizes[fold] += rows.len();
        shares[fold].iter_mut().zip(&own).for_each(|(s, o)| *s += o);
    }
    splits_of(&fold_of, k)
}

/// Holds out whole blocks, about this fraction of the rows of every class. Blocks are visited in
/// random order, and a block is held out if this brings the held-out shares of the classes nearer
/// to the fraction (in the sum of squares). At least one block is held out, and at least two remain
/// (one, if there are only two).
pub fn block_split(labels: &Labels, blocks: &[usize], fraction: f64, seed: u64) -> Split {
    let totals = labels.counts();
    let members = shuffled_blocks(blocks, seed);
    let most = members.len().saturating_sub(2).max(1);
    let distance = |held: &[f64], own: &[f64]| -> f64 {
        let off = held.iter().zip(own).zip(&totals).filter(|(_, n)| **n > 0);
        off.map(|((h, o), _)| (h + o - fraction) * (h + o - fraction))
            .sum()
    };
    let nothing = vec![0.0; totals.len()];
    let mut held = nothing.clone();
    let mut out: Vec<&Vec<usize>> = Vec::new();
    for rows in &members {
        let own = shares_of(rows, labels, &totals);
        if out.len() < most && distance(&held, &own) < distance(&held, &nothing) {
            held.iter_mut().zip(&own).for_each(|(h, o)| *h += o);
            out.push(rows);
        }
    }
    if out.is_empty() {
        let off = |rows: &Vec<usize>| distance(&nothing, &shares_of(rows, labels, &totals));
        out.extend(members.iter().min_by(|a, b| off(a).total_cmp(&off(b))));
    }
    let mut is_held = vec![false; blocks.len()];
    out.into_iter()
        .flatten()
        .for_each(|&row| is_held[row] = true);
    let (test, train) = (0..blocks.len()).partition(|&i| is_held[i]);
    Split { train, test }
}

/// The rows of every block. The blocks are in random order.
fn shuffled_blocks(blocks: &[usize], seed: u64) -> Vec<Vec<usize>> {
    let mut place: HashMap<usize, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (row, block) in blocks.iter().enumerate() {
        let g = *place.entry(*block).or_insert(members.len());
        if g == members.len() {
            members.push(Vec::new());
        }
        members[g].push(row);
    }
    Rng::stream(seed, 0x_6709).shuffle(&mut members);
    members
}

/// The share of every class that is in some rows.
fn shares_of(rows: &[usize], labels: &Labels, totals: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; totals.len()];
    for &row in rows {
        let class = labels.codes()[row];
        shares[class] += 1.0 / totals[class] as f64;
    }
    shares
}

fn splits_of(fold_of: &[usize], k: usize) -> Vec<Split> {
    let split = |f: usize| {
        let (test, train) = (0..fold_of.len()).partition(|&i| fold_of[i] == f);
        Split { train, test }
    };
    (0..k).map(split).collect()
}

/// Holds out a fraction of the rows of each class: at least one row of a class with two or more
/// rows, and never all of them. Rows that rounding down leaves over are taken from the classes with
/// the largest remainders.
pub fn stratified_split(labels: &Labels, fraction: f64, seed: u64) -> Split {
    let mut rng = Rng::stream(seed, 0x_5917);
    let classes = rows_by_class(labels);
    let wanted: Vec<f64> = classes.iter().map(|r| r.len() as f64 * fraction).collect();
    let mut take: Vec<usize> = wanted.iter().map(|w| w.floor() as usize).collect();
    let total = (labels.len() as f64 * fraction).round() as usize;
    let mut by_remainder: Vec<usize> = (0..classes.len()).collect();
    by_remainder.sort_by(|&a, &b| {
        wanted[b]
            .fract()
            .total_cmp(&wanted[a].fract())
            .then(a.cmp(&b))
    });
    let mut missing = total.saturating_sub(take.iter().sum());
    for &c in &by_remainder {
        if missing > 0 && take[c] + 1 < classes[c].len() {
            take[c] += 1;
            missing -= 1;
        }
    }
    let mut held_out = vec![false; labels.len()];
    for (mut rows, t) in classes.into_iter().zip(take) {
        let most = rows.len().saturating_sub(1);
        let t = t.clamp(most.min(1), most);
        rng.shuffle(&mut rows);
        for &row in &rows[..t] {
            held_out[row] = true;
        }
    }
    let (test, train) = (0..labels.len()).partition(|&i| held_out[i]);
    Split { train, test }
}

fn rows_by_class(labels: &Labels) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.n_classes()];
    for (i, &c) in labels.codes().iter().enumerate() {
        rows[c].push(i);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_partition_the_rows_and_keep_the_proportions() {
        for counts in [vec![50, 50, 50], vec![7, 93], vec![1, 2, 30], vec![3, 3]] {
            let l = labels(&counts);
            let folds = stratified_folds(&l, 5, 9);
            let mut all: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            all.sort_unstable();
            assert_eq!(all, (0..l.len()).collect::<Vec<_>>());
            for f in &folds {
                assert_eq!(f.train.len() + f.test.len(), l.len());
                assert!(f.test.len().abs_diff(l.len() / folds.len()) <= 1);
                for (c, &n) in counts.iter().enumerate() {
                    let here = f.test.iter().filter(|&&i| l.codes()[i] == c).count();
                    assert!(here as f64 <= (n as f64 / folds.len() as f64).ceil());
                }
            }
            assert_eq!(folds, stratified_folds(&l, 5, 9));
        }
        let l = labels(&[50, 50]);
        assert_ne!(stratified_folds(&l, 5, 0), stratified_folds(&l, 5, 1));
    }

    #[test]
    fn blocks_stay_together_and_fill_all_folds() {
        let l = labels(&[60, 30, 10]);
        for (count, k) in [(40, 5), (7, 5), (5, 5), (3, 5), (2, 2)] {
            // Of unlike sizes: block g has about as many rows as g + 1.
            let block = |i: usize| {
                (0..count).find(|g| i % (count * (count + 1) / 2) < (g + 1) * (g + 2) / 2)
            };
            let blocks: Vec<usize> = (0..l.len())
                .map(|i| 10 * block(i).expect("found"))
                .collect();
            let folds = block_folds(&l, &blocks, k, 3);
            assert_eq!(folds.len(), k.min(count));
            let mut all: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            all.sort_unstable();
            assert_eq!(all, (0..l.len()).collect::<Vec<_>>());
            for f in &folds {
                assert!(!f.test.is_empty() && !f.train.is_empty());
                assert!(
                    f.test
                        .iter()
                        .all(|&i| f.train.iter().all(|&j| blocks[i] != blocks[j]))
                );
            }
            assert_eq!(folds, block_folds(&l, &blocks, k, 3));
        }
    }

    #[test]
    fn small_groups_make_even_folds() {
        let l = labels(&[120, 60, 20]);
        // Groups of two rows of one class: folds can be as good as those by class.
        let mut blocks = vec![0; l.len()];
        for class in 0..3 {
            for (k, i) in (0..l.len()).filter(|&i| l.codes()[i] == class).enumerate() {
                blocks[i] = 1000 * class + k / 2;
            }
        }
        for seed in 0..5 {
            for f in block_folds(&l, &blocks, 5, seed) {
                let counts = l.select(&f.test).counts();
                let even = |c: usize, n: usize| counts[c].abs_diff(n) <= 2;
                assert!(even(0, 24) && even(1, 12) && even(2, 4), "{counts:?}");
            }
        }
        // Groups of one row: left-overs of the classes do not all go to one fold.
        for (classes, each, k) in [(50, 6, 5), (26, 11, 10), (3, 11, 5)] {
            let l = labels(&vec![each; classes]);
            let alone: Vec<usize> = (0..l.len()).collect();
            let sizes: Vec<usize> = block_folds(&l, &alone, k, 1)
                .iter()
                .map(|f| f.test.len())
                .collect();
            let (least, most) = (sizes.iter().min().copied(), sizes.iter().max().copied());
            assert!(
                most <= least.map(|v| v + 1),
                "{classes} x {each}: {sizes:?}"
            );
        }
    }

    #[test]
    fn held_out_groups_come_near_the_fraction() {
        let l = labels(&[120, 80]);
        let blocks: Vec<usize> = (0..200).map(|i| i / 5).collect();
        for fraction in [0.05, 0.2, 0.4, 0.45, 0.6, 0.8] {
            for seed in 0..5 {
                let split = block_split(&l, &blocks, fraction, seed);
                assert!(
                    (split.test.len() as f64 / 200.0 - fraction).abs() <= 0.05,
                    "{fraction} {}",
                    split.test.len()
                );
                assert!(
                    split
                        .test
                        .iter()
                        .all(|&i| split.train.iter().all(|&j| blocks[i] != blocks[j]))
                );
            }
        }
        // One block of most rows stays, and at least one more with it; of two blocks one is held
        // out.
        let large: Vec<usize> = (0..200usize).map(|i| i.saturating_sub(179)).collect();
        let kept = |split: &Split| {
            split
                .train
                .iter()
                .map(|&i| large[i])
                .collect::<std::collections::HashSet<_>>()
        };
        for seed in 0..5 {
            let split = block_split(&l, &large, 0.2, seed);
            assert!(split.test.len() <= 19 && kept(&split).len() >= 2 && kept(&split).contains(&0));
            let two: Vec<usize> = (0..200).map(|i| i % 2).collect();
            assert_eq!(block_split(&l, &two, 0.2, seed).test.len(), 100);
        }
    }

    #[test]
    fn a_split_holds_out_the_fraction_of_every_class() {
        let l = labels(&[60, 30, 9, 1]);
        let s = stratified_split(&l, 1.0 / 3.0, 4);
        let count = |c| s.test.iter().filter(|&&i| l.codes()[i] == c).count();
        assert_eq!((count(0), count(1), count(2), count(3)), (20, 10, 3, 0));
        assert_eq!(s.train.len() + s.test.len(), 100);
        // Two rows of a class: one on each side, whatever the fraction.
        let l = labels(&[2, 2]);
        for f in [0.01, 0.99] {
            let s = stratified_split(&l, f, 0);
            assert_eq!((s.train.len(), s.test.len()), (2, 2));
        }
    }

    fn labels(counts: &[usize]) -> Labels {
        let mut codes: Vec<usize> = counts
            .iter()
            .enumerate()
            .flat_map(|(c, &n)| std::iter::repeat_n(c, n))
            .collect();
        Rng::new(1).shuffle(&mut codes);
        Labels::from_codes(codes, (0..counts.len()).map(|c| c.to_string()).collect())
            .expect("codes fit")
    }
}
