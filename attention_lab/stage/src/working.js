// The corners no matrix uses: the sentence and the legend above H, the chosen row's working below it,
// and the path of one product from H to Z.

import { signedFill, weightFill } from "./colour.js";
import { slot, WINDOWS } from "./draw.js";
import { clamp, ease, share } from "./layout.js";
import { fill, root } from "./words.js";
import { format } from "./paint.js";

const bracketed = (v) => (v < 0 ? `(${format(v, 2)})` : format(v, 2));

export function drawLegend({ sheet, G, m, tokens, i, s1, words, limit, ruler }) {
  if (G.narrow) return;
  const x = G.xH - G.labels + 4, width = G.xH + G.wH - x, roomy = G.upper > 80;
  const boxes = tokens.slice(0, m.n).map((t) => ({ t, w: ruler.width(t, 14.5, 700) + 14 }));
  const oneLine = boxes.reduce((sum, b) => sum + b.w + 6, -6) <= width;
  let y = G.y0 + 2;
  if (roomy && oneLine) {
    sheet.text(x, G.y0 - 9, words.tokens, { size: 14, colour: "muted", weight: 500 });
    let left = x;
    boxes.forEach(({ t, w }, r) => {
      drawTokenBox(sheet, left, G.y0 + 4, w, t, r === i, sheet.over);
      const p = share(s1, 0.04 * r, 0.04 * r + 0.2), e = ease(p);
      if (p > 0 && p < 1) drawTokenBox(sheet, left + (G.xH - G.labels + 12 - left) * e, G.y0 + 4 + (G.row1(r) + G.rh / 2 - 17 - G.y0) * e, w, t, false, sheet.over);
      left += w + 6;
    });
    y = Math.max(G.y0 + 42, G.y0 + G.upper - 52);
  }
  if (roomy && y + 40 > G.y0 + G.upper + 14) return;
  const bar = width > 330 ? 120 : 76, steps = 24;
  const left = x + 10 + Math.max(ruler.width(words.value, 13), ruler.width(words.weight, 13));
  const ramp = (top, colour) => {
    for (let k = 0; k < steps; k++) sheet.rect(left + (k * bar) / steps, top, bar / steps + 0.4, 15, { fill: colour((k + 0.5) / steps) });
    sheet.rect(left, top, bar, 15, { fill: "none", stroke: sheet.colours.line });
  };
  sheet.text(x, y + 12, words.value, { size: 13, colour: "muted" });
  ramp(y, (f) => signedFill(sheet.theme, 2 * f - 1));
  sheet.text(left + 6, y + 12, "−", { size: 14, weight: 700 });
  sheet.text(left + bar - 14, y + 12, "+", { size: 14, weight: 700 });
  const ends = `−${limit} … 0 … ${limit}`, fits = (text, from, size) => from + ruler.width(text, size) <= x + width + 12;
  if (fits(ends, left + bar + 6, 12.5)) sheet.text(left + bar + 6, y + 12, ends, { size: 12.5, colour: "muted" });
  sheet.text(x, y + 34, words.weight, { size: 13, colour: "muted" });
  ramp(y + 22, (f) => weightFill(sheet.theme, f));
  sheet.text(left + bar + 6, y + 34, "0 … 1", { size: 12.5, colour: "muted" });
  const hatch = left + bar + 16 + ruler.width("0 … 1", 12.5);
  sheet.cells.push({ key: "legend", x: hatch, y: y + 22, w: 22, h: 15, alpha: 1, hidden: 1, hatch: true, size: 10 });
  if (hatch + 28 + ruler.width(words.hidden, 13) <= x + width + 10) sheet.text(hatch + 28, y + 34, words.hidden, { size: 13, colour: "muted" });
  const half = left + bar + 16 + ruler.width(`−${limit} … 0 … ${limit}`, 12.5);
  if (!G.showK && half + 66 <= x + width + 10) [1, -1].forEach((sign, k) => { // half blocks: upper half +, lower half −
    const at = half + 34 * k;
    sheet.rect(at, y, 16, 16, { fill: sheet.colours.soft });
    sheet.rect(at, sign > 0 ? y : y + 8, 16, 8, { fill: signedFill(sheet.theme, 0.8 * sign) });
    sheet.text(at + 19, y + 13, sign > 0 ? "+" : "−", { size: 13, colour: "muted" });
  });
}

