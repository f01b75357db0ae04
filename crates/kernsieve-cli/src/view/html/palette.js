// As many colours as there are classes. The style sheet has the first seven; the others are those
// of a grid that are farthest from all before them, from the colour of weights and from the ground,
// in a space where distances are about those that are seen (OKLab, Ottosson 2020).

const FIRST = 7;
const SHAPES = 5;
// Beyond these, colours come again with other shapes.
const MOST_COLOURS = 36;
const classCount = (data.classes || []).length;
const COLOURS = Math.max(FIRST, Math.min(classCount, MOST_COLOURS));
// Seven colours can be told apart anywhere; more of them need names beside them.
const isCrowded = classCount > FIRST;

const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const coded = (v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const toLab = (hex) => {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  const [r, g, b] = [1, 3, 5].map((k) => linear(parseInt(full.slice(k, k + 2), 16) / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};
// A colour as `#rrggbb`; null if no screen can show it.
const toHex = ([light, a, b]) => {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  if (rgb.some((v) => v < -1e-3 || v > 1.001)) return null;
  const byte = (v) => Math.round(255 * coded(Math.min(1, Math.max(0, v))));
  return `#${rgb.map((v) => byte(v).toString(16).padStart(2, "0")).join("")}`;
};

// The colours of all classes: the first ones, and more that keep away from them and from `others`,
// of which the first is the ground.
const palette = (first, others, count) => {
  const found = [...first];
  if (count <= first.length) return found;
  // Neither so light nor so dark that they sink into the ground.
  const isLight = toLab(others[0])[0] > 0.5;
  const lightness = isLight ? [0.34, 0.46, 0.58, 0.7, 0.8] : [0.5, 0.6, 0.7, 0.8, 0.9];
  const free = [];
  for (const l of lightness) {
    for (const chroma of [0.05, 0.1, 0.15, 0.2, 0.25]) {
      for (let angle = 0; angle < 360; angle += 12) {
        const turn = (angle * Math.PI) / 180;
        const lab = [l, chroma * Math.cos(turn), chroma * Math.sin(turn)];
        const hex = toHex(lab);
        if (hex) free.push({ lab, hex, near: Infinity });
      }
    }
  }
  const keepAway = (hex) => {
    const lab = toLab(hex);
    for (const c of free) c.near = Math.min(c.near, Math.hypot(...lab.map((v, k) => v - c.lab[k])));
  };
  [...first, ...others].forEach(keepAway);
  while (found.length < count) {
    const next = free.reduce((best, c) => (c.near > best.near ? c : best), free[0]);
    found.push(next.hex);
    keepAway(next.hex);
  }
  return found;
};
