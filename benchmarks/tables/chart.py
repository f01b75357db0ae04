"""Charts as SVG, with the standard library."""

import math
from html import escape

COLOURS = ("#1f77b4", "#d95f02", "#2ca02c", "#7570b3", "#666666", "#a6761d", "#e7298a")
PUBLISHED = "#d62728"  # what the paper names


class Chart:
    """One panel with its axes; everything is drawn in the coordinates of the data."""

    def __init__(self, title, x, y, xlabel="", ylabel="", size=(400, 270), xticks=None, yticks=None):
        self.title, self.x, self.y, self.size = title, x, y, size
        self.left, self.top, self.right, self.bottom = 56, 28, 18, 44
        self.parts, self.legend = [], []
        self.labels, self.ticks = (xlabel, ylabel), (xticks or even(*x), yticks or even(*y))

    def px(self, v):
        return self.left + (v - self.x[0]) / (self.x[1] - self.x[0]) * (self.size[0] - self.left - self.right)

    def py(self, v):
        return self.size[1] - self.bottom - (v - self.y[0]) / (self.y[1] - self.y[0]) * self.inner

    @property
    def inner(self):
        return self.size[1] - self.top - self.bottom

    def named(self, name, colour):
        if name:
            self.legend.append((name, colour))

    def points(self, rows, colour, radius=2.0, name="", hollow=False):
        fill = f'fill="none" stroke="{colour}"' if hollow else f'fill="{colour}" fill-opacity="0.65"'
        dots = (f'<circle cx="{self.px(a):.1f}" cy="{self.py(b):.1f}" r="{radius}"/>' for a, b in rows)
        self.parts.append(f"<g {fill}>{''.join(dots)}</g>")
        self.named(name, colour)

    def line(self, rows, colour, dashed=False, name=""):
        ends = " ".join(f"{self.px(a):.1f},{self.py(min(max(b, self.y[0]), self.y[1])):.1f}" for a, b in rows)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<polyline points="{ends}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        self.named(name, colour)

    def squares(self, rows, colour, radius=5):
        for a, b in rows:
            corner = f'x="{self.px(a) - radius:.1f}" y="{self.py(b) - radius:.1f}"'
            self.parts.append(
                f'<rect {corner} width="{2 * radius}" height="{2 * radius}" fill="{colour}" stroke="#000"/>'
            )

    def bar(self, left, right, height, colour, opacity=0.6, base=0.0):
        top, low = self.py(height), self.py(base)
        where = f'x="{self.px(left):.1f}" y="{min(top, low):.1f}" width="{self.px(right) - self.px(left):.1f}"'
        self.parts.append(f'<rect {where} height="{abs(low - top):.1f}" fill="{colour}" fill-opacity="{opacity}"/>')

    def whisker(self, x, low, high, colour="#000"):
        self.line([(x, low), (x, high)], colour)

    def box(self, x, values, colour):
        """Quartiles, and whiskers to the tenth and ninetieth percentile; the mean is a dot."""
        v = sorted(values)

        def at(q):
            return v[min(len(v) - 1, round(q * (len(v) - 1)))]

        self.whisker(x, at(0.1), at(0.9))
        self.bar(x - 0.3, x + 0.3, at(0.75), colour, base=at(0.25))
        self.line([(x - 0.3, at(0.5)), (x + 0.3, at(0.5))], "#000")
        self.points([(x, sum(v) / len(v))], "#000", 2.5)

    def svg(self):
        width, height = self.size
        wide, low = width - self.left - self.right, height - self.bottom
        frame = f'<rect x="{self.left}" y="{self.top}" width="{wide}" height="{self.inner}" fill="none" stroke="#888"/>'
        out = [f'<text x="{self.left}" y="18" font-weight="bold">{escape(self.title)}</text>', frame]
        for v, text in self.ticks[0]:
            out.append(f'<text x="{self.px(v):.1f}" y="{low + 15}" text-anchor="middle">{escape(text)}</text>')
        for v, text in self.ticks[1]:
            out.append(f'<text x="{self.left - 5}" y="{self.py(v) + 4:.1f}" text-anchor="end">{escape(text)}</text>')
        middle = self.left + wide / 2
        out.append(f'<text x="{middle}" y="{height - 10}" text-anchor="middle">{escape(self.labels[0])}</text>')
        turned = f'transform="translate(13 {self.top + self.inner / 2}) rotate(-90)"'
        out.append(f'<text {turned} text-anchor="middle">{escape(self.labels[1])}</text>')
        for i, (name, colour) in enumerate(self.legend):
            y = self.top + 10 + 16 * i
            out.append(f'<rect x="{width}" y="{y - 8}" width="9" height="9" fill="{colour}"/>')
            out.append(f'<text x="{width + 13}" y="{y}">{escape(name)}</text>')
        # What lies outside the frame is cut off.
        box = f'x="{self.left}" y="{self.top}" width="{wide}" height="{self.inner}"'
        inside = f'<svg {box} viewBox="{self.left} {self.top} {wide} {self.inner}">'
        body = "".join([*out[:2], inside, *self.parts, "</svg>", *out[2:]])
        # The legend stands beside the frame.
        width += 20 + 7 * max(len(name) for name, _ in self.legend) if self.legend else 0
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        )
        return (
            f'{head} font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>{body}</svg>'
        )


def even(low, high):
    """Round values within the range, four to nine of them."""
    step = 10.0 ** math.floor(math.log10(high - low))
    while (high - low) / step < 4:
        step /= 2
    first = math.ceil(low / step - 1e-9)
    return [(k * step, f"{k * step:.4g}") for k in range(first, math.floor(high / step + 1e-9) + 1)]


def powers(low, high, step=1):
    """Ticks of a logarithmic axis to the base 10, in exponents."""
    return [(e, f"1e{e}") for e in range(low, high + 1, step)]


def words(names):
    """Ticks 1, 2, .. with names."""
    return [(k + 1, n) for k, n in enumerate(names)]