function drawTokenBox(sheet, x, y, w, token, strong, layer) {
  sheet.rect(x, y, w, 26, { fill: sheet.colours.soft, stroke: strong ? sheet.colours.ink : sheet.colours.border, rx: 5 }, layer);
  sheet.text(x + w / 2, y + 18, token, { size: 14.5, anchor: "middle", weight: strong ? 700 : 400 });
}

// A column of short lines. Everything is measured in u, an em of the font in use, and u shrinks to fit.
class Lines {
  constructor({ sheet, G, m, ruler }) {
    Object.assign(this, { sheet, ruler, x: G.xH - G.labels + 4, row: 0 });
    this.width = G.xQ - 10 - (G.terse ? 24 : G.labels - 6) - this.x;
    const wanted = G.W < 1150 ? 13 : 14.5, wide = ruler.two / 2.42; // offsets below are for a "−0.00" of 2.42 em
    this.f = Math.min(wanted, (this.width - 18) / (15.4 * wide));
    this.u = this.f * wide;
    this.y0 = G.y2 - G.header2 + G.header - 7;
    this.height = Math.min(1.62 * this.f, G.lowerRoom / 6);
  }

  get y() { return this.y0 + this.row * this.height; }

  put(dx, parts, options = {}) { this.sheet.text(this.x + dx, this.y, parts, { size: this.f, ...options }); }

  clip(text, room) { return this.ruler.clip(text, room, this.f); }

  next(rows = 1) { this.row += rows; }

  title(label, parts) {
    const size = Math.min(13, this.f);
    this.put(0, label, { size, weight: 700, colour: "muted" });
    this.put(this.ruler.width(label, size, 700) + 8, parts);
    this.next(1.1);
  }

  // name   a × b = product
  product(first, a, b, product, { decimals = 2, name } = {}) {
    const u = this.u, dx = 14 + (name === undefined ? 0 : 4.1 * u);
    if (!first) this.put(2, "+");
    if (name !== undefined) this.put(14, this.ruler.clip(name, 4.6 * u, this.f - 1), { size: this.f - 1, colour: "muted" });
    this.put(dx + 3.3 * u, decimals === 3 ? format(a, 3) : bracketed(a), { anchor: "end" });
    this.put(dx + 3.5 * u, "×");
    this.put(dx + 7.6 * u, bracketed(b), { anchor: "end" });
    this.put(dx + 7.9 * u, "=", { colour: "muted" });
    this.put(dx + 11.2 * u, format(product, 2), { anchor: "end" });
    this.next();
  }

  total(value, named) {
    const u = this.u, dx = 14 + (named ? 4.1 * u : 0), y = this.y - 0.82 * this.height;
    this.sheet.line([[this.x + dx + 8.7 * u, y], [this.x + dx + 11.3 * u, y]], "ink", { width: 1.2 });
    this.put(dx + 7.9 * u, "=", { colour: "muted" });
    this.put(dx + 11.2 * u, format(value, 2), { anchor: "end", weight: 700 });
  }
}

export function drawWorking(P) {
  if (P.G.narrow || P.T < 1 || P.trace) return;
  const lines = new Lines(P);
  if (lines.f < 9.5) return; // too small to be read says nothing
  if (P.T <= 2) workProjection(P, lines);
  else if (P.T <= 3) workScore(P, lines);
  else if (P.T <= 7) workRow(P, lines);
  else workSum(P, lines);
}

