"""The quality figures against optima found in other ways, and the tasks themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet, Lasso, Ridge, enet_path

from benchmarks import problems
from benchmarks.linear_quality import Ridges, elastic_gap, elastic_path_gap, mean_squared_error
from benchmarks.task import Data
from benchmarks.tasks import TASKS
from benchmarks.tasks.bayesian_and_sgd import log_evidence
from benchmarks.tasks.glm import gamma_deviance, poisson_deviance
from benchmarks.tasks.robust import huber_objective


@pytest.fixture(scope="module")
def table() -> Data:
    return {**problems.correlated(60, 30, 5), "alpha": 0.1, "l1_ratio": 0.5}


def test_gap_vanishes_at_the_optimum_only(table: Data) -> None:
    model = ElasticNet(alpha=0.1, l1_ratio=0.5, tol=1e-14, max_iter=100_000).fit(table["X"], table["y"])
    assert abs(elastic_gap(table, {"coef": model.coef_, "intercept": model.intercept_})) < 1e-12
    moved = model.coef_ + np.eye(30)[0] * 0.1
    assert elastic_gap(table, {"coef": moved, "intercept": model.intercept_}) > 1e-4
    assert elastic_gap(table, {"coef": model.coef_, "intercept": model.intercept_ + 0.1}) > 1e-4


def test_gap_bounds_the_excess_of_the_objective(table: Data) -> None:
    lasso = {**table, "l1_ratio": 1.0}
    X, y = table["X"], table["y"]

    def objective(w: np.ndarray, b: float) -> float:
        return float(((y - X @ w - b) ** 2).mean() / 2 + 0.1 * np.abs(w).sum())

    best = Lasso(alpha=0.1, tol=1e-14, max_iter=100_000).fit(X, y)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        w = best.coef_ + size * rng.standard_normal(30)
        excess = (objective(w, best.intercept_) - objective(best.coef_, best.intercept_)) / (y.var() / 2)
        assert elastic_gap(lasso, {"coef": w, "intercept": best.intercept_}) >= excess


def test_gap_of_an_elastic_net_is_near_the_excess_of_its_objective(table: Data) -> None:
    X, y = table["X"], table["y"]
    best = ElasticNet(alpha=0.1, l1_ratio=0.5, tol=1e-14, max_iter=100_000).fit(X, y)

    def excess(w: np.ndarray) -> float:
        def objective(v: np.ndarray) -> float:
            misfit = (y - y.mean()) - (X - X.mean(axis=0)) @ v
            return float((misfit**2).mean() / 2 + 0.05 * np.abs(v).sum() + 0.025 * v @ v)

        return (objective(w) - objective(best.coef_)) / (y.var() / 2)

    rng = np.random.default_rng(0)
    for size in (1e-5, 1e-4, 1e-3):
        w = best.coef_ + np.where(best.coef_ != 0, size * rng.standard_normal(30), 0)
        gap = elastic_gap(table, {"coef": w, "intercept": y.mean() - X.mean(axis=0) @ w})
        assert excess(w) <= gap <= 100 * excess(w)  # a bound that is linear in the distance would be out by 1 / size


def test_path_gap_needs_the_right_alphas(table: Data) -> None:
    alphas = np.array([1.0, 0.3, 0.1])
    found, coefs, _ = enet_path(table["X"], table["y"], l1_ratio=0.5, alphas=alphas, tol=1e-12, max_iter=10_000)
    data = {**table, "expected": alphas}
    assert elastic_path_gap(data, {"alphas": found, "coefs": coefs}) < 1e-10
    assert np.isnan(elastic_path_gap(data, {"alphas": 2 * found, "coefs": coefs}))
    assert elastic_path_gap(data, {"alphas": found, "coefs": coefs * [1, 1, 0]}) > 1e-2


def test_ridges_are_exact(table: Data) -> None:
    X, y = table["X"], table["y"]
    problem = Ridges(X, y)
    model = Ridge(alpha=3.0, solver="svd").fit(X, y)
    w, b = problem.solve(3.0)
    np.testing.assert_allclose(w, model.coef_)
    assert b == pytest.approx(model.intercept_)
    assert problem.excess(w + 0.01, b, 3.0) > 1e-6
    errors = []
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        errors.append(y[i] - Ridge(alpha=3.0, solver="svd").fit(X[keep], y[keep]).predict(X[i : i + 1])[0])
    assert problem.leave_one_out(np.array([3.0]))[0] == pytest.approx(np.mean(np.square(errors)))


def test_deviances_vanish_for_a_perfect_fit() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    data = {"X": X, "y": np.exp(0.5 * X[:, 0] + 0.25)}
    perfect, poor = {"coef": [0.5], "intercept": 0.25}, {"coef": [0.4], "intercept": 0.25}
    assert gamma_deviance(data, perfect) == pytest.approx(0, abs=1e-15)
    assert gamma_deviance(data, poor) > 1e-3
    counts = {"X": X, "y": np.array([1.0, 2.0, 4.0])}
    perfect = {"coef": [np.log(2)], "intercept": 0.0}
    assert poisson_deviance(counts, perfect) == pytest.approx(0, abs=1e-15)
    assert poisson_deviance(counts, poor) > 1e-3


def test_huber_objective_at_small_residuals_is_quadratic() -> None:
    rng = np.random.default_rng(0)
    data = {"X": rng.standard_normal((50, 1)), "y": rng.choice([-1.0, 1.0], 50)}
    # all residuals are 1 in size: n s + n / s is least at s = 1, where it is 2 n, inside the quadratic part
    assert huber_objective(data, {"coef": [0.0], "intercept": 0.0}) == pytest.approx(100)


def test_log_evidence_is_the_density_of_the_target() -> None:
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 2)), rng.standard_normal(6)
    X, y = X - X.mean(axis=0), y - y.mean()
    covariance = np.eye(6) / 2.0 + X @ X.T / 0.7
    expected = multivariate_normal(np.zeros(6), covariance).logpdf(y) / 6
    assert log_evidence({"X": X, "y": y}, {"noise": 2.0, "weight": 0.7}) == pytest.approx(expected)


def test_mean_squared_error() -> None:
    data = {"X": np.array([[1.0], [2.0]]), "y": np.array([3.0, 5.0])}
    assert mean_squared_error(data, {"coef": [[2.0]], "intercept": [0.0]}) == 1.0


WITHOUT_TABLE = ("benchmarks.tasks.evolution", "benchmarks.tasks.reinforcement")


@pytest.mark.parametrize("name", TASKS)
def test_tasks_are_complete(name: str) -> None:
    task = TASKS[name]
    data = task.data(quick=True)
    rows = {value.shape[0] for key, value in data.items() if key in ("X", "y", "first", "second", "numbers", "codes")}
    assert rows == (set() if task.home in WITHOUT_TABLE or "n" not in task.quick else {task.quick["n"]})
    stated = [key for key in task.full if f"{{{key}}}" in task.size]
    assert stated and all(str(task.full[key]) in task.size_text(quick=False) for key in stated)
    names = [contender.name for contender in task.contenders]
    assert len(set(names)) == len(names)
    kinds = [contender.kind for contender in task.contenders]
    assert kinds.count("ours") >= 1
    assert "peer" in kinds


def test_sparse_problem_looks_like_text() -> None:
    X = problems.text_like(200, 500, 30, 10)["X"]
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1)
    per_column = np.diff(X.indptr)
    assert per_column[:50].mean() > 3 * per_column[-50:].mean()
    assert X.indices.dtype == np.int32
