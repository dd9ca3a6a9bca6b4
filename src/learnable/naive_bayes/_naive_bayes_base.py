"""What naive Bayes classifiers have in common: Bayes' rule, and models that are summaries of their rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace
from ..core.declare import params
from ..core.declare.params import declaring
from ..core.errors import not_fitted
from ..engines.generative.class_statistics import Summary
from ..engines.generative.missing_mle import ENOUGH
from ..engines.generative.posterior import log_posterior

MOST_ROUNDING = 1e-6  # share of a variance that may be rounding once rows have gone


class BayesRule(ProbabilisticClassifier):
    """A classifier that knows log P(class, row); `_joint` gives it, `class_prior_` what is known without the row."""

    class_prior_: Array

    def predict_joint_log_proba(self, X: Any) -> Array:
        """log P(class, row) for the rows of `X`, up to a constant of the row; a column per entry of `classes_`."""
        return self._joint(self._read(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities of the classes, exact also where the probabilities round to zero."""
        return log_posterior(self._joint(self._read(X)), self._log_prior())

    def _probabilities(self, X: Matrix) -> Array:
        return np.exp(log_posterior(self._joint(X), self._log_prior()))

    def _classify(self, X: Matrix) -> Array:
        joint = self._joint(X)
        best = np.asarray(joint.argmax(axis=1))
        impossible = np.isneginf(joint[np.arange(len(joint)), best])
        best[impossible] = int(np.argmax(self._log_prior()))
        return best

    @abstractmethod
    def _joint(self, X: Matrix) -> Array: ...

    def _log_prior(self) -> Array:
        """Logarithms of the probabilities of the classes, -inf for one of zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior_)


@declaring
class Summed(BayesRule):
    """A classifier that keeps sums over the rows of each class: rows can come in parts, go again, and models merge.

    A class writes `_summary` of rows, `_remembered` from what it learned, and `_learn`, which sets what is learned.
    `meaning` names the parameters that say what is summed.
    """

    meaning: ClassVar[tuple[str, ...]] = ()

    def _unsound(self) -> str:
        """The sums are those of as many classes and columns, so that rows can be added."""
        summary, classes = self._remembered(), len(self.classes_)
        if np.shape(summary.weight) != (classes,):
            return f"summary_ must hold the weight of each of {classes} classes"
        with np.errstate(all="ignore"):
            _ = summary.among(np.arange(classes), classes) + summary  # fails where shapes do not agree
        sums = self.__dict__["summary_"]
        widths = [np.shape(sums[name]) for name in ("totals", "mean") if name in sums]
        sound = all(shape == (classes, self.n_features_in_) for shape in widths)
        return "" if sound else "summary_ must hold sums of each class and column"

    def _fit(self, data: Data, trace: Trace) -> None:
        left = self._learn(self._summary(data), data.X.dtype)
        certify(trace, left, "sums over the rows of each class")

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take more rows into account; the result is that of one fit on all rows. New classes may come at any time.

        `classes` names those that may come later; without it, they are those seen so far.
        """
        params.check(self)
        begun = self.__sklearn_is_fitted__()
        data, seen = self._more_rows(X, y, sample_weight, begun)
        requested = (
            np.empty(0, dtype=seen.dtype) if classes is None else self._validator.any_target(classes, len(classes))
        )
        parts = [seen, requested] if requested.size else [seen]
        every = self._united([self.classes_, *parts] if begun else parts)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
            before = self._remembered().among(np.searchsorted(every, self.classes_), len(every)) if begun else None
            self.classes_ = every
            codes = np.searchsorted(every, seen)[data.y]
            fresh = self._summary(Data(data.X, codes, data.weight, data.names))
            left = self._learn(fresh if before is None else before + fresh, data.X.dtype)
            certify(trace, left, "sums over the rows of each class so far")
        return self

    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows that were learned out again; what is left is the model of the other rows, up to rounding.

        Rows that cannot have been learned are refused, and rows so far out that only rounding of a variance would be
        left. The model is then as it was.
        """
        self._require_fit()
        data, seen = self._more_rows(X, y, sample_weight, True)
        strange = np.setdiff1d(seen, self.classes_)
        if strange.size:
            raise DataError(f"{type(self).__name__}: class {strange.tolist()[0]!r} was never learned, so it cannot go")
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            codes = np.searchsorted(self.classes_, seen)[data.y]
            gone = self._summary(Data(data.X, codes, data.weight, data.names))
            before = self._remembered()
            rest = before - gone
            if not rest.weight.any():
                raise DataError(f"{type(self).__name__}: no rows would be left; keep at least one")
            certify(trace, self._learn(rest, data.X.dtype), "the sums of the rows that are left")
            if self._rounding(before, rest) > MOST_ROUNDING:
                raise DataError(
                    "the rows that are to go are so far from the others that of a variance only rounding would be "
                    "left; fit the rows that stay anew"
                )
        return self

    def merge(self, other: Self) -> Self:
        """Take in the rows of another fitted model of the same columns, without seeing them."""
        if type(other) is not type(self):
            raise DataError(
                f"{type(self).__name__}: only another {type(self).__name__} can be merged; got {other!r:.60}"
            )
        for model in (self, other):
            if not model.__sklearn_is_fitted__():
                raise not_fitted(model)
        self._refuse_other_columns(other)
        every = self._united([self.classes_, other.classes_])
        both = [
            model._remembered().among(np.searchsorted(every, model.classes_), len(every)) for model in (self, other)
        ]
        with self._fitting(np.empty((0, 0)), None, None, going_on=True) as trace:
            self.classes_ = every
            certify(trace, self._learn(both[0] + both[1], np.float64), "the sums of both models")
        return self

    def _refuse_other_columns(self, other: Self) -> None:
        """Raise a `DataError` if sums of another model are not of the same columns, read in the same way."""
        owner = f"{type(self).__name__}: only models of equal columns can be merged"
        if other.n_features_in_ != self.n_features_in_:
            raise DataError(f"{owner}; this one has {self.n_features_in_}, the other {other.n_features_in_}")
        names, others = (model.__dict__.get("feature_names_in_") for model in (self, other))
        if names is not None and others is not None and list(names) != list(others):
            raise DataError(f"{owner}; this one's are {list(names)!r:.80}, the other's {list(others)!r:.80}")
        for name in self.meaning:
            ours, its = getattr(self, name), getattr(other, name)
            if ours != its:
                raise DataError(f"{owner}; {name} is {ours!r:.60} here and {its!r:.60} in the other: fit with one")

    def _united(self, parts: list[Array]) -> Array:
        """All classes of several lists, sorted; texts and numbers do not go together."""
        kinds = {"text" if part.dtype.kind in "OUS" else "numbers" for part in parts}
        if len(kinds) > 1:
            raise DataError(f"{type(self).__name__}: some classes are numbers and some are text; make them all text")
        return np.unique(np.concatenate(parts))

    def _more_rows(self, X: Any, y: Any, sample_weight: Any, begun: bool) -> tuple[Data, Array]:
        """Checked rows with codes among the classes they show, and these classes."""
        matrix, names = self._enter(X)
        if begun:
            self._check_columns(matrix, names)
        classes, codes = self._validator.classes(y, matrix.shape[0])
        return Data(matrix, codes, self._validator.weights(sample_weight, matrix.shape[0]), names), classes

    @abstractmethod
    def _summary(self, data: Data) -> Any: ...

    @abstractmethod
    def _remembered(self) -> Any: ...

    def _rounding(self, before: Any, rest: Any) -> float:
        """The largest share of a variance just learned from `rest` that may be rounding of the sums `before`."""
        return 0.0

    @abstractmethod
    def _learn(self, summary: Any, dtype: Any) -> float | None:
        """Set what is learned; where this is no closed form, the part of a total that it leaves unexplained."""


def certify(trace: Trace, left: float | None, sums: str) -> None:
    """Say that `sums` give the estimates in closed form, or how much of a total these leave unexplained."""
    if left is None:
        trace.exact(f"{sums} give the estimates in closed form")
        return
    trace.record(left)
    trace.stopped = "converged" if left <= ENOUGH else "stalled"
    trace.certify(
        "unexplained part of a total", left, ENOUGH,
        f"{sums} are at most this share away from what the estimates expect of what was seen, the condition of the "
        "greatest likelihood",
    )  # fmt: skip


def kept(summary: Summary) -> dict[str, Any]:
    """A summary as plain arrays by name, which model files can hold."""
    return {name: getattr(summary, name) for name in summary.__slots__}  # type: ignore[attr-defined]  # a dataclass
