"""Partial least squares regression."""

from __future__ import annotations

from ..core import Array, estimator, learned
from ._projection_base import PartialLeastSquares


@estimator
class PLSRegression(PartialLeastSquares):
    """Partial least squares regression (PLS2, for one target PLS1): least squares on directions that covary with y.

    t_k = X w_k,    w_k maximises |cov(X w, Y)| over |w| = 1;    then X and Y lose their projections on t_k

    Where columns are many or collinear, few components predict nearly as well as all. Each direction is the exact first
    singular vector of X'Y, which iterations of NIPALS approach. With as many components as columns the coefficients are
    those of least squares. [Wold, 1975; Wegelin, 2000]

    >>> X, y = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]], [[0.1], [0.9], [6.2], [11.9]]
    >>> PLSRegression(n_components=2).fit(X, y).predict(X).round(1)
    array([ 0.3,  0.6,  6.5, 11.8])
    """

    x_scores_: Array = learned("scores of the training rows", shape="samples components")
    y_scores_: Array = learned("scores of the training targets", shape="samples components")

    regress = True
    title = "partial least squares regression"
    reference = "Wegelin, A survey of partial least squares (PLS) methods, University of Washington, 2000"
