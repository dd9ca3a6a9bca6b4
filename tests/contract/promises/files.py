"""Models go into a file, a pickle or a copy, and come back with the same bits."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path
from typing import Any

import learnable
from learnable.core.declare import params

from ..cases import digest, fit_quietly, make, output, problem
from ..promise import promise


def stored(model: Any) -> Any:
    """The model after a trip through a file."""
    with tempfile.TemporaryDirectory() as folder:
        learnable.save(model, Path(folder) / "model.learn")
        return learnable.load(Path(folder) / "model.learn")


def assert_same(again: Any, model: Any, X: Any) -> None:
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    assert digest(again) == digest(model)
    assert output(again, X).tobytes() == output(model, X).tobytes()
    assert again.trace_.stopped == model.trace_.stopped
    assert again.trace_["objective"].tobytes() == model.trace_["objective"].tobytes()
    assert again.certificate_ == model.certificate_


@promise(of_any_input=True)
def files_hold_the_same_bits(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    assert_same(stored(model), model, X)


@promise()
def files_hold_float32_and_names(cls: type) -> None:
    import pandas

    X, y = problem(cls, dtype="float32")
    table = pandas.DataFrame(X, columns=["a", "b", "c", "ü"])
    model = fit_quietly(make(cls), table, y)
    again = stored(model)
    assert_same(again, model, table)
    assert list(again.feature_names_in_) == ["a", "b", "c", "ü"]


@promise(of_any_input=True)
def files_hold_unfitted_models(cls: type) -> None:
    again = stored(make(cls))
    assert set(vars(again)) == set(params.parameters(cls)) and repr(again) == repr(make(cls))


@promise(of_any_input=True)
def loaded_models_can_be_fitted_again(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    assert digest(fit_quietly(stored(model), X, y)) == digest(model)


@promise(of_any_input=True)
def pickles_and_copies_hold_the_same_bits(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same(again, model, X)


@promise(of_any_input=True)
def learned_state_is_declared(cls: type) -> None:
    model = fit_quietly(make(cls), *problem(cls))
    known = {*params.parameters(cls), *params.learned_shapes(cls), *params.COMMON_STATE}
    assert set(vars(model)) <= known, f"fit leaves undeclared {sorted(set(vars(model)) - known)}"
    required = {name for name, shape in params.learned_shapes(cls).items() if not shape.optional}
    assert required <= set(vars(model)), f"fit does not set {sorted(required - set(vars(model)))}"
    assert all(name.endswith("_") for name in params.learned_shapes(cls))
