"""Principal curves: what they minimise, that they do, and what they are for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import learnable
from learnable import PCA, PrincipalCurve
from learnable.decomposition import principal_curve

STOPPED_BEFORE_ITS_END = pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")


def arc(n: int = 200, noise: float = 0.1, turn: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows about an arc of the given number of half turns, and points of the arc itself."""
    rng = np.random.default_rng(seed)
    angle, all_angles = np.pi * turn * rng.random(n), np.pi * turn * np.linspace(0, 1, 2000)
    points, line = (np.column_stack([np.cos(a), np.sin(a), 0 * a]) for a in (angle, all_angles))
    return points + noise * rng.standard_normal(points.shape), line


def s_shape(n: int = 300, noise: float = 0.05, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows about the letter S, and points of the letter itself."""
    rng = np.random.default_rng(seed)
    at, everywhere = 3 * np.pi * (rng.random(n) - 0.5), 3 * np.pi * np.linspace(-0.5, 0.5, 2000)
    points, line = (np.column_stack([np.sin(t), np.sign(t) * (np.cos(t) - 1)]) for t in (at, everywhere))
    return points + noise * rng.standard_normal(points.shape), line


def nearest(points: np.ndarray, to: np.ndarray) -> np.ndarray:
    """The squared distance of each row to the nearest of some points."""
    return ((points[:, None] - to) ** 2).sum(axis=2).min(axis=1)


def finely(knots: np.ndarray, pieces: int = 400) -> np.ndarray:
    """Very many points of a polygon."""
    share = np.linspace(0, 1, pieces)[:, None]
    return np.concatenate([(1 - share) * a + share * b for a, b in pairwise(knots)])


def projections(X: np.ndarray, knots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row by row and segment by segment: squared distance to the polygon, and shares of the knots in the near point."""
    squares, shares = np.empty(len(X)), np.zeros((len(X), len(knots)))
    for i, x in enumerate(X):
        found = []
        for k in range(len(knots) - 1):
            step = knots[k + 1] - knots[k]
            u = min(max((x - knots[k]) @ step / (step @ step), 0.0), 1.0)
            found.append((((x - knots[k] - u * step) ** 2).sum(), k, u))
        squares[i], k, u = min(found)
        shares[i, k], shares[i, k + 1] = 1 - u, u
    return squares, shares


def objective(X: np.ndarray, knots: np.ndarray, smoothness: float, weight: np.ndarray) -> float:
    """The formula of the docstring."""
    share = weight / weight.sum()
    second_differences = knots[:-2] - 2 * knots[1:-1] + knots[2:]
    variance = share @ ((X - share @ X) ** 2).sum(axis=1)
    penalty = smoothness * (len(knots) - 1) ** 3
    return float((share @ projections(X, knots)[0] + penalty * (second_differences**2).sum()) / variance)


@pytest.mark.parametrize("smoothness", [1e-6, 1e-4, 1.0])
def test_the_objective_is_that_of_the_docstring_and_never_rises(smoothness):
    X, _ = arc(60)
    weight = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    model = PrincipalCurve(n_knots=12, smoothness=smoothness).fit(X, sample_weight=weight)
    course = model.trace_["objective"]
    assert course[-1] == pytest.approx(objective(X, model.knots_, smoothness, weight), rel=1e-9)
    assert (np.diff(course) <= 1e-12).all() and course[0] <= 1
    assert model.trace_.stopped == "converged" and model.certificate_.holds
    assert model.n_iter_ == len(course) and model.trace_["smoothness"][-1] == smoothness


def test_the_explained_variance_ratio_is_that_of_the_nearest_points():
    X, _ = s_shape(80)
    model = PrincipalCurve(n_knots=20).fit(X)
    left = ((X - model.inverse_transform(model.transform(X))) ** 2).sum()
    assert model.explained_variance_ratio_[0] == pytest.approx(1 - left / ((X - X.mean(0)) ** 2).sum())
    np.testing.assert_allclose(model.mean_, X.mean(axis=0))


@pytest.mark.parametrize("smoothness", [1.0, 1e9])
def test_a_large_smoothness_gives_the_line_of_the_first_component(smoothness):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 4)) @ np.diag([5.0, 1.0, 0.5, 0.1]) @ rng.standard_normal((4, 4)) + 7
    line, curve = PCA(1).fit(X), PrincipalCurve(smoothness=smoothness, tol=1e-13).fit(X)
    near = 1e-2 if smoothness == 1 else 1e-7  # no penalty makes it quite straight
    np.testing.assert_allclose(curve.transform(X), line.transform(X), atol=near * np.abs(line.transform(X)).max())
    np.testing.assert_allclose(curve.explained_variance_ratio_, line.explained_variance_ratio_, atol=near)
    ends = line.inverse_transform(np.array([[line.transform(X).min()], [line.transform(X).max()]]))
    np.testing.assert_allclose(curve.knots_[[0, -1]], ends, atol=near * np.abs(X).max())


