// Colours of the stage in JupyterLab's light and dark themes; contrast figures are held by tests.

export const THEMES = {
  light: {
    paper: "#ffffff", ink: "#1b1f24", muted: "#57606a", quiet: "#4d555e",
    Q: "#1f66d6", K: "#b8450f", V: "#6d1f73", onMark: "#ffffff",
    band: "#e3edfb", soft: "#f4f6f8", line: "#d0d7de", border: "#8c959f", ghost: "#e1e5ea", axis: "#c9d0d8",
    focus: "#1f66d6", hatch: "#6b7480", hatchPaper: "#eef0f2",
    signed: ["#3f968e", "#abd2cd", "#faf9f6", "#f6dba4", "#e4ab3f"],
    weight: ["#ffffff", "#ccd5e0", "#8f9fb5", "#52657f", "#1f2f47"],
    quietStrip: 0.5,
  },
  dark: {
    paper: "#111111", ink: "#f0f0ee", muted: "#a8b0b8", quiet: "#a8b0b8",
    Q: "#6f9fff", K: "#f0833a", V: "#ffc2f0", onMark: "#0b0d0f",
    band: "#16263f", soft: "#1a1c1f", line: "#3a3f46", border: "#717a84", ghost: "#2a2e33", axis: "#444b54",
    focus: "#8fb6ff", hatch: "#8a939d", hatchPaper: "#1e2124",
    signed: ["#17625d", "#1c403e", "#222326", "#57441e", "#8f6114"],
    weight: ["#17191b", "#333e4d", "#596b82", "#8b9fb8", "#c9d8ea"],
    quietStrip: 0.7,
  },
};

const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const fromLinear = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * Math.max(c, 0) ** (1 / 2.4) - 0.055);

export function luminance(hex) {
  const [r, g, b] = channels(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

// OKLab (Ottosson 2020): equal steps look equal, so a ramp between two stops has no muddy middle.
function toOklab(hex) {
  const [r, g, b] = channels(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  return "#" + rgb.map((c) => Math.round(255 * Math.min(1, Math.max(0, fromLinear(c)))).toString(16).padStart(2, "0")).join("");
}

// 201 colours between evenly spaced stops, made once: a frame only looks them up.
const SIZE = 200;
function ramp(stops) {
  const labs = stops.map(toOklab), last = stops.length - 1;
  return Array.from({ length: SIZE + 1 }, (_, k) => {
    const x = (k / SIZE) * last, lo = Math.min(last - 1, Math.floor(x)), f = x - lo;
    return fromOklab(labs[lo].map((v, q) => v + (labs[lo + 1][q] - v) * f));
  });
}

const at = (colours, share) => colours[Math.round(SIZE * Math.min(1, Math.max(0, share)))];

const MAPS = Object.fromEntries(Object.entries(THEMES).map(([name, t]) => {
  const signed = ramp(t.signed), weight = ramp(t.weight);
  return [name, { signed, weight, inks: weight.map((c) => (luminance(c) > 0.179 ? "#000000" : "#ffffff")) }];
}));

export const signedFill = (theme, share) => at(MAPS[theme].signed, (share + 1) / 2);
export const weightFill = (theme, weight) => at(MAPS[theme].weight, weight);
export const weightInk = (theme, weight) => at(MAPS[theme].inks, weight);

// Limit of the signed map: the smallest 1, 2 or 5 × 10^k that holds 95 % of |H|. No slider changes it.
export function signedLimit(H) {
  const sizes = H.flat().map(Math.abs).sort((a, b) => a - b);
  const p95 = sizes[Math.min(sizes.length - 1, Math.ceil(0.95 * sizes.length) - 1)] || 1;
  const power = 10 ** Math.floor(Math.log10(p95));
  return [1, 2, 5, 10].map((k) => k * power).find((limit) => limit >= p95 * (1 - 1e-12));
}
