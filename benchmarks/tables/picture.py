"""The picture of Figure 1 of Hidaka & Kurita (2012)."""


def draw(path, exponents, zeros, accuracy, lda):
    """Both curves as an SVG, zeros above and accuracy below."""
    width, height, left, top = 560, 200, 60, 30

    def x(e):
        return left + (e + 15) / 25 * (width - left - 20)

    def panel(number, values, low, high, label, line=None):
        base = top + number * (height + 50)

        def y(v):
            return base + height - (v - low) / (high - low) * height

        frame = f'x="{left}" y="{base}" width="{width - left - 20}" height="{height}"'
        parts = [f'<rect {frame} fill="none" stroke="#888"/>']
        for k in range(5):
            v = low + (high - low) * k / 4
            parts.append(f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.0f}</text>')
        for e in range(-15, 11, 5):
            parts.append(f'<text x="{x(e):.1f}" y="{base + height + 16}" text-anchor="middle">{e}</text>')
        points = " ".join(f"{x(e):.1f},{y(max(v, low)):.1f}" for e, v in zip(exponents, values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="#1f77b4" stroke-width="2"/>')
        if line is not None:
            ends = f'x1="{left}" x2="{width - 20}" y1="{y(line):.1f}" y2="{y(line):.1f}"'
            parts.append(f'<line {ends} stroke="#d62728" stroke-dasharray="5 4"/>')
            parts.append(f'<text x="{left + 6}" y="{y(line) + 14:.1f}" fill="#d62728">LDA {line:.1f} %</text>')
        parts.append(f'<text x="{left}" y="{base - 8}">{label}</text>')
        return parts

    parts = panel(0, zeros, 0, 2560, "zeros among 2,560 coefficients")
    parts += panel(1, accuracy, 50, 90, "accuracy on the test part in % (values below 50 at the border)", lda)
    parts.append(f'<text x="{width / 2}" y="{top + 2 * height + 90}" text-anchor="middle">log2 of the penalty</text>')
    body = "\n".join(parts)
    box = f'viewBox="0 0 {width} {top + 2 * height + 100}" font-family="sans-serif" font-size="12"'
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
