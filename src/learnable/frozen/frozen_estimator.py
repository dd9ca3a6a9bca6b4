"""A fitted model that is not fitted again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..core.declare import registry
from ..core.errors import ParameterError, not_fitted
from ..core.sklearn_api.estimator_type import is_fitted
from ..core.validate.sparse_input import ChecksSparse

AT_ONCE = ("fit_predict", "fit_transform")  # what would fit, and `fit` does not


@registry.value
@dataclass(frozen=True, repr=False)
class FrozenEstimator(ChecksSparse):
    """Frozen estimator: a fitted estimator whose `fit` does nothing, and whose clones are itself.

    Calibration, thresholds and ensembles fit what they are given; frozen, a model that exists stays the one it is.

    >>> import learnable
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = learnable.LogisticRegression().fit(X, y)
    >>> frozen = FrozenEstimator(model)
    >>> bool((frozen.fit(X, [1, 1, 0, 0]).predict(X) == model.predict(X)).all()), learnable.clone(frozen) is frozen
    (True, True)
    """

    estimator: Any

    def fit(self, X: Any, y: Any = None, *arguments: Any, **options: Any) -> Self:
        """Learn nothing; refuse an estimator that is not fitted."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self.estimator)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The estimator only: its own parameters cannot be changed after the fit."""
        return {"estimator": self.estimator}

    def set_params(self, **changes: Any) -> Self:
        """Take another fitted estimator."""
        for name, value in changes.items():
            if name != "estimator":
                raise ParameterError(
                    f"FrozenEstimator: only estimator can be set, as nothing is fitted again; got {name}"
                )
            object.__setattr__(self, "estimator", value)
        return self

    def __getattr__(self, name: str) -> Any:
        if name in AT_ONCE or name == "estimator" or (name.startswith("__") and name != "__sklearn_tags__"):
            raise AttributeError(f"FrozenEstimator has no {name}")
        return getattr(self.estimator, name)

    def __getitem__(self, key: Any) -> Any:
        return self.estimator[key]

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return is_fitted(self.estimator)

    def __repr__(self) -> str:
        return f"FrozenEstimator(estimator={self.estimator!r})"
