// Panel 06: heads side by side. Each is a plate, marked by its number; their contexts join in Concat.

import { computeHeads } from "../compute.js";
import { drawHeader, numberFonts } from "../draw.js";
import { FORMULAS } from "../formulas.js";
import { clamp, LEAST_WIDTH, numberFit, tokenUnits } from "../layout.js";
import { format } from "../paint.js";
import { fill, seenBy, sentences, spoken } from "../words.js";

const units = (m) => (m <= 4 ? m : 4); // a head's features are drawn in the room of at most four

function layout(width, { n, d_k, d_model, heads }, ems) {
  const W = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W < 700, side = narrow ? 8 : 16, labels = narrow ? 58 : 84, count = heads.length;
  const gap = narrow ? 10 : 22, inner = narrow ? 8 : 22, t = Math.min(tokenUnits(n), 8), u = units(d_k);
  const cw = clamp(Math.floor((W - 2 * side - labels - count * (gap + inner)) / (count * (t + u))), 4, 48), rh = clamp(Math.floor(Math.min(0.5 * cw + 4, 130 / n + 8)), 12, 24);
  const { size, decimals } = numberFit(cw, rh, ems), wide = cw >= 20 && n <= 8 && size >= (narrow ? 7.5 : 8.5);
  const yV = 78, yA = yV + n * rh + 44, end = yA + n * rh, plate = t * cw + inner + u * cw, x0 = side + labels;
  const joined = Math.min(8, count * u), out = Math.min(6, d_model), cj = clamp(Math.floor((W - 2 * side - labels - 60) / (joined + out)), 8, 46);
  const fit = numberFit(cj, rh, ems), numbersJoined = n <= 8 && count * d_k <= 8 && cj >= 20 && fit.size >= (narrow ? 7.5 : 8.5);
  const yW = end + 54, wide2 = Math.min(8, count * d_k) === count * d_k, upper = wide2 ? count * d_k * Math.max(12, rh - 7) : 70, yC = yW + upper + 40;
  return {
    W, narrow, side, labels, gap, inner, count, t, u, cw, rh, size, decimals, wide, yV, yA, yW, yC, upper, x0, plate, label: Math.min(rh - 1, narrow ? 11.5 : 14),
    cellS: (t * cw) / n, cellK: (u * cw) / d_k, wA: t * cw, wV: u * cw, left: (h) => x0 + h * (plate + gap), height: yC + n * rh + 14,
    xC: x0, wC: joined * cj, xO: x0 + joined * cj + 60, wO: out * cj, fit, numbersJoined,
    query: (r) => ({ x: side, y: yA + r * rh, width: labels - 8, height: rh }),
  };
}

function draw(P) {
  const { sheet, G, m, i, ruler } = P, fonts = numberFonts(G, ruler);
  m.heads.forEach((head, h) => drawHead(P, head, h, fonts));
  drawJoin(P, numberFonts(G.fit, ruler));
  sheet.rect(G.side - 4, G.yA + i * G.rh, G.labels - 2, G.rh, { fill: sheet.colours.band, rx: 4 }, sheet.under);
}

function drawHead({ sheet, G, m, i, tokens, words, ruler }, head, h, fonts) {
  const x = G.left(h), xV = x + G.wA + G.inner, heads = { sheet, G, ruler }, best = head.weights[i].indexOf(Math.max(...head.weights[i]));
  sheet.rect(x - 7, 14, G.plate + 14, G.yA + m.n * G.rh - 6, { fill: "none", stroke: sheet.colours.border, "stroke-width": 1.4, rx: 8, "stroke-dasharray": ["", "7 5", "2 4", "12 4 2 4"][h] || undefined });
  const title = fill(words.head, { h: h + 1 }), wide = ruler.width(title, 16, 700) + 12;
  sheet.rect(x + 2, 3, wide, 22, { fill: sheet.colours.paper });
  sheet.text(x + 8, 20, title, { size: 16, weight: 700 });
  const said = head.sums[i] ? `${tokens[best]} ${format(head.weights[i][best], 3)}` : words.sees_nothing_short;
  sheet.text(x, G.yV - 30, ruler.clip(fill(words.looks_most, { t: tokens[i] }), G.plate, 13), { size: 13, colour: "muted" });
  sheet.text(x, G.yV - 12, ruler.clip(said, G.wA + 4, 14, 700), { size: 14, weight: 700 });
  const look = { fonts, numbers: G.wide && m.d_k <= 4 };
  sheet.matrix(`V${h + 1}`, xV, G.yV, m.n, m.d_k, G.cellK, G.rh, (r, c) => head.V[r][c], look);
  sheet.bracket(xV, G.yV, G.wV, m.n * G.rh, "V");
  sheet.text(xV - 2, G.yV - 9, [["V", "math"], [String(h + 1), "sub"]], { size: 17, colour: "V" });
  const weight = (r, c) => (m.visible[r][c] ? { value: head.weights[r][c], weight: true } : { value: 0, weight: true, hidden: 1 });
  sheet.matrix(`A${h + 1}`, x, G.yA, m.n, m.n, G.cellS, G.rh, weight, { fonts, numbers: G.wide });
  sheet.bracket(x, G.yA, G.wA, m.n * G.rh, "ink");
  sheet.text(x - 2, G.yA - 22, [["A", "math"], [String(h + 1), "sub"]], { size: 17 });
  for (let j = 0; j < m.n; j++) sheet.text(x + (j + 0.5) * G.cellS, G.yA - 7, String(j + 1), { size: Math.min(11, Math.max(8, 0.7 * G.cellS)), anchor: "middle", colour: "muted" });
  sheet.matrix(`Z${h + 1}`, xV, G.yA, m.n, m.d_k, G.cellK, G.rh, (r, c) => head.context[r][c], look);
  sheet.bracket(xV, G.yA, G.wV, m.n * G.rh, "ink");
  sheet.text(xV - 2, G.yA - 9, [["Z", "math"], [String(h + 1), "sub"]], { size: 17 });
  sheet.frame(x, G.yA + i * G.rh, G.wA, G.rh, "Q");
  sheet.frame(xV, G.yA + i * G.rh, G.wV, G.rh, "ink", 2);
  const middle = xV + G.wV / 2, target = G.xC + ((h + 0.5) * G.wC) / G.count, bend = G.yA + m.n * G.rh + 16 + 5 * h;
  sheet.line([[middle, G.yA + m.n * G.rh + 6], [middle, bend], [target, bend], [target, G.yC - 26]], "ink", { width: 2, dash: ["", "7 5", "2 4", "12 4 2 4"][h] || undefined, arrow: true });
}

