"""Sparse principal components in mini-batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Data, RandomState, Trace, estimator, param
from ..core.scaling import finite_column_means
from .mini_batch_dictionary_learning import MiniBatchDictionaryLearning
from .sparse_pca import SparseComponents


@estimator
class MiniBatchSparsePCA(SparseComponents):
    """Mini-batch sparse principal component analysis: components with few nonzero entries, from batches of columns.

    minimise over U, V, |u_k| <= 1    |X - U V|^2 / 2  +  alpha |V|_1,    for centred X; components are the rows of V

    As SparsePCA, with mini-batch dictionary learning on the transposed table. [Mairal, Bach, Ponce and Sapiro, 2009]

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 1)) * [1.0, 1.0, 0.0, 0.0] + 0.01 * rng.normal(size=(50, 4))
    >>> MiniBatchSparsePCA(1, alpha=1, batch_size=4, random_state=0).fit(X).components_.round(1) + 0.0
    array([[0.7, 0.7, 0. , 0. ]])
    """

    alpha: float = param(1, "sparsity: the penalty of absolute entries", at_least=0)
    ridge_alpha: float = param(0.01, "regularisation strength of the scores", at_least=0)
    max_iter: int = param(1000, "maximum number of passes over the columns", at_least=1)
    callback: Callable[[dict[str, Any]], Any] | None = param(
        None, "called with the local variables of each batch; learnable.watch is for all fits"
    )
    batch_size: int = param(3, "number of columns in a batch", at_least=1)
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    shuffle: bool = param(True, "whether the columns are shuffled")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    method: Literal["lars", "cd"] = param("lars", "accepted for compatibility; both algorithms reach the same solution")
    random_state: RandomState = param(None, "seed of the order of the columns")
    tol: float = param(1e-3, "change of the components that ends the fit", at_least=0)
    max_no_improvement: int | None = param(
        10, "number of batches without a lower smoothed objective after which the fit ends; None: never", at_least=1
    )

    title = "mini-batch sparse principal component analysis"
    reference = "Mairal, Bach, Ponce and Sapiro, Online learning for matrix factorization and sparse coding, JMLR 2010"

    def _ridge(self) -> float:
        return self.ridge_alpha

    def _fit(self, data: Data, trace: Trace) -> None:
        X = data.X.astype(np.float64)
        mean = finite_column_means(X)
        model = MiniBatchDictionaryLearning(
            n_components=data.p if self.n_components is None else self.n_components, alpha=self.alpha,
            max_iter=self.max_iter, batch_size=self.batch_size, shuffle=self.shuffle, random_state=self.random_state,
            tol=self.tol,
            max_no_improvement=self.max_no_improvement, callback=self.callback, transform_algorithm="lasso_cd",
        )  # fmt: skip
        rows = (X - mean).T
        model._fit(Data(rows, data.y, None, None), trace)
        model.n_features_in_ = len(X)
        self.n_iter_ = model.n_iter_
        self._keep(model._transform(rows), mean, data.X.dtype)
