"""The stage's own copy of the six steps is held to NumPy, and its colours and layout to what they promise.

Everything here drives the shipped stage.js, in Node where there is one.
"""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import attention_lab as al
from attention_lab import panels
from attention_lab.stage import MASKS

STAGE = Path(panels.__file__).parent / "stage"
node = pytest.mark.skipif(
    shutil.which("node") is None, reason="needs Node.js, to run stage.js outside a page"
)


def run(body, data=None):
    """What `body`, a JavaScript function body, returns; `stage` is the shipped module, `data` the argument."""
    script = f"""
        import * as stage from {json.dumps((STAGE / "stage.js").as_uri())};
        import {{ readFileSync }} from "node:fs";
        const data = JSON.parse(readFileSync(0, "utf8"));
        const answer = await (async () => {{ {body} }})();
        process.stdout.write(JSON.stringify(answer, (key, v) => (v === -Infinity ? "-inf" : v)));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def arrays(example):
    return {name: getattr(example, name).tolist() for name in ("H", "W_Q", "W_K", "W_V")}


def matrix(rows):
    return np.array([[-np.inf if v == "-inf" else v for v in row] for row in rows], dtype=float)


def check(found, H, W_Q, W_K, W_V, visible):
    expected = al.self_attention(H, W_Q, W_K, W_V, visible)
    for name in ("Q", "K", "V"):
        W = {"Q": W_Q, "K": W_K, "V": W_V}[name]
        np.testing.assert_allclose(matrix(found[name]), H @ W, atol=1e-12)
    np.testing.assert_allclose(matrix(found["raw"]), al.attention_scores(H @ W_Q, H @ W_K), atol=1e-12)
    for name in ("scores", "weights", "context"):
        np.testing.assert_allclose(matrix(found[name]), getattr(expected, name), atol=1e-12, err_msg=name)


@node
@pytest.mark.parametrize("mask", MASKS)
def test_computes_what_numpy_computes_at_every_setting(mask):
    example = al.examples.lesson(16, 64)
    settings = [{"n": n, "d_k": d_k, "mask": mask} for n in range(2, 17) for d_k in panels.WIDTHS]
    found = run(
        "return data.settings.map((s) => stage.compute(data.arrays, s));",
        {"arrays": arrays(example), "settings": settings},
    )
    for s, one in zip(settings, found, strict=True):
        H, W = example.H[: s["n"]], [w[:, : s["d_k"]] for w in (example.W_Q, example.W_K, example.W_V)]
        visible = panels.visibility(mask, s["n"])
        assert one["visible"] == visible.tolist()
        check(one, H, *W, visible)


@node
def test_a_row_that_sees_nothing_is_zero_in_both():
    example = al.examples.lesson(5, 3)
    visible = np.array([[1, 1, 0, 0, 1], [0] * 5, [0, 0, 0, 1, 0], [1] * 5, [0, 1, 1, 1, 0]], dtype=bool)
    found = run(
        'return stage.compute(data.arrays, {n: 5, d_k: 3, mask: "none", visible: data.visible});',
        {"arrays": arrays(example), "visible": visible.tolist()},
    )
    check(found, *example[1:], visible)
    assert found["weights"][1] == [0] * 5 and found["sums"][1] == 0


@node
def test_large_scores_neither_overflow_nor_vanish():
    example = al.examples.lesson(4, 4)
    loud = example._replace(H=example.H * 60)  # scores beyond 1000, where a bare exp overflows
    assert np.abs(al.attention_scores(loud.H @ loud.W_Q, loud.H @ loud.W_K)).max() > 1000
    found = run(
        'return stage.compute(data, {n: 4, d_k: 4, mask: "causal"});',
        arrays(loud),
    )
    check(found, *loud[1:], al.causal_mask(4))


@node
def test_numbers_are_written_with_a_real_minus_and_without_negative_zero():
    values = [-0.001, -0.004999, -0.5, 0.0, 2.25, -12.25]
    written = run("return data.map((v) => stage.format(v, 2)).concat(stage.format(-Infinity, 2));", values)
    assert written == [
        "0.00", "0.00", "−0.50", "0.00", "2.25", "−12.25", "−∞",
    ]  # fmt: skip


@node
def test_limit_of_the_signed_colours_is_the_next_1_2_5():
    rng = np.random.default_rng(3)
    for size, limit in [(0.04, 0.1), (0.3, 1), (0.9, 2), (2.2, 5), (30, 100)]:
        H = rng.normal(size=(40, 6)) * size
        p95 = np.sort(np.abs(H).ravel())[int(np.ceil(0.95 * H.size)) - 1]
        found = run("return stage.signedLimit(data);", H.tolist())
        assert found == pytest.approx(limit) and p95 <= found


@node
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_number_can_be_read_on_its_colour(theme):
    worst = run(
        """
        const t = stage.THEMES[data], shares = Array.from({length: 201}, (_, k) => k / 100 - 1), low = (list) => Math.min(...list);
        const signed = (share) => stage.signedFill(data, share);
        return {
          signed: low(shares.map((s) => stage.contrast(signed(s), t.ink))),
          quiet: low(shares.map((s) => stage.contrast(signed(0.35 * s), t.quiet))),
          weight: low(shares.map((s) => stage.contrast(stage.weightFill(data, (s + 1) / 2), stage.weightInk(data, (s + 1) / 2)))),
          hidden: stage.contrast(t.hatchPaper, t.ink),
          text: low(["ink", "muted", "quiet", "Q", "K", "V"].map((c) => stage.contrast(t.paper, t[c]))),
          mark: low(["Q", "K", "V"].map((c) => stage.contrast(t[c], t.onMark))),
          band: stage.contrast(t.band, t.ink),
          edge: low(["border", "focus"].map((c) => stage.contrast(t.paper, t[c]))),
        };
        """,
        theme,
    )
    assert worst.pop("edge") >= 3, "outlines of controls need 3 : 1"
    for what, found in worst.items():
        assert found >= 4.5, f"{what} in {theme}: {found:.2f}"


@node
def test_the_layout_keeps_every_matrix_inside_and_apart():
    wrong = run(
        """
        const ems = [{two: 2.5, one: 1.95}, {two: 3.1, one: 2.45}], widths = [300, 480, 524, 599, 700, 848, 960, 1064, 1240, 1740];
        const found = [];
        for (const e of ems) for (const W of widths) for (let n = 2; n <= 16; n++) for (const d_k of data) for (const d_model of [1, 3, 6, 9, 40]) {
          const G = stage.layout(W, {n, d_k, d_model}, e);
          const edges = [0, G.xH - G.labels, G.xH, G.xH + G.wH, G.xQ, G.xQ + G.wK, G.xS, G.xS + Math.max(G.wS, G.wK), G.xA, G.xA + G.cw, G.xV, G.xV + G.wK, G.W];
          const rows = [0, G.y0, G.y0 + G.upper, G.row1(0), G.row1(n), G.row2(0), G.row2(n), G.height];
          const sorted = (list) => list.every((v, k) => Number.isFinite(v) && (!k || v >= list[k - 1]));
          if (!sorted(edges) || !sorted(rows) || G.yKT < G.y0 + G.upper || !(G.size > 0)) found.push([W, n, d_k, d_model, edges]);
        }
        return found.slice(0, 3);
        """,
        list(panels.WIDTHS),
    )
    assert wrong == []


@node
def test_stage_js_is_what_its_source_builds(tmp_path):
    work = tmp_path / "stage"
    shutil.copytree(STAGE, work, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (work / "stage.js").unlink()
    npm = shutil.which("npm")
    if npm is None or subprocess.run([npm, "ci", "--silent"], cwd=work, capture_output=True).returncode:
        pytest.skip("needs npm and its registry, to fetch the pinned esbuild")
    subprocess.run([npm, "run", "--silent", "build"], cwd=work, check=True, capture_output=True)
    assert (work / "stage.js").read_bytes() == (STAGE / "stage.js").read_bytes(), (
        "run `npm run build` in attention_lab/stage"
    )
