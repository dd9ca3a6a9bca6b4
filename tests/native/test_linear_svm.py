"""The compiled passes of linear support vector machines against naive loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import learnable
from learnable.core.runtime.native import kernels

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


def rows_of(rng, n, squared):
    sign = rng.choice([-1.0, 1.0], n)
    limit = rng.uniform(0.5, 2.0, n)
    far = np.full(n, np.inf) if squared else limit
    low, high = np.where(sign > 0, 0.0, -far), np.where(sign > 0, far, 0.0)
    curvature = 0.5 / limit if squared else np.zeros(n)
    stiff = curvature if squared else rng.uniform(0.1, 1.0, n)
    shift = np.zeros(n) if squared else stiff * np.clip(rng.normal(size=n), low, high)
    return low, high, curvature, stiff, shift


def naive_dual(r, low, high, stiff, shift, epsilon):
    moved = r + shift
    return np.clip(np.sign(moved) * np.maximum(np.abs(moved) - epsilon, 0) / stiff, low, high)


def band_of(stiff, shift, squared):
    """Unit, centre and width of a band in which rows have this softness and shift."""
    return (1 / stiff, shift / stiff, 0.0 if squared else 1.0)


def naive_loss(r, low, high, curvature, epsilon):
    """The largest value over dual variables, from the few candidates."""
    far = np.sign(r) * np.maximum(np.abs(r) - epsilon, 0)
    best = np.divide(far, curvature, where=curvature > 0, out=np.where(far > 0, high, low))
    a = np.where(far == 0, 0.0, np.clip(best, low, high))
    return a * r - epsilon * np.abs(a) - curvature * a**2 / 2


def with_constant(X, constant):
    return np.column_stack([X, np.full(len(X), constant)]) if constant else X


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("constant", [0.0, 2.0])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_a_pass_computes_dual_variables_and_sums_over_rows(kind, constant, squared, epsilon):
    X, rng = data(n=10_000)
    low, high, curvature, stiff, shift = rows_of(rng, 10_000, squared)
    r, wide = rng.normal(size=10_000), with_constant(X, constant)
    size = wide.shape[1]
    problem = kernels.BoundedProblem(DESIGNS[kind](X), constant, rng.normal(size=10_000), low, high, curvature, epsilon)
    unit, centre, width = band_of(stiff, shift, squared)
    before, state_before = np.zeros(10_000), np.zeros(10_000, dtype=np.uint8)
    transposed, products, w = np.zeros(size), np.zeros((size, size)), rng.normal(size=size)
    for changed in (10_000, 20, 0):  # from nothing, then from few rows and from none
        r[:changed] = rng.normal(size=changed)
        dual, state = np.empty(10_000), np.empty(10_000, dtype=np.uint8)
        loss, short, distance, inside, finite = problem.evaluate(
            w, r, unit, centre, width, before, state_before, dual, state, transposed, products
        )
        expected = naive_dual(r, low, high, stiff, shift, epsilon)
        assert_allclose(dual, expected, rtol=1e-14, atol=1e-15)
        moves = (expected > low) & (expected < high) & ((expected != 0) | (epsilon == 0))
        assert_array_equal(state, moves.astype(np.uint8))
        assert inside == moves.sum() and finite
        assert_allclose(transposed, wide.T @ expected, atol=1e-9)
        assert_allclose(np.triu(products), np.triu((wide[moves].T * unit[moves]) @ wide[moves]), atol=1e-7)
        losses = naive_loss(r, low, high, curvature, epsilon)
        earned = expected * r - epsilon * np.abs(expected) - curvature * expected**2 / 2
        assert_allclose(loss, losses.sum(), rtol=1e-12)
        assert_allclose(short, np.maximum(losses - earned, 0).sum(), atol=1e-9)
        assert_allclose(distance, ((w - transposed) ** 2).sum() / 2)
        assert_allclose(problem.sum_losses(r, dual), (loss, short), atol=1e-12)
        before, state_before = dual, state
    w[0] = np.inf
    assert (
        problem.evaluate(w, r, unit, centre, width, before, state_before, dual, state, transposed, products)[4] is False
    )


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("constant", [0.0, 2.0])
@pytest.mark.parametrize("squared", [False, True])
def test_the_gap_is_the_difference_of_primal_and_dual(kind, constant, squared):
    X, rng = data(6)
    low, high, curvature, *_ = rows_of(rng, 300, squared)
    t, wide = rng.normal(size=300), with_constant(X, constant)
    w, a = rng.normal(size=wide.shape[1]), np.clip(rng.normal(size=300), low, high)
    problem = kernels.BoundedProblem(DESIGNS[kind](X), constant, t, low, high, curvature, 0.1)
    objective, gap = problem.gap(w, a)
    primal = w @ w / 2 + naive_loss(t - wide @ w, low, high, curvature, 0.1).sum()
    transposed = wide.T @ a
    dual = (a * t - 0.1 * np.abs(a) - curvature * a**2 / 2).sum() - transposed @ transposed / 2
    assert_allclose((objective, gap), (primal, primal - dual), rtol=1e-10)


@pytest.mark.parametrize("which", ["w", "dual"])
def test_nan_proves_nothing(which):
    problem = kernels.BoundedProblem(np.ones((1, 1)), 0.0, np.ones(1), np.zeros(1), np.ones(1), np.zeros(1), 0.0)
    w, dual = (np.full(1, np.nan if which == name else 0.5) for name in ("w", "dual"))
    assert np.isnan(problem.gap(w, dual)[1])


def test_a_step_ends_where_the_derivative_is_zero():
    X, rng = data(1, n=9000)
    low, high, curvature, stiff, shift = rows_of(rng, 9000, squared=False)
    r, w = rng.normal(size=9000), 0.1 * rng.normal(size=7)
    move = X.T @ naive_dual(r, low, high, stiff, shift, 0.0) - w
    along = X @ move

    def derivative(s):
        return move @ (w + s * move) - naive_dual(r - s * along, low, high, stiff, shift, 0.0) @ along

    problem = kernels.BoundedProblem(X, 0.0, np.zeros(9000), low, high, curvature, 0.0)
    new_w, new_r = w.copy(), r.copy()
    problem.advance(move, *band_of(stiff, shift, squared=False), new_w, new_r)
    step = (new_w - w) @ move / (move @ move)
    assert derivative(0.0) < 0 < step
    assert abs(derivative(step)) <= 1.1e-3 * abs(derivative(0.0))
    assert_allclose(new_w, w + step * move, atol=1e-12)
    assert_allclose(new_r, r - step * along, atol=1e-9)


def test_the_system_of_a_step_is_symmetric_and_regularised():
    products = np.triu(np.arange(9.0).reshape(3, 3))
    matrix = np.empty((3, 3))
    kernels.band_system(products, 0.5, matrix)
    extra = 1 + 4 * np.finfo(np.float64).eps * 16.0  # a little of the largest entry of the diagonal
    assert_allclose(matrix, 2 * (products + np.triu(products, 1).T) + extra * np.eye(3), rtol=1e-15)


def test_costs_and_bounds_of_classes():
    code, loss = np.array([0, 2, 1, 2]), np.array([1.0, 2.0, 0.0, 4.0])
    sign, limit = kernels.class_costs(code, 2, loss, 0.5, 3.0)
    assert sign.tolist() == [-1, 1, -1, 1] and limit.tolist() == [3.0, 1.0, 0.0, 2.0]
    low, high, curvature, hard = kernels.hinge_bounds(sign, limit, False)
    assert low.tolist() == [-3, 0, 0, 0] and high.tolist() == [0, 1, 0, 2] and not curvature.any() and not hard
    low, high, curvature, hard = kernels.hinge_bounds(sign, limit, True)
    assert low.tolist() == [-np.inf, 0, 0, 0] and high.tolist() == [0, np.inf, 0, np.inf]
    assert curvature.tolist() == [0.5 / 3, 0.5, 0.5, 0.25] and not hard
    low, high, curvature, hard = kernels.hinge_bounds(sign, np.array([np.inf, 1.0, 0.0, 2.0]), True)
    assert low.tolist() == [-np.inf, 0, 0, 0] and high.tolist() == [0, np.inf, 0, np.inf]
    assert not curvature.any() and hard


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_sums_over_selected_rows(kind, constant):
    X, rng = data(2, n=700)
    chosen = rng.permutation(700)[:450]
    factor = rng.normal(size=450)
    wide = np.column_stack([X, np.full(700, constant)]) if constant else X
    out = np.zeros((wide.shape[1], wide.shape[1]))
    kernels.selected_gram(DESIGNS[kind](X), chosen, factor, constant, out)
    assert_allclose(np.triu(out), np.triu((wide[chosen].T * factor) @ wide[chosen]), atol=1e-10)


def test_sums_over_rows_have_the_same_bits_on_any_number_of_threads():
    X, rng = data(3, n=20_000, p=110)
    low, high, curvature, stiff, shift = rows_of(rng, 20_000, squared=False)
    r, t, move = rng.normal(size=20_000), rng.normal(size=20_000), rng.normal(size=111)
    old, old_state = naive_dual(r, low, high, stiff, shift, 0.0), np.zeros(20_000, dtype=np.uint8)
    r[:2000] = rng.normal(size=2000)
    band, seen = band_of(stiff, shift, squared=False), set()
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            problem = kernels.BoundedProblem(X, 1.0, t, low, high, curvature, 0.0)
            dual, state, w, moved = np.empty(20_000), np.empty(20_000, dtype=np.uint8), np.zeros(111), r.copy()
            transposed, products = np.zeros(111), np.zeros((111, 111))
            sums = problem.evaluate(w, r, *band, old, old_state, dual, state, transposed, products)
            problem.advance(move, *band, w, moved)
            arrays = (dual, state, transposed, products, w, moved)
            seen.add((sums, problem.gap(w, dual), *(array.tobytes() for array in arrays)))
    assert len(seen) == 1


def naive_pass(X, t, low, high, curvature, epsilon, constant, order, dual, w):
    largest = 0.0
    for i in order:
        x = np.append(X[i], constant) if constant else X[i]
        a, gradient, stiff = dual[i], x @ w - t[i] + curvature[i] * dual[i], x @ x + curvature[i]
        aim = a - gradient / stiff
        moved = np.clip(np.sign(aim) * max(abs(aim) - epsilon / stiff, 0.0), low[i], high[i])
        sides = [gradient + epsilon * s for s in ((1, -1) if a == 0 else (np.sign(a),))]
        if moved != a:
            largest = max(largest, min(abs(side) for side in sides))
        dual[i], w = moved, w + (moved - a) * x
    return largest, dual, w


@pytest.mark.parametrize("kind", ["rows", "sparse"])
@pytest.mark.parametrize("constant", [0.0, 1.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("squared", [False, True])
def test_a_pass_is_the_textbook_loop(kind, constant, epsilon, squared):
    X, rng = data(4, n=120)
    X[5] = 1.0
    low, high, curvature, _, _ = rows_of(rng, 120, squared)
    t, order = rng.normal(size=120), rng.permutation(120)
    matrix = DESIGNS[kind](X)
    norms = (X**2).sum(axis=1) + constant**2
    keep = norms + curvature > 0
    order = order[keep[order]]
    size = 7 + (constant != 0)
    dual, w = np.zeros(120), np.zeros(size)
    theirs = np.zeros(120), np.zeros(size)
    for _ in range(3):
        violation, count = kernels.dual_pass(
            matrix, t, low, high, curvature, norms, epsilon, constant, np.inf, len(order), order.copy(), dual, w
        )
        largest, *theirs = naive_pass(X, t, low, high, curvature, epsilon, constant, order, *theirs)
        assert count == len(order)
        assert_allclose(violation, largest, rtol=1e-9)
        assert_allclose(dual, theirs[0], atol=1e-11)
        assert_allclose(w, theirs[1], atol=1e-10)


def test_rows_pushed_against_their_bound_are_left_out():
    X, t = np.array([[1.0], [1.0]]), np.array([1.0, -5.0])
    active, dual, w = np.array([0, 1]), np.zeros(2), np.zeros(1)
    zero, one = np.zeros(2), np.ones(2)
    violation, count = kernels.dual_pass(X, t, zero, one, zero, one, 0.0, 0.0, 0.5, 2, active, dual, w)
    assert (violation, count) == (1.0, 1) and active[0] == 0 and dual.tolist() == [1.0, 0.0]


def test_a_pass_over_several_classes_lowers_the_dual_and_keeps_its_constraints():
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
        lambda X, v: kernels.selected_gram(X, np.array([9]), np.ones(1), 0.0, np.zeros((2, 2))),
        lambda X, v: kernels.selected_gram(X, np.array([0]), np.ones(1), 1.0, np.zeros((2, 2))),
        lambda X, v: kernels.dual_pass(X, v, v, v, v, v, 0.0, 0.0, 1.0, 9, np.array([0]), np.zeros(3), np.zeros(2)),
        lambda X, v: kernels.BoundedProblem(X, 0.0, v, v[:1], v, v, 0.0),
        lambda X, v: kernels.BoundedProblem(X, 0.0, v, v, v, v, 0.0).sum_losses(v, v[:1]),
        lambda X, v: kernels.BoundedProblem(X, 1.0, v, v, v, v, 0.0).gap(np.zeros(2), v),
        lambda X, v: kernels.BoundedProblem(X, 1.0, v, v, v, v, 0.0).advance(v, v, v, 1.0, np.zeros(2), np.zeros(3)),
        lambda X, v: kernels.BoundedProblem(X, 0.0, v, v, v, v, 0.0).evaluate(
            np.zeros(2),
            v,
            v,
            v,
            1.0,
            v,
            np.zeros(3, np.uint8),
            np.zeros(3),
            np.zeros(2, np.uint8),
            np.zeros(2),
            np.zeros((2, 2)),
        ),
        lambda X, v: kernels.band_system(np.zeros((2, 2)), 1.0, np.zeros((3, 3))),
        lambda X, v: kernels.class_costs(np.array([0]), 0, v, 1.0, 1.0),
        lambda X, v: kernels.hinge_bounds(v, v[:1], True),
        lambda X, v: kernels.crammer_singer_pass(
            X, np.array([0, 1, 7]), v, v, 0.0, np.array([0]), np.zeros((3, 2)), np.zeros((2, 2))
        ),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError):
        call(np.zeros((3, 2)), np.zeros(3))
