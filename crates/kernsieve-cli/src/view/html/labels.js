// Names of classes inside pictures, where there are more classes than colours that anybody
// tells apart.

const LABEL = "600 12px system-ui, sans-serif";
const HIGH = 15;

// A name with a rim in the colour of the ground, so that it can be read on marks.
const write = (ctx, text, x, y) => {
  ctx.font = LABEL;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = colours.ground;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colours.ink;
  ctx.fillText(text, x, y);
};

// Names at places [x, y, text] of a box, the first ones first. One that would cover another or
// leave the box is moved above or below its place, or else left out.
const writeApart = (ctx, box, places) => {
  ctx.font = LABEL;
  const taken = [];
  for (const [x, y, text] of places) {
    const half = ctx.measureText(text).width / 2 + 2;
    const free = [y + 14, y - 14].find((at) => {
      const inside = x - half > box.left && x + half < box.left + box.w
        && at - HIGH / 2 > box.top && at + HIGH / 2 < box.top + box.h;
      const isApart = (t) => Math.abs(t.x - x) > t.half + half || Math.abs(t.at - at) > HIGH;
      return inside && taken.every(isApart);
    });
    if (free === undefined) continue;
    taken.push({ x, half, at: free });
    write(ctx, text, x, free);
  }
};

// The cells of one region each, largest region first: neighbours of one class belong together.
const regionsOf = (classes, cells) => {
  const seen = new Uint8Array(classes.length);
  const found = [];
  for (let start = 0; start < classes.length; start++) {
    if (seen[start]) continue;
    const own = [start];
    seen[start] = 1;
    for (let k = 0; k < own.length; k++) {
      const i = own[k];
      const column = i % cells;
      const near = [column > 0 ? i - 1 : -1, column < cells - 1 ? i + 1 : -1, i - cells, i + cells];
      for (const j of near) {
        if (j < 0 || j >= classes.length || seen[j] || classes[j] !== classes[start]) continue;
        seen[j] = 1;
        own.push(j);
      }
    }
    found.push(own);
  }
  return found.sort((a, b) => b.length - a.length);
};

// Where a name of so many cells stands wholly inside its region, as near to its middle as can be;
// null if it has no room.
const placeFor = (own, cells, wide, high) => {
  const inside = new Set(own);
  const line = (i) => Math.floor(i / cells);
  const mean = (f) => own.reduce((sum, i) => sum + f(i), 0) / own.length;
  const middle = [mean((i) => i % cells), mean(line)];
  const far = (i) => ((i % cells) - middle[0]) ** 2 + (line(i) - middle[1]) ** 2;
  const [w, h] = [Math.ceil((wide - 1) / 2), Math.ceil((high - 1) / 2)];
  const hasRoom = (i) => {
    const [x, y] = [i % cells, line(i)];
    if (x < w || x + w >= cells || y < h || y + h >= cells) return false;
    for (let dy = -h; dy <= h; dy++) {
      for (let dx = -w; dx <= w; dx++) if (!inside.has(i + dy * cells + dx)) return false;
    }
    return true;
  };
  let best = null;
  for (const i of own) if ((best === null || far(i) < far(best)) && hasRoom(i)) best = i;
  return best;
};

// The name of its class in every region that has room for it.
const nameRegions = (ctx, box, { class: classes, cells }) => {
  const [cw, ch] = [box.w / cells, box.h / cells];
  for (const own of regionsOf(classes, cells)) {
    const name = data.classes[classes[own[0]]];
    ctx.font = LABEL;
    for (const text of [name, fitted(name, 48), fitted(name, 24)]) {
      const at = placeFor(own, cells, (ctx.measureText(text).width + 4) / cw, HIGH / ch);
      if (at === null) continue;
      const [column, line] = [at % cells, Math.floor(at / cells)];
      write(ctx, text, box.left + cw * (column + 0.5), box.top + box.h - ch * (line + 0.5));
      break;
    }
  }
};

// The middle of the rows of each class that are shown, the median in each direction.
const middles = (xs, ys) => {
  const set = rows();
  const of = data.classes.map(() => [[], []]);
  xs.forEach((x, i) => {
    if (x === null || ys[i] === null || !isShown(i)) return;
    of[set.y[i]][0].push(x);
    of[set.y[i]][1].push(ys[i]);
  });
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  return of.map((both) => (both[0].length ? both.map(median) : null));
};
