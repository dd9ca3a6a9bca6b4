"""Ridge regression: least squares with a squared penalty."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned
from ..engines import design
from ..engines.folds import Fold
from ..engines.minimise.least_squares.choice import LARGEST_GRAM, serves_every_strength
from ..engines.minimise.ridge_path.by_spectrum import Spectrum, fold_spectra
from ..engines.validation_shortcut import Answers, FoldPaths, predictions
from .direct import keep
from .shrunken import METHODS, Shrunken
from .summary import Statistics, Summary, summarise


@estimator
class Ridge(Shrunken, Regressor):
    """Least squares with coefficients held short, which steadies them where columns resemble each other.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

    Solved exactly: by the normal equations where rows outnumber columns, by the dual where they do not, by an
    orthogonal factorisation where either is ill conditioned. Cost n p min(n, p). [Hoerl and Kennard, 1970]

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> Ridge(alpha=2.0).fit(X, y).coef_
    array([0.5])
    """

    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    statistics_: Statistics = learned("what the coefficient table is made of")

    multi_target = True
    flat_target = True
    validation_paths = ("alpha",)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit = self._solved(data, data.y.reshape(data.n, -1))
        keep(self, fit, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        alphas = np.array(values, dtype=np.float64)
        if self.positive or alphas.ndim != 1 or METHODS[self.solver] != "by shape" or min(data.X.shape) > LARGEST_GRAM:
            return None
        try:
            spectra = fold_spectra(data.X, data.y.reshape(data.n, -1), data.weight, self.fit_intercept, parts)
        except design.OutOfRange:
            return None
        if not all(serves_every_strength(spectrum.values, alphas.min()) for spectrum in spectra):
            return None
        return [partial(_answers, spectrum, alphas, data.X, data.y.shape[1:]) for spectrum in spectra]

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table; it says that classical p values do not apply, unless alpha is 0."""
        return summarise(self, level)


def _answers(spectrum: Spectrum, alphas: Array, X: Matrix, shape: tuple[int, ...], rows: Array) -> list[Answers]:
    """What the model of one fold predicts for some rows with each strength."""
    return predictions(spectrum.predictions(design.rows(X, rows), alphas), shape)
