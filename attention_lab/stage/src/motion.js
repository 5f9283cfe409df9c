// The player: T moves from stop to stop. It starts paused, never loops, and knows nothing of pictures.

const SECONDS = [1.6, 4.0, 3.6, 1.6, 1.2, 1.0, 2.2, 3.4, 1.8]; // one movement per stop
const REST = 0.9; // at each stop while playing
const LAST = SECONDS.length;

export class Player {
  constructor(T, changed) {
    Object.assign(this, { T, changed, speed: 1, playing: false, target: LAST, rest: 0 });
    this.query = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.follow = () => { // a switch of the system setting is obeyed at once: what moves arrives
      if (this.reduced && this.playing) { this.pause(); this.T = Math.ceil(this.T - 1e-6); }
      this.changed();
    };
    this.query.addEventListener("change", this.follow);
  }

  get reduced() { return this.query.matches; }

  get arrived() { return Number.isInteger(this.T) && this.T > 0; }

  dispose() {
    this.pause();
    this.query.removeEventListener("change", this.follow);
  }

  run(target) {
    this.target = target;
    this.rest = 0;
    if (this.playing) return;
    this.playing = true;
    this.last = undefined;
    const tick = (now) => {
      if (!this.playing) return;
      const from = this.T;
      this.advance(Math.min(0.1, this.last === undefined ? 0 : (now - this.last) / 1000) * this.speed);
      this.last = now;
      if (this.T !== from || !this.playing) this.changed(); // at rest nothing is drawn, and the stop can be announced
      if (this.playing) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  advance(seconds) {
    if (this.rest > 0) { this.rest -= seconds; return; }
    const stop = Math.min(LAST, Math.floor(this.T + 1e-9) + 1);
    this.T = Math.min(stop, this.T + seconds / SECONDS[stop - 1]);
    if (this.T < stop - 1e-6) return; // a hair below is there: frames of equal length add up to it
    this.T = stop;
    this.rest = REST;
    if (stop >= this.target) this.pause();
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
  }

  play() {
    if (this.reduced) return this.next();
    if (this.T >= LAST) this.T = 0; // from the end, play is a replay
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
    if (this.reduced || (this.playing && !this.arrived)) return this.seek(to);
    if (this.T >= LAST) return;
    this.run(to);
    this.changed();
  }

  // Back to the stop just left, or from a stop to the one before.
  previous() { this.seek(Math.max(1, Math.ceil(this.T - 1e-9) - 1)); }

  restart() { this.seek(this.reduced ? 1 : 0); }

  seek(T) {
    this.pause();
    this.T = Math.min(LAST, Math.max(this.reduced ? 1 : 0, this.reduced ? Math.round(T) : T));
    this.changed();
  }
}
