// Axes, marks and tooltips. Names from the data are written as text only, never as HTML.

const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

const draw = (tag, attributes = {}, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

// A name in its own direction of writing, whole in its tooltip.
const label = (text) => make("bdi", { class: "name", title: text }, text);

// Everything that has to be drawn again when the width, the colours or the choice of rows change.
const redraws = [];
const redrawAll = () => redraws.forEach((redraw) => redraw());

// Canvas cannot use the style sheet's colours, so they are read from it. Paper is white whatever the screen is.
let colours = {};
const readColours = () => {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  colours = { ink: value("--ink"), soft: value("--soft"), rule: value("--rule"), ground: value("--ground") };
  const first = Array.from({ length: FIRST }, (_, k) => value(`--c${k}`));
  colours.classes = palette(first, [colours.ground, colours.ink, value("--weight")], COLOURS);
  colours.classes.slice(FIRST).forEach((hex, k) => document.documentElement.style.setProperty(`--c${FIRST + k}`, hex));
};
const onPaper = (paper) => {
  document.documentElement.classList.toggle("paper", paper);
  readColours();
  redrawAll();
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => onPaper(false));
matchMedia("print").addEventListener("change", (event) => onPaper(event.matches));
addEventListener("beforeprint", () => onPaper(true));
addEventListener("afterprint", () => onPaper(false));

// Round numbers within a range, about so many.
const ticks = (low, high, count) => {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  if (!(step > 0 && Number.isFinite(step))) return { found, step: 1 };
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && found.length < 40; k++) found.push(k * step);
  return { found, step };
};
const logTicks = (low, high, count) => {
  const found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const m of [1, 2, 5]) {
      const v = m * 10 ** e;
      if (v >= low * 0.999 && v <= high * 1.001) found.push(v);
    }
  }
  if (found.length < 3) return ticks(low, high, count).found;
  const powers = found.filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
  const kept = found.length > count && powers.length >= 2 ? powers : found;
  const every = Math.ceil(kept.length / Math.max(2, count));
  return kept.filter((_, k) => k % every === 0);
};
const tickText = (v, step) => {
  if (Math.abs(v) < step * 1e-6) return "0";
  if (Math.abs(v) >= 1e6 || step < 1e-4) return Number(v.toPrecision(4)).toExponential();
  return v.toFixed(Math.max(0, -Math.floor(Math.log10(step * 1.001))));
};
const short = (v) => {
  if (v === null || v === undefined) return "–";
  if (v !== 0 && (Math.abs(v) < 1e-4 || Math.abs(v) >= 1e7)) return v.toExponential(3);
  return String(Number(v.toPrecision(6)));
};
const percent = (v) => `${(100 * v).toFixed(1)} %`;
const probability = (p) => (p > 0.9995 ? "> 99.9 %" : percent(p));

// Smallest and largest with a little room.
const range = (values) => {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v === null || v === undefined) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) return [0, 1];
  const room = high > low ? 0.04 * (high - low) : 0.5 * Math.max(1e-9, Math.abs(low));
  return [low - room, high + room];
};

// One colour and one shape for a class.
const colourOf = (c) => colours.classes[c % COLOURS];
const outline = (ctx, c, x, y, r) => {
  ctx.beginPath();
  switch (c % SHAPES) {
    case 0: ctx.arc(x, y, r, 0, 7); break;
    case 1: ctx.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r); break;
    case 2: ctx.moveTo(x, y - 1.2 * r); ctx.lineTo(x + 1.1 * r, y + 0.8 * r); ctx.lineTo(x - 1.1 * r, y + 0.8 * r); break;
    case 3: ctx.moveTo(x, y - 1.25 * r); ctx.lineTo(x + 1.25 * r, y); ctx.lineTo(x, y + 1.25 * r); ctx.lineTo(x - 1.25 * r, y); break;
    default: {
      const a = 0.4 * r;
      const b = 1.15 * r;
      for (const [dx, dy] of [[-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]]) ctx.lineTo(x + dx, y + dy);
    }
  }
  ctx.closePath();
};
// The same shape for a legend.
const marker = (c) => {
  const steps = [];
  const pen = {
    beginPath() {}, closePath() { steps.push("Z"); },
    arc(x, y, r) { steps.push(`M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`); },
    rect(x, y, w, h) { steps.push(`M${x} ${y}h${w}v${h}h${-w}`); },
    moveTo(x, y) { steps.push(`M${x} ${y}`); },
    lineTo(x, y) { steps.push(`${steps.length ? "L" : "M"}${x} ${y}`); },
  };
  outline(pen, c, 7, 7, 5);
  const svg = draw("svg", { width: 14, height: 14, "aria-hidden": "true" });
  svg.append(draw("path", { d: steps.join(""), style: `fill:var(--c${c % COLOURS})` }));
  return svg;
};

