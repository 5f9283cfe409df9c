"""A notebook as a page without a kernel: nbconvert's HTML with saved widget state, nothing from the network.

nbconvert's page asks for require.js and for @jupyter-widgets/html-manager, and html-manager for anywidget's
script. anywidget's Python package brings its own (`nbextension/index.js`, an AMD module); the other two are
taken from npm once, checked against the sums below and kept in pytest's cache. Installing html-manager with
all it depends on would take 130 MB; its built `embed-amd.js` needs none of it.
"""

import hashlib
import subprocess
import tarfile
from importlib.resources import files

from nbclient import NotebookClient
from nbconvert import HTMLExporter

ORIGIN = "http://saved.invalid"
PACKAGES = {  # name@version -> (file in the archive, SHA-256 of the archive)
    "requirejs@2.3.8": (
        "package/require.js",
        "777158e89275e16bd51aec3ef714fbcb5dc45789e7078659933bc814916d7dec",
    ),
    "@jupyter-widgets/html-manager@1.0.15": (
        "package/dist/embed-amd.js",
        "2b9d65cb7913e1c7d671757a10008b32c9c2448d4429513371e55c07d6107638",
    ),
}


def scripts(npm, cache):
    """The three scripts, {path on the page: bytes}; the archives from npm are kept in the folder `cache`."""
    found = {"/anywidget.js": files("anywidget").joinpath("nbextension/index.js").read_bytes()}
    for package, (member, digest) in PACKAGES.items():
        archive = cache / (package.lstrip("@").replace("/", "-").replace("@", "-") + ".tgz")
        if not archive.exists():
            subprocess.run(
                [npm, "pack", "--silent", package], cwd=cache, check=True, capture_output=True, timeout=120
            )
        content = archive.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            archive.unlink()
            raise AssertionError(f"{package}: the archive from npm is not the one this test was written for")
        with tarfile.open(archive) as package_files:
            found["/" + member.rsplit("/")[-1]] = package_files.extractfile(member).read()
    return found


def export(notebook, folder):
    """Execute a notebook in `folder` with its widget state kept; returns the HTML page."""
    NotebookClient(
        notebook, timeout=120, store_widget_state=True, resources={"metadata": {"path": folder}}
    ).execute()
    exporter = HTMLExporter(
        require_js_url="/require.js", widget_renderer_url="/embed-amd.js", mathjax_url="/no-mathjax.js"
    )
    return exporter.from_notebook_node(notebook)[0]


class SavedPage:
    """The exported page in a browser window; `foreign` are the requests for what it did not bring along."""

    def __init__(self, browser, html, scripts):
        self.problems, self.foreign = [], []
        self._files = scripts | {"/": html.encode(), "/no-mathjax.js": b""}
        self._context = browser.new_context(viewport={"width": 1280, "height": 720})
        self._context.route("**/*", self._serve)
        self.page = self._context.new_page()
        self.page.on("console", lambda m: m.type == "error" and self.problems.append(m.text))
        self.page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self.page.goto(ORIGIN + "/")

    def _serve(self, route):
        path = route.request.url.removeprefix(ORIGIN)
        if path in self._files:
            kind = "text/html" if path == "/" else "text/javascript"
            route.fulfill(body=self._files[path], content_type=f"{kind}; charset=utf-8")
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def close(self):
        self._context.close()
