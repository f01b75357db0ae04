// The pictures of a page about a model.

// What is shown in all pictures of rows at once.
const state = { set: 0, hidden: new Set() };
const rows = () => data.sets[state.set];
const isShown = (i) => !state.hidden.has(rows().y[i]);

const tellRow = (i) => {
  const set = rows();
  const named = (c) => data.classes[c] + (c === set.y[i] ? "" : " ✗");
  const pairs = [
    ["row", String(set.row[i])],
    ["observed", data.classes[set.y[i]]],
    ["predicted", named(set.p[i])],
    ["probability", probability(set.s[i])],
  ];
  if (set.without.length) pairs.push(["without its fold", named(set.without[i])]);
  data.features.forEach((name, k) => pairs.push([name, short(set.f[k][i])]));
  if (set.kept.length) pairs.push(["retained", keptRows().has(i) ? "yes" : "no"]);
  return pairs;
};

const keptSets = [];
const keptRows = () => (keptSets[state.set] ??= new Set(rows().kept));

// Which rows, and a legend whose entries hide and show classes. All legends of the page move together.
const LEGEND = 40;
const controls = (host) => {
  const bar = make("div", { class: "controls" });
  if (data.sets.length > 1) {
    const group = `set-${document.querySelectorAll(".controls").length}`;
    data.sets.forEach((set, k) => {
      const input = make("input", { type: "radio", name: group, value: k });
      input.addEventListener("change", () => { state.set = k; redrawAll(); });
      redraws.push(() => { input.checked = state.set === k; });
      input.checked = state.set === k;
      bar.append(make("label", {}, input, label(set.name)));
    });
  }
  const legend = make("div", { class: "controls", role: "group", "aria-label": "Classes; press one to hide or show it" });
  data.classes.slice(0, LEGEND).forEach((name, c) => {
    const button = make("button", { type: "button", "aria-pressed": "true" }, marker(c), label(name));
    button.addEventListener("click", () => {
      if (!state.hidden.delete(c)) state.hidden.add(c);
      redrawAll();
    });
    redraws.push(() => button.setAttribute("aria-pressed", String(!state.hidden.has(c))));
    legend.append(button);
  });
  if (data.classes.length > LEGEND) legend.append(`and ${data.classes.length - LEGEND} more`);
  if (data.sets.length > 1) host.append(bar);
  host.append(legend);
};

// Marks of the rows; those that the model retains last, full and with a rim.
const marks = (ctx, box, xs, ys) => {
  const set = rows();
  const kept = keptRows();
  const n = xs.length;
  const r = n > 3000 ? 2.2 : n > 600 ? 3.2 : 4.2;
  const places = [];
  const one = (i, rim) => {
    if (xs[i] === null || ys[i] === null || !isShown(i)) return;
    const [x, y] = [box.x(xs[i]), box.y(ys[i])];
    // Far-out values are beyond the edges of some pictures.
    if (x < box.left || x > box.left + box.w || y < box.top || y > box.top + box.h) return;
    outline(ctx, set.y[i], x, y, rim ? r + 0.8 : r);
    ctx.fillStyle = colourOf(set.y[i]);
    ctx.fill();
    if (isCrowded && !rim) {
      // Stands off a region of its own colour.
      ctx.strokeStyle = colours.ground;
      ctx.lineWidth = 0.7;
      ctx.stroke();
    }
    if (rim) {
      ctx.globalAlpha = 1;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 1.3;
      ctx.stroke();
    }
    if (set.y[i] !== set.p[i]) {
      ctx.globalAlpha = 0.9;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 1.1;
      ctx.beginPath();
      ctx.arc(x, y, r + 3, 0, 7);
      ctx.stroke();
    }
    places.push([x, y, i]);
  };
  for (let i = 0; i < n; i++) {
    ctx.globalAlpha = kept.size ? 0.4 : n > 1500 ? 0.6 : 0.85;
    if (!kept.has(i)) one(i, false);
  }
  for (const i of kept) {
    ctx.globalAlpha = 1;
    one(i, true);
  }
  ctx.globalAlpha = 1;
  return places;
};

const centroids = (ctx, box, a, b) => {
  data.scores.centroids.forEach((point, c) => {
    if (state.hidden.has(c)) return;
    const [x, y] = [box.x(point[a]), box.y(point[b])];
    outline(ctx, c, x, y, box.w > 400 ? 8 : 6);
    ctx.fillStyle = colourOf(c);
    ctx.fill();
    ctx.lineWidth = 4;
    ctx.strokeStyle = colours.ground;
    ctx.stroke();
    ctx.lineWidth = box.w > 400 ? 2 : 1.5;
    ctx.strokeStyle = colours.ink;
    ctx.stroke();
  });
};

