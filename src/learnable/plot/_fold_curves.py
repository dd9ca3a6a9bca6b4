"""The curves of all folds of a cross-validation in one plot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ..core.errors import DataError, ParameterError
from ..core.validate.rows import check_equal_lengths, take_rows
from ._binary_base import CurveDisplay, draw_line, line_label, scores_of

Style = dict[str, Any] | list[dict[str, Any]] | None


@dataclass
class FoldCurvesDisplay(CurveDisplay):
    """A plot of one curve, or of a list of curves: one for each fold."""

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: Any = "auto",
        pos_label: Any = None,
        name: str | list[str] | None = None,
        ax: Any = None,
        curve_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = True,
    ) -> Self:
        """Draw the curve of each model of `cross_validate(..., return_estimator=True, return_indices=True)`."""
        _check_folds(cls.__name__, cv_results, X, y, sample_weight)
        curves = []
        for model, rows in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
            scores, positive, _ = scores_of(model, take_rows(X, rows), response_method, pos_label, None)
            weight = None if sample_weight is None else take_rows(sample_weight, rows)
            curves.append(cls.of(take_rows(y, rows), scores, weight, drop_intermediate, positive, None))
        columns = {field.name: [getattr(curve, field.name) for curve in curves] for field in fields(cls)}
        return cls(**{**columns, "name": name, "pos_label": columns["pos_label"][0]}).plot(
            ax, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kwargs, curve_kwargs=curve_kwargs,
            despine=despine,
        )  # fmt: skip


def _check_folds(owner: str, cv_results: Any, X: Any, y: Any, sample_weight: Any) -> None:
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ParameterError(
            f"{owner}: cv_results lacks {', '.join(missing)}; call cross_validate with return_estimator=True and "
            "return_indices=True"
        )
    n = check_equal_lengths(owner, X=X, y=y, sample_weight=sample_weight)
    last = max(int(np.max(rows)) for rows in cv_results["indices"]["test"])
    whole = sum(len(cv_results["indices"][side][0]) for side in ("train", "test"))
    if last >= n or whole > n:
        raise DataError(
            f"{owner}: X has {n} rows, the folds refer to {max(whole, last + 1)}; give the rows that were "
            "cross-validated"
        )
    found = len(np.unique(np.asarray(y)))
    if found != 2:
        raise DataError(f"{owner}: The target `y` is not binary. It has {found} classes")


def several(curve: Any) -> bool:
    """Whether a list of curves was given rather than one."""
    return isinstance(curve, list) and len(curve) > 0 and np.ndim(curve[0]) == 1


def draw_curves(ax: Any, x: Any, y: Any, figure: str, values: Any, name: Any, style: Style) -> Any:
    """The line of one curve, or those of a list: one legend entry for all, or one for each with its own style."""
    if not several(x):
        alone = style[0] if isinstance(style, list) else style
        return draw_line(ax, x, y, line_label(name, figure, values), alone or {})
    many = len(x)
    own = isinstance(style, list)
    if own and len(style or []) != many:
        raise ParameterError(f"`curve_kwargs` must be None, a dictionary or a list of length {many}. Got: {style}")
    if isinstance(name, list) and not (own and len(name) == many):
        raise ParameterError(
            f"`name` can be a list only where `curve_kwargs` is a list of {many} dictionaries, so that the curves look "
            "different; give one name for all"
        )
    names = name if isinstance(name, list) else [name] * many
    if isinstance(style, list):
        labels = [line_label(*each) for each in zip(names, [figure] * many, values or [None] * many, strict=True)]
        return [draw_line(ax, *curve) for curve in zip(x, y, labels, style, strict=True)]
    first = draw_line(ax, x[0], y[0], _label_of_all(name, figure, values), {**FOLD_STYLE, **(style or {})})
    alike = {**FOLD_STYLE, "color": first.get_color(), **(style or {}), "label": None}
    return [first, *(draw_line(ax, *curve, None, alike) for curve in zip(x[1:], y[1:], strict=True))]


def _label_of_all(name: Any, figure: str, values: Any) -> str | None:
    """The name with the mean and the standard deviation of the score over folds."""
    if values is None:
        return name if name is None else str(name)
    amount = f"{figure} = {np.mean(values):0.2f} +/- {np.std(values):0.2f}"
    return amount if name is None else f"{name} ({amount})"


FOLD_STYLE: dict[str, Any] = {"alpha": 0.5, "linewidth": 1.2}
