"""How blockwise attention compares with plain NumPy attention: time and memory, full and causal.

Run `python tests/bench/blockwise.py`. One thread, float32, d = 64. Each ratio is a median of times taken in
turn, so a busy machine slows both sides.
"""

import math
import os
import time
import tracemalloc
from statistics import median

for _library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")  # read once, when NumPy loads its BLAS

import numpy as np  # noqa: E402

import attention_lab as al  # noqa: E402

_MIB = 2**20


def plain(Q, K, V, causal):
    """The textbook's lines, one array each."""
    scores = Q @ K.T / math.sqrt(Q.shape[-1])
    if causal:
        scores = np.where(np.tri(len(Q), dtype=bool), scores, np.float32(-np.inf))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ V


def dense(Q, K, V, causal):
    """The package's attention with all its weights and scores."""
    return al.scaled_dot_product_attention(Q, K, V, al.causal_mask(len(Q)) if causal else None).context


def blockwise(Q, K, V, causal):
    """The package's attention without them."""
    return al.blockwise_attention(Q, K, V, causal=causal)


def peak_mib(function, *arguments):
    """The most memory held at once beyond the arguments and the result, in MiB."""
    tracemalloc.start()
    try:
        result = function(*arguments)
        return (tracemalloc.get_traced_memory()[1] - result.nbytes) / _MIB
    finally:
        tracemalloc.stop()


def seconds(functions, arguments, repeats):
    """The median time of each function, called in turn, in seconds."""
    times = {function: [] for function in functions}
    for _ in range(repeats + 1):
        for function in functions:
            start = time.perf_counter()
            function(*arguments)
            times[function].append(time.perf_counter() - start)
    return {function: median(taken[1:]) for function, taken in times.items()}  # the first warms up


def measure(lengths=(512, 1024, 2048, 4096, 8192), d=64):
    """One dictionary for each n and mask: plain's milliseconds, the others' share of it, everyone's MiB."""
    rng = np.random.default_rng(0)
    rows = []
    for n in lengths:
        Q, K, V = (rng.normal(size=(n, d)).astype(np.float32) for _ in range(3))
        for causal in (False, True):
            arguments = (Q, K, V, causal)
            taken = seconds((plain, dense, blockwise), arguments, repeats=max(3, min(15, 32768 // n)))
            rows.append(
                {
                    "n": n,
                    "causal": causal,
                    "plain_ms": 1000 * taken[plain],
                    "dense_time": taken[dense] / taken[plain],
                    "blockwise_time": taken[blockwise] / taken[plain],
                    "plain_mib": peak_mib(plain, *arguments),
                    "dense_mib": peak_mib(dense, *arguments),
                    "blockwise_mib": peak_mib(blockwise, *arguments),
                }
            )
    return rows


def main():
    """Print the table."""
    print("              time: plain   dense  blockwise   extra MiB: plain    dense  blockwise")
    for row in measure():
        print(
            f"{row['n']:5} {'causal' if row['causal'] else 'full':6} {row['plain_ms']:8.1f} ms"
            f" × {row['dense_time']:.2f}     × {row['blockwise_time']:.2f}"
            f" {row['plain_mib']:17.1f} {row['dense_mib']:8.1f} {row['blockwise_mib']:10.1f}"
        )


if __name__ == "__main__":
    main()
