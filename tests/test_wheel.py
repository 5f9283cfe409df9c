"""The package as a wheel in an empty environment: `-e .` would hide files that are not packed."""

import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOT_SHIPPED = {
    "stage/src",
    "stage/package.json",
    "stage/package-lock.json",
}  # only needed to change the stage

OPEN_EVERYTHING = """
from importlib.resources import files
import sys
for name in sys.argv[1:]:
    package, _, path = name.partition("/")
    assert files(package).joinpath(path).read_bytes() or name.endswith("__init__.py"), name
"""

USE_IT = """
import numpy as np
import attention_lab as al

rng = np.random.default_rng(7)
X = rng.normal(size=(4, 6))
W_Q, W_K, W_V = (rng.normal(size=(6, 4)) / np.sqrt(6) for _ in range(3))
print(al.self_attention(X, W_Q, W_K, W_V, al.causal_mask(4)).weights.round(3).tolist()[3])
for language in ("en", "zh"):
    al.setup(language)
    assert {"image/png", "text/html", "text/plain"} <= set(al.panel(5)._repr_mimebundle_())
"""


@pytest.fixture(scope="module")
def wheel(environment, project, tmp_path_factory):
    """The path of a wheel built from a clean copy of the project."""
    folder = tmp_path_factory.mktemp("wheel")
    environment.run("pip", "wheel", "--no-deps", "--wheel-dir", folder, project, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


def package_files():
    """Every file of the package that a learner's installation needs, as attention_lab/…"""
    package = ROOT / "attention_lab"
    found = (path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file())
    outside = ("__pycache__", "node_modules", ".ipynb_checkpoints", ".DS_Store")
    return {
        f"attention_lab/{name}"
        for name in found
        if not any(part in name for part in outside)
        and not any(name.startswith(skip) for skip in NOT_SHIPPED)
    }


def test_wheel_holds_exactly_the_package(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == package_files()


def test_wheel_carries_its_licences(wheel):
    packed = [name for name in zipfile.ZipFile(wheel).namelist() if "/licenses/" in name]
    assert any(name.endswith("/LICENSE") for name in packed)
    assert any("OFL" in name for name in packed), "the font's licence travels with the font"


def test_installed_wheel_works_from_another_folder(wheel, environment, tmp_path):
    environment.run("pip", "install", wheel, cwd=tmp_path)
    where = environment.run(
        "python", "-c", "import attention_lab; print(attention_lab.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(environment.folder)
    environment.run("python", "-c", OPEN_EVERYTHING, *sorted(package_files()), cwd=tmp_path)
    said = environment.run("python", "-c", USE_IT, cwd=tmp_path)
    assert said.splitlines()[0] == "[0.419, 0.431, 0.126, 0.024]"


def test_requirements_repeat_the_ranges_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert set(project["dependencies"]) <= set(lines)
    shared = {"nbval", "pytest"}
    in_test = {line for line in project["optional-dependencies"]["test"] if line.split(">=")[0] in shared}
    assert len(in_test) == len(shared) and in_test <= set(lines)
