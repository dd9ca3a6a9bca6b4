"""Mixins for custom estimators written in scikit-learn's style; each precedes `BaseEstimator` in the bases."""

from __future__ import annotations

import functools
from abc import ABCMeta
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..errors import DataError, not_fitted
from ..r2 import r_squared
from ..roles.traits import Traits
from ..roles.transformer import check_container
from ..validate.columns import numbered_names
from ..validate.dataframes import is_frame
from ..validate.features import Array, FeatureValidator
from .custom_tags import plain_tags, tag_classes
from .estimator_type import TYPES
from .output_config import OUTPUT


class _Tagged(metaclass=ABCMeta):  # noqa: B024  # what is abstract are the methods that mixins call
    """The end of the chain of `__sklearn_tags__` for a mixin that stands without `BaseEstimator`.

    Estimators of this library that do the same are instances of a mixin, too.
    """

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        task = getattr(getattr(other, "traits", None), "task", None)
        same = "_estimator_type" in cls.__dict__ and TYPES.get(task or "") == cls.__dict__["_estimator_type"]
        return True if same else NotImplemented

    def __sklearn_tags__(self) -> Any:
        above = getattr(super(), "__sklearn_tags__", plain_tags)
        return above()


class ClassifierMixin(_Tagged):
    """A custom classifier: it writes `fit` and `predict`, and has `score`."""

    _estimator_type = "classifier"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", tag_classes().ClassifierTags()
        tags.target_tags.required = True
        return tags

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`."""
        validator, predicted = FeatureValidator(type(self).__name__), np.asarray(self.predict(X))  # type: ignore[attr-defined]  # theirs
        truth = validator.any_target(y, len(predicted), predicted.ndim == 2)
        right = (truth == predicted).reshape(len(predicted), -1).all(axis=1)
        return float(np.average(right, weights=validator.weights(sample_weight, len(predicted))))


class RegressorMixin(_Tagged):
    """A custom regressor: it writes `fit` and `predict`, and has `score`."""

    _estimator_type = "regressor"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", tag_classes().RegressorTags()
        tags.target_tags.required = True
        return tags

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions for `X`."""
        validator, predicted = FeatureValidator(type(self).__name__), np.asarray(self.predict(X))  # type: ignore[attr-defined]  # theirs
        truth = validator.target(y, len(predicted), np.float64, True)
        return r_squared(truth, predicted, validator.weights(sample_weight, len(predicted)))


class ClusterMixin(_Tagged):
    """A custom clustering: it writes `fit`, which sets `labels_`."""

    _estimator_type = "clusterer"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags

    def fit_predict(self, X: Any, y: Any = None, **arguments: Any) -> Array:
        """Fit, and return the group of each row."""
        found: Array = self.fit(X, **arguments).labels_  # type: ignore[attr-defined]  # the class writes it
        return found


class OutlierMixin(_Tagged):
    """A custom detector of outliers: it writes `fit` and `predict`, -1 for outliers and 1 for others."""

    _estimator_type = "outlier_detector"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        return tags

    def fit_predict(self, X: Any, y: Any = None, **arguments: Any) -> Array:
        """Fit, and return -1 for the rows that are outliers and 1 for the others."""
        found: Array = self.fit(X, **arguments).predict(X)  # type: ignore[attr-defined]  # the class writes it
        return found


class DensityMixin(_Tagged):
    """A custom density: it writes `fit` and `score`."""

    _estimator_type = "density_estimator"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags

    def score(self, X: Any, y: Any = None) -> Any:
        """Nothing, unless the class says more."""
        return None


class BiclusterMixin:
    """A custom biclustering: it writes `fit`, which sets `rows_` and `columns_`, a row of truths for each group."""

    rows_: Array
    columns_: Array

    @property
    def biclusters_(self) -> tuple[Array, Array]:
        """Which rows and which columns belong to each group."""
        return self.rows_, self.columns_

    def get_indices(self, i: int) -> tuple[Array, Array]:
        """The rows and the columns of group `i`."""
        return np.flatnonzero(self.rows_[i]), np.flatnonzero(self.columns_[i])

    def get_shape(self, i: int) -> tuple[int, int]:
        """How many rows and columns group `i` has."""
        rows, columns = self.get_indices(i)
        return len(rows), len(columns)

    def get_submatrix(self, i: int, data: Any) -> Any:
        """The part of `data` that belongs to group `i`."""
        rows, columns = self.get_indices(i)
        table = data.tocsr() if hasattr(data, "tocsr") else np.asarray(data)
        return table[rows[:, None], columns]


class MultiOutputMixin(_Tagged):
    """A custom estimator that takes several targets."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class MetaEstimatorMixin:
    """Mixin of custom meta-estimators; a marker without methods."""


class TransformerMixin(_Tagged):
    """A custom transformer: it writes `fit` and `transform`, and has `fit_transform` and `set_output`."""

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        ours = isinstance(getattr(other, "traits", None), Traits) and hasattr(other, "transform")
        return True if cls is TransformerMixin and ours else NotImplemented

    def __init_subclass__(cls, auto_wrap_output_keys: tuple[str, ...] | None = ("transform",), **more: Any) -> None:
        super().__init_subclass__(**more)
        for name in ("transform", "fit_transform"):
            if name in cls.__dict__ and auto_wrap_output_keys is not None:
                setattr(cls, name, _in_container(cls.__dict__[name]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags = tag_classes().TransformerTags()
        return tags

    def fit_transform(self, X: Any, y: Any = None, **arguments: Any) -> Any:
        """Fit, and transform the same rows."""
        given = (X,) if y is None else (X, y)
        return self.fit(*given, **arguments).transform(X)  # type: ignore[attr-defined]  # the class writes both

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that `transform` returns; other ones than arrays need `get_feature_names_out`."""
        check_container(transform)
        if transform is not None:
            self.__dict__[OUTPUT] = {"transform": transform}
        return self


def _in_container(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, its result in the container requested by `set_output`."""

    @functools.wraps(method)
    def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        from .output_containers import wrapped

        result = method(self, X, *args, **kwargs)
        return result if is_frame(result) else wrapped(result, X, self)

    return call


class OneToOneFeatureMixin:
    """A custom transformer whose columns come out as they go in, with the same names."""

    n_features_in_: int

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that go in."""
        if not hasattr(self, "n_features_in_"):
            raise not_fitted(self)
        names = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        found = numbered_names(type(self).__name__, self.n_features_in_) if names is None else list(names)
        if len(found) != self.n_features_in_:
            raise DataError(
                f"{type(self).__name__}: input_features must name each of the {self.n_features_in_} columns of the "
                f"fit; it holds {len(found)}"
            )
        return np.array(found, dtype=object)


class ClassNamePrefixFeaturesOutMixin:
    """A custom transformer whose columns are called after it; it sets `_n_features_out`, how many there are."""

    _n_features_out: int

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The name of the class in lower case, and a number for each column."""
        if not hasattr(self, "_n_features_out"):
            raise not_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}{j}" for j in range(self._n_features_out)], dtype=object)
