"""Passive-aggressive classifier."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._sgd.sgd_base import SGDConfig
from ._sgd.sgd_classifier_base import AveragedSGDClassifierBase
from ._sgd.sgd_params import PassiveAggressiveParams


@estimator
class PassiveAggressiveClassifier(PassiveAggressiveParams, AveragedSGDClassifierBase):
    """Passive-aggressive classifier: weights change only for margins below one, by just as much as needed.

    w += y min(C, loss / |x|^2) x,    loss = max(0, 1 - y x w),    y in {-1, 1}

    With loss="squared_hinge" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in a new random order in
    each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> PassiveAggressiveClassifier(random_state=0).fit(X, y).predict([[-3.0], [3.0]])
    array([0, 1])
    """

    loss: Literal["hinge", "squared_hinge"] = param("hinge", "hinge: PA-I steps; squared_hinge: PA-II steps")

    title = "passive-aggressive classifier"
    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _sgd_config(self) -> SGDConfig:
        rate = "pa1" if self.loss == "hinge" else "pa2"
        return SGDConfig("hinge", rate=rate, eta=self.C, average=int(self.average))
