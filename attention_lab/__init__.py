"""attention_lab: scaled dot-product attention in six steps, from tokens to context vectors.

Importing this package loads NumPy and nothing heavier; pictures load when first used.
"""

from importlib import import_module

from .attention import (
    Attention,
    attention_scores,
    influence_map,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    self_attention,
    softmax,
    split_heads,
)
from .blockwise import blockwise_attention
from .masks import additive_mask, causal_mask, padding_mask, window_mask
from .positions import positional_encoding, rotate

_LATER = {  # loaded when first used: name -> (module, attribute; None is the module itself)
    "setup": ("style", "setup"),
    "panel": ("panels", "panel"),
    "mechanism_lab": ("mechanism", "mechanism_lab"),
    "check": ("exercises", "check"),
    "hunt": ("exercises.hunt", None),
    "predict": ("predictions", "predict"),
    "examples": ("examples", None),
    "plots": ("plots", None),
    "training": ("training", None),
}

__all__ = [
    "Attention",
    "additive_mask",
    "attention_scores",
    "blockwise_attention",
    "causal_mask",
    "influence_map",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "positional_encoding",
    "rotate",
    "scaled_dot_product_attention",
    "self_attention",
    "softmax",
    "split_heads",
    "window_mask",
    *_LATER,
]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'attention_lab' has no attribute '{name}'")
    module, attribute = _LATER[name]
    loaded = import_module(f".{module}", __name__)
    value = loaded if attribute is None else getattr(loaded, attribute)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
