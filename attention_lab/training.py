"""One attention layer that trains in the notebook: hand-written gradients and Adam, NumPy only, seeded.

Small enough to read, fast enough to run in front of a class: 200 steps take about a tenth of a second. The layer
has no residual, no feed-forward and no normalisation, so what it learns, attention has learned. Losses are mean
cross-entropies in nats. Three parts: the layer; the tasks, each a `Task`; what the course measures on them.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .attention import softmax
from .examples import ERRORS, MEANS
from .masks import causal_mask
from .wording import text

# ── The layer ──────────────────────────────────────────────────────────────────────────────────────────────


class Batch(NamedTuple):
    """What a layer is asked, and the right answers.

    ids (batch, n, parts): each token vector is the sum of the embeddings of its parts. targets (batch, n): the
    right class, −1 where nothing is asked; (batch, n, questions) if each token is asked several questions.
    """

    ids: np.ndarray
    targets: np.ndarray


def new_layer(rng, n_ids, n_classes, *, parts=1, d_model=16, d_k=16, n_positions=0, query_scale=1.0):
    """Random weights, a dict of arrays: E (n_ids, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_model),
    W_out (d_model, n_classes), and P (n_positions, d_model) if there are positions.

    A token vector, the sum of `parts` embeddings and a position, starts with variance 1, and each W has variance
    1/d_model: queries, keys and values start with variance 1. query_scale makes the first W_Q larger or smaller.
    """
    spread = 1 / math.sqrt(parts + (n_positions > 0))
    layer = {
        "E": rng.normal(size=(n_ids, d_model)) * spread,
        "W_Q": rng.normal(size=(d_model, d_k)) * query_scale / math.sqrt(d_model),
        "W_K": rng.normal(size=(d_model, d_k)) / math.sqrt(d_model),
        "W_V": rng.normal(size=(d_model, d_model)) / math.sqrt(d_model),
        "W_out": rng.normal(size=(d_model, n_classes)) / math.sqrt(d_model),
    }
    if n_positions:
        layer["P"] = rng.normal(size=(n_positions, d_model)) * spread
    return layer


def forward(layer, ids, mask=None, scale=None, start=0):
    """All that the layer computes, by name: X, which counts ids, H = X E (+ P), Q, K, V, weights, context, logits.

    ids (batch, n, parts), X (batch, n, n_ids). mask (n, n), True = may look. scale is 1/√d_k unless given. Queries before position
    `start`, where nothing is asked, are left out: Q, weights, context and logits have n − start rows.
    """
    X = np.eye(len(layer["E"]))[ids].sum(axis=-2)
    H = X @ layer["E"]
    if "P" in layer:
        H = H + layer["P"][: H.shape[-2]]
    Q, K, V = H[:, start:] @ layer["W_Q"], H @ layer["W_K"], H @ layer["W_V"]
    scores = Q @ K.swapaxes(-1, -2) * _scale(layer, scale)
    weights = softmax(scores if mask is None else np.where(mask[start:], scores, -np.inf))
    context = weights @ V
    logits = context @ layer["W_out"]
    return {
        "X": X,
        "H": H,
        "Q": Q,
        "K": K,
        "V": V,
        "weights": weights,
        "context": context,
        "logits": logits,
    }


def loss_and_gradients(layer, batch, mask=None, scale=None):
    """The mean loss over all that is asked, and its gradient for each array of the layer and for "Q", the queries.

    From the loss back to the scores, with p = softmax(logits), y the right class as 0 and 1, A the weights:
    ∂L/∂logits = (p − y) / count; ∂L/∂A = ∂L/∂Z Vᵀ; and for a row a of A, since the Jacobian of softmax is
    diag(a) − a aᵀ: ∂L/∂s = a ∘ (∂L/∂a − a · ∂L/∂a). Every product Y = X W passes on ∂L/∂W = Xᵀ ∂L/∂Y.
    """
    start, targets = _asked(batch)
    f = forward(layer, batch.ids, mask, scale, start)
    asked, right = targets >= 0, np.maximum(targets, 0)[..., None]
    p = softmax(_by_question(f["logits"], targets))
    loss = -np.log(np.take_along_axis(p, right, axis=-1)[asked]).mean()

    np.put_along_axis(p, right, np.take_along_axis(p, right, axis=-1) - 1, axis=-1)
    d_logits = (p * asked[..., None] / asked.sum()).reshape(f["logits"].shape)
    d_context = d_logits @ layer["W_out"].T
    d_weights = d_context @ f["V"].swapaxes(-1, -2)
    d_scores = f["weights"] * (d_weights - (f["weights"] * d_weights).sum(axis=-1, keepdims=True))
    d_scores *= _scale(layer, scale)
    d_Q = d_scores @ f["K"]
    d_K = d_scores.swapaxes(-1, -2) @ f["Q"]
    d_V = f["weights"].swapaxes(-1, -2) @ d_context
    d_H = d_K @ layer["W_K"].T + d_V @ layer["W_V"].T
    d_H[:, start:] += d_Q @ layer["W_Q"].T

    gradients = {
        "E": _product_gradient(f["X"], d_H),
        "W_Q": _product_gradient(f["H"][:, start:], d_Q),
        "W_K": _product_gradient(f["H"], d_K),
        "W_V": _product_gradient(f["H"], d_V),
        "W_out": _product_gradient(f["context"], d_logits),
        "Q": d_Q,
    }
    if "P" in layer:
        gradients["P"] = np.zeros_like(layer["P"])
        gradients["P"][: d_H.shape[1]] = d_H.sum(axis=0)
    return loss, gradients


def train(layer, batches, mask=None, scale=None, *, rate=0.01, betas=(0.9, 0.99)):
    """Adam, one step for each batch. Changes the layer in place; returns the loss before each step (steps,).

    Source: Kingma & Ba 2015, arXiv 1412.6980, algorithm 1.
    """
    mean, square = ({name: np.zeros_like(array) for name, array in layer.items()} for _ in range(2))
    losses = []
    for step, batch in enumerate(batches, start=1):
        loss, gradients = loss_and_gradients(layer, batch, mask, scale)
        losses.append(loss)
        for name in layer:
            mean[name] += (1 - betas[0]) * (gradients[name] - mean[name])
            square[name] += (1 - betas[1]) * (gradients[name] ** 2 - square[name])
            direction = mean[name] / (1 - betas[0] ** step)
            size = np.sqrt(square[name] / (1 - betas[1] ** step))
            layer[name] -= rate * direction / (size + 1e-8)
    return np.array(losses)


def _scale(layer, scale):
    return 1 / math.sqrt(layer["W_Q"].shape[1]) if scale is None else scale


def _asked(batch):
    """The first position where anything is asked, and the targets from there on."""
    asked = batch.targets >= 0
    start = int(asked.any(axis=(0, *range(2, asked.ndim))).argmax())
    return start, batch.targets[:, start:]


def _by_question(logits, targets):
    """Logits with an axis of classes for each target: several questions share the columns of W_out."""
    return logits.reshape(*targets.shape, -1)


def _product_gradient(X, d_Y):
    """∂L/∂W = Xᵀ ∂L/∂Y of a product Y = X W, summed over the batch."""
    return X.reshape(-1, X.shape[-1]).T @ d_Y.reshape(-1, d_Y.shape[-1])


# ── Learning a task, and testing what was learned ──────────────────────────────────────────────────────────


class Task(NamedTuple):
    """What to learn, and the layer and the training that suit it.

    draw(rng, batch): a fresh Batch, so nothing can be learned by heart. bound: the mean loss in nats that no
    layer can beat honestly. positions: whether the layer learns a vector for each of the n positions. The rest
    are the arguments of new_layer, forward and train.
    """

    draw: Callable
    n: int
    n_ids: int
    n_classes: int
    bound: float = 0.0
    parts: int = 1
    positions: bool = False
    mask: np.ndarray | None = None
    scale: float | None = None
    d_model: int = 16
    d_k: int = 16
    query_scale: float = 1.0
    batch: int = 32
    steps: int = 200
    rate: float = 0.01


class Run(NamedTuple):
    """A trained layer, its task with every change, and the loss of each step (steps,)."""

    task: Task
    layer: dict
    losses: np.ndarray


class Evaluation(NamedTuple):
    """A layer's test. loss: a number in nats. accuracy: the share of right answers, (questions,) if several.

    batch: what was asked. weights (batch, n − start, n). classes: the answers, shaped like the targets asked.
    """

    loss: float
    accuracy: np.ndarray
    batch: Batch
    weights: np.ndarray
    classes: np.ndarray


def learn(task, seed=0, **changes):
    """Train a new layer on the task; the changes replace its fields: `learn(LOOKUP, 3, d_k=64, scale=1)`.

    One generator, `default_rng(seed)`, draws the weights and then the batches. Returns a Run.
    """
    task = task._replace(**changes)
    rng = np.random.default_rng(seed)
    layer = _start(task, rng)
    batches = (task.draw(rng, task.batch) for _ in range(task.steps))
    return Run(task, layer, train(layer, batches, task.mask, task.scale, rate=task.rate))


def evaluate(run, batch=None, **changes):
    """Test a trained layer, on 500 fresh examples unless a batch is given: `evaluate(run, mask=None)`.

    The changes replace fields of its task for the test only. Returns an Evaluation.
    """
    task = run.task._replace(**changes)
    batch = batch or task.draw(np.random.default_rng(2**32), 500)
    start, targets = _asked(batch)
    f = forward(run.layer, batch.ids, task.mask, task.scale, start)
    logits, asked = _by_question(f["logits"], targets), targets >= 0
    classes = logits.argmax(axis=-1)
    p = np.take_along_axis(softmax(logits), np.maximum(targets, 0)[..., None], axis=-1)[..., 0]
    accuracy = ((classes == targets) & asked).sum(axis=(0, 1)) / asked.sum(axis=(0, 1))
    return Evaluation(-np.log(p[asked]).mean(), accuracy, batch, f["weights"], classes)


def final_loss(losses):
    """The mean of the last ten losses, (…, steps) -> (…,): one batch alone is noisy."""
    return losses[..., -10:].mean(axis=-1)


def mass_on(weights, where):
    """The mean weight on the positions where `where`, booleans that broadcast to the weights, is True.

    A query with no such position does not count.
    """
    where = np.broadcast_to(where, weights.shape)
    return (weights * where).sum() / where.any(axis=-1).sum()


def _start(task, rng):
    return new_layer(
        rng,
        task.n_ids,
        task.n_classes,
        parts=task.parts,
        d_model=task.d_model,
        d_k=task.d_k,
        n_positions=task.n * task.positions,
        query_scale=task.query_scale,
    )


# ── Lookup: content needs no positions (02), and the scale (03) ────────────────────────────────────────────


def lookup(rng, batch, pairs=8):
    """`pairs` keys in random order, each with a random value, then one of the keys: which value goes with it?

    A position is key + value; the last is the asked key + nothing, id 2 · pairs. Keys are ids 0 … pairs − 1,
    values follow. Returns a Batch of n = pairs + 1 positions; only the last is asked.
    """
    keys = rng.permuted(np.tile(np.arange(pairs), (batch, 1)), axis=1)
    values = rng.integers(pairs, size=(batch, pairs))
    asked = rng.integers(pairs, size=(batch, 1))
    ids = np.full((batch, pairs + 1, 2), 2 * pairs)
    ids[:, :-1, 0], ids[:, :-1, 1] = keys, values + pairs
    ids[:, -1:, 0] = np.take_along_axis(keys, asked, axis=1)
    targets = np.full((batch, pairs + 1), -1)
    targets[:, -1:] = np.take_along_axis(values, asked, axis=1)
    return Batch(ids, targets)


LOOKUP = Task(
    lookup, n=9, n_ids=17, n_classes=8, parts=2, mask=np.broadcast_to(np.arange(9) < 8, (9, 9))
)  # the asked key does not look at itself


def matching(batch):
    """Where the answer stands in a lookup: booleans (batch, 1, n), True at the pair that holds the asked key."""
    where = batch.ids[:, None, :, 0] == batch.ids[:, -1:, None, 0]
    where[..., -1] = False
    return where


def scale_grid(widths=(16, 64, 256), seeds=range(4), **changes):
    """The losses of the lookup with 1/√d_k and without a scale: (2, widths, seeds, steps).

    The changes go to `learn`: `scale_grid(rate=0.003)`. The default takes 2 to 3 s.
    """
    return np.array(
        [
            [
                [learn(LOOKUP, seed, d_k=d_k, scale=scale, **changes).losses for seed in seeds]
                for d_k in widths
            ]
            for scale in (None, 1.0)
        ]
    )


class FirstStep(NamedTuple):
    """The lookup before training, for each query asked (queries,) unless said otherwise.

    entropy: of its weights, as a share of log n. jacobian: ‖diag(a) − a aᵀ‖, Frobenius. gradient: ‖∂L/∂q‖ of its
    own loss. batch_gradient (seeds,): ‖∂L/∂W_Q‖ of the mean loss.
    """

    entropy: np.ndarray
    jacobian: np.ndarray
    gradient: np.ndarray
    batch_gradient: np.ndarray


def first_step(seeds=range(12), **changes):
    """What the scale does before training: `first_step(d_k=1024, scale=1).gradient`. Returns a FirstStep."""
    task = LOOKUP._replace(**changes)
    parts = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        layer = _start(task, rng)
        batch = task.draw(rng, task.batch)
        a = forward(layer, batch.ids, task.mask, task.scale, task.n - 1)["weights"][:, 0, :-1]
        _, gradients = loss_and_gradients(layer, batch, task.mask, task.scale)
        entropy = -(a * np.log(np.where(a > 0, a, 1))).sum(axis=1) / math.log(a.shape[1])
        jacobian = np.linalg.norm(a[:, :, None] * (np.eye(a.shape[1]) - a[:, None, :]), axis=(1, 2))
        gradient = np.linalg.norm(gradients["Q"], axis=(1, 2)) * task.batch
        parts.append((entropy, jacobian, gradient, [np.linalg.norm(gradients["W_Q"])]))
    return FirstStep(*map(np.concatenate, zip(*parts, strict=True)))


# ── Reversal: order needs positions (02) ───────────────────────────────────────────────────────────────────


def reverse(rng, batch, n=12):
    """n random symbols of 10; each position is asked for the symbol at the mirrored position. Returns a Batch."""
    symbols = rng.integers(10, size=(batch, n))
    return Batch(symbols[..., None], symbols[:, ::-1])


REVERSE = Task(reverse, n=12, n_ids=10, n_classes=10, positions=True)


def bag_guess(batch):
    """The accuracy of guessing the most frequent of the other symbols: the best that is left where order is lost."""
    symbols = np.eye(10)[batch.ids[..., 0]]
    others = symbols.sum(axis=1, keepdims=True) - symbols
    return others.max(axis=-1).mean() / (symbols.shape[1] - 1)


# ── Counting: the missing causal mask (05) ─────────────────────────────────────────────────────────────────


def count(rng, batch, n=8, slips=0.2):
    """Count upward modulo 10, but with probability `slips` the next symbol is random: what comes next?

    Returns a Batch of n positions, each asked for the symbol after it. With slips = 1 every symbol is random.
    """
    symbols = rng.integers(10, size=(batch, n + 1))
    slip = rng.random(size=(batch, n + 1)) < slips
    for t in range(1, n + 1):
        symbols[:, t] = np.where(slip[:, t], symbols[:, t], (symbols[:, t - 1] + 1) % 10)
    return Batch(symbols[:, :-1, None], symbols[:, 1:])


_RULE = 0.8 + 0.2 / 10  # a slip hits the right symbol once in ten
COUNT = Task(
    count,
    n=8,
    n_ids=10,
    n_classes=10,
    positions=True,
    mask=causal_mask(8),
    bound=-_RULE * math.log(_RULE) - 9 * 0.02 * math.log(0.02),  # the entropy of the next symbol
    rate=0.02,
)
COINS = COUNT._replace(draw=partial(count, slips=1.0), bound=math.log(10))


def coin_test(mask, seed=0):
    """Does a mask leak the next symbol? The final loss, in nats, after training on symbols that are all random.

    mask (n, n), True = may look, or None for no mask, n = 8. Nobody can guess a random symbol: an honest loss is
    log 10 = 2.303 or a little more. Clearly less proves that the layer sees what it is asked for.
    """
    n = 8 if mask is None else len(mask)
    run = learn(COINS, seed, draw=partial(count, n=n, slips=1.0), n=n, mask=mask)
    return final_loss(run.losses)


def generate(run):
    """From each of the 10 symbols, go on with the likeliest next symbol: ids (10, n + 1), the first one given."""
    ids = np.arange(10)[:, None]
    for t in range(run.task.n):
        mask = None if run.task.mask is None else run.task.mask[: t + 1, : t + 1]
        logits = forward(run.layer, ids[..., None], mask, run.task.scale, t)["logits"]
        ids = np.hstack([ids, logits[:, 0].argmax(axis=-1)[:, None]])
    return ids


def follows_rule(ids):
    """The share of steps that count upward modulo 10."""
    return ((ids[:, 1:] - ids[:, :-1]) % 10 == 1).mean()


# ── A period: the attention sink (06) ──────────────────────────────────────────────────────────────────────


def periodic(rng, batch, first=True):
    """Five random symbols of 10, repeated to 16; with `first`, the id 10 stands before them. What comes next?

    The first period cannot be known: there is nothing yet to copy. Returns a Batch of 16 positions with the
    first token, 15 without, each asked for the symbol after it.
    """
    symbols = np.tile(rng.integers(10, size=(batch, 5)), (1, 4))[:, :16]
    if first:
        symbols = np.hstack([np.full((batch, 1), 10), symbols])
    return Batch(symbols[:, :-1, None], symbols[:, 1:])


SINK = Task(
    periodic,
    n=16,
    n_ids=11,
    n_classes=10,
    positions=True,
    mask=causal_mask(16),
    bound=5 / 16 * math.log(10),
    steps=300,
    rate=0.02,
)
NO_SINK = SINK._replace(
    draw=partial(periodic, first=False), n=15, mask=causal_mask(15), bound=4 / 15 * math.log(10)
)


# ── The table reader (06) ──────────────────────────────────────────────────────────────────────────────────

ANSWERS = {  # question -> the answers it may have, as keys of the wording
    "column": ("pennsylvania", "new_jersey", "texas", "oregon", "low_wage", "high_wage"),
    "row": ("before", "after", "change", "balanced", "part_time", "full_time"),
    "unit": ("fte", "wage", "percent"),
    "bracket": ("standard_error", "t_statistic", "sample_size"),
    "sample": ("all_stores", "both_waves", "chain_stores"),
}
QUESTIONS = tuple(ANSWERS)
N_NUMBERS = 12  # 3 rows × 2 columns, in each cell a number and a number in brackets
KINDS = np.array(  # the kind of each of the 20 pieces: a number, or the question that it answers
    ["number"] * N_NUMBERS + ["column"] * 2 + ["row"] * 3 + ["unit", "bracket", "sample"]
)
_ROW, _COLUMN = np.indices((3, 2, 2)).reshape(3, -1)[:2]  # of the 12 numbers
_SIZES = 8  # a number is only its size, one of 8 classes; brackets have 8 more ids
_CASE = {  # Card & Krueger 1994, American Economic Review 84(4), table 3
    "column": ("pennsylvania", "new_jersey"),
    "row": ("before", "after", "change"),
    "unit": ("fte",),
    "bracket": ("standard_error",),
    "sample": ("all_stores",),
}
CASE_NUMBERS = np.stack([MEANS, ERRORS], axis=-1)[:, :2].ravel()
# row by row: Pennsylvania, (its standard error), New Jersey, (its standard error)


def tables(rng, batch):
    """Random tables of 20 pieces. What does each number mean: its column, row, unit, bracket and sample?

    Names are drawn without repetition, everything else independently, so no size of a number tells anything.
    Returns a Batch: ids (batch, 20, 1), targets (batch, 20, 5), asked of the 12 numbers alone, and what the bracket
    is only of the 6 in brackets.
    """
    drawn = {}
    for question, answers in ANSWERS.items():
        choices = np.tile(np.arange(len(answers)), (batch, 1))
        drawn[question] = rng.permuted(choices, axis=1)[:, : (KINDS == question).sum()]
    return _table_batch(rng.integers(_SIZES, size=(batch, N_NUMBERS)), drawn)


def card_krueger(**changed):
    """The same question about the table of Card & Krueger (1994), a Batch of one.

    changed: another answer for unit, bracket or sample: `card_krueger(bracket="sample_size")`. ValueError for an
    answer that there is not.
    """
    case = _case(changed)
    drawn = {
        question: np.array([[answers.index(answer) for answer in case[question]]])
        for question, answers in ANSWERS.items()
    }
    sizes = np.digitize(np.abs(CASE_NUMBERS), [0.5, 1, 1.5, 2, 5, 10, 20])
    return _table_batch(sizes[None], drawn)


def _case(changed):
    """The words of the printed table, question -> answers, with another unit, bracket note or sample."""
    for question, answer in changed.items():
        choices = ANSWERS[question] if question in ("unit", "bracket", "sample") else ()
        if answer not in choices:
            raise ValueError(f"the table cannot have {question}={answer!r}: choose from {choices}")
    return _CASE | {question: (answer,) for question, answer in changed.items()}


def _table_batch(sizes, drawn):
    """Sizes (batch, 12) and {question: answers (batch, pieces of that kind)} as a Batch."""
    in_brackets = np.arange(N_NUMBERS) % 2 == 1
    ids, first = [sizes + _SIZES * in_brackets], 2 * _SIZES
    for question, answers in ANSWERS.items():
        ids.append(drawn[question] + first)
        first += len(answers)
    piece = {"column": _COLUMN, "row": _ROW}
    asked = np.stack([drawn[q][:, piece.get(q, np.zeros(N_NUMBERS, int))] for q in QUESTIONS], axis=-1)
    asked[:, ~in_brackets, QUESTIONS.index("bracket")] = -1
    targets = np.pad(asked, ((0, 0), (0, len(KINDS) - N_NUMBERS), (0, 0)), constant_values=-1)
    return Batch(np.hstack(ids)[..., None], targets)


def table_mask(*hidden):
    """The row/column mask of the table (20, 20): each piece sees its own row and column, and what is for all.

    hidden: kinds of pieces that nobody sees: `table_mask("bracket")` hides the note about the brackets.
    ValueError for a kind that there is not.
    """
    if unknown := set(hidden) - set(KINDS):
        raise ValueError(f"there is no piece of kind {min(unknown)!r}: choose from {', '.join(QUESTIONS)}")
    row, column = np.full(len(KINDS), -1), np.full(len(KINDS), -1)
    row[:N_NUMBERS], column[:N_NUMBERS] = _ROW, _COLUMN
    row[KINDS == "row"], column[KINDS == "column"] = range(3), range(2)
    same_row = (row[:, None] == row) & (row >= 0)
    same_column = (column[:, None] == column) & (column >= 0)
    for_all = (row < 0) & (column < 0)
    return (same_row | same_column | for_all) & ~np.isin(KINDS, hidden)


TABLES = Task(
    tables,
    n=20,
    n_ids=2 * _SIZES + sum(map(len, ANSWERS.values())),
    n_classes=5 * 6,
    mask=table_mask(),
    d_model=24,
    d_k=8,
    steps=250,
    rate=0.02,
)  # five questions of up to six answers

ABLATIONS = (
    "with_mask",
    "mask_removed",
    "trained_without_mask",
    "labels_hidden",
    *(f"{question}_hidden" for question in QUESTIONS),
)


def ablations(seeds=range(3)):
    """The reader's accuracy under each of ABLATIONS: (seeds, conditions, questions). About 1 s a seed.

    In order: as trained; row/column mask removed for the test; trained without it; all names, unit and notes hidden;
    the pieces that answer one question hidden, question by question.
    """
    hidden = [QUESTIONS, *((question,) for question in QUESTIONS)]
    result = []
    for seed in seeds:
        reader, free = learn(TABLES, seed), learn(TABLES, seed, mask=None)
        tests = [evaluate(reader), evaluate(reader, mask=None), evaluate(free)]
        tests += [evaluate(reader, mask=table_mask(*kinds)) for kinds in hidden]
        result.append([test.accuracy for test in tests])
    return np.array(result)


class Reading(NamedTuple):
    """What a reader makes of a table: answers, 12 rows of 5 words, and weights (12, 20) of the numbers."""

    answers: list
    weights: np.ndarray


def read(reader, *hidden, **changed):
    """Let a trained reader answer about card_krueger(**changed), with kinds of pieces hidden. Returns a Reading.

    Numbers not in brackets are not asked what the bracket is: an empty string.
    """
    table = card_krueger(**changed)
    test = evaluate(reader, table, mask=table_mask(*hidden))
    words = [
        [
            text(f"training.{question}.{ANSWERS[question][c]}") if target >= 0 else ""
            for question, c, target in zip(QUESTIONS, classes, targets, strict=True)
        ]
        for classes, targets in zip(test.classes[0, :N_NUMBERS], table.targets[0, :N_NUMBERS], strict=True)
    ]
    return Reading(words, test.weights[0, :N_NUMBERS])


def pieces(**changed):
    """The 20 pieces of card_krueger(**changed) in words, the 12 numbers first."""
    case = _case(changed)
    numbers = [f"{x:.2f}".replace("-", "−") for x in CASE_NUMBERS]
    numbers[1::2] = [f"({x})" for x in numbers[1::2]]
    return numbers + [
        text(f"training.{question}.{answer}") for question in QUESTIONS for answer in case[question]
    ]
