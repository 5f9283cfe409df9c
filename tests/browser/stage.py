"""What the tests know of a panel on a page: its sliders, and the stage's debug hook `root.alStage`.

The same for JupyterLab and for a saved page without a kernel: all it needs is playwright's page.
"""

import hashlib
import json

from lab import code_notebook

PANEL = "al.panel(5, arrays=al.examples.lesson(16, 64))"
SLIDERS = D_K, MASK, LENGTH, QUERY = range(4)  # in the panel's order
SETTINGS = ("d_k", "mask", "n", "query")  # what each of them sets
STEPS = (12, 5, 15, 4)  # how many values each has, the query among 4 tokens

# Three frames went by without a repaint: the keys pressed so far have had their effect.
QUIET = """root => new Promise(resolve => {
    let drawn, still = 0;
    const look = () => {
        still = root.alStage.drawn && root.alStage.drawn === drawn ? still + 1 : 0;
        drawn = root.alStage.drawn;
        still === 3 ? resolve() : requestAnimationFrame(look);
    };
    look();
})"""
PIXELS = "root => root.querySelector('canvas.al-cells').toDataURL()"

# One look a frame at what was just shown: is the canvas blank, has the panel changed its height or its place?
WATCH = """root => {
    const panel = root.closest('.al-panel'), canvas = root.querySelector('canvas.al-cells');
    const small = new OffscreenCanvas(64, 64).getContext('2d', {willReadFrequently: true});
    const seen = window.alSeen = {frames: 0, blank: 0, replaced: 0, heights: [], tops: [], stop: false};
    const note = (list, value) => list.includes(value) || list.push(value);
    const look = () => {
        if (seen.stop) return;
        small.clearRect(0, 0, 64, 64);
        if (canvas.width && canvas.height) small.drawImage(canvas, 0, 0, 64, 64);
        const colours = new Set(new Uint32Array(small.getImageData(0, 0, 64, 64).data.buffer));
        seen.frames += 1;
        seen.blank += colours.size < 2;
        seen.replaced += root.querySelector('canvas.al-cells') !== canvas || !canvas.isConnected;
        note(seen.heights, Math.round(panel.getBoundingClientRect().height));
        note(seen.tops, Math.round(panel.getBoundingClientRect().top));
        requestAnimationFrame(look);
    };
    look();
}"""
SEEN = "() => { window.alSeen.stop = true; return window.alSeen; }"

# Words that do not fit: cut by the box they stand in, or outside the panel or the picture. Only the scroller
# around the picture may be wider inside than outside. What is there for screen readers alone is left out.
CUT_OFF = """panel => {
    const shown = (selector, from = panel) => [...from.querySelectorAll(selector)].filter(node => {
        const box = node.getBoundingClientRect();
        return box.width > 1 && box.height > 1 && !node.closest('.al-unseen, .noUi-target');
    });
    const outside = (box, edge) => box.left < edge.left - 1 || box.right > edge.right + 1
        || box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
    const name = node => node.className.baseVal ?? node.className;
    const scroller = panel.querySelector('.al-scroller'), map = scroller.querySelector('.al-map');
    const wide = [panel, ...shown('div, span, table')]
        .filter(node => node !== scroller && node.innerText.trim())
        .filter(node => node.scrollWidth > node.clientWidth + 1 && node.clientWidth)
        .map(node => `${name(node)} is ${node.scrollWidth} px wide in ${node.clientWidth}: ${node.innerText}`);
    const words = (nodes, edge, where) => nodes
        .filter(node => [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim()))
        .filter(node => outside(node.getBoundingClientRect(), edge))
        .map(node => `“${node.textContent}” leaves ${where}`);
    const aside = shown('*').filter(node => !scroller.contains(node));
    return [
        ...wide,
        ...words(aside, panel.getBoundingClientRect(), 'the panel'),
        ...words(shown('*', map), map.getBoundingClientRect(), 'the picture'),
    ];
}"""