// Names at the centres, or in the middle of the rows of a class where the rule has no centres.
const nameClasses = (ctx, box, a, b) => {
  if (!isCrowded) return;
  const { centroids: centres } = data.scores;
  const at = centres.length ? centres.map((c) => [c[a], c[b]]) : middles(rows().z[a], rows().z[b]);
  const place = (point, c) => [box.x(point[0]), box.y(point[1]), fitted(data.classes[c], 90)];
  const isNamed = (point, c) => point && !state.hidden.has(c);
  writeApart(ctx, box, at.flatMap((point, c) => (isNamed(point, c) ? [place(point, c)] : [])));
};

// Ranges of all sets together, so that a picture does not jump when another is shown.
const rangeOf = (column, extra = []) => range(data.sets.flatMap((set) => column(set)).concat(extra));

figures("scores", (host, words) => {
  controls(host);
  const pairs = [];
  const n = data.scores.axes.length;
  for (let b = 1; b < n; b++) for (let a = 0; a < b; a++) pairs.push([a, b]);
  const panels = make("div", { class: pairs.length === 1 ? "panels one" : "panels" });
  host.append(panels);
  const ranges = data.scores.axes.map((_, k) => rangeOf((set) => set.z[k], data.scores.centroids.map((c) => c[k])));
  for (const [a, b] of pairs) {
    panel(panels, {
      x: data.scores.axes[a],
      y: data.scores.axes[b],
      words: `${words}: ${data.scores.axes[b]} against ${data.scores.axes[a]}. Arrow keys go from row to row.`,
      height: (width) => Math.min(width * (pairs.length === 1 ? 0.75 : 0.9), 520),
      tell: tellRow,
      paint: (ctx, width, height) => {
        const box = axes(ctx, width, height, ranges[a], ranges[b]);
        const places = marks(ctx, box, rows().z[a], rows().z[b]);
        centroids(ctx, box, a, b);
        nameClasses(ctx, box, a, b);
        return places;
      },
    });
  }
});

// Rows as one lane of marks for each class below a picture that shares their axis.
const LANES = 40;
const withLanes = (host, spec) => {
  controls(host);
  const panels = make("div", { class: "panels one" });
  host.append(panels);
  const xr = spec.range;
  panel(panels, {
    x: spec.x,
    y: spec.y,
    words: `${spec.words}. Arrow keys go from row to row.`,
    height: (width) => Math.min(0.6 * width, 330) + laneRoom(),
    tell: tellRow,
    paint: (ctx, width, height) => {
      const box = axes(ctx, width, height, xr, spec.top(), { percent: true, bottom: laneRoom() });
      spec.paint(ctx, box);
      return lanes(ctx, box, spec.values(rows()));
    },
  });
};
const laneHeight = () => Math.max(7, Math.min(26, 190 / data.classes.length));
const laneRoom = () => Math.min(data.classes.length, LANES) * laneHeight() + 8;
const lanes = (ctx, box, values) => {
  const set = rows();
  const places = [];
  const h = laneHeight();
  const r = values.length > 1500 ? 1.8 : Math.min(3.4, h / 2.2);
  const kept = keptRows();
  values.forEach((v, i) => {
    if (v === null || !isShown(i) || set.y[i] >= LANES) return;
    // Spread within the lane, the same way every time.
    const jitter = (((i * 0.618034) % 1) - 0.5) * Math.max(0, h - 2 * r - 2);
    const [x, y] = [box.x(v), box.top + box.h + 4 + h * (set.y[i] + 0.5) + jitter];
    if (x < box.left || x > box.left + box.w) return;
    const wrong = set.y[i] !== set.p[i];
    ctx.globalAlpha = kept.size && !kept.has(i) ? 0.35 : 0.75;
    outline(ctx, set.y[i], x, y, r);
    ctx.fillStyle = colourOf(set.y[i]);
    ctx.fill();
    ctx.globalAlpha = 1;
    if (kept.has(i) || wrong) {
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 1;
      if (wrong) { ctx.beginPath(); ctx.arc(x, y, r + 2.5, 0, 7); }
      ctx.stroke();
    }
    places.push([x, y, i]);
  });
  return places;
};
const upright = (ctx, box, v) => {
  ctx.setLineDash([5, 4]);
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(box.x(v), box.top);
  ctx.lineTo(box.x(v), box.top + box.h);
  ctx.stroke();
  ctx.setLineDash([]);
};

