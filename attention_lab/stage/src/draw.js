// One picture of the computation as a pure function of the model, the layout and T.
// T runs from 0 to 9; whole numbers are the nine stops 1, 2, 3a, 3b, 4a, 4b, 4c, 5a, 5b.

import { clamp, ease, share } from "./layout.js";
import { format } from "./paint.js";
import { drawLegend, drawTrace, drawWorking } from "./working.js";

const mix = (a, b, t) => a + (b - a) * t;

export const STOPS = ["1", "2", "3a", "3b", "4a", "4b", "4c", "5a", "5b"];
export const stopOf = (T) => STOPS[clamp(Math.ceil(T - 1e-6) - 1, 0, 8)];

// When which part of each movement happens, as shares of its stop. Two readers: the picture and the working.
export const WINDOWS = { q: [0.09, 0.45], kv: [0.47, 0.72], rest: 0.74, scores: 0.24, stand: 0.3, land: 0.36 };
export const slot = (p, [from, to], k, count) => share(p, from + ((to - from) * k) / count, from + ((to - from) * (k + 1)) / count);

// How numbers stand in cells: their size, decimals, and how far right of the middle they end.
export const numberFonts = ({ size, decimals }, ruler) =>
  ({ size, decimals, slack: size * ((decimals === 2 ? ruler.two : ruler.one) / 2 - 0.06) });

export function draw(scene) {
  const { sheet, G, T } = scene;
  const phase = STOPS.map((_, k) => clamp(T - k, 0, 1));
  const [s1, s2, a3, b3, a4, b4, c4, a5, b5] = phase;
  const step = T <= 1 ? 1 : T <= 2 ? 2 : T <= 4 ? 3 : T <= 7 ? 4 : 5;
  const P = { ...scene, phase, s1, s2, a3, b3, a4, b4, c4, a5, b5, step };
  P.quietUnless = (...steps) => !scene.trace && !steps.includes(step);
  P.others = [...Array(scene.m.n).keys()].filter((r) => r !== scene.i);
  P.fonts = numberFonts(G, scene.ruler);
  drawBands(P);
  drawTokens(P);
  drawWeightMatrices(P);
  drawProjections(P);
  if (!scene.upperOnly) drawLower(P);
  drawScoreMarks(P);
  if (a5 > 0) drawSum(P);
  drawLegend(P);
  if (scene.trace) drawTrace(P);
  drawWorking(P);
}

function drawBands({ sheet, G, T, i, s1, s2, a3, a5 }) {
  const band = { fill: sheet.colours.band, rx: 4 };
  if (s1 < 0.3) return;
  const x0 = G.xH - G.labels + 2, x1 = T >= 1 && s2 > 0.05 ? G.xQ + G.wK + 6 : G.xH + G.wH + 6;
  sheet.rect(x0, G.row1(i) - 1, x1 - x0, G.rh + 2, band, sheet.under);
  if (a3 <= 0.2) return;
  const from = G.xQ - (G.narrow ? 2 : G.labels - 8);
  const to = a5 > 0.55 ? G.xV + G.wK + 6 : T >= 7 ? G.xA + G.cw + G.weightGutter : G.xS + G.wS + 6;
  sheet.rect(from, G.row2(i) - 1, to - from, G.rh + 2, band, sheet.under);
}

// The line above a matrix: its letter or mark, its name, its shape.
export function drawHeader({ sheet, G, ruler }, x, top, width, letter, { role, sub, name = "", parts, shape, turned, waiting }) {
  const y = top - (G.narrow ? 7 : G.W < 1150 ? 9 : 12), letters = sub ? [[letter, "math"], [sub, "sub"]] : [[letter, "math"]];
  if (waiting) return sheet.text(x - 3, y, letters, { size: 15, colour: "muted" }), null;
  let end;
  if (role && !sub) {
    const scale = G.narrow ? 0.76 : 0.95;
    sheet.mark(x + 8 * scale, y - 5, role, { scale, turned });
    end = x + { Q: 23, K: turned ? 34 : 24, V: 27 }[role] * scale;
  } else {
    const size = G.narrow ? 15 : 20;
    sheet.text(x - 3, y, parts ?? letters, { size, colour: role ?? "ink" });
    end = x + (sub ? 1.6 * size + 6 : 0.95 * size + 3);
  }
  if (parts) end = x + 116;
  const size = G.narrow ? 10.5 : 12.5, dims = shape.join(" × "), start = x + width + 3 - ruler.width(dims, size);
  const named = !G.narrow && name && !parts && end + ruler.width(name, 14, 500) <= x + width + 8;
  if (named) {
    sheet.text(end, y, name, { size: 14, colour: role ?? "ink", weight: 500 });
    end += ruler.width(name, 14, 500);
  }
  const room = start - end;
  if (room >= 6) sheet.text(x + width + 3, y, dims, { size, colour: "muted", anchor: "end" });
  return room >= 30 ? (start + end) / 2 : null; // where an arrow may pass
}

