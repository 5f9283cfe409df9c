"""The stored examples: the numbers that the notebooks quote, each computed again from the shipped arrays."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import attention_lab as al
from attention_lab import wording

HEADS = ("previous", "next", "pronoun", "related", "separator", "sink", "flat", "late")
DATA = files("attention_lab") / "data"
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def edition():
    """wording.use, undone after the test."""
    before = wording.language()
    yield wording.use
    wording.use(before)


def attention(head, **options):
    return al.scaled_dot_product_attention(*head.project(), **options)


def over_sentences(name, measure, **options):
    """measure(head) gives one number for each token; their mean over the sentences' own tokens."""
    heads = [al.examples.real_head(name, sentence, **options) for sentence in range(4)]
    return np.concatenate([measure(head)[head.words] for head in heads]).mean()


def entropy(weights):
    """Each row's entropy as a share of log n."""
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logs).sum(axis=1) / np.log(weights.shape[1])


# --- files -----------------------------------------------------------------------------------------------------------


def test_importing_the_examples_reads_no_data_and_no_pandas():
    code = "import attention_lab.examples, sys; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["minilm_sample", "embeddings_bilingual"])
def test_data_are_plain_finite_arrays(name):
    with (DATA / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        for key in stored.files:
            assert stored[key].dtype.kind in "fiU", key
            assert stored[key].dtype.kind == "U" or np.isfinite(stored[key]).all(), key


def test_source_and_licences_travel_with_the_data():
    words = (DATA / "README.md").read_text(encoding="utf-8")
    with (DATA / "minilm_sample.npz").open("rb") as file, np.load(file) as stored:
        assert str(stored["licence"]) in words
        assert tuple(stored["heads"][2]) == (3, 1) and "their" in stored["head_names"][2]
    apache = (DATA / "LICENSE-Apache-2.0.txt").read_text(encoding="utf-8")
    assert "Apache License" in apache and "END OF TERMS AND CONDITIONS" in apache
    assert "Copyright (c) 2026 Matt" in (DATA / "LICENSE-MIT.txt").read_text(encoding="utf-8")


def test_changing_an_answer_changes_no_later_one():
    head, found, printed = (
        al.examples.real_head("sink"),
        al.examples.retrieval(),
        al.examples.card_krueger(),
    )
    for array in (head.H, head.weights, found.keys, found.query, printed.means, printed.errors):
        array[:] = 7
    assert al.examples.real_head("sink").H.std() < 7 and (al.examples.real_head("sink").weights < 2).all()
    assert np.linalg.norm(al.examples.retrieval().query) < 1.1
    assert al.examples.card_krueger().means[0, 0] == 23.33


# --- the real heads --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("sentence", range(4))
def test_our_formula_gives_the_weights_of_the_model(name, sentence):
    head = al.examples.real_head(name, sentence)
    weights = attention(head).weights
    assert weights.dtype == np.float32 and weights.shape == (len(head.tokens),) * 2
    assert np.abs(weights - head.weights).max() < 1e-3
    wrong = attention(head, scale=1 / np.sqrt(384)).weights
    assert np.abs(wrong - head.weights).max() > 1e-2, "the check notices a wrong scale"


def test_words_are_the_tokens_between_the_two_special_ones():
    counts = [al.examples.real_head("flat", sentence).words.sum() for sentence in range(4)]
    assert counts == [15, 16, 16, 12]
    head = al.examples.real_head("flat", 3)
    assert head.tokens[0] == "[CLS]" and head.tokens[-1] == "[SEP]"
    assert head.words.tolist() == [False, *[True] * 12, False]


@pytest.mark.parametrize(
    "positions, low, high", [("own", 0.999, 1), ("shifted", 0.9985, 0.9995), ("off", 0.07, 0.085)]
)
def test_previous_token_head_needs_positions_but_only_relative_ones(positions, low, high):
    def before(head):
        return np.r_[0, np.diag(attention(head).weights, -1)]

    assert low < over_sentences("previous", before, positions=positions) <= high


def test_next_token_head():
    mass = over_sentences("next", lambda head: np.r_[np.diag(attention(head).weights, 1), 0])
    assert mass == pytest.approx(0.62, abs=0.005)


def test_pronoun_and_related_heads():
    for name, sentence, query, key, weight in [
        ("pronoun", 2, "their", "workers", 0.89),
        ("related", 3, "jobs", "employment", 0.48),
        ("related", 3, "employment", "jobs", 0.48),
    ]:
        head = al.examples.real_head(name, sentence)
        found = attention(head).weights[head.tokens.index(query)]
        assert found[head.tokens.index(key)] == pytest.approx(weight, abs=0.005)
        assert head.tokens[found.argmax()] == key


def test_flat_head_is_nearly_flat():
    assert over_sentences("flat", lambda head: entropy(attention(head).weights)) == pytest.approx(
        0.88, abs=0.005
    )


def test_without_the_scale_the_pronoun_head_is_sharp():
    with_scale = over_sentences("pronoun", lambda head: entropy(attention(head).weights))
    without = over_sentences("pronoun", lambda head: entropy(attention(head, scale=1.0).weights))
    assert with_scale == pytest.approx(0.47, abs=0.005) and without == pytest.approx(0.08, abs=0.005)


def test_sink_by_weight_by_norm_and_by_ablation():
    """[CLS]'s share of a row, by three measures: 0.82, 0.36, 0.77, and the lengths of v W_O: 0.24 against 3.72."""

    def share(measure):
        def of_cls(head):
            _, _, V = head.project()
            weights, contributions = attention(head).weights, V @ head.W_O
            amounts = measure(weights, contributions)
            return amounts[:, 0] / amounts.sum(axis=1)

        return over_sentences("sink", of_cls)

    def by_norm(weights, parts):
        return weights * np.linalg.norm(parts, axis=1)

    def by_ablation(weights, parts):
        moved = np.linalg.norm(parts - (weights @ parts)[:, None], axis=2)
        return weights / (1 - weights) * moved

    assert share(lambda weights, parts: weights) == pytest.approx(0.82, abs=0.005)
    assert share(by_norm) == pytest.approx(0.36, abs=0.005)
    assert share(by_ablation) == pytest.approx(0.77, abs=0.005)

    heads = [al.examples.real_head("sink", sentence) for sentence in range(4)]
    lengths = [np.linalg.norm(head.project()[2] @ head.W_O, axis=1) for head in heads]
    cls = np.mean([length[0] for length in lengths])
    words = np.concatenate([length[head.words] for length, head in zip(lengths, heads, strict=True)]).mean()
    assert cls == pytest.approx(0.24, abs=0.005) and words == pytest.approx(3.72, abs=0.005)


def test_ablation_formula_is_masking_and_renormalising():
    head = al.examples.real_head("sink", 1)
    Q, K, V = head.project()
    full = attention(head)
    moved = full.context - attention(head, mask=np.arange(len(head.tokens)) != np.zeros((18, 1))).context
    a = full.weights[:, 0]
    formula = a / (1 - a) * np.linalg.norm(V[0] - full.context, axis=1)
    np.testing.assert_allclose(np.linalg.norm(moved, axis=1), formula, rtol=1e-3)


def top4(scores):
    return scores >= np.sort(scores)[:, [-4]]


def near(scores):
    place = np.arange(len(scores))
    return abs(place[:, None] - place) <= 1


def near_and_first(scores):
    return near(scores) | (np.arange(len(scores)) == 0)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("previous", (0.000, 0.000, 0.000)),
        ("sink", (0.083, 3.125, 0.250)),
        ("related", (0.113, 4.264, 0.572)),
        ("flat", (0.608, 1.212, 0.845)),
        ("next", (0.030, 0.465, 0.080)),
        ("pronoun", (0.206, 1.735, 0.742)),
    ],
)
def test_approximations_are_good_for_one_head_and_useless_for_another(name, expected):
    found = [al.examples.approximation_error(name, rule) for rule in (top4, near, near_and_first)]
    assert found == pytest.approx(expected, abs=1.5e-3)