figures("histogram", (host, words) => {
  const xr = rangeOf((set) => set.z[0]);
  const bins = Math.max(12, Math.min(48, Math.round(2 * Math.cbrt(rows().y.length) * 1.6)));
  const shares = () => {
    const set = rows();
    const counts = data.classes.map(() => new Array(bins).fill(0));
    const totals = data.classes.map(() => 0);
    set.z[0].forEach((v, i) => {
      if (v === null) return;
      counts[set.y[i]][Math.max(0, Math.min(bins - 1, Math.floor((bins * (v - xr[0])) / (xr[1] - xr[0]))))] += 1;
      totals[set.y[i]] += 1;
    });
    return counts.map((row, c) => row.map((n) => n / Math.max(1, totals[c])));
  };
  const shownShares = () => shares().map((row, c) => (state.hidden.has(c) ? null : row));
  withLanes(host, {
    x: data.scores.axes[0],
    y: "share of the rows of a class",
    words,
    range: xr,
    values: (set) => set.z[0],
    top: () => [0, 1.06 * Math.max(0.02, ...shares().flat())],
    paint: (ctx, box) => {
      const width = (xr[1] - xr[0]) / bins;
      shownShares().forEach((row, c) => {
        if (!row) return;
        ctx.beginPath();
        ctx.moveTo(box.x(xr[0]), box.y(0));
        row.forEach((v, k) => {
          ctx.lineTo(box.x(xr[0] + k * width), box.y(v));
          ctx.lineTo(box.x(xr[0] + (k + 1) * width), box.y(v));
        });
        ctx.lineTo(box.x(xr[1]), box.y(0));
        ctx.globalAlpha = 0.28;
        ctx.fillStyle = colourOf(c);
        ctx.fill();
        ctx.globalAlpha = 1;
        ctx.strokeStyle = colourOf(c);
        ctx.lineWidth = 1.6;
        ctx.stroke();
      });
      if (data.scores.cut !== null && data.scores.cut > xr[0] && data.scores.cut < xr[1]) upright(ctx, box, data.scores.cut);
    },
  });
});

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]];

figures("profile", (host, words) => {
  const { x, p } = data.profile;
  withLanes(host, {
    x: data.features[0],
    y: "probability",
    words,
    range: [x[0], x[x.length - 1]],
    values: (set) => set.f[0],
    top: () => [0, 1],
    paint: (ctx, box) => {
      p.forEach((line, c) => {
        if (state.hidden.has(c)) return;
        ctx.beginPath();
        line.forEach((v, k) => ctx.lineTo(box.x(x[k]), box.y(v)));
        ctx.strokeStyle = colourOf(c);
        ctx.lineWidth = 2;
        // A second sign beside the colour.
        ctx.setLineDash(DASHES[Math.floor(c / FIRST) % DASHES.length]);
        ctx.stroke();
      });
      ctx.setLineDash([]);
      if (!isCrowded) return;
      // Each name at the highest point of its line.
      const top = (line, c) => {
        const high = Math.max(...line);
        return [box.x(x[line.indexOf(high)]), box.y(high), fitted(data.classes[c], 90)];
      };
      writeApart(ctx, box, p.flatMap((line, c) => (state.hidden.has(c) ? [] : [top(line, c)])));
    },
  });
});

figures("regions", (host, words) => {
  const { axes: [a, b], range: [xr, yr], cells } = data.regions;
  controls(host);
  const panels = make("div", { class: "panels one" });
  host.append(panels);
  const ground = make("canvas", { width: cells, height: cells });
  let drawn = null;
  const colourGround = () => {
    const ctx = ground.getContext("2d");
    ctx.clearRect(0, 0, cells, cells);
    const least = 1 / data.classes.length;
    data.regions.class.forEach((c, k) => {
      const sure = Math.max(0, (data.regions.sure[k] / 100 - least) / (1 - least));
      // Many colours are told apart only where they are strong.
      ctx.globalAlpha = isCrowded ? 0.3 + 0.3 * sure : 0.1 + 0.35 * sure;
      ctx.fillStyle = colourOf(c);
      ctx.fillRect(k % cells, cells - 1 - Math.floor(k / cells), 1, 1);
    });
  };
  panel(panels, {
    x: data.features[a],
    y: data.features[b],
    words: `${words}. Arrow keys go from row to row.`,
    height: (width) => Math.min(0.75 * width, 520),
    tell: tellRow,
    paint: (ctx, width, height) => {
      colourGround();
      const box = axes(ctx, width, height, xr, yr);
      ctx.drawImage(ground, box.left, box.top, box.w, box.h);
      drawn = box;
      const places = marks(ctx, box, rows().f[a], rows().f[b]);
      if (isCrowded) nameRegions(ctx, box, data.regions);
      return places;
    },
    // What is predicted at a place without rows.
    ground: (x, y) => {
      const column = Math.floor((cells * (x - drawn.left)) / drawn.w);
      const line = Math.floor((cells * (drawn.top + drawn.h - y)) / drawn.h);
      if (Math.min(column, line) < 0 || Math.max(column, line) >= cells) return null;
      const k = line * cells + column;
      const { class: classes, sure } = data.regions;
      return [["predicted here", data.classes[classes[k]]], ["probability", `${sure[k]} %`]];
    },
  });
});

