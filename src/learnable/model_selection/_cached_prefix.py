"""Steps before the last one of a sequence, fitted once for all candidates that differ in the last step alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..core import BudgetError
from ..core.validate.rows import joined_rows
from ._evaluation import FitArguments, TrialRows, TrialSplit


def warmed(sample: FitArguments, estimator: Any, rows: TrialRows) -> TrialSplit | None:
    """The rows of a fold as the last step of `estimator` sees them, the steps before it fitted to the training rows.

    None where one of these steps fails: fitting the whole pipeline then raises the error.
    """
    part = sample.part(rows.train)
    try:
        ahead = estimator._fit_prefix(part.X, part.y, part.weight)
        training = FitArguments(ahead.X, ahead.y, {} if ahead.weight is None else {"sample_weight": ahead.weight})
        tested = _seen(sample.part(rows.test), ahead)
        trained = None if rows.trained is None else _seen(sample.part(rows.trained), ahead)
    except BudgetError:
        raise
    except Exception:
        return None
    return TrialSplit(training, tested, trained)


def _seen(part: FitArguments, ahead: Any) -> FitArguments:
    return FitArguments(ahead.transform(part.X), part.y, part.options)


def one_below_the_other(split: TrialSplit) -> tuple[FitArguments, TrialRows] | None:
    """All rows of a split in one sample, and where those that train, test and count as training score stand in it.

    None where not all of them have weights.
    """
    parts = [part for part in (split.training, split.tested, split.trained) if part is not None]
    weighted = [part.weight is not None for part in parts]
    if any(weighted) != all(weighted):
        return None
    ends = np.cumsum([0, *(part.n for part in parts)])
    indices = [np.arange(*pair) for pair in pairwise(ends)]
    options = {"sample_weight": joined_rows([part.weight for part in parts])} if all(weighted) else {}
    targets = None if split.training.y is None else joined_rows([np.asarray(part.y) for part in parts])
    return FitArguments(joined_rows([part.X for part in parts]), targets, options), TrialRows(*indices)


def bytes_of(split: TrialSplit) -> int:
    """How much memory the rows of a split take, as far as one can see."""
    tables = [part.X for part in (split.training, split.tested, split.trained) if part is not None]
    return sum(_bytes(table) for table in tables)


def _bytes(table: Any) -> int:
    if hasattr(table, "indptr"):
        return int(table.data.nbytes + table.indices.nbytes)
    return int(getattr(table, "nbytes", 8 * np.size(table)))
