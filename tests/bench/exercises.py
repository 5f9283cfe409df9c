"""How long the checks of the exercises take, over every known mistake and the right answer.

Run `python tests/bench/exercises.py`. It fails above 100 ms for one check.
"""

from time import perf_counter

from attention_lab import check


def slowest(exercise):
    """Milliseconds of the slowest check, and the name of what was checked."""
    times = []
    for name, variants in {"right": exercise.right, **exercise.mistakes}.items():
        for answer in variants if isinstance(variants, tuple) else (variants,):
            start = perf_counter()
            exercise(answer)
            times.append((1000 * (perf_counter() - start), name))
    return max(times)


if __name__ == "__main__":
    worst = 0
    for name in dir(check):
        if name != "progress":
            ms, mistake = slowest(getattr(check, name))
            worst = max(worst, ms)
            print(f"{name:30} {ms:6.1f} ms  {mistake}")
    raise SystemExit(worst > 100)
