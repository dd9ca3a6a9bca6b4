"""The perceptron in the space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, Data, Trace, Traits, estimator, learned, param
from ..engines.iterate import Progress, State, iterate
from ._kernel_classifier_base import KernelClassifier


@estimator
class KernelPerceptron(KernelClassifier):
    """Kernel perceptron: the perceptron in the feature space of a kernel; each mistake adds weight to its row.

    f_k(x) = sum_i c_ik k(x_i, x),    on a mistake at row i:  c_i,right += 1,  c_i,said -= 1

    Rows come in their order, again and again, until a whole pass has no mistake. With a margin g between the classes
    and images no longer than R that takes at most (R / g)^2 mistakes; classes that overlap in the space of the kernel
    never end, and the fit says so; there the averaged perceptron predicts better.
    [Aizerman et al., 1964; Freund and Schapire, 1999]

    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    >>> KernelPerceptron(kernel="poly", degree=2).fit(X, y).predict(X).tolist()
    ['same', 'same', 'other', 'other']
    """

    max_iter: int = param(100, "maximum number of passes over the rows", at_least=1)
    average: bool = param(
        False, "whether to predict with the average of the weights over all updates (averaged perceptron)"
    )
    mistakes_: Array = learned("mistakes of each pass", shape="passes")
    support_: Array = learned(
        "indices of the support rows, those with nonzero weight", shape="supports", index="samples"
    )
    n_iter_: int = learned("number of passes over the rows")

    traits = Traits(weights=False)
    title = "kernel perceptron"
    reference = "Freund and Schapire, Large margin classification using the perceptron algorithm, 1999"

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # mistakes are counted row by row: no weights
        """Learn from rows `X` and their classes `y`, in their order."""
        return super().fit(X, y)

    def _fit(self, data: Data, trace: Trace) -> None:
        K = self._matrix(data.X, None)
        state = iterate(_Passes(K, data.y, len(self.classes_)), self.max_iter, trace)
        visits = data.n * len(state["mistakes"])
        weights = state["weights"] - (state["late"] / visits if self.average else 0.0)
        self.dual_coef_ = weights[:, 1:] - weights[:, :1] if weights.shape[1] == 2 else weights
        self.mistakes_ = state["mistakes"]
        self.support_ = np.flatnonzero(np.any(weights != 0, axis=1))
        self.n_iter_ = len(self.mistakes_)
        left = float(self.mistakes_[-1])
        trace.certify("mistakes", left, 0.0, f"the last pass over the rows made {left:.0f} mistakes")


@dataclass(frozen=True)
class _Passes:
    """Passes over the rows; scores of all rows follow every mistake."""

    K: Array
    codes: Array
    classes: int

    def start(self) -> State:
        shape = (len(self.K), self.classes)
        zero = {name: np.zeros(shape) for name in ("weights", "scores", "late")}
        return {**zero, "mistakes": np.zeros(0)}

    def step(self, state: State) -> State:
        weights, scores, late = (state[name].copy() for name in ("weights", "scores", "late"))
        visited = len(self.codes) * len(state["mistakes"])
        rows = np.arange(len(self.codes))
        place, mistakes = 0, 0
        while place < len(rows):
            said = _best_other(scores[place:], self.codes[place:])
            wrong = np.flatnonzero(scores[rows[place:], self.codes[place:]] <= said.max(axis=1))
            if not len(wrong):
                break
            i, other = place + int(wrong[0]), int(said[wrong[0]].argmax())
            weights[i, self.codes[i]] += 1
            weights[i, other] -= 1
            late[i, self.codes[i]] += visited + i  # rows that were visited without this change
            late[i, other] -= visited + i
            scores[:, self.codes[i]] += self.K[i]
            scores[:, other] -= self.K[i]
            mistakes, place = mistakes + 1, i + 1
        seen = np.append(state["mistakes"], float(mistakes))
        return {"weights": weights, "scores": scores, "late": late, "mistakes": seen}

    def progress(self, state: State) -> Progress:
        mistakes = float(state["mistakes"][-1])
        return Progress(mistakes, mistakes, 0.0)


def _best_other(scores: Array, codes: Array) -> Array:
    """The scores with that of the right class out of the way: a tie with another is a mistake."""
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return others
