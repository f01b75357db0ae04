//! A scatter plot of two features as an SVG picture: colours for classes, rings around rows that the model gets wrong.

use super::escape;
use crate::output::short;
use std::fmt::Write;

/// Colours that people of all kinds of sight can tell apart (Okabe & Ito), without black.
const COLOURS: [&str; 7] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442",
];
const SHAPES: usize = 4;
const WIDTH: f64 = 488.0;
const HEIGHT: f64 = 400.0;
/// Left, right, top, bottom.
const MARGIN: [f64; 4] = [78.0, 26.0, 14.0, 48.0];
/// Cells of the background in each direction.
pub const CELLS: usize = 48;

/// What is drawn.
pub struct Scatter<'a> {
    /// Name of the horizontal and of the vertical feature.
    pub names: [&'a str; 2],
    /// One point a row.
    pub points: &'a [[f64; 2]],
    /// Class of each row.
    pub classes: &'a [usize],
    /// Whether the model gets the row wrong.
    pub wrong: &'a [bool],
    /// Class and its probability at the middle of each cell of the picture, from the lower left, row by row; empty for none.
    pub background: &'a [(usize, f64)],
}

/// The colour of a class.
pub fn colour(class: usize) -> &'static str {
    COLOURS[class % COLOURS.len()]
}

/// The range of a coordinate with a little room.
pub fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return (0.0, 1.0);
    }
    let room = if high > low {
        0.04 * (high - low)
    } else {
        0.5 * low.abs().max(1.0)
    };
    (low - room, high + room)
}

impl Scatter<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = MARGIN;
        let (x0, x1) = range(self.points.iter().map(|p| p[0]));
        let (y0, y1) = range(self.points.iter().map(|p| p[1]));
        let (w, h) = (WIDTH - left - right, HEIGHT - top - bottom);
        let x = |v: f64| left + w * (v - x0) / (x1 - x0);
        let y = |v: f64| top + h * (y1 - v) / (y1 - y0);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{} against {}\">\n",
            escape(self.names[1]),
            escape(self.names[0])
        );
        let (cw, ch) = (w / CELLS as f64, h / CELLS as f64);
        for (i, (class, p)) in self.background.iter().enumerate() {
            let (col, row) = (i % CELLS, i / CELLS);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\" opacity=\"{:.2}\" shape-rendering=\"crispEdges\"/>",
                left + cw * col as f64,
                top + h - ch * (row + 1) as f64,
                cw,
                ch,
                colour(*class),
                0.06 + 0.3 * p.clamp(0.0, 1.0)
            );
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"#888\"/>"
        );
        for v in ticks(x0, x1) {
            let (at, base) = (x(v), top + h);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {base:.1}v5\" stroke=\"#888\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                base + 18.0,
                short(v)
            );
        }
        for v in ticks(y0, y1) {
            let at = y(v);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {at:.1}h-5\" stroke=\"#888\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                at + 4.0,
                short(v)
            );
        }
        for ((p, &class), wrong) in self.points.iter().zip(self.classes).zip(self.wrong) {
            let (px, py) = (x(p[0]), y(p[1]));
            svg.push_str(&marker(px, py, class));
            if *wrong {
                let _ = write!(
                    svg,
                    "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"7.5\" fill=\"none\" stroke=\"#000\" stroke-width=\"1.2\"/>"
                );
            }
            svg.push('\n');
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"axis\">{}</text>",
            left + w / 2.0,
            HEIGHT - 8.0,
            escape(self.names[0])
        );
        let middle = top + h / 2.0;
        let _ = writeln!(
            svg,
            "<text transform=\"rotate(-90)\" x=\"{:.1}\" y=\"14\" text-anchor=\"middle\" class=\"axis\">{}</text>\n</svg>",
            -middle,
            escape(self.names[1])
        );
        svg
    }
}

/// A point of a class: colours repeat after seven classes, shapes then differ.
pub fn marker(x: f64, y: f64, class: usize) -> String {
    let fill = colour(class);
    let style = format!("fill=\"{fill}\" stroke=\"#fff\" stroke-width=\"0.7\"");
    match (class % COLOURS.len() + class / COLOURS.len()) % SHAPES {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {style}/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7.4\" height=\"7.4\" {style}/>",
            x - 3.7,
            y - 3.7
        ),
        2 => format!("<path d=\"M{x:.1} {:.1}l4.8 8.2h-9.6z\" {style}/>", y - 5.2),
        _ => format!("<path d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\" {style}/>", y - 5.0),
    }
}

/// Three to eight round numbers within a range.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 7.0;
    let power = 10f64.powf(rough.log10().floor());
    if !(power.is_finite() && power > 0.0) {
        return vec![];
    }
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= rough)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).take(20).map(|k| k as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_mark_a_row_and_a_ring_around_errors() {
        let picture = Scatter {
            names: ["a<b", "c&d"],
            points: &[[0.0, 1.0], [2.0, -3.0], [1.0, 0.0]],
            classes: &[0, 1, 2],
            wrong: &[false, true, false],
            background: &[],
        };
        let svg = picture.svg();
        assert!(svg.contains("a&lt;b") && svg.contains("c&amp;d") && !svg.contains("a<b"));
        assert_eq!(svg.matches("r=\"7.5\"").count(), 1);
        assert_eq!(svg.matches("stroke=\"#fff\"").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn ranges_and_ticks_of_hard_data() {
        for values in [
            vec![],
            vec![3.0],
            vec![-1e300, 1e300],
            vec![1e-300, 2e-300],
            vec![5.0; 4],
            vec![0.0, 1e17],
        ] {
            let (low, high) = range(values.iter().copied());
            assert!(low < high && low.is_finite() && high.is_finite(), "{values:?}");
            let t = ticks(low, high);
            assert!(t.len() <= 20 && t.iter().all(|v| v.is_finite()), "{values:?} {t:?}");
        }
        assert_eq!(ticks(-0.1, 1.1), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(0.0, 3.1), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
    }
}