function drawTokens(P) {
  const { sheet, G, m, s1, T, i } = P, top = G.row1(0), wait = s1 < 0.2;
  if (s1 < 1) sheet.ghost(G.xH, top, G.wH, m.n * G.rh);
  const fill = (r, c) => {
    const row = share(s1, 0.22 + (0.35 * r) / m.n, 0.64 + (0.35 * r) / m.n);
    return { value: m.H[r][c], alpha: ease(share(row, (0.8 * c) / m.d_model, (0.8 * c) / m.d_model + 0.2)) };
  };
  const any = sheet.matrix("H", G.xH, top, m.n, m.d_model, G.cellH, G.rh, fill, { fonts: P.fonts, numbers: G.showH, quiet: P.quietUnless(1, 2) });
  if (any) sheet.bracket(G.xH, top, G.wH, m.n * G.rh, "ink");
  drawHeader(P, G.xH, top, G.wH, "H", { name: P.words.name_H, shape: [m.n, m.d_model], waiting: wait });
  if (T === 1) sheet.frame(G.xH, G.row1(i), G.wH, G.rh, "ink");
}

function drawWeightMatrices(P) {
  const { sheet, G, m, s2 } = P, seen = s2 > 0;
  for (const [role, W, x] of [["Q", m.W_Q, G.xQ], ["K", m.W_K, G.xS], ["V", m.W_V, G.xV]]) {
    if (!seen) {
      sheet.ghost(x, G.y0, G.wK, G.upper);
      drawHeader(P, x, G.y0, G.wK, "W", { role, sub: role, waiting: true });
      continue;
    }
    const alpha = share(s2, 0, 0.07);
    sheet.matrix(`W_${role}`, x, G.y0, m.d_model, m.d_k, G.cellK, G.rowW, (r, c) => ({ value: W[r][c], alpha }),
      { fonts: { ...P.fonts, size: Math.min(G.size, G.rowW - 6) }, numbers: G.showW, quiet: P.quietUnless(2) });
    sheet.bracket(x, G.y0, G.wK, G.upper, role);
    drawHeader(P, x, G.y0, G.wK, "W", { role, sub: role, shape: [m.d_model, m.d_k] });
  }
}

// One entry of Q, K or V while it is being made: the running sum of h · w after a share p of its terms.
const partial = (h, W, c, p) => {
  const terms = Math.floor(p * h.length + 1e-9);
  let sum = 0;
  for (let k = 0; k < terms; k++) sum += h[k] * W[k][c];
  return sum;
};

function projected(P, X, W, window, struck) {
  const { m, i, s2 } = P, strips = m.d_k > 8;
  return (r, c) => {
    if (struck && !m.visible[i][r]) return { value: X[r][c], hidden: 1, struck: true };
    if (r === i) {
      const p = slot(s2, window, c, m.d_k);
      if (p <= 0) return null;
      return p < 1 && !strips ? partial(m.H[i], W, c, p) : { value: X[r][c], alpha: p };
    }
    const start = WINDOWS.rest + (0.16 * ((r + m.n - (r > i ? 1 : 0)) % m.n)) / m.n;
    return { value: X[r][c], alpha: ease(share(s2, start, start + 0.1)) };
  };
}

