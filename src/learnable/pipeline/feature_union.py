"""Transformers beside each other."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

import numpy as np

from ..core import REQUIRED, Composite, DataError, ParameterError, ParameterTypeError, Traits, estimator, learned, param
from ..core.declare import params
from ..core.roles.composite import copy_to_fit
from ..core.roles.transformer import WithContainers
from ..core.sklearn_api.metadata import Route, check_metadata, refuse_metadata, requested_metadata
from ..core.sklearn_api.output_containers import container_of
from ..core.validate.columns import labels_or_none, numbered_names
from ..core.validate.features import Array
from ._routes import transformer_route
from ._stack_results import frame_of, in_parallel, side_by_side
from ._steps import (
    addressed,
    announced,
    fitted,
    fitted_and_transformed,
    is_fitted_part,
    is_transformer,
    names_out,
    traits_of_parts,
)

ALWAYS = 1.1  # a density below which every result with sparse columns is


@estimator
class FeatureUnion(Composite, WithContainers):
    """Feature union: concatenate the outputs of several transformers of the same rows.

    f(x) = [s_1 t_1(x), ..., s_k t_k(x)]    with the scales s_j of `transformer_weights`

    Copies of the parts are fitted independently, in threads if `n_jobs` asks for them, and those given take over what
    these learned. A part may be "drop" or "passthrough".

    >>> from learnable import MinMaxScaler, StandardScaler
    >>> union = FeatureUnion([("share", MinMaxScaler()), ("as is", "passthrough")])
    >>> union.fit_transform([[2.0], [4.0]])
    array([[0., 2.],
           [1., 4.]])
    """

    title = "feature union"
    traits = Traits(takes="parts", task="transformation")
    parts, fitted_parts = "transformer_list", "transformer_list_"

    transformer_list: list[Any] | tuple[Any, ...] = param(REQUIRED, "(name, transformer) tuples", kw_only=False)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    transformer_weights: dict[str, float] | None = param(None, "weight of the columns of each component, by name")
    verbose: bool = param(False, "whether to print the name of each component when it is fitted")
    verbose_feature_names_out: bool = param(True, "whether feature names are prefixed with the component's name")

    transformer_list_: list[Any] = learned("the fitted parts, as (name, transformer) tuples")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit every transformer; `name__argument` is passed to the transformer of that name."""
        self._fit_parts(X, y, sample_weight, arguments, "fit")
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit every transformer, and return the concatenated results."""
        return self._joined(self._fit_parts(X, y, sample_weight, arguments, "fit_transform"), X)

    def _fit_parts(self, X: Any, y: Any, weight: Any, arguments: dict[str, Any], method: str) -> list[Any]:
        """Fit every part; what each of those that give columns makes of `X`."""
        params.check(self)
        self._check()
        check_metadata(self, method, {"sample_weight": weight, **arguments})
        more = addressed(type(self).__name__, [name for name, _ in self.transformer_list], arguments, shared=True)
        with self._fitting(X, y, weight) as trace:
            live = [(name, part) for name, part in self.transformer_list if not isinstance(part, str)]
            jobs = [
                partial(self._fit_part, method, (place + 1, len(live)), name, part, X, y, weight, more[name])
                for place, (name, part) in enumerate(live)
            ]
            done = dict(zip([name for name, _ in live], in_parallel(jobs, self.n_jobs), strict=True))
            self.transformer_list_ = [
                (name, done[name][0] if name in done else part) for name, part in self.transformer_list
            ]
            self._remember_columns_of(next((part for part, _ in done.values()), None))
            if "n_features_in_" not in self.__dict__ and len(getattr(X, "shape", ())) == 2:
                self._remember_columns(X, labels_or_none(X))
            trace.exact("every part was fitted on the rows by itself")
        self._hand_over()
        live = [(name, part) for name, part in self.transformer_list if part != "drop"]
        return [done[name][1] if name in done else self._scaled(name, X) for name, _ in live]

    def _fit_part(
        self,
        method: str,
        position: tuple[int, int],
        name: str,
        part: Any,
        X: Any,
        y: Any,
        weight: Any,
        more: dict[str, Any],
    ) -> tuple[Any, Any]:
        with announced(self, "step ", name, *position):
            if method == "fit":
                return fitted(copy_to_fit(part), X, y, weight, more), None
            return fitted_and_transformed(copy_to_fit(part), X, y, weight, more, self._scale(name))

    def _scale(self, name: str) -> float | None:
        return (self.transformer_weights or {}).get(name)

    def _scaled(self, name: str, result: Any) -> Any:
        scale = self._scale(name)
        return result if scale is None else result * scale

    def _check(self) -> None:
        self._check_parts()
        for name, part in self.transformer_list:
            if part not in ("drop", "passthrough") and not is_transformer(part):
                raise ParameterTypeError(
                    f"FeatureUnion: {name!r} is {part!r:.60}, which cannot fit and transform; give a transformer, "
                    "'drop' or 'passthrough'"
                )
        unknown = set(self.transformer_weights or {}) - {name for name, _ in self.transformer_list}
        if unknown:
            raise ParameterError(
                f"FeatureUnion: transformer_weights names {sorted(unknown)[0]!r}, which is not in transformer_list"
            )

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` was called, or every part had been fitted before."""
        given = [part for _, part in self._named_parts() if part != "drop"]
        return "transformer_list_" in self.__dict__ or (len(given) > 0 and all(map(is_fitted_part, given)))

    @property
    def _now(self) -> list[Any]:
        """The parts that `fit` has fitted, or before any fit those that were given."""
        found: list[Any] = self.__dict__.get("transformer_list_", self.transformer_list)
        return found

    def _unsound(self) -> str:
        """Every part has a name."""
        pairs = [entry for entry in self.transformer_list_ if isinstance(entry, tuple) and len(entry) == 2]
        sound = [
            isinstance(name, str)
            and (part == "drop" or (is_fitted_part(part) and (isinstance(part, str) or hasattr(part, "transform"))))
            for name, part in pairs
        ]
        good = len(pairs) == len(self.transformer_list_) and all(sound)
        return "" if good else "transformer_list_ must hold pairs of a name and a fitted transformer"

    def transform(self, X: Any, **arguments: Any) -> Any:
        """The concatenated output of all transformers; `arguments` are metadata, where routing is enabled."""
        refuse_metadata(self, "transform", arguments)
        check_metadata(self, "transform", arguments)
        return self._joined([self._output_of(name, part, X, arguments) for name, part in self._live()], X)

    def _live(self) -> list[Any]:
        """The fitted parts that give columns."""
        self._require_fit()
        return [(name, part) for name, part in self._now if part != "drop"]

    def _output_of(self, name: str, part: Any, X: Any, metadata: dict[str, Any]) -> Any:
        passed = isinstance(part, str)
        return self._scaled(name, X if passed else part.transform(X, **requested_metadata(part, "transform", metadata)))

    def _joined(self, blocks: list[Any], X: Any) -> Any:
        blocks = [block if hasattr(block, "shape") else np.asarray(block) for block in blocks]
        for (name, _), block in zip(self._live(), blocks, strict=True):
            if len(block.shape) != 2:
                raise DataError(
                    f"FeatureUnion: Transformer {name!r} returned an array or dataframe with {len(block.shape)} "
                    "dimensions, but 2 are expected: rows and columns"
                )
        requested = container_of(self, *blocks)
        if requested == "default":
            return side_by_side(blocks, blocks[0].shape[0] if blocks else len(X), ALWAYS)
        names = self._block_names(None, blocks)
        self._refuse_repeated([name for block in names for name in block])
        return frame_of(blocks, names, requested, X)

    def _block_names(self, input_features: Any, blocks: list[Any] | None = None) -> list[list[str]]:
        names = input_features if input_features is not None else getattr(self, "feature_names_in_", None)
        found = []
        for place, (name, part) in enumerate(self._live()):
            if isinstance(part, str):
                inside = names if names is not None else numbered_names(type(self).__name__, self.n_features_in_)
            else:
                inside = names_out(part, names, blocks[place] if blocks else None)
            found.append([f"{name}__{column}" if self.verbose_feature_names_out else str(column) for column in inside])
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the output columns, prefixed with the name of the transformer."""
        names = [column for block in self._block_names(input_features) for column in block]
        self._refuse_repeated(names)
        return np.array(names, dtype=object)

    def _refuse_repeated(self, names: list[str]) -> None:
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ParameterError(
                f"FeatureUnion: {twice[:5]} would each name several columns; verbose_feature_names_out=True prefixes "
                "them with the names of the transformers"
            )

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that the union and every part return."""
        super().set_output(transform=transform)
        for _, part in (*self.transformer_list, *self.__dict__.get("transformer_list_", [])):
            if hasattr(part, "set_output"):
                part.set_output(transform=transform)
        return self

    @property
    def named_transformers(self) -> Any:
        """The parts by name, as attributes and as entries; fitted ones after a fit."""
        from ..core.sklearn_api.bunch import Bunch

        return Bunch(**dict(self._now))

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise KeyError(f"FeatureUnion: only string keys are supported; got {name!r:.40}")
        return self.named_transformers[name]

    def _routes(self) -> list[Route]:
        return [
            transformer_route(name, part, ("fit",)) for name, part in self._named_parts() if not isinstance(part, str)
        ]

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(*traits_of_parts(part for _, part in self.transformer_list))
