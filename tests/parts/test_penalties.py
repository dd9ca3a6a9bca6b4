"""Laws that every penalty obeys, and the numbers that pin each one down."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from learnable.parts.penalties import L1, L2, ElasticNet, Free, GroupL2, soft_threshold
from tests.names import steady

PENALTIES = [
    Free(),
    L2(0.7),
    L1(0.7),
    ElasticNet(0.7, 0.4),
    ElasticNet(1.3, 1.0),
    ElasticNet(1.3, 0.0),
    GroupL2(0.7),
    GroupL2(1.3, 0.4),
]
SPARSE = [L1(0.7), ElasticNet(0.7, 0.4), ElasticNet(1.3, 1.0), GroupL2(0.7), GroupL2(1.3, 0.4)]

every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=steady)
steps = pytest.mark.parametrize("step", [0.1, 1.0, 3.0])


def matrix(seed, rows=8, columns=2):
    return np.random.default_rng(seed).normal(0.0, 1.5, (rows, columns))


def differences(penalty, w, h=1e-6):
    """Central differences of the value."""
    sides = [w + h * unit.reshape(w.shape) for sign in (1, -1) for unit in sign * np.eye(w.size)]
    values = np.array([penalty.value(side) for side in sides])
    return ((values[: w.size] - values[w.size :]) / (2 * h)).reshape(w.shape)


@every_penalty
@steps
def test_prox_is_the_best_point_of_a_grid(penalty, step):
    axis = np.linspace(-4.0, 4.0, 81)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 1, 2)
    values = np.array([penalty.value(point) for point in grid])
    for v in matrix(0, rows=3)[:, np.newaxis]:
        w = penalty.prox(v, step)
        reached = np.sum((w - v) ** 2) / 2 + step * penalty.value(w)
        on_grid = np.sum((grid - v) ** 2, axis=(1, 2)) / 2 + step * values
        assert reached <= min(on_grid) + 1e-12
        assert np.abs(w - grid[np.argmin(on_grid)]).max() <= 0.1


@every_penalty
@steps
def test_prox_is_optimal(penalty, step):
    """v - prox(v) is `step` times a subgradient at prox(v)."""
    v = matrix(1, rows=50, columns=3)
    w = penalty.prox(v, step)
    assert_allclose(penalty.distance(w, (w - v) / step), 0.0, atol=1e-14)


@every_penalty
@given(seed=st.integers(0, 999))
def test_prox_never_spreads_points(penalty, seed):
    """Firmly nonexpansive: |p - q|^2 <= <p - q, v - u>."""
    v, u = matrix(seed), matrix(seed + 1000)
    moved = penalty.prox(v, 0.8) - penalty.prox(u, 0.8)
    assert np.sum(moved * moved) <= np.sum(moved * (v - u)) * (1 + 1e-12) + 1e-12


@every_penalty
def test_prox_takes_one_step_for_each_row(penalty):
    v, each = matrix(2), np.linspace(0.1, 2.0, 8)
    together = penalty.prox(v, each if isinstance(penalty, GroupL2) else each[:, np.newaxis])
    alone = np.concatenate([penalty.prox(v[[row]], step) for row, step in enumerate(each)])
    assert_allclose(together, alone, rtol=1e-15)


def test_moreau_identity():
    """v = prox of f + step prox of its conjugate, which is a projection for a norm and a shrinkage for a square."""
    v, step, alpha = matrix(3), 0.6, 0.9
    box = np.clip(v / step, -alpha, alpha)
    assert_allclose(L1(alpha).prox(v, step) + step * box, v, rtol=1e-14)
    lengths = np.linalg.norm(v / step, axis=1, keepdims=True)
    ball = v / step * np.minimum(1, alpha / lengths)
    assert_allclose(GroupL2(alpha).prox(v, step) + step * ball, v, rtol=1e-13, atol=1e-15)
    conjugate = v / step / (1 + 1 / (step * alpha))
    assert_allclose(L2(alpha).prox(v, step) + step * conjugate, v, rtol=1e-14)


@given(v=st.floats(-1e6, 1e6), threshold=st.floats(0.0, 1e6))
def test_soft_threshold(v, threshold):
    expected = np.sign(v) * max(abs(v) - threshold, 0.0)
    shrunk = soft_threshold(np.array([v]), threshold)
    assert shrunk.item() == expected
    assert L1(2.0).prox(np.array([v]), threshold / 2).item() == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert not np.signbit(shrunk[shrunk == 0]).any() or v == 0


@every_penalty
def test_distance_agrees_with_differences_of_the_value(penalty):
    w = matrix(4)
    assert_allclose(penalty.distance(w, -differences(penalty, w)), 0.0, atol=1e-8)
    if penalty.smooth:
        assert_allclose(penalty.gradient(w), differences(penalty, w), atol=1e-8)


@every_penalty
def test_gradient_is_that_of_the_squared_part(penalty):
    w = matrix(5)
    l2_ratio = 1.0 if isinstance(penalty, L2) else 1 - getattr(penalty, "l1_ratio", 1.0)
    assert_allclose(penalty.gradient(w), getattr(penalty, "alpha", 0.0) * l2_ratio * w, rtol=1e-14)


def test_distance_is_zero_exactly_at_an_optimum_built_backwards():
    """A lasso whose solution is chosen first; the subdifferential at zero is an interval."""
    w = np.array([2.0, 0.0, -1.0, 0.0, 0.0])
    inside = np.array([-0.5, 0.3, 0.5, -0.5, 0.0])
    assert L1(0.5).distance(w, inside).tolist() == [0.0, 0.0, 0.0, 0.0, 0.0]
    assert_allclose(L1(0.5).distance(w, inside - 0.1), [0.1, 0.0, 0.1, 0.1, 0.0], atol=1e-15)
    assert_allclose(ElasticNet(1.0, 0.5).distance(w, inside), [1.0, 0.0, 0.5, 0.0, 0.0])
    assert ElasticNet(1.0, 0.5).distance(w, inside - 0.5 * w).tolist() == [0.0, 0.0, 0.0, 0.0, 0.0]


def test_group_distance_is_zero_exactly_at_an_optimum_built_backwards():
    w = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 0.0]])
    inside = np.array([[-0.6, -0.8], [0.6, 0.8], [0.0, 0.1]])
    assert_allclose(GroupL2(1.0).distance(w, inside), 0.0, atol=1e-15)
    assert_allclose(GroupL2(0.5).distance(w, inside), [0.5, 0.5, 0.0], atol=1e-15)
    assert_allclose(GroupL2(1.0).distance(w, inside + [[0.3, 0.4]]), [0.5, 0.5, 0.0], atol=1e-15)


@every_penalty
def test_zero_is_optimal_from_the_largest_useful_alpha_on(penalty):
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(30, 8)), rng.normal(size=(30, 2))
    gradient, zero = -X.T @ Y / 30, np.zeros((8, 2))
    alpha = penalty.strongest(gradient)
    assert penalty.strongest(zero) == 0.0
    if penalty not in SPARSE:
        assert alpha == np.inf
        return
    assert_allclose(replace(penalty, alpha=alpha).distance(zero, gradient), 0.0, atol=1e-15)
    assert replace(penalty, alpha=0.999 * alpha).distance(zero, gradient).max() > 1e-5


@every_penalty
def test_extreme_weights_give_numbers(penalty):
    for size in (0.0, 1e-300, 1e-150, 1e150):
        w = np.full((3, 2), size)
        assert np.isfinite(penalty.value(w))
        for result in (penalty.prox(w, 1.0), penalty.distance(w, -w), penalty.gradient(w)):
            assert np.all(np.isfinite(result))
        assert penalty.strongest(w) >= 0
    assert penalty.value(np.zeros((0, 2))) == 0.0
    assert penalty.strongest(np.zeros((0, 2))) == 0.0


@every_penalty
def test_single_precision_stays_single(penalty):
    w = matrix(7).astype(np.float32)
    for result in (penalty.prox(w, 0.5), penalty.distance(w, -w), penalty.gradient(w)):
        assert result.dtype == np.float32


@every_penalty
@given(factor=st.floats(0.01, 100.0))
def test_value_is_symmetric_and_grows_along_a_ray(penalty, factor):
    w = matrix(8)
    assert penalty.value(-w) == penalty.value(w)
    assert penalty.value(w * (1 + factor)) >= penalty.value(w)
    assert_allclose(penalty.prox(-w, factor), -penalty.prox(w, factor))


def test_family_ties():
    """E-069: a ratio of one is the lasso, of zero the ridge."""
    w, g = matrix(9), matrix(10)
    pairs = [
        (ElasticNet(0.8, 1.0), L1(0.8)),
        (ElasticNet(0.8, 0.0), L2(0.8)),
        (L1(0.0), Free()),
        (L2(0.0), Free()),
    ]
    for blend, plain in pairs:
        assert blend.value(w) == pytest.approx(plain.value(w), rel=1e-15)
        assert_allclose(blend.prox(w, 0.5), plain.prox(w, 0.5), rtol=1e-15)
        assert_allclose(blend.distance(w, g), plain.distance(w, g), rtol=1e-13)
    column = w[:, :1]
    assert_allclose(GroupL2(0.8, 0.3).prox(column, 0.5), ElasticNet(0.8, 0.3).prox(column, 0.5), rtol=1e-13)
    assert_allclose(
        GroupL2(0.8, 0.3).distance(column, g[:, :1]), ElasticNet(0.8, 0.3).distance(column, g[:, :1]).ravel()
    )


@pytest.mark.parametrize("penalty", [ElasticNet(1.3, 0.4), GroupL2(0.7, 0.6)], ids=steady)
def test_a_scaled_penalty_is_that_of_weights_in_the_other_unit(penalty):
    w, unit = matrix(12), 0.25
    assert penalty.scaled(unit).value(w) == pytest.approx(penalty.value(unit * w), rel=1e-14)
    assert penalty.scaled(unit).scaled(1 / unit) == penalty
    assert penalty.value(w) == sum(penalty.terms(w))


@pytest.mark.parametrize("penalty", [ElasticNet(1.3, 0.4), GroupL2(0.7, 0.6)], ids=steady)
def test_the_largest_useful_alpha_follows_from_the_largest_gradient_entry(penalty):
    gradient = matrix(13)
    sizes = np.abs(gradient) if isinstance(penalty, ElasticNet) else np.linalg.norm(gradient, axis=1)
    assert penalty.alpha_max(float(sizes.max())) == pytest.approx(penalty.strongest(gradient), rel=1e-14)
    assert replace(penalty, l1_ratio=0.0).alpha_max(1.0) == np.inf


def test_values_by_hand():
    w = np.array([3.0, -4.0])
    assert L2(2.0).value(w) == 25.0
    assert L1(2.0).value(w) == 14.0
    assert ElasticNet(2.0, 0.25).value(w) == 2 * (0.25 * 7 + 0.75 * 12.5)
    assert GroupL2(2.0).value(np.array([[3.0, -4.0], [0.0, 1.0]])) == 12.0
    assert Free().value(w) == 0.0


def test_course_gradients():
    """lambda sum w^2 has gradient 2 lambda w; lambda sum |w| has subgradient lambda sign(w), E-075."""
    w, alpha = np.array([3.0, -4.0]), 0.3
    assert_allclose(L2(2 * alpha).gradient(w), 2 * alpha * w)
    assert L1(alpha).distance(w, -alpha * np.sign(w)).tolist() == [0.0, 0.0]
    assert np.all(L1(alpha).distance(w, alpha * np.sign(w)) == 2 * alpha)


@pytest.mark.parametrize(
    ("penalty", "prior"),
    [(L2(4.0), stats.norm(scale=0.5)), (L1(4.0), stats.laplace(scale=0.25))],
    ids=steady,
)
def test_penalties_are_minus_log_priors(penalty, prior):
    """The columns of the table that pairs priors with penalties; E-068: the Laplace prior is in |w|."""
    w = matrix(11)
    assert penalty.value(w) == pytest.approx((prior.logpdf(0.0) - prior.logpdf(w)).sum(), rel=1e-12)