// One tooltip for the whole page: pairs of a name and a value.
const tip = make("div", { class: "tip", role: "status", hidden: "" });
document.body.append(tip);
const hideTip = () => { tip.hidden = true; };
const showTip = (pairs, x, y) => {
  const body = make("table");
  for (const [key, value] of pairs) body.append(make("tr", {}, make("td", { dir: "auto", title: key }, key), make("td", { dir: "auto" }, value)));
  tip.replaceChildren(body);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = x + 16 + width < innerWidth ? x + 16 : Math.max(8, x - 16 - width);
  const top = y + 16 + height < innerHeight ? y + 16 : Math.max(8, y - 16 - height);
  tip.style.transform = `translate(${left}px, ${top}px)`;
};
addEventListener("scroll", hideTip, { passive: true });

// A picture on a canvas under axes whose names are text of the page. `spec.paint(ctx, width, height)` draws and returns the places
// [x, y, index] of the marks that can be pointed at; `spec.tell(index)` says what they are.
const panel = (host, spec) => {
  const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": spec.words });
  const ring = make("div", { class: "ring", hidden: "" });
  const stage = make("div", { class: "stage" }, canvas, ring);
  const box = make("div", { class: "panel" });
  if (spec.y) box.append(make("div", { class: "axis y" }, "↑\u00a0", label(spec.y)));
  box.append(stage, make("div", { class: "axis x" }, label(spec.x), "\u00a0→"));
  host.append(box);
  let places = [];
  let current = -1;
  let drawn = 0;
  const paint = () => {
    const width = stage.clientWidth;
    if (!width) return;
    drawn = width;
    const height = Math.round(spec.height(width));
    const scale = Math.max(2, devicePixelRatio || 1);
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = `${height}px`;
    const ctx = canvas.getContext("2d");
    ctx.scale(scale, scale);
    ctx.font = "12px system-ui, sans-serif";
    places = spec.paint(ctx, width, height);
    point(-1);
  };
  const point = (k) => {
    current = k;
    ring.hidden = k < 0;
    if (k < 0) return hideTip();
    const [x, y, index] = places[k];
    ring.style.left = `${x}px`;
    ring.style.top = `${y}px`;
    const place = canvas.getBoundingClientRect();
    showTip(spec.tell(index), place.left + x, place.top + y);
  };
  const nearest = (event) => {
    const place = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - place.left, event.clientY - place.top];
    // Fingers are wider than pointers.
    let best = event.pointerType === "touch" ? 900 : 225;
    let found = -1;
    places.forEach(([x, y], k) => {
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < best) [best, found] = [d, k];
    });
    point(found);
    const told = found < 0 && spec.ground && spec.ground(px, py);
    if (told) showTip(told, event.clientX, event.clientY);
  };
  canvas.addEventListener("pointermove", nearest);
  canvas.addEventListener("pointerdown", nearest);
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") point(-1); });
  canvas.addEventListener("blur", () => point(-1));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") point(-1);
    if (!step || !places.length) return;
    event.preventDefault();
    if (current < 0) places.sort((a, b) => a[0] - b[0]);
    point((current + step + places.length) % places.length);
  });
  new ResizeObserver(() => { if (stage.clientWidth !== drawn) paint(); }).observe(stage);
  redraws.push(paint);
  paint();
};

// Axes on a canvas; gives the scales. `bottom` leaves room for more below.
const axes = (ctx, width, height, xr, yr, spec = {}) => {
  const yt = ticks(yr[0], yr[1], Math.max(2, Math.floor(height / 55)));
  const yText = yt.found.map((v) => (spec.percent ? `${Math.round(100 * v)} %` : tickText(v, yt.step)));
  const left = Math.ceil(Math.max(16, ...yText.map((t) => ctx.measureText(t).width)) + 10);
  const [right, top, bottom] = [10, 8, 24 + (spec.bottom || 0)];
  const w = width - left - right;
  const h = height - top - bottom;
  const x = (v) => left + (w * (v - xr[0])) / (xr[1] - xr[0]);
  const y = (v) => top + (h * (yr[1] - v)) / (yr[1] - yr[0]);
  const xt = ticks(xr[0], xr[1], Math.max(2, Math.floor(w / 75)));
  ctx.strokeStyle = colours.rule;
  ctx.fillStyle = colours.soft;
  ctx.lineWidth = 1;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  yt.found.forEach((v, k) => {
    ctx.beginPath(); ctx.moveTo(left - 4, y(v)); ctx.lineTo(left, y(v)); ctx.stroke();
    ctx.fillText(yText[k], left - 7, y(v));
  });
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const v of xt.found) {
    ctx.beginPath(); ctx.moveTo(x(v), height - 24); ctx.lineTo(x(v), height - 20); ctx.stroke();
    ctx.fillText(tickText(v, xt.step), Math.min(x(v), width - 14), height - 17);
  }
  ctx.strokeRect(left, top, w, h);
  return { x, y, left, top, w, h };
};

