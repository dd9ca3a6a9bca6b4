"""Groups of points around centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.declare.checked_functions import numbers
from ..core.errors import ErrorOwner, ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating
from ._generators import shuffled

Array = np.ndarray


@generating()
def make_blobs(
    n_samples: int | Sequence[int] = 100,
    n_features: int = 2,
    *,
    centers: int | Array | None = None,
    cluster_std: float | Sequence[float] = 1.0,
    center_box: tuple[float, float] = (-10.0, 10.0),
    shuffle: bool = True,
    random_state: RandomState = None,
    return_centers: bool = False,
) -> tuple[Array, ...]:
    """Isotropic Gaussian blobs:   x = centre[y] + cluster_std[y] * normal.

    n_samples is split evenly among the centres, or says how many each gets. Without centres there are 3 (or as many as
    n_samples has entries), uniform in center_box. A small cluster_std separates the groups, a large one lets them
    overlap. The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y = make_blobs(6, centers=[[0, 0], [9, 9]], random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((6, 2), [3, 3])
    """
    draws = stream(random_state)
    sizes = None if isinstance(n_samples, (int, np.integer)) else [int(size) for size in n_samples]
    if centers is None:
        centers = 3 if sizes is None else len(sizes)
    elif sizes is not None and np.ndim(centers) == 0:
        raise ParameterError(f"make_blobs: with n_samples as a list, centers must be a table; got {centers!r}")
    if isinstance(centers, (int, np.integer)):
        centers = draws.uniform(*center_box, size=(int(centers), n_features))
    centres = numbers("make_blobs", "centers", centers, None, None)
    if sizes is None:
        sizes = _shares(int(n_samples), len(centres))  # type: ignore[arg-type]  # a number here
    if len(sizes) != len(centres):
        raise ParameterError(f"make_blobs: n_samples holds {len(sizes)} counts for {len(centres)} centres")
    spread = np.full(len(centres), cluster_std) if np.ndim(cluster_std) == 0 else np.asarray(cluster_std)
    if len(spread) != len(centres):
        raise ParameterError(
            f"make_blobs: cluster_std holds {len(spread)} numbers for {len(centres)} centres; give one, or one for each"
        )
    groups = [
        draws.normal(loc=centre, scale=scale, size=(size, centres.shape[1]))
        for centre, scale, size in zip(centres, spread, sizes, strict=True)
    ]
    X, y = np.concatenate(groups), np.repeat(np.arange(len(centres)), sizes)
    if shuffle:
        X, y = shuffled(draws, X, y)
    return (X, y, centres) if return_centers else (X, y)


def _shares(total: int, parts: int) -> list[int]:
    """`total` split into parts that differ by at most one, the larger ones first."""
    return [total // parts + (part < total % parts) for part in range(parts)]


@generating()
def make_anisotropic_blobs(
    n_samples: int | Sequence[int] = 300,
    *,
    centers: Array | None = None,
    cluster_std: float | Sequence[float] = 1.0,
    transform: Array | None = None,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """Anisotropic (stretched) blobs:   x = (centre[y] + cluster_std[y] * normal) A.

    A is transform; by default it squeezes the plane along a diagonal. Three centres unless given. Uneven groups come
    from several entries in n_samples or cluster_std.

    >>> X, y = make_anisotropic_blobs([50, 20, 10], random_state=0)
    >>> np.bincount(y).tolist()
    [50, 20, 10]
    """
    centres = np.array([[-9.0, -4.0], [0.0, 1.0], [2.0, 6.0]]) if centers is None else centers
    A = np.array([[0.6, -0.64], [-0.4, 0.85]])
    if transform is not None:
        A = numbers("make_anisotropic_blobs", "transform", transform, len(A), None)
    with ErrorOwner("make_anisotropic_blobs"):
        X, y = make_blobs(n_samples, centers=centres, cluster_std=cluster_std, random_state=random_state)
    return X @ A, y