function drawProjections(P) {
  const { sheet, G, m, T, i, s2, a3 } = P, top = G.row1(0), shape = [m.n, m.d_k];
  const begun = { Q: T >= 1 && s2 > 0.07, K: s2 > 0.45, V: s2 > 0.45 };
  const put = (role, x, X, W, window, quiet) => {
    sheet.matrix(role, x, top, m.n, m.d_k, G.cellK, G.rh, projected(P, X, W, window, P.upperOnly && role !== "Q"), { fonts: P.fonts, numbers: G.showK, quiet });
    sheet.bracket(x, top, G.wK, m.n * G.rh, role);
    drawHeader(P, x, top, G.wK, role, { role, name: P.words[`name_${role}`], shape });
  };
  for (const [role, x] of [["Q", G.xQ], ["K", G.xS], ["V", G.xV]]) if (!begun[role]) {
    sheet.ghost(x, top, G.wK, m.n * G.rh);
    drawHeader(P, x, top, G.wK, role, { waiting: true });
  }
  if (begun.Q) put("Q", G.xQ, m.Q, m.W_Q, WINDOWS.q, P.quietUnless(2));
  if (begun.K) {
    const turn = ease(share(a3, 0.005, 0.2));
    if (turn <= 0) put("K", G.xS, m.K, m.W_K, WINDOWS.kv, P.quietUnless(2, 3));
    else if (turn < 1) drawTurning(P, turn);
    else drawTurned(P);
  }
  if (begun.V) {
    put("V", G.xV, m.V, m.W_V, WINDOWS.kv, P.quietUnless(2, 5));
    if (G.sideLabels && s2 >= 1) sideLabels(P, G.row1, () => false);
  }
  if (T >= 1 && T < 2 && s2 > 0.09 && s2 < WINDOWS.rest && m.d_k <= 8) drawProducts(P);
  if (T === 2) { // at rest: the same row in all three, and the entry that the working explains
    for (const [role, x] of [["Q", G.xQ], ["K", G.xS], ["V", G.xV]]) sheet.frame(x, G.row1(i), G.wK, G.rh, role);
    sheet.frame(G.xH, G.row1(i), G.wH, G.rh, "ink");
    if (m.d_k <= 8) {
      sheet.frame(G.xQ, G.y0, G.cellK, G.upper, "Q");
      sheet.frame(G.xQ, G.row1(i), G.cellK, G.rh, "ink", 3);
    }
  }
}

function sideLabels({ sheet, G, m, tokens, ruler }, row, strong) {
  for (let r = 0; r < m.n; r++)
    sheet.text(G.xV + G.wK + 26, row(r) + G.rh / 2 + 0.35 * G.label, ruler.clip(tokens[r], G.right - 26, G.label - 1, 700),
      { size: G.label - 1, colour: strong(r) ? "ink" : "muted", weight: strong(r) ? 700 : 400 });
}

function drawTurned(P) {
  const { sheet, G, m } = P, numbers = G.showK && G.cellS >= 22;
  sheet.matrix("K", G.xS, G.yKT, m.d_k, m.n, G.cellS, G.rowKT, (c, j) => m.K[j][c], { fonts: P.fonts, numbers, turned: !numbers, quiet: P.quietUnless(3) });
  sheet.bracket(G.xS, G.yKT, G.wS, G.hKT, "K");
  drawHeader(P, G.xS, G.yKT, G.wS, "K", { role: "K", turned: true, name: P.words.name_K, shape: [m.d_k, m.n] });
}

// K turns over its main diagonal like a sheet of paper; its numbers are hidden while it is oblique.
function drawTurning(P, turn) {
  const { sheet, G, m } = P, flat = Math.cos(Math.PI * turn), along = (1 + flat) / 2, across = (1 - flat) / 2;
  const px = mix(G.cellK, G.cellS, turn), py = mix(G.rh, G.rowKT, turn), top = mix(G.row1(0), G.yKT, turn);
  const at = (u, v) => [G.xS + (along * u + across * v) * px, top + (across * u + along * v) * py];
  for (let r = 0; r < m.n; r++) for (let c = 0; c < m.d_k; c++) {
    const cell = sheet.cell("", 0, 0, 30, 30, { value: m.K[r][c] }, { fonts: P.fonts, numbers: true });
    sheet.top.push({ poly: [at(c, r), at(c + 0.96, r), at(c + 0.96, r + 0.96), at(c, r + 0.96)], fill: cell.fill });
    if (Math.abs(flat) > 0.8 && G.showK) {
      const [x, y] = at(c + 0.5, r + 0.5);
      sheet.top.push({ number: { ...cell, x: x - px / 2, y: y - py / 2, w: px, h: py } });
    }
  }
  sheet.top.push({ poly: [at(0, 0), at(m.d_k, 0), at(m.d_k, m.n), at(0, m.n)], role: "K", width: 2.4 });
  const end = Math.min(m.n, m.d_k);
  sheet.top.push({ poly: [at(0, 0), at(end, end)], role: "K", width: 1.4, dash: [5, 4] });
  drawHeader(P, G.xS, Math.min(G.row1(0), top), G.wK, "K", { role: "K", turned: turn > 0.5, name: P.words.name_K, shape: [] });
}

