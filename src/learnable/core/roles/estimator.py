"""Base class of all estimators: declared parameters, input validation, the scope of a fit.

A family class is abstract or final: `Estimator` and the roles beside it (`Regressor`, `Classifier`, `Transformer`,
`Composite`) are the only base classes, and an estimator writes `_fit` and its prediction (`_predict`,
`_classify`, `_transform`); checking, seeding, timing and reporting happen here.
"""

from __future__ import annotations

import copy
from abc import ABC
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..declare import params
from ..declare.display import html_repr, text_repr
from ..declare.nested_params import assign, gathered
from ..errors import ConvergenceWarning, DataError, NotFittedError, compatible, not_fitted, warn
from ..runtime import context
from ..runtime.trace import EARLY, Certificate, Stopped, Trace
from ..sklearn_api.configuration import setting
from ..sklearn_api.estimator_type import is_pairwise
from ..sklearn_api.metadata_requests import MetadataRequests
from ..sklearn_api.output_config import OUTPUT
from ..sklearn_api.routing import REQUESTS
from ..validate import range_errors
from ..validate.columns import aligned
from ..validate.features import Array, FeatureValidator, Matrix, all_finite
from ..validate.rows import row_count
from ..validate.sparse_input import ChecksSparse
from .traits import Traits, inherited_traits

validator = cache(FeatureValidator)  # one for each kind of estimator
OVERFLOWS: Any = {
    "over": "call",
    "divide": "call",
    "invalid": "call",
}  # handled by `range_errors`
CAUSES: dict[Stopped, str] = {"limit": "the iteration limit", "stalled": "rounding", **EARLY}  # of an unfinished fit


