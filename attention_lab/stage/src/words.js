// Sentences of the stage. The words come from the edition's wording; here they are only filled in.

import { format } from "./paint.js";
import { padded, WINDOW } from "./compute.js";

export const fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

export const root = (d_k) => format(Math.sqrt(d_k), Number.isInteger(Math.sqrt(d_k)) ? 0 : 2);

function maskReason(words, m) {
  const causal = words.reason_causal, padding = words.reason_padding;
  if (m.mask === "window") return fill(words.reason_window, { k: WINDOW - 1 });
  if (m.mask === "causal_padding") return fill(words.reason_both, { causal, padding });
  return m.mask === "padding" ? padding : causal;
}

// One sentence after the other; Chinese sets no space after its full stop.
export const sentences = (...said) => said.join(" ").replaceAll("。 ", "。");

// Title and sentence of a stop, as the mechanism tells it.
export function stopWords(stop, { m, tokens, i, words }) {
  const values = { t: tokens[i], i: i + 1, n: m.n, d_model: m.d_model, root: root(m.d_k) };
  const hidden = m.visible.flat().filter((v) => !v).length, blind = m.sums.findIndex((s) => !s);
  const emptied = () => fill(words.sees_nothing, { t: tokens[blind] });
  let say = fill(words[`say_${stop}`], values);
  if (stop === "4b") say = hidden ? fill(words.say_4b, { k: hidden, reason: maskReason(words, m) }) : words.say_4b_none;
  if (stop === "4b" && blind >= 0) say = sentences(say, emptied());
  if (stop === "4c" && blind >= 0) say = sentences(words.say_4c_blind, emptied());
  return { title: words[`title_${stop}`], say };
}

// What the chosen query may see, and where it looks most: the names the panels' sentences use.
export function seenBy({ m, tokens, i }) {
  const best = m.weights[i].indexOf(Math.max(...m.weights[i]));
  return { t: tokens[i], k: m.visible[i].filter(Boolean).length, n: m.n, d_k: m.d_k, best: tokens[best], w: format(m.weights[i][best], 3) };
}

// Screen readers: "minus" is said, long rows are shortened.
export const spoken = (words, value, decimals = 2) =>
  value === -Infinity ? words.minus_infinity : format(value, decimals).replace("−", words.minus);

const list = (words, values) => {
  const shown = values.length > 8 ? values.slice(0, 4) : values;
  return shown.map((v) => spoken(words, v)).join(words.comma) + (shown.length < values.length ? words.comma + fill(words.and_more, { k: values.length - shown.length }) : "");
};

// What the picture says of the chosen row at a stop.
export function rowWords(stop, { m, tokens, i, words }) {
  const t = tokens[i], names = (wanted) => tokens.slice(0, m.n).filter((_, j) => wanted(j)).join(words.comma);
  if (stop === "1") return fill(words.row_H, { t, values: list(words, m.H[i]) });
  if (stop === "2") return sentences(...["Q", "K", "V"].map((X) => fill(words[`row_${X}`], { t, values: list(words, m[X][i]) })));
  if (stop === "4b") {
    const hidden = names((j) => !m.visible[i][j]);
    return hidden ? fill(words.row_hidden, { t, hidden }) : fill(words.row_sees_all, { t });
  }
  if (stop[0] === "3" || stop === "4a") {
    const scores = (stop === "4a" ? m.scaled : m.raw)[i], order = [...scores.keys()];
    const shown = order.length > 8 ? order.slice(0, 4) : order;
    const values = shown.map((j) => `${tokens[j]} ${spoken(words, scores[j])}`).join(words.comma);
    return fill(words.row_scores, { t, values: values + (shown.length < order.length ? words.comma + fill(words.and_more, { k: order.length - shown.length }) : "") });
  }
  if (stop === "4c") {
    if (!m.sums[i]) return fill(words.sees_nothing, { t });
    const order = [...m.weights[i].keys()].filter((j) => m.visible[i][j]).sort((a, b) => m.weights[i][b] - m.weights[i][a]).slice(0, 3);
    const values = order.map((j) => `${tokens[j]} ${format(m.weights[i][j], 3)}`).join(words.comma), hidden = names((j) => !m.visible[i][j]);
    return fill(hidden ? words.row_weights_hidden : words.row_weights, { t, values, hidden });
  }
  return fill(words.row_z, { t, values: list(words, m.context[i]) });
}

// One cell, in words: for the keyboard, the mouse and the screen reader. Names end in a head's number.
export function cellWords({ name, r, c }, value, { m, tokens, i, words, turned }) {
  const [, kind, head] = name.match(/^(\w+?)( below|\d| none| root| full)?$/) ?? [null, name];
  const hidden = value.hidden > 0.5 ? words.comma + words.hidden : "", shown = spoken(words, value.value, value.weight ? 3 : 2) + hidden;
  const said = head && /\d/.test(head) ? fill(words.head, { h: head }) + words.comma : "";
  if (kind === "A" || kind === "S") return said + fill(words[`cell_${kind}`], { value: shown, row: tokens[m.softened ? i : r], column: tokens[c] });
  if (kind === "a") return fill(words.cell_A, { value: shown, row: tokens[i], column: tokens[r] });
  if (/^(W_|Concat|MHA)/.test(kind)) return fill(words.cell_W, { value: shown, name: kind, r: kind[0] === "W" ? r + 1 : tokens[r], c: c + 1 });
  const key = kind === "K" && turned; // Kᵀ: a column is a token
  return said + fill(words.cell_entry, { value: shown, name: words[`name_${kind}`], t: tokens[key ? c : r], entry: (key ? r : c) + 1 });
}

export const traceWords = ({ m, tokens, i, j, c, words }) =>
  fill(words.trace_says, { from: tokens[j], t: tokens[i], c: c + 1, w: format(m.weights[i][j], 3), v: spoken(words, m.V[j][c]),
    product: spoken(words, m.weights[i][j] * m.V[j][c]), z: spoken(words, m.context[i][c]) });

export const tokensFor = (tokens, n, mask) => {
  const pads = mask.includes("padding") ? padded(n) : 0;
  return tokens.slice(0, n).map((t, k) => (k >= n - pads ? "[PAD]" : t));
};
