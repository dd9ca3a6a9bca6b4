"""Linear models whose coefficients are stored sparsely do everything that they did before."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import learnable
from learnable.core.declare import params
from learnable.engines.sparse_coefficients import dense
from tests.contract.cases import CLASSES, fit_quietly, make, problem
from tests.contract.entry_points import data_arguments, methods

SPARSE = sorted(name for name, cls in CLASSES.items() if hasattr(cls, "sparsify"))
FITTING = ("fit", "sparsify", "densify", "fit_predict", "fit_transform", "forget")


def results(model: Any, X: Any, y: Any) -> dict[str, str]:
    """What each public method gives that needs no more than rows, targets and options with defaults."""
    found = {}
    for name, function in methods(type(model)):
        needed = [one.name for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        given = {"X": X, "y": y}
        called = set(needed) <= {"self", *given} and not name.startswith(("partial_", *FITTING))
        if called and hasattr(model, name):
            values = [given[argument] for argument in needed if argument != "self"]
            assert data_arguments(function) or not values
            found[name] = repr(getattr(model, name)(*values))
    return found


@pytest.mark.parametrize("name", SPARSE)
def test_a_model_with_sparse_coefficients_does_what_it_did(name):
    cls = CLASSES[name]
    X, y = problem(cls)
    with warnings.catch_warnings(), np.printoptions(precision=10):
        warnings.simplefilter("ignore")
        model = fit_quietly(make(cls), X, y)
        before = results(model, X, y)
        assert before
        assert results(model.sparsify(), X, y) == before


@pytest.mark.parametrize("name", [name for name in SPARSE if "warm_start" in params.parameters(CLASSES[name])])
@pytest.mark.parametrize("kept", [True, False])
def test_a_warm_start_from_sparse_coefficients_is_one_from_dense_ones(name, kept):
    X, y = problem(CLASSES[name])
    models = [fit_quietly(make(CLASSES[name], warm_start=True), X, y) for _ in range(2)]
    for model in (models[0].sparsify(), models[1]):
        fit_quietly(model, X if kept else X + 1, y)
    np.testing.assert_array_equal(dense(models[0].coef_), models[1].coef_)
    for attribute in ("intercept_", "offset_"):
        np.testing.assert_array_equal(getattr(models[0], attribute, 0), getattr(models[1], attribute, 0))


@pytest.mark.parametrize("classes", [2, 3])
def test_the_summary_of_sparse_coefficients_is_that_of_dense_ones(classes):
    X = np.random.default_rng(0).standard_normal((200, 3))
    y = np.arange(200) % classes
    model = learnable.LogisticRegression(C=np.inf).fit(X, y)
    before = str(model.summary())
    assert str(model.sparsify().summary()) == before
