"""Any function of a table as a transformer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, DataError, Traits, available_if, estimator, param
from ..core.declare import params
from ..core.errors import warn
from ..core.roles.transformer import WithContainers
from ..core.sklearn_api.output_containers import container_of, wrapped
from ..core.validate.columns import labels_or_none, numbered_names
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse


def _names_columns(transformer: Any) -> bool:
    if transformer.feature_names_out is None:
        raise AttributeError("This 'FunctionTransformer' has no names: set feature_names_out to 'one-to-one'")
    return True


@estimator
class FunctionTransformer(WithContainers):
    """Function transformer: a function of the whole table as a step that learns nothing.

    z = func(X)

    Nothing is learned but the columns. With `validate` the function sees a matrix of numbers, otherwise the table as it
    came. Functions cannot be kept in model files.

    >>> import numpy as np
    >>> FunctionTransformer(np.log1p, np.expm1).fit_transform(np.array([[0.0], [1.0]])).round(3)
    array([[0.   ],
           [0.693]])
    """

    title = "function transformer"
    traits = Traits(task="transformation", weights=False, stateless=True)

    func: Callable[..., Any] | None = param(None, "function of the table (None: identity)", kw_only=False)
    inverse_func: Callable[..., Any] | None = param(None, "inverse of func (None: identity)", kw_only=False)
    validate: bool = param(False, "whether to validate X as a numeric matrix before calling the function")
    accept_sparse: bool = param(False, "whether sparse matrices are accepted, with `validate`")
    check_inverse: bool = param(True, "whether to compare some rows with what comes back")
    feature_names_out: Callable[..., Any] | Literal["one-to-one"] | None = param(
        None, "output feature names: those of the input, or a function of the transformer and them"
    )
    kw_args: dict[str, Any] | None = param(None, "keyword arguments of func")
    inv_kw_args: dict[str, Any] | None = param(None, "keyword arguments of inverse_func")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Inspect the columns, and compare some rows with what the inverse gives back."""
        params.check(self)
        table, names = self._enter(X)
        with self._fitting(table, None, None) as trace:
            if len(table.shape) > 1:
                self._remember_columns(table, names)
            if self.check_inverse and self.func is not None and self.inverse_func is not None:
                self._compare(table)
            trace.exact("a given function has nothing to learn")
        return self

    def _enter(self, X: Any) -> tuple[Any, list[str] | None]:
        """The table as it came, or with `validate` as a matrix of numbers; and the names of its columns."""
        if self.validate:
            return FeatureValidator(type(self).__name__, self.accept_sparse, "csr").matrix(X)
        labels = labels_or_none(X)
        named = labels is not None and all(isinstance(label, str) for label in labels)
        table = X if hasattr(X, "shape") else np.asarray(X)
        return (table, labels if named else None) if len(table.shape) > 1 else (table, None)

    def _compare(self, table: Any) -> None:
        some = table[:: max(1, table.shape[0] // 100)]
        back = self.inverse_transform(self._apply(self.func, self.kw_args, some))
        ours, theirs = (np.asarray(part.toarray() if is_sparse(part) else part) for part in (some, back))
        if ours.dtype.kind not in "fiub":
            raise DataError(
                "FunctionTransformer: 'check_inverse' is only supported when all the elements in `X` is numerical; set "
                "check_inverse=False"
            )
        if not np.allclose(ours.astype(float), theirs.astype(float), equal_nan=True):
            warn(
                "FunctionTransformer: inverse_func does not undo func; check_inverse=False accepts that",
                UserWarning,
            )

    def _apply(self, function: Callable[..., Any] | None, arguments: dict[str, Any] | None, X: Any) -> Any:
        return X if function is None else function(X, **(arguments or {}))

    def transform(self, X: Any) -> Any:
        """The function of `X`."""
        result = self._apply(self.func, self.kw_args, self._read(X) if self.validate else self._enter(X)[0])
        return self._wrapped(result, X)

    def _wrapped(self, result: Any, X: Any) -> Any:
        requested = container_of(self)
        if self.feature_names_out is not None and labels_or_none(result) is not None:
            result = self._renamed(result, X)
        if requested == "default" or labels_or_none(result) is not None:
            return result
        if self.feature_names_out is None:
            warn(
                f"FunctionTransformer: without names of columns the result cannot be a {requested} frame; let func "
                "return one, or set feature_names_out",
                UserWarning,
            )
            return result
        return wrapped(result, X, self)

    def _renamed(self, result: Any, X: Any) -> Any:
        """A frame that the function gave, with the columns named as `feature_names_out` says."""
        found, names = labels_or_none(result), list(self.get_feature_names_out())
        if found == names:
            return result
        if all(isinstance(name, str) for name in found or ()) and labels_or_none(X) != found:
            raise DataError(
                "FunctionTransformer: The output generated by `func` have different column names than the ones "
                f"provided by `get_feature_names_out`: {found} and {names}; let feature_names_out name them"
            )
        if hasattr(result, "rename_columns"):
            return result.rename_columns(names)
        result = result.clone() if hasattr(result, "clone") else result.copy(deep=False)
        result.columns = names
        return result

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """The inverse function of `X`."""
        return self._apply(self.inverse_func, self.inv_kw_args, self._enter(X)[0])

    @available_if(_names_columns)
    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, if `feature_names_out` says how to find them."""
        names = input_features if input_features is not None else self.__dict__.get("feature_names_in_")
        names = numbered_names(type(self).__name__, self.n_features_in_) if names is None else list(names)
        namer = self.feature_names_out
        found = namer(self, names) if callable(namer) else names
        return np.asarray(found, dtype=object)

    def _effective_traits(self) -> Traits:
        free = not self.validate
        return replace(self.traits, sparse=free or self.accept_sparse, missing="native" if free else "refuse")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = not self.validate
        return tags
