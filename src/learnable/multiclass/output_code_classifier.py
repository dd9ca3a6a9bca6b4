"""Error-correcting output codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, ParameterError, RandomState, Traits, estimator, learned, param
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..engines.parallel import each
from ._multiclass_base import Reduction, fitted_to, score_of


@estimator
class OutputCodeClassifier(Reduction):
    """Error-correcting output codes: a random code word per class, one classifier per bit; the nearest word wins.

    f(x) = argmin_k |(s_1(x), ..., s_b(x)) - code_k|,    b = code_size times the number of classes

    More bits than classes correct errors of single classifiers. [Dietterich and Bakiri, 1995]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [10.0], [11.0]], ["low", "low", "high", "high"]
    >>> OutputCodeClassifier(Ridge(), code_size=3, random_state=0).fit(X, y).predict([[1.0], [12.0]]).tolist()
    ['low', 'high']
    """

    code_size: float = param(1.5, "number of bits per class, as a multiple of the number of classes", above=0)
    random_state: RandomState = param(None, "seed of the code words")
    code_book_: Array = learned("code word of each class", shape="classes bits")

    traits = Traits(stochastic=True)
    title = "error-correcting output codes"
    reference = "Dietterich and Bakiri, Solving multiclass learning problems via error-correcting output codes, 1995"

    def _fit_parts(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any]) -> None:
        bits = int(len(self.classes_) * self.code_size)
        if bits == 0:
            raise ParameterError(
                f"OutputCodeClassifier: code_size must be at least 1 / {len(self.classes_)}, the number of classes; "
                f"got {self.code_size!r}"
            )
        drawn = stream(self.random_state).uniform(size=(len(self.classes_), bits))
        low = -1.0 if hasattr(self.estimator, "decision_function") else 0.0
        self.code_book_ = np.where(drawn > 0.5, 1.0, low)
        self._warn_of_shared_codewords()
        cases = [(X, self.code_book_[codes, bit].astype(np.int64), weight, "") for bit in range(bits)]
        found = dict(each(fitted_to, (self.estimator, arguments), cases, self.n_jobs))
        self.estimators_ = [found[place] for place in range(bits)]

    def _warn_of_shared_codewords(self) -> None:
        """Warn of a class with the word of one before it, which wins in its place."""
        _, first = np.unique(self.code_book_, axis=0, return_index=True)
        lost = np.delete(self.classes_, first).tolist()
        if lost:
            warn(
                f"OutputCodeClassifier: {', '.join(map(repr, lost))} cannot be predicted, as another class has the "
                f"same code word of {self.code_book_.shape[1]} bits; raise code_size, or choose another random_state",
                UserWarning,
            )

    def _classify(self, X: Any) -> Array:
        scores = np.ascontiguousarray(np.column_stack([score_of(part, X) for part in self.estimators_]), np.float64)
        nearest, square = np.empty(len(scores), dtype=np.int64), np.empty(len(scores))
        kernels.nearest_rows(scores, np.ascontiguousarray(self.code_book_), nearest, square)
        return nearest
