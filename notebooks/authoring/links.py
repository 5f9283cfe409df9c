"""Carry owner and repository from [project.urls] in pyproject.toml into every link and Binder badge.

    python notebooks/authoring/links.py [--check]

Change the Repository line there, run this once, and READMEs, outlines and notebooks follow. Every Binder
badge is ours, so the repositories that badges name are the old names to replace. The badge in a notebook
opens that notebook. With --check nothing is written; the exit code says whether anything would be.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BADGE = re.compile(
    r"https://mybinder\.org/v2/gh/(?P<repository>[\w.-]+/[\w.-]+)/main\?urlpath=lab/tree/(?P<target>[\w./-]+)"
)


def repository(root):
    """OWNER/REPOSITORY, as pyproject.toml says."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"].removeprefix("https://github.com/")


def pages(root):
    """The files in which links are kept: the pages at the top, outlines and notebooks."""
    found = [*root.glob("*.md"), *root.glob("notebooks/*/*.md"), *root.glob("notebooks/*/*.ipynb")]
    return sorted(found)


def badge(repository, target):
    """The address that opens `target`, a path from the project's top, on Binder."""
    return f"https://mybinder.org/v2/gh/{repository}/main?urlpath=lab/tree/{target}"


def rewritten(root):
    """{path: its text as it should be} for every page that leads to another repository or notebook."""
    texts = {path: path.read_text(encoding="utf-8") for path in pages(root)}
    ours = {match["repository"] for text in texts.values() for match in BADGE.finditer(text)}
    names = "|".join(map(re.escape, sorted(ours)))
    links = re.compile(rf"(?<=github\.com/)(?:{names})(?![\w-])")
    new = repository(root)
    changed = {}
    for path, text in texts.items():
        itself = path.relative_to(root).as_posix() if path.suffix == ".ipynb" else None
        wanted = BADGE.sub(lambda match, itself=itself: badge(new, itself or match["target"]), text)
        wanted = links.sub(new, wanted) if ours else wanted
        if wanted != text:
            changed[path] = wanted
    return changed


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything would change")
    options = parser.parse_args(arguments)
    changed = rewritten(root)
    for path, text in changed.items():
        print(f"{path.relative_to(root)}: {'would change' if options.check else 'changed'}")
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
