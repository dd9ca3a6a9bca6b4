"""Plots side by side of one fit after some of its iterations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeVar

from ..core import ConvergenceWarning, generator, seed_of
from ._style import GREY

Display = TypeVar("Display")
MAX_SEED = 2**31 - 1  # seeds that every estimator takes


def draw_steps(
    estimator: Any, X: Any, steps: tuple[int, ...], draw: Callable[[Any, Any], Display], says: Callable[[Any], str]
) -> list[Display]:
    """Plot the model with `draw(model, ax)` after each of the `steps`, with the title `says(model)`."""
    from matplotlib import pyplot

    models, converged = steps_of_one_run(estimator, X, steps)
    size = (3.2 * len(models), 3.2)
    axes = pyplot.subplots(1, len(models), figsize=size, layout="constrained", sharex=True, sharey=True, squeeze=False)
    found = []
    for place, (ax, model) in enumerate(zip(axes[1][0], models, strict=True)):
        found.append(draw(model, ax))
        last = converged and place == len(models) - 1
        when = f"converged after {model.n_iter_} steps" if last else f"step {model.n_iter_}"
        ax.set_title(f"{when}: {says(model)}", fontsize=9, color=GREY)
        ax.label_outer()
    return found


def steps_of_one_run(estimator: Any, X: Any, steps: tuple[int, ...]) -> tuple[list[Any], bool]:
    """Fits that stop after these steps, all from one seed and one initialisation, and whether the last one converged.

    No fit is repeated: after the one that converged there are no more.
    """
    fixed: dict[str, Any] = {"n_init": 1, "random_state": _one_seed(getattr(estimator, "random_state", None))}
    known = estimator.get_params()
    fixed = {name: value for name, value in fixed.items() if name in known}
    models: list[Any] = []
    for count in sorted(set(steps)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # that few steps do not converge is the point
            model = estimator.clone().set_params(**fixed, max_iter=count).fit(X)
        if not models or model.n_iter_ > models[-1].n_iter_:
            models.append(model)
        if model.n_iter_ < count:
            return models, True
    return models, False


def _one_seed(random_state: Any) -> int:
    """A seed that gives every fit the same initialisation."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator(seed_of(random_state)).integers(MAX_SEED))