const one = (host) => host.appendChild(make("div", { class: "panels one" }));

figures("path", (host, words) => {
  const { x: penalties, lines, chosen } = data.path;
  const all = lines.flatMap((line) => line[1]);
  const xs = chosen === null ? penalties : penalties.concat(chosen);
  chart(one(host), {
    x: { name: "penalty", log: true, range: [Math.min(...xs) * 0.97, Math.max(...xs) * 1.03] },
    y: { name: "weight", range: [Math.min(0, ...all), Math.max(0.001, ...all) * 1.03] },
    words,
    right: 32 + Math.max(...lines.map(([name]) => widthOf(name))),
    height: (width) => Math.min(0.6 * width, 380),
    paint: (add, x, y, box) => {
      if (chosen !== null) add("path", { class: "ink broken", d: `M${x(chosen)} ${box.top}V${box.bottom}` });
      // Names stand beside the right ends of the lines, moved apart where they would meet.
      const last = penalties.indexOf(Math.max(...penalties));
      const names = lines.map(([name, weights], k) => ({ name, k, weights, at: y(weights[last]) })).sort((p, q) => p.at - q.at);
      const gap = 15;
      names.forEach((entry, i) => { entry.shown = i ? Math.max(entry.at, names[i - 1].shown + gap) : entry.at; });
      const over = names.length ? names[names.length - 1].shown - (box.bottom - 2) : 0;
      if (over > 0) for (let i = names.length - 1, limit = box.bottom - 2; i >= 0; i--, limit -= gap) names[i].shown = Math.min(names[i].shown, limit);
      for (const { name, k, weights, shown } of names) {
        // Features are no classes, so they have none of their colours.
        const style = `stroke:var(--${k % 2 ? "soft" : "weight"})`;
        const dash = DASHES[(k >> 1) % DASHES.length].join(" ") || "none";
        const line = add("path", { class: "line", style, "stroke-dasharray": dash, d: weights.map((w, i) => `${i ? "L" : "M"}${x(penalties[i])} ${y(w)}`).join("") });
        line.append(draw("title", {}, name));
        add("path", { class: "line", style, "stroke-dasharray": dash, d: `M${box.right + 6} ${shown}h14` });
        const text = add("text", { x: box.right + 25, y: shown + 4 }, fitted(name, box.width - box.right - 27));
        text.append(draw("title", {}, name));
      }
    },
  });
});

const drawCurve = (host, words, curve) => {
  const { name, measure, percent: share, log, points, chosen } = curve;
  const high = points.map(([, v, se]) => v + (se || 0));
  const low = points.map(([, v, se]) => v - (se || 0));
  const top = Math.max(...high);
  const bottom = share ? Math.max(0, Math.min(...low)) : Math.min(...low);
  const xs = points.map((p) => p[0]);
  const best = points.reduce((m, p) => (p[1] < m[1] ? p : m), points[0]);
  const from = share && bottom < 0.4 * top ? 0 : bottom - 0.06 * (top - bottom);
  const text = (v) => (share ? percent(v) : short(v));
  chart(one(host), {
    x: { name, log, range: log ? [Math.min(...xs) * 0.94, Math.max(...xs) * 1.06] : [Math.min(...xs) - 0.4, Math.max(...xs) + 0.4] },
    y: { name: measure, range: [from, top + 0.06 * (top - from || 1e-3)], percent: share },
    words,
    height: (width) => Math.min(0.55 * width, 340),
    paint: (add, x, y, box) => {
      const floor = (v) => y(Math.max(v, from));
      if (points.some((p) => p[2] !== null)) {
        const forth = points.map(([v], k) => `${k ? "L" : "M"}${x(v)} ${y(high[k])}`).join("");
        const back = points.map(([v], k) => `L${x(v)} ${floor(low[k])}`).reverse().join("");
        add("path", { class: "band", d: `${forth}${back}Z` });
        add("path", { class: "ink broken", d: `M${box.left} ${y(best[1] + (best[2] || 0))}H${box.right}` });
      }
      add("path", { class: "line", style: "stroke:var(--weight)", d: points.map(([v, e], k) => `${k ? "L" : "M"}${x(v)} ${y(e)}`).join("") });
      points.forEach(([v, e, se], k) => {
        const big = k === chosen;
        const mark = add("circle", { cx: x(v), cy: y(e), r: big ? 7 : points.length > 80 ? 2 : 3.5, style: `fill:var(--${big ? "ink" : "weight"});stroke:var(--ground)` });
        const pairs = [[name, short(v)], [measure, text(e)]];
        if (se !== null) pairs.push(["standard error", text(se)]);
        if (big) pairs.push(["chosen", "yes"]);
        telling(mark, pairs);
        if (points.length > 40 && !big) mark.removeAttribute("tabindex");
      });
    },
  });
};

