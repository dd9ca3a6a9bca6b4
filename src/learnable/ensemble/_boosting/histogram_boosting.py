"""Base class of histogram boosting: training and validation rows, bins, stages, and fitted attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Trace, Traits, declaring, learned, param
from ...core.declare import params
from ...core.errors import DataError, ParameterError
from ...core.runtime.random import seed_of
from ...engines.columns.table_encoding import Coding
from ...engines.trees.boosting import BoostingConfig, BoostingResult, StartingPoint, TrainingSet, boost
from ...engines.trees.histograms import Bins
from .._warm_start import remaining_range
from .boosted_trees import BoostedTrees
from .heads import Head
from .validation_split import MAX_ROWS_SCORED, StoppingOptions, early_stopping, held_out_rows


@dataclass(frozen=True)
class HistogramOptions:
    """What the parameters of a class mean: `iterations` is the name of its number of stages."""

    iterations: str
    config: BoostingConfig
    stopping: StoppingOptions
    max_bins: int
    max_categories: int


@declaring
class HistogramBoostingBase(BoostedTrees):
    """Base class of boosting over binned columns; subclasses turn their parameters into `HistogramOptions`."""

    categorical_features: Array | Literal["from_dtype"] | None = param(
        "from_dtype", "categorical columns: indices, names or mask; None for none"
    )
    monotonic_cst: Array | dict[str, int] | None = param(
        None, "monotonic constraint of each column, also by name: 1 increasing, -1 decreasing, 0 none"
    )
    interaction_cst: Sequence[Any] | Literal["pairwise", "no_interactions"] | None = param(
        None, "groups of columns that may interact"
    )
    validation_fraction: int | float | None = param(
        0.1, "number or fraction of rows held out for early stopping; None for the training loss", above=0
    )
    random_state: RandomState = param(None, "seed of the draws of bins, rows and columns")
    do_early_stopping_: bool = learned("whether early stopping was enabled")
    train_score_: Array = learned("training score before and after each stage, with early stopping")
    validation_score_: Array = learned("validation score before and after each stage, with early stopping")
    is_categorical_: Array | None = learned("mask of the categorical columns, None if there are none")
    seed_: int = learned("seed of all draws")

    traits = Traits(infinite=True, stochastic=True)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None
    ) -> Self:  # fmt: skip
        """Fit to rows `X` and targets `y`; early stopping uses the validation set `X_val`, `y_val`, if given."""
        params.check(self)
        if (X_val is None) != (y_val is None):
            given, absent = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
            raise DataError(f"{type(self).__name__}: {given} is provided, but {absent} was not provided; pass both")
        coding = self.coding_ if self._is_warm() else self._coding_of(X)
        matrix, names = coding.matrix(X, self._validator) if coding.categories else self._validator.matrix(X)
        validation = None if X_val is None else (X_val, y_val, sample_weight_val)
        fitted: Self = self._fit_entered(  # type: ignore[attr-defined]  # of the role beside this class
            matrix, names, y, sample_weight, coding=coding, validation=validation
        )
        return fitted

    def _fit(
        self, data: Data, trace: Trace, coding: Coding | None = None, validation: tuple[Any, Any, Any] | None = None
    ) -> None:
        assert coding is not None
        warm, y, weight = self._is_warm(), self._encode_target(data), self._row_weights(data)
        weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        head = self._head()
        if not warm:
            self.coding_, self.is_categorical_ = coding, coding.categorical if coding.categories else None
            self.seed_ = seed_of(self.random_state)
        options = self._options(data, head)
        if warm:
            remaining_range(self, self.n_iter_, options.iterations)
        training = self._split(data, y, weight, head, options.stopping, validation)
        loss = self._training_loss(head, y)
        config = replace(options.config, measure=getattr(loss, "measure", options.config.measure))
        if self.do_early_stopping_:
            config = replace(config, stopping=early_stopping(self, loss, head, training, options.stopping))
        start = self._earlier_fit() if warm else StartingPoint(self._constant_scores(head, training))
        categories = self._category_counts(data.p, options.max_categories)
        bins = Bins.of(training.X, training.row_index, training.weight, options.max_bins, categories, self.seed_)
        result = boost(loss, training, bins, config, start, trace)
        self._store(start.baseline, result)

    def _coding_of(self, X: Any) -> Coding:
        """The encoding of categorical columns; columns of a plain array are numeric unless they are named."""
        requested = self.categorical_features
        if isinstance(X, np.ndarray) and (requested is None or isinstance(requested, str)):
            return Coding([], np.zeros(0, dtype=bool))
        return Coding.of(X, requested, self._validator)

    @abstractmethod
    def _options(self, data: Data, head: Head) -> HistogramOptions:
        """The parameters of a class as options of boosting."""

    def _training_loss(self, head: Head, y: Array) -> Any:
        """The loss that is minimised; that of the head unless a custom one is given."""
        return head.loss

    def _split(
        self, data: Data, y: Array, weight: Array | None, head: Head, options: StoppingOptions,
        validation: tuple[Any, Any, Any] | None,
    ) -> TrainingSet:  # fmt: skip
        """The rows for training and those for validation: given ones, or some that are held out."""
        rows = np.arange(data.n) if weight is None else np.flatnonzero(weight > 0)
        automatic = len(rows) > MAX_ROWS_SCORED or validation is not None
        self.do_early_stopping_ = automatic if options.enabled is None else options.enabled
        if validation is not None:
            if options.enabled is False:
                raise ParameterError(
                    f"{type(self).__name__}: X_val and y_val are for early stopping, but {options.parameter} is off; "
                    "turn it on"
                )
            return self._with_validation(data, y, weight, head, validation)
        held = np.empty(0, dtype=np.int64)
        if self.do_early_stopping_ and options.validation_fraction is not None:
            strata = y if self.traits.task == "classification" else None
            rows, held = held_out_rows(self, options.validation_fraction, rows, self.seed_, strata)
        chosen = None if len(rows) == data.n else rows.astype(np.uint32)
        return TrainingSet(y, weight, chosen, held.astype(np.uint32) if len(held) else None, data.X, data.weight)

    def _with_validation(
        self, data: Data, y: Array, weight: Array | None, head: Head, validation: tuple[Any, Any, Any]
    ) -> TrainingSet:
        """The training rows followed by the validation rows."""
        X_val, names = self.coding_.matrix(validation[0], self._validator)
        self._check_columns(X_val, names)
        count, more = len(y), X_val.shape[0]
        y_val = head.check_target(validation[1], more, self._validator)
        weight_val = self._validator.weights(validation[2], more)
        rows = np.arange(count) if weight is None else np.flatnonzero(weight > 0)
        held = np.arange(count, count + more, dtype=np.uint32)
        joined, sample_weight = (_join_weights(own, count, weight_val, more) for own in (weight, data.weight))
        X = _stack_rows(data.X, X_val)
        return TrainingSet(np.concatenate([y, y_val]), joined, rows.astype(np.uint32), held, X, sample_weight)

    def _constant_scores(self, head: Head, training: TrainingSet) -> Array:
        y = training.y if training.rows is None else training.y[training.rows]
        return head.start(y, training.weights(training.rows))

    def _earlier_fit(self) -> StartingPoint:
        return StartingPoint(self.baseline_, self.trees_, self.train_score_.tolist(), self.validation_score_.tolist())

    def _category_counts(self, columns: int, limit: int) -> list[int]:
        """The number of categories of each column, zero for numeric ones."""
        if not self.coding_.categories:
            return [0] * columns
        counts = self.coding_.counts
        if max(counts) > limit:
            j = int(np.argmax(counts))
            raise ParameterError(
                f"{type(self).__name__}: categorical feature at index {j} is expected to have a cardinality <= "
                f"{limit} but actually has a cardinality of {counts[j]}"
            )
        return counts

    def _store(self, baseline: Array, result: BoostingResult) -> None:
        self.baseline_ = baseline
        self._store_trees(result.trees, result.outputs)
        self.train_score_, self.validation_score_ = np.array(result.training), np.array(result.validation)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        return self.coding_.matrix(X, self._validator) if "coding_" in self.__dict__ else super()._enter(X)


def _stack_rows(X: Matrix, more: Matrix) -> Matrix:
    """The rows of both, in the precision of the first."""
    more = more.astype(X.dtype)
    if isinstance(X, np.ndarray) and isinstance(more, np.ndarray):
        return np.concatenate([X, more])
    from scipy import sparse

    return sparse.vstack([sparse.csc_array(X), sparse.csc_array(more)], format="csc")


def _join_weights(own: Array | None, rows: int, validation: Array | None, more: int) -> Array | None:
    """The weights of training and validation rows; ones where they are not given."""
    if own is None and validation is None:
        return None
    return np.concatenate([np.ones(n) if w is None else w for w, n in ((own, rows), (validation, more))])