# Cells that say one colour to the tests and show another on the canvas. Only cells with a number: the others are
# half blocks. The look is at a corner, where no digit stands.
FALSE_COLOURS = """root => {
    const canvas = root.querySelector('canvas.al-cells'), ratio = canvas.width / canvas.getBoundingClientRect().width;
    const context = canvas.getContext('2d'), probe = new OffscreenCanvas(1, 1).getContext('2d');
    const rgb = colour => {
        probe.fillStyle = colour;
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data];
    };
    return root.alStage.cells().filter(cell => cell.text && !cell.hidden).flatMap(cell => {
        const [x, y] = [cell.x + cell.w - 2, cell.y + cell.h - 2].map(v => Math.floor(v * ratio));
        const shown = [...context.getImageData(x, y, 1, 1).data], said = rgb(cell.fill);
        return shown.some((v, k) => Math.abs(v - said[k]) > 3) ? [`${cell.matrix} ${cell.row} ${cell.col}`] : [];
    });
}"""


def panel_notebook(language="en", *sources):
    """A notebook that chooses the edition and shows panels; by default one, of the lesson's 16 tokens."""
    return code_notebook(f'import attention_lab as al\nal.setup("{language}")', *(sources or [PANEL]))


# Words in the SVG over the canvas, their boxes as [left, top, right, bottom] in the picture, `of` pixels wide.
WORDS = """root => {
    const picture = root.querySelector('.al-picture').getBoundingClientRect();
    return [...root.querySelectorAll('svg.al-over text')].flatMap(text => {
        const {left, top, right, bottom, width, height} = text.getBoundingClientRect();
        const box = [left - picture.left, top - picture.top, right - picture.left, bottom - picture.top];
        const fill = getComputedStyle(text).fill;
        return width && height ? [{text: text.textContent, fill, box, of: picture.width}] : [];
    });
}"""


class Stage:
    """The nth panel of a page with its stage."""

    def __init__(self, page, nth=0):
        self.page = page
        self.panel = page.locator(".al-panel").nth(nth)
        self.root = self.panel.locator(".al-stage")
        self.root.wait_for(timeout=20_000)
        self.handles = self.panel.locator(".al-controls .noUi-handle")
        self.panel.locator(".noUi-handle[aria-label]").nth(QUERY).wait_for(timeout=20_000)
        self.panel.scroll_into_view_if_needed()
        self.settle()

    def get(self, expression):
        """The value of a JavaScript expression of `stage`, the debug hook; as JSON, since cells are thousands."""
        return json.loads(
            self.root.evaluate(f"root => (stage => JSON.stringify({expression}))(root.alStage)")
        )

    @property
    def settings(self):
        """{d_k, mask, n, query} as the picture has them."""
        settings = self.get("stage.settings")
        return {name: settings[name] for name in SETTINGS}

    @property
    def drawn(self):
        """How many frames have been painted so far."""
        return self.get("stage.drawn")

    def cells(self):
        """What stands on the canvas, cell by cell."""
        return self.get("stage.cells()")

    def picture(self):
        """A short fingerprint of the canvas's pixels."""
        return hashlib.sha256(self.root.evaluate(PIXELS).encode()).hexdigest()[:12]

    def settle(self):
        """Wait until the stage has nothing left to draw."""
        self.root.evaluate(QUIET)

    def press(self, slider, *keys):
        """Press keys on a slider, as fast as they come, and wait for the last picture."""
        self.handles.nth(slider).focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def set(self, d_k=0, mask=0, n=0, query=0):
        """Put the four sliders at these positions, counted from the lowest."""
        for slider, position in ((D_K, d_k), (MASK, mask), (LENGTH, n), (QUERY, query)):
            self.press(slider, "Home", *["ArrowRight"] * position)

    def watch(self):
        """Start looking at every frame; `seen` ends it and says what was seen."""
        self.root.evaluate(WATCH)

    def seen(self):
        return self.page.evaluate(SEEN)

    def words(self):
        """The words over the canvas, with their colours and places."""
        return self.root.evaluate(WORDS)

    def cut_off(self):
        """Words and boxes that do not fit, as sentences."""
        return self.panel.evaluate(CUT_OFF)

    def false_colours(self):
        """Cells whose fill on the canvas is not what `cells()` says."""
        return self.root.evaluate(FALSE_COLOURS)