def test_approximation_error_follows_the_dropped_mass():
    """z − ẑ = m (z_dropped − ẑ), row by row; all visible is exact."""
    head = al.examples.real_head("related", 2)
    Q, K, V = head.project()
    exact, rough = attention(head), attention(head, mask=near(head.weights))
    dropped = exact.weights * ~near(head.weights)
    m = dropped.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        exact.context - rough.context, m * (dropped @ V / m - rough.context), atol=1e-4
    )
    assert al.examples.approximation_error("related", lambda scores: scores > -np.inf) == 0


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("prev",), "the heads are previous"),
        (("sink", 4), "0 to 3"),
        (("flat", 0, "on"), "positions are own, off, shifted"),
        (("sink", 0, "off"), "in layer 1"),
    ],
)
def test_real_head_refuses_with_a_sentence(arguments, said):
    with pytest.raises(ValueError, match=said):
        al.examples.real_head(*arguments)


# --- retrieval -------------------------------------------------------------------------------------------------------


def cosines(*arguments):
    found = al.examples.retrieval(*arguments)
    return found.keys @ found.query, found.kinds


def auc(scores, kinds, against):
    """The share of pairs (relevant, other) in which the relevant one scores higher."""
    pairs = scores[kinds == "R"][:, None] - scores[np.isin(kinds, list(against))]
    return (pairs > 0).mean()


