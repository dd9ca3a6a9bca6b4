"""Different transformers for different columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    REQUIRED,
    Composite,
    DataError,
    ParameterError,
    ParameterTypeError,
    Trace,
    Traits,
    cloned,
    estimator,
    learned,
    param,
)
from ..core.declare import params
from ..core.roles.transformer import WithContainers, names_in
from ..core.sklearn_api.metadata import Route, check_metadata, refuse_metadata, requested_metadata
from ..core.sklearn_api.output_containers import container_of
from ..core.validate.columns import column_indices, kind_of_columns, labels_or_none, take_column, take_columns
from ..core.validate.dataframes import is_frame
from ..core.validate.features import Array, FeatureValidator
from ..core.validate.targets import is_sparse
from ..pipeline._routes import transformer_route
from ..pipeline._stack_results import frame_of, in_parallel, side_by_side, wide
from ..pipeline._steps import (
    addressed,
    announced,
    fitted_and_transformed,
    is_fitted_part,
    is_transformer,
    names_out,
    takes_weights,
    traits_of_parts,
)

WORDS = ("drop", "passthrough")
NO_ARGUMENTS: dict[str, Any] = {}


@estimator
class ColumnTransformer(Composite, WithContainers):
    """Column transformer: apply a transformer to each subset of columns and concatenate the results.

    f(x) = [t_1(x[columns_1]), ..., t_k(x[columns_k]), x[the rest]]

    Columns are given by list, range, mask or a rule such as `make_column_selector`. A single name or place gives the
    part that column by itself, as those take it that read texts; a list of one gives a table of one column. What is
    left over is dropped, passed through or transformed, as `remainder` says. After a fit on named columns they are
    found by name in whatever order they come. The parts are fitted independently, in threads if `n_jobs` asks for them.

    >>> import pandas
    >>> from learnable import OneHotEncoder, StandardScaler
    >>> table = pandas.DataFrame({"size": [1.0, 3.0], "colour": ["red", "blue"]})
    >>> both = ColumnTransformer([("number", StandardScaler(), ["size"]), ("code", OneHotEncoder(), ["colour"])])
    >>> both.fit_transform(table)
    array([[-1.,  0.,  1.],
           [ 1.,  1.,  0.]])
    """

    title = "column transformer"
    traits = Traits(takes="parts", task="transformation")
    parts = "transformers"

    transformers: list[Any] | tuple[Any, ...] = param(REQUIRED, "(name, transformer, columns) tuples", kw_only=False)
    remainder: Any = param("drop", '"drop", "passthrough" or a transformer for the other columns')
    sparse_threshold: float = param(0.3, "density below which a partly sparse result is sparse", between=(0, 1))
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    transformer_weights: dict[str, float] | None = param(None, "weight of the columns of each component, by name")
    verbose: bool = param(False, "whether to print the name of each component when it is fitted")
    verbose_feature_names_out: bool | str | Callable[..., str] = param(
        True, "whether feature names are prefixed with the component's name"
    )

    transformers_: list[Any] = learned("the fitted parts, as (name, transformer, columns) tuples")
    places_: list[Any] = learned("column indices of each transformer")
    widths_: list[Any] = learned("number of output columns of each component")
    sparse_output_: bool = learned("whether the result is sparse")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit every transformer to its columns; `name__argument` is passed to the transformer of that name."""
        self.fit_transform(X, y, sample_weight, **arguments)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit every transformer to its columns, and return the concatenated results."""
        params.check(self)
        self._check()
        X = _table(X)
        check_metadata(self, "fit_transform", {"sample_weight": sample_weight, **arguments})
        more = addressed(type(self).__name__, [*(entry[0] for entry in self.transformers), "remainder"], arguments)
        with self._fitting(X, y, sample_weight) as trace:
            self._remember(X)
            groups = list(self._groups(X))
            live = [group for group in groups if group[1] != "drop" and group[2]]
            jobs = [
                partial(self._fit_part, place + 1, len(live), group, X, y, sample_weight, more[group[0]])
                for place, group in enumerate(live)
            ]
            done = dict(zip([group[0] for group in live], in_parallel(jobs, self.n_jobs), strict=True))
            fitted = {name: pair[0] for name, pair in done.items()}
            self.places_ = [indices for _, _, indices, _ in groups]
            self.transformers_ = [
                (name, fitted.get(name, _without_fit(part)), columns)
                for (name, part, _, _), columns in zip(groups, self._columns(X, groups), strict=True)
            ]
            blocks = self._blocks(X, {name: pair[1] for name, pair in done.items()})
            result = self._joined(blocks, X, first=True)
            trace.exact("every part was fitted on its columns by itself")
        return result

    def _fit_scan(self, rows: Any, trace: Trace) -> None:
        """Fit every transformer to its columns of rows in blocks."""
        self._check()
        first = _table(rows.first_table())
        self._remember(first)
        groups = list(self._groups(first))
        self.places_ = [indices for _, _, indices, _ in groups]
        self.transformers_ = []
        for (name, part, indices, alone), columns in zip(groups, self._columns(first, groups), strict=True):
            fitted = _without_fit(part)
            if part == "passthrough":
                fitted.fit(take_columns(first, indices))
            elif part != "drop" and indices:
                own = rows if takes_weights(fitted) else rows.without_weight()
                own.mapped(partial(_part_of, indices=indices, alone=alone)).fit_estimator(fitted, None, None)
            self.transformers_.append((name, fitted, columns))
        self._joined(self._blocks(first, {}), first, first=True)
        trace.exact("every part was fitted on its columns by itself")

    def _fit_part(
        self,
        position: int,
        count: int,
        group: tuple[str, Any, list[int], bool],
        X: Any,
        y: Any,
        weight: Any,
        more: dict[str, Any],
    ) -> tuple[Any, Any]:
        name, part, indices, alone = group
        with announced(self, "", name, position, count):
            if part == "passthrough":
                table = take_columns(X, indices)
                return _without_fit(part).fit(table), table
            return fitted_and_transformed(cloned(part), _part_of(X, indices, alone), y, weight, more)

    def _check(self) -> None:
        if len(self.transformers):
            self._check_parts()
        for entry in self.transformers:
            if len(entry) != 3:
                raise ParameterError(
                    "ColumnTransformer: each entry of transformers must be (name, transformer, columns); got "
                    f"{entry!r:.60}"
                )
        for name, part in [*((name, part) for name, part, _ in self.transformers), ("remainder", self.remainder)]:
            if part not in WORDS and not is_transformer(part):
                raise ParameterTypeError(
                    f"ColumnTransformer: {name} must be 'drop', 'passthrough' or have fit and transform; "
                    f"got {part!r:.60}"
                )

    def _remember(self, X: Any) -> None:
        labels = labels_or_none(X)
        self.n_features_in_ = int(X.shape[1])
        self.__dict__.pop("feature_names_in_", None)
        if labels is not None and all(isinstance(label, str) for label in labels):
            self.feature_names_in_ = np.array(labels, dtype=object)

    def _groups(self, X: Any) -> Iterator[tuple[str, Any, list[int], bool]]:
        """(name, transformer, its column indices, whether it is a single column), the remainder last."""
        taken: set[int] = set()
        for name, part, columns in self.transformers:
            indices = column_indices(X, columns, f"ColumnTransformer, {name!r}")
            taken.update(indices)
            yield name, part, indices, _is_alone(columns)
        rest = [place for place in range(X.shape[1]) if place not in taken]
        if rest:
            yield "remainder", self.remainder, rest, False

    def _columns(self, X: Any, groups: list[Any]) -> Iterator[Any]:
        """The columns of each part as they were given, and the remainder in the form that all of them have."""
        given = [columns for _, _, columns in self.transformers]
        yield from (columns(X) if callable(columns) else columns for columns in given)
        kinds = set(map(kind_of_columns, given))
        for _, _, indices, _ in groups[len(given) :]:
            if kinds == {"str"} and "feature_names_in_" in self.__dict__:
                yield [str(self.feature_names_in_[place]) for place in indices]
            else:
                yield [place in indices for place in range(X.shape[1])] if kinds == {"bool"} else list(indices)

    def _unsound(self) -> str:
        """Every part has a name and columns that are there."""
        entries = [entry for entry in self.transformers_ if isinstance(entry, tuple) and len(entry) == 3]
        if len(entries) != len(self.transformers_) or len(self.places_) != len(entries):
            return (
                "transformers_ must hold name, transformer and columns of each part, and places_ the positions of these"
            )
        if not all(isinstance(name, str) and (part == "drop" or is_fitted_part(part)) for name, part, _ in entries):
            return "transformers_ must hold fitted transformers"
        known = range(self.n_features_in_)
        if not all(isinstance(indices, list) and all(place in known for place in indices) for indices in self.places_):
            return "places_ names a column that is not there"
        live = sum(
            part != "drop" and bool(indices) for (_, part, _), indices in zip(entries, self.places_, strict=True)
        )
        counts = all(type(width) is int and width >= 0 for width in self.widths_)
        return "" if counts and len(self.widths_) == live else "widths_ must count the columns of each part"

    def __sklearn_is_fitted__(self) -> bool:
        return "transformers_" in self.__dict__

    def transform(self, X: Any, **arguments: Any) -> Any:
        """The concatenated output of all transformers for the rows of `X`; `arguments` are metadata."""
        self._require_fit()
        refuse_metadata(self, "transform", arguments)
        check_metadata(self, "transform", arguments)
        X = self._aligned(_table(X))
        return self._joined(self._blocks(X, {}, arguments), X)

    def _aligned(self, X: Any) -> Any:
        """The columns that `fit` saw in the order in which it saw them; only those that are used have to be there."""
        names, labels = self.__dict__.get("feature_names_in_"), labels_or_none(X)
        if names is None or labels is None:
            if names is not None and any(kind_of_columns(columns) == "str" for _, _, columns in self.transformers):
                raise ParameterError(
                    "ColumnTransformer: Specifying the columns by name needs a table with column names; X has none"
                )
            if X.shape[1] != self.n_features_in_:
                raise DataError(
                    f"X has {X.shape[1]} features, but ColumnTransformer is expecting {self.n_features_in_} features "
                    "as input"
                )
            return X
        needed = {
            str(names[place])
            for (_, part, _), indices in zip(self.transformers_, self.places_, strict=True)
            for place in indices
            if part != "drop"
        }
        lost = sorted(needed - set(labels))
        if lost:
            raise DataError(f"ColumnTransformer: columns are missing: {lost[:5]}; fit saw them, and X has {labels[:8]}")
        return X

    def _blocks(
        self, X: Any, ready: dict[str, Any], metadata: dict[str, Any] = NO_ARGUMENTS
    ) -> list[tuple[str, Any, Any]]:
        """(name, part, result) of every part that gives columns; results that are there already are `ready`."""
        found, by_name = [], labels_or_none(X) is not None and "feature_names_in_" in self.__dict__
        for (name, part, columns), indices in zip(self.transformers_, self.places_, strict=True):
            if part == "drop" or not indices:
                continue
            chosen = column_indices(X, self.feature_names_in_[indices], "ColumnTransformer") if by_name else indices
            result = ready.get(name)
            if result is None:
                passed = _passes(part)
                own = _part_of(X, chosen, _is_alone(columns) and not passed)
                more = {} if passed else requested_metadata(part, "transform", metadata)
                result = own if passed else part.transform(own, **more)
            scale = (self.transformer_weights or {}).get(name)
            found.append((name, part, result if scale is None else result * scale))
        return found

    def _joined(self, blocks: list[tuple[str, Any, Any]], X: Any, first: bool = False) -> Any:
        results = [wide("ColumnTransformer", result) for _, _, result in blocks]
        requested = container_of(self, *results)
        threshold = self.sparse_threshold if first else (1.1 if self.sparse_output_ else 0.0)
        joined = side_by_side(results, X.shape[0], threshold) if requested == "default" else None
        if first:
            self.sparse_output_ = is_sparse(joined)
            self.widths_ = [int(result.shape[1]) for result in results]
        if requested == "default":
            return joined
        if any(is_sparse(result) for result in results):
            raise ParameterError(
                f"ColumnTransformer: a sparse result cannot be a {requested} frame; set sparse_output=False"
            )
        names = self._names_by_part(None, results)
        self._refuse_repeated([name for block in names for name in block])
        return frame_of(results, names, requested, X)

    def _names_by_part(self, input_features: Any, blocks: list[Any] | None = None) -> list[list[str]]:
        names = [str(name) for name in names_in(self, input_features)]
        found: list[list[str]] = []
        for (name, part, _), indices in zip(self.transformers_, self.places_, strict=True):
            if part == "drop" or not indices:
                continue
            own = np.array([names[place] for place in indices], dtype=object)
            result = None if blocks is None else blocks[len(found)]
            inside = own if _passes(part) else names_out(part, own, result)
            found.append([self._spoken(name, str(column)) for column in inside])
        return found

    def _spoken(self, part: str, column: str) -> str:
        """A column by its full name, as `verbose_feature_names_out` wants it."""
        how = self.verbose_feature_names_out
        if callable(how):
            return str(how(part, column))
        if isinstance(how, str):
            return how.format(transformer_name=part, feature_name=column)
        return f"{part}__{column}" if how else column

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the output columns, prefixed with the name of the transformer."""
        self._require_fit()
        names = [column for block in self._names_by_part(input_features) for column in block]
        self._refuse_repeated(names)
        return np.array(names, dtype=object)

    def _refuse_repeated(self, names: list[str]) -> None:
        """Without prefixes of the components, columns may get the same name."""
        if self.verbose_feature_names_out is not False:
            return
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ParameterError(
                f"ColumnTransformer: {twice[:5]} would each name several columns; verbose_feature_names_out=True "
                "prefixes them with the names of the transformers"
            )

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that this and every part return."""
        super().set_output(transform=transform)
        inside = [entry[1] for entry in (*self.transformers, *self.__dict__.get("transformers_", []))]
        for part in (*inside, self.remainder):
            if hasattr(part, "set_output"):
                part.set_output(transform=transform)
        return self

    @property
    def named_transformers_(self) -> Any:
        """The fitted parts by name, as attributes and as entries."""
        from ..core.sklearn_api.bunch import Bunch

        return Bunch(**{name: part for name, part, _ in self.transformers_})

    @property
    def output_indices_(self) -> dict[str, slice]:
        """The column indices of each transformer in the output."""
        found, start, widths = {}, 0, iter(self.widths_)
        for (name, part, _), indices in zip(self.transformers_, self.places_, strict=True):
            width = 0 if part == "drop" or not indices else next(widths)
            found[name] = slice(start, start + width) if width else slice(0, 0)
            start += width
        return found if "remainder" in found else {**found, "remainder": slice(0, 0)}

    def _routes(self) -> list[Route]:
        rest = [] if self.remainder == "drop" else [("remainder", self.remainder)]
        return [transformer_route(name, part) for name, part in [*self._named_parts(), *rest]]

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(*traits_of_parts(entry[1] for entry in self.transformers))


def _table(X: Any) -> Any:
    """Something with rows and columns: frames, arrays and sparse matrices as they are, lists as an array."""
    if is_sparse(X):
        return X.tocsc()
    validator = FeatureValidator("ColumnTransformer")
    table = X if is_frame(X) else validator.objects(X)
    validator.refuse_empty(tuple(table.shape))
    return table


def _without_fit(part: Any) -> Any:
    """A component that has no columns to be fitted to, or that passes them through."""
    if part != "passthrough":
        return cloned(part)
    from ..preprocessing import FunctionTransformer

    return FunctionTransformer(accept_sparse=True, check_inverse=False, feature_names_out="one-to-one")


def _passes(part: Any) -> bool:
    """Whether a fitted component gives back what it is given."""
    return part == "passthrough" or (type(part).__name__ == "FunctionTransformer" and part.func is None)


def _is_alone(columns: Any) -> bool:
    """Whether one column is meant, not a table of one."""
    return isinstance(columns, (str, Integral)) and not isinstance(columns, bool)


def _part_of(X: Any, indices: list[int], alone: bool) -> Any:
    return take_column(X, indices[0]) if alone else take_columns(X, indices)
