"""What the tests know of a panel or a lab on a page: its sliders, and the stage's debug hook `root.alStage`.

The same for JupyterLab and for a saved page without a kernel: all it needs is playwright's page.
"""

import hashlib
import json

from lab import code_notebook

LAB = "al.mechanism_lab()"
EVERYTHING = [*(f"al.panel({step})" for step in range(1, 7)), LAB]  # one page of all there is
PANEL = EVERYTHING[4]
SLIDERS = D_K, MASK, LENGTH, QUERY = range(4)  # in the panel's order
OWN = 4  # panel 2's key, 4's temperature, 6's heads
SETTINGS = ("d_k", "mask", "n", "query")  # what each of the four sets
STEPS = (12, 5, 15, 4)  # how many values each has in panel 5, the query among 4 tokens

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
LAYERS = """root => [...root.querySelectorAll('.al-picture > canvas, .al-picture > svg')]
    .map(layer => layer.toDataURL?.() ?? layer.outerHTML).join()"""

SET = "(root, state) => { root.alStage.model.set(state); root.alStage.model.save_changes(); }"
AT = """([panel, places]) => [...panel.querySelectorAll('.al-controls .noUi-handle')].slice(0, places.length)
    .every((handle, k) => handle.getAttribute('aria-valuenow') - handle.getAttribute('aria-valuemin') === places[k])"""
OWNERS = {"scores": "key", "row": "temperature", "heads": "heads"}

