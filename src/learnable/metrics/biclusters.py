"""How far two sets of biclusters agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ParameterError


@checked()
def consensus_score(
    a: tuple[Rows, Rows], b: tuple[Rows, Rows], *, similarity: str | Callable[..., float] = "jaccard"
) -> float:
    """The similarity of two sets of biclusters, best matched one to one: between 0 and 1.

    A set is a pair of tables: which rows and which columns each bicluster has. [Hochreiter et al., 2010]

    >>> a = ([[True, False], [False, True]], [[False, True], [True, False]])
    >>> consensus_score(a, a)
    1.0
    """
    from scipy.optimize import linear_sum_assignment

    if not callable(similarity) and similarity != "jaccard":
        raise ParameterError(f"consensus_score: similarity must be 'jaccard' or a callable; got {similarity!r}")
    of = similarity if callable(similarity) else _jaccard
    sets = [list(zip(*(np.asarray(part, dtype=bool) for part in one), strict=True)) for one in (a, b)]
    table = np.array([[of(*first, *second) for second in sets[1]] for first in sets[0]])
    rows, columns = linear_sum_assignment(1.0 - table)
    return float(table[rows, columns].sum() / max(len(sets[0]), len(sets[1])))


def _jaccard(a_rows: Array, a_columns: Array, b_rows: Array, b_columns: Array) -> float:
    """Shared cells over all cells of two biclusters."""
    shared = int((a_rows & b_rows).sum()) * int((a_columns & b_columns).sum())
    sizes = int(a_rows.sum()) * int(a_columns.sum()) + int(b_rows.sum()) * int(b_columns.sum())
    return shared / (sizes - shared)