@pytest.mark.parametrize(
    "made", [arc(), arc(turn=1.5), s_shape(), s_shape(seed=3)], ids=["arc", "wide", "S", "other S"]
)
def test_noisy_curves_are_recovered(made):
    X, true = made
    curve, line = PrincipalCurve(smoothness=2e-6).fit(X), PCA(1).fit(X)
    off = nearest(finely(curve.knots_, 10), true).mean() ** 0.5
    off_line = nearest(line.inverse_transform(line.transform(X)), true).mean() ** 0.5
    assert off < 0.06 and off < 0.2 * off_line
    ends = nearest(true[[0, -1]], curve.knots_[[0, -1]]) ** 0.5
    assert (ends < 0.35).all(), "the curve runs from one end to the other"


def test_scores_keep_the_order_along_the_curve():
    X, true = s_shape(noise=0.02)
    curve = PrincipalCurve(smoothness=1e-6).fit(X)
    scores = curve.transform(true)[:, 0]
    assert abs(np.corrcoef(scores, np.arange(len(true)))[0, 1]) > 0.99
    assert abs(np.corrcoef(PCA(1).fit(X).transform(true)[:, 0], np.arange(len(true)))[0, 1]) < 0.95
    assert abs(curve.transform(X).mean()) < 1e-9 * np.ptp(scores)
    lengths = np.linalg.norm(np.diff(curve.knots_, axis=0), axis=1)
    np.testing.assert_allclose(np.diff(curve.positions_), lengths)


def test_points_are_the_nearest_of_the_curve(monkeypatch):
    monkeypatch.setattr(principal_curve.matrix_products, "CELLS_AT_ONCE", 1000)  # several blocks
    X, _ = arc(70)
    model = PrincipalCurve(n_knots=15, smoothness=1e-6).fit(X)
    new = np.random.default_rng(5).uniform(-2, 2, (200, 3))
    scores = model.transform(new)
    points = model.inverse_transform(scores)
    squares, shares = projections(new, model.knots_)
    np.testing.assert_allclose(((new - points) ** 2).sum(axis=1), squares, rtol=1e-10)
    np.testing.assert_allclose(points, shares @ model.knots_, atol=1e-10)
    assert (squares <= nearest(new, finely(model.knots_)) + 1e-12).all()
    np.testing.assert_allclose(model.transform(points), scores, atol=1e-9)


def test_scores_beyond_the_ends_are_the_ends():
    X, _ = arc()
    model = PrincipalCurve().fit(X)
    far = model.inverse_transform([[-1e9], [1e9]])
    np.testing.assert_allclose(far, model.knots_[[0, -1]])


def test_of_several_nearest_points_the_first_counts():
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    segment, along, gap = principal_curve.Polygon(square).nearest(np.array([[1.0, 1.0], [3.0, -1.0], [2.0, 1.0]]))
    assert segment.tolist() == [0, 0, 1]
    assert along.tolist() == [0.5, 1.0, 0.5]
    assert gap.tolist() == [[0.0, 1.0], [1.0, -1.0], [0.0, 0.0]]