# Every frame from now on: what cannot be a number or a word, wherever it stands on the stage.
HEED = """root => {
    const stage = root.alStage, wrong = window.alWrong = new Set(), bad = /NaN|undefined|null|Infinity|\\{\\w+\\}/;
    const names = () => [...root.querySelectorAll('[aria-label]')].map(node => node.getAttribute('aria-label'));
    let drawn;
    const look = () => {
        if (window.alWrong !== wrong) return;
        if (stage.drawn !== drawn) {
            drawn = stage.drawn;
            for (const text of [root.textContent, ...names()]) if (bad.test(text)) wrong.add(text.match(bad)[0] + ': ' + text.slice(0, 200));
            for (const c of stage.cells()) if (bad.test(c.text ?? '') || ![c.x, c.y, c.w, c.h].every(Number.isFinite)) wrong.add(c.matrix);
            if (stage.painter.over.outerHTML.includes('NaN')) wrong.add('NaN in the SVG');
        }
        requestAnimationFrame(look);
    };
    look();
}"""
HEEDED = "() => { const wrong = [...window.alWrong]; window.alWrong = null; return wrong; }"

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
        .filter(node => node !== scroller && node.innerText.trim() && !node.closest('.al-steps'))
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
    const {data, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const probe = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}), known = {};
    const rgb = colour => known[colour] ??= (() => {
        probe.fillStyle = colour;
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data];
    })();
    return root.alStage.cells().filter(cell => cell.text && !cell.hidden).flatMap(cell => {
        const [x, y] = [cell.x + cell.w - 2, cell.y + cell.h - 2].map(v => Math.floor(v * ratio));
        const said = rgb(cell.fill);
        return said.some((v, k) => Math.abs(v - data[4 * (y * width + x) + k]) > 3) ? [`${cell.matrix} ${cell.row} ${cell.col}`] : [];
    });
}"""


def panel_notebook(language="en", *sources):
    """A notebook that chooses the edition and shows panels; by default the one of notebook 05."""
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

    def steps(self, slider):
        """How many values a slider has."""
        low, high = (self.handles.nth(slider).get_attribute(f"aria-value{end}") for end in ("min", "max"))
        return round(float(high) - float(low)) + 1

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

    def layers(self):
        """A short fingerprint of the whole picture: the canvases' pixels and the SVG's text."""
        return hashlib.sha256(self.root.evaluate(LAYERS).encode()).hexdigest()[:12]

    @property
    def live(self):
        """What a screen reader was told last."""
        return self.root.locator(".al-live").text_content()

    def settle(self):
        """Wait until the stage has nothing left to draw."""
        self.root.evaluate(QUIET)

    def press(self, slider, *keys):
        """Press keys on a slider, as fast as they come, and wait for the last picture."""
        self.send(slider, *keys)
        self.settle()

    def send(self, slider, *keys):
        """Press keys on a slider and wait for nothing."""
        self.handles.nth(slider).focus()
        for key in keys:
            self.page.keyboard.press(key)

    def set(self, d_k=0, mask=0, n=0, query=0, own=None):
        """Put the sliders at these positions, counted from the lowest, all at once; a fifth one only if told.

        Not by keys, which take a second: the stage's model is set, and the sliders linked to it follow.
        """
        state = {"d_k": d_k, "mask": mask, "n": n + 2, "query": query + 1}
        if own is not None:
            name = OWNERS[self.get("stage.model.get('view')")]
            state[name] = own if name == "temperature" else own + 1
        self.root.evaluate(SET, state)
        self.settle()
        self.page.wait_for_function(AT, arg=[self.panel.element_handle(), [d_k, mask, n]], timeout=5000)

    def heed(self):
        """Start reading every frame; `heeded` ends it and returns what is no number and no word."""
        self.root.evaluate(HEED)

    def heeded(self):
        return self.page.evaluate(HEEDED)

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


# Every frame while the lab plays: T as drawn, the picture of each stop, what is said and when, the numbers.
FILM = """root => {
    const stage = root.alStage, {player} = stage, film = window.alFilm = {T: [], stops: {}, said: [], models: [], stop: false};
    const layers = () => [...root.querySelectorAll('.al-picture > canvas, .al-picture > svg')]
        .map(layer => layer.toDataURL?.() ?? layer.outerHTML).join();
    const live = root.querySelector('.al-live');
    new MutationObserver(() => film.stop || film.said.push([player.T, live.textContent])).observe(live, {childList: true, characterData: true, subtree: true});
    let drawn = stage.drawn, shown;
    const look = () => {
        if (film.stop) return;
        if (stage.drawn !== drawn) {
            drawn = stage.drawn;
            const {T, m, i} = stage.scene, settings = JSON.stringify({n: m.n, d_k: m.d_k, mask: m.mask, query: i + 1});
            film.T.push(T);
            if (Number.isInteger(T) && T && !film.stops[T]) film.stops[T] = layers();
            if (settings !== shown) film.models.push([T, JSON.stringify([JSON.parse(settings), m])]);
            shown = settings;
        }
        requestAnimationFrame(look);
    };
    look();
}"""
FILMED = "() => { window.alFilm.stop = true; return window.alFilm; }"


class Lab(Stage):
    """The nth panel of a page, which is a Mechanism Lab: its player too."""

    def __init__(self, page, nth=0):
        super().__init__(page, nth)
        self.steps_slider = self.root.locator(".al-steps")

    @property
    def T(self):
        """Where the player stands, 0 … 9."""
        return self.get("stage.player.T")

    @property
    def playing(self):
        return self.get("stage.player.playing")

    def key(self, *keys):
        """Press keys on the picture."""
        self.root.locator(".al-picture").focus()
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name):
        """One of the player's buttons: restart, previous, play, next."""
        return self.root.locator(f".al-{name}")

    def go(self, stop):
        """To the stop, 1 … 9, by the step slider."""
        self.steps_slider.focus()
        for key in ("Home", *["ArrowRight"] * (stop - 1)):
            self.page.keyboard.press(key)
        self.settle()

    def speed(self, speed):
        self.root.locator(".al-speed", has_text=f"{speed}×").last.click()

    def wait(self, condition, seconds=20):
        """Wait for a JavaScript condition of `player`."""
        wait = f"root => (player => {condition})(root.alStage.player)"
        self.page.wait_for_function(wait, arg=self.root.element_handle(), timeout=1000 * seconds)

    def film(self):
        """Start recording every frame; `filmed` ends it and returns it."""
        self.root.evaluate(FILM)

    def filmed(self):
        film = self.page.evaluate(FILMED)
        film["stops"] = {
            int(T): hashlib.sha256(layers.encode()).hexdigest()[:12] for T, layers in film["stops"].items()
        }
        film["models"] = [(T, *json.loads(numbers)) for T, numbers in film["models"]]
        return film
