"""The lecturer's guide against the notebooks: its minutes, the sections and cells it names, its settings and numbers."""

import re
from pathlib import Path

import pytest
from stored import read, said, source

import attention_lab as al
from attention_lab import wording

ROOT = Path(__file__).resolve().parents[1] / "notebooks"
GUIDES = {edition: (ROOT / edition / "teaching.md").read_text(encoding="utf-8") for edition in ("en", "zh")}
MINUTES, SECTION = {"en": "minutes", "zh": "分钟"}, {"en": "section", "zh": "小节"}
NOTEBOOKS = sorted(ROOT.glob("*/0*.ipynb"))
every_notebook = pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
every_edition = pytest.mark.parametrize("edition", GUIDES)


def chapter(path):
    """What the guide says of one notebook."""
    return re.search(rf"^## {path.stem[:2]} .*?(?=^## )", GUIDES[path.parent.name], re.M | re.S)[0]


def tables(text, first, second=""):
    """The tables whose first two columns have these names, each as (column names, rows)."""
    found = re.findall(rf"^\| {first} \| {second}.*?(?=\n\n)", text, re.M | re.S)
    for lines in found:
        names, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()
        )
        yield names, rows


def cells(path, kind):
    return [cell for cell in read(path) if cell["cell_type"] == kind]


def sources(path, kind):
    return "\n".join(map(source, cells(path, kind)))


def printed(path):
    """All a reader sees of the notebook except pictures: prose, code and printed results."""
    outputs = [out for cell in cells(path, "code") for out in cell["outputs"]]
    return "\n".join([sources(path, "markdown"), sources(path, "code"), *map(said, outputs)])


@every_notebook
def test_a_plan_fills_fifty_minutes(path):
    plans = [rows for _, rows in tables(chapter(path), MINUTES[path.parent.name])]
    assert [sum(int(minutes) for minutes, *_ in rows) for rows in plans] == [50] * len(plans) != []


@every_notebook
def test_the_sections_named_exist_and_stand_in_their_order(path):
    text = sources(path, "markdown")
    headings = re.findall(r"^##+ (.+)$", text, re.M)
    edition = path.parent.name
    ((_, rows),) = tables(chapter(path), MINUTES[edition], SECTION[edition])
    planned = [name.strip("*") for _, name, _ in rows]
    assert set(re.findall(r"\*\*(.+?)\*\*", chapter(path))) <= set(headings)
    assert sorted(planned, key=headings.index) == planned


@every_notebook
def test_the_cells_named_exist(path):
    code = sources(path, "code")
    public = {f"al.{name}" for name in dir(al)} | set(dir(al.check))
    named = re.findall(r"`(.+?)`", chapter(path))
    used = [name for name in named if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code)]
    assert set(named) - set(used) - public == set()


@every_notebook
def test_the_panel_accepts_the_settings(path):
    wording.use(path.parent.name)
    panel = al.panel(int(path.stem[:2]))
    masks = {wording.section("panel")[f"mask_{mask}"]: mask for _, mask in panel.mask.options}
    ((names, rows),) = tables(chapter(path), "d_k")
    for row in rows:
        asked = dict(zip(["d_k", "mask", "n", "query", "own"], row[: len(names) - 1], strict=False))
        asked = {name: masks[x] if name == "mask" else float(x) for name, x in asked.items()}
        for name in ("n", "d_k", "mask", "query", "own"):
            if name in asked:
                getattr(panel, name).value = asked[name]
        assert panel.settings() == asked
        assert asked["query"] <= asked["n"]
    assert len(rows) >= 3


@every_notebook
def test_its_numbers_stand_in_the_notebook(path):
    known = re.sub(r"\b0\.", ".", printed(path))
    said = re.findall(r"(?<![\d.])\d*\.\d+", re.sub(r"`.+?`", "", chapter(path)))
    said = {number.removeprefix("0") for number in said}
    assert [number for number in said if not re.search(rf"(?<![\d.]){re.escape(number)}", known)] == []


@every_edition
def test_the_outline_links_to_the_guide(edition):
    assert "(teaching.md)" in (ROOT / edition / "README.md").read_text(encoding="utf-8")


@every_edition
def test_the_picture_without_a_widget_is_drawn(edition):
    scope = {"al": al}
    source = re.search(r"```python\n(.+?)```", GUIDES[edition], re.S)[1]
    *lines, last = source.splitlines()
    exec("\n".join(lines), scope)
    assert "8 tokens" in repr(eval(last, scope)) and "padding" in repr(eval(last, scope))
