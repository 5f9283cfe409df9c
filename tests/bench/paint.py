"""How long a panel takes from a key press on a slider to the painted frame, in JupyterLab and Chromium.

Run `python tests/bench/paint.py`; it needs Chromium, see tests/browser/lab.py. Thirty keys one at a time, then
thirty as fast as they come. A fast key counts as painted with the first frame that shows its value or the value
of a later key, so what the panel passes over to keep up is not held against it, and what it puts off is.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import sync_playwright

from attention_lab.panels import MASKS, WIDTHS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))

from lab import CHROMIUM_MISSING, FLAGS, LabPage, Server, find_chromium  # noqa: E402
from stage import D_K, LENGTH, MASK, SETTINGS, Stage, panel_notebook  # noqa: E402

PRESSES = 30
VALUES = {D_K: list(WIDTHS), MASK: list(MASKS), LENGTH: list(range(2, 17))}
CASES = (  # the slider that moves, and where the others stand, counted from the lowest
    ("length, d_k 4, causal", LENGTH, {"d_k": 3, "mask": 1}),
    ("length, d_k 64, causal", LENGTH, {"d_k": 11, "mask": 1}),
    ("mask, n 16, d_k 16", MASK, {"d_k": 7, "n": 14}),
    ("d_k, n 4, causal", D_K, {"mask": 1, "n": 2}),
    ("d_k, n 16, causal", D_K, {"mask": 1, "n": 14}),
)

# The moment of every key and, once a frame is done in which the stage has painted, that moment and what it shows.
# A task posted while a frame is made runs when the frame is done, or, on a busy machine, after the next one has begun.
RECORD = """root => {
    const seen = window.alTimes = {keys: [], frames: []};
    let drawn = root.alStage.drawn;
    window.addEventListener('keydown', event => seen.keys.push(event.timeStamp), {capture: true});
    const note = () => {
        const {d_k, mask, n} = root.alStage.scene.m;
        if (root.alStage.drawn !== drawn) seen.frames.push([performance.now(), {d_k, mask, n}]);
        drawn = root.alStage.drawn;
    };
    const look = start => {
        if (root.alStage.lastPaint < start) note(); // painted in an earlier frame
        scheduler.postTask(note, {priority: 'user-blocking'});
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


def measure(stage):
    """One dictionary a case: milliseconds of the single keys and of the fast ones, and the frames these took."""
    stage.root.evaluate(RECORD)
    rows = []
    for case, slider, others in CASES:
        pressed, values = keys(slider)
        row = {"case": case}
        for pace in ("single", "fast"):
            stage.set(**others)
            stage.page.evaluate(TAKE)
            for keys_at_once in [pressed] if pace == "fast" else [[key] for key in pressed]:
                stage.press(slider, *keys_at_once)
            times, frames = stage.page.evaluate(TAKE)
            row[pace] = latencies(times, frames, values, SETTINGS[slider])
        rows.append(row | {"frames": len(frames), "rest": frames[-1][0] - times[-1]})
    return rows


def main():
    """Print the table."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = find_chromium(playwright)
        if chromium is None:
            sys.exit(CHROMIUM_MISSING)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        server = Server(Path(folder))
        try:
            page = LabPage(browser, server, panel_notebook())
            page.run_all()
            rows = measure(Stage(page.page))
        finally:
            server.stop()
            browser.close()
    print(
        "key press to painted frame, ms   single: median   p95   fast: median   p95   last key   frames for 30 keys"
    )
    for row in rows:
        one, fast = ((median(times), quantiles(times, n=20)[-1]) for times in (row["single"], row["fast"]))
        print(
            f"{row['case']:30} {one[0]:16.0f} {one[1]:5.0f} {fast[0]:14.0f} {fast[1]:5.0f}"
            f" {row['rest']:10.0f} {row['frames']:12}"
        )


if __name__ == "__main__":
    main()
