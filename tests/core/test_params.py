"""Declared parameters: constructor, messages, documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
import pytest

import learnable
from learnable.core import Array, Data, Estimator, Matrix, ParameterError, Regressor, Trace, estimator, learned, param
from learnable.core.declare.params import check, kind_test, learned_shapes, parameters, type_words
from learnable.core.runtime.random import RandomState
from tests.toys import ToyDescent, ToyOuter, ToyRidge


@estimator
class Declared(Regressor):
    """A class with a parameter of every kind.

    minimise nothing
    """

    strength: float = param(1.0, "how strong", at_least=0, kw_only=False)
    ratio: float = param(0.5, "a share", between=(0, 1))
    rate: float = param(0.1, "a rate", above=0, below=1)
    count: int = param(3, "how many", at_least=1)
    flag: bool = param(True, "whether or not")
    way: Literal["fast", "slow"] | None = param("fast", "how it is done")
    mixed: bool | Literal["auto"] = param("auto", "yes, no or by itself")
    even: int = param(2, "a number", accepts=lambda value: value % 2 == 0, says="an even number")
    grid: Array | None = param(None, "several values of alpha", above=0)
    seed: RandomState = param(None, "seed of the draws")
    function: Callable[[float], float] | None = param(None, "a function of a number")
    inner: Estimator | None = param(None, "somebody else")
    any: Any = param(None, "whatever you like")
    most: float = param(1.0, "a limit", infinite=True)
    stand_in: float = param(float("nan"), "a number in place of another")

    coef_: Array = learned("weight of each column", shape="features")
    note_: str | None = learned("a remark", optional=True)

    def _fit(self, data: Data, trace: Trace) -> None: ...

    def _predict(self, X: Matrix) -> Array:
        return X[:, 0]


GOOD = {
    "strength": [0, 0.0, 3, np.float32(2), np.int64(1), 1e300],
    "ratio": [0, 1, 0.3, np.float64(1.0)],
    "rate": [1e-9, 0.999],
    "count": [1, 10**12, np.int8(4)],
    "flag": [True, False, np.True_],
    "way": ["fast", "slow", None, np.str_("slow")],
    "mixed": [True, False, "auto"],
    "even": [0, -4],
    "grid": [None, [1, 2], (0.5,), np.ones(3), np.ones((2, 2))],
    "seed": [None, 0, np.random.default_rng(0), np.random.RandomState(0)],
    "function": [None, abs, lambda z: z],
    "inner": [None, ToyRidge()],
    "any": [None, object(), 3, float("nan")],
    "most": [float("inf"), -3.0],
    "stand_in": [float("nan"), float("-inf"), 0.5],
}
BAD = {
    "strength": [-1, -1e-300, "1", None, True, float("nan"), float("inf"), [1.0], 1j],
    "ratio": [-0.1, 1.1, float("inf"), -float("inf")],
    "rate": [0, 1, 0.0, 1.0, float("inf")],
    "count": [0, 1.0, "3", True, None],
    "flag": [0, 1, None, "yes"],
    "way": ["medium", 0, True, b"fast"],
    "mixed": [1, 0, "no", None],
    "even": [3],
    "grid": [[1, 0], np.array([[1.0, -2.0]]), "abc", 3.0, ["a", "b"], [1, None], [1, float("inf")], [float("nan")]],
    "most": [float("nan")],
    "seed": [1.5, "seed"],
    "function": [3, "abs"],
    "inner": [ToyRidge, 3],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in GOOD.items() for value in values])
def test_values_within_the_rule_pass(name, value):
    check(Declared(**{name: value}))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_values_outside_the_rule_are_refused_by_class_parameter_and_value(name, value):
    with pytest.raises(ParameterError, match=rf"^Declared: {name} must be .+; got ") as caught:
        check(Declared(**{name: value}))
    assert " ".join(repr(value).split())[:20] in str(caught.value)


MESSAGES = {
    ("strength", -1): "Declared: strength must be at least 0; got -1",
    ("strength", "1"): "Declared: strength must be float, at least 0; got '1' of type str",
    ("strength", np.nan): "Declared: strength must be finite and at least 0; got nan",
    ("grid", ("a", "b")): "Declared: grid must be numbers above 0; got ('a', 'b')",
    ("ratio", 2): "Declared: ratio must be at least 0 and at most 1; got 2",
    ("rate", 1): "Declared: rate must be above 0 and below 1; got 1",
    ("even", 3): "Declared: even must be an even number; got 3",
    ("way", "medium"): 'Declared: way must be "fast", "slow" or None; got \'medium\'',
    ("count", None): "Declared: count must be int, at least 1; got None of type NoneType",
}


@pytest.mark.parametrize(("name", "value"), MESSAGES)
def test_messages_give_the_rule_in_words(name, value):
    with pytest.raises(ParameterError) as caught:
        check(Declared(**{name: value}))
    assert str(caught.value) == MESSAGES[name, value]


def test_long_values_are_cut():
    with pytest.raises(ParameterError) as caught:
        check(Declared(strength="x" * 1000))
    assert len(str(caught.value)) < 200


def test_a_wrong_type_is_also_a_type_error():
    with pytest.raises(TypeError):
        check(Declared(count="3"))


def test_nothing_is_checked_before_fit():
    model = Declared(strength=-1)
    with pytest.raises(ParameterError, match="strength"):
        model.fit([[1.0]], [1.0])


def test_the_constructor_has_the_declared_arguments_in_order():
    signature = inspect.signature(Declared)
    assert list(signature.parameters) == list(parameters(Declared)) == list(GOOD)
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    assert kinds["strength"] is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert kinds["ratio"] is inspect.Parameter.KEYWORD_ONLY
    assert Declared(2.0).strength == 2.0
    with pytest.raises(TypeError):
        Declared(2.0, 0.5)
    with pytest.raises(TypeError):
        Declared(coef_=1)


def test_the_docstring_lists_what_was_declared():
    text = Declared.__doc__
    assert "    strength : float, default=1.0\n        how strong (at least 0).\n" in text
    assert '    way : "fast", "slow" or None, default=\'fast\'\n        how it is done.\n' in text
    assert "    coef_ : array of shape (features,)\n        weight of each column.\n" in text
    assert "    certificate_\n" in text
    assert set(learned_shapes(Declared)) == {"coef_", "note_"}


def test_nested_parameters_are_reached_with_two_underscores():
    model = ToyOuter(inner=ToyOuter(inner=ToyRidge(alpha=3.0)))
    deep = model.get_params()
    assert deep["inner__inner__alpha"] == 3.0 and deep["inner__inner"] is model.inner.inner
    assert "inner__inner__alpha" not in model.get_params(deep=False)
    model.set_params(inner__inner__alpha=7.0)
    assert model.inner.inner.alpha == 7.0


def test_an_estimator_and_its_parameters_are_set_together():
    model = ToyOuter(inner=ToyRidge()).set_params(inner__max_iter=5, inner=ToyDescent())
    assert isinstance(model.inner, ToyDescent) and model.inner.max_iter == 5


def test_what_cannot_be_set_is_reported():
    with pytest.raises(ParameterError, match="ToyRidge has no parameter 'beta'; it has alpha"):
        ToyRidge().set_params(beta=1)
    with pytest.raises(ParameterError, match="ToyOuter: inner is None, which has no parameters to set"):
        ToyOuter().set_params(inner__alpha=1)
    with pytest.raises(ParameterError, match="ToyRidge has no parameter 'beta'"):
        ToyOuter(inner=ToyRidge()).set_params(inner__beta=1)


def test_clones_share_nothing_that_can_change():
    grid = np.ones(3)
    model = Declared(grid=grid, inner=ToyOuter(inner=ToyRidge(alpha=2.0)))
    copy = model.clone()
    assert copy.grid is not grid and (copy.grid == grid).all()
    assert copy.inner is not model.inner and copy.inner.inner is not model.inner.inner
    assert copy.inner.inner.alpha == 2.0


def test_repr_survives_arrays_and_long_values():
    text = repr(Declared(grid=np.arange(10_000), strength=float("nan")))
    assert text.startswith("Declared(strength=nan, grid=array(") and len(text) < 150
    assert "<script>" not in Declared(any="<script>")._repr_html_()


def test_kinds_of_containers_are_detected_by_their_interface():
    assert kind_test(dict[str, int])({}) and not kind_test(dict[str, int])([])
    assert kind_test(list[int])([1]) and not kind_test(list[int])((1,))


def test_types_in_words_look_through_names() -> None:
    way = Literal["fast", "slow"]
    words = [type_words(hint) for hint in (float, way, way | None, float | np.ndarray, Callable[..., float] | None)]
    assert words == ["float", '"fast" or "slow"', '"fast", "slow" or None', "float or array", "callable or None"]


def test_an_axis_that_may_be_absent_is_written_as_scikit_learn_does():
    documented = learnable.LinearRegression.__doc__
    assert "coef_ : array of shape (features,) or (targets, features)\n" in documented
    assert "?" not in documented.split("Attributes")[1]


class Facts(TypedDict):
    weight: float
    parts: list[float]
    spread: np.ndarray | None
    more: NotRequired[int]


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"weight": 1.0, "parts": [1.0], "spread": None}, True),
        ({"weight": float("nan"), "parts": [], "spread": np.ones(2), "more": 3}, True),
        ({"weight": 1.0, "parts": [1.0]}, False),
        ({"weight": "heavy", "parts": [1.0], "spread": None}, False),
        ({"weight": 1.0, "parts": ["a"], "spread": None}, False),
        ({"weight": 1.0, "parts": [], "spread": None, "other": 1}, False),
        ([1.0], False),
    ],
)
def test_a_dict_with_declared_entries_is_checked_entry_by_entry(value, fits):
    assert kind_test(Facts)(value) is fits


@pytest.mark.parametrize("run", [lambda: learnable.cross_val_score(ToyRidge(), [[0.0], [1.0]], [0.0, 1.0], n_jobs=0),
                                 lambda: learnable.FeatureUnion([("a", "drop")], n_jobs=0).fit([[0.0]])])  # fmt: skip
def test_no_jobs_at_all_are_refused_by_name(run):
    with pytest.raises(ParameterError, match="n_jobs must be None or a number other than 0; got 0"):
        run()
