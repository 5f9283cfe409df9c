// The stage as a widget: settings come in from the sliders, one picture goes out per animation frame.

import { Bar, make } from "./bar.js";
import { compute, computeHeads, MASKS, visibility } from "./compute.js";
import { contrast, signedFill, signedLimit, THEMES, weightFill, weightInk } from "./colour.js";
import { STOPS, stopOf } from "./draw.js";
import { setSentence } from "./formulas.js";
import { Reader } from "./keys.js";
import { layout, LEAST_WIDTH } from "./layout.js";
import { Player } from "./motion.js";
import { format, Painter, Ruler, Sheet } from "./paint.js";
import { heads } from "./views/heads.js";
import { lab } from "./views/lab.js";
import { hullOf, row } from "./views/row.js";
import { scores } from "./views/scores.js";
import { spread } from "./views/spread.js";
import { mask, projections } from "./views/stops.js";
import { cellWords, fill, stopWords, tokensFor, traceWords } from "./words.js";

export { compute, computeHeads, contrast, format, hullOf, layout, MASKS, signedFill, signedLimit, THEMES, VIEWS, visibility, weightFill, weightInk }; // for tests

// A view: formula, prepare (numbers), layout (places), draw, words (title and sentence), row (for a screen reader),
// tables (matrices that also stand as hidden tables).
const VIEWS = { lab, projections, scores, spread, row, mask, heads };
const STATE = ["d_k", "mask", "n", "query", "key", "heads", "temperature"];
const TEMPERATURES = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const VARIABLES = ["paper", "ink", "muted", "Q", "K", "V", "soft", "line", "border", "focus"];

// JupyterLab, Notebook 7 and exported pages mark their theme on the body; elsewhere the ground tells.
function themeOf(node) {
  const mark = document.body.dataset.jpThemeLight;
  if (mark) return mark === "false" ? "dark" : "light";
  for (let at = node; at; at = at.parentElement) {
    const found = getComputedStyle(at).backgroundColor.match(/[\d.]+/g)?.map(Number);
    if (found && (found[3] ?? 1) > 0.5) return (found[0] + found[1] + found[2]) / 3 < 128 ? "dark" : "light";
  }
  return "light";
}

