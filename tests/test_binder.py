"""Binder: the steps that repo2docker derives from binder/, and the same steps replayed in a fresh environment."""

import json
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="Binder's steps are shell lines: run this on Linux or macOS"
)


@pytest.fixture(scope="module")
def plan(project):
    """What repo2docker says and the Dockerfile it would build; it needs no Docker for that."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def container(plan, project, environment):
    """A fresh environment after every step that follows the copy of the project, taken as Binder takes them."""
    (copied,) = re.finditer(r"^COPY .*src/ \$\{REPO_DIR\}/$", plan.stdout, re.M)
    steps = re.findall(r"^RUN (.+)$", plan.stdout[copied.end() :], re.M)
    assert len(steps) == 4, steps  # install, and for postBuild and start: make executable; run postBuild
    for step in steps:
        step = step.replace("--no-cache-dir ", "")  # the one liberty taken: pip may reuse its downloads
        step = step.replace("${KERNEL_PYTHON_PREFIX}", str(environment.folder)).replace(
            "${REPO_DIR}", str(project)
        )
        environment.run("bash", "-c", step, cwd=project)
    return environment


def test_steps_come_in_the_expected_order(plan):
    assert "Building conda environment for python=3.12" in plan.stderr
    expected = [
        r"^COPY .*src/ \$\{REPO_DIR\}/$",
        r'^RUN \$\{KERNEL_PYTHON_PREFIX\}/bin/pip install --no-cache-dir -r "binder/requirements.txt"$',
        r"^RUN \./binder/postBuild$",
        r'^ENV R2D_ENTRYPOINT="\$\{REPO_DIR\}/binder/start"$',
    ]
    places = [match.start() for pattern in expected for match in re.finditer(pattern, plan.stdout, re.M)]
    assert len(places) == len(expected) and places == sorted(places)


def test_package_imports_from_any_folder(container, project, tmp_path):
    where = container.run("python", "-c", "import attention_lab; print(attention_lab.__file__)", cwd=tmp_path)
    assert where.strip() == str(project / "attention_lab" / "__init__.py")


def test_a_notebook_runs(container, project, tmp_path):
    notebook = min((project / "notebooks" / "en").glob("*.ipynb"))
    convert = ("jupyter", "nbconvert", "--to", "notebook", "--execute", "--output-dir", tmp_path, notebook)
    container.run("bash", "binder/start", *convert, cwd=project)
    cells = json.loads((tmp_path / notebook.name).read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert outputs and not [output for output in outputs if output["output_type"] == "error"]


def test_jupyterlab_has_what_the_panels_need(container):
    extensions = container.folder / "share" / "jupyter" / "labextensions"
    assert (extensions / "anywidget" / "package.json").exists()
    assert (extensions / "@jupyter-widgets" / "jupyterlab-manager" / "package.json").exists()
    settings = container.folder / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    viewers = json.loads(settings.read_text(encoding="utf-8"))["@jupyterlab/docmanager-extension:plugin"]
    assert viewers == {"defaultViewers": {"markdown": "Markdown Preview"}}


def test_image_stays_small(container, project):
    installed = {
        package["name"]
        for package in json.loads(container.run("pip", "list", "--format", "json", cwd=project))
    }
    assert not installed & {"playwright", "jupyter-repo2docker", "hypothesis"}
    assert "jupyterlab" in installed


def test_start_limits_threads_and_hands_over(container, project):
    shown = "import os, sys; print(os.environ['OPENBLAS_NUM_THREADS'], sys.argv[1:])"
    said = container.run("bash", "binder/start", "python", "-c", shown, "two words", cwd=project)
    assert said == "2 ['two words']\n"
