"""Notebooks: what every stored notebook must be, the tool that re-runs them, and how strictly nbval compares.

That each cell still prints what is stored is nbval's business: `make test` runs it over notebooks/.
"""

import ast
import base64
import copy
import io
import json
import re
import statistics
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path

import execute
import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
SANITIZE = ROOT / "tests" / "nbval_sanitize.cfg"
every_notebook = pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)


def cells_of(notebook, kind="code"):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def outputs_of(notebook):
    return [output for cell in cells_of(notebook) for output in cell["outputs"]]


def source_of(cell):
    return "".join(cell["source"])


def tags_of(cell):
    return set(cell["metadata"].get("tags", ()))


# --- the rules: each takes a notebook's JSON and its edition and returns what is wrong with it ----


def run_once_from_top_to_bottom(notebook, edition):
    counts = [cell["execution_count"] for cell in cells_of(notebook)]
    return [] if counts == list(range(1, len(counts) + 1)) else [f"execution counts {counts}"]


def no_error_and_nothing_on_stderr(notebook, edition):
    outputs = outputs_of(notebook)
    return [out for out in outputs if out["output_type"] == "error" or out.get("name") == "stderr"]


def nothing_that_differs_between_machines(notebook, edition):
    """Addresses, a widget's own repr, NumPy's and the file names that IPython gives to cells."""
    numpy = r"\bnp\.(?:u?int|float|bool)\w*\(|\bnp\.(?:True|False)_"
    marks = re.compile(rf"0x[0-9a-fA-F]{{6,}}|IPY_MODEL_|{numpy}|ipykernel_\d+|<ipython-input")
    shown = re.sub(
        r"data:image/png;base64,[A-Za-z0-9+/=]+", "", json.dumps([_words(o) for o in outputs_of(notebook)])
    )
    return marks.findall(shown)


def _words(output):
    return {
        **output,
        "data": {kind: text for kind, text in output.get("data", {}).items() if kind != "image/png"},
    }


def valid_with_unique_ids(notebook, edition):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            nbformat.validate(nbformat.from_dict(notebook))
        except (nbformat.ValidationError, Warning) as fault:
            return [str(fault)]
    return []


def kernel_that_everyone_has(notebook, edition):
    return [] if notebook["metadata"] == execute.METADATA else [notebook["metadata"]]


def displays_that_need_no_kernel(notebook, edition):
    """No widget view (a trusted copy says "model not found"), no SVG, which nbval compares byte by byte."""
    kept = {"text/plain", "text/html", "text/markdown", "text/latex", "image/png"}
    return [kind for output in outputs_of(notebook) for kind in output.get("data", {}) if kind not in kept]


