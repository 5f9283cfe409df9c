// src/compute.js
var MASKS = ["none", "causal", "padding", "causal_padding", "window"];
var WINDOW = 3;
var padded = (n) => Math.max(1, Math.floor(n / 4));
function visibility(n, mask) {
  const causal = mask === "causal" || mask === "causal_padding" || mask === "window";
  const padding = mask === "padding" || mask === "causal_padding";
  const last = padding ? n - padded(n) : n;
  const width = mask === "window" ? WINDOW : n;
  return grid(n, n, (i, j) => !(causal && j > i) && j < last && i - j < width);
}
var grid = (rows, columns, value) => Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_2, c) => value(r, c)));
var dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
var matmul = (A, B) => {
  const columns = transpose(B, A[0].length);
  return A.map((row) => columns.map((column) => dot(row, column)));
};
var transpose = (A, rows = A.length) => grid(A[0].length, Math.min(rows, A.length), (c, r) => A[r][c]);
var cut = (A, from, to) => A.map((row) => row.slice(from, to));
function softmaxRow(scores) {
  const max = Math.max(...scores);
  const exps = scores.map((s) => max === -Infinity ? 0 : Math.exp(s - max));
  const sum = exps.reduce((a, b) => a + b, 0);
  return { exps, sum, weights: exps.map((e) => sum ? e / sum : 0) };
}
function attend(Q2, K2, V2, visible) {
  const root3 = Math.sqrt(Q2[0].length);
  const raw = Q2.map((q) => K2.map((k) => dot(q, k)));
  const scaled = raw.map((row) => row.map((s) => s / root3));
  const scores = scaled.map((row, i) => row.map((s, j) => visible[i][j] ? s : -Infinity));
  const rows = scores.map(softmaxRow);
  const weights = rows.map((row) => row.weights);
  return {
    raw,
    scaled,
    scores,
    exps: rows.map((r) => r.exps),
    sums: rows.map((r) => r.sum),
    weights,
    context: matmul(weights, V2)
  };
}
function compute(arrays, { n, d_k, mask, visible = visibility(n, mask), head = 0 }) {
  const H = arrays.H.slice(0, n);
  const [W_Q, W_K, W_V] = ["W_Q", "W_K", "W_V"].map((name) => cut(arrays[name], head * d_k, (head + 1) * d_k));
  const [Q2, K2, V2] = [W_Q, W_K, W_V].map((W2) => matmul(H, W2));
  return { n, d_k, d_model: H[0].length, mask, visible, H, W_Q, W_K, W_V, Q: Q2, K: K2, V: V2, ...attend(Q2, K2, V2, visible) };
}

// src/colour.js
var THEMES = {
  light: {
    paper: "#ffffff",
    ink: "#1b1f24",
    muted: "#57606a",
    quiet: "#4d555e",
    Q: "#1f66d6",
    K: "#b8450f",
    V: "#6d1f73",
    onMark: "#ffffff",
    band: "#e3edfb",
    soft: "#f4f6f8",
    line: "#d0d7de",
    border: "#8c959f",
    ghost: "#e1e5ea",
    axis: "#c9d0d8",
    focus: "#1f66d6",
    hatch: "#6b7480",
    hatchPaper: "#eef0f2",
    signed: ["#3f968e", "#abd2cd", "#faf9f6", "#f6dba4", "#e4ab3f"],
    weight: ["#ffffff", "#ccd5e0", "#8f9fb5", "#52657f", "#1f2f47"],
    quietStrip: 0.5
  },
  dark: {
    paper: "#111111",
    ink: "#f0f0ee",
    muted: "#a8b0b8",
    quiet: "#a8b0b8",
    Q: "#6f9fff",
    K: "#f0833a",
    V: "#ffc2f0",
    onMark: "#0b0d0f",
    band: "#16263f",
    soft: "#1a1c1f",
    line: "#3a3f46",
    border: "#717a84",
    ghost: "#2a2e33",
    axis: "#444b54",
    focus: "#8fb6ff",
    hatch: "#8a939d",
    hatchPaper: "#1e2124",
    signed: ["#17625d", "#1c403e", "#222326", "#57441e", "#8f6114"],
    weight: ["#17191b", "#333e4d", "#596b82", "#8b9fb8", "#c9d8ea"],
    quietStrip: 0.7
  }
};
var channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
var fromLinear = (c) => c <= 31308e-7 ? 12.92 * c : 1.055 * Math.max(c, 0) ** (1 / 2.4) - 0.055;
function luminance(hex) {
  const [r, g, b] = channels(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}
function toOklab(hex) {
  const [r, g, b] = channels(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  ];
}
function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  ];
  return "#" + rgb.map((c) => Math.round(255 * Math.min(1, Math.max(0, fromLinear(c)))).toString(16).padStart(2, "0")).join("");
}
var SIZE = 200;
function ramp(stops) {
  const labs = stops.map(toOklab), last = stops.length - 1;
  return Array.from({ length: SIZE + 1 }, (_, k) => {
    const x = k / SIZE * last, lo = Math.min(last - 1, Math.floor(x)), f = x - lo;
    return fromOklab(labs[lo].map((v, q) => v + (labs[lo + 1][q] - v) * f));
  });
}
var at = (colours, share3) => colours[Math.round(SIZE * Math.min(1, Math.max(0, share3)))];
var MAPS = Object.fromEntries(Object.entries(THEMES).map(([name, t]) => {
  const signed = ramp(t.signed), weight = ramp(t.weight);
  return [name, { signed, weight, inks: weight.map((c) => luminance(c) > 0.179 ? "#000000" : "#ffffff") }];
}));
var signedFill = (theme, share3) => at(MAPS[theme].signed, (share3 + 1) / 2);
var weightFill = (theme, weight) => at(MAPS[theme].weight, weight);
var weightInk = (theme, weight) => at(MAPS[theme].inks, weight);
function signedLimit(H) {
  const sizes = H.flat().map(Math.abs).sort((a, b) => a - b);
  const p95 = sizes[Math.min(sizes.length - 1, Math.ceil(0.95 * sizes.length) - 1)] || 1;
  const power = 10 ** Math.floor(Math.log10(p95));
  return [1, 2, 5, 10].map((k) => k * power).find((limit) => limit >= p95 * (1 - 1e-12));
}

// src/layout.js
var clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
var byWidth = (W2, narrow, mid, almost, wide) => W2 < 700 ? narrow : W2 < 1e3 ? mid : W2 < 1150 ? almost : wide;
var featureUnits = (m) => m <= 8 ? m : 6;
var tokenUnits = (n) => Math.min(n, 10);
var LEAST_WIDTH = 480;
function numberFit(cw, rh, ems) {
  const two = Math.min(17, rh < 24 ? rh - 6 : rh - 10, (cw - (cw < 40 ? 5 : 7)) / ems.two);
  if (two >= 11) return { size: two, decimals: 2 };
  return { size: Math.min(15, rh - 5, (cw - 3) / ems.one), decimals: 1 };
}
function layout(width, { n, d_k, d_model }, ems) {
  const W2 = Math.max(LEAST_WIDTH, Math.floor(width));
  const narrow = W2 < 700;
  const side = byWidth(W2, 8, 16, 16, 16), labels = byWidth(W2, 56, 68, 78, 78), gutter = byWidth(W2, 14, 24, 28, 36);
  const weightGutter = byWidth(W2, 5, 16, 20, 20), right = byWidth(W2, 8, 10, 74, 74);
  const header = byWidth(W2, 21, 29, 29, 33), header2 = byWidth(W2, 34, 46, 46, 51);
  const kUnits = featureUnits(d_k), middleUnits = Math.max(tokenUnits(n), kUnits);
  const hUnits = narrow ? Math.min(4, featureUnits(d_model)) : featureUnits(d_model);
  const units = hUnits + kUnits + middleUnits + kUnits + 1;
  const fixed = 2 * side + labels + 2 * gutter + 2 * weightGutter + right;
  const cw = clamp(Math.floor((W2 - fixed) / units), 6, 58);
  let rh = clamp(Math.round(0.6 * cw), narrow ? 17 : 20, 32);
  if (n > 4) rh = clamp(Math.min(rh, Math.floor((narrow ? 330 : 470) / (Math.max(n, kUnits) + n))), 14, 32);
  const upper = n > 10 ? 46 : featureUnits(d_model) * Math.max(narrow ? 8 : 17, Math.round(0.76 * rh));
  const y0 = (narrow ? 2 : 4) + header, y1 = y0 + upper + header, middle = Math.max(n, kUnits) * rh;
  const y2 = y1 + middle + header2;
  const wH = hUnits * cw, wK = kUnits * cw, wS = tokenUnits(n) * cw;
  const used = side + labels + wH + gutter + wK + gutter + middleUnits * cw + 2 * weightGutter + cw + wK + right;
  const x0 = side + Math.max(0, Math.floor((W2 - side - used) / 2));
  const xH = x0 + labels, xQ = xH + wH + gutter, xS = xQ + wK + gutter;
  const xA = xS + middleUnits * cw + weightGutter, xV = xA + cw + weightGutter;
  const { size, decimals } = numberFit(cw, rh, ems);
  const wide = cw >= 20 && n <= 10 && size >= 8.5, hW = upper / d_model;
  return {
    W: W2,
    narrow,
    left: x0,
    labels,
    gutter,
    weightGutter,
    right,
    header,
    header2,
    cw,
    rh,
    y0,
    y1,
    y2,
    height: y2 + n * rh + (narrow ? 9 : 11),
    upper,
    middle,
    wH,
    wK,
    wS,
    xH,
    xQ,
    xS,
    xA,
    xV,
    cellH: wH / d_model,
    cellK: wK / d_k,
    cellS: wS / n,
    rowW: hW,
    yKT: y1 + middle - kUnits * rh,
    hKT: kUnits * rh,
    rowKT: kUnits * rh / d_k,
    row1: (r) => y1 + middle - (n - r) * rh,
    row2: (r) => y2 + r * rh,
    size,
    decimals,
    showS: wide,
    showK: wide && d_k <= 8 && rh >= 15,
    showH: wide && !narrow && d_model <= 8 && rh >= 15,
    showW: wide && !narrow && d_k <= 8 && d_model <= 8 && rh >= 15 && hW >= 14,
    label: Math.min(rh - 1, byWidth(W2, 11, 13, 14, 15)),
    sideLabels: right > 20,
    terse: W2 < 1e3 && n > 8,
    sumRoom: cw + 2 * weightGutter - 14
  };
}

