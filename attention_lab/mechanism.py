"""The Mechanism Lab: one attention computation in five steps, played on the stage."""

from .panels import Panel, example

STOPS = ("1", "2", "3a", "3b", "4a", "4b", "4c", "5a", "5b")


def mechanism_lab(state=1, *, arrays=None):
    """The five steps from tokens to context vectors, as a player under the course's sliders. It opens paused.

    Parameters
    ----------
    state : where it opens: a step, 1 to 5, or one of its stops, "3a" "3b" "4a" "4b" "4c" "5a" "5b".
        1 tokens form H; 2 projections; 3 scores, one row then all; 4 scale, mask, softmax; 5 weighted sum,
        one row then all. A bare 3, 4 or 5 opens at its first stop.
    arrays : as in `panel`: a named tuple (tokens, H, W_Q, W_K, W_V), by default the lesson's example.

    Returns a Panel. ValueError for any other state.
    """
    stops = [str(state), f"{state}a"]
    found = [k for k, stop in enumerate(STOPS, start=1) if stop in stops]
    if not found or isinstance(state, bool):
        raise ValueError(f"state is a step 1 to 5 or a stop {', '.join(STOPS[2:])}, got {state!r}")
    return Panel("lab", example(arrays), stop=found[0])
