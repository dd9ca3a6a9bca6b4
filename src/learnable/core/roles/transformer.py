"""Base classes of transformers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..declare import params
from ..errors import DataError, ParameterError, not_fitted
from ..runtime.trace import Trace
from ..sklearn_api.output_config import CONTAINERS, OUTPUT
from ..validate.columns import numbered_names
from ..validate.features import Array, Data, FeatureValidator, Matrix
from ..validate.targets import is_sparse
from .estimator import Estimator
from .traits import Traits


def check_container(name: str | None) -> None:
    """Refuse the name of a container that is not known."""
    if name is not None and name not in CONTAINERS:
        raise ParameterError(f'set_output: transform must be "default", "pandas" or "polars"; got {name!r}')


def names_in(transformer: Any, given: Any) -> list[Any]:
    """The columns that a fitted transformer takes: as it remembers them, as they are given, or numbered."""
    owner, width = type(transformer).__name__, transformer.n_features_in_
    fitted = transformer.__dict__.get("feature_names_in_")
    if given is None:
        return numbered_names(owner, width) if fitted is None else list(fitted)
    if np.isscalar(given) or not hasattr(given, "__len__") or is_sparse(given):
        raise DataError(f"{owner}: input_features must be a list of names; got {given!r:.40}")
    if fitted is not None and list(given) != list(fitted):
        raise DataError(f"{owner}: input_features is not equal to feature_names_in_")
    if len(given) != width:
        raise DataError(
            f"{owner}: input_features must name each of the {width} columns of the fit; it holds {len(given)}"
        )
    return list(given)


def given_back(transformer: Any, X: Any, width: int) -> Array:
    """Rows that `transform` gave, which come back as a table of `width` columns of numbers or objects."""
    if not transformer.__sklearn_is_fitted__():
        raise not_fitted(transformer)
    owner = type(transformer).__name__
    table = FeatureValidator(owner, missing="native").objects(X.toarray() if is_sparse(X) else X)
    if table.shape[1] != width:
        raise DataError(f"{owner}: codes have {width} columns here; X has {table.shape[1]}")
    return table


def compressed_back(transformer: Any, X: Any, width: int) -> Any:
    """The same as a sparse matrix, which sparse rows are not unpacked for."""
    from scipy.sparse import csr_array

    if is_sparse(X) and X.shape[1] != width:
        raise DataError(f"{type(transformer).__name__}: X has {X.shape[1]} columns; transform gives {width}")
    return csr_array(X if is_sparse(X) else numbers_back(transformer, X, width))


def numbers_back(transformer: Any, X: Any, width: int) -> Array:
    """The same where they can only be numbers."""
    table = given_back(transformer, X, width)
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError):
        owner = type(transformer).__name__
        raise DataError(f"{owner}: inverse_transform takes the numbers that transform gives; got {X!r:.60}") from None


class WithContainers(Estimator):
    """An estimator whose `transform` returns the container that was chosen."""

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that `transform` returns: arrays, pandas or polars frames."""
        check_container(transform)
        if transform is not None:
            self.__dict__[OUTPUT] = {"transform": transform}
        return self


class Transformer(WithContainers):
    """An estimator that turns a table into another table.

    The trait `uses_target` says whether `fit` reads y: "never" (it is there for pipelines, which pass one), "if given",
    or "always". Then `data.y` is y as it came, checked for length and missing values; otherwise it is empty.
    """

    traits = Traits(task="transformation")
    several_targets: ClassVar[bool] = False  # whether y may have several columns, which are passed on

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`, and from their targets if the method uses them."""
        params.check(self)
        data = self._training_data(X, y, sample_weight)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, data.names)
            self._fit(data, trace)
            if not trace.rows:
                trace.exact("the statistics of the training rows, computed directly")
        return self

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        validator = self._validator
        matrix, names = self._enter_to_learn(X, sample_weight)
        rows = matrix.shape[0]
        if self.traits.uses_target == "never" or (self.traits.uses_target == "if given" and y is None):
            target = np.empty(0)
        else:
            target = validator.any_target(y, rows, several=self.several_targets)
        return Data(matrix, target, validator.weights(sample_weight, rows), names)

    def _block_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """The validated rows of one block of a row source."""
        return self._training_data(X, y, sample_weight)

    def transform(self, X: Any) -> Any:
        """The rows of `X`, transformed; in the container requested by `set_output`."""
        from ..sklearn_api.output_containers import wrapped

        return wrapped(self._transform(self._read(X)), X, self)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y).transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that `transform` returns."""
        self._require_fit()
        names = names_in(self, input_features)
        return np.array(self._names_out(names), dtype=object)

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _transform(self, X: Matrix) -> Matrix: ...

    def _names_out(self, names: list[str]) -> list[str]:
        """The columns that come out, named after those that go in; as they are unless a class says otherwise."""
        return names


class UnweightedTransformer(Transformer):
    """A transformer whose `fit` takes no weights: a weight of 3 could not count a row as three copies."""

    traits = Traits(weights=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # the role without weights
        """Learn from the rows of `X`, and from their targets if the method uses them."""
        return super().fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]  # the role without weights
        """`fit(X, y).transform(X)`."""
        return self.fit(X, y).transform(X)


class Invertible(Transformer):
    """A transformer that can go back, as far as it keeps what it needs."""

    def inverse_transform(self, X: Any) -> Any:
        """Inverse transform: rows of `transform` mapped back to the original features."""
        self._require_fit()
        matrix, _ = self._validator.matrix(X)
        width = len(self.get_feature_names_out())
        if matrix.shape[1] != width:
            raise DataError(
                f"{type(self).__name__}: X has {matrix.shape[1]} columns, but inverse_transform is expecting the "
                f"{width} that transform gives"
            )
        return self._inverse(matrix)

    @abstractmethod
    def _inverse(self, X: Matrix) -> Any: ...


class Incremental(Transformer):
    """A transformer whose rows can come in parts: it writes `_fit_more`, which adds rows to what it knows already."""

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Update with a batch of rows; the result equals one fit on all rows."""
        params.check(self)
        data, begun = self._training_data(X, y, sample_weight), self.__sklearn_is_fitted__()
        if begun:
            self._check_columns(data.X, data.names)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
            self._fit_more(data)
            trace.exact("the statistics of all rows so far, computed directly")
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        self._fit_more(data)

    @abstractmethod
    def _fit_more(self, data: Data) -> None:
        """Add the rows of `data` to what was learned, if anything was."""
