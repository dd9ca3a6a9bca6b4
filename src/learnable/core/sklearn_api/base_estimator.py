"""Base class of custom estimators written in scikit-learn's style."""

from __future__ import annotations

import inspect
from abc import ABC
from typing import Any, Self

from ..declare.nested_params import assign, gathered
from ..declare.params import per_class
from .metadata_requests import MetadataRequests


class BaseEstimator(MetadataRequests, ABC):
    """An estimator whose parameters are the arguments of its constructor, kept as attributes of the same names.

    Such a class writes `__init__`, which only stores its arguments, and `fit`; with the mixins of `learnable.base` it
    works in pipelines, searches and cross-validation, here and in scikit-learn. Estimators of this library declare
    their parameters instead, and have checks, traces and certificates for it.

    >>> class Shrunk(BaseEstimator):
    ...     def __init__(self, factor=0.5):
    ...         self.factor = factor
    >>> Shrunk(factor=0.9).set_params(factor=0.1)
    Shrunk(factor=0.1)
    """

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        from ..roles.traits import Traits

        return True if cls is BaseEstimator and isinstance(getattr(other, "traits", None), Traits) else NotImplemented

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return constructor_arguments(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of estimators among them, as `outer__inner`."""
        return gathered(self, self._get_param_names(), deep)

    def set_params(self, **values: Any) -> Self:
        """Set parameters by name; `outer__inner` reaches into an estimator among them."""
        assign(self, self._get_param_names(), values)
        return self

    def __sklearn_tags__(self) -> Any:
        from .custom_tags import plain_tags

        return plain_tags()

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        shown = {name: getattr(self, name, None) for name in self._get_param_names()}
        changed = {name: repr(value) for name, value in shown.items() if repr(value) != repr(defaults[name].default)}
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in changed.items())})"


@per_class
def constructor_arguments(cls: type) -> list[str]:
    """The names of the arguments of a constructor, in order; one that takes any number of them is refused."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]  # asks for the constructor itself
        return []
    _, *arguments = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]  # the same
    if any(argument.kind is inspect.Parameter.VAR_POSITIONAL for argument in arguments):
        raise RuntimeError(f"{cls.__name__}.__init__ must name each argument; *args is not supported")
    return sorted(argument.name for argument in arguments if argument.kind is not inspect.Parameter.VAR_KEYWORD)
