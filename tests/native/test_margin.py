"""The compiled passes of linear support vector machines against naive loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import learnable
from learnable.core.native import kernels

DESIGNS = {
    "rows": np.ascontiguousarray,
    "float32": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
    "sparse float32": lambda X: sparse.csr_array(X.astype(np.float32)),
}


def data(seed=0, n=300, p=7):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < 0.6, rng.normal(size=(n, p)), 0.0).astype(np.float32).astype(np.float64)
    return X, rng


def rows_of(rng, n, bent):
    sign = rng.choice([-1.0, 1.0], n)
    limit = rng.uniform(0.5, 2.0, n)
    far = np.full(n, np.inf) if bent else limit
    low, high = np.where(sign > 0, 0.0, -far), np.where(sign > 0, far, 0.0)
    bend = 0.5 / limit if bent else np.zeros(n)
    stiff = bend if bent else rng.uniform(0.1, 1.0, n)
    shift = np.zeros(n) if bent else stiff * np.clip(rng.normal(size=n), low, high)
    return low, high, bend, stiff, shift


def naive_dual(r, low, high, stiff, shift, epsilon):
    moved = r + shift
    return np.clip(np.sign(moved) * np.maximum(np.abs(moved) - epsilon, 0) / stiff, low, high)


@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_dual_variables_maximise_what_they_earn(bent, epsilon):
    _, rng = data()
    n = 10_000
    low, high, bend, stiff, shift = rows_of(rng, n, bent)
    r = rng.normal(size=n)
    dual, place = np.empty(n), np.empty(n, dtype=np.uint8)
    cost, short = kernels.bounded_look(r, low, high, bend, stiff, shift, epsilon, dual, place)
    expected = naive_dual(r, low, high, stiff, shift, epsilon)
    assert_allclose(dual, expected, rtol=1e-14)
    inside = (expected > low) & (expected < high) & ((expected != 0) | (epsilon == 0))
    assert_array_equal(place, inside.astype(np.uint8))
    grid = np.linspace(-20, 20, 40_001)[:, None] if bent else np.linspace(-2, 2, 4001)[:, None]
    allowed = np.clip(grid, low[:50], high[:50])
    best = (allowed * r[:50] - epsilon * np.abs(allowed) - bend[:50] * allowed**2 / 2).max(axis=0)
    one = [
        kernels.bounded_look(
            r[[i]], low[[i]], high[[i]], bend[[i]], stiff[[i]], shift[[i]], epsilon, np.empty(1), np.empty(1, np.uint8)
        )[0]
        for i in range(50)
    ]
    assert_allclose(one, best, atol=2e-3)
    assert cost >= 0 and short >= 0
    if bent:
        assert short <= 1e-12 * cost


def test_the_line_search_finds_where_the_slope_is_zero():
    _, rng = data(1)
    n = 9000
    low, high, bend, stiff, shift = rows_of(rng, n, bent=False)
    r, q = rng.normal(size=n), rng.normal(size=n) + 0.2
    dual = naive_dual(r, low, high, stiff, shift, 0.0)
    slope, curvature = float(dual @ q) - 50.0, 3.0
    step = kernels.bounded_line(r, q, low, high, bend, stiff, shift, 0.0, slope, curvature)

    def derivative(s):
        return slope + curvature * s - naive_dual(r - s * q, low, high, stiff, shift, 0.0) @ q

    assert derivative(0.0) < 0 < step
    assert abs(derivative(step)) <= 1.1e-3 * abs(derivative(0.0))


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_sums_over_chosen_rows(kind, constant):
    X, rng = data(2, n=700)
    chosen = rng.permutation(700)[:450]
    factor = rng.normal(size=450)
    wide = np.column_stack([X, np.full(700, constant)]) if constant else X
    out = np.zeros((wide.shape[1], wide.shape[1]))
    kernels.chosen_products(DESIGNS[kind](X), chosen, factor, constant, out)
    assert_allclose(np.triu(out), np.triu((wide[chosen].T * factor) @ wide[chosen]), atol=1e-10)
    total = np.zeros(7)
    kernels.chosen_rows(DESIGNS[kind](X), chosen, factor, total)
    assert_allclose(total, factor @ X[chosen], atol=1e-11)


def test_sums_over_chosen_rows_have_the_same_bits_on_any_number_of_threads():
    X, rng = data(3, n=20_000, p=110)
    chosen, factor = np.flatnonzero(rng.random(20_000) < 0.7), rng.normal(size=20_000)
    seen = set()
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            out, total = np.zeros((111, 111)), np.zeros(110)
            kernels.chosen_products(X, chosen, factor[chosen], 1.0, out)
            kernels.chosen_rows(X, chosen, factor[chosen], total)
            seen.add((out.tobytes(), total.tobytes()))
    assert len(seen) == 1


def naive_pass(X, t, low, high, bend, epsilon, constant, order, dual, w):
    largest = 0.0
    for i in order:
        x = np.append(X[i], constant) if constant else X[i]
        a, slope, stiff = dual[i], x @ w - t[i] + bend[i] * dual[i], x @ x + bend[i]
        aim = a - slope / stiff
        moved = np.clip(np.sign(aim) * max(abs(aim) - epsilon / stiff, 0.0), low[i], high[i])
        sides = [slope + epsilon * s for s in ((1, -1) if a == 0 else (np.sign(a),))]
        if moved != a:
            largest = max(largest, min(abs(side) for side in sides))
        dual[i], w = moved, w + (moved - a) * x
    return largest, dual, w


@pytest.mark.parametrize("kind", ["rows", "sparse"])
@pytest.mark.parametrize("constant", [0.0, 1.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("bent", [False, True])
def test_a_pass_is_the_textbook_loop(kind, constant, epsilon, bent):
    X, rng = data(4, n=120)
    X[5] = 1.0
    low, high, bend, _, _ = rows_of(rng, 120, bent)
    t, order = rng.normal(size=120), rng.permutation(120)
    matrix = DESIGNS[kind](X)
    norms = (X**2).sum(axis=1) + constant**2
    keep = norms + bend > 0
    order = order[keep[order]]
    size = 7 + (constant != 0)
    dual, w = np.zeros(120), np.zeros(size)
    theirs = np.zeros(120), np.zeros(size)
    for _ in range(3):
        violation, count = kernels.dual_pass(
            matrix, t, low, high, bend, norms, epsilon, constant, np.inf, len(order), order.copy(), dual, w
        )
        largest, *theirs = naive_pass(X, t, low, high, bend, epsilon, constant, order, *theirs)
        assert count == len(order)
        assert_allclose(violation, largest, rtol=1e-9)
        assert_allclose(dual, theirs[0], atol=1e-11)
        assert_allclose(w, theirs[1], atol=1e-10)


def test_rows_that_push_against_their_bound_are_left_out():
    X, t = np.array([[1.0], [1.0]]), np.array([1.0, -5.0])
    active, dual, w = np.array([0, 1]), np.zeros(2), np.zeros(1)
    zero, one = np.zeros(2), np.ones(2)
    violation, count = kernels.dual_pass(X, t, zero, one, zero, one, 0.0, 0.0, 0.5, 2, active, dual, w)
    assert (violation, count) == (1.0, 1) and active[0] == 0 and dual.tolist() == [1.0, 0.0]


def test_a_pass_over_several_classes_lowers_the_dual_and_keeps_its_rules():
    X, rng = data(5, n=90)
    label, limit = rng.integers(0, 4, 90), rng.uniform(0.5, 2.0, 90)
    norms = (X**2).sum(axis=1) + 1
    dual, w = np.zeros((90, 4)), np.zeros((8, 4))
    rows = np.column_stack([X, np.ones(90)])
    other = np.ones((90, 4))
    other[np.arange(90), label] = 0
    values = []
    for matrix in (X, sparse.csr_array(X), X.astype(np.float32)):
        kernels.crammer_singer_pass(matrix, label, limit, norms, 1.0, np.arange(90), dual, w)
        assert_allclose(w, rows.T @ dual, atol=1e-10)
        assert_allclose(dual.sum(axis=1), 0, atol=1e-12)
        assert (dual <= limit[:, None] * (1 - other) + 1e-15).all()
        values.append((w**2).sum() / 2 + (other * dual).sum())
    assert values[0] < 0 and values[1] < values[0] and values[2] < values[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda X, v: kernels.chosen_rows(X, np.array([9]), np.ones(1), np.zeros(2)),
        lambda X, v: kernels.chosen_products(X, np.array([0]), np.ones(1), 1.0, np.zeros((2, 2))),
        lambda X, v: kernels.dual_pass(X, v, v, v, v, v, 0.0, 0.0, 1.0, 9, np.array([0]), np.zeros(3), np.zeros(2)),
        lambda X, v: kernels.bounded_look(v, v[:1], v, v, v, v, 0.0, np.zeros(3), np.zeros(3, np.uint8)),
        lambda X, v: kernels.crammer_singer_pass(
            X, np.array([0, 1, 7]), v, v, 0.0, np.array([0]), np.zeros((3, 2)), np.zeros((2, 2))
        ),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError):
        call(np.zeros((3, 2)), np.zeros(3))
