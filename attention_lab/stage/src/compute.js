// The six steps of scaled dot-product attention, in the browser. The one deliberate copy of the
// mathematics: a test holds it to NumPy over every setting. Matrices are arrays of rows.

export const MASKS = ["none", "causal", "padding", "causal_padding", "window"];
export const WINDOW = 3; // a token sees itself and the two before it

export const padded = (n) => Math.max(1, Math.floor(n / 4));

// visible[i][j]: may query i look at key j?
export function visibility(n, mask) {
  const causal = mask === "causal" || mask === "causal_padding" || mask === "window";
  const padding = mask === "padding" || mask === "causal_padding";
  const last = padding ? n - padded(n) : n;
  const width = mask === "window" ? WINDOW : n;
  return grid(n, n, (i, j) => !(causal && j > i) && j < last && i - j < width);
}

export const grid = (rows, columns, value) =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => value(r, c)));

const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);

export const matmul = (A, B) => {
  const columns = transpose(B, A[0].length);
  return A.map((row) => columns.map((column) => dot(row, column)));
};

export const transpose = (A, rows = A.length) =>
  grid(A[0].length, Math.min(rows, A.length), (c, r) => A[r][c]);

const cut = (A, from, to) => A.map((row) => row.slice(from, to));

// One row of softmax: e^(s - max) and its sum are kept, since the working shows them.
export function softmaxRow(scores) {
  const max = Math.max(...scores);
  const exps = scores.map((s) => (max === -Infinity ? 0 : Math.exp(s - max)));
  const sum = exps.reduce((a, b) => a + b, 0);
  return { exps, sum, weights: exps.map((e) => (sum ? e / sum : 0)) };
}

// Everything one head computes, from scores to context, for queries Q, keys K and values V.
export function attend(Q, K, V, visible, temperature = 1) {
  const root = Math.sqrt(Q[0].length) * temperature;
  const raw = Q.map((q) => K.map((k) => dot(q, k)));
  const scaled = raw.map((row) => row.map((s) => s / root));
  const scores = scaled.map((row, i) => row.map((s, j) => (visible[i][j] ? s : -Infinity)));
  const rows = scores.map(softmaxRow);
  const weights = rows.map((row) => row.weights);
  return { raw, scaled, scores, exps: rows.map((r) => r.exps), sums: rows.map((r) => r.sum), weights,
    context: matmul(weights, V) };
}

// The whole computation for the sliders' settings; head h uses columns h·d_k … (h+1)·d_k.
export function compute(arrays, { n, d_k, mask, visible = visibility(n, mask), head = 0, temperature }) {
  const H = arrays.H.slice(0, n);
  const [W_Q, W_K, W_V] = ["W_Q", "W_K", "W_V"].map((name) => cut(arrays[name], head * d_k, (head + 1) * d_k));
  const [Q, K, V] = [W_Q, W_K, W_V].map((W) => matmul(H, W));
  return { n, d_k, d_model: H[0].length, mask, visible, H, W_Q, W_K, W_V, Q, K, V, ...attend(Q, K, V, visible, temperature) };
}

// Heads side by side: their contexts in one row, Concat, times the rows of W_O that belong to them.
export function computeHeads(arrays, { heads, ...settings }) {
  const each = Array.from({ length: heads }, (_, head) => compute(arrays, { ...settings, head }));
  const concat = each[0].context.map((_, r) => each.flatMap((h) => h.context[r]));
  const W_O = arrays.W_O.slice(0, heads * settings.d_k);
  return { ...each[0], heads: each, concat, W_O, output: matmul(concat, W_O) };
}
