"""Semi-supervised EM: generative classifiers learn from rows without a label too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    ProbabilisticClassifier,
    Trace,
    Traits,
    cloned,
    estimator,
    learned,
    param,
)
from ..core.declare.params import REQUIRED
from ..core.roles.traits import traits_of
from ..engines.iterate import Progress, State, iterate
from ..pipeline._steps import takes_weights
from ._unlabelled import split_labels, transduced


def _is_generative(model: Any) -> bool:
    return hasattr(model, "fit") and hasattr(model, "predict_joint_log_proba") and takes_weights(model)


@estimator
class SemiSupervisedEM(ProbabilisticClassifier):
    """Semi-supervised expectation-maximisation: naive Bayes, or a mixture with a labelled component for each class.

    maximise over theta    sum_labelled log p(x, y | theta)  +  lambda sum_unlabelled log sum_k p(x, k | theta)

    The E step gives each row without a label (-1, NaN or None in `y`) the posterior probabilities of the classes; the
    M step fits the classifier with these as weights, times lambda = `unlabelled_weight`, which keeps few labels from
    being outvoted by many rows. Every iteration raises the penalised likelihood. With `GaussianNB` it is a mixture of
    Gaussians with a component for each class. [Nigam, McCallum, Thrun and Mitchell, 2000]

    >>> from learnable import GaussianNB
    >>> X, y = [[0.0], [0.2], [0.4], [4.0], [4.2], [4.4]], [0, -1, -1, -1, -1, 1]
    >>> SemiSupervisedEM(GaussianNB(var_smoothing=0.1)).fit(X, y).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    estimator: Any = param(
        REQUIRED, "generative classifier, such as GaussianNB or MultinomialNB", kw_only=False, accepts=_is_generative,
        says="a classifier with predict_joint_log_proba that takes sample_weight, such as GaussianNB()",
    )  # fmt: skip
    unlabelled_weight: float = param(
        1.0, "weight lambda of a row without a label beside one with a label", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    max_iter: int = param(200, "maximum number of iterations", at_least=1)
    tol: float = param(1e-6, "mean change of the probabilities of the rows below which it has converged", at_least=0)
    estimator_: Any = learned("the fitted classifier")
    classes_: Array = learned("the classes, sorted", shape="classes")
    transduction_: Any = learned("label of each training row", shape="samples")
    label_distributions_: Array = learned("probability of each class of each training row", shape="samples classes")
    n_iter_: int = learned("number of iterations", least=1)

    traits = Traits(sparse=True, storage="csr")
    title = "semi-supervised expectation-maximisation"
    reference = "Nigam, McCallum, Thrun and Mitchell, Text classification from labeled and unlabeled documents, 2000"

    def _classes(self, y: Any, rows: int) -> tuple[Any, Array]:
        return split_labels(self._validator, y, rows)

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else data.weight
        known = data.y >= 0
        missing = [label for k, label in enumerate(self.classes_) if not weight[data.y == k].any()]
        if missing:
            raise ParameterError(f"SemiSupervisedEM: no row of class {missing[0]!r} has a weight above 0")
        method = _Steps(self.estimator, data.X, data.y, weight, self.unlabelled_weight, self.classes_, self.tol)
        state = iterate(method, self.max_iter, trace)
        self.estimator_, self.n_iter_ = method.fitted(state["p"]), max(trace.iterations, 1)
        self.label_distributions_ = state["p"]
        codes = np.where(known, data.y, state["p"].argmax(axis=1))
        self.transduction_ = transduced(self.classes_, codes)
        trace.certify(
            "change", float(state["change"]), self.tol,
            "one more iteration changes the probabilities of a row by this on average: close to a local optimum of the "
            "likelihood, beside which others may be higher",
        )  # fmt: skip

    def _probabilities(self, X: Matrix) -> Array:
        return np.asarray(self.estimator_.predict_proba(X))

    def _effective_traits(self) -> Traits:
        return replace(self.traits, sparse=traits_of(self.estimator).sparse)


class _Steps:
    """EM on the probabilities of the rows: fit with them as weights, then compute them again."""

    def __init__(
        self, model: Any, X: Matrix, codes: Array, weight: Array, fraction: float, classes: Array, tol: float
    ) -> None:
        self.model, self.X, self.codes, self.classes, self.tol = model, X, codes, classes, tol
        self.known = codes >= 0
        self.weight = np.where(self.known, weight, fraction * weight)
        self.given = np.zeros((len(codes), len(classes)))
        self.given[np.flatnonzero(self.known), codes[self.known]] = 1.0

    def start(self) -> State:
        """The probabilities by a classifier of the labelled rows."""
        return {"p": self._expect(self.fitted(self.given))[0], "change": np.inf, "objective": np.inf}

    def step(self, state: State) -> State:
        """An M step and an E step."""
        p, objective = self._expect(self.fitted(state["p"]))
        change = float((self.weight @ np.abs(p - state["p"]).sum(axis=1)) / max(self.weight.sum(), 1e-300))
        return {"p": p, "change": change, "objective": objective}

    def progress(self, state: State) -> Progress:
        """The negative log likelihood, and the mean change."""
        return Progress(float(state["objective"]), float(state["change"]), self.tol)

    def fitted(self, p: Array) -> Any:
        """The classifier, fitted to each row once for each class that it may have."""
        rows, codes = np.nonzero((self.weight[:, None] * p) > 0)
        weight = self.weight[rows] * p[rows, codes]
        return cloned(self.model).fit(self.X[rows], self.classes[codes], sample_weight=weight)

    def _expect(self, model: Any) -> tuple[Array, float]:
        """The probabilities of all rows, labels kept, and the negative log likelihood."""
        joint = np.asarray(model.predict_joint_log_proba(self.X))
        top = joint.max(axis=1, keepdims=True)
        lifted = np.exp(joint - top)
        total = lifted.sum(axis=1, keepdims=True)
        p = np.where(self.known[:, None], self.given, lifted / total)
        rows = np.where(
            self.known, joint[np.arange(len(joint)), np.maximum(self.codes, 0)], (top + np.log(total))[:, 0]
        )
        return p, -float(self.weight @ rows)
