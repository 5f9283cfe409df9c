"""How much memory a learner's kernel holds after each notebook, and at most while it runs.

Run `python tests/bench/memory.py`; it reads /proc, so it needs Linux. Each notebook runs from top to bottom in
a kernel of its own. Resident memory in MB, rounded to 10; pages that several kernels share count in each.
"""

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks" / "en"


def resident_mb(path):
    """Resident memory of the kernel that ran the notebook: (at the end, at its highest), in MB."""
    place = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(nbformat.read(path, as_version=4), timeout=300, resources=place)
    with client.setup_kernel():
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        status = Path(f"/proc/{client.km.provisioner.pid}/status").read_text()
    kib = [int(re.search(rf"{name}:\s*(\d+) kB", status)[1]) for name in ("VmRSS", "VmHWM")]
    return [round(k * 1024 / 1e6, -1) for k in kib]


if __name__ == "__main__":
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        end, highest = resident_mb(path)
        print(f"{path.stem:25} {end:4.0f} MB at the end, {highest:4.0f} MB at its highest", flush=True)
