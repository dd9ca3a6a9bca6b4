"""The weakest C at which an absolute penalty leaves any coefficient."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core.errors import DataError, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..engines import matrix_products


@checks_sparse
def l1_min_c(
    X: Any,
    y: Any,
    *,
    loss: Literal["squared_hinge", "log"] = "squared_hinge",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
) -> float:
    """The largest C for which an L1-penalised linear classifier has only zero coefficients (LIBLINEAR's objective).

    c = 2 / max |X't| for the logistic loss, 1 / (2 max |X't|) for the squared hinge, t = -1 or 1 by class

    With `fit_intercept` a column of `intercept_scaling` is penalised like the others.

    >>> l1_min_c([[1.0], [2.0], [4.0]], [0, 1, 1], loss="log", fit_intercept=False)
    0.4
    """
    if loss not in ("squared_hinge", "log"):
        raise ParameterError(f'l1_min_c: loss must be "squared_hinge" or "log"; got {loss!r}')
    validator = FeatureValidator("l1_min_c", sparse=True, storage="csr")
    matrix, _ = validator.matrix(X)
    classes, code = validator.classes(y, matrix.shape[0])
    signs = np.where(code[:, None] == np.arange(len(classes)), 1.0, -1.0)[:, 1 if len(classes) == 2 else 0 :]
    most = float(np.abs(matrix_products.transposed_product(matrix, signs)).max())
    if fit_intercept:
        most = max(most, intercept_scaling * float(np.abs(signs.sum(axis=0)).max()))
    if most == 0:
        raise DataError("l1_min_c: no column separates the classes, so every C leaves all coefficients at zero")
    return 0.5 / most if loss == "squared_hinge" else 2.0 / most
