"""Universal approximation seen at work: errors fall as hidden units or mixture components are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import checked, limits, not_empty

Function = Callable[[Array], Array]
GRID = 801


@checked(widths=limits(at_least=0, accepts=not_empty, says="not empty"))
def error_by_width(
    function: Function,
    widths: Sequence[int],
    *,
    support: tuple[float, float] = (-1.0, 1.0),
    random_state: RandomState = None,
) -> Array:
    """Root mean squared error of a network with one hidden layer of tanh units as the approximation of a function.

    minimise over a, b    mean_x (function(x) - b - sum_k a_k tanh(u_k x + v_k))^2

    Hidden weights u, v are drawn, wider layers keep those of narrower ones, and only the output weights are learned, by
    least squares. That is enough: any continuous function is reached as the width grows. [Hornik, 1991]

    >>> errors = error_by_width(lambda x: np.sin(6 * x), [1, 5, 50], random_state=0)
    >>> bool((np.diff(errors) < 0).all() and errors[-1] < 1e-3)
    True
    """
    low, high = support
    x = np.linspace(-1, 1, GRID)
    target = np.asarray(function(low + (x + 1) / 2 * (high - low)), dtype=np.float64)
    rng = generator(seed_of(random_state))
    offsets, scales = rng.uniform(-1, 1, max(widths)), rng.uniform(2, 10, max(widths))
    units = np.tanh(scales * (x[:, None] - offsets))
    errors = []
    for width in widths:
        design = np.column_stack([np.ones(GRID), units[:, :width]])
        weights = np.linalg.lstsq(design, target, rcond=None)[0]
        errors.append(np.sqrt(np.mean((target - design @ weights) ** 2)))
    return np.array(errors)


@checked(counts=limits(at_least=1, accepts=not_empty, says="not empty"))
def error_by_components(
    density: Function, counts: Sequence[int], *, support: tuple[float, float] = (-1.0, 1.0)
) -> Array:
    """Mean absolute difference between a density on an interval and its approximation by a mixture of Gaussians.

    Components stand at equal distances and are as wide as the gap between them; their shares are found by least squares
    without negative ones. Any density is reached as their number grows.

    >>> errors = error_by_components(lambda x: (x > 0) * 1.0, [2, 8, 64])
    >>> bool((np.diff(errors) < 0).all())
    True
    """
    from scipy.optimize import nnls

    low, high = support
    x = np.linspace(low, high, GRID)
    target = np.asarray(density(x), dtype=np.float64)
    errors = []
    for count in counts:
        gap = (high - low) / count
        centres = low + gap * (np.arange(count) + 0.5)
        basis = np.exp(-0.5 * ((x[:, None] - centres) / gap) ** 2)
        shares, _ = nnls(basis, target)
        errors.append(np.abs(target - basis @ shares).mean() * (high - low))
    return np.array(errors)
