"""Keep the Chinese edition in step with the English one.

    python notebooks/authoring/translations.py [--check]
    python notebooks/authoring/translations.py --written PAGE [CELL ...]

The first form carries every code cell, id and tag of the English notebooks, in their order, to the Chinese ones,
and lists the Chinese prose that is behind. A prose cell remembers in its metadata the fingerprint of the
English text it was written from, as `written_from`; a Markdown page does so in its last line. What is new comes in
English and is listed until somebody writes it. With --check nothing is written; the exit code says whether
anything would be, or is behind.

The second form is for whoever has brought a Chinese page up to the English one: it renews the fingerprints, of the
named cells or of the whole page.
"""

import argparse
import copy
import re
import sys
from pathlib import Path

import nbformat
from execute import fingerprint, load

ROOT = Path(__file__).resolve().parents[2]
SET_UP = 'al.setup("en")', 'al.setup("zh")'
REMEMBERED = re.compile(r"\n<!-- written_from (\w+) -->[ \t]*(?=\n|\Z)")


def pairs(root):
    """[(English page, Chinese page)]: the project page, the outline and its neighbours, the notebooks."""
    english = _pages(root, "en")
    chinese = [root / "notebooks" / "zh" / path.name for path in english]
    return [(root / "README.md", root / "README.zh.md"), *zip(english, chinese, strict=True)]


def _pages(root, language):
    return sorted(path for kind in ("md", "ipynb") for path in root.glob(f"notebooks/{language}/*.{kind}"))


def carried(english, chinese):
    """The Chinese notebook with the code, ids, tags and order of the English one and the prose it has so far.

    A cell is known by its id, or else, if the id has changed, by the English text that it remembers.
    """
    before = {cell.id: cell for cell in chinese.cells}
    ours = {cell.id for cell in english.cells}
    moved = {_memory(cell): cell for cell in chinese.cells if cell.id not in ours and _memory(cell)}
    notebook = copy.deepcopy(english)
    for cell in notebook.cells:
        code = cell.cell_type == "code"
        known = before.get(cell.id) or (not code and moved.pop(fingerprint(cell.source), None))
        if code:
            cell.source = cell.source.replace(*SET_UP)
            cell.outputs, cell.execution_count = [], None
        tags = {name: kept for name, kept in cell.metadata.items() if name == "tags"}
        cell.metadata = nbformat.from_dict(tags)
        if known and known.cell_type == cell.cell_type and (not code or known.source == cell.source):
            kept = {name: value for name, value in known.metadata.items() if name != "tags"}
            cell.update({**known, "id": cell.id, "metadata": {**kept, **tags}})
    return notebook


def behind(english, chinese):
    """{cell id: why} for the prose of the notebook `chinese` that was not written from the `english` of today."""
    known = {cell.id: cell for cell in chinese.cells}
    found = {}
    for cell in english.cells:
        if cell.cell_type == "markdown" and (why := _why(cell.source, _memory(known.get(cell.id)))):
            found[cell.id] = why
    return found


def _memory(cell):
    return cell and cell.metadata.get("written_from")


def _why(source, memory):
    if memory is None:
        return "not written yet"
    return None if memory == fingerprint(source) else "the English text has changed"


def written(english, chinese, cells):
    """Let the prose `cells` of the notebook `chinese` remember the English text of today; all of it if none is named.

    A cell that still is the English one is left as it is. SystemExit for a cell that is none of the prose.
    """
    prose = {cell.id: cell for cell in english.cells if cell.cell_type == "markdown"}
    if unknown := set(cells) - set(prose):
        raise SystemExit(f"no such prose cell: {', '.join(sorted(unknown))}")
    for cell in chinese.cells:
        if cell.id in (cells or prose) and cell.source != prose[cell.id].source:
            cell.metadata["written_from"] = fingerprint(prose[cell.id].source)
    return chinese


def page_behind(english, chinese):
    """Why the Chinese page is behind the English one, both as text; None if it is not."""
    memory = REMEMBERED.search(chinese)
    return _why(english, memory and memory[1])


def page_written(english, chinese):
    """The Chinese page, remembering the English one of today."""
    return REMEMBERED.sub("", chinese).rstrip("\n") + f"\n\n<!-- written_from {fingerprint(english)} -->\n"


def _notebook_step(english, chinese, ready, cells):
    """(the text that should stand in the file `chinese`, {cell id: why it is behind})"""
    source = load(english)
    before = load(chinese) if chinese.exists() else nbformat.v4.new_notebook()
    notebook = carried(source, before)
    if ready:
        notebook = written(source, notebook, cells)
    stale, stay = behind(source, notebook), {cell.source for cell in notebook.cells}
    for cell in before.cells:
        if cell.cell_type == "markdown" and cell.source not in stay:
            stale[f"{cell.id} (gone)"] = f"no English cell has this prose any more:\n{cell.source}"
    return nbformat.v4.writes(notebook) + "\n", stale


def _page_step(english, chinese, ready, cells):
    source = english.read_text(encoding="utf-8")
    text = chinese.read_text(encoding="utf-8") if chinese.exists() else source
    if ready and chinese.exists():
        text = page_written(source, text)
    why = page_behind(source, text)
    return text, {"the page": why} if why else {}


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything is to be done")
    parser.add_argument("--written", nargs="+", metavar=("PAGE", "CELL"), help="a Chinese page is up to date")
    options = parser.parse_args(arguments)

    page, *cells = options.written or [None]
    course = pairs(root)
    if page is not None and Path(page).resolve() not in [chinese.resolve() for _, chinese in course]:
        parser.error(f"{page} is not a Chinese page of the course")
    todo = False
    for orphan in sorted(set(_pages(root, "zh")) - {chinese for _, chinese in course}):
        print(f"{orphan.relative_to(root)}: there is no English page of this name")
        todo = True
    for english, chinese in course:
        ready = page is not None and Path(page).resolve() == chinese.resolve()
        step = _notebook_step if english.suffix == ".ipynb" else _page_step
        old = chinese.read_text(encoding="utf-8") if chinese.exists() else ""
        new, stale = step(english, chinese, ready, cells)
        name = chinese.relative_to(root)
        if new != old:
            print(f"{name}: {'would change' if options.check else 'changed'}")
            if not options.check:
                chinese.parent.mkdir(exist_ok=True)
                chinese.write_text(new, encoding="utf-8", newline="\n")
        for place, why in stale.items():
            print(f"{name}: {place}: {why}")
        todo |= new != old or bool(stale)
    return int(options.check and todo)


if __name__ == "__main__":
    sys.exit(main())
