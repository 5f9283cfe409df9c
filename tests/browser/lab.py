"""A real JupyterLab, driven in a real Chromium: what the browser tests and tests/bench/paint.py stand on.

`open_chromium` starts the browser, `Server` JupyterLab or Notebook 7 with folders of its own, `LabPage` is
one notebook open in one window. Nothing here knows attention_lab; what the stage promises is in stage.py.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.request import Request, urlopen

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import TimeoutError, sync_playwright

CHROMIUM_MISSING = (
    "browser tests need Chromium: `apt-get install chromium`, or `python -m playwright install chromium`, "
    "or name one in the environment variable CHROMIUM"
)
DRIVER_MISSING = (
    "browser tests need playwright's driver, which did not start: it runs on a Node.js of its own, and on a "
    "small machine that lacks a library, mostly `apt-get install libatomic1`; or name your own Node.js in the "
    "environment variable PLAYWRIGHT_NODEJS_PATH"
)
FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


class Missing(Exception):
    """No browser can be driven here; the message says what to install."""


def find_chromium():
    """The path of the machine's own Chromium, or None: $CHROMIUM, then one on the PATH."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, filter(None, (os.environ.get("CHROMIUM"), *names)))), None)


@contextmanager
def open_chromium():
    """A running Chromium: the machine's own, or else playwright's. Raises Missing where neither can be driven."""
    path, manager = find_chromium(), sync_playwright()
    try:
        playwright = manager.start()
    except Exception as error:  # whatever the dead driver leads to: a closed connection, a missing attribute
        raise Missing(DRIVER_MISSING if path else CHROMIUM_MISSING) from error
    try:
        path = path or shutil.which(playwright.chromium.executable_path)
        if path is None:
            raise Missing(CHROMIUM_MISSING)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
    finally:
        playwright.stop()