function drawJoin({ sheet, G, m, i, words, ruler }, fonts) {
  const joined = m.concat[0].length, out = m.output[0].length, heads = { sheet, G, ruler }, look = { fonts, numbers: G.numbersJoined };
  const cell = G.wC / joined, cellO = G.wO / out, tall = m.n * G.rh, rowW = G.upper / joined;
  sheet.matrix("Concat", G.xC, G.yC, m.n, joined, cell, G.rh, (r, c) => m.concat[r][c], look);
  sheet.bracket(G.xC, G.yC, G.wC, tall, "ink");
  sheet.text(G.xC - 2, G.yC - 9, [["Concat", "math"]], { size: 17 });
  sheet.text(G.xC + G.wC + 3, G.yC - 9, `${m.n} × ${joined}`, { size: 12.5, colour: "muted", anchor: "end" });
  for (let h = 1; h < G.count; h++) sheet.line([[G.xC + (h * G.wC) / G.count, G.yC - 4], [G.xC + (h * G.wC) / G.count, G.yC + tall + 4]], "ink", { width: 3 });
  sheet.matrix("W_O", G.xO, G.yW, joined, out, cellO, rowW, (r, c) => m.W_O[r][c], { fonts: { ...fonts, size: Math.min(fonts.size, rowW - 4) }, numbers: G.numbersJoined && rowW >= 14 });
  sheet.bracket(G.xO, G.yW, G.wO, G.upper, "ink");
  sheet.text(G.xO - 2, G.yW - 9, [["W", "math"], ["O", "sub"]], { size: 17 });
  sheet.text(G.xO + G.wO + 3, G.yW - 9, `${joined} × ${out}`, { size: 12.5, colour: "muted", anchor: "end" });
  sheet.matrix("MHA", G.xO, G.yC, m.n, out, cellO, G.rh, (r, c) => m.output[r][c], look);
  sheet.bracket(G.xO, G.yC, G.wO, tall, "ink");
  sheet.text(G.xO - 2, G.yC - 9, [["MHA", "math"], [" "], [words.name_output]], { size: 15 });
  sheet.text(G.xO + G.wO + 3, G.yC - 9, `${m.n} × ${out}`, { size: 12.5, colour: "muted", anchor: "end" });
  sheet.line([[G.xC + G.wC + 10, G.yC + tall / 2], [G.xO - 10, G.yC + tall / 2]], "ink", { width: 2, arrow: true });
  sheet.frame(G.xC, G.yC + i * G.rh, G.wC, G.rh, "ink", 2);
  sheet.frame(G.xO, G.yC + i * G.rh, G.wO, G.rh, "ink", 3);
}

export const heads = {
  formula: FORMULAS.heads,
  prepare: computeHeads,
  layout,
  draw,
  tables: [],
  words(scene) {
    const { m, words } = scene, title = words.title_heads, seen = seenBy(scene);
    return { title, say: fill(words[m.heads.length > 1 ? "panel_heads" : "panel_heads_one"], { ...seen, heads: m.heads.length, total: m.heads.length * m.d_k, d_k: m.d_k }) };
  },
  row: ({ m, tokens, i, words }) => sentences(...m.heads.map((head, h) => {
    const best = head.weights[i].indexOf(Math.max(...head.weights[i])), values = { h: h + 1, t: tokens[i], best: tokens[best] };
    return fill(head.sums[i] ? words.row_head : words.sees_nothing, { ...values, w: spoken(words, head.weights[i][best], 3) });
  })),
};
