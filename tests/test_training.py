"""The layer that trains in the notebooks: its gradients, its tasks, and what the course claims about them.

Every claim is judged by the median over several seeds, or by all of them, with a margin.
"""

import math
from functools import cache

import numpy as np
import pytest

import attention_lab as al
from attention_lab import training
from attention_lab.wording import LANGUAGES, text, use

SEEDS = range(5)


@cache
def run(task, seed, **changes):
    """Each training once: several tests look at the same layer. Tasks are named, since arrays have no hash."""
    masks = {"none": None}
    changes = {name: masks.get(value, value) for name, value in changes.items()}
    return training.learn(getattr(training, task), seed, **changes)


def runs(task, seeds=SEEDS, **changes):
    return [run(task, seed, **changes) for seed in seeds]


def median(values):
    return np.median(np.array([*values]), axis=0)


def kind(weights, name):
    """The share of each query's weight on the pieces of one kind."""
    return weights[:, name == training.KINDS].sum(axis=1)


# ── The layer ──────────────────────────────────────────────────────────────────────────────────────────────

TABLE_LIKE = training.Batch(  # two parts, two questions, some not asked
    ids=np.random.default_rng(5).integers(7, size=(3, 5, 2)),
    targets=np.array([[[-1, -1], [-1, 2], [0, 1], [2, -1], [1, 1]]] * 3),
)
ODD_MASK = np.random.default_rng(6).random((5, 5)) < 0.6
ODD_MASK[3] = False  # a query that sees nothing

GRADIENT_CASES = {
    "lookup, own mask": (
        (17, 8),
        training.lookup(np.random.default_rng(0), 3),
        training.LOOKUP.mask,
        None,
        0,
    ),
    "lookup, no scale": ((17, 8), training.lookup(np.random.default_rng(1), 3), None, 1.0, 9),
    "counting, causal": (
        (10, 10),
        training.count(np.random.default_rng(2), 3, n=4),
        al.causal_mask(4),
        0.3,
        4,
    ),
    "more positions than tokens": (
        (10, 10),
        training.reverse(np.random.default_rng(3), 2, n=3),
        None,
        None,
        5,
    ),
    "questions, an empty row": ((7, 6), TABLE_LIKE, ODD_MASK, None, 5),
}


@pytest.mark.parametrize("case", GRADIENT_CASES)
def test_every_gradient_is_the_slope_of_the_loss(case):
    (n_ids, n_classes), batch, mask, scale, n_positions = GRADIENT_CASES[case]
    rng = np.random.default_rng(7)
    layer = training.new_layer(rng, n_ids, n_classes, parts=2, d_model=4, d_k=3, n_positions=n_positions)
    _, gradients = training.loss_and_gradients(layer, batch, mask, scale)
    assert set(gradients) == {*layer, "Q"}
    for name, array in layer.items():
        slopes = np.empty_like(array)
        for index in np.ndindex(array.shape):
            kept, losses = array[index], []
            for nudge in (1e-5, -1e-5):
                array[index] = kept + nudge
                losses.append(training.loss_and_gradients(layer, batch, mask, scale)[0])
            array[index] = kept
            slopes[index] = (losses[0] - losses[1]) / 2e-5
        np.testing.assert_allclose(gradients[name], slopes, atol=1e-9, err_msg=name)
        assert np.abs(gradients[name]).max() > 1e-4, name


def test_the_gradient_of_the_queries_belongs_to_W_Q():
    rng = np.random.default_rng(8)
    layer = training.new_layer(rng, 10, 10, d_model=6, d_k=3, n_positions=4)
    batch = training.count(rng, 1, n=4)  # one sequence shorter than d_model: H has independent rows
    _, gradients = training.loss_and_gradients(layer, batch, al.causal_mask(4), 0.5)
    H = training.forward(layer, batch.ids)["H"][0]
    np.testing.assert_allclose(gradients["Q"][0], np.linalg.pinv(H.T) @ gradients["W_Q"], atol=1e-12)


