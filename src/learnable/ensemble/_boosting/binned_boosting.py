"""Boosting over binned columns: rows that train and validate, bins, stages, and what is kept of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Trace, Traits, declaring, learned, param
from ...core.errors import ParameterError
from ...core.runtime.random import generator, seed_of
from ...core.sklearn_api.routing import weight_for
from ...engines.iterate import State
from ...engines.trees.boosting import Boosting, BoostingConfig, Dropout, EarlyStopping, Sample, TrainingSet, mean_loss
from ...engines.trees.feature_bundles import bundle_features
from ...engines.trees.growth_limits import stacked
from ...engines.trees.histograms import Bins, HistogramConfig
from .._warm_start import certify_stages, remaining_range, run_stages
from .boosted_trees import BoostedTrees
from .validation_split import PredictionSnapshot, held_out_rows

MANY = 10_000  # rows beyond which early stopping is on by itself, and the most that a scorer looks at in training


@dataclass(frozen=True)
class Plan:
    """How many stages of which trees, from how many bins, and when they end early: `early` None for many rows."""

    name: str  # what the user calls the stages
    stages: int
    rate: float
    bins: int
    most_categories: int
    early: bool | None
    fraction: int | float | None
    rounds: int
    tol: float
    scoring: Any = "loss"
    keep_best: bool = False
    sample: Sample | None = None
    dropout: Dropout | None = None
    conflicts: float | None = None
    stopping: str = "early_stopping"  # what the user calls what ends them early

    @property
    def by_loss(self) -> bool:
        """Whether the score of rows is minus their loss."""
        return isinstance(self.scoring, str) and self.scoring == "loss"


@declaring
class HistogramBoostingBase(BoostedTrees):
    """Stages of trees over binned columns; a class says by which plan and rules they grow, and what scores mean."""

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
        """Learn from rows `X` and targets `y`; rows given to validate on say when to stop."""
        with self._coded(X, (X_val, y_val, sample_weight_val), self.categorical_features):
            fitted: Self = super().fit(X, y, sample_weight)  # type: ignore[misc]  # of the role beside this class
            return fitted

    @abstractmethod
    def _plan(self) -> Plan:
        """What is asked for."""

    @abstractmethod
    def _rules(self, data: Data) -> HistogramConfig:
        """How trees grow."""

    @abstractmethod
    def _start(self, lesson: TrainingSet) -> Array:
        """The scores before the first tree."""

    @abstractmethod
    def _snapshot(self, scores: Array) -> PredictionSnapshot:
        """What a scorer may ask of the scores of some rows."""

    @abstractmethod
    def _validation_target(self, y: Any, rows: int) -> Array:
        """Targets of rows to validate on, as the loss takes them."""

    def _measure(self, loss: Any) -> str:
        """What the trace shows of each stage."""
        return "training loss"

    def _boost(self, loss: Any, data: Data, y: Array, weight: Array | None, trace: Trace, unit: float = 1.0) -> None:
        """Grow all stages and keep them; a loss of one is `unit` in the eyes of the user."""
        plan, going_on = self._plan(), self._goes_on()
        missing = remaining_range(self, self.n_iter_ if going_on else 0, plan.name)
        weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        self.seed_ = self.seed_ if going_on else seed_of(self.random_state)
        X, lesson = self._lesson(plan, data, y, weight)
        lesson = replace(lesson, unit=unit)
        if not going_on:
            self._begin(self._start(lesson))
        method = self._method(loss, plan, data, X, lesson)
        if self.do_early_stopping_:
            method.patience = EarlyStopping(self._score(loss, plan, lesson), plan.rounds, plan.tol, plan.by_loss)
        if going_on:
            method.resume(self.trees_, self.train_score_, self.validation_score_)
        state = run_stages(method, missing, trace)
        self._keep(state, plan, method)
        certify(trace, state, plan, method.patience, self._measure(loss))

    def _begin(self, baseline: Array) -> None:
        coding = self.__dict__["_coding"]
        self.baseline_, self.coding_ = baseline, coding
        self.is_categorical_ = coding.categorical if coding.categories else None

    def _method(self, loss: Any, plan: Plan, data: Data, X: Matrix, lesson: TrainingSet) -> Boosting:
        count = len(lesson.y)
        rows = np.arange(count, dtype=np.uint32) if lesson.rows is None else lesson.rows
        categories = self._categories(plan, data.p)
        bins = Bins.of(X, rows, lesson.weight, plan.bins, categories, self.seed_)
        table = bins.table(X, bundle_features(bins, X, rows, plan.conflicts))
        begin = np.broadcast_to(self.baseline_[:, None], (len(self.baseline_), count))
        course = BoostingConfig(plan.rate, self._rules(data), self.seed_, plan.sample, plan.dropout)
        method = Boosting(loss, lesson, table, begin, course)
        method.data = X
        return method

    def _categories(self, plan: Plan, columns: int) -> list[int]:
        counts = list(self.coding_.counts) or [0] * columns
        if max(counts) > plan.most_categories:
            j = int(np.argmax(counts))
            raise ParameterError(
                f"{type(self).__name__}: categorical feature at index {j} is expected to have a cardinality <= "
                f"{plan.most_categories} but actually has a cardinality of {counts[j]}"
            )
        return counts

    def _keep(self, state: State, plan: Plan, method: Boosting) -> None:
        """All trees, or those up to the best stage, and the scores that lead up to the last of them."""
        early, held_out = self.do_early_stopping_, method.lesson.held_out is not None
        trees = method.best_trees(state) if early and plan.keep_best else state["trees"]
        self._keep_trees(trees, method.outputs)
        beyond = state["stages"] - self.n_iter_
        training, scores = (state[name][: len(state[name]) - beyond] for name in ("training", "scores"))
        self.train_score_ = np.array(training if early else [])
        self.validation_score_ = np.array(scores if early and held_out else [])

    def _lesson(self, plan: Plan, data: Data, y: Array, weight: Array | None) -> tuple[Matrix, TrainingSet]:
        """The matrix of all rows, and which of them train and validate."""
        X, given = data.X, self.__dict__["_validation"]
        rows = np.arange(data.n) if weight is None else np.flatnonzero(weight > 0)
        self.do_early_stopping_ = len(rows) > MANY or given[0] is not None if plan.early is None else plan.early
        if given[0] is not None:
            return self._with_validation(plan, data, y, weight, given)
        held = np.empty(0, dtype=np.int64)
        if self.do_early_stopping_ and plan.fraction is not None:
            strata = y if self.traits.task == "classification" else None
            rows, held = held_out_rows(self, plan.fraction, rows, self.seed_, strata)
        chosen = None if len(rows) == data.n else rows.astype(np.uint32)
        return X, TrainingSet(y, weight, chosen, held.astype(np.uint32) if len(held) else None, given=data.weight)

    def _with_validation(
        self, plan: Plan, data: Data, y: Array, weight: Array | None, given: tuple[Any, Any, Any]
    ) -> tuple[Matrix, TrainingSet]:
        if plan.early is False:
            raise ParameterError(
                f"{type(self).__name__}: X_val and y_val say when to stop, but {plan.stopping} is off; turn it on"
            )
        more, names = self._enter(given[0])
        self._check_columns(more, names)
        count, more_rows = len(y), more.shape[0]
        target = self._validation_target(given[1], more_rows)
        theirs = self._validator.weights(given[2], more_rows)
        rows = np.arange(count) if weight is None else np.flatnonzero(weight > 0)
        held = np.arange(count, count + more_rows, dtype=np.uint32)
        whole, known = (_beside(own, count, theirs, more_rows) for own in (weight, data.weight))
        lesson = TrainingSet(np.concatenate([y, target]), whole, rows.astype(np.uint32), held, given=known)
        return stacked(data.X, more), lesson

    def _score(self, loss: Any, plan: Plan, lesson: TrainingSet) -> Callable[[Array, Array | None], float]:
        """The score of some rows: minus the mean loss, or what a scorer says of them."""
        if plan.by_loss:
            return lambda scores, rows: -lesson.unit * mean_loss(loss, *_of(rows, lesson, scores))
        from ...metrics import check_scoring

        scorer = check_scoring(self, plan.scoring)
        known = np.arange(len(lesson.y)) if lesson.rows is None else lesson.rows
        few = known if len(known) <= MANY else generator(self.seed_, MANY).choice(known, MANY, replace=False)

        def score(scores: Array, rows: Array | None) -> float:
            rows = rows if rows is not None and rows is lesson.held_out else few
            y, part, weight = _of(rows, lesson, scores)
            standing = self._snapshot(part.T)
            return float(scorer(standing, rows[:, None], standing.truth(y), **weight_for(scorer, weight)))

        return score


def _beside(own: Array | None, rows: int, theirs: Array | None, more: int) -> Array | None:
    """The weights of rows to learn from and of rows to validate on, which are ones where they are not given."""
    if own is None and theirs is None:
        return None
    return np.concatenate([np.ones(n) if w is None else w for w, n in ((own, rows), (theirs, more))])


def _of(rows: Array | None, lesson: TrainingSet, scores: Array) -> tuple[Array, Array, Array | None]:
    if rows is None:
        return lesson.y, scores, lesson.weight
    return lesson.y[rows], scores[:, rows], lesson.weights(rows)


def certify(trace: Trace, state: State, plan: Plan, patience: EarlyStopping | None, measure: str) -> None:
    """State that no gain was left on validation rows, or that the stages lowered what is measured."""
    if patience is None or trace.stopped != "converged":
        certify_stages(trace, state, plan.stages - state["stages"], measure)
        return
    gain = max(patience.gain(state["scores"]), 0.0)
    sentence = f"the validation score gained no more than this in the last {patience.rounds} stages"
    trace.certify("gain of the last stages", gain, patience.tol, sentence)
