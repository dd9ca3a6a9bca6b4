"""Entropy of one variable: worked numbers, axioms and inequalities."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from learnable.core import DataError, ParameterError
from learnable.information import binary_entropy, cross_entropy, entropy, kl_divergence, self_information

laws = (
    st.lists(st.floats(0, 1), min_size=2, max_size=8)
    .filter(lambda p: sum(p) > 0.01)
    .map(lambda p: np.array(p) / sum(p))
)
bases = st.sampled_from([2.0, np.e, 10.0, 3.5])


def pairs(draw_zero=True):
    low = 0.0 if draw_zero else 1e-3
    row = st.lists(st.tuples(st.floats(low, 1), st.floats(low, 1)), min_size=2, max_size=8)
    return row.filter(lambda r: all(sum(c) > 0.01 for c in zip(*r, strict=True))).map(lambda r: np.array(r).T)


def test_w01_surprise_table():
    p = [1, 3 / 4, 1 / 2, 1 / 4, 6 / 36, 1 / 24, 1 / 76e6, 2.7e-12]
    expected = [0, 0.4150, 1, 2, 2.5850, 4.5850, 26.18, 38.43]
    np.testing.assert_allclose(self_information(p), expected, atol=5e-3, rtol=0)
    np.testing.assert_allclose(self_information(p)[:6], expected[:6], atol=5e-5)


def test_w32_boxes_and_e161():
    """E-161: four equally likely boxes need 2 bits, not 4."""
    assert self_information(1 / 2) == 1 and self_information(1 / 4) == 2
    assert entropy(np.full(4, 0.25)) == 2 and entropy([1, 1], kind="counts") == 1


def test_w33_four_uneven_boxes():
    assert self_information(0.97) == pytest.approx(0.04394, abs=5e-6)
    assert self_information(0.01) == pytest.approx(6.6439, abs=5e-5)
    assert entropy([0.97, 0.01, 0.01, 0.01]) == pytest.approx(0.24194, abs=5e-6)


def test_w34_grid_of_twenty():
    assert entropy([11, 9], kind="counts") == pytest.approx(0.99277, abs=5e-6)
    assert binary_entropy(11 / 20) == pytest.approx(0.99277, abs=5e-6)


def test_surprise_is_never_negative_and_zero_for_certain_events():
    """INF-01."""
    assert self_information(1.0) == 0 and not np.signbit(self_information(1.0))
    assert self_information(0.0) == np.inf and self_information(0.5, base=np.e) == pytest.approx(np.log(2))
    assert self_information(1 / 7) == pytest.approx(np.log2(7))


@given(p=laws, base=bases)
def test_equal_to_scipy(p, base):
    assert entropy(p, base=base) == pytest.approx(stats.entropy(p, base=base), abs=1e-12)


@given(p=laws)
def test_axiom_bounds_and_the_uniform_law(p):
    """INF-02, INF-03: 0 <= H <= log n, with equality for certainty and for the uniform law."""
    assert -1e-12 <= entropy(p) <= np.log2(len(p)) + 1e-12
    assert entropy(np.full(len(p), 1 / len(p))) == pytest.approx(np.log2(len(p)))
    assert entropy(np.eye(len(p))[0]) == 0


@given(p=laws, order=st.randoms())
def test_axiom_sum_of_one_function_of_each_probability(p, order):
    """INF-02: H is a sum of phi(p_i): order does not matter, impossible outcomes add nothing."""
    shuffled = p.copy()
    order.shuffle(shuffled)
    assert entropy(shuffled) == pytest.approx(entropy(p))
    assert entropy(np.append(p, 0.0)) == pytest.approx(entropy(p))


@given(both=pairs(), share=st.floats(0, 1))
def test_axiom_concave(both, share):
    """INF-02: mixing laws raises entropy."""
    p, q = (row / row.sum() for row in both)
    mixed = share * p + (1 - share) * q
    assert entropy(mixed) >= share * entropy(p) + (1 - share) * entropy(q) - 1e-9


@given(p=laws, q=laws)
def test_axiom_additive_for_independent_experiments(p, q):
    """INF-02."""
    assert entropy(np.outer(p, q).ravel()) == pytest.approx(entropy(p) + entropy(q), abs=1e-9)


@given(p=st.floats(0, 1), q=st.floats(0, 1))
def test_axiom_continuous(p, q):
    """INF-02: near laws have near entropies, |H(p) - H(q)| <= H(|p - q|) for coins."""
    assert abs(binary_entropy(p) - binary_entropy(q)) <= binary_entropy(abs(p - q)) + 1e-9


def test_other_forms_break_an_axiom():
    """INF-02: Gini impurity is concave but not additive, so the axioms do distinguish entropy from it."""
    p, q = np.array([0.5, 0.5]), np.array([0.3, 0.7])
    gini = [1 - np.sum(law**2) for law in (np.outer(p, q), p, q)]
    assert gini[0] != pytest.approx(gini[1] + gini[2])


@given(both=pairs())
def test_cross_entropy_is_entropy_plus_divergence(both):
    """INF-05, INF-06: H(P, Q) = H(P) + D(P || Q) >= H(P)."""
    p, q = (row / row.sum() for row in both)
    total, apart = cross_entropy(p, q), kl_divergence(p, q)
    assert apart >= 0
    if np.isinf(apart):
        assert np.isinf(total) and ((p > 0) & (q == 0)).any()
    else:
        assert total == pytest.approx(entropy(p) + apart, abs=1e-9)
        assert apart == pytest.approx(stats.entropy(p, q, base=2), abs=1e-9)


def test_divergence_is_zero_for_equal_laws_and_not_symmetric():
    """INF-06; E-002: it is not a metric."""
    p, q = [0.5, 0.5], [0.9, 0.1]
    assert kl_divergence(p, p) == 0 and cross_entropy(p, p) == entropy(p)
    assert kl_divergence(p, q) != pytest.approx(kl_divergence(q, p))
    assert kl_divergence([0.5, 0.5], [1, 0]) == cross_entropy([0.5, 0.5], [1, 0]) == np.inf


@given(both=pairs(draw_zero=False))
def test_log_sum_inequality(both):
    """INF-07: sum p log(p/q) >= (sum p) log(sum p / sum q) for positive numbers; the gap is a scaled divergence."""
    p, q = both
    left, right = np.sum(p * np.log2(p / q)), p.sum() * np.log2(p.sum() / q.sum())
    assert left >= right - 1e-9
    assert left - right == pytest.approx(p.sum() * kl_divergence(p / p.sum(), q / q.sum()), abs=1e-9)


@given(p=laws, factor=st.floats(0.1, 10))
def test_log_sum_equality_for_proportional_numbers(p, factor):
    """INF-07."""
    assume((p > 1e-100).all())
    q = factor * p
    assert np.sum(p * np.log2(p / q)) == pytest.approx(p.sum() * np.log2(p.sum() / q.sum()), abs=1e-9)


@given(labels=st.lists(st.sampled_from("abcd"), min_size=1, max_size=30))
def test_samples_are_their_counts_and_weights_are_copies(labels):
    """INF-11."""
    _, counts = np.unique(labels, return_counts=True)
    assert entropy(labels, kind="samples") == pytest.approx(entropy(counts, kind="counts"))
    weight = np.arange(1, len(labels) + 1)
    copies = np.repeat(labels, weight)
    assert entropy(labels, kind="samples", sample_weight=weight) == pytest.approx(entropy(copies, kind="samples"))


def test_binary_entropy_curve():
    p = np.linspace(0, 1, 101)
    np.testing.assert_allclose(binary_entropy(p), [entropy([a, 1 - a]) for a in p], atol=1e-12)
    assert p[binary_entropy(p).argmax()] == 0.5 and isinstance(binary_entropy(0.5), float)


def test_what_cannot_be_used_is_named():
    with pytest.raises(DataError, match=r'they sum to 4\. Counts need kind="counts"'):
        entropy([1, 3])
    with pytest.raises(DataError, match="finite numbers of at least 0"):
        entropy([-0.5, 1.5])
    with pytest.raises(ParameterError, match="base must be above 0 and not 1"):
        entropy([0.5, 0.5], base=1)
    with pytest.raises(ParameterError, match="kind must be"):
        entropy([0.5, 0.5], kind="weights")
    with pytest.raises(DataError, match="distributions over the same outcomes"):
        kl_divergence([0.5, 0.5], [0.5, 0.25, 0.25])
    with pytest.raises(DataError, match="between 0 and 1"):
        self_information(1.5)
    with pytest.raises(DataError, match='use kind="samples"'):
        entropy(["a", "b"])


@pytest.mark.parametrize("function", [self_information, binary_entropy])
@pytest.mark.parametrize("wrong", [["a", "b"], [0.5, 1.5]])
def test_what_is_not_a_probability_is_refused_by_name(function, wrong):
    with pytest.raises(DataError, match=f"{function.__name__}: probability must be a number between 0 and 1"):
        function(wrong)
