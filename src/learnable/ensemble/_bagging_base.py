"""What the two kinds of bagging share: copies of one learner, each fitted to rows and columns of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, cloned, declaring, generator, learned, param
from ..core.errors import ParameterError, warn
from ..core.numeric import is_fraction
from ..core.runtime.random import seed_of
from ..engines.parallel import each, workers
from ..engines.sampling.canonical_order import RowSampler
from ..engines.trees.growth_limits import countable
from ..pipeline._steps import takes_weights
from ._boosting.adaboost_base import can_fit, seeded
from ._grow_in_batches import in_parts, tell_of_growth
from ._passthrough_input import AnyRows
from ._warm_start import still_missing


@declaring
class Bagging(AnyRows):
    """Copies of a learner, fitted to drawn rows and columns; a class says how their answers are joined."""

    estimator: Any = param(
        None, "the base learner (None: a tree)", kw_only=False, accepts=can_fit, says="an estimator or None"
    )
    n_estimators: int = param(10, "number of learners", at_least=1, kw_only=False)
    max_samples: int | float | None = param(
        None, "rows drawn for a learner: number, share of all, or as many", above=0, tune=(0.3, 0.6, 1.0)
    )
    max_features: int | float = param(
        1.0, "columns drawn for a learner: number or share", above=0, tune=(0.3, 0.6, 1.0)
    )
    bootstrap: bool = param(True, "whether rows are drawn with replacement")
    bootstrap_features: bool = param(False, "whether columns are drawn with replacement")
    oob_score: bool = param(False, "whether to judge each row by the learners that did not see it")
    warm_start: bool = param(False, "whether a further fit adds learners to those that are there")
    n_jobs: int | None = param(None, "number of workers, as in joblib")
    random_state: RandomState = param(None, "seed of the rows and columns that are drawn")
    verbose: int = param(0, "accepted; `learnable.progress()` shows how a fit goes")
    estimators_: list[Any] = learned("the fitted learners", counts="learners")
    estimators_features_: list[Array] = learned("the columns of each learner", counts="learners", each="chosen*")
    estimators_samples_: list[Array] = learned(
        "the rows of each learner, as often as they were drawn", counts="learners", each="drawn*"
    )
    oob_score_: float = learned("score of the rows by the learners that did not see them", optional=True)

    sparse = True
    storage = "csr"
    missing = "native"
    parametric = False
    stochastic = True

    def _fit(self, data: Data, trace: Trace) -> None:
        self._grow(data, trace)
        if self.oob_score:
            self._judge(data)

    def _grow(self, data: Data, trace: Trace) -> None:
        """Fit the learners that are missing."""
        urn = RowSampler.of(data.X, np.ones(data.n) if data.weight is None else data.weight, data.y)
        rows, columns = self._sizes(urn, data.p)
        missing = still_missing(self, len(self.__dict__.get("estimators_", ())))
        seed = seed_of(self.random_state)

        def some(numbers: range) -> list[tuple[Any, Array, Array]]:
            calls = []
            for draw in (generator(seed, t) for t in numbers):
                sample = urn.draw(draw, rows, self.bootstrap)
                chosen = np.sort(draw.choice(data.p, columns, replace=self.bootstrap_features))
                calls.append((sample, chosen, int(draw.integers(2**31 - 1))))
            found = dict(each(_fitted, (self._base(), data.X, data.y), calls, self.n_jobs))
            return [(found[place], chosen, sample) for place, (sample, chosen, _) in enumerate(calls)]

        parts = in_parts(missing, some, workers(self.n_jobs), trace, unit="learners")
        fresh = [learner for part in parts for learner in part]
        for place, name in enumerate(("estimators_", "estimators_features_", "estimators_samples_")):
            setattr(self, name, [*self.__dict__.get(name, []), *(learner[place] for learner in fresh)])
        tell_of_growth(trace, "every learner was fitted to its own rows and columns")

    @abstractmethod
    def _base(self) -> Any: ...

    @property
    def estimator_(self) -> Any:
        """The base learner."""
        return self._base()

    @abstractmethod
    def _of_one(self, model: Any, X: Matrix) -> Array:
        """What one learner says of rows, to be averaged."""

    @abstractmethod
    def _judge(self, data: Data) -> None:
        """Score the rows by the learners that did not see them."""

    def _mean(self, X: Matrix) -> Array:
        """The mean of what the learners say."""
        return np.asarray(np.mean([self._of_one(model, table) for model, table in self._parts(X)], axis=0))

    def _mean_of_strangers(self, data: Data, shape: tuple[int, ...]) -> Array:
        """The mean over the learners that did not see a row, zero where all have."""
        total, judges = np.zeros((data.n, *shape)), np.zeros((data.n, *[1] * len(shape)))
        for (model, table), seen in zip(self._parts(data.X), self.estimators_samples_, strict=True):
            rows = np.setdiff1d(np.arange(data.n), seen)
            if len(rows):
                total[rows] += self._of_one(model, table[rows])
                judges[rows] += 1
        if (judges == 0).any():
            warn(
                "Some rows were drawn by every estimator and have no out-of-bag answer; use more estimators.",
                UserWarning,
            )
        return np.asarray(total / np.maximum(judges, 1))

    def _unsound(self) -> str:
        """Check the columns of each base estimator."""
        for model, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            if columns.dtype.kind not in "iu" or not len(columns) or len(columns) != model.n_features_in_:
                return "estimators_features_ must hold the columns of each base estimator"
            if columns.min() < 0 or columns.max() >= self.n_features_in_:
                return "estimators_features_ names a column that is not there"
        return ""

    def _sizes(self, urn: RowSampler, columns: int) -> tuple[int, int]:
        owner, asked = type(self).__name__, self.max_samples
        rows = (
            urn.size
            if asked is None
            else int(asked * urn.size)
            if is_fraction(asked)
            else countable(int(asked), f"{owner}: max_samples")
        )
        if rows < 1 or (not self.bootstrap and rows > urn.size):
            raise ParameterError(
                f"{owner}: max_samples asks for {rows} rows of a total weight of {urn.size}; at least one is needed, "
                "and without replacement there are no more"
            )
        share = is_fraction(self.max_features)
        requested = int(self.max_features * columns) if share else int(self.max_features)
        if requested > columns:
            raise ParameterError(f"{owner}: max_features must be <= n_features; got {requested} of {columns}")
        if self.oob_score and not self.bootstrap:
            raise ParameterError(f"{owner}: rows are out of the bag only with bootstrap=True; oob_score needs it")
        if self.oob_score and self.warm_start:
            raise ParameterError(f"{owner}: oob_score needs warm_start=False")
        return rows, max(1, requested)

    def _parts(self, X: Matrix) -> Iterator[tuple[Any, Matrix]]:
        """Every learner with the columns that it knows."""
        for model, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            yield model, X[:, columns]

    def __len__(self) -> int:
        return len(self.estimators_)


def _fitted(base: Any, X: Matrix, y: Array, call: tuple[Array, Array, int]) -> Any:
    rows, columns, seed = call
    model = seeded(cloned(base), lambda: seed)
    table = X[:, columns]
    counts = np.bincount(rows)
    seen = np.flatnonzero(counts)
    if takes_weights(model):
        return model.fit(table[seen], y[seen], sample_weight=counts[seen].astype(np.float64))
    return model.fit(table[rows], y[rows])
