"""Partial dependence plots: lines for one column, contours for two, bars for categories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from ..core import Array
from ..core.numeric import is_fraction
from ..core.validate.sparse_input import ChecksSparse
from ..engines.parallel import each
from ..inspection import partial_dependence
from ..inspection._perturbed_tables import as_table, column, names_of, place_of
from ..parts.literal_text import literal_text, literal_texts
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain

Kind = Literal["average", "individual", "both"]
MAX_LETTERS = 24  # of the names of categories that find a place beside one another


@dataclass
class PartialDependenceDisplay(ChecksSparse):
    """Partial dependence plot of one or two columns, with individual conditional expectations as thin lines.

    `pd_results` has what `partial_dependence` found for each entry of `features`, a tuple of column numbers.
    """

    pd_results: list[Any]
    features: list[tuple[int, ...]]
    feature_names: list[str]
    target_idx: int
    deciles: dict[int, Array]
    kind: Any = "average"
    subsample: int | float | None = 1000
    random_state: Any = None
    is_categorical: list[tuple[bool, ...]] | None = None
    label: str = field(default="partial dependence")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, features: Any, *, sample_weight: Any = None, categorical_features: Any = None,
        feature_names: Any = None, target: Any = None, response_method: Any = "auto", n_cols: int = 3,
        grid_resolution: int = 100, percentiles: tuple[float, float] = (0.05, 0.95), custom_values: Any = None,
        method: Any = "auto", n_jobs: int | None = None, verbose: int = 0, line_kw: Any = None,
        ice_lines_kw: Any = None, pd_line_kw: Any = None, contour_kw: Any = None, ax: Any = None,
        kind: Any = "average", centered: bool = False, subsample: int | float | None = 1000, random_state: Any = None,
    ) -> Self:  # fmt: skip
        """Compute and draw the partial dependence on `features`: columns or pairs of columns by index or name."""
        table = as_table(X)
        names = names_of(table, feature_names)
        requested = [_pair(entry, names) for entry in features]
        kinds = [kind] * len(requested) if isinstance(kind, str) else list(kind)
        options = {
            "sample_weight": sample_weight, "categorical_features": categorical_features, "feature_names": names,
            "response_method": response_method, "grid_resolution": grid_resolution, "percentiles": percentiles,
            "custom_values": custom_values, "method": method,
        }  # fmt: skip
        found = dict(each(_computed, (estimator, table, options), list(zip(requested, kinds, strict=True)), n_jobs))
        results = [found[k] for k in range(len(requested))]
        marks = _marks(categorical_features, requested, names, results)
        numbers = {
            j for pair, mark in zip(requested, marks, strict=True) for j, m in zip(pair, mark, strict=True) if not m
        }
        deciles = {j: deciles_of(column(table, j)) for j in numbers}
        display = cls(
            results, requested, names, _target(estimator, target), deciles, kinds, subsample, random_state, marks
        )  # fmt: skip
        return display.plot(
            ax=ax, n_cols=n_cols, line_kw=line_kw, ice_lines_kw=ice_lines_kw, pd_line_kw=pd_line_kw,
            contour_kw=contour_kw, centered=centered,
        )  # fmt: skip

    def plot(
        self, *, ax: Any = None, n_cols: int = 3, line_kw: Any = None, ice_lines_kw: Any = None,
        pd_line_kw: Any = None, contour_kw: Any = None, bar_kw: Any = None, heatmap_kw: Any = None,
        pdp_lim: Any = None, centered: bool = False,
    ) -> Self:  # fmt: skip
        """Draw onto `ax`, axes or a list of them, or a new figure; `centered` lets all lines begin at zero."""
        self.axes_ = np.array(_axes(ax, len(self.features), n_cols), dtype=object)
        self.figure_ = self.axes_[0].figure
        kinds = [self.kind] * len(self.features) if isinstance(self.kind, str) else self.kind
        marks = self.is_categorical or [(False,) * len(pair) for pair in self.features]
        styles = {
            "line": {**(line_kw or {}), **(pd_line_kw or {})}, "rows": {**(line_kw or {}), **(ice_lines_kw or {})},
            "contour": contour_kw or {}, "bar": bar_kw or {}, "heat": heatmap_kw or {},
        }  # fmt: skip
        for axes, pair, found, kind, mark in zip(self.axes_, self.features, self.pd_results, kinds, marks, strict=True):
            if len(pair) == 2:
                self._two(axes, pair, found, mark, styles)
            elif mark[0]:
                self._bars(axes, pair[0], found, styles["bar"])
            else:
                self._lines(axes, pair[0], found, kind, styles, centered)
            if len(pair) == 1 and not _first_of_row(axes):
                axes.set_ylabel("")
        self._same_height(pdp_lim, marks)
        return self

    def _lines(self, axes: Any, j: int, found: Any, kind: Kind, styles: Any, centered: bool) -> None:
        plain(axes)
        grid = found["grid_values"][0]
        if kind != "average":
            single = found["individual"][self.target_idx]
            single = single[self._some(len(single))]
            single = single - single[:, :1] if centered else single
            fade = {"color": BLUE, "alpha": max(0.06, min(0.5, 12 / len(single))), "linewidth": 0.6}
            axes.plot(grid, single.T, **{**fade, **styles["rows"]})
        if kind != "individual":
            mean = found["average"][self.target_idx]
            mean = mean - mean[0] if centered else mean
            bold = {"color": ORANGE if kind == "both" else BLUE, "linewidth": 2.2}
            axes.plot(grid, mean, **{**bold, **styles["line"]})
        self._ticks(axes, j, "x")
        axes.set(xlabel=literal_text(self.feature_names[j]), ylabel=self.label)

    def _some(self, rows: int) -> Array:
        """Which rows are drawn, in order."""
        few = self.subsample
        number = rows if few is None else int(few * rows) if is_fraction(few) else few
        if number >= rows:
            return np.arange(rows)
        return np.sort(np.random.RandomState(self.random_state).permutation(rows)[:number])

    def _bars(self, axes: Any, j: int, found: Any, style: Any) -> None:
        plain(axes)
        values = [str(value) for value in found["grid_values"][0]]
        axes.bar(
            range(len(values)),
            found["average"][self.target_idx],
            **{"color": BLUE, "alpha": 0.85, "width": 0.6, **style},
        )
        axes.set_xticks(range(len(values)), literal_texts(values))
        if sum(map(len, values)) > MAX_LETTERS:
            axes.tick_params(axis="x", rotation=30)
        axes.set(xlabel=literal_text(self.feature_names[j]), ylabel=self.label)

    def _two(self, axes: Any, pair: tuple[int, ...], found: Any, mark: tuple[bool, ...], styles: Any) -> None:
        across, up = found["grid_values"]
        mean = found["average"][self.target_idx].T
        if any(mark):
            picture = axes.imshow(mean, **{"cmap": "Blues", "aspect": "auto", "origin": "lower", **styles["heat"]})
            axes.set(
                xticks=range(len(across)),
                yticks=range(len(up)),
                xticklabels=literal_texts(across),
                yticklabels=literal_texts(up),
            )
        else:
            picture = axes.contourf(across, up, mean, **{"levels": 12, "cmap": "Blues", **styles["contour"]})
            lines = axes.contour(across, up, mean, levels=picture.levels, colors="#1f2937", linewidths=0.4)
            axes.clabel(lines, fontsize=6, inline=True)
            self._ticks(axes, pair[0], "x")
            self._ticks(axes, pair[1], "y")
        axes.figure.colorbar(picture, ax=axes).outline.set_visible(False)
        first, second = (literal_text(self.feature_names[j]) for j in pair)
        axes.set(xlabel=first, ylabel=second)

    def _ticks(self, axes: Any, j: int, side: Literal["x", "y"]) -> None:
        """Small marks at the tenths of the rows, without changing what is in view."""
        if j not in self.deciles:
            return
        view = axes.get_xlim() if side == "x" else axes.get_ylim()
        transform = axes.get_xaxis_transform() if side == "x" else axes.get_yaxis_transform()
        draw = axes.vlines if side == "x" else axes.hlines
        draw(self.deciles[j], 0, 0.04, transform=transform, color=GREY, linewidth=1.0)
        (axes.set_xlim if side == "x" else axes.set_ylim)(view)

    def _same_height(self, given: Any, marks: list[tuple[bool, ...]]) -> None:
        """One scale for all pictures of one column, so that steep means the same in each."""
        single = [axes for axes, pair in zip(self.axes_, self.features, strict=True) if len(pair) == 1]
        if not single:
            return
        ends = given[1] if given is not None and 1 in given else None
        if ends is None:
            low, high = zip(*(axes.get_ylim() for axes in single), strict=True)
            ends = (min(low), max(high))
        for axes in single:
            axes.set_ylim(ends)


def _pair(entry: Any, names: list[str]) -> tuple[int, ...]:
    requested = entry if isinstance(entry, (tuple, list)) else (entry,)
    if not 1 <= len(requested) <= 2:
        raise ValueError("PartialDependenceDisplay: each entry of features must be a column or a pair of columns")
    return tuple(place_of(name, names, "PartialDependenceDisplay") for name in requested)


def _computed(estimator: Any, X: Any, options: dict[str, Any], call: tuple[tuple[int, ...], Kind]) -> Any:
    pair, kind = call
    return partial_dependence(estimator, X, list(pair), kind=kind if len(pair) == 1 else "average", **options)


def _marks(
    categorical: Any, requested: list[tuple[int, ...]], names: list[str], results: Any
) -> list[tuple[bool, ...]]:
    """Which columns are drawn as categories: those named, and those whose values are words."""
    named: set[int] = set()
    if categorical is not None:
        given = np.asarray(categorical)
        named = set(np.flatnonzero(given)) if given.dtype == bool else {
            place_of(name, names, "PartialDependenceDisplay") for name in given.tolist()
        }  # fmt: skip
    return [
        tuple(j in named or axis.dtype.kind in "OUSb" for j, axis in zip(pair, found["grid_values"], strict=True))
        for pair, found in zip(requested, results, strict=True)
    ]


def deciles_of(values: Any) -> Array:
    """The values below which one tenth, two tenths ... of the known ones are."""
    entries = np.asarray(values, dtype=np.float64)
    return np.asarray(np.quantile(entries[~np.isnan(entries)], np.arange(0.1, 1.0, 0.1)))


def _target(estimator: Any, target: Any) -> int:
    """The place of the output that is drawn."""
    classes = getattr(estimator, "classes_", None)
    if classes is not None and len(classes) > 2:
        if target is None:
            raise ValueError("The model has several classes: pass target= to choose one")
        return int(np.flatnonzero(np.asarray(classes) == target)[0])
    return 0 if target is None or classes is not None else int(target)


def _first_of_row(axes: Any) -> bool:
    """Whether nothing stands to the left in a grid of pictures."""
    place = axes.get_subplotspec()
    return place is None or bool(place.is_first_col())


def _axes(ax: Any, count: int, n_cols: int) -> list[Any]:
    """Axes for n plots: given, laid over given ones, or of a new figure."""
    if isinstance(ax, (list, tuple, np.ndarray)):
        given = [axes for axes in np.ravel(np.asarray(ax, dtype=object)) if axes is not None]
        if len(given) != count:
            raise ValueError(f"Expected ax to have {count} axes, got {len(given)}")
        return given
    wide = min(n_cols, count)
    high = -(-count // wide)
    if ax is None and count == 1:
        return [axes_or_new(None)]
    from matplotlib import pyplot

    if ax is not None:
        if count == 1:
            return [ax]
        ax.set_axis_off()
        grid = ax.get_subplotspec().subgridspec(high, wide)
        return [ax.figure.add_subplot(grid[k // wide, k % wide]) for k in range(count)]
    axes = pyplot.subplots(high, wide, figsize=(4.0 * wide, 3.2 * high), layout="constrained", squeeze=False)[1]
    for spare in axes.ravel()[count:]:
        spare.set_visible(False)
    return list(axes.ravel()[:count])
