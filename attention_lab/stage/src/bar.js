// The player's controls, in the order of the eye: restart, previous, play, next, steps, speed.

import { STOPS, stopOf } from "./draw.js";
import { fill } from "./words.js";

const ICONS = {
  restart: "M2 2h2.4v12H2zM14 2v12L5.4 8z", previous: "M12 2v12L3.4 8z", play: "M3.5 1.8v12.4L14 8z",
  pause: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z", next: "M4 2v12l8.6-6z",
};
const SPEEDS = [0.5, 1, 2];
const MAIN = STOPS.map((s) => s.length === 1 || s[1] === "a");

export const make = (name, className, attributes = {}) => {
  const node = Object.assign(document.createElement(name), { className });
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

export class Bar {
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
    const node = make("div", "al-steps", { role: "slider", tabindex: "0", "aria-label": this.words.step_slider, "aria-valuemin": 1,
      "aria-valuemax": STOPS.length, "data-lm-suppress-shortcuts": "true" });
    node.append(make("span", "al-rail"), make("span", "al-done"));
    STOPS.forEach((stop, k) => {
      const dot = make("span", `al-stop${MAIN[k] ? " al-main" : ""}`);
      dot.style.left = `${(100 * k) / (STOPS.length - 1)}%`;
      dot.append(Object.assign(make("span", "al-stop-name"), { textContent: stop }));
      node.append(dot);
    });
    this.thumb = make("span", "al-thumb");
    node.append(this.thumb);
    const seek = (event, snap) => {
      const { left, width } = node.getBoundingClientRect(), T = 1 + ((event.clientX - left) / width) * (STOPS.length - 1);
      const at = Math.min(STOPS.length, Math.max(1, T)), near = Math.round(at);
      this.player.seek(snap || Math.abs(at - near) < 0.08 ? near : at);
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
      if (to === undefined) return;
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

  get options() { return [...this.speeds.querySelectorAll(".al-speed")]; }

  setSpeed(speed) {
    this.player.speed = speed;
    this.show();
  }

  show() {
    const { player, words } = this, { T, playing, reduced } = player, share = 100 * Math.max(0, T - 1) / (STOPS.length - 1);
    const play = this.buttons.play, name = playing ? "pause" : "play";
    play.querySelector("path").setAttribute("d", ICONS[name]);
    play.lastChild.textContent = words[name];
    play.hidden = this.speeds.hidden = reduced;
    this.calm.hidden = !reduced;
    play.classList.toggle("al-primary", !reduced);
    this.buttons.next.classList.toggle("al-primary", reduced);
    this.thumb.style.left = `${share}%`;
    this.steps.children[1].style.width = `${share}%`;
    [...this.steps.querySelectorAll(".al-stop")].forEach((dot, k) => {
      dot.classList.toggle("al-reached", k + 1 <= T + 1e-9);
      dot.classList.toggle("al-now", STOPS[k] === stopOf(T));
    });
    const stop = stopOf(T);
    this.steps.setAttribute("aria-valuenow", STOPS.indexOf(stop) + 1);
    this.steps.setAttribute("aria-valuetext", fill(words.step_is, { k: stop[0], title: words[`title_${stop}`] }));
    this.options.forEach((option, k) => {
      option.setAttribute("aria-checked", SPEEDS[k] === player.speed);
      option.tabIndex = SPEEDS[k] === player.speed ? 0 : -1;
    });
  }
}
