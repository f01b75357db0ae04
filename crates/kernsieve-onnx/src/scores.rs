//! Normal scores, by the formula of the library: the last knot at or below the standardised value
//! is found by bisection, then the curve is followed from there.
//!
//! All of it is in double precision, in a graph of single precision as well: where two knots are
//! close to each other the curve is steep, and the position between them needs the digits. So a
//! graph of single precision has the library's scores of the numbers that it is given. What it
//! cannot undo is the rounding of these numbers: values that differ by less than a share of `2^-24`
//! may be given as one number, and have one score.

use crate::Precision;
use crate::graph::Graph;
use kernsieve::Result;
use kernsieve::data::{Curve, NormalScores, Scaling};

/// Scores of the rows, whose columns are `features`.
pub fn of_rows(
    graph: &mut Graph,
    rows: &str,
    scaling: &Scaling,
    scores: &NormalScores,
    features: &[usize],
) -> Result<String> {
    let build = |graph: &mut Graph, rows: String| {
        let standardised = standardised(graph, &rows, scaling, features)?;
        let curves: Vec<&Curve> = features.iter().map(|&j| &scores.curves[j]).collect();
        follow(graph, &standardised, &curves)
    };
    match graph.precision() {
        Precision::F32 => graph.in_double(rows, build),
        Precision::F64 => build(graph, rows.into()),
    }
}

/// `(x - mean) / scale`, rounded as the library rounds it.
fn standardised(
    graph: &mut Graph,
    rows: &str,
    scaling: &Scaling,
    features: &[usize],
) -> Result<String> {
    let p = features.len();
    let of = |values: &[f64]| features.iter().map(|&j| values[j]).collect::<Vec<f64>>();
    let mean = graph.numbers("the means of the features", &of(&scaling.mean), &[p])?;
    let scale = graph.numbers("the scales of the features", &of(&scaling.scale), &[p])?;
    let centred = graph.op("Sub", &[rows, &mean]);
    Ok(graph.op("Div", &[&centred, &scale]))
}

/// The score of every value `v`, one curve per column. Beyond the ends, a curve is constant.
fn follow(graph: &mut Graph, v: &str, curves: &[&Curve]) -> Result<String> {
    let p = curves.len();
    let most = curves.iter().map(|c| c.knots.len()).max().unwrap_or(0);
    if most == 0 {
        return Ok(v.into());
    }
    let tables = Tables::new(curves, most.next_power_of_two());
    let mut row = |values: Vec<f64>| graph.numbers("the knots", &values, &[p]);
    let end = |c: &Curve, last: bool| {
        let knot = if last {
            c.knots.last()
        } else {
            c.knots.first()
        };
        knot.copied().unwrap_or(0.0)
    };
    let low = row(curves.iter().map(|c| end(c, false)).collect())?;
    let high = row(curves.iter().map(|c| end(c, true)).collect())?;
    // Comparisons leave a missing value as it is.
    let below = graph.op("Less", &[v, &low]);
    let inside = graph.op("Where", &[&below, &low, v]);
    let above = graph.op("Greater", &[&inside, &high]);
    let inside = graph.op("Where", &[&above, &high, &inside]);
    let at = bisection(graph, &inside, &tables, p)?;
    let mut look_up = |values: &[f64]| -> Result<String> {
        let table = graph.numbers("the scores", values, &[values.len()])?;
        Ok(graph.op("Gather", &[&table, &at]))
    };
    let knot = look_up(&tables.knots)?;
    let width = look_up(&tables.widths)?;
    let score = look_up(&tables.scores)?;
    let rise = look_up(&tables.rises)?;
    let share = graph.op("Sub", &[&inside, &knot]);
    let share = graph.op("Div", &[&share, &width]);
    let step = graph.op("Mul", &[&share, &rise]);
    let scored = graph.op("Add", &[&score, &step]);
    if curves.iter().all(|c| !c.knots.is_empty()) {
        return Ok(scored);
    }
    // A feature without a curve stays as it is.
    let without: Vec<i64> = curves.iter().map(|c| c.knots.is_empty().into()).collect();
    let without = graph.integers(&without);
    let one = graph.integer(1);
    let without = graph.op("Equal", &[&without, &one]);
    Ok(graph.op("Where", &[&without, v, &scored]))
}

/// The place in the tables of the last knot at or below each value: in every step, half of the
/// places that are left are skipped if the knot behind them is not above the value.
fn bisection(graph: &mut Graph, v: &str, tables: &Tables, p: usize) -> Result<String> {
    let knots = graph.numbers("the knots", &tables.knots, &[tables.knots.len()])?;
    let starts: Vec<i64> = (0..p).map(|k| (k * tables.room) as i64).collect();
    let mut at = graph.integers(&starts);
    let mut half = tables.room / 2;
    while half > 0 {
        let step = graph.integer(half as i64);
        let next = graph.op("Add", &[&at, &step]);
        let knot = graph.op("Gather", &[&knots, &next]);
        let is_below = graph.op("GreaterOrEqual", &[v, &knot]);
        at = graph.op("Where", &[&is_below, &next, &at]);
        half /= 2;
    }
    Ok(at)
}

/// The curves of all features one after another, each in a room of the same size, a power of two.
/// The rest of a room lies at infinity, where no value gets.
struct Tables {
    room: usize,
    knots: Vec<f64>,
    /// From a knot to the next.
    widths: Vec<f64>,
    scores: Vec<f64>,
    /// From the score of a knot to that of the next; 0 at the last.
    rises: Vec<f64>,
}

impl Tables {
    fn new(curves: &[&Curve], room: usize) -> Self {
        let fill = |values: &dyn Fn(&Curve) -> Vec<f64>, rest: f64| -> Vec<f64> {
            let padded = |c: &&Curve| {
                let mut own = values(c);
                own.resize(room, rest);
                own
            };
            curves.iter().flat_map(padded).collect()
        };
        let steps = |v: &[f64]| v.windows(2).map(|w| w[1] - w[0]).collect::<Vec<f64>>();
        Self {
            room,
            knots: fill(&|c| c.knots.clone(), f64::INFINITY),
            widths: fill(&|c| steps(&c.knots), 1.0),
            scores: fill(&|c| c.scores.clone(), 0.0),
            rises: fill(&|c| steps(&c.scores), 0.0),
        }
    }
}