function workProjection({ m, i, s2, tokens, words }, lines) {
  if (s2 <= WINDOWS.q[0]) return;
  const moving = s2 < WINDOWS.rest, keys = moving && s2 >= WINDOWS.kv[0], window = keys ? WINDOWS.kv : WINDOWS.q;
  const c = moving ? clamp(Math.floor(share(s2, ...window) * m.d_k), 0, m.d_k - 1) : 0;
  const done = moving ? Math.floor(slot(s2, window, c, m.d_k) * m.d_model + 1e-9) : m.d_model;
  const W = keys ? m.W_K : m.W_Q, u = Math.min(0.75 * lines.u, (lines.width - 4) / 21.8), shown = Math.min(done, 8);
  lines.title(words.working, [`“${lines.clip(tokens[i], 5 * lines.u)}”${words.comma}`, [keys ? "k" : "q", "math"], [String(c + 1), "sub"]]);
  for (let k = 0; k < shown; k++) {
    const dx = (k % 2) * 11.2 * u;
    if (k) lines.put(dx + 4, "+");
    lines.put(dx + 5.2 * u, bracketed(m.H[i][k]), { anchor: "end" });
    lines.put(dx + 5.4 * u, "×");
    lines.put(dx + 10.6 * u, bracketed(W[k][c]), { anchor: "end" });
    if (k % 2 || k === shown - 1) lines.next();
  }
  if (done > shown) { lines.put(4, fill(words.more_terms, { k: done - shown }), { colour: "muted" }); lines.next(); }
  if (done < m.d_model) return;
  lines.put(4, "=");
  lines.put(5.2 * u, format(m.H[i].reduce((sum, h, k) => sum + h * W[k][c], 0), 2), { anchor: "end", weight: 700 });
}

function workScore({ m, i, j, a3, tokens, words }, lines) {
  if (a3 < WINDOWS.scores) return lines.title(words.working, words.turning);
  const now = a3 >= 1 ? j : Math.min(m.n - 1, Math.floor(share(a3, WINDOWS.scores, 1) * m.n));
  const done = a3 >= 1 ? m.d_k : Math.floor(slot(a3, [WINDOWS.scores, 1], now, m.n) * m.d_k + 1e-9);
  lines.title(words.working, [["s", "math"], [`(${lines.clip(tokens[i], 4 * lines.u)}, ${lines.clip(tokens[now], 4 * lines.u)}) = `], ["q", "math"], [" · "], ["k", "math"]]);
  for (let k = 0; k < Math.min(done, 4); k++) lines.product(!k, m.Q[i][k], m.K[now][k], m.Q[i][k] * m.K[now][k]);
  if (done > 4) { lines.put(4, fill(words.more_terms, { k: done - 4 }), { colour: "muted" }); lines.next(); }
  if (done >= m.d_k) lines.total(m.raw[i][now]);
}

// The history of the chosen row: s, ÷ √d_k, + m, e^(s − max), ÷ Σ. Nothing that was computed is lost.
function workRow({ m, i, T, c4, tokens, words }, lines) {
  const rows = [[[["s", "math"]], m.raw[i], 2]];
  if (T > 4) rows.push([[[`÷ ${root(m.d_k)}`]], m.scaled[i], 2]);
  if (T > 5) rows.push([[["+ "], ["m", "math"]], m.scores[i], 2]);
  if (c4 > 0) rows.push([[["e", "math"], ["s − max", "sup"]], m.exps[i], 2]);
  if (c4 * m.n >= 0.8) rows.push([[[`÷ ${format(m.sums[i], 2)}`]], m.weights[i], 3]);
  lines.title(words.working, fill(words.row_of, { t: lines.clip(tokens[i], 5 * lines.u) }));
  const { f, u } = lines;
  if (m.n <= 5) {
    const start = 3.6 * u, step = (lines.width - start) / m.n;
    for (const [label, values, decimals] of rows) {
      lines.put(0, label, { colour: "muted" });
      values.forEach((v, q) => lines.put(start + (q + 1) * step - 4, v === 0 && !m.visible[i][q] ? "0" : format(v, decimals), { anchor: "end", weight: decimals === 3 ? 700 : undefined }));
      lines.next();
    }
    return;
  }
  const leaders = [...m.weights[i].keys()].sort((a, b) => m.weights[i][b] - m.weights[i][a]).slice(0, 4).sort((a, b) => a - b);
  const kept = rows.filter((_, k) => k < 2 || k === rows.length - 1), start = 5 * u, step = Math.min(4.6 * u, (lines.width - start) / kept.length);
  kept.forEach(([label], q) => lines.put(start + (q + 1) * step - 4, label, { anchor: "end", colour: "muted" }));
  lines.next();
  for (const q of leaders) {
    lines.put(0, lines.clip(tokens[q], 4.8 * u), { size: f - 1, colour: "muted" });
    kept.forEach(([, values, decimals], k) => lines.put(start + (k + 1) * step - 4, format(values[q], decimals), { anchor: "end", weight: decimals === 3 ? 700 : undefined }));
    lines.next();
  }
}

