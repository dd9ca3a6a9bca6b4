"""Stretches of rows, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import ParameterError


def gen_batches(n: int, batch_size: int, *, min_batch_size: int = 0) -> Iterator[slice]:
    """Slices of `batch_size` rows that cover `n` rows; a last one of fewer than `min_batch_size` joins the one before.

    >>> list(gen_batches(7, 3))
    [slice(0, 3, None), slice(3, 6, None), slice(6, 7, None)]
    """
    if batch_size < 1:
        raise ParameterError(f"gen_batches: batch_size must be at least 1; got {batch_size}")
    start = 0
    for end in range(batch_size, n, batch_size):
        if end + min_batch_size > n:
            break
        yield slice(start, end)
        start = end
    if start < n:
        yield slice(start, n)


def gen_even_slices(n: int, n_packs: int, *, n_samples: int | None = None) -> Iterator[slice]:
    """`n_packs` slices of `n` rows whose lengths differ by at most one; none goes beyond `n_samples`.

    >>> list(gen_even_slices(5, 2))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    if n_packs < 1:
        raise ParameterError(f"gen_even_slices: n_packs must be at least 1; got {n_packs}")
    start = 0
    for pack in range(n_packs):
        length = n // n_packs + (pack < n % n_packs)
        if length > 0:
            end = start + length if n_samples is None else min(n_samples, start + length)
            yield slice(start, end, None)
            start = end
