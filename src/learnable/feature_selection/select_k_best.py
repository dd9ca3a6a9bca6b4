"""The best columns, by number."""

from __future__ import annotations

from typing import Literal

from ..core import Array, Data, Traits, estimator, param
from ..core.errors import warn
from ._univariate_base import UnivariateSelector, cut_k_best


@estimator
class SelectKBest(UnivariateSelector):
    """Univariate feature selection: the k features with the highest scores.

    choose the k columns with the largest score_j = score_func(x_j, y)

    Fast and blind to what columns do together: two copies of a column score alike, and a column that only helps beside
    another scores nothing.

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> SelectKBest(k=1).fit(X, y).get_support()
    array([ True, False])
    """

    title = "univariate feature selection"
    traits = Traits(uses_target="if given")

    k: int | Literal["all"] = param(
        10, "number of selected columns", at_least=0, tune=(1, 2, 5, 10, 20), simpler="smaller"
    )

    def _check_cut(self, data: Data) -> None:
        if not isinstance(self.k, str) and self.k > data.p:
            warn(f"k={self.k} is more than the {data.p} columns that there are: all stay.", UserWarning)

    def _support(self) -> Array:
        return cut_k_best(self.scores_, self.k)