class _Figures(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.described, self.mute, self._in_figure = 0, 0, False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self._in_figure |= tag == "figure"
        if tag == "img":
            described = self._in_figure and (dict(attributes).get("alt") or "").strip()
            self.described, self.mute = self.described + bool(described), self.mute + (not described)

    def handle_endtag(self, tag):
        self._in_figure &= tag != "figure"


def pictures_in_words(notebook, edition):
    """Every picture comes as <figure><img alt="…">: only there alternative text survives."""
    faults = []
    for output in outputs_of(notebook):
        data = output.get("data", {})
        figures = _Figures("".join(data.get("text/html", "")))
        if figures.mute or ("image/png" in data and not figures.described):
            faults.append(data.get("text/plain"))
    return faults


def short_cells(notebook, edition):
    lengths = [len(source_of(cell).splitlines()) for cell in cells_of(notebook)]
    middle = statistics.median(lengths)
    return [f"{n} lines" for n in lengths if n > 15] + ([f"median {middle} lines"] if middle > 5 else [])


def short_lines(notebook, edition):
    return [line for cell in cells_of(notebook) for line in source_of(cell).splitlines() if len(line) > 100]


def core_path_fits_a_lecture(notebook, edition):
    core = [cell for cell in notebook["cells"] if "optional" not in tags_of(cell)]
    return [] if len(core) <= 45 else [f"{len(core)} cells on the core path"]


def set_up_once_in_the_first_code_cell(notebook, edition):
    first, *others = map(source_of, cells_of(notebook))
    wrong = [source for source in others if re.search(r"\bsetup\(", source)]
    return wrong if f'al.setup("{edition}")' in first else [first]


def code_that_compiles_without_a_warning(notebook, edition):
    """Invalid escapes such as '\\d' print a SyntaxWarning from Python 3.12 on."""
    faults = []
    for cell in cells_of(notebook):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                code = TransformerManager().transform_cell(source_of(cell))
                compile(code, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            except SyntaxError as fault:
                faults.append(f"{fault.msg}: {fault.text}")
    return faults


def every_output_is_compared(notebook, edition):
    """Nothing is skipped; only measurements are not compared, and say which source was measured."""
    faults = [cell["id"] for cell in cells_of(notebook) if tags_of(cell) & {"nbval-skip", "raises-exception"}]
    faults += [
        cell["id"] for cell in cells_of(notebook) if re.search(r"#\s*(NBVAL|PYTEST)_", source_of(cell))
    ]
    measured = [cell for cell in cells_of(notebook) if execute.MEASURED in tags_of(cell)]
    return faults + [cell["id"] for cell in measured if "measured_source" not in cell["metadata"]]


RULES = [
    run_once_from_top_to_bottom,
    no_error_and_nothing_on_stderr,
    nothing_that_differs_between_machines,
    valid_with_unique_ids,
    kernel_that_everyone_has,
    displays_that_need_no_kernel,
    pictures_in_words,
    short_cells,
    short_lines,
    core_path_fits_a_lecture,
    set_up_once_in_the_first_code_cell,
    code_that_compiles_without_a_warning,
    every_output_is_compared,
]


@every_notebook
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule, path):
    assert rule(json.loads(path.read_text(encoding="utf-8")), path.parent.name) == []


# --- each section runs after the set-up cell alone: a lecturer jumps ------------------------------


def sections(notebook):
    """The code of each "## " section as (heading, [source, …]); what stands before the first is left out."""
    found = []
    for cell in notebook["cells"]:
        heading = re.search(r"^## (.+)$", source_of(cell), re.M) if cell["cell_type"] == "markdown" else None
        if heading:
            found.append((heading[1], []))
        elif found and cell["cell_type"] == "code":
            found[-1][1].append(source_of(cell))
    return [(heading, sources) for heading, sources in found if sources]


def out_of_order(notebook):
    """A notebook that visits the sections backwards, each in an empty namespace after the set-up cell."""
    set_up = source_of(cells_of(notebook)[0])
    order = [[f"%reset -f\n{set_up}", *sources] for _, sources in reversed(sections(notebook))]
    cells = [nbformat.v4.new_code_cell(source) for part in order for source in part]
    return nbformat.v4.new_notebook(cells=cells, metadata=execute.METADATA)


@every_notebook
def test_every_section_runs_after_the_set_up_cell_alone(path):
    notebook = out_of_order(json.loads(path.read_text(encoding="utf-8")))
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert [out for out in outputs_of(notebook) if out.get("name") == "stderr"] == []


# --- a small notebook with one display of each kind -----------------------------------------------

SET_UP = """from types import SimpleNamespace

al = SimpleNamespace(setup=lambda language: None)
al.setup("en")"""
PICTURE = """from base64 import b64encode
from io import BytesIO
from PIL import Image
from ipywidgets import IntSlider

class Shown(IntSlider):
    def _repr_mimebundle_(self, **kwargs):
        file = BytesIO()
        Image.new("RGB", (30, 20), "navy").save(file, "png")
        png = b64encode(file.getvalue()).decode()
        html = f'<figure><img alt="A navy field" src="data:image/png;base64,{png}"></figure>'
        view = super()._repr_mimebundle_(**kwargs)
        return view | {"image/png": png, "text/html": html, "text/plain": "Picture: a navy field"}

Shown()"""
MEASURED = "import time\nprint(time.perf_counter_ns())"


def small_notebook(*sources):
    cells = [nbformat.v4.new_markdown_cell("# A small notebook"), nbformat.v4.new_code_cell(SET_UP)]
    cells += [nbformat.v4.new_code_cell(source) for source in sources]
    for cell in cells:
        if cell.source == MEASURED:
            cell.metadata = {
                "tags": [execute.MEASURED],
                "collapsed": False,
                "execution": {"iopub.status.busy": "x"},
            }
    return nbformat.v4.new_notebook(cells=cells, metadata={"widgets": {"state": {}}, "title": "left over"})


def write(notebook, path):
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def renewed(tmp_path_factory):
    """The small notebook after execute.py ran over it: its path, its text, and the ids that were fit to keep."""
    path = write(
        small_notebook("1 + 1", PICTURE, MEASURED), tmp_path_factory.mktemp("renewed") / "small.ipynb"
    )
    notebook = json.loads(path.read_text(encoding="utf-8"))
    del notebook["cells"][2]["id"]
    notebook["cells"][3]["id"] = notebook["cells"][1]["id"]
    assert execute.main([str(write(notebook, path))]) == 0
    return path, path.read_text(encoding="utf-8"), [notebook["cells"][place]["id"] for place in (0, 1, 4)]


def test_renewed_notebook_obeys_every_rule_and_keeps_its_ids(renewed):
    _, text, kept = renewed
    notebook = json.loads(text)
    assert {rule.__name__: rule(notebook, "en") for rule in RULES} == {rule.__name__: [] for rule in RULES}
    ids = [cell["id"] for cell in notebook["cells"]]
    assert [ids[0], ids[1], ids[4]] == kept
    assert text.endswith("\n}\n")
    assert [sorted(out.get("data", {})) for out in outputs_of(notebook)] == [
        ["text/plain"],
        ["image/png", "text/html", "text/plain"],
        [],
    ]
    assert notebook["cells"][4]["metadata"].keys() == {"tags", "measured_source"}


def test_second_run_changes_no_byte(renewed):
    path, text, _ = renewed
    assert execute.main(["--check", str(path)]) == 0
    assert execute.main([str(path)]) == 0
    assert path.read_text(encoding="utf-8") == text


def test_check_reports_and_writes_nothing(renewed, tmp_path, capsys):
    notebook = json.loads(renewed[1])
    notebook["cells"][2]["source"] = ["2 + 2"]
    path = write(notebook, tmp_path / "small.ipynb")
    before = path.read_bytes()
    assert execute.main(["--check", str(path)]) == 1
    assert path.read_bytes() == before
    assert "changed" in capsys.readouterr().out


def test_measured_output_lasts_as_long_as_its_source(renewed, tmp_path):
    notebook = json.loads(renewed[1])
    old = notebook["cells"][4]["outputs"][0]["text"]
    notebook["cells"][4]["source"].append("  # measured again")
    path = write(notebook, tmp_path / "small.ipynb")
    assert execute.main([str(path)]) == 0
    new = json.loads(path.read_text(encoding="utf-8"))["cells"][4]["outputs"][0]["text"]
    assert new[0].strip().isdigit() and new != old


def test_same_pixels_keep_their_stored_bytes(renewed, tmp_path):
    notebook = json.loads(renewed[1])
    data = notebook["cells"][3]["outputs"][0]["data"]
    new = data["image/png"]
    packed = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(new))).save(packed, "png", compress_level=0)
    old = base64.b64encode(packed.getvalue()).decode()
    assert old != new
    data["image/png"] = old
    data["text/html"] = [line.replace(new, old) for line in data["text/html"]]
    path = tmp_path / "small.ipynb"
    path.write_text(nbformat.v4.writes(nbformat.v4.to_notebook(notebook)) + "\n", encoding="utf-8")
    before = path.read_bytes()
    assert execute.main([str(path)]) == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "why"),
    [("1 / 0", "ZeroDivisionError"), ("import sys\nprint('noise', file=sys.stderr)", "writes to stderr")],
)
def test_a_notebook_with_errors_or_noise_is_refused(source, why, tmp_path, capsys):
    path = write(small_notebook(source), tmp_path / "bad.ipynb")
    before = path.read_bytes()
    assert execute.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert why in capsys.readouterr().err


