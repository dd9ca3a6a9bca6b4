"""Transformers in a row, and an estimator at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from ..core import REQUIRED, Composite, Trace, Traits, available_if, cloned, estimator, learned, param
from ..core.declare import params
from ..core.errors import ColumnsNamed, ParameterError, ParameterTypeError
from ..core.roles.composite import copy_to_fit
from ..core.roles.traits import traits_of
from ..core.sklearn_api.conditional_methods import delegated
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_pairwise, role
from ..core.sklearn_api.metadata import Route, check_metadata, refuse_metadata, requested_metadata
from ..core.validate.features import Array
from ..engines.cv_path import FittedPrefix
from ._fit_on_scan import fit_steps_on_scan
from ._routes import final_route, step_route
from ._steps import (
    PASS,
    addressed,
    announced,
    carried,
    check_sequence,
    fitted_and_transformed,
    flaw_of_steps,
    is_fitted_part,
    names_given,
    names_out,
    takes_weights,
    with_weights,
)

Rows = tuple[Any, Any, Any]  # with their targets and weights


def _final_has(method: str) -> Any:
    """Whether the last step of a pipeline offers `method`."""

    return delegated(method, lambda pipeline: "passthrough" if pipeline._final is None else pipeline._final)


def _can_transform(pipeline: Any) -> bool:
    return pipeline._final in PASS or hasattr(pipeline._final, "transform")


def _can_invert(pipeline: Any) -> bool:
    return all(step in PASS or hasattr(step, "inverse_transform") for _, step in pipeline._now)


@estimator
class Pipeline(Composite):
    """Pipeline: a sequence of transformers and a final estimator.

    f(x) = final(t_k(... t_1(x)))    every t_j fitted on what the steps before it give for the training rows

    Everything is fitted inside `fit`, so that nothing of a test row can leak into it. A step with `fit_resample` acts
    on the training rows alone. Weights reach every step that takes them. Copies of the steps are fitted; those given
    take over what these learned when the fit has succeeded. `memory` keeps fitted transformers in a folder.

    >>> from learnable import Ridge, StandardScaler
    >>> pipeline = Pipeline([("scale", StandardScaler()), ("ridge", Ridge(alpha=0.0))])
    >>> pipeline.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(6)
    array([7.])
    """

    title = "pipeline"
    traits = Traits(takes="parts", task="composition")
    parts, fitted_parts = "steps", "steps_"

    steps: list[Any] | tuple[Any, ...] = param(REQUIRED, "(name, estimator) tuples in order", kw_only=False)
    transform_input: list[str] | None = param(None, "arguments of fit that the steps transform as they do X")
    memory: Any = param(None, "folder or joblib.Memory that keeps fitted transformers")
    verbose: bool = param(False, "whether to print the name of each step when it is fitted")

    steps_: list[Any] = learned("the fitted steps, as (name, estimator) tuples")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit the steps in order, each to the output of those before it; `step__argument` is passed to that step."""
        self._fit_steps(X, y, sample_weight, arguments)
        return self

    @available_if(_can_transform)
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit the steps and return the training rows transformed by all of them."""
        return self._fit_steps(X, y, sample_weight, arguments, "fit_transform")

    @available_if(_final_has("fit_predict"))
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit the steps and return the predictions of the final one for the training rows."""
        return self._fit_steps(X, y, sample_weight, arguments, "fit_predict")

    @available_if(_final_has("fit_resample"))
    def fit_resample(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit the steps and return the training rows and targets resampled by the final one."""
        return self._fit_steps(X, y, sample_weight, arguments, "fit_resample")

    def _fit_steps(self, X: Any, y: Any, weight: Any, arguments: dict[str, Any], ending: str = "fit") -> Any:
        params.check(self)
        self._check_steps()
        check_metadata(self, ending, {"sample_weight": weight, **arguments})
        more = addressed(type(self).__name__, [name for name, _ in self.steps], arguments)
        with self._fitting(X, y, weight) as trace:
            X, y, weight = self._all_but_the_last(X, y, weight, more, trace)
            name = self.steps[-1][0]
            with announced(self, "step ", name, len(self.steps), len(self.steps)):
                result = self._finish(X, y, weight, more[name], ending, trace)
            self._remember_columns_of(self._first)
        self._hand_over(0 if self.memory is None else -1)  # steps from a cache leave the given ones as they are
        return result

    def _fit_scan(self, rows: Any, trace: Trace) -> None:
        self._check_steps()
        fit_steps_on_scan(self, rows, trace)

    def _all_but_the_last(self, X: Any, y: Any, weight: Any, more: dict[str, dict[str, Any]], trace: Trace) -> Rows:
        """Fit them; rows, targets and weights as the last step shall see them."""
        self.steps_ = []
        rows = X, y, weight
        for place, (name, step) in enumerate(self.steps[:-1]):
            with announced(self, "step ", name, place + 1, len(self.steps)):
                fresh, rows = self._passed(step, rows, more[name])
            self.steps_.append((name, fresh))
            trace.record(0.0, step=float(len(self.steps_)))
            self._carry(more)
            if self.transform_input and "sample_weight" in self.transform_input and rows[2] is not None:
                rows = (*rows[:2], carried(fresh, rows[2]))
        return rows

    def _unsound(self) -> str:
        return flaw_of_steps(self.steps_)

    @property
    def _last_step(self) -> tuple[str, Any]:
        """Name and estimator, before any fit."""
        return [("", None), *self._named_parts()][-1]

    def _fit_prefix(self, X: Any, y: Any, weight: Any) -> FittedPrefix:
        """What the last step would see of these training rows, and of others after them."""
        self._check_steps()
        name, step = self._last_step
        self._check_weight(name, step, weight)
        head = cloned(self)
        X, y, weight = head._all_but_the_last(X, y, weight, {name: {} for name, _ in self.steps}, Trace(head))
        head.steps_.append((name, None))
        return FittedPrefix(X, y, with_weights(step, weight, {}).get("sample_weight"), head._before_final)

    def _passed(self, step: Any, rows: Rows, more: dict[str, Any]) -> tuple[Any, Rows]:
        """One step, fitted; rows, targets and weights as the next step shall see them."""
        if step in PASS:
            return step, rows
        X, y, weight = rows
        with self._columns_named(step, len(self.steps_)):
            if hasattr(step, "fit_resample"):
                fresh = copy_to_fit(step)
                extra = {} if weight is None else {"sample_weight": weight}
                X, y, weight = (*fresh.fit_resample(X, y, **extra), None)[:3]
            else:
                fresh = copy_to_fit(step) if self.memory is None else cloned(step)
                fresh, X = self._cached(fitted_and_transformed)(fresh, X, y, weight, more)
        return fresh, (X, y, weight)

    def _carry(self, more: dict[str, dict[str, Any]]) -> None:
        """Let the step just fitted transform those arguments of later steps that go with X, such as validation rows."""
        done, latest = {name for name, _ in self.steps_}, self.steps_[-1][1]
        if latest in PASS or hasattr(latest, "fit_resample") or not self.transform_input:
            return
        for name in more.keys() - done:
            names = names_given(dict(self.steps)[name], self.transform_input)
            shared = {argument: more[name][argument] for argument in more[name].keys() & names}
            more[name] = {**more[name], **{argument: carried(latest, value) for argument, value in shared.items()}}

    def _finish(self, X: Any, y: Any, weight: Any, more: dict[str, Any], ending: str, trace: Trace) -> Any:
        name, step = self.steps[-1]
        if step in PASS:
            self.steps_.append((name, step))
            trace.exact("the rows are passed on as they are")
            return X
        self._check_weight(name, step, weight)
        final = copy_to_fit(step)
        with self._columns_named(step, len(self.steps_)):
            if ending == "fit_transform" and not hasattr(final, ending):
                final, result = fitted_and_transformed(final, X, y, weight, more)
            else:
                result = getattr(final, ending)(X, y, **with_weights(step, weight, more, ending))
        self.steps_.append((name, final))
        trace.adopt(final, "every step was fitted on what the steps before it gave", step=float(len(self.steps_)))
        return result

    def _check_weight(self, name: str, step: Any, weight: Any) -> None:
        """Weights that the last step cannot take would be lost without a word."""
        if weight is not None and not takes_weights(step) and not routing_is_enabled():
            raise ParameterTypeError(
                f"{type(self).__name__}: the last step {name!r} ({type(step).__name__}) takes no sample_weight"
            )

    def _cached(self, function: Any) -> Any:
        """`function`, remembering its results in the folder that `memory` names."""
        if self.memory is None:
            return function
        if isinstance(self.memory, str):
            from joblib import Memory

            return Memory(location=self.memory, verbose=0).cache(function)
        if not hasattr(self.memory, "cache"):
            raise ParameterError(f"Pipeline: memory must be a folder or have a method cache; got {self.memory!r:.40}")
        return self.memory.cache(function)

    def _check_steps(self) -> None:
        self._check_parts()
        check_sequence(type(self).__name__, self.steps)

    @property
    def _first(self) -> Any:
        """The first fitted step that does something, if any does."""
        return next((step for _, step in self._now if step not in PASS), None)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` was called, or every step had been fitted before."""
        given = [step for _, step in self._named_parts()]
        return "steps_" in self.__dict__ or (len(given) > 0 and all(map(is_fitted_part, given)))

    @property
    def _now(self) -> list[Any]:
        """The steps that `fit` has fitted, or before any fit those that were given."""
        found: list[Any] = self.__dict__.get("steps_", self.steps)
        return found

    @property
    def _final(self) -> Any:
        return self._now[-1][1] if self.__sklearn_is_fitted__() else self._last_step[1]

    def _before_final(self, X: Any, metadata: dict[str, Any] | None = None) -> Any:
        """The rows as they arrive at the last step; the steps request their part of the `metadata`."""
        self._require_fit()
        for place, (_, step) in enumerate(self._now[:-1]):
            if step not in PASS and not hasattr(step, "fit_resample"):
                with self._columns_named(step, place):
                    X = step.transform(X, **(requested_metadata(step, "transform", metadata) if metadata else {}))
        return X

    def _call_final(self, method: str, X: Any, *more: Any, **arguments: Any) -> Any:
        """The prediction of the last step for the transformed rows."""
        check_metadata(self, method, arguments)
        enabled = bool(arguments) and routing_is_enabled()
        arriving = self._before_final(X, arguments if enabled else None)
        if enabled:
            arguments = requested_metadata(self._final, method, arguments)
        with self._columns_named(self._final, len(self._now) - 1):
            return getattr(self._final, method)(arriving, *more, **arguments)

    def _columns_named(self, step: Any, place: int) -> ColumnsNamed:
        """Lets errors of `step` call columns by the names that the fitted steps before `place` give them."""
        return ColumnsNamed(type(step).__name__, lambda: self._names_behind(place))

    def _names_behind(self, place: int) -> Array | None:
        """The names of the columns after as many steps, if they have names."""
        names = getattr(self._first, "feature_names_in_", None)
        try:
            return None if names is None else self._names_through(place, names)
        except Exception:  # a step that lacks them must not hide the error that asks for them
            return None

    def _names_through(self, place: int, names: Array | None) -> Array | None:
        for _, step in self._now[:place]:
            if step not in PASS and not hasattr(step, "fit_resample"):
                names = names_out(step, names)
        return names

    @available_if(_final_has("predict"))
    def predict(self, X: Any, **arguments: Any) -> Any:
        """Predictions of the final step for the transformed rows."""
        return self._call_final("predict", X, **arguments)

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X: Any, **arguments: Any) -> Any:
        """Class probabilities by the final step."""
        return self._call_final("predict_proba", X, **arguments)

    @available_if(_final_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, **arguments: Any) -> Any:
        """Log probabilities of the classes by the final step."""
        return self._call_final("predict_log_proba", X, **arguments)

    @available_if(_final_has("decision_function"))
    def decision_function(self, X: Any, **arguments: Any) -> Any:
        """Decision function of the final step on the transformed rows."""
        refuse_metadata(self, "decision_function", arguments)
        return self._call_final("decision_function", X, **arguments)

    @available_if(_final_has("score_samples"))
    def score_samples(self, X: Any) -> Any:
        """Score of each sample by the final step."""
        return self._call_final("score_samples", X)

    @available_if(_can_transform)
    def transform(self, X: Any, **arguments: Any) -> Any:
        """The rows of `X`, transformed by all steps."""
        refuse_metadata(self, "transform", arguments)
        return (
            self._before_final(X, arguments) if self._final in PASS else self._call_final("transform", X, **arguments)
        )

    @available_if(_can_invert)
    def inverse_transform(self, X: Any, **arguments: Any) -> Any:
        """Inverse transform of every step, in reverse order."""
        self._require_fit()
        refuse_metadata(self, "inverse_transform", arguments)
        check_metadata(self, "inverse_transform", arguments)
        for _, step in reversed(self._now):
            if step not in PASS:
                X = step.inverse_transform(X, **requested_metadata(step, "inverse_transform", arguments))
        return X

    @available_if(_final_has("score"))
    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> float:
        """Score of the final step on the transformed rows."""
        extra = arguments if sample_weight is None else {"sample_weight": sample_weight, **arguments}
        return float(self._call_final("score", X, y, **extra))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the output columns of the final step."""
        self._require_fit()
        names = input_features if input_features is not None else getattr(self._first, "feature_names_in_", None)
        return np.asarray(self._names_through(len(self._now), names), dtype=object)

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that every step returns."""
        for _, step in {id(step): (name, step) for name, step in (*self.steps, *self._now)}.values():
            if hasattr(step, "set_output"):
                step.set_output(transform=transform)
        return self

    @property
    def classes_(self) -> Array:
        """The classes that the last step knows."""
        found: Array = self._final.classes_
        return found

    @property
    def named_steps(self) -> Any:
        """The steps by name, as attributes and as entries; fitted ones after a fit."""
        from ..core.sklearn_api.bunch import Bunch

        return Bunch(**dict(self._now))

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Any]:
        return (step for _, step in self._now)

    def __getitem__(self, which: int | str | slice) -> Any:
        """A step by place or name, or the pipeline of some steps in a row; fitted ones after a fit."""
        if isinstance(which, str):
            return dict(self._now)[which]
        if not isinstance(which, slice):
            return self._now[which][1]
        if which.step not in (1, None):
            raise ParameterError(f"{type(self).__name__}: steps can only be sliced with a step of 1")
        part = type(self)(self.steps[which], memory=self.memory, verbose=self.verbose)
        if "steps_" in self.__dict__ and part.steps:
            part.steps_ = self.steps_[which]
            part._remember_columns_of(part._first)
        return part

    @property
    def _estimator_type(self) -> str:
        """What the last step is for; scikit-learn need not be there to ask it."""
        kind = role(self._last_step[1])
        if kind is None:
            raise AttributeError(f"the last step of {type(self).__name__} does not have an estimator type")
        return kind

    @property
    def pairwise(self) -> bool:
        """Whether the columns that the first step takes are comparisons with the training rows."""
        return len(self.steps) > 0 and is_pairwise(self.steps[0][1])

    def _effective_traits(self) -> Traits:
        first = self.steps[0][1] if self.steps else None
        return self.traits.accepting(traits_of(first)) if first not in PASS else self.traits

    def _routes(self) -> list[Route]:
        """Every step but the last transforms what the last one uses."""
        *before, last = list(self._named_parts()) or [("", None)]
        steps = [step_route(name, step) for name, step in before if step not in PASS]
        return steps if last[1] in PASS else [*steps, final_route(*last)]

    def __sklearn_tags__(self) -> Any:
        from ._composite_tags import tags_of_sequence

        return tags_of_sequence(self)