figures("curve", (host, words) => drawCurve(host, words, data.curve));
figures("feature-curve", (host, words) => drawCurve(host, words, data.feature_curve));
figures("learning-curve", (host, words) => drawCurve(host, words, data.learning_curve));

// Mean probabilities along a feature, one small chart each.
figures("dependence", (host, words) => {
  const single = data.dependence[0].lines.length === 1;
  if (!single) controls(host);
  const panels = make("div", { class: data.dependence.length === 1 ? "panels one" : "panels" });
  host.append(panels);
  // One scale for all panels: from 0, or of a common class up to 1, so far as the line goes; a rare class shows.
  const all = data.dependence.flatMap(({ lines }) => lines.flatMap(([, line]) => line));
  const high = Math.min(1, 1.1 * Math.max(...all));
  const low = Math.max(0, 1 - 1.1 * (1 - Math.min(...all)));
  const shown = !single ? [0, 1] : low <= 0.5 ? [0, Math.max(high, 0.001)] : [Math.min(low, 0.999), 1];
  for (const { name, x: values, lines } of data.dependence) {
    chart(panels, {
      x: { name, range: range(values) },
      y: { name: single ? `probability of ${data.classes[lines[0][0]]}` : "probability", range: shown, percent: true },
      words: `${words}: ${name}`,
      height: (width) => Math.min(0.7 * width, 260),
      paint: (add, x, y) => {
        for (const [c, line] of lines) {
          if (state.hidden.has(c)) continue;
          const style = `stroke:var(--c${c % COLOURS})`;
          add("path", { class: "line", style, d: line.map((p, k) => `${k ? "L" : "M"}${x(values[k])} ${y(p)}`).join("") });
          line.forEach((p, k) => {
            const mark = add("circle", { cx: x(values[k]), cy: y(p), r: 2.5, style: `fill:var(--c${c % COLOURS})` });
            telling(mark, [[name, short(values[k])], [data.classes[c], p < 0.01 ? `${short(100 * p)} %` : percent(p)]]);
            mark.removeAttribute("tabindex");
          });
        }
      },
    });
  }
});

figures("calibration", (host, words) => {
  const { claim, bins } = data.calibration;
  const most = Math.max(...bins.map((b) => b[4]));
  chart(one(host), {
    x: { name: claim, range: [0, 1], percent: true },
    y: { name: "observed share", range: [0, 1], percent: true },
    words,
    height: (width) => Math.min(0.75 * width, 400),
    paint: (add, x, y) => {
      add("path", { class: "ink broken", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` });
      add("path", { class: "line", style: "stroke:var(--weight);stroke-width:1.5", d: bins.map(([p, v], k) => `${k ? "L" : "M"}${x(p)} ${y(v)}`).join("") });
      for (const [p, v, low, high, n] of bins) {
        add("path", { class: "line", style: "stroke:var(--weight)", d: `M${x(p)} ${y(low)}V${y(high)}` });
        const mark = add("circle", { cx: x(p), cy: y(v), r: 3 + 6 * Math.sqrt(n / most), style: "fill:var(--weight);stroke:var(--ground)" });
        telling(mark, [["claimed", percent(p)], ["observed", percent(v)], ["95 % interval", `${percent(low)} to ${percent(high)}`], ["rows", String(n)]]);
      }
    },
  });
});