# --- every rule sees its fault --------------------------------------------------------------------


def spoil(notebook, rule):
    """Plant in the small notebook the fault that `rule` looks for."""
    title, set_up, number, picture, measured = notebook["cells"]
    match rule.__name__:
        case "run_once_from_top_to_bottom":
            number["execution_count"] = None
        case "no_error_and_nothing_on_stderr":
            measured["outputs"][0]["name"] = "stderr"
        case "nothing_that_differs_between_machines":
            number["outputs"][0]["data"]["text/plain"] = ["np.float64(2.0)"]
        case "valid_with_unique_ids":
            number["id"] = title["id"]
        case "kernel_that_everyone_has":
            notebook["metadata"]["kernelspec"]["name"] = "my-kernel"
        case "displays_that_need_no_kernel":
            picture["outputs"][0]["data"][execute.WIDGET_VIEW] = {"model_id": "1"}
        case "pictures_in_words":
            html = picture["outputs"][0]["data"]["text/html"]
            html[0] = html[0].replace("A navy field", " ")
        case "short_cells":
            number["source"] = ["1\n"] * 16
        case "short_lines":
            number["source"] = ["#" * 101]
        case "core_path_fits_a_lecture":
            notebook["cells"] += [title] * 41
        case "set_up_once_in_the_first_code_cell":
            set_up["source"] = [SET_UP.replace("en", "zh")]
        case "code_that_compiles_without_a_warning":
            number["source"] = [r"print('\d')"]
        case "every_output_is_compared":
            number["metadata"]["tags"] = ["nbval-skip"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_sees_its_fault(rule, renewed):
    notebook = json.loads(renewed[1])
    before = rule(copy.deepcopy(notebook), "en")
    spoil(notebook, rule)
    assert rule(notebook, "en") != before and rule(notebook, "en")


def test_sections_are_visited_backwards_and_alone():
    notebook = small_notebook("x = 1")
    heading = nbformat.v4.new_markdown_cell
    code = nbformat.v4.new_code_cell
    notebook.cells += [
        heading("## One"),
        code("y = 2"),
        heading("### Deeper"),
        code("y"),
        heading("## Two"),
        code("z"),
    ]
    assert sections(notebook) == [("One", ["y = 2", "y"]), ("Two", ["z"])]
    assert [cell.source for cell in out_of_order(notebook).cells] == [
        f"%reset -f\n{SET_UP}",
        "z",
        f"%reset -f\n{SET_UP}",
        "y = 2",
        "y",
    ]


# --- strict nbval ---------------------------------------------------------------------------------


def test_sanitising_hides_addresses_and_picture_bytes_and_nothing_else(tmp_path):
    rules = SANITIZE.read_bytes().decode("ascii")
    assert len(re.findall("^regex: ", rules, re.M)) == len(re.findall("^replace: ", rules, re.M)) == 2

    file = io.BytesIO()
    Image.new("RGB", (3, 2), "navy").save(file, "png")
    png = base64.b64encode(file.getvalue()).decode()
    html = f'<figure><img alt="A rising line" src="data:image/png;base64,{png}"></figure>'
    stored = {
        "address": ("print('<thing at 0x7f00aa11bb22>')", "print('<thing at 0x7f33cc44dd55>')", "passed"),
        "picture": (html, html.replace(png, png.swapcase()), "passed"),
        "text": ("print('row sums: [1. 1.]')", "print('row sums: [1. 2.]')", "failed"),
        "alternative text": (html, html.replace("rising", "falling"), "failed"),
    }
    shown = {
        name: source if source.startswith("print") else f"HTML('{source}')"
        for name, (source, *_) in stored.items()
    }
    notebook = small_notebook("from IPython.display import HTML", *shown.values())
    path = write(notebook, tmp_path / "small.ipynb")
    assert execute.main([str(path)]) == 0
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell, (old, new, _) in zip(cells_of(notebook)[2:], stored.values(), strict=True):
        cell["source"] = [source_of(cell).replace(old, new)]
    write(notebook, path)

    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "-rA",
    ]
    command += ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={SANITIZE}", str(path)]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8").stdout
    for number, (name, (*_, expected)) in enumerate(stored.items(), start=2):
        assert re.search(rf"^{expected.upper()} .*Cell {number}\b", report, re.M), f"{name}\n{report}"
