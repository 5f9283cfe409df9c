"""The fault hunt: reference probes expose exactly their fault, and every other probe is told what it is."""

import functools

import numpy as np
import pytest

import attention_lab as al
from attention_lab import wording
from attention_lab.exercises import hunt

CAUSAL = al.causal_mask(6)


def draw(layer, n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, layer.d_model))


# One probe for each fault, from the layer's promises alone.


def weight_as_cause(layer):
    for seed in range(3):
        H = draw(layer, 8, seed)
        moved = [np.linalg.norm(layer.attend(H, without=j) - layer.attend(H), axis=1) for j in range(8)]
        if [layer.explain(H, i) for i in range(8)] != np.argmax(moved, axis=0).tolist():
            return False
    return True


def no_scale(layer):
    Q, K = np.random.default_rng(0).normal(size=(2, 5, 4))
    wide = layer.scores(np.repeat(Q, 9, axis=1), np.repeat(K, 9, axis=1))
    return np.allclose(wide, 3 * layer.scores(Q, K))


def no_causal_mask(layer):
    influence = al.influence_map(lambda H: layer.attend(H, causal=True), draw(layer, 6))
    return bool(((influence > 0) == CAUSAL).all())


def no_padding_mask(layer):
    H = draw(layer, 5)
    return np.allclose(layer.attend(H, length=3)[:3], layer.attend(H[:3]))


def no_positions(layer):
    H = draw(layer, 5)
    return not np.allclose(layer.attend(H[::-1]), layer.attend(H)[::-1])


def full_matrix(layer):
    few, many = (hunt.peak_memory(layer.attend, draw(layer, n)) for n in (512, 1024))
    return many < 3 * few


PROBES = (weight_as_cause, no_scale, no_causal_mask, no_padding_mask, no_positions, full_matrix)
PROBES = {probe.__name__: probe for probe in PROBES}


def judged(probe, fault="no_scale"):
    return al.hunt.score(**{fault: probe}).verdicts[fault]


def test_there_is_one_reference_probe_for_each_fault():
    assert tuple(PROBES) == al.hunt.FAULTS


@pytest.mark.parametrize("seed", range(8))
def test_a_reference_probe_fails_where_its_fault_is_and_nowhere_else(seed):
    for fault, probe in PROBES.items():
        assert probe(al.hunt.sound(seed)), fault
        failed = {planted for planted in al.hunt.FAULTS if not probe(al.hunt.layer(planted, seed=seed))}
        assert failed == {fault}
        assert not probe(al.hunt.layer(*al.hunt.FAULTS, seed=seed)), fault


def test_all_exposed():
    sheet = al.hunt.score(**PROBES)
    assert all(verdict.passed and verdict.attempted for verdict in sheet.verdicts.values())
    assert repr(sheet).splitlines() == [
        "6 of 6 faults exposed",
        "  weight_as_cause   exposed",
        "  no_scale          exposed",
        "  no_causal_mask    exposed",
        "  no_padding_mask   exposed",
        "  no_positions      exposed",
        "  full_matrix       exposed",
    ]


# The layer itself.


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fault", [None, "full_matrix", "weight_as_cause"])
def test_the_layer_is_multi_head_attention_with_positions(fault, seed):
    layer = al.hunt.layer(*[fault] * bool(fault), seed=seed)
    H = draw(layer, 5, seed)
    X = H + al.positional_encoding(5, layer.d_model)
    for named, mask in (
        ({}, None),
        ({"length": 3}, al.padding_mask(3, 5)),
        ({"causal": True}, al.causal_mask(5)),
        ({"causal": True, "length": 2}, al.causal_mask(5) & al.padding_mask(2, 5)),
        ({"without": 1}, np.arange(5) != np.full((5, 1), 1)),
    ):
        W = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
        truth = al.multi_head_attention(X, *W, layer.n_heads, mask)
        np.testing.assert_allclose(layer.attend(H, **named), truth.context, atol=1e-12)
        np.testing.assert_allclose(layer.weights(H, **named), truth.weights, atol=1e-12)


