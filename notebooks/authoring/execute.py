"""Run notebooks again, each in a fresh kernel, and clean them so that a second run changes no byte.

    python notebooks/authoring/execute.py [--check] [NOTEBOOK ...]

Without names: every notebook of every edition. With --check nothing is written; the exit code says
whether anything would be.

What is kept and what goes:
  - a cell's id, once set, for ever; its tags and the English text it was `written_from`; nothing else of its
    metadata
  - pictures, HTML and text of a display; never widget state or a widget's view, which are dead without
    the kernel that made them
  - a picture's stored bytes, as long as the pixels are the same: other library versions pack the same
    pixels differently
  - the stored output of a cell tagged `nbval-ignore-output`, which measures time or memory, as long as its
    source is the same; `measured_source` in its metadata is the fingerprint of the source that was measured

A notebook that raises, or writes to stderr, is refused and left as it was.
"""

import argparse
import base64
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from PIL import Image

NOTEBOOKS = Path(__file__).resolve().parents[1]
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
MEASURED = "nbval-ignore-output"
KEPT = ("tags", "written_from")
PNG_IN_HTML = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=]+")


class Refused(Exception):
    """A notebook that must not be stored; the message says why."""


def load(path):
    """The notebook at `path` as nbformat 4.5, every cell with an id of its own."""
    notebook = nbformat.v4.to_notebook(json.loads(path.read_text(encoding="utf-8")))
    notebook.nbformat_minor = 5
    taken = set()
    for number, cell in enumerate(notebook.cells):
        if cell.get("id") in taken | {None}:
            cell.id = fingerprint(f"{path.stem} {number} {cell.source}")
        taken.add(cell.id)
    return notebook


def execute(notebook, folder):
    """Run all cells in a fresh kernel that starts in `folder`. Refused if one raises or writes to stderr."""
    for cell in _code(notebook):
        cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise Refused(str(error)) from error
    for cell in _code(notebook):
        if noise := "".join(output.text for output in cell.outputs if output.get("name") == "stderr"):
            raise Refused(f"this cell writes to stderr:\n{cell.source}\n{noise}")


def clean(notebook, stored):
    """Reduce the freshly run `notebook` to what is worth storing; `stored` is what the file holds so far."""
    before = {cell.id: cell for cell in _code(stored)}
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        kept = {name: cell.metadata[name] for name in KEPT if cell.metadata.get(name)}
        cell.metadata = nbformat.from_dict(kept)
    for cell in _code(notebook):
        if MEASURED in cell.metadata.get("tags", ()):
            cell.metadata["measured_source"] = fingerprint(cell.source)
            if before[cell.id].metadata.get("measured_source") == cell.metadata["measured_source"]:
                cell.outputs = before[cell.id].outputs
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
        _keep_pictures(cell.outputs, before[cell.id].outputs)


def _keep_pictures(outputs, stored):
    """Give a picture in `outputs` the bytes of the one in `stored` that has the same pixels, if there is one."""
    known = {_pixels(png): png for output in stored for png in _pictures(output)}
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            data["image/png"] = known.get(_pixels(data["image/png"]), data["image/png"])
        if "text/html" in data:
            data["text/html"] = PNG_IN_HTML.sub(
                lambda match: known.get(_pixels(match[0]), match[0]), data["text/html"]
            )


def _pictures(output):
    data = output.get("data", {})
    alone = [data["image/png"]] if "image/png" in data else []
    return alone + PNG_IN_HTML.findall(data.get("text/html", ""))


def _pixels(png):
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        return picture.size, picture.convert("RGBA").tobytes()


def _code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def fingerprint(text):
    """Twelve hex digits that stand for `text`."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def renew(path):
    """The text that should stand in the notebook file `path`: run again and clean."""
    stored, notebook = load(path), load(path)
    execute(notebook, path.parent)
    clean(notebook, stored)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbformat.validate(notebook)
    return nbformat.v4.writes(notebook) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything would change")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every notebook of every edition")
    options = parser.parse_args(arguments)

    failed = False
    with tempfile.TemporaryDirectory() as profile:
        os.environ["IPYTHONDIR"] = profile  # nobody's own start-up files
        for path in options.notebooks or sorted(NOTEBOOKS.glob("*/*.ipynb")):
            start = time.perf_counter()
            try:
                text = renew(path.resolve())
            except Refused as refusal:
                print(f"{path}: refused and left as it was: {refusal}", file=sys.stderr)
                failed = True
                continue
            changed = text.encode("utf-8") != path.read_bytes()
            if changed and not options.check:
                path.write_bytes(text.encode("utf-8"))
            failed |= changed and options.check
            print(f"{path}: {time.perf_counter() - start:.1f} s, {'changed' if changed else 'unchanged'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