// A number on its way: a small card with the role's border, in a hop over what is already there.
function travel({ sheet, fonts }, from, to, p, w, h, value, role, hop = 0) {
  const e = ease(p), x = mix(from[0], to[0], e), y = mix(from[1], to[1], e) - hop * Math.sin(Math.PI * e);
  sheet.top.push({ box: { x: x + 1, y: y + 1, w: w - 2, h: h - 2, role } });
  sheet.top.push({ number: { x, y, w, h, text: format(value, fonts.decimals), ink: sheet.colours.ink, size: Math.min(fonts.size, h - 5), slack: fonts.slack } });
}

function drawProducts(P) {
  const { sheet, G, m, i, s2 } = P, y = G.row1(i), first = s2 < WINDOWS.kv[0];
  const running = first ? [["Q", G.xQ, m.W_Q, WINDOWS.q]] : [["K", G.xS, m.W_K, WINDOWS.kv], ["V", G.xV, m.W_V, WINDOWS.kv]];
  running.forEach(([role, x, W, window], order) => {
    for (let c = 0; c < m.d_k; c++) {
      const p = slot(s2, window, c, m.d_k), left = x + c * G.cellK;
      if (p <= 0 || p >= 1) continue;
      if (order === 0) sheet.frame(G.xH, y, G.wH, G.rh, "ink");
      sheet.frame(left, G.y0, G.cellK, G.upper, role);
      sheet.frame(left, y, G.cellK, G.rh, "ink", 3);
      if (!G.showK || !G.showH) continue;
      const k = Math.min(m.d_model - 1, Math.floor(p * m.d_model)), f = p * m.d_model - k;
      travel(P, [G.xH + k * G.cellH, y], [left, y], f, G.cellH, G.rh, m.H[i][k], "ink", 0.95 * G.rh);
      travel(P, [left, G.y0 + k * G.rowW], [left, y], f, G.cellK, Math.max(G.rowW, 18), W[k][c], role);
    }
  });
}

// What stands in cell (r, j) of the score matrix at this moment: nothing, a score, −∞ or a weight.
function scoreCell(P) {
  const { m, i, others, a3, b3, a4, b4, c4 } = P, rest = m.n - 1 || 1;
  return (r, j) => {
    if (r === i) {
      const p = slot(a3, [WINDOWS.scores, 1], j, m.n);
      if (p <= 0) return null;
      if (p < 1) return m.Q[i].slice(0, Math.floor(p * m.d_k + 1e-9)).reduce((sum, q, k) => sum + q * m.K[j][k], 0);
    } else {
      const start = (others.indexOf(r) + (0.8 * j) / m.n) / rest, p = share(b3, start, start + 0.2 / rest);
      if (p <= 0) return null;
      if (p < 1) return { value: m.raw[r][j], alpha: p };
    }
    if (c4 > 0) {
      const p = normalising(P, r);
      if (p > 0.25) return m.visible[r][j] ? { value: mix(m.exps[r][j], m.weights[r][j], ease(share(p, 0.6, 1))), weight: true } : { value: 0, weight: true, hidden: 1 };
    }
    const score = a4 >= 1 || a4 * m.n > j + 0.5 ? m.scaled[r][j] : m.raw[r][j];
    const hidden = m.visible[r][j] ? 0 : ease(share(b4, (0.6 * j) / m.n, (0.6 * j) / m.n + 0.4));
    return { value: hidden > 0.5 ? -Infinity : score, hidden };
  };
}

// How far softmax has come in row r: the chosen row first, then the others.
function normalising({ m, i, others, c4 }, r) {
  const start = ((r === i ? 0 : 1 + others.indexOf(r)) / m.n) * 0.8;
  return share(c4, start, start + 0.2 + 0.6 / m.n);
}

