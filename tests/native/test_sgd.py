"""The compiled epoch of stochastic gradient descent against the textbook loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import lambertw

from learnable.core.runtime.native import kernels

LOSSES = ["squared", "huber", "epsilon", "squared epsilon"]
MARGINS = ["hinge", "squared hinge", "modified huber", "logistic", "exponential"]
RATES = ["constant", "optimal", "inverse scaling", "passive one", "passive two"]
SETTINGS = {
    "loss": 0, "epsilon": 0.3, "rate": 0, "eta": 0.05, "power": 0.25, "strength": 5.0, "l1": 0.0, "l2": 0.0,
    "intercept_step": 1.0, "intercept_cost": 0.0, "average_from": 0,
}  # fmt: skip


def of_margin(kind, epsilon, m):
    """Loss of a margin, and its derivative."""
    return {
        "hinge": (max(0.0, epsilon - m), -1.0 if m <= epsilon else 0.0),
        "squared hinge": (max(0.0, 1 - m) ** 2, -2 * max(0.0, 1 - m)),
        "modified huber": (max(0.0, 1 - m) ** 2, -2 * max(0.0, 1 - m)) if m >= -1 else (-4 * m, -4.0),
        "logistic": (np.log1p(np.exp(-m)), -1 / (1 + np.exp(m))),
        "exponential": (np.exp(-m), -np.exp(-m)),
    }[kind]


def loss(kind, epsilon, y, z):
    if kind in MARGINS:
        return of_margin(kind, epsilon, y * z)[0]
    size = abs(y - z)
    return {
        "squared": size**2 / 2,
        "huber": size**2 / 2 if size <= epsilon else epsilon * (size - epsilon / 2),
        "epsilon": max(0.0, size - epsilon),
        "squared epsilon": max(0.0, size - epsilon) ** 2,
    }[kind]


def gradient_of(kind, epsilon, y, z):
    if kind in MARGINS:
        return y * of_margin(kind, epsilon, y * z)[1]
    excess = z - y
    outside = np.sign(excess) * max(0.0, abs(excess) - epsilon)
    return {
        "squared": excess,
        "huber": excess - outside,
        "epsilon": np.sign(outside),
        "squared epsilon": 2 * outside,
    }[kind]


def rate(s, t):
    if RATES[s["rate"]] == "optimal":
        return 1 / (s["strength"] * (s["strength"] ** -0.75 + t - 1))
    return s["eta"] / t ** s["power"] if RATES[s["rate"]] == "inverse scaling" else s["eta"]


def naive_epoch(X, y, weight, order, s, w, b, lazy=False):
    """w, b, their averages and the sum of objectives after one step per row.

    `lazy`: the absolute penalty waits until a column is seen in a row that has it, as for sparse data.
    """
    kind, epsilon = [*LOSSES, *MARGINS][s["loss"]], s["epsilon"]
    history, pulled, pull, total, t = [], np.zeros_like(w), 0.0, 0.0, 1
    for i in order:
        x, norm = X[i], X[i] @ X[i]
        passive = RATES[s["rate"]].startswith("passive")
        if RATES[s["rate"]] == "passive one" and norm == 0:
            continue
        z, eta = x @ w + b, rate(s, t)
        cost = loss(kind, epsilon, y[i], z)
        total += cost + (0 if passive else s["l2"] / 2 * w @ w + s["l1"] * np.abs(w).sum() + s["intercept_cost"] * b)
        step = -eta * gradient_of(kind, epsilon, y[i], z)
        if passive:
            step = min(s["eta"], cost / norm) if RATES[s["rate"]] == "passive one" else cost / (norm + 0.5 / s["eta"])
            step *= 1 if y[i] >= z else -1
        step *= weight[i]
        if kind == "exponential":  # the gradient at the end of the step
            reach = norm + s["intercept_step"]
            step = y[i] * lambertw(eta * weight[i] * reach * np.exp(-y[i] * z)).real / reach
        w = max(0.0, 1 - eta * s["l2"]) * w + step * x
        b += (step - eta * s["intercept_cost"]) * s["intercept_step"]
        if s["l1"] > 0:
            pull += eta * s["l1"]
            for j in np.flatnonzero(x) if lazy else range(len(w)):
                before = w[j]
                if before > 0:
                    w[j] = max(0.0, before - (pull + pulled[j]))
                elif before < 0:
                    w[j] = min(0.0, before + (pull - pulled[j]))
                pulled[j] += w[j] - before
        if s["average_from"] and t >= s["average_from"]:
            history.append(np.append(w, b))
        t += 1
    average = np.mean(history, axis=0) if history else np.zeros(len(w) + 1)
    return w, b, average[:-1], average[-1], total


def epoch(X, y, weight, order, s, w, b):
    norms = np.empty(X.shape[0])
    kernels.squared_row_norms(X, norms)
    coef, numbers = w.copy(), np.array([b, 0.0, 1.0, 0.0, 0.0])
    average = np.zeros(len(w) if s["average_from"] else 0)
    total = kernels.sgd_epoch(
        X, y, weight, np.asarray(order), norms, s, coef, average, np.zeros(len(w) if s["l1"] > 0 else 0), numbers
    )
    return coef, numbers[0], average if len(average) else np.zeros(len(w)), numbers[1], total


def data(seed=0, n=60, p=9):
    rng = np.random.default_rng(seed)
    X = 0.3 * rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)
    X[3] = 0
    y = X @ rng.normal(size=p) + 0.5 + rng.normal(size=n)
    return X, y, rng.uniform(0, 2, n), rng.permutation(n)[: n - 5], rng.normal(size=p)


def same(ours, naive, tolerance=1e-11):
    for a, b in zip(ours, naive, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", range(4), ids=LOSSES)
@pytest.mark.parametrize("schedule", range(5), ids=RATES)
@pytest.mark.parametrize("l1, l2", [(0, 0), (0, 0.1), (0.05, 0), (0.05, 0.1)])
def test_an_epoch_is_the_textbook_loop(kind, schedule, l1, l2):
    X, y, weight, order, w = data()
    s = SETTINGS | {"loss": kind, "rate": schedule, "l1": l1, "l2": l2}
    same(epoch(X, y, weight, order, s, w, 0.3), naive_epoch(X, y, weight, order, s, w, 0.3))


@pytest.mark.parametrize("kind", range(4, 9), ids=MARGINS)
@pytest.mark.parametrize("l1, l2", [(0, 0), (0.05, 0.1)])
def test_an_epoch_on_margins_is_the_textbook_loop(kind, l1, l2):
    X, y, weight, order, w = data()
    s = SETTINGS | {"loss": kind, "epsilon": 1.0, "l1": l1, "l2": l2}
    same(epoch(X, np.sign(y), weight, order, s, w, 0.3), naive_epoch(X, np.sign(y), weight, order, s, w, 0.3))


def test_the_rule_for_zero_and_one_takes_a_score_of_zero_for_class_one():
    X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    numbers, coef, norms = np.array([0.0, 0.0, 1.0, 0.0, 0.0]), np.zeros(1), np.array([4.0, 1.0])
    s = SETTINGS | {"loss": 9, "epsilon": 0.0, "eta": 1.0}
    kernels.sgd_epoch(X, y, np.empty(0), np.arange(2), norms, s, coef, np.empty(0), np.empty(0), numbers)
    assert (coef[0], numbers[0], numbers[4]) == (1.0, -1.0, 1.0)  # the first row is right, the second is not


@pytest.mark.parametrize("schedule", [3, 4])
def test_passive_steps_on_margins_are_the_textbook_loop(schedule):
    X, y, weight, order, w = data()
    s = SETTINGS | {"loss": 4, "epsilon": 1.0, "rate": schedule}
    same(epoch(X, np.sign(y), weight, order, s, w, 0.3), naive_epoch(X, np.sign(y), weight, order, s, w, 0.3))


def test_the_mistakes_of_a_perceptron_are_counted():
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1.0, -1.0, -1.0])
    numbers, coef, norms = np.array([0.0, 0.0, 1.0, 0.0, 7.0]), np.zeros(1), np.array([1.0, 1.0, 4.0])
    s = SETTINGS | {"loss": 4, "epsilon": 0.0, "eta": 1.0}
    kernels.sgd_epoch(X, y, np.empty(0), np.arange(3), norms, s, coef, np.empty(0), np.empty(0), numbers)
    # w = b = 1 after the first row; the second has score 0, a mistake: w = 2, b = 0; the third has 4 and is wrong
    assert numbers[4] == 3 and coef[0] == 0 and numbers[0] == -1


@pytest.mark.parametrize("start", [1, 7, 1000])
@pytest.mark.parametrize("l1, l2", [(0, 0.1), (0.05, 0.1)])
def test_the_average_is_that_of_the_steps_from_the_given_one_on(start, l1, l2):
    X, y, weight, order, w = data()
    s = SETTINGS | {"l1": l1, "l2": l2, "average_from": start}
    same(epoch(X, y, weight, order, s, w, 0.3), naive_epoch(X, y, weight, order, s, w, 0.3))


def test_an_intercept_may_have_a_cost():
    X, y, weight, order, w = data()
    s = SETTINGS | {"loss": 4, "epsilon": 1.0, "l2": 0.3, "intercept_cost": 0.3, "average_from": 9}
    same(epoch(X, np.ones_like(y), weight, order, s, w, 0.2), naive_epoch(X, np.ones_like(y), weight, order, s, w, 0.2))


@pytest.mark.parametrize("power", [0.25, 0.5, 0.31, 1.0])
def test_every_power_of_the_step_number(power):
    X, y, weight, order, w = data()
    s = SETTINGS | {"rate": 2, "power": power}
    same(epoch(X, y, weight, order, s, w, 0.0), naive_epoch(X, y, weight, order, s, w, 0.0))


def stored(X):
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    return {
        "csr": sparse.csr_array(X),
        "csr matrix": sparse.csr_matrix(X),
        "long csr": long,
        "float32": X.astype(np.float32),
        "csr float32": sparse.csr_array(X.astype(np.float32)),
    }


@pytest.mark.parametrize("storage", stored(np.eye(2)))
@pytest.mark.parametrize("l1", [0, 0.05])
def test_every_storage_gives_the_textbook_loop(storage, l1):
    X, y, weight, order, w = data()
    X = X.astype(np.float32).astype(np.float64)
    s = SETTINGS | {"l1": l1, "l2": 0.1, "average_from": 4}
    naive = naive_epoch(X, y, weight, order, s, w, 0.3, lazy="csr" in storage)
    same(epoch(stored(X)[storage], y, weight, order, s, w, 0.3), naive)


def test_shrinkage_to_nothing_keeps_the_average():
    X, y, weight, order, w = data()
    s = SETTINGS | {"l2": 20.0, "eta": 0.04, "average_from": 1}
    same(epoch(X, y, weight, order, s, w, 0.3), naive_epoch(X, y, weight, order, s, w, 0.3), 1e-9)
    s = SETTINGS | {"l2": 25.0, "eta": 0.04, "average_from": 1}
    same(epoch(X, y, weight, order, s, w, 0.3), naive_epoch(X, y, weight, order, s, w, 0.3), 1e-9)


def test_two_epochs_average_as_one_long_one():
    X, y, _, _, w = data()
    s, n = SETTINGS | {"average_from": 5, "l2": 0.1}, len(y)
    norms = (X**2).sum(axis=1)
    coef, average, numbers = w.copy(), np.zeros_like(w), np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    for _ in range(2):
        kernels.sgd_epoch(X, y, np.empty(0), np.arange(n), norms, s, coef, average, np.empty(0), numbers)
    whole = naive_epoch(X, y, np.ones(n), [*range(n), *range(n)], s, w, 0.0)
    same((coef, numbers[0], average, numbers[1]), whole[:4])


def test_weights_that_overflow_are_reported():
    X, y, weight, order, w = data()
    assert np.isnan(epoch(X * 1e150, y, weight, order, SETTINGS, w, 0.0)[-1])


@given(st.integers(0, 300), st.integers(0, 2**64 - 1))
def test_a_shuffle_is_a_permutation(n, key):
    order = np.arange(n)
    kernels.shuffle(order, key)
    assert sorted(order) == list(range(n))


def test_every_order_of_three_is_as_likely():
    counts: dict[tuple, int] = {}
    for key in range(6000):
        order = np.arange(3)
        kernels.shuffle(order, key * 0xD1342543DE82EF95 % 2**64)
        counts[tuple(order)] = counts.get(tuple(order), 0) + 1
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts.values()) < 5 * np.sqrt(1000)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"order": np.array([60])}, ValueError),
        ({"order": np.array([-1])}, ValueError),
        ({"y": np.zeros(3)}, ValueError),
        ({"weight": np.ones(3)}, ValueError),
        ({"coef": np.zeros(3)}, ValueError),
        ({"numbers": np.zeros(3)}, ValueError),
        ({"l1_applied": np.zeros(9)}, ValueError),
        ({"settings": SETTINGS | {"loss": 10}}, ValueError),
        ({"settings": SETTINGS | {"rate": -1}}, ValueError),
        ({"settings": SETTINGS | {"l1": 1.0}}, ValueError),
        ({"settings": {}}, KeyError),
        ({"X": np.asfortranarray(np.zeros((60, 9)))}, TypeError),
        ({"X": sparse.csc_array(np.zeros((60, 9)))}, TypeError),
        ({"coef": np.zeros(9, dtype=np.float32)}, TypeError),
    ],
)
def test_what_does_not_fit_is_refused(wrong, error):
    X, y, weight, order, w = data()
    given = {
        "X": X, "y": y, "weight": weight, "order": order, "norms": np.ones(60), "settings": SETTINGS, "coef": w,
        "average": np.empty(0), "l1_applied": np.empty(0), "numbers": np.zeros(5),
    }  # fmt: skip
    with pytest.raises(error):
        kernels.sgd_epoch(**(given | wrong))
