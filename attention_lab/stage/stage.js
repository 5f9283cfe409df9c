// src/layout.js
var clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
var share = (p, from, to) => clamp((p - from) / (to - from), 0, 1);
var ease = (p) => p < 0.5 ? 4 * p * p * p : 1 - (-2 * p + 2) ** 3 / 2;
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
  const side = byWidth(W2, 8, 16, 16, 16), labels = byWidth(W2, 68, 84, 78, 78), gutter = byWidth(W2, 14, 24, 28, 36);
  const weightGutter = byWidth(W2, 5, 16, 20, 20), right = byWidth(W2, 8, 10, 74, 74);
  const header = byWidth(W2, 21, 29, 29, 33), header2 = byWidth(W2, 34, 46, 46, 51);
  const kUnits = featureUnits(d_k), middleUnits = Math.max(tokenUnits(n), kUnits);
  const hUnits = narrow ? Math.min(4, featureUnits(d_model)) : featureUnits(d_model);
  const units2 = hUnits + kUnits + middleUnits + kUnits + 1;
  const fixed = 2 * side + labels + 2 * gutter + 2 * weightGutter + right;
  const cw = clamp(Math.floor((W2 - fixed) / units2), 6, 58);
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
  const wide = cw >= 20 && n <= 10 && size >= (narrow ? 7.5 : 8.5), hW = upper / d_model;
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
    lowerRoom: n * rh + 30,
    query: (r) => ({ x: xH - labels + (narrow ? 0 : 3), y: y1 + middle - (n - r) * rh, width: labels - 11, height: rh }),
    sideLabels: right > 20,
    terse: W2 < 1e3 && n > 8,
    sumRoom: cw + 2 * weightGutter - 14
  };
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
var at = (colours, share2) => colours[Math.round(SIZE * Math.min(1, Math.max(0, share2)))];
var MAPS = Object.fromEntries(Object.entries(THEMES).map(([name, t]) => {
  const signed = ramp(t.signed), weight = ramp(t.weight);
  return [name, { signed, weight, inks: weight.map((c) => luminance(c) > 0.179 ? "#000000" : "#ffffff") }];
}));
var signedFill = (theme, share2) => at(MAPS[theme].signed, (share2 + 1) / 2);
var weightFill = (theme, weight) => at(MAPS[theme].weight, weight);
var weightInk = (theme, weight) => at(MAPS[theme].inks, weight);
function signedLimit(H) {
  const sizes = H.flat().map(Math.abs).sort((a, b) => a - b);
  const p95 = sizes[Math.min(sizes.length - 1, Math.ceil(0.95 * sizes.length) - 1)] || 1;
  const power = 10 ** Math.floor(Math.log10(p95));
  return [1, 2, 5, 10].map((k) => k * power).find((limit) => limit >= p95 * (1 - 1e-12));
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
  // A signed bar: its colour and, for a negative one, stripes.
  bar(x, y, width, height, value) {
    const fill2 = signedFill(this.theme, 0.9 * Math.sign(value));
    this.rect(x, y, width, height, { fill: fill2, rx: 2 });
    if (value < 0) this.rect(x, y, width, height, { fill: `url(#${this.prefix}-minus)`, opacity: 0.6 });
    this.rect(x, y, width, height, { fill: "none", stroke: this.colours.ink, "stroke-width": 1.2, rx: 2 });
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
  cell(key, x, y, cw, ch, { value, alpha = 1, weight, hidden = 0, struck }, { fonts, numbers, quiet, turned }) {
    const gap = cw < 5 ? 0 : cw < 12 ? 0.5 : 1, gapY = ch < 5 ? 0 : gap, share2 = Math.min(1, Math.max(-1, value / this.limit));
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
    if (hidden > 0) Object.assign(cell, { hatch: true, struck });
    if (weight) Object.assign(cell, { fill: weightFill(this.theme, value), ink: weightInk(this.theme, value), edge: true });
    else if (numbers) Object.assign(cell, { fill: signedFill(this.theme, share2 * (quiet ? 0.35 : 1)), ink: this.colours[quiet ? "quiet" : "ink"] });
    else Object.assign(cell, { half: turned ? "x" : "y", negative: value < 0, fill: this.halfFill(share2, quiet) });
    if (hidden > 0) cell.ink = this.colours.ink;
    if (numbers) {
      cell.text = hidden > 0 && weight ? "0" : format(value, weight ? fonts.decimals === 2 ? 3 : 2 : fonts.decimals);
      cell.centred = weight || hidden > 0;
      cell.slack = fonts.slack;
    }
    return cell;
  }
  halfFill(share2, quiet) {
    const size = Math.min(1, 0.12 + 1.1 * Math.abs(share2)) * (quiet ? this.colours.quietStrip : 1);
    return signedFill(this.theme, Math.sign(share2) * size);
  }
};
function element(name, attributes, pieces) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== void 0) node.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
  let shift2 = 0;
  for (const [text, style] of pieces || []) {
    const span = document.createElementNS(SVG, "tspan"), size = attributes["font-size"];
    span.textContent = text;
    const target = style === "sub" ? 0.18 * size : style === "sup" ? -0.36 * size : 0;
    if (target !== shift2) span.setAttribute("dy", (target - shift2).toFixed(2));
    shift2 = target;
    if (style) {
      span.setAttribute("font-family", MATH);
      if (style !== "sup") span.setAttribute("font-style", "italic");
      span.setAttribute("font-size", (size * (style === "math" ? 1.12 : 0.8)).toFixed(2));
    }
    node.append(span);
  }
  return node;
}
var Painter = class {
  constructor(host) {
    this.prefix = `al${Math.random().toString(36).slice(2)}`;
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
  paintHatch(context, { x, y, w, h, hidden, text, size, struck }, colours) {
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
    if (w >= 12) context.stroke();
    if (struck) {
      context.fillStyle = colours.ink;
      context.fillRect(x - 1, y + h / 2 - 0.9, w + 2, 1.8);
    }
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
    const stripes = element("pattern", { id: `${this.prefix}-minus`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    stripes.append(element("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: sheet.colours.paper, "stroke-width": 2.4 }));
    defs.append(stripes);
    return defs;
  }
};

// src/compute.js
var MASKS = ["none", "causal", "padding", "causal_padding", "window"];
var WINDOW = 3;
var padded = (n) => Math.max(1, Math.floor(n / 4));
function visibility(n, mask2) {
  const causal = mask2 === "causal" || mask2 === "causal_padding" || mask2 === "window";
  const padding = mask2 === "padding" || mask2 === "causal_padding";
  const last = padding ? n - padded(n) : n;
  const width = mask2 === "window" ? WINDOW : n;
  return grid(n, n, (i, j) => !(causal && j > i) && j < last && i - j < width);
}
var grid = (rows, columns, value) => Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_2, c) => value(r, c)));
var dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
var matmul = (A, B) => {
  const columns = transpose(B, A[0].length);
  return A.map((row2) => columns.map((column) => dot(row2, column)));
};
var transpose = (A, rows = A.length) => grid(A[0].length, Math.min(rows, A.length), (c, r) => A[r][c]);
var cut = (A, from, to) => A.map((row2) => row2.slice(from, to));
function softmaxRow(scores2) {
  const max = Math.max(...scores2);
  const exps = scores2.map((s) => max === -Infinity ? 0 : Math.exp(s - max));
  const sum = exps.reduce((a, b) => a + b, 0);
  return { exps, sum, weights: exps.map((e) => sum ? e / sum : 0) };
}
function attend(Q2, K2, V2, visible, temperature = 1) {
  const root3 = Math.sqrt(Q2[0].length) * temperature;
  const raw = Q2.map((q) => K2.map((k) => dot(q, k)));
  const scaled = raw.map((row2) => row2.map((s) => s / root3));
  const scores2 = scaled.map((row2, i) => row2.map((s, j) => visible[i][j] ? s : -Infinity));
  const rows = scores2.map(softmaxRow);
  const weights = rows.map((row2) => row2.weights);
  return {
    raw,
    scaled,
    scores: scores2,
    exps: rows.map((r) => r.exps),
    sums: rows.map((r) => r.sum),
    weights,
    context: matmul(weights, V2)
  };
}
function compute(arrays, { n, d_k, mask: mask2, visible = visibility(n, mask2), head = 0, temperature }) {
  const H = arrays.H.slice(0, n);
  const [W_Q, W_K, W_V] = ["W_Q", "W_K", "W_V"].map((name) => cut(arrays[name], head * d_k, (head + 1) * d_k));
  const [Q2, K2, V2] = [W_Q, W_K, W_V].map((W2) => matmul(H, W2));
  return { n, d_k, d_model: H[0].length, mask: mask2, visible, H, W_Q, W_K, W_V, Q: Q2, K: K2, V: V2, ...attend(Q2, K2, V2, visible, temperature) };
}
function computeHeads(arrays, { heads: heads2, ...settings }) {
  const each = Array.from({ length: heads2 }, (_, head) => compute(arrays, { ...settings, head }));
  const concat = each[0].context.map((_, r) => each.flatMap((h) => h.context[r]));
  const W_O = arrays.W_O.slice(0, heads2 * settings.d_k);
  return { ...each[0], heads: each, concat, W_O, output: matmul(concat, W_O) };
}

// src/words.js
var fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (whole, key) => key in values ? String(values[key]) : whole);
var root = (d_k) => format(Math.sqrt(d_k), Number.isInteger(Math.sqrt(d_k)) ? 0 : 2);
function maskReason(words, m) {
  const causal = words.reason_causal, padding = words.reason_padding;
  if (m.mask === "window") return fill(words.reason_window, { k: WINDOW - 1 });
  if (m.mask === "causal_padding") return fill(words.reason_both, { causal, padding });
  return m.mask === "padding" ? padding : causal;
}
var sentences = (...said) => said.join(" ").replaceAll("。 ", "。");
function stopWords(stop2, { m, tokens, i, words }) {
  const values = { t: tokens[i], i: i + 1, n: m.n, d_model: m.d_model, root: root(m.d_k) };
  const hidden = m.visible.flat().filter((v) => !v).length, blind = m.sums.findIndex((s) => !s);
  const emptied = () => fill(words.sees_nothing, { t: tokens[blind] });
  let say = fill(words[`say_${stop2}`], values);
  if (stop2 === "4b") say = hidden ? fill(words.say_4b, { k: hidden, reason: maskReason(words, m) }) : words.say_4b_none;
  if (stop2 === "4b" && blind >= 0) say = sentences(say, emptied());
  if (stop2 === "4c" && blind >= 0) say = sentences(words.say_4c_blind, emptied());
  return { title: words[`title_${stop2}`], say };
}
function seenBy({ m, tokens, i }) {
  const best = m.weights[i].indexOf(Math.max(...m.weights[i]));
  return { t: tokens[i], k: m.visible[i].filter(Boolean).length, n: m.n, d_k: m.d_k, best: tokens[best], w: format(m.weights[i][best], 3) };
}
var spoken = (words, value, decimals = 2) => value === -Infinity ? words.minus_infinity : format(value, decimals).replace("−", words.minus);
var list = (words, values) => {
  const shown = values.length > 8 ? values.slice(0, 4) : values;
  return shown.map((v) => spoken(words, v)).join(words.comma) + (shown.length < values.length ? words.comma + fill(words.and_more, { k: values.length - shown.length }) : "");
};
function rowWords(stop2, { m, tokens, i, words }) {
  const t = tokens[i], names = (wanted) => tokens.slice(0, m.n).filter((_, j) => wanted(j)).join(words.comma);
  if (stop2 === "1") return fill(words.row_H, { t, values: list(words, m.H[i]) });
  if (stop2 === "2") return sentences(...["Q", "K", "V"].map((X) => fill(words[`row_${X}`], { t, values: list(words, m[X][i]) })));
  if (stop2 === "4b") {
    const hidden = names((j) => !m.visible[i][j]);
    return hidden ? fill(words.row_hidden, { t, hidden }) : fill(words.row_sees_all, { t });
  }
  if (stop2[0] === "3" || stop2 === "4a") {
    const scores2 = (stop2 === "4a" ? m.scaled : m.raw)[i], order = [...scores2.keys()];
    const shown = order.length > 8 ? order.slice(0, 4) : order;
    const values = shown.map((j) => `${tokens[j]} ${spoken(words, scores2[j])}`).join(words.comma);
    return fill(words.row_scores, { t, values: values + (shown.length < order.length ? words.comma + fill(words.and_more, { k: order.length - shown.length }) : "") });
  }
  if (stop2 === "4c") {
    if (!m.sums[i]) return fill(words.sees_nothing, { t });
    const order = [...m.weights[i].keys()].filter((j) => m.visible[i][j]).sort((a, b) => m.weights[i][b] - m.weights[i][a]).slice(0, 3);
    const values = order.map((j) => `${tokens[j]} ${format(m.weights[i][j], 3)}`).join(words.comma), hidden = names((j) => !m.visible[i][j]);
    return fill(hidden ? words.row_weights_hidden : words.row_weights, { t, values, hidden });
  }
  return fill(words.row_z, { t, values: list(words, m.context[i]) });
}
function cellWords({ name, r, c }, value, { m, tokens, i, words, turned }) {
  const [, kind, head] = name.match(/^(\w+?)( below|\d| none| root| full)?$/) ?? [null, name];
  const hidden = value.hidden > 0.5 ? words.comma + words.hidden : "", shown = spoken(words, value.value, value.weight ? 3 : 2) + hidden;
  const said = head && /\d/.test(head) ? fill(words.head, { h: head }) + words.comma : "";
  if (kind === "A" || kind === "S") return said + fill(words[`cell_${kind}`], { value: shown, row: tokens[m.softened ? i : r], column: tokens[c] });
  if (kind === "a") return fill(words.cell_A, { value: shown, row: tokens[i], column: tokens[r] });
  if (/^(W_|Concat|MHA)/.test(kind)) return fill(words.cell_W, { value: shown, name: kind, r: kind[0] === "W" ? r + 1 : tokens[r], c: c + 1 });
  const key = kind === "K" && turned;
  return said + fill(words.cell_entry, { value: shown, name: words[`name_${kind}`], t: tokens[key ? c : r], entry: (key ? r : c) + 1 });
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
var tokensFor = (tokens, n, mask2) => {
  const pads = mask2.includes("padding") ? padded(n) : 0;
  return tokens.slice(0, n).map((t, k) => k >= n - pads ? "[PAD]" : t);
};

// src/working.js
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
      const p = share(s1, 0.04 * r, 0.04 * r + 0.2), e = ease(p);
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
  const ends = `−${limit} … 0 … ${limit}`, fits = (text, from, size) => from + ruler.width(text, size) <= x + width + 12;
  if (fits(ends, left + bar + 6, 12.5)) sheet.text(left + bar + 6, y + 12, ends, { size: 12.5, colour: "muted" });
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
    this.height = Math.min(1.62 * this.f, G.lowerRoom / 6);
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
  if (lines.f < 9.5) return;
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
  const W2 = keys ? m.W_K : m.W_Q, u = Math.min(0.75 * lines.u, (lines.width - 4) / 21.8), shown = Math.min(done, 8);
  lines.title(words.working, [`“${lines.clip(tokens[i], 5 * lines.u)}”${words.comma}`, [keys ? "k" : "q", "math"], [String(c + 1), "sub"]]);
  for (let k = 0; k < shown; k++) {
    const dx = k % 2 * 11.2 * u;
    if (k) lines.put(dx + 4, "+");
    lines.put(dx + 5.2 * u, bracketed(m.H[i][k]), { anchor: "end" });
    lines.put(dx + 5.4 * u, "×");
    lines.put(dx + 10.6 * u, bracketed(W2[k][c]), { anchor: "end" });
    if (k % 2 || k === shown - 1) lines.next();
  }
  if (done > shown) {
    lines.put(4, fill(words.more_terms, { k: done - shown }), { colour: "muted" });
    lines.next();
  }
  if (done < m.d_model) return;
  lines.put(4, "=");
  lines.put(5.2 * u, format(m.H[i].reduce((sum, h, k) => sum + h * W2[k][c], 0), 2), { anchor: "end", weight: 700 });
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
function workRow({ m, i, T: T2, c4, tokens, words }, lines) {
  const rows = [[[["s", "math"]], m.raw[i], 2]];
  if (T2 > 4) rows.push([[[`÷ ${root(m.d_k)}`]], m.scaled[i], 2]);
  if (T2 > 5) rows.push([[["+ "], ["m", "math"]], m.scores[i], 2]);
  if (c4 > 0) rows.push([[["e", "math"], ["s − max", "sup"]], m.exps[i], 2]);
  if (c4 * m.n >= 0.8) rows.push([[[`÷ ${format(m.sums[i], 2)}`]], m.weights[i], 3]);
  lines.title(words.working, fill(words.row_of, { t: lines.clip(tokens[i], 5 * lines.u) }));
  const { f, u } = lines;
  if (m.n <= 5) {
    const start2 = 3.6 * u, step2 = (lines.width - start2) / m.n;
    for (const [label, values, decimals] of rows) {
      lines.put(0, label, { colour: "muted" });
      values.forEach((v, q) => lines.put(start2 + (q + 1) * step2 - 4, v === 0 && !m.visible[i][q] ? "0" : format(v, decimals), { anchor: "end", weight: decimals === 3 ? 700 : void 0 }));
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
var mix = (a, b, t) => a + (b - a) * t;
var STOPS = ["1", "2", "3a", "3b", "4a", "4b", "4c", "5a", "5b"];
var stopOf = (T2) => STOPS[clamp(Math.ceil(T2 - 1e-6) - 1, 0, 8)];
var WINDOWS = { q: [0.09, 0.45], kv: [0.47, 0.72], rest: 0.74, scores: 0.24, stand: 0.3, land: 0.36 };
var slot = (p, [from, to], k, count) => share(p, from + (to - from) * k / count, from + (to - from) * (k + 1) / count);
var numberFonts = ({ size, decimals }, ruler) => ({ size, decimals, slack: size * ((decimals === 2 ? ruler.two : ruler.one) / 2 - 0.06) });
function draw(scene) {
  const { sheet, G, T: T2 } = scene;
  const phase = STOPS.map((_, k) => clamp(T2 - k, 0, 1));
  const [s1, s2, a3, b3, a4, b4, c4, a5, b5] = phase;
  const step = T2 <= 1 ? 1 : T2 <= 2 ? 2 : T2 <= 4 ? 3 : T2 <= 7 ? 4 : 5;
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
    const row2 = share(s1, 0.22 + 0.35 * r / m.n, 0.64 + 0.35 * r / m.n);
    return { value: m.H[r][c], alpha: ease(share(row2, 0.8 * c / m.d_model, 0.8 * c / m.d_model + 0.2)) };
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
    const alpha = share(s2, 0, 0.07);
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
function projected(P, X, W2, window2, struck) {
  const { m, i, s2 } = P, strips = m.d_k > 8;
  return (r, c) => {
    if (struck && !m.visible[i][r]) return { value: X[r][c], hidden: 1, struck: true };
    if (r === i) {
      const p = slot(s2, window2, c, m.d_k);
      if (p <= 0) return null;
      return p < 1 && !strips ? partial(m.H[i], W2, c, p) : { value: X[r][c], alpha: p };
    }
    const start = WINDOWS.rest + 0.16 * ((r + m.n - (r > i ? 1 : 0)) % m.n) / m.n;
    return { value: X[r][c], alpha: ease(share(s2, start, start + 0.1)) };
  };
}
function drawProjections(P) {
  const { sheet, G, m, T: T2, i, s2, a3 } = P, top = G.row1(0), shape = [m.n, m.d_k];
  const begun = { Q: T2 >= 1 && s2 > 0.07, K: s2 > 0.45, V: s2 > 0.45 };
  const put = (role, x, X, W2, window2, quiet) => {
    sheet.matrix(role, x, top, m.n, m.d_k, G.cellK, G.rh, projected(P, X, W2, window2, P.upperOnly && role !== "Q"), { fonts: P.fonts, numbers: G.showK, quiet });
    sheet.bracket(x, top, G.wK, m.n * G.rh, role);
    drawHeader(P, x, top, G.wK, role, { role, name: P.words[`name_${role}`], shape });
  };
  for (const [role, x] of [["Q", G.xQ], ["K", G.xS], ["V", G.xV]]) if (!begun[role]) {
    sheet.ghost(x, top, G.wK, m.n * G.rh);
    drawHeader(P, x, top, G.wK, role, { waiting: true });
  }
  if (begun.Q) put("Q", G.xQ, m.Q, m.W_Q, WINDOWS.q, P.quietUnless(2));
  if (begun.K) {
    const turn = ease(share(a3, 5e-3, 0.2));
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
function sideLabels({ sheet, G, m, tokens, ruler }, row2, strong) {
  for (let r = 0; r < m.n; r++)
    sheet.text(
      G.xV + G.wK + 26,
      row2(r) + G.rh / 2 + 0.35 * G.label,
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
      const start = (others.indexOf(r) + 0.8 * j / m.n) / rest, p = share(b3, start, start + 0.2 / rest);
      if (p <= 0) return null;
      if (p < 1) return { value: m.raw[r][j], alpha: p };
    }
    if (c4 > 0) {
      const p = normalising(P, r);
      if (p > 0.25) return m.visible[r][j] ? { value: mix(m.exps[r][j], m.weights[r][j], ease(share(p, 0.6, 1))), weight: true } : { value: 0, weight: true, hidden: 1 };
    }
    const score = a4 >= 1 || a4 * m.n > j + 0.5 ? m.scaled[r][j] : m.raw[r][j];
    const hidden = m.visible[r][j] ? 0 : ease(share(b4, 0.6 * j / m.n, 0.6 * j / m.n + 0.4));
    return { value: hidden > 0.5 ? -Infinity : score, hidden };
  };
}
function normalising({ m, i, others, c4 }, r) {
  const start = (r === i ? 0 : 1 + others.indexOf(r)) / m.n * 0.8;
  return share(c4, start, start + 0.2 + 0.6 / m.n);
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
  const up = ease(share(a5, 0, WINDOWS.stand)), land = (j) => slot(a5, [WINDOWS.land, 1], j, m.n);
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
    const shrink = mix(1, m.weights[i][j], ease(share(p, 0, 0.3))), y = mix(G.row1(j), G.row2(i), ease(share(p, 0.3, 1)));
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
    const k = others.indexOf(r), alpha = ease(share(b5, k / rest, (k + 0.9) / rest));
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

// src/bar.js
var ICONS = {
  restart: "M2 2h2.4v12H2zM14 2v12L5.4 8z",
  previous: "M12 2v12L3.4 8z",
  play: "M3.5 1.8v12.4L14 8z",
  pause: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z",
  next: "M4 2v12l8.6-6z"
};
var SPEEDS = [0.5, 1, 2];
var MAIN = STOPS.map((s) => s.length === 1 || s[1] === "a");
var make = (name, className, attributes = {}) => {
  const node = Object.assign(document.createElement(name), { className });
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};
var Bar = class {
  constructor(player, words) {
    Object.assign(this, { player, words });
    this.node = make("div", "al-bar", { role: "group", "aria-label": words.player });
    const actions = { restart: () => player.restart(), previous: () => player.previous(), play: () => player.toggle(), next: () => player.next() };
    this.buttons = Object.fromEntries(Object.entries(actions).map(([name, act]) => {
      const button = make("button", `al-button al-${name}`, { type: "button", "data-lm-suppress-shortcuts": "true" });
      button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg><span></span>`;
      button.lastChild.textContent = words[name];
      button.addEventListener("click", act);
      return [name, button];
    }));
    this.steps = this.makeSteps();
    this.speeds = this.makeSpeeds();
    this.calm = make("span", "al-calm");
    this.calm.textContent = words.reduced;
    this.node.append(...Object.values(this.buttons), this.steps, this.speeds, this.calm);
  }
  makeSteps() {
    const node = make("div", "al-steps", {
      role: "slider",
      tabindex: "0",
      "aria-label": this.words.step_slider,
      "aria-valuemin": 1,
      "aria-valuemax": STOPS.length,
      "data-lm-suppress-shortcuts": "true"
    });
    node.append(make("span", "al-rail"), make("span", "al-done"));
    STOPS.forEach((stop2, k) => {
      const dot2 = make("span", `al-stop${MAIN[k] ? " al-main" : ""}`);
      dot2.style.left = `${100 * k / (STOPS.length - 1)}%`;
      dot2.append(Object.assign(make("span", "al-stop-name"), { textContent: stop2 }));
      node.append(dot2);
    });
    this.thumb = make("span", "al-thumb");
    node.append(this.thumb);
    const seek = (event, snap) => {
      const { left, width } = node.getBoundingClientRect(), T2 = 1 + (event.clientX - left) / width * (STOPS.length - 1);
      const at2 = Math.min(STOPS.length, Math.max(1, T2)), near = Math.round(at2);
      this.player.seek(snap || Math.abs(at2 - near) < 0.08 ? near : at2);
    };
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      this.dragged = false;
    });
    node.addEventListener("pointermove", (event) => {
      if (!node.hasPointerCapture(event.pointerId)) return;
      this.dragged = true;
      seek(event, false);
    });
    node.addEventListener("pointerup", (event) => seek(event, !this.dragged));
    node.addEventListener("keydown", (event) => {
      const now = Math.round(this.player.T), to = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 1, End: STOPS.length }[event.key];
      if (to === void 0) return;
      event.preventDefault();
      event.stopPropagation();
      this.player.seek(Math.max(1, to));
    });
    return node;
  }
  makeSpeeds() {
    const node = make("div", "al-speeds", { role: "radiogroup", "aria-label": this.words.speed });
    node.append(Object.assign(make("span", "al-speed-name"), { textContent: this.words.speed }));
    for (const speed of SPEEDS) {
      const option = make("span", "al-speed", { role: "radio", "data-lm-suppress-shortcuts": "true" });
      option.textContent = `${speed}×`;
      option.addEventListener("click", () => this.setSpeed(speed));
      node.append(option);
    }
    node.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === " ") event.preventDefault();
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.setSpeed(SPEEDS[(SPEEDS.indexOf(this.player.speed) + by + SPEEDS.length) % SPEEDS.length]);
      this.options.find((o) => o.tabIndex === 0).focus();
    });
    return node;
  }
  get options() {
    return [...this.speeds.querySelectorAll(".al-speed")];
  }
  setSpeed(speed) {
    this.player.speed = speed;
    this.show();
  }
  show() {
    const { player, words } = this, { T: T2, playing, reduced } = player, share2 = 100 * Math.max(0, T2 - 1) / (STOPS.length - 1);
    const play = this.buttons.play, name = playing ? "pause" : "play";
    play.querySelector("path").setAttribute("d", ICONS[name]);
    play.lastChild.textContent = words[name];
    play.hidden = this.speeds.hidden = reduced;
    this.calm.hidden = !reduced;
    play.classList.toggle("al-primary", !reduced);
    this.buttons.next.classList.toggle("al-primary", reduced);
    this.thumb.style.left = `${share2}%`;
    this.steps.children[1].style.width = `${share2}%`;
    [...this.steps.querySelectorAll(".al-stop")].forEach((dot2, k) => {
      dot2.classList.toggle("al-reached", k + 1 <= T2 + 1e-9);
      dot2.classList.toggle("al-now", STOPS[k] === stopOf(T2));
    });
    const stop2 = stopOf(T2);
    this.steps.setAttribute("aria-valuenow", STOPS.indexOf(stop2) + 1);
    this.steps.setAttribute("aria-valuetext", fill(words.step_is, { k: stop2[0], title: words[`title_${stop2}`] }));
    this.options.forEach((option, k) => {
      option.setAttribute("aria-checked", SPEEDS[k] === player.speed);
      option.tabIndex = SPEEDS[k] === player.speed ? 0 : -1;
    });
  }
};

// src/formulas.js
var root2 = (inside) => `<span class="al-root"><svg viewBox="0 0 10 22" preserveAspectRatio="none" aria-hidden="true"><path d="M.5 13.2L3 11.6 6.2 20.6 9.6.8H10" fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg><span class="al-radicand">${inside}</span></span>`;
var D_K = "<i>d<sub>k</sub></i>";
var ROOT = root2(D_K);
var T = '<sup class="al-upright">T</sup>';
var in_ = (role, text) => `<i class="al-${role}">${text}</i>`;
var [Q, K, V] = ["Q", "K", "V"].map((X) => in_(X, X));
var W = (X) => in_(X, `W<sub>${X}</sub>`);
var PROJECTIONS = [`${Q} = <i>H</i> ${W("Q")}&emsp;${K} = <i>H</i> ${W("K")}&emsp;${V} = <i>H</i> ${W("V")}`, "Q = H W Q, K = H W K, V = H W V"];
var FORMULAS = {
  1: ['<i>H</i> ∈ ℝ<sup><i>n</i> × <i>d</i><sub class="al-upright">model</sub></sup>', "H in R, n by d model"],
  2: PROJECTIONS,
  "3a": [`<i>S<sub>ij</sub></i> = ${in_("Q", "q<sub>i</sub>")} · ${in_("K", "k<sub>j</sub>")}`, "S i j = q i dot k j"],
  "3b": [`<i>S</i> = ${Q} ${K}${T}`, "S = Q K transposed"],
  "4a": [`<i>S</i> / ${ROOT}`, "S over root d k"],
  "4b": [`<i>S</i> / ${ROOT} + <i>M</i>`, "S over root d k, plus M"],
  "4c": [`<i>A</i> = softmax(<i>S</i> / ${ROOT} + <i>M</i>)`, "A = softmax of S over root d k, plus M"],
  "5a": [`<i>z<sub>i</sub></i> = Σ<sub><i>j</i></sub> <i>A<sub>ij</sub></i> ${in_("V", "v<sub>j</sub>")}`, "z i = sum over j of A i j v j"],
  "5b": [`<i>Z</i> = <i>A</i> ${V}`, "Z = A V"],
  projections: PROJECTIONS,
  scores: [`<i>S<sub>ij</sub></i> = ${in_("Q", "q<sub>i</sub>")} · ${in_("K", "k<sub>j</sub>")}&emsp;<i>S</i> = ${Q} ${K}${T}`, "S i j = q i dot k j, S = Q K transposed"],
  row: ["<i>A<sub>ij</sub></i> = e<sup><i>s<sub>ij</sub></i>/<i>τ</i></sup> / Σ<sub><i>l</i></sub> e<sup><i>s<sub>il</sub></i>/<i>τ</i></sup>", "A i j = e to the s i j over tau, over the sum of the row"],
  heads: [`MHA(<i>H</i>) = Concat(<i>Z</i><sub>1</sub> … <i>Z<sub>m</sub></i>) <i>W<sub>O</sub></i>`, "MHA of H = Concat of Z 1 to Z m, times W O"],
  mask: [`<i>Z</i> = softmax(${Q} ${K}${T} / ${ROOT} + <i>M</i>) ${V}`, "Z = softmax of Q K transposed over root d k, plus M, times V"]
};
function setSentence(node, sentence) {
  const parts = sentence.split(/(√d_k|d_k|W_[QKVO]|(?<![A-Za-z“])[HSVZz](?![A-Za-z”]))/);
  node.replaceChildren(...parts.map((part, k) => {
    if (k % 2 === 0) return part;
    const span = document.createElement("span"), letter = document.createElement("i");
    span.className = "al-math";
    span.lang = "en";
    if (part === "√d_k") span.innerHTML = ROOT;
    else if (part === "d_k") span.innerHTML = D_K;
    else if (part[1] === "_") letter.append("W", Object.assign(document.createElement("sub"), { textContent: part[2] }));
    else letter.textContent = part;
    if (letter.firstChild) span.append(letter);
    return span;
  }));
}

// src/keys.js
var Reader = class {
  // host: the picture; say(sentence): the live region; scene(): {sheet, describe(name, r, c), act(name, r, c)}
  // modal: Enter begins and Escape ends reading, since the arrows outside it are the player's.
  constructor(host, { say, scene, leave, modal }) {
    Object.assign(this, { host, say, scene, leave, modal });
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
    if (event.ctrlKey || event.metaKey || event.altKey || !this.matrices.length) return;
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const { key } = event;
    if (this.modal && !this.at && key !== "Escape" && key !== "Enter") return;
    if (this.modal && !this.at && key === "Enter") this.move(0, 0);
    else if (key === "Escape") {
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
  // Redrawn pictures keep the cursor where it was; before the first step there is nothing to read.
  refresh() {
    if (!this.matrices.length) this.stop();
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

// src/motion.js
var SECONDS = [1.6, 4, 3.6, 1.6, 1.2, 1, 2.2, 3.4, 1.8];
var REST = 0.9;
var LAST = SECONDS.length;
var Player = class {
  constructor(T2, changed) {
    Object.assign(this, { T: T2, changed, speed: 1, playing: false, target: LAST, rest: 0 });
    this.query = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.follow = () => {
      if (this.reduced && this.playing) {
        this.pause();
        this.T = Math.ceil(this.T - 1e-6);
      }
      this.changed();
    };
    this.query.addEventListener("change", this.follow);
  }
  get reduced() {
    return this.query.matches;
  }
  get arrived() {
    return Number.isInteger(this.T) && this.T > 0;
  }
  dispose() {
    this.pause();
    this.query.removeEventListener("change", this.follow);
  }
  run(target) {
    this.target = target;
    this.rest = 0;
    if (this.playing) return;
    this.playing = true;
    this.last = void 0;
    const tick = (now) => {
      if (!this.playing) return;
      const from = this.T;
      this.advance(Math.min(0.1, this.last === void 0 ? 0 : (now - this.last) / 1e3) * this.speed);
      this.last = now;
      if (this.T !== from || !this.playing) this.changed();
      if (this.playing) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }
  advance(seconds) {
    if (this.rest > 0) {
      this.rest -= seconds;
      return;
    }
    const stop2 = Math.min(LAST, Math.floor(this.T + 1e-9) + 1);
    this.T = Math.min(stop2, this.T + seconds / SECONDS[stop2 - 1]);
    if (this.T < stop2 - 1e-6) return;
    this.T = stop2;
    this.rest = REST;
    if (stop2 >= this.target) this.pause();
  }
  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
  }
  play() {
    if (this.reduced) return this.next();
    if (this.T >= LAST) this.T = 0;
    this.run(LAST);
    this.changed();
  }
  toggle() {
    if (!this.playing) return this.play();
    this.pause();
    this.changed();
  }
  // To the next stop, and halt there: a lecturer talks between. Asked again on the way, it arrives at once.
  next() {
    const to = Math.min(LAST, Math.floor(this.T + 1e-9) + 1);
    if (this.reduced || this.playing && !this.arrived) return this.seek(to);
    if (this.T >= LAST) return;
    this.run(to);
    this.changed();
  }
  // Back to the stop just left, or from a stop to the one before.
  previous() {
    this.seek(Math.max(1, Math.ceil(this.T - 1e-9) - 1));
  }
  restart() {
    this.seek(this.reduced ? 1 : 0);
  }
  seek(T2) {
    this.pause();
    this.T = Math.min(LAST, Math.max(this.reduced ? 1 : 0, this.reduced ? Math.round(T2) : T2));
    this.changed();
  }
};

// src/views/heads.js
var units = (m) => m <= 4 ? m : 4;
function layout2(width, { n, d_k, d_model, heads: heads2 }, ems) {
  const W2 = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W2 < 700, side = narrow ? 8 : 16, labels = narrow ? 58 : 84, count = heads2.length;
  const gap = narrow ? 10 : 22, inner = narrow ? 8 : 22, t = Math.min(tokenUnits(n), 8), u = units(d_k);
  const cw = clamp(Math.floor((W2 - 2 * side - labels - count * (gap + inner)) / (count * (t + u))), 4, 48), rh = clamp(Math.floor(Math.min(0.5 * cw + 4, 130 / n + 8)), 12, 24);
  const { size, decimals } = numberFit(cw, rh, ems), wide = cw >= 20 && n <= 8 && size >= (narrow ? 7.5 : 8.5);
  const yV = 78, yA = yV + n * rh + 44, end = yA + n * rh, plate = t * cw + inner + u * cw, x0 = side + labels;
  const joined = Math.min(8, count * u), out = Math.min(6, d_model), cj = clamp(Math.floor((W2 - 2 * side - labels - 60) / (joined + out)), 8, 46);
  const fit = numberFit(cj, rh, ems), numbersJoined = n <= 8 && count * d_k <= 8 && cj >= 20 && fit.size >= (narrow ? 7.5 : 8.5);
  const yW = end + 54, wide2 = Math.min(8, count * d_k) === count * d_k, upper = wide2 ? count * d_k * Math.max(12, rh - 7) : 70, yC = yW + upper + 40;
  return {
    W: W2,
    narrow,
    side,
    labels,
    gap,
    inner,
    count,
    t,
    u,
    cw,
    rh,
    size,
    decimals,
    wide,
    yV,
    yA,
    yW,
    yC,
    upper,
    x0,
    plate,
    label: Math.min(rh - 1, narrow ? 11.5 : 14),
    cellS: t * cw / n,
    cellK: u * cw / d_k,
    wA: t * cw,
    wV: u * cw,
    left: (h) => x0 + h * (plate + gap),
    height: yC + n * rh + 14,
    xC: x0,
    wC: joined * cj,
    xO: x0 + joined * cj + 60,
    wO: out * cj,
    fit,
    numbersJoined,
    query: (r) => ({ x: side, y: yA + r * rh, width: labels - 8, height: rh })
  };
}
function draw2(P) {
  const { sheet, G, m, i, ruler } = P, fonts = numberFonts(G, ruler);
  m.heads.forEach((head, h) => drawHead(P, head, h, fonts));
  drawJoin(P, numberFonts(G.fit, ruler));
  sheet.rect(G.side - 4, G.yA + i * G.rh, G.labels - 2, G.rh, { fill: sheet.colours.band, rx: 4 }, sheet.under);
}
function drawHead({ sheet, G, m, i, tokens, words, ruler }, head, h, fonts) {
  const x = G.left(h), xV = x + G.wA + G.inner, heads2 = { sheet, G, ruler }, best = head.weights[i].indexOf(Math.max(...head.weights[i]));
  sheet.rect(x - 7, 14, G.plate + 14, G.yA + m.n * G.rh - 6, { fill: "none", stroke: sheet.colours.border, "stroke-width": 1.4, rx: 8, "stroke-dasharray": ["", "7 5", "2 4", "12 4 2 4"][h] || void 0 });
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
  const weight = (r, c) => m.visible[r][c] ? { value: head.weights[r][c], weight: true } : { value: 0, weight: true, hidden: 1 };
  sheet.matrix(`A${h + 1}`, x, G.yA, m.n, m.n, G.cellS, G.rh, weight, { fonts, numbers: G.wide });
  sheet.bracket(x, G.yA, G.wA, m.n * G.rh, "ink");
  sheet.text(x - 2, G.yA - 22, [["A", "math"], [String(h + 1), "sub"]], { size: 17 });
  for (let j = 0; j < m.n; j++) sheet.text(x + (j + 0.5) * G.cellS, G.yA - 7, String(j + 1), { size: Math.min(11, Math.max(8, 0.7 * G.cellS)), anchor: "middle", colour: "muted" });
  sheet.matrix(`Z${h + 1}`, xV, G.yA, m.n, m.d_k, G.cellK, G.rh, (r, c) => head.context[r][c], look);
  sheet.bracket(xV, G.yA, G.wV, m.n * G.rh, "ink");
  sheet.text(xV - 2, G.yA - 9, [["Z", "math"], [String(h + 1), "sub"]], { size: 17 });
  sheet.frame(x, G.yA + i * G.rh, G.wA, G.rh, "Q");
  sheet.frame(xV, G.yA + i * G.rh, G.wV, G.rh, "ink", 2);
  const middle = xV + G.wV / 2, target = G.xC + (h + 0.5) * G.wC / G.count, bend = G.yA + m.n * G.rh + 16 + 5 * h;
  sheet.line([[middle, G.yA + m.n * G.rh + 6], [middle, bend], [target, bend], [target, G.yC - 26]], "ink", { width: 2, dash: ["", "7 5", "2 4", "12 4 2 4"][h] || void 0, arrow: true });
}
function drawJoin({ sheet, G, m, i, words, ruler }, fonts) {
  const joined = m.concat[0].length, out = m.output[0].length, heads2 = { sheet, G, ruler }, look = { fonts, numbers: G.numbersJoined };
  const cell = G.wC / joined, cellO = G.wO / out, tall = m.n * G.rh, rowW = G.upper / joined;
  sheet.matrix("Concat", G.xC, G.yC, m.n, joined, cell, G.rh, (r, c) => m.concat[r][c], look);
  sheet.bracket(G.xC, G.yC, G.wC, tall, "ink");
  sheet.text(G.xC - 2, G.yC - 9, [["Concat", "math"]], { size: 17 });
  sheet.text(G.xC + G.wC + 3, G.yC - 9, `${m.n} × ${joined}`, { size: 12.5, colour: "muted", anchor: "end" });
  for (let h = 1; h < G.count; h++) sheet.line([[G.xC + h * G.wC / G.count, G.yC - 4], [G.xC + h * G.wC / G.count, G.yC + tall + 4]], "ink", { width: 3 });
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
var heads = {
  formula: FORMULAS.heads,
  prepare: computeHeads,
  layout: layout2,
  draw: draw2,
  tables: [],
  words(scene) {
    const { m, words } = scene, title = words.title_heads, seen = seenBy(scene);
    return { title, say: fill(words[m.heads.length > 1 ? "panel_heads" : "panel_heads_one"], { ...seen, heads: m.heads.length, total: m.heads.length * m.d_k, d_k: m.d_k }) };
  },
  row: ({ m, tokens, i, words }) => sentences(...m.heads.map((head, h) => {
    const best = head.weights[i].indexOf(Math.max(...head.weights[i])), values = { h: h + 1, t: tokens[i], best: tokens[best] };
    return fill(head.sums[i] ? words.row_head : words.sees_nothing, { ...values, w: spoken(words, head.weights[i][best], 3) });
  }))
};

// src/views/lab.js
var TABLES = { 1: ["H"], 2: ["Q", "K", "V"], 3: ["S"], 4: ["S", "A"], 5: ["A", "Z"] };
var lab = {
  plays: true,
  formulaAt: (T2) => FORMULAS[stopOf(T2)],
  prepare: compute,
  layout,
  draw,
  tablesAt: (T2) => TABLES[stopOf(T2)[0]],
  words: (scene) => stopWords(stopOf(scene.T), scene),
  row: (scene) => rowWords(stopOf(scene.T), scene)
};

// src/views/row.js
function layout3(width, { n }) {
  const W2 = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W2 < 700, side = narrow ? 8 : 16;
  const rh = n > 8 ? 22 : 28, list2 = narrow ? W2 - 2 * side : Math.floor(0.6 * W2) - 2 * side, labels = narrow ? 70 : 96, y = 40;
  const column = Math.floor((list2 - labels) / 3), bottom = y + (n + 1) * rh + 10;
  const hull = narrow ? { x: side, y: bottom + 36, size: Math.min(W2 - 2 * side, 300) } : { x: side + list2 + 34, y: 34, size: Math.min(W2 - side - list2 - 60, 360) };
  return {
    W: W2,
    narrow,
    label: Math.min(rh - 6, 15),
    rh,
    y,
    labels,
    side,
    column,
    hull,
    height: Math.max(bottom, hull.y + hull.size + 26),
    columnX: (k) => side + labels + k * column,
    query: (r) => ({ x: side, y: y + r * rh, width: labels - 8, height: rh })
  };
}
function draw3(P) {
  const { sheet, G, m, i, words, tokens, ruler } = P, bar = 0.48 * G.column, size = Math.min(14, G.rh - 9);
  const loudest = Math.max(1e-9, ...m.scores[i].filter(Number.isFinite).map(Math.abs));
  const heads2 = [[["s", "math"], [" / "], ["τ", "math"]], [["e", "math"], ["s/τ − max", "sup"]], [[words.name_A]]];
  heads2.forEach((parts, k) => sheet.text(G.columnX(k) + 4, G.y - 12, parts, { size: 14, weight: 600 }));
  sheet.rect(G.side - 4, G.y + i * G.rh, G.labels - 2, G.rh, { fill: sheet.colours.band, rx: 4 }, sheet.under);
  for (let j = 0; j < m.n; j++) {
    const y2 = G.y + j * G.rh, mid = y2 + G.rh / 2, base = mid + 0.355 * size, tall = G.rh - 8;
    sheet.rect(G.columnX(0), y2 + G.rh, 3 * G.column - 8, 0.8, { fill: sheet.colours.ghost });
    if (!m.visible[i][j]) {
      sheet.cells.push({ key: `hidden ${j} 0`, x: G.columnX(0) + 4, y: y2 + 4, w: 3 * G.column - 16, h: tall, alpha: 1, hidden: 1, hatch: true, size, value: -Infinity, text: `−∞ → 0`, ink: sheet.colours.ink, centred: true });
      continue;
    }
    const s = m.scores[i][j], half = bar / 2, length = Math.abs(s) / loudest * half, axis = G.columnX(0) + half + 2;
    sheet.bar(s < 0 ? axis - length : axis, mid - tall / 2, Math.max(1, length), tall, s);
    sheet.rect(axis - 0.6, y2 + 1, 1.2, G.rh - 2, { fill: sheet.colours.border });
    sheet.text(G.columnX(0) + G.column - 12, base, format(s, 2), { size, anchor: "end" });
    for (const [k, v, decimals] of [[1, m.exps[i][j], 3], [2, m.weights[i][j], 3]]) {
      sheet.rect(G.columnX(k) + 4, mid - tall / 2, Math.max(1, v * bar), tall, { fill: sheet.colours[k === 2 ? "Q" : "border"], rx: 2 });
      sheet.text(G.columnX(k) + G.column - 12, base, format(v, decimals), { size, anchor: "end", weight: k === 2 ? 700 : 400 });
    }
  }
  const y = G.y + m.n * G.rh + 0.72 * G.rh;
  sheet.text(G.columnX(1) - 4, y, "Σ", { size: 15, anchor: "end" });
  sheet.text(G.columnX(1) + G.column - 12, y, format(m.sums[i], 3), { size, anchor: "end", weight: 600 });
  sheet.text(G.columnX(2) + G.column - 12, y, m.sums[i] ? "1.000" : "0", { size, anchor: "end", weight: 700 });
  drawHull(P, ruler);
}
var cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), chain = (list2) => {
    const out = [];
    for (const p of list2) {
      while (out.length > 1 && cross(out.at(-2), out.at(-1), p) <= 0) out.pop();
      out.push(p);
    }
    return out;
  };
  const [lower, upper] = [chain(sorted), chain([...sorted].reverse())];
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}
function drawHull({ sheet, G, m, i, words, tokens, reach }, ruler) {
  const { x, y, size } = G.hull, at2 = ([a, b]) => [x + (0.5 + 0.46 * a / reach) * size, y + (0.5 - 0.46 * b / reach) * size];
  const two = (v) => [v[0], v[1] ?? 0], values = m.V.map(two), seen = values.filter((_, j) => m.visible[i][j]);
  sheet.text(x, y - 14, words.hull_title, { size: 14, weight: 600 });
  sheet.rect(x, y, size, size, { fill: "none", stroke: sheet.colours.line });
  for (const v of [-1, 1]) sheet.text(...shift(at2([v * reach, 0]), 0, 16), format(v * reach, 0), { size: 11.5, anchor: v < 0 ? "start" : "end", colour: "muted" });
  sheet.rect(x, y + size / 2, size, 1, { fill: sheet.colours.ghost });
  sheet.rect(x + size / 2, y, 1, size, { fill: sheet.colours.ghost });
  const corners = hullOf(seen).map(at2);
  if (corners.length > 1) sheet.over.push(["polygon", { points: corners.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), fill: sheet.colours.band, stroke: sheet.colours.V, "stroke-width": 2, "stroke-dasharray": "1.5 5", "stroke-linecap": "round" }]);
  const z = at2(two(m.context[i]));
  seen.forEach((v, k) => {
    const j = values.indexOf(v);
    sheet.line([at2(v), z], "muted", { width: Math.max(0.6, 5 * m.weights[i][j]) });
  });
  values.forEach((v, j) => {
    const [px, py] = at2(v), visible = m.visible[i][j];
    if (visible) sheet.over.push(["path", { d: `M${px} ${py - 6}l6 6l-6 6l-6 -6z`, fill: sheet.colours.V }]);
    else {
      sheet.line([[px - 5, py - 5], [px + 5, py + 5]], "muted");
      sheet.line([[px - 5, py + 5], [px + 5, py - 5]], "muted");
    }
    if (m.n <= 8 && visible) {
      const name = ruler.clip(tokens[j], 80, 12.5), right = px + ruler.width(name, 12.5) + 10 < x + size;
      sheet.text(px + (right ? 9 : -9), py - 6, name, { size: 12.5, anchor: right ? "start" : "end", colour: "ink" });
    }
  });
  if (m.sums[i]) {
    sheet.over.push(["circle", { cx: z[0], cy: z[1], r: 7, fill: sheet.colours.ink, stroke: sheet.colours.paper, "stroke-width": 2.5 }]);
    sheet.text(z[0] - 11, z[1] + 5, [["z", "math"]], { size: 18, weight: 700, anchor: "end" });
  }
}
var shift = ([x, y], dx, dy) => [x + dx, y + dy];
var row = {
  formula: FORMULAS.row,
  prepare: compute,
  layout: layout3,
  draw: draw3,
  tables: [],
  words(scene) {
    const { words, m, i } = scene, seen = seenBy(scene), title = words.title_row;
    if (!seen.k) return { title, say: fill(words.sees_nothing, seen) };
    return { title, say: fill(words.panel_row, { ...seen, sum: format(m.sums[i], 3), tau: scene.temperature }) };
  },
  row: (scene) => rowWords("4c", scene)
};

// src/views/scores.js
function layout4(width, { n, d_k }, ems) {
  const W2 = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W2 < 700, labels = narrow ? 62 : 84;
  const side = narrow ? 8 : 16, chart = narrow ? 0 : byWidth(W2, 0, 330, 400, 500), gap = narrow ? 20 : 34;
  const units2 = featureUnits(d_k) + tokenUnits(n), room = W2 - 2 * side - labels - gap - (chart ? chart + 60 : 8);
  const cw = clamp(Math.floor(room / units2), 10, 54), rh = clamp(Math.floor(Math.min(0.66 * cw, 420 / (featureUnits(d_k) + n))), 15, 34);
  const header = 32, y1 = header + 4, keys = featureUnits(d_k) * rh, y2 = y1 + keys + header + 18, grid2 = y2 + n * rh + 12;
  const xQ = side + labels, wK = featureUnits(d_k) * cw, xS = xQ + wK + gap, wS = tokenUnits(n) * cw;
  const { size, decimals } = numberFit(cw, rh, ems), wide = cw >= 20 && n <= 10 && size >= (narrow ? 7.5 : 8.5);
  const box = narrow ? { x: 52, y: grid2 + 46, width: W2 - 70, height: 190 } : { x: xS + wS + 110, y: y1 + 26, width: Math.min(640, W2 - side - xS - wS - 118), height: Math.max(260, grid2 - y1 - 110) };
  return {
    W: W2,
    narrow,
    height: Math.max(grid2, box.y + box.height + 74),
    label: Math.min(rh - 1, narrow ? 12 : 15),
    labels,
    rh,
    cw,
    y1,
    y2,
    xQ,
    wK,
    xS,
    wS,
    cellK: wK / d_k,
    cellS: wS / n,
    rowK: keys / d_k,
    keys,
    size,
    decimals,
    showS: wide,
    showK: wide && d_k <= 8,
    box,
    query: (r) => ({ x: side, y: y2 + r * rh, width: labels - 8, height: rh })
  };
}
function draw4(P) {
  const { sheet, G, m, i, j, words, tokens, ruler } = P, fonts = numberFonts(G, ruler);
  const heads2 = { sheet, G, ruler }, look = { fonts, numbers: G.showK };
  if (!G.narrow) sheet.text(G.query(0).x, G.y1 - 12, words.pick_cell, { size: 14, colour: "muted" });
  sheet.matrix("K", G.xS, G.y1, m.d_k, m.n, G.cellS, G.rowK, (c, k) => m.K[k][c], { ...look, turned: !G.showK });
  sheet.bracket(G.xS, G.y1, G.wS, G.keys, "K");
  drawHeader(heads2, G.xS, G.y1, G.wS, "K", { role: "K", turned: true, name: words.name_K, shape: [m.d_k, m.n] });
  sheet.matrix("Q", G.xQ, G.y2, m.n, m.d_k, G.cellK, G.rh, (r, c) => m.Q[r][c], look);
  sheet.bracket(G.xQ, G.y2, G.wK, m.n * G.rh, "Q");
  drawHeader(heads2, G.xQ, G.y2, G.wK, "Q", { role: "Q", name: words.name_Q, shape: [m.n, m.d_k] });
  const score = (r, c) => m.visible[r][c] ? m.raw[r][c] : { value: -Infinity, hidden: 1 };
  sheet.matrix("S", G.xS, G.y2, m.n, m.n, G.cellS, G.rh, score, { fonts, numbers: G.showS });
  sheet.bracket(G.xS, G.y2, G.wS, m.n * G.rh, "ink");
  drawHeader(heads2, G.xS, G.y2 - 18, G.wS, "S", { name: words.name_S, shape: [m.n, m.n] });
  const size = Math.min(13, (G.cellS - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1, 700)))), named = !G.narrow && size >= 10;
  tokens.forEach((t, c) => sheet.text(
    G.xS + (c + 0.5) * G.cellS,
    G.y2 - 7,
    named ? t : String(c + 1),
    { size: named ? size : Math.min(11, Math.max(8.5, 0.6 * G.cellS)), anchor: "middle", colour: c === j ? "ink" : "muted", weight: c === j ? 700 : 400 }
  ));
  const y = G.y2 + i * G.rh;
  sheet.rect(G.query(i).x - 2, y - 1, G.xS + G.wS + 6 - G.query(i).x, G.rh + 2, { fill: sheet.colours.band, rx: 4 }, sheet.under);
  sheet.frame(G.xQ, y, G.wK, G.rh, "Q");
  sheet.frame(G.xS + j * G.cellS, G.y1, G.cellS, G.keys, "K");
  sheet.frame(G.xS + j * G.cellS, y, G.cellS, G.rh, "ink", 3.5);
  if (!G.narrow) sheet.line([[G.xS + G.wS + 8, y + G.rh / 2], [G.box.x - 44, y + G.rh / 2]], "ink", { width: 2.2, arrow: true });
  drawWaterfall(P);
}
function drawWaterfall({ sheet, G, m, i, j, words, ruler }) {
  const { x, y, width, height } = G.box, products = m.Q[i].map((q, k) => q * m.K[j][k]), sums = [0];
  for (const p of products) sums.push(sums.at(-1) + p);
  const low = Math.min(...sums), high = Math.max(...sums), pad = 0.14 * (high - low || 1);
  const at2 = (v) => y + height - (v - low + pad) / (high - low + 2 * pad) * height;
  const step = width / (m.d_k + 1), bar = Math.min(64, 0.64 * step), many = m.d_k > 8, left = (k) => x + step * k + (step - bar) / 2;
  const title = fill(words.products, { d_k: m.d_k }), room = G.W - x - 4;
  sheet.text(x - 6, y - 14, title, { size: Math.min(G.narrow ? 14 : 16, room / ruler.width(title, 1, 500)), weight: 500 });
  const tick = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01].find((t) => (high - low + 2 * pad) / t >= 3) ?? 0.01;
  for (let v = Math.ceil((low - pad) / tick) * tick; v <= high + pad; v += tick) {
    const zero = Math.abs(v) < tick / 2;
    sheet.rect(x - 6, at2(v) - 0.7, width + 6, zero ? 1.4 : 0.8, { fill: sheet.colours[zero ? "border" : "ghost"] });
    sheet.text(x - 12, at2(v) + 4.5, format(v, tick < 0.1 ? 2 : tick < 1 ? 1 : 0), { size: 12, anchor: "end", colour: "muted" });
  }
  products.forEach((p, k) => {
    const top2 = Math.min(at2(sums[k]), at2(sums[k + 1])), tall = Math.max(1.5, Math.abs(at2(sums[k]) - at2(sums[k + 1])));
    sheet.bar(left(k), top2, bar, tall, p);
    sheet.line([[left(k) + bar, at2(sums[k + 1])], [left(k + 1), at2(sums[k + 1])]], "ink", { width: 1.1, dash: "3 3" });
    if (many) return;
    const middle = left(k) + bar / 2, size = Math.min(14, step / 4.6);
    sheet.text(middle, p >= 0 ? top2 - 7 : top2 + tall + 16, (p < 0 ? "▼ −" : "▲ +") + format(Math.abs(p), 2), { size, anchor: "middle", weight: 500 });
    const [q, key] = [m.Q[i][k], m.K[j][k]].map((v) => v < 0 ? `(${format(v, 2)})` : format(v, 2));
    const oneLine = ruler.width(`${q} × ${key}`, 13) <= step - 4, below = y + height + 22;
    sheet.text(oneLine ? middle - 3 - ruler.width("×", 13) / 2 : middle, below, q, { size: Math.min(13, size), anchor: oneLine ? "end" : "middle", colour: "Q" });
    if (oneLine) sheet.text(middle, below, "×", { size: 13, anchor: "middle" });
    sheet.text(oneLine ? middle + 3 + ruler.width("×", 13) / 2 : middle, oneLine ? below : below + 16, oneLine ? key : `× ${key}`, { size: Math.min(13, size), anchor: oneLine ? "start" : "middle", colour: "K" });
    sheet.text(middle, below + (oneLine ? 18 : 34), String(k + 1), { size: 12, anchor: "middle", colour: "muted" });
  });
  const total = sums.at(-1), top = Math.min(at2(0), at2(total));
  sheet.rect(left(m.d_k), top, bar, Math.max(2, Math.abs(at2(0) - at2(total))), { fill: sheet.colours.ink, rx: 2 });
  const end = left(m.d_k) + bar / 2;
  if (!many) sheet.text(end, top - 8, format(total, 2), { size: 17, anchor: "middle", weight: 700 });
  sheet.text(many ? x + width : end, y + height + 24, [["s", "math"], ["ij", "sub"], ...many ? [[` = ${format(total, 2)}`]] : []], { size: 16, anchor: many ? "end" : "middle", weight: many ? 700 : 400 });
  if (many) sheet.text(x, y + height + 24, fill(words.entries_1_to, { d_k: m.d_k }), { size: 12.5, colour: "muted" });
}
var scores = {
  formula: FORMULAS.scores,
  prepare: compute,
  layout: layout4,
  draw: draw4,
  turned: true,
  tables: ["S"],
  keyed: true,
  words({ m, tokens, i, j, words }) {
    const products = m.Q[i].map((q, k) => q * m.K[j][k]), shown = products.slice(0, 6);
    const sum = shown.map((p, k) => (k ? p < 0 ? " − " : " + " : p < 0 ? "−" : "") + format(Math.abs(p), 2)).join("") + (products.length > 6 ? " + …" : "");
    const say = fill(words.panel_scores, { t: tokens[i], key: tokens[j], sum, s: format(m.raw[i][j], 2) });
    return { title: words.title_scores, say: m.visible[i][j] ? say : sentences(say, words.panel_scores_hidden) };
  },
  row: (scene) => rowWords("3b", scene)
};

// src/views/spread.js
var ROWS = ["none", "root", "full"];
function prepare(arrays, { n, d_k, mask: mask2 }, { data, index }) {
  const visible = visibility(n, mask2), raw = data.scores[index].slice(0, n).map((row2) => row2.slice(0, n));
  const scales = { none: 1, root: Math.sqrt(d_k), full: d_k };
  const softened = Object.fromEntries(ROWS.map((name) => [name, raw.map((row2, i) => softmaxRow(row2.map((s, j) => visible[i][j] ? s / scales[name] : -Infinity)).weights)]));
  return {
    n,
    d_k,
    mask: mask2,
    visible,
    raw,
    softened,
    weights: softened.root,
    sums: visible.map((row2) => row2.some(Boolean) ? 1 : 0),
    counts: data.counts[index],
    scaledCounts: data.scaled_counts[index],
    edges: data.edges,
    sd: data.sd[index],
    V: [[0]],
    context: [[0]]
  };
}
function layout5(width, { n }) {
  const W2 = Math.max(LEAST_WIDTH, Math.floor(width)), narrow = W2 < 700, side = narrow ? 8 : 16, labels = narrow ? 74 : 92;
  const chart = { x: side + 8, width: narrow ? W2 - 2 * side - 16 : Math.floor(0.46 * W2) - 40, tall: 120 };
  const top = narrow ? 2 * (chart.tall + 62) + 10 : 0, left = narrow ? side : Math.floor(0.48 * W2);
  const xA = left + labels, cw = Math.floor((W2 - xA - side - byWidth(W2, 56, 66, 70, 76)) / n), rh = 40, y = top + 60;
  const line = Math.max(20, Math.min(28, Math.floor(W2 / 40)));
  const columns = Math.min(n, 4), cell = Math.floor((W2 - side - left) / columns), queryTop = y + 3 * (rh + 8) + 46;
  return {
    W: W2,
    narrow,
    label: narrow ? 12 : 14,
    chart,
    left,
    xA,
    cw,
    rh,
    y,
    height: Math.max(2 * (chart.tall + 62) + 6, queryTop + line * Math.ceil(n / columns) + 10),
    queryTop,
    rowY: (k) => y + k * (rh + 8),
    query: (r) => ({ x: left + r % columns * cell, y: queryTop + Math.floor(r / columns) * line, width: cell - 4, height: line })
  };
}
function draw5(P) {
  const { sheet, G, m, i, words, tokens, ruler } = P;
  const root3 = Math.sqrt(m.d_k), divided = [[`${words.spread_raw} ÷ √`], ["d", "math"], ["k", "sub"], [` = ${format(root3, 2)}`]];
  [["counts", words.spread_raw, 1], ["scaledCounts", divided, root3]].forEach(([name, title, scale], k) => {
    const top = 30 + k * (G.chart.tall + 62), floor = top + G.chart.tall, counts = m[name], most = Math.max(...counts), step = G.chart.width / counts.length;
    sheet.text(G.chart.x, top - 10, title, { size: G.narrow ? 13.5 : 15, weight: 600 });
    sheet.text(G.chart.x + G.chart.width, top + 10, fill(words.spread_sd, { sd: format(m.sd / scale, 2) }), { size: G.narrow ? 13.5 : 15, anchor: "end", weight: 600 });
    counts.forEach((count, b) => {
      if (count) sheet.rect(G.chart.x + b * step, floor - count / most * G.chart.tall, Math.max(1, step - 0.5), count / most * G.chart.tall, { fill: sheet.colours.border });
    });
    sheet.rect(G.chart.x, floor, G.chart.width, 1.4, { fill: sheet.colours.ink });
    const low = m.edges[0], high = m.edges.at(-1), at2 = (v) => G.chart.x + (v - low) / (high - low) * G.chart.width;
    for (const v of [low, low / 2, 0, high / 2, high]) sheet.text(at2(v), floor + 16, format(v, 0), { size: 12, anchor: v === low ? "start" : v === high ? "end" : "middle", colour: "muted" });
    const reach = m.sd / scale, y = floor + 24;
    sheet.line([[at2(-reach), y], [at2(reach), y]], k ? "Q" : "K", { width: 4 });
  });
  sheet.text(G.left, G.y - 32, fill(words.spread_weights, { t: tokens[i] }), { size: G.narrow ? 13.5 : 15, weight: 600 });
  sheet.text(G.W - (G.narrow ? 8 : 16), G.y - 10, words.largest, { size: 12.5, anchor: "end", colour: "muted" });
  const size = Math.min(12.5, (G.cw - 3) / Math.max(...tokens.map((t) => ruler.width(t, 1)))), named = size >= 9;
  tokens.forEach((t, j) => sheet.text(G.xA + (j + 0.5) * G.cw, G.y - 8, named ? t : String(j + 1), { size: named ? size : Math.min(11, Math.max(8.5, 0.55 * G.cw)), anchor: "middle", colour: "muted" }));
  const labels = { none: [["s", "math"]], root: [["s", "math"], [" / √"], ["d", "math"], ["k", "sub"]], full: [["s", "math"], [" / "], ["d", "math"], ["k", "sub"]] };
  ROWS.forEach((name, k) => {
    const row2 = m.softened[name][i], y = G.rowY(k), digits = Math.min(14, (G.cw - 6) / ruler.width("0.00", 1, 500));
    sheet.text(G.left, y + G.rh / 2 + 6, labels[name], { size: 16, weight: name === "root" ? 700 : 400 });
    sheet.matrix(
      `A ${name}`,
      G.xA,
      y,
      1,
      m.n,
      G.cw,
      G.rh,
      (_, j) => m.visible[i][j] ? { value: row2[j], weight: true } : { value: 0, weight: true, hidden: 1 },
      { fonts: { size: digits, decimals: 1, slack: 0 }, numbers: digits >= 8.5 }
    );
    sheet.bracket(G.xA, y, m.n * G.cw, G.rh, name === "root" ? "Q" : "ink");
    sheet.text(G.W - (G.narrow ? 8 : 16), y + G.rh / 2 + 6, format(Math.max(...row2), 3), { size: 17, anchor: "end", weight: 700 });
  });
}
var spread = {
  formula: FORMULAS["4a"],
  prepare,
  layout: layout5,
  draw: draw5,
  tables: [],
  words({ m, tokens, i, words }) {
    const most = (name) => format(Math.max(...m.softened[name][i]), 3);
    return { title: words.title_4a, say: fill(words.panel_spread, { d_k: m.d_k, sd: format(m.sd, 2), t: tokens[i], none: most("none"), root: most("root") }) };
  },
  row: ({ m, tokens, i, words }) => fill(words.row_weights, { t: tokens[i], values: m.weights[i].map((w, j) => `${tokens[j]} ${spoken(words, w, 3)}`).slice(0, 8).join(words.comma) })
};

// src/views/stops.js
var stop = (T2, name, extra = {}) => ({
  formula: FORMULAS[name],
  prepare: compute,
  layout,
  draw: (scene) => draw({ ...scene, T: T2, ...extra }),
  words(scene) {
    const { words } = scene, title = words[`title_${stopOf(T2)}`], seen = seenBy(scene);
    if (!seen.k) return { title, say: fill(words.sees_nothing, seen) };
    return { title, say: fill(words[seen.k === seen.n && words[`panel_${name}_all`] ? `panel_${name}_all` : `panel_${name}`], seen) };
  },
  row: (scene) => rowWords(stopOf(T2), scene),
  turned: T2 > 2.2,
  ...extra
});
var mask = stop(9, "mask", { tables: ["A", "Z"], traceable: true });
var projections = stop(2, "projections", {
  upperOnly: true,
  tables: ["Q", "K", "V"],
  layout: (...size) => {
    const G = layout(...size), lowerRoom = G.narrow ? 0 : 130;
    return { ...G, lowerRoom, height: G.y1 + G.middle + 10 + (lowerRoom ? lowerRoom + 22 : 0) };
  }
});

// src/index.js
var VIEWS = { lab, projections, scores, spread, row, mask, heads };
var STATE = ["d_k", "mask", "n", "query", "key", "heads", "temperature"];
var TEMPERATURES = [0.1, 0.2, 0.5, 1, 2, 5, 10];
var VARIABLES = ["paper", "ink", "muted", "Q", "K", "V", "soft", "line", "border", "focus"];
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
    this.reach = this.hullReach();
    this.view = VIEWS[model.get("view")];
    this.trace = false;
    if (this.view.plays) {
      this.player = new Player(model.get("stop"), () => this.schedule());
      this.bar = new Bar(this.player, this.words);
    }
    this.build(el);
    this.painter = new Painter(this.picture);
    this.reader = new Reader(this.picture, {
      say: (sentence) => {
        this.live.textContent = sentence;
      },
      scene: () => this.reading,
      leave: () => this.setTrace(false),
      modal: Boolean(this.player)
    });
    this.listen();
  }
  build(el) {
    const { words } = this;
    this.root = make("div", "al-stage", { role: "group", "aria-label": this.player ? words.lab : words.group });
    const head = make("div", "al-head");
    this.title = make("div", "al-title");
    this.formula = make("div", "al-formula al-math", { lang: "en", role: "img" });
    if (this.player) {
      this.step = make("span", "al-step");
      this.trail = make("span", "al-trail");
      head.append(this.step, this.title, this.trail, this.formula);
    } else head.append(this.title, this.formula);
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
    this.root.append(head, this.sentence, this.scroller, ...this.bar ? [this.bar.node] : [], this.note, this.live, this.tables);
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
    this.sizes = new ResizeObserver(() => {
      if (this.missed || this.root.clientWidth !== this.width) redraw();
    });
    this.sizes.observe(this.root);
    this.themes = new MutationObserver(redraw);
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
    this.zoom = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    this.zoom.addEventListener("change", this.changed);
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
    if (this.player) this.root.addEventListener("keydown", (event) => this.playByKey(event));
    redraw();
  }
  // Keys of the whole lab; sliders, radio groups and buttons keep their own.
  playByKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { player } = this, { key, target } = event;
    if (key === " " && target.closest("button, [role=radio], [role=slider]")) return;
    const act = { " ": () => player.toggle(), ArrowRight: () => player.next(), ArrowLeft: () => player.previous(), Home: () => player.restart() }[key] ?? (key.toLowerCase() === "t" ? () => this.act("A", this.scene.i, this.scene.j) : null) ?? (/^[1-5]$/.test(key) ? () => player.seek({ 1: 1, 2: 2, 3: 3, 4: 5, 5: 8 }[key]) : null);
    if (!act || target.closest("[role=radiogroup]")) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
  dispose() {
    this.player?.dispose();
    for (const name of STATE) this.model.off(`change:${name}`, this.changed);
    this.zoom.removeEventListener("change", this.changed);
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
    return {
      d_k: get("widths")[get("d_k")],
      mask: MASKS[get("mask")],
      n: get("n"),
      query: get("query"),
      key: get("key"),
      heads: get("heads"),
      temperature: TEMPERATURES[get("temperature")]
    };
  }
  // Notebook 04 draws the first two entries of the values: one scale for the longest sentence.
  hullReach() {
    const { H, W_V } = this.arrays, V2 = compute({ H, W_Q: W_V, W_K: W_V, W_V }, { n: H.length, d_k: Math.min(2, W_V[0].length), mask: "none" }).V;
    return Math.max(1, Math.ceil(Math.max(...V2.flat().map(Math.abs))));
  }
  // A value that another slider leaves no room for moves to the nearest valid one, says so, and is written
  // back to its slider.
  settle() {
    const { n, d_k, query, key, heads: heads2 } = this.settings, last = Math.min(n, this.model.get("tokens").length);
    const room = this.model.get("view") === "heads" ? Math.max(1, Math.floor(this.arrays.W_Q[0].length / d_k)) : heads2;
    const most = { n: last, query: last, key: last, heads: room }, now = { n, query, key, heads: heads2 };
    const beyond = Object.keys(now).filter((name) => now[name] > most[name]);
    if (!beyond.length) return;
    this.settling = true;
    for (const name of beyond) {
      if (name !== "n" && (name !== "key" || this.view.keyed)) this.note.textContent = fill(this.words[`moved_${name}`], { from: now[name], to: most[name], d_k });
      this.model.set(name, most[name]);
    }
    this.settling = false;
    this.model.save_changes();
  }
  draw() {
    this.missed = !this.root.clientWidth;
    if (this.missed) {
      requestAnimationFrame(() => {
        if (this.root.clientWidth) this.schedule();
      });
      return;
    }
    this.settle();
    this.dress();
    const family = getComputedStyle(this.root).fontFamily;
    if (family !== this.ruler?.family) this.ruler = new Ruler(family);
    const started = performance.now(), settings = this.settings, { n, d_k, mask: mask2, query } = settings, i = query - 1, { view } = this;
    const m = view.prepare(this.arrays, settings, { data: this.model.get("data"), index: this.model.get("d_k") });
    const tokens = tokensFor(this.model.get("tokens"), n, mask2), G = view.layout(this.root.clientWidth, m, this.ruler);
    const sheet = new Sheet(this.theme, this.limit, this.painter.prefix);
    const T2 = this.player?.T, moving = this.player && !this.player.arrived;
    if (this.trace && T2 !== void 0 && T2 !== 9) this.trace = false;
    const scene = {
      sheet,
      m,
      G,
      i,
      T: T2,
      tokens,
      words: this.words,
      trace: this.trace,
      limit: this.limit,
      reach: this.reach,
      ruler: this.ruler,
      temperature: settings.temperature,
      turned: view.turned ?? T2 > 2.2,
      ...this.pick(m, i, settings)
    };
    view.draw(scene);
    this.scene = scene;
    this.sheet = sheet;
    this.map.style.width = `${G.W}px`;
    this.map.style.height = `${this.tallest(G)}px`;
    this.scroller.classList.toggle("al-wide", G.W === LEAST_WIDTH && this.root.clientWidth < LEAST_WIDTH);
    this.root.classList.toggle("al-narrow", G.narrow);
    this.painter.resize(G.W, this.height, family, [this.theme, n, d_k, settings.heads].join());
    this.painter.paint(sheet);
    this.label(scene);
    this.tell(scene);
    this.reader.refresh();
    this.lastPaint = performance.now();
    this.paintTime = this.lastPaint - started;
    clearTimeout(this.later);
    if (!moving) this.later = setTimeout(() => this.settleDown(), 250);
  }
  // A picture may grow, and then keeps its height until its width changes: what stands below never jumps to and fro.
  tallest(G) {
    if (this.root.clientWidth !== this.width) this.height = 0;
    this.width = this.root.clientWidth;
    this.height = Math.max(this.height, G.height);
    return this.height;
  }
  // The key and the entry that the picture follows: the largest weight and the largest product, unless chosen.
  pick(m, i, { key }) {
    const inside = (k, count) => k !== void 0 && k < count;
    const leader = m.weights[i].indexOf(Math.max(...m.weights[i]));
    const j = this.view.keyed ? key - 1 : inside(this.key, m.n) ? this.key : leader;
    const products = (m.V[j] ?? [0]).map((v) => Math.abs(m.weights[i][j] * v));
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
    const at2 = G.query(0), room = at2.width - (G.narrow ? 15 : 21), widest = Math.max(...tokens.map((t) => ruler.width(t, 1, 700)));
    const size = Math.min(G.label, Math.max(G.narrow ? 9.5 : 11, room / widest));
    const wanted = [m.n, G.W, at2.x, at2.y, at2.width, at2.height, tokens.join("\n")].join();
    if (wanted !== this.labels) {
      const held = this.queries.contains(document.activeElement);
      this.labels = wanted;
      this.queries.replaceChildren(...tokens.map((token, r) => {
        const node = make("div", "al-query", { role: "radio", "data-row": r, title: token, "aria-label": token, "data-lm-suppress-shortcuts": "true" });
        node.append(make("span", "al-dot"), make("span", "al-token"));
        node.lastChild.textContent = ruler.clip(token, room, size, 700);
        const { x, y, width, height } = G.query(r);
        Object.assign(node.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px`, fontSize: `${size.toFixed(2)}px` });
        return node;
      }));
      if (held) this.queries.children[i].focus();
    }
    [...this.queries.children].forEach((node, r) => {
      node.setAttribute("aria-checked", r === i);
      node.tabIndex = r === i ? 0 : -1;
    });
  }
  choose(row2, key) {
    this.key = this.entry = void 0;
    this.model.set({ query: row2 + 1, ...key === void 0 ? {} : { key: key + 1 } });
    this.model.save_changes();
  }
  chooseByKey(event) {
    const { n, query } = this.settings;
    const to = { ArrowUp: query - 1, ArrowLeft: query - 1, ArrowDown: query + 1, ArrowRight: query + 1, Home: 1, End: n }[event.key];
    if (to === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    const row2 = Math.min(n, Math.max(1, to)) - 1;
    this.choose(row2);
    this.queries.children[row2]?.focus();
  }
  get reading() {
    const { sheet, scene } = this;
    const found = (name, r, c) => {
      const value = sheet.matrices.find((m) => m.name === name).value(r, c);
      return typeof value === "number" ? { value } : value ?? { value: NaN };
    };
    return { sheet, row: scene.i, describe: (name, r, c) => cellWords({ name, r, c }, found(name, r, c), scene), act: (...at2) => this.act(...at2) };
  }
  // Enter or a click on a cell: choose its row and, where the view traces, follow its product from H to Z.
  act(name, r, c) {
    const { i } = this.scene;
    if (/^(H|Q|Q below|A\d|Z\d|Concat|MHA)$/.test(name)) return this.choose(r);
    if (this.view.keyed && name === "S") return this.choose(r, c);
    if (this.view.keyed && name === "K") return this.choose(i, c);
    const weighted = this.player?.arrived && this.player.T >= 7;
    const at2 = (this.view.traceable || weighted) && { A: [r, c], S: [r, c], a: [i, r], V: [i, r, c], Z: [r, void 0, c], K: [i, c] }[name];
    if (!at2) return;
    const same = this.trace && at2[0] === i && (at2[1] ?? this.scene.j) === this.scene.j && (at2[2] ?? this.scene.c) === this.scene.c;
    if (this.player && this.player.T < 9) this.player.seek(9);
    if (at2[0] !== i) this.choose(at2[0]);
    [, this.key, this.entry] = at2;
    this.setTrace(!same);
  }
  setTrace(on) {
    if (this.trace) this.told = "";
    this.trace = on && this.scene.m.sums[this.scene.i] > 0;
    if (!on) this.key = this.entry = void 0;
    this.schedule();
  }
  tell(scene) {
    const { title, say } = this.view.words(scene), { words } = this, { T: T2 } = scene;
    this.title.textContent = title;
    setSentence(this.sentence, this.trace ? fill(words.trace_path, { from: scene.tokens[scene.j], t: scene.tokens[scene.i], c: scene.c + 1 }) : say);
    const [html, spoken2] = this.view.formula ?? this.view.formulaAt(T2);
    if (this.formula.getAttribute("aria-label") !== spoken2) {
      this.formula.innerHTML = html;
      this.formula.setAttribute("aria-label", spoken2);
    }
    let lead = title;
    if (this.player) {
      this.reserve(scene);
      const stop2 = stopOf(T2), trail = words[`trail_${stop2[0]}`]?.split("|") ?? [];
      this.step.textContent = fill(words.step, { k: stop2[0] });
      this.trail.replaceChildren(...trail.flatMap((name, k) => [k ? " › " : "", k === stop2.charCodeAt(1) - 97 ? Object.assign(make("b", ""), { textContent: name }) : name]));
      lead = fill(words.step_is, { k: stop2[0], title });
      this.bar.show();
    }
    this.spoken = this.trace ? traceWords(scene) : `${lead}. ${say} ${this.view.row(scene)}`;
  }
  // Room for the longest sentence of the run, so that the picture below stands still while it plays.
  reserve(scene) {
    const size = parseFloat(getComputedStyle(this.sentence).fontSize), room = scene.G.W - (scene.G.narrow ? 16 : 32);
    const longest = Math.max(...STOPS.map((stop2) => scene.ruler.width(stopWords(stop2, scene).say, size)));
    this.sentence.style.minHeight = `${Math.ceil(1.04 * longest / room) * 1.4 * size + 2}px`;
  }
  // Once nothing has changed for a moment: the live region, the tables behind the picture, slider names.
  settleDown() {
    const { words, scene } = this;
    if ((!this.reader.at || this.trace) && this.spoken !== this.told) {
      if (this.told !== void 0) this.live.textContent = this.spoken;
      this.told = this.spoken;
    }
    this.picture.setAttribute("aria-label", `${this.spoken} ${this.player ? words.play_help : words.read_help}`);
    this.fillTables(scene);
    this.labelSliders();
  }
  fillTables(scene) {
    const { m, tokens, words } = scene;
    const table = (name, rows, heads2, caption) => {
      const node = make("table", "al-table"), at2 = this.sheet.matrices.find((x) => x.name === name);
      if (!at2) return null;
      node.createCaption().textContent = caption;
      const first = node.createTHead().insertRow();
      first.append(make("td", ""), ...heads2.map((t) => Object.assign(make("th", "", { scope: "col" }), { textContent: t })));
      const body = node.createTBody();
      rows.forEach((t, r) => {
        const row2 = body.insertRow();
        row2.append(Object.assign(make("th", "", { scope: "row" }), { textContent: t }));
        for (let c = 0; c < heads2.length; c++) {
          const found = at2.value(r, c), cell = typeof found === "number" ? { value: found } : found;
          row2.insertCell().textContent = !cell ? "" : cell.hidden > 0.5 ? words.hidden : cell.value.toFixed(cell.weight ? 3 : 2);
        }
      });
      return node;
    };
    const entries = Array.from({ length: Math.min(m.d_k, 8) }, (_, c) => fill(words.entry, { c: c + 1 }));
    const square = (name) => name === "A" || name === "S";
    this.tables.replaceChildren(...(this.view.tables ?? this.view.tablesAt(scene.T)).map((name) => table(name, tokens, square(name) ? tokens : entries, words[`name_${name}`])).filter(Boolean));
  }
  // ipywidgets leaves its handles nameless and their keys to the notebook.
  labelSliders() {
    const controls = this.root.closest(".al-panel")?.querySelector(".al-controls");
    if (!controls) return;
    if (controls !== this.controls) {
      this.controls = controls;
      this.labelled.observe(controls, { childList: true, subtree: true });
    }
    const names = this.model.get("labels");
    [...controls.querySelectorAll(".widget-hslider")].forEach((slider, k) => {
      const handle = slider.querySelector(".noUi-handle"), readout = slider.querySelector(".widget-readout");
      if (!handle || !readout || !names[k]) return;
      const word = () => {
        const value = readout.textContent.trim();
        const spoken2 = k === 3 || k === 4 && this.view.keyed ? fill(this.words.position, { i: value, t: this.scene?.tokens[value - 1] ?? "" }) : value;
        if (handle.getAttribute("aria-valuetext") !== spoken2) handle.setAttribute("aria-valuetext", spoken2);
      };
      handle.setAttribute("aria-label", names[k]);
      for (const node of [handle, readout]) node.dataset.lmSuppressShortcuts = "true";
      readout.tabIndex = -1;
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
      const [row2, column] = key.split(" ").slice(-2).map(Number);
      return { matrix: key.split(" ").slice(0, -2).join(" "), row: row2, col: column, x, y, w, h, text, fill: hidden > 0 ? THEMES[this.theme].hatchPaper : ground ?? paper, ink, hidden };
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
  VIEWS,
  compute,
  computeHeads,
  contrast,
  index_default as default,
  format,
  hullOf,
  layout,
  signedFill,
  signedLimit,
  visibility,
  weightFill,
  weightInk
};
