// Panel 04: one row through softmax, and the weighted sum as a point inside the hull of the values.

import { compute } from "../compute.js";
import { FORMULAS } from "../formulas.js";
import { LEAST_WIDTH } from "../layout.js";
import { format } from "../paint.js";
import { fill, rowWords, seenBy } from "../words.js";

function layout(width, { n }) {
  const W = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W < 700, side = narrow ? 8 : 16;
  const rh = n > 8 ? 22 : 28, list = narrow ? W - 2 * side : Math.floor(0.6 * W) - 2 * side, labels = narrow ? 70 : 96, y = 40;
  const column = Math.floor((list - labels) / 3), bottom = y + (n + 1) * rh + 10;
  const hull = narrow ? { x: side, y: bottom + 36, size: Math.min(W - 2 * side, 300) } : { x: side + list + 34, y: 34, size: Math.min(W - side - list - 60, 360) };
  return { W, narrow, label: Math.min(rh - 6, 15), rh, y, labels, side, column, hull,
    height: Math.max(bottom, hull.y + hull.size + 26),
    columnX: (k) => side + labels + k * column,
    query: (r) => ({ x: side, y: y + r * rh, width: labels - 8, height: rh }) };
}

// Columns: score (signed, about a middle line), e^(s − max), weight. Query labels stand at the rows' left.
function draw(P) {
  const { sheet, G, m, i, words, tokens, ruler } = P, bar = 0.48 * G.column, size = Math.min(14, G.rh - 9);
  const loudest = Math.max(1e-9, ...m.scores[i].filter(Number.isFinite).map(Math.abs));
  const heads = [[["s", "math"], [" / "], ["τ", "math"]], [["e", "math"], ["s/τ − max", "sup"]], [[words.name_A]]];
  heads.forEach((parts, k) => sheet.text(G.columnX(k) + 4, G.y - 12, parts, { size: 14, weight: 600 }));
  sheet.rect(G.side - 4, G.y + i * G.rh, G.labels - 2, G.rh, { fill: sheet.colours.band, rx: 4 }, sheet.under);
  for (let j = 0; j < m.n; j++) {
    const y = G.y + j * G.rh, mid = y + G.rh / 2, base = mid + 0.355 * size, tall = G.rh - 8;
    sheet.rect(G.columnX(0), y + G.rh, 3 * G.column - 8, 0.8, { fill: sheet.colours.ghost });
    if (!m.visible[i][j]) {
      sheet.cells.push({ key: `hidden ${j} 0`, x: G.columnX(0) + 4, y: y + 4, w: 3 * G.column - 16, h: tall, alpha: 1, hidden: 1, hatch: true, size, value: -Infinity, text: `−∞ → 0`, ink: sheet.colours.ink, centred: true });
      continue;
    }
    const s = m.scores[i][j], half = bar / 2, length = (Math.abs(s) / loudest) * half, axis = G.columnX(0) + half + 2;
    sheet.bar(s < 0 ? axis - length : axis, mid - tall / 2, Math.max(1, length), tall, s);
    sheet.rect(axis - 0.6, y + 1, 1.2, G.rh - 2, { fill: sheet.colours.border });
    sheet.text(G.columnX(0) + G.column - 12, base, format(s, 2), { size, anchor: "end" });
    for (const [k, v, decimals] of [[1, m.exps[i][j], 3], [2, m.weights[i][j], 3]]) {
      sheet.rect(G.columnX(k) + 4, mid - tall / 2, Math.max(1, v * bar), tall, { fill: sheet.colours[k === 2 ? "Q" : "border"], rx: 2 });
      sheet.text(G.columnX(k) + G.column - 12, base, format(v, decimals), { size, anchor: "end", weight: k === 2 ? 700 : 400 });
    }
  }
  const y = G.y + m.n * G.rh + 0.72 * G.rh;
  sheet.text(G.columnX(1) - 4, y, "Σ", { size: 15, anchor: "end" });
  sheet.text(G.columnX(1) + G.column - 12, y, format(m.sums[i], 3), { size, anchor: "end", weight: 600 });
  sheet.text(G.columnX(2) + G.column - 12, y, m.sums[i] ? "1.000" : "0", { size, anchor: "end", weight: 700 });
  drawHull(P, ruler);
}

const cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

// Convex hull by the monotone chain (Andrew 1979): sorted points, a lower and an upper chain.
export function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), chain = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && cross(out.at(-2), out.at(-1), p) <= 0) out.pop();
      out.push(p);
    }
    return out;
  };
  const [lower, upper] = [chain(sorted), chain([...sorted].reverse())];
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function drawHull({ sheet, G, m, i, words, tokens, reach }, ruler) {
  const { x, y, size } = G.hull, at = ([a, b]) => [x + (0.5 + 0.46 * a / reach) * size, y + (0.5 - 0.46 * b / reach) * size];
  const two = (v) => [v[0], v[1] ?? 0], values = m.V.map(two), seen = values.filter((_, j) => m.visible[i][j]);
  sheet.text(x, y - 14, words.hull_title, { size: 14, weight: 600 });
  sheet.rect(x, y, size, size, { fill: "none", stroke: sheet.colours.line });
  for (const v of [-1, 1]) sheet.text(...shift(at([v * reach, 0]), 0, 16), format(v * reach, 0), { size: 11.5, anchor: v < 0 ? "start" : "end", colour: "muted" });
  sheet.rect(x, y + size / 2, size, 1, { fill: sheet.colours.ghost });
  sheet.rect(x + size / 2, y, 1, size, { fill: sheet.colours.ghost });
  const corners = hullOf(seen).map(at);
  if (corners.length > 1) sheet.over.push(["polygon", { points: corners.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), fill: sheet.colours.band, stroke: sheet.colours.V, "stroke-width": 2, "stroke-dasharray": "1.5 5", "stroke-linecap": "round" }]);
  const z = at(two(m.context[i]));
  seen.forEach((v, k) => { const j = values.indexOf(v); sheet.line([at(v), z], "muted", { width: Math.max(0.6, 5 * m.weights[i][j]) }); });
  values.forEach((v, j) => {
    const [px, py] = at(v), visible = m.visible[i][j];
    if (visible) sheet.over.push(["path", { d: `M${px} ${py - 6}l6 6l-6 6l-6 -6z`, fill: sheet.colours.V }]);
    else { sheet.line([[px - 5, py - 5], [px + 5, py + 5]], "muted"); sheet.line([[px - 5, py + 5], [px + 5, py - 5]], "muted"); }
    if (m.n <= 8 && visible) {
      const name = ruler.clip(tokens[j], 80, 12.5), right = px + ruler.width(name, 12.5) + 10 < x + size;
      sheet.text(px + (right ? 9 : -9), py - 6, name, { size: 12.5, anchor: right ? "start" : "end", colour: "ink" });
    }
  });
  if (m.sums[i]) {
    sheet.over.push(["circle", { cx: z[0], cy: z[1], r: 7, fill: sheet.colours.ink, stroke: sheet.colours.paper, "stroke-width": 2.5 }]);
    sheet.text(z[0] - 11, z[1] + 5, [["z", "math"]], { size: 18, weight: 700, anchor: "end" });
  }
}

const shift = ([x, y], dx, dy) => [x + dx, y + dy];

export const row = {
  formula: FORMULAS.row,
  prepare: compute,
  layout,
  draw,
  tables: [],
  words(scene) {
    const { words, m, i } = scene, seen = seenBy(scene), title = words.title_row;
    if (!seen.k) return { title, say: fill(words.sees_nothing, seen) };
    return { title, say: fill(words.panel_row, { ...seen, sum: format(m.sums[i], 3), tau: scene.temperature }) };
  },
  row: (scene) => rowWords("4c", scene),
};
