"""What can be seen of a stage: contrast of numbers and words, and what axe finds; under which looks to see it."""

from io import BytesIO

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

# Every pair of theme, language and width; "projector" is 1280 × 720 at 200 %.
LOOKS = [
    ("light", "en", 960), ("dark", "zh", 960), ("dark", "en", 848), ("light", "zh", 848),
    ("light", "en", "projector"), ("dark", "zh", "projector"),
]  # fmt: skip
PAPER = {"light": (255, 255, 255), "dark": (17, 17, 17)}  # JupyterLab's own


def axe(stage):
    """axe's violations in the panel of a stage, as (rule, nodes)."""
    stage.panel.evaluate("panel => { panel.id = 'under-axe'; }")
    try:
        found = Axe().run(stage.page, context="#under-axe").response["violations"]
    finally:
        stage.panel.evaluate("panel => panel.removeAttribute('id')")
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


def luminance(colour):
    """Relative luminance after WCAG 2.1 of (red, green, blue), 0 … 255 each."""
    share = np.asarray(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """Contrast after WCAG 2.1 of two colours, 1 … 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def rgb(colour):
    """(red, green, blue) of "#rrggbb" or "rgb(r, g, b)"."""
    if colour.startswith("#"):
        return tuple(bytes.fromhex(colour[1:7]))
    return tuple(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])


def faint_numbers(stage):
    """Numbers in cells whose contrast with their ground is below 4.5 : 1."""
    ratios = [
        (cell, contrast(rgb(cell["fill"]), rgb(cell["ink"]))) for cell in stage.cells() if cell.get("text")
    ]
    return [f"{cell['matrix']} {cell['text']}: {ratio:.2f}" for cell, ratio in ratios if ratio < 4.5]


def faint_words(stage):
    """Words over the canvas whose contrast with the ground that a screenshot shows there is below 4.5 : 1."""
    image = np.asarray(Image.open(BytesIO(stage.root.locator(".al-picture").screenshot())).convert("RGB"))
    image = image @ np.array([1 << 16, 1 << 8, 1])  # one number a colour
    found = []
    for word in stage.words():
        left, top, right, bottom = (round(side * image.shape[1] / word["of"]) for side in word["box"])
        colours, counts = np.unique(image[top:bottom, left:right], return_counts=True)
        ground = int(colours[counts.argmax()])
        ratio = contrast((ground >> 16, ground >> 8 & 255, ground & 255), rgb(word["fill"]))
        if ratio < 4.5:
            found.append(f"{word['text']}: {ratio:.2f}")
    return found
