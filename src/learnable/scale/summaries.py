"""Exact summaries of rows, which add and subtract: merging, federation and unlearning."""

from __future__ import annotations

from typing import Any

from ..core import Classifier, DataError, ParameterError, cloned
from ..core.declare import params
from ..engines.exact_summary import ExactSummary as ExactSummary
from ._fit import ScanRows
from .scans import Scan, scan


def summary(model: Any, rows: Any, y: Any = None, sample_weight: Any = None, *, exact: bool = True) -> ExactSummary:
    """Summarise rows in one pass by all that `model` would learn from them, without rounding errors.

    `rows` are a scan, or what `scan` reads, with target `y` and weights. Summaries add and subtract: `s1 + s2 - s3`
    stands for the rows of the first two without those of the third, which must be among them. `save` writes a
    summary to a file without any row; `Model.from_summary(summary)` fits a model, with the bits of a fit with exact
    sums to all these rows in one place. The target and its squares are part of a summary: it is as confidential as
    means and covariances are.

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X, y = np.arange(8.0).reshape(4, 2) ** 2, np.array([1.0, 2.0, 4.0, 8.0])
    >>> first, second = summary(Ridge(), X[:2], y[:2]), summary(Ridge(), X[2:], y[2:])
    >>> (first + second).fingerprint == summary(Ridge(), X, y).fingerprint
    True
    >>> Ridge.from_summary(first + second, alpha=2.0).coef_.round(3)
    array([0.128, 0.049])
    """
    if not exact:
        raise ParameterError("summary: summaries are exact, as only then rows can be subtracted; leave out exact=False")
    if not hasattr(model, "_exact_summary"):
        raise DataError(
            f"summary: {type(model).__name__} does not learn from sums over rows alone; summaries serve least squares, "
            "naive Bayes, discriminant analysis and models of covariances. FederatedAveraging serves models that learn "
            "by steps"
        )
    params.check(model)
    source = rows if isinstance(rows, Scan) else scan(rows)
    if y is not None or sample_weight is not None:
        source = _with_columns(rows, source, y, sample_weight)
    seen = ScanRows.of(source, model)
    fresh = cloned(model)
    if isinstance(fresh, Classifier):
        fresh.classes_ = seen.reader.estimator.classes_
    found: ExactSummary = fresh._exact_summary(seen)
    return found


def _with_columns(rows: Any, source: Scan, y: Any, weight: Any) -> Scan:
    """The scan with target and weights, which are names of its columns, or arrays beside a table."""
    if all(part is None or isinstance(part, (str, int)) for part in (y, weight)):
        return source.with_target(y, weight)
    if isinstance(rows, Scan):
        raise DataError("summary: the target and the weights of a scan are names of its columns")
    return scan(rows, target=y, weight=weight)
