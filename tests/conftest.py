"""What several test files share: the project as a fresh clone has it, and a fresh Python environment."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from attention_lab import wording

ROOT = Path(__file__).resolve().parents[1]
LEFT_BY_WORK = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "node_modules")


@pytest.fixture(autouse=True, scope="session")
def own_ipython_folder(tmp_path_factory):
    """Kernels started by tests use no start-up files and no history of the person who runs them."""
    os.environ["IPYTHONDIR"] = str(tmp_path_factory.mktemp("ipython"))


@pytest.fixture(autouse=True)
def english():
    """Each test starts in English, whatever edition the one before it chose."""
    wording.use("en")


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project without what building and testing leave behind."""
    return Path(
        shutil.copytree(ROOT, tmp_path_factory.mktemp("clone") / "attention_lab", ignore=LEFT_BY_WORK)
    )


class Environment:
    """A virtual environment in `folder`, empty but for pip."""

    def __init__(self, folder):
        venv.create(folder, with_pip=True)
        self.folder = folder
        self.scripts = folder / ("Scripts" if os.name == "nt" else "bin")

    def variables(self, **more):
        """The process environment with this one activated, and nothing that leads to another."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        path = f"{self.scripts}{os.pathsep}{os.environ['PATH']}"
        return {**kept, "VIRTUAL_ENV": str(self.folder), "PATH": path, **more}

    def run(self, *command, cwd):
        """Run `command` in this environment, in the folder `cwd`; its standard output. A failure shows all it printed."""
        done = subprocess.run(
            [shutil.which(command[0], path=self.variables()["PATH"]), *map(str, command[1:])],
            cwd=cwd,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A fresh, empty Python environment for one test file."""
    return Environment(tmp_path_factory.mktemp("environment"))
