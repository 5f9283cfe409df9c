"""How long a learner waits before anything can be tried: the import, and Run All of each notebook.

Run `python tests/bench/start.py`. Imports are timed in fresh processes taken in turn, so a busy machine slows
both sides; a notebook in a kernel that is up, as after "Restart Kernel and Run All Cells".
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[ez][nh]/0*.ipynb"))
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def imports(names=("numpy", "attention_lab"), repeats=7):
    """The median seconds that each import takes in a fresh process."""
    times = {name: [] for name in names}
    for _ in range(repeats):
        for name in names:
            done = subprocess.run(
                [sys.executable, "-c", IMPORT.format(name)], capture_output=True, check=True
            )
            times[name].append(float(done.stdout))
    return {name: median(taken) for name, taken in times.items()}


def run_all(path):
    """Seconds of each code cell of a notebook, in the kernel's order."""
    notebook, times = nbformat.read(path, 4), []
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}})
    with client.setup_kernel():
        for k, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                start = time.perf_counter()
                client.execute_cell(cell, k)
                times.append(time.perf_counter() - start)
    return times


def main():
    """Print both tables."""
    taken = imports()
    for name, seconds in taken.items():
        print(f"import {name:16} {1000 * seconds:6.0f} ms  × {seconds / taken['numpy']:.1f} of NumPy's")
    print("\nRun All                          seconds   slowest cell")
    for path in NOTEBOOKS:
        times = run_all(path)
        print(f"{path.parent.name}/{path.stem:28} {sum(times):8.1f} {max(times):14.1f}")


if __name__ == "__main__":
    main()
