"""Base class and helpers of discriminant analysis."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..core import Array, Classifier, Data, DataError, ParameterError, Trace, WithContainers
from ..core.runtime.native import kernels
from ..engines import matrix_products
from ..engines.equivalent_rows import EquivalentRows, class_moments
from ..engines.passes import TrainingRows


class UnsupportedError(ParameterError, NotImplementedError):
    """A solver does not support the value of another parameter."""


class SingularError(DataError, np.linalg.LinAlgError):
    """A covariance has no inverse."""


class DiscriminantProjection(WithContainers):
    """Base class of classifiers that also project rows; a subclass implements `_project` and `_directions`."""

    def transform(self, X: Any) -> Any:
        """The rows of `X` in the directions that separate the classes best, in the configured container."""
        from ..core.sklearn_api.output_containers import wrapped

        return wrapped(self._project(self._read(X)), X, self)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """`fit(X, y).transform(X)`."""
        return self.fit(X, y, **fit_params).transform(X)  # type: ignore[attr-defined]  # a classifier has it

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that `transform` returns: class name in lower case and a number."""
        self._require_fit()
        name = type(self).__name__.lower()
        return np.array([f"{name}{j}" for j in range(self._directions())], dtype=object)

    @abstractmethod
    def _project(self, X: Array) -> Array: ...

    @abstractmethod
    def _directions(self) -> int: ...


class DiscriminantOnBlocks(Classifier):
    """A discriminant whose class means and covariances are those of few rows with the same moments of each class."""

    means_: Array
    shrinkage: Any

    @property
    def _shifted(self) -> bool:
        """Whether a shift of the columns changes nothing but the class means."""
        return True

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if self.shrinkage == "auto" or getattr(self, "covariance_estimator", None) is not None:
            raise DataError(
                f"{type(self).__name__}: shrinkage='auto' and covariance_estimator need all rows at once; give "
                "shrinkage a number, or fit it to a sample of the rows"
            )
        found = EquivalentRows.of_groups(rows.total(class_moments), self._shifted)
        self._fit(found.class_data(rows.first), trace)
        self._move(found.shift)

    def _move(self, shift: Array) -> None:
        """Undo the shift of the columns."""
        self.means_ = (self.means_ + shift).astype(self.means_.dtype)


def rows_that_count(data: Data, owner: str) -> tuple[Array, Array, Array | None]:
    """Rows of weight above zero, their classes and weights; each class must have one."""
    if data.weight is None:
        return data.X, data.y, None
    X, codes, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
    counts = np.bincount(codes, minlength=int(data.y.max()) + 1)
    if counts.min() == 0:
        raise DataError(f"{owner}: all rows of class number {counts.argmin()} have a weight of zero; drop the class")
    return X, codes, weight


def class_means(X: Array, codes: Array, classes: int, weight: Array | None) -> Array:
    """The weighted mean of the rows of each class."""
    return np.asarray(kernels.class_moments(X, codes, classes, weight)[1])


def upright(directions: Array) -> Array:
    """Directions in columns, of one matrix or of several, with unique signs.

    The largest entry of each is positive.
    """
    wide = directions.astype(np.float64, copy=False)
    return kernels.fix_signs(wide) if wide.ndim == 3 else kernels.fix_signs(wide[None])[0]