@STOPPED_BEFORE_ITS_END
@pytest.mark.parametrize("smoothness", [1e-2, 3.0])
def test_a_step_solves_the_normal_equations(smoothness):
    X, _ = arc(50)
    weight = np.random.default_rng(2).random(50)
    options = {"n_knots": 9, "smoothness": smoothness, "tol": 0.0}
    before = PrincipalCurve(max_iter=3, **options).fit(X, sample_weight=weight)
    after = PrincipalCurve(max_iter=4, **options).fit(X, sample_weight=weight)
    B, S = projections(X, before.knots_)[1], np.diag(weight / weight.sum())
    D = np.diff(np.eye(9), 2, axis=0)
    knots = np.linalg.solve(B.T @ S @ B + smoothness * 8**3 * D.T @ D, B.T @ S @ X)
    assert np.abs(after.knots_ - before.knots_).max() > 1e-6, "nothing moved"
    np.testing.assert_allclose(after.knots_, knots, atol=1e-8)


def test_knots_without_rows_and_extreme_penalties_have_a_solution():
    rng = np.random.default_rng(0)
    own, shared = np.array([1.0, 0.0, 0.0, 0.0, 1.0]), np.zeros(4)
    pulled = np.zeros((5, 2))
    pulled[0], pulled[4] = rng.standard_normal((2, 2))
    straight = np.linspace(pulled[0], pulled[4], 5)
    for penalty in (1e-9, 1e-3, 1.0, 1e9, 1e300):
        found, curvature = principal_curve.best_knots(own, shared, pulled, penalty, straight)
        np.testing.assert_allclose(found, straight, atol=1e-9)
        assert curvature < 1e-18


def test_weights_equal_copies():
    X, _ = s_shape(60)
    count = np.random.default_rng(3).integers(0, 4, 60)
    weighted = PrincipalCurve(n_knots=20).fit(X, sample_weight=count)
    copied = PrincipalCurve(n_knots=20).fit(np.repeat(X, count, axis=0))
    np.testing.assert_allclose(weighted.knots_, copied.knots_, atol=1e-8)
    np.testing.assert_allclose(weighted.positions_, copied.positions_, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-200, 2.0**40])
def test_results_are_independent_of_the_scale(scale):
    X, _ = arc(60)
    plain, scaled = PrincipalCurve(n_knots=20).fit(X), PrincipalCurve(n_knots=20).fit(X * scale)
    np.testing.assert_allclose(scaled.knots_ / scale, plain.knots_, atol=1e-7)
    np.testing.assert_allclose(scaled.transform(X * scale) / scale, plain.transform(X), atol=1e-7)


def test_the_number_of_knots_hardly_matters():
    X, _ = s_shape()
    few, many = (PrincipalCurve(n_knots=count, smoothness=3e-6, tol=1e-9).fit(X) for count in (40, 120))
    assert nearest(finely(few.knots_, 20), finely(many.knots_, 7)).max() ** 0.5 < 0.05
    assert few.trace_["objective"][-1] == pytest.approx(many.trace_["objective"][-1], rel=0.05)


def test_the_curve_runs_as_the_first_component_does():
    X, _ = arc(turn=0.7)
    model = PrincipalCurve().fit(X)
    assert (model.knots_[-1] - model.knots_[0]) @ PCA(1).fit(X).components_[0] > 0


def test_equal_rows_have_nothing_to_explain():
    model = PrincipalCurve(n_knots=5).fit(np.full((4, 3), 0.1))
    assert model.explained_variance_ratio_.tolist() == [0.0]
    np.testing.assert_allclose(model.knots_, 0.1)
    assert model.transform([[0.1, 0.1, 0.1], [5.0, 0.0, 0.0]]).tolist() == [[0.0], [0.0]]


def test_a_budget_is_checked_between_blocks_of_rows(monkeypatch):
    X, _ = arc(400)
    monkeypatch.setattr(principal_curve.matrix_products, "CELLS_AT_ONCE", 500)
    looks = []

    def a_hundred_looks() -> None:
        looks.append(1)
        if len(looks) > 100:
            raise learnable.BudgetError("the budget ended")

    monkeypatch.setattr(principal_curve, "give_way", a_hundred_looks)
    with pytest.warns(learnable.ConvergenceWarning):
        model = PrincipalCurve().fit(X)
    assert model.trace_.stopped == "budget" and len(looks) == 101 and 1 <= model.n_iter_ < 10
    assert not model.certificate_.holds