@pytest.mark.parametrize("scale, start", [(None, 0), (0.7, 0), (None, 3)])
def test_the_layer_is_the_package_s_attention(scale, start):
    rng = np.random.default_rng(9)
    layer = training.new_layer(rng, 10, 10, d_model=6, d_k=3, n_positions=8)
    ids = training.count(rng, 2, n=5).ids
    f = training.forward(layer, ids, al.causal_mask(5), scale, start)
    for item in range(2):
        H = layer["E"][ids[item, :, 0]] + layer["P"][:5]
        Q, K, V = H @ layer["W_Q"], H @ layer["W_K"], H @ layer["W_V"]
        expected = al.scaled_dot_product_attention(Q, K, V, al.causal_mask(5), scale=scale)
        np.testing.assert_allclose(f["weights"][item], expected.weights[start:], atol=1e-13)
        np.testing.assert_allclose(f["logits"][item], (expected.context @ layer["W_out"])[start:], atol=1e-12)


@pytest.mark.parametrize("parts, n_positions", [(1, 0), (2, 0), (1, 40)])
def test_token_vectors_queries_and_keys_start_with_variance_one(parts, n_positions):
    rng = np.random.default_rng(10)
    layer = training.new_layer(rng, 500, 3, parts=parts, d_model=64, d_k=48, n_positions=n_positions)
    f = training.forward(layer, rng.integers(500, size=(20, 40, parts)))
    for name in "HQKV":
        assert abs(f[name].var() - 1) < 0.1, name
    small = training.new_layer(rng, 500, 3, d_model=64, d_k=48, query_scale=0.25)
    assert abs(small["W_Q"].std() * 8 - 0.25) < 0.02 and abs(small["W_K"].std() * 8 - 1) < 0.05


def test_adam_follows_its_formula():
    batches = [training.count(np.random.default_rng(s), 4, n=3) for s in range(3)]
    layer = training.new_layer(np.random.default_rng(11), 10, 10, d_model=4, d_k=3)
    expected = {name: array.copy() for name, array in layer.items()}
    m = v = 0
    for step, batch in enumerate(batches, start=1):
        g = training.loss_and_gradients(expected, batch)[1]
        m, v = [
            {name: beta * (old[name] if old else 0) + (1 - beta) * g[name] ** power for name in expected}
            for old, beta, power in ((m, 0.9, 1), (v, 0.99, 2))
        ]
        for name in expected:
            step_size = np.sqrt(v[name] / (1 - 0.99**step)) + 1e-8
            expected[name] = expected[name] - 0.05 * m[name] / (1 - 0.9**step) / step_size
    losses = training.train(layer, batches, rate=0.05)
    for name in expected:
        np.testing.assert_allclose(layer[name], expected[name], atol=1e-10, err_msg=name)
    assert losses.shape == (3,)


def test_a_seed_is_a_result():
    first, again, other = (training.learn(training.COUNT, seed, steps=5) for seed in (3, 3, 4))
    assert np.array_equal(first.losses, again.losses)
    assert all(np.array_equal(first.layer[name], again.layer[name]) for name in first.layer)
    assert not np.allclose(first.losses, other.losses)
    assert training.evaluate(first).loss == training.evaluate(again).loss


def test_changes_are_used_and_leave_the_task_alone():
    changed = training.learn(training.COUNT, d_k=5, steps=7, positions=False, mask=None)
    assert changed.layer["W_Q"].shape == (16, 5) and len(changed.losses) == 7 and "P" not in changed.layer
    assert changed.task.mask is None and training.COUNT.mask is not None
    with pytest.raises(ValueError, match="width"):
        training.learn(training.COUNT, width=3)