def code_notebook(*cells):
    """A notebook of code cells, one for each string, for the kernel `python3`."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel})


class Server:
    """JupyterLab from the running Python, on a free port, with every folder of its own below `folder`.

    With `app="notebook"` it is Notebook 7. It reads and writes no setting, workspace or signature of the person who runs the tests, and asks for no news.
    """

    def __init__(self, folder, app="jupyterlab"):
        self.root = folder / "work"
        self.app = app
        self._names = count(1)
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        places = {name: folder / place for name, place in places.items()}
        for place in (self.root, *places.values()):
            place.mkdir(parents=True)
        settings = places["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(
            '{"fetchNews": "false", "checkForUpdates": false}'
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._log = (folder / "server.log").open("wb")
        name = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}[app]
        options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--{name}.expose_app_in_browser=True"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", app, *options, f"--port={port}", f"--notebook-dir={self.root}"],
            env=os.environ | {name: str(place) for name, place in places.items()},
            stdout=self._log,
            stderr=self._log,
        )
        info = places["JUPYTER_RUNTIME_DIR"] / f"jpserver-{self._process.pid}.json"
        self._wait(lambda: info.exists() and info.stat().st_size, 60)
        running = json.loads(info.read_text())
        self.url, self.token = running["url"].rstrip("/"), running["token"]

    def _wait(self, ready, seconds):
        end = time.monotonic() + seconds
        while not ready():
            if self._process.poll() is not None or time.monotonic() > end:
                log = Path(self._log.name).read_text("utf-8")[-3000:]
                raise RuntimeError(f"{self.app} did not start:\n{log}")
            time.sleep(0.1)

    def add(self, notebook):
        """Put a notebook (a path, or one in memory) into the served folder and return its name there.

        The name is new each time, so that no page meets what another one saved. A notebook from a file keeps its
        folder's name and finds the pictures that stand beside that folder.
        """
        number = next(self._names)
        if not isinstance(notebook, Path):
            nbformat.write(notebook, self.root / f"page-{number}.ipynb")
            return f"page-{number}.ipynb"
        edition = notebook.parent
        shutil.copytree(edition.parent / "pictures", self.root / "pictures", dirs_exist_ok=True)
        (self.root / edition.name).mkdir(exist_ok=True)
        name = f"{edition.name}/{notebook.stem}-{number}.ipynb"
        shutil.copy(notebook, self.root / name)
        return name

    def address(self, name):
        """Where a notebook opens: in JupyterLab a workspace of its own."""
        place = (
            f"lab/workspaces/{name[:-6].replace('/', '-')}/tree" if self.app == "jupyterlab" else "notebooks"
        )
        return f"{self.url}/{place}/{name}?token={self.token}"

    def ask(self, path, method="GET"):
        """What the server's REST interface answers."""
        headers = {"Authorization": f"token {self.token}"}
        with urlopen(Request(f"{self.url}/api/{path}", method=method, headers=headers), timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def stop(self):
        """Stop the kernels and the server: by its own interface, or else by a signal, on which it does the same."""
        try:
            self.ask("shutdown", "POST")
        except OSError:
            self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._log.close()


OPENED = "path => window.jupyterapp?.shell?.currentWidget?.context?.path === path"
READY = """async () => {
    await jupyterapp.restored;
    const notebook = jupyterapp.shell.currentWidget;
    await notebook.context.ready;
    await notebook.revealed;
}"""
KERNEL_READY = """async () => {
    const session = jupyterapp.shell.currentWidget.sessionContext;
    await session.ready;
    await session.session.kernel.info;
}"""
EXECUTE = "([name, args]) => jupyterapp.commands.execute(name, args).then(() => null)"
OUTPUTS = """() => jupyterapp.shell.currentWidget.content.widgets
    .map(cell => cell.model)
    .filter(model => model.type === 'code')
    .map(model => ({count: model.executionCount, outputs: model.outputs.toJSON()}))"""
EVALUATE = """async expression => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const request = {code: '', silent: true, user_expressions: {value: expression}};
    const reply = await kernel.requestExecute(request).done;
    const value = reply.content.user_expressions.value;
    if (value.status !== 'ok') throw new Error(value.ename + ': ' + value.evalue);
    return value.data['text/plain'];
}"""


class LabPage:
    """One notebook in JupyterLab in one browser window.

    `page` is playwright's page; `problems` collects what went wrong (console errors, uncaught exceptions,
    dialogs), `foreign` the requests to anywhere but the server, none of which gets out.
    """

    def __init__(
        self, browser, server, notebook, *, size=(1280, 720), scale=1, theme="light", reduced_motion=False
    ):
        self.problems, self.foreign = [], []
        self.size = dict(zip(("width", "height"), size, strict=True))
        self._context = browser.new_context(
            viewport=self.size,
            device_scale_factor=scale,
            reduced_motion="reduce" if reduced_motion else "no-preference",
        )
        self._context.route(lambda url: not url.startswith(server.url), self._refuse)
        self.page = self._context.new_page()
        self.page.on(
            "console", lambda m: m.type == "error" and self.problems.append(f"{m.text} [{m.location}]")
        )
        self.page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self.page.on("dialog", self._dismiss)
        name = server.add(notebook)
        self.page.goto(server.address(name))
        self.page.wait_for_function(OPENED, arg=name, timeout=60_000)
        self.page.evaluate(READY)
        self.theme(theme)

    def _refuse(self, route):
        self.foreign.append(route.request.url)
        route.abort()

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def command(self, name, **arguments):
        """Run one of JupyterLab's commands and wait for it."""
        self.page.evaluate(EXECUTE, [name, arguments])

    def theme(self, theme):
        """Show JupyterLab "light" or "dark"."""
        self.command("apputils:change-theme", theme=THEMES[theme])
        self.page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg=str(theme == "light").lower()
        )

    def run_all(self):
        """Run every cell and wait until the last one is done; a cell's error is raised here."""
        self.page.evaluate(KERNEL_READY)
        self.command("notebook:run-all-cells")
        for cell in self.code_cells():
            for output in cell["outputs"]:
                if output["output_type"] == "error":
                    raise AssertionError(f"a cell raised {output['ename']}: {output['evalue']}")

    def code_cells(self):
        """The code cells as the page has them: a list of {count, outputs}."""
        return self.page.evaluate(OUTPUTS)

    def value(self, expression):
        """The repr of a Python expression, evaluated in the notebook's kernel."""
        return self.page.evaluate(EVALUATE, expression)

    def output_width(self, width):
        """Change the window's width until a code cell's output area is `width` CSS pixels wide."""
        measure = "document.querySelector('.jp-OutputArea-output').clientWidth"
        for _ in range(5):  # the sidebar and the scroll bar may take another share of the new width
            size = self.page.viewport_size
            missing = width - self.page.evaluate(measure)
            if not missing:
                return
            self.page.set_viewport_size({"width": size["width"] + missing, "height": size["height"]})
            try:
                self.page.wait_for_function(f"width => {measure} === width", arg=width, timeout=1000)
            except TimeoutError:
                continue
        raise AssertionError(f"the output area cannot be made {width} px wide")

    def close(self):
        """Shut the kernel down and close the window."""
        try:
            self.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        finally:
            self._context.close()
