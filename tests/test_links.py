"""Links: every relative link and anchor leads somewhere, and all addresses agree with pyproject.toml."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import links
import pytest
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

ROOT = Path(__file__).resolve().parents[1]
PAGES = links.pages(ROOT)


class Page(HTMLParser):
    """The links, the anchors and the pictures without alternative text of rendered Markdown."""

    def __init__(self, markdown, style):
        super().__init__()
        self.links, self.anchors, self.mute, self._style, self._heading = [], set(), [], style, None
        render = MarkdownWithMath(renderer=IPythonRenderer(escape=False, exclude_anchor_links=True))
        self.feed(render.render(markdown))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if tag == "img" and not attributes.get("alt"):
            self.mute.append(attributes.get("src"))
        if re.fullmatch("h[1-6]", tag):
            self._heading = ""
        elif attributes.get("id"):
            self.anchors.add(attributes["id"])

    def handle_data(self, data):
        if self._heading is not None:
            self._heading += data

    def handle_endtag(self, tag):
        if re.fullmatch("h[1-6]", tag):
            self.anchors.add(self._style(self._heading))
            self._heading = None


def jupyter_anchor(heading):
    """JupyterLab's and nbviewer's name for a heading of a notebook."""
    return heading.strip().replace(" ", "-")


def github_anchor(heading):
    """GitHub's name for a heading of a Markdown page."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def read(path):
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return Page(
            "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"), jupyter_anchor
        )
    return Page(path.read_text(encoding="utf-8"), github_anchor)


def broken(path, root):
    """The relative links of the page `path` that lead nowhere, or out of the project."""
    page, lost = read(path), []
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists() or not target.is_relative_to(root):
            lost.append(link)
        elif parts.fragment and unquote(parts.fragment) not in read(target).anchors:
            lost.append(link)
    return lost


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_and_anchors_lead_somewhere(path):
    assert broken(path, ROOT) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pictures_in_text_have_alternative_text(path):
    assert read(path).mute == []


def test_addresses_agree_with_pyproject():
    assert links.rewritten(ROOT) == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_badges_open_what_exists(path):
    targets = [match["target"] for match in links.BADGE.finditer(path.read_text(encoding="utf-8"))]
    assert all((ROOT / target).is_file() for target in targets)
    assert targets or path.stem in ("references", "teaching", "CONTRIBUTING"), (
        "this page carries a Binder badge"
    )


def test_broken_links_are_seen(tmp_path):
    notebook = {
        "cells": [{"cell_type": "markdown", "source": ["## The mask M\n", "[up](#The-mask-M) $[a](b)$"]}]
    }
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "# One, two\n\n[right](#one-two) [wrong](#One,-two) [right](a.ipynb#The-mask-M) [wrong](a.ipynb#the-mask-m)\n"
        "[wrong](b.ipynb) [out](../x.md) [web](https://example.org/x) ![](a.ipynb) `[code](c.md)`\n\n<a href='d.md'>x</a>\n",
        encoding="utf-8",
    )
    assert broken(tmp_path / "a.ipynb", tmp_path) == []
    assert broken(page, tmp_path) == ["#One,-two", "a.ipynb#the-mask-m", "b.ipynb", "../x.md", "d.md"]
    assert read(page).mute == ["a.ipynb"]


def test_one_line_moves_the_project(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    old, new = links.repository(ROOT), "someone/attention-course"
    other = "https://github.com/someone-else/attention_lab and https://github.com/attention-lab/attention_lab-extras"
    (tmp_path / "README.md").write_text(
        f"[![Binder](https://mybinder.org/badge_logo.svg)]({links.badge(old, 'notebooks/en/README.md')})\n"
        f"git clone https://github.com/{old}.git attention_lab\n{other}\n",
        encoding="utf-8",
    )
    edition = tmp_path / "notebooks" / "zh"
    edition.mkdir(parents=True)
    copied = json.dumps(
        {"cells": [{"source": f"[运行]({links.badge(old, 'notebooks/en/05.ipynb')})"}]}, ensure_ascii=False
    )
    (edition / "05.ipynb").write_text(copied, encoding="utf-8")

    project = tmp_path / "pyproject.toml"
    project.write_text(
        project.read_text(encoding="utf-8").replace(f"github.com/{old}", f"github.com/{new}"), "utf-8"
    )
    assert links.main(["--check"], root=tmp_path) == 1
    assert links.main([], root=tmp_path) == 0
    assert links.main(["--check"], root=tmp_path) == 0

    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert links.badge(new, "notebooks/en/README.md") in text
    assert f"git clone https://github.com/{new}.git attention_lab\n{other}\n" in text
    assert links.badge(new, "notebooks/zh/05.ipynb") in (edition / "05.ipynb").read_text(encoding="utf-8")