function workSum({ m, i, c, a5, tokens, words }, lines) {
  lines.title(words.working, [["z", "math"], [`(${lines.clip(tokens[i], 5 * lines.u)})${words.comma}${fill(words.entry, { c: c + 1 })}`]]);
  const landed = [...Array(m.n).keys()].filter((j) => m.visible[i][j] && slot(a5, [WINDOWS.land, 1], j, m.n) >= 1);
  const term = (j) => m.weights[i][j] * m.V[j][c];
  const shown = landed.length > 4 ? [...landed].sort((a, b) => Math.abs(term(b)) - Math.abs(term(a))).slice(0, 4).sort((a, b) => a - b) : landed;
  shown.forEach((j, k) => lines.product(!k, m.weights[i][j], m.V[j][c], term(j), { decimals: 3, name: tokens[j] }));
  if (landed.length > shown.length) {
    const rest = landed.filter((j) => !shown.includes(j)).reduce((sum, j) => sum + term(j), 0);
    lines.put(2, "+");
    lines.put(14, fill(words.more_tokens, { k: landed.length - shown.length }), { size: lines.f - 1, colour: "muted" });
    lines.put(14 + 15.3 * lines.u, format(rest, 2), { anchor: "end" });
    lines.next();
  }
  if (landed.length) lines.total(landed.reduce((sum, j) => sum + term(j), 0), true);
  else if (a5 >= 1) lines.put(4, fill(words.sees_nothing_short, { t: tokens[i] }));
}

