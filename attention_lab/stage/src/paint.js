// A sheet is one frame as data: cells for the canvas, shapes and words for the SVG over and under it,
// and what travels, drawn last. The painter puts it on the page and repaints only the cells that changed.

import { signedFill, weightFill, weightInk, THEMES } from "./colour.js";

const SVG = "http://www.w3.org/2000/svg";
const MATH = '"STIX Two Text", "Cambria Math", Georgia, serif';
const DASH = { Q: "", K: "8 5", V: "1.5 5", ink: "" };

export function format(value, decimals) {
  if (value === -Infinity) return "−∞";
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? (0).toFixed(decimals) : text).replace("-", "−");
}

// Widths of text in the font really used, so that a wide font changes sizes and never overlaps.
export class Ruler {
  constructor(family) {
    this.family = family;
    this.context = document.createElement("canvas").getContext("2d");
    this.known = new Map();
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
}

export class Sheet {
  constructor(theme, limit, prefix) {
    Object.assign(this, { theme, limit, prefix, colours: THEMES[theme], cells: [], under: [], over: [], top: [], matrices: [] });
  }

  rect(x, y, width, height, attributes, layer = this.over) {
    layer.push(["rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes }]);
  }

  line(points, colour, { width = 2, dash, cap, arrow } = {}) {
    this.over.push(["polyline", {
      points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), fill: "none",
      stroke: this.colours[colour], "stroke-width": width, "stroke-dasharray": dash, "stroke-linecap": cap,
      "stroke-linejoin": "round", "marker-end": arrow ? `url(#${this.prefix}-arrow-${colour})` : undefined }]);
  }

  // parts: a string, or [text, style] pieces; style "math", "sub" or "sup" sets a mathematical letter.
  text(x, y, parts, { size = 14, colour = "ink", anchor = "start", weight } = {}) {
    const pieces = (Array.isArray(parts) ? parts : [parts]).map((p) => (Array.isArray(p) ? p : [p]));
    this.over.push(["text", { x, y, "font-size": size, fill: this.colours[colour], "text-anchor": anchor, "font-weight": weight }, pieces]);
  }

  // A frame has a casing of paper, so that it is seen on every fill; its dash tells the role without colour.
  frame(x, y, width, height, role, stroke = 2.5) {
    const box = { fill: "none", rx: 3 };
    this.rect(x - 1, y - 1, width + 2, height + 2, { ...box, stroke: this.colours.paper, "stroke-width": stroke + 3 });
    this.rect(x - 1, y - 1, width + 2, height + 2, { ...box, stroke: this.colours[role], "stroke-width": stroke,
      "stroke-dasharray": DASH[role] || undefined, "stroke-linecap": DASH[role] ? "round" : undefined });
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
    const fill = this.colours[role];
    if (role === "Q") this.over.push(["circle", { cx: x, cy: y, r: 10 * scale, fill }]);
    if (role === "K") this.rect(x - 10 * scale, y - 10 * scale, (turned ? 29 : 20) * scale, 20 * scale, { fill, rx: 2 });
    if (role === "V") this.over.push(["path", { fill, d: `M${x} ${y - 13 * scale}l${13 * scale} ${13 * scale}l${-13 * scale} ${13 * scale}l${-13 * scale} ${-13 * scale}z` }]);
    this.text(x, y + 4.6 * scale, role, { size: 13 * scale, colour: "onMark", anchor: "middle", weight: 700 });
    if (turned) this.text(x + 12 * scale, y - 0.5 * scale, "T", { size: 10 * scale, colour: "onMark", anchor: "middle", weight: 700 });
  }

  // A signed bar: its colour and, for a negative one, stripes.
  bar(x, y, width, height, value) {
    const fill = signedFill(this.theme, 0.9 * Math.sign(value));
    this.rect(x, y, width, height, { fill, rx: 2 });
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
    const gap = cw < 5 ? 0 : cw < 12 ? 0.5 : 1, gapY = ch < 5 ? 0 : gap, share = Math.min(1, Math.max(-1, value / this.limit));
    const cell = { key, x: x + gap / 2, y: y + gapY / 2, w: cw - gap, h: ch - gapY, alpha, hidden, value,
      size: fonts.size, paper: this.colours.paper };
    if (hidden > 0) Object.assign(cell, { hatch: true, struck });
    if (weight) Object.assign(cell, { fill: weightFill(this.theme, value), ink: weightInk(this.theme, value), edge: true });
    else if (numbers) Object.assign(cell, { fill: signedFill(this.theme, share * (quiet ? 0.35 : 1)), ink: this.colours[quiet ? "quiet" : "ink"] });
    else Object.assign(cell, { half: turned ? "x" : "y", negative: value < 0, fill: this.halfFill(share, quiet) });
    if (hidden > 0) cell.ink = this.colours.ink;
    if (numbers) {
      cell.text = hidden > 0 && weight ? "0" : format(value, weight ? (fonts.decimals === 2 ? 3 : 2) : fonts.decimals);
      cell.centred = weight || hidden > 0;
      cell.slack = fonts.slack;
    }
    return cell;
  }

  halfFill(share, quiet) {
    const size = Math.min(1, 0.12 + 1.1 * Math.abs(share)) * (quiet ? this.colours.quietStrip : 1);
    return signedFill(this.theme, Math.sign(share) * size);
  }
}

function element(name, attributes, pieces) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) node.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
  let shift = 0;
  for (const [text, style] of pieces || []) {
    const span = document.createElementNS(SVG, "tspan"), size = attributes["font-size"];
    span.textContent = text; // never as markup: tokens are the learner's
    const target = style === "sub" ? 0.18 * size : style === "sup" ? -0.36 * size : 0;
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

export class Painter {
  constructor(host) {
    this.prefix = `al${Math.random().toString(36).slice(2)}`; // each widget may load a copy of this module
    this.under = this.layer("svg", "al-under");
    this.canvas = this.layer("canvas", "al-cells");
    this.over = this.layer("svg", "al-over");
    this.moving = this.layer("canvas", "al-moving");
    host.append(this.under, this.canvas, this.over, this.moving);
    this.painted = new Map();
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
    const context = this.canvas.getContext("2d"), next = new Map();
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
    const margin = w < 5 ? 0 : 0.5; // strips touch: a margin would eat the neighbour
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
  paintHalf(context, { x, y, w, h, half, negative, fill }, colours) {
    context.fillStyle = colours.soft;
    context.fillRect(x, y, w, h);
    context.fillStyle = fill;
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
    if (w >= 12) context.stroke(); // narrower cells would run together to black
    if (struck) { // a line through the row, which stops for a number so that it can be read
      context.fillStyle = colours.ink;
      context.fillRect(x - 1, y + h / 2 - 0.9, w + 2, 1.8);
    }
    if (text) { // the number stands on a pill of plain ground
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
    context.textAlign = centred ? "center" : "right"; // signed numbers stand right-aligned on the point
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
      item.poly.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.closePath();
      if (item.fill) { context.fillStyle = item.fill; context.fill(); }
      if (item.role) { context.strokeStyle = colours[item.role]; context.lineWidth = item.width; context.setLineDash(item.dash ?? []); context.stroke(); context.setLineDash([]); }
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
}
