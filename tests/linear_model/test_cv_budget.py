"""Models with cross-validation under a budget use what was compared, and report it."""

import numpy as np
import pytest

import learnable
from learnable import linear_model
from learnable.core.runtime import context
from learnable.engines.minimise import coordinate

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 30))
Y = X[:, :6] @ rng.normal(size=6) + 0.5 * rng.normal(size=120)
pytestmark = pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")


def ending_after(looks):
    """A clock that reports time left for a number of calls, and then none."""
    seen = iter(range(looks))
    return lambda: "" if next(seen, None) is not None else "budget"


@pytest.mark.parametrize("name", ["LassoCV", "ElasticNetCV", "MultiTaskLassoCV", "MultiTaskElasticNetCV"])
def test_coordinate_descent_chooses_among_the_alphas_that_all_folds_reached(name, monkeypatch):
    y = np.c_[Y, -Y] if name.startswith("Multi") else Y
    monkeypatch.setattr(coordinate, "reason_to_stop", ending_after(0))
    model = getattr(linear_model, name)(cv=3).fit(X, y)
    tried = ~np.isnan(model.mse_path_).any(axis=1)
    assert 1 <= tried.sum() < len(tried) and model.trace_.stopped == "budget" and not model.certificate_.holds
    assert model.alpha_ == model.alphas_[np.nanargmin(model.mse_path_.mean(axis=1))]
    once = getattr(linear_model, name.removesuffix("CV"))(alpha=model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, once.coef_, atol=1e-2)


def test_several_l1_ratios_are_compared_as_far_as_the_budget_goes(monkeypatch):
    monkeypatch.setattr(coordinate, "reason_to_stop", ending_after(0))
    model = linear_model.ElasticNetCV(l1_ratio=[0.9, 0.1], cv=3).fit(X, Y)
    assert model.l1_ratio_ == 0.9 and np.isnan(model.mse_path_[1]).all() and np.isfinite(model.mse_path_[0]).any()


def test_no_alpha_on_all_folds_is_an_error(monkeypatch):
    monkeypatch.setattr(coordinate, "reason_to_stop", lambda: "budget")
    monkeypatch.setattr(coordinate, "_follow", lambda walk, size, *_: (np.full((*size, 5), np.nan), "budget"))
    with pytest.raises(learnable.BudgetError, match="LassoCV: the budget ended before one alpha was tried on all"):
        linear_model.LassoCV(cv=3).fit(X, Y)


@pytest.mark.parametrize("name", ["LarsCV", "LassoLarsCV", "OrthogonalMatchingPursuitCV"])
def test_greedy_paths_choose_among_the_steps_that_all_folds_reached(name, monkeypatch):
    monkeypatch.setattr(context, "reason_to_stop", ending_after(6))
    model = getattr(linear_model, name)(cv=3).fit(X, Y)
    assert model.trace_.stopped == "budget" and not model.certificate_.holds
    assert len(model.mse_path_) >= 1 and np.isfinite(model.mse_path_).all() and np.isfinite(model.coef_).all()


def test_a_criterion_is_compared_at_the_knots_that_were_reached(monkeypatch):
    monkeypatch.setattr(context, "reason_to_stop", ending_after(6))
    model = linear_model.LassoLarsIC().fit(X, Y)
    assert model.trace_.stopped == "budget" and not model.certificate_.holds
    assert 2 <= len(model.alphas_) < 31 and model.alpha_ == model.alphas_[model.criterion_.argmin()]


def test_time_is_shared_between_folds():
    from learnable.engines.time_budget import fraction_of_time

    with learnable.budget(seconds=1000):
        whole = context.current().deadline
        with fraction_of_time(0.25):
            assert 740 <= whole - context.current().deadline <= 750
        assert context.current().deadline == whole
    with fraction_of_time(0.25):
        assert context.current().deadline == float("inf")


@pytest.mark.parametrize(
    ("model", "tried"),
    [
        (linear_model.RidgeCV(alphas=[0.1, 1.0, 10.0]), 3),
        (linear_model.RidgeCV(alphas=[0.1, 1.0, 10.0], cv=3), 3),
        (linear_model.RidgeClassifierCV(alphas=[0.1, 1.0]), 2),
        (linear_model.LassoCV(alphas=5), 5),
        (linear_model.ElasticNetCV(alphas=4, l1_ratio=[0.2, 0.8]), 8),
    ],
)
def test_watchers_see_every_alpha(model, tried):
    """One row per alpha with its error; the rows of the final fit follow."""
    X, y = np.random.default_rng(1).normal(size=(40, 3)) @ np.diag([3.0, 2.0, 1.0]), np.arange(40) % 3
    seen = []
    with learnable.watch(lambda event: seen.append(event.row)):
        model.fit(X, y)
    alpha_rows = [row for row in seen if "alpha" in row]
    assert len(alpha_rows) == tried and seen[:tried] == alpha_rows and len(seen) > tried
    assert min(alpha_rows, key=lambda row: row["objective"])["alpha"] == pytest.approx(model.alpha_)
    if isinstance(model, linear_model.RidgeCV):
        assert min(row["objective"] for row in alpha_rows) == pytest.approx(-model.best_score_)
