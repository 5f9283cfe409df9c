"""What a stored notebook says: its cells, their source and what they show."""

import json
import re
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks" / "en"


def read(path):
    """The cells of the notebook file `path`."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def said(output):
    """What one output says, as text."""
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", ""))


class Stored:
    """One notebook of the English edition, read once."""

    def __init__(self, name):
        self.cells = {cell["id"]: cell for cell in read(NOTEBOOKS / name)}

    def prose(self, cell):
        """A markdown cell's words, on one line."""
        return " ".join(source(self.cells[cell]).split())

    def output(self, cell):
        """What a code cell shows, as text."""
        return "".join(map(said, self.cells[cell]["outputs"]))


def short(*values, digits=3):
    """Numbers as the prose writes them: .316 −.406, with a real minus."""
    return " ".join(re.sub(r"\b0\.", ".", f"{v:.{digits}f}").replace("-", "−") for v in values)
