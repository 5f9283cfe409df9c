// Where everything stands, as a pure function of the width and the sizes of the matrices.
//
//             column 0          column 1   column 2           gutter   column 3
//   upper     sentence, legend  W_Q        W_K                         W_V
//   middle    labels | H        Q          K (turns to Kᵀ)    a_i      V | labels
//   lower     the working       Q          S → A              Σ        Z | labels
//
// Each matrix keeps its place for the whole run, and cells follow one rule: left factor on the left,
// right factor above, and where row and column meet is the result.

export const clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
// How far p has come from `from` to `to`, 0 to 1; ease: what travels starts and arrives gently.
export const share = (p, from, to) => clamp((p - from) / (to - from), 0, 1);
export const ease = (p) => (p < 0.5 ? 4 * p * p * p : 1 - (-2 * p + 2) ** 3 / 2);
export const byWidth = (W, narrow, mid, almost, wide) => (W < 700 ? narrow : W < 1000 ? mid : W < 1150 ? almost : wide);

// A feature axis of more than 8, a token axis of more than 10, is drawn in the room of 6, of 10 units.
export const featureUnits = (m) => (m <= 8 ? m : 6);
export const tokenUnits = (n) => Math.min(n, 10);

export const LEAST_WIDTH = 480;

// Font size and decimals that fit a cell; ems.two and ems.one are the widths of "−0.00" and "−0.0".
export function numberFit(cw, rh, ems) {
  const two = Math.min(17, rh < 24 ? rh - 6 : rh - 10, (cw - (cw < 40 ? 5 : 7)) / ems.two);
  if (two >= 11) return { size: two, decimals: 2 };
  return { size: Math.min(15, rh - 5, (cw - 3) / ems.one), decimals: 1 };
}

export function layout(width, { n, d_k, d_model }, ems) {
  const W = Math.max(LEAST_WIDTH, Math.floor(width));
  const narrow = W < 700;
  const side = byWidth(W, 8, 16, 16, 16), labels = byWidth(W, 68, 84, 78, 78), gutter = byWidth(W, 14, 24, 28, 36);
  const weightGutter = byWidth(W, 5, 16, 20, 20), right = byWidth(W, 8, 10, 74, 74);
  const header = byWidth(W, 21, 29, 29, 33), header2 = byWidth(W, 34, 46, 46, 51);

  const kUnits = featureUnits(d_k), middleUnits = Math.max(tokenUnits(n), kUnits);
  const hUnits = narrow ? Math.min(4, featureUnits(d_model)) : featureUnits(d_model); // H gives its room to Q, K, V
  const units = hUnits + kUnits + middleUnits + kUnits + 1;
  const fixed = 2 * side + labels + 2 * gutter + 2 * weightGutter + right;
  const cw = clamp(Math.floor((W - fixed) / units), 6, 58);
  let rh = clamp(Math.round(0.6 * cw), narrow ? 17 : 20, 32);
  if (n > 4) rh = clamp(Math.min(rh, Math.floor((narrow ? 330 : 470) / (Math.max(n, kUnits) + n))), 14, 32);
  const upper = n > 10 ? 46 : featureUnits(d_model) * Math.max(narrow ? 8 : 17, Math.round(0.76 * rh));

  const y0 = (narrow ? 2 : 4) + header, y1 = y0 + upper + header, middle = Math.max(n, kUnits) * rh;
  const y2 = y1 + middle + header2;
  const wH = hUnits * cw, wK = kUnits * cw, wS = tokenUnits(n) * cw;
  const used = side + labels + wH + gutter + wK + gutter + middleUnits * cw + 2 * weightGutter + cw + wK + right;
  const x0 = side + Math.max(0, Math.floor((W - side - used) / 2));
  const xH = x0 + labels, xQ = xH + wH + gutter, xS = xQ + wK + gutter;
  const xA = xS + middleUnits * cw + weightGutter, xV = xA + cw + weightGutter;

  const { size, decimals } = numberFit(cw, rh, ems);
  const wide = cw >= 20 && n <= 10 && size >= (narrow ? 7.5 : 8.5), hW = upper / d_model;
  return {
    W, narrow, left: x0, labels, gutter, weightGutter, right, header, header2, cw, rh, y0, y1, y2,
    height: y2 + n * rh + (narrow ? 9 : 11), upper, middle, wH, wK, wS, xH, xQ, xS, xA, xV,
    cellH: wH / d_model, cellK: wK / d_k, cellS: wS / n, rowW: hW,
    yKT: y1 + middle - kUnits * rh, hKT: kUnits * rh, rowKT: (kUnits * rh) / d_k,
    row1: (r) => y1 + middle - (n - r) * rh, row2: (r) => y2 + r * rh,
    size, decimals,
    showS: wide, showK: wide && d_k <= 8 && rh >= 15, showH: wide && !narrow && d_model <= 8 && rh >= 15,
    showW: wide && !narrow && d_k <= 8 && d_model <= 8 && rh >= 15 && hW >= 14,
    label: Math.min(rh - 1, byWidth(W, 11, 13, 14, 15)), lowerRoom: n * rh + 30,
    query: (r) => ({ x: xH - labels + (narrow ? 0 : 3), y: y1 + middle - (n - r) * rh, width: labels - 11, height: rh }),
    sideLabels: right > 20, terse: W < 1000 && n > 8, sumRoom: cw + 2 * weightGutter - 14,
  };
}