EVERY_SEARCH = [
    ("minilm", "en", "en", 0.80),
    ("e5", "en", "en", 0.91),
    ("e5", "zh", "zh", 0.77),
    ("e5", "zh", "en", 0.86),
    ("e5", "en", "zh", 0.83),
]


def test_minilm_scores_the_trap_high_and_the_definition_low():
    scores, kinds = cosines()
    by_label = dict(
        zip(("paper", "definition", "table", "control", "columns", "theory"), scores, strict=False)
    )
    expected = {"paper": 0.569, "definition": 0.220, "table": 0.551, "control": 0.409, "theory": 0.569}
    for name, score in expected.items():
        assert by_label[name] == pytest.approx(score, abs=6e-4), name
    assert scores[10] == pytest.approx(0.546, abs=6e-4) and kinds[10] == "H"
    assert scores.argsort()[::-1][:4].tolist() in ([0, 5, 2, 10], [5, 0, 2, 10])


@pytest.mark.parametrize("model, question, snippets, expected", EVERY_SEARCH)
def test_every_search_is_perfect_against_the_unrelated_and_not_against_the_hard(
    model, question, snippets, expected
):
    scores, kinds = cosines(model, question, snippets)
    assert auc(scores, kinds, "IH") == pytest.approx(expected, abs=0.005)
    assert auc(scores, kinds, "I") == 1 > auc(scores, kinds, "H")


def test_softmax_of_raw_cosines_is_nearly_flat():
    for model, low, high in [("minilm", 0.054, 0.106), ("e5", 0.076, 0.091)]:
        weights = al.softmax(cosines(model)[0])
        assert weights.min() == pytest.approx(low, abs=6e-4)
        assert weights.max() == pytest.approx(high, abs=6e-4)


def test_temperature_sharpens_and_never_reorders():
    for (model, question, snippets), mass in [
        (("e5", "en", "en"), 0.97),
        (("e5", "zh", "zh"), 0.83),
        (("e5", "zh", "en"), 0.93),
        (("minilm", "en", "en"), 0.88),
    ]:
        scores, kinds = cosines(model, question, snippets)
        sharp = al.softmax(scores / 0.02)
        assert sharp[kinds == "R"].sum() == pytest.approx(mass, abs=0.005)
        assert sharp.argsort().tolist() == al.softmax(scores).argsort().tolist()
        assert (kinds == "R").mean() == pytest.approx(7 / 12), "what equal weights would give"


def test_embeddings_have_length_one_and_both_editions_the_same_numbers(edition):
    searches = {}
    for language in ("en", "zh"):
        edition(language)
        for model, question, snippets, _ in EVERY_SEARCH:
            found = al.examples.retrieval(model, question, snippets)
            assert found.keys.shape == (12, 384) and found.query.shape == (384,)
            np.testing.assert_allclose(np.linalg.norm([found.query, *found.keys], axis=1), 1, atol=1e-4)
            searches.setdefault((model, question, snippets), []).append(found)
    for english, chinese in searches.values():
        np.testing.assert_array_equal(english.keys, chinese.keys)
        np.testing.assert_array_equal(english.query, chinese.query)
        assert english.kinds.tolist() == chinese.kinds.tolist() == [*"RRRRRRRIIIHH"]


def test_texts_and_names_are_in_the_words_of_the_edition(edition):
    edition("en")
    english = al.examples.retrieval()
    assert english.question.startswith("How does raising") and "minimum temperature" in english.texts[10]
    assert english.names[10] == "same words, other topic"
    edition("zh")
    chinese = al.examples.retrieval()
    assert "最低工资" in chinese.question and "最低温度" in chinese.texts[10]
    assert len(chinese.texts) == len(set(chinese.names)) == len(set(english.names)) == 12
    assert not set(chinese.names) & set(english.names)
    assert al.examples.real_head("pronoun").title == "代词 → 名词"


