"""What a class says it can do is at least what scikit-learn's class of that name does, and its predictions agree."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.utils import get_tags

from ..cases import assert_close, fit_quietly, make, opinion, output, problem, speaks, tight, tightness
from ..promise import promise
from .parameters import make_twin, sklearn_twin


def has_twin(cls: type) -> bool:
    return sklearn_twin(cls) is not None


@promise(made_by=has_twin, of_any_input=True)
def as_capable_as_scikit_learn(cls: type) -> None:
    theirs, ours = get_tags(make_twin(cls)), get_tags(make(cls))
    assert ours.estimator_type == theirs.estimator_type
    assert ours.input_tags.sparse >= theirs.input_tags.sparse, "scikit-learn's takes sparse data"
    assert ours.input_tags.allow_nan >= theirs.input_tags.allow_nan, "scikit-learn's takes missing values"
    assert ours.target_tags.multi_output >= theirs.target_tags.multi_output, "scikit-learn's takes several targets"
    weighted = "sample_weight" in inspect.signature(sklearn_twin(cls).fit).parameters
    assert bool(cls.traits.weights) >= weighted, "scikit-learn's takes weights"


@promise(made_by=has_twin, of_any_input=True)
def methods_are_those_of_scikit_learn(cls: type) -> None:
    ours_made = make(cls)
    routing = (
        "get_metadata_routing",
        "set_fit_request",
        "set_score_request",
        "set_partial_fit_request",
        "set_callbacks",
    )
    for name, member in inspect.getmembers(make_twin(cls), callable):
        if not name.startswith("_") and name not in routing and not name.endswith("_request"):
            assert callable(getattr(ours_made, name, None)), f"the method {name} is missing"
            theirs = [
                arg.name for arg in inspect.signature(member).parameters.values() if arg.kind is not arg.VAR_KEYWORD
            ]
            ours = list(inspect.signature(getattr(ours_made, name)).parameters)
            assert ours[: len(theirs)] == theirs or name in ("set_params", "fit"), f"{name}{ours}, not {theirs}"


@promise(made_by=lambda cls: has_twin(cls) and not cls.traits.stochastic, of_any_input=True)
def predictions_agree_with_scikit_learn(cls: type) -> None:
    X, y = problem(cls)
    theirs = fit_quietly(make_twin(cls, **tightness(cls)), X, y)
    ours = fit_quietly(tight(cls), X, y)
    assert_close(opinion(ours, X), opinion(theirs, X), 1e-5, "ours and scikit-learn's")


@promise(made_by=lambda cls: cls.traits.multi_target)
def several_targets_are_predicted(cls: type) -> None:
    X, y = problem(cls)
    several = np.column_stack([y, 2 - y]) if y.ndim == 1 else y
    model = fit_quietly(make(cls), X, several)
    assert output(model, X).shape == several.shape
    assert np.isfinite(model.score(X, several))


@promise(made_by=lambda cls: cls.traits.task == "regression" and not cls.traits.multi_target)
def several_targets_are_refused(cls: type) -> None:
    X, y = problem(cls)
    try:
        make(cls).fit(X, np.column_stack([y, 2 - y]))
    except ValueError as error:
        assert speaks(cls, str(error)) and "1d array" in str(error), error
    else:
        raise AssertionError("several targets are taken, but not declared")


@promise(made_by=lambda cls: cls.traits.task in ("regression", "classification"))
def searches_of_scikit_learn_take_us(cls: type) -> None:
    from sklearn.model_selection import GridSearchCV

    X, y = problem(cls)
    search = GridSearchCV(make(cls), {}, cv=3, error_score="raise")
    assert np.isfinite(fit_quietly(search, X, y).cv_results_["mean_test_score"]).all()
    np.testing.assert_array_equal(search.predict(X), fit_quietly(make(cls), X, y).predict(X))
