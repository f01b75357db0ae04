//! Some of the rows in place of all.

use super::{Labels, Rng};

/// All rows, or `most` of them that are spread evenly.
pub fn spread_rows(n: usize, most: usize) -> Vec<usize> {
    let count = n.min(most);
    (0..count).map(|i| i * n / count).collect()
}

/// Least number of rows per class in a sample, if the class has that many.
const ROWS_OF_A_CLASS: usize = 5;

/// All rows, or a sample of `size` of them that keeps the class proportions, in ascending order. A
/// rare class keeps five rows, or all of its rows if it has fewer, as far as the size allows. The
/// largest class makes room for them.
pub fn stratified_sample(labels: &Labels, size: usize, seed: u64) -> Vec<usize> {
    sample_with(labels, size, ROWS_OF_A_CLASS, seed)
}

/// The same with at least `least` rows of a class, or all that it has.
fn sample_with(labels: &Labels, size: usize, least: usize, seed: u64) -> Vec<usize> {
    let n = labels.len();
    if n <= size {
        return (0..n).collect();
    }
    // After a shuffle and a sort by class, every k-th row makes a stratified sample.
    let mut rows: Vec<usize> = (0..n).collect();
    Rng::stream(seed, 0x_d157).shuffle(&mut rows);
    rows.sort_by_key(|&i| labels.codes()[i]);
    let mut sample: Vec<usize> = (0..size).map(|k| rows[k * n / size]).collect();
    let mut taken = vec![false; n];
    let mut counts = vec![0; labels.n_classes()];
    for &i in &sample {
        taken[i] = true;
        counts[labels.codes()[i]] += 1;
    }
    for i in rows {
        let rare = labels.codes()[i];
        let largest = (0..counts.len()).max_by_key(|&c| counts[c]).unwrap_or(rare);
        if taken[i] || counts[rare] >= least || counts[largest] <= least {
            continue;
        }
        if let Some(place) = sample.iter().rposition(|&j| labels.codes()[j] == largest) {
            sample[place] = i;
            counts[largest] -= 1;
            counts[rare] += 1;
        }
    }
    sample.sort_unstable();
    sample
}

/// Most rows of a rare class that a sample keeps beyond its share.
const ROWS_OF_A_RARE_CLASS: usize = 200;

/// The same with more rows of a rare class than its share, up to a quarter of an even one: a few
/// rows say little of a class. What is counted in such a sample needs [`class_factors`].
pub fn sample_with_rare(labels: &Labels, size: usize, seed: u64) -> Vec<usize> {
    let quarter = size / (4 * labels.n_classes().max(1));
    let least = quarter.clamp(ROWS_OF_A_CLASS, ROWS_OF_A_RARE_CLASS);
    sample_with(labels, size, least, seed)
}

/// What the weights of some rows are to be multiplied by, class by class, so that classes have the
/// shares that they have among all rows; `None` if they have these as it is, but for rounding.
pub fn class_factors(labels: &Labels, weights: Option<&[f64]>, rows: &[usize]) -> Option<Vec<f64>> {
    let shares = |rows: &mut dyn Iterator<Item = usize>| {
        let mut sums = vec![0.0; labels.n_classes()];
        rows.for_each(|i| sums[labels.codes()[i]] += weights.map_or(1.0, |w| w[i]));
        let total: f64 = sums.iter().sum();
        sums.into_iter().map(|s| s / total).collect::<Vec<f64>>()
    };
    let all = shares(&mut (0..labels.len()));
    let own = shares(&mut rows.iter().copied());
    let one_row = 1.5 / rows.len() as f64;
    let off = all.iter().zip(&own).any(|(a, b)| (a - b).abs() > one_row);
    let factor = |(a, b): (&f64, &f64)| if *b > 0.0 { a / b } else { 1.0 };
    off.then(|| all.iter().zip(&own).map(factor).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_keeps_rare_classes() {
        for (counts, least) in [
            ([4199, 1], [1, 1]),
            ([3000, 3], [5, 3]),
            ([9, 4000], [5, 5]),
        ] {
            let l = labels(&counts);
            for seed in 0..5 {
                let sample = stratified_sample(&l, 400, seed);
                assert_eq!(sample.len(), 400);
                assert!(sample.windows(2).all(|w| w[0] < w[1]));
                let part = l.select(&sample).counts();
                assert!(
                    part[0] >= least[0] && part[1] >= least[1],
                    "{counts:?} {part:?}"
                );
            }
        }
        // More classes than rows: what fits.
        assert_eq!(stratified_sample(&labels(&[2; 50]), 30, 0).len(), 30);
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

    #[test]
    fn a_sample_keeps_the_class_proportions() {
        let codes: Vec<usize> = (0..30_000).map(|i| usize::from(i % 10 == 0)).collect();
        let l = Labels::from_codes(codes, vec!["a".into(), "b".into()]).expect("codes fit");
        let rows = stratified_sample(&l, 2000, 1);
        assert_eq!(rows.len(), 2000);
        let rare = rows.iter().filter(|&&i| l.codes()[i] == 1).count();
        assert!(rare.abs_diff(200) <= 1);
        assert_eq!(stratified_sample(&l, 40_000, 1).len(), 30_000);
    }

    #[test]
    fn rare_rows_that_are_taken_more_often_weigh_less() {
        let l = labels(&[7000, 35]);
        let rows = sample_with_rare(&l, 800, 1);
        let part = l.select(&rows);
        assert_eq!(part.counts(), [765, 35]);
        let weights: Vec<f64> = (0..7035).map(|i| 1.0 + (i % 3) as f64).collect();
        for weights in [None, Some(weights.as_slice())] {
            let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
            let share = |rows: &[usize], factors: &[f64]| {
                let sum = |class: usize| {
                    let own = rows.iter().filter(|&&i| l.codes()[i] == class);
                    own.map(|&i| weight(i) * factors[class]).sum::<f64>()
                };
                sum(1) / (sum(0) + sum(1))
            };
            let factors = class_factors(&l, weights, &rows).expect("another share");
            let all: Vec<usize> = (0..l.len()).collect();
            assert!((share(&rows, &factors) - share(&all, &[1.0; 2])).abs() < 1e-12);
        }
        // By shares there is nothing to make up for, and even classes are drawn by shares.
        assert_eq!(
            class_factors(&l, None, &stratified_sample(&l, 2000, 1)),
            None
        );
        let even = labels(&[2000, 1500, 1000]);
        let rows = sample_with_rare(&even, 800, 1);
        assert_eq!(rows, stratified_sample(&even, 800, 1));
        assert_eq!(class_factors(&even, None, &rows), None);
    }
}
