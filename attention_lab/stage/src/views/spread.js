// Panel 03: how far scores spread as d_k grows, and what softmax makes of one row of them.
// The numbers are NumPy's: for every d_k the kernel sent a histogram and a square of scores, drawn once.

import { softmaxRow, visibility } from "../compute.js";
import { FORMULAS } from "../formulas.js";
import { byWidth, LEAST_WIDTH } from "../layout.js";
import { format } from "../paint.js";
import { fill, spoken } from "../words.js";

const ROWS = ["none", "root", "full"]; // what the scores are divided by: 1, √d_k, d_k

function prepare(arrays, { n, d_k, mask }, { data, index }) {
  const visible = visibility(n, mask), raw = data.scores[index].slice(0, n).map((row) => row.slice(0, n));
  const scales = { none: 1, root: Math.sqrt(d_k), full: d_k };
  const softened = Object.fromEntries(ROWS.map((name) => [name, raw.map((row, i) => softmaxRow(row.map((s, j) => (visible[i][j] ? s / scales[name] : -Infinity))).weights)]));
  return { n, d_k, mask, visible, raw, softened, weights: softened.root, sums: visible.map((row) => (row.some(Boolean) ? 1 : 0)),
    counts: data.counts[index], scaledCounts: data.scaled_counts[index], edges: data.edges, sd: data.sd[index], V: [[0]], context: [[0]] };
}

function layout(width, { n }) {
  const W = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W < 700, side = narrow ? 8 : 16, labels = narrow ? 74 : 92;
  const chart = { x: side + 8, width: narrow ? W - 2 * side - 16 : Math.floor(0.46 * W) - 40, tall: 120 };
  const top = narrow ? 2 * (chart.tall + 62) + 10 : 0, left = narrow ? side : Math.floor(0.48 * W);
  const xA = left + labels, cw = Math.floor((W - xA - side - byWidth(W, 56, 66, 70, 76)) / n), rh = 40, y = top + 60;
  const line = Math.max(20, Math.min(28, Math.floor(W / 40)));
  const columns = Math.min(n, 4), cell = Math.floor((W - side - left) / columns), queryTop = y + 3 * (rh + 8) + 46;
  return {
    W, narrow, label: narrow ? 12 : 14, chart, left, xA, cw, rh, y, height: Math.max(2 * (chart.tall + 62) + 6, queryTop + line * Math.ceil(n / columns) + 10), queryTop,
    rowY: (k) => y + k * (rh + 8),
    query: (r) => ({ x: left + (r % columns) * cell, y: queryTop + Math.floor(r / columns) * line, width: cell - 4, height: line }),
  };
}

function draw(P) {
  const { sheet, G, m, i, words, tokens, ruler } = P;
  const root = Math.sqrt(m.d_k), divided = [[`${words.spread_raw} ÷ √`], ["d", "math"], ["k", "sub"], [` = ${format(root, 2)}`]];
  [["counts", words.spread_raw, 1], ["scaledCounts", divided, root]].forEach(([name, title, scale], k) => {
    const top = 30 + k * (G.chart.tall + 62), floor = top + G.chart.tall, counts = m[name], most = Math.max(...counts), step = G.chart.width / counts.length;
    sheet.text(G.chart.x, top - 10, title, { size: G.narrow ? 13.5 : 15, weight: 600 });
    sheet.text(G.chart.x + G.chart.width, top + 10, fill(words.spread_sd, { sd: format(m.sd / scale, 2) }), { size: G.narrow ? 13.5 : 15, anchor: "end", weight: 600 });
    counts.forEach((count, b) => { if (count) sheet.rect(G.chart.x + b * step, floor - (count / most) * G.chart.tall, Math.max(1, step - 0.5), (count / most) * G.chart.tall, { fill: sheet.colours.border }); });
    sheet.rect(G.chart.x, floor, G.chart.width, 1.4, { fill: sheet.colours.ink });
    const low = m.edges[0], high = m.edges.at(-1), at = (v) => G.chart.x + ((v - low) / (high - low)) * G.chart.width;
    for (const v of [low, low / 2, 0, high / 2, high]) sheet.text(at(v), floor + 16, format(v, 0), { size: 12, anchor: v === low ? "start" : v === high ? "end" : "middle", colour: "muted" });
    const reach = m.sd / scale, y = floor + 24;
    sheet.line([[at(-reach), y], [at(reach), y]], k ? "Q" : "K", { width: 4 });
  });
  sheet.text(G.left, G.y - 32, fill(words.spread_weights, { t: tokens[i] }), { size: G.narrow ? 13.5 : 15, weight: 600 });
  sheet.text(G.W - (G.narrow ? 8 : 16), G.y - 10, words.largest, { size: 12.5, anchor: "end", colour: "muted" });
  const size = Math.min(12.5, (G.cw - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1)))), named = size >= 9;
  tokens.forEach((t, j) => sheet.text(G.xA + (j + 0.5) * G.cw, G.y - 8, named ? t : String(j + 1), { size: named ? size : Math.min(11, Math.max(8.5, 0.55 * G.cw)), anchor: "middle", colour: "muted" }));
  const labels = { none: [["s", "math"]], root: [["s", "math"], [" / √"], ["d", "math"], ["k", "sub"]], full: [["s", "math"], [" / "], ["d", "math"], ["k", "sub"]] };
  ROWS.forEach((name, k) => {
    const row = m.softened[name][i], y = G.rowY(k), digits = Math.min(14, (G.cw - 6) / ruler.width("0.00", 1, 500));
    sheet.text(G.left, y + G.rh / 2 + 6, labels[name], { size: 16, weight: name === "root" ? 700 : 400 });
    sheet.matrix(`A ${name}`, G.xA, y, 1, m.n, G.cw, G.rh, (_, j) => (m.visible[i][j] ? { value: row[j], weight: true } : { value: 0, weight: true, hidden: 1 }),
      { fonts: { size: digits, decimals: 1, slack: 0 }, numbers: digits >= 8.5 });
    sheet.bracket(G.xA, y, m.n * G.cw, G.rh, name === "root" ? "Q" : "ink");
    sheet.text(G.W - (G.narrow ? 8 : 16), y + G.rh / 2 + 6, format(Math.max(...row), 3), { size: 17, anchor: "end", weight: 700 });
  });
}

export const spread = {
  formula: FORMULAS["4a"],
  prepare,
  layout,
  draw,
  tables: [],
  words({ m, tokens, i, words }) {
    const most = (name) => format(Math.max(...m.softened[name][i]), 3);
    return { title: words.title_4a, say: fill(words.panel_spread, { d_k: m.d_k, sd: format(m.sd, 2), t: tokens[i], none: most("none"), root: most("root") }) };
  },
  row: ({ m, tokens, i, words }) => fill(words.row_weights, { t: tokens[i], values: m.weights[i].map((w, j) => `${tokens[j]} ${spoken(words, w, 3)}`).slice(0, 8).join(words.comma) }),
};
