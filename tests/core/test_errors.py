"""Errors and warnings: catchable as ours, as Python's and as scikit-learn's, and they survive a pickle."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn.exceptions

import learnable
from learnable.core import DataConversionWarning, errors
from tests.toys import ToyDescent, ToyRidge

PARENTS = {
    "DataError": ValueError,
    "ParameterError": ValueError,
    "NotFittedError": (ValueError, AttributeError),
    "BudgetError": RuntimeError,
    "ModelFileError": ValueError,
}


@pytest.mark.parametrize("name", PARENTS)
def test_every_error_is_ours_and_pythons(name):
    error = getattr(learnable, name)
    parents = PARENTS[name] if isinstance(PARENTS[name], tuple) else (PARENTS[name],)
    assert issubclass(error, learnable.LearnableError) and all(issubclass(error, parent) for parent in parents)


@pytest.mark.parametrize("category", [sklearn.exceptions.NotFittedError, learnable.NotFittedError, ValueError])
def test_an_unfitted_model_raises_a_value_and_attribute_error(category):
    with pytest.raises(category, match="this ToyRidge is not fitted yet: call fit"):
        ToyRidge().predict([[1.0]])


@pytest.mark.parametrize("category", [sklearn.exceptions.ConvergenceWarning, learnable.ConvergenceWarning, UserWarning])
def test_an_unfinished_fit_warns_in_every_name(category):
    X = [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [2.0, 1.0, 3.0]]
    with pytest.warns(category, match="ToyDescent: stopped by the iteration limit after 1 iterations"):
        ToyDescent(max_iter=1).fit(X, [1.0, 2.0, 3.0, 5.0])


def test_a_column_for_a_target_warns_as_scikit_learn_does():
    with pytest.warns(sklearn.exceptions.DataConversionWarning):
        ToyRidge().fit([[1.0], [2.0]], [[1.0], [2.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: errors.not_fitted(ToyRidge()),
        lambda: learnable.DataError("bad data"),
        lambda: errors.compatible(learnable.ConvergenceWarning)("slow"),
        lambda: learnable.BudgetError("no time"),
    ],
)
def test_pickles_keep_class_and_words(make):
    error = make()
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.args == error.args


def test_a_pickled_error_opens_where_scikit_learn_is_not_loaded():
    stored = pickle.dumps(errors.not_fitted(ToyRidge()))
    program = (
        f"import pickle, sys; error = pickle.loads({stored!r}); import learnable; "
        "assert type(error) is learnable.NotFittedError; assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)


def test_scikit_learn_is_not_needed():
    program = (
        "import sys, learnable\n"
        "from learnable.core.errors import compatible\n"
        "assert compatible(learnable.NotFittedError) is learnable.NotFittedError\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)


def test_warnings_point_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ToyRidge().fit([[1.0], [2.0]], [[1.0], [2.0]])
        ToyDescent(max_iter=1).fit([[1.0, 0.5], [2.0, 1.5], [3.0, 1.0], [4.0, 8.0]], [1.0, 2.0, 4.0, 3.0])
    assert issubclass(caught[0].category, DataConversionWarning) and caught[0].filename == __file__
    assert issubclass(caught[1].category, learnable.ConvergenceWarning) and caught[1].filename == __file__


def test_a_warning_made_an_error_leaves_no_model():
    model = ToyDescent(max_iter=1)
    with warnings.catch_warnings(), pytest.raises(learnable.ConvergenceWarning):
        warnings.simplefilter("error")
        model.fit([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [2.0, 1.0, 3.0]], [1.0, 2.0, 3.0, 5.0])
    assert not hasattr(model, "coef_") and not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (errors.DataError("y is wrong"), "Ridge: y is wrong"),
        (errors.ParameterError("Ridge: alpha is wrong"), "Ridge: alpha is wrong"),
        (errors.BudgetError("time is up"), "Ridge: time is up; give it more time or memory"),
    ],
)
def test_errors_of_a_fit_name_the_estimator_once(error, said):
    with pytest.raises(type(error)) as caught, errors.ErrorOwner("Ridge"):
        raise error
    assert str(caught.value) == said


def test_values_of_numpy_are_shown_as_those_of_python():
    with pytest.raises(learnable.DataError, match="column 0 holds 'a' in row 0, not a number"):
        ToyRidge().fit(np.array([["a", "b"]]), [1.0])
    with pytest.raises(learnable.ParameterError, match=r"alpha must be at least 0; got -1\.5$"):
        ToyRidge(alpha=np.float64(-1.5)).fit([[1.0]], [1.0])
    said = f"{[np.str_('a'), np.str_('it' + chr(39) + 's'), np.int64(3), np.bool(True)]} of np.array(1)"
    with pytest.warns(UserWarning) as seen:
        errors.warn(said, UserWarning)
    assert str(seen[0].message) == """['a', "it's", 3, True] of np.array(1)"""
