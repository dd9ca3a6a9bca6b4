"""Any of the rules for scores of single columns, chosen by name."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, ParameterError, estimator, param
from ._univariate_base import Cut, UnivariateSelector, cut_fdr, cut_k_best, cut_percentile


@estimator
class GenericUnivariateSelect(UnivariateSelector):
    """Univariate feature selection with a configurable rule.

    choose what `mode` says: the `param` best, the best `param` per cent, or those that pass tests at level `param`

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> GenericUnivariateSelect(mode="k_best", param=1).fit(X, y).get_support()
    array([ True, False])
    """

    title = "univariate feature selection"

    mode: Cut = param("percentile", "rule by which columns stay")
    param: int | float | Literal["all"] = param(1e-5, "parameter of the mode", at_least=0)

    def _check_cut(self, data: Data) -> None:
        if self.mode in ("fpr", "fdr", "fwe"):
            self._need_p_values()
        most = {"percentile": 100, "k_best": None}.get(self.mode, 1)
        if most is None:
            return
        if isinstance(self.param, str):
            raise ParameterError(
                f'GenericUnivariateSelect: param may be "all" with mode="k_best" only, not {self.mode!r}'
            )
        if self.param > most:
            raise ParameterError(f"GenericUnivariateSelect: param must be at most {most} with mode={self.mode!r}")

    def _support(self) -> Array:
        if self.mode == "percentile":
            return cut_percentile(self.scores_, float(self.param))
        if self.mode == "k_best":
            return cut_k_best(self.scores_, self.param if self.param == "all" else int(self.param))
        p_values, alpha = np.asarray(self.pvalues_), float(self.param)
        if self.mode == "fdr":
            return cut_fdr(p_values, alpha)
        return np.asarray(p_values < (alpha if self.mode == "fpr" else alpha / len(p_values)))
