"""The browser tests' fixtures: one Chromium and one JupyterLab for the whole run, few windows.

On a machine where no Chromium can be driven every test here is skipped, with a sentence that says how to get it.
"""

import shutil

import pytest
from lab import LabPage, Missing, Server, open_chromium
from saved_page import SavedPage, export, scripts
from stage import EVERYTHING, Lab, Stage, panel_notebook


@pytest.fixture(scope="session")
def chromium():
    try:
        with open_chromium() as browser:
            yield browser
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("jupyter"))
    yield server
    server.stop()


def clean(pages):
    """No page has met an error or asked a foreign server; what they have met is forgotten then."""
    met = [found for page in pages for found in (*page.problems, *page.foreign)]
    for page in pages:
        page.problems.clear()
        page.foreign.clear()
    assert met == []


@pytest.fixture
def lab_page(chromium, server):
    """lab_page(notebook, size=, scale=, theme=, reduced_motion=): a LabPage of a path or a notebook in memory."""
    pages = []

    def open_page(notebook, **window):
        pages.append(LabPage(chromium, server, notebook, **window))
        return pages[-1]

    yield open_page
    try:
        clean(pages)
    finally:
        for page in pages:
            page.close()


@pytest.fixture(scope="session")
def _windows(chromium, server):
    pages = {}
    yield pages
    for page in pages.values():
        page.close()


@pytest.fixture
def window(chromium, server, _windows):
    """window(language, zoomed=, theme=): the LabPage of a notebook that has run, with every panel and a lab.

    Windows are kept from test to test, since opening one takes five seconds. `zoomed` is a 1280 × 720
    projector at 200 %: 640 × 360 CSS pixels of two device pixels each.
    """
    used = []

    def open_window(language="en", *, zoomed=False, theme="light"):
        if (language, zoomed) not in _windows:
            size = {"size": (640, 360), "scale": 2} if zoomed else {}
            page = LabPage(chromium, server, panel_notebook(language, *EVERYTHING), **size)
            if zoomed:
                page.command("application:toggle-left-area")
            page.run_all()
            _windows[language, zoomed] = page
        page = _windows[language, zoomed]
        used.append(page)
        page.theme(theme)
        return page

    yield open_window
    for page in used:
        page.page.emulate_media(reduced_motion="no-preference")
        page.page.set_viewport_size(page.size)
    clean(used)


@pytest.fixture
def panel(window):
    """panel(language, step=): (page, stage) of a step's panel, its sliders at the fourth d_k, no mask, n 4, query 1."""

    def open_panel(language="en", *, step=5, **look):
        page = window(language, **look)
        stage = Stage(page.page, step - 1)
        stage.set(d_k=3, n=2, own={2: 0, 4: 3, 6: 1}.get(step))
        return page, stage

    return open_panel


@pytest.fixture
def lab(window):
    """lab(language): (page, lab) of a Mechanism Lab: paused at its first stop, d_k 4, no mask, n 4, query 1, 1×."""

    def open_lab(language="en", *, reduced_motion=False, **look):
        page = window(language, **look)
        page.page.emulate_media(reduced_motion="reduce" if reduced_motion else "no-preference")
        lab = Lab(page.page, EVERYTHING.index("al.mechanism_lab()"))
        lab.go(1)
        if not reduced_motion:
            lab.speed(1)
        lab.set(d_k=3, n=2)
        return page, lab

    return open_lab


@pytest.fixture
def saved_page(chromium, request, tmp_path):
    """saved_page(notebook): the executed notebook as a SavedPage."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(
            "the page without a kernel needs npm, which fetches require.js: install Node.js from nodejs.org"
        )
    pages = []

    def open_page(notebook):
        local = scripts(npm, request.config.cache.mkdir("saved_page"))
        pages.append(SavedPage(chromium, export(notebook, tmp_path), local))
        return pages[-1]

    yield open_page
    try:
        clean(pages)
    finally:
        for page in pages:
            page.close()
