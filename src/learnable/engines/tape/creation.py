"""Tensors from numbers, and from other tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import DataError
from .tensor import Tensor, constant


def tensor(values: Any, dtype: Any = None) -> Tensor:
    """A tensor of numbers: fractions in lists become float32, and an array keeps its type and shares its memory.

    >>> tensor([[1, 2], [True, False], [0.5, 3.2]]).dtype, tensor(np.ones(2)).dtype, tensor([1, 2]).dtype
    (dtype('float32'), dtype('float64'), dtype('int64'))
    """
    if isinstance(values, Tensor):
        values = values.value
    try:
        array = np.asarray(values, dtype=dtype)
    except ValueError:
        raise DataError(f"tensor: rows must be equally long and of numbers; got {values!r:.60}") from None
    if array.dtype.kind not in "biuf":
        raise DataError(f"tensor: values must be numbers; got {values!r:.60}")
    if dtype is None and not hasattr(values, "__array__") and array.dtype == np.float64:
        array = array.astype(np.float32)
    return Tensor(array)


def concatenate(tensors: Sequence[Any], axis: int = 0) -> Tensor:
    """Tensors one after the other along an axis.

    >>> concatenate([tensor([1.0]), tensor([2.0, 3.0])])
    tensor([1.0, 2.0, 3.0])
    """
    first = next((one for one in tensors if isinstance(one, Tensor)), None)
    parts = [constant(one, first) if first is not None else tensor(one) for one in tensors]
    axis = axis % max(parts[0].ndim, 1) if parts else 0
    ends = np.cumsum([0, *(part.shape[axis] for part in parts)])

    def part_of(k: int) -> Any:
        index = (slice(None),) * axis + (slice(int(ends[k]), int(ends[k + 1])),)
        return lambda g, out, *parents: g[index]

    pullbacks = [part_of(k) for k in range(len(parts))]
    made: Tensor = Tensor.record(
        "concatenate", np.concatenate([part.value for part in parts], axis), parts, *pullbacks, work=0
    )
    return made
