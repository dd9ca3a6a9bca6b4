"""Schedules against their formulas and against the steps scikit-learn takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import SGDRegressor

from learnable.parts.schedules import Adaptive, Constant, InverseScaling, Optimal, StepDecay
from tests.names import steady

SCHEDULES = [Constant(0.02), InverseScaling(0.02, 0.4), Optimal(0.3), Adaptive(0.02), StepDecay(0.02, 0.5, 7)]


def rates_of_peer(schedule, count):
    """One row of x = 1, y = 1: each update moves w by rate * (1 - w)."""
    peer, weights = SGDRegressor(penalty=None, fit_intercept=False, **schedule), [0.0]
    for _ in range(count):
        peer.partial_fit([[1.0]], [1.0])
        weights.append(float(peer.coef_[0]))
    before = np.array(weights[:-1])
    return np.diff(weights) / (1 - before)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Constant(0.02), {"learning_rate": "constant", "eta0": 0.02}),
        (InverseScaling(0.02, 0.4), {"learning_rate": "invscaling", "eta0": 0.02, "power_t": 0.4}),
        (Optimal(0.3), {"learning_rate": "optimal", "alpha": 0.3}),
        (Optimal(5.0), {"learning_rate": "optimal", "alpha": 5.0}),
    ],
    ids=steady,
)
def test_rates_are_those_of_the_peer(ours, theirs):
    expected = [ours.rate(step) for step in range(1, 6)]
    np.testing.assert_allclose(rates_of_peer(theirs, 5), expected, rtol=1e-9)


def test_adaptive_cuts_where_the_peer_does():
    """With an unreachable tolerance every epoch after the first is a stall."""
    settings = {"learning_rate": "adaptive", "eta0": 0.1, "tol": 1e9, "n_iter_no_change": 1}
    peer = SGDRegressor(penalty=None, fit_intercept=False, max_iter=20, **settings).fit([[1.0]], [1.0])
    ours, weight, epochs, stalls = Adaptive(0.1), 0.0, 0, 0
    while epochs < 20:
        weight += ours.rate(epochs + 1, stalls) * (1 - weight)
        epochs += 1
        if epochs > 1 and ours.finished(stalls):
            break
        stalls += epochs > 1
    assert peer.n_iter_ == epochs
    assert peer.coef_[0] == pytest.approx(weight, rel=1e-12)


def test_rates_by_hand():
    assert InverseScaling(1.0, 0.5).rate(16) == 0.25
    assert Optimal(1e-4).rate(1) == pytest.approx(10.0)
    assert Optimal(1e-4).rate(1001) == pytest.approx(1 / (1e-4 * (1000 + 1000)))
    assert [Adaptive(0.5).rate(9, stalls) for stalls in (0, 1, 2)] == [0.5, 0.1, 0.02]
    assert [StepDecay(1.0, 0.1, 3).rate(step) for step in (1, 3, 4, 6, 7)] == pytest.approx([1, 1, 0.1, 0.1, 0.01])


@pytest.mark.parametrize("schedule", SCHEDULES, ids=steady)
@given(step=st.integers(1, 10**6), stalls=st.integers(0, 8))
def test_rates_are_positive_and_never_rise(schedule, step, stalls):
    assert schedule.rate(step + 1, stalls) <= schedule.rate(step, stalls)
    assert schedule.rate(step, stalls + 1) <= schedule.rate(step, stalls)
    assert schedule.rate(min(step, 500), stalls) > 0
