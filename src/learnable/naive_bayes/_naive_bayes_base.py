"""Base classes of naive Bayes: Bayes' rule, and models that are sufficient statistics."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace
from ..core.declare import params
from ..core.declare.params import declaring
from ..core.errors import not_fitted
from ..engines.generative.class_statistics import ClassStatistics
from ..engines.generative.missing_mle import TOLERANCE
from ..engines.generative.posterior import log_posterior
from ..engines.passes import TrainingRows

KNOWN = ("classes_", "n_features_in_", "feature_names_in_")
MAX_ROUNDING = 1e-6  # relative rounding error of a variance that is allowed after unlearning rows


class BayesRule(ProbabilisticClassifier):
    """Base class of generative classifiers: `_joint_log_likelihood` is log P(class, row), `class_prior_` the prior."""

    class_prior_: Array

    def predict_joint_log_proba(self, X: Any) -> Array:
        """The joint log likelihood log P(class, row) up to a constant of the row; a column per class."""
        return self._joint_log_likelihood(self._read(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Log posterior probabilities of the classes, exact also where the probabilities underflow."""
        return log_posterior(self._joint_log_likelihood(self._read(X)), self._class_log_prior())

    def _probabilities(self, X: Matrix) -> Array:
        return np.exp(log_posterior(self._joint_log_likelihood(X), self._class_log_prior()))

    def _classify(self, X: Matrix) -> Array:
        joint = self._joint_log_likelihood(X)
        best = np.asarray(joint.argmax(axis=1))
        impossible = np.isneginf(joint[np.arange(len(joint)), best])
        best[impossible] = int(np.argmax(self._class_log_prior()))
        return best

    @abstractmethod
    def _joint_log_likelihood(self, X: Matrix) -> Array: ...

    def _class_log_prior(self) -> Array:
        """Log prior probabilities of the classes, -inf for zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior_)


@declaring
class SufficientStatisticsClassifier(BayesRule):
    """Base class of classifiers with sufficient statistics per class: supports partial_fit, unlearn and merge.

    A subclass implements `_statistics` of rows, `_stored_statistics` of the fitted model, and `_estimate`, which sets
    the learned attributes. `meaning` names the parameters that define the statistics.
    """

    meaning: ClassVar[tuple[str, ...]] = ()

    def _unsound(self) -> str:
        """The statistics have the right number of classes and columns."""
        summary, classes = self._stored_statistics(), len(self.classes_)
        if np.shape(summary.weight) != (classes,):
            return f"summary_ must hold weights of {classes} classes"
        with np.errstate(all="ignore"):
            _ = summary.among(np.arange(classes), classes) + summary  # fails if shapes do not match
        sums = self.__dict__["summary_"]
        widths = [np.shape(sums[name]) for name in ("totals", "present", "mean", "scatter") if name in sums]
        sound = all(shape == (classes, self.n_features_in_) for shape in widths)
        patterns, columns = sums.get("patterns", sums.get("gaps")), self.n_features_in_
        sound &= patterns is None or (np.shape(patterns)[1:] == (-(-columns // 8),) and np.ndim(sums["seen"]) == 2)
        sound &= len(sums.get("tables", sums.get("columns", range(columns)))) == columns
        return "" if sound else "summary_ must hold statistics of each class and column"

    def _fit(self, data: Data, trace: Trace) -> None:
        left = self._estimate(self._statistics(data), data.X.dtype)
        certify(trace, left, "sums over the rows of each class")

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        left = self._estimate(rows.total(self._fresh()._statistics), rows.first.X.dtype)
        certify(trace, left, "sums over the rows of each class")

    def _fresh(self) -> Self:
        """An unfitted estimator that knows classes and columns: what the statistics of rows depend on."""
        fresh = self.clone()
        fresh.__dict__.update({name: self.__dict__[name] for name in KNOWN if name in self.__dict__})
        return fresh

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with more rows; the result equals one fit on all rows. New classes may be added at any time.

        `classes` are all classes that may occur; without it, those seen so far.
        """
        params.check(self)
        fitted = self.__sklearn_is_fitted__()
        data, seen = self._more_rows(X, y, sample_weight, fitted)
        declared = (
            np.empty(0, dtype=seen.dtype) if classes is None else self._validator.any_target(classes, len(classes))
        )
        labels = [seen, declared] if declared.size else [seen]
        every = self._united([self.classes_, *labels] if fitted else labels)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not fitted:
                self._remember_columns(data.X, data.names)
            before = (
                self._stored_statistics().among(np.searchsorted(every, self.classes_), len(every)) if fitted else None
            )
            self.classes_ = every
            codes = np.searchsorted(every, seen)[data.y]
            fresh = self._statistics(Data(data.X, codes, data.weight, data.names))
            left = self._estimate(fresh if before is None else before + fresh, data.X.dtype)
            certify(trace, left, "sums over the rows of each class so far")
        return self

    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remove rows from the model; the result is the model of the remaining rows, up to rounding.

        Rows that cannot have been learned are refused, and so are outliers whose removal would leave only rounding
        errors of a variance. The model is then unchanged.
        """
        self._require_fit()
        data, seen = self._more_rows(X, y, sample_weight, True)
        unknown = np.setdiff1d(seen, self.classes_)
        if unknown.size:
            raise DataError(
                f"{type(self).__name__}: class {unknown.tolist()[0]!r} was never learned and cannot be removed"
            )
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            codes = np.searchsorted(self.classes_, seen)[data.y]
            gone = self._statistics(Data(data.X, codes, data.weight, data.names))
            before = self._stored_statistics()
            rest = before - gone
            if not rest.weight.any():
                raise DataError(f"{type(self).__name__}: no rows would remain; keep at least one")
            certify(trace, self._estimate(rest, data.X.dtype), "the statistics of the remaining rows")
            if self._rounding(before, rest) > MAX_ROUNDING:
                raise DataError(
                    "the rows to remove are so far from the others that only rounding errors of a variance would "
                    "remain; fit the remaining rows instead"
                )
        return self

    def merge(self, other: Self) -> Self:
        """Merge the statistics of another fitted model with the same columns."""
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
            model._stored_statistics().among(np.searchsorted(every, model.classes_), len(every))
            for model in (self, other)
        ]
        with self._fitting(np.empty((0, 0)), None, None, going_on=True) as trace:
            self.classes_ = every
            certify(trace, self._estimate(both[0] + both[1], np.float64), "the sums of both models")
        return self

    def _refuse_other_columns(self, other: Self) -> None:
        """Raise a `DataError` if the statistics of another model are not of the same columns and definition."""
        owner = f"{type(self).__name__}: only models of equal columns can be merged"
        if other.n_features_in_ != self.n_features_in_:
            raise DataError(f"{owner}; this one has {self.n_features_in_}, the other {other.n_features_in_}")
        names, others = (model.__dict__.get("feature_names_in_") for model in (self, other))
        if names is not None and others is not None and list(names) != list(others):
            raise DataError(f"{owner}; this one's are {list(names)!r:.80}, the other's {list(others)!r:.80}")
        for name in self.meaning:
            ours, its = getattr(self, name), getattr(other, name)
            if ours != its:
                raise DataError(
                    f"{owner}; {name} is {ours!r:.60} here and {its!r:.60} in the other: fit both with one value"
                )

    def _united(self, labels: list[Array]) -> Array:
        """All classes of several arrays, sorted; text and numbers cannot be mixed."""
        kinds = {"text" if part.dtype.kind in "OUS" else "numbers" for part in labels}
        if len(kinds) > 1:
            raise DataError(f"{type(self).__name__}: some classes are numbers and some are text; make them all text")
        return np.unique(np.concatenate(labels))

    def _more_rows(self, X: Any, y: Any, sample_weight: Any, fitted: bool) -> tuple[Data, Array]:
        """Checked rows with class codes, and the classes that occur."""
        matrix, names = self._enter(X)
        if fitted:
            self._check_columns(matrix, names)
        classes, codes = self._validator.classes(y, matrix.shape[0])
        return Data(matrix, codes, self._validator.weights(sample_weight, matrix.shape[0]), names), classes

    @abstractmethod
    def _statistics(self, data: Data) -> Any: ...

    @abstractmethod
    def _stored_statistics(self) -> Any: ...

    def _rounding(self, before: Any, rest: Any) -> float:
        """The largest relative rounding error of a variance estimated from `rest`, given the statistics `before`."""
        return 0.0

    @abstractmethod
    def _estimate(self, summary: Any, dtype: Any) -> float | None:
        """Set the learned attributes; without a closed form, return the residual of the likelihood equations."""


def certify(trace: Trace, left: float | None, sums: str) -> None:
    """Certify estimates as closed form, or by the relative residual of the likelihood equations."""
    if left is None:
        trace.exact(f"{sums} give the estimates in closed form")
        return
    trace.record(left)
    trace.stopped = "converged" if left <= TOLERANCE else "stalled"
    trace.certify(
        "unexplained part of a total", left, TOLERANCE,
        f"{sums} differ at most by this fraction from their expectations under the estimates, the condition of "
        "maximum likelihood",
    )  # fmt: skip


def as_arrays(statistics: ClassStatistics) -> dict[str, Any]:
    """Statistics as arrays by name, as stored in model files."""
    return {field.name: getattr(statistics, field.name) for field in fields(statistics)}  # type: ignore[arg-type]  # a dataclass