@pytest.mark.parametrize(
    "arguments, said",
    [(("bert",), "minilm, e5"), (("minilm", "zh"), "en, got"), (("e5", "en", "fr"), "en, zh")],
)
def test_retrieval_refuses_with_a_sentence(arguments, said):
    with pytest.raises(ValueError, match=said):
        al.examples.retrieval(*arguments)


# --- the table of Card & Krueger -------------------------------------------------------------------------------------


def test_what_can_be_recomputed_from_the_printed_cells():
    means, errors, _ = al.examples.card_krueger()
    np.testing.assert_allclose(means[:2, 1] - means[:2, 0], [-2.89, -0.14], atol=1e-9)
    np.testing.assert_allclose(means[1, :2] - means[0, :2], [-2.16, 0.59], atol=1e-9)
    np.testing.assert_allclose(np.hypot(errors[:, 0], errors[:, 1]).round(2), [1.44, 1.07, 1.36])
    np.testing.assert_allclose(errors[:, 2], [1.44, 1.07, 1.36])


def test_printed_difference_is_one_hundredth_from_its_neighbours():
    means, *_ = al.examples.card_krueger()
    assert round(means[2, 1] - means[2, 0], 2) == 2.75 and means[2, 2] == 2.76


def test_significance_rests_on_the_pairing_of_the_stores():
    """The errors of the changes are not recomputable: as if independent they are larger, and the result fades."""
    means, errors, _ = al.examples.card_krueger()
    difference, error = means[2, 2], errors[2, 2]
    assert round(difference / error, 2) == 2.03
    np.testing.assert_allclose((difference + np.array([-1.96, 1.96]) * error).round(2), [0.09, 5.43])
    as_independent = np.hypot(errors[0, :2], errors[1, :2])
    np.testing.assert_allclose(as_independent.round(2), [1.65, 0.73])
    assert (as_independent > errors[2, :2]).all()
    assert round(np.hypot(*as_independent), 2) == 1.80
    assert difference / np.hypot(*as_independent) < 1.96 < difference / error


def test_table_shows_the_cells_in_the_words_of_the_edition(edition):
    edition("en")
    english = al.examples.card_krueger().table
    assert english.loc["before", "Pennsylvania"] == "23.33 (1.35)"
    assert english.loc["change", "New Jersey"] == "0.59 (0.54)"
    assert english.loc["change", "NJ − PA"] == "2.76 (1.36)" and english.iloc[2, 0] == "−2.16 (1.25)"
    edition("zh")
    chinese = al.examples.card_krueger().table
    assert chinese.loc["之后", "新泽西州"] == "21.03 (0.52)"
    assert chinese.to_numpy().tolist() == english.to_numpy().tolist()


# --- references ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "listed", sorted(ROOT.glob("notebooks/*/references.md")), ids=lambda path: path.parent.name
)
def test_every_source_a_notebook_or_the_package_cites_is_listed(listed):
    paper = re.compile(r"(?:arXiv[:\s]|arxiv\.org/abs/)(\d{4}\.\d{4,5})")
    manual = re.compile(r"https://[\w./]*(?:keras|pytorch|numpy|deeplearningbook)[\w./]*")

    def sources(text):
        return {*paper.findall(text), *manual.findall(text)}

    known = sources(listed.read_text(encoding="utf-8"))
    for path in [*listed.parent.glob("*.ipynb"), *(ROOT / "attention_lab").glob("*.py")]:
        cited = sources(path.read_text(encoding="utf-8"))
        assert cited <= known, f"{path.name} cites {cited - known}"


# --- the lesson ------------------------------------------------------------------------------------------------------


def test_a_longer_or_wider_lesson_changes_no_number_of_a_shorter_one():
    small, large = al.examples.lesson(5, 3), al.examples.lesson(16, 64)
    np.testing.assert_array_equal(large.H[:5], small.H)
    for name in ("W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(large, name)[:, :3], getattr(small, name))
    assert large.tokens[:5] == small.tokens == ["policy", "raises", "wages", "jobs", "and"]
    for n, d_k in [(0, 4), (17, 4), (4, 0), (4, 65)]:
        with pytest.raises(ValueError, match="1 to"):
            al.examples.lesson(n, d_k)


def test_spread_counts_every_pair_in_bins_of_width_three():
    data = al.examples.spread()
    assert set(np.diff(data["edges"])) == {3}
    for k, d_k in enumerate(data["widths"]):
        assert data["sd"][k] == pytest.approx(np.sqrt(d_k), rel=0.06)
        assert sum(data["scaled_counts"][k]) == 4096
        assert sum(data["counts"][k]) > 0.99 * 4096