class Stage {
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
      say: (sentence) => { this.live.textContent = sentence; },
      scene: () => this.reading,
      leave: () => this.setTrace(false),
      modal: Boolean(this.player),
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
    this.picture = make("div", "al-picture", { role: "application", tabindex: "0", "aria-roledescription": words.picture,
      "data-lm-suppress-shortcuts": "true" });
    this.map.append(this.queries, this.picture);
    this.scroller.append(this.map);
    this.live = make("div", "al-live al-unseen", { "aria-live": "polite" });
    this.tables = make("div", "al-tables al-unseen");
    this.root.append(head, this.sentence, this.scroller, ...(this.bar ? [this.bar.node] : []), this.note, this.live, this.tables);
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
    this.sizes = new ResizeObserver(() => { if (this.missed || this.root.clientWidth !== this.width) redraw(); }); // its height is our own doing
    this.sizes.observe(this.root);
    this.themes = new MutationObserver(redraw);
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
    this.zoom = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    this.zoom.addEventListener("change", this.changed);
    document.fonts?.ready.then(() => { this.ruler = null; redraw(); });
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
    const act = { " ": () => player.toggle(), ArrowRight: () => player.next(), ArrowLeft: () => player.previous(), Home: () => player.restart() }[key]
      ?? (key.toLowerCase() === "t" ? () => this.act("A", this.scene.i, this.scene.j) : null)
      ?? (/^[1-5]$/.test(key) ? () => player.seek({ 1: 1, 2: 2, 3: 3, 4: 5, 5: 8 }[key]) : null);
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
      try { this.draw(); } catch (error) {
        this.note.textContent = fill(this.words.failed, { reason: error.message });
        console.error(error);
      }
    });
  }

  get settings() {
    const get = (name) => this.model.get(name);
    return { d_k: get("widths")[get("d_k")], mask: MASKS[get("mask")], n: get("n"), query: get("query"),
      key: get("key"), heads: get("heads"), temperature: TEMPERATURES[get("temperature")] };
  }

  // Notebook 04 draws the first two entries of the values: one scale for the longest sentence.
  hullReach() {
    const { H, W_V } = this.arrays, V = compute({ H, W_Q: W_V, W_K: W_V, W_V }, { n: H.length, d_k: Math.min(2, W_V[0].length), mask: "none" }).V;
    return Math.max(1, Math.ceil(Math.max(...V.flat().map(Math.abs))));
  }

  // A value that another slider leaves no room for moves to the nearest valid one, says so, and is written
  // back to its slider.
  settle() {
    const { n, d_k, query, key, heads } = this.settings, last = Math.min(n, this.model.get("tokens").length);
    const room = this.model.get("view") === "heads" ? Math.max(1, Math.floor(this.arrays.W_Q[0].length / d_k)) : heads;
    const most = { n: last, query: last, key: last, heads: room }, now = { n, query, key, heads };
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
    this.missed = !this.root.clientWidth; // hidden, or without a width for a frame while JupyterLab changes its theme
    if (this.missed) {
      requestAnimationFrame(() => { if (this.root.clientWidth) this.schedule(); });
      return;
    }
    this.settle();
    this.dress();
    const family = getComputedStyle(this.root).fontFamily;
    if (family !== this.ruler?.family) this.ruler = new Ruler(family);
    const started = performance.now(), settings = this.settings, { n, d_k, mask, query } = settings, i = query - 1, { view } = this;
    const m = view.prepare(this.arrays, settings, { data: this.model.get("data"), index: this.model.get("d_k") });
    const tokens = tokensFor(this.model.get("tokens"), n, mask), G = view.layout(this.root.clientWidth, m, this.ruler);
    const sheet = new Sheet(this.theme, this.limit, this.painter.prefix);
    const T = this.player?.T, moving = this.player && !this.player.arrived;
    if (this.trace && T !== undefined && T !== 9) this.trace = false;
    const scene = { sheet, m, G, i, T, tokens, words: this.words, trace: this.trace, limit: this.limit, reach: this.reach, ruler: this.ruler,
      temperature: settings.temperature, turned: view.turned ?? T > 2.2, ...this.pick(m, i, settings) };
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
    const inside = (k, count) => k !== undefined && k < count;
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
    const at = G.query(0), room = at.width - (G.narrow ? 15 : 21), widest = Math.max(...tokens.map((t) => ruler.width(t, 1, 700)));
    const size = Math.min(G.label, Math.max(G.narrow ? 9.5 : 11, room / widest));
    const wanted = [m.n, G.W, at.x, at.y, at.width, at.height, tokens.join("\n")].join();
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

  choose(row, key) {
    this.key = this.entry = undefined;
    this.model.set({ query: row + 1, ...(key === undefined ? {} : { key: key + 1 }) });
    this.model.save_changes();
  }

  chooseByKey(event) {
    const { n, query } = this.settings;
    const to = { ArrowUp: query - 1, ArrowLeft: query - 1, ArrowDown: query + 1, ArrowRight: query + 1, Home: 1, End: n }[event.key];
    if (to === undefined) return;
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
    return { sheet, row: scene.i, describe: (name, r, c) => cellWords({ name, r, c }, found(name, r, c), scene), act: (...at) => this.act(...at) };
  }

  // Enter or a click on a cell: choose its row and, where the view traces, follow its product from H to Z.
  act(name, r, c) {
    const { i } = this.scene;
    if (/^(H|Q|Q below|A\d|Z\d|Concat|MHA)$/.test(name)) return this.choose(r);
    if (this.view.keyed && name === "S") return this.choose(r, c);
    if (this.view.keyed && name === "K") return this.choose(i, c);
    const weighted = this.player?.arrived && this.player.T >= 7; // from the weights on, the lab goes to its last stop to trace
    const at = (this.view.traceable || weighted) && { A: [r, c], S: [r, c], a: [i, r], V: [i, r, c], Z: [r, undefined, c], K: [i, c] }[name];
    if (!at) return;
    const same = this.trace && at[0] === i && (at[1] ?? this.scene.j) === this.scene.j && (at[2] ?? this.scene.c) === this.scene.c;
    if (this.player && this.player.T < 9) this.player.seek(9);
    if (at[0] !== i) this.choose(at[0]);
    [, this.key, this.entry] = at;
    this.setTrace(!same);
  }

  setTrace(on) {
    if (this.trace) this.told = ""; // the same trace, taken again, is said again
    this.trace = on && this.scene.m.sums[this.scene.i] > 0;
    if (!on) this.key = this.entry = undefined;
    this.schedule();
  }

  tell(scene) {
    const { title, say } = this.view.words(scene), { words } = this, { T } = scene;
    this.title.textContent = title;
    setSentence(this.sentence, this.trace ? fill(words.trace_path, { from: scene.tokens[scene.j], t: scene.tokens[scene.i], c: scene.c + 1 }) : say);
    const [html, spoken] = this.view.formula ?? this.view.formulaAt(T);
    if (this.formula.getAttribute("aria-label") !== spoken) { this.formula.innerHTML = html; this.formula.setAttribute("aria-label", spoken); }
    let lead = title;
    if (this.player) {
      this.reserve(scene);
      const stop = stopOf(T), trail = words[`trail_${stop[0]}`]?.split("|") ?? [];
      this.step.textContent = fill(words.step, { k: stop[0] });
      this.trail.replaceChildren(...trail.flatMap((name, k) => [k ? " › " : "", k === (stop.charCodeAt(1) - 97) ? Object.assign(make("b", ""), { textContent: name }) : name]));
      lead = fill(words.step_is, { k: stop[0], title });
      this.bar.show();
    }
    this.spoken = this.trace ? traceWords(scene) : `${lead}. ${say} ${this.view.row(scene)}`;
  }

  // Room for the longest sentence of the run, so that the picture below stands still while it plays.
  reserve(scene) {
    const size = parseFloat(getComputedStyle(this.sentence).fontSize), room = scene.G.W - (scene.G.narrow ? 16 : 32);
    const longest = Math.max(...STOPS.map((stop) => scene.ruler.width(stopWords(stop, scene).say, size)));
    this.sentence.style.minHeight = `${Math.ceil((1.04 * longest) / room) * 1.4 * size + 2}px`;
  }

  // Once nothing has changed for a moment: the live region, the tables behind the picture, slider names.
  settleDown() {
    const { words, scene } = this;
    if ((!this.reader.at || this.trace) && this.spoken !== this.told) {
      if (this.told !== undefined) this.live.textContent = this.spoken;
      this.told = this.spoken;
    }
    this.picture.setAttribute("aria-label", `${this.spoken} ${this.player ? words.play_help : words.read_help}`);
    this.fillTables(scene);
    this.labelSliders();
  }

  fillTables(scene) {
    const { m, tokens, words } = scene;
    const table = (name, rows, heads, caption) => {
      const node = make("table", "al-table"), at = this.sheet.matrices.find((x) => x.name === name);
      if (!at) return null;
      node.createCaption().textContent = caption;
      const first = node.createTHead().insertRow();
      first.append(make("td", ""), ...heads.map((t) => Object.assign(make("th", "", { scope: "col" }), { textContent: t })));
      const body = node.createTBody();
      rows.forEach((t, r) => {
        const row = body.insertRow();
        row.append(Object.assign(make("th", "", { scope: "row" }), { textContent: t }));
        for (let c = 0; c < heads.length; c++) {
          const found = at.value(r, c), cell = typeof found === "number" ? { value: found } : found;
          row.insertCell().textContent = !cell ? "" : cell.hidden > 0.5 ? words.hidden : cell.value.toFixed(cell.weight ? 3 : 2);
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
        const spoken = k === 3 || (k === 4 && this.view.keyed) ? fill(this.words.position, { i: value, t: this.scene?.tokens[value - 1] ?? "" }) : value;
        if (handle.getAttribute("aria-valuetext") !== spoken) handle.setAttribute("aria-valuetext", spoken);
      };
      handle.setAttribute("aria-label", names[k]);
      for (const node of [handle, readout]) node.dataset.lmSuppressShortcuts = "true";
      readout.tabIndex = -1; // one Tab a slider; a click still edits the number
      if (readout.isContentEditable) { readout.setAttribute("role", "textbox"); readout.setAttribute("aria-label", names[k]); }
      const target = slider.querySelector(".noUi-target");
      if (target?.noUiSlider && target !== this[`slider${k}`]) {
        this[`slider${k}`] = target;
        target.noUiSlider.on("update", () => setTimeout(word)); // after ipywidgets has written its readout
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

  get drawn() { return this.painter.frames; }
}

export default {
  render({ model, el }) {
    const stage = new Stage(model, el);
    return () => stage.dispose();
  },
};
