"""The browser tests' fixtures: one Chromium and one JupyterLab for the whole run, a window for each notebook.

On a machine without Chromium every test here is skipped, with a sentence that says how to get it.
"""

import shutil

import pytest
from lab import CHROMIUM_MISSING, FLAGS, LabPage, Server, find_chromium
from playwright.sync_api import sync_playwright
from saved_page import SavedPage, export, scripts
from stage import Stage, panel_notebook


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            pytest.skip(CHROMIUM_MISSING)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


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
def _panel_pages(chromium, server):
    pages = {}
    yield pages
    for page, _ in pages.values():
        page.close()


@pytest.fixture
def panel(chromium, server, _panel_pages):
    """panel(language, zoomed): (page, stage) of a panel that has run, its sliders at d_k 4, no mask, n 4, query 1.

    Windows are kept from test to test, since opening one takes five seconds. `zoomed` is a 1280 × 720
    projector at 200 %: 640 × 360 CSS pixels of two device pixels each.
    """
    used = []

    def open_panel(language="en", *, zoomed=False, theme="light"):
        if (language, zoomed) not in _panel_pages:
            window = {"size": (640, 360), "scale": 2} if zoomed else {}
            page = LabPage(chromium, server, panel_notebook(language), **window)
            if zoomed:
                page.command("application:toggle-left-area")
            page.run_all()
            _panel_pages[language, zoomed] = page, Stage(page.page)
        page, stage = _panel_pages[language, zoomed]
        used.append(page)
        page.theme(theme)
        stage.set(d_k=3, n=2)
        return page, stage

    yield open_panel
    clean(used)


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
