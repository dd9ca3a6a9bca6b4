"""Independent components as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, RandomState
from ..core.arguments import Rows, checked
from .fast_ica import FastICA


@checked()
def fastica(
    X: Rows,
    n_components: int | None = None,
    *,
    algorithm: Any = "parallel",
    whiten: Any = "unit-variance",
    fun: Any = "logcosh",
    fun_args: dict[str, Any] | None = None,
    max_iter: int = 200,
    tol: float = 1e-4,
    w_init: Any = None,
    whiten_solver: Any = "svd",
    random_state: RandomState = None,
    return_X_mean: bool = False,
    compute_sources: bool = True,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """The matrix K that whitens, the unmixing matrix W of whitened rows, and the sources S that `FastICA` finds.

    S = (X - mean) K' W'

    K is None without whitening, S without `compute_sources`; with `return_X_mean` and `return_n_iter` the mean of the
    columns and the number of steps follow.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).laplace(size=(200, 2)) @ [[1.0, 0.5], [0.7, 1.0]]
    >>> K, W, S = fastica(X, random_state=0)
    >>> bool(np.allclose((X - X.mean(axis=0)) @ K.T @ W.T, S))
    True
    """
    model = FastICA(
        n_components,
        algorithm=algorithm,
        whiten=whiten,
        fun=fun,
        fun_args=fun_args,
        max_iter=max_iter,
        tol=tol,
        w_init=w_init,
        whiten_solver=whiten_solver,
        random_state=random_state,
    ).fit(X)
    whitening, mean = (model.whitening_, model.mean_) if whiten else (None, None)
    unmixing: Array = model.components_ if whitening is None else model.components_ @ np.linalg.pinv(whitening)
    told: list[Any] = [whitening, unmixing, model.transform(X) if compute_sources else None]
    return (*told, *[mean] * return_X_mean, *[model.n_iter_] * return_n_iter)
