// Thresholds between two classes as a line: `at` gives the place of a threshold, `before` what is drawn first.
const drawCuts = (host, words, names, at, before) => {
  const { points, chosen } = data.cuts;
  chart(one(host), {
    x: { name: names[0], range: [0, 1], percent: true },
    y: { name: names[1], range: [0, 1], percent: true },
    words,
    height: (width) => Math.min(0.8 * width, 340),
    paint: (add, x, y, box) => {
      const from = before(add, x, y, box);
      add("path", { class: "line", style: "stroke:var(--weight)", d: points.map((p, k) => `${k || from ? "L" : "M"}${x(at(p)[0])} ${y(at(p)[1])}`).reduce((d, s) => d + s, from) });
      const mark = (p, big) => {
        // A rim would cut the line into beads.
        const style = big ? "fill:var(--ink);stroke:var(--ground)" : "fill:var(--weight)";
        const node = add("circle", { cx: x(at(p)[0]), cy: y(at(p)[1]), r: big ? 7 : 2.5, class: big ? "chosen" : "", style });
        const pairs = [["threshold", short(p[0])], ["found", percent(p[1])], ["right when called", percent(p[2])], ["false alarms", percent(p[3])]];
        telling(node, big ? pairs.concat([["this model", "yes"]]) : pairs);
        // The table below has the numbers for those who go by keyboard.
        if (!big) node.removeAttribute("tabindex");
      };
      points.forEach((p) => mark(p, false));
      mark(chosen, true);
    },
  });
};

figures("roc", (host, words) => drawCuts(host, words, ["false alarms", `found of ${data.cuts.positive}`], (p) => [p[3], p[1]], (add, x, y) => {
  add("path", { class: "ink broken", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` });
  return `M${x(0)} ${y(0)}`;
}));
figures("precision", (host, words) => drawCuts(host, words, [`found of ${data.cuts.positive}`, "right when called"], (p) => [p[1], p[2]], (add, x, y, box) => {
  add("path", { class: "ink broken", d: `M${box.left} ${y(data.cuts.share)}H${box.right}` });
  return "";
}));
