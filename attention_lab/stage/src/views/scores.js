// Panel 02: one cell of S and the signed products that add up to it.

import { compute } from "../compute.js";
import { drawHeader, numberFonts } from "../draw.js";
import { FORMULAS } from "../formulas.js";
import { byWidth, clamp, featureUnits, LEAST_WIDTH, numberFit, tokenUnits } from "../layout.js";
import { format } from "../paint.js";
import { fill, rowWords, sentences } from "../words.js";

function layout(width, { n, d_k }, ems) {
  const W = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W < 700, labels = narrow ? 62 : 84;
  const side = narrow ? 8 : 16, chart = narrow ? 0 : byWidth(W, 0, 330, 400, 500), gap = narrow ? 20 : 34;
  const units = featureUnits(d_k) + tokenUnits(n), room = W - 2 * side - labels - gap - (chart ? chart + 60 : 8);
  const cw = clamp(Math.floor(room / units), 10, 54), rh = clamp(Math.floor(Math.min(0.66 * cw, 420 / (featureUnits(d_k) + n))), 15, 34);
  const header = 32, y1 = header + 4, keys = featureUnits(d_k) * rh, y2 = y1 + keys + header + 18, grid = y2 + n * rh + 12;
  const xQ = side + labels, wK = featureUnits(d_k) * cw, xS = xQ + wK + gap, wS = tokenUnits(n) * cw;
  const { size, decimals } = numberFit(cw, rh, ems), wide = cw >= 20 && n <= 10 && size >= (narrow ? 7.5 : 8.5);
  const box = narrow ? { x: 52, y: grid + 46, width: W - 70, height: 190 } : { x: xS + wS + 110, y: y1 + 26, width: Math.min(640, W - side - xS - wS - 118), height: Math.max(260, grid - y1 - 110) };
  return {
    W, narrow, height: Math.max(grid, box.y + box.height + 74), label: Math.min(rh - 1, narrow ? 12 : 15), labels, rh, cw, y1, y2, xQ, wK, xS, wS,
    cellK: wK / d_k, cellS: wS / n, rowK: keys / d_k, keys, size, decimals, showS: wide, showK: wide && d_k <= 8, box,
    query: (r) => ({ x: side, y: y2 + r * rh, width: labels - 8, height: rh }),
  };
}

function draw(P) {
  const { sheet, G, m, i, j, words, tokens, ruler } = P, fonts = numberFonts(G, ruler);
  const heads = { sheet, G, ruler }, look = { fonts, numbers: G.showK };
  if (!G.narrow) sheet.text(G.query(0).x, G.y1 - 12, words.pick_cell, { size: 14, colour: "muted" });
  sheet.matrix("K", G.xS, G.y1, m.d_k, m.n, G.cellS, G.rowK, (c, k) => m.K[k][c], { ...look, turned: !G.showK });
  sheet.bracket(G.xS, G.y1, G.wS, G.keys, "K");
  drawHeader(heads, G.xS, G.y1, G.wS, "K", { role: "K", turned: true, name: words.name_K, shape: [m.d_k, m.n] });
  sheet.matrix("Q", G.xQ, G.y2, m.n, m.d_k, G.cellK, G.rh, (r, c) => m.Q[r][c], look);
  sheet.bracket(G.xQ, G.y2, G.wK, m.n * G.rh, "Q");
  drawHeader(heads, G.xQ, G.y2, G.wK, "Q", { role: "Q", name: words.name_Q, shape: [m.n, m.d_k] });
  const score = (r, c) => (m.visible[r][c] ? m.raw[r][c] : { value: -Infinity, hidden: 1 });
  sheet.matrix("S", G.xS, G.y2, m.n, m.n, G.cellS, G.rh, score, { fonts, numbers: G.showS });
  sheet.bracket(G.xS, G.y2, G.wS, m.n * G.rh, "ink");
  drawHeader(heads, G.xS, G.y2 - 18, G.wS, "S", { name: words.name_S, shape: [m.n, m.n] });
  const size = Math.min(13, (G.cellS - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1, 700)))), named = !G.narrow && size >= 10;
  tokens.forEach((t, c) => sheet.text(G.xS + (c + 0.5) * G.cellS, G.y2 - 7, named ? t : String(c + 1),
    { size: named ? size : Math.min(11, Math.max(8.5, 0.6 * G.cellS)), anchor: "middle", colour: c === j ? "ink" : "muted", weight: c === j ? 700 : 400 }));
  const y = G.y2 + i * G.rh;
  sheet.rect(G.query(i).x - 2, y - 1, G.xS + G.wS + 6 - G.query(i).x, G.rh + 2, { fill: sheet.colours.band, rx: 4 }, sheet.under);
  sheet.frame(G.xQ, y, G.wK, G.rh, "Q");
  sheet.frame(G.xS + j * G.cellS, G.y1, G.cellS, G.keys, "K");
  sheet.frame(G.xS + j * G.cellS, y, G.cellS, G.rh, "ink", 3.5);
  if (!G.narrow) sheet.line([[G.xS + G.wS + 8, y + G.rh / 2], [G.box.x - 44, y + G.rh / 2]], "ink", { width: 2.2, arrow: true });
  drawWaterfall(P);
}

