"""Target encoding."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Table, Trace, Traits, Transformer, estimator, learned, param
from ..core.files.learned_limits import flaw_of_categories
from ..core.validate.target_type import target_kind
from ..engines.columns.categories import factorised
from ..engines.folds import Fold, check_count, folds, is_splitting
from ._category_encoding import LISTS, CategoryCodes, codes_in, is_list_or_auto, learn

KINDS = {"regression": "continuous", "binary": "binary", "multi-class": "multiclass"}


@estimator
class TargetEncoder(Transformer):
    """Target encoding: categories replaced by their mean target, shrunk towards the overall mean.

    z = (n_c mean_c + m mean) / (n_c + m),    m = smooth, or variance_c / variance of the target for "auto"

    `fit_transform` encodes each row by means of other folds alone, so that no row sees its own target: it is not
    `fit(X, y).transform(X)`. Several classes get a column each; values that fit has not seen get the overall mean.
    [Micci-Barreca, 2001]

    >>> TargetEncoder(smooth=1.0).fit([["a"], ["a"], ["b"], ["b"]], [1.0, 2.0, 5.0, 6.5]).encodings_[0].round(3)
    array([2.208, 5.042])
    """

    traits = Traits(takes="table", missing="native", categorical=True, uses_target="always", double_target=True)
    title = "target encoding"
    reference = "Micci-Barreca, 2001"

    categories: Any = param(
        "auto", 'categories of each column; "auto" to find them', kw_only=False, accepts=is_list_or_auto, says=LISTS
    )
    target_type: Literal["auto", "continuous", "binary", "multiclass"] = param(
        "auto", "type of the target", kw_only=False
    )
    smooth: float | Literal["auto"] = param(
        "auto", "weight of the overall mean, in rows", kw_only=False, at_least=0, tune=("auto", 1.0, 10.0, 100.0)
    )
    cv: Any = param(
        5, "cross-validation folds of fit_transform", kw_only=False, accepts=is_splitting, says="folds or a splitter"
    )
    shuffle: bool | Literal["deprecated"] = param(
        "deprecated", "whether to shuffle rows before splitting", kw_only=False
    )
    random_state: Any = param(
        "deprecated",
        "seed of the shuffling",
        kw_only=False,
        accepts=lambda v: (
            v is None
            or (isinstance(v, str) and v == "deprecated")
            or isinstance(v, (int, np.integer, np.random.RandomState))
        ),
        says="a seed",
    )
    one_mean: bool = param(
        False, "whether fit_transform draws values towards the mean of all rows, not of the other folds, which leaks a "
        "little of the target of a row",
    )  # fmt: skip

    encodings_: list[Any] = learned("encoded value of each category of each column, by class")
    categories_: list[Any] = learned("the values of each column, sorted", counts="features")
    target_type_: str = learned("detected type of the target")
    target_mean_: Any = learned("mean of the target, of each class if there are several")
    classes_: Any = learned("the classes, None for a continuous target")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the mean target of each value; the training rows themselves are for `fit_transform`."""
        return super().fit(X, y, sample_weight)

    def _unsound(self) -> str:
        """Each column has a list of categories, and each of them its value for each class."""
        sizes = [len(values) for values in self.categories_ for _ in range(np.size(self.target_mean_))]
        sound = sizes == [len(values) for values in self.encodings_]
        flaw = "" if sound else "encodings_ must hold a value for each category of each column"
        return flaw_of_categories(self.categories_) or flaw

    def _fit(self, data: Data, trace: Trace) -> None:
        codings, indices = learn(data.X, data.weight, self.categories, None, None, "TargetEncoder", "ignore")
        self.categories_ = [coding.values for coding in codings]
        targets = self._targets(data.y)
        weight = np.ones(data.n) if data.weight is None else data.weight
        mean = np.average(targets, axis=0, weights=weight)
        self.target_mean_ = mean if self.target_type_ == "multiclass" else float(mean[0])
        self.encodings_ = self._encode(indices, targets, weight)
        trace.exact("mean targets, computed directly")

    def _targets(self, y: Array) -> Array:
        """The target as columns of numbers; sets its type."""
        kind = KINDS.get(target_kind(y)) if self.target_type == "auto" else self.target_type
        if kind is None:
            raise DataError("TargetEncoder: Unknown label type: y must be one column of numbers or classes")
        self.target_type_, self.classes_ = kind, None
        if kind == "continuous":
            if y.dtype.kind not in "fiub":
                raise DataError("TargetEncoder: y is not numeric; set target_type to 'binary' or 'multiclass'")
            return y[:, None].astype(np.float64)
        self.classes_, codes = factorised(y, "TargetEncoder: y")
        if kind == "binary":
            return codes[:, None].astype(np.float64)
        return np.asarray(codes[:, None] == np.arange(len(self.classes_)), dtype=np.float64)

    def _encode(self, indices: list[Array], targets: Array, weight: Array) -> list[Array]:
        """For each column, and each class within it, what its values become."""
        sizes = [len(values) for values in self.categories_]
        return [
            _means(place, targets[:, k], weight, size, self.smooth)
            for place, size in zip(indices, sizes, strict=True)
            for k in range(targets.shape[1])
        ]

    def _codes(self, X: Table) -> list[Array]:
        return codes_in(X, [CategoryCodes(values, None) for values in self.categories_], "TargetEncoder", "ignore")

    def _transform(self, X: Table) -> Array:
        return self._lookup(self._codes(X), self.encodings_, np.atleast_1d(self.target_mean_))

    def _lookup(self, indices: list[Array], encodings: list[Array], means: Array) -> Array:
        columns = []
        for j, place in enumerate(indices):
            for k, mean in enumerate(means):
                table = encodings[j * len(means) + k]
                columns.append(np.append(table, mean).astype(table.dtype)[place])
        return np.column_stack(columns)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """Fit, and encode every row by the means of the folds that it is not in; `groups` go to the splitter."""
        from ..core.sklearn_api.output_containers import wrapped

        self.fit(X, y, sample_weight)
        data = self._training_data(X, y, sample_weight)
        targets, indices = self._targets(data.y), self._codes(data.X)
        weight = np.ones(data.n) if data.weight is None else data.weight
        result = np.empty((data.n, len(self.encodings_)), dtype=self.encodings_[0].dtype)
        seen = np.zeros(data.n, dtype=int)
        for train, test in self._folds(data, params.get("groups")):
            encodings = self._encode([place[train] for place in indices], targets[train], weight[train])
            mean = np.average(targets[train], axis=0, weights=weight[train])
            if self.one_mean:
                encodings, mean = self._moved(encodings, mean)
            result[test] = self._lookup([place[test] for place in indices], encodings, mean)
            seen[test] += 1
        if (seen != 1).any():
            raise DataError(
                "TargetEncoder: the test folds of cv must contain every row once; use KFold or StratifiedKFold"
            )
        return wrapped(result, X, self)

    def _moved(self, encodings: list[Array], mean: Array) -> tuple[list[Array], Array]:
        """What values become in a fold, and the mean of its rows, moved to the mean of all rows."""
        overall = np.atleast_1d(self.target_mean_)
        shift = np.tile(overall - mean, len(encodings) // len(mean))
        return [table + step for table, step in zip(encodings, shift, strict=True)], overall

    def _folds(self, data: Data, groups: Any) -> list[Fold]:
        """As in scikit-learn, a number of folds means shuffled ones, stratified for classes."""
        from ..model_selection import KFold, StratifiedKFold

        cv = 5 if self.cv is None else self.cv
        if isinstance(cv, int):
            check_count(cv, "TargetEncoder")
            shuffle = True if self.shuffle == "deprecated" else bool(self.shuffle)
            seed = None if self.random_state == "deprecated" else self.random_state
            kind = KFold if self.target_type_ == "continuous" else StratifiedKFold
            cv = kind(cv, shuffle=shuffle, random_state=seed if shuffle else None)
        return folds(cv, data.n, data.y, "TargetEncoder", groups)

    @property
    def infrequent_categories_(self) -> list[Any]:
        """For scikit-learn's sake: no values are lumped together."""
        return [None for _ in self.categories_]

    def _names_out(self, names: list[str]) -> list[str]:
        if self.target_type_ != "multiclass":
            return names
        return [f"{name}_{label}" for name in names for label in self.classes_]


def _means(place: Array, target: Array, weight: Array, size: int, smooth: float | str) -> Array:
    """The mean target of each value of a column, drawn towards the mean of all."""
    dtype, target = target.dtype, target.astype(np.float64)
    overall = float(np.average(target, weights=weight))
    variance = float(np.average((target - overall) ** 2, weights=weight))
    known = place >= 0
    place, target, counted = place[known], target[known], weight[known]
    count = np.bincount(place, counted, size)
    total = np.bincount(place, counted * (target - overall), size)
    mean = np.divide(total, count, out=np.zeros(size), where=count > 0)
    if isinstance(smooth, str):
        within = np.bincount(place, counted * (target - overall - mean[place]) ** 2, size)
        within = np.divide(within, count, out=np.zeros(size), where=count > 0)
        share = np.divide(variance * count, variance * count + within, out=np.ones(size), where=count * variance > 0)
        share = np.where(count > 0, share, 0.0)
    else:
        share = np.divide(count, count + smooth, out=np.zeros(size), where=count > 0)
    return np.asarray(overall + share * mean, dtype=dtype)