def test_explain_names_the_largest_move_and_the_fault_names_the_largest_weight():
    sound, faulty = al.hunt.sound(), al.hunt.layer("weight_as_cause")
    H = draw(sound, 7)
    X = H + al.positional_encoding(7, sound.d_model)
    V = al.split_heads(X @ sound.W_V, sound.n_heads)
    for i in range(7):
        a = sound.weights(H)[:, i, :, None]  # (heads, n, 1)
        z = (a * V).sum(axis=1, keepdims=True)
        moves = al.merge_heads(a / (1 - a) * (z - V)) @ sound.W_O  # removed, the rest renormalised
        assert sound.explain(H, i) == np.linalg.norm(moves, axis=1).argmax()
        assert faulty.explain(H, i) == a[..., 0].mean(axis=0).argmax()


def test_explain_keeps_to_what_is_visible():
    sound = al.hunt.sound()
    H = draw(sound, 6)
    assert sound.explain(H, 0, causal=True) == 0
    assert all(sound.explain(H, i, length=2) < 2 for i in range(6))
    assert {sound.explain(H, i) for i in range(6)} - {0, 1}  # what it sees without them


@pytest.mark.parametrize("fault", al.hunt.FAULTS)
def test_every_faulty_layer_runs_and_gives_the_right_shapes(fault):
    layer = al.hunt.layer(fault)
    H = draw(layer, 7)
    named = {"length": 4, "causal": True}
    assert layer.attend(H, **named).shape == (7, layer.d_model)
    assert layer.weights(H, **named).shape == (layer.n_heads, 7, 7)
    np.testing.assert_allclose(layer.weights(H, **named).sum(axis=-1), 1)
    assert 0 <= layer.explain(H, 6, **named) < 7
    assert layer.scores(H[:3], H).shape == (3, 7)


def test_an_unknown_fault_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"no fault str 'no_scal': choose from weight_as_cause, no_scale"):
        al.hunt.layer("no_scal")


def test_a_layer_does_not_say_which_faults_it_has():
    assert repr(al.hunt.layer("no_scale")) == repr(al.hunt.sound()) == "Layer(d_model=8, n_heads=2)"


def test_a_batch_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"H of shape \(2, 5, 8\) must be one sequence of tokens, \(n, 8\)"):
        al.hunt.sound().attend(np.ones((2, 5, 8)))


def test_peak_memory_counts_what_is_held():
    assert 8e6 <= hunt.peak_memory(np.ones, 10**6) < 8.1e6
    assert 16e6 <= hunt.peak_memory(lambda n: [np.ones(n), np.ones(n)], n=10**6) < 16.1e6


# Probes that are wrong in a known way: fault, probe, the mistake, what its words must hold.


def causal_padding(layer):
    H = draw(layer, 5)
    return np.allclose(layer.attend(H, length=3, causal=True)[:3], layer.attend(H[:3], causal=True))


def causal_order(layer):
    H = draw(layer, 5)
    return not np.allclose(layer.attend(H[::-1], causal=True), layer.attend(H, causal=True)[::-1])


def short_memory(layer):
    few, many = (hunt.peak_memory(layer.attend, draw(layer, n)) for n in (3, 6))
    return many < 3 * few


def one_row(layer):
    """Asks for one row of one H: in some draws the largest weight is right."""
    H = draw(layer, 6, 3)
    moved = [np.linalg.norm((layer.attend(H, without=j) - layer.attend(H))[0]) for j in range(6)]
    return layer.explain(H, 0) == int(np.argmax(moved))


def exact(layer):
    H = draw(layer, 5)
    return np.array_equal(layer.attend(H[:, ::-1]), layer.attend(H))


def largest_coordinate(layer):
    """Measures a move by its largest coordinate and not by its length."""
    H = draw(layer, 6, 1)
    moved = [abs(layer.attend(H, without=j) - layer.attend(H)).max(axis=1) for j in range(6)]
    return [layer.explain(H, i) for i in range(6)] == np.argmax(moved, axis=0).tolist()


def like_the_sound_one(layer):
    """Compares the weights with those that the promises give: fails for all that shows there."""
    H = draw(layer, 5)
    X = H + al.positional_encoding(5, layer.d_model)
    mask = al.causal_mask(5) & al.padding_mask(4, 5)
    W = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    truth = al.multi_head_attention(X, *W, layer.n_heads, mask).weights
    return np.allclose(layer.weights(H, length=4, causal=True), truth)