def test_evaluation_counts_only_what_is_asked():
    layer = training.new_layer(np.random.default_rng(12), 7, 6, parts=2, d_model=4, d_k=3)
    task = training.Task(None, n=5, n_ids=7, n_classes=6, parts=2, mask=ODD_MASK)
    test = training.evaluate(training.Run(task, layer, None), TABLE_LIKE)
    logits = training.forward(layer, TABLE_LIKE.ids, ODD_MASK)["logits"].reshape(3, 5, 2, 3)
    right, losses = [[], []], []
    for b, i, question in np.argwhere(TABLE_LIKE.targets >= 0):
        target = TABLE_LIKE.targets[b, i, question]
        p = al.softmax(logits[b, i, question])
        right[question].append(p.argmax() == target)
        losses.append(-math.log(p[target]))
    np.testing.assert_allclose(test.accuracy, [np.mean(r) for r in right])
    assert math.isclose(test.loss, np.mean(losses))
    assert math.isclose(test.loss, training.loss_and_gradients(layer, TABLE_LIKE, ODD_MASK)[0])
    assert test.classes.shape == (3, 4, 2)  # nothing is asked at the first position


def test_mass_counts_only_queries_that_have_a_place_to_look():
    weights = np.array([[[0.2, 0.8], [0.5, 0.5]], [[1.0, 0.0], [0.3, 0.7]]])
    assert math.isclose(training.mass_on(weights, np.array([[False, True], [False, False]])), 0.4)
    assert math.isclose(training.mass_on(weights, np.eye(2, dtype=bool)), (0.2 + 0.5 + 1 + 0.7) / 4)


def test_final_loss_is_the_mean_of_the_last_ten():
    np.testing.assert_allclose(training.final_loss(np.arange(60.0).reshape(2, 30)), [24.5, 54.5])


# ── The tasks ──────────────────────────────────────────────────────────────────────────────────────────────


def test_lookup_asks_for_the_value_of_the_asked_key():
    batch = training.lookup(np.random.default_rng(0), 40, pairs=5)
    where = training.matching(batch)
    for ids, targets, place in zip(batch.ids, batch.targets, where, strict=True):
        pairs = dict(ids[:-1].tolist())
        assert sorted(pairs) == [0, 1, 2, 3, 4] and ids[-1, 1] == 10
        assert targets[-1] == pairs[ids[-1, 0]] - 5 and (targets[:-1] == -1).all()
        assert [ids[j, 0] for j in np.flatnonzero(place[0])] == [ids[-1, 0]] and not place[0, -1]


def test_reverse_asks_for_the_mirrored_symbol():
    batch = training.reverse(np.random.default_rng(0), 5, n=7)
    assert all(batch.targets[b, i] == batch.ids[b, 6 - i, 0] for b in range(5) for i in range(7))


def test_counting_slips_one_time_in_five_and_its_bound_is_the_entropy():
    batch = training.count(np.random.default_rng(0), 5000)
    assert np.array_equal(batch.ids[:, 1:, 0], batch.targets[:, :-1])
    step = (batch.targets - batch.ids[..., 0]) % 10
    share = np.bincount(step.ravel(), minlength=10) / step.size
    assert abs(share[1] - 0.82) < 0.01 and np.abs(np.delete(share, 1) - 0.02).max() < 0.003
    assert abs(-(share * np.log(share)).sum() - training.COUNT.bound) < 0.02
    assert abs(training.COUNT.bound - 0.867) < 0.0005
    coins = training.COINS.draw(np.random.default_rng(0), 5000)
    assert np.abs(np.bincount(((coins.targets - coins.ids[..., 0]) % 10).ravel()) / 40000 - 0.1).max() < 0.01


@pytest.mark.parametrize("task, first, unknown", [("SINK", True, 5), ("NO_SINK", False, 4)])
def test_a_period_leaves_its_first_symbols_open(task, first, unknown):
    task = getattr(training, task)
    batch = task.draw(np.random.default_rng(0), 30)
    symbols = np.concatenate([batch.ids[:, :, 0], batch.targets[:, -1:]], axis=1)
    if first:
        assert (symbols[:, 0] == 10).all()
    assert np.array_equal(symbols[:, 1:-1], batch.targets[:, :-1])
    text_ = symbols[:, first:]
    assert text_.shape[1] == 16 and text_.max() < 10 and np.array_equal(text_[:, 5:], text_[:, :-5])
    assert batch.targets.shape[1] == task.n
    assert math.isclose(task.bound, unknown / task.n * math.log(10))