// src/paint.js
var SVG = "http://www.w3.org/2000/svg";
var MATH = '"STIX Two Text", "Cambria Math", Georgia, serif';
var DASH = { Q: "", K: "8 5", V: "1.5 5", ink: "" };
function format(value, decimals) {
  if (value === -Infinity) return "−∞";
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? 0 .toFixed(decimals) : text).replace("-", "−");
}
var Ruler = class {
  constructor(family) {
    this.family = family;
    this.context = document.createElement("canvas").getContext("2d");
    this.known = /* @__PURE__ */ new Map();
    this.two = this.width("−0.00", 1, 500);
    this.one = this.width("−0.0", 1, 500);
  }
  width(text, size, weight = 400) {
    const key = `${weight} ${text}`;
    if (!this.known.has(key)) {
      this.context.font = `${weight} 100px ${this.family}`;
      this.known.set(key, this.context.measureText(text).width / 100);
    }
    return this.known.get(key) * size;
  }
  // The text, cut with "…" where it is wider than room.
  clip(text, room, size, weight) {
    if (this.width(text, size, weight) <= room) return text;
    const letters = [...text];
    while (letters.length > 1 && this.width(letters.join("") + "…", size, weight) > room) letters.pop();
    return letters.join("") + "…";
  }
};
var Sheet = class {
  constructor(theme, limit, prefix) {
    Object.assign(this, { theme, limit, prefix, colours: THEMES[theme], cells: [], under: [], over: [], top: [], matrices: [] });
  }
  rect(x, y, width, height, attributes, layer = this.over) {
    layer.push(["rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes }]);
  }
  line(points, colour, { width = 2, dash, cap, arrow } = {}) {
    this.over.push(["polyline", {
      points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "),
      fill: "none",
      stroke: this.colours[colour],
      "stroke-width": width,
      "stroke-dasharray": dash,
      "stroke-linecap": cap,
      "stroke-linejoin": "round",
      "marker-end": arrow ? `url(#${this.prefix}-arrow-${colour})` : void 0
    }]);
  }
  // parts: a string, or [text, style] pieces; style "math", "sub" or "sup" sets a mathematical letter.
  text(x, y, parts, { size = 14, colour = "ink", anchor = "start", weight } = {}) {
    const pieces = (Array.isArray(parts) ? parts : [parts]).map((p) => Array.isArray(p) ? p : [p]);
    this.over.push(["text", { x, y, "font-size": size, fill: this.colours[colour], "text-anchor": anchor, "font-weight": weight }, pieces]);
  }
  // A frame has a casing of paper, so that it is seen on every fill; its dash tells the role without colour.
  frame(x, y, width, height, role, stroke = 2.5) {
    const box = { fill: "none", rx: 3 };
    this.rect(x - 1, y - 1, width + 2, height + 2, { ...box, stroke: this.colours.paper, "stroke-width": stroke + 3 });
    this.rect(x - 1, y - 1, width + 2, height + 2, {
      ...box,
      stroke: this.colours[role],
      "stroke-width": stroke,
      "stroke-dasharray": DASH[role] || void 0,
      "stroke-linecap": DASH[role] ? "round" : void 0
    });
  }
  bracket(x, y, width, height, role) {
    for (const [edge, inward] of [[x - 4, 6], [x + width + 4, -6]])
      this.line([[edge + inward, y - 3], [edge, y - 3], [edge, y + height + 3], [edge + inward, y + height + 3]], role, { width: role === "ink" ? 1.8 : 2 });
  }
  ghost(x, y, width, height) {
    this.rect(x - 3, y - 3, width + 6, height + 6, { fill: "none", stroke: this.colours.ghost, "stroke-width": 1.5, rx: 3 });
  }
  // A role's letter in a role's shape: Q circle, K square, V diamond.
  mark(x, y, role, { scale = 1, turned = false } = {}) {
    const fill2 = this.colours[role];
    if (role === "Q") this.over.push(["circle", { cx: x, cy: y, r: 10 * scale, fill: fill2 }]);
    if (role === "K") this.rect(x - 10 * scale, y - 10 * scale, (turned ? 29 : 20) * scale, 20 * scale, { fill: fill2, rx: 2 });
    if (role === "V") this.over.push(["path", { fill: fill2, d: `M${x} ${y - 13 * scale}l${13 * scale} ${13 * scale}l${-13 * scale} ${13 * scale}l${-13 * scale} ${-13 * scale}z` }]);
    this.text(x, y + 4.6 * scale, role, { size: 13 * scale, colour: "onMark", anchor: "middle", weight: 700 });
    if (turned) this.text(x + 12 * scale, y - 0.5 * scale, "T", { size: 10 * scale, colour: "onMark", anchor: "middle", weight: 700 });
  }
  badge(x, y, number) {
    this.over.push(["circle", { cx: x, cy: y, r: 10.5, fill: this.colours.ink, stroke: this.colours.paper, "stroke-width": 2 }]);
    this.text(x, y + 4.7, String(number), { size: 13.5, colour: "paper", anchor: "middle", weight: 700 });
  }
  // value(r, c): null (not there yet), a number, or {value, alpha, weight: true, hidden: 0…1}.
  // Returns whether anything stands there. fonts: {size, decimals}; numbers: print them.
  matrix(name, x, y, rows, columns, cw, ch, value, { fonts, numbers, quiet = false, turned = false, weight = false, layer = this.cells }) {
    let any = false;
    for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) {
      const found = value(r, c);
      if (found === null) continue;
      const cell = typeof found === "number" ? { value: found } : found;
      if (cell.alpha <= 0) continue;
      any = true;
      layer.push(this.cell(`${name} ${r} ${c}`, x + c * cw, y + r * ch, cw, ch, { weight, ...cell }, { fonts, numbers, quiet, turned }));
    }
    if (layer === this.cells && any) this.matrices.push({ name, x, y, rows, columns, cw, ch, value });
    return any;
  }
  cell(key, x, y, cw, ch, { value, alpha = 1, weight, hidden = 0 }, { fonts, numbers, quiet, turned }) {
    const gap = cw < 5 ? 0 : cw < 12 ? 0.5 : 1, gapY = ch < 5 ? 0 : gap, share3 = value / this.limit;
    const cell = {
      key,
      x: x + gap / 2,
      y: y + gapY / 2,
      w: cw - gap,
      h: ch - gapY,
      alpha,
      hidden,
      value,
      size: fonts.size,
      paper: this.colours.paper
    };
    if (hidden > 0) cell.hatch = true;
    if (weight) Object.assign(cell, { fill: weightFill(this.theme, value), ink: weightInk(this.theme, value), edge: true });
    else if (numbers) Object.assign(cell, { fill: signedFill(this.theme, share3 * (quiet ? 0.35 : 1)), ink: this.colours[quiet ? "quiet" : "ink"] });
    else Object.assign(cell, { half: turned ? "x" : "y", negative: value < 0, fill: this.halfFill(share3, quiet) });
    if (hidden > 0) cell.ink = this.colours.ink;
    if (numbers) {
      cell.text = hidden > 0 && weight ? "0" : format(value, weight ? fonts.decimals === 2 ? 3 : 2 : fonts.decimals);
      cell.centred = weight || hidden > 0;
      cell.slack = fonts.slack;
    }
    return cell;
  }
  halfFill(share3, quiet) {
    const size = Math.min(1, 0.12 + 1.1 * Math.abs(share3)) * (quiet ? this.colours.quietStrip : 1);
    return signedFill(this.theme, Math.sign(share3) * size);
  }
};
function element(name, attributes, pieces) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== void 0) node.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
  let shift = 0;
  for (const [text, style] of pieces || []) {
    const span = document.createElementNS(SVG, "tspan"), size = attributes["font-size"];
    span.textContent = text;
    const target = style === "sub" ? 0.26 * size : style === "sup" ? -0.36 * size : 0;
    if (target !== shift) span.setAttribute("dy", (target - shift).toFixed(2));
    shift = target;
    if (style) {
      span.setAttribute("font-family", MATH);
      if (style !== "sup") span.setAttribute("font-style", "italic");
      span.setAttribute("font-size", (size * (style === "math" ? 1.12 : 0.8)).toFixed(2));
    }
    node.append(span);
  }
  return node;
}
var painters = 0;
var Painter = class {
  constructor(host) {
    this.prefix = `al${++painters}`;
    this.under = this.layer("svg", "al-under");
    this.canvas = this.layer("canvas", "al-cells");
    this.over = this.layer("svg", "al-over");
    this.moving = this.layer("canvas", "al-moving");
    host.append(this.under, this.canvas, this.over, this.moving);
    this.painted = /* @__PURE__ */ new Map();
    this.frames = 0;
  }
  layer(name, className) {
    const node = name === "svg" ? document.createElementNS(SVG, "svg") : document.createElement("canvas");
    node.setAttribute("class", className);
    node.setAttribute("aria-hidden", "true");
    return node;
  }
  // Sharp at every zoom: the canvas has device pixels. Where everything moves, all that was painted is forgotten.
  resize(width, height, family, places) {
    const ratio = window.devicePixelRatio || 1, shape = [width, height, ratio, family, places].join();
    if (shape === this.shape) return;
    Object.assign(this, { shape, ratio, family });
    for (const canvas of [this.canvas, this.moving]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    for (const svg of [this.under, this.over]) {
      svg.setAttribute("width", width);
      svg.setAttribute("height", height);
    }
    this.painted.clear();
  }
  paint(sheet) {
    this.frames += 1;
    this.paintCells(sheet);
    this.under.replaceChildren(...sheet.under.map((item) => element(...item)));
    this.over.replaceChildren(this.arrows(sheet), ...sheet.over.map((item) => element(...item)));
    const context = this.moving.getContext("2d");
    if (sheet.top.length || this.busy) this.clear(context);
    this.busy = sheet.top.length > 0;
    for (const item of sheet.top) this.paintTop(context, item, sheet);
  }
  clear(context) {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }
  paintCells(sheet) {
    const context = this.canvas.getContext("2d"), next = /* @__PURE__ */ new Map();
    const sign = (c) => `${c.x},${c.y},${c.w},${c.h},${c.alpha},${c.hidden},${c.fill},${c.ink},${c.text},${c.half},${c.negative},${c.size}`;
    for (const cell of sheet.cells) next.set(cell.key, { cell, signature: sign(cell) });
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const fresh = [...next.values()].filter(({ cell, signature }) => this.painted.get(cell.key)?.signature !== signature);
    for (const [key, old] of this.painted)
      if (next.get(key)?.signature !== old.signature) this.wipe(context, old.cell);
    for (const { cell } of fresh) this.paintCell(context, cell, sheet.colours);
    this.painted = next;
    this.repainted = fresh.length;
  }
  wipe(context, { x, y, w, h }) {
    const margin = w < 5 ? 0 : 0.5;
    context.clearRect(x - margin, y - margin, w + 2 * margin, h + 2 * margin);
  }
  paintCell(context, cell, colours) {
    const { x, y, w, h } = cell;
    context.globalAlpha = cell.alpha;
    if (cell.half && !cell.hatch) this.paintHalf(context, cell, colours);
    else {
      context.fillStyle = cell.fill ?? colours.paper;
      context.fillRect(x, y, w, h);
      if (cell.edge) {
        context.strokeStyle = colours.line;
        context.lineWidth = 0.8;
        context.strokeRect(x + 0.4, y + 0.4, w - 0.8, h - 0.8);
      }
    }
    if (cell.hatch) this.paintHatch(context, cell, colours);
    if (cell.text) this.paintNumber(context, cell, colours);
    context.globalAlpha = 1;
  }
  // Too small for numbers: the half that is tinted tells the sign without colour.
  paintHalf(context, { x, y, w, h, half, negative, fill: fill2 }, colours) {
    context.fillStyle = colours.soft;
    context.fillRect(x, y, w, h);
    context.fillStyle = fill2;
    if (half === "y") context.fillRect(x, negative ? y + h / 2 : y, w, h / 2);
    else context.fillRect(negative ? x : x + w / 2, y, w / 2, h);
    context.fillStyle = colours.axis;
    if (half === "y" && h > 9) context.fillRect(x - 0.5, y + h / 2 - 0.5, w + 1, 1);
    if (half === "x" && w > 9) context.fillRect(x + w / 2 - 0.5, y - 0.5, 1, h + 1);
  }
  paintHatch(context, { x, y, w, h, hidden, text, size }, colours) {
    const width = w * Math.min(1, hidden);
    context.save();
    context.beginPath();
    context.rect(x, y, width, h);
    context.clip();
    context.fillStyle = colours.hatchPaper;
    context.fillRect(x, y, width, h);
    context.strokeStyle = colours.hatch;
    context.lineWidth = 1.9;
    context.beginPath();
    for (let d = Math.floor((x + y) / 10) * 10; d < x + w + y + h + 10; d += 10) {
      context.moveTo(d - y + 2, y - 2);
      context.lineTo(d - y - h - 2, y + h + 2);
    }
    context.stroke();
    if (text) {
      const pill = text.length * size * 0.62 + 6;
      context.fillStyle = colours.hatchPaper;
      context.fillRect(x + (w - pill) / 2, y + h / 2 - size * 0.62, pill, size * 1.24);
    }
    context.restore();
  }
  paintNumber(context, { x, y, w, h, text, ink, size, centred, slack }) {
    context.font = `500 ${size}px ${this.family}`;
    context.fillStyle = ink;
    context.textBaseline = "alphabetic";
    context.textAlign = centred ? "center" : "right";
    context.fillText(text, centred ? x + w / 2 : x + w / 2 + (slack ?? 0), y + h / 2 + size * 0.355);
  }
  // What travels: {box}, {poly} or a cell, in paper-backed boxes, over everything else.
  paintTop(context, item, sheet) {
    const { colours } = sheet;
    if (item.box) {
      const { x, y, w, h, role, alpha = 1 } = item.box;
      context.globalAlpha = alpha;
      context.fillStyle = colours.paper;
      context.strokeStyle = colours[role];
      context.lineWidth = 2;
      context.beginPath();
      context.roundRect(x, y, w, h, 4);
      context.fill();
      if (role) context.stroke();
      context.globalAlpha = 1;
    } else if (item.poly) {
      context.beginPath();
      item.poly.forEach(([x, y], k) => k ? context.lineTo(x, y) : context.moveTo(x, y));
      context.closePath();
      if (item.fill) {
        context.fillStyle = item.fill;
        context.fill();
      }
      if (item.role) {
        context.strokeStyle = colours[item.role];
        context.lineWidth = item.width;
        context.setLineDash(item.dash ?? []);
        context.stroke();
        context.setLineDash([]);
      }
    } else if (item.number) this.paintNumber(context, item.number);
    else this.paintCell(context, item, colours);
  }
  arrows(sheet) {
    const defs = element("defs", {});
    for (const role of ["Q", "K", "V", "ink"]) {
      const marker = element("marker", { id: `${this.prefix}-arrow-${role}`, viewBox: "0 0 10 10", refX: 8.5, refY: 5, markerWidth: 13, markerHeight: 13, markerUnits: "userSpaceOnUse", orient: "auto" });
      marker.append(element("path", { d: "M0 .8L9.5 5L0 9.2Z", fill: sheet.colours[role] }));
      defs.append(marker);
    }
    return defs;
  }
};

// src/words.js
var fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (whole, key) => key in values ? String(values[key]) : whole);
var root = (d_k) => format(Math.sqrt(d_k), Number.isInteger(Math.sqrt(d_k)) ? 0 : 2);
var largest = (row) => row.indexOf(Math.max(...row));
function panelWords(view, stop, scene) {
  const { m, tokens, i, words } = scene, seen = m.visible[i].filter(Boolean).length, best = largest(m.weights[i]);
  const values = { t: tokens[i], k: seen, n: m.n, best: tokens[best], w: format(m.weights[i][best], 3), root: root(m.d_k), d_k: m.d_k };
  if (!seen) return { title: words[`title_${stop}`], say: fill(words.sees_nothing, values) };
  return { title: words[`title_${stop}`], say: fill(words[`panel_${view}`], values) };
}
var spoken = (words, value, decimals = 2) => value === -Infinity ? words.minus_infinity : format(value, decimals).replace("−", words.minus);
var list = (words, values) => {
  const shown = values.length > 8 ? values.slice(0, 4) : values;
  return shown.map((v) => spoken(words, v)).join(words.comma) + (shown.length < values.length ? words.comma + fill(words.and_more, { k: values.length - shown.length }) : "");
};
function rowWords(stop, { m, tokens, i, words }) {
  const t = tokens[i], names = (wanted) => tokens.slice(0, m.n).filter((_, j) => wanted(j)).join(words.comma);
  if (stop === "1") return fill(words.row_H, { t, values: list(words, m.H[i]) });
  if (stop === "2") return ["Q", "K", "V"].map((X) => fill(words[`row_${X}`], { t, values: list(words, m[X][i]) })).join(" ");
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
function cellWords({ name, r, c }, value, { m, tokens, words }) {
  const kind = name.replace(" below", "");
  const shown = spoken(words, value.value, value.weight ? 3 : 2);
  const hidden = value.hidden > 0.5 ? words.comma + words.hidden : "";
  const turned = kind === "K" && name === "K" && m.turned;
  const values = { value: shown + hidden, row: tokens[r], column: tokens[c], r: r + 1, c: c + 1, t: tokens[turned ? c : r], entry: turned ? r + 1 : c + 1 };
  if (kind === "S" || kind === "A") return fill(words[`cell_${kind}`], values);
  if (kind === "a") return fill(words.cell_A, { ...values, row: tokens[m.chosen], column: tokens[r] });
  if (kind.startsWith("W_")) return fill(words.cell_W, { ...values, name: kind });
  return fill(words.cell_entry, { ...values, name: words[`name_${kind}`] });
}
var traceWords = ({ m, tokens, i, j, c, words }) => fill(words.trace_says, {
  from: tokens[j],
  t: tokens[i],
  c: c + 1,
  w: format(m.weights[i][j], 3),
  v: spoken(words, m.V[j][c]),
  product: spoken(words, m.weights[i][j] * m.V[j][c]),
  z: spoken(words, m.context[i][c])
});
var tokensFor = (tokens, n, mask) => {
  const pads = mask.includes("padding") ? padded(n) : 0;
  return tokens.slice(0, n).map((t, k) => k >= n - pads ? "[PAD]" : t);
};

// src/working.js
var share = (p, from, to) => clamp((p - from) / (to - from), 0, 1);
var bracketed = (v) => v < 0 ? `(${format(v, 2)})` : format(v, 2);
function drawLegend({ sheet, G, m, tokens, i, s1, words, limit, ruler }) {
  if (G.narrow) return;
  const x = G.xH - G.labels + 4, width = G.xH + G.wH - x, roomy = G.upper > 80;
  const boxes = tokens.slice(0, m.n).map((t) => ({ t, w: ruler.width(t, 14.5, 700) + 14 }));
  const oneLine = boxes.reduce((sum, b) => sum + b.w + 6, -6) <= width;
  let y = G.y0 + 2;
  if (roomy && oneLine) {
    sheet.text(x, G.y0 - 9, words.tokens, { size: 14, colour: "muted", weight: 500 });
    let left2 = x;
    boxes.forEach(({ t, w }, r) => {
      drawTokenBox(sheet, left2, G.y0 + 4, w, t, r === i, sheet.over);
      const p = share(s1, 0.04 * r, 0.04 * r + 0.2), e = p < 0.5 ? 4 * p ** 3 : 1 - (-2 * p + 2) ** 3 / 2;
      if (p > 0 && p < 1) drawTokenBox(sheet, left2 + (G.xH - G.labels + 12 - left2) * e, G.y0 + 4 + (G.row1(r) + G.rh / 2 - 17 - G.y0) * e, w, t, false, sheet.over);
      left2 += w + 6;
    });
    y = Math.max(G.y0 + 42, G.y0 + G.upper - 52);
  }
  if (roomy && y + 40 > G.y0 + G.upper + 14) return;
  const bar = width > 330 ? 120 : 76, steps = 24;
  const left = x + 10 + Math.max(ruler.width(words.value, 13), ruler.width(words.weight, 13));
  const ramp2 = (top, colour) => {
    for (let k = 0; k < steps; k++) sheet.rect(left + k * bar / steps, top, bar / steps + 0.4, 15, { fill: colour((k + 0.5) / steps) });
    sheet.rect(left, top, bar, 15, { fill: "none", stroke: sheet.colours.line });
  };
  sheet.text(x, y + 12, words.value, { size: 13, colour: "muted" });
  ramp2(y, (f) => signedFill(sheet.theme, 2 * f - 1));
  sheet.text(left + 6, y + 12, "−", { size: 14, weight: 700 });
  sheet.text(left + bar - 14, y + 12, "+", { size: 14, weight: 700 });
  sheet.text(left + bar + 6, y + 12, `−${limit} … 0 … ${limit}`, { size: 12.5, colour: "muted" });
  sheet.text(x, y + 34, words.weight, { size: 13, colour: "muted" });
  ramp2(y + 22, (f) => weightFill(sheet.theme, f));
  sheet.text(left + bar + 6, y + 34, "0 … 1", { size: 12.5, colour: "muted" });
  const hatch = left + bar + 16 + ruler.width("0 … 1", 12.5);
  sheet.cells.push({ key: "legend", x: hatch, y: y + 22, w: 22, h: 15, alpha: 1, hidden: 1, hatch: true, size: 10 });
  if (hatch + 28 + ruler.width(words.hidden, 13) <= x + width + 10) sheet.text(hatch + 28, y + 34, words.hidden, { size: 13, colour: "muted" });
  const half = left + bar + 16 + ruler.width(`−${limit} … 0 … ${limit}`, 12.5);
  if (!G.showK && half + 66 <= x + width + 10) [1, -1].forEach((sign, k) => {
    const at2 = half + 34 * k;
    sheet.rect(at2, y, 16, 16, { fill: sheet.colours.soft });
    sheet.rect(at2, sign > 0 ? y : y + 8, 16, 8, { fill: signedFill(sheet.theme, 0.8 * sign) });
    sheet.text(at2 + 19, y + 13, sign > 0 ? "+" : "−", { size: 13, colour: "muted" });
  });
}
function drawTokenBox(sheet, x, y, w, token, strong, layer) {
  sheet.rect(x, y, w, 26, { fill: sheet.colours.soft, stroke: strong ? sheet.colours.ink : sheet.colours.border, rx: 5 }, layer);
  sheet.text(x + w / 2, y + 18, token, { size: 14.5, anchor: "middle", weight: strong ? 700 : 400 });
}
var Lines = class {
  constructor({ sheet, G, m, ruler }) {
    Object.assign(this, { sheet, ruler, x: G.xH - G.labels + 4, row: 0 });
    this.width = G.xQ - 10 - (G.terse ? 24 : G.labels - 6) - this.x;
    const wanted = G.W < 1150 ? 13 : 14.5, wide = ruler.two / 2.42;
    this.f = Math.min(wanted, (this.width - 18) / (15.4 * wide));
    this.u = this.f * wide;
    this.y0 = G.y2 - G.header2 + G.header - 7;
    this.height = Math.min(1.62 * this.f, (m.n * G.rh + 30) / 6);
  }
  get y() {
    return this.y0 + this.row * this.height;
  }
  put(dx, parts, options = {}) {
    this.sheet.text(this.x + dx, this.y, parts, { size: this.f, ...options });
  }
  clip(text, room) {
    return this.ruler.clip(text, room, this.f);
  }
  next(rows = 1) {
    this.row += rows;
  }
  title(label, parts) {
    const size = Math.min(13, this.f);
    this.put(0, label, { size, weight: 700, colour: "muted" });
    this.put(this.ruler.width(label, size, 700) + 8, parts);
    this.next(1.1);
  }
  // name   a × b = product
  product(first, a, b, product, { decimals = 2, name } = {}) {
    const u = this.u, dx = 14 + (name === void 0 ? 0 : 4.1 * u);
    if (!first) this.put(2, "+");
    if (name !== void 0) this.put(14, this.ruler.clip(name, 4.6 * u, this.f - 1), { size: this.f - 1, colour: "muted" });
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
};
function drawWorking(P) {
  if (P.G.narrow || P.T < 1 || P.trace) return;
  const lines = new Lines(P);
  if (P.T <= 2) workProjection(P, lines);
  else if (P.T <= 3) workScore(P, lines);
  else if (P.T <= 7) workRow(P, lines);
  else workSum(P, lines);
}
function workProjection({ m, i, s2, tokens, words }, lines) {
  if (s2 <= WINDOWS.q[0]) return;
  const moving = s2 < WINDOWS.rest, keys = moving && s2 >= WINDOWS.kv[0], window2 = keys ? WINDOWS.kv : WINDOWS.q;
  const c = moving ? clamp(Math.floor(share(s2, ...window2) * m.d_k), 0, m.d_k - 1) : 0;
  const done = moving ? Math.floor(slot(s2, window2, c, m.d_k) * m.d_model + 1e-9) : m.d_model;
  const W2 = keys ? m.W_K : m.W_Q, u = lines.u * 0.75, shown = Math.min(done, 8);
  lines.title(words.working, [`“${lines.clip(tokens[i], 5 * lines.u)}”, `, [keys ? "k" : "q", "math"], [String(c + 1), "sub"]]);
  for (let k = 0; k < shown; k++) {
    const dx = k % 2 * 10.6 * u;
    if (k) lines.put(dx + 4, "+");
    lines.put(dx + 4.7 * u, bracketed(m.H[i][k]), { anchor: "end" });
    lines.put(dx + 5 * u, "×");
    lines.put(dx + 9.9 * u, bracketed(W2[k][c]), { anchor: "end" });
    if (k % 2 || k === shown - 1) lines.next();
  }
  if (done > shown) {
    lines.put(4, fill(words.more_terms, { k: done - shown }), { colour: "muted" });
    lines.next();
  }
  if (done < m.d_model) return;
  lines.put(4, "=");
  lines.put(4.7 * u, format(m.H[i].reduce((sum, h, k) => sum + h * W2[k][c], 0), 2), { anchor: "end", weight: 700 });
}
function workScore({ m, i, j, a3, tokens, words }, lines) {
  if (a3 < WINDOWS.scores) return lines.title(words.working, words.turning);
  const now = a3 >= 1 ? j : Math.min(m.n - 1, Math.floor(share(a3, WINDOWS.scores, 1) * m.n));
  const done = a3 >= 1 ? m.d_k : Math.floor(slot(a3, [WINDOWS.scores, 1], now, m.n) * m.d_k + 1e-9);
  lines.title(words.working, [["s", "math"], [`(${lines.clip(tokens[i], 4 * lines.u)}, ${lines.clip(tokens[now], 4 * lines.u)}) = `], ["q", "math"], [" · "], ["k", "math"]]);
  for (let k = 0; k < Math.min(done, 4); k++) lines.product(!k, m.Q[i][k], m.K[now][k], m.Q[i][k] * m.K[now][k]);
  if (done > 4) {
    lines.put(4, fill(words.more_terms, { k: done - 4 }), { colour: "muted" });
    lines.next();
  }
  if (done >= m.d_k) lines.total(m.raw[i][now]);
}
var rootText = (d_k) => format(Math.sqrt(d_k), Number.isInteger(Math.sqrt(d_k)) ? 0 : 2);
function workRow({ m, i, T: T2, c4, tokens, words }, lines) {
  const rows = [[[["s", "math"]], m.raw[i], 2]];
  if (T2 > 4) rows.push([[[`÷ ${rootText(m.d_k)}`]], m.scaled[i], 2]);
  if (T2 > 5) rows.push([[["+ "], ["m", "math"]], m.scores[i], 2]);
  if (c4 > 0) rows.push([[["e", "math"], ["s − max", "sup"]], m.exps[i], 2]);
  if (c4 * m.n >= 0.8) rows.push([[[`÷ ${format(m.sums[i], 2)}`]], m.weights[i], 3]);
  lines.title(words.working, fill(words.row_of, { t: lines.clip(tokens[i], 5 * lines.u) }));
  const { f, u } = lines;
  if (m.n <= 5) {
    const start2 = 3.6 * u, step2 = (lines.width - start2) / m.n;
    for (const [label, values, decimals] of rows) {
      lines.put(0, label, { colour: "muted" });
      values.forEach((v, q) => lines.put(start2 + (q + 1) * step2 - 4, m.sums[i] || decimals < 3 ? format(v, decimals) : "0", { anchor: "end", weight: decimals === 3 ? 700 : void 0 }));
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
    kept.forEach(([, values, decimals], k) => lines.put(start + (k + 1) * step - 4, format(values[q], decimals), { anchor: "end", weight: decimals === 3 ? 700 : void 0 }));
    lines.next();
  }
}
function workSum({ m, i, c, a5, tokens, words }, lines) {
  lines.title(words.working, [["z", "math"], [`(${lines.clip(tokens[i], 5 * lines.u)}), ${fill(words.entry, { c: c + 1 })}`]]);
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
function drawTrace(P) {
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
  const places = [
    [G.xH - 5, G.row1(i), 1],
    [G.xH - 5, G.row1(j), 1],
    [G.xQ - 5, G.row1(i), 2],
    [G.xS + j * G.cellS - 1, G.yKT, 2],
    [G.xS + j * G.cellS - 1, G.row2(i), 3],
    [G.xA - 1, G.row1(j), 4],
    [vx, G.row1(j), 5],
    [vx, G.row2(i), 6]
  ];
  for (const [x, y, k] of places) sheet.badge(x, y + 2, k);
  if (!G.narrow) workTrace(P, new Lines(P));
}
function workTrace({ sheet, m, i, j, c, tokens, words }, lines) {
  const [from, to] = [j, i].map((k) => lines.clip(tokens[k], 4 * lines.u));
  lines.title(words.trace, fill(words.trace_of, { from, to }));
  const rows = [
    [2, [["q", "math"], [`(${to}) · `], ["k", "math"], [`(${from})`]], format(m.raw[i][j], 2)],
    [3, [["÷ √"], ["d", "math"], ["k", "sub"], [words.then_softmax]], `${format(m.scaled[i][j], 2)} → ${format(m.weights[i][j], 3)}`],
    [5, [[words.times], ["v", "math"], [`(${from}), ${fill(words.entry, { c: c + 1 })}`]], `× ${bracketed(m.V[j][c])} = ${format(m.weights[i][j] * m.V[j][c], 2)}`],
    [6, [[words.plus_others]], `z = ${format(m.context[i][c], 2)}`]
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

// src/draw.js
var share2 = (p, from, to) => clamp((p - from) / (to - from), 0, 1);
var ease = (p) => p < 0.5 ? 4 * p * p * p : 1 - (-2 * p + 2) ** 3 / 2;
var mix = (a, b, t) => a + (b - a) * t;
var STOPS = ["1", "2", "3a", "3b", "4a", "4b", "4c", "5a", "5b"];
var stopOf = (T2) => STOPS[clamp(Math.ceil(T2 - 1e-6) - 1, 0, 8)];
var WINDOWS = { q: [0.09, 0.45], kv: [0.47, 0.72], rest: 0.74, scores: 0.24, stand: 0.3, land: 0.36 };
var slot = (p, [from, to], k, count) => share2(p, from + (to - from) * k / count, from + (to - from) * (k + 1) / count);
function draw(sheet, scene) {
  const { G, T: T2 } = scene;
  const phase = STOPS.map((_, k) => clamp(T2 - k, 0, 1));
  const [s1, s2, a3, b3, a4, b4, c4, a5, b5] = phase;
  const step = T2 <= 1 ? 1 : T2 <= 2 ? 2 : T2 <= 4 ? 3 : T2 <= 7 ? 4 : 5;
  const P = { ...scene, sheet, phase, s1, s2, a3, b3, a4, b4, c4, a5, b5, step };
  P.quietUnless = (...steps) => !scene.trace && !steps.includes(step);
  P.others = [...Array(scene.m.n).keys()].filter((r) => r !== scene.i);
  const widest = G.decimals === 2 ? scene.ruler.two : scene.ruler.one;
  P.fonts = { size: G.size, decimals: G.decimals, slack: G.size * (widest / 2 - 0.06) };
  drawBands(P);
  drawTokens(P);
  drawWeightMatrices(P);
  drawProjections(P);
  drawLower(P);
  drawScoreMarks(P);
  if (a5 > 0) drawSum(P);
  drawLegend(P);
  if (scene.trace) drawTrace(P);
  drawWorking(P);
}
function drawBands({ sheet, G, T: T2, i, s1, s2, a3, a5 }) {
  const band = { fill: sheet.colours.band, rx: 4 };
  if (s1 < 0.3) return;
  const x0 = G.xH - G.labels + 2, x1 = T2 >= 1 && s2 > 0.05 ? G.xQ + G.wK + 6 : G.xH + G.wH + 6;
  sheet.rect(x0, G.row1(i) - 1, x1 - x0, G.rh + 2, band, sheet.under);
  if (a3 <= 0.2) return;
  const from = G.xQ - (G.narrow ? 2 : G.labels - 8);
  const to = a5 > 0.55 ? G.xV + G.wK + 6 : T2 >= 7 ? G.xA + G.cw + G.weightGutter : G.xS + G.wS + 6;
  sheet.rect(from, G.row2(i) - 1, to - from, G.rh + 2, band, sheet.under);
}
function drawHeader({ sheet, G, ruler }, x, top, width, letter, { role, sub, name = "", parts, shape, turned, waiting }) {
  const y = top - (G.narrow ? 7 : G.W < 1150 ? 9 : 12), letters = sub ? [[letter, "math"], [sub, "sub"]] : [[letter, "math"]];
  if (waiting) return sheet.text(x - 3, y, letters, { size: 15, colour: "muted" }), null;
  let end;
  if (role && !sub) {
    const scale = G.narrow ? 0.76 : 0.95;
    sheet.mark(x + 8 * scale, y - 5, role, { scale, turned });
    end = x + { Q: 23, K: turned ? 34 : 24, V: 27 }[role] * scale;
  } else {
    const size2 = G.narrow ? 15 : 20;
    sheet.text(x - 3, y, parts ?? letters, { size: size2, colour: role ?? "ink" });
    end = x + (sub ? 1.6 * size2 + 6 : 0.95 * size2 + 3);
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
  return room >= 30 ? (start + end) / 2 : null;
}
function drawTokens(P) {
  const { sheet, G, m, s1, T: T2, i } = P, top = G.row1(0), wait = s1 < 0.2;
  if (s1 < 1) sheet.ghost(G.xH, top, G.wH, m.n * G.rh);
  const fill2 = (r, c) => {
    const row = share2(s1, 0.22 + 0.35 * r / m.n, 0.64 + 0.35 * r / m.n);
    return { value: m.H[r][c], alpha: ease(share2(row, 0.8 * c / m.d_model, 0.8 * c / m.d_model + 0.2)) };
  };
  const any = sheet.matrix("H", G.xH, top, m.n, m.d_model, G.cellH, G.rh, fill2, { fonts: P.fonts, numbers: G.showH, quiet: P.quietUnless(1, 2) });
  if (any) sheet.bracket(G.xH, top, G.wH, m.n * G.rh, "ink");
  drawHeader(P, G.xH, top, G.wH, "H", { name: P.words.name_H, shape: [m.n, m.d_model], waiting: wait });
  if (T2 === 1) sheet.frame(G.xH, G.row1(i), G.wH, G.rh, "ink");
}
function drawWeightMatrices(P) {
  const { sheet, G, m, s2 } = P, seen = s2 > 0;
  for (const [role, W2, x] of [["Q", m.W_Q, G.xQ], ["K", m.W_K, G.xS], ["V", m.W_V, G.xV]]) {
    if (!seen) {
      sheet.ghost(x, G.y0, G.wK, G.upper);
      drawHeader(P, x, G.y0, G.wK, "W", { role, sub: role, waiting: true });
      continue;
    }
    const alpha = share2(s2, 0, 0.07);
    sheet.matrix(
      `W_${role}`,
      x,
      G.y0,
      m.d_model,
      m.d_k,
      G.cellK,
      G.rowW,
      (r, c) => ({ value: W2[r][c], alpha }),
      { fonts: { ...P.fonts, size: Math.min(G.size, G.rowW - 6) }, numbers: G.showW, quiet: P.quietUnless(2) }
    );
    sheet.bracket(x, G.y0, G.wK, G.upper, role);
    drawHeader(P, x, G.y0, G.wK, "W", { role, sub: role, shape: [m.d_model, m.d_k] });
  }
}
var partial = (h, W2, c, p) => {
  const terms = Math.floor(p * h.length + 1e-9);
  let sum = 0;
  for (let k = 0; k < terms; k++) sum += h[k] * W2[k][c];
  return sum;
};
function projected(P, X, W2, window2) {
  const { m, i, s2 } = P, strips = m.d_k > 8;
  return (r, c) => {
    if (r === i) {
      const p = slot(s2, window2, c, m.d_k);
      if (p <= 0) return null;
      return p < 1 && !strips ? partial(m.H[i], W2, c, p) : { value: X[r][c], alpha: p };
    }
    const start = WINDOWS.rest + 0.16 * ((r + m.n - (r > i ? 1 : 0)) % m.n) / m.n;
    return { value: X[r][c], alpha: ease(share2(s2, start, start + 0.1)) };
  };
}
function drawProjections(P) {
  const { sheet, G, m, T: T2, i, s2, a3 } = P, top = G.row1(0), shape = [m.n, m.d_k];
  const begun = { Q: T2 >= 1 && s2 > 0.07, K: s2 > 0.45, V: s2 > 0.45 };
  const put = (role, x, X, W2, window2, quiet) => {
    sheet.matrix(role, x, top, m.n, m.d_k, G.cellK, G.rh, projected(P, X, W2, window2), { fonts: P.fonts, numbers: G.showK, quiet });
    sheet.bracket(x, top, G.wK, m.n * G.rh, role);
    drawHeader(P, x, top, G.wK, role, { role, name: P.words[`name_${role}`], shape });
  };
  for (const [role, x] of [["Q", G.xQ], ["K", G.xS], ["V", G.xV]]) if (!begun[role]) {
    sheet.ghost(x, top, G.wK, m.n * G.rh);
    drawHeader(P, x, top, G.wK, role, { waiting: true });
  }
  if (begun.Q) put("Q", G.xQ, m.Q, m.W_Q, WINDOWS.q, P.quietUnless(2));
  if (begun.K) {
    const turn = ease(share2(a3, 5e-3, 0.2));
    if (turn <= 0) put("K", G.xS, m.K, m.W_K, WINDOWS.kv, P.quietUnless(2, 3));
    else if (turn < 1) drawTurning(P, turn);
    else drawTurned(P);
  }
  if (begun.V) {
    put("V", G.xV, m.V, m.W_V, WINDOWS.kv, P.quietUnless(2, 5));
    if (G.sideLabels && s2 >= 1) sideLabels(P, G.row1, () => false);
  }
  if (T2 >= 1 && T2 < 2 && s2 > 0.09 && s2 < WINDOWS.rest && m.d_k <= 8) drawProducts(P);
  if (T2 === 2) {
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
    sheet.text(
      G.xV + G.wK + 26,
      row(r) + G.rh / 2 + 0.35 * G.label,
      ruler.clip(tokens[r], G.right - 26, G.label - 1, 700),
      { size: G.label - 1, colour: strong(r) ? "ink" : "muted", weight: strong(r) ? 700 : 400 }
    );
}
function drawTurned(P) {
  const { sheet, G, m } = P, numbers = G.showK && G.cellS >= 22;
  sheet.matrix("K", G.xS, G.yKT, m.d_k, m.n, G.cellS, G.rowKT, (c, j) => m.K[j][c], { fonts: P.fonts, numbers, turned: !numbers, quiet: P.quietUnless(3) });
  sheet.bracket(G.xS, G.yKT, G.wS, G.hKT, "K");
  drawHeader(P, G.xS, G.yKT, G.wS, "K", { role: "K", turned: true, name: P.words.name_K, shape: [m.d_k, m.n] });
}
function drawTurning(P, turn) {
  const { sheet, G, m } = P, flat = Math.cos(Math.PI * turn), along = (1 + flat) / 2, across = (1 - flat) / 2;
  const px = mix(G.cellK, G.cellS, turn), py = mix(G.rh, G.rowKT, turn), top = mix(G.row1(0), G.yKT, turn);
  const at2 = (u, v) => [G.xS + (along * u + across * v) * px, top + (across * u + along * v) * py];
  for (let r = 0; r < m.n; r++) for (let c = 0; c < m.d_k; c++) {
    const cell = sheet.cell("", 0, 0, 30, 30, { value: m.K[r][c] }, { fonts: P.fonts, numbers: true });
    sheet.top.push({ poly: [at2(c, r), at2(c + 0.96, r), at2(c + 0.96, r + 0.96), at2(c, r + 0.96)], fill: cell.fill });
    if (Math.abs(flat) > 0.8 && G.showK) {
      const [x, y] = at2(c + 0.5, r + 0.5);
      sheet.top.push({ number: { ...cell, x: x - px / 2, y: y - py / 2, w: px, h: py } });
    }
  }
  sheet.top.push({ poly: [at2(0, 0), at2(m.d_k, 0), at2(m.d_k, m.n), at2(0, m.n)], role: "K", width: 2.4 });
  const end = Math.min(m.n, m.d_k);
  sheet.top.push({ poly: [at2(0, 0), at2(end, end)], role: "K", width: 1.4, dash: [5, 4] });
  drawHeader(P, G.xS, Math.min(G.row1(0), top), G.wK, "K", { role: "K", turned: turn > 0.5, name: P.words.name_K, shape: [] });
}
function travel({ sheet, fonts }, from, to, p, w, h, value, role, hop = 0) {
  const e = ease(p), x = mix(from[0], to[0], e), y = mix(from[1], to[1], e) - hop * Math.sin(Math.PI * e);
  sheet.top.push({ box: { x: x + 1, y: y + 1, w: w - 2, h: h - 2, role } });
  sheet.top.push({ number: { x, y, w, h, text: format(value, fonts.decimals), ink: sheet.colours.ink, size: Math.min(fonts.size, h - 5), slack: fonts.slack } });
}
function drawProducts(P) {
  const { sheet, G, m, i, s2 } = P, y = G.row1(i), first = s2 < WINDOWS.kv[0];
  const running = first ? [["Q", G.xQ, m.W_Q, WINDOWS.q]] : [["K", G.xS, m.W_K, WINDOWS.kv], ["V", G.xV, m.W_V, WINDOWS.kv]];
  running.forEach(([role, x, W2, window2], order) => {
    for (let c = 0; c < m.d_k; c++) {
      const p = slot(s2, window2, c, m.d_k), left = x + c * G.cellK;
      if (p <= 0 || p >= 1) continue;
      if (order === 0) sheet.frame(G.xH, y, G.wH, G.rh, "ink");
      sheet.frame(left, G.y0, G.cellK, G.upper, role);
      sheet.frame(left, y, G.cellK, G.rh, "ink", 3);
      if (!G.showK || !G.showH) continue;
      const k = Math.min(m.d_model - 1, Math.floor(p * m.d_model)), f = p * m.d_model - k;
      travel(P, [G.xH + k * G.cellH, y], [left, y], f, G.cellH, G.rh, m.H[i][k], "ink", 0.95 * G.rh);
      travel(P, [left, G.y0 + k * G.rowW], [left, y], f, G.cellK, Math.max(G.rowW, 18), W2[k][c], role);
    }
  });
}
function scoreCell(P) {
  const { m, i, others, a3, b3, a4, b4, c4 } = P, rest = m.n - 1 || 1;
  return (r, j) => {
    if (r === i) {
      const p = slot(a3, [WINDOWS.scores, 1], j, m.n);
      if (p <= 0) return null;
      if (p < 1) return m.Q[i].slice(0, Math.floor(p * m.d_k + 1e-9)).reduce((sum, q, k) => sum + q * m.K[j][k], 0);
    } else {
      const start = (others.indexOf(r) + 0.8 * j / m.n) / rest, p = share2(b3, start, start + 0.2 / rest);
      if (p <= 0) return null;
      if (p < 1) return { value: m.raw[r][j], alpha: p };
    }
    if (c4 > 0) {
      const p = normalising(P, r);
      if (p > 0.25) return m.visible[r][j] ? { value: mix(m.exps[r][j], m.weights[r][j], ease(share2(p, 0.6, 1))), weight: true } : { value: 0, weight: true, hidden: 1 };
    }
    const score = a4 >= 1 || a4 * m.n > j + 0.5 ? m.scaled[r][j] : m.raw[r][j];
    const hidden = m.visible[r][j] ? 0 : ease(share2(b4, 0.6 * j / m.n, 0.6 * j / m.n + 0.4));
    return { value: hidden > 0.5 ? -Infinity : score, hidden };
  };
}
function normalising({ m, i, others, c4 }, r) {
  const start = (r === i ? 0 : 1 + others.indexOf(r)) / m.n * 0.8;
  return share2(c4, start, start + 0.2 + 0.6 / m.n);
}
function drawLower(P) {
  const { sheet, G, m, T: T2, i, a3, a4, b4, c4, a5 } = P, top = G.y2, high = m.n * G.rh, head = top - (G.header2 - G.header);
  if (a3 <= 0) {
    sheet.ghost(G.xQ, top, G.wK, high);
    sheet.ghost(G.xS, top, G.wS, high);
    drawHeader(P, G.xS, head, G.wS, "S", { waiting: true });
  }
  if (a5 <= 0 && T2 > 2 && !G.narrow) {
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
  const parts = done || a4 <= 0 ? void 0 : b4 > 0 ? [...scale, [" + M", "math"]] : scale;
  drawHeader(P, G.xS, head, G.wS, done ? "A" : "S", { name: P.words[done ? "name_A" : "name_S"], parts, shape: [m.n, m.n] });
  drawColumnNames(P, top - 6);
  if (a4 > 0 && a4 < 1) sheet.line([[G.xS + G.wS * a4, top - 6], [G.xS + G.wS * a4, top + high + 6]], "ink", { width: 3 });
  if (c4 > 0) drawRowSums(P);
}
function namedColumns({ G, m, tokens, ruler }) {
  const size = Math.min(13, (G.cellS - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1, 700))));
  return !G.narrow && m.n <= 8 && size >= 10 ? size : 0;
}
function drawColumnNames(P, y) {
  const { sheet, G, m, tokens } = P, named = namedColumns(P), size = named || Math.min(11, Math.max(9, 0.62 * G.cellS));
  for (let j = 0; j < m.n; j++) {
    const strong = P.trace && j === P.j;
    sheet.text(
      G.xS + (j + 0.5) * G.cellS,
      y,
      named ? tokens[j] : String(j + 1),
      { size, anchor: "middle", colour: strong ? "ink" : "muted", weight: strong ? 700 : 400 }
    );
  }
}
function drawRowSums(P) {
  const { sheet, G, m, i, ruler } = P, size = G.narrow ? 10.5 : 13;
  const long = m.n <= 8 && ruler.width("Σ = 1.000", size, 700) <= G.sumRoom, [lead, one] = long ? ["Σ = ", "1.000"] : G.narrow ? ["=", "1"] : ["Σ ", "1"];
  for (let r = 0; r < m.n; r++) if (normalising(P, r) >= 1)
    sheet.text(G.xS + G.wS + 9, G.row2(r) + G.rh / 2 + 0.35 * G.label, lead + (m.sums[r] ? one : "0"), { size, weight: r === i ? 700 : 400 });
}
function drawLowerQueries(P, head) {
  const { sheet, G, m, i, a3, tokens, ruler } = P, down = ease(share2(a3, 0, 0.2)), y = mix(G.row1(0), G.y2, down), high = m.n * G.rh;
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
  const names = tokens.map((t, r) => G.terse ? String(r + 1) : ruler.clip(number(r) + t, G.labels - 10, G.label - 1, 700));
  if (!G.narrow) for (let r = 0; r < m.n; r++)
    sheet.text(
      G.xQ - 11,
      G.row2(r) + G.rh / 2 + 0.35 * G.label,
      names[r],
      { size: G.label - 1, anchor: "end", colour: r === i ? "ink" : "muted", weight: r === i ? 700 : 400 }
    );
}
function drawScoreMarks(P) {
  const { sheet, G, m, T: T2, i, others, a3, b3, c4, trace } = P, y = G.row2(i);
  if (a3 > WINDOWS.scores && T2 <= 3) {
    const j = a3 >= 1 ? P.j : Math.min(m.n - 1, Math.floor(share2(a3, WINDOWS.scores, 1) * m.n)), left = G.xS + j * G.cellS;
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
  if (T2 <= 3 || T2 > 7 || trace) return;
  let r = i;
  if (b3 < 1) r = busy(P, b3);
  else if (c4 > 0 && c4 < 1) {
    const k = Math.min(m.n - 1, Math.floor(c4 * m.n));
    r = k ? others[k - 1] : i;
  }
  if (T2 <= 4) sheet.frame(G.xQ, G.row2(r), G.wK, G.rh, "Q");
  sheet.frame(G.xS, G.row2(r), G.wS, G.rh, "ink", 3);
}
var busy = ({ m, others, i }, p) => others[clamp(Math.floor(p * (m.n - 1)), 0, m.n - 2)] ?? i;
function drawSum(P) {
  const { sheet, G, m, T: T2, i, others, a5, b5, trace } = P, top = G.row1(0), high = m.n * G.rh, strips = m.d_k > 8;
  const up = ease(share2(a5, 0, WINDOWS.stand)), land = (j) => slot(a5, [WINDOWS.land, 1], j, m.n);
  if (!trace) sheet.frame(G.xS, G.row2(i), G.wS, G.rh, "Q");
  const weight = (j) => m.visible[i][j] ? { value: m.weights[i][j], weight: true } : { value: 0, weight: true, hidden: 1 };
  const look = { fonts: P.fonts, numbers: G.showS };
  if (up < 1) for (let j = 0; j < m.n; j++) {
    const x = mix(G.xS + j * G.cellS, G.xA, up), y = mix(G.row2(i), G.row1(j), up), w = mix(G.cellS, G.cw, up);
    sheet.top.push({ box: { x: x - 1, y: y - 1, w: w + 2, h: G.rh + 2, role: "Q" } });
    sheet.matrix("a", x, y, 1, 1, w, G.rh, () => weight(j), { ...look, layer: sheet.top });
  }
  else {
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
    const shrink = mix(1, m.weights[i][j], ease(share2(p, 0, 0.3))), y = mix(G.row1(j), G.row2(i), ease(share2(p, 0.3, 1)));
    sheet.top.push({ box: { x: G.xV - 2, y: y - 2, w: G.wK + 4, h: G.rh + 4, role: "V" } });
    sheet.matrix("av", G.xV, y, 1, m.d_k, G.cellK, G.rh, (_, c) => m.V[j][c] * shrink, { fonts: P.fonts, numbers: G.showK, layer: sheet.top });
  }
  if (T2 === 8 && !trace && !strips) {
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
    const k = others.indexOf(r), alpha = ease(share2(b5, k / rest, (k + 0.9) / rest));
    return alpha > 0 ? { value: m.context[r][c], alpha } : null;
  };
  if (m.d_k <= 8) {
    for (let r = 0; r < m.n; r++) for (let c = 0; c < m.d_k; c++) if (cells(r, c) === null)
      sheet.rect(G.xV + c * G.cellK + 1, G.y2 + r * G.rh + 1, G.cellK - 2, G.rh - 2, { fill: "none", stroke: sheet.colours.ghost, rx: 2 });
  }
  sheet.matrix("Z", G.xV, G.y2, m.n, m.d_k, G.cellK, G.rh, cells, { fonts: P.fonts, numbers: G.showK });
  sheet.bracket(G.xV, G.y2, G.wK, high, "ink");
  drawHeader(P, G.xV, G.y2 - (G.header2 - G.header), G.wK, "Z", { name: P.words.name_Z, shape: [m.n, m.d_k] });
  if (!trace) sheet.frame(G.xV, G.row2(i), G.wK, G.rh, "ink", 3);
  if (G.sideLabels && b5 >= 1) sideLabels(P, G.row2, (r) => r === i);
}

// src/formulas.js
var root2 = (inside) => `<span class="al-root"><svg viewBox="0 0 10 22" preserveAspectRatio="none" aria-hidden="true"><path d="M.5 13.2L3 11.6 6.2 20.6 9.6.8H10" fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg><span class="al-radicand">${inside}</span></span>`;
var D_K = "<i>d<sub>k</sub></i>";
var ROOT = root2(D_K);
var T = '<sup class="al-upright">T</sup>';
var in_ = (role, text) => `<i class="al-${role}">${text}</i>`;
var [Q, K, V] = ["Q", "K", "V"].map((X) => in_(X, X));
var W = (X) => in_(X, `W<sub>${X}</sub>`);
var FORMULAS = {
  1: ['<i>H</i> ∈ ℝ<sup><i>n</i> × <i>d</i><sub class="al-upright">model</sub></sup>', "H in R, n by d model"],
  2: [`${Q} = <i>H</i> ${W("Q")}&emsp;${K} = <i>H</i> ${W("K")}&emsp;${V} = <i>H</i> ${W("V")}`, "Q = H W Q, K = H W K, V = H W V"],
  "3a": [`<i>S<sub>ij</sub></i> = ${in_("Q", "q<sub>i</sub>")} · ${in_("K", "k<sub>j</sub>")}`, "S i j = q i dot k j"],
  "3b": [`<i>S</i> = ${Q} ${K}${T}`, "S = Q K transposed"],
  "4a": [`<i>S</i> / ${ROOT}`, "S over root d k"],
  "4b": [`<i>S</i> / ${ROOT} + <i>M</i>`, "S over root d k, plus M"],
  "4c": [`<i>A</i> = softmax(<i>S</i> / ${ROOT} + <i>M</i>)`, "A = softmax of S over root d k, plus M"],
  "5a": [`<i>z<sub>i</sub></i> = Σ<sub><i>j</i></sub> <i>A<sub>ij</sub></i> ${in_("V", "v<sub>j</sub>")}`, "z i = sum over j of A i j v j"],
  "5b": [`<i>Z</i> = <i>A</i> ${V}`, "Z = A V"],
  mask: [`<i>Z</i> = softmax(${Q} ${K}${T} / ${ROOT} + <i>M</i>) ${V}`, "Z = softmax of Q K transposed over root d k, plus M, times V"]
};
function setSentence(node, sentence) {
  const parts = sentence.split(/(√d_k|d_k|(?<![A-Za-z“])[HSVZz](?![A-Za-z”]))/);
  node.replaceChildren(...parts.filter(Boolean).map((part, k) => {
    if (k % 2 === 0 && !/^(√d_k|d_k|[HSVZz])$/.test(part)) return part;
    const span = document.createElement("span");
    span.className = "al-math";
    span.lang = "en";
    if (part === "√d_k") span.innerHTML = ROOT;
    else if (part === "d_k") span.innerHTML = D_K;
    else span.append(Object.assign(document.createElement("i"), { textContent: part }));
    return span;
  }));
}

// src/keys.js
var Reader = class {
  // host: the picture; say(sentence): the live region; scene(): {sheet, describe(name, r, c), act(name, r, c)}
  constructor(host, { say, scene, leave }) {
    Object.assign(this, { host, say, scene, leave });
    this.ring = Object.assign(document.createElement("div"), { className: "al-ring", hidden: true });
    this.tip = Object.assign(document.createElement("div"), { className: "al-tip", hidden: true });
    host.append(this.ring, this.tip);
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("blur", () => this.stop());
    host.addEventListener("pointermove", (event) => this.hover(event));
    host.addEventListener("pointerleave", () => {
      if (!this.at) this.tip.hidden = true;
    });
    host.addEventListener("click", (event) => {
      const found = this.under(event);
      if (found) this.scene().act(found.matrix.name, found.r, found.c);
    });
  }
  // Only what stands there can be read, in the order of the computation.
  get matrices() {
    return this.scene().sheet.matrices;
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const { key } = event;
    if (key === "Escape") {
      this.stop();
      this.leave();
    } else if (key in moves) this.move(...moves[key]);
    else if (key === "PageUp" || key === "PageDown") this.turn(key === "PageUp" ? -1 : 1);
    else if (key === "Enter" || key.toLowerCase() === "t") this.act();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  start() {
    const names = this.matrices.map((m) => m.name), want = names.findIndex((name) => name === "A" || name === "S");
    this.at = { name: names[Math.max(0, want)], r: Math.max(0, this.scene().row), c: 0 };
  }
  // The matrix under the cursor, with the cursor kept inside it whatever the sliders did.
  get matrix() {
    const found = this.matrices.find((m) => m.name === this.at.name) ?? this.matrices.at(-1);
    this.at = { name: found.name, r: Math.min(this.at.r, found.rows - 1), c: Math.min(this.at.c, found.columns - 1) };
    return found;
  }
  move(down, right) {
    if (!this.at) this.start();
    else {
      const { rows, columns } = this.matrix;
      this.at.r = Math.min(rows - 1, Math.max(0, this.at.r + down));
      this.at.c = Math.min(columns - 1, Math.max(0, this.at.c + right));
    }
    this.show(true);
  }
  turn(by) {
    if (!this.at) this.start();
    const all = this.matrices, now = all.indexOf(this.matrix);
    this.at = { ...this.at, name: all[(now + by + all.length) % all.length].name };
    this.show(true);
  }
  act() {
    if (!this.at) this.start();
    const { name } = this.matrix;
    this.scene().act(name, this.at.r, this.at.c);
  }
  // Redrawn pictures keep the cursor where it was.
  refresh() {
    if (this.at) this.show(false);
    else this.tip.hidden = true;
  }
  show(aloud) {
    const matrix = this.matrix, { r, c } = this.at, sentence = this.scene().describe(matrix.name, r, c);
    const x = matrix.x + c * matrix.cw, y = matrix.y + r * matrix.ch;
    this.ring.hidden = false;
    Object.assign(this.ring.style, { left: `${x - 3}px`, top: `${y - 3}px`, width: `${matrix.cw + 6}px`, height: `${matrix.ch + 6}px` });
    this.place(x + matrix.cw / 2, y, y + matrix.ch, sentence);
    if (aloud) this.say(sentence);
  }
  stop() {
    this.at = null;
    this.ring.hidden = this.tip.hidden = true;
  }
  under(event) {
    const box = this.host.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    for (const matrix of this.matrices) {
      const r = Math.floor((y - matrix.y) / matrix.ch), c = Math.floor((x - matrix.x) / matrix.cw);
      if (r >= 0 && c >= 0 && r < matrix.rows && c < matrix.columns) return { matrix, r, c };
    }
    return null;
  }
  hover(event) {
    if (this.at) return;
    const found = this.under(event);
    if (!found) {
      this.tip.hidden = true;
      return;
    }
    const { matrix, r, c } = found, y = matrix.y + r * matrix.ch;
    this.place(matrix.x + (c + 0.5) * matrix.cw, y, y + matrix.ch, this.scene().describe(matrix.name, r, c));
  }
  // Above the cell where there is room, else below it; never out of the picture.
  place(x, top, bottom, sentence) {
    this.tip.textContent = sentence;
    this.tip.hidden = false;
    const width = this.tip.offsetWidth, height = this.tip.offsetHeight, room = this.host.clientWidth - width - 4;
    this.tip.style.left = `${Math.max(4, Math.min(room, x - width / 2))}px`;
    this.tip.style.top = `${top - height - 8 >= 0 ? top - height - 8 : bottom + 8}px`;
  }
};

// src/index.js
var VIEWS = { mask: { T: 9 } };
var STATE = ["d_k", "mask", "n", "query"];
var VARIABLES = ["paper", "ink", "muted", "Q", "K", "V", "soft", "line", "border", "focus"];
var make = (name, className, attributes = {}) => {
  const node = Object.assign(document.createElement(name), { className });
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};
function themeOf(node) {
  const mark = document.body.dataset.jpThemeLight;
  if (mark) return mark === "false" ? "dark" : "light";
  for (let at2 = node; at2; at2 = at2.parentElement) {
    const found = getComputedStyle(at2).backgroundColor.match(/[\d.]+/g)?.map(Number);
    if (found && (found[3] ?? 1) > 0.5) return (found[0] + found[1] + found[2]) / 3 < 128 ? "dark" : "light";
  }
  return "light";
}
var Stage = class {
  constructor(model, el) {
    this.model = model;
    this.words = model.get("words");
    this.arrays = model.get("arrays");
    this.limit = signedLimit(this.arrays.H);
    this.view = VIEWS[model.get("view")];
    this.trace = false;
    this.build(el);
    this.painter = new Painter(this.picture);
    this.reader = new Reader(this.picture, {
      say: (sentence) => {
        this.live.textContent = sentence;
      },
      scene: () => this.reading,
      leave: () => this.setTrace(false)
    });
    this.listen();
  }
  build(el) {
    const { words } = this;
    this.root = make("div", "al-stage", { role: "group", "aria-label": words.group });
    const head = make("div", "al-head");
    this.title = make("div", "al-title");
    this.formula = make("div", "al-formula al-math", { lang: "en", role: "img" });
    head.append(this.title, this.formula);
    this.sentence = make("div", "al-say");
    this.note = make("div", "al-note", { role: "status" });
    this.scroller = make("div", "al-scroller");
    this.map = make("div", "al-map");
    this.queries = make("div", "al-queries", { role: "radiogroup", "aria-label": words.query_token });
    this.picture = make("div", "al-picture", {
      role: "application",
      tabindex: "0",
      "aria-roledescription": words.picture,
      "data-lm-suppress-shortcuts": "true"
    });
    this.map.append(this.queries, this.picture);
    this.scroller.append(this.map);
    this.live = make("div", "al-live al-unseen", { "aria-live": "polite" });
    this.tables = make("div", "al-tables al-unseen");
    this.root.append(head, this.sentence, this.scroller, this.note, this.live, this.tables);
    this.root.alStage = this;
    el.append(this.root);
  }
  listen() {
    const redraw = () => this.schedule();
    this.changed = () => {
      if (!this.settling) this.note.textContent = "";
      redraw();
    };
    for (const name of STATE) this.model.on(`change:${name}`, this.changed);
    this.sizes = new ResizeObserver(redraw);
    this.sizes.observe(this.root);
    this.themes = new MutationObserver(redraw);
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
    this.zoom = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    this.zoom.addEventListener("change", redraw);
    document.fonts?.ready.then(() => {
      this.ruler = null;
      redraw();
    });
    this.queries.addEventListener("keydown", (event) => this.chooseByKey(event));
    this.queries.addEventListener("click", (event) => {
      const label = event.target.closest("[role=radio]");
      if (label) this.choose(Number(label.dataset.row));
    });
    this.labelled = new MutationObserver(() => this.labelSliders());
    redraw();
  }
  dispose() {
    for (const name of STATE) this.model.off(`change:${name}`, this.changed);
    for (const watcher of [this.sizes, this.themes, this.labelled]) watcher.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.later);
    this.root.remove();
  }
  // Changes are collected and drawn once per animation frame; the last value wins.
  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      try {
        this.draw();
      } catch (error) {
        this.note.textContent = fill(this.words.failed, { reason: error.message });
        console.error(error);
      }
    });
  }
  get settings() {
    const get = (name) => this.model.get(name);
    return { d_k: get("widths")[get("d_k")], mask: MASKS[get("mask")], n: get("n"), query: get("query") };
  }
  // A query past the last token moves to the last one, says so, and is written back to its slider,
  // unless the slider, whose end is n, was quicker.
  settle() {
    const { n, query } = this.settings, last = Math.min(n, this.model.get("tokens").length), from = Math.max(query, this.shown ?? 0);
    if (from > last) this.note.textContent = fill(this.words.moved_query, { from, to: last });
    this.shown = Math.min(query, last);
    if (n === last && query === this.shown) return;
    this.settling = true;
    this.model.set({ n: last, query: this.shown });
    this.settling = false;
    this.model.save_changes();
  }
  draw() {
    if (!this.root.clientWidth) return;
    this.settle();
    this.dress();
    const family = getComputedStyle(this.root).fontFamily;
    if (family !== this.ruler?.family) this.ruler = new Ruler(family);
    const started = performance.now(), { n, d_k, mask, query } = this.settings, i = query - 1;
    const m = compute(this.arrays, { n, d_k, mask }), tokens = tokensFor(this.model.get("tokens"), n, mask);
    const G = layout(this.root.clientWidth, m, this.ruler);
    const T2 = this.view.T;
    const scene = { m, G, T: T2, i, tokens, words: this.words, trace: this.trace, limit: this.limit, ruler: this.ruler, ...this.pick(m, i) };
    const sheet = new Sheet(this.theme, this.limit, this.painter.prefix);
    draw(sheet, scene);
    Object.assign(m, { chosen: i, turned: T2 > 2.2 });
    this.scene = scene;
    this.sheet = sheet;
    this.map.style.width = `${G.W}px`;
    this.map.style.height = `${G.height}px`;
    this.scroller.classList.toggle("al-wide", G.W === LEAST_WIDTH && this.root.clientWidth < LEAST_WIDTH);
    this.root.classList.toggle("al-narrow", G.narrow);
    this.painter.resize(G.W, G.height, family, [this.theme, n, d_k].join());
    this.painter.paint(sheet);
    this.label(scene);
    this.tell(scene);
    this.reader.refresh();
    this.lastPaint = performance.now();
    this.paintTime = this.lastPaint - started;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.settleDown(), 250);
  }
  // The key and the entry that the working and the trace follow: the largest weight, the largest product.
  pick(m, i) {
    const inside = (k, count) => k !== void 0 && k < count;
    const j = inside(this.key, m.n) ? this.key : m.weights[i].indexOf(Math.max(...m.weights[i]));
    const products = m.V[j].map((v) => Math.abs(m.weights[i][j] * v));
    return { j, c: inside(this.entry, m.d_k) ? this.entry : products.indexOf(Math.max(...products)) };
  }
  dress() {
    const theme = themeOf(this.root);
    if (theme === this.theme) return;
    this.theme = theme;
    this.root.dataset.theme = theme;
    for (const name of VARIABLES) this.root.style.setProperty(`--al-${name}`, THEMES[theme][name]);
  }
  // Query labels are a radio group over the picture: arrows choose, a click chooses.
  label({ G, m, i, tokens, ruler }) {
    const room = G.labels - (G.narrow ? 17 : 27), widest = Math.max(...tokens.map((t) => ruler.width(t, 1, 700)));
    const size = Math.min(G.label, Math.max(G.narrow ? 9.5 : 11, room / widest));
    const wanted = [m.n, G.labels, G.rh, G.y1, G.xH, tokens.join("\n")].join();
    if (wanted !== this.labels) {
      const held = this.queries.contains(document.activeElement);
      this.labels = wanted;
      this.queries.replaceChildren(...tokens.map((token, r) => {
        const node = make("div", "al-query", { role: "radio", "data-row": r, title: token, "aria-label": token, "data-lm-suppress-shortcuts": "true" });
        node.append(make("span", "al-dot"), make("span", "al-token"));
        node.lastChild.textContent = ruler.clip(token, room, size, 700);
        Object.assign(node.style, { left: `${G.xH - G.labels + (G.narrow ? 0 : 3)}px`, top: `${G.row1(r)}px`, width: `${G.labels - 6}px`, height: `${G.rh}px`, fontSize: `${size.toFixed(2)}px` });
        return node;
      }));
      if (held) this.queries.children[i].focus();
    }
    [...this.queries.children].forEach((node, r) => {
      node.setAttribute("aria-checked", r === i);
      node.tabIndex = r === i ? 0 : -1;
    });
  }
  choose(row) {
    this.key = this.entry = void 0;
    this.model.set("query", row + 1);
    this.model.save_changes();
  }
  chooseByKey(event) {
    const { n, query } = this.settings;
    const to = { ArrowUp: query - 1, ArrowLeft: query - 1, ArrowDown: query + 1, ArrowRight: query + 1, Home: 1, End: n }[event.key];
    if (to === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    const row = Math.min(n, Math.max(1, to)) - 1;
    this.choose(row);
    this.queries.children[row]?.focus();
  }
  get reading() {
    const { sheet, scene } = this;
    const found = (name, r, c) => {
      const value = sheet.matrices.find((m) => m.name === name).value(r, c);
      return typeof value === "number" ? { value } : value ?? { value: NaN };
    };
    return { sheet, row: scene.i, describe: (name, r, c) => cellWords({ name, r, c }, found(name, r, c), scene), act: (...at2) => this.act(...at2) };
  }
  // Enter or a click on a cell: choose its row, and follow its product from H to Z.
  act(name, r, c) {
    const { i } = this.scene;
    if (name === "H" || name === "Q" || name === "Q below") {
      this.choose(r);
      return;
    }
    const at2 = { A: [r, c], S: [r, c], a: [i, r], V: [i, r, c], Z: [r, void 0, c], K: [i, c] }[name];
    if (!at2) return;
    const same = this.trace && at2[0] === i && (at2[1] ?? this.scene.j) === this.scene.j && (at2[2] ?? this.scene.c) === this.scene.c;
    if (at2[0] !== i) this.choose(at2[0]);
    [, this.key, this.entry] = at2;
    this.setTrace(!same);
  }
  setTrace(on) {
    this.trace = on && this.scene.m.sums[this.scene.i] > 0;
    if (!on) this.key = this.entry = void 0;
    this.schedule();
  }
  tell(scene) {
    const { title, say } = panelWords(this.model.get("view"), stopOf(scene.T), scene);
    this.title.textContent = title;
    setSentence(this.sentence, this.trace ? fill(this.words.trace_path, { from: scene.tokens[scene.j], t: scene.tokens[scene.i], c: scene.c + 1 }) : say);
    const [html, spoken2] = FORMULAS[this.model.get("view")];
    if (this.formula.innerHTML === "") {
      this.formula.innerHTML = html;
      this.formula.setAttribute("aria-label", spoken2);
    }
    this.spoken = this.trace ? traceWords(scene) : `${title}. ${say} ${rowWords(stopOf(scene.T), scene)}`;
  }
  // Once nothing has changed for a moment: the live region, the tables behind the picture, slider names.
  settleDown() {
    const { words, scene } = this;
    if (!this.reader.at && this.spoken !== this.told) {
      if (this.told !== void 0) this.live.textContent = this.spoken;
      this.told = this.spoken;
    }
    this.picture.setAttribute("aria-label", `${this.spoken} ${words.read_help}`);
    this.fillTables(scene);
    this.labelSliders();
  }
  fillTables({ m, tokens, words }) {
    const table = (name, rows, heads, caption) => {
      const node = make("table", "al-table"), at2 = this.sheet.matrices.find((x) => x.name === name);
      if (!at2) return null;
      node.createCaption().textContent = caption;
      const first = node.createTHead().insertRow();
      first.append(make("td", ""), ...heads.map((t) => Object.assign(make("th", "", { scope: "col" }), { textContent: t })));
      const body = node.createTBody();
      rows.forEach((t, r) => {
        const row = body.insertRow();
        row.append(Object.assign(make("th", "", { scope: "row" }), { textContent: t }));
        for (let c = 0; c < heads.length; c++) {
          const found = at2.value(r, c), cell = typeof found === "number" ? { value: found } : found;
          row.insertCell().textContent = !cell ? "" : cell.hidden > 0.5 ? words.hidden : cell.value.toFixed(cell.weight ? 3 : 2);
        }
      });
      return node;
    };
    const entries = Array.from({ length: Math.min(m.d_k, 8) }, (_, c) => fill(words.entry, { c: c + 1 }));
    this.tables.replaceChildren(...[table("A", tokens, tokens, words.name_A), table("Z", tokens, entries, words.name_Z)].filter(Boolean));
  }
  // ipywidgets leaves its handles nameless and their keys to the notebook.
  labelSliders() {
    const controls = this.root.closest(".al-panel")?.querySelector(".al-controls");
    if (!controls) return;
    if (controls !== this.controls) {
      this.controls = controls;
      this.labelled.observe(controls, { childList: true, subtree: true });
    }
    const names = this.model.get("labels"), { query } = this.settings;
    [...controls.querySelectorAll(".widget-hslider")].forEach((slider, k) => {
      const handle = slider.querySelector(".noUi-handle"), readout = slider.querySelector(".widget-readout");
      if (!handle || !readout || !names[k]) return;
      const word = () => {
        const value = readout.textContent.trim();
        const spoken2 = k === 3 ? fill(this.words.position, { i: query, t: this.scene?.tokens[query - 1] ?? "" }) : value;
        if (handle.getAttribute("aria-valuetext") !== spoken2) handle.setAttribute("aria-valuetext", spoken2);
      };
      handle.setAttribute("aria-label", names[k]);
      for (const node of [handle, readout]) node.dataset.lmSuppressShortcuts = "true";
      if (readout.isContentEditable) {
        readout.setAttribute("role", "textbox");
        readout.setAttribute("aria-label", names[k]);
      }
      const target = slider.querySelector(".noUi-target");
      if (target?.noUiSlider && target !== this[`slider${k}`]) {
        this[`slider${k}`] = target;
        target.noUiSlider.on("update", () => setTimeout(word));
      }
      word();
    });
  }
  // For tests: what stands where, with the colours it was drawn in.
  cells() {
    return this.sheet.cells.map(({ key, x, y, w, h, text, fill: ground, ink, hidden, paper }) => {
      const [row, column] = key.split(" ").slice(-2).map(Number);
      return { matrix: key.split(" ").slice(0, -2).join(" "), row, col: column, x, y, w, h, text, fill: hidden > 0 ? THEMES[this.theme].hatchPaper : ground ?? paper, ink, hidden };
    });
  }
  get drawn() {
    return this.painter.frames;
  }
};
var index_default = {
  render({ model, el }) {
    const stage = new Stage(model, el);
    return () => stage.dispose();
  }
};
export {
  MASKS,
  THEMES,
  compute,
  contrast,
  index_default as default,
  format,
  layout,
  signedFill,
  signedLimit,
  visibility,
  weightFill,
  weightInk
};
