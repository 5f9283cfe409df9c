"""Notebook 01: project, count_parameters."""

import numpy as np

from .engine import Exercise

_rng = np.random.default_rng(101)

project = Exercise(
    "project",
    lambda H, W: H @ W,
    # A square W lets H Wᵀ give numbers instead of an error, so that it can be named.
    [[tuple(_rng.normal(size=shape) for shape in shapes) for shapes in [((3, 4), (4, 2)), ((3, 3), (3, 3))]]],
    {
        "transposed_weights": lambda H, W: H @ W.T,
        "wrong_order": lambda H, W: W @ H,
        "transposed": lambda H, W: (H @ W).T,
        "elementwise": lambda H, W: H * W,
        "scaled_already": lambda H, W: H @ W / np.sqrt(W.shape[1]),
        "weights_unused": lambda H, W: H,
        "attends_already": lambda H, W: H @ W @ (H @ W).T,
    },
)

count_parameters = Exercise(
    "count_parameters",
    lambda d_model, d_k, d_v: d_model * (2 * d_k + d_v),
    [[(6, 4, 3), (5, 2, 7)]],
    {
        "one_width": (
            lambda d_model, d_k, d_v: 3 * d_model * d_k,
            lambda d_model, d_k, d_v: 3 * d_model * d_v,
        ),
        "two_matrices": lambda d_model, d_k, d_v: d_model * (d_k + d_v),
        "keys_like_values": lambda d_model, d_k, d_v: d_model * (d_k + 2 * d_v),
        "with_output": lambda d_model, d_k, d_v: d_model * (2 * d_k + d_v) + d_v * d_model,
        "with_biases": lambda d_model, d_k, d_v: (d_model + 1) * (2 * d_k + d_v),
        "without_d_model": lambda d_model, d_k, d_v: 2 * d_k + d_v,
        "added_sizes": lambda d_model, d_k, d_v: 3 * d_model + 2 * d_k + d_v,
        "multiplied_sizes": lambda d_model, d_k, d_v: d_model * d_k * d_v,
        "square_matrices": lambda d_model, d_k, d_v: 3 * d_model**2,
    },
)

EXERCISES = (project, count_parameters)
