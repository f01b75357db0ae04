// Methods side by side: a line for each, its mean with an interval, and every split as a small mark.

figures("compare", (host, words) => {
  const methods = data.methods;
  const ends = methods.flatMap((m) => [m.mean - 2 * m.se, m.mean + 2 * m.se, ...m.errors]);
  const low = Math.max(0, Math.min(...ends));
  const high = Math.max(...ends, low + 0.01);
  const line = 34;
  measure.font = "12px system-ui, sans-serif";
  const widest = Math.max(...methods.map((m) => measure.measureText(m.name).width));
  const stage = make("div", { class: "stage" });
  host.append(stage, make("div", { class: "axis x" }, label("error"), "\u00a0→"));
  let drawn = 0;
  const paint = () => {
    const width = stage.clientWidth;
    if (!width) return;
    drawn = width;
    const left = Math.min(Math.ceil(widest) + 14, width / 3);
    const height = line * methods.length + 30;
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": words });
    const add = (tag, attributes, text) => svg.appendChild(draw(tag, attributes, text));
    const from = low < 0.3 * high ? 0 : low - 0.05 * (high - low);
    const to = high + 0.04 * (high - from);
    const x = (v) => left + ((width - left - 14) * (v - from)) / (to - from);
    for (const v of ticks(from, to, (width - left) / 60).found) {
      add("path", { class: "rule", d: `M${x(v)} 4V${height - 24}` });
      add("text", { x: x(v), y: height - 8, "text-anchor": "middle" }, `${Number((100 * v).toFixed(2))} %`);
    }
    methods.forEach((m, k) => {
      const y = 4 + line * (k + 0.5);
      const name = add("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, fitted(m.name, left - 12));
      name.append(draw("title", {}, m.name));
      for (const e of m.errors.length > 1 ? m.errors : []) add("circle", { cx: x(e), cy: y + 10, r: 2.5, style: "fill:var(--soft);opacity:.6" });
      add("path", { class: "line", style: "stroke:var(--c0)", d: `M${x(Math.max(from, m.mean - 2 * m.se))} ${y}H${x(m.mean + 2 * m.se)}` });
      const shape = m.pick ? `M${x(m.mean)} ${y - 9}l9 9l-9 9l-9 -9Z` : `M${x(m.mean) - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0`;
      const mark = add("path", { d: shape, style: `fill:var(--c${m.pick ? 1 : 0});stroke:var(--ground)` });
      telling(mark, [["method", m.name], ["error", percent(m.mean)], ...(m.errors.length > 1 ? [["standard error", percent(m.se)]] : []), ["splits", String(m.errors.length)]]);
    });
    stage.replaceChildren(svg);
  };
  new ResizeObserver(() => { if (stage.clientWidth !== drawn) paint(); }).observe(stage);
  redraws.push(paint);
  paint();
});
