"""Faults seen in public projects, one test each: our answer is the right one, and differs from the known wrong ones."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_lab as al

pytestmark = pytest.mark.filterwarnings("error")


def decode(value):
    """Arrays from {dtype, shape, data}, with nan and inf written as strings."""
    if isinstance(value, dict) and set(value) == {"dtype", "shape", "data"}:
        return np.array(value["data"], dtype=value["dtype"]).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    return value


CASES = {
    case["id"]: decode(case)
    for case in json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))["cases"]
}


def load(name):
    case = CASES[name]
    return case["inputs"], case["expect"]


def agree(ours, right):
    """Equal in shape and, within 1e-12, in every entry."""
    assert ours.shape == right.shape
    np.testing.assert_allclose(ours, right, rtol=0, atol=1e-12)


def differ(name, **ours):
    """None of the case's wrong answers is ours; every one of them must be compared."""
    wrong = CASES[name]["wrong_answers"]
    assert set(ours) == set(wrong)
    for fault, answer in wrong.items():
        assert not np.allclose(ours[fault], answer, rtol=0, atol=1e-6), fault


def attend(given):
    return al.scaled_dot_product_attention(
        given["q"], given["k"], given["v"], given.get("keep_mask"), scale=given.get("scale")
    )


def test_every_case_has_a_test():
    assert {name[5:8] for name in globals() if name.startswith("test_A")} == set(CASES)
    assert len(CASES) == 20


def test_A01_a_row_that_sees_nothing_is_zero():
    given, right = load("A01")
    ours = attend(given)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    agree(ours.weights.sum(axis=-1), np.array([0.0, 1.0, 1.0]))
    differ("A01", naive_softmax_row0=ours.weights[0])


def test_A03_no_finite_number_stands_for_hidden():
    given, right = load("A03")
    ours = attend(given)
    assert (ours.context == right["out"]).all()
    assert (ours.weights == right["weights"]).all()
    differ("A03", fill_minus_1e4=ours.context)


def test_A05_true_means_may_look():
    given, right = load("A05")
    ours = attend(given)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    differ("A05", polarity_inverted_out=ours.context, polarity_inverted_weights=ours.weights)


def test_A06_padding_hides_keys_not_queries():
    given, right = load("A06")
    mask = al.padding_mask(given["lengths"], given["n"])
    ours = al.scaled_dot_product_attention(given["q"], given["k"], given["v"], mask)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    differ("A06", mask_on_query_axis_out=ours.context, mask_on_query_axis_weights=ours.weights)


def test_A08_a_token_sees_itself():
    given, right = load("A08")
    ours = al.causal_mask(given["n"])
    assert ours.dtype == bool
    assert (ours == right["mask"]).all()
    assert ours.sum(axis=-1).tolist() == right["true_per_row"]
    differ("A08", strict_lower=ours)


def test_A09_softmax_runs_over_the_keys():
    given, right = load("A09")
    ours = al.softmax(given["x"], axis=given["axis"])
    agree(ours, right["y"])
    agree(al.softmax(given["x"][None, None]), right["y"][None, None])
    agree(al.softmax(given["x"][None]), right["y"][None])
    differ("A09", axis0=ours)


def test_A10_large_scores_do_not_overflow():
    given, right = load("A10")
    ours = al.softmax(given["x"])
    agree(ours, right["y"])
    agree(al.softmax(np.array([-1000.0, -1001.0])), right["y"][:2])
    differ("A10", naive=ours)


def test_A13_float32_stays_float32():
    given, right = load("A13")
    rng = np.random.default_rng(13)
    Q, K, V = (rng.normal(size=given[f"{name}_shape"]).astype(given["dtype"]) for name in "qkv")
    for mask in (None, np.zeros((2, 2))):  # a float64 mask: the wrong answer "add_float64_bias"
        ours = al.scaled_dot_product_attention(Q, K, V, mask)
        assert ours.context.dtype == right["out_dtype"]
        assert ours.weights.dtype == right["weights_dtype"]
        assert ours.scores.dtype == np.float32
        assert str(ours.scores.dtype) not in CASES["A13"]["wrong_answers"].values()


def test_A14_the_scale_comes_from_the_width_of_one_head():
    given, right = load("A14")
    ours = attend(given)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    differ("A14", d_model_weights=ours.weights, d_v_weights=ours.weights)


def test_A16_a_mask_removes_scores_it_does_not_zero_them():
    given, right = load("A16")
    scores = given["scores"]
    ours = al.scaled_dot_product_attention([[1.0]], scores.T, np.eye(3), given["keep_mask"])
    agree(ours.scores, np.where(given["keep_mask"], scores, -np.inf))
    agree(ours.weights, right["weights"])
    agree(ours.context, right["weights"])
    differ("A16", multiply_before=ours.weights, multiply_after_no_renorm=ours.weights)