WRONG = [
    ("no_scale", lambda layer: True, "misses", "all the others. Hint: repeat every column"),
    ("no_causal_mask", lambda layer: layer.attend(draw(layer, 4)).shape == (4, 8), "misses", "last token"),
    ("no_padding_mask", causal_padding, "misses", "Leave causal off"),
    ("no_positions", causal_order, "misses", "Leave causal off"),
    ("full_matrix", short_memory, "misses", "128 queries"),
    ("full_matrix", no_scale, "wrong_fault", "finds no_scale instead. Hint: take al.hunt.peak_memory"),
    ("no_positions", no_padding_mask, "wrong_fault", "finds no_padding_mask instead"),
    ("weight_as_cause", one_row, "sometimes", "in 2 of 3 layers"),
    ("no_scale", lambda layer: False, "false_alarm", "3 of 3 sound layers"),
    ("no_positions", exact, "false_alarm", "allow for rounding, or, with random draws, for chance"),
    ("no_causal_mask", exact, "false_alarm", "switch on what the promise is about (causal=, length=)"),
    ("no_positions", lambda layer: not no_positions(layer), "inverted", "True means that the layer passes"),
    ("weight_as_cause", largest_coordinate, "also", "by the length of the difference; explain must name"),
    (
        "no_scale",
        like_the_sound_one,
        "also",
        "but no_causal_mask, no_padding_mask, no_positions too",
    ),
]


@pytest.mark.parametrize("fault, probe, mistake, named", WRONG)
def test_a_wrong_probe_is_told_what_it_does(fault, probe, mistake, named):
    verdict = judged(probe, fault)
    assert (verdict.attempted, verdict.passed, verdict.mistake) == (True, False, mistake)
    assert named in verdict.message


@pytest.mark.parametrize("fault", al.hunt.FAULTS)
def test_a_probe_under_the_wrong_name_is_told_which_fault_it_finds(fault):
    other = "no_padding_mask" if fault != "no_padding_mask" else "no_positions"
    verdict = judged(PROBES[other], fault)
    assert verdict.mistake == "wrong_fault" and f"finds {other} instead" in verdict.message


def either(fault, other):
    """A probe that finds two faults."""
    return lambda layer: PROBES[fault](layer) and PROBES[other](layer)


@pytest.mark.parametrize("language", wording.LANGUAGES)
@pytest.mark.parametrize("fault", al.hunt.FAULTS)
def test_a_probe_that_finds_more_is_not_told_to_keep_out_what_its_own_fault_is_about(fault, language):
    wording.use(language)
    words = wording.section("hunt")
    verdict = judged(either(fault, "no_scale" if fault != "no_scale" else "no_positions"), fault)
    assert verdict.mistake == "also"
    if fault == "weight_as_cause":
        assert verdict.message.endswith(words["also.weight_as_cause.hint"])
        return
    hint = verdict.message.split({"en": "Hint: ", "zh": "提示："}[language])[1]
    for about in ("no_causal_mask", "no_padding_mask", "no_positions", "weight_as_cause"):
        assert (words[f"about.{about}"] in hint) == (about != fault)


# Odd probes: each has its sentence, and nothing is raised.


def stops(layer):
    return layer.attend(draw(layer, 4)) @ np.ones(3)


def stops_on_faults(layer):
    H = draw(layer, 4)
    [][int(not np.allclose(layer.scores(H, H), H @ H.T / np.sqrt(8)))] if not no_scale(layer) else None
    return True


def sets(layer):
    layer.n_heads = 1
    return True


def writes(layer):
    layer.W_Q[0] = 0
    return True


def leaves(layer):
    raise SystemExit


def for_ever(layer):
    return for_ever(layer)


class Strange:
    def __call__(self, layer):
        return True

    @property
    def __signature__(self):
        raise RuntimeError("do not touch")


