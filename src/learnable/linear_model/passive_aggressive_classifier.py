"""Passive-aggressive classification."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._sgd.sgd_base import Course
from ._sgd.sgd_classifier_base import AveragingClassifier
from ._sgd.sgd_params import Aggressive


@estimator
class PassiveAggressiveClassifier(Aggressive, AveragingClassifier):
    """A linear classifier that leaves its weights alone while a margin is one, and else moves just as far as needed.

    w += y min(C, loss / |x|^2) x,    loss = max(0, 1 - y x w),    y in {-1, 1}

    With loss="squared_hinge" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in an order drawn anew for
    each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> PassiveAggressiveClassifier(random_state=0).fit(X, y).predict([[-3.0], [3.0]])
    array([0, 1])
    """

    loss: Literal["hinge", "squared_hinge"] = param("hinge", "which of the two lengths a step has")

    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _course(self) -> Course:
        rate = "pa1" if self.loss == "hinge" else "pa2"
        return Course("hinge", rate=rate, eta=self.C, average=int(self.average))
