"""Laws that every loss of a margin obeys, and the numbers that pin each one down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from learnable.core import DataError
from learnable.parts.losses import (
    BinomialDeviance,
    Exponential,
    Hinge,
    ModifiedHuber,
    PerceptronLoss,
    SquaredHinge,
    ZeroOne,
)
from tests.names import steady

CONVEX = [PerceptronLoss(), Hinge(), SquaredHinge(), ModifiedHuber(), Exponential(), BinomialDeviance()]
SMOOTH = [loss for loss in CONVEX if loss.smooth]
every_loss = pytest.mark.parametrize("loss", [ZeroOne(), *CONVEX], ids=steady)
convex_loss = pytest.mark.parametrize("loss", CONVEX, ids=steady)


def draw(seed, n=300):
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], n, p=[0.3, 0.7]), rng.normal(0.0, 1.5, n), rng.uniform(0.1, 2.0, n)


# E-041 and E-043: both hinges have a plus sign, and their targets are -1 and 1
@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (ZeroOne(), [1, 1, 1, 0, 0, 0]),
        (PerceptronLoss(), [2, 1, 0, 0, 0, 0]),
        (Hinge(), [3, 2, 1, 0.5, 0, 0]),
        (SquaredHinge(), [9, 4, 1, 0.25, 0, 0]),
        (ModifiedHuber(), [8, 4, 1, 0.25, 0, 0]),
        (Exponential(), np.exp([2, 1, 0, -0.5, -1, -3])),
        (BinomialDeviance(), np.log1p(np.exp([4, 2, 0, -1, -2, -6]))),
    ],
    ids=steady,
)
def test_values_against_the_margin(loss, expected):
    margin = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
    for side in (-1.0, 1.0):
        assert_allclose(loss.value(np.full(6, side), side * margin), expected, rtol=1e-14)


@convex_loss
def test_gradient_agrees_with_differences_of_the_value(loss):
    y, z, _ = draw(0)
    h = 1e-6
    difference = (loss.value(y, z + h) - loss.value(y, z - h)) / (2 * h)
    assert_allclose(loss.gradient(y, z), difference, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", [Exponential(), BinomialDeviance()], ids=steady)
def test_curvature_agrees_with_differences_of_the_gradient(loss):
    y, z, _ = draw(1)
    h = 1e-6
    assert_allclose(loss.curvature(y, z), (loss.gradient(y, z + h) - loss.gradient(y, z - h)) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize("loss", [loss for loss in CONVEX if loss.majorises], ids=steady)
def test_parabola_lies_above_the_loss(loss):
    y, start, _ = draw(2, 5000)
    step = 3 * draw(3, 5000)[1] - start
    parabola = loss.value(y, start) + loss.gradient(y, start) * step + loss.curvature(y, start) * step * step / 2
    assert np.all(loss.value(y, start + step) <= parabola * (1 + 1e-12) + 1e-12)


@convex_loss
def test_convex_and_bounded_curvature(loss):
    y, a, _ = draw(4, 4000)
    b = draw(5, 4000)[1]
    assert np.all(loss.value(y, (a + b) / 2) <= (loss.value(y, a) + loss.value(y, b)) / 2 * (1 + 1e-12) + 1e-12)
    if loss.curvature_bound is not None:
        assert loss.curvature(y, a).max() <= loss.curvature_bound
        assert loss.curvature(y, np.zeros_like(a)).max() == loss.curvature_bound


@every_loss
def test_best_constant_and_best_leaf_beat_a_grid(loss):
    y, z, weight = draw(6, 61)
    grid = np.linspace(-6, 6, 2401)
    at_constants = weight @ loss.value(y[:, None], np.broadcast_to(grid, (61, 2401)))
    best = loss.best_constant(y, weight)
    assert weight @ loss.value(y, np.full(61, best)) <= at_constants.min() + 1e-12
    on_top = weight @ loss.value(y[:, None], z[:, None] + grid)
    leaf = loss.best_leaf(y, z, weight)
    assert weight @ loss.value(y, z + leaf) <= on_top.min() + 1e-12


@every_loss
@given(seed=st.integers(0, 10**6))
def test_weights_count_copies(loss, seed):
    y, z, _ = draw(seed, 12)
    count = np.random.default_rng(seed).integers(0, 4, 12)
    count[0] = 1
    assert_allclose(
        loss.best_leaf(y, z, count.astype(float)),
        loss.best_leaf(np.repeat(y, count), np.repeat(z, count)),
        rtol=1e-9,
        atol=1e-9,
    )


@every_loss
def test_one_class_alone_has_a_finite_best_score_on_its_side(loss):
    for side in (-1.0, 1.0):
        y = np.full(5, side)
        assert np.isfinite(loss.best_constant(y)) and side * loss.best_constant(y) >= 0
        assert np.isfinite(loss.best_leaf(y, np.linspace(-1, 1, 5)))


@every_loss
def test_other_targets_than_signs_are_refused(loss):
    loss.check(np.array([-1.0, 1.0]))
    with pytest.raises(DataError, match=r"needs targets of -1 and 1, but y\[1\] is 0"):
        loss.check(np.array([1.0, 0.0]))


def test_probabilities_are_those_that_the_best_constant_stands_for():
    y = np.repeat([1.0, -1.0], [3, 1])
    for loss in (ModifiedHuber(), Exponential(), BinomialDeviance()):
        assert_allclose(loss.predict(np.array([loss.best_constant(y)])), [0.75], rtol=1e-12)


def test_hinge_lies_above_the_zero_one_loss_and_touches_it():
    y, z, _ = draw(7)
    assert np.all(Hinge().value(y, z) >= ZeroOne().value(y, z))
    assert np.all(Exponential().value(y, z) >= ZeroOne().value(y, z))


def test_huge_margins_stay_numbers():
    y, z = np.array([1.0, 1.0]), np.array([-1e6, 1e6])
    for loss in CONVEX:
        assert not np.isnan(loss.value(y, z)).any() and np.isfinite(loss.curvature(y, z)[1])
    assert_allclose(BinomialDeviance().value(y, z), [2e6, 0.0])