class Estimator(MetadataRequests, ChecksSparse, ABC):
    """Something with declared parameters that learns from data.

    `traits`, `title` and `reference` describe it: `learnable models`, the documentation and scikit-learn's tags read
    them.
    """

    traits: ClassVar[Traits] = Traits()  # a subclass states what differs: traits = Traits(sparse=True)
    title: ClassVar[str] = ""  # the name of the method that people search for
    reference: ClassVar[str] = ""

    n_features_in_: int
    feature_names_in_: Array
    trace_: Trace
    certificate_: Certificate

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.traits = inherited_traits(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of estimators among them, as `outer__inner`."""
        declared = params.parameters(type(self))
        return gathered(self, declared, deep) if deep else {name: getattr(self, name) for name in declared}

    def set_params(self, **values: Any) -> Self:
        """Set parameters by name; `outer__inner` reaches into an estimator among them."""
        declared = params.parameters(type(self))
        if not values.keys() <= declared.keys():
            assign(self, declared, values)
            return self
        for name, value in values.items():
            setattr(self, name, value)
        return self

    def clone(self) -> Self:
        """A new, unfitted estimator with equal parameters."""
        fresh: Self = _unfitted_copy(self)
        return fresh

    if not TYPE_CHECKING:  # a checker would take every name for an attribute then

        def __getattr__(self, name: str) -> Any:
            """Explain that a learned attribute needs a fit; other attributes are missing as usual."""
            declared = getattr(type(self), "__dataclass_fields__", {})
            if name in declared and "shape" in declared[name].metadata and not self.__sklearn_is_fitted__():
                raise compatible(NotFittedError)(
                    f"{type(self).__name__} has no {name} yet: it is not fitted. Searches and ensembles fit clones "
                    "of their components; access the fitted one through them, such as search.best_estimator_"
                )
            if name in declared and "shape" in declared[name].metadata:
                message = f"{type(self).__name__} has no {name}: its fit did not learn it"
                raise AttributeError(message, name=name, obj=self)
            return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        return text_repr(self)

    def _repr_html_(self) -> str | None:
        return html_repr(self) if setting("display") == "diagram" else None

    def __sklearn_is_fitted__(self) -> bool:
        return "n_features_in_" in self.__dict__

    def _require_fit(self) -> None:
        """Raise an error before a fit."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _unsound(self) -> str:
        """What is wrong with what a file says was learned, beyond its types and shapes; nothing unless a class says."""
        return ""

    def _effective_traits(self) -> Traits:
        """The traits with the parameters, and the components, as they are; those of the class unless it says more."""
        return self.traits

    def __sklearn_tags__(self) -> Any:
        from ..sklearn_api.tags import scikit_learn_tags

        return scikit_learn_tags(self)

    def get_metadata_routing(self) -> Any:
        """Metadata routing of scikit-learn: what the methods request, or what the components of a composite do."""
        from ..sklearn_api.metadata import router_of

        routes = self._routes()
        return super().get_metadata_routing() if routes is None else router_of(self, routes)

    def _routes(self) -> list[Any] | None:
        """Where metadata go: a `Route` for each component of a meta-estimator, None for all other estimators."""
        return None

    @property
    def pairwise(self) -> bool:
        """Whether the columns of X are comparisons with the training rows, as those of a kernel matrix are."""
        how = getattr(self, self.traits.compares_by, None)
        by_name = how is None or isinstance(how, str)
        return self.traits.takes == "kernel" or (how == "precomputed" if by_name else is_pairwise(how))

    @property
    def _validator(self) -> FeatureValidator:
        traits = self.traits
        return validator(type(self).__name__, traits.sparse, traits.storage, traits.missing, traits.infinite)

    @property
    def _limit_is_planned(self) -> bool:
        """Whether a fit is to run to its limit, as with a learning rate that falls to zero there."""
        return False

    def _read(self, X: Any) -> Matrix:
        """`X` checked against what `fit` saw."""
        fitted = "n_features_in_" in self.__dict__
        if not fitted and not self.traits.stateless:
            raise not_fitted(self)
        if self.traits.by_name and "feature_names_in_" in self.__dict__:
            X = aligned(X, self.feature_names_in_.tolist())
        matrix, names = self._enter(X)
        if fitted:
            self._check_columns(matrix, names)
        return matrix

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix of numbers, or as a table where columns may be of any kind; and its column names."""
        return self._validator.table(X) if self.traits.takes == "table" else self._validator.matrix(X)

    def _enter_to_learn(self, X: Any, sample_weight: Any) -> tuple[Matrix, list[str] | None]:
        """The same for a fit: estimators that detect non-finite numbers skip the scan, unless there are weights."""
        unseen = self.traits.detects_non_finite and sample_weight is None
        return self._validator.matrix(X, unseen) if unseen else self._enter(X)

    def _check_columns(self, matrix: Matrix, names: list[str] | None) -> None:
        fitted = self.__dict__.get("feature_names_in_")
        if names is not None or fitted is not None:
            check_names(type(self).__name__, names, None if fitted is None else list(fitted))
        if matrix.shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {matrix.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )

    def _remember_columns(self, matrix: Matrix, names: list[str] | None) -> None:
        if "n_features_in_" in self.__dict__ and getattr(self, "warm_start", False):
            self._check_columns(matrix, names)
        self.n_features_in_ = matrix.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _remember_columns_of(self, part: Any, X: Any = None) -> None:
        """Take over what an estimator inside this one remembers of the columns; of a kernel matrix `X`, all."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(part, name):
                self.__dict__[name] = getattr(part, name)
        if X is not None and self.pairwise:
            self.n_features_in_ = row_count(X)  # which are compared with one another
            if len(self.__dict__.get("feature_names_in_", ())) != self.n_features_in_:  # names of a part of them
                self.__dict__.pop("feature_names_in_", None)

    @contextmanager
    def _fitting(self, *arrays: Any, going_on: bool = False) -> Iterator[Trace]:
        """The scope of a fit on `arrays`: old results are removed, unless `going_on`; a failed fit changes nothing."""
        before = self.__dict__.copy()
        begun = going_on or bool(before.get("warm_start", False))
        for name in (*([] if begun else params.learned_shapes(type(self))), "trace_", "certificate_"):
            self.__dict__.pop(name, None)
        trace = Trace(self)
        try:
            with context.Fitting(self, arrays, begun):
                try:
                    with np.errstate(**OVERFLOWS, call=partial(range_errors.on_floating_point_error, self, arrays)):
                        yield trace
                    if not learned_is_finite(self, trace):
                        range_errors.refuse_extremes(self, arrays)
                except BaseException as error:
                    range_errors.explain_failure(self, arrays, error)
                    if begun:
                        range_errors.refuse_learned(self, before, error)
                    raise
            trace.withdraw()
            trace.owner, self.trace_ = None, trace
            if trace.certificate is not None:
                self.certificate_ = trace.certificate
            _warn_unfinished(self, trace)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise


def learned_is_finite(estimator: Estimator, trace: Trace) -> bool:
    """Whether what was learned of the columns, and what is proven of it, are finite."""
    if trace.certificate is not None and not trace.certificate.value < np.inf:
        return False
    return all(all_finite(estimator.__dict__.get(name)) for name in _learned_by_feature(type(estimator)))


@params.per_class
def _learned_by_feature(cls: type) -> list[str]:
    """The learned attributes with a value for each column."""
    return [name for name, shape in params.learned_shapes(cls).items() if "features" in (shape.axes or ())]


def clone(estimator: Any, *, safe: bool = True) -> Any:
    """Clone an estimator: a new, unfitted one with equal parameters; lists and tuples are cloned element by element.

    What is not an estimator is refused, or copied with all that is in it if `safe` is False.

    >>> from learnable.linear_model import Ridge
    >>> clone(Ridge(alpha=2.0).fit([[0.0], [1.0]], [0.0, 1.0]))
    Ridge(alpha=2.0)
    """
    if safe:
        _check_clonable(estimator)
    return cloned(estimator)


def _check_clonable(value: Any) -> None:
    """Refuse what has no parameters to copy."""
    if type(value) in (list, tuple):
        for item in value:
            _check_clonable(item)
    elif isinstance(value, type):
        raise TypeError(f"clone: give an estimator such as {value.__name__}(), not its class")
    elif not hasattr(value, "get_params"):
        raise TypeError(
            f"clone: {value!r:.60} is not an estimator (it has no get_params); safe=False copies it as it is"
        )


def cloned(value: Any) -> Any:
    """A copy for a new estimator: estimators unfitted, also those of other libraries, everything else as it is."""
    if isinstance(value, Estimator):
        return value.clone()
    if hasattr(value, "__sklearn_clone__") and not isinstance(value, type):
        return value.__sklearn_clone__()  # which may be itself, as of one that is frozen
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _unfitted_copy(value)
    if type(value) in (list, tuple):
        return type(value)(cloned(item) for item in value)
    return copy.deepcopy(value)


def fitted_estimator(estimator: Any, *data: Any, **arguments: Any) -> Any:
    """What `fit` of an estimator returns; the estimator where that is nothing."""
    found = estimator.fit(*data, **arguments)
    return estimator if found is None else found


def _unfitted_copy(estimator: Any) -> Any:
    """One of the same class with copies of its parameters, and with what was chosen by `set_output` and requested."""
    fresh = type(estimator)(**{name: cloned(value) for name, value in estimator.get_params(deep=False).items()})
    for choice in (OUTPUT, REQUESTS):
        if choice in getattr(estimator, "__dict__", ()):
            fresh.__dict__[choice] = copy.deepcopy(estimator.__dict__[choice])
    return fresh


def _warn_unfinished(estimator: Estimator, trace: Trace) -> None:
    kept_its_promise = trace.stopped == "limit" and trace.certificate is not None and trace.certificate.holds
    planned = trace.stopped == "limit" and estimator._limit_is_planned
    if trace.stopped in CAUSES and not kept_its_promise and not planned and not trace.adopted:
        proof = f" ({str(trace.certificate).rstrip('.')})" if trace.certificate is not None else ""
        stalled, tolerant = trace.stopped == "stalled", "tol" in params.parameters(type(estimator))
        advice = {"allow more": not stalled, "loosen tol": tolerant, "scale the columns": tolerant or stalled}
        advice["leave out columns that others nearly repeat"] = stalled
        remedies = [words for words, fits in advice.items() if fits]
        warn(
            f"{type(estimator).__name__}: stopped by {CAUSES[trace.stopped]} after {trace.work}, "
            f"before convergence{proof}; {' or '.join(remedies)}",
            ConvergenceWarning,
        )


def check_names(owner: str, names: list[str] | None, fitted: list[str] | None) -> None:
    """Refuse other column names than `fit` saw; warn where only one side has names."""
    if names == fitted:
        return
    if names is None:
        warn(f"X does not have valid feature names, but {owner} was fitted with feature names", UserWarning)
        return
    if fitted is None:
        warn(f"X has feature names, but {owner} was fitted without feature names", UserWarning)
        return
    unseen, lost = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    message = f"{owner}: The feature names should match those that were passed during fit.\n"
    for heading, group in (
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", lost),
    ):
        if group:
            message += (
                heading + "\n" + "".join(f"- {name}\n" for name in group[:5]) + ("- ...\n" if len(group) > 5 else "")
            )
    if not unseen and not lost:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise DataError(message + "Select the columns by the names that fit saw: X[list(model.feature_names_in_)]")