function drawLower(P) {
  const { sheet, G, m, T, i, a3, a4, b4, c4, a5 } = P, top = G.y2, high = m.n * G.rh, head = top - (G.header2 - G.header);
  if (a3 <= 0) {
    sheet.ghost(G.xQ, top, G.wK, high);
    sheet.ghost(G.xS, top, G.wS, high);
    drawHeader(P, G.xS, head, G.wS, "S", { waiting: true });
  }
  if (a5 <= 0 && T > 2 && !G.narrow) {
    sheet.ghost(G.xA, G.row1(0), G.cw, high);
    sheet.text(G.xA + G.cw / 2, G.row1(0) - 9, [["a", "math"], ["i", "sub"]], { size: 15, anchor: "middle", colour: "muted" });
  }
  if (a5 <= 0.55) {
    sheet.ghost(G.xV, top, G.wK, high);
    drawHeader(P, G.xV, head, G.wK, "Z", { waiting: true });
  }
  if (a3 <= 0) return;
  drawLowerQueries(P, head);
  if (a3 <= 0.2) return;
  const cells = scoreCell(P);
  for (let r = 0; r < m.n; r++) for (let j = 0; j < m.n; j++) if (cells(r, j) === null)
    sheet.rect(G.xS + j * G.cellS + 1, top + r * G.rh + 1, G.cellS - 2, G.rh - 2, { fill: "none", stroke: sheet.colours.ghost, rx: 2 });
  const done = c4 > 0.5;
  sheet.matrix(done ? "A" : "S", G.xS, top, m.n, m.n, G.cellS, G.rh, cells, { fonts: P.fonts, numbers: G.showS, quiet: P.quietUnless(3, 4, 5), weight: c4 >= 1 });
  sheet.bracket(G.xS, top, G.wS, high, "ink");
  const scale = [["S", "math"], [" / √", "math"], ["d", "math"], ["k", "sub"]];
  const parts = done || a4 <= 0 ? undefined : b4 > 0 ? [...scale, [" + M", "math"]] : scale;
  drawHeader(P, G.xS, head, G.wS, done ? "A" : "S", { name: P.words[done ? "name_A" : "name_S"], parts, shape: [m.n, m.n] });
  drawColumnNames(P, top - 6);
  if (a4 > 0 && a4 < 1) sheet.line([[G.xS + G.wS * a4, top - 6], [G.xS + G.wS * a4, top + high + 6]], "ink", { width: 3 });
  if (c4 > 0) drawRowSums(P);
}

// Tokens above the columns of S where all of them fit, else their numbers, which the row labels then carry too.
function namedColumns({ G, m, tokens, ruler }) {
  const size = Math.min(13, (G.cellS - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1, 700))));
  return !G.narrow && m.n <= 8 && size >= 10 ? size : 0;
}

function drawColumnNames(P, y) {
  const { sheet, G, m, tokens } = P, named = namedColumns(P), size = named || Math.min(11, Math.max(9, 0.62 * G.cellS));
  for (let j = 0; j < m.n; j++) {
    const strong = P.trace && j === P.j;
    sheet.text(G.xS + (j + 0.5) * G.cellS, y, named ? tokens[j] : String(j + 1),
      { size, anchor: "middle", colour: strong ? "ink" : "muted", weight: strong ? 700 : 400 });
  }
}

function drawRowSums(P) {
  const { sheet, G, m, i, ruler } = P, size = G.narrow ? 10.5 : 13;
  const long = m.n <= 8 && ruler.width("Σ = 1.000", size, 700) <= G.sumRoom, [lead, one] = long ? ["Σ = ", "1.000"] : G.narrow ? ["=", "1"] : ["Σ ", "1"];
  for (let r = 0; r < m.n; r++) if (normalising(P, r) >= 1)
    sheet.text(G.xS + G.wS + 9, G.row2(r) + G.rh / 2 + 0.35 * G.label, lead + (m.sums[r] ? one : "0"), { size, weight: r === i ? 700 : 400 });
}