// Steps from 0 to the score: each product starts where the last one ended.
function drawWaterfall({ sheet, G, m, i, j, words, ruler }) {
  const { x, y, width, height } = G.box, products = m.Q[i].map((q, k) => q * m.K[j][k]), sums = [0];
  for (const p of products) sums.push(sums.at(-1) + p);
  const low = Math.min(...sums), high = Math.max(...sums), pad = 0.14 * (high - low || 1);
  const at = (v) => y + height - ((v - low + pad) / (high - low + 2 * pad)) * height;
  const step = width / (m.d_k + 1), bar = Math.min(64, 0.64 * step), many = m.d_k > 8, left = (k) => x + step * k + (step - bar) / 2;
  const title = fill(words.products, { d_k: m.d_k }), room = G.W - x - 4;
  sheet.text(x - 6, y - 14, title, { size: Math.min(G.narrow ? 14 : 16, room / ruler.width(title, 1, 500)), weight: 500 });
  const tick = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01].find((t) => (high - low + 2 * pad) / t >= 3) ?? 0.01;
  for (let v = Math.ceil((low - pad) / tick) * tick; v <= high + pad; v += tick) {
    const zero = Math.abs(v) < tick / 2;
    sheet.rect(x - 6, at(v) - 0.7, width + 6, zero ? 1.4 : 0.8, { fill: sheet.colours[zero ? "border" : "ghost"] });
    sheet.text(x - 12, at(v) + 4.5, format(v, tick < 0.1 ? 2 : tick < 1 ? 1 : 0), { size: 12, anchor: "end", colour: "muted" });
  }
  products.forEach((p, k) => {
    const top = Math.min(at(sums[k]), at(sums[k + 1])), tall = Math.max(1.5, Math.abs(at(sums[k]) - at(sums[k + 1])));
    sheet.bar(left(k), top, bar, tall, p);
    sheet.line([[left(k) + bar, at(sums[k + 1])], [left(k + 1), at(sums[k + 1])]], "ink", { width: 1.1, dash: "3 3" });
    if (many) return;
    const middle = left(k) + bar / 2, size = Math.min(14, step / 4.6);
    sheet.text(middle, p >= 0 ? top - 7 : top + tall + 16, (p < 0 ? "▼ −" : "▲ +") + format(Math.abs(p), 2), { size, anchor: "middle", weight: 500 });
    const [q, key] = [m.Q[i][k], m.K[j][k]].map((v) => (v < 0 ? `(${format(v, 2)})` : format(v, 2)));
    const oneLine = ruler.width(`${q} × ${key}`, 13) <= step - 4, below = y + height + 22;
    sheet.text(oneLine ? middle - 3 - ruler.width("×", 13) / 2 : middle, below, q, { size: Math.min(13, size), anchor: oneLine ? "end" : "middle", colour: "Q" });
    if (oneLine) sheet.text(middle, below, "×", { size: 13, anchor: "middle" });
    sheet.text(oneLine ? middle + 3 + ruler.width("×", 13) / 2 : middle, oneLine ? below : below + 16, oneLine ? key : `× ${key}`, { size: Math.min(13, size), anchor: oneLine ? "start" : "middle", colour: "K" });
    sheet.text(middle, below + (oneLine ? 18 : 34), String(k + 1), { size: 12, anchor: "middle", colour: "muted" });
  });
  const total = sums.at(-1), top = Math.min(at(0), at(total));
  sheet.rect(left(m.d_k), top, bar, Math.max(2, Math.abs(at(0) - at(total))), { fill: sheet.colours.ink, rx: 2 });
  const end = left(m.d_k) + bar / 2;
  if (!many) sheet.text(end, top - 8, format(total, 2), { size: 17, anchor: "middle", weight: 700 });
  sheet.text(many ? x + width : end, y + height + 24, [["s", "math"], ["ij", "sub"], ...(many ? [[` = ${format(total, 2)}`]] : [])], { size: 16, anchor: many ? "end" : "middle", weight: many ? 700 : 400 });
  if (many) sheet.text(x, y + height + 24, fill(words.entries_1_to, { d_k: m.d_k }), { size: 12.5, colour: "muted" });
}

export const scores = {
  formula: FORMULAS.scores,
  prepare: compute,
  layout,
  draw,
  turned: true,
  tables: ["S"],
  keyed: true,
  words({ m, tokens, i, j, words }) {
    const products = m.Q[i].map((q, k) => q * m.K[j][k]), shown = products.slice(0, 6);
    const sum = shown.map((p, k) => (k ? (p < 0 ? " − " : " + ") : p < 0 ? "−" : "") + format(Math.abs(p), 2)).join("") + (products.length > 6 ? " + …" : "");
    const say = fill(words.panel_scores, { t: tokens[i], key: tokens[j], sum, s: format(m.raw[i][j], 2) });
    return { title: words.title_scores, say: m.visible[i][j] ? say : sentences(say, words.panel_scores_hidden) };
  },
  row: (scene) => rowWords("3b", scene),
};
