"""Parameters: the constructor only stores them, `fit` leaves them alone, and they go round every trip."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import sklearn.base

from learnable.core.declare import params

from ..cases import fit, fit_quietly, make, problem
from ..examples import EXAMPLES
from ..promise import promise


def marks(cls: type) -> dict[str, Any]:
    """A distinct object for every parameter, none of them valid."""
    return {name: object() for name in params.parameters(cls)}


@promise(of_any_input=True)
def constructor_only_stores(cls: type) -> None:
    given = marks(cls)
    model = cls(**given)
    assert vars(model) == given
    assert all(getattr(model, name) is value for name, value in given.items())


@promise(of_any_input=True)
def constructor_is_generated(cls: type) -> None:
    assert list(inspect.signature(cls).parameters) == list(params.parameters(cls))
    assert "__init__" not in inspect.getsource(cls)


@promise(of_any_input=True)
def fit_never_changes_a_parameter(cls: type) -> None:
    model = make(cls)
    before = model.get_params()
    fit_quietly(model, *problem(cls))
    after = model.get_params()
    assert before.keys() == after.keys()
    assert all(after[name] is value for name, value in before.items())


@promise(of_any_input=True)
def parameters_go_round(cls: type) -> None:
    given = marks(cls)
    assert cls(**given).get_params(deep=False) == given
    model = make(cls)
    assert model.set_params(**given) is model
    assert model.get_params(deep=False) == given


@promise(of_any_input=True)
def unknown_parameters_are_refused_by_name(cls: type) -> None:
    try:
        make(cls).set_params(no_such_thing=1)
    except ValueError as error:
        assert cls.__name__ in str(error) and "no_such_thing" in str(error)
    else:
        raise AssertionError("set_params took a parameter that does not exist")


@promise(of_any_input=True)
def clones_are_equal_and_unfitted(cls: type) -> None:
    model = fit_quietly(make(cls), *problem(cls))
    for copy in (model.clone(), sklearn.base.clone(model)):
        assert type(copy) is cls
        assert repr(copy) == repr(model)
        assert set(vars(copy)) == set(params.parameters(cls))


def needs_nothing(cls: type) -> bool:
    return all(field.default is not params.REQUIRED for field in params.parameters(cls).values())


@promise(made_by=needs_nothing, of_any_input=True)
def repr_shows_what_differs(cls: type) -> None:
    assert repr(cls()) == f"{cls.__name__}()"
    for name in params.parameters(cls):
        assert repr(cls(**{name: "odd"})) == f"{cls.__name__}({name}='odd')"
    assert all(name in cls()._repr_html_() for name in params.parameters(cls))


@promise(of_any_input=True)
def wrong_types_are_refused_by_name(cls: type) -> None:
    X, y = problem(cls)
    for name in params.parameters(cls):
        model = make(cls).set_params(**{name: object()})
        try:
            fit(model, X, y)
        except (TypeError, ValueError) as error:
            assert f"{cls.__name__}: {name} must be" in str(error), error
        else:
            raise AssertionError(f"{name} may be anything")


@promise(of_any_input=True)
def bounds_are_refused_by_name(cls: type) -> None:
    X, y = problem(cls)
    for name, field in params.parameters(cls).items():
        rule = field.metadata["rule"]
        for value in outside(rule):
            try:
                fit(make(cls).set_params(**{name: value}), X, y)
            except ValueError as error:
                assert f"{cls.__name__}: {name} must be" in str(error), error
            else:
                raise AssertionError(f"{name}={value!r} breaks the rule `{rule.words()}`, and no error was raised")


def outside(rule: Any) -> list[Any]:
    """Numbers that break the rule, real or whole as its bounds are."""
    bad = [bound for bound in (rule.above, rule.below) if bound is not None]
    bad += [bound - 1 for bound in (rule.at_least,) if bound is not None]
    bad += [bound + 1 for bound in (rule.at_most,) if bound is not None]
    return [int(bound) if float(bound).is_integer() else bound for bound in bad if np.isfinite(bound)]


def sklearn_twin(cls: type) -> type | None:
    """The class of scikit-learn with the same module and name, if there is one."""
    from importlib import import_module, util

    if not cls.__module__.startswith("learnable."):
        return None
    package = "sklearn." + ".".join(cls.__module__.split(".")[1:-1])
    if util.find_spec(package.rpartition(".")[0]) is None or util.find_spec(package) is None:
        return None
    return getattr(import_module(package), cls.__name__, None)


@promise(made_by=lambda cls: sklearn_twin(cls) is not None, of_any_input=True)
def signature_begins_as_in_scikit_learn(cls: type) -> None:
    theirs = inspect.signature(sklearn_twin(cls)).parameters
    ours = inspect.signature(cls).parameters
    for place, (name, their) in enumerate(theirs.items()):
        assert name in ours, f"scikit-learn has {name}"
        our = ours[name]
        positional = their.kind is not their.KEYWORD_ONLY
        assert not positional or list(ours)[place] == name, f"{list(ours)[place]} stands where scikit-learn has {name}"
        assert our.kind == their.kind, f"{name}: {our.kind.description}, in scikit-learn {their.kind.description}"
        same = our.default is their.default or our.default == their.default
        same = same or (our.default != our.default and their.default != their.default)
        same = same or (callable(our.default) and our.default.__name__ == getattr(their.default, "__name__", ""))
        assert same and type(our.default) is type(their.default), f"{name}={our.default!r}, not {their.default!r}"
    extra = [parameter for name, parameter in ours.items() if name not in theirs]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in extra)


@promise(made_by=lambda cls: sklearn_twin(cls) is not None, of_any_input=True)
def learned_attributes_are_those_of_scikit_learn(cls: type) -> None:
    X, y = problem(cls)
    ours, theirs = fit_quietly(make(cls), X, y), fit_quietly(make_twin(cls), X, y)
    for name, value in vars(theirs).items():
        if name.endswith("_") and not name.startswith("_"):
            assert hasattr(ours, name), f"{name} is missing"
            if not cls.traits.stochastic and not isinstance(value, list):
                shape, expected = np.shape(getattr(ours, name)), np.shape(value)
                assert shape == expected, f"{name} has shape {shape}; {expected} in scikit-learn"


def make_twin(cls: type, **changes: Any) -> Any:
    """scikit-learn's estimator with the same seed."""
    twin = sklearn_twin(cls)
    accepted = inspect.signature(twin).parameters
    given = {"random_state": 0, **EXAMPLES.get(cls.__name__, dict)(), **changes}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn is about to drop some that we keep
        return twin(**{name: value for name, value in given.items() if name in accepted})
