"""What the two kinds of stacking share: a last estimator that learns from what others say of rows they did not see."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...core import Array, Matrix, Trace, WithContainers, available_if, cloned, declaring, learned, param
from ...core.errors import DataError, ParameterError
from ...core.validate.columns import numbered_names
from ...engines.folds import is_splitting
from ...model_selection.validation import cross_val_predict, parts_of
from ...pipeline._steps import takes_weights, with_weights
from .._boosting.adaboost_base import can_fit
from .voting_base import Panel, _fitted

Method = Literal["auto", "predict_proba", "decision_function", "predict"]
ORDER = ("predict_proba", "decision_function", "predict")


@declaring
class Stacking(Panel, WithContainers):
    """Estimators whose answers, for rows that they did not see, are the columns of a last one."""

    final_estimator: Any = param(
        None, "who learns from the answers", kw_only=False, accepts=can_fit, says="an estimator or None"
    )
    cv: Any = param(
        None, 'folds, as in cross_validate (None: 5), or "prefit"', says='folds or "prefit"',
        accepts=lambda value: value == "prefit" if isinstance(value, str) else is_splitting(value),
    )  # fmt: skip
    passthrough: bool = param(False, "whether the last estimator sees the columns of X too")
    verbose: int = param(0, "accepted; `learnable.progress()` shows how a fit goes")
    final_estimator_: Any = learned("the fitted last estimator")
    stack_method_: list[str] = learned("what was asked of each estimator")

    def _fit_all(self, X: Any, target: Array, weight: Array | None, trace: Trace) -> None:
        self.stack_method_ = [self._method(name, part) for name, part in self._live()]
        prefit = isinstance(self.cv, str)
        if len(target) < 2 and not prefit:
            raise DataError(f"{type(self).__name__}: n_samples=1: folds need at least two rows")
        if prefit:
            self.estimators_ = [part for _, part in self._live()]
            answers = [getattr(part, how)(X) for part, how in zip(self.estimators_, self.stack_method_, strict=True)]
        else:
            self.estimators_ = [_fitted(X, target, weight, part) for _, part in self._live()]
            answers = self._unseen(X, target, weight)
        last = cloned(self._last())
        if weight is not None and not takes_weights(last):
            raise TypeError(
                f"{type(last).__name__} takes no sample_weight; leave it out, or take another final_estimator"
            )
        self.final_estimator_ = last.fit(self._joined(X, answers), target, **with_weights(last, weight, {}))
        trace.adopt(self.final_estimator_, "the last estimator was fitted to answers for rows that were not seen")

    def _unseen(self, X: Any, target: Array, weight: Array | None) -> list[Array]:
        """The answers of each estimator for every row by a copy that did not see it, in the same folds for all.

        There are none for classes that it did not meet.
        """
        answers = []
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A fold trains on", RuntimeWarning)
            parts = parts_of(type(self).__name__, self, X, target, None, self.cv, len(target))
            for (_, part), how in zip(self._live(), self.stack_method_, strict=True):
                more: Any = {
                    "cv": parts,
                    "method": how,
                    "n_jobs": self.n_jobs,
                    "params": with_weights(part, weight, {}),
                }
                answers.append(np.asarray(cross_val_predict(cloned(part), X, target, **more)))
        return answers

    @abstractmethod
    def _last(self) -> Any: ...

    def _method(self, name: str, part: Any) -> str:
        return "predict"

    def _joined(self, X: Any, answers: list[Array]) -> Matrix:
        """Answers side by side; of two classes the second says it all."""
        columns = []
        for answer in answers:
            table = np.asarray(answer)
            table = table.reshape(len(table), -1)
            table = table if table.dtype.kind == "f" else table.astype(np.float64)
            columns.append(table[:, 1:] if table.shape[1] == 2 and self.task == "classification" else table)
        if not self.passthrough:
            return np.hstack(columns)
        if hasattr(X, "toarray"):
            from scipy import sparse

            return sparse.hstack([*columns, X], format="csr")
        rows = np.asarray(X)
        if rows.ndim != 2:
            raise DataError(
                f"{type(self).__name__}: passthrough hands the columns of X to the last estimator, and X has none: it "
                f"has {rows.ndim} dimension; set passthrough=False"
            )
        return np.hstack([*columns, rows])

    def transform(self, X: Any) -> Any:
        """What the estimators say of the rows of `X`, and the rows themselves with `passthrough`."""
        from ...core.sklearn_api.output_containers import wrapped

        self._require_fit()
        return wrapped(self._features(X), X, self)

    def _features(self, X: Any) -> Matrix:
        answers = [getattr(part, how)(X) for part, how in zip(self.estimators_, self.stack_method_, strict=True)]
        return self._joined(X, answers)

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit, and say what the estimators say of the same rows."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        prefix, names = type(self).__name__.lower(), []
        classes = len(getattr(self, "classes_", ()))
        for (name, _), how in zip(self._live(), self.stack_method_, strict=True):
            several = classes > 2 and how != "predict"
            names += [f"{prefix}_{name}{k}" for k in range(classes)] if several else [f"{prefix}_{name}"]
        if self.passthrough:
            own = getattr(self, "feature_names_in_", None)
            given = input_features if input_features is not None else own
            names += numbered_names(type(self).__name__, self.n_features_in_) if given is None else list(given)
        return np.array(names, dtype=object)


def chosen_method(requested: str, name: str, part: Any, owner: str) -> str:
    """The best kind of answer that an estimator can give, or the one that is asked for."""
    found = [how for how in (ORDER if requested == "auto" else (requested,)) if hasattr(part, how)]
    if not found:
        raise ParameterError(f"{owner}: {name} has no {requested}; choose another stack_method")
    return found[0]


def _last_has(method: str) -> Callable[[Any], bool]:
    return lambda model: hasattr(model.__dict__.get("final_estimator_", model._last()), method)


last_has_probabilities = available_if(_last_has("predict_proba"))
last_has_decisions = available_if(_last_has("decision_function"))
