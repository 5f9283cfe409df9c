"""What NumPy says to a panel's settings, under the names that the stage's model has for it."""

import numpy as np

import attention_lab as al
from attention_lab.panels import visibility


def softened(scores, visible):
    """Weights of scores of which only the visible ones count."""
    return al.softmax(np.where(visible, scores, -np.inf))


def head(n, d_k, mask, first=0, temperature=1):
    """One head of the lesson's example: it takes d_k columns of each W, from `first` on."""
    _, H, *W = al.examples.lesson(16, 64)
    Q, K, V = (H[:n] @ w[:, first : first + d_k] for w in W)
    raw = Q @ K.T
    scaled = raw / np.sqrt(d_k) / temperature
    weights = softened(scaled, visibility(mask, n))
    return {
        "H": H[:n],
        "Q": Q,
        "K": K,
        "V": V,
        "raw": raw,
        "scaled": scaled,
        "weights": weights,
        "context": weights @ V,
    }


def spread(n, d_k, mask):
    """Panel 3: the row's softmax without a scale, with √d_k and with d_k."""
    data = al.examples.spread()
    index = data["widths"].index(d_k)
    raw, visible = np.array(data["scores"][index])[:n, :n], visibility(mask, n)
    scales = {"none": 1, "root": np.sqrt(d_k), "full": d_k}
    return {"raw": raw, "sd": data["sd"][index], "counts": data["counts"][index]} | {
        name: softened(raw / scale, visible) for name, scale in scales.items()
    }


def heads(n, d_k, mask, count):
    """Panel 6: every head's weights and values, their contexts side by side, and what W_O makes of them."""
    each = [head(n, d_k, mask, first=h * d_k) for h in range(count)]
    concat = np.hstack([one["context"] for one in each])
    W_O = al.examples.output_weights(64, 6)[: count * d_k]
    return {
        "weights": [one["weights"] for one in each],
        "V": [one["V"] for one in each],
        "concat": concat,
        "output": concat @ W_O,
    }