def test_a_table_s_answers_stand_in_its_own_names_and_notes():
    batch = training.tables(np.random.default_rng(0), 50)
    starts, first = {}, 16
    for question, answers in training.ANSWERS.items():
        starts[question] = first
        first += len(answers)
    assert training.TABLES.n_ids == first == batch.ids.max() + 1
    for ids, targets in zip(batch.ids[..., 0], batch.targets, strict=True):
        assert (ids[:12:2] < 8).all() and (ids[1:12:2] >= 8).all() and (ids[1:12:2] < 16).all()
        for i in range(12):
            pieces = {"column": 12 + i // 2 % 2, "row": 14 + i // 4, "unit": 17, "bracket": 18, "sample": 19}
            for q, question in enumerate(training.QUESTIONS):
                asked = question != "bracket" or i % 2 == 1
                answer = ids[pieces[question]] - starts[question]
                assert targets[i, q] == (answer if asked else -1)
                assert training.KINDS[pieces[question]] == question
        assert (targets[12:] == -1).all()
        assert ids[12] != ids[13] and len({*ids[14:17]}) == 3
    assert {*batch.ids[:, 12, 0]} == {*range(16, 22)}  # every name occurs


def test_a_number_sees_its_row_its_column_and_what_is_for_all():
    mask, kinds = training.table_mask(), training.KINDS
    assert mask.shape == (20, 20)
    assert [j for j in range(20) if mask[7, j]] == [2, 3, 4, 5, 6, 7, 10, 11, 13, 15, 17, 18, 19]
    for i in range(12):
        assert mask[i, kinds == "column"].tolist() == [i // 2 % 2 == 0, i // 2 % 2 == 1]
        assert mask[i, kinds == "row"].tolist() == [i // 4 == row for row in range(3)]
    hidden = training.table_mask("bracket", "row")
    assert np.array_equal(hidden, mask & ~np.isin(np.arange(20), [14, 15, 16, 18]))
    with pytest.raises(ValueError, match="'note'"):
        training.table_mask("note")


@pytest.mark.parametrize("changed", [{"bracket": "chart"}, {"column": "texas"}, {"title": "x"}])
def test_the_printed_table_takes_only_answers_there_are(changed):
    for function in (training.card_krueger, training.pieces):
        with pytest.raises(ValueError, match=next(iter(changed))):
            function(**changed)


def test_the_printed_table_is_in_words_in_both_editions():
    for language in LANGUAGES:
        use(language)
        words = training.pieces()
        assert (
            words[:12]
            == "23.33 (1.35) 20.44 (0.51) 21.17 (0.94) 21.03 (0.52) −2.16 (1.25) 0.59 (0.54)".split()
        )
        assert words[12] == text("training.column.pennsylvania") and words[13] == text(
            "training.column.new_jersey"
        )
        assert len({*words}) == 20
        other = training.pieces(bracket="sample_size")
        assert other[18] == text("training.bracket.sample_size") != words[18]
        assert other[:18] + other[19:] == words[:18] + words[19:]
        for question, answers in training.ANSWERS.items():
            assert len({text(f"training.{question}.{answer}") for answer in answers}) == len(answers)
        assert len({*al.plots.words(*training.QUESTIONS, *training.ABLATIONS)}) == 14


# ── The scale (03) ─────────────────────────────────────────────────────────────────────────────────────────


@cache
def grid():
    return training.final_loss(training.scale_grid((16, 64, 256), range(4)))


def test_with_the_scale_one_learning_rate_serves_every_width():
    assert (grid()[0] < 0.1).all()
    wide = [training.learn(training.LOOKUP, seed, d_k=1024) for seed in range(2)]
    assert all(training.final_loss(r.losses) < 0.2 for r in wide)


def test_without_the_scale_wide_layers_train_late_or_not_in_this_time():
    without = median(grid()[1].T)
    assert without[0] < 0.3 and without[1] > 0.3 and without[2] > 0.8
    assert (grid()[1, 2] > 0.5).all()  # not one seed at d_k = 256


def test_the_grid_is_the_lookup_trained_one_by_one():
    losses = training.scale_grid((4, 8), (5, 6), steps=3, rate=0.02)
    assert losses.shape == (2, 2, 2, 3)
    one = training.learn(training.LOOKUP, 6, d_k=8, scale=1, steps=3, rate=0.02)
    assert np.array_equal(losses[1, 1, 1], one.losses)
    assert np.array_equal(
        losses[0, 0, 1], training.learn(training.LOOKUP, 6, d_k=4, steps=3, rate=0.02).losses
    )


def test_small_first_scores_and_small_steps_do_much_of_what_the_scale_does():
    arms = [
        [training.learn(training.LOOKUP, s, d_k=256, scale=1, rate=0.003, query_scale=q) for s in range(4)]
        for q in (1 / 16, 1.0)
    ]
    small, plain = (median(training.final_loss(r.losses) for r in arm) for arm in arms)
    assert small < 0.3 < 0.6 < plain


def test_without_the_scale_training_is_slow_not_impossible():
    late = [training.learn(training.LOOKUP, s, d_k=64, scale=1, rate=0.003, steps=1000) for s in range(3)]
    assert median(training.final_loss(r.losses) for r in late) < 0.1


def test_the_scale_keeps_the_first_weights_spread_at_every_width():
    with_scale = [training.first_step(range(6), d_k=d).entropy.mean() for d in (4, 64, 1024)]
    without = [training.first_step(range(6), d_k=d, scale=1).entropy.mean() for d in (4, 64, 1024)]
    assert all(0.8 < share < 0.92 for share in with_scale)
    assert without[0] > 0.5 > 0.35 > without[1] > 0.12 > 0.08 > without[2]


def test_without_the_scale_the_typical_gradient_dies_while_the_average_grows():
    scaled, raw = (training.first_step(range(6), d_k=1024, scale=scale) for scale in (None, 1.0))
    assert np.median(raw.gradient) < 0.01 and np.median(scaled.gradient) > 0.15
    assert raw.gradient.mean() > 2 * scaled.gradient.mean()
    assert np.median(raw.batch_gradient) > 2 * np.median(scaled.batch_gradient)
    assert np.median(raw.jacobian) < 0.001 and 0.3 < np.median(scaled.jacobian) < 0.4


def test_the_first_step_measures_what_it_says():
    found = training.first_step([3], d_k=4, batch=2)
    rng = np.random.default_rng(3)
    layer = training.new_layer(rng, 17, 8, parts=2, d_k=4)
    batch = training.lookup(rng, 2)
    a = training.forward(layer, batch.ids)["Q"][:, -1:] @ training.forward(layer, batch.ids)["K"].swapaxes(
        1, 2
    )
    for i, weights in enumerate(al.softmax(a[:, 0, :-1] / 2)):
        assert math.isclose(found.entropy[i], -(weights * np.log(weights)).sum() / math.log(8))
        jacobian = np.diag(weights) - np.outer(weights, weights)
        assert math.isclose(found.jacobian[i], np.linalg.norm(jacobian))
        alone = training.Batch(batch.ids[i : i + 1], batch.targets[i : i + 1])
        own = training.loss_and_gradients(layer, alone, training.LOOKUP.mask)[1]
        assert math.isclose(found.gradient[i], np.linalg.norm(own["Q"]))
    both = training.loss_and_gradients(layer, batch, training.LOOKUP.mask)[1]
    assert math.isclose(found.batch_gradient[0], np.linalg.norm(both["W_Q"]))


# ── Order (02) ─────────────────────────────────────────────────────────────────────────────────────────────


def test_order_needs_positions():
    tests = [training.evaluate(r) for r in runs("REVERSE")]
    assert all(test.accuracy > 0.999 for test in tests)
    assert all(training.mass_on(test.weights, np.eye(12)[::-1] > 0) > 0.9 for test in tests)


def test_without_positions_only_the_bag_of_tokens_is_left():
    guess = training.bag_guess(training.reverse(np.random.default_rng(0), 20_000))
    assert abs(guess - 0.266) < 0.002
    for r in runs("REVERSE", positions=False):
        assert 0.22 < training.evaluate(r).accuracy < guess + 0.02


def test_the_bag_s_guess_leaves_out_the_token_that_asks():
    ids = np.array([[[1], [1], [1], [2]]])
    # the others of a 1 are 1 1 2, of the 2 are 1 1 1: guesses right 2, 2, 2 and 3 times in 3
    assert math.isclose(training.bag_guess(training.Batch(ids, ids[:, ::-1, 0])), (3 * 2 / 3 + 1) / 4)


def test_content_needs_no_positions():
    tests = [training.evaluate(r) for r in runs("LOOKUP")]
    assert all(test.accuracy > 0.999 for test in tests)
    assert all(training.mass_on(test.weights, training.matching(test.batch)) > 0.95 for test in tests)


# ── The missing causal mask (05) ───────────────────────────────────────────────────────────────────────────

NEXT = np.eye(8, k=1) > 0


def test_an_honest_layer_stays_above_the_entropy_and_generates_by_the_rule():
    for r in runs("COUNT"):
        test = training.evaluate(r)
        assert training.COUNT.bound < test.loss < training.COUNT.bound + 0.12
        assert 0.79 < test.accuracy < 0.84
        assert training.follows_rule(training.generate(r)) == 1


def test_without_the_mask_the_loss_is_below_the_entropy_and_generation_collapses():
    leaky = runs("COUNT", mask="none")
    for r in leaky:
        test, past = training.evaluate(r), training.evaluate(r, mask=al.causal_mask(8))
        assert test.loss < 0.4 < training.COUNT.bound and test.accuracy > 0.9
        assert training.mass_on(test.weights, NEXT) > 0.9
        assert past.loss > 4 and past.accuracy < 0.25
    assert median(training.follows_rule(training.generate(r)) for r in leaky) < 0.06


def test_generation_never_uses_what_it_has_not_written():
    r = run("COUNT", 0)
    ids = training.generate(r)
    assert np.array_equal(ids[:, 0], np.arange(10)) and ids.shape == (10, 9)
    logits = training.forward(r.layer, ids[:, :-1, None], r.task.mask)["logits"]
    assert np.array_equal(ids[:, 1:], logits.argmax(axis=-1))
    assert training.follows_rule(np.array([[8, 9, 0, 2], [1, 2, 3, 4]])) == 5 / 6


@pytest.mark.parametrize(
    "mask, leaks",
    [
        (al.causal_mask(8), False),
        (al.window_mask(8, 3), False),
        (al.causal_mask(5), False),
        (None, True),
        (al.causal_mask(8, 8, offset=1), True),
        (al.causal_mask(6).T, True),  # the future instead of the past
    ],
)
def test_the_coin_test_finds_a_leak(mask, leaks):
    losses = [training.coin_test(mask, seed) for seed in range(3)]
    if leaks:
        assert max(losses) < 0.8
    else:
        assert math.log(10) - 0.03 < min(losses) and max(losses) < math.log(10) + 0.05


def test_the_coin_test_feels_one_cell():
    mask = al.causal_mask(8)
    mask[3, 4] = True
    assert max(training.coin_test(mask, seed) for seed in range(3)) < math.log(10) - 0.05


# ── The attention sink (06) ────────────────────────────────────────────────────────────────────────────────


def test_a_first_token_becomes_a_sink_while_there_is_nothing_to_copy():
    for r in runs("SINK", range(3)):
        test = training.evaluate(r)
        assert training.SINK.bound - 0.01 < test.loss < training.SINK.bound + 0.04
        assert test.weights[:, 1:5, 0].min(axis=1).mean() > 0.95  # rows of the first period
        assert test.weights[:, 5:, 0].mean() < 0.05  # later there is a symbol to copy


def test_without_a_first_token_the_layer_cannot_say_nothing():
    for r in runs("NO_SINK", range(3)):
        assert training.evaluate(r).loss > training.NO_SINK.bound + 0.2


# ── The table reader (06) ──────────────────────────────────────────────────────────────────────────────────


@cache
def ablations():
    """{condition: accuracies (seeds, questions)}"""
    result = training.ablations(range(4))
    return dict(zip(training.ABLATIONS, np.moveaxis(result, 1, 0), strict=True))


def test_a_trained_reader_answers_every_question():
    assert (ablations()["with_mask"] > 0.99).all()
    for seed in range(3):
        assert (training.evaluate(run("TABLES", seed), training.card_krueger()).accuracy == 1).all()


@pytest.mark.parametrize("condition", ["mask_removed", "trained_without_mask"])
def test_without_the_mask_the_reader_does_not_know_whose_number_it_is(condition):
    column, row, *others = median(ablations()[condition])
    assert 0.35 < column < 0.6 and 0.22 < row < 0.42  # a guess among 2 columns and 3 rows
    assert min(others) > 0.9


def test_without_names_and_notes_only_chance_is_left():
    chance = [1 / len(training.ANSWERS[question]) for question in training.QUESTIONS]
    assert np.abs(median(ablations()["labels_hidden"]) - chance).max() < 0.07


@pytest.mark.parametrize("question", training.QUESTIONS)
def test_each_piece_hidden_breaks_its_own_question_and_no_other(question):
    accuracy = dict(zip(training.QUESTIONS, median(ablations()[f"{question}_hidden"]), strict=True))
    assert accuracy.pop(question) < 1 / len(training.ANSWERS[question]) + 0.1
    assert min(accuracy.values()) > 0.97


def test_ablations_are_the_readers_evaluated_one_by_one():
    reader = run("TABLES", 1)
    expected = training.evaluate(reader, mask=training.table_mask("unit")).accuracy
    assert np.array_equal(ablations()["unit_hidden"][1], expected)


def test_weights_go_to_the_five_kinds_of_pieces_and_not_to_numbers():
    shares = median(
        [
            kind(training.read(run("TABLES", s)).weights, name).mean()
            for name in ("number", *training.QUESTIONS)
        ]
        for s in range(3)
    )
    assert shares[0] < 0.05 and (shares[1:] > 0.05).all() and (shares[1:] < 0.5).all()


@pytest.mark.parametrize("note, words", [("sample_size", "number of stores"), ("t_statistic", "t statistic")])
def test_a_changed_note_flips_every_answer_about_brackets_while_most_of_the_weight_stays(note, words):
    for seed in SEEDS:
        before, after = (training.read(run("TABLES", seed), bracket=n) for n in ("standard_error", note))
        for first, second in zip(before.answers, after.answers, strict=True):
            assert (first.pop(3), second.pop(3)) in [("", ""), ("standard error", words)]
            assert first == second
        assert (
            np.abs(after.weights - before.weights).sum(axis=1) / 2 < 0.4
        ).all()  # weight that went elsewhere


def test_learned_positions_can_replace_the_mask():
    tests = [training.evaluate(r) for r in runs("TABLES", range(3), mask="none", positions=True)]
    assert median(test.accuracy for test in tests).min() > 0.95


def test_reading_names_the_answers_in_the_edition_s_words():
    reader = run("TABLES", 0)
    assert training.read(reader).answers[7] == [
        "New Jersey",
        "after",
        "full-time equivalents per store",
        "standard error",
        "all stores with data on employment",
    ]
    use("zh")
    assert training.read(reader).answers[7][1] == text("training.row.after") != "after"
    hidden = training.read(reader, "bracket")
    assert (kind(hidden.weights, "bracket") == 0).all()