ODD = [
    (3, "a value of type int"),
    (True, "a value of type bool"),
    (lambda: True, "yours takes ()"),
    (lambda layer, H: True, "yours takes (layer, H)"),
    (lambda layer: None, "returns nothing for the sound layer"),
    (lambda layer: 1, "type int for the sound layer"),
    (lambda layer: np.array([True, True]), "type ndarray"),
    (lambda layer: no_scale(layer) or None, "returns nothing for the layer with no_scale"),
    (stops, "stops with ValueError: matmul"),
    (stops_on_faults, "IndexError: list index out of range — called with the layer with no_scale"),
    (sets, "tries to change the layer"),
    (writes, "(layer.W_Q[0] = 0) stops with ValueError: assignment destination is read-only"),
    (leaves, "ends the program"),
    (for_ever, "calls itself without end"),
    (Strange(), "do not touch"),
]


@pytest.mark.parametrize("probe, named", ODD)
def test_an_odd_probe_has_its_sentence(probe, named, capsys):
    sheet = al.hunt.score(no_scale=probe, no_positions=no_positions)
    verdict = sheet.verdicts["no_scale"]
    assert (verdict.attempted, verdict.passed, verdict.mistake) == (True, False, None)
    assert named in verdict.message and "\n" not in verdict.message and "Traceback" not in verdict.message
    assert sheet.verdicts["no_positions"].passed  # the others are judged all the same
    assert "  no_scale          not exposed yet" in repr(sheet)
    assert capsys.readouterr() == ("", "")


def test_the_line_is_the_learners():
    assert "layer.attend(draw(layer, 4)) @ np.ones(3)" in judged(stops).message


def starter(layer):
    return ...


def unwritten(layer):
    raise NotImplementedError


@pytest.mark.parametrize("probe", [None, ..., starter, unwritten])
def test_a_starter_is_not_attempted(probe):
    verdict = judged(probe)
    assert (verdict.attempted, verdict.passed, verdict.message) == (False, False, "")


def test_as_shipped_nothing_is_exposed():
    as_shipped = al.hunt.score(**dict.fromkeys(al.hunt.FAULTS, starter))
    assert repr(as_shipped) == repr(al.hunt.score())
    assert repr(as_shipped).startswith("0 of 6 faults exposed\n  weight_as_cause   not exposed yet\n")
    assert len(repr(as_shipped).splitlines()) == 7


def test_an_interrupted_probe_says_stopped_and_the_others_are_judged():
    def interrupted(layer):
        raise KeyboardInterrupt

    sheet = al.hunt.score(no_scale=interrupted, no_positions=no_positions)
    assert sheet.verdicts["no_scale"].message.startswith("Stopped.")
    assert sheet.verdicts["no_positions"].passed


def test_names_that_do_not_exist_and_probes_without_one_are_noted():
    sheet = al.hunt.score(no_scale, no_scal=no_scale)
    assert len(sheet.notes) == 2 and not any(verdict.attempted for verdict in sheet.verdicts.values())
    assert "There is no fault no_scal. The faults are weight_as_cause, no_scale" in " ".join(
        repr(sheet).split()
    )
    assert "al.hunt.score(no_scale=your_probe)" in repr(sheet)


def test_any_callable_and_any_boolean_will_do(capsys):
    def prints(layer, tolerance=1e-6):
        print("trying")
        return np.bool_(no_scale(layer))

    for probe in (prints, functools.partial(lambda factor, layer: no_scale(layer), 3)):
        assert judged(probe).passed
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_every_sentence_is_whole_and_fits_in_both_languages(language):
    wording.use(language)
    words = wording.section("hunt")
    wrong = [(fault, probe) for fault, probe, *_ in WRONG] + [("no_scale", probe) for probe, _ in ODD]
    for fault, probe in wrong:
        sheet = al.hunt.score(**{fault: probe})
        head, *rows = repr(sheet).splitlines()
        assert head == words["total"].format(count=0, total=6)
        assert f"  {fault:<18}{words['open']}" in rows
        assert f"{fault}" in repr(sheet).split("\n\n")[1]
        assert not {"{", "}"} & set(repr(sheet)) and all(len(row) <= 86 for row in rows)
    assert f"  no_scale          {words['exposed']}" in repr(al.hunt.score(no_scale=no_scale))
