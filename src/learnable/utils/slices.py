"""Stretches of rows, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.declare.checked_functions import checked, limits


@checked(n=limits(at_least=0), batch_size=limits(at_least=1))
def gen_batches(n: int, batch_size: int, *, min_batch_size: int = 0) -> Iterator[slice]:
    """Slices of `batch_size` rows that cover `n` rows; a last one of fewer than `min_batch_size` joins the one before.

    >>> list(gen_batches(7, 3))
    [slice(0, 3, None), slice(3, 6, None), slice(6, 7, None)]
    """
    start = 0
    for end in range(batch_size, n, batch_size):
        if end + min_batch_size > n:
            break
        yield slice(start, end)
        start = end
    if start < n:
        yield slice(start, n)


@checked(n=limits(at_least=0), n_packs=limits(at_least=1))
def gen_even_slices(n: int, n_packs: int, *, n_samples: int | None = None) -> Iterator[slice]:
    """`n_packs` slices of `n` rows whose lengths differ by at most one; none goes beyond `n_samples`.

    >>> list(gen_even_slices(5, 2))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    start = 0
    for pack in range(n_packs):
        length = n // n_packs + (pack < n % n_packs)
        if length > 0:
            end = start + length if n_samples is None else min(n_samples, start + length)
            yield slice(start, end, None)
            start = end