function drawLowerQueries(P, head) {
  const { sheet, G, m, i, a3, tokens, ruler } = P, down = ease(share(a3, 0, 0.2)), y = mix(G.row1(0), G.y2, down), high = m.n * G.rh;
  const look = { fonts: P.fonts, numbers: G.showK, quiet: P.quietUnless(3) };
  if (down < 1) {
    sheet.top.push({ box: { x: G.xQ - 6, y: y - 4, w: G.wK + 12, h: high + 8, role: "Q" } });
    sheet.matrix("Q below", G.xQ, y, m.n, m.d_k, G.cellK, G.rh, (r, c) => m.Q[r][c], { ...look, layer: sheet.top });
    return;
  }
  sheet.matrix("Q below", G.xQ, G.y2, m.n, m.d_k, G.cellK, G.rh, (r, c) => m.Q[r][c], look);
  sheet.bracket(G.xQ, G.y2, G.wK, high, "Q");
  const x = drawHeader(P, G.xQ, head, G.wK, "Q", { role: "Q", name: P.words.name_Q, shape: [m.n, m.d_k] });
  if (!G.narrow && x) sheet.line([[x, G.y1 + G.middle + 6], [x, G.y2 - 7]], "Q", { width: 2.5, arrow: true });
  const number = namedColumns(P) ? () => "" : (r) => `${r + 1} `;
  const names = tokens.map((t, r) => (G.terse ? String(r + 1) : ruler.clip(number(r) + t, G.labels - 10, G.label - 1, 700)));
  if (!G.narrow) for (let r = 0; r < m.n; r++)
    sheet.text(G.xQ - 11, G.row2(r) + G.rh / 2 + 0.35 * G.label, names[r],
      { size: G.label - 1, anchor: "end", colour: r === i ? "ink" : "muted", weight: r === i ? 700 : 400 });
}

// Frames and travelling numbers of steps 3 and 4.
function drawScoreMarks(P) {
  const { sheet, G, m, T, i, others, a3, b3, c4, trace } = P, y = G.row2(i);
  if (a3 > WINDOWS.scores && T <= 3) {
    const j = a3 >= 1 ? P.j : Math.min(m.n - 1, Math.floor(share(a3, WINDOWS.scores, 1) * m.n)), left = G.xS + j * G.cellS;
    const p = slot(a3, [WINDOWS.scores, 1], j, m.n);
    sheet.frame(G.xQ, y, G.wK, G.rh, "Q");
    if (a3 >= 1) sheet.frame(G.xS, y, G.wS, G.rh, "ink", 1.6);
    sheet.frame(left, G.yKT, G.cellS, G.hKT, "K");
    sheet.frame(left, y, G.cellS, G.rh, "ink", 3);
    if (m.d_k <= 8 && G.showK && G.showS && p > 0 && a3 < 1) {
      const k = Math.min(m.d_k - 1, Math.floor(p * m.d_k)), f = p * m.d_k - k;
      travel(P, [G.xQ + k * G.cellK, y], [left, y], f, G.cellK, G.rh, m.Q[i][k], "Q", 0.95 * G.rh);
      travel(P, [left, G.yKT + k * G.rowKT], [left, y], f, G.cellS, Math.max(G.rowKT, 18), m.K[j][k], "K");
    }
  }
  if (T <= 3 || T > 7 || trace) return;
  let r = i;
  if (b3 < 1) r = busy(P, b3);
  else if (c4 > 0 && c4 < 1) { const k = Math.min(m.n - 1, Math.floor(c4 * m.n)); r = k ? others[k - 1] : i; }
  if (T <= 4) sheet.frame(G.xQ, G.row2(r), G.wK, G.rh, "Q");
  sheet.frame(G.xS, G.row2(r), G.wS, G.rh, "ink", 3);
}

// The other row that is being made after a share p of the movement.
const busy = ({ m, others, i }, p) => others[clamp(Math.floor(p * (m.n - 1)), 0, m.n - 2)] ?? i;