// A line chart as SVG, redrawn for every width. `spec.paint(add, x, y, box)` adds elements.
const chart = (host, spec) => {
  const box = make("div", { class: "panel" });
  const stage = make("div", { class: "stage" });
  box.append(make("div", { class: "axis y" }, "↑\u00a0", label(spec.y.name)), stage, make("div", { class: "axis x" }, label(spec.x.name), "\u00a0→"));
  host.append(box);
  let drawn = 0;
  const paint = () => {
    const width = stage.clientWidth;
    if (!width) return;
    drawn = width;
    const height = Math.round(spec.height(width));
    const [left, right, top, bottom] = [52, spec.right ? Math.min(spec.right, width / 2.2) : 12, 8, 24];
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": spec.words });
    const add = (tag, attributes, text) => svg.appendChild(draw(tag, attributes, text));
    const scale = (axis, from, to) => {
      const f = axis.log ? Math.log10 : (v) => v;
      const [a, b] = [f(axis.range[0]), f(axis.range[1])];
      return (v) => from + ((to - from) * (f(v) - a)) / (b - a);
    };
    const x = scale(spec.x, left, width - right);
    const y = scale(spec.y, height - bottom, top);
    const yt = ticks(spec.y.range[0], spec.y.range[1], Math.max(2, height / 50));
    for (const v of yt.found) {
      add("path", { class: "rule", d: `M${left} ${y(v)}H${width - right}` });
      const text = spec.y.percent ? `${Number((100 * v).toFixed(2))} %` : tickText(v, yt.step);
      add("text", { x: left - 7, y: y(v) + 4, "text-anchor": "end" }, text);
    }
    const count = Math.max(2, (width - left - right) / 75);
    const xt = spec.x.log ? { found: logTicks(...spec.x.range, count), step: 0 } : ticks(...spec.x.range, count);
    for (const v of xt.found) {
      add("path", { class: "rule", d: `M${x(v)} ${height - bottom}v5` });
      const text = spec.x.percent ? `${Math.round(100 * v)} %` : spec.x.log ? short(v) : tickText(v, xt.step);
      add("text", { x: x(v), y: height - 6, "text-anchor": "middle" }, text);
    }
    add("path", { class: "rule", d: `M${left} ${top}V${height - bottom}H${width - right}` });
    spec.paint(add, x, y, { left, right: width - right, top, bottom: height - bottom, width });
    stage.replaceChildren(svg);
  };
  new ResizeObserver(() => { if (stage.clientWidth !== drawn) paint(); }).observe(stage);
  redraws.push(paint);
  paint();
};

// A mark of a chart that tells what it is when pointed at, tapped or reached by the keyboard.
const telling = (node, pairs) => {
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", pairs.map((p) => p.join(" ")).join(", "));
  const show = () => { const r = node.getBoundingClientRect(); showTip(pairs, r.left + r.width / 2, r.top + r.height / 2); };
  for (const event of ["pointerenter", "pointerdown", "focus"]) node.addEventListener(event, show);
  for (const event of ["pointerleave", "blur"]) node.addEventListener(event, hideTip);
};

// Text cut to a width in pixels, isolated from the direction of what is around it.
const measure = document.createElement("canvas").getContext("2d");
const widthOf = (text) => {
  measure.font = "12px system-ui, sans-serif";
  return measure.measureText(text).width;
};
const fitted = (text, width) => {
  let shown = text;
  if (widthOf(shown) > width) {
    let letters = [...text].slice(0, 200);
    while (letters.length > 1 && widthOf(`${letters.join("")}…`) > width) letters = letters.slice(0, Math.max(1, Math.floor(letters.length * 0.9)));
    shown = `${letters.join("")}…`;
  }
  return `\u2068${shown}\u2069`;
};

// Calls `fill(picture)` for every figure of that kind; the picture goes above its caption.
const figures = (kind, fill) => {
  for (const figure of document.querySelectorAll(`figure[data-plot="${kind}"]`)) {
    const picture = make("div", { class: "picture" });
    figure.prepend(picture);
    fill(picture, figure.dataset.words);
  }
};

readColours();
