"""Canonical correlation analysis."""

from __future__ import annotations

from ..core import estimator
from ._projection_base import PartialLeastSquares


@estimator
class CCA(PartialLeastSquares):
    """Canonical correlation analysis: pairs of directions of two tables with the largest correlation.

    maximise over a, b    corr(X a, Y b);    then X loses its projection on X a, and Y that on Y b

    Each pair is the first pair of singular vectors of the cross-covariance of the whitened tables. With nearly as many
    columns as rows every correlation is near one: then use PLSCanonical. [Hotelling, 1936]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.5]], [[0.1, 5.0], [0.9, 1.1], [2.1, 4.0], [2.9, 3.1]]
    >>> x, y = CCA(n_components=1).fit(X, Y).transform(X, Y)
    >>> bool(abs(x - y).max() < 0.5)
    True
    """

    correlate = True
    title = "canonical correlation analysis"
    reference = "Hotelling, Relations between two sets of variates, Biometrika 1936"
