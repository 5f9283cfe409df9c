"""What a learner waits for in JupyterLab and Chromium: each panel's next picture after a key, the lab's next frame.

Run `python tests/bench/paint.py`; it needs Chromium, see tests/browser/lab.py. Thirty keys one at a time, then
thirty as fast as they come. A fast key counts as painted with the first frame that shows its value or the value
of a later key, so what the panel passes over to keep up is not held against it, and what it puts off is.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

from attention_lab.panels import MASKS, WIDTHS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))

from lab import LabPage, Missing, Server, open_chromium  # noqa: E402
from stage import D_K, EVERYTHING, LENGTH, MASK, SETTINGS, Lab, Stage, panel_notebook  # noqa: E402

PRESSES = 30
VALUES = {D_K: list(WIDTHS), MASK: list(MASKS), LENGTH: list(range(2, 17))}
CASES = (  # the panel, the slider that moves, and where the others stand, counted from the lowest
    *((step, "length, d_k 4, causal", LENGTH, {"d_k": 3, "mask": 1}) for step in range(1, 7)),
    (5, "length, d_k 64, causal", LENGTH, {"d_k": 11, "mask": 1}),
    (5, "mask, n 16, d_k 16", MASK, {"d_k": 7, "n": 14}),
    (5, "d_k, n 16, causal", D_K, {"mask": 1, "n": 14}),
    (6, "d_k, n 16, causal", D_K, {"mask": 1, "n": 14, "own": 3}),
)

# The moment of every key and, once a frame is done in which the stage has painted, that moment and what it shows.
# A task posted while a frame is made runs when the frame is done, or, on a busy machine, after the next one has begun.
RECORD = """root => {
    const seen = window.alTimes = {keys: [], frames: []};
    let drawn = root.alStage.drawn;
    root.closest('.al-panel').addEventListener('keydown', event => seen.keys.push(event.timeStamp), {capture: true});
    const note = () => {
        const {d_k, mask, n} = root.alStage.scene.m;
        if (root.alStage.drawn !== drawn) seen.frames.push([performance.now(), {d_k, mask, n}]);
        drawn = root.alStage.drawn;
    };
    const look = start => {
        if (window.alTimes !== seen) return; // another panel's turn
        if (root.alStage.lastPaint < start) note(); // painted in an earlier frame
        scheduler.postTask(note, {priority: 'user-blocking'});
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
# The time from each frame in which the lab has drawn a movement to the one before it.
GAPS = """root => {
    const {player} = root.alStage, gaps = window.alGaps = {list: [], stop: false};
    let drawn = root.alStage.drawn, last;
    const look = now => {
        if (gaps.stop) return;
        if (root.alStage.drawn !== drawn) {
            if (last) gaps.list.push(now - last);
            last = player.arrived ? undefined : now; // at a stop it rests
        }
        drawn = root.alStage.drawn;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
TAKE = """() => {
    const {keys, frames} = window.alTimes;
    Object.assign(window.alTimes, {keys: [], frames: []});
    return [keys, frames];
}"""


def keys(slider):
    """Thirty arrow keys up and down a slider that starts at its lowest, and the value that each leads to."""
    last = len(VALUES[slider]) - 1
    way = [*range(last), *range(last, 0, -1)]
    positions = [way[k % len(way)] for k in range(PRESSES + 1)]
    steps = list(zip(positions, positions[1:], strict=False))
    return ["ArrowRight" if b > a else "ArrowLeft" for a, b in steps], [VALUES[slider][b] for _, b in steps]


def latencies(pressed, frames, values, name):
    """Milliseconds from each key to the first frame that shows its value or a later key's."""
    taken = []
    for k, start in enumerate(pressed):
        taken.append(
            next(
                done - start
                for done, shown in frames
                if any(
                    at <= done and shown[name] == value
                    for at, value in zip(pressed[k:], values[k:], strict=True)
                )
            )
        )
    return taken


def measure(page):
    """One dictionary a case: milliseconds of the single keys and of the fast ones, and the frames these took."""
    rows = []
    for step, case, slider, others in CASES:
        stage = Stage(page, step - 1)
        stage.root.evaluate(RECORD)
        pressed, values = keys(slider)
        row = {"case": f"{step} {case}"}
        for pace in ("single", "fast"):
            stage.set(**others)
            stage.page.evaluate(TAKE)
            for keys_at_once in [pressed] if pace == "fast" else [[key] for key in pressed]:
                stage.press(slider, *keys_at_once)
            times, frames = stage.page.evaluate(TAKE)
            row[pace] = latencies(times, frames, values, SETTINGS[slider])
        rows.append(row | {"frames": len(frames), "rest": frames[-1][0] - times[-1]})
    return rows


def play(lab, d_k):
    """Milliseconds between the lab's frames while it moves, 12 tokens and the d_k at this position, at 1×."""
    lab.set(d_k=d_k, mask=1, n=10, query=8)
    lab.speed(1)
    lab.key("Home")
    lab.settle()
    lab.root.evaluate(GAPS)
    lab.key("Space")
    lab.wait("!player.playing", seconds=60)
    return lab.page.evaluate("() => { alGaps.stop = true; return alGaps.list; }")


def main():
    """Print both tables."""
    try:
        with open_chromium() as chromium, tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder))
            try:
                page = LabPage(chromium, server, panel_notebook("en", *EVERYTHING))
                page.run_all()
                rows = measure(page.page)
                lab = Lab(page.page, len(EVERYTHING) - 1)
                gaps = {WIDTHS[d_k]: play(lab, d_k) for d_k in (3, 7)}
            finally:
                server.stop()
    except Missing as missing:
        sys.exit(str(missing))
    print(
        "ms from a key to the painted frame   single: median   p95   fast: median   p95   last   frames for 30"
    )
    for row in rows:
        one, fast = ((median(times), quantiles(times, n=20)[-1]) for times in (row["single"], row["fast"]))
        print(
            f"panel {row['case']:29} {one[0]:16.0f} {one[1]:5.0f} {fast[0]:14.0f} {fast[1]:5.0f}"
            f" {row['rest']:6.0f} {row['frames']:15}"
        )
    print("\nMechanism Lab playing, 12 tokens     frames a second   median gap, ms   p95")
    for d_k, times in gaps.items():
        rate = 1000 * len(times) / sum(times)
        print(f"d_k {d_k:<31} {rate:17.1f} {median(times):16.1f} {quantiles(times, n=20)[-1]:5.1f}")


if __name__ == "__main__":
    main()
