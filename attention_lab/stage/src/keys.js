// Reading the picture cell by cell: one tab stop, arrows move within a matrix, Page Up and Page Down
// between matrices. A mouse over a cell says the same sentence.

export class Reader {
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
    host.addEventListener("pointerleave", () => { if (!this.at) this.tip.hidden = true; });
    host.addEventListener("click", (event) => {
      const found = this.under(event);
      if (found) this.scene().act(found.matrix.name, found.r, found.c);
    });
  }

  // Only what stands there can be read, in the order of the computation.
  get matrices() { return this.scene().sheet.matrices; }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.matrices.length) return;
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const { key } = event;
    if (this.modal && !this.at && key !== "Escape" && key !== "Enter") return;
    if (this.modal && !this.at && key === "Enter") this.move(0, 0);
    else if (key === "Escape") { this.stop(); this.leave(); }
    else if (key in moves) this.move(...moves[key]);
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
    if (!found) { this.tip.hidden = true; return; }
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
}
