"""What a stored notebook says: its cells by id, their prose and what they show."""

import json
import re
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks" / "en"


class Stored:
    """One notebook of the English edition, read once."""

    def __init__(self, name):
        notebook = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
        self.cells = {cell["id"]: cell for cell in notebook["cells"]}

    def prose(self, cell):
        """A markdown cell's words, on one line."""
        return " ".join("".join(self.cells[cell]["source"]).split())

    def output(self, cell):
        """What a code cell shows, as text."""
        return "".join("".join(o.get("text") or o["data"]["text/plain"]) for o in self.cells[cell]["outputs"])


def short(*values, digits=3):
    """Numbers as the prose writes them: .316 −.406, with a real minus."""
    return " ".join(re.sub(r"\b0\.", ".", f"{v:.{digits}f}").replace("-", "−") for v in values)
