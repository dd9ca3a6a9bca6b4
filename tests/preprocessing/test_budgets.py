"""Fits that go from column to column check the time budget between them."""

import numpy as np
import pytest

import learnable
from learnable.core.runtime import context

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 10)), RNG.integers(0, 2, 40)


@pytest.mark.parametrize(
    "model",
    [
        learnable.OneHotEncoder(),
        learnable.OrdinalEncoder(),
        learnable.TargetEncoder(),
        learnable.KBinsDiscretizer(),
        learnable.ConditionalDensityFilter(),
        learnable.PowerTransformer(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_budget_ends_a_fit_between_columns(monkeypatch, model):
    looks = iter(range(4))
    monkeypatch.setattr(context, "reason_to_stop", lambda: "" if next(looks, None) is not None else "budget")
    with pytest.raises(learnable.BudgetError):
        model.fit(X, Y)
    assert not hasattr(model, "n_features_in_")


def test_a_budget_ends_a_fit_between_documents(monkeypatch):
    looks = iter(range(4))
    monkeypatch.setattr(context, "reason_to_stop", lambda: "" if next(looks, None) is not None else "budget")
    with pytest.raises(learnable.BudgetError):
        learnable.CountVectorizer(analyzer=str.split).fit(["one two", "two"] * 5)