// One product, from H to Z: rails run only in gutters and header strips, never through numbers.
export function drawTrace(P) {
  const { sheet, G, m, i, j, c } = P, mid1 = (r) => G.row1(r) + G.rh / 2, mid2 = (r) => G.row2(r) + G.rh / 2;
  const endH = G.xH + G.wH, endQ = G.xQ + G.wK, keyX = G.xS + (j + 0.5) * G.cellS, bend = G.xS - G.gutter / 2;
  const key = { width: 2.4, dash: "6 4" }, value = { width: 2.8, dash: "1.5 5", cap: "round" };
  sheet.line([[endH + 6, mid1(i)], [G.xQ - 7, mid1(i)]], "Q", { width: 3, arrow: true });
  sheet.line([[endQ + 6, mid2(i)], [G.xS - 7, mid2(i)]], "Q", { width: 3, arrow: true });
  sheet.line([[endH + 6, mid1(j) - 4], [G.xQ - 6, mid1(j) - 4]], "K", key);
  sheet.line([[endQ + 6, mid1(j) - 4], [bend, mid1(j) - 4], [bend, G.yKT - 5.5], [keyX, G.yKT - 5.5], [keyX, G.yKT]], "K", key);
  sheet.line([[endH + 7, mid1(j) + 5], [G.xQ - 6, mid1(j) + 5]], "V", value);
  sheet.line([[endQ + 7, mid1(j) + 5], [bend, mid1(j) + 5]], "V", value);
  sheet.frame(G.xH, G.row1(i), G.wH, G.rh, "Q");
  if (j !== i) sheet.frame(G.xH, G.row1(j), G.wH, G.rh, "K");
  for (const y of [G.row1(i), G.row2(i)]) sheet.frame(G.xQ, y, G.wK, G.rh, "Q");
  sheet.frame(G.xS + j * G.cellS, G.yKT, G.cellS, G.hKT, "K");
  sheet.frame(G.xS + j * G.cellS, G.row2(i), G.cellS, G.rh, "ink", 3.5);
  const turn = G.y1 + G.middle + 15, out = G.xV - 9, columnX = G.xA + G.cw / 2;
  sheet.line([[out - 11, mid2(i)], [out, mid2(i)], [out, turn], [columnX, turn], [columnX, G.y1 + G.middle + 5]], "ink", { width: 2.4, arrow: true });
  sheet.frame(G.xA, G.row1(j), G.cw, G.rh, "ink", 3);
  sheet.frame(G.xV, G.row1(j), G.wK, G.rh, "V");
  const end = G.xV + G.wK, far = end + (G.sideLabels ? 17 : 8), vx = G.xV + c * G.cellK;
  sheet.line([[end + 6, mid1(j)], [far, mid1(j)], [far, mid2(i)], [end + 5, mid2(i)]], "V", { ...value, arrow: true });
  sheet.frame(vx, G.row1(j), G.cellK, G.rh, "ink", 3.5);
  sheet.frame(vx, G.row2(i), G.cellK, G.rh, "ink", 3.5);
  const places = [[G.xH - 5, G.row1(i), 1], [G.xH - 5, G.row1(j), 1], [G.xQ - 5, G.row1(i), 2], [G.xS + j * G.cellS - 1, G.yKT, 2],
    [G.xS + j * G.cellS - 1, G.row2(i), 3], [G.xA - 1, G.row1(j), 4], [vx, G.row1(j), 5], [vx, G.row2(i), 6]];
  for (const [x, y, k] of places) sheet.badge(x, y + 2, k);
  if (!G.narrow) workTrace(P, new Lines(P));
}

function workTrace({ sheet, G, m, i, j, c, tokens, words }, lines) {
  const [from, to] = [j, i].map((k) => lines.clip(tokens[k], 4 * lines.u));
  lines.title(words.trace, fill(words.trace_of, { from, to }));
  lines.height = Math.min(lines.height, G.lowerRoom / 6.9);
  const rows = [
    [1, [[words.trace_rows], ["H", "math"]], `${to}${words.comma}${from}`],
    [2, [["q", "math"], [`(${to}) · `], ["k", "math"], [`(${from})`]], format(m.raw[i][j], 2)],
    [3, [["÷ √"], ["d", "math"], ["k", "sub"], [words.then_softmax]], `${format(m.scaled[i][j], 2)} → ${format(m.weights[i][j], 3)}`],
    [4, [["a", "math"], [words.trace_stands], ["V", "math"]], format(m.weights[i][j], 3)],
    [5, [[words.times], ["v", "math"], [`(${from})${words.comma}${fill(words.entry, { c: c + 1 })}`]], `× ${bracketed(m.V[j][c])} = ${format(m.weights[i][j] * m.V[j][c], 2)}`],
    [6, [[words.plus_others]], `z = ${format(m.context[i][c], 2)}`],
  ];
  const widest = Math.max(...rows.map(([, parts, result]) => lines.ruler.width(parts.map(([text]) => text).join(""), 1) + lines.ruler.width(result, 1, 600)));
  const size = Math.min(lines.f, (lines.width - 42) / widest);
  for (const [number, parts, result] of rows) {
    sheet.badge(lines.x + 11, lines.y - 0.35 * lines.f, number);
    lines.put(28, parts, { size });
    lines.put(lines.width, result, { anchor: "end", weight: 600, size });
    lines.next();
  }
}