def test_A18_masks_combine_with_and():
    given, right = load("A18")
    mask = al.causal_mask(given["n"]) & given["valid"]
    assert (mask == right["keep_mask"]).all()
    ours = al.scaled_dot_product_attention(given["q"], given["k"], given["v"], mask)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    differ("A18", summed_planes=al.additive_mask(mask), softmax_of_summed=ours.weights)


def test_A20_what_is_hidden_never_reaches_the_result():
    given, right = load("A20")
    ours = attend(given)
    agree(ours.context, right["out"])
    agree(ours.weights, right["weights"])
    blocks = al.blockwise_attention(given["q"], given["k"], given["v"], given["keep_mask"])
    agree(blocks, right["out"])
    differ("A20", plain_matmul=ours.context)


def test_A22_split_is_reshape_then_swap():
    given, right = load("A22")
    ours = al.split_heads(given["x"], given["n_heads"])
    agree(ours, right["y"])
    agree(al.merge_heads(ours), given["x"])
    differ("A22", reshape_only=ours)


def test_A24_no_channel_is_lost_silently():
    given, _ = load("A24")
    for d_model, n_heads in given["cases"]:
        with pytest.raises(ValueError, match=rf"\b{d_model}\b.*= {n_heads}\b"):
            al.split_heads(np.zeros((2, d_model)), n_heads)
    assert 4096 // 7 * 7 == CASES["A24"]["wrong_answers"]["truncation_4096_7"]  # what a silent split keeps


def test_A26_a_window_counts_the_token_itself():
    given, right = load("A26")
    n = given["n"]
    ours = al.window_mask(n, given["w"])
    assert (ours == right["mask"]).all()
    assert ours.sum(axis=-1).tolist() == right["true_per_row"]
    assert (al.window_mask(n, 1) == np.eye(n, dtype=bool)).all()
    for width in (n, n + 1, 100):
        assert (al.window_mask(n, width) == al.causal_mask(n)).all()
    for width in (0, -1):
        with pytest.raises(ValueError, match=f"got {width}"):
            al.window_mask(n, width)
    differ("A26", one_too_many=ours)


def test_A27_blocks_change_nothing():
    given, right = load("A27")
    Q, K, V = given["q"], given["k"], given["v"]
    past = al.causal_mask(5)
    for size in given["chunk_sizes"]:
        ours = al.blockwise_attention(Q, K, V, causal=given["causal"], scale=given["scale"], block_size=size)
        agree(ours, right["out"])
        backwards = al.blockwise_attention(
            Q, K[::-1], V[::-1], past[:, ::-1], scale=given["scale"], block_size=size
        )
        agree(backwards, right["out"])
        differ("A27", **dict.fromkeys(CASES["A27"]["wrong_answers"], ours))


@pytest.mark.parametrize("attention", [al.scaled_dot_product_attention, al.blockwise_attention])
def test_A29_shapes_without_a_meaning_are_refused(attention):
    wrong = {
        "q,k shape (2,0)": ((2, 0), (2, 0), (2, 3)),
        "q,k,v shape (3,)": ((3,), (3,), (3,)),
        "q (2,4) with k (3,5)": ((2, 4), (3, 5), (3, 2)),
        "k (3,4) with v (2,4)": ((2, 4), (3, 4), (2, 4)),
    }
    assert list(wrong) == CASES["A29"]["inputs"]["cases"]
    named = [r"\(2, 0\)", r"\(3,\)", r"\(2, 4\).*\(3, 5\)", r"\(3, 4\).*\(2, 4\)"]
    for shapes, pattern in zip(wrong.values(), named, strict=True):
        with pytest.raises(ValueError, match=pattern):
            attention(*(np.ones(shape) for shape in shapes))


def test_A31_a_pair_shares_one_frequency():
    given, right = load("A31")
    ours = al.positional_encoding(given["n"], given["d_model"])
    agree(ours, right["pe"])
    longer = al.positional_encoding(7, 6)
    agree(longer[:, 0::2] ** 2 + longer[:, 1::2] ** 2, np.ones((7, 3)))
    gram = longer @ longer.T
    agree(gram[1:, 1:], gram[:-1, :-1])  # constant along the diagonals
    differ("A31", cos_uses_own_exponent=ours, exponent_2j_over_d=ours)


def test_A34_one_new_token_at_its_own_position():
    given, right = load("A34")
    ours = al.positional_encoding(given["n"], given["d_model"], offset=given["offset"])
    agree(ours, right["pe"])
    agree(ours, al.positional_encoding(4, given["d_model"])[3:])
    differ("A34", offset_ignored=ours)


def test_A37_lengths_become_a_mask():
    given, right = load("A37")
    ours = al.padding_mask(given["lengths"], given["n"])
    assert ours.shape == (3, 1, 3)
    assert (ours[:, 0] == right["mask"]).all()
    for length in (4, -1):
        with pytest.raises(ValueError, match=rf"{length} .*\b3 keys"):
            al.padding_mask([1, length, 3], given["n"])
    differ("A37", inverted=ours[:, 0], le_instead_of_lt=ours[:, 0])