function drawSum(P) {
  const { sheet, G, m, T, i, others, a5, b5, trace } = P, top = G.row1(0), high = m.n * G.rh, strips = m.d_k > 8;
  const up = ease(share(a5, 0, WINDOWS.stand)), land = (j) => slot(a5, [WINDOWS.land, 1], j, m.n);
  if (!trace) sheet.frame(G.xS, G.row2(i), G.wS, G.rh, "Q");
  const weight = (j) => (m.visible[i][j] ? { value: m.weights[i][j], weight: true } : { value: 0, weight: true, hidden: 1 });
  const look = { fonts: P.fonts, numbers: G.showS };
  if (up < 1) for (let j = 0; j < m.n; j++) {
    const x = mix(G.xS + j * G.cellS, G.xA, up), y = mix(G.row2(i), G.row1(j), up), w = mix(G.cellS, G.cw, up);
    sheet.top.push({ box: { x: x - 1, y: y - 1, w: w + 2, h: G.rh + 2, role: "Q" } });
    sheet.matrix("a", x, y, 1, 1, w, G.rh, () => weight(j), { ...look, layer: sheet.top });
  } else {
    sheet.matrix("a", G.xA, top, m.n, 1, G.cw, G.rh, (j) => weight(j), look);
    sheet.frame(G.xA, top, G.cw, high, "Q");
    for (let j = 0; j < m.n; j++) sheet.text(G.xV - G.weightGutter / 2 - 1, G.row1(j) + G.rh / 2 + 5, "×", { size: G.narrow ? 11 : 16, anchor: "middle" });
    sheet.text(G.xA + G.cw / 2, top - 8, [["a", "math"], ["i", "sub"]], { size: G.narrow ? 11 : 15, anchor: "middle", colour: "Q" });
    drawContext(P, land);
  }
  for (let j = 0; j < m.n; j++) {
    const p = land(j);
    if (p <= 0 || p >= 1) continue;
    sheet.frame(G.xV, G.row1(j), G.wK, G.rh, "V");
    sheet.frame(G.xA, G.row1(j), G.cw, G.rh, "ink");
    const shrink = mix(1, m.weights[i][j], ease(share(p, 0, 0.3))), y = mix(G.row1(j), G.row2(i), ease(share(p, 0.3, 1)));
    sheet.top.push({ box: { x: G.xV - 2, y: y - 2, w: G.wK + 4, h: G.rh + 4, role: "V" } });
    sheet.matrix("av", G.xV, y, 1, m.d_k, G.cellK, G.rh, (_, c) => m.V[j][c] * shrink, { fonts: P.fonts, numbers: G.showK, layer: sheet.top });
  }
  if (T === 8 && !trace && !strips) {
    sheet.frame(G.xV + P.c * G.cellK, top, G.cellK, high, "V");
    sheet.frame(G.xV + P.c * G.cellK, G.row2(i), G.cellK, G.rh, "ink", 3.5);
  }
  if (b5 > 0 && b5 < 1 && others.length) {
    const r = busy(P, b5);
    sheet.frame(G.xS, G.row2(r), G.wS, G.rh, "ink");
    sheet.frame(G.xV, G.row2(r), G.wK, G.rh, "ink", 3);
  }
}

function drawContext(P, land) {
  const { sheet, G, m, i, others, b5, trace } = P, high = m.n * G.rh, rest = m.n - 1 || 1;
  const landed = [...Array(m.n).keys()].filter((j) => land(j) >= 1);
  const cells = (r, c) => {
    if (r === i) return landed.length ? landed.reduce((sum, j) => sum + m.weights[i][j] * m.V[j][c], 0) : null;
    const k = others.indexOf(r), alpha = ease(share(b5, k / rest, (k + 0.9) / rest));
    return alpha > 0 ? { value: m.context[r][c], alpha } : null;
  };
  if (m.d_k <= 8) for (let r = 0; r < m.n; r++) for (let c = 0; c < m.d_k; c++) if (cells(r, c) === null)
    sheet.rect(G.xV + c * G.cellK + 1, G.y2 + r * G.rh + 1, G.cellK - 2, G.rh - 2, { fill: "none", stroke: sheet.colours.ghost, rx: 2 });
  sheet.matrix("Z", G.xV, G.y2, m.n, m.d_k, G.cellK, G.rh, cells, { fonts: P.fonts, numbers: G.showK });
  sheet.bracket(G.xV, G.y2, G.wK, high, "ink");
  drawHeader(P, G.xV, G.y2 - (G.header2 - G.header), G.wK, "Z", { name: P.words.name_Z, shape: [m.n, m.d_k] });
  if (!trace) sheet.frame(G.xV, G.row2(i), G.wK, G.rh, "ink", 3);
  if (G.sideLabels && b5 >= 1) sideLabels(P, G.row2, (r) => r === i);
}
